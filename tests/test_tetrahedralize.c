/* test_tetrahedralize.c -- the lattice around closed surfaces: cells by brute force, volumes, matching faces, holes, errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plain.h"
#include "../src/1_math/vec.h"
#include "../src/4_geom/intersect.h"
#include "../src/5_mesh/embed.h"
#include "../src/5_mesh/tetrahedralize.h"

static uint32_t test_seed = 77;
static uint32_t test_next(void)
{
    test_seed = test_seed * 1664525u + 1013904223u;
    return test_seed >> 8;
}
static double test_unit(void) { return (double)(test_next() % 1000003u) / 1000003.0; }
static double test_between(double a, double b) { return a + (b - a) * test_unit(); }

/* ---- surfaces ---- */

static cti_mem test_mem;

static void test_vertex(ct_mesh *m, double x, double y, double z)
{
    assert_true(CTI_PUSH(&test_mem, m->positions, (ct_real)x) && CTI_PUSH(&test_mem, m->positions, (ct_real)y) &&
                CTI_PUSH(&test_mem, m->positions, (ct_real)z));
    m->n_positions++;
}
static void test_triangle(ct_mesh *m, int a, int b, int c)
{
    assert_true(CTI_PUSH(&test_mem, m->triangles, a) && CTI_PUSH(&test_mem, m->triangles, b) && CTI_PUSH(&test_mem, m->triangles, c));
    m->n_triangles++;
}

/* b is appended to a */
static void test_append(ct_mesh *a, const ct_mesh *b, double dx, double dy, double dz, int turned)
{
    int i, v0 = a->n_positions;
    for (i = 0; i < b->n_positions; i++)
        test_vertex(a, (double)b->positions[3 * i] + dx, (double)b->positions[3 * i + 1] + dy, (double)b->positions[3 * i + 2] + dz);
    for (i = 0; i < b->n_triangles; i++) {
        const int32_t *t = b->triangles + 3 * i;
        test_triangle(a, v0 + t[0], v0 + t[turned ? 2 : 1], v0 + t[turned ? 1 : 2]);
    }
}

static ct_mesh test_torus(double big, double small, int n, int m)
{
    ct_mesh t;
    int i, j;
    memset(&t, 0, sizeof t);
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++) {
            double a = 2 * 3.14159265358979 * i / n, b = 2 * 3.14159265358979 * j / m, r = big + small * cos(b);
            test_vertex(&t, r * cos(a), r * sin(a), small * sin(b));
        }
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++) {
            int p = i * m + j, q = (i + 1) % n * m + j, r = i * m + (j + 1) % m, s = (i + 1) % n * m + (j + 1) % m;
            test_triangle(&t, p, q, s), test_triangle(&t, p, s, r);
        }
    return t;
}

static ct_mesh test_box(double x, double y, double z)
{
    ct_real size[3];
    int cells[3] = {2, 2, 2};
    ct_mesh m;
    size[0] = (ct_real)x, size[1] = (ct_real)y, size[2] = (ct_real)z;
    assert_int_equal(ct_mesh_box(size, cells, 0, &m, NULL), CT_OK);
    return m;
}

static double test_volume(const ct_mesh *m)
{
    double v = 0;
    int i;
    for (i = 0; i < m->n_triangles; i++) {
        const int32_t *t = m->triangles + 3 * i;
        v += (double)cti_v3_dot(cti_v3_cross(cti_v3_at(m->positions, t[0]), cti_v3_at(m->positions, t[1])), cti_v3_at(m->positions, t[2])) /
             6;
    }
    return v;
}

/* A random rotation, from a random unit quaternion. */
static void test_rotate(ct_mesh *m)
{
    double q[4], n = 0, r[9];
    int i, k;
    for (i = 0; i < 4; i++)
        q[i] = test_between(-1, 1), n += q[i] * q[i];
    for (n = sqrt(n), i = 0; i < 4; i++)
        q[i] /= n;
    r[0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), r[1] = 2 * (q[1] * q[2] - q[0] * q[3]), r[2] = 2 * (q[1] * q[3] + q[0] * q[2]);
    r[3] = 2 * (q[1] * q[2] + q[0] * q[3]), r[4] = 1 - 2 * (q[1] * q[1] + q[3] * q[3]), r[5] = 2 * (q[2] * q[3] - q[0] * q[1]);
    r[6] = 2 * (q[1] * q[3] - q[0] * q[2]), r[7] = 2 * (q[2] * q[3] + q[0] * q[1]), r[8] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    for (i = 0; i < m->n_positions; i++) {
        double p[3];
        for (k = 0; k < 3; k++)
            p[k] = (double)m->positions[3 * i + k];
        for (k = 0; k < 3; k++)
            m->positions[3 * i + k] = (ct_real)(r[3 * k] * p[0] + r[3 * k + 1] * p[1] + r[3 * k + 2] * p[2]);
    }
}

