/* test_regions.c -- the hierarchy of connected regions: its tree, polytopes, cones, contours, and the pairs that it finds against brute force.
   `test_regions --table` prints the figures of docs/lab/regions.md: pairs visited and CPU times for a flat, a folded and a crumpled sheet. */
#include "world_util.h"
#include <time.h>
#include "../src/4_geom/ccd.h"
#include "../src/4_geom/dist.h"
#include "../src/5_mesh/mesh.h"
#include "../src/8_geometric/geometric.h"
#include "../src/9_world/world.h"

static cti_mem memory;

/* ---- surfaces ---- */

/* a surface of one body, with its topology */
typedef struct fixture {
    cti_surface f;
    cti_topology t;
    cti_surface_body body;
    cti_soup_body range;
    ct_real *x0, *x1;
    cti_regions r;
} fixture;

static void fixture_make(fixture *q, const ct_real *rest, int nv, const int32_t *faces, int nf)
{
    int i;
    memset(q, 0, sizeof *q);
    assert_true(cti_topology_build(&memory, &q->t, nv, faces, nf, NULL, 0));
    q->f.nv = nv, q->f.ne = q->t.n_edges, q->f.nf = nf, q->f.n_bodies = 1, q->f.n_moving = nv;
    q->f.edges = q->t.edges, q->f.face_edges = q->t.face_edges, q->f.edge_faces = q->t.edge_faces;
    q->f.vertex_owner = q->t.vertex_owner, q->f.edge_owner = q->t.edge_owner;
    assert_true(CTI_RESIZE(&memory, q->f.faces, 3 * nf) && CTI_RESIZE(&memory, q->f.rest, 3 * nv) && CTI_RESIZE(&memory, q->x0, 3 * nv) &&
                CTI_RESIZE(&memory, q->x1, 3 * nv) && CTI_RESIZE(&memory, q->f.body_of, nv));
    memcpy(q->f.faces, faces, sizeof *faces * 3 * (size_t)nf);
    for (i = 0; i < 3 * nv; i++)
        q->f.rest[i] = q->x0[i] = q->x1[i] = rest[i];
    q->range.v1 = nv, q->range.e1 = q->f.ne, q->range.f1 = nf;
    q->range.dynamic = q->range.self = q->range.swept = 1, q->range.filter = ct_filter_default();
    q->body.dynamic = q->body.moves = 1;
    q->f.bodies = &q->body, q->f.ranges = &q->range;
    q->f.soup.edges = q->f.edges, q->f.soup.faces = q->f.faces, q->f.soup.edge_faces = q->f.edge_faces;
    q->f.soup.nv = nv, q->f.soup.ne = q->f.ne, q->f.soup.nf = nf, q->f.soup.bodies = &q->range, q->f.soup.n_bodies = 1;
    assert_true(cti_regions_build(&memory, &q->r, &q->f, 0));
}

static void fixture_free(fixture *q)
{
    cti_regions_free(&memory, &q->r);
    cti_topology_free(&memory, &q->t);
    cti_broad_free(&memory, &q->f.broad);
    CTI_FREE(&memory, q->f.faces);
    CTI_FREE(&memory, q->f.rest);
    CTI_FREE(&memory, q->x0);
    CTI_FREE(&memory, q->x1);
    CTI_FREE(&memory, q->f.body_of);
}

/* a sheet of m n cells of edge `cell` in the plane z = 0, with diagonals that alternate */
static void fixture_sheet(fixture *q, int m, int n, double cell)
{
    ct_real *x = (ct_real *)malloc(sizeof *x * 3 * (size_t)((m + 1) * (n + 1)));
    int32_t *faces = (int32_t *)malloc(sizeof *faces * 6 * (size_t)(m * n)), *f = faces;
    int i, j;
    for (j = 0; j <= n; j++)
        for (i = 0; i <= m; i++) {
            ct_real *p = x + 3 * (j * (m + 1) + i);
            p[0] = (ct_real)(cell * i), p[1] = (ct_real)(cell * j), p[2] = 0;
        }
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++, f += 6) {
            int32_t a = j * (m + 1) + i, b = a + 1, c = b + m + 1, d = a + m + 1;
            if ((i + j) % 2)
                f[0] = a, f[1] = b, f[2] = c, f[3] = a, f[4] = c, f[5] = d;
            else
                f[0] = a, f[1] = b, f[2] = d, f[3] = b, f[4] = c, f[5] = d;
        }
    fixture_make(q, x, (m + 1) * (n + 1), faces, 2 * m * n);
    free(x), free(faces);
}

/* layers joined by half circles of radius `radius`, in (x, z), for a way s along the sheet */
static void folded(double s, double layer, double radius, double *x, double *z)
{
    double one = layer + 3.14159265358979 * radius, turn;
    int k = (int)(s / one);
    s -= k * one;
    *z = 2 * radius * k;
    if (s <= layer)
        *x = s;
    else {
        turn = (s - layer) / radius;
        *x = layer + radius * sin(turn), *z += radius * (1 - cos(turn));
    }
    if (k % 2)
        *x = layer - *x;
}

/* one pass that moves edges towards their lengths at rest */
static void relax(fixture *q)
{
    int e, k;
    for (e = 0; e < q->f.ne; e++) {
        ct_real *a = q->x0 + 3 * q->f.edges[2 * e], *b = q->x0 + 3 * q->f.edges[2 * e + 1];
        const ct_real *ra = q->f.rest + 3 * q->f.edges[2 * e], *rb = q->f.rest + 3 * q->f.edges[2 * e + 1];
        ct_real now = cti_v3_norm(cti_v3_sub(cti_v3_at(b, 0), cti_v3_at(a, 0))), rest = cti_v3_norm(cti_v3_sub(cti_v3_at(rb, 0), cti_v3_at(ra, 0)));
        for (k = 0; k < 3; k++) {
            ct_real move = (b[k] - a[k]) * (1 - rest / now) / 2;
            a[k] += move, b[k] -= move;
        }
    }
}

/* the least stretch of an edge at the start, half way and at the end */
static double least_stretch(const fixture *q)
{
    double least = 1;
    int e, k;
    for (e = 0; e < q->f.ne; e++)
        for (k = 0; k < 3; k++) {
            int a = q->f.edges[2 * e], b = q->f.edges[2 * e + 1];
            cti_v3 p = cti_v3_sub(cti_v3_at(q->x0, a), cti_v3_at(q->x0, b)), r = cti_v3_sub(cti_v3_at(q->x1, a), cti_v3_at(q->x1, b));
            cti_v3 rest = cti_v3_sub(cti_v3_at(q->f.rest, a), cti_v3_at(q->f.rest, b));
            least = fmin(least, (double)(cti_v3_norm(cti_v3_mad(p, cti_v3_sub(r, p), (ct_real)k / 2)) / cti_v3_norm(rest)));
        }
    return least;
}

enum { FLAT, FOLDED, CRUMPLED, PRESSED };
static const char *shape_names[] = {"flat", "folded", "crumpled", "folded, pressed together"};

