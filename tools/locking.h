/* locking.h -- by which factor a mesh of linear tets is too stiff in bending (docs/locking.md). */
#ifndef LOCKING_H
#define LOCKING_H

#include "../src/public/api.h"

/* locking_factor -- *out: the factor in bending about the body's second axis, at least 1; poisson in (-1, 1/2). 0: the mesh cannot be measured (no
   tets, an index without a position, a tet without volume), or memory ran out. */
int locking_factor(const ct_mesh *mesh, double poisson, double *out);

#endif /* LOCKING_H */
