/* zones.h -- impact zones: the fail-safe after the rounds and halvings of CMR.
   zone           blocks that collisions and rigid joints connect. Its soft stage is inelastic impulses, its rigid stage a common rigid motion.
   immovable      a plane, a static or scripted vertex, and what rigid joints connect to them; a zone that touches it is anchored.
   to freeze      to keep a block where the substep began, as the last stage. */
#pragma once

#include "cmr.h"

/* cti_zones_result -- how the fail-safe ended. */
typedef struct cti_zones_result {
    int clear;             /* 1: the motion has no collisions */
    int zones, frozen;     /* number of zones; of blocks that were frozen */
    ct_real momentum_lost; /* [N s] that rigid zones and freezing take */
} cti_zones_result;

/* cti_zones_resolve -- changes end.v, end.x, surface.x1 until the motion from x is clear: first inelastic impulses in the zones (Harmon
   2008), then rigid zones (Provot 1997, Bridson 2002), finally freezing. It fails only if scripted surfaces leave no room, or if
   s->parts.conflict is set. s->parts.zoned has the sets that zones have joined. 0: out of memory. */
CTI_FN int cti_zones_resolve(cti_state *s, ct_real dt, cti_attempt *attempt, cti_zones_result *out);
