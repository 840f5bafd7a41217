/* bsr.h -- symmetric matrices of 3x3 blocks, compressed by rows. Both triangles are stored, so that a product reads memory in one stream.
   Columns are sorted in each row and the diagonal block is always there. An element finds its blocks once and keeps their slots. */
#pragma once

#include "../0_base/array.h"
#include "../1_math/simd.h"
#include "../1_math/vec.h"

/* cti_bsr -- zero it before first use. All arrays are stb_ds arrays. */
typedef struct cti_bsr {
    int n;        /* block rows */
    int *row;     /* [n + 1] first slot of each row */
    int *col;     /* [nnz] */
    int *diag;    /* [n] slot of the diagonal block */
    ct_real *val; /* [9 nnz] blocks, row-major */
} cti_bsr;

/* cti_bsr_pattern -- pattern from unordered block pairs (i, j), 0 <= i, j < n; duplicates and i == j are allowed. val is zeroed.
   pairs  in  [2 n_pairs]
   returns 1, or 0 when memory ran out (A may then only be freed or built again). Linear time: two counting sorts. */
CTI_FN int cti_bsr_pattern(cti_mem *mem, cti_bsr *A, int n, const int32_t *pairs, int n_pairs);
/* cti_bsr_shape -- the same without val, for callers that keep the values elsewhere. */
CTI_FN int cti_bsr_shape(cti_mem *mem, cti_bsr *A, int n, const int32_t *pairs, int n_pairs);
/* cti_bsr_slot -- number of block (i, j), or -1. */
CTI_FN int cti_bsr_slot(const cti_bsr *A, int i, int j);
CTI_FN void cti_bsr_free(cti_mem *mem, cti_bsr *A);
/* cti_bsr_mul -- y = A x; x and y [3 n], not the same. Sums are ct_real. */
CTI_FN void cti_bsr_mul(const cti_bsr *A, const ct_real *x, ct_real *y);
/* cti_bsr_residual_rows -- r = b - A x of block rows [begin, end); r may be b, not x. */
CTI_FN void cti_bsr_residual_rows(const cti_bsr *A, const ct_real *b, const ct_real *x, ct_real *r, int begin, int end);

/* cti_bsr_row -- (A x)_i of one block row, summed in double; x [3 n]. Terms cancel: what float leaves of a sheet's moves it out of plane. */
CTI_INLINE cti_v3 cti_bsr_row(const cti_bsr *A, const ct_real *x, int i)
{
    double u = 0, v = 0, w = 0;
    int k;
    for (k = A->row[i]; k < A->row[i + 1]; k++) {
        const ct_real *m = A->val + 9 * (size_t)k, *y = x + 3 * (size_t)A->col[k];
        u += (double)m[0] * (double)y[0] + (double)m[1] * (double)y[1] + (double)m[2] * (double)y[2];
        v += (double)m[3] * (double)y[0] + (double)m[4] * (double)y[1] + (double)m[5] * (double)y[2];
        w += (double)m[6] * (double)y[0] + (double)m[7] * (double)y[1] + (double)m[8] * (double)y[2];
    }
    return cti_v3_make((ct_real)u, (ct_real)v, (ct_real)w);
}
/* cti_bsr_constrain -- A x = sign b becomes S A S x + s (I - S) x = sign (S (b - sign A v) + sign s v): x = v in the directions that the projectors
   S take out, s the mean of the diagonal. filter [n]: number of a block's projector in projectors [9 m], -1: none; v [3 n] is 0 where that is. */
CTI_FN void cti_bsr_constrain(cti_bsr *A, const int32_t *filter, const ct_real *projectors, const ct_real *v, ct_real sign, ct_real *b);

/* cti_bsr_float_row -- row i of A in float, block by block, each column by column. row [9 m] for m blocks. */
CTI_FN void cti_bsr_float_row(const cti_bsr *A, int i, float *row);
/* cti_blocks_mul2 -- two 3x3 blocks: a x in lanes 0-2, b y in lanes 4-6; lanes 3 and 7 are unspecified. a and b are stored column by
   column; one more float behind each is read and must be finite. x and y have three numbers and one that is ignored. */
CTI_INLINE cti_f8 cti_blocks_mul2(const float *a, const float *b, const float *x, const float *y)
{
    cti_f8 v = cti_f8_load44(x, y);
    cti_f8 s = cti_f8_mad(cti_f8_mul(cti_f8_load44(a, b), cti_f8_spread0(v)), cti_f8_load44(a + 3, b + 3), cti_f8_spread1(v));
    return cti_f8_mad(s, cti_f8_load44(a + 6, b + 6), cti_f8_spread2(v));
}
/* cti_blocks_dot -- the sum of n blocks times those of x [4 ...] at col [n], in lanes 0 to 2; one more number behind the blocks is read and must be
   finite */
CTI_INLINE cti_f8 cti_blocks_dot(const float *a, const int32_t *col, int n, const float *x)
{
    static const float zero[12] = {0};
    cti_f8 sum = cti_f8_set(0);
    int k;
    /* two blocks at a time, one in each half; an odd one is paired with zeros */
    for (k = 0; k + 1 < n; k += 2, a += 18)
        sum = cti_f8_add(sum, cti_blocks_mul2(a, a + 9, x + 4 * (size_t)col[k], x + 4 * (size_t)col[k + 1]));
    if (k < n)
        sum = cti_f8_add(sum, cti_blocks_mul2(a, zero, x + 4 * (size_t)col[k], zero));
    return cti_f8_fold(sum);
}
/* cti_bsr_float_dot -- (A x)_i in lanes 0 to 2, from a row of cti_bsr_float_row with one more finite number behind it; x [4 n] */
CTI_INLINE cti_f8 cti_bsr_float_dot(const cti_bsr *A, const float *row, const float *x, int i)
{
    return cti_blocks_dot(row, A->col + A->row[i], A->row[i + 1] - A->row[i], x);
}
