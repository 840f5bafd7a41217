/* test_pairs.c -- the broad phase against brute force over all element boxes, and against listed collisions of real scenes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "plain.h"
#include "../src/4_geom/dist.h"
#include "../src/5_mesh/mesh.h"
#include "../src/5_mesh/pairs.h"

static uint32_t test_seed = 2024;
static uint32_t test_next(void)
{
    test_seed = test_seed * 1664525u + 1013904223u;
    return test_seed >> 8;
}
static int test_random(int n) { return (int)(test_next() % (uint32_t)n); }
static ct_real test_unit(void) { return (ct_real)(test_next() % 65536u) / 65536; }

/* A scene of random bodies: grids of faces, polylines and points without faces. */
enum { TEST_MOST = 4000 };
typedef struct test_scene {
    cti_soup soup;
    cti_soup_body bodies[12];
    int32_t edges[2 * TEST_MOST], faces[3 * TEST_MOST];
    uint8_t point[TEST_MOST];
    ct_real x0[3 * TEST_MOST], x1[3 * TEST_MOST];
} test_scene;

static void test_scene_vertex(test_scene *s, const ct_real *at, ct_real size, ct_real motion)
{
    int v = s->soup.nv++, k;
    s->point[v] = 0;
    for (k = 0; k < 3; k++) {
        s->x0[3 * v + k] = at[k] + size * (test_unit() - CTI_R(0.5));
        s->x1[3 * v + k] = s->x0[3 * v + k] + motion * (test_unit() - CTI_R(0.5));
    }
}

static void test_scene_edge(test_scene *s, int a, int b) { s->edges[2 * s->soup.ne] = a, s->edges[2 * s->soup.ne++ + 1] = b; }

static void test_scene_body(test_scene *s, ct_real motion)
{
    cti_soup *p = &s->soup;
    cti_soup_body *b = s->bodies + p->n_bodies++;
    int kind = test_random(9) % 5, m = 1 + test_random(8), v0 = p->nv, i, j;
    ct_real at[3];
    memset(b, 0, sizeof *b);
    b->v0 = p->nv, b->e0 = p->ne, b->f0 = p->nf;
    b->dynamic = test_random(3) > 0, b->self = test_random(3) > 0, b->swept = test_random(3) ? CTI_SWEPT_NOT : CTI_SWEPT_BOX + test_random(2);
    b->filter.category = test_random(4) ? 1 : 2, b->filter.mask = test_random(4) ? 3 : 1;
    b->filter.group = test_random(2) ? 0 : (int32_t)test_random(5) - 2;
    b->inflate = test_random(3) ? CTI_R(0.03) * test_unit() : 0;
    for (i = 0; i < 3; i++)
        at[i] = 2 * test_unit();
    if (kind <= 1) {
        for (i = 0; i <= m; i++)
            for (j = 0; j <= m; j++)
                test_scene_vertex(s, at, 1, motion);
        for (i = 0; i < m; i++)
            for (j = 0; j < m; j++) {
                int32_t *f = s->faces + 3 * p->nf, a = v0 + i * (m + 1) + j;
                f[0] = a, f[1] = a + 1, f[2] = a + m + 1;
                test_scene_edge(s, a, a + 1), test_scene_edge(s, a + m + 1, a), test_scene_edge(s, a + 1, a + m + 1);
                p->nf++;
            }
    }
    /* kind 4 has no surface at all, as a plane */
    if (kind >= 1 && kind <= 3)
        for (i = 0; i < 3 * m; i++) {
            test_scene_vertex(s, at, 1, motion);
            if (kind == 2 || (kind == 1 && i % 2))
                s->point[p->nv - 1] = 1;
            else if (i > 0 && !s->point[p->nv - 2])
                test_scene_edge(s, p->nv - 1, p->nv - 2);
            else
                s->point[p->nv - 1] = kind == 2;
        }
    b->v1 = p->nv, b->e1 = p->ne, b->f1 = p->nf;
}

static void test_scene_make(test_scene *s, int bodies)
{
    int i;
    ct_real motion = test_random(2) ? CTI_R(0.3) : 0;
    memset(s, 0, sizeof *s);
    s->soup.edges = s->edges, s->soup.faces = s->faces, s->soup.bodies = s->bodies, s->soup.vertex_is_point = s->point;
    for (i = 0; i < bodies; i++)
        test_scene_body(s, motion);
    /* bodies need not stand in the order of their ranges */
    for (i = 0; test_random(3) == 0 && i + 1 < bodies; i++) {
        int j = i + test_random(bodies - i);
        cti_soup_body t = s->bodies[i];
        s->bodies[i] = s->bodies[j], s->bodies[j] = t;
    }
}

/* Where a vertex may be at the start (end 0) or at the end of its motion. */
static void test_vertex_range(const test_scene *s, const cti_soup_body *b, int v, int end, cti_v3 *from, cti_v3 *to)
{
    cti_v3 p0 = cti_v3_at(s->x0, v), p1 = cti_v3_at(s->x1, v);
    *from = end && !b->swept ? p1 : p0, *to = !end && !b->swept ? p0 : p1;
}

