/* spin_friction.c -- torsional and rolling friction of bodies. */
#include "world.h"

CONTACT_API_DEF ct_code ct_body_set_spin_friction(ct_world *w, ct_body_id body, ct_real torsional, ct_real rolling)
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!(torsional >= 0) || !(rolling >= 0) || !cti_finite(torsional) || !cti_finite(rolling))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)(torsional >= 0 ? rolling : torsional),
                              "ct_body_set_spin_friction: coefficients must be zero or positive");
    if (torsional > 0 || rolling > 0) {
        if (cti_body_has_model(b))
            return cti_world_fail(w, CT_ERR_UNSUPPORTED, body, -1, 0,
                                  "ct_body_set_spin_friction: a deformable body has no spin, and so no torsional and rolling friction");
        if (w->state.desc.stepper != CT_STEPPER_CMR || w->state.desc.solver.termination == CT_TERMINATION_PAPER)
            return cti_world_fail(w, CT_ERR_UNSUPPORTED, body, -1, 0,
                                  "ct_body_set_spin_friction: torsional and rolling friction are CT_STEPPER_CMR's, without CT_TERMINATION_PAPER");
    }
    b->spin_friction[0] = torsional, b->spin_friction[1] = rolling;
    cti_sleep_wake_near(w, (int)(b - w->bodies));
    cti_world_show(w, cti_world_surface_body(w, (int)(b - w->bodies)));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_spin_friction(const ct_world *w, ct_body_id body, ct_real *out_torsional, ct_real *out_rolling)
{
    int slot = cti_world_slot(w, body);
    if (out_torsional)
        *out_torsional = slot < 0 ? 0 : w->bodies[slot].spin_friction[0];
    if (out_rolling)
        *out_rolling = slot < 0 ? 0 : w->bodies[slot].spin_friction[1];
    return slot < 0 ? CT_ERR_STALE_ID : CT_OK;
}
