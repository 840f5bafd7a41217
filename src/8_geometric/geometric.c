/* geometric.c -- the geometric stepper.
   Method: a substep computes forces, corrects positions, speeds and accelerations of what collides, and integrates implicitly with the
   forces that the acceleration correction is. The motion is then tested. Pairs that cross become collisions, too, with the side that they had
   before, and so do those that were none and come nearer than position_distance. Then the substep is done again. The blocks of pairs that still
   cross are stopped short of it, with the fail-safe on. A step is cut into substeps in which features that collide approach by a share of their
   distance at most. based on: Volino, Magnenat-Thalmann 2000, sec. 4 and 5.2. */
#include "geometric.h"
#include "../8_step/policy.h"
#include "../8_step/assemble.h"
#include "../8_step/energy.h"
#include "../8_step/impulses.h"
#include "../8_step/joints.h"
#include "../8_step/momenta.h"
#include "../8_step/plausible.h"
#include "../8_step/ends.h"
#include "../8_step/shell.h"

#define CTI_GEOMETRIC_AGAIN 2 /* times that a substep is done again with the pairs that cross or come near */
#define CTI_GEOMETRIC_CUTS 24 /* rounds of the fail-safe; each stops some blocks for good from the 12th on */
#define CTI_GEOMETRIC_STOP 12

/* ---- a substep ---- */

/* v: the velocities, with those that scripts give */
static void cti_geometric_load(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    int i;
    memcpy(g->v, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->n; i++)
        if (s->scripts.filter[i] >= 0) {
            cti_v3 v = cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)s->scripts.filter[i], cti_v3_at(g->v, i));
            cti_v3_put(g->v, i, cti_v3_add(v, cti_v3_at(s->scripts.v_fixed, i)));
        }
}

/* end.x and surface.x1 after h from x + dx, end.v */
static void cti_geometric_move(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real share = cti_geometric_share(s);
    int i;
    for (i = 0; i < 3 * s->n; i++) {
        s->end.v[i] = g->v[i] + g->dv[i] + g->last[i] + g->rest[i] + g->implicit.spin[i];
        s->end.x[i] = s->x[i] + g->dx[i] + h * (g->v[i] + share * g->dv[i] + g->last[i]);
    }
    cti_surface_place(&s->surface, s->end.x, s->bodies.frames, s->surface.x1);
}

/* boxes around the motion that velocities at the start promise, with the last accelerations, of gravity at most: those of impacts do not last. A pile
   at rest has half of the pairs that free fall would bring. 0: out of memory */
static int cti_geometric_expect(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real most = cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    int i;
    for (i = 0; i < s->n; i++) {
        cti_v3 a = cti_v3_at(g->implicit.gain, i), x = cti_v3_mad(cti_v3_at(s->x, i), cti_v3_at(g->v, i), CTI_R(1.5) * h);
        ct_real size = cti_v3_norm(a);
        cti_v3_put(s->end.x, i, cti_v3_mad(x, a, h * h * (size > most ? most / size : 1)));
    }
    cti_surface_place(&s->surface, s->end.x, s->bodies.frames, s->surface.x1);
    return cti_geometric_cover(s);
}

/* substeps that colliding features' approach asks for: each comes nearer by `displacement` of the larger of distance and thickness */
static ct_real cti_geometric_need(const cti_state *s, ct_real h)
{
    const cti_geometric *g = cti_geometric_own(s);
    ct_real need = 1;
    int c, k;
    for (c = 0; c < CTI_LEN(g->hits); c++) {
        const cti_geometric_hit *t = &g->hits[c];
        cti_v3 u = t->script;
        if (t->elastic)
            continue;
        for (k = g->q.start[c]; k < g->q.start[c + 1]; k++)
            u = cti_v3_mad(u, cti_v3_at(g->v, g->q.blocks[g->q.particle[k]]), g->q.S[k]);
        need = cti_max(need, -h * cti_v3_dot(u, t->normal) / (s->desc.geometric.displacement * cti_max(t->distance, t->thickness)));
    }
    return need;
}

/* no collision has an impulse, and none is remembered */
static void cti_geometric_blank(cti_state *s)
{
    cti_geometric_forces *q = &cti_geometric_own(s)->q.forces;
    size_t size = sizeof(ct_real) * 3 * (size_t)cti_geometric_own(s)->q.net.m;
    if (size == 0)
        return;
    memset(q->J, 0, size), memset(q->force, 0, size), memset(q->speed, 0, size);
    memset(q->last, 0, size), memset(q->rest, 0, size);
}

