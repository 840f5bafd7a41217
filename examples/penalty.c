/* cc -O2 penalty.c -lm -o penalty     (beside contact.h and stb_ds.h) -- the penalty stepper: springs that only push, friction with an anchor */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {0.1, 0.1, 0.1}, place[3], start[3] = {0, 0, 0};
    const double angle = atan(0.5), stiffness = 2 / (1 / 4e4 + 1 / 1e4), dt = 0.01;
    int cells[3] = {1, 1, 1}, n, worst = 0;
    double force = 0, depth = 0, moved;
    ct_mesh cube;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_static_desc slope = ct_static_desc_default();
    ct_rigid_desc crate = ct_rigid_desc_default();
    ct_contact_material hard = {-1, -1, -1};
    ct_body_id id;
    ct_step_report report;
    const ct_contact *contact;

    /* a contact is a spring and a damper, f = max(0, k d - b u), and friction a spring to where it began */
    desc.stepper = CT_STEPPER_PENALTY;
    desc.penalty.stiffness = 1e4;
    desc.friction = 0.6;
    if (ct_mesh_box(size, cells, 0, &cube, NULL) || ct_world_create(&desc, &world, NULL))
        return 1;
    slope.plane_normal[0] = -sin(angle), slope.plane_normal[1] = cos(angle), slope.plane_normal[2] = 0;
    crate.mesh = &cube;
    crate.position[0] = -0.051 * sin(angle), crate.position[1] = 0.051 * cos(angle);
    crate.rotation[0] = cos(angle / 2), crate.rotation[3] = sin(angle / 2);
    if (ct_body_add_static(world, &slope, NULL) || ct_body_add_rigid(world, &crate, &id)) {
        printf("%s\n", ct_world_error(world)->text);
        return 1;
    }

    /* springs of a body's own: the pair of crate and slope has the harmonic mean of both */
    hard.stiffness = 4e4;
    if (ct_body_set_contact(world, id, &hard))
        return 1;
    for (int i = 1; i <= 1000; i++) {
        if (ct_world_step(world, dt, &report))
            return 1;
        worst = (int)report.status > worst ? (int)report.status : worst;
        if (i == 200 && ct_body_get_pose(world, id, start, NULL))
            return 1;
        if (i % 250 == 0)
            printf("t = %.1f s   depth %.4f mm   %d contacts   %.2e J in their springs   %s\n", ct_world_time(world), 1e3 * (double)report.penetration,
                   report.contacts, report.energy_contact, ct_status_text(report.status));
    }

    /* each spring's force is its stiffness times its depth; together they carry the crate's weight across the slope */
    if (ct_world_contacts(world, &contact, &n) || ct_body_get_pose(world, id, place, NULL))
        return 1;
    for (int i = 0; i < n; i++)
        force += (double)contact[i].impulse_normal / dt, depth -= (double)contact[i].gap;
    moved = hypot((double)(place[0] - start[0]), (double)(place[1] - start[1]));
    printf("k d = %.4f N, f = %.4f N, m g cos = %.4f N; it crept %.1e m in 8 s\n", stiffness * depth, force, 9.81 * cos(angle),
           moved);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return worst <= CT_STATUS_SUBSTEPPED && moved < 1e-9 && fabs(force / (9.81 * cos(angle)) - 1) < 1e-3 &&
                   fabs(stiffness * depth / force - 1) < 1e-2
               ? 0
               : 1;
}
