/* geometric_newton.c -- forces of elements that are linearized again, where one linearization gains energy.
   Method: the implicit step of velocities u of the way is the minimum of the incremental potential
       L(u) = |u - v|^2 / 2 + Psi(x + h u) - h g'M u + h u'(D + alpha M) u / 2 - y_c'u + (u - v)'T (u - v) / 2,
   with the norm of M, the damping D at x, y_c and T the forces and the terms of the collisions (eq. 25). Eq. 20 and 21 with forces that are
   linearized at x + h u are Newton's step of L from u. It is taken whole if L falls enough; otherwise its length is reduced by parabolas
   until L does. A translation of a body changes no force. So a search begins at the linearization, moved on by the mean velocities of the
   solution, and keeps the momentum whatever its length is. The first linearization is at x, where all that scripts do not hold is at rest.
   An iteration ends when each body's part of Newton's decrement d'(A + T) d is below the gain of energy that the body may have. The linear
   model of forces is carried back to x, so that all that follows sees A and a force at x, as in the paper. differs: the paper linearizes once. */
#include "geometric.h"
#include "../8_step/factors.h"

/* iterations of a stage. 6 leave 221 of 4,363 steps of random worlds with the status budget, 12 leave 184, 24 leave 160 at 1.2 times the time */
#define CTI_GEOMETRIC_NEWTONS 12
#define CTI_GEOMETRIC_TRIES 30 /* lengths of a line search; each is at most half of the one before */
#define CTI_GEOMETRIC_FALL 1e-4 /* [1] share of the slope by which L must fall (Armijo) */

/* A and the force at x of the forces that are linearized at x + h u. 0: out of memory */
static int cti_geometric_linearize(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_newton *q = &g->implicit.newton;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        q->x[i] = s->x[i] + h * q->u[i];
    cti_geometric_assemble(s, h, q->x, NULL, r);
    cti_geometric_carry_back(s, h);
    q->linearized = 1;
    for (i = 0; i < CTI_LEN(s->factors.components); i++)
        cti_factors_relinearize(&s->factors.components[i]);
    return cti_geometric_renew(s, h);
}

/* where the search begins on a body that is linearized at x: its motion without forces; where scripts hold something, all else is at rest */
static void cti_geometric_coast(cti_state *s, ct_real h, const cti_component *q)
{
    cti_geometric *g = cti_geometric_own(s);
    const int32_t *blocks = s->factors.blocks;
    cti_v3 p = cti_v3_zero();
    ct_real mass = 0;
    int i, held = 0;
    for (i = q->begin; i < q->end; i++) {
        held |= s->scripts.filter[blocks[i]] >= 0;
        mass += s->bodies.mass[blocks[i]], p = cti_v3_mad(p, cti_v3_at(g->v, blocks[i]), s->bodies.mass[blocks[i]]);
    }
    p = cti_v3_mad(cti_v3_mul(p, mass > 0 ? 1 / mass : 0), cti_v3_at(s->desc.gravity, 0), h);
    for (i = q->begin; i < q->end; i++)
        cti_v3_put(g->implicit.newton.u, blocks[i],
                   !held ? p : (s->scripts.filter[blocks[i]] >= 0 ? cti_v3_at(s->scripts.v_fixed, blocks[i]) : cti_v3_zero()));
}

/* u: the motion of the linearization, moved on by the bodies' mean velocities after the step, which changes no force. d: from there to the
   solution */
static void cti_geometric_aim(cti_state *s, ct_real h, int solved)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_newton *n = &g->implicit.newton;
    const int32_t *blocks = s->factors.blocks;
    int c, i;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *q = &s->factors.components[c];
        cti_v3 way = cti_v3_zero();
        ct_real mass = 0;
        int held = 0;
        if (!n->linearized && !s->system.turns[c].turns)
            cti_geometric_coast(s, h, q);
        for (i = q->begin; i < q->end; i++) {
            int b = blocks[i];
            cti_v3 d = cti_v3_sub(cti_v3_add(cti_v3_at(g->v, b), cti_v3_at(g->dv, b)), cti_v3_at(n->u, b));
            cti_v3_put(n->d, b, d);
            held |= s->scripts.filter[b] >= 0;
            mass += s->bodies.mass[b], way = cti_v3_mad(way, d, s->bodies.mass[b]);
        }
        way = cti_v3_mul(way, solved && !held && mass > 0 ? 1 / mass : 0);
        for (i = q->begin; i < q->end; i++) {
            cti_v3_addto(n->u, blocks[i], way);
            cti_v3_put(n->d, blocks[i], cti_v3_sub(cti_v3_at(n->d, blocks[i]), way));
        }
    }
}

