/* test_exact.c -- expansions and orientation signs against integer arithmetic of 128 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../src/1_math/exact.h"

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 test_wide;
#define TEST_HAVE_WIDE 1
#endif

static uint64_t test_seed = 99;
static uint64_t test_next(void)
{
    test_seed = test_seed * 6364136223846793005ull + 1442695040888963407ull;
    return test_seed >> 20;
}
/* an integer in (-2^bits, 2^bits) */
static int64_t test_integer(int bits) { return (int64_t)(test_next() % ((uint64_t)2 << bits)) - ((int64_t)1 << bits); }

#ifdef TEST_HAVE_WIDE
static int test_sign(test_wide x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }

static int test_want3(int64_t p[4][3])
{
    test_wide u[3][3];
    int i, k;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            u[i][k] = (test_wide)p[i + 1][k] - p[0][k];
    return test_sign(u[2][0] * (u[0][1] * u[1][2] - u[0][2] * u[1][1]) + u[2][1] * (u[0][2] * u[1][0] - u[0][0] * u[1][2]) +
                     u[2][2] * (u[0][0] * u[1][1] - u[0][1] * u[1][0]));
}

/* Nearly flat tets: the fourth point is on the plane up to a few units, or exactly on it. */
static void test_orient3d(void **state)
{
    int i, k, zeros = 0;
    CTI_UNUSED(state);
    for (i = 0; i < 300000; i++) {
        int64_t p[4][3];
        double d[4][3];
        int want, bits = 2 + (int)(test_next() % 37), j, scale = (int)(test_next() % 3);
        int64_t s = test_integer(3), t = test_integer(3);
        for (j = 0; j < 4; j++)
            for (k = 0; k < 3; k++)
                p[j][k] = test_integer(j == 0 && bits < 36 ? bits : bits / 4);
        for (j = 1; j < 3; j++)
            for (k = 0; k < 3; k++)
                p[j][k] += p[0][k];
        if (i % 4)
            for (k = 0; k < 3; k++)
                p[3][k] = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]) + (i % 4 > 1 ? test_integer(0) : 0);
        for (j = 0; j < 4; j++)
            for (k = 0; k < 3; k++)
                d[j][k] = (double)p[j][k] * (scale == 0 ? 1.0 : (scale == 1 ? 0x1p-90 : 0x1p+100));
        want = test_want3(p);
        assert_int_equal(cti_exact_orient3d(d[0], d[1], d[2], d[3]), want);
        assert_int_equal(cti_exact_orient3d(d[1], d[0], d[2], d[3]), -want);
        assert_int_equal(cti_exact_orient3d(d[2], d[3], d[0], d[1]), want);
        assert_int_equal(cti_exact_orient3d(d[3], d[2], d[0], d[1]), -want);
        zeros += want == 0;
    }
    assert_true(zeros > 1000);
}

/* Tets and triangles of the least volume and area that integers have, with sides up to 2^37: products of random shears, determinant 1. Plain
   arithmetic has to fail on them, or the test would show nothing */
