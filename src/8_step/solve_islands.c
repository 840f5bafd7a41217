/* solve_islands.c -- the constrained solve of an attempt, island by island.
   Method: an island consists of rows that share components, directly or through others. Each is copied out of the world, solved from the result of
   the last round, and judged by its own residual. After the sweeps the momentum of each free component is balanced. A factor that lags too far is
   computed again during the solve. An island whose solve by nodes fails is solved again with each body as one cluster. Islands without new rows keep
   their solution, bit by bit. Based on: Otaduy 2009, sec. 4, step 4.1; differs: the paper solves all contacts as one problem. */
#include "solve_islands.h"
#include "balance.h"
#include "clusters.h"
#include "policy.h"
#include "coarse.h"
#include "assemble.h"
#include "linkage.h"
#include "rivals.h"
#include "spins.h"
#include "../0_base/sort.h"
#include "../4_programs/bridge.h"
#include "../3_solve/ica.h"
#include "../3_solve/ica_paper.h"
#include "../3_solve/solve_policy.h"

/* islands of one solve */
typedef struct cti_islands {
    int n;
    int32_t *start;          /* [n + 1] in rows */
    int32_t *order;          /* [n] in which they are solved: under a bound of the step small ones first, which leave some of their share */
    uint8_t *todo;           /* [n] 0: solved before, 1: to be solved, 2: to be solved, and some of its components were solved in this
                                attempt */
    ct_real *scale;          /* [n] velocity that residuals are relative to */
    ct_real *failed;         /* [n] natural map from which on a solve by nodes has failed */
    ct_real *natural;        /* [n] natural map of its rows */
    uint8_t *bridged;        /* [n] 1: solved by the solver that the user chose, which has no node splitting */
    uint8_t *cut;     /* [n] 1: its share of a bounded frame was used up before it was solved */
    cti_solve_status *ended; /* [n] status of its last solve */
} cti_islands;

CTI_FN void cti_islands_problem(const cti_state *s, cti_problem *p)
{
    memset(p, 0, sizeof *p);
    p->A = &s->system.A, p->b = s->system.b, p->dt = s->contact.solved_dt;
    p->velocity_scale = s->contact.solved_scale;
    p->approach_limit = s->desc.thickness / (2 * s->contact.solved_dt);
    p->rows = s->contact.rows, p->n_rows = CTI_LEN(s->contact.rows);
    p->filter = s->scripts.n_constrained ? s->scripts.filter : NULL;
    p->projectors = s->scripts.projectors;
    p->sizes = s->system.sizes;
    p->tasks = &s->desc.tasks;
}

/* sorts rows and origins by island, in their order within each; start [n_islands + 1] */
static int cti_islands_sort(cti_state *s, int32_t **out_start, int *out_n)
{
    int n = CTI_LEN(s->contact.rows), i;
    int32_t *island = CTI_ARENA_NEW(s->arena, int32_t, n), *start;
    cti_row *rows = CTI_ARENA_NEW(s->arena, cti_row, n);
    cti_contact_row *origins = CTI_ARENA_NEW(s->arena, cti_contact_row, n);
    if (!island || !rows || !origins || !cti_factors_islands(&s->factors, s->arena, s->contact.rows, n, island, out_n))
        return 0;
    start = CTI_ARENA_ZERO(s->arena, int32_t, *out_n + 2);
    if (!start)
        return 0;
    *out_start = start;
    if (*out_n == 1) {
        start[1] = n;
        return 1;
    }
    for (i = 0; i < n; i++)
        start[island[i] + 2]++;
    for (i = 0; i < *out_n; i++)
        start[i + 2] += start[i + 1];
    for (i = 0; i < n; i++) {
        int at = start[island[i] + 1]++;
        rows[at] = s->contact.rows[i], origins[at] = s->contact.origins[i];
    }
    memcpy(s->contact.rows, rows, sizeof(cti_row) * (size_t)n);
    memcpy(s->contact.origins, origins, sizeof(cti_contact_row) * (size_t)n);
    return 1;
}

typedef struct cti_islands_balances {
    cti_state *s;
    const cti_island *q;
    ct_real dt;
} cti_islands_balances;

