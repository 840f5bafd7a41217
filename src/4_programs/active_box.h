/* active_box.h -- bounds on a sparse positive definite quadratic form, by an active set that is kept between solves. */
#pragma once

#include "program.h"

/* cti_active_box -- zero it before first use; close it also after failures. */
typedef struct cti_active_box {
    cti_sparse M;       /* W between free rows, the identity for the others, in W's pattern; memory of mem */
    cti_scalar system;
    int8_t *set, *used; /* [m] -1 at lo, 1 at hi, 0 free: the current set, and that of the factor */
    double *g, *y;      /* [m] */
    int open, fresh, factors;
} cti_active_box;

/* cti_active_box_solve -- solves for r [m] of an LCP with symmetric definite W and bounds, starting from r. same: W has not changed since
   the last solve. Returns 1 when all signs are right up to `tolerance` relative to the largest term, 0 when they are not after `most` sets,
   -1 when memory ran out. */
CTI_FN int cti_active_box_solve(cti_active_box *s, const cti_program *q, cti_effort *e, int same, double tolerance, int most, double *r);
CTI_FN void cti_active_box_close(cti_mem *mem, cti_active_box *s);
