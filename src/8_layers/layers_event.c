/* layers_event.c -- events: the impulses of elements, of gravity, and of layers.
   Method: an event at a tick moves its nodes along straight lines to that tick (drift), and adds h M^-1 f(x) to their velocities (kick), h the period
   of its clock (asynchronous variational integrator). Forces of an element, and of a pair without friction, sum to zero, and so do their torques.
   Restitution e: while a pair's layers give energy back they push with e^2 of their force; so a pair that comes in with the speed u leaves with e u.
   What the rest of their force would have done is lost. Friction: each event of a layer takes at most mu times its own impulse from the tangential
   motion, and no more than event.overrelax times what stops it. It acts at both closest points, which are apart. Restitution and friction need a
   velocity at a time between events. The momentary one will not do: at rest it changes its sign with each event of an element, since contacts have
   pushed meanwhile and the element has not. So each clock adds the impulse of its lag; the sum is 0 at rest. Damping: -h D v with D of each element
   over 1 + h r, r a bound on the rate of its fastest decay as it is stretched now, which takes at most the whole of each mode; v is the velocity in
   the middle of the event, between before and after the elastic impulse. So its work h v'D (1 - h M^-1 D / 2) v is never a gain, for every h. based
   on: Lew et al. 2003; Harmon et al. 2009. */
#include "layers.h"
#include "../4_geom/dist.h"

/* ---- blocks ---- */

/* adds an impulse [N s] to block i at its tick; records the block's deviation, and what a pin takes */
static void cti_layers_kick(cti_state *s, int i, double jx, double jy, double jz)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_nodes *q = &y->nodes;
    double t = (double)(q->tick[i] - y->window.begin) * y->window.tick, off = 0, d;
    int k;
    for (k = 3 * i; k < 3 * i + 3; k++) {
        d = q->x[k] - q->x0[k] - t * q->v0[k];
        off += d * d;
    }
    q->deviation2[i] = cti_finite64(off) ? cti_fmax(q->deviation2[i], off) : HUGE_VAL; /* cti_fmax drops NaN */
    if (y->recording) {
        double *sum = y->recording->J + 3 * (size_t)i;
        sum[0] += jx, sum[1] += jy, sum[2] += jz;
    }
    if (s->scripts.filter[i] >= 0) {
        cti_v3 J = cti_v3_make((ct_real)jx, (ct_real)jy, (ct_real)jz), own = cti_state_free(s, i, J), pin = cti_v3_sub(own, J);
        cti_v3_addto(s->step.impulses.pins, i, pin);
        y->window.sums.pins += (double)cti_v3_dot(pin, cti_v3_at(s->scripts.v_fixed, i));
        jx = (double)own.x, jy = (double)own.y, jz = (double)own.z;
    }
    q->v[3 * i] += jx * q->inverse_mass[i], q->v[3 * i + 1] += jy * q->inverse_mass[i], q->v[3 * i + 2] += jz * q->inverse_mass[i];
}

/* kicks blocks list [n] by h times q->force, which becomes 0; returns the impulses' work along v_rounded and half of what they add to it [J] */
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
            work += J[k] * ((double)q->v_rounded[3 * list[i] + k] + (q->v[3 * list[i] + k] - v[k]) / 2);
    }
    return work;
}

CTI_FN void cti_layers_event_elements(cti_state *s, cti_layers_group *g, int64_t tick, double h)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_nodes *q = &y->nodes;
    int i, k, n = CTI_LEN(g->blocks), extended = 0;
    for (i = 0; i < n; i++) {
        cti_layers_drift(q, g->blocks[i], tick, y->window.tick);
        for (k = 3 * g->blocks[i]; k < 3 * g->blocks[i] + 3; k++)
            q->v_rounded[k] = (ct_real)q->v[k];
    }
    y->window.updates += g->n;
    cti_model_assemble(&g->part, q->x_rounded, 0, q->force, NULL, &extended, NULL);
    for (i = 0; i < n; i++)
        cti_v3_put(y->clocks.force, g->first_force + i, cti_v3_at(q->force, g->blocks[i]));
    cti_layers_kicks(s, g->blocks, n, h);
    if (!(g->damping_rate > 0) || h <= 0)
        return;
    for (i = 0; i < n; i++)
        for (k = 3 * g->blocks[i]; k < 3 * g->blocks[i] + 3; k++)
            q->v_rounded[k] = (ct_real)(((double)q->v_rounded[k] + q->v[k]) / 2);
    g->part.slow = (ct_real)(h * g->damping_rate);
    cti_model_damping(&g->part, q->x_rounded, q->v_rounded, q->force);
    y->window.sums.damping -= cti_layers_kicks(s, g->blocks, n, -h);
}

