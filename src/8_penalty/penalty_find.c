/* penalty_find.c -- contacts of a substep, and their memory.
   Method: pairs that touch at the start of the substep, and with `warp` those that its motion without contacts would bring together. A pair that
   the continuous collision test finds has the normal and the weights of its time of impact; its points are warped back to the start of the
   substep, where the distance along that normal is the gap that the spring begins at (lecture notes 4.2). A pair that the last substep knew
   keeps its side: where the direction from b to a has reversed, features have gone through each other, and the depth goes on to grow.
   Anchors are found by the pair. Those of pairs that are gone go on to the pairs that stand for them now (penalty_anchors.c).
   based on: lecture notes 4.2, 4.4.1. */
#include "../8_step/tangle.h"
#include "penalty.h"
#include "../8_step/move.h"
#include "../0_base/sort.h"
#include "../7_contact/duplicates.h"
#include "../7_contact/flat_patches.h"

/* ---- memory ---- */

/* returns 1 where the memory of a pair says that its closest points have passed each other */
static int cti_penalty_side_changed(const cti_state *s, const cti_hit *hit)
{
    const cti_memory_item *m;
    if (hit->pair.kind == CT_PAIR_PLANE || s->desc.penalty.depth == CT_PENALTY_INSIDE)
        return 0;
    m = cti_memory_find(&s->contact.memory, cti_pair_key(&s->surface, &hit->pair));
    return m && cti_v3_dot(cti_v3_at(m->normal, 0), hit->normal) < 0;
}

/* ---- rows ---- */

/* sets the context of rows of a substep h */
static void cti_penalty_context(const cti_state *s, ct_real h, cti_row_context *c)
{
    cti_move_context(s, h, &s->contact.memory_none, c);
    c->springs = 1;
    if (s->desc.penalty.form == CT_PENALTY_EXPLICIT)
        c->at_start = 1, c->v = s->v;
}

/* sets what the last substep knows of a contact: the slip of its anchor, and its missing depth. A pair that it does not know gets no more depth than
   its points have moved in a substep: deeper ones were there, but represented by others (duplicates.h, detect.h), and a spring that is first seen
   compressed would throw the bodies apart. Bodies begin with what they press: pairs of new ones have their whole depth. u: velocities at the start */
static void cti_penalty_recall(cti_state *s, ct_real h, const cti_pair *pair, const cti_row *row, const ct_real *u, cti_penalty_contact *q)
{
    const cti_penalty *p = cti_penalty_of(s);
    const cti_memory_item *m = cti_penalty_take_item(s, row->key);
    cti_v3 slip;
    q->is_known = m != NULL;
    q->is_new_body = !p->is_known && (p->bodies.fresh[cti_pair_body_a(&s->surface, pair)] || p->bodies.fresh[cti_pair_body_b(&s->surface, pair)]);
    if (m)
        q->missing_depth = m->impulse[1] * (1 - cti_penalty_tuned.spring.recovery * h / s->step.dt);
    else if (!q->is_new_body)
        q->missing_depth = cti_max(0, q->depth - h * cti_max(0, -u[0]));
    q->rest_distance -= q->missing_depth, q->depth -= q->missing_depth;
    if (m && s->desc.penalty.form == CT_PENALTY_EXPLICIT)
        q->half_longer = (m->dt - h) / 2;
    if (m)
        q->recovered = cti_penalty_energy(q, q->depth, q->slip) - cti_penalty_energy(q, q->depth + q->missing_depth - m->impulse[1], q->slip);
    q->friction_bound = m ? row->mu * m->impulse[2] * h : 0;
    if (!m || s->desc.penalty.friction != CT_PENALTY_ANCHOR)
        return;
    slip = cti_m3_mul_v(row->frame, cti_v3_at(m->slip, 0));
    q->slip[0] = slip.y, q->slip[1] = slip.z;
}

