/* explicit_nodal.c -- forces and energy of hong_neohookean with nodal pressures, eight tetrahedra at a time.
   Method: with F the deformation gradient, J its determinant, C = F'F, b_a the gradients of the shape functions at rest and g_a = cof F b_a,
     f_a = -V (mu h F b_a + S g_a),   S = (mu/2 h' tr C + p) 1 + sigma,   h = J^(-2/3),
   p the mean of the four nodes' pressures kappa (J_n - 1), J_n the ratio of volumes around a node. V g_a is the gradient of the volume by
   x_a. sigma is the viscous stress; M = sum v_a g_a' has J times the velocity gradient.
   F is formed in turned axes. With the edges d_a from node 0 as columns of D, the gradients as rows of B = L Q, L triangular and Q a rotation, and
   U the volume of an element at rest,
     F Q' = D L,   F b_a = (F Q' L')_a,   6 U g_1 = d_2 x d_3 and so on,   6 U J = d_1 . d_2 x d_3,
   so that elements have the six entries of L in place of nine gradients, and fewer operations. With the products b_a.b_c alone tr C of flat
   elements would be lost in rounding. V is less than U where an element is filled in part by an embedded body.
   A first pass over elements keeps d_a, the part of tr C, h and 1 / J; nodes sum the volumes; a second pass has the stresses; nodes sum the
   forces. Sums are in the order of elements, whatever the number of threads.
   based on: Hong et al. 2006, sec. 2; Bonet, Burton 1998, A simple average nodal pressure tetrahedral element. */
#include "explicit.h"
#include "../0_base/tasks.h"

/* cti_explicit_pass -- is a pass over elements or nodes; v NULL: energies, no velocities. The last pass sets force; with `inverse` masses it sets the
   acceleration with that of gravity, and dx to v. */
typedef struct cti_explicit_pass {
    cti_explicit_elements *q;
    const ct_real *x, *v, *inverse;
    ct_real *force, *dx;
    cti_v3 gravity;
} cti_explicit_pass;

/* returns J^(-1/3) of lanes that are not near 1 */
static cti_r8 cti_explicit_root(cti_r8 c)
{
    const cti_r8 third = cti_set8(CTI_R(1.0) / 3), four = cti_set8(4);
    cti_r8 r = cti_div8(cti_set8(3), cti_add8(c, cti_set8(2)));
    int i;
    for (i = 0; i < cti_explicit_tuned.rate.root; i++)
        r = cti_mul8(cti_mul8(r, third), cti_nmad8(four, c, cti_mul8(r, cti_mul8(r, r))));
    return r;
}

/* makes further iterations, for lanes that are not close to 1 */
static cti_r8 cti_explicit_refine_root(cti_r8 c, cti_r8 d, cti_r8 r)
{
    const cti_r8 third = cti_set8(CTI_R(1.0) / 3), four = cti_set8(4);
    r = cti_mul8(cti_mul8(r, third), cti_nmad8(four, c, cti_mul8(r, cti_mul8(r, r))));
    if (!cti_bits8(cti_lt8(cti_set8(cti_explicit_tuned.rate.root_2), cti_abs8(d))))
        return r;
    r = cti_mul8(cti_mul8(r, third), cti_nmad8(four, c, cti_mul8(r, cti_mul8(r, r))));
    return cti_bits8(cti_lt8(cti_set8(cti_explicit_tuned.rate.root_3), cti_abs8(d))) ? cti_explicit_root(c) : r;
}

