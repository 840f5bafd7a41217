/* geometric_correct.c -- the network of a substep's collisions, and the corrections of position, speed and acceleration.
   Method: each correction has a wanted distance of its own, a share of the thickness. The position is only corrected where a collision is
   much too near, the speed where it would be at the end of the substep; the acceleration does most: it brings a collision to the whole
   distance, at rest, in two substeps. Normal corrections are attenuations: a speed correction never makes two features leave each other, so
   that the kinetic energy falls. Friction: net.c. differs: a wanted distance is an inequality: above it nothing acts,
   and features may approach freely. differs: friction acts on the tangential acceleration with 1.5 v / h added (eq. 19), so that it stops a
   sliding that is there, too. differs: the corrections of a position and of an acceleration together separate features by the way of a substep
   at recovery_speed at most, as everywhere in the library. based on: Volino, Magnenat-Thalmann 2000, sec. 4.1. */
#include "geometric.h"
#include "../0_base/sort.h"

/* [1] part of H_cc that is added to it in solves of speeds and accelerations. Complementary collisions contradict each other, and equations
   that are nearly the same ask for corrections as large as one over the root of this. Ten layers at rest keep .96 of the thickness; with
   1e-1 .60; with 3e-3 and the same for positions, corrections grow without bound at impacts */
#define CTI_GEOMETRIC_SMALL CTI_R(1e-2)
#define CTI_GEOMETRIC_SOFT CTI_R(1e-1)   /* [1] the same of positions, which are only to come into a reasonable place */
#define CTI_GEOMETRIC_SHIFT CTI_R(0.5)   /* [thickness] most that a position is corrected by in a substep; all of them are scaled alike */
/* [thickness] change of positions in a turn that ends a solve by masses, and one by the matrix. Two cubes that collide are .3 s later within 3e-4 of
   their size where they are with any common velocity; with 1e-3 for both, roundings of 1e-16 move them by 1e-4 to 2e-3 */
#define CTI_GEOMETRIC_ENOUGH CTI_R(1e-3)
#define CTI_GEOMETRIC_EXACT CTI_R(1e-4)
#define CTI_GEOMETRIC_NEVER (CTI_REAL_MAX / 1024) /* a target that is always reached */
/* [1] least share of a collision's mobility that stays where scripts hold most of it. A bar with a crushed end (test_geometric_rules.c) has at most
   173 J of kinetic and elastic energy in ten steps; half: 290, double: 95. A larger share corrects less where little can move; double was tried in
   that scene alone */
#define CTI_GEOMETRIC_HELD CTI_R(0.1)
#define CTI_GEOMETRIC_NEAR CTI_R(0.1) /* [thickness] collisions within this of their target take part in a solve from the start */

CTI_FN ct_real cti_geometric_speed_target(ct_real p0, ct_real p, ct_real h) { return (p0 - p) / h; }

CTI_FN ct_real cti_geometric_acceleration_target(ct_real p0, ct_real p, ct_real u, ct_real h)
{
    return (p0 - p) / (h * h) - CTI_R(1.5) * u / h;
}

/* ---- the network ---- */

static int cti_geometric_particle(cti_state *s, int block)
{
    cti_geometric_net *q = &cti_geometric_own(s)->q;
    if (q->local[block] < 0) {
        int particle = CTI_LEN(q->blocks);
        if (!CTI_PUSH(s->mem, q->blocks, block))
            return -1;
        q->local[block] = particle; /* only blocks that are in the list are cleared for the next network */
        if (!CTI_PUSH(s->mem, q->inv, s->bodies.inv_mass[block]) || !CTI_PUSH(s->mem, q->filter, s->scripts.filter[block]))
            return -1;
    }
    return q->local[block];
}

CTI_FN int cti_geometric_weight(cti_state *s, int block, ct_real w)
{
    cti_geometric_net *q = &cti_geometric_own(s)->q;
    int i = cti_geometric_particle(s, block), e;
    if (i < 0)
        return 0;
    for (e = q->first; e < CTI_LEN(q->S) && q->particle[e] != i; e++) {
    }
    if (e < CTI_LEN(q->S)) {
        q->S[e] += w;
        return 1;
    }
    return CTI_PUSH(s->mem, q->particle, i) && CTI_PUSH(s->mem, q->S, w);
}

