/* layers_window.c -- safe windows: stretches of time in which every layer that a pair could enter strikes.
   Method: within a window vertices are expected on straight lines, and beside them by as much as kicks moved them in the last window. That
   bounds each pair's distance from below: d - T u - D_a - D_b, T the window, u the largest relative speed of its vertices, D how far they
   leave their lines. All layers thicker than that strike in the window, at the ticks of their own clocks. Clocks do not depend on windows,
   and a layer that is not reached has no force; so windows change results by rounding alone. At the end of each part of a window the D's are
   known. Where one is larger than expected, a pair may have entered a layer that did not strike. That part is then rolled back, and the window
   ends where it began; a first part is repeated with half of its length. The next window expects larger D's. So a pair stays farther apart
   than the first of its layers that does not strike, and surfaces cannot intersect. A window takes T such that no pair comes nearer by more than a
   share of its distance. based on: Harmon et al.
   2009 (safe windows, event queue); Mirtich 2000, Timewarp rigid body simulation (rollback). */
#include "layers.h"

/* [1] share of its distance by which a pair may come nearer in a window. Half: twice the windows, and the same time; double: a
   third more updates (drape, tumble) */
#define CTI_LAYERS_NEARER 0.2
#define CTI_LAYERS_DOUBT 1.5  /* [1] expected way off the lines, over that of the last window */
#define CTI_LAYERS_GROW 3     /* [1] window over the last one, at most */
#define CTI_LAYERS_STILL 1e-3 /* [thickness] way off the lines that is always expected */
#define CTI_LAYERS_FIRST 64   /* [1] the first window of a step is this part of it, where none is known */
/* [thickness] way off the lines that a window may expect: more would make many pairs candidates. Half: shorter windows for swinging bodies
 */
#define CTI_LAYERS_BEND 2.0
#define CTI_LAYERS_AHEAD 8  /* [windows] that candidates are looked for in, if the step is as long */
#define CTI_LAYERS_ROUND 64 /* [ulp] of coordinates, rounding of a distance */
/* PARTS of a window, at whose ends it is tested. `pinch` (27 steps) and cloth_on_sphere (120) evaluate 109 and 376 million elements and pairs with 1,
   94 and 355 with 4, 92 and 352 with 8, 91 and 350 with 16 */
enum { CTI_LAYERS_PARTS = 8 };
#define CTI_LAYERS_TRIES 60 /* repetitions of one window, each half as long */

/* all blocks to a tick */
static void cti_layers_drift_all(cti_state *s, int64_t tick)
{
    int i;
    for (i = 0; i < s->n; i++)
        cti_layers_drift(&cti_layers_own(s)->nodes, i, tick, cti_layers_own(s)->window.tick);
}

/* all blocks at a tick; surface.x0 is there, too */
static void cti_layers_gather(cti_state *s, int64_t tick)
{
    int i, j;
    cti_layers_drift_all(s, tick);
    for (j = 0; j < CTI_LEN(s->surface.runs); j += 3)
        for (i = s->surface.runs[j]; i < s->surface.runs[j + 1]; i++)
            cti_v3_put(s->surface.x0, i, cti_layers_place(s, i, tick));
}

/* ---- what is expected ---- */

/* how far block i is expected to leave its line in `span` seconds [m] */
static double cti_layers_expect(const cti_state *s, int i, double span)
{
    const cti_layers *y = cti_layers_own(s);
    double r = y->window.span > 0 ? cti_fmax(1, span / y->window.span) : 1, g = (double)cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    return CTI_LAYERS_DOUBT * y->nodes.drift[i] * span * r + g * span * (span + y->clocks.dt / (double)((int64_t)1 << y->clocks.free_level)) +
           CTI_LAYERS_STILL * (double)s->desc.thickness;
}

