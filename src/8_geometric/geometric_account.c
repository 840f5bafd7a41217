/* geometric_account.c -- the energy account of the geometric stepper.
   Method: corrections of positions and speeds move energy by known amounts, and so do impulses of collisions, pins and dampers at the
   velocities of the way, v + share dv. What kinetic and potential energy gain beside these in the integration is the error of its linearized
   forces. Implicit Euler takes |dv|^2 / 2 besides, so that a gain is an error for certain. */
#include "geometric.h"
#include "../8_step/policy.h"

CTI_FN double cti_geometric_kinetic(const cti_state *s, const ct_real *v)
{
    double e = 0;
    int i;
    for (i = 0; i < s->n; i++)
        e += 0.5 * (double)s->bodies.mass[i] * (double)cti_v3_norm2(cti_v3_at(v, i));
    return e;
}

CTI_FN double cti_geometric_elastic(const cti_state *s, ct_real h, const ct_real *x)
{
    double e = 0;
    int i;
    for (i = 0; i < s->bodies.n_models; i++) {
        cti_model_ahead(s->bodies.models[i], h, 1, NULL);
        e += cti_model_energy(s->bodies.models[i], x);
    }
    return e;
}

/* that of gravity */
static double cti_geometric_height(const cti_state *s, const ct_real *x)
{
    double e = 0;
    int i;
    for (i = 0; i < s->n; i++)
        e -= (double)s->bodies.mass[i] * (double)cti_v3_dot(cti_v3_at(x, i), cti_v3_at(s->desc.gravity, 0));
    return e;
}

CTI_FN double cti_geometric_bound(const cti_state *s, ct_real h, double energy)
{
    double kick = (double)(h * cti_v3_norm(cti_v3_at(s->desc.gravity, 0))), mass = 0, rounded = fabs(cti_geometric_height(s, s->x));
    int i;
    for (i = 0; i < s->bodies.n_models; i++)
        rounded += s->energy.moduli[i];
    for (i = 0; i < s->n; i++)
        mass += (double)s->bodies.mass[i];
    return cti_policy_body_gain(1, energy + mass * kick * kick, rounded);
}

/* an impulse J of collision c acts while the relative velocity of its blocks is u, that of scripts t->script */
static void cti_geometric_work(const cti_geometric_hit *t, cti_v3 J, cti_v3 u, double *script, double *recovery, double *contact)
{
    double whole = (double)cti_v3_dot(J, cti_v3_add(u, t->script));
    *script -= (double)cti_v3_dot(J, t->script);
    if (whole > 0)
        *recovery += whole;
    else
        *contact -= whole;
}

CTI_FN void cti_geometric_speed_work(const cti_state *s, ct_step_report *r)
{
    const cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_net *q = &g->q;
    int c, k;
    for (c = 0; c < q->net.m; c++) {
        cti_v3 u = cti_v3_zero();
        if (cti_v3_norm2(cti_v3_at(q->forces.speed, c)) == 0)
            continue;
        for (k = q->start[c]; k < q->start[c + 1]; k++) {
            int b = q->blocks[q->particle[k]];
            u = cti_v3_mad(u, cti_v3_add(cti_v3_at(g->dv, b), cti_v3_at(g->v, b)), q->S[k] / 2);
        }
        cti_geometric_work(&g->hits[c], cti_v3_at(q->forces.speed, c), u, &r->work_script, &r->work_recovery, &r->loss_contact);
    }
}

/* impulse of the pin of a block: what is missing in the equations of directions that scripts hold. R: A dv */
static cti_v3 cti_geometric_reaction(const cti_state *s, const ct_real *R, int i)
{
    cti_v3 f = cti_v3_mad(cti_v3_at(R, i), cti_v3_at(cti_geometric_own(s)->implicit.y, i), -1 / cti_geometric_share(s));
    return cti_v3_sub(f, cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)s->scripts.filter[i], f));
}

/* work of the integration's impulses, of damping and of pins, at the velocities u of the way: M dv u is what the kinetic energy gains, and for
   Euler what the rule takes besides */
