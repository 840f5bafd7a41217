/* sleep.c -- bodies that rest are left out of steps until something comes near.
   Method: bodies that loaded contacts and joints connect are an island. One whose vertices have stayed in place for a time, and that nothing awake is
   about to reach, sleeps: the next preparation takes its bodies as a static surface where they are, without elements and pairs. Before a step the box
   of each sleeping body is compared with the boxes that awake ones will sweep, and an island that is reached wakes as a whole. Where a contact has
   loaded a sleeping body after all, its island wakes, and the step is made once more. Based on: no paper; Jolt and Box2D have the same terms. */
#include "sleep.h"
#include "../0_base/sets.h"

/* box [6]: lo, hi */
static int cti_sleep_meet(const ct_real *a, const ct_real *b)
{
    int k;
    for (k = 0; k < 3; k++)
        if (a[k] > b[3 + k] || b[k] > a[3 + k])
            return 0;
    return 1;
}

/* 1 for a body that moves by forces */
static int cti_sleep_is_free(const cti_body *b) { return b->kind != CTI_BODY_FREE && b->block0 >= 0; }

/* grows a box [6] so that it holds p */
static void cti_sleep_hold(ct_real *box, cti_v3 p)
{
    ct_real x[3];
    int k;
    cti_v3_put(x, 0, p);
    for (k = 0; k < 3; k++)
        box[k] = cti_min(box[k], x[k]), box[3 + k] = cti_max(box[3 + k], x[k]);
}

/* [m] how much the speeds of a body, gravity and forces may move its vertices in dt; size: of its box */
static ct_real cti_sleep_way(const ct_world *w, const cti_body *b, ct_real size, ct_real dt)
{
    const cti_state *s = &w->state;
    ct_real most = 0;
    int i;
    for (i = b->block0; i < b->block0 + b->n_blocks; i++) {
        ct_real lever = b->kind == CTI_BODY_RIGID && i > b->block0 ? size : 1, v = cti_v3_norm(cti_v3_at(s->v, i)) * lever;
        v += s->bodies.inv_mass[i] * cti_v3_norm(cti_v3_mad(cti_v3_at(s->bodies.owed, i), cti_v3_at(s->bodies.force, i), dt));
        if (lever != 1) /* a torque: the least moment of inertia is not below this of a rod */
            v += dt * lever * cti_v3_norm(cti_v3_at(s->bodies.force, i)) * s->bodies.inv_mass[b->block0] /
                 cti_max(size * size / 1000, CTI_REAL_LEAST);
        most = b->kind == CTI_BODY_RIGID ? most + v : cti_max(most, v);
    }
    return dt * (most + dt * (1 + cti_abs(b->gravity_scale)) * cti_v3_norm(cti_v3_at(s->desc.gravity, 0)));
}

/* the box [6] of a body, wider by its thickness, and by how it may move in dt */
static void cti_sleep_box(const ct_world *w, const cti_body *b, ct_real dt, ct_real *out)
{
    const cti_state *s = &w->state;
    ct_real wide = 2 * b->thickness;
    int i, k;
    for (k = 0; k < 3; k++)
        out[k] = CTI_REAL_MAX, out[3 + k] = -CTI_REAL_MAX;
    for (i = 0; i < b->n; i++) {
        cti_sleep_hold(out, cti_body_point(w, b, i));
        for (k = 1; b->kind == CTI_BODY_KINEMATIC && dt > 0 && k <= 4; k++) /* a rotation leaves the box of its ends */
            cti_sleep_hold(out, cti_script_point(&b->script, i, s->step.time + (double)dt * k / 4, NULL));
    }
    for (i = 0; dt > 0 && b->block0 >= 0 && i < CTI_LEN(s->scripts.pins); i++) {
        const cti_pin *p = &s->scripts.pins[i];
        if (p->block >= b->block0 && p->block < b->block0 + b->n_blocks)
            cti_sleep_hold(out, cti_script_follow(s->scripts.path + p->path, p->n_path, cti_v3_at(p->start, 0),
                                                 s->step.time + (double)dt - p->t0, NULL));
    }
    if (dt > 0 && b->block0 >= 0)
        wide += cti_sleep_way(w, b, cti_v3_norm(cti_v3_sub(cti_v3_at(out, 1), cti_v3_at(out, 0))), dt);
    for (k = 0; k < 3; k++)
        out[k] -= wide, out[3 + k] += wide;
}

