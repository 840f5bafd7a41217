/* ica_accelerate.c -- what makes the outer loop of ICA faster than the paper's: each is a call of ica.c.
   cti_ica_after_node      Contacts between nodes are solved inside the sweep over the nodes. Each is visited directly after the last of its
                           nodes, so that a sticking node is not displaced by its neighbours in between. With contacts and nodes in turn
                           S2 takes 1.3 times the sweeps.
   cti_ica_correct         Error that is smooth over a body is corrected between sweeps (cti_problem.split.correction, correction.*).
   cti_ica_extrapolate     The whole fixed-point map is Anderson accelerated, where clusters are coupled.
   cti_ica_restart         A loop that diverged goes on from its best iterate.
   The names in brackets are rows of docs/policy.md. Based on: Anderson 1965; Walker & Ni 2011; the rest is ours. */
#include "ica_kernel.h"
#include "ica_state.h"

/* the fixed-point map has changed: acceleration and the measures of progress start again */
static void cti_ica_new_map(cti_ica *s)
{
    cti_anderson_restart(&s->mix.outer);
    s->progress.best = s->progress.restarted = s->progress.last = CTI_REAL_MAX;
}

CTI_FN void cti_ica_begin(cti_ica *s)
{
    s->progress.best = s->progress.restarted = s->progress.last = CTI_REAL_MAX;
    /* Sweeps over rigid bodies that a rival may take over end where it would: in stacks errors of their slowest modes add up over steps. In soft
       bodies they do not, and S1 would take a third more sweeps */
    s->progress.tight = s->p->split.rigid && cti_ica_has_rival(s) ? (ct_real)cti_solve_tuned.augmented.aim : 1;
    s->progress.worth = cti_solve_policy_worth(s->progress.tight * s->desc->tolerance);
    s->correction.active = s->coupled && s->p->split.correction && !s->p->split.plain;
    s->correction.largest = s->correction.nearest = CTI_REAL_MAX;
}

CTI_FN int cti_ica_begin_iteration(cti_ica *s, int iteration)
{
    if (s->coupled)
        memcpy(s->mix.z_old, s->mix.z, sizeof(ct_real) * (size_t)s->mix.outer.n);
    return cti_solve_policy_correction_sweeps(s->correction.active, iteration);
}

/* ---- contacts inside the sweep over nodes ---- */

/* one contact between nodes at the present v: its multipliers, and at once their effect on its nodes. Returns the change as a velocity */
static ct_real cti_ica_visit_own(cti_ica *s, int i)
{
    cti_ica_contact *q = &s->contacts[i];
    cti_row *row = &s->p->rows[i];
    ct_real u[3], r[3], d[3], *ri = s->r + 3 * (size_t)i, change = 0, speed;
    int k, j;
    cti_row_velocity(row, s->v, u);
    for (k = 0; k < 3; k++)
        r[k] = ri[k];
    speed = cti_max(cti_abs(u[0]), cti_max(cti_abs(u[1]), cti_abs(u[2])));
    cti_law_solve(&q->local, s->desc->cone, s->desc->inner_repeats, r, u);
    for (k = 0; k < 3; k++) {
        d[k] = r[k] - ri[k];
        change = cti_max(change, cti_abs(d[k]) * q->local.B[4 * k]);
    }
    if (change == 0)
        return 0;
    for (k = 0; k < 3; k++)
        ri[k] = r[k];
    cti_row_scatter(s->p, row, d, s->f);
    for (k = 0; k < q->n_legs; k++) {
        const cti_ica_leg *L = &s->tiles.legs[q->leg0 + k];
        const float *W = s->tiles.W + L->w;
        size_t b = (size_t)s->clusters[L->cluster].blocks[0];
        for (j = 0; j < 3; j++) {
            float dv = W[j] * (float)d[0] + W[4 + j] * (float)d[1] + W[8 + j] * (float)d[2];
            s->v[3 * b + (size_t)j] += (ct_real)dv;
            s->nodes.delta[4 * b + (size_t)j] += dv;
        }
    }
    return cti_min(change, speed);
}

