/* hinge.h -- edges and hinges of a triangle list, for bending and springs. */
#pragma once

#include "../0_base/array.h"

/* cti_hinge_find -- from triangles [3 n]:
   *edges  [2 m]  every edge once, smaller node first, ascending; NULL: not wanted
   *hinges [4 k]  edge nodes x0 < x1 and the opposite nodes x2, x3 of two triangles at that edge; at an edge of more than two triangles
                  each triangle is paired with the next. NULL: not wanted
   Both are stb_ds arrays, emptied first. 0: out of memory. */
CTI_FN int cti_hinge_find(cti_mem *mem, const int32_t *triangles, int n, int32_t **edges, int32_t **hinges);
