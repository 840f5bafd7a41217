/* plate.h -- bending of cloth by the curvature of its triangles, in batches of eight. */
#ifndef CTI_PLATE_H
#define CTI_PLATE_H

#include "bend.h"

enum { CTI_PLATE_REST = 12 };

/* cti_plate_batch -- zero it before first use. A triangle stores 1/2 d' G d, d the differences theta - theta0 of the angles at its edges. */
typedef struct cti_plate_batch {
    int n; /* triangles */
    ct_real damping_stiffness;
    int32_t *node; /* [6 x 8 batches]: x0, x1, x2 and the opposite nodes of the neighbours behind the edges 1-2, 2-0, 0-1; x_k: there is none */
    int32_t *slot; /* [36 n] */
    ct_real *rest; /* [batches][12][8]: G 00 11 22 12 02 01 [N m], theta0 [3] [rad], least |n|^2 [3] [m^4] that normals are divided by */
} cti_plate_batch;

/* cti_plate_init -- the bending of a triangle list, X [3 n_nodes] at rest: `plates` of triangles whose angles are coupled, `hinges` at the
   edges of the others. 1, or 0: out of memory. */
CTI_FN int cti_plate_init(cti_mem *mem, cti_plate_batch *plates, cti_bend_batch *hinges, const ct_material *m, const ct_real *X, int n_nodes,
                          const int32_t *triangles, int n_triangles, int node_offset);
CTI_FN void cti_plate_batch_free(cti_mem *mem, cti_plate_batch *t);
CTI_FN int cti_plate_batch_append_pairs(const cti_plate_batch *t, cti_mem *mem, int32_t **pairs);
CTI_FN int cti_plate_batch_slots(cti_mem *mem, cti_plate_batch *t, cti_slot_fn *slot, const void *ctx);
/* K is Gauss-Newton's part of the Hessian, sum_ef G_ef grad theta_e grad theta_f' (exact at rest) */
CTI_FN void cti_plate_batch_assemble(const cti_plate_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                     double *out_energy);
/* out [3 nodes] += D(x) v, D = damping_stiffness K */
CTI_FN void cti_plate_batch_damping(const cti_plate_batch *t, const ct_real *x, const ct_real *v, ct_real *out);

#endif /* CTI_PLATE_H */
