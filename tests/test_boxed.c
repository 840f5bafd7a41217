/* test_boxed.c -- boxed linear complementarity against all bases by enumeration, exponential examples, fallbacks, friction, budgets,
 * memory. */
#include "../src/4_programs/boxed.h"
#include "../src/4_programs/lemke.h"
#include "lcp_util.h"

/* bounds of every sort: finite, open on one side, fixed, and free where `open` */
static void random_bounds(int k, int n, int open, double *lo, double *hi)
{
    int i;
    for (i = 0; i < n; i++) {
        lo[i] = -lcp_uniform(), hi[i] = lcp_uniform();
        if (i == k % 9)
            lo[i] = hi[i] = 0.25;
        if (open && i == k % 7)
            lo[i] = -INFINITY;
        if (open && i == k % 6)
            hi[i] = INFINITY;
        if (open && i == k % 5)
            lo[i] = 0, hi[i] = INFINITY;
    }
}

/* A positive definite matrix, symmetric or not: pivoting alone finds the unique solution, from any start */
static void definite(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 400; k++) {
        double M[64], q[8], lo[8], hi[8], z[8], x[8];
        uint8_t at[8];
        int n = 1 + k % 7;
        const cti_lcp p = cti_lcp_boxed(M, q, lo, hi, n);
        bench b;
        lcp_seed = (uint64_t)k + 3;
        lcp_random(k % 2, n, M);
        random_bounds(k, n, 1, lo, hi);
        for (i = 0; i < n; i++)
            q[i] = 2 * lcp_signed(), at[i] = (uint8_t)(k % 3 == 0 ? CTI_FACE_LOWER : (int)(3 * lcp_uniform()));
        bench_open(&b);
        assert_int_equal(cti_boxed_pivot(&p, at, &b.e, &b.a, z), CTI_OUTCOME_SOLVED);
        assert_true(lcp_enumerate(M, q, lo, hi, n, x) >= 1);
        for (i = 0; i < n; i++) {
            assert_true(fabs(z[i] - x[i]) < 1e-8 * (1 + fabs(x[i])));
            assert_true(at[i] == CTI_FACE_FREE || z[i] == (at[i] == CTI_FACE_UPPER ? hi[i] : lo[i]));
        }
        assert_true(b.a.iterations <= 40 + 4 * n);
        cti_arena_free(&b.arena);
    }
}

static void solve_lcp(bench *b, int n, const double *M, const double *q, const double *lo, const double *hi, cti_outcome *said)
{
    cti_program p;
    lcp_program(&b->mem, &p, CTI_PROGRAM_LCP, n, M, q);
    assert_true(CTI_RESIZE(&b->mem, p.lo, n) && CTI_RESIZE(&b->mem, p.hi, n));
    memcpy(p.lo, lo, sizeof *lo * (size_t)n), memcpy(p.hi, hi, sizeof *hi * (size_t)n);
    assert_null(cti_program_check(&p));
    *said = cti_solver_boxed(&p, &b->e, &b->a);
    cti_program_free(&b->mem, &p);
}

/* Semidefinite and arbitrary matrices between finite bounds: a solution exists, and the solver with its fallback finds one */
static void any_matrix(void **state)
{
    int k, i, j, solved = 0;
    (void)state;
    for (k = 0; k < 300; k++) {
        double M[64], q[8], lo[8], hi[8], x[8];
        int n = 2 + k % 5, kind = 2 + k % 4;
        cti_outcome said;
        bench b;
        lcp_seed = (uint64_t)k + 11;
        lcp_random(kind, n, M);
        random_bounds(k, n, 0, lo, hi);
        for (i = 0; i < n; i++)
            q[i] = lcp_signed();
        bench_open(&b);
        solve_lcp(&b, n, M, q, lo, hi, &said);
        assert_true(lcp_enumerate(M, q, lo, hi, n, x) >= 1);
        assert_int_equal(said, CTI_OUTCOME_SOLVED);
        assert_true(lcp_breach(M, q, lo, hi, n, b.r) < 1e-9);
        for (i = 0; i < n; i++) { /* x is u */
            double u = q[i];
            for (j = 0; j < n; j++)
                u += M[i * n + j] * b.r[j];
            assert_true(fabs(u - b.x[i]) < 1e-12);
        }
        solved++;
        cti_arena_free(&b.arena);
    }
    assert_int_equal(solved, 300);
}