/* from blocks to vertices: off [nv]; expected 0: what nodes.off2 has measured */
static void cti_layers_offs(cti_state *s, double span, int expected)
{
    cti_layers *y = cti_layers_own(s);
    int i, j, k;
    for (j = 0; j < CTI_LEN(s->surface.runs); j += 3)
        for (i = s->surface.runs[j]; i < s->surface.runs[j + 1]; i++) {
            const cti_attach *a = cti_surface_attach(&s->surface, i);
            double sum = 0;
            for (k = 0; k < a->n; k++) {
                double d = expected ? cti_layers_expect(s, a->block[k], span) : sqrt(y->nodes.off2[a->block[k]]);
                sum += d * (a->n > 1 ? fabs((double)a->weight[k]) : 1);
            }
            y->places.off[i] = (ct_real)sum;
        }
}

static void cti_layers_speeds(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    cti_v3 script;
    int i, j;
    for (j = 0; j < CTI_LEN(s->surface.runs); j += 3)
        for (i = s->surface.runs[j]; i < s->surface.runs[j + 1]; i++)
            cti_v3_put(y->places.u, i, cti_layers_velocity(s, i, &script));
}

/* the largest relative speed of a pair's vertices [m/s]; of a plane, towards it */
static ct_real cti_layers_approach(const cti_state *s, const cti_candidates *l, int i)
{
    const ct_real *u = cti_layers_own(s)->places.u;
    const int32_t *v = l->quads + 4 * (size_t)i;
    if (l->kind == CT_PAIR_PLANE)
        return cti_max(0, -cti_v3_dot(cti_v3_at(s->surface.planes[l->pairs[2 * i + 1]].normal, 0), cti_v3_at(u, v[0])));
    return cti_vertices_approach(v, cti_kind_first(l->kind), 4, NULL, u);
}

/* rounding of the places of pair i's vertices */
static ct_real cti_layers_rounding(const cti_state *s, const cti_candidates *l, int i)
{
    const ct_real *x = s->surface.x0;
    const int32_t *v = l->quads + 4 * (size_t)i;
    int n = cti_kind_corners(l->kind), k;
    ct_real size = 0;
    for (k = 0; k < n; k++)
        size = cti_max(size, cti_abs(x[3 * v[k]]) + cti_abs(x[3 * v[k] + 1]) + cti_abs(x[3 * v[k] + 2]));
    return CTI_LAYERS_ROUND * CTI_EPS * size;
}

/* D_a + D_b of a pair [m], and rounding of its distance */
static ct_real cti_layers_off(const cti_state *s, const cti_candidates *l, int i)
{
    const ct_real *off = cti_layers_own(s)->places.off;
    const int32_t *v = l->quads + 4 * (size_t)i;
    int na = cti_kind_first(l->kind), n = cti_kind_corners(l->kind), k;
    ct_real a = 0, b = 0;
    for (k = 0; k < n; k++) {
        if (k < na)
            a = cti_max(a, off[v[k]]);
        else
            b = cti_max(b, off[v[k]]);
    }
    return a + b + cti_layers_rounding(s, l, i);
}

/* the longest window, at most span, in which no pair comes nearer by more than its share; places.off is that of span */
static double cti_layers_length(const cti_state *s, double span)
{
    const cti_layers *y = cti_layers_own(s);
    double longest = span;
    int i, k;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < cti_candidates_len(&y->list[k].c); i++) {
            const cti_layers_list *l = &y->list[k];
            double d = (double)cti_candidates_distance(&l->c, i), way, rounding, room;
            if (!(l->stiff[i] > 0))
                continue;
            way = span * (double)cti_layers_approach(s, &l->c, i) + (double)cti_layers_off(s, &l->c, i);
            /* pairs that stay outside of their layers do not count */
            if (!(way > CTI_LAYERS_NEARER * d && d - way < (double)l->c.hat[i]))
                continue;
            rounding = (double)cti_layers_rounding(s, &l->c, i); /* shorter windows do not make it smaller */
            room = cti_fmax(CTI_LAYERS_NEARER * d, 0.9 * (d - (double)l->c.hat[i])) - rounding;
            if (way > rounding && room > 0)
                longest = cti_fmin(longest, span * room / (way - rounding));
        }
    return longest;
}

