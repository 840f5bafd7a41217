/* test_supernodal.c -- orders, analysis, sparse factors, solves and compliance against dense elimination; shared analyses; replaced pivots;
   failing allocations. */
#include "plain.h"
#include "dense_lu.h"
#include "failing.h"
#include "../src/2_linalg/krylov.h"
#include "../src/2_linalg/order.h"
#include "../src/2_linalg/supernodal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

static uint64_t seed = 5;
static uint32_t next(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33);
}
static double rnd(void) { return (double)next() / 2147483648.0 * 2 - 1; }

/* kinds: 0 box of tets, 1 cloth with bending, 2 random, 3 chain, 4 star, 5 complete, 6 nothing joined, 7 two boxes */
static int make_pairs(int kind, int size, int32_t *pairs, int *out_n)
{
    int i, j, k, x, y, z, m = 0, n = 0, nz = kind == 1 ? 1 : size, copies = kind == 7 ? 2 : 1;
    if (kind == 0 || kind == 1 || kind == 7) {
        n = copies * size * size * nz;
        for (k = 0; k < n / copies; k++) {
            x = k % size, y = k / size % size, z = k / size / size;
            for (i = 0; i < n / copies; i++) {
                int dx = i % size - x, dy = i / size % size - y, dz = i / size / size - z, near;
                if (kind == 1)
                    near = (abs(dx) <= 1 && abs(dy) <= 1) || abs(dx) + abs(dy) == 2;
                else
                    near = dx >= 0 && dy >= 0 && dz >= 0 && dx <= 1 && dy <= 1 && dz <= 1;
                if (near && i > k)
                    for (j = 0; j < copies; j++)
                        pairs[2 * m] = copies * k + j, pairs[2 * m + 1] = copies * i + j, m++;
            }
        }
    } else {
        n = size * size;
        for (i = 0; i < n; i++)
            if (kind == 2)
                for (j = 0; j < 3; j++)
                    pairs[2 * m] = i, pairs[2 * m + 1] = (int32_t)(next() % (uint32_t)n), m++;
            else if (kind == 3 && i > 0)
                pairs[2 * m] = i - 1, pairs[2 * m + 1] = i, m++;
            else if (kind == 4)
                pairs[2 * m] = n / 2, pairs[2 * m + 1] = i, m++;
            else if (kind == 5)
                for (j = 0; j < i; j++)
                    pairs[2 * m] = j, pairs[2 * m + 1] = i, m++;
    }
    *out_n = n;
    return m;
}

/* random springs on every pair, and a mass */
static void fill(cti_bsr *A)
{
    int i, k, a, b;
    memset(A->val, 0, sizeof *A->val * (size_t)CTI_LEN(A->val));
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++) {
            double d[3], s;
            int j = A->col[k];
            if (j > i)
                for (a = 0; a < 3; a++)
                    d[a] = rnd();
            for (a = 0; a < 3; a++)
                for (b = 0; b < 3; b++) {
                    s = j == i ? 0.3 * (a == b) : j > i ? 0.2 * (a == b) + d[a] * d[b] : 0;
                    A->val[9 * A->diag[i] + 3 * a + b] += CTI_R(s);
                    if (j > i) {
                        A->val[9 * A->diag[j] + 3 * a + b] += CTI_R(s);
                        A->val[9 * k + 3 * a + b] -= CTI_R(s);
                        A->val[9 * cti_bsr_slot(A, j, i) + 3 * a + b] -= CTI_R(s);
                    }
                }
        }
}

/* inverse of the cluster's dense matrix */
static double *dense_inverse(const cti_bsr *A, const int32_t *blocks, int n)
{
    int i, j, k, N = 3 * n, *pivot = (int *)malloc((size_t)N * sizeof *pivot);
    double *M = (double *)calloc((size_t)(N * N), sizeof *M), *X = (double *)calloc((size_t)(N * N), sizeof *X);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            if ((k = cti_bsr_slot(A, blocks[i / 3], blocks[j / 3])) >= 0)
                M[i * N + j] = (double)A->val[9 * k + 3 * (i % 3) + j % 3];
    assert_int_equal(dense_lu(M, N, N, pivot), 1);
    for (i = 0; i < N; i++) {
        X[i * N + i] = 1;
        dense_lu_solve(M, N, N, pivot, X + i * N);
    }
    free(M), free(pivot);
    return X;
}

