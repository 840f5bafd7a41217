/* cc -O2 strain_limit.c -lm -o strain_limit     (beside contact.h and stb_ds.h) -- weak springs, without and with a strain limit */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

/* largest elongation of an edge of the triangles after 4 s, -1 on an error */
static double elongation(double limit)
{
    ct_real size[2] = {1, 1};
    int cells[2] = {8, 8};
    int32_t edge[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    double x[81][3], most = 0;
    ct_mesh sheet;
    ct_world *world;
    ct_body_id body;
    ct_cloth_desc cloth = ct_cloth_desc_default();

    if (ct_mesh_grid(size, cells, &sheet, NULL) || ct_world_create(NULL, &world, NULL))
        return -1;
    cloth.mesh = &sheet;
    cloth.material = ct_material_default(CT_MODEL_SPRINGS);
    cloth.material.stretch = 1;
    cloth.material.shear = 0.5;
    cloth.material.areal_density = 0.3;
    cloth.material.damping_mass = 3;
    cloth.material.strain_limit = limit;
    if (ct_body_add_cloth(world, &cloth, &body) || ct_body_pin(world, body, edge, 9, CT_AXIS_ALL, NULL, -1))
        return -1;
    for (int i = 0; i < 400; i++)
        if (ct_world_step(world, 0.01, NULL))
            return -1;
    if (ct_body_get_positions(world, body, x, CT_SCALAR_DOUBLE, sizeof x[0], NULL))
        return -1;
    for (int i = 0; i < 3 * sheet.n_triangles; i++) {
        int a = sheet.triangles[i], b = sheet.triangles[i % 3 == 2 ? i - 2 : i + 1];
        double l2 = 0, L2 = 0;
        for (int k = 0; k < 3; k++) {
            l2 += (x[a][k] - x[b][k]) * (x[a][k] - x[b][k]);
            L2 += pow((double)(sheet.positions[3 * a + k] - sheet.positions[3 * b + k]), 2);
        }
        most = fmax(most, sqrt(l2 / L2) - 1);
    }
    ct_world_destroy(world);
    ct_mesh_free(&sheet);
    return most;
}

int main(void)
{
    double without = elongation(0), with = elongation(0.1);
    printf("largest elongation: %.0f %% without a limit, %.1f %% with a limit of 10 %%\n", 100 * without, 100 * with);
    return without > 0.2 && with > 0.05 && with <= 0.1 ? 0 : 1;
}
