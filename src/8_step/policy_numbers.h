/* policy_numbers.h -- the tuned numbers of a step: what policy.c decides by, and what the other files of 8_step compute with.
   Each number stands on one line: its type, name, value and unit, and what it is with the reason for the value. Where half, double or none of
   it was measured over whole runs, docs/policy.md has a row "group.name". The natural map is the residual of the contact law, relative to
   |g| dt. */
#ifndef CTI_POLICY_NUMBERS_H
#define CTI_POLICY_NUMBERS_H

#include "../0_base/tuned.h"
#include "../1_math/real.h"

/* clang-format off */
/* ---- factors ---- */
#define CTI_TUNED_FACTORS(X) \
    X(double, cheap, 300, "flops a nonzero", "below, a factor is computed in every step: it costs ten solves. Above, when it is asked for") \
    X(double, large, 5e7, "flops", "above, a factorization is put off while the component flies or rests in contact") \
    X(double, solve, 15, "flops a nonzero", "of a factorization take as long as a solve, which waits for memory") \
    X(ct_real, stiff, CTI_R(1e5), "1", "stiffness by mass above which a factor is in double. S1 1e2, a steel cube 1e9; ten times does nothing") \
    X(int, slow, 8, "iterations", "a free solve that takes more asks for a new factor") \
    X(int, missing, 12, "1", "a correction's factor is renewed where one block in so many is held and it does not know") \
    X(int, patch, 48, "blocks", "of a cloth patch: its inverse stays in a near cache") \
    X(ct_real, held, CTI_R(100), "diagonals of A", "stiffness of a held block in a correction's factor: it moves by a hundredth")

/* ---- free motion, and who solves an island ---- */
#define CTI_TUNED_ISLAND(X) \
    X(ct_real, inexact, CTI_R(100), "1", "times the tolerance of the free solve under contacts by nodes, whose solve judges all of the motion") \
    X(int, extrapolated, 9, "attempts", "in a row whose free motion is extrapolated: a component at rest solves it in one step of ten") \
    X(int, ports, 200, "blocks", "in contact up to which a component is one cluster: a sweep reads the response between all of them") \
    X(double, columns, 1500000, "bytes", "of A^-1 J' up to which it is: every sweep reads them, a near cache holds them") \
    X(double, entry, 36, "bytes", "of a contact's column for a block in contact: 9 floats") \
    X(int, ports_failed, 1500, "blocks", "up to which it is after nodes failed: stiff cards in a heap fell apart under nodes") \
    X(int, whole_attempts, 30, "attempts", "for which it is one cluster then") \
    X(int, corrected, 2, "components", "by nodes up to which an island is corrected: for six layers of cloth that costs more than it brings") \
    X(int, wasted, 24, "budgets", "of max_sweeps over all contacts that a step spends in solves that end far from a solution") \
    X(int, wasted_joints, 4, "1", "times that where an island has joints, which each round linearizes anew") \
    X(int, wasted_part, 8, "1", "such islands get this part of their budget then: the step will end shorter or in zones") \
    X(int, later_part, 2, "1", "part of the budget of a solve that starts from the solution of an earlier round") \
    X(ct_real, weightless, CTI_R(1e-3), "1", "share of the largest speed that residuals are relative to where there is no gravity") \
    X(ct_real, free_share, CTI_R(0.5), "tolerances", "of a free solve: its error and the contacts' add up") \
    X(ct_real, free_mean, CTI_R(0.1), "1", "mean of a block's error by the largest: norms of many blocks are larger by their number's root")

/* ---- the end of an island's solve ---- */
#define CTI_TUNED_ENDED(X) \
    X(ct_real, unsolved, CTI_R(0.15), "natural map", "above, a solve ended far from a solution: more sweeps; another solver's result is refused") \
    X(ct_real, failed, CTI_R(0.5), "natural map", "from which on a solve by nodes has failed") \
    X(ct_real, failed_speed, CTI_R(0.05), "1", "the same as a share of the island's speed: in an impact |g| dt is little beside it") \
    X(int, newton_rows, 400, "rows", "of an island up to which Newton's method takes over") \
    X(ct_real, newton_share, CTI_R(0.5), "1", "share of ICA's natural map up to which Newton's result is taken") \
    X(ct_real, diverged, CTI_R(10), "natural map", "from which on friction contact by contact has diverged: its part, not solved for, is large") \
    X(ct_real, spent, 1, "1", "times its bound that interior point may spend in a step")

