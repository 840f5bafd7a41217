/* cc -O2 flag.c -lm -o flag     (beside contact.h and stb_ds.h) -- a flag in gusts, and a sheet that falls through still air: drag, lift and a field of
   wind */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

enum { ACROSS = 24, DOWN = 16 };

/* gusts that travel with the wind: called once in a step, with the vertices of all bodies in air */
static void gusts(void *user, double time, const ct_real *points, ct_real *velocities, int n)
{
    int i;
    (void)user;
    for (i = 0; i < n; i++)
        if (points[3 * i + 1] < 10) { /* the air higher up is still */
            velocities[3 * i] += (ct_real)(7 + 2 * sin(3 * (time - (double)points[3 * i] / 7)));
            velocities[3 * i + 2] += (ct_real)sin(5 * (time - (double)points[3 * i] / 7));
        }
}

int main(void)
{
    const double dt = 1.0 / 60, density = 1.2, drag = 1.1, sheet = 0.15, fall = sqrt(2 * sheet * 9.81 / (density * drag));
    ct_world_desc d = ct_world_desc_default();
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_real size[2] = {(ct_real)1.5, 1}, quarter[4] = {(ct_real)0.70710678, (ct_real)-0.70710678, 0, 0};
    ct_air air = {(ct_real)1.1, (ct_real)0.4, (ct_real)1.2}; /* drag, lift, density [kg/m^3] */
    int cells[2] = {ACROSS, DOWN}, good = 0, i, k;
    int32_t pole[DOWN + 1];
    ct_real x[3 * (ACROSS + 1) * (DOWN + 1)], v[3 * (ACROSS + 1) * (DOWN + 1)], J[3];
    double pull = 0;
    ct_mesh mesh;
    ct_world *world;
    ct_body_id flag, leaf;
    ct_step_report r;

    d.wind_field = gusts;
    if (ct_mesh_grid(size, cells, &mesh, NULL) || ct_world_create(&d, &world, NULL))
        return 1;
    c.mesh = &mesh, c.name = "flag", c.material.areal_density = (ct_real)sheet;
    for (k = 0; k < 4; k++)
        c.rotation[k] = quarter[k]; /* the grid lies flat: turn it up */
    if (ct_body_add_cloth(world, &c, &flag))
        return printf("%s\n", ct_world_error(world)->text), 1;
    c.name = "leaf", c.rotation[0] = 1, c.rotation[1] = 0, c.position[1] = 20;
    if (ct_body_add_cloth(world, &c, &leaf) || ct_body_set_air(world, flag, &air) || ct_body_set_air(world, leaf, &air))
        return printf("%s\n", ct_world_error(world)->text), 1;
    for (i = 0; i <= DOWN; i++)
        pole[i] = (ACROSS + 1) * i;
    if (ct_body_pin(world, flag, pole, DOWN + 1, CT_AXIS_ALL, NULL, -1))
        return 1;
    for (k = 0; k < 240; k++) {
        if (ct_world_step(world, (ct_real)dt, &r))
            return printf("%s\n", ct_world_error(world)->text), 1;
        good += r.status <= CT_STATUS_SUBSTEPPED;
        for (i = 0; k >= 120 && i <= DOWN; i++) /* what the pole bears along the wind */
            if (!ct_body_get_pin_impulse(world, flag, pole[i], J))
                pull -= (double)J[0] / (120 * dt);
        if (k % 60 == 59 && !ct_body_get_nodes(world, flag, x, NULL, mesh.n_positions))
            printf("t = %.0f s   the flag's free corner at (%5.2f %5.2f %5.2f)\n", ct_world_time(world), (double)x[3 * ACROSS], (double)x[3 * ACROSS + 1],
                   (double)x[3 * ACROSS + 2]);
    }
    if (ct_body_get_nodes(world, leaf, NULL, v, mesh.n_positions))
        return 1;
    printf("the pole bears %.2f N on average; the falling sheet has %.3f m/s, by sqrt(2 m g / (rho A c_d)) %.3f\n", pull, -(double)v[1], fall);
    printf("%d of 240 frames within the tolerance\n", good);
    ct_world_destroy(world);
    ct_mesh_free(&mesh);
    return good >= 228 && fabs(-(double)v[1] - fall) < 0.01 * fall && pull > 0 ? 0 : 1;
}
