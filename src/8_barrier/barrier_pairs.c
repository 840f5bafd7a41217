/* barrier_pairs.c -- candidate pairs, active pairs, and the step that keeps them apart.
   Method: one query of the trees serves while the surface moves within boxes around the motion that it was made for: first around the ends of a
   large Newton step, then around all of the small ones that follow. No pair is left out of any list: a barrier needs them all. A step is cut where
   a pair would come nearer than a share of its distance (continuous detection with a minimum distance, never late), after pairs have been
   taken out whose relative motion is too short for that. based on: Li et al. 2020, sec. 4.4 and 4.5. */
#include "barrier.h"
#include "../8_step/tangle.h"

/* ---- lists ---- */

/* the room of a body: around both ends where it moves slowly, with slack for what is to come; at each end where it is fast */
static void cti_barrier_room(cti_barrier *b, cti_surface *f, int body, const ct_real *x1)
{
    const cti_soup_body *r = &f->ranges[body];
    cti_room_body how;
    ct_real way = 0, hat = b->layout.hat[body];
    int i;
    for (i = 3 * r->v0; i < 3 * r->v1; i++)
        way = cti_max(way, cti_abs(x1[i] - f->x0[i]));
    how.swept = way <= cti_barrier_tuned.cover.fast * hat;
    how.slack = f->bodies[body].dynamic ? cti_max(hat / 4, how.swept ? way / 4 : 0) : 0;
    cti_room_set(&b->cover.room, f, body, x1, how, hat);
}

CTI_FN void cti_barrier_measure(cti_state *s, const ct_real *x)
{
    int k;
    for (k = 0; k < CTI_BARRIER_LISTS; k++)
        cti_candidates_measure(&cti_barrier_own(s)->cover.list[k], &s->surface, x);
}

CTI_FN void cti_barrier_arrive(cti_state *s)
{
    cti_barrier_candidates *c = &cti_barrier_own(s)->cover;
    int k;
    for (k = 0; k < CTI_BARRIER_LISTS; k++)
        if (CTI_LEN(c->start2[k]))
            memcpy(c->start2[k], c->list[k].d2, sizeof(ct_real) * (size_t)CTI_LEN(c->start2[k]));
}

CTI_FN int cti_barrier_cover(cti_state *s, const ct_real *x1)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_surface *f = &s->surface;
    int k;
    b->cover.made = 0;
    if (b->cover.known && cti_room_holds(&b->cover.room, f, x1))
        return 1;
    b->cover.known = 0;
    for (k = 0; k < f->n_bodies; k++)
        if (f->bodies[k].moves)
            cti_barrier_room(b, f, k, x1);
    for (k = 0; k < CTI_LISTS; k++)
        CTI_CLEAR(b->cover.list[k].pairs);
    if (!cti_broad_update(&s->prepared, &f->broad, &f->soup, f->x0, x1) ||
        !cti_broad_pairs(&s->prepared, &f->broad, &f->soup, &b->cover.list[CTI_LIST_VF].pairs, &b->cover.list[CTI_LIST_EE].pairs, NULL,
                         &b->cover.list[CTI_LIST_VV].pairs) ||
        !cti_broad_loose(&s->prepared, &f->broad, &f->soup, &b->cover.list[CTI_LIST_VE].pairs) ||
        !cti_candidates_planes(&s->prepared, &b->cover.list[CTI_LIST_PLANE], f, &b->cover.room, b->layout.hat, 1))
        return 0;
    for (k = 0; k < CTI_LISTS; k++) {
        if (!cti_candidates_complete(&s->prepared, &b->cover.list[k], f, b->layout.hat))
            return 0;
        cti_candidates_rest(&b->cover.list[k], f);
        if (k < CTI_BARRIER_LISTS && !CTI_RESIZE(&s->prepared, b->cover.start2[k], cti_candidates_len(&b->cover.list[k])))
            return 0;
    }
    cti_barrier_measure(s, f->x0);
    cti_barrier_arrive(s);
    b->cover.known = b->cover.made = 1;
    return 1;
}

