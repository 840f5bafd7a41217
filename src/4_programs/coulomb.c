/* coulomb.c -- Coulomb's law at one contact.
   Method: the three cases are tried in order. Open: q_n >= 0. Stick: u = 0 and r in K. Slide along the unit vector d: u_n = 0 and
   r_t = -mu r_n d give r_n = -q_n / D(d) with D = W_nn - mu W_nt d; that u_t is parallel to d is one equation g(d) = 0 in an angle, a
   trigonometric polynomial of the second degree. Newton's method from the last direction nearly always finds its root. Otherwise all roots
   (at most four) are bracketed on the circle, and one with D > 0 and u_t d >= 0 is taken. based on: Bonnefon and Daviet 2011 (the same
   roots as those of a quartic). differs: the angle instead of the quartic, whose coefficients lose half of the digits where mu is large or
   W_ii nearly singular. */
#include "coulomb.h"

/* the equation of sliding, g(d) = a1 s - a2 c + b1 s^2 + b2 c^2 + b3 c s for d = (c, s); mu W_nt; the data of u_t d */
typedef struct cti_coulomb_circle {
    const double *W, *q;
    double mu, a1, a2, b1, b2, b3, size;
} cti_coulomb_circle;

static void cti_coulomb_circle_make(cti_coulomb_circle *o, const double *W, const double *q, double mu)
{
    o->W = W, o->q = q, o->mu = mu;
    o->a1 = W[0] * q[1] - q[0] * W[3], o->a2 = W[0] * q[2] - q[0] * W[6];
    o->b1 = mu * (q[0] * W[5] - W[2] * q[1]), o->b2 = mu * (W[1] * q[2] - q[0] * W[7]);
    o->b3 = mu * (q[0] * (W[4] - W[8]) - (W[1] * q[1] - W[2] * q[2]));
    o->size = fabs(o->a1) + fabs(o->a2) + fabs(o->b1) + fabs(o->b2) + fabs(o->b3) + mu * fabs(q[0]) * (fabs(W[4]) + fabs(W[8]));
}

static double cti_coulomb_g(const cti_coulomb_circle *o, const double *d)
{
    double c = d[0], s = d[1];
    return o->a1 * s - o->a2 * c + o->b1 * s * s + o->b2 * c * c + o->b3 * c * s;
}

static double cti_coulomb_slope(const cti_coulomb_circle *o, const double *d)
{
    double c = d[0], s = d[1];
    return o->a1 * c + o->a2 * s + 2 * (o->b1 - o->b2) * c * s + o->b3 * (c * c - s * s);
}

/* 1 if sliding along d obeys the law; r: its force. *out_d: D */
static int cti_coulomb_slides(const cti_coulomb_circle *o, const double *d, double *r, double *out_d)
{
    const double *W = o->W, *q = o->q;
    double c = d[0], s = d[1], D = W[0] - o->mu * (W[1] * c + W[2] * s), h;
    *out_d = D;
    if (!(D > 1e-14 * (fabs(W[0]) + o->mu * (fabs(W[1]) + fabs(W[2])))))
        return 0;
    h = D * (q[1] * c + q[2] * s) - q[0] * (W[3] * c + W[6] * s - o->mu * (W[4] * c * c + (W[5] + W[7]) * c * s + W[8] * s * s));
    r[0] = -q[0] / D, r[1] = -o->mu * r[0] * c, r[2] = -o->mu * r[0] * s;
    return h >= -1e-12 * o->size;
}

static void cti_coulomb_turn(double *d, double angle)
{
    double c = d[0] - angle * d[1], s = d[1] + angle * d[0], length = sqrt(c * c + s * s);
    d[0] = c / length, d[1] = s / length;
}

/* Newton's method on the circle from d; 1 when it converges */
static int cti_coulomb_newton(const cti_coulomb_circle *o, double *d)
{
    int it;
    for (it = 0; it < 25; it++) {
        double slope = cti_coulomb_slope(o, d), step;
        if (slope == 0)
            return 0;
        step = -cti_coulomb_g(o, d) / slope;
        step = step > 0.5 ? 0.5 : (step < -0.5 ? -0.5 : step);
        cti_coulomb_turn(d, step);
        if (fabs(step) < 1e-14)
            return 1;
    }
    return 0;
}

/* bisects for the root of g (with slope: of its derivative) between d and end, where its signs differ; the root is in d */
static void cti_coulomb_bisect(const cti_coulomb_circle *o, double *d, const double *end, int slope)
{
    double e[2], m[2], gd = slope ? cti_coulomb_slope(o, d) : cti_coulomb_g(o, d), gm, length;
    int it;
    e[0] = end[0], e[1] = end[1];
    for (it = 0; it < 60; it++) {
        m[0] = d[0] + e[0], m[1] = d[1] + e[1];
        length = sqrt(m[0] * m[0] + m[1] * m[1]);
        m[0] /= length, m[1] /= length;
        gm = slope ? cti_coulomb_slope(o, m) : cti_coulomb_g(o, m);
        if ((gm < 0) == (gd < 0))
            d[0] = m[0], d[1] = m[1], gd = gm;
        else
            e[0] = m[0], e[1] = m[1];
    }
}

/* cti_coulomb_search -- the best so far: the admissible root with the smallest r_n, or the admissible direction with the smallest |g| */
typedef struct cti_coulomb_search {
    double r[3], D, least;
    int found;
} cti_coulomb_search;

