/* geometric_find.c -- collisions, crossings in a motion, intersections.
   Method: every pair of features nearer than its thickness, or about to be, is a collision with the barycentric weights of its closest points
   (eq. 1). A vertex collides with the face, edge or vertex in whose Voronoi region it is, so that one that slides over an edge always has one
   collision there, with weights that are continuous. Collisions are expected from distances and speeds at the start. What forces bring together is
   known only after the motion, so that pairs that were none, and come near in it, become collisions then. Positions at the start of a substep do
   not intersect; the side of a pair that crosses in a motion is that at its start (sec. 2.1: going back along the motion).
   based on: Volino, Magnenat-Thalmann 2000, sec. 2.1 and 2.2. */
#include "../8_step/tangle.h"
#include "geometric.h"

/* ---- collisions ---- */

/* sets velocities of the surface's vertices in a substep, of their blocks or their scripts, and the largest speed. 0: out of memory */
static int cti_geometric_speeds_of(cti_state *s, ct_real h, ct_real *fastest)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_surface *f = &s->surface;
    ct_real most = 0;
    int v, k, j;
    if (CTI_LEN(g->detection.velocity) != 3 * f->nv) {
        if (!CTI_ZEROS(s->mem, g->detection.velocity, 3 * f->nv))
            return 0;
    }
    for (j = 0; j < CTI_LEN(f->runs); j += 3)
        for (v = f->runs[j]; v < f->runs[j + 1]; v++) {
            const cti_attach *a = cti_surface_attach(f, v);
            cti_v3 u = cti_v3_zero();
            if (!f->bodies[f->body_of[v]].dynamic)
                u = cti_v3_mul(cti_v3_sub(cti_v3_at(cti_surface_script(f, v), 0), cti_v3_at(f->x0, v)), 1 / h);
            for (k = 0; k < a->n; k++)
                u = cti_v3_mad(u, cti_v3_at(g->v, a->block[k]), a->n > 1 ? a->weight[k] : 1);
            cti_v3_put(g->detection.velocity, v, u);
            most = cti_max(most, cti_v3_norm2(u));
        }
    *fastest = cti_sqrt(most);
    return 1;
}

/* makes the collision of a pair with weights. 0: it is not near enough, and not forced; -1: scripts move all of it */
static int cti_geometric_make(const cti_state *s, ct_real h, const cti_pair *p, ct_real distance, ct_real thickness, int forced,
                              cti_geometric_collision *hit)
{
    const cti_surface *f = &s->surface;
    cti_v3 u = cti_v3_zero(), other = cti_v3_make(0, 1, 0);
    int k, dynamic = 0;
    memset(hit, 0, sizeof *hit);
    hit->pair = *p, hit->distance = distance, hit->thickness = thickness;
    hit->script_velocity = cti_v3_zero();
    for (k = 0; k < p->n; k++) {
        cti_v3 own = cti_v3_at(cti_geometric_own(s)->detection.velocity, p->v[k]);
        u = cti_v3_mad(u, own, p->w[k]);
        if (f->bodies[f->body_of[p->v[k]]].dynamic)
            dynamic = 1;
        else
            hit->script_velocity = cti_v3_mad(hit->script_velocity, own, p->w[k]);
    }
    if (!dynamic)
        return -1;
    if (p->kind == CT_PAIR_PLANE)
        hit->normal = cti_v3_at(f->planes[p->plane].normal, 0);
    else {
        if (p->kind == CT_PAIR_EE)
            other = cti_v3_unit(cti_v3_cross(cti_v3_sub(cti_v3_at(f->x0, p->v[1]), cti_v3_at(f->x0, p->v[0])),
                                             cti_v3_sub(cti_v3_at(f->x0, p->v[3]), cti_v3_at(f->x0, p->v[2]))), other);
        hit->normal = cti_v3_unit(cti_pair_offset(f, f->x0, p), other);
    }
    hit->script_velocity = cti_pair_with_belts(f, p, hit->normal, 1, hit->script_velocity);
    hit->mu = cti_pair_friction(f, p);
    return forced || distance <= cti_geometric_tuned.find.margin * thickness +
                                     cti_geometric_tuned.find.ahead * h * cti_max(0, -cti_v3_dot(hit->normal, u));
}

