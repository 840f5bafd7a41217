/* barrier_stepper.c -- the barrier stepper, as the world has it: options and refusals. */
#include "../0_base/log.h"
#include "../4_programs/solvers.h"
#include "form.h"

static void cti_barrier_defaults(ct_world_desc *d)
{
    d->barrier.friction_velocity = CTI_R(1e-3);
    d->barrier.newton_tolerance = CTI_R(1e-3);
    d->barrier.friction_iterations = 1;
    d->barrier.newton_iterations = 200;
}

static ct_code cti_barrier_check(const ct_world_desc *d, ct_error_info *e)
{
    const ct_barrier_desc *q = &d->barrier;
    if ((int)q->kind < 0 || q->kind >= CT_BARRIER_COUNT_)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)q->kind, "barrier.kind is out of range");
    if (!(q->dhat >= 0) || !cti_finite(q->dhat))
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)q->dhat, "barrier.dhat must be zero or positive");
    if (!(q->friction_velocity > 0) || !cti_finite(q->friction_velocity))
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)q->friction_velocity, "barrier.friction_velocity must be positive");
    if (!(q->newton_tolerance > 0) || !cti_finite(q->newton_tolerance))
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)q->newton_tolerance, "barrier.newton_tolerance must be positive");
    if (q->friction_iterations < 0)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, q->friction_iterations, "barrier.friction_iterations must be zero or positive");
    if (q->newton_iterations < 1 || q->newton_iterations > 100000)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, q->newton_iterations, "barrier.newton_iterations must be 1 to 100000");
    if (!(q->stiffness >= 0) || !cti_finite(q->stiffness))
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)q->stiffness, "barrier.stiffness must be zero or positive");
    if ((int)q->form < 0 || q->form >= CT_FORM_COUNT_)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)q->form, "barrier.form is out of range");
    if (q->static_hold != 0 && q->static_hold != 1)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, q->static_hold, "barrier.static_hold must be 0 or 1");
    if (d->stepper != CT_STEPPER_BARRIER)
        return CT_OK;
    if (q->form >= CT_FORM_POSITION && !(CTI_SOLVERS_ANY))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)q->form, "barrier.form POSITION and VELOCITY need a solver, and this build has none");
    if (d->ccd_limits_step)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, 1, "CT_STEPPER_BARRIER does not cut steps at impacts: ccd_limits_step is CT_STEPPER_CMR's");
    if (d->solver.termination == CT_TERMINATION_PAPER)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->solver.termination, "CT_STEPPER_BARRIER has no termination PAPER");
    return CT_OK;
}

static const char *cti_barrier_refuses(const cti_state *s, cti_feature what)
{
    switch (what) {
    case CTI_FEATURE_KINEMATIC:
        return s->desc.barrier.form == CT_FORM_POTENTIAL ? NULL : "barrier.form is one for comparison, and has no scripted surfaces";
    case CTI_FEATURE_JOINT:
        return s->desc.barrier.form == CT_FORM_POTENTIAL ? NULL : "barrier.form is one for comparison, and has no joints";
    case CTI_FEATURE_REPAIR:
        return "CT_STEPPER_BARRIER has no way out of an intersection: repair the bodies in a world of CT_STEPPER_CMR";
    case CTI_FEATURE_PROBLEM:
        return s->desc.barrier.form >= CT_FORM_POSITION ? NULL : "CT_STEPPER_BARRIER solves no contact problem: its contacts are potentials";
    default:
        return NULL;
    }
}

#if CONTACT_WITH_FILES
#define CTI_BARRIER_PROBLEM cti_form_problem
#else
#define CTI_BARRIER_PROBLEM NULL
#endif

CTI_CONSTANT_FN const cti_stepper *cti_stepper_barrier(void)
{
    static const cti_stepper barrier = {1,
                                        0,
                                        cti_barrier_defaults,
                                        cti_barrier_check,
                                        NULL,
                                        cti_barrier_refuses,
                                        cti_barrier_prepare,
                                        cti_barrier_step,
                                        CTI_BARRIER_PROBLEM,
                                        cti_barrier_free,
                                        NULL};
    return &barrier;
}