CTI_FN void cti_layers_event_body_forces(cti_state *s, int64_t tick, double h)
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

CTI_FN cti_v3 cti_layers_position(const cti_state *s, int v, int64_t tick)
{
    const cti_layers *y = cti_layers_own(s);
    const cti_attach *a = cti_surface_attach(&s->surface, v);
    cti_v3 x;
    if (a->n > 0)
        return cti_attach_point(a, y->nodes.x_rounded, s->bodies.frames);
    x = cti_v3_at(y->surface.x_start, v);
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
        *out_script = cti_v3_mul(cti_v3_sub(cti_v3_at(cti_surface_script(&s->surface, v), 0), cti_v3_at(y->surface.x_start, v)),
                                 (ct_real)(1 / y->clocks.dt));
    for (k = 0; k < a->n; k++)
        for (j = 0; j < 3; j++)
            sum[j] += (a->n > 1 ? (double)a->weight[k] : 1) * y->nodes.v[3 * a->block[k] + j];
    return cti_v3_add(cti_v3_make((ct_real)sum[0], (ct_real)sum[1], (ct_real)sum[2]), *out_script);
}

/* ---- layers ---- */

/* terms of a contact's J at most: four vertices with four blocks each */
/* cti_layers_contact -- is a pair in an event: its J, with p_a - p_b = sum of weight times block. */
typedef struct cti_layers_contact {
    int n, block[CTI_LAYERS_TERMS];
    double weight[CTI_LAYERS_TERMS];
    double inverse_mass;     /* is J M^-1 J', the sum of squares of weights over masses [1/kg] */
    cti_v3 normal;           /* points from b to a */
    cti_v3 velocity, script; /* are the relative velocity J v and the scripts' part of it [m/s] */
} cti_layers_contact;

/* adds weight times block to J */
static void cti_layers_contact_add(cti_layers_contact *p, int block, double weight)
{
    int i;
    for (i = 0; i < p->n && p->block[i] != block; i++) {
    }
    if (i == p->n)
        p->block[p->n++] = block, p->weight[i] = 0;
    p->weight[i] += weight;
}

/* sets all but the normal from the signed weights c [n] of the vertices v */
static void cti_layers_contact_make(const cti_state *s, const int32_t *v, const ct_real *c, int n, cti_layers_contact *p)
{
    const cti_layers_nodes *q = &cti_layers_own(s)->nodes;
    cti_v3 script;
    int k, j;
    p->n = 0, p->inverse_mass = 0, p->velocity = p->script = cti_v3_zero();
    for (k = 0; k < n; k++) {
        const cti_attach *a = cti_surface_attach(&s->surface, v[k]);
        p->velocity = cti_v3_mad(p->velocity, cti_layers_velocity(s, v[k], &script), c[k]);
        p->script = cti_v3_mad(p->script, script, c[k]);
        for (j = 0; j < a->n; j++)
            cti_layers_contact_add(p, a->block[j], (double)c[k] * (a->n > 1 ? (double)a->weight[j] : 1));
    }
    for (k = 0; k < p->n; k++)
        p->inverse_mass += p->weight[k] * p->weight[k] * q->inverse_mass[p->block[k]];
}

/* kicks side a by J and side b by -J */
static void cti_layers_contact_kick(cti_state *s, const cti_layers_contact *p, cti_v3 J)
{
    int k;
    for (k = 0; k < p->n; k++)
        cti_layers_kick(s, p->block[k], p->weight[k] * (double)J.x, p->weight[k] * (double)J.y, p->weight[k] * (double)J.z);
    cti_layers_own(s)->window.sums.script -= (double)cti_v3_dot(J, p->script);
}

/* cti_layers_impulse -- is the impulse of a pair's layers of one level in an event, without restitution and friction. */
typedef struct cti_layers_impulse {
    double normal;           /* acts along the normal [N s] */
    double energy;           /* is the energy before the mollifier, times h [J s] */
    const ct_real *gradient; /* [12] is that of the mollifier; NULL: it is 1 */
} cti_layers_impulse;

