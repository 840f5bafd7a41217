/* explicit_program.h -- contact forces of one region: f >= 0, u = K f + b >= 0, f'u = 0, with K symmetric and semidefinite. */
#pragma once

#include "../2_linalg/kernel.h"
#include "../public/steppers.h"
#include "explicit_policy.h"

typedef enum cti_explicit_outcome {
    CTI_EXPLICIT_SOLVED,
    CTI_EXPLICIT_SQUEEZED, /* there is no solution: f holds y >= 0 with K y = 0 and b'y < 0 */
    CTI_EXPLICIT_FAILED
} cti_explicit_outcome;

/* cti_explicit_system -- is K, of which rows are computed when they are needed. Row i is 0 outside of columns lo[i] to hi[i]. Contacts in the order
   of a coordinate have a narrow profile. */
typedef struct cti_explicit_system {
    void (*row)(const void *context, int i, double *row); /* row i into zeros */
    const void *context;
    const double *diagonal; /* [n] */
    const int32_t *lo, *hi; /* [n] */
    int n;
    int iterations;         /* out: sets that were tried, or steps of the interior point method */
} cti_explicit_system;

/* cti_explicit_work -- returns the number of doubles that a problem of n forces needs as scratch. */
CTI_INLINE size_t cti_explicit_work(int n) { return (2 * (size_t)n + 11) * (size_t)cti_pad8(n); }
/* cti_explicit_program -- solves for f [n] with the right side b [n]. active [n] in: for the active set method a guess of the forces that are not
   zero; out: those that are not. *out_natural: the natural residual, the largest |min(f_i K_ii, u_i)| relative to the largest |b_i|, each in the
   scale of its own diagonal entry. */
CTI_FN cti_explicit_outcome cti_explicit_program(cti_explicit_system *K, const double *b, ct_explicit_program method, uint8_t *active, double *f,
                                                 double *work, double *out_natural);
