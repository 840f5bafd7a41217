/* barrier_pairs.c -- candidate pairs, active pairs, and the step that keeps them apart.
   Method: one query of the trees serves while the surface moves within boxes around the motion that it was made for: first around the ends of a
   large Newton step, then around all of the small ones that follow. No pair is left out of any list: a barrier needs them all. A step is cut where
   a pair would come nearer than a share of its distance (continuous detection with a minimum distance, never late), after pairs have been
   taken out whose relative motion is too short for that. based on: Li et al. 2020, sec. 4.4 and 4.5. */
#include "barrier.h"
#include "../0_base/tasks.h"
#include "../4_geom/ccd.h"
#include "../4_geom/dist.h"
#include "../8_step/tangle.h"

#define CTI_BARRIER_FAST CTI_R(16) /* [dhat] a body that moves farther in a step gets boxes at both ends of it, and none between */
/* [ulp] of the extent of a pair: rounding of its distance. Float needs it, where a press leaves a few ulp between bodies. Half and double were not
   compared */
#define CTI_BARRIER_DOUBT 64
/* [sqrt(CTI_EPS) dhat] distance that a Newton step leaves at least: 1.5e-8 dhat, in float 3.5e-4. A barrier's second derivative grows like
   1 / d^2: nearer, it exceeds those at dhat by more than 1 / CTI_EPS, a solve sees nothing else, and what was pressed never comes off. Of 30
   presses that close and open (rigid, soft, cloth; plane, mesh) all come off with 1, 4, 16 and 64, one in float does not with 0.1. With 4 an impact
   at 1000 m/s in float strains a rigid body by 2.5 % (test_barrier). Half and double were not compared */
#define CTI_BARRIER_LEAST 1

/* [us] of a candidate: its distance, the bound on its approach, its time of impact */
#define CTI_BARRIER_DISTANCE 0.02
#define CTI_BARRIER_BOUND 0.02
#define CTI_BARRIER_CCD 0.3

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
    how.swept = way <= CTI_BARRIER_FAST * hat;
    how.slack = f->bodies[body].dynamic ? cti_max(hat / 4, how.swept ? way / 4 : 0) : 0;
    cti_room_set(&b->cover.room, f, body, x1, how, hat);
}

/* vertices of each pair, and its dhat: within a body at most half of the distance at rest */
static int cti_barrier_complete(cti_state *s, cti_barrier *b, cti_barrier_list *l)
{
    const cti_surface *f = &s->surface;
    int n = CTI_LEN(l->pairs) / 2, i, na = l->kind == CT_PAIR_EE ? 2 : 1;
    if (!CTI_RESIZE(&s->prepared, l->quads, 4 * n) || !CTI_RESIZE(&s->prepared, l->hat, n) || !CTI_RESIZE(&s->prepared, l->d2, n) ||
        !CTI_RESIZE(&s->prepared, l->start2, n) || !CTI_RESIZE(&s->prepared, l->w, 3 * n) || !CTI_RESIZE(&s->prepared, l->feature, n))
        return 0;
    for (i = 0; i < n; i++) {
        cti_pair p;
        cti_pair_make(f, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &p);
        memcpy(l->quads + 4 * (size_t)i, p.v, 4 * sizeof *p.v);
        l->hat[i] = (b->layout.hat[f->body_of[p.v[0]]] + b->layout.hat[f->body_of[p.v[na]]]) / 2;
    }
    cti_dist_batch(l->kind, f->rest, l->quads, n, l->d2, l->w, l->feature);
    for (i = 0; l->kind != CT_PAIR_VV && i < n; i++) {
        const int32_t *q = l->quads + 4 * (size_t)i;
        if (f->body_of[q[0]] == f->body_of[q[na]] && !f->is_point[q[0]])
            l->hat[i] = cti_min(l->hat[i], cti_sqrt(l->d2[i]) / 2);
    }
    return 1;
}

