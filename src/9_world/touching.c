/* touching.c -- which bodies touch, or overlap sensors: what begins, stays, hits and ends in a step.
   Method: the touches of a step (8_step/impulses.h) are summed over pairs of bodies. Sorted by the bodies' ids, they and the pairs of sensors.c are
   compared with the list of the step before, which knows bodies by their ids alone, so that one that was removed ends what it touched. They are made
   in a second buffer, as a part of the step. A hit is measured by the velocities that the step has kept of its start (8_step/snapshot.h). Based on:
   no paper; the events are those of Box2D 3. */
#include "world.h"
#include "../0_base/sort.h"

/* cti_touching_pair -- contacts of two bodies, or of a body with itself, in a step. */
typedef struct cti_touching_pair {
    uint64_t key;           /* numbers of the bodies in the surface, the lower first */
    int strongest, fastest; /* touches */
    ct_real most, sum;      /* [N s] normal impulse of the strongest; of all */
    ct_real speed;          /* [m/s] of the fastest */
} cti_touching_pair;

/* velocity of surface vertex v when the step began */
static cti_v3 cti_touching_velocity(const ct_world *w, int v)
{
    const cti_state *s = &w->state;
    const cti_copy *q = &s->step.start.copy;
    const cti_attach *a = cti_surface_attach(&s->surface, v);
    int body = s->surface.body_of[v], k;
    const cti_body *b = &w->bodies[w->surface_slot[body]];
    cti_v3 u = cti_v3_zero();
    if (b->kind == CTI_BODY_KINEMATIC && !cti_script_is_stopped(&b->script))
        cti_script_point(&b->script, b->surface_nodes[v - s->surface.ranges[body].v0], s->step.start.time, &u);
    if (a->frame >= 0)
        u = cti_v3_cross(cti_v3_at(q->v, a->block[1]), cti_v3_sub(cti_v3_at(s->surface.x0, v), cti_v3_at(s->x, a->block[0])));
    for (k = 0; k < (a->frame >= 0 ? 1 : a->n); k++) {
        int block = a->block[k], late = s->desc.integrator == CT_INTEGRATOR_EULER || s->history.model_of[block] < 0 || q->touched[block];
        ct_real weight = a->frame >= 0 ? 1 : a->weight[k], fall = late ? q->fall[block].share * q->dt_prev[block] / 2 : 0;
        u = cti_v3_mad(u, cti_v3_mad(cti_v3_at(q->v, block), cti_v3_at(s->desc.gravity, 0), fall), weight);
    }
    return u;
}

/* [m/s] at which the points of a touch came nearer when the step began */
static ct_real cti_touching_speed(const ct_world *w, const cti_touch *t)
{
    cti_v3 u = cti_v3_zero();
    int k;
    for (k = 0; k < t->pair.n; k++)
        if (t->pair.w[k] != 0)
            u = cti_v3_mad(u, cti_touching_velocity(w, t->pair.v[k]), t->pair.w[k]);
    return -cti_v3_dot(cti_v3_at(t->frame, 0), u);
}

/* adds q to p, which is of the same bodies */
static void cti_touching_add(cti_touching_pair *p, const cti_touching_pair *q)
{
    p->sum += q->sum;
    if (q->most > p->most)
        p->most = q->most, p->strongest = q->strongest;
    if (q->speed > p->speed)
        p->speed = q->speed, p->fastest = q->fastest;
}

