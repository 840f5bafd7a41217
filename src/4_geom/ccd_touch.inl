/* ccd_touch.inl -- polynomials of a touch query over a piece of time, for CTI_T = double and cti_dd. CTI_TN(name) names the functions
   defined here and the operations add, sub, mul, scale (by a power of two), third (x / 3), mix ((1 - s) a + s b) and high (the leading
   double). */

/* f: the coplanarity cubic; g: the four inside quartics (for VF the last one twice); ef, eg: their error bounds. The piece is [t0, t1] in
   double. In double-double it is t0 + tl .. t0 + tl + width, since a double cannot hold these times */
typedef struct CTI_TN(piece) {
    double t0, t1, tl, width, ef, eg[4];
    CTI_T f[4], g[4][5];
} CTI_TN(piece);

static CTI_T CTI_TN(dot)(const CTI_T *a, const CTI_T *b)
{
    return CTI_TN(add)(CTI_TN(add)(CTI_TN(mul)(a[0], b[0]), CTI_TN(mul)(a[1], b[1])), CTI_TN(mul)(a[2], b[2]));
}

static void CTI_TN(cross)(const CTI_T *a, const CTI_T *b, CTI_T *r)
{
    r[0] = CTI_TN(sub)(CTI_TN(mul)(a[1], b[2]), CTI_TN(mul)(a[2], b[1]));
    r[1] = CTI_TN(sub)(CTI_TN(mul)(a[2], b[0]), CTI_TN(mul)(a[0], b[2]));
    r[2] = CTI_TN(sub)(CTI_TN(mul)(a[0], b[1]), CTI_TN(mul)(a[1], b[0]));
}

/* Bernstein coefficients r [3] of a(t) x b(t) */
static void CTI_TN(quadric)(const CTI_T *a0, const CTI_T *a1, const CTI_T *b0, const CTI_T *b1, CTI_T r[3][3])
{
    CTI_T x[3], y[3];
    int k;
    CTI_TN(cross)(a0, b0, r[0]), CTI_TN(cross)(a1, b1, r[2]);
    CTI_TN(cross)(a0, b1, x), CTI_TN(cross)(a1, b0, y);
    for (k = 0; k < 3; k++)
        r[1][k] = CTI_TN(scale)(CTI_TN(add)(x[k], y[k]), 0.5);
}

/* Bernstein coefficients g [5] of sign x(t).n(t); sign is 1 or -1 */
static void CTI_TN(quartic)(CTI_T x[3][3], CTI_T n[3][3], double sign, CTI_T g[5])
{
    CTI_T a = CTI_TN(dot)(x[0], n[2]), b = CTI_TN(dot)(x[1], n[1]), c = CTI_TN(dot)(x[2], n[0]);
    g[0] = CTI_TN(scale)(CTI_TN(dot)(x[0], n[0]), sign);
    g[1] = CTI_TN(scale)(CTI_TN(add)(CTI_TN(dot)(x[0], n[1]), CTI_TN(dot)(x[1], n[0])), 0.5 * sign);
    g[2] = CTI_TN(third)(CTI_TN(scale)(CTI_TN(add)(CTI_TN(add)(a, CTI_TN(scale)(b, 4)), c), 0.5 * sign));
    g[3] = CTI_TN(scale)(CTI_TN(add)(CTI_TN(dot)(x[1], n[2]), CTI_TN(dot)(x[2], n[1])), 0.5 * sign);
    g[4] = CTI_TN(scale)(CTI_TN(dot)(x[2], n[2]), sign);
}