/* returns 1 where pair i of list k is a collision in a substep h, and sets *hit; 0: it is none, unless the motion without it shows that it must be;
   -1: none, since other features have its closest points, or scripts move all of it. Where a feature beside one of a pair is nearer, the pair would
   be linearized obliquely: an edge or a vertex ahead in a flat mesh would brake what slides over it */
static int cti_geometric_is_collision(const cti_state *s, int k, int i, ct_real h, cti_geometric_collision *hit)
{
    const cti_geometric *g = cti_geometric_own(s);
    const cti_surface *f = &s->surface;
    const cti_candidates *l = &g->list[k];
    const int32_t *features = l->pairs + 2 * (size_t)i;
    ct_real d = cti_candidates_distance(l, i), hat = l->hat[i];
    int forced = g->forced[k][i], first = cti_kind_first(l->kind), n = cti_kind_corners(l->kind);
    cti_pair p;
    if (!forced && l->kind == CT_PAIR_EE && l->feature[i] != 0)
        return -1;
    if (!forced && l->kind != CT_PAIR_PLANE && d > cti_geometric_tuned.find.margin * hat &&
        d > cti_geometric_tuned.find.margin * hat +
                cti_geometric_tuned.find.ahead * h * cti_vertices_approach(l->quads + 4 * (size_t)i, first, n, NULL, g->detection.velocity))
        return 0;
    cti_candidates_pair(l, f, i, &p);
    if (l->kind == CT_PAIR_PLANE)
        return cti_geometric_make(s, h, &p, d, hat, forced, hit);
    if (!cti_geometric_reduce(f, features[1], &p, l->feature[i]) &&
        !cti_pair_valley(f, features[1], l->feature[i], cti_geometric_tuned.find.shallow, &p, &d) && !forced)
        return -1;
    if (!forced && p.kind != CT_PAIR_VF && d >= s->desc.geometric.speed_distance * hat && !cti_geometric_is_nearest(f, features, &p))
        return 0;
    return cti_geometric_make(s, h, &p, d, hat, forced, hit);
}

static int cti_geometric_find_list(cti_state *s, int k, ct_real h, ct_real fastest)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_candidates *l = &g->list[k];
    int i, n = cti_candidates_len(l);
    for (i = 0; i < n; i++) {
        ct_real most = cti_geometric_tuned.find.margin * l->hat[i] + 2 * cti_geometric_tuned.find.ahead * h * fastest;
        cti_geometric_collision hit;
        if (!g->forced[k][i] && k != CTI_LIST_PLANE && l->d2[i] > most * most)
            continue;
        if (cti_geometric_is_collision(s, k, i, h, &hit) > 0 && !CTI_PUSH(s->mem, g->collisions, hit))
            return 0;
    }
    return 1;
}

CTI_FN void cti_geometric_release(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    int k;
    for (k = 0; k < CTI_LISTS; k++)
        if (CTI_LEN(g->forced[k]))
            memset(g->forced[k], 0, (size_t)CTI_LEN(g->forced[k]));
}

CTI_FN int cti_geometric_find(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real fastest = 0;
    int k;
    CTI_CLEAR(g->collisions);
    if (!cti_geometric_speeds_of(s, h, &fastest))
        return 0;
    if (!cti_geometric_distances(s, 2 * cti_geometric_tuned.find.ahead * h * fastest))
        return 0;
    for (k = 0; k < CTI_LISTS; k++)
        if (!cti_geometric_find_list(s, k, h, fastest))
            return 0;
    return cti_geometric_find_elastics(s, h);
}

/* ---- crossings ---- */

