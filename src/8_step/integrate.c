/* integrate.c -- Newmark (beta 1/4, gamma 1/2) and BDF2 as A u = b in the average velocity of the step.
   Method: contacts and CCD use the straight motion x1 = x0 + dt u, so u is the unknown of every scheme. The velocity at the end of the
   step, from which the next one starts, follows from it. F(x, v) = f(x) + M g - C v, C = alpha M + D; f is linearized at x0: one Newton
   iteration, as for Euler (Otaduy 2009, eq. 2 - 3, which names Newmark and BDF2).
     Newmark     u = (v0 + v1) / 2,  M (v1 - v0) = dt/2 (F0 + F1): with h = dt/2
                 (M + h C + h^2 K) u = M v0 + h (f + M g),  v1 = u + (u - v0)
     BDF2        w = dt / dt_prev, a = (1 + 2 w) / (1 + w), c = w^2 / (1 + w), s = w / (1 + w), from the quadratics through three positions
                 and through three velocities: v1 = a u - s u', M (a v1 - (1 + w) v0 + c v') = dt F1, u' and v' of the step before: h = dt/a
                 (M + h C + h^2 K) u = M (((1 + w) v0 - c v') / a^2 + s/a u') + h/a (f + M g) + s h/a C u',  v1 = u + s (u - u')
   A free fall is exact in both. BDF2 starts with a step of Newmark. differs: not with one of Euler, whose end velocity is u.
   f(x1) is linearized at q, the position to which the body's own rotation takes it (motion.h): f(x1) = f(q) - K(q) (x0 + dt u - q), and
   f(x0) = R' f(q). Impulses: in A u = b + J' r a multiplier is the same impulse for every body, whatever its scheme. If a scheme treated it
   as a force over the step, v1 would get a second share of it, which the next impulse would have to remove. When the contact opens, or an
   impact bends a stiff body more than the step resolves, v1 would gain energy. So a body that contacts or joints acted on in
   the last step is stepped by Euler's rule, v1 = u. In the first step with a contact the impulse acts at the step's start, as if the body
   had always had the additional velocity w = (1 + h alpha) (u - u_free) that the impulse gives through A. Its total momentum is that of
   M^-1 J' r:
     Newmark  v1 = u + (u - v0 - w),   BDF2  v1 = u + s (u - u' - w), and its history becomes v0 + w, u.
   Less the part of gravity that is owed by then, since the next step is one of Euler's rule (motion.h). The body gets it when it returns.
   BDF2 starts anew after a contact. (Kane, Repetto, Ortiz, Marsden 1999; Deuflhard, Krause, Ertel 2008: contact is implicit, whatever the
   rest is.)
   differs: rigid bodies have no stiffness and keep their own step. */
#include "integrate.h"
#include "linkage.h"
#include "momenta.h"
#include "motion.h"
#include "wind.h"

CTI_FN int cti_integrate_reserve(cti_state *s)
{
    cti_history *q = &s->history;
    int i, k, n3 = 3 * s->n, models = s->bodies.n_models, two = s->desc.integrator == CT_INTEGRATOR_BDF2 ? n3 : 0;
    if (!CTI_RESIZE(s->mem, q->v_end, n3) || !CTI_RESIZE(s->mem, q->v0, two) || !CTI_RESIZE(s->mem, q->u0, two) ||
        !CTI_RESIZE(s->mem, q->touched, s->n) || !CTI_RESIZE(s->mem, q->touches, models) || !CTI_RESIZE(s->mem, q->model_of, s->n) ||
        !CTI_RESIZE(s->mem, q->block, models) || !CTI_RESIZE(s->mem, q->last, models) || !CTI_RESIZE(s->mem, q->reset, models))
        return 0;
    for (i = 0; i < s->n; i++)
        q->model_of[i] = -1;
    /* a body's blocks are those from its smallest to its largest node number */
    for (k = 0; k < s->bodies.n_models; k++) {
        int32_t lo, hi;
        cti_model_range(s->bodies.models[k], &lo, &hi);
        q->block[k] = hi < 0 ? 0 : lo, q->last[k] = hi;
        q->reset[k] = 0;
        for (i = lo; i <= hi; i++)
            q->model_of[i] = k;
    }
    return 1;
}

CTI_FN int cti_integrate_is_plain(const cti_state *s, int block)
{
    return s->desc.integrator == CT_INTEGRATOR_EULER || s->history.model_of[block] < 0 || s->history.touched[block];
}

