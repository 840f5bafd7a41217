/* test_newton.c -- stand-alone frictional contact: semismooth Newton, alternating directions, their linear algebra, and the order of AUTO.
   Solutions by hand, laws checked by the judge, random problems against a projected Gauss-Seidel of the test's own. */
#include "../src/2_linalg/panel_lu.h"
#include "dense_lu.h"
#include "failing.h"
#include "../src/2_linalg/lu.h"
#include "../src/4_programs/coulomb.h"
#include "../src/4_programs/friction.h"
#include "../src/4_programs/solvers.h"
#include "../src/public/api.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

static uint64_t seed = 1;
static double rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static const ct_solver solvers[2] = {CT_SOLVER_NEWTON, CT_SOLVER_ADMM};

typedef struct fixture {
    cti_mem mem;
    cti_arena arena;
    cti_program p;
    cti_effort e;
    cti_answer a;
    cti_judgement j;
    double *x, *r, *work;
} fixture;

static void sparse_from_dense(cti_mem *mem, const double *M, int rows, int cols, cti_sparse *out)
{
    int32_t *i = (int32_t *)malloc(sizeof *i * (size_t)(rows * cols)), *j = (int32_t *)malloc(sizeof *j * (size_t)(rows * cols));
    double *x = (double *)malloc(sizeof *x * (size_t)(rows * cols));
    int k, n = 0;
    for (k = 0; k < rows * cols; k++)
        if (M[k] != 0)
            i[n] = k / cols, j[n] = k % cols, x[n++] = M[k];
    assert_int_equal(cti_sparse_from_triplets(mem, rows, cols, i, j, x, n, out), 1);
    free(i), free(j), free(x);
}

static void vectors(fixture *f, int n, int m, const double *b, const double *w, double mu)
{
    int i;
    f->p.n = n, f->p.m = m;
    assert_true(CTI_RESIZE(&f->mem, f->p.w, m) && CTI_RESIZE(&f->mem, f->p.mu, m / 3) && (!b || CTI_RESIZE(&f->mem, f->p.b, n)));
    for (i = 0; i < m; i++)
        f->p.w[i] = w[i], f->p.mu[i / 3] = mu;
    for (i = 0; b && i < n; i++)
        f->p.b[i] = b[i];
    assert_null(cti_program_check(&f->p));
    assert_int_equal(cti_program_prepare(&f->mem, &f->p), 1);
    f->x = (double *)calloc((size_t)n, sizeof(double)), f->r = (double *)calloc((size_t)m, sizeof(double));
    f->work = (double *)calloc((size_t)(2 * m + 2 * n), sizeof(double));
}

static void begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    cti_mem_init(&f->mem, NULL);
    cti_arena_init(&f->arena, &f->mem);
    f->e.tolerance = 1e-10, f->e.arena = &f->arena;
}
static void make_local(fixture *f, int m, const double *W, const double *w, double mu)
{
    begin(f);
    f->p.kind = CTI_PROGRAM_LOCAL;
    sparse_from_dense(&f->mem, W, m, m, &f->p.W);
    vectors(f, m, m, NULL, w, mu);
}
static void make_global(fixture *f, int n, int m, const double *A, const double *J, const double *b, const double *w, double mu)
{
    begin(f);
    f->p.kind = CTI_PROGRAM_GLOBAL;
    sparse_from_dense(&f->mem, A, n, n, &f->p.A);
    sparse_from_dense(&f->mem, J, m, n, &f->p.J);
    vectors(f, n, m, b, w, mu);
}
static void finish(fixture *f)
{
    cti_program_free(&f->mem, &f->p);
    cti_arena_free(&f->arena);
    assert_int_equal(f->mem.bytes_live, 0);
    free(f->x), free(f->r), free(f->work);
}

