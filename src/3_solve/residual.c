/* residual.c -- the one judge of a solution: dynamics, feasibility, complementarity, natural map. No solver judges itself.
   Method: the natural map of a variational inequality, r - P_K(r - u/d), vanishes exactly at a solution; times the local compliance d it is
   a velocity. Based on: Otaduy 2009, eq. 6-7. */
#include "problem.h"
#include "solve_policy.h"

/* local compliance of a row through the 3x3 diagonal of A: d_i = (J D^-1 J')_ii */
static void cti_residual_local(const cti_problem *p, const cti_row *row, const ct_real *dinv, ct_real *d)
{
    int k, i, j, l;
    d[0] = d[1] = d[2] = 0;
    for (k = 0; k < row->n; k++) {
        ct_real G[9], Gt[9];
        const ct_real *Di = dinv + 9 * (size_t)row->term[k].block;
        cti_row_map(row, k, G);
        cti_row_map_t(p, row, k, Gt);
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                for (l = 0; l < 3; l++)
                    d[i] += G[3 * i + j] * Di[3 * j + l] * Gt[3 * l + i];
    }
}

/* the larger of two errors; one that is no number is larger than all others */
static double cti_residual_most(double a, double b) { return b > a || b != b ? b : a; }

static void cti_residual_merge(ct_real *out, ct_real e) { *out = (ct_real)cti_residual_most((double)*out, (double)e); }

/* raises a residual to |e|, relative to the velocity scale */
static void cti_residual_raise(const cti_problem *p, double e, ct_real *out)
{
    cti_residual_merge(out, (ct_real)(fabs(e) / (double)p->velocity_scale));
}

/* the larger change of (r1, r2) by the projection of (r1 - e1, r2 - e2), times d */
static double cti_residual_friction(ct_cone cone, double bound, const double *r, double e1, double e2, double d)
{
    double g1 = r[1] - e1 / d, g2 = r[2] - e2 / d;
    cti_cone_project64(cone, bound, &g1, &g2);
    return cti_residual_most(fabs(r[1] - g1), fabs(r[2] - g2)) * d;
}

/* equations e = 0; where their bound holds r, the change of r by a projected step, times the local compliance d */
static void cti_residual_equations(const cti_problem *p, const cti_row *row, const double *e, const double *r, double d, cti_residuals *out)
{
    double next[3], most = (double)row->most, size = 0;
    int k;
    for (k = 0; k < 3; k++) {
        next[k] = row->equations >> k & 1 ? r[k] - (d > 0 ? e[k] / d : 0) : 0;
        size += next[k] * next[k];
    }
    size = most > 0 && size > most * most ? sqrt(size) : 0;
    for (k = 0; k < 3; k++)
        if (row->equations >> k & 1)
            cti_residual_raise(p, size > 0 ? (r[k] - next[k] * most / size) * d : e[k], &out->natural);
}

CTI_FN void cti_residual_row(const cti_problem *p, ct_cone cone, const cti_row *row, const double *u, const double *r, const ct_real *local,
                             cti_residuals *out)
{
    double d = (double)local[0], d_mean = (double)(local[1] + local[2]) / 2, e[3], law, bound, miss;
    int k;
    for (k = 0; k < 3; k++)
        e[k] = u[k] + (double)row->compliance[k] * r[k];
    if (row->equations) {
        cti_residual_equations(p, row, e, r, (double)cti_max(local[0], cti_max(local[1], local[2])), out);
        return;
    }
    if (!(d > 0))
        return;
    /* the normal law: the hard law with compliance, or recovery through its softness, whichever requires more */
    law = u[0] + (double)row->softness * r[0] - (double)row->recover;
    law = row->recover > 0 && law < e[0] ? law : e[0];
    cti_residual_raise(p, r[0] * d < law ? r[0] * d : law, &out->natural);
    cti_residual_raise(p, e[0] < 0 ? e[0] : 0, &out->primal);
    cti_residual_raise(p, r[0] < 0 ? r[0] * d : 0, &out->dual);
    out->dual_gap += r[0] * law;
    if (row->mu > 0 && d_mean > 0) { /* 0: scripts hold every tangential motion */
        bound = (double)row->mu * (r[0] > 0 ? r[0] : 0);
        miss = cti_residual_friction(cone, bound, r, e[1], e[2], d_mean);
        cti_residual_raise(p, miss, &out->natural);
        if (cone != CT_CONE_CONE || e[1] != u[1] || e[2] != u[2]) /* else it is the same */
            miss = cti_residual_friction(CT_CONE_CONE, bound, r, u[1], u[2], d_mean);
        cti_residual_raise(p, miss, &out->natural_cone);
        cti_residual_raise(p, cti_residual_friction(cone, bound, r, 0, 0, d_mean), &out->dual);
    }
}

