/* test_pgs.c -- Coulomb's law at one contact, Schur complements of sparse rows, projected Gauss-Seidel and full anticipation on stand-alone
   problems: by hand, at random against each other and the judge, redundant, without a solution, badly scaled, and the data folder's. */
#include "../src/2_linalg/dense.h"
#include "../src/2_linalg/schur.h"
#include "../src/4_programs/ca.h"
#include "../src/4_programs/coulomb.h"
#include "../src/4_programs/pgs.h"
#include "../src/9_world/problems.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

static uint64_t seed = 3;
static double rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

/* ---- one contact ---- */

/* relative distance of r from the contact law */
static double law(const double *W, const double *q, double mu, const double *r)
{
    double u[3], a[3], t, off = 0, size = 1e-300, d = 3 / (W[0] + W[4] + W[8]);
    int i;
    for (i = 0; i < 3; i++)
        u[i] = q[i] + W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2];
    t = sqrt(u[1] * u[1] + u[2] * u[2]);
    for (i = 0; i < 3; i++)
        a[i] = r[i] - d * (u[i] + (i == 0 ? mu * t : 0));
    cti_cone_project3(mu, a);
    for (i = 0; i < 3; i++)
        off = fmax(off, fabs(r[i] - a[i])), size = fmax(size, fmax(fabs(r[i]), fmax(d * fabs(q[i]), fabs(a[i]))));
    return off / size;
}

static void coulomb_by_hand(void **state)
{
    static const double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, open[3] = {0.5, 9, 9}, stick[3] = {-2, 0.5, -0.5}, slide[3] = {-1, 3, 4};
    double r[3] = {7, 7, 7};
    (void)state;
    assert_int_equal(cti_coulomb_solve(I, open, 0.5, r), 1);
    assert_true(r[0] == 0 && r[1] == 0 && r[2] == 0);
    assert_int_equal(cti_coulomb_solve(I, stick, 0.5, r), 1);
    assert_true(fabs(r[0] - 2) < 1e-15 && fabs(r[1] + 0.5) < 1e-15 && fabs(r[2] - 0.5) < 1e-15);
    /* r_n = 1, r_t = -0.5 (3, 4) / 5 */
    assert_int_equal(cti_coulomb_solve(I, slide, 0.5, r), 1);
    assert_true(fabs(r[0] - 1) < 1e-14 && fabs(r[1] + 0.3) < 1e-14 && fabs(r[2] + 0.4) < 1e-14);
    assert_int_equal(cti_coulomb_solve(I, slide, 0, r), 1);
    assert_true(r[0] == 1 && r[1] == 0 && r[2] == 0);
    /* a contact whose normal velocity no impulse changes */
    {
        static const double Z[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
        assert_int_equal(cti_coulomb_solve(Z, slide, 0.5, r), 0);
        assert_true(r[0] == 0 && r[1] == 0 && r[2] == 0);
    }
}

/* W = B'B + shift, rank 1 to 3, skewed by a little in some */
static void coulomb_at_random(void **state)
{
    static const double mus[] = {0, 1e-6, 0.1, 0.5, 1, 3, 50};
    int trial, i, j, k, bad = 0, none = 0;
    (void)state;
    for (trial = 0; trial < 40000; trial++) {
        double B[9], W[9], q[3], r[3], mu = mus[trial % 7], shift = trial % 3 == 0 ? 1e-9 : (trial % 3 == 1 ? 0.1 : 1e-4),
                                       scale = pow(10, 6 * rnd());
        int rank = 1 + trial / 7 % 3, got, skewed;
        for (i = 0; i < 9; i++)
            B[i] = rnd();
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++) {
                W[3 * i + j] = shift * (i == j);
                for (k = 0; k < rank; k++)
                    W[3 * i + j] += B[3 * k + i] * B[3 * k + j];
            }
        /* a slightly unsymmetric W of small eigenvalues need not be semidefinite, and need not have a solution */
        skewed = trial % 5 == 0 && rank == 3;
        if (skewed)
            for (i = 0; i < 9; i++)
                W[i] *= 1 + 1e-3 * rnd();
        for (i = 0; i < 9; i++)
            W[i] *= scale;
        for (i = 0; i < 3; i++)
            q[i] = rnd(), r[i] = trial % 2 ? rnd() : 0;
        got = cti_coulomb_solve(W, q, mu, r);
        none += !got && !skewed;
        bad += got && !(law(W, q, mu, r) < 1e-6);
    }
    assert_int_equal(bad, 0);
    assert_int_equal(none, 0);
}

