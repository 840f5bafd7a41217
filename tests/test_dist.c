/* test_dist.c -- closest points by the variational inequality (exact optimality of a convex problem), degenerate features, batches, and
   derivatives by finite differences. */
#include "../src/4_geom/dist.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

#if CONTACT_REAL == 32
#define TOL 2e-5
#else
#define TOL 1e-12
#endif

static uint64_t seed = 1;
static ct_real rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (ct_real)((double)(seed >> 11) / 9007199254740992.0 * 2 - 1);
}
/* coarse: many equal coordinates, and so parallel, flat and coincident features */
static ct_real coarse(void) { return (ct_real)((int)(rnd() * 3)); }
static void fill(ct_real *x, int n, int kind)
{
    int i;
    for (i = 0; i < n; i++)
        x[i] = kind ? coarse() : rnd();
}
static cti_v3 blend(const ct_real *x, const ct_real *w, int n)
{
    cti_v3 r = cti_v3_zero();
    int i;
    for (i = 0; i < n; i++)
        r = cti_v3_mad(r, cti_v3_at(x, i), w[i]);
    return r;
}

static void test_vertex_triangle(void **state)
{
    int i, k, f, seen[7] = {0, 0, 0, 0, 0, 0, 0};
    (void)state;
    for (i = 0; i < 60000; i++) {
        ct_real x[12], w[3], d2, sum = 0;
        cti_v3 c, r;
        fill(x, 12, i & 1);
        d2 = cti_dist_pt(x, x + 3, x + 6, x + 9, w, &f);
        assert_in_range(f, 0, 6);
        seen[f]++;
        for (k = 0; k < 3; k++) {
            assert_true(w[k] >= 0);
            sum += w[k];
            /* features: which weights are zero */
            if (f < 3)
                assert_true((w[k] > 0) == (k == f));
            else if (f < 6)
                assert_true((w[k] > 0) == (k == f - 3 || k == (f - 2) % 3));
        }
        assert_true(cti_abs(sum - 1) < TOL);
        c = blend(x + 3, w, 3);
        r = cti_v3_sub(c, cti_v3_at(x, 0));
        assert_true(cti_abs(cti_v3_norm2(r) - d2) < 10 * TOL);
        /* (c - p).(y - c) >= 0 for every y of the triangle */
        for (k = 0; k < 3; k++)
            assert_true(cti_v3_dot(r, cti_v3_sub(cti_v3_at(x, 1 + k), c)) > -50 * TOL);
    }
    for (k = 0; k < 7; k++)
        assert_true(seen[k] > 100);
}

static void test_edge_edge(void **state)
{
    int i, k, f, seen[16];
    (void)state;
    memset(seen, 0, sizeof seen);
    for (i = 0; i < 60000; i++) {
        ct_real x[12], st[2], d2;
        cti_v3 a, b, r;
        fill(x, 12, i & 1);
        d2 = cti_dist_ee(x, x + 3, x + 6, x + 9, st, &f);
        assert_in_range(f, 0, 15);
        seen[f]++;
        for (k = 0; k < 2; k++) {
            assert_true(st[k] >= 0 && st[k] <= 1);
            assert_int_equal(f >> (2 * k) & 3, st[k] > 0 ? (st[k] < 1 ? 0 : 2) : 1);
        }
        a = cti_v3_mad(cti_v3_at(x, 0), cti_v3_sub(cti_v3_at(x, 1), cti_v3_at(x, 0)), st[0]);
        b = cti_v3_mad(cti_v3_at(x, 2), cti_v3_sub(cti_v3_at(x, 3), cti_v3_at(x, 2)), st[1]);
        r = cti_v3_sub(a, b);
        assert_true(cti_abs(cti_v3_norm2(r) - d2) < 10 * TOL);
        for (k = 0; k < 2; k++) {
            assert_true(cti_v3_dot(r, cti_v3_sub(cti_v3_at(x, k), a)) > -50 * TOL);
            assert_true(cti_v3_dot(r, cti_v3_sub(b, cti_v3_at(x, 2 + k))) > -50 * TOL);
        }
    }
    assert_true(seen[0] > 100);
    for (k = 1; k < 3; k++)
        assert_true(seen[k] > 100 && seen[4 * k] > 100 && seen[k | 4] > 100 && seen[k | 8] > 100);
}

static void test_vertex_edge(void **state)
{
    int i, k, f;
    (void)state;
    for (i = 0; i < 30000; i++) {
        ct_real x[9], t, d2;
        cti_v3 c, r;
        fill(x, 9, i & 1);
        d2 = cti_dist_pe(x, x + 3, x + 6, &t, &f);
        assert_int_equal(f, t > 0 ? (t < 1 ? 2 : 1) : 0);
        c = cti_v3_mad(cti_v3_at(x, 1), cti_v3_sub(cti_v3_at(x, 2), cti_v3_at(x, 1)), t);
        r = cti_v3_sub(c, cti_v3_at(x, 0));
        assert_true(cti_abs(cti_v3_norm2(r) - d2) < 10 * TOL);
        for (k = 1; k < 3; k++)
            assert_true(cti_v3_dot(r, cti_v3_sub(cti_v3_at(x, k), c)) > -50 * TOL);
    }
}

