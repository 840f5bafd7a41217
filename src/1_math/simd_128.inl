/* simd_128.inl -- lanes made of 128-bit registers, four of two doubles and two of four floats: SSE2, NEON (AArch64), WebAssembly's simd128,
   and NONE with a compiler's vector extension. Each path names its instructions for one register (CTI_P2 of doubles, CTI_P4 of floats); the
   code below them is the same for all. Included by simd.h. */

#if CTI_SIMD == CTI_SIMD_SSE2
#define CTI_SIMD_NAME "SSE2"
#include <emmintrin.h>
#define CTI_P2 __m128d
#define CTI_P4 __m128
#define CTI_P2_DO(op, x, y) _mm_##op##_pd(x, y)
#define CTI_P4_DO(op, x, y) _mm_##op##_ps(x, y)
#define CTI_P2_LT(x, y) _mm_cmplt_pd(x, y)
#define CTI_P4_LT(x, y) _mm_cmplt_ps(x, y)
#define CTI_P2_LE(x, y) _mm_cmple_pd(x, y)
#define CTI_P4_LE(x, y) _mm_cmple_ps(x, y)
#define CTI_P2_MIN(x, y) _mm_min_pd(x, y)
#define CTI_P4_MIN(x, y) _mm_min_ps(x, y)
#define CTI_P2_MAX(x, y) _mm_max_pd(x, y)
#define CTI_P4_MAX(x, y) _mm_max_ps(x, y)
#define CTI_P2_AND(x, y) _mm_and_pd(x, y)
#define CTI_P4_AND(x, y) _mm_and_ps(x, y)
#define CTI_P2_OR(x, y) _mm_or_pd(x, y)
#define CTI_P4_OR(x, y) _mm_or_ps(x, y)
#define CTI_P2_SET(s) _mm_set1_pd(s)
#define CTI_P4_SET(s) _mm_set1_ps(s)
#define CTI_P2_LOAD(p) _mm_loadu_pd(p)
#define CTI_P4_LOAD(p) _mm_loadu_ps(p)
#define CTI_P4_SHORT(p) cti_p4_short(p)
#define CTI_P2_STORE(p, x) _mm_storeu_pd(p, x)
#define CTI_P4_STORE(p, x) _mm_storeu_ps(p, x)
#define CTI_P2_SQRT(x) _mm_sqrt_pd(x)
#define CTI_P4_SQRT(x) _mm_sqrt_ps(x)
#define CTI_P2_ABS(x) _mm_andnot_pd(_mm_set1_pd(-0.0), x)
#define CTI_P4_ABS(x) _mm_andnot_ps(_mm_set1_ps(-0.0f), x)
#define CTI_P2_CHOOSE(m, yes, no) _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no))
#define CTI_P4_CHOOSE(m, yes, no) _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no))
#define CTI_P2_BITS(m) _mm_movemask_pd(m)
#define CTI_P4_BITS(m) _mm_movemask_ps(m)
#define CTI_P4_SPREAD(x, k) _mm_shuffle_ps(x, x, 0x55 * k)
#define CTI_P2_WIDEN_LOW(x) _mm_cvtps_pd(x)
#define CTI_P2_WIDEN_HIGH(x) _mm_cvtps_pd(_mm_movehl_ps(x, x))
#define CTI_P4_NARROW(x, y) _mm_movelh_ps(_mm_cvtpd_ps(x), _mm_cvtpd_ps(y))
/* integers in a register's lanes */
#define CTI_PI __m128i
#define CTI_PI_FROM2(x) _mm_castpd_si128(x)
#define CTI_PI_FROM4(x) _mm_castps_si128(x)
#define CTI_PI_TO2(u) _mm_castsi128_pd(u)
#define CTI_PI_TO4(u) _mm_castsi128_ps(u)
#define CTI_PI_SET2(c) _mm_set1_epi64x((long long)(c))
#define CTI_PI_SET4(c) _mm_set1_epi32((int)(c))
#define CTI_PI_ADD2(u, v) _mm_add_epi64(u, v)
#define CTI_PI_ADD4(u, v) _mm_add_epi32(u, v)
#define CTI_PI_AND(u, v) _mm_and_si128(u, v)
#define CTI_PI_OR(u, v) _mm_or_si128(u, v)
#define CTI_PI_RIGHT2(u) _mm_srli_epi64(u, 52)
#define CTI_PI_RIGHT4(u) _mm_srli_epi32(u, 23)
CTI_INLINE __m128 cti_p4_short(const int16_t *p)
{
    __m128i u = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(u, u), 16));
}
#elif CTI_SIMD == CTI_SIMD_NEON
#define CTI_SIMD_NAME "NEON"
#include <arm_neon.h>
#define CTI_P2 float64x2_t
#define CTI_P4 float32x4_t
#define CTI_P2_DO(op, x, y) v##op##q_f64(x, y)
#define CTI_P4_DO(op, x, y) v##op##q_f32(x, y)
#define CTI_P2_MASK(m) vreinterpretq_f64_u64(m)
#define CTI_P4_MASK(m) vreinterpretq_f32_u32(m)
#define CTI_P2_LT(x, y) CTI_P2_MASK(vcltq_f64(x, y))
#define CTI_P4_LT(x, y) CTI_P4_MASK(vcltq_f32(x, y))
#define CTI_P2_LE(x, y) CTI_P2_MASK(vcleq_f64(x, y))
#define CTI_P4_LE(x, y) CTI_P4_MASK(vcleq_f32(x, y))
/* not vminq, which returns the NaN of either operand and orders zeros by sign */
#define CTI_P2_MIN(x, y) vbslq_f64(vcltq_f64(x, y), x, y)
#define CTI_P4_MIN(x, y) vbslq_f32(vcltq_f32(x, y), x, y)
#define CTI_P2_MAX(x, y) vbslq_f64(vcgtq_f64(x, y), x, y)
#define CTI_P4_MAX(x, y) vbslq_f32(vcgtq_f32(x, y), x, y)
#define CTI_P2_AND(x, y) CTI_P2_MASK(vandq_u64(CTI_PI_FROM2(x), CTI_PI_FROM2(y)))
#define CTI_P4_AND(x, y) CTI_P4_MASK(vandq_u32(vreinterpretq_u32_f32(x), vreinterpretq_u32_f32(y)))
#define CTI_P2_OR(x, y) CTI_P2_MASK(vorrq_u64(CTI_PI_FROM2(x), CTI_PI_FROM2(y)))
#define CTI_P4_OR(x, y) CTI_P4_MASK(vorrq_u32(vreinterpretq_u32_f32(x), vreinterpretq_u32_f32(y)))
#define CTI_P2_SET(s) vdupq_n_f64(s)
#define CTI_P4_SET(s) vdupq_n_f32(s)
#define CTI_P2_LOAD(p) vld1q_f64(p)
#define CTI_P4_LOAD(p) vld1q_f32(p)
#define CTI_P4_SHORT(p) vcvtq_f32_s32(vmovl_s16(vld1_s16(p)))
#define CTI_P2_STORE(p, x) vst1q_f64(p, x)
#define CTI_P4_STORE(p, x) vst1q_f32(p, x)
#define CTI_P2_SQRT(x) vsqrtq_f64(x)
#define CTI_P4_SQRT(x) vsqrtq_f32(x)
#define CTI_P2_ABS(x) vabsq_f64(x)
#define CTI_P4_ABS(x) vabsq_f32(x)
#define CTI_P2_CHOOSE(m, yes, no) vbslq_f64(vreinterpretq_u64_f64(m), yes, no)
#define CTI_P4_CHOOSE(m, yes, no) vbslq_f32(vreinterpretq_u32_f32(m), yes, no)
#define CTI_P2_BITS(m) cti_p2_bits(m)
#define CTI_P4_BITS(m) cti_p4_bits(m)
#define CTI_P4_SPREAD(x, k) vdupq_laneq_f32(x, k)
#define CTI_P2_WIDEN_LOW(x) vcvt_f64_f32(vget_low_f32(x))
#define CTI_P2_WIDEN_HIGH(x) vcvt_high_f64_f32(x)
#define CTI_P4_NARROW(x, y) vcvt_high_f32_f64(vcvt_f32_f64(x), y)
#define CTI_P2_FUSED(c, x, y) vfmaq_f64(c, x, y)
#define CTI_P4_FUSED(c, x, y) vfmaq_f32(c, x, y)
#define CTI_P2_NFUSED(c, x, y) vfmsq_f64(c, x, y)
#define CTI_P4_NFUSED(c, x, y) vfmsq_f32(c, x, y)
#define CTI_PI uint64x2_t
#define CTI_PI_FROM2(x) vreinterpretq_u64_f64(x)
#define CTI_PI_FROM4(x) vreinterpretq_u64_f32(x)
#define CTI_PI_TO2(u) vreinterpretq_f64_u64(u)
#define CTI_PI_TO4(u) vreinterpretq_f32_u64(u)
#define CTI_PI_32(u) vreinterpretq_u32_u64(u)
#define CTI_PI_SET2(c) vdupq_n_u64(c)
#define CTI_PI_SET4(c) vreinterpretq_u64_u32(vdupq_n_u32(c))
#define CTI_PI_ADD2(u, v) vaddq_u64(u, v)
#define CTI_PI_ADD4(u, v) vreinterpretq_u64_u32(vaddq_u32(CTI_PI_32(u), CTI_PI_32(v)))
#define CTI_PI_AND(u, v) vandq_u64(u, v)
#define CTI_PI_OR(u, v) vorrq_u64(u, v)
#define CTI_PI_RIGHT2(u) vshrq_n_u64(u, 52)
#define CTI_PI_RIGHT4(u) vreinterpretq_u64_u32(vshrq_n_u32(CTI_PI_32(u), 23))
CTI_INLINE int cti_p2_bits(CTI_P2 m)
{
    uint64x2_t u = vshrq_n_u64(vreinterpretq_u64_f64(m), 63);
    return (int)(vgetq_lane_u64(u, 0) | (vgetq_lane_u64(u, 1) << 1));
}
CTI_INLINE int cti_p4_bits(CTI_P4 m)
{
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return (int)vaddvq_u32(vandq_u32(vreinterpretq_u32_f32(m), vld1q_u32(bit)));
}
#elif CTI_SIMD == CTI_SIMD_NONE
/* Vector extension of gcc and clang: C operators that act lane by lane. The compiler maps them to the target's instructions, scalar ones if
   need be. For gcc a plain struct of eight numbers takes nearly three times the compile time and runs at little more than half the
   speed. */