/* pairs of bodies that touched, sorted; NULL: out of memory. Touches of one pair mostly follow each other */
static const cti_touching_pair *cti_touching_find(ct_world *w, int *out_n)
{
    const cti_touch *t = w->state.step.impulses.touches;
    int i, m = 0, k = 0, n = CTI_LEN(t);
    cti_touching_pair *found = CTI_ARENA_NEW(&w->arena, cti_touching_pair, n), *list = CTI_ARENA_NEW(&w->arena, cti_touching_pair, n);
    uint64_t *keys = CTI_ARENA_NEW(&w->arena, uint64_t, 2 * (size_t)n);
    int32_t *order = CTI_ARENA_NEW(&w->arena, int32_t, 2 * (size_t)n);
    if (!found || !list || !keys || !order)
        return NULL;
    for (i = 0; i < n; i++) {
        int a = cti_pair_body_a(&w->state.surface, &t[i].pair), b = cti_pair_body_b(&w->state.surface, &t[i].pair);
        cti_touching_pair q;
        q.key = (uint64_t)cti_min_int(a, b) << 32 | (uint64_t)cti_max_int(a, b);
        q.strongest = q.fastest = i, q.most = q.sum = t[i].r[0], q.speed = cti_touching_speed(w, &t[i]);
        if (m > 0 && found[m - 1].key == q.key)
            cti_touching_add(&found[m - 1], &q);
        else
            keys[m] = q.key, order[m] = m, found[m++] = q;
    }
    cti_sort_u64(keys, order, keys + n, order + n, m);
    for (i = 0; i < m; i++)
        if (k > 0 && list[k - 1].key == keys[i])
            cti_touching_add(&list[k - 1], &found[order[i]]);
        else
            list[k++] = found[order[i]];
    *out_n = k;
    return list;
}

/* ---- comparison with the step before ---- */

static int cti_touching_compare(const cti_meeting *m, const cti_meeting *n)
{
    const ct_body_pair *p = &m->pair, *q = &n->pair;
    uint64_t a[2], b[2];
    a[0] = (uint64_t)p->body_a.index1 << 32 | p->body_b.index1, a[1] = (uint64_t)p->body_a.generation << 32 | p->body_b.generation;
    b[0] = (uint64_t)q->body_a.index1 << 32 | q->body_b.index1, b[1] = (uint64_t)q->body_a.generation << 32 | q->body_b.generation;
    if (m->sensor != n->sensor)
        return m->sensor - n->sensor;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] != b[1] ? (a[1] < b[1] ? -1 : 1) : 0;
}

/* appends a pair with one of its touches. 0: out of memory */
static int cti_touching_tell(ct_world *w, const cti_touching_pair *p, int touch, ct_touch **list)
{
    ct_touch t;
    cti_world_contact(w, &w->state.step.impulses.touches[touch], &t.contact);
    t.impulse = p->sum, t.speed = p->speed;
    return CTI_PUSH(&w->mem, *list, t);
}

/* 1 for a body that lives and sleeps, or (still) cannot move */
static int cti_touching_sleeps(const ct_world *w, ct_body_id id, int still)
{
    const cti_body *b = &w->bodies[id.index1 - 1];
    return b->kind != CTI_BODY_FREE && b->generation == id.generation && (b->asleep || (still && cti_body_is_scripted(b)));
}

/* the events of the pairs, n of them, of what sensors see, and of the meetings before. 0: out of memory */
static int cti_touching_events(ct_world *w, const cti_touching_pair *pairs, int n)
{
    const cti_meeting *last = w->events.last.meetings;
    const uint64_t *sensed = w->events.sensed;
    cti_events *e = &w->events.next;
    int i = 0, k = 0, order, ok = 1, all = n + CTI_LEN(sensed), m = CTI_LEN(last);
    for (; ok && (i < all || k < m); i += order <= 0, k += order >= 0) {
        uint64_t key = i >= all ? 0 : i < n ? pairs[i].key : sensed[i - n];
        cti_meeting now;
        memset(&now, 0, sizeof now);
        now.sensor = i >= n;
        if (i < all)
            now.pair.body_a = cti_world_id(w, w->surface_slot[key >> 32]), now.pair.body_b = cti_world_id(w, w->surface_slot[(uint32_t)key]);
        order = k == m ? -1 : i == all ? 1 : cti_touching_compare(&now, &last[k]);
        if (order > 0 && cti_touching_sleeps(w, last[k].pair.body_a, 1) && cti_touching_sleeps(w, last[k].pair.body_b, 1) &&
            (cti_touching_sleeps(w, last[k].pair.body_a, 0) || cti_touching_sleeps(w, last[k].pair.body_b, 0)))
            ok = CTI_PUSH(&w->mem, e->meetings, last[k]); /* bodies that sleep go on touching what they do, and stay in sensors */
        else if (order > 0)
            ok = last[k].sensor ? CTI_PUSH(&w->mem, e->sensor_end, last[k].pair) : CTI_PUSH(&w->mem, e->end, last[k].pair);
        else if (now.sensor)
            ok = CTI_PUSH(&w->mem, e->meetings, now) && (order == 0 || CTI_PUSH(&w->mem, e->sensor_begin, now.pair));
        else
            ok = CTI_PUSH(&w->mem, e->meetings, now) && cti_touching_tell(w, &pairs[i], pairs[i].strongest, order ? &e->begin : &e->stay) &&
                 (!(pairs[i].speed > w->state.desc.hit_speed) || cti_touching_tell(w, &pairs[i], pairs[i].fastest, &e->hit));
    }
    return ok;
}

