/* own.c -- pairs of features of one body. Method: a rotation and two translations, fitted to a sample of the vertices, bring a motion into the frame
   of the room in which pairs were last found. They change no distance: while each vertex starts and ends in its room there, the pairs are complete,
   whatever the fit. The room is as wide as the mesh allows: features that share no vertex are about half an edge apart or more, so that a body
   without folds has hardly any pairs, and keeps them. Based on: Mueller, Heidelberger, Teschner, Gross, Meshless deformations based on shape
   matching, 2005 (the fit). */
#include "own.h"
#include "../1_math/eig3.h"

enum { CTI_OWN_SAMPLES = 32 }; /* about so many vertices of a body are fitted; any rotation is right, a bad one renews the pairs more often */
/* [mean edge] pairs within it are few. With 0.2 a cape of 1 mm behind a hero takes 1.03 times as long, with 0.5 1.16 times */
#define CTI_OWN_EDGE CTI_R(0.3)
/* [mean edge] way up to which vertices may be anywhere on theirs. With 0.25 cloth_drop takes 1.05 times as long; 1 was not tried */
#define CTI_OWN_WAY CTI_R(0.5)
/* [thickness] least slack. With 0.12 a cape as thick as half an edge takes 0.87 times as long, with 0.5 1.15 times; 0.12 was not tried on piles */
#define CTI_OWN_LEAST CTI_R(0.25)

/* cti_own_frame -- a motion as its body sees it: from r' (x0 - middle0) + from to r' (x1 - middle1) + to. */
typedef struct cti_own_frame {
    ct_real r[9];
    cti_v3 from, to, middle0, middle1;
} cti_own_frame;

/* the middle of a sample of n positions */
static cti_v3 cti_own_middle(const ct_real *x, int n)
{
    int i, step = n / CTI_OWN_SAMPLES + 1, m = 0;
    cti_v3 sum = cti_v3_zero();
    for (i = 0; i < n; i += step, m++)
        sum = cti_v3_add(sum, cti_v3_at(x, i));
    return cti_v3_mul(sum, CTI_R(1.0) / (ct_real)cti_max_int(m, 1));
}

/* the frame of n vertices between x0 and x1, where the room is between p0 and p1 */
static void cti_own_fit(const ct_real *p0, const ct_real *p1, const ct_real *x0, const ct_real *x1, int n, cti_own_frame *out)
{
    ct_real a[9];
    int i, k, step = n / CTI_OWN_SAMPLES + 1;
    out->from = cti_own_middle(p0, n), out->to = cti_own_middle(p1, n);
    out->middle0 = cti_own_middle(x0, n), out->middle1 = cti_own_middle(x1, n);
    memset(a, 0, sizeof a);
    for (i = 0; i < n; i += step) {
        cti_v3 q = cti_v3_add(cti_v3_sub(cti_v3_at(x0, i), out->middle0), cti_v3_sub(cti_v3_at(x1, i), out->middle1));
        cti_v3 p = cti_v3_add(cti_v3_sub(cti_v3_at(p0, i), out->from), cti_v3_sub(cti_v3_at(p1, i), out->to));
        ct_real row[3];
        cti_v3_put(row, 0, q);
        for (k = 0; k < 3; k++)
            a[3 * k] += row[k] * p.x, a[3 * k + 1] += row[k] * p.y, a[3 * k + 2] += row[k] * p.z;
    }
    cti_polar3(a, out->r);
}

/* 1 while n vertices start and end in their room between p0 and p1, in a frame */
static int cti_own_in(const cti_own_frame *q, cti_room_body how, const ct_real *p0, const ct_real *p1, const ct_real *x0, const ct_real *x1, int n)
{
    int i, in = 1;
    for (i = 0; i < n && in; i++) {
        cti_v3 y0 = cti_v3_add(cti_m3_mul_tv(q->r, cti_v3_sub(cti_v3_at(x0, i), q->middle0)), q->from);
        cti_v3 y1 = cti_v3_add(cti_m3_mul_tv(q->r, cti_v3_sub(cti_v3_at(x1, i), q->middle1)), q->to);
        in = cti_room_has(how, cti_v3_at(p0, i), cti_v3_at(p1, i), y0, y1);
    }
    return in;
}

