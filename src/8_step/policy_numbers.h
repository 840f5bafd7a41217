/* policy_numbers.h -- the tuned numbers of a step: what policy.c decides by, and what the other files of 8_step compute with.
   A line has a number's type, name, value and unit, and a text that goes on from the unit: what the number does, and a reason for its value
   where one is known beside the runs. So the line of `patch` begins: 48 blocks in a patch. Rows "group.name" of docs/policy.md have runs without
   a mechanism (55 numbers of both), and with half and double (all but `costs`, `substep.equal` and `attempt.swing`, which is newer). Numbers of
   which half and double changed no bit are in a list at its end. A value without a reason is an order of magnitude, and the rows say how much
   depends on it. A comment above a line tells of other runs.
   Words: `natural map` is the residual of the contact law, as a velocity over |g| dt; a solve has converged when it and that of A v = b + J'r
   (`dynamics`) are at most the tolerance.
   `tolerances` are multiples of the user's tolerance (ct_solver_desc.tolerance) times |g| dt (without gravity: island.weightless), `thicknesses` of
   the thickness that a pair or the world keeps. A solve `by nodes` relaxes a body node by node; else the body is `one cluster` (clusters.h). A
   sweep visits every contact once.
   An attempt is one try of a substep. `eps` is the precision of ct_real, `1` a number without a unit. docs/step.md shows where many of them act. */
#pragma once

#include "../0_base/tuned.h"
#include "../1_math/real.h"

/* clang-format off */
/* ---- factors of A: when they are computed anew, and in which precision. flops and nonzeros are a factorization's ---- */
#define CTI_TUNED_FACTORS(X) \
    X(double, cheap, 300, "flops a nonzero", \
      "below this a factor costs at most 20 solves (`solve`) and is computed in every attempt whose free motion is solved, unless it is `large`. " \
      "Above, when asked for or when the length of substeps changes") \
    X(double, large, 5e7, "flops", \
      "above this (about 10 ms), a cheap factor waits until the body moves in contact, or its age costs more than a new one. Without it S2 takes " \
      "4 % more time") \
    X(double, solve, 15, "flops a nonzero", "of a factorization take as long as a solve, which waits for memory") \
    /* float resolves the free motion, which is that of the mass, to a hundredth up to here. S1 has 1e2, a steel cube of 2 cm 1e9. \
       Half and double act in `crash` alone (docs/policy.md) */ \
    X(ct_real, stiff, CTI_R(1e5), "1", "dt^2 K / m of a block (its entry of A over its mass, less 1) above which the factor is in double") \
    X(double, grid, 40000, "flops a block", \
      "of A: above, two grids take a factor's place. With half S3_N16 takes 1.08 times as long; with twice sheets of 200 cells 1.2 times") \
    X(double, cycles, 6, "cycles", "and products, about, take as long as to make two grids") \
    X(int, part, 96, "blocks", "in a part of the coarse grid: with 48 cubes of 24 cells take 1.2 times as long, with 150 and 200 as long") \
    X(ct_real, share, CTI_R(.4), "1", \
      "of the error that conjugate gradients leave of a correction with two grids: with 0.2 cubes of 24 take 1.2 times as long, with 0.5 1.05") \
    X(int, gradients, 10, "iterations", "of those at most: with 4 as long") \
    X(int, patch, 48, "blocks", "in a patch, the clusters of CT_CLUSTER_PATCH alone: a dense inverse of 83 KB fits into a near cache") \
    X(ct_real, held, CTI_R(100), "diagonals of A", \
      "stiffness with which a correction's factor holds a loaded contact with a wall: the sweeps solve contacts, and a correction moves them by a " \
      "hundredth")

