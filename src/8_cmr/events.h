/* events.h -- substeps that end where features first meet ("prevent collisions by a small enough time step based on CCD"). */
#pragma once

#include "../8_step/state.h"

/* An impact cuts off no shorter piece than step.event_least [s]; while that is 0 all functions do nothing. A pair meets if it starts the substep
   farther apart than a near pair, carried no load in the last one, and comes nearer than 3/4 of its thickness (substep.meet). The time of meeting is
   when its distance is its thickness. Pairs with an inactive side (parts.h) do not meet. */

/* cti_events_is_stepped -- 1 if no vertex of the pair belongs to an inactive component. */
CTI_FN int cti_events_is_stepped(const cti_state *s, const cti_pair *pair);
/* cti_events_defer -- removes from contact.hits, which are near pairs at the start of a substep, those that will first meet later than
   event_least: they get no row that would stop them now. */
CTI_FN void cti_events_defer(cti_state *s, const cti_row_context *c);
/* cti_events_first -- finds the first meeting in the motion to surface.x1 over c->dt, for which the candidate lists must be complete. *out_time > 0:
   the substep is to be cut there; meetings in the last event_least of it do not count. *out_pair: the pair. 0: out of memory. */
CTI_FN int cti_events_first(cti_state *s, const cti_row_context *c, ct_real *out_time, cti_pair *out_pair);
/* cti_events_cut -- length of the first piece of a substep dt with such a meeting: neither piece is shorter than event_least. */
CTI_FN ct_real cti_events_cut(const cti_state *s, ct_real dt, ct_real time);
