/* simd.h -- the one place where SIMD is decided: eight virtual lanes of double (cti_d8) and of float (cti_f8) on every path.
   Method: AVX512 has one 512-bit register of double, AVX2 two of 256 bits, and both one of float. SSE2, NEON and WASM take four 128-bit
   registers of double and two of float. NONE takes four and two vectors of gcc's or clang's own; with other compilers, and where
   CTI_SIMD_PLAIN is defined (for tests), eight plain numbers. Every operation is lane-wise and correctly rounded, and sums over lanes have one
   fixed order ((0+4)+(2+6))+((1+5)+(3+7)). Nothing is fused unless CONTACT_DETERMINISTIC is 0 (cti_*8_mad). So all paths give the same
   bits. CTI_SIMD_NAME is the path that was compiled in. There is no dispatch at run time.
   cti_dw is one register alone, of CTI_DW doubles: 8, 4, 2 or 1. Where a formula keeps more than registers hold, and need not wait for divisions,
   it is nearly twice as fast as eight lanes on SSE2; elements, with their chains of divisions, are not.
   The interface, for V = cti_d8 of double and cti_f8 of float (CTI_R8: of ct_real), and but for split, sum, mad and nmad for cti_dw:
   set, load, store     one number in all lanes; eight numbers, at any address
   add, sub, mul, div, sqrt, abs
   min, max             x < y ? x : y and x > y ? x : y: y where either is NaN or both are zeros
   lt, le, and, or      masks: 0 where a lane is false or has a NaN. The bits of a true lane differ by path: use masks only with and, or,
                        select, bits
   select, bits         mask ? yes : no; an int whose bit i is set where lane i of the mask is true
   mad, nmad            c + x y and c - x y. They round twice, or once with CONTACT_DETERMINISTIC 0 on a processor that can. For linear
                        algebra only, not where a proof counts on two roundings
   split                x = 2^k m with m in [sqrt(1/2), sqrt 2), for positive normal lanes; exact
   sum                  over lanes in the fixed order
   of cti_f8 alone:
   short                eight 16-bit integers, at any even address
   of cti_f8 alone, seen as two halves of four lanes:
   load44, store4       p[0..3] and q[0..3]; lanes 0 to 3
   spread0, 1, 2        lane k of each half, copied to all four lanes of that half
   fold                 lane i + lane i + 4 in lanes i < 4; the other lanes are unspecified
   cti_d8_widen is exact, cti_f8_narrow rounds to nearest. */
#pragma once

#include "real.h"

#define CTI_SIMD_NONE 1
#define CTI_SIMD_SSE2 2
#define CTI_SIMD_AVX2 3
#define CTI_SIMD_AVX512 4
#define CTI_SIMD_NEON 5
#define CTI_SIMD_WASM 6
/* the paths that this compiler can emit with its flags */
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define CTI_HAS_AVX512 1
#else
#define CTI_HAS_AVX512 0
#endif
#if defined(__AVX2__)
#define CTI_HAS_AVX2 1
#else
#define CTI_HAS_AVX2 0
#endif
#if defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#define CTI_HAS_SSE2 1
#else
#define CTI_HAS_SSE2 0
#endif
#if (defined(__aarch64__) && defined(__ARM_NEON)) || defined(_M_ARM64)
#define CTI_HAS_NEON 1
#else
#define CTI_HAS_NEON 0
#endif
#if defined(__wasm_simd128__)
#define CTI_HAS_WASM 1
#else
#define CTI_HAS_WASM 0
#endif
/* the compiler's vector extension */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__) && !defined(__INTEL_COMPILER) && !defined(CTI_SIMD_PLAIN)
#define CTI_HAS_VECTORS 1
#else
#define CTI_HAS_VECTORS 0
#endif

#if CONTACT_SIMD == CT_SIMD_AUTO
#if CTI_HAS_AVX512
#define CTI_SIMD CTI_SIMD_AVX512
#elif CTI_HAS_AVX2
#define CTI_SIMD CTI_SIMD_AVX2
#elif CTI_HAS_SSE2
#define CTI_SIMD CTI_SIMD_SSE2
#elif CTI_HAS_NEON
#define CTI_SIMD CTI_SIMD_NEON
#elif CTI_HAS_WASM
#define CTI_SIMD CTI_SIMD_WASM
#else
#define CTI_SIMD CTI_SIMD_NONE
#endif
#elif CONTACT_SIMD == CT_SIMD_NONE
#define CTI_SIMD CTI_SIMD_NONE
#elif CONTACT_SIMD == CT_SIMD_SSE2
#if !CTI_HAS_SSE2
#error "contact.h: CONTACT_SIMD is CT_SIMD_SSE2: compile for x86 with -msse2, or leave CONTACT_SIMD away"
#endif
#define CTI_SIMD CTI_SIMD_SSE2
#elif CONTACT_SIMD == CT_SIMD_AVX2
#if !CTI_HAS_AVX2
#error "contact.h: CONTACT_SIMD is CT_SIMD_AVX2: compile for x86 with -mavx2 or -march=native, or leave CONTACT_SIMD away"
#endif
#define CTI_SIMD CTI_SIMD_AVX2
#elif CONTACT_SIMD == CT_SIMD_AVX512
#if !CTI_HAS_AVX512
#error "contact.h: CONTACT_SIMD is CT_SIMD_AVX512: compile for x86 with -mavx512f -mavx512dq, or leave CONTACT_SIMD away"
#endif
#define CTI_SIMD CTI_SIMD_AVX512
#elif CONTACT_SIMD == CT_SIMD_NEON
#if !CTI_HAS_NEON
#error "contact.h: CONTACT_SIMD is CT_SIMD_NEON: compile for 64-bit ARM, or leave CONTACT_SIMD away"
#endif
#define CTI_SIMD CTI_SIMD_NEON
#elif CONTACT_SIMD == CT_SIMD_WASM
#if !CTI_HAS_WASM
#error "contact.h: CONTACT_SIMD is CT_SIMD_WASM: compile for WebAssembly with -msimd128, or leave CONTACT_SIMD away"
#endif
#define CTI_SIMD CTI_SIMD_WASM
#else
#error "contact.h: CONTACT_SIMD is CT_SIMD_AUTO, NONE, SSE2, AVX2, AVX512, NEON or WASM"
#endif

