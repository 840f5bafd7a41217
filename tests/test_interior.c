/* test_interior.c -- the interior point method on problems solved by hand, by trying every active set, and from the data folder. */
#include "../src/4_programs/interior.h"
#include "program_check.h"

static void by_hand(void **state)
{
    (void)state;
    check_by_hand(cti_interior_solve);
    check_equations(cti_interior_solve);
}
static void random_against_trial(void **state)
{
    (void)state;
    check_random(cti_interior_solve);
}
static void degenerate(void **state)
{
    (void)state;
    check_degenerate(cti_interior_solve);
}
static void infeasible(void **state)
{
    (void)state;
    check_infeasible(cti_interior_solve);
}
static void scaled(void **state)
{
    (void)state;
    check_scaled(cti_interior_solve);
}
static void contacts_and_lcp(void **state)
{
    (void)state;
    check_contacts(cti_interior_solve, 1);
    check_lcp(cti_interior_solve);
}
static void ends(void **state)
{
    (void)state;
    check_budget(cti_interior_solve);
    check_memory(cti_interior_solve, 10, 6);
    check_memory(cti_interior_solve, 5, 9);
}

/* A = 0 is a linear program; A with a null space; a problem without a lower bound; a form that is not convex */
static void semidefinite(void **state)
{
    static const double zero[4] = {0, 0, 0, 0}, b[2] = {1, 2}, J[6] = {1, 0, 0, 1, -1, -1}, w[3] = {0, 0, 1};
    static const double half[4] = {1, 1, 1, 1}, saddle[4] = {1, 2, 2, 1};
    qp q;
    (void)state;
    qp_make(&q, 2, 3, zero, b, J, w, 0); /* max x + 2 y on the triangle: its corner (0, 1) */
    qp_solved(&q, cti_interior_solve);
    assert_true(fabs(q.x[0]) < 1e-7 && fabs(q.x[1] - 1) < 1e-7);
    qp_drop(&q);
    qp_make(&q, 2, 3, half, b, J, w, 0); /* (x + y)^2 / 2 - x - 2 y: (0, 1) again, where the gradient is (0, -1) */
    qp_solved(&q, cti_interior_solve);
    assert_true(fabs(q.x[0]) < 1e-7 && fabs(q.x[1] - 1) < 1e-7);
    qp_drop(&q);
    qp_make(&q, 2, 2, zero, b, J, w, 0); /* x, y >= 0 alone */
    assert_int_equal(qp_solve(&q, cti_interior_solve), CTI_OUTCOME_FAILED);
    assert_non_null(strstr(q.a.why, "bounded"));
    qp_drop(&q);
    qp_make(&q, 2, 3, saddle, b, J, w, 0);
    assert_int_equal(qp_solve(&q, cti_interior_solve), CTI_OUTCOME_NOT_APPLICABLE);
    qp_drop(&q);
}

/* a semidefinite LCP whose W r + w >= 0 has no r: the certificate W'y <= 0, w'y < 0 */
static void lcp_without_solution(void **state)
{
    static const double W[4] = {1, -1, -1, 1}, w[2] = {-1, 0.5};
    qp q;
    (void)state;
    qp_begin(&q, CTI_PROGRAM_LCP, 2, 2);
    sparse_full(&q.mem, 2, 2, W, &q.p.W);
    q.p.w = vector_copy(&q.mem, w, 2);
    assert_int_equal(qp_solve(&q, cti_interior_solve), CTI_OUTCOME_INFEASIBLE);
    assert_true(q.r[0] >= 0 && q.r[1] >= 0 && fabs(q.r[0] - q.r[1]) < 1e-6 && -q.r[0] + 0.5 * q.r[1] < -0.1);
    qp_drop(&q);
}

/* solutions of 1e9 beside one of 1: growth to a large solution is not a ray. An LCP with W = diag(1e-9, 1), and its QP */
static void large_solution(void **state)
{
    static const double W[4] = {1e-9, 0, 0, 1}, w[2] = {-1, -1}, b[2] = {1, 1}, J[4] = {1, 0, 0, 1}, zero[2] = {0, 0};
    qp q;
    (void)state;
    qp_begin(&q, CTI_PROGRAM_LCP, 2, 2);
    sparse_full(&q.mem, 2, 2, W, &q.p.W);
    q.p.w = vector_copy(&q.mem, w, 2);
    qp_solved(&q, cti_interior_solve);
    assert_true(fabs(q.r[0] - 1e9) < 10 && fabs(q.r[1] - 1) < 1e-7);
    qp_drop(&q);
    qp_make(&q, 2, 2, W, b, J, zero, 0);
    qp_solved(&q, cti_interior_solve);
    assert_true(fabs(q.x[0] - 1e9) < 10 && fabs(q.x[1] - 1) < 1e-7);
    qp_drop(&q);
}

/* 1/2 y^2 - x - y with x, y >= 0 falls without bound along x. That y stays at 1, where A (x, y) is not 0, hides no ray */
static void ray_beside_a_solution(void **state)
{
    static const double A[4] = {0, 0, 0, 1}, b[2] = {1, 1}, J[4] = {1, 0, 0, 1}, zero[2] = {0, 0};
    qp q;
    (void)state;
    qp_make(&q, 2, 2, A, b, J, zero, 0);
    assert_int_not_equal(qp_solve(&q, cti_interior_solve), CTI_OUTCOME_SOLVED);
    assert_non_null(strstr(q.a.why, "not bounded"));
    qp_drop(&q);
}