/* the coefficients of a block that is not plain; the same for all blocks of a body */
CTI_FN void cti_integrate_scheme(const cti_state *s, int block, ct_real dt, cti_scheme *out)
{
    ct_real dt_prev = s->history.dt_prev[block], w, a, c;
    memset(out, 0, sizeof *out);
    if (s->desc.integrator == CT_INTEGRATOR_NEWMARK || !(dt_prev > 0)) {
        out->newmark = 1;
        out->h = out->f_ = dt / 2, out->v_ = out->s = 1;
        out->share = CTI_R(0.5);
        return;
    }
    w = dt / dt_prev, a = (1 + 2 * w) / (1 + w), c = w * w / (1 + w);
    out->s = w / (1 + w), out->h = dt / a;
    out->v_ = (1 + w) / (a * a), out->v0_ = -c / (a * a), out->u_ = out->s / a;
    out->f_ = out->h / a, out->c_ = out->s * out->h / a;
    out->share = 1;
}

CTI_FN ct_real cti_integrate_h(const cti_state *s, int block, ct_real dt)
{
    cti_scheme c;
    if (cti_integrate_is_plain(s, block))
        return dt;
    cti_integrate_scheme(s, block, dt, &c);
    return c.h;
}

CTI_FN cti_v3 cti_integrate_reaction(const cti_state *s, int block, ct_real dt, cti_v3 error)
{
    cti_scheme c;
    cti_v3 beyond;
    if (cti_integrate_is_plain(s, block))
        return error;
    cti_integrate_scheme(s, block, dt, &c);
    beyond = cti_v3_mul(cti_v3_sub(cti_v3_at(s->end.v, block), cti_v3_at(c.newmark ? s->v : s->history.u0, block)), c.s * s->bodies.mass[block]);
    if (!c.newmark)
        beyond = cti_v3_mul(beyond, 1 + c.s); /* a, which v1 has in BDF2 */
    return cti_v3_sub(cti_v3_mul(error, dt / c.f_), beyond); /* a force that acts over dt is in b with f_ */
}

/* b of one block that is not plain, and the mass in its A; Du is D u0, or NULL */
static void cti_integrate_block(cti_state *s, int i, const cti_scheme *c, const ct_real *Du)
{
    const cti_history *q = &s->history;
    ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[i], m = s->bodies.mass[i];
    int k;
    for (k = 3 * i; k < 3 * i + 3; k++) {
        ct_real v = c->v_ * s->v[k], fall = c->f_ * s->desc.gravity[k - 3 * i];
        if (!c->newmark)
            v += c->v0_ * q->v0[k] + c->u_ * q->u0[k];
        q->v_end[k] = v + fall; /* the start of the free motion */
        s->system.b[k] += m * (v + fall) + c->f_ * s->system.force[k];
        if (Du)
            s->system.b[k] += c->c_ * (s->bodies.alpha[i] * m * q->u0[k] + Du[k]);
        D[4 * (k - 3 * i)] += m * (1 + c->h * s->bodies.alpha[i]);
    }
}

CTI_FN void cti_integrate_plain(cti_state *s, int i, ct_real dt)
{
    ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[i];
    ct_real mass = s->bodies.mass[i] * (1 + dt * s->bodies.alpha[i]), kick = cti_motion_kick(s, i, dt);
    int k;
    for (k = 0; k < 3; k++) {
        D[4 * k] += mass;
        s->system.b[3 * i + k] += s->bodies.mass[i] * (s->v[3 * i + k] + kick * s->desc.gravity[k]) + dt * s->system.force[3 * i + k];
    }
}

CTI_FN void cti_integrate_assemble(cti_state *s, ct_real dt)
{
    ct_real *Du = s->desc.integrator == CT_INTEGRATOR_BDF2 ? s->system.work : NULL;
    int i, k;
    if (Du) { /* at the middle of that step, where the u' of a rotation is a rigid motion */
        ct_real *middle = Du + 3 * (size_t)s->n;
        memset(Du, 0, sizeof(ct_real) * 3 * (size_t)s->n);
        for (k = 0; k < 3 * s->n; k++)
            middle[k] = s->history.dt_prev[k / 3] > 0 ? s->x[k] - s->history.dt_prev[k / 3] / 2 * s->history.u0[k] : s->x[k];
        for (k = 0; k < s->bodies.n_models; k++)
            cti_model_damping(s->bodies.models[k], middle, s->history.u0, Du);
    }
    for (i = 0; i < s->n; i++) {
        cti_scheme c;
        if (cti_integrate_is_plain(s, i)) {
            cti_integrate_plain(s, i, dt);
            continue;
        }
        cti_integrate_scheme(s, i, dt, &c);
        cti_integrate_block(s, i, &c, c.newmark ? NULL : Du);
    }
}

