/* explicit_policy.h -- the tuned numbers of the explicit stepper, as in 8_step/policy_numbers.h. docs/policy.md has what was tried. */
#pragma once

#include "../0_base/tuned.h"
#include "../1_math/real.h"

/* clang-format off */
#define CTI_TUNED_EXPLICIT_STEP(X) \
    X(ct_real, safety, CTI_R(0.9), "1", "share of the length that the error allows: the usual one") \
    X(ct_real, grow, CTI_R(2.0), "1", "most growth of a length from step to step") \
    X(ct_real, shrink, CTI_R(0.2), "1", "most shortening at once") \
    X(ct_real, least, CTI_R(1e-3), "of the bound from the wave speed", "steps of this length are taken whatever their error is") \
    X(ct_real, decay, CTI_R(1.0), "1", "in the time of the bound: rate at which contacts come to rest") \
    X(int, gain, 10, "tolerances", "of the energies that took part: a step that gains more is NOT_CONVERGED") \
    X(ct_real, overshoot, CTI_R(0.1), "of the bound", "most time of a Runge-Kutta step after a first touch of a soft body") \
    X(double, recovered, 0.1, "of the energies that took part", "a step whose move back stores more is NOT_CONVERGED") \
    X(int, parts, 4, "substeps", "at most of a step that gains energy; the bound is divided by their number, and the tolerance by its square")

#define CTI_TUNED_EXPLICIT_CONTACT(X) \
    X(ct_real, rest, CTI_R(1e-3), "legal penetrations", "distance of contacts at rest. At 0 every second of them would intersect by rounding") \
    X(ct_real, distance, CTI_R(1.0), "legal penetrations", "up to which a pair is a contact") \
    X(ct_real, deepest, CTI_R(2.0), "legal penetrations", \
      "of a first touch of two rigid bodies; deeper edges are new contacts only if they have passed each other") \
    X(int, passes, 8, "passes", "of the move back over contacts that share nodes") \
    X(ct_real, reach, CTI_R(0.4), "edges", "depth up to which a vertex is behind a face: steps do not cross half an element") \
    X(ct_real, through, CTI_R(0.4), "thicknesses of a body", "most motion of two bodies through each other in a Runge-Kutta step") \
    X(ct_real, slack, CTI_R(0.1), "edges", "of motion after which candidates are found anew") \
    X(ct_real, sine, CTI_R(0.02), "1", "edges at a smaller angle have no contact: their normal is not well defined") \
    X(ct_real, border, CTI_R(0.02), "1", "share of a face that counts as its border, for errors of the predicted motion") \
    X(ct_real, slow, CTI_R(1e-3), "legal penetrations over the time of decay", \
      "speed of approach below which a contact comes to rest by its force, without an impulse") \
    X(double, compliance, 1e-4, "of a_ii", \
      "of a contact of edges or of their middles: these outnumber the nodes, and so contacts of faces carry what both might") \
    X(ct_real, thinnest, CTI_R(0.02), "mean edges of a body", "smallest thickness that counts, since thickness goes to 0 at tips")

#define CTI_TUNED_EXPLICIT_PROGRAM(X) \
    X(int, changes, 50, "times", "that contacts join the set, before the interior point method") \
    X(int, iterations, 100, "steps", "of the interior point method: a bound for problems that it does not solve") \
    X(double, tolerance, 1e-10, "1", "of scaled conditions: 1e6 times rounding, below what a step's error shows") \
    X(double, accepted, 1e-6, "1", "of scaled conditions, after the interior point method: what a step may report as converged") \
    X(double, pivot, 1e-13, "of a unit diagonal", "pivots below are rounding") \
    X(double, shift, 1e-10, "of a unit diagonal", "r, added to it, so that rows may depend on each other") \
    X(int, corrections, 3, "solves", "with one factor: each multiplies the error by r / (l + r), l an eigenvalue of the matrix")

#define CTI_TUNED_EXPLICIT_RATE(X) \
    X(ct_real, difference, CTI_R(1e-3), "edges", "displacement of differences of forces: small strain, far above rounding in float") \
    X(int, power, 40, "iterations", "of the power method, less than four steps' evaluations") \
    X(ct_real, flat, CTI_R(3.0), "heights", "unit of errors at most: flat elements turn over within a mean edge, and gain energy") \
    X(ct_real, margin, CTI_R(1.02), "1", "factor of the power method's frequency, which is a lower bound; errors of steps show the rest") \
    X(ct_real, margin_damping, CTI_R(1.1), "1", \
      "factor of its rate of damping, which is one, too; errors of steps do not show what is missing: with 1.02 damped worlds blow up") \
    X(ct_real, crushed, CTI_R(0.2), "1", "J^(-2/3) is continued by its Taylor polynomial of order 2 below, as in 6_model") \
    X(ct_real, root_1, CTI_R(0.03), "1", "|J - 1| up to which one iteration from a polynomial of order 4 has an error of 1e-16") \
    X(ct_real, root_2, CTI_R(0.2), "1", "the same with two") \
    X(ct_real, root_3, CTI_R(0.4), "1", "the same with three") \
    X(int, root, 8, "iterations", "of J^(-1/3) beyond: 1e-15 for J from 0.2 to 8") \
    X(ct_real, extrapolated, CTI_R(1.68), "of the bound of the classical rule", \
      "that of the extrapolated one, stable for |z| up to 4.62 in the left half plane")

/* estimated times, by which loops are cut into tasks for workers. Results do not depend on them */
#define CTI_TUNED_EXPLICIT_COSTS(X) \
    X(double, batch, 0.08, "us", "a pass over eight elements, or a contact's row") \
    X(double, node, 0.02, "us", "a sum of a node, or a face's box and normal") \
    X(double, strip, 0.004, "us", "a block's acceleration, or eight entries of a sum of vectors")

#define CTI_EXPLICIT_GROUPS(G) \
    G(cti_explicit_tuned, step, CTI_TUNED_EXPLICIT_STEP) \
    G(cti_explicit_tuned, contact, CTI_TUNED_EXPLICIT_CONTACT) \
    G(cti_explicit_tuned, program, CTI_TUNED_EXPLICIT_PROGRAM) \
    G(cti_explicit_tuned, rate, CTI_TUNED_EXPLICIT_RATE) \
    G(cti_explicit_tuned, costs, CTI_TUNED_EXPLICIT_COSTS)
/* clang-format on */

/* capacities of arrays */
enum {
    CTI_EXPLICIT_STAGES = 8,    /* of a Runge-Kutta rule */
    CTI_EXPLICIT_ENTRIES = 20,  /* [blocks] of a contact: five vertices of four nodes each */
    CTI_EXPLICIT_REST_SIZE = 8, /* [vectors] of eight tetrahedra at rest: L (11, 22, 33, 21, 31, 32), 1 / (6 U), V */
    CTI_EXPLICIT_CARRIED = 12   /* [vectors] of them, kept between the two passes: d_a, mu/2 h' tr C, h, 1 / (6 U J) */
};

typedef struct cti_explicit_numbers {
    CTI_EXPLICIT_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_explicit_numbers;
CTI_TUNED_CONST cti_explicit_numbers cti_explicit_tuned = {CTI_EXPLICIT_GROUPS(CTI_TUNED_GROUP_VALUE)};