/* ---- Schur complement ---- */

/* two trees: a grid of blocks and a chain; rows on one, on both, with nothing */
static void schur_against_dense(void **state)
{
    enum { G = 6, N = G * G + 20, M = 61, LD = 64 };
    cti_mem mem;
    cti_arena arena;
    cti_scalar s;
    cti_sparse A, J;
    int32_t *ai = (int32_t *)malloc(sizeof *ai * 100000), *aj = (int32_t *)malloc(sizeof *aj * 100000);
    double *ax = (double *)malloc(sizeof *ax * 100000), *W = (double *)malloc(sizeof *W * M * LD), *z = (double *)malloc(sizeof *z * 3 * N),
           worst = 0;
    int i, j, k, a, b, n = 0;
    (void)state;
    cti_mem_init(&mem, NULL), cti_arena_init(&arena, &mem), memset(&s, 0, sizeof s);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            int grid = i < G * G && j < G * G && abs(i / G - j / G) <= 1 && abs(i % G - j % G) <= 1;
            int chain = i >= G * G && j >= G * G && abs(i - j) <= 1;
            if (j > i || !(grid || chain))
                continue;
            for (a = 0; a < 3; a++)
                for (b = 0; b < 3; b++) {
                    double v = i == j ? (a == b ? 12 : 0.3) : 0.5 * rnd();
                    ai[n] = 3 * i + a, aj[n] = 3 * j + b, ax[n++] = v;
                    if (i != j)
                        ai[n] = 3 * j + b, aj[n] = 3 * i + a, ax[n++] = v;
                }
        }
    assert_true(cti_sparse_from_triplets(&mem, 3 * N, 3 * N, ai, aj, ax, n, &A));
    for (n = 0, i = 0; i < M; i++)
        for (k = 0; k < (i == 7 ? 0 : 1 + i % 12); k++) {
            int block = i % 3 == 0 ? (int)((rnd() + 1) * 0.4999 * N) : (i % 3 == 1 ? (i + k) % (G * G) : G * G + (i + 2 * k) % 20);
            ai[n] = i, aj[n] = 3 * block + k % 3, ax[n++] = rnd();
        }
    assert_true(cti_sparse_from_triplets(&mem, M, 3 * N, ai, aj, ax, n, &J));
    assert_true(cti_scalar_open(&mem, &s, &A) && cti_scalar_factor(&mem, &s) && s.boosted == 0);
    assert_true(cti_scalar_schur(&s, &arena, &J, W, LD));
    for (i = 0; i < M; i++) {
        memset(z, 0, sizeof *z * 3 * N);
        for (k = J.p[i]; k < J.p[i + 1]; k++)
            z[J.i[k]] = J.x[k];
        cti_scalar_solve(&s, z, 2);
        for (j = 0; j < M; j++) {
            double w = 0;
            for (k = J.p[j]; k < J.p[j + 1]; k++)
                w += J.x[k] * z[J.i[k]];
            worst = fmax(worst, fabs(w - W[i * LD + j]));
            assert_true(W[i * LD + j] == W[j * LD + i]);
        }
    }
    assert_true(worst < 1e-13);
    assert_true(W[0] > 1e-3 && W[7 * LD + 7] == 0);
    cti_scalar_close(&mem, &s), cti_sparse_free(&mem, &A), cti_sparse_free(&mem, &J), cti_arena_free(&arena);
    free(ai), free(aj), free(ax), free(W), free(z);
}

/* ---- problems ---- */

typedef struct fixture {
    cti_mem mem;
    cti_arena arena;
    cti_program p;
    cti_effort e;
    cti_answer a;
    cti_judgement j;
} fixture;

