/* test_forms.c -- the integrators of CT_STEPPER_BARRIER and the forms of its step: orders of convergence, free fall, energy, agreement of forms. */
#include "world_util.h"

static const char *const names[4] = {"euler", "newmark", "bdf2", "midpoint"};

static double away(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static ct_world *make_world(ct_integrator k, double g)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    d.stepper = CT_STEPPER_BARRIER;
    d.integrator = k, d.gravity[1] = (ct_real)-g;
    d.barrier.newton_tolerance = (ct_real)1e-9;
    return world_make(&d);
}

/* ---- without contact ---- */

/* a metre of stable neo-Hookean material, held at one end, swings far; where the tip is after 0.4 s in n steps */
static void beam_tip(ct_integrator k, int n, int odd, double out[3])
{
    ct_world *w = make_world(k, 9.81);
    ct_mesh m = mesh_box(1, 0.1, 0.1, 5, 1, 1, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id b;
    double *x, dt = 0.4 / n;
    int i, tip = 0;
    d.mesh = &m, d.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN);
    d.material.young = (ct_real)1e6, d.material.poisson = (ct_real)0.3;
    assert_int_equal(ct_body_add_soft(w, &d, &b), CT_OK);
    for (i = 0; i < m.n_positions; i++) {
        int32_t at = i;
        if ((double)m.positions[3 * i] < -0.499)
            assert_int_equal(ct_body_pin(w, b, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        if (m.positions[3 * i] > m.positions[3 * tip])
            tip = i;
    }
    for (i = 0; i < n; i++)
        step_once(w, odd ? (i % 2 ? 4 * dt / 3 : 2 * dt / 3) : dt);
    x = read_vectors(w, b, 0, NULL);
    memcpy(out, x + 3 * tip, 3 * sizeof *x);
    free(x);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

static void orders_of_convergence(void **state)
{
    double tips[4][3];
    int k, odd, i;
    (void)state;
    for (odd = 0; odd < 2; odd++)
        for (k = 0; k < 4; k++) {
            double p[4][3], e[3];
            for (i = 0; i < 4; i++)
                beam_tip((ct_integrator)k, 40 << i, odd, p[i]);
            for (i = 0; i < 3; i++)
                e[i] = away(p[i], p[i + 1]);
            memcpy(tips[k], p[3], sizeof tips[k]);
            print_message("%s%s: tip at %.6f; differences %.3g %.3g %.3g; orders %.2f %.2f\n", names[k], odd ? ", uneven steps" : "", p[3][1], e[0], e[1], e[2],
                          log(e[0] / e[1]) / log(2), log(e[1] / e[2]) / log(2));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