/* ---- an attempt ---- */
#define CTI_TUNED_ATTEMPT(X) \
    X(ct_real, joint, CTI_R(1e-4), "thicknesses", "that a joint may miss by: far below what contacts notice") \
    X(ct_real, joint_fails, 4, "1", "times that slack by which a joint refuses the end of an attempt") \
    X(int, joint_times, 8, "times", "joints are linearized again in a round") \
    X(ct_real, joint_own, CTI_R(1e-7), "1", "compliance of a rigid joint, of the blocks' own: joints that contradict each other stay bounded") \
    X(ct_real, turn, CTI_R(0.5), "rad", "of a rigid body with contacts in a substep: rows and straight motions describe a small turn") \
    X(ct_real, turn_least, CTI_R(1e-5), "rad", "a smaller turn stretches by less than 5e-11, which no precision's positions resolve") \
    X(ct_real, row, CTI_R(0.01), "thicknesses", "by which the motion may miss a contact's row") \
    X(int, newton_full, 3, "iterations", "of Newton's method with whole steps before steps are searched: impulses change with x") \
    X(int, newton_tries, 8, "halves", "of a search: the last is at most 1/256 of the way") \
    X(double, newton_fall, 1e-4, "1", "share of what the slope promises that the potential has to fall") \
    X(double, newton_least, 0.1, "1", "least factor of a search on the step") \
    X(double, newton_most, 0.5, "1", "largest factor: a search at least halves it") \
    X(ct_real, axis, CTI_R(1e-5), "1", "eigenvalue of scripted axes below which a direction is not scripted") \
    X(ct_real, sizes, 10, "1", "times the world's size and travel that a block may move in a step") \
    X(double, margin, 4, "1", "times the bound on the contacts' share of a plausible energy: friction's part")

/* ---- energy of an attempt ---- */
#define CTI_TUNED_ENERGY(X) \
    X(double, gain, 2e-4, "1", "of its energy and work that a body may gain under Euler's rule, which loses some hundred times as much") \
    X(double, gain_swing, 1e-3, "1", "the same under the other rules, whose energy swings by their order") \
    X(double, gain_rigid, 5e-3, "1", "of a rigid body: a ball of facets at 2 m/s gains .4 % in a step and loses it in the next") \
    X(double, gain_rounding, 16, "eps", "of what an elastic energy is computed from") \
    X(double, climb, 0.1, "1", "share of what a step changes that a chain may rise above its energy") \
    X(double, climb_fall, 0.01, "1", "and of the energy of a step's fall, far above what tolerances leave") \
    X(double, link_most, 0.5, "1", "most that a linkage's correction adds to kinetic energy: where a chain turns round there is little") \
    X(double, link_least, 0.95, "1", "and takes. With .5 two rods of 2 cm with velocity rows (1/60 s) end a step 1.1 % above") \
    X(ct_real, link_eased, CTI_R(0.01), "thicknesses", "above which a joint is being eased together") \
    X(int, balanced, 48, "components", "of an island whose contacts are asked for momentum: their equations are dense") \
    X(double, balance_soft, 1e-9, "1", "share of the largest pivot below which contacts carry nothing along a direction") \
    X(ct_real, balance_least, CTI_R(0.25), "tolerances", "shift of velocity from which on contacts take it up; no residual notices less") \
    X(ct_real, balance_most, CTI_R(10), "tolerances", "up to which they do: a larger one belongs to a solve that has not converged") \
    X(ct_real, balance_share, CTI_R(0.1), "1", "most that a multiplier changes by its room for that")

