/* lu.h -- LU of large general matrices in double, in blocks. */
#pragma once

#include "../0_base/arena.h"
#include "kernel.h"

/* cti_lu_factor -- P A = L U in place with partial pivoting; A [n][ld] row-major, ld >= n rounded up to 8 (the padding is overwritten),
   pivot [n]; scratch [cti_lu_scratch(n)]. 0 when A is singular or not finite. */
CTI_FN int cti_lu_factor(double *A, int n, int ld, int *pivot, double *scratch);
CTI_FN size_t cti_lu_scratch(int n);
/* cti_lu_solve -- x = A^-1 x; x [n] */
CTI_FN void cti_lu_solve(const double *A, int n, int ld, const int *pivot, double *x);
/* cti_lu_dot -- sum of a_i b_i, i < n, in eight lanes. */
CTI_FN double cti_lu_dot(const double *a, const double *b, int n);
/* cti_lu_subtract -- y -= t x, n numbers; cti_lu_swap -- exchanges a and b [n]. */
CTI_FN void cti_lu_subtract(double *y, double t, const double *x, int n);
CTI_FN void cti_lu_swap(double *a, double *b, int n);
