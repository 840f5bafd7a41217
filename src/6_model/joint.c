/* joint.c -- the error of a joint: how far two bodies are from its constraint.
   Method: the triads C_a, C_b (the joint's axes in both bodies) coincide when the joint is added. Their relative rotation C_a' C_b (rows
   are axes) has the axial vector sin(theta) axis = sum_i c_b,i x c_a,i / 2 and the trace 1 + 2 cos(theta). To first order its rate is w_a -
   w_b.
   Based on: lecture notes 4.1 (bilateral constraints phi(q) = 0). */
#include "joint.h"
#include "../1_math/d3.h"
#include "../1_math/elem.h"

CTI_FN void cti_joint_axes(cti_v3 axis, ct_real *out)
{
    cti_v3 t1, t2;
    cti_v3_tangents(axis, &t1, &t2);
    cti_v3_put(out, 0, axis), cti_v3_put(out, 1, t1), cti_v3_put(out, 2, t2);
}

CTI_FN void cti_joint_apart(const double *a, const double *b, int is_hinge, double *out)
{
    double sine, cosine = 0, e[3];
    int i;
    memset(out, 0, 3 * sizeof *out);
    for (i = 0; i < (is_hinge ? 1 : 3); i++) {
        cti_d3_cross(b + 3 * i, a + 3 * i, e);
        cti_d3_add(out, e, is_hinge ? 1 : 0.5);
        cosine += cti_d3_dot(b + 3 * i, a + 3 * i);
    }
    cosine = is_hinge ? cosine : (cosine - 1) / 2;
    sine = sqrt(cti_d3_dot(out, out));
    if ((sine > 1e-8 || cosine < 0) && sine > 0)
        cti_d3_add(out, out, cti_atan2_64(sine, cosine) / sine - 1);
}

CTI_FN cti_v3 cti_joint_turn(const ct_real *a, const ct_real *b, int hinge)
{
    double from[9], to[9], e[3];
    int i;
    for (i = 0; i < 9; i++)
        to[i] = (double)a[i], from[i] = (double)b[i];
    cti_joint_apart(to, from, hinge, e);
    return cti_v3_make((ct_real)e[0], (ct_real)e[1], (ct_real)e[2]);
}

CTI_FN cti_v3 cti_joint_left(cti_v3 e, ct_real most)
{
    ct_real size = cti_v3_norm(e);
    return size > most ? cti_v3_mul(e, (size - most) / size) : cti_v3_zero();
}