/* L along the direction d from u: rise(a) = a line + a^2 curve / 2 + Psi(x + h (u + a d)) - Psi(x + h u) */
typedef struct cti_geometric_profile {
    double slope, line, curve, start;
    int is_far; /* 1: Newton's decrement of a body, d'(A + T) d, is above what it may gain */
} cti_geometric_profile;

/* Newton's decrements of the bodies; y: (A + T) d. Returns 1 where one is too large */
static int cti_geometric_is_far(const cti_state *s, const ct_real *y)
{
    const cti_geometric *g = cti_geometric_own(s);
    cti_geometric_balance *body = g->implicit.balance;
    int i, is_far = 0;
    for (i = 0; i < s->bodies.n_models; i++)
        body[i].decrement = 0;
    for (i = 0; i < s->n; i++)
        if (s->history.model_of[i] >= 0)
            body[s->history.model_of[i]].decrement += (double)cti_v3_dot(cti_v3_at(g->implicit.newton.d, i), cti_v3_at(y, i));
    for (i = 0; i < s->bodies.n_models; i++)
        is_far |= !(body[i].decrement <= body[i].enough);
    return is_far;
}

static void cti_geometric_survey(cti_state *s, ct_real h, cti_geometric_profile *w)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_newton *q = &g->implicit.newton;
    ct_real *y = g->implicit.solve;
    int i;
    memset(w, 0, sizeof *w);
    memset(y, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < 3 * s->n; i++)
        q->x[i] = s->x[i] + h * q->u[i];
    for (i = 0; i < s->bodies.n_models; i++)
        cti_model_damping(s->bodies.models[i], s->x, q->d, y);
    for (i = 0; i < 3 * s->n; i++)
        y[i] = h * y[i] + s->bodies.mass[i / 3] * (1 + h * s->bodies.alpha[i / 3]) * q->d[i];
    cti_geometric_terms(s, q->d, y);
    w->curve = (double)cti_krylov_dot(3 * s->n, q->d, y);
    cti_bsr_mul(&s->system.A, q->d, y);
    cti_geometric_terms(s, q->d, y);
    w->slope = -(double)cti_krylov_dot(3 * s->n, q->d, y), w->is_far = cti_geometric_is_far(s, y);
    w->line = w->slope + (double)h * (double)cti_krylov_dot(3 * s->n, q->d, q->force);
    w->start = cti_geometric_elastic(s, h, q->x);
}

/* length in (0, 1] of a step of which L falls; 0: there is none */
static ct_real cti_geometric_length(cti_state *s, ct_real h, const cti_geometric_profile *w)
{
    cti_geometric_newton *q = &cti_geometric_own(s)->implicit.newton;
    double a = 1, rise, share, rounded = cti_geometric_bound(s, 0, 0);
    int k, i;
    if (!(w->slope <= 0)) /* rounding: the matrix is not definite, or its equations were not solved */
        return 0;
    for (k = 0; k < CTI_GEOMETRIC_TRIES; k++) {
        for (i = 0; i < 3 * s->n; i++)
            q->x[i] = s->x[i] + h * (q->u[i] + (ct_real)a * q->d[i]);
        rise = a * w->line + a * a / 2 * w->curve + cti_geometric_elastic(s, h, q->x) - w->start;
        if (rise <= CTI_GEOMETRIC_FALL * a * w->slope + rounded)
            return (ct_real)a;
        share = -w->slope * a / (2 * (rise - w->slope * a));
        a *= cti_fmin(cti_fmax(share, 0.1), 0.5);
    }
    return 0;
}

CTI_FN int cti_geometric_iterate(cti_state *s, ct_real h, int alone, int solved, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_newton *q = &g->implicit.newton;
    int round, i, turns;
    for (round = 0; round < CTI_GEOMETRIC_NEWTONS; round++) {
        cti_geometric_profile w;
        ct_real a;
        cti_geometric_aim(s, h, solved);
        cti_geometric_survey(s, h, &w);
        a = cti_geometric_length(s, h, &w);
        r->newton_iterations++;
        for (i = 0; i < 3 * s->n; i++) {
            q->u[i] += a * q->d[i];
            g->dv[i] = q->u[i] - g->v[i];
        }
        if (a == 1 && !w.is_far)
            return solved;
        if (!(a > 0) || round + 1 == CTI_GEOMETRIC_NEWTONS)
            return 0;
        if (!cti_geometric_linearize(s, h, r))
            return -1;
        r->residual = q->residual;
        solved = cti_geometric_linear(s, h, alone, &turns, r);
    }
    return 0;
}
