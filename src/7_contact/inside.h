/* inside.h -- a vertex and the triangle of a body that is nearest to it: the side of the surface that it is on, and the way out. */
#pragma once

#include "surface.h"

/* cti_inside_refit -- refits the tree of a body's faces to the motion from x0 to x1 (the same array: none). boxes [16 nv]: scratch, in which those of
   the body's vertices are set. */
CTI_FN void cti_inside_refit(const cti_surface *s, int body, const ct_real *x0, const ct_real *x1, float *boxes, cti_forest *forest, cti_bvh *tree);
/* cti_inside_normals -- out [3 nv] at a body's vertices: the sums of their faces' normals, weighted by angle. */
CTI_FN void cti_inside_normals(const cti_surface *s, const ct_real *x, int body, ct_real *out);
/* cti_inside_pair -- vertex v and its nearest triangle as a pair with weights. */
CTI_FN void cti_inside_pair(const cti_surface *s, int v, const cti_nearest *nearest, cti_pair *out);
/* cti_inside_is_behind -- 1 where a point is behind the surface, whose vertices have `normals`; 0 where the nearest point is on the border of an open
   surface. */
CTI_FN int cti_inside_is_behind(const cti_surface *s, const ct_real *x, const ct_real *normals, const cti_nearest *nearest, cti_v3 p);
/* cti_inside_out -- direction out of the surface: the triangle's normal; at an edge or corner that from the nearest point to the vertex, or with
   `inside` against it, unless the distance is at most `least`, which gives no direction. */
CTI_FN cti_v3 cti_inside_out(const cti_surface *s, const ct_real *x, const cti_pair *pair, const cti_nearest *nearest, int inside, ct_real least);
