/* test_mesh.c -- boundary of tet meshes and surface topology against counting by hand; polygons and welding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../src/5_mesh/mesh.h"
#include "../src/5_mesh/polygon.h"
#include "../src/5_mesh/weld.h"
#include "../src/1_math/vec.h"

static uint32_t test_seed = 12345;
static int test_random(int n)
{
    test_seed = test_seed * 1664525u + 1013904223u;
    return (int)((test_seed >> 8) % (uint32_t)n);
}

static void test_boundary_single(void **state)
{
    static const int32_t tet[4] = {3, 1, 0, 2};
    static const ct_real x[12] = {0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0};
    cti_mem mem;
    int32_t *tri = NULL;
    int i;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    /* x3 = 0, x1 = ey, x0 = ez, x2 = ex: positive */
    assert_true(cti_mesh_boundary(&mem, tet, 1, 4, &tri));
    assert_int_equal(CTI_LEN(tri), 12);
    for (i = 0; i < 4; i++) {
        cti_v3 a = cti_v3_at(x, tri[3 * i]), b = cti_v3_at(x, tri[3 * i + 1]), c = cti_v3_at(x, tri[3 * i + 2]);
        cti_v3 mid = cti_v3_make(CTI_R(0.25), CTI_R(0.25), CTI_R(0.25));
        assert_true(cti_v3_dot(cti_v3_cross(cti_v3_sub(b, a), cti_v3_sub(c, a)), cti_v3_sub(mid, a)) < 0);
    }
    CTI_FREE(&mem, tri);
    assert_int_equal(mem.bytes_live, 0);
}

