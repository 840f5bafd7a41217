/* rotation.h -- finds rigid bodies whose rotation is too large for the step. */
#pragma once

#include "state.h"

/* cti_rotation_fail_linkages -- the components of linkages' bodies that the tentative motion rotates by more than half a radian fail. Their joints
   are known from the start; a single body's rotation changes with each contact that is found. */
CTI_FN void cti_rotation_fail_linkages(cti_state *s, ct_real dt);

/* cti_rotation_count -- *out: number of rigid bodies that need a shorter step. The tentative motion rotates them by more than half a radian,
   and they have a row, or their bounding sphere comes within the thickness of another body during the motion. 0: out of memory. */
CTI_FN int cti_rotation_count(cti_state *s, ct_real dt, int *out);