/* returns h = J^(-2/3); sets its derivative and 1 / max(J, J0) */
CTI_INLINE cti_r8 cti_explicit_power(cti_r8 j, cti_r8 *slope, cti_r8 *inverse)
{
    const cti_r8 third = cti_set8(CTI_R(1.0) / 3), one = cti_set8(1), four = cti_set8(4);
    cti_r8 c = cti_max8(j, cti_set8(cti_explicit_tuned.rate.crushed)), d = cti_sub8(c, one), r, h, e, h1, h2;
    /* J^(-1/3) by its polynomial of order 4 at 1, and Newton's iteration */
    r = cti_mad8(cti_set8(CTI_R(-14.0) / 81), d, cti_set8(CTI_R(35.0) / 243));
    r = cti_mad8(cti_set8(CTI_R(2.0) / 9), d, r);
    r = cti_mad8(one, d, cti_nmad8(cti_mul8(d, r), third, one));
    r = cti_mul8(cti_mul8(r, third), cti_nmad8(four, c, cti_mul8(r, cti_mul8(r, r))));
    if (cti_bits8(cti_lt8(cti_set8(cti_explicit_tuned.rate.root_1), cti_abs8(d))))
        r = cti_explicit_refine_root(c, d, r);
    h = cti_mul8(r, r), e = cti_mul8(r, h), d = cti_sub8(j, c);
    h1 = cti_scale8(CTI_R(-2.0) / 3, cti_mul8(h, e)), h2 = cti_scale8(CTI_R(-5.0) / 3, cti_mul8(h1, e));
    h = cti_mad8(h, d, cti_mad8(h1, cti_set8(CTI_R(0.5)), cti_mul8(d, h2)));
    *slope = cti_mad8(h1, d, h2), *inverse = e;
    return h;
}

/* sets A = a_1 b_1' + a_2 b_2' + a_3 b_3', of three vectors each; unrolled, so that all stays in registers */
#define CTI_OUTER(i, j) A[3 * (i) + (j)] = cti_sum3_8(a[i], b[j], a[3 + (i)], b[3 + (j)], a[6 + (i)], b[6 + (j)])
CTI_INLINE void cti_explicit_outer(const cti_r8 *a, const cti_r8 *b, cti_r8 *A)
{
    CTI_OUTER(0, 0), CTI_OUTER(0, 1), CTI_OUTER(0, 2);
    CTI_OUTER(1, 0), CTI_OUTER(1, 1), CTI_OUTER(1, 2);
    CTI_OUTER(2, 0), CTI_OUTER(2, 1), CTI_OUTER(2, 2);
}

/* sets the edges d from node 0 of eight tetrahedra, of a field of records, and the sum of the records' fourth entries */
CTI_INLINE void cti_explicit_edges(const ct_real *field, const int32_t *node, cti_r8 *d, cti_r8 *sum)
{
    cti_r8 o[4], q[4];
    cti_gather44(field, node, 4, o);
    cti_gather44(field, node + 1, 4, q);
    cti_sub3_8(q, o, d);
    *sum = cti_add8(o[3], q[3]);
    cti_gather44(field, node + 2, 4, q);
    cti_sub3_8(q, o, d + 3);
    *sum = cti_add8(*sum, q[3]);
    cti_gather44(field, node + 3, 4, q);
    cti_sub3_8(q, o, d + 6);
    *sum = cti_add8(*sum, q[3]);
}

/* sets f = F Q' = D L with the edges D as columns; L by columns 11, 22, 33, 21, 31, 32 */
CTI_INLINE void cti_explicit_turned(const cti_r8 *d, const cti_r8 *L, cti_r8 *f)
{
    f[0] = cti_sum3_8(d[0], L[0], d[3], L[3], d[6], L[4]);
    f[1] = cti_sum3_8(d[1], L[0], d[4], L[3], d[7], L[4]);
    f[2] = cti_sum3_8(d[2], L[0], d[5], L[3], d[8], L[4]);
    f[3] = cti_mad8(cti_mul8(d[3], L[1]), d[6], L[5]);
    f[4] = cti_mad8(cti_mul8(d[4], L[1]), d[7], L[5]);
    f[5] = cti_mad8(cti_mul8(d[5], L[1]), d[8], L[5]);
    f[6] = cti_mul8(d[6], L[2]), f[7] = cti_mul8(d[7], L[2]), f[8] = cti_mul8(d[8], L[2]);
}

