/* memory.h (floor 7) -- contact memory: what a feature pair remembers from step to step. */
#pragma once

#include "surface.h"

/* cti_memory_item -- multipliers as a world vector (they are rotated into the new frame) and the slip since the contact began to stick. */
typedef struct cti_memory_item {
    uint64_t key;
    ct_real impulse[3]; /* total contact impulse on side a [N s], world axes */
    ct_real normal[3];
    ct_real slip[3];    /* [m], world axes */
    ct_real dt;         /* [s] length of the substep in which the impulse acted */
    ct_real lift;       /* [m/s] most speed at which a gap below 0 is lifted under load; < 0: it did not rise at the last request; 0: not
                           known */
} cti_memory_item;

/* cti_memory -- a hash table with open addressing by key, rebuilt every step. */
typedef struct cti_memory {
    cti_memory_item *items;
    int32_t *table; /* [power of two] index + 1 */
} cti_memory;

CTI_FN void cti_memory_free(cti_mem *mem, cti_memory *m);
CTI_FN const cti_memory_item *cti_memory_find(const cti_memory *m, uint64_t key);
CTI_FN void cti_memory_clear(cti_memory *m);
/* cti_memory_add -- keys are unique: a key that is there is overwritten. 0 when memory ran out (the item is lost, nothing else). */
CTI_FN int cti_memory_add(cti_mem *mem, cti_memory *m, const cti_memory_item *item);
