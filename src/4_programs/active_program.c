/* active_program.c -- strictly convex quadratic programs by the active set method of active_set.h.
   Method: y are the multipliers of the rows, W = J A^-1 J', q = J A^-1 b + w, so that u = J x + w. A is factored once. A column of W is computed
   when its row is first needed. When no row violates its condition any more, the multipliers are corrected by u of the true x, and q with them, so
   that errors in the columns of W do not remain. differs: the baseline of Li 2015 is a primal active set method; the dual one needs no feasible
   start, no phase 1, and certifies inconsistent rows. */
#include "active_set.h"
#include "convex.h"

typedef struct cti_active_program {
    cti_convex c;
    cti_active set;
    cti_effort *e;
    cti_answer *a;
    double *x, *q, *eps; /* [n], [m], [m] */
    double **column;     /* [m] columns of W, or NULL if not computed yet */
    double *X, *many;    /* right sides [3 blocks][batch], their scratch */
    double tolerance;    /* on u */
} cti_active_program;

/* ---- columns of W ---- */

/* chooses the rows whose columns are computed together with p's: the most violated rows without a column. Returns their number, p
   included */
static int cti_active_batch(const cti_active_program *s, int p, int *batch)
{
    const double *u = s->set.u;
    int n = 1, i, k;
    batch[0] = p;
    for (i = 0; i < s->c.m; i++) {
        if (i == p || s->column[i] || s->set.at[i] >= 0 || u[i] >= -s->tolerance)
            continue;
        /* the batch stays sorted by violation */
        for (k = n < CTI_ACTIVE_BATCH ? n++ : n; k > 1 && u[batch[k - 1]] > u[i]; k--)
            if (k < CTI_ACTIVE_BATCH)
                batch[k] = batch[k - 1];
        if (k < CTI_ACTIVE_BATCH)
            batch[k] = i;
    }
    return n;
}

static int cti_active_column(cti_active_program *s, int p)
{
    const cti_sparse *J = &s->c.J;
    int batch[CTI_ACTIVE_BATCH + 1], n, width, i, k, b;
    double sums[CTI_ACTIVE_BATCH];
    if (s->column[p])
        return 1;
    n = cti_active_batch(s, p, batch);
    width = cti_pad8(n);
    memset(s->X, 0, sizeof *s->X * (size_t)(3 * s->c.kkt.system.bsr.n) * (size_t)width);
    for (b = 0; b < n; b++) {
        if (!(s->column[batch[b]] = CTI_ARENA_NEW(s->e->arena, double, s->c.m)))
            return 0;
        for (k = J->p[batch[b]]; k < J->p[batch[b] + 1]; k++)
            s->X[cti_index(J->i[k], width, b)] = J->x[k];
    }
    if (s->c.n)
        cti_factor64_solve_many(&s->c.kkt.system.factor, s->X, n, s->many);
    for (i = 0; i < J->rows; i++) {
        memset(sums, 0, sizeof sums);
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            for (b = 0; b < n; b++)
                sums[b] += J->x[k] * s->X[cti_index(J->i[k], width, b)];
        for (b = 0; b < n; b++)
            s->column[batch[b]][i] = sums[b];
    }
    return 1;
}

static int cti_active_program_row(void *ctx, const cti_active *q, int p, double *z, double *own)
{
    cti_active_program *s = (cti_active_program *)ctx;
    int k;
    if (!cti_active_column(s, p))
        return 0;
    for (k = 0; k < q->count; k++)
        z[k] = s->column[p][q->set[k]];
    *own = s->column[p][p];
    return 1;
}

/* ---- u ---- */

/* x = A^-1 (b + J'y), and u from x; eps: its possible rounding error */
static void cti_active_point(cti_active_program *s, int refine)
{
    double *u = s->set.u;
    int i, k;
    cti_vec_copy(s->c.n, s->c.b, s->x);
    cti_sparse_addmul_t(&s->c.J, s->set.y, s->x);
    cti_scalar_solve(&s->c.kkt.system, s->x, refine);
    cti_sparse_mul(&s->c.J, s->x, u);
    for (i = 0; i < s->c.m; i++) {
        double terms = fabs(s->c.w[i]);
        u[i] += s->c.w[i];
        for (k = s->c.J.p[i]; k < s->c.J.p[i + 1]; k++)
            terms += fabs(s->c.J.x[k] * s->x[s->c.J.i[k]]);
        s->eps[i] = cti_fmax(s->tolerance, cti_program_tuned.active.rounding * terms);
    }
}