/* returns the rate of the mollifier [1/s] */
static double cti_layers_mollifier_rate(const cti_state *s, const int32_t *v, const cti_layers_impulse *impulse)
{
    cti_v3 script;
    double sum = 0;
    int k;
    for (k = 0; impulse->gradient && k < 4; k++)
        sum += (double)cti_v3_dot(cti_v3_at(impulse->gradient, k), cti_layers_velocity(s, v[k], &script));
    return sum;
}

/* kicks the ends of the edges by the mollifier's impulses, of which restitution leaves a share */
static void cti_layers_mollifier_kick(cti_state *s, const int32_t *v, const cti_layers_impulse *impulse, double share)
{
    cti_layers_sums *sums = &cti_layers_own(s)->window.sums;
    int k, j;
    for (k = 0; impulse->gradient && k < 4; k++) {
        const cti_attach *a = cti_surface_attach(&s->surface, v[k]);
        cti_v3 script, J = cti_v3_mul(cti_v3_at(impulse->gradient, k), (ct_real)(-share * impulse->energy));
        cti_layers_velocity(s, v[k], &script);
        for (j = 0; j < a->n; j++) {
            double w = a->n > 1 ? (double)a->weight[j] : 1;
            cti_layers_kick(s, a->block[j], w * (double)J.x, w * (double)J.y, w * (double)J.z);
        }
        sums->script -= (double)cti_v3_dot(J, script);
    }
}

/* returns the coefficient of friction of a pair */
static double cti_layers_friction(const cti_surface *f, const cti_layers_list *l, const int32_t *v, int i)
{
    int b = l->c.kind == CT_PAIR_PLANE ? f->planes[l->c.pairs[2 * i + 1]].body : f->body_of[v[l->c.kind == CT_PAIR_EE ? 2 : 1]];
    return (double)cti_combine(f->friction_combine, f->bodies[f->body_of[v[0]]].friction, f->bodies[b].friction);
}

/* sets the lags of all clocks at a tick, and lists the sets that have a record */
static void cti_layers_lags(cti_state *s, int64_t tick)
{
    cti_layers *y = cti_layers_own(s);
    int i;
    for (i = 0; i < CTI_LEN(y->clocks.groups); i++)
        y->clocks.lag[i] = (double)cti_layers_lag(tick, y->clocks.groups[i].level) * y->window.tick;
    y->window.lag = (double)cti_layers_lag(tick, y->clocks.body_force_level) * y->window.tick;
    for (i = y->n_recorded = 0; i <= CTI_LAYERS_LEVELS; i++) {
        if (CTI_LEN(y->set[i].impulses.tick) == 0)
            continue;
        y->recorded[y->n_recorded++] = i;
        y->set[i].last_tick = cti_layers_previous(tick, i);
        y->set[i].lag = (double)cti_layers_lag(tick, i) / (double)((int64_t)1 << (CTI_LAYERS_LOG - i));
    }
}

/* moves the set's record of its last event to `previous`, and begins that of this one at 0 */
static void cti_layers_record_begin(cti_state *s, cti_layers_set *set, int64_t tick)
{
    cti_layers *y = cti_layers_own(s);
    int64_t before = cti_layers_previous(tick - 1, (int)(set - y->set));
    int i, k;
    for (i = 0; i < CTI_LEN(set->blocks); i++)
        for (k = 3 * set->blocks[i]; k < 3 * set->blocks[i] + 3; k++) {
            y->previous[k] = set->impulses.tick[k / 3] == before ? set->impulses.J[k] : 0;
            set->impulses.J[k] = 0;
        }
    for (i = 0; i < CTI_LEN(set->blocks); i++)
        set->impulses.tick[set->blocks[i]] = tick;
    y->recording = &set->impulses;
}

static void cti_layers_axpy(double *sum, double factor, const double *a)
{
    int k;
    for (k = 0; k < 3; k++)
        sum[k] += factor * a[k];
}

/* returns the change of the relative velocity by the lags of all clocks but the set's own [m/s]; *normal gets its normal part, less what the set
   has given in this event. *change is that by the set's impulse [m/s]: `own`, by the pair's full impulse, or that of the last event, if it is more */
