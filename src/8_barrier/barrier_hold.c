/* barrier_hold.c -- what contacts remember, from Newton step to Newton step: their linearization; and from step to step: friction's impulse, for
   queries, and the anchor of a static hold.
   Method: the smooth law has no force without a slip u, so what it holds creeps by a share of the friction velocity. With static_hold the
   slip counts from an anchor that the contact keeps: u = a + the tangential displacement of the step. A load below mu lambda comes to rest
   at a slip below e = friction_velocity h, and the next step begins there;
   where its h is another one, at the same share of e, so that the force is the same. Beyond e the anchor is dragged along, so that |a| <= e: the
   force of sliding is that of the law without anchors, and its direction follows that of the slip within a displacement of some e. A
   contact is known by its features; a pair of other features begins with no anchor, as in the contact memory of the other steppers. based
   on: Li et al. 2020, eq. 13 to 15; the anchor is that of 7_contact/memory.h, there for Coulomb's law (no paper). */
#include "barrier.h"

CTI_FN uint64_t cti_barrier_key(const cti_state *s, const cti_barrier_term *p)
{
    return cti_pair_key(&s->surface, &p->pair) + (uint64_t)0x9e3779b97f4a7c15ull * (uint64_t)p->wall;
}

/* v after the least rotation that takes unit vector from to unit vector to; 0 where that is more than 120 degrees */
static cti_v3 cti_rub_carry(cti_v3 v, cti_v3 from, cti_v3 to)
{
    cti_v3 w = cti_v3_cross(from, to), wv = cti_v3_cross(w, v);
    ct_real c = cti_v3_dot(from, to);
    if (!(c > CTI_R(-0.5)))
        return cti_v3_zero();
    return cti_v3_mad(cti_v3_add(v, wv), cti_v3_cross(w, wv), 1 / (1 + c));
}

/* the anchor [2] that is left of w [2]: within e */
static void cti_rub_drag(const ct_real *w, ct_real e, ct_real *out)
{
    ct_real size = cti_sqrt(w[0] * w[0] + w[1] * w[1]), scale = size > e ? e / size : 1;
    out[0] = scale * w[0], out[1] = scale * w[1];
}

/* anchor of a rub that is new in a step; its key and its directions are known */
static void cti_rub_anchor(const cti_state *s, cti_barrier_rub *q)
{
    const cti_memory_item *m;
    cti_v3 n = cti_v3_cross(cti_v3_at(q->t[0], 0), cti_v3_at(q->t[1], 0)), a;
    ct_real w[2];
    m = s->desc.barrier.static_hold ? cti_memory_find(&s->contact.memory, q->key) : NULL;
    if (!m)
        return;
    /* the force of a slip u is a function of u / e, and e = friction_velocity h: the same force in a step of another length */
    a = cti_v3_mul(cti_rub_carry(cti_v3_at(m->slip, 0), cti_v3_at(m->normal, 0), n), cti_barrier_own(s)->h / m->dt);
    w[0] = cti_v3_dot(a, cti_v3_at(q->t[0], 0)), w[1] = cti_v3_dot(a, cti_v3_at(q->t[1], 0));
    cti_rub_drag(w, s->desc.barrier.friction_velocity * cti_barrier_own(s)->h, q->anchor);
}

CTI_FN int cti_barrier_rub_add(cti_state *s, const cti_barrier_term *p, const ct_real *c, cti_v3 normal, ct_real load)
{
    cti_barrier_rub q;
    cti_v3 t1, t2, belt;
    memset(&q, 0, sizeof q);
    q.pair = cti_barrier_pair(p, c), q.key = cti_barrier_key(s, p), q.load = load;
    cti_v3_tangents(normal, &t1, &t2);
    cti_v3_put(q.t[0], 0, t1);
    cti_v3_put(q.t[1], 0, t2);
    belt = cti_pair_with_belts(&s->surface, &q.pair, normal, cti_barrier_own(s)->h, cti_v3_zero());
    q.belt[0] = cti_v3_dot(belt, t1), q.belt[1] = cti_v3_dot(belt, t2);
    cti_rub_anchor(s, &q);
    return CTI_PUSH(&s->prepared, cti_barrier_own(s)->contact.rubs, q);
}

/* 1 where friction at surface.x0 is what its linearization in the last assembly said */
static int cti_hold_rubs_agree(const cti_state *s)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real reach = s->desc.barrier.friction_velocity * b->h;
    int i, k;
    for (i = 0; i < CTI_LEN(b->contact.rubs); i++) {
        const cti_barrier_rub *q = &b->contact.rubs[i];
        ct_real u[2], was[2], is[2], H[4], none[4], off = 0;
        cti_barrier_slide(s, q, s->surface.x0, u);
        cti_barrier_rub_derive(q, reach, q->at, was, H);
        cti_barrier_rub_derive(q, reach, u, is, none);
        for (k = 0; k < 2; k++) {
            ct_real d = was[k] + H[2 * k] * (u[0] - q->at[0]) + H[2 * k + 1] * (u[1] - q->at[1]) - is[k];
            off += d * d;
        }
        if (off > cti_barrier_tuned.rule.off * cti_barrier_tuned.rule.off * q->load * q->load)
            return 0;
    }
    return 1;
}