/* ---- the motion without contacts; clusters, corrections and budget of an island's solve ---- */
#define CTI_TUNED_ISLAND(X) \
    X(ct_real, inexact, CTI_R(100), "1", "factor on the tolerance of a free solve before a solve by nodes: that judges the whole motion") \
    X(int, extrapolated, 9, "attempts", \
      "in a row at most whose free motion is extrapolated, not solved: of bodies in contact that are split into nodes, under Euler's rule, in " \
      "substeps of equal lengths. At rest it is solved in one step of ten") \
    X(int, ports, 200, "blocks", \
      "in contact, up to which a body is one cluster, if `columns` holds as well: 200 rows at 200 blocks about fill its bytes") \
    X(double, columns, 1500000, "bytes", "of A^-1 J', up to which a body is one cluster: every sweep reads them, a near cache holds them") \
    X(double, entry, 36, "bytes", "of a row's three columns at one block in contact: 9 floats") \
    X(int, ports_failed, 1500, "blocks", \
      "replaces `ports` and `columns` after a solve by nodes failed, as in a heap of stiff cards") \
    X(int, whole_attempts, 30, "attempts", "for which a body stays one cluster after that") \
    X(int, corrected, 2, "components", \
      "split into nodes, up to which an island gets corrections. With more it gets none: six layers of cloth take longer with them than without") \
    X(int, wasted, 24, "budgets", \
      "that a step may spend in solves that end far from a solution. One is max_sweeps visits to each row of the world, or to `sweeps.few` rows if " \
      "there are fewer") \
    X(int, wasted_joints, 4, "1", "factor on that where an island has joints, which every round linearizes again") \
    X(int, wasted_part, 8, "1", \
      "divisor of the budget of islands far from a solution, once those are spent: the step will end in halves or in impact zones anyway") \
    X(int, later_part, 2, "1", \
      "divisor of the budget of a solve in whose island a component was solved before in the attempt") \
    X(ct_real, weightless, CTI_R(1e-3), "1", \
      "of the largest of free speed, speeds of scripts and that joints ask for, and thickness / dt, to which residuals are relative where there is " \
      "no gravity; the error of a free solve is relative to this share of its component's own speed") \
    X(ct_real, free_share, CTI_R(0.5), "tolerances", \
      "error of a component's free solve, as the velocity of its lightest block: it adds to the error of the contacts") \
    X(ct_real, free_mean, CTI_R(0.1), "1", \
      "times sqrt(n), or 1 if larger: factor on that error, since the norm over n blocks is tested and most of them have smaller errors")

/* ---- what follows from the end of an island's solve ---- */
#define CTI_TUNED_ENDED(X) \
    X(ct_real, unsolved, CTI_R(0.15), "natural map", \
      "above this a solve is far from a solution, and another solver's result is not taken") \
    X(ct_real, failed, CTI_R(0.5), "natural map", "from here on a solve by nodes has failed: its bodies become one cluster each") \
    X(ct_real, failed_speed, CTI_R(0.05), "1", \
      "share of the island's largest free speed. Where it exceeds `failed` times |g| dt it takes the place of `failed`: in an impact |g| dt is " \
      "small") \
    X(ct_real, diverged, CTI_R(10), "natural map", \
      "from here on a solve with CT_FRICTION_LOCAL has diverged: that does not solve for friction, and residuals below it are usual") \
    X(ct_real, spent, 1, "1", \
      "of the most iterations of interior point in a step (CTI_BRIDGE_INTERIOR); once they are used up, ICA solves the islands that are left")

