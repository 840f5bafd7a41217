/* krylov.c -- preconditioned conjugate gradients and block-Jacobi.
   Method: the two-term recurrences with r' M^-1 r as the measure; sums in eight fixed lanes.
   based on: Hestenes and Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1. */
#include "krylov.h"
#include "../1_math/vec.h"

CTI_FN ct_real cti_krylov_dot(int n, const ct_real *x, const ct_real *y)
{
    cti_r8 s = CTI_R8(set)(0);
    int i;
    for (i = 0; i + 8 <= n; i += 8)
        s = CTI_R8(add)(s, CTI_R8(mul)(CTI_R8(load)(x + i), CTI_R8(load)(y + i)));
    if (i < n) {
        /* the last, partial group fills the first lanes; the other lanes add 0 */
        ct_real a[8], b[8];
        int k;
        for (k = 0; k < 8; k++)
            a[k] = i + k < n ? x[i + k] : 0, b[k] = i + k < n ? y[i + k] : 0;
        s = CTI_R8(add)(s, CTI_R8(mul)(CTI_R8(load)(a), CTI_R8(load)(b)));
    }
    return CTI_R8(sum)(s);
}

static void cti_krylov_bsr(void *ctx, const ct_real *x, ct_real *y) { cti_bsr_mul((const cti_bsr *)ctx, x, y); }

CTI_FN cti_operator cti_bsr_operator(const cti_bsr *A)
{
    cti_operator q;
    q.n = 3 * A->n;
    q.apply = cti_krylov_bsr;
    q.ctx = (void *)A; /* it is read only */
    return q;
}

/* From x with r = b - A x in work. With a share, an iteration is the last one if r' M^-1 r before it, and twice the amount by which it lowers
   1/2 x'A x - b'x, are at most share^2 of twice what all iterations have lowered it by. The first r' M^-1 r is no measure: where M is far
   from A, it may hide all that is left to do */
static cti_pcg_end cti_pcg_from(const cti_operator *A, const cti_operator *M, ct_real *x, const cti_pcg_rule *rule, int max_it, ct_real *work,
                                int *out_iterations)
{
    int n = A->n, it = 0, i;
    ct_real *r = work, *z = r + n, *p = z + n, *q = p + n, rz = 0, rz1, pq, alpha, beta, limit = rule->tol * rule->tol;
    ct_real share = rule->share * rule->share, gained = 0;
    cti_pcg_end end = CTI_PCG_CONVERGED;
    for (;;) {
        if (M)
            M->apply(M->ctx, r, z);
        else
            memcpy(z, r, (size_t)n * sizeof *z);
        rz1 = cti_krylov_dot(n, r, z);
        if (share > 0)
            limit = CTI_EPS * CTI_EPS * gained;
        if (rz1 <= limit || (rule->is_done && rule->is_done(rule->ctx, r, z)))
            break;
        end = it >= max_it ? CTI_PCG_LIMIT : CTI_PCG_INDEFINITE;
        if (it >= max_it || !(rz1 > 0) || !cti_finite(rz1))
            break;
        /* p = z + beta p */
        beta = it > 0 ? rz1 / rz : 0;
        if (it > 0)
            for (i = 0; i < n; i++)
                p[i] = z[i] + beta * p[i];
        else
            memcpy(p, z, (size_t)n * sizeof *p);
        rz = rz1;
        /* alpha = r'z / p'Ap */
        A->apply(A->ctx, p, q);
        pq = cti_krylov_dot(n, p, q);
        if (!(pq > 0) || !cti_finite(pq))
            break;
        alpha = rz / pq;
        for (i = 0; i < n; i++)
            x[i] += alpha * p[i];
        it++;
        end = CTI_PCG_CONVERGED;
        gained += alpha * rz;
        if (cti_max(1, alpha) * rz <= share * gained)
            break;
        for (i = 0; i < n; i++)
            r[i] -= alpha * q[i];
    }
    if (out_iterations)
        *out_iterations = it;
    return end;
}

CTI_FN cti_pcg_end cti_pcg_by(const cti_operator *A, const cti_operator *M, const ct_real *b, ct_real *x, const cti_pcg_rule *rule, int max_it,
                              ct_real *work, int *out_iterations)
{
    int i;
    /* r = b - A x */
    A->apply(A->ctx, x, work);
    for (i = 0; i < A->n; i++)
        work[i] = b[i] - work[i];
    return cti_pcg_from(A, M, x, rule, max_it, work, out_iterations);
}