/* solves; nothing stays allocated, and the judge confirms the outcome */
static cti_outcome solve(fixture *f, ct_solver solver)
{
    int64_t live = f->mem.bytes_live;
    cti_arena_point mark = cti_arena_mark(&f->arena);
    cti_outcome outcome;
    f->a.x = f->x, f->a.r = f->r, f->a.why = NULL, f->a.iterations = 0;
    outcome = cti_solvers_find(solver)(&f->p, &f->e, &f->a);
    cti_arena_rewind(&f->arena, mark);
    cti_arena_reset(&f->arena);
    cti_arena_free(&f->arena);
    cti_arena_init(&f->arena, &f->mem);
    assert_int_equal(f->mem.bytes_live, live);
    cti_program_judge(&f->p, f->x, f->r, f->work, &f->j);
    return outcome;
}
static void solve_well(fixture *f, ct_solver solver)
{
    assert_int_equal(solve(f, solver), CTI_OUTCOME_SOLVED);
    assert_true(f->j.residual <= f->e.tolerance);
}
static int near(double a, double b, double scale) { return fabs(a - b) <= 1e-8 * scale; }

/* a random problem of n unknowns: W = G G' + shift 1; with `reach` > 0, of contacts that act on few others */
static double *random_W(int m, int rank, double shift)
{
    double *G = (double *)malloc(sizeof *G * (size_t)(m * rank)), *W = (double *)calloc((size_t)(m * m), sizeof *W);
    int i, j, k;
    for (i = 0; i < m * rank; i++)
        G[i] = rnd();
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++)
            for (W[i * m + j] = i == j ? shift : 0, k = 0; k < rank; k++)
                W[i * m + j] += G[i * rank + k] * G[j * rank + k];
    free(G);
    return W;
}
static void random_q(double *q, int m)
{
    int i;
    for (i = 0; i < m; i++)
        q[i] = i % 3 ? rnd() : rnd() - 0.4;
}

/* ---- linear algebra ---- */

static void lu_of_dense_matrices(void **state)
{
    static const int sizes[] = {1, 3, 8, 31, 32, 33, 40, 63, 96, 97, 150};
    size_t t;
    (void)state;
    for (t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        int n = sizes[t], ld = cti_pad8(n) + 8, i, j, *pivot = (int *)malloc(sizeof(int) * (size_t)n);
        double *A = (double *)calloc((size_t)(n * ld), sizeof *A), *x = (double *)malloc(sizeof *x * (size_t)n);
        double *y = (double *)calloc((size_t)n, sizeof *y), *scratch = (double *)malloc(sizeof *scratch * cti_lu_scratch(n));
        for (i = 0; i < n; i++)
            for (x[i] = rnd(), j = 0; j < n; j++)
                A[i * ld + j] = rnd() * (i == j ? 1e-3 : 1);
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                y[i] += A[i * ld + j] * x[j];
        assert_int_equal(cti_lu_factor(A, n, ld, pivot, scratch), 1);
        cti_lu_solve(A, n, ld, pivot, y);
        for (i = 0; i < n; i++)
            assert_true(fabs(x[i] - y[i]) < 1e-9);
        memset(A, 0, sizeof *A * (size_t)(n * ld));
        assert_int_equal(cti_lu_factor(A, n, ld, pivot, scratch), 0);
        free(A), free(x), free(y), free(scratch), free(pivot);
    }
}

/* rings and random links, unsymmetric in pattern and numbers */
static void panel_lu(void **state)
{
    enum { N = 60 };
    cti_mem mem;
    int32_t first[N + 1], column[N * N];
    double *block = (double *)malloc(sizeof *block * 9 * N * N), x[3 * N], y[3 * N];
    cti_panel_lu s;
    int32_t size[N];
    double right[8 * N];
    int i, j, a, k, n = 0, spread, ld, again;
    (void)state;
    for (spread = 0; spread < 12; spread += 3) {
        cti_mem_init(&mem, NULL);
        memset(&s, 0, sizeof s), memset(y, 0, sizeof y);
        for (first[0] = 0, n = 0, i = 0; i < N; first[++i] = n)
            for (j = N - 1; j >= 0; j--)
                if (j == i || (spread && (j == (i + 1) % N || (i * 7 + j * 3) % 100 < spread))) {
                    for (a = 0; a < 9; a++)
                        block[9 * n + a] = rnd() + (i == j && a % 4 == 0 ? 12 : 0);
                    column[n++] = j;
                }
        for (i = 0; i < 3 * N; i++)
            x[i] = rnd();
        for (i = 0; i < N; i++)
            for (k = first[i]; k < first[i + 1]; k++)
                for (a = 0; a < 9; a++)
                    y[3 * i + a / 3] += block[9 * k + a] * x[3 * column[k] + a % 3];
        for (i = 0; i < N; i++)
            size[i] = 3;
        assert_int_equal(cti_panel_lu_open(&mem, &s, N, first, column), 1);
        for (again = 0; again < 2; again++) { /* the second one is singular */
            assert_true(cti_panel_lu_clear(&mem, &s, size) && s.unknowns == 8 * N);
            for (i = 0; i < N && !again; i++)
                for (k = first[i]; k < first[i + 1]; k++) {
                    double *to = cti_panel_lu_block(&s, i, column[k], &ld);
                    for (a = 0; a < 9; a++)
                        to[a / 3 * ld + a % 3] = block[9 * k + a];
                }
            assert_int_equal(cti_panel_lu_factor(&s), !again);
            memset(right, 0, sizeof right);
            for (i = 0; i < 3 * N && !again; i++)
                right[cti_panel_lu_place(&s, i / 3) + i % 3] = y[i];
            if (!again)
                cti_panel_lu_solve(&s, right);
            for (i = 0; i < 3 * N && !again; i++)
                assert_true(fabs(x[i] - right[cti_panel_lu_place(&s, i / 3) + i % 3]) < 1e-11);
        }
        cti_panel_lu_close(&mem, &s);
        assert_int_equal(mem.bytes_live, 0);
    }
    free(block);
}