/* weights of a pair on blocks. 0: out of memory */
static int cti_geometric_weights(cti_state *s, const cti_pair *p)
{
    int k, j;
    for (k = 0; k < p->n; k++) {
        const cti_attach *a = cti_surface_attach(&s->surface, p->v[k]);
        for (j = 0; j < a->n; j++) {
            ct_real w = (p->kind == CT_PAIR_PLANE ? 1 : p->w[k]) * (a->n > 1 ? a->weight[j] : 1);
            if (w != 0 && !cti_geometric_weight(s, a->block[j], w))
                return 0;
        }
    }
    return 1;
}

static int cti_geometric_reserve(cti_state *s, int n, int m)
{
    cti_geometric_net *q = &cti_geometric_own(s)->q;
    cti_mem *mem = s->mem;
    int c;
    q->net.width = 4;
    for (c = 0; c < m; c++)
        q->net.width = cti_max_int(q->net.width, q->start[c + 1] - q->start[c]);
    return CTI_RESIZE(mem, q->scratch.pack, (8 + 2 * q->net.width) * m) && CTI_RESIZE(mem, q->scratch.work, 8 * n + 22 * m) &&
           CTI_RESIZE(mem, q->mode, m) && CTI_RESIZE(mem, q->stick, m) &&
           CTI_RESIZE(mem, q->slide, m) && CTI_RESIZE(mem, q->forces.last, 3 * m) && CTI_RESIZE(mem, q->forces.rest, 3 * m) &&
           CTI_RESIZE(mem, q->forces.slip, m) && CTI_RESIZE(mem, q->ask.distance, m) && CTI_RESIZE(mem, q->Q, 3 * n) &&
           CTI_RESIZE(mem, q->before, 3 * n) && CTI_RESIZE(mem, q->ask.extra, 3 * m) && CTI_RESIZE(mem, q->ask.target, m) &&
           CTI_RESIZE(mem, q->ask.mu, m) && CTI_RESIZE(mem, q->ask.slack, m) && CTI_RESIZE(mem, q->ask.out, m) &&
           CTI_RESIZE(mem, q->forces.force, 3 * m) && CTI_RESIZE(mem, q->forces.speed, 3 * m) &&
           CTI_RESIZE(mem, q->forces.place, 3 * m) && CTI_RESIZE(mem, q->forces.J, 3 * m) && CTI_RESIZE(mem, q->forces.mass, m) &&
           CTI_RESIZE(mem, q->forces.asked, 3 * m) && CTI_RESIZE(mem, q->forces.share, m) && CTI_RESIZE(mem, q->forces.hold, m) &&
           CTI_RESIZE(mem, q->forces.slide, 3 * m + 1) && CTI_RESIZE(mem, q->forces.bound, m) &&
           CTI_RESIZE(mem, q->order, m);
}

/* order: smallest distance first */
static int cti_geometric_sort(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    int c, m = CTI_LEN(g->hits);
    uint64_t *keys = CTI_ARENA_NEW(s->arena, uint64_t, 2 * (size_t)m + 1);
    int32_t *spare = CTI_ARENA_NEW(s->arena, int32_t, m + 1);
    if (!keys || !spare)
        return 0;
    for (c = 0; c < m; c++) {
        keys[c] = cti_sort_key((double)g->hits[c].distance);
        g->q.order[c] = c;
    }
    cti_sort_u64(keys, g->q.order, keys + m, spare, m);
    cti_arena_rewind(s->arena, mark);
    return 1;
}

static void cti_geometric_view(cti_state *s)
{
    cti_geometric_net *q = &cti_geometric_own(s)->q;
    cti_net *net = &q->net;
    net->n = CTI_LEN(q->blocks), net->m = CTI_LEN(cti_geometric_own(s)->hits);
    net->inv = q->inv, net->stiff.n = 0, net->filter = s->scripts.n_constrained ? q->filter : NULL, net->projectors = s->scripts.projectors;
    net->start = q->start, net->particle = q->particle, net->S = q->S, net->normal = q->normal;
    net->compliance = q->compliance, net->mode = q->mode, net->work = q->scratch.work, net->pack = q->scratch.pack;
}