/* ---- sets ---- */

static void cti_layers_sets_clear(cti_layers *y)
{
    int v, k;
    for (v = 0; v <= CTI_LAYERS_LEVELS; v++) {
        for (k = 0; k < CTI_LAYERS_LISTS; k++) {
            CTI_CLEAR(y->set[v].pair[k]);
            CTI_CLEAR(y->set[v].quads[k]);
        }
        CTI_CLEAR(y->set[v].vertices);
        CTI_CLEAR(y->set[v].blocks);
    }
}

/* pair i of list k strikes in the set of a level. 0: out of memory */
static int cti_layers_set_add(cti_state *s, cti_layers_set *q, int k, int i)
{
    const int32_t *v = cti_layers_own(s)->list[k].c.quads + 4 * (size_t)i;
    int j;
    if (!CTI_PUSH(&s->prepared, q->pair[k], i))
        return 0;
    for (j = 0; j < 4; j++)
        if (!CTI_PUSH(&s->prepared, q->quads[k], v[j]))
            return 0;
    return 1;
}

/* room for the impulses of a set, where they are needed. 0: out of memory */
static int cti_layers_set_reserve(cti_state *s, cti_layers_set *q)
{
    int n = s->n, i, had = CTI_LEN(q->given.tick);
    if (!cti_layers_dissipates(s) || CTI_LEN(q->blocks) == 0)
        return 1;
    if (!CTI_RESIZE(&s->prepared, q->given.J, 3 * n) || !CTI_RESIZE(&s->prepared, q->kept.J, 3 * n) || !CTI_RESIZE(&s->prepared, q->kept.tick, n) ||
        !CTI_RESIZE(&s->prepared, cti_layers_own(s)->last, 3 * n) || !CTI_RESIZE(&s->prepared, q->given.tick, n))
        return 0;
    for (i = had; i < n; i++)
        q->given.tick[i] = -1;
    return 1;
}

/* what a window changes of it, saved or restored */
static void cti_layers_set_keep(const cti_state *s, cti_layers_set *q, int back)
{
    cti_layers_given *to = back ? &q->given : &q->kept, *from = back ? &q->kept : &q->given;
    if (CTI_LEN(q->given.tick) == 0 || CTI_LEN(q->blocks) == 0)
        return;
    memcpy(to->tick, from->tick, sizeof *to->tick * (size_t)s->n);
    memcpy(to->J, from->J, sizeof *to->J * 3 * (size_t)s->n);
}

/* vertices and blocks of a set, each once. 0: out of memory */
static int cti_layers_set_close(cti_state *s, cti_layers_set *q)
{
    cti_layers_places *p = &cti_layers_own(s)->places;
    int k, i, j;
    p->seen++;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < CTI_LEN(q->quads[k]); i++) {
            int v = q->quads[k][i];
            const cti_attach *a = cti_surface_attach(&s->surface, v);
            if ((k == CTI_LAYERS_PLANES && i % 4) || p->seen_vertex[v] == p->seen || !s->surface.bodies[s->surface.body_of[v]].moves)
                continue;
            p->seen_vertex[v] = p->seen;
            if (!CTI_PUSH(&s->prepared, q->vertices, v))
                return 0;
            for (j = 0; j < a->n; j++) {
                if (p->seen_block[a->block[j]] == p->seen)
                    continue;
                p->seen_block[a->block[j]] = p->seen;
                if (!CTI_PUSH(&s->prepared, q->blocks, a->block[j]))
                    return 0;
            }
        }
    return 1;
}

