/* test_hostile.c -- contact problems from arrays and files with input that must not crash the solvers: sizes of 0, NaN and infinity,
   contradictory and damaged files, wrong arguments, memory that fails at every single request. */
#include "../src/4_programs/certificate.h"
#include "../src/4_programs/solvers.h"
#include "../src/9_world/problems.h"
#include "../src/public/api.h"
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <locale.h>
#include <cmocka.h>

/* ---- problems of every kind ---- */

static const int32_t a_p[] = {0, 2, 5, 7, 8}, a_i[] = {1, 0, 0, 1, 2, 1, 2, 3};
static const double a_x[] = {-1, 4, -1, 4, -0.5, -0.5, 3, 2.5};
static const int32_t j_p[] = {0, 1, 2, 3, 5, 6, 7}, j_i[] = {0, 1, 2, 3, 0, 1, 2};
static const double j_x[] = {1, 1, 1, 1, -0.3, 1, 1};
static const double b[] = {-1, 0.4, -2, 1. / 3}, w[] = {0.1, 0.2, -0.3, -0.25, 1e-3, 0.7}, mu[] = {0.5, 0};
static const int32_t w_p[] = {0, 3, 6, 9, 11, 13, 15}, w_i[] = {0, 1, 3, 0, 1, 2, 1, 2, 4, 0, 3, 2, 4, 1, 5};
static const double w_x[] = {4, 1, 0.5, 1, 3, 0.25, 0.25, 2, -0.125, 0.5, 5, -0.125, 2, 0, 3};
static const double lo[] = {-1, -INFINITY, 0, 0.25, -2, -INFINITY}, hi[] = {1, INFINITY, INFINITY, 0.25, 2, 0};
static const double odd[] = {-0.0, 5e-324, 1.7976931348623157e308, 0.1, -1. / 3, 2.2250738585072014e-308};
static const uint8_t equation[] = {0, 0, 1, 0, 0, 0};

enum { QP, QP_EQUATION, GLOBAL, GLOBAL_SMOOTH, LOCAL, LOCAL_SMOOTH, LCP, BOXED, KINDS };

static void csr(ct_csr *a, int rows, int cols, const int32_t *p, const int32_t *i, const double *x)
{
    a->rows = rows, a->cols = cols, a->p = p, a->i = i, a->x = x;
}

static ct_problem_desc desc_of(int kind)
{
    static const double smooth[] = {0, 0};
    ct_problem_desc d = ct_problem_desc_default();
    int local = kind == LOCAL || kind == LOCAL_SMOOTH, lcp = kind == LCP || kind == BOXED;
    d.kind = lcp ? CT_PROBLEM_LCP : (local ? CT_PROBLEM_LOCAL : (kind <= QP_EQUATION ? CT_PROBLEM_QP : CT_PROBLEM_GLOBAL));
    if (local || lcp)
        csr(&d.W, 6, 6, w_p, w_i, w_x);
    else
        csr(&d.A, 4, 4, a_p, a_i, a_x), csr(&d.J, 6, 4, j_p, j_i, j_x), d.b = b;
    d.w = w;
    if (d.kind == CT_PROBLEM_LOCAL || d.kind == CT_PROBLEM_GLOBAL)
        d.mu = kind == LOCAL || kind == GLOBAL ? mu : smooth;
    if (kind == BOXED)
        d.lo = lo, d.hi = hi;
    if (kind == QP_EQUATION)
        d.equation = equation;
    return d;
}

static ct_problem *make(const ct_problem_desc *d)
{
    ct_problem *q = NULL;
    ct_error_info e;
    if (ct_problem_create(d, &q, &e) != CT_OK)
        fail_msg("%s", e.text);
    return q;
}

static ct_solution solve(const ct_problem *q, ct_solver solver)
{
    ct_solver_desc d = ct_solver_desc_default();
    ct_solution s;
    memset(&s, 0, sizeof s);
    d.solver = solver, d.tolerance = (ct_real)1e-8;
#ifdef __SANITIZE_ADDRESS__
    d.budget = solver == CT_SOLVER_AUTO ? 0 : 20000; /* of a problem without a solution the solvers' own bounds are a million iterations */
#endif
    assert_int_equal(ct_problem_solve(q, &d, &s), CT_OK);
    return s;
}

/* ---- arrays and files ---- */

static void same_sparse(const cti_sparse *a, const cti_sparse *c)
{
    int i, k;
    assert_int_equal(a->rows, c->rows);
    assert_int_equal(a->cols, c->cols);
    for (i = 0; i < a->rows; i++) {
        for (k = a->p[i]; k < a->p[i + 1]; k++)
            assert_true(cti_sparse_at(c, i, a->i[k]) == a->x[k]);
        for (k = c->p[i]; k < c->p[i + 1]; k++)
            assert_true(cti_sparse_at(a, i, c->i[k]) == c->x[k]);
    }
}

