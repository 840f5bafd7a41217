/* test_bsr.c -- pattern, slots and products of block rows against dense loops. */
#include "failing.h"
#include "../src/2_linalg/bsr.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

#define N 23
static uint64_t seed = 7;
static uint32_t next(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33);
}

static void test_pattern(void **state)
{
    cti_mem mem;
    cti_bsr A;
    int round;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A);
    for (round = 0; round < 50; round++) {
        int n = 1 + (int)(next() % N), m = (int)(next() % 60), i, j, k, nnz = 0;
        int32_t pairs[120];
        char dense[N][N];
        memset(dense, 0, sizeof dense);
        for (i = 0; i < n; i++)
            dense[i][i] = 1;
        for (k = 0; k < m; k++) {
            pairs[2 * k] = (int32_t)(next() % (uint32_t)n), pairs[2 * k + 1] = (int32_t)(next() % (uint32_t)n);
            dense[pairs[2 * k]][pairs[2 * k + 1]] = dense[pairs[2 * k + 1]][pairs[2 * k]] = 1;
        }
        assert_int_equal(cti_bsr_pattern(&mem, &A, n, pairs, m), 1);
        assert_int_equal(A.row[0], 0);
        assert_int_equal(A.row[n], CTI_LEN(A.col));
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                int slot = cti_bsr_slot(&A, i, j);
                assert_int_equal(slot >= 0, dense[i][j]);
                nnz += dense[i][j];
                if (slot >= 0)
                    assert_true(slot >= A.row[i] && slot < A.row[i + 1] && A.col[slot] == j);
                if (i == j)
                    assert_int_equal(slot, A.diag[i]);
            }
        assert_int_equal(nnz, A.row[n]);
        for (i = 0; i < n; i++)
            for (k = A.row[i] + 1; k < A.row[i + 1]; k++)
                assert_true(A.col[k] > A.col[k - 1]);
        for (k = 0; k < 9 * nnz; k++)
            assert_true(A.val[k] == 0);
    }
    cti_bsr_free(&mem, &A);
    assert_int_equal(mem.bytes_live, 0);
}

static void test_product(void **state)
{
    cti_mem mem;
    cti_bsr A;
    int32_t pairs[80];
    ct_real x[3 * N], y[3 * N], r[3 * N], b[3 * N];
    double s;
    int i, j, k;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A);
    for (k = 0; k < 80; k++)
        pairs[k] = (int32_t)(next() % N);
    assert_int_equal(cti_bsr_pattern(&mem, &A, N, pairs, 40), 1);
    for (k = 0; k < 9 * A.row[N]; k++)
        A.val[k] = CTI_R(next() % 1000) / 500 - 1;
    for (k = 0; k < 3 * N; k++)
        x[k] = CTI_R(next() % 1000) / 500 - 1, b[k] = CTI_R(next() % 1000) / 500 - 1;
    cti_bsr_mul(&A, x, y);
    cti_bsr_residual_rows(&A, b, x, r, 0, A.n);
    for (i = 0; i < 3 * N; i++) {
        for (s = 0, j = 0; j < 3 * N; j++)
            if ((k = cti_bsr_slot(&A, i / 3, j / 3)) >= 0)
                s += (double)A.val[9 * k + 3 * (i % 3) + j % 3] * (double)x[j];
        assert_true(fabs(s - (double)y[i]) < 40 * (double)CTI_EPS);
        assert_true(fabs((double)b[i] - s - (double)r[i]) < 40 * (double)CTI_EPS);
    }
    memset(A.val, 0, sizeof *A.val * (size_t)CTI_LEN(A.val));
    cti_bsr_mul(&A, x, y);
    for (i = 0; i < 3 * N; i++)
        assert_true(y[i] == 0);
    cti_bsr_free(&mem, &A);
}

/* rows in float, laid out for sweeps: the same product up to float's rounding, whatever the padding contains */
static void test_float_rows(void **state)
{
    cti_mem mem;
    cti_bsr A;
    int32_t pairs[80];
    ct_real x[3 * N], y[3 * N];
    float *val, x4[4 * N], out[4];
    int i, k;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A);
    for (k = 0; k < 80; k++)
        pairs[k] = (int32_t)(next() % N);
    assert_int_equal(cti_bsr_pattern(&mem, &A, N, pairs, 40), 1);
    for (k = 0; k < 9 * A.row[N]; k++)
        A.val[k] = CTI_R(next() % 1000) / 500 - 1;
    for (k = 0; k < N; k++) {
        for (i = 0; i < 3; i++)
            x[3 * k + i] = x4[4 * k + i] = (float)(next() % 1000) / 512 - 1;
        x4[4 * k + 3] = 1e30f;
    }
    val = (float *)malloc(sizeof(float) * (9 * (size_t)A.row[N] + 1));
    val[9 * A.row[N]] = 0;
    for (i = 0; i < N; i++)
        cti_bsr_float_row(&A, i, val + 9 * A.row[i]);
    cti_bsr_mul(&A, x, y);
    for (i = 0; i < N; i++) {
        cti_f8_store4(out, cti_bsr_float_dot(&A, val + 9 * A.row[i], x4, i));
        for (k = 0; k < 3; k++)
            assert_true(fabs((double)out[k] - (double)y[3 * i + k]) < 1e-5);
    }
    free(val);
    cti_bsr_free(&mem, &A);
}

/* every allocation fails in turn: 0 is returned, nothing leaks */
static void test_out_of_memory(void **state)
{
    static const int32_t pairs[] = {0, 1, 1, 2, 3, 0};
    ct_allocator user;
    int ok = 0;
    (void)state;
    user.resize = failing, user.user = NULL;
    for (fail_at = 1; !ok && fail_at < 50; fail_at++) {
        cti_mem mem;
        cti_bsr A;
        cti_mem_init(&mem, &user);
        memset(&A, 0, sizeof A);
        calls = 0;
        ok = cti_bsr_pattern(&mem, &A, 4, pairs, 3);
        assert_int_equal(ok, calls < fail_at);
        cti_bsr_free(&mem, &A);
        assert_int_equal(mem.bytes_live, 0);
    }
    assert_true(fail_at > 4 && ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pattern), cmocka_unit_test(test_product), cmocka_unit_test(test_float_rows),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