/* ---- properties of every lattice ---- */

static int test_compare3(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

/* Faces: at most two tets each, on opposite sides. Returns the number of different ones. */
static int test_faces(const ct_mesh *m)
{
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    int i, j, k, n = 0, faces = 0;
    int32_t *f = (int32_t *)malloc((size_t)m->n_tets * 4 * 4 * sizeof *f);
    assert_non_null(f);
    for (i = 0; i < m->n_tets; i++)
        for (k = 0; k < 4; k++, n++) {
            int32_t *g = f + 4 * n, t;
            int odd = 0;
            for (j = 0; j < 3; j++)
                g[j] = m->tets[4 * i + face[k][j]];
            for (j = 0; j < 3; j++)
                if (g[j % 2] > g[j % 2 + 1])
                    t = g[j % 2], g[j % 2] = g[j % 2 + 1], g[j % 2 + 1] = t, odd = !odd;
            g[3] = odd;
        }
    qsort(f, (size_t)n, 4 * sizeof *f, test_compare3);
    for (i = 0; i < n; i = j) {
        int sides = 0;
        for (j = i; j < n && test_compare3(f + 4 * i, f + 4 * j) == 0; j++)
            sides += f[4 * j + 3] ? 1 : -1;
        assert_true(j - i <= 2);
        assert_int_equal(sides == 0, j - i == 2);
        faces++;
    }
    free(f);
    return faces;
}

static int test_edges(const ct_mesh *m)
{
    static const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    int i, k, n = 0, ok;
    int32_t *e = NULL, *scratch = NULL;
    for (i = 0; i < m->n_tets; i++)
        for (k = 0; k < 6; k++) {
            int a = m->tets[4 * i + edge[k][0]], b = m->tets[4 * i + edge[k][1]];
            ok = CTI_PUSH(&test_mem, e, a < b ? a : b) && CTI_PUSH(&test_mem, e, a < b ? b : a);
            assert_true(ok);
        }
    assert_true(cti_pairsort(&test_mem, e, 6 * m->n_tets, m->n_positions, m->n_positions, &scratch));
    for (i = 0; i < 6 * m->n_tets; i++)
        n += i == 0 || e[2 * i] != e[2 * i - 2] || e[2 * i + 1] != e[2 * i - 1];
    CTI_FREE(&test_mem, e);
    CTI_FREE(&test_mem, scratch);
    return n;
}

/* Points are held by tets of m. */
static void test_held(const ct_mesh *m, const ct_real *points, int n)
{
    int32_t *tet = (int32_t *)malloc((size_t)n * sizeof *tet);
    ct_real *w = (ct_real *)malloc(4 * (size_t)n * sizeof *w);
    int outside = -1;
    assert_true(tet && w);
    assert_true(cti_embed(&test_mem, m, points, n, tet, w, NULL, &outside));
    assert_int_equal(outside, 0);
    free(tet), free(w);
}

/* Surface and inside are in the lattice; every cell is needed; tets are positive and fill their cells; every node is used, and nodes of a cell are
   apart. Returns the Euler characteristic. */
static int test_lattice(const ct_mesh *s, const ct_mesh *m)
{
    enum { MANY = 400 };
    ct_real points[3 * MANY];
    int i, j, k, n = 0, tries, held = 0;
    uint8_t *used = (uint8_t *)calloc((size_t)m->n_positions, 1);
    assert_non_null(used);
    assert_true(m->n_tets > 0 && m->n_tets % 5 == 0);
    assert_int_equal(CTI_LEN(m->positions), 3 * m->n_positions);
    assert_int_equal(CTI_LEN(m->tets), 4 * m->n_tets);
    for (i = 0; i < 4 * m->n_tets; i++)
        assert_true(m->tets[i] >= 0 && m->tets[i] < m->n_positions), used[m->tets[i]] = 1;
    for (i = 0; i < m->n_positions; i++)
        assert_true(used[i]);
    free(used);
    /* cells: five tets in a row */
    for (i = 0; i < m->n_tets; i += 5) {
        double lo[3], hi[3], c[3], h[3], v = 0, box = 1;
        ct_real centre[3];
        int reason = 0;
        for (j = 0; j < 20; j++)
            for (k = 0; k < 3; k++) {
                double x = (double)m->positions[3 * m->tets[4 * i + j] + k];
                lo[k] = j == 0 || x < lo[k] ? x : lo[k], hi[k] = j == 0 || x > hi[k] ? x : hi[k];
            }
        for (j = 0; j < 5; j++) {
            const int32_t *t = m->tets + 4 * (i + j);
            cti_v3 p = cti_v3_at(m->positions, t[0]);
            double six =
                (double)cti_v3_dot(cti_v3_cross(cti_v3_sub(cti_v3_at(m->positions, t[1]), p), cti_v3_sub(cti_v3_at(m->positions, t[2]), p)),
                                   cti_v3_sub(cti_v3_at(m->positions, t[3]), p));
            assert_true(six > 0);
            v += six / 6;
        }
        for (k = 0; k < 3; k++)
            box *= hi[k] - lo[k], c[k] = (lo[k] + hi[k]) / 2, h[k] = (hi[k] - lo[k]) / 2, centre[k] = (ct_real)c[k];
        assert_true(fabs(v - box) < 1e-4 * box);
        for (j = 0; j < s->n_triangles && !reason; j++) {
            double t[9];
            for (k = 0; k < 9; k++)
                t[k] = (double)s->positions[3 * s->triangles[3 * j + k / 3] + k % 3];
            reason = cti_tetrahedralize_overlap(c, h, t);
        }
        assert_true(reason || cti_intersect_contains(s->triangles, s->n_triangles, s->positions, centre) == 1);
    }
    test_held(m, s->positions, s->n_positions);
    /* points on triangles, then points inside */
    for (n = 0; n < MANY; n++) {
        const int32_t *t = s->triangles + 3 * (test_next() % (uint32_t)s->n_triangles);
        double a = test_unit(), b = test_unit();
        if (a + b > 1)
            a = 1 - a, b = 1 - b;
        for (k = 0; k < 3; k++)
            points[3 * n + k] = (ct_real)((1 - a - b) * (double)s->positions[3 * t[0] + k] + a * (double)s->positions[3 * t[1] + k] +
                                          b * (double)s->positions[3 * t[2] + k]);
    }
    test_held(m, points, MANY);
    for (n = 0, tries = 0; n < MANY && tries < 20 * MANY; tries++) {
        const int32_t *t = m->tets + 4 * (test_next() % (uint32_t)m->n_tets);
        double w[4], sum = 0;
        for (j = 0; j < 4; j++)
            w[j] = 0.01 + test_unit(), sum += w[j];
        for (k = 0; k < 3; k++)
            for (points[3 * n + k] = 0, j = 0; j < 4; j++)
                points[3 * n + k] += (ct_real)(w[j] / sum * (double)m->positions[3 * t[j] + k]);
        for (k = 0; k < 3; k++)
            points[3 * n + k] += (ct_real)test_between(-0.2, 0.2);
        if (cti_intersect_contains(s->triangles, s->n_triangles, s->positions, points + 3 * n) == 1)
            n++, held++;
    }
    assert_true(held > 0);
    test_held(m, points, n);
    return m->n_positions - test_edges(m) + test_faces(m) - m->n_tets;
}

static ct_mesh test_make(const ct_mesh *s, double cell)
{
    ct_mesh m;
    ct_error_info error;
    ct_code code;
    memset(&m, 0, sizeof m);
    code = ct_mesh_tetrahedralize(s, (ct_real)cell, &m, &error);
    if (code != CT_OK)
        fail_msg("%s", error.text);
    return m;
}

static double test_tet_volume(const ct_mesh *m)
{
    double v = 0;
    int i;
    for (i = 0; i < m->n_tets; i++) {
        const int32_t *t = m->tets + 4 * i;
        cti_v3 p = cti_v3_at(m->positions, t[0]);
        v += (double)cti_v3_dot(cti_v3_cross(cti_v3_sub(cti_v3_at(m->positions, t[1]), p), cti_v3_sub(cti_v3_at(m->positions, t[2]), p)),
                                cti_v3_sub(cti_v3_at(m->positions, t[3]), p)) /
             6;
    }
    return v;
}

/* ---- tests ---- */

/* Clips the triangle by the six planes of the box: is a part of it left? */
static int test_clip(const double c[3], const double h[3], const double t[9])
{
    double p[40], q[40];
    int n = 3, plane, i, k;
    memcpy(p, t, 9 * sizeof *p);
    for (plane = 0; plane < 6; plane++) {
        int axis = plane / 2, sign = plane % 2 ? 1 : -1, m = 0;
        for (i = 0; i < n; i++) {
            const double *a = p + 3 * i, *b = p + 3 * ((i + 1) % n);
            double da = sign * (a[axis] - c[axis]) - h[axis], db = sign * (b[axis] - c[axis]) - h[axis];
            if (da <= 0)
                memcpy(q + 3 * m++, a, 3 * sizeof *a);
            if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
                for (k = 0; k < 3; k++)
                    q[3 * m + k] = a[k] + (b[k] - a[k]) * (da / (da - db));
                m++;
            }
        }
        n = m;
        memcpy(p, q, 3 * (size_t)n * sizeof *p);
    }
    return n > 0;
}

