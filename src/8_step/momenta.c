/* momenta.c -- angular momentum of groups of bodies that only act on each other.
   Method: a step is x1 = x0 + dt v, v = v0 + M^-1 f, so that x1 x m v = x0 x m v, and angular momentum changes by the moment of all impulses about
   x0. Elastic impulses have no moment about the place where they are evaluated, contact impulses none at the time of impact; about x0 their moment is
   of first order in dt. A group consists of components that contacts connect, and on which neither scripts nor bodies at rest act. At the end of the
   step all its components get the same additional angular velocity, each about its own centre. This is the smallest change of velocities, in the norm
   of the masses, that restores the group's angular momentum and leaves each body the linear momentum of its reported impulses. The next step's free
   motion includes it. Rotations of each body about its own centre would violate joints: a group that joints connect gets what is missing as one body.
   Elastic impulses have no moment about places to which their body has turned alone, and arms of rigid bodies are those of the middle of the step.
   Bodies of linkages have end velocities of their own (linkage_velocities.c). Gravity and mass damping have their own moments about the centre. Based
   on: no paper; Hairer, Lubich, Wanner 2006, IV.4 (projection on invariants). */
#include "momenta.h"
#include "integrate.h"
#include "joints.h"
#include "motion.h"
#include "wind.h"

static cti_group *cti_momenta_root(cti_group *q, int c)
{
    while (q[c].up != c)
        c = q[c].up = q[q[c].up].up;
    return &q[c];
}

/* Components under rows with an impulse belong to one group. A row without a free block on one side makes its group held */
static void cti_momenta_unite(cti_state *s)
{
    cti_group *q = s->end.groups;
    int i, k, c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        memset(&q[c], 0, sizeof q[c]), q[c].up = c;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        if (!row->equations && !(row->r[0] > 0))
            continue;
        for (k = 0; k < row->n; k++) {
            cti_group *a = cti_momenta_root(q, s->factors.component_of[row->term[0].block]);
            cti_group *b = cti_momenta_root(q, s->factors.component_of[row->term[k].block]);
            b->up = a->up;
            a->held |= b->held || row->n_a == 0 || row->n_a == row->n;
            a->joined |= b->joined | (row->equations != 0);
            a->has_impulses = 1;
        }
    }
}

/* opens the groups that keep their angular momentum */
static void cti_momenta_select(cti_state *s)
{
    int c, k;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *p = &s->factors.components[c];
        cti_group *g = cti_momenta_root(s->end.groups, c);
        int block = s->factors.blocks[p->begin], model = s->history.model_of[block];
        g->held |= (g->has_impulses && (p->substep.forced || p->substep.unbalanced)) || (model >= 0 && s->history.reset[model]);
        g->held |= !g->has_impulses && !s->system.turns[c].turns;
        g->held |= s->bodies.rigid_of[block] >= 0 && s->bodies.rigids[s->bodies.rigid_of[block]].linkage_mode;
        for (k = p->begin; s->scripts.n_constrained && !g->held && k < p->end; k++)
            g->held = s->scripts.filter[s->factors.blocks[k]] >= 0;
    }
}

/* the motion of a component, including a rigid body's own spin */
static void cti_momenta_measure(const cti_state *s, int c, int at_end, const ct_real *v, cti_motion *out)
{
    const cti_component *p = &s->factors.components[c];
    int rigid = s->bodies.rigid_of[s->factors.blocks[p->begin]];
    cti_motion_measure(s, p, at_end ? s->end.x : s->x, v, out);
    if (rigid >= 0) {
        const cti_rigid *r = &s->bodies.rigids[rigid];
        cti_v3 w = cti_v3_at(v, r->block + 1);
        out->spin = at_end ? cti_m3_mul_v(r->I_mid, w) : cti_v3_at(r->spin, 0);
        cti_rigid_inertia(r, at_end ? r->q_new : r->q, out->inertia);
        out->about = (double)cti_v3_dot(w, out->spin) / 2;
    }
}

/* adds a component's mass, centre and momentum to its group; v NULL: before the step only */
static void cti_momenta_center(const cti_state *s, cti_group *g, int c, const ct_real *v)
{
    int at_end;
    for (at_end = 0; at_end < (v ? 2 : 1); at_end++) {
        cti_motion m;
        cti_motion_measure(s, &s->factors.components[c], at_end ? s->end.x : s->x, at_end ? v : s->v, &m);
        if (!(g->mass > 0) && !at_end)
            g->first = m.center;
        g->mass += at_end ? 0 : m.mass;
        g->center[at_end] = cti_v3_mad(g->center[at_end], cti_v3_sub(m.center, g->first), m.mass);
        g->speed[at_end] = cti_v3_mad(g->speed[at_end], m.speed, m.mass);
    }
}

