/* cc -O2 falling_jelly.c -lm -o falling_jelly     (beside contact.h and stb_ds.h) -- a stack of soft cubes, its contacts read out */
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
    ct_real size[3] = {(ct_real)0.3, (ct_real)0.3, (ct_real)0.3};
    int cells[3] = {4, 4, 4}, i, k, n;
    ct_mesh cube;
    ct_world *world = NULL;
    ct_world_desc desc = ct_world_desc_default();
    ct_static_desc ground = ct_static_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    ct_body_id floor_id, id;
    const ct_contact *contacts;
    double weight = 0;
    ct_error_info error;
    ct_step_report report;

    if (ct_mesh_box(size, cells, 1, &cube, &error) != CT_OK || ct_world_create(&desc, &world, &error) != CT_OK)
        return fail(error.text);
    if (ct_body_add_static(world, &ground, &floor_id) != CT_OK)
        return fail(ct_world_error(world)->text);
    soft.mesh = &cube;
    soft.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN); /* recovers from any deformation */
    soft.material.young = (ct_real)3e4;
    soft.material.poisson = (ct_real)0.45;
    soft.material.density = 1000;
    for (k = 0; k < 3; k++) {
        char name[16];
        sprintf(name, "jelly %d", k);
        soft.name = name; /* the name is copied */
        for (i = 0; i < cube.n_positions; i++)
            cube.positions[3 * i + 1] += (ct_real)0.4;
        if (ct_body_add_soft(world, &soft, &id) != CT_OK)
            return fail(ct_world_error(world)->text);
    }
    /* After three seconds the soft stack still oscillates, so that the floor carries more or less than the weight in this step. The mean
       over an oscillation is the weight */
    for (i = 0; i < 300; i++)
        if (ct_world_step(world, (ct_real)0.01, &report) != CT_OK)
            return fail(ct_world_error(world)->text);

    /* load of the floor: impulses of a step are mean forces times dt */
    if (ct_world_contacts(world, &contacts, &n) != CT_OK)
        return fail(ct_world_error(world)->text);
    for (i = 0; i < n; i++)
        if (contacts[i].body_b.index1 == floor_id.index1)
            weight += (double)contacts[i].impulse_normal / 0.01;
    printf("%d contacts; the floor carries %.1f N in this step, the still swinging stack weighs %.1f N\n", n, weight,
           3 * 0.027 * 1000 * 9.81);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return weight > 400 && weight < 1200 ? 0 : 1;
}
