/* mechanism.c -- one step of rigid bodies that joints without compliance hold together.
   Method: u is the mean of the velocities at both ends, m (v1 - v0) = dt m g + 2 sum f. A rotation R1 = cay(t) R0 ends with L1 = R1 J (2 T /
   dt - W0), T = R0' t, W0 the angular velocity in the body's frame: its kinetic energy then changes by t / dt . (L1 - L0) exactly [Simo &
   Wong 1991]. (R1 - R0) c = t x (R0 + R1) c / 2, so that an impulse through the mean arm works along the exact path of its point. A hinge's
   moment is across the mean axis. So joints that hold at both ends do no work and have no moment, whatever dt is, and motions faster than
   the step resolves stay bounded [Gonzalez 1999, discrete derivatives].
   Newton's method: D is the inertia at the half rotation and the stiffness of the joints' forces, whose arms turn with the body; D is one 3x3
   block for each body, so that S = J D^-1 J' + C couples rows that share a body only. A chain's or a tree's S has no fill. Contacts' forces
   have that stiffness, too (`loads`). The symmetric part of the derivative is used. Heavy loads on light links converge in about ten
   iterations, and without the forces' stiffness not at all.
   C is a compliance of 1e-9 or so: rows that repeat each other share their load. Steps far from the solution are damped by a larger one, in
   proportion to the joints' errors (Levenberg 1944, Marquardt 1963).
   The velocities at the end keep a part that the joints do not allow. It would change its sign in each step, and is projected out. */
#include "mechanism.h"
#include "joint.h"
#include "../1_math/eig3.h"
#include "../1_math/elem.h"
#include <float.h>

#define CTI_MECHANISM_ITERATIONS 40 /* most of Newton's method: 12 in the mean at a load of 1e4 links, 3 in a slow swing */
#define CTI_MECHANISM_CLOSE 1e-11   /* relative change of velocities at which it ends: energies then hold to 1e-7 */
#define CTI_MECHANISM_MOST 4.0        /* largest share of a Newton step that is taken, and one over the least */
/* [1] compliance of a row in a Newton step, over its response and its relative error. Of 360 pairs 9 take four substeps and more without it.
   With it none misses a bar, with a hundredth of it 3 do */
#define CTI_MECHANISM_DAMPING 0.01
#define CTI_MECHANISM_LOOSE 1e12    /* compliance of a row without a part, over its own response */
#define CTI_MECHANISM_FAR 1e-6      /* relative change with which the last iteration is still a solution */
#define CTI_MECHANISM_ROUNDED 4     /* roundings of a position, of which the change of a solution may be */

/* out = cay(t) */
static void cti_mechanism_cayley(const double *t, double *out)
{
    double h[3], square, whole;
    int i, j;
    for (i = 0; i < 3; i++)
        h[i] = t[i] / 2;
    square = cti_d3_dot(h, h), whole = 1 + square;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            out[3 * i + j] = (2 * h[i] * h[j] + (i == j ? 1 - square : 0)) / whole;
    for (i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        out[3 * q + p] += 2 * h[i] / whole, out[3 * p + q] -= 2 * h[i] / whole;
    }
}

/* R J R' */
CTI_FN void cti_mechanism_inertia(const double *R, const double *J, double *out)
{
    cti_d3_product(R, J, 0, out);
    cti_d3_product(out, R, 1, out);
}

CTI_FN void cti_mechanism_turn(const double *angle, double *out)
{
    double size = sqrt(cti_d3_dot(angle, angle)), s, c;
    int k;
    cti_sincos64(size / 2, &s, &c);
    for (k = 0; k < 3; k++)
        out[k] = size > 1e-8 ? angle[k] * (2 * s / (c * size)) : angle[k];
}

CTI_FN void cti_mechanism_angle(const double *turn, double *out)
{
    double size = sqrt(cti_d3_dot(turn, turn));
    int k;
    for (k = 0; k < 3; k++)
        out[k] = size > 1e-8 ? turn[k] * (2 * cti_atan2_64(size / 2, 1) / size) : turn[k];
}

/* ---- analysis ---- */

