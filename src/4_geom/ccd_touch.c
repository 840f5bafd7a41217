/* ccd_touch.c -- first time at which a vertex meets a triangle, or an edge an edge (distance 0): a certified inclusion search in time.
   Method: with a, b, c the three difference vectors (linear in t), ab = a x b, bc = b x c, ca = c x a, contact needs
       f = a.bc = 0 (coplanar) and, where the normal n is not zero, VF: n = ab + bc + ca,  ab.n, bc.n, ca.n >= 0
                                                                   EE: n = bc + ca,  ca.n, bc.n, -ab.n, (n + ab).n >= 0.
   f is a cubic, the others are quartics in t. Their Bernstein coefficients bound them: an interval without a zero of f, or with a negative
   quartic, is free. The leftmost interval that is not free is split at the border of the expected root of f, else in the middle. Where f
   vanishes to rounding (coplanar motion, parallel or zero-length edges, flat triangles) a plane in the gap decides (cti_ccd_clear). A short
   or flat interval that double precision leaves open goes through the same polynomials in double-double, from exact differences of the
   input. An interval is freed only by a certificate; the answer is the left end of the first interval that was not freed.

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
   In double-double u becomes CTI_DD_U, differences are exact, and positions inside [0, 1] add 8u B per coordinate: 144u P to f, 32u S to
   ab, bc, ca, hence n is within 124u S: all bounds stay below four times those above.
   Splitting at s = (ts - t0) / (t1 - t0), off by 3u at most, by de Casteljau: one level of (1 - s) p + s q with |p|, |q| <= M adds 3u M of
   rounding and 6u M from s; degree d adds at most 9 d u M, so E grows by 32u M (cubic), 40u M (quartic).
   based on: Provot 1997 (the cubic); Wang et al. 2021 (inclusion, never a miss); Brochu et al. 2012 (certified signs); Bezier clipping. */
#include "ccd.h"
#include "../1_math/dd.h"

#define CTI_TOUCH_U 1.1102230246251565e-16
#define CTI_TOUCH_UDD (4 * CTI_DD_U)
#define CTI_TOUCH_EF 64
#define CTI_TOUCH_EG 224
#define CTI_TOUCH_EH 456
#define CTI_TOUCH_TINY 1e-290
#define CTI_TOUCH_SOLID 4294967296.0
#define CTI_TOUCH_WIDTH 5.6843418860808015e-14     /* 2^-44: shortest piece in double */
#define CTI_TOUCH_WIDTHDD 8.2718061255302767e-25   /* 2^-80: in double-double */
#define CTI_TOUCH_WIDTHSURE 5.8207660913467407e-11 /* 2^-34: a shorter piece that certainly holds a contact is not split */
#define CTI_TOUCH_WIDTHBLIND 2.44140625e-4         /* 2^-12: longest piece handed on to double-double because rounding hides its polynomials
                                                      in double */
#define CTI_TOUCH_DEPTH 64
#define CTI_TOUCH_DEPTHDD 84
#define CTI_TOUCH_BUDGET 320   /* pieces examined in one query, in double */
#define CTI_TOUCH_BUDGETDD 256 /* and in double-double */

/* State of a piece that is not free. OPEN: contact is possible. FLAT: f is zero to rounding. SETTLED: the quartics are positive or zero to
   rounding, inside or on the border. CERTAIN: there is a contact. BLIND: the quartics are lost in rounding since the normal nearly
   vanishes, so only planes in the gap can decide */
#define CTI_TOUCH_OPEN 1
#define CTI_TOUCH_FLAT 2
#define CTI_TOUCH_SETTLED 4
#define CTI_TOUCH_CERTAIN 8
#define CTI_TOUCH_BLIND 16

static double cti_touch_d_add(double a, double b) { return a + b; }
static double cti_touch_d_sub(double a, double b) { return a - b; }
static double cti_touch_d_mul(double a, double b) { return a * b; }
static double cti_touch_d_scale(double a, double s) { return a * s; }
static double cti_touch_d_third(double a) { return a / 3; }
static double cti_touch_d_mix(double a, double b, double s) { return (1 - s) * a + s * b; }
static double cti_touch_d_high(double a) { return a; }
#define CTI_T double
#define CTI_TN(name) cti_touch_d_##name
#include "ccd_touch.inl"
#undef CTI_T
#undef CTI_TN

