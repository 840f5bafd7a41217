/* test_augmented.c -- Newton's method on the augmented Lagrangian, against contacts whose solution is known. */
#include "../src/3_solve/augmented.h"
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <cmocka.h>

enum { N = 5 };

/* N bodies of one block, each on a contact that slides along t1, so that its friction changes its normal impulse: with the compliance K of the
   contact u = c + K r, r = lambda (1, -mu, 0), u_n = 0. With mu k > 1 friction that presses the contact together follows its load for ever, by
   whole steps */
static void sliding_contacts_load_themselves(void **state)
{
    static const double couple[N] = {-1.8, -1.5, -1.2, -0.6, 0.5};
    static const ct_cone cones[3] = {CT_CONE_CONE, CT_CONE_PYRAMID, CT_CONE_BOX};
    const double mu = 0.9, lambda = 2;
    int c, i, k;
    (void)state;
    for (c = 0; c < 3; c++) {
        cti_mem mem;
        cti_arena arena;
        cti_bsr A;
        cti_problem p;
        cti_row rows[N + 1];
        ct_real b[3 * N + 3], v[3 * N + 3];
        cti_jacobian J;
        cti_linear L;
        cti_solve_info info;
        ct_solver_desc d;
        memset(&mem, 0, sizeof mem), memset(&A, 0, sizeof A), memset(&p, 0, sizeof p), memset(rows, 0, sizeof rows), memset(&d, 0, sizeof d);
        memset(v, 0, sizeof v);
        cti_mem_init(&mem, NULL);
        cti_arena_init(&arena, &mem);
        assert_true(cti_bsr_pattern(&mem, &A, N + 1, NULL, 0));
        for (i = 0; i < N; i++) {
            /* K = [1 q; q 4] in the plane of n and t1, A its inverse; without contact the block would have the velocity c */
            double q = couple[i], det = 4 - q * q, cn = -lambda * (1 - mu * q), ct = 20;
            ct_real *a = A.val + 9 * A.diag[i];
            a[0] = (ct_real)(4 / det), a[1] = a[3] = (ct_real)(-q / det), a[4] = (ct_real)(1 / det), a[8] = 1;
            b[3 * i] = (ct_real)((4 * cn - q * ct) / det), b[3 * i + 1] = (ct_real)((ct - q * cn) / det), b[3 * i + 2] = 0;
            rows[i].n = rows[i].n_a = 1, rows[i].term[0].block = i, rows[i].term[0].weight = 1;
            rows[i].frame[0] = rows[i].frame[4] = rows[i].frame[8] = 1, rows[i].mu = (ct_real)mu;
        }
        /* one more block, which a joint holds: where there are joints, bounds begin with Newton's method */
        for (k = 0; k < 3; k++)
            A.val[9 * A.diag[N] + 4 * k] = 1, b[3 * N + k] = 1;
        rows[N] = rows[0], rows[N].term[0].block = N, rows[N].equations = 7, rows[N].mu = 0;
        p.A = &A, p.b = b, p.dt = CTI_R(0.01), p.velocity_scale = CTI_R(0.1), p.rows = rows, p.n_rows = N + 1;
        d.cone = cones[c], d.tolerance = CTI_R(1e-5);
        assert_true(cti_residual_prepare(&p, &arena) && cti_jacobian_make(&p, &arena, &J) && cti_envelope_make(&J, &arena, &L));
        assert_true(cti_augmented_solve(&J, &L, &d, &arena, v, &info));
        assert_int_equal(info.status, CTI_SOLVE_OK);
        assert_true(info.iterations <= 20); /* 13; 27 where bounds follow mu lambda by a share */
        for (i = 0; i < N; i++) {
            const double r[3] = {lambda, -mu * lambda, 0}, u = 20 + couple[i] * lambda - 4 * mu * lambda;
            for (k = 0; k < 3; k++)
                assert_true(fabs((double)rows[i].r[k] - r[k]) < 1e-5);
            assert_true(fabs((double)v[3 * i]) < 1e-5 && fabs((double)v[3 * i + 1] - u) < 1e-5 && v[3 * i + 2] == 0);
        }
        for (k = 0; k < 3; k++)
            assert_true(fabs((double)rows[N].r[k] + 1) < 1e-5 && fabs((double)v[3 * N + k]) < 1e-5);
        cti_bsr_free(&mem, &A);
        cti_arena_free(&arena);
        assert_int_equal(mem.bytes_live, 0);
    }
}

/* A block that weighs 1 N s on a contact without friction, and one that flies away from its contact with friction. No bound changes in any
   iteration; the loads are 1 and 0 */
