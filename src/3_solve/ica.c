/* ica.c -- iterative constraint anticipation (ICA), to be read beside the paper: Otaduy, Tamstorf, Steinemann, Gross 2009, sec. 5.2-5.5.
   Purpose: A v = b + J' lambda + H' gamma with non-penetration and Coulomb friction, without the Schur complement J A^-1 J' of eq. 8.
   Method: A = D - L - U, D block diagonal over clusters: nodes as in the paper, patches, or whole bodies. The paper's steps (5.5) are here
       1, 2     cti_ica_solve      start values; D^-1, and B = J D^-1 J' of each contact (ica_setup.c)
       3        cti_ica_loop       outer loop: v and the multipliers in turn until they agree
       3.1      cti_ica_contacts   u: the contacts' velocities that D^-1 anticipates, B r - c(i) in the paper        [eq. 9, 10]
       3.2      cti_ica_inner      inner loop: projected Gauss-Seidel over the contacts                              [eq. 11]
       3.2.1    cti_ica_visit      one contact: lambda from its normal law, then gamma from friction (law.c)         [eq. 13, 14]
       3.3      cti_ica_refine     v by one block Gauss-Seidel sweep over the clusters                               [eq. 12]
   Symbols: b = A v*, v = v* + dv, so that eq. 12 holds for v with f = b + J' lambda + H' gamma at its right. A contact's r [3] is (lambda,
   gamma_1, gamma_2). Its u [3] is the rows of J and H times v, plus their constant part. The paper's B lambda >= c is u_n >= 0.
   Tiles, the entries of D^-1 at blocks that contacts touch, are float. Multipliers and residuals are ct_real (those of nodes only at a
   base point, and float relative to it, nodes.c), so that the outer iteration refines the result to full precision.
   Behind calls: ica_accelerate.c has what makes the loops faster, ica_judge.c how they end, ica_parts.c the workers, solve_policy.c the
   numbers and decisions.
   differs: u is the contacts' velocity at v as step 3.3 left it, not after one more Jacobi step of eq. 9 (only `split.predict` takes that step).
   Where A couples no clusters and inverses are exact the two agree, since A v = f after step 3.3. With cluster = body one outer iteration is full
   anticipation. differs: where A couples clusters, contacts between nodes are solved inside step 3.3, and act on v at once
   (cti_ica_after_node). Based on: Otaduy, Tamstorf, Steinemann, Gross 2009. ica_paper.c is the paper's iteration without these differences. */
#include "ica_kernel.h"
#include "ica_state.h"

static ct_real cti_ica_iterate(cti_ica *s, cti_solve_info *info);
static ct_real cti_ica_contacts(cti_ica *s, cti_solve_info *info);
static int cti_ica_inner(cti_ica *s, int spent, int most, ct_real *out_first);
static ct_real cti_ica_sweep(cti_ica *s, int k);
static ct_real cti_ica_refine(cti_ica *s);

/* ---- steps 1 to 3: the outer loop ---- */

/* 1 where a budget that is used up gets a second one */
static int cti_ica_goes_on(cti_ica *s)
{
    ct_real left = s->coupled ? s->progress.best : s->progress.left, aim = s->desc->tolerance * s->p->velocity_scale;
    if (cti_ica_has_rival(s) || s->progress.longer)
        return 0;
    if (!s->coupled)
        aim = cti_solve_policy_stop(s->progress.tight * aim);
    return s->progress.longer = cti_solve_policy_goes_on(s->progress.midway, left, aim);
}

