/* policy.c -- the decisions of a step. In the order of this file: when a factor is computed again, how a free motion is solved, how long an
   island may be solved, and what follows from the result; what rejects an attempt, and how a step is cut.
   Method: every decision is a pure function of a few facts; policy_numbers.h has the numbers, and docs/policy.md their measured worth. The
   natural map is the residual of the contact law, relative to |g| dt. Based on: no paper. */
#include "policy.h"
#include "../1_math/elem.h"

/* ---- factors ---- */

CTI_FN int cti_policy_factor_is_cheap(double flops, double nonzeros) { return flops < cti_step_tuned.factors.cheap * nonzeros; }

/* The last rule delays a large factorization until the factor's age has cost as many iterations as a new factor would take. Without
   knowledge of the future no rule guarantees less than twice the best time. */
CTI_FN int cti_policy_factor_is_due(const cti_factor_stamp *stamp, double flops, double nonzeros, ct_real dt, int moves_in_contact)
{
    if (stamp->age == 0)
        return 0;
    if (stamp->age < 0 || stamp->renewal_asked || stamp->dt != dt)
        return 1;
    if (cti_policy_factor_is_cheap(flops, nonzeros) && (flops < cti_step_tuned.factors.large || moves_in_contact))
        return 1;
    return cti_step_tuned.factors.solve * (double)(stamp->excess_iterations + 1) * nonzeros >= flops;
}

CTI_FN int cti_policy_factor_is_exact(ct_real stiffness) { return stiffness > cti_step_tuned.factors.stiff; }

CTI_FN double cti_policy_iterations_left(int iterations, double first, double now, double goal)
{
    if (!(now < first))
        return (double)CTI_REAL_MAX;
    return now > goal ? iterations * cti_log64(now / goal) / cti_log64(first / now) : 0;
}

CTI_FN int cti_policy_factor_is_slow(const cti_factor_stamp *stamp, double flops, double nonzeros, double iterations)
{
    return stamp->age > 0 && (iterations - stamp->base_iterations) * cti_step_tuned.factors.solve * nonzeros > flops;
}

CTI_FN int cti_policy_factor_is_large(double flops, double blocks) { return flops > cti_step_tuned.factors.grid * blocks; }

/* a cycle and a product read 36 bytes of each block off the diagonal three times, and a solve 8 bytes of each nonzero */
CTI_FN void cti_policy_grid_costs(double blocks, double coarse_flops, double coarse_nonzeros, double *flops, double *nonzeros)
{
    *nonzeros = 13.5 * blocks + 2 * coarse_nonzeros;
    *flops = cti_step_tuned.factors.cycles * cti_step_tuned.factors.solve * *nonzeros + coarse_flops;
}

/* An impact needs a better factor than free flight. Without this rule, delayed factors doubled the worst step of a cloth's impact. */
CTI_FN int cti_policy_factor_lands(const cti_factor_stamp *stamp, const cti_solve_memory *memory, int is_cheap)
{
    return memory->was_free && stamp->age > 0 && is_cheap;
}

CTI_FN int cti_policy_factor_is_late(const cti_factor_stamp *stamp, const cti_solve_memory *memory)
{
    return memory->node_ports == 0 && memory->extrapolated_attempts > 0 && stamp->age != 0;
}

CTI_FN int cti_policy_penalized_is_due(const cti_factor_stamp *stamp, ct_real dt, int renew, int missing, int touched)
{
    return renew || !stamp->penalized_known || stamp->penalized_dt != dt || 2 * missing > touched;
}

/* ---- free motion ---- */

CTI_FN int cti_policy_inexact_attempts(const cti_solve_memory *memory, int is_paper)
{
    return memory->in_contact && memory->node_ports > 0 && !is_paper ? memory->inexact_attempts + 1 : 0;
}

/* The gain of speed of the last solved free motion finds the near pairs, and the solve with contacts corrects the rest. The first attempt after an
   impact is solved, since free flight has no information on the contact. */
CTI_FN int cti_policy_extrapolated_attempts(const cti_solve_memory *memory, int renewal_asked, ct_real dt, ct_integrator integrator)
{
    int may = memory->inexact_attempts > 1 && !renewal_asked && dt == memory->dt_free &&
              memory->extrapolated_attempts < cti_step_tuned.island.extrapolated && integrator == CT_INTEGRATOR_EULER;
    return may ? memory->extrapolated_attempts + 1 : 0;
}

CTI_FN ct_real cti_policy_free_tolerance(int inexact_attempts) { return inexact_attempts ? cti_step_tuned.island.inexact : 1; }

/* ---- an island's solve ---- */

CTI_FN int cti_policy_is_whole(ct_cluster_mode mode, const cti_solve_memory *memory, int ports, int rows)
{
    if (mode != CT_CLUSTER_AUTO)
        return mode == CT_CLUSTER_BODY;
    if (memory->whole_attempts)
        return ports <= cti_step_tuned.island.ports_failed;
    return ports <= cti_step_tuned.island.ports && cti_step_tuned.island.entry * ports * rows <= cti_step_tuned.island.columns;
}

