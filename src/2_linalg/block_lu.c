/* block_lu.c -- LU of sparse matrices of 3x3 blocks with unsymmetric values.
   Method: the pattern is made symmetric and ordered by minimum degree. Elimination is right-looking; L and U share one pattern. A pivot is
   the inverse of a whole diagonal block, and blocks are not exchanged. This suits matrices whose diagonal blocks dominate, as those of
   contact problems do.
   Based on: Davis, Direct Methods for Sparse Linear Systems, 4.1 and 6.2. */
#include "block_lu.h"
#include "../0_base/sort.h"

enum { CTI_BLOCK_LU_LEAF = 200 };

CTI_FN void cti_block_lu_close(cti_mem *mem, cti_block_lu *s)
{
    CTI_FREE_SPAN(mem, s->perm, s->U);
    CTI_FREE(mem, s->work);
    memset(s, 0, sizeof *s);
}

/* symmetric pattern of the matrix */
static int cti_block_lu_pattern(cti_mem *mem, cti_bsr *G, int n, const int32_t *first, const int32_t *column)
{
    int32_t *pairs = NULL;
    int i, k, ok = CTI_RESIZE(mem, pairs, 2 * first[n] + 2);
    for (i = 0; ok && i < n; i++)
        for (k = first[i]; k < first[i + 1]; k++)
            pairs[2 * k] = i, pairs[2 * k + 1] = column[k];
    ok = ok && cti_bsr_pattern(mem, G, n, pairs, first[n]);
    CTI_FREE(mem, pairs);
    return ok;
}

static int cti_block_lu_order(cti_mem *mem, cti_block_lu *s, const cti_bsr *G)
{
    cti_graph g;
    int i, k, n = s->n, at = 0, ok;
    memset(&g, 0, sizeof g);
    if (!cti_graph_alloc(mem, &g, n, G->row[n] - n))
        return 0;
    for (g.ptr[0] = 0, i = 0; i < n; g.ptr[++i] = at)
        for (g.w[i] = 1, k = G->row[i]; k < G->row[i + 1]; k++)
            if (G->col[k] != i)
                g.ew[at] = 1, g.adj[at++] = G->col[k];
    ok = cti_order_dissect(mem, &g, CTI_BLOCK_LU_LEAF, s->perm);
    for (i = 0; ok && i < n; i++)
        s->inv[s->perm[i]] = i;
    cti_graph_free(mem, &g);
    return ok;
}

/* pattern of column k: the matrix's own positions and those of its children in the elimination tree (columns whose first entry is k);
   unsorted, appended to rows */
static int cti_block_lu_column(cti_mem *mem, cti_block_lu *s, const cti_bsr *G, int k, int *mark, int *child, int *next)
{
    int e, c, i = s->perm[k], start = CTI_LEN(s->rows), least = s->n, at;
    mark[k] = k;
    for (e = G->row[i]; e < G->row[i + 1]; e++) {
        at = s->inv[G->col[e]];
        if (at > k && mark[at] != k) {
            mark[at] = k;
            if (!CTI_PUSH(mem, s->rows, at))
                return 0;
        }
    }
    for (c = child[k]; c >= 0; c = next[c])
        for (e = s->ptr[c]; e < s->ptr[c + 1]; e++) {
            at = s->rows[e];
            if (mark[at] != k) {
                mark[at] = k;
                if (!CTI_PUSH(mem, s->rows, at))
                    return 0;
            }
        }
    for (e = start; e < CTI_LEN(s->rows); e++)
        least = cti_min_int(least, s->rows[e]);
    if (least < s->n)
        next[k] = child[least], child[least] = k;
    s->ptr[k + 1] = CTI_LEN(s->rows);
    return 1;
}

/* sorts the rows of all columns, by two transpositions */
static void cti_block_lu_sort(cti_block_lu *s, int *count, int *columns, int *rows)
{
    int n = s->n, k, e;
    memset(count, 0, sizeof *count * (size_t)(n + 1));
    for (e = 0; e < s->ptr[n]; e++)
        count[s->rows[e] + 1]++;
    cti_sort_starts(count, (size_t)n);
    for (k = 0; k < n; k++)
        for (e = s->ptr[k]; e < s->ptr[k + 1]; e++) {
            int at = count[s->rows[e]]++;
            columns[at] = k, rows[at] = s->rows[e];
        }
    memcpy(count, s->ptr, sizeof *count * (size_t)n);
    for (e = 0; e < s->ptr[n]; e++)
        s->rows[count[columns[e]]++] = rows[e];
}

