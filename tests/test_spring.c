/* test_spring.c -- springs: finite differences, balance, definiteness, coincident ends; which springs a sheet gets; out of memory at every
   allocation. */
#include "model_check.h"

static void make(cti_mem *mem, cti_spring_batch *t, int n_springs)
{
    static const ct_real X[6] = {0, 0, 0, 1, 2, 2};
    ct_material m = ct_material_default(CT_MODEL_SPRINGS);
    int32_t ends[40];
    cti_rest_mesh rest;
    ct_real rates[20];
    int64_t bad;
    double value;
    int i, n = 2;
    m.damping_stiffness = 0;
    for (i = 0; i < n_springs; i++)
        ends[2 * i] = 0, ends[2 * i + 1] = 1, rates[i] = 50;
    rest = cti_rest_mesh_of(X, 2, ends, n_springs, 0);
    memset(t, 0, sizeof *t);
    cti_mem_init(mem, NULL);
    assert_int_equal(cti_spring_batch_init(mem, t, &m, &rest, rates, &bad, &value), 1);
    assert_int_equal(cti_element_slots(mem, &t->slot, t->node, t->n, 2, model_dense_slot, &n), 1);
}

static void test_one(void **state)
{
    static const ct_real lengths[4] = {CTI_R(3), CTI_R(4.5), CTI_R(1.2), CTI_R(0.1)};
    int i, h;
    (void)state;
    for (i = 0; i < 4; i++) {
        cti_mem mem;
        cti_model model;
        static model_state s;
        ct_real x[6] = {0, 0, 0, 0, 0, 0}, y[6], force, K;
        memset(&model, 0, sizeof model);
        make(&mem, &model.springs, 1);
        x[4] = lengths[i];
        model_turn(x, 2, y);
        if (sizeof(ct_real) == 8) {
            model_differences(&model, y, 2, 1, &force, &K);
            assert_true(force < CTI_R(1e-7) && K < CTI_R(1e-6));
        }
        for (h = CTI_HESSIAN_STEP; h <= CTI_HESSIAN_EXACT; h++) {
            model_check_balance(&model, h, y, 2);
            if (h != CTI_HESSIAN_EXACT)
                model_check_definite(&model, h, y, 2);
        }
        model_eval(&model, CTI_HESSIAN_STEP, x, 2, &s);
        assert_true(fabs(s.energy - 25.0 * (double)((lengths[i] - 3) * (lengths[i] - 3))) < 1e-4);
        assert_true(cti_abs(s.force[1] - 50 * (lengths[i] - 3)) < CTI_R(1e-3));
        cti_model_free(&mem, &model);
        assert_int_equal(mem.bytes_live, 0);
    }
}

/* strain limit: energy, force and stiffness agree below, in and beyond the ramp; nothing below it; stiff beyond; definite */
static void test_limit(void **state)
{
    static const ct_real lengths[5] = {CTI_R(3.2), CTI_R(3.28), CTI_R(3.299), CTI_R(3.301), CTI_R(4.5)}; /* rest 3, limit 0.1 */
    static const ct_real mass[2] = {CTI_R(0.2), CTI_R(0.5)};
    ct_material m = ct_material_default(CT_MODEL_SPRINGS);
    int i, h;
    (void)state;
    m.strain_limit = CTI_R(0.1);
    for (i = 0; i < 5; i++) {
        cti_mem mem;
        cti_model model;
        static model_state s, other;
        ct_real x[6] = {0, 0, 0, 0, 0, 0}, y[6], force, stiff, K = CTI_R(1.003e6), plain = 50 * (lengths[i] - 3);
        memset(&model, 0, sizeof model);
        make(&mem, &model.springs, 9);
        model.springs.n = 1;
        cti_spring_batch_limit(&model.springs, &m, mass, 30); /* of 90 N for a spring of 3 m */
        x[4] = lengths[i];
        model_turn(x, 2, y);
        model_eval(&model, CTI_HESSIAN_STEP, x, 2, &s);
        assert_true(cti_abs(s.force[1] - plain) < CTI_R(1e-3));
        cti_model_ahead(&model, CTI_R(0.5), 1, NULL);
        if (sizeof(ct_real) == 8) {
            model_differences(&model, y, 2, CTI_R(0.1), &force, &stiff);
            assert_true(force < CTI_R(1e-7) && stiff < CTI_R(1e-5));
        }
        for (h = CTI_HESSIAN_STEP; h <= CTI_HESSIAN_EXACT; h++) {
            model_check_balance(&model, h, y, 2);
            model_check_definite(&model, h, y, 2);
        }
        model_eval(&model, CTI_HESSIAN_STEP, x, 2, &s);
        /* K = 2e6 0.5 + 20 50 + 30 / (0.15 0.1) N/m, w = 0.09 m */
        if (i == 0)
            assert_true(cti_abs(s.force[1] - plain) < CTI_R(1e-3));
        if (i >= 3)
            assert_true(cti_abs(s.force[1] - plain - K * (lengths[i] - CTI_R(3.3) + CTI_R(0.045))) < CTI_R(1e-6) * K);
        /* the same energy, force and stiffness in a step of another length */
        cti_model_ahead(&model, CTI_R(1e-3), 1, NULL);
        model_eval(&model, CTI_HESSIAN_STEP, x, 2, &other);
        assert_true(other.energy == s.energy && memcmp(other.force, s.force, sizeof s.force) == 0 && memcmp(other.K, s.K, sizeof s.K) == 0);
        cti_model_free(&mem, &model);
    }
}

