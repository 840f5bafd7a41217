/* geometric.c -- the geometric stepper.
   Method: a substep computes forces, corrects positions, speeds and accelerations of what collides, and integrates implicitly with the
   forces that the acceleration correction is. The motion is then tested. Pairs that cross become collisions, too, with the side that they had
   before, and so do those that were none and come nearer than position_distance. Then the substep is done again. The blocks of pairs that still
   cross are stopped short of it, with the fail-safe on. A step is cut into substeps in which features that collide approach by a share of their
   distance at most. based on: Volino, Magnenat-Thalmann 2000, sec. 4 and 5.2. */
#include "geometric.h"
#include "../8_step/policy.h"
#include "../8_step/assemble.h"
#include "../8_step/impulses.h"
#include "../8_step/joints.h"
#include "../8_step/momenta.h"
#include "../8_step/plausible.h"
#include "../8_step/move.h"
#include "../8_step/report.h"
#include "../8_step/shell.h"

/* ---- a substep ---- */

/* sets v to the velocities, with those that scripts give */
static void cti_geometric_load(cti_state *s)
{
    memcpy(cti_geometric_own(s)->v, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_move_hold(s, cti_geometric_own(s)->v);
}

/* sets end.v, end.x and surface.x1 */
static void cti_geometric_end_positions(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real share = cti_geometric_theta(s);
    int i;
    for (i = 0; i < 3 * s->n; i++) {
        s->end.v[i] = g->v[i] + g->dv[i] + g->dv_end[i] + g->dv_remaining[i] + g->implicit.rotation_end[i];
        s->end.x[i] = s->x[i] + g->dx[i] + h * (g->v[i] + share * g->dv[i] + g->dv_end[i]);
    }
    cti_surface_place(&s->surface, s->end.x, s->bodies.frames, s->surface.x1);
}

/* finds candidates around the motion that is expected by the velocities at the start and the last accelerations, of gravity at most: those of impacts
   do not last. A pile at rest has half of the pairs that free fall would bring. 0: out of memory */
static int cti_geometric_expect(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real most = cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    int i;
    for (i = 0; i < s->n; i++) {
        cti_v3 a = cti_v3_at(g->implicit.last_acceleration, i), x = cti_v3_mad(cti_v3_at(s->x, i), cti_v3_at(g->v, i), CTI_R(1.5) * h);
        ct_real size = cti_v3_norm(a);
        cti_v3_put(s->end.x, i, cti_v3_mad(x, a, h * h * (size > most ? most / size : 1)));
    }
    cti_surface_place(&s->surface, s->end.x, s->bodies.frames, s->surface.x1);
    return cti_geometric_cover(s);
}

/* returns the number of substeps in which collisions come nearer by `displacement` of the larger of distance and thickness */
static ct_real cti_geometric_need(const cti_state *s, ct_real h)
{
    const cti_geometric *g = cti_geometric_own(s);
    ct_real need = 1;
    int c;
    for (c = 0; c < CTI_LEN(g->collisions); c++) {
        const cti_geometric_collision *t = &g->collisions[c];
        cti_v3 u = cti_geometric_relative(&g->solve, g->v, c, t->script_velocity);
        if (t->elastic)
            continue;
        need = cti_max(need, -h * cti_v3_dot(u, t->normal) / (s->desc.geometric.displacement * cti_max(t->distance, t->thickness)));
    }
    return need;
}

/* blames a motion that is not plausible, so that the judge refuses the try, puts all blocks back to the start, and clears the impulses of all
   collisions, and what is remembered of them. 0: out of memory */
static int cti_geometric_stay(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_forces *q = &g->solve.forces;
    ct_real *motions[] = {s->end.v, g->dv, g->v, g->dx, g->implicit.y}, *impulses[] = {q->J, q->force, q->speed, q->end, q->remaining};
    int k;
    if (!cti_judge_blame(s, h))
        return 0;
    memcpy(s->end.x, s->x, sizeof(ct_real) * 3 * (size_t)s->n);
    for (k = 0; k < (int)(sizeof motions / sizeof *motions); k++) {
        memset(motions[k], 0, sizeof(ct_real) * 3 * (size_t)s->n);
        if (g->solve.response.m)
            memset(impulses[k], 0, sizeof(ct_real) * 3 * (size_t)g->solve.response.m);
    }
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x1);
    return 1;
}