static int cti_block_lu_fill(cti_mem *mem, cti_block_lu *s, const cti_bsr *G)
{
    int *mark = NULL, *child = NULL, *next = NULL, *columns = NULL, *rows = NULL, n = s->n, k;
    int ok = CTI_RESIZE(mem, mark, n + 1) && CTI_RESIZE(mem, child, n) && CTI_RESIZE(mem, next, n);
    for (k = 0; ok && k < n; k++)
        mark[k] = child[k] = next[k] = -1;
    for (k = 0; ok && k < n; k++)
        ok = cti_block_lu_column(mem, s, G, k, mark, child, next);
    ok = ok && CTI_RESIZE(mem, columns, s->ptr[n]) && CTI_RESIZE(mem, rows, s->ptr[n]);
    if (ok)
        cti_block_lu_sort(s, mark, columns, rows);
    for (s->flops = 0, k = 0; ok && k < n; k++)
        s->flops += 54.0 * (s->ptr[k + 1] - s->ptr[k]) * (s->ptr[k + 1] - s->ptr[k] + 1);
    CTI_FREE(mem, mark), CTI_FREE(mem, child), CTI_FREE(mem, next), CTI_FREE(mem, columns), CTI_FREE(mem, rows);
    return ok;
}

/* the place of each of the matrix's entries in D, L or U */
static void cti_block_lu_slots(cti_block_lu *s, const int32_t *first, const int32_t *column)
{
    int i, e;
    for (i = 0; i < s->n; i++)
        for (e = first[i]; e < first[i + 1]; e++) {
            int a = s->inv[i], b = s->inv[column[e]], k = cti_min_int(a, b), row = a > b ? a : b;
            s->side[e] = a == b ? 0 : (a > b ? 1 : 2);
            s->slot[e] = a == b ? a : cti_sort_lower(s->rows, 1, s->ptr[k], s->ptr[k + 1], row);
        }
}

CTI_FN int cti_block_lu_open(cti_mem *mem, cti_block_lu *s, int n, const int32_t *first, const int32_t *column)
{
    cti_bsr G;
    int ok;
    memset(&G, 0, sizeof G);
    s->n = n;
    ok = CTI_RESIZE(mem, s->perm, n) && CTI_RESIZE(mem, s->inv, n) && CTI_RESIZE(mem, s->ptr, n + 1) && CTI_RESIZE(mem, s->work, 3 * n) &&
         CTI_RESIZE(mem, s->slot, first[n]) && CTI_RESIZE(mem, s->side, first[n]) && CTI_RESIZE(mem, s->D, 9 * n);
    if (ok && n)
        ok = cti_block_lu_pattern(mem, &G, n, first, column) && cti_block_lu_order(mem, s, &G) && cti_block_lu_fill(mem, s, &G) &&
             CTI_RESIZE(mem, s->L, 9 * s->ptr[n]) && CTI_RESIZE(mem, s->U, 9 * s->ptr[n]);
    if (ok && n)
        cti_block_lu_slots(s, first, column);
    cti_bsr_free(mem, &G);
    if (!ok)
        cti_block_lu_close(mem, s);
    return ok;
}

static int cti_block_lu_invert(const double *A, double *out)
{
    double c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8], c2 = A[3] * A[7] - A[4] * A[6], det = A[0] * c0 + A[1] * c1 + A[2] * c2, s;
    if (!(fabs(det) > 0) || !cti_finite64(1 / det))
        return 0;
    s = 1 / det;
    out[0] = c0 * s, out[1] = (A[2] * A[7] - A[1] * A[8]) * s, out[2] = (A[1] * A[5] - A[2] * A[4]) * s;
    out[3] = c1 * s, out[4] = (A[0] * A[8] - A[2] * A[6]) * s, out[5] = (A[2] * A[3] - A[0] * A[5]) * s;
    out[6] = c2 * s, out[7] = (A[1] * A[6] - A[0] * A[7]) * s, out[8] = (A[0] * A[4] - A[1] * A[3]) * s;
    return 1;
}

