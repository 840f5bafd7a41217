/* test_panel_lu.c -- LU by groups against the matrix itself; bounds by an active set that is kept between solves, against their conditions;
   accelerated fixed points. */
#include "../src/2_linalg/lu3.h"
#include "../src/4_programs/block_pivot.h"
#include "../src/4_programs/mixing.h"
#include "world_util.h"

enum { GROUPS = 9, MOST = 14 };

typedef struct groups {
    int32_t first[GROUPS + 1], column[GROUPS * GROUPS], size[GROUPS];
    int start[GROUPS + 1];
    double A[GROUPS * MOST][GROUPS * MOST]; /* by groups in their own order */
} groups;

/* a ring of groups and a few chords; some have no unknowns */
static void groups_make(groups *g, uint64_t *seed)
{
    int i, j, k, n = 0;
    memset(g, 0, sizeof *g);
    for (i = 0; i < GROUPS; g->first[++i] = n)
        for (g->start[i + 1] = g->start[i] + (g->size[i] = i == 4 ? 0 : 1 + (int)(lcg(seed) * MOST) % MOST), j = 0; j < GROUPS; j++)
            if (i == j || (i + 1) % GROUPS == j || (j + 1) % GROUPS == i || (i + j) % 7 == 0)
                g->column[n++] = j;
    for (i = 0; i < GROUPS; i++)
        for (k = g->first[i]; k < g->first[i + 1]; k++) {
            int a, b, J = g->column[k];
            for (a = 0; a < g->size[i]; a++)
                for (b = 0; b < g->size[J]; b++)
                    g->A[g->start[i] + a][g->start[J] + b] = 2 * lcg(seed) - 1 + (i == J && (a + 1) % g->size[i] == b ? 6 : 0);
        }
}

static int groups_fill(cti_mem *mem, cti_panel_lu *s, const groups *g)
{
    int i, k, a, b, ld;
    if (!cti_panel_lu_clear(mem, s, g->size))
        return 0;
    for (i = 0; i < GROUPS; i++)
        for (k = g->first[i]; k < g->first[i + 1]; k++) {
            double *to = cti_panel_lu_block(s, i, g->column[k], &ld);
            assert_non_null(to);
            for (a = 0; a < g->size[i]; a++)
                for (b = 0; b < g->size[g->column[k]]; b++)
                    to[a * ld + b] = g->A[g->start[i] + a][g->start[g->column[k]] + b];
        }
    return 1;
}

static void panels_solve(void **state)
{
    uint64_t seed = 7;
    int trial;
    (void)state;
    for (trial = 0; trial < 20; trial++) {
        static groups g;
        cti_mem mem;
        cti_panel_lu s;
        double x[GROUPS * MOST], y[GROUPS * (MOST + 7)], off = 0;
        int i, j, n, again;
        cti_mem_init(&mem, NULL), memset(&s, 0, sizeof s);
        groups_make(&g, &seed);
        n = g.start[GROUPS];
        assert_true(cti_panel_lu_open(&mem, &s, GROUPS, g.first, g.column));
        for (again = 0; again < 2; again++) { /* a second factor does not depend on the first */
            assert_true(groups_fill(&mem, &s, &g) && cti_panel_lu_factor(&s));
            memset(y, 0, sizeof y);
            assert_true(s.unknowns <= (int)(sizeof y / sizeof *y));
            for (i = 0; i < GROUPS; i++)
                for (j = 0; j < g.size[i]; j++)
                    y[cti_panel_lu_place(&s, i) + j] = x[g.start[i] + j] = 2 * lcg(&seed) - 1;
            cti_panel_lu_solve(&s, y);
            for (i = 0; i < GROUPS; i++)
                for (j = 0; j < g.size[i]; j++) {
                    double sum = -x[g.start[i] + j];
                    int h, k;
                    for (h = 0; h < GROUPS; h++)
                        for (k = 0; k < g.size[h]; k++)
                            sum += g.A[g.start[i] + j][g.start[h] + k] * y[cti_panel_lu_place(&s, h) + k];
                    off = fmax(off, fabs(sum));
                }
            assert_true(off < 1e-9);
        }
        /* a group whose own block is singular is reported */
        for (j = 0; j < n; j++)
            for (i = 0; i < GROUPS; i++)
                g.A[g.start[0]][j] = 0;
        assert_true(groups_fill(&mem, &s, &g));
        assert_int_equal(cti_panel_lu_factor(&s), 0);
        cti_panel_lu_close(&mem, &s);
        assert_int_equal(mem.bytes_live, 0);
    }
}

