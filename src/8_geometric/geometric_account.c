/* geometric_account.c -- the energy account of the geometric stepper.
   Method: corrections of positions and speeds move energy by known amounts, and so do impulses of collisions, pins and dampers at the
   velocities of the way, v + share dv. What kinetic and potential energy gain beside these in the integration is the error of its linearized
   forces, which the judge finds. */
#include "geometric.h"

CTI_FN double cti_geometric_kinetic(const cti_state *s, const ct_real *v)
{
    double e = 0;
    int i;
    for (i = 0; i < s->n; i++)
        e += 0.5 * (double)s->bodies.mass[i] * (double)cti_v3_norm2(cti_v3_at(v, i));
    return e;
}

/* elastic energy at x, with strain limits as stiff as in a substep of h */
static double cti_geometric_elastic(const cti_state *s, ct_real h, const ct_real *x)
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

/* an impulse J of collision c acts while the relative velocity of its blocks is u, that of scripts t->script */
static void cti_geometric_work(const cti_geometric_collision *t, cti_v3 J, cti_v3 u, double *script, double *recovery, double *contact)
{
    double whole = (double)cti_v3_dot(J, cti_v3_add(u, t->script_velocity));
    *script -= (double)cti_v3_dot(J, t->script_velocity);
    if (whole > 0)
        *recovery += whole;
    else
        *contact -= whole;
}

CTI_FN void cti_geometric_speed_work(const cti_state *s, ct_step_report *r)
{
    const cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_solve *q = &g->solve;
    int c, k;
    for (c = 0; c < q->response.m; c++) {
        cti_v3 u = cti_v3_zero();
        if (cti_v3_norm2(cti_v3_at(q->forces.speed, c)) == 0)
            continue;
        for (k = q->start[c]; k < q->start[c + 1]; k++) {
            int b = q->blocks[q->particle[k]];
            u = cti_v3_mad(u, cti_v3_add(cti_v3_at(g->dv, b), cti_v3_at(g->v, b)), q->S[k] / 2);
        }
        cti_geometric_work(&g->collisions[c], cti_v3_at(q->forces.speed, c), u, &r->work_script, &r->work_recovery, &r->loss_contact);
    }
}

/* the part of f in the directions in which scripts hold a block */
static cti_v3 cti_geometric_held_part(const cti_state *s, int i, cti_v3 f)
{
    return cti_v3_sub(f, cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)s->scripts.filter[i], f));
}

/* R: A dv and the terms of the collisions */
static void cti_geometric_left(const cti_state *s, ct_real *R)
{
    cti_bsr_mul(&s->system.A, cti_geometric_own(s)->dv, R);
    cti_geometric_add_terms(s, cti_geometric_own(s)->dv, R);
}

/* impulse of the pin of a block: what is missing in the equations of directions that scripts hold */
static cti_v3 cti_geometric_reaction(const cti_state *s, const ct_real *R, int i)
{
    cti_v3 f = cti_v3_mad(cti_v3_at(R, i), cti_v3_at(cti_geometric_own(s)->implicit.y, i), -1 / cti_geometric_theta(s));
    return cti_geometric_held_part(s, i, f);
}

CTI_FN void cti_geometric_works(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_account *a = &g->implicit.account;
    cti_geometric_solve *q = &g->solve;
    ct_real *R = g->implicit.scratch, *Dv = R + 3 * (size_t)s->n, *u = Dv + 3 * (size_t)s->n, *own = u + 3 * (size_t)s->n;
    ct_real share = cti_geometric_theta(s);
    int c, i, k;
    memset(a, 0, sizeof *a);
    for (i = 0; i < 3 * s->n; i++)
        u[i] = g->v[i] + share * g->dv[i];
    for (c = 0; c < q->response.m; c++) {
        cti_v3 w = cti_v3_zero();
        for (k = q->start[c]; k < q->start[c + 1]; k++)
            w = cti_v3_mad(w, cti_v3_at(u, q->blocks[q->particle[k]]), q->S[k]);
        if (g->collisions[c].elastic)
            a->joints += (double)cti_v3_dot(cti_v3_at(q->forces.J, c), w);
        else
            cti_geometric_work(&g->collisions[c], cti_v3_at(q->forces.J, c), w, &a->script, &a->recovery, &a->contact);
    }
    memset(Dv, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < 3 * s->n; i++) /* dampers do not see the rotation of a free body */
        own[i] = u[i] - (s->system.q[i] - s->x[i]) / (share * h);
    for (i = 0; i < s->bodies.n_models; i++)
        cti_model_damping(s->bodies.models[i], s->system.q, own, Dv);
    for (i = 0; i < 3 * s->n; i++)
        a->damping += (double)h * ((double)own[i] * (double)Dv[i] + (double)(s->bodies.mass[i / 3] * s->bodies.alpha[i / 3] * u[i] * u[i]));
    if (s->scripts.n_constrained == 0)
        return;
    cti_geometric_left(s, R);
    for (i = 0; i < s->n; i++)
        if (s->scripts.filter[i] >= 0)
            a->pins += (double)cti_v3_dot(cti_geometric_reaction(s, R, i), cti_v3_at(u, i));
}

