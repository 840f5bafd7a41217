/* regions_tree.c -- the finished tree: preorder, leaves and their features, common vertices of children, contours.
   Method: the merged tree is cut where regions have at most eight faces. A contour is that of the children without the edges where they meet; that
   of a leaf consists of the sides that no other face of the leaf has in the opposite direction.
   based on: Volino, Magnenat-Thalmann 1994, sec. 3. */
#include "regions.h"
#include "../0_base/sort.h"

/* cti_region_source -- is the merged tree. */
typedef struct cti_region_source {
    const int32_t *child, *size;
    int from, glued;
} cti_region_source;

/* makes the nodes, and lists the faces of each. below, stack: scratch [nodes of the source]. 0: out of memory */
static int cti_region_number(cti_mem *mem, cti_region_tree *t, const cti_region_source *q, int f0, int32_t *below, int32_t *stack)
{
    int i, n = 0, top = 0, faces = 0, leaves = 0;
    /* nodes at and below each one; children come before their parents */
    for (i = 0; i <= q->from; i++)
        below[i] = q->size[i] <= CTI_REGION_LEAF ? 1 : 1 + below[q->child[2 * i]] + below[q->child[2 * i + 1]];
    if (!CTI_RESIZE(mem, t->nodes, below[q->from]) || !CTI_RESIZE(mem, t->face, t->n_faces))
        return 0;
    stack[top++] = q->from;
    while (top > 0) {
        int node = stack[--top];
        cti_region *g = &t->nodes[n];
        memset(g, 0, sizeof *g);
        g->first = faces, g->n = q->size[node], g->is_region = node < q->glued;
        if (g->n > CTI_REGION_LEAF) {
            g->right = n + 1 + below[q->child[2 * node]];
            stack[top++] = q->child[2 * node + 1], stack[top++] = q->child[2 * node];
        } else {
            int base = top;
            g->leaf = leaves++;
            for (stack[top++] = node; top > base;) {
                int i0 = stack[--top];
                if (q->child[2 * i0] >= 0)
                    stack[top++] = q->child[2 * i0 + 1], stack[top++] = q->child[2 * i0];
                else
                    t->face[faces++] = f0 + i0;
            }
        }
        n++;
    }
    return CTI_RESIZE(mem, t->leaves, leaves);
}

/* lists the features of a leaf; vertex_stamp marks vertices. 0: out of memory */
static int cti_region_features(cti_mem *mem, cti_regions *r, const cti_surface *f, const cti_region *g)
{
    cti_region_tree *t = &r->tree;
    cti_region_leaf *l = &t->leaves[g->leaf];
    int i, own, stamp = ++r->work.stamp;
    l->vertex = CTI_LEN(t->vertices), l->edge = CTI_LEN(t->edges);
    for (own = 1; own >= 0; own--) {
        for (i = 0; i < 3 * g->n; i++) {
            int face = t->face[g->first + i / 3];
            int v = f->faces[3 * (size_t)face + (size_t)(i % 3)], e = f->face_edges[3 * (size_t)face + (size_t)(i % 3)];
            if (own && e >= 0 && f->edge_owner[e] == face && !CTI_PUSH(mem, t->edges, e))
                return 0;
            if (r->work.vertex_stamp[v - t->v0] == stamp || (own && f->vertex_owner[v] != face))
                continue;
            r->work.vertex_stamp[v - t->v0] = stamp;
            if (!CTI_PUSH(mem, t->vertices, v))
                return 0;
        }
        if (own)
            l->n_owned = CTI_LEN(t->vertices) - l->vertex;
    }
    l->n_vertices = CTI_LEN(t->vertices) - l->vertex, l->n_edges = CTI_LEN(t->edges) - l->edge;
    l->block = t->n_blocks;
    t->n_blocks += 1 + (l->n_owned + 7) / 8 + (l->n_edges + 7) / 8;
    return 1;
}

/* lists the places of the faces at each vertex. 0: out of memory */
static int cti_region_rings(cti_mem *mem, cti_region_tree *t, const cti_surface *f)
{
    int nv = t->v1 - t->v0, i;
    if (!CTI_ZEROS(mem, t->ring_start, nv + 1) || !CTI_RESIZE(mem, t->ring, 3 * t->n_faces))
        return 0;
    for (i = 0; i < 3 * t->n_faces; i++)
        t->ring_start[f->faces[3 * (size_t)t->face[i / 3] + (size_t)(i % 3)] - t->v0 + 1]++;
    cti_sort_starts(t->ring_start, (size_t)nv);
    for (i = 0; i < 3 * t->n_faces; i++)
        t->ring[t->ring_start[f->faces[3 * (size_t)t->face[i / 3] + (size_t)(i % 3)] - t->v0]++] = i / 3;
    cti_sort_started(t->ring_start, (size_t)nv);
    return 1;
}