/* balances the momenta of the components, where a solve with residual r left an error */
static int cti_islands_balance(void *ctx, ct_real *r, ct_real *v)
{
    const cti_islands_balances *b = (const cti_islands_balances *)ctx;
    return cti_balance(b->s, b->dt, b->q, r, v);
}

/* the same for an island after its solve. 0: out of memory */
static int cti_islands_balance_one(cti_state *s, ct_real dt, const cti_island *q)
{
    cti_problem_rhs(&q->p, s->system.work);
    cti_problem_residual(&q->p, s->system.work, q->v, s->system.work);
    return cti_balance(s, dt, q, s->system.work, q->v);
}

typedef struct cti_islands_judges {
    cti_state *s;
    const cti_island *q;
    cti_residuals res;
} cti_islands_judges;

/* records the results in the components */
static void cti_islands_note(int begin, int end, int worker, void *context)
{
    const cti_islands_judges *j = (const cti_islands_judges *)context;
    const cti_island *q = j->q;
    ct_real *w = j->s->system.work;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        cti_component *k = &j->s->factors.components[q->components[begin]];
        int i, last = k->place + k->end - k->begin;
        k->solve.dynamics = j->res.dynamics * q->p.velocity_scale;
        k->solve.natural = j->res.natural;
        for (i = k->place; i < last; i++)
            cti_v3_put(w, i, cti_v3_sub(cti_v3_at(q->v, i), cti_v3_at(j->s->system.v_free, q->blocks[i])));
        for (k->solve.contact_energy = 0, i = k->place; i < last; i++)
            k->solve.contact_energy += (double)cti_v3_dot(cti_v3_at(w, i), cti_bsr_row(&q->A, w, i));
    }
}

/* judges an island's solution and records the result in its components. 0: out of memory */
static int cti_islands_judge(cti_state *s, ct_real dt, const cti_island *q, const cti_solve_info *info)
{
    cti_islands_judges j;
    j.s = s, j.q = q, j.res = info->res;
    if (!info->judged) {
        if (!cti_islands_balance_one(s, dt, q))
            return 0;
        cti_residual_eval(&q->p, s->desc.solver.cone, q->v, s->system.work, &j.res);
    }
    cti_tasks_run_work(&s->desc.tasks, cti_islands_note, q->n_components, cti_step_tuned.costs.note * q->n / q->n_components, &j);
    return 1;
}

/* computes new factors for components of the island that need them. 0: out of memory */
static int cti_islands_renew(cti_state *s, ct_real dt, const cti_island *q)
{
    int c;
    cti_factors_mark(&s->factors, q);
    for (c = 0; c < q->n_components; c++)
        if (!cti_factors_renew(&s->factors, &s->factors.components[q->components[c]], &s->system.A, dt))
            return 0;
    return 1;
}

/* price of that */
static double cti_islands_renewal(const cti_state *s, const cti_island *q)
{
    double price = 0;
    int c;
    for (c = 0; c < q->n_components; c++) {
        const cti_component *k = &s->factors.components[q->components[c]];
        price += k->cache.stamp.age > 0 ? cti_factors_price(k, 1, 0) : 0;
    }
    return price;
}

/* computes new factors for components that end a free flight. 0: out of memory */
static int cti_islands_land(cti_state *s, ct_real dt, const cti_island *q)
{
    int c;
    for (c = 0; c < q->n_components; c++) {
        cti_component *k = &s->factors.components[q->components[c]];
        if (!cti_policy_factor_lands(&k->cache.stamp, &k->solve, cti_factors_is_cheap(k)))
            continue;
        cti_factors_ask(k);
        if (!cti_factors_renew(&s->factors, k, &s->system.A, dt))
            return 0;
    }
    return 1;
}

/* The start of a first solve. Components that were in contact and split into nodes in the last two attempts start from the last step's
   velocity plus its change in that step, which is nearer to the solution than the free motion */
static void cti_islands_begin(const cti_state *s, ct_real dt, const cti_island *q)
{
    int c, i;
    for (c = 0; c < q->n_components && s->desc.integrator == CT_INTEGRATOR_EULER; c++) {
        const cti_component *k = &s->factors.components[q->components[c]];
        for (i = k->place; k->solve.inexact_attempts > 1 && i < k->place + k->end - k->begin; i++) {
            int b = q->blocks[i];
            ct_real share = s->history.dt_prev[b] > 0 ? dt / s->history.dt_prev[b] : 0;
            cti_v3_put(q->v, i, cti_v3_mad(cti_v3_at(s->v, b), cti_v3_at(s->history.dv, b), share));
        }
    }
}