/* stops blocks of crossing pairs short of the crossing (fail-safe). Returns 1; 0: crossings are left; -1: out of memory */
static int cti_geometric_stop(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    int round, i, k, found = 1;
    ct_real lost = 0;
    for (round = 0; round < 2 * cti_geometric_tuned.find.stop_whole && found > 0; round++) {
        found = cti_geometric_find_crossings(s, 1);
        if (found <= 0)
            break;
        for (i = 0; i < s->n; i++) {
            if (!(g->motion_share[i] < 1))
                continue;
            if (round >= cti_geometric_tuned.find.stop_whole)
                g->motion_share[i] = 0;
            g->run.stopped = 1;
            r->frozen += !g->detection.stopped[i];
            g->detection.stopped[i] = 1;
            for (k = 3 * i; k < 3 * i + 3; k++) {
                ct_real before = s->end.v[k];
                s->end.x[k] = s->x[k] + g->motion_share[i] * (s->end.x[k] - s->x[k]);
                s->end.v[k] = (s->end.x[k] - s->x[k]) / h;
                lost += s->bodies.mass[i] * cti_abs(s->end.v[k] - before);
            }
        }
        cti_surface_place(&s->surface, s->end.x, s->bodies.frames, s->surface.x1);
    }
    r->momentum_lost += lost;
    return found < 0 ? -1 : found == 0;
}

/* corrects and integrates, with the pairs that are marked as forced. found: the system is that of now. 0: out of memory */
static int cti_geometric_respond(cti_state *s, ct_real h, int found, int *done, ct_step_report *r)
{
    double t = cti_state_clock(s);
    if (!found && (!cti_geometric_find(s, h) || !cti_geometric_build(s, h) || !cti_geometric_free_motion(s, h, r)))
        return 0; /* the collisions have other remembered forces */
    if (!cti_geometric_find_stiff(s))
        return 0;
    r->ms_detect += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    memcpy(cti_geometric_own(s)->dv, cti_geometric_own(s)->v, sizeof(ct_real) * 3 * (size_t)s->n);
    r->solver_iterations += cti_geometric_correct(s, h);
    r->solves++;
    r->ms_solve += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    *done = cti_geometric_integrate(s, h, r);
    r->ms_unconstrained += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    r->solver_iterations += cti_geometric_correct_end(s, h);
    r->solver_iterations += cti_geometric_correct_remaining(s);
    r->ms_solve += cti_state_clock(s) - t;
    cti_geometric_end_positions(s, h);
    return 1;
}

/* makes a motion from the collisions, and repeats it where it crosses or misses some. 0: out of memory */
static int cti_geometric_motion(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    int again, found = 1, missed, done = 1;
    ct_real residual = r->residual;
    double t;
    for (again = 0; again <= cti_geometric_tuned.find.repeats; again++) {
        if (again > 0)
            cti_geometric_load(s);
        r->residual = residual;
        if (!cti_geometric_respond(s, h, again == 0, &done, r))
            return 0;
        t = cti_state_clock(s);
        if (!cti_geometric_cover(s))
            return 0;
        found = cti_geometric_find_crossings(s, 0);
        if (found < 0)
            return 0;
        missed = again < cti_geometric_tuned.find.repeats ? cti_geometric_find_missed(s, h) : 0;
        r->ms_detect += cti_state_clock(s) - t;
        if (found + missed == 0)
            break;
    }
    if (!done || g->solve.goal.shortfall > 1)
        cti_step_status(r, CT_STATUS_BUDGET);
    if (found > 0 && s->desc.geometric.fail_safe) {
        found = cti_geometric_stop(s, h, r);
        if (found < 0)
            return 0;
        cti_step_status(r, CT_STATUS_ZONES);
        g->run.crossed |= !found;
    } else
        g->run.crossed |= found > 0;
    return 1;
}

