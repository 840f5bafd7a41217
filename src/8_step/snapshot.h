/* snapshot.h -- a copy of the state at the start of a step, to which a step returns when it runs out of memory. */
#pragma once

#include "state.h"

/* cti_snapshot_save -- copies the data that a step changes: the state, the history of integrator and factors, the intersecting pairs; with
   all != 0 also the contact memory, which a step changes last. 0: out of memory; then nothing must be restored. */
CTI_FN int cti_snapshot_save(cti_state *s, int all, cti_snapshot *out);
/* cti_snapshot_restore -- restores the state, and recomputes what depends on it. Only once, and with the same `all`. A factor that was
   replaced since is not restored; it is computed again when it is asked for. Never allocates. */
CTI_FN void cti_snapshot_restore(cti_state *s, int all, cti_snapshot *from);
/* cti_snapshot_save_solves, cti_snapshot_restore_solves -- only where free motions start and which factors they have, for an attempt of the
   same length that begins as the last one did; with active != 0 that of active components. save: 0: out of memory. */
CTI_FN int cti_snapshot_save_solves(cti_state *s, cti_snapshot *out);
CTI_FN void cti_snapshot_restore_solves(cti_state *s, int active, const cti_snapshot *from);
CTI_FN void cti_snapshot_free(cti_mem *mem, cti_snapshot *t);
/* cti_copy_save -- copies the data of blocks and bodies; the energies are meaningful only if known. 0: out of memory. */
CTI_FN int cti_copy_save(cti_state *s, cti_copy *out);
/* cti_copy_restore -- restores those of one component. Positions of the surface are not restored. */
CTI_FN void cti_copy_restore(cti_state *s, const cti_component *q, const cti_copy *from);