static void check_symbolic(const cti_symbolic *sym)
{
    int i, k, s;
    for (i = 0; i < sym->n; i++)
        assert_true(sym->inv[i] >= 0 && sym->inv[i] < sym->n && sym->perm[sym->inv[i]] == i);
    assert_int_equal(sym->first[0], 0);
    assert_int_equal(sym->first[sym->n_super], sym->n);
    for (s = 0; s < sym->n_super; s++) {
        assert_true(sym->first[s + 1] > sym->first[s] && sym->subtree[s] <= sym->first[s]);
        for (k = sym->row_ptr[s]; k < sym->row_ptr[s + 1]; k++)
            assert_true(sym->rows[k] >= sym->first[s + 1] && (k == sym->row_ptr[s] || sym->rows[k] > sym->rows[k - 1]));
    }
}

#define CHECK_ALL(T, F, TOL)                                                                                                               \
    static void check_##F(cti_mem *mem, const cti_symbolic *sym, const cti_gather *g, const cti_bsr *A, const double *X)                   \
    {                                                                                                                                      \
        int n = sym->n, N = 3 * n, i, j, round, nrhs = 1 + (int)(next() % 40), ld = cti_pad8(nrhs);                                        \
        cti_##F f;                                                                                                                         \
        int64_t asked;                                                                                                                     \
        double scale = 0;                                                                                                                  \
        T *x, *Z, *work;                                                                                                                   \
        memset(&f, 0, sizeof f);                                                                                                           \
        for (i = 0; i < N; i++)                                                                                                            \
            scale = X[i * N + i] > scale ? X[i * N + i] : scale;                                                                           \
        assert_int_equal(cti_##F##_compute(mem, &f, sym, g, A->val), 1);                                                                   \
        asked = mem->n_calls;                                                                                                              \
        assert_int_equal(cti_##F##_compute(mem, &f, sym, g, A->val), 1);                                                                   \
        assert_int_equal(asked, mem->n_calls);                                                                                             \
        assert_int_equal(f.boosted, 0);                                                                                                    \
        /* unit right sides one by one */                                                                                                  \
        x = (T *)malloc((size_t)N * sizeof *x);                                                                                            \
        work = (T *)malloc(cti_##F##_work(&f) * sizeof *work);                                                                             \
        for (round = 0; round < 8; round++) {                                                                                              \
            int r = (int)(next() % (uint32_t)N);                                                                                           \
            for (i = 0; i < N; i++)                                                                                                        \
                x[i] = i == r;                                                                                                             \
            cti_##F##_solve(&f, x, work);                                                                                                  \
            for (i = 0; i < N; i++)                                                                                                        \
                assert_true(fabs((double)x[i] - X[r * N + i]) < (TOL)*scale);                                                              \
        }                                                                                                                                  \
        free(x), free(work);                                                                                                               \
        /* many right sides: random combinations */                                                                                        \
        Z = (T *)calloc((size_t)(N * ld), sizeof *Z);                                                                                      \
        work = (T *)malloc(cti_##F##_many_work(&f) * sizeof *work);                                                                        \
        for (j = 0; j < nrhs; j++)                                                                                                         \
            Z[(3 * j + j) % N * ld + j] = 1, Z[(7 * j + 2) % N * ld + j] += 2;                                                             \
        cti_##F##_solve_many(&f, Z, nrhs, work);                                                                                           \
        for (i = 0; i < N; i++)                                                                                                            \
            for (j = 0; j < nrhs; j++)                                                                                                     \
                assert_true(fabs((double)Z[i * ld + j] - X[(3 * j + j) % N * N + i] - 2 * X[(7 * j + 2) % N * N + i]) < 3 * (TOL)*scale);  \
        free(Z), free(work);                                                                                                               \
        /* compliance of random ports, in random and in elimination order, of one and of all */                                            \
        for (round = 0; round < 4; round++) {                                                                                              \
            int32_t *ports = (int32_t *)malloc((size_t)n * sizeof *ports);                                                                 \
            int p = 0, want = round == 0 ? 1 : round == 1 ? n : 1 + (int)(next() % (uint32_t)n);                                           \
            for (i = 0; i < n; i++)                                                                                                        \
                ports[i] = i;                                                                                                              \
            for (p = 0; p < want; p++) {                                                                                                   \
                int32_t t = ports[p];                                                                                                      \
                int q = p + (int)(next() % (uint32_t)(n - p));                                                                             \
                ports[p] = ports[q], ports[q] = t;                                                                                         \
            }                                                                                                                              \
            ld = cti_pad8(3 * p) + 8 * (round == 2);                                                                                       \
            Z = (T *)malloc((size_t)(3 * p * ld) * sizeof *Z);                                                                             \
            work = (T *)malloc(cti_##F##_compliance_work(&f, p) * sizeof *work);                                                           \
            cti_##F##_compliance(&f, ports, p, Z, ld, work);                                                                               \
            for (i = 0; i < 3 * p; i++)                                                                                                    \
                for (j = 0; j < 3 * p; j++) {                                                                                              \
                    double want_ij = X[(3 * ports[i / 3] + i % 3) * N + 3 * ports[j / 3] + j % 3];                                         \
                    assert_true(fabs((double)Z[i * ld + j] - want_ij) < (TOL)*scale);                                                      \
                    assert_true(Z[i * ld + j] == Z[j * ld + i]);                                                                           \
                }                                                                                                                          \
            free(Z), free(work), free(ports);                                                                                              \
        }                                                                                                                                  \
        cti_##F##_free(mem, &f);                                                                                                           \
    }
CHECK_ALL(float, factor32, 2e-4)
CHECK_ALL(double, factor64, sizeof(ct_real) == 8 ? 1e-11 : 1e-5)

static void test_factor(void **state)
{
    static const int cases[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 6}, {1, 4}, {1, 9}, {1, 14}, {2, 3},
                                   {2, 9}, {3, 5}, {3, 9}, {4, 7}, {5, 3}, {5, 7}, {6, 3}, {7, 3},  {7, 4}};
    size_t c;
    (void)state;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (PLAIN_OR(0, cases[c][0] < 2 && cases[c][1] > (cases[c][0] ? 9 : 4)))
            continue; /* large ones of a kind that has small ones */
        int32_t *pairs = (int32_t *)malloc(40000 * sizeof *pairs), *blocks = (int32_t *)malloc(2000 * sizeof *blocks);
        int n, m = make_pairs(cases[c][0], cases[c][1], pairs, &n), i, sub;
        cti_mem mem;
        cti_bsr A;
        cti_mem_init(&mem, NULL);
        memset(&A, 0, sizeof A);
        assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
        fill(&A);
        /* the whole matrix, and the sub-matrix of about two thirds of its blocks */
        for (sub = 0; sub < 2; sub++) {
            int nb = 0;
            cti_symbolic sym;
            cti_gather g;
            double *X;
            memset(&sym, 0, sizeof sym), memset(&g, 0, sizeof g);
            for (i = 0; i < n; i++)
                if (!sub || next() % 3 || i == 0)
                    blocks[nb++] = i;
            assert_int_equal(cti_symbolic_analyze(&mem, &sym, &A, blocks, nb), 1);
            check_symbolic(&sym);
            assert_int_equal(cti_symbolic_same(&sym, &A, blocks, nb), 1);
            assert_int_equal(cti_gather_make(&mem, &g, &sym, &A, blocks), 1);
            X = dense_inverse(&A, blocks, nb);
            check_factor32(&mem, &sym, &g, &A, X);
            check_factor64(&mem, &sym, &g, &A, X);
            free(X);
            cti_gather_free(&mem, &g);
            cti_symbolic_free(&mem, &sym);
        }
        cti_bsr_free(&mem, &A);
        assert_int_equal(mem.bytes_live, 0);
        free(pairs), free(blocks);
    }
}

/* two interleaved boxes share one analysis; a third cluster differs */
static void test_shared(void **state)
{
    int32_t pairs[4000], even[64], odd[64], mixed[64];
    int n, m = make_pairs(7, 3, pairs, &n), i, k;
    cti_mem mem;
    cti_bsr A;
    cti_symbolic sym;
    cti_gather g[2];
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&sym, 0, sizeof sym), memset(g, 0, sizeof g);
    assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
    fill(&A);
    for (i = 0; i < n / 2; i++)
        even[i] = 2 * i, odd[i] = 2 * i + 1, mixed[i] = 2 * i + (i >= n / 4);
    assert_int_equal(cti_symbolic_analyze(&mem, &sym, &A, even, n / 2), 1);
    assert_int_equal(cti_symbolic_same(&sym, &A, odd, n / 2), 1);
    assert_true(cti_symbolic_hash(&A, even, n / 2) == cti_symbolic_hash(&A, odd, n / 2));
    assert_int_equal(cti_symbolic_same(&sym, &A, mixed, n / 2), 0);
    assert_true(cti_symbolic_hash(&A, even, n / 2) != cti_symbolic_hash(&A, mixed, n / 2));
    assert_int_equal(cti_symbolic_same(&sym, &A, odd, n / 2 - 1), 0);
    for (k = 0; k < 2; k++) {
        double *X = dense_inverse(&A, k ? odd : even, n / 2);
        assert_int_equal(cti_gather_make(&mem, &g[k], &sym, &A, k ? odd : even), 1);
        check_factor64(&mem, &sym, &g[k], &A, X);
        free(X);
        cti_gather_free(&mem, &g[k]);
    }
    cti_symbolic_free(&mem, &sym);
    cti_bsr_free(&mem, &A);
    assert_int_equal(mem.bytes_live, 0);
}

/* A factor in 16-bit integers solves S A S x = b as well as A x = b, with scales S from 1e-4 to 1e4 by blocks; twice, for its memory */
static void test_packed(void **state)
{
    static const double scales[3] = {1e-4, 1, 1e4};
    int32_t pairs[12000], blocks[125];
    int n, m = make_pairs(0, PLAIN_OR(3, 5), pairs, &n), i, k, e, r, scaled;
    cti_mem mem;
    cti_bsr A;
    cti_symbolic sym;
    cti_gather g;
    cti_factor32 f;
    cti_factor16 p;
    double *X, most = 0;
    float *x = (float *)malloc(3 * (size_t)n * sizeof *x), *work;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&sym, 0, sizeof sym), memset(&g, 0, sizeof g), memset(&f, 0, sizeof f), memset(&p, 0, sizeof p);
    assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
    fill(&A);
    for (i = 0; i < n; i++)
        blocks[i] = i;
    X = dense_inverse(&A, blocks, n);
    for (i = 0; i < 3 * n; i++)
        most = X[i * 3 * n + i] > most ? X[i * 3 * n + i] : most;
    assert_int_equal(cti_symbolic_analyze(&mem, &sym, &A, blocks, n), 1);
    assert_int_equal(cti_gather_make(&mem, &g, &sym, &A, blocks), 1);
    for (scaled = 0; scaled < 2; scaled++) {
        for (i = 0; scaled && i < n; i++)
            for (k = A.row[i]; k < A.row[i + 1]; k++)
                for (e = 0; e < 9; e++)
                    A.val[9 * k + e] *= CTI_R(scales[i % 3] * scales[A.col[k] % 3]);
        assert_int_equal(cti_factor32_compute(&mem, &f, &sym, &g, A.val), 1);
        assert_int_equal(f.boosted, 0);
        assert_int_equal(cti_factor16_pack(&mem, &p, &f), 1);
        work = (float *)malloc(cti_factor16_work(&p) * sizeof *work);
        for (r = 0; r < 3 * n; r++) {
            double sr = scaled ? scales[r / 3 % 3] : 1;
            for (i = 0; i < 3 * n; i++)
                x[i] = i == r;
            cti_factor16_solve(&p, x, work);
            for (i = 0; i < 3 * n; i++)
                assert_true(fabs((double)x[i] * sr * (scaled ? scales[i / 3 % 3] : 1) - X[r * 3 * n + i]) < 2e-4 * most);
        }
        free(work);
    }
    free(X), free(x);
    CTI_FREE_SPAN(&mem, p.L, p.most);
    cti_factor32_free(&mem, &f);
    cti_gather_free(&mem, &g);
    cti_symbolic_free(&mem, &sym);
    cti_bsr_free(&mem, &A);
    assert_int_equal(mem.bytes_live, 0);
}

/* one indefinite and one zero block: pivots are replaced, counted, and everything stays finite */
static void test_boost(void **state)
{
    int32_t pairs[4000], blocks[64];
    int n, m = make_pairs(0, 3, pairs, &n), i;
    cti_mem mem;
    cti_bsr A;
    cti_symbolic sym;
    cti_gather g;
    cti_factor32 f;
    cti_factor64 d;
    float x[81], *work;
    double y[81], *work64;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&sym, 0, sizeof sym), memset(&g, 0, sizeof g), memset(&f, 0, sizeof f), memset(&d, 0, sizeof d);
    assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
    for (i = 0; i < n; i++)
        blocks[i] = i, A.val[9 * A.diag[i]] = A.val[9 * A.diag[i] + 4] = A.val[9 * A.diag[i] + 8] = 2;
    A.val[9 * A.diag[5] + 4] = -8;
    A.val[9 * A.diag[7]] = 0;
    assert_int_equal(cti_symbolic_analyze(&mem, &sym, &A, blocks, n), 1);
    assert_int_equal(cti_gather_make(&mem, &g, &sym, &A, blocks), 1);
    assert_int_equal(cti_factor32_compute(&mem, &f, &sym, &g, A.val), 1);
    assert_int_equal(cti_factor64_compute(&mem, &d, &sym, &g, A.val), 1);
    assert_int_equal(f.boosted, 2);
    assert_int_equal(d.boosted, 2);
    work = (float *)malloc(cti_factor32_work(&f) * sizeof *work);
    work64 = (double *)malloc(cti_factor64_work(&d) * sizeof *work64);
    for (i = 0; i < 81; i++)
        x[i] = 1, y[i] = 1;
    cti_factor32_solve(&f, x, work);
    cti_factor64_solve(&d, y, work64);
    for (i = 0; i < 81; i++) {
        double want = i == 16 ? 0.125 : i == 21 ? 1 : 0.5;
        assert_true(fabs((double)x[i] - want) < 1e-6 && fabs(y[i] - want) < 1e-14);
    }
    free(work), free(work64);
    cti_factor32_free(&mem, &f);
    cti_factor64_free(&mem, &d);
    cti_gather_free(&mem, &g);
    cti_symbolic_free(&mem, &sym);
    cti_bsr_free(&mem, &A);
    assert_int_equal(mem.bytes_live, 0);
}