/* reports the impulses of the collisions of a substep, and what they take. 0: out of memory */
static int cti_geometric_report_impulses(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    int c, k, halves = cti_geometric_theta(s) < 1 && s->desc.geometric.residual_state;
    r->contacts = 0, r->rows = g->solve.response.m;
    for (c = 0; c < g->solve.response.m; c++) {
        const cti_geometric_collision *t = &g->collisions[c];
        cti_v3 J = cti_v3_add(cti_v3_at(g->solve.forces.J, c), cti_v3_add(cti_v3_at(g->solve.forces.speed, c), cti_v3_at(g->solve.forces.end, c)));
        cti_touch touch;
        ct_real script[3];
        if (halves)
            J = cti_v3_add(J, cti_v3_at(g->solve.forces.remaining, c));
        if (t->elastic) {
            if (!cti_geometric_elastic_impulse(s, t, J))
                return 0;
            continue;
        }
        if (!(cti_v3_norm2(J) > 0))
            continue;
        cti_impulses_of(&s->surface, &t->pair, t->normal, J, &touch);
        touch.thickness = t->thickness, touch.sticking = g->solve.stick[c];
        cti_v3_put(script, 0, cti_m3_mul_v(touch.frame, t->script_velocity));
        cti_impulses_along(&s->surface, &touch, h, script, r);
        for (k = g->solve.start[c]; k < g->solve.start[c + 1]; k++) { /* along corrections of the way, recovery is their potential energy */
            int b = g->solve.blocks[g->solve.particle[k]];
            cti_v3 u = cti_v3_mad(cti_v3_at(g->v, b), cti_v3_at(g->dv, b), cti_geometric_theta(s));
            u = cti_v3_mad(u, cti_v3_sub(cti_v3_at(s->end.x, b), cti_v3_at(s->x, b)), -1 / h);
            r->work_recovery += (double)(g->solve.S[k] * cti_v3_dot(J, u));
        }
        r->contacts++;
        if (!CTI_PUSH(s->mem, s->step.impulses.touches, touch))
            return 0;
    }
    return 1;
}

/* restores the angular momentum of bodies that only act on each other (momenta.h): a linear law of forces turns no body, and the impulses of
   collisions have moments about the positions of the start. Each collision is a row that says whom it connects. 0: out of memory */
