/* flats.h -- flat edges, which have no rows of their own, keep their thickness through the rows of the vertices at their ends. */
#ifndef CTI_FLATS_H
#define CTI_FLATS_H

#include "detect.h"

/* cti_flats_raise -- sets keep of near pairs to the distance at which the flat edges at their vertices keep theirs, and appends those flat edges
   that no vertex speaks for. Lists and distances of `d` are of x0. 0: out of memory. */
CTI_FN int cti_flats_raise(cti_mem *mem, cti_arena *arena, const cti_detect *d, const cti_surface *s, cti_hit **hits);

#endif /* CTI_FLATS_H */