/* 1 for a kinematic body that its script moves in a step of dt */
static int cti_sleep_is_driven(const ct_world *w, const cti_body *b, ct_real dt)
{
    double t = w->state.step.time;
    int i, moves = 0;
    for (i = 0; b->kind == CTI_BODY_KINEMATIC && !moves && i < b->n; i++) {
        cti_v3 way = cti_v3_sub(cti_script_point(&b->script, i, t + (double)dt, NULL), cti_body_point(w, b, i));
        moves = cti_v3_norm2(way) > 0;
    }
    return moves;
}

/* the prepared data have other bodies asleep */
static void cti_sleep_changed(ct_world *w) { w->ready = w->prepared = 0; }

CTI_FN void cti_sleep_wake(ct_world *w, int slot)
{
    int i, island = slot < 0 ? 0 : w->bodies[slot].asleep;
    if (slot >= 0)
        w->bodies[slot].quiet = 0;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].asleep && (slot < 0 || w->bodies[i].asleep == island)) {
            w->bodies[i].asleep = 0, w->bodies[i].quiet = 0;
            w->bodies[i].unsearched = 1; /* as long as it slept, it was not searched against static bodies and others that slept */
            w->n_asleep--;
            cti_sleep_changed(w);
        }
}

/* wakes what the body's box, as it is, reaches */
CTI_FN void cti_sleep_wake_near(ct_world *w, int slot)
{
    ct_real box[6];
    int i;
    if (w->n_asleep == 0)
        return;
    cti_sleep_wake(w, w->bodies[slot].n == 0 ? -1 : slot); /* a plane holds anything */
    if (w->bodies[slot].n == 0)
        return;
    cti_sleep_box(w, &w->bodies[slot], 0, box);
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].asleep && cti_sleep_meet(box, w->bodies[i].box))
            cti_sleep_wake(w, i);
}

CTI_FN int cti_sleep_open(ct_world *w, ct_real dt)
{
    int i, k, busy = 0, woke = 1;
    if (w->n_asleep == 0)
        return 0;
    while (woke) { /* a body that wakes has a speed of 0, and reaches only what is within twice its thickness */
        for (i = woke = busy = 0; i < CTI_LEN(w->bodies); i++) {
            const cti_body *b = &w->bodies[i];
            ct_real box[6];
            if (b->asleep || !(cti_sleep_is_free(b) || cti_sleep_is_driven(w, b, dt)))
                continue;
            busy = 1;
            cti_sleep_box(w, b, dt, box);
            for (k = 0; k < CTI_LEN(w->bodies); k++)
                if (w->bodies[k].asleep && cti_sleep_meet(box, w->bodies[k].box)) {
                    cti_sleep_wake(w, k);
                    woke = 1;
                }
        }
    }
    return !busy && w->n_asleep > 0;
}

CTI_FN int cti_sleep_reached(ct_world *w)
{
    const cti_touch *t = w->state.history.impulses.touches;
    int i, k, woke = 0;
    for (i = 0; i < CTI_LEN(t) && w->n_asleep > 0; i++)
        for (k = 0; k < 2; k++) {
            int slot = w->surface_slot[(k ? cti_pair_body_b : cti_pair_body_a)(&w->state.surface, &t[i].pair)];
            if (w->bodies[slot].asleep) {
                cti_sleep_wake(w, slot);
                woke = 1;
            }
        }
    return woke;
}

CTI_FN void cti_sleep_report(const ct_world *w, ct_step_report *r)
{
    int i;
    for (i = 0; i < CTI_LEN(w->bodies) && w->n_asleep > 0; i++)
        if (w->bodies[i].asleep && cti_body_has_model(&w->bodies[i]))
            r->energy_elastic += w->bodies[i].asleep_energy.elastic, r->energy_gravity += w->bodies[i].asleep_energy.gravity;
}

/* how long the vertices of a body have stayed where they are, and not moved fast. 0: out of memory */
static int cti_sleep_watch(ct_world *w, cti_body *b, ct_real dt)
{
    const ct_real bound = w->state.desc.sleep_speed;
    ct_real most = 0, way = (ct_real)((double)bound * w->state.desc.sleep_time);
    int i, known = CTI_LEN(b->anchor) > 0;
    if (!known && !CTI_RESIZE(&w->mem, b->anchor, 6 * b->n))
        return 0;
    for (i = 0; i < b->n; i++) { /* where the vertex was when it came to rest, and a step ago */
        cti_v3 p = cti_body_point(w, b, i);
        if (known)
            most = cti_max(most, cti_max(cti_v3_norm(cti_v3_sub(p, cti_v3_at(b->anchor, i))) / way,
                                         cti_v3_norm(cti_v3_sub(p, cti_v3_at(b->anchor, b->n + i))) / (dt * bound)));
        cti_v3_put(b->anchor, b->n + i, p);
    }
    if (!known || !(most < 1)) {
        memcpy(b->anchor, b->anchor + 3 * b->n, sizeof *b->anchor * 3 * (size_t)b->n);
        b->quiet = 0;
    } else
        b->quiet += (double)dt;
    return 1;
}

