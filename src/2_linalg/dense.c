/* dense.c -- dense Cholesky and inverse.
   Method: A = U' U by groups of four rows with the tiles of kernel.h. It is left-looking, so that the original diagonal entry is still
   there when its pivot is judged. The inverse is W' W with W = U'^-1, built in column strips in the lower triangle; it needs no memory
   beyond the matrix. Based on: Golub and Van Loan, Matrix Computations, 4.2 (Cholesky); LAPACK's potri for the order of the three
   stages. */
#include "dense.h"

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_DENSE_EPS 1.1920929e-7f
#include "dense.inl"
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_DENSE_EPS

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_DENSE_EPS 2.2204460492503131e-16
#include "dense.inl"
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_DENSE_EPS

