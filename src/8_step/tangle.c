/* tangle.c -- intersections at the start of a step.
   Method: exact edge-face intersections. If two bodies intersect and one is a solid, the edges that pass through the solid cut the other's
   surface into parts. A part that nothing passes through is on one side, so the winding number of one of its vertices decides. Marks are
   kept by vertex and body, so that pairs that are not tangled stay protected. */
#include "tangle.h"
#include "repair.h"
#include "../0_base/sets.h"
#include "../0_base/sort.h"
#include "../4_geom/intersect.h"

static uint64_t cti_tangle_key(int vertex, int body, int inside)
{
    return (uint64_t)(uint32_t)vertex << 32 | (uint64_t)(uint32_t)body << 1 | (uint64_t)inside;
}

/* sorts ascending and drops repetitions; 0: out of memory */
static int cti_tangle_sort(cti_state *s, uint64_t *keys)
{
    int n = CTI_LEN(keys);
    uint64_t *scratch = CTI_ARENA_NEW(s->arena, uint64_t, n);
    if (n == 0)
        return 1;
    if (!scratch)
        return 0;
    cti_sort_u64(keys, NULL, scratch, NULL, n);
    stbds_header(keys)->length = (size_t)cti_sort_unique_u64(keys, NULL, n);
    return 1;
}

/* marks the ends of edges and corners of faces that intersect */
static int cti_tangle_crossings(cti_state *s, uint64_t **marks)
{
    const cti_surface *f = &s->surface;
    int i, k;
    for (i = 0; i < CTI_LEN(s->contact.tangled_pairs) / 2; i++) {
        const int32_t *e = f->edges + 2 * (size_t)s->contact.tangled_pairs[2 * i], *t = f->faces + 3 * (size_t)s->contact.tangled_pairs[2 * i + 1];
        for (k = 0; k < 5; k++) {
            int v = k < 2 ? e[k] : t[k - 2], other = f->body_of[k < 2 ? t[0] : e[0]];
            if (!CTI_PUSH(s->mem, *marks, cti_tangle_key(v, other, 0)))
                return 0;
        }
    }
    return 1;
}

/* a vertex behind a plane is tangled with it */
static int cti_tangle_planes(cti_state *s, uint64_t **marks)
{
    const cti_surface *f = &s->surface;
    int i, k;
    for (k = 0; k < f->n_planes; k++)
        for (i = cti_surface_facing(f, k, 0); i < f->nv; i = cti_surface_facing(f, k, i + 1)) {
            const cti_plane *p = &f->planes[k];
            if (cti_plane_gap(p, cti_v3_at(f->x0, i)) <= 0 &&
                !CTI_PUSH(s->mem, *marks, cti_tangle_key(i, p->body, 1)))
                return 0;
        }
    return 1;
}

/* number of the body with this id, -1: it was removed */
static int cti_tangle_body(const cti_surface *f, uint64_t id)
{
    int i;
    for (i = 0; i < f->n_bodies && f->bodies[i].id != id; i++)
        ;
    return i < f->n_bodies ? i : -1;
}

/* pairs that were being separated, by the bodies' ids, since marks become invalid when bodies are added or removed. 0: out of memory */
static int cti_tangle_known(cti_state *s, uint64_t **out)
{
    const cti_surface *f = &s->surface;
    int i;
    for (i = 0; i < CTI_LEN(s->contact.ways); i++) {
        int a = cti_tangle_body(f, s->contact.ways[i].a), b = cti_tangle_body(f, s->contact.ways[i].b);
        if (a < 0 || b < 0)
            continue;
        if ((f->bodies[b].solid && !CTI_PUSH(s->mem, *out, (uint64_t)(uint32_t)a << 32 | (uint32_t)b)) ||
            (f->bodies[a].solid && !CTI_PUSH(s->mem, *out, (uint64_t)(uint32_t)b << 32 | (uint32_t)a)))
            return 0;
    }
    return 1;
}

