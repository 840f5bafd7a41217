/* layers_strike.c -- events: the impulses of elements, of gravity, and of layers.
   Method: an event at a tick moves its nodes along their lines to that tick, and adds h M^-1 f(x) to their velocities, h the time between
   two strikes of its clock (asynchronous variational integrator). Forces of an element, and of a pair without friction, sum to zero, and so
   do their torques. Restitution e: while a pair's layers give energy back they push with e^2 of their force; so a pair that comes in with the
   speed u leaves with e u. What the rest of their force would have done is lost. Friction: each strike of a layer takes at most
   mu times its own impulse from the tangential motion, and no more than CTI_LAYERS_STOP times what stops it. It acts at both closest
   points, which are apart. Restitution and friction need a velocity at a time between strikes. The momentary one will not do: at rest it changes
   its sign with each strike of an element, since contacts have pushed meanwhile and the element has not. So each clock adds the part of its
   last impulse that belongs to the time since its last strike; the sum is 0 at rest. Damping: -h D v with D of each element over 1 + h r, r a
   bound on the rate of its fastest decay as it is stretched now, which takes at most the whole of each mode; v is the velocity in the middle
   of the strike, between before and after the elastic impulse. So its work h v'D (1 - h M^-1 D / 2) v is never a gain, for every h. based on: Lew et
   al. 2003; Harmon et al. 2009. */
#include "layers.h"
#include "../4_geom/dist.h"

/* [1] largest impulse of friction in a strike, over the one that stops the sliding. Up to 2 a strike dissipates. A contact that sticks creeps
   by (2 - this) / this of the velocity that it gains between two strikes, at 2 not at all. With 1 a box on a slope creeps by 0.15 mm/s, with
   1.9 by 0.008 */
#define CTI_LAYERS_STOP 1.9
/* [1] the share of restitution falls from 1 to e^2 while the mean of a pair's velocities before and after a strike rises from 0 to this part of what
   the strike's full impulse changes. Three boxes that fall on each other: worst residual 4.2e-3 with half of this, 3.2e-3, 2.2e-3 with double; a
   sheet that falls flat with restitution 0 leaves with 0.007, 0.011, 0.021 of its speed */
#define CTI_LAYERS_BLEND 0.5
/* [1] friction of a strike that takes less than this share of what it could is sticking */
#define CTI_LAYERS_STICKS 0.999

/* ---- blocks ---- */

/* adds an impulse [N s] to block i, which is at a tick; records how far it has left its line, and what a pin takes */
static void cti_layers_kick(cti_state *s, int i, double jx, double jy, double jz)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_nodes *q = &y->nodes;
    double t = (double)(q->tick[i] - y->window.begin) * y->window.tick, off = 0, d;
    int k, filter = s->scripts.filter[i];
    for (k = 3 * i; k < 3 * i + 3; k++) {
        d = q->x[k] - q->x0[k] - t * q->v0[k];
        off += d * d;
    }
    q->off2[i] = cti_finite64(off) ? cti_fmax(q->off2[i], off) : HUGE_VAL; /* cti_fmax would pass over what is no number */
    if (y->at) {
        double *sum = y->at->J + 3 * (size_t)i;
        sum[0] += jx, sum[1] += jy, sum[2] += jz;
    }
    if (filter >= 0) {
        cti_v3 J = cti_v3_make((ct_real)jx, (ct_real)jy, (ct_real)jz), own = cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)filter, J);
        cti_v3 pin = cti_v3_sub(own, J);
        cti_v3_addto(s->step.impulses.pins, i, pin);
        y->window.sums.pins += (double)cti_v3_dot(pin, cti_v3_at(s->scripts.v_fixed, i));
        jx = (double)own.x, jy = (double)own.y, jz = (double)own.z;
    }
    q->v[3 * i] += jx * q->inverse[i], q->v[3 * i + 1] += jy * q->inverse[i], q->v[3 * i + 2] += jz * q->inverse[i];
}

