/* twogrid.h -- an approximate inverse of a large symmetric matrix of 3x3 blocks: a sweep of Gauss-Seidel over blocks, a coarse correction by rigid
   motions of parts of the body, and the sweep backwards. Time and memory are linear but for the factor of the coarse matrix, two blocks a part. A
   cube of 36,000 blocks takes a twentieth of the time and a seventh of the memory of its factor in float. As a preconditioner it leaves 2 to 4
   conjugate gradients to a tenth of the error, 8 to 13 to a thousandth, at any size. Sweeps are in float, the coarse factor is in double. */
#pragma once

#include "supernodal.h"

/* cti_twogrid -- what inverses of one matrix share. Its blocks have local numbers 0 .. n-1. Zero it before first use. */
typedef struct cti_twogrid {
    int n, n_parts;
    int *row, *middle, *col; /* [n + 1], [n], [row[n]] pattern without the diagonal; middle: first of a row's columns above it */
    int *part;               /* [n] part of a block */
    float *val;              /* [9 row[n] + 1] blocks times unit, each column by column */
    float *diagonal;         /* [12 n] blocks times unit, three columns of four */
    float *arm;              /* [4 n] place of a block from its part's centre, over the part's size */
    double unit;             /* a power of 2: 1 over the mean of the diagonal */
    cti_bsr coarse;          /* two blocks a part: translation, rotation. Its values are those of the last inverse */
    cti_symbolic symbolic;
    cti_gather gather;
} cti_twogrid;

/* cti_twogrid_inverse -- that of the matrix with a diagonal of its own. Zero it before first use. Read-only once computed: threads may apply it, each
   with its own work. */
typedef struct cti_twogrid_inverse {
    const cti_twogrid *grid;
    float *inverse;            /* [12 n] inverses of the diagonal's blocks over unit, three columns of four */
    cti_factor64 factor;       /* of the coarse matrix */
} cti_twogrid_inverse;

/* cti_twogrid_parts -- A's blocks part by part: at [n + 1] are starts in blocks. */
typedef struct cti_twogrid_parts {
    const int32_t *blocks, *at;
    int n;
} cti_twogrid_parts;
/* cti_twogrid_make -- the pattern of a component: blocks [n] of A, sorted, that no other blocks are coupled to. rank: local numbers of A's blocks. 0
   when memory ran out. */
CTI_FN int cti_twogrid_make(cti_mem *mem, cti_twogrid *g, const cti_bsr *A, const int32_t *blocks, int n, const int32_t *rank,
                            const cti_twogrid_parts *parts);
/* cti_twogrid_fill -- takes the blocks off the diagonal of A and the places x [3 A->n] of its blocks. */
CTI_FN void cti_twogrid_fill(cti_twogrid *g, const cti_bsr *A, const int32_t *blocks, const ct_real *x);
/* cti_twogrid_inverse_reserve -- all of its memory. 0 when it ran out. cti_twogrid_inverse_fill -- computes it from A, whose blocks off the diagonal
   must be those of the last cti_twogrid_fill. */
CTI_FN int cti_twogrid_inverse_reserve(cti_mem *mem, cti_twogrid_inverse *q, const cti_twogrid *g);
CTI_FN void cti_twogrid_inverse_fill(cti_twogrid_inverse *q, cti_twogrid *g, const cti_bsr *A, const int32_t *blocks);

/* cti_twogrid_apply -- z = B r, B symmetric and positive definite; z and r [4 n], each block's fourth number 0. The largest entry of r should be near
   1. B is near the inverse of the matrix times unit. work [cti_twogrid_work] doubles.
   cti_twogrid_product -- y = A x of that matrix times unit, without what an inverse's own diagonal adds. */
CTI_FN void cti_twogrid_apply(const cti_twogrid_inverse *q, const float *r, float *z, double *work);
CTI_FN void cti_twogrid_product(const cti_twogrid *g, const float *x, float *y);
/* cti_twogrid_archive -- what cti_twogrid_fill took, in an archive; cti_twogrid_inverse_archive -- an inverse that was computed. */
CTI_FN void cti_twogrid_archive(cti_archive *a, cti_twogrid *g);
CTI_FN void cti_twogrid_inverse_archive(cti_archive *a, cti_twogrid_inverse *q, const cti_twogrid *g);
CTI_FN size_t cti_twogrid_work(const cti_twogrid *g, const cti_twogrid_inverse *q);