/* moment of gravity, air and mass damping about the group's centre over the step */
static cti_v3 cti_momenta_moment(const cti_state *s, const cti_group *g, int c, ct_real dt)
{
    const cti_component *p = &s->factors.components[c];
    cti_v3 sum = cti_v3_zero(), gravity = cti_v3_at(s->desc.gravity, 0);
    int i;
    for (i = p->begin; i < p->end; i++) {
        int b = s->factors.blocks[i];
        const cti_rigid *turning = cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, b);
        cti_v3 u = cti_v3_mul(cti_v3_at(s->end.v, b), -dt * s->bodies.alpha[b]);
        if (turning)
            sum = cti_v3_add(sum, cti_m3_mul_v(turning->I_mid, u));
        u = cti_v3_mad(u, gravity, cti_integrate_kick(s, b, dt));
        sum = cti_v3_mad(sum, cti_v3_cross(cti_v3_sub(cti_v3_at(s->x, b), g->center[0]), u), s->bodies.mass[b]);
        if (cti_wind_is_on(s, b))
            sum = cti_v3_add(sum, cti_v3_cross(cti_v3_sub(cti_v3_at(s->x, b), g->center[0]), cti_wind_impulse(s, b)));
    }
    return sum;
}

/* adds the inertia m (|r|^2 1 - r r') of a component's centre about the group's */
static void cti_momenta_orbit(cti_group *g, cti_v3 r, ct_real mass)
{
    ct_real q[3];
    int i, j;
    cti_v3_put(q, 0, r);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            g->inertia[3 * i + j] += mass * ((i == j ? cti_v3_norm2(r) : 0) - q[i] * q[j]);
}

/* a component's motion, and its angular momentum about its group's centre */
static cti_v3 cti_momenta_spin(const cti_state *s, const cti_group *g, int c, int at_end, const ct_real *v, cti_motion *m)
{
    cti_v3 r;
    cti_momenta_measure(s, c, at_end, v, m);
    r = cti_v3_sub(m->center, g->center[at_end]);
    return cti_v3_mad(m->spin, cti_v3_cross(r, cti_v3_sub(m->speed, g->speed[at_end])), m->mass);
}

/* adds a component's inertia about its own centre, or in a jointed group about the group's, and its energy */
static void cti_momenta_inertia(cti_group *g, int at_end, const cti_motion *m)
{
    int k;
    g->about += m->about + (double)(m->mass / 2 * cti_v3_norm2(cti_v3_sub(m->speed, g->speed[at_end])));
    for (k = 0; k < 9; k++)
        g->inertia[k] += m->inertia[k];
    if (g->joined)
        cti_momenta_orbit(g, cti_v3_sub(m->center, g->center[at_end]), m->mass);
}

/* adds a component's missing angular momentum about its group's centre, and its inertia */
static void cti_momenta_add(const cti_state *s, cti_group *g, int c, ct_real dt, const ct_real *v)
{
    cti_motion m;
    cti_v3 end;
    g->lack = cti_v3_mad(g->lack, cti_momenta_spin(s, g, c, 0, s->v, &m), 1);
    g->had += m.about + (double)(m.mass / 2 * cti_v3_norm2(cti_v3_sub(m.speed, g->speed[0])));
    end = cti_momenta_spin(s, g, c, 1, v, &m);
    g->lack = cti_v3_sub(g->lack, end), g->spin = cti_v3_add(g->spin, end);
    g->lack = cti_v3_add(g->lack, cti_momenta_moment(s, g, c, dt));
    cti_momenta_inertia(g, 1, &m);
}

/* the missing angular velocity of a group; 0 if its nodes are on a line, see cti_motion_rate. Jointed points often are: a little inertia about
   the line leaves the rotation across it */
static void cti_momenta_rate(cti_group *g)
{
    ct_real inverse[9], ridge = g->joined ? cti_sqrt(CTI_EPS) * (g->inertia[0] + g->inertia[4] + g->inertia[8]) : 0;
    cti_v3 w;
    int k;
    for (k = 0; k < 9; k += 4)
        g->inertia[k] += ridge;
    g->rate = cti_v3_zero();
    if (!cti_m3_inverse(g->inertia, inverse))
        return;
    w = cti_m3_mul_v(inverse, g->lack);
    if (cti_finite(cti_v3_norm2(w)) && (double)cti_v3_dot(w, g->lack) <= 2.01 * g->about)
        g->rate = w;
}

/* Velocities of straight ways have a radial part at their ends, so that a rotation with all of its angular momentum would have more energy than
   before. The rate is the largest part of itself with which the energy about the centre, about + w.spin + w'I w / 2, does not rise */