static void cti_coulomb_consider(const cti_coulomb_circle *o, const double *d, int is_root, cti_coulomb_search *s)
{
    double t[3], D, g = fabs(cti_coulomb_g(o, d));
    if (!cti_coulomb_slides(o, d, t, &D) || (s->found && (!is_root || D <= s->D)) || (!is_root && g >= s->least))
        return;
    memcpy(s->r, t, sizeof t);
    s->found |= is_root, s->D = D, s->least = g;
}

/* roots between the directions d and e: one where the signs of g differ; two, possibly equal, where |g| has a minimum near 0 */
static void cti_coulomb_arc(const cti_coulomb_circle *o, const double *d, const double *e, cti_coulomb_search *s)
{
    double g = cti_coulomb_g(o, d), h = cti_coulomb_g(o, e), root[2], dip[2];
    cti_coulomb_consider(o, d, 0, s);
    root[0] = d[0], root[1] = d[1];
    if ((g < 0) != (h < 0)) {
        cti_coulomb_bisect(o, root, e, 0);
        cti_coulomb_consider(o, root, 1, s);
        return;
    }
    if (g * cti_coulomb_slope(o, d) >= 0 || h * cti_coulomb_slope(o, e) <= 0)
        return;
    dip[0] = d[0], dip[1] = d[1];
    cti_coulomb_bisect(o, dip, e, 1);
    cti_coulomb_consider(o, dip, 0, s);
    if ((cti_coulomb_g(o, dip) < 0) == (g < 0))
        return;
    cti_coulomb_bisect(o, root, dip, 0);
    cti_coulomb_consider(o, root, 1, s);
    cti_coulomb_bisect(o, dip, e, 0);
    cti_coulomb_consider(o, dip, 1, s);
}

static int cti_coulomb_scan(const cti_coulomb_circle *o, double *r)
{
    cti_coulomb_search s;
    double d[2], e[2];
    int k;
    memset(&s, 0, sizeof s);
    s.least = INFINITY;
    e[0] = 1, e[1] = 0;
    for (k = 0; k < CTI_COULOMB_ARCS; k++) {
        /* 0.2679.. is the tangent of 15 degrees, a 24th of the circle */
        d[0] = e[0], d[1] = e[1];
        cti_coulomb_turn(e, 0.26794919243112270647);
        cti_coulomb_arc(o, d, e, &s);
    }
    memcpy(r, s.r, sizeof s.r);
    return s.found || s.least <= 1e-10 * o->size;
}

/* solves W r = -q with symmetric pivots; entries without a pivot stay 0. 1 if r satisfies the equations */
static int cti_coulomb_stick(const double *W, const double *q, double *r)
{
    double M[9], f[3], most, off = 0, size = fabs(q[0]) + fabs(q[1]) + fabs(q[2]);
    int used[3], order[3], n = 0, i, j, k, p;
    memcpy(M, W, sizeof M);
    most = cti_fmax(W[0], cti_fmax(W[4], W[8]));
    for (i = 0; i < 3; i++)
        f[i] = -q[i], used[i] = 0, r[i] = 0;
    for (k = 0; k < 3; k++) {
        for (p = -1, i = 0; i < 3; i++)
            if (!used[i] && M[4 * i] > 1e-14 * most && (p < 0 || M[4 * i] > M[4 * p]))
                p = i;
        if (p < 0)
            break;
        used[p] = 1, order[n++] = p;
        for (i = 0; i < 3; i++) {
            double t;
            if (used[i])
                continue;
            t = M[3 * i + p] / M[4 * p];
            for (j = 0; j < 3; j++)
                M[3 * i + j] -= t * M[3 * p + j];
            f[i] -= t * f[p];
        }
    }
    while (n-- > 0) {
        double s = f[order[n]];
        for (j = 0; j < 3; j++)
            if (j != order[n])
                s -= M[3 * order[n] + j] * r[j];
        r[order[n]] = s / M[4 * order[n]];
    }
    for (i = 0; i < 3; i++)
        off = cti_fmax(off, fabs(W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2] + q[i]));
    /* tolerance includes rounding of W r, for large r */
    return off <= 1e-9 * size + 1e-14 * most * (fabs(r[0]) + fabs(r[1]) + fabs(r[2]));
}

CTI_FN int cti_coulomb_solve(const double *W, const double *q, double mu, double *r)
{
    cti_coulomb_circle o;
    double t[3], d[2], D, length;
    if (q[0] >= 0 || !(W[0] > 0)) {
        r[0] = r[1] = r[2] = 0;
        return q[0] >= 0;
    }
    if (mu == 0) {
        r[0] = -q[0] / W[0], r[1] = r[2] = 0;
        return 1;
    }
    if (cti_coulomb_stick(W, q, t) && t[0] >= 0 && t[1] * t[1] + t[2] * t[2] <= mu * mu * t[0] * t[0] * (1 + 1e-15)) {
        memcpy(r, t, sizeof t);
        return 1;
    }
    cti_coulomb_circle_make(&o, W, q, mu);
    d[0] = -r[1], d[1] = -r[2], length = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (!(length > 0))
        d[0] = q[1], d[1] = q[2], length = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (length > 0) {
        d[0] /= length, d[1] /= length;
        if (cti_coulomb_newton(&o, d) && cti_coulomb_slides(&o, d, r, &D))
            return 1;
    }
    return cti_coulomb_scan(&o, r);
}