/* what balances an impulse X of collision c on blocks that scripts hold: it acts at the script's velocity. Returns its work */
static double cti_geometric_pin_reactions(cti_state *s, int c, cti_v3 X)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_solve *q = &g->solve;
    double work = 0;
    int k;
    for (k = q->start[c]; k < q->start[c + 1]; k++) {
        int b = q->blocks[q->particle[k]];
        cti_v3 f;
        if (s->scripts.filter[b] < 0)
            continue;
        f = cti_geometric_held_part(s, b, cti_v3_mul(X, -q->S[k]));
        cti_v3_addto(s->step.impulses.pins, b, f);
        work += (double)cti_v3_dot(f, cti_v3_at(s->scripts.v_fixed, b));
    }
    return work;
}

/* reactions of pins: the impulse and work of the velocities that scripts give, the impulse of the integration, and what balances the collisions'
   other impulses. account.late: work of those after the integration */
static void cti_geometric_pins(cti_state *s, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_forces *q = &g->solve.forces;
    ct_real *R = g->implicit.scratch;
    int i, c;
    g->implicit.account.pins_after = 0;
    if (s->scripts.n_constrained == 0)
        return;
    cti_geometric_left(s, R);
    for (i = 0; i < s->n; i++) {
        cti_v3 v, before = cti_v3_at(s->v, i);
        if (s->scripts.filter[i] < 0)
            continue;
        v = cti_v3_add(cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)s->scripts.filter[i], before), cti_v3_at(s->scripts.v_fixed, i));
        if (!(s->scripts.held[i] & CTI_HELD_IMPLAUSIBLE)) /* else it is what the judge takes */
            r->work_pins += 0.5 * (double)s->bodies.mass[i] * ((double)cti_v3_norm2(v) - (double)cti_v3_norm2(before));
        v = cti_v3_mul(cti_v3_sub(v, before), s->bodies.mass[i]);
        cti_v3_addto(s->step.impulses.pins, i, cti_v3_add(v, cti_geometric_reaction(s, R, i)));
    }
    for (c = 0; c < g->solve.response.m; c++) {
        r->work_pins += cti_geometric_pin_reactions(s, c, cti_v3_at(q->speed, c));
        g->implicit.account.pins_after += cti_geometric_pin_reactions(s, c, cti_v3_add(cti_v3_at(q->end, c), cti_v3_at(q->remaining, c)));
    }
    r->work_pins += g->implicit.account.pins_after;
}

/* potential energy from positions to others */
static double cti_geometric_lift(const cti_state *s, ct_real h, const ct_real *from, const ct_real *to)
{
    return cti_geometric_elastic(s, h, to) - cti_geometric_elastic(s, h, from) + cti_geometric_height(s, to) - cti_geometric_height(s, from);
}

CTI_FN void cti_geometric_enter(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_account *a = &g->implicit.account;
    ct_real *x, share = cti_geometric_theta(s);
    int i, moved = 0, stopped = 0;
    cti_geometric_pins(s, r);
    r->work_script += a->script, r->work_pins += a->pins, r->work_joints += a->joints, r->work_recovery += a->recovery;
    r->loss_contact += a->contact, r->loss_damping += a->damping;
    x = g->implicit.scratch;
    for (i = 0; i < 3 * s->n; i++) {
        moved |= g->dx[i] != 0;
        x[i] = s->x[i] + g->dx[i];
    }
    if (moved)
        r->work_recovery += cti_geometric_lift(s, share * h, s->x, x);
    for (i = 0; i < 3 * s->n; i++) {
        x[i] += h * (g->v[i] + share * g->dv[i]);
        stopped |= x[i] != s->end.x[i];
    }
    if (stopped)
        r->work_recovery += cti_geometric_lift(s, share * h, x, s->end.x);
}
