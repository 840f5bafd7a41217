/* integrate.h -- Newmark and BDF2 under constraint manifold refinement. The end of a step of any integrator. */
#pragma once

#include "state.h"

/* cti_scheme -- one body's step as A u = b in the average velocity u = (x1 - x0) / dt, from end velocities v and, for BDF2, the end
   velocity v0 and the average velocity u0 of the step before:
   A = M (1 + h alpha) + h^2 K + h D,   b = M (v_ v + v0_ v0 + u_ u0) + f_ (f + M g) + c_ (alpha M + D) u0,
   end velocity  u + s (u - r - M^-1 J' r),  r = v for Newmark, u0 for BDF2. */
typedef struct cti_scheme {
    int newmark;
    ct_real h, v_, v0_, u_, f_, c_, s;
    ct_real share; /* part of a strain limit's force that the step applies, see cti_model_ahead */
} cti_scheme;

/* cti_integrate_reserve -- arrays for the present blocks and models, made when the world is prepared. 0: out of memory. */
CTI_FN int cti_integrate_reserve(cti_state *s);
/* cti_integrate_is_plain -- 1 for a block that is stepped by Euler's rule. These are all blocks of an Euler world, rigid bodies, and bodies
   that contacts or joints acted on in the last step. */
CTI_FN int cti_integrate_is_plain(const cti_state *s, int block);
/* cti_integrate_h -- h of a block's A: dt for Euler. */
CTI_FN ct_real cti_integrate_h(const cti_state *s, int block, ct_real dt);
/* cti_integrate_reaction -- momentum that a pin gives to its block in the step. error: A u - b there, in which the scheme's own end velocity
   u + s (u - r) is that of the block; a scripted axis ends with u. */
CTI_FN cti_v3 cti_integrate_reaction(const cti_state *s, int block, ct_real dt, cti_v3 error);
/* cti_integrate_scheme -- coefficients of a block that is not plain; the same for all blocks of a body. */
CTI_FN void cti_integrate_scheme(const cti_state *s, int block, ct_real dt, cti_scheme *out);
/* cti_integrate_plain -- b and the mass in A of a block that is stepped by Euler's rule. */
CTI_FN void cti_integrate_plain(cti_state *s, int i, ct_real dt);
/* cti_integrate_assemble -- adds masses to A, and makes all of b except the term of the place of linearization, which b contains already.
   Not for the angular part of rigid bodies. */
CTI_FN void cti_integrate_assemble(cti_state *s, ct_real dt);
/* cti_integrate_gain -- component k of a block's change of velocity in a free fall, after assembly: the start of the free motion. */
CTI_FN ct_real cti_integrate_gain(const cti_state *s, int block, int k, ct_real dt);
/* cti_integrate_watch, _reset -- called before and after the fail-safe: bodies whose end.v it changed, or all, start anew after this step. */
CTI_FN void cti_integrate_watch(cti_state *s);
CTI_FN void cti_integrate_reset(cti_state *s, int all);
/* cti_integrate_reset_block -- the body of one block starts anew. */
CTI_FN void cti_integrate_reset_block(cti_state *s, int block);
/* cti_integrate_end -- the end velocities [3 n] that belong to end.v; sets end.impulse, end.fall and history.touches for them. Changes no state. */
CTI_FN const ct_real *cti_integrate_end(cti_state *s, ct_real dt);
/* cti_integrate_leave -- [s] time of gravity by which a block's end velocity exceeds that of its step: what gravity owes to a body that
   contacts have left, or that returns from Euler's rule to its scheme. */
CTI_FN ct_real cti_integrate_leave(const cti_state *s, int block, ct_real dt);
/* cti_integrate_kick -- [s] gravity times this is its contribution to a block's end velocity. */
CTI_FN ct_real cti_integrate_kick(const cti_state *s, int block, ct_real dt);
/* cti_integrate_yield -- marks bodies [models] that are stepped by Euler's rule in the current attempt. */
CTI_FN void cti_integrate_yield(cti_state *s, const uint8_t *bodies);
/* cti_integrate_advance -- updates the history after a step whose end velocities are known, before s->v is replaced. */
CTI_FN void cti_integrate_advance(cti_state *s, ct_real dt);
/* cti_integrate_forget -- after the commit: removes the history of bodies that were reset. */
CTI_FN void cti_integrate_forget(cti_state *s);
/* cti_integrate_clear -- cancels all resets, since the step is undone. */
CTI_FN void cti_integrate_clear(cti_state *s);
