/* bench_linalg.c -- process CPU times of the linear algebra on the problems that steps are made of: 64 boxes of 4^3 nodes, a cube of 17^3,
   a cloth of 50x50 with bending. Best of several runs. */
#include "../src/2_linalg/dense.h"
#include "../src/2_linalg/krylov.h"
#include "../src/2_linalg/supernodal.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t seed = 11;
static double rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}
static double now_ms(void) { return (double)clock() * 1000.0 / CLOCKS_PER_SEC; }

/* one box of nx ny nz nodes, six tets a cell (neighbours in the positive octant), or a cloth with springs over two edges */
static int make_pairs(int nx, int ny, int nz, int cloth, int offset, int32_t *pairs)
{
    int x, y, z, dx, dy, dz, m = 0, r = cloth ? 2 : 1;
    for (z = 0; z < nz; z++)
        for (y = 0; y < ny; y++)
            for (x = 0; x < nx; x++)
                for (dz = 0; dz <= r; dz++)
                    for (dy = cloth ? -r : 0; dy <= r; dy++)
                        for (dx = cloth ? -r : 0; dx <= r; dx++) {
                            int near = !cloth || (abs(dx) <= 1 && abs(dy) <= 1) || abs(dx) + abs(dy) == 2;
                            int X = x + dx, Y = y + dy, Z = z + dz, i = (z * ny + y) * nx + x, j = (Z * ny + Y) * nx + X;
                            if (near && j > i && X >= 0 && Y >= 0 && X < nx && Y < ny && Z < nz)
                                pairs[2 * m] = offset + i, pairs[2 * m + 1] = offset + j, m++;
                        }
    return m;
}

static void fill(cti_bsr *A)
{
    int i, k, a, b;
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++) {
            double d[3], s;
            int j = A->col[k], t = cti_bsr_slot(A, j, i);
            for (a = 0; a < 3; a++)
                d[a] = rnd();
            for (a = 0; a < 3; a++)
                for (b = 0; b < 3; b++) {
                    s = j == i ? 0.1 * (a == b) : 0.2 * (a == b) + d[a] * d[b];
                    A->val[9 * A->diag[i] + 3 * a + b] += CTI_R(s);
                    if (j <= i)
                        continue;
                    A->val[9 * A->diag[j] + 3 * a + b] += CTI_R(s);
                    A->val[9 * k + 3 * a + b] -= CTI_R(s);
                    A->val[9 * t + 3 * a + b] -= CTI_R(s);
                }
        }
}

/* best time of `reps` runs of the statement */
#define BEST(out, reps, statement)                                                                                                         \
    do {                                                                                                                                   \
        int r_;                                                                                                                            \
        (out) = 1e30;                                                                                                                      \
        for (r_ = 0; r_ < (reps); r_++) {                                                                                                  \
            double t_ = now_ms();                                                                                                          \
            statement;                                                                                                                     \
            t_ = now_ms() - t_;                                                                                                            \
            if (t_ < (out))                                                                                                                \
                (out) = t_;                                                                                                                \
        }                                                                                                                                  \
    } while (0)

typedef struct context {
    cti_factor32 *f;
    float *x, *work;
} context;
static void lagged(void *ctx, const ct_real *r, ct_real *z)
{
    context *c = (context *)ctx;
    int i, n = 3 * c->f->sym->n;
    for (i = 0; i < n; i++)
        c->x[i] = (float)r[i];
    cti_factor32_solve(c->f, c->x, c->work);
    for (i = 0; i < n; i++)
        z[i] = (ct_real)c->x[i];
}

