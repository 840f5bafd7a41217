/* rigid.c -- mass properties of closed surfaces and the rotation of rigid bodies.
   Method: q' = (0, w) q / 2 is integrated by its exponential. The gyroscopic term is solved per body before contacts, by the implicit
   midpoint rule on the angular momentum: (R_m I R_m') w_m = L with R_m = exp(dt w_m / 2) R. This rule is time-symmetric, of second order,
   and keeps L exactly. Contact impulses then act on I_mid: L_new = I_mid w_new. Based on: lecture notes 4.1 (rigid bodies, quaternions);
   Otaduy 2009, eq. 1 (q' = G v). */
#include "rigid.h"
#include "../1_math/elem.h"

#define CTI_RIGID_TURN 1            /* [rad a step] above this the midpoint rule does not resolve the rotation */
#define CTI_RIGID_PIECE CTI_R(0.25) /* [rad] longest piece of a longer rotation: a tumbling body then keeps its energy to 1e-3 */
#define CTI_RIGID_PIECES 256        /* most pieces; a faster body rotates about its angular momentum alone */
#define CTI_RIGID_ITERATIONS 20     /* of Newton's method for the midpoint */
#define CTI_RIGID_CLOSE (64 * cti_sqrt(CTI_EPS)) /* relative error of w above which Newton's method has failed */