/* lists the rows of each body */
static int cti_mechanism_index(cti_mem *mem, cti_mechanism *m)
{
    int nb = CTI_LEN(m->bodies), nr = CTI_LEN(m->rows), i, side, n = 0;
    if (!CTI_ZEROS(mem, m->first, nb + 2) || !CTI_RESIZE(mem, m->uses, 2 * nr + 1))
        return 0;
    for (i = 0; i < nr; i++)
        for (side = 0; side < 2; side++)
            if (m->rows[i].body[side] >= 0)
                m->first[m->rows[i].body[side] + 2]++;
    for (i = 0; i < nb; i++)
        m->first[i + 2] += m->first[i + 1];
    for (i = 0; i < nr; i++)
        for (side = 0; side < 2; side++)
            if (m->rows[i].body[side] >= 0) {
                cti_mechanism_use *use = &m->uses[m->first[m->rows[i].body[side] + 1]++];
                use->row = i, use->side = side;
                n++;
            }
    return n > 0;
}

CTI_FN int cti_mechanism_make(cti_mem *mem, cti_mechanism *m)
{
    int nb = CTI_LEN(m->bodies), nr = CTI_LEN(m->rows), b, i, j, ok;
    int32_t *pairs = NULL, *all = NULL;
    ok = cti_mechanism_index(mem, m) && CTI_RESIZE(mem, all, nr);
    for (b = 0; ok && b < nb; b++)
        for (i = m->first[b]; ok && i < m->first[b + 1]; i++)
            for (j = i; ok && j < m->first[b + 1]; j++)
                ok = CTI_PUSH(mem, pairs, m->uses[i].row) && CTI_PUSH(mem, pairs, m->uses[j].row);
    for (i = 0; ok && i < nr; i++)
        all[i] = i;
    ok = ok && cti_bsr_shape(mem, &m->shape, nr, pairs, CTI_LEN(pairs) / 2) && cti_symbolic_analyze(mem, &m->symbolic, &m->shape, all, nr) &&
         cti_gather_make(mem, &m->gather, &m->symbolic, &m->shape, all) && CTI_RESIZE(mem, m->val, 9 * m->shape.row[nr]) &&
         CTI_RESIZE(mem, m->x, 3 * nr) && cti_factor64_reserve(mem, &m->factor, &m->symbolic) &&
         CTI_RESIZE(mem, m->work, cti_factor64_work(&m->factor));
    CTI_FREE(mem, pairs);
    CTI_FREE(mem, all);
    return ok;
}

/* ---- geometry of a row ---- */

/* arm and point [3] of a side at the start or the end */
static void cti_mechanism_point(const cti_mechanism *m, const cti_mechanism_row *q, int side, int end, double *arm, double *point)
{
    const cti_mechanism_body *b = q->body[side] >= 0 ? &m->bodies[q->body[side]] : NULL;
    memset(arm, 0, 3 * sizeof *arm);
    if (!b) {
        memcpy(point, q->point[side][end], 3 * sizeof *point);
        return;
    }
    cti_d3_mul(end ? b->R1 : b->R, q->point[side][0], arm);
    memcpy(point, end ? b->x1 : b->x, 3 * sizeof *point);
    cti_d3_add(point, arm, 1);
}

/* axes (rows of out) of a side at the start or the end */
static void cti_mechanism_axes(const cti_mechanism *m, const cti_mechanism_row *q, int side, int end, double *out)
{
    const cti_mechanism_body *b = q->body[side] >= 0 ? &m->bodies[q->body[side]] : NULL;
    int i;
    if (!b)
        memcpy(out, q->triad[side][end], 9 * sizeof *out);
    for (i = 0; b && i < 3; i++)
        cti_d3_mul(end ? b->R1 : b->R, q->triad[side][0] + 3 * i, out + 3 * i);
}

/* removes the part along a hinge's axis */
CTI_FN void cti_mechanism_across(const cti_mechanism_row *q, double *x) { cti_d3_add(x, q->axis, -cti_d3_dot(q->axis, x)); }

/* the error that may remain turns with a body of the row: rows that repeat each other, whose errors differ by rounding, then agree at the end, too */
static void cti_mechanism_carry(const cti_mechanism *m, const cti_mechanism_row *q, int end, double *out)
{
    const cti_mechanism_body *b = &m->bodies[q->body[0] >= 0 ? q->body[0] : q->body[1]];
    memcpy(out, q->left, sizeof q->left);
    if (!end || !q->keeps)
        return;
    cti_d3_mul_t(b->R, out, out);
    cti_d3_mul(b->R1, out, out);
}

