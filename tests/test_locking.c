/* test_locking.c -- linear tets are too stiff in bending: by which factor, that locking_factor (tools/locking.c) measures it, and that a body with young /
   factor bends correctly. */
#include "../tools/locking.c"
#include "world_util.h"

static ct_mesh bar(double length, double height, double width, int nx, int ny, int nz)
{
    ct_real size[3] = {(ct_real)length, (ct_real)height, (ct_real)width};
    int cells[3] = {nx, ny, nz};
    ct_mesh m;
    assert_int_equal(ct_mesh_box(size, cells, 1, &m, NULL), CT_OK);
    return m;
}

static double factor(const ct_mesh *m, double poisson)
{
    double f;
    assert_true(locking_factor(m, poisson, &f));
    return f;
}

/* deflection of the tip of a clamped bar under its weight, over that of a beam; young / scale */
static double tip(double poisson, int n, double scale)
{
    const double L = 1, h = 0.1, E = 1e6, rho = 1000, I = h * h * h * h / 12, w = rho * h * h, g = 0.01 * L * 8 * E * I / (w * L * L * L * L);
    const double omega = 3.516 * sqrt(E * I / (w * L * L * L * L));
    ct_world_desc d = world_desc(1e-6, 0, NULL);
    ct_soft_desc s = ct_soft_desc_default();
    ct_mesh m = bar(L, h, h, 10 * n, n, n);
    double *x = (double *)malloc(sizeof *x * 3 * (size_t)m.n_positions), sum = 0;
    int i, count = 0, nv;
    ct_body_id id;
    ct_world *world;
    d.self_collision = 0, d.gravity[1] = (ct_real)-g;
    world = world_make(&d);
    s.mesh = &m, s.material = ct_material_default(CT_MODEL_COROTATIONAL);
    s.material.young = (ct_real)(E / scale), s.material.poisson = (ct_real)poisson, s.material.density = (ct_real)rho;
    s.material.damping_mass = (ct_real)(2 * omega);
    assert_int_equal(ct_body_add_soft(world, &s, &id), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        if ((double)m.positions[3 * i] < -L / 2 + 1e-6)
            assert_int_equal(ct_body_pin(world, id, &i, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    for (i = 0; i < 60; i++)
        assert_int_equal(ct_world_step(world, (ct_real)(0.5 / omega), NULL), CT_OK);
    nv = ct_body_vertex_count(world, id);
    assert_int_equal(ct_body_get_positions(world, id, x, CT_SCALAR_DOUBLE, 24, NULL), CT_OK);
    for (i = 0; i < nv; i++)
        if (x[3 * i] > L / 2 - 0.02)
            sum -= x[3 * i + 1], count++;
    free(x);
    ct_mesh_free(&m);
    ct_world_destroy(world);
    return sum / count / (w * g * L * L * L * L / (8 * E * I));
}

static void bars_bend_too_little(void **state)
{
    static const double tips[] = {0.327, 0.647}, tips45[] = {0.322, 0.631};
    int n;
    (void)state;
    for (n = 1; n <= 2; n++) {
        assert_true(fabs(tip(0, n, 1) - tips[n - 1]) < 0.01);
        assert_true(fabs(tip(0.45, n, 1) - tips45[n - 1]) < 0.01);
    }
}

static void the_factor_is_measured(void **state)
{
    int n;
    ct_mesh m;
    (void)state;
    for (n = 1; n <= PLAIN_OR(4, 2); n++) {
        m = bar(1, 0.1, 0.1, 10 * n, n, n);
        assert_true(fabs(factor(&m, 0) / (1 + 2.1 / (n * n)) - 1) < 0.03);
        ct_mesh_free(&m);
    }
    /* long cells lock more, flat ones as much as cubes: the ratios for such bars are 1 over .38 and .309 */
    m = bar(1, 0.1, 0.1, 10, 2, 2);
    assert_true(fabs(factor(&m, 0) * 0.38 - 1) < 0.03);
    ct_mesh_free(&m);
    if (PLAIN_OR(1, 0)) {
        m = bar(1, 0.05, 0.5, 20, 1, 10);
        assert_true(fabs(factor(&m, 0) * 0.309 - 1) < 0.03);
        ct_mesh_free(&m);
    }
}

static void young_over_it_bends_right(void **state)
{
    int n;
    (void)state;
    for (n = 1; n <= 2; n++) {
        ct_mesh m = bar(1, 0.1, 0.1, 10 * n, n, n);
        assert_true(fabs(tip(0, n, factor(&m, 0)) - 1) < 0.03);
        assert_true(fabs(tip(0.45, n, factor(&m, 0.45)) - 1) < 0.07);
        ct_mesh_free(&m);
    }
}

static void meshes_are_checked(void **state)
{
    ct_mesh m = bar(1, 1, 1, 1, 1, 1), none;
    double f;
    int32_t t;
    (void)state;
    assert_true(factor(&m, 0.3) >= 1);
    memset(&none, 0, sizeof none);
    assert_false(locking_factor(&none, 0, &f));
    t = m.tets[4], m.tets[4] = m.tets[5], m.tets[5] = t;
    assert_false(locking_factor(&m, 0, &f));
    m.tets[5] = 99;
    assert_false(locking_factor(&m, 0, &f));
    ct_mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bars_bend_too_little), cmocka_unit_test(the_factor_is_measured),
                                       cmocka_unit_test(young_over_it_bends_right), cmocka_unit_test(meshes_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
