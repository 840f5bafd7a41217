/* weld.h -- vertices in one place become one. */
#pragma once

#include "../0_base/array.h"

/* cti_weld_map -- map[i] = the number of the vertex that vertex i becomes. Vertices in their order: one within `distance` of kept ones
   becomes the nearest of them (of the first of these), any other one is kept and gets the next number. x [3 n] finite, at most 2^300 in
   size; distance [m] >= 0, 0: equal coordinates; map [n]. Returns the number of kept vertices, -1: out of memory. */
CTI_FN int cti_weld_map(cti_mem *mem, const ct_real *x, int n, double distance, int32_t *map);
/* cti_weld_elements -- renumbers n elements of `per` vertices (map NULL: as they are) and drops those that then have a vertex twice.
   Returns how many are left, in their order. */
CTI_FN int cti_weld_elements(int32_t *list, int n, int per, const int32_t *map);
/* cti_weld_hint -- "; N of M vertices lie within D m of another: ..." for what is said of an open surface, or "" where there are none such.
   D is `share` of the extent. */
CTI_FN void cti_weld_hint(cti_mem *mem, const ct_real *x, int n, double share, char text[140]);
#define CTI_WELD_NOISE 1e-5 /* [extent] corners that a file of single precision or six digits tells apart */
