/* penalty_anchors.c -- springs of pairs that are gone go on to the pairs that stand for them now.
   Method: an anchor is a material point of one body, seen from the other. Where features slide from one triangle or edge of a mesh to the next, the
   pair changes, but the point remains. So each pair of the last substep that has no row in this one gives its springs to one row whose pair is new,
   the nearest between the same bodies. The force of the springs goes on: a tangential force k_f s, projected onto the plane of the row, becomes
   the slip k_f s / k_f' of its spring, and a depth likewise. Several may go to one row, whose forces add up. The row's springs must not store more
   than theirs did; where they would, slip and depth are scaled back to that energy. So a change of pairs gains none, and what is not passed on
   is a loss of contacts (penalty.c).
   based on: lecture notes 4.4.1, whose anchor stays on the body's surface. */
#include "penalty.h"

/* cti_penalty_heir -- what a row gets. */
typedef struct cti_penalty_heir {
    cti_v3 slip;                    /* [m] of the row's spring, world axes, side a against b */
    ct_real depth, bound;           /* [m], [N s] */
    double slip_energy, depth_energy; /* [J] that the row may store */
    int n;                          /* springs that came */
} cti_penalty_heir;

CTI_FN void cti_penalty_offer(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    int i;
    for (i = 0; i < CTI_LEN(p->places); i++)
        p->places[i].taken = 0;
}

/* the place of an item, NULL: it has none, since bodies have been added or a step has been undone */
static cti_penalty_place *cti_penalty_place_of(const cti_state *s, int item)
{
    cti_penalty *p = cti_penalty_of(s);
    return item < CTI_LEN(p->places) && p->places[item].key == s->contact.memory.items[item].key ? &p->places[item] : NULL;
}

CTI_FN const cti_memory_item *cti_penalty_known(cti_state *s, uint64_t key)
{
    const cti_memory_item *m = cti_memory_find(&s->contact.memory, key);
    cti_penalty_place *place = m ? cti_penalty_place_of(s, (int)(m - s->contact.memory.items)) : NULL;
    if (place && place->taken)
        return NULL;
    if (place)
        place->taken = 1;
    return m;
}

/* the middle of a contact's points */
static cti_v3 cti_penalty_middle(const ct_real *x, const cti_pair *pair)
{
    if (pair->kind == CT_PAIR_PLANE)
        return cti_v3_at(x, pair->v[0]);
    return cti_v3_mul(cti_v3_add(cti_pair_point(x, pair, 0), cti_pair_point(x, pair, 1)), CTI_R(0.5));
}

CTI_FN int cti_penalty_leave(cti_state *s, int row, const cti_memory_item *item)
{
    cti_penalty *p = cti_penalty_of(s);
    const cti_pair *pair = &s->contact.origins[row].pair;
    cti_penalty_place place;
    memset(&place, 0, sizeof place);
    place.key = item->key, place.k = p->contacts[row].k, place.kf = p->contacts[row].kf;
    place.body[0] = cti_pair_body_a(&s->surface, pair), place.body[1] = cti_pair_body_b(&s->surface, pair);
    cti_v3_put(place.at, 0, cti_penalty_middle(s->surface.x1, pair));
    return CTI_PUSH(s->mem, p->next_places, place) && cti_memory_add(s->mem, &p->next, item);
}

/* the row that gets the springs of a place: the nearest of the same bodies among those that are new; -1: none */
static int cti_penalty_nearest(const cti_state *s, const cti_penalty_place *place, int first)
{
    const cti_penalty *p = cti_penalty_of(s);
    ct_real best = CTI_REAL_MAX;
    int i, found = -1;
    for (i = first; i < CTI_LEN(s->contact.rows); i++) {
        const cti_pair *pair = &s->contact.origins[i].pair;
        int a = cti_pair_body_a(&s->surface, pair), b = cti_pair_body_b(&s->surface, pair);
        ct_real d;
        if (p->contacts[i].known)
            continue;
        if (!(a == place->body[0] && b == place->body[1]) && !(b == place->body[0] && a == place->body[1]))
            continue;
        d = cti_v3_norm2(cti_v3_sub(cti_penalty_middle(s->surface.x0, pair), cti_v3_at(place->at, 0)));
        if (d < best)
            best = d, found = i;
    }
    return found;
}