/* ---- one contact ---- */

static void one_contact(void **state)
{
    static const double mus[] = {0, 1e-3, 0.3, 1, 5};
    int t, k, kinds[3] = {0, 0, 0};
    (void)state;
    for (t = 0; t < 3000; t++) {
        double *W = random_W(3, 3, 1e-2), q[3], r[3], u[3], z[3], mu = mus[t % 5], size;
        random_q(q, 3);
        memset(r, 0, sizeof r);
        assert_int_equal(cti_coulomb_solve(W, q, mu, r), 1);
        for (k = 0; k < 3; k++)
            u[k] = q[k] + W[3 * k] * r[0] + W[3 * k + 1] * r[1] + W[3 * k + 2] * r[2];
        size = sqrt(u[1] * u[1] + u[2] * u[2]);
        kinds[r[0] == 0 ? 0 : (size < 1e-10 ? 1 : 2)]++;
        z[0] = r[0] - u[0] - mu * size, z[1] = r[1] - u[1], z[2] = r[2] - u[2];
        cti_cone_project3(mu, z);
        for (k = 0; k < 3; k++)
            assert_true(fabs(z[k] - r[k]) < 1e-9 * (1 + fabs(r[0])));
        free(W);
    }
    assert_true(kinds[0] > 300 && kinds[1] > 300 && kinds[2] > 300);
}

/* a block of mass 2 on a slope of tan 0.5: g along -n cos + t1 sin */
static void slope(void **state)
{
    static const double mus[2] = {0.7, 0.2};
    double mass = 2, g = 9.81 * 0.01, c = 2 / sqrt(5.0), s = 1 / sqrt(5.0);
    int k, way, solver;
    (void)state;
    for (solver = 0; solver < 2; solver++)
        for (k = 0; k < 2; k++)
            for (way = 0; way < 2; way++) {
                double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, A[9], W[9], b[3], q[3], zero[3] = {0, 0, 0}, mu = mus[k], normal = mass * g * c, *v;
                double along = mu > s / c ? -mass * g * s : -mu * normal;
                fixture f;
                int i;
                for (i = 0; i < 9; i++)
                    A[i] = mass * I[i], W[i] = I[i] / mass;
                q[0] = -g * c, q[1] = g * s, q[2] = 0;
                for (i = 0; i < 3; i++)
                    b[i] = mass * q[i];
                if (way)
                    make_global(&f, 3, 3, A, I, b, zero, mu);
                else
                    make_local(&f, 3, W, q, mu);
                solve_well(&f, solvers[solver]);
                assert_true(near(f.r[0], normal, 1) && near(f.r[1], along, 1) && near(f.r[2], 0, 1));
                v = f.x;
                assert_true(near(v[0], 0, 1) && near(v[1], g * s + along / mass, 1) && near(v[2], 0, 1));
                assert_true((k == 0) == (fabs(v[1]) < 1e-9));
                finish(&f);
            }
}

/* ---- many ---- */