/* ---- substeps and impact zones ---- */
#define CTI_TUNED_SUBSTEP(X) \
    X(int, successes, 2, "substeps", "in a row that double a step limit: the first alone may be the calm after an impact") \
    X(ct_real, equal, CTI_R(0.999), "1", "ratio above which two lengths are equal: the last of a span is longer by 2.6e-4 of the shortest") \
    X(ct_real, end, CTI_R(1e-5), "1", "share of an interval below which the rest is rounding: sums of 256 lengths round by 1.5e-5 in float") \
    X(ct_real, tangled, 4, "parts", "of a step of a tangled world at most: shorter substeps make no room") \
    X(int, rollbacks, 4, "rollbacks", "of a step, after which failures halve the world; 240 worlds of the soak had two at most") \
    X(int, holds, 3, "tries", "of the shortest substep in which blocks with meaningless velocities are held") \
    X(ct_real, meet, CTI_R(0.75), "thicknesses", "what comes nearer meets; what slides along at about the thickness does not") \
    X(int, zone_soft, 12, "iterations", "of an impact zone's first stage: impulses that do not stick") \
    X(int, zone_rigid, 4, "iterations", "of its second stage: rigid motions, before it freezes") \
    X(int, zone_sweeps, 60, "sweeps", "over the impulses in an iteration") \
    X(ct_real, zone_turn, CTI_R(0.5), "rad", "that a body turns in a zone at most") \
    X(ct_real, zone_miss, CTI_R(0.25), "thicknesses", "that joints may miss by after the first stage") \
    X(ct_real, zone_keep, CTI_R(0.9), "1", "share of a distance that a zone keeps at most; else half the thickness") \
    X(ct_real, zone_end, CTI_R(1e-4), "thicknesses", "of motion in a sweep over the impulses that end them")

/* ---- repairs of surfaces that intersect ---- */
#define CTI_TUNED_REPAIR(X) \
    X(ct_real, time, CTI_R(0.1), "s", "in which a depth is to be left") \
    X(ct_real, local, CTI_R(4), "1", "way out by the size of what is shared: above, points leave by the nearest surface") \
    X(ct_real, keep, CTI_R(1.5), "1", "the way of the last step is kept while it is not longer than that over the shortest") \
    X(ct_real, stiff, CTI_R(0.03), "1", "softness, of the blocks' inverse mass, where the way is known") \
    X(ct_real, soft, CTI_R(0.1), "1", "and where a contour is followed, whose directions change as it shrinks") \
    X(ct_real, rigid, CTI_R(0.03), "1", "the same for all rows on a rigid body together: what they add up to has to stay solvable") \
    X(ct_real, past, CTI_R(4), "thicknesses", "beyond the way out that are aimed at") \
    X(ct_real, steep, CTI_R(0.1), "1", "least |E . N|") \
    X(ct_real, same, CTI_R(0.98), "1", "cosine above which two directions are the same way: 11 degrees") \
    X(ct_real, pull, CTI_R(0.01), "1", "square of the sum of unit pulls above which a side has a direction") \
    X(ct_real, even, CTI_R(1e-4), "1", "square of a sum of unit vectors below which they cancel")

/* ---- costs: how loops are cut into tasks of workers. Results do not depend on them ---- */
#define CTI_TUNED_STEP_COSTS(X) \
    X(double, energy, 20.0, "us", "a body's elastic energy") \
    X(double, row, 0.2, "us", "the making of a row") \
    X(double, crushed, 0.02, "us", "the test of a block's elements") \
    X(double, motion, 1.0, "us", "a block's free motion") \
    X(double, model, 50.0, "us", "a model's forces and stiffness") \
    X(double, clear, 0.03, "us", "a row of A that is cleared") \
    X(double, note, 0.08, "us", "the notes of a block")
/* clang-format on */

enum { CTI_REPAIR_WAYS = 32 }; /* capacity: directions that a repair compares */

#define CTI_STEP_GROUPS(G) \
    G(cti_step_tuned, factors, CTI_TUNED_FACTORS) \
    G(cti_step_tuned, island, CTI_TUNED_ISLAND) \
    G(cti_step_tuned, ended, CTI_TUNED_ENDED) \
    G(cti_step_tuned, attempt, CTI_TUNED_ATTEMPT) \
    G(cti_step_tuned, energy, CTI_TUNED_ENERGY) \
    G(cti_step_tuned, substep, CTI_TUNED_SUBSTEP) \
    G(cti_step_tuned, repair, CTI_TUNED_REPAIR) \
    G(cti_step_tuned, costs, CTI_TUNED_STEP_COSTS)

typedef struct cti_step_numbers {
    CTI_STEP_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_step_numbers;

#define CTI_STEP_NUMBERS {CTI_STEP_GROUPS(CTI_TUNED_GROUP_VALUE)}

#ifdef CTI_POLICY_MUTABLE
extern cti_step_numbers cti_step_tuned;
#else
static const cti_step_numbers cti_step_tuned = CTI_STEP_NUMBERS;
#endif

#endif /* CTI_POLICY_NUMBERS_H */
