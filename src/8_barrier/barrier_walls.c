/* barrier_walls.c -- points and rods that a step leads through each other.
   Method: what is nearer than dhat to a point or to a line is convex, and a potential whose inertia wants to be behind it has no other minimum.
   So Newton's method goes around a point or a rod, however its steps are cut; around a face there is no way. Shorter steps do not help: their
   barriers, whose scale is that of a load at rest, cannot stop a fast body, and only a long step's inertia makes them stiff enough. So after a
   minimization the straight way of each pair without faces is looked at. It leads through where it comes within dhat and ends behind the
   plane across the direction in which it came there, or has turned about the other by more than 60 degrees. Then the step is minimized
   once more, with a wall: a barrier of the signed distance from that plane, n . sum c_k x_k, with n and the closest points c of the way's
   first time within dhat. A wall is linear in the positions, so that the pair stays on its side. It acts between that distance and half of it,
   where a load would be held. It is gone at the end of the step, and what it has stored is lost. Of the pairs that have a vertex in common only
   the first ones on their way get walls: the others are not reached. Where no minimum was found, the way is that to the goal of inertia.
   differs: in Codimensional IPC such pairs have an inner offset that no Newton step enters, and a way around it is as open as here. There a
   step is short. based on: Li, Kaufman, Jiang 2021, Codimensional incremental potential contact; the plane is that of a row of CT_STEPPER_CMR. */
#include "barrier.h"
#include "../4_geom/ccd.h"

/* signed distance from the wall */
CTI_FN ct_real cti_barrier_wall_gap(const cti_barrier_wall *w, const ct_real *x)
{
    cti_v3 r = cti_v3_zero();
    int k;
    for (k = 1; k < w->pair.n; k++)
        r = cti_v3_mad(r, cti_v3_sub(cti_v3_at(x, w->pair.v[k]), cti_v3_at(x, w->pair.v[0])), w->pair.w[k]);
    return cti_v3_dot(cti_v3_at(w->normal, 0), r) - w->hat;
}

CTI_FN int cti_barrier_wall_eval(const cti_barrier_wall *w, const cti_potential *law, const ct_real *x, int want, cti_potential_terms *out)
{
    ct_real g[3], H[9];
    int i, j, k, n3 = 3 * w->pair.n;
    if (!cti_potential_plane(law, cti_v3_at(w->normal, 0), cti_barrier_wall_gap(w, x), want, out))
        return 0;
    memcpy(g, out->gradient, sizeof g);
    memcpy(out->c, w->pair.w, sizeof out->c);
    for (i = 0; i < n3; i++)
        out->gradient[i] = w->pair.w[i / 3] * g[i % 3];
    if (want < CTI_POTENTIAL_PROJECTED)
        return 1;
    memcpy(H, out->hessian, sizeof H);
    for (i = 0; i < n3; i++)
        for (j = 0; j < n3; j++) {
            k = 3 * (i % 3) + j % 3;
            out->hessian[n3 * i + j] = w->pair.w[i / 3] * w->pair.w[j / 3] * H[k];
        }
    return 1;
}

CTI_FN int cti_barrier_walls_find(cti_state *s, const ct_real *x)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    for (i = 0; i < CTI_LEN(b->contact.walls); i++) {
        const cti_barrier_wall *w = &b->contact.walls[i];
        ct_real gap = cti_barrier_wall_gap(w, x);
        cti_barrier_term t;
        if (!(gap < w->hat))
            continue;
        memset(&t, 0, sizeof t);
        t.pair = w->pair, t.hat = w->hat, t.d2 = gap * gap, t.mass = w->mass, t.wall = i + 1;
        if (!CTI_PUSH(&s->prepared, b->contact.terms, t))
            return 0;
    }
    return 1;
}

CTI_FN ct_real cti_barrier_walls_filter(const cti_state *s, const ct_real *x1, ct_real share)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real step = 1;
    int i;
    for (i = 0; i < CTI_LEN(b->contact.walls); i++) {
        const cti_barrier_wall *w = &b->contact.walls[i];
        ct_real g0 = cti_barrier_wall_gap(w, s->surface.x0), g1 = cti_barrier_wall_gap(w, x1), least = share * cti_min(g0, w->hat);
        if (g1 < least)
            step = cti_min(step, (g0 - least) / (g0 - g1) * (1 - 8 * CTI_EPS));
    }
    return step;
}

/* closest points of a pair at x: p_a - p_b = sum w_k x_k; returns it */
static cti_v3 cti_wall_closest(const cti_surface *f, cti_barrier_wall *w, const ct_real *x)
{
    cti_pair pair = w->pair;
    int k, feature;
    for (k = 0; k < w->pair.n; k++)
        pair.v[k] = k;
    cti_pair_closest(f, x, &pair, &feature);
    memcpy(w->pair.w, pair.w, sizeof w->pair.w);
    return cti_pair_offset(f, x, &pair);
}

/* 1 where the way of w's pair from p0 [12] to p1 leads within dhat, at most `way` long relative to each other: then its plane, time, and duration.
   *beyond: n . sum c_k x_k at the end, less half of the distance then. A pair that is pressed has the distance itself, one that slides along a rod
   what it had before, and one that has turned about the other by more than 60 degrees less */
