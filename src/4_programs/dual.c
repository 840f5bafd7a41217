/* dual.c -- from A, J to W and q.
   Method: A is factored by bodies; W = J A^-1 J' is computed along the rows' paths through the factor (schur.c). If A is diagonal and W has
   few entries, W is a product of sparse matrices. Based on: Otaduy et al. 2009, section 5.1, eq. 8-9 (the Schur complement). */
#include "dual.h"

CTI_FN int cti_dual_is_diagonal(const cti_sparse *A)
{
    int i, k;
    for (i = 0; i < A->rows; i++)
        for (k = A->p[i]; k < A->p[i + 1]; k++)
            if ((A->i[k] != i && A->x[k] != 0) || (A->i[k] == i && !(A->x[k] > 0)))
                return 0;
    return 1;
}

/* number of products in J D^-1 J', as double since it may exceed an int */
static double cti_dual_products(const cti_sparse *T)
{
    double n = 0;
    int i;
    for (i = 0; i < T->rows; i++)
        n += (double)(T->p[i + 1] - T->p[i]) * (double)(T->p[i + 1] - T->p[i]);
    return n;
}

/* J A^-1 J' for a diagonal A: a row is coupled to the rows that share an unknown with it */
CTI_FN int cti_dual_thin(cti_mem *mem, const cti_sparse *A, const cti_sparse *J, cti_sparse *out)
{
    cti_sparse Jt, half;
    int i, k, l, at = 0, ok, pass;
    int32_t *seen = NULL;
    double *sum = NULL;
    memset(&half, 0, sizeof half);
    ok = cti_sparse_transpose(mem, J, &Jt) && CTI_RESIZE(mem, seen, J->rows + 1) && CTI_RESIZE(mem, sum, J->rows + 1);
    for (pass = 0; ok && pass < 2; pass++) { /* count, then fill */
        for (at = 0, i = 0; i < J->rows; i++) {
            int first = at;
            for (k = J->p[i]; k < J->p[i + 1]; k++) {
                int j = J->i[k];
                double d = cti_sparse_at(A, j, j);
                for (l = Jt.p[j]; l < Jt.p[j + 1]; l++) {
                    if (seen[Jt.i[l]] != 2 * i + 1 + pass * 2 * J->rows) {
                        seen[Jt.i[l]] = 2 * i + 1 + pass * 2 * J->rows, sum[Jt.i[l]] = 0;
                        if (pass)
                            half.i[at] = Jt.i[l];
                        at++;
                    }
                    sum[Jt.i[l]] += J->x[k] * Jt.x[l] / d;
                }
            }
            for (k = first; pass && k < at; k++)
                half.x[k] = sum[half.i[k]];
            if (pass)
                half.p[i + 1] = at;
        }
        ok = pass || cti_sparse_reserve(mem, &half, J->rows, J->rows, at);
    }
    ok = ok && cti_sparse_transpose(mem, &half, out); /* W is symmetric: the transposition only sorts the columns */
    cti_sparse_free(mem, &Jt), cti_sparse_free(mem, &half);
    CTI_FREE(mem, seen), CTI_FREE(mem, sum);
    return ok;
}

static cti_outcome cti_dual_matrix(cti_effort *e, int dense, cti_dual *d, const char **why)
{
    const cti_program *p = d->p;
    if (!dense && cti_dual_is_diagonal(&p->A)) {
        cti_sparse T;
        double products;
        int ok;
        if (!cti_sparse_transpose(e->mem, &p->J, &T))
            return CTI_OUTCOME_MEMORY;
        products = cti_dual_products(&T);
        if (products < 0.25 * (double)p->m * (double)p->m && products < 1e8) {
            ok = cti_dual_thin(e->mem, &p->A, &p->J, &d->S);
            cti_sparse_free(e->mem, &T);
            return ok ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_MEMORY;
        }
        cti_sparse_free(e->mem, &T);
    }
    if (p->m > CTI_DUAL_MOST) {
        *why = "too many rows for a dense Schur complement";
        return CTI_OUTCOME_NOT_APPLICABLE;
    }
    d->ld = (p->m + 7) & ~7;
    d->ld += d->ld % 64 == 0 ? 8 : 0;
    d->W = CTI_ARENA_NEW(e->arena, double, (size_t)d->ld *(size_t)p->m + 8);
    if (!d->W || !cti_scalar_schur(&d->system, e->arena, &p->J, d->W, d->ld))
        return CTI_OUTCOME_MEMORY;
    return CTI_OUTCOME_SOLVED;
}

CTI_FN cti_outcome cti_dual_open(const cti_program *p, cti_effort *e, int dense, cti_dual *d, const char **why)
{
    int i;
    d->p = p;
    d->q = CTI_ARENA_ZERO(e->arena, double, p->m), d->f = CTI_ARENA_NEW(e->arena, double, p->n),
    d->x0 = CTI_ARENA_NEW(e->arena, double, p->n);
    if (!d->q || !d->f || !d->x0 || !cti_scalar_open(e->mem, &d->system, &p->A) || !cti_scalar_factor(e->mem, &d->system))
        return CTI_OUTCOME_MEMORY;
    if (d->system.boosted) {
        *why = "A is not positive definite";
        return CTI_OUTCOME_NOT_APPLICABLE;
    }
    memcpy(d->x0, p->b, sizeof *d->x0 * (size_t)p->n);
    cti_scalar_solve(&d->system, d->x0, 1);
    if (p->m)
        cti_sparse_mul(&p->J, d->x0, d->q);
    for (i = 0; i < p->m; i++)
        d->q[i] += p->w[i];
    return cti_dual_matrix(e, dense, d, why);
}

CTI_FN void cti_dual_x(cti_dual *d, const double *r, double *x)
{
    const cti_program *p = d->p;
    memcpy(x, p->b, sizeof *x * (size_t)p->n);
    cti_sparse_addmul_t(&p->J, r, x);
    cti_scalar_solve(&d->system, x, 1);
}

CTI_FN void cti_dual_move(cti_dual *d, const double *dr, double *x)
{
    const cti_program *p = d->p;
    int i;
    memset(d->f, 0, sizeof *d->f * (size_t)p->n);
    cti_sparse_addmul_t(&p->J, dr, d->f);
    cti_scalar_solve(&d->system, d->f, 1);
    for (i = 0; i < p->n; i++)
        x[i] += d->f[i];
}

CTI_FN void cti_dual_close(cti_mem *mem, cti_dual *d)
{
    cti_scalar_close(mem, &d->system);
    cti_sparse_free(mem, &d->S);
}
