/* ica.c -- iterative constraint anticipation (ICA).
   Purpose: A v = b + J' lambda + H' gamma with non-penetration and Coulomb friction, without the Schur complement J A^-1 J'.
   Method: A is split as D - L - U, with D block diagonal over clusters (nodes as in the paper, patches, whole bodies). The outer iteration
   refines v by one block Gauss-Seidel sweep (eq. 12). Between two such sweeps, projected Gauss-Seidel over the contacts solves the LCP that
   anticipates through D^-1 alone (eq. 10-11), with normal and friction interlaced at each contact (eq. 13-14, 5.5). Tiles, the entries of
   D^-1 at blocks that contacts touch, are float. Multipliers and residuals are ct_real (those of nodes at a base point, nodes.c), so that
   the outer iteration refines the result to full precision. An iteration with a small change is judged (residual.c), after the momentum of
   each body is balanced. Only the judge declares a solve converged: above the tolerance, the contacts are then swept to a smaller change.
   differs: the velocity change of a multiplier is added to v at once, so that a sweep over clusters starts from it instead of from v(i-1).
   Within one cluster the two agree exactly, and with cluster = body one outer iteration is full anticipation.
   differs: contacts between nodes are first solved inside the sweep over the nodes. Each is visited directly after the last of its nodes,
   so that a sticking node is not displaced by its neighbours in between. That takes a third fewer iterations than contacts and nodes in
   turn, to which a solve that does not converge returns.
   differs: error that is smooth over a body is corrected between sweeps (cti_problem.correction). Multipliers that drift at a constant rate
   are extrapolated along their drift (cti_ica_stride).
   Based on: Otaduy, Tamstorf, Steinemann, Gross 2009. */
#include "ica_kernel.h"
#include "ica_state.h"
#include "../1_math/elem.h"

#define CTI_ICA_MORE 20  /* [1] the largest factor on max_sweeps; a problem with few contacts gets CTI_ICA_FEW / contacts times as many sweeps */
#define CTI_ICA_DEFER 12 /* [outer iterations] between two full solves of a cluster that is coupled to others by contacts only */
/* [sweeps] over the contacts between two sweeps over coupled clusters: accelerated, and with p->plain */
enum { CTI_ICA_COUPLED = 2, CTI_ICA_PLAIN = 10 };
/* Contacts are solved inside the sweep over nodes for the first FUSED outer iterations at most, and only while the smallest change halves
   within HALVES iterations. Friction that cycles there converges when contacts and nodes are swept in turn. */
enum { CTI_ICA_FUSED = 30, CTI_ICA_HALVES = 8 };
/* Corrections of whole bodies (cti_problem.correction).
   SWEEPS    [iterations] of contacts and nodes before each correction
   RENEWALS  factorizations that a solve may ask for, the first one included
   IDLE      corrections in a row that leave more than LEFT of the smallest change, before another factor is asked for, or corrections end
   SMOOTH    [tolerances] largest entry of the last correction with which a solve may end without another one */
enum { CTI_ICA_SWEEPS = 2, CTI_ICA_RENEWALS = 2, CTI_ICA_IDLE = 2 };
#define CTI_ICA_SMOOTH CTI_R(10)
#define CTI_ICA_LEFT CTI_R(0.7)
/* Extrapolation along a constant drift of the multipliers (cti_ica_stride).
   ALIKE     [1] relative difference, in the weighted norm, up to which the changes of two iterations count as the same drift
   STRIDE    [iterations] least length of an extrapolation
   SLOW      [1] share of the fastest normal multiplier's rate below which a multiplier does not limit the length
   ASTRAY    [1] growth over the smallest change at which an extrapolation is undone
   PATIENCE  extrapolations that are undone before a solve makes no more of them */
