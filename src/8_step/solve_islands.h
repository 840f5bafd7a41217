/* solve_islands.h -- one constrained solve of the world's rows, each island for itself. [Otaduy 2009, sec. 4, step 4.1] */
#ifndef CTI_SOLVE_ISLANDS_H
#define CTI_SOLVE_ISLANDS_H

#include "factors.h"

/* cti_islands_result -- what a solve did. */
typedef struct cti_islands_result {
    int budget;   /* an island ended on its budget */
    int diverged; /* an island's solve diverged */
    int iterations, sweeps, quick;
    int fallbacks;    /* islands that the chosen solver failed on, or another one took over */
    ct_real residual; /* the worst of the natural maps of all rows and of the dynamics of all components, those without rows too */
} cti_islands_result;

/* cti_islands_scale -- velocity that residuals are relative to: |g| dt, or without gravity a thousandth of the largest speed, scripts' too,
   or of a thickness a step. */
CTI_FN ct_real cti_islands_scale(const cti_state *s, ct_real dt, ct_real speed);
/* cti_islands_solve -- end.v and the rows' multipliers, from where they are; rows come out sorted by island. scale: of the world's
   residuals. 0: out of memory. */
CTI_FN int cti_islands_solve(cti_state *s, ct_real dt, ct_real scale, cti_islands_result *out);
/* cti_islands_problem -- the problem of the last solve; its A, b and rows are the state's own. */
CTI_FN void cti_islands_problem(const cti_state *s, cti_problem *out);

/* cti_islands_dynamics -- the largest residual of the dynamics of a component at end.v, relative to `scale`: of those in islands as judged
   there, of those that no contact touches as their free motion was solved. */
CTI_FN ct_real cti_islands_dynamics(cti_state *s, ct_real scale);

#endif /* CTI_SOLVE_ISLANDS_H */