/* h times the forces of q->force on blocks list [n], which become 0. Returns the impulses' work along q->speed and half of what they add to it */
static double cti_layers_kicks(cti_state *s, const int32_t *list, int n, double h)
{
    cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    double work = 0;
    int i, k;
    for (i = 0; i < n; i++) {
        ct_real *f = q->force + 3 * (size_t)list[i];
        double v[3], J[3];
        for (k = 0; k < 3; k++)
            v[k] = q->v[3 * list[i] + k], J[k] = h * (double)f[k], f[k] = 0;
        cti_layers_kick(s, list[i], J[0], J[1], J[2]);
        for (k = 0; k < 3; k++)
            work += J[k] * ((double)q->speed[3 * list[i] + k] + (q->v[3 * list[i] + k] - v[k]) / 2);
    }
    return work;
}

CTI_FN void cti_layers_strike_group(cti_state *s, cti_layers_group *g, int64_t tick, double h)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_nodes *q = &y->nodes;
    int i, k, n = CTI_LEN(g->blocks), extended = 0;
    for (i = 0; i < n; i++) {
        cti_layers_drift(q, g->blocks[i], tick, y->window.tick);
        for (k = 3 * g->blocks[i]; k < 3 * g->blocks[i] + 3; k++)
            q->speed[k] = (ct_real)q->v[k];
    }
    y->window.updates += g->n;
    cti_model_assemble(&g->part, q->at, 0, q->force, NULL, &extended, NULL);
    for (i = 0; i < n; i++)
        cti_v3_put(y->clocks.force, g->at + i, cti_v3_at(q->force, g->blocks[i]));
    cti_layers_kicks(s, g->blocks, n, h);
    if (!(g->rate > 0) || h <= 0)
        return;
    for (i = 0; i < n; i++)
        for (k = 3 * g->blocks[i]; k < 3 * g->blocks[i] + 3; k++)
            q->speed[k] = (ct_real)(((double)q->speed[k] + q->v[k]) / 2);
    g->part.slow = (ct_real)(h * g->rate);
    cti_model_damping(&g->part, q->at, q->speed, q->force);
    y->window.sums.damping -= cti_layers_kicks(s, g->blocks, n, -h);
}

CTI_FN void cti_layers_strike_free(cti_state *s, int64_t tick, double h)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_nodes *q = &y->nodes;
    const ct_real *g = s->desc.gravity;
    int i, k;
    y->window.updates += s->n;
    for (i = 0; i < s->n; i++) {
        double m = (double)s->bodies.mass[i], a = h * (double)s->bodies.alpha[i], v[3], J[3];
        cti_layers_drift(q, i, tick, y->window.tick);
        cti_layers_kick(s, i, h * m * (double)g[0], h * m * (double)g[1], h * m * (double)g[2]);
        if (a == 0)
            continue;
        for (k = 0; k < 3; k++)
            v[k] = q->v[3 * i + k], J[k] = -a / (1 + a / 2) * m * v[k];
        cti_layers_kick(s, i, J[0], J[1], J[2]);
        for (k = 0; k < 3; k++)
            y->window.sums.damping -= J[k] * (v[k] + q->v[3 * i + k]) / 2;
    }
}

/* ---- the surface ---- */

CTI_FN cti_v3 cti_layers_place(const cti_state *s, int v, int64_t tick)
{
    const cti_layers *y = cti_layers_own(s);
    const cti_attach *a = cti_surface_attach(&s->surface, v);
    cti_v3 x;
    if (a->n > 0)
        return cti_attach_point(a, y->nodes.at, s->bodies.frames);
    x = cti_v3_at(y->places.begin, v);
    if (!s->surface.bodies[s->surface.body_of[v]].moves)
        return x;
    if (tick == CTI_LAYERS_TICKS)
        return cti_v3_at(cti_surface_script(&s->surface, v), 0);
    return cti_v3_mad(x, cti_v3_sub(cti_v3_at(cti_surface_script(&s->surface, v), 0), x),
                      (ct_real)((double)tick / (double)CTI_LAYERS_TICKS));
}