/* makes the clusters of an open island. A component that is one cluster after an extrapolated free motion gets a new factor first. 0: out
   of memory */
static int cti_islands_cluster(cti_state *s, ct_real dt, cti_island *q)
{
    int c, late = 0;
    if (!cti_clusters_make(&s->factors, s->arena, s->desc.solver.cluster, q))
        return 0;
    for (c = 0; c < q->n_components; c++) {
        const cti_component *k = &s->factors.components[q->components[c]];
        if (k->solve.node_ports == 0) /* whether its columns are known or not: a restored world may have to compute them again */
            cti_frame_must(&s->frame, cti_factors_price(k, 0, cti_step_tuned.frame.column * cti_min_int(q->p.n_rows, k->end - k->begin)));
    }
    for (c = 0; c < q->n_components; c++) {
        cti_component *k = &s->factors.components[q->components[c]];
        if (!cti_policy_factor_is_late(&k->cache.stamp, &k->solve))
            continue;
        late = 1;
        cti_factors_ask(k);
        if (!cti_factors_renew(&s->factors, k, &s->system.A, dt))
            return 0;
    }
    q->p.split.lagged = cti_factors_lag(&s->factors, q);
    return !late || cti_clusters_make(&s->factors, s->arena, s->desc.solver.cluster, q);
}

/* 1 if the last solve of some component of the island ended far from a solution, or with NaN */
static int cti_islands_is_far(const cti_state *s, const cti_island *q)
{
    int c, is_far = 0;
    for (c = 0; c < q->n_components; c++)
        is_far |= cti_policy_is_far(s->factors.components[q->components[c]].solve.natural);
    return is_far;
}

static int cti_islands_has_equations(const cti_island *q)
{
    int i, any = 0;
    for (i = 0; i < q->p.n_rows; i++)
        any |= q->p.rows[i].equations != 0;
    return any;
}

/* number of sweeps that a solve of this step may take. later: a component of it was solved before in this attempt */
static int cti_islands_sweeps(const cti_state *s, const cti_island *q, int later)
{
    cti_policy_budget b;
    b.max_sweeps = s->desc.solver.max_sweeps;
    b.is_later = later;
    b.has_equations = cti_islands_has_equations(q);
    b.is_far = cti_islands_is_far(s, q);
    b.wasted_sweeps = s->step.wasted_sweeps;
    return cti_policy_sweeps(&b);
}

/* solves an open island by ICA; a factor that lags too far is computed again during the solve. A rival takes over from sweeps that would take
   longer than it. 0: out of memory */
static int cti_islands_relax(cti_state *s, ct_real dt, int later, int first, cti_island *q, cti_islands_result *out, cti_solve_status *ended)
{
    ct_solver_desc desc = s->desc.solver;
    cti_coarse corrector;
    cti_rival rival;
    cti_islands_balances balances;
    cti_solve_info info;
    double visits = 0;
    int turn;
    desc.max_sweeps = cti_islands_sweeps(s, q, later);
    if (!later && !cti_islands_land(s, dt, q))
        return 0;
    for (turn = 0;; turn++) {
        q->p.split.free_start = 1;
        if (!cti_islands_cluster(s, dt, q))
            return 0;
        if (!later && turn == 0)
            cti_islands_begin(s, dt, q);
        if (!cti_coarse_open(&s->factors, s->arena, &s->system.A, q, &corrector))
            return 0;
        q->p.split.correction = corrector.correction.apply ? &corrector.correction : NULL;
        if (!q->p.local && !cti_residual_prepare(&q->p, s->arena))
            return 0;
        cti_rival_find(s, first, q, &rival);
        balances.s = s, balances.q = q, balances.dt = dt;
        q->p.calls.balance = cti_islands_balance, q->p.calls.balance_ctx = &balances;
        cti_rival_sweep(s, later, q, &desc, &info);
        out->iterations += info.iterations;
        out->sweeps += info.sweeps;
        visits += (double)info.sweeps * (double)q->p.n_rows;
        if (info.status == CTI_SOLVE_MEMORY || rival.failed)
            return 0;
        if (!cti_rival_finish(s, q, &desc, &rival, out, &info, &visits))
            return 0;
        q->p.split.correction = NULL, q->p.calls.balance = NULL, q->p.split.rival = 0;
        if (info.status == CTI_SOLVE_SLOW && !cti_frame_may(&s->frame, cti_islands_renewal(s, q)))
            info.status = CTI_SOLVE_BUDGET;
        if (info.status != CTI_SOLVE_SLOW)
            break;
        if (!cti_islands_renew(s, dt, q))
            return 0;
    }
    if (!cti_islands_judge(s, dt, q, &info))
        return 0;
    if (cti_islands_is_far(s, q))
        s->step.wasted_sweeps += visits / ((double)s->desc.solver.max_sweeps * (double)cti_solve_policy_visits(CTI_LEN(s->contact.rows)));
    *ended = info.status;
    return 1;
}