/* mu = 0: the normals alone are a QP */
static void frictionless(void **state)
{
    enum { M = 45 };
    double q[M], r[M / 3], d;
    int i, j, sweep, solver;
    double *W = random_W(M, M, 0.1);
    (void)state;
    random_q(q, M);
    memset(r, 0, sizeof r);
    for (sweep = 0; sweep < 20000; sweep++)
        for (i = 0; i < M / 3; i++) {
            for (d = q[3 * i], j = 0; j < M / 3; j++)
                d += W[3 * i * M + 3 * j] * r[j];
            r[i] = fmax(0, r[i] - d / W[3 * i * M + 3 * i]);
        }
    for (solver = 0; solver < 2; solver++) {
        fixture f;
        make_local(&f, M, W, q, 0);
        solve_well(&f, solvers[solver]);
        for (i = 0; i < M / 3; i++)
            assert_true(near(f.r[3 * i], r[i], 1) && f.r[3 * i + 1] == 0 && f.r[3 * i + 2] == 0);
        finish(&f);
    }
    free(W);
}

static void separated(void **state)
{
    enum { M = 12 };
    double q[M], *W = random_W(M, M, 0.1);
    int i, solver;
    (void)state;
    for (i = 0; i < M; i++)
        q[i] = i % 3 ? rnd() : 1 + rnd() / 2;
    for (solver = 0; solver < 2; solver++) {
        fixture f;
        make_local(&f, M, W, q, 0.5);
        for (i = 0; i < M; i++)
            f.r[i] = 0.1;
        f.e.warm = 1; /* the start is far from the solution */
        solve_well(&f, solvers[solver]);
        for (i = 0; i < M; i++)
            assert_true(fabs(f.r[i]) < 1e-9 && near(f.x[i], q[i], 1));
        finish(&f);
    }
    free(W);
}

