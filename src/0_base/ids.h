/* ids.h -- handles {index1, generation}: a slot number from 1 and the number of times that the slot changed hands. Method: a generation is
   odd while its slot lives and even while it is free; a slot whose generations are used up is never given out again, so that a stale handle
   is recognised for ever. Freed slots are reused last in, first out, which depends on the calls alone. */
#ifndef CTI_IDS_H
#define CTI_IDS_H

#include "array.h"

typedef struct cti_ids {
    uint32_t *generations; /* [slots] */
    int32_t *next;         /* [slots] next free slot or -1, -2 while alive */
    int32_t first_free;    /* -1: none */
    int count;             /* slots alive */
} cti_ids;

CTI_FN void cti_ids_init(cti_ids *ids);
CTI_FN void cti_ids_free(cti_mem *mem, cti_ids *ids);
/* cti_ids_add -- 1 and a handle, or 0 when memory ran out. The slot's index is index1 - 1. */
CTI_FN int cti_ids_add(cti_mem *mem, cti_ids *ids, uint32_t *out_index1, uint32_t *out_generation);
/* cti_ids_find -- the slot of a living handle, or -1 for null, stale and invented ones. */
CTI_FN int cti_ids_find(const cti_ids *ids, uint32_t index1, uint32_t generation);
/* cti_ids_remove -- 1, or 0 when the handle does not live. Never allocates. */
CTI_FN int cti_ids_remove(cti_ids *ids, uint32_t index1, uint32_t generation);

#endif /* CTI_IDS_H */
