/* simd_registers.inl -- lanes made of registers. Each path names its instructions for one register: CTI_PD of doubles, CTI_PF of floats, CTI_UD
   and CTI_UF for the integers in their lanes. SSE2, NEON (AArch64), WebAssembly's simd128, and NONE with a compiler's vector extension have four
   registers of two doubles and two of four floats; AVX2 two of four doubles and one of eight floats; AVX512 one of each. The code below the
   names is the same for all. Masks are whole lanes. Included by simd.h. */

#if CTI_SIMD == CTI_SIMD_AVX512 || CTI_SIMD == CTI_SIMD_AVX2
#include <immintrin.h>
#define CTI_PF __m256
#define CTI_PF_DO(op, x, y) _mm256_##op##_ps(x, y)
#define CTI_PF_LT(x, y) _mm256_cmp_ps(x, y, _CMP_LT_OQ)
#define CTI_PF_LE(x, y) _mm256_cmp_ps(x, y, _CMP_LE_OQ)
#define CTI_PF_MIN(x, y) _mm256_min_ps(x, y)
#define CTI_PF_MAX(x, y) _mm256_max_ps(x, y)
#define CTI_PF_AND(x, y) _mm256_and_ps(x, y)
#define CTI_PF_OR(x, y) _mm256_or_ps(x, y)
#define CTI_PF_SET(s) _mm256_set1_ps(s)
#define CTI_PF_LOAD(p) _mm256_loadu_ps(p)
#define CTI_PF_SHORT(p) _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p))))
#define CTI_PF_STORE(p, x) _mm256_storeu_ps(p, x)
#define CTI_PF_SQRT(x) _mm256_sqrt_ps(x)
#define CTI_PF_ABS(x) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x)
#define CTI_PF_CHOOSE(m, yes, no) _mm256_blendv_ps(no, yes, m)
#define CTI_PF_BITS(m) _mm256_movemask_ps(m)
#define CTI_PF_SPREAD(x, k) _mm256_permute_ps(x, 0x55 * k)
#define CTI_PF_FUSED(c, x, y) _mm256_fmadd_ps(x, y, c)
#define CTI_PF_NFUSED(c, x, y) _mm256_fnmadd_ps(x, y, c)
#define CTI_UF __m256i
#define CTI_UF_FROM(x) _mm256_castps_si256(x)
#define CTI_UF_TO(u) _mm256_castsi256_ps(u)
#define CTI_UF_SET(c) _mm256_set1_epi32((int)(c))
#define CTI_UF_ADD(u, v) _mm256_add_epi32(u, v)
#define CTI_UF_AND(u, v) _mm256_and_si256(u, v)
#define CTI_UF_OR(u, v) _mm256_or_si256(u, v)
#define CTI_UF_RIGHT(u) _mm256_srli_epi32(u, 23)
#endif

#if CTI_SIMD == CTI_SIMD_AVX512
#define CTI_SIMD_NAME "AVX512"
/* The unmasked intrinsics use an undefined operand, of which g++ 12 warns. With a full mask they compile to the same instruction. A comparison
   expands its mask register to lanes, and select is one ternary logic instruction */
