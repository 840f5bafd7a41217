/* test_ica_program.c -- ICA on stand-alone problems: solved by hand, random with any rows, with friction and arms; refusals, watchers,
   failing memory; and traces of every solver. */
#include "program_check.h"
#include "../src/4_programs/ica_program.h"
#include "../src/9_world/problems.h"

/* 1/2 |x|^2 - b.x, x_y >= 1: the row holds */
static void by_hand(void **state)
{
    static const double A[9] = {1, 0, 0, 0, 2, 0, 0, 0, 4}, b[3] = {3, -5, 8}, J[3] = {0, 1, 0}, w[1] = {-1};
    qp q;
    (void)state;
    qp_make(&q, 3, 1, A, b, J, w, 0);
    qp_solved(&q, cti_solver_ica);
    assert_true(fabs(q.x[0] - 3) < 1e-9 && fabs(q.x[1] - 1) < 1e-9 && fabs(q.x[2] - 2) < 1e-9 && fabs(q.r[0] - 7) < 1e-8);
    qp_drop(&q);
}

/* rows of any direction in up to four blocks, sizes that are no multiple of three, equations: the judge compares with block pivoting's solution */
static void at_random(void **state)
{
    int turn, plain;
    (void)state;
    for (turn = 0; turn < 40; turn++)
        for (plain = 0; plain < 2; plain++) {
            qp q;
            int n = 4 + turn % 9, m = 1 + turn % 5;
            qp_random(&q, n, m, turn % 3 == 2 && m > 1 ? 1 : 0, 0.8);
            q.e.plain = plain;
            qp_solved(&q, cti_solver_ica);
            assert_true(q.a.iterations > 0);
            qp_drop(&q);
        }
}

enum { BLOCKS = 4, CONTACTS = 2 };

/* contacts of a node against a triangle, and with turn: of a lever (weight 0 and an arm); F any rotation */
static void make_contacts(qp *q, double mu, int lever, double skew)
{
    static double A[9 * BLOCKS * BLOCKS], J[9 * CONTACTS * BLOCKS], b[3 * BLOCKS], w[3 * CONTACTS], m[CONTACTS];
    double weight[BLOCKS] = {1, -0.2, -0.3, -0.5}, arm[3] = {0.3, -0.2, 0.5};
    int i, j, k, c, n = 3 * BLOCKS;
    qp_begin(q, CTI_PROGRAM_GLOBAL, n, 3 * CONTACTS);
    memset(J, 0, sizeof J);
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++)
            A[i * n + j] = i == j ? 2 + 0.1 * i : 0.15 * ((i + j) % 3 - 1);
        b[i] = uniform() - 0.5;
    }
    for (c = 0; c < CONTACTS; c++) {
        double a = uniform() * 6, d = uniform() * 3;
        double F[9] = {cos(a) * cos(d), sin(a) * cos(d), sin(d), -sin(a), cos(a), 0, -cos(a) * sin(d), -sin(a) * sin(d), cos(d)};
        for (k = 0; k < BLOCKS; k++) {
            double M[9] = {0};
            for (i = 0; i < 3; i++)
                M[4 * i] = weight[k];
            if (lever && k == 1) {
                M[0] = M[4] = M[8] = 0;
                M[1] = arm[2], M[2] = -arm[1], M[3] = -arm[2], M[5] = arm[0], M[6] = arm[1], M[7] = -arm[0];
            }
            M[1] += k == 2 ? skew : 0, M[3] += k == 2 ? skew : 0;
            for (i = 0; i < 9; i++)
                for (j = 0; j < 3; j++)
                    J[(3 * c + i / 3) * n + 3 * k + i % 3] += F[3 * (i / 3) + j] * M[3 * j + i % 3];
        }
        for (i = 0; i < 3; i++)
            w[3 * c + i] = i ? 2 * (uniform() - 0.5) : -0.5 - uniform();
        m[c] = mu;
    }
    sparse_full(&q->mem, n, n, A, &q->p.A);
    sparse_full(&q->mem, 3 * CONTACTS, n, J, &q->p.J);
    q->p.b = vector_copy(&q->mem, b, n), q->p.w = vector_copy(&q->mem, w, 3 * CONTACTS), q->p.mu = vector_copy(&q->mem, m, CONTACTS);
    assert_null(cti_program_check(&q->p));
    assert_true(cti_program_prepare(&q->mem, &q->p));
}

