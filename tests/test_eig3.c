/* test_eig3.c -- eigenvalues, signed singular values and polar rotations of random, repeated, flat, inverted and zero matrices; lanes do
   not depend on each other; the projection to semidefinite against known answers. */
#include "model_check.h"

#define TOL (24 * CTI_EPS)

static void random_matrix(int kind, ct_real *f)
{
    int i, j;
    for (i = 0; i < 9; i++)
        f[i] = model_random();
    switch (kind) {
    case 1:
        for (i = 0; i < 9; i++)
            f[i] = (i % 4 == 0 ? CTI_R(1) : CTI_R(0)) + CTI_R(1e-6) * f[i];
        break;
    case 2:
        for (i = 0; i < 3; i++)
            f[3 * i + 2] = f[3 * i] - 2 * f[3 * i + 1];
        break;
    case 3:
        for (i = 0; i < 3; i++)
            for (j = 1; j < 3; j++)
                f[3 * i + j] = f[3 * i] * (ct_real)j + CTI_R(1e-7) * f[3 * i + j];
        break;
    case 4:
        for (i = 0; i < 9; i++)
            f[i] = 0;
        break;
    case 5:
        for (i = 0; i < 9; i++)
            f[i] = i % 4 == 0 ? CTI_R(-1) : CTI_R(0);
        break;
    case 6:
        for (i = 0; i < 9; i++)
            f[i] *= CTI_R(1e-6);
        break;
    case 7:
        for (i = 0; i < 9; i++)
            f[i] = i == 5 ? CTI_R(3) : CTI_R(0);
        break;
    default:
        break;
    }
}
static ct_real orthonormal(const ct_real *q)
{
    ct_real worst = cti_abs(cti_m3_det(q) - 1);
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            worst = cti_max(worst, cti_abs(q[i] * q[j] + q[3 + i] * q[3 + j] + q[6 + i] * q[6 + j] - (i == j ? CTI_R(1) : CTI_R(0))));
    return worst;
}

static void test_svd(void **state)
{
    int n, i, j;
    (void)state;
    for (n = 0; n < 8000; n++) {
        ct_real f[9], u[9], s[3], v[9], scale;
        random_matrix(n % 8, f);
        scale = model_norm(f, 9);
        cti_svd3(f, u, s, v);
        assert_true(orthonormal(u) < TOL && orthonormal(v) < TOL);
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++) {
                ct_real r = u[3 * i] * s[0] * v[3 * j] + u[3 * i + 1] * s[1] * v[3 * j + 1] + u[3 * i + 2] * s[2] * v[3 * j + 2];
                assert_true(cti_abs(r - f[3 * i + j]) <= TOL * scale);
            }
        /* ordered by size; only the last is negative, when the determinant is */
        assert_true(s[0] >= 0 && s[1] >= -TOL * scale);
        assert_true(s[0] >= s[1] - TOL * scale && s[1] >= cti_abs(s[2]) - 8 * TOL * scale);
        assert_true(cti_abs(s[0] * s[1] * s[2] - cti_m3_det(f)) <= 8 * TOL * scale * scale * scale);
    }
}

static void test_polar(void **state)
{
    int n, i, j, k;
    (void)state;
    for (n = 0; n < 4000; n++) {
        ct_real f[9], r[9], s[9], scale;
        random_matrix(n % 8, f);
        scale = model_norm(f, 9);
        cti_polar3(f, r);
        assert_true(orthonormal(r) < TOL);
        /* R'F is symmetric */
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                for (s[3 * i + j] = 0, k = 0; k < 3; k++)
                    s[3 * i + j] += r[3 * k + i] * f[3 * k + j];
        assert_true(cti_abs(s[1] - s[3]) + cti_abs(s[2] - s[6]) + cti_abs(s[5] - s[7]) <= 4 * TOL * scale);
    }
}

static void test_symmetric(void **state)
{
    int n, i, j;
    (void)state;
    for (n = 0; n < 4000; n++) {
        ct_real f[9], a[6], w[3], v[9], full[9], scale;
        random_matrix(n % 8, f);
        a[0] = f[0], a[1] = f[4], a[2] = f[8], a[3] = f[5], a[4] = f[2], a[5] = f[1];
        full[0] = a[0], full[4] = a[1], full[8] = a[2], full[5] = full[7] = a[3], full[2] = full[6] = a[4], full[1] = full[3] = a[5];
        scale = model_norm(a, 6);
        cti_eig3(a, w, v);
        assert_true(orthonormal(v) < TOL && w[0] >= w[1] && w[1] >= w[2]);
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++) {
                ct_real av = full[3 * i] * v[j] + full[3 * i + 1] * v[3 + j] + full[3 * i + 2] * v[6 + j];
                assert_true(cti_abs(av - w[j] * v[3 * i + j]) <= TOL * scale);
            }
    }
}