#define CTI_W_ALL ((__mmask8)0xff)
#define CTI_PD __m512d
#define CTI_PD_DO(op, x, y) _mm512_##op##_pd(x, y)
#define CTI_PD_MASK(k) _mm512_castsi512_pd(_mm512_movm_epi64(k))
#define CTI_PD_LT(x, y) CTI_PD_MASK(_mm512_cmp_pd_mask(x, y, _CMP_LT_OQ))
#define CTI_PD_LE(x, y) CTI_PD_MASK(_mm512_cmp_pd_mask(x, y, _CMP_LE_OQ))
#define CTI_PD_MIN(x, y) _mm512_maskz_min_pd(CTI_W_ALL, x, y)
#define CTI_PD_MAX(x, y) _mm512_maskz_max_pd(CTI_W_ALL, x, y)
#define CTI_PD_AND(x, y) _mm512_and_pd(x, y)
#define CTI_PD_OR(x, y) _mm512_or_pd(x, y)
#define CTI_PD_SET(s) _mm512_set1_pd(s)
#define CTI_PD_LOAD(p) _mm512_loadu_pd(p)
#define CTI_PD_STORE(p, x) _mm512_storeu_pd(p, x)
#define CTI_PD_SQRT(x) _mm512_maskz_sqrt_pd(CTI_W_ALL, x)
#define CTI_PD_ABS(x) _mm512_andnot_pd(_mm512_set1_pd(-0.0), x)
#define CTI_PD_CHOOSE(m, yes, no) CTI_UD_TO(_mm512_ternarylogic_epi64(CTI_UD_FROM(m), CTI_UD_FROM(yes), CTI_UD_FROM(no), 0xca))
#define CTI_PD_BITS(m) ((int)_mm512_movepi64_mask(CTI_UD_FROM(m)))
#define CTI_PD_FUSED(c, x, y) _mm512_fmadd_pd(x, y, c)
#define CTI_PD_NFUSED(c, x, y) _mm512_fnmadd_pd(x, y, c)
#define CTI_UD __m512i
#define CTI_UD_FROM(x) _mm512_castpd_si512(x)
#define CTI_UD_TO(u) _mm512_castsi512_pd(u)
#define CTI_UD_SET(c) _mm512_set1_epi64((long long)(c))
#define CTI_UD_ADD(u, v) _mm512_add_epi64(u, v)
#define CTI_UD_AND(u, v) _mm512_and_si512(u, v)
#define CTI_UD_OR(u, v) _mm512_or_si512(u, v)
#define CTI_UD_RIGHT(u) _mm512_maskz_srli_epi64(CTI_W_ALL, u, 52)
#elif CTI_SIMD == CTI_SIMD_AVX2
#define CTI_SIMD_NAME "AVX2"
#define CTI_PD __m256d
#define CTI_PD_DO(op, x, y) _mm256_##op##_pd(x, y)
#define CTI_PD_LT(x, y) _mm256_cmp_pd(x, y, _CMP_LT_OQ)
#define CTI_PD_LE(x, y) _mm256_cmp_pd(x, y, _CMP_LE_OQ)
#define CTI_PD_MIN(x, y) _mm256_min_pd(x, y)
#define CTI_PD_MAX(x, y) _mm256_max_pd(x, y)
#define CTI_PD_AND(x, y) _mm256_and_pd(x, y)
#define CTI_PD_OR(x, y) _mm256_or_pd(x, y)
#define CTI_PD_SET(s) _mm256_set1_pd(s)
#define CTI_PD_LOAD(p) _mm256_loadu_pd(p)
#define CTI_PD_STORE(p, x) _mm256_storeu_pd(p, x)
#define CTI_PD_SQRT(x) _mm256_sqrt_pd(x)
#define CTI_PD_ABS(x) _mm256_andnot_pd(_mm256_set1_pd(-0.0), x)
#define CTI_PD_CHOOSE(m, yes, no) _mm256_blendv_pd(no, yes, m)
#define CTI_PD_BITS(m) _mm256_movemask_pd(m)
#define CTI_PD_FUSED(c, x, y) _mm256_fmadd_pd(x, y, c)
#define CTI_PD_NFUSED(c, x, y) _mm256_fnmadd_pd(x, y, c)
#define CTI_UD __m256i
#define CTI_UD_FROM(x) _mm256_castpd_si256(x)
#define CTI_UD_TO(u) _mm256_castsi256_pd(u)
#define CTI_UD_SET(c) _mm256_set1_epi64x((long long)(c))
#define CTI_UD_ADD(u, v) _mm256_add_epi64(u, v)
#define CTI_UD_AND(u, v) _mm256_and_si256(u, v)
#define CTI_UD_OR(u, v) _mm256_or_si256(u, v)
#define CTI_UD_RIGHT(u) _mm256_srli_epi64(u, 52)
#elif CTI_SIMD == CTI_SIMD_SSE2
#define CTI_SIMD_NAME "SSE2"
#include <emmintrin.h>
#define CTI_PD __m128d
#define CTI_PF __m128
#define CTI_PD_DO(op, x, y) _mm_##op##_pd(x, y)
#define CTI_PF_DO(op, x, y) _mm_##op##_ps(x, y)
#define CTI_PD_LT(x, y) _mm_cmplt_pd(x, y)
#define CTI_PF_LT(x, y) _mm_cmplt_ps(x, y)
#define CTI_PD_LE(x, y) _mm_cmple_pd(x, y)
#define CTI_PF_LE(x, y) _mm_cmple_ps(x, y)
#define CTI_PD_MIN(x, y) _mm_min_pd(x, y)
#define CTI_PF_MIN(x, y) _mm_min_ps(x, y)
#define CTI_PD_MAX(x, y) _mm_max_pd(x, y)
#define CTI_PF_MAX(x, y) _mm_max_ps(x, y)
#define CTI_PD_AND(x, y) _mm_and_pd(x, y)
#define CTI_PF_AND(x, y) _mm_and_ps(x, y)
#define CTI_PD_OR(x, y) _mm_or_pd(x, y)
#define CTI_PF_OR(x, y) _mm_or_ps(x, y)
#define CTI_PD_SET(s) _mm_set1_pd(s)
#define CTI_PF_SET(s) _mm_set1_ps(s)
#define CTI_PD_LOAD(p) _mm_loadu_pd(p)
#define CTI_PF_LOAD(p) _mm_loadu_ps(p)
#define CTI_PF_SHORT(p) cti_p4_short(p)
#define CTI_PD_STORE(p, x) _mm_storeu_pd(p, x)
#define CTI_PF_STORE(p, x) _mm_storeu_ps(p, x)
#define CTI_PD_SQRT(x) _mm_sqrt_pd(x)
#define CTI_PF_SQRT(x) _mm_sqrt_ps(x)
#define CTI_PD_ABS(x) _mm_andnot_pd(_mm_set1_pd(-0.0), x)
#define CTI_PF_ABS(x) _mm_andnot_ps(_mm_set1_ps(-0.0f), x)
#define CTI_PD_CHOOSE(m, yes, no) _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no))
#define CTI_PF_CHOOSE(m, yes, no) _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no))
#define CTI_PD_BITS(m) _mm_movemask_pd(m)
#define CTI_PF_BITS(m) _mm_movemask_ps(m)
#define CTI_PF_SPREAD(x, k) _mm_shuffle_ps(x, x, 0x55 * k)
#define CTI_PD_WIDEN_LOW(x) _mm_cvtps_pd(x)
#define CTI_PD_WIDEN_HIGH(x) _mm_cvtps_pd(_mm_movehl_ps(x, x))
#define CTI_PF_NARROW(x, y) _mm_movelh_ps(_mm_cvtpd_ps(x), _mm_cvtpd_ps(y))
/* integers in a register's lanes */
#define CTI_UD __m128i
#define CTI_UF __m128i
#define CTI_UD_FROM(x) _mm_castpd_si128(x)
#define CTI_UF_FROM(x) _mm_castps_si128(x)
#define CTI_UD_TO(u) _mm_castsi128_pd(u)
#define CTI_UF_TO(u) _mm_castsi128_ps(u)
#define CTI_UD_SET(c) _mm_set1_epi64x((long long)(c))
#define CTI_UF_SET(c) _mm_set1_epi32((int)(c))
#define CTI_UD_ADD(u, v) _mm_add_epi64(u, v)
#define CTI_UF_ADD(u, v) _mm_add_epi32(u, v)
#define CTI_UD_AND(u, v) _mm_and_si128(u, v)
#define CTI_UD_OR(u, v) _mm_or_si128(u, v)
#define CTI_UD_RIGHT(u) _mm_srli_epi64(u, 52)
#define CTI_UF_RIGHT(u) _mm_srli_epi32(u, 23)
CTI_INLINE __m128 cti_p4_short(const int16_t *p)
{
    __m128i u = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(u, u), 16));
}
#elif CTI_SIMD == CTI_SIMD_NEON
#define CTI_SIMD_NAME "NEON"
#include <arm_neon.h>
#define CTI_PD float64x2_t
#define CTI_PF float32x4_t
#define CTI_PD_DO(op, x, y) v##op##q_f64(x, y)
#define CTI_PF_DO(op, x, y) v##op##q_f32(x, y)
#define CTI_PD_MASK(m) vreinterpretq_f64_u64(m)
#define CTI_PF_MASK(m) vreinterpretq_f32_u32(m)
#define CTI_PD_LT(x, y) CTI_PD_MASK(vcltq_f64(x, y))
#define CTI_PF_LT(x, y) CTI_PF_MASK(vcltq_f32(x, y))
#define CTI_PD_LE(x, y) CTI_PD_MASK(vcleq_f64(x, y))
#define CTI_PF_LE(x, y) CTI_PF_MASK(vcleq_f32(x, y))
/* not vminq, which returns the NaN of either operand and orders zeros by sign */
#define CTI_PD_MIN(x, y) vbslq_f64(vcltq_f64(x, y), x, y)
#define CTI_PF_MIN(x, y) vbslq_f32(vcltq_f32(x, y), x, y)
#define CTI_PD_MAX(x, y) vbslq_f64(vcgtq_f64(x, y), x, y)
#define CTI_PF_MAX(x, y) vbslq_f32(vcgtq_f32(x, y), x, y)
#define CTI_PD_AND(x, y) CTI_PD_MASK(vandq_u64(CTI_UD_FROM(x), CTI_UD_FROM(y)))
#define CTI_PF_AND(x, y) CTI_PF_MASK(vandq_u32(vreinterpretq_u32_f32(x), vreinterpretq_u32_f32(y)))
#define CTI_PD_OR(x, y) CTI_PD_MASK(vorrq_u64(CTI_UD_FROM(x), CTI_UD_FROM(y)))
#define CTI_PF_OR(x, y) CTI_PF_MASK(vorrq_u32(vreinterpretq_u32_f32(x), vreinterpretq_u32_f32(y)))
#define CTI_PD_SET(s) vdupq_n_f64(s)
#define CTI_PF_SET(s) vdupq_n_f32(s)
#define CTI_PD_LOAD(p) vld1q_f64(p)
#define CTI_PF_LOAD(p) vld1q_f32(p)
#define CTI_PF_SHORT(p) vcvtq_f32_s32(vmovl_s16(vld1_s16(p)))
#define CTI_PD_STORE(p, x) vst1q_f64(p, x)
#define CTI_PF_STORE(p, x) vst1q_f32(p, x)
#define CTI_PD_SQRT(x) vsqrtq_f64(x)
#define CTI_PF_SQRT(x) vsqrtq_f32(x)
#define CTI_PD_ABS(x) vabsq_f64(x)
#define CTI_PF_ABS(x) vabsq_f32(x)
#define CTI_PD_CHOOSE(m, yes, no) vbslq_f64(vreinterpretq_u64_f64(m), yes, no)
#define CTI_PF_CHOOSE(m, yes, no) vbslq_f32(vreinterpretq_u32_f32(m), yes, no)
#define CTI_PD_BITS(m) cti_p2_bits(m)
#define CTI_PF_BITS(m) cti_p4_bits(m)
#define CTI_PF_SPREAD(x, k) vdupq_laneq_f32(x, k)
#define CTI_PD_WIDEN_LOW(x) vcvt_f64_f32(vget_low_f32(x))
#define CTI_PD_WIDEN_HIGH(x) vcvt_high_f64_f32(x)
#define CTI_PF_NARROW(x, y) vcvt_high_f32_f64(vcvt_f32_f64(x), y)
#define CTI_PD_FUSED(c, x, y) vfmaq_f64(c, x, y)
#define CTI_PF_FUSED(c, x, y) vfmaq_f32(c, x, y)
#define CTI_PD_NFUSED(c, x, y) vfmsq_f64(c, x, y)
#define CTI_PF_NFUSED(c, x, y) vfmsq_f32(c, x, y)
#define CTI_UD uint64x2_t
#define CTI_UF uint64x2_t
#define CTI_UD_FROM(x) vreinterpretq_u64_f64(x)
#define CTI_UF_FROM(x) vreinterpretq_u64_f32(x)
#define CTI_UD_TO(u) vreinterpretq_f64_u64(u)
#define CTI_UF_TO(u) vreinterpretq_f32_u64(u)
#define CTI_UF_32(u) vreinterpretq_u32_u64(u)
#define CTI_UD_SET(c) vdupq_n_u64(c)
#define CTI_UF_SET(c) vreinterpretq_u64_u32(vdupq_n_u32(c))
#define CTI_UD_ADD(u, v) vaddq_u64(u, v)
#define CTI_UF_ADD(u, v) vreinterpretq_u64_u32(vaddq_u32(CTI_UF_32(u), CTI_UF_32(v)))
#define CTI_UD_AND(u, v) vandq_u64(u, v)
#define CTI_UD_OR(u, v) vorrq_u64(u, v)
#define CTI_UD_RIGHT(u) vshrq_n_u64(u, 52)
#define CTI_UF_RIGHT(u) vreinterpretq_u64_u32(vshrq_n_u32(CTI_UF_32(u), 23))
CTI_INLINE int cti_p2_bits(CTI_PD m)
{
    uint64x2_t u = vshrq_n_u64(vreinterpretq_u64_f64(m), 63);
    return (int)(vgetq_lane_u64(u, 0) | (vgetq_lane_u64(u, 1) << 1));
}
CTI_INLINE int cti_p4_bits(CTI_PF m)
{
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return (int)vaddvq_u32(vandq_u32(vreinterpretq_u32_f32(m), vld1q_u32(bit)));
}
#elif CTI_SIMD == CTI_SIMD_NONE && !CTI_HAS_VECTORS
/* eight registers of one number. Masks are 1 or 0 */
#define CTI_SIMD_NAME "NONE"
#define CTI_PD double
#define CTI_PF float
#define CTI_PD_LT(x, y) ((double)((x) < (y)))
#define CTI_PF_LT(x, y) ((float)((x) < (y)))
#define CTI_PD_LE(x, y) ((double)((x) <= (y)))
#define CTI_PF_LE(x, y) ((float)((x) <= (y)))
#define CTI_PD_MIN(x, y) ((x) < (y) ? (x) : (y))
#define CTI_PF_MIN CTI_PD_MIN
#define CTI_PD_MAX(x, y) ((x) > (y) ? (x) : (y))
#define CTI_PF_MAX CTI_PD_MAX
#define CTI_PD_AND(x, y) ((double)((x) != 0 && (y) != 0))
#define CTI_PF_AND(x, y) ((float)((x) != 0 && (y) != 0))
#define CTI_PD_OR(x, y) ((double)((x) != 0 || (y) != 0))
#define CTI_PF_OR(x, y) ((float)((x) != 0 || (y) != 0))
#define CTI_PD_SET(s) (s)
#define CTI_PF_SET(s) (s)
#define CTI_PD_LOAD(p) (*(p))
#define CTI_PF_LOAD(p) (*(p))
#define CTI_PF_SHORT(p) ((float)*(p))
#define CTI_PD_STORE(p, x) *(p) = (x)
#define CTI_PF_STORE(p, x) *(p) = (x)
#define CTI_PD_SQRT(x) sqrt(x)
#define CTI_PF_SQRT(x) sqrtf(x)
#define CTI_PD_ABS(x) ((x) < 0 ? -(x) : ((x) == 0 ? 0 : (x)))
#define CTI_PF_ABS CTI_PD_ABS
#define CTI_PD_CHOOSE(m, yes, no) ((m) != 0 ? (yes) : (no))
#define CTI_PF_CHOOSE CTI_PD_CHOOSE
#define CTI_PD_BITS(m) ((m) != 0)
#define CTI_PF_BITS(m) ((m) != 0)
#define CTI_UD uint64_t
#define CTI_UF uint32_t
#define CTI_UD_FROM(x) cti_pd_from(x)
#define CTI_UF_FROM(x) cti_pf_from(x)
#define CTI_UD_TO(u) cti_pd_to(u)
#define CTI_UF_TO(u) cti_pf_to(u)
#define CTI_UD_SET(c) (c)
#define CTI_UF_SET(c) (c)
#define CTI_UD_ADD(u, v) ((u) + (v))
#define CTI_UF_ADD(u, v) ((u) + (v))
#define CTI_UD_AND(u, v) ((u) & (v))
#define CTI_UD_OR(u, v) ((u) | (v))
#define CTI_UD_RIGHT(u) ((u) >> 52)
#define CTI_UF_RIGHT(u) ((u) >> 23)
/* the bits of a number: what is copied, and to what */
#define CTI_PLAIN_COPY(name, from, to)                                                                                                     \
    CTI_INLINE to name(from x)                                                                                                             \
    {                                                                                                                                      \
        to y;                                                                                                                              \
        memcpy(&y, &x, sizeof y);                                                                                                          \
        return y;                                                                                                                          \
    }
