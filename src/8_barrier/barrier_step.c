/* barrier_step.c -- a step of the barrier stepper, and its substeps.
   Method: a step that gains energy is taken back and repeated as 2, 4, up to 32 steps of implicit Euler of equal length, until they do not.
   The minimum of a potential that is not convex may have more energy than the start: a corner slips off an edge. A shorter step follows the way
   down. The same is done where the minimum lies behind an obstacle, around which Newton's method has gone: a fast body would pass another one without
   any contact. The status of what gains or passes in 32 parts, too, is NOT_CONVERGED. based on: no paper. */
#include "barrier.h"
#include "../8_step/impulses.h"
#include "../8_step/snapshot.h"
#include "../8_step/report.h"

/* [1] most substeps. A soft corner that slips off an edge at dt 20 ms (test_barrier) takes up to 16; 8 leave one step of 100 that gains 2.4e-4 */
#define CTI_BARRIER_PARTS 32

/* cti_barrier_kept -- numbers that a step begins with, and changes */
typedef struct cti_barrier_kept {
    double scale, solved;
    ct_real sigma;
} cti_barrier_kept;

static cti_barrier_kept cti_barrier_keep(const cti_state *s)
{
    cti_barrier_kept kept;
    kept.scale = s->history.barrier, kept.solved = s->history.barrier_solved;
    kept.sigma = cti_barrier_own(s)->matrix.sigma;
    return kept;
}

/* the state at the start of the step */
static void cti_barrier_restore(cti_state *s, const cti_barrier_kept *kept)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_snapshot_restore(s, 1, &s->step.start);
    s->history.barrier = kept->scale, s->history.barrier_solved = kept->solved;
    b->matrix.sigma = kept->sigma;
}

static ct_code cti_barrier_take_back(cti_state *s, const cti_barrier_kept *kept)
{
    cti_barrier_restore(s, kept);
    cti_barrier_system_restore(cti_barrier_own(s));
    return CT_ERR_MEMORY;
}

/* the state at the start of the step, once more. 0: out of memory, but that state */
static int cti_barrier_again(cti_state *s, const cti_barrier_kept *kept)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_restore(s, kept);
    /* the surface is where it was */
    if (s->surface.nv)
        memcpy(b->surface.x_last, b->surface.x_begin, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    memset(&s->step.limit, 0, sizeof s->step.limit);
    b->cover.known = 0;
    b->contact.implied = 0;
    b->contact.passes = 0;
    cti_impulses_begin(s);
    return cti_snapshot_save(s, 1, &s->step.start);
}

/* adds what an earlier substep did to the report of a later one */
static void cti_barrier_sum(const ct_step_report *a, ct_step_report *r)
{
    if (a->status > r->status)
        r->status = a->status;
    cti_report_cost(a, r);
    r->extended_elements = cti_max_int(a->extended_elements, r->extended_elements);
    r->candidates = cti_max_int(a->candidates, r->candidates);
    r->min_distance = cti_min(a->min_distance, r->min_distance);
    r->thickness_kept = cti_min(a->thickness_kept, r->thickness_kept);
    r->residual = cti_max(a->residual, r->residual);
    r->work_pins += a->work_pins, r->work_script += a->work_script, r->work_joints += a->work_joints;
    r->loss_contact += a->loss_contact, r->loss_damping += a->loss_damping;
    r->energy_gained += a->energy_gained;
}

/* the step as `parts` substeps */
static ct_code cti_barrier_divide(cti_state *s, ct_real dt, int parts, ct_step_report *r)
{
    double begin = s->step.time, end = begin + (double)dt, start[4];
    int k;
    for (k = 0; k < parts; k++) {
        ct_step_report part;
        ct_code code;
        cti_report_blank(s, &part);
        /* step.limit stays the nearest pair of all substeps */
        part.min_distance = r->min_distance;
        cti_arena_reset(s->arena);
        s->step.until = k + 1 == parts ? end : begin + (double)dt * (k + 1) / parts;
        s->step.left = dt / (ct_real)parts;
        code = cti_barrier_once(s, dt / (ct_real)parts, start, &part);
        if (code != CT_OK)
            return CT_ERR_MEMORY;
        cti_barrier_sum(r, &part);
        *r = part;
    }
    r->substeps = parts;
    if (r->status < CT_STATUS_SUBSTEPPED)
        r->status = CT_STATUS_SUBSTEPPED;
    return CT_OK;
}

/* 1 where a step that gains or passes is repeated. Joints' impulses are those of one step; the other integrators need the step before; a step that
   ran out of iterations gets no more of them */
static int cti_barrier_divides(const cti_state *s, const ct_step_report *r)
{
    return CTI_LEN(s->bodies.joints) == 0 && s->desc.integrator == CT_INTEGRATOR_EULER && s->desc.barrier.form == CT_FORM_POTENTIAL &&
           r->status < CT_STATUS_BUDGET;
}

/* scripts that were late go on where they are due: without dynamic bodies nothing is in their way */
static void cti_barrier_let_go(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->scripts.movers); i++) {
        const cti_script *script = &s->scripts.movers[i].script;
        if (script->stopped)
            script->stopped[3 * (size_t)script->n] = 0;
    }
}

CTI_FN ct_code cti_barrier_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_kept kept = cti_barrier_keep(s);
    double start[4];
    int fails, parts;
    ct_code code;
    cti_report_blank(s, r);
    cti_step_open(s, dt);
    if (!cti_snapshot_save(s, 1, &s->step.start) || !CTI_RESIZE(&s->prepared, b->surface.x_begin, 3 * s->surface.nv))
        return CT_ERR_MEMORY;
    if (s->n == 0) {
        cti_barrier_let_go(s);
        cti_step_empty(s, dt);
        return CT_OK;
    }
    if (s->surface.nv)
        memcpy(b->surface.x_begin, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    /* candidates depend on no earlier step, so that a step that is tried again has the same; S1 takes as long with those of the last one */
    b->cover.known = 0;
    b->contact.implied = 0;
    b->contact.passes = 0;
    cti_barrier_system_begin(b);
    code = cti_barrier_once(s, dt, start, r);
    if (code == CT_ERR_DOMAIN)
        return code;
    if (code != CT_OK)
        return cti_barrier_take_back(s, &kept);
    fails = cti_barrier_gains(s, dt, start, r) || b->contact.passes;
    for (parts = 2; fails && parts <= CTI_BARRIER_PARTS && cti_barrier_divides(s, r); parts *= 2) {
        ct_step_report whole = *r;
        cti_report_blank(s, r);
        if (!cti_barrier_again(s, &kept)) {
            cti_barrier_system_restore(b);
            return CT_ERR_MEMORY;
        }
        if (cti_barrier_divide(s, dt, parts, r) != CT_OK)
            return cti_barrier_take_back(s, &kept);
        fails = cti_barrier_gains(s, dt, start, r) || b->contact.passes;
        cti_report_cost(&whole, r);
    }
    if (fails && r->status < CT_STATUS_NOT_CONVERGED)
        r->status = CT_STATUS_NOT_CONVERGED;
    cti_impulses_swap(s);
    return CT_OK;
}
