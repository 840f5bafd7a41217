/* joint.c -- the error of a joint: how far two bodies are from its constraint.
   Method: the triads C_a, C_b (the joint's axes in both bodies) coincide when the joint is added. Their relative rotation C_a' C_b (rows
   are axes) has the axial vector sin(theta) axis = sum_i c_b,i x c_a,i / 2 and the trace 1 + 2 cos(theta). To first order its rate is w_a -
   w_b.
   Based on: lecture notes 4.1 (bilateral constraints phi(q) = 0). */
#include "joint.h"
#include "../1_math/elem.h"

CTI_FN void cti_joint_axes(cti_v3 axis, ct_real *out)
{
    cti_v3 t1, t2;
    cti_v3_tangents(axis, &t1, &t2);
    cti_v3_put(out, 0, axis), cti_v3_put(out, 1, t1), cti_v3_put(out, 2, t2);
}

/* scales sin(theta) axis to theta axis */
static cti_v3 cti_joint_whole(cti_v3 e, ct_real cosine)
{
    ct_real sine = cti_v3_norm(e);
    if (sine < CTI_R(1e-4) && cosine > 0)
        return e; /* theta = sine (1 + sine^2 / 6) is the sine up to rounding here */
    return sine > 0 ? cti_v3_mul(e, (ct_real)cti_atan2_64((double)sine, (double)cosine) / sine) : e;
}

CTI_FN cti_v3 cti_joint_turn(const ct_real *a, const ct_real *b, int hinge)
{
    cti_v3 e = cti_v3_zero();
    ct_real trace = 0;
    int i;
    if (hinge)
        return cti_joint_whole(cti_v3_cross(cti_v3_at(b, 0), cti_v3_at(a, 0)), cti_v3_dot(cti_v3_at(b, 0), cti_v3_at(a, 0)));
    for (i = 0; i < 3; i++) {
        e = cti_v3_add(e, cti_v3_cross(cti_v3_at(b, i), cti_v3_at(a, i)));
        trace += cti_v3_dot(cti_v3_at(b, i), cti_v3_at(a, i));
    }
    return cti_joint_whole(cti_v3_mul(e, CTI_R(0.5)), (trace - 1) / 2);
}

CTI_FN cti_v3 cti_joint_left(cti_v3 e, ct_real most)
{
    ct_real size = cti_v3_norm(e);
    return size > most ? cti_v3_mul(e, (size - most) / size) : cti_v3_zero();
}
