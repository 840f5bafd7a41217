/* simd.h -- the one place where SIMD is decided: eight virtual lanes of double (cti_d8) and of float (cti_f8) on every path. Method: AVX2
   uses two 256-bit registers of double and one of float; SSE2 four and two 128-bit ones; NONE uses plain loops. Every operation is
   lane-wise and correctly rounded, there is no fused multiply-add, and sums over lanes have one fixed order ((0+4)+(2+6))+((1+5)+(3+7)), so
   all paths give the same bits. CTI_SIMD_NAME is the path that was compiled in. */
#ifndef CTI_SIMD_H
#define CTI_SIMD_H

#include "real.h"

#define CTI_SIMD_NONE 1
#define CTI_SIMD_SSE2 2
#define CTI_SIMD_AVX2 3
#ifndef CTI_SIMD
#if (!defined(CONTACT_SIMD) || CONTACT_SIMD == CT_SIMD_AUTO) && defined(__AVX2__)
#define CTI_SIMD CTI_SIMD_AVX2
#elif defined(CONTACT_SIMD) && CONTACT_SIMD == CT_SIMD_AVX2
#define CTI_SIMD CTI_SIMD_AVX2
#elif (!defined(CONTACT_SIMD) || CONTACT_SIMD == CT_SIMD_AUTO) && (defined(__SSE2__) || defined(_M_X64))
#define CTI_SIMD CTI_SIMD_SSE2
#elif defined(CONTACT_SIMD) && CONTACT_SIMD == CT_SIMD_SSE2
#define CTI_SIMD CTI_SIMD_SSE2
#else
#define CTI_SIMD CTI_SIMD_NONE
#endif
#endif

#if CTI_SIMD == CTI_SIMD_AVX2
#define CTI_SIMD_NAME "AVX2"
#include <immintrin.h>
typedef struct cti_d8 {
    __m256d a, b;
} cti_d8;
typedef struct cti_f8 {
    __m256 a;
} cti_f8;
/* a mask is all ones or all zeros per lane */
#define CTI_D8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_d8 cti_d8_##name(cti_d8 x, cti_d8 y)                                                                                    \
    {                                                                                                                                      \
        cti_d8 r;                                                                                                                          \
        r.a = ins(x.a, y.a), r.b = ins(x.b, y.b);                                                                                          \
        return r;                                                                                                                          \
    }
#define CTI_F8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_f8 cti_f8_##name(cti_f8 x, cti_f8 y)                                                                                    \
    {                                                                                                                                      \
        cti_f8 r;                                                                                                                          \
        r.a = ins(x.a, y.a);                                                                                                               \
        return r;                                                                                                                          \
    }
#define CTI_CMP_LT_PD(x, y) _mm256_cmp_pd(x, y, _CMP_LT_OQ)
#define CTI_CMP_LE_PD(x, y) _mm256_cmp_pd(x, y, _CMP_LE_OQ)
#define CTI_CMP_LT_PS(x, y) _mm256_cmp_ps(x, y, _CMP_LT_OQ)
#define CTI_CMP_LE_PS(x, y) _mm256_cmp_ps(x, y, _CMP_LE_OQ)
CTI_INLINE cti_d8 cti_d8_set(double v)
{
    cti_d8 r;
    r.a = r.b = _mm256_set1_pd(v);
    return r;
}
CTI_INLINE cti_d8 cti_d8_load(const double *p)
{
    cti_d8 r;
    r.a = _mm256_loadu_pd(p), r.b = _mm256_loadu_pd(p + 4);
    return r;
}
CTI_INLINE void cti_d8_store(double *p, cti_d8 x) { _mm256_storeu_pd(p, x.a), _mm256_storeu_pd(p + 4, x.b); }
CTI_INLINE cti_d8 cti_d8_sqrt(cti_d8 x)
{
    cti_d8 r;
    r.a = _mm256_sqrt_pd(x.a), r.b = _mm256_sqrt_pd(x.b);
    return r;
}
CTI_INLINE cti_d8 cti_d8_select(cti_d8 m, cti_d8 yes, cti_d8 no)
{
    cti_d8 r;
    r.a = _mm256_blendv_pd(no.a, yes.a, m.a), r.b = _mm256_blendv_pd(no.b, yes.b, m.b);
    return r;
}
/* cti_d8_bits -- bit i is set where lane i of the mask is */
CTI_INLINE int cti_d8_bits(cti_d8 m) { return _mm256_movemask_pd(m.a) | (_mm256_movemask_pd(m.b) << 4); }
CTI_INLINE cti_f8 cti_f8_set(float v)
{
    cti_f8 r;
    r.a = _mm256_set1_ps(v);
    return r;
}
CTI_INLINE cti_f8 cti_f8_load(const float *p)
{
    cti_f8 r;
    r.a = _mm256_loadu_ps(p);
    return r;
}
CTI_INLINE void cti_f8_store(float *p, cti_f8 x) { _mm256_storeu_ps(p, x.a); }
/* two halves of four lanes: cti_f8_load44 -- p[0..3] and q[0..3]; cti_f8_spread -- lane k of each half in all four of it, k a constant;
   cti_f8_fold -- lane i + lane i + 4 in lane i < 4, the others mean nothing; cti_f8_store4 -- lanes 0 to 3 */
