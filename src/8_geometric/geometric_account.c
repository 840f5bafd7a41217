/* geometric_account.c -- what pins, elastics, dampers and corrections of positions do in a substep. What collisions take is known by their touches
   (8_step/impulses.h).
   Method: impulses of the integration work along the velocities of the way, v + share dv. Corrections of positions move potential energy. What
   energies gain beside all this is the error of linearized forces, which the judge finds. */
#include "geometric.h"
#include "../8_step/move.h"
#include "../8_step/energy.h"

/* the part of f in the directions in which scripts hold a block */
static cti_v3 cti_geometric_held_part(const cti_state *s, int i, cti_v3 f) { return cti_v3_sub(f, cti_state_free(s, i, f)); }

/* impulse of the pin of a block: what is missing in the equations of directions that scripts hold. R: A dv and the terms of the collisions */
static cti_v3 cti_geometric_reaction(const cti_state *s, const ct_real *R, int i)
{
    cti_v3 f = cti_v3_mad(cti_v3_at(R, i), cti_v3_at(cti_geometric_own(s)->implicit.y, i), -1 / cti_geometric_theta(s));
    return cti_geometric_held_part(s, i, f);
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

/* reactions of pins: the impulse and work of the velocities that scripts give, those of the integration, and what balances the collisions' other
   impulses */
static void cti_geometric_pins(cti_state *s, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_forces *q = &g->solve.forces;
    ct_real *R = g->implicit.scratch, *end = R + 3 * (size_t)s->n, share = cti_geometric_theta(s);
    int i, c;
    if (s->scripts.n_constrained == 0)
        return;
    cti_bsr_mul(&s->system.A, g->dv, R);
    cti_geometric_add_terms(s, g->dv, R);
    cti_bsr_mul(&s->system.A, g->dv_end, end); /* a correction through the matrix pulls at pins by the body's stiffness */
    for (i = 0; i < s->n; i++) {
        cti_v3 X;
        if (s->scripts.filter[i] < 0)
            continue;
        X = cti_geometric_reaction(s, R, i);
        r->work_pins += (double)cti_v3_dot(X, cti_v3_mad(cti_v3_at(g->v, i), cti_v3_at(g->dv, i), share));
        cti_move_jump(s, i, cti_v3_at(s->v, i), &r->work_pins);
        cti_v3_addto(s->step.impulses.pins, i, X);
        if (s->desc.geometric.scheme == CT_GEOMETRIC_SUCCESSIVE) /* which corrects by masses */
            continue;
        X = cti_geometric_held_part(s, i, cti_v3_at(end, i));
        r->work_pins += (double)cti_v3_dot(X, cti_v3_at(s->scripts.v_fixed, i));
        cti_v3_addto(s->step.impulses.pins, i, X);
    }
    for (c = 0; c < g->solve.response.m; c++)
        r->work_pins +=
            cti_geometric_pin_reactions(s, c, cti_v3_add(cti_v3_at(q->speed, c), cti_v3_add(cti_v3_at(q->end, c), cti_v3_at(q->remaining, c))));
}

/* elastic energy, with strain limits as stiff as in a stage of h, and that of gravity */
static double cti_geometric_potential(const cti_state *s, ct_real h, const ct_real *x)
{
    double e = 0;
    int i;
    for (i = 0; i < s->bodies.n_models; i++) {
        cti_model_ahead(s->bodies.models[i], h, 1, NULL);
        e += cti_model_energy(s->bodies.models[i], x);
    }
    for (i = 0; i < s->n; i++)
        e -= (double)s->bodies.mass[i] * (double)cti_v3_dot(cti_v3_at(x, i), cti_v3_at(s->desc.gravity, 0));
    return e;
}

CTI_FN void cti_geometric_account(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_solve *q = &g->solve;
    ct_real *u = g->implicit.scratch, share = cti_geometric_theta(s);
    int c, i, k, moved = 0, stopped = 0;
    cti_geometric_pins(s, r);
    for (c = 0; c < q->response.m; c++)
        for (k = q->start[c]; g->collisions[c].elastic && k < q->start[c + 1]; k++) {
            i = q->blocks[q->particle[k]];
            r->work_joints += (double)(q->S[k] * cti_v3_dot(cti_v3_at(q->forces.J, c), cti_v3_mad(cti_v3_at(g->v, i), cti_v3_at(g->dv, i), share)));
        }
    for (i = 0; i < 3 * s->n; i++) {
        moved |= g->dx[i] != 0;
        u[i] = s->x[i] + g->dx[i];
    }
    if (moved)
        r->work_recovery += cti_geometric_potential(s, share * h, u) - cti_geometric_potential(s, share * h, s->x);
    for (i = 0; i < 3 * s->n; i++) {
        u[i] += h * (g->v[i] + share * g->dv[i]);
        stopped |= u[i] != s->end.x[i];
    }
    if (stopped)
        r->work_recovery += cti_geometric_potential(s, share * h, s->end.x) - cti_geometric_potential(s, share * h, u);
    for (i = 0; i < 3 * s->n; i++)
        u[i] = g->v[i] + share * g->dv[i];
    r->loss_damping += cti_energy_damping(s, u, share * h, h);
}