/* one point mass held by seven equal contacts: W has rank 3 of 21 */
static void redundant(void **state)
{
    enum { C = 7, M = 3 * C };
    static const double mus[2] = {0.8, 0.3};
    double A[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, J[3 * M], b[3] = {-6, 3, 0}, w[M], sum[3];
    int i, k, solver;
    (void)state;
    memset(J, 0, sizeof J), memset(w, 0, sizeof w);
    for (i = 0; i < M; i++)
        J[3 * i + i % 3] = 1;
    for (solver = 0; solver < 2; solver++)
        for (k = 0; k < 2; k++) {
            fixture f;
            double along = k ? -0.3 * 6 : -3;
            make_global(&f, 3, M, A, J, b, w, mus[k]);
            solve_well(&f, solvers[solver]);
            memset(sum, 0, sizeof sum);
            for (i = 0; i < M; i++)
                sum[i % 3] += f.r[i];
            assert_true(near(sum[0], 6, 1) && near(sum[1], along, 1) && near(sum[2], 0, 1));
            assert_true(near(f.x[1], (3 + along) / 2, 1));
            finish(&f);
        }
}

/* W with a rank of a third of its rows, and loads that contacts can carry */
static void singular(void **state)
{
    enum { M = 90, RANK = 30 };
    int i, j, solver, t;
    (void)state;
    for (t = 0; t < 5; t++) {
        double *W = random_W(M, RANK, 0), r[M], q[M];
        for (i = 0; i < M; i++)
            r[i] = i % 3 ? rnd() : 1 + rnd() / 2;
        for (i = 0; i < M; i++)
            for (q[i] = 0, j = 0; j < M; j++)
                q[i] -= W[i * M + j] * r[j];
        for (solver = 0; solver < 2; solver++) {
            fixture f;
            make_local(&f, M, W, q, 0.3);
            f.e.tolerance = 1e-8;
            solve_well(&f, solvers[solver]);
            finish(&f);
        }
        free(W);
    }
}

/* the same problem in other units, and with contacts that differ by 1e6 from each other: the same answer in those units */
static void scaled(void **state)
{
    enum { M = 45 };
    static const double units[3][2] = {{1e6, 1}, {1e-6, 1e-9}, {1, 1e6}};
    double *W = random_W(M, M, 0.1), *V = random_W(M, M, 0.1), q[M], p[M];
    int i, j, t, solver;
    (void)state;
    random_q(q, M);
    for (solver = 0; solver < 2; solver++) {
        fixture f, g;
        make_local(&f, M, W, q, 0.5);
        solve_well(&f, solvers[solver]);
        for (t = 0; t < 3; t++) {
            double size = 0;
            for (i = 0; i < M; i++)
                for (p[i] = units[t][1] * q[i], size = fmax(size, fabs(f.r[i])), j = 0; j < M; j++)
                    V[i * M + j] = units[t][0] * W[i * M + j];
            make_local(&g, M, V, p, 0.5);
            solve_well(&g, solvers[solver]);
            for (i = 0; i < M; i++)
                assert_true(near(g.r[i] * units[t][0] / units[t][1], f.r[i], size));
            finish(&g);
        }
        for (i = 0; i < M; i++)
            for (p[i] = (i / 3 % 2 ? 1e3 : 1) * q[i], j = 0; j < M; j++)
                V[i * M + j] = (i / 3 % 2 ? 1e3 : 1) * (j / 3 % 2 ? 1e3 : 1) * W[i * M + j];
        make_local(&g, M, V, p, 0.5);
        g.e.tolerance = 1e-9;
        solve_well(&g, solvers[solver]);
        finish(&g), finish(&f);
    }
    free(W), free(V);
}

/* A solve that its budget ends keeps its best iterate. Which one that is must not depend on the unit of mass: r = 0, whose residual no
   impulse makes relative, once looked best where contacts move easily, and 26 iterations were in vain */
static void best_iterate_in_any_unit(void **state)
{
    enum { M = 45 };
    double *W = random_W(M, M, 0.1), q[M];
    int i, solver;
    (void)state;
    random_q(q, M);
    for (i = 0; i < M * M; i++)
        W[i] *= 1e10;
    for (solver = 0; solver < 2; solver++) {
        fixture f;
        double size = 0;
        make_local(&f, M, W, q, 0.5);
        f.e.max_iterations = solver ? 20 : 1;
        solve(&f, solvers[solver]);
        for (i = 0; i < M; i++)
            size += fabs(f.r[i]);
        assert_true(size > 0 && f.j.residual < 0.5);
        finish(&f);
    }
    free(W);
}

/* A column of 15 bodies that its weight presses down, and one far contact that opens fast, which makes the data large beside the impulses: the
   best iterate of a small budget is one of the column's, and not r = 0 */
static void best_iterate_beside_a_fast_contact(void **state)
{
    enum { N = 15, M = 3 * N + 3 };
    double *W = (double *)calloc(M * M, sizeof *W), q[M] = {0}, none;
    int i, k, solver;
    (void)state;
    for (i = 0; i <= N; i++)
        for (k = 3 * i; k < 3 * i + 3; k++) {
            W[k * (M + 1)] = i && i < N ? 2 : 1, q[k] = i < N && k % 3 == 1 ? 0.3 * (i % 3 - 1) : 0;
            if (i && i < N)
                W[k * M + k - 3] = W[(k - 3) * M + k] = -1;
        }
    q[0] = -1, q[3 * N] = 100;
    for (solver = 0; solver < 2; solver++) {
        fixture f;
        make_local(&f, M, W, q, 0.5);
        cti_program_judge(&f.p, f.x, f.r, f.work, &f.j);
        none = f.j.residual;
        f.e.max_iterations = solver ? 5 : 1;
        assert_int_equal(solve(&f, solvers[solver]), CTI_OUTCOME_BUDGET);
        assert_true(f.r[0] > 0.5 && f.j.residual < 0.5 * none);
        finish(&f);
    }
    free(W);
}

/* an unsymmetric W is solved as it is: its symmetric part has another solution */
static void unsymmetric(void **state)
{
    enum { M = 60 };
    double *W = random_W(M, M, 0.3), *S = (double *)malloc(sizeof *S * M * M), q[M];
    int i, j, solver;
    (void)state;
    random_q(q, M);
    for (i = 0; i < M; i++)
        for (j = 0; j < i; j++) {
            double d = 2e-2 * rnd();
            W[i * M + j] += d, W[j * M + i] -= d;
        }
    for (i = 0; i < M; i++)
        for (j = 0; j < M; j++)
            S[i * M + j] = (W[i * M + j] + W[j * M + i]) / 2;
    for (solver = 0; solver < 2; solver++) {
        fixture f, g;
        make_local(&f, M, W, q, 0.7), make_local(&g, M, S, q, 0.7);
        solve_well(&f, solvers[solver]), solve_well(&g, solvers[solver]);
        cti_program_judge(&f.p, g.x, g.r, f.work, &f.j);
        assert_true(f.j.natural > 1e-5);
        finish(&f), finish(&g);
    }
    free(W), free(S);
}

/* sparse and dense systems have the same solution: W is a chain of blocks, given as LOCAL (sparse), and as GLOBAL with A = W^-1 (dense) */
static void chain(void **state)
{
    enum { N = 20, M = 3 * N };
    double *A = (double *)calloc(M * M, sizeof *A), *J = (double *)calloc(M * M, sizeof *J), b[M], w[M];
    double *W = (double *)calloc(M * M, sizeof *W), q[M], *L;
    int i, j, k, ld = cti_pad8(M), pivot[M];
    fixture f, g;
    (void)state;
    L = (double *)calloc((size_t)(M * ld), sizeof *L);
    random_q(b, M), random_q(w, M);
    for (i = 0; i < M; i++) {
        W[i * M + i] = 2.5 + rnd() / 4, J[i * M + i] = 1;
        if (i >= 3)
            W[i * M + i - 3] = W[(i - 3) * M + i] = -1;
    }
    for (i = 0; i < M; i++)
        for (j = 0; j < M; j++)
            L[i * ld + j] = W[i * M + j];
    assert_int_equal(dense_lu(L, M, ld, pivot), 1);
    for (k = 0; k < M; k++) {
        double e[M];
        memset(e, 0, sizeof e);
        e[k] = 1;
        dense_lu_solve(L, M, ld, pivot, e);
        for (i = 0; i < M; i++)
            A[i * M + k] = e[i];
    }
    for (i = 0; i < M; i++)
        for (q[i] = w[i], j = 0; j < M; j++)
            q[i] += W[i * M + j] * b[j];
    make_local(&f, M, W, q, 0.6);
    make_global(&g, M, M, A, J, b, w, 0.6);
    solve_well(&f, CT_SOLVER_NEWTON), solve_well(&g, CT_SOLVER_ADMM);
    for (i = 0; i < M; i++)
        assert_true(near(f.r[i], g.r[i], 10));
    solve_well(&f, CT_SOLVER_ADMM), solve_well(&g, CT_SOLVER_NEWTON);
    for (i = 0; i < M; i++)
        assert_true(near(f.r[i], g.r[i], 10));
    finish(&f), finish(&g);
    free(A), free(J), free(W), free(L);
}

/* ---- rules ---- */

static int watched;
static int watcher(void *user, int iteration, const double *x, const double *r)
{
    (void)user, (void)x, (void)r;
    watched++;
    return iteration < 2;
}

static void rules(void **state)
{
    enum { M = 90 };
    double *W = random_W(M, 30, 0), q[M];
    fixture f;
    int solver;
    (void)state;
    random_q(q, M);
    for (solver = 0; solver < 2; solver++) {
        make_local(&f, M, W, q, 0.5);
        f.e.tolerance = 1e-300, f.e.max_iterations = 3;
        assert_int_equal(solve(&f, solvers[solver]), CTI_OUTCOME_BUDGET);
        assert_true(f.a.iterations <= 3 && f.a.why && f.a.why[0]);
        f.e.max_iterations = 0, f.e.watcher.watch = watcher, watched = 0;
        assert_int_equal(solve(&f, solvers[solver]), CTI_OUTCOME_BUDGET);
        assert_true(watched >= 1 && watched <= 3);
        f.p.kind = CTI_PROGRAM_QP;
        assert_int_equal(cti_solvers_find(solvers[solver])(&f.p, &f.e, &f.a), CTI_OUTCOME_NOT_APPLICABLE);
        assert_true(f.a.why && f.a.why[0]);
        f.p.kind = CTI_PROGRAM_LOCAL;
        finish(&f);
    }
    free(W);
}

/* AUTO tries only solvers that are built, each once, and ends */
static void order(void **state)
{
    static const cti_program_kind kinds[] = {CTI_PROGRAM_LOCAL, CTI_PROGRAM_GLOBAL, CTI_PROGRAM_QP, CTI_PROGRAM_LCP};
    cti_program p;
    int k, n, i;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_solver seen[CT_SOLVER_COUNT_], s;
        memset(&p, 0, sizeof p);
        p.kind = kinds[k], p.n = p.m = 30;
        for (n = 0; (s = cti_solvers_auto(&p, n)) != CT_SOLVER_AUTO; n++) {
            assert_true(n < CT_SOLVER_COUNT_ && cti_solvers_find(s) != NULL);
            for (i = 0; i < n; i++)
                assert_true(seen[i] != s);
            seen[n] = s;
        }
        if (k < 2)
            assert_true(n >= 2 && seen[0] == CT_SOLVER_NEWTON && seen[1] == CT_SOLVER_ADMM);
    }
    assert_string_equal(ct_solver_text(CT_SOLVER_NEWTON), "newton");
    assert_string_equal(ct_solver_text(CT_SOLVER_ADMM), "admm");
    assert_int_equal(ct_solver_built(CT_SOLVER_NEWTON), 1);
    assert_int_equal(ct_problem_solver_built(CT_SOLVER_ADMM), 1);
}

