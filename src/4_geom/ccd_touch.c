/* ccd_touch.c -- first time at which a vertex meets a triangle, or an edge an edge (distance 0): a certified inclusion search in time.
   Method: with a, b, c the three difference vectors (linear in t), ab = a x b, bc = b x c, ca = c x a, contact needs
       f = a.bc = 0 (coplanar) and, where the normal n is not zero, VF: n = ab + bc + ca,  ab.n, bc.n, ca.n >= 0
                                                                   EE: n = bc + ca,  ca.n, bc.n, -ab.n, (n + ab).n >= 0.
   f is a cubic, the others are quartics in t. Their Bernstein coefficients bound them: an interval without a zero of f, or with a negative
   quartic, is free. The leftmost interval that is not free is split at the border of the expected root of f, else in the middle. Where f
   vanishes to rounding (coplanar motion, parallel or zero-length edges, flat triangles) a plane through the gap decides (cti_ccd_clear).
   The search never says no without a certificate; its answer is the left end of the first interval that could not be freed.

   Error bounds. u = 2^-53; B_k bounds coordinate k of a, b, c at both ends (q->big), P = B_x B_y B_z, S_x = B_y B_z (S_y, S_z alike),
   Q = S_x^2 + S_y^2 + S_z^2. Products of second order in u are covered by rounding the constants up. Every product in f has one factor of
   each axis. A difference of inputs is exact up to a factor (1 + u).
     cross product of one pair of ends    values 2S, rounding 2u S (products) + 2u S (difference)                         = 4u S
     middle coefficient (b0 x c1 + b1 x c0) / 2   values 2S, (4 + 4)u S + 4u S (sum), halved: exact                       = 6u S
     f_0 = a0.bc_0    per axis 4u P inherited + 2u P product; three axes 18u P; two sums (4 + 6)u P                       = 28u P
     3 f_1 = a1.bc_0 + 2 a0.bc_1          28u P + (3 (12 + 4) + 8 + 12)u P + 18u P (sum)                                  = 114u P
     inputs: three factors, (3u)(6 P) for f_0, (3u)(18 P) for 3 f_1; then / 3 with one more rounding of a value <= 6P:
     f_0, f_3: 46u P      f_1, f_2: (114 + 54)/3 + 6 = 62u P                                          -> CTI_TOUCH_EF = 64u P
     with inputs (2u on values 2S): ab, bc, ca  (6 + 4)u S = 10u S;  n, values 6S (EE 4S): three of them 30u S + sums (4 + 6)u S = 40u S
     products of coefficients, per axis, values 12 S^2: 10u 6 + 40u 2 + 12u = 152u S^2; inner product of three axes + 24u Q = 176u Q
     g_1 = mean of two: + 12u Q;  g_2 = (d0 + 4 d1 + d2) / 6: + 22u Q + 12u Q                          -> CTI_TOUCH_EG = 224u Q
     n + ab (EE, values 6S, 40u S) times n (values 4S, 24u S): 40u 4 + 24u 6 + 24u = 328u S^2, + 48u Q + (44 + 24)u Q
                                                                                                       -> CTI_TOUCH_EH = 456u Q
   Splitting at s = (ts - t0) / (t1 - t0), off by 3u at most, by de Casteljau: one level of (1 - s) p + s q with |p|, |q| <= M adds 3u M of
   rounding and 6u M from s; degree d adds at most 9 d u M, so E grows by 32u M (cubic), 40u M (quartic).
   based on: Provot 1997 (the cubic); Wang et al. 2021 (inclusion, never a miss); Brochu et al. 2012 (certified signs); Bezier clipping. */
#include "ccd.h"

#define CTI_TOUCH_U 1.1102230246251565e-16
#define CTI_TOUCH_EF (64 * CTI_TOUCH_U)
#define CTI_TOUCH_EG (224 * CTI_TOUCH_U)
#define CTI_TOUCH_EH (456 * CTI_TOUCH_U)
#define CTI_TOUCH_TINY 1e-290
#define CTI_TOUCH_WIDTH 5.6843418860808015e-14 /* 2^-44: intervals this short are not split */
#define CTI_TOUCH_DEPTH 64
#define CTI_TOUCH_BUDGET 512

typedef struct cti_touch_piece {
    double t0, t1, ef, eg[4], f[4], g[4][5];
} cti_touch_piece;

