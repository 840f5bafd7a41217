/* geometric_correct.c -- the system of a substep's collisions, and the corrections of position, speed and acceleration.
   Method: each correction has a wanted distance of its own, a share of the thickness. The position is only corrected where a collision is
   much too near, the speed where it would be at the end of the substep; the acceleration does most: it brings a collision to the whole
   distance, at rest, in two substeps. Normal corrections are attenuations: a speed correction never makes two features leave each other, so
   that the kinetic energy falls. Friction: response.c. differs: a wanted distance is an inequality: above it nothing acts,
   and features may approach freely. differs: friction acts on the tangential acceleration with 1.5 v / h added (eq. 19), so that it stops a
   sliding that is there, too. differs: the corrections of a position and of an acceleration together separate features by the way of a substep
   at recovery_speed at most, as everywhere in the library. based on: Volino, Magnenat-Thalmann 2000, sec. 4.1. */
#include "geometric.h"
#include "../0_base/sets.h"
#include "../0_base/sort.h"

#define CTI_GEOMETRIC_NEVER (CTI_REAL_MAX / 1024) /* a target that is always reached */

CTI_FN ct_real cti_geometric_speed_target(ct_real p0, ct_real p, ct_real h) { return (p0 - p) / h; }

CTI_FN ct_real cti_geometric_acceleration_target(ct_real p0, ct_real p, ct_real u, ct_real h)
{
    return (p0 - p) / (h * h) - CTI_R(1.5) * u / h;
}

/* ---- the system ---- */

static int cti_geometric_particle(cti_state *s, int block)
{
    cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    if (q->particle_of[block] < 0) {
        int particle = CTI_LEN(q->blocks);
        if (!CTI_PUSH(s->mem, q->blocks, block))
            return -1;
        q->particle_of[block] = particle; /* only blocks that are in the list are cleared for the next system */
        if (!CTI_PUSH(s->mem, q->inv, s->bodies.inv_mass[block]) || !CTI_PUSH(s->mem, q->filter, s->scripts.filter[block]))
            return -1;
    }
    return q->particle_of[block];
}

CTI_FN int cti_geometric_add_weight(cti_state *s, int block, ct_real w)
{
    cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    int i = cti_geometric_particle(s, block), e;
    if (i < 0)
        return 0;
    for (e = q->first_weight; e < CTI_LEN(q->S) && q->particle[e] != i; e++) {
    }
    if (e < CTI_LEN(q->S)) {
        q->S[e] += w;
        return 1;
    }
    return CTI_PUSH(s->mem, q->particle, i) && CTI_PUSH(s->mem, q->S, w);
}

/* adds weights of a pair on blocks. 0: out of memory */
static int cti_geometric_weights(cti_state *s, const cti_pair *p)
{
    int k, j;
    for (k = 0; k < p->n; k++) {
        const cti_attach *a = cti_surface_attach(&s->surface, p->v[k]);
        for (j = 0; j < a->n; j++) {
            ct_real w = (p->kind == CT_PAIR_PLANE ? 1 : p->w[k]) * (a->n > 1 ? a->weight[j] : 1);
            if (w != 0 && !cti_geometric_add_weight(s, a->block[j], w))
                return 0;
        }
    }
    return 1;
}