#define CTI_ICA_ALIKE CTI_R(0.1)
#define CTI_ICA_STRIDE CTI_R(3)
#define CTI_ICA_SLOW CTI_R(0.05)
#define CTI_ICA_ASTRAY CTI_R(4)
enum { CTI_ICA_PATIENCE = 3 };
#define CTI_ICA_NEAR 3 /* [tolerances] A solve below this change stops when its convergence rate does not reach the tolerance in budget. */
/* [us] estimated times of a row's scatter, of a row's velocity, and of one block in the solve of its cluster; see cti_tasks_run_work */
#define CTI_ICA_SCATTER_US 0.06
#define CTI_ICA_VELOCITY_US 0.05
#define CTI_ICA_SOLVE_US 0.4
/* [tolerances] The residual is computed once an outer iteration changes velocities by less than this. 1 and 2 give the same results. From 5
   on, solves of joints in a crash count as converged when they have hardly begun. */
#define CTI_ICA_JUDGE CTI_R(2)
#define CTI_ICA_DROP CTI_R(1e-5) /* [1] share of the first sweep's change at which an inner loop with exact inverses ends: float velocity
                                    changes resolve no more */
#define CTI_ICA_JOINTED CTI_R(1e-3) /* [1] the same under joints. With 1e-3 a chain of five beads keeps its energy; with CTI_ICA_DROP it
                                       loses 6 % in 5 s. */
#define CTI_ICA_STALL 6 /* [sweeps] without a halved change, after which a change below 0.7 tolerances is enough */

/* ---- outer iteration: refine v ---- */

/* v_c += D_c^-1 (f - A v)_c. Returns the largest change of an entry. Of an uncoupled cluster (`alone`) only the ports count, since v was up
   to date there alone. */
static ct_real cti_ica_refine_cluster(cti_ica *s, const cti_ica_cluster *q, ct_real *v, int worker)
{
    ct_real big = 0, *x = s->x + 6 * (size_t)s->max_blocks * (size_t)worker;
    int i, j, n3 = 3 * q->n;
    for (i = 0; i < q->n; i++)
        cti_v3_put(x, i, cti_ica_block_residual(s->p->A, s->f, v, q->blocks[i]));
    if (!q->inverse)
        q->hook->solve(q->hook->ctx, x, worker);
    else {
        ct_real *y = x + n3;
        for (i = 0; i < n3; i++) {
            const float *D = q->inverse + (size_t)i * (size_t)q->ld_inverse;
            ct_real sum = 0;
            for (j = 0; j < n3; j++)
                sum += (ct_real)D[j] * x[j];
            y[i] = sum;
        }
        memcpy(x, y, sizeof(ct_real) * (size_t)n3);
    }
    for (i = 0; i < q->n; i++) {
        cti_v3 d = cti_v3_at(x, i);
        cti_v3_addto(v, q->blocks[i], d);
        if (q->alone && s->port_of[q->blocks[i]] < 0)
            continue;
        big = cti_max(big, cti_max(cti_abs(d.x), cti_max(cti_abs(d.y), cti_abs(d.z))));
    }
    return big;
}

/* the same at the ports only, from the inner loop's velocity change du: D^-1 J' times the change of the multipliers */
static ct_real cti_ica_carry_cluster(const cti_ica *s, const cti_ica_cluster *q, ct_real *v)
{
    ct_real big = 0;
    int i, k;
    for (i = 0; i < q->n_ports; i++)
        for (k = 0; k < 3; k++) {
            ct_real d = (ct_real)s->du[q->du + (size_t)(3 * i + k)];
            v[3 * q->blocks[q->ports[i]] + k] += d;
            big = cti_max(big, cti_abs(d));
        }
    return big;
}

/* full solve of the clusters that A couples to no other cluster (`alone`). Returns the largest change */
static ct_real cti_ica_catch_up(cti_ica *s)
{
    ct_real big = 0;
    int c;
    for (c = 0; s->grouped && c < s->n_clusters; c++)
        if (s->clusters[c].alone)
            big = cti_max(big, cti_ica_refine_cluster(s, &s->clusters[c], s->v, 0));
    return big;
}

/* ---- inner iteration: contacts ---- */