/* differs: the mobility has a lower bound, a share of its value without scripts, since masses and forces are proportional to one over it */
CTI_FN ct_real cti_geometric_mobility(const cti_state *s, const ct_real *inv, int first, int end, cti_v3 n)
{
    const cti_geometric_net *q = &cti_geometric_own(s)->q;
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
    return w > 256 * CTI_EPS * CTI_EPS * all ? cti_max(w, CTI_GEOMETRIC_HELD * all) : 0;
}

CTI_FN int cti_geometric_build(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_net *q = &g->q;
    int i, c, kept = 0, m = CTI_LEN(g->hits);
    for (i = 0; i < CTI_LEN(q->blocks); i++)
        q->local[q->blocks[i]] = -1;
    CTI_CLEAR(q->blocks), CTI_CLEAR(q->inv), CTI_CLEAR(q->filter), CTI_CLEAR(q->particle), CTI_CLEAR(q->S);
    if (!CTI_RESIZE(s->mem, q->start, m + 1) || !CTI_RESIZE(s->mem, q->normal, 3 * m + 1) || !CTI_RESIZE(s->mem, q->compliance, m))
        return 0;
    q->start[0] = 0;
    for (c = 0; c < m; c++) {
        ct_real w;
        q->first = CTI_LEN(q->S);
        if (!(g->hits[c].elastic ? cti_geometric_elastic_weights(s, &g->hits[c]) : cti_geometric_weights(s, &g->hits[c].pair)))
            return 0;
        w = cti_geometric_mobility(s, q->inv, q->start[kept], CTI_LEN(q->S), g->hits[c].normal);
        if (!(w > 0)) {
            if (CTI_LEN(q->S) > q->start[kept]) {
                stbds_header(q->S)->length = (size_t)q->start[kept];
                stbds_header(q->particle)->length = (size_t)q->start[kept];
            }
            continue;
        }
        cti_v3_put(q->normal, kept, g->hits[c].normal);
        q->compliance[kept] = w;
        g->hits[kept++] = g->hits[c];
        q->start[kept] = CTI_LEN(q->S);
    }
    if (m)
        stbds_header(g->hits)->length = (size_t)kept;
    if (!cti_geometric_reserve(s, CTI_LEN(q->blocks), kept) ||
        (s->desc.geometric.scheme == CT_GEOMETRIC_SUCCESSIVE && !cti_geometric_sort(s)))
        return 0;
    cti_geometric_view(s);
    return cti_geometric_recall(s, h);
}

/* ---- corrections ---- */

/* what is near a target, for each collision: a share of its thickness over `unit`. Returns when a solve may end, by the thinnest */
static ct_real cti_geometric_near(cti_state *s, ct_real unit)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real least = CTI_REAL_MAX;
    int c;
    for (c = 0; c < g->q.net.m; c++) {
        g->q.ask.slack[c] = CTI_GEOMETRIC_NEAR * g->hits[c].thickness / unit;
        g->q.ask.out[c] = (uint8_t)g->hits[c].elastic;
        least = cti_min(least, g->q.ask.slack[c]);
    }
    return cti_geometric_printed(s) ? 0 : least * (g->q.net.stiff.n ? CTI_GEOMETRIC_EXACT : CTI_GEOMETRIC_ENOUGH) / CTI_GEOMETRIC_NEAR;
}

static int cti_geometric_solve(cti_state *s, ct_real unit, int is_speed, int remembers, ct_real *X)
{
    cti_geometric_net *q = &cti_geometric_own(s)->q;
    const cti_geometric_memory *memory = &cti_geometric_own(s)->memory;
    cti_net_goal goal;
    goal.extra = q->ask.extra, goal.target = q->ask.target, goal.mu = q->ask.mu, goal.order = q->order, goal.out = q->ask.out;
    goal.slack = q->ask.slack, goal.is_speed = is_speed;
    goal.enough = cti_geometric_near(s, unit);
    goal.lack = X == q->forces.place ? NULL : &q->ask.lack; /* a position is only to come into a reasonable place */
    goal.first = remembers ? memory->first : NULL, goal.base = remembers ? memory->base : NULL;
    return cti_net_correct(&q->net, &s->desc.geometric, &goal, q->Q, X, q->stick);
}

