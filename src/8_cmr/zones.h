/* zones.h -- impact zones: the fail-safe after the rounds and halvings of CMR. */
#pragma once

#include "cmr.h"

typedef struct cti_zones_result {
    int clear;             /* the motion is free of collisions */
    int zones, frozen;
    ct_real momentum_lost; /* [N s] by rigid zones and freezing */
} cti_zones_result;

/* cti_zones_resolve -- changes end.v, end.x, surface.x1 until the motion from x is clear: first inelastic impulses in the zones (Harmon
   2008), then rigid zones (Provot 1997, Bridson 2002), finally freezing. It fails only if scripted surfaces leave no room, or if
   s->parts.conflict is set. s->parts.zoned has the sets that zones have joined. 0: out of memory. */
CTI_FN int cti_zones_resolve(cti_state *s, ct_real dt, cti_attempt *attempt, cti_zones_result *out);