/* ---- active pairs ---- */

/* 1 where a script does not hold all blocks that move vertex v */
static int cti_barrier_is_free(const cti_state *s, int v)
{
    const cti_attach *a = cti_surface_attach(&s->surface, v);
    int k, is_free = 0;
    for (k = 0; k < a->n; k++)
        is_free |= !s->scripts.fixed[a->block[k]];
    return is_free;
}

CTI_FN ct_real cti_barrier_least_mass(const cti_state *s, const cti_barrier_term *t)
{
    const ct_real *share = cti_barrier_own(s)->layout.share;
    const int32_t *body_of = s->surface.body_of;
    int k, is_free = s->scripts.n_constrained == 0;
    for (k = 0; !is_free && k < t->pair.n; k++)
        is_free = cti_barrier_is_free(s, t->pair.v[k]);
    if (!is_free)
        return 0;
    return t->pair.n == t->pair.n_a ? share[body_of[t->pair.v[0]]] : cti_min(share[body_of[t->pair.v[0]]], share[body_of[t->pair.v[t->pair.n_a]]]);
}

CTI_FN cti_barrier_term cti_barrier_term_of(const cti_candidates *l, int i)
{
    cti_barrier_term t;
    memset(&t, 0, sizeof t);
    t.pair.kind = (int32_t)l->kind, t.pair.n = cti_kind_corners(l->kind), t.pair.n_a = cti_kind_first(l->kind);
    memcpy(t.pair.v, l->quads + 4 * (size_t)i, 4 * sizeof *t.pair.v);
    t.hat = l->hat[i], t.d2 = l->d2[i];
    if (l->kind == CT_PAIR_PLANE)
        t.pair.plane = l->pairs[2 * i + 1], t.d2 *= t.d2;
    return t;
}

CTI_FN int cti_barrier_find(cti_state *s, const ct_real *x)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k;
    cti_barrier_measure(s, x);
    cti_candidates_measure(&b->cover.list[CTI_LIST_PLANE], &s->surface, x);
    CTI_CLEAR(b->contact.terms);
    for (k = 0; k < CTI_LISTS; k++) {
        const cti_candidates *l = &b->cover.list[k];
        int n = cti_candidates_len(l);
        for (i = 0; i < n; i++) {
            cti_barrier_term t;
            if (!(l->d2[i] < (k == CTI_LIST_PLANE ? l->hat[i] : l->hat[i] * l->hat[i])))
                continue;
            t = cti_barrier_term_of(l, i);
            t.mass = cti_barrier_least_mass(s, &t);
            if (!CTI_PUSH(&s->prepared, b->contact.terms, t))
                return 0;
        }
    }
    return cti_barrier_walls_find(s, x);
}

static void cti_barrier_gather(const cti_barrier_term *t, const ct_real *x, ct_real *out)
{
    int k;
    for (k = 0; k < t->pair.n; k++)
        cti_v3_put(out, k, cti_v3_at(x, t->pair.v[k]));
}

CTI_FN void cti_barrier_law(const cti_state *s, const cti_barrier_term *t, cti_potential *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real rest[12], fixed = s->desc.barrier.stiffness;
    out->kind = s->desc.barrier.kind;
    out->dhat = t->hat;
    out->k = b->rule.contact * (fixed > 0 && t->mass > 0 ? fixed : (ct_real)b->scale.now * t->mass) * t->hat;
    out->width = 0;
    if (t->pair.kind != CT_PAIR_EE)
        return;
    cti_barrier_gather(t, s->surface.rest, rest);
    out->width = cti_mollifier_width(rest);
}

