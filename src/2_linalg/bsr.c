/* bsr.c -- block-sparse rows with 3x3 blocks: pattern, slots, product.
   Method: the directed pairs and the diagonal are counting-sorted by column, then stably by row; duplicates are dropped. The product sums a
   block's three terms first and adds that sum to the row's, so that a block costs the latency of one addition. The product is bound by
   memory. Based on: the usual compressed row storage (Saad, Iterative Methods for Sparse Linear Systems, 3.4). */
#include "bsr.h"

/* counting sort of the items (row, col) by key into (row2, col2); head is [n + 1] */
static void cti_bsr_sort(int n, int m, const int *key, const int *row, const int *col, int *row2, int *col2, int *head)
{
    int i;
    memset(head, 0, ((size_t)n + 1) * sizeof *head);
    for (i = 0; i < m; i++)
        head[key[i] + 1]++;
    for (i = 0; i < n; i++)
        head[i + 1] += head[i];
    for (i = 0; i < m; i++) {
        int at = head[key[i]]++;
        row2[at] = row[i];
        col2[at] = col[i];
    }
}

/* drops duplicates of the sorted items and writes rows, columns, diagonal slots; returns the number of blocks */
static int cti_bsr_compress(cti_bsr *A, int n, int m, const int *row, const int *col)
{
    int i, r = -1, k = 0;
    for (i = 0; i < m; i++) {
        if (i > 0 && row[i] == row[i - 1] && col[i] == col[i - 1])
            continue;
        while (r < row[i])
            A->row[++r] = k;
        if (col[i] == r)
            A->diag[r] = k;
        A->col[k++] = col[i];
    }
    A->row[n] = k;
    return k;
}

CTI_FN int cti_bsr_shape(cti_mem *mem, cti_bsr *A, int n, const int32_t *pairs, int n_pairs)
{
    int *w = NULL, *r0, *c0, *r1, *c1, m = 2 * n_pairs + n, i, k, ok = 0;
    A->n = 0;
    if (!CTI_RESERVE(mem, w, 4 * (int64_t)m + n + 1))
        goto done;
    if (!CTI_RESIZE(mem, A->row, n + 1) || !CTI_RESIZE(mem, A->diag, n) || !CTI_RESIZE(mem, A->col, m))
        goto done;
    r0 = w, c0 = r0 + m, r1 = c0 + m, c1 = r1 + m;
    for (i = 0; i < n_pairs; i++) {
        CTI_ASSERT(pairs[2 * i] >= 0 && pairs[2 * i] < n && pairs[2 * i + 1] >= 0 && pairs[2 * i + 1] < n);
        r0[2 * i] = c0[2 * i + 1] = pairs[2 * i];
        c0[2 * i] = r0[2 * i + 1] = pairs[2 * i + 1];
    }
    for (i = 0; i < n; i++)
        r0[2 * n_pairs + i] = c0[2 * n_pairs + i] = i;
    cti_bsr_sort(n, m, c0, r0, c0, r1, c1, c1 + m);
    cti_bsr_sort(n, m, r1, r1, c1, r0, c0, c1 + m);
    if (n == 0)
        A->row[0] = 0;
    k = cti_bsr_compress(A, n, m, r0, c0);
    if (!CTI_RESIZE(mem, A->col, k))
        goto done;
    A->n = n;
    ok = 1;
done:
    CTI_FREE(mem, w);
    return ok;
}

CTI_FN int cti_bsr_pattern(cti_mem *mem, cti_bsr *A, int n, const int32_t *pairs, int n_pairs)
{
    if (!cti_bsr_shape(mem, A, n, pairs, n_pairs))
        return 0;
    CTI_CLEAR(A->val); /* all entries are new: zero them */
    if (CTI_RESIZE(mem, A->val, 9 * (size_t)A->row[n]))
        return 1;
    A->n = 0;
    return 0;
}

CTI_FN int cti_bsr_slot(const cti_bsr *A, int i, int j)
{
    int lo = A->row[i], hi = A->row[i + 1];
    if (i == j)
        return A->diag[i];
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (A->col[mid] < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < A->row[i + 1] && A->col[lo] == j ? lo : -1;
}

CTI_FN void cti_bsr_free(cti_mem *mem, cti_bsr *A)
{
    CTI_FREE(mem, A->row);
    CTI_FREE(mem, A->col);
    CTI_FREE(mem, A->diag);
    CTI_FREE(mem, A->val);
    A->n = 0;
}

CTI_FN void cti_bsr_mul(const cti_bsr *A, const ct_real *x, ct_real *y)
{
    int i, k;
    for (i = 0; i < A->n; i++) {
        ct_real s0 = 0, s1 = 0, s2 = 0;
        const ct_real *v = A->val + 9 * (size_t)A->row[i];
        for (k = A->row[i]; k < A->row[i + 1]; k++, v += 9) {
            const ct_real *p = x + 3 * (size_t)A->col[k];
            ct_real a = p[0], b = p[1], c = p[2];
            s0 += v[0] * a + v[1] * b + v[2] * c;
            s1 += v[3] * a + v[4] * b + v[5] * c;
            s2 += v[6] * a + v[7] * b + v[8] * c;
        }
        y[3 * i] = s0, y[3 * i + 1] = s1, y[3 * i + 2] = s2;
    }
}

CTI_FN void cti_bsr_residual_rows(const cti_bsr *A, const ct_real *b, const ct_real *x, ct_real *r, int begin, int end)
{
    int i, k;
    for (i = begin; i < end; i++) {
        ct_real s0 = 0, s1 = 0, s2 = 0;
        const ct_real *v = A->val + 9 * (size_t)A->row[i];
        for (k = A->row[i]; k < A->row[i + 1]; k++, v += 9) {
            const ct_real *p = x + 3 * (size_t)A->col[k];
            ct_real a = p[0], e = p[1], c = p[2];
            s0 += v[0] * a + v[1] * e + v[2] * c;
            s1 += v[3] * a + v[4] * e + v[5] * c;
            s2 += v[6] * a + v[7] * e + v[8] * c;
        }
        r[3 * i] = b[3 * i] - s0, r[3 * i + 1] = b[3 * i + 1] - s1, r[3 * i + 2] = b[3 * i + 2] - s2;
    }
}

CTI_FN void cti_bsr_float_row(const cti_bsr *A, int i, float *row)
{
    int k, r, c;
    for (k = A->row[i]; k < A->row[i + 1]; k++, row += 9)
        for (r = 0; r < 3; r++)
            for (c = 0; c < 3; c++)
                row[3 * c + r] = (float)A->val[9 * (size_t)k + (size_t)(3 * r + c)];
}