/* u = q + W y, or computed from x if a solve with A costs less */
static int cti_active_program_values(void *ctx, const cti_active *q)
{
    cti_active_program *s = (cti_active_program *)ctx;
    double *u = q->u, *eps = s->eps;
    int i, k, m = s->c.m;
    if ((double)m * q->count > 6 * (double)s->c.kkt.system.factor.bytes / sizeof(double)) {
        cti_active_point(s, 1);
        return 1;
    }
    cti_vec_copy(m, s->q, u);
    for (i = 0; i < m; i++)
        eps[i] = fabs(u[i]);
    for (k = 0; k < q->count; k++) {
        const double *w = s->column[q->set[k]];
        double y = q->y[q->set[k]];
        for (i = 0; i < m; i++)
            u[i] += y * w[i], eps[i] += fabs(y * w[i]);
    }
    for (i = 0; i < m; i++)
        eps[i] = cti_fmax(s->tolerance, cti_program_tuned.active.rounding * eps[i]);
    return 1;
}

/* corrects the multipliers so that the active rows' u, computed from x, is 0, and q, so that u = W y + q there */
static void cti_active_repair(cti_active_program *s)
{
    cti_active *q = &s->set;
    int i, k, it;
    for (it = 0; it < 2; it++) {
        cti_active_point(s, 2);
        cti_active_inverse(q, q->u);
        for (k = 0; k < q->count; k++) {
            i = q->set[k];
            q->y[i] = s->c.equation[i] ? q->y[i] - q->z[k] : cti_fmax(0, q->y[i] - q->z[k]);
        }
    }
    cti_active_point(s, 2);
    cti_vec_copy(s->c.m, q->u, s->q);
    for (k = 0; k < q->count; k++)
        for (i = 0; i < s->c.m; i++)
            s->q[i] -= q->y[q->set[k]] * s->column[q->set[k]][i];
}

static int cti_active_program_proves(void *ctx, const double *y)
{
    cti_active_program *s = (cti_active_program *)ctx;
    double *clean = CTI_ARENA_NEW(s->e->arena, double, s->c.m);
    int i;
    if (!clean)
        return -1;
    if (s->c.dual || s->c.p->kind != CTI_PROGRAM_QP)
        return 0;
    for (i = 0; i < s->c.m; i++)
        clean[i] = s->c.equation[i] ? y[i] : cti_fmax(0, y[i]);
    return cti_convex_certify(&s->c, clean, s->a->x, s->a->r);
}

/* ---- driver ---- */

/* size of the terms that cancel in u */
static double cti_active_size(const cti_active_program *s)
{
    double size = cti_most(s->c.m, s->c.w);
    int i, k;
    for (i = 0; i < s->c.m; i++)
        for (k = s->c.J.p[i]; k < s->c.J.p[i + 1]; k++)
            size = cti_fmax(size, fabs(s->c.J.x[k] * s->x[s->c.J.i[k]]));
    return size;
}