static void cti_geometric_works(cti_state *s, ct_real h, const ct_real *u, cti_geometric_account *a)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_net *q = &g->q;
    ct_real *R = g->implicit.solve, *Dv = g->implicit.solve + 3 * (size_t)s->n;
    int c, i, k;
    for (c = 0; c < q->net.m; c++) {
        cti_v3 w = cti_v3_zero();
        for (k = q->start[c]; k < q->start[c + 1]; k++)
            w = cti_v3_mad(w, cti_v3_at(u, q->blocks[q->particle[k]]), q->S[k]);
        if (g->hits[c].elastic)
            a->joints += (double)cti_v3_dot(cti_v3_at(q->forces.J, c), w);
        else
            cti_geometric_work(&g->hits[c], cti_v3_at(q->forces.J, c), w, &a->script, &a->recovery, &a->contact);
        a->gain -= (double)cti_v3_dot(cti_v3_at(q->forces.J, c), w);
    }
    memset(Dv, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->bodies.n_models; i++)
        cti_model_damping(s->bodies.models[i], s->x, u, Dv);
    for (i = 0; i < 3 * s->n; i++)
        a->damping += (double)h * (double)u[i] * (double)(Dv[i] + s->bodies.mass[i / 3] * s->bodies.alpha[i / 3] * u[i]);
    if (s->scripts.n_constrained == 0)
        return;
    cti_bsr_mul(&s->system.A, g->dv, R);
    for (i = 0; i < s->n; i++)
        if (s->scripts.filter[i] >= 0)
            a->pins += (double)cti_v3_dot(cti_geometric_reaction(s, R, i), cti_v3_at(u, i));
}

/* elastic energy at x, where the integration starts: what the step before has reported, if nothing has moved since */
static double cti_geometric_elastic_before(const cti_state *s, ct_real h, const ct_real *x)
{
    double e = 0;
    int i, limited = 0;
    for (i = 0; i < s->bodies.n_models; i++) {
        limited |= s->bodies.models[i]->springs.limit > 0;
        e += s->energy.now[i].elastic;
    }
    return s->energy.known && !limited && memcmp(x, s->x, sizeof(ct_real) * 3 * (size_t)s->n) == 0 ? e : cti_geometric_elastic(s, h, x);
}

CTI_FN void cti_geometric_measure_gain(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_account *a = &g->implicit.account;
    ct_real *u = g->implicit.solve + 6 * (size_t)s->n, *x = u + 3 * (size_t)s->n, share = cti_geometric_share(s);
    double before, after, fall, kinetic;
    int i;
    memset(a, 0, sizeof *a);
    for (i = 0; i < 3 * s->n; i++)
        u[i] = g->v[i] + share * g->dv[i];
    cti_geometric_works(s, h, u, a);
    for (i = 0; i < 3 * s->n; i++)
        x[i] = s->x[i] + g->dx[i];
    before = cti_geometric_elastic_before(s, share * h, x), fall = -cti_geometric_height(s, x), kinetic = -cti_geometric_kinetic(s, g->v);
    for (i = 0; i < 3 * s->n; i++) {
        x[i] += h * u[i];
        u[i] = g->v[i] + g->dv[i];
    }
    a->elastic = cti_geometric_elastic(s, share * h, x);
    fall += cti_geometric_height(s, x), after = cti_geometric_kinetic(s, u);
    kinetic += after;
    a->gain += kinetic + a->elastic - before + fall - a->pins + a->damping;
    a->bound = cti_geometric_bound(s, h, after + fabs(a->elastic) + fabs(fall) + fabs(a->pins) + fabs(a->script) + a->recovery + a->contact);
}

/* reactions of pins: the impulse and work of the velocities that scripts give, and the impulse of the integration */
static void cti_geometric_pins(cti_state *s, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real *R = g->implicit.solve;
    int i;
    if (s->scripts.n_constrained == 0)
        return;
    cti_bsr_mul(&s->system.A, g->dv, R);
    for (i = 0; i < s->n; i++) {
        cti_v3 v, before = cti_v3_at(s->v, i);
        if (s->scripts.filter[i] < 0)
            continue;
        v = cti_v3_add(cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)s->scripts.filter[i], before), cti_v3_at(s->scripts.v_fixed, i));
        r->work_pins += 0.5 * (double)s->bodies.mass[i] * ((double)cti_v3_norm2(v) - (double)cti_v3_norm2(before));
        v = cti_v3_mul(cti_v3_sub(v, before), s->bodies.mass[i]);
        cti_v3_addto(s->step.impulses.pins, i, cti_v3_add(v, cti_geometric_reaction(s, R, i)));
    }
}

CTI_FN void cti_geometric_enter(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_account *a = &g->implicit.account;
    ct_real *x, share = cti_geometric_share(s);
    int i, moved = 0, stopped = 0;
    cti_geometric_pins(s, r);
    r->work_script += a->script, r->work_pins += a->pins, r->work_joints += a->joints, r->work_recovery += a->recovery;
    r->loss_contact += a->contact, r->loss_damping += a->damping;
    x = g->implicit.solve;
    for (i = 0; i < 3 * s->n; i++) {
        moved |= g->dx[i] != 0;
        x[i] = s->x[i] + g->dx[i];
    }
    if (moved)
        r->work_recovery += cti_geometric_sets_lift(s, share * h, s->x, x);
    for (i = 0; i < 3 * s->n; i++) {
        x[i] += h * (g->v[i] + share * g->dv[i]);
        stopped |= x[i] != s->end.x[i];
    }
    if (stopped)
        r->work_recovery += cti_geometric_sets_lift(s, share * h, x, s->end.x);
}
