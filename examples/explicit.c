/* cc -O2 explicit.c -lm -o explicit     (beside contact.h and stb_ds.h) -- the explicit stepper (Hong et al. 2006): Runge-Kutta steps */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {0.05, 0.05, 0.05};
    int cells[3] = {3, 3, 3}, runge_kutta = 0;
    double deepest = 0, height;
    ct_mesh cube;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default_for(CT_STEPPER_EXPLICIT); /* without friction, and contacts of a body with itself */
    ct_soft_desc soft = ct_soft_desc_default();
    ct_step_report report;

    if (ct_mesh_box(size, cells, 1, &cube, NULL) || ct_world_create(&desc, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    soft.mesh = &cube;
    soft.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
    soft.material.poisson = 0.49; /* nearly incompressible */
    for (int i = 0; i < 2; i++) { /* two cubes, one above the other */
        soft.position[1] = 0.026 + 0.055 * i;
        if (ct_body_add_soft(world, &soft, NULL)) {
            printf("%s\n", ct_world_error(world)->text);
            return 1;
        }
    }
    for (int i = 1; i <= 40; i++) {
        if (ct_world_step(world, 0.01, &report))
            return 1;
        deepest = fmax(deepest, (double)report.rk.penetration_held);
        runge_kutta += report.rk.accepted;
        if (i % 10 == 0)
            printf("t = %.1f s   mean height %.4f m   %2d contacts   %4d Runge-Kutta steps so far\n", ct_world_time(world),
                   report.center_of_mass[1], report.contacts, runge_kutta);
    }
    height = report.center_of_mass[1];
    printf("deepest of all held contacts: %.1e m\n", deepest);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return height > 0.045 && height < 0.055 && deepest < 2e-5 ? 0 : 1;
}