/* shapes of a sheet at rest in the plane; `size`: the longer side */
static void fixture_shape(fixture *q, int shape, double size, double thickness)
{
    int i;
    for (i = 0; i < q->f.nv; i++) {
        const ct_real *p = q->f.rest + 3 * i;
        ct_real *to = q->x0 + 3 * i;
        double x = (double)p[0], y = (double)p[1], z = 0, u = 6.2831853 / size;
        if (shape == FOLDED || shape == PRESSED) {
            double a;
            folded(y, size / 5, 1.2 * thickness, &a, &z);
            y = a;
            z *= shape == PRESSED ? 0.46 : 1;
        } else if (shape == CRUMPLED) {
            /* in-plane compression to .45, and waves of three lengths that take up the rest */
            z = 0.1 * size * sin(2 * u * (x + 0.3 * y)) * cos(1.5 * u * y) + 0.05 * size * sin(5 * u * (0.6 * x - y) + 1) +
                0.012 * size * sin(17 * u * (x + y)) * sin(13 * u * (x - 0.4 * y));
            x = 0.45 * x + 0.06 * size * sin(4 * u * (y + 0.2 * x)), y = 0.45 * y + 0.06 * size * cos(4.3 * u * (x + 0.4 * y));
        }
        to[0] = (ct_real)x, to[1] = (ct_real)y, to[2] = (ct_real)z;
    }
    for (i = 0; shape == CRUMPLED && i < 150; i++)
        relax(q);
    memcpy(q->x1, q->x0, sizeof *q->x0 * 3 * (size_t)q->f.nv);
}

/* CONE and RATIO in the environment replace the numbers of the rule, for measurements */
static cti_region_rule rule_of(double thickness, int criterion)
{
    cti_region_rule rule;
    const char *cone = getenv("CONE"), *ratio = getenv("RATIO");
    rule.margin = (ct_real)(1.25 * thickness / 2), rule.inflate = (ct_real)(1.25 * thickness / 2);
    rule.reach = (ct_real)(1.25 * thickness), rule.ratio = CTI_R(0.65), rule.cosine = CTI_R(0.75);
    if (cone)
        rule.cosine = (ct_real)atof(cone);
    if (ratio)
        rule.ratio = (ct_real)atof(ratio);
    rule.criterion = criterion;
    return rule;
}

static void update(fixture *q)
{
    cti_region_motion m;
    m.f = &q->f, m.x0 = q->x0, m.x1 = q->x1;
    cti_regions_dops(&q->r, q->x0, q->x1);
    cti_regions_cones(&q->r, &m);
}

/* ---- pairs against brute force ---- */

static ct_real pair_distance(const cti_surface *f, const ct_real *x, int ee, int32_t a, int32_t b)
{
    ct_real w[3];
    const int32_t *v = ee ? f->edges + 2 * a : &a, *u = ee ? f->edges + 2 * b : f->faces + 3 * b;
    int feature;
    return cti_sqrt(ee ? cti_dist_ee(x + 3 * v[0], x + 3 * v[1], x + 3 * u[0], x + 3 * u[1], w, &feature)
                       : cti_dist_pt(x + 3 * a, x + 3 * u[0], x + 3 * u[1], x + 3 * u[2], w, &feature));
}

static int pair_shares(const cti_surface *f, int ee, int32_t a, int32_t b)
{
    const int32_t *v = ee ? f->edges + 2 * a : &a, *u = ee ? f->edges + 2 * b : f->faces + 3 * b;
    int i, k, shared = 0;
    for (i = 0; i < (ee ? 2 : 1); i++)
        for (k = 0; k < (ee ? 2 : 3); k++)
            shared |= v[i] == u[k];
    return shared;
}

/* does a pair cross on its way? */
static int pair_crosses(const fixture *q, int ee, int32_t a, int32_t b)
{
    int32_t quad[4];
    ct_real least = 0, toi;
    if (ee)
        memcpy(quad, q->f.edges + 2 * a, 2 * sizeof *quad), memcpy(quad + 2, q->f.edges + 2 * b, 2 * sizeof *quad);
    else
        quad[0] = a, memcpy(quad + 1, q->f.faces + 3 * b, 3 * sizeof *quad);
    if (ee)
        cti_ccd_ee_batch(q->x0, q->x1, quad, 1, &least, &toi);
    else
        cti_ccd_vf_batch(q->x0, q->x1, quad, 1, &least, &toi);
    return toi <= 1;
}

/* found -- what brute force finds, and a query does not. */
typedef struct found {
    int near, crossing;             /* pairs below 1.25 of their thickness at the start, half way or the end; pairs that cross */
    int missed_near, missed_crossing;
} found;

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* boxes around all motions of features [6 n]: vertices (width 1), edges, faces */
static ct_real *feature_boxes(const fixture *q, int width, int n)
{
    ct_real *box = (ct_real *)malloc(sizeof *box * 6 * (size_t)n);
    int i, j, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) {
            ct_real lo = CTI_REAL_MAX, hi = -CTI_REAL_MAX;
            for (j = 0; j < width; j++) {
                int v = width == 1 ? i : width == 2 ? q->f.edges[2 * i + j] : q->f.faces[3 * i + j];
                lo = cti_min(lo, cti_min(q->x0[3 * v + k], q->x1[3 * v + k]));
                hi = cti_max(hi, cti_max(q->x0[3 * v + k], q->x1[3 * v + k]));
            }
            box[6 * i + k] = lo, box[6 * i + 3 + k] = hi;
        }
    return box;
}

/* keys of the pairs that a query finds, sorted; each is there once */
static uint64_t *pair_keys(const fixture *q, int ee, const int32_t *pairs, int n)
{
    uint64_t *keys = (uint64_t *)malloc(sizeof *keys * ((size_t)n + 1));
    int k;
    for (k = 0; k < n; k++) {
        keys[k] = (uint64_t)pairs[2 * k] << 32 | (uint64_t)pairs[2 * k + 1];
        assert_false(pair_shares(&q->f, ee, pairs[2 * k], pairs[2 * k + 1]));
    }
    qsort(keys, (size_t)n, sizeof *keys, by_key);
    for (k = 1; k < n; k++)
        assert_true(keys[k] != keys[k - 1]);
    return keys;
}

/* counts the collisions of one kind, and those that are not among n keys; half: positions half way */
static void count_collisions(const fixture *q, double thickness, int ee, const ct_real *half, const uint64_t *keys, int n, found *c)
{
    int na = ee ? q->f.ne : q->f.nv, nb = ee ? q->f.ne : q->f.nf, a, b, k;
    ct_real *box_a = feature_boxes(q, ee ? 2 : 1, na), *box_b = feature_boxes(q, ee ? 2 : 3, nb), reach = (ct_real)(1.25 * thickness);
    for (a = 0; a < na; a++)
        for (b = ee ? a + 1 : 0; b < nb; b++) {
            ct_real hat, d;
            int near, crosses, there, apart = 0;
            uint64_t key = (uint64_t)a << 32 | (uint64_t)b;
            for (k = 0; k < 3; k++)
                apart |= box_a[6 * a + k] > box_b[6 * b + 3 + k] + reach || box_b[6 * b + k] > box_a[6 * a + 3 + k] + reach;
            if (apart || pair_shares(&q->f, ee, a, b))
                continue;
            d = cti_min(cti_min(pair_distance(&q->f, q->x0, ee, a, b), pair_distance(&q->f, half, ee, a, b)), pair_distance(&q->f, q->x1, ee, a, b));
            hat = cti_min((ct_real)thickness, pair_distance(&q->f, q->f.rest, ee, a, b) / 2);
            near = d < CTI_R(1.25) * hat, crosses = pair_crosses(q, ee, a, b);
            if (!near && !crosses)
                continue;
            there = bsearch(&key, keys, (size_t)n, sizeof *keys, by_key) != NULL;
            c->near += near, c->crossing += crosses;
            c->missed_near += near && !there, c->missed_crossing += crosses && !there;
        }
    free(box_a), free(box_b);
}

