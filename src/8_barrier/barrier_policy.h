/* barrier_policy.h -- the tuned numbers of the barrier stepper and of its forms. A line has a number's type, name, value and unit, and a text that
   goes on from the unit: what the number does, and a reason for its value. docs/policy.md says of which half and double change what. */
#pragma once

#include "../0_base/tuned.h"
#include "../1_math/real.h"

/* clang-format off */
/* ---- line searches: barrier.c and the forms ---- */
#define CTI_TUNED_SEARCH(X) \
    X(ct_real, keep, CTI_R(0.1), "of its distance", "that a pair keeps in a Newton step; IPC: 0.2") \
    X(ct_real, sure, CTI_R(0.05), "of its distance", \
      "that it keeps in a step once that is taken: its end is rounded, and not on the line that was tested") \
    X(int, halvings, 40, "halvings", "of a step: 1e-12 of Newton's is none") \
    X(double, fall, 0.1, "of what the slope promises", \
      "by which a merit falls at least (Armijo); a quadratic gives half. With less, contacts that come and go at dhat let Newton's method go back " \
      "and forth, with steps of one length (two mats that fall on each other)") \
    X(ct_real, rounding, 64, "ulp of all that is summed up", "by which a merit may rise") \
    X(ct_real, rounding_float, 1, "ulp", \
      "the same in float, but for the last step, which is short. With 64, steps of S1 (first 20) go back and forth until they are `budget`: a " \
      "potential that rises by less than the allowance is taken for one that falls. 2: one such step, 4: three") \
    X(int, strict, 8, "halvings", \
      "of a search with rounding_float; where none passes, the search begins again with `rounding`, else a push at 1e6 Pa ends on its budget " \
      "(test_barrier). S1, as above: 2: five steps are `budget`, 3: two, 4 and 8: none") \
    X(ct_real, first, CTI_R(0.02), "masses", "smallest shift of the Hessian") \
    X(ct_real, shift, 10, "masses", "largest shift") \
    X(ct_real, lift, 16, "1", \
      "from one lift of a projected Hessian that is not definite by rounding to the next; the first is an ulp of its diagonal. In float a mass " \
      "below an ulp of its stiffness makes pivots negative, and without a lift there is no Newton step (soak32, set barrier, seed 1002)") \
    X(int, lifts, 4, "lifts", "at most")

/* ---- contacts and friction ---- */
#define CTI_TUNED_RULE(X) \
    X(double, load, 4, "1", \
      "below the root of the mean square of contacts' forces over their masses is the scale: LOG then carries them at 0.51 dhat. Half: 0.67, " \
      "double: 0.33") \
    X(double, swing, 0.5, "of the energy exchanged in a step", \
      "that Newmark, BDF2 and midpoint may gain. In converged steps they gain up to .12 (a box that falls askew on another, 10 ms); unstable, all") \
    X(int, parts, 32, "substeps", \
      "of a step that is refused with fewer. A soft corner that slips off an edge at dt 20 ms (test_barrier) takes up to 16; 8 leave one step of " \
      "100 that gains 2.4e-4") \
    X(ct_real, off, CTI_R(0.1), "of a pair's force, and of mu times it", \
      "that their linearizations may be off in a step's last Newton step. One from rest that ends below friction_velocity has seen the law's " \
      "slope at 0 alone, which has no limit: with newton_tolerance above that, mu .49 held on a slope of tan .5. A step that doubles a distance " \
      "is off by a quarter. IPC's chain takes 4.17 iterations a step, 4.25 with half for pairs, 4.08 with double, 5.6 with 0") \
    X(ct_real, left, CTI_R(0.01), "of the step", \
      "that the correction by changing friction leaves. 200 soft boxes, 15 steps: .05 takes 113 Newton iterations, .01 takes 94, .001 takes 90; " \
      "64 soft boxes (S1), 60 steps: .1 takes 742 with 8,876 linear iterations, .01 takes 692 with 10,159") \
    X(int, directions, 16, "iterations", \
      "of it, each of which keeps two vectors. S1's first 12 steps take 207 Newton iterations; half: 225, double: 205") \
    X(ct_real, difference, (sizeof(ct_real) == sizeof(double) ? CTI_R(1e-5) : CTI_R(5e-3)), "dhat", \
      "that its difference goes: a force is rounded, and not linear in it. About the cube root of an ulp; half: 203 of these 207, double: 194")

/* ---- rigid bodies ---- */
#define CTI_TUNED_AFFINE(X) \
    X(ct_real, speed, 300, "m/s", \
      "c in stiff = m c^2, m the mass that a body of this size has with the world's largest density, since that may lie on it. Strains are of the " \
      "order of (v / c)^2 for motion at v; half: four times that, double: a quarter, and a Hessian four times as stiff. It has to be above the " \
      "contacts' stiffness (a box of 1e6 times the density on a light one, test_barrier)") \
    X(ct_real, flat, CTI_R(1e-3), "1", \
      "least det A that a Newton step may leave. A flat body has no force that makes it round again, and an inside-out one is at rest: a script " \
      "that presses without room waits instead. Boxes that are pressed flat come back with 1e-2, 1e-3 and 1e-6, but not with 0 " \
      "(test_barrier_affine)") \
    X(ct_real, strain, CTI_R(0.02), "1", \
      "above which a step is not converged: its rigid body is none. Joints strain by up to 0.01 (barrier_joints.c), an impact at 100 m/s by 7e-4; " \
      "a press without room by 0.05 in its first step (test_barrier_affine). Half is too near to the joints'; double is the same there")

