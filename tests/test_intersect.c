/* test_intersect.c -- edge-triangle, edge-edge and containment tests on small integers against convex combination by hand; whole surfaces
   against all pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../src/4_geom/intersect.h"
#include "../src/5_mesh/mesh.h"
#include "../src/5_mesh/pairs.h"

static uint32_t test_seed = 5;
static int test_random(int n)
{
    test_seed = test_seed * 1664525u + 1013904223u;
    return (int)((test_seed >> 8) % (uint32_t)n);
}

typedef struct test_point {
    long long x, y, z;
} test_point;

static test_point test_cross(test_point a, test_point b)
{
    test_point c;
    c.x = a.y * b.z - a.z * b.y, c.y = a.z * b.x - a.x * b.z, c.z = a.x * b.y - a.y * b.x;
    return c;
}
static long long test_dot(test_point a, test_point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static int test_sign(long long x) { return (x > 0) - (x < 0); }
static int test_null(test_point a) { return a.x == 0 && a.y == 0 && a.z == 0; }

/* 0 in the hull of n points, by Caratheodory: in a point, a segment, a triangle or a tet of them. */
static int test_hull(const test_point *p, int n)
{
    int i, j, k, m;
    for (i = 0; i < n; i++) {
        if (test_null(p[i]))
            return 1;
        for (j = i + 1; j < n; j++) {
            if (test_null(test_cross(p[i], p[j])) && test_dot(p[i], p[j]) < 0)
                return 1;
            for (k = j + 1; k < n; k++) {
                test_point a = test_cross(p[i], p[j]), b = test_cross(p[j], p[k]), c = test_cross(p[k], p[i]);
                if (test_dot(a, p[k]) == 0 && test_dot(a, b) > 0 && test_dot(b, c) > 0 && test_dot(a, c) > 0)
                    return 1;
                for (m = k + 1; m < n; m++) {
                    int s = test_sign(test_dot(a, p[k])), t = test_sign(test_dot(test_cross(p[i], p[m]), p[j]));
                    int u = test_sign(test_dot(test_cross(p[i], p[k]), p[m])), v = test_sign(test_dot(test_cross(p[j], p[m]), p[k]));
                    if (s != 0 && s == t && s == u && s == v)
                        return 1;
                }
            }
        }
    }
    return 0;
}

static void test_reals(ct_real *x, const test_point *p, int n, ct_real scale)
{
    int i;
    for (i = 0; i < n; i++)
        x[3 * i] = scale * (ct_real)p[i].x, x[3 * i + 1] = scale * (ct_real)p[i].y, x[3 * i + 2] = scale * (ct_real)p[i].z;
}

static test_point test_lattice(int size)
{
    test_point p;
    p.x = test_random(size), p.y = test_random(size), p.z = test_random(size);
    return p;
}

static void test_minkowski(const test_point *a, int na, const test_point *b, int nb, test_point *d)
{
    int i, j;
    for (i = 0; i < na; i++)
        for (j = 0; j < nb; j++) {
            d[nb * i + j].x = a[i].x - b[j].x;
            d[nb * i + j].y = a[i].y - b[j].y;
            d[nb * i + j].z = a[i].z - b[j].z;
        }
}

static void test_edge_triangle(void **state)
{
    int i, kinds[3] = {0, 0, 0};
    CTI_UNUSED(state);
    for (i = 0; i < 400000; i++) {
        int size = 2 + i % 5, k, got, want, turned;
        test_point p[5], d[6];
        ct_real x[15];
        for (k = 0; k < 5; k++)
            p[k] = test_lattice(size);
        test_minkowski(p, 2, p + 2, 3, d);
        want = test_hull(d, 6);
        test_reals(x, p, 5, CTI_R(0.1));
        /* multiples of 0.1 are rounded: only exact ones keep flat features flat */
        if (i & 1)
            test_reals(x, p, 5, CTI_R(0.125));
        got = cti_intersect_edge_triangle(x, x + 3, x + 6, x + 9, x + 12);
        turned = cti_intersect_edge_triangle(x + 3, x, x + 12, x + 9, x + 6);
        assert_int_equal(got, turned);
        if (!(i & 1))
            continue;
        if ((got != 0) != want)
            fail_msg("(%lld %lld %lld) (%lld %lld %lld) against (%lld %lld %lld) (%lld %lld %lld) (%lld %lld %lld): %d, not %d", p[0].x,
                     p[0].y, p[0].z, p[1].x, p[1].y, p[1].z, p[2].x, p[2].y, p[2].z, p[3].x, p[3].y, p[3].z, p[4].x, p[4].y, p[4].z, got,
                     want);
        /* proper crossings remain when the triangle shrinks a little, some touches do not: both are counted */
        kinds[got]++;
        if (got == 1) {
            test_point e0, e1;
            long long s0, s1;
            e0.x = p[3].x - p[2].x, e0.y = p[3].y - p[2].y, e0.z = p[3].z - p[2].z;
            e1.x = p[4].x - p[2].x, e1.y = p[4].y - p[2].y, e1.z = p[4].z - p[2].z;
            s0 = test_dot(test_cross(e0, e1), d[0]), s1 = test_dot(test_cross(e0, e1), d[3]);
            assert_true((s0 > 0 && s1 < 0) || (s0 < 0 && s1 > 0));
        }
    }
    assert_true(kinds[0] > 100 && kinds[1] > 100 && kinds[2] > 100);
}

