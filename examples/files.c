/* cc -O2 files.c -lm -o files     (beside contact.h and stb_ds.h) -- meshes as files; errors name the line */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>
#include <string.h>

static int fail(const ct_error_info *error)
{
    printf("%s\n", error->text);
    return 1;
}

int main(void)
{
    static const char *const names[3] = {"files_cube.msh", "files_cube.vtk", "files_cube.obj"};
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {2, 2, 2}, wrong = 0;
    ct_mesh cube, back, surface;
    ct_world *world;
    ct_soft_desc soft = ct_soft_desc_default();
    ct_body_id body;
    ct_error_info error;
    FILE *f;

    if (ct_mesh_box(size, cells, 1, &cube, &error))
        return fail(&error);
    for (int i = 0; i < 3; i++) { /* the extension decides the format; OBJ has no tets, and gets their boundary */
        if (ct_mesh_write(names[i], &cube, &error) || ct_mesh_read(names[i], &back, &error))
            return fail(&error);
        printf("%s: %d positions, %d tets, %d triangles\n", names[i], back.n_positions, back.n_tets, back.n_triangles);
        wrong += back.n_positions != cube.n_positions ||
                 memcmp(back.positions, cube.positions, sizeof(ct_real) * 3 * (size_t)cube.n_positions) != 0;
        wrong += i < 2 ? back.n_tets != cube.n_tets : back.n_triangles != 48;
        ct_mesh_free(&back);
    }
    /* a body from a file, and its surface as a file after a second */
    if (ct_mesh_read(names[0], &back, &error) || ct_world_create(NULL, &world, &error))
        return fail(&error);
    soft.mesh = &back;
    soft.position[1] = 0.6;
    if (ct_body_add_plane(world, NULL, 0, NULL) || ct_body_add_soft(world, &soft, &body))
        return fail(ct_world_error(world));
    for (int i = 0; i < 100; i++)
        if (ct_world_step(world, 0.01, NULL))
            return fail(ct_world_error(world));
    if (ct_body_get_positions(world, body, back.positions, sizeof(ct_real) == 8 ? CT_SCALAR_DOUBLE : CT_SCALAR_FLOAT, 3 * sizeof(ct_real),
                              NULL) ||
        ct_mesh_write("files_end.obj", &back, &error) || ct_mesh_read("files_end.obj", &surface, &error))
        return fail(&error);
    printf("files_end.obj: lowest vertex of the first layer at %.3f m\n", (double)surface.positions[1]);
    wrong += !(surface.positions[1] > 0 && surface.positions[1] < 0.01);
    /* an error in a file names its line */
    f = fopen("files_bad.obj", "w");
    if (!f || fprintf(f, "v 0 0 0\nv 1 0 0\nf 1 2 9\n") < 0 || fclose(f) != 0)
        return 1;
    wrong += ct_mesh_read("files_bad.obj", &cube, &error) != CT_ERR_FORMAT || error.element != 3;
    printf("%s\n", error.text);
    for (int i = 0; i < 3; i++)
        remove(names[i]);
    remove("files_end.obj"), remove("files_bad.obj");
    ct_world_destroy(world);
    ct_mesh_free(&cube), ct_mesh_free(&back), ct_mesh_free(&surface);
    return wrong ? 1 : 0;
}