/* joins the bodies of islands; set [slots] */
static void cti_sleep_islands(const ct_world *w, int32_t *set)
{
    const cti_touch *t = w->state.history.impulses.touches;
    const cti_surface *f = &w->state.surface;
    int i;
    cti_sets_init(set, CTI_LEN(w->bodies));
    for (i = 0; i < CTI_LEN(t); i++) {
        int a = w->surface_slot[cti_pair_body_a(f, &t[i].pair)], b = w->surface_slot[cti_pair_body_b(f, &t[i].pair)];
        if (cti_sleep_is_free(&w->bodies[a]) && cti_sleep_is_free(&w->bodies[b]))
            cti_sets_join(set, a, b);
    }
    for (i = 0; i < CTI_LEN(w->joints); i++) {
        const cti_world_joint *q = &w->joints[i];
        if (cti_joint_acts(q) && q->slot[0] >= 0 && q->slot[1] >= 0 &&
            cti_sleep_is_free(&w->bodies[q->slot[0]]) && cti_sleep_is_free(&w->bodies[q->slot[1]]))
            cti_sets_join(set, q->slot[0], q->slot[1]);
    }
}

/* 1 for a body that something may begin to move at any time, and so does not sleep: a pin, a target of a skin on its way, a field of wind, a joint to
   a body that a script moves */
static int cti_sleep_is_bound(const ct_world *w, int slot)
{
    const cti_body *b = &w->bodies[slot];
    const cti_scripts *c = &w->state.scripts;
    int i, k;
    for (i = 0; i < CTI_LEN(c->pins); i++)
        if (c->pins[i].block >= b->block0 && c->pins[i].block < b->block0 + b->n_blocks)
            return 1;
    for (i = 0; i < CTI_LEN(c->directions); i++)
        if (c->directions[i].block >= b->block0 && c->directions[i].block < b->block0 + b->n_blocks)
            return 1;
    for (i = 0; i < CTI_LEN(c->tethers); i++)
        if (c->tethers[i].block >= b->block0 && c->tethers[i].block < b->block0 + b->n_blocks &&
            w->state.step.time < c->tethers[i].t0 + c->tethers[i].span)
            return 1;
    if (w->state.desc.wind_field && cti_body_is_in_air(b))
        return 1;
    for (i = 0; i < CTI_LEN(w->joints); i++)
        for (k = 0; k < 2; k++) {
            const cti_world_joint *q = &w->joints[i];
            if (cti_joint_acts(q) && q->slot[k] == slot && q->slot[!k] >= 0 && w->bodies[q->slot[!k]].kind == CTI_BODY_KINEMATIC)
                return 1;
        }
    return 0;
}

/* puts a body to sleep where it is */
static void cti_sleep_body(ct_world *w, int slot, int island)
{
    cti_state *s = &w->state;
    cti_body *b = &w->bodies[slot];
    int i, k;
    b->asleep = island;
    w->n_asleep++;
    memset(&b->asleep_energy, 0, sizeof b->asleep_energy);
    if (cti_body_has_model(b))
        b->asleep_energy.elastic = cti_model_energy(&b->model, s->x);
    for (i = b->block0; i < b->block0 + b->n_blocks; i++) {
        cti_v3_put(s->v, i, cti_v3_zero()), cti_v3_put(s->bodies.owed, i, cti_v3_zero());
        s->history.fall[i].owed = s->history.fall[i].share = 0;
        for (k = 0; k < 3; k++)
            b->asleep_energy.gravity -= (double)(s->bodies.mass[i] * s->desc.gravity[k]) * (double)s->x[3 * i + k];
    }
    if (b->rigid >= 0) {
        cti_v3_put(s->bodies.rigids[b->rigid].spin, 0, cti_v3_zero());
        s->bodies.rigids[b->rigid].linked = s->bodies.rigids[b->rigid].linkage_mode = 0;
    }
    cti_sleep_box(w, b, 0, b->box);
}

