#define CONTACT_IMPLEMENTATION
#include "contact.h"          /* cc -O2 quickstart.c -lm -o quickstart */
#include <stdio.h>
int main(void) {
    ct_real size[3] = {1, 1, 1}; int cells[3] = {3, 3, 3}; ct_mesh mesh; ct_step_report r;
    ct_world *world; ct_soft_desc cube = ct_soft_desc_default();
    cube.mesh = &mesh, cube.position[1] = 1, cube.material.young = 2e5;
    if (ct_mesh_box(size, cells, 1, &mesh, 0) || ct_world_create(0, &world, 0)) return 1;
    if (ct_body_add_plane(world, 0, 0, 0) || ct_body_add_soft(world, &cube, 0)) return 1;
    for (int step = 1; step <= 200 && !ct_world_step(world, 0.01, &r); step++)
        if (step % 25 == 0) printf("t = %.2f s   height %.2f m   %2d contacts\n",
                                 ct_world_time(world), r.center_of_mass[1], r.contacts); }