/* factors A and computes the unconstrained minimum. 0: no memory, -1: A is not definite */
static int cti_active_program_open(cti_active_program *s)
{
    cti_scalar *sys = &s->c.kkt.system;
    cti_arena *arena = s->e->arena;
    int m = s->c.m;
    if (!cti_scalar_open(&arena->own, sys, &s->c.A) || !cti_scalar_factor(&arena->own, sys))
        return 0;
    if (sys->boosted || cti_scalar_pivot(sys) < cti_program_tuned.active.pivot)
        return -1;
    s->X = CTI_ARENA_NEW(arena, double, (size_t)(3 * sys->bsr.n) * CTI_ACTIVE_BATCH);
    s->many = CTI_ARENA_NEW(arena, double, s->c.n ? cti_factor64_many_work(&sys->factor) : 0);
    s->x = CTI_ARENA_ZERO(arena, double, s->c.n), s->q = CTI_ARENA_NEW(arena, double, m), s->eps = CTI_ARENA_NEW(arena, double, m);
    s->column = CTI_ARENA_ZERO(arena, double *, m);
    s->set.m = m, s->set.q = s->q, s->set.eps = s->eps, s->set.equation = s->c.equation, s->set.e = s->e, s->set.a = s->a;
    s->set.row = cti_active_program_row, s->set.values = cti_active_program_values, s->set.proves = cti_active_program_proves, s->set.ctx = s;
    if (!s->X || !s->many || !s->x || !s->q || !s->eps || !s->column || !cti_active_open(&s->set, arena))
        return 0;
    cti_active_point(s, 2);
    cti_vec_copy(m, s->set.u, s->q);
    s->tolerance = cti_program_tuned.active.tiny * cti_active_size(s);
    return 1;
}

/* takes the rows with the caller's r > 0 as the first active set. 0: no memory */
static int cti_active_program_warm(cti_active_program *s)
{
    const double *r = s->a->r;
    int i, ok = 1;
    for (i = 0; ok && i < s->c.m && !s->c.dual; i++)
        if (s->c.equation[i] || r[s->c.source[i]] > 0)
            ok = cti_active_add(&s->set, i) >= 0;
    return ok;
}

static cti_active_end cti_active_iterate(cti_active_program *s)
{
    cti_active_end end = CTI_ACTIVE_DONE;
    int repairs;
    for (repairs = 0; end == CTI_ACTIVE_DONE && repairs <= cti_program_tuned.active.repairs; repairs++) {
        end = cti_active_run(&s->set, 0);
        if (end != CTI_ACTIVE_DONE)
            break;
        cti_active_repair(s);
        if (cti_active_worst(&s->set, 0) < 0)
            break;
    }
    return end;
}

static cti_outcome cti_active_outcome(cti_active_program *s, cti_active_end end)
{
    if (end == CTI_ACTIVE_MEMORY)
        return CTI_OUTCOME_MEMORY;
    if (end == CTI_ACTIVE_NONE)
        return cti_answer_end(s->a, CTI_OUTCOME_INFEASIBLE, "the rows contradict each other");
    if (end == CTI_ACTIVE_LOST)
        return cti_answer_end(s->a, CTI_OUTCOME_FAILED, "the active rows depend on each other up to rounding");
    if (end == CTI_ACTIVE_BUDGET)
        cti_active_point(s, 2);
    cti_convex_answer(&s->c, s->x, s->set.y, s->a->x, s->a->r);
    s->a->why = end == CTI_ACTIVE_BUDGET ? "the bound on iterations or time was reached" : "";
    return end == CTI_ACTIVE_BUDGET ? CTI_OUTCOME_BUDGET : CTI_OUTCOME_SOLVED;
}

CTI_FN cti_outcome cti_active_set_solve(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_active_program s;
    cti_outcome outcome = CTI_OUTCOME_MEMORY;
    int got;
    memset(&s, 0, sizeof s);
    s.e = e, s.a = a, a->iterations = 0;
    a->why = cti_convex_open(&s.c, p, 0, e->arena);
    if (!a->why && s.c.m > cti_program_tuned.active.rows)
        a->why = "more rows than the active set keeps dense columns for";
    if (a->why) {
        outcome = *a->why ? CTI_OUTCOME_NOT_APPLICABLE : CTI_OUTCOME_MEMORY;
    } else if ((got = cti_active_program_open(&s)) < 0) {
        outcome = cti_answer_end(a, CTI_OUTCOME_NOT_APPLICABLE, "the active set takes a definite quadratic form only");
    } else if (got && (!e->warm || cti_active_program_warm(&s))) {
        outcome = cti_active_outcome(&s, cti_active_iterate(&s));
    }
    a->why = a->why ? a->why : "";
    return outcome;
}