/* 1 while body b is in its room: where it was, or in its frame. There a part of the slack is for rounding, also of the rotation */
static int cti_own_holds(const cti_own *o, const cti_surface *s, int b, const ct_real *x1)
{
    const cti_soup_body *r = &s->ranges[b];
    size_t first = 3 * (size_t)r->v0, at = first + 3 * (size_t)s->bodies[b].shift;
    const ct_real *p0 = o->room.from + at, *p1 = o->room.to + at, *x0 = s->x0 + first;
    cti_room_body how = o->room.bodies[b];
    cti_own_frame q;
    int n = r->v1 - r->v0;
    if (n == 0 || !(o->size[b] > 0))
        return n == 0;
    memset(&q, 0, sizeof q);
    q.r[0] = q.r[4] = q.r[8] = 1;
    x1 += first;
    if (cti_own_in(&q, how, p0, p1, x0, x1, n))
        return 1;
    cti_own_fit(p0, p1, x0, x1, n, &q);
    how.slack = how.slack * CTI_R(0.99) - 64 * CTI_EPS * (cti_v3_norm(q.from) + cti_v3_norm(q.to) + cti_v3_norm(q.middle0) +
                                                         cti_v3_norm(q.middle1) + 4 * o->size[b]);
    return how.slack > 0 && cti_own_in(&q, how, p0, p1, x0, x1, n); /* far from the origin rounding may take all of the slack */
}

/* ---- bodies that come and go ---- */

/* how far a body's features and its vertices in the room have moved; `is` 0: the body is gone */
typedef struct cti_own_shift {
    int is, v, e, f;
} cti_own_shift;

/* rooms and sizes of the bodies that are still there; to [places]. 0: out of memory */
static int cti_own_move_rooms(cti_mem *mem, cti_own *o, const cti_surface *s, cti_own_shift *to)
{
    cti_room room;
    ct_real *size = NULL;
    int b, k = 0, i, n = CTI_LEN(o->places);
    memset(&room, 0, sizeof room);
    if (!cti_room_reserve(mem, &room, s) || !CTI_RESIZE(mem, size, s->n_bodies)) {
        CTI_FREE_SPAN(mem, room.from, room.bodies);
        return 0;
    }
    for (b = 0; b < s->n_bodies; b++) {
        const cti_soup_body *r = &s->ranges[b];
        const cti_own_place *p = NULL;
        size_t at = 3 * (size_t)(r->v0 + s->bodies[b].shift), bytes;
        size[b] = 0;
        for (i = 0; i < n && o->places[k].id != s->bodies[b].id; i++)
            k = (k + 1) % n;
        p = i < n ? &o->places[k] : NULL;
        if (!p || !cti_broad_may_meet(&s->soup, b, b) || p->nv != r->v1 - r->v0 || p->ne != r->e1 - r->e0 || !(o->size[k] > 0))
            continue;
        bytes = 3 * sizeof(ct_real) * (size_t)p->nv;
        memcpy(room.from + at, o->room.from + 3 * (size_t)p->at, bytes), memcpy(room.to + at, o->room.to + 3 * (size_t)p->at, bytes);
        room.bodies[b] = o->room.bodies[k], size[b] = o->size[k];
        to[k].is = 1, to[k].v = r->v0 - p->v0, to[k].e = r->e0 - p->e0, to[k].f = r->f0 - p->f0;
    }
    CTI_FREE_SPAN(mem, o->room.from, o->room.bodies);
    CTI_FREE(mem, o->size);
    o->room = room, o->size = size;
    return 1;
}

/* the lists in the numbers of the present surface, without bodies that are gone */
static void cti_own_move_lists(cti_own *o, const cti_own_shift *to)
{
    int kind, i, k, n;
    for (kind = 0; kind < CTI_OWN_KINDS; kind++) {
        int32_t *list = o->found[kind];
        for (i = k = n = 0; i < CTI_LEN(list); i += 2) {
            while (kind == CTI_OWN_EE ? list[i] >= o->places[k].e0 + o->places[k].ne : list[i] >= o->places[k].v0 + o->places[k].nv)
                k++;
            if (!to[k].is)
                continue;
            list[n] = list[i] + (kind == CTI_OWN_EE ? to[k].e : to[k].v);
            list[n + 1] = list[i + 1] + (kind == CTI_OWN_VF ? to[k].f : kind == CTI_OWN_VV ? to[k].v : to[k].e);
            n += 2;
        }
        if (list)
            stbds_header(list)->length = (size_t)n;
    }
}