#define CTI_SIMD_NAME "NONE"
typedef double cti_v2 __attribute__((vector_size(16)));
typedef float cti_v4 __attribute__((vector_size(16)));
typedef uint64_t cti_vu2 __attribute__((vector_size(16)));
typedef uint32_t cti_vu4 __attribute__((vector_size(16)));
#define CTI_P2 cti_v2
#define CTI_P4 cti_v4
#define CTI_V_add +
#define CTI_V_sub -
#define CTI_V_mul *
#define CTI_V_div /
#define CTI_P2_DO(op, x, y) ((x)CTI_V_##op(y))
#define CTI_P4_DO(op, x, y) ((x)CTI_V_##op(y))
/* a comparison gives a vector of integers with all bits set where it is true */
#define CTI_P2_LT(x, y) ((cti_v2)((x) < (y)))
#define CTI_P4_LT(x, y) ((cti_v4)((x) < (y)))
#define CTI_P2_LE(x, y) ((cti_v2)((x) <= (y)))
#define CTI_P4_LE(x, y) ((cti_v4)((x) <= (y)))
#define CTI_P2_MIN(x, y) CTI_P2_CHOOSE(CTI_P2_LT(x, y), x, y)
#define CTI_P4_MIN(x, y) CTI_P4_CHOOSE(CTI_P4_LT(x, y), x, y)
#define CTI_P2_MAX(x, y) CTI_P2_CHOOSE(CTI_P2_LT(y, x), x, y)
#define CTI_P4_MAX(x, y) CTI_P4_CHOOSE(CTI_P4_LT(y, x), x, y)
#define CTI_P2_AND(x, y) ((cti_v2)((cti_vu2)(x) & (cti_vu2)(y)))
#define CTI_P4_AND(x, y) ((cti_v4)((cti_vu4)(x) & (cti_vu4)(y)))
#define CTI_P2_OR(x, y) ((cti_v2)((cti_vu2)(x) | (cti_vu2)(y)))
#define CTI_P4_OR(x, y) ((cti_v4)((cti_vu4)(x) | (cti_vu4)(y)))
#define CTI_P2_SET(s) cti_v2_set(s, s)
#define CTI_P4_SET(s) cti_v4_set(s, s, s, s)
#define CTI_P2_LOAD(p) cti_v2_load(p)
#define CTI_P4_LOAD(p) cti_v4_load(p)
#define CTI_P4_SHORT(p) cti_v4_set((float)(p)[0], (float)(p)[1], (float)(p)[2], (float)(p)[3])
#define CTI_P2_STORE(p, x) memcpy(p, &(x), 16)
#define CTI_P4_STORE(p, x) memcpy(p, &(x), 16)
#define CTI_P2_SQRT(x) cti_v2_set(sqrt((x)[0]), sqrt((x)[1]))
#define CTI_P4_SQRT(x) cti_v4_set(sqrtf((x)[0]), sqrtf((x)[1]), sqrtf((x)[2]), sqrtf((x)[3]))
#define CTI_P2_ABS(x) ((cti_v2)((cti_vu2)(x) & CTI_PI_SET2(0x7fffffffffffffffull)))
#define CTI_P4_ABS(x) ((cti_v4)((cti_vu4)(x) & (cti_vu4)CTI_PI_SET4(0x7fffffffu)))
#define CTI_P2_CHOOSE(m, yes, no) ((cti_v2)(((cti_vu2)(m) & (cti_vu2)(yes)) | (~(cti_vu2)(m) & (cti_vu2)(no))))
#define CTI_P4_CHOOSE(m, yes, no) ((cti_v4)(((cti_vu4)(m) & (cti_vu4)(yes)) | (~(cti_vu4)(m) & (cti_vu4)(no))))
#define CTI_P2_BITS(m) cti_v2_bits((cti_vu2)(m))
#define CTI_P4_BITS(m) cti_v4_bits((cti_vu4)(m))
#define CTI_P4_SPREAD(x, k) CTI_P4_SET((x)[k])
#define CTI_P2_WIDEN_LOW(x) cti_v2_set((double)(x)[0], (double)(x)[1])
#define CTI_P2_WIDEN_HIGH(x) cti_v2_set((double)(x)[2], (double)(x)[3])
#define CTI_P4_NARROW(x, y) cti_v4_set((float)(x)[0], (float)(x)[1], (float)(y)[0], (float)(y)[1])
#define CTI_PI cti_vu2
#define CTI_PI_FROM2(x) ((cti_vu2)(x))
#define CTI_PI_FROM4(x) ((cti_vu2)(x))
#define CTI_PI_TO2(u) ((cti_v2)(u))
#define CTI_PI_TO4(u) ((cti_v4)(u))
#define CTI_PI_SET2(c) cti_vu2_set(c)
#define CTI_PI_SET4(c) ((cti_vu2)cti_vu4_set(c))
#define CTI_PI_ADD2(u, v) ((u) + (v))
#define CTI_PI_ADD4(u, v) ((cti_vu2)((cti_vu4)(u) + (cti_vu4)(v)))
#define CTI_PI_AND(u, v) ((u) & (v))
#define CTI_PI_OR(u, v) ((u) | (v))
#define CTI_PI_RIGHT2(u) ((u) >> 52)
#define CTI_PI_RIGHT4(u) ((cti_vu2)((cti_vu4)(u) >> 23))
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
#define CTI_P2 v128_t
#define CTI_P4 v128_t
#define CTI_P2_DO(op, x, y) wasm_f64x2_##op(x, y)
#define CTI_P4_DO(op, x, y) wasm_f32x4_##op(x, y)
#define CTI_P2_LT(x, y) wasm_f64x2_lt(x, y)
#define CTI_P4_LT(x, y) wasm_f32x4_lt(x, y)
#define CTI_P2_LE(x, y) wasm_f64x2_le(x, y)
#define CTI_P4_LE(x, y) wasm_f32x4_le(x, y)
/* pmin(y, x) is x < y ? x : y */
#define CTI_P2_MIN(x, y) wasm_f64x2_pmin(y, x)
#define CTI_P4_MIN(x, y) wasm_f32x4_pmin(y, x)
#define CTI_P2_MAX(x, y) wasm_f64x2_pmax(y, x)
#define CTI_P4_MAX(x, y) wasm_f32x4_pmax(y, x)
#define CTI_P2_AND(x, y) wasm_v128_and(x, y)
#define CTI_P4_AND(x, y) wasm_v128_and(x, y)
#define CTI_P2_OR(x, y) wasm_v128_or(x, y)
#define CTI_P4_OR(x, y) wasm_v128_or(x, y)
#define CTI_P2_SET(s) wasm_f64x2_splat(s)
#define CTI_P4_SET(s) wasm_f32x4_splat(s)
#define CTI_P2_LOAD(p) wasm_v128_load(p)
#define CTI_P4_LOAD(p) wasm_v128_load(p)
#define CTI_P4_SHORT(p) wasm_f32x4_convert_i32x4(wasm_i32x4_load16x4(p))
#define CTI_P2_STORE(p, x) wasm_v128_store(p, x)
#define CTI_P4_STORE(p, x) wasm_v128_store(p, x)
#define CTI_P2_SQRT(x) wasm_f64x2_sqrt(x)
#define CTI_P4_SQRT(x) wasm_f32x4_sqrt(x)
#define CTI_P2_ABS(x) wasm_f64x2_abs(x)
#define CTI_P4_ABS(x) wasm_f32x4_abs(x)
#define CTI_P2_CHOOSE(m, yes, no) wasm_v128_bitselect(yes, no, m)
#define CTI_P4_CHOOSE(m, yes, no) wasm_v128_bitselect(yes, no, m)
#define CTI_P2_BITS(m) ((int)wasm_i64x2_bitmask(m))
#define CTI_P4_BITS(m) ((int)wasm_i32x4_bitmask(m))
#define CTI_P4_SPREAD(x, k) wasm_i32x4_shuffle(x, x, k, k, k, k)
#define CTI_P2_WIDEN_LOW(x) wasm_f64x2_promote_low_f32x4(x)
#define CTI_P2_WIDEN_HIGH(x) wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(x, x, 2, 3, 2, 3))
#define CTI_P4_NARROW(x, y) wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(x), wasm_f32x4_demote_f64x2_zero(y), 0, 2)
#define CTI_PI v128_t
#define CTI_PI_FROM2(x) (x)
#define CTI_PI_FROM4(x) (x)
#define CTI_PI_TO2(u) (u)
#define CTI_PI_TO4(u) (u)
#define CTI_PI_SET2(c) wasm_i64x2_splat((int64_t)(c))
#define CTI_PI_SET4(c) wasm_i32x4_splat((int32_t)(c))
#define CTI_PI_ADD2(u, v) wasm_i64x2_add(u, v)
#define CTI_PI_ADD4(u, v) wasm_i32x4_add(u, v)
#define CTI_PI_AND(u, v) wasm_v128_and(u, v)
#define CTI_PI_OR(u, v) wasm_v128_or(u, v)
#define CTI_PI_RIGHT2(u) wasm_u64x2_shr(u, 52)
#define CTI_PI_RIGHT4(u) wasm_u32x4_shr(u, 23)
#endif

