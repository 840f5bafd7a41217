/* test_judge.c -- stand-alone problems without a solution: no solver's answer is accepted at any tolerance, and AUTO proves infeasibility.
   Problems with a solution: no solver claims infeasibility. Multipliers of infeasible problems diverge, and a residual relative to them
   would become small. */
#include "world_util.h"

enum { MANY = 12, ALL = 400, MOST = 8 };
static const double tolerances[] = {1e-4, 1e-6, 1e-8};

/* a problem's numbers, dense; made sparse when it is created */
typedef struct numbers {
    int n, m;
    double A[MOST * MOST], J[MOST * MOST], W[MOST * MOST], b[MOST], w[MOST], mu[2];
} numbers;

/* a few in `make test`; CONTACT_TEST_MANY set: all (tools/test_all.py) */
static int many(void) { return getenv("CONTACT_TEST_MANY") ? ALL : MANY; }

static double even(uint64_t *seed) { return 2 * lcg(seed) - 1; }

static ct_csr dense(int rows, int cols, double *x, int32_t *p, int32_t *i)
{
    ct_csr out;
    int k;
    memset(&out, 0, sizeof out);
    for (k = 0; k <= rows; k++)
        p[k] = k * cols;
    for (k = 0; k < rows * cols; k++)
        i[k] = k % cols;
    out.rows = rows, out.cols = cols, out.p = p, out.i = i, out.x = x;
    return out;
}

/* Two contacts of opposite normals: u_1 + u_2 = room in the normals, whatever r is; with room < 0 their gaps exclude each other */
static void pinch(numbers *q, uint64_t *seed, double room)
{
    int i, j, k;
    q->n = q->m = 6, q->mu[0] = q->mu[1] = 0.4;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 6; j++)
            q->J[6 * i + j] = even(seed), q->J[6 * (i + 3) + j] = -q->J[6 * i + j];
    for (i = 0; i < 6; i++) {
        q->b[i] = even(seed), q->w[i] = 0.3 * even(seed);
        for (j = 0; j < 6; j++) {
            q->A[6 * i + j] = i == j, q->W[6 * i + j] = 0;
            for (k = 0; k < 6; k++)
                q->W[6 * i + j] += q->J[6 * i + k] * q->J[6 * j + k];
        }
    }
    q->w[3] = -q->w[0] + room;
}