/* ---- an attempt: joints, rotations, Newton's method, plausible motion ---- */
#define CTI_TUNED_ATTEMPT(X) \
    X(ct_real, joint, CTI_R(1e-4), "thicknesses", \
      "error that a joint may have, or more where the tolerance or rounding leaves more: far below what contacts notice") \
    X(int, joint_times, 8, "1", "most times that an island is linearized again and solved in an attempt without having collisions") \
    X(ct_real, joint_own, CTI_R(1e-7), "1", \
      "compliance of a rigid joint over that of its blocks: the forces of joints that contradict each other stay bounded") \
    X(ct_real, joint_gives, CTI_R(0.01), "1", \
      "compliance of a joint of a linkage that is being closed, over that of its blocks (joints.c). With .005, .02, .1 the same statuses of 40 " \
      "dolls, and two boxes that cannot be joined take .1 to .2 ms a step; with 1e-4 corners take 50 ms") \
    X(ct_real, joint_gives_soft, CTI_R(0.004), "1", \
      "the same of other joints, over the least response of their blocks. With .008 a step of sheets that are stitched together ends above its " \
      "tolerance; with .002 two boxes of 1e7 Pa whose corners cannot meet take 2.5 ms a step, with .004 .5") \
    X(ct_real, link_own, CTI_R(1e-9) + 9 * CTI_EPS, "1", \
      "the same for joints of linkages, which are solved directly, over the mobility of their points without rotation. A load of 1e4 links " \
      "opens a joint by 7e-7 of a link, with 4e-9 by 3e-6. With 4e-10 no balance changes. In float the factor of the rounding leaves a straight " \
      "bridge 1 to 11 bad steps without order, for 8 to 20; the rounding of positions gives joints that repeat each other some weights of " \
      "their bodies") \
    X(ct_real, link_round, 4, "eps", "of the largest coordinate or speed: an error of a joint or of a free motion below it is rounding") \
    X(ct_real, turn, CTI_R(0.5), "rad", "largest rotation of a rigid body near others in a substep: rows and straight paths are linear in it") \
    X(ct_real, turn_least, CTI_R(1e-5), "rad", \
      "a deformable body that turns by less in a step is linearized as it stands: that strains it by less than 5e-11. Pins that deviate from a " \
      "line, and from one velocity times dt, by at most this share of their span are the axis of a hinge") \
    X(ct_real, swing, CTI_R(0.5), "1", \
      "change of the velocity of a rigid body that joints hold, over what gravity gives in free fall, from which on it swings; below, it " \
      "does so in part. With double a double pendulum of 2 cm gains .010 of its energy for a step; with .01 bodies at rest on springs move") \
    X(ct_real, rebound, 1000, "1", \
      "compliance of Poisson's law over that of the contact (rebound.c): the impulse lacks its part e / (1 + e) over this, 5e-4 at most, and half " \
      "or double of that with double or half. In float the law has the error eps times this") \
    X(ct_real, row, CTI_R(0.01), "thicknesses", \
      "over dt. A row is solved again if linearizing it again changes its velocity by more and it is loaded, or violated by more; also if its pair " \
      "collides and its motion violates it by more") \
    X(ct_real, axis, CTI_R(1e-5), "1", \
      "eigenvalue that counts as 0, by rounding. Of the sum of a a' over a block's scripted axes a: the block is free along its eigenvector. Of " \
      "the sum of the projectors of free motion at an edge's two ends: the node in the middle of the edge is held along its eigenvector") \
    X(ct_real, sizes, 10, "1", \
      "times the sum of the world's size and the ways of its fastest part, of its fastest script and of a fall in the step: a block that moves " \
      "farther is implausible") \
    X(double, margin, 4, "1", \
      "factor on the bound of the energy by which contacts may change a free motion (plausible.c): the bound leaves out friction")

/* ---- energy and momentum at the end of an attempt. link_: velocities that the joints of a linkage do not allow (linkage.c). balance_: a
        solve leaves an error of a body's momentum, over its mass the shift; balance.c gives it to loaded contacts ---- */
#define CTI_TUNED_ENERGY(X) \
    X(double, gain, 2e-4, "1", \
      "the gain allowed under Euler's rule, which dissipates, as a share of a sum: the body's energies and work relative to its mean velocity, the " \
      "kinetic energy of its approach to others, and m |g|^2 dt^2") \
    X(double, gain_swing, 1e-3, "1", \
      "the same under Newmark and BDF2, whose energy oscillates by an error of second order in dt. Bodies that something touched in the last step " \
      "follow Euler's rule") \
    /* rows are linear in the rotation. A ball of facets that rolls at 2 m/s gained .4 % in a step and lost it in the next, and gained more than \
       .1 % in a fifth of its steps; this was before contacts that turn were solved again (attempt.row). 1 % is too much: a random world of \
       tests/soak gained that */ \
    X(double, gain_rigid, 5e-3, "1", \
      "of the energies and work of a rigid body that contacts load and no joint holds, and of m |g|^2 dt^2: the gain allowed") \
    X(double, gain_rounding, 16, "eps", \
      "of the scale of a body's elastic energy, and of its gravitational and kinetic energies: the gain that rounding can feign") \
    X(double, link_kept, 1e-3, "1", \
      "of the kinetic energy of a linkage that nothing loads: a part that its joints do not allow and that takes less stays in its motion") \
    X(double, link_most, 0.1, "1", "of that of one which something loads: most that its relative motion gets back of what a step loses") \
    X(ct_real, link_eased, 100, "1", \
      "over the error that a joint may have (attempt.joint). A joint with a larger error is being closed, and the energy of its linkage " \
      "is left alone") \
    X(int, balanced, 48, "components", \
      "of an island, up to which contacts' multipliers are changed so that momentum is balanced: their equations are dense") \
    X(double, balance_soft, 1e-9, "1", \
      "of the largest entry on the diagonal of balance.c's normal equations: pivots below it are directions along which contacts carry nothing") \
    X(ct_real, balance_least, CTI_R(0.25), "tolerances", "of velocity; a smaller shift is added to the velocities: no residual notices it") \
    X(ct_real, balance_most, CTI_R(10), "tolerances", \
      "of velocity; above this shift no multipliers change, and velocities get all of it: such a solve has not converged") \
    X(ct_real, balance_share, CTI_R(0.1), "1", \
      "largest change of a multiplier: of a contact's normal one as a share of itself, across as a share of half of the distance to the cone, of a " \
      "joint's as a share of itself plus the mean load of a row")

