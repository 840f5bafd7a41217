/* parts.c -- when a step fails in one place, only the part there is cut into substeps. parts.h defines the terms.
   Method: components that no row and no joint connects are solved independently, so that a failure of some says nothing about others. Coupled sets
   that fail are excluded from the attempt. The rest is judged, committed and interpolated, while they are stepped through the same time in shorter
   substeps. Those whose substeps cannot be shorter are stepped alone, up to the fail-safe.
   Based on: Otaduy 2009, sec. 4 (the step is halved). differs: it is halved for the coupled sets that fail, not for the world. */
#include "parts.h"
#include "cmr_rows.h"
#include "../8_step/policy.h"
#include "../8_step/snapshot.h"
#include "../0_base/sets.h"

CTI_FN void cti_parts_rollback(cti_state *s)
{
    int c;
    s->parts.can_exclude = 0;
    s->parts.inactive = 0;
    s->parts.conflict = 0;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        q->substep.part = 0;
        q->substep.failed = 0;
        q->substep.successes = 0;
        q->substep.dt_limit = 0;
    }
}

CTI_FN void cti_parts_reset(cti_state *s)
{
    cti_parts_rollback(s);
    s->parts.coupled_known = 0;
}

CTI_FN void cti_parts_begin(cti_state *s)
{
    int c;
    s->parts.inactive = 0;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        q->substep.failed = 0;
        if (q->substep.part == CTI_PART_EXCLUDED)
            q->substep.part = 0;
        s->parts.inactive |= q->substep.part > 0;
    }
}

CTI_FN void cti_parts_fail_pair(cti_state *s, const cti_pair *pair)
{
    int k;
    for (k = 0; k < pair->n; k++) {
        int c = cti_state_component(s, pair->v[k]);
        if (c >= 0)
            s->factors.components[c].substep.failed = 1;
    }
}

CTI_FN void cti_parts_fail_gaining(cti_state *s)
{
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        int body = cti_energy_body(s, s->factors.blocks[q->begin]);
        if (body >= 0 && s->energy.gains[body])
            q->substep.failed = 1;
    }
}

/* ---- coupled sets ---- */

static void cti_parts_join_blocks(const cti_state *s, int32_t *sets, int a, int b)
{
    cti_sets_join(sets, s->factors.component_of[a], s->factors.component_of[b]);
}

/* joins all blocks of a joint's side. Returns one of them; -1: the side has none, since the world holds it */
static int cti_parts_join_side(const cti_state *s, int32_t *sets, const cti_joint_side *side)
{
    int i;
    if (side->rigid >= 0)
        return s->bodies.rigids[side->rigid].block;
    for (i = 1; i < side->n; i++)
        cti_parts_join_blocks(s, sets, side->block[i], side->block[0]);
    return side->n ? side->block[0] : -1;
}

/* joins the component with all others of its body */
static void cti_parts_join_body(const cti_state *s, int32_t *sets, const cti_component *q)
{
    int block = s->factors.blocks[q->begin], model = s->history.model_of[block], rigid = s->bodies.rigid_of[block];
    if (model >= 0)
        cti_parts_join_blocks(s, sets, block, s->history.block[model]);
    if (rigid >= 0)
        cti_parts_join_blocks(s, sets, block, s->bodies.rigids[rigid].block);
}

/* computes sets [components]: the coupled sets */
static void cti_parts_couple(cti_state *s, int32_t *sets)
{
    int i, k, n = CTI_LEN(s->factors.components);
    cti_sets_init(sets, n);
    if (s->parts.coupled_known)
        for (i = 0; i < n; i++)
            cti_sets_join(sets, i, s->parts.coupled[i]);
    for (i = 0; i < n; i++)
        cti_parts_join_body(s, sets, &s->factors.components[i]);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        for (k = 1; k < s->contact.rows[i].n; k++)
            cti_parts_join_blocks(s, sets, s->contact.rows[i].term[k].block, s->contact.rows[i].term[0].block);
    for (i = 0; i < CTI_JOINTS(s); i++) {
        int a = cti_parts_join_side(s, sets, &s->bodies.joints[i].a);
        int b = cti_parts_join_side(s, sets, &s->bodies.joints[i].b);
        if (a >= 0 && b >= 0)
            cti_parts_join_blocks(s, sets, a, b);
    }
}

/* 1 if some block of the component is not scripted in all axes */
static int cti_parts_moves(const cti_state *s, const cti_component *q)
{
    int i;
    for (i = q->begin; i < q->end; i++)
        if (!s->scripts.fixed[s->factors.blocks[i]])
            return 1;
    return 0;
}

/* ---- exclusion from an attempt ---- */

/* puts an excluded component at rest at the start of the substep */
static void cti_parts_stop(cti_state *s, cti_component *q)
{
    int i, body = cti_energy_body(s, s->factors.blocks[q->begin]);
    for (i = q->begin; i < q->end; i++) {
        int b = s->factors.blocks[i];
        cti_v3_put(s->end.v, b, cti_v3_zero());
        cti_v3_put(s->end.x, b, cti_v3_at(s->x, b));
        cti_v3_put(s->system.q, b, cti_v3_at(s->x, b));
    }
    q->solve.contact_energy = 0;
    if (body >= 0)
        cti_energy_rest(s, body);
}