/* multipliers of 1e5 and rows that nearly all hold as equations: second differences of a noisy line */
static void long_multipliers(void **state)
{
    static double A[MOST_N * MOST_N], J[MOST_M * MOST_N], b[MOST_N], w[MOST_M];
    qp q;
    int i;
    (void)state;
    for (i = 0; i < MOST_N; i++)
        A[i * MOST_N + i] = 1, b[i] = sin(0.1 * i) + 1e-3 * i;
    for (i = 0; i + 2 < MOST_N; i++)
        J[i * MOST_N + i] = J[i * MOST_N + i + 2] = 1, J[i * MOST_N + i + 1] = -2;
    qp_make(&q, MOST_N, MOST_N - 2, A, b, J, w, 0);
    qp_solved(&q, cti_interior_solve);
    qp_drop(&q);
}

/* a block of mass 1 on the ground (normal z of W first), pushed sideways with 0.3 and 0.8 of its weight at mu 0.5: it sticks, and it slides */
static void block_on_ground(void **state)
{
    static const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, stick[3] = {-1, 0.3, 0}, slide[3] = {-1, 0.8, 0}, apart[3] = {1, 0.3, 0};
    double mu = 0.5;
    qp q;
    (void)state;
    qp_begin(&q, CTI_PROGRAM_LOCAL, 3, 3);
    sparse_full(&q.mem, 3, 3, W, &q.p.W);
    q.p.mu = vector_copy(&q.mem, &mu, 1), q.p.w = vector_copy(&q.mem, stick, 3);
    assert_true(cti_program_prepare(&q.mem, &q.p));
    qp_solved(&q, cti_interior_solve);
    assert_true(fabs(q.r[0] - 1) < 1e-7 && fabs(q.r[1] + 0.3) < 1e-7 && fabs(q.r[2]) < 1e-7);
    memcpy(q.p.w, slide, sizeof slide);
    qp_solved(&q, cti_interior_solve);
    assert_true(fabs(q.r[0] - 1) < 1e-7 && fabs(q.r[1] + 0.5) < 1e-7 && fabs(q.x[1] - 0.3) < 1e-7);
    memcpy(q.p.w, apart, sizeof apart);
    qp_solve(&q, cti_interior_solve);
    assert_true(fabs(q.r[0]) < 1e-7 && fabs(q.r[1]) < 1e-7);
    qp_drop(&q);
}

/* a column of bodies without tangential load: all directions of a cone are on its axis, where the step to its boundary is a double root. The
   first contact, which is pushed, carries 10 */
static void column_on_the_axis(void **state)
{
    enum { N = 10, M = 3 * N };
    static double W[M * M], w[M], mu[N];
    qp q;
    int i;
    (void)state;
    for (i = 0; i < M; i++) {
        W[i * M + i] = i < 3 ? 1 : 2, mu[i / 3] = 0.5;
        if (i >= 3)
            W[i * M + i - 3] = W[(i - 3) * M + i] = -1;
    }
    w[0] = -1;
    qp_begin(&q, CTI_PROGRAM_LOCAL, M, M);
    sparse_full(&q.mem, M, M, W, &q.p.W);
    q.p.mu = vector_copy(&q.mem, mu, N), q.p.w = vector_copy(&q.mem, w, M);
    assert_true(cti_program_prepare(&q.mem, &q.p));
    qp_solved(&q, cti_interior_solve);
    assert_true(fabs(q.r[0] - N) < 1e-6 && fabs(q.r[M - 3] - 1) < 1e-6 && q.a.iterations < 20);
    qp_drop(&q);
}

static void data_folder(void **state)
{
    static const char *const files[] = {"mm/DUAL1",
                                        "mm/DUALC5",
                                        "mm/HS21",
                                        "mm/HS268",
                                        "mm/HS35",
                                        "mm/HS35MOD",
                                        "mm/KSIP",
                                        "mm/YAO",
                                        "mm/MOSARQP2",
                                        "qp/vf_dec_3k",
                                        "qp/redundant_3k",
                                        "qp/infeas_3k",
                                        "qp/INFEASIBLE_3k",
                                        "fc/L_Rover4396",
                                        "fc/L_OneObject-i1028-138",
                                        "fc/L_Confeti-ex13-4contact",
                                        "fc/G_fem_vf_1k"};
    (void)state;
    if (!check_files(CT_SOLVER_INTERIOR, files, (int)(sizeof files / sizeof *files)))
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(random_against_trial),
        cmocka_unit_test(degenerate),
        cmocka_unit_test(infeasible),
        cmocka_unit_test(scaled),
        cmocka_unit_test(contacts_and_lcp),
        cmocka_unit_test(ends),
        cmocka_unit_test(semidefinite),
        cmocka_unit_test(lcp_without_solution),
        cmocka_unit_test(large_solution), cmocka_unit_test(ray_beside_a_solution),
        cmocka_unit_test(long_multipliers),
        cmocka_unit_test(block_on_ground),
        cmocka_unit_test(column_on_the_axis),
        cmocka_unit_test(data_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
