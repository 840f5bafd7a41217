/* geometric_candidates.c -- pairs of features that a motion may bring near each other, and their distances.
   Method: each moving vertex has a box around the way that it is expected to take. Lists of pairs hold while no vertex leaves its box, and distances
   until the surface moves. Pairs that are forced to be collisions stay so where lists are made anew. */
#include "geometric.h"
#include "../0_base/sort.h"
#include "../4_geom/dist.h"

CTI_FN ct_real cti_geometric_motion_bound(const cti_surface *f)
{
    ct_real big = 0;
    int k, v;
    for (k = 0; k < CTI_LEN(f->runs); k += 3)
        for (v = f->runs[k]; v < f->runs[k + 1]; v++)
            big = cti_max(big, cti_v3_norm2(cti_v3_sub(cti_v3_at(f->x1, v), cti_v3_at(f->x0, v))));
    return cti_sqrt(big) * (1 + 16 * CTI_EPS);
}

/* returns 1 where the candidates are complete for the motion; -1: out of memory */
static int cti_geometric_is_covered(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_surface *f = &s->surface;
    size_t size = sizeof(ct_real) * 3 * (size_t)f->nv;
    int i, k;
    if (!g->scope.covered)
        return 0;
    if (CTI_LEN(g->scope.x0) == 3 * f->nv && !memcmp(g->scope.x0, f->x0, size) && !memcmp(g->scope.x1, f->x1, size))
        return 1; /* they were made for it */
    for (k = 0; k < CTI_LEN(f->runs); k += 3) {
        int n = 3 * (f->runs[k + 1] - f->runs[k]), at = 3 * f->runs[k + 2];
        const ct_real *p = f->x0 + 3 * (size_t)f->runs[k], *q = f->x1 + 3 * (size_t)f->runs[k];
        for (i = 0; i < n; i++)
            if (!(cti_min(p[i], q[i]) >= g->scope.lo[at + i] && cti_max(p[i], q[i]) <= g->scope.hi[at + i]))
                return 0;
    }
    return cti_geometric_regions_hold(s);
}

/* sets forced and unlimited of the pairs of list k. 0: out of memory */
static int cti_geometric_complete_list(cti_state *s, int k)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_candidates *l = &g->list[k];
    const int32_t *body = s->surface.body_of, *v = l->quads;
    int n = cti_candidates_len(l), i, first = cti_kind_first(l->kind);
    if (!CTI_ZEROS(s->mem, g->forced[k], n) || (k <= CTI_LIST_EE && !CTI_RESIZE(s->mem, g->unlimited[k], n)))
        return 0;
    for (i = 0; k <= CTI_LIST_EE && i < n; i++, v += 4)
        g->unlimited[k][i] = (uint8_t)(body[v[0]] == body[v[first]]);
    return 1;
}

/* limits the thickness of pairs within one body to half of their distance at rest, where they are not farther apart than `most` beyond 2 thicknesses:
   the others' does not matter. 0: out of memory */
static int cti_geometric_thin_list(cti_state *s, cti_candidates *l, uint8_t *rests, ct_real most)
{
    const cti_surface *f = &s->surface;
    cti_arena_point mark = cti_arena_mark(s->arena);
    int i, m = 0, n = cti_candidates_len(l);
    int32_t *which = CTI_ARENA_NEW(s->arena, int32_t, n + 1), *quads, *feature;
    ct_real *d2, *w;
    if (!which)
        return 0;
    for (i = 0; i < n; i++)
        if (rests[i] && l->d2[i] <= (2 * l->hat[i] + most) * (2 * l->hat[i] + most))
            which[m++] = i;
    quads = CTI_ARENA_NEW(s->arena, int32_t, 4 * (size_t)m + 1), feature = CTI_ARENA_NEW(s->arena, int32_t, m + 1);
    d2 = CTI_ARENA_NEW(s->arena, ct_real, m + 1), w = CTI_ARENA_NEW(s->arena, ct_real, 3 * (size_t)m + 1);
    if (!quads || !feature || !d2 || !w)
        return 0;
    for (i = 0; i < m; i++) {
        memcpy(quads + 4 * (size_t)i, l->quads + 4 * (size_t)which[i], 4 * sizeof *quads);
        rests[which[i]] = 0;
    }
    cti_dist_batch(l->kind, f->rest, quads, m, d2, w, feature);
    for (i = 0; i < m; i++)
        l->hat[which[i]] = cti_min(l->hat[which[i]], cti_sqrt(d2[i]) / 2);
    cti_arena_rewind(s->arena, mark);
    return 1;
}