/* Solves an open island by another solver than ICA. *done 0: its residual is above `most`, and the island is unchanged. 0: out of memory,
   also if the solver itself did not report that */
static int cti_islands_bridge(cti_state *s, ct_real dt, cti_island *q, ct_solver solver, ct_real most, cti_islands_result *out,
                              cti_solve_status *ended, int *done)
{
    cti_solve_info info;
    *done = 0;
    if (!cti_factors_exact(&s->factors, s->arena, &s->system.A, q))
        return 0;
    cti_bridge_solve(&q->p, &s->desc.solver, solver, most, s->mem, s->arena, q->v, &info);
    out->iterations += info.iterations;
    s->step.spent += info.spent;
    if (info.status == CTI_SOLVE_MEMORY || s->mem->failed)
        return 0;
    *done = info.status != CTI_SOLVE_FAILED;
    if (*done) {
        if (!cti_islands_judge(s, dt, q, &info))
            return 0;
        *ended = info.status;
    }
    return 1;
}

/* copies the start of an island's solve. 0: out of memory */
static int cti_islands_keep(cti_state *s, const cti_island *q, ct_real **v, ct_real **r)
{
    int i;
    *v = CTI_ARENA_NEW(s->arena, ct_real, 3 * q->n), *r = CTI_ARENA_NEW(s->arena, ct_real, 3 * q->p.n_rows);
    if (!*v || !*r)
        return 0;
    memcpy(*v, q->v, sizeof **v * 3 * (size_t)q->n);
    for (i = 0; i < q->p.n_rows; i++)
        memcpy(*r + 3 * (size_t)i, q->p.rows[i].r, sizeof q->p.rows[i].r);
    return 1;
}

static void cti_islands_put_back(const cti_island *q, const ct_real *v, const ct_real *r)
{
    int i;
    memcpy(q->v, v, sizeof *v * 3 * (size_t)q->n);
    for (i = 0; i < q->p.n_rows; i++)
        memcpy(q->p.rows[i].r, r + 3 * (size_t)i, sizeof q->p.rows[i].r);
}

/* 1 if the chosen solver has no friction of its own, and staggering is not wanted */
static int cti_islands_is_plain(const cti_state *s)
{
    ct_solver solver = s->desc.solver.solver;
    return (solver == CT_SOLVER_MPRGP || solver == CT_SOLVER_ACTIVE_SET) && s->desc.solver.friction != CT_FRICTION_STAGGERED;
}

/* solves an open island's normals by such a solver. LOCAL then adds friction contact by contact, which creeps, and is discarded if it
   diverges; ANTICIPATED uses the result as the start of ICA. Returns as cti_islands_bridge */
static int cti_islands_normals(cti_state *s, ct_real dt, cti_island *q, cti_islands_result *out, cti_solve_status *ended, int *done)
{
    const ct_solver_desc *desc = &s->desc.solver;
    int local = desc->friction == CT_FRICTION_LOCAL, pass;
    ct_real *v, *r;
    cti_solve_info info;
    *done = 0;
    if (!cti_islands_keep(s, q, &v, &r) || !cti_factors_exact(&s->factors, s->arena, &s->system.A, q))
        return 0;
    for (pass = 0; pass < 1 + local; pass++) {
        if (pass)
            cti_bridge_rub(&q->p, q->v);
        cti_bridge_normals(&q->p, desc, desc->solver, cti_policy_far_natural(), s->mem, s->arena, q->v, &info);
        out->iterations += info.iterations;
        if (info.status == CTI_SOLVE_MEMORY || s->mem->failed)
            return 0;
        *done = info.status != CTI_SOLVE_FAILED;
        if (!*done) {
            cti_islands_put_back(q, v, r);
            return 1;
        }
    }
    if (local) {
        ct_real natural;
        if (!cti_islands_judge(s, dt, q, &info))
            return 0;
        natural = s->factors.components[q->components[0]].solve.natural;
        *ended = natural <= desc->tolerance ? info.status : CTI_SOLVE_BUDGET;
        *done = !cti_policy_friction_diverged(natural);
        if (!*done)
            cti_islands_put_back(q, v, r);
    }
    return 1;
}

