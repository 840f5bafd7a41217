/* exact.h -- signs that rounding cannot change: expansion arithmetic and orientation tests on doubles.
   Method: a number is an unevaluated sum of doubles (an expansion) whose parts do not overlap, smallest first; sums and products of
   expansions are exact. A sign is taken from plain arithmetic when a bound of its error allows, else from an expansion.
   Exact while all parts stay in range: nonzero coordinates between 2^-200 and 2^300 in size (every nonzero float is). Those who take coordinates
   from a caller refuse larger ones (cti_exact_beyond). No fused multiply-add, round to nearest. based on: Shewchuk, Adaptive precision
   floating-point arithmetic and fast robust geometric predicates, 1997; Dekker 1971, Knuth. */
#pragma once

#include "real.h"

#define CTI_EXACT_MOST 2.037035976334486e90 /* 2^300 */
/* cti_exact_beyond -- the first of n numbers that is not finite or larger than `most`, a finite number, in size; -1: none. */
CTI_FN int64_t cti_exact_beyond(const ct_real *x, int64_t n, double most);

/* cti_two_sum -- s + e = a + b exactly, s the rounded sum (Knuth). */
CTI_INLINE double cti_two_sum(double a, double b, double *e)
{
    double s = a + b, bv = s - a, av = s - bv;
    *e = (a - av) + (b - bv);
    return s;
}
/* cti_two_product -- p + e = a b exactly, p the rounded product (Dekker; Veltkamp's split by 2^27 + 1). */
CTI_INLINE double cti_two_product(double a, double b, double *e)
{
    double p = a * b, c = 134217729.0 * a, ah = c - (c - a), al = a - ah, bh, bl;
    c = 134217729.0 * b;
    bh = c - (c - b);
    bl = b - bh;
    *e = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    return p;
}

/* cti_expansion_sum -- h = e + f; h [ne + nf] may not be e or f. cti_expansion_scale -- h = b e; h [2 ne]. cti_expansion_product -- h = e
   f; h and scratch [2 ne nf] each. All return the length of h, at least 1; zero parts are left out (0 itself is one part). */
CTI_FN int cti_expansion_sum(int ne, const double *e, int nf, const double *f, double *h);
CTI_FN int cti_expansion_scale(int ne, const double *e, double b, double *h);
CTI_FN int cti_expansion_product(int ne, const double *e, int nf, const double *f, double *h, double *scratch);
/* cti_expansion_sign -- -1, 0, 1. */
CTI_FN int cti_expansion_sign(int ne, const double *e);

/* cti_exact_orient2d -- the exact sign of (b - a) x (c - a): 1 when a, b, c turn counter-clockwise, 0 on one line. */
CTI_FN int cti_exact_orient2d(const double a[2], const double b[2], const double c[2]);
/* cti_exact_winding -- the contribution of the triangle t, three points (x, y, z), to the winding number of the line through p = (y, z) along x:
   -1, 0 or 1. Half-open: of two triangles that share an edge the line meets one. */
CTI_FN int cti_exact_winding(const double t[9], const double p[2]);
/* cti_exact_orient3d -- the exact sign of dot(cross(b - a, c - a), d - a): 1 for a positive tet, 0 in one plane. */
CTI_FN int cti_exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);
