/* test_policy.c -- decisions of a step's solves: facts in, decision out. */
#include "../src/8_step/policy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* a cheap factorization, a large one, and one with more flops a nonzero than is cheap */
#define NONZEROS 1e6
#define SMALL 1e7
#define LARGE 1e8
#define DEAR 1e9

static cti_factor_stamp stamp_of(int age)
{
    cti_factor_stamp t;
    memset(&t, 0, sizeof t);
    t.age = age;
    t.dt = CTI_R(0.01);
    return t;
}

static cti_solve_memory memory_of(int in_contact, int node_ports, int inexact)
{
    cti_solve_memory m;
    memset(&m, 0, sizeof m);
    m.in_contact = in_contact;
    m.node_ports = node_ports;
    m.inexact_attempts = inexact;
    m.dt_free = CTI_R(0.01);
    return m;
}

static void test_factor_is_due(void **state)
{
    cti_factor_stamp fresh = stamp_of(0), old = stamp_of(1), none = stamp_of(-1), asked = stamp_of(1), aged = stamp_of(9);
    ct_real dt = CTI_R(0.01);
    (void)state;
    asked.renewal_asked = 1;
    assert_int_equal(cti_policy_factor_is_due(&fresh, SMALL, NONZEROS, dt, 1), 0);
    assert_int_equal(cti_policy_factor_is_due(&none, DEAR, NONZEROS, dt, 0), 1);
    assert_int_equal(cti_policy_factor_is_due(&asked, DEAR, NONZEROS, dt, 0), 1);
    assert_int_equal(cti_policy_factor_is_due(&old, DEAR, NONZEROS, 2 * dt, 0), 1);
    /* a cheap one in every step; an expensive one when it is asked for; a large one where the component moves in contact */
    assert_int_equal(cti_policy_factor_is_due(&old, SMALL, NONZEROS, dt, 0), 1);
    assert_int_equal(cti_policy_factor_is_due(&old, DEAR, NONZEROS, dt, 1), 0);
    assert_int_equal(cti_policy_factor_is_due(&old, LARGE, NONZEROS, dt, 1), 1);
    assert_int_equal(cti_policy_factor_is_due(&old, LARGE, NONZEROS, dt, 0), 0);
    /* and when its age has cost as much as a factorization: 1e8 flops are 6.7 solves of 15e6 */
    aged.excess_iterations = 5;
    assert_int_equal(cti_policy_factor_is_due(&aged, LARGE, NONZEROS, dt, 0), 0);
    aged.excess_iterations = 6;
    assert_int_equal(cti_policy_factor_is_due(&aged, LARGE, NONZEROS, dt, 0), 1);
}

static void test_factor_in_contact(void **state)
{
    cti_factor_stamp fresh = stamp_of(0), old = stamp_of(3);
    cti_solve_memory m = memory_of(1, 0, 0);
    (void)state;
    assert_int_equal(cti_policy_factor_lands(&old, &m, 1), 0);
    m.was_free = 1;
    assert_int_equal(cti_policy_factor_lands(&old, &m, 1), 1);
    assert_int_equal(cti_policy_factor_lands(&old, &m, 0), 0);
    assert_int_equal(cti_policy_factor_lands(&fresh, &m, 1), 0);
    assert_int_equal(cti_policy_factor_is_late(&old, &m), 0);
    m.extrapolated_attempts = 1;
    assert_int_equal(cti_policy_factor_is_late(&old, &m), 1);
    assert_int_equal(cti_policy_factor_is_late(&fresh, &m), 0);
    m.node_ports = 300;
    assert_int_equal(cti_policy_factor_is_late(&old, &m), 0);
    /* 1e8 flops are 6.7 solves of 15e6: a lagged factor may take them beyond the iterations of a new one, which has no better */
    old.base_iterations = 2;
    assert_int_equal(cti_policy_factor_is_slow(&old, LARGE, NONZEROS, 8.6), 0);
    assert_int_equal(cti_policy_factor_is_slow(&old, LARGE, NONZEROS, 8.7), 1);
    assert_int_equal(cti_policy_factor_is_slow(&fresh, LARGE, NONZEROS, 200), 0);
    /* a residual that fell by 1e-2 in 3 iterations takes 6 more for 1e-4, and for ever if it does not fall */
    assert_true(fabs(cti_policy_iterations_left(3, 1, 1e-2, 1e-6) - 6) < 1e-12);
    assert_true(cti_policy_iterations_left(3, 1, 1e-7, 1e-6) == 0);
    assert_true(cti_policy_iterations_left(3, 1, 2, 1e-6) > 1e30);
    assert_int_equal(cti_policy_factor_is_exact(CTI_R(1e2)), 0);
    assert_int_equal(cti_policy_factor_is_exact(CTI_R(1e9)), 1);
}