static void cti_ica_loop(cti_ica *s, cti_solve_info *info)
{
    int goes_on = s->desc->solver == CT_SOLVER_AUTO && !s->map.jointed; /* another method, from where this one ends */
    int most = cti_solve_policy_iterations(s->desc, s->coupled || goes_on);
    ct_real now = 0;
    cti_ica_begin(s);
    for (info->iterations = 1; info->iterations <= most; info->iterations++) {
        now = cti_ica_iterate(s, info);
        if (now < 0 || !cti_ica_judge(s, now, info)) {
            info->status = CTI_SOLVE_MEMORY;
            return;
        }
        if (info->status == CTI_SOLVE_DIVERGED && cti_ica_restart(s))
            continue;
        if (s->p->calls.watch && !s->p->calls.watch(s->p->calls.watch_user, info->iterations, s->v))
            return;
        if (info->status != CTI_SOLVE_BUDGET)
            return;
        if (!cti_frame_may(s->p->frame, s->price))
            break;
        cti_ica_extrapolate(s, now);
        if (s->coupled && info->iterations == most / 2)
            s->progress.midway = s->progress.best;
        if (s->coupled ? info->iterations < most : info->sweeps < s->budget)
            continue;
        if (!cti_ica_goes_on(s))
            break;
        if (!s->coupled)
            s->budget *= 2;
        else if (!cti_ica_correct_again(s)) {
            info->status = CTI_SOLVE_MEMORY;
            return;
        } else
            most += cti_min_int(most, s->desc->max_iterations - most);
    }
    cti_ica_take_best(s, now);
}

/* counts the work before the first iteration, and prices one without its sweeps */
static void cti_ica_charge_setup(cti_ica *s)
{
    const cti_solve_numbers *t = &cti_solve_tuned;
    double judged = t->costs.judge_block * s->p->A->n + t->costs.judge_row * s->p->n_rows;
    s->price = t->costs.block * s->p->A->n + (t->costs.velocity + t->costs.scatter) * s->p->n_rows + (s->coupled ? t->costs.visit * s->p->n_rows : 0);
    cti_frame_must(s->p->frame, t->costs.legs * s->p->n_rows + judged);
}

/* one outer iteration: contacts, then v. Returns the largest change, below 0 when memory ran out */
static ct_real cti_ica_iterate(cti_ica *s, cti_solve_info *info)
{
    ct_real now = 0;
    int k, times = cti_ica_begin_iteration(s, info->iterations);
    for (k = 0; k < times; k++) {
        ct_real contact = cti_ica_contacts(s, info);                                          /* 3.1, 3.2 */
        now = cti_max(contact, cti_ica_refine(s)); /* 3.3 */
    }
    return cti_ica_correct(s, info->iterations, now);
}

CTI_FN void cti_ica_solve(const cti_problem *p, const ct_solver_desc *desc, cti_arena *arena, ct_real *v, cti_solve_info *info)
{
    cti_ica state, *s = &state;
    memset(s, 0, sizeof *s), memset(info, 0, sizeof *info);
    s->p = p, s->desc = desc, s->arena = arena;
    s->map.cold = !p->split.free_start;
    s->budget = cti_solve_policy_sweeps(desc->max_sweeps, p->n_rows);
    s->rival = p->split.rival;
    if (!cti_ica_setup(s, v)) {
        info->status = CTI_SOLVE_MEMORY;
        return;
    }
    cti_ica_charge_setup(s);
    cti_ica_rhs(s);
    info->change = cti_ica_refine(s) / p->velocity_scale; /* the start values' multipliers act on v */
    cti_ica_loop(s, info);
    cti_ica_publish(s);
    memcpy(v, s->v, sizeof(ct_real) * 3 * (size_t)p->A->n);
    if (info->status != CTI_SOLVE_SLOW && info->status != CTI_SOLVE_MEMORY && !info->judged && cti_ica_has_rival(s))
        info->status = CTI_SOLVE_OUTPACED;
}

/* ---- step 3.1: u, the velocities that the contacts have when D^-1 alone carries their impulses on ---- */

/* v after the Jacobi step of eq. 9 at the present multipliers, at nodes with contacts.
   differs: only where p->split.predict asks for it. Else v itself, as step 3.3 and the extrapolation left it */
