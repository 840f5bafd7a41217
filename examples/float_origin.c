/* cc -O2 float_origin.c -lm -o float_origin     (beside contact.h and stb_ds.h) -- a float world far from the caller's origin */
#define CONTACT_REAL 32
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {2, 2, 2};
    double x[27][3], lowest = 1e30, ground = 6371000.25;
    ct_mesh cube;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_body_id body;
    ct_soft_desc soft = ct_soft_desc_default();

    if (ct_mesh_box(size, cells, 1, &cube, NULL) || ct_world_create(&desc, &world, NULL))
        return 1;
    soft.name = "cube";
    soft.mesh = &cube;
    soft.position[1] = (float)(ground + 1);
    /* at this distance floats are half a metre apart: the world refuses a body whose thickness they cannot represent */
    if (ct_body_add_soft(world, &soft, &body) != CT_ERR_MESH)
        return 1;
    printf("%s\n", ct_world_error(world)->text);
    ct_world_destroy(world);

    /* positions passed in are relative to the origin, which is in double; doubles that are read out are absolute */
    desc.origin[1] = ground;
    if (ct_world_create(&desc, &world, NULL))
        return 1;
    soft.position[1] = 1;
    if (ct_body_add_plane(world, NULL, 0, NULL) || ct_body_add_soft(world, &soft, &body))
        return 1;
    for (int i = 0; i < 200; i++)
        if (ct_world_step(world, 0.01f, NULL))
            return 1;
    if (ct_body_get_positions(world, body, x, CT_SCALAR_DOUBLE, sizeof x[0], NULL))
        return 1;
    for (int i = 0; i < cube.n_positions; i++)
        lowest = fmin(lowest, x[i][1]);
    printf("the cube rests at %.4f m, the ground is at %.4f m, the thickness 0.0010 m\n", lowest, ground);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return fabs(lowest - ground - 1e-3) < 2e-4 ? 0 : 1;
}