/* a motion that is not plausible: nothing moves, and the judge refuses the try */
static int cti_geometric_stand(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    if (!cti_judge_blame(s, h))
        return 0;
    memcpy(s->end.x, s->x, sizeof(ct_real) * 3 * (size_t)s->n);
    memset(s->end.v, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    memset(g->dv, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    memset(g->v, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    memset(g->dx, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    memset(g->implicit.y, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    memset(&g->implicit.account, 0, sizeof g->implicit.account);
    cti_geometric_blank(s);
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x1);
    return 1;
}

/* the fail-safe: blocks of crossing pairs stop short of the crossing. Returns 1; 0: crossings are left; -1: out of memory */
static int cti_geometric_stop(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    int round, i, k, found = 1;
    ct_real lost = 0;
    for (round = 0; round < CTI_GEOMETRIC_CUTS && found > 0; round++) {
        found = cti_geometric_cross(s, 1);
        if (found <= 0)
            break;
        for (i = 0; i < s->n; i++) {
            if (!(g->share[i] < 1))
                continue;
            if (round >= CTI_GEOMETRIC_STOP)
                g->share[i] = 0;
            g->run.cut = 1;
            r->frozen += !g->crossing.stopped[i];
            g->crossing.stopped[i] = 1;
            for (k = 3 * i; k < 3 * i + 3; k++) {
                ct_real before = s->end.v[k];
                s->end.x[k] = s->x[k] + g->share[i] * (s->end.x[k] - s->x[k]);
                s->end.v[k] = (s->end.x[k] - s->x[k]) / h;
                lost += s->bodies.mass[i] * cti_abs(s->end.v[k] - before);
            }
        }
        cti_surface_place(&s->surface, s->end.x, s->bodies.frames, s->surface.x1);
    }
    r->momentum_lost += lost;
    return found < 0 ? -1 : found == 0;
}

/* corrections and integration, with the pairs that are marked as forced. found: the network is that of now. 0: out of memory */
static int cti_geometric_respond(cti_state *s, ct_real h, int found, int *done, ct_step_report *r)
{
    double t = cti_state_clock(s);
    if (!found && (!cti_geometric_find(s, h) || !cti_geometric_build(s, h) || !cti_geometric_free_motion(s, h, r)))
        return 0; /* the collisions have other remembered forces */
    if (!cti_geometric_stiffen(s))
        return 0;
    r->ms_detect += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    memcpy(cti_geometric_own(s)->dv, cti_geometric_own(s)->v, sizeof(ct_real) * 3 * (size_t)s->n);
    r->solver_iterations += cti_geometric_correct(s, h);
    r->solves++;
    r->ms_solve += cti_state_clock(s) - t;
    cti_geometric_speed_work(s, r);
    t = cti_state_clock(s);
    *done = cti_geometric_integrate(s, h, r);
    cti_geometric_works(s, h);
    r->ms_unconstrained += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    r->solver_iterations += cti_geometric_correct_end(s, h);
    r->solver_iterations += cti_geometric_correct_rest(s);
    r->ms_solve += cti_state_clock(s) - t;
    cti_geometric_move(s, h);
    return 1;
}

/* values of the report that a repeated substep starts from again */
typedef struct cti_geometric_sums {
    double script, recovery, contact;
    ct_real residual;
} cti_geometric_sums;

/* from the collisions to a motion that is tested. 0: out of memory */
static int cti_geometric_motion(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_sums sums;
    int again, found = 1, missed, done = 1;
    double t;
    sums.script = r->work_script, sums.recovery = r->work_recovery, sums.contact = r->loss_contact, sums.residual = r->residual;
    for (again = 0; again <= CTI_GEOMETRIC_AGAIN; again++) {
        if (again > 0)
            cti_geometric_load(s);
        r->work_script = sums.script, r->work_recovery = sums.recovery, r->loss_contact = sums.contact, r->residual = sums.residual;
        if (!cti_geometric_respond(s, h, again == 0, &done, r))
            return 0;
        t = cti_state_clock(s);
        if (!cti_geometric_cover(s))
            return 0;
        found = cti_geometric_cross(s, 0);
        if (found < 0)
            return 0;
        missed = again < CTI_GEOMETRIC_AGAIN ? cti_geometric_miss(s, h) : 0;
        r->ms_detect += cti_state_clock(s) - t;
        if (found + missed == 0)
            break;
    }
    if (!done || g->q.ask.lack > 1)
        cti_step_status(r, CT_STATUS_BUDGET);
    if (found > 0 && s->desc.geometric.fail_safe) {
        found = cti_geometric_stop(s, h, r);
        if (found < 0)
            return 0;
        cti_step_status(r, CT_STATUS_ZONES);
        g->run.crossing |= !found;
    } else
        g->run.crossing |= found > 0;
    return 1;
}

/* impulses of the collisions of a substep. 0: out of memory */
static int cti_geometric_touches(cti_state *s, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    int c, halves = cti_geometric_share(s) < 1 && s->desc.geometric.residual_state;
    r->contacts = 0, r->rows = g->q.net.m;
    for (c = 0; c < g->q.net.m; c++) {
        const cti_geometric_hit *t = &g->hits[c];
        cti_v3 J = cti_v3_add(cti_v3_at(g->q.forces.J, c), cti_v3_add(cti_v3_at(g->q.forces.speed, c), cti_v3_at(g->q.forces.last, c)));
        cti_touch touch;
        if (halves)
            J = cti_v3_add(J, cti_v3_at(g->q.forces.rest, c));
        if (t->elastic) {
            if (!cti_geometric_elastic_impulse(s, t, J))
                return 0;
            continue;
        }
        if (!(cti_v3_norm2(J) > 0))
            continue;
        cti_impulses_of(&s->surface, &t->pair, t->normal, J, &touch);
        touch.thickness = t->thickness, touch.sticking = g->q.stick[c];
        r->contacts++;
        if (!CTI_PUSH(s->mem, s->step.impulses.touches, touch))
            return 0;
    }
    return 1;
}

/* Bodies that only act on each other keep their angular momentum (momenta.h): a linear law of forces turns no body, and the impulses of collisions
   have moments about the places of the start. Each collision is a row that says whom it connects. 0: out of memory */
static int cti_geometric_spin(cti_state *s, ct_real h)
{
    const cti_geometric_net *q = &cti_geometric_own(s)->q;
    cti_contact_row from;
    int c, k;
    memset(&from, 0, sizeof from);
    for (c = 0; c < q->net.m; c++) {
        cti_row row;
        memset(&row, 0, sizeof row);
        row.r[0] = cti_v3_norm(cti_v3_at(q->forces.J, c)) + cti_v3_norm(cti_v3_at(q->forces.speed, c)) + cti_v3_norm(cti_v3_at(q->forces.last, c)) +
                   cti_v3_norm(cti_v3_at(q->forces.place, c));
        for (k = q->start[c]; k < q->start[c + 1] && row.n < 2; k++) { /* a block of each side */
            int is_a = q->S[k] > 0;
            if (row.n > 0 && is_a == row.n_a)
                continue;
            row.n_a = row.n_a || is_a;
            row.term[row.n++].block = q->blocks[q->particle[k]];
        }
        if (!CTI_PUSH(s->mem, s->contact.rows, row) || !CTI_PUSH(s->mem, s->contact.origins, from))
            return 0;
    }
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        s->system.turns[c].turns = 1;
    cti_momenta_balance(s, h, 1, s->end.v);
    CTI_CLEAR(s->contact.rows), CTI_CLEAR(s->contact.origins);
    return 1;
}

/* the tentative end becomes the state. 0: out of memory */
static int cti_geometric_commit(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    double before, after = cti_geometric_kinetic(s, s->end.v);
    int i;
    if (!cti_geometric_touches(s, r) || !cti_geometric_spin(s, h))
        return 0;
    cti_geometric_enter(s, h, r);
    cti_geometric_touch(s, h);
    for (i = 0; i < 3 * s->n; i++) {
        g->v[i] += g->dv[i];
        g->implicit.gain[i] = g->dv[i] / h;
    }
    if (!cti_geometric_remember(s, h))
        return 0;
    before = cti_geometric_kinetic(s, g->v) + g->implicit.account.late;
    if (after > before)
        r->work_recovery += after - before; /* of scripts, or a stop behind a position correction */
    else
        r->loss_contact += before - after;
    memcpy(s->x, s->end.x, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->v, s->end.v, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_surface_commit(&s->surface);
    g->scope.measured = 0;
    for (i = 0; i < s->n; i++) {
        s->history.dt_prev[i] = h;
        s->history.fall[i].share = 0;
    }
    s->energy.known = 0;
    s->step.time = cti_state_ahead(s, h);
    return 1;
}

/* 1: done; -1: the substep must be shorter, *need times; 0: out of memory */
static int cti_geometric_substep(cti_state *s, ct_real h, int may_cut, ct_real *need, ct_step_report *r)
{
    double t;
    cti_arena_reset(s->arena);
    if (!cti_assemble_pins(s, h))
        return 0;
    cti_assemble_movers(s, cti_state_ahead(s, h));
    cti_geometric_load(s);
    t = cti_state_clock(s);
    if (!cti_geometric_expect(s, h))
        return 0;
    cti_geometric_release(s);
    if (!cti_geometric_find(s, h) || !cti_geometric_build(s, h))
        return 0;
    *need = may_cut ? cti_geometric_need(s, h) : 1;
    r->ms_detect += cti_state_clock(s) - t;
    if (*need > CTI_R(1.001))
        return -1;
    t = cti_state_clock(s);
    cti_geometric_start(s, h * cti_geometric_share(s), r);
    r->ms_assemble += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    if (!cti_geometric_free_motion(s, h, r))
        return 0;
    r->ms_unconstrained += cti_state_clock(s) - t;
    if (!cti_geometric_motion(s, h, r))
        return 0;
    if ((!cti_all_finite(s->end.x, 3 * s->n) || !cti_plausible_motion(s, h)) && !cti_geometric_stand(s, h))
        return 0;
    return cti_geometric_commit(s, h, r);
}

/* ---- the step ---- */

/* whether the surface intersects itself when the step begins: known from the last one, if nobody has moved it since. 0: out of memory */
static int cti_geometric_open(cti_state *s, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    if (!g->known.is_known || !cti_surface_is_at(&s->surface, g->known.x_last)) {
        int found = cti_geometric_count(s);
        if (found < 0)
            return 0;
        r->tangled = found;
        g->known.is_clean = found == 0;
        g->scope.covered = g->scope.measured = 0;
        memset(&s->step.limit, 0, sizeof s->step.limit);
    }
    memset(&g->run, 0, sizeof g->run);
    memset(g->crossing.stopped, 0, (size_t)s->n);
    return 1;
}

/* what recovery has given beyond its need is taken from what contacts have taken, or is a gain */
static void cti_geometric_settle_account(const cti_state *s, ct_step_report *r)
{
    const cti_geometric *g = cti_geometric_own(s);
    double over = cti_fmax(0, r->work_recovery - g->run.lift - g->run.kick), both = cti_fmin(over, cti_fmax(0, r->loss_contact));
    r->work_recovery -= over, r->loss_contact -= both, r->energy_gained += over - both;
}

/* the pairs that are near at the end of a step are among those that the next one is expected to begin with; surface.x1: the end. 0: out of memory */
static int cti_geometric_look_ahead(cti_state *s, ct_real dt)
{
    size_t size = sizeof(ct_real) * 3 * (size_t)s->surface.nv;
    int ok;
    cti_geometric_load(s);
    if (size) /* scripts of the next step are not known */
        memcpy(s->surface.x1, s->surface.x0, size);
    ok = cti_geometric_expect(s, dt);
    memcpy(s->end.x, s->x, sizeof(ct_real) * 3 * (size_t)s->n);
    if (size)
        memcpy(s->surface.x1, s->surface.x0, size);
    return ok;
}

/* the rest of the report. 0: out of memory */
static int cti_geometric_finish(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    double t = cti_state_clock(s), swing;
    int n = s->surface.nv;
    cti_arena_reset(s->arena);
    if ((r->substeps > 1 && !cti_impulses_merge(s)) || !cti_geometric_look_ahead(s, dt) || !cti_geometric_measure(s, r))
        return 0;
    /* motions beyond the precision of the continuous test end in a status that is not good, or have been stopped */
    if (!g->known.is_clean || g->run.crossing || g->run.cut || r->status >= CT_STATUS_BUDGET) {
        int found = cti_geometric_count(s);
        if (found < 0)
            return 0;
        r->tangled = found;
        g->known.is_clean = found == 0;
        if (found > 0 || g->run.crossing)
            cti_step_status(r, CT_STATUS_NOT_CONVERGED);
        if (g->run.crossing && s->step.limit.n == 0) /* it went through, and is far away */
            s->step.limit = g->crossing.pair;
    }
    if (!CTI_RESIZE(s->mem, g->known.x_last, 3 * n))
        return 0;
    if (n)
        memcpy(g->known.x_last, s->surface.x0, sizeof(ct_real) * 3 * (size_t)n);
    g->known.is_known = 1;
    r->ms_detect += cti_state_clock(s) - t;
    cti_ends_energies(s, r);
    r->joint_error = cti_joints_error(s);
    cti_ends_gain(s->judge.start, r);
    cti_geometric_settle_account(s, r);
    swing = cti_geometric_share(s) < 1 ? cti_policy_body_gain(0, r->energy_kinetic + fabs(r->energy_elastic), 0) : 0;
    cti_judge_refuses(s, dt, swing, 0, r);
    return 1;
}

static void cti_geometric_back(cti_state *s)
{
    cti_geometric_own(s)->scope.covered = cti_geometric_own(s)->scope.measured = 0, cti_geometric_own(s)->known.is_known = 0;
    cti_geometric_release(s);
    cti_geometric_memory_restore(s);
}

CTI_FN ct_code cti_geometric_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_shell q = {0, 1, 1, cti_geometric_substep, cti_geometric_finish, cti_geometric_memory_save, cti_geometric_back, cti_geometric_open, NULL};
    q.cuts = s->desc.geometric.max_substeps, q.parts = cti_min_int(q.cuts, CTI_SHELL_PARTS);
    return cti_shell_step(s, &q, dt, r);
}
