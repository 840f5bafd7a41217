/* block_pivot.h -- linear complementarity with bounds by block principal pivoting: lo <= z <= hi, u = M z + q, z = lo -> u >= 0, z = hi -> u <= 0,
   else u = 0. The rule is one for all that pivot so; how z and u follow from the rows' states is their own. */
#pragma once

#include "program.h"

/* state of a row: free, at its lower or upper bound, or with both bounds equal */
enum { CTI_FACE_FREE, CTI_FACE_LOWER, CTI_FACE_UPPER, CTI_FACE_FIXED };

typedef struct cti_block_pivot {
    int n;
    int rounds, singles;     /* sets of states that are tried at most; those of them that differ in one row from the last, in a row */
    const double *lo, *hi;   /* [n], infinities allowed */
    uint8_t *state;          /* [n] in: a start, of which impossible states are mended; out: the result */
    double *z, *u;           /* [n] by `solve` */
    double tiny_z, tiny_u;   /* by `solve`: violations up to which are rounding */
    cti_outcome (*solve)(void *ctx, struct cti_block_pivot *p); /* z and u of the states; it may change states. Else than SOLVED ends the run */
    void *ctx;
    cti_effort *e;           /* its limits hold, too, and a's iterations are counted; or NULL */
    cti_answer *a;
} cti_block_pivot;
/* cti_block_pivot_run -- SOLVED; FAILED after `rounds` or `singles`; BUDGET; or what `solve` ends it with. */
CTI_FN cti_outcome cti_block_pivot_run(cti_block_pivot *p);

/* cti_face_factor -- the factor of a sparse symmetric matrix between free rows. Its pattern is analysed once: the other rows keep their diagonal
   alone. Zero it before first use. */
typedef struct cti_face_factor {
    cti_sparse masked;
    cti_scalar system;
    uint8_t *state;  /* [n] those that are factored */
    double shift;    /* of the diagonal, relative: a singular face has a factor */
    int open, fresh; /* fresh 0: the numbers of the matrix are others */
    int factors;     /* number of factors so far */
} cti_face_factor;
/* cti_face_factor_renew -- the factor for these states, unless it is that already. 1: made, 0: kept, -1: memory ran out. */
CTI_FN int cti_face_factor_renew(cti_mem *mem, cti_face_factor *f, const cti_sparse *M, const uint8_t *state, double shift);

/* cti_sparse_pivot -- block pivoting with a face's factor, of M + prox and q - prox near_to. */
typedef struct cti_sparse_pivot {
    cti_block_pivot rule; /* lo, hi, state, z, u, rounds, e, a; the run sets the rest. z in: a start */
    const cti_sparse *M;
    const double *q;
    double prox;          /* 0: none */
    const double *near_to;
    double slight;        /* [largest |q|] violation of u that counts as none */
    double *work;         /* [n] */
    cti_mem *mem;
    cti_face_factor *face;
} cti_sparse_pivot;
CTI_FN cti_outcome cti_sparse_pivot_run(cti_sparse_pivot *s);