/* 1 if the chosen solver has failed on a component of the island since the matrix was made; with `now` marks its components as failed */
static int cti_islands_chosen_failed(cti_state *s, const cti_island *q, int now)
{
    int c, failed = now;
    for (c = 0; c < q->n_components; c++) {
        cti_solve_memory *m = &s->factors.components[q->components[c]].solve;
        m->solver_failed |= now;
        failed |= m->solver_failed;
    }
    return failed;
}

#if CONTACT_WITH_PRINTED
/* solves an open island as printed; above the tolerance its status is `budget`. 0: out of memory */
static int cti_islands_paper(cti_state *s, ct_real dt, int later, const cti_island *q, cti_islands_result *out, cti_solve_status *ended)
{
    cti_solve_info info;
    ct_real *star = CTI_ARENA_NEW(s->arena, ct_real, 3 * q->n);
    int i;
    if (!star)
        return 0;
    for (i = 0; i < q->n; i++) {
        int b = q->blocks[i];
        cti_v3_put(star, i, cti_v3_at(s->system.v_free, b));
        if (!later)
            cti_v3_put(q->v, i, cti_v3_add(cti_v3_at(s->system.v_free, b), cti_v3_at(s->contact.response, b)));
    }
    cti_ica_paper_solve(&q->p, &s->desc.solver, s->arena, star, q->v, &info);
    if (info.status == CTI_SOLVE_MEMORY)
        return 0;
    out->iterations += info.iterations, out->sweeps += info.sweeps, out->quick += info.quick;
    *ended = info.status != CTI_SOLVE_DIVERGED && !(info.res.natural_map <= s->desc.solver.tolerance) ? CTI_SOLVE_BUDGET : info.status;
    return cti_islands_judge(s, dt, q, &info);
}
#endif

#if CTI_BRIDGE_SOLVERS
/* solves an open island by the chosen solver, unless that has failed on it in this attempt or has used up its bound of this step;
   list->bridged tells whether it did. 0: out of memory */
static int cti_islands_chosen(cti_state *s, ct_real dt, const cti_islands *list, int i, cti_island *q, cti_islands_result *out)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    int ok = 1, done = 0;
    if (cti_islands_chosen_failed(s, q, 0) || !cti_policy_chosen_goes_on(s->step.spent))
        done = 0;
    else if (cti_islands_is_plain(s))
        ok = cti_islands_normals(s, dt, q, out, &list->ended[i], &done);
    else
        ok = cti_islands_bridge(s, dt, q, s->desc.solver.solver, cti_policy_far_natural(), out, &list->ended[i], &done);
    cti_arena_rewind(s->arena, mark);
    q->p.bodies = NULL, q->p.n_bodies = 0;
    if (!ok)
        return 0;
    list->bridged[i] = (uint8_t)(done && !(cti_islands_is_plain(s) && s->desc.solver.friction == CT_FRICTION_ANTICIPATED));
    cti_islands_chosen_failed(s, q, !done);
    out->fallbacks += !done;
    return 1;
}
#endif

#if CTI_BRIDGE_SOLVERS
/* 1 if equations have bounds: the programs of other solvers have none of these */
static int cti_islands_has_bounds(const cti_island *q)
{
    int i, any = 0;
    for (i = 0; i < q->p.n_rows; i++)
        any |= q->p.rows[i].most > 0;
    return any;
}
#endif

/* solves an open island: by the chosen solver, or by ICA. ICA is used if it is the chosen one, or if the chosen one fails, has failed in
   this attempt, or has used up its bound of this step */
