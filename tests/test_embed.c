/* test_embed.c -- points in tets against brute force over all tets, inside and outside, and failing memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../src/4_geom/dist.h"
#include "../src/5_mesh/embed.h"

static uint32_t test_seed = 5;
static uint32_t test_next(void)
{
    test_seed = test_seed * 1664525u + 1013904223u;
    return test_seed >> 8;
}
static double test_between(double a, double b) { return a + (b - a) * ((double)(test_next() % 1000003u) / 1000003.0); }

/* Weights by Cramer's rule in long double; the least of them. */
static double test_weights(const ct_mesh *m, int t, const ct_real *p, double w[4])
{
    long double e[4][3], d[4];
    const int32_t *v = m->tets + 4 * t;
    double least = 1e300;
    int k, j;
    /* w_k = volume with p in place of corner k, over the volume */
    long double all = 0;
    for (k = -1; k < 4; k++) {
        long double det;
        for (j = 0; j < 4; j++) {
            int i;
            for (i = 0; i < 3; i++)
                e[j][i] = j == k ? (long double)p[i] : (long double)m->positions[3 * v[j] + i];
        }
        for (j = 1; j < 4; j++) {
            int i;
            for (i = 0; i < 3; i++)
                e[j][i] -= e[0][i];
        }
        det = e[1][0] * (e[2][1] * e[3][2] - e[2][2] * e[3][1]) - e[1][1] * (e[2][0] * e[3][2] - e[2][2] * e[3][0]) +
              e[1][2] * (e[2][0] * e[3][1] - e[2][1] * e[3][0]);
        if (k < 0)
            all = det;
        else
            d[k] = det;
    }
    for (k = 0; k < 4; k++) {
        w[k] = (double)(d[k] / all);
        least = w[k] < least ? w[k] : least;
    }
    return least;
}

static double test_distance(const ct_mesh *m, int t, const ct_real *p)
{
    const int32_t *v = m->tets + 4 * t;
    double best = 1e300;
    int k, feature;
    ct_real w[3];
    for (k = 0; k < 4; k++) {
        double d = (double)cti_dist_pt(p, m->positions + 3 * v[k], m->positions + 3 * v[(k + 1) % 4], m->positions + 3 * v[(k + 2) % 4], w,
                                       &feature);
        best = d < best ? d : best;
    }
    return sqrt(best);
}

static ct_mesh test_box(int n)
{
    ct_real size[3] = {1, CTI_R(0.7), CTI_R(1.3)};
    int cells[3], i;
    ct_mesh m;
    cells[0] = n, cells[1] = n + 1, cells[2] = cti_max_int(1, n - 1);
    assert_int_equal(ct_mesh_box(size, cells, 1, &m, NULL), CT_OK);
    for (i = 0; i < 3 * m.n_positions; i++)
        m.positions[i] += (ct_real)test_between(-0.08, 0.08) / (ct_real)n;
    return m;
}

/* every point against every tet */
static void test_against_brute_force(void **state)
{
    enum { N = 300 };
    ct_real p[3 * N], w[4 * N];
    int32_t tet[N];
    uint8_t outside[N];
    cti_mem mem;
    int round, i, k, t, n_out, seen[2] = {0, 0};
    const double tolerance = CONTACT_REAL == 32 ? 2e-4 : 1e-9;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    for (round = 0; round < 12; round++) {
        ct_mesh m = test_box(1 + round % 6);
        double far = round % 3 == 0 ? 0.5 : (round % 3 == 1 ? 0.8 : 20);
        /* tets that are left out make holes */
        for (i = 0; round % 4 == 3 && i + 9 < m.n_tets; i += 7)
            memcpy(m.tets + 4 * i, m.tets + 4 * --m.n_tets, 4 * sizeof *m.tets);
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++)
                p[3 * i + k] = (ct_real)test_between(-far, far);
        /* some on nodes and on faces */
        for (i = 0; i < 20; i++)
            for (k = 0; k < 3; k++) {
                int32_t a = m.tets[i % m.n_tets * 4], b = m.tets[i % m.n_tets * 4 + 1];
                p[3 * i + k] = i % 2 ? m.positions[3 * a + k] : (m.positions[3 * a + k] + m.positions[3 * b + k]) / 2;
            }
        assert_true(cti_embed(&mem, &m, p, N, tet, w, outside, &n_out));
        for (i = 0; i < N; i++) {
            double best = -1e300, mine, ours, nearest = 1e300, ref[4], sum = 0;
            n_out -= outside[i];
            assert_true(tet[i] >= 0 && tet[i] < m.n_tets);
            for (t = 0; t < m.n_tets; t++) {
                double least = test_weights(&m, t, p + 3 * i, ref);
                best = least > best ? least : best;
            }
            mine = test_weights(&m, tet[i], p + 3 * i, ref);
            seen[outside[i]]++;
            /* the weights are those of the reference, and reproduce the point */
            for (k = 0; k < 4; k++) {
                sum += (double)w[4 * i + k];
                assert_true(fabs((double)w[4 * i + k] - ref[k]) <= tolerance * (1 + fabs(ref[k])));
            }
            assert_true(fabs(sum - 1) <= 8 * (double)CTI_EPS * (1 + fabs(ref[0]) + fabs(ref[1]) + fabs(ref[2]) + fabs(ref[3])));
            for (k = 0; k < 3; k++) {
                double x = 0;
                for (t = 0; t < 4; t++)
                    x += (double)w[4 * i + t] * (double)m.positions[3 * m.tets[4 * tet[i] + t] + k];
                assert_true(fabs(x - (double)p[3 * i + k]) <= tolerance * (1 + far));
            }
            if (!outside[i]) {
                assert_true(mine >= -1.0001e-6 - 16 * (double)CTI_EPS && mine >= best - 1e-12);
                continue;
            }
            assert_true(best < -0.9999e-6);
            for (t = 0; t < m.n_tets; t++) {
                double d = test_distance(&m, t, p + 3 * i);
                nearest = d < nearest ? d : nearest;
            }
            ours = test_distance(&m, tet[i], p + 3 * i);
            assert_true(ours <= nearest * (1 + 1e-5) + 1e-6);
        }
        assert_int_equal(n_out, 0);
        ct_mesh_free(&m);
    }
    assert_true(seen[0] > 300 && seen[1] > 300);
    assert_int_equal(mem.bytes_live, 0);
}

