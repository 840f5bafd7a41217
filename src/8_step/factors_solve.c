/* factors_solve.c -- solves with factors of the elastic matrix, and the free motion that they precondition.
   Method: a factor of the matrix at hand solves; one of an earlier matrix, and two grids, precondition conjugate gradients.
   Based on: Otaduy 2009, sec. 4, step 2; differs: the factor is kept over steps. */
#include "factors.h"
#include "policy.h"

/* vectors of the conjugate gradients of the free motion */
typedef struct cti_free_solve {
    ct_real *r, *z, *p, *q;
} cti_free_solve;

/* x [3 n] of a component in place, in the precision of its factor */
static void cti_factors_solve_exact(const cti_component *q, double *x, int worker)
{
    cti_factor64_solve(&q->cache.exact, x, q->owner->scratch.work + q->owner->scratch.work_room * (size_t)worker);
}

static void cti_factors_solve_float(const cti_factors *f, const cti_factor32 *factor, float *x, int worker)
{
    cti_factor32_solve(factor, x, (float *)(void *)(f->scratch.work + f->scratch.work_room * (size_t)worker));
}

/* converts a right side to float with its largest entry between 1 and 2. Then entries that decay from it become denormal only when they are
   far below a float's rounding error */
static float cti_factors_to_float(ct_real r, double scale)
{
    double x = (double)r * scale;
    return (float)(fabs(x) < (double)CTI_FACTOR32_LEAST ? 0 : x);
}

CTI_FN void cti_factors_solve(void *ctx, ct_real *x, int worker)
{
    cti_component *c = (cti_component *)ctx;
    double *y = c->owner->scratch.x + c->owner->scratch.x_room * (size_t)worker, scale;
    float *z = (float *)(void *)y;
    ct_real most = 0;
    int n3 = 3 * (c->end - c->begin), i;
    if (c->cache.is_exact) {
        for (i = 0; i < n3; i++)
            y[i] = (double)x[i];
        cti_factors_solve_exact(c, y, worker);
        for (i = 0; i < n3; i++)
            x[i] = (ct_real)y[i];
        return;
    }
    for (i = 0; i < n3; i++)
        most = cti_max(most, cti_abs(x[i]));
    scale = cti_factor32_scale((double)most);
    for (i = 0; i < n3; i++)
        z[i] = cti_factors_to_float(x[i], scale);
    cti_factors_solve_float(c->owner, &c->cache.single, z, worker);
    for (i = 0; i < n3; i++)
        x[i] = (ct_real)((double)z[i] * (1 / scale));
}

CTI_FN void cti_factors_by_grid(cti_factors *f, const cti_component *q, const cti_twogrid_inverse *by, const int32_t *blocks, const ct_real *r,
                                ct_real *z, int worker)
{
    const cti_twogrid *g = &q->cache.grid;
    float *in = (float *)(void *)(f->scratch.x + f->scratch.x_room * (size_t)worker), *out = in + 4 * (size_t)g->n;
    double *work = f->scratch.work + f->scratch.work_room * (size_t)worker, scale, back;
    ct_real most = 0;
    int i, k;
    for (i = 0; i < g->n; i++)
        for (k = 0; k < 3; k++)
            most = cti_max(most, cti_abs(r[3 * blocks[i] + k]));
    scale = cti_factor32_scale((double)most), back = (by ? g->unit : 1 / g->unit) / scale;
    for (i = 0; i < g->n; i++)
        for (k = 0; k < 4; k++)
            in[4 * i + k] = k < 3 ? cti_factors_to_float(r[3 * blocks[i] + k], scale) : 0;
    if (by)
        cti_twogrid_apply(by, in, out, work);
    else
        cti_twogrid_product(g, in, out);
    for (i = 0; i < g->n; i++)
        for (k = 0; k < 3; k++)
            z[3 * blocks[i] + k] = (ct_real)((double)out[4 * i + k] * back);
}

CTI_FN void cti_factors_apply(cti_factors *f, const cti_component *q, const cti_factor32 *factor, const int32_t *blocks, const ct_real *r,
                              ct_real *z, int worker)
{
    double *x = f->scratch.x + f->scratch.x_room * (size_t)worker, scale;
    float *y = (float *)(void *)x;
    ct_real most = 0;
    int n = q->end - q->begin, exact = q->cache.is_exact && factor == &q->cache.single, i, k;
    if (q->cache.is_grid) {
        cti_factors_by_grid(f, q, factor == &q->cache.penalized ? &q->cache.held : &q->cache.plain, blocks, r, z, worker);
        return;
    }
    for (i = 0; i < n && !exact; i++)
        for (k = 0; k < 3; k++)
            most = cti_max(most, cti_abs(r[3 * blocks[i] + k]));
    scale = cti_factor32_scale((double)most);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            if (exact)
                x[3 * i + k] = (double)r[3 * blocks[i] + k];
            else
                y[3 * i + k] = cti_factors_to_float(r[3 * blocks[i] + k], scale);
    if (exact)
        cti_factors_solve_exact(q, x, worker);
    else
        cti_factors_solve_float(f, factor, y, worker);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            z[3 * blocks[i] + k] = exact ? (ct_real)x[3 * i + k] : (ct_real)((double)y[3 * i + k] * (1 / scale));
}