CTI_INLINE void cti_explicit_load_factor(const ct_real *rest, cti_r8 *L)
{
    L[0] = cti_load8(rest), L[1] = cti_load8(rest + 8), L[2] = cti_load8(rest + 16);
    L[3] = cti_load8(rest + 24), L[4] = cti_load8(rest + 32), L[5] = cti_load8(rest + 40);
}

static void cti_explicit_pass_open(int begin, int end, int worker, void *context)
{
    const cti_explicit_elements *q = ((const cti_explicit_pass *)context)->q;
    int k, energy = ((const cti_explicit_pass *)context)->v == NULL;
    CTI_UNUSED(worker);
    for (k = begin; k < end; k++) {
        const ct_real *rest = q->rest + (size_t)k * CTI_EXPLICIT_REST_SIZE * 8;
        ct_real *kept = q->carried + (size_t)k * CTI_EXPLICIT_CARRIED * 8;
        const cti_explicit_material *m = &q->material[q->model_of[k]];
        cti_r8 d[9], L[6], f[9], c[3], trace, six, r = cti_load8(rest + 48), h, slope, inverse, volume;
        cti_explicit_edges(q->x, q->node + 32 * (size_t)k, d, &six);
        cti_cross8(d + 3, d + 6, c);
        six = cti_dot8(d, c);
        cti_store8(kept, d[0]), cti_store8(kept + 8, d[1]), cti_store8(kept + 16, d[2]);
        cti_store8(kept + 24, d[3]), cti_store8(kept + 32, d[4]), cti_store8(kept + 40, d[5]);
        cti_store8(kept + 48, d[6]), cti_store8(kept + 56, d[7]), cti_store8(kept + 64, d[8]);
        cti_explicit_load_factor(rest, L);
        cti_explicit_turned(d, L, f);
        trace = cti_add8(cti_dot8(f, f), cti_add8(cti_dot8(f + 3, f + 3), cti_dot8(f + 6, f + 6)));
        h = cti_explicit_power(cti_mul8(r, six), &slope, &inverse);
        trace = cti_scale8(m->mu / 2, trace);
        cti_store8(kept + 72, cti_mul8(trace, slope)), cti_store8(kept + 80, h), cti_store8(kept + 88, cti_mul8(r, inverse));
        volume = cti_load8(rest + 56);
        if (energy) /* V mu/2 (h tr C - 3) */
            q->power[k] = (double)CTI_R8(sum)(cti_mul8(volume, cti_sub8(cti_mul8(h, trace), cti_set8(CTI_R(1.5) * m->mu))));
        cti_store8(q->quarter + 8 * (size_t)k, cti_scale8(CTI_R(0.25), cti_mul8(volume, cti_mul8(r, six))));
    }
}

/* sets pressures at nodes, beside the velocities */
static void cti_explicit_pass_pressures(int begin, int end, int worker, void *context)
{
    const cti_explicit_pass *p = (const cti_explicit_pass *)context;
    const cti_explicit_elements *q = p->q;
    int i, e;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        ct_real sum[4] = {0, 0, 0, 0}, *out = q->v + 4 * (size_t)i; /* four sums, which do not wait for each other */
        for (e = q->row_start[i]; e < q->row_start[i + 1]; e += 4) {
            sum[0] += q->quarter[q->quarter_of[e]], sum[1] += q->quarter[q->quarter_of[e + 1]];
            sum[2] += q->quarter[q->quarter_of[e + 2]], sum[3] += q->quarter[q->quarter_of[e + 3]];
        }
        if (p->dx)
            cti_v3_put(p->dx, i, cti_v3_at(p->v, i));
        if (p->v)
            out[0] = p->v[3 * (size_t)i], out[1] = p->v[3 * (size_t)i + 1], out[2] = p->v[3 * (size_t)i + 2];
        out[3] = q->row_start[i] < q->row_start[i + 1] ? q->kappa[i] * (((sum[0] + sum[1]) + (sum[2] + sum[3])) * q->inverse0[i] - 1) : 0;
    }
}

