/* test_mprgp.c -- MPRGP: solved by hand, against projected Gauss-Seidel, decoupling, preconditioners, certificates, what it refuses. */
#include "../src/3_solve/certificate.h"
#include "../src/3_solve/mprgp.h"
#include "../src/9_world/problems.h"
#include "../src/public/api.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

static uint64_t now_us(void *user)
{
    (void)user;
    return (uint64_t)((double)clock() / CLOCKS_PER_SEC * 1e6);
}

static uint64_t seed = 1;
static double uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0;
}

enum { MOST = 80 };

typedef struct fixture {
    cti_mem mem;
    cti_arena arena;
    cti_program p;
    cti_effort e;
    cti_answer a;
    cti_mprgp_options o;
    cti_mprgp_counters c;
    double x[MOST], r[MOST], work[4 * MOST];
    cti_judgement j;
} fixture;

static void sparse(fixture *f, cti_sparse *out, int rows, int cols, const double *dense)
{
    int32_t i[MOST * MOST], k[MOST * MOST];
    double x[MOST * MOST];
    int a, n = 0;
    for (a = 0; a < rows * cols; a++)
        if (dense[a] != 0)
            i[n] = a / cols, k[n] = a % cols, x[n] = dense[a], n++;
    assert_true(cti_sparse_from_triplets(&f->mem, rows, cols, i, k, x, n, out));
}

static double *vector(fixture *f, int n, const double *x)
{
    double *v = NULL;
    assert_true(CTI_RESIZE(&f->mem, v, n));
    if (n)
        memcpy(v, x, sizeof *x * (size_t)n);
    return v;
}

static void begin(fixture *f, cti_program_kind kind, int n, int m)
{
    memset(f, 0, sizeof *f);
    cti_mem_init(&f->mem, NULL);
    cti_arena_init(&f->arena, &f->mem);
    f->p.kind = kind, f->p.n = n, f->p.m = m;
    f->e.tolerance = 1e-9, f->e.mem = &f->mem, f->e.arena = &f->arena, f->e.seed = 5;
    f->a.x = f->x, f->a.r = f->r, f->a.why = "";
    f->o = cti_mprgp_options_default();
}

static void make_qp(fixture *f, int n, int m, const double *A, const double *b, const double *J, const double *w)
{
    begin(f, CTI_PROGRAM_QP, n, m);
    sparse(f, &f->p.A, n, n, A), sparse(f, &f->p.J, m, n, J);
    f->p.b = vector(f, n, b), f->p.w = vector(f, m, w);
    assert_null(cti_program_check(&f->p));
}

static void make_lcp(fixture *f, int m, const double *W, const double *w)
{
    begin(f, CTI_PROGRAM_LCP, m, m);
    sparse(f, &f->p.W, m, m, W);
    f->p.w = vector(f, m, w);
    assert_null(cti_program_check(&f->p));
}

static cti_outcome run(fixture *f)
{
    cti_outcome said;
    memset(f->x, 0, sizeof f->x), memset(f->r, 0, sizeof f->r);
    said = cti_mprgp_solve_with(&f->p, &f->o, &f->e, &f->a, &f->c);
    cti_program_judge(&f->p, f->x, f->r, f->work, &f->j);
    return said;
}

static void end(fixture *f)
{
    cti_program_free(&f->mem, &f->p);
    cti_arena_free(&f->arena);
    assert_int_equal(f->mem.bytes_live, 0);
}

static void near_at(const char *what, int line, double a, double b, double eps)
{
    if (!(fabs(a - b) <= eps))
        print_error("line %d: %s = %.15g, not %.15g\n", line, what, a, b);
    assert_true(fabs(a - b) <= eps);
}
#define NEAR(a, b, eps) near_at(#a, __LINE__, (a), (b), (eps))

/* random symmetric positive definite matrix, condition about `scale` */
static void random_spd(int n, double scale, double *A)
{
    double G[MOST * MOST];
    int i, j, k;
    for (i = 0; i < n * n; i++)
        G[i] = uniform() - 0.5;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double s = i == j ? 1 / scale : 0;
            for (k = 0; k < n; k++)
                s += G[i * n + k] * G[j * n + k];
            A[i * n + j] = s;
        }
}

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

