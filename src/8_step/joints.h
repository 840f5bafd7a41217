/* joints.h -- joints and stitches as equations of the contact problem. */
#ifndef CTI_JOINTS_H
#define CTI_JOINTS_H

#include "assemble.h"

/* cti_joints_parts -- rows of a joint. */
CTI_FN int cti_joints_parts(const cti_joint *j);
/* cti_joints_row -- key, equations, axes and terms of a part at the state; multipliers and w are 0. */
CTI_FN void cti_joints_row(const cti_state *s, const cti_joint *j, int part, cti_row *row);
/* cti_joints_miss -- distance [m] by which a joint is apart now, of its parts without compliance; turns count by the joint's lever. */
CTI_FN ct_real cti_joints_miss(const cti_state *s, const cti_joint *j);
/* cti_joints_append -- a row for every part of every joint, multipliers from the context's memory; not linearized yet. 0: out of memory. */
CTI_FN int cti_joints_append(cti_state *s, const cti_row_context *c);
/* cti_joints_linearize -- w of the joints' rows at the tentative motion. Rows that miss their equation by more than `tolerance` [m] there are
   marked fresh. Returns the largest miss. */
CTI_FN ct_real cti_joints_linearize(cti_state *s, const cti_row_context *c, ct_real tolerance);
/* cti_joints_error -- largest distance [m] by which joints without compliance are apart now; turns count by the joint's lever. */
CTI_FN ct_real cti_joints_error(const cti_state *s);
/* cti_joints_speed -- most speed [m/s] that scripts and easing together ask of the jointed bodies. */
CTI_FN ct_real cti_joints_speed(const cti_state *s, ct_real dt);

#endif /* CTI_JOINTS_H */