static cti_sparse sparse_of(fixture *f, const double *x, int rows, int cols)
{
    cti_sparse out;
    int32_t *i = (int32_t *)malloc(sizeof *i * (size_t)(rows * cols + 1)), *j = (int32_t *)malloc(sizeof *j * (size_t)(rows * cols + 1));
    double *v = (double *)malloc(sizeof *v * (size_t)(rows * cols + 1));
    int k, n = 0;
    for (k = 0; k < rows * cols; k++)
        if (x[k] != 0)
            i[n] = k / cols, j[n] = k % cols, v[n++] = x[k];
    assert_true(cti_sparse_from_triplets(&f->mem, rows, cols, i, j, v, n, &out));
    free(i), free(j), free(v);
    return out;
}

static double *vector_of(fixture *f, const double *x, int n)
{
    double *v = NULL;
    assert_true(CTI_RESIZE(&f->mem, v, n));
    if (n)
        memcpy(v, x, sizeof *v * (size_t)n);
    return v;
}

static void open_fixture(fixture *f)
{
    memset(f, 0, sizeof *f);
    cti_mem_init(&f->mem, NULL), cti_arena_init(&f->arena, &f->mem);
    f->e.tolerance = 1e-8, f->e.relaxation = 1, f->e.arena = &f->arena;
}

/* QP, or with mu GLOBAL */
static void make_qp(fixture *f, const double *A, const double *b, int n, const double *J, const double *w, int m, const double *mu)
{
    open_fixture(f);
    f->p.kind = mu ? CTI_PROGRAM_GLOBAL : CTI_PROGRAM_QP, f->p.n = n, f->p.m = m;
    f->p.A = sparse_of(f, A, n, n), f->p.J = sparse_of(f, J, m, n), f->p.b = vector_of(f, b, n), f->p.w = vector_of(f, w, m);
    if (mu)
        f->p.mu = vector_of(f, mu, m / 3);
    assert_true(cti_program_prepare(&f->mem, &f->p));
}

/* LCP, or with mu LOCAL */
static void make_lcp(fixture *f, const double *W, const double *w, int m, const double *mu)
{
    open_fixture(f);
    f->p.kind = mu ? CTI_PROGRAM_LOCAL : CTI_PROGRAM_LCP, f->p.n = f->p.m = m;
    f->p.W = sparse_of(f, W, m, m), f->p.w = vector_of(f, w, m);
    if (mu)
        f->p.mu = vector_of(f, mu, m / 3);
    assert_true(cti_program_prepare(&f->mem, &f->p));
}

static cti_outcome solve(fixture *f, cti_program_solver solver)
{
    double *work = (double *)malloc(sizeof *work * (size_t)(2 * f->p.m + 2 * f->p.n + 1));
    cti_outcome out;
    assert_null(cti_program_check(&f->p));
    f->a.x = (double *)realloc(f->a.x, sizeof *f->a.x * (size_t)(f->p.n + 1)),
    f->a.r = (double *)realloc(f->a.r, sizeof *f->a.r * (size_t)(f->p.m + 1));
    memset(f->a.x, 0, sizeof *f->a.x * (size_t)f->p.n), memset(f->a.r, 0, sizeof *f->a.r * (size_t)f->p.m);
    f->a.why = "";
    out = solver(&f->p, &f->e, &f->a);
    cti_program_judge(&f->p, f->a.x, f->a.r, work, &f->j);
    assert_true(out != CTI_OUTCOME_SOLVED || f->j.residual <= f->e.tolerance);
    assert_true(out == CTI_OUTCOME_SOLVED || f->a.why[0]);
    cti_arena_reset(&f->arena);
    free(work);
    return out;
}

static void close_fixture(fixture *f)
{
    cti_program_free(&f->mem, &f->p);
    cti_arena_free(&f->arena);
    free(f->a.x), free(f->a.r);
}

