/* solve_policy.h -- the tuned numbers of a solve of contacts, and its decisions as functions of a few facts, without side effects.
   A line has a number's type, name, value and unit, and a text that goes on from the unit: what the number does, and a reason for its value
   where one is known beside the runs. So the line of `plain` begins: 10 sweeps over contacts, at most. Rows "group.name" of docs/policy.md
   have runs without a mechanism (55 numbers of both headers), and with half and double (all but `costs` and `paper`). Numbers of which half and
   double changed no bit are in a list at its end. A comment above a line tells of other runs.
   Words: `change` [m/s]: of a sweep over contacts the largest change of a contact's velocity; of an outer iteration the largest of three, that of
   v, that of its first sweep, and that of its correction, which counts as 2 tolerances at least (ica_accelerate.c). Of iterations with a
   correction the last pass over contacts and nodes counts. `tolerances` are multiples of the user's tolerance times velocity_scale: |g| dt, or
   without gravity what island.weightless says. `The history` is that of the Anderson acceleration of the loop at hand: of sweeps where A couples no
   clusters, else of outer iterations. Inverses are those of clusters: exact, or lagged, which are of an earlier matrix. `1` is a number without a
   unit, `eps` the precision of ct_real. Numbers of equations and sections are those of Otaduy 2009. docs/solvers_ica.md describes the loops. */
#pragma once

#include "../0_base/tuned.h"
#include "problem.h"

/* clang-format off */
/* ---- sweeps over the contacts (eq. 11), and when a loop of them ends ---- */
#define CTI_TUNED_SWEEPS(X) \
    X(int, coupled, 2, "sweeps", \
      "over contacts, at most, between two over clusters that A couples; max_sweeps over it bounds the outer iterations. Above `first_mix` + 2 " \
      "the acceleration of sweeps acts there, too") \
    X(int, plain, 10, "sweeps", \
      "over contacts, at most, between two over clusters that A couples, in stand-alone problems without acceleration (ct_solver_desc.plain); " \
      "`coupled` bounds the outer iterations there, too") \
    X(ct_real, stop, CTI_R(0.25), "tolerances", "change at which a loop of sweeps ends: a residual adds up what several contacts leave") \
    X(ct_real, drop, CTI_R(0.05), "1", \
      "of the first sweep's change, at which a loop of `plain` between coupled clusters ends (the paper's 5 %, 5.5), and one without coupling with " \
      "inverses of an earlier matrix: the velocities that they predict are not more accurate. Accelerated loops between coupled clusters are too " \
      "short to end so") \
    X(ct_real, drop_jointed, CTI_R(1e-3), "1", \
      "the same with exact inverses under joints, which are linearized again after the solve (attempt.joint_times): it need not be exact") \
    X(ct_real, drop_exact, CTI_R(1e-5), "1", "the same with exact inverses and without joints: float changes of velocity resolve no more") \
    X(int, stall, 6, "sweeps", \
      "in a row that each leave at least half of the smallest change before. After so many a loop ends once its change is at most `stalled`; after " \
      "twice as many, where A couples no clusters, at most `outer.judge`") \
    X(ct_real, stalled, CTI_R(0.7), "tolerances", \
      "of sweeps (lowered by `outer.tight`): change at which a stalled loop ends; below 1, so that the residual may still be within the tolerance") \
    X(int, first_mix, 2, "sweeps", \
      "before the history begins: plain sweeps find out which contacts act. In a solve's first loop the fifth sweep is the first that starts from " \
      "an extrapolation. Later loops keep the differences, and there it is the fourth") \
    X(ct_real, restart, 2, "1", \
      "growth of the change over its smallest value, at which the history is dropped. With 1, 14 of 100 steps of the scene `crash` more end above " \
      "the tolerance") \
    X(int, few, 250, "contacts", \
      "below this number a solve without coupling gets more sweeps, for the same number of visits to contacts. A budget of `island.wasted` counts " \
      "at least this many contacts") \
    X(int, more, 20, "1", "largest factor on max_sweeps for that: bounds the work of a single contact")