static void test_penalized(void **state)
{
    cti_factor_stamp t = stamp_of(0);
    ct_real dt = CTI_R(0.01);
    (void)state;
    assert_int_equal(cti_policy_penalized_is_due(&t, dt, 0, 0, 20), 1);
    t.penalized_known = 1;
    t.penalized_dt = dt;
    assert_int_equal(cti_policy_penalized_is_due(&t, dt, 0, 10, 20), 0);
    assert_int_equal(cti_policy_penalized_is_due(&t, dt, 0, 11, 20), 1);
    assert_int_equal(cti_policy_penalized_is_due(&t, dt, 1, 0, 20), 1);
    assert_int_equal(cti_policy_penalized_is_due(&t, dt / 2, 0, 0, 20), 1);
    assert_int_equal(cti_policy_is_corrected(0), 0);
    assert_int_equal(cti_policy_is_corrected(2), 1);
    assert_int_equal(cti_policy_is_corrected(3), 0);
}

/* a component at rest: its first attempt is solved inexactly, and of ten attempts after it nine are extrapolated */
static void test_free_motion(void **state)
{
    cti_solve_memory m = memory_of(1, 300, 0);
    ct_real dt = CTI_R(0.01);
    int k, solved = 0;
    (void)state;
    assert_int_equal(cti_policy_inexact_attempts(&m, 1), 0);
    for (k = 0; k < 32; k++) {
        m.inexact_attempts = cti_policy_inexact_attempts(&m, 0);
        m.extrapolated_attempts = cti_policy_extrapolated_attempts(&m, 0, dt, CT_INTEGRATOR_EULER);
        solved += m.extrapolated_attempts == 0;
        assert_int_equal(m.inexact_attempts, k + 1);
        assert_int_equal(m.extrapolated_attempts, k % 10);
    }
    assert_int_equal(solved, 4);
    m.extrapolated_attempts = 1;
    assert_int_equal(cti_policy_extrapolated_attempts(&m, 0, dt, CT_INTEGRATOR_EULER), 2);
    assert_int_equal(cti_policy_extrapolated_attempts(&m, 1, dt, CT_INTEGRATOR_EULER), 0);
    assert_int_equal(cti_policy_extrapolated_attempts(&m, 0, dt / 2, CT_INTEGRATOR_EULER), 0);
    assert_int_equal(cti_policy_extrapolated_attempts(&m, 0, dt, CT_INTEGRATOR_BDF2), 0);
    m.in_contact = 0;
    assert_int_equal(cti_policy_inexact_attempts(&m, 0), 0);
    assert_true(cti_policy_free_tolerance(0) == 1 && cti_policy_free_tolerance(3) == 100);
}

static void test_whole(void **state)
{
    cti_solve_memory m = memory_of(1, 0, 0);
    (void)state;
    assert_int_equal(cti_policy_is_whole(CT_CLUSTER_AUTO, &m, 200, 200), 1);
    assert_int_equal(cti_policy_is_whole(CT_CLUSTER_AUTO, &m, 200, 209), 0); /* 1.5 MB of columns */
    assert_int_equal(cti_policy_is_whole(CT_CLUSTER_AUTO, &m, 201, 1), 0);
    assert_int_equal(cti_policy_is_whole(CT_CLUSTER_BODY, &m, 5000, 5000), 1);
    assert_int_equal(cti_policy_is_whole(CT_CLUSTER_NODE, &m, 1, 1), 0);
    assert_int_equal(cti_policy_is_whole(CT_CLUSTER_PATCH, &m, 1, 1), 0);
    m.whole_attempts = 1;
    assert_int_equal(cti_policy_is_whole(CT_CLUSTER_AUTO, &m, 1500, 4000), 1);
    assert_int_equal(cti_policy_is_whole(CT_CLUSTER_AUTO, &m, 1501, 1), 0);
    assert_int_equal(cti_policy_whole_attempts(0), 0);
    assert_int_equal(cti_policy_whole_attempts(1500), 30);
    assert_int_equal(cti_policy_whole_attempts(1501), 0);
}

static void test_sweeps(void **state)
{
    cti_policy_budget q;
    (void)state;
    memset(&q, 0, sizeof q);
    q.max_sweeps = 80;
    assert_int_equal(cti_policy_sweeps(&q), 80);
    q.is_later = 1;
    assert_int_equal(cti_policy_sweeps(&q), 40);
    q.wasted_sweeps = 25;
    assert_int_equal(cti_policy_sweeps(&q), 40);
    q.is_far = 1;
    assert_int_equal(cti_policy_sweeps(&q), 10);
    q.has_equations = 1;
    assert_int_equal(cti_policy_sweeps(&q), 40);
    q.wasted_sweeps = 97;
    q.max_sweeps = 1;
    assert_int_equal(cti_policy_sweeps(&q), 1);
}

