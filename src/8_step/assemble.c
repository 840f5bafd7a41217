/* assemble.c -- A and b of the linearized step; the coefficients of Newmark and BDF2 are in integrate.c.
   Method: A = M (1 + dt alpha) + dt^2 K + dt D, b = M v + dt f + kick M g, one Newton iteration (Otaduy 2009, eq. 2-3).
   differs: f and K are those of q, the position to which the body's own rotation takes it (motion.h), so that b also has (dt^2 K + dt D) (q
   - x) / dt. Gravity is added such that v belongs to the middle of steps (Stoermer-Verlet), and a free fall is exact at every dt. Pins: S A
   S + (I - S), the inverse mass S / m of Volino & Magnenat-Thalmann 2000, sec. 2.2. */
#include "assemble.h"
#include "policy_numbers.h"
#include "linkage.h"
#include "impulses.h"
#include "integrate.h"
#include "motion.h"
#include "wind.h"
#include "../1_math/eig3.h"

CTI_FN void cti_assemble_movers(cti_state *s, double time)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->scripts.movers); i++) {
        const cti_mover *m = &s->scripts.movers[i];
        for (k = 0; k < m->n; k++)
            cti_v3_put(cti_surface_script(&s->surface, m->v0 + k), 0, cti_script_point(&m->script, m->vertices[k], time, NULL));
    }
}

CTI_FN void cti_assemble_standing(cti_state *s)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->scripts.movers); i++) {
        const cti_mover *m = &s->scripts.movers[i];
        for (k = 0; k < m->n; k++)
            cti_v3_put(cti_surface_script(&s->surface, m->v0 + k), 0, cti_script_place(&m->script, m->vertices[k], s->step.time));
    }
}

CTI_FN void cti_assemble_stop(const cti_state *s, const ct_real *script, int stopped)
{
    const cti_surface *f = &s->surface;
    int i, k;
    for (i = 0; i < CTI_LEN(s->scripts.movers); i++) {
        const cti_mover *m = &s->scripts.movers[i];
        if (m->n == 0 || !m->script.stopped)
            continue;
        if (script)
            stopped = memcmp(f->x0 + 3 * (size_t)m->v0, cti_surface_script(f, m->v0) - f->script + script, sizeof *script * 3 * (size_t)m->n) != 0;
        for (k = 0; stopped && k < m->script.n; k++)
            cti_v3_put(m->script.stopped, k, cti_script_point(&m->script, k, s->step.time, NULL));
        for (k = 0; stopped && k < m->n; k++)
            cti_v3_put(m->script.stopped, m->vertices[k], cti_v3_at(f->x0, m->v0 + k));
        m->script.stopped[3 * (size_t)m->script.n] = (ct_real)stopped;
    }
}

CTI_FN ct_real cti_assemble_script_speed(const cti_state *s, ct_real dt)
{
    ct_real big = 0;
    int i, k;
    for (i = 0; i < CTI_LEN(s->scripts.movers); i++)
        for (k = s->scripts.movers[i].v0; k < s->scripts.movers[i].v0 + s->scripts.movers[i].n; k++)
            big = cti_max(big, cti_v3_norm2(cti_v3_sub(cti_v3_at(cti_surface_script(&s->surface, k), 0), cti_v3_at(s->surface.x0, k))));
    return cti_sqrt(big) / dt;
}

/* index of a projector for this block, made if needed; -1 when memory ran out */
static int cti_assemble_slot(cti_state *s, int block)
{
    int k = s->scripts.n_constrained;
    if (s->scripts.filter[block] >= 0)
        return s->scripts.filter[block];
    if (!CTI_RESIZE(s->mem, s->scripts.projectors, 9 * (k + 1)))
        return -1;
    s->scripts.n_constrained++;
    return s->scripts.filter[block] = k;
}

