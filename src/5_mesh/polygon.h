/* polygon.h -- polygons of mesh files as triangles. */
#pragma once

#include "../0_base/array.h"

/* cti_polygon_divide -- replaces the fan of a polygon by a division into triangles of its own orientation, where it is none. No vertex is
   added. x    in      [3 nv] positions fan  in, out [3 n] triangles (c0, ci, ci+1) of the polygon c0 .. c(n+1), n >= 2; those of zero area
   only where it cannot be helped NULL, or the reason why there is no such division (*memory 1: memory ran out); the fan is then as it was.
 */
CTI_FN const char *cti_polygon_divide(cti_mem *mem, const ct_real *x, int32_t *fan, int n, int *memory);