CTI_PLAIN_COPY(cti_pd_from, double, uint64_t)
CTI_PLAIN_COPY(cti_pf_from, float, uint32_t)
CTI_PLAIN_COPY(cti_pd_to, uint64_t, double)
CTI_PLAIN_COPY(cti_pf_to, uint32_t, float)
#elif CTI_SIMD == CTI_SIMD_NONE
/* Vector extension of gcc and clang: C operators that act lane by lane. The compiler maps them to the target's instructions, scalar ones if
   need be. For gcc a plain struct of eight numbers takes nearly three times the compile time and runs at little more than half the
   speed. */
#define CTI_SIMD_NAME "NONE"
typedef double cti_v2 __attribute__((vector_size(16)));
typedef float cti_v4 __attribute__((vector_size(16)));
typedef uint64_t cti_vu2 __attribute__((vector_size(16)));
typedef uint32_t cti_vu4 __attribute__((vector_size(16)));
#define CTI_PD cti_v2
#define CTI_PF cti_v4
/* a comparison gives a vector of integers with all bits set where it is true */
#define CTI_PD_LT(x, y) ((cti_v2)((x) < (y)))
#define CTI_PF_LT(x, y) ((cti_v4)((x) < (y)))
#define CTI_PD_LE(x, y) ((cti_v2)((x) <= (y)))
#define CTI_PF_LE(x, y) ((cti_v4)((x) <= (y)))
#define CTI_PD_MIN(x, y) CTI_PD_CHOOSE(CTI_PD_LT(x, y), x, y)
#define CTI_PF_MIN(x, y) CTI_PF_CHOOSE(CTI_PF_LT(x, y), x, y)
#define CTI_PD_MAX(x, y) CTI_PD_CHOOSE(CTI_PD_LT(y, x), x, y)
#define CTI_PF_MAX(x, y) CTI_PF_CHOOSE(CTI_PF_LT(y, x), x, y)
#define CTI_PD_AND(x, y) ((cti_v2)((cti_vu2)(x) & (cti_vu2)(y)))
#define CTI_PF_AND(x, y) ((cti_v4)((cti_vu4)(x) & (cti_vu4)(y)))
#define CTI_PD_OR(x, y) ((cti_v2)((cti_vu2)(x) | (cti_vu2)(y)))
#define CTI_PF_OR(x, y) ((cti_v4)((cti_vu4)(x) | (cti_vu4)(y)))
#define CTI_PD_SET(s) cti_v2_set(s, s)
#define CTI_PF_SET(s) cti_v4_set(s, s, s, s)
#define CTI_PD_LOAD(p) cti_v2_load(p)
#define CTI_PF_LOAD(p) cti_v4_load(p)
#define CTI_PF_SHORT(p) cti_v4_set((float)(p)[0], (float)(p)[1], (float)(p)[2], (float)(p)[3])
#define CTI_PD_STORE(p, x) memcpy(p, &(x), 16)
#define CTI_PF_STORE(p, x) memcpy(p, &(x), 16)
#define CTI_PD_SQRT(x) cti_v2_set(sqrt((x)[0]), sqrt((x)[1]))
#define CTI_PF_SQRT(x) cti_v4_set(sqrtf((x)[0]), sqrtf((x)[1]), sqrtf((x)[2]), sqrtf((x)[3]))
#define CTI_PD_ABS(x) ((cti_v2)((cti_vu2)(x) & CTI_UD_SET(0x7fffffffffffffffull)))
#define CTI_PF_ABS(x) ((cti_v4)((cti_vu4)(x) & (cti_vu4)CTI_UF_SET(0x7fffffffu)))
#define CTI_PD_CHOOSE(m, yes, no) ((cti_v2)(((cti_vu2)(m) & (cti_vu2)(yes)) | (~(cti_vu2)(m) & (cti_vu2)(no))))
#define CTI_PF_CHOOSE(m, yes, no) ((cti_v4)(((cti_vu4)(m) & (cti_vu4)(yes)) | (~(cti_vu4)(m) & (cti_vu4)(no))))
#define CTI_PD_BITS(m) cti_v2_bits((cti_vu2)(m))
#define CTI_PF_BITS(m) cti_v4_bits((cti_vu4)(m))
#define CTI_PF_SPREAD(x, k) CTI_PF_SET((x)[k])
#define CTI_PD_WIDEN_LOW(x) cti_v2_set((double)(x)[0], (double)(x)[1])
#define CTI_PD_WIDEN_HIGH(x) cti_v2_set((double)(x)[2], (double)(x)[3])
#define CTI_PF_NARROW(x, y) cti_v4_set((float)(x)[0], (float)(x)[1], (float)(y)[0], (float)(y)[1])
#define CTI_UD cti_vu2
#define CTI_UF cti_vu2
#define CTI_UD_FROM(x) ((cti_vu2)(x))
#define CTI_UF_FROM(x) ((cti_vu2)(x))
#define CTI_UD_TO(u) ((cti_v2)(u))
#define CTI_UF_TO(u) ((cti_v4)(u))
#define CTI_UD_SET(c) cti_vu2_set(c)
#define CTI_UF_SET(c) ((cti_vu2)cti_vu4_set(c))
#define CTI_UD_ADD(u, v) ((u) + (v))
#define CTI_UF_ADD(u, v) ((cti_vu2)((cti_vu4)(u) + (cti_vu4)(v)))
#define CTI_UD_AND(u, v) ((u) & (v))
#define CTI_UD_OR(u, v) ((u) | (v))
#define CTI_UD_RIGHT(u) ((u) >> 52)
#define CTI_UF_RIGHT(u) ((cti_vu2)((cti_vu4)(u) >> 23))
CTI_INLINE cti_v2 cti_v2_set(double x, double y)
{
    cti_v2 r = {x, y};
    return r;
}
CTI_INLINE cti_v4 cti_v4_set(float x, float y, float z, float w)
{
    cti_v4 r = {x, y, z, w};
    return r;
}
CTI_INLINE cti_vu2 cti_vu2_set(uint64_t c)
{
    cti_vu2 r = {c, c};
    return r;
}
CTI_INLINE cti_vu4 cti_vu4_set(uint32_t c)
{
    cti_vu4 r = {c, c, c, c};
    return r;
}
CTI_INLINE cti_v2 cti_v2_load(const double *p)
{
    cti_v2 r;
    memcpy(&r, p, sizeof r);
    return r;
}
CTI_INLINE cti_v4 cti_v4_load(const float *p)
{
    cti_v4 r;
    memcpy(&r, p, sizeof r);
    return r;
}
CTI_INLINE int cti_v2_bits(cti_vu2 m) { return (int)((m[0] & 1) | (m[1] & 2)); }
CTI_INLINE int cti_v4_bits(cti_vu4 m) { return (int)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8)); }
#else
#define CTI_SIMD_NAME "WASM"
#include <wasm_simd128.h>
#define CTI_PD v128_t
#define CTI_PF v128_t
#define CTI_PD_DO(op, x, y) wasm_f64x2_##op(x, y)
#define CTI_PF_DO(op, x, y) wasm_f32x4_##op(x, y)
#define CTI_PD_LT(x, y) wasm_f64x2_lt(x, y)
#define CTI_PF_LT(x, y) wasm_f32x4_lt(x, y)
#define CTI_PD_LE(x, y) wasm_f64x2_le(x, y)
#define CTI_PF_LE(x, y) wasm_f32x4_le(x, y)
/* pmin(y, x) is x < y ? x : y */
#define CTI_PD_MIN(x, y) wasm_f64x2_pmin(y, x)
#define CTI_PF_MIN(x, y) wasm_f32x4_pmin(y, x)
#define CTI_PD_MAX(x, y) wasm_f64x2_pmax(y, x)
#define CTI_PF_MAX(x, y) wasm_f32x4_pmax(y, x)
#define CTI_PD_AND(x, y) wasm_v128_and(x, y)
#define CTI_PF_AND(x, y) wasm_v128_and(x, y)
#define CTI_PD_OR(x, y) wasm_v128_or(x, y)
#define CTI_PF_OR(x, y) wasm_v128_or(x, y)
#define CTI_PD_SET(s) wasm_f64x2_splat(s)
#define CTI_PF_SET(s) wasm_f32x4_splat(s)
#define CTI_PD_LOAD(p) wasm_v128_load(p)
#define CTI_PF_LOAD(p) wasm_v128_load(p)
#define CTI_PF_SHORT(p) wasm_f32x4_convert_i32x4(wasm_i32x4_load16x4(p))
#define CTI_PD_STORE(p, x) wasm_v128_store(p, x)
#define CTI_PF_STORE(p, x) wasm_v128_store(p, x)
#define CTI_PD_SQRT(x) wasm_f64x2_sqrt(x)
#define CTI_PF_SQRT(x) wasm_f32x4_sqrt(x)
#define CTI_PD_ABS(x) wasm_f64x2_abs(x)
#define CTI_PF_ABS(x) wasm_f32x4_abs(x)
#define CTI_PD_CHOOSE(m, yes, no) wasm_v128_bitselect(yes, no, m)
#define CTI_PF_CHOOSE(m, yes, no) wasm_v128_bitselect(yes, no, m)
#define CTI_PD_BITS(m) ((int)wasm_i64x2_bitmask(m))
#define CTI_PF_BITS(m) ((int)wasm_i32x4_bitmask(m))
#define CTI_PF_SPREAD(x, k) wasm_i32x4_shuffle(x, x, k, k, k, k)
#define CTI_PD_WIDEN_LOW(x) wasm_f64x2_promote_low_f32x4(x)
#define CTI_PD_WIDEN_HIGH(x) wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(x, x, 2, 3, 2, 3))
#define CTI_PF_NARROW(x, y) wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(x), wasm_f32x4_demote_f64x2_zero(y), 0, 2)
#define CTI_UD v128_t
#define CTI_UF v128_t
#define CTI_UD_FROM(x) (x)
#define CTI_UF_FROM(x) (x)
#define CTI_UD_TO(u) (u)
#define CTI_UF_TO(u) (u)
#define CTI_UD_SET(c) wasm_i64x2_splat((int64_t)(c))
#define CTI_UF_SET(c) wasm_i32x4_splat((int32_t)(c))
#define CTI_UD_ADD(u, v) wasm_i64x2_add(u, v)
#define CTI_UF_ADD(u, v) wasm_i32x4_add(u, v)
#define CTI_UD_AND(u, v) wasm_v128_and(u, v)
#define CTI_UD_OR(u, v) wasm_v128_or(u, v)
#define CTI_UD_RIGHT(u) wasm_u64x2_shr(u, 52)
#define CTI_UF_RIGHT(u) wasm_u32x4_shr(u, 23)
#endif

