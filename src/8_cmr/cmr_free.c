/* cmr_free.c -- computes the motion without contacts, the start of constraint manifold refinement.
   Method: A v = b, component by component, by the lagged factor and conjugate gradients (Otaduy 2009, sec. 4, step 2). differs: a component
   in contact that is split into nodes gets an inexact or extrapolated free motion, since the solve of its contacts judges the whole motion. */
#include "cmr_free.h"
#include "../8_step/balance.h"
#include "../8_step/integrate.h"
#include "../8_step/motion.h"
#include "../8_step/policy.h"

/* tolerance of a component's free solve: half the tolerance of the velocity scale, in the energy norm of its lightest block. It is larger if the
   component was in contact and split into nodes: the solve of its contacts starts from this motion and judges all of it (island.inexact) */
static double cti_cmr_free_tolerance(const cti_state *s, const cti_component *c, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt, light = CTI_REAL_MAX, speed = 0, mean;
    int i, k;
    for (i = c->begin; i < c->end; i++) {
        int b = s->factors.blocks[i];
        if (s->bodies.mass[b] > 0)
            light = cti_min(light, s->bodies.mass[b]);
        for (k = 0; k < 3; k++)
            speed = cti_max(speed, cti_abs(s->system.v_free[3 * b + k]));
    }
    if (!(g > 0))
        g = speed > 0 ? cti_step_tuned.island.weightless * speed : CTI_R(1e-9);
    g *= cti_policy_free_tolerance(c->solve.inexact_attempts);
    mean = cti_max(1, cti_step_tuned.island.free_mean * cti_sqrt((ct_real)(c->end - c->begin)));
    return (double)(s->desc.solver.tolerance * cti_step_tuned.island.free_share * g * cti_sqrt(light) * mean);
}

/* decides how the free motion of an attempt of dt is solved, from the contacts and solves of the last attempt */
static void cti_cmr_free_choose(const cti_state *s, cti_component *q, ct_real dt)
{
    cti_solve_memory *m = &q->solve;
    m->inexact_attempts = cti_policy_inexact_attempts(m, cti_state_is_paper(s));
    m->extrapolated_attempts = cti_policy_extrapolated_attempts(m, q->cache.stamp.renewal_asked, dt, s->desc.integrator);
    m->in_contact = 0;
}

/* starts v_free: exact for a body that falls without deformation; a body in contact is deformed, and changes its velocity as in the last attempt */
static void cti_cmr_free_start(cti_state *s, ct_real dt)
{
    int c, k, i;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (q->substep.part)
            continue;
        for (k = q->begin; k < q->end; k++)
            for (i = 3 * s->factors.blocks[k]; i < 3 * s->factors.blocks[k] + 3; i++)
                s->system.v_free[i] = s->v[i] + (q->solve.in_contact ? s->history.dv_free[i] * (dt / q->solve.dt_free)
                                                                     : cti_integrate_gain(s, i / 3, i % 3, dt));
        cti_cmr_free_choose(s, q, dt);
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[i];
        ct_real kick = cti_motion_kick(s, r->block, dt);
        cti_v3_put(s->system.v_free, r->block, cti_v3_mad(cti_v3_at(s->v, r->block), cti_v3_at(s->desc.gravity, 0), kick));
        cti_v3_put(s->system.v_free, r->block + 1, cti_v3_at(r->w_mid, 0));
    }
    cti_move_hold(s, s->system.v_free);
}

/* 1 for a component of a deformable body that sleeps: it has blocks that are held, but no model. A node that no element has is of no model, either */
static int cti_cmr_is_asleep(const cti_state *s, const cti_component *q)
{
    int block = s->factors.blocks[q->begin];
    return s->history.model_of[block] < 0 && s->bodies.rigid_of[block] < 0 && s->scripts.held[block] & CTI_HELD_REPAIR;
}

