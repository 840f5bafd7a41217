/* coarse.h -- the coarse grid of a solve that splits bodies into nodes: it corrects whole bodies. */
#pragma once

#include "factors.h"

/* cti_coarse -- the data of corrections of the open island's velocities. It may not be moved in memory: `correction` points to it. */
typedef struct cti_coarse {
    cti_factors *f;
    cti_bsr *A;                /* the world's; its diagonal is changed while a factor is computed, and restored */
    const cti_island *island;
    ct_real *r, *z;            /* [3 n] residual [N s] and correction [m/s], by the island's numbers of blocks */
    ct_real *diagonal;         /* [9 n] copy of A's diagonal blocks */
    ct_real *between;          /* [2 rows] stiffness along the normal and across it, where bodies have two grids; else NULL */
    ct_real *work;             /* [12 n] of conjugate gradients */
    int is_known;              /* 1: these are known */
    uint8_t *is_split;         /* [n] 1: the block's component is split into nodes, and corrected */
    uint8_t *is_touched;       /* [n] 1: an active contact acts on the block */
    uint8_t *is_due;           /* [components] 1: its factor is computed again */
    cti_correction correction; /* what the solver calls (cti_problem.correction) */
} cti_coarse;

/* cti_coarse_begin -- begins a step: factors that are cheap are of one step, so that a step that was refused begins again as it did. */
CTI_FN void cti_coarse_begin(cti_factors *f);
/* cti_coarse_open -- sets up corrections for the components that the last cti_clusters_make split. out->correction.apply is NULL if there are
   none, or so many that they count as a stack. A is the world's. Memory comes from the arena; 0 when it ran out. */
CTI_FN int cti_coarse_open(cti_factors *f, cti_arena *arena, cti_bsr *A, const cti_island *island, cti_coarse *out);
