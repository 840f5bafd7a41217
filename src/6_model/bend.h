/* bend.h -- bending of cloth: discrete-shell hinges in batches of eight. */
#pragma once

#include "element.h"
#include "material.h"

enum { CTI_BEND_REST = 4 };

/* cti_bend_batch -- zero it before first use. A hinge stores k/2 (theta - theta0)^2. k comes from plate.c, or is B |e|^2 / (A1 + A2) with
   the plate stiffness B [N m], which is exact only for cylinders whose axis is across a row of hinges. */
typedef struct cti_bend_batch {
    int n; /* hinges */
    ct_real damping_stiffness;
    int32_t *node; /* [4 x 8 batches]: edge x0, x1, opposite x2, x3 */
    int32_t *slot; /* [16 n] */
    ct_real *rest; /* [batches][4][8]: k [N m], theta0 [rad], smallest |n|^2 [m^4] that is divided by, k of the damping [N m] */
} cti_bend_batch;

/* As for tets (tet.h), for hinges from cti_hinge_find. stiff [2 n_hinges]: k and the k of the damping of each; where below 0, and where
   stiff is NULL, k is B |e|^2 / (A1 + A2). 1, or 0: out of memory. */
CTI_FN int cti_bend_batch_init(cti_mem *mem, cti_bend_batch *t, const ct_material *m, const ct_real *X, const int32_t *hinges, int n_hinges,
                               int node_offset, const ct_real *stiff);
/* K is the Gauss-Newton part of the Hessian, k grad theta grad theta' (exact where theta = theta0) */
CTI_FN void cti_bend_batch_assemble(const cti_bend_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                    double *out_energy);
/* out [3 nodes] += D(x) v, D = damping_stiffness K with the k of damping */
CTI_FN void cti_bend_batch_damping(const cti_bend_batch *t, const ct_real *x, const ct_real *v, ct_real slow, ct_real *out);
/* cti_bend_angle -- theta of points x [12] = edge x0, x1, opposite x2, x3: 0 when flat, in (-pi, pi]. */
CTI_FN ct_real cti_bend_angle(const ct_real *x);

/* cti_bend_lanes -- for eight hinges with nodes [12]: g [12] = grad theta, returns theta - rest in (-pi, pi]. Squares of normals smaller
   than `least` are replaced by it as divisors. cti_bend_least -- that value for points x [12] at rest: a thousandth of the triangles' area,
   squared. */
CTI_FN cti_r8 cti_bend_lanes(const cti_r8 *node, cti_r8 rest, cti_r8 least, cti_r8 *g);
CTI_FN ct_real cti_bend_least(const ct_real *x);
