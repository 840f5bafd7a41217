/* newton.c -- the position at which a body that gains energy is linearized again.
   Method: an implicit Euler step of one body is the minimum of the incremental potential
   L(x) = |x - y|^2 / 2 dt^2 in the norm of (1 + dt alpha) M + Psi(x) - (J' r / dt)'x,
   where y is its motion without forces, and r the impulses of the last solve. An iteration solves A u = b + J' r about q, so A p / dt^2,
   with p the vector from q to its result, is minus the gradient of L at q, and p is a descent direction since A is positive definite. The
   next linearization is at q + a p. In the first three iterations a is 1; then a in (0, 1] is halved, or reduced further by a parabola,
   until L falls [Nocedal & Wright, Numerical Optimization, sec. 3.1]. The gain of energy at the end of the last iteration goes to zero with
   p. Stiffness damping acts on p alone, so it is in A, but not in L. Translation does not change forces: for bodies without pins it is not
   part of p. */
#include "newton.h"
#include "integrate.h"
#include "motion.h"
#include "policy.h"

CTI_FN int cti_newton_gains(const cti_state *s, const cti_component *q)
{
    int m = s->history.model_of[s->factors.blocks[q->begin]];
    return m >= 0 && s->energy.gains[m];
}

CTI_FN int cti_newton_helps(const cti_state *s)
{
    int m, n = 0;
    for (m = 0; m < s->bodies.n_models; m++)
        n += s->energy.gains[m];
    return n > 0;
}

/* slope p'A p / dt^2, force f'p and mass p'M p / dt^2 of a body's step p [J] */
typedef struct cti_newton_way {
    double slope, force, mass;
} cti_newton_way;

static void cti_newton_measure(const cti_state *s, int m, const ct_real *p, ct_real dt, cti_newton_way *out)
{
    int i;
    memset(out, 0, sizeof *out);
    for (i = s->history.block[m]; i <= s->history.last[m]; i++) {
        out->slope += (double)cti_v3_dot(cti_v3_at(p, i), cti_bsr_row(&s->system.A, p, i));
        out->mass += (double)(s->bodies.mass[i] * (1 + dt * s->bodies.alpha[i]) * cti_v3_norm2(cti_v3_at(p, i)));
        out->force += (double)cti_v3_dot(cti_v3_at(p, i), cti_v3_at(s->system.force, i));
    }
    out->slope /= (double)(dt * dt), out->mass /= (double)(dt * dt);
}

/* 1 if the last iteration was a descent step for L at q. This requires Euler's rule. A first iteration must also have no scripted blocks,
   which it moves to their place, and no strain limit, which it evaluates ahead of q */
static int cti_newton_has_potential(const cti_state *s, int m)
{
    int block = s->history.block[m], i, scripted = 0;
    for (i = block; s->scripts.n_constrained && i <= s->history.last[m]; i++)
        scripted |= s->scripts.filter[i] >= 0;
    return cti_integrate_is_plain(s, block) &&
           (s->system.turns[s->factors.component_of[block]].moved == 2 || !(scripted || s->bodies.models[m]->springs.limit > 0));
}

/* share a of the step p for body m (line search); x [3 n] is scratch */
static ct_real cti_newton_step_length(cti_state *s, int m, ct_real dt, const ct_real *p, ct_real *x)
{
    double psi, a = 1;
    cti_newton_way way;
    int i, k;
    cti_newton_measure(s, m, p, dt, &way);
    cti_model_ahead(s->bodies.models[m], dt, 1, NULL);
    psi = cti_model_energy(s->bodies.models[m], s->system.q);
    for (k = 1; k < cti_step_tuned.attempt.newton_tries; k++) {
        double rise, share;
        for (i = 3 * s->history.block[m]; i < 3 * s->history.last[m] + 3; i++)
            x[i] = s->system.q[i] + (ct_real)a * p[i];
        rise = cti_model_energy(s->bodies.models[m], x) - psi - a * (way.slope - way.force) + a * a / 2 * way.mass;
        if (rise <= -cti_step_tuned.attempt.newton_fall * a * way.slope)
            break;
        share = way.slope * a / (2 * (rise + way.slope * a));
        share = share > cti_step_tuned.attempt.newton_least ? share : cti_step_tuned.attempt.newton_least;
        a *= share < cti_step_tuned.attempt.newton_most ? share : cti_step_tuned.attempt.newton_most;
    }
    return (ct_real)a;
}

CTI_FN void cti_newton_place(cti_state *s, ct_real dt)
{
    cti_system *sys = &s->system;
    ct_real *p = sys->work, *x = p + 3 * (size_t)s->n;
    int c, i, m;
    memcpy(p, sys->q, sizeof(ct_real) * 3 * (size_t)s->n);
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        if (cti_newton_gains(s, &s->factors.components[c]))
            cti_motion_place(s, &s->factors.components[c], p);
    for (i = 0; i < 3 * s->n; i++)
        p[i] -= sys->q[i];
    for (m = 0; m < s->bodies.n_models; m++) {
        ct_real a = 1;
        if (!s->energy.gains[m])
            continue;
        if (!cti_policy_newton_is_full(sys->again) && cti_newton_has_potential(s, m))
            a = cti_newton_step_length(s, m, dt, p, x);
        for (i = 3 * s->history.block[m]; i < 3 * s->history.last[m] + 3; i++)
            sys->q[i] += a * p[i];
    }
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        if (cti_newton_gains(s, &s->factors.components[c]))
            sys->turns[c].moved = 2, sys->turns[c].turns = 0;
}