/* solves v_free of one component, whose factor is ready, and stores the results. Going component by component reads each part of A once
   from memory; the function touches no other component */
static void cti_cmr_free_component(cti_state *s, ct_real dt, cti_component *q, int worker)
{
    cti_system *sys = &s->system;
    cti_factors *f = &s->factors;
    cti_solve_memory *m = &q->solve;
    cti_free_motion motion;
    const int32_t *blocks = f->blocks + q->begin;
    int i, k, n = q->end - q->begin;
    motion.A = &sys->A, motion.b = sys->b, motion.x = sys->v_free, motion.work = sys->work, motion.dt = dt;
    m->free_iterations = m->free_refactored = 0;
    if (cti_cmr_is_asleep(s, q)) {
        for (i = 0; i < n; i++)
            cti_v3_put(sys->v_free, blocks[i], cti_v3_zero()), cti_v3_put(s->history.dv_free, blocks[i], cti_v3_zero());
        m->free_energy = m->contact_energy = 0, m->free_speed = 0, m->dynamics = -1;
        return;
    }
    if (!m->extrapolated_attempts) {
        cti_factors_refill(q, &sys->A, dt);
        m->free_iterations = cti_factors_free_solve(f, q, &motion, cti_cmr_free_tolerance(s, q, dt), 200, worker);
    }
    cti_factors_residual(q, blocks, &sys->A, sys->b, sys->v_free, sys->work);
    m->free_energy = 0;
    for (i = 0; i < n; i++)
        m->free_energy += (double)cti_v3_dot(cti_v3_at(sys->v_free, blocks[i]),
                                             cti_v3_sub(cti_v3_at(sys->b, blocks[i]), cti_v3_at(sys->work, blocks[i])));
    cti_balance_component(s, dt, q, blocks, sys->work, sys->v_free);
    m->free_speed = 0;
    m->dynamics = -1;
    m->contact_energy = 0;
    m->dt_free = dt;
    for (i = 0; i < n; i++)
        for (k = 3 * blocks[i]; k < 3 * blocks[i] + 3; k++) {
            s->history.dv_free[k] = sys->v_free[k] - s->v[k];
            m->free_speed = cti_max(m->free_speed, cti_abs(sys->v_free[k]) * cti_rigid_lever(s->bodies.rigids, s->bodies.rigid_of, blocks[i]));
        }
}

/* counts the work of that */
static void cti_cmr_free_count(cti_state *s, const cti_component *q)
{
    int solved = !q->solve.extrapolated_attempts && !cti_cmr_is_asleep(s, q);
    cti_frame_add(&s->frame, cti_factors_price(q, q->solve.free_refactored, solved ? q->solve.free_iterations + 1 : 0));
}

CTI_FN int cti_cmr_free_one(cti_state *s, ct_real dt, cti_component *q, int *its)
{
    if (!cti_factors_prepare(&s->factors, q, dt))
        return 0;
    cti_cmr_free_component(s, dt, q, 0);
    cti_cmr_free_count(s, q);
    s->factors.n_refactored += q->solve.free_refactored;
    *its = cti_max_int(*its, q->solve.free_iterations);
    return 1;
}

typedef struct cti_cmr_free_task {
    cti_state *s;
    ct_real dt;
} cti_cmr_free_task;

static void cti_cmr_free_range(int begin, int end, int worker, void *context)
{
    const cti_cmr_free_task *q = (const cti_cmr_free_task *)context;
    for (; begin < end; begin++)
        if (!q->s->factors.components[begin].substep.part)
            cti_cmr_free_component(q->s, q->dt, &q->s->factors.components[begin], worker);
}

/* 1 for a component that scripts hold as a whole: its rows of A are diagonal, and v_free solves them from the start. Any factor serves it */
static int cti_cmr_is_held(const cti_state *s, cti_component *q)
{
    int i, is_held = q->cache.stamp.age >= 0;
    for (i = q->begin; i < q->end && is_held; i++)
        is_held = s->scripts.fixed[s->factors.blocks[i]];
    if (is_held)
        q->cache.stamp.age = 0;
    return is_held;
}