/* ---- outer iterations (eq. 12), and when they end ---- */
#define CTI_TUNED_OUTER(X) \
    X(ct_real, diverged, CTI_R(1e4), "1", "growth of the change over its smallest value that counts as divergence (5.6 gives no number)") \
    /* With 2 S2 takes 1.2 times the sweeps. 6 of 100 of its steps more end above the tolerance, and 15 of S3_N16's. Without it a chain of which \
       one half is a cluster diverges (tests/test_ica.c) */ \
    X(ct_real, restart, 10, "1", "growth of the change over its smallest value, at which the acceleration forgets its history") \
    X(ct_real, contracts, CTI_R(0.4), "1", "change over the last one, above which lagged inverses are computed anew, where A couples no clusters") \
    /* 1 takes 0.94 to 1.10 times the sweeps in three starts of S1, S2 and S3_N8 (docs/policy.md). Below 2 no iteration with a correction is \
       judged, since a correction counts as 2 tolerances at least */ \
    X(ct_real, judge, 2, "tolerances", \
      "change below which the residual is computed; with exact inverses and without coupling that of the last sweep") \
    X(ct_real, judge_next, CTI_R(0.9), "1", \
      "of the change of `judge`: where A couples clusters, a residual above the tolerance lowers that change to this share of it, or to the change " \
      "aimed at if that is smaller") \
    X(ct_real, judge_drop, CTI_R(0.1), "1", \
      "of the present change: the least that is aimed at after a residual above the tolerance. A residual predicts no more than a digit") \
    X(ct_real, tight, CTI_R(0.7), "1", \
      "of the change aimed at. After a residual above the tolerance this is the tolerance of later sweeps; where A couples clusters, the change of " \
      "`judge_next` is. Sweeps end at `stop` of their tolerance, which a solve does not raise again") \
    X(ct_real, tight_least, CTI_R(1e-3), "1", "least factor on the tolerance of sweeps: float resolves no more")

/* ---- corrections of bodies that a splitting divides (cti_problem.split.correction) ---- */
#define CTI_TUNED_CORRECTION(X) \
    X(int, sweeps, 2, "iterations", \
      "of contacts and nodes before each correction, as the smoother of a two-grid method: they remove the rough part of the error. Each may make " \
      "`sweeps.coupled` sweeps") \
    X(int, idle, 2, "corrections", \
      "in a row with little effect. After so many, corrections end if the last one was `smooth`. Else a factor is computed anew, at most once, and " \
      "only where it is cheap (factors.cheap). Otherwise one more such correction ends them") \
    X(ct_real, little, CTI_R(0.7), "1", "of the smallest change since the last new factor; a correction that leaves more has little effect") \
    X(ct_real, smooth, 10, "tolerances", \
      "largest entry of the last correction, up to which none follows once the change without it is at most the tolerance")

/* ---- Anderson acceleration, and the base point of sweeps over nodes ---- */
#define CTI_TUNED_ANDERSON(X) \
    X(int, depth, 5, "differences", "of iterates in the history of sweeps: a longer one makes each accelerated sweep dearer") \
    X(int, outer, 10, "differences", "the same of outer iterations: with 5, 5 more of 120 steps of S2 end above the tolerance") \
    /* c: weights of the differences. The sum times float's 6e-8 bounds the relative rounding error of a velocity, here below 1e-3. Two runs \
       were made before three mechanisms were removed (docs/policy.md). With 1e5 the step in which a rigid cube hits an equal soft one at \
       2 m/s ended on its budget. With 3e3 steps of equally stiff joints beside a contact did */ \
    X(double, sum, 1e4, "1", "sum of |c| above which the history is dropped") \
    X(double, ridge, 1e-12, "1", "of the trace, added to the normal equations: differences may be dependent up to rounding") \
    X(int, rebase, 16, "sweeps", \
      "over nodes between two base points, relative to which velocities are floats: few enough that rounding does not add up")

/* ---- the law of one contact. B is its J D^-1 J', B_nn the entry of its normal; its ray is lambda and gamma in a fixed proportion (law.c). `flat`
        and `slides` act on contacts between nodes alone, where A couples clusters, but not in stand-alone problems. `slides` also tells
        linkage.c which contacts stick ---- */
