/* falling_cube.c -- a soft cube falls on a floor and rests there: exit 0. */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {2, 2, 2}, i, ok;
    ct_soft_desc cube = ct_soft_desc_default();
    ct_step_report report = {0};
    ct_world *world = NULL;
    ct_mesh mesh;
    if (ct_mesh_box(size, cells, 1, &mesh, NULL) != CT_OK)
        return 1;
    cube.mesh = &mesh, cube.position[1] = (ct_real)0.6;
    ok = ct_world_create(NULL, &world, NULL) == CT_OK && ct_body_add_plane(world, NULL, 0, NULL) == CT_OK
         && ct_body_add_soft(world, &cube, NULL) == CT_OK;
    for (i = 0; ok && i < 100; i++)
        ok = ct_world_step(world, (ct_real)0.01, &report) == CT_OK;
    printf("contact.h %s: height %.2f m\n", CT_VERSION_STRING, report.center_of_mass[1]);
    ct_world_destroy(world);
    ct_mesh_free(&mesh);
    return ok && report.center_of_mass[1] > (ct_real)0.4 && report.center_of_mass[1] < (ct_real)0.6 ? 0 : 1;
}