/* removes the axes that p holds from the block's S, which is diagonal so far */
static int cti_assemble_axes(cti_state *s, const cti_pin *p, ct_real dt)
{
    cti_v3 target = cti_script_follow(p->n_path ? s->scripts.path + p->path : NULL, p->n_path, cti_v3_at(p->start, 0),
                                      cti_state_ahead(s, dt) - p->t0, NULL);
    int b = p->block, first = s->scripts.filter[b] < 0, slot = cti_assemble_slot(s, b), k;
    ct_real t[3], *S;
    if (slot < 0)
        return 0;
    S = s->scripts.projectors + 9 * (size_t)slot;
    if (first) {
        memset(S, 0, 9 * sizeof *S);
        S[0] = S[4] = S[8] = 1;
    }
    t[0] = target.x, t[1] = target.y, t[2] = target.z;
    for (k = 0; k < 3; k++)
        if (p->axes & (1 << k)) {
            S[4 * k] = 0;
            s->scripts.v_fixed[3 * b + k] = (t[k] - s->x[3 * b + k]) / dt;
        }
    return 1;
}

/* a direction pin: alone it is S. With pins, S projects onto the motions that both allow, the null space of M = (I - P) + (I - D); v_fixed
   is the velocity in M's range that satisfies both, M v = (I - D) v_pins */
static int cti_assemble_direction(cti_state *s, const cti_direction *d)
{
    int b = d->block, first = s->scripts.filter[b] < 0, slot = cti_assemble_slot(s, b), i, j, k;
    ct_real M[6], w[3], V[9], *S;
    const ct_real *P = d->projector;
    cti_v3 rhs = cti_v3_at(s->scripts.v_fixed, b), v = cti_v3_zero();
    if (slot < 0)
        return 0;
    S = s->scripts.projectors + 9 * (size_t)slot;
    if (first) {
        memcpy(S, P, 9 * sizeof *S);
        return 1;
    }
    M[0] = 2 - P[0] - S[0], M[1] = 2 - P[4] - S[4], M[2] = 2 - P[8] - S[8];
    M[3] = -P[5], M[4] = -P[2], M[5] = -P[1];
    cti_eig3(M, w, V);
    memset(S, 0, 9 * sizeof *S);
    for (k = 0; k < 3; k++) {
        cti_v3 e = cti_v3_make(V[k], V[3 + k], V[6 + k]);
        if (w[k] > cti_step_tuned.attempt.axis) {
            v = cti_v3_mad(v, e, cti_v3_dot(e, rhs) / w[k]);
            continue;
        }
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                S[3 * i + j] += V[3 * i + k] * V[3 * j + k];
    }
    cti_v3_put(s->scripts.v_fixed, b, v);
    return 1;
}

/* 1 if a block stays where it is, or moves as its script says */
static int cti_assemble_is_held(const cti_state *s, int i)
{
    return (s->scripts.held[i] & (CTI_HELD_REPAIR | CTI_HELD_IMPLAUSIBLE)) || cti_state_is_inactive(s, i);
}

/* what two projectors both hold is the null space of their sum */
CTI_FN int cti_assemble_between(cti_state *s, int block, int a, int b)
{
    cti_scripts *c = &s->scripts;
    const ct_real *P, *Q;
    ct_real M[6], w[3], V[9], *S;
    cti_v3 mean, v = cti_v3_zero();
    int i, j, k, slot;
    if (c->filter[a] < 0 || c->filter[b] < 0 || cti_assemble_is_held(s, block))
        return 1;
    P = c->projectors + 9 * (size_t)c->filter[a], Q = c->projectors + 9 * (size_t)c->filter[b];
    M[0] = P[0] + Q[0], M[1] = P[4] + Q[4], M[2] = P[8] + Q[8];
    M[3] = P[5] + Q[5], M[4] = P[2] + Q[2], M[5] = P[1] + Q[1];
    cti_eig3(M, w, V);
    if (!(w[2] <= cti_step_tuned.attempt.axis)) /* w is descending */
        return 1;
    slot = cti_assemble_slot(s, block);
    if (slot < 0)
        return 0;
    S = c->projectors + 9 * (size_t)slot;
    memset(S, 0, 9 * sizeof *S);
    mean = cti_v3_mul(cti_v3_add(cti_v3_at(c->v_fixed, a), cti_v3_at(c->v_fixed, b)), CTI_R(0.5));
    for (k = 0; k < 3; k++) {
        cti_v3 e = cti_v3_make(V[k], V[3 + k], V[6 + k]);
        if (w[k] <= cti_step_tuned.attempt.axis) {
            v = cti_v3_mad(v, e, cti_v3_dot(e, mean));
            continue;
        }
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                S[3 * i + j] += V[3 * i + k] * V[3 * j + k];
    }
    cti_v3_put(c->v_fixed, block, v);
    c->fixed[block] = (uint8_t)(S[0] == 0 && S[4] == 0 && S[8] == 0);
    return 1;
}

