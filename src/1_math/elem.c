/* elem.c -- log, exp, sin, cos, acos, atan2, cbrt by argument reduction and polynomials.
   Method: argument reductions carry a low part. Polynomials are Taylor sums (log, exp, sin, cos) or interpolate at Chebyshev points (asin,
   atan), each truncated below 2^-58 of the result. The lane versions do the same arithmetic lane by lane.
   Based on: Muller, Elementary Functions (2006), ch. 5, 8, 10; Cody and Waite 1980 for the reductions; Kahan's cube root. */
#include "elem.h"

#define CTI_ELEM_LN2_HI 0.6931471803691238     /* 32 bits: k * hi is exact */
#define CTI_ELEM_LN2_LO 1.9082149292705877e-10 /* ln 2 - hi */
#define CTI_ELEM_PI_2 1.5707963267948966
#define CTI_ELEM_PI_2_LO 6.123233995736766e-17
#define CTI_ELEM_TAN_PI_8 0.41421356237309503

static double cti_elem_from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static uint64_t cti_elem_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static double cti_elem_nan(void) { return cti_elem_from_bits(0x7ff8000000000000ull); }
static double cti_elem_inf(void) { return cti_elem_from_bits(0x7ff0000000000000ull); }

/* R(z) = 2 atanh(s) / s - 2 with z = s^2 <= 0.0295: z times the sum of these times z^i */
static const double cti_elem_log_c[10] = {2.0 / 3.0,  2.0 / 5.0,  2.0 / 7.0,  2.0 / 9.0,  2.0 / 11.0,
                                          2.0 / 13.0, 2.0 / 15.0, 2.0 / 17.0, 2.0 / 19.0, 2.0 / 21.0};