/* ordered pairs of bodies (a, solid b) to test: those that intersect, and those of which a vertex was inside before */
static int cti_tangle_bodies(cti_state *s, uint64_t **out)
{
    const cti_surface *f = &s->surface;
    int i;
    for (i = 0; i < CTI_LEN(s->contact.tangled_pairs) / 2; i++) {
        int a = f->body_of[f->edges[2 * s->contact.tangled_pairs[2 * i]]], b = f->body_of[f->faces[3 * s->contact.tangled_pairs[2 * i + 1]]];
        if (a == b)
            continue;
        if ((f->bodies[b].solid && !CTI_PUSH(s->mem, *out, (uint64_t)(uint32_t)a << 32 | (uint32_t)b)) ||
            (f->bodies[a].solid && !CTI_PUSH(s->mem, *out, (uint64_t)(uint32_t)b << 32 | (uint32_t)a)))
            return 0;
    }
    for (i = 0; i < CTI_LEN(s->detect.tangles); i++) {
        uint64_t t = s->detect.tangles[i];
        int b = (int)((uint32_t)t >> 1);
        if ((t & 1) && f->bodies[b].solid && !CTI_PUSH(s->mem, *out, (uint64_t)(uint32_t)f->body_of[t >> 32] << 32 | (uint32_t)b))
            return 0;
    }
    return cti_tangle_known(s, out) && cti_tangle_sort(s, *out);
}

/* parts of body a that no edge through solid b cuts: parent [vertices of a] */
static int32_t *cti_tangle_parts(cti_state *s, int a, int b)
{
    const cti_surface *f = &s->surface;
    const cti_soup_body *r = &f->ranges[a];
    int32_t *parent = CTI_ARENA_NEW(s->arena, int32_t, r->v1 - r->v0);
    uint8_t *cut = CTI_ARENA_ZERO(s->arena, uint8_t, r->e1 - r->e0);
    int i;
    if (!parent || !cut)
        return NULL;
    cti_sets_init(parent, r->v1 - r->v0);
    for (i = 0; i < CTI_LEN(s->contact.tangled_pairs) / 2; i++) {
        int e = s->contact.tangled_pairs[2 * i];
        if (e >= r->e0 && e < r->e1 && f->body_of[f->faces[3 * s->contact.tangled_pairs[2 * i + 1]]] == b)
            cut[e - r->e0] = 1;
    }
    for (i = r->e0; i < r->e1; i++)
        if (!cut[i - r->e0])
            cti_sets_join(parent, f->edges[2 * i] - r->v0, f->edges[2 * i + 1] - r->v0);
    return parent;
}

/* marks the vertices of a that are inside of b */
static int cti_tangle_inside(cti_state *s, int a, int b, uint64_t **marks)
{
    const cti_surface *f = &s->surface;
    const cti_soup_body *r = &f->ranges[a], *q = &f->ranges[b];
    int32_t *parent = cti_tangle_parts(s, a, b);
    uint8_t *inside = CTI_ARENA_ZERO(s->arena, uint8_t, r->v1 - r->v0);
    cti_v3 lo = cti_v3_at(f->x0, q->v0), hi = lo;
    int i, n = r->v1 - r->v0;
    if (!parent || !inside)
        return 0;
    for (i = q->v0; i < q->v1; i++)
        lo = cti_v3_min(lo, cti_v3_at(f->x0, i)), hi = cti_v3_max(hi, cti_v3_at(f->x0, i));
    for (i = 0; i < n; i++) {
        int32_t root = cti_sets_root(parent, i);
        cti_v3 p = cti_v3_at(f->x0, r->v0 + i);
        /* the root is the smallest vertex of its part */
        if (root != i)
            inside[i] = inside[root];
        else if (p.x >= lo.x && p.x <= hi.x && p.y >= lo.y && p.y <= hi.y && p.z >= lo.z && p.z <= hi.z)
            inside[i] = cti_intersect_contains(f->faces + 3 * (size_t)q->f0, q->f1 - q->f0, f->x0, f->x0 + 3 * (size_t)(r->v0 + i)) == 1;
        if (inside[i] && !CTI_PUSH(s->mem, *marks, cti_tangle_key(r->v0 + i, b, 1)))
            return 0;
    }
    return 1;
}

