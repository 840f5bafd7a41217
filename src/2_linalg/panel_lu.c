/* panel_lu.c -- LU by groups of unknowns.
   Method: the pattern of the groups is made symmetric and ordered by nested dissection; L and U share one pattern of fill. Elimination is
   right-looking. The diagonal block is inverted with row exchanges and multiplied into the blocks right of it. The tile of kernel.h then subtracts
   their products with the blocks below from the rest. Rows are not exchanged between groups, which suits matrices whose diagonal blocks dominate,
   as those of contact problems do. Based on: Golub and Van Loan, Matrix Computations, 3.2 and 3.4 (block LU, Gauss-Jordan); Davis, Direct Methods
   for Sparse Linear Systems, 4.1 and 6.2. */
#include "panel_lu.h"
#include "../0_base/sort.h"
#include "lu.h"
#include "order.h"

enum { CTI_PANEL_LU_LEAF = 200 }; /* [groups] of a part that is not dissected further */

/* ---- order and fill ---- */

/* symmetric pattern of the matrix */
static int cti_panel_lu_pattern(cti_mem *mem, cti_bsr *G, int n, const int32_t *first, const int32_t *column)
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

static int cti_panel_lu_order(cti_mem *mem, cti_panel_lu *s, const cti_bsr *G)
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
    ok = cti_order_dissect(mem, &g, CTI_PANEL_LU_LEAF, NULL, s->perm);
    for (i = 0; ok && i < n; i++)
        s->inv[s->perm[i]] = i;
    cti_graph_free(mem, &g);
    return ok;
}

/* pattern of column k: the matrix's own positions and those of its children in the elimination tree (columns whose first entry is k);
   unsorted, appended to rows */
static int cti_panel_lu_column(cti_mem *mem, cti_panel_lu *s, const cti_bsr *G, int k, int *mark, int *child, int *next)
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
static void cti_panel_lu_sort(cti_panel_lu *s, int *count, int *columns, int *rows)
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

static int cti_panel_lu_fill(cti_mem *mem, cti_panel_lu *s, const cti_bsr *G)
{
    int *mark = NULL, *child = NULL, *next = NULL, *columns = NULL, *rows = NULL, n = s->n, k;
    int ok = CTI_RESIZE(mem, mark, n + 1) && CTI_RESIZE(mem, child, n) && CTI_RESIZE(mem, next, n);
    for (k = 0; ok && k < n; k++)
        mark[k] = child[k] = next[k] = -1;
    for (k = 0; ok && k < n; k++)
        ok = cti_panel_lu_column(mem, s, G, k, mark, child, next);
    ok = ok && CTI_RESIZE(mem, columns, s->ptr[n]) && CTI_RESIZE(mem, rows, s->ptr[n]);
    if (ok)
        cti_panel_lu_sort(s, mark, columns, rows);
    CTI_FREE(mem, mark), CTI_FREE(mem, child), CTI_FREE(mem, next), CTI_FREE(mem, columns), CTI_FREE(mem, rows);
    return ok;
}

CTI_FN int cti_panel_lu_open(cti_mem *mem, cti_panel_lu *s, int n, const int32_t *first, const int32_t *column)
{
    cti_bsr G;
    int ok;
    memset(&G, 0, sizeof G);
    s->n = n;
    ok = CTI_RESIZE(mem, s->perm, n) && CTI_RESIZE(mem, s->inv, n) && CTI_RESIZE(mem, s->ptr, n + 1) && CTI_RESIZE(mem, s->size, n) &&
         CTI_RESIZE(mem, s->start, n + 1) && CTI_RESIZE(mem, s->diag, n);
    if (ok && n)
        ok = cti_panel_lu_pattern(mem, &G, n, first, column) && cti_panel_lu_order(mem, s, &G) && cti_panel_lu_fill(mem, s, &G);
    ok = ok && CTI_RESIZE(mem, s->lower, s->ptr[n]) && CTI_RESIZE(mem, s->upper, s->ptr[n]);
    cti_bsr_free(mem, &G);
    if (!ok)
        cti_panel_lu_close(mem, s);
    return ok;
}

CTI_FN void cti_panel_lu_close(cti_mem *mem, cti_panel_lu *s)
{
    CTI_FREE_SPAN(mem, s->perm, s->pivot);
    memset(s, 0, sizeof *s);
}

/* ---- numbers ---- */

CTI_FN int cti_panel_lu_clear(cti_mem *mem, cti_panel_lu *s, const int32_t *size)
{
    size_t at = 0;
    int k, e, most = 0;
    for (s->start[0] = 0, k = 0; k < s->n; k++) {
        s->size[k] = size[s->perm[k]];
        s->start[k + 1] = s->start[k] + cti_pad8(s->size[k]);
        most = cti_max_int(most, s->size[k]);
    }
    s->unknowns = s->start[s->n];
    for (k = 0; k < s->n; k++) {
        size_t rows = (size_t)s->size[k], ld = (size_t)cti_pad8(s->size[k]);
        s->diag[k] = at, at += rows * ld;
        for (e = s->ptr[k]; e < s->ptr[k + 1]; e++) {
            size_t other = (size_t)s->size[s->rows[e]], right = rows * (size_t)cti_pad8((int)other);
            s->lower[e] = at, at += other * ld > right ? other * ld : right;
            s->upper[e] = at, at += right;
        }
    }
    if (at > 2000000000u || !CTI_ZEROS(mem, s->val, (int)at + 8) || !CTI_RESIZE(mem, s->work, (most + 8) * (most + 16) + 8) ||
        !CTI_RESIZE(mem, s->pivot, most + 1))
        return 0;
    return 1;
}

