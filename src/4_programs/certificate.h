/* certificate.h -- proofs that a stand-alone problem has no feasible point. Every solver that says so has its proof checked here, and the
   solve that reports it checks it again.

   QP, GLOBAL     y >= 0 (any sign on equations), J'y = 0, w'y < 0: then y'(J x + w) < 0 for every x
   LCP            y >= 0, W'y <= 0, w'y < 0: then y'(W r + w) < 0 for every r >= 0. Not for bounds
   LOCAL          the same, with -W'y in the dual of friction's cone {s_n >= mu |s_t|}: then for every r in the cone
   Contacts have a y of their normal rows alone. */
#ifndef CTI_CERTIFICATE_H
#define CTI_CERTIFICATE_H

#include "program.h"

typedef struct cti_certificate {
    int rows;            /* that y is not 0 in */
    double off;          /* largest sum that ought to vanish, relative to its terms */
    double value, terms; /* w'y < 0; |w|'|y| */
} cti_certificate;
/* cti_program_certificate -- what y proves, in numbers; 0: its signs are wrong or it is not finite. work [2 n]. */
CTI_FN int cti_program_certificate(const cti_program *p, const double *y, double *work, cti_certificate *out);
/* cti_program_certifies -- 1 when y [m] is such a proof: the sums vanish (are not above 0) to 1e-9 of their terms, in units in which rows
   have a largest entry of 1 and so do columns; w'y is below 0 by 1e-8 of its terms, and by a hundred times what the sums leave. work [2 n].
 */
CTI_FN int cti_program_certifies(const cti_program *p, const double *y, double *work);
/* cti_program_certify -- the same for a y [m] whose negative and tangential entries are taken as 0 and whose largest entry is then made 1. */
CTI_FN int cti_program_certify(const cti_program *p, double *y, double *work);
/* cti_program_certify_sharp -- the same, and where y is no proof its nearest vector with J'y = 0, or W'y = 0, on its support is tried: multipliers
   that run away do so along a proof. work [2 n + 2 m]. */
CTI_FN int cti_program_certify_sharp(const cti_program *p, double *y, double *work);

#endif /* CTI_CERTIFICATE_H */