/* residuals of ranges of rows or blocks: part k is of those from k `size` on */
typedef struct cti_residual_loop {
    const cti_problem *p;
    ct_cone cone;
    const ct_real *f, *v;
    ct_real *r;
    int size;
    cti_residuals part[CTI_RESIDUAL_PARTS];
} cti_residual_loop;

static void cti_residual_range(int begin, int end, int worker, void *context)
{
    const cti_residual_loop *q = (const cti_residual_loop *)context;
    CTI_UNUSED(worker);
    cti_bsr_residual_rows(q->p->A, q->f, q->v, q->r, begin, end);
}

CTI_FN void cti_problem_residual(const cti_problem *p, const ct_real *f, const ct_real *v, ct_real *r)
{
    cti_residual_loop q;
    q.p = p, q.f = f, q.v = v, q.r = r;
    cti_tasks_run_work(p->tasks, cti_residual_range, p->A->n, cti_solve_tuned.costs.judge_block, &q);
}

/* dynamics of blocks: D^-1 (b + J' r - A v) */
static void cti_residual_blocks(int begin, int end, int worker, void *context)
{
    cti_residual_loop *q = (cti_residual_loop *)context;
    const cti_bsr *A = q->p->A;
    ct_real s = 1 / q->p->velocity_scale;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        int i, k, last = cti_min_int((begin + 1) * q->size, A->n);
        ct_real big = 0;
        for (i = begin * q->size; i < last; i++) {
            ct_real inv[9] = {0}, e[3]; /* 0 times what is no number is none */
            cti_m3_inverse(A->val + 9 * (size_t)A->diag[i], inv);
            cti_v3_put(e, 0, cti_v3_mul(cti_m3_mul_v(inv, cti_v3_at(q->r, i)), cti_problem_lever(q->p, i)));
            for (k = 0; k < 3; k++)
                cti_residual_merge(&big, cti_abs(e[k]) * s);
        }
        q->part[begin].dynamics = big;
    }
}

/* number of parts of n items: at most CTI_RESIDUAL_PARTS, and dependent on n alone */
static int cti_residual_cut(cti_residual_loop *q, int n, int least)
{
    q->size = cti_max_int(least, (n - 1) / CTI_RESIDUAL_PARTS + 1);
    return n > 0 ? (n - 1) / q->size + 1 : 0;
}

CTI_FN void cti_residual_dynamics(const cti_problem *p, const ct_real *v, ct_real *work, cti_residuals *out)
{
    cti_residual_loop q;
    int n = p->A->n, i, parts = cti_residual_cut(&q, n, cti_solve_tuned.costs.judge_blocks);
    q.p = p, q.r = work + 3 * (size_t)n;
    out->dynamics = 0;
    cti_problem_rhs(p, work);
    cti_problem_residual(p, work, v, q.r);
    cti_tasks_run_work(p->tasks, cti_residual_blocks, parts, cti_solve_tuned.costs.judge_block * q.size, &q);
    for (i = 0; i < parts; i++)
        cti_residual_merge(&out->dynamics, q.part[i].dynamics);
}

/* Lower bound on a row's compliance: that of its bodies as if they were rigid and moved without turning. A single node of a stiff body has a far
   smaller compliance, because of its stiffness; a residual scaled by that would hide an impulse that is large enough to throw the body. */
static ct_real cti_residual_whole(const cti_problem *p, const cti_row *row)
{
    ct_real sum = 0, weight = 0;
    int k;
    for (k = 0; p->sizes && k < row->n; k++) {
        weight = k == row->n_a ? row->term[k].weight : weight + row->term[k].weight;
        if (k + 1 == row->n_a || k + 1 == row->n)
            sum += weight * weight * p->sizes[row->term[k].block].whole;
    }
    return sum;
}

