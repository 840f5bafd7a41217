/* program_check.h -- small stand-alone convex problems, their solution by trying every active set, and the checks that every solver of them
   must pass. */
#ifndef PROGRAM_CHECK_H
#define PROGRAM_CHECK_H
#include "dense_lu.h"
#include "../src/4_programs/program.h"
#include "../src/public/api.h"
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_N = 40, MOST_M = 80 };

/* what is asked for: ICA's blocks have the library's precision. A judged residual may be ten times as large */
#define CHECK_TOLERANCE (CONTACT_REAL == 32 ? 1e-5 : 1e-9)

static uint64_t check_seed = 1;
static inline double uniform(void)
{
    check_seed = check_seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(check_seed >> 11) / 9007199254740992.0;
}

typedef struct qp {
    cti_mem mem;
    cti_arena arena;
    cti_program p;
    cti_effort e;
    cti_answer a;
    double x[MOST_N + MOST_M], r[MOST_M], work[4 * MOST_M + 4 * MOST_N];
    cti_judgement j;
    cti_outcome outcome;
} qp;

static inline void sparse_full(cti_mem *mem, int rows, int cols, const double *full, cti_sparse *out)
{
    static int32_t i[MOST_M * MOST_M], j[MOST_M * MOST_M];
    static double x[MOST_M * MOST_M];
    int a, b, n = 0;
    for (a = 0; a < rows; a++)
        for (b = 0; b < cols; b++)
            if (full[a * cols + b] != 0)
                i[n] = a, j[n] = b, x[n++] = full[a * cols + b];
    assert_true(cti_sparse_from_triplets(mem, rows, cols, i, j, x, n, out));
}

static inline double *vector_copy(cti_mem *mem, const double *v, int n)
{
    double *x = NULL;
    assert_true(CTI_RESIZE(mem, x, n));
    if (n)
        memcpy(x, v, sizeof *x * (size_t)n);
    return x;
}

static inline void qp_begin(qp *q, cti_program_kind kind, int n, int m)
{
    memset(q, 0, sizeof *q);
    cti_mem_init(&q->mem, NULL);
    q->p.kind = kind, q->p.n = n, q->p.m = m;
    q->e.tolerance = CHECK_TOLERANCE;
}

/* min 1/2 x'Ax - b'x, J x + w >= 0; the first `equations` rows = 0 */
static inline void qp_make(qp *q, int n, int m, const double *A, const double *b, const double *J, const double *w, int equations)
{
    int i;
    qp_begin(q, CTI_PROGRAM_QP, n, m);
    sparse_full(&q->mem, n, n, A, &q->p.A);
    sparse_full(&q->mem, m, n, J, &q->p.J);
    q->p.b = vector_copy(&q->mem, b, n), q->p.w = vector_copy(&q->mem, w, m);
    if (equations)
        assert_true(CTI_RESIZE(&q->mem, q->p.equation, m));
    for (i = 0; i < equations; i++)
        q->p.equation[i] = 1;
    assert_null(cti_program_check(&q->p));
}

static inline cti_outcome qp_solve(qp *q, cti_program_solver solve)
{
    cti_arena_init(&q->arena, &q->mem);
    q->e.arena = &q->arena;
    if (!q->e.warm)
        memset(q->x, 0, sizeof q->x), memset(q->r, 0, sizeof q->r);
    q->a.x = q->x, q->a.r = q->r, q->a.why = NULL;
    q->outcome = solve(&q->p, &q->e, &q->a);
    cti_program_judge(&q->p, q->x, q->r, q->work, &q->j);
    cti_arena_free(&q->arena);
    if (q->outcome != CTI_OUTCOME_MEMORY)
        assert_non_null(q->a.why);
    return q->outcome;
}

static inline void qp_drop(qp *q)
{
    cti_program_free(&q->mem, &q->p);
    assert_int_equal(q->mem.bytes_live, 0);
}