/* 1: the layers that pairs may reach in `span` are in their sets; 2: a pair comes nearer than the last layer; 0: out of memory */
static int cti_layers_arm(cti_state *s, double span)
{
    cti_layers *y = cti_layers_own(s);
    int i, k, v, most = s->desc.layers.max_layers, n = 0, deep = 0;
    cti_layers_sets_clear(y);
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < cti_candidates_len(&y->list[k].c); i++) {
            cti_layers_list *l = &y->list[k];
            ct_real apart = cti_candidates_distance(&l->c, i) - (ct_real)span * cti_layers_approach(s, &l->c, i) * (1 + 8 * CTI_EPS);
            double share = (double)((apart - cti_layers_off(s, &l->c, i)) / l->c.hat[i]);
            l->last[i] = l->stiff[i] > 0 ? cti_layers_reached(share) : 0;
            if (l->last[i] >= most) /* the sets are whole even so: the impulses owed at this time may be struck with them */
                deep = 1, l->last[i] = most - 1;
            l->room[i] = l->stiff[i] > 0 ? apart - l->c.hat[i] * (ct_real)cti_layers_share(l->last[i] + 1) : CTI_REAL_MAX;
            for (v = 0; l->last[i] > 0 && v <= CTI_LAYERS_LEVELS; v++)
                if (y->set[v].last > 0 && y->set[v].first <= l->last[i] && !cti_layers_set_add(s, &y->set[v], k, i))
                    return 0;
        }
    for (v = 0; v <= CTI_LAYERS_LEVELS; v++) {
        if (!cti_layers_set_close(s, &y->set[v]) || !cti_layers_set_reserve(s, &y->set[v]))
            return 0;
        for (k = 0; k < CTI_LAYERS_LISTS; k++)
            n = cti_max_int(n, CTI_LEN(y->set[v].pair[k]));
    }
    if (!CTI_RESIZE(&s->prepared, y->d2, n) || !CTI_RESIZE(&s->prepared, y->weights, 3 * n) || !CTI_RESIZE(&s->prepared, y->feature, n))
        return 0;
    return deep ? 2 : 1;
}

/* ---- a window ---- */

/* saves what a window changes, or restores it. 0: out of memory (never when it restores) */
static int cti_layers_keep(cti_state *s, int back)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int i, k, at = 0, n = 0, pins = s->scripts.n_constrained ? 3 * s->n : 0;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; !back && i < CTI_LEN(y->list[k].last); i++)
            n += y->list[k].last[i] > 0;
    if (!back && (!CTI_RESIZE(&s->prepared, w->impulses, 4 * n) || !CTI_RESIZE(&s->prepared, w->pins, pins)))
        return 0;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < CTI_LEN(y->list[k].last); i++) {
            cti_layers_list *l = &y->list[k];
            if (l->last[i] == 0)
                continue;
            if (back)
                cti_v3_put(l->sum, i, cti_v3_make(w->impulses[at], w->impulses[at + 1], w->impulses[at + 2])),
                    l->stick[i] = (uint8_t)w->impulses[at + 3];
            else
                memcpy(w->impulses + at, l->sum + 3 * (size_t)i, 3 * sizeof *l->sum), w->impulses[at + 3] = l->stick[i];
            at += 4;
        }
    if (pins && back)
        memcpy(s->step.impulses.pins, w->pins, sizeof(ct_real) * (size_t)pins);
    else if (pins)
        memcpy(w->pins, s->step.impulses.pins, sizeof(ct_real) * (size_t)pins);
    for (k = 0; k <= CTI_LAYERS_LEVELS; k++)
        cti_layers_set_keep(s, &y->set[k], back);
    if (back)
        w->sums = w->saved;
    else
        w->saved = w->sums;
    return 1;
}

/* lines of all blocks from window.begin on */
static void cti_layers_lines(cti_state *s)
{
    cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    int i;
    memcpy(q->x0, q->x, sizeof(double) * 3 * (size_t)s->n);
    memcpy(q->v0, q->v, sizeof(double) * 3 * (size_t)s->n);
    for (i = 0; i < s->n; i++)
        q->off2[i] = 0;
}