/* arms, axis, impulse and error of a row. mean 1: of the motion; 0: at one end */
CTI_FN void cti_mechanism_row_at(const cti_mechanism *m, cti_mechanism_row *q, int mean, int end)
{
    double p[2][3], arm[3], axes[2][9], other[2][9], left[3], size;
    int side, k;
    memset(q->axis, 0, sizeof q->axis);
    for (side = 0; side < 2; side++) {
        cti_mechanism_point(m, q, side, end, q->arm[side], p[side]);
        cti_mechanism_axes(m, q, side, end, axes[side]);
        cti_mechanism_axes(m, q, side, 0, other[side]);
        if (mean) {
            double start[3];
            cti_mechanism_point(m, q, side, 0, arm, start);
            for (k = 0; k < 3; k++)
                q->arm[side][k] = (q->arm[side][k] + arm[k]) / 2;
        }
        cti_d3_add(q->axis, axes[side], 1);
        cti_d3_add(q->axis, other[side], mean ? 1 : 0);
    }
    size = sqrt(cti_d3_dot(q->axis, q->axis));
    for (k = 0; k < 3; k++)
        q->axis[k] = q->part && q->is_hinge && size > 0 ? q->axis[k] / size : 0;
    if (q->part)
        cti_joint_apart(axes[0], axes[1], q->is_hinge, q->error);
    cti_mechanism_carry(m, q, end, left);
    for (k = 0; k < 3; k++)
        q->error[k] = (q->part ? q->lever * q->error[k] : p[0][k] - p[1][k]) - left[k];
    cti_mechanism_across(q, q->error);
    cti_mechanism_across(q, q->f);
}

/* moment and force of a row's f on a side */
CTI_FN void cti_mechanism_load(const cti_mechanism_row *q, int side, const double *f, double *force, double *moment)
{
    double sign = side ? -1 : 1, M[3];
    if (q->part) {
        cti_d3_add(moment, f, sign * q->lever);
        return;
    }
    cti_d3_cross(q->arm[side], f, M);
    cti_d3_add(force, f, sign);
    cti_d3_add(moment, M, sign);
}

/* out += the row's velocity of a side that moves with v and w */
CTI_FN void cti_mechanism_speed(const cti_mechanism_row *q, int side, const double *v, const double *w, double *out)
{
    double sign = side ? -1 : 1, turn[3];
    if (q->part) {
        memcpy(turn, w, sizeof turn);
        cti_mechanism_across(q, turn);
        cti_d3_add(out, turn, sign * q->lever);
        return;
    }
    cti_d3_cross(w, q->arm[side], turn);
    cti_d3_add(out, v, sign);
    cti_d3_add(out, turn, sign);
}

/* out [9]: moment of a side of the row for a unit impulse, column by column */
static void cti_mechanism_map(const cti_mechanism_row *q, int side, double *out)
{
    int i, k;
    for (i = 0; i < 3; i++) {
        double f[3] = {0, 0, 0}, force[3], moment[3] = {0, 0, 0};
        f[i] = 1;
        cti_mechanism_across(q, f);
        cti_mechanism_load(q, side, f, force, moment);
        for (k = 0; k < 3; k++)
            out[3 * k + i] = moment[k];
    }
}

/* ---- the linear system ---- */

/* adds a body's part of J D^-1 J' */
static void cti_mechanism_couple(cti_mechanism *m, int b)
{
    const cti_mechanism_body *body = &m->bodies[b];
    int i, j, k;
    for (i = m->first[b]; i < m->first[b + 1]; i++) {
        const cti_mechanism_row *p = &m->rows[m->uses[i].row];
        double G[9], GD[9];
        int e;
        cti_mechanism_map(p, m->uses[i].side, G);
        for (k = 0; k < 3; k++) /* (D^-1 G)' row by row */
            for (e = 0; e < 3; e++)
                GD[3 * k + e] = G[k] * body->inverse[e] + G[3 + k] * body->inverse[3 + e] + G[6 + k] * body->inverse[6 + e];
        for (j = m->first[b]; j < m->first[b + 1]; j++) {
            const cti_mechanism_row *q = &m->rows[m->uses[j].row];
            double *W = m->val + 9 * (size_t)cti_bsr_slot(&m->shape, m->uses[i].row, m->uses[j].row), H[9], P[9];
            double line = p->part || q->part ? 0 : (m->uses[i].side == m->uses[j].side ? 1 : -1) / (body->mass * (1 + body->slow));
            cti_mechanism_map(q, m->uses[j].side, H);
            cti_d3_product(GD, H, 0, P);
            for (e = 0; e < 9; e++)
                W[e] += P[e] + (e % 4 == 0 ? line : 0);
        }
    }
}

