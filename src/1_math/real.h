/* real.h -- facts about ct_real: unit roundoff, largest value, square root, absolute value, finite test. */
#pragma once

#include "../0_base/platform.h"
#include <math.h>

#if CONTACT_REAL == 32
#define CTI_EPS ((ct_real)1.1920929e-7f) /* 2^-23: distance from 1 to the next number */
#define CTI_REAL_MAX ((ct_real)3.4028234e38f)
#define CTI_REAL_LEAST ((ct_real)1.1754944e-38f) /* smallest normal number */
#else
#define CTI_EPS ((ct_real)2.2204460492503131e-16)
#define CTI_REAL_MAX ((ct_real)1.7976931348623157e308)
#define CTI_REAL_LEAST ((ct_real)2.2250738585072014e-308)
#endif
#define CTI_R(x) ((ct_real)(x))

CTI_INLINE ct_real cti_sqrt(ct_real x)
{
#if CONTACT_REAL == 32
    return sqrtf(x);
#else
    return sqrt(x);
#endif
}
CTI_INLINE ct_real cti_abs(ct_real x) { return x < 0 ? -x : x; }
CTI_INLINE ct_real cti_min(ct_real a, ct_real b) { return a < b ? a : b; }
CTI_INLINE ct_real cti_max(ct_real a, ct_real b) { return a > b ? a : b; }
/* cti_fmax, cti_fmin -- as C's fmax and fmin, which ignore a NaN. For zeros of different sign the result is a; C leaves that to the
   implementation. */
CTI_INLINE double cti_fmax(double a, double b) { return a >= b || b != b ? a : b; }
CTI_INLINE double cti_fmin(double a, double b) { return a <= b || b != b ? a : b; }
CTI_INLINE ct_real cti_clamp(ct_real x, ct_real lo, ct_real hi) { return x < lo ? lo : (x > hi ? hi : x); }
CTI_INLINE int cti_finite(ct_real x)
{
#if CONTACT_REAL == 32
    return cti_finite32(x);
#else
    return cti_finite64(x);
#endif
}