CTI_FN int cti_pcg(const cti_operator *A, const cti_operator *M, const ct_real *b, ct_real *x, ct_real tol, int max_it, ct_real *work,
                   int *out_iterations)
{
    cti_pcg_rule rule;
    memset(&rule, 0, sizeof rule);
    rule.tol = tol;
    return cti_pcg_by(A, M, b, x, &rule, max_it, work, out_iterations) == CTI_PCG_CONVERGED;
}

CTI_FN cti_pcg_end cti_pcg_run(const cti_operator *A, const cti_operator *M, const ct_real *b, ct_real *x, ct_real share, int max_it, ct_real *work,
                               int *out_iterations)
{
    cti_pcg_rule rule;
    memset(&rule, 0, sizeof rule);
    rule.share = share;
    memset(x, 0, (size_t)A->n * sizeof *x);
    memcpy(work, b, (size_t)A->n * sizeof *b);
    return cti_pcg_from(A, M, x, &rule, max_it, work, out_iterations);
}

CTI_FN int cti_residuals_run(const cti_operator *A, const cti_operator *M, const ct_real *b, ct_real *x, ct_real left, int most, ct_real *work)
{
    int n = A->n, i, it, k;
    ct_real *z = work, *u = z + n, *P = u + n, *Q = P + (size_t)most * (size_t)n;
    A->apply(A->ctx, x, u);
    for (i = 0; i < n; i++)
        u[i] = b[i] - u[i];
    M->apply(M->ctx, u, z);
    for (it = 0; it < most && cti_krylov_dot(n, z, z) > left * left * cti_krylov_dot(n, x, x); it++) {
        ct_real *p = P + (size_t)it * (size_t)n, *q = Q + (size_t)it * (size_t)n, size, along;
        memcpy(p, z, sizeof *p * (size_t)n);
        A->apply(A->ctx, p, u);
        M->apply(M->ctx, u, q);
        for (k = 0; k < it; k++) {
            const ct_real *pk = P + (size_t)k * (size_t)n, *qk = Q + (size_t)k * (size_t)n;
            along = cti_krylov_dot(n, q, qk);
            for (i = 0; i < n; i++)
                q[i] -= along * qk[i], p[i] -= along * pk[i];
        }
        size = cti_sqrt(cti_krylov_dot(n, q, q));
        if (!(size > 0) || !cti_finite(size))
            break;
        for (i = 0; i < n; i++)
            q[i] /= size, p[i] /= size;
        along = cti_krylov_dot(n, z, q);
        for (i = 0; i < n; i++)
            x[i] += along * p[i], z[i] -= along * q[i];
    }
    return it;
}

CTI_FN int cti_jacobi_make(cti_mem *mem, cti_jacobi *out, const cti_bsr *A)
{
    int i, k;
    out->n = 0;
    if (!CTI_RESIZE(mem, out->inv, 9 * (size_t)A->n))
        return 0;
    for (i = 0; i < A->n; i++) {
        const ct_real *d = A->val + 9 * (size_t)A->diag[i];
        ct_real *v = out->inv + 9 * (size_t)i;
        int ok = cti_m3_inverse(d, v);
        for (k = 0; k < 9; k++)
            ok = ok && cti_finite(v[k]);
        if (ok)
            continue;
        memset(v, 0, 9 * sizeof *v);
        for (k = 0; k < 9; k += 4)
            v[k] = d[k] > 0 && cti_finite(1 / d[k]) ? 1 / d[k] : 1;
    }
    out->n = A->n;
    return 1;
}

CTI_FN void cti_jacobi_apply(void *ctx, const ct_real *r, ct_real *z)
{
    const cti_jacobi *jacobi = (const cti_jacobi *)ctx;
    int i;
    for (i = 0; i < jacobi->n; i++)
        cti_v3_put(z, i, cti_m3_mul_v(jacobi->inv + 9 * (size_t)i, cti_v3_at(r, i)));
}

CTI_FN cti_operator cti_jacobi_operator(cti_jacobi *jacobi)
{
    cti_operator q;
    q.n = 3 * jacobi->n, q.apply = cti_jacobi_apply, q.ctx = jacobi;
    return q;
}
