/* fill.h -- the part of each tet that a closed surface encloses. */
#ifndef CTI_FILL_H
#define CTI_FILL_H

#include "../0_base/array.h"

/* cti_fill -- volume fractions of tets inside of a closed surface.
   x, tets          in   nodes, [4 n_tets] tets of either orientation, none of them flat
   surface          in   [3 points]
   triangles        in   [3 n_triangles] closed: every edge has two, which agree on the outside
   out_fill         out  [n_tets] at least 1/10; fill times volume of the tets sum to the surface's volume. 1 everywhere where that is not
                         positive, or where no tet holds any of it
   returns 1, or 0 when memory ran out. */
CTI_FN int cti_fill(cti_mem *mem, const ct_real *x, const int32_t *tets, int n_tets, const ct_real *surface, const int32_t *triangles,
                    int n_triangles, ct_real *out_fill);

#endif /* CTI_FILL_H */
