/* platform.h -- compiler facts: linkage of internal functions, inlining, restrict, finite tests on bits.
   Method: every internal function is declared with CTI_FN. The modular build leaves it empty (external linkage, so that tests can
   call it); contact.h defines it as `static`. No mathematics here. */
#pragma once

#include "../public/api.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* CTI_CONSTANT_FN -- in front of the definition of an internal function that returns a constant: contact.h's compiler sees through it. */
#ifndef CTI_FN
#define CTI_FN
#define CTI_CONSTANT_FN
#else
#define CTI_CONSTANT_FN CTI_INLINE
#endif

/* CONTACT_API_DEF -- in front of the definition of a public function. */
#ifndef CONTACT_API_DEF
#ifdef CONTACT_STATIC
#define CONTACT_API_DEF static
#else
#define CONTACT_API_DEF
#endif
#endif

#if defined(__GNUC__) || defined(__clang__)
/* Without optimization, forced inlining of every small function would make 7 MB of code and take three times the compile time, for no
   gain. */
#if defined(__OPTIMIZE__) || defined(CTI_OPTIMIZED)
#define CTI_INLINE static inline __attribute__((always_inline, unused))
#else
#define CTI_INLINE static inline __attribute__((unused))
#endif
#define CTI_NOINLINE __attribute__((noinline))
#define CTI_SPARE __attribute__((unused)) /* one of a set of functions of which a build may not use all */
#define CTI_RESTRICT __restrict__
#define CTI_ALIGNED(n) __attribute__((aligned(n)))
#define CTI_LIKELY(x) __builtin_expect(!!(x), 1)
#define CTI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#elif defined(_MSC_VER)
#include <intrin.h>
#define CTI_INLINE static __forceinline
#define CTI_NOINLINE __declspec(noinline)
#define CTI_SPARE
#define CTI_RESTRICT __restrict
#define CTI_ALIGNED(n) __declspec(align(n))
#define CTI_LIKELY(x) (x)
#define CTI_UNLIKELY(x) (x)
#else
#define CTI_INLINE static inline
#define CTI_NOINLINE
#define CTI_SPARE
#define CTI_RESTRICT
#define CTI_ALIGNED(n)
#define CTI_LIKELY(x) (x)
#define CTI_UNLIKELY(x) (x)
#endif

/* CTI_ASSERT -- internal invariant. Nothing by default: the library neither prints nor aborts. Users and tests may define it. */
#ifndef CONTACT_ASSERT
#define CTI_ASSERT(x) ((void)0)
#else
#define CTI_ASSERT(x) CONTACT_ASSERT(x)
#endif

/* CTI_CALL -- a function of a header that is called, not inlined: it is longer than a call by far, and stands in many places. */
#define CTI_CALL CTI_SPARE CTI_NOINLINE static

#define CTI_UNUSED(x) ((void)(x))

/* CTI_IF -- `text` where the switch is 1, nothing where it is 0: for the lines of lists such as CT_STEPPER_LIST. */
#define CTI_IF(built, text) CTI_IF_VALUE(built, text)
#define CTI_IF_VALUE(built, text) CTI_IF_##built(text)
#define CTI_IF_0(text)
#define CTI_IF_1(text) text

/* cti_finite -- 1 when x is neither infinite nor NaN. Reads the exponent bits, so that no compiler flag can remove the test. */
CTI_INLINE int cti_finite64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return (u & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}
CTI_INLINE int cti_finite32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (u & 0x7f800000u) != 0x7f800000u;
}

CTI_INLINE int cti_max_int(int a, int b) { return a > b ? a : b; }
CTI_INLINE int cti_min_int(int a, int b) { return a < b ? a : b; }

/* cti_lowest_bit -- number of the lowest set bit; x is not 0. */
CTI_INLINE int cti_lowest_bit(unsigned x)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctz(x);
#elif defined(_MSC_VER)
    unsigned long n;
    _BitScanForward(&n, x);
    return (int)n;
#else
    int n = 0;
    while (!(x & 1u))
        x >>= 1, n++;
    return n;
#endif
}

CTI_INLINE int cti_lowest_bit64(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(x);
#else
    unsigned low = (unsigned)(x & 0xffffffffu);
    return low ? cti_lowest_bit(low) : 32 + cti_lowest_bit((unsigned)(x >> 32));
#endif
}
