/* explicit_nodal.c -- forces and energy of hong_neohookean with nodal pressures, eight tetrahedra at a time.
   Method: with F the deformation gradient, J its determinant, C = F'F, b_a the gradients of the shape functions at rest and g_a = cof F b_a,
     f_a = -V (mu h F b_a + S g_a),   S = (mu/2 h' tr C + p) 1 + sigma,   h = J^(-2/3),
   p the mean of the four nodes' pressures kappa (J_n - 1), J_n the ratio of volumes around a node. V g_a is the gradient of the volume by
   x_a. sigma is the viscous stress; M = F' cof F = sum v_a g_a' has J times the velocity gradient.
   A first pass over elements keeps F b_a, g_a, tr C, J; nodes sum the volumes; a second pass has the stresses; nodes sum the forces. Sums are in
   the order of elements, whatever the number of threads.
   based on: Hong et al. 2006, sec. 2; Bonet, Burton 1998, A simple average nodal pressure tetrahedral element. */
#include "explicit.h"
#include "../0_base/tasks.h"

#define CTI_EXPLICIT_J0 CTI_R(0.2)     /* [1] J^(-2/3) is continued by its Taylor polynomial of order 2 below, as in 6_model */
#define CTI_EXPLICIT_NEAR CTI_R(0.2)   /* [1] |J - 1| up to which two iterations from a polynomial of order 4 have an error of 1e-16 */
#define CTI_EXPLICIT_FAR CTI_R(0.4)    /* [1] the same with three */
#define CTI_EXPLICIT_ROOTS 8           /* [1] Newton's iterations of J^(-1/3): 1e-15 for J from 0.2 to 8 */
#define CTI_EXPLICIT_BATCH_US 0.08     /* [us] of a pass over eight elements, for the cut of loops; half or double change nothing */
#define CTI_EXPLICIT_NODE_US 0.02      /* [us] of a sum of a node */

enum { CTI_EXPLICIT_KEPT = 20 }; /* vectors that eight tetrahedra keep between the two passes: F b_a, g_a, tr C, J */

/* a pass over elements or nodes; v NULL: energies, no velocities; force: of the last pass */
typedef struct cti_explicit_pass {
    cti_explicit_elements *q;
    const ct_real *x, *v;
    ct_real *force;
} cti_explicit_pass;

/* J^(-1/3) of lanes that are not near 1 */
static cti_r8 cti_explicit_root(cti_r8 c)
{
    const cti_r8 third = cti_set8(CTI_R(1.0) / 3), four = cti_set8(4);
    cti_r8 r = cti_div8(cti_set8(3), cti_add8(c, cti_set8(2)));
    int i;
    for (i = 0; i < CTI_EXPLICIT_ROOTS; i++)
        r = cti_mul8(cti_mul8(r, third), cti_nmad8(four, c, cti_mul8(r, cti_mul8(r, r))));
    return r;
}

/* h = J^(-2/3) and its derivative; e = 1 / max(J, J0) */
CTI_INLINE cti_r8 cti_explicit_power(cti_r8 j, cti_r8 *slope, cti_r8 *inverse)
{
    const cti_r8 third = cti_set8(CTI_R(1.0) / 3), one = cti_set8(1), four = cti_set8(4);
    cti_r8 c = cti_max8(j, cti_set8(CTI_EXPLICIT_J0)), d = cti_sub8(c, one), r, h, e, h1, h2;
    /* J^(-1/3) by its polynomial of order 4 at 1, and Newton's iteration twice */
    r = cti_mad8(cti_set8(CTI_R(-14.0) / 81), d, cti_set8(CTI_R(35.0) / 243));
    r = cti_mad8(cti_set8(CTI_R(2.0) / 9), d, r);
    r = cti_mad8(one, d, cti_nmad8(cti_mul8(d, r), third, one));
    r = cti_mul8(cti_mul8(r, third), cti_nmad8(four, c, cti_mul8(r, cti_mul8(r, r))));
    r = cti_mul8(cti_mul8(r, third), cti_nmad8(four, c, cti_mul8(r, cti_mul8(r, r))));
    if (cti_bits8(cti_lt8(cti_set8(CTI_EXPLICIT_NEAR), cti_abs8(d)))) {
        r = cti_mul8(cti_mul8(r, third), cti_nmad8(four, c, cti_mul8(r, cti_mul8(r, r))));
        if (cti_bits8(cti_lt8(cti_set8(CTI_EXPLICIT_FAR), cti_abs8(d))))
            r = cti_explicit_root(c);
    }
    h = cti_mul8(r, r), e = cti_div8(one, c), d = cti_sub8(j, c);
    h1 = cti_scale8(CTI_R(-2.0) / 3, cti_mul8(h, e)), h2 = cti_scale8(CTI_R(-5.0) / 3, cti_mul8(h1, e));
    h = cti_mad8(h, d, cti_mad8(h1, cti_set8(CTI_R(0.5)), cti_mul8(d, h2)));
    *slope = cti_mad8(h1, d, h2), *inverse = e;
    return h;
}

