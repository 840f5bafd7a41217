/* dist.h -- squared distances and closest points of vertex, edge and triangle pairs, one by one and eight at a time, with gradients and
   Hessians. Finite input of ordinary size is assumed (no coordinate difference beyond 1e70, or 1e8 in float). */
#pragma once

#include "../1_math/vec.h"

/* Features of the closest point. Vertex-edge: 0, 1 end points, 2 interior. Vertex-triangle: 0..2 vertices, 3 edge 01, 4 edge 12, 5 edge 20,
   6 interior. Edge-edge: 0 both interior, else a sum of bits. */
#define CTI_DIST_A0 1 /* edge a at its end point a0 */
#define CTI_DIST_A1 2
#define CTI_DIST_B0 4
#define CTI_DIST_B1 8

/* Squared distances; every pointer is a point of three numbers.
   t          out  closest point e0 + t (e1 - e0), 0 <= t <= 1
   w          out  [3] barycentric weights of the closest point, >= 0, sum 1 up to rounding
   st         out  [2] closest points a0 + st[0] (a1 - a0) and b0 + st[1] (b1 - b0); for parallel edges one of many such pairs
   feature    out  as above
   Zero-length edges and flat triangles are allowed. No output may be NULL. */
CTI_FN ct_real cti_dist_pp(const ct_real *p, const ct_real *q);
CTI_FN ct_real cti_dist_pe(const ct_real *p, const ct_real *e0, const ct_real *e1, ct_real *t, int *feature);
CTI_FN ct_real cti_dist_pt(const ct_real *p, const ct_real *t0, const ct_real *t1, const ct_real *t2, ct_real w[3], int *feature);
CTI_FN ct_real cti_dist_ee(const ct_real *a0, const ct_real *a1, const ct_real *b0, const ct_real *b1, ct_real st[2], int *feature);

/* Gradient and Hessian of the squared distance of two edges: x holds a0, a1, b0, b1; grad [12], hess [144] row-major or NULL, symmetric, not
   projected. Returns the squared distance. */
CTI_FN ct_real cti_dist_ee_grad(const ct_real x[12], ct_real *grad, ct_real *hess);

/* cti_dist_batch -- squared distances of n pairs of one kind: x [3 points], quads [4 n] point numbers (vertex, face 0 1 2; edge a 0 1, edge b
   0 1; vertex, edge 0 1; two vertices), d2 [n], feature [n]; w as above: 3 numbers a pair for VF, 2 for EE, 1 for VE, none for VV. */
CTI_FN void cti_dist_batch(ct_pair_kind kind, const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *w, int32_t *feature);
