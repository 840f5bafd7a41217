/* cc -O2 cape.c -lm -o cape     (beside contact.h and stb_ds.h) -- a cape follows the pose of an animated figure: pinned at the collar, within a
   distance that grows towards the hem, in front of a backstop, and with a heavy hem */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

enum { ACROSS = 12, DOWN = 18, NODES = (ACROSS + 1) * (DOWN + 1), LIMITS = NODES - ACROSS - 1, FRAMES = 240 };
static const double dt = 1.0 / 60, back = 0.2, length = 1.0;

/* the skinned pose of the cape at an angle of the figure: behind its back, straight down; its normals point away from the back */
static void pose(double angle, int node, double sway, ct_real *x, ct_real *n)
{
    double side = 0.6 * (node % (ACROSS + 1) - ACROSS / 2.0) / ACROSS, down = length * (node / (ACROSS + 1)) / DOWN;
    double c = cos(angle), s = sin(angle), b = back + 0.05 * down + sway;
    x[0] = (ct_real)(2 * c + c * b - s * side), x[1] = (ct_real)(1.5 - down), x[2] = (ct_real)(-2 * s - s * b - c * side);
    n[0] = (ct_real)c, n[1] = 0, n[2] = (ct_real)-s;
}

int main(void)
{
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_real size[2] = {(ct_real)0.6, (ct_real)length}, x[3 * NODES], n[3 * NODES], at[3 * NODES], mass[NODES];
    int cells[2] = {ACROSS, DOWN}, good = 0, i, j, k;
    ct_skin_limit limits[LIMITS];
    ct_air air = {1, (ct_real)0.3, (ct_real)1.2};
    double most = 0, behind = 0;
    ct_mesh sheet;
    ct_world *world;
    ct_body_id cape;
    ct_step_report r;

    if (ct_mesh_grid(size, cells, &sheet, NULL) || ct_world_create(NULL, &world, NULL))
        return 1;
    for (i = 0; i < NODES; i++)
        pose(0, i, 0, sheet.positions + 3 * i, n);
    c.mesh = &sheet, c.name = "cape", c.material.areal_density = (ct_real)0.2;
    if (ct_body_add_cloth(world, &c, &cape) || ct_body_set_air(world, cape, &air) || ct_body_get_masses(world, cape, mass, NODES))
        return printf("%s\n", ct_world_error(world)->text), 1;
    for (i = NODES - ACROSS - 1; i < NODES; i++)
        mass[i] *= 3; /* the hem */
    for (i = 0; i < LIMITS; i++) {
        int row = 1 + i / (ACROSS + 1); /* below the collar, which is pinned */
        limits[i].vertex = i + ACROSS + 1;
        limits[i].max_distance = (ct_real)(0.35 * row / DOWN);
        limits[i].backstop_distance = (ct_real)0.03, limits[i].backstop_radius = (ct_real)0.5; /* the figure's back */
    }
    if (ct_body_set_masses(world, cape, mass, NODES) || ct_body_set_skin(world, cape, limits, LIMITS))
        return printf("%s\n", ct_world_error(world)->text), 1;
    for (k = 1; k <= FRAMES; k++) { /* the figure walks on a circle, turns back after two seconds, and sways */
        double angle = 0.8 * (k <= 120 ? k : 240 - k) * dt;
        for (i = 0; i < NODES; i++)
            pose(angle, i, 0.02 * sin(6 * k * dt), x + 3 * i, n + 3 * i);
        if (ct_body_move_vertices(world, cape, NULL, x, ACROSS + 1, dt) ||
            ct_body_move_skin(world, cape, x + 3 * (ACROSS + 1), n + 3 * (ACROSS + 1), LIMITS, dt) || ct_world_step(world, (ct_real)dt, &r) ||
            ct_body_get_nodes(world, cape, at, NULL, NODES))
            return printf("%s\n", ct_world_error(world)->text), 1;
        good += r.status <= CT_STATUS_SUBSTEPPED;
        for (i = 0; i < LIMITS; i++) {
            const ct_real *p = at + 3 * limits[i].vertex, *q = x + 3 * limits[i].vertex, *m = n + 3 * limits[i].vertex;
            double far = 0, deep = 0, R = (double)limits[i].backstop_radius, away = (double)limits[i].backstop_distance + R;
            for (j = 0; j < 3; j++) {
                double from = (double)(p[j] - q[j]) + away * (double)m[j];
                far += (double)((p[j] - q[j]) * (p[j] - q[j])), deep += from * from;
            }
            most = fmax(most, sqrt(far) / (double)limits[i].max_distance), behind = fmax(behind, R - sqrt(deep));
        }
        if (k % 60 == 0)
            printf("t = %.0f s   the hem's middle is %.3f m behind the figure's axis\n", ct_world_time(world),
                   hypot((double)at[3 * (NODES - ACROSS / 2 - 1)], (double)at[3 * (NODES - ACROSS / 2 - 1) + 2]) - 2);
    }
    printf("farthest from the skin: %.4f of max_distance; deepest behind the backstop: %.1e m; %d of %d frames within the tolerance\n", most, behind, good, FRAMES);
    ct_world_destroy(world);
    ct_mesh_free(&sheet);
    return most < 1.02 && behind < 5e-3 && good >= FRAMES - 12 ? 0 : 1;
}
