/* ica_accelerate.c -- what makes the outer loop of ICA faster than the paper's: each is a call of ica.c.
   cti_ica_after_node      Contacts between nodes are solved inside the sweep over the nodes. Each is visited directly after the last of its
                           nodes, so that a sticking node is not displaced by its neighbours in between. A third fewer iterations than
                           contacts and nodes in turn, to which a solve that does not converge returns (outer.fused, outer.halves).
   cti_ica_carry_cluster   A cluster that only contacts couple to others moves at its ports alone in most iterations (outer.defer).
   cti_ica_correct         Error that is smooth over a body is corrected between sweeps (cti_problem.split.correction, correction.*).
   cti_ica_extrapolate     The whole fixed-point map is Anderson accelerated, where clusters are coupled. Multipliers that drift at a
                           constant rate are extrapolated along their drift instead (stride.*).
   cti_ica_undo, _restart  An extrapolation that led astray, or diverged, is undone.
   The names in brackets are rows of docs/policy.md. Based on: Anderson 1965; Walker & Ni 2011; the rest is ours. */
#include "ica_kernel.h"
#include "ica_state.h"

/* the record of convergence rates ends: a new or restarted iteration */
static void cti_ica_forget_pace(cti_ica *s)
{
    int k;
    for (k = 0; k < cti_solve_tuned.outer.pace; k++)
        s->progress.pace[k] = CTI_REAL_MAX;
}

/* the fixed-point map has changed: acceleration and the measures of progress start again */
static void cti_ica_new_map(cti_ica *s)
{
    cti_anderson_restart(&s->mix.outer);
    s->progress.best = s->progress.last = CTI_REAL_MAX;
    cti_ica_forget_pace(s);
}

CTI_FN void cti_ica_begin(cti_ica *s)
{
    s->progress.best = s->progress.last = CTI_REAL_MAX;
    s->progress.fused = s->map.n_own > 0;
    s->progress.worth = cti_solve_policy_worth(s->desc->tolerance), s->progress.tight = 1;
    s->correction.active = s->coupled && s->p->split.correction && !s->p->split.plain;
    s->correction.largest = s->correction.nearest = CTI_REAL_MAX;
    cti_ica_forget_pace(s);
}