static int cti_geometric_reserve(cti_state *s, int n, int m)
{
    cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    cti_mem *mem = s->mem;
    int c;
    q->response.width = 4;
    for (c = 0; c < m; c++)
        q->response.width = cti_max_int(q->response.width, q->start[c + 1] - q->start[c]);
    return CTI_RESIZE(mem, q->scratch.pack, (8 + 2 * q->response.width) * m) && CTI_RESIZE(mem, q->scratch.work, 8 * n + 22 * m) &&
           CTI_RESIZE(mem, q->mode, m) && CTI_RESIZE(mem, q->stick, m) &&
           CTI_RESIZE(mem, q->stick_end, m) && CTI_RESIZE(mem, q->forces.end, 3 * m) && CTI_RESIZE(mem, q->forces.remaining, 3 * m) &&
           CTI_RESIZE(mem, q->forces.damping_share, m) && CTI_RESIZE(mem, q->goal.distance, m) && CTI_RESIZE(mem, q->Q, 3 * n) &&
           CTI_RESIZE(mem, q->before, 3 * n) && CTI_RESIZE(mem, q->goal.offset, 3 * m) && CTI_RESIZE(mem, q->goal.target, m) &&
           CTI_RESIZE(mem, q->goal.mu, m) && CTI_RESIZE(mem, q->goal.slack, m) && CTI_RESIZE(mem, q->goal.excluded, m) &&
           CTI_RESIZE(mem, q->forces.force, 3 * m) && CTI_RESIZE(mem, q->forces.speed, 3 * m) &&
           CTI_RESIZE(mem, q->forces.position, 3 * m) && CTI_RESIZE(mem, q->forces.J, 3 * m) && CTI_RESIZE(mem, q->forces.mass, m) &&
           CTI_RESIZE(mem, q->forces.asked, 3 * m) && CTI_RESIZE(mem, q->forces.share, m) && CTI_RESIZE(mem, q->forces.tangent_share, m) &&
           CTI_RESIZE(mem, q->forces.slide_direction, 3 * m + 1) && CTI_RESIZE(mem, q->forces.bound, m) &&
           CTI_RESIZE(mem, q->order, m);
}

/* sets `order`: smallest distance first. 0: out of memory */
static int cti_geometric_sort(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    int c, m = CTI_LEN(g->collisions);
    uint64_t *keys = CTI_ARENA_NEW(s->arena, uint64_t, 2 * (size_t)m + 1);
    int32_t *spare = CTI_ARENA_NEW(s->arena, int32_t, m + 1);
    if (!keys || !spare)
        return 0;
    for (c = 0; c < m; c++) {
        keys[c] = cti_sort_key((double)g->collisions[c].distance);
        g->solve.order[c] = c;
    }
    cti_sort_u64(keys, g->solve.order, keys + m, spare, m);
    cti_arena_rewind(s->arena, mark);
    return 1;
}

/* differs: the mobility has a lower bound, a share of its value without scripts, since masses and forces are proportional to one over it */
CTI_FN ct_real cti_geometric_mobility(const cti_state *s, const ct_real *inv, int first, int end, cti_v3 n)
{
    const cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    ct_real w = 0, all = 0;
    int k;
    for (k = first; k < end; k++) {
        int i = q->particle[k];
        ct_real own = inv[i] * q->S[k] * q->S[k];
        cti_v3 t = n;
        if (q->filter[i] >= 0) {
            const ct_real *P = s->scripts.projectors + 9 * (size_t)q->filter[i];
            t = cti_m3_mul_v(P, n);
            if (!(P[0] + P[4] + P[8] > CTI_R(0.5))) /* held in all directions */
                continue;
        }
        w += own * cti_v3_norm2(t), all += own; /* P'P = P; n'P n would be wrong by rounding */
    }
    return w > 256 * CTI_EPS * CTI_EPS * all ? cti_max(w, cti_geometric_tuned.correct.mobility * all) : 0;
}

/* makes the response; `least` of a collision is the mass of the lightest body that it moves, over that of the heaviest of the bodies that touch each
   other. 0: out of memory */