static int cti_geometric_list_planes(cti_state *s, cti_geometric *g)
{
    const cti_surface *f = &s->surface;
    cti_candidates *l = &g->list[CTI_LIST_PLANE];
    int p, v, k;
    for (p = 0; p < f->n_planes; p++)
        for (v = cti_surface_facing(f, p, 0); v < f->nv; v = cti_surface_facing(f, p, v + 1)) {
            const cti_plane *q = &f->planes[p];
            int at = 3 * (v + f->bodies[f->body_of[v]].shift);
            ct_real gap = -q->offset;
            for (k = 0; k < 3; k++)
                gap += q->normal[k] * (q->normal[k] > 0 ? g->scope.lo : g->scope.hi)[at + k];
            if (gap < (g->scope.wide ? 2 : cti_geometric_tuned.find.margin) * cti_surface_pair_thickness(f, f->body_of[v], q->body) &&
                (!CTI_PUSH(s->mem, l->pairs, v) || !CTI_PUSH(s->mem, l->pairs, p)))
                return 0;
        }
    return 1;
}

static ct_real cti_geometric_thickest(const cti_surface *f)
{
    ct_real most = 0;
    int i;
    for (i = 0; i < f->n_bodies; i++)
        most = cti_max(most, f->bodies[i].thickness);
    return most;
}

/* sets the boxes of a body that moves; those of bodies that never move are inflated by 3/4 of their thickness */
static void cti_geometric_boxes(cti_geometric *g, cti_surface *f, int body)
{
    cti_soup_body *r = &f->ranges[body];
    ct_real thick = f->bodies[body].thickness, slack = f->bodies[body].dynamic ? cti_geometric_tuned.find.slack * thick : 0;
    int i, at = 3 * f->bodies[body].shift;
    r->swept = CTI_SWEPT_BOX;
    r->inflate = g->scope.wide ? thick + cti_geometric_tuned.find.slack * cti_geometric_thickest(f)
                               : cti_geometric_tuned.find.margin * thick / 2 + slack;
    for (i = 3 * r->v0; i < 3 * r->v1; i++) {
        g->scope.lo[at + i] = cti_min(f->x0[i], f->x1[i]) - slack;
        g->scope.hi[at + i] = cti_max(f->x0[i], f->x1[i]) + slack;
    }
}

/* finds pairs by the box trees, without those of a body with regions with itself. 0: out of memory */
static int cti_geometric_boxed_pairs(cti_state *s, cti_geometric *g)
{
    cti_surface *f = &s->surface;
    int i, k, ok, surfaces = 0;
    for (k = 0; k < CTI_LISTS; k++)
        CTI_CLEAR(g->list[k].pairs);
    for (i = 0; i < f->n_bodies; i++)
        surfaces += f->ranges[i].v1 > f->ranges[i].v0;
    if (surfaces == 1 && CTI_LEN(g->detection.regions) == 1)
        return 1; /* planes have no vertices */
    for (i = 0; i < CTI_LEN(g->detection.regions); i++)
        f->ranges[g->detection.regions[i].tree.body].self = 0;
    ok = cti_broad_update(s->mem, &f->broad, &f->soup, f->x0, f->x1) &&
         cti_broad_pairs(s->mem, &f->broad, &f->soup, &g->list[CTI_LIST_VF].pairs, &g->list[CTI_LIST_EE].pairs, &g->list[CTI_LIST_VE].pairs,
                         &g->list[CTI_LIST_VV].pairs);
    for (i = 0; i < CTI_LEN(g->detection.regions); i++)
        f->ranges[g->detection.regions[i].tree.body].self = 1;
    return ok;
}

static uint64_t cti_geometric_pair_key(const int32_t *pair) { return (uint64_t)pair[0] << 32 | (uint32_t)pair[1]; }