/* lane 3 has the same bits whatever its neighbours contain, and those of the single function */
static void test_lanes_are_independent(void **state)
{
    int n, i, l;
    (void)state;
    for (n = 0; n < 500; n++) {
        ct_real f[9], u[9], s[3], v[9], g[9], buf[9][8], t[8];
        cti_r8 f8[9], u8[9], s8[3], v8[9];
        random_matrix(n % 8, f);
        cti_svd3(f, u, s, v);
        for (l = 0; l < 8; l++) {
            random_matrix((n + l) % 7, g);
            for (i = 0; i < 9; i++)
                buf[i][l] = l == 3 ? f[i] : g[i];
        }
        for (i = 0; i < 9; i++)
            f8[i] = cti_load8(buf[i]);
        cti_svd3_8(f8, u8, s8, v8);
        for (i = 0; i < 9; i++) {
            cti_store8(t, u8[i]);
            assert_true(t[3] == u[i]);
            cti_store8(t, v8[i]);
            assert_true(t[3] == v[i]);
            cti_store8(t, s8[i % 3]);
            assert_true(t[3] == s[i % 3]);
        }
    }
}

static void test_projection(void **state)
{
    ct_real a[144], b[144];
    int n, i, j, k, trial;
    (void)state;
    /* v v' is left alone, -v v' vanishes */
    for (n = 1; n <= 12; n++)
        for (trial = -1; trial <= 1; trial += 2) {
            ct_real v[12];
            for (i = 0; i < n; i++)
                v[i] = model_random();
            for (i = 0; i < n; i++)
                for (j = 0; j < n; j++)
                    a[n * i + j] = b[n * i + j] = (ct_real)trial * v[i] * v[j];
            cti_psd_project(a, n, 0);
            for (i = 0; i < n * n; i++)
                assert_true(cti_abs(a[i] - (trial > 0 ? b[i] : CTI_R(0))) < 64 * CTI_EPS);
        }
    /* 3x3: eight lanes against the general one */
    for (trial = 0; trial < 500; trial++) {
        ct_real f[6], t[8], c[9];
        cti_r8 p[6];
        static const int at[6] = {0, 4, 8, 5, 2, 1};
        for (k = 0; k < 6; k++)
            f[k] = model_random() + (k < 3 && trial % 3 ? CTI_R(0.7) : CTI_R(0)), p[k] = cti_set8(f[k]);
        c[0] = f[0], c[4] = f[1], c[8] = f[2], c[5] = c[7] = f[3], c[2] = c[6] = f[4], c[1] = c[3] = f[5];
        cti_psd_project(c, 3, 0);
        cti_psd3_8(p);
        for (k = 0; k < 6; k++) {
            cti_store8(t, p[k]);
            assert_true(cti_abs(t[5] - c[at[k]]) < 64 * CTI_EPS);
        }
    }
}

/* 3, 5 and 9 rows: each of eight lanes against the general projection, and with the same bits whatever the other lanes hold */
static void test_projection_of_lanes(void **state)
{
    static const int rows[] = {3, 5, 9};
    ct_real m[8][81], a[81], buf[8], was[81];
    cti_r8 p[81];
    int n, i, j, k, l, trial, pass;
    (void)state;
    for (k = 0; k < 3; k++)
        for (n = rows[k], trial = 0; trial < 100; trial++) {
            for (l = 0; l < 8; l++)
                for (i = 0; i < n; i++)
                    for (j = 0; j <= i; j++)
                        m[l][n * i + j] = m[l][n * j + i] = model_random() + (i == j && trial % 3 ? (ct_real)(l - 3) / 2 : CTI_R(0));
            for (pass = 0; pass < 2; pass++) {
                for (i = 0; i < n * n; i++) {
                    for (l = 0; l < 8; l++)
                        buf[l] = m[pass && l != 5 ? 5 : l][i];
                    p[i] = cti_load8(buf);
                }
                cti_psd_project_8(p, n);
                for (l = 0; pass == 0 && l < 8; l++) {
                    memcpy(a, m[l], sizeof a);
                    cti_psd_project(a, n, 0);
                    for (i = 0; i < n * n; i++) {
                        cti_store8(buf, p[i]);
                        assert_true(cti_abs(buf[l] - a[i]) < 200 * CTI_EPS);
                    }
                }
                for (i = 0; i < n * n; i++) {
                    cti_store8(buf, p[i]);
                    assert_true(pass == 0 || buf[5] == was[i]);
                    was[i] = buf[5];
                }
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_svd), cmocka_unit_test(test_polar), cmocka_unit_test(test_symmetric),
                                       cmocka_unit_test(test_lanes_are_independent), cmocka_unit_test(test_projection),
                                       cmocka_unit_test(test_projection_of_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