static int cti_geometric_set_response(cti_state *s)
{
    cti_geometric_implicit *g = &cti_geometric_own(s)->implicit;
    cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    cti_response *sys = &q->response;
    int c, k, n = CTI_LEN(s->factors.components), m = CTI_LEN(cti_geometric_own(s)->collisions);
    int32_t *of = s->factors.component_of, *set = CTI_ARENA_NEW(s->arena, int32_t, n + 1);
    ct_real *heaviest = g->scale;
    if (!set || !CTI_RESIZE(s->mem, q->least, m))
        return 0;
    cti_sets_init(set, n);
    memcpy(heaviest, g->body_mass, sizeof *heaviest * (size_t)n);
    for (c = 0; c < m; c++)
        for (k = q->start[c] + 1; k < q->start[c + 1]; k++)
            cti_sets_join(set, of[q->blocks[q->particle[k]]], of[q->blocks[q->particle[k - 1]]]);
    for (c = 0; c < n; c++)
        heaviest[cti_sets_root(set, c)] = cti_max(heaviest[cti_sets_root(set, c)], g->body_mass[c]);
    for (c = 0; c < m; c++)
        for (q->least[c] = 1, k = q->start[c]; k < q->start[c + 1]; k++) {
            int b = of[q->blocks[q->particle[k]]];
            q->least[c] = cti_min(q->least[c], g->body_mass[b] / heaviest[cti_sets_root(set, b)]);
        }
    sys->n = CTI_LEN(q->blocks), sys->m = m;
    sys->inv = q->inv, sys->stiff.n = 0, sys->filter = s->scripts.n_constrained ? q->filter : NULL, sys->projectors = s->scripts.projectors;
    sys->start = q->start, sys->particle = q->particle, sys->S = q->S, sys->normal = q->normal, sys->least = q->least;
    sys->compliance = q->compliance, sys->mode = q->mode, sys->work = q->scratch.work, sys->pack = q->scratch.pack;
    return 1;
}

CTI_FN int cti_geometric_build(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    int i, c, kept = 0, m = CTI_LEN(g->collisions);
    for (i = 0; i < CTI_LEN(q->blocks); i++)
        q->particle_of[q->blocks[i]] = -1;
    CTI_CLEAR(q->blocks), CTI_CLEAR(q->inv), CTI_CLEAR(q->filter), CTI_CLEAR(q->particle), CTI_CLEAR(q->S);
    if (!CTI_RESIZE(s->mem, q->start, m + 1) || !CTI_RESIZE(s->mem, q->normal, 3 * m + 1) || !CTI_RESIZE(s->mem, q->compliance, m))
        return 0;
    q->start[0] = 0;
    for (c = 0; c < m; c++) {
        ct_real w;
        q->first_weight = CTI_LEN(q->S);
        if (!(g->collisions[c].elastic ? cti_geometric_elastic_weights(s, &g->collisions[c]) : cti_geometric_weights(s, &g->collisions[c].pair)))
            return 0;
        w = cti_geometric_mobility(s, q->inv, q->start[kept], CTI_LEN(q->S), g->collisions[c].normal);
        if (!(w > 0)) {
            if (CTI_LEN(q->S) > q->start[kept]) {
                stbds_header(q->S)->length = (size_t)q->start[kept];
                stbds_header(q->particle)->length = (size_t)q->start[kept];
            }
            continue;
        }
        cti_v3_put(q->normal, kept, g->collisions[c].normal);
        q->compliance[kept] = w;
        g->collisions[kept++] = g->collisions[c];
        q->start[kept] = CTI_LEN(q->S);
    }
    if (m)
        stbds_header(g->collisions)->length = (size_t)kept;
    if (!cti_geometric_reserve(s, CTI_LEN(q->blocks), kept) ||
        (s->desc.geometric.scheme == CT_GEOMETRIC_SUCCESSIVE && !cti_geometric_sort(s)))
        return 0;
    return cti_geometric_set_response(s) && cti_geometric_recall(s, h);
}

/* ---- corrections ---- */

