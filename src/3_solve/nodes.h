/* nodes.h -- Gauss-Seidel sweeps over single blocks: the splitting D of 3x3 diagonal blocks. */
#pragma once

#include "../0_base/arena.h"
#include "../1_math/vec.h"
#include "../2_linalg/bsr.h"

/* cti_nodes -- sweeps run in float on the difference to a base point v0. A v0 is held in ct_real and recomputed every few sweeps. So a
   sweep reads half the bytes and still converges to ct_real precision. */
typedef struct cti_nodes {
    const cti_bsr *A;
    int32_t *blocks;   /* [n] in the order of a sweep */
    int n;
    int32_t *beside;   /* [n_beside] blocks that A couples to those of the list, themselves included */
    int n_beside, age; /* sweeps since v0 was taken */
    size_t *start;     /* [n] start of each block's row in val */
    float *val;        /* rows of A, stored consecutively, see cti_bsr_float_row */
    float *delta;      /* [4 n of A] v - v0 */
    float *inverse;    /* [12 n] D^-1: three rows of four */
    ct_real *v0, *Av0; /* [3 n of A] */
} cti_nodes;

/* cti_nodes_init -- blocks [n] are kept by reference; all memory is from the arena. 0 when it ran out. A singular diagonal block gets D^-1
   = 0, so that its block does not move. */
CTI_FN int cti_nodes_init(cti_nodes *q, cti_arena *arena, const cti_bsr *A, int32_t *blocks, int n);
/* cti_nodes_restart -- to be called when v was changed otherwise: the next sweep takes a new base point. */
CTI_FN void cti_nodes_restart(cti_nodes *q);
/* cti_nodes_after -- called after the visit of block i of the list. It may change f, and v when it adds the same to delta. Returns a change
   [m/s]. */
typedef ct_real cti_nodes_after(void *ctx, int i);
/* cti_nodes_sweep -- one sweep v_i += D_i^-1 (f - A v)_i over the blocks (Otaduy 2009, eq. 12), calling `after` (or NULL) after each block.
   Returns the largest change of an entry or of those that `after` returned; not finite where any entry is not. */
CTI_FN ct_real cti_nodes_sweep(cti_nodes *q, const ct_real *f, ct_real *v, cti_nodes_after *after, void *ctx);
