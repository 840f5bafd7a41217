/* test_mprgp.c -- MPRGP: problems solved by hand and by projected Gauss-Seidel, algorithm 3 as printed on small problems, certificates,
   refusals. */
#include "mprgp_util.h"

/* ---- by hand ---- */

/* min (x0-1)^2 + (x1+1)^2 over x >= 0: x = (1, 0), r = (0, 2) */
static void bounds_by_hand(void **state)
{
    static const double A[] = {2, 0, 0, 2}, b[] = {2, -2}, J[] = {1, 0, 0, 1}, w[] = {0, 0};
    fixture f;
    (void)state;
    make_qp(&f, 2, 2, A, b, J, w);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    assert_int_equal(f.c.dual, 0);
    NEAR(f.x[0], 1, 1e-14), NEAR(f.x[1], 0, 0), NEAR(f.r[0], 0, 0), NEAR(f.r[1], 2, 1e-14);
    end(&f);
}

/* bounds on both sides, scaled rows, a fixed unknown: 1 <= x0 <= 3, x1 <= 2, x2 = 5 (as 2 x2 - 10 = 0); unconstrained minimum (9, 0, 0) */
static void two_sides_by_hand(void **state)
{
    static const double A[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[] = {9, 0, 0}, w[] = {-4, 3, 6, -10};
    static const double J[] = {4, 0, 0, -1, 0, 0, 0, -3, 0, 0, 0, 2};
    static const uint8_t equation[] = {0, 0, 0, 1};
    fixture f;
    (void)state;
    make_qp(&f, 3, 4, A, b, J, w);
    assert_true(CTI_RESIZE(&f.mem, f.p.equation, 4));
    memcpy(f.p.equation, equation, 4);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    assert_int_equal(f.c.dual, 0);
    NEAR(f.x[0], 3, 1e-14), NEAR(f.x[1], 0, 1e-14), NEAR(f.x[2], 5, 1e-14);
    NEAR(f.r[0], 0, 0), NEAR(f.r[1], 6, 1e-13), NEAR(f.r[2], 0, 0), NEAR(f.r[3], 2.5, 1e-13);
    end(&f);
}

/* One slanted row: the point of x0 + x1 >= 2 nearest to the origin is (1, 1), r = 1. Coupled: the same row twice, which is redundant */
static void slanted_by_hand(void **state)
{
    static const double A[] = {1, 0, 0, 1}, b[] = {0, 0}, J[] = {1, 1, 1, 1}, w[] = {-2, -2};
    fixture f;
    (void)state;
    make_qp(&f, 2, 1, A, b, J, w);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    assert_int_equal(f.c.dual, 0);
    NEAR(f.x[0], 1, 1e-12), NEAR(f.x[1], 1, 1e-12), NEAR(f.r[0], 1, 1e-12);
    end(&f);
    make_qp(&f, 2, 2, A, b, J, w);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    assert_int_equal(f.c.dual, 1);
    NEAR(f.x[0], 1, 1e-9), NEAR(f.x[1], 1, 1e-9), NEAR(f.r[0] + f.r[1], 1, 1e-9);
    end(&f);
}

/* ---- degenerate ---- */

static void degenerate(void **state)
{
    static const double A[] = {2, 1, 1, 2}, b0[] = {0, 0}, b1[] = {-1, 4}, J[] = {1, 0, 0, 1}, w[] = {0, 0};
    fixture f;
    (void)state;
    /* zero gradient at an active start: 0 is the solution, no step is taken */
    make_qp(&f, 2, 2, A, b0, J, w);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    NEAR(f.x[0], 0, 0), NEAR(f.x[1], 0, 0);
    assert_int_equal(f.c.cg + f.c.expansions + f.c.proportionings, 0);
    end(&f);
    /* an active start that has to become free: x = (0, 2), r = (3, 0) */
    make_qp(&f, 2, 2, A, b1, J, w);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    NEAR(f.x[0], 0, 0), NEAR(f.x[1], 2, 1e-12), NEAR(f.r[0], 3, 1e-12);
    assert_true(f.c.proportionings > 0);
    end(&f);
    /* no rows, and rows without entries */
    make_qp(&f, 2, 0, A, b1, J, w);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    NEAR(f.x[0], -2, 1e-9), NEAR(f.x[1], 3, 1e-9);
    end(&f);
}

/* ---- random ---- */

/* projected Gauss-Seidel on the multipliers */
static void pgs(int m, const double *W, const double *c, const double *lo, const double *hi, double *r)
{
    int it, i, k;
    for (it = 0; it < 100000; it++) {
        double most = 0;
        for (i = 0; i < m; i++) {
            double u = c[i], before = r[i];
            for (k = 0; k < m; k++)
                u += W[i * m + k] * r[k];
            r[i] = fmin(fmax(r[i] - u / W[i * m + i], lo ? lo[i] : 0), hi ? hi[i] : INFINITY);
            most = fmax(most, fabs(r[i] - before));
        }
        if (most < 1e-15)
            return;
    }
}

static void random_lcp(void **state)
{
    double W[MOST * MOST], w[MOST], lo[MOST], hi[MOST], r[MOST];
    int t, i;
    fixture f;
    (void)state;
    seed = 3;
    for (t = 0; t < 40; t++) {
        int m = 1 + t % 12, boxed = t % 2;
        random_spd(m, 10, W);
        for (i = 0; i < m; i++)
            w[i] = 2 * uniform() - 1.2, lo[i] = -uniform(), hi[i] = i % 3 ? uniform() : INFINITY, r[i] = 0;
        pgs(m, W, w, boxed ? lo : NULL, boxed ? hi : NULL, r);
        make_lcp(&f, m, W, w);
        if (boxed)
            f.p.lo = vector(&f, m, lo), f.p.hi = vector(&f, m, hi);
        assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
        assert_true(f.j.residual <= 1e-9);
        for (i = 0; i < m; i++)
            NEAR(f.r[i], r[i], 1e-6);
        end(&f);
    }
}

/* coupled rows: the dual by MPRGP, with W formed and through the factor; the judge confirms both, and they agree */
static void random_coupled(void **state)
{
    double A[MOST * MOST], b[MOST], J[MOST * MOST], w[MOST], x[MOST];
    int t, i, n = 14, m = 9;
    fixture f;
    (void)state;
    seed = 11;
    for (t = 0; t < 20; t++) {
        random_spd(n, 50, A);
        for (i = 0; i < n; i++)
            b[i] = uniform() - 0.5;
        for (i = 0; i < m * n; i++)
            J[i] = uniform() < 0.4 ? uniform() - 0.5 : 0;
        for (i = 0; i < m; i++)
            w[i] = 0.3 * uniform() - 0.2;
        make_qp(&f, n, m, A, b, J, w);
        if (t % 2) {
            assert_true(CTI_RESIZE(&f.mem, f.p.equation, m));
            f.p.equation[0] = f.p.equation[3] = 1;
        }
        assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
        assert_true(f.j.residual <= 1e-9);
        memcpy(x, f.x, sizeof x);
        f.o.dense_rows = 0, f.o.projected = 0;
        assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
        for (i = 0; i < n; i++)
            NEAR(f.x[i], x[i], 1e-6 * fmax(1, fabs(x[i])));
        end(&f);
    }
}

/* ---- algorithm 3 as printed ---- */

/* Rows that depend on each other: twice the same row, the same at half the size, the sum of two, and a looser one. By hand: the point with x0 >=
   0, x1 >= 0 nearest to (-1, -2, 3) is (0, 0, 3), and the multipliers of each add up to 1 and 2 */
static void printed_redundant(void **state)
{
    static const double A[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[] = {-1, -2, 3};
    static const double J[] = {1, 0, 0, 1, 0, 0, .5, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0}, w[] = {0, 0, 0, 0, 0, 1};
    fixture f;
    (void)state;
    make_qp(&f, 3, 6, A, b, J, w);
    f.o.printed = 1;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    NEAR(f.x[0], 0, 1e-9), NEAR(f.x[1], 0, 1e-9), NEAR(f.x[2], 3, 1e-8);
    NEAR(f.r[0] + f.r[1] + f.r[2] / 2 + f.r[4], 1, 1e-8), NEAR(f.r[3] + f.r[4], 2, 1e-8), NEAR(f.r[5], 0, 1e-8);
    f.x[0] = -5, f.x[1] = 7, f.e.warm = 1; /* x0 is projected */
    assert_int_equal(cti_mprgp_solve_with(&f.p, &f.o, &f.e, &f.a, &f.c), CTI_OUTCOME_SOLVED);
    NEAR(f.x[0], 0, 1e-9), NEAR(f.x[1], 0, 1e-9);
    f.p.w[4] = -1, f.p.J.x[f.p.J.p[5]] = f.p.J.x[f.p.J.p[5] + 1] = -1, f.p.w[5] = 0; /* x0 + x1 >= 1 and <= 0 */
    assert_int_equal(run(&f), CTI_OUTCOME_INFEASIBLE);
    assert_true(f.r[4] > 0 && f.r[5] > 0);
    end(&f);
}

/* coupled rows, a third of them sums of others, equations among them: the result is that of the multipliers' problem */
static void printed_random(void **state)
{
    double A[MOST * MOST], b[MOST], J[MOST * MOST], w[MOST], x[MOST];
    int t, i, k, n = 14, m = 12, kinds[3] = {0, 0, 0};
    fixture f;
    (void)state;
    seed = 17;
    for (t = 0; t < 60; t++) {
        random_spd(n, 50, A);
        for (i = 0; i < n; i++)
            b[i] = uniform() - 0.5;
        for (i = 0; i < m * n; i++)
            J[i] = uniform() < 0.4 ? uniform() - 0.5 : 0;
        for (i = 0; i < m; i++)
            w[i] = 0.3 * uniform() - 0.2;
        for (i = 8; i < m; i++)
            for (k = 0, w[i] = w[i - 8] + w[i - 6] + 0.1 * (i % 2); k < n; k++)
                J[i * n + k] = J[(i - 8) * n + k] + J[(i - 6) * n + k];
        make_qp(&f, n, m, A, b, J, w);
        if (t % 3 == 0) {
            assert_true(CTI_RESIZE(&f.mem, f.p.equation, m));
            memset(f.p.equation, 0, (size_t)m);
            f.p.equation[1] = f.p.equation[3] = 1;
        }
        assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
        memcpy(x, f.x, sizeof x);
        f.o.printed = 1;
        assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
        assert_true(f.j.residual <= 1e-9);
        for (i = 0; i < n; i++)
            NEAR(f.x[i], x[i], 1e-5 * fmax(1, fabs(x[i])));
        assert_int_equal(f.c.dual, 0);
        kinds[0] += f.c.cg, kinds[1] += f.c.expansions, kinds[2] += f.c.proportionings;
        end(&f);
    }
    assert_true(kinds[0] > 0 && kinds[1] > 0 && kinds[2] > 0);
}

static void embedded_rows(void **state)
{
    static const cti_mprgp_precondition kinds[] = {CTI_PRECONDITION_NONE, CTI_PRECONDITION_JACOBI, CTI_PRECONDITION_BLOCKS};
    double x[MOST];
    int t, i;
    size_t k;
    fixture f;
    (void)state;
    seed = 21;
    for (t = 0; t < 6; t++) {
        make_embedded(&f);
        f.o.path = 2;
        assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
        assert_int_equal(f.c.dual, 1);
        memcpy(x, f.x, sizeof x);
        f.o.path = 1;
        for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            f.o.precondition = kinds[k];
            assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
            assert_int_equal(f.c.dual, 0);
            assert_true(f.j.residual <= 1e-9);
            for (i = 0; i < 3 * VERTICES; i++)
                NEAR(f.x[i], x[i], 1e-5);
        }
        end(&f);
    }
}

/* ---- certificates, scaling, refusals ---- */

static void infeasible(void **state)
{
    static const double A[] = {2, 0.5, 0.5, 3}, b[] = {1, 2};
    static const double coupled[] = {1, 1, -1, 1, 0, -1, 0.5, 0.5},
                        w_coupled[] = {-1, -1, 0.5, -7};                   /* y >= 1 on both diagonals, y <= 1/2 */
    static const double box[] = {2, 0, -1, 0, 0, 1}, w_box[] = {-4, 1, 0}; /* x0 >= 2, x0 <= 1 */
    static const double zero[] = {1, 1, 0, 0}, w_zero[] = {0, -1};
    double work[4];
    fixture f;
    int i;
    (void)state;
    make_qp(&f, 2, 4, A, b, coupled, w_coupled);
    assert_int_equal(run(&f), CTI_OUTCOME_INFEASIBLE);
    assert_true(cti_program_certify(&f.p, f.r, work));
    for (i = 0; i < 4; i++)
        assert_true(f.r[i] >= 0);
    f.p.w[2] = 1.5; /* rows that no longer exclude each other */
    f.p.w[3] = -0.1;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    end(&f);
    make_qp(&f, 2, 3, A, b, box, w_box);
    assert_int_equal(run(&f), CTI_OUTCOME_INFEASIBLE);
    assert_true(cti_program_certify(&f.p, f.r, work) && f.r[0] >= 0 && f.r[1] >= 0);
    end(&f);
    make_qp(&f, 2, 2, A, b, zero, w_zero);
    assert_int_equal(run(&f), CTI_OUTCOME_INFEASIBLE);
    assert_true(cti_program_certify(&f.p, f.r, work));
    end(&f);
}

/* complementarity without a solution: W = (1 -1; -1 1), w = (-1, -1): W (1, 1) = 0, w'(1, 1) < 0 */
static void infeasible_lcp(void **state)
{
    static const double W[] = {1, -1, -1, 1}, w[] = {-1, -1}, good[] = {-1, 1};
    fixture f;
    (void)state;
    make_lcp(&f, 2, W, w);
    assert_int_equal(run(&f), CTI_OUTCOME_INFEASIBLE);
    NEAR(f.r[0], f.r[1], 1e-9), NEAR(fmax(f.r[0], f.r[1]), 1, 1e-9);
    end(&f);
    make_lcp(&f, 2, W, good);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    end(&f);
}

static void badly_scaled(void **state)
{
    double A[MOST * MOST], b[MOST], J[6 * MOST], w[6], unit[MOST], x[MOST];
    int i, k, n = 12, m = 6;
    fixture f;
    (void)state;
    seed = 51;
    random_spd(n, 100, A);
    for (i = 0; i < n; i++)
        b[i] = uniform() - 0.5, unit[i] = pow(10, i % 4);
    for (i = 0; i < m * n; i++)
        J[i] = uniform() - 0.5;
    for (i = 0; i < m; i++)
        w[i] = 0.2 * uniform() - 0.1;
    make_qp(&f, n, m, A, b, J, w);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    memcpy(x, f.x, sizeof x);
    end(&f);
    /* unknowns in units of 1 to 1000, rows of 1e-6 to 1e4 */
    for (i = 0; i < n; i++) {
        b[i] *= unit[i];
        for (k = 0; k < n; k++)
            A[i * n + k] *= unit[i] * unit[k];
    }
    for (i = 0; i < m; i++) {
        double row = pow(10, 2 * i - 6);
        w[i] *= row;
        for (k = 0; k < n; k++)
            J[i * n + k] *= row * unit[k];
    }
    make_qp(&f, n, m, A, b, J, w);
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    for (i = 0; i < n; i++)
        NEAR(f.x[i] * unit[i], x[i], 1e-6 * fmax(1, fabs(x[i])));
    end(&f);
}

/* semidefinite A: min (x0 + x1)^2 / 2 - x0 - x1 with x0 - x1 = 1 and x >= 0: x = (1, 0) */
static void semidefinite(void **state)
{
    static const double A[] = {1, 1, 1, 1}, b[] = {1, 1}, J[] = {1, -1, 1, 0, 0, 1, 1, 2}, w[] = {-1, 0, 0, 5};
    fixture f;
    (void)state;
    make_qp(&f, 2, 4, A, b, J, w);
    assert_true(CTI_RESIZE(&f.mem, f.p.equation, 4));
    f.p.equation[0] = 1;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    NEAR(f.x[0], 1, 1e-7), NEAR(f.x[1], 0, 1e-7);
    assert_true(f.j.residual <= 1e-9);
    end(&f);
}

static void refusals(void **state)
{
    static const double unsymmetric[] = {1, 2, 0, 1}, indefinite[] = {1, 3, 3, 1}, w[] = {-1, -1};
    static const double W[] = {2, 0.1, 0, 0.1, 2, 0, 0, 0, 2}, wc[] = {-1, 0.5, 0.25};
    double mu[1] = {0.5};
    fixture f;
    (void)state;
    make_lcp(&f, 2, unsymmetric, w);
    assert_int_equal(run(&f), CTI_OUTCOME_NOT_APPLICABLE);
    assert_true(strlen(f.a.why) > 0);
    end(&f);
    make_lcp(&f, 2, indefinite, w);
    assert_true(run(&f) != CTI_OUTCOME_INFEASIBLE);
    end(&f);
    begin(&f, CTI_PROGRAM_LOCAL, 3, 3);
    sparse(&f, &f.p.W, 3, 3, W);
    f.p.w = vector(&f, 3, wc), f.p.mu = vector(&f, 1, mu);
    assert_true(cti_program_prepare(&f.mem, &f.p));
    assert_int_equal(run(&f), CTI_OUTCOME_NOT_APPLICABLE);
    assert_true(strlen(f.a.why) > 0);
    f.p.mu[0] = 0; /* normals only: r = (1/2, 0, 0), u = W r + w */
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    NEAR(f.r[0], 0.5, 1e-12), NEAR(f.r[1], 0, 0), NEAR(f.x[1], 0.55, 1e-12);
    assert_true(f.j.residual <= 1e-9);
    end(&f);
}

/* a budget ends the solve, and the outcome tells */
static void budget(void **state)
{
    fixture f;
    (void)state;
    seed = 71;
    make_embedded(&f);
    f.o.precondition = CTI_PRECONDITION_NONE;
    f.e.max_iterations = 3;
    assert_int_equal(run(&f), CTI_OUTCOME_BUDGET);
    assert_int_equal(f.a.iterations, 3);
    f.e.max_iterations = 0, f.e.tolerance = 1e-4;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    assert_true(f.j.residual <= 1e-4);
    end(&f);
}

static int requests_left;
static ct_allocator plain;
static void *scarce(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    if (new_size > 0 && --requests_left < 0)
        return NULL;
    return plain.resize(plain.user, block, old_size, new_size);
}

/* The k-th allocation fails, for every k: the outcome is MEMORY (or another path is found), and nothing leaks */
static void memory(void **state)
{
    static const int paths[] = {1, 2, 0, 0};
    static const double coupled[] = {1, 1, 0, 1, 0, 1}, against[] = {1, 1, 0, -1, -1, 0}, w[] = {-1, -1}, A[] = {2, 1, 0, 1, 2, 0, 0, 0, 1},
                        b[] = {0, 0, 0};
    int k, path, failures = 0;
    (void)state;
    for (path = 0; path < 4; path++)
        for (k = 1; k < 400; k++) {
            cti_outcome said;
            int64_t live;
            fixture f;
            if (path == 0) {
                seed = 81;
                make_embedded(&f);
            } else {
                make_qp(&f, 3, 2, A, b, path == 2 ? against : coupled, w);
            }
            live = f.mem.bytes_live;
            f.o.path = paths[path], f.o.printed = path == 3;
            plain = f.mem.user, f.mem.user.resize = scarce, requests_left = k;
            said = run(&f);
            f.mem.user = plain;
            assert_true(said == CTI_OUTCOME_MEMORY || said == CTI_OUTCOME_SOLVED || said == CTI_OUTCOME_INFEASIBLE);
            failures += said == CTI_OUTCOME_MEMORY;
            cti_arena_free(&f.arena);
            assert_int_equal(f.mem.bytes_live, live);
            end(&f);
        }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_by_hand), cmocka_unit_test(two_sides_by_hand),
        cmocka_unit_test(slanted_by_hand), cmocka_unit_test(degenerate),
        cmocka_unit_test(random_lcp), cmocka_unit_test(random_coupled),
        cmocka_unit_test(printed_redundant), cmocka_unit_test(printed_random),
        cmocka_unit_test(embedded_rows), cmocka_unit_test(infeasible),
        cmocka_unit_test(infeasible_lcp), cmocka_unit_test(badly_scaled),
        cmocka_unit_test(semidefinite), cmocka_unit_test(refusals),
        cmocka_unit_test(budget), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