CTI_FN int cti_own_here(cti_mem *mem, cti_own *o, const cti_surface *s)
{
    int b;
    if (!CTI_RESIZE(mem, o->places, s->n_bodies))
        return 0;
    for (b = 0; b < s->n_bodies; b++) {
        const cti_soup_body *r = &s->ranges[b];
        cti_own_place *p = &o->places[b];
        p->id = s->bodies[b].id, p->v0 = r->v0, p->e0 = r->e0, p->f0 = r->f0, p->at = r->v0 + s->bodies[b].shift;
        p->nv = r->v1 - r->v0, p->ne = r->e1 - r->e0;
    }
    o->moved = 0;
    return 1;
}

CTI_FN int cti_own_follow(cti_mem *mem, cti_own *o, const cti_surface *s)
{
    cti_own_shift *to = NULL;
    int ok;
    if (!o->moved && CTI_LEN(o->places) == s->n_bodies)
        return 1;
    ok = CTI_ZEROS(mem, to, CTI_LEN(o->places)) && CTI_RESERVE(mem, o->places, s->n_bodies) && cti_own_move_rooms(mem, o, s, to);
    if (ok)
        cti_own_move_lists(o, to);
    CTI_FREE(mem, to);
    return ok && cti_own_here(mem, o, s);
}

CTI_FN int cti_own_stale(cti_mem *mem, cti_own *o, const cti_surface *s, const ct_real *x1)
{
    int b, n = 0;
    if (!cti_own_follow(mem, o, s) || !cti_room_reserve(mem, &o->room, s) || !CTI_RESIZE(mem, o->size, s->n_bodies) ||
        !CTI_RESIZE(mem, o->renew, s->n_bodies))
        return -1;
    for (b = 0; b < s->n_bodies; b++) {
        o->renew[b] = (uint8_t)(cti_broad_may_meet(&s->soup, b, b) && !cti_own_holds(o, s, b, x1));
        n += o->renew[b];
    }
    return n;
}

static ct_real cti_own_edge(const cti_surface *s, const cti_soup_body *r)
{
    ct_real sum = 0;
    int e;
    for (e = r->e0; e < r->e1; e++)
        sum += cti_v3_norm(cti_v3_sub(cti_v3_at(s->x0, s->edges[2 * e]), cti_v3_at(s->x0, s->edges[2 * e + 1])));
    return sum / (ct_real)cti_max_int(r->e1 - r->e0, 1);
}

/* the room of body b around its motion to x1, less the way of its middle */
static void cti_own_set(cti_own *o, cti_surface *s, int b, const ct_real *x1, ct_real reach, ct_real fast)
{
    const cti_soup_body *r = &s->ranges[b];
    size_t first = 3 * (size_t)r->v0;
    cti_v3 middle = cti_own_middle(s->x0 + first, r->v1 - r->v0), flight = cti_v3_sub(cti_own_middle(x1 + first, r->v1 - r->v0), middle);
    ct_real way = 0, h = s->bodies[b].thickness, edge = cti_own_edge(s, r);
    cti_room_body how;
    int v;
    o->size[b] = 0;
    for (v = r->v0; v < r->v1; v++) {
        o->size[b] = cti_max(o->size[b], cti_v3_norm(cti_v3_sub(cti_v3_at(s->x0, v), middle)));
        way = cti_max(way, cti_v3_norm(cti_v3_sub(cti_v3_sub(cti_v3_at(x1, v), cti_v3_at(s->x0, v)), flight)));
    }
    o->size[b] += way;
    how.swept = way <= cti_min(fast * h, CTI_OWN_WAY * edge);
    how.slack = cti_max(CTI_OWN_LEAST * h, (CTI_OWN_EDGE * edge - reach * h) / 2);
    cti_room_set(&o->room, s, b, x1, how, reach * h);
    for (v = r->v0 + s->bodies[b].shift; v < r->v1 + s->bodies[b].shift; v++)
        cti_v3_put(o->room.to, v, cti_v3_sub(cti_v3_at(o->room.to, v), flight));
}