CTI_FN cti_v3 cti_layers_velocity(const cti_state *s, int v, cti_v3 *out_script)
{
    const cti_layers *y = cti_layers_own(s);
    const cti_surface_body *b = &s->surface.bodies[s->surface.body_of[v]];
    const cti_attach *a = cti_surface_attach(&s->surface, v);
    double sum[3] = {0, 0, 0};
    int k, j;
    *out_script = cti_v3_zero();
    if (b->moves && !b->dynamic)
        *out_script = cti_v3_mul(cti_v3_sub(cti_v3_at(cti_surface_script(&s->surface, v), 0), cti_v3_at(y->places.begin, v)),
                                 (ct_real)(1 / y->clocks.dt));
    for (k = 0; k < a->n; k++)
        for (j = 0; j < 3; j++)
            sum[j] += (a->n > 1 ? (double)a->weight[k] : 1) * y->nodes.v[3 * a->block[k] + j];
    return cti_v3_add(cti_v3_make((ct_real)sum[0], (ct_real)sum[1], (ct_real)sum[2]), *out_script);
}

/* ---- layers ---- */

enum { CTI_LAYERS_TERMS = 16 };

/* cti_layers_point -- what a strike knows of a pair: p_a - p_b as a sum of blocks. */
typedef struct cti_layers_point {
    int n, block[CTI_LAYERS_TERMS];
    double weight[CTI_LAYERS_TERMS];
    double lightness; /* sum of squares of weights over masses [1/kg] */
    cti_v3 normal;
    cti_v3 u, script; /* relative velocity; the scripts' part of it */
} cti_layers_point;

static void cti_layers_point_add(cti_layers_point *p, int block, double weight)
{
    int i;
    for (i = 0; i < p->n && p->block[i] != block; i++) {
    }
    if (i == p->n)
        p->block[p->n++] = block, p->weight[i] = 0;
    p->weight[i] += weight;
}

/* c [n]: signed weights of the vertices v */
static void cti_layers_point_make(const cti_state *s, const int32_t *v, const ct_real *c, int n, cti_layers_point *p)
{
    const cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    cti_v3 script;
    int k, j;
    p->n = 0, p->lightness = 0, p->u = p->script = cti_v3_zero();
    for (k = 0; k < n; k++) {
        const cti_attach *a = cti_surface_attach(&s->surface, v[k]);
        p->u = cti_v3_mad(p->u, cti_layers_velocity(s, v[k], &script), c[k]);
        p->script = cti_v3_mad(p->script, script, c[k]);
        for (j = 0; j < a->n; j++)
            cti_layers_point_add(p, a->block[j], (double)c[k] * (a->n > 1 ? (double)a->weight[j] : 1));
    }
    for (k = 0; k < p->n; k++)
        p->lightness += p->weight[k] * p->weight[k] * q->inverse[p->block[k]];
}

/* an impulse J on side a, and -J on side b */
static void cti_layers_point_push(cti_state *s, const cti_layers_point *p, cti_v3 J)
{
    int k;
    for (k = 0; k < p->n; k++)
        cti_layers_kick(s, p->block[k], p->weight[k] * (double)J.x, p->weight[k] * (double)J.y, p->weight[k] * (double)J.z);
    cti_layers_own(s)->window.sums.script -= (double)cti_v3_dot(J, p->script);
}

/* cti_layers_act -- the impulse of some layers of a pair in one strike. */
typedef struct cti_layers_act {
    double full;              /* [N s] along the normal, without restitution */
    double energy;            /* [J s] what the factor of nearly parallel edges multiplies, times h */
    const ct_real *gradient;  /* [12] of that factor; NULL: it is 1 */
} cti_layers_act;

/* rate of the factor of nearly parallel edges [1/s] */
static double cti_layers_turning(const cti_state *s, const int32_t *v, const cti_layers_act *act)
{
    cti_v3 script;
    double sum = 0;
    int k;
    for (k = 0; act->gradient && k < 4; k++)
        sum += (double)cti_v3_dot(cti_v3_at(act->gradient, k), cti_layers_velocity(s, v[k], &script));
    return sum;
}

