/* sleep.c -- bodies that rest are left out of steps until something comes near.
   Method: bodies that loaded contacts and joints connect are an island. One whose vertices have stayed in place for a time, and that nothing awake is
   about to reach, sleeps: the next preparation takes its bodies as a static surface where they are, without elements and pairs. Before a step the box of
   each sleeping body is compared with the boxes that awake ones will sweep, and an island that is reached wakes as a whole. So no contact ever acts on a
   sleeping body. Based on: no paper; Jolt and Box2D have the same terms. */
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

/* the box of a body, wider by its thickness and by how much it may move in dt */
static void cti_sleep_box(const ct_world *w, const cti_body *b, ct_real dt, ct_real *out)
{
    const cti_state *s = &w->state;
    cti_v3 lo = cti_v3_make(CTI_REAL_MAX, CTI_REAL_MAX, CTI_REAL_MAX), hi = cti_v3_mul(lo, -1);
    ct_real fast = 0, size, wide;
    int i, k;
    for (i = 0; i < b->n; i++) {
        cti_v3 p = cti_body_point(w, b, i);
        lo = cti_v3_make(cti_min(lo.x, p.x), cti_min(lo.y, p.y), cti_min(lo.z, p.z));
        hi = cti_v3_make(cti_max(hi.x, p.x), cti_max(hi.y, p.y), cti_max(hi.z, p.z));
        if (b->kind == CTI_BODY_KINEMATIC && dt > 0) {
            p = cti_script_point(&b->script, i, s->step.time + (double)dt, NULL);
            lo = cti_v3_make(cti_min(lo.x, p.x), cti_min(lo.y, p.y), cti_min(lo.z, p.z));
            hi = cti_v3_make(cti_max(hi.x, p.x), cti_max(hi.y, p.y), cti_max(hi.z, p.z));
        }
    }
    size = cti_v3_norm(cti_v3_sub(hi, lo));
    for (i = 0; i < b->n_blocks && b->block0 >= 0 && dt > 0; i++)
        fast = cti_max(fast, cti_v3_norm(cti_v3_at(s->v, b->block0 + i)) * (b->kind == CTI_BODY_RIGID && i == 1 ? size : 1));
    if (b->block0 >= 0)
        fast *= b->kind == CTI_BODY_RIGID ? 2 : 1, fast += dt * cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    wide = 2 * b->thickness + dt * fast;
    cti_v3_put(out, 0, lo), cti_v3_put(out, 1, hi);
    for (k = 0; k < 3; k++)
        out[k] -= wide, out[3 + k] += wide;
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
            w->n_asleep--;
            cti_sleep_changed(w);
        }
}

/* wakes what the body's box, as it is, reaches */
CTI_FN void cti_sleep_wake_near(ct_world *w, int slot)
{
    ct_real box[6];
    int i;
    if (w->n_asleep == 0 || w->bodies[slot].n == 0) {
        cti_sleep_wake(w, w->bodies[slot].n == 0 ? -1 : slot); /* a plane holds anything */
        return;
    }
    cti_sleep_wake(w, slot);
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
            if (b->asleep || !(cti_sleep_is_free(b) || b->kind == CTI_BODY_KINEMATIC))
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
        if (q->alive && q->slot[0] >= 0 && q->slot[1] >= 0 && cti_sleep_is_free(&w->bodies[q->slot[0]]) && cti_sleep_is_free(&w->bodies[q->slot[1]]))
            cti_sets_join(set, q->slot[0], q->slot[1]);
    }
}

/* 1 for a body that a pin holds, or a joint to a body that a script moves: those do not sleep */
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
    for (i = 0; i < CTI_LEN(w->joints); i++)
        for (k = 0; k < 2; k++) {
            const cti_world_joint *q = &w->joints[i];
            if (q->alive && q->slot[k] == slot && q->slot[!k] >= 0 && w->bodies[q->slot[!k]].kind == CTI_BODY_KINEMATIC)
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
        cti_v3_put(s->v, i, cti_v3_zero());
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
    int n = CTI_LEN(w->bodies), i, k, any = 0;
    int32_t *set;
    uint8_t *awake;
    if (!(w->state.desc.sleep_time > 0))
        return;
    for (i = 0; i < n; i++)
        if (cti_sleep_is_free(&w->bodies[i]) && !w->bodies[i].asleep) {
            if (!cti_sleep_watch(w, &w->bodies[i], dt))
                return; /* out of memory: bodies stay awake */
            any |= w->bodies[i].quiet >= w->state.desc.sleep_time;
        }
    if (!any || r->status > CT_STATUS_SUBSTEPPED || r->tangled > 0)
        return;
    set = CTI_ARENA_NEW(&w->arena, int32_t, n), awake = CTI_ARENA_ZERO(&w->arena, uint8_t, n);
    if (!set || !awake)
        return;
    cti_sleep_islands(w, set);
    for (i = 0; i < n; i++)
        if (cti_sleep_is_free(&w->bodies[i]) && !w->bodies[i].asleep &&
            (w->bodies[i].quiet < w->state.desc.sleep_time || cti_sleep_is_bound(w, i)))
            awake[cti_sets_root(set, i)] = 1;
    for (i = 0; i < n; i++) { /* what moves keeps those awake that it may reach */
        ct_real box[6], other[6];
        const cti_body *b = &w->bodies[i];
        if (b->asleep || !(b->kind == CTI_BODY_KINEMATIC || (cti_sleep_is_free(b) && awake[cti_sets_root(set, i)])))
            continue;
        cti_sleep_box(w, b, dt, box);
        for (k = 0; k < n; k++) {
            int32_t island = cti_sleep_is_free(&w->bodies[k]) && !w->bodies[k].asleep ? cti_sets_root(set, k) : -1;
            if (island < 0 || awake[island])
                continue;
            cti_sleep_box(w, &w->bodies[k], 0, other);
            if (cti_sleep_meet(box, other))
                awake[island] = 1, i = -1; /* from the first one on: it is awake now, too */
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
    w->slept.elastic = r->energy_elastic, w->slept.gravity = r->energy_gravity;
    memcpy(w->slept.center, r->center_of_mass, sizeof w->slept.center);
    w->slept.min_distance = (double)r->min_distance, w->slept.thickness_kept = (double)r->thickness_kept, w->slept.joint_error = (double)r->joint_error;
    cti_sleep_changed(w);
}

CTI_FN void cti_sleep_pass(ct_world *w, ct_real dt, ct_step_report *out_report)
{
    ct_step_report r;
    w->state.step.time += (double)dt;
    cti_world_tell_nothing(w);
    memset(&r, 0, sizeof r);
    r.status = CT_STATUS_OK, r.substeps = 1, r.limit.vertices_a[0] = -1;
    r.energy_elastic = w->slept.elastic, r.energy_gravity = w->slept.gravity;
    memcpy(r.center_of_mass, w->slept.center, sizeof r.center_of_mass);
    r.min_distance = (ct_real)w->slept.min_distance, r.thickness_kept = (ct_real)w->slept.thickness_kept, r.joint_error = (ct_real)w->slept.joint_error;
    if (out_report)
        *out_report = r;
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
