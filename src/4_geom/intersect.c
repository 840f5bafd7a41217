/* intersect.c -- exact edge-triangle and point-surface tests. Method: intersect.h. Coplanar cases are tested in a projection along an axis
   that is not parallel to the plane, segments in all three projections. The ray of the containment test runs along +z from p + (e, e^2, 0)
   with e infinitesimal: it meets no edge, no vertex, and no triangle that is parallel to it. */
#include "intersect.h"

static void cti_intersect_load(double d[3], const ct_real *p) { d[0] = (double)p[0], d[1] = (double)p[1], d[2] = (double)p[2]; }

/* The projection that drops `axis`; cyclic, so that orientation is kept. */
static void cti_intersect_project(double q[2], const double p[3], int axis) { q[0] = p[(axis + 1) % 3], q[1] = p[(axis + 2) % 3]; }

/* Is c on the closed segment a b? All three must be on one line. */
static int cti_intersect_between(const double a[2], const double b[2], const double c[2])
{
    int k;
    for (k = 0; k < 2; k++)
        if ((c[k] < a[k] && c[k] < b[k]) || (c[k] > a[k] && c[k] > b[k]))
            return 0;
    return 1;
}

static int cti_intersect_segments_2d(const double a[2], const double b[2], const double c[2], const double d[2])
{
    int oc = cti_exact_orient2d(a, b, c), od = cti_exact_orient2d(a, b, d), oa, ob;
    if (oc * od > 0)
        return 0;
    oa = cti_exact_orient2d(c, d, a), ob = cti_exact_orient2d(c, d, b);
    if (oa * ob > 0)
        return 0;
    if (oc * od < 0 && oa * ob < 0)
        return 1;
    return (oc == 0 && cti_intersect_between(a, b, c)) || (od == 0 && cti_intersect_between(a, b, d)) ||
           (oa == 0 && cti_intersect_between(c, d, a)) || (ob == 0 && cti_intersect_between(c, d, b));
}

/* Segments in space meet if they are coplanar and meet in all three projections (one of these is one-to-one on their plane). */
CTI_FN int cti_intersect_segments(const double a[3], const double b[3], const double c[3], const double d[3])
{
    int axis;
    if (cti_exact_orient3d(a, b, c, d) != 0)
        return 0;
    for (axis = 0; axis < 3; axis++) {
        double p[2], q[2], r[2], s[2];
        cti_intersect_project(p, a, axis), cti_intersect_project(q, b, axis);
        cti_intersect_project(r, c, axis), cti_intersect_project(s, d, axis);
        if (!cti_intersect_segments_2d(p, q, r, s))
            return 0;
    }
    return 1;
}

/* An axis along which the triangle's projection has area, or -1: it has none. q: that projection. */
static int cti_intersect_axis(double t[3][3], double q[3][2])
{
    int axis, k;
    for (axis = 0; axis < 3; axis++) {
        for (k = 0; k < 3; k++)
            cti_intersect_project(q[k], t[k], axis);
        if (cti_exact_orient2d(q[0], q[1], q[2]) != 0)
            return axis;
    }
    return -1;
}

