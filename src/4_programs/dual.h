/* dual.h -- u = W r + q of every problem: W as it is given, or J A^-1 J' with q = J A^-1 b + w. */
#pragma once

#include "program.h"

/* cti_dual_rows -- how W is stored. THIN: sparse where it is given, or where A is diagonal and W has few entries, else PADDED. DENSE: rows of m.
   PADDED: rows of whole lanes. */
typedef enum cti_dual_rows { CTI_DUAL_THIN, CTI_DUAL_DENSE, CTI_DUAL_PADDED } cti_dual_rows;

/* cti_dual -- zero it before first use. */
typedef struct cti_dual {
    const cti_program *p;
    cti_scalar system; /* of problems with A */
    double *W;         /* [m][ld], or NULL: W is *S */
    int ld;
    const cti_sparse *S;
    cti_sparse own;     /* W of a diagonal A */
    double *q, *f, *x0; /* [m]; with A [n] scratch, [n] A^-1 b */
} cti_dual;

/* cti_dual_is_diagonal -- 1 if A is diagonal with positive entries. cti_dual_thin -- out = J D^-1 J', columns sorted, for A's diagonal
   D, in which what is not positive counts as 1; A NULL: D = 1. 0 when memory ran out. */
CTI_FN int cti_dual_is_diagonal(const cti_sparse *A);
CTI_FN int cti_dual_thin(cti_mem *mem, const cti_sparse *A, const cti_sparse *J, cti_sparse *out);
/* cti_dual_open -- most: rows of a dense W. Memory comes from the arena. Returns CTI_OUTCOME_SOLVED, MEMORY, or NOT_APPLICABLE with *why: A is not
   definite, or W has more rows; then all but W is there. */
CTI_FN cti_outcome cti_dual_open(const cti_program *p, cti_effort *e, cti_dual_rows rows, int most, cti_dual *d, const char **why);
/* cti_dual_side -- q and x0 anew, where b has changed. */
CTI_FN void cti_dual_side(cti_dual *d);
/* cti_dual_x -- the answer's x to r: A^-1 (b + J'r), with refinement; u where there is no A. */
CTI_FN void cti_dual_x(cti_dual *d, const double *r, double *x);
/* cti_dual_move -- x += A^-1 J' dr */
CTI_FN void cti_dual_move(cti_dual *d, const double *dr, double *x);
