/* cc -O2 pick.c -lm -o pick     (beside contact.h and stb_ds.h) -- rays through the pixels of a small screen: what a mouse would pick */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

/* a ray through a pixel, from 3 m in front of the scene, with a field of view of about 53 degrees */
static void pixel_ray(int column, int row, ct_real origin[3], ct_real way[3])
{
    origin[0] = 0, origin[1] = (ct_real)0.5, origin[2] = 3;
    way[0] = (ct_real)(4 * (column - 30) / 30.0), way[1] = (ct_real)(-4 * (row - 10) / 20.0), way[2] = -8;
}

int main(void)
{
    ct_real size[3] = {1, 1, 1}, origin[3], way[3];
    int cells[3] = {4, 4, 4};
    ct_mesh box, ball;
    ct_world *world;
    ct_body_id floor, jelly, wall;
    ct_hit hit;
    ct_soft_desc soft = ct_soft_desc_default();
    ct_static_desc still = ct_static_desc_default();

    if (ct_world_create(NULL, &world, NULL) || ct_mesh_box(size, cells, 1, &box, NULL) || ct_mesh_sphere((ct_real)0.5, 2, &ball, NULL))
        return 1;
    soft.mesh = &box, soft.position[0] = (ct_real)-0.7, soft.position[1] = (ct_real)0.6;
    soft.material.young = 8e3; /* so weak that it sags and bulges: queries see that shape */
    still.mesh = &ball, still.position[0] = (ct_real)0.9, still.position[1] = (ct_real)0.5;
    if (ct_body_add_plane(world, NULL, 0, &floor) || ct_body_add_soft(world, &soft, &jelly) || ct_body_add_static(world, &still, &wall)) {
        printf("%s\n", ct_world_error(world)->text);
        return 1;
    }
    for (int i = 0; i < 100; i++)
        if (ct_world_step(world, (ct_real)0.01, NULL))
            return 1;
    if (ct_world_update_queries(world)) /* once after the step; then as many queries as you like, from any thread */
        return 1;
    for (int row = 0; row < 20; row++) {
        for (int column = 0; column < 60; column++) {
            pixel_ray(column, row, origin, way);
            if (ct_world_cast_ray(world, origin, way, NULL, &hit, NULL))
                return 1;
            putchar(hit.body.index1 == jelly.index1 ? '#' : hit.body.index1 == wall.index1 ? 'o' : hit.body.index1 == floor.index1 ? '.' : ' ');
        }
        putchar('\n');
    }
    pixel_ray(20, 11, origin, way);
    if (ct_world_cast_ray(world, origin, way, NULL, &hit, NULL) || hit.body.index1 != jelly.index1)
        return 1;
    printf("picked triangle %d of the jelly, %.3f m away; the vertex to drag is %d\n", (int)hit.feature, (double)hit.distance, (int)hit.vertices[0]);
    /* the floor is where geometry says: at half the height of the eye below it */
    pixel_ray(30, 18, origin, way);
    if (ct_world_cast_ray(world, origin, way, NULL, &hit, NULL) || hit.body.index1 != floor.index1)
        return 1;
    printf("the floor is hit at z = %.3f\n", (double)hit.point[2]);
    ct_world_destroy(world);
    ct_mesh_free(&box), ct_mesh_free(&ball);
    return fabs((double)hit.point[2] - (3 - 8 * 0.5 / 1.6)) < 1e-6 ? 0 : 1;
}
