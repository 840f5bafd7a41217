/* heads.h -- a hash table from numbers to list heads, for the case that few of many possible numbers occur. Method: open addressing with
   linear probes, at most half full; if the table has room for all numbers, they index it directly. Based on: Knuth, The Art of Computer
   Programming 3, 6.4. */
#pragma once

#include "arena.h"

typedef struct cti_head {
    int32_t number; /* 1 + the number, or 0: this place is free */
    int32_t first, last;
} cti_head;

typedef struct cti_heads {
    cti_head *items;
    uint32_t mask;
    int direct; /* 1: the table has room for all numbers, which index it */
} cti_heads;

/* cti_heads_init -- for at most `most` different numbers, all below n. Returns 0 when memory ran out. */
CTI_INLINE int cti_heads_init(cti_heads *h, cti_arena *arena, int most, int n)
{
    uint32_t size = 8;
    while (size < (uint32_t)n && size / 2 < (uint32_t)most)
        size *= 2;
    h->mask = size - 1, h->direct = size >= (uint32_t)n;
    h->items = CTI_ARENA_ZERO(arena, cti_head, size);
    return h->items != NULL;
}

/* cti_heads_at -- the head of number v, or the free place where it belongs. The caller claims a free place by setting `number` to 1 + v. */
CTI_INLINE cti_head *cti_heads_at(const cti_heads *h, int32_t v)
{
    uint32_t i = h->direct ? (uint32_t)v : ((uint32_t)v * 2654435769u >> 7) & h->mask;
    while (h->items[i].number && h->items[i].number != v + 1)
        i = (i + 1) & h->mask;
    return &h->items[i];
}
