/* barrier_step.c -- a step of the barrier stepper.
   Method: the minimum of a potential that is not convex may have more energy than the start: a corner slips off an edge, and what holds it is gone at
   the end. Shorter substeps follow the way down. A step whose minimum lies behind an obstacle, around which Newton's method has gone, is divided,
   too: a fast body would pass another one without any contact. What still passes in the shortest substeps is NOT_CONVERGED. Based on: no paper. */
#include "barrier.h"
#include "../8_step/report.h"
#include "../8_step/shell.h"

/* what a try begins with. Candidates depend on no earlier step, so that a step that is tried again has the same; S1 takes as long with those of the
   last one */
static int cti_barrier_keep(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    b->cover.known = 0, b->contact.eased = b->joints.rounded = 0;
    b->start.scale = b->scale, b->start.sigma = b->matrix.sigma;
    cti_barrier_system_begin(b);
    return 1;
}

static void cti_barrier_back(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    b->scale = b->start.scale, b->matrix.sigma = b->start.sigma;
    cti_barrier_system_restore(b);
}

/* A try whose Newton's method failed, or that strains a rigid body, is not divided */
static int cti_barrier_finish(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_report_settle(r);
    cti_judge_touches(s);
    s->judge.spent = r->status >= CT_STATUS_BUDGET;
    cti_judge_refuses(s, dt, cti_barrier_swing(s, r), 0, r);
    return 1;
}

CTI_FN ct_code cti_barrier_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    const cti_shell q = {1,    cti_barrier_tuned.rule.parts, 1, cti_barrier_substep, cti_barrier_finish, cti_barrier_keep, cti_barrier_back,
                         NULL, cti_barrier_crosses};
    return cti_shell_step(s, &q, dt, r);
}