/* vertices that may come within reach of planes anywhere in the boxes */
static int cti_barrier_list_planes(cti_state *s, cti_barrier *b)
{
    const cti_surface *f = &s->surface;
    int v, p, k, e;
    CTI_CLEAR(b->cover.planes);
    for (p = 0; p < f->n_planes; p++)
        for (v = cti_surface_dynamic(f, 0); v < f->nv; v = cti_surface_dynamic(f, v + 1)) {
            const cti_plane *q = &f->planes[p];
            ct_real least = CTI_REAL_MAX;
            for (e = 0; e < 2; e++) {
                cti_box box = cti_room_box(&b->cover.room, f, v, e);
                ct_real gap = -q->offset, lo[3], hi[3];
                cti_v3_put(lo, 0, box.lo), cti_v3_put(hi, 0, box.hi);
                for (k = 0; k < 3; k++)
                    gap += q->normal[k] * (q->normal[k] > 0 ? lo : hi)[k];
                least = cti_min(least, gap);
            }
            if (least < (b->layout.hat[f->body_of[v]] + b->layout.hat[q->body]) / 2 &&
                (!CTI_PUSH(&s->prepared, b->cover.planes, v) || !CTI_PUSH(&s->prepared, b->cover.planes, p)))
                return 0;
        }
    return 1;
}

/* cti_pairs_job -- a loop over a list's candidates */
typedef struct cti_pairs_job {
    cti_barrier *b;
    cti_barrier_list *l;
    const ct_real *x0, *x1;
    ct_real share;
    const ct_real *size;    /* [surface bodies] only pairs that move farther than the smaller body's size; NULL: all */
    const int32_t *body_of; /* [nv] of the surface */
} cti_pairs_job;

static void cti_barrier_measure_range(int begin, int end, int worker, void *context)
{
    const cti_pairs_job *q = (const cti_pairs_job *)context;
    cti_barrier_list *l = q->l;
    CTI_UNUSED(worker);
    cti_dist_batch(l->kind, q->x0, l->quads + 4 * (size_t)begin, end - begin, l->d2 + begin, l->w + 3 * (size_t)begin, l->feature + begin);
}

CTI_FN void cti_barrier_measure(const cti_state *s, cti_barrier *b, const ct_real *x)
{
    cti_pairs_job q;
    int k;
    memset(&q, 0, sizeof q);
    q.b = b, q.x0 = x;
    for (k = 0; k < CTI_BARRIER_LISTS; k++) {
        q.l = &b->cover.list[k];
        cti_tasks_run_work(&s->desc.tasks, cti_barrier_measure_range, CTI_LEN(q.l->pairs) / 2, CTI_BARRIER_DISTANCE, &q);
    }
}

CTI_FN void cti_barrier_arrive(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int k;
    for (k = 0; k < CTI_BARRIER_LISTS; k++)
        if (CTI_LEN(b->cover.list[k].d2))
            memcpy(b->cover.list[k].start2, b->cover.list[k].d2, sizeof(ct_real) * (size_t)CTI_LEN(b->cover.list[k].d2));
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
    for (k = 0; k < CTI_BARRIER_LISTS; k++)
        CTI_CLEAR(b->cover.list[k].pairs);
    if (!cti_broad_update(&s->prepared, &f->broad, &f->soup, f->x0, x1) ||
        !cti_broad_pairs(&s->prepared, &f->broad, &f->soup, &b->cover.list[CTI_BARRIER_VF].pairs, &b->cover.list[CTI_BARRIER_EE].pairs, NULL,
                         &b->cover.list[CTI_BARRIER_VV].pairs) ||
        !cti_broad_loose(&s->prepared, &f->broad, &f->soup, &b->cover.list[CTI_BARRIER_VE].pairs))
        return 0;
    for (k = 0; k < CTI_BARRIER_LISTS; k++)
        if (!cti_barrier_complete(s, b, &b->cover.list[k]))
            return 0;
    if (!cti_barrier_list_planes(s, b))
        return 0;
    cti_barrier_measure(s, b, f->x0);
    cti_barrier_arrive(s);
    b->cover.known = b->cover.made = 1;
    return 1;
}

/* ---- active pairs ---- */

/* 1 where a script does not hold all blocks that move vertex v */
static int cti_barrier_is_free(const cti_state *s, int v)
{
    const cti_attach *a = cti_surface_attach(&s->surface, v);
    int k, is_free = a->n > 0 && a->frame >= 0;
    for (k = 0; a->frame < 0 && k < a->n; k++)
        is_free |= !s->scripts.fixed[a->block[k]];
    return is_free;
}