/* makes the contact of a row; the law is that of penalty_law.c, and w is the scripts' motion alone */
static void cti_penalty_make_contact(cti_state *s, ct_real h, const cti_row_context *c, const cti_hit *hit, cti_row *row, cti_contact_row *o,
                                 cti_penalty_contact *q)
{
    const ct_penalty_desc *d = &s->desc.penalty;
    ct_real u[3], slow = cti_penalty_tuned.spring.slow * h * cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    int k;
    memset(q, 0, sizeof *q);
    for (k = 0; k < 3; k++)
        row->w[k] = o->script[k], o->base[k] = 0;
    memset(row->compliance, 0, sizeof row->compliance), memset(row->r, 0, sizeof row->r), memset(o->slip, 0, sizeof o->slip);
    row->recover = row->softness = o->lift = o->load = o->asked = 0;
    cti_penalty_springs(s, c, &o->pair, row, q);
    q->rest_distance = d->depth == CT_PENALTY_INSIDE ? 0 : o->thickness;
    if (hit->flat && d->depth == CT_PENALTY_PROXIMITY) /* detection begins to see them there */
        q->rest_distance = cti_min(q->rest_distance, cti_penalty_tuned.spring.flat * cti_pair_thickness(&s->surface, &o->pair));
    q->depth = q->rest_distance - (o->gap0 + o->thickness);
    cti_row_velocity(row, s->v, u);
    cti_penalty_recall(s, h, &o->pair, row, u, q);
    q->rebound_speed = -1;
    if (s->desc.restitution > 0 && d->form == CT_PENALTY_IMPLICIT && -u[0] > slow && q->depth - h * u[0] > 0)
        q->rebound_speed = -u[0] * s->desc.restitution;
    cti_rows_linearize(c, row, o);
}

/* gives a row that rebounds the arms of the start: then the velocities before and after are along the same direction, and those of restitution 1
   have the same energy. Linearized anew, it would prescribe the point's displacement, which is not h times its velocity where the body rotates: a
   box that landed on an edge at 30 rad/s lost 42 % in a step of 10 ms, and 2.5 % in one of 0.5 ms */
static void cti_penalty_rebound(const cti_state *s, ct_real h, const cti_hit *hit, cti_row *row, cti_contact_row *o, cti_penalty_contact *q)
{
    cti_row_context c;
    cti_row start;
    cti_contact_row origin;
    cti_v3 slip = cti_m3_mul_tv(row->frame, cti_v3_make(0, q->slip[0], q->slip[1]));
    ct_real u[3];
    int k;
    if (!o->is_nonlinear)
        return;
    cti_penalty_context(s, h, &c);
    c.at_start = 1, c.v = s->v;
    if (!cti_rows_build(&c, &hit->pair, hit->normal, 0, 0, hit->keep, &start, &origin))
        return;
    memcpy(row->term, start.term, sizeof row->term), memcpy(row->frame, start.frame, sizeof row->frame);
    for (k = 0; k < 3; k++)
        row->w[k] = o->script[k] = origin.script[k];
    o->is_nonlinear = 0;
    slip = cti_m3_mul_v(row->frame, slip);
    q->slip[0] = slip.y, q->slip[1] = slip.z;
    cti_row_velocity(row, s->v, u);
    q->rebound_speed = cti_max(0, -u[0]) * s->desc.restitution;
}

/* makes rows of contact.hits from number `first` on. 0: out of memory */
static int cti_penalty_rows(cti_state *s, ct_real h, int first)
{
    cti_penalty *p = cti_penalty_of(s);
    cti_row_context c;
    int i;
    cti_penalty_context(s, h, &c);
    for (i = first; i < CTI_LEN(s->contact.hits); i++) {
        cti_hit *hit = &s->contact.hits[i];
        cti_row row;
        cti_contact_row origin;
        cti_penalty_contact q;
        if (cti_penalty_side_changed(s, hit))
            hit->normal = cti_v3_mul(hit->normal, -1);
        if (!cti_rows_build(&c, &hit->pair, hit->normal, 0, 0, hit->keep, &row, &origin))
            continue;
        cti_penalty_make_contact(s, h, &c, hit, &row, &origin, &q);
        if (q.rebound_speed >= 0)
            cti_penalty_rebound(s, h, hit, &row, &origin, &q);
        if (!CTI_PUSH(s->mem, s->contact.rows, row) || !CTI_PUSH(s->mem, s->contact.origins, origin) || !CTI_PUSH(&s->prepared, p->contacts, q))
            return 0;
    }
    return 1;
}

CTI_FN void cti_penalty_linearize_rows(cti_state *s, ct_real h)
{
    cti_row_context c;
    int i;
    cti_penalty_context(s, h, &c);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        cti_rows_linearize(&c, &s->contact.rows[i], &s->contact.origins[i]);
}

/* ---- contacts ---- */

/* adds vertices behind planes; ahead: also those that will be at surface.x1. 0: out of memory */
static int cti_penalty_planes(cti_state *s, int ahead)
{
    const cti_surface *f = &s->surface;
    int k, v;
    for (k = 0; k < f->n_planes; k++)
        for (v = cti_surface_facing(f, k, 0); v < f->nv; v = cti_surface_facing(f, k, v + 1)) {
            cti_hit hit;
            ct_real gap = cti_detect_above(f, k, f->x0, v);
            if (gap > 0 && !(ahead && cti_detect_above(f, k, f->x1, v) < 0))
                continue;
            memset(&hit, 0, sizeof hit);
            cti_pair_make(f, CT_PAIR_PLANE, v, k, &hit.pair);
            hit.pair.w[0] = 1;
            hit.normal = cti_v3_at(f->planes[k].normal, 0);
            if (!CTI_PUSH(s->mem, s->contact.hits, hit))
                return 0;
        }
    return 1;
}

