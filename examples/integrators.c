/* cc -O2 integrators.c -lm -o integrators     (beside contact.h and stb_ds.h) -- what each integrator keeps of a vibration */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

/* share of the energy after half a second, -1 on an error */
static double kept(ct_integrator integrator)
{
    ct_real size[3] = {1, 0.25, 0.25};
    int cells[3] = {4, 1, 1}, n;
    ct_real v[60];
    double first = 0, last = 0;
    ct_mesh block;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    ct_step_report report;
    ct_body_id body;

    desc.integrator = integrator;
    desc.gravity[1] = 0;
    if (ct_mesh_box(size, cells, 1, &block, NULL) || ct_world_create(&desc, &world, NULL))
        return -1;
    soft.mesh = &block;
    soft.material.young = 1e5;
    soft.material.damping_mass = soft.material.damping_stiffness = 0;
    if (ct_body_add_soft(world, &soft, &body))
        return -1;
    /* the block is stretched along x, little enough for small strains */
    n = ct_body_node_count(world, body);
    for (int i = 0; i < n; i++) {
        v[3 * i] = block.positions[3 * i] / 10;
        v[3 * i + 1] = v[3 * i + 2] = 0;
    }
    if (ct_body_set_velocities(world, body, v, n))
        return -1;
    for (int i = 0; i < 100; i++) {
        if (ct_world_step(world, 0.005, &report))
            return -1;
        last = report.energy_kinetic + report.energy_elastic;
        first = i == 0 ? last : first;
    }
    ct_world_destroy(world);
    ct_mesh_free(&block);
    return last / first;
}

int main(void)
{
    double share[3]; /* the default stepper's; CT_INTEGRATOR_MIDPOINT is for CT_STEPPER_BARRIER */
    for (int i = 0; i < 3; i++) {
        share[i] = kept((ct_integrator)i);
        printf("%-8s keeps %.3f of the energy of a vibration over 100 steps\n", ct_integrator_text((ct_integrator)i), share[i]);
    }
    return share[CT_INTEGRATOR_EULER] > 0 && share[CT_INTEGRATOR_EULER] < 0.5 && share[CT_INTEGRATOR_NEWMARK] > 0.97 &&
                   share[CT_INTEGRATOR_BDF2] > share[CT_INTEGRATOR_EULER] && share[CT_INTEGRATOR_BDF2] < share[CT_INTEGRATOR_NEWMARK]
               ? 0
               : 1;
}
