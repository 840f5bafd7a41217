/* cc -O2 -pthread threads.c -lm -o threads     (beside contact.h and stb_ds.h) -- three ways to run a step give the same bits */
#define CONTACT_THREADS 1
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

/* the smallest task system: it runs ranges at once, in reverse order. A real one gives them to its threads and returns a task that finish
   waits for */
static void *enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    int *ranges = (int *)user;
    for (int end = count; end > 0; end -= min_range, ++*ranges)
        fn(end > min_range ? end - min_range : 0, end, 0, context);
    return NULL; /* everything is done already */
}

static void finish(void *task, void *user)
{
    (void)task;
    (void)user;
}

static unsigned long long run(ct_tasks tasks)
{
    ct_real size[3] = {0.3, 0.3, 0.3};
    int cells[3] = {3, 3, 3};
    unsigned long long hash;
    ct_mesh cube;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    desc.tasks = tasks;
    if (ct_mesh_box(size, cells, 1, &cube, NULL) || ct_world_create(&desc, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 0;
    soft.mesh = &cube;
    for (int i = 0; i < 8; i++) {
        soft.position[0] = 0.1 * (i % 3), soft.position[1] = 0.2 + 0.35 * i, soft.position[2] = 0.05 * (i % 2);
        if (ct_body_add_soft(world, &soft, NULL))
            return 0;
    }
    for (int i = 0; i < 60; i++)
        if (ct_world_step(world, 0.01, NULL))
            return 0;
    hash = (unsigned long long)ct_world_hash(world);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return hash;
}

int main(void)
{
    ct_tasks alone = {NULL, NULL, 0, NULL}, own = alone, yours = alone;
    unsigned long long hash[3];
    int ranges = 0;
    own.worker_count = 3; /* two threads and the calling one */
    yours.enqueue = enqueue, yours.finish = finish, yours.worker_count = 4, yours.user = &ranges;
    hash[0] = run(alone), hash[1] = run(own), hash[2] = run(yours);
    printf("state after 60 steps: alone %016llx, own threads %016llx, your tasks %016llx (%d ranges)\n", hash[0], hash[1], hash[2], ranges);
    return hash[0] != 0 && hash[0] == hash[1] && hash[0] == hash[2] && ranges > 0 ? 0 : 1;
}