static void against_brute_force(fixture *q, double thickness, found *c)
{
    int32_t *pairs[2] = {NULL, NULL};
    ct_real *half = (ct_real *)malloc(sizeof *half * 3 * (size_t)q->f.nv);
    cti_region_motion m;
    int ee, k;
    m.f = &q->f, m.x0 = q->x0, m.x1 = q->x1;
    update(q);
    assert_true(cti_regions_self(&memory, &q->r, &m, &pairs[0], &pairs[1]));
    for (k = 0; k < 3 * q->f.nv; k++)
        half[k] = (q->x0[k] + q->x1[k]) / 2;
    for (ee = 0; ee < 2; ee++) {
        uint64_t *keys = pair_keys(q, ee, pairs[ee], CTI_LEN(pairs[ee]) / 2);
        count_collisions(q, thickness, ee, half, keys, CTI_LEN(pairs[ee]) / 2, c);
        free(keys);
        CTI_FREE(&memory, pairs[ee]);
    }
    free(half);
}

/* ---- the table ---- */

static double cpu(void) { return (double)clock() / CLOCKS_PER_SEC * 1e3; }

/* turns a sheet to no axis in particular, and moves it */
static void turn(fixture *q, double way)
{
    int i;
    for (i = 0; i < q->f.nv; i++) {
        cti_v3 p = cti_v3_at(q->x0, i), n = cti_v3_make(CTI_R(0.36), CTI_R(0.48), CTI_R(0.8)), m = cti_v3_make(CTI_R(-0.8), CTI_R(0.6), 0);
        cti_v3 to = cti_v3_mad(cti_v3_mad(cti_v3_mul(cti_v3_cross(m, n), p.x), m, p.y), n, p.z);
        cti_v3_put(q->x0, i, to);
        cti_v3_put(q->x1, i, cti_v3_mad(to, cti_v3_make(CTI_R(0.48), CTI_R(0.64), CTI_R(0.6)), (ct_real)way));
    }
}

/* least CPU times of several runs of the region tree; `way`: the criterion of the rule */
static void table_regions(fixture *q, int way, int32_t **vf, int32_t **ee)
{
    double t, update_ms = 1e30, walk_ms = 1e30;
    cti_region_motion m;
    int k;
    m.f = &q->f, m.x0 = q->x0, m.x1 = q->x1;
    q->r.rule = rule_of(0.004, way);
    for (k = 0; k < 9; k++) {
        t = cpu();
        update(q);
        update_ms = fmin(update_ms, cpu() - t);
        t = cpu();
        CTI_CLEAR(*vf), CTI_CLEAR(*ee);
        assert_true(cti_regions_self(&memory, &q->r, &m, vf, ee));
        walk_ms = fmin(walk_ms, cpu() - t);
    }
    printf("| %s | %d | %d | %d | %d | %d | %d | %.2f | %.2f |\n", way == 0 ? "polytopes" : way == 1 ? "cones" : "cones, contours",
        (int)q->r.counts.visited,
           (int)q->r.counts.spared, (int)q->r.counts.contours, (int)q->r.counts.refused, CTI_LEN(*vf) / 2, CTI_LEN(*ee) / 2, update_ms, walk_ms);
}

static void table_boxes(fixture *q, int32_t **vf, int32_t **ee)
{
    double t, update_ms = 1e30, walk_ms = 1e30;
    int k;
    q->range.inflate = CTI_R(0.0025);
    assert_true(cti_broad_build(&memory, &q->f.broad, &q->f.soup, q->f.rest));
    for (k = 0; k < 9; k++) {
        cti_broad_forget(&q->f.broad);
        t = cpu();
        assert_true(cti_broad_update(&memory, &q->f.broad, &q->f.soup, q->x0, q->x1));
        update_ms = fmin(update_ms, cpu() - t);
        t = cpu();
        assert_true(cti_broad_pairs(&memory, &q->f.broad, &q->f.soup, vf, ee, NULL, NULL));
        walk_ms = fmin(walk_ms, cpu() - t);
    }
    printf("| box trees | | | | | %d | %d | %.2f | %.2f |\n", CTI_LEN(*vf) / 2, CTI_LEN(*ee) / 2, update_ms, walk_ms);
}

/* 10,000 faces with cells of 10 mm, a thickness of 4 mm; still, and moving by 15 mm */
static void table(void)
{
    int shape, way, moving;
    for (shape = FLAT; shape <= PRESSED; shape++)
        for (moving = 0; moving < 2; moving++) {
            fixture q;
            int32_t *vf = NULL, *ee = NULL;
            double t = cpu();
            fixture_sheet(&q, 50, 100, 0.01);
            printf("%s, %s (built in %.1f ms)\n", shape_names[shape], moving ? "moving" : "still", cpu() - t);
            fixture_shape(&q, shape, 1, 0.004);
            turn(&q, 0.015 * moving);
            for (way = 0; way < 3; way++) {
                found c;
                memset(&c, 0, sizeof c);
                table_regions(&q, way, &vf, &ee);
                if (!getenv("QUICK"))
                    against_brute_force(&q, 0.004, &c);
                printf("  brute force: %d near, %d cross; missed %d, %d; least stretch %.2f\n", c.near, c.crossing, c.missed_near, c.missed_crossing,
                       least_stretch(&q));
            }
            table_boxes(&q, &vf, &ee);
            CTI_FREE(&memory, vf);
            CTI_FREE(&memory, ee);
            fixture_free(&q);
        }
}

/* ---- the tree ---- */

static uint32_t seed = 12345;
static double unit(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 16777216.0;
}

