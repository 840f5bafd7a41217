/* tethers.c -- unilateral limits of nodes against moving targets.
   Method: a node x with the target p and the normal m has two limits. It stays within a ball, g = max - |x - p| >= 0, and on one side of the
   backstop, a sphere of radius R, or a half-space, whose surface is a distance d behind p: g = |x - p + (d + R) m| - R >= 0, or m . (x - p) + d >= 0.
   Each that matters is a row without friction, g(x1) >= 0 linearized at the tentative end and at the targets there, again in every round. The row
   gives way around its impulse r0 of the last step, u + c (r - r0) >= 0, by little: so what it bears at rest does not shift it. Where contacts leave
   no room a limit stays violated, and its force must not grow: so with a violation c grows to the inverse of the body's mass over the number of its
   violated limits, and r0 falls to half. A body that hangs is still borne then, and less and less violates its limits. A violation is made up for at
   the world's recovery speed at most.
   Based on: no paper; the limits are those of NvCloth (motion and separation constraints) and of Jolt's skinned constraints. */
#include "tethers.h"
#include "policy.h"

CTI_FN cti_v3 cti_tethers_target(const cti_tether *t, double time)
{
    double share = t->span > 0 ? (time - t->t0) / t->span : 1;
    cti_v3 from = cti_v3_at(t->from, 0), to = cti_v3_at(t->to, 0);
    if (!(share < 1))
        return to;
    return cti_v3_mad(from, cti_v3_sub(to, from), (ct_real)(share > 0 ? share : 0));
}

/* 1 if a target has this limit: 0 the distance, 1 the backstop */
static int cti_tether_has(const cti_tether *t, int kind) { return (kind ? t->radius : t->max_distance) >= 0; }

/* g at the place x of the node, with the target p; *n: the direction in which it grows */
static ct_real cti_tether_gap(const cti_tether *t, int kind, cti_v3 p, cti_v3 x, cti_v3 *n)
{
    cti_v3 m = cti_v3_at(t->normal, 0), d = cti_v3_sub(x, p), e;
    if (kind == 0) {
        *n = cti_v3_mul(cti_v3_unit(d, m), -1);
        return t->max_distance - cti_v3_norm(d);
    }
    d = cti_v3_mad(d, m, t->behind), e = cti_v3_mad(d, m, t->radius);
    *n = t->radius > 0 ? cti_v3_unit(e, m) : m;
    if (t->radius == 0)
        return cti_v3_dot(m, d);
    /* |e| - R, without its cancellation */
    return (cti_v3_norm2(d) + 2 * t->radius * cti_v3_dot(m, d)) / (cti_v3_norm(e) + t->radius);
}

/* g when the substep begins */
static ct_real cti_tether_start(const cti_state *s, const cti_tether *t, int kind)
{
    cti_v3 n;
    return cti_tether_gap(t, kind, cti_tethers_target(t, s->step.time), cti_v3_at(s->x, t->block), &n);
}

/* what the violation at the start leaves to later steps [m] */
static ct_real cti_tether_left(const cti_state *s, const cti_tether *t, int kind, ct_real dt)
{
    return s->desc.recovery_speed > 0 ? cti_max(0, -cti_tether_start(s, t, kind) - dt * s->desc.recovery_speed) : 0;
}

/* g at the tentative end, and what may be missing there */
static ct_real cti_tether_end(const cti_state *s, const cti_tether *t, int kind, ct_real dt, cti_v3 *n)
{
    return cti_tether_gap(t, kind, cti_tethers_target(t, cti_state_ahead(s, dt)), cti_v3_at(s->end.x, t->block), n) + cti_tether_left(s, t, kind, dt);
}

/* 1 if a script holds the node, or it is not stepped */
static int cti_tether_is_idle(const cti_state *s, const cti_tether *t)
{
    return s->scripts.fixed[t->block] || s->history.model_of[t->block] < 0 || cti_state_is_inactive(s, t->block);
}