static cti_dd cti_touch_x_add(cti_dd a, cti_dd b) { return cti_dd_add(a, b); }
static cti_dd cti_touch_x_sub(cti_dd a, cti_dd b) { return cti_dd_sub(a, b); }
static cti_dd cti_touch_x_mul(cti_dd a, cti_dd b) { return cti_dd_mul(a, b); }
static cti_dd cti_touch_x_scale(cti_dd a, double s) { return cti_dd_scale(a, s); }
static cti_dd cti_touch_x_third(cti_dd a)
{
    cti_dd t;
    t.hi = 0.33333333333333331, t.lo = 1.8503717077085941e-17; /* 1/3 to 107 bits */
    return cti_dd_mul(a, t);
}
/* double-double pieces are always halved: s is not used */
static cti_dd cti_touch_x_mix(cti_dd a, cti_dd b, double s)
{
    CTI_UNUSED(s);
    return cti_dd_scale(cti_dd_add(a, b), 0.5);
}
static double cti_touch_x_high(cti_dd a) { return a.hi; }
#define CTI_T cti_dd
#define CTI_TN(name) cti_touch_x_##name
#include "ccd_touch.inl"
#undef CTI_T
#undef CTI_TN

/* cti_touch_place -- difference of points i and j at time t, from exact differences of the input */
static void cti_touch_place(const cti_ccd_query *q, int i, int j, double t, cti_dd r[3])
{
    cti_dd a, b, s;
    int k;
    s.hi = t, s.lo = 0;
    for (k = 0; k < 3; k++) {
        a = cti_dd_diff(q->x[0][3 * i + k] * q->pre, q->x[0][3 * j + k] * q->pre);
        b = cti_dd_diff(q->x[1][3 * i + k] * q->pre, q->x[1][3 * j + k] * q->pre);
        a = cti_dd_scale(cti_dd_scale(a, q->post[0]), q->post[1]), b = cti_dd_scale(cti_dd_scale(b, q->post[0]), q->post[1]);
        r[k] = cti_dd_add(a, cti_dd_mul(s, cti_dd_sub(b, a)));
    }
}

/* cti_touch_exact -- the search in [t0, t1] in double-double; counts down *budget */
static double cti_touch_exact(const cti_ccd_query *q, double t0, double t1, int *budget)
{
    static const int from[2][3] = {{1, 2, 3}, {0, 1, 3}};
    cti_touch_x_piece stack[CTI_TOUCH_DEPTHDD], right;
    cti_dd a[2][3], b[2][3], c[2][3], t;
    int e, top = 0, state, ends, at = q->kind == CTI_CCD_VF ? 0 : 2;
    const int *point = from[q->kind == CTI_CCD_VF ? 0 : 1];
    for (e = 0; e < 2; e++) {
        cti_touch_place(q, point[0], at, e ? t1 : t0, a[e]);
        cti_touch_place(q, point[1], at, e ? t1 : t0, b[e]);
        cti_touch_place(q, point[2], at, e ? t1 : t0, c[e]);
    }
    cti_touch_x_start(q->kind, a, b, c, q->big, CTI_TOUCH_UDD, &stack[0]);
    stack[0].t0 = t0, stack[0].t1 = t1, stack[0].tl = 0, stack[0].width = t1 - t0;
    for (; top >= 0; (*budget)--) {
        cti_touch_x_piece *p = &stack[top];
        /* rounded outward: t0 drops tl, and the first width may be rounded */
        double low = p->t0 > t0 ? p->t0 * (1 - 4 * CTI_TOUCH_U) : t0, high = (p->t0 + p->width) * (1 + 4 * CTI_TOUCH_U);
        state = cti_touch_x_state(p);
        ends = (state & CTI_TOUCH_FLAT && state & CTI_TOUCH_SETTLED) || (state & CTI_TOUCH_BLIND && p->width <= CTI_TOUCH_WIDTH) ||
               p->width <= CTI_TOUCH_WIDTHDD || *budget <= 0 || top + 1 >= CTI_TOUCH_DEPTHDD;
        if (state & CTI_TOUCH_CERTAIN && p->width <= CTI_TOUCH_WIDTH)
            return low;
        /* where the polynomials cannot decide further, a plane may free the piece */
        if (state == 0 || ((ends || state & CTI_TOUCH_FLAT) && cti_ccd_clear(q, low, high))) {
            top--;
            continue;
        }
        if (ends)
            return low;
        /* halves; the left one goes on top of the stack */
        cti_touch_x_split(p, &right, 0.5, CTI_TOUCH_UDD);
        p->width *= 0.5;
        right.width = p->width;
        t = cti_dd_sum(p->t0, p->width);
        t = cti_dd_sum(t.hi, t.lo + p->tl);
        right.t0 = t.hi, right.t1 = t1, right.tl = t.lo;
        stack[top + 1] = *p, stack[top] = right;
        top++;
    }
    return CTI_CCD_NONE;
}

