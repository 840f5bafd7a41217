/* regions.c -- the pairs of a body with itself.
   Method: a region with itself is spared if the criterion holds, else it is opened: each child with itself, and one with the other. Two regions are
   adjacent if they have a vertex in common; the list of such vertices is handed down, and each child keeps those that it has. Adjacent regions are
   spared if the criterion holds for their union; others are apart if their polytopes are. A pair of leaves gives the pairs of the features that these
   leaves own, so that each pair is found once; polytopes of features are compared eight at a time.
   based on: Volino, Magnenat-Thalmann 1994, sec. 3. differs: regions that have a vertex but no edge in common are opened. */
#include "regions.h"
#include "../1_math/simd.h"

/* cti_region_walk -- is a traversal. */
typedef struct cti_region_walk {
    cti_mem *mem;
    cti_regions *r;
    const cti_region_motion *m;
    int32_t **vf, **ee;
} cti_region_walk;

/* appends two numbers to a list. 0: out of memory */
static int cti_region_append(cti_mem *mem, int32_t **list, int32_t a, int32_t b)
{
    int n = CTI_LEN(*list);
    if (!CTI_RESERVE(mem, *list, n + 2))
        return 0;
    (*list)[n] = a, (*list)[n + 1] = b;
    stbds_header(*list)->length = (size_t)n + 2;
    return 1;
}

/* ---- the criterion ---- */

/* returns 1 if the criterion holds for a region (b -1) or for the union of two; -1: out of memory */
static int cti_region_spared(cti_mem *mem, cti_regions *r, const cti_region_motion *m, int a, int b)
{
    cti_region_tree *t = &r->tree;
    const cti_region *g = &t->nodes[a];
    cti_cone cone = r->cones[a];
    int simple, joints;
    r->counts.cones++;
    if (b >= 0)
        cone = cti_cone_join(&cone, &r->cones[b]);
    if (!(cone.cosine >= r->rule.cosine))
        return 0;
    if (b >= 0) {
        joints = cti_region_union(mem, r, a, b);
        if (joints <= 0)
            return joints;
        if (r->rule.criterion == 1)
            return 1;
        simple = cti_region_simple(mem, r, m, r->work.edges, CTI_LEN(r->work.edges), cone.axis);
    } else
        simple = r->rule.criterion == 1 ? 1 : cti_region_simple(mem, r, m, t->contour + g->contour, g->length, cone.axis);
    r->counts.refused += simple == 0;
    return simple;
}

/* returns the same, and lists what is spared. -1: out of memory */
static int cti_region_spare(const cti_region_walk *w, int a, int b)
{
    int spared = w->r->rule.criterion ? cti_region_spared(w->mem, w->r, w->m, a, b) : 0;
    if (spared <= 0)
        return spared;
    w->r->counts.spared++;
    return cti_region_append(w->mem, &w->r->spared, a, b) ? 1 : -1;
}

/* ---- leaves ---- */

/* returns 1 where two polytopes overlap */
static int cti_region_overlap(const float *a, const float *b)
{
    cti_f8 below = cti_f8_add(cti_f8_load(a), cti_f8_load(b + 8)), above = cti_f8_add(cti_f8_load(b), cti_f8_load(a + 8));
    return cti_f8_bits(cti_f8_le(cti_f8_max(below, above), cti_f8_set(0))) == 255;
}

/* returns the lanes of a block that a polytope overlaps */
static unsigned cti_region_lanes(const float *dop, const float *block)
{
    cti_f8 most = cti_f8_set(-1);
    int k;
    for (k = 0; k < 6; k++) {
        most = cti_f8_max(most, cti_f8_add(cti_f8_set(dop[k]), cti_f8_load(block + 8 * (6 + k))));
        most = cti_f8_max(most, cti_f8_add(cti_f8_set(dop[8 + k]), cti_f8_load(block + 8 * k)));
    }
    return (unsigned)cti_f8_bits(cti_f8_le(most, cti_f8_set(0)));
}