/* C = A B */
CTI_INLINE void cti_block_lu_times(const double *A, const double *B, double *C)
{
    int a;
    for (a = 0; a < 3; a++, A += 3, C += 3) {
        C[0] = A[0] * B[0] + A[1] * B[3] + A[2] * B[6];
        C[1] = A[0] * B[1] + A[1] * B[4] + A[2] * B[7];
        C[2] = A[0] * B[2] + A[1] * B[5] + A[2] * B[8];
    }
}
/* C -= A B */
CTI_INLINE void cti_block_lu_less(const double *A, const double *B, double *C)
{
    int a;
    for (a = 0; a < 3; a++, A += 3, C += 3) {
        C[0] -= A[0] * B[0] + A[1] * B[3] + A[2] * B[6];
        C[1] -= A[0] * B[1] + A[1] * B[4] + A[2] * B[7];
        C[2] -= A[0] * B[2] + A[1] * B[5] + A[2] * B[8];
    }
}

/* eliminates position k: updates all later ones */
static void cti_block_lu_eliminate(cti_block_lu *s, int k)
{
    int e, g, at, end = s->ptr[k + 1];
    double *L = s->L, *U = s->U;
    for (e = s->ptr[k]; e < end; e++) {
        int j = s->rows[e];
        cti_block_lu_less(L + 9 * (size_t)e, U + 9 * (size_t)e, s->D + 9 * (size_t)j);
        /* the later positions of k are among those of j */
        for (at = s->ptr[j], g = e + 1; g < end; g++, at++) {
            while (s->rows[at] != s->rows[g])
                at++;
            cti_block_lu_less(L + 9 * (size_t)g, U + 9 * (size_t)e, L + 9 * (size_t)at);
            cti_block_lu_less(L + 9 * (size_t)e, U + 9 * (size_t)g, U + 9 * (size_t)at);
        }
    }
}

CTI_FN int cti_block_lu_factor(cti_block_lu *s, const double *block)
{
    int k, e, n = s->n, entries = CTI_LEN(s->slot);
    double inverse[9], *side[3];
    side[0] = s->D, side[1] = s->L, side[2] = s->U;
    if (n == 0)
        return 1;
    memset(s->D, 0, sizeof *s->D * 9 * (size_t)n);
    if (s->ptr[n]) {
        memset(s->L, 0, sizeof *s->L * 9 * (size_t)s->ptr[n]);
        memset(s->U, 0, sizeof *s->U * 9 * (size_t)s->ptr[n]);
    }
    for (e = 0; e < entries; e++)
        memcpy(side[s->side[e]] + 9 * (size_t)s->slot[e], block + 9 * (size_t)e, 9 * sizeof *block);
    for (k = 0; k < n; k++) {
        if (!cti_block_lu_invert(s->D + 9 * (size_t)k, inverse))
            return 0;
        memcpy(s->D + 9 * (size_t)k, inverse, sizeof inverse);
        for (e = s->ptr[k]; e < s->ptr[k + 1]; e++) {
            double t[9];
            cti_block_lu_times(s->L + 9 * (size_t)e, inverse, t);
            memcpy(s->L + 9 * (size_t)e, t, sizeof t);
        }
        cti_block_lu_eliminate(s, k);
    }
    return 1;
}

/* y -= A x */
static void cti_block_lu_apply(const double *A, const double *x, double *y)
{
    y[0] -= A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    y[1] -= A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
    y[2] -= A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}

CTI_FN void cti_block_lu_solve(cti_block_lu *s, double *x)
{
    double *y = s->work;
    int k, e;
    for (k = 0; k < s->n; k++)
        memcpy(y + 3 * (size_t)k, x + 3 * (size_t)s->perm[k], 3 * sizeof *y);
    for (k = 0; k < s->n; k++)
        for (e = s->ptr[k]; e < s->ptr[k + 1]; e++)
            cti_block_lu_apply(s->L + 9 * (size_t)e, y + 3 * (size_t)k, y + 3 * (size_t)s->rows[e]);
    for (k = s->n - 1; k >= 0; k--) {
        double t[3], *yk = y + 3 * (size_t)k, z[3] = {0, 0, 0};
        memcpy(t, yk, sizeof t);
        for (e = s->ptr[k]; e < s->ptr[k + 1]; e++)
            cti_block_lu_apply(s->U + 9 * (size_t)e, y + 3 * (size_t)s->rows[e], t);
        cti_block_lu_apply(s->D + 9 * (size_t)k, t, z);
        yk[0] = -z[0], yk[1] = -z[1], yk[2] = -z[2];
        memcpy(x + 3 * (size_t)s->perm[k], yk, sizeof t);
    }
}
