/* law.h -- the contact law of one contact, solved with all other contacts held fixed. */
#pragma once

#include "problem.h"

typedef struct cti_law {
    ct_real B[9];            /* J D^-1 J' of this contact */
    ct_real inv_n, inv_soft; /* 1 / (B_nn + compliance), 1 / (B_nn + softness) */
    ct_real inv_t[4];        /* inverse of the tangential 2x2 block; BOX: its two reciprocals in [0] and [3] */
    ct_real inv_top;         /* 1 / its largest eigenvalue; of equations 1 / a bound on that of all their axes */
    ct_real inv_B[9];        /* of B with compliance: all three velocities vanish at once */
    ct_real recover_load;    /* least normal multiplier at which the hard law holds and recovery does not act */
    int whole;               /* 1: inv_B is well conditioned and may be used */
    int closes;              /* 1: the normal law is satisfied last, also by a sliding contact */
    int equations;           /* mask of the row; inv_B is 0 on the other axes */
    ct_real mu, most, compliance[3], recover, softness;
} cti_law;

/* cti_law_prepare -- computes all other fields from B and the row. The multipliers of a singular block are never changed. */
CTI_FN void cti_law_prepare(cti_law *q, const cti_row *row, ct_cone cone);
/* cti_law_solve -- solves for r and u [3] of the contact, with `repeats` alternations of normal and friction; u is kept consistent with
   r. */
CTI_FN void cti_law_solve(const cti_law *q, ct_cone cone, int repeats, ct_real *r, ct_real *u);