CTI_FN void cti_sleep_close(ct_world *w, ct_real dt, const ct_step_report *r)
{
    int n = CTI_LEN(w->bodies), i, k, any = 0, more = 1;
    int32_t *set;
    uint8_t *awake, *state;
    ct_real *boxes;
    if (!(w->state.desc.sleep_time > 0))
        return;
    for (i = 0; i < n; i++)
        if (cti_sleep_is_free(&w->bodies[i]) && !w->bodies[i].asleep) {
            if (!cti_sleep_watch(w, &w->bodies[i], dt))
                return; /* out of memory: bodies stay awake */
            any |= w->bodies[i].quiet >= w->state.desc.sleep_time;
        }
    /* a bound of the step ends the solves of other islands, too */
    if (!any || r->status > (cti_frame_is_bound(&w->state.frame) ? CT_STATUS_BUDGET : CT_STATUS_SUBSTEPPED) || r->tangled > 0 || r->penetration > 0)
        return;
    set = CTI_ARENA_NEW(&w->arena, int32_t, n), awake = CTI_ARENA_ZERO(&w->arena, uint8_t, n);
    boxes = CTI_ARENA_NEW(&w->arena, ct_real, 6 * (size_t)n), state = CTI_ARENA_ZERO(&w->arena, uint8_t, n);
    if (!set || !awake || !boxes || !state)
        return;
    cti_sleep_islands(w, set);
    for (i = 0; i < n; i++)
        if (cti_sleep_is_free(&w->bodies[i]) && !w->bodies[i].asleep &&
            (w->bodies[i].quiet < w->state.desc.sleep_time || cti_sleep_is_bound(w, i)))
            awake[cti_sets_root(set, i)] = 1;
    for (i = 0; i < n; i++) { /* states: 0 may sleep; 1 moves, and may reach others; 2 has been asked what it reaches */
        const cti_body *b = &w->bodies[i];
        int is = cti_sleep_is_free(b) && !b->asleep;
        state[i] = (uint8_t)(is ? awake[cti_sets_root(set, i)] : b->kind == CTI_BODY_KINEMATIC && cti_sleep_is_driven(w, b, dt) ? 1 : 3);
        if (state[i] < 2)
            cti_sleep_box(w, b, state[i] ? dt : 0, boxes + 6 * i);
    }
    while (more) { /* what moves keeps islands awake that it may reach, and these others */
        for (more = i = 0; i < n; i++) {
            if (state[i] != 1)
                continue;
            for (k = 0, state[i] = 2, more = 1; k < n; k++)
                if (state[k] == 0 && cti_sleep_meet(boxes + 6 * i, boxes + 6 * k))
                    awake[cti_sets_root(set, k)] = 1;
            for (k = 0; k < n; k++)
                if (state[k] == 0 && awake[cti_sets_root(set, k)])
                    state[k] = 1;
        }
    }
    for (i = 0; i < n; i++)
        if (cti_sleep_is_free(&w->bodies[i]) && !w->bodies[i].asleep && !awake[cti_sets_root(set, i)]) {
            cti_sleep_body(w, i, cti_sets_root(set, i) + 1 + n * (int)(w->n_slept % 1000));
            any = 2;
        }
    if (any != 2)
        return;
    w->n_slept++;
    w->slept.min_distance = (double)r->min_distance, w->slept.thickness_kept = (double)r->thickness_kept;
    w->slept.joint_error = (double)r->joint_error;
    cti_sleep_changed(w);
}

CTI_FN ct_code cti_sleep_pass(ct_world *w, ct_real dt, ct_step_report *out_report)
{
    ct_step_report r;
    const cti_state *s = &w->state;
    double mass = 0;
    int i, k;
    if (!cti_world_tell_removed(w))
        return cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory; the world is as it was");
    w->state.step.time += (double)dt;
    memset(&r, 0, sizeof r);
    r.status = CT_STATUS_OK, r.substeps = 1, r.limit.vertices_a[0] = -1;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].asleep)
            r.energy_elastic += w->bodies[i].asleep_energy.elastic, r.energy_gravity += w->bodies[i].asleep_energy.gravity;
    for (i = 0; i < s->n; i++) {
        mass += (double)s->bodies.mass[i];
        for (k = 0; k < 3; k++)
            r.center_of_mass[k] += (double)s->bodies.mass[i] * (double)s->x[3 * i + k];
    }
    for (k = 0; k < 3; k++)
        r.center_of_mass[k] /= mass;
    r.min_distance = (ct_real)w->slept.min_distance, r.thickness_kept = (ct_real)w->slept.thickness_kept;
    r.joint_error = (ct_real)w->slept.joint_error;
    if (out_report)
        *out_report = r;
    return CT_OK;
}

CONTACT_API_DEF int ct_body_is_asleep(const ct_world *w, ct_body_id body)
{
    int slot = cti_world_slot(w, body);
    return slot >= 0 && w->bodies[slot].asleep != 0;
}

CONTACT_API_DEF ct_code ct_body_wake(ct_world *w, ct_body_id body)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_world_find(w, body, &code);
    if (b)
        cti_sleep_wake(w, (int)(b - w->bodies));
    return code;
}