static int cti_islands_open_solve(cti_state *s, ct_real dt, const cti_islands *list, int i, cti_island *q, cti_islands_result *out)
{
#if CONTACT_WITH_PRINTED
    if (cti_state_is_paper(s))
        return cti_islands_paper(s, dt, list->todo[i] == 2, q, out, &list->ended[i]);
#endif
#if CTI_BRIDGE_SOLVERS
    if (cti_bridge_solver(s->desc.solver.solver) && !cti_islands_has_bounds(q)) {
        if (!cti_islands_chosen(s, dt, list, i, q, out))
            return 0;
        if (list->bridged[i])
            return 1;
    }
#endif
    return cti_islands_relax(s, dt, list->todo[i] == 2, list->start[i], q, out, &list->ended[i]);
}

/* Judges an island whose solution is the motion of its linkages: by the last change of Newton's method on them, which is in double. In float the
   equations of rows do not resolve the impulses of joints that repeat each other. Other bodies keep their free motion, which is judged later */
static void cti_islands_judge_alone(cti_state *s, int first, int end, ct_real scale)
{
    ct_real residual = cti_linkage_residual(s, first, end);
    int i, k;
    for (i = first; i < end; i++)
        for (k = 0; k < s->contact.rows[i].n; k++) {
            int block = s->contact.rows[i].term[k].block;
            cti_component *q = &s->factors.components[s->factors.component_of[block]];
            q->solve.natural = residual / scale, q->solve.contact_energy = 0;
            q->solve.dynamics = cti_linkage_of_block(s, block) ? residual : -1;
        }
}

/* solves one island: copies its rows and the components that they touch, solves, copies back */
static int cti_islands_solve_one(cti_state *s, ct_real dt, const cti_islands *list, int i, cti_islands_result *out)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    cti_island q;
    cti_problem world;
    int ok;
    if (cti_linkage_is_alone(s, dt, list->start[i], list->start[i + 1])) {
        cti_islands_judge_alone(s, list->start[i], list->start[i + 1], list->scale[i]);
        return 1;
    }
    cti_islands_problem(s, &world);
    world.velocity_scale = list->scale[i];
    world.frame = &s->frame;
    cti_frame_must(&s->frame, cti_step_tuned.costs.row * (list->start[i + 1] - list->start[i]));
    if (!cti_island_open(&s->factors, s->arena, &world, list->start[i], list->start[i + 1], s->end.v, &q))
        return 0;
    ok = cti_islands_open_solve(s, dt, list, i, &q, out);
    cti_island_close(&s->factors, &q, world.rows + list->start[i], s->end.v);
    cti_arena_rewind(s->arena, mark);
    return ok;
}

/* decides `todo` of an island: whether it has rows that were not solved yet; if so marks its components. An island without such rows keeps
   its solution, bit by bit */
static int cti_islands_touch(cti_state *s, int first, int end)
{
    int i, k, unsolved = 0, later = 0;
    for (i = first; i < end; i++)
        unsolved |= s->contact.origins[i].is_unsolved;
    for (i = first; unsolved && i < end; i++)
        for (k = 0; k < s->contact.rows[i].n; k++)
            later |= s->factors.components[s->factors.component_of[s->contact.rows[i].term[k].block]].solve.in_contact;
    for (i = first; unsolved && i < end; i++) {
        s->contact.origins[i].is_unsolved = s->contact.origins[i].is_changed = 0;
        for (k = 0; k < s->contact.rows[i].n; k++)
            s->factors.components[s->factors.component_of[s->contact.rows[i].term[k].block]].solve.in_contact = 1;
    }
    return unsolved ? 1 + later : 0;
}

/* largest speed of the free motion in an island */
static ct_real cti_islands_speed(const cti_state *s, int first, int end)
{
    ct_real speed = 0;
    int i, k;
    for (i = first; i < end; i++)
        for (k = 0; k < s->contact.rows[i].n; k++)
            speed = cti_max(speed, s->factors.components[s->factors.component_of[s->contact.rows[i].term[k].block]].solve.free_speed);
    return speed;
}

/* error of the free motion of a component that no contact touches [m/s], beyond what rounding of its velocities leaves; that of a rotation counts by
   the radius of gyration */
