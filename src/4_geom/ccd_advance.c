/* ccd_advance.c -- preparation of a query, certified separating planes, and the search with a minimum distance.
   Method: the two features are as far apart as the origin is from the convex hull of their differences h_i(t) = h_i(0) + t v_i. For every
   direction n, |n| <= 1, the distance at time s is at least min_i n.h_i(s), and each n.h_i is linear in s. With n along the nearest point
   of the hull at t this bound is sharp at t, so all times up to the first root of min_i n.h_i(s) = distance are free: advance to it and
   repeat. Rounding (u = 2^-53, B_k the largest coordinate of axis k): a difference of input points is off by u B_k at most; h(0) + s (h(1)
   - h(0)) adds 2u B_k (difference) + 2u B_k (product) + u B_k (1 + 4u) (sum); the inner product with n adds 3u sum_k |n_k| B_k. Together
       |computed n.h - exact n.h| <= 10u sum_k |n_k| B_k (1 + 20u),   below CTI_CCD_DOT sum_k |n_k| B_k + tiny.
   based on: Mirtich, conservative advancement; Li et al. 2021, additive CCD (the loop); Catto, bilateral advancement (a fixed axis). */
#include "ccd.h"

#define CTI_CCD_STRIDES 256 /* after so many strides the time reached is the answer: too early perhaps, never late */
#define CTI_CCD_DOT (12 * 1.1102230246251565e-16)
#define CTI_CCD_TINY 1e-290 /* bound on the sum of all underflow errors of one query, whose largest coordinate is at least 1 */

/* cti_ccd_scale -- 2^-e with 1 <= x 2^-e < 2 for normal x; clamped to 2^-1021 .. 2^1021 */
static double cti_ccd_scale(double x)
{
    uint64_t u;
    int64_t e;
    double r;
    memcpy(&u, &x, sizeof u);
    e = (int64_t)((u >> 52) & 0x7ff);
    e = 2046 - e;
    if (e > 2044)
        e = 2044;
    if (e < 2)
        e = 2;
    u = (uint64_t)e << 52;
    memcpy(&r, &u, sizeof r);
    return r;
}

/* cti_ccd_relative -- the differences at one end; both operands are first multiplied by `half`: 1, or 1/2 where a difference would
   overflow */
static void cti_ccd_relative(cti_ccd_query *q, int end, const double *x, double half)
{
    int k;
    for (k = 0; k < 3; k++) {
        double p[4];
        int i, n = q->kind == CTI_CCD_VF || q->kind == CTI_CCD_EE ? 4 : (q->kind == CTI_CCD_VE ? 3 : 2);
        for (i = 0; i < n; i++)
            p[i] = x[3 * i + k] * half;
        q->c[end][k] = 0;
        if (q->kind == CTI_CCD_EE) {
            q->h[end][0][k] = p[0] - p[2], q->h[end][1][k] = p[1] - p[2];
            q->h[end][2][k] = p[1] - p[3], q->h[end][3][k] = p[0] - p[3];
            q->c[end][k] = p[3] - p[2];
        } else {
            for (i = 1; i < n; i++)
                q->h[end][i - 1][k] = p[i] - p[0];
            if (q->kind == CTI_CCD_VF)
                q->c[end][k] = q->h[end][2][k];
        }
    }
}

/* cti_ccd_measure -- computes q->big; returns the largest coordinate, or NaN where one is NaN */
static double cti_ccd_measure(cti_ccd_query *q)
{
    double top = 0;
    int e, i, k;
    for (k = 0; k < 3; k++) {
        double m = 0;
        for (e = 0; e < 2; e++) {
            m = fabs(q->c[e][k]) > m ? fabs(q->c[e][k]) : m;
            for (i = 0; i < q->n_hull; i++)
                m = !(fabs(q->h[e][i][k]) <= m) ? fabs(q->h[e][i][k]) : m;
        }
        q->big[k] = m;
        top = !(m <= top) ? m : top;
    }
    return top;
}