/* the impulses by which that factor acts on the ends of the edges, of which restitution leaves a share */
static void cti_layers_twist(cti_state *s, const int32_t *v, const cti_layers_act *act, double share)
{
    cti_layers_sums *sums = &cti_layers_own(s)->window.sums;
    int k, j;
    for (k = 0; act->gradient && k < 4; k++) {
        const cti_attach *a = cti_surface_attach(&s->surface, v[k]);
        cti_v3 script, J = cti_v3_mul(cti_v3_at(act->gradient, k), (ct_real)(-share * act->energy));
        cti_layers_velocity(s, v[k], &script);
        for (j = 0; j < a->n; j++) {
            double w = a->n > 1 ? (double)a->weight[j] : 1;
            cti_layers_kick(s, a->block[j], w * (double)J.x, w * (double)J.y, w * (double)J.z);
        }
        sums->script -= (double)cti_v3_dot(J, script);
    }
}

/* geometric mean of both bodies' coefficients of friction */
static double cti_layers_friction(const cti_surface *f, const cti_layers_list *l, const int32_t *v, int i)
{
    int b = l->c.kind == CT_PAIR_PLANE ? f->planes[l->c.pairs[2 * i + 1]].body : f->body_of[v[l->c.kind == CT_PAIR_EE ? 2 : 1]];
    return sqrt((double)f->bodies[f->body_of[v[0]]].friction * (double)f->bodies[b].friction);
}

/* what the clocks are behind at a tick */
static void cti_layers_owe(cti_state *s, int64_t tick)
{
    cti_layers *y = cti_layers_own(s);
    int i;
    for (i = 0; i < CTI_LEN(y->clocks.groups); i++)
        y->clocks.due[i] = (double)cti_layers_due(tick, y->clocks.groups[i].level) * y->window.tick;
    y->window.due = (double)cti_layers_due(tick, y->clocks.free_level) * y->window.tick;
    for (i = y->n_owing = 0; i <= CTI_LAYERS_LEVELS; i++) {
        if (CTI_LEN(y->set[i].given.tick) == 0)
            continue;
        y->owing[y->n_owing++] = i;
        y->set[i].struck = cti_layers_before(tick, i);
        y->set[i].share = (double)cti_layers_due(tick, i) / (double)((int64_t)1 << (CTI_LAYERS_LOG - i));
    }
}

/* the set's impulses of its last strike go to `last`, and those of this one begin at 0 */
static void cti_layers_given_begin(cti_state *s, cti_layers_set *set, int64_t tick)
{
    cti_layers *y = cti_layers_own(s);
    int64_t before = cti_layers_before(tick - 1, (int)(set - y->set));
    int i, k;
    for (i = 0; i < CTI_LEN(set->blocks); i++)
        for (k = 3 * set->blocks[i]; k < 3 * set->blocks[i] + 3; k++) {
            y->last[k] = set->given.tick[k / 3] == before ? set->given.J[k] : 0;
            set->given.J[k] = 0;
        }
    for (i = 0; i < CTI_LEN(set->blocks); i++)
        set->given.tick[set->blocks[i]] = tick;
    y->at = &set->given;
}

static void cti_layers_more(double *sum, double factor, const double *a)
{
    int k;
    for (k = 0; k < 3; k++)
        sum[k] += factor * a[k];
}

/* Change of the relative velocity by what all clocks but the set's own owe [m/s]. *normal: along the normal, with the own one's. own: change by the
   pair's full impulse [m/s]; other pairs of the set are expected to give what the set gave at its last strike beyond that, and half of it counts in
   the middle of the strike */