/* parents of a union-find over faces */
static int find(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* which faces a node has: mark[face] = stamp */
static void mark_faces(const cti_region_tree *t, int node, int *mark, int stamp)
{
    int k;
    for (k = 0; k < t->nodes[node].n; k++)
        mark[t->face[t->nodes[node].first + k]] = stamp;
}

/* Every node: its children part it; it is connected over manifold edges if it is whole; its contour and common vertices are those found directly.
   Returns the depth of the tree. */
static int check_tree(const fixture *q)
{
    const cti_region_tree *t = &q->r.tree;
    int nodes = CTI_LEN(t->nodes), i, k, v, deepest = 0;
    int *mark = (int *)calloc((size_t)t->n_faces, sizeof *mark), *parent = (int *)malloc(sizeof *parent * (size_t)t->n_faces);
    int *depth = (int *)calloc((size_t)nodes, sizeof *depth), *side = (int *)calloc((size_t)t->n_faces, sizeof *side);
    assert_int_equal(t->nodes[0].n, t->n_faces);
    for (i = 0; i < nodes; i++) {
        const cti_region *g = &t->nodes[i];
        int edges = 0, pieces = 0;
        if (g->right) {
            const cti_region *a = &t->nodes[i + 1], *b = &t->nodes[g->right];
            assert_true(a->first == g->first && b->first == a->first + a->n && a->n + b->n == g->n);
            depth[i + 1] = depth[g->right] = depth[i] + 1;
        } else
            assert_true(g->n >= 1 && g->n <= CTI_REGION_LEAF);
        deepest = depth[i] > deepest ? depth[i] : deepest;
        mark_faces(t, i, mark, i + 1);
        for (k = 0; k < t->n_faces; k++)
            parent[k] = k;
        for (k = 0; k < q->f.ne; k++) {
            int32_t a = -1, b = -1, m;
            int inside = 0;
            for (m = 0; m < 3 * t->n_faces; m++)
                if (q->f.face_edges[m] == k && mark[m / 3] == i + 1)
                    inside++, b = a, a = m / 3;
            if (t->manifold[k] && inside == 2)
                parent[find(parent, a)] = find(parent, b);
            else
                edges += inside;
        }
        for (k = 0; k < t->n_faces; k++)
            pieces += mark[k] == i + 1 && find(parent, k) == k;
        assert_int_equal(g->is_region, pieces == 1);
        if (g->is_region)
            assert_int_equal(g->length, edges);
        if (!g->right)
            continue;
        memset(side, 0, sizeof *side * (size_t)t->n_faces);
        mark_faces(t, i + 1, side, 1);
        mark_faces(t, g->right, side, 2);
        for (v = 0, edges = 0; v < q->f.nv; v++) {
            int has[3] = {0, 0, 0}, listed = 0;
            for (k = 0; k < 3 * t->n_faces; k++)
                if (q->f.faces[k] == v)
                    has[side[k / 3]] = 1;
            for (k = 0; k < g->n_common; k++)
                listed += t->common[g->common + k] == v;
            assert_int_equal(listed, has[1] && has[2]);
        }
    }
    free(mark), free(parent), free(depth), free(side);
    return deepest;
}

static void nodes_are_connected(void **state)
{
    /* a sheet; two triangles apart; three at one edge; a fan with a twisted edge; a face with a vertex twice; a closed tetrahedron */
    static const ct_real x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0, 4, 0, 0, 3, 1, 0};
    static const int32_t apart[] = {0, 1, 2, 4, 5, 6}, three[] = {0, 1, 2, 1, 0, 3, 0, 1, 5}, twisted[] = {0, 1, 2, 0, 1, 3, 1, 2, 6};
    static const int32_t twice[] = {0, 1, 2, 2, 1, 1, 1, 4, 2}, closed[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const struct {
        const int32_t *faces;
        int n;
    } cases[] = {{apart, 2}, {three, 3}, {twisted, 3}, {twice, 3}, {closed, 4}};
    fixture q;
    int i;
    (void)state;
    for (i = 0; i < 5; i++) {
        fixture_make(&q, x, 7, cases[i].faces, cases[i].n);
        check_tree(&q);
        assert_int_equal(q.r.tree.nodes[0].is_region, i == 4);
        if (i == 4)
            assert_int_equal(q.r.tree.nodes[0].length, 0);
        fixture_free(&q);
    }
    fixture_sheet(&q, 6, 9, 1);
    assert_true(check_tree(&q) <= 11);
    assert_true(q.r.tree.nodes[0].is_region);
    fixture_free(&q);
    /* 10,000 faces: balanced, and compact: four regions of a quarter each have contours of at most twice a square's */
    fixture_sheet(&q, 50, 100, 1);
    {
        const cti_region *n = q.r.tree.nodes;
        int deepest = 0, depth[20001] = {0};
        for (i = 0; i < CTI_LEN(q.r.tree.nodes); i++) {
            if (n[i].right)
                depth[i + 1] = depth[n[i].right] = depth[i] + 1;
            deepest = depth[i] > deepest ? depth[i] : deepest;
            if (n[i].n >= 64)
                assert_true(n[i].length <= 2 * 4 * sqrt(n[i].n / 2.0));
        }
        assert_true(deepest <= 20);
    }
    fixture_free(&q);
}

static void bodies_without_regions(void **state)
{
    static const ct_real x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t faces[] = {0, 1, 2}, segment[] = {2, 3};
    fixture q;
    (void)state;
    fixture_make(&q, x, 3, faces, 1);
    assert_true(cti_regions_usable(&q.f, 0));
    q.range.f1 = 0;
    assert_false(cti_regions_usable(&q.f, 0));
    q.range.f1 = 1;
    cti_topology_free(&memory, &q.t);
    assert_true(cti_topology_build(&memory, &q.t, 4, faces, 1, segment, 1));
    q.f.edge_faces = q.t.edge_faces, q.f.vertex_owner = q.t.vertex_owner, q.range.v1 = 4, q.range.e1 = q.t.n_edges;
    assert_false(cti_regions_usable(&q.f, 0));
    fixture_free(&q);
}

/* ---- polytopes and cones ---- */

static void random_motion(fixture *q, double size, double common)
{
    double mean[3] = {common * (unit() - 0.5), common * (unit() - 0.5), common * (unit() - 0.5)};
    int i;
    for (i = 0; i < 3 * q->f.nv; i++)
        q->x1[i] = q->x0[i] + (ct_real)(mean[i % 3] + size * (unit() - 0.5));
}

static cti_v3 on_the_way(const fixture *q, int v, ct_real t)
{
    return cti_v3_mad(cti_v3_at(q->x0, v), cti_v3_sub(cti_v3_at(q->x1, v), cti_v3_at(q->x0, v)), t);
}

static void polytopes_contain_motions(void **state)
{
    ct_real a[6], b[6];
    int i, j, k, trial;
    (void)state;
    /* the axes of the six pairs of a dodecahedron's faces: unit, and all at one angle */
    for (i = 0; i < 6; i++)
        for (j = 0; j < 6; j++) {
            double sum = 0;
            for (k = 0; k < 3; k++) {
                cti_v3 e = cti_v3_make(k == 0, k == 1, k == 2);
                cti_region_project(e, a);
                sum += (double)a[i] * (double)a[j];
            }
            assert_true(fabs(fabs(sum) - (i == j ? 1 : sqrt(0.2))) < (CONTACT_REAL == 32 ? 1e-6 : 1e-15));
        }
    for (trial = 0; trial < 6; trial++) {
        fixture q;
        fixture_sheet(&q, 8, 12, 0.01);
        fixture_shape(&q, trial % 3, 0.12, 0.004);
        random_motion(&q, 0.002 * trial, 0.02);
        q.r.rule = rule_of(0.004, 2);
        update(&q);
        for (i = 0; i < CTI_LEN(q.r.tree.nodes); i++)
            for (k = 0; k < 3 * q.r.tree.nodes[i].n; k++) {
                int v = q.f.faces[3 * q.r.tree.face[q.r.tree.nodes[i].first + k / 3] + k % 3];
                cti_v3 off = cti_v3_unit(cti_v3_make((ct_real)(unit() - 0.5), (ct_real)(unit() - 0.5), (ct_real)(unit() - 0.5)), cti_v3_zero());
                cti_region_project(cti_v3_mad(on_the_way(&q, v, (ct_real)unit()), off, q.r.rule.inflate * CTI_R(0.999)), b);
                for (j = 0; j < 6; j++)
                    assert_true(b[j] >= (ct_real)q.r.dop[16 * i + j] && b[j] <= (ct_real)-q.r.dop[16 * i + 8 + j]);
            }
        fixture_free(&q);
    }
}

static void cones_bound_normals(void **state)
{
    int trial, i, k, bound = 0, parents = 0;
    (void)state;
    for (trial = 0; trial < 12; trial++) {
        fixture q;
        fixture_sheet(&q, 8, 12, 0.01);
        fixture_shape(&q, trial % 3, trial % 3 == CRUMPLED ? 0.5 : 0.12, 0.004);
        random_motion(&q, trial < 3 ? 0 : 0.0006 * trial, 0.02);
        q.r.rule = rule_of(0.004, 2);
        q.r.rule.cosine = CTI_R(0.05);
        update(&q);
        for (i = 0; i < CTI_LEN(q.r.tree.nodes); i++) {
            const cti_cone *c = &q.r.cones[i];
            if (!(c->cosine > 0))
                continue;
            bound++, parents += q.r.tree.nodes[i].n > 4;
            for (k = 0; k < 5 * q.r.tree.nodes[i].n; k++) {
                const int32_t *v = q.f.faces + 3 * q.r.tree.face[q.r.tree.nodes[i].first + k / 5];
                ct_real t = (ct_real)(k % 5) / 4;
                cti_v3 a = on_the_way(&q, v[0], t), n = cti_v3_cross(cti_v3_sub(on_the_way(&q, v[1], t), a), cti_v3_sub(on_the_way(&q, v[2], t), a));
                assert_true(cti_v3_dot(n, c->axis) >= c->cosine * cti_v3_norm(n) * (1 - CTI_R(1e-5)));
            }
        }
        fixture_free(&q);
    }
    assert_true(bound > 200 && parents > 100);
}

static void degenerate_faces_have_no_cone(void **state)
{
    /* a strip whose middle face is a sliver on a line, and one that turns over on its way */
    static const ct_real x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 2, 0};
    static const int32_t faces[] = {0, 1, 2, 1, 3, 2, 1, 4, 3};
    fixture q;
    int i, leaf = 0;
    (void)state;
    fixture_make(&q, x, 5, faces, 3);
    q.r.rule = rule_of(0.004, 2);
    update(&q);
    assert_true(q.r.cones[0].cosine > 0);
    q.x0[3 * 3] = q.x1[3 * 3] = CTI_R(0.5), q.x0[3 * 3 + 1] = q.x1[3 * 3 + 1] = CTI_R(0.5); /* face 1 is flat */
    update(&q);
    for (i = 0; i < 5; i++)
        if (!q.r.tree.nodes[i].right && q.r.tree.face[q.r.tree.nodes[i].first] == 1)
            leaf = i;
    assert_true(q.r.cones[leaf].cosine == -1 && q.r.cones[0].cosine == -1);
    memcpy(q.x0, x, sizeof x), memcpy(q.x1, x, sizeof x);
    q.x1[3 * 3] = q.x1[3 * 3 + 1] = 0; /* and turns over */
    update(&q);
    assert_true(q.r.cones[leaf].cosine == -1 && q.r.cones[0].cosine == -1);
    fixture_free(&q);
}

