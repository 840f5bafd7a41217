/* cc -O2 embedded_letter.c -lm -o embedded_letter     (beside contact.h and stb_ds.h) -- a letter in coarse tets, read into a vertex buffer
 */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

/* the caller's own layout: what a renderer would upload */
typedef struct vertex {
    float position[3];
    float normal[3];
    unsigned color;
} vertex;

static int fail(const char *text)
{
    printf("%s\n", text);
    return 1;
}

/* the letter T, two boxes wide, one cell deep: outline corners, each at the front and at the back */
static int letter(ct_mesh *out)
{
    static ct_real xy[8][2] = {{(ct_real)-0.1, 0},
                               {(ct_real)0.1, 0},
                               {(ct_real)0.1, (ct_real)0.4},
                               {(ct_real)0.3, (ct_real)0.4},
                               {(ct_real)0.3, (ct_real)0.6},
                               {(ct_real)-0.3, (ct_real)0.6},
                               {(ct_real)-0.3, (ct_real)0.4},
                               {(ct_real)-0.1, (ct_real)0.4}};
    static const int caps[6][3] = {{0, 1, 2}, {0, 2, 7}, {2, 3, 4}, {6, 7, 5}, {7, 2, 5}, {2, 4, 5}};
    static ct_real positions[48];
    static int32_t triangles[84];
    int i, k, n = 0;
    for (i = 0; i < 16; i++) {
        positions[3 * i] = xy[i % 8][0];
        positions[3 * i + 1] = xy[i % 8][1] + (ct_real)0.5;
        positions[3 * i + 2] = i < 8 ? (ct_real)0.1 : (ct_real)-0.1;
    }
    for (i = 0; i < 6; i++, n += 2)
        for (k = 0; k < 3; k++) {
            triangles[3 * n + k] = caps[i][k];
            triangles[3 * n + 3 + k] = caps[i][2 - k] + 8; /* seen from outside, the back is the mirror image */
        }
    for (i = 0; i < 8; i++, n += 2) {
        int j = (i + 1) % 8;
        int32_t side[6];
        side[0] = i, side[1] = i + 8, side[2] = j, side[3] = j, side[4] = i + 8, side[5] = j + 8;
        for (k = 0; k < 6; k++)
            triangles[3 * n + k] = side[k];
    }
    out->positions = positions, out->triangles = triangles;
    out->n_positions = 16, out->n_triangles = n;
    return n;
}

int main(void)
{
    ct_mesh surface = {0}, tets = {0};
    ct_world *world = NULL;
    ct_world_desc desc = ct_world_desc_default();
    ct_static_desc ground = ct_static_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    ct_body_id id, body;
    ct_error_info error;
    vertex buffer[16];
    int i;

    letter(&surface);
    if (ct_mesh_tetrahedralize(&surface, (ct_real)0.1, &tets, &error) != CT_OK || ct_world_create(&desc, &world, &error) != CT_OK)
        return fail(error.text);
    printf("%d surface vertices in %d tets\n", surface.n_positions, tets.n_tets);
    soft.name = "T";
    soft.mesh = &tets;       /* the tets deform */
    soft.surface = &surface; /* the surface collides and is drawn */
    soft.material.young = (ct_real)5e4;
    soft.material.density = 300;
    if (ct_body_add_static(world, &ground, &id) != CT_OK || ct_body_add_soft(world, &soft, &body) != CT_OK)
        return fail(ct_world_error(world)->text);

    for (i = 1; i <= 120; i++) {
        if (ct_world_step(world, (ct_real)0.01, NULL) != CT_OK)
            return fail(ct_world_error(world)->text);
        /* straight into the buffer: floats, at a distance of one vertex */
        ct_body_get_positions(world, body, buffer[0].position, CT_SCALAR_FLOAT, sizeof(vertex), NULL);
        if (i % 30 == 0)
            printf("t = %.1f s   foot of the letter at %.3f m\n", ct_world_time(world), (double)buffer[0].position[1]);
    }
    ct_world_destroy(world);
    ct_mesh_free(&tets); /* the surface's arrays are static */
    return buffer[0].position[1] > 0 && buffer[0].position[1] < 0.1f ? 0 : 1;
}
