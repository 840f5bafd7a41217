/* test_solve_policy.c -- decisions of a solve of contacts: facts in, decision out. */
#include "../src/3_solve/solve_policy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define TOL CTI_R(1e-4)

static cti_problem problem_of(int plain, int lagged)
{
    cti_problem p;
    memset(&p, 0, sizeof p);
    p.split.plain = plain, p.split.lagged = lagged;
    return p;
}

static void test_sweeps(void **state)
{
    ct_solver_desc d;
    cti_problem p = problem_of(0, 0), plain = problem_of(1, 0), lagged = problem_of(0, 1);
    (void)state;
    memset(&d, 0, sizeof d);
    d.inner_iterations = 1000, d.max_iterations = 300, d.max_sweeps = 80;
    /* 250 contacts and more: as asked; fewer: as much work as 250, at most 20 times */
    assert_int_equal(cti_solve_policy_sweeps(80, 250), 80);
    assert_int_equal(cti_solve_policy_sweeps(80, 125), 160);
    assert_int_equal(cti_solve_policy_sweeps(80, 1), 1600);
    assert_int_equal(cti_solve_policy_sweeps(1 << 30, 1), 1000000000);
    assert_true(cti_solve_policy_visits(10) == 250 && cti_solve_policy_visits(300) == 300);
    assert_int_equal(cti_solve_policy_inner(&p, &d, 1, 0), 2);
    assert_int_equal(cti_solve_policy_inner(&plain, &d, 1, 0), 10);
    assert_int_equal(cti_solve_policy_inner(&p, &d, 0, 70), 70);
    assert_int_equal(cti_solve_policy_inner(&p, &d, 0, -3), 1);
    d.inner_iterations = 1;
    assert_int_equal(cti_solve_policy_inner(&p, &d, 1, 0), 1);
    assert_int_equal(cti_solve_policy_iterations(&d, 0), 300);
    assert_int_equal(cti_solve_policy_iterations(&d, 1), 40);
    /* the second half of the budget has gained three digits, so that a second one gains six; two, so that it gains four of six; NaN */
    assert_true(cti_solve_policy_goes_on(1, CTI_R(.9e-3), CTI_R(1e-9)) && !cti_solve_policy_goes_on(1, CTI_R(1e-2), CTI_R(1e-8)));
    assert_true(!cti_solve_policy_goes_on(1, (ct_real)NAN, CTI_R(1e-8)) && !cti_solve_policy_goes_on((ct_real)NAN, 0, CTI_R(1e-8)));
    /* exact inverses continue to the last digit of float; joints need a smaller change than lagged inverses give */
    assert_true(cti_solve_policy_drop(&p, 0, 0) < cti_solve_policy_drop(&p, 0, 1));
    assert_true(cti_solve_policy_drop(&p, 0, 1) < cti_solve_policy_drop(&lagged, 0, 1));
    assert_true(cti_solve_policy_drop(&plain, 1, 0) > 0 && cti_solve_policy_drop(&p, 1, 0) == 0);
    assert_true(cti_solve_policy_stop(4) == 1);
    assert_true(!cti_solve_policy_mixes(1, 0) && cti_solve_policy_mixes(2, 0) && !cti_solve_policy_mixes(2, 1));
    assert_true(cti_solve_policy_halves(CTI_R(0.49), 1) && !cti_solve_policy_halves(CTI_R(0.5), 1));
    assert_true(!cti_solve_policy_sweep_restarts(2, 1) && cti_solve_policy_sweep_restarts(CTI_R(2.1), 1));
}

static void test_sweeps_end(void **state)
{
    cti_sweep_facts q;
    (void)state;
    memset(&q, 0, sizeof q);
    q.most = 100, q.tol = TOL, q.stop = TOL / 4, q.drop = CTI_R(0.3), q.worth = 2 * TOL;
    q.first = q.change = 1;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 0);
    q.k = 99;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 1); /* the budget is used up */
    q.k = 1, q.change = CTI_R(0.3);
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 1); /* the change has dropped far enough */
    q.k = 0;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 0); /* but not in the first sweep */
    q.drop = 0, q.k = 1, q.change = TOL / 4;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 1); /* the change is small enough */
    /* after a refinement at the same multipliers one sweep below the tolerance is enough */
    q.k = 0, q.change = TOL;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 0);
    q.again = 1;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 1);
    /* Stalled loops end below .7 tolerances. Where the loop is all of the solve, they end later where the result may be judged */
    q.again = 0, q.k = 10, q.change = CTI_R(0.7) * TOL, q.stalled = 5;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 0);
    q.stalled = 6;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 1);
    q.change = 2 * TOL;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 0);
    q.stalled = 12;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 1);
    q.coupled = 1;
    assert_int_equal(cti_solve_policy_sweeps_end(&q), 0);
}