static void bench(const char *name, int nx, int ny, int nz, int cloth, int copies, int reps, const int *ports, int n_ports)
{
    int n = nx * ny * nz, i, k, m = 0, it, total = n * copies;
    int32_t *pairs = (int32_t *)malloc((size_t)total * 20 * sizeof *pairs), *blocks = (int32_t *)malloc((size_t)total * sizeof *blocks);
    cti_mem mem;
    cti_bsr A;
    cti_symbolic sym;
    cti_gather *g = (cti_gather *)calloc((size_t)copies, sizeof *g);
    cti_factor32 *f = (cti_factor32 *)calloc((size_t)copies, sizeof *f);
    cti_factor64 d;
    cti_jacobi J;
    cti_operator op, M;
    double ms, ms64, one;
    float *x, *work;
    ct_real *b, *y, *w;
    context c;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&sym, 0, sizeof sym), memset(&d, 0, sizeof d), memset(&J, 0, sizeof J);
    for (i = 0; i < copies; i++)
        m += make_pairs(nx, ny, nz, cloth, i * n, pairs + 2 * m);
    for (i = 0; i < total; i++)
        blocks[i] = i;
    BEST(ms, 3, cti_bsr_pattern(&mem, &A, total, pairs, m));
    fill(&A);
    printf("%s: %d blocks, %.1f a row; pattern %.3f ms\n", name, total, (double)A.row[total] / total, ms);
    BEST(ms, 1, cti_symbolic_analyze(&mem, &sym, &A, blocks, n));
    printf("  analysis %.1f ms, %d supernodes, widest %d, factor %.0f k numbers, %.2f MFLOP\n", ms, sym.n_super, sym.max_cols,
           sym.nonzeros / 1e3, sym.flops / 1e6);
    for (i = 0; i < copies; i++)
        cti_gather_make(&mem, &g[i], &sym, &A, blocks + i * n);
    for (i = 0; i < copies; i++)
        cti_factor32_compute(&mem, &f[i], &sym, &g[i], A.val);
    BEST(ms, reps, for (i = 0; i < copies; i++) cti_factor32_compute(&mem, &f[i], &sym, &g[i], A.val));
    cti_factor64_compute(&mem, &d, &sym, &g[0], A.val);
    BEST(ms64, reps, for (i = 0; i < copies; i++) cti_factor64_compute(&mem, &d, &sym, &g[i], A.val));
    printf("  factor32 %.3f ms (%.1f us each), %.1f GFLOP/s; factor64 %.3f ms, %.1f GFLOP/s; boosted %d\n", ms, ms / copies * 1e3,
           sym.flops * copies / ms * 1e-6, ms64, sym.flops * copies / ms64 * 1e-6, f[0].boosted);
    x = (float *)calloc(3 * (size_t)n, sizeof *x);
    work = (float *)malloc(cti_factor32_work(&f[0]) * sizeof *work);
    x[0] = 1;
    BEST(ms, reps * 4, for (i = 0; i < copies; i++) cti_factor32_solve(&f[i], x, work));
    {
        double *x64 = (double *)calloc(3 * (size_t)n, sizeof *x64), *work64 = (double *)malloc(cti_factor64_work(&d) * sizeof *work64);
        BEST(ms64, reps * 4, for (i = 0; i < copies; i++) cti_factor64_solve(&d, x64, work64));
        free(x64), free(work64);
    }
    printf("  solve32 %.4f ms (%.2f us each), %.1f GB/s; solve64 %.4f ms\n", ms, ms / copies * 1e3, 8 * sym.nonzeros * copies / ms * 1e-6,
           ms64);
    free(work);
    {
        float *X = (float *)calloc(3 * (size_t)n * 64, sizeof *X);
        work = (float *)malloc(cti_factor32_many_work(&f[0]) * sizeof *work);
        BEST(ms, 2, cti_factor32_solve_many(&f[0], X, 64, work));
        printf("  solve_many32, 64 right sides, one body: %.3f ms, %.1f GFLOP/s\n", ms, 64 * 4 * sym.nonzeros / ms * 1e-6);
        free(X), free(work);
    }
    for (k = 0; k < n_ports; k++) {
        int p = ports[k] < n ? ports[k] : n, ld = cti_pad8(3 * p);
        float *C = (float *)malloc(3 * (size_t)p * (size_t)ld * sizeof *C);
        int32_t *list = (int32_t *)malloc((size_t)n * sizeof *list);
        work = (float *)malloc(cti_factor32_compliance_work(&f[0], p) * sizeof *work);
        /* surface-like ports: every n/p-th block */
        for (i = 0; i < p; i++)
            list[i] = (int32_t)((int64_t)i * n / p);
        BEST(ms, reps < 4 ? 2 : reps, for (i = 0; i < copies; i++) cti_factor32_compliance(&f[i], list, p, C, ld, work));
        printf("  compliance32 of %d ports: %.3f ms (%.1f us each), work %.1f MB\n", p, ms, ms / copies * 1e3,
               (double)cti_factor32_compliance_work(&f[0], p) * 4e-6);
        free(C), free(work), free(list);
    }
    b = (ct_real *)malloc(3 * (size_t)total * sizeof *b), y = (ct_real *)malloc(3 * (size_t)total * sizeof *y);
    w = (ct_real *)malloc(12 * (size_t)total * sizeof *w);
    for (i = 0; i < 3 * total; i++)
        b[i] = CTI_R(rnd());
    BEST(ms, reps * 4, cti_bsr_mul(&A, b, y));
    printf("  product %.4f ms, %.1f GB/s\n", ms, (double)A.row[total] * (9.0 * sizeof(ct_real) + 4) / ms * 1e-6);
    cti_jacobi_make(&mem, &J, &A);
    op = cti_bsr_operator(&A), M = cti_jacobi_operator(&J);
    one = cti_sqrt(cti_krylov_dot(3 * total, b, b));
    BEST(ms, 2, memset(y, 0, 3 * (size_t)total * sizeof *y); cti_pcg(&op, &M, b, y, CTI_R(one * 1e-8), 2000, w, &it));
    printf("  PCG block-Jacobi to 1e-8: %.2f ms, %d iterations\n", ms, it);
    if (copies == 1) {
        M.apply = lagged, M.ctx = &c;
        c.f = &f[0], c.x = x, c.work = (float *)malloc(cti_factor32_work(&f[0]) * sizeof(float));
        BEST(ms, 2, memset(y, 0, 3 * (size_t)total * sizeof *y); cti_pcg(&op, &M, b, y, CTI_R(one * 1e-8), 2000, w, &it));
        printf("  PCG float factor to 1e-8: %.2f ms, %d iterations\n", ms, it);
        free(c.work);
    }
    CTI_FREE(&mem, J.inv);
    cti_factor64_free(&mem, &d);
    for (i = 0; i < copies; i++)
        cti_factor32_free(&mem, &f[i]), cti_gather_free(&mem, &g[i]);
    cti_symbolic_free(&mem, &sym);
    cti_bsr_free(&mem, &A);
    free(g), free(f), free(x), free(b), free(y), free(w), free(pairs), free(blocks);
}

