/* seams.h -- which near pairs get no row because other contacts lead the motion past them. */
#pragma once

#include "../0_base/arena.h"
#include "detect.h"
#include "rows.h"

/* cti_seams_slight -- what a distance may lack at position x. */
CTI_FN ct_real cti_seams_slight(ct_real distance, const ct_real *x);

/* cti_seams_pass -- removes from hits, near pairs or collisions, the pairs at edges and vertices that the motion to surface.x1, led by the other
   hits, passes without coming nearer than CCD allows. CCD finds them if the solved motion does not pass. d NULL: collisions, of which the
   next round finds all that is near. A pair that carried load in memory stays. The order is kept.
   led [3 nv] out: ends of the led motion, of vertices in d->ee; may be NULL. 0: out of memory. */
CTI_FN int cti_seams_pass(cti_arena *arena, const cti_detect *d, const cti_row_context *c, cti_hit *hits, ct_real *led);
