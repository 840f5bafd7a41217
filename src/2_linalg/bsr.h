/* bsr.h -- symmetric matrices of 3x3 blocks, compressed by rows. Both triangles are stored, columns are sorted in each row and the diagonal
   block is always there, so that a product is one stream and an element's blocks are found once and kept as slots. */
#ifndef CTI_BSR_H
#define CTI_BSR_H

#include "../0_base/array.h"
#include "../1_math/simd.h"

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
/* cti_bsr_slot -- number of block (i, j), or -1. */
CTI_FN int cti_bsr_slot(const cti_bsr *A, int i, int j);
CTI_FN void cti_bsr_free(cti_mem *mem, cti_bsr *A);
CTI_FN void cti_bsr_zero(cti_bsr *A);
/* cti_bsr_mul -- y = A x; x and y [3 n], not the same. */
CTI_FN void cti_bsr_mul(const cti_bsr *A, const ct_real *x, ct_real *y);
/* cti_bsr_residual -- r = b - A x; r may be b, not x. */
CTI_FN void cti_bsr_residual(const cti_bsr *A, const ct_real *b, const ct_real *x, ct_real *r);

#endif /* CTI_BSR_H */