/* DO(register, its first lane, ins) for each register of a vector */
#define CTI_EACH_1(DO, ins) DO(a, 0, ins)
#define CTI_EACH_2(DO, ins) DO(a, 0, ins) DO(b, 4, ins)
#define CTI_EACH_4(DO, ins) DO(a, 0, ins) DO(b, 2, ins) DO(c, 4, ins) DO(d, 6, ins)
#define CTI_EACH_8(DO, ins) DO(a, 0, ins) DO(b, 1, ins) DO(c, 2, ins) DO(d, 3, ins) DO(e, 4, ins) DO(f, 5, ins) DO(g, 6, ins) DO(h, 7, ins)
#if CTI_SIMD == CTI_SIMD_AVX512 || CTI_SIMD == CTI_SIMD_AVX2
#define CTI_EACH_F CTI_EACH_1
typedef struct cti_f8 {
    CTI_PF a;
} cti_f8;
#elif CTI_SIMD == CTI_SIMD_NONE && !CTI_HAS_VECTORS
#define CTI_EACH_F CTI_EACH_8
typedef struct cti_f8 {
    float a, b, c, d, e, f, g, h;
} cti_f8;
#else
#define CTI_EACH_F CTI_EACH_2
typedef struct cti_f8 {
    CTI_PF a, b;
} cti_f8;
#endif
#if CTI_SIMD == CTI_SIMD_AVX512
#define CTI_EACH_D CTI_EACH_1
typedef struct cti_d8 {
    CTI_PD a;
} cti_d8;
#elif CTI_SIMD == CTI_SIMD_AVX2
#define CTI_EACH_D CTI_EACH_2
typedef struct cti_d8 {
    CTI_PD a, b;
} cti_d8;
#elif CTI_SIMD == CTI_SIMD_NONE && !CTI_HAS_VECTORS
#define CTI_EACH_D CTI_EACH_8
typedef struct cti_d8 {
    double a, b, c, d, e, f, g, h;
} cti_d8;
#else
#define CTI_EACH_D CTI_EACH_4
typedef struct cti_d8 {
    CTI_PD a, b, c, d;
} cti_d8;
#endif

