/* interior.h -- convex quadratic programs by a primal-dual interior point method. */
#pragma once

#include "program.h"

/* cti_interior_solve -- for QP with A semidefinite; contacts whose mu is 0 everywhere (GLOBAL, LOCAL with symmetric W); LCP, boxed or not,
   with W symmetric and semidefinite. INFEASIBLE comes with a verified certificate in r. The solver's own bound is 200 iterations. Contacts
   with friction are solved by cones.h. */
CTI_FN cti_outcome cti_interior_solve(const cti_program *p, cti_effort *e, cti_answer *a);