/* Blocks 3x3 of a ring whose rows repeat each other but for 1e-9: A = B C' + 1e-9. A solution's residual is a rounding of |A| |x|. With the inverse
   of a diagonal block in the place of its factors it was 5e-8 of the right side */
static void repeated_rows_solve(void **state)
{
    enum { N = 7 };
    static const int32_t first[N + 1] = {0, 3, 6, 9, 12, 15, 18, 21};
    uint64_t seed = 3;
    int trial, i, j, k, e;
    (void)state;
    for (trial = 0; trial < 20; trial++) {
        int32_t column[3 * N];
        double B[N][2][9], C[N][2][9], A[3 * N][3 * N], b[3 * N], x[3 * N], worst = 0, size = 0;
        cti_mem mem;
        cti_lu3 s;
        cti_mem_init(&mem, NULL), memset(&s, 0, sizeof s), memset(A, 0, sizeof A);
        for (i = 0; i < N; i++)
            for (j = 0; j < 3; j++)
                column[3 * i + j] = (i + j + N - 1) % N;
        for (i = 0; i < 18 * N; i++) /* each row acts on two bodies of two unknowns, so that a row's block is singular */
            (&B[0][0][0])[i] = i % 3 < 1 ? 2 * lcg(&seed) - 1 : 0, (&C[0][0][0])[i] = (&B[0][0][0])[i] * (1 + 0.1 * lcg(&seed));
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                for (e = 0; e < 4; e++)
                    for (k = 0; k < 27 && (i + e / 2) % N == (j + e % 2) % N; k++)
                        A[3 * i + k / 9][3 * j + k % 3] += B[i][e / 2][3 * (k / 9) + k / 3 % 3] * C[j][e % 2][3 * (k % 3) + k / 3 % 3];
        assert_true(cti_lu3_open(&mem, &s, N, first, column));
        cti_lu3_clear(&s);
        for (i = 0; i < 3 * N; i++) {
            A[i][i] += 1e-9;
            b[i] = 2 * lcg(&seed) - 1;
            for (j = 0; j < 3 * N; j++)
                if (A[i][j] != 0)
                    cti_lu3_block(&s, i / 3, j / 3)[3 * (i % 3) + j % 3] = A[i][j];
        }
        assert_true(cti_lu3_factor(&s));
        cti_lu3_solve(&s, b, x);
        for (i = 0; i < 3 * N; i++) {
            double sum = -b[i], all = 0;
            for (j = 0; j < 3 * N; j++)
                sum += A[i][j] * x[j], all += fabs(A[i][j] * x[j]);
            worst = fmax(worst, fabs(sum)), size = fmax(size, all);
        }
        assert_true(worst < 1e-13 * size);
        CTI_FREE(&mem, s.val), CTI_FREE(&mem, s.pivot);
        cti_panel_lu_close(&mem, &s.order);
        assert_int_equal(mem.bytes_live, 0);
    }
}

/* W = L L' + 1/10 with a band, its bounds of every kind */
static void box_make(cti_mem *mem, int m, uint64_t *seed, cti_program *q)
{
    cti_triplets t;
    double L[40][40];
    int i, j, k, ok = 1;
    memset(&t, 0, sizeof t), memset(q, 0, sizeof *q), memset(L, 0, sizeof L);
    for (i = 0; i < m; i++)
        for (j = i > 4 ? i - 4 : 0; j <= i; j++)
            L[i][j] = 2 * lcg(seed) - 1;
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++) {
            double sum = i == j ? 0.1 : 0;
            for (k = 0; k < m; k++)
                sum += L[i][k] * L[j][k];
            if (i - j <= 4 && j - i <= 4)
                ok = ok && cti_triplets_add(mem, &t, i, j, sum);
        }
    assert_true(cti_triplets_close(mem, &t, ok, m, m, &q->W));
    assert_true(CTI_RESIZE(mem, q->w, m) && CTI_RESIZE(mem, q->lo, m) && CTI_RESIZE(mem, q->hi, m));
    q->kind = CTI_PROGRAM_LCP, q->n = q->m = m;
    for (i = 0; i < m; i++) {
        q->w[i] = 4 * lcg(seed) - 2;
        q->lo[i] = i % 3 == 0 ? 0 : -0.5 * lcg(seed), q->hi[i] = i % 3 == 0 ? INFINITY : (i % 7 == 1 ? q->lo[i] : 0.5 * lcg(seed));
    }
}

