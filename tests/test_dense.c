/* test_dense.c -- dense Cholesky, inverse and LU against plain loops in double. */
#include "dense_lu.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

static uint64_t seed = 1;
static double rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

/* A = B B' + n 1 (well conditioned), row-major ld, pads poisoned */
static void make_spd(double *A, int n, int ld, double shift)
{
    double *B = (double *)malloc((size_t)(n * n + 1) * sizeof *B);
    int i, j, k;
    for (i = 0; i < n * n; i++)
        B[i] = rnd();
    for (i = 0; i < n; i++)
        for (j = 0; j < ld; j++) {
            double s = i == j ? shift : 0;
            for (k = 0; k < n && j < n; k++)
                s += B[i * n + k] * B[j * n + k];
            A[i * ld + j] = j < n ? s : (double)NAN;
        }
    free(B);
}

static void test_invert(void **state)
{
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 18, 21, 24, 31, 33, 48, 51, 63, 96, 189, 192};
    size_t t;
    (void)state;
    for (t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        int n = sizes[t], ld = cti_pad8(n) + (t % 3 == 0 ? 8 : 0), i, j, k, kind;
        size_t bytes = (size_t)(n * ld) * sizeof(double);
        double *A = (double *)malloc(bytes), *D = (double *)malloc(bytes);
        float *F = (float *)malloc((size_t)(n * ld) * sizeof(float));
        make_spd(A, n, ld, n);
        memcpy(D, A, bytes);
        for (i = 0; i < n * ld; i++)
            F[i] = (float)A[i];
        /* the lower triangle must not be read */
        for (i = 0; i < n; i++)
            for (j = 0; j < i; j++)
                D[i * ld + j] = (double)NAN, F[i * ld + j] = (float)NAN;
        assert_int_equal(cti_dense64_invert_spd(D, n, ld), 0);
        assert_int_equal(cti_dense32_invert_spd(F, n, ld), 0);
        for (kind = 0; kind < 2; kind++) {
            double worst = 0;
            for (i = 0; i < n; i++)
                for (j = 0; j < n; j++) {
                    double s = 0, v;
                    for (k = 0; k < n; k++)
                        s += A[i * ld + k] * (kind ? D[k * ld + j] : (double)F[k * ld + j]);
                    v = fabs(s - (i == j));
                    if (!(v <= worst))
                        worst = v;
                    if (kind)
                        assert_true(D[i * ld + j] == D[j * ld + i]);
                    else
                        assert_true(F[i * ld + j] == F[j * ld + i]);
                }
            assert_true(worst < (kind ? 1e-13 : 3e-5));
        }
        free(A), free(D), free(F);
    }
}

static void test_solve(void **state)
{
    int n;
    (void)state;
    for (n = 1; n < 70; n += n < 20 ? 1 : 7) {
        int ld = cti_pad8(n), i, j;
        double *A = (double *)malloc((size_t)(n * ld) * sizeof *A), *U = (double *)malloc((size_t)(n * ld) * sizeof *U);
        float *F = (float *)malloc((size_t)(n * ld) * sizeof *F), xf[80];
        double x[80], y[80];
        make_spd(A, n, ld, 1);
        memcpy(U, A, (size_t)(n * ld) * sizeof *A);
        for (i = 0; i < n * ld; i++)
            F[i] = (float)A[i];
        for (i = 0; i < n; i++)
            x[i] = rnd();
        for (i = 0; i < n; i++)
            for (y[i] = 0, j = 0; j < n; j++)
                y[i] += A[i * ld + j] * x[j];
        for (i = 0; i < n; i++)
            xf[i] = (float)y[i];
        assert_int_equal(cti_dense64_factor(U, n, ld), 0);
        assert_int_equal(cti_dense32_factor(F, n, ld), 0);
        cti_dense64_solve(U, n, ld, y);
        cti_dense32_solve(F, n, ld, xf);
        for (i = 0; i < n; i++) {
            assert_true(fabs(y[i] - x[i]) < 1e-11);
            assert_true(fabs((double)xf[i] - x[i]) < 2e-2);
        }
        free(A), free(U), free(F);
    }
}

/* a matrix with one negative and one zero eigenvalue: two pivots are replaced, the result is finite */
static void test_boost(void **state)
{
    double A[9 * 16];
    float F[9 * 16];
    int i, j;
    (void)state;
    for (i = 0; i < 9; i++)
        for (j = 0; j < 16; j++)
            A[16 * i + j] = i == j ? 2 : 0, F[16 * i + j] = i == j ? 2.0f : 0.0f;
    A[16 * 3 + 3] = -5, F[16 * 3 + 3] = -5;
    A[16 * 7 + 8] = F[16 * 7 + 8] = 2;
    assert_int_equal(cti_dense64_invert_spd(A, 9, 16), 2);
    assert_int_equal(cti_dense32_invert_spd(F, 9, 16), 2);
    for (i = 0; i < 9; i++)
        for (j = 0; j < 9; j++)
            assert_true(cti_finite64(A[16 * i + j]) && cti_finite32(F[16 * i + j]));
    assert_true(A[16 * 3 + 3] == 0.2 || fabs(A[16 * 3 + 3] - 0.2) < 1e-15);
    F[0] = (float)NAN;
    assert_true(cti_dense32_factor(F, 9, 16) > 0);
}

static void test_lu(void **state)
{
    double A[40 * 40], B[40 * 40], x[40], y[40];
    int n, i, j, pivot[40];
    (void)state;
    for (n = 1; n <= 40; n += 3) {
        for (i = 0; i < n * 40; i++)
            A[i] = B[i] = rnd();
        for (i = 0; i < n; i++)
            x[i] = rnd();
        for (i = 0; i < n; i++)
            for (y[i] = 0, j = 0; j < n; j++)
                y[i] += A[40 * i + j] * x[j];
        assert_int_equal(dense_lu(B, n, 40, pivot), 1);
        dense_lu_solve(B, n, 40, pivot, y);
        for (i = 0; i < n; i++)
            assert_true(fabs(x[i] - y[i]) < 1e-9);
    }
    memset(A, 0, sizeof A);
    assert_int_equal(dense_lu(A, 3, 40, pivot), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_invert), cmocka_unit_test(test_solve), cmocka_unit_test(test_boost),
                                       cmocka_unit_test(test_lu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
