/* memory.c -- contact memory by feature ids. Method: a hash table with linear probing over an array in insertion order, so that iteration
   over it is deterministic. */
#include "memory.h"
#include "../0_base/keys.h"

CTI_FN void cti_memory_free(cti_mem *mem, cti_memory *m)
{
    CTI_FREE(mem, m->items);
    CTI_FREE(mem, m->table);
}

static int32_t *cti_memory_at(const cti_memory *m, uint64_t key)
{
    return cti_keys_at(m->table, CTI_LEN(m->table), &m->items->key, sizeof *m->items, key);
}

CTI_FN const cti_memory_item *cti_memory_find(const cti_memory *m, uint64_t key)
{
    int found = CTI_LEN(m->table) ? *cti_memory_at(m, key) : 0; /* no table: also of a copy that was made of an empty one */
    return found ? &m->items[found - 1] : NULL;
}

CTI_FN void cti_memory_clear(cti_memory *m)
{
    CTI_CLEAR(m->items);
    if (m->table)
        memset(m->table, 0, sizeof(int32_t) * (size_t)CTI_LEN(m->table));
}

CTI_FN int cti_memory_add(cti_mem *mem, cti_memory *m, const cti_memory_item *item)
{
    const cti_memory_item *found = cti_memory_find(m, item->key);
    int i, n = CTI_LEN(m->items), size = CTI_LEN(m->table);
    if (found) {
        m->items[found - m->items] = *item;
        return 1;
    }
    if (!CTI_PUSH(mem, m->items, *item))
        return 0;
    if (2 * (n + 1) <= size) {
        *cti_memory_at(m, item->key) = n + 1;
        return 1;
    }
    size = size < 64 ? 64 : 2 * size;
    if (!CTI_RESIZE(mem, m->table, size)) {
        stbds_header(m->items)->length--;
        return 0;
    }
    memset(m->table, 0, sizeof(int32_t) * (size_t)size);
    for (i = 0; i <= n; i++)
        *cti_memory_at(m, m->items[i].key) = i + 1;
    return 1;
}