static void qp_by_hand(void **state)
{
    static const double A[4] = {2, 0, 0, 4}, b[2] = {0, 4}, J[6] = {1, 0, 0, -1, 1, 1}, w[3] = {-1, 3, 10};
    static const cti_program_solver solvers[2] = {cti_solver_pgs, cti_solver_ca};
    fixture f;
    int k;
    (void)state;
    for (k = 0; k < 2; k++) {
        /* x_0 >= 1, x_1 <= 3, x_0 + x_1 >= -10: x = (1, 1), r = (2, 0, 0) */
        make_qp(&f, A, b, 2, J, w, 3, NULL);
        assert_int_equal(solve(&f, solvers[k]), CTI_OUTCOME_SOLVED);
        assert_true(fabs(f.a.x[0] - 1) < 1e-12 && fabs(f.a.x[1] - 1) < 1e-12 && fabs(f.a.r[0] - 2) < 1e-12 && f.a.r[1] == 0 &&
                    f.a.r[2] == 0);
        /* the second row as an equation: x_1 = 3, r_1 = -(4 * 3 - 4) */
        assert_true(CTI_RESIZE(&f.mem, f.p.equation, 3));
        f.p.equation[1] = 1;
        assert_int_equal(solve(&f, solvers[k]), CTI_OUTCOME_SOLVED);
        assert_true(fabs(f.a.x[1] - 3) < 1e-12 && fabs(f.a.r[1] + 8) < 1e-11);
        close_fixture(&f);
        /* no rows */
        make_qp(&f, A, b, 2, J, w, 0, NULL);
        assert_int_equal(solve(&f, solvers[k]), CTI_OUTCOME_SOLVED);
        assert_true(f.a.x[0] == 0 && fabs(f.a.x[1] - 1) < 1e-15);
        close_fixture(&f);
    }
}

/* random QP of 20 unknowns, 14 rows: kind 0 plain, 1 rows twice and sums of rows, 2 rows scaled by 1e-5 to 1e5, 3 some equations */
static void random_qp(fixture *f, int kind)
{
    enum { N = 20, M = 14 };
    double B[N * N], A[N * N], b[N], J[2 * M * N], w[2 * M];
    int i, j, k, m = M;
    for (i = 0; i < N * N; i++)
        B[i] = rnd();
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            for (A[i * N + j] = 0.1 * (i == j), k = 0; k < N; k++)
                A[i * N + j] += B[k * N + i] * B[k * N + j];
    for (i = 0; i < N; i++)
        b[i] = rnd();
    for (i = 0; i < M; i++) {
        double scale = kind == 2 ? pow(10, 5 * rnd()) : 1;
        for (j = 0; j < N; j++)
            J[i * N + j] = rnd() > 0.4 ? scale * rnd() : 0;
        J[i * N + i % N] += scale, w[i] = scale * (0.3 * rnd() - 0.2);
    }
    for (i = 0; kind == 1 && i < M; i++, m++) {
        for (j = 0; j < N; j++)
            J[m * N + j] = i % 2 ? 2 * J[i * N + j] : J[i * N + j] + J[(i + 1) * N + j];
        w[m] = i % 2 ? 2 * w[i] : w[i] + w[i + 1];
    }
    make_qp(f, A, b, N, J, w, m, NULL);
    if (kind == 3) {
        assert_true(CTI_RESIZE(&f->mem, f->p.equation, m));
        f->p.equation[2] = f->p.equation[5] = f->p.equation[M - 1] = 1;
    }
}

static void qp_at_random(void **state)
{
    int trial, i;
    (void)state;
    for (trial = 0; trial < 80; trial++) {
        fixture f;
        double x[20], off = 0, big = 0;
        random_qp(&f, trial % 4);
        assert_int_equal(solve(&f, cti_solver_ca), CTI_OUTCOME_SOLVED);
        assert_true(f.j.residual < 1e-9 && f.j.gap < 1e-9);
        memcpy(x, f.a.x, sizeof x);
        f.e.order = trial % 3;
        assert_int_equal(solve(&f, cti_solver_pgs), CTI_OUTCOME_SOLVED);
        for (i = 0; i < 20; i++)
            off = fmax(off, fabs(x[i] - f.a.x[i])), big = fmax(big, fabs(x[i]));
        assert_true(off < 1e-5 * big);
        close_fixture(&f);
    }
}

