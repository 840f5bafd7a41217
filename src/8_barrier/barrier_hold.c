/* barrier_hold.c -- what contacts remember from step to step: friction's impulse, for queries, and the anchor of a static hold.
   Method: the smooth law has no force without a slip u, so what it holds creeps by a share of the friction velocity. With static_hold the
   slip counts from an anchor that the contact keeps: u = a + the tangential displacement of the step. A load below mu lambda comes to rest
   at a slip below e = friction_velocity h, and the next step begins there;
   where its h is another one, at the same share of e, so that the force is the same. Beyond e the anchor is dragged along, so that |a| <= e: the
   force of sliding is that of the law without anchors, and its direction follows that of the slip within a displacement of some e. A
   contact is known by its features; a pair of other features begins with no anchor, as in the contact memory of the other steppers. based
   on: Li et al. 2020, eq. 13 to 15; the anchor is that of 7_contact/memory.h, there for Coulomb's law (no paper). */
#include "barrier.h"

/* [1] of mu times the normal force. A Newton step from rest that ends below friction_velocity has seen the law's slope at 0 alone, which
   has no limit: with newton_tolerance above friction_velocity, mu .49 held on a slope of tan .5 */
#define CTI_RUB_OFF CTI_R(0.1)

CTI_FN uint64_t cti_barrier_key(const cti_state *s, const cti_barrier_term *p)
{
    cti_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.kind = p->kind, pair.n = p->n, pair.n_a = p->n_a, pair.plane = p->plane;
    memcpy(pair.v, p->v, sizeof p->v);
    return cti_pair_key(&s->surface, &pair) + (uint64_t)0x9e3779b97f4a7c15ull * (uint64_t)p->wall;
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

CTI_FN void cti_barrier_anchor(const cti_state *s, const cti_barrier_term *p, cti_barrier_rub *q)
{
    const cti_memory_item *m;
    cti_v3 n = cti_v3_cross(cti_v3_at(q->t[0], 0), cti_v3_at(q->t[1], 0)), a;
    ct_real w[2];
    q->kind = p->kind, q->n_a = p->n_a, q->plane = p->plane;
    q->key = cti_barrier_key(s, p);
    q->anchor[0] = q->anchor[1] = 0;
    m = s->desc.barrier.static_hold ? cti_memory_find(&s->contact.memory, q->key) : NULL;
    if (!m)
        return;
    /* the force of a slip u is a function of u / e, and e = friction_velocity h: the same force in a step of another length */
    a = cti_v3_mul(cti_rub_carry(cti_v3_at(m->slip, 0), cti_v3_at(m->normal, 0), n), cti_barrier_own(s)->h / m->dt);
    w[0] = cti_v3_dot(a, cti_v3_at(q->t[0], 0)), w[1] = cti_v3_dot(a, cti_v3_at(q->t[1], 0));
    cti_rub_drag(w, s->desc.barrier.friction_velocity * cti_barrier_own(s)->h, q->anchor);
}

CTI_FN int cti_barrier_rubs_agree(const cti_state *s)
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
        if (off > CTI_RUB_OFF * CTI_RUB_OFF * q->load * q->load)
            return 0;
    }
    return 1;
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

#undef CTI_RUB_OFF
