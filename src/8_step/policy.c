/* policy.c -- the decisions of a step. They say when a factor is computed anew, how a free motion is solved, and what an island's solve is given.
   They also say what follows from its end, what refuses an attempt, and how a step is cut.
   Method: every decision is a pure function of a few facts, with its constants beside it. A constant's comment has its unit and the reason for its
   value. Half and double of it were measured only where the comment says so. The natural map is the residual of the contact law, relative to |g| dt.
   Based on: no paper. */
#include "policy.h"

/* ---- factors ---- */

/* [flops a nonzero] A factor below is computed anew in every step: a factorization then costs about ten solves. A factor above is computed anew when
   it is asked for. */
#define CTI_POLICY_CHEAP 300
/* [flops] A factorization above is put off while the component flies, or rests in contact. */
#define CTI_POLICY_LARGE 5e7
/* [flops a nonzero] A solve with the factor takes as long as so many flops of a factorization, since it waits for memory. */
#define CTI_POLICY_SOLVE 15
/* [1] Stiffness of a block by its mass above which the factor is in double. Float then knows the free motion, which is the mass's, to less than a
   hundredth. S1 has 1e2, a steel cube of 2 cm at 1/60 s 1e9. Ten times more or less changes nothing in all scenes at hand. */
#define CTI_POLICY_STIFF CTI_R(1e5)
/* [iterations] A free solve that takes more asks for a new factor. */
#define CTI_POLICY_SLOW 8
/* [1] Corrections get a new factor where more than one block in so many is held and the factor does not know it. */
#define CTI_POLICY_MISSING 12

CTI_FN int cti_policy_factor_is_cheap(double flops, double nonzeros) { return flops < CTI_POLICY_CHEAP * nonzeros; }

/* The last rule puts a large factorization off until the factor's age has cost as many iterations as a new one takes to compute. A rule
   that does not know the future can do no better than twice the best time. */
CTI_FN int cti_policy_factor_is_due(const cti_factor_stamp *stamp, double flops, double nonzeros, ct_real dt, int moves_in_contact)
{
    if (stamp->age == 0)
        return 0;
    if (stamp->age < 0 || stamp->renewal_asked || stamp->dt != dt)
        return 1;
    if (!cti_policy_factor_is_cheap(flops, nonzeros))
        return 0;
    if (flops < CTI_POLICY_LARGE || moves_in_contact)
        return 1;
    return CTI_POLICY_SOLVE * (double)(stamp->excess_iterations + 1) * nonzeros >= flops;
}

CTI_FN int cti_policy_factor_is_exact(ct_real stiffness) { return stiffness > CTI_POLICY_STIFF; }

CTI_FN int cti_policy_factor_is_slow(const cti_factor_stamp *stamp, int iterations) { return iterations > CTI_POLICY_SLOW && stamp->age > 0; }

/* An impact asks more of a factor than free flight. Without this rule, factors that were put off doubled the worst step of a cloth's impact. */
CTI_FN int cti_policy_factor_lands(const cti_factor_stamp *stamp, const cti_solve_memory *memory, int is_cheap)
{
    return memory->was_free && stamp->age > 0 && is_cheap;
}

CTI_FN int cti_policy_factor_is_late(const cti_factor_stamp *stamp, const cti_solve_memory *memory)
{
    return memory->node_ports == 0 && memory->extrapolated_attempts > 0 && stamp->age != 0;
}

CTI_FN int cti_policy_penalized_is_due(const cti_factor_stamp *stamp, ct_real dt, int renew, int missing, int n)
{
    return renew || !stamp->penalized_known || stamp->penalized_dt != dt || missing * CTI_POLICY_MISSING > n;
}

/* ---- free motion ---- */

/* [1] Times the usual tolerance of the free solve for a component in contact that is solved by nodes: the solve of its contacts judges all of its
   motion. */
#define CTI_POLICY_INEXACT CTI_R(100)
/* [attempts] in a row in which the free motion of such a component is extrapolated: a component that rests solves it in one step of ten. */
#define CTI_POLICY_EXTRAPOLATED 9

CTI_FN int cti_policy_inexact_attempts(const cti_solve_memory *memory, int is_paper)
{
    return memory->in_contact && memory->node_ports > 0 && !is_paper ? memory->inexact_attempts + 1 : 0;
}

/* The gain of speed of the last solved free motion finds the near pairs, and the solve with contacts corrects the rest. The first
   attempt behind an impact is solved, since free flight says nothing about the contact. */