static inline void qp_solved(qp *q, cti_program_solver solve)
{
    if (qp_solve(q, solve) != CTI_OUTCOME_SOLVED)
        print_message("n %d m %d: outcome %d after %d iterations, residual %g, dynamics %g primal %g dual %g gap %g natural %g: %s\n",
                      q->p.n, q->p.m, q->outcome, q->a.iterations, q->j.residual, q->j.dynamics, q->j.primal, q->j.dual, q->j.gap,
                      q->j.natural, q->a.why);
    assert_int_equal(q->outcome, CTI_OUTCOME_SOLVED);
    if (!(q->j.residual < 10 * CHECK_TOLERANCE))
        print_message("residual %g\n", q->j.residual);
    assert_true(q->j.residual < 10 * CHECK_TOLERANCE);
}

/* a proof, checked row by row: y >= 0, J'y = 0, w'y < 0 */
static inline void qp_infeasible(qp *q, cti_program_solver solve)
{
    double t[MOST_N] = {0}, value = 0, most = 0;
    int i, k;
    assert_int_equal(qp_solve(q, solve), CTI_OUTCOME_INFEASIBLE);
    for (i = 0; i < q->p.m; i++) {
        assert_true(q->r[i] >= 0 || (q->p.equation && q->p.equation[i]));
        for (k = q->p.J.p[i]; k < q->p.J.p[i + 1]; k++)
            t[q->p.J.i[k]] += q->p.J.x[k] * q->r[i], most = fmax(most, fabs(q->p.J.x[k] * q->r[i]));
        value += q->p.w[i] * q->r[i];
    }
    for (i = 0; i < q->p.n; i++)
        assert_true(fabs(t[i]) <= 1e-9 * most);
    assert_true(value < 0);
}

/* random: A = B B' / n + shift, J random, w such that about half the rows hold at 0 */
static inline void qp_random(qp *q, int n, int m, int equations, double shift)
{
    static double A[MOST_N * MOST_N], B[MOST_N * MOST_N], J[MOST_M * MOST_N], b[MOST_N], w[MOST_M];
    int i, j, k;
    for (i = 0; i < n * n; i++)
        B[i] = uniform() - 0.5;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            A[i * n + j] = i == j ? shift : 0;
            for (k = 0; k < n; k++)
                A[i * n + j] += B[i * n + k] * B[j * n + k] / n;
        }
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i];
    for (i = 0; i < m * n; i++)
        J[i] = uniform() - 0.5;
    for (i = 0; i < n; i++)
        b[i] = 4 * (uniform() - 0.5);
    for (i = 0; i < m; i++)
        w[i] = i < equations ? 0.3 * (uniform() - 0.5) : uniform();
    qp_make(q, n, m, A, b, J, w, equations);
}

/* the solution, by trying every set of rows as equations. 1 if one of them meets all conditions */
static inline int qp_by_trial(const qp *q, double *x)
{
    const cti_program *p = &q->p;
    enum { MOST = 24, LD = 32 };
    double K[MOST * LD], z[MOST], u[MOST_M];
    int pivot[MOST], rows[MOST], set, i, j, s, good;
    for (set = 0; set < 1 << p->m; set++) {
        for (i = 0, s = 0, good = 1; i < p->m; i++) {
            if (p->equation && p->equation[i] && !(set >> i & 1))
                good = 0;
            if (set >> i & 1)
                rows[s++] = i;
        }
        if (!good || s > p->n)
            continue;
        memset(K, 0, sizeof K);
        for (i = 0; i < p->n; i++) {
            for (j = 0; j < p->n; j++)
                K[i * LD + j] = cti_sparse_at(&p->A, i, j);
            for (j = 0; j < s; j++)
                K[i * LD + p->n + j] = -cti_sparse_at(&p->J, rows[j], i), K[(p->n + j) * LD + i] = -K[i * LD + p->n + j];
            z[i] = p->b[i];
        }
        for (j = 0; j < s; j++)
            z[p->n + j] = -p->w[rows[j]];
        if (!dense_lu(K, p->n + s, LD, pivot))
            continue;
        dense_lu_solve(K, p->n + s, LD, pivot, z);
        cti_program_u(p, z, NULL, u);
        for (i = 0; i < p->m; i++)
            good &= u[i] > -1e-10;
        for (j = 0; j < s; j++)
            good &= z[p->n + j] > -1e-10 || (p->equation && p->equation[rows[j]]);
        if (good) {
            memcpy(x, z, sizeof *x * (size_t)p->n);
            return 1;
        }
    }
    return 0;
}

