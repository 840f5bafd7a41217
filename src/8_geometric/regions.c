/* regions.c -- the pairs of a body with itself.
   Method: a region with itself is spared if the criterion holds, else it is opened: each child with itself, and one with the other. Two regions are
   adjacent if they have a vertex in common; the list of such vertices is handed down, and each child keeps those that it has. Adjacent regions are
   spared if the criterion holds for their union; others are apart if their polytopes are. A pair of faces gives the pairs of the features that these
   faces own, so that each pair is found once.
   based on: Volino, Magnenat-Thalmann 1994, sec. 3. differs: regions that have a vertex but no edge in common are opened. */
#include "regions.h"
#include "../1_math/simd.h"

enum { CTI_REGION_STAMPS = 1 << 29 }; /* stamps begin anew before they overflow */

/* cti_region_walk -- a traversal. */
typedef struct cti_region_walk {
    cti_mem *mem;
    cti_regions *r;
    const cti_region_motion *m;
    int32_t **vf, **ee;
} cti_region_walk;

/* ---- the criterion ---- */

/* 1 if the criterion holds for a region (b -1) or for the union of two; -1: out of memory */
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
        /* two faces at an edge, both below the axis, are on its two sides */
        if (r->rule.criterion == 1 || (g->n == 1 && t->nodes[b].n == 1))
            return 1;
        simple = cti_region_simple(mem, r, m, r->work.edges, CTI_LEN(r->work.edges), cone.axis);
    } else
        simple = r->rule.criterion == 1 ? 1 : cti_region_simple(mem, r, m, t->contour + g->contour, g->length, cone.axis);
    r->counts.refused += simple == 0;
    return simple;
}

/* spared, and noted. -1: out of memory */
static int cti_region_spare(const cti_region_walk *w, int a, int b)
{
    int spared = w->r->rule.criterion ? cti_region_spared(w->mem, w->r, w->m, a, b) : 0;
    if (spared <= 0)
        return spared;
    w->r->counts.spared++;
    return CTI_PUSH(w->mem, w->r->spared, a) && CTI_PUSH(w->mem, w->r->spared, b) ? 1 : -1;
}

/* ---- faces ---- */

static int cti_region_touch(const float *a, const float *b)
{
    cti_f8 zero = cti_f8_set(0);
    cti_f8 below = cti_f8_le(cti_f8_add(cti_f8_load(a), cti_f8_load(b + 8)), zero);
    cti_f8 above = cti_f8_le(cti_f8_add(cti_f8_load(b), cti_f8_load(a + 8)), zero);
    return cti_f8_bits(cti_f8_and(below, above)) == 255;
}

/* the polytope of an edge */
static void cti_region_edge_dop(const cti_regions *r, const int32_t *v, float *out)
{
    const float *a = r->vertex_dop + CTI_REGION_DOP * (size_t)(v[0] - r->tree.v0), *b = r->vertex_dop + CTI_REGION_DOP * (size_t)(v[1] - r->tree.v0);
    cti_f8_store(out, cti_f8_min(cti_f8_load(a), cti_f8_load(b)));
    cti_f8_store(out + 8, cti_f8_min(cti_f8_load(a + 8), cti_f8_load(b + 8)));
}

/* vertices that leaf a owns against the face of leaf b. 0: out of memory */
static int cti_region_vertices(const cti_region_walk *w, int a, int b, const float *dop_b)
{
    const cti_region_tree *t = &w->r->tree;
    const int32_t *va = w->m->f->faces + 3 * (size_t)t->leaf_face[a], *vb = w->m->f->faces + 3 * (size_t)t->leaf_face[b];
    int k;
    for (k = 0; k < 3; k++) {
        int32_t v = va[k];
        if (!(t->owned[a] >> k & 1) || v == vb[0] || v == vb[1] || v == vb[2])
            continue;
        if (cti_region_touch(w->r->vertex_dop + CTI_REGION_DOP * (size_t)(v - t->v0), dop_b) &&
            (!CTI_PUSH(w->mem, *w->vf, v) || !CTI_PUSH(w->mem, *w->vf, t->leaf_face[b])))
            return 0;
    }
    return 1;
}

