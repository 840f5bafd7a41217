/* supernodal_many.c -- solves with many right sides, and compliance.
   Method: right sides are strips of eight columns, so that every row operation is on whole lanes. Compliance: the ports are taken in
   elimination order. The ports below a supernode in the tree are then consecutive, and its rows of Y = L^-1 S are stored for those alone. C
   = Y' Y is summed supernode by supernode into strips right of the diagonal. Based on: Chen, Davis, Hager, Rajamanickam 2008 (CHOLMOD);
   Amestoy et al. 2012 (entries of the inverse by sparse right sides). */
#include "supernodal.h"

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_MANY_TINY 3.5e-15f /* eps^2 / 4, as in supernodal.c */
#include "supernodal_many.inl"

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_MANY_TINY 0.0
#include "supernodal_many.inl"
