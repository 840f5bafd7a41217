/* cast.c -- a moving point against a sphere, a capsule, a triangle that is r thick on both sides, a plane.
   Method: the thick triangle is the union of two faces, three capsules along its edges, and what lies between. A point outside enters it by a face
   if its foot is then in the triangle, else by the capsule that it meets first. Roots are counted from the nearest point of the way, whose distance
   keeps its digits where the way is long. Rays: signs of cti_intersect_segment_triangle.
   based on: Ericson, Real-Time Collision Detection, 2005, ch. 5.3, 5.5. */
#include "cast.h"
#include "../1_math/d3.h"

static void cti_cast_sub(const double *a, const double *b, double *out) { out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2]; }

/* first t >= 0 at which |m + t d| <= r, from outside; CTI_CAST_NONE: later than 1, or never */
static double cti_cast_root(const double m[3], const double d[3], double r)
{
    double dd = cti_d3_dot(d, d), nearest = -cti_d3_dot(m, d), foot[3] = {m[0], m[1], m[2]}, left, t;
    if (!(dd > 0) || !(nearest > 0))
        return CTI_CAST_NONE;
    nearest /= dd;
    cti_d3_add(foot, d, nearest);
    left = r * r - cti_d3_dot(foot, foot);
    if (!(left >= 0))
        return CTI_CAST_NONE;
    t = nearest - sqrt(left / dd);
    return t > 1 ? CTI_CAST_NONE : cti_fmax(t, 0);
}

CTI_FN double cti_cast_sphere(const double a[3], const double d[3], double r, const double center[3])
{
    double m[3];
    cti_cast_sub(a, center, m);
    return cti_d3_dot(m, m) <= r * r ? 0 : cti_cast_root(m, d, r);
}

CTI_FN double cti_cast_segment(const double a[3], const double d[3], double r, const double p[3], const double q[3])
{
    double e[3], m[3], across[3], turn[3] = {d[0], d[1], d[2]}, ee, at, t, side;
    cti_cast_sub(q, p, e);
    cti_cast_sub(a, p, m);
    t = cti_fmin(cti_cast_sphere(a, d, r, p), cti_cast_sphere(a, d, r, q));
    ee = cti_d3_dot(e, e);
    if (!(ee > 0))
        return t;
    /* the same in the plane across the segment */
    at = cti_d3_dot(m, e) / ee;
    memcpy(across, m, sizeof across);
    cti_d3_add(across, e, -at);
    if (cti_d3_dot(across, across) <= r * r)
        return at >= 0 && at <= 1 ? 0 : t; /* inside of the endless cylinder, which is entered by an end */
    cti_d3_add(turn, e, -cti_d3_dot(d, e) / ee);
    side = cti_cast_root(across, turn, r);
    if (!(side < t))
        return t;
    cti_d3_add(m, d, side);
    at = cti_d3_dot(m, e) / ee;
    return at >= 0 && at <= 1 ? side : t;
}

/* time at which a ray meets a triangle */
static double cti_cast_ray(const double a[3], const double d[3], double t[3][3])
{
    double end[3] = {a[0] + d[0], a[1] + d[1], a[2] + d[2]}, u[3], v[3], n[3], h[2];
    int s[2];
    if (!cti_intersect_segment_triangle(a, end, t, s) || (s[0] == 0 && s[1] == 0))
        return CTI_CAST_NONE;
    if (s[0] == 0 || s[1] == 0)
        return s[0] == 0 ? 0 : 1;
    cti_cast_sub(t[1], t[0], u);
    cti_cast_sub(t[2], t[0], v);
    cti_d3_cross(u, v, n);
    cti_cast_sub(t[0], a, u);
    h[0] = cti_d3_dot(n, u), h[1] = cti_d3_dot(n, d);
    return h[1] != 0 ? cti_fmin(cti_fmax(h[0] / h[1], 0), 1) : 0;
}

CTI_FN double cti_cast_triangle(const double a[3], const double d[3], double r, double t[3][3], double reach)
{
    double u[3], v[3], n[3], m[3], w[3], nn, height, speed, best = CTI_CAST_NONE;
    int k;
    if (r == 0)
        return cti_cast_ray(a, d, t);
    if (reach <= r)
        return 0;
    cti_cast_sub(t[1], t[0], u);
    cti_cast_sub(t[2], t[0], v);
    cti_cast_sub(a, t[0], m);
    cti_d3_cross(u, v, n);
    nn = sqrt(cti_d3_dot(n, n));
    height = nn > 0 ? cti_d3_dot(m, n) / nn : 0, speed = nn > 0 ? cti_d3_dot(d, n) / nn : 0;
    if (height < 0)
        height = -height, speed = -speed;
    if (height > r && !(speed <= r - height)) /* it ends before it has come to the face's plane */
        return CTI_CAST_NONE;
    if (height > r) {
        double time = (height - r) / -speed, w1, w2;
        cti_d3_add(m, d, time);
        cti_d3_cross(m, v, w), w1 = cti_d3_dot(w, n);
        cti_d3_cross(u, m, w), w2 = cti_d3_dot(w, n);
        if (w1 >= 0 && w2 >= 0 && w1 + w2 <= nn * nn)
            return time;
    }
    for (k = 0; k < 3; k++)
        best = cti_fmin(best, cti_cast_segment(a, d, r, t[k], t[(k + 1) % 3]));
    return best;
}

CTI_FN double cti_cast_plane(const double a[3], const double d[3], double r, const double n[3], double offset)
{
    double height = cti_d3_dot(n, a) - offset, speed = cti_d3_dot(n, d);
    if (height < 0)
        height = -height, speed = -speed;
    if (height <= r)
        return r == 0 && speed == 0 ? CTI_CAST_NONE : 0;
    return speed <= r - height ? (height - r) / -speed : CTI_CAST_NONE;
}
