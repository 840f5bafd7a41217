/* smooth.h -- corrections of whole bodies for a solve that splits them into nodes. */
#pragma once

#include "factors.h"

/* cti_smoother -- the data of corrections of the open island's velocities. It may not be moved in memory: hook points to it. */
typedef struct cti_smoother {
    cti_factors *f;
    cti_bsr *A; /* the world's; its diagonal is changed while a factor is computed, and restored */
    const cti_island *island;
    ct_real *r, *z, *keep; /* [3 n] residual and correction, [9 n] diagonal blocks of A; local */
    uint8_t *split;        /* [n] 1: the block is corrected */
    uint8_t *hold, *due;   /* [n] 1: an active contact touches the block; [components] 1: its factor is computed again */
    cti_correction hook;   /* for cti_problem.correction */
} cti_smoother;

/* cti_smooth_open -- corrections for the components that the last cti_clusters_make split. out->hook.apply is NULL if there are none, or so
   many that they count as a stack. A is the world's. Memory from the arena; 0 when it ran out. */
CTI_FN int cti_smooth_open(cti_factors *f, cti_arena *arena, cti_bsr *A, const cti_island *island, cti_smoother *out);
