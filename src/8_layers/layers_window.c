/* layers_window.c -- safe windows: stretches of time in which every layer that a pair could reach is active.
   Method: within a window vertices are expected on straight lines, and beside them by as much as kicks moved them in the last window. That
   bounds each pair's distance from below: d - T u - D_a - D_b, T the window, u the largest relative speed of its vertices, D their deviations.
   All layers thicker than that are active: they have events in the window, by their own clocks. Clocks do not depend on windows,
   and a layer that is not reached has no force; so windows change results by rounding alone. At the end of each part of a window the D's are
   known. Where one is larger than expected, a pair may have reached a layer that was not active. That part is then rolled back, and the window
   ends where it began; a first part is repeated with half of its length. The next window expects larger D's. So a pair stays farther apart
   than the first of its layers that is not active, and surfaces cannot intersect. A window takes T such that no pair comes nearer by more than a
   share of its distance. based on: Harmon et al. 2009 (safe windows, event queue); Mirtich 2000, Timewarp rigid body simulation (rollback). */
#include "layers.h"

/* moves all blocks to a tick */
static void cti_layers_drift_all(cti_state *s, int64_t tick)
{
    int i;
    for (i = 0; i < s->n; i++)
        cti_layers_drift(&cti_layers_own(s)->nodes, i, tick, cti_layers_own(s)->window.tick);
}

/* moves all blocks and surface.x0 to a tick */
static void cti_layers_gather(cti_state *s, int64_t tick)
{
    int i, j;
    cti_layers_drift_all(s, tick);
    for (j = 0; j < CTI_LEN(s->surface.runs); j += 3)
        for (i = s->surface.runs[j]; i < s->surface.runs[j + 1]; i++)
            cti_v3_put(s->surface.x0, i, cti_layers_position(s, i, tick));
}

/* ---- bounds of distances ---- */

/* returns the deviation that block i is expected to have within `span` seconds [m] */
static double cti_layers_expected_deviation(const cti_state *s, int i, double span)
{
    const cti_layers *y = cti_layers_own(s);
    double r = y->window.last_length > 0 ? cti_fmax(1, span / y->window.last_length) : 1, g = (double)cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    return cti_layers_tuned.window.safety * y->nodes.deviation_rate[i] * span * r +
           g * span * (span + y->clocks.dt / (double)((int64_t)1 << y->clocks.body_force_level)) +
           cti_layers_tuned.window.least * (double)s->desc.thickness;
}

/* sets the vertices' deviations from those of blocks, which are expected for `span` seconds; with expected 0 from those that were measured */
static void cti_layers_deviations(cti_state *s, double span, int expected)
{
    cti_layers *y = cti_layers_own(s);
    int i, j, k;
    for (j = 0; j < CTI_LEN(s->surface.runs); j += 3)
        for (i = s->surface.runs[j]; i < s->surface.runs[j + 1]; i++) {
            const cti_attach *a = cti_surface_attach(&s->surface, i);
            double sum = 0;
            for (k = 0; k < a->n; k++) {
                double d = expected ? cti_layers_expected_deviation(s, a->block[k], span) : sqrt(y->nodes.deviation2[a->block[k]]);
                sum += d * (a->n > 1 ? fabs((double)a->weight[k]) : 1);
            }
            y->surface.deviation[i] = (ct_real)sum;
        }
}

static void cti_layers_speeds(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    cti_v3 script;
    int i, j;
    for (j = 0; j < CTI_LEN(s->surface.runs); j += 3)
        for (i = s->surface.runs[j]; i < s->surface.runs[j + 1]; i++)
            cti_v3_put(y->surface.velocity, i, cti_layers_velocity(s, i, &script));
}

/* returns the largest relative speed of a pair's vertices [m/s]; of a plane, that towards it */
static ct_real cti_layers_approach(const cti_state *s, const cti_candidates *l, int i)
{
    const ct_real *u = cti_layers_own(s)->surface.velocity;
    const int32_t *v = l->quads + 4 * (size_t)i;
    if (l->kind == CT_PAIR_PLANE)
        return cti_max(0, -cti_v3_dot(cti_v3_at(s->surface.planes[l->pairs[2 * i + 1]].normal, 0), cti_v3_at(u, v[0])));
    return cti_vertices_approach(v, cti_kind_first(l->kind), 4, NULL, u);
}

