/* dcd.c -- the discrete stepper.
   Method: one step is implicit Euler, linearized (Li et al. 2015, equations 4 to 7), and vertices inside bodies become constraints of its quadratic
   program (equations 8, 9), which MPRGP solves (dcd_solve.c). The unknowns are the velocities of the step, v = (x - x^i) / h. Further Newton
   iterations linearize and detect again at the result of the last one. Friction follows the program: non-penetration and Coulomb's cone together, by
   the solver of the default stepper (solve_islands.c), or locally (Bridson, Marino, Fedkiw 2003): the change that a contact makes to the normal
   velocity, compared with the motion without contacts, bounds its change to the tangential velocity. differs: detection uses the positions at the end
   of the motion without contacts, not at the start of the step, so that the step in which an impact happens responds to it. An existing penetration
   is removed over several steps, since position-form Euler would turn all of it into velocity. Steps in which features would pass through thin parts
   are cut (dcd_thin.c). */
#include "dcd.h"
#include "../8_step/assemble.h"
#include "../8_step/balance.h"
#include "../8_step/energy.h"
#include "../8_step/move.h"
#include "../8_step/impulses.h"
#include "../8_step/integrate.h"
#include "../8_step/motion.h"
#include "../8_step/plausible.h"
#include "../8_step/solve_islands.h"
#include "../8_step/report.h"
#include "../8_step/shell.h"

