/* intersect.h -- exact intersection tests: edge through triangle, and point inside a closed surface. Method: signs from exact.h, so that
   the answers are right for the numbers as they are, rounding included; float positions are doubles too. based on: Guigue, Devillers 2003
   (tests by orientation signs); Edelsbrunner, Muecke, Simulation of simplicity, 1990 (the ray that meets no edge). */
#ifndef CTI_INTERSECT_H
#define CTI_INTERSECT_H

#include "../0_base/array.h"
#include "../1_math/exact.h"

/* cti_intersect_edge_triangle -- has the closed segment p0 p1 a point in common with the closed triangle t0 t1 t2? 0: none. 1: it goes
   through, from one side strictly to the other, inside the triangle. 2: it touches: an end in the triangle, a point on its rim, or both in
   one plane. Segments and triangles without extent are treated as the points and segments that they are. Features that share a vertex
   touch; callers leave them out. */
CTI_FN int cti_intersect_edge_triangle(const ct_real *p0, const ct_real *p1, const ct_real *t0, const ct_real *t1, const ct_real *t2);
/* cti_intersect_segments -- have two closed segments a point in common? */
CTI_FN int cti_intersect_segments(const double a[3], const double b[3], const double c[3], const double d[3]);
/* cti_intersect_contains -- p against the closed surface faces [3 nf] with vertices x: 0 outside, 1 inside, 2 on it. Inside: the surface
   winds around p, which for one closed surface is odd ray parity; parts that overlap add, a reversed inner surface is a hollow. For open
   surfaces only 2 means something. */
CTI_FN int cti_intersect_contains(const int32_t *faces, int nf, const ct_real *x, const ct_real *p);

#endif /* CTI_INTERSECT_H */