/* bounds the rounding of the distance of pair i [m] */
static ct_real cti_layers_rounding(const cti_state *s, const cti_candidates *l, int i)
{
    const ct_real *x = s->surface.x0;
    const int32_t *v = l->quads + 4 * (size_t)i;
    int n = cti_kind_corners(l->kind), k;
    ct_real size = 0;
    for (k = 0; k < n; k++)
        size = cti_max(size, cti_abs(x[3 * v[k]]) + cti_abs(x[3 * v[k] + 1]) + cti_abs(x[3 * v[k] + 2]));
    return cti_layers_tuned.window.round * CTI_EPS * size;
}

/* returns D_a + D_b of a pair with the rounding of its distance [m] */
static ct_real cti_layers_pair_deviation(const cti_state *s, const cti_candidates *l, int i)
{
    const ct_real *off = cti_layers_own(s)->surface.deviation;
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

/* returns the longest window, at most span, in which no pair comes nearer by more than window.nearer, with deviations as in `span` seconds [s] */
static double cti_layers_window_length(const cti_state *s, double span)
{
    const cti_layers *y = cti_layers_own(s);
    double longest = span;
    int i, k;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < cti_candidates_len(&y->list[k].c); i++) {
            const cti_layers_list *l = &y->list[k];
            double d = (double)cti_candidates_distance(&l->c, i), way, rounding, room;
            if (!(l->stiffness[i] > 0))
                continue;
            way = span * (double)cti_layers_approach(s, &l->c, i) + (double)cti_layers_pair_deviation(s, &l->c, i);
            /* pairs that stay outside of their layers do not count */
            if (!(way > cti_layers_tuned.window.nearer * d && d - way < (double)l->c.hat[i]))
                continue;
            rounding = (double)cti_layers_rounding(s, &l->c, i); /* shorter windows do not make it smaller */
            room = cti_fmax(cti_layers_tuned.window.nearer * d, 0.9 * (d - (double)l->c.hat[i])) - rounding;
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

/* adds pair i of list k to a set. 0: out of memory */
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

/* reserves the records of a set, where they are needed. 0: out of memory */
static int cti_layers_set_reserve(cti_state *s, cti_layers_set *q)
{
    int n = s->n, i, had = CTI_LEN(q->impulses.tick);
    if (!cti_layers_dissipates(s) || CTI_LEN(q->blocks) == 0)
        return 1;
    if (!CTI_RESIZE(&s->prepared, q->impulses.J, 3 * n) || !CTI_RESIZE(&s->prepared, q->saved.J, 3 * n) ||
        !CTI_RESIZE(&s->prepared, q->saved.tick, n) || !CTI_RESIZE(&s->prepared, cti_layers_own(s)->previous, 3 * n) ||
        !CTI_RESIZE(&s->prepared, q->impulses.tick, n))
        return 0;
    for (i = had; i < n; i++)
        q->impulses.tick[i] = -2;
    return 1;
}

/* saves the record of a set at a checkpoint, or with back = 1 restores it */
static void cti_layers_set_save(const cti_state *s, cti_layers_set *q, int back)
{
    cti_layers_record *to = back ? &q->impulses : &q->saved, *from = back ? &q->saved : &q->impulses;
    if (CTI_LEN(q->impulses.tick) == 0 || CTI_LEN(q->blocks) == 0)
        return;
    memcpy(to->tick, from->tick, sizeof *to->tick * (size_t)s->n);
    memcpy(to->J, from->J, sizeof *to->J * 3 * (size_t)s->n);
}

/* lists the vertices and blocks of a set, each once. 0: out of memory */
static int cti_layers_set_close(cti_state *s, cti_layers_set *q)
{
    cti_layers_surface *p = &cti_layers_own(s)->surface;
    int k, i, j;
    p->visit++;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < CTI_LEN(q->quads[k]); i++) {
            int v = q->quads[k][i];
            const cti_attach *a = cti_surface_attach(&s->surface, v);
            if ((k == CTI_LAYERS_PLANES && i % 4) || p->visited_vertex[v] == p->visit || !s->surface.bodies[s->surface.body_of[v]].moves)
                continue;
            p->visited_vertex[v] = p->visit;
            if (!CTI_PUSH(&s->prepared, q->vertices, v))
                return 0;
            for (j = 0; j < a->n; j++) {
                if (p->visited_block[a->block[j]] == p->visit)
                    continue;
                p->visited_block[a->block[j]] = p->visit;
                if (!CTI_PUSH(&s->prepared, q->blocks, a->block[j]))
                    return 0;
            }
        }
    return 1;
}

/* fills the sets with the layers that pairs may reach in `span` seconds. 1: done; 2: a pair may come nearer than the last layer; 0: out of memory */
static int cti_layers_activate(cti_state *s, double span)
{
    cti_layers *y = cti_layers_own(s);
    int i, k, v, most = s->desc.layers.max_layers, n = 0, deep = 0;
    cti_layers_sets_clear(y);
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < cti_candidates_len(&y->list[k].c); i++) {
            cti_layers_list *l = &y->list[k];
            ct_real apart = cti_candidates_distance(&l->c, i) - (ct_real)span * cti_layers_approach(s, &l->c, i) * (1 + 8 * CTI_EPS);
            double share = (double)((apart - cti_layers_pair_deviation(s, &l->c, i)) / l->c.hat[i]);
            l->active[i] = l->stiffness[i] > 0 ? cti_layers_reached(share) : 0;
            if (l->active[i] >= most) /* the sets are completed even so: if the step ends here, clocks give the impulses of their lags with them */
                deep = 1, l->active[i] = most - 1;
            l->deviation_most[i] = l->stiffness[i] > 0 ? apart - l->c.hat[i] * (ct_real)cti_layers_thickness(l->active[i] + 1) : CTI_REAL_MAX;
            for (v = 0; l->active[i] > 0 && v <= CTI_LAYERS_LEVELS; v++)
                if (y->set[v].last > 0 && y->set[v].first <= l->active[i] && !cti_layers_set_add(s, &y->set[v], k, i))
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

/* saves impulses and sums at a checkpoint, or with back = 1 restores them. 0: out of memory (never when it restores) */
static int cti_layers_save(cti_state *s, int back)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int i, k, at = 0, n = 0, pins = s->scripts.n_constrained ? 3 * s->n : 0;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; !back && i < CTI_LEN(y->list[k].active); i++)
            n += y->list[k].active[i] > 0;
    if (!back && (!CTI_RESIZE(&s->prepared, w->impulses_saved, 4 * n) || !CTI_RESIZE(&s->prepared, w->pins_saved, pins)))
        return 0;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < CTI_LEN(y->list[k].active); i++) {
            cti_layers_list *l = &y->list[k];
            if (l->active[i] == 0)
                continue;
            if (back)
                cti_v3_put(l->impulse, i, cti_v3_make(w->impulses_saved[at], w->impulses_saved[at + 1], w->impulses_saved[at + 2])),
                    l->load[i] = (uint8_t)w->impulses_saved[at + 3];
            else
                memcpy(w->impulses_saved + at, l->impulse + 3 * (size_t)i, 3 * sizeof *l->impulse), w->impulses_saved[at + 3] = l->load[i];
            at += 4;
        }
    if (pins && back)
        memcpy(s->step.impulses.pins, w->pins_saved, sizeof(ct_real) * (size_t)pins);
    else if (pins)
        memcpy(w->pins_saved, s->step.impulses.pins, sizeof(ct_real) * (size_t)pins);
    for (k = 0; k <= CTI_LAYERS_LEVELS; k++)
        cti_layers_set_save(s, &y->set[k], back);
    if (back)
        w->sums = w->sums_saved;
    else
        w->sums_saved = w->sums;
    return 1;
}

