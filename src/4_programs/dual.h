/* dual.h -- the dual of a problem with dynamics: W = J A^-1 J' and q = J A^-1 b + w, in which u = W r + q. */
#pragma once

#include "program.h"

#define CTI_DUAL_MOST 12000 /* rows of a dense W: about a gigabyte */

/* cti_dual -- zero it before first use. W is dense, or sparse where A is diagonal and W has few entries. */
typedef struct cti_dual {
    const cti_program *p;
    cti_scalar system;
    double *W; /* [m][ld] or NULL */
    int ld;
    cti_sparse S;       /* W when dense is NULL */
    double *q, *f, *x0; /* [m], [n] scratch, [n] A^-1 b */
} cti_dual;

/* cti_dual_is_diagonal -- 1 if A is diagonal with positive entries. cti_dual_thin -- out = J A^-1 J' for such an A, columns sorted. 0 when
   memory ran out. */
CTI_FN int cti_dual_is_diagonal(const cti_sparse *A);
CTI_FN int cti_dual_thin(cti_mem *mem, const cti_sparse *A, const cti_sparse *J, cti_sparse *out);
/* cti_dual_open -- dense 1: W is dense in any case. Scratch comes from the arena. Returns CTI_OUTCOME_SOLVED, MEMORY, or NOT_APPLICABLE with *why.
   It has to be closed after each of these. */
CTI_FN cti_outcome cti_dual_open(const cti_program *p, cti_effort *e, int dense, cti_dual *d, const char **why);
/* cti_dual_x -- x = A^-1 (b + J'r), with refinement */
CTI_FN void cti_dual_x(cti_dual *d, const double *r, double *x);
/* cti_dual_move -- x += A^-1 J' dr */
CTI_FN void cti_dual_move(cti_dual *d, const double *dr, double *x);
CTI_FN void cti_dual_close(cti_mem *mem, cti_dual *d);