typedef struct cti_d8 {
    CTI_P2 a, b, c, d;
} cti_d8;
typedef struct cti_f8 {
    CTI_P4 a, b;
} cti_f8;

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
#define CTI_ARITHMETIC(name)                                                                                                               \
    CTI_INLINE cti_d8 cti_d8_##name(cti_d8 x, cti_d8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = CTI_P2_DO(name, x.a, y.a), x.b = CTI_P2_DO(name, x.b, y.b);                                                                  \
        x.c = CTI_P2_DO(name, x.c, y.c), x.d = CTI_P2_DO(name, x.d, y.d);                                                                  \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE cti_f8 cti_f8_##name(cti_f8 x, cti_f8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = CTI_P4_DO(name, x.a, y.a), x.b = CTI_P4_DO(name, x.b, y.b);                                                                  \
        return x;                                                                                                                          \
    }
CTI_ARITHMETIC(add)
CTI_ARITHMETIC(sub)
CTI_ARITHMETIC(mul)
CTI_ARITHMETIC(div)
CTI_D8_OP2(min, CTI_P2_MIN)
CTI_D8_OP2(max, CTI_P2_MAX)
CTI_D8_OP2(lt, CTI_P2_LT)
CTI_D8_OP2(le, CTI_P2_LE)
CTI_D8_OP2(and, CTI_P2_AND)
CTI_D8_OP2(or, CTI_P2_OR)
CTI_F8_OP2(min, CTI_P4_MIN)
CTI_F8_OP2(max, CTI_P4_MAX)
CTI_F8_OP2(lt, CTI_P4_LT)
CTI_F8_OP2(le, CTI_P4_LE)
CTI_F8_OP2(and, CTI_P4_AND)
CTI_F8_OP2(or, CTI_P4_OR)