CTI_FN int cti_policy_extrapolated_attempts(const cti_solve_memory *memory, int renewal_asked, ct_real dt, ct_integrator integrator)
{
    int may = memory->inexact_attempts > 1 && !renewal_asked && dt == memory->dt_free &&
              memory->extrapolated_attempts < CTI_POLICY_EXTRAPOLATED && integrator == CT_INTEGRATOR_EULER;
    return may ? memory->extrapolated_attempts + 1 : 0;
}

CTI_FN ct_real cti_policy_free_tolerance(int inexact_attempts) { return inexact_attempts ? CTI_POLICY_INEXACT : 1; }

/* ---- an island's solve ---- */

/* [blocks] in contact up to which a component is one cluster. A sweep reads the response between all of them. */
#define CTI_POLICY_PORTS 200
/* [bytes] of the columns of A^-1 J' of a component's contacts, up to which the component is one cluster.
   Every sweep reads them, and a near cache holds that many. A contact has 36 bytes for each block in contact. */
#define CTI_POLICY_COLUMNS 1500000
/* [blocks] in contact up to which a component is one cluster after its solve by nodes failed: stiff cards in a heap fell apart under nodes. */
#define CTI_POLICY_PORTS_FAILED 1500
/* [attempts] for which a component stays one cluster then. */
#define CTI_POLICY_WHOLE_ATTEMPTS 30
/* [components] solved by nodes up to which an island gets corrections. Contacts of several nodes hold each of them alone, so that stacks which move
   together gain nothing: with six layers of cloth, corrections cost more than they bring. */
#define CTI_POLICY_CORRECTED 2
/* [budgets] of max_sweeps over all contacts that a step may spend in solves that end far from a solution. Then such islands get an eighth of their
   budget: what is in contact has no room, and the step will end in smaller steps or in impact zones. */
#define CTI_POLICY_WASTED 24
/* [1] Times that bound where an island has joints, which each round linearizes anew. */
#define CTI_POLICY_WASTED_JOINTS 4

CTI_FN int cti_policy_is_whole(ct_cluster_mode mode, const cti_solve_memory *memory, int ports, int rows)
{
    if (mode != CT_CLUSTER_AUTO)
        return mode == CT_CLUSTER_BODY;
    if (memory->whole_attempts)
        return ports <= CTI_POLICY_PORTS_FAILED;
    return ports <= CTI_POLICY_PORTS && 36.0 * ports * rows <= CTI_POLICY_COLUMNS;
}

CTI_FN int cti_policy_whole_attempts(int node_ports)
{
    return node_ports > 0 && node_ports <= CTI_POLICY_PORTS_FAILED ? CTI_POLICY_WHOLE_ATTEMPTS : 0;
}

CTI_FN int cti_policy_is_corrected(int split_components) { return split_components > 0 && split_components <= CTI_POLICY_CORRECTED; }

CTI_FN int cti_policy_sweeps(const cti_policy_budget *q)
{
    int bound = CTI_POLICY_WASTED * (q->has_equations ? CTI_POLICY_WASTED_JOINTS : 1);
    if (q->wasted_sweeps > bound && q->is_far)
        return cti_max_int(1, q->max_sweeps / 8);
    return q->is_later ? cti_max_int(1, q->max_sweeps / 2) : q->max_sweeps;
}

/* ---- the end of an island's solve ---- */

/* [1] Natural map above which a solve ended far from a solution. ICA's islands then get another half of their budget, and the result of another solver
   is refused. */
#define CTI_POLICY_FAR CTI_R(0.15)
/* [1] Natural map from which on a solve by nodes has failed. */
#define CTI_POLICY_FAILED CTI_R(0.5)
/* [1] The same as a share of the island's speed, if that is more: in an impact, |g| dt is little beside it. */
#define CTI_POLICY_FAILED_SPEED CTI_R(0.05)
/* [rows] of an island up to which Newton's method takes over. */
#define CTI_POLICY_NEWTON_ROWS 400
/* [1] Share of ICA's natural map up to which Newton's result is taken. */
#define CTI_POLICY_NEWTON_SHARE CTI_R(0.5)
/* [1] Natural map from which on friction contact by contact has diverged. It is not solved for, and its own part of the residual is large. */
#define CTI_POLICY_DIVERGED CTI_R(10)
/* [1] Times its bound that a solver that pivots, or interior point, may spend in a step. */
#define CTI_POLICY_SPENT 1