static void test_outer(void **state)
{
    cti_problem p = problem_of(0, 0), lagged = problem_of(0, 1);
    ct_real most = CTI_REAL_MAX, nan = (ct_real)NAN;
    (void)state;
    assert_int_equal(cti_solve_policy_status(&p, 1, 1, 1, most, most), CTI_SOLVE_BUDGET);
    assert_int_equal(cti_solve_policy_status(&p, 1, 2, CTI_R(1.1e4), 1, 1), CTI_SOLVE_DIVERGED);
    assert_int_equal(cti_solve_policy_status(&p, 1, 2, nan, 1, 1), CTI_SOLVE_DIVERGED);
    assert_int_equal(cti_solve_policy_status(&lagged, 0, 2, CTI_R(0.5), 1, 1), CTI_SOLVE_SLOW);
    assert_int_equal(cti_solve_policy_status(&lagged, 0, 2, CTI_R(0.3), 1, 1), CTI_SOLVE_BUDGET);
    assert_int_equal(cti_solve_policy_status(&lagged, 1, 2, CTI_R(0.5), 1, 1), CTI_SOLVE_BUDGET);
    assert_int_equal(cti_solve_policy_status(&lagged, 0, 1, CTI_R(0.5), 1, 1), CTI_SOLVE_BUDGET);
    assert_true(!cti_solve_policy_outer_restarts(10, 1) && cti_solve_policy_outer_restarts(CTI_R(10.1), 1));
}

static void test_judge(void **state)
{
    ct_real next = cti_solve_policy_next(TOL, 2 * TOL, TOL);
    (void)state;
    assert_true(cti_solve_policy_worth(TOL) == 2 * TOL);
    assert_true(next > CTI_R(0.49) * TOL && next < CTI_R(0.51) * TOL); /* half of it, as the residual was twice the tolerance */
    assert_true(cti_solve_policy_next(1, 1000 * TOL, TOL) == CTI_R(0.1));
    assert_true(cti_solve_policy_worth_next(2, 1) == 1 && cti_solve_policy_worth_next(1, 1) == CTI_R(0.9));
    assert_true(cti_solve_policy_tight(1, 1, TOL / 2, 0, TOL) == CTI_R(0.5));
    assert_true(cti_solve_policy_tight(CTI_R(0.25), 1, TOL / 2, 0, TOL) == CTI_R(0.25)); /* never larger than before */
    assert_true(cti_solve_policy_tight(1, 0, 0, TOL, TOL) < CTI_R(0.71));
    assert_true(cti_solve_policy_tight(1, 1, 0, 0, TOL) == CTI_R(1e-3));
}

static void test_corrections(void **state)
{
    ct_real big = 11 * TOL, most = CTI_REAL_MAX;
    (void)state;
    assert_int_equal(cti_solve_policy_correction(TOL, 10 * TOL, TOL, 1, 2, 0), CTI_CORRECTION_NONE);
    assert_int_equal(cti_solve_policy_correction(TOL, big, TOL, 1, 2, 0), CTI_CORRECTION_LAST);
    assert_int_equal(cti_solve_policy_correction(big, most, TOL, 0, 2, 0), CTI_CORRECTION_FIRST);
    assert_int_equal(cti_solve_policy_correction(big, big, TOL, 1, 2, 2), CTI_CORRECTION_RENEW);
    assert_int_equal(cti_solve_policy_correction(big, big, TOL, 1, 1, 2), CTI_CORRECTION_LAST); /* one more where it was not smooth */
    assert_int_equal(cti_solve_policy_correction(big, big, TOL, 2, 2, 2), CTI_CORRECTION_LAST);
    assert_int_equal(cti_solve_policy_correction(big, big, TOL, 2, 2, 3), CTI_CORRECTION_END);
    assert_int_equal(cti_solve_policy_correction(big, TOL, TOL, 2, 2, 2), CTI_CORRECTION_END);
    assert_true(cti_solve_policy_is_idle(CTI_R(0.8), 1) && !cti_solve_policy_is_idle(CTI_R(0.6), 1));
    assert_true(cti_solve_policy_correction_sweeps(0, 9) == 1 && cti_solve_policy_correction_sweeps(1, 1) == 1);
    assert_int_equal(cti_solve_policy_correction_sweeps(1, 2), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps), cmocka_unit_test(test_sweeps_end),  cmocka_unit_test(test_outer),
        cmocka_unit_test(test_judge),  cmocka_unit_test(test_corrections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