/* volume integrals of 1, x, x x' over the tets that the surface triangles span with its first vertex; signed volumes cancel outside */
CTI_FN double cti_rigid_mass(const ct_real *positions, const int32_t *triangles, int n_triangles, double density, double *out_mass,
                             double *out_center, double *out_inertia)
{
    double volume = 0, c[3] = {0, 0, 0}, S[9], trace;
    int i, k, l;
    memset(S, 0, sizeof S);
    for (i = 0; i < n_triangles; i++) {
        double p[3][3], s[3], v;
        for (k = 0; k < 3; k++)
            for (l = 0; l < 3; l++)
                p[k][l] = (double)positions[3 * triangles[3 * i + k] + l] - (double)positions[3 * triangles[0] + l];
        v = (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
             p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
            6;
        volume += v;
        for (k = 0; k < 3; k++)
            s[k] = p[0][k] + p[1][k] + p[2][k], c[k] += v * s[k] / 4;
        /* the integral of x x' over a tet with one corner at the origin */
        for (k = 0; k < 3; k++)
            for (l = 0; l < 3; l++)
                S[3 * k + l] += v / 20 * (s[k] * s[l] + p[0][k] * p[0][l] + p[1][k] * p[1][l] + p[2][k] * p[2][l]);
    }
    if (!(volume > 0))
        return volume;
    for (k = 0; k < 3; k++)
        c[k] /= volume;
    for (k = 0; k < 3; k++)
        for (l = 0; l < 3; l++)
            S[3 * k + l] = density * (S[3 * k + l] - volume * c[k] * c[l]);
    trace = S[0] + S[4] + S[8];
    for (k = 0; k < 9; k++)
        out_inertia[k] = (k % 4 == 0 ? trace : 0) - S[k];
    for (k = 0; k < 3; k++)
        out_center[k] = c[k] + (double)positions[3 * triangles[0] + k];
    *out_mass = density * volume;
    return volume;
}

CTI_FN void cti_rigid_matrix(const ct_real *q, ct_real *R)
{
    ct_real w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

CTI_FN void cti_rigid_frame(const cti_rigid *b, ct_real *R)
{
    if (b->affine_known && memcmp(b->q, b->affine_q, sizeof b->q) == 0)
        memcpy(R, b->affine, sizeof b->affine);
    else
        cti_rigid_matrix(b->q, R);
}

CTI_FN void cti_rigid_turn(const ct_real *q, cti_v3 turn, ct_real *out)
{
    ct_real angle = cti_v3_norm(turn), half = angle / 2, c, s, n;
    cti_v3 a;
    /* (cos, sin axis) of the half angle; near zero the axis times sin is turn / 2 (1 - angle^2 / 24) */
    if (angle < CTI_R(1e-3)) {
        c = 1 - half * half / 2;
        s = (1 - half * half / 6) / 2;
    } else {
        c = cti_cos(half);
        s = cti_sin(half) / angle;
    }
    a = cti_v3_mul(turn, s);
    out[0] = c * q[0] - (a.x * q[1] + a.y * q[2] + a.z * q[3]);
    out[1] = c * q[1] + a.x * q[0] + a.y * q[3] - a.z * q[2];
    out[2] = c * q[2] + a.y * q[0] + a.z * q[1] - a.x * q[3];
    out[3] = c * q[3] + a.z * q[0] + a.x * q[2] - a.y * q[1];
    n = 1 / cti_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    out[0] *= n, out[1] *= n, out[2] *= n, out[3] *= n;
}

CTI_FN cti_v3 cti_rigid_arm(cti_v3 turn, cti_v3 arm, ct_real late)
{
    /* sin / angle and (1 - cos) / angle^2, of half the angle and of all of it */
    ct_real angle = cti_v3_norm(turn), sin_half = CTI_R(0.5), sin_all = 1, cos_half = CTI_R(0.125), cos_all = CTI_R(0.5);
    cti_v3 first = cti_v3_cross(turn, arm), second = cti_v3_cross(turn, first);
    if (angle >= CTI_R(1e-3)) {
        ct_real s = cti_sin(angle / 2), c = cti_cos(angle / 2);
        sin_half = s / angle, sin_all = 2 * c * sin_half, cos_half = (1 - c) / (angle * angle), cos_all = 2 * sin_half * sin_half;
    }
    return cti_v3_mad(cti_v3_mad(arm, first, sin_half + late * (sin_all - sin_half)), second, cos_half + late * (cos_all - cos_half));
}

CTI_FN void cti_rigid_inertia(const cti_rigid *b, const ct_real *q, ct_real *out)
{
    ct_real R[9], Rt[9];
    cti_m3 m;
    int i, j;
    cti_rigid_matrix(q, R);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            Rt[3 * i + j] = R[3 * j + i];
    m = cti_m3_mul(R, b->inertia);
    m = cti_m3_mul(m.m, Rt);
    /* exactly symmetric, as factorizations and eigenvectors need */
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            out[3 * i + j] = (m.m[3 * i + j] + m.m[3 * j + i]) / 2;
}

CTI_FN cti_v3 cti_rigid_rate(const cti_rigid *b, const ct_real *q)
{
    ct_real I[9], inverse[9];
    cti_rigid_inertia(b, q, I);
    return cti_m3_inverse(I, inverse) ? cti_m3_mul_v(inverse, cti_v3_at(b->spin, 0)) : cti_v3_zero();
}

/* A rotation too fast for the midpoint rule is replaced by one about the angular momentum. This conserves angular momentum and energy. The
   inertia becomes isotropic with the value about this axis, so that L = I w also holds after contacts have changed w */
static void cti_rigid_rotate_freely(cti_rigid *b, cti_v3 w)
{
    cti_v3 L = cti_v3_at(b->spin, 0);
    ct_real twice = cti_v3_dot(w, L), square = cti_v3_norm2(L);
    int k;
    if (!(square > 0) || !(twice > 0) || !cti_finite(square / twice))
        return;
    for (k = 0; k < 9; k++)
        b->I_mid[k] = k % 4 == 0 ? square / twice : 0;
    cti_v3_put(b->w_mid, 0, cti_v3_mul(L, twice / square));
}

/* derivative of I(w) w, where I is the inertia at the orientation after half a step: I + dt/2 (I [w]x - [I w]x) */
static int cti_rigid_newton(const ct_real *I, cti_v3 w, ct_real dt, cti_v3 f, cti_v3 *out)
{
    ct_real J[9], inverse[9], h = dt / 2;
    cti_v3 Iw = cti_m3_mul_v(I, w), column;
    int j;
    for (j = 0; j < 3; j++) {
        cti_v3 e = cti_v3_make(j == 0, j == 1, j == 2);
        column = cti_v3_sub(cti_v3_cross(e, Iw), cti_m3_mul_v(I, cti_v3_cross(e, w)));
        column = cti_v3_mad(cti_m3_mul_v(I, e), column, h);
        J[j] = column.x, J[3 + j] = column.y, J[6 + j] = column.z;
    }
    if (!cti_m3_inverse(J, inverse))
        return 0;
    *out = cti_m3_mul_v(inverse, f);
    return 1;
}

/* the midpoint rule over the step. 0: the rotation is too fast */
static int cti_rigid_midpoint(cti_rigid *b, ct_real dt)
{
    cti_v3 start = cti_rigid_rate(b, b->q), w = start, L = cti_v3_at(b->spin, 0);
    ct_real q[4], inverse[9], change = CTI_REAL_MAX, last;
    int k;
    for (k = 0; k < CTI_RIGID_ITERATIONS; k++) {
        cti_v3 d;
        cti_rigid_turn(b->q, cti_v3_mul(w, dt / 2), q);
        cti_rigid_inertia(b, q, b->I_mid);
        if (!cti_rigid_newton(b->I_mid, w, dt, cti_v3_sub(L, cti_m3_mul_v(b->I_mid, w)), &d))
            break;
        last = change;
        change = cti_v3_norm(d);
        w = cti_v3_add(w, d);
        /* rounding stops the descent */
        if (change == 0 || (k > 2 && !(change < last)))
            break;
    }
    /* makes I_mid and w_mid consistent to the last bit; a remaining error between w and the rotation that I_mid belongs to stays */
    cti_rigid_turn(b->q, cti_v3_mul(w, dt / 2), q);
    cti_rigid_inertia(b, q, b->I_mid);
    cti_v3_put(b->w_mid, 0, w);
    if (cti_m3_inverse(b->I_mid, inverse))
        cti_v3_put(b->w_mid, 0, cti_m3_mul_v(inverse, L));
    return cti_v3_norm(cti_v3_sub(cti_v3_at(b->w_mid, 0), w)) <= CTI_RIGID_CLOSE * cti_v3_norm(w) && dt * cti_v3_norm(w) <= CTI_RIGID_TURN;
}

/* computes q_free of a long rotation in n pieces; 0: a piece failed */
static int cti_rigid_pieces(cti_rigid *b, ct_real dt, int n)
{
    cti_rigid piece = *b;
    int i;
    for (i = 0; i < n; i++) {
        if (!cti_rigid_midpoint(&piece, dt / (ct_real)n))
            return 0;
        cti_rigid_turn(piece.q, cti_v3_mul(cti_v3_at(piece.w_mid, 0), dt / (ct_real)n), b->q_free);
        memcpy(piece.q, b->q_free, sizeof piece.q);
    }
    return 1;
}

CTI_FN void cti_rigid_free(cti_rigid *b, ct_real dt)
{
    cti_v3 start = cti_rigid_rate(b, b->q);
    ct_real turn = dt * cti_v3_norm(start);
    b->has_q_free = 0;
    if (!cti_rigid_midpoint(b, dt))
        cti_rigid_rotate_freely(b, start);
    if (turn > 2 * CTI_RIGID_PIECE && turn < CTI_RIGID_PIECE * CTI_RIGID_PIECES)
        b->has_q_free = cti_rigid_pieces(b, dt, 1 + (int)(turn / CTI_RIGID_PIECE));
}

CTI_FN void cti_rigid_go(cti_rigid *b, cti_v3 w, ct_real dt)
{
    cti_v3 change = cti_v3_sub(w, cti_v3_at(b->w_mid, 0));
    if (b->has_q_free && cti_v3_norm(change) <= CTI_RIGID_CLOSE * cti_v3_norm(w))
        memcpy(b->q_new, b->q_free, sizeof b->q_new);
    else
        cti_rigid_turn(b->q, cti_v3_mul(w, dt), b->q_new);
}

CTI_FN ct_real cti_rigid_gyration(const cti_rigid *b) { return cti_sqrt((b->inertia[0] + b->inertia[4] + b->inertia[8]) / (2 * b->mass)); }

CTI_FN const cti_rigid *cti_rigid_turning(const cti_rigid *rigids, const int32_t *rigid_of, int block)
{
    const cti_rigid *b = rigid_of[block] >= 0 ? &rigids[rigid_of[block]] : NULL;
    return b && block == b->block + 1 ? b : NULL;
}

CTI_FN ct_real cti_rigid_lever(const cti_rigid *rigids, const int32_t *rigid_of, int block)
{
    const cti_rigid *b = cti_rigid_turning(rigids, rigid_of, block);
    return b ? cti_rigid_gyration(b) : 1;
}

CTI_FN double cti_rigid_energy(const cti_rigid *b) { return 0.5 * (double)cti_v3_dot(cti_rigid_rate(b, b->q), cti_v3_at(b->spin, 0)); }
