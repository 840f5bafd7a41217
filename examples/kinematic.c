/* cc -O2 kinematic.c -lm -o kinematic     (beside contact.h and stb_ds.h) -- a scripted plate pushes a crate, then draws back */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real crate_size[3] = {0.4, 0.4, 0.4}, plate_size[3] = {0.1, 0.4, 0.6}, at[3] = {0, 0, 0};
    int cells[3] = {1, 1, 1};
    ct_mesh crate_mesh, plate_mesh;
    ct_world *world;
    ct_body_id crate;
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_kinematic_desc plate = ct_kinematic_desc_default();
    ct_motion_segment path[2] = {{{{0.5, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 1}, {{{-1, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0.5}};

    if (ct_mesh_box(crate_size, cells, 0, &crate_mesh, NULL) || ct_mesh_box(plate_size, cells, 0, &plate_mesh, NULL) ||
        ct_world_create(NULL, &world, NULL))
        return 1;
    rigid.mesh = &crate_mesh;
    rigid.position[1] = 0.201; /* one thickness above the floor */
    plate.mesh = &plate_mesh;
    plate.position[0] = -0.251; /* one thickness behind the crate */
    plate.position[1] = 0.21;
    /* half a metre per second for a second, then back twice as fast */
    plate.segments = path;
    plate.n_segments = 2;
    if (ct_body_add_plane(world, NULL, 0, NULL) || ct_body_add_rigid(world, &rigid, &crate) || ct_body_add_kinematic(world, &plate, NULL)) {
        printf("%s\n", ct_world_error(world)->text);
        return 1;
    }
    for (int i = 1; i <= 150; i++) {
        if (ct_world_step(world, 0.01, NULL) || ct_body_get_pose(world, crate, at, NULL))
            return 1;
        if (i % 50 == 0)
            printf("t = %.1f s   crate at %.3f m\n", ct_world_time(world), (double)at[0]);
        if (i == 100 && fabs((double)at[0] - 0.5) > 2e-3) {
            printf("the plate went 0.500 m, the crate did not\n");
            return 1;
        }
    }
    ct_world_destroy(world);
    ct_mesh_free(&crate_mesh);
    ct_mesh_free(&plate_mesh);
    /* when the plate draws back at 0.5 m/s, the crate slides on by v^2 / (2 mu g) = 0.032 m */
    return fabs((double)at[0] - 0.532) < 5e-3 ? 0 : 1;
}
