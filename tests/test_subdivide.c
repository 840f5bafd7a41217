/* test_subdivide.c -- subdivision for pictures: the weights sum to one and are Loop's; boundaries depend on boundaries alone; the
   constrained surface stays within its distance, and layers a thickness apart do not cross; odd meshes give finite points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <cmocka.h>

#include "../tools/subdivide.c"

void *cli_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    assert_non_null(p);
    return p;
}

static uint32_t test_state;
static double test_random(void)
{
    test_state = test_state * 1664525u + 1013904223u;
    return (double)(test_state >> 8) / (1 << 24) - 0.5;
}

#define GRID 7
#define GRID_V ((GRID + 1) * (GRID + 1))
#define GRID_T (2 * GRID * GRID)

/* a grid over the unit square with heights of size `height`; normal +y */
static void make_grid(double x[3 * GRID_V], int32_t t[3 * GRID_T], double height)
{
    int i, j, n = 0;
    for (j = 0; j <= GRID; j++)
        for (i = 0; i <= GRID; i++) {
            double *p = x + 3 * (j * (GRID + 1) + i);
            p[0] = (double)i / GRID, p[1] = height * test_random(), p[2] = (double)j / GRID;
        }
    for (j = 0; j < GRID; j++)
        for (i = 0; i < GRID; i++) {
            int32_t a = j * (GRID + 1) + i, b = a + 1, c = a + GRID + 1, d = c + 1;
            t[n++] = a, t[n++] = c, t[n++] = b;
            t[n++] = b, t[n++] = c, t[n++] = d;
        }
}

static int on_rim(const double *p) { return fmin(p[0], p[2]) < 1e-12 || fmax(p[0], p[2]) > 1 - 1e-12; }

