/* arena.h -- per-step scratch memory: bump allocation in chunks that are released together. Method: after a step that needed several
   chunks, the reset replaces them by one of the peak size. A warmed-up step therefore asks the allocator for nothing. */
#pragma once

#include "alloc.h"

typedef struct cti_arena_chunk {
    struct cti_arena_chunk *next;
    size_t size; /* payload bytes */
} cti_arena_chunk;

typedef struct cti_arena {
    cti_mem *mem;
    cti_arena_chunk *first; /* newest chunk */
    size_t used;            /* bytes used in the newest chunk */
    size_t total, peak;     /* bytes handed out now; the most there ever were */
    cti_mem own;            /* for growable arrays: its blocks are released with what was handed out at their time */
} cti_arena;

/* cti_arena_init -- the arena must not move afterwards. */
CTI_FN void cti_arena_init(cti_arena *arena, cti_mem *mem);
CTI_FN void cti_arena_free(cti_arena *arena);
/* cti_arena_reset -- everything handed out becomes invalid. */
CTI_FN void cti_arena_reset(cti_arena *arena);
/* cti_arena_mark -- remembers how much is handed out; cti_arena_rewind -- releases everything that was handed out after the mark. */
typedef struct cti_arena_point {
    const cti_arena_chunk *first;
    size_t used, total, number;
} cti_arena_point;
CTI_FN cti_arena_point cti_arena_mark(const cti_arena *arena);
CTI_FN void cti_arena_rewind(cti_arena *arena, cti_arena_point point);
/* cti_arena_mem -- a memory whose blocks come from the arena, and go with it: what is released is not used again before. The arena must not move. */
CTI_FN void cti_arena_mem(cti_arena *arena, cti_mem *out);
/* cti_arena_get -- 64-byte aligned, uninitialised; NULL when memory ran out or the size overflows. count 0 gives a valid pointer. */
CTI_FN void *cti_arena_get(cti_arena *arena, size_t count, size_t element);
/* cti_arena_zero -- the same, filled with zero bytes. */
CTI_FN void *cti_arena_zero(cti_arena *arena, size_t count, size_t element);
/* cti_arena_vectors -- n doubles, filled with zeros, for each pointer of the list. 0 when memory ran out. */
CTI_FN int cti_arena_vectors(cti_arena *arena, size_t n, double **const *list, size_t count);
#define CTI_ARENA_VECTORS(arena, n, list) cti_arena_vectors((arena), (size_t)(n), (list), sizeof(list) / sizeof *(list))
#define CTI_ARENA_NEW(arena, T, count) ((T *)cti_arena_get((arena), (size_t)(count), sizeof(T)))
#define CTI_ARENA_ZERO(arena, T, count) ((T *)cti_arena_zero((arena), (size_t)(count), sizeof(T)))
