/* kernel.h -- the small matrix product below every dense and supernodal routine, in float and double.
   A tile is four broadcast rows times one or two strips of eight lanes. Operands are read with strides, so that strips (8 numbers per k,
   stride 8) and row-major matrices (stride ld) use the same code. Products are summed in order of k, lane by lane, without fused
   multiply-add unless CONTACT_DETERMINISTIC is 0. So every SIMD path gives the same bits.
   Based on: Goto and van de Geijn, Anatomy of high-performance matrix multiplication, 2008 (register blocking). */
#pragma once

#include "../1_math/simd.h"

/* cti_strips -- n numbers in strips of eight lanes; cti_pad8, cti_pad4 -- n rounded up. */
CTI_INLINE int cti_strips(int n) { return (n + 7) >> 3; }
CTI_INLINE int cti_pad8(int n) { return (n + 7) & ~7; }
CTI_INLINE int cti_pad4(int n) { return (n + 3) & ~3; }

/* cti_k_keep -- forces a value to stay in its register. Otherwise gcc repeats the load at every use, and loads bound the tile's speed. */
#if CTI_SIMD == CTI_SIMD_AVX512 && (defined(__GNUC__) || defined(__clang__))
#define CTI_K_KEEP32(v) __asm__("" : "+x"((v).a))
#define CTI_K_KEEP64(v) __asm__("" : "+v"((v).a))
#elif CTI_SIMD == CTI_SIMD_AVX2 && (defined(__GNUC__) || defined(__clang__))
#define CTI_K_KEEP32(v) __asm__("" : "+x"((v).a))
#define CTI_K_KEEP64(v) __asm__("" : "+x"((v).a), "+x"((v).b))
#else
#define CTI_K_KEEP32(v) ((void)0)
#define CTI_K_KEEP64(v) ((void)0)
#endif

/* cti_k_pair -- two strips: with AVX512 one register of sixteen floats; cti_k_pair_mad -- c + s v. */
#if CTI_SIMD == CTI_SIMD_AVX512
typedef __m512 cti_k_pair;
#define CTI_K_JOIN(x, y, k) _mm512_maskz_insertf32x8((__mmask16)0xffff, x, y, k)
#define CTI_K_HALF(v, k) _mm512_maskz_extractf32x8_ps(CTI_W_ALL, v, k)
CTI_INLINE cti_k_pair cti_k_pair_of(cti_f8 x, cti_f8 y) { return CTI_K_JOIN(_mm512_castps256_ps512(x.a), y.a, 1); }
CTI_INLINE void cti_k_pair_part(cti_k_pair v, cti_f8 *x, cti_f8 *y) { x->a = CTI_K_HALF(v, 0), y->a = CTI_K_HALF(v, 1); }
CTI_INLINE cti_k_pair cti_k_pair_mad(cti_k_pair c, float s, cti_k_pair v)
{
    return CTI_FUSED ? _mm512_fmadd_ps(_mm512_set1_ps(s), v, c) : _mm512_add_ps(c, _mm512_mul_ps(_mm512_set1_ps(s), v));
}
#else
typedef struct cti_k_pair {
    cti_f8 a, b;
} cti_k_pair;
CTI_INLINE cti_k_pair cti_k_pair_of(cti_f8 x, cti_f8 y)
{
    cti_k_pair v;
    CTI_K_KEEP32(x);
    CTI_K_KEEP32(y);
    v.a = x, v.b = y;
    return v;
}
CTI_INLINE void cti_k_pair_part(cti_k_pair v, cti_f8 *x, cti_f8 *y) { *x = v.a, *y = v.b; }
CTI_INLINE cti_k_pair cti_k_pair_mad(cti_k_pair c, float s, cti_k_pair v)
{
    cti_f8 t = cti_f8_set(s);
    CTI_K_KEEP32(t);
    c.a = cti_f8_mad(c.a, t, v.a), c.b = cti_f8_mad(c.b, t, v.b);
    return c;
}
#endif

/* how kernels of each type are compiled: those of floats, which take half as many registers, are longer by a call than by a copy */
#define CTI_K32_FN CTI_INLINE
#define CTI_K64_FN CTI_LANES_FN

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_T_IS_FLOAT 1
#define CTI_K_KEEP CTI_K_KEEP32
#include "kernel.inl"
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_T_IS_FLOAT
#undef CTI_K_KEEP

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_T_IS_FLOAT 0
#define CTI_K_KEEP CTI_K_KEEP64
#include "kernel.inl"
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_T_IS_FLOAT
#undef CTI_K_KEEP

#undef CTI_K_KEEP32
#undef CTI_K_KEEP64
