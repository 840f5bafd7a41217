/* tethers.h -- how far nodes may be from targets that a skin moves, and surfaces behind these. */
#pragma once

#include "assemble.h"

/* cti_tethers_append -- adds a row for each limit that the tentative motion violates, or that the context's memory has a load of; end.x is that
   motion. 0: out of memory. */
CTI_FN int cti_tethers_append(cti_state *s, const cti_row_context *c);
/* cti_tethers_refine -- linearizes rows again where the motion of their solve misses the limit by more than joints may, and adds rows of those that
   it violates: both are unsolved. scale: velocity that residuals are relative to [m/s]. 0: out of memory. */
CTI_FN int cti_tethers_refine(cti_state *s, const cti_row_context *c, ct_real scale);
/* cti_tethers_missed -- number of limits that the tentative motion violates by a thickness more than it may, and of which it makes up for less than
   half of what it should: contacts leave no room. */
CTI_FN int cti_tethers_missed(const cti_state *s, ct_real dt);
/* cti_tethers_speed -- largest speed [m/s] of targets. */
CTI_FN ct_real cti_tethers_speed(const cti_state *s, ct_real dt);
/* cti_tethers_target -- the target at a time. */
CTI_FN cti_v3 cti_tethers_target(const cti_tether *t, double time);
