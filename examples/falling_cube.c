/* cc -O2 falling_cube.c -lm -o falling_cube     (beside contact.h and stb_ds.h) -- the quick start with every error handled */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {3, 3, 3}, i, k;
    ct_mesh cube;
    ct_world *world = NULL;
    ct_world_desc world_desc = ct_world_desc_default();
    ct_static_desc floor_desc = ct_static_desc_default(); /* a description without a mesh is the plane y = 0 */
    ct_soft_desc cube_desc = ct_soft_desc_default();
    ct_body_id ground, body;
    ct_error_info error;
    ct_step_report report;

    /* a cube of tetrahedra, half a metre above the floor */
    if (ct_mesh_box(size, cells, 1, &cube, &error) != CT_OK || ct_world_create(&world_desc, &world, &error) != CT_OK) {
        printf("%s\n", error.text);
        return 1;
    }
    for (i = 0; i < cube.n_positions; i++)
        cube.positions[3 * i + 1] += 1;
    cube_desc.name = "cube";
    cube_desc.mesh = &cube;
    cube_desc.material.young = (ct_real)2e5;
    if (ct_body_add_static(world, &floor_desc, &ground) != CT_OK || ct_body_add_soft(world, &cube_desc, &body) != CT_OK) {
        printf("%s\n", ct_world_error(world)->text);
        return 1;
    }

    /* two seconds in steps of a hundredth */
    for (i = 0; i < 8; i++) {
        for (k = 0; k < 25; k++)
            if (ct_world_step(world, (ct_real)0.01, &report) != CT_OK) {
                printf("%s\n", ct_world_error(world)->text);
                return 1;
            }
        printf("t = %.2f s   height %.2f m   %2d contacts   %s\n", ct_world_time(world), report.center_of_mass[1], report.contacts,
               ct_status_text(report.status));
    }
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return report.center_of_mass[1] > 0.48 && report.center_of_mass[1] < 0.5 ? 0 : 1;
}