static void cti_touch_cross(const double *a, const double *b, double *r)
{
    r[0] = a[1] * b[2] - a[2] * b[1], r[1] = a[2] * b[0] - a[0] * b[2], r[2] = a[0] * b[1] - a[1] * b[0];
}
static double cti_touch_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* cti_touch_quadric -- Bernstein coefficients r[3] of a(t) x b(t) */
static void cti_touch_quadric(const double *a0, const double *a1, const double *b0, const double *b1, double r[3][3])
{
    double x[3], y[3];
    int k;
    cti_touch_cross(a0, b0, r[0]), cti_touch_cross(a1, b1, r[2]);
    cti_touch_cross(a0, b1, x), cti_touch_cross(a1, b0, y);
    for (k = 0; k < 3; k++)
        r[1][k] = 0.5 * (x[k] + y[k]);
}

/* cti_touch_quartic -- Bernstein coefficients of sign * x(t).n(t), quadratics */
static void cti_touch_quartic(double x[3][3], double n[3][3], double sign, double g[5])
{
    g[0] = sign * cti_touch_dot(x[0], n[0]);
    g[1] = sign * 0.5 * (cti_touch_dot(x[0], n[1]) + cti_touch_dot(x[1], n[0]));
    g[2] = sign * (cti_touch_dot(x[0], n[2]) + 4 * cti_touch_dot(x[1], n[1]) + cti_touch_dot(x[2], n[0])) / 6;
    g[3] = sign * 0.5 * (cti_touch_dot(x[1], n[2]) + cti_touch_dot(x[2], n[1]));
    g[4] = sign * cti_touch_dot(x[2], n[2]);
}

/* cti_touch_start -- all polynomials over [0, 1] and their error bounds */
static void cti_touch_start(const cti_ccd_query *q, cti_touch_piece *p)
{
    const double *a0 = q->h[0][0], *b0 = q->h[0][1], *c0 = q->c[0], *a1 = q->h[1][0], *b1 = q->h[1][1], *c1 = q->c[1];
    double ab[3][3], bc[3][3], ca[3][3], n[3][3], sx, sy, sz, area;
    int i, k;
    cti_touch_quadric(a0, a1, b0, b1, ab), cti_touch_quadric(b0, b1, c0, c1, bc), cti_touch_quadric(c0, c1, a0, a1, ca);
    p->t0 = 0, p->t1 = 1;
    /* the coplanarity cubic */
    p->f[0] = cti_touch_dot(a0, bc[0]);
    p->f[1] = (cti_touch_dot(a1, bc[0]) + 2 * cti_touch_dot(a0, bc[1])) / 3;
    p->f[2] = (cti_touch_dot(a0, bc[2]) + 2 * cti_touch_dot(a1, bc[1])) / 3;
    p->f[3] = cti_touch_dot(a1, bc[2]);
    p->ef = CTI_TOUCH_EF * (q->big[0] * q->big[1] * q->big[2]) + CTI_TOUCH_TINY;
    /* the quartics */
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            n[i][k] = q->kind == CTI_CCD_VF ? ab[i][k] + bc[i][k] + ca[i][k] : bc[i][k] + ca[i][k];
    sx = q->big[1] * q->big[2], sy = q->big[2] * q->big[0], sz = q->big[0] * q->big[1];
    area = sx * sx + sy * sy + sz * sz;
    for (i = 0; i < 4; i++)
        p->eg[i] = CTI_TOUCH_EG * area + CTI_TOUCH_TINY;
    cti_touch_quartic(bc, n, 1, p->g[0]), cti_touch_quartic(ca, n, 1, p->g[1]);
    cti_touch_quartic(ab, n, q->kind == CTI_CCD_VF ? 1 : -1, p->g[2]);
    if (q->kind == CTI_CCD_EE) {
        for (i = 0; i < 3; i++)
            for (k = 0; k < 3; k++)
                n[i][k] += ab[i][k], ca[i][k] += bc[i][k];
        cti_touch_quartic(n, ca, 1, p->g[3]);
        p->eg[3] = CTI_TOUCH_EH * area + CTI_TOUCH_TINY;
    } else {
        for (i = 0; i < 5; i++)
            p->g[3][i] = p->g[2][i];
    }
}

static void cti_touch_range(const double *c, int n, double *low, double *high)
{
    double a = c[0], b = c[0];
    int i;
    for (i = 1; i < n; i++)
        a = c[i] < a ? c[i] : a, b = c[i] > b ? c[i] : b;
    *low = a, *high = b;
}

/* cti_touch_state -- 0 free for certain; 1 undecided; 2 undecided, and f is zero to rounding; 3 as 2, and inside for certain */
static int cti_touch_state(const cti_touch_piece *p)
{
    double low, high;
    int i, inside = 1, flat;
    cti_touch_range(p->f, 4, &low, &high);
    if (low > p->ef || high < -p->ef)
        return 0;
    flat = low >= -16 * p->ef && high <= 16 * p->ef;
    for (i = 0; i < 4; i++) {
        cti_touch_range(p->g[i], 5, &low, &high);
        if (high < -p->eg[i])
            return 0;
        inside &= low > p->eg[i];
    }
    return flat ? 2 + inside : 1;
}