/* u of a contact: its value at the outer iteration's v, plus what the multipliers have changed since */
static void cti_ica_gather(const cti_ica *s, const cti_ica_contact *q, ct_real *u)
{
    static const float zero[12] = {0};
    const cti_ica_term *t = s->terms + q->term0;
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

/* one contact: gather u, solve, scatter. Returns the change as a velocity */
static ct_real cti_ica_visit(cti_ica *s, int i)
{
    const cti_ica_contact *q = &s->contacts[i];
    ct_real u[3], r[3], *ri = s->r + 3 * (size_t)i, change = 0, speed;
    float d[3];
    int k;
    cti_ica_gather(s, q, u);
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
        const cti_ica_leg *L = &s->legs[q->leg0 + k];
        cti_ica_combine(L->ld, s->W + L->w, d, s->du + L->du);
    }
    return change;
}

/* the contacts of a run */
static void cti_ica_visit_run(cti_ica *s, int run)
{
    ct_real big = 0;
    int i;
    for (i = s->run_at[run]; i < s->run_at[run + 1]; i++)
        big = cti_max(big, cti_ica_visit(s, i));
    s->run_change[run] = big;
}

/* all contacts once. k: number of the sweep. Returns the largest change */
static ct_real cti_ica_sweep(cti_ica *s, int k)
{
    ct_real big = 0;
    int i;
    for (i = 0; s->coupled && i < s->p->n_rows; i++)
        if (!(s->fused && s->contacts[i].own) && (k == 0 || !s->contacts[i].single))
            big = cti_max(big, cti_ica_visit(s, i));
    if (s->coupled)
        return big;
    cti_ica_each_run(s, cti_ica_visit_run, s->sweep_us);
    for (i = 0; i < s->n_runs; i++)
        big = cti_max(big, s->run_change[i]);
    return big;
}

/* projected Gauss-Seidel sweeps (eq. 11) until a sweep changes less than `stop`, or less than `drop` times the first sweep's change. again:
   v was refined at these multipliers before.
   differs: sweeps are Anderson accelerated, since their error in sliding and rolling modes falls by less than a percent a sweep. A sweep
   that changes more than twice the best one restarts the history. Sweeps that stall below the tolerance end, too. */
static int cti_ica_inner(cti_ica *s, ct_real stop, ct_real drop, int max_sweeps, int again, ct_real *out_first)
{
    int k, n = s->p->n_rows;
    ct_real first = 0, best = CTI_REAL_MAX, mark = CTI_REAL_MAX, tol = s->tight * s->desc->tolerance * s->p->velocity_scale;
    int stalled = 0;
    memset(s->du, 0, sizeof(float) * s->n_du);
    cti_anderson_resume(&s->inner);
    for (k = 0; k < max_sweeps; k++) {
        ct_real big;
        memcpy(s->r_old, s->r, sizeof(ct_real) * 3 * (size_t)n);
        big = cti_ica_sweep(s, k);
        s->left = big;
        if (k == 0)
            first = big;
        if (big <= stop || (k > 0 && big <= drop * first) || k + 1 == max_sweeps)
            break;
        stalled = big < mark / 2 ? 0 : stalled + 1;
        mark = cti_min(mark, big);
        if ((k == 0 && again && big <= tol) || (stalled >= CTI_ICA_STALL && big <= CTI_R(0.7) * tol) ||
            (!s->coupled && stalled >= 2 * CTI_ICA_STALL && big <= s->worth * s->p->velocity_scale))
            break;
        if (big > 2 * best)
            cti_anderson_restart(&s->inner);
        best = cti_min(best, big);
        if (k >= 2 && !s->p->plain)
            cti_anderson_step(&s->inner, s->r_old, s->r, s->du);
    }
    *out_first = first;
    return cti_min_int(k + 1, max_sweeps);
}

/* max_sweeps, raised for few contacts so that the work stays below that of CTI_ICA_FEW contacts */
static int cti_ica_budget(const cti_ica *s)
{
    double more = (double)CTI_ICA_FEW / (double)cti_max_int(1, s->p->n_rows), most;
    more = more < 1 ? 1 : (more > CTI_ICA_MORE ? CTI_ICA_MORE : more);
    most = more * (double)s->desc->max_sweeps;
    return most < 1e9 ? (int)most : 1000000000;
}

