/* regions_build.c -- the tree of connected regions, built once, from the faces up.
   Method: in each round every region, the smallest first, is merged with the free neighbour that makes the most compact union (least squared
   perimeter over area, at rest). Where few regions find a free neighbour, the others join a pair that was just made, so that a round takes away at
   least a quarter of the regions that have neighbours. Parts that no manifold edge joins are merged last, along the longest axis; such nodes are no
   regions.
   based on: Volino, Magnenat-Thalmann 1994 (automatic hierarchisation). differs: rounds of pairs, which keep the tree balanced. */
#include "regions.h"
#include "../0_base/sort.h"
#include "../4_geom/bounds.h"

/* cti_region_builder -- holds the regions that are not merged yet ("live"), and the links between them. */
typedef struct cti_region_builder {
    cti_mem *mem;
    const cti_surface *f;
    int n_nodes, n_live, n_links;
    int32_t *child;     /* [2 nodes] -1: a face */
    int32_t *size;      /* [nodes] faces */
    int32_t *live;      /* [2 faces] nodes, likewise */
    ct_real *area, *perimeter; /* [2 faces] of the live regions, then of the next round's */
    int32_t *mate;      /* [live] -1: free */
    int32_t *group;     /* [live] number in the next round */
    int32_t *link;      /* [2 links] live regions */
    ct_real *common;    /* [2 links] length of the common contour; scratch */
    int32_t *start, *next; /* [live + 1], [2 links] links of each region */
    uint64_t *keys;
    int32_t *order;
    int32_t *parts;     /* finished components: nodes */
    int n_parts;
} cti_region_builder;

static void cti_region_builder_free(cti_region_builder *q)
{
    cti_mem *m = q->mem;
    CTI_FREE_SPAN(m, q->child, q->parts);
}

static ct_real cti_region_length(const cti_surface *f, int e)
{
    return cti_v3_norm(cti_v3_sub(cti_v3_at(f->rest, f->edges[2 * (size_t)e]), cti_v3_at(f->rest, f->edges[2 * (size_t)e + 1])));
}

/* finds manifold edges, and makes a link for each. 0: out of memory */
static int cti_region_links(cti_region_builder *q, cti_region_tree *t)
{
    const cti_surface *f = q->f;
    int f0 = f->ranges[t->body].f0, i, k, e, ok;
    int32_t *side = NULL; /* [2 edges] sides 3 face + k at an edge, from 1; -1 in the second: unusable */
    ok = CTI_RESIZE(q->mem, side, 2 * (t->e1 - t->e0)) && CTI_RESIZE(q->mem, t->manifold, t->e1 - t->e0) &&
         CTI_RESIZE(q->mem, q->link, 2 * (t->e1 - t->e0)) && CTI_RESIZE(q->mem, q->common, 2 * (t->e1 - t->e0));
    for (i = 0; ok && i < t->n_faces; i++)
        for (k = 0; k < 3; k++) {
            int32_t *s;
            e = f->face_edges[3 * (size_t)(f0 + i) + (size_t)k];
            if (e < 0)
                continue;
            s = side + 2 * (size_t)(e - t->e0);
            if (s[0] == 0)
                s[0] = 3 * i + k + 1;
            else
                s[1] = s[1] == 0 && (s[0] - 1) / 3 != i ? 3 * i + k + 1 : -1;
        }
    for (e = t->e0; ok && e < t->e1; e++) {
        int32_t *s = side + 2 * (size_t)(e - t->e0);
        int a = s[0] - 1, b = s[1] - 1;
        t->manifold[e - t->e0] = 0;
        if (s[1] <= 0 || cti_region_is_reversed(f, f0 + a / 3, a % 3) == cti_region_is_reversed(f, f0 + b / 3, b % 3))
            continue;
        t->manifold[e - t->e0] = 1;
        q->link[2 * q->n_links] = a / 3, q->link[2 * q->n_links + 1] = b / 3;
        q->common[q->n_links++] = cti_region_length(f, e);
    }
    CTI_FREE(q->mem, side);
    return ok;
}