static cti_v3 cti_layers_lag_velocity(const cti_state *s, const cti_layers_contact *p, double own, double *normal, double *change)
{
    const cti_layers *y = cti_layers_own(s);
    const cti_layers_clocks *c = &y->clocks;
    double sum[3] = {0, 0, 0}, given[3] = {0, 0, 0}, before[3] = {0, 0, 0}, fall = 0;
    cti_v3 n = p->normal, all;
    int k, j;
    for (k = 0; k < p->n; k++) {
        int b = p->block[k];
        double lightness = p->weight[k] * y->nodes.inverse_mass[b];
        if (!(y->nodes.inverse_mass[b] > 0))
            continue;
        fall += p->weight[k];
        for (j = c->block_start[b]; j < c->block_start[b + 1]; j++) {
            const ct_real *f = c->force + 3 * (size_t)c->block_force[2 * j + 1];
            double h = lightness * c->lag[c->block_force[2 * j]];
            sum[0] += h * (double)f[0], sum[1] += h * (double)f[1], sum[2] += h * (double)f[2];
        }
        for (j = 0; j < y->n_recorded; j++) {
            const cti_layers_set *q = &y->set[y->recorded[j]];
            if (q->impulses.tick[b] != q->last_tick)
                continue;
            if (&q->impulses == y->recording) {
                cti_layers_axpy(given, lightness, q->impulses.J + 3 * (size_t)b);
                cti_layers_axpy(before, lightness, y->previous + 3 * (size_t)b);
            } else
                cti_layers_axpy(sum, lightness * q->lag, q->impulses.J + 3 * (size_t)b);
        }
    }
    all = cti_v3_mad(cti_v3_make((ct_real)sum[0], (ct_real)sum[1], (ct_real)sum[2]), cti_v3_at(s->desc.gravity, 0), (ct_real)(fall * y->window.lag));
    for (*normal = (double)cti_v3_dot(all, n), j = 0; j < 3; j++)
        given[j] *= (double)(j == 0 ? n.x : j == 1 ? n.y : n.z), before[j] *= (double)(j == 0 ? n.x : j == 1 ? n.y : n.z);
    *normal -= given[0] + given[1] + given[2];
    *change = cti_fmax(own, before[0] + before[1] + before[2]);
    return all;
}

/* returns the share of an event's impulse that restitution leaves: 1 while layers take energy, least = e^2 where they give it back, and between them
   the share for which the velocity in the middle of the event is that of event.blend. rate: work of the full impulse at the velocity before the
   event [J]; change: what that impulse adds to this work [J] */
static double cti_layers_restitution(double least, double rate, double change)
{
    double k = (1 - least) / cti_layers_tuned.event.blend;
    return change > 0 ? cti_fmin(1, cti_fmax(least, (1 - k * rate / change) / (1 + k / 2))) : 1;
}

/* adds what belts move, for pair i of a list, of vertices v */
static void cti_layers_contact_belts(const cti_state *s, const cti_layers_list *l, const int32_t *v, int i, cti_layers_contact *p)
{
    const cti_surface *f = &s->surface;
    cti_pair pair;
    if (!f->has_belts)
        return;
    memset(&pair, 0, sizeof pair);
    pair.kind = (int32_t)l->c.kind, pair.n_a = cti_kind_first(l->c.kind), pair.n = cti_kind_corners(l->c.kind);
    memcpy(pair.v, v, sizeof *v * (size_t)pair.n);
    pair.plane = l->c.kind == CT_PAIR_PLANE ? l->c.pairs[2 * i + 1] : -1;
    p->velocity = cti_pair_with_belts(f, &pair, p->normal, 1, p->velocity), p->script = cti_pair_with_belts(f, &pair, p->normal, 1, p->script);
}

/* kicks both sides of pair i of a list, of vertices v, and sums what friction and restitution take, along the mean of the velocities before and
   after. plain: there is neither */