CTI_INLINE cti_d8 cti_d8_set(double v)
{
    cti_d8 r;
    r.a = r.b = r.c = r.d = CTI_P2_SET(v);
    return r;
}
CTI_INLINE cti_f8 cti_f8_set(float v)
{
    cti_f8 r;
    r.a = r.b = CTI_P4_SET(v);
    return r;
}
CTI_INLINE cti_d8 cti_d8_load(const double *p)
{
    cti_d8 r;
    r.a = CTI_P2_LOAD(p), r.b = CTI_P2_LOAD(p + 2), r.c = CTI_P2_LOAD(p + 4), r.d = CTI_P2_LOAD(p + 6);
    return r;
}
CTI_INLINE cti_f8 cti_f8_load(const float *p)
{
    cti_f8 r;
    r.a = CTI_P4_LOAD(p), r.b = CTI_P4_LOAD(p + 4);
    return r;
}
CTI_INLINE cti_f8 cti_f8_short(const int16_t *p)
{
    cti_f8 r;
    r.a = CTI_P4_SHORT(p), r.b = CTI_P4_SHORT(p + 4);
    return r;
}
CTI_INLINE void cti_d8_store(double *p, cti_d8 x)
{
    CTI_P2_STORE(p, x.a), CTI_P2_STORE(p + 2, x.b), CTI_P2_STORE(p + 4, x.c), CTI_P2_STORE(p + 6, x.d);
}
CTI_INLINE void cti_f8_store(float *p, cti_f8 x) { CTI_P4_STORE(p, x.a), CTI_P4_STORE(p + 4, x.b); }
CTI_INLINE cti_d8 cti_d8_sqrt(cti_d8 x)
{
    x.a = CTI_P2_SQRT(x.a), x.b = CTI_P2_SQRT(x.b), x.c = CTI_P2_SQRT(x.c), x.d = CTI_P2_SQRT(x.d);
    return x;
}
CTI_INLINE cti_f8 cti_f8_sqrt(cti_f8 x)
{
    x.a = CTI_P4_SQRT(x.a), x.b = CTI_P4_SQRT(x.b);
    return x;
}
CTI_INLINE cti_d8 cti_d8_abs(cti_d8 x)
{
    x.a = CTI_P2_ABS(x.a), x.b = CTI_P2_ABS(x.b), x.c = CTI_P2_ABS(x.c), x.d = CTI_P2_ABS(x.d);
    return x;
}
CTI_INLINE cti_f8 cti_f8_abs(cti_f8 x)
{
    x.a = CTI_P4_ABS(x.a), x.b = CTI_P4_ABS(x.b);
    return x;
}
CTI_INLINE cti_d8 cti_d8_select(cti_d8 m, cti_d8 yes, cti_d8 no)
{
    m.a = CTI_P2_CHOOSE(m.a, yes.a, no.a), m.b = CTI_P2_CHOOSE(m.b, yes.b, no.b);
    m.c = CTI_P2_CHOOSE(m.c, yes.c, no.c), m.d = CTI_P2_CHOOSE(m.d, yes.d, no.d);
    return m;
}
CTI_INLINE cti_f8 cti_f8_select(cti_f8 m, cti_f8 yes, cti_f8 no)
{
    m.a = CTI_P4_CHOOSE(m.a, yes.a, no.a), m.b = CTI_P4_CHOOSE(m.b, yes.b, no.b);
    return m;
}
CTI_INLINE int cti_d8_bits(cti_d8 m)
{
    return CTI_P2_BITS(m.a) | (CTI_P2_BITS(m.b) << 2) | (CTI_P2_BITS(m.c) << 4) | (CTI_P2_BITS(m.d) << 6);
}
CTI_INLINE int cti_f8_bits(cti_f8 m) { return CTI_P4_BITS(m.a) | (CTI_P4_BITS(m.b) << 4); }
#if CTI_FUSED && defined(CTI_P2_FUSED)
CTI_INLINE cti_d8 cti_d8_mad(cti_d8 c, cti_d8 x, cti_d8 y)
{
    c.a = CTI_P2_FUSED(c.a, x.a, y.a), c.b = CTI_P2_FUSED(c.b, x.b, y.b);
    c.c = CTI_P2_FUSED(c.c, x.c, y.c), c.d = CTI_P2_FUSED(c.d, x.d, y.d);
    return c;
}
CTI_INLINE cti_d8 cti_d8_nmad(cti_d8 c, cti_d8 x, cti_d8 y)
{
    c.a = CTI_P2_NFUSED(c.a, x.a, y.a), c.b = CTI_P2_NFUSED(c.b, x.b, y.b);
    c.c = CTI_P2_NFUSED(c.c, x.c, y.c), c.d = CTI_P2_NFUSED(c.d, x.d, y.d);
    return c;
}
CTI_INLINE cti_f8 cti_f8_mad(cti_f8 c, cti_f8 x, cti_f8 y)
{
    c.a = CTI_P4_FUSED(c.a, x.a, y.a), c.b = CTI_P4_FUSED(c.b, x.b, y.b);
    return c;
}
CTI_INLINE cti_f8 cti_f8_nmad(cti_f8 c, cti_f8 x, cti_f8 y)
{
    c.a = CTI_P4_NFUSED(c.a, x.a, y.a), c.b = CTI_P4_NFUSED(c.b, x.b, y.b);
    return c;
}
#define CTI_SIMD_HAS_MAD
#endif