CTI_FN int cti_ccd_prepare(cti_ccd_query *q, int kind, const double *x0, const double *x1, double distance)
{
    static const int hull[5] = {3, 4, 0, 2, 1};
    double top, s;
    int e, i, k, pass, positive = distance > 0;
    q->kind = kind, q->n_hull = hull[kind], q->x[0] = x0, q->x[1] = x1;
    q->pre = q->post[0] = q->post[1] = 1;
    cti_ccd_relative(q, 0, x0, 1), cti_ccd_relative(q, 1, x1, 1);
    top = cti_ccd_measure(q);
    if (!cti_finite64(top)) {
        /* a difference overflowed; differences of halved finite numbers cannot */
        cti_ccd_relative(q, 0, x0, 0.5), cti_ccd_relative(q, 1, x1, 0.5);
        top = cti_ccd_measure(q);
        distance *= 0.5, q->pre = 0.5;
    }
    if (!cti_finite64(top) || !(distance >= 0) || !(top > 0) || !(distance <= 4 * top))
        return 0;
    /* two passes: a subnormal `top` needs two factors */
    for (pass = 0; pass < 2 && !(top >= 1 && top < 2); pass++) {
        s = q->post[pass] = cti_ccd_scale(top);
        for (k = 0; k < 3; k++) {
            for (e = 0; e < 2; e++) {
                q->c[e][k] *= s;
                for (i = 0; i < q->n_hull; i++)
                    q->h[e][i][k] *= s;
            }
            q->big[k] *= s;
        }
        top *= s, distance *= s;
    }
    /* a positive distance that underflowed must not become a query at distance 0 */
    q->distance = distance > 0 || !positive ? distance : CTI_CCD_TINY;
    return 1;
}

static double cti_ccd_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cti_ccd_cross(const double *a, const double *b, double *r)
{
    r[0] = a[1] * b[2] - a[2] * b[1], r[1] = a[2] * b[0] - a[0] * b[2], r[2] = a[0] * b[1] - a[1] * b[0];
}

/* cti_ccd_place -- the hull at time t */
static void cti_ccd_place(const cti_ccd_query *q, double t, double h[4][3])
{
    int i, k;
    for (i = 0; i < q->n_hull; i++)
        for (k = 0; k < 3; k++)
            h[i][k] = q->h[0][i][k] + t * (q->h[1][i][k] - q->h[0][i][k]);
}

/* cti_ccd_lowest -- min_i n.h_i minus its error bound */
static double cti_ccd_lowest(const cti_ccd_query *q, double h[4][3], const double *n)
{
    double low = cti_ccd_dot(n, h[0]), s;
    int i;
    for (i = 1; i < q->n_hull; i++) {
        s = cti_ccd_dot(n, h[i]);
        low = s < low ? s : low;
    }
    return low - CTI_CCD_DOT * (fabs(n[0]) * q->big[0] + fabs(n[1]) * q->big[1] + fabs(n[2]) * q->big[2]) - CTI_CCD_TINY;
}

/* cti_ccd_unit -- n / (|n| (1 + 8u)), so that the length is at most 1; returns 0 where n has no direction */
static int cti_ccd_unit(double n[3])
{
    double m = fabs(n[0]) > fabs(n[1]) ? fabs(n[0]) : fabs(n[1]), s;
    m = fabs(n[2]) > m ? fabs(n[2]) : m;
    if (!(m > 1e-300) || !cti_finite64(m))
        return 0;
    n[0] /= m, n[1] /= m, n[2] /= m;
    s = (1 - 1e-15) / sqrt(cti_ccd_dot(n, n));
    n[0] *= s, n[1] *= s, n[2] *= s;
    return 1;
}

