/* cc -O2 joints.c -lm -o joints     (beside contact.h and stb_ds.h) -- a rod on a hinge swings as a physical pendulum does */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {0.05, 1, 0.05}, at[3];
    int cells[3] = {1, 1, 1}, crossings = 0;
    double angle = 0.1, first = 0, last = 0, before, x, dt = 0.002, farthest = 0;
    /* inertia about the end of the rod over m g d: T = 2 pi sqrt(I / (m g d)) (1 + angle^2 / 16) */
    double inertia = (1.0 + 0.05 * 0.05) / 12 + 0.25,
           period = 2 * 3.14159265358979 * sqrt(inertia / (9.81 * 0.5)) * (1 + angle * angle / 16);
    ct_mesh rod;
    ct_world *world;
    ct_body_id body;
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_joint_desc hinge = ct_joint_desc_default(CT_JOINT_HINGE);

    if (ct_mesh_box(size, cells, 0, &rod, NULL) || ct_world_create(NULL, &world, NULL))
        return 1;
    /* the rod hangs from the origin, rotated about z by `angle` */
    rigid.mesh = &rod;
    rigid.position[0] = 0.5 * sin(angle);
    rigid.position[1] = -0.5 * cos(angle);
    rigid.rotation[0] = cos(angle / 2);
    rigid.rotation[3] = sin(angle / 2);
    if (ct_body_add_rigid(world, &rigid, &body))
        return 1;
    hinge.a.body = body; /* the other side is the world, at the point 0 */
    hinge.axis[0] = hinge.axis[1] = 0, hinge.axis[2] = 1;
    if (ct_joint_add(world, &hinge, NULL)) {
        printf("%s\n", ct_world_error(world)->text);
        return 1;
    }
    for (x = 1; ct_world_time(world) < 6.9;) {
        before = x;
        if (ct_world_step(world, dt, NULL) || ct_body_get_pose(world, body, at, NULL))
            return 1;
        x = (double)at[0];
        farthest = fmax(farthest, fabs(sqrt(x * x + (double)(at[1] * at[1])) - 0.5));
        if (before > 0 && x <= 0) {
            last = ct_world_time(world) - dt * x / (x - before);
            first = crossings++ ? first : last;
        }
    }
    printf("period %.4f s, in theory %.4f s; the hinge is off by at most %.1e m\n", (last - first) / (crossings - 1), period, farthest);
    ct_world_destroy(world);
    ct_mesh_free(&rod);
    return crossings > 2 && fabs((last - first) / (crossings - 1) - period) < 0.005 * period && farthest < 1e-6 ? 0 : 1;
}
