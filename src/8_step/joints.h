/* joints.h -- joints and stitches as equations of the contact problem. */
#pragma once

#include "assemble.h"

/* cti_joints_of -- the joint of a row, or NULL if it is a contact's. */
CTI_FN cti_joint *cti_joints_of(const cti_state *s, int row);
/* cti_joints_scripted -- the point of a side without unknowns at a time; triad [9]: the axes that it carries, or NULL. */
CTI_FN cti_v3 cti_joints_scripted(const cti_joint_side *side, double time, ct_real *triad);
/* cti_joints_place -- the point of any side, at the start (end 0) or the tentative end of the step. */
CTI_FN cti_v3 cti_joints_place(const cti_state *s, const cti_joint_side *side, int end, double time, ct_real *triad);
/* cti_joints_part -- the part that a joint's row is of. */
CTI_INLINE int cti_joints_part(const cti_state *s, int row) { return (s->contact.origins[row].joint - 1) % CTI_PARTS; }
/* cti_joints_sides -- adds the terms of both sides to a row: of the points, or of the rotation (turns 1) times the lever. */
CTI_FN void cti_joints_sides(const cti_state *s, const cti_joint *j, int turns, cti_row *row);
/* cti_joints_own -- sum of the responses of the row's blocks in A. masses 1: of deformable bodies those of the masses alone [1/kg], a bound on the
   response whatever their stiffness. least 1: in the stiffest direction. */
CTI_FN ct_real cti_joints_own(const cti_state *s, const cti_row *row, int masses, int least);
/* cti_joints_script -- displacement of the scripted sides in the step, per time, in the row's axes. */
CTI_FN cti_v3 cti_joints_script(const cti_state *s, const cti_joint *j, int part, ct_real dt, const ct_real *frame);
/* cti_joints_is_soft -- 1 if a part has compliance. */
CTI_FN int cti_joints_is_soft(const cti_joint *j, int part);
/* cti_joints_is_scripted -- 1 if a script moves a side. */
CTI_FN int cti_joints_is_scripted(const cti_joint *j);
/* cti_joints_left -- error [m] of a part that may remain after a step of dt, in world axes: one from outside is closed at the recovery speed. */
CTI_FN cti_v3 cti_joints_left(const cti_state *s, const cti_joint *j, int part, ct_real dt);
/* cti_joints_rounding -- error [m] of a joint that rounding of positions leaves. */
CTI_FN ct_real cti_joints_rounding(const cti_state *s, const cti_joint *j);
/* cti_joints_yield -- compliance [1/kg] of a part for half of its impulse in a step of dt; that of a rigid one is attempt.link_own. is_soft: it
   has one of its own; is_loose: as a spring it vibrates with w dt < 1. */
CTI_FN ct_real cti_joints_yield(const cti_state *s, const cti_joint *j, int part, ct_real dt, int *is_soft, int *is_loose);
/* cti_joints_is_damped -- 1 if a row is a stitch with the part of its geometric stiffness that damps it across its axis (joints.c). */
CTI_FN int cti_joints_is_damped(const cti_state *s, int row);
/* cti_joints_rigid_error -- present error [m] of a joint, in its parts without compliance; rotations count by the joint's lever. */
CTI_FN ct_real cti_joints_rigid_error(const cti_state *s, const cti_joint *j);
/* cti_joints_append -- adds a row for every part of every joint, with multipliers from the context's memory; not linearized yet. scale: as in
   cti_joints_linearize. 0: out of memory. */
CTI_FN int cti_joints_append(cti_state *s, const cti_row_context *c, ct_real scale);
/* cti_joints_linearize -- w of the joints' rows at the tentative motion. Rows whose error there is above the one that they may have
   are marked unsolved. scale: velocity that residuals are relative to [m/s]. */
CTI_FN void cti_joints_linearize(cti_state *s, const cti_row_context *c, ct_real scale);
/* cti_joints_linearize_all -- the same for all rows, whatever their error is. Returns the largest error in thicknesses. */
CTI_FN ct_real cti_joints_linearize_all(cti_state *s, const cti_row_context *c);
/* cti_joints_error -- largest present error [m] of joints without compliance; rotations count by the joint's lever. */
CTI_FN ct_real cti_joints_error(const cti_state *s);
/* cti_joints_speed -- largest speed [m/s] that scripts and the recovery of errors together require of the jointed bodies. */
CTI_FN ct_real cti_joints_speed(const cti_state *s, ct_real dt);