static void update_equals_rebuild(void **state)
{
    int i;
    fixture q, fresh;
    (void)state;
    fixture_sheet(&q, 8, 12, 0.01);
    q.r.rule = rule_of(0.004, 2);
    for (i = 0; i < 4; i++) {
        size_t nodes = (size_t)CTI_LEN(q.r.tree.nodes);
        fixture_shape(&q, i % 3, 0.12, 0.004);
        random_motion(&q, 0.001 * i, 0.01);
        update(&q);
        fixture_sheet(&fresh, 8, 12, 0.01);
        memcpy(fresh.x0, q.x0, sizeof *q.x0 * 3 * (size_t)q.f.nv);
        memcpy(fresh.x1, q.x1, sizeof *q.x1 * 3 * (size_t)q.f.nv);
        fresh.r.rule = q.r.rule;
        update(&fresh);
        assert_memory_equal(q.r.dop, fresh.r.dop, sizeof *q.r.dop * CTI_REGION_DOP * nodes);
        assert_memory_equal(q.r.cones, fresh.r.cones, sizeof *q.r.cones * nodes);
        fixture_free(&fresh);
    }
    fixture_free(&q);
}

/* ---- contours ---- */

/* a strip along points p [2 n] around the origin, between them and 1 - wide of them; closed: the last joins the first */
static void fixture_strip(fixture *q, const double *p, int n, double wide, int closed)
{
    ct_real x[3 * 64];
    int32_t faces[6 * 32];
    int i, k, m = closed ? n : n - 1;
    for (i = 0; i < 2 * n; i++)
        for (k = 0; k < 3; k++)
            x[3 * i + k] = k < 2 ? (ct_real)(p[2 * (i / 2) + k] * (1 - wide * (i % 2))) : 0;
    for (i = 0; i < m; i++) {
        int32_t a = 2 * i, b = 2 * ((i + 1) % n), f[6];
        f[0] = a, f[1] = b, f[2] = b + 1, f[3] = a, f[4] = b + 1, f[5] = a + 1;
        memcpy(faces + 6 * i, f, sizeof f);
    }
    fixture_make(q, x, 2 * n, faces, 2 * m);
    q->r.rule = rule_of(0.08, 2);
}

static int simple(fixture *q)
{
    cti_region_motion m;
    const cti_region *g = &q->r.tree.nodes[0];
    m.f = &q->f, m.x0 = q->x0, m.x1 = q->x1;
    return cti_region_simple(&memory, &q->r, &m, q->r.tree.contour + g->contour, g->length, cti_v3_make(0, 0, 1));
}

static void contour_cases(void **state)
{
    double p[64];
    int i, k;
    fixture q;
    (void)state;
    /* a ring, whose two contours run in opposite senses */
    for (i = 0; i < 12; i++)
        p[2 * i] = cos(i * 0.5235987756), p[2 * i + 1] = sin(i * 0.5235987756);
    fixture_strip(&q, p, 12, 0.3, 1);
    assert_int_equal(simple(&q), 1);
    /* ... moved as a whole, far */
    for (i = 0; i < q.f.nv; i++)
        q.x1[3 * i] += 100;
    assert_int_equal(simple(&q), 1);
    /* ... whose inner contour comes to touch the outer one */
    memcpy(q.x1, q.x0, sizeof *q.x0 * 3 * (size_t)q.f.nv);
    q.x1[3 * 1] += CTI_R(0.22);
    assert_int_equal(simple(&q), 0);
    fixture_free(&q);
    /* an open ring: its ends are .2 apart, then within the reach, which is .1, then one above the other */
    for (k = 0; k < 3; k++) {
        double gap = k == 0 ? 0.2 : k == 1 ? 0.05 : -0.3;
        for (i = 0; i < 12; i++) {
            double turn = gap + (6.2831853 - 2 * gap) * i / 11;
            p[2 * i] = cos(turn), p[2 * i + 1] = sin(turn);
        }
        fixture_strip(&q, p, 12, 0.3, 0);
        /* the shape at rest is straight */
        for (i = 0; i < q.f.nv; i++)
            q.f.rest[3 * i] = (ct_real)(0.5 * (i / 2)), q.f.rest[3 * i + 1] = CTI_R(0.3) * (ct_real)(i % 2);
        assert_int_equal(simple(&q), k == 0);
        /* ... or it is as it is now: near ends are then no collision, but overlap is */
        memcpy(q.f.rest, q.x0, sizeof *q.x0 * 3 * (size_t)q.f.nv);
        assert_int_equal(simple(&q), k <= 1);
        fixture_free(&q);
    }
    /* the ends close in on each other during the motion */
    for (i = 0; i < 12; i++)
        p[2 * i] = cos(0.2 + 5.88 * i / 11), p[2 * i + 1] = sin(0.2 + 5.88 * i / 11);
    fixture_strip(&q, p, 12, 0.3, 0);
    for (i = 0; i < q.f.nv; i++)
        q.f.rest[3 * i] = (ct_real)(0.5 * (i / 2)), q.f.rest[3 * i + 1] = CTI_R(0.3) * (ct_real)(i % 2);
    assert_int_equal(simple(&q), 1);
    for (k = 0; k < 4; k++)
        q.x1[3 * (k < 2 ? k : 20 + k) + 1] *= CTI_R(0.2);
    assert_int_equal(simple(&q), 0);
    fixture_free(&q);
    /* a double ring: twice around, all normals up; the contour of its inner turn is inside that of the outer one */
    for (i = 0; i < 25; i++)
        p[2 * i] = cos(i * 0.5235987756) * (1 + 0.001 * i), p[2 * i + 1] = sin(i * 0.5235987756) * (1 + 0.001 * i);
    fixture_strip(&q, p, 25, 0.3, 0);
    assert_int_equal(simple(&q), 0);
    fixture_free(&q);
}

