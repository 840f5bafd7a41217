/* test_bend.c -- hinges: the edge list, the angle, its gradient by finite differences, balance, and a sheet rolled to a cylinder against
   the plate's energy B c^2 / 2 per area. */
#include "model_check.h"
#include "../src/6_model/hinge.h"

static double hinge_energy(const cti_bend_batch *t, const ct_real *x)
{
    double energy = 0;
    cti_bend_batch_assemble(t, x, 0, NULL, NULL, &energy);
    return energy;
}

/* two triangles at the edge 0-1, folded by `angle` */
static void fold(ct_real angle, ct_real *x)
{
    ct_real flat[12] = {0, 0, 0, CTI_R(0.1), 1, 0, CTI_R(-0.9), CTI_R(0.4), 0, CTI_R(0.8), CTI_R(0.3), 0};
    cti_v3 e, p, c;
    memcpy(x, flat, sizeof flat);
    /* turn x3 about the edge */
    e = cti_v3_unit(cti_v3_at(x, 1), cti_v3_zero()), p = cti_v3_at(x, 3);
    c = cti_v3_mul(e, cti_v3_dot(e, p)), p = cti_v3_sub(p, c);
    p = cti_v3_add(cti_v3_mul(p, cti_cos(angle)), cti_v3_mul(cti_v3_cross(e, p), cti_sin(angle)));
    cti_v3_put(x, 3, cti_v3_add(c, p));
}

static void make(cti_mem *mem, cti_bend_batch *bend, ct_real rest_angle, int n_hinges)
{
    ct_material m = ct_material_default(CT_MODEL_MEMBRANE);
    int32_t hinges[80];
    ct_real X[12];
    int i, n = 4;
    m.damping_stiffness = 0, m.bending = 2;
    for (i = 0; i < 4 * n_hinges; i++)
        hinges[i] = i % 4;
    fold(rest_angle, X);
    memset(bend, 0, sizeof *bend);
    cti_mem_init(mem, NULL);
    assert_int_equal(cti_bend_batch_init(mem, bend, &m, X, hinges, n_hinges, 0, NULL), 1);
    assert_int_equal(cti_element_slots(mem, &bend->slot, bend->node, bend->n, 4, model_dense_slot, &n), 1);
}

static void test_angle(void **state)
{
    int i;
    (void)state;
    for (i = -31; i <= 31; i++) {
        ct_real x[12], y[12], angle = (ct_real)i / 10;
        fold(angle, x);
        model_turn(x, 4, y);
        assert_true(cti_abs(cti_abs(cti_bend_angle(y)) - cti_abs(angle)) < 100 * CTI_EPS);
        fold(-angle, x);
        assert_true(cti_abs(cti_bend_angle(x) + cti_bend_angle(y)) < 200 * CTI_EPS);
    }
}

static void test_gradient(void **state)
{
    static const ct_real rest[3] = {0, CTI_R(0.7), CTI_R(-2.5)};
    int r, i, k;
    (void)state;
    for (r = 0; r < 3; r++)
        for (i = -29; i <= 29; i += 2) {
            cti_mem mem;
            cti_model model;
            ct_real x[12], y[12], force[12], h = CTI_R(1e-5);
            memset(&model, 0, sizeof model);
            make(&mem, &model.bend, rest[r], 1);
            fold((ct_real)i / 10, x);
            for (k = 0; k < 12; k++)
                x[k] += CTI_R(0.05) * model_random();
            model_turn(x, 4, y);
            memset(force, 0, sizeof force);
            cti_bend_batch_assemble(&model.bend, y, 1, force, NULL, NULL);
            if (sizeof(ct_real) == 8)
                for (k = 0; k < 12; k++) {
                    ct_real keep = y[k], slope;
                    double up, down;
                    y[k] = keep + h, up = hinge_energy(&model.bend, y);
                    y[k] = keep - h, down = hinge_energy(&model.bend, y);
                    y[k] = keep, slope = (ct_real)((up - down) / (2 * (double)h));
                    /* across the seam at pi the energy has two values: no derivative there */
                    if (cti_abs(slope) < CTI_R(1e4))
                        assert_true(cti_abs(force[k] + slope) < CTI_R(1e-6) * (1 + model_norm(force, 12)));
                }
            model_check_balance(&model, CTI_HESSIAN_STEP, y, 4);
            model_check_definite(&model, CTI_HESSIAN_STEP, y, 4);
            cti_model_free(&mem, &model);
            assert_int_equal(mem.bytes_live, 0);
        }
}

/* at theta = theta0 Gauss-Newton is the Hessian */
static void test_stiffness_at_rest(void **state)
{
    cti_mem mem;
    cti_model model;
    ct_real x[12], force, K;
    (void)state;
    if (sizeof(ct_real) < 8)
        skip();
    memset(&model, 0, sizeof model);
    make(&mem, &model.bend, CTI_R(0.6), 1);
    fold(CTI_R(0.6), x);
    model_differences(&model, x, 4, 1, &force, &K);
    assert_true(K < CTI_R(1e-6));
    cti_model_free(&mem, &model);
}