/* Random tet soups: a face is on the boundary exactly when no other tet has its three vertices. */
static void test_boundary_random(void **state)
{
    cti_mem mem;
    int round;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    for (round = 0; round < 200; round++) {
        static const int f[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
        int32_t tets[4 * 30], *tri = NULL;
        int n = 1 + test_random(30), nv = 4 + test_random(8), i, k, j, m, count = 0;
        for (i = 0; i < n; i++)
            for (k = 0; k < 4; k++) {
                int again;
                do {
                    tets[4 * i + k] = test_random(nv);
                    for (again = 0, j = 0; j < k; j++)
                        again |= tets[4 * i + j] == tets[4 * i + k];
                } while (again);
            }
        assert_true(cti_mesh_boundary(&mem, tets, n, nv, &tri));
        for (i = 0; i < n; i++)
            for (k = 0; k < 4; k++) {
                int shared = 0;
                for (j = 0; j < n; j++) {
                    int have = 0;
                    for (m = 0; m < 4; m++)
                        have += tets[4 * j + m] == tets[4 * i + f[k][0]] || tets[4 * j + m] == tets[4 * i + f[k][1]] ||
                                tets[4 * j + m] == tets[4 * i + f[k][2]];
                    shared += have == 3;
                }
                if (shared == 1) {
                    assert_true(3 * count + 2 < CTI_LEN(tri));
                    for (m = 0; m < 3; m++)
                        assert_int_equal(tri[3 * count + m], tets[4 * i + f[k][m]]);
                    count++;
                }
            }
        assert_int_equal(CTI_LEN(tri), 3 * count);
        CTI_FREE(&mem, tri);
    }
    assert_int_equal(mem.bytes_live, 0);
}

static void test_topology_tetrahedron(void **state)
{
    static const int32_t tri[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    cti_topology t;
    cti_mem mem;
    int e, f, k;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    memset(&t, 0, sizeof t);
    assert_true(cti_topology_build(&mem, &t, 5, tri, 4, NULL, 0));
    assert_int_equal(t.n_edges, 6);
    assert_true(t.closed);
    for (e = 0; e < 6; e++) {
        assert_true(t.edges[2 * e] < t.edges[2 * e + 1]);
        assert_true(t.edge_faces[2 * e] < t.edge_faces[2 * e + 1]);
        assert_int_equal(t.edge_owner[e], t.edge_faces[2 * e]);
        assert_int_equal(t.edge_flags[e], 0);
        assert_int_equal(cti_topology_edge(&t, t.edges[2 * e + 1], t.edges[2 * e]), e);
    }
    assert_int_equal(cti_topology_edge(&t, 0, 4), -1);
    assert_int_equal(cti_topology_edge(&t, 0, 5), -1);
    for (f = 0; f < 4; f++)
        for (k = 0; k < 3; k++)
            assert_int_equal(t.face_edges[3 * f + k], cti_topology_edge(&t, tri[3 * f + k], tri[3 * f + (k + 1) % 3]));
    assert_int_equal(t.vertex_owner[0], 0);
    assert_int_equal(t.vertex_owner[3], 1);
    assert_int_equal(t.vertex_owner[4], -1);
    assert_int_equal(t.vertex_is_point[4], 1);
    assert_int_equal(t.vertex_is_point[3], 0);
    /* with one face turned, edges between two faces become twisted */
    {
        static const int32_t turned[12] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 0, 3, 2};
        assert_true(cti_topology_build(&mem, &t, 4, turned, 4, NULL, 0));
        assert_false(t.closed);
        assert_int_equal(t.n_twisted, 3);
    }
    cti_topology_free(&mem, &t);
    assert_int_equal(mem.bytes_live, 0);
}

static void test_topology_awkward(void **state)
{
    /* three faces on edge 01, a degenerate face, a segment of its own, a segment on a face edge, a single vertex 7 */
    static const int32_t tri[12] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 5, 5, 2};
    static const int32_t seg[6] = {6, 5, 2, 0, 3, 3};
    cti_topology t;
    cti_mem mem;
    int e;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    memset(&t, 0, sizeof t);
    assert_true(cti_topology_build(&mem, &t, 8, tri, 4, seg, 3));
    e = cti_topology_edge(&t, 0, 1);
    assert_true(e >= 0);
    assert_int_equal(t.edge_flags[e], CTI_EDGE_NONMANIFOLD);
    assert_int_equal(t.edge_faces[2 * e], 0);
    assert_int_equal(t.edge_faces[2 * e + 1], 1);
    e = cti_topology_edge(&t, 5, 6);
    assert_int_equal(t.edge_flags[e], CTI_EDGE_LOOSE | CTI_EDGE_SEGMENT);
    assert_int_equal(t.edge_owner[e], -1);
    e = cti_topology_edge(&t, 0, 2);
    assert_int_equal(t.edge_flags[e], CTI_EDGE_BOUNDARY | CTI_EDGE_SEGMENT);
    e = cti_topology_edge(&t, 2, 5);
    assert_int_equal(t.edge_flags[e], CTI_EDGE_BOUNDARY);
    assert_int_equal(t.face_edges[9], -1);
    assert_int_equal(t.n_degenerate, 1);
    assert_int_equal(t.n_nonmanifold, 1);
    assert_int_equal(t.n_loose, 1);
    assert_int_equal(t.vertex_is_point[7], 1);
    assert_int_equal(t.vertex_is_point[6], 0);
    assert_int_equal(t.vertex_owner[6], -1);
    assert_false(t.closed);
    /* an empty mesh */
    assert_true(cti_topology_build(&mem, &t, 0, NULL, 0, NULL, 0));
    assert_int_equal(t.n_edges, 0);
    assert_false(t.closed);
    cti_topology_free(&mem, &t);
    assert_int_equal(mem.bytes_live, 0);
}

/* Random triangle soups against counting. */
static void test_topology_random(void **state)
{
    cti_topology t;
    cti_mem mem;
    int round;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    memset(&t, 0, sizeof t);
    for (round = 0; round < 200; round++) {
        int32_t tri[3 * 40];
        int n = test_random(41), nv = 3 + test_random(12), i, k, a, b, edges = 0;
        for (i = 0; i < 3 * n; i++)
            tri[i] = test_random(nv);
        assert_true(cti_topology_build(&mem, &t, nv, tri, n, NULL, 0));
        for (a = 0; a < nv; a++)
            for (b = a + 1; b < nv; b++) {
                int faces = 0, first = -1, e = cti_topology_edge(&t, a, b);
                for (i = 0; i < n; i++) {
                    int has = 0;
                    for (k = 0; k < 3; k++) {
                        int p = tri[3 * i + k], q = tri[3 * i + (k + 1) % 3];
                        has |= (p == a && q == b) || (p == b && q == a);
                    }
                    if (has && faces++ == 0)
                        first = i;
                }
                assert_int_equal(e >= 0, faces > 0);
                if (e >= 0) {
                    assert_int_equal(e, edges);
                    edges++;
                    assert_int_equal(t.edge_owner[e], first);
                    assert_int_equal((t.edge_flags[e] & CTI_EDGE_NONMANIFOLD) != 0, faces > 2);
                    assert_int_equal((t.edge_flags[e] & CTI_EDGE_BOUNDARY) != 0, faces == 1);
                }
            }
        assert_int_equal(edges, t.n_edges);
    }
    cti_topology_free(&mem, &t);
    assert_int_equal(mem.bytes_live, 0);
}

