/* ids.c -- generational handles. */
#include "ids.h"

#define CTI_IDS_ALIVE (-2)
#define CTI_IDS_NONE (-1)

CTI_FN void cti_ids_init(cti_ids *ids)
{
    memset(ids, 0, sizeof *ids);
    ids->first_free = CTI_IDS_NONE;
}

CTI_FN void cti_ids_free(cti_mem *mem, cti_ids *ids)
{
    CTI_FREE(mem, ids->generations);
    CTI_FREE(mem, ids->next);
    cti_ids_init(ids);
}

CTI_FN int cti_ids_add(cti_mem *mem, cti_ids *ids, uint32_t *out_index1, uint32_t *out_generation)
{
    int32_t slot = ids->first_free;
    if (slot == CTI_IDS_NONE) {
        /* both arrays are reserved before either grows, so that a failure leaves them alike */
        if (!CTI_RESERVE(mem, ids->generations, CTI_LEN(ids->generations) + 1) || !CTI_RESERVE(mem, ids->next, CTI_LEN(ids->next) + 1))
            return 0;
        slot = CTI_LEN(ids->next);
        (void)CTI_PUSH(mem, ids->generations, 0);
        (void)CTI_PUSH(mem, ids->next, CTI_IDS_NONE);
    } else {
        ids->first_free = ids->next[slot];
    }
    ids->generations[slot]++;
    ids->next[slot] = CTI_IDS_ALIVE;
    ids->count++;
    *out_index1 = (uint32_t)slot + 1;
    *out_generation = ids->generations[slot];
    return 1;
}

CTI_FN int cti_ids_find(const cti_ids *ids, uint32_t index1, uint32_t generation)
{
    if (index1 == 0 || index1 > (uint32_t)CTI_LEN(ids->generations))
        return -1;
    if (ids->next[index1 - 1] != CTI_IDS_ALIVE || ids->generations[index1 - 1] != generation)
        return -1;
    return (int)(index1 - 1);
}

CTI_FN int cti_ids_remove(cti_ids *ids, uint32_t index1, uint32_t generation)
{
    int slot = cti_ids_find(ids, index1, generation);
    if (slot < 0)
        return 0;
    ids->count--;
    /* generation 2^32 - 1 is the last one of a slot: it is retired */
    if (ids->generations[slot] == 0xffffffffu) {
        ids->next[slot] = CTI_IDS_NONE;
        return 1;
    }
    ids->generations[slot]++;
    ids->next[slot] = ids->first_free;
    ids->first_free = slot;
    return 1;
}

#undef CTI_IDS_ALIVE
#undef CTI_IDS_NONE