/* Murty's matrix takes Lemke 2^n pivots; block pivoting takes about n blocks */
static void exponential(void **state)
{
    double M[1024], q[32], lo[32], hi[32], z[32];
    uint8_t at[32];
    int n = 32, i, j;
    cti_lcp p;
    bench b;
    (void)state;
    for (i = 0; i < n; i++)
        for (at[i] = CTI_FACE_LOWER, q[i] = -1, lo[i] = 0, hi[i] = INFINITY, j = 0; j < n; j++)
            M[i * n + j] = j < i ? 2 : (i == j ? 1 : 0);
    p = cti_lcp_boxed(M, q, lo, hi, n);
    bench_open(&b);
    assert_int_equal(cti_boxed_pivot(&p, at, &b.e, &b.a, z), CTI_OUTCOME_SOLVED);
    print_message("%d blocks\n", b.a.iterations);
    assert_true(b.a.iterations <= 2 * n);
    assert_true(z[0] == 1 && at[0] == CTI_FACE_FREE);
    for (i = 1; i < n; i++)
        assert_true(z[i] == 0 && at[i] == CTI_FACE_LOWER);
    cti_arena_free(&b.arena);
}

/* rank one, forty equal rows: the multipliers are not unique, their sum is */
static void redundant(void **state)
{
    double M[1600], q[40], lo[40], hi[40], sum = 0;
    int n = 40, i;
    cti_outcome said;
    bench b;
    (void)state;
    for (i = 0; i < n * n; i++)
        M[i] = 1;
    for (i = 0; i < n; i++)
        q[i] = -1, lo[i] = 0, hi[i] = 0.1;
    bench_open(&b);
    solve_lcp(&b, n, M, q, lo, hi, &said);
    assert_int_equal(said, CTI_OUTCOME_SOLVED);
    for (i = 0; i < n; i++) {
        assert_true(b.r[i] >= 0 && b.r[i] <= 0.1);
        sum += b.r[i];
    }
    assert_true(fabs(sum - 1) < 1e-12);
    cti_arena_free(&b.arena);
}

/* A unit mass, pushed down and along (3, 4), slides at mu 0.5, sticks at mu 10 and is frictionless at 0. The force lies on the round cone, not on
   the box */
static void sliding(void **state)
{
    (void)state;
    lcp_slide(cti_solver_boxed);
}