static const ct_real *cti_ica_predict(cti_ica *s)
{
    int c, i;
    if (!s->scratch.predicted)
        return s->v;
    cti_ica_publish(s); /* f of the present multipliers, which acceleration has changed */
    cti_ica_rhs(s);
    for (c = 0; c < s->n_clusters; c++) {
        const cti_ica_cluster *q = &s->clusters[c];
        for (i = 0; i < q->n_ports; i++) {
            int b = q->blocks[q->ports[i]];
            cti_v3 v = cti_v3_at(s->v, b);
            if (cti_ica_is_node(q)) {
                cti_v3 r = cti_ica_block_residual(s->p->A, s->f, s->v, b);
                const float *D = q->C; /* symmetric, its rows four apart */
                v.x += (ct_real)D[0] * r.x + (ct_real)D[4] * r.y + (ct_real)D[8] * r.z;
                v.y += (ct_real)D[1] * r.x + (ct_real)D[5] * r.y + (ct_real)D[9] * r.z;
                v.z += (ct_real)D[2] * r.x + (ct_real)D[6] * r.y + (ct_real)D[10] * r.z;
            }
            cti_v3_put(s->scratch.predicted, b, v);
        }
    }
    return s->scratch.predicted;
}

typedef struct cti_ica_bases {
    cti_ica *s;
    const ct_real *v;
} cti_ica_bases;

/* u of contacts at v */
static void cti_ica_base_range(int begin, int end, int worker, void *context)
{
    const cti_ica_bases *q = (const cti_ica_bases *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++)
        if (!q->s->contacts[begin].own)
            cti_row_velocity(&q->s->p->rows[begin], q->v, q->s->contacts[begin].base);
}

/* steps 3.1 and 3.2, and f = b + J' r of their multipliers. Returns the change of the first sweep: how far the last step 3.3 moved contacts
   away from their laws */
static ct_real cti_ica_contacts(cti_ica *s, cti_solve_info *info)
{
    ct_real first;
    int most = cti_solve_policy_inner(s->p, s->desc, s->coupled, s->budget - info->sweeps);
    cti_ica_bases bases;
    bases.s = s, bases.v = cti_ica_predict(s);
    cti_tasks_run_work(s->p->tasks, cti_ica_base_range, s->p->n_rows, cti_solve_tuned.costs.velocity, &bases);
    info->sweeps += cti_ica_inner(s, info->sweeps, most, &first);
    cti_ica_publish(s);
    cti_ica_rhs(s);
    return first;
}

/* ---- step 3.2: the LCPs of eq. 10, 13, 14 by projected Gauss-Seidel ---- */

/* 1 where the other solver's whole solve would be in reach at the price that is known so far */
static int cti_ica_rival_is_near(const cti_ica *s)
{
    double budget = s->progress.longer ? s->budget / 2. : s->budget; /* the first one: a second one brings no rival into reach */
    return !s->coupled && s->rival > 0 && s->rival <= cti_solve_tuned.augmented.dear * s->runs.sweep_us * budget;
}

CTI_FN int cti_ica_has_rival(cti_ica *s)
{
    if (!s->priced && cti_ica_rival_is_near(s))
        s->rival = s->p->calls.price(s->p->calls.price_ctx), s->priced = 1;
    return cti_ica_rival_is_near(s);
}

CTI_FN int cti_ica_is_outpaced(cti_ica *s, int sweeps, ct_real first, ct_real best, ct_real stop)
{
    /* by the least price first: few solves are as slow as that */
    return cti_ica_rival_is_near(s) && cti_solve_policy_outpaced(sweeps, first, best, stop, s->runs.sweep_us, s->rival) &&
           cti_ica_has_rival(s) && cti_solve_policy_outpaced(sweeps, first, best, stop, s->runs.sweep_us, s->rival);
}

/* the inner loop. du = D^-1 J' times what the multipliers have changed since it began. spent: sweeps of the outer iterations before.
   differs: sweeps are Anderson accelerated, since their error in sliding and rolling modes falls by less than a percent a sweep */
