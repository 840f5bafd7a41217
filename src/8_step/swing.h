/* swing.h -- rotation of rigid bodies that joints turn. */
#ifndef CTI_SWING_H
#define CTI_SWING_H

#include "state.h"

/* cti_swing_begin -- which rigid bodies are held by joints. */
CTI_FN void cti_swing_begin(cti_state *s);
/* cti_swing_equation -- angular block D [9] and right side b [3] of such a body about I_mid, w_mid, the rotation at the impulse at hand. */
CTI_FN void cti_swing_equation(const cti_rigid *r, ct_real damp, ct_real *D, ct_real *b);
/* cti_swing_follow -- behind a solve of a step dt: rotations of these bodies at the impulses of end.v, and end.v with them. */
CTI_FN void cti_swing_follow(cti_state *s, ct_real dt);
/* cti_swing_close -- behind the last solve: A and b of these bodies are those of their rotation, as for others; end.v solves them, too. */
CTI_FN void cti_swing_close(cti_state *s, ct_real dt);

#endif /* CTI_SWING_H */
