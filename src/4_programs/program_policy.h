/* program_policy.h -- the tuned numbers of the solvers of stand-alone problems. A line has a number's type, name, value and unit, and a text that
   goes on from the unit: what the number does, and a reason for its value where one is known. */
#pragma once

#include "../0_base/tuned.h"

/* clang-format off */
/* ---- block_pivot.c ---- */
#define CTI_TUNED_PIVOT(X) \
    X(int, chances, 10, "rounds", "without fewer violations, before one row changes at a time") \
    X(double, apart, 1e-12, "of the largest |z|", "rounding of a bound, in sparse problems") \
    X(double, shift, 1e-11, "of the diagonal", "least shift of a face's factor: a singular face has one; a second solve takes its error away")

/* ---- active_set.c and active_program.c ---- */
#define CTI_TUNED_ACTIVE(X) \
    X(double, dependent, 1e-14, "W_pp", "with a smaller pivot a row depends on the set: rounding") \
    X(double, nearly, 1e-10, "W_pp", "with a smaller pivot a proof is tried; rows that nothing forces in stay out") \
    X(double, flat, 1e-13, "of the largest entry of r", "rounding of an entry that is 0") \
    X(int, rows, 6000, "rows", "at most, since a column of W is dense") \
    X(double, tiny, 1e-12, "of the largest term of u", "a violation below it counts as none") \
    X(double, rounding, 1e-14, "of the terms of u", "a violation below it is rounding: 50 eps, as sums of hundreds of terms lose") \
    X(int, repairs, 6, "times", "at most the multipliers are corrected by the exact u") \
    X(double, pivot, 1e-13, "1", "smallest pivot of an equilibrated A that is definite")
/* clang-format on */

enum { CTI_ACTIVE_BATCH = 32 }; /* [columns] of W that are computed together: a capacity */

#define CTI_PROGRAM_GROUPS(G) \
    G(cti_program_tuned, pivot, CTI_TUNED_PIVOT) \
    G(cti_program_tuned, active, CTI_TUNED_ACTIVE)

typedef struct cti_program_numbers {
    CTI_PROGRAM_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_program_numbers;

#define CTI_PROGRAM_NUMBERS {CTI_PROGRAM_GROUPS(CTI_TUNED_GROUP_VALUE)}

#ifdef CTI_POLICY_MUTABLE
extern cti_program_numbers cti_program_tuned;
#else
static const cti_program_numbers cti_program_tuned = CTI_PROGRAM_NUMBERS;
#endif