static double apart(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Weights: a function that is 1 everywhere stays 1, and every point is an affine combination of the given ones. */
static void test_unity(void **state)
{
    double x[3 * GRID_V], one[3 * GRID_V], moved[3 * GRID_V];
    static const double m[9] = {1.5, -0.25, 0.5, 2, 1, 0, -1, 0.75, 3}, shift[3] = {3, -7, 11};
    int32_t t[3 * GRID_T];
    subdivision a, b, c;
    int i, k, j, levels;
    (void)state;
    test_state = 1;
    make_grid(x, t, 0.3);
    for (i = 0; i < GRID_V; i++)
        for (k = 0; k < 3; k++) {
            one[3 * i + k] = 1, moved[3 * i + k] = shift[k];
            for (j = 0; j < 3; j++)
                moved[3 * i + k] += m[3 * k + j] * x[3 * i + j];
        }
    for (levels = 0; levels <= 2; levels++) {
        subdivide(x, GRID_V, t, GRID_T, levels, 1, &a);
        subdivide(one, GRID_V, t, GRID_T, levels, 1, &b);
        subdivide(moved, GRID_V, t, GRID_T, levels, 1, &c);
        assert_int_equal(a.n_triangles, GRID_T << (2 * levels));
        for (i = 0; i < a.n_vertices; i++)
            for (k = 0; k < 3; k++) {
                double want = shift[k];
                for (j = 0; j < 3; j++)
                    want += m[3 * k + j] * a.smooth[3 * i + j];
                assert_true(fabs(b.smooth[3 * i + k] - 1) < 1e-14 && fabs(b.positions[3 * i + k] - 1) < 1e-14);
                assert_true(fabs(c.smooth[3 * i + k] - want) < 1e-12);
            }
        subdivide_free(&a), subdivide_free(&b), subdivide_free(&c);
    }
}

/* A fan of k triangles around vertex 0, closed by an outer ring, so that its inner edges are inner: the stencils one by one. */
static void test_stencils(void **state)
{
    int k, i, j;
    (void)state;
    for (k = 3; k <= 9; k++) {
        /* vertices: 0, ring 1..k, outer ring k + 1 .. 2 k */
        double x[3 * 19], beta = (0.625 - pow(0.375 + 0.25 * cos(2 * acos(-1.0) / k), 2)) / k, weights = 0;
        int32_t t[3 * 27];
        int n = 0, v = 2 * k + 1, found = 0;
        subdivision s;
        for (i = 0; i < k; i++) {
            int32_t a = 1 + i, b = 1 + (i + 1) % k, c = 1 + k + i, d = 1 + k + (i + 1) % k;
            t[n++] = 0, t[n++] = a, t[n++] = b;
            t[n++] = a, t[n++] = c, t[n++] = b;
            t[n++] = b, t[n++] = c, t[n++] = d;
        }
        if (k == 3)
            assert_true(fabs(beta - 3.0 / 16) < 1e-15);
        if (k == 6)
            assert_true(fabs(beta - 1.0 / 16) < 1e-15);
        /* a unit value at each vertex in turn */
        for (j = 0; j < v; j++) {
            memset(x, 0, sizeof x);
            x[3 * j] = 1;
            subdivide(x, v, t, n / 3, 1, 1, &s);
            /* the middle */
            assert_true(fabs(s.smooth[0] - (j == 0 ? 1 - k * beta : (j <= k ? beta : 0))) < 1e-15);
            weights += s.smooth[0];
            /* the edge 0 - 1: its point follows the middle in the first child of the first triangle */
            i = s.triangles[1];
            assert_int_equal(s.triangles[0], 0);
            found = j == 0 || j == 1 ? 1 : (j == 2 || j == k ? 2 : 0);
            assert_true(fabs(s.smooth[3 * i] - (found == 1 ? 0.375 : (found == 2 ? 0.125 : 0))) < 1e-15);
            /* the rim: vertex k + 1 between its neighbours there */
            found = j == k + 1 ? 1 : (j == k + 2 || j == 2 * k ? 2 : 0);
            assert_true(fabs(s.smooth[3 * (k + 1)] - (found == 1 ? 0.75 : (found == 2 ? 0.125 : 0))) < 1e-15);
            subdivide_free(&s);
        }
        assert_true(fabs(weights - 1) < 1e-14);
    }
}

/* Inner vertices do not move the boundary, and new points on it are the middles of its edges. */
static void test_boundary(void **state)
{
    double x[3 * GRID_V], y[3 * GRID_V];
    int32_t t[3 * GRID_T];
    subdivision a, b, flat;
    int i, k, rim = 0;
    (void)state;
    test_state = 2;
    make_grid(x, t, 0.3);
    for (i = 0; i < GRID_V; i++)
        for (k = 0; k < 3; k++)
            y[3 * i + k] = x[3 * i + k] + (on_rim(x + 3 * i) ? 0 : 0.05 * test_random());
    subdivide(x, GRID_V, t, GRID_T, 2, 1, &a);
    subdivide(y, GRID_V, t, GRID_T, 2, 1, &b);
    subdivide(x, GRID_V, t, GRID_T, 2, 1e-15, &flat);
    for (i = 0; i < a.n_vertices; i++) {
        if (!on_rim(flat.positions + 3 * i))
            continue;
        rim++;
        for (k = 0; k < 3; k++)
            assert_true(a.smooth[3 * i + k] == b.smooth[3 * i + k]);
    }
    assert_int_equal(rim, 16 * GRID);
    subdivide_free(&a), subdivide_free(&b), subdivide_free(&flat);
}

/* Every vertex, and every point between vertices, is nearer than reach to its place on the given surface; small displacements are hardly
   shortened. */
static void test_bound(void **state)
{
    double x[3 * GRID_V], worst = 0, longest = 0;
    int32_t t[3 * GRID_T];
    int i, k, f, levels;
    (void)state;
    test_state = 3;
    make_grid(x, t, 0.5);
    for (levels = 1; levels <= 2; levels++) {
        static const double reaches[4] = {1e-4, 1e-3, 5e-3, 1e3};
        for (k = 0; k < 4; k++) {
            subdivision s, linear;
            double reach = reaches[k], edge = 0.0625 * 1.7 / GRID;
            subdivide(x, GRID_V, t, GRID_T, levels, reach, &s);
            subdivide(x, GRID_V, t, GRID_T, levels, 1e-15, &linear);
            worst = longest = 0;
            for (i = 0; i < s.n_vertices; i++) {
                double d = apart(s.positions + 3 * i, linear.positions + 3 * i), free_d = apart(s.smooth + 3 * i, linear.positions + 3 * i);
                assert_true(d < reach && d < edge && d <= free_d + 1e-14);
                worst = fmax(worst, d), longest = fmax(longest, free_d);
                if (free_d < 0.05 * fmin(reach, 0.0625 / GRID))
                    assert_true(d > 0.99 * free_d - 1e-14);
            }
            /* points do move: most of the reach is used where the free surface is far */
            assert_true(longest > 0.05 && (reach > 1e-3 || worst > 0.99 * reach));
            for (f = 0; f < s.n_triangles; f++) {
                double u = test_random() + 0.5, v = (test_random() + 0.5) * (1 - u), p[3], q[3];
                for (i = 0; i < 3; i++) {
                    const int32_t *c = s.triangles + 3 * f;
                    p[i] = (1 - u - v) * s.positions[3 * c[0] + i] + u * s.positions[3 * c[1] + i] + v * s.positions[3 * c[2] + i];
                    q[i] = (1 - u - v) * linear.positions[3 * c[0] + i] + u * linear.positions[3 * c[1] + i] +
                           v * linear.positions[3 * c[2] + i];
                }
                assert_true(apart(p, q) < reach);
            }
            subdivide_free(&s), subdivide_free(&linear);
        }
    }
}

/* triangles of a that cross triangles of b */
static int crossings(const double *xa, int va, const int32_t *ta, int na, const double *xb, int vb, const int32_t *tb, int nb)
{
    ct_mesh m;
    int32_t *pairs = NULL;
    int i, n = 0;
    memset(&m, 0, sizeof m);
    m.n_positions = va + vb, m.n_triangles = na + nb;
    m.positions = (ct_real *)cli_alloc(3 * (size_t)(va + vb), sizeof *m.positions);
    m.triangles = (int32_t *)cli_alloc(3 * (size_t)(na + nb), sizeof *m.triangles);
    for (i = 0; i < 3 * (va + vb); i++)
        m.positions[i] = (ct_real)(i < 3 * va ? xa[i] : xb[i - 3 * va]);
    for (i = 0; i < 3 * (na + nb); i++)
        m.triangles[i] = i < 3 * na ? ta[i] : tb[i - 3 * na] + va;
    assert_int_equal(ct_mesh_intersections(&m, &pairs, &n, NULL), CT_OK);
    ct_free(pairs);
    free(m.positions), free(m.triangles);
    return n;
}

/* A folded sheet above a copy of itself: the free surface of one crosses the other, the constrained surfaces stay apart. */
static void test_layers(void **state)
{
    double x[3 * GRID_V], below[3 * GRID_V], h = 0.01;
    int32_t t[3 * GRID_T];
    subdivision a, b;
    int i, levels;
    (void)state;
    test_state = 4;
    make_grid(x, t, 0);
    for (i = 0; i < GRID_V; i++) {
        x[3 * i + 1] = (i % (GRID + 1)) % 2 ? 0.9 / GRID : 0;
        memcpy(below + 3 * i, x + 3 * i, 3 * sizeof *x);
        below[3 * i + 1] -= h;
    }
    for (levels = 1; levels <= 2; levels++) {
        subdivide(x, GRID_V, t, GRID_T, levels, 0.25 * h, &a);
        subdivide(below, GRID_V, t, GRID_T, levels, 0.25 * h, &b);
        assert_true(crossings(a.smooth, a.n_vertices, a.triangles, a.n_triangles, below, GRID_V, t, GRID_T) > 0);
        assert_int_equal(crossings(a.positions, a.n_vertices, a.triangles, a.n_triangles, below, GRID_V, t, GRID_T), 0);
        assert_int_equal(crossings(x, GRID_V, t, GRID_T, b.positions, b.n_vertices, b.triangles, b.n_triangles), 0);
        assert_int_equal(
            crossings(a.positions, a.n_vertices, a.triangles, a.n_triangles, b.positions, b.n_vertices, b.triangles, b.n_triangles), 0);
        subdivide_free(&a), subdivide_free(&b);
    }
}

/* Triangles keep their side, and the marked edges are those of the given surface. */
static void test_topology(void **state)
{
    double x[3 * GRID_V];
    int32_t t[3 * GRID_T];
    int f, k, levels, n;
    (void)state;
    make_grid(x, t, 0);
    for (levels = 0; levels <= 2; levels++) {
        subdivision s, linear;
        subdivide(x, GRID_V, t, GRID_T, levels, 1, &s);
        subdivide(x, GRID_V, t, GRID_T, levels, 1e-15, &linear);
        /* V - E + F = 1 for a disk, with 2 E = 3 F + rim */
        n = 4 * GRID << levels;
        assert_int_equal(s.n_vertices - (3 * s.n_triangles + n) / 2 + s.n_triangles, 1);
        for (f = 0, n = 0; f < s.n_triangles; f++) {
            const int32_t *c = linear.triangles + 3 * f;
            const double *p = linear.positions;
            double area = (p[3 * c[1] + 2] - p[3 * c[0] + 2]) * (p[3 * c[2]] - p[3 * c[0]]) -
                          (p[3 * c[1]] - p[3 * c[0]]) * (p[3 * c[2] + 2] - p[3 * c[0] + 2]);
            assert_true(fabs(area * GRID * GRID * (1 << (2 * levels)) - 1) < 1e-9);
            for (k = 0; k < 3; k++) {
                const double *u = p + 3 * c[k], *v = p + 3 * c[(k + 1) % 3];
                double mx = 0.5 * (u[0] + v[0]) * GRID, mz = 0.5 * (u[2] + v[2]) * GRID;
                int coarse =
                    fabs(mx - floor(mx + 0.5)) < 1e-9 || fabs(mz - floor(mz + 0.5)) < 1e-9 || fabs(mx + mz - floor(mx + mz + 0.5)) < 1e-9;
                assert_int_equal((s.edges[f] >> k) & 1, coarse);
                n += coarse;
            }
        }
        assert_int_equal(n, (3 * GRID_T) << levels);
        subdivide_free(&s), subdivide_free(&linear);
    }
}

/* Three faces at an edge, a face with a repeated vertex, a vertex without a face, nothing at all. */
static void test_odd(void **state)
{
    static const double x[18] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0, 0.5, 0, 1, 9, 9, 9};
    static const int32_t t[12] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 2, 2, 0};
    subdivision s;
    int i, k;
    (void)state;
    subdivide(x, 6, t, 4, 2, 0.01, &s);
    assert_int_equal(s.n_triangles, 64);
    for (i = 0; i < 3 * s.n_vertices; i++)
        assert_true(fabs(s.positions[i]) < 10 && fabs(s.smooth[i]) < 10);
    for (i = 0; i < 3 * s.n_triangles; i++)
        assert_true(s.triangles[i] >= 0 && s.triangles[i] < s.n_vertices);
    for (k = 0; k < 3; k++)
        assert_true(s.positions[15 + k] == 9);
    subdivide_free(&s);
    subdivide(x, 0, t, 0, 2, 0.01, &s);
    assert_int_equal(s.n_vertices, 0);
    subdivide_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unity), cmocka_unit_test(test_stencils), cmocka_unit_test(test_boundary),
                                       cmocka_unit_test(test_bound), cmocka_unit_test(test_layers),   cmocka_unit_test(test_topology),
                                       cmocka_unit_test(test_odd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