/* cti_ccd_rim -- nearest point to the origin on the boundary of the hull polygon */
static void cti_ccd_rim(double h[4][3], int m, double v[3])
{
    double best = 0;
    int i, k;
    for (i = 0; i < (m > 2 ? m : 1); i++) {
        const double *a = h[i], *b = h[i + 1 < m ? i + 1 : 0];
        double d[3], r[3], s, l2, r2;
        for (k = 0; k < 3; k++)
            d[k] = b[k] - a[k];
        l2 = cti_ccd_dot(d, d), s = -cti_ccd_dot(a, d);
        s = s > 0 ? (s < l2 ? s / l2 : 1) : 0;
        for (k = 0; k < 3; k++)
            r[k] = s < 1 ? a[k] + s * d[k] : b[k];
        r2 = cti_ccd_dot(r, r);
        if (i == 0 || r2 < best)
            best = r2, v[0] = r[0], v[1] = r[1], v[2] = r[2];
    }
}

/* cti_ccd_face -- the polygon's normal, pointing from the origin to its plane; 0 when the foot of the origin is outside the polygon */
static int cti_ccd_face(double h[4][3], int m, double n[3])
{
    double u[3], v[3], x[3], s;
    int i, k;
    for (k = 0; k < 3; k++)
        u[k] = h[1][k] - h[0][k], v[k] = h[m - 1][k] - h[0][k];
    cti_ccd_cross(u, v, n);
    for (i = 0; i < m; i++) {
        cti_ccd_cross(h[i], h[i + 1 < m ? i + 1 : 0], x);
        if (!(cti_ccd_dot(x, n) >= 0))
            return 0;
    }
    s = cti_ccd_dot(n, h[0]);
    if (s < 0)
        n[0] = -n[0], n[1] = -n[1], n[2] = -n[2];
    return 1;
}

CTI_FN double cti_ccd_direction(const cti_ccd_query *q, double t, double n[3])
{
    double h[4][3], f[3], a = -1, b;
    cti_ccd_place(q, t, h);
    n[0] = n[1] = n[2] = 0;
    if (q->n_hull > 2 && cti_ccd_face(h, q->n_hull, n) && cti_ccd_unit(n))
        a = cti_ccd_lowest(q, h, n);
    else
        n[0] = n[1] = n[2] = 0;
    /* takes the one of face and rim that gives the larger lower bound */
    cti_ccd_rim(h, q->n_hull, f);
    if (cti_ccd_unit(f)) {
        b = cti_ccd_lowest(q, h, f);
        if (b > a)
            a = b, n[0] = f[0], n[1] = f[1], n[2] = f[2];
    }
    return a;
}

/* cti_ccd_turning -- returns 1 when the distance is certainly kept in [t0, t1] along a direction that turns linearly from n0 to n1. For
   each i, n(s).h_i(s) is a quadratic with Bernstein coefficients n0.h_i(t0), (n0.h_i(t1) + n1.h_i(t0)) / 2, n1.h_i(t1), and |n(s)| <= 1 */
static int cti_ccd_turning(const cti_ccd_query *q, double t0, const double *n0, double t1, const double *n1)
{
    double a[4][3], b[4][3], edge = q->distance + CTI_CCD_TINY, s;
    int i, k;
    cti_ccd_place(q, t0, a), cti_ccd_place(q, t1, b);
    for (k = 0; k < 3; k++)
        edge += CTI_CCD_DOT * (fabs(n0[k]) + fabs(n1[k])) * q->big[k];
    for (i = 0; i < q->n_hull; i++) {
        s = 0.5 * (cti_ccd_dot(n0, b[i]) + cti_ccd_dot(n1, a[i]));
        if (!(cti_ccd_dot(n0, a[i]) > edge && s > edge && cti_ccd_dot(n1, b[i]) > edge))
            return 0;
    }
    return 1;
}

CTI_FN int cti_ccd_plane(const cti_ccd_query *q, double t0, double t1)
{
    double n[3], h[4][3];
    if (!(cti_ccd_direction(q, t0 + 0.5 * (t1 - t0), n) > q->distance))
        return 0;
    cti_ccd_place(q, t0, h);
    if (!(cti_ccd_lowest(q, h, n) > q->distance))
        return 0;
    cti_ccd_place(q, t1, h);
    return cti_ccd_lowest(q, h, n) > q->distance;
}

