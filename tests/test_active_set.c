/* test_active_set.c -- the dual active set method on problems solved by hand, by trying every active set, and from the data folder. */
#include "../src/4_programs/active_set.h"
#include "../src/4_programs/interior.h"
#include "program_check.h"

static void by_hand(void **state)
{
    (void)state;
    check_by_hand(cti_active_set_solve);
    check_equations(cti_active_set_solve);
}
static void random_against_trial(void **state)
{
    (void)state;
    check_random(cti_active_set_solve);
}
static void degenerate(void **state)
{
    (void)state;
    check_degenerate(cti_active_set_solve);
}
static void infeasible(void **state)
{
    (void)state;
    check_infeasible(cti_active_set_solve);
}
static void scaled(void **state)
{
    (void)state;
    check_scaled(cti_active_set_solve);
}
static void contacts_and_lcp(void **state)
{
    (void)state;
    check_contacts(cti_active_set_solve, 0);
    check_lcp(cti_active_set_solve);
}
static void ends(void **state)
{
    (void)state;
    check_budget(cti_active_set_solve);
    check_memory(cti_active_set_solve, 10, 6);
}

/* larger ones, where many rows come and go, against the interior point */
static void against_interior(void **state)
{
    qp q;
    double x[MOST_N];
    int k, i, left = 0;
    (void)state;
    check_seed = 77;
    for (k = 0; k < 12; k++) {
        qp_random(&q, MOST_N, MOST_M - 20, k % 4, 0.01);
        qp_solved(&q, cti_interior_solve);
        memcpy(x, q.x, sizeof x);
        qp_solved(&q, cti_active_set_solve);
        for (i = 0; i < MOST_N; i++)
            assert_true(fabs(x[i] - q.x[i]) < 1e-6);
        for (i = 0; i < q.p.m; i++)
            left -= q.r[i] != 0;
        left += q.a.iterations;
        qp_drop(&q);
    }
    assert_true(left > 0); /* rows have also left the active set */
}

static void not_definite(void **state)
{
    static const double half[4] = {1, 1, 1, 1}, b[2] = {1, 2}, J[6] = {1, 0, 0, 1, -1, -1}, w[3] = {0, 0, 1};
    qp q;
    (void)state;
    qp_make(&q, 2, 3, half, b, J, w, 0);
    assert_int_equal(qp_solve(&q, cti_active_set_solve), CTI_OUTCOME_NOT_APPLICABLE);
    qp_drop(&q);
}

/* A warm start from the solution takes no step. One from a wrong active set ends in the same solution */
static void warm(void **state)
{
    qp q;
    double x[MOST_N];
    int i, cold;
    (void)state;
    check_seed = 9;
    qp_random(&q, 20, 40, 0, 0.1);
    qp_solved(&q, cti_active_set_solve);
    memcpy(x, q.x, sizeof x);
    cold = q.a.iterations;
    assert_true(cold > 3);
    q.e.warm = 1;
    qp_solved(&q, cti_active_set_solve);
    assert_true(q.a.iterations == 0);
    for (i = 0; i < q.p.m; i++)
        q.r[i] = i % 2;
    qp_solved(&q, cti_active_set_solve);
    for (i = 0; i < 20; i++)
        assert_true(fabs(q.x[i] - x[i]) < 1e-9);
    qp_drop(&q);
}

static void data_folder(void **state)
{
    static const char *const files[] = {"mm/DUAL1",         "mm/DUALC5",    "mm/HS21",         "mm/HS268",     "mm/HS35",
                                        "mm/HS35MOD",       "mm/KSIP",      "mm/MOSARQP2",     "qp/vf_dec_3k", "qp/redundant_3k",
                                        "qp/quasi_slab_3k", "qp/infeas_3k", "qp/INFEASIBLE_3k"};
    (void)state;
    if (!check_files(CT_SOLVER_ACTIVE_SET, files, (int)(sizeof files / sizeof *files)))
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),      cmocka_unit_test(random_against_trial),
        cmocka_unit_test(degenerate),   cmocka_unit_test(infeasible),
        cmocka_unit_test(scaled),       cmocka_unit_test(contacts_and_lcp),
        cmocka_unit_test(ends),         cmocka_unit_test(against_interior),
        cmocka_unit_test(not_definite), cmocka_unit_test(warm),
        cmocka_unit_test(data_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