/* factors S. taut 1: springs that the step resolves have no part in it */
CTI_FN void cti_mechanism_factor(cti_mem *mem, cti_mechanism *m, int taut, double damping)
{
    int i, k, nr = CTI_LEN(m->rows), b;
    memset(m->val, 0, sizeof *m->val * 9 * (size_t)m->shape.row[nr]);
    for (b = 0; b < CTI_LEN(m->bodies); b++)
        cti_mechanism_couple(m, b);
    for (i = 0; i < nr; i++) {
        cti_mechanism_row *q = &m->rows[i];
        double *W = m->val + 9 * (size_t)m->shape.diag[i], mean = (W[0] + W[4] + W[8]) / 3;
        for (k = 0; k < 9; k++) /* an axis without equation answers to nothing */
            W[k] += (k % 4 == 0 ? (taut && q->is_loose ? CTI_MECHANISM_LOOSE * mean : q->compliance) + damping * mean : 0) +
                    mean * q->axis[k / 3] * q->axis[k % 3];
    }
    cti_factor64_compute_double(mem, &m->factor, &m->symbolic, &m->gather, m->val);
}

/* ---- Newton's method ---- */

CTI_FN void cti_mechanism_turned(const double *arm, const double *f, double share, double *K)
{
    double along = cti_d3_dot(arm, f);
    int k;
    for (k = 0; k < 9; k++)
        K[k] += share * ((k % 4 == 0 ? along : 0) - (arm[k / 3] * f[k % 3] + arm[k % 3] * f[k / 3]) / 2);
}

/* stiffness of the forces on a body, whose arms are those of half of the turn */
static void cti_mechanism_stiffness(const cti_mechanism *m, int b, double dt, double *K)
{
    int i;
    memcpy(K, m->bodies[b].loads, 9 * sizeof *K);
    for (i = m->first[b]; i < m->first[b + 1]; i++) {
        const cti_mechanism_row *q = &m->rows[m->uses[i].row];
        if (!q->part)
            cti_mechanism_turned(q->arm[m->uses[i].side], q->f, (m->uses[i].side ? -1 : 1) * dt / 2, K);
    }
}

CTI_FN void cti_mechanism_place(cti_mechanism *m, double dt)
{
    double C[9];
    int i;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_mechanism_cayley(m->bodies[i].turn, C);
        cti_d3_product(C, m->bodies[i].R, 0, m->bodies[i].R1);
        memcpy(m->bodies[i].x1, m->bodies[i].x, sizeof m->bodies[i].x1);
        cti_d3_add(m->bodies[i].x1, m->bodies[i].u, dt);
    }
    for (i = 0; i < CTI_LEN(m->rows); i++)
        cti_mechanism_row_at(m, &m->rows[i], 1, 1);
}

/* L1 = R1 J (2 T / dt - W0) = R1 J 2 T / dt - cay(t) L0 */
static void cti_mechanism_spin(cti_mechanism_body *b, double dt)
{
    double T[3], M[3];
    cti_d3_mul_t(b->R, b->turn, T);
    cti_d3_mul(b->inertia, T, T);
    cti_d3_mul_t(b->R, b->spin, M);
    cti_d3_add(M, T, -2 / dt);
    cti_d3_mul(b->R1, M, b->spin1);
    b->spin1[0] = -b->spin1[0], b->spin1[1] = -b->spin1[1], b->spin1[2] = -b->spin1[2];
}