static int cti_wall_make(const cti_surface *f, cti_barrier_wall *w, ct_real dhat, ct_real way, const ct_real *p0, const ct_real *p1, ct_real *beyond)
{
    ct_real x[12], d = cti_v3_norm(cti_wall_closest(f, w, p0)), after = cti_v3_norm(cti_wall_closest(f, w, p1)), begin = cti_min(d, dhat);
    cti_v3 n, end = cti_v3_zero();
    int k;
    w->when = 0;
    if (way <= begin || (d > dhat && !cti_ccd_meet(w->pair.kind, p0, p1, dhat, &w->when)))
        return 0;
    for (k = 0; k < 3 * w->pair.n; k++)
        x[k] = p0[k] + w->when * (p1[k] - p0[k]);
    n = cti_wall_closest(f, w, x);
    d = cti_v3_norm(n);
    if (!(d > 0))
        return 0;
    n = cti_v3_mul(n, 1 / d);
    for (k = 1; k < w->pair.n; k++)
        end = cti_v3_mad(end, cti_v3_sub(cti_v3_at(p1, k), cti_v3_at(p1, 0)), w->pair.w[k]);
    cti_v3_put(w->normal, 0, n);
    w->hat = cti_barrier_tuned.cover.wall * cti_min(d, dhat);
    w->lasts = begin / way;
    *beyond = cti_v3_dot(n, end) - cti_barrier_tuned.cover.wall * cti_min(after, begin);
    return 1;
}

/* adds the walls of a list, for the way from x_start to `end`, at which start2 is */
static int cti_walls_of_list(cti_state *s, int list, const ct_real *end)
{
    cti_barrier *b = cti_barrier_own(s);
    const cti_candidates *l = &b->cover.list[list];
    const cti_surface *f = &s->surface;
    int i, k;
    for (i = 0; i < cti_candidates_len(l); i++) {
        const int32_t *q = l->quads + 4 * (size_t)i, *edges = l->pairs + 2 * (size_t)i;
        ct_real p0[12], p1[12], way, beyond;
        cti_barrier_wall w;
        cti_barrier_term t;
        if (l->kind == CT_PAIR_EE && (f->edge_faces[2 * (size_t)edges[0]] >= 0 || f->edge_faces[2 * (size_t)edges[1]] >= 0))
            continue;
        memset(&w, 0, sizeof w);
        t = cti_barrier_term_of(l, i), w.pair = t.pair;
        way = cti_vertices_approach(q, w.pair.n_a, w.pair.n, b->surface.x_start, end);
        /* through: farther than its distance at the start, of which at most `way` is left at the end, or than dhat */
        if (way < l->hat[i] && b->cover.start2[list][i] > 4 * way * way)
            continue;
        for (k = 0; k < w.pair.n; k++) {
            cti_v3_put(p0, k, cti_v3_at(b->surface.x_start, q[k]));
            cti_v3_put(p1, k, cti_v3_at(end, q[k]));
        }
        if (!cti_wall_make(f, &w, l->hat[i], way, p0, p1, &beyond) || !(beyond < (end == f->x0 ? 0 : w.hat / 2)))
            continue;
        w.mass = cti_barrier_least_mass(s, &t);
        if (w.mass > 0 && !CTI_PUSH(&s->prepared, b->contact.walls, w))
            return 0;
    }
    return 1;
}

/* takes out new walls, from number `from` on, of pairs that are reached after another one of their vertices has gone through. 0: out of memory */
static int cti_walls_first(cti_state *s, int from)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    ct_real *first = CTI_ARENA_NEW(s->arena, ct_real, s->surface.nv + 1);
    int i, k, n = from;
    if (!first)
        return 0;
    for (i = 0; i < s->surface.nv; i++)
        first[i] = 1;
    for (i = from; i < CTI_LEN(b->contact.walls); i++)
        for (k = 0; k < b->contact.walls[i].pair.n; k++) {
            ct_real *at = &first[b->contact.walls[i].pair.v[k]];
            *at = cti_min(*at, b->contact.walls[i].when + b->contact.walls[i].lasts);
        }
    for (i = from; i < CTI_LEN(b->contact.walls); i++) {
        const cti_barrier_wall w = b->contact.walls[i];
        int keep = 1;
        for (k = 0; k < w.pair.n; k++)
            keep &= w.when <= first[w.pair.v[k]];
        if (keep)
            b->contact.walls[n++] = w;
    }
    cti_arena_rewind(s->arena, mark);
    return CTI_RESIZE(&s->prepared, b->contact.walls, n);
}

CTI_FN int cti_barrier_walls(cti_state *s, const ct_real *to)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_surface *f = &s->surface;
    cti_arena_point mark = cti_arena_mark(s->arena);
    size_t bytes = sizeof(ct_real) * 3 * (size_t)f->nv;
    int k, ok, n = CTI_LEN(b->contact.walls);
    ct_real *end;
    if (!b->layout.loose)
        return 0;
    end = CTI_ARENA_NEW(s->arena, ct_real, 3 * f->nv + 1);
    if (!end)
        return -1;
    /* lists that hold for the whole way */
    memcpy(end, f->x0, bytes);
    memcpy(f->x0, b->surface.x_start, bytes);
    ok = cti_barrier_cover(s, to == f->x0 ? end : to);
    memcpy(f->x0, end, bytes);
    if (b->cover.made || to != f->x0) {
        cti_barrier_measure(s, to);
        cti_barrier_arrive(s);
    }
    for (k = 0; ok && k < CTI_BARRIER_LISTS; k++)
        ok = k == CTI_LIST_VF || cti_walls_of_list(s, k, to);
    ok = ok && cti_walls_first(s, n);
    if (to != f->x0) {
        cti_barrier_measure(s, end);
        cti_barrier_arrive(s);
    }
    cti_arena_rewind(s->arena, mark);
    return ok ? CTI_LEN(b->contact.walls) - n : -1;
}