CTI_FN int cti_assemble_pins(cti_state *s, ct_real dt)
{
    cti_scripts *scripts = &s->scripts;
    int i;
    if (s->n == 0)
        return 1;
    memset(scripts->fixed, 0, (size_t)s->n);
    memset(scripts->v_fixed, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->n; i++)
        scripts->filter[i] = -1;
    scripts->n_constrained = 0;
    for (i = 0; i < CTI_LEN(scripts->pins); i++) {
        const cti_pin *p = &scripts->pins[i];
        if (p->axes && !(p->until >= 0 && s->step.time >= p->until - 1e-9 * (double)dt) && !cti_assemble_axes(s, p, dt))
            return 0;
    }
    for (i = 0; i < s->n; i++)
        if (cti_assemble_is_held(s, i)) {
            int slot = cti_assemble_slot(s, i);
            if (slot < 0)
                return 0;
            memset(scripts->projectors + 9 * (size_t)slot, 0, 9 * sizeof(ct_real));
            if (scripts->held[i] & CTI_HELD_REPAIR || cti_state_is_inactive(s, i)) /* implausible blocks follow the scripts of their axes */
                memset(scripts->v_fixed + 3 * (size_t)i, 0, 3 * sizeof(ct_real));
        }
    for (i = 0; i < CTI_LEN(scripts->directions); i++)
        if (!cti_assemble_is_held(s, scripts->directions[i].block) && !cti_assemble_direction(s, &scripts->directions[i]))
            return 0;
    for (i = 0; i < s->n; i++)
        if (scripts->filter[i] >= 0) {
            const ct_real *S = scripts->projectors + 9 * (size_t)scripts->filter[i];
            scripts->fixed[i] = (uint8_t)(S[0] == 0 && S[4] == 0 && S[8] == 0);
        }
    return 1;
}

/* rows and columns of constrained blocks: x = v_fixed there */
static void cti_assemble_filter(cti_state *s)
{
    const cti_scripts *scripts = &s->scripts;
    if (scripts->n_constrained)
        cti_bsr_constrain(&s->system.A, scripts->filter, scripts->projectors, scripts->v_fixed, 1, s->system.b);
}

/* angular blocks: A = I (1 + dt alpha) at the middle of the free rotation, b = spin, so that A^-1 b is that rotation */
static void cti_assemble_rigids(cti_state *s, ct_real dt)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[i];
        int b = r->block + 1;
        ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[b], damp = 1 + dt * s->bodies.alpha[b];
        if (CTI_LINKAGES(s) && r->linkage_mode && s->system.n_linearized > 0) { /* linearized at its last tentative motion */
            cti_linkage_equation(s, dt, i);
            continue;
        }
        cti_rigid_free(r, dt);
        for (k = 0; k < 9; k++)
            D[k] = r->I_mid[k] * damp;
        for (k = 0; k < 3; k++)
            s->system.b[3 * b + k] = r->spin[k];
    }
}

/* models write to their own blocks only; their counts and sums are kept separate */
typedef struct cti_assemble_loop {
    cti_state *s;
    ct_real dt;
    const ct_real *x, *ahead; /* positions; (x0 + dt v - x) / dt, for strain limits */
    int *extended; /* [models] */
} cti_assemble_loop;

/* h of a model's A, and the part of a step in which a strain limit's force acts; bodies may have different histories */
static void cti_assemble_lengths(const cti_state *s, int model, ct_real dt, ct_real *h, ct_real *share)
{
    cti_scheme c;
    *h = dt, *share = 1;
    if (s->history.last[model] < 0 || cti_integrate_is_plain(s, s->history.block[model]))
        return;
    cti_integrate_scheme(s, s->history.block[model], dt, &c);
    *h = c.h, *share = c.share;
}