/* copies the multipliers to the rows */
static void cti_ica_publish(const cti_ica *s)
{
    int i;
    for (i = 0; i < s->p->n_rows; i++)
        memcpy(s->p->rows[i].r, s->r + 3 * (size_t)i, 3 * sizeof(ct_real));
}

static void cti_ica_scatter_run(cti_ica *s, int run)
{
    int i;
    for (i = s->run_at[run]; i < s->run_at[run + 1]; i++)
        cti_row_scatter(s->p, &s->p->rows[i], s->p->rows[i].r, s->f);
}

/* f = b + J' r */
static void cti_ica_rhs(cti_ica *s)
{
    if (s->n_parts == 0) {
        cti_problem_rhs(s->p, s->f);
        return;
    }
    memcpy(s->f, s->p->b, sizeof(ct_real) * 3 * (size_t)s->p->A->n);
    cti_ica_each_run(s, cti_ica_scatter_run, CTI_ICA_SCATTER_US * s->p->n_rows);
}

/* eq. 10: the velocity of nodes with contacts after a Jacobi step at the present multipliers */
static const ct_real *cti_ica_predict(cti_ica *s)
{
    int c, i;
    if (!s->predicted)
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
            cti_v3_put(s->predicted, b, v);
        }
    }
    return s->predicted;
}

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
        const cti_ica_leg *L = &s->legs[q->leg0 + k];
        const float *W = s->W + L->w;
        size_t b = (size_t)s->clusters[L->cluster].blocks[0];
        for (j = 0; j < 3; j++) {
            float dv = W[j] * (float)d[0] + W[4 + j] * (float)d[1] + W[8 + j] * (float)d[2];
            s->v[3 * b + (size_t)j] += (ct_real)dv;
            s->nodes.delta[4 * b + (size_t)j] += dv;
        }
    }
    return cti_min(change, speed);
}

/* solves the contacts whose last node in the sweep is i */
static ct_real cti_ica_after_node(void *ctx, int i)
{
    cti_ica *s = (cti_ica *)ctx;
    ct_real big = 0;
    int k;
    for (k = s->at_node[i]; k < s->at_node[i + 1]; k++)
        big = cti_max(big, cti_ica_visit_own(s, s->of_node[k]));
    return big;
}

/* 1 where a cluster is a node, which cti_nodes_sweep solves, or where it has no contact and keeps its free motion */
static int cti_ica_is_left(const cti_ica *s, const cti_ica_cluster *q)
{
    return cti_ica_is_node(q) || !(s->coupled || q->n_ports || s->cold);
}

static void cti_ica_refine_range(int begin, int end, int worker, void *context)
{
    cti_ica *s = (cti_ica *)context;
    for (; begin < end; begin++)
        s->cluster_change[begin] = cti_ica_is_left(s, &s->clusters[begin]) ? 0 : cti_ica_refine_cluster(s, &s->clusters[begin], s->v, worker);
}

/* solves uncoupled clusters, each independently */
static ct_real cti_ica_refine_apart(cti_ica *s)
{
    ct_real big = 0;
    int c;
    cti_tasks_run_work(s->p->tasks, cti_ica_refine_range, s->n_clusters, CTI_ICA_SOLVE_US * s->p->A->n / s->n_clusters, s);
    for (c = 0; c < s->n_clusters; c++)
        big = cti_max(big, s->cluster_change[c]);
    return big;
}

/* one block Gauss-Seidel sweep over the clusters (eq. 12). carry: clusters that are `alone` are updated at their ports only */
static ct_real cti_ica_refine(cti_ica *s, ct_real *v, int carry)
{
    ct_real big = s->grouped && !s->coupled ? cti_ica_refine_apart(s) : 0;
    int c;
    for (c = 0; s->grouped && s->coupled && c < s->n_clusters; c++) {
        const cti_ica_cluster *q = &s->clusters[c];
        if (cti_ica_is_left(s, q))
            continue;
        big = cti_max(big, carry && q->alone ? cti_ica_carry_cluster(s, q, v) : cti_ica_refine_cluster(s, q, v, 0));
    }
    return s->nodes.n ? cti_max(big, cti_nodes_sweep(&s->nodes, s->f, v, s->fused ? cti_ica_after_node : NULL, s)) : big;
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
        if (!(q->s->fused && q->s->contacts[begin].own))
            cti_row_velocity(&q->s->p->rows[begin], q->v, q->s->contacts[begin].base);
}