static void same_bits(const double *a, const double *c, int n)
{
    assert_int_equal(a == NULL, c == NULL);
    assert_int_equal(CTI_LEN(a), CTI_LEN(c));
    assert_true(!a || CTI_LEN(a) == n || CTI_LEN(a) == 0);
    if (CTI_LEN(a))
        assert_memory_equal(a, c, sizeof *a * (size_t)n);
}

/* every kind, written to a file and read, bit for bit, with the same answer bit for bit */
static void round_trip(void **state)
{
    int kind, turn;
    (void)state;
    for (turn = 0; turn < 2; turn++)
        for (kind = 0; kind < KINDS; kind++) {
            ct_problem_desc d = desc_of(kind);
            const char *path = d.kind == CT_PROBLEM_LCP ? (kind == BOXED ? "test_hostile.blcp" : "test_hostile.lcp") : "test_hostile.cpb";
            ct_problem *q, *back = NULL;
            ct_error_info e;
            const cti_program *p, *c;
            if (turn)
                d.w = odd, d.r_ref = odd, d.x_ref = d.kind == CT_PROBLEM_LCP || d.kind == CT_PROBLEM_LOCAL ? NULL : odd + 1;
            q = make(&d);
            assert_int_equal(ct_problem_write(q, path, NULL), CT_OK);
            if (ct_problem_read(path, &back, &e) != CT_OK)
                fail_msg("kind %d: %s", kind, e.text);
            p = &q->program, c = &back->program;
            assert_int_equal(p->kind, c->kind);
            assert_true(p->n == c->n && p->m == c->m);
            same_sparse(&p->A, &c->A), same_sparse(&p->J, &c->J), same_sparse(&p->W, &c->W);
            same_bits(p->b, c->b, p->n), same_bits(p->w, c->w, p->m), same_bits(p->mu, c->mu, p->m / 3);
            same_bits(p->lo, c->lo, p->m), same_bits(p->hi, c->hi, p->m), same_bits(p->known.r, c->known.r, p->m),
                same_bits(p->known.x, c->known.x, p->n);
            assert_int_equal(p->equation == NULL, c->equation == NULL);
            if (p->equation)
                assert_memory_equal(p->equation, c->equation, (size_t)p->m);
            if (!turn) {
                ct_solution s = solve(q, CT_SOLVER_AUTO), t = solve(back, CT_SOLVER_AUTO);
                assert_int_equal(s.outcome, CT_OUTCOME_SOLVED);
                assert_memory_equal(s.r, t.r, sizeof *s.r * (size_t)s.m);
                ct_solution_free(&s), ct_solution_free(&t);
            }
            ct_problem_free(q), ct_problem_free(back);
            remove(path);
        }
}

