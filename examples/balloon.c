/* cc -O2 balloon.c -lm -o balloon     (beside contact.h and stb_ds.h) -- a pressure inflates a balloon, until its wall's tension s balances it: p r = 2 s */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    /* a wall of thickness t: s = E t e / (1 - nu) at the strain e, so that to first order e = p r (1 - nu) / (2 E t) */
    const double r = 0.1, young = 1e6, nu = 0.3, t = 1e-3, dt = 1.0 / 60;
    ct_world_desc d = ct_world_desc_default();
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_real x[3 * 642];
    int i, k, n, good = 0, fine = 1;
    ct_mesh sphere;
    ct_world *world;
    ct_body_id balloon;
    ct_step_report report;

    d.gravity[1] = 0;
    if (ct_mesh_sphere((ct_real)r, 3, &sphere, NULL) || ct_world_create(&d, &world, NULL))
        return 1;
    c.mesh = &sphere, c.name = "balloon", c.material = ct_material_default(CT_MODEL_MEMBRANE);
    c.material.young = (ct_real)young, c.material.poisson = (ct_real)nu, c.material.shell_thickness = (ct_real)t, c.material.areal_density = 1;
    if (ct_body_add_cloth(world, &c, &balloon))
        return printf("%s\n", ct_world_error(world)->text), 1;
    n = ct_body_node_count(world, balloon);
    for (k = 1; k <= 4; k++) {
        double p = 30.0 * k, by = p * r * (1 - nu) / (2 * young * t), e = 0;
        if (ct_body_set_pressure(world, balloon, (ct_real)p))
            return printf("%s\n", ct_world_error(world)->text), 1;
        for (i = 0; i < 200; i++) {
            if (ct_world_step(world, (ct_real)dt, &report))
                return printf("%s\n", ct_world_error(world)->text), 1;
            good += report.status <= CT_STATUS_SUBSTEPPED;
        }
        if (ct_body_get_nodes(world, balloon, x, NULL, n))
            return 1;
        for (i = 0; i < n; i++)
            e += (sqrt((double)(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2])) / r - 1) / n;
        printf("%4.0f Pa: the radius has grown by %.4f %%, by p r = 2 s %.4f %%\n", p, 100 * e, 100 * by);
        fine &= fabs(e / by - 1) < 0.03;
    }
    printf("%d of 800 frames within the tolerance\n", good);
    ct_world_destroy(world);
    ct_mesh_free(&sphere);
    return fine && good >= 760 ? 0 : 1;
}
