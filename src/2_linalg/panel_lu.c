/* panel_lu.c -- LU by groups of unknowns.
   Method: the groups are ordered, and their fill is computed, as if each were a single block (block_lu.c). Elimination is right-looking.
   The diagonal block is inverted with row exchanges and multiplied into the blocks right of it. The tile of kernel.h then subtracts their
   products with the blocks below from the rest. Based on: Golub and Van Loan, Matrix Computations, 3.2 and 3.4 (block LU, Gauss-Jordan);
   Davis, Direct Methods for Sparse Linear Systems, 6.2. */
#include "panel_lu.h"
#include "../0_base/sort.h"
#include "lu.h"

CTI_FN int cti_panel_lu_open(cti_mem *mem, cti_panel_lu *s, int n, const int32_t *first, const int32_t *column)
{
    s->n = n;
    return cti_block_lu_open(mem, &s->plan, n, first, column) && CTI_RESIZE(mem, s->size, n) && CTI_RESIZE(mem, s->start, n + 1) &&
           CTI_RESIZE(mem, s->diag, n) && CTI_RESIZE(mem, s->lower, s->plan.ptr[n]) && CTI_RESIZE(mem, s->upper, s->plan.ptr[n]);
}

CTI_FN void cti_panel_lu_close(cti_mem *mem, cti_panel_lu *s)
{
    cti_block_lu_close(mem, &s->plan);
    CTI_FREE_SPAN(mem, s->size, s->pivot);
    memset(s, 0, sizeof *s);
}

CTI_FN int cti_panel_lu_clear(cti_mem *mem, cti_panel_lu *s, const int32_t *size)
{
    const cti_block_lu *q = &s->plan;
    size_t at = 0;
    int k, e, most = 0;
    for (s->start[0] = 0, k = 0; k < s->n; k++) {
        s->size[k] = size[q->perm[k]];
        s->start[k + 1] = s->start[k] + s->size[k];
        most = cti_max_int(most, s->size[k]);
    }
    s->unknowns = s->start[s->n];
    for (k = 0; k < s->n; k++) {
        size_t rows = (size_t)s->size[k], ld = (size_t)cti_pad8(s->size[k]);
        s->diag[k] = at, at += rows * ld;
        for (e = q->ptr[k]; e < q->ptr[k + 1]; e++) {
            size_t other = (size_t)s->size[q->rows[e]];
            s->lower[e] = at, at += other * ld;
            s->upper[e] = at, at += rows * (size_t)cti_pad8((int)other);
        }
    }
    if (at > 2000000000u || !CTI_ZEROS(mem, s->val, (int)at + 8) || !CTI_RESIZE(mem, s->work, (most + 8) * (most + 16) + 8) ||
        !CTI_RESIZE(mem, s->pivot, most + 1))
        return 0;
    return 1;
}

/* index of the entry of position j > k in column k, or -1 */
static int cti_panel_lu_find(const cti_block_lu *q, int k, int j)
{
    return cti_sort_find(q->rows, 1, q->ptr[k], q->ptr[k + 1], j);
}

CTI_FN double *cti_panel_lu_block(cti_panel_lu *s, int i, int j, int *ld)
{
    const cti_block_lu *q = &s->plan;
    int a = q->inv[i], b = q->inv[j], e;
    *ld = cti_pad8(s->size[b]);
    if (a == b)
        return s->val + s->diag[a];
    e = cti_panel_lu_find(q, cti_min_int(a, b), cti_max_int(a, b));
    return e < 0 ? NULL : s->val + (a > b ? s->lower[e] : s->upper[e]);
}

/* D = D^-1 in place by Gauss and Jordan with row exchanges. 0 when it is singular or not finite */
static int cti_panel_lu_invert(double *D, int n, int *pivot)
{
    int i, k, p, ld = cti_pad8(n);
    for (k = 0; k < n; k++) {
        double *top = D + (size_t)k * (size_t)ld, best = 0, inverse;
        for (p = k, i = k; i < n; i++) {
            double t = fabs(D[(size_t)i * (size_t)ld + (size_t)k]);
            if (t > best || t != t)
                best = t, p = i;
        }
        if (!(best > 0) || !cti_finite64(best) || !cti_finite64(1 / best))
            return 0;
        pivot[k] = p;
        if (p != k)
            cti_lu_swap(top, D + (size_t)p * (size_t)ld, n);
        inverse = 1 / top[k], top[k] = 1;
        for (i = 0; i < n; i++)
            top[i] *= inverse;
        for (i = 0; i < n; i++) {
            double *row = D + (size_t)i * (size_t)ld, f = row[k];
            if (i == k || f == 0)
                continue;
            row[k] = 0;
            cti_lu_subtract(row, f, top, ld);
        }
    }
    for (k = n - 1; k >= 0; k--)
        for (i = 0; pivot[k] != k && i < n; i++) {
            double *row = D + (size_t)i * (size_t)ld, t = row[k];
            row[k] = row[pivot[k]], row[pivot[k]] = t;
        }
    return 1;
}

