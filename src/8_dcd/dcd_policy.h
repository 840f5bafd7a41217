/* dcd_policy.h -- the tuned numbers of the stepper with discrete detection, in the manner of barrier_policy.h. */
#pragma once

#include "../0_base/tuned.h"
#include "../1_math/real.h"

/* clang-format off */
/* ---- dcd.c, dcd_solve.c ---- */
#define CTI_TUNED_DCD(X) \
    X(ct_real, free_motion, 10, "tolerances", "of the free motion, which is used for detection only") \
    X(ct_real, stick, CTI_R(0.01), "of CMR's tangential compliance", \
      "since slip is not remembered: with 1 a box on a slope of tan .5 creeps by 2e-5 m/s, with 0 solves of nine contacts of a small cube end " \
      "above the tolerance") \
    X(int, iterations, 5000, "iterations", "of MPRGP, if the description has no limit")

/* ---- dcd_detect.c, dcd_thin.c ---- */
#define CTI_TUNED_DISCRETE(X) \
    X(ct_real, self_radius, 2, "longest edges at rest", "a vertex does not meet its own body within this distance at rest") \
    X(ct_real, fold, CTI_R(0.25), "of the distance at rest", \
      "depth of a vertex in its own body, above which it is in a compressed part, not in a fold") \
    X(ct_real, thinnest, CTI_R(0.25), "mean edges of the body", "smallest thickness used, since thickness goes to 0 at tips") \
    X(ct_real, beside, CTI_R(-0.05), "1", "smallest barycentric weight at which the path still counts as through the triangle")

/* ---- dcd_pivot.c ---- */
#define CTI_TUNED_PIVOTS(X) \
    X(double, least, 0.5, "of the longest part of the row", "smallest part at the pivot") \
    X(int, chain, 3, "rows", "longest chain of rows that depend on each other")
/* clang-format on */

#define CTI_DCD_GROUPS(G) \
    G(cti_dcd_tuned, dcd, CTI_TUNED_DCD) \
    G(cti_dcd_tuned, discrete, CTI_TUNED_DISCRETE) \
    G(cti_dcd_tuned, pivots, CTI_TUNED_PIVOTS)

typedef struct cti_dcd_numbers {
    CTI_DCD_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_dcd_numbers;
CTI_TUNED_CONST cti_dcd_numbers cti_dcd_tuned = {CTI_DCD_GROUPS(CTI_TUNED_GROUP_VALUE)};
