/* program_policy.h -- the tuned numbers of the solvers of stand-alone problems. A line has a number's type, name, value and unit, and a text that
   goes on from the unit: what the number does, and a reason for its value where one is known. docs/policy.md says of which half and double change
   what. */
#pragma once

#include "../0_base/tuned.h"

/* clang-format off */
/* ---- block_pivot.c, and dense rows in ca.c, boxed.c, lemke.c ---- */
#define CTI_TUNED_PIVOT(X) \
    X(int, chances, 10, "rounds", "without fewer violations, before one row changes at a time") \
    X(double, shift, 1e-11, "of the diagonal", "least shift of a face's factor: a singular face has one; a second solve takes its error away") \
    X(double, slope, 1e-13, "of the largest term of u", "rounding of it; of the largest multiplier, too") \
    X(int, rows, 1500, "rows", "of QPs and LCPs for the dictionaries of LEMKE and BOXED") \
    X(double, tiny, 1e-11, "1", "of scaled rows: a smaller entry of a dictionary is no pivot; violations in BOXED") \
    X(int, guess, 12, "sweeps", "of Gauss and Seidel before CA's first pivots") \
    X(int, steps, 60, "steps", "most proximal ones of CA") \
    X(int, patience, 60, "rounds", "after which CA's W gets more compliance") \
    X(int, rounds, 150, "solves", "of BOXED on friction, with turned tangents") \
    X(double, soft, 1e-7, "of the diagonal", "compliance of friction boxes on which pivoting fails")

/* ---- lemke.c and lemke_forms.c ---- */
#define CTI_TUNED_LEMKE(X) \
    X(int, cap, 8000000, "pivots", "in all: Murty's problem of n = 16 takes 2^16, one of n = 22 would take 2^22") \
    X(int, cap_large, 200000, "pivots", "of one start for n > 22: if rounding defeats the rule against cycles, the next start may succeed") \
    X(int, program, 600, "rows", "most for which a linear program checks a ray") \
    X(double, noise, 1e-12, "of the largest entry of its kind", "smaller numbers are rounding errors of 0") \
    X(int, largest, 2048, "rows", "most of a friction LCP") \
    X(int, rounds, 100, "solves", "of it with rotated tangents") \
    X(int, restarts, 40, "starts", "after a ray, of at most 200 rows; 2 of more")

/* ---- active_set.c and active_program.c ---- */
#define CTI_TUNED_ACTIVE(X) \
    X(double, dependent, 1e-14, "of W_pp", "with a smaller pivot a row depends on the set: rounding") \
    X(double, nearly, 1e-10, "of W_pp", "with a smaller pivot a proof is tried; rows that nothing forces in stay out") \
    X(double, flat, 1e-13, "of the largest entry of r", "rounding of an entry that is 0") \
    X(int, rows, 6000, "rows", "at most, since a column of W is dense") \
    X(double, tiny, 1e-12, "of the largest term of u", "a violation below it counts as none") \
    X(double, rounding, 1e-14, "of the terms of u", "a violation below it is rounding: 50 eps, as sums of hundreds of terms lose") \
    X(int, repairs, 6, "times", "at most the multipliers are corrected by the exact u") \
    X(double, pivot, 1e-13, "1", "smallest pivot of an equilibrated A that is definite")

/* ---- convex.c, interior.c, and which matrices are convex ---- */
#define CTI_TUNED_CONVEX(X) \
    X(int, dense, 2500, "rows", "most for the Schur complement") \
    X(double, products, 6e7, "entries", "most of J'H^-1 J before equal ones are summed") \
    X(double, pivot, 1e-11, "1", "smallest pivot of an equilibrated A with which the Schur complement is used") \
    X(double, shift, 1e-9, "of a diagonal entry", \
      "its shift before the pivots are read. A singular A rounds to pivots of either sign: with 0 three tests of it fail; half, double and " \
      "1e-6 change none") \
    X(int, iterations, 200, "steps", "most; a problem that is solved takes far fewer") \
    X(int, brief, 8, "steps", "that are short, after which the multipliers start from larger values") \
    X(double, raise, 300, "1", "by which they are larger") \
    X(double, raise_most, 1e7, "1", "and at most in all") \
    X(int, correctors, 3, "solves", "of Gondzio's with a step's factor") \
    X(int, polish, 6, "steps", "proximal ones on a guessed active set") \
    X(double, grown, 1e-4, "of the largest unknown", \
      "a smaller one has not grown along a ray, whose length is 1e8 times the rest when it is seen. With 0 a solution beside a ray hides it " \
      "(ray_beside_a_solution in test_interior); half and double change no test")