/* deletes the rows of inactive components; the others keep their order */
static void cti_parts_delete_rows(cti_state *s)
{
    cti_contacts *found = &s->contact;
    int i, n = 0;
    for (i = 0; i < CTI_LEN(found->rows); i++)
        if (!cti_state_is_inactive(s, found->rows[i].term[0].block)) {
            found->rows[n] = found->rows[i];
            found->origins[n++] = found->origins[i];
        }
    if (found->rows)
        stbds_header(found->rows)->length = stbds_header(found->origins)->length = (size_t)n;
}

/* largest residual of active components: dynamics, and natural map of the islands that their rows were solved in */
static ct_real cti_parts_residual(cti_state *s, ct_real scale)
{
    ct_real big = cti_islands_dynamics(s, scale);
    int i;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        big = cti_max(big, s->factors.components[s->factors.component_of[s->contact.rows[i].term[0].block]].solve.natural);
    return big;
}

CTI_FN void cti_parts_include(cti_state *s, cti_attempt *out)
{
    int before = out->excluded;
    cti_parts_begin(s);
    out->excluded = 0;
    out->repeats_whole |= before > 0;
}

static int cti_parts_any_failed(const cti_state *s)
{
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        if (!s->factors.components[c].substep.part && s->factors.components[c].substep.failed)
            return 1;
    return 0;
}

/* failed [components]: 1 at the root of a coupled set with a failed component. Returns 1 if a component of another set moves */
static int cti_parts_judge_sets(cti_state *s, int32_t *sets, uint8_t *failed)
{
    const cti_component *q = s->factors.components;
    int c, n = CTI_LEN(q);
    for (c = 0; c < n; c++)
        if (q[c].substep.failed)
            failed[cti_sets_root(sets, c)] = 1;
    for (c = 0; c < n; c++)
        if (!q[c].substep.part && !failed[cti_sets_root(sets, c)] && cti_parts_moves(s, &q[c]))
            return 1;
    return 0;
}

CTI_FN int cti_parts_exclude(cti_state *s, ct_real dt, cti_attempt *out)
{
    cti_component *q = s->factors.components;
    int c, n = CTI_LEN(q);
    int32_t *sets;
    uint8_t *failed;
    if (!s->parts.can_exclude || !cti_parts_any_failed(s) || !cti_frame_may(&s->frame, 4 * out->work.linear)) /* two attempts more */
        return 1;
    sets = CTI_ARENA_NEW(s->arena, int32_t, n);
    failed = CTI_ARENA_ZERO(s->arena, uint8_t, n);
    if (!sets || !failed)
        return 0;
    cti_parts_couple(s, sets);
    if (!cti_parts_judge_sets(s, sets, failed)) {
        cti_parts_include(s, out);
        return 1;
    }
    s->parts.inactive = 1;
    for (c = 0; c < n; c++)
        if (!q[c].substep.part && failed[cti_sets_root(sets, c)]) {
            q[c].substep.part = CTI_PART_EXCLUDED;
            out->excluded++;
            cti_parts_stop(s, &q[c]);
        }
    cti_parts_delete_rows(s);
    cti_parts_filter(s);
    cti_parts_place(s, dt);
    out->clear = 1;
    out->gained = out->missed_rows = out->unresolved_joints = out->rotated_far = out->crushed = 0;
    out->residual = cti_parts_residual(s, cti_cmr_scale(s, dt));
    return 1;
}

/* ---- step limits ---- */

CTI_FN int cti_parts_exclude_limited(cti_state *s, ct_real dt, cti_attempt *out)
{
    int c, any = 0;
    if (!s->parts.can_exclude)
        return 1;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        q->substep.failed |= !q->substep.part && cti_policy_is_limited(&q->substep, dt);
        any |= q->substep.failed;
    }
    if (!cti_parts_exclude(s, dt, out))
        return 0;
    out->limited = any && !out->excluded;
    return 1;
}

CTI_FN int cti_parts_must_halve(const cti_state *s, ct_real dt, int can_exclude)
{
    int c, some = 0, all = 1;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *q = &s->factors.components[c];
        int limited = cti_policy_is_limited(&q->substep, dt);
        if (q->substep.part)
            continue;
        some |= limited;
        all &= limited;
    }
    return some && (all || !can_exclude);
}

CTI_FN void cti_parts_lower_limit(cti_state *s, ct_real dt, int all)
{
    int c, part = all ? 0 : CTI_PART_EXCLUDED;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (q->substep.part != part || cti_policy_is_limited(&q->substep, dt))
            continue;
        q->substep.dt_limit = dt / 2;
        q->substep.successes = 0;
    }
}