/* a vertex that a contour passes twice: two triangles of a fan of four, opposite each other */
static void contour_that_touches_itself(void **state)
{
    static const ct_real x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0};
    static const int32_t faces[] = {0, 1, 2, 0, 3, 4};
    int32_t edges[6];
    fixture q;
    cti_region_motion m;
    int i, k, n = 0;
    (void)state;
    fixture_make(&q, x, 5, faces, 2);
    q.r.rule = rule_of(0.08, 2);
    m.f = &q.f, m.x0 = q.x0, m.x1 = q.x1;
    for (i = 0; i < 2; i++)
        for (k = 0; k < 3; k++) {
            int e = q.f.face_edges[3 * i + k];
            edges[n++] = 2 * e + (q.f.faces[3 * i + k] != q.f.edges[2 * e]);
        }
    memset(&q.r.counts, 0, sizeof q.r.counts);
    assert_int_equal(cti_region_simple(&memory, &q.r, &m, edges, n, cti_v3_make(0, 0, 1)), 0);
    assert_int_equal((int)q.r.counts.branched, 1);
    assert_int_equal(cti_region_simple(&memory, &q.r, &m, edges, 3, cti_v3_make(0, 0, 1)), 1);
    fixture_free(&q);
}

/* ---- collisions of sheets ---- */

/* Sheets of all shapes, still and moving. Where no edge is compressed below .625 / .75, no collision is missed; elsewhere they are counted. No
   crossing is missed in either case. */
static void no_collision_is_missed(void **state)
{
    found holds, fails;
    int trial, shape, sheets = 0;
    (void)state;
    memset(&holds, 0, sizeof holds), memset(&fails, 0, sizeof fails);
    for (shape = FLAT; shape <= CRUMPLED; shape++)
        for (trial = 0; trial < 8; trial += PLAIN_OR(1, 3)) {
            fixture q;
            double thickness = trial % 2 ? 0.004 : 0.012; /* below, and above, the cell */
            fixture_sheet(&q, 10, 20, 0.01);
            fixture_shape(&q, shape, 0.2, thickness * (trial < 4 ? 1 : 0.5));
            random_motion(&q, trial % 4 == 0 ? 0 : trial % 4 == 3 ? 0.004 : 0.001, 0.02 * trial);
            q.r.rule = rule_of(thickness, 2);
            if (least_stretch(&q) >= 0.625 / 0.75) {
                sheets++;
                against_brute_force(&q, thickness, &holds);
            } else
                against_brute_force(&q, thickness, &fails);
            fixture_free(&q);
        }
    if (getenv("SHOW"))
        print_message("%d of 24 sheets: %d near, %d cross; missed %d, %d. Others: %d near, %d cross; missed %d, %d\n", sheets, holds.near,
            holds.crossing,
                      holds.missed_near, holds.missed_crossing, fails.near, fails.crossing, fails.missed_near, fails.missed_crossing);
    assert_true(sheets >= PLAIN_OR(12, 4) && holds.near > PLAIN_OR(10000, 3000) && fails.crossing > PLAIN_OR(100, 20));
    assert_int_equal(holds.missed_near, 0);
    assert_int_equal(holds.missed_crossing, 0);
    assert_int_equal(fails.missed_crossing, 0);
    assert_true(fails.missed_near * 50 < fails.near);
}

/* three pages of m cells at a spine of n: an edge of three faces cannot be inside a region */
static void fixture_book(fixture *q, int m, int n, double cell)
{
    ct_real x[3 * 500];
    int32_t faces[6 * 500], *f = faces;
    int page, i, j;
    for (j = 0; j <= n; j++)
        x[3 * j] = x[3 * j + 2] = 0, x[3 * j + 1] = (ct_real)(cell * j);
    for (page = 0; page < 3; page++)
        for (i = 1; i <= m; i++)
            for (j = 0; j <= n; j++) {
                ct_real *p = x + 3 * ((page * m + i) * (n + 1) + j);
                p[0] = (ct_real)(cell * i * cos(2.1 * page)), p[1] = (ct_real)(cell * j), p[2] = (ct_real)(cell * i * sin(2.1 * page));
            }
    for (page = 0; page < 3; page++)
        for (i = 0; i < m; i++)
            for (j = 0; j < n; j++, f += 6) {
                int32_t a = (i ? page * m + i : 0) * (n + 1) + j, b = (page * m + i + 1) * (n + 1) + j;
                f[0] = a, f[1] = b, f[2] = b + 1, f[3] = a, f[4] = b + 1, f[5] = a + 1;
            }
    fixture_make(q, x, (3 * m + 1) * (n + 1), faces, 6 * m * n);
}

/* Pages that close, and one that goes through another; a closed box that is turned inside out. */
static void other_surfaces(void **state)
{
    static const double from[3] = {0, 0.1, 3}, to[3] = {0, -0.1, 2.6};
    fixture q;
    found c;
    ct_mesh box;
    int i, page;
    (void)state;
    memset(&c, 0, sizeof c);
    fixture_book(&q, 6, 10, 0.01);
    assert_false(q.r.tree.nodes[0].is_region);
    for (i = 11; i < q.f.nv; i++) {
        double way = 0.01 * ((i / 11 - 1) % 6 + 1);
        page = (i / 11 - 1) / 6;
        q.x0[3 * i] = (ct_real)(way * cos(from[page])), q.x0[3 * i + 2] = (ct_real)(way * sin(from[page]));
        q.x1[3 * i] = (ct_real)(way * cos(to[page])), q.x1[3 * i + 2] = (ct_real)(way * sin(to[page]));
    }
    q.r.rule = rule_of(0.004, 2);
    against_brute_force(&q, 0.004, &c);
    assert_true(c.near > 100 && c.crossing > 20 && q.r.counts.spared > 1);
    assert_int_equal(c.missed_near + c.missed_crossing, 0);
    fixture_free(&q);

    memset(&c, 0, sizeof c);
    box = mesh_box(0.1, 0.1, 0.02, 10, 10, 2, 0);
    fixture_make(&q, box.positions, box.n_positions, box.triangles, box.n_triangles);
    assert_true(q.r.tree.nodes[0].is_region && q.r.tree.nodes[0].length == 0);
    for (i = 0; i < q.f.nv; i++)
        q.x1[3 * i + 2] *= CTI_R(-0.5);
    q.r.rule = rule_of(0.004, 2);
    against_brute_force(&q, 0.004, &c);
    assert_true(c.crossing > 20 && q.r.counts.spared > 1);
    assert_int_equal(c.missed_crossing, 0);
    ct_mesh_free(&box);
    fixture_free(&q);
}

