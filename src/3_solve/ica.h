/* ica.h -- iterative constraint anticipation: nested relaxation for the frictional contact problem. [Otaduy 2009, sec. 5.2-5.5] */
#pragma once

#include "problem.h"

/* cti_ica_solve -- v [3 n] in: start; out: solution. Multipliers start from and end in rows[].r. All scratch comes from the arena.
   Never fails but for memory, and info says how it ended. On budget the iterate of smallest change stands where A couples clusters, else the
   last one. Where A couples clusters, a solve that diverges goes back to that iterate, once to each such iterate. One that diverges after that, or
   without coupling, stands as it is. */
CTI_FN void cti_ica_solve(const cti_problem *p, const ct_solver_desc *desc, cti_arena *arena, ct_real *v, cti_solve_info *info);
