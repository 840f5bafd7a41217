/* tangle.h -- intersections at the start of a step: pairs, and the vertices on the wrong side. */
#pragma once

#include "state.h"

/* cti_tangle_find -- computes tangled_pairs, detect.tangles and detect.n_tangled at surface.x0, and the repairs. A body wholly inside another one
   that no step saw entering is assumed to belong there. 0 when memory ran out. */
CTI_FN int cti_tangle_find(cti_state *s);

/* cti_tangle_crossed -- pairs (edge through face) that intersect at surface.x0, and vertices behind a plane; s->step.limit is the first of them. -1:
   out of memory. The trees' boxes are those of surface.x0 afterwards, so that lists of candidates that depend on them have to be made anew. */
CTI_FN int cti_tangle_crossed(cti_state *s);
