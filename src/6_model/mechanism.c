/* mechanism.c -- one step of rigid bodies that joints without compliance hold together.
   Method: u is the mean of the velocities at both ends, m (v1 - v0) = dt m g + 2 sum f. A rotation R1 = cay(t) R0 ends with L1 = R1 J (2 T /
   dt - W0), T = R0' t, W0 the angular velocity in the body's frame: its kinetic energy then changes by t / dt . (L1 - L0) exactly [Simo &
   Wong 1991]. (R1 - R0) c = t x (R0 + R1) c / 2, so that an impulse through the mean arm works along the exact path of its point. A hinge's
   moment is across the mean axis. So joints that hold at both ends do no work and have no moment, whatever dt is, and motions faster than
   the step resolves stay bounded [Gonzalez 1999, discrete derivatives].
   Newton's method has the whole derivative, which is not symmetric: errors change with the arms at the end, and impulses act on the mean arms. D
   is one 3x3 block for each body: its inertia, its angular momentum, and the joints' forces, whose arms turn with it. So S = E D^-1 J' + C, E the
   derivative of the errors, couples rows that share a body only. A chain's or a tree's S has no fill. An iteration squares the error: 4 to 10
   do. Under heavy loads some steps have no solution, and are divided.
   C is a compliance of 1e-9 or so: rows that repeat each other share their load. Steps far from the solution are damped by a larger one, in
   proportion to the joints' errors (Levenberg 1944, Marquardt 1963). Where contacts load a mechanism, their solver has the symmetric part of D, with
   the stiffness of the contacts' forces, too (`loads`).
   The velocities at the end keep a part that the joints do not allow. It would change its sign in each step, and is projected out. */
#include "mechanism.h"
#include "joint.h"
#include "../1_math/eig3.h"
#include "../1_math/elem.h"
#include <float.h>

#define CTI_MECHANISM_ITERATIONS 24 /* most of Newton's method: 9 in the mean at a load of 1e4 links, 4 in a slow swing */
#define CTI_MECHANISM_CLOSE 1e-11   /* relative change of velocities at which it ends: energies then hold to 1e-7 */
/* [1] compliance of a row in a Newton step, over the mobility of its points without rotation and its relative error. With rotation it hides the
   inertia of loads on small links. Of 240 pairs and 220 chains none misses a bar; with a tenth one pair does, three times it takes more substeps */
#define CTI_MECHANISM_DAMPING 0.03
#define CTI_MECHANISM_LOOSE 1e12    /* compliance of a row without a part, over its own response */
#define CTI_MECHANISM_FAR 1e-6      /* relative residual of a solution; joints that contradict each other have 1e-2 */
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
    int32_t *pairs = NULL;
    cti_bsr shape;
    memset(&shape, 0, sizeof shape);
    ok = cti_mechanism_index(mem, m);
    for (b = 0; ok && b < nb; b++)
        for (i = m->first[b]; ok && i < m->first[b + 1]; i++)
            for (j = i; ok && j < m->first[b + 1]; j++)
                ok = CTI_PUSH(mem, pairs, m->uses[i].row) && CTI_PUSH(mem, pairs, m->uses[j].row);
    ok = ok && cti_bsr_shape(mem, &shape, nr, pairs, CTI_LEN(pairs) / 2) && cti_lu3_open(mem, &m->factor, nr, shape.row, shape.col) &&
         CTI_RESIZE(mem, m->x, 3 * nr) && CTI_RESIZE(mem, m->right, 3 * nr);
    CTI_FREE(mem, pairs);
    cti_bsr_free(mem, &shape);
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

