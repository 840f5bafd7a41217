/* lu3.h -- LU of sparse matrices of 3x3 blocks in double, whose values are unsymmetric and whose pattern is symmetric. */
#pragma once

#include "panel_lu.h"

/* cti_lu3 -- zero it before first use. Arrays are stb_ds arrays. */
typedef struct cti_lu3 {
    cti_panel_lu order; /* analysis alone: the order of elimination and the pattern of fill */
    double *val;        /* [9 (n + 2 fill)] the diagonal, then of each entry the block below it and the one right of it */
    int32_t *pivot;     /* [3 n] rows of the diagonal blocks */
} cti_lu3;

/* cti_lu3_open -- analysis and memory of n x n blocks; arguments as of cti_panel_lu_open. 0: out of memory. */
CTI_FN int cti_lu3_open(cti_mem *mem, cti_lu3 *s, int n, const int32_t *first, const int32_t *column);
/* cti_lu3_clear -- all blocks become 0. cti_lu3_block -- block (i, j) [9], row by row, to be written before the factorization. */
CTI_FN void cti_lu3_clear(cti_lu3 *s);
CTI_FN double *cti_lu3_block(cti_lu3 *s, int i, int j);
/* cti_lu3_factor -- 0 when a diagonal block is singular or not finite: rows are exchanged within blocks only. */
CTI_FN int cti_lu3_factor(cti_lu3 *s);
/* cti_lu3_solve -- x [3 n] = A^-1 b [3 n]; they may not overlap. */
CTI_FN void cti_lu3_solve(const cti_lu3 *s, const double *b, double *x);