CTI_FN void cti_parts_raise_limit(cti_state *s, ct_real dt)
{
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (q->substep.part || !(q->substep.dt_limit > 0) || !cti_policy_dt_reaches(dt, q->substep.dt_limit))
            continue;
        q->substep.successes++;
        if (cti_policy_raises_limit(q->substep.successes)) { /* the cause of the failure may be over */
            q->substep.successes = 0;
            q->substep.dt_limit *= 2;
        }
    }
}

/* ---- interpolation and conflicts ---- */

/* surface of an interpolated component after a substep dt: a point of the vertex's straight line, or exactly its end */
static cti_v3 cti_parts_point(const cti_parts *p, int vertex, const cti_component *q, ct_real dt)
{
    ct_real share = (q->substep.elapsed + dt) / q->substep.interval;
    cti_v3 x0 = cti_v3_at(p->x0, vertex), x1 = cti_v3_at(p->x1, vertex);
    return cti_policy_is_end(share) ? x1 : cti_v3_mad(x0, cti_v3_sub(x1, x0), share);
}

CTI_FN void cti_parts_place(cti_state *s, ct_real dt)
{
    int i, c;
    if (!s->parts.inactive)
        return;
    for (i = 0; i < s->surface.nv; i++) {
        const cti_component *q;
        c = cti_state_component(s, i);
        if (c < 0)
            continue;
        q = &s->factors.components[c];
        if (q->substep.part == CTI_PART_EXCLUDED)
            cti_v3_put(s->surface.x1, i, cti_v3_at(s->surface.x0, i));
        else if (q->substep.part)
            cti_v3_put(s->surface.x1, i, cti_parts_point(&s->parts, i, q, dt));
    }
}

CTI_FN void cti_parts_filter(cti_state *s)
{
    int i, k, n = 0;
    if (!s->parts.inactive)
        return;
    for (i = 0; i < CTI_LEN(s->contact.hits); i++) {
        const cti_pair *pair = &s->contact.hits[i].pair;
        int excluded = 0, interpolated = 0, active = 0;
        for (k = 0; k < pair->n; k++) {
            int c = cti_state_component(s, pair->v[k]);
            int part = c >= 0 ? s->factors.components[c].substep.part : 0;
            excluded |= part == CTI_PART_EXCLUDED;
            interpolated |= part > CTI_PART_EXCLUDED;
            active |= c >= 0 && !part;
        }
        if (interpolated && active && !excluded) {
            s->parts.conflict = 1;
            cti_cmr_join_pair(s, s->parts.coupled, pair);
        }
        if (active && !interpolated && !excluded)
            s->contact.hits[n++] = s->contact.hits[i];
    }
    if (s->contact.hits)
        stbds_header(s->contact.hits)->length = (size_t)n;
}

/* ---- splits ---- */

CTI_FN int cti_parts_save(cti_state *s)
{
    cti_parts *p = &s->parts;
    int n3 = 3 * s->surface.nv, n = CTI_LEN(s->factors.components);
    if (!CTI_RESIZE(s->mem, p->coupled, n) || !CTI_RESIZE(s->mem, p->x0, n3) || !CTI_RESIZE(s->mem, p->x1, n3) ||
        !CTI_RESIZE(s->mem, p->x_start, n3) || !cti_copy_save(s, &p->start))
        return 0;
    if (!p->coupled_known)
        cti_sets_init(p->coupled, n);
    p->coupled_known = 1;
    if (n3)
        memcpy(p->x_start, s->surface.x0, sizeof(ct_real) * (size_t)n3);
    return 1;
}

CTI_FN int cti_parts_split(cti_state *s, ct_real interval, int depth)
{
    cti_parts *p = &s->parts;
    int c, i;
    for (i = 0; i < s->surface.nv; i++) {
        c = cti_state_component(s, i);
        if (c < 0 || s->factors.components[c].substep.part)
            continue;
        cti_v3_put(p->x0, i, cti_v3_at(p->x_start, i));
        cti_v3_put(p->x1, i, cti_v3_at(s->surface.x0, i));
    }
    if (s->surface.nv)
        memcpy(s->surface.x0, p->x_start, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (q->substep.part)
            cti_copy_restore(s, q, &p->start);
        if (!q->substep.part) {
            q->substep.part = CTI_PART_INTERPOLATED(depth);
            q->substep.elapsed = 0;
            q->substep.interval = interval;
        } else if (q->substep.part == CTI_PART_EXCLUDED)
            q->substep.part = 0;
    }
    return cti_copy_save(s, &p->end);
}

CTI_FN void cti_parts_advance(cti_state *s, ct_real dt)
{
    int c;
    if (!s->parts.inactive)
        return;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (q->substep.part > CTI_PART_EXCLUDED) {
            cti_copy_restore(s, q, &s->parts.end);
            q->substep.elapsed += dt;
        }
    }
}

CTI_FN void cti_parts_merge(cti_state *s, int depth)
{
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        if (s->factors.components[c].substep.part == CTI_PART_INTERPOLATED(depth))
            s->factors.components[c].substep.part = 0;
    cti_parts_begin(s);
}