static void test_overlap(void **state)
{
    int i, k, both[2] = {0, 0};
    CTI_UNUSED(state);
    for (i = 0; i < 200000; i++) {
        double c[3], h[3], t[9], less[3], more[3], size = i % 3 ? 1 : 4;
        int clipped;
        for (k = 0; k < 3; k++) {
            c[k] = test_between(-1, 1), h[k] = test_between(0.05, 0.6);
            less[k] = h[k] - 1e-9, more[k] = h[k] + 1e-9;
        }
        for (k = 0; k < 9; k++)
            t[k] = test_between(-size, size);
        if (i % 7 == 0)
            memcpy(t + 6, t + 3 * (i % 2), 3 * sizeof *t);
        if (i % 5 == 0)
            t[2] = t[5] = t[8] = test_between(-1, 1);
        clipped = test_clip(c, h, t);
        if (clipped)
            assert_true(cti_tetrahedralize_overlap(c, more, t));
        else
            assert_false(cti_tetrahedralize_overlap(c, less, t));
        both[clipped]++;
    }
    assert_true(both[0] > 20000 && both[1] > 20000);
}

/* A box whose sides are multiples of the cell size is filled with little more, wherever it lies. */
static void test_box_filled(void **state)
{
    int i, k;
    CTI_UNUSED(state);
    for (i = 0; i < 20; i++) {
        ct_mesh s = test_box(1, 2, 3), m;
        double at[3];
        int j;
        for (k = 0; k < 3; k++)
            at[k] = i % 2 ? test_between(-5, 5) : i;
        for (j = 0; j < s.n_positions; j++)
            for (k = 0; k < 3; k++)
                s.positions[3 * j + k] += (ct_real)at[k];
        m = test_make(&s, 0.5);
        assert_int_equal(m.n_tets, 5 * 2 * 4 * 6);
        assert_int_equal(m.n_positions, 3 * 5 * 7);
        assert_true(test_tet_volume(&m) > 6 && test_tet_volume(&m) < 6.02);
        assert_int_equal(test_lattice(&s, &m), 1);
        ct_mesh_free(&s), ct_mesh_free(&m);
    }
}