/* ---- barrier_pairs.c, barrier_walls.c ---- */
#define CTI_TUNED_COVER(X) \
    X(ct_real, fast, 16, "dhat", "a body that moves farther in a step gets boxes at both ends of it, and none between") \
    X(ct_real, wall, CTI_R(0.5), "of the distance at which a pair begins", \
      "that a wall leaves at least, and the cosine of 60 degrees. A load at rest is held at about half of dhat, so that a pair leaves the wall " \
      "with little to give back, and with a direction near the wall's. Of the 120 falls of test_rod_contact none passes; half: 10 do, 0.7: 2, " \
      "0.9: 9")

/* ---- barrier_system.c ---- */
#define CTI_TUNED_NEWTON(X) \
    X(int, stale, 3, "1", \
      "contact blocks in the pattern, over those that are wanted, above which it is made anew: the others make the factor larger. It has to be " \
      "above the share of pairs within `reach`, about 1.5") \
    X(ct_real, reach, CTI_R(1.4), "dhat", \
      "pairs nearer than this get blocks in the pattern, so that pairs that come next find a place. Two mats that fall on each other, 14 steps: " \
      "34.9 s with 1 (none), 30.4 s with 1.4, 30.7 s with 2, where the larger factor costs what analyses save") \
    X(int, blocks, 100, "blocks", "up to this size,") \
    X(double, factor_flops, 2e6, "flops", "and up to these, a system is solved by its factor in double: that takes below a millisecond") \
    X(ct_real, inexact, CTI_R(3e-2), "of cti_pcg_run", \
      "what the conjugate gradients leave, in the energy norm. S1, 60 steps: 3e-2 takes 524 Newton steps and 5322 iterations, 5e-2 takes 592 and " \
      "5208, 1e-1 takes 614 and 4626. Processor time is shortest with 3e-2") \
    X(ct_real, inexact_rigid, CTI_R(1e-3), "of cti_pcg_run", "the same with affine bodies, whose stiff energy has most of that norm") \
    X(ct_real, correction, CTI_R(0.1), "of the first residual", \
      "what those leave that take a shift out of a Newton step. They find a part of the step, so that a tenth of that part may stay wrong") \
    X(int, analysis, 20, "iterations", "that an analysis costs") \
    X(int, flops, 40, "flops an entry of the factor", "a factorization's, in the time of an iteration") \
    X(int, most, 20, "iterations", "that a lagged factor may always take") \
    X(int, fresh, 40, "iterations", "with a factor of B itself; beyond, it is factored in double")

/* ---- barrier_joints.c ---- */
#define CTI_TUNED_TIES(X) \
    X(ct_real, penalty, (CONTACT_REAL == 32 ? CTI_R(2) : CTI_R(100)), "of the least stiffness in a tie's way", \
      "an update leaves at most a hundredth of an error. Rounding of positions times the penalty is a force: 2 in float, where 100 let the work " \
      "of a kinematic arm be wrong by 2 mJ of 46 (test_barrier_joints)") \
    X(ct_real, fall, CTI_R(0.25), "of its error", "above which a tie's penalty grows") \
    X(ct_real, grow, 10, "1", "by this factor; Nocedal and Wright's value") \
    X(ct_real, grown, (CONTACT_REAL == 32 ? CTI_R(100) : CTI_R(1e4)), "1", \
      "at most by this one, so that rounding of positions stays below the tolerance") \
    X(int, updates, 30, "updates", "of multipliers in a step, at most; contacts that keep a joint open never let it converge") \
    X(int, stalls, 5, "updates", "in a row that leave `stalled` of every error, after which there are no more: the penalty has grown by `grown`") \
    X(ct_real, stalled, CTI_R(0.9), "of its error", "that an update leaves which does not help") \
    X(ct_real, strain, CTI_R(0.08), "of the energy `stiff`", "most force on an affine body times its radius: 8 times a strain of 0.01")

/* ---- barrier_contacts.c: results do not depend on them ---- */
#define CTI_TUNED_TERMS(X) \
    X(int, chunk, 64, "pairs", "with one worker: they stay in the second-level cache, at 1.3 kB a pair;") \
    X(int, chunk_many, 4096, "pairs", "with more, which is enough for all of them") \
    X(double, value, 0.2, "us", "a pair's value") \
    X(double, hessian, 1.2, "us", "its Hessian") \
    X(double, friction, 0.1, "us", "its friction") \
    X(double, add, 0.6, "us", "what it adds to the matrix")

/* ---- 8_forms ---- */
#define CTI_TUNED_FORMS(X) \
    X(double, penalty, 2, "1", "nu over the largest multiplier: above 1 the penalty is exact") \
    X(ct_real, reach, 2, "lengths of a step", "within which pairs have rows") \
    X(double, tolerance, 1e-10, "1", "of the judge's residual: forms are compared to 1e-8") \
    X(int, rises, 8, "iterations", "without a fall of |F|") \
    X(int, strict, 24, "iterations", "then with one")
/* clang-format on */

#define CTI_BARRIER_GROUPS(G) \
    G(cti_barrier_tuned, search, CTI_TUNED_SEARCH) \
    G(cti_barrier_tuned, rule, CTI_TUNED_RULE) \
    G(cti_barrier_tuned, affine, CTI_TUNED_AFFINE) \
    G(cti_barrier_tuned, cover, CTI_TUNED_COVER) \
    G(cti_barrier_tuned, newton, CTI_TUNED_NEWTON) \
    G(cti_barrier_tuned, ties, CTI_TUNED_TIES) \
    G(cti_barrier_tuned, terms, CTI_TUNED_TERMS) \
    G(cti_barrier_tuned, forms, CTI_TUNED_FORMS)

typedef struct cti_barrier_numbers {
    CTI_BARRIER_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_barrier_numbers;
CTI_TUNED_CONST cti_barrier_numbers cti_barrier_tuned = {CTI_BARRIER_GROUPS(CTI_TUNED_GROUP_VALUE)};