/* The ranges of an element at one end, in float, from the definition: three axes of its box, then six slabs. */
typedef struct test_ranges {
    float lo[9], hi[9];
} test_ranges;

static void test_element_ranges(const test_scene *s, const cti_soup_body *b, const int32_t *v, int n, int end, test_ranges *out)
{
    int i, k;
    for (k = 0; k < 9; k++)
        out->lo[k] = 1e30f, out->hi[k] = -1e30f;
    for (i = 0; i < n; i++) {
        cti_v3 from, to;
        cti_box m;
        cti_slabs d;
        ct_real lo[9], hi[9];
        test_vertex_range(s, b, v[i], end, &from, &to);
        m = cti_box_motion(from, to, b->swept == CTI_SWEPT_BOX && !b->still ? 0 : b->inflate);
        d = b->swept == CTI_SWEPT_BOX && !b->still ? cti_slabs_box(m.lo, m.hi, b->inflate) : cti_slabs_motion(from, to, b->inflate);
        m = cti_box_motion(from, to, b->inflate);
        cti_v3_put(lo, 0, m.lo), cti_v3_put(hi, 0, m.hi);
        for (k = 0; k < 6; k++)
            lo[3 + k] = d.lo[k], hi[3 + k] = d.hi[k];
        for (k = 0; k < 9; k++) {
            out->lo[k] = cti_round_float(lo[k]) < out->lo[k] ? cti_round_float(lo[k]) : out->lo[k];
            out->hi[k] = cti_round_float(hi[k]) > out->hi[k] ? cti_round_float(hi[k]) : out->hi[k];
        }
    }
}

/* All vertices (0), edges (1) and faces (2) of a scene, at both ends. */
static test_ranges test_table[3][TEST_MOST][2];

static void test_tabulate(const test_scene *s)
{
    int b, i, end;
    for (b = 0; b < s->soup.n_bodies; b++)
        for (end = 0; end < 2; end++) {
            const cti_soup_body *p = s->bodies + b;
            for (i = p->v0; i < p->v1; i++)
                test_element_ranges(s, p, &i, 1, end, &test_table[0][i][end]);
            for (i = p->e0; i < p->e1; i++)
                test_element_ranges(s, p, s->edges + 2 * i, 2, end, &test_table[1][i][end]);
            for (i = p->f0; i < p->f1; i++)
                test_element_ranges(s, p, s->faces + 3 * i, 3, end, &test_table[2][i][end]);
        }
}

/* Two elements (of na and nb vertices) are candidates unless one is above the other at both ends, along an axis or in a slab. */
static int test_boxes_only;
static int test_candidate(int na, int i, int nb, int j)
{
    const test_ranges *p = test_table[na - 1][i], *q = test_table[nb - 1][j];
    int k;
    for (k = 0; k < (test_boxes_only ? 3 : 9); k++)
        if ((p[0].lo[k] > q[0].hi[k] && p[1].lo[k] > q[1].hi[k]) || (q[0].lo[k] > p[0].hi[k] && q[1].lo[k] > p[1].hi[k]))
            return 0;
    return 1;
}

/* kind: 1 vertex, 2 edge, 3 face, 4 point, 5 edge without a face. Returns 0 when element i of body b is not of the kind. */
static int test_element(const test_scene *s, const uint8_t *loose, int kind, int i, int32_t v[3])
{
    int k;
    if (kind == 4 && !s->point[i])
        return 0;
    if (kind == 5 && !loose[i])
        return 0;
    for (k = 0; k < 3; k++)
        v[k] = kind == 3 ? s->faces[3 * i + k] : (kind == 2 || kind == 5 ? s->edges[2 * i + k % 2] : i);
    return kind == 3 ? 3 : (kind == 2 || kind == 5 ? 2 : 1);
}

static void test_range(const cti_soup_body *b, int kind, int *lo, int *hi)
{
    *lo = kind == 3 ? b->f0 : (kind == 2 || kind == 5 ? b->e0 : b->v0);
    *hi = kind == 3 ? b->f1 : (kind == 2 || kind == 5 ? b->e1 : b->v1);
}

static int test_meet(const test_scene *s, int a, int b)
{
    const cti_soup_body *p = s->bodies + a, *q = s->bodies + b;
    if (a == b)
        return p->dynamic && p->self;
    if (!p->dynamic && !q->dynamic)
        return 0;
    if (p->filter.group != 0 && p->filter.group == q->filter.group)
        return p->filter.group > 0;
    return (p->filter.category & q->filter.mask) != 0 && (q->filter.category & p->filter.mask) != 0;
}

static int test_compare(const void *a, const void *b)
{
    const int32_t *p = (const int32_t *)a, *q = (const int32_t *)b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : (p[1] != q[1] ? (p[1] < q[1] ? -1 : 1) : 0);
}