#ifndef CTI_UF_AND /* integers of a register are of one type */
#define CTI_UF_AND CTI_UD_AND
#define CTI_UF_OR CTI_UD_OR
#endif
#if CTI_SIMD == CTI_SIMD_NONE
#define CTI_V_add +
#define CTI_V_sub -
#define CTI_V_mul *
#define CTI_V_div /
#define CTI_PD_DO(op, x, y) ((x)CTI_V_##op(y))
#define CTI_PF_DO(op, x, y) ((x)CTI_V_##op(y))
#endif
#define CTI_PD_ADD(x, y) CTI_PD_DO(add, x, y)
#define CTI_PD_SUB(x, y) CTI_PD_DO(sub, x, y)
#define CTI_PD_MUL(x, y) CTI_PD_DO(mul, x, y)
#define CTI_PD_DIV(x, y) CTI_PD_DO(div, x, y)
#define CTI_PF_ADD(x, y) CTI_PF_DO(add, x, y)
#define CTI_PF_SUB(x, y) CTI_PF_DO(sub, x, y)
#define CTI_PF_MUL(x, y) CTI_PF_DO(mul, x, y)
#define CTI_PF_DIV(x, y) CTI_PF_DO(div, x, y)
#define CTI_LANE_1(r, at, ins) x.r = ins(x.r);
#define CTI_LANE_2(r, at, ins) x.r = ins(x.r, y.r);
#define CTI_LANE_3(r, at, ins) x.r = ins(x.r, y.r, z.r);
#define CTI_LANE_SET(r, at, ins) x.r = ins(s);
#define CTI_LANE_LOAD(r, at, ins) x.r = ins(p + at);
#define CTI_LANE_STORE(r, at, ins) ins(p + at, x.r);
#define CTI_LANE_BITS(r, at, ins) bits |= ins(x.r) << at;
#define CTI_LANE_SPLIT(r, at, ins) x.r = ins(x.r, &k->r);
#define CTI_LANE_SPREAD(r, at, k) x.r = CTI_PF_SPREAD(x.r, k);
#define CTI_LANE_CAST(r, at, type) x.r = (type)y.r;
/* the function `name` of a vector V, from statements for its registers, which end in x */
#define CTI_VECTOR(V, name, arguments, each)                                                                                               \
    CTI_INLINE V V##_##name arguments                                                                                                      \
    {                                                                                                                                      \
        each return x;                                                                                                                     \
    }
