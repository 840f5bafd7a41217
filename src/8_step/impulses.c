/* impulses.c -- impulses of a whole step.
   Method: each substep adds its multipliers when it is committed. A contact is found again by its key. A sum is a vector in world axes,
   which is rotated into the axes of the last substep that loaded the contact; so the sum over all contacts is the momentum that they
   exchanged. A pin's reaction is what is missing in the unfiltered equation A v = b + J' r at its block, in the directions that the pin
   holds. Sums are stored twice: those of the current step replace the others when the step is done, so that an undone step leaves no trace.
   Based on: no paper. */
#include "impulses.h"
#include "../0_base/keys.h"
#include "../0_base/sort.h"
#include "integrate.h"
#include "linkage.h"
#include "spins.h"

CTI_FN int cti_impulses_reserve(cti_state *s)
{
    return CTI_RESIZE(s->mem, s->history.impulses.pins, 3 * s->n) && CTI_RESIZE(s->mem, s->step.impulses.pins, 3 * s->n);
}

CTI_FN void cti_impulses_clear(cti_impulses *q)
{
    CTI_CLEAR(q->touches);
    cti_memory_clear(&q->joints);
    if (q->pins)
        memset(q->pins, 0, sizeof *q->pins * (size_t)CTI_LEN(q->pins));
}

CTI_FN void cti_impulses_begin(cti_state *s) { cti_impulses_clear(&s->step.impulses); }

CTI_FN int cti_impulses_merge(cti_state *s)
{
    cti_touch *list = s->step.impulses.touches, *from;
    int i, n = CTI_LEN(list), kept = 0;
    uint64_t *keys = CTI_ARENA_NEW(s->arena, uint64_t, 2 * (size_t)n + 1);
    int32_t *order = CTI_ARENA_NEW(s->arena, int32_t, 2 * (size_t)n + 1);
    from = CTI_ARENA_NEW(s->arena, cti_touch, n + 1);
    if (!keys || !order || !from)
        return 0;
    if (n == 0)
        return 1;
    memcpy(from, list, sizeof *from * (size_t)n);
    for (i = 0; i < n; i++)
        keys[i] = list[i].key, order[i] = i;
    cti_sort_u64(keys, order, keys + n, order + n, n);
    for (i = 0; i < n; i++) {
        const cti_touch *t = &from[order[i]];
        if (kept > 0 && list[kept - 1].key == t->key) {
            cti_v3 before = cti_m3_mul_tv(list[kept - 1].frame, cti_v3_at(list[kept - 1].r, 0)), own = cti_v3_at(t->r, 0);
            list[kept - 1] = *t;
            cti_v3_put(list[kept - 1].r, 0, cti_v3_add(own, cti_m3_mul_v(t->frame, before)));
        } else
            list[kept++] = *t;
    }
    stbds_header(list)->length = (size_t)kept;
    return 1;
}

CTI_FN void cti_impulses_swap(cti_state *s)
{
    cti_impulses q = s->history.impulses;
    if (s->scripts.still)
        return;
    s->history.impulses = s->step.impulses;
    s->step.impulses = q;
}

/* ---- contacts and joints ---- */

/* the place of a key in the index */
static int32_t *cti_impulses_at(const cti_impulses_index *x, const cti_touch *list, uint64_t key)
{
    return cti_keys_at(x->at, x->size, &list->key, sizeof *list, key);
}

CTI_FN int cti_impulses_open(cti_state *s, int more, cti_impulses_index *x)
{
    int i, n = CTI_LEN(s->step.impulses.touches);
    if (!CTI_RESERVE(s->mem, s->step.impulses.touches, n + more))
        return 0;
    x->size = cti_keys_size(n + more);
    x->at = CTI_ARENA_ZERO(s->arena, int32_t, x->size);
    for (i = 0; x->at && i < n; i++)
        *cti_impulses_at(x, s->step.impulses.touches, s->step.impulses.touches[i].key) = i + 1;
    return x->at != NULL;
}

CTI_FN void cti_impulses_touch(cti_impulses *q, const cti_impulses_index *x, const cti_touch *touch)
{
    int32_t *at = cti_impulses_at(x, q->touches, touch->key);
    cti_touch *t;
    cti_v3 before;
    if (!*at) {
        q->touches[stbds_header(q->touches)->length++] = *touch;
        *at = CTI_LEN(q->touches);
        return;
    }
    t = &q->touches[*at - 1];
    before = cti_m3_mul_tv(t->frame, cti_v3_at(t->r, 0));
    *t = *touch;
    cti_v3_put(t->r, 0, cti_v3_add(cti_v3_at(touch->r, 0), cti_m3_mul_v(touch->frame, before)));
}