/* Volumes of finer and finer lattices converge to the sphere's, from above. */
static void test_sphere(void **state)
{
    ct_mesh s, m;
    double last = 1e30, v;
    int n;
    CTI_UNUSED(state);
    assert_int_equal(ct_mesh_sphere(1, 3, &s, NULL), CT_OK);
    v = test_volume(&s);
    for (n = 1; n <= PLAIN_OR(16, 8); n *= 2) {
        double w;
        m = test_make(&s, 2.0 / n);
        w = test_tet_volume(&m);
        assert_true(w > v && w < last);
        /* the surplus: part of a layer of cells around a surface of 4 pi */
        assert_true(n < 4 || w - v < 12.57 * 1.3 * 2.0 / n);
        assert_int_equal(test_lattice(&s, &m), 1);
        last = w;
        ct_mesh_free(&m);
    }
    /* size chosen from the box: six cells a side */
    m = test_make(&s, 0);
    assert_true(m.n_tets <= 5 * 216 && m.n_tets > 5 * 100);
    ct_mesh_free(&m), ct_mesh_free(&s);
}

/* A ring keeps its hole in every orientation; three rings in one mesh; a hollow ball. */
static void test_holes(void **state)
{
    int i;
    ct_mesh s, t, m;
    CTI_UNUSED(state);
    for (i = 0; i < PLAIN_OR(10, 3); i++) {
        s = test_torus(1, 0.35, 32, 16);
        assert_true(test_volume(&s) > 0);
        if (i > 0)
            test_rotate(&s);
        m = test_make(&s, 0.3);
        assert_int_equal(test_lattice(&s, &m), 0);
        ct_mesh_free(&m);
        m = test_make(&s, 0.15);
        assert_int_equal(test_lattice(&s, &m), 0);
        ct_mesh_free(&m), ct_mesh_free(&s);
    }
    memset(&t, 0, sizeof t);
    s = test_torus(1, 0.35, 24, 12);
    for (i = 0; i < 3; i++) {
        test_append(&t, &s, 3.3 * i, 0.2 * i, 0, 0);
        test_rotate(&s);
    }
    ct_mesh_free(&s);
    m = test_make(&t, 0.2);
    assert_int_equal(test_lattice(&t, &m), 0);
    ct_mesh_free(&m), ct_mesh_free(&t);
    /* a shell: its inner surface is turned */
    assert_int_equal(ct_mesh_sphere(1, 3, &t, NULL), CT_OK);
    assert_int_equal(ct_mesh_sphere(CTI_R(0.6), 3, &s, NULL), CT_OK);
    test_append(&t, &s, 0, 0, 0, 1);
    m = test_make(&t, 0.15);
    assert_int_equal(test_lattice(&t, &m), 2);
    ct_mesh_free(&m), ct_mesh_free(&t);
    /* not turned: filled */
    assert_int_equal(ct_mesh_sphere(1, 3, &t, NULL), CT_OK);
    test_append(&t, &s, 0, 0, 0, 0);
    m = test_make(&t, 0.15);
    assert_int_equal(test_lattice(&t, &m), 1);
    ct_mesh_free(&m), ct_mesh_free(&t), ct_mesh_free(&s);
}

