/* potential.h -- contact as a potential: clamped barriers of squared distances, the mollifier of nearly parallel edges, smooth friction. */
#pragma once

#include "surface.h"

/* cti_barrier_value -- a barrier b(s) of s = d^2 / dhat^2 in (0, 1), and its first two derivatives; all 0 from s = 1 on.
     LOG       -(s - 1)^2 ln s   [IPC 2020, eq. 6, of the squared distance]
     RATIONAL   (1 - s)^3 / s    which grows like 1 / s instead of its logarithm
   Both are twice differentiable at s = 1, positive, falling and convex in s. s > 0. */
CTI_FN double cti_barrier_value(ct_barrier_kind kind, double s, double *out_first, double *out_second);

/* cti_mollifier_value -- m(c) of c = |u x v|^2, u and v the edges: c / e (2 - c / e) below e, 1 from there on. e > 0. [IPC 2020, eq. 24] */
CTI_FN double cti_mollifier_value(double c, double e, double *out_first, double *out_second);
/* cti_mollifier_width -- e of two edges with the rest positions x [12]: CTI_MOLLIFIER_PART |u|^2 |v|^2. */
CTI_FN ct_real cti_mollifier_width(const ct_real x[12]);

/* cti_friction_value -- the smooth static law: f0(u) with f0' = f1 = 2 u / e - u^2 / e^2 below e, 1 from there on. u >= 0 and e > 0 [m].
   out_rate: f1 / u, finite at 0; out_slope: f1'. Returns f0. [IPC 2020, eq. 13 to 15] */
CTI_FN double cti_friction_value(double u, double e, double *out_rate, double *out_slope);

/* cti_potential -- what a pair's potential k b(d^2 / dhat^2) is made with; edges: times m(c). */
typedef struct cti_potential {
    ct_barrier_kind kind;
    ct_real dhat;  /* [m] */
    ct_real k;     /* [J], or whatever the caller minimizes in */
    ct_real width; /* of the mollifier [m^4]; 0: none */
} cti_potential;

/* cti_potential_terms -- a pair's value, gradient and Hessian over its points, 3 n numbers each, row-major. c: r = p_a - p_b = sum c_i x_i at the
   closest points; force: -d value / d distance >= 0, without the mollifier's own part. */
typedef struct cti_potential_terms {
    double value;
    ct_real d2, force, c[4];
    ct_real gradient[12], hessian[144];
} cti_potential_terms;

enum { CTI_POTENTIAL_VALUE, CTI_POTENTIAL_GRADIENT, CTI_POTENTIAL_PROJECTED, CTI_POTENTIAL_EXACT };

/* cti_potential_eval -- of VF, EE, VE and VV pairs with n points x [3 n]. want: up to CTI_POTENTIAL_*; PROJECTED: the Hessian with negative
   eigenvalues set to zero. Returns 0 where the pair is at dhat or beyond: then only d2 is set. The points may not touch. */
CTI_FN int cti_potential_eval(const cti_potential *p, ct_pair_kind kind, const ct_real *x, int want, cti_potential_terms *out);
/* cti_potential_eval_many -- the same of n pairs with points x [12 n], projected: found [n] are the results. Pairs are projected eight at a
   time; their results do not depend on their neighbours. n at most CTI_POTENTIAL_MANY. */
#define CTI_POTENTIAL_MANY 32 /* [pairs] four groups of eight of one kind and size fill up in most calls; half and double were not compared */
CTI_FN void cti_potential_eval_many(const cti_potential *p, const ct_pair_kind *kind, const ct_real *x, int n, cti_potential_terms *out,
                                    uint8_t *found);
/* cti_potential_plane -- the same of a point at the distance `gap` from a plane with this unit normal; n is 1. */
CTI_FN int cti_potential_plane(const cti_potential *p, cti_v3 normal, ct_real gap, int want, cti_potential_terms *out);
