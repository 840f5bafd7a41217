/* flat_patches.h -- culling of contacts between flat faces of rigid bodies. */
#pragma once

#include "../0_base/arena.h"
#include "detect.h"

/* cti_patches_is_hard -- 1 for a pair of rigid bodies and of such as do not move freely. */
CTI_FN int cti_patches_is_hard(const cti_surface *s, const cti_pair *p);
/* cti_patches_flat -- removes from hits the pairs between bodies without deformation that others of the same two bodies and the same normal
   represent: those inside the outline of a flat patch, and no nearer than the plane through it. No guarantee needs them; only the solver
   loses their rows, and CCD finds what the motion violates. The order is kept. Of equivalent pairs, one that carried load in memory stays.
   0: out of memory. */
CTI_FN int cti_patches_flat(cti_arena *arena, const cti_surface *s, const cti_memory *memory, cti_hit *hits);
