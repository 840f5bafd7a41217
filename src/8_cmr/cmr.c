/* cmr.c -- constraint manifold refinement.
   Method: linearize, solve without contacts, make rows of near pairs; then rounds of solve and continuous collision detection. A collision adds a row
   with the normal at its time of impact, until the straight motion from x to x + dt v is clear (Otaduy 2009, sec. 4, steps 1 - 4.4). differs: rows of
   near pairs are culled to one per geometric contact; detection is never culled. CCD keeps a quarter of the thickness, so that rounding cannot turn a
   touch into a crossing. A body that does not converge by nodes becomes one cluster. An implausible solve ends the attempt. */
#include "cmr_free.h"
#include "cmr_rows.h"
#include "../8_step/integrate.h"
#include "../8_step/linkage.h"
#include "../8_step/motion.h"
#include "parts.h"
#include "../8_step/plausible.h"
#include "../8_step/policy.h"
#include "../8_step/rotation.h"
#include "../8_step/tethers.h"
#include "../7_contact/flat_patches.h"
#include "../7_contact/flats.h"
#include "../7_contact/seams.h"
#include "../7_contact/duplicates.h"

CTI_FN void cti_cmr_move(cti_state *s, ct_real dt)
{
    cti_move(s, dt);
    cti_parts_place(s, dt);
}

CTI_FN ct_real cti_cmr_scale(const cti_state *s, ct_real dt)
{
    ct_real big = 0;
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        big = cti_max(big, s->factors.components[c].substep.part ? 0 : s->factors.components[c].solve.free_speed);
    return cti_assemble_scale(s, dt, big);
}

/* solves the rows once, from end.v and their multipliers. 0: out of memory */
static int cti_cmr_solve_once(cti_state *s, ct_real dt, ct_real scale, cti_attempt *out)
{
    cti_islands_result q;
    if (!cti_islands_solve(s, dt, scale, &q))
        return 0;
    out->work.solver_iterations += q.iterations;
    out->work.solver_sweeps += q.sweeps, out->work.solver_quick += q.quick;
    out->work.solver_fallbacks += q.fallbacks;
    out->residual = cti_finite(q.residual) ? q.residual : CTI_REAL_MAX; /* not finite: the largest number */
    out->converged &= !q.diverged;
    /* the last sweeps may have reached the tolerance after all */
    out->budget = (out->budget || q.budget || cti_state_is_paper(s)) && !(out->residual <= s->desc.solver.tolerance);
    return 1;
}

/* Ends an attempt with implausible velocities, at rest where it began. The blocks that cause these velocities are marked in scripts.held.
   No component is excluded: the attempt fails as a whole. 0: out of memory */
static int cti_cmr_give_up(cti_state *s, ct_real dt, cti_attempt *out)
{
    cti_parts_include(s, out);
    if (!cti_plausible_find(s, dt, &out->implausible))
        return 0;
    memset(s->end.v, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_cmr_move(s, dt);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    out->clear = 0;
    out->converged = 0;
    out->gave_up = 1;
    return 1;
}

CTI_FN double cti_cmr_price(const cti_state *s)
{
    return cti_step_tuned.frame.pair * (cti_candidates_len(&s->detect.vf) + cti_candidates_len(&s->detect.ee)) + cti_step_tuned.frame.moved * s->n;
}

/* completes the candidate lists and their distances at the start, and counts the work of it. 0: out of memory */
static int cti_cmr_cover(cti_state *s, int *changed)
{
    if (!cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, changed))
        return 0;
    cti_frame_add(&s->frame, cti_cmr_price(s) + (*changed ? cti_step_tuned.frame.boxes * s->surface.nv + cti_cmr_price(s) : 0));
    return 1;
}

CTI_FN int cti_cmr_collide(cti_state *s, cti_attempt *out)
{
    int changed;
    if (!cti_cmr_cover(s, &changed))
        return 0;
    if (changed)
        cti_detect_distances(&s->detect, &s->surface);
    out->work.candidates = (CTI_LEN(s->detect.vf.pairs) + CTI_LEN(s->detect.ee.pairs)) / 2;
    CTI_CLEAR(s->contact.hits);
    if (!cti_detect_collisions(s->mem, &s->detect, &s->surface, s->surface.x1, &s->contact.hits))
        return 0;
    s->detect.is_tested = 1;
    cti_parts_filter(s);
    return 1;
}

