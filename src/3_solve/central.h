/* central.h -- contacts, and equations with a bound, by an interior point method, for problems whose matrix A + J'HJ is in reach of a factor. Joints,
   equations without a bound, are the augmented Lagrangian's (augmented.h). */
#pragma once

#include "iterate.h"

/* cti_central_solve -- v [3 n] and rows[].r: in the start; out the iterate of the smallest judged natural map, the start included. p->local must be
   there. info->status is CTI_SOLVE_OK or CTI_SOLVE_BUDGET, info->iterations += factors. 0 when memory ran out. */
CTI_FN int cti_central_solve(const cti_jacobian *J, const cti_linear *L, const ct_solver_desc *desc, cti_arena *arena, ct_real *v,
                             cti_solve_info *info);