CTI_FN int cti_barrier_keep_contacts(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    if (!CTI_RESIZE(&s->prepared, b->contact.before, CTI_LEN(b->contact.terms)) || !CTI_RESIZE(&s->prepared, b->surface.x_before, 3 * s->surface.nv))
        return 0;
    if (CTI_LEN(b->contact.terms))
        memcpy(b->contact.before, b->contact.terms, sizeof *b->contact.before * (size_t)CTI_LEN(b->contact.terms));
    if (s->surface.nv)
        memcpy(b->surface.x_before, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    return 1;
}

/* 1 where the force of every pair of a list over the last Newton step is what its linearization says, to a tenth, or to what changes the speed of a
   vertex by newton_tolerance. Near 1 / d, a force that changes from f0 to f1 is off its tangent by (f1 - f0)^2 over the larger. Where all pairs
   are much nearer than in balance, each Newton step but doubles their distances, however short it is */
static int cti_hold_pairs_agree(const cti_state *s, const cti_barrier_term *terms)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real least = s->desc.barrier.newton_tolerance * b->h;
    int i;
    for (i = 0; i < CTI_LEN(terms); i++) {
        cti_potential_terms t;
        ct_real f0 = cti_barrier_eval(s, &terms[i], b->surface.x_before, CTI_POTENTIAL_VALUE, &t) ? t.force : 0;
        ct_real f1 = cti_barrier_eval(s, &terms[i], s->surface.x0, CTI_POTENTIAL_VALUE, &t) ? t.force : 0;
        ct_real most = cti_max(f0, f1);
        if ((f1 - f0) * (f1 - f0) > most * cti_max(cti_barrier_tuned.rule.off * most, least * terms[i].mass))
            return 0;
    }
    return 1;
}

CTI_FN int cti_barrier_contacts_agree(const cti_state *s)
{
    const cti_barrier *b = cti_barrier_own(s);
    return cti_hold_rubs_agree(s) && cti_hold_pairs_agree(s, b->contact.before) && cti_hold_pairs_agree(s, b->contact.terms);
}

CTI_FN int cti_barrier_remember(cti_state *s, cti_memory *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real reach = s->desc.barrier.friction_velocity * b->h;
    int i;
    for (i = 0; i < CTI_LEN(b->contact.rubs); i++) {
        const cti_barrier_rub *q = &b->contact.rubs[i];
        cti_memory_item item;
        ct_real w[2], a[2];
        double rate, slope;
        cti_v3 t1 = cti_v3_at(q->t[0], 0), t2 = cti_v3_at(q->t[1], 0);
        memset(&item, 0, sizeof item);
        item.key = q->key, item.dt = b->h;
        cti_barrier_slide(s, q, s->surface.x0, w);
        cti_friction_value((double)cti_sqrt(w[0] * w[0] + w[1] * w[1]), (double)reach, &rate, &slope);
        cti_v3_put(item.impulse, 0, cti_v3_mul(cti_v3_mad(cti_v3_mul(t1, w[0]), t2, w[1]), -q->load * (ct_real)rate * b->h / b->rule.contact));
        cti_v3_put(item.normal, 0, cti_v3_cross(t1, t2));
        cti_rub_drag(w, reach, a);
        if (s->desc.barrier.static_hold)
            cti_v3_put(item.slip, 0, cti_v3_mad(cti_v3_mul(t1, a[0]), t2, a[1]));
        if (!cti_memory_add(s->mem, out, &item))
            return 0;
    }
    return 1;
}

CTI_FN int cti_barrier_rubbed(const cti_state *s, const cti_memory *m, cti_touch *t)
{
    const cti_barrier *b = cti_barrier_own(s);
    const cti_memory_item *item = cti_memory_find(m, t->key);
    ct_real w[2];
    int rub;
    if (!item)
        return -1;
    /* the directions of friction are those of the last solve: a part of it is along the contact's normal */
    cti_v3_addto(t->r, 0, cti_m3_mul_v(t->frame, cti_v3_at(item->impulse, 0)));
    /* items are in the order of rubs */
    rub = (int)(item - m->items);
    cti_barrier_slide(s, &b->contact.rubs[rub], s->surface.x0, w);
    t->sticking = cti_sqrt(w[0] * w[0] + w[1] * w[1]) < s->desc.barrier.friction_velocity * b->h;
    return rub;
}