/* With velocities the limit is linearized where they end: f + dt K v is the force there, below the limit nothing changes, and `share` scales it */
static void test_limit_ahead(void **state)
{
    static const ct_real mass[2] = {1, 1};
    ct_material m = ct_material_default(CT_MODEL_SPRINGS);
    cti_mem mem;
    cti_model model;
    static model_state s, now, half;
    ct_real x[6] = {0, 0, 0, CTI_R(0.4), CTI_R(3.1), 0}, y[6], v[6], dt = CTI_R(0.125), none[6] = {0, 0, 0, 0, 0, 0};
    int i, j;
    (void)state;
    m.strain_limit = CTI_R(0.1);
    memset(&model, 0, sizeof model);
    make(&mem, &model.springs, 1);
    model.springs.rest[0] = 0; /* the limit alone */
    cti_spring_batch_limit(&model.springs, &m, mass, 0);
    for (i = 0; i < 6; i++)
        v[i] = model_random() + (i == 4 ? CTI_R(3) : CTI_R(0)), y[i] = x[i] + dt * v[i];
    cti_model_ahead(&model, dt, 1, none);
    model_eval(&model, CTI_HESSIAN_STEP, x, 2, &s);
    assert_true(model_norm(s.force, 6) == 0 && model_norm(s.K, 36) == 0);
    cti_model_ahead(&model, dt, 1, NULL);
    model_eval(&model, CTI_HESSIAN_STEP, y, 2, &now);
    assert_true(model_norm(now.force, 6) > 1);
    cti_model_ahead(&model, dt, 1, v);
    model_eval(&model, CTI_HESSIAN_STEP, x, 2, &s);
    cti_model_ahead(&model, dt, CTI_R(0.5), v);
    model_eval(&model, CTI_HESSIAN_STEP, x, 2, &half);
    for (i = 0; i < 6; i++) {
        ct_real f = s.force[i];
        for (j = 0; j < 6; j++)
            f -= dt * model_entry(&s, i, j) * v[j];
        assert_true(cti_abs(f - now.force[i]) <= 1000 * CTI_EPS * model_norm(s.K, 36));
        assert_true(half.force[i] == s.force[i] / 2);
    }
    cti_model_free(&mem, &model);
}

static void test_coincident_and_padding(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state s;
    const ct_real x[6] = {1, 1, 1, 1, 1, 1}, y[6] = {0, 0, 0, 0, 6, 0};
    (void)state;
    memset(&model, 0, sizeof model);
    make(&mem, &model.springs, 11);
    model_eval(&model, CTI_HESSIAN_STEP, x, 2, &s);
    assert_true(model_norm(s.force, 6) == 0 && cti_finite(model_norm(s.K, 36)) && cti_finite64(s.energy));
    model_eval(&model, CTI_HESSIAN_STEP, y, 2, &s);
    assert_true(cti_abs(s.force[1] - 11 * 150) < CTI_R(1e-2) && fabs(s.energy - 11 * 225.0) < 1e-2);
    cti_model_free(&mem, &model);
}

/* 3x3 nodes, four cells with alternating diagonals: 16 edges, 8 inner edges, flexion along the 6 rows and columns and the diagonals that
   meet straight in the middle */
static const ct_real grid[27] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0, 0, 2, 0, 1, 2, 0, 2, 2, 0};
static const int32_t grid_t[24] = {0, 1, 4, 0, 4, 3, 1, 2, 4, 2, 5, 4, 3, 4, 6, 4, 7, 6, 4, 5, 8, 4, 8, 7};