/* ---- substeps (parts.h) and impact zones (zones.c) ---- */
#define CTI_TUNED_SUBSTEP(X) \
    /* Before contacts that turn were solved again (attempt.row), 25 runs of tests/test_parts.c, bars that tumble beside crates, 1680 steps, 979 \
       of them cut, took 3502 substeps and 5681 linearizations; half: 3503, 5694; double: 3528, 5686. A stack of ten beside a hopping bar, \
       150 steps: 209 substeps; half: 209; double: 213 */ \
    X(int, successes, 2, "substeps", "in a row after which a step limit doubles: the first alone may be the calm after an impact") \
    /* half and double the distance from 1, and 1 itself, changed no bit in these runs; .9 changes impacts of ccd_limits_step */ \
    X(ct_real, equal, CTI_R(0.999), "1", \
      "ratio of two lengths of substeps from which on they count as equal: the remaining time of a step is a sum, which rounds") \
    /* half and double changed no bit in these runs; with 0 a surface ended one rounding beside its body (4 of the 25) */ \
    X(ct_real, end, CTI_R(2e-5), "1", "of an interval; a shorter rest is rounding: sums of 256 lengths round by up to 1.5e-5 in float") \
    X(ct_real, tangled, 4, "1", "most parts of a step in a world with intersections: shorter substeps make no room") \
    /* This number bounds the work of a step. Half and double change nothing in 240 random worlds */ \
    X(int, rollbacks, 4, "1", "restarts of a step, after which a failure halves the substep of all; 240 random worlds had at most two") \
    X(int, holds, 3, "tries", \
      "of the shortest substep in which blocks with implausible velocities are held, and as many in which bodies that gain energy are") \
    X(ct_real, meet, CTI_R(0.75), "thicknesses", \
      "a pair that comes nearer than this cuts the step (ccd_limits_step), at the time at which its distance is the thickness; one that slides at " \
      "its thickness stays above") \
    X(int, zone_soft, 12, "iterations", "of an impact zone's first stage, in which impulses push colliding pairs apart") \
    X(int, zone_rigid, 4, "iterations", \
      "of its second stage: the zone moves as one rigid body. After it the blocks of pairs that still collide are frozen") \
    X(int, zone_sweeps, 60, "sweeps", "over the impulses in an iteration, at most") \
    X(ct_real, zone_turn, CTI_R(0.5), "rad", "largest rotation that a zone gives a body in a substep, as attempt.turn") \
    X(ct_real, zone_miss, CTI_R(0.25), "thicknesses", "error of joints, up to which the first stage ends once nothing collides") \
    X(ct_real, zone_keep, CTI_R(0.9), "1", "share of the present distance that a zone keeps: half of the thickness, if that is less") \
    X(ct_real, zone_end, CTI_R(1e-4), "thicknesses", "of motion in a sweep over the impulses, below which the sweeps end")

/* ---- separation of surfaces that intersect (repair.c). A contour is a line in which two surfaces intersect. The shared part of two bodies is what
        is inside of both; its way out along a direction is how far one body moves until they share nothing ---- */