CTI_INLINE cti_f8 cti_f8_load44(const float *p, const float *q)
{
    cti_f8 r;
    r.a = CTI_P4_LOAD(p), r.b = CTI_P4_LOAD(q);
    return r;
}
#define CTI_F8_SPREAD(k)                                                                                                                   \
    CTI_INLINE cti_f8 cti_f8_spread##k(cti_f8 x)                                                                                           \
    {                                                                                                                                      \
        x.a = CTI_P4_SPREAD(x.a, k), x.b = CTI_P4_SPREAD(x.b, k);                                                                          \
        return x;                                                                                                                          \
    }
CTI_F8_SPREAD(0)
CTI_F8_SPREAD(1)
CTI_F8_SPREAD(2)
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    x.a = CTI_P4_DO(add, x.a, x.b);
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { CTI_P4_STORE(p, x.a); }

CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    r.a = CTI_P2_WIDEN_LOW(x.a), r.b = CTI_P2_WIDEN_HIGH(x.a), r.c = CTI_P2_WIDEN_LOW(x.b), r.d = CTI_P2_WIDEN_HIGH(x.b);
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    r.a = CTI_P4_NARROW(x.a, x.b), r.b = CTI_P4_NARROW(x.c, x.d);
    return r;
}

CTI_INLINE CTI_P2 cti_p2_split(CTI_P2 x, CTI_P2 *k)
{
    CTI_PI u = CTI_PI_ADD2(CTI_PI_FROM2(x), CTI_PI_SET2(0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull));
    CTI_PI e = CTI_PI_OR(CTI_PI_RIGHT2(u), CTI_PI_SET2(0x4330000000000000ull));
    *k = CTI_P2_DO(sub, CTI_PI_TO2(e), CTI_P2_SET(4503599627370496.0 + 1023.0));
    u = CTI_PI_ADD2(CTI_PI_AND(u, CTI_PI_SET2(0x000fffffffffffffull)), CTI_PI_SET2(0x3fe6a09e667f3bcdull));
    return CTI_PI_TO2(u);
}
CTI_INLINE CTI_P4 cti_p4_split(CTI_P4 x, CTI_P4 *k)
{
    CTI_PI u = CTI_PI_ADD4(CTI_PI_FROM4(x), CTI_PI_SET4(0x3f800000u - 0x3f3504f3u));
    CTI_PI e = CTI_PI_OR(CTI_PI_RIGHT4(u), CTI_PI_SET4(0x4b000000u));
    *k = CTI_P4_DO(sub, CTI_PI_TO4(e), CTI_P4_SET(8388608.0f + 127.0f));
    u = CTI_PI_ADD4(CTI_PI_AND(u, CTI_PI_SET4(0x007fffffu)), CTI_PI_SET4(0x3f3504f3u));
    return CTI_PI_TO4(u);
}
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    x.a = cti_p2_split(x.a, &k->a), x.b = cti_p2_split(x.b, &k->b), x.c = cti_p2_split(x.c, &k->c), x.d = cti_p2_split(x.d, &k->d);
    return x;
}
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    x.a = cti_p4_split(x.a, &k->a), x.b = cti_p4_split(x.b, &k->b);
    return x;
}