/* one round: anticipate u at v, relax the contacts, collect b + J' r */
static ct_real cti_ica_contacts(cti_ica *s, ct_real stop, cti_solve_info *info)
{
    ct_real first, drop = s->coupled ? (s->p->plain ? CTI_R(0.05) : CTI_R(0.3)) : (s->p->lagged ? CTI_R(0.05) : s->jointed ? CTI_ICA_JOINTED : CTI_ICA_DROP);
    int few = s->p->plain ? CTI_ICA_PLAIN : CTI_ICA_COUPLED, left = s->coupled ? few : cti_max_int(1, s->budget - info->sweeps);
    cti_ica_bases bases;
    bases.s = s, bases.v = cti_ica_predict(s);
    cti_tasks_run_work(s->p->tasks, cti_ica_base_range, s->p->n_rows, CTI_ICA_VELOCITY_US, &bases);
    info->sweeps += cti_ica_inner(s, stop, drop, cti_min_int(left, s->desc->inner_iterations), info->iterations > 1, &first);
    cti_ica_publish(s);
    cti_ica_rhs(s);
    return first;
}

/* whether the outer loop ends after an iteration with the change `now`; CTI_SOLVE_BUDGET: it goes on */
static cti_solve_status cti_ica_judge(const cti_ica *s, const cti_solve_info *info, ct_real now, ct_real last, ct_real best)
{
    /* the residual monitor (5.6): growth by 1e4 over the best is divergence */
    if (!cti_finite(now) || now > CTI_R(1e4) * best)
        return CTI_SOLVE_DIVERGED;
    /* lagged inverses that contract by less than 0.4 an iteration are to be replaced, not iterated with */
    if (s->p->lagged && !s->coupled && info->iterations >= 2 && now > CTI_R(0.4) * last)
        return CTI_SOLVE_SLOW;
    return CTI_SOLVE_BUDGET;
}

/* 1 while contacts are solved inside the sweep over nodes, 0 once contacts and nodes are swept in turn. best: smallest change so far */
static int cti_ica_is_fused(cti_ica *s, int iteration, ct_real best)
{
    if (iteration == 1 || best <= s->mark / 2)
        s->mark = best, s->marked = iteration;
    return iteration <= CTI_ICA_FUSED && iteration - s->marked < CTI_ICA_HALVES;
}

/* 1 where an iteration with the change `now` may have reached the tolerance. Exact inverses of uncoupled clusters move v to where the last
   sweep over the contacts predicted it, however far that is: there the change of that sweep counts. */
static int cti_ica_is_worth(const cti_ica *s, ct_real now)
{
    int exact = !s->coupled && !s->p->lagged;
    return (exact ? s->left : now) <= s->worth * s->p->velocity_scale;
}

/* The natural map at the present v and multipliers, after clusters that are `alone` have been solved; below 0: out of memory. A residual
   above the tolerance lowers the change at which the next one is computed. */
static ct_real cti_ica_residual(cti_ica *s, ct_real now, cti_residuals *res)
{
    ct_real tol = s->desc->tolerance;
    int i;
    if (!s->work && !(s->work = CTI_ARENA_NEW(s->arena, ct_real, 6 * s->p->A->n)))
        return -1;
    cti_ica_publish(s);
    cti_ica_rhs(s);
    if (s->coupled)
        cti_ica_catch_up(s);
    if (s->p->balance) {
        cti_problem_residual(s->p, s->f, s->v, s->work);
        cti_nodes_restart(&s->nodes);
        if (!s->p->balance(s->p->balance_ctx, s->work, s->v))
            return -1;
    }
    cti_residual_eval(s->p, s->desc->cone, s->v, s->work, res);
    if (!(res->natural_map <= tol)) {
        ct_real change = (s->coupled ? now : s->left) / s->p->velocity_scale * cti_max(CTI_R(0.1), tol / res->natural_map);
        if (s->coupled)
            s->worth = cti_clamp(change, 0, CTI_R(0.9) * s->worth);
        s->tight = cti_max(CTI_R(1e-3), cti_min(s->tight, (s->coupled ? s->worth : CTI_R(0.7) * change) / tol));
        return res->natural_map;
    }
    for (i = 0; i < s->p->n_rows; i++)
        memcpy(s->r + 3 * (size_t)i, s->p->rows[i].r, 3 * sizeof(ct_real));
    return res->natural_map;
}

