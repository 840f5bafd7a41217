/* cc -O2 geometric.c -lm -o geometric (beside contact.h and stb_ds.h) -- the geometric stepper (Volino, Magnenat-Thalmann 2000): a pile of sheets */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

enum { LAYERS = 10 };

int main(void)
{
    ct_real size[2] = {0.2, 0.2};
    int cells[2] = {5, 5}, crossed = 0;
    ct_mesh sheet;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_cloth_desc cloth = ct_cloth_desc_default();
    ct_step_report report;

    /* contacts correct positions, speeds and accelerations of all sheets at once, so that each keeps its thickness from the next */
    desc.stepper = CT_STEPPER_GEOMETRIC;
    desc.thickness = 4e-3;
    desc.friction = 0.8;
    if (ct_mesh_grid(size, cells, &sheet, NULL) || ct_world_create(&desc, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    cloth.mesh = &sheet;
    cloth.material = ct_material_default(CT_MODEL_MEMBRANE);
    for (int i = 0; i < LAYERS; i++) {
        cloth.position[0] = 0.003 * (i * 7 % 5);
        cloth.position[1] = 0.006 * (i + 1);
        if (ct_body_add_cloth(world, &cloth, NULL)) {
            printf("%s\n", ct_world_error(world)->text);
            return 1;
        }
    }
    for (int i = 1; i <= 100; i++) {
        if (ct_world_step(world, 0.01, &report))
            return 1;
        crossed += report.tangled;
        if (i % 20 == 0)
            printf("t = %.1f s   %4d contacts   %.3f of the thickness is kept   kinetic energy %.1e J   %s\n", ct_world_time(world), report.contacts,
                   (double)report.thickness_kept, report.energy_kinetic, ct_status_text(report.status));
    }
    ct_world_destroy(world);
    ct_mesh_free(&sheet);
    return crossed == 0 && report.thickness_kept > 0.9 ? 0 : 1;
}