#define CTI_TUNED_LAW(X) \
    X(ct_real, flat, CTI_R(0.1), "1", "of B_nn; where the normal velocity changes by less along the ray, the ray is not followed") \
    X(ct_real, slides, CTI_R(0.99), "1", \
      "of mu^2; from this |gamma|^2 / lambda^2 on a contact slides, and may follow its ray; an iterate need not end on the cone exactly") \
    X(ct_real, regular, CTI_R(1e-6), "1", \
      "determinant over the product of the diagonal, above which the 3x3 block B is inverted as a whole: ten roundings of float")

/* ---- Newton steps on the augmented Lagrangian (augmented.c), and when they take over from the sweeps ---- */
#define CTI_TUNED_AUGMENTED(X) \
    /* of 200 steps of a pyramid of 55 boxes 1 ends above the tolerance with 100, 2 with 10, 3 with 1000 */ \
    X(double, stiff, 100, "1", "first penalty, in inverse local compliances of a row; of springs in central.c") \
    X(double, start, 0.1, "1", "natural map of a start below which the first penalty is as many times larger as the start is better") \
    X(double, grow, 10, "1", "factor on it after an outer iteration; a penalty that falls after a worse residual solves no step of that pyramid") \
    /* with 1e7 57 of 150 steps of masses of 1 : 1e6 end above the tolerance, with 1e8 and 1e10 none */ \
    X(double, stiffest, 1e8, "1", "largest penalty") \
    X(double, rounded, 1e-12, "1", "share by which friction on its bound may be less by rounding") \
    X(double, inner, 1, "1", "of the natural map: gradient at which an outer iteration ends; a tenth takes 15 % more factors where a chain falls") \
    X(double, aim, 0.01, "tolerances", \
      "natural map at which a solve ends, in groups of rigid bodies of central.c and of sweeps that Newton steps may replace, too: slow errors " \
      "add up over steps. With 0.5 in central.c stacks of 30 sway with 7e-6 of m g times a box's size, not 2e-9") \
    /* of 4,900 solves of dolls on stairs 65 end unsolved, with 1 instead of 6 187, with 3 81, with 10 185, with shares alone 692 */ \
    X(int, newton, 6, "1", "outer iterations in a row without a better natural map, after which friction bounds go by shares") \
    X(int, directions, 24, "1", "of conjugate residuals for a change of friction bounds, at most: as many solves with a factor") \
    X(double, solved, 1e-22, "1", "square of the share of the residual at which they end") \
    X(double, least, 0.05, "1", "smallest share of the way to mu lambda by which friction bounds change") \
    X(double, most, 2, "1", "largest such share") \
    /* 24 leaves as many unsolved as 14, and takes 5 % more factors */ \
    X(int, idle, 14, "1", "outer iterations in a row without a better natural map, after which a solve ends") \
    X(int, trials, 30, "1", "of a length along a Newton step, at most") \
    X(int, factors, 150, "factors", "of a solve, at most: stacks of 30 boxes take 20 to 60") \
    X(double, expected, 10, "factors", "that a solve is expected to take: 2 to 6 at rest, from the result of the last step") \
    X(double, flop, 1e-3, "us", "a multiplication in them") \
    X(int, look, 8, "sweeps", "of a loop over the contacts, after which its contraction predicts how many more it needs") \
    X(double, dear, 4, "1", "most times of a whole budget of sweeps that a solve may be expected to take") \
    X(double, reach, 1e9, "multiplications", \
      "of a factor, up to which AUTO finishes an island that ICA did not solve: some 30 ms by supernodes, 10 to 20 times")

/* ---- the interior point method (central.c). Half and double of each number (of `inside` .95 and .995) leave 0 to 3 of 88 steps of letters, unified,
        full and 20 sheets above the tolerance, for 6,600 to 7,600 iterations; as they are 2, for 7,400. Of 60 steps of 200 rigid bodies and 90 of
        60 spheres in a heap 0 and 1 to 8 stay above with numbers that differ by 1 % or in rounding, 0 to 2 and 1 to 6 with half and double of
        `apart`, `little` and `stuck`, 0 and 14 with half the `directions`, 1 and 5 with twice as many ---- */