/* sets a lane of a block; dop NULL: to one that overlaps nothing */
static void cti_region_put(float *block, int lane, const float *dop)
{
    int k;
    for (k = 0; k < 6; k++) {
        block[8 * k + lane] = dop ? dop[k] : 3e38f; /* beyond every polytope: cti_round_float */
        block[8 * (6 + k) + lane] = dop ? dop[8 + k] : 3e38f;
    }
}

/* makes the polytope of up to three vertices */
static void cti_region_feature_dop(const cti_regions *r, const int32_t *v, int n, float *out)
{
    const float *at = r->vertex_dop - CTI_REGION_DOP * (ptrdiff_t)r->tree.v0;
    cti_region_enclose(out, at + CTI_REGION_DOP * (ptrdiff_t)v[0], at + CTI_REGION_DOP * (ptrdiff_t)v[n - 1]);
    if (n == 3)
        cti_region_enclose(out, out, at + CTI_REGION_DOP * (ptrdiff_t)v[1]);
}

/* fills the blocks of a leaf, once in a query */
static void cti_region_fill(cti_regions *r, const cti_surface *f, const cti_region *g)
{
    const cti_region_tree *t = &r->tree;
    const cti_region_leaf *l = &t->leaves[g->leaf];
    float *at = r->work.blocks + CTI_REGION_BLOCK * (size_t)l->block, dop[CTI_REGION_DOP];
    int i, n;
    if (r->work.filled[g->leaf] == r->work.query)
        return;
    r->work.filled[g->leaf] = r->work.query;
    for (i = 0; i < 8; i++) {
        if (i < g->n)
            cti_region_feature_dop(r, f->faces + 3 * (size_t)t->face[g->first + i], 3, dop);
        cti_region_put(at, i, i < g->n ? dop : NULL);
    }
    at += CTI_REGION_BLOCK;
    n = (l->n_owned + 7) / 8;
    for (i = 0; i < 8 * n; i++)
        cti_region_put(at + CTI_REGION_BLOCK * (i / 8), i % 8,
                       i < l->n_owned ? r->vertex_dop + CTI_REGION_DOP * (size_t)(t->vertices[l->vertex + i] - t->v0) : NULL);
    at += CTI_REGION_BLOCK * (size_t)n;
    n = (l->n_edges + 7) / 8;
    for (i = 0; i < 8 * n; i++) {
        if (i < l->n_edges)
            cti_region_feature_dop(r, f->edges + 2 * (size_t)t->edges[l->edge + i], 2, dop);
        cti_region_put(at + CTI_REGION_BLOCK * (i / 8), i % 8, i < l->n_edges ? dop : NULL);
    }
}

/* appends pairs of the vertices that leaf a owns and the faces of leaf b. 0: out of memory */
static int cti_region_vertices(const cti_region_walk *w, int node_a, int node_b)
{
    const cti_regions *r = w->r;
    const cti_region_tree *t = &r->tree;
    const cti_region_leaf *a = &t->leaves[t->nodes[node_a].leaf], *b = &t->leaves[t->nodes[node_b].leaf];
    const float *points = r->work.blocks + CTI_REGION_BLOCK * (size_t)(a->block + 1), *faces = r->work.blocks + CTI_REGION_BLOCK * (size_t)b->block;
    int base;
    for (base = 0; base < a->n_owned; base += 8) {
        unsigned lanes = cti_region_lanes(r->dop + CTI_REGION_DOP * (size_t)node_b, points + CTI_REGION_BLOCK * (base / 8));
        for (; lanes; lanes &= lanes - 1) {
            int32_t v = t->vertices[a->vertex + base + cti_lowest_bit(lanes)];
            unsigned hits = cti_region_lanes(r->vertex_dop + CTI_REGION_DOP * (size_t)(v - t->v0), faces);
            for (; hits; hits &= hits - 1) {
                int32_t face = t->face[t->nodes[node_b].first + cti_lowest_bit(hits)];
                const int32_t *u = w->m->f->faces + 3 * (size_t)face;
                if (v != u[0] && v != u[1] && v != u[2] && !cti_region_append(w->mem, w->vf, v, face))
                    return 0;
            }
        }
    }
    return 1;
}

