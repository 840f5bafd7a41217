/* cc -O2 belt.c -lm -o belt     (beside contact.h and stb_ds.h) -- a belt: a floor whose surface moves along itself takes a crate along. Friction
   gives it mu g until it is as fast as the belt, after v / (mu g) seconds */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double mu = 0.5, g = 9.81, dt = 0.005, fast = 2;
    const ct_real belt[3] = {(ct_real)fast, 0, 0};
    ct_real size[3] = {(ct_real)0.3, (ct_real)0.3, (ct_real)0.3}, v[3], p[3];
    int cells[3] = {1, 1, 1}, off = 0;
    ct_world_desc desc = ct_world_desc_default();
    ct_rigid_desc crate = ct_rigid_desc_default();
    ct_body_id floor_id, id;
    ct_world *world;
    ct_mesh mesh;

    desc.friction = (ct_real)mu;
    crate.mesh = &mesh, crate.density = 500, crate.position[1] = (ct_real)0.151;
    if (ct_mesh_box(size, cells, 0, &mesh, NULL) || ct_world_create(&desc, &world, NULL))
        return 1;
    if (ct_body_add_plane(world, NULL, 0, &floor_id) || ct_body_add_rigid(world, &crate, &id) || ct_body_set_surface_velocity(world, floor_id, belt))
        return printf("%s\n", ct_world_error(world)->text), 1;
    for (int step = 1; step <= 160; step++) {
        double t = step * dt, expected = fmin(mu * g * t, fast);
        if (ct_world_step(world, (ct_real)dt, NULL) || ct_body_get_motion(world, id, v, NULL) || ct_body_get_pose(world, id, p, NULL))
            return 1;
        if (step % 20 == 0)
            printf("t = %.2f s   %.3f m/s, expected %.3f   at %.3f m\n", t, (double)v[0], expected, (double)p[0]);
        off += fabs((double)v[0] - expected) > 0.05 * fast;
    }
    ct_world_destroy(world);
    ct_mesh_free(&mesh);
    return off == 0 ? 0 : 1;
}