#define CTI_TUNED_CENTRAL(X) \
    X(double, start, 0.3, "1", "of the start's natural map, at most of 1: speed of a pair of the start that is raised to the central path") \
    X(double, shorter, 0.5, "1", "of the predictor's length; a corrector that is shorter is bent less") \
    X(double, centre, 0.1, "1", "of eta, at least the aim of such a corrector") \
    X(double, behind, 0.01, "1", "of eta: least product of a pair; less would end steps") \
    X(double, apart, 0.1, "1", "of eta: least product of a cone") \
    X(double, ahead, 0.03, "1", "of the natural map: least speed of a pair on the central path that an iteration aims at") \
    X(double, inside, 0.99, "1", "of the way to the first pair that would vanish") \
    X(double, rounded, 1e-9, "1", "of the velocity scale: least delta") \
    X(int, directions, 6, "1", "of conjugate residuals for a change of friction bounds, at most; twice as many with one factor") \
    X(double, solved, 0.01, "1", "square of the share of the residual at which they end") \
    X(double, solved_cones, 1e-4, "1", "the same of cones, which steps leave by this error") \
    /* of v at the start and at the end; each is refined, and A's factor has two triangles */ \
    X(double, solves, 12, "triangular solves", "with the factor of A that a solve takes, where few rows touch large bodies (bordered.c)") \
    X(double, aim, 0.5, "tolerances", "natural map at which a solve ends, unless all bodies are rigid") \
    X(double, little, 0.02, "1", "of a whole step: shorter ones lead nowhere, since the path turns back") \
    X(int, stuck, 3, "steps", "so short, after which a path ends") \
    X(int, factors, 40, "factors", "of each of the two paths, at most")

/* ---- the paper's own iteration (ica_paper.c) ---- */
#define CTI_TUNED_PAPER(X) \
    X(ct_real, change, CTI_R(0.05), "1", \
      "of the residual after the last refinement of dv: a loop ends where no residual changes by more than this; the 5 % of 5.5") \
    X(int, repeats, 3, "solves", "of normal and friction at one visit of a contact (5.5, 3.2.1)") \
    X(int, quick, 10, "sweeps", "inner loops that take fewer are counted: nine in ten in the paper (5.3)") \
    X(ct_real, growth, CTI_R(1e4), "1", \
      "of the response's residual over its smallest value, which is divergence if it is also above the contacts' own push (5.6 gives no number)") \
    X(int, more, 20, "max_sweeps", "that a solve may take at most, in place of one: it ends solves that cycle") \
    X(ct_real, noise, 64, "eps", "of the velocities or impulses of which a residual is made: smaller changes of it are rounding, and count as none")

/* ---- estimated times on an x86-64 server, least ranges and a limit of searches, by which loops are cut into tasks for workers. Results
        depend on three of them: `visit` and `column` price a sweep against a rival (group augmented), and the dual gap is a sum over ranges
        (judge_rows), with its rounding ---- */
#ifdef CTI_TASKS_EAGER /* tests want several parts and workers that leave */
#define CTI_TUNED_PARTS(X) \
    X(double, sweep, 0, "us", "a sweep that is estimated to be shorter stays on one thread") \
    X(int, looks, 2, "searches", "for a run without success, after which a worker leaves")
#else
#define CTI_TUNED_PARTS(X) \
    X(double, sweep, 8.0, "us", "a sweep that is estimated to be shorter stays on one thread: waking workers takes as long") \
    X(int, looks, 2000, "searches", "for a run without success, after which a worker leaves")