/* all polynomials and their error bounds; a, b, c at both ends of the piece, unit the roundoff */
static void CTI_TN(start)(int kind, CTI_T a[2][3], CTI_T b[2][3], CTI_T c[2][3], const double *big, double unit, CTI_TN(piece) * p)
{
    CTI_T ab[3][3], bc[3][3], ca[3][3], n[3][3];
    double sx = big[1] * big[2], sy = big[2] * big[0], sz = big[0] * big[1], area = unit * (sx * sx + sy * sy + sz * sz);
    int i, k;
    CTI_TN(quadric)(a[0], a[1], b[0], b[1], ab);
    CTI_TN(quadric)(b[0], b[1], c[0], c[1], bc);
    CTI_TN(quadric)(c[0], c[1], a[0], a[1], ca);
    /* f = a.bc */
    p->f[0] = CTI_TN(dot)(a[0], bc[0]);
    p->f[1] = CTI_TN(third)(CTI_TN(add)(CTI_TN(dot)(a[1], bc[0]), CTI_TN(scale)(CTI_TN(dot)(a[0], bc[1]), 2)));
    p->f[2] = CTI_TN(third)(CTI_TN(add)(CTI_TN(dot)(a[0], bc[2]), CTI_TN(scale)(CTI_TN(dot)(a[1], bc[1]), 2)));
    p->f[3] = CTI_TN(dot)(a[1], bc[2]);
    p->ef = CTI_TOUCH_EF * (unit * (big[0] * big[1] * big[2])) + CTI_TOUCH_TINY;
    /* n; bc.n, ca.n, +-ab.n, and (n + ab).n of edges */
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++) {
            n[i][k] = CTI_TN(add)(bc[i][k], ca[i][k]);
            if (kind == CTI_CCD_VF)
                n[i][k] = CTI_TN(add)(n[i][k], ab[i][k]);
        }
    }
    for (i = 0; i < 4; i++)
        p->eg[i] = CTI_TOUCH_EG * area + CTI_TOUCH_TINY;
    CTI_TN(quartic)(bc, n, 1, p->g[0]), CTI_TN(quartic)(ca, n, 1, p->g[1]);
    CTI_TN(quartic)(ab, n, kind == CTI_CCD_VF ? 1 : -1, p->g[2]);
    if (kind == CTI_CCD_EE) {
        for (i = 0; i < 3; i++)
            for (k = 0; k < 3; k++)
                ab[i][k] = CTI_TN(add)(n[i][k], ab[i][k]);
        CTI_TN(quartic)(ab, n, 1, p->g[3]);
        p->eg[3] = CTI_TOUCH_EH * area + CTI_TOUCH_TINY;
    } else {
        memcpy(p->g[3], p->g[2], sizeof p->g[3]);
    }
}

static void CTI_TN(range)(const CTI_T *c, int n, double *low, double *high)
{
    double a = CTI_TN(high)(c[0]), b = a, x;
    int i;
    for (i = 1; i < n; i++) {
        x = CTI_TN(high)(c[i]);
        a = x < a ? x : a, b = x > b ? x : b;
    }
    *low = a, *high = b;
}

/* 0: no contact in the piece; else CTI_TOUCH_OPEN with the other flags that hold */
static int CTI_TN(state)(const CTI_TN(piece) * p)
{
    double low, high, first = CTI_TN(high)(p->f[0]), last = CTI_TN(high)(p->f[3]);
    double best = 0;
    int i, inside = 0, level = 0, r = CTI_TOUCH_OPEN;
    CTI_TN(range)(p->f, 4, &low, &high);
    if (low > p->ef || high < -p->ef)
        return 0;
    if (low >= -16 * p->ef && high <= 16 * p->ef)
        r |= CTI_TOUCH_FLAT;
    for (i = 0; i < 4; i++) {
        CTI_TN(range)(p->g[i], 5, &low, &high);
        if (high < -p->eg[i])
            return 0;
        best = low > best ? low : best;
        if (low > p->eg[i])
            inside++;
        else if (low >= -16 * p->eg[i] && high <= 16 * p->eg[i])
            level++;
    }
    /* quartics that are zero to rounding mean "on the border" only where n^2, a sum of quartics, is far above rounding */
    if (inside + level == 4)
        r |= inside == 4 || best > CTI_TOUCH_SOLID * p->eg[3] ? CTI_TOUCH_SETTLED : CTI_TOUCH_BLIND;
    if (inside == 4 && ((first > p->ef && last < -p->ef) || (first < -p->ef && last > p->ef)))
        r |= CTI_TOUCH_CERTAIN;
    return r;
}

/* de Casteljau: c keeps the part left of s, r gets the part right of it; returns the largest coefficient */
static double CTI_TN(cut)(CTI_T *c, CTI_T *r, int n, double s)
{
    double m = 0, x;
    int i, k;
    for (i = 0; i < n; i++) {
        x = fabs(CTI_TN(high)(c[i]));
        m = x > m ? x : m;
    }
    for (k = n - 1; k >= 0; k--) {
        r[k] = c[n - 1];
        for (i = n - 1; i >= n - k; i--)
            c[i] = CTI_TN(mix)(c[i - 1], c[i], s);
    }
    return m;
}

/* p keeps the part of the piece left of s, r gets the part right of it; the caller sets the times */
static void CTI_TN(split)(CTI_TN(piece) * p, CTI_TN(piece) * r, double s, double unit)
{
    int i;
    p->ef += 32 * unit * CTI_TN(cut)(p->f, r->f, 4, s);
    r->ef = p->ef;
    for (i = 0; i < 4; i++) {
        p->eg[i] += 40 * unit * CTI_TN(cut)(p->g[i], r->g[i], 5, s);
        r->eg[i] = p->eg[i];
    }
}