CTI_FN ct_real cti_geometric_recovery(const cti_state *s, ct_real thickness, ct_real h)
{
    ct_real way = s->step.parts > 1 ? thickness * h / s->step.dt : CTI_GEOMETRIC_NEVER;
    return s->desc.recovery_speed > 0 ? cti_min(way, h * s->desc.recovery_speed) : way;
}

/* eq. 17: dx, the corrections of positions */
static int cti_geometric_places(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_net *q = &g->q;
    const ct_geometric_desc *d = &s->desc.geometric;
    int c, i, turns, lacks = 0;
    ct_real most = 1;
    memset(q->forces.place, 0, sizeof(ct_real) * 3 * (size_t)q->net.m);
    for (c = 0; c < q->net.m; c++)
        lacks |= !g->hits[c].elastic && g->hits[c].distance < d->position_distance * g->hits[c].thickness;
    if (!lacks)
        return 0;
    memset(q->Q, 0, sizeof(ct_real) * 3 * (size_t)q->net.n);
    for (c = 0; c < q->net.m; c++) {
        const cti_geometric_hit *t = &g->hits[c];
        cti_v3 u = cti_v3_zero();
        int k;
        for (k = q->start[c]; k < q->start[c + 1]; k++)
            u = cti_v3_mad(u, cti_v3_at(g->v, q->blocks[q->particle[k]]), q->S[k]);
        u = cti_v3_mul(cti_v3_add(u, t->script), h);
        u = cti_v3_mad(u, t->normal, t->distance - cti_v3_dot(u, t->normal));
        cti_v3_put(q->ask.extra, c, u);
        q->ask.target[c] = t->elastic ? -CTI_GEOMETRIC_NEVER : d->position_distance * t->thickness;
        q->ask.mu[c] = t->mu;
    }
    q->net.soft = CTI_GEOMETRIC_SOFT;
    cti_geometric_by(s, 1);
    turns = cti_geometric_solve(s, 1, 0, 0, q->forces.place);
    memset(q->before, 0, sizeof(ct_real) * (size_t)q->net.n); /* largest thickness at a block */
    for (c = 0; c < q->net.m; c++)
        for (i = q->start[c]; i < q->start[c + 1]; i++)
            q->before[q->particle[i]] = cti_max(q->before[q->particle[i]], g->hits[c].thickness);
    for (i = 0; i < q->net.n; i++)
        if (q->before[i] > 0) /* else it has no collision that can move it */
            most = cti_max(most, cti_v3_norm(cti_v3_at(q->Q, i)) / (CTI_GEOMETRIC_SHIFT * q->before[i]));
    for (c = 0; c < q->net.m; c++)
        if (!g->hits[c].elastic)
            most = cti_max(most, cti_v3_dot(g->hits[c].normal, cti_net_value(&q->net, q->Q, c)) /
                                     cti_geometric_recovery(s, g->hits[c].thickness, h));
    most = 1 / most;
    for (i = 0; i < q->net.n; i++)
        cti_v3_put(g->dx, q->blocks[i], cti_v3_mul(cti_v3_at(q->Q, i), most));
    cti_geometric_carry(s, q->forces.place, most, g->dx);
    return turns;
}

/* distances after the position correction */
static void cti_geometric_distances_after(const cti_state *s, int moved)
{
    const cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_net *q = &g->q;
    int c, k;
    for (c = 0; c < q->net.m; c++) {
        ct_real d = g->hits[c].distance;
        for (k = q->start[c]; moved && k < q->start[c + 1]; k++)
            d += q->S[k] * cti_v3_dot(g->hits[c].normal, cti_v3_at(g->dx, q->blocks[q->particle[k]]));
        q->ask.distance[c] = d;
    }
}