static int test_body_of(const test_scene *s, int kind, int i)
{
    int b, lo, hi;
    for (b = 0; b < s->soup.n_bodies; b++) {
        test_range(s->bodies + b, kind, &lo, &hi);
        if (i >= lo && i < hi)
            return b;
    }
    return -1;
}

/* The documented order: by body pair, then by numbers; each pair once. */
static void test_in_order(const test_scene *s, int ka, int kb, const int32_t *got)
{
    int i, k, key[5], last[5] = {-1, -1, -1, -1, -1};
    for (i = 0; i < CTI_LEN(got) / 2; i++) {
        int p = test_body_of(s, ka, got[2 * i]), q = test_body_of(s, kb, got[2 * i + 1]);
        key[0] = p < q ? p : q, key[1] = p < q ? q : p, key[2] = p > q, key[3] = got[2 * i], key[4] = got[2 * i + 1];
        for (k = 0; k < 5 && key[k] == last[k]; k++)
            continue;
        assert_true(k < 5 && key[k] > last[k]);
        memcpy(last, key, sizeof key);
    }
}

/* Every pair (element of kind ka, element of kind kb) by brute force, compared with the trees' result. own: those of single bodies b with own[b]
   alone; NULL: all, or those of two bodies. */
static int test_others;
static int test_brute(cti_mem *mem, const test_scene *s, const uint8_t *loose, const uint8_t *own, int ka, int kb, const int32_t *got)
{
    int a, b, i, j, k, m, n;
    int32_t *want = NULL;
    for (a = 0; a < s->soup.n_bodies; a++)
        for (b = 0; b < s->soup.n_bodies; b++) {
            int alo, ahi, blo, bhi;
            if (!test_meet(s, a, b) || (own && (a != b || !own[a])) || (test_others && a == b))
                continue;
            test_range(s->bodies + a, ka, &alo, &ahi);
            test_range(s->bodies + b, kb, &blo, &bhi);
            for (i = alo; i < ahi; i++) {
                int32_t va[3], vb[3];
                int na = test_element(s, loose, ka, i, va);
                for (j = blo; j < bhi && na; j++) {
                    int nb = test_element(s, loose, kb, j, vb), skip = 0;
                    if (nb == 0 || (ka == kb && i >= j) || !test_candidate(na, i, nb, j))
                        continue;
                    for (k = 0; k < na; k++)
                        for (m = 0; m < nb; m++)
                            skip |= va[k] == vb[m];
                    if (skip)
                        continue;
                    assert_true(CTI_PUSH(mem, want, i));
                    assert_true(CTI_PUSH(mem, want, j));
                }
            }
        }
    n = CTI_LEN(want) / 2;
    if (n > 0)
        qsort(want, (size_t)n, 2 * sizeof *want, test_compare);
    assert_int_equal(CTI_LEN(got), 2 * n);
    if (n > 0) {
        int32_t *sorted = (int32_t *)malloc(2 * (size_t)n * sizeof *sorted);
        assert_non_null(sorted);
        memcpy(sorted, got, 2 * (size_t)n * sizeof *sorted);
        qsort(sorted, (size_t)n, 2 * sizeof *sorted, test_compare);
        assert_memory_equal(sorted, want, 2 * (size_t)n * sizeof *sorted);
        free(sorted);
    }
    test_in_order(s, ka, kb, got);
    CTI_FREE(mem, want);
    return n;
}