static void qp_without_solution(void **state)
{
    static const double A[9] = {2, 1, 0, 1, 3, 0, 0, 0, 1}, b[3] = {1, 2, 3}, J[12] = {1, 0, 0, 0, 1, 0, -1, -1, 0, 0, 0, 1},
                        w[4] = {-1, -1, 1.5, -4};
    fixture f;
    double t[3] = {0, 0, 0}, sum = 0;
    int i;
    (void)state;
    /* x_0 >= 1, x_1 >= 1, x_0 + x_1 <= 1.5 */
    make_qp(&f, A, b, 3, J, w, 4, NULL);
    assert_int_equal(solve(&f, cti_solver_ca), CTI_OUTCOME_INFEASIBLE);
    cti_sparse_addmul_t(&f.p.J, f.a.r, t);
    for (i = 0; i < 4; i++) {
        assert_true(f.a.r[i] >= 0);
        sum += w[i] * f.a.r[i];
    }
    assert_true(fabs(t[0]) < 1e-8 && fabs(t[1]) < 1e-8 && fabs(t[2]) < 1e-8 && sum < -0.1);
    f.e.max_iterations = 200;
    assert_int_equal(solve(&f, cti_solver_pgs), CTI_OUTCOME_BUDGET);
    assert_int_equal(f.a.iterations, 200);
    close_fixture(&f);
}

static void lcp_by_hand(void **state)
{
    static const double W[9] = {2, 1, 0, 1, 2, 0, 0, 0, 1}, w[3] = {-3, -3, 1}, lo[3] = {0, -1, 0}, hi[3] = {0.5, INFINITY, 2};
    fixture f;
    (void)state;
    make_lcp(&f, W, w, 3, NULL);
    assert_int_equal(solve(&f, cti_solver_pgs), CTI_OUTCOME_SOLVED);
    assert_true(fabs(f.a.r[0] - 1) < 1e-7 && fabs(f.a.r[1] - 1) < 1e-7 && f.a.r[2] == 0);
    f.p.lo = vector_of(&f, lo, 3), f.p.hi = vector_of(&f, hi, 3);
    assert_int_equal(solve(&f, cti_solver_pgs), CTI_OUTCOME_SOLVED);
    assert_true(f.a.r[0] == 0.5 && fabs(f.a.r[1] - 1.25) < 1e-7 && f.a.r[2] == 0);
    assert_int_equal(solve(&f, cti_solver_ca), CTI_OUTCOME_NOT_APPLICABLE);
    close_fixture(&f);
    {
        /* diverging numbers are not called a solution */
        static const double V[4] = {1, -3, -3, 1}, v[2] = {-1, -1};
        make_lcp(&f, V, v, 2, NULL);
        assert_int_equal(solve(&f, cti_solver_pgs), CTI_OUTCOME_FAILED);
        close_fixture(&f);
    }
}

/* m / 3 contacts on n unknowns; W unsymmetric by `skew` for LOCAL */
static void random_contacts(fixture *f, int local, double skew, int order)
{
    enum { N = 30, M = 24 };
    double A[N * N], b[N], J[M * N], w[M], mu[M / 3], W[M * M];
    int i, j, k;
    memset(A, 0, sizeof A);
    for (i = 0; i < N; i++)
        A[i * N + i] = 1 + 0.5 * rnd(), b[i] = rnd();
    for (i = 0; i < M; i++)
        for (w[i] = 0.2 * rnd(), j = 0; j < N; j++)
            J[i * N + j] = abs(j - i) < 4 ? rnd() : 0;
    for (i = 0; i < M / 3; i++)
        mu[i] = i % 4 == 0 ? 0 : 0.3 * i;
    if (!local) {
        make_qp(f, A, b, N, J, w, M, mu);
    } else {
        for (i = 0; i < M; i++)
            for (j = 0; j < M; j++)
                for (W[i * M + j] = 0, k = 0; k < N; k++)
                    W[i * M + j] += J[i * N + k] * J[j * N + k] / A[k * N + k] * (1 + skew * rnd());
        for (i = 0; i < M; i++)
            for (k = 0; k < N; k++)
                w[i] += J[i * N + k] * b[k] / A[k * N + k];
        make_lcp(f, W, w, M, mu);
    }
    f->e.order = order;
}