/* eq. 18: v */
static int cti_geometric_speeds(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_net *q = &g->q;
    int c, i, turns, scripted = 0, lacks = 0;
    for (i = 0; i < q->net.n; i++)
        cti_v3_put(q->Q, i, cti_v3_at(g->v, q->blocks[i]));
    memset(q->forces.speed, 0, sizeof(ct_real) * 3 * (size_t)q->net.m);
    for (c = 0; c < q->net.m; c++) {
        const cti_geometric_hit *t = &g->hits[c];
        ct_real p0 = s->desc.geometric.speed_distance * t->thickness;
        cti_v3_put(q->ask.extra, c, t->script);
        scripted |= cti_v3_norm2(t->script) > 0;
        q->ask.target[c] = t->elastic ? -CTI_GEOMETRIC_NEVER : cti_min(cti_geometric_speed_target(p0, q->ask.distance[c], h), 0);
        q->ask.mu[c] = t->mu;
        lacks |= cti_v3_dot(t->normal, cti_v3_add(cti_net_value(&q->net, q->Q, c), t->script)) < q->ask.target[c];
    }
    if (!lacks)
        return 0;
    q->net.soft = CTI_GEOMETRIC_SMALL;
    cti_geometric_by(s, 0);
    turns = cti_geometric_solve(s, h, !scripted && s->scripts.n_constrained == 0, 0, q->forces.speed);
    for (i = 0; i < q->net.n; i++)
        cti_v3_put(g->v, q->blocks[i], cti_v3_at(q->Q, i));
    return turns;
}

/* eq. 19: forces X from the accelerations of system.force, gravity and mass damping */
static int cti_geometric_accelerations(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_net *q = &g->q;
    int c, i, k;
    for (i = 0; i < q->net.n; i++)
        cti_v3_put(q->Q, i, cti_v3_at(g->implicit.free, q->blocks[i]));
    for (c = 0; c < q->net.m; c++) {
        const cti_geometric_hit *t = &g->hits[c];
        cti_v3 u = t->script;
        ct_real way = s->desc.geometric.acceleration_distance * t->thickness - q->ask.distance[c], un;
        for (k = q->start[c]; k < q->start[c + 1]; k++)
            u = cti_v3_mad(u, cti_v3_at(g->v, q->blocks[q->particle[k]]), q->S[k]);
        un = cti_v3_dot(u, t->normal);
        way = cti_min(way, cti_geometric_recovery(s, t->thickness, h) - cti_max(q->ask.distance[c] - t->distance, 0));
        q->ask.target[c] = t->elastic ? -CTI_GEOMETRIC_NEVER : cti_geometric_acceleration_target(way, 0, un, h);
        u = cti_v3_mad(u, t->normal, -un);
        cti_v3_put(q->ask.extra, c, cti_v3_mul(u, CTI_R(1.5) / h));
        q->ask.mu[c] = t->mu;
    }
    q->net.soft = CTI_GEOMETRIC_SMALL;
    cti_geometric_by(s, 1);
    return cti_geometric_solve(s, h * h, 0, 1, q->forces.force);
}

