/* linkage.h -- linkages: rigid bodies that joints without compliance hold together. It connects the state with mechanism.h. */
#pragma once

#include "joints.h"

/* What moves a linkage in an attempt (cti_rigid.linkage_mode; 0: the body is in no linkage, or its component is inactive). ALONE: its mechanism
   alone does. LOADED: the solve of its island does, since contacts and other joints load it. FORCED: the fail-safe does. */
enum { CTI_LINKAGE_ALONE = 1, CTI_LINKAGE_LOADED = 2, CTI_LINKAGE_FORCED = 3 };

/* cti_linkage_prepare -- after a change of topology: finds the linkages, in cti_state.prepared. 0: out of memory. */
CTI_FN int cti_linkage_prepare(cti_state *s);
/* cti_linkage_is_rigid -- 1 if a joint belongs to a linkage (its sides are rigid bodies, the world or a script, and it is no stitch with a length),
   and the part of it has no compliance, so that it does no work. */
CTI_FN int cti_linkage_is_rigid(const cti_joint *j, int part);
/* cti_linkage_recovers -- 1 if the present error of a joint is one that is being closed (cti_policy_joint_closes). */
CTI_FN int cti_linkage_recovers(const cti_state *s, const cti_joint *j);
/* cti_linkage_begin -- at the start of an attempt: sets the mode of each linkage. */
CTI_FN void cti_linkage_begin(cti_state *s);
/* cti_linkage_free -- computes the motion without contacts of all linkages, in system.v_free, and linearizes their rotations there (A and b).
   Adds to *out the number of those whose motion was not found; their components fail. */
CTI_FN void cti_linkage_free(cti_state *s, ct_real dt, const cti_memory *memory, int *out);
/* cti_linkage_equation -- linearizes the rotation of a linkage's body at its last tentative motion: A and b. */
CTI_FN void cti_linkage_equation(cti_state *s, ct_real dt, int rigid);
/* cti_linkage_is_alone -- rows [first, end) are those of an island. 1: nothing but the joints of its linkages acts there at end.v, so that the
   motion of cti_linkage_free is its solution. 0: something else acts, and its linkages are loaded from now on. */
CTI_FN int cti_linkage_is_alone(cti_state *s, ct_real dt, int first, int end);
/* cti_linkage_residual -- the largest change of a velocity [m/s] in the last iteration for the linkages of these rows. */
CTI_FN ct_real cti_linkage_residual(const cti_state *s, int first, int end);
/* cti_linkage_follow -- takes over end.v and the rows' multipliers, and linearizes A and b of loaded bodies there. */
CTI_FN void cti_linkage_follow(cti_state *s, ct_real dt);
/* cti_linkage_row -- computes the terms, frame and multipliers of a joint's row at the tentative motion, and out [3], its error [m] in these
   axes. 0: the part belongs to no linkage, or this is not stepped. */
CTI_FN int cti_linkage_row(const cti_state *s, int id, cti_row *row, cti_v3 *out);
/* cti_linkage_impulse_factor -- 2 where a row's multiplier is half of its impulse, as of joints of linkages; else 1. */
CTI_FN ct_real cti_linkage_impulse_factor(const cti_state *s, int row);
/* cti_linkage_impulse -- what a joint's row gives to side a in the step [N s], world axes. */
CTI_FN cti_v3 cti_linkage_impulse(const cti_state *s, int row);
/* cti_linkage_end_velocities -- computes the linkages' velocities at the end of the step, in v [3 n]; their I_mid becomes that there, and their
   end.fall 0. Returns how many linkages the step did not resolve; their components fail. */
CTI_FN int cti_linkage_end_velocities(cti_state *s, ct_real dt, ct_real *v);
/* cti_linkage_work -- work [J] of joints on linkages whose velocities before the step they did not allow: at most 0. */
CTI_FN double cti_linkage_work(const cti_state *s);
/* cti_linkage_commit -- at the end of a commit: notes that the linkages' velocities are of the present time, and that their joints allow them. */
CTI_FN void cti_linkage_commit(cti_state *s);
/* cti_linkage_save_velocities -- keeps end.v before the fail-safe. cti_linkage_mark_forced -- after it: linkages are FORCED where it changed
   end.v, or everywhere (all 1). */
CTI_FN void cti_linkage_save_velocities(cti_state *s);
CTI_FN void cti_linkage_mark_forced(cti_state *s, int all);

/* cti_linkage_of, cti_linkage_of_block -- return the linkage of a rigid body or of a block, or NULL. cti_linkage_mode, cti_linkage_set_mode --
   read and set what moves it. */
CTI_FN cti_linkage *cti_linkage_of(const cti_state *s, int rigid);
CTI_FN cti_linkage *cti_linkage_of_block(const cti_state *s, int block);
CTI_FN int cti_linkage_mode(const cti_state *s, const cti_linkage *g);
CTI_FN void cti_linkage_set_mode(cti_state *s, const cti_linkage *g, int mode);