/* returns the lowest node over the faces at two places */
static int cti_region_common_ancestor(const cti_region_tree *t, int a, int b)
{
    int i = 0;
    for (;;) {
        const cti_region *g = &t->nodes[i];
        int middle = g->right ? t->nodes[g->right].first : g->first;
        if (!g->right)
            return i;
        if (b < middle)
            i++;
        else if (a >= middle)
            i = g->right;
        else
            return i;
    }
}

/* lists the vertices that the two children of each node have in common. Consecutive faces at a vertex part at nodes that all differ, or are in one
   leaf. 0: out of memory */
static int cti_region_common_vertices(cti_mem *mem, cti_region_tree *t)
{
    int fill, v, k, i, sum = 0;
    for (fill = 0; fill < 2; fill++) {
        for (v = 0; v < t->v1 - t->v0; v++)
            for (k = t->ring_start[v] + 1; k < t->ring_start[v + 1]; k++) {
                cti_region *g;
                if (t->ring[k] == t->ring[k - 1])
                    continue; /* a face with this vertex twice */
                g = &t->nodes[cti_region_common_ancestor(t, t->ring[k - 1], t->ring[k])];
                if (!g->right)
                    continue;
                if (fill)
                    t->common[g->common + g->n_common] = t->v0 + v;
                g->n_common++;
            }
        for (i = 0; !fill && i < CTI_LEN(t->nodes); i++) {
            t->nodes[i].common = sum, sum += t->nodes[i].n_common;
            t->nodes[i].n_common = 0;
        }
        if (!fill && !CTI_RESIZE(mem, t->common, sum))
            return 0;
    }
    return 1;
}

/* makes the contour of a leaf. 0: out of memory */
static int cti_region_leaf_contour(cti_mem *mem, cti_region_tree *t, const cti_surface *f, const cti_region *g)
{
    int i, k;
    for (i = 0; i < 3 * g->n; i++) {
        int face = t->face[g->first + i / 3], e = f->face_edges[3 * (size_t)face + (size_t)(i % 3)], inside = 0;
        if (e < 0)
            continue;
        for (k = 0; k < 3 * g->n; k++)
            inside += f->face_edges[3 * (size_t)t->face[g->first + k / 3] + (size_t)(k % 3)] == e;
        if ((inside < 2 || !t->manifold[e - t->e0]) && !CTI_PUSH(mem, t->contour, 2 * e + cti_region_is_reversed(f, face, i % 3)))
            return 0;
    }
    return 1;
}

/* makes the contours of all regions. 0: out of memory */
static int cti_region_contours(cti_mem *mem, cti_regions *r, const cti_surface *f)
{
    cti_region_tree *t = &r->tree;
    int i, k;
    for (i = CTI_LEN(t->nodes) - 1; i >= 0; i--) {
        cti_region *g = &t->nodes[i];
        g->contour = CTI_LEN(t->contour);
        if (g->right && g->is_region) {
            if (cti_region_union(mem, r, i + 1, g->right) < 0)
                return 0;
            for (k = 0; k < CTI_LEN(r->work.edges); k++)
                if (!CTI_PUSH(mem, t->contour, r->work.edges[k]))
                    return 0;
        }
        if (!g->right && !cti_region_leaf_contour(mem, t, f, g))
            return 0;
        g->length = CTI_LEN(t->contour) - g->contour;
    }
    return 1;
}

CTI_FN int cti_region_shape(cti_mem *mem, cti_regions *r, const cti_surface *f, const int32_t *child, const int32_t *size, int from, int glued)
{
    cti_region_tree *t = &r->tree;
    cti_region_work *w = &r->work;
    cti_region_source q;
    int32_t *scratch = NULL;
    int i, ok, nv = t->v1 - t->v0, ne = t->e1 - t->e0;
    q.child = child, q.size = size, q.from = from, q.glued = glued;
    t->n_blocks = 0;
    CTI_CLEAR(t->vertices), CTI_CLEAR(t->edges), CTI_CLEAR(t->contour);
    ok = CTI_RESIZE(mem, scratch, 2 * (from + 1)) && cti_region_number(mem, t, &q, f->ranges[t->body].f0, scratch, scratch + from + 1) &&
         CTI_RESIZE(mem, w->vertex_stamp, nv) && CTI_RESIZE(mem, w->vertex_next, nv) && CTI_RESIZE(mem, w->edge_stamp, ne);
    for (i = 0; ok && i < CTI_LEN(t->nodes); i++)
        ok = t->nodes[i].right != 0 || cti_region_features(mem, r, f, &t->nodes[i]);
    CTI_FREE(mem, scratch);
    return ok && cti_region_rings(mem, t, f) && cti_region_common_vertices(mem, t) && cti_region_contours(mem, r, f) &&
           CTI_RESIZE(mem, r->vertex_dop, CTI_REGION_DOP * nv) && CTI_RESIZE(mem, r->dop, CTI_REGION_DOP * CTI_LEN(t->nodes)) &&
           CTI_RESIZE(mem, r->cones, CTI_LEN(t->nodes)) && CTI_RESIZE(mem, w->blocks, CTI_REGION_BLOCK * t->n_blocks) &&
           CTI_RESIZE(mem, w->filled, CTI_LEN(t->leaves));
}
