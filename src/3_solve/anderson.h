/* anderson.h -- Anderson acceleration of a fixed-point map x -> g(x), with a slave vector that depends on x linearly. */
#pragma once

#include "../0_base/arena.h"
#include "../0_base/tasks.h"
#include "../1_math/real.h"
#include "solve_policy.h"

typedef struct cti_anderson {
    int n, n_slave, depth, count, head; /* depth: most differences in the history */
    float *weight;                         /* [n] square root of the metric in which residuals are minimized */
    float *f;                              /* [n] weighted residual of the last point */
    ct_real *g;                            /* [n] its image */
    float *df[CTI_ANDERSON_MOST], *dg[CTI_ANDERSON_MOST];
    float *slave, *ds[CTI_ANDERSON_MOST]; /* [n_slave] */
    double gram[CTI_ANDERSON_MOST][CTI_ANDERSON_MOST];
    int started;
    const ct_tasks *tasks; /* or NULL; init leaves it so */
} cti_anderson;

/* cti_anderson_init -- weight [n] is copied. 0 when memory ran out. */
CTI_FN int cti_anderson_init(cti_anderson *a, cti_arena *arena, int n, const ct_real *weight, int n_slave, int depth);
CTI_FN void cti_anderson_restart(cti_anderson *a);
/* cti_anderson_resume -- for a map whose constant part has changed: the differences are kept, the last point is dropped. */
CTI_FN void cti_anderson_resume(cti_anderson *a);
/* cti_anderson_step -- x [n] the point, g [n] its image; g, and the slave vector of g (may be NULL), are overwritten by the next point. */
CTI_FN void cti_anderson_step(cti_anderson *a, const ct_real *x, ct_real *g, float *slave);

/* cti_anderson_weights -- c [n] = (G + ridge trace(G) 1)^-1 dot by Cholesky, n <= CTI_ANDERSON_WEIGHTS: the weights of n differences whose products
   with each other are gram [n][ld], and with the last residual dot [n]. 0 where the matrix is not positive definite. */
CTI_FN int cti_anderson_weights(int n, const double *gram, int ld, const double *dot, double ridge, double *c);