CTI_FN ct_real cti_barrier_least_mass(const cti_state *s, const cti_barrier_term *t)
{
    const ct_real *share = cti_barrier_own(s)->layout.share;
    const int32_t *body_of = s->surface.body_of;
    int k, is_free = s->scripts.n_constrained == 0;
    for (k = 0; !is_free && k < t->n; k++)
        is_free = cti_barrier_is_free(s, t->v[k]);
    if (!is_free)
        return 0;
    return t->n == t->n_a ? share[body_of[t->v[0]]] : cti_min(share[body_of[t->v[0]]], share[body_of[t->v[t->n_a]]]);
}

static int cti_barrier_find_planes(cti_state *s, cti_barrier *b, const ct_real *x)
{
    const cti_surface *f = &s->surface;
    cti_barrier_term t;
    int i;
    for (i = 0; i < CTI_LEN(b->cover.planes); i += 2) {
        ct_real gap;
        memset(&t, 0, sizeof t);
        t.kind = CT_PAIR_PLANE, t.n = t.n_a = 1;
        t.v[0] = b->cover.planes[i], t.plane = b->cover.planes[i + 1];
        t.hat = (b->layout.hat[f->body_of[t.v[0]]] + b->layout.hat[f->planes[t.plane].body]) / 2;
        t.mass = cti_barrier_least_mass(s, &t);
        gap = cti_plane_gap(&f->planes[t.plane], cti_v3_at(x, t.v[0]));
        t.d2 = gap * gap;
        if (gap < t.hat && !CTI_PUSH(&s->prepared, b->contact.terms, t))
            return 0;
    }
    return 1;
}

CTI_FN int cti_barrier_find(cti_state *s, const ct_real *x)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k;
    cti_barrier_measure(s, b, x);
    CTI_CLEAR(b->contact.terms);
    for (k = 0; k < CTI_BARRIER_LISTS; k++) {
        const cti_barrier_list *l = &b->cover.list[k];
        int n = CTI_LEN(l->pairs) / 2;
        for (i = 0; i < n; i++) {
            cti_barrier_term t;
            if (!(l->d2[i] < l->hat[i] * l->hat[i]))
                continue;
            t.kind = (int32_t)l->kind, t.plane = 0, t.wall = 0;
            t.n = k == CTI_BARRIER_VV ? 2 : k == CTI_BARRIER_VE ? 3 : 4;
            t.n_a = k == CTI_BARRIER_EE ? 2 : 1;
            memcpy(t.v, l->quads + 4 * (size_t)i, sizeof t.v);
            t.hat = l->hat[i], t.d2 = l->d2[i];
            t.mass = cti_barrier_least_mass(s, &t);
            if (!CTI_PUSH(&s->prepared, b->contact.terms, t))
                return 0;
        }
    }
    return cti_barrier_find_planes(s, b, x) && cti_barrier_walls_find(s, x);
}

static void cti_barrier_gather(const cti_barrier_term *t, const ct_real *x, ct_real *out)
{
    int k;
    for (k = 0; k < t->n; k++)
        cti_v3_put(out, k, cti_v3_at(x, t->v[k]));
}

CTI_FN void cti_barrier_law(const cti_state *s, const cti_barrier_term *t, cti_potential *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real rest[12], fixed = s->desc.barrier.stiffness;
    out->kind = s->desc.barrier.kind;
    out->dhat = t->hat;
    out->k = b->rule.contact * (fixed > 0 && t->mass > 0 ? fixed : (ct_real)s->history.barrier * t->mass) * t->hat;
    out->width = 0;
    if (t->kind != CT_PAIR_EE)
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
    if (t->kind == CT_PAIR_PLANE) {
        const cti_plane *p = &s->surface.planes[t->plane];
        return cti_potential_plane(&law, cti_v3_at(p->normal, 0), cti_plane_gap(p, cti_v3_at(x, t->v[0])), want, out);
    }
    cti_barrier_gather(t, x, points);
    return cti_potential_eval(&law, (ct_pair_kind)t->kind, points, want, out);
}

/* ---- the step filter ---- */

/* bound on the rounding of a pair's distance, which is formed from differences of its vertices */
static ct_real cti_barrier_doubt(const int32_t *q, int n, const ct_real *x0)
{
    ct_real big = 0;
    int i, k;
    for (i = 1; i < n; i++)
        for (k = 0; k < 3; k++)
            big = cti_max(big, cti_abs(x0[3 * (size_t)q[i] + (size_t)k] - x0[3 * (size_t)q[0] + (size_t)k]));
    return CTI_BARRIER_DOUBT * CTI_EPS * big;
}