static void test_orient_thin(void **state)
{
    int i, k, j, zeros = 0, wrong2 = 0, wrong3 = 0;
    CTI_UNUSED(state);
    for (i = 0; i < 100000; i++) {
        int64_t u[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, p[4][3], w[2][2] = {{1, 0}, {0, 1}};
        double d[4][3], q[3][2], naive;
        int want, small = 1;
        while (small) {
            int from = (int)(test_next() % 3), to = (from + 1 + (int)(test_next() % 2)) % 3;
            int64_t c = test_integer(4);
            for (k = 0; k < 3; k++)
                u[to][k] += c * u[from][k];
            for (j = 0; j < 9; j++)
                small &= u[j / 3][j % 3] < ((int64_t)1 << 30) && u[j / 3][j % 3] > -((int64_t)1 << 30);
        }
        if (i % 3 == 0)
            for (k = 0; k < 3; k++)
                u[2][k] = u[0][k] - 3 * u[1][k];
        for (k = 0; k < 3; k++) {
            p[0][k] = test_integer(36);
            for (j = 1; j < 4; j++)
                p[j][k] = p[0][k] + u[j - 1][k];
            for (j = 0; j < 4; j++)
                d[j][k] = (double)p[j][k];
        }
        want = test_want3(p);
        assert_int_equal(cti_exact_orient3d(d[0], d[1], d[2], d[3]), want);
        assert_int_equal(cti_exact_orient3d(d[3], d[1], d[2], d[0]), -want);
        zeros += want == 0;
        naive = (d[3][0] - d[0][0]) * ((d[1][1] - d[0][1]) * (d[2][2] - d[0][2]) - (d[1][2] - d[0][2]) * (d[2][1] - d[0][1])) +
                (d[3][1] - d[0][1]) * ((d[1][2] - d[0][2]) * (d[2][0] - d[0][0]) - (d[1][0] - d[0][0]) * (d[2][2] - d[0][2])) +
                (d[3][2] - d[0][2]) * ((d[1][0] - d[0][0]) * (d[2][1] - d[0][1]) - (d[1][1] - d[0][1]) * (d[2][0] - d[0][0]));
        wrong3 += (naive > 0) - (naive < 0) != want;
        /* the same in the plane */
        for (small = 1, j = 0; small; j ^= 1) {
            int64_t c = 1 + (int64_t)(test_next() % 9);
            for (k = 0; k < 2; k++) {
                w[j][k] += c * w[1 - j][k];
                small &= w[j][k] < ((int64_t)1 << 36);
            }
        }
        if (i % 3 == 0)
            w[1][0] = -2 * w[0][0], w[1][1] = -2 * w[0][1];
        for (k = 0; k < 2; k++) {
            q[0][k] = d[0][k];
            for (j = 1; j < 3; j++)
                q[j][k] = (double)(p[0][k] + w[j - 1][k]);
        }
        want = test_sign((test_wide)w[0][0] * w[1][1] - (test_wide)w[0][1] * w[1][0]);
        assert_int_equal(cti_exact_orient2d(q[0], q[1], q[2]), want);
        assert_int_equal(cti_exact_orient2d(q[1], q[0], q[2]), -want);
        naive = (q[1][0] - q[0][0]) * (q[2][1] - q[0][1]) - (q[1][1] - q[0][1]) * (q[2][0] - q[0][0]);
        wrong2 += (naive > 0) - (naive < 0) != want;
    }
    assert_true(zeros > 1000);
    assert_true(wrong3 > 1000 && wrong2 > 1000);
}
#else
static void test_orient3d(void **state)
{
    CTI_UNUSED(state);
    print_message("missing: 128-bit integers\n");
    skip();
}
static void test_orient_thin(void **state) { test_orient3d(state); }
#endif

/* Differences that do not fit a double: 1 and 2^-60 in one tet. */
static void test_uneven(void **state)
{
    double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0}, d[3] = {0.25, 0.25, 0x1p-60}, e[3] = {1, 1, 1};
    int k;
    CTI_UNUSED(state);
    assert_int_equal(cti_exact_orient3d(a, b, c, d), 1);
    d[2] = -0x1p-190;
    assert_int_equal(cti_exact_orient3d(a, b, c, d), -1);
    assert_int_equal(cti_exact_orient3d(b, c, d, a), 1);
    d[2] = 0;
    assert_int_equal(cti_exact_orient3d(b, c, d, a), 0);
    /* points of the plane x + y + z = 1 + 2^-52 k */
    for (k = -3; k <= 3; k++) {
        double p[3] = {1, 0, 0}, q[3] = {0, 1, 0}, r[3] = {0, 0, 1}, s[3] = {0.5, 0.25, 0.25};
        s[0] += k * 0x1p-53;
        assert_int_equal(cti_exact_orient3d(p, q, r, s), k > 0 ? 1 : (k < 0 ? -1 : 0));
        assert_int_equal(cti_exact_orient3d(p, q, r, e), 1);
    }
}

/* Expansions of integers: sum, scale and product are what integers give. */
static void test_expansions(void **state)
{
    double e[2], f[2], h[8], scratch[8], s, r;
    int i, ne, nf, n, k;
    CTI_UNUSED(state);
    for (i = 0; i < 100000; i++) {
        double a = (double)test_integer(43), b = (double)test_integer(20) * 0x1p-40, c = (double)test_integer(43),
               d = (double)test_integer(20) * 0x1p-40;
        s = cti_two_sum(a, b, &r);
        ne = 0;
        if (r != 0)
            e[ne++] = r;
        e[ne++] = s;
        s = cti_two_sum(c, d, &r);
        nf = 0;
        if (r != 0)
            f[nf++] = r;
        f[nf++] = s;
        n = cti_expansion_sum(ne, e, nf, f, h);
        for (k = 1; k < n; k++)
            assert_true(h[k - 1] != 0 && fabs(h[k - 1]) < fabs(h[k]));
        /* a + b + c + d, with the parts subtracted one by one, leaves zero */
        {
            double parts[4], left[8], next[8];
            int m = n, j;
            parts[0] = -a, parts[1] = -b, parts[2] = -c, parts[3] = -d;
            for (j = 0; j < n; j++)
                left[j] = h[j];
            for (k = 0; k < 4; k++) {
                m = cti_expansion_sum(m, left, 1, parts + k, next);
                for (j = 0; j < m; j++)
                    left[j] = next[j];
            }
            assert_int_equal(cti_expansion_sign(m, left), 0);
        }
        /* (a + b) (c + d) and (c + d) (a + b) have the difference zero */
        n = cti_expansion_product(ne, e, nf, f, h, scratch);
        {
            double g[8], z[16];
            int ng = cti_expansion_product(nf, f, ne, e, g, scratch), j;
            assert_int_equal(cti_expansion_sign(n, h), (a + b > 0 ? 1 : (a + b < 0 ? -1 : 0)) * (c + d > 0 ? 1 : (c + d < 0 ? -1 : 0)));
            for (j = 0; j < ng; j++)
                g[j] = -g[j];
            assert_int_equal(cti_expansion_sign(cti_expansion_sum(n, h, ng, g, z), z), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orient3d),
        cmocka_unit_test(test_orient_thin),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_expansions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
