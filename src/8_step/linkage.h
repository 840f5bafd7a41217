/* linkage.h -- rigid bodies that joints without compliance hold together: between the state and mechanism.h. */
#pragma once

#include "joints.h"

/* How a rigid body that such joints hold is stepped (cti_rigid.swings). By its mechanism alone; by the solve of its island, whose contacts and
   other joints load it; by the fail-safe. 0: no such joint holds it. */
enum { CTI_SWINGS_ALONE = 1, CTI_SWINGS_LOADED = 2, CTI_SWINGS_FORCED = 3 };

/* cti_linkage_prepare -- after a change of topology: finds the linkages. 0: out of memory. cti_linkage_release frees them. */
CTI_FN int cti_linkage_prepare(cti_state *s);
CTI_FN void cti_linkage_release(cti_state *s);
/* cti_linkage_takes -- 1 if a joint is one of a linkage: its sides are rigid bodies, the world or a script, and it is no stitch with a length.
   cti_linkage_is_rigid -- 1 if, besides, a part of it has no compliance, so that it does no work. */
CTI_FN int cti_linkage_takes(const cti_joint *j);
CTI_FN int cti_linkage_is_rigid(const cti_joint *j, int part);
/* cti_linkage_recovers -- 1 if the present error of a joint is one that is being closed (cti_policy_joint_closes). */
CTI_FN int cti_linkage_recovers(const cti_state *s, const cti_joint *j);
/* cti_linkage_begin -- at the start of an attempt: how each rigid body is stepped. */
CTI_FN void cti_linkage_begin(cti_state *s);
/* cti_linkage_free -- the motion without contacts of all linkages, in system.v_free, and A and b of their rotations there. Adds to *out the
   number of those whose motion was not found; their components fail. */
CTI_FN void cti_linkage_free(cti_state *s, ct_real dt, const cti_memory *memory, int *out);
/* cti_linkage_equation -- A and b of the rotation of a body that swings, linearized at its last tentative motion. */
CTI_FN void cti_linkage_equation(cti_state *s, ct_real dt, int rigid);
/* cti_linkage_alone -- rows [first, end) are those of an island. 1: nothing but the joints of its linkages acts there at end.v, so that the
   motion of cti_linkage_free is its solution. 0: its linkages are loaded from now on. */
CTI_FN int cti_linkage_alone(cti_state *s, ct_real dt, int first, int end);
/* cti_linkage_residual -- the largest change of a velocity [m/s] in the last iteration for the linkages of these rows. */
CTI_FN ct_real cti_linkage_residual(const cti_state *s, int first, int end);
/* cti_linkage_follow -- takes over end.v and the rows' multipliers; A and b of loaded bodies are linearized there. */
CTI_FN void cti_linkage_follow(cti_state *s, ct_real dt);
/* cti_linkage_row -- terms, frame and multipliers of a joint's row at the tentative motion, and out [3] its error [m] in these axes. 0: the part
   belongs to no linkage, or this is not stepped. */
CTI_FN int cti_linkage_row(const cti_state *s, int id, cti_row *row, cti_v3 *out);
/* cti_linkage_share -- 2 where a row's multiplier is half of its impulse, as of joints of linkages; else 1. */
CTI_FN ct_real cti_linkage_share(const cti_state *s, int id);
/* cti_linkage_end -- velocities at the end of the step to v [3 n], I_mid to that there, end.fall to 0. Returns how many linkages the step did
   not resolve; their components fail. */
CTI_FN int cti_linkage_end(cti_state *s, ct_real dt, ct_real *v);
/* cti_linkage_work -- work [J] of joints on linkages whose velocities before the step they did not allow: at most 0. */
CTI_FN double cti_linkage_work(const cti_state *s);
/* cti_linkage_commit -- at the end of a commit: velocities of linkages are of the present time, and allowed. */
CTI_FN void cti_linkage_commit(cti_state *s);
/* cti_linkage_watch, _forget -- called before and after the fail-safe: bodies whose end.v it changed, or all, move as it says. */
CTI_FN void cti_linkage_watch(cti_state *s);
CTI_FN void cti_linkage_forget(cti_state *s, int all);

/* cti_linkage_of, cti_linkage_of_block -- the linkage of a rigid body or of a block, or NULL. cti_linkage_swings, _set -- how its bodies are
   stepped. */
CTI_FN cti_linkage *cti_linkage_of(const cti_state *s, int rigid);
CTI_FN cti_linkage *cti_linkage_of_block(const cti_state *s, int block);
CTI_FN int cti_linkage_swings(const cti_state *s, const cti_linkage *g);
CTI_FN void cti_linkage_set(cti_state *s, const cti_linkage *g, int swings);