/* Four contacts with coupled random W, mu 0 and 0.3: the judge confirms what both solvers call solved, and without friction they agree */
static void coupled(void **state)
{
    int k, i, solved = 0;
    (void)state;
    for (k = 0; k < 40; k++) {
        double F[144], W[144], w[12], work[48], frictionless[12];
        int n = 12, s, j, l;
        bench b;
        cti_program p;
        cti_judgement judged;
        lcp_seed = (uint64_t)k + 21;
        for (i = 0; i < n * n; i++)
            F[i] = lcp_signed();
        for (i = 0; i < n; i++)
            for (w[i] = i % 3 ? lcp_signed() : -lcp_uniform(), j = 0; j < n; j++)
                for (W[i * n + j] = i == j, l = 0; l < n; l++)
                    W[i * n + j] += 0.2 * F[i * n + l] * F[j * n + l];
        bench_open(&b);
        lcp_program(&b.mem, &p, CTI_PROGRAM_LOCAL, n, W, w);
        assert_true(CTI_RESIZE(&b.mem, p.mu, 4));
        for (i = 0; i < 4; i++)
            p.mu[i] = k % 2 ? 0.3 : 0;
        assert_true(cti_program_prepare(&b.mem, &p));
        for (s = 0; s < 2; s++) {
            cti_outcome said = s ? cti_solver_boxed(&p, &b.e, &b.a) : cti_solver_lemke(&p, &b.e, &b.a);
            cti_program_judge(&p, b.x, b.r, work, &judged);
            assert_true(said == CTI_OUTCOME_SOLVED || (said == CTI_OUTCOME_FAILED && k % 2));
            assert_true((said == CTI_OUTCOME_SOLVED) == (judged.residual <= 1e-8));
            solved += said == CTI_OUTCOME_SOLVED;
            for (i = 0; i < n && s && k % 2 == 0; i++)
                assert_true(fabs(b.r[i] - frictionless[i]) < 1e-8);
            memcpy(frictionless, b.r, sizeof frictionless);
        }
        cti_program_free(&b.mem, &p);
        cti_arena_free(&b.arena);
    }
    print_message("%d of 80 solved\n", solved);
    assert_true(solved >= 70);
}

static int stop_at_once(void *user, int iteration, const double *x, const double *r)
{
    (void)user, (void)iteration, (void)x, (void)r;
    return 0;
}

static void budget(void **state)
{
    static const double M[4] = {2, 1, 1, 2}, q[2] = {-1, -1}, lo[2] = {0, 0}, hi[2] = {1, 1};
    cti_outcome said;
    bench b;
    (void)state;
    bench_open(&b);
    b.e.watcher.watch = stop_at_once;
    solve_lcp(&b, 2, M, q, lo, hi, &said);
    assert_int_equal(said, CTI_OUTCOME_BUDGET);
    assert_true(b.a.why[0] != 0);
    cti_arena_free(&b.arena);
}

/* an allocator that fails from the k-th request on: every solve reports it and leaks nothing */
typedef struct failing {
    int left, alive;
} failing;
static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = (failing *)user;
    (void)old_size;
    if (new_size == 0) {
        f->alive -= block != NULL;
        free(block);
        return NULL;
    }
    if (f->left-- <= 0)
        return NULL;
    f->alive += block == NULL;
    return realloc(block, new_size);
}

static void memory(void **state)
{
    static const double M[9] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, q[3] = {-1, -1, -1};
    int k, s, ended = 0;
    (void)state;
    for (s = 0; s < 2; s++)
        for (ended = 0, k = 0; k < 400 && !ended; k++) {
            bench b;
            cti_program p;
            failing f = {1 << 20, 0};
            ct_allocator allocator;
            cti_outcome said;
            int before;
            memset(&allocator, 0, sizeof allocator);
            allocator.resize = failing_resize, allocator.user = &f;
            bench_open(&b);
            cti_mem_init(&b.mem, &allocator);
            lcp_program(&b.mem, &p, CTI_PROGRAM_LCP, 3, M, q);
            before = f.alive, f.left = k;
            said = s ? cti_solver_boxed(&p, &b.e, &b.a) : cti_solver_lemke(&p, &b.e, &b.a);
            f.left = 1 << 20;
            cti_arena_free(&b.arena);
            assert_int_equal(f.alive, before);
            assert_true(said == CTI_OUTCOME_MEMORY || said == CTI_OUTCOME_SOLVED);
            assert_true(k > 0 || said == CTI_OUTCOME_MEMORY);
            ended = said == CTI_OUTCOME_SOLVED;
            cti_program_free(&b.mem, &p);
            assert_int_equal(f.alive, 0);
        }
    assert_true(ended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite), cmocka_unit_test(any_matrix), cmocka_unit_test(exponential), cmocka_unit_test(redundant),
        cmocka_unit_test(sliding),  cmocka_unit_test(coupled),    cmocka_unit_test(budget),      cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