/* A = a_1 b_1' + a_2 b_2' + a_3 b_3', of three vectors each; unrolled, so that all stays in registers */
#define CTI_OUTER(i, j) A[3 * (i) + (j)] = cti_sum3_8(a[i], b[j], a[3 + (i)], b[3 + (j)], a[6 + (i)], b[6 + (j)])
CTI_INLINE void cti_explicit_outer(const cti_r8 *a, const cti_r8 *b, cti_r8 *A)
{
    CTI_OUTER(0, 0), CTI_OUTER(0, 1), CTI_OUTER(0, 2);
    CTI_OUTER(1, 0), CTI_OUTER(1, 1), CTI_OUTER(1, 2);
    CTI_OUTER(2, 0), CTI_OUTER(2, 1), CTI_OUTER(2, 2);
}
#undef CTI_OUTER

/* edges from node 0 of eight tetrahedra, of a field of records; sum: the sum of the records' fourth entries */
static CTI_NOINLINE void cti_explicit_edges(const ct_real *field, const int32_t *node, cti_r8 *d, cti_r8 *sum)
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

/* F b_a and cof F b_a of one node */
CTI_INLINE void cti_explicit_rows(const cti_r8 *f, const cti_r8 *cof, const cti_r8 *b, ct_real *kept)
{
    cti_store8(kept, cti_dot8(f, b)), cti_store8(kept + 8, cti_dot8(f + 3, b)), cti_store8(kept + 16, cti_dot8(f + 6, b));
    cti_store8(kept + 72, cti_dot8(cof, b)), cti_store8(kept + 80, cti_dot8(cof + 3, b)), cti_store8(kept + 88, cti_dot8(cof + 6, b));
}

static void cti_explicit_pass_open(int begin, int end, int worker, void *context)
{
    const cti_explicit_elements *q = ((const cti_explicit_pass *)context)->q;
    int k;
    CTI_UNUSED(worker);
    for (k = begin; k < end; k++) {
        const ct_real *rest = q->rest + (size_t)k * 80;
        ct_real *kept = q->kept + (size_t)k * CTI_EXPLICIT_KEPT * 8;
        cti_r8 d[9], b[9], f[9], cof[9], j, unused;
        cti_explicit_edges(q->x, q->node + 32 * (size_t)k, d, &unused);
        b[0] = cti_load8(rest), b[1] = cti_load8(rest + 8), b[2] = cti_load8(rest + 16);
        b[3] = cti_load8(rest + 24), b[4] = cti_load8(rest + 32), b[5] = cti_load8(rest + 40);
        b[6] = cti_load8(rest + 48), b[7] = cti_load8(rest + 56), b[8] = cti_load8(rest + 64);
        cti_explicit_outer(d, b, f);
        j = cti_cofactor8(f, cof);
        cti_explicit_rows(f, cof, b, kept);
        cti_explicit_rows(f, cof, b + 3, kept + 24);
        cti_explicit_rows(f, cof, b + 6, kept + 48);
        cti_store8(kept + 144, cti_add8(cti_dot8(f, f), cti_add8(cti_dot8(f + 3, f + 3), cti_dot8(f + 6, f + 6))));
        cti_store8(kept + 152, j);
        cti_store8(q->quarter + 8 * (size_t)k, cti_scale8(CTI_R(0.25), cti_mul8(cti_load8(rest + 72), j)));
    }
}