/* lets the blocks of a crossing pair keep the share t of their motion */
static void cti_geometric_cut_motion(cti_state *s, const int32_t *v, int n, ct_real t)
{
    cti_geometric *g = cti_geometric_own(s);
    int i, k;
    t = t < CTI_R(0.02) ? 0 : cti_geometric_tuned.find.cut * t;
    for (i = 0; i < n; i++) {
        const cti_attach *a = cti_surface_attach(&s->surface, v[i]);
        for (k = 0; k < a->n; k++)
            g->motion_share[a->block[k]] = cti_min(g->motion_share[a->block[k]], t);
    }
}

/* marks pair i of list k as forced, since it crosses at the time `toi` */
static void cti_geometric_mark_crossing(cti_state *s, int k, int i, ct_real toi, int cut)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_candidates *l = &g->list[k];
    cti_pair_make(&s->surface, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &g->detection.crossing);
    g->forced[k][i] = 1;
    if (cut)
        cti_geometric_cut_motion(s, l->quads + 4 * (size_t)i, cti_kind_corners(l->kind), toi);
}

/* counts crossings of a list, whose d2 are those at surface.x0. most: bound on the relative way of two vertices */
static int cti_geometric_find_crossings_list(cti_state *s, int list, ct_real most, int cut)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_candidates *l = &g->list[list];
    const cti_candidates_way way = {s->surface.x0, s->surface.x1, cti_geometric_tuned.find.kept, cti_geometric_tuned.find.kept, most, NULL, NULL};
    int i, n = cti_candidates_len(l), count = 0;
    if (!CTI_RESIZE(s->mem, g->detection.toi, n))
        return -1;
    cti_candidates_meet(l, &s->surface, &way, l->d2, g->detection.toi);
    for (i = 0; i < n; i++)
        if (g->detection.toi[i] <= 1 && l->d2[i] > 0) {
            count++;
            cti_geometric_mark_crossing(s, list, i, g->detection.toi[i], cut);
        }
    return count;
}

CTI_FN int cti_geometric_find_crossings(cti_state *s, int cut)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_surface *f = &s->surface;
    const cti_candidates *planes = &g->list[CTI_LIST_PLANE];
    ct_real most = 2 * cti_geometric_motion_bound(f);
    int i, k, count = 0;
    /* the fail-safe changes motions: regions must be spared in the new ones, too */
    if (cut && !cti_geometric_cover(s))
        return -1;
    for (i = 0; cut && i < s->n; i++)
        g->motion_share[i] = 1;
    if (!cti_geometric_distances(s, most / (1 - cti_geometric_tuned.find.kept)))
        return -1;
    for (k = 0; k < CTI_LIST_PLANE; k++) {
        int found = cti_geometric_find_crossings_list(s, k, most, cut);
        if (found < 0)
            return -1;
        count += found;
    }
    for (i = 0; i < cti_candidates_len(planes); i++) {
        const int32_t *pair = planes->pairs + 2 * (size_t)i;
        ct_real g0 = planes->d2[i], g1 = cti_plane_gap(&f->planes[pair[1]], cti_v3_at(f->x1, pair[0]));
        ct_real least = cti_geometric_tuned.find.kept * cti_min(g0, planes->hat[i]);
        if (g1 >= least || !(g0 > 0))
            continue;
        count++;
        cti_geometric_mark_crossing(s, CTI_LIST_PLANE, i, (g0 - least) / (g0 - g1), cut);
    }
    return count;
}

/* counts pairs of a list that a motion misses. most: bound on the relative way of two vertices */
static int cti_geometric_find_missed_list(cti_state *s, int list, ct_real h, ct_real most)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_surface *f = &s->surface;
    const cti_candidates *l = &g->list[list];
    int first = cti_kind_first(l->kind), n = cti_kind_corners(l->kind), i, k, count = 0;
    for (i = 0; i < cti_candidates_len(l); i++) {
        ct_real least = s->desc.geometric.position_distance * l->hat[i];
        cti_geometric_collision hit;
        cti_pair p;
        if (g->forced[list][i] || (list != CTI_LIST_PLANE && (l->d2[i] > (least + most) * (least + most) ||
            cti_sqrt(l->d2[i]) > least + cti_vertices_approach(l->quads + 4 * (size_t)i, first, n, f->x0, f->x1))))
            continue;
        cti_pair_make(f, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &p);
        if (cti_pair_closest(f, f->x1, &p, &k) < least && cti_geometric_is_collision(s, list, i, h, &hit) == 0)
            g->forced[list][i] = 1, count++;
    }
    return count;
}

