/* embed.h -- points in a tet mesh by barycentric weights: x = sum of w_k X_k over the four nodes of a tet. */
#pragma once

#include "../0_base/array.h"
#include "../1_math/vec.h"

/* cti_embed -- the tet that contains each point, and the point's weights there.
   mesh         in   its tets, of either orientation; flat ones contain nothing
   points       in   [3 n] finite
   out_tet      out  [n] the tet in which the smallest weight is largest; of equals the first. If no tet contains the point: the nearest
                     one, of equals the first. -1 if all tets are flat or there are none
   out_weights  out  [4 n] sum 1 up to rounding; each in [-1e-6, 1 + 1e-6] if a tet contains the point, else they extrapolate
   out_outside  out  [n] 1 if no tet contains the point, else 0; may be NULL
   out_n_outside out number of such points; may be NULL
   returns 1, or 0 when memory ran out. */
CTI_FN int cti_embed(cti_mem *mem, const ct_mesh *mesh, const ct_real *points, int n, int32_t *out_tet, ct_real *out_weights,
                     uint8_t *out_outside, int *out_n_outside);