/* local compliance of row i, computed here so that the residual does not depend on the solver */
static void cti_residual_compliance(const cti_problem *p, int i, ct_real *d)
{
    ct_real dinv[9 * CTI_ROW_TERMS];
    cti_row row = p->rows[i];
    cti_problem q = *p;
    ct_real whole;
    int k;
    int32_t filter[CTI_ROW_TERMS];
    for (k = 0; k < row.n; k++) {
        int b = row.term[k].block;
        if (!cti_m3_inverse(p->A->val + 9 * (size_t)p->A->diag[b], dinv + 9 * k))
            memset(dinv + 9 * k, 0, 9 * sizeof(ct_real));
        filter[k] = p->filter ? p->filter[b] : -1;
        row.term[k].block = k;
    }
    q.filter = filter;
    cti_residual_local(&q, &row, dinv, d);
    whole = cti_residual_whole(p, &p->rows[i]);
    for (k = 0; d[0] > 0 && k < 3; k++)
        d[k] = cti_max(d[k], whole);
}

static void cti_residual_prepare_rows(int begin, int end, int worker, void *context)
{
    const cti_problem *p = (const cti_problem *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++)
        cti_residual_compliance(p, begin, p->local + 3 * (size_t)begin);
}

CTI_FN int cti_residual_prepare(cti_problem *p, cti_arena *arena)
{
    p->local = CTI_ARENA_NEW(arena, ct_real, 3 * p->n_rows);
    if (!p->local)
        return 0;
    cti_tasks_run_work(p->tasks, cti_residual_prepare_rows, p->n_rows, cti_solve_tuned.costs.judge_local, p);
    return 1;
}

static void cti_residual_rows(int begin, int end, int worker, void *context)
{
    cti_residual_loop *q = (cti_residual_loop *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        int i, k, last = cti_min_int((begin + 1) * q->size, q->p->n_rows);
        memset(&q->part[begin], 0, sizeof q->part[begin]);
        for (i = begin * q->size; i < last; i++) {
            cti_row *row = &q->p->rows[i];
            ct_real d[3], v[3];
            double u[3], r[3];
            cti_row_follow(row, row[row->load].r[0]);
            if (!q->p->local)
                cti_residual_compliance(q->p, i, d);
            cti_row_velocity(row, q->v, v);
            for (k = 0; k < 3; k++)
                u[k] = (double)v[k], r[k] = (double)row->r[k];
            cti_residual_row(q->p, q->cone, row, u, r, q->p->local ? q->p->local + 3 * (size_t)i : d, &q->part[begin]);
        }
    }
}

/* residuals of the rows, merged into the maxima (and the sum) that `out` already holds */
static void cti_residual_contacts(const cti_problem *p, ct_cone cone, const ct_real *v, cti_residuals *out)
{
    cti_residual_loop q;
    int i, parts = cti_residual_cut(&q, p->n_rows, cti_solve_tuned.costs.judge_rows);
    q.p = p, q.cone = cone, q.v = v;
    cti_tasks_run_work(p->tasks, cti_residual_rows, parts,
                       (p->local ? cti_solve_tuned.costs.judge_row : cti_solve_tuned.costs.judge_local) * q.size, &q);
    for (i = 0; i < parts; i++) {
        cti_residual_merge(&out->natural, q.part[i].natural), cti_residual_merge(&out->natural_cone, q.part[i].natural_cone);
        cti_residual_merge(&out->primal, q.part[i].primal), cti_residual_merge(&out->dual, q.part[i].dual);
        out->dual_gap += q.part[i].dual_gap;
    }
}

CTI_FN void cti_residual_eval(const cti_problem *p, ct_cone cone, const ct_real *v, ct_real *work, cti_residuals *out)
{
    memset(out, 0, sizeof *out);
    cti_residual_dynamics(p, v, work, out);
    cti_residual_contacts(p, cone, v, out);
    out->natural_map = out->dynamics;
    cti_residual_merge(&out->natural_map, out->natural);
}
