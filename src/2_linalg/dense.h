/* dense.h -- small dense symmetric positive definite matrices in float and double (factor, solve, inverse).
   Matrices are row-major with a leading dimension ld of at least n rounded up to 8, so that rows may be read in whole lanes. The columns n
   .. ld-1 may hold anything; those up to n rounded up to 8 may be overwritten. For large n, ld = n + 8 k with odd k avoids cache
   conflicts. */
#pragma once

#include "kernel.h"

/* cti_dense*_factor -- A = U' U in place: reads and overwrites the upper triangle and destroys the lower one. The diagonal of U is stored
   inverted. A pivot that is not above eps a_kk is replaced by |a_kk|. Returns the number of replaced pivots. */
CTI_FN int cti_dense32_factor(float *A, int n, int ld);
CTI_FN int cti_dense64_factor(double *A, int n, int ld);
/* cti_dense*_solve -- x = A^-1 x with a factor; x [n] */
CTI_FN void cti_dense32_solve(const float *A, int n, int ld, float *x);
CTI_FN void cti_dense64_solve(const double *A, int n, int ld, double *x);
/* cti_dense*_invert_spd -- A = A^-1, full and symmetric; reads the upper triangle. n^3 additions and multiplications in all, no scratch.
   Returns the number of replaced pivots. */
CTI_FN int cti_dense32_invert_spd(float *A, int n, int ld);
CTI_FN int cti_dense64_invert_spd(double *A, int n, int ld);
