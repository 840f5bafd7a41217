/* certificate.h -- proofs that a stand-alone problem has no feasible point. A solver that claims infeasibility has its proof checked here,
   and ct_problem_solve checks it again before it is reported.

   QP, GLOBAL     y >= 0 (any sign on equations), J'y = 0, w'y < 0: then y'(J x + w) < 0 for every x
   LCP            y >= 0, W'y <= 0, w'y < 0: then y'(W r + w) < 0 for every r >= 0. Not for bounds
   LOCAL          the same, with -W'y in the dual of friction's cone {s_n >= mu |s_t|}: then for every r in the cone
   Contacts have a y of their normal rows alone. */
#pragma once

#include "program.h"

typedef struct cti_certificate {
    int rows;            /* number of rows in which y is not 0 */
    double off;          /* largest sum that should vanish, relative to its terms */
    double value, terms; /* w'y < 0; |w|'|y| */
} cti_certificate;
/* cti_program_certificate -- measures the errors of y as a proof. 0: its signs are wrong or it is not finite. work [2 n]. */
CTI_FN int cti_program_certificate(const cti_program *p, const double *y, double *work, cti_certificate *out);
/* cti_program_certifies -- 1 if y [m] is such a proof: the sums vanish (or are not above 0) up to 1e-9 of their terms, in units in which
   the largest entry of each row, and of each column in the rows of the proof, is 1. w'y is below 0 by 1e-8 of its terms, and by a hundred times
   the error of the sums. work [2 n]. */
CTI_FN int cti_program_certifies(const cti_program *p, const double *y, double *work);
/* cti_program_certify -- the same, after negative and tangential entries of y [m] are set to 0 and y is scaled to a largest entry of 1. */
CTI_FN int cti_program_certify(const cti_program *p, double *y, double *work);
/* cti_program_certify_sharp -- the same. If y is no proof, the nearest vector on its support with J'y = 0, or W'y = 0, is tried: diverging
   multipliers approach a proof in direction. work [2 n + 2 m]. */
CTI_FN int cti_program_certify_sharp(const cti_program *p, double *y, double *work);
