/* config.h -- switches and their defaults. Each is described in the manual on top of contact.h. */
#ifndef CT_CONFIG_H_INCLUDED
#define CT_CONFIG_H_INCLUDED

/* Version of the library; ct_library_info_get gives the same numbers. */
#define CT_VERSION_MAJOR 0
#define CT_VERSION_MINOR 3
#define CT_VERSION_PATCH 0
#define CT_VERSION_STRING "0.3.0"
#define CT_VERSION (10000 * CT_VERSION_MAJOR + 100 * CT_VERSION_MINOR + CT_VERSION_PATCH) /* for #if CT_VERSION >= 200 */

#ifdef CONTACT_CONFIG_H
#include CONTACT_CONFIG_H
#endif

#ifndef CONTACT_REAL
#define CONTACT_REAL 64
#endif
#if CONTACT_REAL != 32 && CONTACT_REAL != 64
#error "contact.h: CONTACT_REAL is 64 (double, the default) or 32 (float); define it as one of these numbers"
#endif
#if defined(__cplusplus) && __cplusplus < 201103L && !defined(_MSC_VER)
#error "contact.h: C++ means C++11 or later; compile with -std=c++11"
#endif
#if defined(__TINYC__) && CONTACT_REAL == 32
#error "contact.h: tcc compiles float arithmetic wrongly; leave CONTACT_REAL at 64 with tcc, or take gcc or clang"
#endif
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "contact.h: -ffast-math, -Ofast and /fp:fast remove its error bounds and finite tests; compile this file without them"
#endif

#if defined(_M_IX86_FP) && _M_IX86_FP < 2
#error "contact.h: x87 arithmetic rounds twice, which breaks its error bounds; compile with /arch:SSE2"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "contact.h: x87 arithmetic rounds twice, which breaks its error bounds; compile with -msse2 -mfpmath=sse"
#endif

/* Values of CONTACT_SIMD. None of them is 0, since the preprocessor takes a misspelt name for 0. */
#define CT_SIMD_AUTO 7
#define CT_SIMD_NONE 1
#define CT_SIMD_SSE2 2
#define CT_SIMD_AVX2 3
#define CT_SIMD_AVX512 4
#define CT_SIMD_NEON 5
#define CT_SIMD_WASM 6
#ifndef CONTACT_SIMD
#define CONTACT_SIMD CT_SIMD_AUTO
#endif
#if CONTACT_SIMD < CT_SIMD_NONE || CONTACT_SIMD > CT_SIMD_AUTO
#error "contact.h: unknown CONTACT_SIMD; define it as CT_SIMD_AUTO, _NONE, _SSE2, _AVX2, _AVX512, _NEON or _WASM, or leave it undefined"
#endif
#ifndef CONTACT_DETERMINISTIC
#define CONTACT_DETERMINISTIC 1
#endif
#ifndef CONTACT_OPTIMIZE
#define CONTACT_OPTIMIZE 1
#endif
#if CONTACT_OPTIMIZE != 0 && CONTACT_OPTIMIZE != 1 && CONTACT_OPTIMIZE != 2
#error "contact.h: CONTACT_OPTIMIZE is 0 (the compiler's level), 1 (the default) or 2 (-O2 throughout); define it as one of these numbers"
#endif
/* The default of what a game does not need: with the preset, worlds with CMR are solved by ICA or AUTO, and there is nothing else. */
#ifdef CONTACT_PRESET_GAME
#define CT_NOT_OF_GAMES 0
#else
#define CT_NOT_OF_GAMES 1
#endif
#ifndef CONTACT_WITH_FILES
#define CONTACT_WITH_FILES CT_NOT_OF_GAMES
#endif
/* Parts that a program may not need. */
#ifndef CONTACT_WITH_RODS
#define CONTACT_WITH_RODS 1
#endif
#ifndef CONTACT_WITH_JOINTS
#define CONTACT_WITH_JOINTS 1
#endif
#ifndef CONTACT_WITH_REPAIR
#define CONTACT_WITH_REPAIR 1
#endif
#ifndef CONTACT_WITH_QUERIES
#define CONTACT_WITH_QUERIES 1
#endif
#ifndef CONTACT_WITH_MESHING
#define CONTACT_WITH_MESHING 1
#endif
#ifndef CONTACT_WITH_FORMS
#define CONTACT_WITH_FORMS CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_PRINTED
#define CONTACT_WITH_PRINTED CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_PROBLEMS
#define CONTACT_WITH_PROBLEMS CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_THREADS
#define CONTACT_THREADS 0
#endif
/* Steppers and solvers. */
#ifndef CONTACT_WITH_CMR
#define CONTACT_WITH_CMR 1
#endif
#ifndef CONTACT_WITH_DCD
#define CONTACT_WITH_DCD CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_BARRIER
#define CONTACT_WITH_BARRIER CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_LAYERS
#define CONTACT_WITH_LAYERS CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_GEOMETRIC
#define CONTACT_WITH_GEOMETRIC CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_PENALTY
#define CONTACT_WITH_PENALTY CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_EXPLICIT
#define CONTACT_WITH_EXPLICIT CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_ICA
#define CONTACT_WITH_ICA CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_CA
#define CONTACT_WITH_CA CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_PGS
#define CONTACT_WITH_PGS CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_LEMKE
#define CONTACT_WITH_LEMKE CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_BOXED
#define CONTACT_WITH_BOXED CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_ACTIVE_SET
#define CONTACT_WITH_ACTIVE_SET CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_MPRGP
#define CONTACT_WITH_MPRGP CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_INTERIOR
#define CONTACT_WITH_INTERIOR CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_NEWTON
#define CONTACT_WITH_NEWTON CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_WITH_ADMM
#define CONTACT_WITH_ADMM CT_NOT_OF_GAMES
#endif
#ifndef CONTACT_VALIDATE
#define CONTACT_VALIDATE 0
#endif
#ifndef CONTACT_SOLVER
#define CONTACT_SOLVER CT_SOLVER_AUTO
#endif

#ifndef CONTACT_API
#if defined(CONTACT_STATIC) && (defined(__GNUC__) || defined(__clang__))
#define CONTACT_API static __attribute__((unused))
#elif defined(CONTACT_STATIC)
#define CONTACT_API static
#else
#define CONTACT_API extern
#endif
#endif

#if CONTACT_REAL == 32
typedef float ct_real;
#else
typedef double ct_real;
#endif

#endif /* CT_CONFIG_H_INCLUDED */
