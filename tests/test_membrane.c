/* test_membrane.c -- cloth triangles: finite differences over a table of shapes, rigid motion, balance, definiteness, a strip under tension
   against the thin plate's formula, mass. */
#include "model_check.h"

static const ct_real rest3[9] = {0, 0, 0, CTI_R(1.1), CTI_R(0.1), 0, CTI_R(0.3), CTI_R(0.8), CTI_R(0.2)};
static const int32_t tri[3] = {0, 1, 2};
/* positions of the corners */
static const ct_real shapes[5][9] = {
    {0, 0, 0, CTI_R(1.1), CTI_R(0.1), 0, CTI_R(0.3), CTI_R(0.8), CTI_R(0.2)},
    {0, 0, 0, CTI_R(1.9), CTI_R(0.1), CTI_R(0.5), CTI_R(0.3), CTI_R(1.4), CTI_R(0.2)},
    {0, 0, 0, CTI_R(0.6), CTI_R(0.1), 0, CTI_R(0.2), CTI_R(0.5), CTI_R(0.1)},
    {0, 0, 0, 1, 0, 0, CTI_R(1.4), CTI_R(0.3), CTI_R(0.2)},
    {0, 0, 0, 1, 0, 0, CTI_R(0.5), 0, 0},
};

static void make(cti_mem *mem, cti_model *model, int n_triangles)
{
    ct_material m = ct_material_default(CT_MODEL_MEMBRANE);
    int32_t list[60];
    const cti_rest_mesh rest = cti_rest_mesh_of(rest3, 3, list, n_triangles, 0);
    int64_t bad;
    double value;
    int i, n = 3;
    m.damping_stiffness = 0, m.bending = 0, m.areal_density = CTI_R(0.3);
    for (i = 0; i < 3 * n_triangles; i++)
        list[i] = tri[i % 3];
    memset(model, 0, sizeof *model);
    cti_mem_init(mem, NULL);
    assert_int_equal(cti_model_init_cloth(mem, model, &m, &rest, &bad, &value), 1);
    assert_int_equal(cti_model_slots(mem, model, model_dense_slot, &n), 1);
}
static void done(cti_mem *mem, cti_model *model)
{
    cti_model_free(mem, model);
    assert_int_equal(mem->bytes_live, 0);
}

static void test_shapes(void **state)
{
    int s, h;
    (void)state;
    for (s = 0; s < 5; s++) {
        cti_mem mem;
        cti_model model;
        ct_real y[9], force, K;
        make(&mem, &model, 1);
        model_turn(shapes[s], 3, y);
        if (sizeof(ct_real) == 8) {
            model_differences(&model, y, 3, 1, &force, &K);
            assert_true(force < CTI_R(1e-7));
            assert_true(K < CTI_R(1e-7));
        }
        for (h = CTI_HESSIAN_STEP; h <= CTI_HESSIAN_EXACT; h++) {
            model_check_balance(&model, h, y, 3);
            if (h != CTI_HESSIAN_EXACT)
                model_check_definite(&model, h, y, 3);
        }
        done(&mem, &model);
    }
}

/* a stretched triangle keeps its exact Hessian, a compressed one loses its geometric part */
static void test_clamp(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state a, b;
    ct_real worst, x[9];
    int i, s;
    (void)state;
    make(&mem, &model, 1);
    for (s = 0; s < 2; s++) {
        for (i = 0; i < 9; i++)
            x[i] = rest3[i] * (s == 0 ? CTI_R(1.3) : CTI_R(0.7));
        model_eval(&model, CTI_HESSIAN_EXACT, x, 3, &a);
        model_eval(&model, CTI_HESSIAN_STEP, x, 3, &b);
        for (worst = 0, i = 0; i < 81; i++)
            worst = cti_max(worst, cti_abs(a.K[i] - b.K[i]));
        if (s == 0)
            assert_true(worst <= 64 * CTI_EPS * model_norm(a.K, 81));
        else
            assert_true(worst > CTI_R(0.01) * model_norm(a.K, 81));
    }
    done(&mem, &model);
}