static int cti_ica_inner(cti_ica *s, int spent, int most, ct_real *out_first)
{
    ct_real best = CTI_REAL_MAX;
    cti_sweep_facts q;
    memset(&q, 0, sizeof q);
    q.again = spent > 0, q.coupled = s->coupled, q.most = most;
    q.tol = s->progress.tight * s->desc->tolerance * s->p->velocity_scale;
    q.stop = cti_solve_policy_stop(q.tol), q.drop = cti_solve_policy_drop(s->p, s->coupled, s->map.jointed);
    q.worth = s->progress.worth * s->p->velocity_scale;
    memset(s->du, 0, sizeof(float) * s->tiles.n_du);
    cti_anderson_resume(&s->mix.inner);
    for (; q.k < most; q.k++) {
        memcpy(s->mix.r_old, s->r, sizeof(ct_real) * 3 * (size_t)s->p->n_rows);
        q.change = s->progress.left = cti_ica_sweep(s, q.k);
        if (q.k == 0)
            q.first = q.change;
        q.stalled = cti_solve_policy_halves(q.change, best) ? 0 : q.stalled + 1;
        if (cti_solve_policy_sweeps_end(&q))
            break;
        if (cti_ica_is_outpaced(s, q.k, q.first, cti_min(best, q.change), q.stop)) {
            s->progress.outpaced = 1;
            break;
        }
        if (!cti_frame_may(s->p->frame, s->runs.sweep_us))
            break;
        if (cti_solve_policy_sweep_restarts(q.change, best))
            cti_anderson_restart(&s->mix.inner);
        best = cti_min(best, q.change);
        if (!s->coupled && s->progress.midway == 0 && spent + q.k >= s->budget / 2)
            s->progress.midway = best;
        if (cti_solve_policy_mixes(q.k, s->p->split.plain))
            cti_anderson_step(&s->mix.inner, s->mix.r_old, s->r, s->du);
    }
    *out_first = q.first;
    return cti_min_int(q.k + 1, most);
}

/* u of a contact: its value at the outer iteration's v, plus what the multipliers have changed since */
static void cti_ica_gather(const cti_ica *s, const cti_ica_contact *q, ct_real *u)
{
    static const float zero[12] = {0};
    const cti_ica_term *t = s->tiles.terms + q->term0;
    cti_f8 sum = cti_f8_set(0);
    float uf[4];
    int k;
    for (k = 0; k + 1 < q->n_terms; k += 2)
        sum = cti_f8_add(sum, cti_blocks_mul2(t[k].G, t[k + 1].G, s->du + t[k].at, s->du + t[k + 1].at));
    if (k < q->n_terms)
        sum = cti_f8_add(sum, cti_blocks_mul2(t[k].G, zero, s->du + t[k].at, zero));
    cti_f8_store4(uf, cti_f8_fold(sum));
    for (k = 0; k < 3; k++)
        u[k] = q->base[k] + (ct_real)uf[k];
}

/* step 3.2.1 of contact i: u; lambda and gamma with all other contacts held; their effect on du. Returns the change as a velocity */
static ct_real cti_ica_visit(cti_ica *s, int i)
{
    cti_ica_contact *q = &s->contacts[i];
    cti_row *row = &s->p->rows[i];
    ct_real u[3], r[3], *ri = s->r + 3 * (size_t)i, change = 0, speed;
    float d[3];
    int k;
    cti_ica_gather(s, q, u);
    if (row->load) {
        cti_row_follow(row, s->r[3 * (i + row->load)]);
        q->local.most = row->most;
    }
    for (k = 0; k < 3; k++)
        r[k] = ri[k];
    speed = cti_max(cti_abs(u[0]), cti_max(cti_abs(u[1]), cti_abs(u[2])));
    cti_law_solve(&q->local, s->desc->cone, s->desc->inner_repeats, r, u);
    for (k = 0; k < 3; k++) {
        ct_real dk = r[k] - ri[k];
        d[k] = (float)dk;
        change = cti_max(change, cti_abs(dk) * q->local.B[4 * k]);
    }
    if (change == 0)
        return 0;
    /* Redundant contacts can exchange multipliers without moving anything, so the speed that is taken away bounds the change. */
    change = cti_min(change, speed);
    for (k = 0; k < 3; k++)
        ri[k] = r[k];
    for (k = 0; k < q->n_legs; k++) {
        const cti_ica_leg *L = &s->tiles.legs[q->leg0 + k];
        cti_ica_combine(L->ld, s->tiles.W + L->w, d, s->du + L->du);
    }
    return change;
}

