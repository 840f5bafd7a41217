/* elem.h -- elementary functions of our own, so that results do not depend on a machine's libm: log, exp, sin, cos, acos, atan2, cbrt.
   Method: argument reduction and a polynomial in double; float results are double results rounded once. Error of a double result: below
   1 unit in the last place (log, exp, sin, cos, cbrt), below 2 (acos, atan2). No table, no state, no errno. Only + - * / and sqrt are used.
 */
#pragma once

#include "real.h"
#include "simd.h"

/* cti_log64 -- natural logarithm; -inf at 0, NaN below. */
CTI_FN double cti_log64(double x);
#if CONTACT_WITH_PENALTY || CONTACT_WITH_EXPLICIT
/* cti_exp64 -- inf above 709.79, 0 below -745.2. */
CTI_FN double cti_exp64(double x);
#endif
/* cti_sincos64 -- both at once, x [rad] of any size; NaN where x is not finite. */
CTI_FN void cti_sincos64(double x, double *out_sin, double *out_cos);
CTI_FN double cti_sin64(double x);
CTI_FN double cti_cos64(double x);
/* cti_acos64 -- in [0, pi]; NaN where |x| > 1. */
CTI_FN double cti_acos64(double x);
/* cti_atan2_64 -- angle of (x, y) in (-pi, pi]; 0 at the origin; a negative zero counts as zero. x, y finite, below 1e300. */
CTI_FN double cti_atan2_64(double y, double x);
CTI_FN double cti_cbrt64(double x);

/* Eight lanes. log: lanes must be positive and normal, else the result is unspecified. atan2 as above. */
CTI_SPARE CTI_FN cti_d8 cti_d8_log(cti_d8 x);
CTI_SPARE CTI_FN cti_f8 cti_f8_log(cti_f8 x);
CTI_SPARE CTI_FN cti_d8 cti_d8_atan2(cti_d8 y, cti_d8 x);
CTI_SPARE CTI_FN cti_f8 cti_f8_atan2(cti_f8 y, cti_f8 x);

/* The same for ct_real. */
CTI_INLINE ct_real cti_log(ct_real x) { return (ct_real)cti_log64((double)x); }
CTI_INLINE ct_real cti_sin(ct_real x) { return (ct_real)cti_sin64((double)x); }
CTI_INLINE ct_real cti_cos(ct_real x) { return (ct_real)cti_cos64((double)x); }
CTI_INLINE ct_real cti_acos(ct_real x) { return (ct_real)cti_acos64((double)x); }
CTI_INLINE ct_real cti_atan2(ct_real y, ct_real x) { return (ct_real)cti_atan2_64((double)y, (double)x); }
CTI_INLINE ct_real cti_cbrt(ct_real x) { return (ct_real)cti_cbrt64((double)x); }