/* axes and w of a row at the tentative end */
static void cti_tether_linearize(const cti_state *s, const cti_tether *t, int kind, ct_real dt, cti_row *row, cti_contact_row *origin)
{
    cti_v3 n, t1, t2, way = cti_v3_sub(cti_v3_at(s->end.x, t->block), cti_v3_at(s->x, t->block));
    ct_real gap = cti_tether_end(s, t, kind, dt, &n);
    cti_v3_tangents(n, &t1, &t2);
    cti_v3_put(row->frame, 0, n), cti_v3_put(row->frame, 1, t1), cti_v3_put(row->frame, 2, t2);
    origin->base[0] = (gap - cti_v3_dot(n, way)) / dt;
    row->w[0] = origin->base[0] - row->compliance[0] * origin->anchor[0];
    origin->is_unsolved = 1;
}

/* adds a row. 0: out of memory */
static int cti_tether_add(cti_state *s, const cti_row_context *c, int i, int kind, const cti_memory_item *m)
{
    const cti_tether *t = &s->scripts.tethers[i];
    const ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[t->block];
    cti_row row;
    cti_contact_row origin;
    memset(&row, 0, sizeof row), memset(&origin, 0, sizeof origin);
    row.key = t->key + (uint64_t)kind;
    cti_row_term(&row, 0, t->block)->weight = 1;
    row.n_a = row.n;
    row.compliance[0] = 3 / (D[0] + D[4] + D[8]) * cti_step_tuned.attempt.joint_gives_soft * (s->step.dt / c->dt) + t->out[kind] / t->bears;
    row.r[0] = m ? cti_v3_norm(cti_v3_at(m->impulse, 0)) * (c->dt / m->dt) : 0;
    origin.tether = 1 + 2 * i + kind;
    origin.anchor[0] = (1 - t->out[kind] / 2) * row.r[0];
    cti_tether_linearize(s, t, kind, c->dt, &row, &origin);
    if (!CTI_RESERVE(s->mem, s->contact.origins, CTI_LEN(s->contact.origins) + 1) || !CTI_PUSH(s->mem, s->contact.rows, row))
        return 0;
    CTI_PUSH(s->mem, s->contact.origins, origin);
    return 1;
}

/* how much limits are violated when the substep begins, of a thickness or of the way that gravity moves a node in it; and the mass of each body over
   the number of its limits that are */
static void cti_tethers_measure(cti_state *s, ct_real dt)
{
    cti_tether *t = s->scripts.tethers;
    const ct_real whole = cti_max(s->desc.thickness, cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt * dt);
    int i, k, first, out, n = CTI_LEN(t);
    for (first = 0; first < n; first = i) {
        const int m = s->history.model_of[t[first].block];
        ct_real mass = 0;
        for (i = first, out = 0; i < n && s->history.model_of[t[i].block] == m; i++)
            for (k = 0; k < 2; k++) {
                t[i].out[k] = cti_tether_has(&t[i], k) ? cti_clamp(-cti_tether_start(s, &t[i], k) / whole, 0, 1) : 0;
                out += t[i].out[k] > 0;
            }
        for (k = m < 0 ? 0 : s->history.block[m]; m >= 0 && out > 0 && k <= s->history.last[m]; k++)
            mass += s->bodies.mass[k];
        for (k = first; k < i; k++)
            t[k].bears = mass > 0 ? mass / (ct_real)out : 1;
    }
}

CTI_FN int cti_tethers_append(cti_state *s, const cti_row_context *c)
{
    int i, kind;
    cti_tethers_measure(s, c->dt);
    for (i = 0; i < CTI_LEN(s->scripts.tethers); i++)
        for (kind = 0; kind < 2; kind++) {
            const cti_tether *t = &s->scripts.tethers[i];
            const cti_memory_item *m = cti_memory_find(c->memory, t->key + (uint64_t)kind);
            cti_v3 n;
            if (!cti_tether_has(t, kind) || cti_tether_is_idle(s, t))
                continue;
            if ((m || cti_tether_end(s, t, kind, c->dt, &n) < 0) && !cti_tether_add(s, c, i, kind, m))
                return 0;
        }
    return 1;
}

