/* flats.h -- crossings of flat edges, which have no rows of their own, keep their thickness through the rows of the vertices at their
   ends. */
#pragma once

#include "detect.h"

/* cti_flats_raise -- raises `keep` of near pairs to the distance at which the flat edges at their vertices keep theirs. It appends a row
   for each crossing that no vertex's row can hold. Lists and distances of `d` are of x0. ahead [3 nv]: positions extrapolated with the last
   step's velocity; NULL: all crossings are treated alike. With `ahead`, crossings of cloth from .9 of their thickness on raise nothing, and
   get a row of their own where the extrapolation brings them below .9. led [3 nv]: ends of the led motion (seams.h); crossings of rigid bodies
   that it keeps apart raise nothing. NULL: they do. 0: out of memory. */
CTI_FN int cti_flats_raise(cti_mem *mem, cti_arena *arena, const cti_detect *d, const cti_surface *s, const ct_real *ahead,
                           const ct_real *led, cti_hit **hits);

/* cti_flats_fallen -- appends to hits the crossings of flat edges that are at least .9 of their thickness apart at x0 and come below that
   by x1. Their normals are those at x1. One of the two edges is a cloth's, and none a rigid body's. Lists and distances as above. 0: out of
   memory. */
CTI_FN int cti_flats_fallen(cti_mem *mem, const cti_detect *d, const cti_surface *s, cti_hit **hits);