static cti_v3 cti_layers_owed(const cti_state *s, const cti_layers_point *p, double own, double *normal, double *change)
{
    const cti_layers *y = cti_layers_own(s);
    const cti_layers_clocks *c = &y->clocks;
    double sum[3] = {0, 0, 0}, now[3] = {0, 0, 0}, last[3] = {0, 0, 0}, fall = 0;
    cti_v3 n = p->normal, all;
    int k, j;
    for (k = 0; k < p->n; k++) {
        int b = p->block[k];
        double lightness = p->weight[k] * y->nodes.inverse[b];
        if (!(y->nodes.inverse[b] > 0))
            continue;
        fall += p->weight[k];
        for (j = c->begin[b]; j < c->begin[b + 1]; j++) {
            const ct_real *f = c->force + 3 * (size_t)c->from[2 * j + 1];
            double h = lightness * c->due[c->from[2 * j]];
            sum[0] += h * (double)f[0], sum[1] += h * (double)f[1], sum[2] += h * (double)f[2];
        }
        for (j = 0; j < y->n_owing; j++) {
            const cti_layers_set *q = &y->set[y->owing[j]];
            if (q->given.tick[b] != q->struck)
                continue;
            if (&q->given == y->at) {
                cti_layers_more(now, lightness, q->given.J + 3 * (size_t)b);
                cti_layers_more(last, lightness, y->last + 3 * (size_t)b);
            } else
                cti_layers_more(sum, lightness * q->share, q->given.J + 3 * (size_t)b);
        }
    }
    all = cti_v3_mad(cti_v3_make((ct_real)sum[0], (ct_real)sum[1], (ct_real)sum[2]), cti_v3_at(s->desc.gravity, 0), (ct_real)(fall * y->window.due));
    for (*normal = (double)cti_v3_dot(all, n), j = 0; j < 3; j++)
        now[j] *= (double)(j == 0 ? n.x : j == 1 ? n.y : n.z), last[j] *= (double)(j == 0 ? n.x : j == 1 ? n.y : n.z);
    *normal -= now[0] + now[1] + now[2];
    *change = cti_fmax(own, last[0] + last[1] + last[2]);
    return all;
}

/* Share of a strike's impulse that restitution leaves: 1 while layers take energy, least = e^2 where they give it, and between them a share of which
   the velocity in the middle of the strike is that of CTI_LAYERS_BLEND. rate: what the full impulse would give [J]; change: what it adds to that rate
   when it is given [J] */
static double cti_layers_returned(double least, double rate, double change)
{
    double k = (1 - least) / CTI_LAYERS_BLEND;
    return change > 0 ? cti_fmin(1, cti_fmax(least, (1 - k * rate / change) / (1 + k / 2))) : 1;
}

/* the impulses of pair i of a list, of vertices v. Restitution leaves e^2 of them while the layers give energy back; what friction and the rest of
   the impulse would have done along the mean of the velocities before and after is lost. plain: without friction and restitution */
static void cti_layers_push_pair(cti_state *s, cti_layers_list *l, int i, const int32_t *v, const cti_layers_act *act, cti_layers_point *p, int plain)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_sums *sums = &y->window.sums;
    double e = (double)s->desc.restitution, un = (double)cti_v3_dot(p->u, p->normal), turning = cti_layers_turning(s, v, act);
    double mu = plain ? 0 : cti_layers_friction(&s->surface, l, v, i), owed = 0, change = 0, share = 1, J, ut, take = 0;
    cti_v3 more = cti_v3_zero(), all, mean, t;
    if (y->at)
        more = cti_layers_owed(s, p, act->full * p->lightness, &owed, &change);
    if (y->at && e < 1)
        share = cti_layers_returned(e * e, act->full * (un + owed) - act->energy * turning, act->full * change);
    J = share * act->full;
    all = cti_v3_mul(p->normal, (ct_real)J);
    t = cti_v3_add(p->u, more);
    t = cti_v3_mad(t, p->normal, -cti_v3_dot(t, p->normal));
    ut = (double)cti_v3_norm(t);
    if (mu > 0 && ut > 0 && J > 0 && p->lightness > 0) {
        take = cti_fmin(mu * J, CTI_LAYERS_STOP * ut / p->lightness);
        all = cti_v3_mad(all, t, (ct_real)(-take / ut));
        l->stick[i] = take < CTI_LAYERS_STICKS * mu * J ? 3 : 1;
    } else if (J > 0 && !l->stick[i])
        l->stick[i] = 1;
    cti_layers_point_push(s, p, all);
    cti_layers_twist(s, v, act, share);
    cti_v3_addto(l->sum, i, all);
    if (share == 1 && take == 0)
        return;
    mean = cti_v3_mad(p->u, all, (ct_real)(p->lightness / 2));
    if (act->gradient || s->scripts.n_constrained) { /* pins and the edges' ends change it, too */
        mean = p->u;
        cti_layers_point_make(s, v, l->held + 4 * (size_t)i, l->c.kind == CT_PAIR_PLANE ? 1 : 4, p);
        mean = cti_v3_mul(cti_v3_add(mean, p->u), CTI_R(0.5));
        turning = (turning + cti_layers_turning(s, v, act)) / 2;
    }
    sums->contact += (1 - share) * (act->full * (double)cti_v3_dot(mean, p->normal) - act->energy * turning);
    if (take > 0)
        sums->contact += take / ut * (double)cti_v3_dot(mean, t);
}

