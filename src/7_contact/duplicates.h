/* duplicates.h -- fewer rows where several near pairs are one contact. */
#ifndef CTI_DUPLICATES_H
#define CTI_DUPLICATES_H

#include "../0_base/arena.h"
#include "detect.h"

/* cti_duplicates_cull -- takes out of hits the pairs of vertices with faces and edges with edges that others speak for: with the same
   points and about the same normal, or between two others. They are missed by no guarantee, only by the solver: what the motion breaks is
   found by CCD. Order is kept; a speaker that memory does not know goes on with what the first of those with its points carried
   (cti_hit.before). 0: out of memory. */
CTI_FN int cti_duplicates_cull(cti_arena *arena, const cti_surface *s, const cti_memory *memory, cti_hit *hits);

#endif /* CTI_DUPLICATES_H */