/* makes the faces to regions. 0: out of memory */
static int cti_region_seeds(cti_region_builder *q, cti_region_tree *t)
{
    const cti_surface *f = q->f;
    int n = t->n_faces, nodes = 2 * n - 1, f0 = f->ranges[t->body].f0, i, k;
    if (!CTI_RESIZE(q->mem, q->child, 2 * nodes) || !CTI_RESIZE(q->mem, q->size, nodes) || !CTI_RESIZE(q->mem, q->live, 2 * n) ||
        !CTI_RESIZE(q->mem, q->area, 2 * n) || !CTI_RESIZE(q->mem, q->perimeter, 2 * n) || !CTI_RESIZE(q->mem, q->mate, n) ||
        !CTI_RESIZE(q->mem, q->group, n) || !CTI_RESIZE(q->mem, q->parts, n) || !cti_region_links(q, t) ||
        !CTI_RESIZE(q->mem, q->start, n + 1) || !CTI_RESIZE(q->mem, q->next, 2 * q->n_links) ||
        !CTI_RESIZE(q->mem, q->keys, 2 * cti_max_int(n, q->n_links)) || !CTI_RESIZE(q->mem, q->order, 2 * cti_max_int(n, q->n_links)))
        return 0;
    for (i = 0; i < n; i++) {
        const int32_t *v = f->faces + 3 * (size_t)(f0 + i);
        cti_v3 a = cti_v3_at(f->rest, v[0]);
        q->child[2 * i] = q->child[2 * i + 1] = -1;
        q->size[i] = 1, q->live[i] = i;
        q->area[i] = cti_v3_norm(cti_v3_cross(cti_v3_sub(cti_v3_at(f->rest, v[1]), a), cti_v3_sub(cti_v3_at(f->rest, v[2]), a))) / 2;
        for (k = 0; k < 3; k++)
            q->perimeter[i] += cti_v3_norm(cti_v3_sub(cti_v3_at(f->rest, v[(k + 1) % 3]), cti_v3_at(f->rest, v[k])));
    }
    q->n_nodes = q->n_live = n;
    return 1;
}

/* lists the links of each live region */
static void cti_region_index(cti_region_builder *q)
{
    int i;
    memset(q->start, 0, sizeof *q->start * ((size_t)q->n_live + 1));
    for (i = 0; i < 2 * q->n_links; i++)
        q->start[q->link[i] + 1]++;
    cti_sort_starts(q->start, (size_t)q->n_live);
    for (i = 0; i < 2 * q->n_links; i++)
        q->next[q->start[q->link[i]]++] = i / 2;
    cti_sort_started(q->start, (size_t)q->n_live);
}

/* returns the neighbour of region i that makes the most compact union; open 1: among those without a mate, 0: with one. -1: none */
static int cti_region_best(const cti_region_builder *q, int i, int open)
{
    int k, best = -1;
    ct_real least = CTI_REAL_MAX;
    for (k = q->start[i]; k < q->start[i + 1]; k++) {
        int l = q->next[k], j = q->link[2 * l] == i ? q->link[2 * l + 1] : q->link[2 * l];
        ct_real around = q->perimeter[i] + q->perimeter[j] - 2 * q->common[l];
        ct_real shape = around * around / cti_max(q->area[i] + q->area[j], CTI_R(1e-30));
        if ((q->mate[j] < 0) != open || !(shape < least))
            continue;
        least = shape, best = j;
    }
    return best;
}

/* finds the pairs of this round. Returns their number */
static int cti_region_match(cti_region_builder *q)
{
    int i, pairs = 0;
    for (i = 0; i < q->n_live; i++) {
        q->mate[i] = -1;
        q->keys[i] = (uint64_t)q->size[q->live[i]], q->order[i] = i;
    }
    cti_sort_u64(q->keys, q->order, q->keys + q->n_live, q->order + q->n_live, q->n_live);
    for (i = 0; i < q->n_live; i++) {
        int a = q->order[i], b = q->mate[a] < 0 ? cti_region_best(q, a, 1) : -1;
        if (b >= 0)
            q->mate[a] = b, q->mate[b] = a, pairs++;
    }
    return pairs;
}

/* adds a node over two nodes */
static int cti_region_add_parent(cti_region_builder *q, int a, int b)
{
    int node = q->n_nodes++;
    q->child[2 * node] = a, q->child[2 * node + 1] = b;
    q->size[node] = q->size[a] + q->size[b];
    return node;
}

/* makes the regions of the next round, in the second halves of the arrays: group and nodes. Returns their number */
static int cti_region_group(cti_region_builder *q, int pairs, int half)
{
    int32_t *to = q->live + half;
    int i, n = 0, alone = 0;
    for (i = 0; i < q->n_live; i++) {
        q->group[i] = -1;
        if (q->mate[i] > i)
            to[n] = cti_region_add_parent(q, q->live[i], q->live[q->mate[i]]), q->group[i] = n++;
        else if (q->mate[i] >= 0)
            q->group[i] = q->group[q->mate[i]];
        else
            alone += q->start[i + 1] > q->start[i];
    }
    for (i = 0; i < q->n_live; i++) {
        if (q->mate[i] >= 0)
            continue;
        if (q->start[i + 1] == q->start[i])
            q->parts[q->n_parts++] = q->live[i];
        else if (alone > 2 * pairs) { /* all its neighbours have mates */
            int g = q->group[cti_region_best(q, i, 0)];
            q->group[i] = g;
            to[g] = cti_region_add_parent(q, to[g], q->live[i]);
        } else
            q->group[i] = n, to[n++] = q->live[i];
    }
    return n;
}