/* feature: 1 where a candidate comes nearer than its share, by a bound; w: the time of loose points and edges, else 1 */
static void cti_barrier_near_range(int begin, int end, int worker, void *context)
{
    const cti_pairs_job *j = (const cti_pairs_job *)context;
    cti_barrier_list *l = j->l;
    int n_a = l->kind == CT_PAIR_EE ? 2 : 1, n = l->kind == CT_PAIR_VV ? 2 : l->kind == CT_PAIR_VE ? 3 : 4, i;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        const int32_t *q = l->quads + 4 * (size_t)i;
        ct_real d = cti_sqrt(l->start2[i]), least = j->share * cti_min(d, l->hat[i]), way = cti_vertices_approach(q, n_a, n, j->x0, j->x1);
        int counts = !j->size || way > cti_min(j->size[j->body_of[q[0]]], j->size[j->body_of[q[n_a]]]);
        l->w[i] = 1;
        l->feature[i] = counts && !(d - way * (1 + 16 * CTI_EPS) > least + cti_barrier_doubt(q, n, j->x0));
        if (n < 4 && l->feature[i])
            l->w[i] = cti_vertices_toi(q, n, least, j->x0, j->x1, 1);
    }
}

static void cti_barrier_toi_range(int begin, int end, int worker, void *context)
{
    const cti_pairs_job *q = (const cti_pairs_job *)context;
    cti_barrier *b = q->b;
    CTI_UNUSED(worker);
    if (q->l->kind == CT_PAIR_VF)
        cti_ccd_vf_batch(q->x0, q->x1, b->cover.tested + 4 * (size_t)begin, end - begin, b->cover.least + begin, b->cover.toi + begin);
    else
        cti_ccd_ee_batch(q->x0, q->x1, b->cover.tested + 4 * (size_t)begin, end - begin, b->cover.least + begin, b->cover.toi + begin);
}

/* the step of one list; size: as in cti_pairs_job; below 0: out of memory */
static ct_real cti_barrier_filter_list(cti_state *s, cti_barrier_list *l, const ct_real *x1, ct_real share, const ct_real *size)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_pairs_job q;
    int i, k, n = CTI_LEN(l->pairs) / 2, m = 0;
    ct_real step = 1;
    q.b = b, q.l = l, q.x0 = s->surface.x0, q.x1 = x1, q.share = share, q.size = size, q.body_of = s->surface.body_of;
    cti_tasks_run_work(&s->desc.tasks, cti_barrier_near_range, n, CTI_BARRIER_BOUND, &q);
    for (i = 0; i < n; i++) {
        step = cti_min(step, l->w[i]);
        m += l->feature[i];
    }
    if (m == 0 || l->kind == CT_PAIR_VE || l->kind == CT_PAIR_VV)
        return step;
    if (!CTI_RESIZE(&s->prepared, b->cover.tested, 4 * m) || !CTI_RESIZE(&s->prepared, b->cover.least, m) ||
        !CTI_RESIZE(&s->prepared, b->cover.toi, m))
        return -1;
    for (i = k = 0; i < n; i++)
        if (l->feature[i]) {
            memcpy(b->cover.tested + 4 * (size_t)k, l->quads + 4 * (size_t)i, 4 * sizeof *l->quads);
            b->cover.least[k++] = share * cti_min(cti_sqrt(l->start2[i]), l->hat[i]);
        }
    cti_tasks_run_work(&s->desc.tasks, cti_barrier_toi_range, m, CTI_BARRIER_CCD, &q);
    for (i = 0; i < m; i++)
        step = cti_min(step, b->cover.toi[i]);
    return step;
}