static void test_edge_edge(void **state)
{
    int i, hits = 0;
    CTI_UNUSED(state);
    for (i = 0; i < 300000; i++) {
        test_point p[4], d[4];
        ct_real x[12];
        double y[12];
        int k, want;
        for (k = 0; k < 4; k++)
            p[k] = test_lattice(2 + i % 4);
        test_minkowski(p, 2, p + 2, 2, d);
        want = test_hull(d, 4);
        test_reals(x, p, 4, CTI_R(0.25));
        for (k = 0; k < 12; k++)
            y[k] = (double)x[k];
        assert_int_equal(cti_intersect_segments(y, y + 3, y + 6, y + 9), want);
        hits += want;
    }
    assert_true(hits > 1000);
}

/* a point slightly above, on and below a slanted triangle */
static void test_hair(void **state)
{
    ct_real t[9] = {0, 0, 0, 1, 0, CTI_R(0.3), 0, 1, CTI_R(0.7)}, p[6] = {CTI_R(0.25), CTI_R(0.25), 1, CTI_R(0.25), CTI_R(0.25), 0};
    ct_real z = CTI_R(0.25) * CTI_R(0.3) + CTI_R(0.25) * CTI_R(0.7);
    int k, first = 100, last = -100;
    CTI_UNUSED(state);
    for (k = -8; k <= 8; k++) {
        int hit;
        p[5] = z + (ct_real)k * CTI_EPS / 8;
        hit = cti_intersect_edge_triangle(p, p + 3, t, t + 3, t + 6) != 0;
        if (hit)
            last = k;
        else if (first == 100)
            first = k;
    }
    /* below it the edge crosses, above it does not, and there is one change */
    assert_true(last >= -8 && first <= 8 && first == last + 1);
}

/* ---- containment ---- */

static void test_contains_box(void **state)
{
    static const ct_real size[3] = {2, 4, 6};
    static const int cells[3] = {2, 2, 3};
    ct_mesh m;
    int x, y, z;
    CTI_UNUSED(state);
    assert_int_equal(ct_mesh_box(size, cells, 0, &m, NULL), CT_OK);
    for (x = -4; x <= 4; x++)
        for (y = -6; y <= 6; y++)
            for (z = -8; z <= 8; z++) {
                ct_real p[3];
                int in = abs(x) < 2 && abs(y) < 4 && abs(z)<6, out = abs(x)> 2 || abs(y) > 4 || abs(z) > 6;
                p[0] = CTI_R(0.5) * (ct_real)x, p[1] = CTI_R(0.5) * (ct_real)y, p[2] = CTI_R(0.5) * (ct_real)z;
                assert_int_equal(cti_intersect_contains(m.triangles, m.n_triangles, m.positions, p), in ? 1 : (out ? 0 : 2));
            }
    ct_mesh_free(&m);
}

static int test_in_tet(const ct_real *x, const int32_t *t, const ct_real *p)
{
    double q[5][3];
    int k, c;
    for (k = 0; k < 5; k++)
        for (c = 0; c < 3; c++)
            q[k][c] = (double)(k < 4 ? x[3 * t[k] + c] : p[c]);
    return cti_exact_orient3d(q[0], q[1], q[2], q[4]) >= 0 && cti_exact_orient3d(q[0], q[3], q[1], q[4]) >= 0 &&
           cti_exact_orient3d(q[1], q[3], q[2], q[4]) >= 0 && cti_exact_orient3d(q[0], q[2], q[3], q[4]) >= 0;
}