CTI_FN int cti_world_tell(void *world)
{
    ct_world *w = (ct_world *)world;
    cti_events *e = &w->events.next;
    cti_arena_point mark = cti_arena_mark(&w->arena);
    const cti_touching_pair *pairs;
    int n = 0, ok;
    CTI_CLEAR(e->meetings), CTI_CLEAR(e->begin), CTI_CLEAR(e->stay), CTI_CLEAR(e->hit), CTI_CLEAR(e->end);
    CTI_CLEAR(e->sensor_begin), CTI_CLEAR(e->sensor_end);
    pairs = cti_touching_find(w, &n);
    ok = pairs && cti_world_sense(w) && cti_touching_events(w, pairs, n) && cti_world_tell_breaks(w);
    cti_arena_rewind(&w->arena, mark);
    return ok;
}

CTI_FN void cti_world_tell_nothing(ct_world *w)
{
    cti_events *e = &w->events.last;
    CTI_CLEAR(e->begin), CTI_CLEAR(e->stay), CTI_CLEAR(e->hit), CTI_CLEAR(e->end);
    CTI_CLEAR(e->sensor_begin), CTI_CLEAR(e->sensor_end), CTI_CLEAR(e->joint_break);
    CTI_CLEAR(w->contacts);
    w->contacts_ready = 1;
}

CTI_FN int cti_world_tell_removed(ct_world *w)
{
    cti_events *e = &w->events.last;
    int i, k = 0, n = CTI_LEN(e->meetings);
    if (!CTI_RESERVE(&w->mem, e->end, (size_t)n + 1) || !CTI_RESERVE(&w->mem, e->sensor_end, (size_t)n + 1))
        return 0;
    cti_world_tell_nothing(w);
    for (i = 0; i < n; i++) {
        const cti_meeting m = e->meetings[i];
        ct_body_pair **list = m.sensor ? &e->sensor_end : &e->end;
        if (cti_world_slot(w, m.pair.body_a) >= 0 && cti_world_slot(w, m.pair.body_b) >= 0)
            e->meetings[k++] = m;
        else
            (void)CTI_PUSH(&w->mem, *list, m.pair); /* there is room */
    }
    if (n > 0)
        stbds_header(e->meetings)->length = (size_t)k;
    return 1;
}

CONTACT_API_DEF ct_code ct_world_events(const ct_world *cw, ct_events *out)
{
    ct_world *w = (ct_world *)cw;
    const cti_events *e;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!out)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "ct_world_events: out_events is NULL");
    e = &w->events.last;
    memset(out, 0, sizeof *out);
    out->begin = e->begin, out->n_begin = CTI_LEN(e->begin), out->stay = e->stay, out->n_stay = CTI_LEN(e->stay);
    out->hit = e->hit, out->n_hit = CTI_LEN(e->hit), out->end = e->end, out->n_end = CTI_LEN(e->end);
    out->sensor_begin = e->sensor_begin, out->n_sensor_begin = CTI_LEN(e->sensor_begin);
    out->sensor_end = e->sensor_end, out->n_sensor_end = CTI_LEN(e->sensor_end);
    out->joint_break = e->joint_break, out->n_joint_break = CTI_LEN(e->joint_break);
    return CT_OK;
}