/* returns the *m keys of the forced pairs of a list of n, sorted. NULL: out of memory */
static uint64_t *cti_geometric_forced_keys(cti_state *s, const int32_t *pairs, const uint8_t *forced, int n, int *m)
{
    uint64_t *keys;
    int i;
    for (*m = 0, i = 0; i < n; i++)
        *m += forced[i];
    keys = CTI_ARENA_NEW(s->arena, uint64_t, 2 * (size_t)*m + 1);
    if (!keys)
        return NULL;
    for (*m = 0, i = 0; i < n; i++)
        if (forced[i])
            keys[(*m)++] = cti_geometric_pair_key(pairs + 2 * (size_t)i);
    cti_sort_u64(keys, NULL, keys + *m, NULL, *m);
    return keys;
}

/* marks the pairs that have one of m keys as forced */
static void cti_geometric_mark_forced(const int32_t *pairs, uint8_t *forced, int n, const uint64_t *keys, int m)
{
    int i;
    for (i = 0; m > 0 && i < n; i++)
        forced[i] = (uint8_t)cti_sort_has_u64(keys, m, cti_geometric_pair_key(pairs + 2 * (size_t)i));
}

/* makes all lists for the boxes. Pairs that are forced stay so. 0: out of memory */
static int cti_geometric_list_all(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    uint64_t *keys[CTI_LISTS];
    int m[CTI_LISTS], k;
    for (k = 0; k < CTI_LISTS; k++) {
        keys[k] = cti_geometric_forced_keys(s, g->list[k].pairs, g->forced[k], CTI_LEN(g->forced[k]), &m[k]);
        if (!keys[k])
            return 0;
    }
    if (!cti_geometric_boxed_pairs(s, g) || !cti_geometric_regions_pairs(s) || !cti_geometric_list_planes(s, g))
        return 0;
    for (k = 0; k < CTI_LISTS; k++) {
        if (!cti_candidates_complete(s->mem, &g->list[k], &s->surface, NULL) || !cti_geometric_complete_list(s, k))
            return 0;
        cti_geometric_mark_forced(g->list[k].pairs, g->forced[k], CTI_LEN(g->forced[k]), keys[k], m[k]);
    }
    cti_arena_rewind(s->arena, mark);
    return 1;
}

CTI_FN int cti_geometric_cover(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_surface *f = &s->surface;
    ct_real way = cti_geometric_motion_bound(f);
    /* boxes of a step hold for its half, too */
    int k, covered = g->scope.longest_way <= cti_max(4 * way, s->desc.thickness) ? cti_geometric_is_covered(s) : 0;
    if (covered != 0)
        return covered > 0;
    g->scope.covered = 0, g->scope.longest_way = way;
    for (k = 0; k < f->n_bodies; k++)
        if (f->bodies[k].moves)
            cti_geometric_boxes(g, f, k);
    if (!cti_geometric_list_all(s))
        return 0;
    if (!CTI_RESIZE(s->mem, g->scope.x0, 3 * f->nv) || !CTI_RESIZE(s->mem, g->scope.x1, 3 * f->nv))
        return 0;
    if (f->nv) {
        memcpy(g->scope.x0, f->x0, sizeof(ct_real) * 3 * (size_t)f->nv);
        memcpy(g->scope.x1, f->x1, sizeof(ct_real) * 3 * (size_t)f->nv);
    }
    g->scope.covered = 1, g->scope.measured = 0;
    return 1;
}

CTI_FN int cti_geometric_distances(cti_state *s, ct_real most)
{
    cti_geometric *g = cti_geometric_own(s);
    int k;
    for (k = 0; k < CTI_LISTS && !g->scope.measured; k++)
        cti_candidates_measure(&g->list[k], &s->surface, s->surface.x0);
    /* thicknesses at these distances are known as far as `thinned` */
    for (k = 0; k <= CTI_LIST_EE && (!g->scope.measured || most > g->scope.thickness_way); k++)
        if (!cti_geometric_thin_list(s, &g->list[k], g->unlimited[k], most))
            return 0;
    g->scope.thickness_way = g->scope.measured ? cti_max(g->scope.thickness_way, most) : most;
    g->scope.measured = 1;
    return 1;
}