static void test_brute_force(int hashed)
{
    test_scene *s = (test_scene *)malloc(sizeof *s);
    cti_broad broad;
    cti_mem mem;
    int32_t *vf = NULL, *ee = NULL, *ve = NULL, *vv = NULL, *ef = NULL;
    uint8_t own[TEST_MOST];
    int round, i, totals[6] = {0, 0, 0, 0, 0, 0};
    assert_non_null(s);
    cti_mem_init(&mem, NULL);
    memset(&broad, 0, sizeof broad);
    broad.hashed = hashed;
    for (round = 0; round < 120; round++) {
        test_scene_make(s, 1 + test_random(12));
        assert_true(cti_broad_build(&mem, &broad, &s->soup, s->x0));
        broad.boxes_only = test_boxes_only = round % 3 == 0;
        assert_true(cti_broad_update(&mem, &broad, &s->soup, s->x0, s->x1));
        /* a second update with other positions: trees of the first, boxes of the second */
        for (i = 0; round % 2 && i < 3 * s->soup.nv; i++)
            if (round % 4 == 1 || i % 97 == 0)
                s->x1[i] += CTI_R(0.5) * (test_unit() - CTI_R(0.5));
        if (round % 5 == 0)
            s->bodies[0].inflate += CTI_R(0.01);
        if (round % 7 == 0)
            s->bodies[0].swept = !s->bodies[0].swept;
        assert_true(cti_broad_update(&mem, &broad, &s->soup, s->x0, s->x1));
        test_tabulate(s);
        for (i = 0; i < s->soup.n_bodies; i++)
            own[i] = (uint8_t)(test_meet(s, i, i) && test_random(3) > 0);
        /* bodies with themselves, then the others, then all; the boxes of the first stay */
        assert_true(cti_broad_update_own(&mem, &broad, &s->soup, own, s->x0, s->x1));
        assert_true(cti_broad_pairs(&mem, &broad, &s->soup, &vf, &ee, &ve, &vv));
        test_brute(&mem, s, broad.edge_loose, own, 1, 3, vf);
        test_brute(&mem, s, broad.edge_loose, own, 2, 2, ee);
        for (broad.others = test_others = 1; broad.others; broad.others = test_others = 0) {
            assert_true(cti_broad_update(&mem, &broad, &s->soup, s->x0, s->x1));
            assert_true(cti_broad_pairs(&mem, &broad, &s->soup, &vf, &ee, &ve, &vv));
            test_brute(&mem, s, broad.edge_loose, NULL, 1, 3, vf);
            test_brute(&mem, s, broad.edge_loose, NULL, 2, 2, ee);
        }
        assert_true(cti_broad_update(&mem, &broad, &s->soup, s->x0, s->x1));
        assert_true(cti_broad_pairs(&mem, &broad, &s->soup, &vf, &ee, &ve, &vv));
        totals[0] += test_brute(&mem, s, broad.edge_loose, NULL, 1, 3, vf);
        totals[1] += test_brute(&mem, s, broad.edge_loose, NULL, 2, 2, ee);
        totals[2] += test_brute(&mem, s, broad.edge_loose, NULL, 4, 5, ve);
        totals[3] += test_brute(&mem, s, broad.edge_loose, NULL, 4, 4, vv);
        assert_true(cti_broad_edge_faces(&mem, &broad, &s->soup, &ef));
        totals[4] += test_brute(&mem, s, broad.edge_loose, NULL, 2, 3, ef);
        assert_true(cti_broad_loose(&mem, &broad, &s->soup, &ef));
        totals[5] += test_brute(&mem, s, broad.edge_loose, NULL, 1, 5, ef);
    }
    for (i = 0; i < 6; i++)
        assert_true(totals[i] > 0);
    /* after the first update no memory is requested */
    {
        int64_t calls = mem.n_calls;
        assert_true(cti_broad_update(&mem, &broad, &s->soup, s->x0, s->x1));
        assert_true(cti_broad_pairs(&mem, &broad, &s->soup, &vf, &ee, &ve, &vv));
        assert_int_equal(mem.n_calls, calls);
    }
    CTI_FREE(&mem, vf);
    CTI_FREE(&mem, ee);
    CTI_FREE(&mem, ve);
    CTI_FREE(&mem, vv);
    CTI_FREE(&mem, ef);
    cti_broad_free(&mem, &broad);
    assert_int_equal(mem.bytes_live, 0);
    free(s);
}

static void test_trees(void **state)
{
    CTI_UNUSED(state);
    test_brute_force(0);
}
static void test_hash(void **state)
{
    CTI_UNUSED(state);
    test_brute_force(1);
}

/* ---- motion that all vertices share ---- */

static int test_find(const int32_t *pairs, int32_t a, int32_t b)
{
    int lo = 0, hi = CTI_LEN(pairs) / 2;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (pairs[2 * mid] < a || (pairs[2 * mid] == a && pairs[2 * mid + 1] < b))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < CTI_LEN(pairs) / 2 && pairs[2 * lo] == a && pairs[2 * lo + 1] == b;
}

/* A cloth of m x m cells in four layers; x1: x0 moved by u and by `noise`. */
static void test_scene_folded(test_scene *s, int m, cti_v3 u, ct_real noise)
{
    cti_soup_body *b = s->bodies;
    int i, j, k;
    memset(s, 0, sizeof *s);
    s->soup.edges = s->edges, s->soup.faces = s->faces, s->soup.bodies = s->bodies, s->soup.vertex_is_point = s->point;
    for (i = 0; i <= m; i++)
        for (j = 0; j <= m; j++) {
            ct_real at[3], t = 4 * (ct_real)i / (ct_real)m;
            int layer = cti_min_int((int)t, 3);
            at[0] = (layer % 2 ? (ct_real)layer + 1 - t : t - (ct_real)layer) / 4, at[1] = CTI_R(0.03) * t, at[2] = (ct_real)j / (ct_real)m;
            test_scene_vertex(s, at, CTI_R(0.002), noise);
            cti_v3_put(s->x1, s->soup.nv - 1, cti_v3_add(cti_v3_at(s->x1, s->soup.nv - 1), u));
        }
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++)
            for (k = 0; k < 2; k++) {
                int32_t *f = s->faces + 3 * s->soup.nf++, a = i * (m + 1) + j;
                f[0] = k ? a + m + 2 : a, f[1] = a + 1, f[2] = a + m + 1;
                test_scene_edge(s, f[0], f[1]), test_scene_edge(s, f[2], f[0]);
                if (k)
                    test_scene_edge(s, f[1], f[2]);
            }
    s->soup.n_bodies = 1;
    b->v1 = s->soup.nv, b->e1 = s->soup.ne, b->f1 = s->soup.nf;
    b->dynamic = b->self = 1, b->inflate = CTI_R(0.01);
}

