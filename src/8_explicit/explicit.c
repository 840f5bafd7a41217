/* explicit.c -- the explicit stepper's step.
   Method: a step is a sequence of Runge-Kutta steps. Each begins with the contacts of its start: nodes behind a surface are moved onto it, and
   approaching contacts collide inelastically. The contacts stay the same over the stages; in each their forces keep d'' >= 0 where contacts
   are at rest (explicit_rates.c). The length of the steps follows from their error: steps above the tolerance are taken again, shorter, as are
   those that go far beyond a first touch; most of these touches are predicted.
   differs: the paper never goes back in time.
   The account of energies has integrals of the same rule: damping, scripts, drift of contacts.
   based on: Hong et al. 2006, sec. 2 to 5. */
#include "explicit.h"
#include "../0_base/sort.h"
#include "../1_math/elem.h"
#include "../8_step/move.h"
#include "../8_step/shell.h"
#include "../8_step/assemble.h"
#include "../8_step/plausible.h"
#include "../8_step/report.h"
#include "../8_step/tangle.h"

/* returns the elastic energy and that of gravity [J] */
static double cti_explicit_potential(cti_state *s, const ct_real *y, double *out_elastic)
{
    double e = *out_elastic = cti_explicit_elastic(s, y, NULL);
    int i;
    for (i = 0; i < s->n; i++)
        e -= (double)s->bodies.mass[i] * (double)cti_v3_dot(cti_v3_at(y, i), cti_v3_at(s->desc.gravity, 0));
    return e;
}

/* ---- start and end ---- */