/* The diagonal is a million times the rest: fill-in decays by as much with every block between, and no denormal number stays */
static void test_decay(void **state)
{
    int32_t pairs[12000], blocks[216];
    int n, m = make_pairs(0, 6, pairs, &n), i, k;
    cti_mem mem;
    cti_bsr A;
    cti_symbolic sym;
    cti_gather g;
    cti_factor32 f;
    int s, t;
    size_t at, small = 0, large = 0;
    static const int32_t ports[4] = {0, 1, 100, 215};
    float x[648], C[192], *work;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&sym, 0, sizeof sym), memset(&g, 0, sizeof g), memset(&f, 0, sizeof f);
    assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
    for (i = 0; i < n; i++)
        for (blocks[i] = i, k = A.row[i]; k < A.row[i + 1]; k++)
            A.val[9 * k] = A.val[9 * k + 4] = A.val[9 * k + 8] = A.col[k] == i ? 1 : CTI_R(-1e-6);
    assert_int_equal(cti_symbolic_analyze(&mem, &sym, &A, blocks, n), 1);
    assert_int_equal(cti_gather_make(&mem, &g, &sym, &A, blocks), 1);
    assert_int_equal(cti_factor32_compute(&mem, &f, &sym, &g, A.val), 1);
    /* below the strips of eight rows that contain the pivots themselves */
    for (s = 0; s < sym.n_super; s++)
        for (t = 0; t < cti_sym_height(&sym, s) / 8; t++)
            for (k = 0; k < cti_sym_cols(&sym, s) && k / 8 < t; k++)
                for (i = 0; i < 8; i++) {
                    at = sym.panel[s] + 8 * (size_t)t * (size_t)cti_sym_cols(&sym, s) + 8 * (size_t)k + (size_t)i;
                    small += f.L[at] != 0 && fabsf(f.L[at]) < 1e-30f, large += f.L[at] != 0;
                }
    assert_true(large > 1000 && small == 0);
    work = (float *)malloc(cti_factor32_work(&f) * sizeof *work);
    for (i = 0; i < 3 * n; i++)
        x[i] = 1;
    cti_factor32_solve(&f, x, work);
    for (i = 0; i < 3 * n; i++)
        assert_true(x[i] > 0.9999f && x[i] < 1.0001f);
    /* a force at one corner, and the inverse between two blocks that are far apart: values that decay are cut off before they are denormal */
    memset(x, 0, sizeof x);
    x[0] = 1;
    cti_factor32_solve(&f, x, work);
    for (i = 0, small = large = 0; i < 3 * n; i++)
        small += x[i] != 0 && fabsf(x[i]) < 1e-25f, large += fabsf(x[i]) > 1e-13f;
    assert_true(fabsf(x[0] - 1) < 1e-6f && large >= 4 && small == 0);
    free(work);
    work = (float *)malloc(cti_factor32_compliance_work(&f, 4) * sizeof *work);
    cti_factor32_compliance(&f, ports, 4, C, 16, work);
    for (i = 0, small = 0; i < 12; i++) {
        assert_true(fabsf(C[17 * i] - 1) < 1e-6f);
        for (k = 0; k < 12; k++)
            small += C[16 * i + k] != 0 && fabsf(C[16 * i + k]) < 1e-25f;
    }
    assert_true(small == 0 && C[3] > 0.99e-6f && C[3] < 1.01e-6f);
    free(work);
    cti_factor32_free(&mem, &f);
    cti_gather_free(&mem, &g);
    cti_symbolic_free(&mem, &sym);
    cti_bsr_free(&mem, &A);
    assert_int_equal(mem.bytes_live, 0);
}

