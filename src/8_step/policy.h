/* policy.h -- the decisions of a step's solves, as functions of a few facts. They have no side effects; policy_numbers.h has their numbers. */
#pragma once

#include "policy_numbers.h"
#include "state.h"

/* ---- factors ---- */

/* cti_policy_factor_is_cheap -- 1 if a component's factor is computed for every free solve, unless it is large. flops: of a factorization;
   nonzeros: of the factor. */
CTI_FN int cti_policy_factor_is_cheap(double flops, double nonzeros);
/* cti_policy_factor_is_large -- 1 if two grids take less time than the factor of a component whose matrix has so many blocks.
   cti_policy_grid_costs -- flops of a factorization that takes as long as to make two grids over so many blocks, nonzeros of a solve as a cycle. */
CTI_FN int cti_policy_factor_is_large(double flops, double blocks);
CTI_FN void cti_policy_grid_costs(double blocks, double coarse_flops, double coarse_nonzeros, double *flops, double *nonzeros);
/* cti_policy_factor_is_due -- 1 if the factor is computed again before the free solve of a step of dt. moves_in_contact: contacts act on
   the component, and it has moved farther than the thickness since the factor was computed. */
CTI_FN int cti_policy_factor_is_due(const cti_factor_stamp *stamp, double flops, double nonzeros, ct_real dt, int moves_in_contact);
/* cti_policy_factor_is_exact -- 1 if the factor is computed in double. stiffness: largest one of a block, relative to its mass. */
CTI_FN int cti_policy_factor_is_exact(ct_real stiffness);
/* cti_policy_iterations_left -- iterations of conjugate gradients until r' D^-1 r falls from `now` to `goal`, if it goes on to fall as from
   `first` to `now` in `iterations`. */
CTI_FN double cti_policy_iterations_left(int iterations, double first, double now, double goal);
/* cti_policy_factor_is_slow -- 1 if a free solve that is to take so many iterations in all with a factor of an earlier matrix takes longer than
   a factorization and the iterations with a new factor. */
CTI_FN int cti_policy_factor_is_slow(const cti_factor_stamp *stamp, double flops, double nonzeros, double iterations);
/* cti_policy_factor_lands -- 1 if a component's first contacts after free flight ask for a new factor at once. */
CTI_FN int cti_policy_factor_lands(const cti_factor_stamp *stamp, const cti_solve_memory *memory, int is_cheap);
/* cti_policy_factor_is_late -- 1 if a component that is one cluster has no factor of this step, because its free motion was extrapolated. */
CTI_FN int cti_policy_factor_is_late(const cti_factor_stamp *stamp, const cti_solve_memory *memory);
/* cti_policy_penalized_is_due -- 1 if the factor for corrections is computed again. renew: the solve asks for it; touched: number of the
   component's blocks that contacts act on; missing: of those that the factor does not contain. */
CTI_FN int cti_policy_penalized_is_due(const cti_factor_stamp *stamp, ct_real dt, int renew, int missing, int touched);

/* ---- free motion ---- */

/* cti_policy_inexact_attempts -- the new count; above 0 the free motion of this attempt is solved inexactly. is_paper: never. */
CTI_FN int cti_policy_inexact_attempts(const cti_solve_memory *memory, int is_paper);
/* cti_policy_extrapolated_attempts -- the new count for an attempt of dt; above 0 the free motion is extrapolated. renewal_asked: for its factor. */
CTI_FN int cti_policy_extrapolated_attempts(const cti_solve_memory *memory, int renewal_asked, ct_real dt, ct_integrator integrator);
/* cti_policy_free_tolerance -- factor on the usual tolerance of a free solve. */
CTI_FN ct_real cti_policy_free_tolerance(int inexact_attempts);

/* ---- an island's solve ---- */

/* cti_policy_is_whole -- 1 if a component is one cluster, 0 if it is split into nodes or patches. ports: its blocks in contact; rows:
   contacts on it. */
CTI_FN int cti_policy_is_whole(ct_cluster_mode mode, const cti_solve_memory *memory, int ports, int rows);
/* cti_policy_whole_attempts -- number of attempts in which AUTO makes a component one cluster after its solve by nodes failed. 0: it stays split. */
CTI_FN int cti_policy_whole_attempts(int node_ports);
/* cti_policy_is_corrected -- 1 if an island with so many components that are split into nodes gets corrections (coarse.h). */
CTI_FN int cti_policy_is_corrected(int split_components);

/* cti_policy_budget -- facts for the number of sweeps of a solve. */
typedef struct cti_policy_budget {
    int max_sweeps;       /* set by the user */
    int is_later;         /* 1: a component of the island was solved before in the attempt */
    int has_equations;    /* 1: joints are among the rows */
    int is_far;           /* 1: the island's last solve ended far from a solution (cti_policy_is_far) */
    double wasted_sweeps; /* see cti_state */
} cti_policy_budget;
/* cti_policy_sweeps -- sweeps that a solve may take. */
CTI_FN int cti_policy_sweeps(const cti_policy_budget *q);

