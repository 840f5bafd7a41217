/* test_mesh.c -- boundary of tet meshes and surface topology against counting by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../src/5_mesh/mesh.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boundary_single),  cmocka_unit_test(test_boundary_random), cmocka_unit_test(test_topology_tetrahedron),
        cmocka_unit_test(test_topology_awkward), cmocka_unit_test(test_topology_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