CTI_INLINE cti_f8 cti_f8_load44(const float *p, const float *q)
{
    cti_f8 r;
    r.a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(q), 1);
    return r;
}
#define CTI_F8_SPREAD(k)                                                                                                                   \
    CTI_INLINE cti_f8 cti_f8_spread##k(cti_f8 x)                                                                                           \
    {                                                                                                                                      \
        x.a = _mm256_permute_ps(x.a, 0x55 * k);                                                                                            \
        return x;                                                                                                                          \
    }
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    x.a = _mm256_castps128_ps256(_mm_add_ps(_mm256_castps256_ps128(x.a), _mm256_extractf128_ps(x.a, 1)));
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { _mm_storeu_ps(p, _mm256_castps256_ps128(x.a)); }
CTI_INLINE cti_f8 cti_f8_sqrt(cti_f8 x)
{
    cti_f8 r;
    r.a = _mm256_sqrt_ps(x.a);
    return r;
}
CTI_INLINE cti_f8 cti_f8_select(cti_f8 m, cti_f8 yes, cti_f8 no)
{
    cti_f8 r;
    r.a = _mm256_blendv_ps(no.a, yes.a, m.a);
    return r;
}
CTI_INLINE int cti_f8_bits(cti_f8 m) { return _mm256_movemask_ps(m.a); }
CTI_D8_OP2(add, _mm256_add_pd)
CTI_D8_OP2(sub, _mm256_sub_pd)
CTI_D8_OP2(mul, _mm256_mul_pd)
CTI_D8_OP2(div, _mm256_div_pd)
CTI_D8_OP2(min, _mm256_min_pd) /* y where either is NaN, as x < y ? x : y */
CTI_D8_OP2(max, _mm256_max_pd)
CTI_D8_OP2(lt, CTI_CMP_LT_PD)
CTI_D8_OP2(le, CTI_CMP_LE_PD)
CTI_D8_OP2(and, _mm256_and_pd)
CTI_D8_OP2(or, _mm256_or_pd)
CTI_F8_OP2(add, _mm256_add_ps)
CTI_F8_OP2(sub, _mm256_sub_ps)
CTI_F8_OP2(mul, _mm256_mul_ps)
CTI_F8_OP2(div, _mm256_div_ps)
CTI_F8_OP2(min, _mm256_min_ps)
CTI_F8_OP2(max, _mm256_max_ps)
CTI_F8_OP2(lt, CTI_CMP_LT_PS)
CTI_F8_OP2(le, CTI_CMP_LE_PS)
CTI_F8_OP2(and, _mm256_and_ps)
CTI_F8_OP2(or, _mm256_or_ps)
CTI_INLINE cti_d8 cti_d8_abs(cti_d8 x)
{
    cti_d8 r;
    r.a = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.a), r.b = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.b);
    return r;
}
CTI_INLINE cti_f8 cti_f8_abs(cti_f8 x)
{
    cti_f8 r;
    r.a = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x.a);
    return r;
}
#undef CTI_CMP_LT_PD
#undef CTI_CMP_LE_PD
#undef CTI_CMP_LT_PS
#undef CTI_CMP_LE_PS
#undef CTI_D8_OP2
#undef CTI_F8_OP2
#elif CTI_SIMD == CTI_SIMD_SSE2
#define CTI_SIMD_NAME "SSE2"
#include <emmintrin.h>
typedef struct cti_d8 {
    __m128d a, b, c, d;
} cti_d8;
typedef struct cti_f8 {
    __m128 a, b;
} cti_f8;
/* a mask is all ones or all zeros per lane */
#define CTI_D8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_d8 cti_d8_##name(cti_d8 x, cti_d8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = ins(x.a, y.a), x.b = ins(x.b, y.b), x.c = ins(x.c, y.c), x.d = ins(x.d, y.d);                                                \
        return x;                                                                                                                          \
    }