/* separators separate, are small on a grid, and orders are permutations */
static void test_order(void **state)
{
    int32_t *pairs = (int32_t *)malloc(200000 * sizeof *pairs);
    int n, m, i, k, *perm, *label, kind, count[3];
    (void)state;
    for (kind = 0; kind < 8; kind++) {
        cti_mem mem;
        cti_bsr A;
        cti_graph g;
        cti_mem_init(&mem, NULL);
        memset(&A, 0, sizeof A), memset(&g, 0, sizeof g);
        m = make_pairs(kind, kind == 1 || kind == 3 ? 30 : kind == 2 || kind > 3 ? 7 : 10, pairs, &n);
        assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
        assert_int_equal(cti_graph_alloc(&mem, &g, n, A.row[n] - n), 1);
        for (i = 0, m = 0; i < n; i++) {
            g.ptr[i] = m, g.w[i] = 1;
            for (k = A.row[i]; k < A.row[i + 1]; k++)
                if (A.col[k] != i)
                    g.adj[m] = A.col[k], g.ew[m++] = 1;
        }
        g.ptr[n] = m;
        label = (int *)malloc((size_t)n * sizeof *label), perm = (int *)malloc((size_t)n * sizeof *perm);
        assert_int_equal(cti_order_cut(&mem, &g, 1, label), 1);
        count[0] = count[1] = count[2] = 0;
        for (i = 0; i < n; i++) {
            assert_true(label[i] >= 0 && label[i] <= 2);
            count[label[i]]++;
            for (k = g.ptr[i]; k < g.ptr[i + 1]; k++)
                assert_true(label[i] + label[g.adj[k]] != 1);
        }
        if (kind == 0) /* a cube's separator may be smaller than the plane through its middle, 100 */
            assert_true(count[2] < 90 && count[0] <= 650 && count[1] <= 650);
        if (kind == 1)
            assert_true(count[2] <= 62 && count[0] <= 585 && count[1] <= 585);
        if (kind == 3)
            assert_int_equal(count[2], 1);
        for (k = 0; k < 3; k++) {
            assert_int_equal(cti_order_dissect(&mem, &g, k == 0 ? 8 : k == 1 ? 70 : n, NULL, perm), 1);
            for (i = 0; i < n; i++)
                label[i] = 0;
            for (i = 0; i < n; i++)
                label[perm[i]]++;
            for (i = 0; i < n; i++)
                assert_int_equal(label[i], 1);
        }
        free(label), free(perm);
        cti_graph_free(&mem, &g);
        cti_bsr_free(&mem, &A);
        assert_int_equal(mem.bytes_live, 0);
    }
    free(pairs);
}

