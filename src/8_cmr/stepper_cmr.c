/* stepper_cmr.c -- the default stepper: its table entry. */
#include "../0_base/log.h"
#include "step.h"
#include "../8_step/stepper.h"
#include "../8_step/tangle.h"

static ct_code cti_cmr_check(const ct_world_desc *d, ct_error_info *e)
{
    if (d->stepper == CT_STEPPER_CMR && d->integrator == CT_INTEGRATOR_MIDPOINT)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->integrator,
                             "CT_STEPPER_CMR has no midpoint rule, as its contacts are of the step's end: set integrator to another");
    if (d->stepper != CT_STEPPER_CMR || d->solver.termination != CT_TERMINATION_PAPER || d->solver.solver == CT_SOLVER_ICA ||
        d->solver.solver == CT_SOLVER_AUTO)
        return CT_OK;
    return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->solver.solver,
                         "termination PAPER is CT_SOLVER_ICA's with CT_STEPPER_CMR, CT_SOLVER_MPRGP's with CT_STEPPER_DCD, and no other solver's");
}

/* sets the options of Otaduy 2009 if the step as printed is chosen */
static void cti_cmr_complete(ct_world_desc *d)
{
    if (d->solver.termination != CT_TERMINATION_PAPER)
        return;
    d->solver.solver = CT_SOLVER_ICA;
    d->solver.cluster = CT_CLUSTER_NODE;
    if (d->solver.cone == CT_CONE_CONE)
        d->solver.cone = CT_CONE_BOX;
    d->solver.inner_repeats = 3;
    d->newton_iterations = 1;
    d->cmr_rounds = 5;
    d->max_halvings = 2;
}

static int cti_cmr_prepare(cti_state *s, const cti_stepper_body *bodies)
{
    CTI_UNUSED(bodies);
    return cti_tangle_find(s);
}

CTI_CONSTANT_FN const cti_stepper *cti_stepper_cmr(void)
{
    static const cti_stepper cmr = {CTI_STEPPER_ENDS_APART | CTI_STEPPER_NEEDS_FACTORS | CTI_STEPPER_CUTS | CTI_STEPPER_PRINTED | CTI_STEPPER_HALFWAY,
                                    NULL, cti_cmr_check, cti_cmr_complete, NULL, NULL, cti_cmr_prepare, cti_step, NULL, NULL, NULL};
    return &cmr;
}