/* error of a limit that rounding and the solver's tolerance leave */
static ct_real cti_tether_slack(const cti_state *s, const cti_tether *t, ct_real scale, ct_real dt)
{
    ct_real size = 0;
    int k;
    for (k = 0; k < 3; k++)
        size = cti_max(size, cti_abs(s->x[3 * t->block + k]));
    return cti_policy_joint_slack(s->desc.thickness, s->desc.solver.tolerance, scale, dt, size);
}

CTI_FN int cti_tethers_refine(cti_state *s, const cti_row_context *c, ct_real scale)
{
    int i, kind, n = 2 * CTI_LEN(s->scripts.tethers);
    uint8_t *has;
    cti_v3 way;
    if (n == 0)
        return 1;
    has = CTI_ARENA_ZERO(s->arena, uint8_t, n);
    if (!has)
        return 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        cti_contact_row *o = &s->contact.origins[i];
        const cti_tether *t = &s->scripts.tethers[o->tether ? (o->tether - 1) / 2 : 0];
        ct_real gap, linear, slack = cti_tether_slack(s, t, scale, c->dt);
        if (!o->tether)
            continue;
        has[o->tether - 1] = 1;
        gap = cti_tether_end(s, t, (o->tether - 1) & 1, c->dt, &way);
        linear = c->dt * (o->base[0] + cti_v3_dot(cti_v3_at(s->contact.rows[i].frame, 0), cti_v3_at(s->end.v, t->block)));
        slack += c->dt * cti_abs(s->contact.rows[i].compliance[0] * (s->contact.rows[i].r[0] - o->anchor[0]));
        if (cti_abs(gap - linear) > slack && (gap < 0 || s->contact.rows[i].r[0] > 0))
            cti_tether_linearize(s, t, (o->tether - 1) & 1, c->dt, &s->contact.rows[i], o);
    }
    for (i = 0; i < n; i++) {
        const cti_tether *t = &s->scripts.tethers[i / 2];
        kind = i & 1;
        if (has[i] || !cti_tether_has(t, kind) || cti_tether_is_idle(s, t))
            continue;
        if (-cti_tether_end(s, t, kind, c->dt, &way) > cti_tether_slack(s, t, scale, c->dt) && !cti_tether_add(s, c, i / 2, kind, NULL))
            return 0;
    }
    return 1;
}

CTI_FN int cti_tethers_missed(const cti_state *s, ct_real dt)
{
    int i, kind, missed = 0;
    for (i = 0; i < CTI_LEN(s->scripts.tethers); i++)
        for (kind = 0; kind < 2; kind++) {
            const cti_tether *t = &s->scripts.tethers[i];
            cti_v3 n, to = cti_tethers_target(t, cti_state_ahead(s, dt));
            ct_real miss, asked;
            if (!cti_tether_has(t, kind) || cti_tether_is_idle(s, t) || !((miss = -cti_tether_end(s, t, kind, dt, &n)) > s->desc.thickness))
                continue;
            asked = -cti_tether_gap(t, kind, to, cti_v3_at(s->x, t->block), &n) - cti_tether_left(s, t, kind, dt);
            missed += 2 * miss > asked + s->desc.thickness;
        }
    return missed;
}

CTI_FN ct_real cti_tethers_speed(const cti_state *s, ct_real dt)
{
    ct_real most = 0;
    int i;
    for (i = 0; i < CTI_LEN(s->scripts.tethers); i++) {
        const cti_tether *t = &s->scripts.tethers[i];
        most = cti_max(most, cti_v3_norm2(cti_v3_sub(cti_tethers_target(t, cti_state_ahead(s, dt)), cti_tethers_target(t, s->step.time))));
    }
    return cti_sqrt(most) / dt;
}
