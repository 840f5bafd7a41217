/* swing.c -- rotation of jointed rigid bodies.
   Method: a joint's impulse acts through the arm at the start of the step, and then the body rotates freely with its new momentum: w = m(L
   + J' r), m the midpoint rule (rigid.c). The inertia at the middle of the free motion is that of another motion. Its error L x dw dt adds a part of
   the large momentum across a rod to the small one about its axis, on which no joint acts. Solves linearize w about the
   last impulse, w_k + I0^-1 J' (r - r_k), I0 at the start: as in m, an impulse across the axis then adds nothing about it. The rotation is
   then computed for the impulse found, and joints are linearized there until they hold. */
#include "swing.h"

CTI_FN void cti_swing_begin(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        s->bodies.rigids[i].swings = 0;
    for (i = 0; i < CTI_LEN(s->bodies.joints); i++) {
        const cti_joint *j = &s->bodies.joints[i];
        if (j->a.rigid >= 0)
            s->bodies.rigids[j->a.rigid].swings = 1;
        if (j->b.rigid >= 0)
            s->bodies.rigids[j->b.rigid].swings = 1;
    }
}

CTI_FN void cti_swing_equation(const cti_rigid *r, ct_real damp, ct_real *D, ct_real *b)
{
    cti_v3 w = cti_v3_at(r->w_mid, 0), given = cti_v3_sub(cti_v3_mul(cti_m3_mul_v(r->I_mid, w), damp), cti_v3_at(r->spin, 0));
    int k;
    cti_rigid_inertia(r, r->q, D);
    for (k = 0; k < 9; k++)
        D[k] *= damp;
    cti_v3_put(b, 0, cti_v3_sub(cti_m3_mul_v(D, w), given));
}

CTI_FN void cti_swing_follow(cti_state *s, ct_real dt)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[i], next = *r;
        int at = r->block + 1;
        ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[at], damp = 1 + dt * s->bodies.alpha[at];
        cti_v3 given;
        /* bodies that were not solved again keep their bits */
        if (!r->swings || cti_state_is_inactive(s, at) || !memcmp(s->end.v + 3 * (size_t)at, r->w_mid, sizeof r->w_mid))
            continue;
        given = cti_v3_sub(cti_m3_mul_v(D, cti_v3_at(s->end.v, at)), cti_v3_at(s->system.b, at));
        cti_v3_put(next.spin, 0, cti_v3_mul(cti_v3_add(cti_v3_at(r->spin, 0), given), 1 / damp));
        cti_rigid_free(&next, dt);
        cti_v3_put(next.spin, 0, cti_v3_at(r->spin, 0));
        *r = next;
        cti_swing_equation(r, damp, D, s->system.b + 3 * (size_t)at);
        cti_v3_put(s->end.v, at, cti_v3_at(r->w_mid, 0));
    }
}

CTI_FN void cti_swing_close(cti_state *s, ct_real dt)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[i];
        int at = r->block + 1;
        for (k = 0; r->swings && k < 9; k++)
            s->system.A.val[9 * (size_t)s->system.A.diag[at] + (size_t)k] = r->I_mid[k] * (1 + dt * s->bodies.alpha[at]);
        if (r->swings)
            cti_v3_put(s->system.b, at, cti_v3_at(r->spin, 0));
    }
}
