/* embed.h -- points in a tet mesh by barycentric weights: x = sum of w_k X_k over the four nodes of a tet. */
#ifndef CTI_EMBED_H
#define CTI_EMBED_H

#include "../0_base/array.h"
#include "../1_math/vec.h"

/* cti_embed -- the tet that holds each point, and its weights there.
   x            in   [3 n_nodes] nodes
   tets         in   [4 n_tets] of either orientation; flat ones hold nothing
   points       in   [3 n] finite
   out_tet      out  [n] the tet in which the least weight is largest, the first of equals; where no tet holds the point: the nearest (the
                     first of equals); -1 when all tets are flat or there are none
   out_weights  out  [4 n] sum 1 up to rounding; each in [-1e-6, 1 + 1e-6] where the point is held, else they extrapolate
   out_outside  out  [n] 1 where no tet holds the point, else 0; may be NULL
   out_n_outside out how many those are; may be NULL
   returns 1, or 0 when memory ran out. */
CTI_FN int cti_embed(cti_mem *mem, const ct_real *x, int n_nodes, const int32_t *tets, int n_tets, const ct_real *points, int n,
                     int32_t *out_tet, ct_real *out_weights, uint8_t *out_outside, int *out_n_outside);

#endif /* CTI_EMBED_H */