CTI_FN double *cti_panel_lu_block(cti_panel_lu *s, int i, int j, int *ld)
{
    int a = s->inv[i], b = s->inv[j], e;
    *ld = cti_pad8(s->size[b]);
    if (a == b)
        return s->val + s->diag[a];
    e = cti_sort_find(s->rows, 1, s->ptr[cti_min_int(a, b)], s->ptr[cti_min_int(a, b) + 1], cti_max_int(a, b));
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

/* A [m][n] in rows of whole lanes becomes its transpose, likewise; scratch [n][m in whole lanes] */
static void cti_panel_lu_transpose(double *A, int m, int n, double *scratch)
{
    int i, j, from = cti_pad8(n), to = cti_pad8(m);
    memset(scratch, 0, sizeof *A * (size_t)n * (size_t)to);
    for (i = 0; i < m; i++)
        for (j = 0; j < n; j++)
            scratch[j * to + i] = A[i * from + j];
    memcpy(A, scratch, sizeof *A * (size_t)n * (size_t)to);
}

/* C = A'B, or C -= A'B: A [K][m], B [K][n], C [m][n], all in rows of whole lanes */
static void cti_panel_lu_product(int m, int K, int n, const double *A, const double *B, double *C, int less)
{
    int i, j, q, lda = cti_pad8(m), ld = cti_pad8(n);
    for (i = 0; i < m; i += 4) {
        const double *a[4];
        int rows = cti_min_int(4, m - i);
        for (q = 0; q < 4; q++)
            a[q] = A + i + cti_min_int(q, rows - 1);
        for (j = 0; j < ld; j += 8) {
            cti_d8 c[4];
            cti_k64_tile1(K, a, (size_t)lda, B + j, (size_t)ld, c);
            for (q = 0; q < rows; q++) {
                double *to = C + (size_t)(i + q) * (size_t)ld + j;
                if (less)
                    cti_k64_sub1(to, c[q]);
                else
                    cti_d8_store(to, c[q]);
            }
        }
    }
}

/* Eliminates position k: updates all later ones. The blocks right of its diagonal become D^-1 U; D^-1 and the blocks below it are transposed */
static void cti_panel_lu_eliminate(cti_panel_lu *s, int k)
{
    int e, g, at, m = s->size[k];
    cti_panel_lu_transpose(s->val + s->diag[k], m, m, s->work);
    for (e = s->ptr[k]; e < s->ptr[k + 1]; e++) {
        int n = s->size[s->rows[e]];
        double *U = s->val + s->upper[e];
        cti_panel_lu_product(m, m, n, s->val + s->diag[k], U, s->work, 0);
        memcpy(U, s->work, sizeof *U * (size_t)m * (size_t)cti_pad8(n));
        cti_panel_lu_transpose(s->val + s->lower[e], n, m, s->work);
    }
    for (e = s->ptr[k]; e < s->ptr[k + 1]; e++) {
        int i = s->rows[e], n = s->size[i];
        const double *L = s->val + s->lower[e], *U = s->val + s->upper[e];
        cti_panel_lu_product(n, m, n, L, U, s->val + s->diag[i], 1);
        /* the later positions of k are among those of i */
        for (at = s->ptr[i], g = e + 1; g < s->ptr[k + 1]; g++, at++) {
            while (s->rows[at] != s->rows[g])
                at++;
            cti_panel_lu_product(s->size[s->rows[g]], m, n, s->val + s->lower[g], U, s->val + s->lower[at], 1);
            cti_panel_lu_product(n, m, s->size[s->rows[g]], L, s->val + s->upper[g], s->val + s->upper[at], 1);
        }
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

CTI_FN int cti_panel_lu_place(const cti_panel_lu *s, int i) { return s->start[s->inv[i]]; }

/* y = A'x, or y -= A'x: A [m][n] and y [n] in whole lanes */
static void cti_panel_lu_apply(int m, int n, const double *A, const double *x, double *y, int less)
{
    int i, j;
    for (j = 0; j < n; j += 8) {
        cti_d8 sum = cti_d8_set(0);
        for (i = 0; i < m; i++)
            sum = cti_d8_add(sum, cti_d8_mul(cti_d8_set(x[i]), cti_d8_load(A + (size_t)i * (size_t)cti_pad8(n) + j)));
        cti_d8_store(y + j, less ? cti_d8_sub(cti_d8_load(y + j), sum) : sum);
    }
}

CTI_FN void cti_panel_lu_solve(cti_panel_lu *s, double *x)
{
    int k, e, i, j;
    for (k = 0; k < s->n; k++) {
        int m = s->size[k];
        double *own = x + s->start[k];
        cti_panel_lu_apply(m, m, s->val + s->diag[k], own, s->work, 0);
        memcpy(own, s->work, sizeof *own * (size_t)cti_pad8(m));
        for (e = s->ptr[k]; e < s->ptr[k + 1]; e++)
            cti_panel_lu_apply(m, s->size[s->rows[e]], s->val + s->lower[e], own, x + s->start[s->rows[e]], 1);
    }
    for (k = s->n - 1; k >= 0; k--)
        for (i = 0; i < s->size[k]; i++) {
            cti_d8 sum = cti_d8_set(0);
            for (e = s->ptr[k]; e < s->ptr[k + 1]; e++) {
                int ld = cti_pad8(s->size[s->rows[e]]);
                const double *row = s->val + s->upper[e] + (size_t)i * (size_t)ld, *y = x + s->start[s->rows[e]];
                for (j = 0; j < ld; j += 8)
                    sum = cti_d8_add(sum, cti_d8_mul(cti_d8_load(row + j), cti_d8_load(y + j)));
            }
            x[s->start[k] + i] -= cti_d8_sum(sum);
        }
}
