/* test_mprgp_printed.c -- algorithm 3 of Li et al. 2015 against an independent implementation: equations 15, 17 and 19 by trying every
   active set, algorithms 2 and 3 line by line. Every point of the iteration is compared. */
#include "../src/4_programs/mprgp.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { N = 9, M = 5, POINTS = 500 };

static uint64_t seed;
static double uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0;
}

typedef struct dense {
    double A[N][N], b[N], J[M][N], c[M], alpha; /* rows of unit length; J x >= c */
    double seen[POINTS][N];
    int n, cg, expansions, proportionings, inner;
} dense;

static double dot(const double *a, const double *b)
{
    double s = 0;
    int i;
    for (i = 0; i < N; i++)
        s += a[i] * b[i];
    return s;
}

static void gradient(const dense *q, const double *x, double *g)
{
    int i;
    for (i = 0; i < N; i++)
        g[i] = dot(q->A[i], x) - q->b[i];
}

static double value(const dense *q, const double *x)
{
    double g[N];
    gradient(q, x, g);
    return (dot(x, g) - dot(x, q->b)) / 2;
}

/* x + J_S' l, with the rows of the mask S at `want`; 0: these rows depend on each other. Gauss-Jordan on J_S J_S' */
static int meet(const dense *q, int mask, const double *x, const double *want, double *y, double *l)
{
    double G[M][M + 1];
    int rows[M], m = 0, i, j, k;
    for (i = 0; i < M; i++)
        if (mask >> i & 1)
            rows[m++] = i;
    for (i = 0; i < m; i++) {
        for (j = 0; j < m; j++)
            G[i][j] = dot(q->J[rows[i]], q->J[rows[j]]);
        G[i][m] = want[rows[i]] - dot(q->J[rows[i]], x);
    }
    for (i = 0; i < m; i++) {
        if (G[i][i] < 1e-9)
            return 0;
        for (j = 0; j < m; j++) {
            double f = j == i ? 0 : G[j][i] / G[i][i];
            for (k = i; k <= m; k++)
                G[j][k] -= f * G[i][k];
        }
    }
    memcpy(y, x, sizeof(double) * N);
    memset(l, 0, sizeof(double) * M);
    for (i = 0; i < m; i++) {
        l[rows[i]] = G[i][m] / G[i][i];
        for (k = 0; k < N; k++)
            y[k] += l[rows[i]] * q->J[rows[i]][k];
    }
    return 1;
}

/* the y nearest to x with sign (J y - want) >= 0 on the rows of `among`: by trying every active set, until the multipliers have the right sign */
static void nearest(const dense *q, int among, double sign, const double *x, const double *want, double *y)
{
    double l[M];
    int mask, i, ok = 0;
    for (mask = 0; mask < 1 << M && !ok; mask++) {
        if (mask & ~among || !meet(q, mask, x, want, y, l))
            continue;
        for (i = 0, ok = 1; i < M; i++)
            ok = ok && sign * l[i] >= -1e-10 && (!(among >> i & 1) || sign * (dot(q->J[i], y) - want[i]) >= -1e-10);
    }
    assert_true(ok);
}

static void project(const dense *q, const double *x, double *y) { nearest(q, (1 << M) - 1, 1, x, q->c, y); } /* [19] */

static int inside(const dense *q, const double *x)
{
    int i, ok = 1;
    for (i = 0; i < M; i++)
        ok = ok && dot(q->J[i], x) >= q->c[i] - 1e-11;
    return ok;
}

static int active(const dense *q, const double *x)
{
    int i, mask = 0;
    for (i = 0; i < M; i++)
        mask |= (fabs(dot(q->J[i], x) - q->c[i]) <= 1e-11) << i;
    return mask;
}

