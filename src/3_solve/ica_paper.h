/* ica_paper.h -- iterative constraint anticipation as printed. [Otaduy 2009, sec. 5.2-5.6] */
#pragma once

#include "problem.h"

/* cti_ica_paper_solve -- as cti_ica_solve, with the paper's own iteration and termination.
   v_star  [3 n] A v_star = b; v - v_star is the start of the collision response
   p->approach_limit 0: no thickness, no test of distances. desc: cone (BOX or PYRAMID), max_iterations, inner_iterations.
   info->status: OK, the paper's criterion ended the solve, whatever its residual; BUDGET, the cap ended it; DIVERGED, Gauss-Seidel does not
   converge (5.6). info->res is the residual of the result. */
CTI_FN void cti_ica_paper_solve(const cti_problem *p, const ct_solver_desc *desc, cti_arena *arena, const ct_real *v_star, ct_real *v,
                                cti_solve_info *info);
