/* bounds.h -- axis-aligned boxes of moving points, rounded outward. Method: the box over a linear motion is the box of its two ends,
   widened by the detection distance and then by one rounding error. Trees hold boxes in float. Conversion to float is monotone: lo_a <=
   hi_b implies float(lo_a) <= float(hi_b), so float boxes never miss an overlap of the boxes they come from. Two sets of points move
   linearly. If they are apart along an axis at the start, and on the same sides at the end, they are apart all the way: a difference that
   is linear in time is positive between two positive values. The test compares start with start and end with end, so that a common motion
   of both sets does not matter. */
#pragma once

#include "../1_math/vec.h"

/* cti_box -- lo > hi: the empty box. */
typedef struct cti_box {
    cti_v3 lo, hi;
} cti_box;

CTI_INLINE cti_box cti_box_empty(void)
{
    cti_box b;
    b.lo = cti_v3_make(CTI_REAL_MAX, CTI_REAL_MAX, CTI_REAL_MAX);
    b.hi = cti_v3_make(-CTI_REAL_MAX, -CTI_REAL_MAX, -CTI_REAL_MAX);
    return b;
}
CTI_INLINE void cti_box_add(cti_box *b, cti_v3 p) { b->lo = cti_v3_min(b->lo, p), b->hi = cti_v3_max(b->hi, p); }
/* cti_box_overlap -- closed boxes: 1 also when they touch. */
CTI_INLINE int cti_box_overlap(const cti_box *a, const cti_box *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y && a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

/* cti_box_has -- 1 for a point in a box that is widened by r. */
CTI_INLINE int cti_box_has(const cti_box *b, cti_v3 p, ct_real r)
{
    return p.x >= b->lo.x - r && p.y >= b->lo.y - r && p.z >= b->lo.z - r && p.x <= b->hi.x + r && p.y <= b->hi.y + r && p.z <= b->hi.z + r;
}

/* cti_round_down, cti_round_up -- a number at most (at least) as large as every real that rounds to x: |x| eps is twice one rounding
   error. */
CTI_INLINE ct_real cti_round_down(ct_real x) { return x - CTI_EPS * cti_abs(x); }
CTI_INLINE ct_real cti_round_up(ct_real x) { return x + CTI_EPS * cti_abs(x); }

/* cti_box_motion -- the box of the points on the way from p0 to p1, widened by r >= 0; r = 0: exact. */
CTI_INLINE cti_box cti_box_motion(cti_v3 p0, cti_v3 p1, ct_real r)
{
    cti_box b;
    b.lo = cti_v3_min(p0, p1), b.hi = cti_v3_max(p0, p1);
    if (r > 0) {
        b.lo = cti_v3_make(cti_round_down(b.lo.x - r), cti_round_down(b.lo.y - r), cti_round_down(b.lo.z - r));
        b.hi = cti_v3_make(cti_round_up(b.hi.x + r), cti_round_up(b.hi.y + r), cti_round_up(b.hi.z + r));
    }
    return b;
}

/* cti_round_float -- converts x to float: monotone, and clamped to +-1e38. It is never infinite, and no box reaches the empty boxes of a
   tree. */
CTI_INLINE float cti_round_float(ct_real x)
{
    const ct_real most = (ct_real)1e38f;
    return (float)(x < -most ? -most : (x > most ? most : x));
}

/* cti_slabs -- the projections of a moving point on x + y, x - y, x + z, x - z, y + z, y - z: with the box an 18-sided bound (18-DOP). */
typedef struct cti_slabs {
    ct_real lo[6], hi[6];
} cti_slabs;

/* cti_slabs_project -- the six projections of p. */
CTI_INLINE void cti_slabs_project(cti_v3 p, ct_real out[6])
{
    out[0] = p.x + p.y, out[1] = p.x - p.y, out[2] = p.x + p.z, out[3] = p.x - p.z, out[4] = p.y + p.z, out[5] = p.y - p.z;
}

/* cti_slabs_motion -- for the motion from p0 to p1, widened by r >= 0 (a distance in space). Points at most ra + rb apart at one time have
   overlapping slabs: a projection changes by at most sqrt(2) times the distance, and 4 eps of all terms exceeds the four roundings and what
   cti_way_holds allows. With r = 0 nothing is widened: a rounded sum is monotone in the exact one. */
CTI_INLINE cti_slabs cti_slabs_motion(cti_v3 p0, cti_v3 p1, ct_real r)
{
    cti_slabs s;
    ct_real a[6], b[6], w = CTI_R(1.4142140) * r;
    int k;
    cti_slabs_project(p0, a);
    cti_slabs_project(p1, b);
    for (k = 0; k < 6; k++) {
        ct_real lo = cti_min(a[k], b[k]), hi = cti_max(a[k], b[k]);
        s.lo[k] = r > 0 ? (lo - w) - 4 * CTI_EPS * (cti_abs(lo) + w) : lo;
        s.hi[k] = r > 0 ? (hi + w) + 4 * CTI_EPS * (cti_abs(hi) + w) : hi;
    }
    return s;
}

/* cti_way_holds -- 1 for a point q in the box of the motion from p0 to p1 that is widened by `slack` on each axis, and between the projections of
   the motion that are widened by sqrt(2) times as much. 2 eps are for the rounding of points of the straight way. The box has none: a coordinate
   on that way is monotone. */
CTI_INLINE int cti_way_holds(cti_v3 p0, cti_v3 p1, ct_real slack, cti_v3 q)
{
    ct_real a[6], b[6], c[6], w = CTI_R(1.4142130) * slack;
    int k, in = q.x >= cti_min(p0.x, p1.x) - slack && q.x <= cti_max(p0.x, p1.x) + slack && q.y >= cti_min(p0.y, p1.y) - slack &&
                q.y <= cti_max(p0.y, p1.y) + slack && q.z >= cti_min(p0.z, p1.z) - slack && q.z <= cti_max(p0.z, p1.z) + slack;
    cti_slabs_project(p0, a);
    cti_slabs_project(p1, b);
    cti_slabs_project(q, c);
    for (k = 0; k < 6; k++) {
        ct_real lo = cti_min(a[k], b[k]), hi = cti_max(a[k], b[k]);
        in &= c[k] >= lo - w - 2 * CTI_EPS * cti_abs(lo) && c[k] <= hi + w + 2 * CTI_EPS * cti_abs(hi);
    }
    return in;
}

/* cti_slabs_box -- for a point anywhere in a box that r >= 0 widens on each axis. */
CTI_INLINE cti_slabs cti_slabs_box(cti_v3 lo, cti_v3 hi, ct_real r)
{
    cti_slabs s;
    int k;
    s.lo[0] = lo.x + lo.y, s.lo[1] = lo.x - hi.y, s.lo[2] = lo.x + lo.z, s.lo[3] = lo.x - hi.z, s.lo[4] = lo.y + lo.z, s.lo[5] = lo.y - hi.z;
    s.hi[0] = hi.x + hi.y, s.hi[1] = hi.x - lo.y, s.hi[2] = hi.x + hi.z, s.hi[3] = hi.x - lo.z, s.hi[4] = hi.y + hi.z, s.hi[5] = hi.y - lo.z;
    for (k = 0; k < 6 && r > 0; k++) {
        s.lo[k] = (s.lo[k] - 2 * r) - 2 * CTI_EPS * (cti_abs(s.lo[k]) + 2 * r);
        s.hi[k] = (s.hi[k] + 2 * r) + 2 * CTI_EPS * (cti_abs(s.hi[k]) + 2 * r);
    }
    return s;
}
