/* island.h -- a contact island as a separate problem: the components under some rows, with block numbers from 0. */
#pragma once

#include "state.h"

/* cti_island -- the data for a solve of some rows, and nothing of the rest of the world. It may not be moved in memory: p points into it. */
typedef struct cti_island {
    int32_t *components;   /* [n_components] ascending */
    int n_components, n;   /* n: blocks, component by component */
    const int32_t *blocks; /* [n] their numbers in the world */
    const int32_t *own;    /* [n] the numbers 0, 1, 2, ...: lists of local blocks point into it */
    cti_bsr A;             /* the components' rows of A, which couple to nothing else */
    ct_real *v;            /* [3 n] */
    cti_problem p;         /* local A, b, rows; clusters are not set */
} cti_island;

/* cti_island_open -- opens rows [first, end) of the world's problem with the components that they touch. v [3 n of the world] is the start
   of the solve. Where the blocks are consecutive in the world, data are referenced, else copied. Only one island may be open at a time.
   Memory from the arena; 0 when it ran out, and then nothing is open. */
CTI_FN int cti_island_open(cti_factors *f, cti_arena *arena, const cti_problem *world, int first, int end, ct_real *v, cti_island *out);
/* cti_island_close -- copies velocities and multipliers back to the world. */
CTI_FN void cti_island_close(cti_factors *f, const cti_island *q, cti_row *rows, ct_real *v);