/* 1 when a vertex (edge) and a face (edge) are nearer than `most` at time t. */
static int test_near(const test_scene *s, const int32_t *a, int na, const int32_t *b, int nb, ct_real t, double most)
{
    ct_real p[12], w[3];
    int i, k, feature;
    for (i = 0; i < na + nb; i++)
        for (k = 0; k < 3; k++) {
            int at = 3 * (i < na ? a[i] : b[i - na]) + k;
            p[3 * i + k] = s->x0[at] + t * (s->x1[at] - s->x0[at]);
        }
    for (k = 0; k < 3; k++) { /* apart along an axis: no need for the distance */
        int above = 1, below = 1, j;
        for (i = 0; i < na; i++)
            for (j = na; j < na + nb; j++) {
                double d = (double)(p[3 * i + k] - p[3 * j + k]);
                above &= d > most, below &= d < -most;
            }
        if (above || below)
            return 0;
    }
    return sqrt((double)(na == 1 ? cti_dist_pt(p, p + 3, p + 6, p + 9, w, &feature) : cti_dist_ee(p, p + 3, p + 6, p + 9, w, &feature))) < most;
}

/* Every pair that is within the detection distance at some time is a candidate. Returns how many there are. */
static int test_complete(const test_scene *s, const int32_t *pairs, int na)
{
    const int32_t *ea = na == 1 ? NULL : s->edges, *eb = na == 1 ? s->faces : s->edges;
    int a, b, i, k, m, n = 0, nb = 4 - na, want = na == 1 ? s->soup.nv : s->soup.ne, wanted = na == 1 ? s->soup.nf : s->soup.ne;
    for (a = 0; a < want; a++)
        for (b = na == 1 ? 0 : a + 1; b < wanted; b++) {
            const int32_t *va = ea ? ea + 2 * a : &a, *vb = eb + nb * b;
            int shared = 0, near_ = 0;
            for (k = 0; k < na; k++)
                for (m = 0; m < nb; m++)
                    shared |= va[k] == vb[m];
            for (i = 0; i <= 4 && !shared && !near_; i++)
                near_ = test_near(s, va, na, vb, nb, (ct_real)i / 4, 0.9999 * 2 * (double)s->bodies[0].inflate);
            if (near_ && !test_find(pairs, a, b))
                fail_msg("%d %d come near and are no candidate", a, b);
            n += near_;
        }
    return n;
}

/* A body that moves fast has the candidates that it has at rest, and all pairs that come near are among them. */
static void test_common_motion(void **state)
{
    test_scene *s = (test_scene *)malloc(sizeof *s);
    cti_broad broad;
    cti_mem mem;
    int32_t *vf = NULL, *ee = NULL;
    int round, speed, still[2] = {0, 0}, found[2] = {0, 0};
    CTI_UNUSED(state);
    assert_non_null(s);
    cti_mem_init(&mem, NULL);
    memset(&broad, 0, sizeof broad);
    for (round = 0; round < PLAIN_OR(6, 2); round++)
        for (speed = 0; speed < 4; speed++) {
            static const double speeds[4] = {0, 0.05, 1, 20};
            ct_real by = (ct_real)speeds[speed], noise = round % 2 ? CTI_R(0.05) : CTI_R(0.002);
            test_seed = 90u + (uint32_t)round;
            test_scene_folded(s, 12, cti_v3_make(CTI_R(0.3) * by, -by, CTI_R(0.7) * by), noise);
            assert_true(cti_broad_build(&mem, &broad, &s->soup, s->x0));
            assert_true(cti_broad_update(&mem, &broad, &s->soup, s->x0, s->x1));
            assert_true(cti_broad_pairs(&mem, &broad, &s->soup, &vf, &ee, NULL, NULL));
            if (speed == 0)
                still[0] = CTI_LEN(vf), still[1] = CTI_LEN(ee);
            /* except for rounding of x1 they are the same pairs */
            assert_true(abs(CTI_LEN(vf) - still[0]) <= still[0] / 100);
            assert_true(abs(CTI_LEN(ee) - still[1]) <= still[1] / 100);
            if (round < 2 || speed == 2) {
                found[0] += test_complete(s, vf, 1);
                found[1] += test_complete(s, ee, 2);
            }
        }
    assert_true(found[0] > 100 && found[1] > 100);
    CTI_FREE(&mem, vf);
    CTI_FREE(&mem, ee);
    cti_broad_free(&mem, &broad);
    assert_int_equal(mem.bytes_live, 0);
    free(s);
}

