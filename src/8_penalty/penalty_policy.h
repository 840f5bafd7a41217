/* penalty_policy.h -- the tuned numbers of the penalty stepper, in the manner of barrier_policy.h. */
#pragma once

#include "../0_base/tuned.h"
#include "../1_math/real.h"

/* clang-format off */
/* ---- substeps ---- */
#define CTI_TUNED_PENALTY(X) \
    X(int, rounds, 4, "solves", "of a substep: those after the first have what the motion has hit") \
    X(ct_real, stable, CTI_R(0.9), "1", "stability that explicit substeps keep to") \
    X(ct_real, stable_restitution, CTI_R(0.006), "1", "the same with restitution: a contact lasts pi / sqrt(k / m), 20 substeps") \
    X(ct_real, cg_iterations, 20000, "iterations of conjugate gradients", \
      "of a try of a step of the implicit form; each of its parts has its share. Beyond, every solve ends with the iteration that it is in. A " \
      "crushed body of 92 nodes with 2800 contacts took over a minute a step without this bound. In 150 random worlds no step that ended with " \
      "CT_STATUS_OK took more than 3000. With this bound 771 of 1053 steps of 60 random worlds are CT_STATUS_OK; with 60,000: 776, 200,000: 781, " \
      "none: 787")

/* ---- springs and dampers ---- */
#define CTI_TUNED_SPRING(X) \
    X(ct_real, slow, 2, "of the velocity that gravity gives in a substep", "slower impacts do not rebound: a body at rest arrives with one") \
    X(ct_real, flat, CTI_R(0.5), "thicknesses", \
      "rest distance of springs of flat edges: detect.c lists them from there on, and their vertices carry the load. With a larger one the spring " \
      "would be compressed when it is first seen") \
    X(ct_real, recovery, CTI_R(0.06), "a step", "share of the missing depth that a spring gets. Its work is work_recovery") \
    X(ct_real, depth, CTI_R(0.1), "thicknesses", \
      "depth under the lighter body's weight, of the default stiffness. A tenth of it: impacts go 0.3 times as deep; the implicit form needs " \
      "twice the solves, the explicit one three times the substeps") \
    X(ct_real, weightless, CTI_R(9.81), "m/s^2", "in its place where there is no gravity") \
    X(double, ratio_most, 4, "1", \
      "damping ratio that restitution asks for, at most: it leaves 0.016. With twice that an explicit substep would have to be half as long, for " \
      "0.004") \
    X(ct_real, rebound, (sizeof(ct_real) == sizeof(double) ? CTI_R(1e4) : CTI_R(2e3)), "of the mass", \
      "stiffness of a rebound: it misses its speed by the inverse. Ten times as much costs a third more iterations. In float rounding delays their " \
      "end: a box that hits two prisms took 7,000 to 20,000 in an impact with 1e4, and gave up in one of eight; it takes 1,200 to 2,400, and with " \
      "half 1,000 to 2,000, but rebounds then miss 2 thousandths of the energy")

/* ---- penalty_system.c ---- */
#define CTI_TUNED_MINIMUM(X) \
    X(ct_real, tolerance, (sizeof(ct_real) == sizeof(double) ? CTI_R(1e-12) : CTI_R(1e-6)), "of the right side's norm", \
      "conjugate gradients end there near the solution, since their error is one of momentum") \
    X(ct_real, loose, CTI_R(1e-6), "of the right side's norm", "conjugate gradients end there far from the solution") \
    X(int, cg_iterations, 4000, "iterations", \
      "of a solve that rounding does not let end. Without it 8 steps of 218 more converge in double, and an impact at 100 m/s fails in float") \
    X(int, renewals, 4, "renewals", "of the bounds of friction after which they go half of the way") \
    X(ct_real, rounded, 16, "ulp", "of a contact's terms: no error. Without it a collision in float loses .004 of its angular momentum (test_laws)") \
    X(double, line_tolerance, 0.1, "of the slope at the start", "slope where a line search ends") \
    X(int, line_steps, 12, "slopes", "of a line search") \
    X(int, power, 24, "products", "of the power method, from all contacts pressed alike: within 2 % for boxes and balls") \
    X(ct_real, margin, CTI_R(1.05), "1", "allowance for its error")
/* clang-format on */

#define CTI_PENALTY_GROUPS(G) \
    G(cti_penalty_tuned, penalty, CTI_TUNED_PENALTY) \
    G(cti_penalty_tuned, spring, CTI_TUNED_SPRING) \
    G(cti_penalty_tuned, minimum, CTI_TUNED_MINIMUM)

typedef struct cti_penalty_numbers {
    CTI_PENALTY_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_penalty_numbers;
CTI_TUNED_CONST cti_penalty_numbers cti_penalty_tuned = {CTI_PENALTY_GROUPS(CTI_TUNED_GROUP_VALUE)};
