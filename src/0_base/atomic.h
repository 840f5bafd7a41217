/* atomic.h -- 32-bit words that threads share. A load (acquire) sees everything that was written before the store (release) whose value it
   reads. CTI_ATOMICS is 1 where the compiler has them. pool.c has its own 64-bit operations. */
#pragma once

#include "platform.h"

#if defined(__GCC_ATOMIC_INT_LOCK_FREE) && __GCC_ATOMIC_INT_LOCK_FREE == 2
#define CTI_ATOMICS 1
CTI_INLINE uint32_t cti_atomic_load(const uint32_t *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
CTI_INLINE void cti_atomic_store(uint32_t *p, uint32_t x) { __atomic_store_n(p, x, __ATOMIC_RELEASE); }
/* compare and exchange: *p becomes `to` if it is `from`; returns 1 if it did */
CTI_INLINE int cti_atomic_swap(uint32_t *p, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#elif defined(_MSC_VER)
#include <intrin.h>
#define CTI_ATOMICS 1
CTI_INLINE uint32_t cti_atomic_load(const uint32_t *p)
{
#if defined(_M_X64) || defined(_M_IX86)
    uint32_t x = *(const volatile uint32_t *)p;
    _ReadWriteBarrier();
    return x;
#else
    return (uint32_t)_InterlockedCompareExchange((volatile long *)p, 0, 0);
#endif
}
CTI_INLINE void cti_atomic_store(uint32_t *p, uint32_t x) { _InterlockedExchange((volatile long *)p, (long)x); }
CTI_INLINE int cti_atomic_swap(uint32_t *p, uint32_t from, uint32_t to)
{
    return (uint32_t)_InterlockedCompareExchange((volatile long *)p, (long)to, (long)from) == from;
}
#else /* no atomic operations: one thread only */
#define CTI_ATOMICS 0
CTI_INLINE uint32_t cti_atomic_load(const uint32_t *p) { return *p; }
CTI_INLINE void cti_atomic_store(uint32_t *p, uint32_t x) { *p = x; }
CTI_INLINE int cti_atomic_swap(uint32_t *p, uint32_t from, uint32_t to)
{
    if (*p != from)
        return 0;
    *p = to;
    return 1;
}
#endif

/* cti_atomic_pause -- the processor's hint inside a spin loop */
CTI_INLINE void cti_atomic_pause(void)
{
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
    _mm_pause();
#elif defined(_MSC_VER) && defined(_M_ARM64)
    __yield();
#elif CTI_ATOMICS && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif CTI_ATOMICS && defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}