static void bounds_that_never_change_stay(void **state)
{
    cti_mem mem;
    cti_arena arena;
    cti_bsr A;
    cti_problem p;
    cti_row rows[2];
    ct_real b[6] = {-1, CTI_R(0.25), 0, CTI_R(0.5), 0, CTI_R(0.5)}, v[6] = {0, 0, 0, 0, 0, 0};
    const double expected[6] = {0, 0.25, 0, 0.5, 0, 0.5};
    cti_jacobian J;
    cti_linear L;
    cti_solve_info info;
    ct_solver_desc d;
    int i, k;
    (void)state;
    memset(&A, 0, sizeof A), memset(&p, 0, sizeof p), memset(rows, 0, sizeof rows), memset(&d, 0, sizeof d);
    cti_mem_init(&mem, NULL);
    cti_arena_init(&arena, &mem);
    assert_true(cti_bsr_pattern(&mem, &A, 2, NULL, 0));
    for (i = 0; i < 2; i++) {
        for (k = 0; k < 3; k++)
            A.val[9 * A.diag[i] + 4 * k] = 1, rows[i].frame[4 * k] = 1;
        rows[i].n = rows[i].n_a = 1, rows[i].term[0].block = i, rows[i].term[0].weight = 1, rows[i].mu = i ? CTI_R(0.5) : 0;
    }
    p.A = &A, p.b = b, p.dt = CTI_R(0.01), p.velocity_scale = CTI_R(0.1), p.rows = rows, p.n_rows = 2;
    d.cone = CT_CONE_CONE, d.tolerance = CTI_R(1e-5);
    assert_true(cti_residual_prepare(&p, &arena) && cti_jacobian_make(&p, &arena, &J) && cti_envelope_make(&J, &arena, &L));
    assert_true(cti_augmented_solve(&J, &L, &d, &arena, v, &info));
    assert_int_equal(info.status, CTI_SOLVE_OK);
    assert_true(info.res.natural_map <= 1e-7 && info.iterations > 2 && info.iterations <= 6);
    for (i = 0; i < 6; i++)
        assert_true(fabs((double)v[i] - expected[i]) < 1e-6);
    assert_true(fabs((double)rows[0].r[0] - 1) < 1e-6 && rows[0].r[1] == 0 && rows[1].r[0] == 0 && rows[1].r[1] == 0 && rows[1].r[2] == 0);
    cti_bsr_free(&mem, &A);
    cti_arena_free(&arena);
    assert_int_equal(mem.bytes_live, 0);
}

/* A block of 1 kg slides at 100 m/s on a contact, and a joint with a compliance of 1e-10 / kg holds a block of 10 g to it. Rounding of their
   velocities, 1e-14 m/s, over that compliance would be an impulse of 1e-4 N s, which is .01 m/s of the light block: the aim is 1e-8 */
static void rounding_of_fast_bodies_loads_no_joint(void **state)
{
    const double m[2] = {1, 0.01}, mu = 0.5, press = 1.005, slide = (101 - mu * press) / 1.01;
    cti_mem mem;
    cti_arena arena;
    cti_bsr A;
    cti_problem p;
    cti_row rows[2];
    ct_real b[6] = {-1, 100, 0, CTI_R(-0.005), 1, 0}, v[6] = {0, 0, 0, 0, 0, 0};
    cti_jacobian J;
    cti_linear L;
    cti_solve_info info;
    ct_solver_desc d;
    int i, k;
    (void)state;
    memset(&A, 0, sizeof A), memset(&p, 0, sizeof p), memset(rows, 0, sizeof rows), memset(&d, 0, sizeof d);
    cti_mem_init(&mem, NULL);
    cti_arena_init(&arena, &mem);
    assert_true(cti_bsr_pattern(&mem, &A, 2, NULL, 0));
    for (i = 0; i < 2; i++)
        for (k = 0; k < 3; k++)
            A.val[9 * A.diag[i] + 4 * k] = (ct_real)m[i], rows[i].frame[4 * k] = 1;
    rows[0].n = rows[0].n_a = 1, rows[0].term[0].weight = 1, rows[0].mu = (ct_real)mu;
    rows[1].n = 2, rows[1].n_a = 1, rows[1].term[0].weight = 1, rows[1].term[1].block = 1, rows[1].term[1].weight = -1, rows[1].equations = 7;
    for (k = 0; k < 3; k++)
        rows[1].compliance[k] = CTI_R(1e-10);
    p.A = &A, p.b = b, p.dt = CTI_R(0.01), p.velocity_scale = CTI_R(0.1), p.rows = rows, p.n_rows = 2;
    d.cone = CT_CONE_CONE, d.tolerance = CTI_R(1e-5);
    assert_true(cti_residual_prepare(&p, &arena) && cti_jacobian_make(&p, &arena, &J) && cti_envelope_make(&J, &arena, &L));
    assert_true(cti_augmented_solve(&J, &L, &d, &arena, v, &info));
    assert_int_equal(info.status, CTI_SOLVE_OK);
    assert_true(info.res.natural_map <= 1e-7 && info.iterations <= 20);
    for (i = 0; i < 2; i++)
        assert_true(fabs((double)v[3 * i]) < 1e-7 && fabs((double)v[3 * i + 1] - slide) < 1e-7 && v[3 * i + 2] == 0);
    assert_true(fabs((double)rows[0].r[0] - press) < 1e-7 && fabs((double)rows[0].r[1] + mu * press) < 1e-7);
    cti_bsr_free(&mem, &A);
    cti_arena_free(&arena);
    assert_int_equal(mem.bytes_live, 0);
}