/* twice the signed area of the polygon, and of its triangles, in the xy plane */
static double test_area(const ct_real *x, const int32_t *v, int n)
{
    double a = 0;
    int i;
    for (i = 0; i < n; i++) {
        const ct_real *p = x + 3 * v[i], *q = x + 3 * v[(i + 1) % n];
        a += (double)p[0] * (double)q[1] - (double)p[1] * (double)q[0];
    }
    return a;
}

/* the polygon of corners v [n] as a fan, divided: the reason or NULL; out [3 (n - 2)] */
static const char *test_divide(const ct_real *x, const int32_t *v, int n, int32_t *out)
{
    cti_mem mem;
    int i, memory = 0;
    const char *why;
    cti_mem_init(&mem, NULL);
    for (i = 0; i + 2 < n; i++)
        out[3 * i] = v[0], out[3 * i + 1] = v[i + 1], out[3 * i + 2] = v[i + 2];
    why = cti_polygon_divide(&mem, x, out, n - 2, &memory);
    assert_int_equal(memory, 0);
    assert_int_equal(mem.bytes_live, 0);
    return why;
}

/* 1 if every triangle has a positive area and all of them have the polygon's: with no overlap, they cover it */
static int test_covers(const ct_real *x, const int32_t *v, int n, const int32_t *triangles)
{
    double sum = 0, all = test_area(x, v, n);
    int i;
    for (i = 0; i + 2 < n; i++) {
        double a = test_area(x, triangles + 3 * i, 3);
        if (!(a > 0))
            return 0;
        sum += a;
    }
    return fabs(sum - all) < 1e-5 * all;
}

/* 1 if the point is inside of a triangle, by more than rounding */
static int test_inside(const ct_real *x, const int32_t *t, double px, double py)
{
    int k, left = 0;
    for (k = 0; k < 3; k++) {
        const ct_real *p = x + 3 * t[k], *q = x + 3 * t[(k + 1) % 3];
        left += ((double)q[0] - (double)p[0]) * (py - (double)p[1]) - ((double)q[1] - (double)p[1]) * (px - (double)p[0]) > 1e-9;
    }
    return left == 3;
}

/* Stars, combs and a square with a hole that an edge joins to the outline, from every first corner: the triangles cover the polygon once.
 */
static void test_polygons(void **state)
{
    static const ct_real ring[24] = {0, 0, 0, 3, 0, 0, 3, 3, 0, 0, 3, 0, 1, 1, 0, 1, 2, 0, 2, 2, 0, 2, 1, 0};
    static const int32_t hole[10] = {0, 1, 2, 3, 0, 4, 5, 6, 7, 4};
    ct_real x[3 * 64];
    int32_t v[64], out[3 * 64], fan[3 * 64];
    int shape, n, i, k, first;
    CTI_UNUSED(state);
    for (n = 4; n <= 40; n += 2)
        for (shape = 0; shape < 3; shape++) {
            /* convex, a star, a comb with flat corners */
            for (i = 0; i < n; i++) {
                double a = 6.283185307179586 * i / n, r = shape == 1 && (i & 1) ? 0.2 : 1;
                x[3 * i] = (ct_real)(r * cos(a)), x[3 * i + 1] = (ct_real)(r * sin(a)), x[3 * i + 2] = 0;
                if (shape == 2)
                    x[3 * i] = (ct_real)(i < n / 2 ? i : n - 1 - i), x[3 * i + 1] = (ct_real)(i < n / 2 ? 0 : (i & 1) + 1);
            }
            for (first = 0; first < n; first++) {
                for (i = 0; i < n; i++)
                    v[i] = (int32_t)((i + first) % n);
                for (i = 0; i + 2 < n; i++)
                    fan[3 * i] = v[0], fan[3 * i + 1] = v[i + 1], fan[3 * i + 2] = v[i + 2];
                assert_null(test_divide(x, v, n, out));
                assert_true(test_covers(x, v, n, out));
                if (shape == 0)
                    assert_memory_equal(out, fan, 3 * sizeof *fan * (size_t)(n - 2));
            }
        }
    for (first = 0; first < 10; first++) {
        for (i = 0; i < 10; i++)
            v[i] = hole[(i + first) % 10];
        assert_null(test_divide(ring, v, 10, out));
        assert_true(test_covers(ring, v, 10, out));
        for (i = 0, k = 0; i < 8; i++)
            k += test_inside(ring, out + 3 * i, 1.5, 1.4);
        assert_int_equal(k, 0);
    }
}