/* phi [15], beta [17], phi~'phi [13] where the rows of `face` are active; |phi + beta| */
static double look(const dense *q, int face, const double *x, double *g, double *phi, double *beta, double *reduced)
{
    const double zero[M] = {0};
    double l[M], left[N], to[N], sum[N];
    int i;
    gradient(q, x, g);
    assert_true(meet(q, face, g, zero, phi, l));
    for (i = 0; i < N; i++)
        left[i] = g[i] - phi[i];
    nearest(q, face, -1, left, zero, beta);
    for (i = 0; i < N; i++)
        sum[i] = phi[i] + beta[i], left[i] = x[i] - q->alpha * phi[i];
    project(q, left, to);
    for (i = 0; i < N; i++)
        to[i] = (x[i] - to[i]) / q->alpha;
    *reduced = dot(to, phi);
    return sqrt(dot(sum, sum));
}

static void step(const double *x, double a, const double *d, double *y)
{
    int i;
    for (i = 0; i < N; i++)
        y[i] = x[i] - a * d[i];
}

static void see(dense *q, const double *x)
{
    if (q->n < POINTS)
        memcpy(q->seen[q->n], x, sizeof q->seen[0]);
    q->n++;
}

/* steps 3 and 4: x = P(from - length d), then the inner loop */
static void jump(dense *q, const double *from, double length, const double *d, double *x)
{
    double w[N], y[N], g[N];
    project(q, from, w);
    step(from, length, d, y);
    project(q, y, x);
    while (value(q, x) > value(q, w) + 1e-14 * fabs(value(q, w)) && q->n < POINTS) {
        see(q, x);
        q->inner++;
        gradient(q, x, g);
        step(x, q->alpha, g, y);
        project(q, y, x);
    }
}

/* algorithm 2 from x in the face: result in x; y outside of the set: 1 */
static int conjugate(dense *q, int face, double epsilon, double *x, double *phi)
{
    double p[N], Ap[N], y[N], g[N], beta[N], Px[N], Py[N], reduced, a, share;
    int i;
    memcpy(p, phi, sizeof p);
    for (;;) {
        double rule = look(q, face, x, g, phi, beta, &reduced);
        for (i = 0; i < N; i++)
            Ap[i] = dot(q->A[i], p);
        a = dot(g, p) / dot(p, Ap);
        step(x, a, p, y);
        project(q, x, Px), project(q, y, Py);
        if (rule < epsilon || value(q, Py) > value(q, Px) || dot(beta, beta) > reduced || q->n >= POINTS)
            return !(rule < epsilon) && !inside(q, y);
        see(q, x);
        q->cg++;
        memcpy(x, y, sizeof y);
        look(q, face, x, g, phi, beta, &reduced);
        share = dot(phi, Ap) / dot(p, Ap);
        step(phi, share, p, p);
    }
}

/* algorithm 3, Gamma = 1 */
static void algorithm3(dense *q, double epsilon)
{
    double x[N] = {0}, y[N], g[N], phi[N], beta[N], reduced, Ab[N];
    int i, face;
    project(q, x, y);
    memcpy(x, y, sizeof x);
    for (;;) {
        face = active(q, x);
        if (look(q, face, x, g, phi, beta, &reduced) < epsilon || q->n >= POINTS)
            return;
        if (dot(beta, beta) <= reduced) {
            if (!conjugate(q, face, epsilon, x, phi))
                continue;
            see(q, x);
            q->expansions++;
            project(q, x, y);
            look(q, active(q, y), y, g, phi, beta, &reduced);
            jump(q, y, q->alpha, phi, x);
        } else {
            see(q, x);
            q->proportionings++;
            for (i = 0; i < N; i++)
                Ab[i] = dot(q->A[i], beta);
            memcpy(y, x, sizeof y);
            jump(q, y, dot(beta, g) / dot(beta, Ab), beta, x);
        }
    }
}

/* ---- the same problem for the library ---- */

typedef struct watched {
    double seen[POINTS][N];
    int n;
} watched;

static int watch(void *user, int iteration, const double *x, const double *r)
{
    watched *w = (watched *)user;
    (void)r;
    if (iteration < POINTS)
        memcpy(w->seen[iteration], x, sizeof w->seen[0]), w->n = iteration + 1;
    return 1;
}