CTI_FN ct_real cti_ica_after_node(void *ctx, int i)
{
    cti_ica *s = (cti_ica *)ctx;
    ct_real big = 0;
    int k;
    for (k = s->map.at_node[i]; k < s->map.at_node[i + 1]; k++)
        big = cti_max(big, cti_ica_visit_own(s, s->map.of_node[k]));
    return big;
}

/* ---- corrections of bodies that are split into nodes ---- */

CTI_FN ct_real cti_ica_correct(cti_ica *s, int iteration, ct_real now)
{
    ct_real tol = s->desc->tolerance * s->p->velocity_scale;
    cti_ica_correction *q = &s->correction;
    cti_correction_choice choice;
    if (!q->active || now < 0)
        return now;
    if (iteration == 1)
        return cti_max(now, 2 * tol);
    choice = cti_solve_policy_correction(now, q->largest, tol, q->renewed, 1 + s->p->split.correction->is_cheap, q->idle);
    if (choice == CTI_CORRECTION_NONE)
        return now;
    if (choice == CTI_CORRECTION_END) {
        q->active = 0;
        cti_ica_new_map(s);
        return now;
    }
    if (choice != CTI_CORRECTION_LAST) {
        cti_ica_publish(s);
        q->renewed++, q->idle = 0, q->nearest = CTI_REAL_MAX;
    }
    if (choice == CTI_CORRECTION_RENEW)
        cti_ica_new_map(s);
    q->largest = s->p->split.correction->apply(s->p->split.correction->ctx, (int)choice - CTI_CORRECTION_FIRST, s->f, s->v);
    if (q->largest < 0)
        return q->largest;
    now = cti_max(cti_max(now, q->largest), 2 * tol); /* the first residual may be computed then (outer.judge), later ones after more sweeps */
    q->idle = cti_solve_policy_is_idle(now, q->nearest) ? q->idle + 1 : 0;
    q->nearest = cti_min(q->nearest, now);
    return now;
}

CTI_FN int cti_ica_correct_again(cti_ica *s)
{
    cti_ica_correction *q = &s->correction;
    if (!s->p->split.correction || s->p->split.plain || !(s->progress.best * s->progress.best > s->progress.needed * s->progress.midway))
        return 1;
    cti_ica_publish(s), cti_ica_rhs(s);
    q->active = 1, q->renewed++, q->idle = 0, q->nearest = CTI_REAL_MAX;
    cti_ica_new_map(s);
    q->largest = s->p->split.correction->apply(s->p->split.correction->ctx, 1, s->f, s->v);
    return q->largest >= 0;
}

/* ---- extrapolations ---- */

CTI_FN int cti_ica_restart(cti_ica *s)
{
    if (!s->coupled || !(s->progress.best < s->progress.restarted))
        return 0;
    s->progress.restarted = s->progress.best;
    memcpy(s->mix.z, s->mix.z_best, sizeof(ct_real) * (size_t)s->mix.outer.n);
    cti_nodes_restart(&s->nodes);
    cti_anderson_restart(&s->mix.outer);
    s->progress.last = CTI_REAL_MAX;
    return 1;
}

CTI_FN void cti_ica_extrapolate(cti_ica *s, ct_real now)
{
    cti_ica_progress *p = &s->progress;
    if (s->coupled && now < p->best)
        memcpy(s->mix.z_best, s->mix.z, sizeof(ct_real) * (size_t)s->mix.outer.n);
    if (s->coupled && cti_solve_policy_outer_restarts(now, p->best))
        cti_anderson_restart(&s->mix.outer);
    if (s->coupled && !s->p->split.plain)
        cti_anderson_step(&s->mix.outer, s->mix.z_old, s->mix.z, NULL);
    p->best = cti_min(p->best, now);
    p->last = now;
}

CTI_FN void cti_ica_take_best(cti_ica *s, ct_real now)
{
    if (s->coupled && !(now < s->progress.best))
        memcpy(s->mix.z, s->mix.z_best, sizeof(ct_real) * (size_t)s->mix.outer.n);
}
