/* memory.c -- contact memory by feature ids. Method: a hash table with linear probing over an array in insertion order, so that iteration
   over it is deterministic. */
#include "memory.h"

CTI_FN void cti_memory_free(cti_mem *mem, cti_memory *m)
{
    CTI_FREE(mem, m->items);
    CTI_FREE(mem, m->table);
}

CTI_FN const cti_memory_item *cti_memory_find(const cti_memory *m, uint64_t key)
{
    uint32_t mask = (uint32_t)CTI_LEN(m->table) - 1, i = (uint32_t)key & mask;
    if (CTI_LEN(m->table) == 0) /* also of a copy that was made of an empty one */
        return NULL;
    for (; m->table[i]; i = (i + 1) & mask)
        if (m->items[m->table[i] - 1].key == key)
            return &m->items[m->table[i] - 1];
    return NULL;
}

CTI_FN void cti_memory_clear(cti_memory *m)
{
    CTI_CLEAR(m->items);
    if (m->table)
        memset(m->table, 0, sizeof(int32_t) * (size_t)CTI_LEN(m->table));
}

static void cti_memory_insert(cti_memory *m, int index)
{
    uint32_t mask = (uint32_t)CTI_LEN(m->table) - 1, i = (uint32_t)m->items[index].key & mask;
    while (m->table[i])
        i = (i + 1) & mask;
    m->table[i] = index + 1;
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
        cti_memory_insert(m, n);
        return 1;
    }
    size = size < 64 ? 64 : 2 * size;
    if (!CTI_RESIZE(mem, m->table, size)) {
        stbds_header(m->items)->length--;
        return 0;
    }
    memset(m->table, 0, sizeof(int32_t) * (size_t)size);
    for (i = 0; i <= n; i++)
        cti_memory_insert(m, i);
    return 1;
}
