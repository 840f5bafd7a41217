/* fpenv.h -- the processor's floating-point mode, which each thread has: rounding to nearest, gradual underflow, exceptions that only raise
   flags. Method: every function that computes enters this mode and restores the caller's when it leaves. Results then do not depend on the
   mode of the caller, of the world's own threads or of a task system. The error bounds of the collision tests rely on gradual underflow.
   The mode is in MXCSR on x86 and in FPCR on 64-bit ARM; WebAssembly has this mode only. Where the compiler cannot write the register
   (tcc), the caller's mode stays. */
#pragma once

#include "platform.h"

#if (defined(__GNUC__) || defined(__clang__)) && defined(__SSE__) && !defined(__TINYC__)
#define CTI_FPENV 1
#define CTI_FPENV_FLAGS 0x3fu    /* bits of the exception flags */
#define CTI_FPENV_USUAL 0x1f80u
CTI_INLINE uint64_t cti_fpenv_get(void)
{
    uint32_t word;
    __asm__ __volatile__("stmxcsr %0" : "=m"(word) : : "memory");
    return word;
}
CTI_INLINE void cti_fpenv_put(uint64_t x)
{
    uint32_t word = (uint32_t)x;
    __asm__ __volatile__("ldmxcsr %0" : : "m"(word) : "memory");
}
#elif (defined(__GNUC__) || defined(__clang__)) && defined(__aarch64__) && !defined(__TINYC__)
#define CTI_FPENV 1
#define CTI_FPENV_FLAGS 0u /* the flags are in another register (FPSR) */
#define CTI_FPENV_USUAL 0u
CTI_INLINE uint64_t cti_fpenv_get(void)
{
    uint64_t word;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(word) : : "memory");
    return word;
}
CTI_INLINE void cti_fpenv_put(uint64_t word) { __asm__ __volatile__("msr fpcr, %0" : : "r"(word) : "memory"); }
#elif defined(_MSC_VER) && !defined(__clang__) && (defined(_M_X64) || defined(_M_IX86))
#include <xmmintrin.h>
#define CTI_FPENV 1
#define CTI_FPENV_FLAGS 0x3fu
#define CTI_FPENV_USUAL 0x1f80u
CTI_INLINE uint64_t cti_fpenv_get(void) { return _mm_getcsr(); }
CTI_INLINE void cti_fpenv_put(uint64_t word) { _mm_setcsr((unsigned)word); }
#else
#define CTI_FPENV 0
#define CTI_FPENV_FLAGS 0u
#define CTI_FPENV_USUAL 0u
CTI_INLINE uint64_t cti_fpenv_get(void) { return 0; }
CTI_INLINE void cti_fpenv_put(uint64_t word) { CTI_UNUSED(word); }
#endif

/* cti_fpenv_enter -- sets the mode; returns the former one. cti_fpenv_leave -- restores it; exception flags raised in between stay. */
CTI_INLINE uint64_t cti_fpenv_enter(void)
{
    uint64_t before = cti_fpenv_get();
    if (CTI_UNLIKELY((before & ~(uint64_t)CTI_FPENV_FLAGS) != CTI_FPENV_USUAL))
        cti_fpenv_put(CTI_FPENV_USUAL | (before & CTI_FPENV_FLAGS));
    return before;
}
CTI_INLINE void cti_fpenv_leave(uint64_t before)
{
    if (CTI_UNLIKELY((before & ~(uint64_t)CTI_FPENV_FLAGS) != CTI_FPENV_USUAL))
        cti_fpenv_put((before & ~(uint64_t)CTI_FPENV_FLAGS) | (cti_fpenv_get() & CTI_FPENV_FLAGS));
}

/* CTI_FPENV_RETURN -- returns the ct_code of a call that is made in the mode. */
#define CTI_FPENV_RETURN(call)                                                                                                             \
    {                                                                                                                                      \
        uint64_t mode = cti_fpenv_enter();                                                                                                 \
        ct_code code = call;                                                                                                               \
        cti_fpenv_leave(mode);                                                                                                             \
        return code;                                                                                                                       \
    }