/* clears the record of convergence rates, for a new or restarted iteration */
static void cti_ica_forget_pace(cti_ica *s)
{
    int k;
    for (k = 0; k < CTI_ICA_PACE; k++)
        s->pace[k] = CTI_REAL_MAX;
}

/* 1 when a solve is near the tolerance and will not reach it in the iterations left. The estimate uses the convergence rate of the last
   CTI_ICA_PACE iterations; no progress in them counts as well. Redundant multipliers drift without end where velocities differ by rounding.
   best: smallest change so far */
static int cti_ica_is_stuck(cti_ica *s, int iteration, int left, ct_real best)
{
    ct_real tol = s->desc->tolerance * s->p->velocity_scale, then = s->pace[iteration % CTI_ICA_PACE];
    s->pace[iteration % CTI_ICA_PACE] = best;
    if (s->fused || s->correcting || s->p->plain || !(best < CTI_ICA_NEAR * tol) || !(then < CTI_REAL_MAX))
        return 0;
    return !((ct_real)left * cti_log(then / best) > (ct_real)CTI_ICA_PACE * cti_log(best / tol));
}

/* the fixed-point map has changed: acceleration and the measures of progress start again */
static void cti_ica_new_map(cti_ica *s, ct_real *best, ct_real *last)
{
    cti_anderson_restart(&s->outer);
    *best = *last = CTI_REAL_MAX;
    cti_ica_forget_pace(s);
}

/* applies a correction after an iteration with the change `now`. Returns the larger of `now` and its own change; below 0: out of memory. A
   solve may end only with sweeps that follow a small correction. Two corrections in a row with little effect ask for a new factor; after
   the last factor they end the corrections of this solve. */
static ct_real cti_ica_correct(cti_ica *s, int iteration, ct_real now, ct_real *best, ct_real *last)
{
    ct_real tol = s->desc->tolerance * s->p->velocity_scale;
    int renew = -1, smooth = s->corrected <= CTI_ICA_SMOOTH * tol;
    if (iteration == 1)
        return cti_max(now, 2 * tol);
    if (smooth && now <= tol)
        return now;
    if (s->renewed == 0)
        renew = 0;
    else if (s->idle >= CTI_ICA_IDLE && s->renewed < CTI_ICA_RENEWALS && !smooth)
        renew = 1;
    else if (s->idle >= CTI_ICA_IDLE + !smooth) {
        s->correcting = 0;
        cti_ica_new_map(s, best, last);
        return now;
    }
    if (renew >= 0) {
        cti_ica_publish(s);
        s->renewed++, s->idle = 0, s->nearest = CTI_REAL_MAX;
        if (renew)
            cti_ica_new_map(s, best, last);
    }
    s->corrected = s->p->correction->apply(s->p->correction->ctx, renew, s->f, s->v);
    if (s->corrected < 0)
        return s->corrected;
    now = cti_max(cti_max(now, s->corrected), 2 * tol);
    s->idle = now > CTI_ICA_LEFT * s->nearest ? s->idle + 1 : 0;
    s->nearest = cti_min(s->nearest, now);
    return now;
}

/* returns to the iterate of smallest change and drops the history */
static void cti_ica_back(cti_ica *s)
{
    memcpy(s->z, s->z_best, sizeof(ct_real) * (size_t)s->outer.n);
    cti_nodes_restart(&s->nodes);
    cti_anderson_restart(&s->outer);
    cti_ica_forget_pace(s);
    s->strode = 0;
}