/* A polygon that crosses itself is refused, one without an area or with corners in one place is not; numbers that exact signs do not take
 * are. */
static void test_polygons_odd(void **state)
{
    ct_real x[24] = {0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 2, 0, 1, 1, 0, 2, 2, 0, 3, 3, 0, 1, 1, 0};
    static const int32_t bow[4] = {0, 1, 2, 3}, line[4] = {0, 1, 5, 6}, twice[5] = {0, 2, 1, 7, 3}, spike[5] = {0, 2, 5, 2, 3};
    int32_t out[9];
    CTI_UNUSED(state);
    assert_non_null(strstr(test_divide(x, bow, 4, out), "crosses itself"));
    assert_null(test_divide(x, line, 4, out));
    assert_null(test_divide(x, twice, 5, out));
    assert_true(fabs(test_area(x, out, 3) + test_area(x, out + 3, 3) + test_area(x, out + 6, 3) - test_area(x, twice, 5)) < 1e-6);
    assert_null(test_divide(x, spike, 5, out));
    if (sizeof(ct_real) == 8) {
        x[9] = (ct_real)1e300;
        assert_non_null(strstr(test_divide(x, bow, 4, out), "out of range"));
    }
}

/* Corners stored once a face, with noise of 1e-6, at three places and scales: the box is closed again, and welding twice changes nothing.
 */
static void test_weld(void **state)
{
    const ct_real size[3] = {1, 1, 1}, far[3] = {0, 1000, -7};
    const int cells[3] = {3, 2, 4};
    int place;
    CTI_UNUSED(state);
    for (place = 0; place < 6; place++) {
        double scale = place % 3 == 0 ? 1 : (place % 3 == 1 ? 1e-3 : 100), noise = 1e-6 * scale * (place < 3) * (sizeof(ct_real) == 8);
        ct_mesh m, split;
        ct_error_info e;
        cti_topology t;
        cti_mem mem;
        ct_real *x;
        int32_t *list;
        uint32_t seed = 5;
        int i, k, merged = -1;
        cti_mem_init(&mem, NULL);
        memset(&m, 0, sizeof m), memset(&split, 0, sizeof split), memset(&t, 0, sizeof t);
        assert_int_equal(ct_mesh_box(size, cells, 0, &m, &e), CT_OK);
        x = (ct_real *)malloc(sizeof *x * 9 * (size_t)m.n_triangles), list = (int32_t *)malloc(sizeof *list * 3 * (size_t)m.n_triangles);
        for (i = 0; i < 3 * m.n_triangles; i++) {
            list[i] = i;
            for (k = 0; k < 3; k++) {
                seed = seed * 1664525u + 1013904223u;
                x[3 * i + k] = (ct_real)(scale * ((double)m.positions[3 * m.triangles[i] + k] + (double)far[place % 3] / 8) +
                                         noise * ((double)(seed >> 8) / 16777216 - 0.5));
            }
        }
        split.positions = x, split.n_positions = 3 * m.n_triangles, split.triangles = list, split.n_triangles = m.n_triangles;
        assert_int_equal(ct_mesh_weld(&split, (ct_real)(4 * noise), &merged, &e), CT_OK);
        assert_int_equal(split.n_positions, m.n_positions);
        assert_int_equal(split.n_triangles, m.n_triangles);
        assert_int_equal(merged, 3 * m.n_triangles - m.n_positions);
        assert_int_equal(cti_topology_build(&mem, &t, split.n_positions, split.triangles, split.n_triangles, NULL, 0), 1);
        assert_int_equal(t.closed, 1);
        cti_topology_free(&mem, &t);
        assert_int_equal(ct_mesh_weld(&split, (ct_real)(4 * noise), &merged, &e), CT_OK);
        assert_int_equal(merged, 0);
        /* all in one place: nothing is left but a vertex */
        assert_int_equal(ct_mesh_weld(&split, (ct_real)(10 * scale), &merged, NULL), CT_OK);
        assert_true(split.n_positions == 1 && split.n_triangles == 0 && merged == m.n_positions - 1);
        free(x), free(list), ct_mesh_free(&m);
    }
}