/* Points at most ra + rb apart have overlapping slabs, whatever the rounding: pairs at that distance along a diagonal. */
static void test_slabs(void **state)
{
    int i, k;
    CTI_UNUSED(state);
    for (i = 0; i < 50000; i++) {
        ct_real scale = (ct_real)(1 << test_random(20)), ra = test_unit() / (ct_real)(1 << test_random(20)),
                rb = test_random(3) ? test_unit() : 0;
        static const int dirs[6][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};
        const int *d = dirs[i % 6];
        ct_real p[3], q[3];
        cti_slabs a, b;
        double apart = 0, step = ((double)ra + (double)rb) * 0.70710678118654752;
        for (k = 0; k < 3; k++) {
            p[k] = scale * (test_unit() - CTI_R(0.5));
            q[k] = (ct_real)((double)p[k] + step * d[k]);
            apart += ((double)p[k] - (double)q[k]) * ((double)p[k] - (double)q[k]);
        }
        if (apart > ((double)ra + (double)rb) * ((double)ra + (double)rb))
            continue;
        a = cti_slabs_motion(cti_v3_at(p, 0), cti_v3_at(p, 0), ra);
        b = cti_slabs_motion(cti_v3_at(q, 0), cti_v3_at(q, 0), rb);
        for (k = 0; k < 6; k++)
            assert_true(a.lo[k] <= b.hi[k] && b.lo[k] <= a.hi[k]);
        /* and slabs are not much wider than that: at twice the distance they are apart */
        for (k = 0; k < 3; k++)
            q[k] = (ct_real)((double)p[k] + 3 * (step + 64 * (double)CTI_EPS * (double)scale) * d[k]);
        b = cti_slabs_motion(cti_v3_at(q, 0), cti_v3_at(q, 0), rb);
        assert_true(a.hi[i % 6] < b.lo[i % 6]);
    }
}

/* Widened boxes hold every point that is nearer than the widening, rounding included. */
static void test_widening(void **state)
{
    int i;
    CTI_UNUSED(state);
    for (i = 0; i < 20000; i++) {
        ct_real scale = (ct_real)(1 << test_random(20)), r = test_unit() / (ct_real)(1 << test_random(20));
        cti_v3 p = cti_v3_make(scale * (test_unit() - CTI_R(0.5)), 0, 0);
        cti_box b = cti_box_motion(p, p, r);
        /* p - r and p + r in more digits than ct_real has */
        long double lo = (long double)p.x - (long double)r, hi = (long double)p.x + (long double)r;
        assert_true((long double)b.lo.x <= lo);
        assert_true((long double)b.hi.x >= hi);
    }
}

/* Failing memory: every allocation fails once; nothing leaks, and the broad phase is whole or empty. */
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

static void test_refused(int hashed)
{
    test_scene *s = (test_scene *)malloc(sizeof *s);
    ct_allocator refuse;
    int ended = 0;
    assert_non_null(s);
    refuse.resize = test_refuse, refuse.user = NULL;
    test_seed = 7;
    test_scene_make(s, 12);
    for (test_refuse_at = 0; !ended; test_refuse_at++) {
        cti_broad broad;
        cti_mem mem;
        int32_t *vf = NULL, *ee = NULL, *ve = NULL, *vv = NULL;
        memset(&broad, 0, sizeof broad);
        broad.hashed = hashed;
        cti_mem_init(&mem, &refuse);
        test_asked = 0;
        ended = cti_broad_build(&mem, &broad, &s->soup, s->x0) && cti_broad_update(&mem, &broad, &s->soup, s->x0, s->x1) &&
                cti_broad_pairs(&mem, &broad, &s->soup, &vf, &ee, &ve, &vv);
        if (ended)
            assert_true(test_asked <= test_refuse_at);
        CTI_FREE(&mem, vf);
        CTI_FREE(&mem, ee);
        CTI_FREE(&mem, ve);
        CTI_FREE(&mem, vv);
        cti_broad_free(&mem, &broad);
        assert_int_equal(mem.bytes_live, 0);
        assert_true(test_refuse_at < 1000);
    }
    free(s);
}

static void test_out_of_memory(void **state)
{
    CTI_UNUSED(state);
    test_refused(0);
    test_refused(1);
}

/* ---- listed collisions ---- */

static FILE *test_open(const char *name)
{
    char path[600], command[700];
    const char *folder = getenv("CONTACT_DATA");
    FILE *f;
    snprintf(path, sizeof path, "%s/ccd/bp/%s", folder ? folder : "../shared/data", name);
    if (!(f = fopen(path, "rb")))
        return NULL;
    fclose(f);
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    return popen(command, "r");
}

static void test_hits(const char *scene, const char *kind, const int32_t *pairs, int ordered)
{
    char name[100];
    FILE *f;
    int a, b, n = 0;
    snprintf(name, sizeof name, "%s.%s.hits.gz", scene, kind);
    f = test_open(name);
    assert_non_null(f);
    while (fscanf(f, "%d %d", &a, &b) == 2) {
        if (!test_find(pairs, ordered && a > b ? b : a, ordered && a > b ? a : b))
            fail_msg("%s %s: %d %d is no candidate", scene, kind, a, b);
        n++;
    }
    pclose(f);
    assert_true(n > 0);
}