#define CTI_TUNED_REPAIR(X) \
    X(ct_real, time, CTI_R(0.1), "s", \
      "in which bodies that intersect are to be apart, or in two substeps if these are longer, but no faster than recovery_speed: a deep overlap " \
      "leaves slowly") \
    X(ct_real, local, CTI_R(4), "1", \
      "ratio of the way out to the size of the shared part plus the thickness; above it, if vertices are inside, each leaves by its nearest " \
      "surface") \
    X(ct_real, keep, CTI_R(1.5), "1", \
      "the direction of the last step is kept while its way out is at most so many times the shortest: else two equal ways alternate") \
    X(ct_real, stiff, CTI_R(0.03), "1", \
      "compliance of a row whose direction is known, over the blocks' inverse mass along the row: the row is met to 3 %. Stiff blocks get less " \
      "(repair.c)") \
    X(ct_real, soft, CTI_R(0.1), "1", "the same for a contour, whose direction changes as it shrinks") \
    X(ct_real, rigid, CTI_R(0.03), "1", \
      "the same for a rigid body, whose rows contradict each other: each row has this times their number, so that all together have this") \
    X(ct_real, past, CTI_R(4), "thicknesses", "distance beyond the way out that a repair aims at, so that the surfaces end apart: the rows yield") \
    X(ct_real, steep, CTI_R(0.1), "1", \
      "least |E . N| of an edge's direction E and a face's normal N: the gradient of the contour's length is divided by it") \
    X(ct_real, same, CTI_R(0.98), "1", \
      "cosine above which two directions count as one: 11 degrees, below the angle between faces of a coarse sphere") \
    X(ct_real, pull, CTI_R(0.01), "1", \
      "square of the sum of unit vectors along the cut edges, from the part with fewer vertices; above it that part is pulled along the sum") \
    X(ct_real, even, CTI_R(1e-4), "1", \
      "square of the sum of a contour's gradients, about 1 for one edge; below it they cancel, and each edge follows its own")

/* ---- steps that are refused (judge.c, shell.c) ---- */
#define CTI_TUNED_REFUSAL(X) \
    X(double, debt, 0.02, "of the energy that takes part in a step", \
      "a gain that velocities do not have, and that later steps have to lose, up to this. 0: three heavy sheets that lie on each other are held " \
      "in a quarter of their steps of 40 ms") \
    X(double, outside, 1e-6, "of the momenta of a set", "a change beyond gravity's by more comes from outside. It is that of solves") \
    X(int, parts, 8, "substeps", \
      "of a step that is refused with fewer. Of 8,640 steps of soft cubes under geometric (1e4 to 1e7 Pa, 2.5 to 40 ms) 10 end not converged; " \
      "half: 96; double is above max_substeps. Balls that roll down a slope under penalty gain in twice as many steps with half of it")

/* ---- estimated times on an x86-64 server, the units of work (0_base/frame.h). Results depend on them under a bound of a frame's work alone ---- */
#define CTI_TUNED_FRAME(X) \
    X(double, flop, 4e-5, "us", "a flop of a factor") \
    X(double, column, 0.5, "solves", "a block in contact takes, for its three columns of A^-1") \
    X(double, linear, 0.5, "us", "a block of A and b") \
    X(double, moved, 0.1, "us", "a block, moving, testing and judging a tentative end") \
    X(double, boxes, 0.2, "us", "a surface vertex in a query of the trees") \
    X(double, pair, 0.03, "us", "a candidate, in its distance at the start, or in a test of the motion") \
    X(double, ended, 0.5, "us", "a block, saving the start, the energies, the commit and the report") \
    X(double, push, 0.15, "us", "a sweep over a row of an impact zone") \
    X(double, solve, 0.25, "1", "of the bound, that solves may use in any case: with less, what they leave unsolved takes more time than they") \
    X(double, tests, 1, "tests", "of the motion kept back for the end of a step") \
    X(int, zone_tests, 6, "tests", "of the motion that impact zones may make in any case") \
    X(int, zone_sweeps, 3, "sweeps", "between two of them in any case")

/* ---- estimated times on an x86-64 server, by which loops are cut into tasks for workers. Results do not depend on them ---- */
#define CTI_TUNED_STEP_COSTS(X) \
    X(double, energy, 20.0, "us", "a body's elastic energy") \
    X(double, row, 0.2, "us", "making a row") \
    X(double, crushed, 0.02, "us", "testing the elements at a block") \
    X(double, motion, 1.0, "us", "the free motion of a block") \
    X(double, model, 50.0, "us", "the forces and the stiffness of a body") \
    X(double, clear, 0.03, "us", "clearing a row of A") \
    X(double, note, 0.08, "us", "recording the results of a block")
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
    G(cti_step_tuned, refusal, CTI_TUNED_REFUSAL) \
    G(cti_step_tuned, frame, CTI_TUNED_FRAME) \
    G(cti_step_tuned, costs, CTI_TUNED_STEP_COSTS)

typedef struct cti_step_numbers {
    CTI_STEP_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_step_numbers;
CTI_TUNED_CONST cti_step_numbers cti_step_tuned = {CTI_STEP_GROUPS(CTI_TUNED_GROUP_VALUE)};
