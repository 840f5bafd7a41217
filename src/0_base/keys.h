/* keys.h -- a hash table by 64-bit keys of the entries of a list. Method: open addressing with linear probes, at most half full. Based on: Knuth, The
   Art of Computer Programming 3, 6.4. */
#pragma once

#include "platform.h"

/* cti_keys_size -- places of a table for n keys: a power of two. */
CTI_INLINE int cti_keys_size(int n)
{
    int size = 64;
    while (size < 2 * n)
        size *= 2;
    return size;
}
/* cti_keys_at -- the place of a key in table [size], or the free one where it belongs: 1 + the number of its entry, or 0. key0: the key of entry 0;
   entries are `stride` bytes apart. */
CTI_INLINE int32_t *cti_keys_at(int32_t *table, int size, const uint64_t *key0, size_t stride, uint64_t key)
{
    uint32_t mask = (uint32_t)size - 1, i = (uint32_t)key & mask;
    while (table[i] && *(const uint64_t *)(const void *)((const char *)key0 + stride * (size_t)(table[i] - 1)) != key)
        i = (i + 1) & mask;
    return table + i;
}
