/* solve_islands.h -- one constrained solve of the world's rows, with each island solved independently. [Otaduy 2009, sec. 4, step 4.1] */
#pragma once

#include "factors.h"

/* cti_islands_result -- the result of a solve. */
typedef struct cti_islands_result {
    int budget;   /* an island ended on its budget */
    int diverged; /* an island's solve diverged */
    int iterations, sweeps, quick;
    int fallbacks;    /* islands on which the chosen solver failed, or which another solver took over */
    ct_real residual; /* largest natural map of all rows, or residual of the dynamics of all components, also of those without rows */
} cti_islands_result;

/* cti_islands_solve -- solves for end.v and the rows' multipliers, starting from their present values; sorts the rows by island. scale: of
   the world's residuals. 0: out of memory. */
CTI_FN int cti_islands_solve(cti_state *s, ct_real dt, ct_real scale, cti_islands_result *out);
/* cti_islands_problem -- the problem of the last solve; its A, b and rows belong to the state. */
CTI_FN void cti_islands_problem(const cti_state *s, cti_problem *out);

/* cti_islands_dynamics -- the largest residual of a component's dynamics at end.v, relative to `scale`. For components in islands it is the
   one judged there, for those that no contact touches that of their free motion. */
CTI_FN ct_real cti_islands_dynamics(cti_state *s, ct_real scale);