CTI_FN double cti_log64(double x)
{
    uint64_t u;
    double k = 0, f, s, h, z, r = cti_elem_log_c[9];
    int i;
    if (!(x > 0))
        return x == 0 ? -cti_elem_inf() : cti_elem_nan();
    if (!cti_finite64(x))
        return x;
    if (x < 2.2250738585072014e-308)
        x *= 18014398509481984.0, k = -54; /* subnormal: 2^54 x */
    /* x = 2^k m with m in [sqrt(1/2), sqrt 2), f = m - 1 */
    u = cti_elem_bits(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
    k += (double)((int)(u >> 52) - 1023);
    f = cti_elem_from_bits((u & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1;
    /* log(1 + f) = f - (h - s (h + R(s^2))), s = f / (2 + f), h = f^2 / 2 */
    s = f / (2 + f), h = 0.5 * f * f;
    for (z = s * s, i = 8; i >= 0; i--)
        r = cti_elem_log_c[i] + z * r;
    return k * CTI_ELEM_LN2_HI - ((h - (s * (h + z * r) + k * CTI_ELEM_LN2_LO)) - f);
}

#if CONTACT_WITH_PENALTY || CONTACT_WITH_EXPLICIT
CTI_FN double cti_exp64(double x)
{
    static const double inverse_factorial[12] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                                 1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                                 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
    double k, hi, lo, r, p, y;
    int i, e, first;
    if (x != x)
        return x;
    if (x > 709.782712893384)
        return cti_elem_inf();
    if (x < -745.1332191019412)
        return 0;
    /* x = k ln 2 + r + lo, |r| <= 0.35 */
    k = floor(x * 1.4426950408889634 + 0.5);
    hi = x - k * CTI_ELEM_LN2_HI, lo = k * CTI_ELEM_LN2_LO;
    r = hi - lo, lo = (hi - r) - lo;
    p = inverse_factorial[11];
    for (i = 10; i >= 0; i--)
        p = inverse_factorial[i] + r * p;
    y = 1 + (r + (r * r * p + lo * (1 + r)));
    /* times 2^k in two steps, so that neither factor leaves the normal range */
    e = (int)k, first = e / 2;
    return y * cti_elem_from_bits((uint64_t)(first + 1023) << 52) * cti_elem_from_bits((uint64_t)(e - first + 1023) << 52);
}
#endif

/* x = n pi/2 + *r + *t with |r| <= pi/4 and t the rounding of r; returns n mod 4. Three 26-bit parts of pi/2 make n * part exact. */
static int cti_elem_reduce(double x, double *r, double *t)
{
    double n = floor(x * 0.6366197723675814 + 0.5), a, b, s, e;
    a = x - n * 1.5707963109016418;
    b = n * 1.5893254712295857e-08, s = a - b, e = (a - s) - b;
    a = s, b = n * 6.123233932053594e-17;
    s = a - b, e += ((a - s) - b) - n * 6.36831716351095e-25;
    *r = s + e, *t = (s - *r) + e;
    return (int)(n - 4 * floor(n * 0.25));
}

/* the bits of 2/pi: bit 2^-k is bit 31 + k of this list, counted from the highest bit of its first word */
static const uint32_t cti_elem_two_over_pi[38] = {
    0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au,
    0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
    0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u,
    0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u};

/* out [6], lowest word first: 2^190 x 2/pi mod 2^192, for x = m 2^e > 2^26. 192 bits of 2/pi are enough: higher bits contribute multiples
   of 4 */
static void cti_elem_quarters(uint64_t m, int e, uint32_t *out)
{
    uint32_t p[6];
    uint64_t low = m & 0xffffffffu, high = m >> 32, carry = 0;
    int i, at = e - 1 + 31;
    for (i = 5; i >= 0; i--, at += 32) {
        int word = at >> 5, bit = at & 31;
        p[i] = cti_elem_two_over_pi[word] << bit;
        p[i] |= bit ? cti_elem_two_over_pi[word + 1] >> (32 - bit) : 0;
    }
    for (i = 0; i < 6; i++) {
        carry += p[i] * low;
        out[i] = (uint32_t)carry, carry >>= 32;
    }
    for (i = 1, carry = 0; i < 6; i++) {
        carry += out[i] + p[i - 1] * high;
        out[i] = (uint32_t)carry, carry >>= 32;
    }
}

/* cti_elem_reduce for a finite |x| > 1e8, by exact integer arithmetic (Payne, Hanek 1983) */
static int cti_elem_reduce_large(double x, double *r, double *t)
{
    static const double split = 134217729.0; /* 2^27 + 1: splits a double into two halves of 26 bits (Dekker 1971) */
    uint64_t u = cti_elem_bits(fabs(x));
    uint32_t q[6], borrow = 1;
    double h = 0, low = 0, weight = 1.0 / 1073741824.0, hh, hl, ph, pl, p;
    int i, n, sign = 1;
    cti_elem_quarters((u & 0x000fffffffffffffull) | 0x0010000000000000ull, (int)(u >> 52) - 1075, q);
    n = (int)(q[5] >> 30), q[5] &= 0x3fffffffu;
    if (q[5] >> 29) { /* fraction above 1/2: measure from the next multiple */
        n++, sign = -1;
        for (i = 0; i < 6; i++) {
            q[i] = ~q[i] + borrow;
            borrow = borrow && q[i] == 0;
        }
        q[5] &= 0x3fffffffu;
    }
    for (i = 5; i >= 0; i--, weight *= 1.0 / 4294967296.0) {
        double part = (double)q[i] * weight, sum = h + part;
        low += part - (sum - h), h = sum;
    }
    /* the fraction times pi/2 = CTI_ELEM_PI_2 + CTI_ELEM_PI_2_LO */
    p = h + low, low = (h - p) + low, h = p;
    hh = split * h - (split * h - h), hl = h - hh;
    ph = split * CTI_ELEM_PI_2 - (split * CTI_ELEM_PI_2 - CTI_ELEM_PI_2), pl = CTI_ELEM_PI_2 - ph;
    p = h * CTI_ELEM_PI_2;
    low = ((((hh * ph - p) + hh * pl) + hl * ph) + hl * pl) + (h * CTI_ELEM_PI_2_LO + low * CTI_ELEM_PI_2);
    *r = p + low, *t = (p - *r) + low;
    if (sign * x < 0)
        *r = -*r, *t = -*t;
    return x < 0 ? (4 - n) & 3 : n & 3;
}

/* sin(r + t), |r| <= pi/4: r - r^3/6 + ... + t (1 - r^2/2) */
static double cti_elem_sin_poly(double r, double t)
{
    double z = r * r, p = 1.0 / 355687428096000.0;
    p = -1.0 / 1307674368000.0 + z * p, p = 1.0 / 6227020800.0 + z * p, p = -1.0 / 39916800.0 + z * p;
    p = 1.0 / 362880 + z * p, p = -1.0 / 5040 + z * p, p = 1.0 / 120 + z * p, p = -1.0 / 6 + z * p;
    return r + (r * z * p + t * (1 - 0.5 * z));
}
/* cos(r + t) = 1 - r^2/2 + r^4/24 - ... - r t, compensated for the rounding of 1 - r^2/2 */
static double cti_elem_cos_poly(double r, double t)
{
    double z = r * r, h = 0.5 * z, w = 1 - h, p = 1.0 / 20922789888000.0;
    p = -1.0 / 87178291200.0 + z * p, p = 1.0 / 479001600.0 + z * p, p = -1.0 / 3628800.0 + z * p;
    p = 1.0 / 40320 + z * p, p = -1.0 / 720 + z * p, p = 1.0 / 24 + z * p;
    return w + (((1 - w) - h) + (z * z * p - r * t));
}

CTI_FN void cti_sincos64(double x, double *out_sin, double *out_cos)
{
    double r, t, s, c;
    int q;
    if (!cti_finite64(x)) {
        *out_sin = *out_cos = cti_elem_nan();
        return;
    }
    q = fabs(x) <= 1e8 ? cti_elem_reduce(x, &r, &t) : cti_elem_reduce_large(x, &r, &t);
    s = cti_elem_sin_poly(r, t), c = cti_elem_cos_poly(r, t);
    *out_sin = q == 0 ? s : (q == 1 ? c : (q == 2 ? -s : -c));
    *out_cos = q == 0 ? c : (q == 1 ? -s : (q == 2 ? -c : s));
}
CTI_FN double cti_sin64(double x)
{
    double s, c;
    cti_sincos64(x, &s, &c);
    return s;
}
CTI_FN double cti_cos64(double x)
{
    double s, c;
    cti_sincos64(x, &s, &c);
    return c;
}

/* (asin(x) / x - 1) / z, z = x^2 in [0, 1/4] */
static double cti_elem_asin_poly(double z)
{
    static const double c[14] = {0.16666666666666666,  0.07500000000000118,  0.044642857142551895,  0.03038194447553234,
                                 0.02237215744350722,  0.017352816540325496, 0.01396378001220357,   0.011566459612121669,
                                 0.009621842970100282, 0.009319560794767446, 0.0030448799094556773, 0.019554513336123378,
                                 -0.01924167174674304, 0.02961201126495512};
    double p = c[13];
    int i;
    for (i = 12; i >= 0; i--)
        p = c[i] + z * p;
    return p;
}

CTI_FN double cti_acos64(double x)
{
    double a = fabs(x), z, s, h, t, w;
    if (!(a <= 1))
        return cti_elem_nan();
    if (a <= 0.5)
        return CTI_ELEM_PI_2 - (x - (CTI_ELEM_PI_2_LO - x * (x * x * cti_elem_asin_poly(x * x))));
    /* acos(a) = 2 asin(s), s = sqrt((1 - a) / 2) = h + t with h of 26 bits */
    z = 0.5 * (1 - a), s = sqrt(z);
    w = z * cti_elem_asin_poly(z);
    if (x < 0)
        return 2 * (CTI_ELEM_PI_2 - (s + (s * w - CTI_ELEM_PI_2_LO)));
    h = cti_elem_from_bits(cti_elem_bits(s) & 0xfffffffff8000000ull);
    t = s > 0 ? (z - h * h) / (s + h) : 0;
    return 2 * (h + (t + s * w));
}

/* (atan(x) / x - 1) / z, z = x^2, |x| <= tan(pi/8) */
static const double cti_elem_atan_c[12] = {-0.3333333333333333,   0.19999999999999804,  -0.14285714285659748, 0.11111111105147764,
                                           -0.09090908753118594,  0.07692296363979952,  -0.066664246872465,   0.05878926715756726,
                                           -0.052304374642516874, 0.045515165635903104, -0.0345685906686069,  0.01628357235648259};

CTI_FN double cti_atan2_64(double y, double x)
{
    double ax = fabs(x), ay = fabs(y), big = ax > ay ? ax : ay, less = ax > ay ? ay : ax, w, z, p, base = 0, low = 0, r;
    int i;
    if (!(big > 0))
        return big == 0 ? 0 : cti_elem_nan();
    /* less / big = tan(base + angle of w), |w| <= tan(pi/8) */
    if (less > CTI_ELEM_TAN_PI_8 * big)
        w = (less - big) / (less + big), base = 0.5 * CTI_ELEM_PI_2, low = 0.5 * CTI_ELEM_PI_2_LO;
    else
        w = less / big;
    z = w * w, p = cti_elem_atan_c[11];
    for (i = 10; i >= 0; i--)
        p = cti_elem_atan_c[i] + z * p;
    r = w * z * p + low;
    /* r + w + base, reflected at pi/4 and pi/2; the low part is kept apart */
    if (ay > ax)
        r = CTI_ELEM_PI_2 - base - (w + (r - CTI_ELEM_PI_2_LO));
    else
        r = base + (w + r);
    if (x < 0)
        r = 2 * CTI_ELEM_PI_2 - (r - 2 * CTI_ELEM_PI_2_LO);
    return y < 0 ? -r : r;
}

CTI_FN double cti_cbrt64(double x)
{
    double a = fabs(x), m, t, r, scale = 1;
    uint64_t u;
    int e, q;
    if (!(a > 0) || !cti_finite64(a))
        return x;
    if (a < 2.2250738585072014e-308)
        a *= 18014398509481984.0, scale = 3.814697265625e-06; /* subnormal: 2^54 a, and 2^-18 for its root */
    /* a = 2^(3 q) m, m in [1, 8) */
    u = cti_elem_bits(a), e = (int)(u >> 52) - 1023;
    q = (e + 1026) / 3 - 342;
    m = cti_elem_from_bits((u & 0x000fffffffffffffull) | ((uint64_t)(e - 3 * q + 1023) << 52));
    /* two Halley steps from a quadratic guess, then one Newton step from a root of 26 bits, whose square is exact */
    t = 0.70 + m * (0.3215 - m * 0.0203);
    r = t * t * t, t = t * (r + 2 * m) / (2 * r + m);
    r = t * t * t, t = t * (r + 2 * m) / (2 * r + m);
    t = cti_elem_from_bits((cti_elem_bits(t) + 0x4000000ull) & 0xfffffffff8000000ull);
    r = m / (t * t), t = t + t * ((r - t) / (2 * t + r));
    t *= cti_elem_from_bits((uint64_t)(q + 1023) << 52) * scale;
    return x < 0 ? -t : t;
}

/* ---- eight lanes: the same arithmetic, operation by operation ---- */

/* for double and float lanes: V the lane type, T its scalar. n + 1 terms of log's series; C[i] the n + 1 coefficients of
   (atan(w) / w - 1) / w^2 */
#define CTI_ELEM_LOG(V, T, n, HI, LOW)                                                                                                     \
    CTI_FN V V##_log(V x)                                                                                                                  \
    {                                                                                                                                      \
        V k, f, s, h, z, r;                                                                                                                \
        int i;                                                                                                                             \
        /* x = 2^k (1 + f), s = f / (2 + f); the result is k ln2_hi - ((h - (s (h + R) + k ln2_lo)) - f) */                                \
        f = V##_sub(V##_split(x, &k), V##_set((T)1));                                                                                      \
        s = V##_div(f, V##_add(V##_set((T)2), f));                                                                                         \
        h = V##_mul(V##_mul(V##_set((T)0.5), f), f);                                                                                       \
        z = V##_mul(s, s), r = V##_set((T)cti_elem_log_c[n]);                                                                              \
        for (i = (n)-1; i >= 0; i--)                                                                                                       \
            r = V##_add(V##_set((T)cti_elem_log_c[i]), V##_mul(z, r));                                                                     \
        r = V##_add(V##_mul(s, V##_add(h, V##_mul(z, r))), V##_mul(k, V##_set((T)(LOW))));                                                 \
        return V##_sub(V##_mul(k, V##_set((T)(HI))), V##_sub(V##_sub(h, r), f));                                                           \
    }
CTI_ELEM_LOG(cti_d8, double, 9, CTI_ELEM_LN2_HI, CTI_ELEM_LN2_LO)
CTI_ELEM_LOG(cti_f8, float, 4, 0.69314575f, 1.4286068e-06f)

#define CTI_ELEM_ATAN2(V, T, C, n, LOW)                                                                                                    \
    CTI_FN V V##_atan2(V y, V x)                                                                                                           \
    {                                                                                                                                      \
        V ax = V##_abs(x), ay = V##_abs(y), zero = V##_set((T)0), half = V##_set((T)CTI_ELEM_PI_2), half_low = V##_set((T)(LOW));          \
        V big = V##_max(ax, ay), less = V##_min(ax, ay), steep, base, low, w, z, p, r, mask;                                              \
        int i;                                                                                                                             \
        mask = V##_lt(V##_mul(V##_set((T)CTI_ELEM_TAN_PI_8), big), less);                                                                 \
        w = V##_div(V##_select(mask, V##_sub(less, big), less), V##_max(V##_select(mask, V##_add(less, big), big), V##_set((T)1e-37))); \
        base = V##_select(mask, V##_set((T)(0.5 * CTI_ELEM_PI_2)), zero);                                                                  \
        low = V##_select(mask, V##_set((T)(0.5 * (LOW))), zero);                                                                           \
        z = V##_mul(w, w), p = V##_set((T)C[n]);                                                                                           \
        for (i = (n)-1; i >= 0; i--)                                                                                                       \
            p = V##_add(V##_set((T)C[i]), V##_mul(z, p));                                                                                  \
        r = V##_add(V##_mul(V##_mul(w, z), p), low);                                                                                       \
        steep = V##_sub(V##_sub(half, base), V##_add(w, V##_sub(r, half_low)));                                                            \
        r = V##_select(V##_lt(ax, ay), steep, V##_add(base, V##_add(w, r)));                                                               \
        steep = V##_sub(V##_add(half, half), V##_sub(r, V##_add(half_low, half_low)));                                                     \
        r = V##_select(V##_lt(x, zero), steep, r);                                                                                         \
        return V##_select(V##_lt(y, zero), V##_sub(zero, r), r);                                                                           \
    }

static const float cti_elem_atan_c32[5] = {-0.3333333176000804f, 0.19999540216937534f, -0.1426394635791234f, 0.10743631627144574f,
                                           -0.06451597258952992f};
CTI_ELEM_ATAN2(cti_d8, double, cti_elem_atan_c, 11, CTI_ELEM_PI_2_LO)
CTI_ELEM_ATAN2(cti_f8, float, cti_elem_atan_c32, 4, -4.371139e-08)