static void test_rigid_motion(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state s;
    ct_real y[9];
    int i;
    (void)state;
    make(&mem, &model, 1);
    for (i = 0; i < 20; i++) {
        model_turn(rest3, 3, y);
        model_eval(&model, CTI_HESSIAN_STEP, y, 3, &s);
        assert_true(model_norm(s.force, 9) < 100 * CTI_EPS * model_norm(s.K, 81));
    }
    done(&mem, &model);
}

/* small uniaxial stretch e with free sides stores E t e^2 / 2 per area: e_y = -nu e_x */
static void test_plane_stress(void **state)
{
    static const ct_real X[12] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0};
    static const int32_t list[6] = {0, 1, 2, 0, 2, 3};
    ct_material m = ct_material_default(CT_MODEL_MEMBRANE);
    cti_mem mem;
    cti_model model;
    const cti_rest_mesh rest = cti_rest_mesh_of(X, 4, list, 2, 0);
    ct_real x[12], e = sizeof(ct_real) == 8 ? CTI_R(1e-4) : CTI_R(1e-2);
    int64_t bad;
    double value, expected, got;
    int i;
    (void)state;
    memset(&model, 0, sizeof model);
    cti_mem_init(&mem, NULL);
    assert_int_equal(cti_model_init_cloth(&mem, &model, &m, &rest, &bad, &value), 1);
    for (i = 0; i < 4; i++)
        x[3 * i] = X[3 * i] * (1 + e), x[3 * i + 1] = X[3 * i + 1] * (1 - m.poisson * e), x[3 * i + 2] = 0;
    expected = 0.5 * (double)(m.young * m.shell_thickness) * (double)e * (double)e * 2;
    got = cti_model_energy(&model, x);
    assert_true(fabs(got - expected) < 0.03 * expected);
    done(&mem, &model);
}

static void test_padding_and_mass(void **state)
{
    static const int counts[4] = {1, 7, 8, 13};
    int c, i;
    (void)state;
    for (c = 0; c < 4; c++) {
        cti_mem mem;
        cti_model model;
        static model_state one, many;
        ct_real mass[3] = {0, 0, 0};
        make(&mem, &model, 1);
        model_eval(&model, CTI_HESSIAN_STEP, shapes[1], 3, &one);
        done(&mem, &model);
        make(&mem, &model, counts[c]);
        model_eval(&model, CTI_HESSIAN_STEP, shapes[1], 3, &many);
        for (i = 0; i < 81; i++)
            assert_true(cti_abs(many.K[i] - (ct_real)counts[c] * one.K[i]) <= 32 * CTI_EPS * model_norm(many.K, 81));
        for (i = 0; i < 9; i++)
            assert_true(cti_abs(many.force[i] - (ct_real)counts[c] * one.force[i]) <= 32 * CTI_EPS * model_norm(many.force, 9));
        cti_model_mass(&model, mass);
        assert_true(cti_abs(mass[0] - CTI_R(0.1) * (ct_real)counts[c] * model.membrane.rest[32]) <= CTI_R(1e-5) * mass[0]);
        assert_true(mass[0] == mass[1] && mass[1] == mass[2]);
        done(&mem, &model);
    }
}

static void test_bad_triangle(void **state)
{
    ct_material m = ct_material_default(CT_MODEL_MEMBRANE);
    const int32_t list[6] = {0, 1, 2, 0, 1, 1};
    const cti_rest_mesh rest = cti_rest_mesh_of(rest3, 3, list, 2, 0);
    cti_mem mem;
    cti_model model;
    int64_t bad = -1;
    double value;
    (void)state;
    memset(&model, 0, sizeof model);
    cti_mem_init(&mem, NULL);
    assert_int_equal(cti_model_init_cloth(&mem, &model, &m, &rest, &bad, &value), -1);
    assert_int_equal(bad, 1);
    done(&mem, &model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),           cmocka_unit_test(test_clamp),
                                       cmocka_unit_test(test_rigid_motion),     cmocka_unit_test(test_plane_stress),
                                       cmocka_unit_test(test_padding_and_mass), cmocka_unit_test(test_bad_triangle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
