/* intersect.h -- exact intersection tests: edge through triangle, and point inside a closed surface. Method: signs from exact.h, so that
   the answers are exact for the given coordinates; float positions are widened to double, which is exact. based on: Guigue, Devillers 2003
   (tests by orientation signs); Edelsbrunner, Muecke, Simulation of simplicity, 1990 (the ray that meets no edge). */
#pragma once

#include "../0_base/array.h"
#include "../1_math/exact.h"

/* cti_intersect_edge_triangle -- does the closed segment p0 p1 meet the closed triangle t0 t1 t2? 0: no. 1: it goes through the inside,
   from strictly on one side to strictly on the other. 2: it touches: an end point in the triangle, a point on its boundary, or both
   coplanar. Degenerate segments and triangles are treated as the points and segments that they are. Features that share a vertex touch:
   callers leave such pairs out. */
CTI_FN int cti_intersect_edge_triangle(const ct_real *p0, const ct_real *p1, const ct_real *t0, const ct_real *t1, const ct_real *t2);
/* cti_intersect_segment_triangle -- the same of the segment a b and the triangle t; side [2]: the signs of a and b to its plane. */
CTI_FN int cti_intersect_segment_triangle(const double a[3], const double b[3], double t[3][3], int side[2]);
/* cti_intersect_segments -- do two closed segments have a point in common? */
CTI_FN int cti_intersect_segments(const double a[3], const double b[3], const double c[3], const double d[3]);
/* cti_intersect_winding -- what a triangle adds to the winding number of a closed surface around p: 0, 1 or -1; or 2: p lies on it. */
CTI_FN int cti_intersect_winding(const ct_real *t0, const ct_real *t1, const ct_real *t2, const double p[3]);
/* cti_intersect_contains -- p against the closed surface faces [3 nf] with vertices x: 0 outside, 1 inside, 2 on it. Inside means that the
   winding number around p is above 0; for one closed surface this is odd ray parity. Overlapping parts add up; an inner surface of reversed
   orientation is a hollow. For open surfaces only the answer 2 is meaningful. */
CTI_FN int cti_intersect_contains(const int32_t *faces, int nf, const ct_real *x, const ct_real *p);