CTI_FN int cti_own_renew(cti_mem *mem, cti_own *o, cti_surface *s, const ct_real *x1, ct_real reach, ct_real fast)
{
    int b, k, ok;
    int32_t **fresh = o->fresh;
    for (b = 0; b < s->n_bodies; b++)
        if (o->renew[b])
            cti_own_set(o, s, b, x1, reach, fast);
    cti_room_swap(&o->room, s, o->renew, 1);
    ok = cti_broad_update_own(mem, &s->broad, &s->soup, o->renew, s->x0, s->x1) &&
         cti_broad_pairs(mem, &s->broad, &s->soup, &fresh[CTI_OWN_VF], &fresh[CTI_OWN_EE], &fresh[CTI_OWN_VE], &fresh[CTI_OWN_VV]);
    cti_room_swap(&o->room, s, o->renew, 1);
    for (k = 0; k < CTI_OWN_KINDS && ok; k++) {
        int32_t *old = o->found[k];
        o->found[k] = NULL;
        ok = cti_own_merge(mem, s, k, old, o->renew, fresh[k], &o->found[k]);
        CTI_FREE(mem, old);
    }
    for (b = 0; b < s->n_bodies && !ok; b++)
        o->size[b] = 0;
    return ok;
}

/* ---- lists ---- */

/* the bodies of a pair, the lower one first */
static uint64_t cti_own_bodies(const cti_surface *s, int kind, const int32_t *pair)
{
    int a = s->body_of[kind == CTI_OWN_EE ? s->edges[2 * (size_t)pair[0]] : pair[0]];
    int b = s->body_of[kind == CTI_OWN_VF   ? s->faces[3 * (size_t)pair[1]]
                       : kind == CTI_OWN_VV ? pair[1]
                                            : s->edges[2 * (size_t)pair[1]]];
    return (uint64_t)cti_min_int(a, b) << 32 | (uint64_t)cti_max_int(a, b);
}

/* cti_own_run -- pairs [first, end) of a list, all of the same bodies */
typedef struct cti_own_run {
    const int32_t *list;
    int n, first, end;
    uint64_t bodies; /* UINT64_MAX: the list has ended */
} cti_own_run;

/* goes on to the next run, which ends with the features of one of its bodies */
static void cti_own_next(const cti_surface *s, int kind, cti_own_run *r)
{
    const cti_soup_body *a, *b;
    int a0, a1, b0, b1;
    r->first = r->end, r->bodies = UINT64_MAX;
    if (r->first >= r->n)
        return;
    r->bodies = cti_own_bodies(s, kind, r->list + r->first);
    a = &s->ranges[r->bodies >> 32], b = &s->ranges[(uint32_t)r->bodies];
    if (kind == CTI_OWN_EE ? r->list[r->first] >= a->e1 : r->list[r->first] >= a->v1)
        b = a, a = &s->ranges[(uint32_t)r->bodies];
    a0 = kind == CTI_OWN_EE ? a->e0 : a->v0, a1 = kind == CTI_OWN_EE ? a->e1 : a->v1;
    b0 = kind == CTI_OWN_VF ? b->f0 : kind == CTI_OWN_VV ? b->v0 : b->e0, b1 = kind == CTI_OWN_VF ? b->f1 : kind == CTI_OWN_VV ? b->v1 : b->e1;
    for (; r->end < r->n; r->end += 2) {
        int32_t p = r->list[r->end], q = r->list[r->end + 1];
        if (p < a0 || p >= a1 || q < b0 || q >= b1)
            break;
    }
}

CTI_FN int cti_own_merge(cti_mem *mem, const cti_surface *s, int kind, const int32_t *a, const uint8_t *drop, const int32_t *b, int32_t **out)
{
    cti_own_run run[2];
    int n = 0;
    memset(run, 0, sizeof run);
    run[0].list = a, run[0].n = CTI_LEN(a), run[1].list = b, run[1].n = CTI_LEN(b);
    if (!CTI_RESIZE(mem, *out, run[0].n + run[1].n))
        return 0;
    cti_own_next(s, kind, &run[0]), cti_own_next(s, kind, &run[1]);
    while (run[0].first < run[0].n || run[1].first < run[1].n) {
        cti_own_run *r = &run[run[1].bodies < run[0].bodies];
        if (r == &run[1] || !drop || !(drop[r->bodies >> 32] | drop[(uint32_t)r->bodies])) {
            memcpy(*out + n, r->list + r->first, sizeof **out * (size_t)(r->end - r->first));
            n += r->end - r->first;
        }
        cti_own_next(s, kind, r);
    }
    return CTI_RESIZE(mem, *out, n);
}