/* ---- requirements on every solver of quadratic programs ---- */

/* min (x - 1)^2 + (y - 2.5)^2 in a polygon (Nocedal, Wright, example 16.4): (1.4, 1.7) */
static inline void check_by_hand(cti_program_solver solve)
{
    static const double A[4] = {2, 0, 0, 2}, b[2] = {2, 5}, J[10] = {1, -2, -1, -2, -1, 2, 1, 0, 0, 1}, w[5] = {2, 6, 2, 0, 0};
    qp q;
    qp_make(&q, 2, 5, A, b, J, w, 0);
    qp_solved(&q, solve);
    assert_true(fabs(q.x[0] - 1.4) < 1e-8 && fabs(q.x[1] - 1.7) < 1e-8);
    assert_true(fabs(q.r[0] - 0.8) < 1e-7 && fabs(q.r[1]) < 1e-7 && fabs(q.r[4]) < 1e-7);
    qp_drop(&q);
    /* no row: the unconstrained minimum */
    qp_make(&q, 2, 0, A, b, J, w, 0);
    qp_solved(&q, solve);
    assert_true(fabs(q.x[0] - 1) < 1e-9 && fabs(q.x[1] - 2.5) < 1e-9);
    qp_drop(&q);
}

/* an equation as such, and as two opposite rows: x + y = 1, with a multiplier of either sign */
static inline void check_equations(cti_program_solver solve)
{
    static const double A[4] = {1, 0, 0, 1}, b[2] = {0, 0}, J[4] = {1, 1, -1, -1};
    static const double up[2] = {-1, 1}, down[2] = {1, -1};
    const double *w[2];
    qp q;
    int k;
    w[0] = up, w[1] = down;
    for (k = 0; k < 2; k++) {
        double side = k ? -0.5 : 0.5;
        qp_make(&q, 2, 1, A, b, J, w[k], 1);
        qp_solved(&q, solve);
        assert_true(fabs(q.x[0] - side) < 1e-8 && fabs(q.x[1] - side) < 1e-8 && fabs(q.r[0] - side) < 1e-8);
        qp_drop(&q);
        qp_make(&q, 2, 2, A, b, J, w[k], 0);
        qp_solved(&q, solve);
        assert_true(fabs(q.x[0] - side) < 1e-8 && q.r[0] >= 0 && q.r[1] >= 0 && fabs(q.r[0] - q.r[1] - side) < 1e-8);
        qp_drop(&q);
    }
}

static inline void check_random(cti_program_solver solve)
{
    double x[24];
    int k, i, found = 0;
    qp q;
    check_seed = 11;
    for (k = 0; k < 60; k++) {
        int n = 2 + k % 5, m = 3 + k % 7, equations = k % 3 == 2 ? 1 : 0;
        qp_random(&q, n, m, equations, 0.1);
        if (qp_by_trial(&q, x)) {
            found++;
            qp_solved(&q, solve);
            for (i = 0; i < n; i++)
                assert_true(fabs(x[i] - q.x[i]) < 1e-7);
        } else {
            qp_infeasible(&q, solve);
        }
        qp_drop(&q);
    }
    assert_true(found > 40);
}