#endif
#define CTI_TUNED_COSTS(X) \
    X(double, scatter, 0.06, "us", "adding a row's impulse to f") \
    X(double, velocity, 0.05, "us", "a row's velocity") \
    X(double, block, 0.4, "us", "a block in the solve of its cluster") \
    X(double, visit, 0.12, "us", "the visit of a contact") \
    X(double, column, 0.0008, "us", "an entry of each of a contact's three columns, in addition to `visit`") \
    X(double, tile, 20.0, "us", "setting up a cluster's tile of D^-1") \
    X(double, legs, 0.5, "us", "setting up a contact's columns") \
    X(double, mix, 0.4, "us", "a range of entries of one vector of the history") \
    X(int, range, 1024, "entries", "in such a range: 4 KB of floats") \
    X(double, judge_block, 0.06, "us", "the residual of a block") \
    X(double, judge_local, 0.4, "us", "the local compliance of a row") \
    X(double, judge_row, 0.06, "us", "the residual of a row") \
    X(int, judge_blocks, 32, "blocks", "least range over which one task takes a maximum") \
    X(int, judge_rows, 16, "rows", "the same; the dual gap is a sum of such ranges") \
    CTI_TUNED_PARTS(X)
/* clang-format on */

/* capacities of arrays: what the lists above say, and more where a bench may double it */
#ifdef CTI_POLICY_MUTABLE
enum { CTI_ANDERSON_MOST = 20 };
#else
enum { CTI_ANDERSON_MOST = 10 };
#endif
enum { CTI_ANDERSON_WEIGHTS = 20 }; /* most differences of a history in general (cti_anderson_weights): twice what the longest keeps */
enum { CTI_RESIDUAL_PARTS = 64 }; /* most ranges over which a maximum is taken: enough for all workers, and few to go through at the end */

#define CTI_SOLVE_GROUPS(G) \
    G(cti_solve_tuned, sweeps, CTI_TUNED_SWEEPS) \
    G(cti_solve_tuned, outer, CTI_TUNED_OUTER) \
    G(cti_solve_tuned, correction, CTI_TUNED_CORRECTION) \
    G(cti_solve_tuned, anderson, CTI_TUNED_ANDERSON) \
    G(cti_solve_tuned, law, CTI_TUNED_LAW) \
    G(cti_solve_tuned, augmented, CTI_TUNED_AUGMENTED) \
    G(cti_solve_tuned, central, CTI_TUNED_CENTRAL) \
    G(cti_solve_tuned, paper, CTI_TUNED_PAPER) \
    G(cti_solve_tuned, costs, CTI_TUNED_COSTS)

