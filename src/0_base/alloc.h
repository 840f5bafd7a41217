/* alloc.h -- every allocation of the library goes through here: a checked allocator with counters and failure injection. Method: blocks
   come from the caller's `ct_allocator`. Sizes are known at release, so that blocks need no header of ours. A memory that is part of another
   one (cti_mem_open) keeps a ring of its blocks, and one call releases them all: what lives as long as its owner needs no code that frees it. */
#pragma once

#include "platform.h"

/* cti_ring -- the head of a block in a memory that is part of another. */
typedef struct cti_ring {
    struct cti_ring *prev, *next;
    size_t size;   /* of the block, with its head */
    size_t number; /* counts the blocks of the part, from 1 */
} cti_ring;

/* cti_mem -- one allocator and its counters. A world owns one; functions that work without a world use a local one. */
typedef struct cti_mem {
    ct_allocator user;   /* never with a NULL resize: cti_mem_init fills the default */
    int64_t n_calls;     /* resize calls that asked for memory, since init; of a part: blocks so far */
    int64_t bytes_live;  /* bytes handed out and not returned */
    int64_t bytes_peak;
    int failed;          /* 1 once any request was refused; the caller clears it */
    struct cti_mem *whole; /* the memory that this one is part of, which has the allocator and the counters; NULL: none */
    cti_ring ring;       /* of its blocks. A block that grows stays in its ring, also when another part of the same whole is named */
} cti_mem;

/* cti_mem_init -- user may be NULL: malloc, realloc, free. */
CTI_FN void cti_mem_init(cti_mem *mem, const ct_allocator *user);

/* cti_mem_open -- part is an empty part of whole; it must not move. cti_mem_release frees all its blocks at once, cti_mem_release_after those with
   a larger number. */
CTI_FN void cti_mem_open(cti_mem *part, cti_mem *whole);
CTI_FN void cti_mem_release(cti_mem *part);
CTI_FN void cti_mem_release_after(cti_mem *part, size_t number);

/* cti_mem_zero -- a new block of zeros, or NULL. */
CTI_FN void *cti_mem_zero(cti_mem *mem, size_t size);

/* cti_mem_resize -- like realloc with the old size. new_size 0 frees and returns NULL. On failure returns NULL, sets mem->failed, and the
   old block stays valid. Blocks are aligned as malloc's are. */
CTI_FN void *cti_mem_resize(cti_mem *mem, void *block, size_t old_size, size_t new_size);

/* cti_mem_mul -- a * b into *out, 0 on overflow. */
CTI_FN int cti_mem_mul(size_t a, size_t b, size_t *out);