#define CTI_F8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_f8 cti_f8_##name(cti_f8 x, cti_f8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = ins(x.a, y.a), x.b = ins(x.b, y.b);                                                                                          \
        return x;                                                                                                                          \
    }
CTI_INLINE cti_d8 cti_d8_set(double v)
{
    cti_d8 r;
    r.a = r.b = r.c = r.d = _mm_set1_pd(v);
    return r;
}
CTI_INLINE cti_d8 cti_d8_load(const double *p)
{
    cti_d8 r;
    r.a = _mm_loadu_pd(p), r.b = _mm_loadu_pd(p + 2), r.c = _mm_loadu_pd(p + 4), r.d = _mm_loadu_pd(p + 6);
    return r;
}
CTI_INLINE void cti_d8_store(double *p, cti_d8 x)
{
    _mm_storeu_pd(p, x.a), _mm_storeu_pd(p + 2, x.b), _mm_storeu_pd(p + 4, x.c), _mm_storeu_pd(p + 6, x.d);
}
CTI_INLINE cti_d8 cti_d8_sqrt(cti_d8 x)
{
    x.a = _mm_sqrt_pd(x.a), x.b = _mm_sqrt_pd(x.b), x.c = _mm_sqrt_pd(x.c), x.d = _mm_sqrt_pd(x.d);
    return x;
}
CTI_INLINE __m128d cti_choose_pd(__m128d m, __m128d yes, __m128d no) { return _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no)); }
CTI_INLINE __m128 cti_choose_ps(__m128 m, __m128 yes, __m128 no) { return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no)); }
CTI_INLINE cti_d8 cti_d8_select(cti_d8 m, cti_d8 yes, cti_d8 no)
{
    m.a = cti_choose_pd(m.a, yes.a, no.a), m.b = cti_choose_pd(m.b, yes.b, no.b);
    m.c = cti_choose_pd(m.c, yes.c, no.c), m.d = cti_choose_pd(m.d, yes.d, no.d);
    return m;
}
CTI_INLINE int cti_d8_bits(cti_d8 m)
{
    return _mm_movemask_pd(m.a) | (_mm_movemask_pd(m.b) << 2) | (_mm_movemask_pd(m.c) << 4) | (_mm_movemask_pd(m.d) << 6);
}
CTI_INLINE cti_f8 cti_f8_set(float v)
{
    cti_f8 r;
    r.a = r.b = _mm_set1_ps(v);
    return r;
}
CTI_INLINE cti_f8 cti_f8_load(const float *p)
{
    cti_f8 r;
    r.a = _mm_loadu_ps(p), r.b = _mm_loadu_ps(p + 4);
    return r;
}
CTI_INLINE void cti_f8_store(float *p, cti_f8 x) { _mm_storeu_ps(p, x.a), _mm_storeu_ps(p + 4, x.b); }
CTI_INLINE cti_f8 cti_f8_load44(const float *p, const float *q)
{
    cti_f8 r;
    r.a = _mm_loadu_ps(p), r.b = _mm_loadu_ps(q);
    return r;
}
#define CTI_F8_SPREAD(k)                                                                                                                   \
    CTI_INLINE cti_f8 cti_f8_spread##k(cti_f8 x)                                                                                           \
    {                                                                                                                                      \
        x.a = _mm_shuffle_ps(x.a, x.a, 0x55 * k), x.b = _mm_shuffle_ps(x.b, x.b, 0x55 * k);                                                \
        return x;                                                                                                                          \
    }
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    x.a = _mm_add_ps(x.a, x.b);
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { _mm_storeu_ps(p, x.a); }
CTI_INLINE cti_f8 cti_f8_sqrt(cti_f8 x)
{
    x.a = _mm_sqrt_ps(x.a), x.b = _mm_sqrt_ps(x.b);
    return x;
}
CTI_INLINE cti_f8 cti_f8_select(cti_f8 m, cti_f8 yes, cti_f8 no)
{
    m.a = cti_choose_ps(m.a, yes.a, no.a), m.b = cti_choose_ps(m.b, yes.b, no.b);
    return m;
}
CTI_INLINE int cti_f8_bits(cti_f8 m) { return _mm_movemask_ps(m.a) | (_mm_movemask_ps(m.b) << 4); }
CTI_D8_OP2(add, _mm_add_pd)
CTI_D8_OP2(sub, _mm_sub_pd)
CTI_D8_OP2(mul, _mm_mul_pd)
CTI_D8_OP2(div, _mm_div_pd)
CTI_D8_OP2(min, _mm_min_pd)
CTI_D8_OP2(max, _mm_max_pd)
CTI_D8_OP2(lt, _mm_cmplt_pd)
CTI_D8_OP2(le, _mm_cmple_pd)
CTI_D8_OP2(and, _mm_and_pd)
CTI_D8_OP2(or, _mm_or_pd)
CTI_F8_OP2(add, _mm_add_ps)
CTI_F8_OP2(sub, _mm_sub_ps)
CTI_F8_OP2(mul, _mm_mul_ps)
CTI_F8_OP2(div, _mm_div_ps)
CTI_F8_OP2(min, _mm_min_ps)
CTI_F8_OP2(max, _mm_max_ps)
CTI_F8_OP2(lt, _mm_cmplt_ps)
CTI_F8_OP2(le, _mm_cmple_ps)
CTI_F8_OP2(and, _mm_and_ps)
CTI_F8_OP2(or, _mm_or_ps)
CTI_INLINE cti_d8 cti_d8_abs(cti_d8 x)
{
    const __m128d sign = _mm_set1_pd(-0.0);
    x.a = _mm_andnot_pd(sign, x.a), x.b = _mm_andnot_pd(sign, x.b), x.c = _mm_andnot_pd(sign, x.c), x.d = _mm_andnot_pd(sign, x.d);
    return x;
}
CTI_INLINE cti_f8 cti_f8_abs(cti_f8 x)
{
    const __m128 sign = _mm_set1_ps(-0.0f);
    x.a = _mm_andnot_ps(sign, x.a), x.b = _mm_andnot_ps(sign, x.b);
    return x;
}
#undef CTI_D8_OP2
#undef CTI_F8_OP2
#else
#define CTI_SIMD_NAME "NONE"
typedef struct cti_d8 {
    double v[8];
} cti_d8;
typedef struct cti_f8 {
    float v[8];
} cti_f8;
/* masks are 1 or 0 per lane on this path; use them only with select, and, or, bits */
#define CTI_LANES(V, T, name, expr)                                                                                                        \
    CTI_INLINE V V##_##name(V x, V y)                                                                                                      \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++) {                                                                                                          \
            T p = x.v[i], q = y.v[i];                                                                                                      \
            r.v[i] = (T)(expr);                                                                                                            \
        }                                                                                                                                  \
        return r;                                                                                                                          \
    }