/* sets S of an element from its elastic part `along`, 6 U M and 1 / (6 U J); returns 6 U sigma : M */
CTI_INLINE cti_r8 cti_explicit_stress(const cti_explicit_material *m, cti_r8 inverse, cti_r8 along, const cti_r8 *M, cti_r8 *S)
{
    cti_r8 eta = cti_scale8(m->eta, inverse), two = cti_add8(eta, eta), s, work, bulk;
    bulk = cti_mul8(cti_scale8(m->bulk - m->eta * 2 / 3, inverse), cti_add8(M[0], cti_add8(M[4], M[8])));
    s = cti_mad8(bulk, two, M[0]), work = cti_mul8(s, M[0]), S[0] = cti_add8(along, s);
    s = cti_mad8(bulk, two, M[4]), work = cti_mad8(work, s, M[4]), S[1] = cti_add8(along, s);
    s = cti_mad8(bulk, two, M[8]), work = cti_mad8(work, s, M[8]), S[2] = cti_add8(along, s);
    s = cti_add8(M[1], M[3]), S[3] = cti_mul8(eta, s), work = cti_mad8(work, S[3], s);
    s = cti_add8(M[2], M[6]), S[4] = cti_mul8(eta, s), work = cti_mad8(work, S[4], s);
    s = cti_add8(M[5], M[7]), S[5] = cti_mul8(eta, s), work = cti_mad8(work, S[5], s);
    return work;
}

/* writes the forces on a node, m e + S c with e = F b_a and c = 6 U g_a, to rows of out, and subtracts them from sum; S: 00, 11, 22, 01, 02, 12 */
CTI_INLINE void cti_explicit_node_force(cti_r8 m, const cti_r8 *S, const cti_r8 *e, const cti_r8 *c, ct_real *out, cti_r8 *sum)
{
    cti_r8 f[4];
    f[0] = cti_mad8(cti_sum3_8(S[0], c[0], S[3], c[1], S[4], c[2]), m, e[0]);
    f[1] = cti_mad8(cti_sum3_8(S[3], c[0], S[1], c[1], S[5], c[2]), m, e[1]);
    f[2] = cti_mad8(cti_sum3_8(S[4], c[0], S[5], c[1], S[2], c[2]), m, e[2]);
    f[3] = cti_set8(0);
    sum[0] = cti_sub8(sum[0], f[0]), sum[1] = cti_sub8(sum[1], f[1]), sum[2] = cti_sub8(sum[2], f[2]);
    cti_scatter44(out, f);
}

static void cti_explicit_pass_forces(int begin, int end, int worker, void *context)
{
    const cti_explicit_elements *q = ((const cti_explicit_pass *)context)->q;
    int k;
    CTI_UNUSED(worker);
    for (k = begin; k < end; k++) {
        const ct_real *kept = q->carried + (size_t)k * CTI_EXPLICIT_CARRIED * 8;
        const cti_explicit_material *m = &q->material[q->model_of[k]];
        ct_real *out = q->row_force + (size_t)k * 128;
        const ct_real *rest = q->rest + (size_t)k * CTI_EXPLICIT_REST_SIZE * 8;
        cti_r8 w[9], c[9], d[9], L[6], f[9], e[3], M[9], S[6], sum[4], p, h, along, work, share;
        cti_explicit_edges(q->v, q->node + 32 * (size_t)k, w, &p);
        d[0] = cti_load8(kept), d[1] = cti_load8(kept + 8), d[2] = cti_load8(kept + 16);
        d[3] = cti_load8(kept + 24), d[4] = cti_load8(kept + 32), d[5] = cti_load8(kept + 40);
        d[6] = cti_load8(kept + 48), d[7] = cti_load8(kept + 56), d[8] = cti_load8(kept + 64);
        cti_cofactor8(d, c);
        along = cti_mad8(cti_load8(kept + 72), cti_set8(CTI_R(0.25)), p);
        cti_explicit_outer(w, c, M);
        work = cti_explicit_stress(m, cti_load8(kept + 88), along, M, S);
        /* -V / (6 U) */
        share = cti_neg8(cti_mul8(cti_load8(rest + 48), cti_load8(rest + 56)));
        q->power[k] = (double)CTI_R8(sum)(cti_mul8(work, share));
        h = cti_mul8(cti_scale8(-m->mu, cti_load8(rest + 56)), cti_load8(kept + 80));
        S[0] = cti_mul8(S[0], share), S[1] = cti_mul8(S[1], share), S[2] = cti_mul8(S[2], share);
        S[3] = cti_mul8(S[3], share), S[4] = cti_mul8(S[4], share), S[5] = cti_mul8(S[5], share);
        sum[0] = sum[1] = sum[2] = sum[3] = cti_set8(0);
        cti_explicit_load_factor(rest, L);
        cti_explicit_turned(d, L, f);
        e[0] = cti_mul8(f[0], L[0]), e[1] = cti_mul8(f[1], L[0]), e[2] = cti_mul8(f[2], L[0]);
        cti_explicit_node_force(h, S, e, c, out + 32, sum);
        e[0] = cti_mad8(cti_mul8(f[0], L[3]), f[3], L[1]);
        e[1] = cti_mad8(cti_mul8(f[1], L[3]), f[4], L[1]);
        e[2] = cti_mad8(cti_mul8(f[2], L[3]), f[5], L[1]);
        cti_explicit_node_force(h, S, e, c + 3, out + 64, sum);
        e[0] = cti_sum3_8(f[0], L[4], f[3], L[5], f[6], L[2]);
        e[1] = cti_sum3_8(f[1], L[4], f[4], L[5], f[7], L[2]);
        e[2] = cti_sum3_8(f[2], L[4], f[5], L[5], f[8], L[2]);
        cti_explicit_node_force(h, S, e, c + 6, out + 96, sum);
        cti_scatter44(out, sum);
    }
}