/* every allocation fails in turn: nothing leaks, and no failure counts as solved */
static void memory(void **state)
{
    enum { M = 30 };
    double *W = random_W(M, M, 0.1), *I = (double *)calloc(M * M, sizeof *I), q[M], zero[M];
    int way, solver, i;
    (void)state;
    random_q(q, M), memset(zero, 0, sizeof zero);
    for (i = 0; i < M; i++)
        I[i * M + i] = 1;
    for (solver = 0; solver < 2; solver++)
        for (way = 0; way < 2; way++) {
            fixture f;
            cti_outcome outcome = CTI_OUTCOME_MEMORY;
            if (way)
                make_global(&f, M, M, W, I, q, zero, 0.5);
            else
                make_local(&f, M, W, q, 0.5);
            for (fail_at = 1; outcome == CTI_OUTCOME_MEMORY && fail_at < 2000; fail_at++) {
                ct_allocator old = f.mem.user;
                f.mem.user.resize = failing, calls = 0;
                outcome = solve(&f, solvers[solver]);
                f.mem.user = old;
                assert_true(outcome == CTI_OUTCOME_MEMORY || calls < fail_at);
            }
            assert_int_equal(outcome, CTI_OUTCOME_SOLVED);
            assert_true(fail_at > 3);
            finish(&f);
        }
    free(W), free(I);
}