/* one slanted row: nearest point of x0 + x1 >= 2 to the origin is (1, 1), r = 1; coupled twin: the same row twice, which is redundant */
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
    /* active start that has to be left: x = (0, 2), r = (3, 0) */
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

/* coupled rows: dual by MPRGP with W formed, and through the factor; both meet the judge and agree */
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

/* rows that depend on each other: twice the same row, the same at half the size, the sum of two, a looser one beside it. By hand: the nearest
   point to (-1, -2, 3) with x0 >= 0, x1 >= 0 is (0, 0, 3), the multipliers of both add up to 1 and 2 */
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

/* coupled rows, a third of them sums of others, equations among them: as the multipliers' problem says */
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

/* rows of four vertices each, which share no vertex: J J' is diagonal */
enum { VERTICES = 20, ROWS = 5 };
static void make_embedded(fixture *f)
{
    double A[MOST * MOST], b[MOST], J[ROWS * MOST], w[ROWS], normal[3];
    int i, k, c, n = 3 * VERTICES;
    random_spd(n, 100, A);
    memset(J, 0, sizeof J);
    for (i = 0; i < n; i++)
        b[i] = 4 * uniform() - 2;
    for (i = 0; i < ROWS; i++) {
        for (c = 0; c < 3; c++)
            normal[c] = uniform() - 0.5;
        for (k = 0; k < 4; k++) {
            double weight = 0.1 + uniform();
            for (c = 0; c < 3; c++)
                J[i * n + 3 * (4 * i + k) + c] = weight * normal[c];
        }
        w[i] = -0.1 * uniform();
    }
    make_qp(f, n, ROWS, A, b, J, w);
}