static void cti_explicit_load(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real *y = g->ode.y;
    int i;
    memset(y, 0, sizeof(ct_real) * (size_t)g->ode.state);
    memcpy(y, s->x, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(y + 3 * (size_t)s->n, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *b = &s->bodies.rigids[i];
        memcpy(y + 6 * (size_t)s->n + 4 * (size_t)i, b->q, sizeof b->q);
        cti_v3_put(y + 3 * (size_t)s->n, b->block + 1, cti_rigid_rate(b, b->q));
    }
}

/* evaluates scripts of nodes, and of middles of edges between two of them. 0: out of memory */
static int cti_explicit_scripts(cti_state *s, ct_real dt)
{
    const int32_t *q = cti_explicit_own(s)->middles;
    int i, ok = cti_assemble_pins(s, dt);
    if (s->scripts.n_constrained == 0)
        return ok;
    for (i = 0; ok && i < CTI_LEN(q); i += 3)
        ok = cti_assemble_between(s, q[i], q[i + 1], q[i + 2]);
    return ok;
}

/* sets velocities that scripts give, which are constant in the step */
static void cti_explicit_pins(cti_state *s, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real *y = g->ode.y + 3 * (size_t)s->n;
    int i;
    for (i = 0; i < s->n; i++)
        if (s->scripts.filter[i] >= 0)
            cti_v3_put(y, i, cti_move_jump(s, i, cti_v3_at(y, i), &r->work_pins));
}

/* resizes vectors to the contacts' number. 0: out of memory */
static int cti_explicit_resize(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_explicit_ode *q = &g->ode;
    size_t n;
    q->state = 6 * s->n + 4 * CTI_LEN(s->bodies.rigids);
    q->pins = s->scripts.n_constrained ? 3 * s->n : 0;
    q->size = cti_pad8(q->state + 3 + q->pins + 3 * CTI_LEN(g->contacts));
    n = (size_t)q->size;
    if (!CTI_RESIZE(&s->prepared, q->y, n) || !CTI_RESIZE(&s->prepared, q->full, n) || !CTI_RESIZE(&s->prepared, q->half, n) ||
        !CTI_RESIZE(&s->prepared, q->end, n) || !CTI_RESIZE(&s->prepared, q->stage, n) || !CTI_RESIZE(&s->prepared, q->k1, n) ||
        !CTI_RESIZE(&s->prepared, q->k, (CTI_EXPLICIT_STAGES - 1) * n))
        return 0;
    memset(q->y + q->state, 0, sizeof(ct_real) * (n - (size_t)q->state));
    return 1;
}

/* begins a try of a step. 0: out of memory */
static int cti_explicit_open(cti_state *s, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    memset(&g->run, 0, sizeof g->run), g->run.t_found = -1;
    r->thickness_kept = 0; /* contacts have no thickness */
    CTI_CLEAR(g->contacts);
    g->dt = s->step.dt, g->solve.natural = 0, g->solve.iterations = 0;
    g->decay = s->desc.rk.rules == CT_EXPLICIT_NODE ? 0 : cti_explicit_tuned.step.decay / cti_min(g->stable_step, g->dt);
    g->rest_distance = cti_max(cti_explicit_tuned.contact.rest * s->desc.rk.penetration, 64 * CTI_EPS);
    memcpy(g->surface_start, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    memcpy(g->surface, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    memcpy(g->search.x_start, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    if (!cti_explicit_resize(s) || !cti_explicit_scripts(s, g->dt))
        return 0;
    g->run.world_size = cti_plausible_size_of(s);
    g->elements.plain = cti_explicit_is_plain(s);
    cti_assemble_movers(s, cti_state_ahead(s, g->dt));
    memcpy(g->script_end, s->surface.script, sizeof(ct_real) * 3 * (size_t)s->surface.n_moving);
    cti_explicit_load(s);
    cti_explicit_pins(s, r);
    return 1;
}

static void cti_explicit_commit(cti_state *s, ct_real dt)
{
    cti_explicit *g = cti_explicit_own(s);
    const ct_real *y = g->ode.y;
    int i;
    memcpy(s->x, y, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->v, y + 3 * (size_t)s->n, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *b = &s->bodies.rigids[i];
        ct_real *R = s->bodies.frames + 9 * (size_t)i;
        memcpy(b->q, y + 6 * (size_t)s->n + 4 * (size_t)i, sizeof b->q);
        memcpy(b->q_new, b->q, sizeof b->q);
        cti_rigid_matrix(b->q, R);
        cti_v3_put(b->spin, 0, cti_m3_mul_v(R, cti_m3_mul_v(b->inertia, cti_m3_mul_tv(R, cti_v3_at(s->v, b->block + 1)))));
        b->affine_known = 0;
    }
    memcpy(s->surface.script, g->script_end, sizeof(ct_real) * 3 * (size_t)s->surface.n_moving);
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x1);
    cti_surface_commit(&s->surface);
    for (i = 0; i < s->n; i++)
        s->history.dt_prev[i] = dt, s->history.fall[i].share = 0;
    s->energy.known = 0;
}

/* ---- a Runge-Kutta step ---- */

/* records depths of the contacts before nodes are moved back. The last ones of a step are counted in the first Runge-Kutta step of the next one */
static void cti_explicit_depths(cti_state *s, int is_last, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    int i;
    for (i = 0; i < CTI_LEN(g->contacts); i++) {
        cti_explicit_contact *c = &g->contacts[i];
        ct_real depth = cti_max(-c->d, CTI_R(0.0));
        c->d_found = c->d;
        if (c->adjacent)
            continue;
        if (c->held) {
            r->rk.held += !is_last;
            r->rk.held_deep += depth > CTI_R(1e-4) * c->scale;
            r->rk.penetration_held = cti_max(r->rk.penetration_held, depth);
        } else {
            r->rk.first += !is_last;
            r->rk.penetration_first = cti_max(r->rk.penetration_first, depth);
        }
    }
}

/* Sets the distances to which contacts are moved back. One move is no longer than the way of the last Runge-Kutta step, or of the time for which a
   first touch may go on, at the contact's rate or at recovery_speed: bodies that overlap come out slowly, and little elastic energy is stored */
static void cti_explicit_targets(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    int i;
    for (i = 0; i < CTI_LEN(g->contacts); i++) {
        cti_explicit_contact *c = &g->contacts[i];
        ct_real legal = s->desc.rk.penetration * c->scale, rest = g->rest_distance * c->scale;
        ct_real time = cti_max(g->memory.last_length, cti_explicit_tuned.step.overshoot * cti_min(g->stable_step, g->dt));
        ct_real most = time * cti_max(s->desc.recovery_speed, -c->rate);
        c->d_target = c->d < -legal && s->desc.recovery_speed > 0 ? cti_min(rest, c->d + most) : rest;
    }
}

/* sets memory.held: the sorted keys of contacts that take part. 0: out of memory */
static int cti_explicit_remember(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    int m = CTI_LEN(g->contacts), i, n = 0;
    if (!CTI_RESIZE(&s->prepared, g->memory.held, m))
        return 0;
    for (i = 0; i < m; i++)
        if (!g->contacts[i].squeezed && !g->contacts[i].adjacent)
            g->memory.held[n++] = g->contacts[i].key;
    cti_sort_u64(g->memory.held, NULL, g->solve.keys, NULL, n); /* cti_explicit_regions has made room for 2 m keys */
    return CTI_RESIZE(&s->prepared, g->memory.held, n);
}

/* sets the contacts at y: those that the last Runge-Kutta step has found at its end, or new ones. 0: out of memory */
static int cti_explicit_find_start(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_explicit_contact *contacts = g->contacts;
    int i, n = 0;
    int found = g->run.t_found >= 0 && fabs(g->run.t - g->run.t_found) <= 4 * (double)CTI_EPS * (double)g->dt;
    g->run.t_found = -1;
    if (!CTI_RESIZE(&s->prepared, g->memory.active, 2 * CTI_LEN(contacts)))
        return 0;
    for (i = 0; i < CTI_LEN(contacts); i++)
        if (contacts[i].force > 0)
            g->memory.active[n++] = contacts[i].key;
    cti_sort_u64(g->memory.active, NULL, g->memory.active + CTI_LEN(contacts), NULL, n);
    if (found)
        g->contacts = g->search.contacts_end, g->search.contacts_end = contacts;
    else if (!cti_explicit_find(s, g->ode.y, g->run.t, 0))
        return 0;
    for (i = 0; i < CTI_LEN(g->contacts); i++)
        g->contacts[i].was_active = cti_sort_has_u64(g->memory.active, n, g->contacts[i].key);
    return 1;
}

/* finds the contacts at y, and moves their nodes back. 0: out of memory */
static int cti_explicit_detect(cti_state *s, int is_last, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    double clock = cti_state_clock(s);
    int i;
    g->run.moved = 0;
    cti_explicit_place(s, g->ode.y, g->run.t);
    if (!cti_explicit_find_start(s))
        return 0;
    cti_explicit_depths(s, is_last, r);
    cti_explicit_account_touches(s);
    cti_explicit_targets(s);
    for (i = 0; i < CTI_LEN(g->contacts); i++)
        if (g->contacts[i].d < g->rest_distance / 2 * g->contacts[i].scale)
            break;
    if (i < CTI_LEN(g->contacts)) {
        double elastic, stored, before = cti_explicit_potential(s, g->ode.y, &elastic);
        g->run.moved = cti_explicit_move_back(s, g->ode.y, g->run.t);
        if (g->run.moved) {
            r->work_recovery += cti_explicit_potential(s, g->ode.y, &stored) - before;
            g->run.energy_moves_back += stored - elastic;
        }
        for (i = 0; i < CTI_LEN(g->contacts); i++) {
            cti_explicit_contact *c = &g->contacts[i];
            c->deep = cti_explicit_measure(s, g->ode.y, g->run.t, c) && c->d < -s->desc.rk.penetration * c->scale;
            r->rk.left += !is_last && c->deep;
        }
    }
    r->ms_detect += cti_state_clock(s) - clock;
    return 1;
}

/* starts a Runge-Kutta step: contacts, regions, collision. 0: out of memory */
static int cti_explicit_start(cti_state *s, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    double clock;
    if (!cti_explicit_detect(s, 0, r))
        return 0;
    clock = cti_state_clock(s);
    if (!cti_explicit_resize(s) || !cti_explicit_regions(s, r))
        return 0;
    cti_explicit_collide(s, g->ode.y, g->run.t, r);
    r->ms_solve += cti_state_clock(s) - clock;
    return cti_explicit_remember(s);
}

/* sets search.contacts_end to the contacts at y, as cti_explicit_find. 0: out of memory */
static int cti_explicit_find_at_end(cti_state *s, const ct_real *y, double t, int is_new)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_explicit_contact *contacts = g->contacts;
    int ok;
    g->contacts = g->search.contacts_end;
    ok = cti_explicit_find(s, y, t, is_new);
    g->search.contacts_end = g->contacts, g->contacts = contacts;
    return ok;
}

/* returns 1 where the step's start has this contact and no force keeps it: it is not in memory.held, but no first touch either */
static int cti_explicit_is_squeezed(const cti_explicit *g, uint64_t key)
{
    int i;
    for (i = 0; i < CTI_LEN(g->contacts); i++)
        if (g->contacts[i].squeezed && g->contacts[i].key == key)
            return 1;
    return 0;
}

/* Returns the time by which a Runge-Kutta step to ode.end has gone too far beyond first touches [s], 0: not; < 0: out of memory. A node that is
   moved back stores elastic energy, which no motion has given: E (depth / edge)^2 of a volume whose kinetic energy is rho u^2 / 2. The depth is u
   times the time beyond the touch, so that the share does not depend on u */
static ct_real cti_explicit_overshoot(cti_state *s, double t, int is_new)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real overshoot = 0;
    int i, k;
    if (s->desc.rk.rules == CT_EXPLICIT_NODE)
        return 0;
    if (!cti_explicit_find_at_end(s, g->ode.end, t, is_new))
        return -1;
    for (i = 0; i < CTI_LEN(g->search.contacts_end); i++) {
        const cti_explicit_contact *c = &g->search.contacts_end[i];
        ct_real beyond, most = cti_explicit_tuned.contact.deepest * s->desc.rk.penetration * c->scale;
        if (c->held || c->adjacent || !(c->d < -10 * g->rest_distance * c->scale) || !(c->rate < 0))
            continue;
        for (k = 0; k < c->n; k++)
            if (s->bodies.rigid_of[c->entry[k].block] < 0 && !s->scripts.fixed[c->entry[k].block])
                most = -cti_explicit_tuned.step.overshoot * g->stable_step * c->rate;
        beyond = (-c->d - most / 2) / -c->rate;
        if (-c->d > most && !cti_explicit_is_squeezed(g, c->key))
            overshoot = cti_max(overshoot, beyond);
    }
    return overshoot;
}

/* returns the length of the next step that the error allows */
static ct_real cti_explicit_next_length(ct_real h, ct_real error)
{
    ct_real share = error > 0 ? cti_explicit_tuned.step.safety * (ct_real)cti_exp64(-0.25 * cti_log64((double)error)) : CTI_REAL_MAX;
    return h * cti_max(cti_explicit_tuned.step.shrink, cti_min(cti_explicit_tuned.step.grow, share));
}

/* returns cti_explicit_stride at the end of a Runge-Kutta step */
static ct_real cti_explicit_end_stride(cti_state *s, double t)
{
    cti_explicit_place(s, cti_explicit_own(s)->ode.end, t);
    return cti_explicit_stride(s);
}

/* returns the length of a step that ends at a first touch, in place of `at` */
static ct_real cti_explicit_cut_length(ct_real at, ct_real overshoot)
{
    return at * cti_max(cti_explicit_tuned.step.shrink, cti_min(cti_explicit_tuned.step.safety, 1 - overshoot / at));
}

/* shortens *touch, the longest step, to a first touch that is predicted: this costs no evaluation. 0: out of memory */
static int cti_explicit_predict_touch(cti_state *s, double t, ct_real at, ct_real *touch)
{
    ct_real overshoot;
    cti_explicit_predict(s, at);
    cti_explicit_place(s, cti_explicit_own(s)->ode.end, t + (double)at);
    overshoot = cti_explicit_overshoot(s, t + (double)at, 1);
    *touch = overshoot > 0 ? cti_explicit_cut_length(at, overshoot) : *touch;
    return overshoot >= 0;
}

/* tries steps of at most `left` until one is accepted. Returns its length; 0: none is possible; < 0: out of memory */
static ct_real cti_explicit_accept(cti_state *s, ct_real left, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real fixed = s->desc.rk.fixed_step, most = cti_min(2 * g->stable_step, g->dt) / (ct_real)s->step.parts;
    ct_real h = fixed > 0 ? fixed : (g->memory.next_length > 0 ? cti_min(g->memory.next_length, most) : most / 4);
    ct_real least = cti_explicit_tuned.step.least * most, touch = most, error, stride, overshoot;
    if (!cti_explicit_rates(s, g->ode.y, g->run.t, g->ode.k1))
        return 0;
    for (;;) {
        int cut = h >= left * CTI_R(0.9999);
        ct_real at = cut ? left : (h > left / 2 && !(fixed > 0) ? left / 2 : h);
        if (fixed > 0) {
            if (cti_explicit_try(s, g->run.t, at, &r->rk.evaluations) < 0)
                return 0;
            g->run.forced += cti_explicit_end_stride(s, g->run.t + (double)at) > 1;
            return at;
        }
        at = cti_min(at, touch);
        if (at > least && !(touch < most) && !cti_explicit_predict_touch(s, g->run.t, at, &touch))
            return -1;
        at = cti_min(at, touch);
        error = cti_explicit_try(s, g->run.t, at, &r->rk.evaluations);
        stride = error >= 0 && error <= 1 ? cti_explicit_end_stride(s, g->run.t + (double)at) : 0;
        if (stride > 1 && at > least) {
            r->rk.rejected++;
            h = at * cti_max(cti_explicit_tuned.step.shrink, cti_explicit_tuned.step.safety / stride);
            continue;
        }
        overshoot = error >= 0 && error <= 1 && at > least ? cti_explicit_overshoot(s, g->run.t + (double)at, 0) : 0;
        if (overshoot < 0)
            return -1;
        g->run.t_found = s->desc.rk.rules == CT_EXPLICIT_REGION && error >= 0 && error <= 1 && at > least ? g->run.t + (double)at : -1;
        if (overshoot > 0) {
            r->rk.rejected++;
            touch = cti_explicit_cut_length(at, overshoot);
            continue;
        }
        if (error >= 0 && error <= 1) {
            ct_real next = cti_min(cti_explicit_next_length(at, error), most);
            g->run.forced += stride > 1;
            next = stride > 0 ? cti_min(next, at * cti_explicit_tuned.step.safety / stride) : next;
            g->memory.next_length = at < h && next < h ? h : next;
            return at;
        }
        if (error >= 0 && at <= least) {
            g->run.forced++;
            g->memory.next_length = at;
            return at;
        }
        if (at <= least / 16)
            return 0;
        r->rk.rejected++;
        h = error < 0 ? at / 4 : cti_explicit_next_length(at, error);
    }
}

/* returns 0 where a step that is too long for its elements has blown up: the motion is beyond what the world's size allows */
static int cti_explicit_is_plausible(cti_state *s, const cti_plausible_size *size, double t)
{
    return cti_plausible_velocities(s, cti_explicit_own(s)->ode.end + 3 * (size_t)s->n, size, (ct_real)t);
}

/* leaves a step out: the impulses of its collisions stay, at contacts as they were at its start. Its stages have measured them elsewhere.
   0: out of memory */
static int cti_explicit_stay(cti_state *s, double t)
{
    cti_explicit *g = cti_explicit_own(s);
    int i;
    cti_explicit_place(s, g->ode.y, t);
    for (i = 0; i < CTI_LEN(g->contacts); i++)
        cti_explicit_measure(s, g->ode.y, t, &g->contacts[i]);
    memcpy(g->ode.end, g->ode.y, sizeof(ct_real) * (size_t)g->ode.size);
    return cti_explicit_impulses(s);
}

/* makes one Runge-Kutta step. 1: done, *out is its length; -1: no step is possible; 0: out of memory */
static int cti_explicit_advance_by(cti_state *s, ct_real left, ct_step_report *r, ct_real *out)
{
    cti_explicit *g = cti_explicit_own(s);
    double clock;
    ct_real h;
    int i, at = r->rk.accepted % CT_RK_HISTORY;
    cti_arena_reset(s->arena);
    if (!cti_explicit_start(s, r))
        return 0;
    clock = cti_state_clock(s);
    if (g->run.moved) /* the move back is no motion of this Runge-Kutta step */
        cti_explicit_place(s, g->ode.y, g->run.t);
    for (i = 0; i < s->surface.n_bodies; i++)
        if (s->surface.bodies[i].moves)
            memcpy(g->search.x_start + 3 * (size_t)s->surface.ranges[i].v0, g->surface + 3 * (size_t)s->surface.ranges[i].v0,
                   sizeof(ct_real) * 3 * (size_t)(s->surface.ranges[i].v1 - s->surface.ranges[i].v0));
    h = cti_explicit_accept(s, left, r);
    r->ms_assemble += cti_state_clock(s) - clock;
    if (h < 0)
        return 0;
    if (!(h > 0) || !cti_explicit_is_plausible(s, &g->run.world_size, g->run.t + (double)h)) {
        g->run.t_found = -1;
        return cti_explicit_stay(s, g->run.t) ? -1 : 0;
    }
    if (!cti_explicit_impulses(s))
        return 0;
    g->memory.last_length = h;
    for (i = 0; i < CTI_LEN(g->contacts); i++)
        if (g->contacts[i].squeezed & 1) {
            g->run.squeezed++;
            s->step.limit = g->contacts[i].pair;
        }
    r->rk.squeezed = cti_max_int(r->rk.squeezed, g->run.squeezed);
    r->loss_damping += (double)g->ode.end[g->ode.state], r->work_script += (double)g->ode.end[g->ode.state + 1];
    r->loss_contact += (double)g->ode.end[g->ode.state + 2];
    for (i = 0; i < s->n && g->ode.pins; i++)
        r->work_pins += (double)cti_v3_dot(cti_v3_at(g->ode.end + g->ode.state + 3, i), cti_v3_at(s->scripts.v_fixed, i));
    memcpy(g->ode.y, g->ode.end, sizeof(ct_real) * (size_t)g->ode.state);
    r->rk.accepted++;
    r->rk.dt_history[at] = h;
    r->rk.dt_least = r->rk.accepted == 1 ? h : cti_min(r->rk.dt_least, h), r->rk.dt_most = cti_max(r->rk.dt_most, h);
    *out = h;
    return 1;
}

/* ---- the step ---- */

/* records the depths of contacts at the end of the step */
static void cti_explicit_deepest(cti_state *s, const cti_explicit_contact *contacts, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    int i;
    for (i = 0; i < CTI_LEN(contacts); i++) {
        r->penetration = cti_max(r->penetration, -contacts[i].d);
        g->run.deep += contacts[i].d < -s->desc.rk.penetration * contacts[i].scale;
    }
}

/* finds the contacts at the end of the step, moves them back, and records the deepest of all that are there after it: the move back may push nodes
   behind other surfaces, with which the step has no contact. 0: out of memory */
static int cti_explicit_detect_last(cti_state *s, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    double clock;
    if (!cti_explicit_detect(s, 1, r))
        return 0;
    cti_explicit_deepest(s, g->contacts, r);
    if (!g->run.moved)
        return 1;
    clock = cti_state_clock(s);
    cti_explicit_place(s, g->ode.y, g->run.t);
    if (!cti_explicit_find_at_end(s, g->ode.y, g->run.t, 0))
        return 0;
    cti_explicit_deepest(s, g->search.contacts_end, r);
    r->ms_detect += cti_state_clock(s) - clock;
    return 1;
}

/* counts pairs that intersect at the end, without vertices behind planes: these are contacts, with a depth. -1: out of memory */
static int cti_explicit_crossed(cti_state *s)
{
    const cti_surface *f = &s->surface;
    int n = cti_tangle_crossed(s), behind = 0, p, v;
    for (p = 0; p < f->n_planes; p++)
        for (v = cti_surface_facing(f, p, 0); v < f->nv; v = cti_surface_facing(f, p, v + 1))
            behind += cti_plane_gap(&f->planes[p], cti_v3_at(f->x0, v)) <= 0;
    if (n > 0)
        n -= behind;
    if (n == 0)
        memset(&s->step.limit, 0, sizeof s->step.limit);
    return n;
}

/* intersections, energies and status at the end of the step. 0: out of memory */
static int cti_explicit_finish(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_pair squeezed;
    double scale, rest = 0, gain = cti_explicit_tuned.step.gain * cti_fmin((double)s->desc.rk.tolerance, 1e-3);
    int i;
    r->contacts = CTI_LEN(s->step.impulses.touches);
    r->rows = CTI_LEN(g->contacts);
    g->run.t = (double)dt;
    if (!cti_explicit_detect_last(s, r))
        return 0;
    cti_explicit_commit(s, dt);
    squeezed = s->step.limit;
    r->tangled = cti_explicit_crossed(s);
    g->search.valid = 0; /* the trees' boxes are of these positions */
    if (r->tangled < 0)
        return 0;
    if (g->run.squeezed)
        s->step.limit = squeezed;
    r->candidates = cti_candidates_len(&g->search.vf) + CTI_LEN(g->search.ee) / 2 + cti_candidates_len(&g->search.mf);
    r->solver_iterations += g->solve.iterations;
    r->residual = (ct_real)(g->solve.natural * (double)s->desc.solver.tolerance / 1e-6);
    cti_explicit_energy(s, r);
    for (i = 0; i < s->bodies.n_models; i++)
        cti_tet_batch_assemble(&s->bodies.models[i]->tets, s->x, 0, NULL, NULL, &r->extended_elements, NULL);
    cti_report_gain(s->judge.start, r);
    /* what the tolerance allows in any frame; below it is judged by the energies that take part */
    cti_judge_refuses(s, dt, gain * g->energy_start, 0, r);
    scale = cti_explicit_account_scale(s, r);
    scale += (64 + r->rk.accepted) * (double)CTI_EPS * (fabs(r->energy_gravity) + r->energy_kinetic) / gain; /* each step rounds */
    for (i = 0; i < s->bodies.n_models; i++) { /* rounding is no error of the steps */
        scale += 64 * (double)CTI_EPS * s->energy.moduli[i] / gain;
        rest += s->energy.moduli[i] * (double)(g->rest_distance * g->rest_distance);
    }
    s->judge.coarse = !(r->energy_gained <= gain * scale);
    if (g->run.ended)
        cti_step_status(r, CT_STATUS_BUDGET);
    if ((r->tangled && s->desc.rk.edges) || g->run.forced || g->run.squeezed || r->rk.left ||
        g->run.deep || g->solve.natural > 1e-6 ||
        r->loss_contact < -gain * scale || g->run.energy_moves_back > cti_explicit_tuned.step.recovered * scale + rest ||
        r->loss_damping < -gain * scale) /* a step that blows up may be damped by less than nothing */
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    return 1;
}

/* makes the Runge-Kutta steps of a part of the step. 0: out of memory */
static int cti_explicit_substep(cti_state *s, ct_real dt, int may_cut, ct_real *need, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    double left = (double)dt, until = (double)(g->dt - s->step.left + dt);
    ct_real h = 0;
    (void)may_cut, (void)need;
    while (left > 0 && !g->run.ended) {
        int end = r->rk.accepted + r->rk.rejected < s->desc.rk.max_steps ? cti_explicit_advance_by(s, (ct_real)left, r, &h) : -1;
        if (end == 0)
            return 0;
        if (end < 0) { /* the world stands still for the rest of the step */
            g->run.ended = 1;
            g->run.forced |= r->rk.accepted + r->rk.rejected < s->desc.rk.max_steps;
            break;
        }
        left = h == (ct_real)left ? 0 : left - (double)h;
        g->run.t = until - left;
    }
    return 1;
}

/* saves what the stepper remembers, for a step that is repeated. 0: out of memory */
static int cti_explicit_keep(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_step_report now;
    int n = CTI_LEN(g->memory.held);
    if (!CTI_RESIZE(&s->prepared, g->memory_start.held, n))
        return 0;
    if (n)
        memcpy(g->memory_start.held, g->memory.held, sizeof *g->memory.held * (size_t)n);
    g->memory_start.next_length = g->memory.next_length, g->memory_start.last_length = g->memory.last_length;
    cti_explicit_energy(s, &now); /* the judge compares with these */
    g->energy_start = now.energy_kinetic + fabs(now.energy_elastic);
    return 1;
}

static void cti_explicit_take_back(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    uint64_t *held = g->memory.held;
    g->memory.held = g->memory_start.held, g->memory_start.held = held;
    g->memory.next_length = g->memory_start.next_length, g->memory.last_length = g->memory_start.last_length;
    g->search.valid = 0;
}

CTI_FN ct_code cti_explicit_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_shell q = {0, cti_explicit_tuned.step.parts, 1, cti_explicit_substep, cti_explicit_finish, cti_explicit_keep, cti_explicit_take_back,
                   cti_explicit_open, NULL};
    ct_code code;
    if (s->desc.rk.fixed_step > 0)
        q.parts = 1;
    code = cti_shell_step(s, &q, dt, r);
    if (code == CT_OK && s->judge.refused)
        cti_explicit_energy(s, r); /* the judge has elements' own pressures */
    return code;
}