/* pressures at nodes, beside the velocities */
static void cti_explicit_pass_pressures(int begin, int end, int worker, void *context)
{
    const cti_explicit_pass *p = (const cti_explicit_pass *)context;
    const cti_explicit_elements *q = p->q;
    int i, e;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        ct_real sum[2] = {0, 0}, *out = q->v + 4 * (size_t)i; /* two sums, which do not wait for each other */
        for (e = q->first[i]; e + 1 < q->first[i + 1]; e += 2)
            sum[0] += q->quarter[q->lane[e]], sum[1] += q->quarter[q->lane[e + 1]];
        if (e < q->first[i + 1])
            sum[0] += q->quarter[q->lane[e]];
        if (p->v)
            out[0] = p->v[3 * (size_t)i], out[1] = p->v[3 * (size_t)i + 1], out[2] = p->v[3 * (size_t)i + 2];
        out[3] = q->first[i] < q->first[i + 1] ? q->kappa[i] * ((sum[0] + sum[1]) / q->volume0[i] - 1) : 0;
    }
}

/* S of an element from its elastic part `along` and M; returns sigma : M */
CTI_INLINE cti_r8 cti_explicit_stress(const cti_explicit_matter *m, cti_r8 inverse, cti_r8 along, const cti_r8 *M, cti_r8 *S)
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

/* forces on a node, c F b_a + S g_a, as rows to out, and subtracted from sum; S: 00, 11, 22, 01, 02, 12 */
CTI_INLINE void cti_explicit_node_force(cti_r8 c, const cti_r8 *S, const ct_real *kept, const cti_r8 *g, ct_real *out, cti_r8 *sum)
{
    cti_r8 f[4];
    f[0] = cti_mad8(cti_sum3_8(S[0], g[0], S[3], g[1], S[4], g[2]), c, cti_load8(kept));
    f[1] = cti_mad8(cti_sum3_8(S[3], g[0], S[1], g[1], S[5], g[2]), c, cti_load8(kept + 8));
    f[2] = cti_mad8(cti_sum3_8(S[4], g[0], S[5], g[1], S[2], g[2]), c, cti_load8(kept + 16));
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
        const ct_real *kept = q->kept + (size_t)k * CTI_EXPLICIT_KEPT * 8;
        const cti_explicit_matter *m = &q->matter[q->of[k]];
        ct_real *out = q->out + (size_t)k * 128;
        cti_r8 w[9], g[9], M[9], S[6], sum[4], p, h, slope, inverse, along, volume = cti_load8(q->rest + (size_t)k * 80 + 72), work;
        cti_explicit_edges(q->v, q->node + 32 * (size_t)k, w, &p);
        g[0] = cti_load8(kept + 72), g[1] = cti_load8(kept + 80), g[2] = cti_load8(kept + 88);
        g[3] = cti_load8(kept + 96), g[4] = cti_load8(kept + 104), g[5] = cti_load8(kept + 112);
        g[6] = cti_load8(kept + 120), g[7] = cti_load8(kept + 128), g[8] = cti_load8(kept + 136);
        h = cti_explicit_power(cti_load8(kept + 152), &slope, &inverse);
        along = cti_mad8(cti_scale8(CTI_R(0.25), p), cti_scale8(m->mu / 2, cti_load8(kept + 144)), slope);
        cti_explicit_outer(w, g, M);
        work = cti_explicit_stress(m, inverse, along, M, S);
        q->power[k] = (double)CTI_R8(sum)(cti_mul8(volume, work));
        volume = cti_neg8(volume);
        h = cti_mul8(volume, cti_scale8(m->mu, h));
        S[0] = cti_mul8(S[0], volume), S[1] = cti_mul8(S[1], volume), S[2] = cti_mul8(S[2], volume);
        S[3] = cti_mul8(S[3], volume), S[4] = cti_mul8(S[4], volume), S[5] = cti_mul8(S[5], volume);
        sum[0] = sum[1] = sum[2] = sum[3] = cti_set8(0);
        cti_explicit_node_force(h, S, kept, g, out + 32, sum);
        cti_explicit_node_force(h, S, kept + 24, g + 3, out + 64, sum);
        cti_explicit_node_force(h, S, kept + 48, g + 6, out + 96, sum);
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
        ct_real f[4] = {0, 0, 0, 0}, h[4] = {0, 0, 0, 0};
        for (e = q->first[i]; e + 1 < q->first[i + 1]; e += 2) {
            const ct_real *a = q->out + 4 * (size_t)q->slot[e], *b = q->out + 4 * (size_t)q->slot[e + 1];
            f[0] += a[0], f[1] += a[1], f[2] += a[2], f[3] += a[3];
            h[0] += b[0], h[1] += b[1], h[2] += b[2], h[3] += b[3];
        }
        if (e < q->first[i + 1]) {
            const ct_real *a = q->out + 4 * (size_t)q->slot[e];
            f[0] += a[0], f[1] += a[1], f[2] += a[2];
        }
        p->force[3 * (size_t)i] = f[0] + h[0], p->force[3 * (size_t)i + 1] = f[1] + h[1], p->force[3 * (size_t)i + 2] = f[2] + h[2];
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

/* F, J and the pressures at x */
static void cti_explicit_nodal_open(cti_state *s, const ct_real *x, const ct_real *v, cti_explicit_pass *p)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    p->q = q, p->x = x, p->v = v, p->force = NULL;
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_records, s->n, CTI_EXPLICIT_NODE_US / 4, p);
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_open, q->n_batches, CTI_EXPLICIT_BATCH_US, p);
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_pressures, s->n, CTI_EXPLICIT_NODE_US, p);
}

