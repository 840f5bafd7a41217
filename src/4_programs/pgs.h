/* pgs.h -- projected Gauss-Seidel, for every kind of stand-alone problem. */
#pragma once

#include "dual.h"

CTI_FN cti_outcome cti_solver_pgs(const cti_program *p, cti_effort *e, cti_answer *a);

/* cti_pgs -- the sweeps: u = W r + q and the law, by rows or by contacts. */
typedef struct cti_pgs {
    int m;
    const double *W; /* [m][ld] dense, symmetric; or NULL */
    int ld;
    const cti_sparse *S; /* rows of W, if W is NULL */
    const double *q;
    const double *mu; /* [m / 3]; NULL: single rows, with lo, hi, equation as in cti_program */
    const double *lo, *hi;
    const uint8_t *equation;
    double relaxation;
    int order;         /* as in cti_effort */
    int32_t *sequence; /* [units] */
    double *u;         /* [m] dense: W r + q, kept up to date */
    double *block;     /* [9 units] or [units] W_ii */
    int blocked;       /* 1: S consists of whole 3x3 blocks */
    int units, sweeps;
} cti_pgs;
/* cti_pgs_open -- s->m .. s->order are set. Scratch from the arena. 0 when memory ran out. */
CTI_FN int cti_pgs_open(cti_pgs *s, cti_arena *arena, const double *r);
/* cti_pgs_sweep -- one pass over all units (two with order 1). Returns the change of r. For contacts this is its norm relative to that of
   r; for rows, the largest W_ii |dr_i| relative to the largest of |q|, |u|. NaN when numbers diverge. */
CTI_FN double cti_pgs_sweep(cti_pgs *s, double *r);
/* cti_pgs_run -- sweeps until the judge accepts the result. */
CTI_FN cti_outcome cti_pgs_run(cti_pgs *s, const cti_program *p, cti_dual *d, cti_effort *e, cti_answer *a);
