/* lcp_util.h -- dense linear complementarity problems for tests: all complementary bases by enumeration, checks that share no code with
 * solvers. */
#ifndef LCP_UTIL_H
#define LCP_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "../src/4_programs/program.h"

typedef struct bench {
    cti_mem mem;
    cti_arena arena;
    cti_effort e;
    cti_answer a;
    double x[64], r[64];
} bench;

static uint64_t lcp_seed = 1;
static double lcp_uniform(void)
{
    lcp_seed = lcp_seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(lcp_seed >> 11) / 9007199254740992.0;
}
static double lcp_signed(void) { return 2 * lcp_uniform() - 1; }

static void bench_open(bench *b)
{
    memset(b, 0, sizeof *b);
    cti_mem_init(&b->mem, NULL);
    cti_arena_init(&b->arena, &b->mem);
    b->e.tolerance = 1e-8, b->e.arena = &b->arena, b->e.relaxation = 1;
    b->a.x = b->x, b->a.r = b->r, b->a.why = "";
}

/* Gauss with partial pivoting; 0 when it is singular */
static int lcp_gauss(double *A, double *y, int n)
{
    int i, j, k;
    for (k = 0; k < n; k++) {
        int p = k;
        for (i = k + 1; i < n; i++)
            p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
        if (fabs(A[p * n + k]) < 1e-9)
            return 0;
        for (j = 0; j < n && p != k; j++) {
            double t = A[p * n + j];
            A[p * n + j] = A[k * n + j], A[k * n + j] = t;
        }
        if (p != k) {
            double t = y[p];
            y[p] = y[k], y[k] = t;
        }
        for (i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            y[i] -= f * y[k];
        }
    }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++)
            y[i] -= A[i * n + j] * y[j];
        y[i] /= A[i * n + i];
    }
    return 1;
}

/* largest violation of lo <= z <= hi and of its complementarity, by the definition */
static double lcp_breach(const double *M, const double *q, const double *lo, const double *hi, int n, const double *z)
{
    double worst = 0;
    int i, j;
    for (i = 0; i < n; i++) {
        double u = q[i];
        for (j = 0; j < n; j++)
            u += M[i * n + j] * z[j];
        worst = fmax(worst, fmax(lo[i] - z[i], z[i] - hi[i]));
        worst = fmax(worst, fabs(fmin(fmax(z[i] - u, lo[i]), hi[i]) - z[i]));
    }
    return worst;
}

/* number of solutions among the 3^n bases of bounds (lo, between, hi), n <= 8; the last one found in z */
static int lcp_enumerate(const double *M, const double *q, const double *lo, const double *hi, int n, double *z)
{
    int found = 0, i, j, total = 1, code;
    for (i = 0; i < n; i++)
        total *= 3;
    for (code = 0; code < total; code++) {
        double A[64], y[8], x[8];
        int state[8], list[8], count = 0, c = code, ok = 1;
        for (i = 0; i < n; i++, c /= 3) {
            state[i] = c % 3;
            x[i] = state[i] == 0 ? lo[i] : (state[i] == 2 ? hi[i] : 0);
            ok = ok && isfinite(x[i]);
            if (state[i] == 1)
                list[count++] = i;
        }
        for (i = 0; ok && i < count; i++) {
            y[i] = -q[list[i]];
            for (j = 0; j < n; j++)
                y[i] -= M[list[i] * n + j] * x[j];
            for (j = 0; j < count; j++)
                A[i * count + j] = M[list[i] * n + list[j]];
        }
        if (!ok || !lcp_gauss(A, y, count))
            continue;
        for (i = 0; i < count; i++)
            x[list[i]] = y[i];
        if (lcp_breach(M, q, lo, hi, n, x) < 1e-9) {
            found++;
            memcpy(z, x, sizeof(double) * (size_t)n);
        }
    }
    return found;
}

/* a random matrix: 0 symmetric positive definite, 1 with an unsymmetric part, 2 semidefinite of rank n / 2, 3 general, 4 skew, 5 game (zero
   blocks) */
static void lcp_random(int kind, int n, double *M)
{
    double F[64];
    int i, j, k, rank = kind == 2 ? n / 2 : n;
    for (i = 0; i < n * n; i++)
        F[i] = lcp_signed();
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double s = 0;
            for (k = 0; k < rank; k++)
                s += F[i * n + k] * F[j * n + k];
            if (kind == 0 || kind == 1)
                s += i == j ? 0.1 : 0;
            if (kind == 1)
                s += 0.7 * (F[i * n + j] - F[j * n + i]);
            if (kind == 3)
                s = F[i * n + j];
            if (kind == 4)
                s = F[i * n + j] - F[j * n + i];
            if (kind == 5)
                s = (i < n / 2) == (j < n / 2) ? 0 : 0.1 + fabs(F[i * n + j]);
            M[i * n + j] = s;
        }
}

/* a problem of kind LCP or LOCAL from dense numbers */
static void lcp_program(cti_mem *mem, cti_program *p, cti_program_kind kind, int n, const double *M, const double *q)
{
    int32_t *i = (int32_t *)malloc(sizeof(int32_t) * (size_t)(n * n)), *j = (int32_t *)malloc(sizeof(int32_t) * (size_t)(n * n));
    int k;
    memset(p, 0, sizeof *p);
    p->kind = kind, p->n = p->m = n;
    for (k = 0; k < n * n; k++)
        i[k] = k / n, j[k] = k % n;
    assert_true(cti_sparse_from_triplets(mem, n, n, i, j, M, n * n, &p->W));
    assert_true(CTI_RESIZE(mem, p->w, n));
    memcpy(p->w, q, sizeof *q * (size_t)n);
    free(i), free(j);
}

/* a unit mass with a force of 1 down and a force along (3, 4), for a solver: it slides at mu 0.5, sticks at 10, is frictionless at 0 */
static inline void lcp_slide(cti_program_solver solver)
{
    static const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, w[3] = {-1, 3, 4}, mus[3] = {0.5, 10, 0};
    int k;
    for (k = 0; k < 3; k++) {
        bench b;
        cti_program p;
        double share = k == 0 ? 0.1 : (k == 1 ? 1 : 0);
        bench_open(&b);
        lcp_program(&b.mem, &p, CTI_PROGRAM_LOCAL, 3, W, w);
        assert_true(CTI_RESIZE(&b.mem, p.mu, 1));
        p.mu[0] = mus[k];
        assert_true(cti_program_prepare(&b.mem, &p));
        assert_int_equal(solver(&p, &b.e, &b.a), CTI_OUTCOME_SOLVED);
        assert_true(fabs(b.r[0] - 1) < 1e-8);
        assert_true(fabs(b.r[1] + share * 3) < 1e-7 && fabs(b.r[2] + share * 4) < 1e-7);
        cti_program_free(&b.mem, &p);
        cti_arena_free(&b.arena);
    }
}

#endif
