/* steppers.c -- the table of steppers: CT_STEPPER_LIST (methods.h) with the functions of those that are built (8_step/stepper.h). */
#include "world.h"

CTI_FN const cti_stepper *cti_steppers_find(ct_stepper stepper)
{
    switch (stepper) {
#define CTI_STEPPERS_CASE(name, number, word, built) CTI_IF(built, case name: return cti_stepper_##word();)
        CT_STEPPER_LIST(CTI_STEPPERS_CASE)
    default:
        return NULL;
    }
}

#define CTI_STEPPERS_ADD(name, number, word, built) +(built)
CTI_CONSTANT_FN const cti_stepper *cti_steppers_of(const ct_world *w)
{
#if (0 CT_STEPPER_LIST(CTI_STEPPERS_ADD)) == 1
#define CTI_STEPPERS_ONLY(name, number, word, built) CTI_IF(built, cti_stepper_##word())
    CTI_UNUSED(w);
    return CT_STEPPER_LIST(CTI_STEPPERS_ONLY);
#else
    return cti_steppers_find(w->state.desc.stepper);
#endif
}

CTI_FN void cti_steppers_defaults(ct_world_desc *d)
{
#define CTI_STEPPERS_DEFAULTS(name, number, word, built) CTI_IF(built, if (cti_stepper_##word()->defaults) cti_stepper_##word()->defaults(d);)
    CT_STEPPER_LIST(CTI_STEPPERS_DEFAULTS)
}

CTI_FN ct_code cti_steppers_check(const ct_world_desc *d, ct_error_info *e)
{
    ct_code code = CT_OK;
    int traits = cti_steppers_find(d->stepper)->traits;
#define CTI_STEPPERS_CHECK(name, number, word, built) CTI_IF(built, if (code == CT_OK) code = cti_stepper_##word()->check(d, e);)
    CT_STEPPER_LIST(CTI_STEPPERS_CHECK)
    if (code == CT_OK && d->ccd_limits_step && !(traits & CTI_STEPPER_CUTS))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, 1, "stepper '%s' does not cut steps at impacts: ccd_limits_step is CT_STEPPER_CMR's",
                             ct_stepper_text(d->stepper));
    if (code == CT_OK && d->solver.termination == CT_TERMINATION_PAPER && !(traits & CTI_STEPPER_PRINTED))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->solver.termination, "stepper '%s' has no termination PAPER: set it to RESIDUAL",
                             ct_stepper_text(d->stepper));
    return code;
}

/* what an error calls a body without a name, or a step; NULL: the feature is neither */
static const char *cti_steppers_noun(cti_feature what)
{
    static const char *const nouns[] = {"soft body", "cloth", "rod", "points", "rigid body", "static body", "plane", "kinematic body"};
    /* the reason of a step is copied: a stepper may write it anew for each step */
    return what <= CTI_FEATURE_KINEMATIC ? nouns[what] : (what == CTI_FEATURE_STEP ? "step" : NULL);
}

CTI_FN ct_code cti_steppers_admit(ct_world *w, cti_feature what, const char *name)
{
    const cti_stepper *stepper = cti_steppers_of(w);
    const cti_refusal *refusal = stepper->refusals;
    const char *reason = stepper->refuses ? stepper->refuses(&w->state, what) : NULL;
    for (; refusal && refusal->why; refusal++)
        reason = refusal->what == what ? refusal->why : reason;
    if (!reason)
        return CT_OK;
    if (name && *name)
        return cti_error_set(&w->error, CT_ERR_UNSUPPORTED, -1, 0, "body '%.32s': %s", name, reason);
    name = cti_steppers_noun(what);
    return cti_error_set(&w->error, CT_ERR_UNSUPPORTED, -1, 0, "%s%s%s", name ? name : "", name ? ": " : "", reason);
}