static void embedded_rows(void **state)
{
    static const cti_mprgp_precondition kinds[] = {CTI_PRECONDITION_NONE, CTI_PRECONDITION_JACOBI, CTI_PRECONDITION_BLOCKS,
                                                   CTI_PRECONDITION_IC0, CTI_PRECONDITION_FACTOR};
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

/* ---- parts ---- */

/* free gradient, chopped gradient and projection against equations 15 to 20: orthogonal, feasible, complementary */
static void gradients(void **state)
{
    cti_mprgp_set set;
    cti_mprgp_split split;
    double U[ROWS * MOST], lo[ROWS], hi[ROWS], s[ROWS], t[ROWS], g[MOST], x[MOST], y[MOST], phi[MOST], sum[MOST], dot = 0;
    uint8_t face[ROWS] = {0};
    int i, k, c, n = 3 * VERTICES, active = 0;
    fixture f;
    (void)state;
    seed = 31;
    begin(&f, CTI_PROGRAM_QP, n, ROWS);
    memset(&set, 0, sizeof set), memset(U, 0, sizeof U);
    for (i = 0; i < ROWS; i++) {
        double one = 0;
        for (k = 0; k < 12; k++)
            U[i * n + 12 * i + k] = uniform() - 0.5, one += U[i * n + 12 * i + k] * U[i * n + 12 * i + k];
        for (k = 0; k < 12; k++)
            U[i * n + 12 * i + k] /= sqrt(one);
        lo[i] = uniform() - 0.5, hi[i] = i == 4 ? lo[i] : lo[i] + 0.2;
    }
    sparse(&f, &set.J, ROWS, n, U);
    set.n = n, set.rows = ROWS, set.lo = lo, set.hi = hi, set.face = face, set.s = s, set.t = t;
    for (i = 0; i < n; i++)
        x[i] = y[i] = uniform() - 0.5, g[i] = uniform() - 0.5;
    assert_true(cti_mprgp_set_values(&set, x) > 0);
    cti_mprgp_set_project(&set, y);
    NEAR(cti_mprgp_set_values(&set, y), 0, 0);
    for (i = 0; i < ROWS; i++)
        assert_true(s[i] >= lo[i] - 1e-14 && s[i] <= hi[i] + 1e-14);
    for (i = 0; i < ROWS; i++) { /* y - x = J'l, l on the faces only and with their sign */
        double l = 0, off = 0;
        for (k = 0; k < n; k++)
            l += U[i * n + k] * (y[k] - x[k]);
        for (k = 12 * i; k < 12 * i + 12; k++)
            off = fmax(off, fabs(y[k] - x[k] - l * U[i * n + k]));
        NEAR(off, 0, 1e-14);
        assert_true(face[i] == CTI_FACE_FREE ? fabs(l) < 1e-14
                                             : (face[i] == CTI_FACE_LOWER ? l > 0 : (face[i] == CTI_FACE_UPPER ? l < 0 : 1)));
        active += face[i] != CTI_FACE_FREE;
    }
    assert_true(active >= 2);
    cti_mprgp_set_split(&set, g, 0.1, phi, sum, &split);
    for (i = 0; i < ROWS; i++) {
        double a = 0, b = 0;
        for (k = 0; k < n; k++)
            a += U[i * n + k] * phi[k], b += U[i * n + k] * (sum[k] - phi[k]);
        if (face[i] != CTI_FACE_FREE)
            NEAR(a, 0, 1e-14); /* equation 15 */
        assert_true(face[i] == CTI_FACE_LOWER ? b <= 1e-14
                                              : (face[i] == CTI_FACE_UPPER ? b >= -1e-14 : fabs(b) <= 1e-14)); /* equation 17 */
    }
    for (k = 0; k < n; k++)
        dot += phi[k] * (sum[k] - phi[k]);
    NEAR(dot, 0, 1e-14); /* lemma 2 */
    /* equation 13: phi~'phi with the projection itself */
    for (k = 0; k < n; k++)
        x[k] = y[k] - 0.1 * phi[k];
    cti_mprgp_set_project(&set, x);
    for (dot = 0, c = 0; c < n; c++)
        dot += (y[c] - x[c]) / 0.1 * phi[c];
    NEAR(split.reduced, dot, 1e-12);
    cti_sparse_free(&f.mem, &set.J);
    end(&f);
}

static int row_overlap(const fixture *f, const uint8_t *keep, int block)
{
    int owner[MOST], i, k, bad = 0;
    memset(owner, 255, sizeof owner);
    for (i = 0; i < f->p.m; i++)
        for (k = f->p.J.p[i]; keep[i] && k < f->p.J.p[i + 1]; k++) {
            int *o = &owner[f->p.J.i[k] / block];
            bad += *o >= 0 && *o != i;
            *o = i;
        }
    return bad;
}

static void decoupling(void **state)
{
    double A[MOST * MOST], J[24 * MOST], w[24], b[MOST], depth[24], u;
    uint8_t keep[24], other[24];
    int i, k, c, n = 36, m = 24, kept, how;
    fixture f;
    (void)state;
    seed = 41;
    random_spd(n, 10, A);
    memset(J, 0, sizeof J);
    for (i = 0; i < n; i++)
        b[i] = uniform() - 0.5;
    for (i = 0; i < m; i++) {
        for (k = 0; k < 4; k++) /* four vertices of twelve */
            for (c = 0; c < 3; c++)
                J[i * n + 3 * ((i + 3 * k + (int)(3 * uniform())) % 12) + c] = uniform() - 0.5;
        w[i] = depth[i] = uniform() - 0.7;
    }
    make_qp(&f, n, m, A, b, J, w);
    for (how = CTI_DECOUPLE_RANDOM; how <= CTI_DECOUPLE_DEEPEST; how++) {
        kept = cti_mprgp_decouple(&f.arena, &f.p.J, depth, (cti_mprgp_decoupling)how, 3, 9, keep);
        assert_true(kept >= 1 && kept <= 3 && row_overlap(&f, keep, 3) == 0);
    }
    for (i = 0, k = 0; i < m; i++) /* the deepest row of all stays */
        k = depth[i] < depth[k] ? i : k;
    assert_true(keep[k]);
    for (i = 0, how = 0; i < 20 && !how; i++) { /* another seed, another choice */
        cti_mprgp_decouple(&f.arena, &f.p.J, depth, CTI_DECOUPLE_RANDOM, 3, 9, keep);
        cti_mprgp_decouple(&f.arena, &f.p.J, depth, CTI_DECOUPLE_RANDOM, 3, (uint64_t)(10 + i), other);
        how = memcmp(keep, other, sizeof keep) != 0;
    }
    assert_true(how);
    /* the rows that stay are met, and nothing else pulls */
    f.o.decoupling = CTI_DECOUPLE_DEEPEST;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    cti_mprgp_decouple(&f.arena, &f.p.J, depth, CTI_DECOUPLE_DEEPEST, 3, 5, keep);
    for (i = 0; i < m; i++) {
        for (u = w[i], k = 0; k < n; k++)
            u += J[i * n + k] * f.x[k];
        assert_true(keep[i] ? u > -1e-9 && fabs(u * f.r[i]) < 1e-8 : f.r[i] == 0);
    }
    assert_true(f.j.dynamics < 1e-8);
    end(&f);
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
    f.p.w[2] = 1.5; /* room again */
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

/* the estimate of |A|, warm: fewer turns, the same number; the step is below 2 / |A| */
static void power_method(void **state)
{
    double A[MOST * MOST], b[MOST], J[MOST * MOST], w[MOST], start[MOST];
    int i, n = 40, cold;
    double norm;
    fixture f;
    (void)state;
    seed = 61;
    random_spd(n, 10, A);
    memset(J, 0, sizeof J), memset(start, 0, sizeof start);
    for (i = 0; i < n; i++)
        b[i] = uniform() - 0.5, w[i] = 0.01, J[i * n + i] = 1;
    make_qp(&f, n, n, A, b, J, w);
    f.o.power = start;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    cold = f.c.power, norm = f.c.norm;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    assert_true(f.c.power <= 2 && f.c.power < cold && cold <= 40);
    assert_true(f.c.norm >= norm * 0.999 && f.c.norm < norm * 1.1);
    end(&f);
}

/* a budget ends it, and says so */
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

/* the k-th request for memory fails, for every k: MEMORY is said (or another path is found), nothing is lost */
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

/* ---- files ---- */

static ct_problem *read_data(const char *name)
{
    const char *root = getenv("CONTACT_DATA");
    ct_problem *problem = NULL;
    char path[1024];
    snprintf(path, sizeof path, "%s/problems/%s", root ? root : "../shared/data", name);
    if (ct_problem_read(path, &problem, NULL) == CT_OK)
        return problem;
    print_message("missing: problems/%s in ../shared/data (or CONTACT_DATA)\n", name);
    return NULL;
}

/* decoupled, coupled and ill-conditioned, infeasible; a file with friction, which is solved by normals and friction in turn, and the same without */
static void files(void **state)
{
    static const char *const names[] = {"qp/vf_dec_3k.cpb", "qp/quasi_slab_3k.cpb", "qp/INFEASIBLE_3k.cpb", "fc/G_fem_vf_1k.cpb",
                                        "fc/G_fem_vf_1k.cpb"};
    static const ct_outcome outcomes[] = {CT_OUTCOME_SOLVED, CT_OUTCOME_SOLVED, CT_OUTCOME_INFEASIBLE, CT_OUTCOME_SOLVED,
                                          CT_OUTCOME_SOLVED};
    int i, k;
    (void)state;
    for (i = 0; i < 5; i++) {
        ct_problem *problem = read_data(names[i]);
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        if (!problem)
            continue;
        memset(&s, 0, sizeof s);
        d.solver = CT_SOLVER_MPRGP, d.tolerance = (ct_real)1e-9;
        for (k = 0; i == 4 && k < problem->program.m / 3; k++)
            problem->program.mu[k] = 0;
        assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
        if (s.outcome != outcomes[i])
            print_error("%s: %s, residual %g: %s\n", names[i], ct_outcome_text(s.outcome), s.residual, s.why);
        assert_int_equal(s.outcome, outcomes[i]);
        if (s.outcome == CT_OUTCOME_INFEASIBLE) {
            double *work = (double *)malloc(2 * sizeof *work * (size_t)s.n);
            assert_non_null(work);
            assert_true(cti_program_certify(&problem->program, s.r, work));
            free(work);
        }
        ct_solution_free(&s);
        ct_problem_free(problem);
    }
}

/* algorithm 3 as printed on the contact problems, to 1e-4, 60 s each: all that have a reference are solved; with CONTACT_TEST_MANY all of them,
   and a line each for docs/solvers_mprgp.md, else those that take a few hundredths of a second */
static void printed_files(void **state)
{
    static const char *const names[] = {"INFEASIBLE_3k", "corner_3k", "quasi_3k",  "redundant_3k",  "sliver_3k", "slab_cpl_3k", "vf_cpl_3k", "vf_dec_3k",
                                        "infeas_3k",     "plane_10k", "stack_10k", "quasi_slab_3k", "stiff_3k",  "stiff_10k",   "stack_36k"};
    int many = getenv("CONTACT_TEST_MANY") != NULL, i;
    (void)state;
    for (i = 0; i < (many ? 15 : 8); i++) {
        char path[64];
        ct_problem *problem;
        cti_program *p;
        fixture f;
        cti_outcome said;
        clock_t start;
        snprintf(path, sizeof path, "qp/%s.cpb", names[i]);
        problem = read_data(path);
        if (!problem)
            continue;
        p = &problem->program;
        begin(&f, CTI_PROGRAM_QP, 0, 0);
        f.o.printed = 1, f.e.tolerance = 1e-4, f.e.seconds = 60, f.e.now_us = now_us, f.e.started = now_us(NULL);
        f.a.x = (double *)calloc((size_t)p->n, sizeof(double)), f.a.r = (double *)calloc((size_t)p->m + 1, sizeof(double));
        start = clock();
        said = cti_mprgp_solve_with(p, &f.o, &f.e, &f.a, &f.c);
        if (many) {
            double *work = (double *)malloc(sizeof *work * (2 * (size_t)p->m + 2 * (size_t)p->n));
            cti_program_judge(p, f.a.x, f.a.r, work, &f.j);
            print_message("| %s | %d | %d | %s | %d | %d / %d / %d | %d | %.2g | %.1e |\n", names[i], p->n, p->m,
                          ct_outcome_text((ct_outcome)said), f.a.iterations, f.c.cg, f.c.expansions, f.c.proportionings, f.c.inner,
                          (double)(clock() - start) / CLOCKS_PER_SEC, f.j.residual);
            free(work);
        }
        assert_int_equal(said, i ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_INFEASIBLE);
        assert_int_equal(f.c.dual, 0);
        free(f.a.x), free(f.a.r);
        ct_problem_free(problem);
        end(&f);
    }
}

/* what takes the option, and what has no algorithm 3 of this paper */
static void printed_takes(void **state)
{
    static const char *const names[] = {"qp/vf_cpl_3k.cpb", "fc/G_fem_vf_1k.cpb"};
    int i;
    (void)state;
    for (i = 0; i < 2; i++) {
        ct_problem *problem = read_data(names[i]);
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        if (!problem)
            continue;
        memset(&s, 0, sizeof s);
        d.solver = CT_SOLVER_MPRGP, d.termination = CT_TERMINATION_PAPER, d.tolerance = (ct_real)1e-4;
        assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
        assert_int_equal(s.outcome, i ? CT_OUTCOME_NOT_APPLICABLE : CT_OUTCOME_SOLVED);
        assert_true(i || s.iterations > 0);
        ct_solution_free(&s);
        ct_problem_free(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_by_hand),  cmocka_unit_test(two_sides_by_hand),
        cmocka_unit_test(slanted_by_hand), cmocka_unit_test(degenerate),
        cmocka_unit_test(random_lcp),      cmocka_unit_test(random_coupled),
        cmocka_unit_test(embedded_rows),   cmocka_unit_test(gradients),
        cmocka_unit_test(decoupling),      cmocka_unit_test(infeasible),
        cmocka_unit_test(infeasible_lcp),  cmocka_unit_test(badly_scaled),
        cmocka_unit_test(semidefinite),    cmocka_unit_test(refusals),
        cmocka_unit_test(power_method),    cmocka_unit_test(budget),
        cmocka_unit_test(memory),          cmocka_unit_test(files),
        cmocka_unit_test(printed_redundant), cmocka_unit_test(printed_random),
        cmocka_unit_test(printed_files),   cmocka_unit_test(printed_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
