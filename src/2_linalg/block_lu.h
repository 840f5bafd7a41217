/* block_lu.h -- LU of sparse matrices of 3x3 blocks with unsymmetric values, without exchanges between blocks. */
#pragma once

#include "bsr.h"
#include "order.h"

/* cti_block_lu -- zero it before first use. All arrays are stb_ds arrays. Column k of L and row k of U have the same pattern. */
typedef struct cti_block_lu {
    int n;
    int *perm, *inv;   /* order of elimination and its inverse */
    int *ptr, *rows;   /* [n + 1], [ptr[n]] positions above k in column k, ascending */
    int *slot, *side;  /* for every entry of the matrix: its block in the array that side names: 0 D (diagonal), 1 L, 2 U */
    double *D, *L, *U; /* inverses of the pivots; blocks of the factors */
    double flops;      /* additions and multiplications of one factorization */
    double *work;      /* [3 n] */
} cti_block_lu;

/* cti_block_lu_open -- symbolic analysis of a matrix whose row i has the columns column[first[i]] .. column[first[i + 1] - 1], in any
   order. 0 when memory ran out. */
CTI_FN int cti_block_lu_open(cti_mem *mem, cti_block_lu *s, int n, const int32_t *first, const int32_t *column);
/* cti_block_lu_factor -- block [9 first[n]]: the entries in the order of `column`. 0 when a pivot block is singular or not finite. */
CTI_FN int cti_block_lu_factor(cti_block_lu *s, const double *block);
/* cti_block_lu_solve -- x [3 n] = A^-1 x. */
CTI_FN void cti_block_lu_solve(cti_block_lu *s, double *x);
CTI_FN void cti_block_lu_close(cti_mem *mem, cti_block_lu *s);