/* ---- the end of an island's solve, by the natural map of its rows ---- */

/* cti_policy_far_natural -- natural map above which a solve has ended far from a solution; cti_policy_is_far -- 1 if it has, or is NaN. */
CTI_FN ct_real cti_policy_far_natural(void);
CTI_FN int cti_policy_is_far(ct_real natural);
/* cti_policy_failed_natural -- natural map from which on a solve by nodes counts as failed. speed: the island's largest free speed [m/s];
   scale: velocity that its residuals are relative to [m/s]. */
CTI_FN ct_real cti_policy_failed_natural(ct_real speed, ct_real scale);
/* cti_policy_any_failed -- 0 if no island can have failed. worst: the largest natural map of all, or a residual above it. */
CTI_FN int cti_policy_any_failed(ct_real worst);
/* cti_policy_friction_diverged -- 1 if friction contact by contact (CT_FRICTION_LOCAL) has diverged, so that ICA solves the island. */
CTI_FN int cti_policy_friction_diverged(ct_real natural);
/* cti_policy_chosen_goes_on -- 0 if the solver that the user chose has used up its bound of the step, so that ICA solves the rest. spent:
   see cti_solve_info, summed over the step. */
CTI_FN int cti_policy_chosen_goes_on(ct_real spent);

/* ---- an attempt ---- */

/* cti_policy_joint_slack -- error that a joint may have [m]. tolerance: the solver's; scale: velocity that residuals are relative to [m/s];
   size: largest coordinate of its bodies [m]. joint_error below is an error over this one. */
CTI_FN ct_real cti_policy_joint_slack(ct_real thickness, ct_real tolerance, ct_real scale, ct_real dt, ct_real size);
/* cti_policy_joint_solves_again -- 1 if a joint is to be solved again; an attempt that ends so is rejected. */
CTI_FN int cti_policy_joint_solves_again(ct_real joint_error);
/* cti_policy_joint_misses -- 1 if a joint misses by a thickness or more; where the solver's tolerance leaves it a larger slack than the
   thickness, by as many slacks. Collisions of such a motion mean nothing. */
CTI_FN int cti_policy_joint_misses(ct_real joint_error);
/* cti_policy_solves_again -- 1 if an island without collisions may be solved again that was `times` times. */
CTI_FN int cti_policy_solves_again(int times);
/* cti_policy_joint_closes -- 1 if a joint with an error [m] is being closed. slack [m]: the error that it may have. */
CTI_FN int cti_policy_joint_closes(ct_real error, ct_real slack);
/* cti_policy_turns_far -- 1 if a rigid body near others may not rotate by `angle` [rad] in a substep. */
CTI_FN int cti_policy_turns_far(ct_real angle);

/* cti_policy_row_tolerance -- approach [m/s] by which a substep of dt may violate a contact's row. Above it the row is solved again. */
CTI_FN ct_real cti_policy_row_tolerance(ct_real thickness, ct_real dt);
/* cti_policy_rigid_gain, cti_policy_body_gain -- energy [J] that a rigid body, and any other body, may gain in a substep. energy: the energies and
   work of which that is a share (cti_energy_gain_rigid, cti_energy_gain); is_euler: the body follows Euler's rule; rounded: scale of its energies,
   of which rounding errors are a share [J]. */
CTI_FN double cti_policy_rigid_gain(double energy);
CTI_FN double cti_policy_rounded(double energy); /* energy: scale of the terms; returns the rounding error of their sum [J] */
CTI_FN double cti_policy_body_gain(int is_euler, double energy, double rounded);

/* ---- a step and its substeps ---- */

/* cti_policy_dt_reaches -- 1 if a substep dt is as long as `length`, up to rounding. */
CTI_FN int cti_policy_dt_reaches(ct_real dt, ct_real length);
/* cti_policy_is_limited -- 1 if a component's step limit is below dt. */
CTI_FN int cti_policy_is_limited(const cti_substep_memory *memory, ct_real dt);
/* cti_policy_raises_limit -- 1 if so many successes in a row double a step limit. */
CTI_FN int cti_policy_raises_limit(int successes);
/* cti_policy_is_end -- 1 if a share of an interval is 1, up to rounding. */
CTI_FN int cti_policy_is_end(ct_real share);
/* cti_policy_least_dt -- shortest substep [s] of a step of dt. least: from the user's max_halvings; is_tangled: surfaces intersect. */
CTI_FN ct_real cti_policy_least_dt(ct_real dt, ct_real least, int is_tangled);
/* cti_policy_may_exclude -- 1 if a step that was rolled back so many times may still exclude failed components. */
CTI_FN int cti_policy_may_exclude(int rollbacks);
/* cti_policy_may_hold -- 1 if a substep that cannot be halved is tried again with blocks held. tries: such tries so far. */
CTI_FN int cti_policy_may_hold(int tries);
