/* simd_wide.inl -- lanes in wide registers. AVX2: two of four doubles, one of eight floats; AVX512: one of eight doubles, floats as AVX2.
   Masks are whole lanes on both. With AVX512 a comparison expands its mask register to lanes, and select is one ternary logic instruction.
   Included by simd.h. */

#include <immintrin.h>
#if CTI_SIMD == CTI_SIMD_AVX512
#define CTI_SIMD_NAME "AVX512"
typedef struct cti_d8 {
    __m512d a;
} cti_d8;
#define CTI_D8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_d8 cti_d8_##name(cti_d8 x, cti_d8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = ins(x.a, y.a);                                                                                                               \
        return x;                                                                                                                          \
    }
#define CTI_W_MASK(k) _mm512_castsi512_pd(_mm512_movm_epi64(k))
#define CTI_W_LT(x, y) CTI_W_MASK(_mm512_cmp_pd_mask(x, y, _CMP_LT_OQ))
#define CTI_W_LE(x, y) CTI_W_MASK(_mm512_cmp_pd_mask(x, y, _CMP_LE_OQ))
/* The unmasked intrinsics use an undefined operand, of which g++ 12 warns. With a full mask they compile to the same instruction. */
#define CTI_W_ALL ((__mmask8)0xff)
#define CTI_W_MIN(x, y) _mm512_maskz_min_pd(CTI_W_ALL, x, y)
#define CTI_W_MAX(x, y) _mm512_maskz_max_pd(CTI_W_ALL, x, y)
CTI_D8_OP2(add, _mm512_add_pd)
CTI_D8_OP2(sub, _mm512_sub_pd)
CTI_D8_OP2(mul, _mm512_mul_pd)
CTI_D8_OP2(div, _mm512_div_pd)
CTI_D8_OP2(min, CTI_W_MIN)
CTI_D8_OP2(max, CTI_W_MAX)
CTI_D8_OP2(lt, CTI_W_LT)
CTI_D8_OP2(le, CTI_W_LE)
CTI_D8_OP2(and, _mm512_and_pd)
CTI_D8_OP2(or, _mm512_or_pd)
CTI_INLINE cti_d8 cti_d8_set(double v)
{
    cti_d8 r;
    r.a = _mm512_set1_pd(v);
    return r;
}
CTI_INLINE cti_d8 cti_d8_load(const double *p)
{
    cti_d8 r;
    r.a = _mm512_loadu_pd(p);
    return r;
}
CTI_INLINE void cti_d8_store(double *p, cti_d8 x) { _mm512_storeu_pd(p, x.a); }
CTI_INLINE cti_d8 cti_d8_sqrt(cti_d8 x)
{
    x.a = _mm512_maskz_sqrt_pd(CTI_W_ALL, x.a);
    return x;
}
CTI_INLINE cti_d8 cti_d8_abs(cti_d8 x)
{
    x.a = _mm512_andnot_pd(_mm512_set1_pd(-0.0), x.a);
    return x;
}
CTI_INLINE cti_d8 cti_d8_select(cti_d8 m, cti_d8 yes, cti_d8 no)
{
    m.a = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_castpd_si512(m.a), _mm512_castpd_si512(yes.a), _mm512_castpd_si512(no.a), 0xca));
    return m;
}
CTI_INLINE int cti_d8_bits(cti_d8 m) { return (int)_mm512_movepi64_mask(_mm512_castpd_si512(m.a)); }
#if CTI_FUSED
CTI_INLINE cti_d8 cti_d8_mad(cti_d8 c, cti_d8 x, cti_d8 y)
{
    c.a = _mm512_fmadd_pd(x.a, y.a, c.a);
    return c;
}
CTI_INLINE cti_d8 cti_d8_nmad(cti_d8 c, cti_d8 x, cti_d8 y)
{
    c.a = _mm512_fnmadd_pd(x.a, y.a, c.a);
    return c;
}
#endif
#else
#define CTI_SIMD_NAME "AVX2"
typedef struct cti_d8 {
    __m256d a, b;
} cti_d8;
#define CTI_D8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_d8 cti_d8_##name(cti_d8 x, cti_d8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = ins(x.a, y.a), x.b = ins(x.b, y.b);                                                                                          \
        return x;                                                                                                                          \
    }
#define CTI_W_LT(x, y) _mm256_cmp_pd(x, y, _CMP_LT_OQ)
#define CTI_W_LE(x, y) _mm256_cmp_pd(x, y, _CMP_LE_OQ)
CTI_D8_OP2(add, _mm256_add_pd)
CTI_D8_OP2(sub, _mm256_sub_pd)
CTI_D8_OP2(mul, _mm256_mul_pd)
CTI_D8_OP2(div, _mm256_div_pd)
CTI_D8_OP2(min, _mm256_min_pd)
CTI_D8_OP2(max, _mm256_max_pd)
CTI_D8_OP2(lt, CTI_W_LT)
CTI_D8_OP2(le, CTI_W_LE)
CTI_D8_OP2(and, _mm256_and_pd)
CTI_D8_OP2(or, _mm256_or_pd)
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
    x.a = _mm256_sqrt_pd(x.a), x.b = _mm256_sqrt_pd(x.b);
    return x;
}
CTI_INLINE cti_d8 cti_d8_abs(cti_d8 x)
{
    x.a = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.a), x.b = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.b);
    return x;
}
CTI_INLINE cti_d8 cti_d8_select(cti_d8 m, cti_d8 yes, cti_d8 no)
{
    m.a = _mm256_blendv_pd(no.a, yes.a, m.a), m.b = _mm256_blendv_pd(no.b, yes.b, m.b);
    return m;
}
CTI_INLINE int cti_d8_bits(cti_d8 m) { return _mm256_movemask_pd(m.a) | (_mm256_movemask_pd(m.b) << 4); }
#if CTI_FUSED
CTI_INLINE cti_d8 cti_d8_mad(cti_d8 c, cti_d8 x, cti_d8 y)
{
    c.a = _mm256_fmadd_pd(x.a, y.a, c.a), c.b = _mm256_fmadd_pd(x.b, y.b, c.b);
    return c;
}
CTI_INLINE cti_d8 cti_d8_nmad(cti_d8 c, cti_d8 x, cti_d8 y)
{
    c.a = _mm256_fnmadd_pd(x.a, y.a, c.a), c.b = _mm256_fnmadd_pd(x.b, y.b, c.b);
    return c;
}
#endif
#endif

