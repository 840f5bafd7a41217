/* swing.h -- rotation of jointed rigid bodies. */
#ifndef CTI_SWING_H
#define CTI_SWING_H

#include "state.h"

/* cti_swing_begin -- finds the rigid bodies that joints hold. */
CTI_FN void cti_swing_begin(cti_state *s);
/* cti_swing_equation -- angular block D [9] and right side b [3] of such a body about I_mid, w_mid, the rotation for the present
   impulse. */
CTI_FN void cti_swing_equation(const cti_rigid *r, ct_real damp, ct_real *D, ct_real *b);
/* cti_swing_follow -- after a solve of a step dt: the rotations of these bodies for the impulses of end.v, and end.v with them. */
CTI_FN void cti_swing_follow(cti_state *s, ct_real dt);
/* cti_swing_close -- after the last solve: gives these bodies the A and b of their rotation, as for other bodies; end.v also solves
   this. */
CTI_FN void cti_swing_close(cti_state *s, ct_real dt);

#endif /* CTI_SWING_H */