/* appends pairs of the edges that leaf a owns and those of leaf b. 0: out of memory */
static int cti_region_edges(const cti_region_walk *w, int node_a, int node_b)
{
    const cti_regions *r = w->r;
    const cti_region_tree *t = &r->tree;
    const cti_region_leaf *a = &t->leaves[t->nodes[node_a].leaf], *b = &t->leaves[t->nodes[node_b].leaf];
    const float *from = r->work.blocks + CTI_REGION_BLOCK * (size_t)(a->block + 1 + (a->n_owned + 7) / 8);
    const float *to = r->work.blocks + CTI_REGION_BLOCK * (size_t)(b->block + 1 + (b->n_owned + 7) / 8);
    int base, i;
    for (base = 0; base < a->n_edges; base += 8) {
        unsigned lanes = cti_region_lanes(r->dop + CTI_REGION_DOP * (size_t)node_b, from + CTI_REGION_BLOCK * (base / 8));
        for (; lanes; lanes &= lanes - 1) {
            int at = base + cti_lowest_bit(lanes);
            int32_t e = t->edges[a->edge + at];
            const int32_t *v = w->m->f->edges + 2 * (size_t)e;
            float dop[CTI_REGION_DOP];
            cti_region_feature_dop(r, v, 2, dop);
            for (i = node_a == node_b ? at / 8 : 0; i < (b->n_edges + 7) / 8; i++) {
                unsigned hits = cti_region_lanes(dop, to + CTI_REGION_BLOCK * i);
                /* a leaf with itself: each pair once */
                if (node_a == node_b && i == at / 8)
                    hits &= ~((1u << at % 8) * 2u - 1u);
                for (; hits; hits &= hits - 1) {
                    int32_t d = t->edges[b->edge + 8 * i + cti_lowest_bit(hits)];
                    const int32_t *u = w->m->f->edges + 2 * (size_t)d;
                    if (v[0] != u[0] && v[0] != u[1] && v[1] != u[0] && v[1] != u[1] &&
                        !cti_region_append(w->mem, w->ee, cti_min_int(e, d), cti_max_int(e, d)))
                        return 0;
                }
            }
        }
    }
    return 1;
}

/* appends the pairs of features that two leaves own, or one. 0: out of memory */
static int cti_region_pairs(const cti_region_walk *w, int a, int b)
{
    const cti_region *nodes = w->r->tree.nodes;
    w->r->counts.leaves++;
    cti_region_fill(w->r, w->m->f, &nodes[a]);
    cti_region_fill(w->r, w->m->f, &nodes[b]);
    return cti_region_vertices(w, a, b) && (a == b || cti_region_vertices(w, b, a)) && cti_region_edges(w, a, b);
}

/* ---- the traversal ---- */

/* pushes a pair whose common vertices are shared[from ..). 0: out of memory */
static int cti_region_push(const cti_region_walk *w, int a, int b, int from)
{
    cti_region_work *q = &w->r->work;
    return cti_region_append(w->mem, &q->stack, a, b) && cti_region_append(w->mem, &q->stack, from, CTI_LEN(q->shared));
}

/* returns 1 where a region has a face at a vertex */
static int cti_region_has(const cti_region_tree *t, const cti_region *g, int32_t v)
{
    int k;
    for (k = t->ring_start[v - t->v0]; k < t->ring_start[v - t->v0 + 1]; k++)
        if (t->ring[k] >= g->first)
            return t->ring[k] < g->first + g->n;
    return 0;
}

/* opens a region with itself, whose criterion does not hold. 0: out of memory */
static int cti_region_open(const cti_region_walk *w, int a)
{
    const cti_region *g = &w->r->tree.nodes[a];
    cti_region_work *q = &w->r->work;
    int k, from = CTI_LEN(q->shared);
    for (k = 0; k < g->n_common; k++)
        if (!CTI_PUSH(w->mem, q->shared, w->r->tree.common[g->common + k]))
            return 0;
    return cti_region_push(w, a + 1, g->right, from) && cti_region_push(w, a + 1, -1, CTI_LEN(q->shared)) &&
           cti_region_push(w, g->right, -1, CTI_LEN(q->shared));
}