/* displaces the surface by the last step's velocity for flats.c: *out [3 nv]; NULL without cloth, and in the paper's step. 0: out of memory */
static int cti_cmr_extrapolate_cloth(cti_state *s, ct_real dt, ct_real **out)
{
    ct_real *q;
    int i, cloth = 0;
    *out = NULL;
    for (i = 0; i < s->surface.n_bodies; i++)
        cloth |= s->surface.bodies[i].is_cloth && s->surface.bodies[i].dynamic;
    if (!cloth || cti_state_is_paper(s))
        return 1;
    q = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->n), *out = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->surface.nv);
    if (!q || !*out)
        return 0;
    for (i = 0; i < 3 * s->n; i++)
        q[i] = s->x[i] + dt * s->v[i];
    memcpy(*out, s->surface.x1, sizeof **out * 3 * (size_t)s->surface.nv);
    cti_surface_place(&s->surface, q, s->end.frames, *out);
    return 1;
}

/* finds candidates for the free motion, and adds the first rows: joints, near pairs, repairs (steps 2 - 3) */
static int cti_cmr_first_rows(cti_state *s, const cti_row_context *c)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    const ct_real *ends = cti_state_is_paper(s) ? NULL : s->surface.x1; /* of the motion as the other contacts lead it (seams.h) */
    ct_real *cloth_ahead, *led = NULL;
    int changed;
    if (!cti_cmr_cover(s, &changed))
        return 0;
    s->frame.ending = cti_step_tuned.frame.tests * cti_cmr_price(s) + cti_step_tuned.frame.ended / 2 * s->n;
    cti_detect_distances(&s->detect, &s->surface);
    CTI_CLEAR(s->contact.hits);
    if (!cti_joints_append(s, c, cti_cmr_scale(s, c->dt)))
        return 0;
    cti_joints_linearize_all(s, c);
    if (!cti_tethers_append(s, c))
        return 0;
    if (!cti_detect_near(s->mem, &s->detect, &s->surface, s->surface.x1, c->memory, &s->contact.hits))
        return 0;
    cti_events_defer(s, c);
    if (ends && CTI_LEN(s->contact.hits) && CTI_LEN(s->bodies.rigids) && !(ends = led = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->surface.nv)))
        return 0;
    if (!cti_seams_pass(s->arena, &s->detect, c, s->contact.hits, led) ||
        !cti_duplicates_cull(s->arena, &s->surface, c->memory, s->contact.hits) ||
        !cti_patches_flat(s->arena, &s->surface, c->memory, s->contact.hits) || !cti_cmr_extrapolate_cloth(s, c->dt, &cloth_ahead) ||
        !cti_flats_raise(s->mem, s->arena, &s->detect, &s->surface, cloth_ahead, ends, &s->contact.hits))
        return 0;
    cti_arena_rewind(s->arena, mark);
    cti_parts_filter(s);
    cti_frame_add(&s->frame, 3 * cti_cmr_price(s) + cti_step_tuned.costs.row * CTI_LEN(s->contact.hits));
    return cti_cmr_add_rows(s, c) && cti_repair_rows(s, c);
}

/* *out: 1 if the contacts' part of the motion is plausible (plausible.h). The paper accepts every result. 0: out of memory */
static int cti_cmr_is_plausible(cti_state *s, ct_real dt, int *out)
{
    *out = 1;
    return cti_state_is_paper(s) || cti_plausible_contacts(s, dt, out);
}

/* solves the unsolved rows, moves, and linearizes joints and contacts of rigid bodies again there (steps 4.1, 4.2). 0: out of memory */
static int cti_cmr_solve(cti_state *s, const cti_row_context *c, ct_real scale, cti_attempt *out)
{
    double t = cti_state_clock(s);
    int plausible;
    if (!CTI_LEN(s->contact.rows))
        return 1;
    out->clear = 0; /* CCD has not tested the motion of this solve */
    if (!cti_cmr_solve_once(s, c->dt, scale, out))
        return 0;
    out->work.rounds++;
    if (!cti_cmr_is_plausible(s, c->dt, &plausible) ||
        (!plausible && (!cti_cmr_solve_extrapolated(s, c->dt, out) || !cti_cmr_is_plausible(s, c->dt, &plausible))))
        return 0;
    if (!plausible || !cti_plausible_motion(s, c->dt))
        return cti_cmr_give_up(s, c->dt, out);
    cti_cmr_move(s, c->dt);
    cti_cmr_linearize_rows(s, c);
    if (CTI_JOINTS(s))
        cti_joints_linearize(s, c, scale);
    out->work.ms_solve += cti_state_clock(s) - t;
    return 1;
}