/* collects all marks, sorted; vertex and body once for each kind */
static int cti_tangle_marks(cti_state *s, uint64_t **marks)
{
    uint64_t *bodies = NULL;
    int i, ok = cti_tangle_bodies(s, &bodies) && cti_tangle_crossings(s, marks) && cti_tangle_planes(s, marks);
    for (i = 0; ok && i < CTI_LEN(bodies); i++)
        if (cti_broad_may_meet(&s->surface.soup, (int)(bodies[i] >> 32), (int)(uint32_t)bodies[i]))
            ok = cti_tangle_inside(s, (int)(bodies[i] >> 32), (int)(uint32_t)bodies[i], marks);
    CTI_FREE(s->mem, bodies);
    return ok && cti_tangle_sort(s, *marks);
}

static void cti_tangle_count(cti_state *s)
{
    cti_detect *d = &s->detect;
    int i;
    if (s->surface.nv)
        memset(d->tangled, 0, (size_t)s->surface.nv);
    for (i = 0; i < CTI_LEN(d->tangles); i++)
        d->tangled[d->tangles[i] >> 32] = 1;
    for (d->n_tangled = i = 0; i < s->surface.nv; i++)
        d->n_tangled += d->tangled[i];
}

CTI_FN int cti_tangle_find(cti_state *s)
{
    cti_detect *d = &s->detect;
    uint64_t *marks = NULL;
    int i, ok;
    if (!CTI_RESIZE(s->mem, d->tangled, s->surface.nv))
        return 0;
    d->n_tangled = cti_max_int(1, d->n_tangled); /* the search is repeated when memory runs out here */
    CTI_CLEAR(s->contact.tangled_pairs);
    ok = cti_broad_update(s->mem, &s->surface.broad, &s->surface.soup, s->surface.x0, s->surface.x0) &&
         cti_intersect_soup(s->mem, &s->surface.broad, &s->surface.soup, s->surface.x0, &s->contact.tangled_pairs) && cti_tangle_marks(s, &marks);
    if (!ok) {
        CTI_FREE(s->mem, marks);
        return 0;
    }
    CTI_FREE(s->mem, d->tangles);
    d->tangles = marks;
    cti_tangle_count(s);
    if (d->n_tangled == 0) {
        CTI_CLEAR(s->contact.repairs);
        CTI_CLEAR(s->contact.ways);
        return 1;
    }
    /* repairs read the marks and may add more */
    marks = NULL;
    ok = cti_repair_find(s, &marks);
    for (i = 0; ok && i < CTI_LEN(marks); i++)
        ok = CTI_PUSH(s->mem, d->tangles, marks[i]);
    ok = ok && cti_tangle_sort(s, d->tangles);
    CTI_FREE(s->mem, marks);
    if (ok)
        cti_tangle_count(s);
    return ok;
}

CTI_FN int cti_tangle_crossed(cti_state *s)
{
    cti_surface *f = &s->surface;
    int32_t *pairs = NULL;
    int n, p, v;
    for (p = 0; p < f->n_bodies; p++)
        if (f->bodies[p].moves)
            f->ranges[p].swept = CTI_SWEPT_BOX, f->ranges[p].inflate = 0;
    n = cti_broad_update(s->mem, &f->broad, &f->soup, f->x0, f->x0) && cti_intersect_soup(s->mem, &f->broad, &f->soup, f->x0, &pairs) ? 0 : -1;
    n = n < 0 ? n : CTI_LEN(pairs) / 2;
    if (n > 0) {
        memset(&s->step.limit, 0, sizeof s->step.limit);
        s->step.limit.kind = CT_PAIR_EF, s->step.limit.n_a = 2, s->step.limit.n = 5;
        memcpy(s->step.limit.v, f->edges + 2 * (size_t)pairs[0], 2 * sizeof(int32_t));
        memcpy(s->step.limit.v + 2, f->faces + 3 * (size_t)pairs[1], 3 * sizeof(int32_t));
    }
    CTI_FREE(s->mem, pairs);
    for (p = 0; n >= 0 && p < f->n_planes; p++)
        for (v = cti_surface_facing(f, p, 0); v < f->nv; v = cti_surface_facing(f, p, v + 1))
            if (cti_plane_gap(&f->planes[p], cti_v3_at(f->x0, v)) <= 0 && n++ == 0)
                cti_pair_make(f, CT_PAIR_PLANE, v, p, &s->step.limit);
    return n;
}