CTI_FN ct_real cti_barrier_filter(cti_state *s, const ct_real *x1, ct_real share)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real step = 1;
    int k, i;
    for (k = 0; k < CTI_BARRIER_LISTS; k++) {
        ct_real t = cti_barrier_filter_list(s, &b->cover.list[k], x1, share, NULL);
        if (t < 0)
            return -1;
        step = cti_min(step, t);
    }
    for (i = 0; i < CTI_LEN(b->cover.planes); i += 2) {
        const cti_plane *p = &s->surface.planes[b->cover.planes[i + 1]];
        ct_real g0 = cti_plane_gap(p, cti_v3_at(s->surface.x0, b->cover.planes[i])), g1 = cti_plane_gap(p, cti_v3_at(x1, b->cover.planes[i]));
        ct_real least = share * cti_min(g0, b->layout.hat[p->body]);
        if (g1 < least)
            step = cti_min(step, (g0 - least) / (g0 - g1) * (1 - 8 * CTI_EPS));
    }
    return cti_min(step, cti_barrier_walls_filter(s, x1, share));
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
    int body, v, k;
    for (body = 0; body < f->n_bodies; body++) {
        ct_real lo[3], hi[3];
        size[body] = 0;
        for (k = 0; k < 3; k++)
            lo[k] = CTI_REAL_MAX, hi[k] = -CTI_REAL_MAX;
        for (v = f->ranges[body].v0; v < f->ranges[body].v1; v++) {
            const ct_real *x = b->surface.x_start + 3 * (size_t)v;
            most = cti_max(most, cti_v3_norm(cti_v3_sub(cti_v3_at(f->x0, v), cti_v3_at(x, 0))));
            for (k = 0; k < 3; k++)
                lo[k] = cti_min(lo[k], x[k]), hi[k] = cti_max(hi[k], x[k]);
        }
        for (k = 0; k < 3; k++)
            size[body] = cti_max(size[body], hi[k] - lo[k]);
        size[body] += b->layout.hat[body];
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
    ct_real *size = CTI_ARENA_NEW(s->arena, ct_real, f->n_bodies + 1), *end = CTI_ARENA_NEW(s->arena, ct_real, 3 * f->nv + 1), step = 1;
    int k, ok;
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
    ok = cti_barrier_cover(s, end);
    for (k = 0; ok && k < CTI_BARRIER_LISTS; k++) {
        ct_real t = cti_barrier_filter_list(s, &b->cover.list[k], end, 0, size);
        ok = t >= 0;
        step = cti_min(step, t);
    }
    memcpy(f->x0, end, bytes);
    b->cover.known = 0;
    cti_arena_rewind(s->arena, mark);
    return ok ? step < 1 : -1;
}

/* ---- the start ---- */

CTI_FN int cti_barrier_crosses(cti_state *s)
{
    cti_barrier_own(s)->cover.known = 0;
    return cti_min_int(cti_tangle_crossed(s), 1);
}

/* dhat of a pair of a list, without the bound by the distance at rest within a body */
static ct_real cti_barrier_hat(const cti_state *s, const cti_barrier_list *l, int i)
{
    const cti_barrier *b = cti_barrier_own(s);
    const int32_t *q = l->quads + 4 * (size_t)i;
    return (b->layout.hat[s->surface.body_of[q[0]]] + b->layout.hat[s->surface.body_of[q[l->kind == CT_PAIR_EE ? 2 : 1]]]) / 2;
}

CTI_FN int cti_barrier_coincides(const cti_state *s, cti_pair *out)
{
    int i, k;
    for (k = 0; k < CTI_BARRIER_LISTS; k++) {
        const cti_barrier_list *l = &cti_barrier_own(s)->cover.list[k];
        for (i = 0; i < CTI_LEN(l->pairs) / 2; i++)
            if (cti_sqrt(l->d2[i]) <= CTI_EPS * cti_barrier_hat(s, l, i)) {
                cti_pair_make(&s->surface, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], out);
                return 1;
            }
    }
    return 0;
}

CTI_FN int cti_barrier_squeezes(const cti_state *s, const ct_real *x)
{
    const cti_barrier *b = cti_barrier_own(s);
    const cti_surface *f = &s->surface;
    ct_real share = CTI_BARRIER_LEAST * cti_sqrt(CTI_EPS);
    int i, k;
    for (k = 0; k < CTI_BARRIER_LISTS; k++) {
        const cti_barrier_list *l = &b->cover.list[k];
        for (i = 0; i < CTI_LEN(l->pairs) / 2; i++)
            if (l->d2[i] < l->start2[i] && cti_sqrt(l->d2[i]) < share * cti_barrier_hat(s, l, i))
                return 1;
    }
    for (i = 0; i < CTI_LEN(b->cover.planes); i += 2) {
        int v = b->cover.planes[i];
        const cti_plane *p = &f->planes[b->cover.planes[i + 1]];
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