/* folded shut, or with a triangle collapsed to a line: finite */
static void test_degenerate(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state s;
    ct_real x[12];
    int i;
    (void)state;
    memset(&model, 0, sizeof model);
    make(&mem, &model.bend, 0, 3);
    for (i = 0; i < 4; i++) {
        fold(CTI_R(3.14159265), x);
        if (i > 0)
            cti_v3_put(x, i, cti_v3_at(x, 0));
        if (i == 2)
            cti_v3_put(x, 2, cti_v3_mul(cti_v3_at(x, 1), CTI_R(0.5)));
        model_eval(&model, CTI_HESSIAN_STEP, x, 4, &s);
        assert_true(cti_finite(model_norm(s.K, 144)) && cti_finite(model_norm(s.force, 12)) && cti_finite64(s.energy));
    }
    cti_model_free(&mem, &model);
}

/* a sheet of nx x ny cells, diagonals alternating */
static int sheet(int nx, int ny, ct_real cell, ct_real *X, int32_t *t)
{
    int i, j, n = 0, m = nx + 1;
    for (i = 0; i < m * (ny + 1); i++)
        X[3 * i] = cell * (ct_real)(i % m), X[3 * i + 1] = cell * (ct_real)(i / m), X[3 * i + 2] = 0;
    for (j = 0; j < ny; j++)
        for (i = 0; i < nx; i++, n += 6) {
            int a = j * m + i, b = a + 1, c = a + m, d = c + 1, odd = (i + j) & 1;
            t[n] = a, t[n + 1] = b, t[n + 2] = odd ? c : d, t[n + 3] = odd ? b : a, t[n + 4] = d, t[n + 5] = c;
        }
    return n / 3;
}

static void test_cylinder(void **state)
{
    enum { NX = 40, NY = 10 };
    static ct_real X[3 * (NX + 1) * (NY + 1)], x[3 * (NX + 1) * (NY + 1)];
    static int32_t t[6 * NX * NY];
    const ct_real cell = CTI_R(0.1), curvature = CTI_R(0.5);
    ct_material m = ct_material_default(CT_MODEL_MEMBRANE);
    cti_mem mem;
    cti_model model;
    int64_t bad;
    double value, got, expected;
    int i, n = sheet(NX, NY, cell, X, t);
    const cti_rest_mesh rest = cti_rest_mesh_of(X, (NX + 1) * (NY + 1), t, n, 0);
    (void)state;
    m.bending = CTI_R(0.3);
    memset(&model, 0, sizeof model);
    cti_mem_init(&mem, NULL);
    assert_int_equal(cti_model_init_cloth(&mem, &model, &m, &rest, &bad, &value), 1);
    for (i = 0; i < (NX + 1) * (NY + 1); i++) {
        x[3 * i] = cti_sin(curvature * X[3 * i]) / curvature, x[3 * i + 1] = X[3 * i + 1];
        x[3 * i + 2] = (1 - cti_cos(curvature * X[3 * i])) / curvature;
    }
    /* the two end columns carry no angle: (NX - 1) cells */
    expected = 0.5 * 0.3 * 0.25 * (double)(NX - 1) * NY * 0.01;
    got = hinge_energy(&model.bend, x);
    cti_plate_batch_assemble(&model.plates, x, NULL, &got);
    assert_true(fabs(got / expected - 1) < 0.01);
    cti_model_free(&mem, &model);
    assert_int_equal(mem.bytes_live, 0);
}

static void test_hinge_list(void **state)
{
    static const int32_t two[6] = {0, 1, 2, 2, 1, 3}, three[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    int32_t *edges = NULL, *hinges = NULL;
    cti_mem mem;
    int i;
    (void)state;
    cti_mem_init(&mem, NULL);
    assert_int_equal(cti_hinge_find(&mem, two, 2, &edges, &hinges), 1);
    assert_int_equal(CTI_LEN(edges), 10);
    for (i = 0; i < 5; i++)
        assert_true(edges[2 * i] < edges[2 * i + 1]);
    assert_int_equal(CTI_LEN(hinges), 4);
    assert_true(hinges[0] == 1 && hinges[1] == 2 && hinges[2] == 0 && hinges[3] == 3);
    assert_int_equal(cti_hinge_find(&mem, three, 3, NULL, &hinges), 1);
    assert_int_equal(CTI_LEN(hinges), 8);
    assert_int_equal(cti_hinge_find(&mem, NULL, 0, &edges, &hinges), 1);
    assert_int_equal(CTI_LEN(edges) + CTI_LEN(hinges), 0);
    CTI_FREE(&mem, edges);
    CTI_FREE(&mem, hinges);
    assert_int_equal(mem.bytes_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_angle),      cmocka_unit_test(test_gradient), cmocka_unit_test(test_stiffness_at_rest),
        cmocka_unit_test(test_degenerate), cmocka_unit_test(test_cylinder), cmocka_unit_test(test_hinge_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