/* By places: a cube of 10^3 points is cut by no more than a plane of them, two cubes that five edges join by no more than five points; any places
   give separators and permutations, also when all points are in one. The factor of two cubes is at most a fifth larger than the graph's own */
static void test_places(void **state)
{
    enum { SIZE = 10, CUBE = SIZE * SIZE * SIZE };
    int32_t *pairs = (int32_t *)malloc(80000 * sizeof *pairs), *all = (int32_t *)malloc(2 * CUBE * sizeof *all);
    double *x = (double *)malloc(6 * CUBE * sizeof *x);
    int *label = (int *)malloc(2 * CUBE * sizeof *label), n, one, kind, i, k, m, count[3];
    (void)state;
    one = make_pairs(0, SIZE, pairs, &n);
    for (kind = 0; kind < 4; kind++) { /* a cube; two; these as one body; all in one place */
        cti_mem mem;
        cti_bsr A;
        cti_graph g;
        cti_order_places at;
        cti_symbolic by_places, by_graph;
        int32_t group[2 * CUBE];
        cti_mem_init(&mem, NULL);
        memset(&A, 0, sizeof A), memset(&g, 0, sizeof g), memset(&by_places, 0, sizeof by_places), memset(&by_graph, 0, sizeof by_graph);
        for (m = one, i = 0; kind && i < one; i++, m++)
            pairs[2 * m] = pairs[2 * i] + CUBE, pairs[2 * m + 1] = pairs[2 * i + 1] + CUBE;
        for (i = 0; kind && i < 5; i++, m++)
            pairs[2 * m] = CUBE - 1 - 7 * i, pairs[2 * m + 1] = CUBE + 3 * i;
        n = kind ? 2 * CUBE : CUBE;
        for (i = 0; i < n; i++) {
            int j = i % CUBE;
            x[3 * i] = kind == 3 ? 1 : j % SIZE, x[3 * i + 1] = kind == 3 ? 1 : j / SIZE % SIZE;
            x[3 * i + 2] = kind == 3 ? 1 : (j / SIZE / SIZE) + (i < CUBE ? 0 : .7 * SIZE); /* the second overlaps the first */
            group[i] = kind == 1 ? i / CUBE : 0, all[i] = i;
        }
        at.x = x, at.group = group;
        assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
        assert_int_equal(cti_graph_alloc(&mem, &g, n, A.row[n] - n), 1);
        for (i = 0, m = 0; i < n; i++)
            for (g.ptr[i] = m, g.w[i] = 1, k = A.row[i]; k < A.row[i + 1]; k++)
                if (A.col[k] != i)
                    g.adj[m] = A.col[k], g.ew[m++] = 1;
        g.ptr[n] = m;
        assert_int_equal(cti_order_cut_places(&mem, &g, &at, all, label), 1);
        for (count[0] = count[1] = count[2] = 0, i = 0; i < n; i++) {
            count[label[i]]++;
            for (k = g.ptr[i]; k < g.ptr[i + 1]; k++)
                assert_true(label[i] + label[g.adj[k]] != 1);
        }
        assert_true(count[0] > 0 && count[1] > 0 && count[2] <= (kind == 0 || kind == 2 ? SIZE * SIZE : 5));
        assert_int_equal(cti_symbolic_analyze_once(&mem, &by_places, &A, all, n, &at), 1);
        assert_int_equal(cti_symbolic_analyze_once(&mem, &by_graph, &A, all, n, NULL), 1);
        assert_true(by_places.flops < 1.2 * by_graph.flops);
        cti_symbolic_free(&mem, &by_places), cti_symbolic_free(&mem, &by_graph);
        cti_graph_free(&mem, &g);
        cti_bsr_free(&mem, &A);
        assert_int_equal(mem.bytes_live, 0);
    }
    free(pairs), free(all), free(x), free(label);
}

