/* seams.h -- which near pairs get no row because other contacts lead the motion past them. */
#ifndef CTI_SEAMS_H
#define CTI_SEAMS_H

#include "../0_base/arena.h"
#include "detect.h"

/* cti_seams_share -- share of the motion x0 -> x1 at which the pair is first as near as `distance`; > 1: never. Not of planes. */
CTI_FN ct_real cti_seams_share(const cti_pair *pair, const ct_real *x0, const ct_real *x1, ct_real distance);

/* cti_seams_pass -- moves from hits to d->passed the pairs at edges and vertices that the free motion to s->x1, led by the other hits,
   passes without coming nearer than CCD allows. A pair at its thickness that carried load in memory stays. The order is kept. 0: out of
   memory. */
CTI_FN int cti_seams_pass(cti_mem *mem, cti_arena *arena, cti_detect *d, const cti_surface *s, const cti_memory *memory, cti_hit *hits);

/* cti_seams_fallen -- appends to hits those of d->passed that the solved motion to s->x1 does not pass, and brings below .9 of their
   thickness, with the normal there. 0: out of memory. */
CTI_FN int cti_seams_fallen(cti_mem *mem, const cti_detect *d, const cti_surface *s, cti_hit **hits);

#endif /* CTI_SEAMS_H */
