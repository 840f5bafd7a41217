/* app.c -- the project's own code; contact.c has the implementation. */
#include "contact.h"
#include <stdio.h>

static int app_run(void)
{
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {2, 2, 2}, i;
    ct_world_desc world_desc = ct_world_desc_default();
    ct_static_desc floor_desc = ct_static_desc_default();
    ct_soft_desc cube_desc = ct_soft_desc_default();
    ct_step_report report;
    ct_world *world = NULL;
    ct_body_id id;
    ct_mesh cube;
    int ok = ct_mesh_box(size, cells, 1, &cube, NULL) == CT_OK && ct_world_create(&world_desc, &world, NULL) == CT_OK;
    for (i = 0; ok && i < cube.n_positions; i++)
        cube.positions[3 * i + 1] += (ct_real)0.6;
    cube_desc.mesh = &cube;
    ok = ok && ct_body_add_static(world, &floor_desc, &id) == CT_OK && ct_body_add_soft(world, &cube_desc, &id) == CT_OK;
    for (i = 0; ok && i < 100; i++)
        ok = ct_world_step(world, (ct_real)0.01, &report) == CT_OK;
    if (ok)
        printf("consumer: %.2f s, height %.1f m\n", ct_world_time(world), report.center_of_mass[1]);
    ct_world_destroy(world), ct_mesh_free(&cube);
    return ok ? 0 : 1;
}

int main(void) { return app_run(); }