/* finds the contacts of CT_PENALTY_INSIDE. 0: out of memory */
static int cti_penalty_inside_all(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    const cti_surface *f = &s->surface;
    int ahead = s->desc.penalty.warp, i;
    uint8_t *found = CTI_ARENA_ZERO(s->arena, uint8_t, f->nv + 1);
    if (!found || !cti_penalty_inside_find(s, f->x0))
        return 0;
    for (i = 0; i < CTI_LEN(p->inside.hits); i++) {
        found[p->inside.hits[i].pair.v[0]] = 1;
        if (!CTI_PUSH(s->mem, s->contact.hits, p->inside.hits[i]))
            return 0;
    }
    if (ahead) { /* vertices that the motion takes inside, with the triangle and the normal of its end */
        if (!cti_penalty_inside_find(s, f->x1))
            return 0;
        for (i = 0; i < CTI_LEN(p->inside.hits); i++)
            if (!found[p->inside.hits[i].pair.v[0]] && !CTI_PUSH(s->mem, s->contact.hits, p->inside.hits[i]))
                return 0;
    }
    return cti_penalty_planes(s, ahead);
}

/* finds the contacts of CT_PENALTY_PROXIMITY. Unlike in cmr, a pair that carried load is not listed for that: where an edge slides past the end of
   another, the pair with the next edge replaces it and takes over its springs. 0: out of memory */
static int cti_penalty_proximity(cti_state *s)
{
    cti_surface *f = &s->surface;
    int changed;
    if (!cti_detect_cover(s->mem, &s->detect, f, f->x1, &changed))
        return 0;
    cti_detect_distances(&s->detect, f);
    if (!cti_detect_near(s->mem, &s->detect, f, s->desc.penalty.warp ? f->x1 : f->x0, &s->contact.memory_none, &s->contact.hits))
        return 0;
    return cti_duplicates_cull(s->arena, f, &s->contact.memory, s->contact.hits) &&
           cti_patches_flat(s->arena, f, &s->contact.memory, s->contact.hits);
}

/* returns the sorted keys of the rows. NULL: out of memory */
static uint64_t *cti_penalty_keys(cti_state *s, int *n)
{
    uint64_t *keys;
    int i;
    *n = CTI_LEN(s->contact.rows);
    keys = CTI_ARENA_NEW(s->arena, uint64_t, 2 * (size_t)*n + 1);
    if (!keys)
        return NULL;
    for (i = 0; i < *n; i++)
        keys[i] = s->contact.rows[i].key;
    if (*n)
        cti_sort_u64(keys, NULL, keys + *n, NULL, *n);
    return keys;
}

/* sets contact.hits to what the motion to surface.x1 hits. 0: out of memory */
static int cti_penalty_detect_collisions(cti_state *s)
{
    int changed;
    if (!cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed))
        return 0;
    if (changed)
        cti_detect_distances(&s->detect, &s->surface);
    CTI_CLEAR(s->contact.hits);
    return cti_detect_collisions(s->mem, &s->detect, &s->surface, s->surface.x1, &s->contact.hits);
}

/* makes rows of what the motion to surface.x1 hits and has none. 0: out of memory */
static int cti_penalty_add_hit(cti_state *s, ct_real h)
{
    cti_surface *f = &s->surface;
    int i, m, n;
    uint64_t *keys;
    if (!s->desc.penalty.warp || s->desc.penalty.depth == CT_PENALTY_INSIDE)
        return 1;
    keys = cti_penalty_keys(s, &n);
    if (!keys || !cti_penalty_detect_collisions(s))
        return 0;
    for (m = i = 0; i < CTI_LEN(s->contact.hits); i++)
        if (!cti_sort_has_u64(keys, n, cti_pair_key(f, &s->contact.hits[i].pair)))
            s->contact.hits[m++] = s->contact.hits[i];
    return CTI_RESIZE(s->mem, s->contact.hits, m) && cti_penalty_rows(s, h, 0);
}

CTI_FN int cti_penalty_find_more(cti_state *s, ct_real h)
{
    int rows = CTI_LEN(s->contact.rows);
    return cti_penalty_add_hit(s, h) && cti_penalty_transfer(s, h, rows) ? CTI_LEN(s->contact.rows) - rows : -1;
}

