/* cc -O2 allocator.c -lm -o allocator     (beside contact.h and stb_ds.h) -- memory of your own: counted, bounded, and given back */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct budget {
    size_t used, most, limit;
    long calls;
} budget;

/* realloc with the old size; new_size 0 frees. NULL is allowed, too: the call that needs the memory then fails with CT_ERR_MEMORY */
static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    budget *b = (budget *)user;
    void *p;
    b->calls += new_size > 0;
    if (b->used - old_size + new_size > b->limit)
        return NULL;
    p = new_size ? realloc(block, new_size) : NULL;
    if (new_size && !p)
        return NULL;
    if (!new_size)
        free(block);
    b->used += new_size - old_size;
    b->most = b->used > b->most ? b->used : b->most;
    return p;
}

int main(void)
{
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {3, 3, 3}, refused;
    long calls;
    budget b = {0, 0, 100 << 20, 0};
    ct_mesh cube;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();

    desc.allocator.resize = resize;
    desc.allocator.user = &b;
    if (ct_mesh_box(size, cells, 1, &cube, NULL) || ct_world_create(&desc, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    soft.mesh = &cube;
    soft.position[1] = 0.6;
    if (ct_body_add_soft(world, &soft, NULL))
        return 1;
    for (int i = 0; i < 100; i++)
        if (ct_world_step(world, 0.01, NULL))
            return 1;
    /* a step allocates nothing once the world has had this many contacts */
    calls = b.calls;
    for (int i = 0; i < 50; i++)
        if (ct_world_step(world, 0.01, NULL))
            return 1;
    printf("%.0f kB at most; %ld allocations in 150 steps, %ld of them in the last 50\n", (double)b.most / 1024, b.calls, b.calls - calls);
    calls = b.calls - calls;
    /* no more memory: the call returns an error, and the world is unchanged */
    b.limit = b.used;
    soft.position[1] = 2;
    refused = ct_body_add_soft(world, &soft, NULL) == CT_ERR_MEMORY && ct_world_body_count(world) == 2;
    printf("a body too many: %s\n", ct_world_error(world)->text);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    printf("%lu bytes are left behind\n", (unsigned long)b.used);
    return refused && calls == 0 && b.used == 0 ? 0 : 1;
}
