/* lanes.h -- short names for arithmetic on eight lanes of ct_real, and 3-vectors and 3x3 matrices of lanes (arrays of cti_r8, row-major).
   Everything is lane-wise: lane i of a result depends on lane i of the arguments only. Matrix products are unrolled by hand, so that they
   stay in registers at -O2. */
#pragma once

#include "simd.h"

CTI_INLINE cti_r8 cti_set8(ct_real a) { return CTI_R8(set)(a); }
CTI_INLINE cti_r8 cti_load8(const ct_real *p) { return CTI_R8(load)(p); }
CTI_INLINE void cti_store8(ct_real *p, cti_r8 a) { CTI_R8(store)(p, a); }
CTI_INLINE cti_r8 cti_add8(cti_r8 a, cti_r8 b) { return CTI_R8(add)(a, b); }
CTI_INLINE cti_r8 cti_sub8(cti_r8 a, cti_r8 b) { return CTI_R8(sub)(a, b); }
CTI_INLINE cti_r8 cti_mul8(cti_r8 a, cti_r8 b) { return CTI_R8(mul)(a, b); }
CTI_INLINE cti_r8 cti_div8(cti_r8 a, cti_r8 b) { return CTI_R8(div)(a, b); }
CTI_INLINE cti_r8 cti_max8(cti_r8 a, cti_r8 b) { return CTI_R8(max)(a, b); }
CTI_INLINE cti_r8 cti_min8(cti_r8 a, cti_r8 b) { return CTI_R8(min)(a, b); }
CTI_INLINE cti_r8 cti_abs8(cti_r8 a) { return CTI_R8(abs)(a); }
CTI_INLINE cti_r8 cti_sqrt8(cti_r8 a) { return CTI_R8(sqrt)(a); }
CTI_INLINE cti_r8 cti_lt8(cti_r8 a, cti_r8 b) { return CTI_R8(lt)(a, b); }
CTI_INLINE cti_r8 cti_select8(cti_r8 mask, cti_r8 yes, cti_r8 no) { return CTI_R8(select)(mask, yes, no); }
CTI_INLINE int cti_bits8(cti_r8 mask) { return CTI_R8(bits)(mask); }
/* c + a b, c - a b, s a, -a. The first two always round twice (cti_*8_mad may round once): the collision tests' error bounds need that */
CTI_INLINE cti_r8 cti_mad8(cti_r8 c, cti_r8 a, cti_r8 b) { return cti_add8(c, cti_mul8(a, b)); }
CTI_INLINE cti_r8 cti_nmad8(cti_r8 c, cti_r8 a, cti_r8 b) { return cti_sub8(c, cti_mul8(a, b)); }
CTI_INLINE cti_r8 cti_scale8(ct_real s, cti_r8 a) { return cti_mul8(cti_set8(s), a); }
CTI_INLINE cti_r8 cti_neg8(cti_r8 a) { return cti_sub8(cti_set8(0), a); }
/* a0 b0 + a1 b1 + a2 b2 from left to right */
CTI_INLINE cti_r8 cti_sum3_8(cti_r8 a0, cti_r8 b0, cti_r8 a1, cti_r8 b1, cti_r8 a2, cti_r8 b2)
{
    return cti_mad8(cti_mad8(cti_mul8(a0, b0), a1, b1), a2, b2);
}
CTI_INLINE cti_r8 cti_dot8(const cti_r8 *a, const cti_r8 *b) { return cti_sum3_8(a[0], b[0], a[1], b[1], a[2], b[2]); }
CTI_LANES_FN void cti_cross8(const cti_r8 *a, const cti_r8 *b, cti_r8 *r)
{
    cti_r8 x = cti_nmad8(cti_mul8(a[1], b[2]), a[2], b[1]), y = cti_nmad8(cti_mul8(a[2], b[0]), a[0], b[2]);
    r[2] = cti_nmad8(cti_mul8(a[0], b[1]), a[1], b[0]);
    r[0] = x, r[1] = y;
}
CTI_LANES_FN void cti_sub3_8(const cti_r8 *a, const cti_r8 *b, cti_r8 *r)
{
    r[0] = cti_sub8(a[0], b[0]), r[1] = cti_sub8(a[1], b[1]), r[2] = cti_sub8(a[2], b[2]);
}
CTI_LANES_FN void cti_scale3_8(cti_r8 s, const cti_r8 *a, cti_r8 *r)
{
    r[0] = cti_mul8(s, a[0]), r[1] = cti_mul8(s, a[1]), r[2] = cti_mul8(s, a[2]);
}
/* r = A x and r = A' x; r may not overlap x */
CTI_LANES_FN void cti_matvec8(const cti_r8 *A, const cti_r8 *x, cti_r8 *r)
{
    r[0] = cti_sum3_8(A[0], x[0], A[1], x[1], A[2], x[2]);
    r[1] = cti_sum3_8(A[3], x[0], A[4], x[1], A[5], x[2]);
    r[2] = cti_sum3_8(A[6], x[0], A[7], x[1], A[8], x[2]);
}
CTI_LANES_FN void cti_matvec_t8(const cti_r8 *A, const cti_r8 *x, cti_r8 *r)
{
    r[0] = cti_sum3_8(A[0], x[0], A[3], x[1], A[6], x[2]);
    r[1] = cti_sum3_8(A[1], x[0], A[4], x[1], A[7], x[2]);
    r[2] = cti_sum3_8(A[2], x[0], A[5], x[1], A[8], x[2]);
}
/* R = A B and R = A B'; R may not overlap A or B */
#define CTI_LANES_ROW(i)                                                                                                                   \
    R[3 * (i)] = cti_sum3_8(A[3 * (i)], B[0], A[3 * (i) + 1], B[3], A[3 * (i) + 2], B[6]);                                                 \
    R[3 * (i) + 1] = cti_sum3_8(A[3 * (i)], B[1], A[3 * (i) + 1], B[4], A[3 * (i) + 2], B[7]);                                             \
    R[3 * (i) + 2] = cti_sum3_8(A[3 * (i)], B[2], A[3 * (i) + 1], B[5], A[3 * (i) + 2], B[8])
CTI_LANES_FN void cti_matmul8(const cti_r8 *A, const cti_r8 *B, cti_r8 *R)
{
    CTI_LANES_ROW(0);
    CTI_LANES_ROW(1);
    CTI_LANES_ROW(2);
}
#undef CTI_LANES_ROW
CTI_LANES_FN void cti_matmul_t8(const cti_r8 *A, const cti_r8 *B, cti_r8 *R)
{
    R[0] = cti_dot8(A, B), R[1] = cti_dot8(A, B + 3), R[2] = cti_dot8(A, B + 6);
    R[3] = cti_dot8(A + 3, B), R[4] = cti_dot8(A + 3, B + 3), R[5] = cti_dot8(A + 3, B + 6);
    R[6] = cti_dot8(A + 6, B), R[7] = cti_dot8(A + 6, B + 3), R[8] = cti_dot8(A + 6, B + 6);
}
/* C = the cofactors of A (rows are cross products of A's rows); returns det A */
CTI_LANES_FN cti_r8 cti_cofactor8(const cti_r8 *A, cti_r8 *C)
{
    cti_cross8(A + 3, A + 6, C);
    cti_cross8(A + 6, A, C + 3);
    cti_cross8(A, A + 3, C + 6);
    return cti_dot8(A, C);
}