/* problems that cannot be written, and a locale with a decimal comma */
static void writing(void **state)
{
    ct_problem_desc d = desc_of(LCP);
    ct_problem *q = make(&d), *back = NULL;
    ct_error_info e;
    (void)state;
    assert_int_equal(ct_problem_write(NULL, "x.lcp", NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_problem_write(q, NULL, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_problem_write(q, "x.cpb", &e), CT_ERR_UNSUPPORTED);
    assert_int_equal(ct_problem_write(q, "no/such/folder/x.lcp", &e), CT_ERR_FILE);
    assert_true(e.code == CT_ERR_FILE && e.text[0]);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        assert_int_equal(ct_problem_write(q, "test_hostile.lcp", NULL), CT_OK);
        assert_int_equal(ct_problem_read("test_hostile.lcp", &back, NULL), CT_OK);
        same_sparse(&q->program.W, &back->program.W);
        ct_problem_free(back);
        setlocale(LC_NUMERIC, "C");
        remove("test_hostile.lcp");
    }
    ct_problem_free(q);
}

static void refused(const ct_problem_desc *d, ct_code code, const char *text)
{
    ct_problem *q = NULL;
    ct_error_info e;
    assert_int_equal(ct_problem_create(d, &q, &e), code);
    assert_null(q);
    if (!strstr(e.text, text))
        fail_msg("%s", e.text);
    assert_int_equal(ct_problem_create(d, &q, NULL), code);
}

static void arrays(void **state)
{
    static const int32_t falls[] = {0, 2, 1, 7, 8}, late[] = {1, 2, 5, 7, 8}, outside[] = {1, 0, 0, 1, 4, 1, 2, 3},
                         below[] = {1, 0, 0, 1, -1, 1, 2, 3};
    static const double skew[] = {-1, 4, -1.001, 4, -0.5, -0.5, 3, 2.5}, none[] = {-1, 4, -1, NAN, -0.5, -0.5, 3, 2.5};
    static const double minus[] = {0.5, -0.1}, bad[] = {0, 0, INFINITY, 0, 0, 0}, above[] = {0, 0, 0, 0.3, 0, 0};
    static const int32_t twice_p[] = {0, 3, 6}, twice_i[] = {1, 0, 1, 0, 1, 0}, one_p[] = {0, 1}, one_i[] = {1};
    static const double twice_x[] = {0.5, 3, 0.5, 0.5, 2, 0.5}, side[] = {1, 1}, one[] = {1}, one_w[] = {-2};
    ct_problem_desc d = desc_of(QP);
    ct_problem *q;
    ct_solution s;
    (void)state;
    assert_int_equal(ct_problem_create(NULL, &q, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_problem_create(&d, NULL, NULL), CT_ERR_ARGUMENT);
    d.cookie = 0, refused(&d, CT_ERR_ARGUMENT, "default"), d = desc_of(QP);
    d.kind = (ct_problem_kind)7, refused(&d, CT_ERR_ARGUMENT, "kind"), d = desc_of(QP);
    d.A.p = falls, refused(&d, CT_ERR_DOMAIN, "falls"), d.A.p = late, refused(&d, CT_ERR_DOMAIN, "0"), d = desc_of(QP);
    d.A.i = outside, refused(&d, CT_ERR_DOMAIN, "outside"), d.A.i = below, refused(&d, CT_ERR_DOMAIN, "outside"), d = desc_of(QP);
    d.A.x = skew, refused(&d, CT_ERR_DOMAIN, "symmetric"), d.A.x = none, refused(&d, CT_ERR_DOMAIN, "finite"), d = desc_of(QP);
    d.A.x = NULL, refused(&d, CT_ERR_ARGUMENT, "no array"), d = desc_of(QP), d.A.p = NULL, refused(&d, CT_ERR_ARGUMENT, "no array p"),
    d = desc_of(QP);
    d.A.rows = -1, refused(&d, CT_ERR_DOMAIN, "size"), d = desc_of(QP), d.J.cols = 5, refused(&d, CT_ERR_DOMAIN, "size"), d = desc_of(QP);
    d.b = NULL, refused(&d, CT_ERR_ARGUMENT, "NULL"), d = desc_of(QP), d.w = bad, refused(&d, CT_ERR_DOMAIN, "finite");
    d = desc_of(GLOBAL), d.mu = minus, refused(&d, CT_ERR_DOMAIN, "negative"), d.mu = NULL, refused(&d, CT_ERR_ARGUMENT, "NULL");
    d = desc_of(GLOBAL), d.J.rows = 5, refused(&d, CT_ERR_DOMAIN, "three times");
    d = desc_of(BOXED), d.hi = NULL, refused(&d, CT_ERR_DOMAIN, "bounds"), d.hi = bad, refused(&d, CT_ERR_DOMAIN, "above");
    d = desc_of(BOXED), d.lo = bad, d.hi = bad, refused(&d, CT_ERR_DOMAIN, "no number"), d = desc_of(BOXED), d.lo = above,
    refused(&d, CT_ERR_DOMAIN, "above");
    /* data that the kind does not have */
    d = desc_of(QP), d.lo = bad, refused(&d, CT_ERR_ARGUMENT, "desc.lo"), d = desc_of(GLOBAL), d.hi = hi, refused(&d, CT_ERR_ARGUMENT, "desc.hi");
    d = desc_of(LOCAL), d.equation = equation, refused(&d, CT_ERR_ARGUMENT, "desc.equation");
    d = desc_of(LCP), d.mu = mu, refused(&d, CT_ERR_ARGUMENT, "desc.mu"), d = desc_of(QP), d.mu = mu, refused(&d, CT_ERR_ARGUMENT, "desc.mu");
    d = desc_of(LCP), d.b = b, refused(&d, CT_ERR_ARGUMENT, "desc.b"), d = desc_of(LOCAL), d.A = d.W, refused(&d, CT_ERR_ARGUMENT, "desc.A");
    d = desc_of(GLOBAL), d.W = d.A, refused(&d, CT_ERR_ARGUMENT, "desc.W");
    /* columns in any order, and given twice: [3 1; 1 2] x = (1, 1), x_1 >= 2 */
    d = ct_problem_desc_default();
    csr(&d.A, 2, 2, twice_p, twice_i, twice_x), csr(&d.J, 1, 2, one_p, one_i, one), d.b = side, d.w = one_w;
    q = make(&d);
    s = solve(q, CT_SOLVER_AUTO);
    assert_true(s.outcome == CT_OUTCOME_SOLVED && fabs(s.x[1] - 2) < 1e-8 && fabs(s.x[0] + 1. / 3) < 1e-8);
    ct_solution_free(&s), ct_problem_free(q);
}

/* ---- empty problems ---- */

static void nothing(void **state)
{
    static const int32_t empty_p[] = {0, 0, 0, 0, 0, 0, 0};
    static const double slack[] = {1, 0, 2, 1, 3, 1};
    int kind, k;
    (void)state;
    for (kind = 0; kind < KINDS; kind++)
        for (k = 0; k < CT_SOLVER_COUNT_; k++) {
            ct_problem_desc d = desc_of(kind);
            ct_problem *q;
            ct_solution s;
            if (!ct_problem_solver_built((ct_solver)k))
                continue;
            /* neither unknowns nor rows */
            memset(&d.A, 0, sizeof d.A), memset(&d.J, 0, sizeof d.J), memset(&d.W, 0, sizeof d.W);
            d.b = d.w = d.mu = d.lo = d.hi = NULL, d.equation = NULL;
            q = make(&d);
            s = solve(q, (ct_solver)k);
            assert_true(s.n == 0 && s.m == 0 && s.outcome != CT_OUTCOME_INFEASIBLE);
            assert_true(k != CT_SOLVER_AUTO || s.outcome == CT_OUTCOME_SOLVED);
            ct_solution_free(&s), ct_problem_free(q);
            if (kind > GLOBAL_SMOOTH || kind == QP_EQUATION)
                continue;
            /* unknowns without rows; rows of zeros that hold; rows without unknowns */
            d = desc_of(kind), memset(&d.J, 0, sizeof d.J), d.J.cols = 4, d.w = d.mu = NULL;
            q = make(&d);
            s = solve(q, (ct_solver)k);
            assert_true(k != CT_SOLVER_AUTO || (s.outcome == CT_OUTCOME_SOLVED && fabs(s.x[3] - b[3] / 2.5) < 1e-12));
            ct_solution_free(&s), ct_problem_free(q);
            d = desc_of(kind), d.J.p = empty_p, d.w = slack;
            q = make(&d);
            s = solve(q, (ct_solver)k);
            assert_true(k != CT_SOLVER_AUTO || s.outcome == CT_OUTCOME_SOLVED);
            ct_solution_free(&s), ct_problem_free(q);
            d = desc_of(kind), memset(&d.A, 0, sizeof d.A), d.J.cols = 0, d.J.p = empty_p, d.b = NULL, d.w = slack;
            q = make(&d);
            s = solve(q, (ct_solver)k);
            assert_int_equal(s.outcome, CT_OUTCOME_SOLVED);
            ct_solution_free(&s), ct_problem_free(q);
            d.w = w; /* 4th row: a normal that no unknown moves */
            q = make(&d);
            s = solve(q, (ct_solver)k);
            assert_int_equal(s.outcome, CT_OUTCOME_INFEASIBLE);
            ct_solution_free(&s), ct_problem_free(q);
        }
}

/* ---- arguments of a solve ---- */

static uint64_t slow_clock(void *user) { return *(uint64_t *)user += 100000; }
static int watched;
static int refuses(void *user, int iteration, const double *x, const double *r)
{
    (void)user, (void)iteration, (void)x, (void)r;
    return watched++ < 1;
}

static void arguments(void **state)
{
    ct_problem_desc pd = desc_of(GLOBAL);
    ct_problem *q = make(&pd);
    ct_solver_desc d = ct_solver_desc_default(), good = d;
    ct_solution s, before;
    double x[4], r[6];
    int k;
    (void)state;
    memset(&s, 0, sizeof s);
    d.solver = good.solver = CT_SOLVER_AUTO;
    assert_int_equal(ct_problem_solve(NULL, &d, &s), CT_ERR_ARGUMENT);
    assert_int_equal(ct_problem_solve(q, NULL, &s), CT_ERR_ARGUMENT);
    assert_int_equal(ct_problem_solve(q, &d, NULL), CT_ERR_ARGUMENT);
    for (k = 0; k < 16; k++) {
        static const double off[] = {0, -1, NAN, INFINITY};
        d = good;
        if (k < 4)
            d.tolerance = (ct_real)off[k];
        else if (k < 6)
            d.seconds = off[k - 3];
        else if (k < 10)
            d.relaxation = k == 9 ? 2 : (ct_real)off[k - 6];
        else if (k < 12)
            d.order = k == 10 ? -1 : 3;
        else if (k == 12)
            d.budget = -1;
        else if (k == 13)
            d.cookie = 0;
        else if (k == 14)
            d.cone = (ct_cone)3;
        else
            d.solver = (ct_solver)CT_SOLVER_COUNT_;
        assert_int_equal(ct_problem_solve(q, &d, &s), CT_ERR_ARGUMENT);
    }
    /* a cone that the judge does not know is refused by name, not judged as another; without friction it does not matter */
    for (k = CT_CONE_BOX; k < CT_CONE_CONE; k++) {
        ct_problem_desc smooth = desc_of(GLOBAL_SMOOTH);
        ct_problem *other = make(&smooth);
        d = good, d.cone = (ct_cone)k;
        assert_int_equal(ct_problem_solve(q, &d, &s), CT_OK);
        assert_true(s.outcome == CT_OUTCOME_NOT_APPLICABLE && strstr(s.why, k == CT_CONE_BOX ? "CT_CONE_BOX" : "CT_CONE_PYRAMID"));
        assert_true(s.x[0] == 0 && s.r[0] == 0);
        assert_int_equal(ct_problem_solve(other, &d, &s), CT_OK);
        assert_int_equal(s.outcome, CT_OUTCOME_SOLVED);
        ct_solution_free(&s), ct_problem_free(other);
    }
    d = good, d.solver = CT_SOLVER_GEOMETRIC_CG; /* a stepper's own */
    assert_int_equal(ct_problem_solve(q, &d, &s), CT_ERR_UNSUPPORTED);
    /* starts: none, of another size, not finite; then into the caller's own arrays */
    d = good, d.warm = 1;
    assert_int_equal(ct_problem_solve(q, &d, &s), CT_ERR_ARGUMENT);
    memset(x, 0, sizeof x), memset(r, 0, sizeof r);
    s.x = x, s.r = r, s.n = 4, s.m = 5;
    assert_int_equal(ct_problem_solve(q, &d, &s), CT_ERR_ARGUMENT);
    s.m = 6, r[2] = NAN, before = s;
    assert_int_equal(ct_problem_solve(q, &d, &s), CT_ERR_ARGUMENT);
    assert_memory_equal(&before, &s, sizeof s);
    r[2] = 0.125;
    assert_int_equal(ct_problem_solve(q, &d, &s), CT_OK);
    assert_true(s.outcome == CT_OUTCOME_SOLVED && s.x == x && s.r == r && r[2] != 0.125);
    for (k = 0; k < CT_SOLVER_COUNT_; k++) { /* from the solution: it stays the solution */
        d.solver = (ct_solver)k;
        if (!ct_problem_solver_built(d.solver))
            continue;
        assert_int_equal(ct_problem_solve(q, &d, &s), CT_OK);
        assert_true(isfinite(s.r[0]));
    }
    ct_problem_free(q);
}

/* AUTO: one time limit for all its attempts, and a watcher that returns 0 ends it */
static void auto_ends(void **state)
{
    static const int32_t p[] = {0, 2, 4}, i[] = {0, 1, 0, 1};
    static const double none_x[] = {-1, 0.5, 0.5, -1}, none_w[] = {-1, -1}; /* no solution */
    ct_problem_desc pd = ct_problem_desc_default();
    ct_solver_desc d = ct_solver_desc_default();
    ct_problem *q;
    ct_solution s;
    uint64_t now = 0;
    (void)state;
    pd.kind = CT_PROBLEM_LCP, csr(&pd.W, 2, 2, p, i, none_x), pd.w = none_w;
    q = make(&pd);
    memset(&s, 0, sizeof s);
    d.solver = CT_SOLVER_AUTO, d.now_us = slow_clock, d.now_user = &now, d.seconds = 1;
    assert_int_equal(ct_problem_solve(q, &d, &s), CT_OK);
    assert_true(s.outcome != CT_OUTCOME_SOLVED);
    assert_true(s.seconds < 2); /* with one clock for each attempt it would be 4 */
    d.now_us = NULL, d.seconds = 0, d.watch = refuses, watched = 0;
    assert_int_equal(ct_problem_solve(q, &d, &s), CT_OK);
    assert_true(watched <= 3);
    ct_solution_free(&s), ct_problem_free(q);
}

/* ---- proofs ---- */

/* Rows that contradict each other except for an unknown with small entries: the value 1e11 of it solves them, so that the problem must not be
   called infeasible */
static void proofs(void **state)
{
    static const int32_t jp[] = {0, 2, 4}, ji[] = {0, 1, 0, 1}, ap[] = {0, 1, 2}, ai[] = {0, 1};
    static const double jx[] = {1, 1e-11, -1, 1e-11}, jw[] = {-1, -1}, ax[] = {1, 1e-22}, ab[] = {0, 0}, y[] = {1, 1}, unfit[] = {1, -1};
    static const double no_x[] = {1, 0, -1, 0};
    ct_problem_desc d = ct_problem_desc_default();
    ct_problem *q;
    double work[8], jz[4];
    int k;
    (void)state;
    csr(&d.A, 2, 2, ap, ai, ax), csr(&d.J, 2, 2, jp, ji, jx), d.b = ab, d.w = jw;
    q = make(&d);
    assert_int_equal(cti_program_certifies(&q->program, y, work), 0);
    for (k = 0; k < CT_SOLVER_COUNT_; k++)
        if (ct_problem_solver_built((ct_solver)k)) {
            ct_solution s = solve(q, (ct_solver)k);
            assert_true(s.outcome != CT_OUTCOME_INFEASIBLE);
            assert_true(k != CT_SOLVER_AUTO || (s.outcome == CT_OUTCOME_SOLVED && fabs(s.x[1] * 1e-11 - 1) < 1e-6));
            ct_solution_free(&s);
        }
    ct_problem_free(q);
    d.J.x = no_x;
    q = make(&d);
    assert_int_equal(cti_program_certifies(&q->program, y, work), 1);
    assert_int_equal(cti_program_certifies(&q->program, unfit, work), 0);
    memcpy(jz, y, sizeof y), jz[0] = NAN;
    assert_int_equal(cti_program_certifies(&q->program, jz, work), 0);
    for (k = 0; k < CT_SOLVER_COUNT_; k++)
        if (ct_problem_solver_built((ct_solver)k)) {
            ct_solution s = solve(q, (ct_solver)k);
            assert_true(s.outcome != CT_OUTCOME_SOLVED);
            assert_true(s.outcome != CT_OUTCOME_INFEASIBLE || cti_program_certifies(&q->program, s.r, work));
            assert_true(k != CT_SOLVER_AUTO || s.outcome == CT_OUTCOME_INFEASIBLE);
            ct_solution_free(&s);
        }
    ct_problem_free(q);
}

/* diverging numbers are no solution */
static void runaways(void **state)
{
    ct_problem_desc d = desc_of(LOCAL);
    ct_problem *q = make(&d);
    double r[6] = {1e200, 0, 0, 1e200, 0, 0}, u[6], work[32], huge[15];
    cti_judgement j;
    int k, e;
    (void)state;
    for (k = 0; k < 6; k++)
        for (e = 0; e < 3; e++) {
            static const double odd_ones[] = {NAN, INFINITY, 1e200};
            double z[6] = {0, 0, 0, 0, 0, 0};
            z[k] = odd_ones[e];
            cti_program_u(&q->program, u, z, u);
            cti_program_judge(&q->program, u, z, work, &j);
            assert_true(j.residual > 1e300);
        }
    cti_program_judge(&q->program, u, r, work, &j);
    assert_true(j.residual > 1e300);
    ct_problem_free(q);
    /* a trace that overflows: the natural map has no scale, so that nothing counts as a solution */
    for (k = 0; k < 15; k++)
        huge[k] = w_x[k] * (w_x[k] >= 2 ? 3e307 : 1);
    d.W.x = huge;
    q = make(&d);
    for (k = 0; k < 6; k++)
        r[k] = k % 3 ? 0 : 1e-300;
    cti_program_u(&q->program, u, r, u);
    cti_program_judge(&q->program, u, r, work, &j);
    assert_true(j.residual > 1e300);
    ct_problem_free(q);
}

/* ---- memory ---- */

typedef struct failing {
    long left;
} failing;
static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = (failing *)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return f->left-- <= 0 ? NULL : realloc(block, new_size);
}

/* Every allocation of every solver on every kind fails in turn: the outcome is MEMORY or another true one, nothing leaks, and nothing wrong is
   called a solution */
static void memory(void **state)
{
    int kind, k, refusals = 0;
    (void)state;
    for (kind = 0; kind < KINDS; kind++) {
        ct_problem_desc d = desc_of(kind);
        ct_problem *q = make(&d);
        for (k = 0; k < CT_SOLVER_COUNT_; k++) {
            cti_program_solver run = cti_solvers_find((ct_solver)k);
            cti_outcome said = CTI_OUTCOME_MEMORY;
            failing f;
            long n;
            for (n = 0; run && n < 3000; n++) {
                double x[6], r[6], work[32];
                ct_allocator own;
                cti_mem mem;
                cti_arena arena;
                cti_effort e;
                cti_answer a;
                cti_judgement j;
                f.left = n, own.resize = failing_resize, own.user = &f;
                cti_mem_init(&mem, &own), cti_arena_init(&arena, &mem);
                memset(&e, 0, sizeof e), memset(&a, 0, sizeof a), memset(x, 0, sizeof x), memset(r, 0, sizeof r);
                e.tolerance = 1e-8, e.relaxation = 1, e.arena = &arena;
                a.x = x, a.r = r, a.why = "";
                said = run(&q->program, &e, &a);
                cti_arena_free(&arena);
                assert_int_equal(mem.bytes_live, 0);
                cti_program_judge(&q->program, x, r, work, &j);
                if (said == CTI_OUTCOME_SOLVED && !(j.residual <= 1e-8))
                    fail_msg("solver %d, kind %d, request %ld: called solved, residual %g", k, kind, n, j.residual);
                assert_true(said != CTI_OUTCOME_INFEASIBLE);
                if (f.left >= 0)
                    break;
                refusals += said == CTI_OUTCOME_MEMORY;
            }
            assert_true(!run || (n < 3000 && said != CTI_OUTCOME_MEMORY));
        }
        ct_problem_free(q);
    }
    assert_true(refusals > 300);
}

/* ---- files ---- */

static const char *save(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void reads(const char *text, ct_code code, const char *part)
{
    ct_problem *q = NULL;
    ct_error_info e;
    ct_code got = ct_problem_read(save("test_hostile.blcp", text, strlen(text)), &q, &e);
    if (got != code || (code != CT_OK && !strstr(e.text, part)))
        fail_msg("%s: code %d, %s", text, got, got == CT_OK ? "" : e.text);
    if (got == CT_OK)
        ct_problem_free(q);
}

static void texts(void **state)
{
    (void)state;
    reads("n 1\nM 2\nq -1\nlo 0\nhi 1\n", CT_OK, "");
    reads("n 0\nM q", CT_OK, "");
    reads("n 1\nM 2\nM 2\nq -1\n", CT_ERR_FORMAT, "second");
    reads("n 1\nM 2\nq -1\nq -1\n", CT_ERR_FORMAT, "second");
    reads("n 1\nM 2\nn 1\nq -1\n", CT_ERR_FORMAT, "first");
    reads("n 1\nz 1\nn 4\nM 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\nq 1 1 1 1\n", CT_ERR_FORMAT, "first");
    reads("M\nn 1\nq 1\n", CT_ERR_FORMAT, "first");
    reads("q 1\nn 1\nM 1\n", CT_ERR_FORMAT, "keyword");
    reads("n 1\nexpect soon\nM 1\nq 1\n", CT_ERR_FORMAT, "nosolution");
    reads("n 1\nM nan\nq 1\n", CT_ERR_FORMAT, "number");
    reads("n 1\nM inf\nq 1\n", CT_ERR_DOMAIN, "finite");
    reads("n 1\nM 1\nq 0x10\n", CT_ERR_FORMAT, "number");
    reads("n 1\nM 1\nq 1e999\n", CT_ERR_FORMAT, "number");
    reads("n 1\nM 1\nq 1\nlo inf\nhi inf\n", CT_ERR_DOMAIN, "no number");
    reads("n 1\nM 1\nq 1\nlo 1\nhi 0\n", CT_ERR_DOMAIN, "above");
    reads("n 1\nM 1\nq 1\nlo 1\n", CT_ERR_DOMAIN, "bounds");
    reads("n 1\nM 1\n", CT_ERR_DOMAIN, "length");
    reads("n 1\nq 1\n", CT_ERR_DOMAIN, "size");
    reads("n 99999999999999999999\n", CT_ERR_FORMAT, "integer");
    reads("n 100001\n", CT_ERR_DOMAIN, "100000");
    reads("n -1\n", CT_ERR_DOMAIN, "100000");
    reads("lemke ray", CT_ERR_FORMAT, "lemke");
    reads("", CT_ERR_DOMAIN, "size");
    remove("test_hostile.blcp");
}

/* a number in a container's array `name`, at byte `at` of its data */
static unsigned char *place(unsigned char *bytes, size_t n, const char *name, size_t at)
{
    size_t k;
    for (k = 16; k + 32 <= n; k += 8)
        if (!strcmp((const char *)bytes + k, name))
            return bytes + k + 32 + at;
    fail_msg("no array %s", name);
    return NULL;
}

static void containers(void **state)
{
    static const struct {
        const char *name;
        size_t at;
        int32_t value;
        ct_code code;
    } change[] = {{"J.dim", 4, 0x0fffffff, CT_ERR_DOMAIN}, {"J.dim", 4, 3, CT_ERR_DOMAIN},      {"J.dim", 0, 0x7fffffff, CT_ERR_DOMAIN},
                  {"J.dim", 0, 5, CT_ERR_FORMAT},          {"P.dim", 4, 5, CT_ERR_DOMAIN},      {"P.dim", 0, -4, CT_ERR_DOMAIN},
                  {"P.p", 4, 100, CT_ERR_FORMAT},          {"P.p", 4, -1, CT_ERR_FORMAT},       {"P.i", 0, 4, CT_ERR_FORMAT},
                  {"P.i", 4, -1, CT_ERR_FORMAT},           {"b", 4, 0x7ff00000, CT_ERR_DOMAIN}, {"P.x", 4, 0x7ff80000, CT_ERR_DOMAIN},
                  {"P.x", 12, 0x40080000, CT_ERR_DOMAIN}};
    ct_problem_desc d = desc_of(QP_EQUATION);
    ct_problem *q = make(&d), *back;
    unsigned char bytes[4096], good[4096];
    size_t n, k;
    FILE *f;
    (void)state;
    assert_int_equal(ct_problem_write(q, "test_hostile.cpb", NULL), CT_OK);
    ct_problem_free(q);
    f = fopen("test_hostile.cpb", "rb");
    assert_non_null(f);
    n = fread(good, 1, sizeof good, f);
    fclose(f);
    /* a reference with the name of an array that a QP does not have */
    for (k = 0; k < 3; k++) {
        static const char *const none[] = {"lo", "hi", "mu"};
        ct_error_info e;
        char *name;
        memcpy(bytes, good, n);
        name = (char *)place(bytes, n, "equation", 0) - 32;
        memset(name, 0, 16), strcpy(name, none[k]);
        assert_int_equal(ct_problem_read(save("test_hostile.cpb", bytes, n), &back, &e), CT_ERR_FORMAT);
        assert_non_null(strstr(e.text, none[k]));
    }
    for (k = 0; k < sizeof change / sizeof *change; k++) {
        ct_error_info e;
        memcpy(bytes, good, n);
        memcpy(place(bytes, n, change[k].name, change[k].at), &change[k].value, 4);
        back = NULL;
        if (ct_problem_read(save("test_hostile.cpb", bytes, n), &back, &e) != change[k].code)
            fail_msg("change %d: %s", (int)k, back ? "read" : e.text);
    }
    remove("test_hostile.cpb");
}

/* a clock that is the same in every run: a millisecond between two readings */
static uint64_t counting_clock(void *user) { return *(uint64_t *)user += 1000; }

/* Bytes of files of every kind are changed at random, and what can still be read is solved: no crash, and no wrong outcome */
static void mutations(void **state)
{
    static const char *const tokens[] = {" 1e300", " -1e-300", " 0 ", " inf", " -7 ", " 1e-9"};
    static const double numbers[] = {0, -1, 1e300, 1e-300, 1e9, NAN, -INFINITY, 1e160};
    uint64_t seed = 42, now;
    int kind, turn, k, mutation, read = 0;
    (void)state;
    for (kind = 0; kind < KINDS; kind++) {
        ct_problem_desc d = desc_of(kind);
        const char *path = d.kind == CT_PROBLEM_LCP ? "test_hostile.lcp" : "test_hostile.cpb";
        ct_problem *q = make(&d);
        unsigned char bytes[4096], good[4096];
        size_t n, at;
        FILE *f;
        assert_int_equal(ct_problem_write(q, path, NULL), CT_OK);
        ct_problem_free(q);
        f = fopen(path, "rb");
        assert_non_null(f);
        n = fread(good, 1, sizeof good, f);
        fclose(f);
        for (turn = 0; turn < 250; turn++) {
            memcpy(bytes, good, n);
            for (mutation = 0; mutation < 1 + turn % 3; mutation++) {
                seed = seed * 6364136223846793005ull + 1442695040888963407ull;
                at = (size_t)(seed >> 33) % (n - 16);
                if (turn % 4 == 0)
                    bytes[at] ^= (unsigned char)(1 << (seed >> 60) % 8);
                else if (d.kind == CT_PROBLEM_LCP)
                    memcpy(bytes + at, tokens[(seed >> 20) % 6], strlen(tokens[(seed >> 20) % 6]));
                else
                    memcpy(bytes + at / 8 * 8, &numbers[(seed >> 20) % 8], 8);
            }
            if (ct_problem_read(save(path, bytes, n), &q, NULL) != CT_OK)
                continue;
            read++;
            for (k = 0; k < CT_SOLVER_COUNT_; k++) {
                ct_solver_desc sd = ct_solver_desc_default();
                ct_solution s;
                double work[64];
                int i;
                if (!ct_problem_solver_built((ct_solver)k) || (k + turn) % 7)
                    continue;
                memset(&s, 0, sizeof s);
                sd.solver = (ct_solver)k, sd.budget = 60, sd.tolerance = (ct_real)1e-6, sd.order = turn % 3;
                /* budget bounds the rounds of staggering, the clock bounds a round */
                sd.now_us = counting_clock, sd.now_user = &now, sd.seconds = 20, now = 0;
                assert_int_equal(ct_problem_solve(q, &sd, &s), CT_OK);
                for (i = 0; i < s.m && s.outcome == CT_OUTCOME_SOLVED; i++)
                    assert_true(isfinite(s.r[i]));
                assert_true(s.outcome != CT_OUTCOME_INFEASIBLE || cti_program_certifies(&q->program, s.r, work));
                ct_solution_free(&s);
            }
            ct_problem_free(q);
        }
        remove(path);
    }
    assert_true(read > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(writing),    cmocka_unit_test(arrays),
                                       cmocka_unit_test(nothing),    cmocka_unit_test(arguments),  cmocka_unit_test(auto_ends),
                                       cmocka_unit_test(proofs),     cmocka_unit_test(runaways),   cmocka_unit_test(memory),
                                       cmocka_unit_test(texts),      cmocka_unit_test(containers), cmocka_unit_test(mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
