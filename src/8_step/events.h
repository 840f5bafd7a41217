/* events.h -- substeps that end where features first meet ("prevent collisions by a small enough time step based on CCD"). */
#ifndef CTI_EVENTS_H
#define CTI_EVENTS_H

#include "state.h"

/* All of this does nothing while step.event_least is 0. A pair meets when it starts the substep farther apart than a near pair, carried no load in
   the last one, and comes nearer than 3/4 of its thickness; it meets at the time at which it is as near as its thickness. Pairs with
   an inactive side (parts.h) do not meet. */

/* cti_events_defer -- takes out of contact.hits, near pairs at the start of a substep, those that will first meet later than event_least: they get
   no row that would stop them now. */
CTI_FN void cti_events_defer(cti_state *s, const cti_row_context *c);
/* cti_events_first -- *out_time > 0: some pairs meet in the motion to surface.x1 over c->dt, for which the candidate lists are complete, the first
   then, and not in the last event_least of it: the substep is to be cut there. *out_pair: who meets. 0: out of memory. */
CTI_FN int cti_events_first(cti_state *s, const cti_row_context *c, ct_real *out_time, cti_pair *out_pair);
/* cti_events_cut -- length of the first piece of a substep dt that has such a meeting: neither piece is shorter than event_least. */
CTI_FN ct_real cti_events_cut(const cti_state *s, ct_real dt, ct_real time);

#endif /* CTI_EVENTS_H */