CTI_FN double cti_explicit_nodal_forces(cti_state *s, const ct_real *x, const ct_real *v, ct_real *force)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    cti_explicit_pass p;
    double power = 0;
    int k;
    cti_explicit_nodal_open(s, x, v, &p);
    p.force = force;
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_forces, q->n_batches, CTI_EXPLICIT_BATCH_US, &p);
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_pass_sum, s->n, CTI_EXPLICIT_NODE_US, &p);
    for (k = 0; k < q->n_batches; k++)
        power -= q->power[k];
    return power;
}

CTI_FN double cti_explicit_nodal_energy(cti_state *s, const ct_real *x)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    cti_explicit_pass p;
    double e = 0;
    int k, i;
    cti_explicit_nodal_open(s, x, NULL, &p);
    for (k = 0; k < q->n_batches; k++) {
        const ct_real *kept = q->kept + (size_t)k * CTI_EXPLICIT_KEPT * 8;
        cti_r8 slope, inverse, psi = cti_mul8(cti_explicit_power(cti_load8(kept + 152), &slope, &inverse), cti_load8(kept + 144));
        psi = cti_scale8(q->matter[q->of[k]].mu / 2, cti_sub8(psi, cti_set8(3)));
        e += (double)CTI_R8(sum)(cti_mul8(psi, cti_load8(q->rest + (size_t)k * 80 + 72)));
    }
    for (i = 0; i < s->n; i++) /* V p^2 / (2 kappa) of nodes */
        if (q->first[i] < q->first[i + 1])
            e += (double)q->volume0[i] * (double)q->v[4 * i + 3] * (double)q->v[4 * i + 3] / (2 * (double)q->kappa[i]);
    return e;
}

/* ---- set-up ---- */

/* the elements of one model behind those of the others, eight of one model a batch; counts elements by node */
static void cti_explicit_nodal_copy(cti_state *s, int nodal, int m, int *at)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    const cti_tet_batch *t = &s->bodies.models[m]->tets;
    int k, l, a;
    q->matter[m].mu = t->mu, q->matter[m].eta = t->damping_stiffness * t->mu;
    q->matter[m].bulk = s->desc.rk.bulk_viscosity * t->density * cti_sqrt((t->lambda + 2 * t->mu) / t->density) * q->length[m];
    for (k = 0; nodal && 8 * k < t->n; k++, ++*at) {
        memcpy(q->node + 32 * (size_t)*at, t->node + 32 * (size_t)k, 32 * sizeof *q->node);
        memcpy(q->rest + 80 * (size_t)*at, t->rest + 80 * (size_t)k, 80 * sizeof *q->rest);
        q->of[*at] = m;
        for (l = cti_element_count(t->n, k); l < 8; l++)
            q->rest[80 * (size_t)*at + 72 + (size_t)l] = 0;
        for (l = 0; l < cti_element_count(t->n, k); l++)
            for (a = 0; a < 4; a++) {
                int i = t->node[32 * k + 4 * l + a];
                q->volume0[i] += t->rest[80 * k + 72 + l] / 4, q->kappa[i] = t->lambda + t->mu * 2 / 3;
                q->first[i + 1]++;
            }
    }
}

