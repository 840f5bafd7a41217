/* step.c -- the time step as a sequence of attempts.
   Method: CMR tries the whole step. Where components fail (parts.h), their step is replaced by its two halves, which are treated alike, at most
   max_halvings times within each other. Impact zones end the shortest substeps (Otaduy 2009, sec. 4 and 5.6). With ccd_limits_step a substep ends
   where features first meet (events.c). Positions are committed substep by substep, and restored when memory runs out. differs: a crushed element
   halves the step, too, since one Newton iteration does not predict its force; components that failed keep a step limit for the rest of the step. */
#include "step.h"
#include "../8_step/coarse.h"
#include "../8_step/report.h"
#include "../8_step/energy.h"
#include "../8_step/factors.h"
#include "../8_step/impulses.h"
#include "../8_step/integrate.h"
#include "../8_step/judge.h"
#include "../8_step/linkage.h"
#include "../8_step/motion.h"
#include "parts.h"
#include "rebound.h"
#include "../8_step/policy.h"
#include "../8_step/snapshot.h"
#include "../8_step/tangle.h"
#include "../0_base/sets.h"

/* adds the work of an attempt to the report; accepted: also its residual and crushed tets */
static void cti_step_report_attempt(ct_step_report *r, const cti_attempt *a, int accepted)
{
    r->newton_iterations += a->work.newton;
    r->solver_iterations += a->work.solver_iterations;
    r->solver_sweeps += a->work.solver_sweeps, r->solver_quick += a->work.solver_quick;
    r->solver_fallbacks += a->work.solver_fallbacks;
    r->linear_iterations += a->work.linear_iterations;
    r->extended_elements = a->extended_tets + (accepted ? a->crushed : 0);
    r->cmr_rounds = cti_max_int(r->cmr_rounds, a->work.rounds);
    r->candidates = a->work.candidates;
    r->ms_assemble += a->work.ms_assemble;
    r->ms_unconstrained += a->work.ms_unconstrained;
    r->ms_detect += a->work.ms_detect;
    r->ms_solve += a->work.ms_solve;
    if (accepted)
        r->residual = cti_max(r->residual, a->residual);
}

/* adds the time of an attempt that its four stages do not count (rows and tests of the motion) to detection; t0 [ms]: start of the attempt */
static void cti_step_time(const cti_state *s, double t0, cti_attempt *a)
{
    double rest = cti_state_clock(s) - t0 - a->work.ms_assemble - a->work.ms_unconstrained - a->work.ms_detect - a->work.ms_solve;
    a->work.ms_detect += rest > 0 ? rest : 0;
}

/* releases blocks that were held in a substep */
static void cti_step_release(cti_state *s)
{
    int i;
    for (i = 0; i < s->n; i++)
        s->scripts.held[i] &= CTI_HELD_REPAIR;
}

/* commits the tentative end to the state; rebounds: it is that of a solve, whose contacts may rebound */
static int cti_step_commit(cti_state *s, ct_real dt, int rebounds, const cti_memory *memory, cti_memory *next, ct_step_report *r)
{
    cti_row_context c;
    uint8_t *fresh = NULL;
    int i;
    if (rebounds && !cti_rebound(s, dt, r, &fresh))
        return 0;
    cti_energy_account(s, dt, r);
    cti_move_context(s, dt, memory, &c);
    if (!cti_impulses_add(s, dt, r) || !cti_rows_remember(s->mem, &c, s->contact.rows, s->contact.origins, CTI_LEN(s->contact.rows), s->end.v, next))
        return 0;
    cti_substep_commit(s, dt, s->history.v_end);
    cti_linkage_commit(s);
    for (i = 0; i < s->n; i++) /* a body that was brought to rest, or has rebounded, begins anew */
        if (s->scripts.held[i] & CTI_HELD_RESTED || (fresh && fresh[i]))
            s->history.dt_prev[i] = 0, cti_motion_anew(s, i);
    cti_step_release(s);
    cti_energy_commit(s);
    return 1;
}

/* makes the next attempt search for intersecting pairs first */
static void cti_step_request_search(cti_state *s) { s->detect.n_tangled = cti_max_int(1, s->detect.n_tangled); }