static void cti_layers_pair_kick(cti_state *s, cti_layers_list *l, int i, const int32_t *v, const cti_layers_impulse *impulse, cti_layers_contact *p,
                                 int plain)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_sums *sums = &y->window.sums;
    double e = (double)s->desc.restitution, un = (double)cti_v3_dot(p->velocity, p->normal), rate = cti_layers_mollifier_rate(s, v, impulse);
    double mu = plain ? 0 : cti_layers_friction(&s->surface, l, v, i), lag = 0, change = 0, share = 1, J, speed, friction = 0;
    cti_v3 lag_velocity = cti_v3_zero(), total, mean, slip;
    cti_layers_contact_belts(s, l, v, i, p);
    if (y->recording)
        lag_velocity = cti_layers_lag_velocity(s, p, impulse->normal * p->inverse_mass, &lag, &change);
    if (y->recording && e < 1)
        share = cti_layers_restitution(e * e, impulse->normal * (un + lag) - impulse->energy * rate, impulse->normal * change);
    J = share * impulse->normal;
    total = cti_v3_mul(p->normal, (ct_real)J);
    slip = cti_v3_add(p->velocity, lag_velocity);
    slip = cti_v3_mad(slip, p->normal, -cti_v3_dot(slip, p->normal));
    speed = (double)cti_v3_norm(slip);
    if (mu > 0 && speed > 0 && J > 0 && p->inverse_mass > 0) {
        friction = cti_fmin(mu * J, cti_layers_tuned.event.overrelax * speed / p->inverse_mass);
        total = cti_v3_mad(total, slip, (ct_real)(-friction / speed));
        l->load[i] = friction < cti_layers_tuned.event.sticks * mu * J ? 3 : 1;
    } else if (J > 0 && !l->load[i])
        l->load[i] = 1;
    cti_layers_contact_kick(s, p, total);
    cti_layers_mollifier_kick(s, v, impulse, share);
    cti_v3_addto(l->impulse, i, total);
    if (share == 1 && friction == 0)
        return;
    mean = cti_v3_mad(p->velocity, total, (ct_real)(p->inverse_mass / 2));
    if (impulse->gradient || s->scripts.n_constrained) { /* pins and the edges' ends change it, too */
        mean = p->velocity;
        cti_layers_contact_make(s, v, l->weights + 4 * (size_t)i, l->c.kind == CT_PAIR_PLANE ? 1 : 4, p);
        cti_layers_contact_belts(s, l, v, i, p);
        mean = cti_v3_mul(cti_v3_add(mean, p->velocity), CTI_R(0.5));
        rate = (rate + cti_layers_mollifier_rate(s, v, impulse)) / 2;
    }
    sums->contact += (1 - share) * (impulse->normal * (double)cti_v3_dot(mean, p->normal) - impulse->energy * rate);
    if (friction > 0)
        sums->contact += friction / speed * (double)cti_v3_dot(mean, slip);
}

/* sets the weights of the closest points, and the unit normal from b to a. 0: the points coincide */
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

CTI_FN void cti_layers_event_layers(cti_state *s, cti_layers_set *set, int64_t tick, double h, int plain)
{
    cti_layers *y = cti_layers_own(s);
    ct_real *x = s->surface.x1;
    int i, k, n;
    for (i = 0; i < CTI_LEN(set->blocks); i++)
        cti_layers_drift(&y->nodes, set->blocks[i], tick, y->window.tick);
    if (!plain && CTI_LEN(set->impulses.tick)) {
        cti_layers_lags(s, tick);
        cti_layers_record_begin(s, set, tick);
    }
    for (i = 0; i < CTI_LEN(set->vertices); i++)
        cti_v3_put(x, set->vertices[i], cti_layers_position(s, set->vertices[i], tick));
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
            double distance = (double)(d / l->c.hat[pair]), factor = 1;
            ct_real gradient[12];
            cti_layers_impulse impulse;
            cti_layers_contact p;
            if (distance >= cti_layers_thickness(set->first))
                continue;
            if (!cti_layers_weights(s, l, v, y->weights + (k == CTI_LAYERS_VF ? 3 : 2) * (size_t)i, pair, l->weights + 4 * (size_t)pair,
                                    &p.normal))
                continue;
            if (k == CTI_LAYERS_EE)
                factor = cti_layers_mollifier(x, v, l->width[pair], gradient);
            impulse.gradient = factor < 1 ? gradient : NULL;
            impulse.normal = h * factor * (double)(l->stiffness[pair] * l->c.hat[pair]) *
                             cti_layers_force(distance, set->first, set->last, &impulse.energy);
            impulse.energy *= h * (double)(l->stiffness[pair] * l->c.hat[pair] * l->c.hat[pair]);
            cti_layers_contact_make(s, v, l->weights + 4 * (size_t)pair, k == CTI_LAYERS_PLANES ? 1 : 4, &p);
            cti_layers_pair_kick(s, l, pair, v, &impulse, &p, plain);
        }
    }
    y->recording = NULL;
}
