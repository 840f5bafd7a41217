/* duplicates.h -- culling of near pairs that duplicate a contact. */
#pragma once

#include "../0_base/arena.h"
#include "detect.h"

/* cti_duplicates_cull -- removes from hits the vertex-face and edge-edge pairs that others represent: pairs with the same points and about
   the same normal, or with points between those of two others. No guarantee needs them; only the solver loses their rows, and CCD finds
   what the motion violates. The order is kept. A kept pair that memory does not know starts from the multipliers of the first removed pair
   with its points (cti_hit.before). 0: out of memory. */
CTI_FN int cti_duplicates_cull(cti_arena *arena, const cti_surface *s, const cti_memory *memory, cti_hit *hits);