/* A turned tet, a flat one, none at all; the first of two that lie on each other. */
static void test_special(void **state)
{
    static ct_real x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
    static int32_t tets[16] = {0, 1, 2, 4, 1, 0, 2, 3, 0, 1, 2, 3, 0, 1, 4, 2};
    static const ct_real p[6] = {CTI_R(0.25), CTI_R(0.25), CTI_R(0.25), 2, 0, 0};
    int32_t tet[2];
    ct_real w[8];
    uint8_t out[2];
    cti_mem mem;
    ct_mesh mesh;
    int n;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    memset(&mesh, 0, sizeof mesh);
    mesh.positions = x, mesh.tets = tets, mesh.n_positions = 5, mesh.n_tets = 4;
    assert_true(cti_embed(&mem, &mesh, p, 2, tet, w, out, &n));
    assert_int_equal(n, 1);
    assert_int_equal(tet[0], 1);
    assert_int_equal(tet[1], 1);
    assert_true(out[0] == 0 && out[1] == 1);
    assert_true(fabs((double)w[0] - 0.25) < 1e-6 && fabs((double)w[4] - 2) < 1e-6 && fabs((double)w[5] + 1) < 1e-6);
    /* flat tets alone: no tet holds a point */
    mesh.n_tets = 1;
    assert_true(cti_embed(&mem, &mesh, p, 2, tet, w, NULL, NULL));
    assert_true(tet[0] == -1 && tet[1] == -1 && w[0] == 0);
    mesh.n_tets = 0;
    assert_true(cti_embed(&mem, &mesh, p, 2, tet, w, NULL, &n));
    assert_true(n == 2 && tet[0] == -1);
    mesh.n_tets = 4;
    assert_true(cti_embed(&mem, &mesh, p, 0, tet, w, NULL, &n));
    assert_int_equal(n, 0);
    assert_int_equal(mem.bytes_live, 0);
}

static int test_refuse_at, test_asked;
static void *test_refuse(void *user, void *block, size_t old_size, size_t new_size)
{
    CTI_UNUSED(user);
    CTI_UNUSED(old_size);
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return test_asked++ == test_refuse_at ? NULL : realloc(block, new_size);
}

static void test_out_of_memory(void **state)
{
    ct_mesh m = test_box(2);
    ct_real p[3] = {0, 0, 0}, w[4];
    int32_t tet;
    ct_allocator refuse;
    int ended = 0, refused = 0;
    CTI_UNUSED(state);
    refuse.resize = test_refuse, refuse.user = NULL;
    for (test_refuse_at = 0; !ended; test_refuse_at++) {
        cti_mem mem;
        cti_mem_init(&mem, &refuse);
        test_asked = 0;
        ended = cti_embed(&mem, &m, p, 1, &tet, w, NULL, NULL);
        refused += !ended;
        assert_int_equal(mem.bytes_live, 0);
    }
    assert_int_equal(refused, 3);
    ct_mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_brute_force),
        cmocka_unit_test(test_special),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