/* equal rows, rows that follow from others, three rows through one corner of the plane */
static inline void check_degenerate(cti_program_solver solve)
{
    static const double A[4] = {1, 0, 0, 1}, b[2] = {-1, -1};
    static const double J[14] = {1, 0, 1, 0, 2, 0, 0, 1, 1, 1, 1, -0.5, 3, 2}, w[7] = {0, 0, 0, 0, 0, 0, 0};
    qp q;
    qp_make(&q, 2, 7, A, b, J, w, 0);
    qp_solved(&q, solve);
    assert_true(fabs(q.x[0]) < 1e-8 && fabs(q.x[1]) < 1e-8);
    qp_drop(&q);
    /* the same rows as equations: 1 and 2 are the same, 3 follows */
    qp_make(&q, 2, 3, A, b, J, w, 3);
    qp_solved(&q, solve);
    assert_true(fabs(q.x[0]) < 1e-8 && fabs(q.x[1] + 1) < 1e-8);
    qp_drop(&q);
}

static inline void check_infeasible(cti_program_solver solve)
{
    static const double A[4] = {1, 0.2, 0.2, 1}, b[2] = {1, 0};
    static const double J2[6] = {1, 0, -1, 0, 0, 1}, w2[3] = {-1, 0.999, 0};
    static const double J3[6] = {1, 0, 0, 1, -1, -1}, w3[3] = {-1, -1, 1.5};
    static const double E[4] = {1, 1, 2, 2}, we[2] = {-1, -3};
    qp q;
    qp_make(&q, 2, 3, A, b, J2, w2, 0);
    qp_infeasible(&q, solve);
    qp_drop(&q);
    qp_make(&q, 2, 3, A, b, J3, w3, 0);
    qp_infeasible(&q, solve);
    qp_drop(&q);
    qp_make(&q, 2, 2, A, b, E, we, 2);
    qp_infeasible(&q, solve);
    qp_drop(&q);
    /* nearly infeasible: 1 <= x <= 1 + 1e-6 */
    {
        static const double w[3] = {-1, 1 + 1e-6, 0};
        qp_make(&q, 2, 3, A, b, J2, w, 0);
        qp_solved(&q, solve);
        assert_true(q.x[0] > 1 - 1e-8 && q.x[0] < 1 + 1e-6 + 1e-8);
        qp_drop(&q);
    }
}

/* units: rows times 1e5 and 1e-5, unknowns times 1e3, objective times 1e6; the same point in other units */
static inline void check_scaled(cti_program_solver solve)
{
    qp q, s;
    int i, k;
    check_seed = 5;
    qp_random(&q, 12, 20, 0, 0.1);
    qp_solved(&q, solve);
    check_seed = 5;
    qp_random(&s, 12, 20, 0, 0.1);
    for (i = 0; i < 12; i++) {
        for (k = s.p.A.p[i]; k < s.p.A.p[i + 1]; k++)
            s.p.A.x[k] *= 1e6 * (i % 2 ? 1e3 : 1) * (s.p.A.i[k] % 2 ? 1e3 : 1);
        s.p.b[i] *= 1e6 * (i % 2 ? 1e3 : 1);
    }
    for (i = 0; i < 20; i++) {
        double line = i % 3 == 0 ? 1e5 : (i % 3 == 1 ? 1e-5 : 1);
        for (k = s.p.J.p[i]; k < s.p.J.p[i + 1]; k++)
            s.p.J.x[k] *= line * (s.p.J.i[k] % 2 ? 1e3 : 1);
        s.p.w[i] *= line;
    }
    qp_solved(&s, solve);
    for (i = 0; i < 12; i++)
        assert_true(fabs(q.x[i] - s.x[i] * (i % 2 ? 1e3 : 1)) < 1e-6);
    qp_drop(&q), qp_drop(&s);
}