static void cti_explicit_pass_sum(int begin, int end, int worker, void *context)
{
    const cti_explicit_pass *p = (const cti_explicit_pass *)context;
    const cti_explicit_elements *q = p->q;
    int i, e;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        cti_r8 a = cti_set8(0), b = a; /* of four lists, two in each */
        ct_real t[8];
        cti_v3 f;
        for (e = q->row_start[i]; e < q->row_start[i + 1]; e += 4) {
            a = cti_add8(a, CTI_R8(load44)(q->row_force + 4 * (size_t)q->row[e], q->row_force + 4 * (size_t)q->row[e + 1]));
            b = cti_add8(b, CTI_R8(load44)(q->row_force + 4 * (size_t)q->row[e + 2], q->row_force + 4 * (size_t)q->row[e + 3]));
        }
        cti_store8(t, cti_add8(a, b));
        f = cti_v3_make(t[0] + t[4], t[1] + t[5], t[2] + t[6]);
        cti_v3_put(p->force, i, p->inverse ? cti_v3_mad(p->gravity, f, p->inverse[i]) : f);
    }
}

static void cti_explicit_pass_records(int begin, int end, int worker, void *context)
{
    const cti_explicit_pass *p = (const cti_explicit_pass *)context;
    int i;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        ct_real *out = p->q->x + 4 * (size_t)i;
        const ct_real *x = p->x + 3 * (size_t)i;
        out[0] = x[0], out[1] = x[1], out[2] = x[2];
    }
}

/* runs the first passes: F, J and the pressures at x */
static void cti_explicit_nodal_open(cti_state *s, const ct_real *x, const ct_real *v, cti_explicit_pass *p)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    p->q = q, p->x = x, p->v = v;
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_records, s->n, cti_explicit_tuned.costs.node / 4, p);
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_open, q->n_batches, cti_explicit_tuned.costs.batch, p);
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_pressures, s->n, cti_explicit_tuned.costs.node, p);
}

/* runs all passes of p, whose x and v it sets; returns the power of the viscous forces [W] */
static double cti_explicit_nodal_run(cti_state *s, const ct_real *x, const ct_real *v, cti_explicit_pass *p)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    double power = 0;
    int k;
    cti_explicit_nodal_open(s, x, v, p);
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_forces, q->n_batches, cti_explicit_tuned.costs.batch, p);
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_sum, s->n, cti_explicit_tuned.costs.node, p);
    for (k = 0; k < q->n_batches; k++)
        power += q->power[k];
    return power;
}