static int cti_geometric_balance_momenta(cti_state *s, ct_real h)
{
    const cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    cti_contact_row from;
    int c, k;
    memset(&from, 0, sizeof from);
    for (c = 0; c < q->response.m; c++) {
        cti_row row;
        memset(&row, 0, sizeof row);
        row.r[0] = cti_v3_norm(cti_v3_at(q->forces.J, c)) + cti_v3_norm(cti_v3_at(q->forces.speed, c)) + cti_v3_norm(cti_v3_at(q->forces.end, c)) +
                   cti_v3_norm(cti_v3_at(q->forces.position, c));
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

/* copies the tentative end to the state. 0: out of memory */
static int cti_geometric_commit(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    int i;
    cti_geometric_account(s, h, r);
    if (!cti_geometric_report_impulses(s, h, r) || !cti_geometric_balance_momenta(s, h))
        return 0;
    cti_geometric_touch(s, h);
    for (i = 0; i < 3 * s->n; i++) {
        g->v[i] += g->dv[i];
        g->implicit.last_acceleration[i] = g->dv[i] / h;
    }
    if (!cti_geometric_remember(s, h))
        return 0;
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

/* makes a substep. 1: done; -1: it must be *need times shorter; 0: out of memory */
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
    cti_geometric_mark_stiff(s);
    if (!cti_geometric_find(s, h) || !cti_geometric_build(s, h))
        return 0;
    *need = may_cut ? cti_geometric_need(s, h) : 1;
    r->ms_detect += cti_state_clock(s) - t;
    if (*need > CTI_R(1.001))
        return -1;
    t = cti_state_clock(s);
    cti_geometric_linearize(s, h * cti_geometric_theta(s), r);
    r->ms_assemble += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    if (!cti_geometric_free_motion(s, h, r))
        return 0;
    r->ms_unconstrained += cti_state_clock(s) - t;
    if (!cti_geometric_motion(s, h, r))
        return 0;
    if ((!cti_all_finite(s->end.x, 3 * s->n) || !cti_plausible_motion(s, h)) && !cti_geometric_stay(s, h))
        return 0;
    return cti_geometric_commit(s, h, r);
}

/* ---- the step ---- */

/* finds out whether the surface intersects itself when the step begins, unless the last one has, and nobody has moved it since. 0: out of memory */
static int cti_geometric_open(cti_state *s, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    if (!g->end.is_known || g->scope.version != s->surface.soup.version || !cti_surface_is_at(&s->surface, g->end.x_last)) {
        int found = cti_geometric_count_intersections(s);
        if (found < 0)
            return 0;
        r->tangled = found;
        g->end.is_clean = found == 0;
        g->scope.covered = g->scope.measured = 0, g->scope.version = s->surface.soup.version;
        memset(&s->step.limit, 0, sizeof s->step.limit);
    }
    memset(&g->run, 0, sizeof g->run);
    memset(g->recovery_way, 0, sizeof *g->recovery_way * (size_t)s->bodies.n_models);
    memset(g->detection.stopped, 0, (size_t)s->n);
    return 1;
}

/* finds the candidates that the next step is expected to begin with: pairs that are near at the end are among them. 0: out of memory */
static int cti_geometric_expect_next(cti_state *s, ct_real dt)
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

/* completes the report. 0: out of memory */
static int cti_geometric_finish(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    double t = cti_state_clock(s), swing, over;
    int n = s->surface.nv;
    cti_arena_reset(s->arena);
    if ((r->substeps > 1 && !cti_impulses_merge(s)) || !cti_geometric_expect_next(s, dt) || !cti_geometric_measure(s, r))
        return 0;
    /* motions beyond the precision of the continuous test end in a status that is not good, or have been stopped */
    if (!g->end.is_clean || g->run.crossed || g->run.stopped || r->status >= CT_STATUS_BUDGET) {
        int found = cti_geometric_count_intersections(s);
        if (found < 0)
            return 0;
        r->tangled = found;
        g->end.is_clean = found == 0;
        if (found > 0 || g->run.crossed)
            cti_step_status(r, CT_STATUS_NOT_CONVERGED);
        if (g->run.crossed && s->step.limit.n == 0) /* it went through, and is far away */
            s->step.limit = g->detection.crossing;
    }
    if (!CTI_RESIZE(s->mem, g->end.x_last, 3 * n))
        return 0;
    if (n)
        memcpy(g->end.x_last, s->surface.x0, sizeof(ct_real) * 3 * (size_t)n);
    g->end.is_known = 1;
    r->ms_detect += cti_state_clock(s) - t;
    cti_report_energies(s, r);
    r->joint_error = cti_joints_error(s);
    /* what recovery gives beyond its need is that much less that contacts take, and a gain where they take less */
    over = cti_fmax(0, r->work_recovery - cti_geometric_recovers(s));
    r->work_recovery -= over, r->loss_contact -= cti_fmin(over, r->loss_contact);
    cti_report_gain(s->judge.start, r);
    swing = cti_geometric_theta(s) < 1 ? cti_policy_body_gain(0, r->energy_kinetic + fabs(r->energy_elastic), 0) : 0;
    cti_judge_refuses(s, dt, swing, 0, r);
    return 1;
}

/* drops what belongs to the motion of a refused try */
static void cti_geometric_back(cti_state *s)
{
    cti_geometric_own(s)->scope.covered = cti_geometric_own(s)->scope.measured = 0, cti_geometric_own(s)->end.is_known = 0;
    cti_geometric_release(s);
    cti_geometric_memory_restore(s);
}

CTI_FN ct_code cti_geometric_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_shell q = {0, 1, 1, cti_geometric_substep, cti_geometric_finish, cti_geometric_memory_save, cti_geometric_back, cti_geometric_open, NULL};
    q.cuts = s->desc.geometric.max_substeps, q.parts = cti_min_int(q.cuts, cti_step_tuned.refusal.parts);
    return cti_shell_step(s, &q, dt, r);
}