/* the folder's problems to 1e-8, by the first solver that AUTO tries */
static void data(void **state)
{
    const char *root = getenv("CONTACT_DATA");
    char folder[512], path[1024];
    struct dirent *entry;
    DIR *dir;
    int bad = 0;
    (void)state;
    snprintf(folder, sizeof folder, "%s/problems/fc", root ? root : "../shared/data");
    dir = opendir(folder);
    if (!dir) {
        print_message("skipped: no problems in %s (CONTACT_DATA)\n", folder);
        skip();
    }
    while ((entry = readdir(dir)) != NULL) {
        ct_problem *problem;
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".cpb") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_int_equal(ct_problem_read(path, &problem, NULL), CT_OK);
        memset(&s, 0, sizeof s);
        d.solver = CT_SOLVER_AUTO, d.tolerance = (ct_real)1e-8;
        assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
        if (s.outcome != CT_OUTCOME_SOLVED || s.solver != CT_SOLVER_NEWTON) {
            print_message("%s: %s by %s, residual %.1e\n", entry->d_name, ct_outcome_text(s.outcome), ct_solver_text(s.solver), s.residual);
            bad++;
        }
        ct_solution_free(&s);
        ct_problem_free(problem);
    }
    closedir(dir);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_of_dense_matrices),
        cmocka_unit_test(panel_lu),
        cmocka_unit_test(one_contact),
        cmocka_unit_test(slope),
        cmocka_unit_test(separated),
        cmocka_unit_test(frictionless),
        cmocka_unit_test(redundant),
        cmocka_unit_test(singular),
        cmocka_unit_test(scaled),
        cmocka_unit_test(best_iterate_in_any_unit),
        cmocka_unit_test(best_iterate_beside_a_fast_contact),
        cmocka_unit_test(unsymmetric),
        cmocka_unit_test(chain),
        cmocka_unit_test(rules),
        cmocka_unit_test(order),
        cmocka_unit_test(memory),
        cmocka_unit_test(data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