static void contacts_at_random(void **state)
{
    int trial, k;
    (void)state;
    for (trial = 0; trial < 30; trial++) {
        fixture f;
        random_contacts(&f, trial % 2, trial % 3 == 0 ? 1e-3 : 0, trial / 2 % 3);
        f.e.relaxation = trial % 5 == 0 ? 0.8 : 1;
        assert_int_equal(solve(&f, cti_solver_pgs), CTI_OUTCOME_SOLVED);
        for (k = 0; k < f.p.m / 3; k++)
            assert_true(sqrt(f.a.r[3 * k + 1] * f.a.r[3 * k + 1] + f.a.r[3 * k + 2] * f.a.r[3 * k + 2]) <=
                        f.p.mu[k] * f.a.r[3 * k] * (1 + 1e-12) + 1e-15);
        assert_int_equal(solve(&f, cti_solver_ca), trial % 2 ? CTI_OUTCOME_NOT_APPLICABLE : CTI_OUTCOME_SOLVED);
        close_fixture(&f);
    }
}

/* no neighbours in W have one colour: the order of a chain of rows is the even ones, then the odd ones */
static void colours_of_a_chain(void **state)
{
    enum { M = 9 };
    double W[M * M], w[M];
    fixture f;
    cti_pgs s;
    double r[M];
    int i;
    (void)state;
    memset(W, 0, sizeof W), memset(&s, 0, sizeof s), memset(r, 0, sizeof r);
    for (i = 0; i < M; i++) {
        W[i * M + i] = 2, w[i] = -1;
        if (i)
            W[i * M + i - 1] = W[(i - 1) * M + i] = -0.5;
    }
    make_lcp(&f, W, w, M, NULL);
    s.m = M, s.S = &f.p.W, s.q = f.p.w, s.order = 2, s.relaxation = 1;
    assert_true(cti_pgs_open(&s, &f.arena, r));
    for (i = 0; i < M; i++)
        assert_int_equal(s.sequence[i], i < 5 ? 2 * i : 2 * (i - 5) + 1);
    close_fixture(&f);
}

/* ---- the data folder ---- */

static int read_problem(const char *name, ct_problem **out)
{
    const char *root = getenv("CONTACT_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/problems/%s", root ? root : "../shared/data", name);
    if (ct_problem_read(path, out, NULL) == CT_OK)
        return 1;
    print_message("missing: problems/%s in ../shared/data (or CONTACT_DATA)\n", name);
    return 0;
}

