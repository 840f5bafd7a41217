/* test_barrier_hold.c -- contacts of CT_STEPPER_BARRIER at rest and in slip: what dhat does to a height at rest, the angle of friction, the static hold, an
   arch of stones, maximal dissipation. */
#include "world_util.h"

#define FLOAT (CONTACT_REAL == 32)
#define PI 3.14159265358979323846
#define G 9.81

static ct_world_desc barrier_desc(double dhat, double friction, int hold)
{
    ct_world_desc d = world_desc(dhat, friction, NULL);
    d.stepper = CT_STEPPER_BARRIER;
    d.barrier.static_hold = hold;
    return d;
}

/* ---- friction's angle ---- */

/* a rigid (soft 0) or soft box on a slope of tan 0.5 that begins at rest, where the barriers carry about its weight. drift: displacement [m] along the
   slope in the seconds from to `to`, speed: at the end */
static void rest_on_slope(const ct_world_desc *d, int soft, double dt, double from, double to, double *drift, double *speed)
{
    const double angle = atan(0.5), c = cos(angle), s = sin(angle);
    ct_world *w = world_make(d);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, soft ? 2 : 1, soft ? 2 : 1, soft ? 2 : 1, soft);
    ct_body_id id = {0, 0};
    double x[3], x0[3], v[3], gap = 0.51 * (double)d->thickness;
    int i;
    add_plane(w, -s, c, 0, 0);
    mesh_place(&m, angle, -s * (0.05 + gap), c * (0.05 + gap), 0);
    if (soft)
        id = add_soft_mesh(w, "box", &m, 1e6, 0, 0, 0);
    else {
        ct_rigid_desc rd = ct_rigid_desc_default();
        rd.name = "box", rd.mesh = &m;
        assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
    }
    ct_mesh_free(&m);
    for (i = 0; i < to / dt - 0.5; i++) {
        if (i == (int)(from / dt + 0.5))
            read_middle(w, id, 0, x0);
        step_once(w, dt);
    }
    read_middle(w, id, 0, x);
    read_middle(w, id, 1, v);
    *drift = (x0[0] - x[0]) * c + (x0[1] - x[1]) * s;
    *speed = -(v[0] * c + v[1] * s);
    ct_world_destroy(w);
}

static void explore(void **state)
{
    int soft, hold, k;
    static const double mus[] = {0.49, 0.5, 0.505, 0.6, 1};
    (void)state;
    for (soft = 0; soft < 2; soft++)
        for (k = 0; k < 5; k++)
            for (hold = 0; hold < 2; hold++) {
                ct_world_desc d = barrier_desc(1e-3, mus[k], hold);
                double drift, speed;
                rest_on_slope(&d, soft, 0.01, 2, 4, &drift, &speed);
                print_message("soft %d mu %g hold %d: %g mm/s, speed at end %g m/s\n", soft, mus[k], hold, drift / 2 * 1e3, speed);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
