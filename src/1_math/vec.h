/* vec.h -- three-vectors and 3x3 matrices (row-major) by value. Arrays of positions stay flat ct_real[3 n]; cti_v3_at reads one. */
#pragma once

#include "real.h"

typedef struct cti_v3 {
    ct_real x, y, z;
} cti_v3;
typedef struct cti_m3 {
    ct_real m[9]; /* row-major */
} cti_m3;

CTI_INLINE cti_v3 cti_v3_make(ct_real x, ct_real y, ct_real z)
{
    cti_v3 r;
    r.x = x, r.y = y, r.z = z;
    return r;
}
CTI_INLINE cti_v3 cti_v3_zero(void) { return cti_v3_make(0, 0, 0); }
CTI_INLINE cti_v3 cti_v3_at(const ct_real *p, int i) { return cti_v3_make(p[3 * i], p[3 * i + 1], p[3 * i + 2]); }
CTI_INLINE void cti_v3_put(ct_real *p, int i, cti_v3 a) { p[3 * i] = a.x, p[3 * i + 1] = a.y, p[3 * i + 2] = a.z; }
CTI_INLINE void cti_v3_addto(ct_real *p, int i, cti_v3 a) { p[3 * i] += a.x, p[3 * i + 1] += a.y, p[3 * i + 2] += a.z; }
CTI_INLINE cti_v3 cti_v3_add(cti_v3 a, cti_v3 b) { return cti_v3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
CTI_INLINE cti_v3 cti_v3_sub(cti_v3 a, cti_v3 b) { return cti_v3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
CTI_INLINE cti_v3 cti_v3_mul(cti_v3 a, ct_real s) { return cti_v3_make(a.x * s, a.y * s, a.z * s); }
CTI_INLINE cti_v3 cti_v3_mad(cti_v3 a, cti_v3 b, ct_real s) { return cti_v3_make(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s); }
CTI_INLINE ct_real cti_v3_dot(cti_v3 a, cti_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
CTI_INLINE cti_v3 cti_v3_cross(cti_v3 a, cti_v3 b)
{
    return cti_v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
CTI_INLINE ct_real cti_v3_norm2(cti_v3 a) { return cti_v3_dot(a, a); }
CTI_INLINE ct_real cti_v3_norm(cti_v3 a) { return cti_sqrt(cti_v3_dot(a, a)); }
CTI_INLINE cti_v3 cti_v3_min(cti_v3 a, cti_v3 b) { return cti_v3_make(cti_min(a.x, b.x), cti_min(a.y, b.y), cti_min(a.z, b.z)); }
CTI_INLINE ct_real cti_v3_most(cti_v3 a) { return cti_max(cti_abs(a.x), cti_max(cti_abs(a.y), cti_abs(a.z))); }
CTI_INLINE cti_v3 cti_v3_max(cti_v3 a, cti_v3 b) { return cti_v3_make(cti_max(a.x, b.x), cti_max(a.y, b.y), cti_max(a.z, b.z)); }
/* cti_all_finite -- 1 if all n numbers are. */
CTI_INLINE int cti_all_finite(const ct_real *a, int n)
{
    int i;
    for (i = 0; i < n && cti_finite(a[i]); i++)
        ;
    return i == n;
}
/* cti_v3_unit -- a / |a|, or `fallback` when a is too short for its direction to be computed. */
CTI_CALL cti_v3 cti_v3_unit(cti_v3 a, cti_v3 fallback)
{
    ct_real s = cti_max(cti_max(cti_abs(a.x), cti_abs(a.y)), cti_abs(a.z)), n;
    if (!(s > 0) || !cti_finite(s))
        return fallback;
    a = cti_v3_make(a.x / s, a.y / s, a.z / s);
    n = cti_v3_norm(a);
    return cti_v3_make(a.x / n, a.y / n, a.z / n);
}
/* cti_v3_tangents -- t1, t2 complete the unit vector n to a right-handed frame (n, t1, t2); t1 depends on n alone. */
CTI_INLINE void cti_v3_tangents(cti_v3 n, cti_v3 *t1, cti_v3 *t2)
{
    cti_v3 e = cti_abs(n.x) < CTI_R(0.57735) ? cti_v3_make(1, 0, 0) : cti_v3_make(0, 1, 0);
    *t1 = cti_v3_unit(cti_v3_cross(e, n), cti_v3_make(0, 0, 1));
    *t2 = cti_v3_cross(n, *t1);
}

CTI_INLINE cti_m3 cti_m3_zero(void)
{
    cti_m3 r;
    memset(&r, 0, sizeof r);
    return r;
}
CTI_INLINE cti_m3 cti_m3_diag(ct_real d)
{
    cti_m3 r = cti_m3_zero();
    r.m[0] = r.m[4] = r.m[8] = d;
    return r;
}
CTI_INLINE cti_v3 cti_m3_mul_v(const ct_real *m, cti_v3 a)
{
    return cti_v3_make(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z, m[6] * a.x + m[7] * a.y + m[8] * a.z);
}
CTI_INLINE cti_v3 cti_m3_mul_tv(const ct_real *m, cti_v3 a)
{
    return cti_v3_make(m[0] * a.x + m[3] * a.y + m[6] * a.z, m[1] * a.x + m[4] * a.y + m[7] * a.z, m[2] * a.x + m[5] * a.y + m[8] * a.z);
}
CTI_INLINE cti_m3 cti_m3_mul(const ct_real *a, const ct_real *b)
{
    cti_m3 r;
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            r.m[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    return r;
}
CTI_INLINE ct_real cti_m3_det(const ct_real *m)
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}
/* out [9] = adj(m) / d for d = det m; out may not be m. */
CTI_INLINE void cti_m3_adjoint(const ct_real *m, ct_real d, ct_real *out)
{
    ct_real i = 1 / d;
    out[0] = (m[4] * m[8] - m[5] * m[7]) * i, out[1] = (m[2] * m[7] - m[1] * m[8]) * i, out[2] = (m[1] * m[5] - m[2] * m[4]) * i;
    out[3] = (m[5] * m[6] - m[3] * m[8]) * i, out[4] = (m[0] * m[8] - m[2] * m[6]) * i, out[5] = (m[2] * m[3] - m[0] * m[5]) * i;
    out[6] = (m[3] * m[7] - m[4] * m[6]) * i, out[7] = (m[1] * m[6] - m[0] * m[7]) * i, out[8] = (m[0] * m[4] - m[1] * m[3]) * i;
}
/* cti_m3_inverse -- 1 and the inverse, or 0 (out untouched) when the determinant is zero or not finite. The determinant is cubic in the
   entries; where it comes near the limits of ct_real's range, as for small bodies' inertias in float, the entries are scaled first. out may
   not be m. */
CTI_CALL int cti_m3_inverse(const ct_real *m, ct_real *out)
{
    const ct_real least = sizeof(ct_real) == 4 ? CTI_R(1e-24) : CTI_EPS * CTI_EPS * CTI_EPS * CTI_EPS * CTI_EPS * CTI_EPS * CTI_EPS * CTI_EPS;
    ct_real d = cti_m3_det(m), n[9], big = 0, s;
    int k;
    if (cti_abs(d) > least && cti_abs(d) < 1 / least)
        return cti_m3_adjoint(m, d, out), 1;
    for (k = 0; k < 9; k++)
        big = cti_max(big, cti_abs(m[k]));
    s = 1 / big;
    if (!(big > 0) || !cti_finite(big) || !cti_finite(s) || !(s > 0))
        return 0;
    for (k = 0; k < 9; k++)
        n[k] = m[k] * s;
    d = cti_m3_det(n);
    if (!(cti_abs(d) > 0) || !cti_finite(d) || !cti_finite(s / d))
        return 0;
    cti_m3_adjoint(n, d, out);
    for (k = 0; k < 9; k++)
        out[k] *= s;
    return 1;
}