/* weights of closest points, and the unit normal from b to a. 0: the points coincide */
static int cti_layers_weights(const cti_state *s, const cti_layers_list *l, const int32_t *v, const ct_real *w, int pair, ct_real *c,
                              cti_v3 *normal)
{
    const ct_real *x = s->surface.x1;
    cti_v3 r = cti_v3_zero();
    int k;
    if (l->c.kind == CT_PAIR_PLANE) {
        c[0] = 1;
        *normal = cti_v3_at(s->surface.planes[l->c.pairs[2 * pair + 1]].normal, 0);
        return 1;
    }
    if (l->c.kind == CT_PAIR_VF)
        c[0] = 1, c[1] = -w[0], c[2] = -w[1], c[3] = w[0] + w[1] - 1;
    else
        c[0] = 1 - w[0], c[1] = w[0], c[2] = w[1] - 1, c[3] = -w[1];
    for (k = 1; k < 4; k++) /* the weights sum to zero */
        r = cti_v3_mad(r, cti_v3_sub(cti_v3_at(x, v[k]), cti_v3_at(x, v[0])), c[k]);
    *normal = cti_v3_unit(r, cti_v3_zero());
    return cti_v3_norm2(*normal) > 0;
}

CTI_FN void cti_layers_strike_set(cti_state *s, cti_layers_set *set, int64_t tick, double h, int plain)
{
    cti_layers *y = cti_layers_own(s);
    ct_real *x = s->surface.x1;
    int i, k, n;
    for (i = 0; i < CTI_LEN(set->blocks); i++)
        cti_layers_drift(&y->nodes, set->blocks[i], tick, y->window.tick);
    if (!plain && CTI_LEN(set->given.tick)) {
        cti_layers_owe(s, tick);
        cti_layers_given_begin(s, set, tick);
    }
    for (i = 0; i < CTI_LEN(set->vertices); i++)
        cti_v3_put(x, set->vertices[i], cti_layers_place(s, set->vertices[i], tick));
    for (k = 0; k < CTI_LAYERS_LISTS; k++) {
        cti_layers_list *l = &y->list[k];
        n = CTI_LEN(set->pair[k]);
        y->window.updates += n;
        cti_dist_batch(l->c.kind, x, set->quads[k], n, y->d2, y->weights, y->feature);
        for (i = 0; i < n; i++) {
            int pair = set->pair[k][i];
            const int32_t *v = set->quads[k] + 4 * (size_t)i;
            ct_real d =
                k == CTI_LAYERS_PLANES ? cti_plane_gap(&s->surface.planes[l->c.pairs[2 * pair + 1]], cti_v3_at(x, v[0])) : cti_sqrt(y->d2[i]);
            double share = (double)(d / l->c.hat[pair]), factor = 1;
            ct_real gradient[12];
            cti_layers_act act;
            cti_layers_point p;
            if (share >= cti_layers_share(set->first))
                continue;
            if (!cti_layers_weights(s, l, v, y->weights + (k == CTI_LAYERS_VF ? 3 : 2) * (size_t)i, pair, l->held + 4 * (size_t)pair,
                                    &p.normal))
                continue;
            if (k == CTI_LAYERS_EE)
                factor = cti_layers_parallel(x, v, l->width[pair], gradient);
            act.gradient = factor < 1 ? gradient : NULL;
            act.full = h * factor * (double)(l->stiff[pair] * l->c.hat[pair]) * cti_layers_force(share, set->first, set->last, &act.energy);
            act.energy *= h * (double)(l->stiff[pair] * l->c.hat[pair] * l->c.hat[pair]);
            cti_layers_point_make(s, v, l->held + 4 * (size_t)pair, k == CTI_LAYERS_PLANES ? 1 : 4, &p);
            cti_layers_push_pair(s, l, pair, v, &act, &p, plain);
        }
    }
    y->at = NULL;
}
