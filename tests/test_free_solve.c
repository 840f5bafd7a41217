/* test_free_solve.c -- the motion of free cloth is solved in every step, at about the same cost. */
#include "world_util.h"

/* a sheet of ordinary fabric (150 g/m2, 40 x 40 cells of 1 m) hangs by two corners: E 2e7 ended every second step above its tolerance,
   after 200 iterations with the factor of an earlier matrix. In float sums of a row's terms, rounded, moved it out of its plane */
static void stiff_sheets_are_solved(void **state)
{
    static const double young[2] = {5e5, 2e7};
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc wd = world_desc(1e-3, 0.4, NULL);
        ct_world *w = world_make(&wd);
        ct_cloth_desc d = ct_cloth_desc_default();
        ct_mesh m = mesh_grid(1, 1, 40, 40);
        ct_body_id id;
        int most = 0;
        d.mesh = &m, d.material = ct_material_default(CT_MODEL_MEMBRANE);
        d.material.areal_density = (ct_real)0.15, d.material.young = (ct_real)young[k], d.material.bending = (ct_real)1e-5;
        d.material.shell_thickness = (ct_real)1e-3;
        assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
        for (i = 0; i < m.n_positions; i++)
            if (fabs((double)m.positions[3 * i]) > 0.4999 && (double)m.positions[3 * i + 2] > 0.4999) {
                int32_t at = i;
                assert_int_equal(ct_body_pin(w, id, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
            }
        for (i = 0; i < 12; i++) {
            ct_step_report r = step_once(w, 1 / 60.0);
            assert_int_equal(r.status, CT_STATUS_OK);
            most = r.linear_iterations > most ? r.linear_iterations : most;
        }
        print_message("E %g: at most %d iterations a step\n", young[k], most);
        assert_true(most <= 20);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

typedef struct cloth_case {
    int cells;
    double young, density, dt;
    int hung; /* 1: by two corners; 0: thrown, each vertex with its own velocity */
    ct_integrator integrator;
} cloth_case;

static ct_body_id add_sheet(ct_world *w, const cloth_case *q, ct_mesh *m)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_body_id b;
    ct_real size[2] = {1, 1};
    int cells[2];
    cells[0] = cells[1] = q->cells;
    assert_int_equal(ct_mesh_grid(size, cells, m, NULL), CT_OK);
    d.mesh = m;
    d.material = ct_material_default(CT_MODEL_MEMBRANE);
    d.material.young = (ct_real)q->young, d.material.areal_density = (ct_real)q->density;
    d.material.shell_thickness = (ct_real)1e-3, d.material.bending = (ct_real)1e-5;
    assert_int_equal(ct_body_add_cloth(w, &d, &b), CT_OK);
    return b;
}

static void let_go(ct_world *w, ct_body_id b, const cloth_case *q, const ct_mesh *m)
{
    int32_t corners[2];
    int i, n = (int)m->n_positions;
    ct_real *v = (ct_real *)calloc((size_t)(3 * n), sizeof *v);
    corners[0] = 0, corners[1] = (int32_t)q->cells;
    assert_non_null(v);
    for (i = 0; i < n; i++) {
        double x = (double)m->positions[3 * i], z = (double)m->positions[3 * i + 2];
        v[3 * i] = (ct_real)(1 + 2 * z), v[3 * i + 1] = (ct_real)(2 * sin(7 * x) * cos(5 * z)), v[3 * i + 2] = (ct_real)(-2 * x);
    }
    if (q->hung)
        assert_int_equal(ct_body_pin(w, b, corners, 2, 7, NULL, -1), CT_OK);
    else
        assert_int_equal(ct_body_set_velocities(w, b, v, n), CT_OK);
    free(v);
}

/* steps of one cloth: all ok, each at most 20 iterations, with any rule of integration */
static void steps_are_ok(const cloth_case *q, int steps)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w;
    ct_mesh m;
    int i, most = 0, bad = 0;
    d.integrator = q->integrator;
    w = world_make(&d);
    let_go(w, add_sheet(w, q, &m), q, &m);
    for (i = 0; i < steps; i++) {
        ct_step_report r;
        assert_int_equal(ct_world_step(w, (ct_real)q->dt, &r), CT_OK);
        bad += r.status != CT_STATUS_OK || r.contacts > 0;
        most = r.linear_iterations / (r.substeps > 0 ? r.substeps : 1) > most ? r.linear_iterations : most;
    }
    print_message("  %d cells, E %.0e, %.2g kg/m2, %.4f s, %s, rule %d: %d of %d not ok, %d iterations at most\n", q->cells, q->young,
                  q->density, q->dt, q->hung ? "hung" : "thrown", (int)q->integrator, bad, steps, most);
    assert_int_equal(bad, 0);
    assert_true(most <= 20);
    ct_world_destroy(w);
    ct_mesh_free(&m);
}

static void fine_cloth_is_solved(void **state)
{
    static const cloth_case cases[] = {
        {30, 5e7, 0.01, 0.01, 1, CT_INTEGRATOR_EULER},       {50, 5e6, 0.15, 1 / 60.0, 1, CT_INTEGRATOR_EULER},
        {50, 5e5, 0.01, 1 / 60.0, 0, CT_INTEGRATOR_EULER},   {50, 5e7, 0.01, 0.01, 1, CT_INTEGRATOR_EULER},
        {50, 1e5, 0.3, 0.01, 1, CT_INTEGRATOR_EULER},        {60, 2e7, 0.15, 1 / 60.0, 0, CT_INTEGRATOR_EULER},
        {40, 2e7, 0.15, 1 / 60.0, 1, CT_INTEGRATOR_NEWMARK}, {40, 2e7, 0.15, 1 / 60.0, 1, CT_INTEGRATOR_BDF2}};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        steps_are_ok(&cases[i], 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stiff_sheets_are_solved), PLAIN_TEST(fine_cloth_is_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
