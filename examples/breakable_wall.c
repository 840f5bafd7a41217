/* cc -O2 breakable_wall.c -lm -o breakable_wall     (beside contact.h and stb_ds.h) -- bricks on joints that break under a ball; then a hand, a drag,
   lifts a brick out of the rubble */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

enum { ACROSS = 5, UP = 4 };
#define GAP 2e-3 /* [m] between bricks: joints, not contacts, hold them */

static ct_body_id add_box(ct_world *w, double sx, double sy, double sz, double x, double y, double z, double density, double vz)
{
    ct_real size[3];
    int cells[3] = {1, 1, 1};
    ct_mesh m;
    ct_body_id id = {0, 0};
    ct_rigid_desc d = ct_rigid_desc_default();
    size[0] = (ct_real)sx, size[1] = (ct_real)sy, size[2] = (ct_real)sz;
    if (ct_mesh_box(size, cells, 0, &m, NULL))
        return id;
    d.mesh = &m, d.density = (ct_real)density, d.velocity[2] = (ct_real)vz;
    d.position[0] = (ct_real)x, d.position[1] = (ct_real)y, d.position[2] = (ct_real)z;
    ct_body_add_rigid(w, &d, &id);
    ct_mesh_free(&m);
    return id;
}

/* mortar between two bricks, or between a brick and the ground, which breaks at a force or a torque */
static void glue(ct_world *w, ct_body_id a, ct_body_id b, double x, double y, double force, double torque)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_FIXED);
    ct_joint_id j;
    d.a.body = a, d.b.body = b;
    d.point[0] = (ct_real)x, d.point[1] = (ct_real)y;
    d.collide = 1; /* also once it is broken, and before */
    if (ct_joint_add(w, &d, &j) || ct_joint_set_break(w, j, (ct_real)force, (ct_real)torque))
        printf("%s\n", ct_world_error(w)->text);
}

int main(void)
{
    const ct_body_id ground = {0, 0};
    const double a = 0.4 + GAP, b = 0.2 + GAP, dt = 1. / 120;
    ct_world *world;
    ct_body_id brick[UP][ACROSS];
    ct_joint_desc hand = ct_joint_desc_default(CT_JOINT_DRAG);
    ct_joint_id drag;
    ct_real at[3], goal[3];
    ct_events e;
    int i, k, n = 0, broken = 0, joints = ACROSS * UP + UP * (ACROSS - 1);

    if (ct_world_create(NULL, &world, NULL))
        return 1;
    ct_body_add_plane(world, NULL, 0, NULL);
    for (k = 0; k < UP; k++)
        for (i = 0; i < ACROSS; i++) {
            double x = (i - (ACROSS - 1) / 2.) * a, y = GAP + 0.1 + k * b;
            brick[k][i] = add_box(world, 0.4, 0.2, 0.2, x, y, 0, 2000, 0);
            glue(world, brick[k][i], k ? brick[k - 1][i] : ground, x, y - b / 2, 8000, 800);
            if (i > 0)
                glue(world, brick[k][i], brick[k][i - 1], x - a / 2, y, 8000, 800);
        }
    add_box(world, 0.3, 0.3, 0.3, 0.05, 0.5, -2, 8000, 12); /* 216 kg at 12 m/s */
    for (n = 0; n < 240; n++) {
        if (ct_world_step(world, (ct_real)dt, NULL) || ct_world_events(world, &e)) {
            printf("%s\n", ct_world_error(world)->text);
            return 1;
        }
        for (i = 0; i < e.n_joint_break; i++) {
            const ct_real *J = e.joint_break[i].impulse;
            if (broken++ < 3)
                printf("%.3f s: joint %u breaks under %.0f N\n", ct_world_time(world), (unsigned)e.joint_break[i].joint.index1,
                       sqrt((double)(J[0] * J[0] + J[1] * J[1] + J[2] * J[2])) / dt);
        }
    }
    /* a hand takes a brick of the top at its middle, and lifts it in a second, with 1500 N at most: a spring, damped critically */
    hand.a.body = brick[UP - 1][2];
    ct_body_get_pose(world, hand.a.body, at, NULL);
    for (k = 0; k < 3; k++)
        hand.point[k] = at[k];
    if (ct_joint_add(world, &hand, &drag) || ct_joint_set_motor(world, drag, 0, 1500) || ct_joint_set_spring(world, drag, 0, 3200, 640))
        return 1;
    for (n = 1; n <= 360; n++) {
        for (k = 0; k < 3; k++)
            goal[k] = at[k] + (ct_real)(k == 1 ? fmin(n * dt, 1) * 2 : 0);
        if (ct_joint_set_target(world, drag, goal) || ct_world_step(world, (ct_real)dt, NULL))
            return 1;
    }
    ct_body_get_pose(world, hand.a.body, at, NULL);
    printf("%d of %d joints broke; the brick hangs %.3f m below the hand, in theory m g / k = %.3f m\n", broken, joints, (double)(goal[1] - at[1]),
           32 * 9.81 / 3200);
    ct_world_destroy(world);
    return broken > 0 && broken < joints && fabs((double)(goal[1] - at[1]) - 32 * 9.81 / 3200) < 5e-3 ? 0 : 1;
}