static ct_real cti_islands_free_dynamics(cti_state *s, const cti_component *q)
{
    const int32_t *blocks = s->factors.blocks + q->begin;
    ct_real big = 0, speed = 0;
    int i;
    cti_factors_residual(q, blocks, &s->system.A, s->system.b, s->end.v, s->system.work);
    for (i = 0; i < q->end - q->begin; i++) {
        ct_real inv[9], lever = cti_rigid_lever(s->bodies.rigids, s->bodies.rigid_of, blocks[i]);
        if (!cti_m3_inverse(s->system.A.val + 9 * (size_t)s->system.A.diag[blocks[i]], inv))
            continue;
        big = cti_max(big, lever * cti_v3_most(cti_m3_mul_v(inv, cti_v3_at(s->system.work, blocks[i]))));
        speed = cti_max(speed, lever * cti_v3_most(cti_v3_at(s->end.v, blocks[i])));
    }
    return cti_max(0, big - cti_step_tuned.attempt.link_round * CTI_EPS * speed);
}

static void cti_islands_free_range(int begin, int end, int worker, void *context)
{
    cti_state *s = (cti_state *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        cti_component *q = &s->factors.components[begin];
        if (q->solve.dynamics < 0 && !q->substep.part)
            q->solve.dynamics = cti_islands_free_dynamics(s, q);
    }
}

CTI_FN ct_real cti_islands_dynamics(cti_state *s, ct_real scale)
{
    ct_real big = 0;
    int c, n = CTI_LEN(s->factors.components);
    cti_tasks_run_work(&s->desc.tasks, cti_islands_free_range, n, cti_step_tuned.costs.note * s->n / cti_max_int(1, n), s);
    for (c = 0; c < n; c++)
        big = cti_max(big, s->factors.components[c].substep.part ? 0 : s->factors.components[c].solve.dynamics / scale);
    return big;
}

/* solves the islands with todo != 0, each with its share of a bounded frame; again 1: those go on that their share has cut off, with what the others
   have left of theirs */
static int cti_islands_pass(cti_state *s, ct_real dt, cti_islands *list, int again, cti_islands_result *out)
{
    int i, k, left = 0;
    for (i = 0; i < list->n; i++)
        left += list->todo[i] && (!again || list->cut[i]) ? list->start[i + 1] - list->start[i] : 0;
    for (k = 0; k < list->n; k++) {
        int rows;
        uint8_t todo;
        i = list->order[k], rows = list->start[i + 1] - list->start[i], todo = list->todo[i];
        if (!todo || (again && !list->cut[i]))
            continue;
        cti_frame_share(&s->frame, (double)rows / left, cti_step_tuned.frame.solve);
        left -= rows;
        if (again && !cti_frame_may(&s->frame, cti_step_tuned.costs.row * rows))
            continue;
        list->todo[i] = again ? 2 : todo;
        if (!cti_islands_solve_one(s, dt, list, i, out))
            return 0;
        list->todo[i] = todo, list->cut[i] = (uint8_t)s->frame.cut;
    }
    cti_frame_share(&s->frame, 0, 0);
    return 1;
}

/* solves the islands with todo != 0, each independently of the others, and then judges the whole result */
static int cti_islands_solve_all(cti_state *s, ct_real dt, cti_islands *list, cti_islands_result *out)
{
    const cti_component *q = s->factors.components;
    int i;
    if (!cti_islands_pass(s, dt, list, 0, out) || !cti_islands_pass(s, dt, list, 1, out))
        return 0;
    out->residual = cti_islands_dynamics(s, s->contact.solved_scale);
    for (i = 0; i < list->n; i++) {
        list->natural[i] = q[s->factors.component_of[s->contact.rows[list->start[i]].term[0].block]].solve.natural;
        out->residual = cti_max(out->residual, list->natural[i]);
    }
    return 1;
}

/* Islands whose solve by nodes failed: their components become one cluster each, and the solve starts again. todo: in, those that were
   solved; out, those to be solved again. r [3 rows]: multipliers at the start of the first solve. Returns their number */