/* C = A B, or C -= A B: A [m][K] with rows lda apart, B [K][n] and C [m][n] with n in whole lanes */
static void cti_panel_lu_product(int m, int K, int n, const double *A, int lda, const double *B, double *C, int less)
{
    int i, j, q;
    for (i = 0; i < m; i += 4) {
        const double *a[4];
        int rows = cti_min_int(4, m - i);
        for (q = 0; q < 4; q++)
            a[q] = A + (size_t)(i + cti_min_int(q, rows - 1)) * (size_t)lda;
        for (j = 0; j < n; j += 8) {
            cti_d8 c[4];
            cti_k64_tile1(K, a, 1, B + j, (size_t)n, c);
            for (q = 0; q < rows; q++) {
                double *to = C + (size_t)(i + q) * (size_t)n + j;
                if (less)
                    cti_k64_sub1(to, c[q]);
                else
                    cti_d8_store(to, c[q]);
            }
        }
    }
}

/* eliminates position k: updates all later ones; the blocks right of its diagonal become D^-1 U */
static void cti_panel_lu_eliminate(cti_panel_lu *s, int k)
{
    const cti_block_lu *q = &s->plan;
    int e, g, m = s->size[k], ld = cti_pad8(m);
    const double *D = s->val + s->diag[k];
    for (e = q->ptr[k]; e < q->ptr[k + 1]; e++) {
        int n = cti_pad8(s->size[q->rows[e]]);
        double *U = s->val + s->upper[e];
        if (s->size[q->rows[e]] == 0)
            continue;
        cti_panel_lu_product(m, m, n, D, ld, U, s->work, 0);
        memcpy(U, s->work, sizeof *U * (size_t)m * (size_t)n);
    }
    for (e = q->ptr[k]; e < q->ptr[k + 1]; e++)
        for (g = q->ptr[k]; g < q->ptr[k + 1]; g++) {
            int i = q->rows[e], j = q->rows[g], at;
            if (s->size[i] == 0 || s->size[j] == 0)
                continue;
            at = i == j ? 0 : cti_panel_lu_find(q, cti_min_int(i, j), cti_max_int(i, j));
            cti_panel_lu_product(s->size[i], m, cti_pad8(s->size[j]), s->val + s->lower[e], ld, s->val + s->upper[g],
                                 s->val + (i == j ? s->diag[i] : (i > j ? s->lower[at] : s->upper[at])), 1);
        }
}

CTI_FN int cti_panel_lu_factor(cti_panel_lu *s)
{
    int k;
    for (k = 0; k < s->n; k++) {
        if (s->size[k] == 0)
            continue;
        if (!cti_panel_lu_invert(s->val + s->diag[k], s->size[k], s->pivot))
            return 0;
        cti_panel_lu_eliminate(s, k);
    }
    return 1;
}

CTI_FN int cti_panel_lu_place(const cti_panel_lu *s, int i) { return s->start[s->plan.inv[i]]; }

CTI_FN void cti_panel_lu_solve(cti_panel_lu *s, double *x)
{
    const cti_block_lu *q = &s->plan;
    int k, e, i;
    for (k = 0; k < s->n; k++) {
        int m = s->size[k], ld = cti_pad8(m);
        double *own = x + s->start[k];
        for (i = 0; i < m; i++)
            s->work[i] = cti_lu_dot(s->val + s->diag[k] + (size_t)i * (size_t)ld, own, m);
        memcpy(own, s->work, sizeof *own * (size_t)m);
        for (e = q->ptr[k]; e < q->ptr[k + 1]; e++)
            for (i = 0; i < s->size[q->rows[e]]; i++)
                x[s->start[q->rows[e]] + i] -= cti_lu_dot(s->val + s->lower[e] + (size_t)i * (size_t)ld, own, m);
    }
    for (k = s->n - 1; k >= 0; k--)
        for (e = q->ptr[k]; e < q->ptr[k + 1]; e++) {
            int j = q->rows[e], n = s->size[j];
            for (i = 0; i < s->size[k]; i++)
                x[s->start[k] + i] -= cti_lu_dot(s->val + s->upper[e] + (size_t)i * (size_t)cti_pad8(n), x + s->start[j], n);
        }
}