/* sets the slack of each collision, a share of its thickness over `unit`; returns the tolerance of a solve, by the thinnest */
static ct_real cti_geometric_set_slack(cti_state *s, ct_real unit)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real least = CTI_REAL_MAX;
    int c;
    for (c = 0; c < g->solve.response.m; c++) {
        g->solve.goal.slack[c] = cti_geometric_tuned.correct.within * g->collisions[c].thickness / unit;
        g->solve.goal.excluded[c] = (uint8_t)g->collisions[c].elastic;
        least = cti_min(least, g->solve.goal.slack[c]);
    }
    if (cti_geometric_printed(s))
        return 0;
    least /= cti_geometric_tuned.correct.within;
    return least * (g->solve.response.stiff.n ? cti_geometric_tuned.correct.tolerance_stiff : cti_geometric_tuned.correct.tolerance);
}

static int cti_geometric_solve_goal(cti_state *s, ct_real unit, int is_speed, int remembers, ct_real *X)
{
    cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    const cti_geometric_memory *memory = &cti_geometric_own(s)->memory;
    cti_response_goal goal;
    goal.offset = q->goal.offset, goal.target = q->goal.target, goal.order = q->order, goal.excluded = q->goal.excluded;
    goal.mu = X == q->forces.end ? NULL : q->goal.mu;
    goal.slack = q->goal.slack, goal.is_speed = is_speed;
    goal.tolerance = cti_geometric_set_slack(s, unit);
    goal.shortfall = X == q->forces.position ? NULL : &q->goal.shortfall; /* a position is only to come into a reasonable place */
    goal.start_force = remembers ? memory->normal_force : NULL, goal.warm_start = remembers ? memory->warm_start : NULL;
    return cti_response_correct(&q->response, &s->desc.geometric, &goal, q->Q, X, goal.mu ? q->stick : q->stick_end);
}

CTI_FN ct_real cti_geometric_recovery(const cti_state *s, ct_real thickness, ct_real h)
{
    ct_real way = s->step.parts > 1 ? thickness * h / s->step.dt : CTI_GEOMETRIC_NEVER;
    return (s->desc.recovery_speed > 0 ? cti_min(way, h * s->desc.recovery_speed) : way) / (ct_real)s->step.parts;
}

/* sets dx, the corrections of positions (eq. 17) */
static int cti_geometric_correct_positions(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    const ct_geometric_desc *d = &s->desc.geometric;
    int c, i, turns, lacks = 0;
    ct_real most = 1;
    memset(q->forces.position, 0, sizeof(ct_real) * 3 * (size_t)q->response.m);
    for (c = 0; c < q->response.m; c++)
        lacks |= !g->collisions[c].elastic && g->collisions[c].distance < d->position_distance * g->collisions[c].thickness;
    if (!lacks)
        return 0;
    memset(q->Q, 0, sizeof(ct_real) * 3 * (size_t)q->response.n);
    for (c = 0; c < q->response.m; c++) {
        const cti_geometric_collision *t = &g->collisions[c];
        cti_v3 u = cti_v3_mul(cti_v3_add(cti_geometric_relative(q, g->v, c, cti_v3_zero()), t->script_velocity), h);
        u = cti_v3_mad(u, t->normal, t->distance - cti_v3_dot(u, t->normal));
        cti_v3_put(q->goal.offset, c, u);
        q->goal.target[c] = cti_min(d->position_distance * t->thickness, t->distance + cti_geometric_recovery(s, t->thickness, h));
        if (t->elastic)
            q->goal.target[c] = -CTI_GEOMETRIC_NEVER;
        q->goal.mu[c] = t->mu;
    }
    q->response.compliance_factor = cti_geometric_tuned.correct.compliance_positions;
    cti_geometric_use_matrix(s, 1);
    turns = cti_geometric_solve_goal(s, 1, 0, 0, q->forces.position);
    memset(q->before, 0, sizeof(ct_real) * (size_t)q->response.n); /* largest thickness at a block */
    for (c = 0; c < q->response.m; c++)
        for (i = q->start[c]; i < q->start[c + 1]; i++)
            q->before[q->particle[i]] = cti_max(q->before[q->particle[i]], g->collisions[c].thickness);
    for (i = 0; i < q->response.n; i++)
        if (q->before[i] > 0) /* else it has no collision that can move it */
            most = cti_max(most, cti_v3_norm(cti_v3_at(q->Q, i)) / (cti_geometric_tuned.correct.shift * q->before[i]));
    most = 1 / most;
    cti_geometric_spread(s, q->forces.position, most, 1, g->dx);
    return turns;
}