typedef struct cti_f8 {
    __m256 a;
} cti_f8;
#define CTI_F8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_f8 cti_f8_##name(cti_f8 x, cti_f8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = ins(x.a, y.a);                                                                                                               \
        return x;                                                                                                                          \
    }
#define CTI_W_LT_PS(x, y) _mm256_cmp_ps(x, y, _CMP_LT_OQ)
#define CTI_W_LE_PS(x, y) _mm256_cmp_ps(x, y, _CMP_LE_OQ)
CTI_F8_OP2(add, _mm256_add_ps)
CTI_F8_OP2(sub, _mm256_sub_ps)
CTI_F8_OP2(mul, _mm256_mul_ps)
CTI_F8_OP2(div, _mm256_div_ps)
CTI_F8_OP2(min, _mm256_min_ps)
CTI_F8_OP2(max, _mm256_max_ps)
CTI_F8_OP2(lt, CTI_W_LT_PS)
CTI_F8_OP2(le, CTI_W_LE_PS)
CTI_F8_OP2(and, _mm256_and_ps)
CTI_F8_OP2(or, _mm256_or_ps)
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
CTI_INLINE cti_f8 cti_f8_short(const int16_t *p)
{
    cti_f8 r;
    r.a = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
    return r;
}
CTI_INLINE void cti_f8_store(float *p, cti_f8 x) { _mm256_storeu_ps(p, x.a); }
CTI_INLINE cti_f8 cti_f8_sqrt(cti_f8 x)
{
    x.a = _mm256_sqrt_ps(x.a);
    return x;
}
CTI_INLINE cti_f8 cti_f8_abs(cti_f8 x)
{
    x.a = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x.a);
    return x;
}
CTI_INLINE cti_f8 cti_f8_select(cti_f8 m, cti_f8 yes, cti_f8 no)
{
    m.a = _mm256_blendv_ps(no.a, yes.a, m.a);
    return m;
}
CTI_INLINE int cti_f8_bits(cti_f8 m) { return _mm256_movemask_ps(m.a); }
#if CTI_FUSED
CTI_INLINE cti_f8 cti_f8_mad(cti_f8 c, cti_f8 x, cti_f8 y)
{
    c.a = _mm256_fmadd_ps(x.a, y.a, c.a);
    return c;
}
CTI_INLINE cti_f8 cti_f8_nmad(cti_f8 c, cti_f8 x, cti_f8 y)
{
    c.a = _mm256_fnmadd_ps(x.a, y.a, c.a);
    return c;
}
#define CTI_SIMD_HAS_MAD
#endif

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
CTI_F8_SPREAD(0)
CTI_F8_SPREAD(1)
CTI_F8_SPREAD(2)
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    x.a = _mm256_castps128_ps256(_mm_add_ps(_mm256_castps256_ps128(x.a), _mm256_extractf128_ps(x.a, 1)));
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { _mm_storeu_ps(p, _mm256_castps256_ps128(x.a)); }

#if CTI_SIMD == CTI_SIMD_AVX512
CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    r.a = _mm512_maskz_cvtps_pd(CTI_W_ALL, x.a);
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    r.a = _mm512_maskz_cvtpd_ps(CTI_W_ALL, x.a);
    return r;
}
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    __m512i u = _mm512_add_epi64(_mm512_castpd_si512(x.a), _mm512_set1_epi64(0x3ff0000000000000ll - 0x3fe6a09e667f3bcdll));
    __m512i e = _mm512_or_si512(_mm512_maskz_srli_epi64(CTI_W_ALL, u, 52), _mm512_set1_epi64(0x4330000000000000ll));
    k->a = _mm512_sub_pd(_mm512_castsi512_pd(e), _mm512_set1_pd(4503599627370496.0 + 1023.0));
    u = _mm512_add_epi64(_mm512_and_si512(u, _mm512_set1_epi64(0x000fffffffffffffll)), _mm512_set1_epi64(0x3fe6a09e667f3bcdll));
    x.a = _mm512_castsi512_pd(u);
    return x;
}
#else
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
#endif
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    __m256i u = _mm256_add_epi32(_mm256_castps_si256(x.a), _mm256_set1_epi32(0x3f800000 - 0x3f3504f3));
    __m256i e = _mm256_or_si256(_mm256_srli_epi32(u, 23), _mm256_set1_epi32(0x4b000000));
    k->a = _mm256_sub_ps(_mm256_castsi256_ps(e), _mm256_set1_ps(8388608.0f + 127.0f));
    u = _mm256_add_epi32(_mm256_and_si256(u, _mm256_set1_epi32(0x007fffff)), _mm256_set1_epi32(0x3f3504f3));
    x.a = _mm256_castsi256_ps(u);
    return x;
}