/* cti_touch_cut -- where to split: just before or just after a simple root of f, else in the middle */
static double cti_touch_cut(const cti_touch_d_piece *p)
{
    const double *f = p->f;
    double w = p->t1 - p->t0, mid = p->t0 + 0.5 * w, c1, c2, c3, s, lo = 0, hi = 1, v, d, rim;
    int i;
    if (!((f[0] > p->ef && f[3] < -p->ef) || (f[0] < -p->ef && f[3] > p->ef)))
        return mid;
    /* Newton's method, kept inside the bracket */
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
    v = 4 * (p->ef + 64 * CTI_TOUCH_U * (fabs(f[0]) + fabs(f[3])));
    if (d * rim < v)
        rim = v / d;
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
    cti_touch_d_piece stack[CTI_TOUCH_DEPTH], right;
    double a[2][3], b[2][3], c[2][3], t, s;
    int e, k, top = 0, state, budget = CTI_TOUCH_BUDGET, exact = CTI_TOUCH_BUDGETDD;
    for (e = 0; e < 2; e++)
        for (k = 0; k < 3; k++)
            a[e][k] = q->h[e][0][k], b[e][k] = q->h[e][1][k], c[e][k] = q->c[e][k];
    cti_touch_d_start(q->kind, a, b, c, q->big, CTI_TOUCH_U, &stack[0]);
    stack[0].t0 = stack[0].tl = 0, stack[0].t1 = stack[0].width = 1;
    for (; top >= 0; budget--) {
        cti_touch_d_piece *p = &stack[top];
        double t1 = p->t1, width = t1 - p->t0;
        state = cti_touch_d_state(p);
        if (state == 0 || ((state & (CTI_TOUCH_FLAT | CTI_TOUCH_SETTLED)) == CTI_TOUCH_FLAT && cti_ccd_clear(q, p->t0, t1))) {
            top--;
            continue;
        }
        if (state & CTI_TOUCH_CERTAIN && width <= CTI_TOUCH_WIDTHSURE)
            return p->t0;
        if (budget <= 0 || exact <= 0) {
            /* the budget is spent: drop pieces that single planes free, and stop at the first that is left */
            if (budget > -CTI_TOUCH_DEPTH && cti_ccd_clear(q, p->t0, t1)) {
                top--;
                continue;
            }
            return p->t0;
        }
        t = cti_touch_cut(p);
        if (width <= CTI_TOUCH_WIDTH || (state & CTI_TOUCH_FLAT && state & CTI_TOUCH_SETTLED) ||
            (state & CTI_TOUCH_FLAT && state & CTI_TOUCH_BLIND && width <= CTI_TOUCH_WIDTHBLIND) || top + 1 >= CTI_TOUCH_DEPTH ||
            !(t > p->t0 && t < t1)) {
            t = cti_touch_exact(q, p->t0, t1, &exact);
            if (t <= 1)
                return t;
            top--;
            continue;
        }
        /* the left part goes on top of the stack */
        s = (t - p->t0) / width;
        cti_touch_d_split(p, &right, s, CTI_TOUCH_U);
        right.t0 = t, right.t1 = t1, right.tl = right.width = 0, p->t1 = t;
        stack[top + 1] = *p, stack[top] = right;
        top++;
    }
    return CTI_CCD_NONE;
}