static void cti_assemble_range(int begin, int end, int worker, void *context)
{
    const cti_assemble_loop *q = (const cti_assemble_loop *)context;
    cti_state *s = q->s;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        ct_real h, share;
        q->extended[begin] = 0;
        if (s->history.last[begin] >= 0 && cti_state_is_inactive(s, s->history.block[begin]))
            continue;
        cti_assemble_lengths(s, begin, q->dt, &h, &share);
        cti_model_ahead(s->bodies.models[begin], q->dt, share, q->ahead);
        cti_model_assemble(s->bodies.models[begin], q->x, h, s->system.force, s->system.A.val, &q->extended[begin], NULL);
    }
}

/* force and A of all models at x */
static int cti_assemble_models(cti_state *s, ct_real dt, const ct_real *x, int *out_extended)
{
    cti_assemble_loop q;
    ct_real *ahead = s->system.work + 9 * (size_t)s->n; /* damping, which is computed before the free solve, uses the same place */
    int i, c;
    q.s = s, q.dt = dt, q.x = x, q.ahead = ahead;
    for (i = 0; i < 3 * s->n; i++)
        ahead[i] = s->v[i] - (x[i] - s->x[i]) / dt;
    /* in further iterations strain limits are evaluated at q itself */
    for (c = 0; x == s->system.q && c < CTI_LEN(s->factors.components); c++)
        for (i = s->factors.components[c].begin; s->system.turns[c].moved == 2 && i < s->factors.components[c].end; i++)
            cti_v3_put(ahead, s->factors.blocks[i], cti_v3_zero());
    q.extended = CTI_ARENA_NEW(s->arena, int, s->bodies.n_models);
    if (!q.extended)
        return 0;
    cti_tasks_run_work(&s->desc.tasks, cti_assemble_range, s->bodies.n_models, cti_step_tuned.costs.model, &q);
    for (i = 0; i < s->bodies.n_models; i++)
        *out_extended += q.extended[i];
    return 1;
}

static void cti_assemble_clear_range(int begin, int end, int worker, void *context)
{
    cti_state *s = (cti_state *)context;
    size_t first = (size_t)s->system.A.row[begin], last = (size_t)s->system.A.row[end];
    CTI_UNUSED(worker);
    memset(s->system.A.val + 9 * first, 0, sizeof(ct_real) * 9 * (last - first));
    memset(s->system.force + 3 * (size_t)begin, 0, sizeof(ct_real) * 3 * (size_t)(end - begin));
}

/* A and force are zero */
static void cti_assemble_clear(cti_state *s)
{
    cti_tasks_run_work(&s->desc.tasks, cti_assemble_clear_range, s->n, cti_step_tuned.costs.clear, s);
}

/* The share of a body's rotation that its elasticity can bring about. Free nodes depart from the rotation by e = v - u - (q - x) / dt, with
   u the speed of its centre; the step leaves (M + A_el)^-1 M e of that, which along e is about the share e'M e / (e'M e + e'A_el e). 1: stiff,
   the nodes end at q; 0: without elasticity, each node goes straight on. w: (q - x) / dt; out: scratch */
static ct_real cti_assemble_share(const cti_state *s, const cti_component *p, const cti_turn *turn, const ct_real *w, ct_real *e)
{
    const int32_t *blocks = s->factors.blocks;
    cti_v3 speed = turn->speed;
    double free = 0, bound = 0;
    int i;
    for (i = p->begin; i < p->end; i++)
        cti_v3_put(e, blocks[i], cti_v3_sub(cti_v3_sub(cti_v3_at(s->v, blocks[i]), speed), cti_v3_at(w, blocks[i])));
    for (i = p->begin; i < p->end; i++) {
        free += (double)(s->bodies.mass[blocks[i]] * cti_v3_norm2(cti_v3_at(e, blocks[i])));
        bound += (double)cti_v3_dot(cti_v3_at(e, blocks[i]), cti_bsr_row(&s->system.A, e, blocks[i]));
    }
    return bound > 0 ? (ct_real)(bound / (bound + free)) : 0;
}