/* step length, in iterations, along the drift until the first normal multiplier vanishes; 0: none decreases */
static ct_real cti_ica_reach(const cti_ica *s)
{
    const ct_real *d = s->drift + 3 * (size_t)s->p->A->n;
    ct_real fast = 0, t = CTI_REAL_MAX;
    int i, n = s->p->n_rows;
    for (i = 0; i < n; i++)
        fast = cti_max(fast, cti_abs(d[3 * i]) * s->contacts[i].local.B[0]);
    for (i = 0; i < n; i++)
        if (!s->p->rows[i].equations && s->r[3 * i] > 0 && -d[3 * i] * s->contacts[i].local.B[0] > CTI_ICA_SLOW * fast)
            t = cti_min(t, s->r[3 * i] / -d[3 * i]);
    return t < CTI_REAL_MAX ? t : 0;
}

/* extrapolates along the drift. Redundant contacts, or contacts that could share one load in many ways, transfer it from one to the other
   at a constant rate. That takes as many iterations as the load contains steps of that size. Where two iterations have changed z alike, z
   moves at once to where the first multiplier vanishes. Returns 1 when it did */
static int cti_ica_stride(cti_ica *s)
{
    double same = 0, all = 0;
    ct_real t = 0;
    int i, n = s->outer.n, first = 3 * s->p->A->n;
    for (i = 0; i < n; i++) {
        ct_real d = s->z[i] - s->z_old[i], e = (d - s->drift[i]) * s->weight[i];
        s->drift[i] = d;
        same += (double)(e * e), d *= s->weight[i], all += (double)(d * d);
    }
    s->strode =
        s->astray < CTI_ICA_PATIENCE && !s->strode && same < CTI_ICA_ALIKE * CTI_ICA_ALIKE * all && (t = cti_ica_reach(s)) > CTI_ICA_STRIDE;
    if (!s->strode)
        return 0;
    for (i = 0; i < n; i++)
        s->z[i] += t * s->drift[i];
    for (i = 0; i < s->p->n_rows; i++) {
        ct_real *r = s->z + first + 3 * i, g = r[1] * r[1] + r[2] * r[2], most = s->p->rows[i].mu * cti_max(0, r[0]);
        if (s->p->rows[i].equations)
            continue;
        r[0] = cti_max(0, r[0]);
        g = g > most * most ? most / cti_sqrt(g) : 1;
        r[1] *= g, r[2] *= g;
    }
    cti_nodes_restart(&s->nodes);
    cti_anderson_restart(&s->outer);
    return 1;
}

/* one outer iteration: contacts, then v, then the correction of bodies that are split into nodes. Returns the largest change, below 0 when
   memory ran out */
static ct_real cti_ica_iterate(cti_ica *s, cti_solve_info *info, ct_real *best, ct_real *last)
{
    ct_real now = 0, contact;
    int k, sweeps = s->correcting && info->iterations > 1 ? CTI_ICA_SWEEPS : 1;
    if (s->fused && !cti_ica_is_fused(s, info->iterations, *best)) {
        s->fused = 0;
        cti_ica_new_map(s, best, last);
    }
    if (s->coupled)
        memcpy(s->z_old, s->z, sizeof(ct_real) * (size_t)s->outer.n);
    for (k = 0; k < sweeps; k++) {
        contact = cti_ica_contacts(s, s->tight * s->desc->tolerance * s->p->velocity_scale / 4, info);
        now = cti_max(contact, cti_ica_refine(s, s->v, info->iterations % CTI_ICA_DEFER != 0));
    }
    return s->correcting ? cti_ica_correct(s, info->iterations, now, best, last) : now;
}

/* after an iteration over coupled clusters with the change `now`: the best iterate is stored, and the next one is extrapolated */
static void cti_ica_extrapolate(cti_ica *s, ct_real now, ct_real best)
{
    if (now < best)
        memcpy(s->z_best, s->z, sizeof(ct_real) * (size_t)s->outer.n);
    if (now > 2 * best)
        cti_anderson_restart(&s->outer);
    if (!s->p->plain && !cti_ica_stride(s))
        cti_anderson_step(&s->outer, s->z_old, s->z, NULL);
}

