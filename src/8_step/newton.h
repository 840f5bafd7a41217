/* newton.h -- the position at which a body that gains energy is linearized again. */
#pragma once

#include "state.h"

/* cti_newton_gains -- 1 for a component of a body whose energy rose by more than its bound in the current iteration. */
CTI_FN int cti_newton_gains(const cti_state *s, const cti_component *q);
/* cti_newton_helps -- 1 if a deformable body gains: rows of rigid bodies are linearized again in every round anyway. */
CTI_FN int cti_newton_helps(const cti_state *s);
/* cti_newton_place -- system.q of bodies that gain: a point between the last linearization of a substep dt and its result, at which the
   incremental potential is lower. Needs A and force of that iteration; system.work is scratch. */
CTI_FN void cti_newton_place(cti_state *s, ct_real dt);