/* Blocks that slide against a contact whose friction presses them onto it: with K = [1 q; q 4] and mu q > 1 the load 1 + q g grows faster than the
   bound g = mu lambda, and no bound lets them slide. They stick: u = 0 gives gamma = -(200 + q) / (4 - q^2), lambda = 1 - q gamma */
static void jammed_contacts_stick(void **state)
{
    enum { JAMS = 3 };
    static const double couple[JAMS] = {1.12, 1.3, 1.6};
    const double mu = 0.9;
    cti_mem mem;
    cti_arena arena;
    cti_bsr A;
    cti_problem p;
    cti_row rows[JAMS + 1];
    ct_real b[3 * JAMS + 3], v[3 * JAMS + 3];
    cti_jacobian J;
    cti_linear L;
    cti_solve_info info;
    ct_solver_desc d;
    int i, k;
    (void)state;
    memset(&A, 0, sizeof A), memset(&p, 0, sizeof p), memset(rows, 0, sizeof rows), memset(&d, 0, sizeof d), memset(v, 0, sizeof v);
    cti_mem_init(&mem, NULL);
    cti_arena_init(&arena, &mem);
    assert_true(cti_bsr_pattern(&mem, &A, JAMS + 1, NULL, 0));
    for (i = 0; i <= JAMS; i++) {
        double q = i < JAMS ? couple[i] : 0, det = 4 - q * q;
        ct_real *a = A.val + 9 * A.diag[i];
        a[0] = (ct_real)(4 / det), a[1] = a[3] = (ct_real)(-q / det), a[4] = (ct_real)(1 / det), a[8] = 1;
        b[3 * i] = (ct_real)((-4 - q * 200) / det), b[3 * i + 1] = (ct_real)((200 + q) / det), b[3 * i + 2] = 0;
        rows[i].n = rows[i].n_a = 1, rows[i].term[0].block = i, rows[i].term[0].weight = 1, rows[i].mu = (ct_real)mu;
        rows[i].frame[0] = rows[i].frame[4] = rows[i].frame[8] = 1;
    }
    rows[JAMS].equations = 7; /* a joint: bounds begin with Newton's method */
    p.A = &A, p.b = b, p.dt = CTI_R(0.01), p.velocity_scale = CTI_R(0.1), p.rows = rows, p.n_rows = JAMS + 1;
    d.cone = CT_CONE_CONE, d.tolerance = CTI_R(1e-5);
    assert_true(cti_residual_prepare(&p, &arena) && cti_jacobian_make(&p, &arena, &J) && cti_envelope_make(&J, &arena, &L));
    assert_true(cti_augmented_solve(&J, &L, &d, &arena, v, &info));
    assert_int_equal(info.status, CTI_SOLVE_OK);
    for (i = 0; i < JAMS; i++) {
        double gamma = -(200 + couple[i]) / (4 - couple[i] * couple[i]);
        assert_true(-gamma < mu * (1 - couple[i] * gamma));
        assert_true(fabs((double)rows[i].r[1] - gamma) < -1e-6 * gamma && fabs((double)rows[i].r[0] - 1 + couple[i] * gamma) < -1e-6 * gamma);
        for (k = 0; k < 3; k++)
            assert_true(fabs((double)v[3 * i + k]) < 1e-5);
    }
    cti_bsr_free(&mem, &A);
    cti_arena_free(&arena);
    assert_int_equal(mem.bytes_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sliding_contacts_load_themselves), cmocka_unit_test(bounds_that_never_change_stay),
                                       cmocka_unit_test(rounding_of_fast_bodies_loads_no_joint),
                                       cmocka_unit_test(jammed_contacts_stick)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