/* Is p in the closed triangle q? Both are projected. */
static int cti_intersect_inside_2d(double q[3][2], const double p[2])
{
    int a = cti_exact_orient2d(q[0], q[1], p), b = cti_exact_orient2d(q[1], q[2], p), c = cti_exact_orient2d(q[2], q[0], p);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

/* Does the triangle t meet a point (p0, with p1 NULL) or a segment that lies in its plane? */
static int cti_intersect_in_plane(double t[3][3], const double p0[3], const double *p1)
{
    double q[3][2], a[2], b[2];
    int axis = cti_intersect_axis(t, q), k;
    if (axis < 0) {
        /* a triangle without area is tested as its three sides */
        for (k = 0; k < 3; k++)
            if (cti_intersect_segments(p0, p1 ? p1 : p0, t[k], t[(k + 1) % 3]))
                return 1;
        return 0;
    }
    cti_intersect_project(a, p0, axis);
    if (cti_intersect_inside_2d(q, a))
        return 1;
    if (!p1)
        return 0;
    cti_intersect_project(b, p1, axis);
    for (k = 0; k < 3; k++)
        if (cti_intersect_segments_2d(a, b, q[k], q[(k + 1) % 3]))
            return 1;
    return 0;
}

CTI_FN int cti_intersect_segment_triangle(const double a[3], const double b[3], double t[3][3], int side[2])
{
    int k, s[3];
    /* the end points' sides of the triangle's plane */
    side[0] = cti_exact_orient3d(t[0], t[1], t[2], a);
    side[1] = cti_exact_orient3d(t[0], t[1], t[2], b);
    if (side[0] * side[1] > 0)
        return 0;
    if (side[0] == 0 || side[1] == 0)
        return cti_intersect_in_plane(t, side[0] == 0 ? a : b, side[0] == 0 && side[1] == 0 ? b : NULL) ? 2 : 0;
    /* the segment crosses the plane: it goes through the triangle when the line has all three sides on the same hand */
    for (k = 0; k < 3; k++)
        s[k] = cti_exact_orient3d(a, b, t[k], t[(k + 1) % 3]);
    if (!((s[0] >= 0 && s[1] >= 0 && s[2] >= 0) || (s[0] <= 0 && s[1] <= 0 && s[2] <= 0)))
        return 0;
    return s[0] != 0 && s[1] != 0 && s[2] != 0 ? 1 : 2;
}

CTI_FN int cti_intersect_edge_triangle(const ct_real *p0, const ct_real *p1, const ct_real *t0, const ct_real *t1, const ct_real *t2)
{
    double a[3], b[3], t[3][3];
    int k, side[2];
    /* the boxes must overlap; the comparison is exact */
    for (k = 0; k < 3; k++) {
        ct_real lo = p0[k] < p1[k] ? p0[k] : p1[k], hi = p0[k] < p1[k] ? p1[k] : p0[k];
        if ((t0[k] > hi && t1[k] > hi && t2[k] > hi) || (t0[k] < lo && t1[k] < lo && t2[k] < lo))
            return 0;
    }
    cti_intersect_load(a, p0), cti_intersect_load(b, p1);
    cti_intersect_load(t[0], t0), cti_intersect_load(t[1], t1), cti_intersect_load(t[2], t2);
    return cti_intersect_segment_triangle(a, b, t, side);
}

/* The sign of (b - a) x (p' - a), p' = p + (e, e^2): never 0 unless a and b are the same. */
static int cti_intersect_side(const double a[2], const double b[2], const double p[2])
{
    int s = cti_exact_orient2d(a, b, p);
    if (s != 0)
        return s;
    if (a[1] != b[1])
        return a[1] > b[1] ? 1 : -1;
    return b[0] > a[0] ? 1 : (b[0] < a[0] ? -1 : 0);
}

CTI_FN int cti_intersect_winding(const ct_real *t0, const ct_real *t1, const ct_real *t2, const double p[3])
{
    double t[3][3];
    int k, s, above;
    cti_intersect_load(t[0], t0), cti_intersect_load(t[1], t1), cti_intersect_load(t[2], t2);
    /* the ray cannot meet the triangle's box */
    for (k = 0; k < 3; k++)
        if ((k < 2 && t[0][k] > p[k] && t[1][k] > p[k] && t[2][k] > p[k]) || (t[0][k] < p[k] && t[1][k] < p[k] && t[2][k] < p[k]))
            return 0;
    above = cti_exact_orient3d(t[0], t[1], t[2], p);
    if (above == 0 && cti_intersect_in_plane(t, p, NULL))
        return 2;
    s = cti_intersect_side(t[0], t[1], p);
    if (s == 0 || cti_intersect_side(t[1], t[2], p) != s || cti_intersect_side(t[2], t[0], p) != s)
        return 0;
    /* seen from above, s > 0 means counter-clockwise, with a normal of z > 0; the ray leaves through the triangle if p is behind it */
    return above == -s ? s : 0;
}

CTI_FN int cti_intersect_contains(const int32_t *faces, int nf, const ct_real *x, const ct_real *p)
{
    double d[3];
    int f, winding = 0;
    cti_intersect_load(d, p);
    for (f = 0; f < nf; f++) {
        int w = cti_intersect_winding(x + 3 * (size_t)faces[3 * (size_t)f], x + 3 * (size_t)faces[3 * (size_t)f + 1],
                                      x + 3 * (size_t)faces[3 * (size_t)f + 2], d);
        if (w == 2)
            return 2;
        winding += w;
    }
    return winding != 0;
}
