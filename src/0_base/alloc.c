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

CTI_FN void *cti_mem_resize(cti_mem *mem, void *block, size_t old_size, size_t new_size)
{
    void *p;
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
