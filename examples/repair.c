/* cc -O2 repair.c -lm -o repair     (beside contact.h and stb_ds.h) -- two bodies that start inside each other: named, then freed */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {0.5, 0.5, 0.5};
    int cells[3] = {2, 2, 2}, before, after, freed, left;
    ct_mesh cube;
    ct_world *world;
    ct_soft_desc soft = ct_soft_desc_default();
    ct_pair *pairs;
    ct_step_report report;

    if (ct_mesh_box(size, cells, 1, &cube, NULL) || ct_world_create(NULL, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    soft.mesh = &cube;
    soft.name = "lower";
    soft.position[1] = 0.3;
    if (ct_body_add_soft(world, &soft, NULL))
        return 1;
    soft.name = "upper";
    soft.position[0] = 0.07;
    soft.position[1] = 0.75; /* five centimetres too low */
    if (ct_body_add_soft(world, &soft, NULL))
        return 1;

    /* a start with intersections is not refused; the pairs can be listed */
    if (ct_world_validate(world, &pairs, &before))
        return 1;
    printf("%d pairs intersect", before);
    if (before)
        printf(", the first: an edge or face of '%s' and one of '%s'", ct_body_name(world, pairs[0].body_a),
               ct_body_name(world, pairs[0].body_b));
    if (ct_world_repair(world, &freed, &left) || ct_world_validate(world, &pairs, &after))
        return 1;
    printf("\n%d are freed, %d are left\n", freed, left);
    for (int i = 0; i < 100; i++)
        if (ct_world_step(world, 0.01, &report))
            return 1;
    printf("after a second: %d tangled, centre of mass at %.3f m\n", report.tangled, report.center_of_mass[1]);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return before > 0 && after == 0 && left == 0 && report.tangled == 0 && report.center_of_mass[1] > 0.4 ? 0 : 1;
}
