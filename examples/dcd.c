/* cc -O2 dcd.c -lm -o dcd     (beside contact.h and stb_ds.h) -- the discrete stepper (Li et al. 2015): steps may intersect a little */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {0.5, 0.5, 0.5};
    int cells[3] = {3, 3, 3};
    double deepest = 0, height;
    ct_mesh cube;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    ct_step_report report;

    desc.stepper = CT_STEPPER_DCD;
    if (ct_mesh_box(size, cells, 1, &cube, NULL) || ct_world_create(&desc, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    soft.mesh = &cube;
    soft.material.young = 2e5;
    for (int i = 0; i < 2; i++) { /* two cubes, one above the other */
        soft.position[1] = 0.3 + 0.6 * i;
        if (ct_body_add_soft(world, &soft, NULL)) {
            printf("%s\n", ct_world_error(world)->text);
            return 1;
        }
    }
    for (int i = 1; i <= 200; i++) {
        if (ct_world_step(world, 0.01, &report))
            return 1;
        deepest = fmax(deepest, (double)report.penetration);
        if (i % 50 == 0)
            printf("t = %.1f s   mean height %.3f m   %2d contacts   penetration %.5f m\n", ct_world_time(world), report.center_of_mass[1],
                   report.contacts, (double)report.penetration);
    }
    height = report.center_of_mass[1];
    printf("deepest of all steps: %.4f m\n", deepest);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    /* two cubes of half a metre rest with their common centre at a bit less than half a metre */
    return height > 0.45 && height < 0.5 && deepest < 0.02 ? 0 : 1;
}