/* Parts in neighbouring cells are apart, though the gap is narrow; parts within a cell are connected. */
static void test_parts(void **state)
{
    ct_mesh s = test_box(0.99, 1, 1), t, m;
    CTI_UNUSED(state);
    memset(&t, 0, sizeof t);
    test_append(&t, &s, 0, 0, 0, 0);
    test_append(&t, &s, 1.01, 0, 0, 0);
    m = test_make(&t, 0.5);
    assert_int_equal(m.n_tets, 5 * 16);
    assert_int_equal(m.n_positions, 2 * 27);
    assert_int_equal(test_lattice(&t, &m), 2);
    ct_mesh_free(&m);
    /* three cells along x: the middle one contains both */
    m = test_make(&t, 2.0 / 3);
    assert_int_equal(test_lattice(&t, &m), 1);
    ct_mesh_free(&m);
    /* boxes that have only an edge of the lattice in common */
    test_append(&t, &s, 0.5, 1.01, 0, 0);
    ct_mesh_free(&t);
    memset(&t, 0, sizeof t);
    test_append(&t, &s, 0, 0, 0, 0);
    test_append(&t, &s, 1.01, 1.02, 0, 0);
    m = test_make(&t, 1);
    assert_int_equal(m.n_tets, 10);
    assert_int_equal(m.n_positions, 16);
    assert_int_equal(test_lattice(&t, &m), 2);
    ct_mesh_free(&m), ct_mesh_free(&t), ct_mesh_free(&s);
}

/* A plate much thinner than a cell gets cells of at least half the size. */
static void test_thin(void **state)
{
    ct_mesh s = test_box(1, 0.01, 1), m;
    CTI_UNUSED(state);
    m = test_make(&s, 0.25);
    assert_int_equal(m.n_tets, 5 * 16);
    assert_int_equal(test_lattice(&s, &m), 1);
    assert_true(test_tet_volume(&m) > 0.124 && test_tet_volume(&m) < 0.127);
    ct_mesh_free(&m);
    /* a cell larger than all of it */
    m = test_make(&s, 100);
    assert_int_equal(m.n_tets, 5);
    assert_true(test_tet_volume(&m) < 2);
    ct_mesh_free(&m), ct_mesh_free(&s);
}