CTI_FN int cti_ccd_clear(const cti_ccd_query *q, double t0, double t1)
{
    double n[3], m[3];
    if (cti_ccd_plane(q, t0, t1))
        return 1;
    return cti_ccd_direction(q, t0, n) > q->distance && cti_ccd_direction(q, t1, m) > q->distance && cti_ccd_turning(q, t0, n, t1, m);
}

/* cti_ccd_reach -- estimates the share of [t0, t1] that a direction turning from n0 to n1 frees: the first root of the quadratics, 1 if
   there is none */
static double cti_ccd_reach(const cti_ccd_query *q, double t0, const double *n0, double t1, const double *n1)
{
    double a[4][3], b[4][3], edge = q->distance, share = 1, c0, c1, c2, p, r, d;
    int i, k;
    cti_ccd_place(q, t0, a), cti_ccd_place(q, t1, b);
    for (k = 0; k < 3; k++)
        edge += 2 * CTI_CCD_DOT * (fabs(n0[k]) + fabs(n1[k])) * q->big[k];
    for (i = 0; i < q->n_hull; i++) {
        /* c0 + 2 p s + r s^2 */
        c0 = cti_ccd_dot(n0, a[i]) - edge, c2 = cti_ccd_dot(n1, b[i]) - edge;
        c1 = 0.5 * (cti_ccd_dot(n0, b[i]) + cti_ccd_dot(n1, a[i])) - edge;
        if (c0 > 0 && c1 > 0 && c2 > 0)
            continue;
        if (!(c0 > 0))
            return 0;
        p = c1 - c0, r = c0 - 2 * c1 + c2, d = p * p - r * c0;
        if (d < 0)
            continue;
        d = sqrt(d) - p;
        if (d > 0 && c0 < share * d)
            share = c0 / d;
    }
    return share;
}

/* cti_ccd_stride -- the end of a certified free interval that begins at t; t when none was found. First the reach of the fixed direction n0
   is estimated. Then a direction is tried that turns from n0 towards the one at *ratio times that reach. *ratio grows when turning frees
   more than the fixed direction, and shrinks otherwise */
static double cti_ccd_stride(const cti_ccd_query *q, double t, const double *n0, double *ratio)
{
    double n1[3], m[3], fixed, share, end;
    int k;
    share = cti_ccd_reach(q, t, n0, 1, n0);
    if (share >= 1 && cti_ccd_turning(q, t, n0, 1, n0))
        return 1;
    fixed = share * (1 - t);
    end = t + *ratio * fixed < 1 ? t + *ratio * fixed : 1;
    cti_ccd_direction(q, end, n1);
    if (cti_ccd_dot(n0, n1) > 0.5) {
        share = cti_ccd_reach(q, t, n0, end, n1);
        if (share * (end - t) > fixed) {
            *ratio = share < 1 ? 2 * share * *ratio : 4 * *ratio;
            share *= share < 1 ? 1 - 1e-12 : 1;
            end = share < 1 ? t + share * (end - t) : end;
            for (k = 0; k < 3; k++)
                m[k] = n0[k] + share * (n1[k] - n0[k]);
            if (end > t && cti_ccd_turning(q, t, n0, end, m))
                return end;
        }
    }
    *ratio = 0.5 * *ratio > 2 ? 0.5 * *ratio : 2;
    for (k = 0; k < 2; k++) {
        end = t + fixed * (k ? 0.5 : 1 - 1e-12);
        if (end > t && cti_ccd_turning(q, t, n0, end, n0))
            return end;
    }
    return t;
}

CTI_FN double cti_ccd_advance(const cti_ccd_query *q, double t, double stop)
{
    double n[3], ratio = 4, end;
    int pass;
    for (pass = 0; pass < CTI_CCD_STRIDES; pass++) {
        if (!(cti_ccd_direction(q, t, n) - q->distance > 1e-9 * q->distance))
            return t;
        end = cti_ccd_stride(q, t, n, &ratio);
        if (end >= stop)
            return CTI_CCD_NONE;
        if (!(end - t > 1e-15))
            return t;
        t = end;
    }
    return t;
}