CTI_FN int cti_barrier_eval(const cti_state *s, const cti_barrier_term *t, const ct_real *x, int want, cti_potential_terms *out)
{
    cti_potential law;
    ct_real points[12];
    cti_barrier_law(s, t, &law);
    if (t->wall)
        return cti_barrier_wall_eval(&cti_barrier_own(s)->contact.walls[t->wall - 1], &law, x, want, out);
    if (t->pair.kind == CT_PAIR_PLANE) {
        const cti_plane *p = &s->surface.planes[t->pair.plane];
        return cti_potential_plane(&law, cti_v3_at(p->normal, 0), cti_plane_gap(p, cti_v3_at(x, t->pair.v[0])), want, out);
    }
    cti_barrier_gather(t, x, points);
    return cti_potential_eval(&law, (ct_pair_kind)t->pair.kind, points, want, out);
}

/* ---- the step filter ---- */

/* the largest step in [0, 1] on a way; below 0: out of memory */
static ct_real cti_barrier_filter_lists(cti_state *s, const cti_candidates_way *way)
{
    cti_barrier_candidates *c = &cti_barrier_own(s)->cover;
    ct_real step = 1;
    int i, k;
    for (k = 0; k < CTI_BARRIER_LISTS; k++) {
        int n = cti_candidates_len(&c->list[k]);
        if (!CTI_RESIZE(&s->prepared, c->toi, n))
            return -1;
        cti_candidates_meet(&c->list[k], &s->surface, way, c->start2[k], c->toi);
        for (i = 0; i < n; i++)
            step = cti_min(step, c->toi[i]);
    }
    return step;
}

CTI_FN ct_real cti_barrier_filter(cti_state *s, const ct_real *x1, ct_real share)
{
    cti_barrier *b = cti_barrier_own(s);
    const cti_candidates *l = &b->cover.list[CTI_LIST_PLANE];
    const cti_candidates_way way = {s->surface.x0, x1, share, share, CTI_REAL_MAX, NULL, NULL};
    ct_real step = cti_barrier_filter_lists(s, &way);
    int i;
    for (i = 0; step >= 0 && i < cti_candidates_len(l); i++) {
        const cti_plane *p = &s->surface.planes[l->pairs[2 * i + 1]];
        ct_real g0 = cti_plane_gap(p, cti_v3_at(s->surface.x0, l->pairs[2 * i])), g1 = cti_plane_gap(p, cti_v3_at(x1, l->pairs[2 * i]));
        ct_real least = share * cti_min(g0, b->layout.hat[p->body]);
        if (g1 < least)
            step = cti_min(step, (g0 - least) / (g0 - g1) * (1 - 8 * CTI_EPS));
    }
    return step < 0 ? -1 : cti_min(step, cti_barrier_walls_filter(s, x1, share));
}

/* ---- the straight way of a step ---- */

/* The size is once the extent, since a body has to go about as far to be behind another one. Of 672 impacts of boxes and spheres of 0.1 m at 2 to
   160 m/s (steps of 5 and 17 ms) 53 have a step that is not converged, and none passes. With half of it 66 and none, with the double 44 and one */

/* size [surface bodies]: largest extent of each body at the start of the step, and its dhat. 1 where two bodies, or parts of one, may move farther
   relative to each other than the smaller one's size */
static int cti_barrier_sizes(const cti_state *s, ct_real *size)
{
    const cti_barrier *b = cti_barrier_own(s);
    const cti_surface *f = &s->surface;
    ct_real least = CTI_REAL_MAX, most = 0;
    int body, v;
    for (body = 0; body < f->n_bodies; body++) {
        const cti_box box = cti_surface_box(f, b->surface.x_start, body);
        const cti_v3 wide = cti_v3_sub(box.hi, box.lo);
        for (v = f->ranges[body].v0; v < f->ranges[body].v1; v++)
            most = cti_max(most, cti_v3_norm(cti_barrier_went(s, f->x0, v)));
        size[body] = cti_max(0, cti_max(wide.x, cti_max(wide.y, wide.z))) + b->layout.hat[body];
        if (f->ranges[body].v1 > f->ranges[body].v0)
            least = cti_min(least, size[body]);
    }
    return 2 * most > least;
}

