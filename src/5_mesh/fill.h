/* fill.h -- the part of each tet that a closed surface encloses. */
#pragma once

#include "../0_base/array.h"

/* cti_fill -- volume fractions of tets inside a closed surface.
   x, tets          in   nodes, [4 n_tets] tets of either orientation, none of them flat
   surface          in   [3 points]
   triangles        in   [3 n_triangles] closed: every edge has two triangles of consistent orientation
   out_fill         out  [n_tets] at least 1/10. The sum of fill times volume over the tets is the surface's volume. All are 1 if that
                         volume is not positive, or if no tet contains any part of it
   returns 1, or 0 when memory ran out. */
CTI_FN int cti_fill(cti_mem *mem, const ct_real *x, const int32_t *tets, int n_tets, const ct_real *surface, const int32_t *triangles,
                    int n_triangles, ct_real *out_fill);
