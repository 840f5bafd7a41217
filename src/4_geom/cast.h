/* cast.h -- when a moving point first comes within a distance of a feature that stands still, in double in every build: a ray with distance 0, the
   centre of a moving sphere with its radius. */
#pragma once

#include "intersect.h"

#define CTI_CAST_NONE 2.0

/* cti_cast_sphere, cti_cast_segment, cti_cast_triangle, cti_cast_plane -- the first t in [0, 1] at which a + t d is within r >= 0 of the feature: 0
   where it begins so; CTI_CAST_NONE: never.
   cti_cast_triangle with r 0 is exact: the closed segment from a to a + d, rounded, meets the closed triangle, and does not lie in its plane. So no
   ray passes between two triangles that share an edge. `reach` [m] is then not used; else it is the distance of a from the triangle
   cti_cast_plane     dot(n, x) = offset, n of length 1, on both sides */
CTI_FN double cti_cast_sphere(const double a[3], const double d[3], double r, const double center[3]);
CTI_FN double cti_cast_segment(const double a[3], const double d[3], double r, const double p[3], const double q[3]);
CTI_FN double cti_cast_triangle(const double a[3], const double d[3], double r, double t[3][3], double reach);
CTI_FN double cti_cast_plane(const double a[3], const double d[3], double r, const double n[3], double offset);