/* ---- cones.c ---- */
#define CTI_TUNED_CONES(X) \
    X(int, contacts, 1200, "contacts", "up to which W is dense: 100 MB; larger problems need a sparse W") \
    X(double, newton, 0.05, "residual", "below which the derivative of |z_t| is used") \
    X(int, lu, 1500, "rows", "up to which that is done") \
    X(double, polish, 5e-3, "residual", "below which Newton's method is tried") \
    X(double, brief, 0.1, "step length", "after a shorter step |z_t| is once taken from the previous step") \
    X(int, stalled, 30, "steps", "without progress, after which the method gives up") \
    X(int, quick, 8, "steps", "the same where Newton's method can finish") \
    X(int, iterations, 300, "steps", "most of the method; one that converges takes far fewer")

/* ---- friction.c, friction_newton.c, friction_admm.c ---- */
#define CTI_TUNED_FRICTION(X) \
    X(int, few, 32, "contacts", "fewer are not worth a dense copy of a sparse W that is mostly full") \
    X(int, full, 1000, "contacts", "more than that are too large for it") \
    X(int, newton, 1000, "steps", "most of Newton's method") \
    X(int, halves, 8, "times", "that a step is halved") \
    X(int, patience, 30, "steps", "that do not take a fifth off the residual, after which sigma changes") \
    X(int, quick, 8, "steps", "the same in worlds") \
    X(int, leaps, 6, "times", "that whole steps or sweeps take over while Newton steps finish another method") \
    X(int, polish, 30, "steps", "most of these") \
    X(int, admm, 50000, "iterations", "most of ADMM") \
    X(int, check, 5, "iterations", "between two residuals") \
    X(int, balance, 40, "iterations", "before rho is first balanced anew, and Newton steps are first tried")

/* ---- stagger.c ---- */
#define CTI_TUNED_STAGGER(X) \
    X(int, rounds, 400, "rounds", "most, without a limit by the caller") \
    X(int, failures, 3, "failures", "of the inner solver that end a solve") \
    X(int, patience, 60, "rounds", "without progress that end a solve") \
    X(int, quick, 10, "rounds", "the same in a world's LOCAL program") \
    X(int, sets, 6, "sets", "most of block pivoting on one program of a world") \
    X(int, inner, 200, "steps", "most on one program of a world") \
    X(int, full, 3000, "steps", "most on one program that is solved to full accuracy, when the caller limits the rounds") \
    X(double, share, 0.05, "of the residual", "tolerance of a program in a world") \
    X(double, sigma, 1e-6, "of the diagonal of W", "proximal shift")

/* ---- mprgp*.c ---- */
#define CTI_TUNED_MPRGP(X) \
    X(int, power, 40, "steps", "of the power method at most; the paper's (6.1)") \
    X(double, noise, 2e-15, "of the unknowns' size", \
      "rounding of a row, beside that of its terms: unknowns that a projection makes 0 were larger before it") \
    X(double, rounding, 1e-14, "of the terms of a row", "rounding of it") \
    X(double, slow, 1e-2, "of a chain's decrease", \
      "outside of the set a chain ends when a step lowers the projected point's objective by less: the face's minimum is of little value there") \
    X(double, proximal, 1e-6, "of the diagonal", "first shift after a guess that failed; larger if that fails, smaller after a success") \
    X(int, singles, 10, "sets", "of them in a row in which one row changes: a cycle, from which MPRGP goes on by itself") \
    X(double, share, 0.9, "of 2 / |A|", \
      "step as printed; |A| is an estimate from below, and at 2 / |A| Lemma 4 gives no decrease. Half: stiff_10k takes 2.7 times the steps; " \
      ".99: as many, but 128 instead of 195 in stack_36k (docs/solvers_mprgp.md)") \
    X(double, round, 1e-12, "of the terms of a row", "as printed: a row with a smaller value is active")

/* ---- pgs.c and mixing.c ---- */
#define CTI_TUNED_PGS(X) \
    X(int, refresh, 64, "sweeps", "after which u is recomputed") \
    X(int, look, 16, "sweeps", "between two tests of the size of r") \
    X(int, doublings, 8, "doublings", "of |r| in a row that count as divergence: growth by a factor, unlike the growth towards a large solution") \
    X(int, window, 1024, "sweeps", "first window for cycles; each window is twice as long as the last") \
    X(double, progress, 0.98, "of the last window's", "least change, to which that of a window must fall") \
    X(int, dense, 3000, "rows", "up to which a sparse W that is mostly full is stored dense: 72 megabytes") \
    X(double, ridge, 1e-11, "of the trace of the products", "keeps the weights of nearly equal differences bounded")

/* ---- ica_program.c ---- */
#define CTI_TUNED_ICA(X) \
    X(int, inner, 200, "iterations", "most inner ones of the paper's solve") \
    X(int, ports, 600, "blocks in contact", "of a component that is one cluster: the tile of its inverse has 13 megabytes") \
    X(int, tries, 300, "iterations", "with bodies as clusters: dumps of worlds need 2 to 140, more are a cycle") \
    X(double, flops, 2e10, "operations", "of the factor of such a component: some seconds")

