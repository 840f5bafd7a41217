/* penalty.c -- the penalty stepper.
   Method: a substep finds its contacts, adds the forces of their springs and dampers, and integrates: implicit Euler for the bodies, which have the
   contacts in their matrix (implicit form) or as external forces (explicit form, cut into as many substeps as its bound asks for). With `warp`
   the motion is then tested, and what it hits becomes a contact, too. Nothing but springs keeps surfaces apart: a spring that is too soft lets
   them through, which the report counts.
   Account: springs store energy, which counts with the bodies' in the balance. What contacts take from bodies and do not store, by damper, friction
   and by the implicit rule, is loss_contact, and so is what springs have stored that no contact has any more. What a contact gets that was first met
   deeper than its points have come is work_recovery. What else contacts give and have not stored is a gain.
   based on: lecture notes 4.4.1; Xu, Zhao, Barbic 2014. */
#include "penalty.h"
#include "../8_step/assemble.h"
#include "../8_step/move.h"
#include "../8_step/energy.h"
#include "../8_step/impulses.h"
#include "../8_step/motion.h"
#include "../8_step/plausible.h"
#include "../8_step/report.h"
#include "../8_step/shell.h"
#include "../8_step/rotation.h"

/* ---- one substep ---- */

/* assembles A v = b of the bodies alone. 0: out of memory */
static int cti_penalty_assemble(cti_state *s, ct_real h, ct_step_report *r)
{
    double t = cti_state_clock(s);
    if (!cti_assemble_pins(s, h))
        return 0;
    cti_assemble_movers(s, cti_state_ahead(s, h));
    s->system.n_linearized = 0;
    cti_motion_predict(s, h);
    if (!cti_assemble(s, h, &r->extended_elements))
        return 0;
    r->ms_assemble += cti_state_clock(s) - t;
    r->newton_iterations++;
    return 1;
}

