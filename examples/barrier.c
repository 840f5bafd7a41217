/* cc -O2 barrier.c -lm -o barrier     (beside contact.h and stb_ds.h) -- the barrier stepper (Li et al. 2020): a crate carries a million times its mass */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {0.2, 0.2, 0.2};
    int cells[3] = {1, 1, 1}, n, worst = 0;
    double carried = 0, weight;
    ct_mesh cube;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_rigid_desc crate = ct_rigid_desc_default();
    ct_step_report report;
    const ct_contact *contact;
    ct_pair *pairs;

    /* surfaces repel each other below dhat, the nearer the more: contacts have a gap, and it is never 0 */
    desc.stepper = CT_STEPPER_BARRIER;
    desc.barrier.dhat = 1e-3;
    if (ct_mesh_box(size, cells, 0, &cube, NULL) || ct_world_create(&desc, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    crate.mesh = &cube;
    for (int i = 0; i < 2; i++) { /* 8 g, and 8 t on top of it */
        crate.name = i ? "heavy" : "light";
        crate.density = i ? 1e6 : 1;
        crate.position[1] = 0.1009 + 0.2009 * i;
        if (ct_body_add_rigid(world, &crate, NULL)) {
            printf("%s\n", ct_world_error(world)->text);
            return 1;
        }
    }
    for (int i = 1; i <= 100; i++) {
        if (ct_world_step(world, 0.01, &report)) {
            printf("%s\n", ct_world_error(world)->text); /* a start that intersects is refused, with both names */
            return 1;
        }
        worst = (int)report.status > worst ? (int)report.status : worst;
        if (i % 25 == 0)
            printf("t = %.2f s   smallest gap %.4f mm   %2d contacts   %d Newton steps   %s\n", ct_world_time(world), 1e3 * (double)report.min_distance,
                   report.contacts, report.newton_iterations, ct_status_text(report.status));
    }

    /* the floor carries both: its contacts are those with a plane */
    if (ct_world_contacts(world, &contact, &n))
        return 1;
    for (int i = 0; i < n; i++)
        carried += contact[i].kind == CT_PAIR_PLANE ? (double)contact[i].impulse_normal / 0.01 : 0;
    weight = 9.81 * 0.008 * (1e6 + 1);
    if (ct_world_validate(world, &pairs, &n))
        return 1;
    printf("the floor carries %.2f N, the weight is %.2f N; %d intersections\n", carried, weight, n);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return worst == CT_STATUS_OK && n == 0 && report.min_distance > 0 && report.min_distance < 1e-3 && fabs(carried / weight - 1) < 1e-3 ? 0 : 1;
}