/* a matrix with a diagonal of ones, so that Jacobi's preconditioner does nothing; rows of unit length with a feasible point inside */
static void make(dense *q, double stiff)
{
    double G[N][N], inner[N], size, D[N];
    int i, j, k;
    memset(q, 0, sizeof *q);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            G[i][j] = uniform() - 0.5;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            for (q->A[i][j] = i == j ? 1 / stiff : 0, k = 0; k < N; k++)
                q->A[i][j] += G[i][k] * G[j][k];
    for (i = 0; i < N; i++)
        D[i] = 1 / sqrt(q->A[i][i]), q->b[i] = 2 * uniform() - 1, inner[i] = uniform() - 0.5;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            q->A[i][j] = i == j ? 1 : q->A[i][j] * D[i] * D[j];
    for (i = 0; i < M; i++) {
        for (j = 0; j < N; j++)
            q->J[i][j] = uniform() - 0.5;
        for (size = sqrt(dot(q->J[i], q->J[i])), j = 0; j < N; j++)
            q->J[i][j] /= size;
        q->c[i] = dot(q->J[i], inner) - 0.2 * uniform();
    }
}

static void library(dense *q, watched *w, cti_mprgp_counters *count)
{
    cti_mem mem;
    cti_arena arena;
    cti_program p;
    cti_effort e;
    cti_answer a;
    cti_mprgp_options o = cti_mprgp_options_default();
    int32_t row[N * N], col[N * N];
    double x[N] = {0}, r[M] = {0}, J[M * N];
    int i;
    memset(&p, 0, sizeof p), memset(&e, 0, sizeof e), memset(&a, 0, sizeof a), memset(w, 0, sizeof *w);
    cti_mem_init(&mem, NULL), cti_arena_init(&arena, &mem);
    p.kind = CTI_PROGRAM_QP, p.n = N, p.m = M;
    for (i = 0; i < N * N; i++)
        row[i] = i / N, col[i] = i % N;
    memcpy(J, q->J, sizeof J);
    assert_true(cti_sparse_from_triplets(&mem, N, N, row, col, &q->A[0][0], N * N, &p.A));
    assert_true(cti_sparse_from_triplets(&mem, M, N, row, col, J, M * N, &p.J));
    assert_true(CTI_RESIZE(&mem, p.b, N) && CTI_RESIZE(&mem, p.w, M));
    for (i = 0; i < N; i++)
        p.b[i] = q->b[i];
    for (i = 0; i < M; i++)
        p.w[i] = -q->c[i];
    assert_null(cti_program_check(&p));
    e.tolerance = 1e-9, e.arena = &arena, e.watcher.watch = watch, e.watcher.user = w;
    a.x = x, a.r = r, a.why = "";
    o.printed = 1;
    assert_int_equal(cti_mprgp_solve_with(&p, &o, &e, &a, count), CTI_OUTCOME_SOLVED);
    cti_program_free(&mem, &p), cti_arena_free(&arena);
    assert_int_equal(mem.bytes_live, 0);
}

static void every_point_agrees(void **state)
{
    static dense q;
    static watched w;
    int t, k, i, sum[4] = {0, 0, 0, 0}, points = 0;
    double worst = 0;
    (void)state;
    for (t = 0; t < 60; t++) {
        cti_mprgp_counters count;
        seed = 100 + (uint64_t)t;
        make(&q, t % 2 ? 10 : 300);
        library(&q, &w, &count);
        assert_int_equal(count.halvings, 0);
        q.alpha = 0.9 * 2 / count.norm;
        algorithm3(&q, 1e-7);
        assert_true(q.n <= w.n && w.n < POINTS);
        for (k = 0; k < q.n; k++)
            for (i = 0; i < N; i++)
                worst = fmax(worst, fabs(q.seen[k][i] - w.seen[k][i]));
        points += q.n, sum[0] += q.cg, sum[1] += q.expansions, sum[2] += q.proportionings, sum[3] += q.inner;
        assert_true(worst < 1e-6);
    }
    print_message("%d points (%d conjugate, %d expansion, %d proportioning steps, %d turns of the inner loops) agree within %.1g\n", points,
                  sum[0], sum[1], sum[2], sum[3], worst);
    assert_true(sum[0] > 200 && sum[1] > 20 && sum[2] > 5 && sum[3] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_point_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
