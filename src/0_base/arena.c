/* arena.c -- scratch memory of a step. */
#include "arena.h"

#define CTI_ARENA_ALIGN 64u
#define CTI_ARENA_MIN_CHUNK ((size_t)1 << 16)

CTI_FN void cti_arena_init(cti_arena *arena, cti_mem *mem)
{
    memset(arena, 0, sizeof *arena);
    arena->mem = mem;
    cti_mem_open(&arena->own, mem);
}

CTI_FN void cti_arena_free(cti_arena *arena)
{
    cti_mem_release(&arena->own);
    while (arena->first) {
        cti_arena_chunk *next = arena->first->next;
        cti_mem_resize(arena->mem, arena->first, sizeof *next + arena->first->size + CTI_ARENA_ALIGN, 0);
        arena->first = next;
    }
    arena->used = arena->total = 0;
}

static int cti_arena_grow(cti_arena *arena, size_t size)
{
    cti_arena_chunk *c;
    if (size < CTI_ARENA_MIN_CHUNK)
        size = CTI_ARENA_MIN_CHUNK;
    if (arena->first && size < arena->first->size * 2)
        size = arena->first->size * 2;
    c = (cti_arena_chunk *)cti_mem_resize(arena->mem, NULL, 0, sizeof *c + size + CTI_ARENA_ALIGN);
    if (!c)
        return 0;
    c->next = arena->first;
    c->size = size;
    arena->first = c;
    arena->used = 0;
    return 1;
}

CTI_FN void cti_arena_reset(cti_arena *arena)
{
    if (arena->total > arena->peak)
        arena->peak = arena->total;
    cti_mem_release(&arena->own);
    if (arena->first && arena->first->next) {
        /* replaces the chunks by one of the peak size; if that allocation fails, the next cti_arena_get tries again */
        size_t want = arena->peak + arena->peak / 4;
        cti_arena_free(arena);
        cti_arena_grow(arena, want);
    }
    arena->used = arena->total = 0;
}

CTI_FN cti_arena_point cti_arena_mark(const cti_arena *arena)
{
    cti_arena_point p;
    p.first = arena->first, p.used = arena->used, p.total = arena->total, p.number = (size_t)arena->own.n_calls;
    return p;
}

CTI_FN void cti_arena_rewind(cti_arena *arena, cti_arena_point point)
{
    if (arena->total > arena->peak)
        arena->peak = arena->total;
    /* a chunk that was allocated after the mark holds nothing from before it */
    arena->used = arena->first == point.first ? point.used : 0;
    arena->total = point.total;
    cti_mem_release_after(&arena->own, point.number);
}

CTI_FN void *cti_arena_get(cti_arena *arena, size_t count, size_t element)
{
    size_t bytes;
    uintptr_t base;
    if (!cti_mem_mul(count, element, &bytes) || bytes > (size_t)-1 - 4 * CTI_ARENA_ALIGN)
        return NULL;
    bytes = (bytes + CTI_ARENA_ALIGN - 1) & ~(size_t)(CTI_ARENA_ALIGN - 1);
    if (!arena->first || arena->used + bytes > arena->first->size) {
        if (!cti_arena_grow(arena, bytes))
            return NULL;
    }
    base = (uintptr_t)(arena->first + 1);
    base = (base + CTI_ARENA_ALIGN - 1) & ~(uintptr_t)(CTI_ARENA_ALIGN - 1);
    base += arena->used;
    arena->used += bytes;
    arena->total += bytes;
    return (void *)base;
}

static void *cti_arena_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    void *p = new_size ? cti_arena_get((cti_arena *)user, new_size, 1) : NULL;
    if (p && block)
        memcpy(p, block, old_size < new_size ? old_size : new_size);
    return p;
}

CTI_FN void cti_arena_mem(cti_arena *arena, cti_mem *out)
{
    ct_allocator user;
    user.resize = cti_arena_resize, user.user = arena;
    cti_mem_init(out, &user);
}

CTI_FN void *cti_arena_zero(cti_arena *arena, size_t count, size_t element)
{
    void *p = cti_arena_get(arena, count, element);
    if (p)
        memset(p, 0, count * element);
    return p;
}

CTI_FN int cti_arena_vectors(cti_arena *arena, size_t n, double **const *list, size_t count)
{
    size_t k;
    for (k = 0; k < count; k++)
        if (!(*list[k] = CTI_ARENA_ZERO(arena, double, n)))
            return 0;
    return 1;
}