/* CTI_FUSED -- 1 where cti_*8_mad rounds once */
#if !CONTACT_DETERMINISTIC && (defined(__FMA__) || (CTI_SIMD == CTI_SIMD_NEON))
#define CTI_FUSED 1
#else
#define CTI_FUSED 0
#endif

#include "simd_registers.inl"

#ifndef CTI_SIMD_HAS_MAD
CTI_INLINE cti_d8 cti_d8_mad(cti_d8 c, cti_d8 x, cti_d8 y) { return cti_d8_add(c, cti_d8_mul(x, y)); }
CTI_INLINE cti_d8 cti_d8_nmad(cti_d8 c, cti_d8 x, cti_d8 y) { return cti_d8_sub(c, cti_d8_mul(x, y)); }
CTI_INLINE cti_f8 cti_f8_mad(cti_f8 c, cti_f8 x, cti_f8 y) { return cti_f8_add(c, cti_f8_mul(x, y)); }
CTI_INLINE cti_f8 cti_f8_nmad(cti_f8 c, cti_f8 x, cti_f8 y) { return cti_f8_sub(c, cti_f8_mul(x, y)); }
#endif

/* CTI_LANES_FN -- a function of many operations on lanes. Where eight numbers take several registers, arrays of them are in memory anyway: a call
   costs no time there, and a copy of the function in every place would be 80 KB of code in a game. */
#if CTI_SIMD == CTI_SIMD_AVX2 || CTI_SIMD == CTI_SIMD_AVX512
#define CTI_LANES_FN CTI_INLINE
#else
#define CTI_LANES_FN CTI_CALL
#endif

/* The lane type of ct_real: cti_r8, and cti_rw of as few registers as there are, with CTI_RW_N numbers. */
#if CONTACT_REAL == 32
typedef cti_f8 cti_r8;
#define CTI_R8(op) cti_f8_##op
typedef cti_f8 cti_rw;
#define CTI_RW(op) cti_f8_##op
#define CTI_RW_N 8
CTI_INLINE cti_f8 cti_r8_narrow(cti_r8 x) { return x; }
CTI_INLINE cti_r8 cti_r8_widen(cti_f8 x) { return x; }
#else
typedef cti_d8 cti_r8;
#define CTI_R8(op) cti_d8_##op
typedef cti_dw cti_rw;
#define CTI_RW(op) cti_dw_##op
#define CTI_RW_N CTI_DW
CTI_INLINE cti_f8 cti_r8_narrow(cti_r8 x) { return cti_f8_narrow(x); }
CTI_INLINE cti_r8 cti_r8_widen(cti_f8 x) { return cti_d8_widen(x); }
#endif

/* cti_*8_sum -- the sum over lanes in the fixed order. */
#define CTI_VECTOR_SUM(V, T)                                                                                                               \
    CTI_INLINE T V##_sum(V x)                                                                                                              \
    {                                                                                                                                      \
        T t[8];                                                                                                                            \
        V##_store(t, x);                                                                                                                   \
        return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));                                                          \
    }
CTI_VECTOR_SUM(cti_d8, double)
CTI_VECTOR_SUM(cti_f8, float)

/* the dot product and the cross product of 3-vectors of lanes; r may not overlap a or b */
#define CTI_VECTOR_3(V)                                                                                                                    \
    CTI_INLINE V V##_dot3(const V *a, const V *b)                                                                                          \
    {                                                                                                                                      \
        return V##_add(V##_add(V##_mul(a[0], b[0]), V##_mul(a[1], b[1])), V##_mul(a[2], b[2]));                                            \
    }                                                                                                                                      \
    CTI_INLINE void V##_cross3(const V *a, const V *b, V *r)                                                                               \
    {                                                                                                                                      \
        r[0] = V##_sub(V##_mul(a[1], b[2]), V##_mul(a[2], b[1])), r[1] = V##_sub(V##_mul(a[2], b[0]), V##_mul(a[0], b[2]));                \
        r[2] = V##_sub(V##_mul(a[0], b[1]), V##_mul(a[1], b[0]));                                                                          \
    }
CTI_VECTOR_3(cti_f8)
CTI_VECTOR_3(cti_dw)

/* by way of memory */
#define CTI_TURN44(V, T)                                                                                                                   \
    CTI_INLINE void V##_turn44(V r[4])                                                                                                     \
    {                                                                                                                                      \
        T from[4][8], to[4][8];                                                                                                            \
        int i, k;                                                                                                                          \
        for (i = 0; i < 4; i++)                                                                                                            \
            V##_store(from[i], r[i]);                                                                                                      \
        for (i = 0; i < 4; i++)                                                                                                            \
            for (k = 0; k < 4; k++)                                                                                                        \
                to[k][i] = from[i][k], to[k][4 + i] = from[i][4 + k];                                                                      \
        for (i = 0; i < 4; i++)                                                                                                            \
            r[i] = V##_load(to[i]);                                                                                                        \
    }
/* cti_f8_turn44 -- transposes the 4x4 matrices in lanes 0-3 and in lanes 4-7 of four rows r: entry k of row i becomes entry i of row k. */
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
CTI_TURN44(cti_f8, float)
#endif
