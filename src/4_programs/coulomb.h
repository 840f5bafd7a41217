/* coulomb.h -- Coulomb's law at one contact. */
#pragma once

#include "program.h"

/* cti_coulomb_solve -- r [3] with u = W r + q: (u_n + mu |u_t|, u_t) in K*, r in K = {|r_t| <= mu r_n}, their product 0.
   W   in   [9] row-major, order n, t1, t2; positive semidefinite, may be unsymmetric and singular
   r   in   a guess, whose direction of sliding is tried first; out: the solution
   returns 1, or 0 if none was found (r is then the best that was tried) */
CTI_FN int cti_coulomb_solve(const double *W, const double *q, double mu, double *r);
