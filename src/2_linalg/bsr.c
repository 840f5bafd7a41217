/* bsr.c -- block-sparse rows with 3x3 blocks: pattern, slots, product.
   Method: the directed pairs and the diagonal are counting-sorted by column, then stably by row; duplicates are dropped. The product sums a
   block's three terms first and adds that sum to the row's, so that a block costs the latency of one addition. The product is bound by
   memory. Based on: the usual compressed row storage (Saad, Iterative Methods for Sparse Linear Systems, 3.4). */
#include "bsr.h"
#include "../0_base/sort.h"

/* counting sort of the items (row, col) by key into (row2, col2); head is [n + 1] */
static void cti_bsr_sort(int n, int m, const int *key, const int *row, const int *col, int *row2, int *col2, int *head)
{
    int i;
    memset(head, 0, ((size_t)n + 1) * sizeof *head);
    for (i = 0; i < m; i++)
        head[key[i] + 1]++;
    cti_sort_starts(head, (size_t)n);
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
    return i == j ? A->diag[i] : cti_sort_find(A->col, 1, A->row[i], A->row[i + 1], j);
}

CTI_FN void cti_bsr_free(cti_mem *mem, cti_bsr *A)
{
    CTI_FREE_SPAN(mem, A->row, A->val);
    A->n = 0;
}

CTI_FN void cti_bsr_mul(const cti_bsr *A, const ct_real *x, ct_real *y)
{
    int i, k;
    for (i = 0; i < A->n; i++) {
        cti_v3 s = cti_v3_zero();
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            s = cti_v3_add(s, cti_m3_mul_v(A->val + 9 * (size_t)k, cti_v3_at(x, A->col[k])));
        cti_v3_put(y, i, s);
    }
}

CTI_FN void cti_bsr_residual_rows(const cti_bsr *A, const ct_real *b, const ct_real *x, ct_real *r, int begin, int end)
{
    int i;
    for (i = begin; i < end; i++)
        cti_v3_put(r, i, cti_v3_sub(cti_v3_at(b, i), cti_bsr_row(A, x, i)));
}

/* B = P B, or B P: most often P is zero */
static void cti_bsr_project(ct_real *B, const ct_real *P, int left)
{
    cti_m3 m;
    if (P[0] == 0 && P[4] == 0 && P[8] == 0)
        memset(B, 0, sizeof m.m);
    else {
        m = left ? cti_m3_mul(P, B) : cti_m3_mul(B, P);
        memcpy(B, m.m, sizeof m.m);
    }
}

CTI_FN void cti_bsr_constrain(cti_bsr *A, const int32_t *filter, const ct_real *projectors, const ct_real *v, ct_real sign, ct_real *b)
{
    int i, k, e;
    for (i = 0; i < A->n; i++) {
        const ct_real *Si = filter[i] >= 0 ? projectors + 9 * (size_t)filter[i] : NULL;
        ct_real *D = A->val + 9 * (size_t)A->diag[i], scale = Si ? (D[0] + D[4] + D[8]) / 3 : 0;
        for (k = A->row[i]; k < A->row[i + 1]; k++) {
            int column = filter[A->col[k]];
            ct_real *B = A->val + 9 * (size_t)k;
            if (column >= 0)
                cti_v3_addto(b, i, cti_v3_mul(cti_m3_mul_v(B, cti_v3_at(v, A->col[k])), -sign));
            if (Si)
                cti_bsr_project(B, Si, 1);
            if (column >= 0)
                cti_bsr_project(B, projectors + 9 * (size_t)column, 0);
        }
        if (!Si)
            continue;
        for (e = 0; e < 9; e++)
            D[e] += scale * ((e % 4 == 0 ? 1 : 0) - Si[e]);
        cti_v3_put(b, i, cti_v3_mad(cti_m3_mul_v(Si, cti_v3_at(b, i)), cti_v3_at(v, i), sign * scale));
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