/* every allocation fails in turn: 0 is returned, nothing leaks */
static void test_out_of_memory(void **state)
{
    int32_t pairs[12000], blocks[125];
    int n, m = make_pairs(0, 5, pairs, &n), i, ok = 0;
    ct_allocator user;
    cti_mem plain;
    cti_bsr A;
    (void)state;
    cti_mem_init(&plain, NULL);
    memset(&A, 0, sizeof A);
    assert_int_equal(cti_bsr_pattern(&plain, &A, n, pairs, m), 1);
    fill(&A);
    for (i = 0; i < n; i++)
        blocks[i] = i;
    user.resize = failing, user.user = NULL;
    for (fail_at = 1; !ok && fail_at < 100000; fail_at += fail_at < 40 ? 1 : PLAIN_OR(7, 29)) {
        cti_mem mem;
        cti_symbolic sym;
        cti_gather g;
        cti_factor32 f;
        cti_factor16 packed;
        int first = fail_at;
        cti_mem_init(&mem, &user);
        memset(&sym, 0, sizeof sym), memset(&g, 0, sizeof g), memset(&f, 0, sizeof f), memset(&packed, 0, sizeof packed);
        calls = 0;
        ok = cti_symbolic_analyze(&mem, &sym, &A, blocks, n) && cti_gather_make(&mem, &g, &sym, &A, blocks) &&
             cti_factor32_compute(&mem, &f, &sym, &g, A.val);
        assert_int_equal(ok, calls < fail_at);
        for (i = 0, fail_at = 1; ok && !i; fail_at++) { /* each allocation of a packed factor */
            calls = 0;
            i = cti_factor16_pack(&mem, &packed, &f);
            assert_int_equal(i, calls < fail_at);
            assert_true(i || fail_at < 8);
            if (!i)
                CTI_FREE_SPAN(&mem, packed.L, packed.most);
        }
        fail_at = first;
        CTI_FREE_SPAN(&mem, packed.L, packed.most);
        cti_factor32_free(&mem, &f);
        cti_gather_free(&mem, &g);
        cti_symbolic_free(&mem, &sym);
        assert_int_equal(mem.bytes_live, 0);
    }
    assert_true(ok);
    cti_bsr_free(&plain, &A);
}