CTI_FN int cti_geometric_correct(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    int turns;
    memset(g->dx, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    g->q.ask.lack = 0;
    if (g->q.net.m == 0)
        return 0;
    turns = cti_geometric_places(s, h);
    cti_geometric_distances_after(s, turns > 0);
    turns += cti_geometric_speeds(s, h);
    return turns + cti_geometric_accelerations(s, h);
}

CTI_FN int cti_geometric_correct_end(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_net *q = &g->q;
    int c, i, k, turns, lacks = 0;
    memset(g->last, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    if (q->net.m)
        memset(q->forces.last, 0, sizeof(ct_real) * 3 * (size_t)q->net.m);
    for (i = 0; i < q->net.n; i++)
        cti_v3_put(q->Q, i, cti_v3_mad(cti_v3_at(g->v, q->blocks[i]), cti_v3_at(g->dv, q->blocks[i]), cti_geometric_share(s)));
    for (c = 0; c < q->net.m; c++) {
        const cti_geometric_hit *t = &g->hits[c];
        ct_real p0 = s->desc.geometric.speed_distance * t->thickness;
        cti_v3_put(q->ask.extra, c, t->script);
        q->ask.target[c] = t->elastic ? -CTI_GEOMETRIC_NEVER : cti_min(cti_geometric_speed_target(p0, q->ask.distance[c], h), 0);
        q->ask.mu[c] = 0;
        lacks |= cti_v3_dot(t->normal, cti_v3_add(cti_net_value(&q->net, q->Q, c), t->script)) < q->ask.target[c];
    }
    if (!lacks)
        return 0;
    q->net.soft = CTI_GEOMETRIC_SMALL;
    cti_geometric_by(s, 1);
    {
        cti_net_goal goal;
        memset(&goal, 0, sizeof goal);
        goal.extra = q->ask.extra, goal.target = q->ask.target, goal.order = q->order, goal.slack = q->ask.slack;
        goal.out = q->ask.out;
        goal.enough = cti_geometric_near(s, h), goal.lack = &q->ask.lack;
        memcpy(q->before, q->Q, sizeof(ct_real) * 3 * (size_t)q->net.n);
        turns = cti_net_correct(&q->net, &s->desc.geometric, &goal, q->Q, q->forces.last, q->slide);
    }
    for (i = 0; i < q->net.n; i++)
        for (k = 0; k < 3; k++)
            g->last[3 * q->blocks[i] + k] = q->Q[3 * i + k] - q->before[3 * i + k];
    cti_geometric_carry(s, q->forces.last, 1, g->last);
    return turns;
}

CTI_FN int cti_geometric_correct_rest(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_net *q = &g->q;
    ct_real left = 1 - cti_geometric_share(s), keep;
    int c, i, turns, any = 0;
    memset(g->rest, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    if (q->net.m)
        memset(q->forces.rest, 0, sizeof(ct_real) * 3 * (size_t)q->net.m);
    if (!(left > 0) || !s->desc.geometric.residual_state)
        return 0;
    /* what the second half of the step adds to relative speeds: (1 - share) dv */
    for (i = 0; i < q->net.n; i++)
        cti_v3_put(q->Q, i, cti_v3_mul(cti_v3_at(g->dv, q->blocks[i]), left));
    for (c = 0; c < q->net.m; c++) {
        cti_v3 more = cti_net_value(&q->net, q->Q, c), n = g->hits[c].normal;
        int parts = cti_v3_dot(n, more) > 0;
        q->net.mode[c] = CTI_NET_OFF;
        cti_v3_put(q->ask.extra, c, cti_v3_mul(more, -1));
        if (g->hits[c].elastic || !(cti_v3_dot(n, cti_v3_at(q->forces.J, c)) > 0))
            continue;
        q->net.mode[c] = (uint8_t)(q->stick[c] ? (parts ? CTI_NET_ALL : CTI_NET_TANGENT) : (parts ? CTI_NET_NORMAL : CTI_NET_OFF));
        any |= q->net.mode[c];
    }
    if (!any)
        return 0;
    q->net.soft = CTI_GEOMETRIC_SMALL;
    cti_geometric_by(s, 0);
    turns = cti_net_cg(&q->net, q->ask.extra, s->desc.geometric.cg_turns, 0, q->forces.rest);
    cti_net_spread(&q->net, q->forces.rest, q->before);
    for (i = 0; i < q->net.n; i++)
        cti_v3_put(q->Q, i, cti_v3_add(cti_v3_add(cti_v3_at(g->v, q->blocks[i]), cti_v3_at(g->dv, q->blocks[i])), cti_v3_at(g->last, q->blocks[i])));
    keep = cti_net_safe(&q->net, q->Q, q->before);
    for (i = 0; i < q->net.n; i++)
        cti_v3_put(g->rest, q->blocks[i], cti_v3_mul(cti_v3_at(q->before, i), keep));
    for (c = 0; c < q->net.m; c++)
        cti_v3_put(q->forces.rest, c, cti_v3_mul(cti_v3_at(q->forces.rest, c), keep));
    return turns;
}