/* Against brute force at distances that are ties, too: the nearest of the kept ones, the first where two are as near. */
static void test_weld_random(void **state)
{
    ct_real x[3 * 300];
    int32_t map[300], want[300];
    double distance[4] = {0, 0.25, 0.5, 1.5};
    cti_mem mem;
    uint32_t seed = 11;
    int turn, i, j, k, kept;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    for (turn = 0; turn < 4; turn++) {
        for (i = 0; i < 900; i++)
            seed = seed * 1664525u + 1013904223u, x[i] = (ct_real)0.25 * (ct_real)(seed >> 28);
        for (i = 0, kept = 0; i < 300; i++) {
            double best = distance[turn] * distance[turn];
            want[i] = -1;
            for (j = 0; j < i; j++) {
                double square = 0;
                for (k = 0; k < 3; k++)
                    square += (double)(x[3 * i + k] - x[3 * j + k]) * (double)(x[3 * i + k] - x[3 * j + k]);
                /* j is kept if no earlier vertex has its number */
                for (k = 0; k < j && want[k] != want[j]; k++) {
                }
                if (k == j && (square < best || (square <= best && want[i] < 0)))
                    best = square, want[i] = want[j];
            }
            if (want[i] < 0)
                want[i] = (int32_t)kept++;
        }
        assert_int_equal(cti_weld_map(&mem, x, 300, distance[turn], map), kept);
        assert_memory_equal(map, want, sizeof want);
    }
}

static void test_weld_refused(void **state)
{
    ct_real x[6] = {0, 0, 0, 1, 0, 0}, far = sizeof(ct_real) == 8 ? (ct_real)1e300 : (ct_real)3e38;
    int32_t segments[2] = {0, 1};
    ct_mesh m;
    ct_error_info e;
    CTI_UNUSED(state);
    memset(&m, 0, sizeof m);
    m.positions = x, m.n_positions = 2, m.segments = segments, m.n_segments = 1;
    assert_int_equal(ct_mesh_weld(NULL, 0, NULL, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_weld(&m, -1, NULL, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_weld(&m, (ct_real)NAN, NULL, NULL), CT_ERR_ARGUMENT);
    segments[1] = 2;
    assert_int_equal(ct_mesh_weld(&m, 0, NULL, &e), CT_ERR_MESH);
    segments[1] = 1, x[4] = far;
    assert_int_equal(ct_mesh_weld(&m, 1, NULL, &e), sizeof(ct_real) == 8 ? CT_ERR_MESH : CT_OK);
    x[4] = (ct_real)NAN;
    assert_int_equal(ct_mesh_weld(&m, 1, NULL, &e), CT_ERR_MESH);
    assert_int_equal(e.element, 1);
    m.n_positions = m.n_segments = 0;
    assert_int_equal(ct_mesh_weld(&m, 1, NULL, &e), CT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polygons),        cmocka_unit_test(test_polygons_odd),         cmocka_unit_test(test_weld),
        cmocka_unit_test(test_weld_random),     cmocka_unit_test(test_weld_refused),         cmocka_unit_test(test_boundary_single),
        cmocka_unit_test(test_boundary_random), cmocka_unit_test(test_topology_tetrahedron), cmocka_unit_test(test_topology_awkward),
        cmocka_unit_test(test_topology_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