CTI_FN int cti_explicit_nodal_rest(cti_state *s)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    cti_mem *mem = s->mem;
    int m, k, l, a, n = 0, at = 0, total = 0;
    for (m = 0; m < s->bodies.n_models; m++)
        n += cti_explicit_is_nodal(s, m) ? (s->bodies.models[m]->tets.n + 7) / 8 : 0;
    q->n_batches = n;
    if (!CTI_RESIZE(mem, q->node, 32 * n) || !CTI_RESIZE(mem, q->rest, 80 * n) || !CTI_RESIZE(mem, q->of, n) ||
        !CTI_RESIZE(mem, q->matter, s->bodies.n_models) || !CTI_RESIZE(mem, q->first, s->n + 1) || !CTI_RESIZE(mem, q->volume0, s->n) ||
        !CTI_RESIZE(mem, q->kappa, s->n) || !CTI_RESIZE(mem, q->x, 4 * s->n) || !CTI_RESIZE(mem, q->v, 4 * s->n) ||
        !CTI_RESIZE(mem, q->quarter, 8 * n) || !CTI_RESIZE(mem, q->power, n) || !CTI_RESIZE(mem, q->out, (size_t)n * 128) ||
        !CTI_RESIZE(mem, q->kept, (size_t)n * CTI_EXPLICIT_KEPT * 8))
        return 0;
    for (m = 0; m < s->bodies.n_models; m++)
        cti_explicit_nodal_copy(s, cti_explicit_is_nodal(s, m), m, &at);
    for (k = 0; k < s->n; k++)
        total += q->first[k + 1], q->first[k + 1] = total;
    if (!CTI_RESIZE(mem, q->slot, total) || !CTI_RESIZE(mem, q->lane, total))
        return 0;
    /* rows of `out` by node: filled from the end of each list, elements backwards, so that lists are in the order of elements */
    for (k = n - 1; k >= 0; k--)
        for (l = 7; l >= 0; l--)
            for (a = 3; a >= 0 && q->rest[80 * (size_t)k + 72 + (size_t)l] > 0; a--) {
                int32_t row = --q->first[q->node[32 * k + 4 * l + a] + 1];
                q->slot[row] = 32 * k + 8 * a + l, q->lane[row] = 8 * k + l;
            }
    /* first[i + 1] is the begin of i's list now */
    for (k = 0; k < s->n; k++)
        q->first[k] = q->first[k + 1];
    q->first[s->n] = total;
    return 1;
}

CTI_FN void cti_explicit_nodal_free(cti_state *s)
{
    cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    cti_mem *m = s->mem;
    CTI_FREE(m, q->node), CTI_FREE(m, q->rest), CTI_FREE(m, q->of), CTI_FREE(m, q->matter), CTI_FREE(m, q->first);
    CTI_FREE(m, q->slot), CTI_FREE(m, q->lane);
    CTI_FREE(m, q->volume0), CTI_FREE(m, q->kappa), CTI_FREE(m, q->x), CTI_FREE(m, q->v), CTI_FREE(m, q->quarter), CTI_FREE(m, q->power);
    CTI_FREE(m, q->out), CTI_FREE(m, q->kept), CTI_FREE(m, q->length);
}

#undef CTI_EXPLICIT_J0
#undef CTI_EXPLICIT_NEAR
#undef CTI_EXPLICIT_FAR
#undef CTI_EXPLICIT_ROOTS
#undef CTI_EXPLICIT_BATCH_US
#undef CTI_EXPLICIT_NODE_US