CTI_FN double cti_explicit_nodal_forces(cti_state *s, const ct_real *x, const ct_real *v, ct_real *force)
{
    cti_explicit_pass p;
    memset(&p, 0, sizeof p);
    p.force = force;
    return cti_explicit_nodal_run(s, x, v, &p);
}

CTI_FN double cti_explicit_nodal_rates(cti_state *s, const ct_real *x, const ct_real *v, ct_real *dx, ct_real *a)
{
    cti_explicit_pass p;
    memset(&p, 0, sizeof p);
    p.force = a, p.dx = dx, p.inverse = cti_explicit_own(s)->solve.inverse_mass, p.gravity = cti_v3_at(s->desc.gravity, 0);
    return cti_explicit_nodal_run(s, x, v, &p);
}

CTI_FN double cti_explicit_nodal_energy(cti_state *s, const ct_real *x, cti_energy *out)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    cti_explicit_pass p;
    double e = 0;
    int k, i;
    memset(&p, 0, sizeof p);
    cti_explicit_nodal_open(s, x, NULL, &p);
    for (k = 0; k < q->n_batches; k++) {
        e += q->power[k];
        if (out)
            out[q->model_of[k]].elastic += q->power[k];
    }
    for (i = 0; i < s->n; i++) /* V p^2 / (2 kappa) of nodes */
        if (q->row_start[i] < q->row_start[i + 1]) {
            double own = (double)q->volume0[i] * (double)q->v[4 * i + 3] * (double)q->v[4 * i + 3] / (2 * (double)q->kappa[i]);
            e += own;
            if (out)
                out[s->history.model_of[i]].elastic += own;
        }
    return e;
}

/* ---- set-up ---- */

/* takes the part along the unit vector u from v; returns its length */
static double cti_explicit_orthogonalize(double *v, const double *u)
{
    double along = v[0] * u[0] + v[1] * u[1] + v[2] * u[2];
    v[0] -= along * u[0], v[1] -= along * u[1], v[2] -= along * u[2];
    return along;
}

/* scales v to length 1; returns its length before */
static double cti_explicit_normalize_vector(double *v)
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), scale = length > 0 ? 1 / length : 0;
    v[0] *= scale, v[1] *= scale, v[2] *= scale;
    return length;
}

/* sets `rest` of n of eight elements with gradients b_a of shape functions and volumes V; the other lanes are 0. Elements of embedded bodies are
   filled in part: V is less than U = 1 / (6 det b). L is from Gram and Schmidt's method */
static void cti_explicit_nodal_factor(const ct_real *b, int n, ct_real *rest)
{
    int l, i;
    memset(rest, 0, CTI_EXPLICIT_REST_SIZE * 8 * sizeof *rest);
    for (l = 0; l < n; l++) {
        double c[9], L[6];
        for (i = 0; i < 9; i++)
            c[i] = (double)b[8 * i + l];
        L[0] = cti_explicit_normalize_vector(c);
        L[3] = cti_explicit_orthogonalize(c + 3, c), L[1] = cti_explicit_normalize_vector(c + 3);
        L[4] = cti_explicit_orthogonalize(c + 6, c), L[5] = cti_explicit_orthogonalize(c + 6, c + 3), L[2] = cti_explicit_normalize_vector(c + 6);
        for (i = 0; i < 6; i++)
            rest[8 * i + l] = (ct_real)L[i];
        rest[48 + l] = (ct_real)(L[0] * L[1] * L[2]), rest[56 + l] = b[72 + l];
    }
}