static void cti_momenta_cap(cti_group *g)
{
    double a = (double)cti_v3_dot(g->rate, g->lack) / 2, b = (double)cti_v3_dot(g->rate, g->spin), room = cti_fmax(0, g->had - g->about);
    if (a + b > room && a > 0)
        g->rate = cti_v3_mul(g->rate, (ct_real)((sqrt(b * b + 4 * a * room) - b) / (2 * a)));
}

static void cti_momenta_turn(const cti_state *s, const cti_group *g, int c, ct_real *v)
{
    const cti_component *p = &s->factors.components[c];
    int rigid = s->bodies.rigid_of[s->factors.blocks[p->begin]], i;
    cti_v3 center;
    cti_motion m;
    cti_motion_measure(s, p, s->end.x, v, &m);
    center = g->joined ? g->center[1] : m.center;
    if (rigid >= 0) { /* spin is I_mid times the velocity of the angular block */
        const cti_rigid *r = &s->bodies.rigids[rigid];
        ct_real I[9], inverse[9];
        cti_rigid_inertia(r, r->q_new, I);
        if (cti_m3_inverse(r->I_mid, inverse))
            cti_v3_addto(v, r->block + 1, cti_m3_mul_v(inverse, cti_m3_mul_v(I, g->rate)));
        if (g->joined)
            cti_v3_addto(v, r->block, cti_v3_cross(g->rate, cti_v3_sub(m.center, center)));
        return;
    }
    for (i = p->begin; i < p->end; i++) {
        int b = s->factors.blocks[i];
        cti_v3_addto(v, b, cti_v3_cross(g->rate, cti_v3_sub(cti_v3_at(s->end.x, b), center)));
    }
}

/* closes the sums of cti_momenta_center */
static void cti_momenta_mean(cti_state *s)
{
    int c, k;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_group *g = &s->end.groups[c];
        g->held |= !(g->mass > 0);
        for (k = 0; !g->held && k < 2; k++) {
            g->center[k] = cti_v3_mad(g->first, g->center[k], 1 / g->mass);
            g->speed[k] = cti_v3_mul(g->speed[k], 1 / g->mass);
        }
    }
}

CTI_FN void cti_momenta_turning(cti_state *s)
{
    int c, k, n = CTI_LEN(s->factors.components);
    cti_momenta_unite(s);
    for (c = 0; c < n; c++)
        for (k = s->factors.components[c].begin; s->scripts.n_constrained && k < s->factors.components[c].end; k++)
            cti_momenta_root(s->end.groups, c)->held |= s->scripts.filter[s->factors.blocks[k]] >= 0;
    for (c = 0; c < n; c++)
        if (!cti_momenta_root(s->end.groups, c)->held)
            cti_momenta_center(s, cti_momenta_root(s->end.groups, c), c, NULL);
    cti_momenta_mean(s);
    for (c = 0; c < n; c++) {
        cti_group *g = cti_momenta_root(s->end.groups, c);
        cti_motion m;
        if (g->held)
            continue;
        g->lack = cti_v3_add(g->lack, cti_momenta_spin(s, g, c, 0, s->v, &m));
        cti_momenta_inertia(g, 0, &m);
    }
    for (c = 0; c < n; c++)
        if (s->end.groups[c].up == c && !s->end.groups[c].held)
            cti_momenta_rate(&s->end.groups[c]);
}

CTI_FN cti_v3 cti_momenta_rate_of(const cti_state *s, int block)
{
    return cti_momenta_root(s->end.groups, s->factors.component_of[block])->rate;
}

CTI_FN void cti_momenta_balance(cti_state *s, ct_real dt, int capped, ct_real *v)
{
    cti_end *end = &s->end;
    int c, n = CTI_LEN(s->factors.components);
    cti_momenta_unite(s);
    cti_momenta_select(s);
    for (c = 0; c < n; c++)
        if (!cti_momenta_root(end->groups, c)->held)
            cti_momenta_center(s, cti_momenta_root(end->groups, c), c, v);
    cti_momenta_mean(s);
    for (c = 0; c < n; c++)
        if (!cti_momenta_root(end->groups, c)->held)
            cti_momenta_add(s, cti_momenta_root(end->groups, c), c, dt, v);
    for (c = 0; c < n; c++)
        if (end->groups[c].up == c && !end->groups[c].held) {
            cti_momenta_rate(&end->groups[c]);
            if (capped)
                cti_momenta_cap(&end->groups[c]);
        }
    for (c = 0; c < n; c++)
        if (!cti_momenta_root(end->groups, c)->held)
            cti_momenta_turn(s, cti_momenta_root(end->groups, c), c, v);
}