CTI_FN ct_real cti_integrate_gain(const cti_state *s, int block, int k, ct_real dt)
{
    if (cti_integrate_is_plain(s, block))
        return s->desc.gravity[k] * cti_motion_kick(s, block, dt);
    return s->history.v_end[3 * block + k] - s->v[3 * block + k];
}

CTI_FN void cti_integrate_watch(cti_state *s)
{
    if (s->n)
        memcpy(s->history.v_end, s->end.v, sizeof(ct_real) * 3 * (size_t)s->n);
}

CTI_FN void cti_integrate_reset_block(cti_state *s, int block)
{
    cti_history *q = &s->history;
    if (q->model_of[block] >= 0)
        q->reset[q->model_of[block]] = 1;
}

CTI_FN void cti_integrate_reset(cti_state *s, int all)
{
    cti_history *q = &s->history;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        if ((all || !(q->v_end[i] == s->end.v[i])) && !cti_state_is_inactive(s, i / 3)) {
            cti_integrate_reset_block(s, i / 3);
            s->factors.components[s->factors.component_of[i / 3]].substep.forced = 1;
        }
}

/* marks bodies that contacts or joints acted on in the last solve */
static void cti_integrate_touch(cti_state *s, uint8_t *touched)
{
    int i, k;
    if (s->bodies.n_models)
        memset(touched, 0, (size_t)s->bodies.n_models);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        for (k = 0; (s->contact.rows[i].equations || s->contact.rows[i].r[0] > 0) && k < s->contact.rows[i].n; k++)
            if (s->history.model_of[s->contact.rows[i].term[k].block] >= 0)
                touched[s->history.model_of[s->contact.rows[i].term[k].block]] = 1;
}

/* w of a block */
static cti_v3 cti_integrate_jump(const cti_state *s, int i, const cti_scheme *c)
{
    return cti_v3_mul(cti_v3_sub(cti_v3_at(s->end.v, i), cti_v3_at(s->system.v_free, i)), 1 + c->h * s->bodies.alpha[i]);
}

/* v1 of one block */
static void cti_integrate_close(cti_state *s, int i, ct_real dt, const cti_scheme *c, int blow)
{
    cti_history *q = &s->history;
    cti_v3 u = cti_v3_at(s->end.v, i), w = blow ? cti_integrate_jump(s, i, c) : cti_v3_zero(), e;
    e = cti_v3_mul(cti_v3_sub(cti_v3_sub(u, cti_v3_at(c->newmark ? s->v : q->u0, i)), w), c->s);
    if (blow) /* the next step is by Euler's rule, with gravity from the middle of one step to the middle of the next */
        e = cti_v3_mad(e, cti_v3_at(s->desc.gravity, 0), -cti_motion_owed(s, i, dt));
    /* scripted axes have the script's velocity */
    if (s->scripts.n_constrained && s->scripts.filter[i] >= 0)
        e = cti_state_free(s, i, e);
    cti_v3_put(q->v_end, i, cti_v3_add(u, e));
}

/* 1 for a body that keeps its scheme to the end of the step */
static int cti_integrate_closes(const cti_state *s, int model)
{
    const cti_history *q = &s->history;
    return s->desc.integrator != CT_INTEGRATOR_EULER && !q->reset[model] && q->last[model] >= 0 && !q->touched[q->block[model]];
}

static int cti_integrate_leaves(const cti_state *s, int model)
{
    const cti_history *q = &s->history;
    return s->desc.integrator != CT_INTEGRATOR_EULER && q->last[model] >= 0 && q->touched[q->block[model]] && !q->touches[model];
}

CTI_FN ct_real cti_integrate_leave(const cti_state *s, int block, ct_real dt)
{
    int m = s->history.model_of[block];
    return m < 0 || !cti_integrate_leaves(s, m) || (s->scripts.n_constrained && s->scripts.filter[block] >= 0) ? 0 : cti_motion_owed(s, block, dt);
}