/* begins the lines of all blocks at window.begin */
static void cti_layers_lines(cti_state *s)
{
    cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    int i;
    memcpy(q->x0, q->x, sizeof(double) * 3 * (size_t)s->n);
    memcpy(q->v0, q->v, sizeof(double) * 3 * (size_t)s->n);
    for (i = 0; i < s->n; i++)
        q->deviation2[i] = 0;
}

/* saves the state at a tick at which all blocks are, and up to which the window is safe. 0: out of memory */
static int cti_layers_checkpoint(cti_state *s, int64_t tick)
{
    cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    cti_layers_clocks *c = &cti_layers_own(s)->clocks;
    memcpy(q->x_saved, q->x, sizeof(double) * 3 * (size_t)s->n);
    memcpy(q->v_saved, q->v, sizeof(double) * 3 * (size_t)s->n);
    if (CTI_LEN(c->force))
        memcpy(c->force_saved, c->force, sizeof(ct_real) * (size_t)CTI_LEN(c->force));
    cti_layers_own(s)->window.safe = tick;
    return cti_layers_save(s, 0);
}

/* restores the checkpoint, and raises the expected deviations to those that were measured in `span` seconds */
static void cti_layers_roll_back(cti_state *s, double span)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_nodes *q = &y->nodes;
    int i, k;
    memcpy(q->x, q->x_saved, sizeof(double) * 3 * (size_t)s->n);
    memcpy(q->v, q->v_saved, sizeof(double) * 3 * (size_t)s->n);
    if (CTI_LEN(y->clocks.force))
        memcpy(y->clocks.force, y->clocks.force_saved, sizeof(ct_real) * (size_t)CTI_LEN(y->clocks.force));
    for (i = 0; i < s->n; i++) {
        q->tick[i] = y->window.safe;
        for (k = 3 * i; k < 3 * i + 3; k++)
            q->x_rounded[k] = (ct_real)q->x[k];
        if (cti_finite64(q->deviation2[i]))
            q->deviation_rate[i] = cti_fmax(q->deviation_rate[i], sqrt(q->deviation2[i]) / span);
    }
    cti_layers_save(s, 1);
    y->window.rollbacks++;
}