#define CTI_VECTOR_ALL(V, T, P, EACH)                                                                                                      \
    CTI_VECTOR(V, add, (V x, V y), EACH(CTI_LANE_2, P##_ADD))                                                                              \
    CTI_VECTOR(V, sub, (V x, V y), EACH(CTI_LANE_2, P##_SUB))                                                                              \
    CTI_VECTOR(V, mul, (V x, V y), EACH(CTI_LANE_2, P##_MUL))                                                                              \
    CTI_VECTOR(V, div, (V x, V y), EACH(CTI_LANE_2, P##_DIV))                                                                              \
    CTI_VECTOR(V, min, (V x, V y), EACH(CTI_LANE_2, P##_MIN))                                                                              \
    CTI_VECTOR(V, max, (V x, V y), EACH(CTI_LANE_2, P##_MAX))                                                                              \
    CTI_VECTOR(V, lt, (V x, V y), EACH(CTI_LANE_2, P##_LT))                                                                                \
    CTI_VECTOR(V, le, (V x, V y), EACH(CTI_LANE_2, P##_LE))                                                                                \
    CTI_VECTOR(V, and, (V x, V y), EACH(CTI_LANE_2, P##_AND))                                                                              \
    CTI_VECTOR(V, or, (V x, V y), EACH(CTI_LANE_2, P##_OR))                                                                                \
    CTI_VECTOR(V, sqrt, (V x), EACH(CTI_LANE_1, P##_SQRT))                                                                                 \
    CTI_VECTOR(V, abs, (V x), EACH(CTI_LANE_1, P##_ABS))                                                                                   \
    CTI_VECTOR(V, select, (V x, V y, V z), EACH(CTI_LANE_3, P##_CHOOSE))                                                                   \
    CTI_VECTOR(V, set, (T s), V x; EACH(CTI_LANE_SET, P##_SET))                                                                            \
    CTI_VECTOR(V, load, (const T *p), V x; EACH(CTI_LANE_LOAD, P##_LOAD))                                                                  \
    CTI_INLINE void V##_store(T *p, V x) { EACH(CTI_LANE_STORE, P##_STORE) }                                                               \
    CTI_INLINE int V##_bits(V x)                                                                                                           \
    {                                                                                                                                      \
        int bits = 0;                                                                                                                      \
        EACH(CTI_LANE_BITS, P##_BITS)                                                                                                      \
        return bits;                                                                                                                       \
    }
CTI_VECTOR_ALL(cti_d8, double, CTI_PD, CTI_EACH_D)
CTI_VECTOR_ALL(cti_f8, float, CTI_PF, CTI_EACH_F)
/* one register of doubles alone */
typedef struct cti_dw {
    CTI_PD a;
} cti_dw;
CTI_VECTOR_ALL(cti_dw, double, CTI_PD, CTI_EACH_1)
enum { CTI_DW = sizeof(cti_dw) / sizeof(double) };
#if CTI_FUSED && defined(CTI_PD_FUSED)
CTI_VECTOR(cti_d8, mad, (cti_d8 x, cti_d8 y, cti_d8 z), CTI_EACH_D(CTI_LANE_3, CTI_PD_FUSED))
CTI_VECTOR(cti_d8, nmad, (cti_d8 x, cti_d8 y, cti_d8 z), CTI_EACH_D(CTI_LANE_3, CTI_PD_NFUSED))
CTI_VECTOR(cti_f8, mad, (cti_f8 x, cti_f8 y, cti_f8 z), CTI_EACH_F(CTI_LANE_3, CTI_PF_FUSED))
CTI_VECTOR(cti_f8, nmad, (cti_f8 x, cti_f8 y, cti_f8 z), CTI_EACH_F(CTI_LANE_3, CTI_PF_NFUSED))
#define CTI_SIMD_HAS_MAD
#endif
CTI_VECTOR(cti_f8, short, (const int16_t *p), cti_f8 x; CTI_EACH_F(CTI_LANE_LOAD, CTI_PF_SHORT))

/* exponent and mantissa of the lanes of a register */
#define CTI_REGISTER_SPLIT(P, U, name, zero, root, mantissa, whole, shift)                                                              \
    CTI_INLINE P name(P x, P *k)                                                                                                           \
    {                                                                                                                                      \
        U u = U##_ADD(U##_FROM(x), U##_SET(zero - root));                                                                                  \
        U e = U##_OR(U##_RIGHT(u), U##_SET(whole));                                                                                        \
        *k = P##_SUB(U##_TO(e), P##_SET(shift));                                                                                           \
        u = U##_ADD(U##_AND(u, U##_SET(mantissa)), U##_SET(root));                                                                         \
        return U##_TO(u);                                                                                                                  \
    }
CTI_REGISTER_SPLIT(CTI_PD, CTI_UD, cti_pd_split, 0x3ff0000000000000ull, 0x3fe6a09e667f3bcdull, 0x000fffffffffffffull,
                   0x4330000000000000ull, 4503599627370496.0 + 1023.0)
CTI_REGISTER_SPLIT(CTI_PF, CTI_UF, cti_pf_split, 0x3f800000u, 0x3f3504f3u, 0x007fffffu, 0x4b000000u, 8388608.0f + 127.0f)
CTI_VECTOR(cti_d8, split, (cti_d8 x, cti_d8 *k), CTI_EACH_D(CTI_LANE_SPLIT, cti_pd_split))
CTI_VECTOR(cti_f8, split, (cti_f8 x, cti_f8 *k), CTI_EACH_F(CTI_LANE_SPLIT, cti_pf_split))

/* ---- halves of four floats ---- */
#ifdef CTI_PF_SPREAD
CTI_VECTOR(cti_f8, spread0, (cti_f8 x), CTI_EACH_F(CTI_LANE_SPREAD, 0))
CTI_VECTOR(cti_f8, spread1, (cti_f8 x), CTI_EACH_F(CTI_LANE_SPREAD, 1))
CTI_VECTOR(cti_f8, spread2, (cti_f8 x), CTI_EACH_F(CTI_LANE_SPREAD, 2))
#else
CTI_VECTOR(cti_f8, spread0, (cti_f8 x), x.b = x.c = x.d = x.a; x.f = x.g = x.h = x.e;)
CTI_VECTOR(cti_f8, spread1, (cti_f8 x), x.a = x.c = x.d = x.b; x.e = x.g = x.h = x.f;)
CTI_VECTOR(cti_f8, spread2, (cti_f8 x), x.a = x.b = x.d = x.c; x.e = x.f = x.h = x.g;)
#endif
#if CTI_SIMD == CTI_SIMD_AVX512 || CTI_SIMD == CTI_SIMD_AVX2
#define CTI_W_LOW(x) _mm256_castps256_ps128(x)
#define CTI_W_HIGH(x) _mm256_extractf128_ps(x, 1)
#define CTI_W_PAIR(x, y) _mm256_insertf128_ps(_mm256_castps128_ps256(x), y, 1)
CTI_VECTOR(cti_f8, load44, (const float *p, const float *q), cti_f8 x; x.a = CTI_W_PAIR(_mm_loadu_ps(p), _mm_loadu_ps(q));)
CTI_VECTOR(cti_f8, fold, (cti_f8 x), x.a = _mm256_castps128_ps256(_mm_add_ps(CTI_W_LOW(x.a), CTI_W_HIGH(x.a)));)
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { _mm_storeu_ps(p, CTI_W_LOW(x.a)); }
#elif CTI_SIMD == CTI_SIMD_NONE && !CTI_HAS_VECTORS
CTI_VECTOR(cti_f8, load44, (const float *p, const float *q), cti_f8 x; x.a = p[0]; x.b = p[1]; x.c = p[2]; x.d = p[3]; x.e = q[0]; x.f = q[1];
           x.g = q[2]; x.h = q[3];)
CTI_VECTOR(cti_f8, fold, (cti_f8 x), x.a += x.e; x.b += x.f; x.c += x.g; x.d += x.h;)
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { p[0] = x.a, p[1] = x.b, p[2] = x.c, p[3] = x.d; }
#else
CTI_VECTOR(cti_f8, load44, (const float *p, const float *q), cti_f8 x; x.a = CTI_PF_LOAD(p); x.b = CTI_PF_LOAD(q);)
CTI_VECTOR(cti_f8, fold, (cti_f8 x), x.a = CTI_PF_ADD(x.a, x.b);)
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { CTI_PF_STORE(p, x.a); }
#endif
#if CTI_SIMD == CTI_SIMD_AVX512
CTI_VECTOR(cti_d8, widen, (cti_f8 y), cti_d8 x; x.a = _mm512_maskz_cvtps_pd(CTI_W_ALL, y.a);)
CTI_VECTOR(cti_f8, narrow, (cti_d8 y), cti_f8 x; x.a = _mm512_maskz_cvtpd_ps(CTI_W_ALL, y.a);)
#elif CTI_SIMD == CTI_SIMD_AVX2
CTI_VECTOR(cti_d8, widen, (cti_f8 y), cti_d8 x; x.a = _mm256_cvtps_pd(CTI_W_LOW(y.a)); x.b = _mm256_cvtps_pd(CTI_W_HIGH(y.a));)
CTI_VECTOR(cti_f8, narrow, (cti_d8 y), cti_f8 x; x.a = CTI_W_PAIR(_mm256_cvtpd_ps(y.a), _mm256_cvtpd_ps(y.b));)
#elif CTI_SIMD == CTI_SIMD_NONE && !CTI_HAS_VECTORS
CTI_VECTOR(cti_d8, widen, (cti_f8 y), cti_d8 x; CTI_EACH_D(CTI_LANE_CAST, double))
CTI_VECTOR(cti_f8, narrow, (cti_d8 y), cti_f8 x; CTI_EACH_F(CTI_LANE_CAST, float))
#else
CTI_VECTOR(cti_d8, widen, (cti_f8 y), cti_d8 x; x.a = CTI_PD_WIDEN_LOW(y.a); x.b = CTI_PD_WIDEN_HIGH(y.a); x.c = CTI_PD_WIDEN_LOW(y.b);
           x.d = CTI_PD_WIDEN_HIGH(y.b);)
CTI_VECTOR(cti_f8, narrow, (cti_d8 y), cti_f8 x; x.a = CTI_PF_NARROW(y.a, y.b); x.b = CTI_PF_NARROW(y.c, y.d);)
#endif