CTI_FN void cti_impulses_of(const cti_surface *f, const cti_pair *pair, cti_v3 normal, cti_v3 impulse, cti_touch *out)
{
    cti_v3 t1, t2;
    memset(out, 0, sizeof *out);
    out->pair = *pair, out->key = cti_pair_key(f, pair);
    cti_v3_tangents(normal, &t1, &t2);
    cti_v3_put(out->frame, 0, normal), cti_v3_put(out->frame, 1, t1), cti_v3_put(out->frame, 2, t2);
    cti_v3_put(out->r, 0, cti_m3_mul_v(out->frame, impulse));
}

CTI_FN void cti_impulses_work(const ct_real *J, const ct_real *u, const ct_real *script, int lifts, ct_step_report *r)
{
    double work[3];
    int k;
    for (k = 0; k < 3; k++) {
        work[k] = (double)J[k] * (double)u[k];
        r->work_script -= (double)J[k] * (double)script[k];
    }
    if (lifts && work[0] > 0)
        r->work_recovery += work[0], work[0] = 0;
    r->loss_contact -= work[0] + work[1] + work[2];
}

CTI_FN void cti_impulses_along(const cti_surface *f, const cti_touch *t, ct_real h, const ct_real *script, ct_step_report *r)
{
    ct_real u[3];
    cti_v3 way = cti_pair_with_belts(f, &t->pair, cti_v3_at(t->frame, 0), h, cti_pair_way(f, &t->pair));
    cti_v3_put(u, 0, cti_m3_mul_v(t->frame, cti_v3_mul(way, 1 / h)));
    cti_impulses_work(t->r, u, script, cti_v3_dot(cti_v3_at(t->frame, 0), cti_pair_offset(f, f->x0, &t->pair)) < t->thickness, r);
}

CTI_FN void cti_impulses_make(const cti_state *s, const cti_row *row, const cti_contact_row *origin, cti_touch *out)
{
    memset(out, 0, sizeof *out);
    out->key = row->key;
    out->pair = origin->pair;
    out->thickness = cti_pair_thickness(&s->surface, &origin->pair);
    out->sticking = cti_rows_sticks(s->desc.solver.cone, row);
    memcpy(out->frame, row->frame, sizeof out->frame);
    cti_v3_put(out->r, 0, cti_v3_at(row->r, 0));
}

CTI_FN int cti_impulses_joint(cti_state *s, uint64_t key, cti_v3 r)
{
    const cti_memory_item *m = cti_memory_find(&s->step.impulses.joints, key);
    cti_memory_item item;
    memset(&item, 0, sizeof item);
    item.key = key, item.dt = s->step.dt;
    cti_v3_put(item.impulse, 0, m ? cti_v3_add(r, cti_v3_at(m->impulse, 0)) : r);
    return cti_memory_add(s->mem, &s->step.impulses.joints, &item);
}

/* ---- pins ---- */

/* 1 if pins or directions constrain a block */
static int cti_impulses_is_pinned(const cti_state *s, int i)
{
    return s->scripts.filter[i] >= 0 && !s->scripts.held[i] && !cti_state_is_inactive(s, i);
}

CTI_FN int cti_impulses_keep(cti_state *s)
{
    cti_system *sys = &s->system;
    cti_reactions *q = &s->scripts.reactions;
    int i, k, size = 0, n = 0;
    CTI_CLEAR(q->blocks);
    for (i = 0; s->scripts.n_constrained && !s->scripts.still && i < s->n; i++)
        if (cti_impulses_is_pinned(s, i))
            n++, size += 9 * (sys->A.row[i + 1] - sys->A.row[i]) + 3;
    if (n == 0)
        return 1;
    if (!CTI_RESERVE(s->mem, q->blocks, n) || !CTI_RESIZE(s->mem, q->values, size))
        return 0;
    for (i = size = 0; i < s->n; i++)
        if (cti_impulses_is_pinned(s, i)) {
            k = 9 * (sys->A.row[i + 1] - sys->A.row[i]);
            CTI_PUSH(s->mem, q->blocks, i);
            memcpy(q->values + size, sys->A.val + 9 * (size_t)sys->A.row[i], sizeof(ct_real) * (size_t)k);
            memcpy(q->values + size + k, sys->b + 3 * (size_t)i, sizeof(ct_real) * 3);
            size += k + 3;
        }
    return 1;
}

/* out += weight times impulse if a script constrains the block */
static void cti_impulses_give(const cti_state *s, int block, ct_real weight, cti_v3 impulse, ct_real *out)
{
    if (s->scripts.filter[block] >= 0)
        cti_v3_addto(out, block, cti_v3_mul(impulse, weight));
}