#define CTI_LANES_ALL(V, T, SQRT)                                                                                                          \
    CTI_LANES(V, T, add, p + q)                                                                                                            \
    CTI_LANES(V, T, sub, p - q)                                                                                                            \
    CTI_LANES(V, T, mul, p *q)                                                                                                             \
    CTI_LANES(V, T, div, p / q)                                                                                                            \
    CTI_LANES(V, T, min, p < q ? p : q)                                                                                                    \
    CTI_LANES(V, T, max, p > q ? p : q)                                                                                                    \
    CTI_LANES(V, T, lt, p < q)                                                                                                             \
    CTI_LANES(V, T, le, p <= q)                                                                                                            \
    CTI_LANES(V, T, and, p != 0 && q != 0)                                                                                                 \
    CTI_LANES(V, T, or, p != 0 || q != 0)                                                                                                  \
    CTI_INLINE V V##_set(T s)                                                                                                              \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = s;                                                                                                                    \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_load(const T *p)                                                                                                      \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        memcpy(r.v, p, sizeof r.v);                                                                                                        \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE void V##_store(T *p, V x) { memcpy(p, x.v, sizeof x.v); }                                                                   \
    CTI_INLINE V V##_sqrt(V x)                                                                                                             \
    {                                                                                                                                      \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            x.v[i] = SQRT(x.v[i]);                                                                                                         \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_abs(V x)                                                                                                              \
    {                                                                                                                                      \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            x.v[i] = x.v[i] < 0 ? -x.v[i] : (x.v[i] == 0 ? 0 : x.v[i]);                                                                    \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_select(V m, V yes, V no)                                                                                              \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = m.v[i] != 0 ? yes.v[i] : no.v[i];                                                                                     \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE int V##_bits(V m)                                                                                                           \
    {                                                                                                                                      \
        int i, b = 0;                                                                                                                      \
        for (i = 0; i < 8; i++)                                                                                                            \
            b |= (m.v[i] != 0) << i;                                                                                                       \
        return b;                                                                                                                          \
    }
CTI_LANES_ALL(cti_d8, double, sqrt)
CTI_LANES_ALL(cti_f8, float, sqrtf)
CTI_INLINE cti_f8 cti_f8_load44(const float *p, const float *q)
{
    cti_f8 r;
    memcpy(r.v, p, 4 * sizeof(float)), memcpy(r.v + 4, q, 4 * sizeof(float));
    return r;
}
#define CTI_F8_SPREAD(k)                                                                                                                   \
    CTI_INLINE cti_f8 cti_f8_spread##k(cti_f8 x)                                                                                           \
    {                                                                                                                                      \
        cti_f8 r;                                                                                                                          \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = x.v[(i & 4) + k];                                                                                                     \
        return r;                                                                                                                          \
    }
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    int i;
    for (i = 0; i < 4; i++)
        x.v[i] += x.v[i + 4];
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { memcpy(p, x.v, 4 * sizeof(float)); }
#undef CTI_LANES
#undef CTI_LANES_ALL
#endif

/* cti_d8_widen -- exact; cti_f8_narrow -- rounded to nearest */
#if CTI_SIMD == CTI_SIMD_AVX2
CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    r.a = _mm256_cvtps_pd(_mm256_castps256_ps128(x.a)), r.b = _mm256_cvtps_pd(_mm256_extractf128_ps(x.a, 1));
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    r.a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(x.a)), _mm256_cvtpd_ps(x.b), 1);
    return r;
}
#elif CTI_SIMD == CTI_SIMD_SSE2
CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    r.a = _mm_cvtps_pd(x.a), r.b = _mm_cvtps_pd(_mm_movehl_ps(x.a, x.a));
    r.c = _mm_cvtps_pd(x.b), r.d = _mm_cvtps_pd(_mm_movehl_ps(x.b, x.b));
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    r.a = _mm_movelh_ps(_mm_cvtpd_ps(x.a), _mm_cvtpd_ps(x.b)), r.b = _mm_movelh_ps(_mm_cvtpd_ps(x.c), _mm_cvtpd_ps(x.d));
    return r;
}
#else
CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    int i;
    for (i = 0; i < 8; i++)
        r.v[i] = (double)x.v[i];
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    int i;
    for (i = 0; i < 8; i++)
        r.v[i] = (float)x.v[i];
    return r;
}
#endif
CTI_F8_SPREAD(0)
CTI_F8_SPREAD(1)
CTI_F8_SPREAD(2)
#undef CTI_F8_SPREAD