static void friction(void **state)
{
    int turn, pressed = 0;
    (void)state;
    for (turn = 0; turn < 40; turn++) {
        qp q;
        make_contacts(&q, turn % 4 ? 0.2 * (turn % 4) : 0, turn & 1, 0);
        qp_solved(&q, cti_solver_ica);
        pressed += q.r[0] > 1e-3;
        qp_drop(&q);
    }
    assert_true(pressed > 20);
}

/* problems without this form are refused: a sheared block, no matrix */
static void refuses(void **state)
{
    static const double W[1] = {1}, one[1] = {-1};
    qp q;
    (void)state;
    make_contacts(&q, 0.5, 0, 0.1);
    assert_int_equal(qp_solve(&q, cti_solver_ica), CTI_OUTCOME_NOT_APPLICABLE);
    assert_true(strlen(q.a.why) > 10);
    qp_drop(&q);
    make_contacts(&q, 0, 0, 0.1); /* without friction only the normal row counts, and any row has this form */
    qp_solved(&q, cti_solver_ica);
    qp_drop(&q);
    qp_begin(&q, CTI_PROGRAM_LCP, 1, 1);
    sparse_full(&q.mem, 1, 1, W, &q.p.W);
    q.p.w = vector_copy(&q.mem, one, 1);
    assert_int_equal(qp_solve(&q, cti_solver_ica), CTI_OUTCOME_NOT_APPLICABLE);
    qp_drop(&q);
}

/* 1/2 (2 x^2 - 3 y^2) - x - y with x >= 0 has no minimum: the point where its gradient vanishes is none. A singular convex form has minima */
static void indefinite(void **state)
{
    static const double A[4] = {2, 0, 0, -3}, b[2] = {1, 1}, c[6] = {1, 0, 0, -1, 0, 0}, J[6] = {1, 0}, w[1] = {0};
    static const double mixed[9] = {1e10, 0, 0, 0, 1, 2, 0, 2, 1}, d[3] = {1e10, 1, 1}, first[3] = {1, 0, 0};
    double flat[36];
    int k;
    qp q;
    (void)state;
    for (k = 0; k < 36; k++)
        flat[k] = k / 6 == k % 6 ? 1 : (k / 6 % 3 == k % 3 ? -1 : 0);
    qp_make(&q, 2, 1, A, b, J, w, 0);
    assert_int_equal(qp_solve(&q, cti_solver_ica), CTI_OUTCOME_NOT_APPLICABLE);
    assert_non_null(strstr(q.a.why, "not convex"));
    qp_drop(&q);
    /* in any units: beside an entry of 1e10, too */
    qp_make(&q, 3, 1, mixed, d, first, w, 0);
    assert_int_equal(qp_solve(&q, cti_solver_ica), CTI_OUTCOME_NOT_APPLICABLE);
    qp_drop(&q);
    qp_make(&q, 6, 1, flat, c, J, w, 0);
    qp_solved(&q, cti_solver_ica);
    qp_drop(&q);
}

/* a row over seventeen blocks does not fit, one over sixteen does */
static void sixteen_blocks(void **state)
{
    int blocks, i;
    (void)state;
    for (blocks = 16; blocks <= 17; blocks++) {
        cti_mem mem;
        cti_arena arena;
        cti_program p;
        cti_effort e;
        cti_answer a;
        int32_t at[3 * 17], row[3 * 17], n = 3 * blocks;
        double x[3 * 17] = {0}, r[1] = {0}, one[3 * 17], zero[3 * 17] = {0}, want = -1;
        memset(&p, 0, sizeof p), memset(&e, 0, sizeof e), memset(&a, 0, sizeof a);
        cti_mem_init(&mem, NULL);
        cti_arena_init(&arena, &mem);
        for (i = 0; i < n; i++)
            at[i] = i, row[i] = 0, one[i] = 1;
        p.kind = CTI_PROGRAM_QP, p.n = n, p.m = 1;
        assert_true(cti_sparse_from_triplets(&mem, n, n, at, at, one, n, &p.A));
        assert_true(cti_sparse_from_triplets(&mem, 1, n, row, at, one, n, &p.J));
        p.b = vector_copy(&mem, zero, n), p.w = vector_copy(&mem, &want, 1);
        e.tolerance = CHECK_TOLERANCE / 10, e.arena = &arena, a.x = x, a.r = r;
        assert_int_equal(cti_solver_ica(&p, &e, &a), blocks == 16 ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_NOT_APPLICABLE);
        if (blocks == 16) /* sum x = 1 at least: x = 1 / n */
            assert_true(fabs(x[7] - 1.0 / n) < CHECK_TOLERANCE / 10 && fabs(r[0] - 1.0 / n) < CHECK_TOLERANCE / 10);
        cti_arena_free(&arena);
        cti_program_free(&mem, &p);
        assert_int_equal(mem.bytes_live, 0);
    }
}