/* replaces a state that is not finite by the start of the substep, at rest: the last resort */
static void cti_step_stop_all(cti_state *s, ct_real dt)
{
    memset(s->end.v, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_cmr_move(s, dt);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
}

/* ends a substep that CMR could not end. 0: out of memory */
static int cti_step_fail_safe(cti_state *s, ct_real dt, cti_attempt *a, ct_step_report *r)
{
    cti_zones_result z;
    if (!cti_all_finite(s->end.x, 3 * s->n) || !cti_all_finite(s->end.v, 3 * s->n)) {
        cti_step_stop_all(s, dt);
        a->tested = 0;
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    }
    if (!a->converged || (!s->frame.refused && (a->unresolved_joints || a->gained || a->rotated_far)))
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    if (a->clear)
        return 1;
    if (!cti_zones_resolve(s, dt, a, &z))
        return 0;
    if (s->parts.conflict)
        return 1;
    r->zones += z.zones;
    r->frozen += z.frozen;
    r->momentum_lost += z.momentum_lost;
    cti_step_status(r, CT_STATUS_ZONES);
    if (!z.clear) {
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
        s->step.limit = s->contact.hits[0].pair; /* an attempt that was given up has no hits */
        cti_step_request_search(s);
    }
    return 1;
}

/* counts rows, and contacts among them that carry load */
static void cti_step_count(const cti_state *s, int *rows, int *contacts)
{
    int i;
    *rows = CTI_LEN(s->contact.rows);
    for (*contacts = i = 0; i < *rows; i++)
        *contacts += !s->contact.origins[i].joint && !s->contact.origins[i].tether && s->contact.origins[i].spin >= 0 &&
                     !s->contact.origins[i].repair && s->contact.rows[i].r[0] > 0;
}

/* completes the report at the end of the step */
static void cti_step_finish(cti_state *s, ct_step_report *r)
{
    cti_nearness nearness;
    r->tangled = CTI_LEN(s->contact.tangled_pairs) / 2;
    if (r->tangled) /* pairs cross: their contact law does not hold */
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    if (s->step.limit.n == 0 && s->detect.n_tangled && CTI_LEN(s->contact.repairs))
        s->step.limit = s->contact.repairs[0].pair;
    if (s->frame.refused)
        cti_step_status(r, CT_STATUS_BUDGET);
    cti_frame_add(&s->frame, cti_step_tuned.frame.ended / 2 * s->n);
    r->refactorizations = s->factors.n_refactored;
    r->min_distance = 2 * s->desc.thickness, r->thickness_kept = 2;
    cti_detect_distances(&s->detect, &s->surface);
    cti_detect_nearness(&s->detect, &s->surface, r->min_distance, &nearness);
    r->min_distance = nearness.distance, r->thickness_kept = nearness.share, r->too_near = nearness.too_near;
    r->penetration = r->min_distance < 0 ? -r->min_distance : 0;
    r->joint_error = cti_joints_error(s);
    cti_report_energies(s, r);
    cti_report_gain(s->judge.start, r);
    cti_report_settle(r);
}

static void cti_step_begin(cti_state *s, ct_step_report *r)
{
    memset(r, 0, sizeof *r);
    r->limit.vertices_a[0] = -1;
    cti_arena_reset(s->arena);
    s->factors.n_refactored = 0;
    s->detect.n_queries = 0;
    s->contact.is_solved = 0;
    s->step.spent = 0;
    s->step.wasted_sweeps = 0;
    cti_frame_add(&s->frame, cti_step_tuned.frame.ended / 2 * s->n);
    cti_impulses_begin(s);
    cti_parts_reset(s);
    memset(&s->step.limit, 0, sizeof s->step.limit);
}

/* length of the shortest substep; it is longer in worlds with intersections */
static ct_real cti_step_shortest(const cti_state *s)
{
    ct_real least = s->step.dt / (ct_real)(1 << s->desc.max_halvings);
    return cti_policy_least_dt(s->step.dt, least, CTI_LEN(s->contact.tangled_pairs) > 0);
}

/* length of the next substep: the wanted one, or all the rest if the remainder would be too short */
static ct_real cti_step_length(cti_state *s, ct_real left, ct_real sub)
{
    sub = cti_min(sub, left);
    s->step.event_least = s->desc.ccd_limits_step && !s->scripts.still && !s->frame.refused ? cti_step_shortest(s) : 0;
    return left - sub < cti_max(CTI_R(1e-6) * s->step.dt, cti_step_tuned.substep.equal * s->step.event_least) ? left : sub;
}

/* makes the last substep's contact memory that of the step */
static void cti_step_keep_memory(cti_state *s, int slot, ct_real dt)
{
    cti_memory swap = s->contact.memory;
    s->contact.memory = s->contact.memory_step[slot];
    s->contact.memory_step[slot] = swap;
    s->contact.memory_slot = slot;
    s->contact.memory_dt = dt;
    cti_impulses_swap(s);
}

/* restores the start of the step */
static ct_code cti_step_restore(cti_state *s)
{
    cti_step_release(s);
    cti_snapshot_restore(s, 0, &s->step.start);
    cti_parts_rollback(s);
    return CT_ERR_MEMORY;
}

CTI_FN void cti_step_undo(cti_state *s)
{
    if (s->n == 0) {
        s->step.time = s->step.start.time;
        cti_impulses_swap(s);
        return;
    }
    cti_step_keep_memory(s, s->contact.memory_slot, 0);
    s->contact.is_solved = 0;
    cti_step_restore(s);
}

/* Marks the blocks that rest in a substep (CTI_HELD_RESTED): all active ones, or those with implausible velocities. Their factors and history
   belong to another motion and are recomputed. Inactive blocks have a result of their own and do not rest */
static void cti_step_mark_stopped(cti_state *s, int all)
{
    int i;
    for (i = 0; i < s->n; i++) {
        int implausible = s->scripts.held[i] & CTI_HELD_IMPLAUSIBLE || (all && !s->scripts.fixed[i]);
        int rests = implausible && !cti_state_is_inactive(s, i);
        s->scripts.held[i] = (uint8_t)((s->scripts.held[i] & CTI_HELD_REPAIR) | (rests ? CTI_HELD_RESTED : 0));
        if (!rests)
            continue;
        cti_factors_ask(&s->factors.components[s->factors.component_of[i]]);
        cti_integrate_reset_block(s, i);
    }
}

/* reports the blocks at rest as frozen, after zones may have moved some out of a script's way */
static void cti_step_report_stopped(cti_state *s, ct_step_report *r)
{
    int i;
    for (i = 0; i < s->n; i++)
        if (s->scripts.held[i] & CTI_HELD_RESTED) {
            r->frozen++;
            r->momentum_lost += s->bodies.mass[i] * cti_v3_norm(cti_v3_sub(cti_v3_at(s->end.v, i), cti_v3_at(s->v, i)));
        }
    cti_step_status(r, CT_STATUS_NOT_CONVERGED);
}

/* cti_step_try -- a substep that was tried, and what follows from its last attempt. */
typedef struct cti_step_try {
    cti_attempt a;
    int good;      /* 1: it passed all tests of its end */
    int is_halved; /* 1: it failed and is halved */
    int holds_blocks; /* 1: it failed and cannot be halved; it is tried again with implausible blocks held */
    int repeats_whole; /* 1: it failed, cannot be halved, and was rejected without excluded components, too; it is tried again with all of them */
    int n_held;   /* tries in which blocks were held */
    double work;  /* [units] of the last attempt (frame.h) */
} cti_step_try;

/* cti_step_span -- an interval of time that the active components are stepped through. */
typedef struct cti_step_span {
    ct_real length, first; /* [s] of the interval; of the first substep that is tried */
    double until;          /* [s] time at its end */
    int depth;             /* splits and halves around it; the step itself has 0 */
    int is_shortest;       /* 1: its substep is not cut; the fail-safe ends it */
    cti_memory *memory;    /* contact memory; in: of the substep before it; out: of its last substep */
    ct_real last_length;   /* [s] of its last substep */
} cti_step_span;

typedef enum cti_step_code { CTI_STEP_MEMORY, CTI_STEP_DONE, CTI_STEP_CONFLICT } cti_step_code;

/* 1 if an attempt of a substep may exclude failed components: not in a world with intersections, and not in a step as printed */
static int cti_step_can_exclude(const cti_state *s)
{
    int is_tangled = s->detect.n_tangled != 0 || CTI_LEN(s->contact.tangled_pairs) != 0;
    return !s->parts.never_exclude && !s->scripts.still && !is_tangled && !cti_state_is_paper(s);
}

/* Makes one attempt of a substep, and decides what follows; is_forced: the fail-safe ends it whatever it is. Components are excluded only if
   s->parts.can_exclude. 0: out of memory */
static int cti_step_attempt_once(cti_state *s, ct_real sub, int is_forced, const cti_memory *memory, cti_step_try *t, ct_step_report *r)
{
    cti_attempt *a = &t->a;
    double t0 = cti_state_clock(s);
    t->work = s->frame.used;
    cti_arena_reset(s->arena);
    if (s->detect.n_tangled && !cti_tangle_find(s))
        return 0;
    s->parts.can_exclude &= cti_step_can_exclude(s);
    s->step.may_halve = !is_forced && !s->frame.refused && cti_policy_dt_reaches(sub / 2, cti_step_shortest(s));
    if (!cti_cmr_attempt(s, sub, memory, a))
        return 0;
    cti_step_time(s, t0, a);
    t->good = a->clear && a->converged && !(a->crushed && !cti_state_is_paper(s)) && !a->rotated_far && !a->missed_rows && !a->unresolved_joints &&
              !a->gained && cti_all_finite(s->end.x, 3 * s->n) && cti_all_finite(s->end.v, 3 * s->n);
    t->work = s->frame.used - t->work;
    t->is_halved = !t->good && s->step.may_halve && !s->frame.refused && cti_frame_may(&s->frame, 2 * t->work);
    t->holds_blocks = !is_forced && !t->is_halved && a->implausible > 0 && cti_policy_may_hold(t->n_held) && cti_frame_may(&s->frame, t->work);
    t->n_held += t->holds_blocks;
    t->repeats_whole = !t->is_halved && (a->repeats_whole || (a->excluded && !t->good));
    cti_step_report_attempt(r, a, !t->is_halved && !t->holds_blocks && !t->repeats_whole && !s->parts.conflict && !(a->impact > 0));
    if (a->limit.n > 0 && (!t->good || a->impact > 0 || a->excluded))
        s->step.limit = a->limit;
    return 1;
}

/* Tries a substep. In the shortest one, implausible blocks are held, and the others are solved around them. 0: out of memory */
static int cti_step_try_substep(cti_state *s, ct_real sub, const cti_step_span *q, cti_step_try *t, ct_step_report *r)
{
    t->n_held = 0;
    cti_step_release(s);
    s->parts.can_exclude = !q->is_shortest && q->depth + 1 < CTI_PARTS_DEPTH;
    if (s->parts.can_exclude && !cti_snapshot_save_solves(s, &s->step.attempt))
        return 0;
    do {
        if (!cti_step_attempt_once(s, sub, 0, q->memory, t, r))
            return 0;
        s->parts.can_exclude = 0;
        t->is_halved &= !q->is_shortest;
        if (t->repeats_whole) /* components begin alike, whether others were excluded or not */
            cti_snapshot_restore_solves(s, 0, &s->step.attempt);
    } while (!s->parts.conflict && (t->holds_blocks || t->repeats_whole));
    return 1;
}

/* Ends a substep that failed and cannot be halved, or one with blocks at rest, and informs the integrators. Returns the number of bodies
   whose gain of energy is more than can be removed from their motion; -1: out of memory */
static int cti_step_end_failed(cti_state *s, ct_real dt, cti_step_try *t, ct_step_report *r)
{
    cti_attempt *a = &t->a;
    int resting = t->n_held || a->gave_up;
    cti_integrate_watch(s);
    cti_linkage_save_velocities(s);
    cti_sets_init(s->parts.zoned, CTI_LEN(s->factors.components));
    if (resting)
        cti_step_mark_stopped(s, a->gave_up);
    /* zones may move blocks at rest */
    if ((t->n_held && !a->clear && !cti_assemble_pins(s, dt)) || !cti_step_fail_safe(s, dt, a, r))
        return -1;
    if (s->parts.conflict)
        return 0;
    cti_integrate_reset(s, !a->converged);
    cti_linkage_mark_forced(s, !a->converged);
    return cti_energy_try(s, dt) ? cti_energy_calm(s, dt, &r->momentum_lost) : 0;
}

/* Holds bodies that gain energy, besides those at rest already; all: also other deformable bodies in contact in their sets. 0: out of memory */
static int cti_step_hold_gaining(cti_state *s, int all)
{
    uint8_t *gaining = CTI_ARENA_ZERO(s->arena, uint8_t, CTI_LEN(s->factors.components)); /* indexed by the root of a zoned set */
    int i, m, is_hold;
    if (!gaining)
        return 0;
    for (i = 0; i < s->n; i++) {
        m = s->history.model_of[i];
        if (m >= 0 && s->energy.gains[m])
            gaining[cti_sets_root(s->parts.zoned, s->factors.component_of[i])] = 1;
    }
    for (i = 0; i < s->n; i++) {
        m = s->history.model_of[i];
        is_hold = s->scripts.held[i] & CTI_HELD_RESTED || (m >= 0 && s->energy.gains[m]);
        if (all && m >= 0 && gaining[cti_sets_root(s->parts.zoned, s->factors.component_of[i])])
            is_hold |= cti_energy_is_touched(s, m);
        if (is_hold)
            s->scripts.held[i] = (uint8_t)((s->scripts.held[i] & CTI_HELD_REPAIR) | CTI_HELD_IMPLAUSIBLE);
    }
    return 1;
}

/* removes the effects of a rejected result from the report and the integrators; the next one is not cut at impacts */
static void cti_step_drop_result(cti_state *s, const ct_step_report *before, ct_step_report *r)
{
    r->zones = before->zones;
    r->frozen = before->frozen;
    r->momentum_lost = before->momentum_lost;
    cti_integrate_clear(s);
    s->step.event_least = 0;
}

/* 1 if impact zones could not part what a bound of the frame had left unsolved */
static int cti_step_needs_more(const cti_state *s, const cti_step_try *t)
{
    return !t->a.clear && !t->n_held && CTI_LEN(s->contact.hits) && s->frame.refused && cti_frame_is_bound(&s->frame) && !s->parts.conflict;
}

/* Ends a substep by the fail-safe. Bodies that gain energy in it are held, and the others are solved around them. 0: out of memory */
static int cti_step_force(cti_state *s, ct_real sub, const cti_memory *memory, cti_step_try *t, ct_step_report *r)
{
    const ct_step_report before = *r;
    int k, n, tangled = s->detect.n_tangled;
    for (k = 1;; k++) {
        n = cti_step_end_failed(s, sub, t, r);
        if (n >= 0 && cti_step_needs_more(s, t)) { /* that nothing intersects goes before the bound */
            cti_frame_release(&s->frame);
            cti_step_drop_result(s, &before, r);
            cti_step_release(s);
            r->status = before.status, s->detect.n_tangled = tangled;
            if (!cti_step_attempt_once(s, sub, 1, memory, t, r))
                return 0;
            if (t->good)
                return 1;
            continue;
        }
        if (n <= 0 || s->parts.conflict || !cti_policy_may_hold(k - 1) || !cti_frame_may(&s->frame, t->work))
            break;
        if (!cti_step_hold_gaining(s, !cti_policy_may_hold(k)))
            return 0;
        cti_step_drop_result(s, &before, r);
        t->n_held++;
        if (!cti_step_attempt_once(s, sub, 1, memory, t, r))
            return 0;
    }
    if (n >= 0 && (t->n_held || t->a.gave_up))
        cti_step_report_stopped(s, r);
    return n >= 0;
}

/* the contact memory that the substep at hand writes: at each depth two take turns, since q->memory is read meanwhile */
static cti_memory *cti_step_memory_slot(cti_state *s, const cti_step_span *q)
{
    cti_memory *slot = &s->contact.memory_step[2 * q->depth];
    return slot == q->memory ? slot + 1 : slot;
}

static cti_step_code cti_step_through(cti_state *s, cti_step_span *q, ct_step_report *r);

/* Continues after an attempt that was accepted with excluded components. The accepted ones keep their result and are interpolated. The
   excluded ones are stepped through the same time in halves, or alone with the same length if halves would be too short */
static cti_step_code cti_step_split(cti_state *s, cti_step_span *q, ct_real sub, ct_step_report *r)
{
    cti_memory *contacts_of_rest = &s->parts.contacts[q->depth];
    cti_step_span part = *q;
    cti_step_code end;
    double time = s->step.time;
    int rows, contacts, extended = r->extended_elements, i;
    part.until = cti_state_ahead(s, sub);
    part.is_shortest = sub / 2 < cti_step_tuned.substep.equal * cti_step_shortest(s);
    part.length = sub;
    part.first = part.is_shortest ? sub : sub / 2;
    part.depth++;
    cti_step_count(s, &rows, &contacts);
    if (!part.is_shortest)
        cti_parts_lower_limit(s, sub, 0);
    cti_parts_raise_limit(s, sub);
    if (!cti_parts_save(s) || !cti_step_commit(s, sub, 1, q->memory, contacts_of_rest, r) || !cti_parts_split(s, sub, part.depth))
        return CTI_STEP_MEMORY;
    s->step.time = time;
    if (part.is_shortest)
        cti_snapshot_restore_solves(s, 1, &s->step.attempt);
    else
        cti_step_status(r, CT_STATUS_SUBSTEPPED);
    end = cti_step_through(s, &part, r);
    if (end != CTI_STEP_DONE)
        return end;
    cti_parts_merge(s, part.depth);
    for (i = 0; i < CTI_LEN(contacts_of_rest->items); i++)
        if (!cti_memory_add(s->mem, part.memory, &contacts_of_rest->items[i]))
            return CTI_STEP_MEMORY;
    q->memory = part.memory;
    q->last_length = part.last_length;
    r->rows += rows;
    r->contacts += contacts;
    r->extended_elements = cti_max_int(r->extended_elements, extended); /* value for all components, before the split */
    return CTI_STEP_DONE;
}

/* replaces a substep in which no component can keep its result by its two halves */
static cti_step_code cti_step_halve(cti_state *s, cti_step_span *q, ct_real sub, ct_step_report *r)
{
    cti_step_span part = *q;
    cti_step_code end;
    part.until = cti_state_ahead(s, sub);
    part.length = sub;
    part.first = sub / 2;
    part.depth++;
    cti_step_status(r, CT_STATUS_SUBSTEPPED);
    end = cti_step_through(s, &part, r);
    q->memory = part.memory;
    q->last_length = part.last_length;
    return end;
}

/* ends and commits a substep that is good, or that cannot be halved */
static cti_step_code cti_step_accept(cti_state *s, cti_step_span *q, ct_real sub, cti_step_try *t, ct_step_report *r)
{
    cti_memory *next = cti_step_memory_slot(s, q);
    if ((!t->good || t->n_held) && !cti_step_force(s, sub, q->memory, t, r))
        return CTI_STEP_MEMORY;
    if (s->parts.conflict)
        return CTI_STEP_CONFLICT;
    if (cti_energy_stands(s)) /* another linearization would have been needed */
        cti_step_status(r, CT_STATUS_BUDGET);
    if (!cti_step_commit(s, sub, t->good && !t->n_held, q->memory, next, r))
        return CTI_STEP_MEMORY;
    if (t->good && !t->n_held)
        cti_parts_raise_limit(s, sub);
    cti_parts_advance(s, sub);
    q->memory = next;
    q->last_length = sub;
    cti_step_count(s, &r->rows, &r->contacts);
    r->substeps++;
    return CTI_STEP_DONE;
}

/* continues after a try: in halves, with a split, or with the result as it is */
static cti_step_code cti_step_continue(cti_state *s, cti_step_span *q, ct_real sub, cti_step_try *t, ct_step_report *r)
{
    if (t->is_halved) {
        cti_parts_lower_limit(s, sub, 1);
        s->detect.valid = 0; /* candidate lists for a motion that failed are too long for half of it */
        return cti_step_halve(s, q, sub, r);
    }
    if (!(t->a.residual <= s->desc.solver.tolerance)) /* the same for every solver */
        cti_step_status(r, t->a.budget || s->frame.refused ? CT_STATUS_BUDGET : CT_STATUS_NOT_CONVERGED);
    if (t->a.unclosed_joint_rows) /* contacts, or other joints, leave no room to close joints */
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    return t->a.excluded && t->good ? cti_step_split(s, q, sub, r) : cti_step_accept(s, q, sub, t, r);
}

/* 1 if a substep is halved without an attempt, because of step limits */
static int cti_step_must_halve(const cti_state *s, const cti_step_span *q, ct_real sub)
{
    if (q->is_shortest || s->frame.refused || sub / 2 < cti_step_tuned.substep.equal * cti_step_shortest(s))
        return 0;
    return cti_parts_must_halve(s, sub, cti_step_can_exclude(s));
}

/* does substeps until the end of a span */
static cti_step_code cti_step_through(cti_state *s, cti_step_span *q, ct_step_report *r)
{
    ct_real left = q->length, sub = q->first, uncut = 0; /* uncut: length of the substep before an impact cut it; 0: none was cut */
    while (left > 0) {
        cti_step_try t;
        cti_step_code end;
        sub = cti_step_length(s, left, s->frame.refused ? left : sub);
        s->step.left = left;
        s->step.until = q->until;
        if (cti_step_must_halve(s, q, sub)) {
            end = cti_step_halve(s, q, sub, r);
        } else {
            if (!cti_step_try_substep(s, sub, q, &t, r))
                return CTI_STEP_MEMORY;
            if (s->parts.conflict)
                return CTI_STEP_CONFLICT;
            if (t.a.impact > 0) {
                uncut = cti_max(uncut, sub);
                sub = cti_events_cut(s, sub, t.a.impact);
                continue;
            }
            end = cti_step_continue(s, q, sub, &t, r);
        }
        if (end != CTI_STEP_DONE)
            return end;
        left -= sub;
        if (uncut > 0) { /* the impact has been reached: the next substep has the length that this one had before the cut */
            sub = uncut;
            uncut = 0;
            r->events++;
        }
    }
    return CTI_STEP_DONE;
}

/* Begins the step again after a conflict. The report keeps its counts of work (iterations, times) and drops the outcome. 0: out of memory */
static int cti_step_rollback(cti_state *s, ct_step_report *r)
{
    ct_step_report kept = *r;
    cti_step_release(s);
    cti_snapshot_restore(s, 0, &s->step.start);
    cti_parts_rollback(s);
    cti_impulses_begin(s);
    memset(&s->step.limit, 0, sizeof s->step.limit);
    s->step.spent = 0;
    s->step.wasted_sweeps = 0;
    kept.status = CT_STATUS_OK;
    kept.substeps = kept.events = kept.zones = kept.frozen = 0;
    kept.residual = kept.momentum_lost = 0;
    kept.work_script = kept.work_pins = kept.work_joints = kept.work_forces = kept.work_recovery = kept.loss_contact = kept.loss_damping = 0;
    *r = kept;
    return cti_snapshot_save(s, 0, &s->step.start);
}

CTI_FN ct_code cti_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_step_span q;
    cti_step_code end;
    int k;
    cti_step_begin(s, r);
    if (s->n == 0) {
        s->step.start.time = s->step.time;
        cti_report_blank(s, r), cti_step_open(s, dt);
        if (!cti_step_empty(s, dt))
            return CT_ERR_MEMORY;
        cti_memory_clear(&s->contact.memory);
        r->tangled = CTI_LEN(s->contact.tangled_pairs) / 2;
        return CT_OK;
    }
    cti_coarse_begin(&s->factors);
    if (!cti_snapshot_save(s, 0, &s->step.start))
        return CT_ERR_MEMORY;
    s->step.dt = dt;
    cti_judge_open(s);
    for (k = 0;; k++) {
        memset(&q, 0, sizeof q);
        s->parts.never_exclude = !cti_policy_may_exclude(k);
        q.length = q.first = dt;
        q.until = s->step.time + (double)dt;
        q.memory = &s->contact.memory;
        end = cti_step_through(s, &q, r);
        if (end != CTI_STEP_CONFLICT)
            break;
        if (!cti_step_rollback(s, r))
            return CT_ERR_MEMORY;
    }
    if (end == CTI_STEP_MEMORY || !cti_step_told(s))
        return cti_step_restore(s);
    cti_step_keep_memory(s, (int)(q.memory - s->contact.memory_step), q.last_length);
    cti_step_finish(s, r);
    return CT_OK;
}