/* contacts without friction: GLOBAL and LOCAL give the same impulses; with friction they are solved, or not applicable */
static inline void check_contacts(cti_program_solver solve, int friction)
{
    static const double M[9] = {2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 1.5}, f[3] = {-1, 0.5, -2};
    double J[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0}, w[6] = {0.1, 0, 0, 0.05, 0, 0}, W[36], q0[6], zero[2] = {0, 0};
    qp g, l;
    int i, k;
    qp_begin(&g, CTI_PROGRAM_GLOBAL, 3, 6);
    sparse_full(&g.mem, 3, 3, M, &g.p.A), sparse_full(&g.mem, 6, 3, J, &g.p.J);
    g.p.b = vector_copy(&g.mem, f, 3), g.p.w = vector_copy(&g.mem, w, 6), g.p.mu = vector_copy(&g.mem, zero, 2);
    assert_true(cti_program_prepare(&g.mem, &g.p));
    qp_solved(&g, solve);
    assert_true(g.r[0] > 0.01 && g.r[3] > 0.01 && g.r[1] == 0 && g.r[5] == 0);
    /* W = J M^-1 J', q0 = J M^-1 f + w */
    for (i = 0; i < 6; i++) {
        double L[3 * 16], z[3];
        int pivot[3];
        for (k = 0; k < 9; k++)
            L[k / 3 * 16 + k % 3] = M[k];
        assert_true(dense_lu(L, 3, 16, pivot));
        memcpy(z, J + 3 * i, sizeof z);
        dense_lu_solve(L, 3, 16, pivot, z);
        q0[i] = w[i] + z[0] * f[0] + z[1] * f[1] + z[2] * f[2];
        for (k = 0; k < 6; k++)
            W[6 * k + i] = J[3 * k] * z[0] + J[3 * k + 1] * z[1] + J[3 * k + 2] * z[2];
    }
    qp_begin(&l, CTI_PROGRAM_LOCAL, 6, 6);
    sparse_full(&l.mem, 6, 6, W, &l.p.W);
    l.p.w = vector_copy(&l.mem, q0, 6), l.p.mu = vector_copy(&l.mem, zero, 2);
    assert_true(cti_program_prepare(&l.mem, &l.p));
    qp_solved(&l, solve);
    assert_true(fabs(l.r[0] - g.r[0]) < 1e-8 && fabs(l.r[3] - g.r[3]) < 1e-8);
    l.p.mu[0] = 0.5, l.p.mu[1] = 0.3;
    if (friction) {
        g.p.mu[0] = 0.5, g.p.mu[1] = 0.3;
        qp_solved(&l, solve), qp_solved(&g, solve);
        for (i = 0; i < 6; i++)
            assert_true(fabs(l.r[i] - g.r[i]) < 1e-6);
    } else {
        assert_int_equal(qp_solve(&l, solve), CTI_OUTCOME_NOT_APPLICABLE);
        assert_true(l.a.why[0]);
    }
    qp_drop(&g), qp_drop(&l);
}

