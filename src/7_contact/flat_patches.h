/* flat_patches.h -- fewer rows where two rigid faces lie on each other. */
#ifndef CTI_PATCHES_H
#define CTI_PATCHES_H

#include "../0_base/arena.h"
#include "detect.h"

/* cti_patches_flat -- takes out of hits the pairs between bodies without deformation that others of the same two bodies and the same normal stand
   for: inside of their outline and no nearer than the plane through it. They are missed by no guarantee, only by the solver: what the motion
   breaks is found by CCD. Order is kept; of equals that which carried load in memory stays. 0: out of memory. */
CTI_FN int cti_patches_flat(cti_arena *arena, const cti_surface *s, const cti_memory *memory, cti_hit *hits);

#endif /* CTI_PATCHES_H */