/* A force that is not along its arm has a negative stiffness, too. Eigenvalues of D below half of the inertia about their axis become that */
static void cti_mechanism_stiffen(double *D, const double *I)
{
    ct_real a[6], w[3], v[9];
    int i, k;
    for (i = 0; i < 3; i++)
        a[i] = (ct_real)D[4 * i], a[3 + i] = (ct_real)D[i == 0 ? 5 : 3 - i];
    cti_eig3(a, w, v);
    for (k = 0; k < 3; k++) {
        double axis[3], y[3], lack;
        for (i = 0; i < 3; i++)
            axis[i] = (double)v[3 * i + k];
        cti_d3_mul(I, axis, y);
        lack = cti_d3_dot(axis, y) / 2;
        cti_d3_mul(D, axis, y);
        lack -= cti_d3_dot(axis, y);
        for (i = 0; i < 9 && lack > 0; i++)
            D[i] += lack * axis[i / 3] * axis[i % 3];
    }
}

CTI_FN void cti_mechanism_equation(cti_mechanism *m, int body, double dt, double *out)
{
    cti_mechanism_body *b = &m->bodies[body];
    double half[3], angle[3], R[9], I[9], K[9], Iw[3];
    int k;
    cti_mechanism_angle(b->turn, angle);
    for (k = 0; k < 3; k++)
        angle[k] /= 2;
    cti_mechanism_turn(angle, half);
    cti_mechanism_cayley(half, R);
    cti_d3_product(R, b->R, 0, R);
    cti_mechanism_inertia(R, b->inertia, I);
    cti_mechanism_stiffness(m, body, dt, K);
    for (k = 0; k < 9; k++)
        K[k] += I[k] * (1 + b->slow);
    memcpy(b->D, K, sizeof K);
    if (!cti_d3_inverse(K, b->inverse)) {
        cti_mechanism_stiffen(b->D, I);
        cti_d3_inverse(b->D, b->inverse);
    }
    cti_mechanism_spin(b, dt);
    cti_d3_mul(I, b->turn, Iw);
    for (k = 0; k < 3; k++)
        out[k] = (b->spin1[k] - b->spin[k]) / 2 + b->slow * Iw[k] / dt;
}

/* what the equations of a body lack */
static void cti_mechanism_lack(cti_mechanism *m, int body, double dt)
{
    cti_mechanism_body *b = &m->bodies[body];
    double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
    int i, k;
    cti_mechanism_equation(m, body, dt, b->lack + 3);
    for (i = m->first[body]; i < m->first[body + 1]; i++)
        cti_mechanism_load(&m->rows[m->uses[i].row], m->uses[i].side, m->rows[m->uses[i].row].f, force, moment);
    for (k = 0; k < 3; k++) {
        b->lack[k] = b->mass * ((1 + b->slow) * b->u[k] - b->v[k] - b->kick[k]) - force[k];
        b->lack[3 + k] -= moment[k];
    }
}

/* out = the change of a body's velocities, D^-1 (J' x - lack) with x of the last solve; x NULL: without it */
CTI_FN void cti_mechanism_change(const cti_mechanism *m, int body, const double *x, double *v, double *w)
{
    const cti_mechanism_body *b = &m->bodies[body];
    double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
    int i;
    for (i = m->first[body]; x && i < m->first[body + 1]; i++)
        cti_mechanism_load(&m->rows[m->uses[i].row], m->uses[i].side, x + 3 * (size_t)m->uses[i].row, force, moment);
    cti_d3_add(force, b->lack, -1), cti_d3_add(moment, b->lack + 3, -1);
    memset(v, 0, 3 * sizeof *v);
    cti_d3_add(v, force, 1 / (b->mass * (1 + b->slow)));
    cti_d3_mul(b->inverse, moment, w);
}

/* x <- x + J D^-1 lack, the right side of S */
CTI_FN void cti_mechanism_impulses(cti_mechanism *m)
{
    int i, b;
    for (b = 0; b < CTI_LEN(m->bodies); b++) {
        double v[3], w[3], u[3] = {0, 0, 0};
        cti_mechanism_change(m, b, NULL, v, w);
        for (i = m->first[b]; i < m->first[b + 1]; i++, u[0] = u[1] = u[2] = 0) {
            cti_mechanism_speed(&m->rows[m->uses[i].row], m->uses[i].side, v, w, u);
            cti_d3_add(m->x + 3 * (size_t)m->uses[i].row, u, -1);
        }
    }
}

