/* flats.h -- flat edges, which have no rows of their own, keep their thickness through the rows of the vertices at their ends. */
#ifndef CTI_FLATS_H
#define CTI_FLATS_H

#include "detect.h"

/* cti_flats_raise -- sets keep of near pairs to the distance at which the flat edges at their vertices keep theirs, and appends those flat edges
   that no vertex speaks for. Lists and distances of `d` are of x0. 0: out of memory. */
CTI_FN int cti_flats_raise(cti_mem *mem, cti_arena *arena, const cti_detect *d, const cti_surface *s, cti_hit **hits);

/* cti_flats_fallen -- appends to hits the crossings of flat edges that are at least .9 of their thickness apart at x0 and come below that by x1,
   with their normals at x0, where one of the two is a cloth's edge and none a rigid body's. Lists and distances as above. 0: out of memory. */
CTI_FN int cti_flats_fallen(cti_mem *mem, const cti_detect *d, const cti_surface *s, cti_hit **hits);

#endif /* CTI_FLATS_H */
