/* dual.c -- W and q of u = W r + q.
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

/* a row is coupled to the rows that share an unknown with it */
CTI_FN int cti_dual_thin(cti_mem *mem, const cti_sparse *A, const cti_sparse *J, cti_sparse *out)
{
    cti_sparse Jt, half;
    int i, k, l, at = 0, ok, pass;
    int32_t *seen = NULL;
    memset(&half, 0, sizeof half);
    ok = cti_sparse_transpose(mem, J, &Jt) && CTI_RESIZE(mem, seen, J->rows + 1);
    for (pass = 0; ok && pass < 2; pass++) { /* count, then fill */
        memset(seen, 0xff, sizeof *seen * (size_t)J->rows);
        for (at = 0, i = 0; i < J->rows; i++) {
            int first = at;
            for (k = J->p[i]; k < J->p[i + 1]; k++) {
                int j = J->i[k];
                double d = pass && A ? cti_sparse_at(A, j, j) : 1, x = J->x[k] / (d > 0 ? d : 1);
                for (l = Jt.p[j]; l < Jt.p[j + 1]; l++) {
                    if (seen[Jt.i[l]] < first) {
                        seen[Jt.i[l]] = at;
                        if (pass)
                            half.i[at] = Jt.i[l], half.x[at] = 0;
                        at++;
                    }
                    if (pass)
                        half.x[seen[Jt.i[l]]] += x * Jt.x[l];
                }
            }
            if (pass)
                half.p[i + 1] = at;
        }
        ok = pass || cti_sparse_reserve(mem, &half, J->rows, J->rows, at);
    }
    ok = ok && cti_sparse_transpose(mem, &half, out); /* W is symmetric: the transposition only sorts the columns */
    cti_sparse_free(mem, &Jt), cti_sparse_free(mem, &half);
    CTI_FREE(mem, seen);
    return ok;
}

/* W of a diagonal A as a sparse matrix, where it has few entries. 0: out of memory */
static int cti_dual_sparse(cti_mem *mem, cti_dual *d)
{
    const cti_program *p = d->p;
    cti_sparse T;
    double products;
    if (!cti_dual_is_diagonal(&p->A))
        return 1;
    if (!cti_sparse_transpose(mem, &p->J, &T))
        return 0;
    products = cti_dual_products(&T);
    cti_sparse_free(mem, &T);
    if (!(products < 0.25 * (double)p->m * (double)p->m && products < 1e8))
        return 1;
    d->S = &d->own;
    return cti_dual_thin(mem, &p->A, &p->J, &d->own);
}

CTI_FN void cti_dual_side(cti_dual *d)
{
    const cti_program *p = d->p;
    cti_vec_copy(p->n, p->b, d->x0);
    cti_scalar_solve(&d->system, d->x0, 2);
    if (p->m)
        cti_sparse_mul(&p->J, d->x0, d->q);
    cti_vec_add(p->m, 1, p->w, d->q);
}

/* q, and what x is computed with. 0: out of memory */
static int cti_dual_system(cti_effort *e, cti_dual *d)
{
    const cti_program *p = d->p;
    d->f = CTI_ARENA_NEW(e->arena, double, p->n), d->x0 = CTI_ARENA_NEW(e->arena, double, p->n);
    if (!d->f || !d->x0 || !cti_scalar_open(&e->arena->own, &d->system, &p->A) || !cti_scalar_factor(&e->arena->own, &d->system))
        return 0;
    cti_dual_side(d);
    return 1;
}

static int cti_dual_dense(cti_effort *e, int padded, cti_dual *d)
{
    const cti_program *p = d->p;
    int i, k;
    d->ld = padded ? cti_pad8(p->m) + (cti_pad8(p->m) % 64 == 0 ? 8 : 0) : p->m;
    d->W = CTI_ARENA_ZERO(e->arena, double, (size_t)d->ld *(size_t)p->m + 8);
    for (i = 0; d->W && !d->f && i < p->m; i++)
        for (k = p->W.p[i]; k < p->W.p[i + 1]; k++)
            d->W[cti_index(i, d->ld, p->W.i[k])] = p->W.x[k];
    return d->W && (!d->f || cti_scalar_schur(&d->system, e->arena, &p->J, d->W, d->ld));
}

CTI_FN cti_outcome cti_dual_open(const cti_program *p, cti_effort *e, cti_dual_rows rows, int most, cti_dual *d, const char **why)
{
    int dynamic = cti_program_is_dynamic(p);
    d->p = p, d->q = CTI_ARENA_ZERO(e->arena, double, p->m);
    if (!d->q || (dynamic && !cti_dual_system(e, d)))
        return CTI_OUTCOME_MEMORY;
    if (d->system.boosted) {
        *why = "A is not positive definite: the rows have no J A^-1 J'";
        return CTI_OUTCOME_NOT_APPLICABLE;
    }
    if (!dynamic) {
        cti_vec_copy(p->m, p->w, d->q);
        d->S = &p->W;
    } else if (rows == CTI_DUAL_THIN && !cti_dual_sparse(&e->arena->own, d))
        return CTI_OUTCOME_MEMORY;
    if (rows == CTI_DUAL_THIN && d->S)
        return CTI_OUTCOME_SOLVED;
    if (p->m > most) {
        *why = "more rows than a dense matrix of them is made for";
        return CTI_OUTCOME_NOT_APPLICABLE;
    }
    return cti_dual_dense(e, rows != CTI_DUAL_DENSE, d) ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_MEMORY;
}

CTI_FN void cti_dual_x(cti_dual *d, const double *r, double *x)
{
    const cti_program *p = d->p;
    if (!d->f) {
        cti_program_u(p, x, r, x);
        return;
    }
    cti_vec_copy(p->n, p->b, x);
    cti_sparse_addmul_t(&p->J, r, x);
    cti_scalar_solve(&d->system, x, 2);
}

CTI_FN void cti_dual_move(cti_dual *d, const double *dr, double *x)
{
    const cti_program *p = d->p;
    cti_vec_zero(p->n, d->f);
    cti_sparse_addmul_t(&p->J, dr, d->f);
    cti_scalar_solve(&d->system, d->f, 1);
    cti_vec_add(p->n, 1, d->f, x);
}