/* Adds crossings of flat edges that the first round's motion brings too near, after its collisions. In S2 (docs/measured.md), doing this again kept
   no more of the thickness. After another linearization it would solve islands again that the linearization does not touch. 0: out of memory */
static int cti_cmr_add_flat_crossings(cti_state *s)
{
    if (cti_state_is_paper(s) || s->system.n_linearized > 0)
        return 1;
    if (!cti_flats_fallen(s->mem, &s->detect, &s->surface, &s->contact.hits))
        return 0;
    cti_parts_filter(s);
    return 1;
}

/* Runs the rounds of solve and CCD (step 4). Each solves again what the last one linearized, turned, or found to collide. 0: out of memory */
static int cti_cmr_rounds(cti_state *s, ct_real dt, const cti_row_context *c, cti_attempt *out)
{
    ct_real scale = cti_cmr_scale(s, dt);
    double t;
    int i, unsolved, round = 0;
    for (i = 0; i < CTI_LEN(s->factors.components); i++) {
        s->factors.components[i].solve.refined = cti_state_is_paper(s) && CTI_LEN(s->contact.rows); /* the paper counts solves */
        s->factors.components[i].solve.outpaced = 0;
    }
    do {
        if (!cti_cmr_solve(s, c, scale, out))
            return 0;
        if (!out->converged)
            return 1;
        t = cti_state_clock(s);
        if (!cti_tethers_refine(s, c, scale))
            return 0;
        if (!cti_cmr_collide(s, out) || (round == 0 && !cti_events_first(s, c, &out->impact, &out->limit)))
            return 0;
        if (out->impact > 0)
            return 1;
        out->clear = CTI_LEN(s->contact.hits) == 0;
        if (round == 0 && !cti_cmr_add_flat_crossings(s))
            return 0;
        if (CTI_LEN(s->contact.hits))
            out->limit = s->contact.hits[0].pair;
        if (s->parts.conflict)
            return 1;
        if (s->step.may_halve)
            cti_rotation_fail_linkages(s, dt);
        out->tested = !out->clear && !cti_frame_may(&s->frame, cti_cmr_price(s));
        if (out->tested)
            break;
        if (!cti_cmr_refine(s, c, round++, &unsolved))
            return 0;
        out->work.ms_detect += cti_state_clock(s) - t;
    } while (unsolved && cti_frame_may(&s->frame, cti_cmr_price(s)));
    for (i = 0; !out->clear && i < CTI_LEN(s->contact.hits); i++)
        cti_parts_fail_pair(s, &s->contact.hits[i].pair);
    return 1;
}

typedef struct cti_cmr_crush_task {
    const cti_state *s;
    int *n; /* [models] crushed tets */
} cti_cmr_crush_task;

static void cti_cmr_crushed_range(int begin, int end, int worker, void *context)
{
    const cti_cmr_crush_task *q = (const cti_cmr_crush_task *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++)
        if (!cti_state_is_inactive(q->s, q->s->history.block[begin]))
            q->n[begin] = cti_tet_batch_crushed(&q->s->bodies.models[begin]->tets, q->s->x, q->s->end.x);
}

/* counts the tets that the motion crushes; their components fail. 0: out of memory */
static int cti_cmr_count_crushed(cti_state *s, cti_attempt *out)
{
    cti_cmr_crush_task q;
    int i;
    q.s = s, q.n = CTI_ARENA_ZERO(s->arena, int, s->bodies.n_models + 1);
    if (!q.n)
        return 0;
    cti_tasks_run_work(&s->desc.tasks, cti_cmr_crushed_range, s->bodies.n_models,
                       cti_step_tuned.costs.crushed * s->n / cti_max_int(1, s->bodies.n_models), &q);
    for (i = 0; i < s->bodies.n_models; i++) {
        out->crushed += q.n[i];
        if (q.n[i])
            cti_state_fail(s, s->history.block[i]);
    }
    return 1;
}

/* Marks only the rows of components that were linearized again as unsolved. Rows linearized again after their last solve keep their result
   if no body gains energy. A component without rows takes its free motion. 0: out of memory */