/* cti_touch_halve -- de Casteljau: c becomes the part left of s, r the part right of it; returns the growth of the error bound */
static double cti_touch_halve(double *c, double *r, int n, double s)
{
    double m = 0;
    int i, k;
    for (i = 0; i < n; i++)
        m = fabs(c[i]) > m ? fabs(c[i]) : m;
    for (k = n - 1; k >= 0; k--) {
        r[k] = c[n - 1];
        for (i = n - 1; i >= n - k; i--)
            c[i] = (1 - s) * c[i - 1] + s * c[i];
    }
    return m * (n == 4 ? 32 * CTI_TOUCH_U : 40 * CTI_TOUCH_U);
}

/* cti_touch_split -- p keeps [t0, t], r gets [t, t1] */
static void cti_touch_split(cti_touch_piece *p, cti_touch_piece *r, double t)
{
    double s = (t - p->t0) / (p->t1 - p->t0);
    int i;
    r->t0 = t, r->t1 = p->t1, p->t1 = t;
    p->ef += cti_touch_halve(p->f, r->f, 4, s);
    r->ef = p->ef;
    for (i = 0; i < 4; i++) {
        p->eg[i] += cti_touch_halve(p->g[i], r->g[i], 5, s);
        r->eg[i] = p->eg[i];
    }
}

/* cti_touch_cut -- where to split: just before or just after a simple root of f, else in the middle */
static double cti_touch_cut(const cti_touch_piece *p)
{
    const double *f = p->f;
    double w = p->t1 - p->t0, mid = p->t0 + 0.5 * w, c1, c2, c3, s, lo = 0, hi = 1, v, d, rim;
    int i;
    if (!((f[0] > p->ef && f[3] < -p->ef) || (f[0] < -p->ef && f[3] > p->ef)))
        return mid;
    /* Newton, kept in the bracket */
    c1 = 3 * (f[1] - f[0]), c2 = 3 * (f[2] - 2 * f[1] + f[0]), c3 = f[3] - f[0] - 3 * (f[2] - f[1]);
    s = f[0] / (f[0] - f[3]);
    d = c1;
    for (i = 0; i < 8; i++) {
        double ds;
        v = ((c3 * s + c2) * s + c1) * s + f[0];
        d = (3 * c3 * s + 2 * c2) * s + c1;
        if ((v > 0) == (f[0] > 0))
            lo = s;
        else
            hi = s;
        ds = v / d;
        if (!(s - ds >= lo && s - ds <= hi))
            s = 0.5 * (lo + hi);
        else
            s -= ds;
        if (fabs(ds) < 1e-15)
            break;
    }
    d = fabs(d);
    rim = 0.5 * CTI_TOUCH_WIDTH / w;
    if (d * rim < 4 * p->ef)
        rim = 4 * p->ef / d;
    if (!(rim < 0.125))
        return mid;
    if (s - rim > 1e-3 * rim)
        return p->t0 + w * (s - rim);
    if (s + rim < 0.999)
        return p->t0 + w * (s + rim);
    return mid;
}

CTI_FN double cti_ccd_touch(const cti_ccd_query *q)
{
    cti_touch_piece stack[CTI_TOUCH_DEPTH];
    int top = 0, budget, state;
    double t;
    cti_touch_start(q, &stack[0]);
    for (budget = CTI_TOUCH_BUDGET; top >= 0; budget--) {
        cti_touch_piece *p = &stack[top];
        state = cti_touch_state(p);
        if (state == 0 || (state == 2 && cti_ccd_clear(q, p->t0, p->t1))) {
            top--;
            continue;
        }
        if (state == 3 || p->t1 - p->t0 <= CTI_TOUCH_WIDTH || budget <= 0 || top + 1 >= CTI_TOUCH_DEPTH)
            return p->t0;
        t = cti_touch_cut(p);
        if (!(t > p->t0 && t < p->t1))
            return p->t0;
        /* the left part goes on top */
        {
            cti_touch_piece right;
            cti_touch_split(p, &right, t);
            stack[top + 1] = *p, stack[top] = right;
            top++;
        }
    }
    return CTI_CCD_NONE;
}

#undef CTI_TOUCH_U
#undef CTI_TOUCH_EF
#undef CTI_TOUCH_EG
#undef CTI_TOUCH_EH
#undef CTI_TOUCH_TINY
#undef CTI_TOUCH_WIDTH
#undef CTI_TOUCH_DEPTH
#undef CTI_TOUCH_BUDGET