/* sets the distances after the position correction */
static void cti_geometric_distances_after(const cti_state *s, int moved)
{
    const cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_solve *q = &g->solve;
    int c, k;
    for (c = 0; c < q->response.m; c++) {
        ct_real d = g->collisions[c].distance;
        for (k = q->start[c]; moved && k < q->start[c + 1]; k++)
            d += q->S[k] * cti_v3_dot(g->collisions[c].normal, cti_v3_at(g->dx, q->blocks[q->particle[k]]));
        q->goal.distance[c] = d;
    }
}

/* corrects v (eq. 18), or with `end` sets dv_end */
static int cti_geometric_correct_speeds(cti_state *s, ct_real h, int end)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    ct_real *X = end ? q->forces.end : q->forces.speed, share = end ? cti_geometric_theta(s) : 0;
    int c, i, turns, scripted = s->scripts.n_constrained, lacks = 0;
    for (i = 0; i < q->response.n; i++)
        cti_v3_put(q->Q, i, cti_v3_mad(cti_v3_at(g->v, q->blocks[i]), cti_v3_at(g->dv, q->blocks[i]), share));
    memset(X, 0, sizeof(ct_real) * 3 * (size_t)q->response.m);
    for (c = 0; c < q->response.m; c++) {
        const cti_geometric_collision *t = &g->collisions[c];
        ct_real p0 = s->desc.geometric.speed_distance * t->thickness;
        cti_v3_put(q->goal.offset, c, t->script_velocity);
        scripted |= cti_v3_norm2(t->script_velocity) > 0;
        q->goal.target[c] = t->elastic ? -CTI_GEOMETRIC_NEVER : cti_min(cti_geometric_speed_target(p0, q->goal.distance[c], h), 0);
        q->goal.mu[c] = t->mu;
        lacks |= cti_v3_dot(t->normal, cti_v3_add(cti_response_value(&q->response, q->Q, c), t->script_velocity)) < q->goal.target[c];
    }
    if (!lacks)
        return 0;
    q->response.compliance_factor = cti_geometric_tuned.correct.compliance;
    q->response.least = end ? NULL : q->least; /* dampers see nothing of corrections of the end */
    cti_geometric_use_matrix(s, end);
    turns = cti_geometric_solve_goal(s, h, !end && !scripted, 0, X);
    if (end)
        cti_geometric_spread(s, X, 1, 0, g->dv_end);
    for (i = 0; i < q->response.n && !end; i++)
        cti_v3_put(g->v, q->blocks[i], cti_v3_at(q->Q, i));
    return turns;
}

/* sets forces.force from the accelerations of the free motion (eq. 19) */
static int cti_geometric_correct_accelerations(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    int c, i;
    for (i = 0; i < q->response.n; i++)
        cti_v3_put(q->Q, i, cti_v3_at(g->implicit.free_acceleration, q->blocks[i]));
    for (c = 0; c < q->response.m; c++) {
        const cti_geometric_collision *t = &g->collisions[c];
        cti_v3 u = cti_geometric_relative(q, g->v, c, t->script_velocity);
        ct_real way = s->desc.geometric.acceleration_distance * t->thickness - q->goal.distance[c], un = cti_v3_dot(u, t->normal);
        way = cti_min(way, cti_geometric_recovery(s, t->thickness, h) - cti_max(q->goal.distance[c] - t->distance, 0));
        q->goal.target[c] = t->elastic ? -CTI_GEOMETRIC_NEVER : cti_geometric_acceleration_target(way, 0, un, h);
        u = cti_v3_mad(u, t->normal, -un);
        cti_v3_put(q->goal.offset, c, cti_v3_mul(u, CTI_R(1.5) / h));
        q->goal.mu[c] = t->mu;
    }
    q->response.compliance_factor = cti_geometric_tuned.correct.compliance;
    cti_geometric_use_matrix(s, 1);
    return cti_geometric_solve_goal(s, h * h, 0, 1, q->forces.force);
}