/* the window is safe up to a tick, at which all blocks are. 0: out of memory */
static int cti_layers_mark(cti_state *s, int64_t tick)
{
    cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    cti_layers_clocks *c = &cti_layers_own(s)->clocks;
    memcpy(q->x1, q->x, sizeof(double) * 3 * (size_t)s->n);
    memcpy(q->v1, q->v, sizeof(double) * 3 * (size_t)s->n);
    if (CTI_LEN(c->force))
        memcpy(c->kept, c->force, sizeof(ct_real) * (size_t)CTI_LEN(c->force));
    cti_layers_own(s)->window.mark = tick;
    return cti_layers_keep(s, 0);
}

/* back to window.mark; larger ways off the lines, which `span` seconds have shown */
static void cti_layers_roll_back(cti_state *s, double span)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_nodes *q = &y->nodes;
    int i, k;
    memcpy(q->x, q->x1, sizeof(double) * 3 * (size_t)s->n);
    memcpy(q->v, q->v1, sizeof(double) * 3 * (size_t)s->n);
    if (CTI_LEN(y->clocks.force))
        memcpy(y->clocks.force, y->clocks.kept, sizeof(ct_real) * (size_t)CTI_LEN(y->clocks.force));
    for (i = 0; i < s->n; i++) {
        q->tick[i] = y->window.mark;
        for (k = 3 * i; k < 3 * i + 3; k++)
            q->at[k] = (ct_real)q->x[k];
        if (cti_finite64(q->off2[i]))
            q->drift[i] = cti_fmax(q->drift[i], sqrt(q->off2[i]) / span);
    }
    cti_layers_keep(s, 1);
    y->window.rollbacks++;
}

/* the queue holds the first strike of every clock after window.begin. 0: out of memory */
static int cti_layers_enqueue(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    int64_t t = y->window.begin;
    int i, n = CTI_LEN(y->clocks.groups), ok;
    CTI_CLEAR(y->queue);
    ok = cti_layers_push(&s->prepared, &y->queue, cti_layers_next(t, y->clocks.free_level), n);
    for (i = 0; ok && i < n; i++)
        ok = cti_layers_push(&s->prepared, &y->queue, cti_layers_next(t, y->clocks.groups[i].level), i);
    for (i = 0; ok && i <= CTI_LAYERS_LEVELS; i++)
        if (CTI_LEN(y->set[i].pair[0]) + CTI_LEN(y->set[i].pair[1]) + CTI_LEN(y->set[i].pair[2]) > 0)
            ok = cti_layers_push(&s->prepared, &y->queue, cti_layers_next(t, i), n + 1 + i);
    return ok;
}

/* level of a clock, numbered as in the queue: groups, gravity, sets; and its strike */
static int cti_layers_clock_level(const cti_layers *y, int clock)
{
    int n = CTI_LEN(y->clocks.groups);
    return clock < n ? y->clocks.groups[clock].level : clock == n ? y->clocks.free_level : clock - n - 1;
}
static void cti_layers_strike_clock(cti_state *s, int clock, int64_t tick, double h, int plain)
{
    cti_layers *y = cti_layers_own(s);
    int n = CTI_LEN(y->clocks.groups);
    if (clock < n)
        cti_layers_strike_group(s, &y->clocks.groups[clock], tick, h);
    else if (clock == n)
        cti_layers_strike_free(s, tick, h);
    else
        cti_layers_strike_set(s, &y->set[clock - n - 1], tick, h, plain);
}