static void boxes_meet_their_conditions(void **state)
{
    uint64_t seed = 3;
    int trial, i;
    (void)state;
    for (trial = 0; trial < 30; trial++) {
        cti_mem mem;
        cti_arena arena;
        cti_effort e;
        cti_program q;
        cti_sparse_pivot s;
        cti_face_factor face;
        uint8_t at[40];
        double r[40], u[40], work[40];
        int m = 5 + trial % 36, first, again;
        cti_mem_init(&mem, NULL), memset(&e, 0, sizeof e), memset(&s, 0, sizeof s), memset(&face, 0, sizeof face);
        memset(r, 0, sizeof r), memset(at, CTI_FACE_FREE, sizeof at);
        cti_arena_init(&arena, &mem);
        e.arena = &arena;
        box_make(&mem, m, &seed, &q);
        for (again = 0, first = 0; again < 2; again++) {
            s.rule.rounds = s.rule.singles = 200, s.rule.lo = q.lo, s.rule.hi = q.hi, s.rule.state = at, s.rule.z = r, s.rule.u = u;
            s.M = &q.W, s.q = q.w, s.slight = 1e-12, s.work = work, s.mem = &arena.own, s.face = &face;
            assert_int_equal(cti_sparse_pivot_run(&s), CTI_OUTCOME_SOLVED);
            first = again ? first : face.factors;
            cti_sparse_mul(&q.W, r, u);
            for (i = 0; i < m; i++) {
                u[i] += q.w[i];
                assert_true(r[i] >= q.lo[i] && r[i] <= q.hi[i]);
                assert_true(fabs(u[i]) < 1e-10 || (u[i] > 0 && r[i] == q.lo[i]) || (u[i] < 0 && r[i] == q.hi[i]) || q.lo[i] == q.hi[i]);
            }
        }
        assert_int_equal(face.factors, first); /* from the solution: the active set stays, and so does the factor */
        cti_program_free(&mem, &q), cti_arena_free(&arena);
        assert_int_equal(mem.bytes_live, 0);
    }
}

/* x <- M x + c with a spectrum near 1: acceleration makes dozens of steps of thousands; the dependent vector keeps its relation to x */
static void fixed_points_come_sooner(void **state)
{
    enum { M = 12 };
    cti_mem mem;
    cti_arena arena;
    cti_mixing s;
    double weight[M], x[M], g[M], u[M], off = 1;
    int i, k;
    (void)state;
    cti_mem_init(&mem, NULL);
    cti_arena_init(&arena, &mem);
    for (i = 0; i < M; i++)
        weight[i] = 1 + i % 2, x[i] = 0;
    assert_true(cti_mixing_open(&s, &arena, M, 6, weight, 1));
    for (k = 0; k < 200 && off > 1e-10; k++) {
        for (off = 0, i = 0; i < M; i++) {
            g[i] = x[i] + (1 - x[i]) * (i + 1) / 400.0;
            u[i] = 3 * g[i] - 2;
            off = fmax(off, fabs(1 - g[i]));
        }
        cti_mixing_step(&s, x, g, u);
        for (i = 0; i < M; i++)
            assert_true(fabs(u[i] - (3 * g[i] - 2)) < 1e-6 * (1 + fabs(g[i])));
        memcpy(x, g, sizeof x);
    }
    assert_true(k < 120); /* (1 - 1 / 400)^k: 9200 without */
    cti_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(panels_solve), cmocka_unit_test(repeated_rows_solve), cmocka_unit_test(boxes_meet_their_conditions),
                                       cmocka_unit_test(fixed_points_come_sooner)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