/* impulses of rows on constrained blocks, including fixed blocks, which have no term in the rows; out [3 n] */
static void cti_impulses_received(const cti_state *s, ct_real *out)
{
    int i, k, j;
    for (i = 0; i < CTI_LEN(s->scripts.reactions.blocks); i++)
        cti_v3_put(out, s->scripts.reactions.blocks[i], cti_v3_zero());
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_pair *p = &s->contact.origins[i].pair;
        cti_v3 r = cti_m3_mul_tv(s->contact.rows[i].frame, cti_v3_at(s->contact.rows[i].r, 0));
        const cti_joint *q = cti_joints_of(s, i);
        if (q) {
            for (j = 0; j < q->a.n; j++)
                cti_impulses_give(s, q->a.block[j], q->a.weight[j], r, out);
            for (j = 0; j < q->b.n; j++)
                cti_impulses_give(s, q->b.block[j], -q->b.weight[j], r, out);
            continue;
        }
        if (s->contact.origins[i].tether)
            cti_impulses_give(s, s->contact.rows[i].term[0].block, 1, r, out);
        for (k = 0; k < p->n; k++) {
            const cti_attach *a = cti_surface_attach(&s->surface, p->v[k]);
            for (j = 0; a->frame < 0 && j < a->n; j++)
                cti_impulses_give(s, a->block[j], p->w[k] * a->weight[j], r, out);
        }
    }
}

CTI_FN const ct_real *cti_impulses_reactions(cti_state *s, ct_real dt)
{
    cti_scripts *scripts = &s->scripts;
    ct_real *received = s->system.work, *out = received + 3 * (size_t)s->n;
    const ct_real *value = scripts->reactions.values;
    int i, k;
    cti_impulses_received(s, received);
    for (i = 0; i < CTI_LEN(scripts->reactions.blocks); i++) {
        int b = scripts->reactions.blocks[i];
        cti_v3 sum = cti_v3_zero();
        for (k = s->system.A.row[b]; k < s->system.A.row[b + 1]; k++, value += 9)
            sum = cti_v3_add(sum, cti_m3_mul_v(value, cti_v3_at(s->end.v, s->system.A.col[k])));
        sum = cti_integrate_reaction(s, b, dt, cti_v3_sub(sum, cti_v3_at(value, 0)));
        value += 3;
        sum = cti_v3_sub(sum, cti_v3_at(received, b));
        cti_v3_put(out, b, scripts->filter[b] >= 0 ? cti_v3_sub(sum, cti_state_free(s, b, sum)) : cti_v3_zero());
    }
    return out;
}

CTI_FN cti_v3 cti_impulses_borne(const cti_state *s, int block)
{
    cti_v3 r = cti_v3_at(s->system.work, block);
    return s->scripts.filter[block] >= 0 ? cti_v3_sub(r, cti_state_free(s, block, r)) : cti_v3_zero();
}

static void cti_impulses_pins(cti_state *s, ct_real dt)
{
    const ct_real *reaction;
    int i;
    if (CTI_LEN(s->scripts.reactions.blocks) == 0)
        return;
    reaction = cti_impulses_reactions(s, dt);
    for (i = 0; i < CTI_LEN(s->scripts.reactions.blocks); i++)
        if (!cti_state_is_inactive(s, s->scripts.reactions.blocks[i])) /* an active one: others were excluded since */
            cti_v3_addto(s->step.impulses.pins, s->scripts.reactions.blocks[i], cti_v3_at(reaction, s->scripts.reactions.blocks[i]));
}

/* ---- a substep ---- */

CTI_FN int cti_impulses_add(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_impulses_index x;
    int i, n = CTI_LEN(s->contact.rows);
    if (s->scripts.still)
        return 1;
    if (!cti_impulses_open(s, n, &x))
        return 0;
    for (i = 0; i < n; i++) {
        const cti_row *row = &s->contact.rows[i];
        const cti_contact_row *origin = &s->contact.origins[i];
        cti_touch t;
        if (cti_joints_of(s, i) && !cti_impulses_joint(s, row->key, cti_linkage_impulse(s, i)))
            return 0;
        if (origin->spin < 0 && r)
            cti_spins_work(s, row, r);
        if (origin->joint || origin->tether || origin->spin < 0 || !(row->r[0] > 0))
            continue;
        cti_impulses_make(s, row, origin, &t);
        if (r)
            cti_impulses_along(&s->surface, &t, dt, origin->script, r);
        if (!origin->repair)
            cti_impulses_touch(&s->step.impulses, &x, &t);
    }
    cti_impulses_pins(s, dt);
    return 1;
}