static uint64_t cti_penalty_body_pair(const cti_state *s, int row)
{
    const cti_pair *pair = &s->contact.origins[row].pair;
    int a = cti_pair_body_a(&s->surface, pair), b = cti_pair_body_b(&s->surface, pair);
    return (uint64_t)cti_min_int(a, b) << 32 | (uint64_t)cti_max_int(a, b);
}

/* limits the explicit form's dampers that follow from restitution: n contacts of two bodies have n springs and n dampers, which together are the
   damper of the bodies' mass where each has no more than its share of that. 0: out of memory */
static int cti_penalty_dampers(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    int i, m = 0, n = CTI_LEN(s->contact.rows);
    uint64_t *keys = CTI_ARENA_NEW(s->arena, uint64_t, 2 * (size_t)n + 1);
    if (!keys)
        return 0;
    for (i = 0; i < n; i++)
        if (p->contacts[i].depth >= 0)
            keys[m++] = cti_penalty_body_pair(s, i);
    cti_sort_u64(keys, NULL, keys + n, NULL, m);
    for (i = 0; i < n; i++) {
        uint64_t key = cti_penalty_body_pair(s, i);
        int a = (int)(key >> 32), b = (int)(key & 0xffffffffu), count = cti_sort_lower_u64(keys, m, key + 1) - cti_sort_lower_u64(keys, m, key);
        ct_real inverse = (p->mass[a] > 0 ? 1 / p->mass[a] : 0) + (p->mass[b] > 0 ? 1 / p->mass[b] : 0), share;
        if (p->contacts[i].depth < 0 || !(inverse > 0) || s->surface.bodies[a].contact.damping >= 0 || s->surface.bodies[b].contact.damping >= 0)
            continue;
        share = 1 / (inverse * (ct_real)count);
        if (share < p->contacts[i].mass)
            p->contacts[i].b *= cti_sqrt(share / p->contacts[i].mass);
    }
    return 1;
}

/* returns the largest compliance of a row across its normal, if each block has `count` times its own [1/kg] */
static ct_real cti_penalty_tangential_compliance(const cti_row_context *c, const cti_row *row, const int32_t *count)
{
    ct_real soft[3] = {0, 0, 0};
    int i, k;
    for (i = 0; i < row->n; i++)
        for (k = 0; k < 3; k++) { /* t1 t1, t2 t2, t1 t2 */
            const cti_term *t = &row->term[i];
            cti_v3 x = cti_v3_at(row->frame, k == 1 ? 2 : 1), y = cti_v3_at(row->frame, k == 0 ? 1 : 2), answer = cti_rows_answer(c, t, x);
            ct_real part = t->weight != 0 ? t->weight * cti_v3_dot(answer, y) : cti_v3_dot(answer, cti_v3_cross(cti_v3_at(t->arm, 0), y));
            soft[k] += (ct_real)count[t->block] * part;
        }
    return (soft[0] + soft[1]) / 2 + cti_sqrt((soft[0] - soft[1]) * (soft[0] - soft[1]) / 4 + soft[2] * soft[2]);
}

/* sets tangential masses: explicit friction by velocity acts with the velocity of the start, and must not turn it round. A block with n contacts has
   an n-th of its mass for each: (sum of n impulses)^2 <= n sum of their squares, so that friction gains no energy. 0: out of memory */
static int cti_penalty_tangential_masses(cti_state *s, ct_real h)
{
    cti_penalty *p = cti_penalty_of(s);
    int32_t *count = CTI_ARENA_ZERO(s->arena, int32_t, s->n + 1);
    cti_row_context c;
    int i, k;
    if (!count)
        return 0;
    cti_penalty_context(s, h, &c);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        for (k = 0; p->contacts[i].depth > 0 && k < s->contact.rows[i].n; k++)
            count[s->contact.rows[i].term[k].block]++;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        ct_real soft = p->contacts[i].depth > 0 ? cti_penalty_tangential_compliance(&c, &s->contact.rows[i], count) : 0;
        p->contacts[i].tangential_mass = soft > 0 ? 1 / soft : 0;
    }
    return 1;
}