/* nearly parallel edges that cross at a distance of 1 are found, although their angle is 1e-6 */
static void test_small_angle(void **state)
{
    ct_real e = sizeof(ct_real) == 8 ? CTI_R(1e-6) : CTI_R(1e-3), x[12], st[2], d2;
    int f;
    (void)state;
    memset(x, 0, sizeof x);
    x[0] = -1, x[1] = -e, x[3] = 1, x[4] = e;
    x[6] = -1, x[7] = e, x[8] = 1, x[9] = 1, x[10] = -e, x[11] = 1;
    d2 = cti_dist_ee(x, x + 3, x + 6, x + 9, st, &f);
    assert_true(cti_abs(d2 - 1) < TOL);
    assert_true(cti_abs(st[0] - CTI_R(0.5)) < CTI_R(1e-3) && cti_abs(st[1] - CTI_R(0.5)) < CTI_R(1e-3));
    assert_int_equal(f, 0);
}

static void test_batch(void **state)
{
    static ct_real x[3 * 500], d2[1003], w[3 * 1003];
    static int32_t quads[4 * 1003], feature[1003];
    int i, k, f, count, kind;
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        fill(x, 1500, kind);
        for (i = 0; i < 4 * 1003; i++)
            quads[i] = (int32_t)((rnd() + 1) * CTI_R(249.9));
        for (count = 1; count <= 1003; count += 334) {
            cti_dist_batch(CT_PAIR_VF, x, quads, count, d2, w, feature);
            for (i = 0; i < count; i++) {
                const int32_t *q = quads + 4 * i;
                ct_real v[3], d = cti_dist_pt(x + 3 * q[0], x + 3 * q[1], x + 3 * q[2], x + 3 * q[3], v, &f);
                assert_true(d == d2[i]);
                assert_int_equal(f, feature[i]);
                for (k = 0; k < 3; k++)
                    assert_true(v[k] == w[3 * i + k]);
            }
            cti_dist_batch(CT_PAIR_EE, x, quads, count, d2, w, feature);
            for (i = 0; i < count; i++) {
                const int32_t *q = quads + 4 * i;
                ct_real v[2], d = cti_dist_ee(x + 3 * q[0], x + 3 * q[1], x + 3 * q[2], x + 3 * q[3], v, &f);
                assert_true(d == d2[i]);
                assert_int_equal(f, feature[i]);
                assert_true(v[0] == w[2 * i] && v[1] == w[2 * i + 1]);
            }
        }
    }
}

typedef ct_real (*derivative)(const ct_real *, ct_real *, ct_real *);

/* central differences of value and gradient; a point whose closest feature changes within the stencil is left out */
static void check_derivatives(derivative fun, int n, int *feature_of(const ct_real *), int samples)
{
    ct_real h = sizeof(ct_real) == 8 ? CTI_R(1e-5) : CTI_R(1e-2), x[12], g[12], H[144], a[12], b[12], va, vb, value;
    double tol = sizeof(ct_real) == 8 ? 1e-6 : 5e-2;
    int i, j, k, used = 0;
    for (i = 0; i < samples; i++) {
        int same = 1, f;
        fill(x, n, 0);
        f = *feature_of(x);
        for (j = 0; j < n; j++) {
            ct_real keep = x[j];
            for (k = -1; k < 2; k += 2) {
                x[j] = keep + (ct_real)(2 * k) * h;
                same &= *feature_of(x) == f;
            }
            x[j] = keep;
        }
        value = fun(x, g, H);
        if (!same || value < CTI_R(0.01))
            continue;
        used++;
        for (j = 0; j < n; j++) {
            ct_real keep = x[j], scale = 0;
            x[j] = keep + h, va = fun(x, a, NULL);
            x[j] = keep - h, vb = fun(x, b, NULL);
            x[j] = keep;
            assert_true(cti_abs((va - vb) / (2 * h) - g[j]) < tol * 10);
            for (k = 0; k < n; k++)
                scale = cti_max(scale, cti_abs(H[n * j + k]));
            /* near degenerate features the curvature is so large that difference quotients do not converge */
            for (k = 0; k < n && scale < 20; k++) {
                assert_true(cti_abs((a[k] - b[k]) / (2 * h) - H[n * j + k]) < 100 * tol * (1 + scale));
                assert_true(cti_abs(H[n * j + k] - H[n * k + j]) <= (ct_real)1e-4 * (1 + scale));
            }
        }
        /* a translation of everything changes nothing */
        for (k = 0; k < 3; k++) {
            ct_real sum = 0;
            for (j = k; j < n; j += 3)
                sum += g[j];
            assert_true(cti_abs(sum) < 50 * TOL);
        }
    }
    assert_true(used > samples / 3);
}

static int the_feature;
static int *ee_feature(const ct_real *x)
{
    ct_real st[2];
    cti_dist_ee(x, x + 3, x + 6, x + 9, st, &the_feature);
    return &the_feature;
}

static void test_derivatives(void **state)
{
    ct_real a[3] = {0, 1, 2}, b[3] = {1, 3, 4};
    (void)state;
    check_derivatives(cti_dist_ee_grad, 12, ee_feature, 1000);
    assert_true(cti_dist_pp(a, b) == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vertex_triangle), cmocka_unit_test(test_edge_edge),
                                       cmocka_unit_test(test_vertex_edge),     cmocka_unit_test(test_small_angle),
                                       cmocka_unit_test(test_batch),           cmocka_unit_test(test_derivatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
