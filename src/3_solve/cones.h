/* cones.h -- a second-order cone of an interior point method: of friction, or of equations with a bound. */
#pragma once

#include "../1_math/d3.h"

/* cti_cone -- x = (g, gamma) and z = (z_0, y), both in the cone first >= |rest|, on the axes of mask, 0: none.
   c       y = u + c gamma, u the velocity; miss: what y lacks to that
   dx, dz  steps
   w       of W = scale (w_0, w_1'; w_1, 1 + w_1 w_1' / (w_0 + 1)), the scaling with W z = W^-1 x
   bent    what the steps of the predictor bend
   aim     of W^-2 dx + dz */
typedef struct cti_cone {
    int mask;
    double c, x[4], z[4], dx[4], dz[4], w[4], scale, bent[4], aim[4], miss[3];
} cti_cone;

/* cti_cone_dot -- x.y of vectors [4]. */
CTI_INLINE double cti_cone_dot(const double *x, const double *y) { return x[0] * y[0] + cti_d3_dot(x + 1, y + 1); }
/* cti_cone_reach -- the longest step a, at most `most`, in which x + a dx and z + a dz stay in the cone. */
CTI_FN double cti_cone_reach(const cti_cone *q, double most);
/* cti_cone_scale -- w and scale of x and z. */
CTI_FN void cti_cone_scale(cti_cone *q);
/* cti_cone_bend -- bent = W^-1 y with (W z) o y = (W^-1 dx) o (W dz), x o z = (x.z, x_0 z_1 + z_0 x_1). */
CTI_FN void cti_cone_bend(cti_cone *q);
/* cti_cone_widen -- x and z whose product is below `least` [J] get it: z_0 is raised, and gamma shortened by as little. */
CTI_FN void cti_cone_widen(cti_cone *q, double least);
/* cti_cone_linearize -- of steps to x o z = (eta, 0): e, edge [3] and H [9] of d gamma = -e - H du + edge dg. */
CTI_FN void cti_cone_linearize(cti_cone *q, double eta, double *e, double *edge, double *H);
/* cti_cone_step -- dx and dz of the steps dg, gamma [3] and du [3]. */
CTI_FN void cti_cone_step(cti_cone *q, double dg, const double *dgamma, const double *du);