/* b = A_el (q - x) / dt for components with q other than x, plus M times the spin `rate`; A contains only A_el = h^2 K + h D so far. The
   term removes D from the motion from x to q, so that strain damping acts on the departure from q alone. */
static void cti_assemble_place(cti_state *s, ct_real dt)
{
    cti_system *sys = &s->system;
    ct_real *w = sys->work, *e = w + 3 * (size_t)s->n;
    int c, i, k;
    memset(sys->b, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *p = &s->factors.components[c];
        const cti_turn *turn = &sys->turns[c];
        cti_v3 rate;
        if (!turn->moved)
            continue;
        for (i = p->begin; i < p->end; i++)
            for (k = 3 * s->factors.blocks[i]; k < 3 * s->factors.blocks[i] + 3; k++)
                w[k] = (sys->q[k] - s->x[k]) / dt;
        for (i = p->begin; i < p->end; i++)
            cti_v3_put(sys->b, s->factors.blocks[i], cti_bsr_row(&sys->A, w, s->factors.blocks[i]));
        rate = turn->rate;
        if (turn->turns && cti_v3_norm(rate) > 0)
            rate = cti_v3_mul(rate, cti_assemble_share(s, p, turn, w, e));
        for (i = p->begin; turn->turns && i < p->end; i++) {
            int b = s->factors.blocks[i];
            cti_v3_addto(sys->b, b, cti_v3_mul(cti_v3_cross(rate, cti_v3_sub(cti_v3_at(sys->q, b), turn->center)), s->bodies.mass[b]));
        }
    }
}

/* b += h^2 K v: the forces of q = x + h v, linearized there, in terms of the velocity of the whole step. A contains only h^2 K + h D */
static void cti_assemble_shift(cti_state *s, ct_real dt, const ct_real *q, const ct_real *v)
{
    ct_real *Dv = s->system.work + 6 * (size_t)s->n; /* the velocities that a solve starts from may be before it */
    int k, m;
    cti_bsr_mul(&s->system.A, v, s->system.work);
    memset(Dv, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (m = 0; m < s->bodies.n_models; m++)
        cti_model_damping(s->bodies.models[m], q, v, Dv);
    for (k = 0; k < 3 * s->n; k++)
        s->system.b[k] += s->system.work[k] - dt * Dv[k];
}

CTI_FN int cti_assemble_at(cti_state *s, ct_real dt, const ct_real *q, const ct_real *v, int *out_extended)
{
    int i;
    *out_extended = 0;
    cti_assemble_clear(s);
    memset(s->system.b, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!cti_assemble_models(s, dt, q, out_extended))
        return 0;
    cti_assemble_shift(s, dt, q, v);
    for (i = 0; i < s->n; i++)
        cti_integrate_plain(s, i, dt);
    if (!cti_impulses_keep(s))
        return 0;
    cti_assemble_filter(s);
    return 1;
}

CTI_FN int cti_assemble(cti_state *s, ct_real dt, int *out_extended)
{
    *out_extended = 0;
    if (s->n == 0)
        return 1;
    cti_frame_add(&s->frame, cti_step_tuned.frame.linear * s->n);
    cti_assemble_clear(s);
    if (!cti_assemble_models(s, dt, s->system.q, out_extended))
        return 0;
    cti_assemble_place(s, dt);
    cti_motion_forces(s);
    cti_integrate_assemble(s, dt);
    cti_assemble_rigids(s, dt);
    cti_wind_assemble(s, dt);
    if (!cti_impulses_keep(s))
        return 0;
    cti_assemble_filter(s);
    return 1;
}

CTI_FN ct_real cti_assemble_scale(const cti_state *s, ct_real dt, ct_real speed)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt;
    if (!(g > 0))
        g = cti_step_tuned.island.weightless *
            cti_max(cti_max(speed, cti_assemble_script_speed(s, dt)), cti_max(cti_joints_speed(s, dt), s->desc.thickness / dt));
    return g > 0 ? g : CTI_R(1e-9);
}