CTI_FN ct_real cti_integrate_kick(const cti_state *s, int block, ct_real dt)
{
    const cti_history *q = &s->history;
    int m = q->model_of[block];
    if (m < 0 || !cti_integrate_closes(s, m))
        return cti_motion_kick(s, block, dt);
    return q->touches[m] ? dt - cti_motion_owed(s, block, dt) : dt;
}

CTI_FN const ct_real *cti_integrate_end(cti_state *s, ct_real dt)
{
    cti_history *q = &s->history;
    int i, m;
    cti_motion_impulses(s);
    cti_wind_end(s, dt);
    cti_integrate_touch(s, q->touches);
    memcpy(q->v_end, s->end.v, sizeof(ct_real) * 3 * (size_t)s->n);
    for (m = 0; m < s->bodies.n_models; m++) {
        cti_scheme c;
        if (!cti_integrate_closes(s, m))
            continue;
        cti_integrate_scheme(s, q->block[m], dt, &c);
        for (i = q->block[m]; i <= q->last[m]; i++)
            cti_integrate_close(s, i, dt, &c, q->touches[m]);
    }
    cti_motion_fall(s, dt, q->v_end);
    cti_momenta_balance(s, dt, 0, q->v_end);
    for (m = 0; m < s->bodies.n_models; m++)
        for (i = q->block[m]; cti_integrate_leaves(s, m) && i <= q->last[m]; i++)
            cti_v3_addto(q->v_end, i, cti_v3_mul(cti_v3_at(s->desc.gravity, 0), cti_integrate_leave(s, i, dt)));
    s->linkages.unresolved = cti_linkage_end_velocities(s, dt, q->v_end);
    return q->v_end;
}

CTI_FN void cti_integrate_yield(cti_state *s, const uint8_t *bodies)
{
    cti_history *q = &s->history;
    int i, m;
    for (m = 0; m < s->bodies.n_models; m++)
        for (i = q->block[m]; s->desc.integrator != CT_INTEGRATOR_EULER && bodies[m] && i <= q->last[m]; i++)
            q->dt_prev[i] = q->touched[i] ? q->dt_prev[i] : 0, q->touched[i] = 1;
}

/* 1 if the end velocity of a block is that of a step's middle */
static int cti_integrate_owes(const cti_state *s, int block)
{
    int m = s->history.model_of[block];
    return m < 0 || (cti_integrate_is_plain(s, block) ? !cti_integrate_leaves(s, m) : cti_integrate_closes(s, m) && s->history.touches[m]);
}

CTI_FN void cti_integrate_advance(cti_state *s, ct_real dt)
{
    cti_history *q = &s->history;
    int i, m;
    for (i = 0; i < s->n; i++)
        cti_motion_fell(s, i, dt, cti_integrate_owes(s, i));
    for (m = 0; m < s->bodies.n_models; m++) {
        cti_scheme c;
        if (s->desc.integrator == CT_INTEGRATOR_BDF2 && cti_integrate_closes(s, m)) {
            cti_integrate_scheme(s, q->block[m], dt, &c);
            for (i = q->block[m]; i <= q->last[m]; i++) {
                cti_v3 w = q->touches[m] ? cti_integrate_jump(s, i, &c) : cti_v3_zero();
                cti_v3_put(q->v0, i, cti_v3_add(cti_v3_at(s->v, i), w));
                cti_v3_put(q->u0, i, cti_v3_at(s->end.v, i));
            }
        }
        q->reset[m] |= (uint8_t)cti_integrate_leaves(s, m);
        for (i = q->block[m]; i <= q->last[m]; i++)
            q->touched[i] = q->touches[m];
    }
}

CTI_FN void cti_integrate_forget(cti_state *s)
{
    cti_history *q = &s->history;
    int i;
    for (i = 0; s->desc.integrator != CT_INTEGRATOR_EULER && i < s->n; i++)
        if (q->model_of[i] >= 0 && q->reset[q->model_of[i]])
            s->history.dt_prev[i] = 0;
    cti_integrate_clear(s);
}

CTI_FN void cti_integrate_clear(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->history.reset); i++)
        s->history.reset[i] = 0;
    for (i = 0; i < CTI_LEN(s->factors.components); i++)
        s->factors.components[i].substep.forced = 0;
}
