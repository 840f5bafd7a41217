/* move.h -- the tentative motion of a substep, which all steppers with rows of contacts share. */
#pragma once

#include "state.h"

/* cti_move_hold -- v <- S v + v_p: constrained blocks have their scripted velocity exactly. */
CTI_FN void cti_move_hold(const cti_state *s, ct_real *v);
/* cti_move_jump -- returns S v + v_p of block i, adds its kinetic energy less that of v to *work, and the impulse between them to those of pins. */
CTI_FN cti_v3 cti_move_jump(cti_state *s, int i, cti_v3 v, double *work);
/* cti_move -- end.x = x + dt end.v, rounded once, and surface.x1. */
CTI_FN void cti_move(cti_state *s, ct_real dt);
/* cti_move_context -- the row context of a substep. */
CTI_FN void cti_move_context(const cti_state *s, ct_real dt, const cti_memory *memory, cti_row_context *out);
