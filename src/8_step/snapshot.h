/* snapshot.h -- the start of a step, kept so that what runs out of memory can be taken back. */
#ifndef CTI_SNAPSHOT_H
#define CTI_SNAPSHOT_H

#include "state.h"

/* cti_snapshot_save -- copies what a step changes: the state, its integrator's and its factors' history, what is tangled; with all != 0 the contact
   memory too, which a step changes last. 0: out of memory, and then nothing is to be restored. */
CTI_FN int cti_snapshot_save(cti_state *s, int all, cti_snapshot *out);
/* cti_snapshot_restore -- the state is what it was; what is computed from it is computed anew. Once, and with the same `all`. A factor that was
   replaced since is not brought back, but computed when it is asked for. Never allocates. */
CTI_FN void cti_snapshot_restore(cti_state *s, int all, cti_snapshot *from);
CTI_FN void cti_snapshot_free(cti_mem *mem, cti_snapshot *t);
/* cti_copy_save -- what belongs to blocks and bodies; energies mean nothing where they are not known. 0: out of memory. */
CTI_FN int cti_copy_save(cti_state *s, cti_copy *out);
/* cti_copy_restore -- the same of one component. Positions of the surface are not. */
CTI_FN void cti_copy_restore(cti_state *s, const cti_component *q, const cti_copy *from);
CTI_FN void cti_copy_free(cti_mem *mem, cti_copy *t);

#endif /* CTI_SNAPSHOT_H */