CTI_FN int cti_cmr_free_motion(cti_state *s, ct_real dt, cti_attempt *out)
{
    cti_cmr_free_task q;
    int c, its = 0, n = CTI_LEN(s->factors.components);
    cti_factors_begin(s, dt);
    cti_cmr_free_start(s, dt);
    for (c = 0; c < n; c++) {
        cti_component *k = &s->factors.components[c];
        if (!k->substep.part && !k->solve.extrapolated_attempts && !cti_cmr_is_asleep(s, k) && !cti_cmr_is_held(s, k) &&
            !cti_factors_prepare(&s->factors, k, dt))
            return 0;
    }
    for (c = 0; c < n; c++) {
        if (s->factors.components[c].substep.part)
            continue;
        cti_motion_whole(s, &s->factors.components[c]);
        cti_motion_tell(s, dt, &s->factors.components[c]);
    }
    q.s = s, q.dt = dt;
    cti_tasks_run_work(&s->desc.tasks, cti_cmr_free_range, n, cti_step_tuned.costs.motion * s->n / cti_max_int(1, n), &q);
    for (c = 0; c < n; c++) {
        const cti_component *k = &s->factors.components[c];
        its = cti_max_int(its, k->substep.part ? 0 : k->solve.free_iterations);
        s->factors.n_refactored += k->substep.part ? 0 : k->solve.free_refactored;
        if (!k->substep.part)
            cti_cmr_free_count(s, k);
    }
    out->work.linear_iterations += its;
    return 1;
}

CTI_FN int cti_cmr_solve_extrapolated(cti_state *s, ct_real dt, cti_attempt *out)
{
    ct_real *w = s->system.work;
    int c, i, its = 0;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        const int32_t *blocks = s->factors.blocks + q->begin;
        ct_real dynamics = q->solve.dynamics;
        if (!q->solve.extrapolated_attempts || q->substep.part)
            continue;
        q->solve.extrapolated_attempts = 0;
        if (!cti_cmr_free_one(s, dt, q, &its))
            return 0;
        q->solve.dynamics = dynamics;
        for (i = 0; i < q->end - q->begin; i++)
            cti_v3_put(w, blocks[i], cti_v3_sub(cti_v3_at(s->end.v, blocks[i]), cti_v3_at(s->system.v_free, blocks[i])));
        for (i = 0; i < q->end - q->begin; i++)
            q->solve.contact_energy += (double)cti_v3_dot(cti_v3_at(w, blocks[i]), cti_bsr_row(&s->system.A, w, blocks[i]));
    }
    out->work.linear_iterations += its;
    return 1;
}

CTI_FN int cti_cmr_solve_untouched(cti_state *s, ct_real dt, cti_attempt *out, int *moved)
{
    int i, k, c, its = 0, n = CTI_LEN(s->factors.components);
    uint8_t *touched = CTI_ARENA_ZERO(s->arena, uint8_t, n);
    *moved = 0;
    if (!touched)
        return 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        for (k = 0; k < s->contact.rows[i].n; k++)
            touched[s->factors.component_of[s->contact.rows[i].term[k].block]] = 1;
    for (c = 0; c < n; c++) {
        cti_component *q = &s->factors.components[c];
        if (q->substep.part || !q->solve.inexact_attempts || touched[c])
            continue;
        q->solve.inexact_attempts = q->solve.extrapolated_attempts = 0;
        if (!cti_cmr_free_one(s, dt, q, &its))
            return 0;
        for (k = q->begin; k < q->end; k++)
            cti_v3_put(s->end.v, s->factors.blocks[k], cti_v3_at(s->system.v_free, s->factors.blocks[k]));
        ++*moved;
    }
    out->work.linear_iterations += its;
    return 1;
}