CTI_FN int cti_ica_begin_iteration(cti_ica *s, int iteration)
{
    cti_ica_progress *p = &s->progress;
    if (p->fused) {
        if (iteration == 1 || p->best <= p->mark / 2)
            p->mark = p->best, p->marked = iteration;
        p->fused = cti_solve_policy_is_fused(iteration, p->marked);
        if (!p->fused)
            cti_ica_new_map(s);
    }
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

/* ---- clusters that only contacts couple to others ---- */

/* du is D^-1 J' times the change of the multipliers */
CTI_FN ct_real cti_ica_carry_cluster(cti_ica *s, const cti_ica_cluster *q)
{
    ct_real big = 0;
    int i, k;
    for (i = 0; i < q->n_ports; i++)
        for (k = 0; k < 3; k++) {
            ct_real d = (ct_real)s->du[q->du + (size_t)(3 * i + k)];
            s->v[3 * q->blocks[q->ports[i]] + k] += d;
            big = cti_max(big, cti_abs(d));
        }
    return big;
}

CTI_FN void cti_ica_catch_up(cti_ica *s)
{
    int c;
    for (c = 0; s->map.grouped && c < s->n_clusters; c++)
        if (s->clusters[c].alone)
            cti_ica_refine_cluster(s, &s->clusters[c], 0);
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
    choice = cti_solve_policy_correction(now, q->largest, tol, q->renewed, q->idle);
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
    now = cti_max(cti_max(now, q->largest), 2 * tol); /* a solve ends with sweeps that follow a small correction */
    q->idle = cti_solve_policy_is_idle(now, q->nearest) ? q->idle + 1 : 0;
    q->nearest = cti_min(q->nearest, now);
    return now;
}

/* ---- extrapolations ---- */

/* returns to the iterate of smallest change and drops the history */
static void cti_ica_back(cti_ica *s)
{
    memcpy(s->mix.z, s->mix.z_best, sizeof(ct_real) * (size_t)s->mix.outer.n);
    cti_nodes_restart(&s->nodes);
    cti_anderson_restart(&s->mix.outer);
    cti_ica_forget_pace(s);
    s->mix.strode = 0;
}

CTI_FN int cti_ica_undo(cti_ica *s, ct_real now)
{
    if (!s->mix.strode || !cti_solve_policy_is_astray(now, s->progress.best))
        return 0;
    cti_ica_back(s);
    s->mix.astray++;
    return 1;
}

CTI_FN int cti_ica_restart(cti_ica *s)
{
    if (!s->coupled || !cti_solve_policy_may_restart(s->progress.restarts, s->progress.best))
        return 0;
    s->progress.restarts++;
    cti_ica_back(s);
    s->progress.last = CTI_REAL_MAX;
    return 1;
}

/* step length, in iterations, along the drift until the first normal multiplier vanishes; 0: none decreases */
static ct_real cti_ica_reach(const cti_ica *s)
{
    const ct_real *d = s->mix.drift + 3 * (size_t)s->p->A->n;
    ct_real fast = 0, t = CTI_REAL_MAX;
    int i, n = s->p->n_rows;
    for (i = 0; i < n; i++)
        fast = cti_max(fast, cti_abs(d[3 * i]) * s->contacts[i].local.B[0]);
    for (i = 0; i < n; i++)
        if (!s->p->rows[i].equations && s->r[3 * i] > 0 && cti_solve_policy_limits(-d[3 * i] * s->contacts[i].local.B[0], fast))
            t = cti_min(t, s->r[3 * i] / -d[3 * i]);
    return t < CTI_REAL_MAX ? t : 0;
}

/* multipliers back into their cones */
static void cti_ica_project(cti_ica *s)
{
    int i;
    for (i = 0; i < s->p->n_rows; i++) {
        ct_real *r = s->r + 3 * (size_t)i, g = r[1] * r[1] + r[2] * r[2], most = s->p->rows[i].mu * cti_max(0, r[0]);
        if (s->p->rows[i].equations)
            continue;
        r[0] = cti_max(0, r[0]);
        g = g > most * most ? most / cti_sqrt(g) : 1;
        r[1] *= g, r[2] *= g;
    }
}

/* extrapolates along the drift. Redundant contacts, or contacts that could share one load in many ways, transfer it from one to the other
   at a constant rate. That takes as many iterations as the load contains steps of that size. Where two iterations have changed z alike, z
   moves at once to where the first multiplier vanishes. Returns 1 when it did */
static int cti_ica_stride(cti_ica *s)
{
    double same = 0, all = 0;
    ct_real t;
    int i, n = s->mix.outer.n;
    for (i = 0; i < n; i++) {
        ct_real d = s->mix.z[i] - s->mix.z_old[i], e = (d - s->mix.drift[i]) * s->mix.weight[i];
        s->mix.drift[i] = d;
        same += (double)(e * e), d *= s->mix.weight[i], all += (double)(d * d);
    }
    t = cti_solve_policy_drifts(same, all, s->mix.astray, s->mix.strode) ? cti_ica_reach(s) : 0;
    s->mix.strode = cti_solve_policy_strides(t);
    if (!s->mix.strode)
        return 0;
    for (i = 0; i < n; i++)
        s->mix.z[i] += t * s->mix.drift[i];
    cti_ica_project(s);
    cti_nodes_restart(&s->nodes);
    cti_anderson_restart(&s->mix.outer);
    return 1;
}

CTI_FN int cti_ica_extrapolate(cti_ica *s, ct_real now, int iteration, int left)
{
    cti_ica_progress *p = &s->progress;
    if (s->coupled && now < p->best)
        memcpy(s->mix.z_best, s->mix.z, sizeof(ct_real) * (size_t)s->mix.outer.n);
    if (s->coupled && cti_solve_policy_outer_restarts(now, p->best))
        cti_anderson_restart(&s->mix.outer);
    if (s->coupled && !s->p->split.plain && !cti_ica_stride(s))
        cti_anderson_step(&s->mix.outer, s->mix.z_old, s->mix.z, NULL);
    p->best = cti_min(p->best, now);
    p->last = now;
    return !s->coupled || !cti_ica_is_stuck(s, iteration, left);
}

CTI_FN void cti_ica_take_best(cti_ica *s)
{
    if (s->coupled)
        memcpy(s->mix.z, s->mix.z_best, sizeof(ct_real) * (size_t)s->mix.outer.n);
}