/* W symmetric: the LCP, and with bounds on r; an unsymmetric W is not applicable */
static inline void check_lcp(cti_program_solver solve)
{
    static const double W[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, w[3] = {-4, 1, -1}, lo[3] = {-0.5, -0.5, 0.1}, hi[3] = {1, INFINITY, 0.1};
    static const double U[9] = {2, 1, 0, 0, 2, 1, 0, 1, 2};
    qp q;
    qp_begin(&q, CTI_PROGRAM_LCP, 3, 3);
    sparse_full(&q.mem, 3, 3, W, &q.p.W);
    q.p.w = vector_copy(&q.mem, w, 3);
    qp_solved(&q, solve);
    /* r = (2, 0, 0.5): u = (0, 3.5, 0) */
    assert_true(fabs(q.r[0] - 2) < 1e-8 && q.r[1] >= 0 && q.r[1] < 1e-8 && fabs(q.r[2] - 0.5) < 1e-8 && fabs(q.x[1] - 3.5) < 1e-7);
    q.p.lo = vector_copy(&q.mem, lo, 3), q.p.hi = vector_copy(&q.mem, hi, 3);
    qp_solved(&q, solve);
    /* r_0 at its upper bound, r_2 fixed, r_1 at its lower bound: u_1 = 1 - 1 + 1 + 0.1 */
    assert_true(fabs(q.r[0] - 1) < 1e-8 && fabs(q.r[1] + 0.5) < 1e-7 && fabs(q.r[2] - 0.1) < 1e-9);
    cti_sparse_free(&q.mem, &q.p.W);
    sparse_full(&q.mem, 3, 3, U, &q.p.W);
    assert_int_equal(qp_solve(&q, solve), CTI_OUTCOME_NOT_APPLICABLE);
    qp_drop(&q);
}

/* allocation number `left` fails: the outcome is MEMORY, and nothing leaks */
typedef struct refusing {
    long left;
} refusing;
static inline void *refuse(void *user, void *block, size_t old_size, size_t new_size)
{
    refusing *r = (refusing *)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return r->left-- <= 0 ? NULL : realloc(block, new_size);
}
static inline void check_memory(cti_program_solver solve, int n, int m)
{
    qp q;
    refusing r;
    ct_allocator own, saved;
    int k, refused = 0;
    check_seed = 3;
    qp_random(&q, n, m, 0, 0.1);
    own.resize = refuse, own.user = &r;
    saved = q.mem.user;
    for (k = 0; k < 2000; k++) {
        int64_t live = q.mem.bytes_live;
        r.left = k;
        q.mem.user = own;
        qp_solve(&q, solve);
        q.mem.user = saved, q.mem.failed = 0;
        assert_int_equal(q.mem.bytes_live, live);
        if (q.outcome != CTI_OUTCOME_MEMORY)
            break;
        refused++;
    }
    assert_int_equal(q.outcome, CTI_OUTCOME_SOLVED);
    assert_true(refused > 5);
    qp_drop(&q);
}

/* a bound on iterations ends as BUDGET with finite numbers; a watcher that returns 0 ends the solve at once */
static inline int say_no(void *user, int iteration, const double *x, const double *r)
{
    (void)user, (void)iteration, (void)x, (void)r;
    return 0;
}
static inline void check_budget(cti_program_solver solve)
{
    qp q;
    int i;
    check_seed = 21;
    qp_random(&q, 20, 30, 0, 0.1);
    q.e.max_iterations = 2;
    assert_int_equal(qp_solve(&q, solve), CTI_OUTCOME_BUDGET);
    for (i = 0; i < 20; i++)
        assert_true(isfinite(q.x[i]));
    q.e.max_iterations = 0, q.e.watcher.watch = say_no;
    assert_int_equal(qp_solve(&q, solve), CTI_OUTCOME_BUDGET);
    qp_drop(&q);
}

/* files of the data folder: 0 when one is missing */
static inline int check_files(ct_solver solver, const char *const *files, int n)
{
    const char *root = getenv("CONTACT_DATA");
    char path[1024];
    int k, i, read = 0;
    for (k = 0; k < n; k++) {
        ct_problem *problem;
        ct_problem_info info;
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        double off = 0, big = 0;
        snprintf(path, sizeof path, "%s/problems/%s.cpb", root ? root : "../shared/data", files[k]);
        if (ct_problem_read(path, &problem, NULL) != CT_OK) {
            print_message("missing: problems/%s.cpb in ../shared/data (or CONTACT_DATA)\n", files[k]);
            continue;
        }
        memset(&s, 0, sizeof s);
        ct_problem_info_get(problem, &info);
        d.solver = solver, d.tolerance = (ct_real)1e-8;
        assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
        for (i = 0; info.kind == CT_PROBLEM_QP && info.x_ref && i < s.n; i++)
            off = fmax(off, fabs(s.x[i] - info.x_ref[i])), big = fmax(big, fabs(info.x_ref[i]));
        if (s.outcome != (strstr(files[k], "INFEASIBLE") ? CT_OUTCOME_INFEASIBLE : CT_OUTCOME_SOLVED) || off > 1e-7 * big)
            fail_msg("%s: %s, residual %g, off the reference by %g of %g", files[k], ct_outcome_text(s.outcome), s.residual, off, big);
        ct_solution_free(&s);
        ct_problem_free(problem);
        read++;
    }
    return read == n;
}

#endif /* PROGRAM_CHECK_H */