/* cti_*8_split -- x = 2^k m with m in [sqrt(1/2), sqrt 2), for positive normal lanes; exact on every path. */
#if CTI_SIMD == CTI_SIMD_AVX2
CTI_INLINE __m256d cti_split_pd(__m256d x, __m256d *k)
{
    __m256i u = _mm256_add_epi64(_mm256_castpd_si256(x), _mm256_set1_epi64x(0x3ff0000000000000ll - 0x3fe6a09e667f3bcdll));
    __m256i e = _mm256_or_si256(_mm256_srli_epi64(u, 52), _mm256_set1_epi64x(0x4330000000000000ll));
    *k = _mm256_sub_pd(_mm256_castsi256_pd(e), _mm256_set1_pd(4503599627370496.0 + 1023.0));
    u = _mm256_add_epi64(_mm256_and_si256(u, _mm256_set1_epi64x(0x000fffffffffffffll)), _mm256_set1_epi64x(0x3fe6a09e667f3bcdll));
    return _mm256_castsi256_pd(u);
}
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    x.a = cti_split_pd(x.a, &k->a), x.b = cti_split_pd(x.b, &k->b);
    return x;
}
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    __m256i u = _mm256_add_epi32(_mm256_castps_si256(x.a), _mm256_set1_epi32(0x3f800000 - 0x3f3504f3));
    __m256i e = _mm256_or_si256(_mm256_srli_epi32(u, 23), _mm256_set1_epi32(0x4b000000));
    k->a = _mm256_sub_ps(_mm256_castsi256_ps(e), _mm256_set1_ps(8388608.0f + 127.0f));
    u = _mm256_add_epi32(_mm256_and_si256(u, _mm256_set1_epi32(0x007fffff)), _mm256_set1_epi32(0x3f3504f3));
    x.a = _mm256_castsi256_ps(u);
    return x;
}
#elif CTI_SIMD == CTI_SIMD_SSE2
CTI_INLINE __m128d cti_split_pd(__m128d x, __m128d *k)
{
    __m128i u = _mm_add_epi64(_mm_castpd_si128(x), _mm_set1_epi64x(0x3ff0000000000000ll - 0x3fe6a09e667f3bcdll));
    __m128i e = _mm_or_si128(_mm_srli_epi64(u, 52), _mm_set1_epi64x(0x4330000000000000ll));
    *k = _mm_sub_pd(_mm_castsi128_pd(e), _mm_set1_pd(4503599627370496.0 + 1023.0));
    u = _mm_add_epi64(_mm_and_si128(u, _mm_set1_epi64x(0x000fffffffffffffll)), _mm_set1_epi64x(0x3fe6a09e667f3bcdll));
    return _mm_castsi128_pd(u);
}
CTI_INLINE __m128 cti_split_ps(__m128 x, __m128 *k)
{
    __m128i u = _mm_add_epi32(_mm_castps_si128(x), _mm_set1_epi32(0x3f800000 - 0x3f3504f3));
    __m128i e = _mm_or_si128(_mm_srli_epi32(u, 23), _mm_set1_epi32(0x4b000000));
    *k = _mm_sub_ps(_mm_castsi128_ps(e), _mm_set1_ps(8388608.0f + 127.0f));
    u = _mm_add_epi32(_mm_and_si128(u, _mm_set1_epi32(0x007fffff)), _mm_set1_epi32(0x3f3504f3));
    return _mm_castsi128_ps(u);
}
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    x.a = cti_split_pd(x.a, &k->a), x.b = cti_split_pd(x.b, &k->b), x.c = cti_split_pd(x.c, &k->c), x.d = cti_split_pd(x.d, &k->d);
    return x;
}
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    x.a = cti_split_ps(x.a, &k->a), x.b = cti_split_ps(x.b, &k->b);
    return x;
}
#else
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    int i;
    for (i = 0; i < 8; i++) {
        uint64_t u;
        memcpy(&u, &x.v[i], sizeof u);
        u += 0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull;
        k->v[i] = (double)(int)(u >> 52) - 1023;
        u = (u & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull;
        memcpy(&x.v[i], &u, sizeof u);
    }
    return x;
}
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    int i;
    for (i = 0; i < 8; i++) {
        uint32_t u;
        memcpy(&u, &x.v[i], sizeof u);
        u += 0x3f800000u - 0x3f3504f3u;
        k->v[i] = (float)(int)(u >> 23) - 127;
        u = (u & 0x007fffffu) + 0x3f3504f3u;
        memcpy(&x.v[i], &u, sizeof u);
    }
    return x;
}
#endif

