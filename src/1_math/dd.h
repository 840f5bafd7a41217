/* dd.h -- double-double numbers hi + lo, |lo| <= ulp(hi)/2: about 106 bits, in both builds.
   Errors, u = 2^-53, barring underflow and overflow: cti_dd_diff exact; add, sub 4 u^2 (|a| + |b|); mul 8 u^2 |a| |b|; half exact.
   So each operation errs by at most CTI_DD_U = 8 u^2 times the sum of its operands' sizes, or times the size of their product. Fused
   operations are neither used nor needed. The file must be compiled without contraction and without value-changing optimisation. Based on:
   Dekker 1971; Knuth (two-sum); Joldes, Muller, Popescu 2017 (bounds). */
#pragma once

#include "real.h"

#define CTI_DD_U (8 * 1.2325951644078309e-32)

typedef struct cti_dd {
    double hi, lo;
} cti_dd;

/* cti_dd_diff -- a - b exactly (two-sum) */
CTI_INLINE cti_dd cti_dd_diff(double a, double b)
{
    cti_dd r;
    double t;
    r.hi = a - b;
    t = r.hi - a;
    r.lo = (a - (r.hi - t)) - (b + t);
    return r;
}
CTI_INLINE cti_dd cti_dd_sum(double a, double b) { return cti_dd_diff(a, -b); }
CTI_INLINE cti_dd cti_dd_add(cti_dd a, cti_dd b)
{
    cti_dd s = cti_dd_sum(a.hi, b.hi);
    return cti_dd_sum(s.hi, s.lo + (a.lo + b.lo));
}
CTI_INLINE cti_dd cti_dd_neg(cti_dd a)
{
    a.hi = -a.hi, a.lo = -a.lo;
    return a;
}
CTI_INLINE cti_dd cti_dd_sub(cti_dd a, cti_dd b) { return cti_dd_add(a, cti_dd_neg(b)); }
CTI_INLINE cti_dd cti_dd_mul(cti_dd a, cti_dd b)
{
    /* product of the high parts exactly, by Dekker's splitting with 2^27 + 1 */
    double p = a.hi * b.hi, c = 134217729.0 * a.hi, d = 134217729.0 * b.hi, a1 = c - (c - a.hi), b1 = d - (d - b.hi), a2 = a.hi - a1,
           b2 = b.hi - b1, e = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
    return cti_dd_sum(p, e + (a.hi * b.lo + a.lo * b.hi));
}
/* cti_dd_scale -- a times s, a power of two: exact */
CTI_INLINE cti_dd cti_dd_scale(cti_dd a, double s)
{
    a.hi *= s, a.lo *= s;
    return a;
}
