/* joint.c -- the error of a joint: how far two bodies are from its constraint.
   Method: the triads C_a, C_b (the joint's axes in both bodies) coincide when the joint is added. Their relative rotation C_a' C_b (rows
   are axes) has the axial vector sin(theta) axis = sum_i c_b,i x c_a,i / 2 and the trace 1 + 2 cos(theta). To first order its rate is w_a -
   w_b.
   Based on: lecture notes 4.1 (bilateral constraints phi(q) = 0). */
#include "joint.h"
#include "../1_math/d3.h"
#include "../1_math/elem.h"

CTI_FN int cti_joint_has(const cti_joint *j, int part)
{
    int guided = j->kind == CT_JOINT_HINGE || j->kind == CT_JOINT_SLIDER;
    switch (part) {
    case CTI_PART_POINT:
        return j->kind != CT_JOINT_DRAG;
    case CTI_PART_TURN:
        return guided || j->kind == CT_JOINT_FIXED;
    case CTI_PART_DRIVE:
        return j->drive.most > 0;
    default:
        return guided && cti_finite(part == CTI_PART_LOWER ? j->drive.lower : j->drive.upper);
    }
}

CTI_FN ct_real cti_joint_value(const cti_joint *j, const ct_real *a, const ct_real *b, cti_v3 d)
{
    cti_v3 axis = cti_v3_at(b, 0), from = cti_v3_at(b, 1), to = cti_v3_at(a, 1);
    if (j->kind == CT_JOINT_SLIDER)
        return cti_v3_dot(d, axis);
    return cti_atan2(cti_v3_dot(axis, cti_v3_cross(from, to)), cti_v3_dot(from, to));
}

/* an angle in (-pi, pi] */
static ct_real cti_joint_wrap(ct_real angle)
{
    const double turn = 6.28318530717958647693;
    return (ct_real)((double)angle + turn * floor(0.5 - (double)angle / turn));
}

CTI_FN ct_real cti_joint_lag(const cti_joint *j, ct_real value)
{
    value -= j->drive.target;
    return j->kind == CT_JOINT_HINGE ? cti_joint_wrap(value) : value;
}

CTI_FN ct_real cti_joint_gap(const cti_joint *j, int part, ct_real value)
{
    const cti_drive *q = &j->drive;
    ct_real middle = (q->lower + q->upper) / 2;
    if (j->kind == CT_JOINT_SLIDER)
        return part == CTI_PART_LOWER ? value - q->lower : q->upper - value;
    value = cti_joint_wrap(value - middle); /* a turn beyond pi is nearer to the other limit */
    return (q->upper - q->lower) / 2 + (part == CTI_PART_LOWER ? value : -value);
}

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