/* the pairs of features that two faces own. 0: out of memory */
static int cti_region_faces(const cti_region_walk *w, int node_a, int node_b)
{
    const cti_regions *r = w->r;
    const cti_region_tree *t = &r->tree;
    const cti_surface *f = w->m->f;
    int a = t->nodes[node_a].first, b = t->nodes[node_b].first, i, j;
    const float *dop_a = r->dop + CTI_REGION_DOP * (size_t)node_a, *dop_b = r->dop + CTI_REGION_DOP * (size_t)node_b;
    w->r->counts.leaves++;
    if (!cti_region_vertices(w, a, b, dop_b) || !cti_region_vertices(w, b, a, dop_a))
        return 0;
    for (i = 0; i < 3; i++) {
        int32_t ea = f->face_edges[3 * (size_t)t->leaf_face[a] + (size_t)i];
        const int32_t *va = f->edges + 2 * (size_t)cti_max_int(ea, 0);
        float dop[CTI_REGION_DOP], other[CTI_REGION_DOP];
        if (!(t->owned[a] >> (3 + i) & 1))
            continue;
        cti_region_edge_dop(r, va, dop);
        if (!cti_region_touch(dop, dop_b))
            continue;
        for (j = 0; j < 3; j++) {
            int32_t eb = f->face_edges[3 * (size_t)t->leaf_face[b] + (size_t)j];
            const int32_t *vb = f->edges + 2 * (size_t)cti_max_int(eb, 0);
            if (!(t->owned[b] >> (3 + j) & 1) || va[0] == vb[0] || va[0] == vb[1] || va[1] == vb[0] || va[1] == vb[1])
                continue;
            cti_region_edge_dop(r, vb, other);
            if (cti_region_touch(dop, other) &&
                (!CTI_PUSH(w->mem, *w->ee, cti_min_int(ea, eb)) || !CTI_PUSH(w->mem, *w->ee, cti_max_int(ea, eb))))
                return 0;
        }
    }
    return 1;
}

/* ---- the traversal ---- */

/* pushes a pair whose common vertices are shared[from ..). 0: out of memory */
static int cti_region_push(const cti_region_walk *w, int a, int b, int from)
{
    cti_region_work *q = &w->r->work;
    return CTI_PUSH(w->mem, q->stack, a) && CTI_PUSH(w->mem, q->stack, b) && CTI_PUSH(w->mem, q->stack, from) &&
           CTI_PUSH(w->mem, q->stack, CTI_LEN(q->shared));
}

/* does a region have a face at a vertex? */
static int cti_region_has(const cti_region_tree *t, const cti_region *g, int32_t v)
{
    int k;
    for (k = t->ring_start[v - t->v0]; k < t->ring_start[v - t->v0 + 1]; k++)
        if (t->ring[k] >= g->first)
            return t->ring[k] < g->first + g->n;
    return 0;
}

/* a region with itself, whose criterion does not hold. 0: out of memory */
static int cti_region_open(const cti_region_walk *w, int a)
{
    const cti_region *g = &w->r->tree.nodes[a];
    cti_region_work *q = &w->r->work;
    int k, from = CTI_LEN(q->shared);
    for (k = 0; k < g->n_meet; k++)
        if (!CTI_PUSH(w->mem, q->shared, w->r->tree.meet[g->meet + k]))
            return 0;
    return cti_region_push(w, a + 1, g->right, from) && cti_region_push(w, a + 1, -1, CTI_LEN(q->shared)) &&
           cti_region_push(w, g->right, -1, CTI_LEN(q->shared));
}

/* one region of a pair is opened: the larger one. 0: out of memory */
static int cti_region_split(const cti_region_walk *w, int a, int b, int from, int to)
{
    const cti_region_tree *t = &w->r->tree;
    cti_region_work *q = &w->r->work;
    int turn = t->nodes[b].n > t->nodes[a].n, open = turn ? b : a, keep = turn ? a : b, side, k;
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

/* one entry of the stack. 0: out of memory */
static int cti_region_visit(const cti_region_walk *w, const int32_t entry[4])
{
    cti_regions *r = w->r;
    const cti_region *nodes = r->tree.nodes;
    int a = entry[0], b = entry[1], spared = 0;
    r->counts.visited++;
    if (b < 0) {
        spared = nodes[a].n == 1 ? 1 : cti_region_spare(w, a, -1);
        return spared < 0 ? 0 : spared ? 1 : cti_region_open(w, a);
    }
    if (entry[3] > entry[2]) {
        if (entry[3] > entry[2] + 1)
            spared = cti_region_spare(w, a, b);
        if (spared != 0)
            return spared > 0;
    } else {
        r->counts.overlaps++;
        if (!cti_region_touch(r->dop + CTI_REGION_DOP * (size_t)a, r->dop + CTI_REGION_DOP * (size_t)b))
            return 1;
    }
    if (nodes[a].n == 1 && nodes[b].n == 1)
        return cti_region_faces(w, a, b);
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
    if (q->stamp > CTI_REGION_STAMPS) {
        memset(q->vertex_stamp, 0, sizeof *q->vertex_stamp * (size_t)(r->tree.v1 - r->tree.v0));
        memset(q->edge_stamp, 0, sizeof *q->edge_stamp * (size_t)(r->tree.e1 - r->tree.e0));
        q->stamp = 0;
    }
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
    if (!cti_regions_inside(r, m->x1))
        return 0;
    cti_regions_cones(r, m->f, m->x0, m->x1);
    for (i = 0; spared > 0 && i < CTI_LEN(r->spared) / 2; i++)
        spared = cti_region_spared(mem, r, m, r->spared[2 * i], r->spared[2 * i + 1]);
    return spared;
}