/* all events up to window.end; *out_spent 1: the updates are used up, and window.end is the tick of the last event. 0: out of memory */
static int cti_layers_run(cti_state *s, int *out_spent)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int64_t last = -1;
    *out_spent = 0;
    while (y->queue[0].tick <= w->end) {
        cti_layers_strike e;
        int level;
        if (w->updates >= s->desc.layers.max_updates && y->queue[0].tick > last && last >= 0) {
            w->end = last, *out_spent = 1;
            return 1;
        }
        e = cti_layers_pop(y->queue), last = e.tick;
        level = cti_layers_clock_level(y, e.clock);
        cti_layers_strike_clock(s, e.clock, e.tick, (double)((int64_t)1 << (CTI_LAYERS_LOG - level)) * w->tick, 0);
        if (!cti_layers_push(&s->prepared, &y->queue, cti_layers_next(e.tick, level), e.clock))
            return 0;
    }
    return 1;
}

/* 1: no pair can have entered a layer that did not strike, and no vertex left the reach of its line. All blocks are at window.end */
static int cti_layers_is_safe(cti_state *s, double span)
{
    cti_layers *y = cti_layers_own(s);
    int i, k;
    for (i = 0; i < s->n; i++) {
        double d = 0;
        for (k = 3 * i; k < 3 * i + 3; k++) {
            double e = y->nodes.x[k] - y->nodes.x0[k] - span * y->nodes.v0[k];
            d += e * e;
        }
        if (!cti_finite64(d)) /* cti_fmax would pass over it */
            return 0;
        y->nodes.off2[i] = cti_fmax(y->nodes.off2[i], d);
        if (!cti_finite64(y->nodes.off2[i]))
            return 0;
    }
    cti_layers_offs(s, span, 0);
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < cti_candidates_len(&y->list[k].c); i++)
            if (!(cti_layers_off(s, &y->list[k].c, i) <= y->list[k].room[i]))
                return 0;
    return cti_layers_is_covered(s, span);
}

/* a window of span seconds, or of less if vertices are expected too far from their lines; places.off is that of it */
static double cti_layers_bend(cti_state *s, double span)
{
    const cti_layers_places *p = &cti_layers_own(s)->places;
    int i, j;
    cti_layers_offs(s, span, 1);
    for (;;) {
        ct_real most = 0;
        for (j = 0; j < CTI_LEN(s->surface.runs); j += 3)
            for (i = s->surface.runs[j]; i < s->surface.runs[j + 1]; i++)
                most = cti_max(most, p->off[i]);
        if (!((double)most > CTI_LAYERS_BEND * (double)s->desc.thickness) || !cti_finite(most))
            return span;
        span *= cti_fmin(0.9, CTI_LAYERS_BEND * (double)s->desc.thickness / (double)most);
        cti_layers_offs(s, span, 1);
    }
}

/* window.end, sets and lists of the next window. 1; 2: no window is long enough; 0: out of memory */
static int cti_layers_open(cti_state *s, int64_t most)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    double span = (double)most * w->tick, ahead;
    int64_t ticks;
    cti_layers_speeds(s);
    span = cti_layers_bend(s, span);
    if (span / w->tick < (double)most)
        most = (int64_t)(span / w->tick);
    span = (double)most * w->tick;
    ahead = cti_fmin(CTI_LAYERS_AHEAD * span, (double)(CTI_LAYERS_TICKS - w->begin) * w->tick);
    if (!cti_layers_is_covered(s, span)) {
        if (!cti_layers_cover(s, ahead))
            return 0;
    }
    cti_layers_distances(s);
    w->updates += CTI_LEN(y->list[0].last) + CTI_LEN(y->list[1].last) + CTI_LEN(y->list[2].last);
    ticks = (int64_t)(cti_layers_length(s, span) / w->tick);
    if (ticks < most) {
        span = (double)ticks * w->tick;
        cti_layers_offs(s, span, 1);
    } else
        ticks = most;
    if (ticks < 1)
        return 2;
    w->end = w->begin + ticks;
    return cti_layers_arm(s, span);
}

