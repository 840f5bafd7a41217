/* test_free_solve.c -- the motion of free cloth is solved in every step, at about the same cost. */
#include "world_util.h"

/* a sheet of ordinary fabric (150 g/m2, 40 x 40 cells of 1 m) hangs by two corners: E 2e7 ended every second step above its tolerance, after 200
   iterations with the factor of an earlier matrix */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stiff_sheets_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
