/* cc -O2 cloth_on_sphere.c -lm -o cloth_on_sphere     (beside contact.h and stb_ds.h) -- a sheet falls on a sphere; the result is drape.obj
 */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

static int fail(const char *text)
{
    printf("%s\n", text);
    return 1;
}

int main(void)
{
    ct_real size[2] = {1, 1};
    int cells[2] = {30, 30}, i;
    ct_mesh sheet, ball;
    ct_world *world = NULL;
    ct_world_desc desc = ct_world_desc_default();
    ct_cloth_desc cloth = ct_cloth_desc_default();
    ct_static_desc collider = ct_static_desc_default();
    ct_body_id sheet_id, ball_id;
    ct_error_info error;
    ct_step_report report;

    desc.thickness = (ct_real)2e-3; /* distance that contacts keep */
    desc.friction = (ct_real)0.3;
    if (ct_mesh_grid(size, cells, &sheet, &error) != CT_OK || ct_mesh_sphere((ct_real)0.25, 3, &ball, &error) != CT_OK ||
        ct_world_create(&desc, &world, &error) != CT_OK)
        return fail(error.text);
    for (i = 0; i < sheet.n_positions; i++)
        sheet.positions[3 * i + 1] += (ct_real)0.3; /* 5 cm above the ball */

    /* springs along, across and over the edges [N/m] */
    cloth.name = "sheet";
    cloth.mesh = &sheet;
    cloth.material = ct_material_default(CT_MODEL_SPRINGS);
    cloth.material.stretch = 200;
    cloth.material.shear = 50;
    cloth.material.bend = (ct_real)1e-3;
    cloth.material.areal_density = (ct_real)0.2;
    collider.name = "ball";
    collider.mesh = &ball;
    if (ct_body_add_cloth(world, &cloth, &sheet_id) != CT_OK || ct_body_add_static(world, &collider, &ball_id) != CT_OK)
        return fail(ct_world_error(world)->text);

    for (i = 1; i <= 150; i++) {
        if (ct_world_step(world, (ct_real)0.01, &report) != CT_OK)
            return fail(ct_world_error(world)->text);
        if (i % 30 == 0)
            printf("t = %.1f s   %4d contacts   nearest pair %.1f mm   %s\n", ct_world_time(world), report.contacts,
                   1000 * (double)report.min_distance, ct_status_text(report.status));
    }

    /* positions come in any layout: here, back into the mesh */
    ct_body_get_positions(world, sheet_id, sheet.positions, sizeof(ct_real) == 4 ? CT_SCALAR_FLOAT : CT_SCALAR_DOUBLE, 3 * sizeof(ct_real),
                          NULL);
    if (ct_mesh_write("drape.obj", &sheet, &error) != CT_OK)
        return fail(error.text);
    ct_world_destroy(world);
    ct_mesh_free(&sheet);
    ct_mesh_free(&ball);
    /* no pair came nearer than half of the thickness */
    return report.thickness_kept >= 0.5 && report.contacts > 20 ? 0 : 1;
}
