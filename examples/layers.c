/* cc -O2 layers.c -lm -o layers     (beside contact.h and stb_ds.h) -- the layers stepper (Harmon et al. 2009): a jelly bounces and keeps its energy */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {0.2, 0.2, 0.2};
    int cells[3] = {3, 3, 3}, n, worst = 0, bounces = 0;
    double first = 0, energy = 0, most = 0, last = 0;
    ct_mesh box;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_soft_desc jelly = ct_soft_desc_default();
    ct_step_report report;
    ct_pair *pairs;

    /* explicit steps by a clock for each element and each layer of a contact: nothing is damped but by the material */
    desc.stepper = CT_STEPPER_LAYERS;
    desc.restitution = 1;
    desc.friction = 0;
    if (ct_mesh_box(size, cells, 1, &box, NULL) || ct_world_create(&desc, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    jelly.mesh = &box;
    jelly.material.model = CT_MODEL_STABLE_NEOHOOKEAN;
    jelly.material.young = 1e5;
    jelly.material.damping_stiffness = 0;
    jelly.position[1] = 0.3;
    jelly.rotation[3] = 0.2; /* it falls on an edge */
    if (ct_body_add_soft(world, &jelly, NULL)) {
        printf("%s\n", ct_world_error(world)->text);
        return 1;
    }
    for (int i = 1; i <= 192; i++) {
        if (ct_world_step(world, 1.0 / 128, &report)) {
            printf("%s\n", ct_world_error(world)->text);
            return 1;
        }
        energy = report.energy_kinetic + report.energy_elastic + report.energy_gravity + report.energy_contact;
        first = i == 1 ? energy : first;
        most = fmax(most, fabs(energy / first - 1));
        worst = (int)report.status > worst ? (int)report.status : worst;
        bounces += report.contacts > 0 && last == 0;
        last = report.contacts;
        if (i % 48 == 0)
            printf("t = %.3f s   energy %.5f J   %d contacts   %lld updates in %d windows   %s\n", ct_world_time(world), energy, report.contacts,
                   (long long)report.updates, report.windows, ct_status_text(report.status));
    }
    if (ct_world_validate(world, &pairs, &n))
        return 1;
    printf("%d times in contact; the energy changed by %.1e at most; %d intersections\n", bounces, most, n);
    ct_world_destroy(world);
    ct_mesh_free(&box);
    return worst == CT_STATUS_OK && n == 0 && bounces > 1 && most < 5e-3 ? 0 : 1;
}