/* appends the elements of one model, in batches of eight, and counts elements by node */
static void cti_explicit_nodal_copy(cti_state *s, int nodal, int m, int *at)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    const cti_tet_batch *t = &s->bodies.models[m]->tets;
    int k, l, a;
    q->material[m].mu = t->mu, q->material[m].eta = t->damping_stiffness * t->mu;
    q->material[m].bulk = s->desc.rk.bulk_viscosity * t->density * cti_sqrt((t->lambda + 2 * t->mu) / t->density) * q->height[m];
    for (k = 0; nodal && 8 * k < t->n; k++, ++*at) {
        memcpy(q->node + 32 * (size_t)*at, t->node + 32 * (size_t)k, 32 * sizeof *q->node);
        cti_explicit_nodal_factor(t->rest + 80 * (size_t)k, cti_element_count(t->n, k), q->rest + CTI_EXPLICIT_REST_SIZE * 8 * (size_t)*at);
        q->model_of[*at] = m;
        for (l = 0; l < cti_element_count(t->n, k); l++)
            for (a = 0; a < 4; a++) {
                int i = t->node[32 * k + 4 * l + a];
                q->volume0[i] += t->rest[80 * k + 72 + l] / 4, q->kappa[i] = t->lambda + t->mu * 2 / 3;
                q->row_start[i + 1]++;
            }
    }
}

CTI_FN int cti_explicit_nodal_rest(cti_state *s)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    cti_mem *mem = &s->prepared;
    int m, k, l, a, n = 0, at = 0, total = 0;
    for (m = 0; m < s->bodies.n_models; m++)
        n += cti_explicit_is_nodal(s, m) ? (s->bodies.models[m]->tets.n + 7) / 8 : 0;
    q->n_batches = n;
    if (!CTI_RESIZE(mem, q->node, 32 * n) || !CTI_RESIZE(mem, q->rest, CTI_EXPLICIT_REST_SIZE * 8 * n) || !CTI_RESIZE(mem, q->model_of, n) ||
        !CTI_RESIZE(mem, q->material, s->bodies.n_models) || !CTI_RESIZE(mem, q->row_start, s->n + 1) || !CTI_RESIZE(mem, q->volume0, s->n) ||
        !CTI_RESIZE(mem, q->inverse0, s->n) ||
        !CTI_RESIZE(mem, q->kappa, s->n) || !CTI_RESIZE(mem, q->x, 4 * s->n) || !CTI_RESIZE(mem, q->v, 4 * s->n) ||
        !CTI_RESIZE(mem, q->quarter, 8 * n + 1) || !CTI_RESIZE(mem, q->power, n) || !CTI_RESIZE(mem, q->row_force, (size_t)n * 128 + 4) ||
        !CTI_RESIZE(mem, q->carried, (size_t)n * CTI_EXPLICIT_CARRIED * 8))
        return 0;
    for (m = 0; m < s->bodies.n_models; m++)
        cti_explicit_nodal_copy(s, cti_explicit_is_nodal(s, m), m, &at);
    for (k = 0; k < s->n; k++)
        q->inverse0[k] = q->volume0[k] > 0 ? 1 / q->volume0[k] : 0;
    for (k = 0; k < s->n; k++)
        total += (q->row_start[k + 1] + 3) & ~3, q->row_start[k + 1] = total;
    if (!CTI_RESIZE(mem, q->row, total) || !CTI_RESIZE(mem, q->quarter_of, total))
        return 0;
    for (k = 0; k < total; k++)
        q->row[k] = 32 * n, q->quarter_of[k] = 8 * n;
    /* rows of `out` by node: filled from the end of each list, elements backwards, so that lists are in the order of elements */
    for (k = n - 1; k >= 0; k--)
        for (l = 7; l >= 0; l--)
            for (a = 3; a >= 0 && q->rest[CTI_EXPLICIT_REST_SIZE * 8 * (size_t)k + 56 + (size_t)l] > 0; a--) {
                int32_t row = --q->row_start[q->node[32 * k + 4 * l + a] + 1];
                q->row[row] = 32 * k + 8 * a + l, q->quarter_of[row] = 8 * k + l;
            }
    /* first[i + 1] is i's first row now, and lists begin at multiples of four */
    for (k = 0; k < s->n; k++)
        q->row_start[k] = q->row_start[k + 1] & ~3;
    q->row_start[s->n] = total;
    return 1;
}