/* ---- certificate.c and solvers.c ---- */
#define CTI_TUNED_JUDGE(X) \
    X(double, noise, 1e-7, "of the largest multiplier", "smaller ones are a solver's rounding and no part of a proof") \
    X(double, rest, 1e-6, "1", \
      "weight of rows outside of a proof in a column's size, for entries of 1e-15, which are rounding of the data. With 1 feasible problems " \
      "are INFEASIBLE (far_solutions_are_not_infeasible in test_judge); half, double and 0 change none of its problems") \
    X(int, dense, 12000, "rows", "of a dense W: about a gigabyte")

/* ---- bridge_solve.c and bridge.c: a world's problem ---- */
#define CTI_TUNED_BRIDGE(X) \
    X(int, interior, 4000, "iterations", "of the interior point method in all solves of a step: three times the need of thousands of contacts") \
    X(int, attempts, 4, "attempts", "with smaller and smaller tolerances on one program") \
    X(double, local, 0.5, "of the world's tolerance", "the first attempt's where W is formed, so that another attempt costs only iterations") \
    X(double, first, 0.1, "of the world's tolerance", "the first attempt's otherwise") \
    X(double, quick, 1e-2, "of the world's tolerance", "the same of methods whose last digits are almost free") \
    X(int, stagger, 150, "rounds", "most of staggering, or steps of the interior point method") \
    X(int, barrier, 80, "steps", "most of the interior point method where W is sparse") \
    X(int, rounds, 12, "rounds", \
      "staggering where W is sparse gets near the solution in a dozen, and hardly nearer after them; small problems may take more") \
    X(double, work, 4e9, "multiplications", "in the iterations of one attempt") \
    X(int, newton, 80, "steps", "most of Newton's method") \
    X(double, tight, 1e-13, "1", "least tolerance that an attempt is given") \
    X(int, passes, 10, "passes", "that add violated rows only; the next one adds all rows") \
    X(ct_real, sure, CTI_R(1.5), "of the recovery's part", "an impulse beyond it is carried by the hard law") \
    X(int, cones, 400, "contacts", "of the interior point method: a step factors a dense matrix of three times as many rows") \
    X(int, sparse, 20000, "contacts", "a sparse W has some hundred blocks of 72 bytes a contact") \
    X(int, contacts, 2000, "contacts", "a dense W between so many takes 290 megabytes") \
    X(double, pairs, 4e6, "blocks", "and so does a sparse W with so many") \
    X(double, rigid, 1e-9, "of its blocks' own", "compliance of an equation without one: the equation is violated by that share of its effect")
/* clang-format on */

/* capacities of arrays */
enum {
    CTI_ACTIVE_BATCH = 32,    /* [columns] of W that an active set computes together */
    CTI_NEWTON_HISTORY = 6,   /* [norms] of Newton's line search, which is not monotone */
    CTI_MIXING_DEPTH = 8,     /* [differences] most in an acceleration; ADMM's */
    CTI_MIXING_SWEEPS = 6,    /* [differences] those of sweeps and of staggering */
    CTI_FRICTION_GROUP = 24,  /* [contacts] most of a group that is eliminated together */
    CTI_PROGRAM_BATCH = 48,   /* [rows] whose Schur complement is formed together, for scales */
    CTI_COULOMB_ARCS = 24,    /* [1] of the circle of directions: 15 degrees */
    CTI_LEMKE_SIDES = 8       /* [1] of a cone */
};

#define CTI_PROGRAM_GROUPS(G) \
    G(cti_program_tuned, pivot, CTI_TUNED_PIVOT) \
    G(cti_program_tuned, lemke, CTI_TUNED_LEMKE) \
    G(cti_program_tuned, active, CTI_TUNED_ACTIVE) \
    G(cti_program_tuned, convex, CTI_TUNED_CONVEX) \
    G(cti_program_tuned, cones, CTI_TUNED_CONES) \
    G(cti_program_tuned, friction, CTI_TUNED_FRICTION) \
    G(cti_program_tuned, stagger, CTI_TUNED_STAGGER) \
    G(cti_program_tuned, mprgp, CTI_TUNED_MPRGP) \
    G(cti_program_tuned, pgs, CTI_TUNED_PGS) \
    G(cti_program_tuned, ica, CTI_TUNED_ICA) \
    G(cti_program_tuned, judge, CTI_TUNED_JUDGE) \
    G(cti_program_tuned, bridge, CTI_TUNED_BRIDGE)

typedef struct cti_program_numbers {
    CTI_PROGRAM_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_program_numbers;
CTI_TUNED_CONST cti_program_numbers cti_program_tuned = {CTI_PROGRAM_GROUPS(CTI_TUNED_GROUP_VALUE)};
