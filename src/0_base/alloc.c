/* alloc.c -- checked allocation through the caller's allocator. Purpose: count, refuse overflow, report failure as NULL. */
#include "alloc.h"
#include <stdlib.h>

static void *cti_default_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    CTI_UNUSED(user);
    CTI_UNUSED(old_size);
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

CTI_FN void cti_mem_init(cti_mem *mem, const ct_allocator *user)
{
    memset(mem, 0, sizeof *mem);
    if (user && user->resize)
        mem->user = *user;
    else
        mem->user.resize = cti_default_resize;
}

CTI_FN void cti_mem_open(cti_mem *part, cti_mem *whole)
{
    memset(part, 0, sizeof *part);
    part->whole = whole;
    part->ring.prev = part->ring.next = &part->ring;
}

CTI_FN void cti_mem_release(cti_mem *part) { cti_mem_release_after(part, 0); }

CTI_FN void cti_mem_release_after(cti_mem *part, size_t number)
{
    while (part->ring.next != &part->ring && part->ring.next->number > number) /* the newest block is the next one */
        cti_mem_resize(part, part->ring.next + 1, part->ring.next->size - sizeof(cti_ring), 0);
}

CTI_FN void *cti_mem_zero(cti_mem *mem, size_t size)
{
    void *p = cti_mem_resize(mem, NULL, 0, size);
    if (p)
        memset(p, 0, size);
    return p;
}

/* cti_mem_resize in a part: a block with its head */
static void *cti_mem_resize_part(cti_mem *part, void *block, size_t old_size, size_t new_size)
{
    cti_ring *h = block ? (cti_ring *)block - 1 : NULL, *grown;
    if (h && new_size == 0)
        h->prev->next = h->next, h->next->prev = h->prev;
    grown = (cti_ring *)cti_mem_resize(part->whole, h, h ? old_size + sizeof *h : 0,
                                       new_size > 0 && new_size < SIZE_MAX - sizeof *h ? new_size + sizeof *h : new_size);
    if (!grown) {
        part->failed |= new_size > 0;
        return NULL;
    }
    if (!block)
        grown->prev = &part->ring, grown->next = part->ring.next, grown->number = (size_t)++part->n_calls;
    grown->prev->next = grown->next->prev = grown;
    grown->size = new_size + sizeof *grown;
    return grown + 1;
}

CTI_FN void *cti_mem_resize(cti_mem *mem, void *block, size_t old_size, size_t new_size)
{
    void *p;
    if (mem->whole)
        return cti_mem_resize_part(mem, block, old_size, new_size);
    if (new_size == 0) {
        if (block) {
            mem->user.resize(mem->user.user, block, old_size, 0);
            mem->bytes_live -= (int64_t)old_size;
        }
        return NULL;
    }
    mem->n_calls++;
    if (new_size > PTRDIFF_MAX) {
        mem->failed = 1;
        return NULL;
    }
    p = mem->user.resize(mem->user.user, block, block ? old_size : 0, new_size);
    if (!p) {
        mem->failed = 1;
        return NULL;
    }
    mem->bytes_live += (int64_t)new_size - (int64_t)(block ? old_size : 0);
    if (mem->bytes_live > mem->bytes_peak)
        mem->bytes_peak = mem->bytes_live;
    return p;
}

CTI_FN int cti_mem_mul(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > (size_t)-1 / b)
        return 0;
    *out = a * b;
    return 1;
}
