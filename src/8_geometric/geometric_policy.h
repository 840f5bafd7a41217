/* geometric_policy.h -- the tuned numbers of the geometric stepper, as in 8_step/policy_numbers.h. docs/policy.md has what was tried. */
#pragma once

#include "../0_base/tuned.h"
#include "../1_math/real.h"

/* clang-format off */
#define CTI_TUNED_GEOMETRIC_FIND(X) \
    X(ct_real, margin, CTI_R(1.25), "thicknesses", "pairs below are collisions also when they do not move") \
    X(ct_real, slack, CTI_R(0.25), "thicknesses", "that a vertex may leave its predicted box by before candidates are found anew") \
    X(ct_real, shallow, CTI_R(0.06), "sine", "from this angle on two faces are the sides of a valley") \
    X(ct_real, ahead, CTI_R(1.5), "substeps", "of motion in which collisions are looked for: eq. 19 acts from there on") \
    X(ct_real, kept, CTI_R(0.05), "1", "share of its distance, or its thickness, that a pair keeps in a motion") \
    X(ct_real, cut, CTI_R(0.8), "1", "share of the way to a crossing that a cut leaves") \
    X(ct_real, oblique, CTI_R(0.2), "sine", "by which the direction between two features may leave those in which they are each other's nearest") \
    X(ct_real, cone, CTI_R(0.75), "cosine", "least of a spared region's cone") \
    X(ct_real, ratio, CTI_R(0.65), "1", \
      "share of their distance at rest that contours keep, at least .625 as for the cone (docs/policy.md); up to .95 sheets do not depend on it") \
    X(ct_real, narrow, CTI_R(0.98), "cosine", "above which the cone of a leaf is not made narrower") \
    X(int, repeats, 2, "times", "that a substep is done again with the pairs that cross or come near") \
    X(int, stop_whole, 12, "rounds", "of the fail-safe after which it stops blocks at the start of the substep; after twice as many it ends")

#define CTI_TUNED_GEOMETRIC_CORRECT(X) \
    X(ct_real, compliance, CTI_R(1e-2), "of H_cc", "added to it in solves of speeds and accelerations") \
    X(ct_real, compliance_positions, CTI_R(1e-1), "of H_cc", "the same of positions, which are only to come into a reasonable place") \
    X(ct_real, shift, CTI_R(0.5), "thicknesses", "most that a position is corrected by in a substep; all of them are scaled alike") \
    X(ct_real, tolerance, CTI_R(1e-3), "thicknesses", "of change of positions in a turn end a solve by masses") \
    X(ct_real, tolerance_stiff, CTI_R(1e-4), "thicknesses", "the same of a solve by the matrix") \
    X(ct_real, mobility, CTI_R(0.1), "1", "least share of a collision's mobility that stays where scripts hold most of it") \
    X(ct_real, within, CTI_R(0.1), "thicknesses", "collisions within this of their target take part in a solve from the start") \
    X(ct_real, epsilon, CTI_R(1e-9), "of the largest inverse mass", "of a collision, added to M_c^-1: it is below every mass ratio") \
    X(int, passes, 3, "passes", "over normals and friction with stiff particles, of which friction moves others along normals") \
    X(int, friction, 2, "solves", "of friction: of all contacts, then of those that stick") \
    X(int, diverged, 100, "1", "factor of |R|^2 in one turn that is no convergence any more, but rounding") \
    X(double, single, 1e-5, "1", "share of a residual, well within single precision, below which it is computed anew in full precision")

#define CTI_TUNED_GEOMETRIC_IMPLICIT(X) \
    X(int, renew, 4, "turns", "of the free motion's solve with old factors that ask for new ones") \
    X(int, renewals, 32, "substeps", "for which they are then made anew") \
    X(ct_real, residual, CTI_R(1e-4), "1", \
      "largest residual of a component over its right side, or over the impulse of gravity, whatever solver.tolerance is") \
    X(ct_real, hold, CTI_R(1e4), "diagonals of A", "stiffness that holds a block in its body's factor; single precision has 1e7") \
    X(int, turns, 2000, "turns", "of a solve at most") \
    X(ct_real, law, CTI_R(1e-3), "thicknesses", "motion by which collisions may miss their law") \
    X(int, rounds, 12, "times", "that their terms are made anew at most") \
    X(ct_real, keep, CTI_R(0.95), "1", "share of the forces that the next substep starts from") \
    X(ct_real, spring, CTI_R(30), "1", "mass of an elastic over its share of the heavier side")

#define CTI_GEOMETRIC_GROUPS(G) \
    G(cti_geometric_tuned, find, CTI_TUNED_GEOMETRIC_FIND) \
    G(cti_geometric_tuned, correct, CTI_TUNED_GEOMETRIC_CORRECT) \
    G(cti_geometric_tuned, implicit, CTI_TUNED_GEOMETRIC_IMPLICIT)
/* clang-format on */

/* capacities of arrays */
enum {
    CTI_REGION_DOP = 16,  /* [floats] of a polytope: its least projections on six axes, 0, 0, then the negatives of the largest ones, 0, 0 */
    CTI_REGION_LEAF = 8,  /* [faces] of a leaf */
    CTI_REGION_BLOCK = 96 /* [floats] of a block of eight polytopes: the twelve numbers of each, eight at a time */
};

typedef struct cti_geometric_numbers {
    CTI_GEOMETRIC_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_geometric_numbers;
CTI_TUNED_CONST cti_geometric_numbers cti_geometric_tuned = {CTI_GEOMETRIC_GROUPS(CTI_TUNED_GROUP_VALUE)};