static void test_listed_by(int hashed, const char *scene, long want_ee, long want_vf)
{
    char name[100];
    int32_t head[4], *edges, *faces, *vf = NULL, *ee = NULL;
    double *x;
    ct_real *y;
    size_t n3, i;
    FILE *f;
    cti_soup soup;
    cti_soup_body body;
    cti_broad broad;
    cti_mem mem;
    snprintf(name, sizeof name, "%s.bin.gz", scene);
    if (!(f = test_open(name))) {
        print_message("missing: ccd/bp/%s in ../shared/data (or CONTACT_DATA)\n", name);
        skip();
    }
    assert_int_equal(fread(head, sizeof *head, 4, f), 4);
    n3 = 3 * (size_t)head[1];
    x = (double *)malloc(2 * n3 * sizeof *x), y = (ct_real *)malloc(2 * n3 * sizeof *y);
    edges = (int32_t *)malloc(2 * (size_t)head[2] * sizeof *edges), faces = (int32_t *)malloc(3 * (size_t)head[3] * sizeof *faces);
    assert_true(x && y && edges && faces);
    assert_int_equal(fread(x, sizeof *x, 2 * n3, f), 2 * n3);
    assert_int_equal(fread(edges, sizeof *edges, 2 * (size_t)head[2], f), 2 * head[2]);
    assert_int_equal(fread(faces, sizeof *faces, 3 * (size_t)head[3], f), 3 * head[3]);
    pclose(f);
    for (i = 0; i < 2 * n3; i++)
        y[i] = (ct_real)x[i];
    memset(&soup, 0, sizeof soup);
    memset(&body, 0, sizeof body);
    memset(&broad, 0, sizeof broad);
    broad.hashed = hashed;
    cti_mem_init(&mem, NULL);
    soup.edges = edges, soup.faces = faces, soup.nv = head[1], soup.ne = head[2], soup.nf = head[3];
    soup.bodies = &body, soup.n_bodies = 1;
    body.v1 = soup.nv, body.e1 = soup.ne, body.f1 = soup.nf, body.dynamic = body.self = body.swept = 1;
    assert_true(cti_broad_build(&mem, &broad, &soup, y));
    broad.boxes_only = 1;
    assert_true(cti_broad_update(&mem, &broad, &soup, y, y + n3));
    assert_true(cti_broad_pairs(&mem, &broad, &soup, &vf, &ee, NULL, NULL));
    assert_int_equal(CTI_LEN(ee) / 2, want_ee);
    assert_int_equal(CTI_LEN(vf) / 2, want_vf);
    test_hits(scene, "vf", vf, 0);
    test_hits(scene, "ee", ee, 1);
    /* slabs remove most candidates, and no hit */
    broad.boxes_only = 0;
    assert_true(cti_broad_pairs(&mem, &broad, &soup, &vf, &ee, NULL, NULL));
    assert_true(CTI_LEN(ee) / 2 < want_ee && CTI_LEN(vf) / 2 < want_vf);
    test_hits(scene, "vf", vf, 0);
    test_hits(scene, "ee", ee, 1);
    CTI_FREE(&mem, vf);
    CTI_FREE(&mem, ee);
    cti_broad_free(&mem, &broad);
    free(x), free(y), free(edges), free(faces);
}

static void test_listed(const char *scene, long want_ee, long want_vf)
{
    test_listed_by(0, scene, want_ee, want_vf);
    test_listed_by(1, scene, want_ee, want_vf);
}

static void test_cloth_ball(void **state)
{
    CTI_UNUSED(state);
    test_listed("cloth-ball", 5197332, 1655541);
}
static void test_cloth_funnel(void **state)
{
    CTI_UNUSED(state);
    test_listed("cloth-funnel", 33770, 7319);
}

/* a vertex that is swept may be in any corner of the box of its two ends, widened: a face there is a candidate, though the straight way between
   the ends keeps far from it */
static void test_corners(void **state)
{
    static const int32_t face[3] = {1, 2, 3}, edges[6] = {1, 2, 2, 3, 3, 1};
    int corner;
    CTI_UNUSED(state);
    for (corner = 0; corner < 8; corner++) {
        cti_soup soup;
        cti_soup_body bodies[2];
        cti_broad broad;
        cti_mem mem;
        int32_t *vf = NULL;
        ct_real x[12] = {0, 0, 0}, y[12], r = CTI_R(0.01);
        int i, k;
        memset(&soup, 0, sizeof soup), memset(bodies, 0, sizeof bodies), memset(&broad, 0, sizeof broad);
        cti_mem_init(&mem, NULL);
        for (i = 0; i < 3; i++) /* a small face around the widened corner of the box from 0 to (1, 1, 1) */
            for (k = 0; k < 3; k++)
                x[3 * (i + 1) + k] = (corner >> k & 1 ? 1 + r : -r) + (k == i ? CTI_R(1e-3) : 0);
        memcpy(y, x, sizeof y);
        y[0] = y[1] = y[2] = 1;
        soup.edges = edges, soup.faces = face, soup.nv = 4, soup.ne = 3, soup.nf = 1, soup.bodies = bodies, soup.n_bodies = 2;
        bodies[0].v1 = 1, bodies[0].dynamic = bodies[0].swept = 1, bodies[0].inflate = r;
        bodies[1].v0 = 1, bodies[1].v1 = 4, bodies[1].e1 = 3, bodies[1].f1 = 1, bodies[1].swept = bodies[1].still = 1, bodies[1].inflate = r;
        bodies[0].filter = bodies[1].filter = ct_filter_default();
        assert_true(cti_broad_build(&mem, &broad, &soup, x));
        assert_true(cti_broad_update(&mem, &broad, &soup, x, y));
        assert_true(cti_broad_pairs(&mem, &broad, &soup, &vf, NULL, NULL, NULL));
        assert_int_equal(CTI_LEN(vf) / 2, 1);
        CTI_FREE(&mem, vf);
        cti_broad_free(&mem, &broad);
    }
}

