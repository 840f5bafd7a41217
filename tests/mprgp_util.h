/* mprgp_util.h -- helpers for tests of MPRGP: problems from dense matrices, solving and judging them, random matrices, rows that share no
   vertex. */
#ifndef MPRGP_UTIL_H
#define MPRGP_UTIL_H

#include "../src/4_programs/certificate.h"
#include "../src/4_programs/mprgp.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t seed = 1;
static inline double uniform(void)
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

static inline void sparse(fixture *f, cti_sparse *out, int rows, int cols, const double *dense)
{
    int32_t i[MOST * MOST], k[MOST * MOST];
    double x[MOST * MOST];
    int a, n = 0;
    for (a = 0; a < rows * cols; a++)
        if (dense[a] != 0)
            i[n] = a / cols, k[n] = a % cols, x[n] = dense[a], n++;
    assert_true(cti_sparse_from_triplets(&f->mem, rows, cols, i, k, x, n, out));
}

static inline double *vector(fixture *f, int n, const double *x)
{
    double *v = NULL;
    assert_true(CTI_RESIZE(&f->mem, v, n));
    if (n)
        memcpy(v, x, sizeof *x * (size_t)n);
    return v;
}

static inline void begin(fixture *f, cti_program_kind kind, int n, int m)
{
    memset(f, 0, sizeof *f);
    cti_mem_init(&f->mem, NULL);
    cti_arena_init(&f->arena, &f->mem);
    f->p.kind = kind, f->p.n = n, f->p.m = m;
    f->e.tolerance = 1e-9, f->e.arena = &f->arena, f->e.seed = 5;
    f->a.x = f->x, f->a.r = f->r, f->a.why = "";
    f->o = cti_mprgp_options_default();
}

static inline void make_qp(fixture *f, int n, int m, const double *A, const double *b, const double *J, const double *w)
{
    begin(f, CTI_PROGRAM_QP, n, m);
    sparse(f, &f->p.A, n, n, A), sparse(f, &f->p.J, m, n, J);
    f->p.b = vector(f, n, b), f->p.w = vector(f, m, w);
    assert_null(cti_program_check(&f->p));
}

static inline void make_lcp(fixture *f, int m, const double *W, const double *w)
{
    begin(f, CTI_PROGRAM_LCP, m, m);
    sparse(f, &f->p.W, m, m, W);
    f->p.w = vector(f, m, w);
    assert_null(cti_program_check(&f->p));
}

static inline cti_outcome run(fixture *f)
{
    cti_outcome said;
    memset(f->x, 0, sizeof f->x), memset(f->r, 0, sizeof f->r);
    said = cti_mprgp_solve_with(&f->p, &f->o, &f->e, &f->a, &f->c);
    cti_program_judge(&f->p, f->x, f->r, f->work, &f->j);
    return said;
}

static inline void end(fixture *f)
{
    cti_program_free(&f->mem, &f->p);
    cti_arena_free(&f->arena);
    assert_int_equal(f->mem.bytes_live, 0);
}

static inline void near_at(const char *what, int line, double a, double b, double eps)
{
    if (!(fabs(a - b) <= eps))
        print_error("line %d: %s = %.15g, not %.15g\n", line, what, a, b);
    assert_true(fabs(a - b) <= eps);
}
#define NEAR(a, b, eps) near_at(#a, __LINE__, (a), (b), (eps))

/* random symmetric positive definite matrix, condition about `scale` */
static inline void random_spd(int n, double scale, double *A)
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

/* rows of four vertices each, which share no vertex: J J' is diagonal */
enum { VERTICES = 20, ROWS = 5 };
static inline void make_embedded(fixture *f)
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

#endif /* MPRGP_UTIL_H */