static void test_end(void **state)
{
    ct_real failed = cti_policy_failed_natural(CTI_R(0.1), CTI_R(0.1)), nan = (ct_real)NAN;
    (void)state;
    assert_true(failed == CTI_R(0.5));
    assert_true(cti_policy_failed_natural(10, CTI_R(0.1)) > 4); /* an impact: 5 % of its speed */
    assert_true(!cti_policy_is_far(CTI_R(0.15)) && cti_policy_is_far(CTI_R(0.16)) && cti_policy_is_far(nan));
    assert_true(!cti_policy_any_failed(CTI_R(0.49)) && cti_policy_any_failed(CTI_R(0.5)) && cti_policy_any_failed(nan));
    assert_true(!cti_policy_friction_diverged(9) && cti_policy_friction_diverged(10) && cti_policy_friction_diverged(nan));
    assert_true(cti_policy_chosen_goes_on(1) && !cti_policy_chosen_goes_on(CTI_R(1.1)));
}

static void test_attempt(void **state)
{
    ct_real slack = cti_policy_joint_slack(CTI_R(1e-3), CTI_R(1e-4), CTI_R(0.1), CTI_R(0.01), 1);
    (void)state;
    assert_true(slack >= CTI_R(2e-7) && slack < CTI_R(3e-6)); /* the solver's 2e-7, the thickness' 1e-7, in float 16 roundings of 1 m */
    assert_true(cti_policy_joint_slack(CTI_R(1), CTI_R(1e-4), CTI_R(0.1), CTI_R(0.01), 1) == CTI_R(1e-4));
    assert_true(!cti_policy_joint_solves_again(1) && cti_policy_joint_solves_again(2));
    assert_true(cti_policy_solves_again(7) && !cti_policy_solves_again(8));
    assert_true(!cti_policy_joint_misses(CTI_R(9e3)) && cti_policy_joint_misses(CTI_R(1.1e4))); /* of 1e-4 thicknesses */
    assert_true(!cti_policy_turns_far(CTI_R(0.5)) && cti_policy_turns_far(CTI_R(0.6)));
}

static void test_gains(void **state)
{
    double rounded = 16 * (double)CTI_EPS;
    (void)state;
    assert_true(cti_policy_body_gain(1, 100, 0) == 2e-4 * 100 && cti_policy_body_gain(0, 100, 0) == 1e-3 * 100);
    assert_true(cti_policy_body_gain(1, 0, 1e6) == rounded * 1e6);
    assert_true(cti_policy_rigid_gain(100) == 5e-3 * 100);
    assert_true(cti_policy_row_tolerance(CTI_R(0.5), CTI_R(0.25)) == CTI_R(0.01) * CTI_R(0.5) / CTI_R(0.25));
}

static void test_substeps(void **state)
{
    cti_substep_memory m;
    (void)state;
    memset(&m, 0, sizeof m);
    assert_int_equal(cti_policy_is_limited(&m, 1), 0); /* no limit */
    m.dt_limit = CTI_R(0.5);
    assert_int_equal(cti_policy_is_limited(&m, 1), 1);
    assert_int_equal(cti_policy_is_limited(&m, CTI_R(0.5)), 0);
    assert_int_equal(cti_policy_is_limited(&m, CTI_R(0.500001)), 0); /* rounding */
    assert_true(cti_policy_dt_reaches(CTI_R(0.499999), CTI_R(0.5)) && !cti_policy_dt_reaches(CTI_R(0.25), CTI_R(0.5)));
    assert_true(!cti_policy_raises_limit(1) && cti_policy_raises_limit(2));
    assert_true(cti_policy_is_end(1) && !cti_policy_is_end(CTI_R(0.996)));
    assert_true(cti_policy_least_dt(1, CTI_R(0.125), 0) == CTI_R(0.125));
    assert_true(cti_policy_least_dt(1, CTI_R(0.125), 1) == CTI_R(0.25));
    assert_true(cti_policy_least_dt(1, CTI_R(0.5), 1) == CTI_R(0.5));
    assert_true(cti_policy_may_exclude(3) && !cti_policy_may_exclude(4));
    assert_true(cti_policy_may_hold(2) && !cti_policy_may_hold(3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor_is_due), cmocka_unit_test(test_factor_in_contact),
        cmocka_unit_test(test_penalized),     cmocka_unit_test(test_free_motion),
        cmocka_unit_test(test_whole),         cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_end),           cmocka_unit_test(test_attempt),
        cmocka_unit_test(test_substeps),      cmocka_unit_test(test_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