/* wherever cti_way_holds lets a vertex be, what comes within the detection distance of it overlaps its slabs, at all scales */
static void test_way(void **state)
{
    int i, k, held = 0, corners = 0, many = 200000;
    CTI_UNUSED(state);
    for (i = 0; i < many; i++) {
        ct_real size = (ct_real)pow(10, test_random(9) - 4), slack = test_random(4) ? size * (ct_real)pow(10, -test_random(5)) : 0, near = slack * test_unit();
        ct_real p[3][3], r[3], length = 0;
        cti_slabs a, b;
        cti_v3 p0, p1, q;
        int way = test_random(3), inside = 1;
        for (k = 0; k < 3; k++) {
            p[0][k] = size * (test_unit() - CTI_R(0.5)), p[1][k] = p[0][k] + slack * 4 * (test_unit() - CTI_R(0.5));
            /* on the straight way, at a corner of the widened box, or anywhere around */
            p[2][k] = way == 0 ? p[0][k] + CTI_R(0.3) * (p[1][k] - p[0][k])
                               : (test_random(2) ? p[0][k] : p[1][k]) + slack * (way == 1 ? (ct_real)(2 * test_random(2) - 1) : 2 * test_unit() - 1);
            r[k] = test_unit() - CTI_R(0.5), length += r[k] * r[k];
            inside &= p[2][k] >= cti_min(p[0][k], p[1][k]) - slack && p[2][k] <= cti_max(p[0][k], p[1][k]) + slack;
        }
        p0 = cti_v3_at(p[0], 0), p1 = cti_v3_at(p[1], 0), q = cti_v3_at(p[2], 0);
        if (!cti_way_holds(p0, p1, slack, q)) {
            assert_true(way > 0);
            corners += inside;
            continue;
        }
        held++;
        a = cti_slabs_motion(p0, p1, slack + near / 2);
        q = cti_v3_mad(q, cti_v3_at(r, 0), CTI_R(0.999) * near / cti_sqrt(length));
        b = cti_slabs_motion(q, q, near / 2);
        for (k = 0; k < 6; k++)
            assert_true(a.lo[k] <= b.hi[k] && b.lo[k] <= a.hi[k]);
    }
    assert_true(held > many / 4 && corners > many / 20);
}

/* pairs of bodies that are not tested, entered in any order and more than once: a sorted list, and the candidates respect it */
static void test_keep_apart(void **state)
{
    enum { N = 9 };
    static cti_soup_body bodies[N];
    cti_mem mem;
    cti_soup soup;
    int32_t *apart = NULL;
    uint8_t want[N][N];
    int i, a, b, n = 0;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    memset(&soup, 0, sizeof soup);
    memset(want, 0, sizeof want);
    for (i = 0; i < N; i++)
        bodies[i].dynamic = 1, bodies[i].filter = ct_filter_default();
    for (i = 0; i < 40; i++) {
        a = test_random(N), b = test_random(N);
        if (a == b)
            continue;
        assert_true(cti_broad_keep_apart(&mem, &apart, a, b));
        want[a][b] = want[b][a] = 1;
    }
    soup.bodies = bodies, soup.n_bodies = N, soup.apart = apart, soup.n_apart = CTI_LEN(apart) / 2;
    for (a = 0; a < N; a++)
        for (b = 0; b < N; b++) {
            n += want[a][b];
            assert_int_equal(cti_broad_may_meet(&soup, a, b), a != b && !want[a][b]);
        }
    assert_int_equal(2 * soup.n_apart, n);
    for (i = 1; i < soup.n_apart; i++)
        assert_true(test_compare(apart + 2 * (i - 1), apart + 2 * i) < 0);
    CTI_FREE(&mem, apart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees), cmocka_unit_test(test_hash), cmocka_unit_test(test_common_motion), cmocka_unit_test(test_widening),
        cmocka_unit_test(test_slabs),               cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_cloth_funnel),
        cmocka_unit_test(test_keep_apart), cmocka_unit_test(test_corners), cmocka_unit_test(test_way),
#ifndef __SANITIZE_ADDRESS__ /* seven million pairs; the funnel takes the same code paths */
        cmocka_unit_test(test_cloth_ball),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