/* what a unit impulse along a row would change in its velocity if its bodies were free [1/kg] */
static double cti_mechanism_response(const cti_mechanism *m, const cti_mechanism_row *q)
{
    double sum = 0;
    int side;
    for (side = 0; side < 2; side++)
        if (q->body[side] >= 0) {
            const cti_mechanism_body *b = &m->bodies[q->body[side]];
            double lever = q->part ? q->lever * q->lever : cti_d3_dot(q->arm[side], q->arm[side]);
            sum += lever * 3 / (b->inertia[0] + b->inertia[4] + b->inertia[8]) + (q->part ? 0 : 1 / b->mass);
        }
    return sum;
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
    size = q->axes = sqrt(cti_d3_dot(q->axis, q->axis));
    for (k = 0; k < 3; k++)
        q->axis[k] = q->part && q->is_hinge && size > 0 ? q->axis[k] / size : 0;
    q->response = cti_mechanism_response(m, q);
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

/* [arm] [9], with [arm] x = arm x x */
static void cti_mechanism_cross(const double *arm, double share, double *out)
{
    int i;
    for (i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        out[4 * i] = 0, out[3 * i + p] = -share * arm[q], out[3 * i + q] = share * arm[p];
    }
}

CTI_FN void cti_mechanism_slopes(cti_mechanism_row *q, int side, const double *arm, const double *bend)
{
    double sign = side ? -1 : 1;
    int k;
    if (!q->part) {
        cti_mechanism_cross(arm, -sign, q->turning[side]);
        cti_mechanism_cross(q->arm[side], sign, q->moment[side]);
    }
    for (k = 0; k < 9 && q->part; k++) {
        q->moment[side][k] = k % 4 == 0 ? sign * q->lever : 0;
        q->turning[side][k] = q->moment[side][k] + q->axis[k / 3] * (bend[k % 3] - sign * q->lever * q->axis[k % 3]);
    }
}

/* ---- the linear system ---- */

/* adds a body's part of E D^-1 J' */
static void cti_mechanism_couple(cti_mechanism *m, int b)
{
    const cti_mechanism_body *body = &m->bodies[b];
    int i, j, k;
    for (j = m->first[b]; j < m->first[b + 1]; j++) {
        const cti_mechanism_row *q = &m->rows[m->uses[j].row];
        double H[9], P[9];
        cti_d3_product(body->inverse, q->moment[m->uses[j].side], 0, H);
        for (i = m->first[b]; i < m->first[b + 1]; i++) {
            const cti_mechanism_row *p = &m->rows[m->uses[i].row];
            double *W = cti_lu3_block(&m->factor, m->uses[i].row, m->uses[j].row);
            double line = p->part || q->part ? 0 : (m->uses[i].side == m->uses[j].side ? 1 : -1) / (body->mass * (1 + body->slow));
            cti_d3_product(p->turning[m->uses[i].side], H, 0, P);
            for (k = 0; k < 9; k++)
                W[k] += P[k] + (k % 4 == 0 ? line : 0);
        }
    }
}

CTI_FN int cti_mechanism_factor(cti_mechanism *m, int taut, double damping)
{
    int i, k, b;
    cti_lu3_clear(&m->factor);
    for (b = 0; b < CTI_LEN(m->bodies); b++)
        cti_mechanism_couple(m, b);
    for (i = 0; i < CTI_LEN(m->rows); i++) {
        const cti_mechanism_row *q = &m->rows[i];
        double *W = cti_lu3_block(&m->factor, i, i), yield = taut && q->is_loose ? CTI_MECHANISM_LOOSE * q->response : q->compliance;
        for (k = 0; k < 2; k++)
            yield += q->body[k] >= 0 ? damping / m->bodies[q->body[k]].mass : 0;
        for (k = 0; k < 9; k++) /* nothing acts along an axis */
            W[k] += (k % 4 == 0 ? yield : 0) + q->response * q->axis[k / 3] * q->axis[k % 3];
    }
    return cti_lu3_factor(&m->factor);
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

/* I [9] = inertia at the half rotation */
static void cti_mechanism_half(const cti_mechanism_body *b, double *I)
{
    double half[3], R[9];
    int k;
    cti_mechanism_angle(b->turn, half);
    for (k = 0; k < 3; k++)
        half[k] /= 2;
    cti_mechanism_turn(half, half);
    cti_mechanism_cayley(half, R);
    cti_d3_product(R, b->R, 0, R);
    cti_mechanism_inertia(R, b->inertia, I);
}

/* out [3] = (L1 - L0) / 2 and half of damping, with spin1 */
static void cti_mechanism_moment(cti_mechanism_body *b, double dt, double *out)
{
    double I[9], Iw[3] = {0, 0, 0};
    int k;
    if (b->slow > 0) {
        cti_mechanism_half(b, I);
        cti_d3_mul(I, b->turn, Iw);
    }
    cti_mechanism_spin(b, dt);
    for (k = 0; k < 3; k++)
        out[k] = (b->spin1[k] - b->spin[k]) / 2 + b->slow * Iw[k] / dt;
}

CTI_FN void cti_mechanism_equation(cti_mechanism *m, int body, double dt, double *out)
{
    cti_mechanism_body *b = &m->bodies[body];
    double I[9];
    int k;
    cti_mechanism_half(b, I);
    cti_mechanism_stiffness(m, body, dt, b->D);
    for (k = 0; k < 9; k++)
        b->D[k] += I[k] * (1 + b->slow);
    if (!cti_d3_inverse(b->D, b->inverse)) {
        cti_mechanism_stiffen(b->D, I);
        cti_d3_inverse(b->D, b->inverse);
    }
    cti_mechanism_moment(b, dt, out);
}

/* The derivatives by w = turn / dt: inverse of that of a body's equation of rotation, and those of its rows' errors. With [t] x = t x x:
   dR1 c = T dt x R1 c, T = (1 + [t] / 2) / (1 + t . t / 4); 2 dL1 = dt T w x L1 + 2 R1 J R0' w. A hinge's impulse stays across the mean axis
   a: da . f = T w . (a1 x f) over the length of the sum of its four axes a1 */
static void cti_mechanism_derive(cti_mechanism *m, int body, double dt)
{
    cti_mechanism_body *b = &m->bodies[body];
    double T[9], X[9], K[9], arm[3], point[3], axes[9], bend[3] = {0, 0, 0}, whole = 1 + cti_d3_dot(b->turn, b->turn) / 4;
    int i, k;
    cti_mechanism_cross(b->turn, 1 / (2 * whole), T);
    T[0] = T[4] = T[8] = 1 / whole;
    cti_mechanism_cross(b->spin1, -dt / 2, X);
    for (i = m->first[body]; i < m->first[body + 1]; i++) {
        cti_mechanism_row *q = &m->rows[m->uses[i].row];
        int side = m->uses[i].side;
        cti_mechanism_point(m, q, side, 1, arm, point);
        if (q->part && q->is_hinge) {
            cti_mechanism_axes(m, q, side, 1, axes);
            cti_d3_cross(axes, q->f, bend);
            for (k = 0; k < 3; k++)
                bend[k] *= q->response * dt / q->axes;
        } else
            memset(bend, 0, sizeof bend);
        cti_mechanism_slopes(q, side, arm, bend);
        cti_d3_product(q->turning[side], T, 0, q->turning[side]);
        for (k = 0; k < 9 && !q->part; k++)
            X[k] += (side ? -1 : 1) * dt / 2 * ((k % 4 == 0 ? cti_d3_dot(arm, q->f) : 0) - arm[k / 3] * q->f[k % 3]);
    }
    cti_d3_product(X, T, 0, X);
    cti_d3_product(b->R1, b->inertia, 0, K);
    cti_d3_product(K, b->R, 1, K);
    cti_vec_add(9, 1, X, K);
    if (b->slow > 0) {
        cti_mechanism_half(b, X);
        cti_vec_add(9, b->slow, X, K);
    }
    cti_d3_invert(K, b->inverse);
}

/* what the equations of a body lack */
static void cti_mechanism_lack(cti_mechanism *m, int body, double dt)
{
    cti_mechanism_body *b = &m->bodies[body];
    double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
    int i, k;
    cti_mechanism_moment(b, dt, b->lack + 3);
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

CTI_FN void cti_mechanism_unknowns(cti_mechanism *m)
{
    int i, b;
    for (b = 0; b < CTI_LEN(m->bodies); b++) {
        double v[3], w[3], u[3];
        cti_mechanism_change(m, b, NULL, v, w);
        for (i = m->first[b]; i < m->first[b + 1]; i++) {
            const cti_mechanism_row *q = &m->rows[m->uses[i].row];
            cti_d3_mul(q->turning[m->uses[i].side], w, u);
            cti_d3_add(u, v, q->part ? 0 : (m->uses[i].side ? -1 : 1));
            cti_d3_add(m->right + 3 * (size_t)m->uses[i].row, u, -1);
        }
    }
    cti_lu3_solve(&m->factor, m->right, m->x);
}

static double cti_mechanism_size(const cti_mechanism_body *b, const double *v, const double *w)
{
    return sqrt(cti_d3_dot(v, v)) + sqrt(cti_d3_dot(w, w) * (b->inertia[0] + b->inertia[4] + b->inertia[8]) / (2 * b->mass));
}

/* takes a Newton step, but turns no body by more than one radian. Returns the largest change of a velocity, of the whole step */
static double cti_mechanism_go(cti_mechanism *m, double dt)
{
    double most = 0, turn = 0, size, share;
    int i;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_mechanism_body *b = &m->bodies[i];
        cti_mechanism_change(m, i, m->x, b->step, b->step + 3);
        size = cti_mechanism_size(b, b->step, b->step + 3);
        most = size > most || size != size ? size : most; /* what is no number stays */
        turn = cti_fmax(turn, dt * sqrt(cti_d3_dot(b->step + 3, b->step + 3)));
    }
    share = turn > 1 ? 1 / turn : 1;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_d3_add(m->bodies[i].u, m->bodies[i].step, share);
        cti_d3_add(m->bodies[i].turn, m->bodies[i].step + 3, share * dt);
    }
    for (i = 0; i < CTI_LEN(m->rows); i++)
        cti_d3_add(m->rows[i].f, m->x + 3 * (size_t)i, share);
    return most;
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

/* The largest distance of a row from its equation [m], and over the size of its bodies; a Newton step is damped in proportion to that. Rows that
   repeat each other have second-order errors after a large turn. Divided by C these are forces whose stiffness hides the bodies' inertia. A damping
   in proportion to the error keeps the convergence quadratic */
static double cti_mechanism_apart(const cti_mechanism *m, double dt, double *out_lack)
{
    double most = 0, lack = 0, left[3];
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
        lack = cti_fmax(lack, cti_d3_dot(left, left)), most = cti_fmax(most, cti_d3_dot(left, left) / size);
    }
    *out_lack = sqrt(lack);
    return sqrt(most);
}

CTI_FN int cti_mechanism_solve(cti_mechanism *m, double dt)
{
    double change = DBL_MAX, left = DBL_MAX, last = DBL_MAX, lack, reach, enough = 0;
    int i, k, turn;
    for (turn = 0; turn < CTI_MECHANISM_ITERATIONS; turn++) {
        cti_mechanism_place(m, dt);
        for (i = 0; i < CTI_LEN(m->bodies); i++)
            cti_mechanism_lack(m, i, dt), cti_mechanism_derive(m, i, dt);
        for (i = 0; i < CTI_LEN(m->rows); i++)
            for (k = 0; k < 3; k++)
                m->right[3 * i + k] = -m->rows[i].error[k] / dt - m->rows[i].compliance * m->rows[i].f[k];
        if (!cti_mechanism_factor(m, 0, CTI_MECHANISM_DAMPING * cti_mechanism_apart(m, dt, &lack))) {
            change = left = DBL_MAX;
            break;
        }
        cti_mechanism_unknowns(m);
        change = cti_mechanism_go(m, dt);
        reach = cti_mechanism_reach(m, dt);
        enough = CTI_MECHANISM_FAR * reach + cti_mechanism_rounding(m, dt);
        left = turn ? change * cti_fmin(1, change / last) : change; /* what the next iteration would change, at most */
        if (!(change <= DBL_MAX) || left <= CTI_MECHANISM_CLOSE * reach || (change >= last && change <= enough))
            break;
        last = change;
    }
    for (i = 0; i < CTI_LEN(m->bodies); i++) { /* the linear velocities that the joints' forces give: momenta balance to rounding */
        cti_mechanism_lack(m, i, dt);
        cti_d3_add(m->bodies[i].u, m->bodies[i].lack, -1 / (m->bodies[i].mass * (1 + m->bodies[i].slow)));
    }
    cti_mechanism_place(m, dt);
    cti_mechanism_finish(m, dt);
    cti_mechanism_apart(m, dt, &lack); /* joints that contradict each other do not close, while their forces change no velocity */
    m->residual = lack / dt > left ? lack / dt : left;
    return m->residual <= enough;
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