/* opens one region of a pair, the larger one. 0: out of memory */
static int cti_region_split(const cti_region_walk *w, int a, int b, int from, int to)
{
    const cti_region_tree *t = &w->r->tree;
    cti_region_work *q = &w->r->work;
    int turn = !t->nodes[a].right || (t->nodes[b].right && t->nodes[b].n > t->nodes[a].n), open = turn ? b : a, keep = turn ? a : b, side, k;
    for (side = 0; side < 2; side++) {
        int child = side ? t->nodes[open].right : open + 1, begin = CTI_LEN(q->shared);
        for (k = from; k < to; k++)
            if (cti_region_has(t, &t->nodes[child], q->shared[k]) && !CTI_PUSH(w->mem, q->shared, q->shared[k]))
                return 0;
        if (!cti_region_push(w, child, keep, begin))
            return 0;
    }
    return 1;
}

/* visits one entry of the stack. 0: out of memory */
static int cti_region_visit(const cti_region_walk *w, const int32_t entry[4])
{
    cti_regions *r = w->r;
    const cti_region *nodes = r->tree.nodes;
    int a = entry[0], b = entry[1], spared = 0;
    r->counts.visited++;
    if (b < 0) {
        spared = cti_region_spare(w, a, -1);
        if (spared != 0)
            return spared > 0;
        return nodes[a].right ? cti_region_open(w, a) : cti_region_pairs(w, a, a);
    }
    if (entry[3] > entry[2]) {
        if (entry[3] > entry[2] + 1)
            spared = cti_region_spare(w, a, b);
        if (spared != 0)
            return spared > 0;
    } else {
        r->counts.overlaps++;
        if (!cti_region_overlap(r->dop + CTI_REGION_DOP * (size_t)a, r->dop + CTI_REGION_DOP * (size_t)b))
            return 1;
    }
    if (!nodes[a].right && !nodes[b].right)
        return cti_region_pairs(w, a, b);
    return cti_region_split(w, a, b, entry[2], entry[3]);
}

CTI_FN int cti_regions_self(cti_mem *mem, cti_regions *r, const cti_region_motion *m, int32_t **vf, int32_t **ee)
{
    cti_region_work *q = &r->work;
    cti_region_walk w;
    w.mem = mem, w.r = r, w.m = m, w.vf = vf, w.ee = ee;
    memset(&r->counts, 0, sizeof r->counts);
    CTI_CLEAR(r->spared);
    CTI_CLEAR(q->stack);
    CTI_CLEAR(q->shared);
    if (q->stamp > INT32_MAX / 4 || q->query > INT32_MAX / 4) {
        memset(q->vertex_stamp, 0, sizeof *q->vertex_stamp * (size_t)(r->tree.v1 - r->tree.v0));
        memset(q->edge_stamp, 0, sizeof *q->edge_stamp * (size_t)(r->tree.e1 - r->tree.e0));
        memset(q->filled, 0, sizeof *q->filled * (size_t)CTI_LEN(r->tree.leaves));
        q->stamp = q->query = 0;
    }
    q->query++;
    if (!cti_region_push(&w, 0, -1, 0))
        return 0;
    while (CTI_LEN(q->stack) > 0) {
        int32_t entry[4];
        int top = CTI_LEN(q->stack) - 4;
        memcpy(entry, q->stack + top, sizeof entry);
        stbds_header(q->stack)->length = (size_t)top;
        /* lists of pairs above this one are no longer needed */
        if (q->shared)
            stbds_header(q->shared)->length = (size_t)entry[3];
        if (!cti_region_visit(&w, entry))
            return 0;
    }
    return 1;
}

CTI_FN int cti_regions_hold(cti_mem *mem, cti_regions *r, const cti_region_motion *m)
{
    int i, spared = 1;
    if (!cti_regions_inside(r, m->x0) || !cti_regions_inside(r, m->x1))
        return 0;
    cti_regions_cones(r, m);
    for (i = 0; spared > 0 && i < CTI_LEN(r->spared) / 2; i++)
        spared = cti_region_spared(mem, r, m, r->spared[2 * i], r->spared[2 * i + 1]);
    return spared;
}
