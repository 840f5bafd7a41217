/* solve_policy.c -- the decisions of a solve of contacts: what sweeps it gets, when its loops end, when a residual is computed, which
   acceleration is made. Method: every decision is a pure function of a few facts; solve_policy.h has the numbers.
   Based on: Otaduy 2009, sec. 5.2-5.6, for the loops; their termination and the accelerations are ours. */
#include "solve_policy.h"
#include "../1_math/elem.h"

/* ---- sweeps over the contacts ---- */

CTI_FN int cti_solve_policy_sweeps(int max_sweeps, int rows)
{
    double more = (double)cti_solve_tuned.sweeps.few / (double)cti_max_int(1, rows), most;
    more = more < 1 ? 1 : (more > cti_solve_tuned.sweeps.more ? cti_solve_tuned.sweeps.more : more);
    most = more * (double)max_sweeps;
    return most < 1e9 ? (int)most : 1000000000;
}

CTI_FN int cti_solve_policy_visits(int rows) { return cti_max_int(cti_solve_tuned.sweeps.few, rows); }

CTI_FN ct_real cti_solve_policy_drop(const cti_problem *p, int coupled, int jointed)
{
    if (coupled && !p->split.plain) /* too short to drop */
        return 0;
    if (coupled || p->split.lagged)
        return cti_solve_tuned.sweeps.drop;
    return jointed ? cti_solve_tuned.sweeps.drop_jointed : cti_solve_tuned.sweeps.drop_exact;
}

CTI_FN int cti_solve_policy_inner(const cti_problem *p, const ct_solver_desc *desc, int coupled, int left)
{
    int most = p->split.plain ? cti_solve_tuned.sweeps.plain : cti_solve_tuned.sweeps.coupled;
    return cti_min_int(coupled ? most : cti_max_int(1, left), desc->inner_iterations);
}

CTI_FN ct_real cti_solve_policy_stop(ct_real tol) { return cti_solve_tuned.sweeps.stop * tol; }

/* A stalled loop ends below `stalled`, too; where A couples no clusters, after twice as many sweeps also at a change where its result may be
   judged. */
CTI_FN int cti_solve_policy_sweeps_end(const cti_sweep_facts *q)
{
    if (q->change <= q->stop || (q->k > 0 && q->change <= q->drop * q->first) || q->k + 1 == q->most)
        return 1;
    if (q->k == 0 && q->again && q->change <= q->tol)
        return 1;
    if (q->stalled >= cti_solve_tuned.sweeps.stall && q->change <= cti_solve_tuned.sweeps.stalled * q->tol)
        return 1;
    return !q->coupled && q->stalled >= 2 * cti_solve_tuned.sweeps.stall && q->change <= q->worth;
}

CTI_FN int cti_solve_policy_halves(ct_real change, ct_real best) { return change < best / 2; }

CTI_FN int cti_solve_policy_sweep_restarts(ct_real change, ct_real best) { return change > cti_solve_tuned.sweeps.restart * best; }

CTI_FN int cti_solve_policy_outer_restarts(ct_real change, ct_real best) { return change > cti_solve_tuned.outer.restart * best; }

CTI_FN int cti_solve_policy_mixes(int k, int plain) { return k >= cti_solve_tuned.sweeps.first_mix && !plain; }

/* The mean contraction so far is that of the rest. */
CTI_FN int cti_solve_policy_outpaced(int sweeps, ct_real first, ct_real best, ct_real stop, double sweep, double rival)
{
    double fallen, rest;
    if (sweeps < cti_solve_tuned.augmented.look)
        return 0;
    fallen = cti_log64((double)first / (double)best), rest = cti_log64((double)best / (double)stop);
    return rest > 0 && !(sweep * sweeps * rest <= rival * fallen);
}

/* ---- outer iterations ---- */

CTI_FN int cti_solve_policy_iterations(const ct_solver_desc *desc, int coupled)
{
    return coupled ? cti_min_int(desc->max_iterations, (desc->max_sweeps + 1) / cti_solve_tuned.sweeps.coupled) : desc->max_iterations;
}

CTI_FN int cti_solve_policy_goes_on(ct_real midway, ct_real left, ct_real aim)
{
    ct_real half = left / midway; /* of half a budget */
    return left * half * half <= aim;
}

CTI_FN cti_solve_status cti_solve_policy_status(const cti_problem *p, int coupled, int iterations, ct_real now, ct_real last, ct_real best)
{
    if (!cti_finite(now) || now > cti_solve_tuned.outer.diverged * best)
        return CTI_SOLVE_DIVERGED;
    if (p->split.lagged && !coupled && iterations >= 2 && now > cti_solve_tuned.outer.contracts * last)
        return CTI_SOLVE_SLOW;
    return CTI_SOLVE_BUDGET;
}

CTI_FN ct_real cti_solve_policy_worth(ct_real tolerance) { return cti_solve_tuned.outer.judge * tolerance; }

CTI_FN ct_real cti_solve_policy_next(ct_real now, ct_real natural, ct_real tolerance)
{
    return now * cti_max(cti_solve_tuned.outer.judge_drop, tolerance / natural);
}

CTI_FN ct_real cti_solve_policy_worth_next(ct_real worth, ct_real next)
{
    return cti_clamp(next, 0, cti_solve_tuned.outer.judge_next * worth);
}

CTI_FN ct_real cti_solve_policy_tight(ct_real tight, int coupled, ct_real worth, ct_real next, ct_real tolerance)
{
    ct_real change = coupled ? worth : cti_solve_tuned.outer.tight * next;
    return cti_max(cti_solve_tuned.outer.tight_least, cti_min(tight, change / tolerance));
}

/* ---- accelerations ---- */

/* Two idle corrections in a row end them if the last is smooth; else they get a new factor. With no factor left, a third one ends them. */
CTI_FN cti_correction_choice cti_solve_policy_correction(ct_real now, ct_real corrected, ct_real tol, int renewed, int most, int idle)
{
    int smooth = corrected <= cti_solve_tuned.correction.smooth * tol;
    if (smooth && now <= tol)
        return CTI_CORRECTION_NONE;
    if (renewed == 0)
        return CTI_CORRECTION_FIRST;
    if (idle >= cti_solve_tuned.correction.idle && renewed < most && !smooth)
        return CTI_CORRECTION_RENEW;
    return idle >= cti_solve_tuned.correction.idle + !smooth ? CTI_CORRECTION_END : CTI_CORRECTION_LAST;
}

CTI_FN int cti_solve_policy_is_idle(ct_real now, ct_real nearest) { return now > cti_solve_tuned.correction.little * nearest; }

CTI_FN int cti_solve_policy_correction_sweeps(int correcting, int iteration)
{
    return correcting && iteration > 1 ? cti_solve_tuned.correction.sweeps : 1;
}