/* the contacts of a run */
static void cti_ica_visit_run(cti_ica *s, int run)
{
    ct_real big = 0;
    int i;
    for (i = s->runs.at[run]; i < s->runs.at[run + 1]; i++)
        big = cti_max(big, cti_ica_visit(s, i));
    s->runs.change[run] = big;
}

/* eq. 11: sweep k over all contacts. Returns the largest change */
static ct_real cti_ica_sweep(cti_ica *s, int k)
{
    ct_real big = 0;
    int i;
    for (i = 0; s->coupled && i < s->p->n_rows; i++)
        if (!s->contacts[i].own && (k == 0 || !s->contacts[i].single))
            big = cti_max(big, cti_ica_visit(s, i));
    if (s->coupled)
        return big;
    cti_frame_add(s->p->frame, s->runs.sweep_us);
    cti_ica_each_run(s, cti_ica_visit_run, s->runs.sweep_us);
    for (i = 0; i < s->runs.n; i++)
        big = cti_max(big, s->runs.change[i]);
    return big;
}

/* ---- step 3.3: v ---- */

/* x <- D_c^-1 x of a cluster: by its factor, or by its dense inverse */
static void cti_ica_invert_cluster(const cti_ica_cluster *q, ct_real *x, int worker)
{
    ct_real *y = x + 3 * q->n;
    int i, j, n3 = 3 * q->n;
    if (!q->inverse) {
        q->hook->solve(q->hook->ctx, x, worker);
        return;
    }
    for (i = 0; i < n3; i++) {
        const float *D = q->inverse + (size_t)i * (size_t)q->ld_inverse;
        ct_real sum = 0;
        for (j = 0; j < n3; j++)
            sum += (ct_real)D[j] * x[j];
        y[i] = sum;
    }
    memcpy(x, y, sizeof(ct_real) * (size_t)n3);
}

CTI_FN ct_real cti_ica_refine_cluster(cti_ica *s, const cti_ica_cluster *q, int worker)
{
    ct_real big = 0, *x = s->scratch.x + 6 * (size_t)s->map.max_blocks * (size_t)worker;
    int i;
    for (i = 0; i < q->n; i++)
        cti_v3_put(x, i, cti_ica_block_residual(s->p->A, s->f, s->v, q->blocks[i]));
    cti_ica_invert_cluster(q, x, worker);
    for (i = 0; i < q->n; i++) {
        cti_v3 d = cti_v3_at(x, i);
        cti_v3_addto(s->v, q->blocks[i], d);
        big = cti_max(big, cti_v3_most(d) * cti_problem_lever(s->p, q->blocks[i]));
    }
    return big;
}

/* eq. 12: one block Gauss-Seidel sweep, v_c += D_c^-1 (f - A v)_c over the clusters, nodes last */
static ct_real cti_ica_refine(cti_ica *s)
{
    ct_real big;
    int c;
    cti_frame_add(s->p->frame, s->price);
    big = s->map.grouped && !s->coupled ? cti_ica_refine_apart(s) : 0;
    for (c = 0; s->map.grouped && s->coupled && c < s->n_clusters; c++) {
        const cti_ica_cluster *q = &s->clusters[c];
        big = cti_ica_is_left(s, q) ? big : cti_max(big, cti_ica_refine_cluster(s, q, 0));
    }
    return s->nodes.n ? cti_max(big, cti_nodes_sweep(&s->nodes, s->f, s->v, s->map.n_own ? cti_ica_after_node : NULL, s)) : big;
}
