/* flats.h -- flat edges, which have no rows of their own, keep their thickness through the rows of the vertices at their ends. */
#ifndef CTI_FLATS_H
#define CTI_FLATS_H

#include "detect.h"

/* cti_flats_raise -- sets hits[i].keep: the distance that the row of a near pair is to keep so that the flat edges at its vertices keep theirs. Lists
   and distances of `d` are of x0. 0: out of memory. */
CTI_FN int cti_flats_raise(cti_mem *mem, cti_arena *arena, const cti_detect *d, const cti_surface *s, cti_hit **hits);

#endif /* CTI_FLATS_H */