static double cti_mechanism_size(const cti_mechanism_body *b, const double *v, const double *w)
{
    return sqrt(cti_d3_dot(v, v)) + sqrt(cti_d3_dot(w, w) * (b->inertia[0] + b->inertia[4] + b->inertia[8]) / (2 * b->mass));
}

/* The share of a Newton step that is taken. Its error shrinks, or swings to the other side, by about the same factor each time; the share removes
   that (Aitken's method for vectors, in the metric of the masses). No body turns by more than one radian. *most: the largest change of a velocity */
static double cti_mechanism_share(cti_mechanism *m, double dt, int first, double share, double *most)
{
    double along = 0, square = 0, turn = 0, size, v[6], d[6], Id[3];
    int i, k;
    *most = 0;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_mechanism_body *b = &m->bodies[i];
        cti_mechanism_change(m, i, m->x, v, v + 3);
        size = cti_mechanism_size(b, v, v + 3);
        *most = size > *most || size != size ? size : *most; /* what is no number stays */
        turn = cti_fmax(turn, dt * sqrt(cti_d3_dot(v + 3, v + 3)));
        for (k = 0; k < 6; k++)
            d[k] = v[k] - b->step[k];
        cti_d3_mul(b->D, d + 3, Id);
        square += b->mass * cti_d3_dot(d, d) + cti_d3_dot(d + 3, Id);
        along -= b->mass * cti_d3_dot(b->step, d) + cti_d3_dot(b->step + 3, Id);
        memcpy(b->step, v, sizeof b->step);
    }
    share = first || !(square > 0) ? 1 : cti_fmin(CTI_MECHANISM_MOST, cti_fmax(1 / CTI_MECHANISM_MOST, share * along / square));
    return share * turn > 1 ? 1 / turn : share;
}

/* applies a share of a Newton step */
static void cti_mechanism_go(cti_mechanism *m, double dt, double share)
{
    int i;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_d3_add(m->bodies[i].u, m->bodies[i].step, share);
        cti_d3_add(m->bodies[i].turn, m->bodies[i].step + 3, share * dt);
    }
    for (i = 0; i < CTI_LEN(m->rows); i++)
        cti_d3_add(m->rows[i].f, m->x + 3 * (size_t)i, share);
}

/* the velocity that changes are relative to */
static double cti_mechanism_reach(const cti_mechanism *m, double dt)
{
    double most = 0, w[3];
    int i, k;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        const cti_mechanism_body *b = &m->bodies[i];
        for (k = 0; k < 3; k++)
            w[k] = b->turn[k] / dt;
        most = cti_fmax(most, cti_mechanism_size(b, b->u, w) + sqrt(cti_d3_dot(b->kick, b->kick)));
    }
    return most;
}

/* velocity that the rounding of positions makes */
static double cti_mechanism_rounding(const cti_mechanism *m, double dt)
{
    double most = 0;
    int i, side;
    for (i = 0; i < CTI_LEN(m->rows); i++)
        for (side = 0; side < 2; side++) {
            const cti_mechanism_row *q = &m->rows[i];
            const double *x = q->body[side] >= 0 ? m->bodies[q->body[side]].x : q->point[side][0];
            most = cti_fmax(most, sqrt(cti_d3_dot(x, x)) + sqrt(cti_d3_dot(q->arm[side], q->arm[side])));
        }
    return CTI_MECHANISM_ROUNDED * DBL_EPSILON * most / dt;
}

CTI_FN void cti_mechanism_finish(cti_mechanism *m, double dt)
{
    int i, k;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_mechanism_spin(&m->bodies[i], dt);
        for (k = 0; k < 3; k++)
            m->bodies[i].v1[k] = 2 * m->bodies[i].u[k] - m->bodies[i].v[k];
    }
}

/* The damping of a Newton step, by the largest distance of a row from its equation, over the size of its bodies. Rows that repeat each other have
   second-order errors after a large turn. Divided by C these are forces whose stiffness hides the bodies' inertia. A damping in proportion to the
   error keeps the convergence quadratic */