/* adds the springs of an item to those of a row */
static void cti_penalty_give(const cti_state *s, ct_real h, const cti_memory_item *m, const cti_penalty_place *place, int row,
                             cti_penalty_heir *heir)
{
    const cti_penalty_contact *q = &cti_penalty_of(s)->contacts[row];
    int same = cti_pair_body_a(&s->surface, &s->contact.origins[row].pair) == place->body[0];
    ct_real depth = cti_max(0, m->impulse[0]), sign = same ? CTI_R(1.0) : CTI_R(-1.0);
    cti_v3 slip = cti_v3_at(m->slip, 0);
    if (place->body[0] == place->body[1]) /* sides of a body's contact with itself are told by the normal */
        sign = cti_v3_dot(cti_v3_at(m->normal, 0), cti_v3_at(s->contact.rows[row].frame, 0)) < 0 ? CTI_R(-1.0) : CTI_R(1.0);
    heir->slip = cti_v3_mad(heir->slip, slip, q->kf > 0 ? sign * place->kf / q->kf : 0);
    heir->slip_energy += 0.5 * (double)(place->kf * cti_v3_norm2(slip));
    heir->depth += q->k > 0 ? depth * place->k / q->k : 0;
    heir->depth_energy += 0.5 * (double)(place->k * depth * depth);
    heir->bound += s->contact.rows[row].mu * m->impulse[2] * h;
    heir->n++;
}

/* share of a stretch that a spring keeps, so that it stores at most `energy` */
static ct_real cti_penalty_share(ct_real k, ct_real stretch2, double energy)
{
    double stored = 0.5 * (double)(k * stretch2);
    return stored > energy ? (ct_real)sqrt(energy / stored) : 1;
}

/* the springs of a row that got others' */
static void cti_penalty_inherit(cti_state *s, int i, const cti_penalty_heir *heir)
{
    cti_penalty_contact *q = &cti_penalty_of(s)->contacts[i];
    cti_v3 slip = cti_m3_mul_v(s->contact.rows[i].frame, heir->slip);
    ct_real depth = heir->depth * cti_penalty_share(q->k, heir->depth * heir->depth, heir->depth_energy);
    ct_real share = cti_penalty_share(q->kf, slip.y * slip.y + slip.z * slip.z, heir->slip_energy);
    q->bound = heir->bound;
    if (s->desc.penalty.friction == CT_PENALTY_ANCHOR)
        q->slip[0] = share * slip.y, q->slip[1] = share * slip.z;
    q->rest += q->missed, q->depth += q->missed;
    q->missed = cti_max(0, q->depth - depth);
    q->rest -= q->missed, q->depth -= q->missed;
}

CTI_FN int cti_penalty_pass(cti_state *s, ct_real h, int first)
{
    int i, row, n = CTI_LEN(s->contact.rows);
    cti_penalty_heir *heirs = CTI_ARENA_ZERO(s->arena, cti_penalty_heir, n + 1);
    if (!heirs)
        return 0;
    for (i = 0; first < n && i < CTI_LEN(s->contact.memory.items); i++) {
        cti_penalty_place *place = cti_penalty_place_of(s, i);
        if (!place || place->taken)
            continue;
        row = cti_penalty_nearest(s, place, first);
        if (row < 0)
            continue;
        place->taken = 1;
        cti_penalty_give(s, h, &s->contact.memory.items[i], place, row, &heirs[row]);
    }
    for (i = first; i < n; i++)
        if (heirs[i].n)
            cti_penalty_inherit(s, i, &heirs[i]);
    return 1;
}