static void test_refused(const ct_mesh *s, double cell, ct_code want, const char *text)
{
    ct_mesh m, before;
    ct_error_info error;
    memset(&m, 0x5a, sizeof m);
    before = m;
    memset(&error, 0, sizeof error);
    assert_int_equal(ct_mesh_tetrahedralize(s, (ct_real)cell, &m, &error), want);
    assert_int_equal(error.code, want);
    if (!strstr(error.text, text))
        fail_msg("%s: no '%s' in it", error.text, text);
    assert_memory_equal(&m, &before, sizeof m);
    assert_int_equal(ct_mesh_tetrahedralize(s, (ct_real)cell, &m, NULL), want);
}

static void test_errors(void **state)
{
    ct_mesh s = test_box(1, 1, 1), e, m;
    int32_t keep[3];
    ct_real x;
    int i;
    CTI_UNUSED(state);
    memset(&e, 0, sizeof e);
    assert_int_equal(ct_mesh_tetrahedralize(NULL, 1, &m, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_tetrahedralize(&s, 1, NULL, NULL), CT_ERR_ARGUMENT);
    test_refused(&e, 1, CT_ERR_MESH, "empty");
    test_refused(&s, -1, CT_ERR_ARGUMENT, "cell");
    test_refused(&s, (double)NAN, CT_ERR_ARGUMENT, "cell");
    test_refused(&s, 1e-3, CT_ERR_ARGUMENT, "too small");
    test_refused(&s, 1e-30, CT_ERR_ARGUMENT, "too small");
    /* without the last triangle its edges are open */
    memcpy(keep, s.triangles + 3 * s.n_triangles - 3, sizeof keep);
    s.n_triangles--;
    test_refused(&s, 0.5, CT_ERR_MESH, "edge");
    test_refused(&s, 0.5, CT_ERR_MESH, "one triangle");
    s.n_triangles++;
    /* turned, degenerate, out of range, not a number */
    s.triangles[3 * s.n_triangles - 3] = keep[1], s.triangles[3 * s.n_triangles - 2] = keep[0];
    test_refused(&s, 0.5, CT_ERR_MESH, "opposite orientation");
    s.triangles[3 * s.n_triangles - 3] = keep[0];
    test_refused(&s, 0.5, CT_ERR_MESH, "twice");
    s.triangles[3 * s.n_triangles - 3] = s.n_positions;
    test_refused(&s, 0.5, CT_ERR_MESH, "out of range");
    memcpy(s.triangles + 3 * s.n_triangles - 3, keep, sizeof keep);
    x = s.positions[4], s.positions[4] = (ct_real)NAN;
    test_refused(&s, 0.5, CT_ERR_MESH, "finite");
    /* numbers whose products overflow; the largest that do not are divided */
    if (sizeof(ct_real) == 8) {
        s.positions[4] = (ct_real)1e308, test_refused(&s, 0, CT_ERR_MESH, "numbers out of range");
        s.positions[4] = (ct_real)-2.1e90, test_refused(&s, 0, CT_ERR_MESH, "numbers out of range");
    }
    s.positions[4] = sizeof(ct_real) == 8 ? (ct_real)2e90 : (ct_real)3e38;
    if (ct_mesh_tetrahedralize(&s, 0, &m, NULL) == CT_OK)
        ct_mesh_free(&m);
    s.positions[4] = x;
    /* corners stored once a triangle: the cure is named */
    e.positions = (ct_real *)malloc(sizeof x * 9 * (size_t)s.n_triangles), e.n_positions = 3 * s.n_triangles, e.n_triangles = s.n_triangles;
    e.triangles = (int32_t *)malloc(sizeof *e.triangles * 3 * (size_t)s.n_triangles);
    for (i = 0; i < 9 * s.n_triangles; i++)
        e.positions[i] = s.positions[3 * s.triangles[i / 3] + i % 3], e.triangles[i / 3] = i / 3;
    test_refused(&e, 0.5, CT_ERR_MESH, "ct_mesh_weld");
    free(e.positions), free(e.triangles);
    m = test_make(&s, 0.5);
    ct_mesh_free(&m), ct_mesh_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap), cmocka_unit_test(test_box_filled), cmocka_unit_test(test_sphere), cmocka_unit_test(test_holes),
        cmocka_unit_test(test_parts),   cmocka_unit_test(test_thin),       cmocka_unit_test(test_errors),
    };
    cti_mem_init(&test_mem, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