CTI_FN ct_real cti_policy_far_natural(void) { return CTI_POLICY_FAR; }

CTI_FN int cti_policy_is_far(ct_real natural) { return !(natural <= CTI_POLICY_FAR); }

CTI_FN ct_real cti_policy_failed_natural(ct_real speed, ct_real scale)
{
    return cti_max(CTI_POLICY_FAILED, CTI_POLICY_FAILED_SPEED * speed / scale);
}

CTI_FN int cti_policy_any_failed(ct_real worst) { return !(worst < CTI_POLICY_FAILED); }

CTI_FN int cti_policy_gets_more_sweeps(cti_solve_status ended, ct_real natural, ct_real failed)
{
    return ended == CTI_SOLVE_BUDGET && natural > CTI_POLICY_FAR && natural < failed;
}

#if CONTACT_WITH_NEWTON
CTI_FN int cti_policy_newton_takes_over(const ct_solver_desc *desc, cti_solve_status ended, ct_real natural, int rows)
{
    return desc->solver == CT_SOLVER_AUTO && desc->cone == CT_CONE_CONE && natural > CTI_POLICY_FAR && ended != CTI_SOLVE_DIVERGED &&
           rows <= CTI_POLICY_NEWTON_ROWS;
}

CTI_FN ct_real cti_policy_newton_natural(ct_real natural) { return CTI_POLICY_NEWTON_SHARE * natural; }
#endif

CTI_FN int cti_policy_friction_diverged(ct_real natural) { return !(natural < CTI_POLICY_DIVERGED); }

CTI_FN int cti_policy_chosen_goes_on(ct_real spent) { return !(spent > CTI_POLICY_SPENT); }

/* ---- an attempt ---- */

/* [1] Share of the thickness that a joint may miss by, far below what contacts notice. */
#define CTI_POLICY_JOINT CTI_R(1e-4)
/* [1] Times the slack by which a joint refuses the end of an attempt, so that the step is cut. */
#define CTI_POLICY_JOINT_FAILS 4
/* [1] Times that joints are linearized again in a round. */
#define CTI_POLICY_JOINT_TIMES 8
/* [rad] Turn of a rigid body with contacts in a substep: rows and straight motions describe a small turn. */
#define CTI_POLICY_TURN CTI_R(0.5)
/* [1] Share of the thickness by which the motion may miss a contact's row. */
#define CTI_POLICY_ROW CTI_R(0.01)
/* [1] Share of its energy and work that a body may gain in a substep under Euler's rule. The rule itself loses some hundred times as much
   in a step of 1/60 s. */
#define CTI_POLICY_GAIN 2e-4
/* [1] The same under the other rules, whose energy swings by their order. */
#define CTI_POLICY_GAIN_SWING 1e-3
/* [1] The same of a rigid body: half of the 1 % that a step must not gain. A row is linear in a turn: a ball of facets that rolls at 2 m/s
   gains up to .4 % in one step and loses it in the next. It gains more than .1 % in a fifth of its steps. Random world 732 gained 1 % in one. */
#define CTI_POLICY_GAIN_RIGID 5e-3
/* [ulp] of what an elastic energy is computed from. */
#define CTI_POLICY_GAIN_ROUNDING 16.0
/* [1] Share of what a step changes that a chain may rise above its energy. */
#define CTI_POLICY_CLIMB 0.1
/* [1] And share of the energy of a step's fall, far above what tolerances leave. */
#define CTI_POLICY_CLIMB_FALL 0.01
/* [iterations] of Newton's method with whole steps, before steps are searched. Contacts' impulses change with x, and whole steps get there
 * sooner. */
#define CTI_POLICY_NEWTON_FULL 3

/* Behind the share of the thickness: what the solver's tolerance leaves in a step, twice, and 16 roundings of a coordinate. */
CTI_FN ct_real cti_policy_joint_slack(ct_real thickness, ct_real tolerance, ct_real scale, ct_real dt, ct_real size)
{
    return cti_max(CTI_POLICY_JOINT * thickness, cti_max(2 * tolerance * scale * dt, 16 * CTI_EPS * size));
}

CTI_FN int cti_policy_joint_holds(ct_real miss, ct_real slack, int times) { return miss <= slack || times == CTI_POLICY_JOINT_TIMES; }