static double cti_mechanism_damping(const cti_mechanism *m, double dt)
{
    double most = 0, left[3];
    int i, side;
    for (i = 0; i < CTI_LEN(m->rows); i++) {
        const cti_mechanism_row *q = &m->rows[i];
        double size = 0;
        for (side = 0; side < 2; side++)
            if (q->body[side] >= 0) {
                const cti_mechanism_body *b = &m->bodies[q->body[side]];
                size = cti_fmax(size, (b->inertia[0] + b->inertia[4] + b->inertia[8]) / b->mass + cti_d3_dot(q->arm[side], q->arm[side]));
            }
        memcpy(left, q->error, sizeof left);
        cti_d3_add(left, q->f, dt * q->compliance);
        most = cti_fmax(most, cti_d3_dot(left, left) / size);
    }
    return CTI_MECHANISM_DAMPING * sqrt(most);
}

CTI_FN int cti_mechanism_solve(cti_mem *mem, cti_mechanism *m, double dt)
{
    double change = 0, last = DBL_MAX, reach = 0, share = 1, enough = 0;
    int i, k, turn;
    for (turn = 0; turn < CTI_MECHANISM_ITERATIONS; turn++) {
        cti_mechanism_place(m, dt);
        for (i = 0; i < CTI_LEN(m->bodies); i++)
            cti_mechanism_lack(m, i, dt);
        for (i = 0; i < CTI_LEN(m->rows); i++)
            for (k = 0; k < 3; k++)
                m->x[3 * i + k] = -m->rows[i].error[k] / dt - m->rows[i].compliance * m->rows[i].f[k];
        cti_mechanism_impulses(m);
        cti_mechanism_factor(mem, m, 0, cti_mechanism_damping(m, dt));
        cti_factor64_solve(&m->factor, m->x, m->work);
        share = cti_mechanism_share(m, dt, turn == 0, share, &change);
        cti_mechanism_go(m, dt, share);
        reach = cti_mechanism_reach(m, dt);
        enough = CTI_MECHANISM_FAR * reach + cti_mechanism_rounding(m, dt);
        if (!(change <= DBL_MAX) || change <= CTI_MECHANISM_CLOSE * reach || (change >= last && change <= enough))
            break;
        last = change;
    }
    for (i = 0; i < CTI_LEN(m->bodies); i++) { /* the linear velocities that the joints' forces give: momenta balance to rounding */
        cti_mechanism_lack(m, i, dt);
        cti_d3_add(m->bodies[i].u, m->bodies[i].lack, -1 / (m->bodies[i].mass * (1 + m->bodies[i].slow)));
    }
    cti_mechanism_place(m, dt);
    cti_mechanism_finish(m, dt);
    m->residual = change;
    return change <= enough;
}

CTI_FN void cti_mechanism_rest(cti_mechanism *m, int row, double rounding)
{
    cti_mechanism_row q = m->rows[row];
    int k;
    memset(q.left, 0, sizeof q.left);
    cti_mechanism_row_at(m, &q, 0, 0);
    m->rows[row].keeps = !q.is_soft && cti_d3_dot(q.error, q.error) <= rounding * rounding;
    for (k = 0; k < 3 && (q.is_loose || m->rows[row].keeps); k++)
        m->rows[row].left[k] = q.is_loose ? q.error[k] / 3 : q.error[k];
}

CTI_FN double cti_mechanism_work(const cti_mechanism *m, double dt)
{
    double sum = 0, d[3];
    int i, side;
    for (i = 0; i < CTI_LEN(m->rows); i++) {
        cti_mechanism_row q = m->rows[i];
        memcpy(d, q.f, sizeof d);
        cti_mechanism_row_at(m, &q, 0, 0);
        cti_d3_add(q.error, m->rows[i].error, -1);
        sum -= q.is_soft ? 2 * cti_d3_dot(d, q.error) : 0;
        for (side = 0; side < 2; side++) {
            if (q.body[side] >= 0)
                continue;
            memcpy(q.error, q.point[side][1], sizeof q.error);
            cti_d3_add(q.error, q.point[side][0], -1);
            if (q.part)
                cti_joint_apart(q.triad[side][1], q.triad[side][0], 0, q.error);
            sum += (side ? 2 : -2) * (q.part ? q.lever : 1) * cti_d3_dot(d, q.error);
        }
    }
    return sum / dt;
}
