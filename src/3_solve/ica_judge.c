/* ica_judge.c -- how a solve by ICA ends.
   Method: an iteration with a small change is judged (residual.c), after the momentum of each body is balanced. Only a residual up to the
   tolerance sets `judged`. After one above it, contacts are swept to a smaller change, for which the next residual waits where A couples
   clusters. A loop whose change vanishes ends with CTI_SOLVE_OK as well, but with `judged` 0; the residual in the report then shows that it is
   above the tolerance.
   differs: the paper ends when residuals change by less than 5 % between two iterations (5.5), which detects stagnation, not accuracy.
   Growth of the change over its smallest value is divergence (5.6 monitors the residual for that). Based on: Otaduy 2009, sec. 5.5 and 5.6. */
#include "ica_state.h"

/* 1 where an iteration with the change `now` may have reached the tolerance. Exact inverses of uncoupled clusters move v to where the last
   sweep over the contacts predicted it, however far that is: there the change of that sweep counts. */
static int cti_ica_is_worth(const cti_ica *s, ct_real now)
{
    int exact = !s->coupled && !s->p->split.lagged;
    return (exact ? s->progress.left : now) <= s->progress.worth * s->p->velocity_scale;
}

/* a residual above the tolerance: sweeps go on to a smaller change from then on, and where A couples clusters the next residual waits for it */
static void cti_ica_tighten(cti_ica *s, ct_real now, ct_real natural)
{
    cti_ica_progress *q = &s->progress;
    ct_real tol = s->desc->tolerance, next = cti_solve_policy_next((s->coupled ? now : q->left) / s->p->velocity_scale, natural, tol);
    if (s->coupled)
        q->worth = cti_solve_policy_worth_next(q->worth, next);
    q->needed = now * tol / natural;
    q->tight = cti_solve_policy_tight(q->tight, s->coupled, q->worth, next, tol);
}

/* The natural map at the present v and multipliers; below 0: out of memory */
static ct_real cti_ica_residual(cti_ica *s, ct_real now, cti_residuals *res)
{
    ct_real *work = s->scratch.work;
    int i;
    if (!work && !(work = s->scratch.work = CTI_ARENA_NEW(s->arena, ct_real, 6 * s->p->A->n)))
        return -1;
    cti_ica_publish(s);
    cti_ica_rhs(s);
    if (s->p->calls.balance) {
        cti_problem_residual(s->p, s->f, s->v, work);
        cti_nodes_restart(&s->nodes);
        if (!s->p->calls.balance(s->p->calls.balance_ctx, work, s->v))
            return -1;
    }
    cti_residual_eval(s->p, s->desc->cone, s->v, work, res);
    if (!(res->natural_map <= s->desc->tolerance)) {
        cti_ica_tighten(s, now, res->natural_map);
        return res->natural_map;
    }
    for (i = 0; i < s->p->n_rows; i++)
        memcpy(s->r + 3 * (size_t)i, s->p->rows[i].r, 3 * sizeof(ct_real));
    return res->natural_map;
}

CTI_FN int cti_ica_judge(cti_ica *s, ct_real now, cti_solve_info *info)
{
    ct_real judged = -1;
    info->status = cti_solve_policy_status(s->p, s->coupled, info->iterations, now, s->progress.last, s->progress.best);
    if (cti_ica_is_worth(s, now) && (judged = cti_ica_residual(s, now, &info->res)) < 0)
        return 0;
    if (judged >= 0 && (judged <= s->desc->tolerance || now == 0)) /* or a fixed point, which no further iteration changes */
        info->status = CTI_SOLVE_OK;
    s->progress.opened = info->iterations == 1 ? now : s->progress.opened;
    if (info->status == CTI_SOLVE_BUDGET && info->iterations > 1) {
        ct_real stop = s->progress.tight * s->desc->tolerance * s->p->velocity_scale, least = cti_min(now, s->progress.best);
        s->progress.outpaced |= cti_ica_is_outpaced(s, info->sweeps, s->progress.opened, least, stop);
    }
    if (info->status == CTI_SOLVE_BUDGET && s->progress.outpaced)
        info->status = CTI_SOLVE_OUTPACED;
    info->judged = info->status == CTI_SOLVE_OK && judged >= 0 && judged <= s->desc->tolerance;
    info->change = now / s->p->velocity_scale;
    return 1;
}