/* a float factor that lags behind the matrix still makes conjugate gradients short; an empty cluster is no error */
typedef struct lagged {
    cti_factor32 f;
    float x[1029], *work;
} lagged;
static void apply(void *ctx, const ct_real *r, ct_real *z)
{
    lagged *c = (lagged *)ctx;
    int i, n = 3 * c->f.sym->n;
    for (i = 0; i < n; i++)
        c->x[i] = (float)r[i];
    cti_factor32_solve(&c->f, c->x, c->work);
    for (i = 0; i < n; i++)
        z[i] = (ct_real)c->x[i];
}
static void test_lagged(void **state)
{
    int32_t *pairs = (int32_t *)malloc(20000 * sizeof *pairs), blocks[343];
    ct_real *x = (ct_real *)malloc(14 * 1029 * sizeof *x), *b = x + 1029, *w = b + 1029;
    int n, m = make_pairs(0, 7, pairs, &n), i, lag, its[2];
    cti_mem mem;
    cti_bsr A;
    cti_symbolic sym;
    cti_gather g;
    lagged c;
    cti_operator op, factor;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&sym, 0, sizeof sym), memset(&g, 0, sizeof g), memset(&c, 0, sizeof c);
    assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
    op = cti_bsr_operator(&A);
    factor.n = op.n, factor.apply = apply, factor.ctx = &c;
    assert_int_equal(cti_symbolic_analyze(&mem, &sym, &A, blocks, 0), 1);
    assert_int_equal(sym.n_super, 0);
    for (i = 0; i < n; i++)
        blocks[i] = i;
    fill(&A);
    assert_int_equal(cti_symbolic_analyze(&mem, &sym, &A, blocks, n), 1);
    assert_int_equal(cti_gather_make(&mem, &g, &sym, &A, blocks), 1);
    assert_int_equal(cti_factor32_compute(&mem, &c.f, &sym, &g, A.val), 1);
    c.work = (float *)malloc(cti_factor32_work(&c.f) * sizeof(float));
    for (i = 0; i < 3 * n; i++)
        b[i] = CTI_R(rnd());
    for (lag = 0; lag < 2; lag++) {
        memset(x, 0, 1029 * sizeof *x);
        assert_int_equal(cti_pcg(&op, &factor, b, x, CTI_R(1e-5), 50, w, &its[lag]), 1);
        /* the matrix changes, the factor does not */
        for (i = 0; i < n; i++)
            A.val[9 * A.diag[i]] *= CTI_R(1.2), A.val[9 * A.diag[i] + 8] *= CTI_R(1.1);
    }
    assert_true(its[0] <= 3 && its[1] > its[0] && its[1] <= 20);
    free(c.work), free(x), free(pairs);
    cti_factor32_free(&mem, &c.f);
    cti_gather_free(&mem, &g);
    cti_symbolic_free(&mem, &sym);
    cti_bsr_free(&mem, &A);
    assert_int_equal(mem.bytes_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_places), cmocka_unit_test(test_factor), cmocka_unit_test(test_shared),
                                       cmocka_unit_test(test_packed),       cmocka_unit_test(test_boost),  cmocka_unit_test(test_decay),
                                       cmocka_unit_test(test_lagged),       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