/* Polytopes alone find every pair that is nearer than the distance, whatever its thickness is. */
static void polytopes_are_complete(void **state)
{
    int shape;
    (void)state;
    for (shape = FLAT; shape <= CRUMPLED; shape++) {
        fixture q;
        found c;
        memset(&c, 0, sizeof c);
        fixture_sheet(&q, 8, 12, 0.01);
        fixture_shape(&q, shape, 0.12, 0.004);
        random_motion(&q, 0.003, 0.01);
        memset(q.f.rest, 0, sizeof *q.f.rest * 3 * (size_t)q.f.nv);
        for (c.near = 0; c.near < q.f.nv; c.near++) /* all pairs are far at rest */
            q.f.rest[3 * c.near] = (ct_real)c.near, q.f.rest[3 * c.near + 1] = (ct_real)(c.near % 2);
        c.near = 0;
        q.r.rule = rule_of(0.012, 0);
        against_brute_force(&q, 0.012, &c);
        assert_true(c.near > 100);
        assert_int_equal(c.missed_near + c.missed_crossing, 0);
        fixture_free(&q);
    }
}

/* A strip that winds around twice and crosses itself, all of it nearly level: the contour test finds out, without it the crossings are missed. */
static void contour_test_is_needed(void **state)
{
    double p[64];
    int way, i;
    (void)state;
    for (i = 0; i < 25; i++)
        p[2 * i] = cos(i * 0.45), p[2 * i + 1] = sin(i * 0.45);
    for (way = 1; way < 3; way++) {
        fixture q;
        found c;
        memset(&c, 0, sizeof c);
        fixture_strip(&q, p, 25, 0.3, 0);
        for (i = 0; i < q.f.nv; i++) {
            /* flat at rest; then a spiral that rises, and comes down through itself */
            q.f.rest[3 * i] = (ct_real)(0.45 * (i / 2)), q.f.rest[3 * i + 1] = CTI_R(0.3) * (ct_real)(i % 2);
            q.x0[3 * i + 2] = (ct_real)(0.02 * (i / 2)), q.x1[3 * i + 2] = (ct_real)(-0.01 * (i / 2));
        }
        q.r.rule = rule_of(0.08, way);
        against_brute_force(&q, 0.08, &c);
        assert_true(c.crossing > 20);
        assert_int_equal(c.missed_crossing > 0, way == 1);
        assert_int_equal(c.missed_near > 0, way == 1);
        fixture_free(&q);
    }
}

/* flat sheets: one region, one contour test, and no pairs, however they move as a whole */
static void smooth_sheets_cost_nothing(void **state)
{
    fixture q;
    cti_region_motion m;
    int32_t *vf = NULL, *ee = NULL;
    int i;
    (void)state;
    fixture_sheet(&q, 50, 100, 0.01);
    m.f = &q.f, m.x0 = q.x0, m.x1 = q.x1;
    for (i = 0; i < 3 * q.f.nv; i++)
        q.x1[i] += CTI_R(0.1);
    q.r.rule = rule_of(0.004, 2);
    update(&q);
    assert_true(cti_regions_self(&memory, &q.r, &m, &vf, &ee));
    assert_int_equal(CTI_LEN(vf) + CTI_LEN(ee), 0);
    assert_int_equal((int)q.r.counts.visited, 1);
    assert_int_equal((int)q.r.counts.contours, 1);
    assert_int_equal(CTI_LEN(q.r.spared), 2);
    /* hold: still there, in a motion within the inflation; not beyond it, nor when the sheet rolls up */
    assert_int_equal(cti_regions_hold(&memory, &q.r, &m), 1);
    q.x1[0] += CTI_R(0.02);
    assert_int_equal(cti_regions_hold(&memory, &q.r, &m), 0);
    fixture_free(&q);
    CTI_FREE(&memory, vf);
    CTI_FREE(&memory, ee);
}

/* A flat sheet that is compressed to .45 around its middle: near pairs along the surface are left out, which are no collisions of it. Where
   its contour is compressed, too, the contour test opens it, and none is left out. */
static void compression_is_no_collision(void **state)
{
    fixture q;
    found c;
    int i, k, whole;
    (void)state;
    for (whole = 0; whole < 2; whole++) {
        memset(&c, 0, sizeof c);
        fixture_sheet(&q, 20, 20, 0.01);
        for (i = 0; i < q.f.nv; i++) {
            double u = (double)q.f.rest[3 * i] - 0.1, v = (double)q.f.rest[3 * i + 1] - 0.1;
            for (k = 0; k < 2; k++)
                if (whole || fmax(fabs(u), fabs(v)) < 0.065)
                    q.x0[3 * i + k] = q.x1[3 * i + k] = (ct_real)(0.1 + 0.45 * (k ? v : u));
        }
        q.r.rule = rule_of(0.012, 2);
        against_brute_force(&q, 0.012, &c);
        assert_true(c.near > 1000);
        assert_int_equal(c.missed_near, whole ? 0 : c.near);
        assert_int_equal(c.crossing, 0);
        fixture_free(&q);
    }
}

/* A sheet folded to a V of 60 degrees is one-to-one from above, but its sides are nearer than .625 of their distance at rest: a cone up to a
   right angle, and contours that keep less, would leave out most collisions in the fold; the rule leaves out none. One of 120 degrees has none.
   */
static void steep_folds_are_opened(void **state)
{
    int way, i;
    (void)state;
    for (way = 0; way < 3; way++) {
        double half = way < 2 ? 0.5236 : 1.0472; /* angle of a side with the middle plane */
        fixture q;
        found c;
        memset(&c, 0, sizeof c);
        fixture_sheet(&q, 6, 20, 0.01);
        for (i = 0; i < q.f.nv; i++) {
            double s = (double)q.f.rest[3 * i + 1] - 0.1;
            q.x0[3 * i + 1] = q.x1[3 * i + 1] = (ct_real)(s * sin(half)), q.x0[3 * i + 2] = q.x1[3 * i + 2] = (ct_real)(-fabs(s) * cos(half));
        }
        q.r.rule = rule_of(0.012, 2);
        if (way == 0)
            q.r.rule.cosine = CTI_R(0.02), q.r.rule.ratio = CTI_R(0.45);
        against_brute_force(&q, 0.012, &c);
        assert_int_equal(c.near > 50, way < 2);
        assert_true(way == 0 ? 2 * c.missed_near > c.near : c.missed_near == 0);
        assert_true(way < 2 || q.r.counts.spared == 1);
        fixture_free(&q);
    }
}

