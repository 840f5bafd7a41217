/* barrier_stepper.c -- the barrier stepper, as the world has it: options and refusals. */
#include "../0_base/log.h"
#include "../4_programs/solvers.h"
#include "barrier.h"

static void cti_barrier_defaults(ct_world_desc *d)
{
    d->barrier.friction_velocity = CTI_R(1e-3);
    d->barrier.newton_tolerance = CTI_R(1e-3);
    d->barrier.newton_iterations = 200;
}

static ct_code cti_barrier_check(const ct_world_desc *d, ct_error_info *e)
{
    const ct_barrier_desc *q = &d->barrier;
    const cti_range ranges[] = {
        {(double)q->kind, 0, CT_BARRIER_COUNT_ - 1, "barrier.kind is out of range"},
        {(double)q->dhat, 0, CTI_FINITE, "barrier.dhat must be zero or positive"},
        {(double)q->friction_velocity, CTI_POSITIVE, CTI_FINITE, "barrier.friction_velocity must be positive"},
        {(double)q->newton_tolerance, CTI_POSITIVE, CTI_FINITE, "barrier.newton_tolerance must be positive"},
        {(double)q->friction_iterations, 0, INT_MAX, "barrier.friction_iterations must be zero or positive"},
        {(double)q->newton_iterations, 1, 100000, "barrier.newton_iterations must be 1 to 100000"},
        {(double)q->stiffness, 0, CTI_FINITE, "barrier.stiffness must be zero or positive"},
        {(double)q->form, 0, CT_FORM_COUNT_ - 1, "barrier.form is out of range"},
        {(double)q->static_hold, 0, 1, "barrier.static_hold must be 0 or 1"}};
    ct_code code = cti_error_ranges(e, ranges, CTI_COUNT(ranges));
    if (code != CT_OK || d->stepper != CT_STEPPER_BARRIER)
        return code;
    if (!CONTACT_WITH_FORMS && q->form != CT_FORM_POTENTIAL)
        return CTI_ERROR_UNBUILT(e, "forms of a barrier step", CONTACT_WITH_FORMS);
    if (q->form >= CT_FORM_POSITION && !(CTI_SOLVERS_ANY))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)q->form, "barrier.form POSITION and VELOCITY need a solver, and this build has none");
    return CT_OK;
}

static const char *cti_barrier_refuses(const cti_state *s, cti_feature what)
{
    switch (what) {
    case CTI_FEATURE_KINEMATIC:
        return s->desc.barrier.form == CT_FORM_POTENTIAL ? NULL : "barrier.form is one for comparison, and has no scripted surfaces";
    case CTI_FEATURE_JOINT:
        return s->desc.barrier.form == CT_FORM_POTENTIAL ? NULL : "barrier.form is one for comparison, and has no joints";
    case CTI_FEATURE_DRIVE:
        return "CT_STEPPER_BARRIER has joints without limits and motors, no sliders and no drags: use CT_STEPPER_CMR";
    case CTI_FEATURE_REPAIR:
        return "CT_STEPPER_BARRIER has no way out of an intersection: repair the bodies in a world of CT_STEPPER_CMR";
    case CTI_FEATURE_SNAPSHOT:
        return s->desc.barrier.form == CT_FORM_POTENTIAL ? NULL : "barrier.form is one for comparison, and has no snapshots";
    case CTI_FEATURE_PROBLEM:
        return s->desc.barrier.form >= CT_FORM_POSITION ? NULL :
               "CT_STEPPER_BARRIER solves no contact problem, as its contacts are potentials: use CT_STEPPER_CMR";
    default:
        return NULL;
    }
}

#if CONTACT_WITH_FILES && CONTACT_WITH_FORMS
static int cti_barrier_problem(cti_state *s, cti_mem *mem, struct cti_program *out) { return cti_forms()->problem(s, mem, out); }
#define CTI_BARRIER_PROBLEM cti_barrier_problem
#else
#define CTI_BARRIER_PROBLEM NULL
#endif

static void cti_barrier_unprepare(cti_state *s)
{
    if (s->own)
        memset(s->own, 0, offsetof(cti_barrier, scale));
}

CTI_CONSTANT_FN const cti_stepper *cti_stepper_barrier(void)
{
    static const cti_stepper barrier = {CTI_STEPPER_ENDS_APART, cti_barrier_defaults, cti_barrier_check, NULL, NULL, cti_barrier_refuses,
                                        cti_barrier_prepare, cti_barrier_step, CTI_BARRIER_PROBLEM, cti_barrier_unprepare, cti_barrier_archive};
    return &barrier;
}
