/* supernodal.c -- left-looking supernodal Cholesky and the solve with one right side.
   Method: a supernode's columns are gathered from A into a column-major scratch, every earlier supernode that reaches them subtracts its
   outer product, tile by tile, through the pieces found by the analysis; then the panel is factored by columns of four and written in
   strips. Zeros above the diagonal of a strip are stored, so that kernels may run over whole strips. based on: Ng and Peyton 1993; Chen,
   Davis, Hager, Rajamanickam 2008; Goto and van de Geijn 2008. */
#include "supernodal.h"

#define CTI_SUPER_WIDE 400 /* strips times columns from which the backward sweep reads the panel in storage order */

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_SUPER_EPS 1.1920929e-7f
#define CTI_SUPER_TINY 3.5e-15f /* eps^2 / 4 */
#include "supernodal.inl"
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_SUPER_EPS
#undef CTI_SUPER_TINY

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_SUPER_EPS 2.2204460492503131e-16
#define CTI_SUPER_TINY 1.2e-32
#include "supernodal.inl"
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_SUPER_EPS
#undef CTI_SUPER_TINY

#undef CTI_SUPER_WIDE