/* computes areas, perimeters and links of the next round */
static void cti_region_contract(cti_region_builder *q, int n, int half)
{
    ct_real *area = q->area + half, *perimeter = q->perimeter + half, *value = q->common + q->n_links;
    int i, m = 0, last = -1;
    for (i = 0; i < n; i++)
        area[i] = perimeter[i] = 0;
    for (i = 0; i < q->n_live; i++)
        if (q->group[i] >= 0)
            area[q->group[i]] += q->area[i], perimeter[q->group[i]] += q->perimeter[i];
    for (i = 0; i < q->n_links; i++) {
        int a = q->group[q->link[2 * i]], b = q->group[q->link[2 * i + 1]];
        if (a == b) {
            perimeter[a] -= 2 * q->common[i];
            continue;
        }
        q->keys[m] = (uint64_t)cti_min_int(a, b) << 32 | (uint64_t)cti_max_int(a, b), q->order[m++] = i;
    }
    cti_sort_u64(q->keys, q->order, q->keys + m, q->order + m, m);
    for (i = 0; i < m; i++)
        value[i] = q->common[q->order[i]];
    /* links between the same regions become one */
    for (i = 0; i < m; i++) {
        if (last < 0 || q->keys[i] != q->keys[i - 1]) {
            last++;
            q->link[2 * last] = (int32_t)(q->keys[i] >> 32), q->link[2 * last + 1] = (int32_t)(q->keys[i] & 0xffffffffu);
            q->common[last] = 0;
        }
        q->common[last] += value[i];
    }
    q->n_links = last + 1;
    memmove(q->live, q->live + half, sizeof *q->live * (size_t)n);
    memmove(q->area, area, sizeof *area * (size_t)n);
    memmove(q->perimeter, perimeter, sizeof *perimeter * (size_t)n);
    q->n_live = n;
}

/* adds nodes over the components, in the order of the longest axis */
static void cti_region_join_components(cti_region_builder *q, int f0)
{
    cti_box all = cti_box_empty();
    cti_v3 wide;
    int i, n = q->n_parts, axis;
    for (i = 0; i < n; i++) {
        int node = q->parts[i];
        while (q->child[2 * node] >= 0)
            node = q->child[2 * node];
        q->group[i] = q->f->faces[3 * (size_t)(f0 + node)];
        cti_box_add(&all, cti_v3_at(q->f->rest, q->group[i]));
    }
    wide = cti_v3_sub(all.hi, all.lo);
    axis = wide.x >= wide.y && wide.x >= wide.z ? 0 : wide.y >= wide.z ? 1 : 2;
    for (i = 0; i < n; i++)
        q->keys[i] = cti_sort_key((double)q->f->rest[3 * (size_t)q->group[i] + (size_t)axis]), q->order[i] = q->parts[i];
    cti_sort_u64(q->keys, q->order, q->keys + n, q->order + n, n);
    memcpy(q->parts, q->order, sizeof *q->parts * (size_t)n);
    for (; n > 1; n = (n + 1) / 2)
        for (i = 0; i < n; i += 2)
            q->parts[i / 2] = i + 1 < n ? cti_region_add_parent(q, q->parts[i], q->parts[i + 1]) : q->parts[i];
}

CTI_FN int cti_regions_usable(const cti_surface *f, int body)
{
    const cti_soup_body *b = &f->ranges[body];
    int i;
    for (i = b->e0; i < b->e1; i++)
        if (f->edge_faces[2 * (size_t)i] < 0)
            return 0;
    for (i = b->v0; i < b->v1; i++)
        if (f->vertex_owner[i] < 0)
            return 0;
    return b->f1 > b->f0;
}

CTI_FN int cti_regions_build(cti_mem *mem, cti_regions *r, const cti_surface *f, int body)
{
    cti_region_tree *t = &r->tree;
    const cti_soup_body *b = &f->ranges[body];
    cti_region_builder q;
    int ok, glued, half = b->f1 - b->f0;
    memset(&q, 0, sizeof q);
    q.mem = mem, q.f = f;
    t->body = body, t->n_faces = half;
    t->v0 = b->v0, t->v1 = b->v1, t->e0 = b->e0, t->e1 = b->e1;
    ok = cti_region_seeds(&q, t);
    while (ok && q.n_live > 0) {
        cti_region_index(&q);
        cti_region_contract(&q, cti_region_group(&q, cti_region_match(&q), half), half);
    }
    glued = q.n_nodes;
    if (ok)
        cti_region_join_components(&q, b->f0);
    ok = ok && cti_region_shape(mem, r, f, q.child, q.size, q.parts[0], glued);
    cti_region_builder_free(&q);
    return ok;
}

CTI_FN void cti_regions_free(cti_mem *mem, cti_regions *r)
{
    cti_region_tree *t = &r->tree;
    cti_region_work *w = &r->work;
    CTI_FREE_SPAN(mem, t->nodes, t->manifold);
    CTI_FREE_SPAN(mem, r->vertex_dop, r->spared);
    CTI_FREE_SPAN(mem, w->stack, w->edge_stamp);
    CTI_FREE_SPAN(mem, w->projected, w->order);
    memset(r, 0, sizeof *r);
}