/* sets end.v, end.x and surface.x1 to the motion v */
static void cti_dcd_place(cti_state *s, const ct_real *v, ct_real dt)
{
    memmove(s->end.v, v, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_move(s, dt);
}

/* blames a motion v that is not plausible, so that the judge refuses the try, which goes on at rest and without contacts. 0: out of memory */
static int cti_dcd_stop(cti_state *s, ct_real dt, ct_real *v)
{
    if (!cti_judge_blame(s, dt))
        return 0;
    memset(v, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_move_hold(s, v);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    s->contact.is_solved = 0;
    return 1;
}

/* stores velocities v in end.v; returns 1 if the motion is plausible */
static int cti_dcd_is_plausible(cti_state *s, const ct_real *v, ct_real dt)
{
    memmove(s->end.v, v, sizeof(ct_real) * 3 * (size_t)s->n);
    return cti_plausible_motion(s, dt);
}

/* reports a solve */
static void cti_dcd_report_solve(const cti_state *s, const cti_dcd_solution *q, ct_step_report *r)
{
    r->solver_iterations += q->iterations, r->cg_steps += q->cg;
    r->residual = cti_max(r->residual, cti_finite(q->residual) ? q->residual : CTI_REAL_MAX);
    if (q->budget && cti_finite(q->residual))
        cti_step_status(r, CT_STATUS_BUDGET);
    else if (!(q->residual <= s->desc.solver.tolerance))
        cti_step_status(r, CT_STATUS_NOT_CONVERGED); /* meaningless values are not kept, but they are reported */
}

/* ---- constraints ---- */

/* Sets a row's law: an open gap may close; a penetration is removed at a bounded speed. That is the bound of the other steppers, so that
   bodies rise by no more than they were deep, or the speed at which the motion without contacts goes deeper: turning it back adds no energy,
   and impacts that came deep need it. As printed only recovery_speed bounds it */
static void cti_dcd_row_law(const cti_state *s, const cti_row_context *c, cti_row *row, cti_contact_row *origin)
{
    ct_real scripted = row->w[0] - origin->base[0], back = -s->desc.dcd.recovery * origin->gap0 / c->dt;
    if (s->desc.recovery_speed > 0)
        back = cti_min(back, s->desc.recovery_speed);
    if (origin->gap0 < 0 && !cti_state_is_paper(s)) {
        ct_real u[3];
        cti_row_velocity(row, s->system.v_free, u);
        back = cti_min(back, cti_max(cti_rows_recovery(c, origin->gap0), -(u[0] - origin->base[0])));
    }
    origin->base[0] = origin->gap0 >= 0 ? origin->gap0 / c->dt : -back;
    row->w[0] = scripted + origin->base[0];
    row->compliance[1] *= cti_dcd_tuned.dcd.stick, row->compliance[2] *= cti_dcd_tuned.dcd.stick;
    row->recover = row->softness = 0;
    memset(row->r, 0, sizeof row->r);
}

/* makes the rows of the contacts at end.x, decoupled. 0: out of memory */
static int cti_dcd_rows(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_dcd_contact *contacts = NULL;
    cti_row_context c;
    double *depth;
    int i, n = 0, dropped, ok = cti_dcd_detect(s, s->end.x, s->surface.x1, 1, &contacts);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    cti_move_context(s, dt, &s->contact.memory_none, &c);
    depth = CTI_ARENA_NEW(s->arena, double, CTI_LEN(contacts) + 1);
    ok = ok && depth;
    for (i = 0; ok && i < CTI_LEN(contacts); i++) {
        cti_row row;
        cti_contact_row origin;
        if (!cti_rows_build(&c, &contacts[i].pair, contacts[i].normal, 0, 0, 0, &row, &origin))
            continue;
        cti_dcd_row_law(s, &c, &row, &origin);
        depth[n++] = (double)(contacts[i].distance - origin.thickness);
        ok = CTI_PUSH(s->mem, s->contact.rows, row);
        if (ok && !CTI_PUSH(s->mem, s->contact.origins, origin))
            ok = 0;
    }
    CTI_FREE(&s->prepared, contacts);
    dropped = ok ? cti_dcd_decouple(s, depth, s->desc.dcd.decouple) : -1;
    if (dropped < 0)
        return 0;
    r->dropped += dropped, r->candidates = n;
    return 1;
}

/* ---- friction ---- */

/* largest entry of |v|, of n blocks [m/s] */
static ct_real cti_dcd_fastest(const ct_real *v, int n)
{
    ct_real most = 0;
    int i;
    for (i = 0; i < 3 * n; i++)
        most = cti_max(most, cti_abs(v[i]));
    return most;
}

/* makes rows and the components under them ready for the solve of their islands: factors, speeds. 0: out of memory */
static int cti_dcd_prepare_islands(cti_state *s, ct_real dt)
{
    cti_factors *f = &s->factors;
    int c, i, k, n = CTI_LEN(f->components);
    uint8_t *touched = CTI_ARENA_ZERO(s->arena, uint8_t, n);
    if (!touched)
        return 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        s->contact.origins[i].is_unsolved = 1;
        for (k = 0; k < s->contact.rows[i].n; k++)
            touched[f->component_of[s->contact.rows[i].term[k].block]] = 1;
    }
    for (c = 0; c < n; c++) {
        cti_component *q = &f->components[c];
        q->solve.dynamics = 0, q->solve.free_speed = 0;
        for (i = q->begin; i < q->end; i++)
            q->solve.free_speed = cti_max(q->solve.free_speed, cti_dcd_fastest(s->system.v_free + 3 * (size_t)f->blocks[i], 1));
        if (!touched[c])
            continue;
        if (!cti_factors_prepare(f, q, dt))
            return 0;
        cti_factors_refill(q, &s->system.A, dt);
        cti_motion_whole(s, q);
    }
    return 1;
}

/* solves local friction of one contact: its change of the nodes' tangential velocity is bounded by mu times that of the normal one */
static void cti_dcd_local_friction(cti_state *s, cti_row *row, ct_real *v)
{
    ct_real u[3], taken, speed, share, answer = 0;
    cti_v3 kick;
    int k;
    cti_row_velocity(row, v, u);
    for (k = 0; k < row->n; k++)
        answer += row->term[k].weight * row->term[k].weight * s->bodies.inv_mass[row->term[k].block];
    taken = row->mu * row->r[0] * answer, speed = cti_sqrt(u[1] * u[1] + u[2] * u[2]);
    if (!(taken > 0) || !(speed > 0))
        return;
    share = cti_min(1, taken / speed);
    kick = cti_v3_mul(cti_m3_mul_tv(row->frame, cti_v3_make(0, u[1], u[2])), -share / answer);
    for (k = 0; k < row->n; k++) {
        int b = row->term[k].block;
        cti_v3_addto(v, b, cti_state_free(s, b, cti_v3_mul(kick, row->term[k].weight * s->bodies.inv_mass[b])));
    }
    row->r[1] = -share / answer * u[1], row->r[2] = -share / answer * u[2];
}

/* solves friction and the normal law together, from v and the rows' r: the problem of problem.h, island by island, as of the default stepper. 0: out
   of memory */
static int cti_dcd_solve_friction(cti_state *s, ct_real dt, ct_real *v, ct_step_report *r)
{
    cti_islands_result out;
    if (!cti_dcd_prepare_islands(s, dt))
        return 0;
    memcpy(s->end.v, v, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!cti_islands_solve(s, dt, cti_assemble_scale(s, dt, cti_dcd_fastest(s->system.v_free, s->n)), &out))
        return 0;
    memcpy(v, s->end.v, sizeof(ct_real) * 3 * (size_t)s->n);
    r->solver_sweeps += out.sweeps, r->solver_fallbacks += out.fallbacks;
    r->solves++;
    r->residual = cti_max(r->residual, cti_finite(out.residual) ? out.residual : CTI_REAL_MAX);
    if (!(out.residual <= s->desc.solver.tolerance))
        cti_step_status(r, out.budget && cti_finite(out.residual) ? CT_STATUS_BUDGET : CT_STATUS_NOT_CONVERGED);
    return 1;
}

/* returns 1 if some contact has friction and a load */
static int cti_dcd_has_friction(const cti_state *s)
{
    int i;
    for (i = 0; s->desc.dcd.friction != CT_DCD_FRICTION_NONE && i < CTI_LEN(s->contact.rows); i++)
        if (s->contact.rows[i].mu > 0 && s->contact.rows[i].r[0] > 0)
            return 1;
    return 0;
}

static int cti_dcd_friction(cti_state *s, ct_real dt, ct_real *v, ct_step_report *r)
{
    double t = cti_state_clock(s);
    int i;
    if (!cti_dcd_has_friction(s))
        return 1;
    if (s->desc.dcd.friction == CT_DCD_FRICTION_IMPLICIT) {
        if (!cti_dcd_solve_friction(s, dt, v, r))
            return 0;
    } else
        for (i = 0; i < CTI_LEN(s->contact.rows); i++)
            if (s->contact.rows[i].mu > 0 && s->contact.rows[i].r[0] > 0)
                cti_dcd_local_friction(s, &s->contact.rows[i], v);
    r->ms_solve += cti_state_clock(s) - t;
    return 1;
}

/* ---- one substep ---- */

/* computes v_free, the motion without contacts, to `tolerance`, starting from its present value. 0: out of memory */
static int cti_dcd_free_motion(cti_state *s, ct_real tolerance, ct_step_report *r)
{
    cti_dcd_solution q;
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    if (!cti_dcd_solve(s, tolerance, s->system.v_free, &q))
        return 0;
    r->linear_iterations += q.iterations;
    if (q.budget) /* contacts may have been missed */
        cti_step_status(r, CT_STATUS_BUDGET);
    return 1;
}

/* sets the start for v_free: the present velocity plus the last free motion's change, which continues rotation and loads; for bodies without
   one, free fall */
static void cti_dcd_guess(cti_state *s, ct_real dt)
{
    int i;
    for (i = 0; i < 3 * s->n; i++)
        s->system.v_free[i] = s->v[i] + (s->history.dt_prev[i / 3] > 0 && s->history.dt_free > 0 ? s->history.dv_free[i] * (dt / s->history.dt_free)
                                                                          : cti_integrate_gain(s, i / 3, i % 3, dt));
    cti_move_hold(s, s->system.v_free);
}

static int cti_dcd_assemble(cti_state *s, ct_real dt, ct_step_report *r)
{
    double t = cti_state_clock(s);
    int c;
    if (!cti_assemble_pins(s, dt))
        return 0;
    cti_assemble_movers(s, cti_state_ahead(s, dt));
    cti_motion_predict(s, dt);
    if (!cti_assemble(s, dt, &r->extended_elements))
        return 0;
    cti_factors_begin(s, dt);
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        s->factors.components[c].solve.in_contact = 0;
    r->ms_assemble += cti_state_clock(s) - t;
    return 1;
}

/* keeps the program's solution, for the user who asks for it */
static void cti_dcd_keep_solution(cti_state *s, const ct_real *v)
{
    int i;
    memcpy(cti_dcd_of(s)->solve.solution, v, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        s->contact.origins[i].load = s->contact.rows[i].r[0];
    s->contact.is_solved = CTI_LEN(s->contact.rows) > 0;
}

/* detects contacts and solves the program from v, to which end.x belongs. 0: out of memory */
static int cti_dcd_program(cti_state *s, ct_real dt, ct_real *v, ct_step_report *r)
{
    cti_dcd_solution q;
    double t = cti_state_clock(s);
    if (!cti_dcd_rows(s, dt, r))
        return 0;
    r->ms_detect += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    if (!cti_dcd_solve(s, s->desc.solver.tolerance, v, &q))
        return 0;
    cti_dcd_report_solve(s, &q, r);
    r->newton_iterations++;
    r->solves += CTI_LEN(s->contact.rows) > 0;
    r->ms_solve += cti_state_clock(s) - t;
    cti_dcd_keep_solution(s, v);
    return 1;
}

/* makes a Newton iteration after the first: linearizes and detects at v. 0: out of memory */
static int cti_dcd_iterate(cti_state *s, ct_real dt, ct_real *v, ct_step_report *r)
{
    ct_real *start = cti_dcd_of(s)->solve.v_start;
    double t = cti_state_clock(s);
    cti_dcd_place(s, v, dt);
    memcpy(start, s->end.v, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!cti_assemble_at(s, dt, s->end.x, start, &r->extended_elements))
        return 0;
    r->ms_assemble += cti_state_clock(s) - t;
    return cti_dcd_program(s, dt, v, r);
}

/* adds to v what solves have left of the bodies' momenta */
static void cti_dcd_balance(cti_state *s, ct_real dt, ct_real *v)
{
    ct_real *y = s->system.work;
    int c, i;
    if (cti_state_is_paper(s))
        return;
    cti_motion_impulses(s);
    for (i = 0; i < s->n; i++) {
        cti_v3 before = cti_v3_mad(cti_v3_at(s->v, i), cti_v3_at(s->desc.gravity, 0), cti_motion_kick(s, i, dt));
        cti_v3_put(y, i, cti_v3_mad(cti_v3_at(s->end.impulse, i), before, s->bodies.mass[i]));
    }
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        cti_balance_momentum(s, dt, &s->factors.components[c], y, v);
}

/* solves friction, and ends the motion. 0: out of memory */
static int cti_dcd_end(cti_state *s, ct_real dt, ct_real *v, ct_step_report *r)
{
    int i;
    if (!cti_dcd_is_plausible(s, v, dt) && !cti_dcd_stop(s, dt, v))
        return 0;
    memcpy(cti_dcd_of(s)->solve.v_start, v, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!cti_dcd_friction(s, dt, v, r))
        return 0;
    cti_dcd_balance(s, dt, v);
    if (!cti_dcd_is_plausible(s, v, dt)) { /* the motion without friction is used */
        memcpy(v, cti_dcd_of(s)->solve.v_start, sizeof(ct_real) * 3 * (size_t)s->n);
        for (i = 0; i < CTI_LEN(s->contact.rows); i++)
            s->contact.rows[i].r[0] = s->contact.origins[i].load, s->contact.rows[i].r[1] = s->contact.rows[i].r[2] = 0;
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    }
    cti_dcd_place(s, v, dt);
    return 1;
}

/* makes the substep from the free motion in end.x. 0: out of memory */
static int cti_dcd_contacts(cti_state *s, ct_real dt, ct_step_report *r)
{
    ct_real *v = s->system.work + 3 * (size_t)s->n; /* the potential uses the memory before it */
    int k;
    memcpy(v, s->system.v_free, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!cti_dcd_program(s, dt, v, r))
        return 0;
    for (k = 1; k < s->desc.dcd.newton_iterations && cti_dcd_is_plausible(s, v, dt); k++)
        if (!cti_dcd_iterate(s, dt, v, r))
            return 0;
    return cti_dcd_end(s, dt, v, r);
}

/* copies the tentative end to the state. 0: out of memory */
static int cti_dcd_commit(cti_state *s, ct_real dt, ct_step_report *r)
{
    int i;
    cti_energy_state(s);
    cti_energy_mark(s, dt);
    cti_energy_account(s, dt, r);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        if (s->contact.rows[i].r[0] > 0)
            cti_judge_row(s, &s->contact.rows[i]);
    if (!cti_impulses_add(s, dt, r))
        return 0;
    cti_dcd_of(s)->kinetic_shift += cti_judge_shift(s, dt, s->history.v_end);
    cti_substep_commit(s, dt, s->history.v_end);
    cti_energy_commit(s);
    return 1;
}

/* ---- the step ---- */

/* goes to the tentative end of a substep. 1: done; -1: it must be *out_need times shorter; 0: out of memory */
static int cti_dcd_try(cti_state *s, ct_real dt, int may_cut, ct_real *out_need, ct_step_report *r)
{
    double t;
    int i;
    cti_arena_reset(s->arena);
    s->contact.solved_dt = dt;
    if (!cti_dcd_assemble(s, dt, r))
        return 0;
    t = cti_state_clock(s);
    cti_dcd_guess(s, dt);
    if (!cti_dcd_free_motion(s, cti_dcd_tuned.dcd.free_motion * s->desc.solver.tolerance, r))
        return 0;
    if (!cti_dcd_is_plausible(s, s->system.v_free, dt) && !cti_dcd_stop(s, dt, s->system.v_free))
        return 0;
    for (i = 0; i < 3 * s->n; i++)
        s->history.dv_free[i] = s->system.v_free[i] - s->v[i];
    s->history.dt_free = dt;
    cti_dcd_place(s, s->system.v_free, dt);
    r->ms_unconstrained += cti_state_clock(s) - t;
    if (may_cut) {
        t = cti_state_clock(s);
        *out_need = cti_dcd_substeps(s, s->surface.x0, s->surface.x1, s->desc.dcd.substep_fraction);
        r->ms_detect += cti_state_clock(s) - t;
        if (!(*out_need > 0))
            return 0;
        if (*out_need > 1)
            return -1;
    }
    return cti_dcd_contacts(s, dt, r);
}

static int cti_dcd_substep(cti_state *s, ct_real dt, int may_cut, ct_real *out_need, ct_step_report *r)
{
    int end = cti_dcd_try(s, dt, may_cut, out_need, r);
    return end > 0 ? cti_dcd_commit(s, dt, r) : end;
}

static int cti_dcd_open(cti_state *s, ct_step_report *r)
{
    memcpy(cti_dcd_of(s)->power_step, cti_dcd_of(s)->power, sizeof(double) * 3 * (size_t)s->n);
    cti_dcd_of(s)->kinetic_shift = 0;
    r->thickness_kept = 0; /* depths are measured, not distances */
    return 1;
}

/* completes the report: depth, distances, energies. 0: out of memory */
static int cti_dcd_finish(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_dcd_contact *contacts = NULL;
    int i;
    r->rows = CTI_LEN(s->contact.rows);
    r->min_distance = 2 * s->desc.thickness;
    cti_arena_reset(s->arena);
    if (!cti_dcd_detect(s, s->x, s->surface.x0, 1, &contacts)) {
        CTI_FREE(&s->prepared, contacts);
        return 0;
    }
    for (i = 0; i < r->rows; i++)
        r->contacts += s->contact.rows[i].r[0] > 0;
    for (i = 0; i < CTI_LEN(contacts); i++)
        if (contacts[i].distance < r->min_distance)
            r->min_distance = contacts[i].distance, s->step.limit = contacts[i].pair;
    r->penetration = r->min_distance < 0 ? -r->min_distance : 0;
    CTI_FREE(&s->prepared, contacts);
    cti_report_energies(s, r);
    cti_report_gain(s->judge.start, r);
    cti_judge_refuses(s, dt, 0, cti_dcd_of(s)->kinetic_shift, r);
    return 1;
}

static void cti_dcd_back(cti_state *s)
{
    int b;
    for (b = 0; b < s->surface.n_bodies; b++)
        cti_dcd_of(s)->bodies[b].stale = 1;
}

CTI_FN ct_code cti_dcd_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_shell q = {0, 1, 1, cti_dcd_substep, cti_dcd_finish, NULL, cti_dcd_back, cti_dcd_open, NULL};
    ct_code code;
    q.cuts = s->desc.dcd.max_substeps, q.parts = cti_min_int(q.cuts, cti_step_tuned.refusal.parts);
    code = cti_shell_step(s, &q, dt, r);
    if (code == CT_OK && s->n > 0)
        memcpy(cti_dcd_of(s)->power, cti_dcd_of(s)->power_step, sizeof(double) * 3 * (size_t)s->n);
    return code;
}