/* The lane type of ct_real: cti_r8. */
#if CONTACT_REAL == 32
typedef cti_f8 cti_r8;
#define CTI_R8(op) cti_f8_##op
CTI_INLINE cti_f8 cti_r8_narrow(cti_r8 x) { return x; }
CTI_INLINE cti_r8 cti_r8_widen(cti_f8 x) { return x; }
#else
typedef cti_d8 cti_r8;
#define CTI_R8(op) cti_d8_##op
CTI_INLINE cti_f8 cti_r8_narrow(cti_r8 x) { return cti_f8_narrow(x); }
CTI_INLINE cti_r8 cti_r8_widen(cti_f8 x) { return cti_d8_widen(x); }
#endif

/* cti_*8_sum -- the sum over lanes in the fixed order. */
CTI_INLINE double cti_d8_sum(cti_d8 x)
{
    double t[8];
    cti_d8_store(t, x);
    return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}
CTI_INLINE float cti_f8_sum(cti_f8 x)
{
    float t[8];
    cti_f8_store(t, x);
    return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}

/* cti_f8_turn44 -- transposes within both halves: entry k of row i becomes entry i of row k, for the four rows r and lanes 0-3, 4-7. */
#if CTI_SIMD == CTI_SIMD_AVX2 || (defined(CTI_SIMD_AVX512) && CTI_SIMD == CTI_SIMD_AVX512)
CTI_INLINE void cti_f8_turn44(cti_f8 r[4])
{
    __m256 a = _mm256_unpacklo_ps(r[0].a, r[1].a), b = _mm256_unpackhi_ps(r[0].a, r[1].a);
    __m256 c = _mm256_unpacklo_ps(r[2].a, r[3].a), d = _mm256_unpackhi_ps(r[2].a, r[3].a);
    r[0].a = _mm256_shuffle_ps(a, c, 0x44), r[1].a = _mm256_shuffle_ps(a, c, 0xee);
    r[2].a = _mm256_shuffle_ps(b, d, 0x44), r[3].a = _mm256_shuffle_ps(b, d, 0xee);
}
#elif CTI_SIMD == CTI_SIMD_SSE2
CTI_INLINE void cti_f8_turn44(cti_f8 r[4])
{
    _MM_TRANSPOSE4_PS(r[0].a, r[1].a, r[2].a, r[3].a);
    _MM_TRANSPOSE4_PS(r[0].b, r[1].b, r[2].b, r[3].b);
}
#else
CTI_INLINE void cti_f8_turn44(cti_f8 r[4])
{
    float from[4][8], to[4][8];
    int i, k;
    for (i = 0; i < 4; i++)
        cti_f8_store(from[i], r[i]);
    for (i = 0; i < 4; i++)
        for (k = 0; k < 4; k++)
            to[k][i] = from[i][k], to[k][4 + i] = from[i][4 + k];
    for (i = 0; i < 4; i++)
        r[i] = cti_f8_load(to[i]);
}
#endif

#endif /* CTI_SIMD_H */
