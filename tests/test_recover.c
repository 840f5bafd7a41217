/* test_recover.c -- soft bodies of every tet model in whole worlds: inverted by a blow and back at rest (stable neo-Hookean), and the same
   small deflection under a small load for all. */
#include "world_util.h"

static ct_body_id add_model(ct_world *w, const ct_mesh *m, ct_model model, double young, double mass_damping)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id b;
    d.mesh = m, d.material = ct_material_default(model);
    d.material.young = (ct_real)young, d.material.poisson = (ct_real)0.4, d.material.damping_mass = (ct_real)mass_damping;
    assert_int_equal(ct_body_add_soft(w, &d, &b), CT_OK);
    return b;
}

static int count_inverted(const double *x, const ct_mesh *m)
{
    int t, k, j, n = 0;
    for (t = 0; t < m->n_tets; t++) {
        double e[3][3];
        const int32_t *v = m->tets + 4 * t;
        for (k = 0; k < 3; k++)
            for (j = 0; j < 3; j++)
                e[k][j] = x[3 * v[k + 1] + j] - x[3 * v[0] + j];
        n += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]) <= 0;
    }
    return n;
}

/* Random velocities throw every node through its neighbours. Self-collision is off, so that the material alone restores the shape */
static void a_box_inside_out_comes_back(void **state)
{
    static const ct_model models[2] = {CT_MODEL_STABLE_NEOHOOKEAN, CT_MODEL_COROTATIONAL};
    int i, k, c;
    (void)state;
    for (c = 0; c < 2; c++) {
        ct_world_desc d = world_desc(1e-4, 0, NULL);
        ct_world *w;
        ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
        ct_body_id b;
        ct_real *v = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)m.n_positions);
        double *x, elastic = 0, kinetic = 0;
        uint64_t seed = 11;
        int inverted = 0, now = 0;
        assert_non_null(v);
        d.self_collision = 0, d.gravity[1] = 0;
        w = world_make(&d);
        b = add_model(w, &m, models[c], 1e4, 2);
        for (i = 0; i < 3 * m.n_positions; i++)
            v[i] = (ct_real)(24 * (lcg(&seed) - 0.5));
        assert_int_equal(ct_body_set_velocities(w, b, v, m.n_positions), CT_OK);
        for (k = 0; k < 1000; k++) {
            ct_step_report r = step_once(w, 0.004);
            x = read_vectors(w, b, 0, NULL);
            now = count_inverted(x, &m);
            inverted = now > inverted ? now : inverted;
            elastic = r.energy_elastic, kinetic = r.energy_kinetic;
            free(x);
        }
        print_message("model %d: %d of %d tets were inverted, %d at last; elastic %.3g J\n", (int)models[c], inverted, m.n_tets, now, elastic);
        assert_true(inverted > m.n_tets / 8 && isfinite(kinetic));
        if (models[c] == CT_MODEL_STABLE_NEOHOOKEAN)
            assert_true(now == 0 && elastic < 1e-6);
        free(v);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* a short beam under a hundredth of gravity: the tip sinks by the same in every model */
static void small_loads_are_answered_alike(void **state)
{
    double tip[5] = {0, 0, 0, 0, 0}, bend = 0;
    int c, i, k;
    (void)state;
    for (c = 0; c < 5; c++) {
        ct_world_desc d = world_desc(1e-4, 0, NULL);
        ct_world *w;
        ct_mesh m = mesh_box(0.4, 0.1, 0.1, 4, 1, 1, 1);
        ct_body_id b;
        double *x;
        d.gravity[1] = (ct_real)-0.0981, d.solver.tolerance = (ct_real)1e-7;
        w = world_make(&d);
        b = add_model(w, &m, (ct_model)(CT_MODEL_COROTATIONAL + c), 1e5, 1);
        for (i = 0; i < m.n_positions; i++) {
            int32_t at = i;
            if ((double)m.positions[3 * i] < -0.199)
                assert_int_equal(ct_body_pin(w, b, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        }
        for (k = 0; k < 300; k++)
            step_once(w, 0.05);
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < m.n_positions; i++)
            tip[c] = fmin(tip[c], x[3 * i + 1] - (double)m.positions[3 * i + 1]);
        print_message("model %d: the tip sinks by %.6g m\n", c, -tip[c]);
        bend = c == 0 ? -tip[0] : bend;
        assert_true(bend > 1e-5 && fabs(tip[c] - tip[0]) < 0.01 * bend);
        free(x);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_box_inside_out_comes_back), cmocka_unit_test(small_loads_are_answered_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