static int count(ct_real stretch, ct_real shear, ct_real bend)
{
    const cti_rest_mesh rest = cti_rest_mesh_of(grid, 9, grid_t, 8, 0);
    ct_material m = ct_material_default(CT_MODEL_SPRINGS);
    int32_t *ends = NULL;
    ct_real *rates = NULL;
    cti_mem mem;
    int n;
    m.stretch = stretch, m.shear = shear, m.bend = bend;
    cti_mem_init(&mem, NULL);
    assert_int_equal(cti_spring_list(&mem, &m, &rest, &ends, &rates), 1);
    n = CTI_LEN(rates);
    assert_int_equal(CTI_LEN(ends), 2 * n);
    CTI_FREE(&mem, ends);
    CTI_FREE(&mem, rates);
    assert_int_equal(mem.bytes_live, 0);
    return n;
}
static void test_list(void **state)
{
    (void)state;
    assert_int_equal(count(1, 0, 0), 16);
    assert_int_equal(count(0, 1, 0), 8);
    assert_int_equal(count(0, 0, 1), 8);
    assert_int_equal(count(1, 1, 1), 32);
    assert_int_equal(count(0, 0, 0), 0);
}

/* cloth of springs: mass from areas, force zero at rest, balance when moved */
static void test_cloth(void **state)
{
    ct_material m = ct_material_default(CT_MODEL_SPRINGS);
    cti_mem mem;
    cti_model model;
    static model_state s;
    const cti_rest_mesh rest = cti_rest_mesh_of(grid, 9, grid_t, 8, 0);
    ct_real mass[9], sum = 0, x[27];
    int64_t bad;
    double value;
    int i, n = 9, h;
    (void)state;
    m.damping_stiffness = 0;
    memset(&model, 0, sizeof model), memset(mass, 0, sizeof mass);
    cti_mem_init(&mem, NULL);
    assert_int_equal(cti_model_init_cloth(&mem, &model, &m, &rest, &bad, &value), 1);
    assert_int_equal(cti_model_slots(&mem, &model, model_dense_slot, &n), 1);
    cti_model_mass(&model, mass);
    for (i = 0; i < 9; i++)
        sum += mass[i];
    assert_true(cti_abs(sum - CTI_R(0.8)) < CTI_R(1e-6));
    model_eval(&model, CTI_HESSIAN_STEP, grid, 9, &s);
    assert_true(model_norm(s.force, 27) < CTI_R(1e-3) && s.energy < 1e-6);
    for (i = 0; i < 27; i++)
        x[i] = grid[i] + CTI_R(0.2) * model_random();
    for (h = CTI_HESSIAN_STEP; h <= CTI_HESSIAN_EXACT; h++)
        model_check_balance(&model, h, x, 9);
    cti_model_free(&mem, &model);
    assert_int_equal(mem.bytes_live, 0);
}

/* the k-th allocation fails */
static int fail_after;
static void *failing(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return fail_after-- > 0 ? realloc(block, new_size) : NULL;
}
static void test_out_of_memory(void **state)
{
    static const ct_model kinds[3] = {CT_MODEL_SPRINGS, CT_MODEL_MEMBRANE, CT_MODEL_NEOHOOKEAN};
    static const ct_real X[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t tet[4] = {0, 1, 2, 3};
    const cti_rest_mesh cloth = cti_rest_mesh_of(grid, 9, grid_t, 8, 0), soft = cti_rest_mesh_of(X, 4, tet, 1, 0);
    int kind, k, ok;
    (void)state;
    for (kind = 0; kind < 3; kind++)
        for (ok = 0, k = 0; !ok && k < 200; k++) {
            ct_material m = ct_material_default(kinds[kind]);
            ct_allocator a;
            cti_mem mem;
            cti_model model;
            int32_t *pairs = NULL;
            int64_t bad;
            double value;
            int n = 9, code;
            m.strain_limit = CTI_R(0.1);
            a.resize = failing, a.user = NULL, fail_after = k;
            cti_mem_init(&mem, &a);
            memset(&model, 0, sizeof model);
            code = kind < 2 ? cti_model_init_cloth(&mem, &model, &m, &cloth, &bad, &value)
                            : cti_model_init_soft(&mem, &model, &m, &soft, &bad, &value);
            ok = code == 1 && cti_model_slots(&mem, &model, model_dense_slot, &n) == 1 && cti_model_pairs(&model, &mem, &pairs);
            assert_true(code >= 0 && (ok || mem.failed));
            CTI_FREE(&mem, pairs);
            cti_model_free(&mem, &model);
            assert_int_equal(mem.bytes_live, 0);
        }
    assert_true(ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one), cmocka_unit_test(test_limit), cmocka_unit_test(test_limit_ahead),
                                       cmocka_unit_test(test_coincident_and_padding),
                                       cmocka_unit_test(test_list), cmocka_unit_test(test_cloth), cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