static void bench_dense(void)
{
    static const int sizes[] = {48, 96, 189, 192, 384};
    int t, i, j;
    for (t = 0; t < 5; t++) {
        int n = sizes[t], ld = cti_pad8(n);
        size_t m = (size_t)(n * ld);
        float *A = (float *)malloc(m * sizeof *A), *B = (float *)malloc(m * sizeof *B);
        double *D = (double *)malloc(m * sizeof *D), *E = (double *)malloc(m * sizeof *E), ms, ms64, f = (double)n * n * n;
        for (i = 0; i < n; i++)
            for (j = 0; j < ld; j++)
                D[i * ld + j] = i == j ? n : 1.0 / (1 + abs(i - j)), A[i * ld + j] = (float)D[i * ld + j];
        BEST(ms, 50, memcpy(B, A, m * sizeof *A); cti_dense32_invert_spd(B, n, ld));
        BEST(ms64, 50, memcpy(E, D, m * sizeof *D); cti_dense64_invert_spd(E, n, ld));
        printf("dense inverse n = %d: float %.1f us, %.1f GFLOP/s; double %.1f us, %.1f GFLOP/s\n", n, ms * 1e3, f / ms * 1e-6, ms64 * 1e3,
               f / ms64 * 1e-6);
        free(A), free(B), free(D), free(E);
    }
}

int main(void)
{
    static const int small[] = {30, 48, 56}, large[] = {100, 600}, cloth[] = {100, 400};
    printf("SIMD %s, ct_real %d bits\n", CTI_SIMD_NAME, (int)(8 * sizeof(ct_real)));
    bench("64 boxes of 4x4x4", 4, 4, 4, 0, 64, 50, small, 3);
    bench("cube of 17x17x17", 17, 17, 17, 0, 1, 3, large, 2);
    bench("cloth of 50x50 with bending", 50, 50, 1, 1, 1, 10, cloth, 2);
    bench_dense();
    return 0;
}