/* fills the queue with the first event of every clock after window.begin. 0: out of memory */
static int cti_layers_enqueue(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    int64_t t = y->window.begin;
    int i, n = CTI_LEN(y->clocks.groups), ok;
    CTI_CLEAR(y->queue);
    ok = cti_heap_push(&s->prepared, &y->queue, cti_layers_next(t, y->clocks.body_force_level), n);
    for (i = 0; ok && i < n; i++)
        ok = cti_heap_push(&s->prepared, &y->queue, cti_layers_next(t, y->clocks.groups[i].level), i);
    for (i = 0; ok && i <= CTI_LAYERS_LEVELS; i++)
        if (CTI_LEN(y->set[i].pair[0]) + CTI_LEN(y->set[i].pair[1]) + CTI_LEN(y->set[i].pair[2]) > 0)
            ok = cti_heap_push(&s->prepared, &y->queue, cti_layers_next(t, i), n + 1 + i);
    return ok;
}

/* return the level of a clock, numbered as in the queue; make an event of it with the impulses of h seconds */
static int cti_layers_clock_level(const cti_layers *y, int clock)
{
    int n = CTI_LEN(y->clocks.groups);
    return clock < n ? y->clocks.groups[clock].level : clock == n ? y->clocks.body_force_level : clock - n - 1;
}
static void cti_layers_event_of_clock(cti_state *s, int clock, int64_t tick, double h, int plain)
{
    cti_layers *y = cti_layers_own(s);
    int n = CTI_LEN(y->clocks.groups);
    if (clock < n)
        cti_layers_event_elements(s, &y->clocks.groups[clock], tick, h);
    else if (clock == n)
        cti_layers_event_body_forces(s, tick, h);
    else
        cti_layers_event_layers(s, &y->set[clock - n - 1], tick, h, plain);
}

/* makes all events up to window.end; *out_spent 1: the updates are used up, and window.end is the tick of the last event. 0: out of memory */
static int cti_layers_run_events(cti_state *s, int *out_spent)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int64_t last = -1;
    *out_spent = 0;
    while (y->queue[0].key <= w->end) {
        cti_heap_item e;
        int level;
        if (w->updates >= s->desc.layers.max_updates && y->queue[0].key > last && last >= 0) {
            w->end = last, *out_spent = 1;
            return 1;
        }
        e = cti_heap_pop(y->queue), last = e.key;
        level = cti_layers_clock_level(y, e.item);
        cti_layers_event_of_clock(s, e.item, e.key, (double)((int64_t)1 << (CTI_LAYERS_LOG - level)) * w->tick, 0);
        if (!cti_heap_push(&s->prepared, &y->queue, cti_layers_next(e.key, level), e.item))
            return 0;
    }
    return 1;
}

/* returns 1 where no pair can have reached a layer that was not active, and no vertex left its reach, in `span` seconds up to window.end */
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
        if (!cti_finite64(d)) /* cti_fmax drops NaN */
            return 0;
        y->nodes.deviation2[i] = cti_fmax(y->nodes.deviation2[i], d);
        if (!cti_finite64(y->nodes.deviation2[i]))
            return 0;
    }
    cti_layers_deviations(s, span, 0);
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        for (i = 0; i < cti_candidates_len(&y->list[k].c); i++)
            if (!(cti_layers_pair_deviation(s, &y->list[k].c, i) <= y->list[k].deviation_most[i]))
                return 0;
    return cti_layers_is_covered(s, span);
}

/* returns `span`, or a shorter window if vertices are expected too far from their lines [s]; sets the deviations for it */
static double cti_layers_limit_deviation(cti_state *s, double span)
{
    const cti_layers_surface *p = &cti_layers_own(s)->surface;
    int i, j;
    cti_layers_deviations(s, span, 1);
    for (;;) {
        ct_real most = 0;
        for (j = 0; j < CTI_LEN(s->surface.runs); j += 3)
            for (i = s->surface.runs[j]; i < s->surface.runs[j + 1]; i++)
                most = cti_max(most, p->deviation[i]);
        if (!((double)most > cti_layers_tuned.window.most * (double)s->desc.thickness) || !cti_finite(most))
            return span;
        span *= cti_fmin(0.9, cti_layers_tuned.window.most * (double)s->desc.thickness / (double)most);
        cti_layers_deviations(s, span, 1);
    }
}