static int cti_cmr_mark_unsolved(cti_state *s)
{
    uint8_t *touched = CTI_ARENA_ZERO(s->arena, uint8_t, CTI_LEN(s->factors.components));
    int i, k, c;
    if (!touched)
        return 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        s->contact.origins[i].is_unsolved = 0;
        for (k = 0; k < s->contact.rows[i].n; k++) {
            c = s->factors.component_of[s->contact.rows[i].term[k].block];
            touched[c] = 1;
            s->contact.origins[i].is_unsolved |= cti_newton_gains(s, &s->factors.components[c]);
        }
    }
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *q = &s->factors.components[c];
        if (touched[c] || !cti_newton_gains(s, q))
            continue;
        for (i = q->begin; i < q->end; i++)
            cti_v3_put(s->end.v, s->factors.blocks[i], cti_v3_at(s->system.v_free, s->factors.blocks[i]));
    }
    return 1;
}

/* Does another Newton iteration. Bodies that gain energy are linearized at the end of the last iteration, and their islands are solved again, by
   Euler's rule, which dissipates: in an energy-conserving scheme a linearization error would be a gain. 0: out of memory */
static int cti_cmr_newton_step(cti_state *s, ct_real dt, const cti_row_context *c, cti_attempt *out)
{
    double t0 = cti_state_clock(s), t1;
    int i, its = 0, n = CTI_LEN(s->factors.components);
    s->system.n_linearized++;
    cti_newton_place(s);
    cti_integrate_yield(s, s->energy.gains);
    out->extended_tets = 0;
    if (!cti_assemble(s, dt, &out->extended_tets))
        return 0;
    t1 = cti_state_clock(s);
    out->work.ms_assemble += t1 - t0;
    s->factors.matrix++;
    for (i = 0; i < n; i++) {
        cti_component *q = &s->factors.components[i];
        if (!cti_newton_gains(s, q))
            continue;
        cti_factors_relinearize(q);
        q->solve.extrapolated_attempts = 0;
        if (!cti_cmr_free_one(s, dt, q, &its))
            return 0;
    }
    out->work.linear_iterations += its;
    out->work.ms_unconstrained += cti_state_clock(s) - t1;
    if (!cti_cmr_mark_unsolved(s))
        return 0;
    if (!cti_plausible_motion(s, dt))
        return cti_cmr_give_up(s, dt, out);
    cti_cmr_move(s, dt);
    out->clear = 0, out->work.newton++;
    return cti_cmr_rounds(s, dt, c, out);
}

/* Sets where the paper's solves start (5.5, step 1): with the last step's change of velocity beyond that without contacts. 0: out of memory */
static int cti_cmr_paper_start(cti_state *s, ct_real dt)
{
    int i;
    s->contact.response = NULL;
    if (!cti_state_is_paper(s))
        return 1;
    s->contact.response = CTI_ARENA_ZERO(s->arena, ct_real, 3 * s->n);
    if (!s->contact.response)
        return 0;
    for (i = 0; i < 3 * s->n; i++) {
        ct_real dt_free = s->factors.components[s->factors.component_of[i / 3]].solve.dt_free;
        if (s->history.dt_prev[i / 3] > 0 && dt_free > 0)
            s->contact.response[i] = dt * (s->history.dv[i] / s->history.dt_prev[i / 3] - s->history.dv_free[i] / dt_free);
    }
    return 1;
}

/* Excludes components that have failed so far, unless the attempt fails as a whole. 0: out of memory */
static int cti_cmr_exclude(cti_state *s, ct_real dt, cti_attempt *out)
{
    if (!out->converged || out->impact > 0 || s->parts.conflict)
        return 1;
    return cti_parts_exclude(s, dt, out);
}

/* Counts the rows of joints whose error at the end is too large, and of contacts that a shorter substep would linearize better; their components
   fail, unless the joint is one that is being closed */
static void cti_cmr_check_rows(cti_state *s, ct_real dt, cti_attempt *out)
{
    ct_real most = s->desc.solver.tolerance * cti_cmr_scale(s, dt);
    int i;
    if (s->desc.row_mode == CT_ROW_VELOCITY)
        return;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        if (s->step.may_halve && !cti_state_is_paper(s) && cti_cmr_row_error(s, i) > most) {
            cti_state_fail(s, s->contact.rows[i].term[0].block);
            out->missed_rows++;
        }
        if (s->contact.origins[i].joint && !(s->contact.origins[i].gives > 0) && cti_policy_joint_solves_again(s->contact.origins[i].joint_error)) {
            cti_state_fail(s, s->contact.rows[i].term[0].block);
            out->unresolved_joints++;
        }
    }
}

