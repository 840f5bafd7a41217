/* impulses.h -- what contacts, joints and pins gave to bodies over a step: sums over its substeps. */
#ifndef CTI_IMPULSES_H
#define CTI_IMPULSES_H

#include "state.h"

CTI_FN void cti_impulses_free(cti_mem *mem, cti_impulses *q);
/* cti_impulses_reserve -- room for the pins' sums of s->n blocks; new blocks have none. 0: out of memory. */
CTI_FN int cti_impulses_reserve(cti_state *s);
/* cti_impulses_remove -- blocks [b0, b0 + n) leave. */
CTI_FN void cti_impulses_remove(cti_state *s, int b0, int n);
/* cti_impulses_keep -- rows of A and b of the blocks that pins and directions constrain, before the filter changes them: their reaction is
   A v - b less what rows give. 0: out of memory. */
CTI_FN int cti_impulses_keep(cti_state *s);
/* cti_impulses_reactions -- impulses [3 n] that scripts give to the blocks in scripts.reactions in a substep dt to end.v: factor (A v - b) - J' r,
   without what the block is free to do. In system.work. */
CTI_FN const ct_real *cti_impulses_reactions(cti_state *s, ct_real dt);
/* cti_impulses_begin -- sums of a new step, all zero. */
CTI_FN void cti_impulses_begin(cti_state *s);
/* cti_impulses_add -- adds a substep of dt that is about to be committed: contact.rows, contact.origins, end.v. system.work and the arena are
   scratch. 0: out of memory. */
CTI_FN int cti_impulses_add(cti_state *s, ct_real dt);
/* cti_impulses_swap -- the new step's sums become those that are read; called again they are put back. Not in a repair, where time stands still. */
CTI_FN void cti_impulses_swap(cti_state *s);
/* cti_impulses_clear -- nothing touches, holds or pins. */
CTI_FN void cti_impulses_clear(cti_impulses *q);

#endif /* CTI_IMPULSES_H */