CTI_FN int cti_geometric_correct(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    int turns;
    memset(g->dx, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    g->solve.goal.shortfall = 0;
    if (g->solve.response.m == 0)
        return 0;
    turns = cti_geometric_correct_positions(s, h);
    cti_geometric_distances_after(s, turns > 0);
    turns += cti_geometric_correct_speeds(s, h, 0);
    return turns + cti_geometric_correct_accelerations(s, h);
}

CTI_FN int cti_geometric_correct_end(cti_state *s, ct_real h)
{
    memset(cti_geometric_own(s)->dv_end, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    return cti_geometric_own(s)->solve.response.m ? cti_geometric_correct_speeds(s, h, 1) : 0;
}

CTI_FN int cti_geometric_correct_remaining(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    ct_real left = 1 - cti_geometric_theta(s), keep;
    int c, i, turns, any = 0;
    memset(g->dv_remaining, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    if (q->response.m)
        memset(q->forces.remaining, 0, sizeof(ct_real) * 3 * (size_t)q->response.m);
    if (!(left > 0) || !s->desc.geometric.residual_state)
        return 0;
    /* what the second half of the step adds to relative speeds: (1 - share) dv */
    for (i = 0; i < q->response.n; i++)
        cti_v3_put(q->Q, i, cti_v3_mul(cti_v3_at(g->dv, q->blocks[i]), left));
    for (c = 0; c < q->response.m; c++) {
        cti_v3 added = cti_response_value(&q->response, q->Q, c), n = g->collisions[c].normal;
        int parts = cti_v3_dot(n, added) > 0;
        q->response.mode[c] = CTI_RESPONSE_OFF;
        cti_v3_put(q->goal.offset, c, cti_v3_mul(added, -1));
        if (g->collisions[c].elastic || !(cti_v3_dot(n, cti_v3_at(q->forces.J, c)) > 0))
            continue;
        q->response.mode[c] = (uint8_t)(q->stick[c] ? (parts ? CTI_RESPONSE_ALL : CTI_RESPONSE_TANGENT)
                                                    : (parts ? CTI_RESPONSE_NORMAL : CTI_RESPONSE_OFF));
        any |= q->response.mode[c];
    }
    if (!any)
        return 0;
    q->response.compliance_factor = cti_geometric_tuned.correct.compliance;
    cti_geometric_use_matrix(s, 0);
    turns = cti_response_cg(&q->response, q->goal.offset, s->desc.geometric.cg_turns, 0, q->forces.remaining);
    cti_response_spread(&q->response, q->forces.remaining, q->before);
    for (i = 0; i < q->response.n; i++)
        cti_v3_put(q->Q, i, cti_v3_add(cti_v3_add(cti_v3_at(g->v, q->blocks[i]), cti_v3_at(g->dv, q->blocks[i])),
                                       cti_v3_at(g->dv_end, q->blocks[i])));
    keep = cti_response_safe_share(&q->response, q->Q, q->before);
    for (i = 0; i < q->response.n; i++)
        cti_v3_put(g->dv_remaining, q->blocks[i], cti_v3_mul(cti_v3_at(q->before, i), keep));
    for (c = 0; c < q->response.m; c++)
        cti_v3_put(q->forces.remaining, c, cti_v3_mul(cti_v3_at(q->forces.remaining, c), keep));
    return turns;
}
