/* active_set.h -- strictly convex quadratic programs by a dual active set method. */
#pragma once

#include "program.h"

/* cti_active_set_solve -- for QP with A definite; contacts whose mu is 0 everywhere (GLOBAL, LOCAL with symmetric W); LCP, boxed or not,
   with W symmetric and definite. INFEASIBLE comes with a verified certificate in r. warm: the rows with r > 0 are the first guess. An
   iteration adds or removes one row; the solver's own bound is 20 iterations per row. */
CTI_FN cti_outcome cti_active_set_solve(const cti_program *p, cti_effort *e, cti_answer *a);