static int watched, ended_at;
static int look(void *user, int iteration, const double *x, const double *r)
{
    (void)user, (void)x, (void)r;
    watched++;
    return ended_at == 0 || iteration < ended_at;
}

/* The watcher sees the outer iterations one by one and may end them; a warm start is where the last solve ended */
static void watch_and_warm(void **state)
{
    qp q;
    (void)state;
    qp_random(&q, 12, 4, 0, 0.3);
    q.e.watcher.watch = look, watched = 0, ended_at = 2;
    assert_int_equal(qp_solve(&q, cti_solver_ica), CTI_OUTCOME_BUDGET);
    assert_int_equal(watched, 2);
    assert_int_equal(q.a.iterations, 2);
    ended_at = 0;
    qp_solved(&q, cti_solver_ica);
    assert_true(q.a.iterations > (CONTACT_REAL == 32 ? 2 : 4));
    q.e.warm = 1;
    qp_solved(&q, cti_solver_ica);
    assert_int_equal(q.a.iterations, 1);
    qp_drop(&q);
}

/* the bound on iterations holds */
static void budget(void **state)
{
    qp q;
    (void)state;
    qp_random(&q, 12, 4, 0, 0.3);
    q.e.max_iterations = 3;
    assert_int_equal(qp_solve(&q, cti_solver_ica), CTI_OUTCOME_BUDGET);
    assert_int_equal(q.a.iterations, 3);
    qp_drop(&q);
}

static int calls, fails_at;
static void *failing(void *user, void *p, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    return ++calls == fails_at ? NULL : realloc(p, new_size);
}

static void failing_memory(void **state)
{
    int k, ok = 0;
    (void)state;
    for (k = 1; k < 200 && !ok; k++) {
        qp q;
        ct_allocator old;
        qp_random(&q, 12, 4, 0, 0.3);
        old = q.mem.user;
        q.mem.user.resize = failing;
        calls = 0, fails_at = k;
        ok = qp_solve(&q, cti_solver_ica) != CTI_OUTCOME_MEMORY;
        q.mem.user = old;
        assert_true(!ok || calls < fails_at);
        qp_drop(&q);
    }
    assert_true(ok && k > 3);
}

/* ---- traces ---- */

static int lines, last_iteration;
static double last_seconds, last_residual, first_residual;
static int traced(void *user, const ct_solution *s)
{
    (void)user;
    assert_true(lines == 0 || (s->iterations >= last_iteration && s->seconds >= last_seconds));
    if (lines++ == 0)
        first_residual = s->residual;
    last_iteration = s->iterations, last_seconds = s->seconds, last_residual = s->residual;
    return 1;
}

static uint64_t ticks;
static uint64_t tick(void *user)
{
    (void)user;
    return ticks += 1000;
}

/* a decoupled QP: bodies' diagonal blocks, chained, a row on every third unknown */
static ct_problem *chain(int decoupled)
{
    enum { N = 36, M = 12 };
    ct_problem *problem = cti_problem_new();
    int32_t i[4 * N], j[4 * N], n = 0, k;
    double x[4 * N], b[N], w[M];
    for (k = 0; k < N; k++) {
        i[n] = j[n] = k, x[n++] = 2.05, b[k] = k % 3 == 1 ? -1 : 0.3;
        if (k + 3 < N) {
            i[n] = k, j[n] = k + 3, x[n++] = -1;
            i[n] = k + 3, j[n] = k, x[n++] = -1;
        }
    }
    assert_true(cti_sparse_from_triplets(&problem->mem, N, N, i, j, x, n, &problem->program.A));
    for (k = 0, n = 0; k < M; k++) {
        i[n] = k, j[n] = 3 * k + 1, x[n++] = 1, w[k] = 0.5;
        if (!decoupled && k > 0)
            i[n] = k, j[n] = 3 * k - 2, x[n++] = -0.4;
    }
    assert_true(cti_sparse_from_triplets(&problem->mem, M, N, i, j, x, n, &problem->program.J));
    problem->program.b = vector_copy(&problem->mem, b, N), problem->program.w = vector_copy(&problem->mem, w, M);
    problem->program.kind = CTI_PROGRAM_QP, problem->program.n = N, problem->program.m = M;
    assert_null(cti_program_check(&problem->program));
    return problem;
}