static void data_folder(void **state)
{
    static const struct {
        const char *name;
        ct_solver solver;
        ct_outcome outcome;
        double reference; /* largest difference to x_ref, relative; 0: not compared */
    } cases[] = {{"qp/vf_cpl_3k.cpb", CT_SOLVER_CA, CT_OUTCOME_SOLVED, 1e-9},
                 {"qp/quasi_3k.cpb", CT_SOLVER_CA, CT_OUTCOME_SOLVED, 1e-7},
                 {"qp/redundant_3k.cpb", CT_SOLVER_CA, CT_OUTCOME_SOLVED, 1e-9},
                 {"qp/quasi_slab_3k.cpb", CT_SOLVER_CA, CT_OUTCOME_SOLVED, 1e-7},
                 {"qp/INFEASIBLE_3k.cpb", CT_SOLVER_CA, CT_OUTCOME_INFEASIBLE, 0},
                 {"mm/KSIP.cpb", CT_SOLVER_CA, CT_OUTCOME_SOLVED, 1e-6},
                 {"qp/slab_cpl_3k.cpb", CT_SOLVER_PGS, CT_OUTCOME_SOLVED, 1e-6},
                 {"fc/G_fem_vf_1k.cpb", CT_SOLVER_PGS, CT_OUTCOME_SOLVED, 0},
                 {"fc/L_Capsules-i125-1213.cpb", CT_SOLVER_PGS, CT_OUTCOME_SOLVED, 0},
                 {"fc/G_fem_slab_3k.cpb", CT_SOLVER_CA, CT_OUTCOME_SOLVED, 0},
                 {"fc/L_Confeti-ex13-4contact.cpb", CT_SOLVER_PGS, CT_OUTCOME_SOLVED, 0}};
    size_t k, found = 0;
    (void)state;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_problem *problem;
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        if (!read_problem(cases[k].name, &problem))
            continue;
        found++;
        memset(&s, 0, sizeof s);
        d.solver = cases[k].solver, d.tolerance = CTI_R(1e-8);
        assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
        if (s.outcome != cases[k].outcome)
            print_message("%s: %s, residual %g: %s\n", cases[k].name, ct_outcome_text(s.outcome), s.residual, s.why);
        assert_int_equal(s.outcome, cases[k].outcome);
        if (cases[k].reference > 0) {
            ct_problem_info info;
            double off = 0, big = 0;
            int i;
            ct_problem_info_get(problem, &info);
            for (i = 0; i < info.n; i++)
                off = fmax(off, fabs(s.x[i] - info.x_ref[i])), big = fmax(big, fabs(info.x_ref[i]));
            assert_true(off <= cases[k].reference * big);
        }
        ct_solution_free(&s);
        ct_problem_free(problem);
    }
    if (!found)
        skip();
}

/* P-matrices that are not symmetric: sweeps cycle (Kostreva 1979), or each doubles r. Both are detected early, and AUTO solves them */
static void nowhere(void **state)
{
    static const int32_t p[] = {0, 2, 4, 6}, i[] = {0, 1, 1, 2, 0, 2};
    static const double circle[] = {1, 2, 1, 2, 2, 1}, worse[] = {1, 4, 1, 4, 4, 1}, w[] = {-1, -1, -1}, far[] = {-1e-3, -1, 1};
    static const double lo[] = {-INFINITY, -INFINITY, -INFINITY}, hi[] = {INFINITY, INFINITY, INFINITY};
    int k, n;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_problem_desc d = ct_problem_desc_default();
        ct_solver_desc s = ct_solver_desc_default();
        ct_problem *q;
        ct_solution x;
        memset(&x, 0, sizeof x);
        d.kind = CT_PROBLEM_LCP, d.W.rows = d.W.cols = 3, d.W.p = p, d.W.i = i, d.W.x = k ? worse : circle, d.w = k ? far : w;
        if (k)
            d.lo = lo, d.hi = hi;
        assert_int_equal(ct_problem_create(&d, &q, NULL), CT_OK);
        s.solver = CT_SOLVER_PGS, s.tolerance = (ct_real)1e-6;
        assert_int_equal(ct_problem_solve(q, &s, &x), CT_OK);
        assert_int_equal(x.outcome, CT_OUTCOME_FAILED);
        assert_non_null(strstr(x.why, k ? "doubles" : "circles"));
        assert_true(x.iterations <= 4096);
        for (n = 0; n < 3; n++)
            assert_true(isfinite(x.r[n]));
        s.solver = CT_SOLVER_AUTO;
        assert_int_equal(ct_problem_solve(q, &s, &x), CT_OK);
        assert_int_equal(x.outcome, CT_OUTCOME_SOLVED);
        ct_solution_free(&x), ct_problem_free(q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coulomb_by_hand),
                                       cmocka_unit_test(coulomb_at_random),
                                       cmocka_unit_test(schur_against_dense),
                                       cmocka_unit_test(qp_by_hand),
                                       cmocka_unit_test(qp_at_random),
                                       cmocka_unit_test(qp_without_solution),
                                       cmocka_unit_test(lcp_by_hand),
                                       cmocka_unit_test(contacts_at_random),
                                       cmocka_unit_test(colours_of_a_chain),
                                       cmocka_unit_test(data_folder),
                                       cmocka_unit_test(nowhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