CTI_FN int cti_barrier_passes(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_surface *f = &s->surface;
    cti_arena_point mark = cti_arena_mark(s->arena);
    size_t bytes = sizeof(ct_real) * 3 * (size_t)f->nv;
    ct_real *size = CTI_ARENA_NEW(s->arena, ct_real, f->n_bodies + 1), *end = CTI_ARENA_NEW(s->arena, ct_real, 3 * f->nv + 1), step;
    const cti_candidates_way way = {f->x0, end, 0, 0, CTI_REAL_MAX, size, NULL};
    if (!size || !end)
        return -1;
    if (!cti_barrier_sizes(s, size)) {
        cti_arena_rewind(s->arena, mark);
        return 0;
    }
    /* lists of the whole way, in place of those around its end */
    memcpy(end, f->x0, bytes);
    memcpy(f->x0, b->surface.x_start, bytes);
    b->cover.known = 0;
    step = cti_barrier_cover(s, end) ? cti_barrier_filter_lists(s, &way) : -1;
    memcpy(f->x0, end, bytes);
    b->cover.known = 0;
    cti_arena_rewind(s->arena, mark);
    return step < 0 ? -1 : step < 1;
}

/* ---- the start ---- */

/* dhat of a pair of a list, without the bound by the distance at rest within a body */
static ct_real cti_barrier_hat(const cti_state *s, const cti_candidates *l, int i)
{
    const cti_barrier *b = cti_barrier_own(s);
    const int32_t *q = l->quads + 4 * (size_t)i;
    return (b->layout.hat[s->surface.body_of[q[0]]] + b->layout.hat[s->surface.body_of[q[cti_kind_first(l->kind)]]]) / 2;
}

CTI_FN int cti_barrier_crosses(cti_state *s)
{
    int i, k, crosses = cti_tangle_crossed(s);
    cti_barrier_own(s)->cover.known = 0;
    if (crosses)
        return crosses;
    if (!cti_barrier_cover(s, s->surface.x0))
        return -1;
    for (k = 0; k < CTI_BARRIER_LISTS; k++) {
        const cti_candidates *l = &cti_barrier_own(s)->cover.list[k];
        for (i = 0; i < cti_candidates_len(l); i++)
            if (cti_sqrt(l->d2[i]) <= CTI_EPS * cti_barrier_hat(s, l, i)) {
                cti_pair_make(&s->surface, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &s->step.limit);
                return 1;
            }
    }
    return 0;
}

CTI_FN int cti_barrier_squeezes(const cti_state *s, const ct_real *x)
{
    const cti_barrier *b = cti_barrier_own(s);
    const cti_surface *f = &s->surface;
    const cti_candidates *planes = &b->cover.list[CTI_LIST_PLANE];
    ct_real share = cti_sqrt(CTI_EPS);
    int i, k;
    for (k = 0; k < CTI_BARRIER_LISTS; k++) {
        const cti_candidates *l = &b->cover.list[k];
        for (i = 0; i < cti_candidates_len(l); i++)
            if (l->d2[i] < b->cover.start2[k][i] && cti_sqrt(l->d2[i]) < share * cti_barrier_hat(s, l, i))
                return 1;
    }
    for (i = 0; i < cti_candidates_len(planes); i++) {
        int v = planes->pairs[2 * i];
        const cti_plane *p = &f->planes[planes->pairs[2 * i + 1]];
        ct_real gap = cti_plane_gap(p, cti_v3_at(x, v)), least = share * (b->layout.hat[f->body_of[v]] + b->layout.hat[p->body]) / 2;
        if (gap < least && gap < cti_plane_gap(p, cti_v3_at(f->x0, v)))
            return 1;
    }
    for (i = 0; i < CTI_LEN(b->contact.walls); i++) {
        const cti_barrier_wall *w = &b->contact.walls[i];
        ct_real gap = cti_barrier_wall_gap(w, x);
        if (gap < share * w->hat && gap < cti_barrier_wall_gap(w, f->x0))
            return 1;
    }
    return 0;
}