/* Iterative solvers show answers that improve, the last of which is their result, and tracing changes no result. The clock ticks with every call,
   which shows that calls by a trace are not counted */
static void traces(void **state)
{
    static const ct_solver solvers[] = {CT_SOLVER_ICA, CT_SOLVER_PGS, CT_SOLVER_MPRGP, CT_SOLVER_INTERIOR};
    size_t k;
    int decoupled;
    (void)state;
    for (decoupled = 0; decoupled < 2; decoupled++)
        for (k = 0; k < sizeof solvers / sizeof *solvers; k++) {
            ct_problem *problem = chain(decoupled);
            ct_solver_desc d = ct_solver_desc_default();
            ct_solution plain, s;
            memset(&plain, 0, sizeof plain), memset(&s, 0, sizeof s);
            d.solver = solvers[k], d.tolerance = (ct_real)CHECK_TOLERANCE;
            assert_int_equal(ct_problem_solve(problem, &d, &plain), CT_OK);
            d.trace = traced, d.now_us = tick, lines = 0, last_residual = 1e9;
            assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
            assert_int_equal(s.outcome, CT_OUTCOME_SOLVED);
            assert_int_equal(s.iterations, plain.iterations);
            assert_memory_equal(s.x, plain.x, sizeof *s.x * (size_t)s.n);
            assert_memory_equal(s.r, plain.r, sizeof *s.r * (size_t)s.m);
            if (!(lines >= 2 && lines <= s.iterations + 1))
                print_message("%s: %d lines, %d iterations\n", ct_solver_text(solvers[k]), lines, s.iterations);
            assert_true(lines >= 2 && lines <= s.iterations + 1);
            if (!(first_residual > 1e-3 && (lines < 5 || last_residual < 0.2 * first_residual)))
                print_message("%s: %d lines, residual %g to %g\n", ct_solver_text(solvers[k]), lines, first_residual, last_residual);
            assert_true(first_residual > 1e-3 && (lines < 5 || last_residual < 0.2 * first_residual));
            assert_true(s.seconds >= last_seconds);
            ct_solution_free(&s), ct_solution_free(&plain);
            ct_problem_free(problem);
        }
}

static uint64_t clock_us;
static uint64_t standing(void *user)
{
    (void)user;
    return clock_us;
}
static int slow_watch(void *user, const ct_solution *s)
{
    (void)user, (void)s;
    clock_us += 1000000; /* the trace takes a second each time */
    return 1;
}
static int short_trace(void *user, const ct_solution *s)
{
    (void)user;
    return s->iterations < 3;
}

/* the time of tracing counts neither for the seconds nor for the limit; and a trace can end a solve */
static void trace_is_free(void **state)
{
    ct_problem *problem = chain(1);
    ct_solver_desc d = ct_solver_desc_default();
    ct_solution s;
    (void)state;
    memset(&s, 0, sizeof s);
    d.solver = CT_SOLVER_MPRGP, d.tolerance = CTI_R(1e-9), d.seconds = 0.5, d.now_us = standing, d.trace = slow_watch;
    assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
    assert_int_equal(s.outcome, CT_OUTCOME_SOLVED);
    assert_true(s.seconds == 0 && clock_us > 1000000);
    d.trace = short_trace, d.solver = CT_SOLVER_ICA;
    assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
    assert_int_equal(s.outcome, CT_OUTCOME_BUDGET);
    assert_int_equal(s.iterations, 3);
    ct_solution_free(&s);
    ct_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),      cmocka_unit_test(at_random),      cmocka_unit_test(friction),
                                       cmocka_unit_test(refuses),      cmocka_unit_test(sixteen_blocks), cmocka_unit_test(watch_and_warm),
                                       cmocka_unit_test(budget),       cmocka_unit_test(failing_memory), cmocka_unit_test(traces),
                                       cmocka_unit_test(trace_is_free), cmocka_unit_test(indefinite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