CTI_FN int cti_policy_whole_attempts(int node_ports)
{
    return node_ports > 0 && node_ports <= cti_step_tuned.island.ports_failed ? cti_step_tuned.island.whole_attempts : 0;
}

CTI_FN int cti_policy_is_corrected(int split_components)
{
    return split_components > 0 && split_components <= cti_step_tuned.island.corrected;
}

CTI_FN int cti_policy_sweeps(const cti_policy_budget *q)
{
    int bound = cti_step_tuned.island.wasted * (q->has_equations ? cti_step_tuned.island.wasted_joints : 1);
    if (q->wasted_sweeps > bound && q->is_far)
        return cti_max_int(1, q->max_sweeps / cti_step_tuned.island.wasted_part);
    return q->is_later ? cti_max_int(1, q->max_sweeps / cti_step_tuned.island.later_part) : q->max_sweeps;
}

/* ---- the end of an island's solve ---- */

CTI_FN ct_real cti_policy_far_natural(void) { return cti_step_tuned.ended.unsolved; }

CTI_FN int cti_policy_is_far(ct_real natural) { return !(natural <= cti_step_tuned.ended.unsolved); }

CTI_FN ct_real cti_policy_failed_natural(ct_real speed, ct_real scale)
{
    return cti_max(cti_step_tuned.ended.failed, cti_step_tuned.ended.failed_speed * speed / scale);
}

CTI_FN int cti_policy_any_failed(ct_real worst) { return !(worst < cti_step_tuned.ended.failed); }

CTI_FN int cti_policy_friction_diverged(ct_real natural) { return !(natural < cti_step_tuned.ended.diverged); }

CTI_FN int cti_policy_chosen_goes_on(ct_real spent) { return !(spent > cti_step_tuned.ended.spent); }

/* ---- an attempt ---- */

/* The largest of: a share of the thickness, twice the error that the solver's tolerance leaves in a step, 16 roundings of a coordinate. */
CTI_FN ct_real cti_policy_joint_slack(ct_real thickness, ct_real tolerance, ct_real scale, ct_real dt, ct_real size)
{
    return cti_max(cti_step_tuned.attempt.joint * thickness, cti_max(2 * tolerance * scale * dt, 16 * CTI_EPS * size));
}

CTI_FN int cti_policy_joint_solves_again(ct_real joint_error) { return joint_error > 1; }

CTI_FN int cti_policy_joint_closes(ct_real error, ct_real slack) { return error > cti_step_tuned.energy.link_eased * slack; }

CTI_FN int cti_policy_joint_misses(ct_real joint_error) { return joint_error * cti_step_tuned.attempt.joint > 1; }

CTI_FN int cti_policy_solves_again(int times) { return times < cti_step_tuned.attempt.joint_times; }

CTI_FN int cti_policy_turns_far(ct_real angle) { return angle > cti_step_tuned.attempt.turn; }

CTI_FN ct_real cti_policy_row_tolerance(ct_real thickness, ct_real dt) { return cti_step_tuned.attempt.row * thickness / dt; }

CTI_FN double cti_policy_rigid_gain(double energy) { return cti_step_tuned.energy.gain_rigid * energy; }

CTI_FN double cti_policy_rounded(double energy) { return cti_step_tuned.energy.gain_rounding * (double)CTI_EPS * energy; }

CTI_FN double cti_policy_body_gain(int is_euler, double energy, double rounded)
{
    return (is_euler ? cti_step_tuned.energy.gain : cti_step_tuned.energy.gain_swing) * energy + cti_policy_rounded(rounded);
}

/* ---- a step and its substeps ---- */

CTI_FN int cti_policy_dt_reaches(ct_real dt, ct_real length) { return dt >= cti_step_tuned.substep.equal * length; }

CTI_FN int cti_policy_is_limited(const cti_substep_memory *memory, ct_real dt)
{
    return memory->dt_limit > 0 && memory->dt_limit < cti_step_tuned.substep.equal * dt;
}

CTI_FN int cti_policy_raises_limit(int successes) { return successes == cti_step_tuned.substep.successes; }

CTI_FN int cti_policy_is_end(ct_real share) { return share > 1 - cti_step_tuned.substep.end; }

CTI_FN ct_real cti_policy_least_dt(ct_real dt, ct_real least, int is_tangled)
{
    return is_tangled ? cti_max(least, dt / cti_step_tuned.substep.tangled) : least;
}

CTI_FN int cti_policy_may_exclude(int rollbacks) { return rollbacks < cti_step_tuned.substep.rollbacks; }

CTI_FN int cti_policy_may_hold(int tries) { return tries < cti_step_tuned.substep.holds; }