/* what is spared in one motion is not in another */
static void hold_tests_the_criterion(void **state)
{
    fixture q;
    cti_region_motion m;
    int32_t *vf = NULL, *ee = NULL;
    int i;
    (void)state;
    fixture_sheet(&q, 4, 8, 0.01);
    m.f = &q.f, m.x0 = q.x0, m.x1 = q.x1;
    q.r.rule = rule_of(0.004, 2);
    q.r.rule.inflate = CTI_R(0.2); /* wide enough that polytopes cover the second motion */
    update(&q);
    assert_true(cti_regions_self(&memory, &q.r, &m, &vf, &ee));
    assert_int_equal(CTI_LEN(q.r.spared), 2);
    for (i = 0; i < q.f.nv; i++) { /* it folds in the middle */
        double y = (double)q.x0[3 * i + 1] - 0.04;
        if (y > 0)
            q.x1[3 * i + 1] = (ct_real)(0.04 - y), q.x1[3 * i + 2] = CTI_R(0.01);
    }
    assert_int_equal(cti_regions_hold(&memory, &q.r, &m), 0);
    for (i = 0; i < q.f.nv; i++) { /* a little */
        double y = (double)q.x0[3 * i + 1] - 0.04;
        if (y > 0)
            q.x1[3 * i + 1] = (ct_real)(0.04 + 0.95 * y), q.x1[3 * i + 2] = (ct_real)(0.3 * y);
    }
    assert_int_equal(cti_regions_hold(&memory, &q.r, &m), 1);
    fixture_free(&q);
    CTI_FREE(&memory, vf);
    CTI_FREE(&memory, ee);
}

static void memory_runs_out(void **state)
{
    books b;
    ct_allocator a;
    cti_mem saved = memory;
    int k;
    (void)state;
    memset(&b, 0, sizeof b);
    a.resize = books_resize, a.user = &b;
    for (k = 1; k < 200; k++) {
        fixture q;
        cti_region_motion m;
        int32_t *vf = NULL, *ee = NULL;
        int ok;
        fixture_sheet(&q, 4, 8, 0.01);
        fixture_shape(&q, FOLDED, 0.06, 0.004);
        cti_regions_free(&memory, &q.r);
        m.f = &q.f, m.x0 = q.x0, m.x1 = q.x1;
        cti_mem_init(&memory, &a);
        b.calls = 0, b.fail_at = k;
        ok = cti_regions_build(&memory, &q.r, &q.f, 0);
        if (ok) {
            q.r.rule = rule_of(0.004, 2);
            update(&q);
            ok = cti_regions_self(&memory, &q.r, &m, &vf, &ee);
        }
        cti_regions_free(&memory, &q.r);
        CTI_FREE(&memory, vf);
        CTI_FREE(&memory, ee);
        assert_int_equal((int)b.blocks, 0);
        assert_int_equal((int)b.wrong, 0);
        memory = saved;
        fixture_free(&q);
        if (ok)
            break;
    }
    assert_true(k > 30 && k < 200);
}

/* ---- worlds ---- */

static ct_world *sheet_world(int regions, int upright, ct_body_id *id, books *b)
{
    ct_world_desc d = world_desc(4e-3, 0.5, b);
    ct_mesh m = upright ? mesh_grid(0.4, 0.04, 40, 4) : mesh_grid(0.2, 0.1, 10, 5);
    ct_world *w;
    d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.regions = regions;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    mesh_place(&m, upright ? 1.55 : 0, 0, upright ? 0.21 : 0.02, 0);
    *id = add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.2);
    ct_mesh_free(&m);
    return w;
}

/* the collisions of a world's surface at the end of a step that its lists do not have */
static void check_lists(const ct_world *w, found *c)
{
    const cti_geometric *g = cti_geometric_own(&w->state);
    fixture q;
    int ee;
    memset(&q, 0, sizeof q);
    q.f = w->state.surface, q.x0 = q.x1 = w->state.surface.x0;
    for (ee = 0; ee < 2; ee++) {
        const int32_t *pairs = g->list[ee ? CTI_LIST_EE : CTI_LIST_VF].pairs;
        uint64_t *keys = pair_keys(&q, ee, pairs, CTI_LEN(pairs) / 2);
        count_collisions(&q, 4e-3, ee, q.x0, keys, CTI_LEN(pairs) / 2, c);
        free(keys);
    }
}

/* A sheet that lies down has no self-collisions: with regions and with box trees it moves the same, to the bit. One that falls upright and
   folds does not intersect itself with either, and no collision is missing in the lists. */
static void worlds_agree(void **state)
{
    ct_world *w[2];
    ct_body_id id[2];
    books b[2];
    int i, k, n[2], stays;
    (void)state;
    for (stays = 1; stays >= PLAIN_OR(0, 1); stays--) {
        int64_t candidates[2] = {0, 0}, calls = 0;
        found c;
        memset(&c, 0, sizeof c), memset(b, 0, sizeof b);
        for (k = 0; k < 2; k++)
            w[k] = sheet_world(k, !stays, &id[k], &b[k]);
        for (i = 0; i < (stays ? 30 : 40); i++) {
            calls = i == 20 ? b[1].calls : calls;
            for (k = 0; k < 2; k++) {
                ct_step_report r = step_once(w[k], 0.01);
                candidates[k] += r.candidates;
                if (i % 4 == 3)
                    check_lists(w[k], &c);
                assert_int_equal(r.tangled, 0);
            }
        }
        if (stays) {
            double *p = read_vectors(w[0], id[0], 0, &n[0]), *q = read_vectors(w[1], id[1], 0, &n[1]);
            assert_int_equal(n[0], n[1]);
            assert_memory_equal(p, q, sizeof *p * 3 * (size_t)n[0]);
            assert_true(b[1].calls == calls); /* no memory is asked for once the sheet rests */
            free(p), free(q);
        }
        if (getenv("SHOW"))
            print_message("candidates %d, %d; %d near, missed %d\n", (int)candidates[0], (int)candidates[1], c.near, c.missed_near);
        assert_true(candidates[0] > 0 && candidates[1] > 0 && (stays || c.near > 1000));
        assert_int_equal(c.missed_near, 0);
        for (k = 0; k < 2; k++) {
            assert_int_equal(count_intersections(w[k]), 0);
            ct_world_destroy(w[k]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_connected),
        cmocka_unit_test(bodies_without_regions),
        cmocka_unit_test(polytopes_contain_motions),
        cmocka_unit_test(cones_bound_normals),
        cmocka_unit_test(degenerate_faces_have_no_cone),
        cmocka_unit_test(update_equals_rebuild),
        cmocka_unit_test(contour_cases),
        cmocka_unit_test(contour_that_touches_itself),
        cmocka_unit_test(no_collision_is_missed),
        cmocka_unit_test(other_surfaces),
        cmocka_unit_test(polytopes_are_complete),
        cmocka_unit_test(contour_test_is_needed),
        cmocka_unit_test(smooth_sheets_cost_nothing),
        cmocka_unit_test(compression_is_no_collision),
        cmocka_unit_test(steep_folds_are_opened),
        cmocka_unit_test(hold_tests_the_criterion),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(worlds_agree),
    };
    cti_mem_init(&memory, NULL);
    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        table();
        return 0;
    }
    return cmocka_run_group_tests_name("regions", tests, NULL, NULL);
}