/* what the next window expects */
static void cti_layers_learn(cti_state *s, double span)
{
    cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    int i;
    for (i = 0; i < s->n; i++)
        q->drift[i] = cti_fmax(sqrt(q->off2[i]) / span, q->drift[i] / 2);
    cti_layers_own(s)->window.span = span;
}

/* The parts of a window, up to window.end, or up to the last one after which it is still safe: window.end is there then. *out_span [s]: time that it
   was run for. 1; 2: its first part is not safe, and all blocks are at window.begin again; 0: out of memory */
static int cti_layers_parts(cti_state *s, int *out_spent, double *out_span)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int64_t end = w->end, part = (end - w->begin) / CTI_LAYERS_PARTS;
    int k;
    cti_layers_lines(s);
    if (!cti_layers_enqueue(s) || !cti_layers_mark(s, w->begin))
        return 0;
    for (k = 1, *out_spent = 0; k <= CTI_LAYERS_PARTS && !*out_spent; k++) {
        w->end = k < CTI_LAYERS_PARTS ? w->begin + k * part : end;
        if (w->end == w->mark)
            continue;
        if (!cti_layers_run(s, out_spent))
            return 0;
        *out_span = (double)(w->end - w->begin) * w->tick;
        cti_layers_drift_all(s, w->end);
        if (!cti_layers_is_safe(s, *out_span)) {
            cti_layers_roll_back(s, *out_span);
            if (w->mark == w->begin)
                return 2;
            w->end = w->mark;
            return 1;
        }
        if (!cti_layers_mark(s, w->end))
            return 0;
    }
    return 1;
}

/* one window from window.begin on. 1; 2: stopped; 0: out of memory */
static int cti_layers_try(cti_state *s, int *out_spent)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int64_t most = CTI_LAYERS_TICKS - w->begin;
    double first = w->span > 0 ? CTI_LAYERS_GROW * w->span : y->clocks.dt / CTI_LAYERS_FIRST;
    int tries, ok;
    if ((double)most * w->tick > first)
        most = (int64_t)(first / w->tick) + 1;
    for (tries = 0; tries < CTI_LAYERS_TRIES; tries++) {
        double span = 0;
        ok = cti_layers_open(s, most);
        if (ok == 2) { /* a shorter window lets pairs come less near */
            most /= 2, w->span = (double)most * w->tick;
            if (most < 1)
                return 2;
            continue;
        }
        if (ok)
            ok = cti_layers_parts(s, out_spent, &span);
        if (!ok)
            return 0;
        if (ok == 1) {
            cti_layers_gather(s, w->end);
            cti_layers_learn(s, span);
            w->windows++;
            w->begin = w->end;
            return 1;
        }
        if (*out_spent)
            return 2;
        most = (w->end - w->begin) / 2;
        w->span = span;
        if (most < 1)
            return 2;
    }
    return 2;
}

/* the impulses that clocks owe or gave too much at window.begin, where the step ends before its end */
static void cti_layers_settle(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    int clock, n = CTI_LEN(y->clocks.groups) + 2 + CTI_LAYERS_LEVELS;
    for (clock = 0; clock < n; clock++) {
        int64_t due = cti_layers_due(y->window.begin, cti_layers_clock_level(y, clock));
        if (due != 0)
            cti_layers_strike_clock(s, clock, y->window.begin, (double)due * y->window.tick, 1);
    }
}

CTI_FN int cti_layers_advance(cti_state *s)
{
    cti_layers_window *w = &cti_layers_own(s)->window;
    int ok = 1, spent = 0;
    while (ok == 1 && w->begin < CTI_LAYERS_TICKS && !spent) {
        ok = cti_layers_try(s, &spent);
        spent |= w->updates >= s->desc.layers.max_updates;
    }
    if (ok == 0)
        return 0;
    if (w->begin == CTI_LAYERS_TICKS)
        return 1;
    if (w->begin > 0)
        cti_layers_settle(s);
    return 2;
}