/* sets window.end, sets and lists of the next window, of at most `most` ticks. 1: done; 2: no window is short enough; 0: out of memory */
static int cti_layers_open(cti_state *s, int64_t most)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    double span = (double)most * w->tick, ahead;
    int64_t ticks;
    cti_layers_speeds(s);
    span = cti_layers_limit_deviation(s, span);
    if (span / w->tick < (double)most)
        most = (int64_t)(span / w->tick);
    span = (double)most * w->tick;
    ahead = cti_fmin(cti_layers_tuned.window.ahead * span, (double)(CTI_LAYERS_TICKS - w->begin) * w->tick);
    if (!cti_layers_is_covered(s, span)) {
        if (!cti_layers_cover(s, ahead))
            return 0;
    }
    cti_layers_distances(s);
    w->updates += CTI_LEN(y->list[0].active) + CTI_LEN(y->list[1].active) + CTI_LEN(y->list[2].active);
    ticks = (int64_t)(cti_layers_window_length(s, span) / w->tick);
    if (ticks < most) {
        span = (double)ticks * w->tick;
        cti_layers_deviations(s, span, 1);
    } else
        ticks = most;
    if (ticks < 1)
        return 2;
    w->end = w->begin + ticks;
    return cti_layers_activate(s, span);
}

/* sets the deviations that the next window expects from those that were measured in `span` seconds */
static void cti_layers_learn(cti_state *s, double span)
{
    cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    int i;
    for (i = 0; i < s->n; i++)
        q->deviation_rate[i] = cti_fmax(sqrt(q->deviation2[i]) / span, q->deviation_rate[i] / 2);
    cti_layers_own(s)->window.last_length = span;
}

/* runs the parts of a window, up to window.end, or up to the last one after which it is still safe: window.end is there then. *out_span is the time
   that was run [s]. 1: done; 2: its first part is not safe, and all blocks are at window.begin again; 0: out of memory */
static int cti_layers_parts(cti_state *s, int *out_spent, double *out_span)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int64_t end = w->end, part = (end - w->begin) / cti_layers_tuned.window.parts;
    int k;
    cti_layers_lines(s);
    if (!cti_layers_enqueue(s) || !cti_layers_checkpoint(s, w->begin))
        return 0;
    for (k = 1, *out_spent = 0; k <= cti_layers_tuned.window.parts && !*out_spent; k++) {
        w->end = k < cti_layers_tuned.window.parts ? w->begin + k * part : end;
        if (w->end == w->safe)
            continue;
        if (!cti_layers_run_events(s, out_spent))
            return 0;
        *out_span = (double)(w->end - w->begin) * w->tick;
        cti_layers_drift_all(s, w->end);
        if (!cti_layers_is_safe(s, *out_span)) {
            cti_layers_roll_back(s, *out_span);
            if (w->safe == w->begin)
                return 2;
            w->end = w->safe;
            return 1;
        }
        if (!cti_layers_checkpoint(s, w->end))
            return 0;
    }
    return 1;
}

/* runs one window from window.begin on. 1: done; 2: no window is short enough, or the updates are used up; 0: out of memory */
static int cti_layers_try(cti_state *s, int *out_spent)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int64_t most = CTI_LAYERS_TICKS - w->begin;
    double first = w->last_length > 0 ? cti_layers_tuned.window.grow * w->last_length : y->clocks.dt / cti_layers_tuned.window.first;
    int tries, ok;
    if ((double)most * w->tick > first)
        most = (int64_t)(first / w->tick) + 1;
    for (tries = 0; tries < cti_layers_tuned.window.tries; tries++) {
        double span = 0;
        ok = cti_layers_open(s, most);
        if (ok == 2) { /* in a shorter window pairs come less near */
            most /= 2, w->last_length = (double)most * w->tick;
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
        w->last_length = span;
        if (most < 1)
            return 2;
    }
    return 2;
}

/* gives the impulses of all clocks' lags at window.begin, where the step ends early */
static void cti_layers_settle(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    int clock, n = CTI_LEN(y->clocks.groups) + 2 + CTI_LAYERS_LEVELS;
    for (clock = 0; clock < n; clock++) {
        int64_t due = cti_layers_lag(y->window.begin, cti_layers_clock_level(y, clock));
        if (due != 0)
            cti_layers_event_of_clock(s, clock, y->window.begin, (double)due * y->window.tick, 1);
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