/* the outer loop; where clusters are coupled, the whole fixed-point map is accelerated */
static void cti_ica_loop(cti_ica *s, cti_solve_info *info)
{
    const ct_solver_desc *desc = s->desc;
    ct_real best = CTI_REAL_MAX, last = CTI_REAL_MAX;
    int restarts = 0,
        most = s->coupled ? cti_min_int(desc->max_iterations, (desc->max_sweeps + 1) / CTI_ICA_COUPLED) : desc->max_iterations;
    s->fused = s->n_own > 0;
    s->correcting = s->coupled && s->p->correction && !s->p->plain;
    s->corrected = s->nearest = CTI_REAL_MAX;
    s->worth = CTI_ICA_JUDGE * desc->tolerance, s->tight = 1;
    cti_ica_forget_pace(s);
    for (info->iterations = 1; info->iterations <= most; info->iterations++) {
        ct_real judged = -1, now = cti_ica_iterate(s, info, &best, &last);
        if (now < 0) {
            info->status = CTI_SOLVE_MEMORY;
            return;
        }
        if (s->strode && !(now <= CTI_ICA_ASTRAY * best)) {
            cti_ica_back(s);
            s->astray++;
            continue;
        }
        info->status = cti_ica_judge(s, info, now, last, best);
        if (cti_ica_is_worth(s, now) && (judged = cti_ica_residual(s, now, &info->res)) < 0) {
            info->status = CTI_SOLVE_MEMORY;
            return;
        }
        if (judged >= 0 && (judged <= desc->tolerance || now == 0)) /* or a fixed point, which no further iteration changes */
            info->status = CTI_SOLVE_OK;
        info->judged = info->status == CTI_SOLVE_OK && judged >= 0 && judged <= desc->tolerance;
        info->change = now / s->p->velocity_scale;
        if (info->status == CTI_SOLVE_DIVERGED && s->coupled && best < CTI_REAL_MAX && restarts++ < 5) {
            /* an extrapolation diverged */
            cti_ica_back(s);
            last = CTI_REAL_MAX;
            continue;
        }
        if (s->p->watch && !s->p->watch(s->p->watch_user, info->iterations, s->v))
            return;
        if (info->status != CTI_SOLVE_BUDGET || (!s->coupled && info->sweeps >= s->budget))
            return;
        if (s->coupled)
            cti_ica_extrapolate(s, now, best);
        best = cti_min(best, now);
        last = now;
        if (s->coupled && cti_ica_is_stuck(s, info->iterations, most - info->iterations, best))
            break;
    }
    if (s->coupled)
        memcpy(s->z, s->z_best, sizeof(ct_real) * (size_t)s->outer.n);
}

/* copies the multipliers to the rows; clusters that are `alone` are solved for them */
static void cti_ica_end(cti_ica *s, const cti_solve_info *info)
{
    cti_ica_publish(s);
    if (!s->coupled || info->status == CTI_SOLVE_OK)
        return;
    cti_ica_rhs(s);
    cti_ica_catch_up(s);
}

CTI_FN void cti_ica_solve(const cti_problem *p, const ct_solver_desc *desc, cti_arena *arena, ct_real *v, cti_solve_info *info)
{
    cti_ica state, *s = &state;
    memset(s, 0, sizeof *s);
    s->cold = !p->free_start;
    memset(info, 0, sizeof *info);
    s->p = p, s->desc = desc, s->arena = arena;
    s->budget = cti_ica_budget(s);
    if (!cti_ica_setup(s, v)) {
        info->status = CTI_SOLVE_MEMORY;
        return;
    }
    cti_ica_rhs(s);
    info->change = cti_ica_refine(s, s->v, 0) / p->velocity_scale;
    cti_ica_loop(s, info);
    cti_ica_end(s, info);
    memcpy(v, s->v, sizeof(ct_real) * 3 * (size_t)p->A->n);
}