CTI_FN int cti_policy_joint_fails(ct_real miss, ct_real slack) { return miss > CTI_POLICY_JOINT_FAILS * slack; }

CTI_FN int cti_policy_turns_far(ct_real angle) { return angle > CTI_POLICY_TURN; }

CTI_FN ct_real cti_policy_row_miss(ct_real thickness, ct_real dt) { return CTI_POLICY_ROW * thickness / dt; }

CTI_FN double cti_policy_rigid_gain(double energy) { return CTI_POLICY_GAIN_RIGID * energy; }

CTI_FN double cti_policy_body_gain(int is_euler, double energy, double rounded)
{
    return (is_euler ? CTI_POLICY_GAIN : CTI_POLICY_GAIN_SWING) * energy + CTI_POLICY_GAIN_ROUNDING * (double)CTI_EPS * rounded;
}

CTI_FN int cti_policy_chain_climbs(double rise, double motion, double mass, double fall)
{
    return rise - motion > CTI_POLICY_CLIMB * (fabs(rise) + fabs(motion)) + CTI_POLICY_CLIMB_FALL * mass * fall;
}

CTI_FN int cti_policy_newton_is_full(int iterations) { return iterations <= CTI_POLICY_NEWTON_FULL; }

/* ---- a step and its substeps ---- */

/* [1] Successes in a row that double a step limit, as in adaptive integration: the first alone may be the calm after an impact. S2, S3_N8 (200 steps)
   and letters (45, 100 steps) have no failure, and no constant of substeps changes a bit of them. Bars that tumble beside resting crates (25 runs of
   test_parts' scenes; 1,680 steps, 979 of them cut) take 3,502 substeps and 5,681 linearizations; half: 3,503 and 5,694; double: 3,528 and 5,686. A
   stack of ten beside a hopping bar (150 steps): 209 substeps; half: 209; double: 213. */
#define CTI_POLICY_SUCCESSES 2
/* [1] Ratio above which two lengths of substeps are equal. The last substep of a span is longer by up to 1e-6 of the step (cti_step_length), which is
   2.6e-4 of the shortest substep, 1/256 of the step; a limit must not halve it for that. Half and double the distance to 1, and 1 itself, change no
   bit in the scenes above, impacts of ccd_limits_step among them; .9 changes those alone. */
#define CTI_POLICY_EQUAL CTI_R(0.999)
/* [1] Share of an interval below which the rest of it is rounding: the surface is then at its end to the bit, not one rounding beside it. Sums of up
   to 256 lengths round by 3e-14 in double and 1.5e-5 at worst in float; the shortest substep is 4e-3 of an interval. Half and double change no bit in
   the scenes above. Without it the surface ends beside its body (other bits in 4 of those 25 runs, of bars that tumble). */
#define CTI_POLICY_END CTI_R(1e-5)
/* [1] Parts that a step of a tangled world is cut into at most: shorter substeps make no room. */
#define CTI_POLICY_TANGLED 4
/* [1] Rollbacks of a step, after which no component is excluded any more, and failures halve the world. They bound the work of a step. In
   the swarms of test_parts and in 240 worlds of the soak a step had two rollbacks at most. Half and double change nothing there. */
#define CTI_POLICY_ROLLBACKS 4
/* [1] Tries of the shortest substep in which blocks with meaningless velocities are held, and the others solved about them. */
#define CTI_POLICY_HOLDS 3

CTI_FN int cti_policy_dt_reaches(ct_real dt, ct_real length) { return dt >= CTI_POLICY_EQUAL * length; }

CTI_FN int cti_policy_is_limited(const cti_substep_memory *memory, ct_real dt)
{
    return memory->dt_limit > 0 && memory->dt_limit < CTI_POLICY_EQUAL * dt;
}

CTI_FN int cti_policy_raises_limit(int successes) { return successes == CTI_POLICY_SUCCESSES; }

CTI_FN int cti_policy_is_end(ct_real share) { return share > 1 - CTI_POLICY_END; }

CTI_FN ct_real cti_policy_least_dt(ct_real dt, ct_real least, int is_tangled)
{
    return is_tangled ? cti_max(least, dt / CTI_POLICY_TANGLED) : least;
}

CTI_FN int cti_policy_may_exclude(int rollbacks) { return rollbacks < CTI_POLICY_ROLLBACKS; }

CTI_FN int cti_policy_may_hold(int tries) { return tries < CTI_POLICY_HOLDS; }
