/* cc -O2 direction_pins.c -lm -o direction_pins     (beside contact.h and stb_ds.h) -- nodes that move along a wire only */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[3] = {0.1, 0.1, 0.1}, X[3] = {0.8, -0.6, 0}, line[9];
    int cells[3] = {1, 1, 1};
    double x[8][3], off = 0, wrong = 0, fall = 0.5 * 9.81 * 0.6; /* distance along the wire in one second: g sin(a) t^2 / 2 */
    ct_mesh cube;
    ct_world *world;
    ct_body_id body;
    ct_soft_desc soft = ct_soft_desc_default();

    if (ct_mesh_box(size, cells, 1, &cube, NULL) || ct_world_create(NULL, &world, NULL))
        return 1;
    soft.mesh = &cube;
    if (ct_body_add_soft(world, &soft, &body))
        return 1;
    /* X X' keeps a node on a line along X; I - X X' would keep it in a plane */
    for (int i = 0; i < 9; i++)
        line[i] = X[i / 3] * X[i % 3];
    for (int i = 0; i < cube.n_positions; i++)
        if (ct_body_constrain(world, body, i, line)) {
            printf("%s\n", ct_world_error(world)->text);
            return 1;
        }
    for (int i = 0; i < 100; i++)
        if (ct_world_step(world, 0.01, NULL))
            return 1;
    if (ct_body_get_positions(world, body, x, CT_SCALAR_DOUBLE, sizeof x[0], NULL))
        return 1;
    for (int i = 0; i < cube.n_positions; i++) {
        double dx = x[i][0] - (double)cube.positions[3 * i], dy = x[i][1] - (double)cube.positions[3 * i + 1];
        off = fmax(off, fabs(dx * 0.6 + dy * 0.8)); /* distance from the wire */
        wrong = fmax(wrong, fabs(dx * 0.8 - dy * 0.6 - fall));
    }
    printf("a second down a wire: %.5f m are expected, the nodes miss it by at most %.1e m, and the wire by %.1e m\n", fall, wrong, off);
    ct_world_destroy(world);
    ct_mesh_free(&cube);
    return off < 1e-9 && wrong < 1e-6 ? 0 : 1;
}
