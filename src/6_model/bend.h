/* bend.h -- bending of cloth: discrete-shell hinges in batches of eight. */
#ifndef CTI_BEND_H
#define CTI_BEND_H

#include "element.h"
#include "material.h"

enum { CTI_BEND_REST = 4 };

/* cti_bend_batch -- zero it before first use. A hinge stores k/2 (theta - theta0)^2; k is from plate.c, or B |e|^2 / (A1 + A2) with the plate
   stiffness B [N m], which is right for cylinders across a row of hinges alone. */
typedef struct cti_bend_batch {
    int n; /* hinges */
    ct_real damping_stiffness;
    int32_t *node; /* [4 x 8 batches]: edge x0, x1, opposite x2, x3 */
    int32_t *slot; /* [16 n] */
    ct_real *rest; /* [batches][4][8]: k [N m], theta0 [rad], least |n|^2 [m^4] that normals are divided by, k of damping [N m] */
} cti_bend_batch;

/* As for tets (tet.h); hinges as cti_hinge_find makes them, stiff [2 n_hinges] their k and that of damping, below 0 or NULL:
   B |e|^2 / (A1 + A2). 1, or 0: out of memory. */
CTI_FN int cti_bend_batch_init(cti_mem *mem, cti_bend_batch *t, const ct_material *m, const ct_real *X, const int32_t *hinges, int n_hinges,
                               int node_offset, const ct_real *stiff);
CTI_FN void cti_bend_batch_free(cti_mem *mem, cti_bend_batch *t);
CTI_FN int cti_bend_batch_append_pairs(const cti_bend_batch *t, cti_mem *mem, int32_t **pairs);
CTI_FN int cti_bend_batch_slots(cti_mem *mem, cti_bend_batch *t, cti_slot_fn *slot, const void *ctx);
/* K is Gauss-Newton's part of the Hessian, k grad theta grad theta' (exact where theta = theta0) */
CTI_FN void cti_bend_batch_assemble(const cti_bend_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                    double *out_energy);
/* out [3 nodes] += D(x) v, D = damping_stiffness K with the k of damping */
CTI_FN void cti_bend_batch_damping(const cti_bend_batch *t, const ct_real *x, const ct_real *v, ct_real *out);
/* cti_bend_angle -- theta of points x [12] = edge x0, x1, opposite x2, x3: 0 when flat, in (-pi, pi]. */
CTI_FN ct_real cti_bend_angle(const ct_real *x);

/* cti_bend_lanes -- of eight hinges with nodes [12]: g [12] = grad theta, returns theta - rest in (-pi, pi]. Squares of normals below `least`
   are not divided by. cti_bend_least -- that, for points x [12] at rest: a thousandth of the triangles' area, squared. */
CTI_FN cti_r8 cti_bend_lanes(const cti_r8 *node, cti_r8 rest, cti_r8 least, cti_r8 *g);
CTI_FN ct_real cti_bend_least(const ct_real *x);

#endif /* CTI_BEND_H */