CTI_FN int cti_penalty_find(cti_state *s, ct_real h, ct_step_report *r)
{
    int explicit_form = s->desc.penalty.form == CT_PENALTY_EXPLICIT;
    int ok;
    CTI_CLEAR(s->contact.hits);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    CTI_CLEAR(cti_penalty_of(s)->contacts);
    cti_penalty_release_records(s);
    ok = s->desc.penalty.depth == CT_PENALTY_INSIDE ? cti_penalty_inside_all(s) : cti_penalty_proximity(s);
    r->candidates = s->detect.valid ? (CTI_LEN(s->detect.vf.pairs) + CTI_LEN(s->detect.ee.pairs)) / 2 : 0;
    return ok && cti_penalty_rows(s, h, 0) && cti_penalty_add_hit(s, h) && cti_penalty_transfer(s, h, 0) &&
           (!explicit_form || s->desc.penalty.damping >= 0 || cti_penalty_dampers(s)) &&
           (!explicit_form || s->desc.penalty.friction != CT_PENALTY_VELOCITY || cti_penalty_tangential_masses(s, h));
}

/* returns 1 where the features of a pair meet on the way to surface.x1 */
static int cti_penalty_meets(const cti_surface *f, const cti_pair *p)
{
    return p->kind != CT_PAIR_PLANE && cti_vertices_toi(p->kind, p->v, p->n, 0, f->x0, f->x1) <= 1; /* behind a plane is seen at the end */
}

/* returns 1 where a vertex that goes in through the face of a pair is not inside at the end, or in front of another side; or where the face is of
   another body's surface that bounds no solid, behind which inside tests see nothing. first_hit [nv]: 1 + the first hit of the inside tests at the
   end that a vertex has; they are in the order of the bodies that contain it */
static int cti_penalty_came_through(const cti_state *s, const cti_pair *p, const int32_t *first_hit)
{
    const cti_surface *f = &s->surface;
    const cti_hit *hits = cti_penalty_of(s)->inside.hits;
    cti_v3 a = cti_v3_at(f->x0, p->v[1]), n = cti_v3_cross(cti_v3_sub(cti_v3_at(f->x0, p->v[2]), a), cti_v3_sub(cti_v3_at(f->x0, p->v[3]), a));
    cti_v3 way = cti_v3_sub(cti_v3_at(f->x1, p->v[0]), cti_v3_at(f->x0, p->v[0]));
    int i, k, body = f->body_of[p->v[1]];
    for (k = 1; k < 4; k++)
        way = cti_v3_mad(way, cti_v3_sub(cti_v3_at(f->x1, p->v[k]), cti_v3_at(f->x0, p->v[k])), p->w[k]);
    if (!f->bodies[body].solid)
        return f->body_of[p->v[0]] != body;
    if (!(cti_v3_dot(n, way) < 0))
        return 0;
    for (i = first_hit[p->v[0]] - 1; i >= 0 && i < CTI_LEN(hits) && f->body_of[hits[i].pair.v[1]] <= body; i++)
        if (hits[i].pair.v[0] == p->v[0] && f->body_of[hits[i].pair.v[1]] == body)
            return cti_v3_dot(hits[i].normal, n) < -cti_v3_norm(n) / 2;
    return 1;
}

/* counts as cti_penalty_passed, with inside tests: vertices of which the nearest face at the end is on a side that they did not come from.
   -1: out of memory */
static int cti_penalty_count_through(cti_state *s)
{
    cti_surface *f = &s->surface;
    int32_t *first_hit = CTI_ARENA_ZERO(s->arena, int32_t, f->nv + 1);
    int i, n = 0;
    if (!first_hit || !cti_penalty_inside_find(s, f->x1))
        return -1;
    for (i = CTI_LEN(cti_penalty_of(s)->inside.hits) - 1; i >= 0; i--)
        first_hit[cti_penalty_of(s)->inside.hits[i].pair.v[0]] = i + 1;
    for (i = 0; i < CTI_LEN(s->contact.hits); i++) {
        const cti_pair *p = &s->contact.hits[i].pair;
        if (p->kind == CT_PAIR_VF && cti_penalty_meets(f, p) && cti_penalty_came_through(s, p, first_hit)) {
            s->step.limit = *p;
            n++;
        }
    }
    return n;
}

CTI_FN int cti_penalty_passed(cti_state *s)
{
    cti_surface *f = &s->surface;
    int i, n = 0;
    if (!cti_penalty_detect_collisions(s))
        return -1;
    if (s->desc.penalty.depth == CT_PENALTY_INSIDE)
        return cti_penalty_count_through(s);
    for (i = 0; i < CTI_LEN(s->contact.hits); i++)
        if (cti_penalty_meets(f, &s->contact.hits[i].pair)) {
            s->step.limit = s->contact.hits[i].pair;
            n++;
        }
    return n;
}

CTI_FN int cti_penalty_crossings(cti_state *s)
{
    s->detect.valid = 0; /* the trees' boxes are of these positions */
    return cti_tangle_crossed(s);
}