/* blames a motion that is not plausible, so that the judge refuses the try, and makes all bodies stand still. 0: out of memory */
static int cti_penalty_give_up(cti_state *s, ct_real h, ct_step_report *r)
{
    if (!cti_judge_blame(s, h))
        return 0;
    memset(s->end.v, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    CTI_CLEAR(cti_penalty_of(s)->contacts);
    cti_move(s, h);
    r->frozen = s->n;
    return 1;
}

/* sets end.v and surface.x1 to the motion without contacts. 0: it is not plausible */
static int cti_penalty_begin(cti_state *s, ct_real h, ct_step_report *r)
{
    double t = cti_state_clock(s);
    if (!cti_penalty_free_motion(s, r))
        cti_step_status(r, CT_STATUS_BUDGET);
    memcpy(s->end.v, s->system.v_free, sizeof(ct_real) * 3 * (size_t)s->n);
    r->ms_unconstrained += cti_state_clock(s) - t;
    if (!cti_plausible_motion(s, h))
        return 0;
    cti_move(s, h);
    return 1;
}

/* begins the iterations of the implicit form at the velocities of the start: contacts that rest act there as they will, while at those of the free
   motion they act as if they had been hit. A stack of three soft boxes takes 3 iterations a step in place of 21 */
static void cti_penalty_start_velocities(cti_state *s, ct_real h)
{
    if (s->desc.penalty.form != CT_PENALTY_IMPLICIT || CTI_LEN(s->contact.rows) == 0)
        return;
    memcpy(s->end.v, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_move_hold(s, s->end.v);
    cti_move(s, h);
    cti_penalty_linearize_rows(s, h);
}

/* solves, and again with what the motion hits. 0: out of memory */
static int cti_penalty_solve_rounds(cti_state *s, ct_real h, ct_step_report *r)
{
    int round, added = 1;
    double t;
    for (round = 0; round < cti_penalty_tuned.penalty.rounds && added > 0; round++) {
        ct_real residual = 0;
        int done;
        t = cti_state_clock(s);
        done = cti_penalty_solve(s, h, &residual, r);
        r->ms_solve += cti_state_clock(s) - t;
        if (done < 0)
            return 0;
        if (!cti_plausible_motion(s, h))
            return cti_penalty_give_up(s, h, r);
        cti_move(s, h);
        t = cti_state_clock(s);
        added = s->desc.penalty.form == CT_PENALTY_IMPLICIT && round + 1 < cti_penalty_tuned.penalty.rounds ? cti_penalty_find_more(s, h) : 0;
        r->ms_detect += cti_state_clock(s) - t;
        if (added < 0)
            return 0;
        if (added > 0)
            continue;
        r->residual = cti_max(r->residual, cti_finite(residual) ? residual : CTI_REAL_MAX);
        if (!done)
            cti_step_status(r, CT_STATUS_BUDGET);
        r->cmr_rounds = cti_max_int(r->cmr_rounds, round + 1);
    }
    return 1;
}

/* returns the number of substeps that the explicit form needs. Dampers that follow from the restitution stop a motion and do not turn it round:
   within the bound alone h b / m may be 1.8, and a body of restitution 0 leaves with .8 of its speed */
static ct_real cti_penalty_need(cti_state *s, ct_real h, ct_step_report *r, int may_cut)
{
    int rebounds = s->desc.restitution > 0 && s->desc.penalty.damping < 0;
    ct_real stability, damping, most = rebounds ? cti_penalty_tuned.penalty.stable_restitution : cti_penalty_tuned.penalty.stable;
    if (s->desc.penalty.form != CT_PENALTY_EXPLICIT)
        return 1;
    stability = cti_penalty_stability(s, h, &damping);
    if (may_cut)
        return cti_max(stability > most ? cti_sqrt(stability / most) : 1, s->desc.penalty.damping < 0 ? damping : 0);
    if (stability > 1) { /* unstable: oscillations may grow */
        r->residual = cti_max(r->residual, stability - 1);
        cti_step_status(r, CT_STATUS_BUDGET);
    }
    return 1;
}

/* solves, and linearizes bodies that gain energy again where they end, as cmr does. 0: out of memory */
static int cti_penalty_solve_newton(cti_state *s, ct_real h, ct_step_report *r)
{
    int n;
    for (n = 1;; n++) {
        double t;
        if (!cti_penalty_solve_rounds(s, h, r))
            return 0;
        if (n >= s->desc.newton_iterations || r->frozen || cti_energy_try(s, h) == 0 || !cti_newton_helps(s))
            return 1;
        t = cti_state_clock(s);
        s->system.n_linearized = n;
        cti_newton_place(s);
        if (!cti_assemble(s, h, &r->extended_elements))
            return 0;
        r->newton_iterations++;
        r->ms_assemble += cti_state_clock(s) - t;
    }
}

/* tests whether the motion takes features through each other. 0: out of memory */
static int cti_penalty_test(cti_state *s, ct_step_report *r)
{
    double t = cti_state_clock(s);
    int passed = cti_penalty_passed(s);
    r->ms_detect += cti_state_clock(s) - t;
    if (passed > 0)
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    return passed >= 0;
}

/* goes to the tentative end of a substep. 1: done; -1: it must be *need times shorter; 0: out of memory */
static int cti_penalty_try(cti_state *s, ct_real h, int may_cut, ct_real *need, ct_step_report *r)
{
    double t;
    ct_status before = r->status;
    ct_real residual = r->residual;
    int rotations;
    cti_arena_reset(s->arena);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    CTI_CLEAR(cti_penalty_of(s)->contacts);
    s->contact.solved_dt = h;
    cti_penalty_of(s)->cg_end = r->cg_steps + (int)(cti_penalty_tuned.penalty.cg_iterations * (h / s->step.dt));
    if (!cti_penalty_assemble(s, h, r))
        return 0;
    if (!cti_penalty_begin(s, h, r))
        return cti_penalty_give_up(s, h, r);
    t = cti_state_clock(s);
    if (!cti_penalty_find(s, h, r))
        return 0;
    *need = cti_penalty_need(s, h, r, may_cut);
    r->ms_detect += cti_state_clock(s) - t;
    if (*need > CTI_R(1.001))
        return -1;
    cti_penalty_start_velocities(s, h);
    if (!cti_penalty_solve_newton(s, h, r) || !cti_rotation_count(s, h, &rotations))
        return 0;
    if (rotations && may_cut) {
        *need = 2, r->status = before, r->residual = residual;
        return -1;
    }
    s->judge.coarse |= rotations > 0; /* straight ways of vertices do not describe such a turn */
    return cti_penalty_test(s, r);
}

/* ---- the end of a substep ---- */

/* Adds the work of contact i in a substep that ends with velocities u: of an implicit impulse along the displacement; of an explicit one, and of a
   rebound, which change velocities at an instant, along the mean of those before and after. early: work of an explicit impulse for the time before
   the substep (half_longer). swing: by how much less explicit springs store at the end than their work leaves them. It oscillates about 0.
   Neither is a loss; run.oscillation gets their sizes, and what springs store by moving h u from rest */
static void cti_penalty_work(cti_state *s, ct_real h, int i, const ct_real *u, const ct_real *slip, ct_real depth, ct_step_report *r)
{
    cti_penalty_run *run = &cti_penalty_of(s)->run;
    const cti_penalty_contact *q = &cti_penalty_of(s)->contacts[i];
    const cti_row *row = &s->contact.rows[i];
    const cti_pair *pair = &s->contact.origins[i].pair;
    const ct_real none[2] = {0, 0};
    ct_real start[3], mean[3];
    double early = 0, swing = 0;
    int k;
    cti_row_velocity(row, s->v, start);
    for (k = 0; k < 3; k++)
        mean[k] = (start[k] + u[k]) / 2;
    if (s->desc.penalty.form != CT_PENALTY_EXPLICIT && q->rebound_speed < 0)
        cti_v3_put(mean, 0, cti_m3_mul_v(row->frame, cti_v3_mul(cti_pair_with_belts(&s->surface, pair, cti_v3_at(row->frame, 0), h,
                                                                                    cti_pair_way(&s->surface, pair)), 1 / h)));
    if (row->r[0] > 0)
        cti_impulses_work(row->r, mean, s->contact.origins[i].script, 0, r);
    if (s->desc.penalty.form != CT_PENALTY_EXPLICIT)
        return;
    if (row->r[0] > 0) {
        early += (double)(q->half_longer * q->k * q->depth) * (double)mean[0];
        swing -= (double)(h * q->k * q->depth) * (double)mean[0] + cti_penalty_energy(q, depth, none) - cti_penalty_energy(q, q->depth, none);
    }
    for (k = 0; q->sticks && k < 2; k++) {
        early -= (double)(q->half_longer * q->kf * q->slip[k]) * (double)mean[1 + k];
        swing += (double)(h * q->kf * q->slip[k]) * (double)mean[1 + k];
    }
    if (q->sticks)
        swing -= cti_penalty_energy(q, 0, slip) - cti_penalty_energy(q, 0, q->slip);
    run->oscillation += fabs(early) + 0.5 * (double)q->k * (double)(h * u[0]) * (double)(h * u[0]) +
                    0.5 * (double)q->kf * (double)(h * h * (u[1] * u[1] + u[2] * u[2])) + fabs(swing);
    r->loss_contact += early - swing;
}

/* ends a contact's substep: its work, its item in the memory, and stored [4] [J]: energies before and after, that got by missing less depth, and that
   before of new bodies' contacts. 0: out of memory */
static int cti_penalty_keep(cti_state *s, ct_real h, int i, double *stored, ct_step_report *r)
{
    cti_penalty *p = cti_penalty_of(s);
    const cti_penalty_contact *q = &p->contacts[i];
    const cti_row *row = &s->contact.rows[i];
    ct_real u[3], slip[2], depth;
    double before = cti_penalty_energy(q, q->depth, q->slip), after, taken = r->loss_contact;
    cti_memory_item item;
    cti_row_velocity(row, s->end.v, u);
    cti_penalty_advance_springs(&s->desc.penalty, q, row->mu, h, u, row->r, slip, &depth);
    cti_penalty_work(s, h, i, u, slip, depth, r);
    after = cti_penalty_energy(q, depth, slip);
    s->judge.untaken += cti_fmin(0, r->loss_contact - taken - (after - before));
    stored[0] += before, stored[1] += after, stored[2] += q->recovered, stored[3] += q->is_new_body ? before : 0;
    if (!(depth > 0) && !(row->r[0] > 0))
        return 1;
    memset(&item, 0, sizeof item);
    item.key = row->key, item.dt = h;
    item.impulse[0] = depth, item.impulse[1] = q->missing_depth, item.impulse[2] = row->r[0] / (h + q->half_longer);
    cti_v3_put(item.normal, 0, cti_v3_at(row->frame, 0));
    cti_v3_put(item.slip, 0, cti_penalty_rotate_slip(s, h, &s->contact.origins[i].pair, cti_m3_mul_tv(row->frame, cti_v3_make(0, slip[0], slip[1]))));
    return cti_penalty_remember(s, i, &item, h * cti_sqrt(u[1] * u[1] + u[2] * u[2]));
}

/* Explicit impulses work along the mean of both velocities; the other forces, weight and elasticity, work along that of the end: they miss half of
   their impulse times the change of velocity */
static double cti_penalty_shift(const cti_state *s, const ct_real *v)
{
    double other = 0;
    int i;
    for (i = 0; i < s->n && s->desc.penalty.form == CT_PENALTY_EXPLICIT; i++)
        if (s->bodies.mass[i] > 0 && cti_judge_has(s, i)) {
            cti_v3 dv = cti_v3_sub(cti_v3_at(v, i), cti_v3_at(s->v, i));
            other += (double)cti_v3_dot(cti_v3_mad(cti_v3_at(s->end.impulse, i), dv, -s->bodies.mass[i]), dv) / 2;
        }
    return cti_fmax(0, other);
}

/* tells the judge (8_step/judge.h) which bodies contacts act on, and how fast their points move against each other */
static void cti_penalty_touch(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        if (s->contact.rows[i].r[0] > 0 || cti_penalty_of(s)->contacts[i].depth > 0)
            cti_judge_row(s, &s->contact.rows[i]);
}

/* marks bodies that have rebounded and move freely in end.fall, as in free fall: their velocities are those of a step's middle, as if the rebound had
   been at its start, and the other half of gravity's impulse is still to come. Returns 1 if there is one */
static int cti_penalty_mark_rebounds(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    int i, k, b, any = 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        any |= s->contact.rows[i].r[0] > 0 && p->contacts[i].rebound_speed >= 0;
    for (b = 0; any && b < s->bodies.n_models + CTI_LEN(s->bodies.rigids); b++)
        p->rebounds[b] = 0;
    for (i = 0; any && i < CTI_LEN(s->contact.rows); i++)
        for (k = 0; s->contact.rows[i].r[0] > 0 && k < s->contact.rows[i].n; k++) {
            b = cti_energy_body(s, s->contact.rows[i].term[k].block);
            if (b >= 0)
                p->rebounds[b] |= p->contacts[i].rebound_speed >= 0 ? 1 : 2;
        }
    for (i = 0; any && i < s->n; i++) {
        b = cti_energy_body(s, i);
        if (b >= 0 && p->rebounds[b] == 1)
            s->end.fall[i] = 1;
    }
    return any;
}

/* copies the tentative end to the state. 0: out of memory */
static int cti_penalty_commit(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_penalty *p = cti_penalty_of(s);
    const ct_real *v = s->history.v_end;
    cti_memory swap;
    cti_penalty_record *records;
    double stored[4] = {0, 0, 0, 0};
    int i, rebounds;
    cti_energy_try(s, h);
    cti_penalty_touch(s);
    rebounds = cti_penalty_mark_rebounds(s);
    cti_energy_account(s, h, r);
    cti_memory_clear(&p->next);
    CTI_CLEAR(p->next_records);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        if (!cti_penalty_keep(s, h, i, stored, r))
            return 0;
    if (!cti_impulses_add(s, h, NULL))
        return 0;
    p->run.shift += cti_judge_shift(s, h, v) + cti_penalty_shift(s, v);
    cti_substep_commit(s, h, v);
    cti_energy_commit(s);
    s->energy.known &= !rebounds; /* the energies at the end are those before the shares of gravity were changed */
    swap = s->contact.memory, s->contact.memory = p->next, p->next = swap;
    records = p->records, p->records = p->next_records, p->next_records = records;
    s->judge.untaken += cti_fmin(0, p->energy + stored[2] + stored[3] - stored[0]); /* springs that no contact has any more */
    r->work_recovery += stored[2], p->run.new_bodies += stored[3];
    p->energy = stored[1], p->is_known = 1;
    return 1;
}

/* ---- the step ---- */

/* makes a substep. 1: done; -1: it must be *need times shorter; 0: out of memory */
static int cti_penalty_substep(cti_state *s, ct_real h, int may_cut, ct_real *need, ct_step_report *r)
{
    int end = cti_penalty_try(s, h, may_cut, need, r);
    return end > 0 ? cti_penalty_commit(s, h, r) : end;
}

static int cti_penalty_open(cti_state *s, ct_step_report *r)
{
    cti_penalty *p = cti_penalty_of(s);
    (void)r;
    memset(&p->run, 0, sizeof p->run);
    s->judge.start += p->energy;
    return 1;
}

/* reports distances and depths at the end. 0: out of memory */
static int cti_penalty_measure(cti_state *s, ct_step_report *r)
{
    const cti_penalty *p = cti_penalty_of(s);
    cti_nearness nearness;
    int i, changed;
    r->rows = CTI_LEN(s->contact.rows);
    for (i = 0; i < r->rows; i++) {
        const cti_row *row = &s->contact.rows[i];
        ct_real u[3], depth;
        cti_row_velocity(row, s->end.v, u);
        r->contacts += row->r[0] > 0;
        depth = p->contacts[i].depth + p->contacts[i].missing_depth - s->contact.solved_dt * u[0];
        if (depth > r->penetration) {
            r->penetration = depth;
            if (r->status < CT_STATUS_NOT_CONVERGED)
                s->step.limit = s->contact.origins[i].pair;
        }
    }
    if (s->desc.penalty.depth == CT_PENALTY_INSIDE)
        return 1;
    i = cti_penalty_crossings(s);
    if (i < 0)
        return 0;
    r->tangled = i;
    if (i > 0)
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    if (s->surface.nv)
        memcpy(s->surface.x1, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    if (!cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed))
        return 0;
    cti_detect_distances(&s->detect, &s->surface);
    cti_detect_nearness(&s->detect, &s->surface, r->min_distance, &nearness);
    r->min_distance = nearness.distance, r->thickness_kept = nearness.share, r->too_near = nearness.too_near;
    return 1;
}

/* completes the report. 0: out of memory */
static int cti_penalty_finish(cti_state *s, ct_real dt, ct_step_report *r)
{
    const cti_penalty *p = cti_penalty_of(s);
    double t = cti_state_clock(s);
    cti_arena_reset(s->arena);
    if (!cti_penalty_measure(s, r))
        return 0;
    r->ms_detect += cti_state_clock(s) - t;
    cti_report_energies(s, r);
    r->energy_contact = p->energy;
    r->loss_contact += r->work_recovery + p->start_energy + p->run.new_bodies - p->energy;
    cti_report_gain(s->judge.start + p->run.new_bodies, r);
    cti_judge_refuses(s, dt, p->run.oscillation, p->run.shift, r);
    return 1;
}

/* saves what the stepper remembers, for a step that is repeated. 0: out of memory */
static int cti_penalty_save(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    int n = CTI_LEN(p->records);
    if (!CTI_RESIZE(s->mem, p->start_records, n))
        return 0;
    if (n)
        memcpy(p->start_records, p->records, sizeof *p->records * (size_t)n);
    p->start_energy = p->energy, p->was_known = p->is_known;
    return 1;
}

static void cti_penalty_back(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    int b;
    cti_penalty_record *records = p->records;
    p->records = p->start_records, p->start_records = records;
    p->energy = p->start_energy, p->is_known = p->was_known;
    for (b = 0; b < CTI_LEN(p->inside.bodies); b++)
        p->inside.bodies[b].stale = 1;
}

CTI_FN ct_code cti_penalty_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    int explicit_form = s->desc.penalty.form == CT_PENALTY_EXPLICIT;
    cti_shell q = {1, 1, 1, cti_penalty_substep, cti_penalty_finish, cti_penalty_save, cti_penalty_back, cti_penalty_open, NULL};
    ct_code code;
    if (explicit_form)
        q.cuts = s->desc.penalty.max_substeps;
    else
        q.parts = cti_step_tuned.refusal.parts;
    code = cti_shell_step(s, &q, dt, r);
    if (s->n == 0 && code == CT_OK) { /* springs of removed bodies */
        r->loss_contact = cti_penalty_of(s)->energy;
        cti_penalty_of(s)->energy = 0;
    }
    return code;
}