/* Tests the result besides collisions: energy, linkages, joints, tets, rotations. Components that fail are excluded. 0: out of memory */
static int cti_cmr_check_end(cti_state *s, ct_real dt, cti_attempt *out)
{
    int i;
    if (out->gained)
        cti_parts_fail_gaining(s);
    out->unresolved_joints += s->linkages.unresolved;
    if (out->work.rounds == 0) /* no solve has judged the free motion */
        out->residual = cti_islands_dynamics(s, cti_cmr_scale(s, dt));
    cti_cmr_check_rows(s, dt, out);
    if (!cti_cmr_count_crushed(s, out) || !cti_rotation_count(s, dt, &out->rotated_far))
        return 0;
    if (out->clear && !cti_cmr_exclude(s, dt, out))
        return 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_contact_row *o = &s->contact.origins[i];
        const cti_joint *j = cti_joints_of(s, i);
        out->unclosed_joint_rows += j && o->gives > 0 && 2 * o->joint_error * j->slack >= o->gap0;
    }
    out->unclosed_joint_rows += cti_tethers_missed(s, dt);
    if (!cti_state_is_paper(s))
        for (i = 0; i < CTI_LEN(s->contact.rows); i++)
            out->residual = cti_max(out->residual, cti_cmr_row_error(s, i) / cti_cmr_scale(s, dt));
    return 1;
}

CTI_FN int cti_cmr_attempt(cti_state *s, ct_real dt, const cti_memory *memory, cti_attempt *out)
{
    cti_row_context c;
    double t0 = cti_state_clock(s), t1;
    int i;
    memset(out, 0, sizeof *out);
    out->converged = out->work.newton = 1, out->work.linear = s->frame.used;
    s->system.n_linearized = s->detect.is_tested = 0;
    cti_parts_begin(s);
    if (!cti_cmr_paper_start(s, dt) || !cti_assemble_pins(s, dt))
        return 0;
    cti_assemble_movers(s, cti_state_ahead(s, dt));
    cti_linkage_begin(s);
    cti_motion_predict(s, dt);
    if (!cti_assemble(s, dt, &out->extended_tets))
        return 0;
    t1 = cti_state_clock(s);
    out->work.ms_assemble = t1 - t0;
    if (!cti_cmr_free_motion(s, dt, out))
        return 0;
    out->work.linear = s->frame.used - out->work.linear;
    cti_linkage_free(s, dt, memory, &out->unresolved_joints);
    t0 = cti_state_clock(s);
    out->work.ms_unconstrained = t0 - t1;
    cti_move_context(s, dt, memory, &c);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    memcpy(s->end.v, s->system.v_free, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!cti_plausible_motion(s, dt))
        return cti_cmr_give_up(s, dt, out);
    cti_cmr_move(s, dt);
    if (!cti_cmr_first_rows(s, &c))
        return 0;
    if (s->parts.conflict)
        return 1;
    if (!cti_parts_exclude_limited(s, dt, out))
        return 0;
    if (out->limited)
        return 1;
    if (!cti_cmr_solve_untouched(s, dt, out, &i))
        return 0;
    if (i > 0 && !cti_plausible_motion(s, dt))
        return cti_cmr_give_up(s, dt, out);
    if (i > 0)
        cti_cmr_move(s, dt);
    out->work.ms_detect = cti_state_clock(s) - t0;
    if (!cti_cmr_rounds(s, dt, &c, out) || !cti_cmr_exclude(s, dt, out))
        return 0;
    while (out->clear && out->converged && !(out->impact > 0)) {
        out->gained = cti_energy_try(s, dt);
        if (out->gained == 0 || !cti_newton_helps(s) || out->work.newton >= s->desc.newton_iterations ||
            !cti_frame_may(&s->frame, out->work.linear + cti_cmr_price(s)))
            break;
        if (!cti_cmr_newton_step(s, dt, &c, out) || !cti_cmr_exclude(s, dt, out))
            return 0;
    }
    if (s->parts.conflict)
        return 1;
    return cti_cmr_check_end(s, dt, out);
}