static int cti_islands_take_whole(cti_state *s, cti_islands *list, const ct_real *r)
{
    int i, k, e, c, count = 0;
    for (i = 0; i < list->n; i++) {
        int first = list->start[i], end = list->start[i + 1];
        if (!list->todo[i])
            continue;
        if (list->bridged[i] || list->natural[i] < list->failed[i] || !cti_clusters_take_whole(&s->factors, s->contact.rows + first, end - first)) {
            list->todo[i] = 0;
            continue;
        }
        count++;
        for (k = first; k < end; k++) {
            memcpy(s->contact.rows[k].r, r + 3 * (size_t)k, 3 * sizeof(ct_real));
            for (e = 0; e < s->contact.rows[k].n; e++) {
                const cti_component *q = &s->factors.components[s->factors.component_of[s->contact.rows[k].term[e].block]];
                for (c = q->begin; c < q->end; c++)
                    cti_v3_put(s->end.v, s->factors.blocks[c], cti_v3_at(s->system.v_free, s->factors.blocks[c]));
            }
        }
    }
    return count;
}

/* their order. 0: out of memory */
static int cti_islands_order(cti_state *s, cti_islands *list)
{
    uint32_t *keys = CTI_ARENA_NEW(s->arena, uint32_t, 2 * list->n);
    int32_t *scratch = CTI_ARENA_NEW(s->arena, int32_t, list->n);
    int i;
    list->order = CTI_ARENA_NEW(s->arena, int32_t, list->n);
    if (!keys || !scratch || !list->order)
        return 0;
    for (i = 0; i < list->n; i++)
        keys[i] = cti_frame_is_bound(&s->frame) ? (uint32_t)(list->start[i + 1] - list->start[i]) : 0, list->order[i] = i;
    cti_sort_u32(keys, list->order, keys + list->n, scratch, list->n);
    return 1;
}

/* groups rows into islands and decides which to solve. 0: out of memory */
static int cti_islands_make(cti_state *s, ct_real dt, cti_islands *list)
{
    int i;
    if (!cti_islands_sort(s, &list->start, &list->n) || !cti_spins_link(s) || !cti_islands_order(s, list))
        return 0;
    list->todo = CTI_ARENA_NEW(s->arena, uint8_t, list->n);
    list->scale = CTI_ARENA_NEW(s->arena, ct_real, list->n), list->natural = CTI_ARENA_NEW(s->arena, ct_real, list->n);
    list->failed = CTI_ARENA_NEW(s->arena, ct_real, list->n);
    list->bridged = CTI_ARENA_ZERO(s->arena, uint8_t, list->n), list->cut = CTI_ARENA_ZERO(s->arena, uint8_t, list->n);
    list->ended = CTI_ARENA_ZERO(s->arena, cti_solve_status, list->n);
    if (!list->todo || !list->scale || !list->natural || !list->failed || !list->ended || !list->bridged || !list->cut)
        return 0;
    for (i = 0; i < list->n; i++) {
        ct_real speed = cti_islands_speed(s, list->start[i], list->start[i + 1]);
        list->todo[i] = (uint8_t)cti_islands_touch(s, list->start[i], list->start[i + 1]);
        list->scale[i] = cti_assemble_scale(s, dt, speed); /* the scale of this island, not of the world */
        list->failed[i] = cti_policy_failed_natural(speed, list->scale[i]);
    }
    return 1;
}

CTI_FN int cti_islands_solve(cti_state *s, ct_real dt, ct_real scale, cti_islands_result *out)
{
    cti_islands list;
    double used;
    int i;
    ct_real *r = CTI_ARENA_NEW(s->arena, ct_real, 3 * CTI_LEN(s->contact.rows));
    memset(out, 0, sizeof *out);
    s->contact.solved_dt = dt, s->contact.solved_scale = scale, s->contact.is_solved = 1;
    if (!r || !cti_islands_make(s, dt, &list))
        return 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        memcpy(r + 3 * (size_t)i, s->contact.rows[i].r, 3 * sizeof(ct_real));
    used = s->frame.used;
    if (!cti_islands_solve_all(s, dt, &list, out))
        return 0;
    used = s->frame.used - used;
    if (cti_policy_any_failed(out->residual) && s->desc.solver.cluster == CT_CLUSTER_AUTO && cti_frame_may(&s->frame, used) &&
        cti_islands_take_whole(s, &list, r) && !cti_islands_solve_all(s, dt, &list, out))
        return 0;
    for (i = 0; i < list.n; i++) {
        out->budget |= list.ended[i] == CTI_SOLVE_BUDGET;
        out->diverged |= list.ended[i] == CTI_SOLVE_DIVERGED;
    }
    return 1;
}