CTI_FN int cti_geometric_find_missed(cti_state *s, ct_real h)
{
    ct_real most = 2 * cti_geometric_motion_bound(&s->surface);
    int k, count = 0;
    for (k = 0; k < CTI_LISTS; k++)
        count += cti_geometric_find_missed_list(s, k, h, most);
    return count;
}

/* ---- the end of a step ---- */

/* reports the distances of a list */
static void cti_geometric_measure_list(cti_state *s, const cti_candidates *l, ct_step_report *r)
{
    int i, n = cti_candidates_len(l), nearest = -1;
    ct_real least = 4, d2 = r->min_distance * r->min_distance;
    for (i = 0; i < n; i++) {
        ct_real hat2 = l->hat[i] * l->hat[i];
        if (!(l->d2[i] < 4 * hat2))
            continue;
        least = cti_min(least, l->d2[i] / hat2);
        r->too_near += l->d2[i] < hat2 / 4;
        if (l->d2[i] < d2)
            d2 = l->d2[i], nearest = i;
    }
    if (nearest >= 0) {
        cti_pair_make(&s->surface, l->kind, l->pairs[2 * nearest], l->pairs[2 * nearest + 1], &s->step.limit);
        r->min_distance = cti_sqrt(d2);
    }
    if (least < 4)
        r->thickness_kept = cti_min(r->thickness_kept, cti_sqrt(least));
    r->candidates += n;
}

static void cti_geometric_measure_planes(cti_state *s, const cti_candidates *l, ct_step_report *r)
{
    int i;
    for (i = 0; i < cti_candidates_len(l); i++) {
        r->thickness_kept = cti_min(r->thickness_kept, l->d2[i] / l->hat[i]);
        r->too_near += l->d2[i] < l->hat[i] / 2;
        if (l->d2[i] < r->min_distance) {
            r->min_distance = l->d2[i];
            cti_pair_make(&s->surface, CT_PAIR_PLANE, l->pairs[2 * i], l->pairs[2 * i + 1], &s->step.limit);
        }
    }
    r->candidates += cti_candidates_len(l);
}

/* reports the distances of all lists. 0: out of memory */
static int cti_geometric_measure_lists(cti_state *s, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    int k;
    r->too_near = r->candidates = 0;
    if (!cti_geometric_distances(s, 0))
        return 0;
    for (k = 0; k < CTI_LIST_PLANE; k++)
        cti_geometric_measure_list(s, &g->list[k], r);
    cti_geometric_measure_planes(s, &g->list[CTI_LIST_PLANE], r);
    return 1;
}

CTI_FN int cti_geometric_measure(cti_state *s, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real thin = CTI_REAL_MAX;
    int i, ok;
    if (!cti_geometric_measure_lists(s, r))
        return 0;
    for (i = 0; i < s->surface.n_bodies; i++)
        thin = cti_min(thin, s->surface.bodies[i].thickness);
    /* collisions' lists have all pairs within their margin: a smaller distance is none of others */
    if (r->thickness_kept <= cti_geometric_tuned.find.margin && r->min_distance <= cti_geometric_tuned.find.margin * thin)
        return 1;
    g->scope.wide = 1, g->scope.covered = 0;
    ok = cti_geometric_cover(s);
    g->scope.wide = 0;
    return ok && cti_geometric_measure_lists(s, r);
}

CTI_FN int cti_geometric_count_intersections(cti_state *s)
{
    cti_geometric_own(s)->scope.covered = 0;
    return cti_tangle_crossed(s);
}
