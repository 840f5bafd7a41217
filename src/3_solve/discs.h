/* discs.h -- friction on a disc or an interval, or equations with a bound, as a second-order cone of the interior point method. */
#pragma once

#include "../1_math/d3.h"
#include "../1_math/soc.h"

/* cti_disc -- x = (g, gamma) and z = (z_0, y), both in the cone first >= |rest|, on the axes of mask, 0: none.
   c       y = u + c gamma, u the velocity; miss: what y lacks to that
   dx, dz  steps
   scaling size and w of W with W z = W^-1 x (soc.h)
   bent    what the steps of the predictor bend
   aim     of W^-2 dx + dz */
typedef struct cti_disc {
    int mask;
    double c, x[4], z[4], dx[4], dz[4], scaling[5], bent[4], aim[4], miss[3];
} cti_disc;

/* cti_disc_reach -- the longest step a, at most `most`, in which x + a dx and z + a dz stay in the cone. */
CTI_FN double cti_disc_reach(const cti_disc *q, double most);
/* cti_disc_bend -- bent = W^-1 y with (W z) o y = (W^-1 dx) o (W dz), x o z = (x.z, x_0 z_1 + z_0 x_1). */
CTI_FN void cti_disc_bend(cti_disc *q);
/* cti_disc_widen -- x and z whose product is below `least` [J] get it: z_0 is raised, and gamma shortened by as little. */
CTI_FN void cti_disc_widen(cti_disc *q, double least);
/* cti_disc_linearize -- with the scaling of x and z: of steps to x o z = (eta, 0): e, edge [3] and H [9] of d gamma = -e - H du + edge dg. */
CTI_FN void cti_disc_linearize(cti_disc *q, double eta, double *e, double *edge, double *H);
/* cti_disc_step -- dx and dz of the steps dg, gamma [3] and du [3]. */
CTI_FN void cti_disc_step(cti_disc *q, double dg, const double *dgamma, const double *du);