/* Random sets of lattice tets: their boundary has hollows, pinched edges and vertices; points on the half lattice. */
static void test_contains_random(void **state)
{
    static const ct_real size[3] = {3, 3, 3};
    static const int cells[3] = {3, 3, 3};
    int round, counts[3] = {0, 0, 0};
    CTI_UNUSED(state);
    for (round = 0; round < 40; round++) {
        ct_mesh m;
        cti_mem mem;
        int32_t *tets = NULL, *tri = NULL;
        int i, k, n;
        cti_mem_init(&mem, NULL);
        assert_int_equal(ct_mesh_box(size, cells, 1, &m, NULL), CT_OK);
        for (i = 0; i < m.n_tets; i++)
            if (test_random(4) > 0)
                for (k = 0; k < 4; k++)
                    assert_true(CTI_PUSH(&mem, tets, m.tets[4 * i + k]));
        n = CTI_LEN(tets) / 4;
        assert_true(cti_mesh_boundary(&mem, tets, n, m.n_positions, &tri));
        for (i = 0; i < 200; i++) {
            ct_real p[3];
            int got, want = 0;
            for (k = 0; k < 3; k++)
                p[k] = CTI_R(0.25) * (ct_real)(test_random(15) - 7);
            for (k = 0; k < n && !want; k++)
                want = test_in_tet(m.positions, tets + 4 * k, p);
            for (k = 0; k < CTI_LEN(tri) / 3; k++)
                if (cti_intersect_edge_triangle(p, p, m.positions + 3 * tri[3 * k], m.positions + 3 * tri[3 * k + 1],
                                                m.positions + 3 * tri[3 * k + 2]))
                    want = 2;
            got = cti_intersect_contains(tri, CTI_LEN(tri) / 3, m.positions, p);
            assert_int_equal(got, want);
            counts[got]++;
        }
        CTI_FREE(&mem, tets);
        CTI_FREE(&mem, tri);
        ct_mesh_free(&m);
    }
    assert_true(counts[0] > 100 && counts[1] > 100 && counts[2] > 100);
}

/* ---- whole surfaces ---- */

static int test_all_pairs(const ct_mesh *m, const int32_t *pairs, int n)
{
    cti_topology t;
    cti_mem mem;
    int e, f, k, j, count = 0;
    cti_mem_init(&mem, NULL);
    memset(&t, 0, sizeof t);
    assert_true(cti_topology_build(&mem, &t, m->n_positions, m->triangles, m->n_triangles, NULL, 0));
    for (e = 0; e < t.n_edges; e++)
        for (f = 0; f < m->n_triangles; f++) {
            int shared = 0, found = 0;
            const int32_t *a = t.edges + 2 * e, *b = m->triangles + 3 * f;
            const ct_real *x = m->positions;
            for (k = 0; k < 3; k++)
                shared |= b[k] == a[0] || b[k] == a[1];
            if (shared || !cti_intersect_edge_triangle(x + 3 * a[0], x + 3 * a[1], x + 3 * b[0], x + 3 * b[1], x + 3 * b[2]))
                continue;
            count++;
            for (j = 0; j < n; j++)
                found |= pairs[2 * j] == t.edge_owner[e] && pairs[2 * j + 1] == f;
            assert_true(found);
        }
    cti_topology_free(&mem, &t);
    return count;
}

static void test_surfaces(void **state)
{
    ct_mesh a, b;
    int round, i, n;
    int32_t *pairs;
    ct_error_info error;
    CTI_UNUSED(state);
    for (round = 0; round < 8; round++) {
        assert_int_equal(ct_mesh_sphere(1, 2, &a, NULL), CT_OK);
        assert_int_equal(ct_mesh_sphere(CTI_R(0.75), 1, &b, NULL), CT_OK);
        /* both in one mesh, the second moved from far away to the inside; then crumpled */
        {
            cti_mem mem;
            int nv = a.n_positions;
            cti_mem_init(&mem, NULL);
            for (i = 0; i < 3 * b.n_positions; i++)
                assert_true(CTI_PUSH(&mem, a.positions, b.positions[i] + (i % 3 == 0 ? CTI_R(0.4) * (ct_real)(5 - round) : CTI_R(0.01))));
            for (i = 0; i < 3 * b.n_triangles; i++)
                assert_true(CTI_PUSH(&mem, a.triangles, (int32_t)(b.triangles[i] + nv)));
            a.n_positions += b.n_positions, a.n_triangles += b.n_triangles;
            if (round == 7)
                for (i = 0; i < 3 * a.n_positions; i++)
                    a.positions[i] += CTI_R(0.001) * (ct_real)(test_random(400) - 200);
        }
        assert_int_equal(ct_mesh_intersections(&a, &pairs, &n, &error), CT_OK);
        assert_int_equal(test_all_pairs(&a, pairs, n), n);
        assert_int_equal(n == 0, round == 0 || round == 5);
        ct_free(pairs);
        ct_mesh_free(&a);
        ct_mesh_free(&b);
    }
    /* errors */
    memset(&a, 0, sizeof a);
    assert_int_equal(ct_mesh_intersections(NULL, &pairs, &n, &error), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_intersections(&a, &pairs, &n, NULL), CT_OK);
    assert_int_equal(n, 0);
    ct_free(pairs);
    assert_int_equal(ct_mesh_sphere(1, 0, &a, NULL), CT_OK);
    a.triangles[7] = 12;
    assert_int_equal(ct_mesh_intersections(&a, &pairs, &n, &error), CT_ERR_MESH);
    assert_int_equal(error.element, 2);
    ct_mesh_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_triangle), cmocka_unit_test(test_edge_edge),       cmocka_unit_test(test_hair),
        cmocka_unit_test(test_contains_box),  cmocka_unit_test(test_contains_random), cmocka_unit_test(test_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