static double cti_factors_dot(const cti_component *q, const int32_t *blocks, const ct_real *x, const ct_real *y)
{
    double s[3] = {0, 0, 0};
    int i, k;
    for (i = 0; i < q->end - q->begin; i++)
        for (k = 0; k < 3; k++)
            s[k] += (double)(x[3 * blocks[i] + k] * y[3 * blocks[i] + k]);
    return s[0] + s[1] + s[2];
}

/* y = A x on one component */
static void cti_factors_product(const cti_component *q, const int32_t *blocks, const cti_bsr *A, const ct_real *x, ct_real *y)
{
    int i;
    for (i = 0; i < q->end - q->begin; i++)
        cti_v3_put(y, blocks[i], cti_bsr_row(A, x, blocks[i]));
}

CTI_FN void cti_factors_residual(const cti_component *q, const int32_t *blocks, const cti_bsr *A, const ct_real *b, const ct_real *x,
                                 ct_real *r)
{
    int i;
    for (i = 0; i < q->end - q->begin; i++)
        cti_v3_put(r, blocks[i], cti_v3_sub(cti_v3_at(b, blocks[i]), cti_bsr_row(A, x, blocks[i])));
}

/* one iteration; q is A p. Returns 1 while more are needed */
static int cti_factors_iterate(cti_factors *f, const cti_component *c, cti_free_solve *s, ct_real *x, double *rz, double tol, int worker)
{
    const int32_t *blocks = f->blocks + c->begin;
    double pq = cti_factors_dot(c, blocks, s->p, s->q), next;
    ct_real alpha, beta = 0;
    int i, k, go;
    if (!(pq > 0))
        return 0;
    alpha = (ct_real)(*rz / pq);
    for (i = c->begin; i < c->end; i++)
        for (k = 3 * f->blocks[i]; k < 3 * f->blocks[i] + 3; k++)
            x[k] += alpha * s->p[k], s->r[k] -= alpha * s->q[k];
    cti_factors_apply(f, c, &c->cache.single, blocks, s->r, s->z, worker);
    next = cti_factors_dot(c, blocks, s->r, s->z);
    go = next > tol * tol;
    beta = go ? (ct_real)(next / *rz) : 0;
    for (i = c->begin; go && i < c->end; i++)
        for (k = 3 * f->blocks[i]; k < 3 * f->blocks[i] + 3; k++)
            s->p[k] = s->z[k] + beta * s->p[k];
    *rz = next;
    return go;
}

/* conjugate gradients with the present factor from x on; *its counts their iterations. Returns 1 if they ended, 0 if a new factor takes less time
   than the iterations that are left */
static int cti_factors_gradients(cti_factors *f, cti_component *c, const cti_free_motion *m, double tol, int max_it, int worker, int *its)
{
    const int32_t *blocks = f->blocks + c->begin;
    int n3 = 3 * m->A->n, it, i, go;
    cti_free_solve s;
    double rz, first, left, flops, nonzeros;
    cti_factors_costs(c, &flops, &nonzeros);
    s.r = m->work, s.z = s.r + n3, s.p = s.z + n3, s.q = s.p + n3;
    cti_factors_residual(c, blocks, m->A, m->b, m->x, s.r);
    cti_factors_apply(f, c, &c->cache.single, blocks, s.r, s.z, worker);
    first = rz = cti_factors_dot(c, blocks, s.r, s.z);
    go = rz > tol * tol;
    for (i = c->begin; go && i < c->end; i++)
        cti_v3_put(s.p, f->blocks[i], cti_v3_at(s.z, f->blocks[i]));
    for (it = 1; it <= max_it && go; it++) {
        cti_factors_product(c, blocks, m->A, s.p, s.q);
        go = cti_factors_iterate(f, c, &s, m->x, &rz, tol, worker);
        ++*its;
        left = cti_policy_iterations_left(it, first, rz, tol * tol);
        if (go && cti_policy_factor_is_slow(&c->cache.stamp, flops, nonzeros, it + left))
            return 0;
    }
    return 1;
}

CTI_FN int cti_factors_free_solve(cti_factors *f, cti_component *c, const cti_free_motion *m, double tol, int max_it, int worker)
{
    int its = 0, lagged = 0;
    c->solve.free_refactored = 0;
    if (!cti_factors_gradients(f, c, m, tol, max_it, worker, &its)) {
        c->cache.is_due = c->solve.free_refactored = 1;
        cti_factors_refill(c, m->A, m->dt);
        lagged = its;
        cti_factors_gradients(f, c, m, tol, max_it, worker, &its);
    }
    cti_factors_charge(&c->cache.stamp, its - lagged);
    return its;
}
