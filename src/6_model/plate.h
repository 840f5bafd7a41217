/* plate.h -- bending of cloth by the curvature of its triangles, in batches of eight. */
#pragma once

#include "bend.h"

enum { CTI_PLATE_REST = 12 };

/* cti_plate_batch -- zero it before first use. A triangle stores 1/2 d' G d; d are the differences theta - theta0 of the angles at its
   edges. */
typedef struct cti_plate_batch {
    int n;         /* triangles */
    int32_t *node; /* [6 x 8 batches]: x0, x1, x2 and the opposite nodes of the neighbours behind the edges 1-2, 2-0, 0-1; x_k where there
                      is no neighbour */
    ct_real *rest; /* [batches][12][8]: G 00 11 22 12 02 01 [N m], theta0 [3] [rad], smallest |n|^2 [3] [m^4] that is divided by */
} cti_plate_batch;

/* cti_plate_init -- the bending of triangles [3 n]. 1, or 0: out of memory.
   plates   triangles whose angles are coupled: energy and forces
   bounds   hinges at their edges: their stiffness, bounded from above; the k of the damping is that of |H|^2 alone
   hinges   the edges of all other triangles: energy, forces and stiffness */
CTI_FN int cti_plate_init(cti_mem *mem, cti_plate_batch *plates, cti_bend_batch *bounds, cti_bend_batch *hinges, const ct_material *m,
                          const cti_rest_mesh *rest);
CTI_FN void cti_plate_batch_assemble(const cti_plate_batch *t, const ct_real *x, ct_real *force, double *out_energy);