typedef struct cti_solve_numbers {
    CTI_SOLVE_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_solve_numbers;
CTI_TUNED_CONST cti_solve_numbers cti_solve_tuned = {CTI_SOLVE_GROUPS(CTI_TUNED_GROUP_VALUE)};

/* ---- sweeps over the contacts ---- */

/* cti_solve_policy_sweeps -- max_sweeps, raised for few contacts. */
CTI_FN int cti_solve_policy_sweeps(int max_sweeps, int rows);
/* cti_solve_policy_visits -- contacts that a sweep of a full budget visits: `rows` of the world, and `few` at least. */
CTI_FN int cti_solve_policy_visits(int rows);
/* cti_solve_policy_drop -- share of the first sweep's change at which a loop of sweeps ends. jointed: some rows are equations. */
CTI_FN ct_real cti_solve_policy_drop(const cti_problem *p, int coupled, int jointed);
/* cti_solve_policy_inner -- most sweeps of a loop over the contacts. left: of the solve's budget, where clusters are not coupled. */
CTI_FN int cti_solve_policy_inner(const cti_problem *p, const ct_solver_desc *desc, int coupled, int left);
/* cti_solve_policy_stop -- change at which such a loop ends. tol: the tolerance as a velocity, tightened. */
CTI_FN ct_real cti_solve_policy_stop(ct_real tol);

/* cti_sweep_facts -- of a sweep that has just been made. */
typedef struct cti_sweep_facts {
    int k, most;             /* its number, from 0; sweeps that the loop may make */
    int again;               /* 1: not the first outer iteration */
    int coupled;             /* 1: A couples clusters */
    int stalled;             /* sweeps in a row that did not halve the smallest change */
    ct_real change, first;   /* of this sweep and of the first one */
    ct_real stop, drop, tol; /* of the loop; the tolerance, tightened */
    ct_real worth;           /* change below which the result may be judged */
} cti_sweep_facts;
/* cti_solve_policy_sweeps_end -- 1 where the loop ends. */
CTI_FN int cti_solve_policy_sweeps_end(const cti_sweep_facts *q);
/* cti_solve_policy_halves -- 1 where a change is less than half of the smallest one before it. */
CTI_FN int cti_solve_policy_halves(ct_real change, ct_real best);
/* cti_solve_policy_sweep_restarts, cti_solve_policy_outer_restarts -- 1 where the history of the acceleration is dropped. */
CTI_FN int cti_solve_policy_sweep_restarts(ct_real change, ct_real best);
CTI_FN int cti_solve_policy_outer_restarts(ct_real change, ct_real best);
/* cti_solve_policy_mixes -- 1 where sweep k, from 0, enters the history. If that then has differences, the next sweep starts from an
   extrapolation. */
CTI_FN int cti_solve_policy_mixes(int k, int plain);

/* cti_solve_policy_outpaced -- 1 where a loop whose first change was `first`, and whose smallest one after `sweeps` is `best`, needs more time until
   the change is `stop` than a rival. sweep, rival [us]: a sweep, the rival's whole solve. */
CTI_FN int cti_solve_policy_outpaced(int sweeps, ct_real first, ct_real best, ct_real stop, double sweep, double rival);

/* ---- outer iterations. now, last, best: change of this iteration, of the one before, smallest so far ---- */

/* cti_solve_policy_iterations -- most of them. */
CTI_FN int cti_solve_policy_iterations(const ct_solver_desc *desc, int coupled);
/* cti_solve_policy_goes_on -- 1 where a loop whose budget is used up gets a second one: with the mean contraction of the budget's second half,
   from `midway` to `left`, it reaches `aim` within that. */
CTI_FN int cti_solve_policy_goes_on(ct_real midway, ct_real left, ct_real aim);
/* cti_solve_policy_status -- DIVERGED, SLOW (lagged inverses are to be replaced), or BUDGET: the loop goes on. */
CTI_FN cti_solve_status cti_solve_policy_status(const cti_problem *p, int coupled, int iterations, ct_real now, ct_real last, ct_real best);
/* cti_solve_policy_worth -- change, divided by velocity_scale, below which the first residual of a solve is computed. */
CTI_FN ct_real cti_solve_policy_worth(ct_real tolerance);
/* cti_solve_policy_next -- after a residual `natural` above the tolerance at a change `now`, divided by velocity_scale: change that makes a smaller
   residual likely; _worth_next: change below which the residual is computed then; _tight: factor on the tolerance of sweeps from then on. */
CTI_FN ct_real cti_solve_policy_next(ct_real now, ct_real natural, ct_real tolerance);
CTI_FN ct_real cti_solve_policy_worth_next(ct_real worth, ct_real next);
CTI_FN ct_real cti_solve_policy_tight(ct_real tight, int coupled, ct_real worth, ct_real next, ct_real tolerance);

/* ---- accelerations ---- */

/* cti_correction_choice -- what becomes of a correction. */
typedef enum cti_correction_choice {
    CTI_CORRECTION_NONE,  /* none in this iteration: the last one was small, and so is the change */
    CTI_CORRECTION_END,   /* none any more in this solve */
    CTI_CORRECTION_LAST,  /* with the last factor */
    CTI_CORRECTION_FIRST, /* the first of the solve: with a factor that is good enough */
    CTI_CORRECTION_RENEW  /* with a new factor */
} cti_correction_choice;
/* cti_solve_policy_correction -- corrected: largest entry of the last correction; renewed: factors asked for; most: of them; idle: corrections
   in a row with little effect. */
CTI_FN cti_correction_choice cti_solve_policy_correction(ct_real now, ct_real corrected, ct_real tol, int renewed, int most, int idle);
/* cti_solve_policy_is_idle -- 1 where a correction left a change of `now`, against the smallest since the last factor. */
CTI_FN int cti_solve_policy_is_idle(ct_real now, ct_real nearest);
/* cti_solve_policy_correction_sweeps -- iterations of contacts and clusters in an outer iteration. */
CTI_FN int cti_solve_policy_correction_sweeps(int correcting, int iteration);