/* W = B B' with W y = 0 for a y > 0, and w'y < 0: y'(W r + w) < 0 for every r */
static void sink(numbers *q, uint64_t *seed, int n)
{
    double y[MOST], B[MOST * MOST], norm = 0, s;
    int i, j, k;
    q->n = q->m = n;
    for (i = 0; i < n; i++)
        y[i] = 0.1 + 0.9 * lcg(seed), norm += y[i] * y[i];
    for (k = 0; k < n - 1; k++) {
        for (s = 0, i = 0; i < n; i++)
            B[i * n + k] = even(seed), s += B[i * n + k] * y[i];
        for (i = 0; i < n; i++)
            B[i * n + k] -= s * y[i] / norm;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            for (q->W[i * n + j] = 0, k = 0; k < n - 1; k++)
                q->W[i * n + j] += B[i * n + k] * B[j * n + k];
    for (s = 0, i = 0; i < n; i++)
        q->w[i] = even(seed), s += q->w[i] * y[i];
    for (i = 0; i < n; i++)
        q->w[i] -= (s + 0.5 * sqrt(norm)) * y[i] / norm;
}

/* the same W, and w = u - W r for some complementary r, u >= 0: r is a solution */
static void float_up(numbers *q, uint64_t *seed, int n)
{
    double r[MOST];
    int i, j;
    sink(q, seed, n);
    for (i = 0; i < n; i++)
        r[i] = lcg(seed) < 0.5 ? lcg(seed) : 0;
    for (i = 0; i < n; i++)
        for (q->w[i] = r[i] > 0 ? 0 : lcg(seed), j = 0; j < n; j++)
            q->w[i] -= q->W[i * n + j] * r[j];
}

static ct_problem *create(numbers *q, ct_problem_kind kind)
{
    int32_t p[MOST + 1], i[MOST * MOST], pj[MOST + 1], ij[MOST * MOST];
    ct_problem_desc d = ct_problem_desc_default();
    ct_problem *problem;
    ct_error_info e;
    d.kind = kind, d.w = q->w;
    if (kind == CT_PROBLEM_GLOBAL || kind == CT_PROBLEM_QP)
        d.A = dense(q->n, q->n, q->A, p, i), d.J = dense(q->m, q->n, q->J, pj, ij), d.b = q->b;
    else
        d.W = dense(q->m, q->m, q->W, p, i);
    if (kind == CT_PROBLEM_LOCAL || kind == CT_PROBLEM_GLOBAL)
        d.mu = q->mu;
    assert_int_equal(ct_problem_create(&d, &problem, &e), CT_OK);
    return problem;
}

/* every solver at every tolerance: the number of `solved`, of AUTO without a certificate, and of `infeasible` */
static void count(numbers *q, ct_problem_kind kind, int *solved, int *unproved, int *infeasible)
{
    ct_problem *problem = create(q, kind);
    size_t t;
    int k;
    for (t = 0; t < sizeof tolerances / sizeof *tolerances; t++)
        for (k = 0; k < CT_SOLVER_COUNT_; k++) {
            ct_solver_desc s = ct_solver_desc_default();
            ct_solution x;
            if (!ct_problem_solver_built((ct_solver)k))
                continue;
            memset(&x, 0, sizeof x);
            s.solver = (ct_solver)k, s.tolerance = (ct_real)tolerances[t], s.budget = 3000;
            assert_int_equal(ct_problem_solve(problem, &s, &x), CT_OK);
            *solved += x.outcome == CT_OUTCOME_SOLVED;
            *infeasible += x.outcome == CT_OUTCOME_INFEASIBLE;
            if (x.outcome == CT_OUTCOME_INFEASIBLE && !(x.proof_rows > 0 && x.proof_value < -1e-8 && x.proof_off <= 1e-9))
                (*unproved)++;
            *unproved += k == CT_SOLVER_AUTO && x.outcome != CT_OUTCOME_INFEASIBLE;
            ct_solution_free(&x);
        }
    ct_problem_free(problem);
}

static void pinched_contacts_are_not_solved(void **state)
{
    uint64_t seed = 4242;
    numbers q;
    int k, solved = 0, unproved = 0, infeasible = 0;
    (void)state;
    for (k = 0; k < many(); k++) {
        pinch(&q, &seed, -0.4);
        count(&q, CT_PROBLEM_LOCAL, &solved, &unproved, &infeasible);
        count(&q, CT_PROBLEM_GLOBAL, &solved, &unproved, &infeasible);
    }
    assert_int_equal(solved, 0);
    assert_int_equal(unproved, 0);
}

static void semidefinite_lcps_are_not_solved(void **state)
{
    uint64_t seed = 777;
    numbers q;
    int k, solved = 0, unproved = 0, infeasible = 0;
    (void)state;
    for (k = 0; k < many(); k++) {
        sink(&q, &seed, 3 + k % 6);
        count(&q, CT_PROBLEM_LCP, &solved, &unproved, &infeasible);
    }
    assert_int_equal(solved, 0);
    assert_int_equal(unproved, 0);
}

/* the same kinds with a solution, some with hardly any room: no solver proves that there is none, and some solver finds one at 1e-4 */
static void solvable_ones_are_not_infeasible(void **state)
{
    static const double rooms[] = {0.4, 1e-3, 1e-6};
    uint64_t seed = 99;
    numbers q;
    int k, unproved = 0, infeasible = 0, none = 0;
    (void)state;
    for (k = 0; k < many(); k++) {
        int solved = 0;
        float_up(&q, &seed, 3 + k % 6);
        count(&q, CT_PROBLEM_LCP, &solved, &unproved, &infeasible);
        none += solved == 0, solved = 0;
        pinch(&q, &seed, rooms[k % 3]);
        count(&q, CT_PROBLEM_LOCAL, &solved, &unproved, &infeasible);
        none += solved == 0, solved = 0;
        count(&q, CT_PROBLEM_GLOBAL, &solved, &unproved, &infeasible);
        none += solved == 0;
    }
    print_message("%d said infeasible, %d problems that nobody solved\n", infeasible, none);
    assert_int_equal(infeasible, 0);
    assert_int_equal(none, 0);
}

/* an open contact without friction and without sliding: AUTO says that no force acts, and no solver accepts one that pulls */
static void open_contacts_do_not_pull(void **state)
{
    int k, g;
    numbers q;
    (void)state;
    memset(&q, 0, sizeof q);
    q.n = q.m = 3, q.w[0] = 1;
    for (k = 0; k < 3; k++)
        q.W[4 * k] = q.A[4 * k] = q.J[4 * k] = 1;
    for (g = 0; g < 2; g++) {
        ct_problem *problem = create(&q, g ? CT_PROBLEM_GLOBAL : CT_PROBLEM_LOCAL);
        for (k = 0; k < CT_SOLVER_COUNT_; k++) {
            ct_solver_desc d = ct_solver_desc_default();
            ct_solution s;
            memset(&s, 0, sizeof s);
            d.solver = (ct_solver)k;
            if (!ct_problem_solver_built(d.solver))
                continue;
            assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
            assert_true(s.outcome == CT_OUTCOME_SOLVED ? fabs(s.r[0]) <= 1e-9 : s.outcome == CT_OUTCOME_NOT_APPLICABLE);
            ct_solution_free(&s);
        }
        ct_problem_free(problem);
    }
}

/* a body between two plates, and a start with a squeeze of 1e17 that moves nothing: it approaches one plate, and a zero of the natural map that is
   rounding does not make it solved */
static void long_impulses_hide_nothing(void **state)
{
    double x[6], r[6];
    int k, g;
    numbers q;
    (void)state;
    memset(&q, 0, sizeof q);
    q.n = q.m = 6, q.w[0] = -1, q.w[3] = 1, q.mu[0] = q.mu[1] = 0.5;
    for (k = 0; k < 3; k++) {
        q.W[7 * k] = q.W[7 * (k + 3)] = 1, q.W[6 * k + k + 3] = q.W[6 * (k + 3) + k] = -1;
        q.A[7 * k] = q.A[7 * (k + 3)] = 1, q.J[6 * k + k] = 1, q.J[6 * (k + 3) + k] = -1;
    }
    for (g = 0; g < 2; g++) {
        ct_problem *problem = create(&q, g ? CT_PROBLEM_GLOBAL : CT_PROBLEM_LOCAL);
        for (k = 0; k < CT_SOLVER_COUNT_; k++) {
            ct_solver_desc d = ct_solver_desc_default();
            ct_solution s;
            memset(&s, 0, sizeof s), memset(x, 0, sizeof x), memset(r, 0, sizeof r);
            r[0] = r[3] = 1e17;
            d.solver = (ct_solver)k, d.warm = 1;
            s.n = s.m = 6, s.x = x, s.r = r;
            if (ct_problem_solver_built(d.solver)) {
                assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
                assert_true(s.outcome != CT_OUTCOME_SOLVED || s.primal < 1e-3);
            }
        }
        ct_problem_free(problem);
    }
}

/* A program without rows, x'A x / 2 - x, from the caller's own array: the answer, 1, is in it, and nothing of the caller's is freed */
static void arrays_of_the_caller_stay_without_rows(void **state)
{
    ct_problem *problem;
    numbers q;
    int k, solved = 0;
    (void)state;
    memset(&q, 0, sizeof q);
    q.n = 2, q.A[0] = q.A[3] = 1, q.b[0] = q.b[1] = 1;
    problem = create(&q, CT_PROBLEM_QP);
    for (k = 0; k < CT_SOLVER_COUNT_; k++) {
        ct_solver_desc d = ct_solver_desc_default();
        double x[2] = {0.5, 0.5};
        ct_solution s;
        memset(&s, 0, sizeof s);
        d.solver = (ct_solver)k, d.warm = 1, s.n = 2, s.x = x;
        if (!ct_problem_solver_built(d.solver) || ct_problem_solve(problem, &d, &s) != CT_OK)
            continue;
        assert_true(s.x == x && s.r == NULL);
        assert_true(s.outcome != CT_OUTCOME_SOLVED || (fabs(x[0] - 1) < 1e-3 && fabs(x[1] - 1) < 1e-3));
        solved += s.outcome == CT_OUTCOME_SOLVED;
    }
    assert_true(solved > 0);
    ct_problem_free(problem);
}

/* Problems whose solution is so far away that a proof of infeasibility holds up to 1e-10 of its terms: a body of 1e10 times the mass on a light one,
   and rows x1 + 1e-10 x2 >= 1, -x1 >= 1, x2 >= 0. Solvers that reach the solution keep it */
static void far_solutions_are_not_infeasible(void **state)
{
    static const double W[4] = {1, -1, -1, 1 + 1e-10}, w[2] = {-1, 0.5}, J[6] = {1, 1e-10, -1, 0, 0, 1}, c[3] = {-1, -1, 0};
    int g, k, solved = 0;
    numbers q;
    (void)state;
    for (g = 0; g < 2; g++) {
        ct_problem *problem;
        memset(&q, 0, sizeof q);
        q.n = 2, q.m = g ? 3 : 2;
        memcpy(q.W, W, sizeof W), memcpy(q.J, J, sizeof J), memcpy(q.w, g ? c : w, sizeof *w * (size_t)q.m);
        q.A[0] = 1, q.A[3] = 1e-20;
        problem = create(&q, g ? CT_PROBLEM_QP : CT_PROBLEM_LCP);
        for (k = 0; k < CT_SOLVER_COUNT_; k++) {
            ct_solver_desc d = ct_solver_desc_default();
            ct_solution s;
            memset(&s, 0, sizeof s);
            d.solver = (ct_solver)k, d.tolerance = (ct_real)1e-8, d.budget = 10000;
            if (!ct_problem_solver_built(d.solver))
                continue;
            assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
            solved += s.outcome == CT_OUTCOME_SOLVED;
            if (g || k == CT_SOLVER_AUTO || k == CT_SOLVER_LEMKE || k == CT_SOLVER_MPRGP)
                assert_int_not_equal(s.outcome, CT_OUTCOME_INFEASIBLE);
            ct_solution_free(&s);
        }
        ct_problem_free(problem);
    }
    assert_true(solved >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pinched_contacts_are_not_solved),
                                       cmocka_unit_test(semidefinite_lcps_are_not_solved), cmocka_unit_test(solvable_ones_are_not_infeasible),
                                       cmocka_unit_test(open_contacts_do_not_pull), cmocka_unit_test(long_impulses_hide_nothing),
                                       cmocka_unit_test(arrays_of_the_caller_stay_without_rows), cmocka_unit_test(far_solutions_are_not_infeasible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
