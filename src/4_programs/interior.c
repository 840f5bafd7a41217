/* interior.c -- convex quadratic programs by a primal-dual interior point method.
   Method: Hong, Choi, Lee 2006, sec. 4: the logarithmic barrier of the slacks, whose conditions of optimality

     A x - b - J'y = 0,   J x + w - s = 0,   s_i y_i = mu,   s, y > 0

   are solved by Newton's method while mu falls to 0, with predictor and corrector (Mehrotra 1992) and further correctors (Gondzio 1996).
   The Newton system and its linear algebra are those of convex.h. Near the end the rows with y > s become equations and the others are
   dropped: the solution of this system has no error from the barrier. differs: the barrier is over the problem's own slacks, not over the
   products f d of the paper, whose objective is the same at the solution. */
#include "interior.h"
#include "certificate.h"
#include "cones.h"
#include "convex.h"

typedef struct cti_interior_delta {
    double *dx, *dy, *ds, *rd, *rp, *rc;
} cti_interior_delta;

/* the polished point, and a step that may be restored */
typedef struct cti_interior_kept {
    double *px, *py;
    double *kx, *ky, *ks, *kc;
} cti_interior_kept;

/* the start */
typedef struct cti_interior_first {
    double mu;
    double size_x;
    double raise;    /* of the multipliers */
} cti_interior_first;

typedef struct cti_interior {
    cti_convex c;
    const cti_program *p;
    cti_effort *e;
    cti_answer *a;
    int inequalities;
    double *x, *y, *s; /* [n], [m], [m] */
    double *g, *H;
    cti_interior_delta step;
    cti_interior_kept kept;
    cti_candidate own;
    cti_interior_first start;
    double mu, goal;
    double close;      /* error of the last candidate in the conditions, without the natural map where r is nearly 0 */
    int short_steps;   /* since the start */
} cti_interior;

static int cti_interior_alloc(cti_interior *ip)
{
    cti_arena *arena = ip->e->arena;
    cti_interior_delta *step = &ip->step;
    cti_interior_kept *kept = &ip->kept;
    double **const of_n[] = {&ip->x, &step->dx, &step->rd, &kept->px, &kept->kx};
    double **const of_m[] = {&ip->y, &ip->s, &ip->g, &ip->H, &step->dy, &step->ds, &step->rp, &step->rc, &kept->py, &kept->ky, &kept->ks, &kept->kc};
    return CTI_ARENA_VECTORS(arena, ip->c.n, of_n) && CTI_ARENA_VECTORS(arena, ip->c.m, of_m) && cti_candidate_open(&ip->own, ip->p, ip->a, arena);
}

/* rd = b + J'y - A x, rp = s - J x - w, mu; x and y may be the polished point */
static void cti_interior_residuals(cti_interior *ip, const double *x, const double *y, const double *s)
{
    cti_convex *c = &ip->c;
    int i;
    cti_sparse_mul(&c->A, x, ip->step.rd);
    for (i = 0; i < c->n; i++)
        ip->step.rd[i] = c->b[i] - ip->step.rd[i];
    cti_sparse_addmul_t(&c->J, y, ip->step.rd);
    cti_sparse_mul(&c->J, x, ip->step.rp);
    for (i = 0; i < c->m; i++)
        ip->step.rp[i] = (s && !c->equation[i] ? s[i] : 0) - ip->step.rp[i] - c->w[i];
}

static void cti_interior_measure(cti_interior *ip)
{
    int i;
    ip->mu = 0;
    for (i = 0; i < ip->c.m; i++)
        if (!ip->c.equation[i])
            ip->mu += ip->s[i] * ip->y[i];
    ip->mu = ip->inequalities ? ip->mu / ip->inequalities : 0;
}

/* the judge's residual of (x, y); the best point so far becomes the answer */
static double cti_interior_offer(cti_interior *ip, const double *x, const double *y)
{
    const cti_judgement *j = &ip->own.j;
    double residual;
    cti_convex_answer(&ip->c, x, y, ip->own.x, ip->own.r);
    residual = cti_candidate_offer(&ip->own);
    ip->close = cti_fmax(cti_fmax(j->dynamics, cti_fmin(j->gap, j->natural)), cti_fmax(j->primal, j->dual));
    return residual;
}

/* Tries x with those entries set to 0 that are rounding errors of the start's size: relative errors are meaningless for a solution at 0 */
static void cti_interior_offer_snapped(cti_interior *ip, const double *x, const double *y)
{
    int i, snapped = 0;
    for (i = 0; i < ip->c.n; i++) {
        int tiny = x[i] != 0 && fabs(x[i]) < 1e-14 * ip->start.size_x;
        ip->kept.kx[i] = tiny ? 0 : x[i];
        snapped += tiny;
    }
    if (snapped)
        cti_interior_offer(ip, ip->kept.kx, y);
}

/* Mehrotra's start: the minimum with rows as springs, then slacks and multipliers are moved inside */
static int cti_interior_start(cti_interior *ip)
{
    cti_convex *c = &ip->c;
    double low_s = 0, low_y = 0, sum_s = 0, sum_y = 0, product = 0;
    int i;
    ip->short_steps = 0;
    cti_vec_zero(c->n, ip->x), cti_vec_zero(c->m, ip->y);
    for (i = 0; i < c->m; i++)
        ip->H[i] = c->equation[i] ? c->kkt.delta[i] : (c->kkt.dense ? c->kkt.W[cti_index(i, c->kkt.ld, i)] + c->kkt.delta[i] : 1);
    if (!cti_convex_factor(c, ip->H))
        return 0;
    cti_vec_zero(c->m, ip->s);
    cti_interior_residuals(ip, ip->x, ip->y, NULL);
    cti_convex_solve(c, ip->step.rd, ip->step.rp, ip->x, ip->y);
    ip->start.size_x = 0;
    for (i = 0; i < c->n; i++)
        ip->start.size_x = cti_fmax(ip->start.size_x, fabs(ip->x[i]));
    cti_sparse_mul(&c->J, ip->x, ip->s);
    for (i = 0; i < c->m; i++) {
        ip->s[i] += c->w[i];
        if (!c->equation[i])
            low_s = cti_fmax(low_s, -1.5 * ip->s[i]), low_y = cti_fmax(low_y, -1.5 * ip->y[i]);
    }
    for (i = 0; i < c->m; i++)
        if (!c->equation[i])
            product += (ip->s[i] + low_s) * (ip->y[i] + low_y), sum_s += ip->s[i] + low_s, sum_y += ip->y[i] + low_y;
    low_s += sum_y > 0 ? 0.5 * product / sum_y : 0, low_y += sum_s > 0 ? 0.5 * product / sum_s : 0;
    for (i = 0; i < c->m; i++) {
        if (c->equation[i])
            continue;
        ip->s[i] += low_s, ip->y[i] += low_y;
        ip->s[i] = ip->s[i] > 0 ? ip->s[i] : 1, ip->y[i] = ip->start.raise * (ip->y[i] > 0 ? ip->y[i] : 1);
    }
    return 1;
}

/* dx, dy, ds for S dy + Y ds = rc */
static void cti_interior_direction(cti_interior *ip)
{
    cti_convex *c = &ip->c;
    int i;
    for (i = 0; i < c->m; i++)
        ip->g[i] = ip->step.rp[i] + (c->equation[i] ? 0 : ip->step.rc[i] / ip->y[i]);
    cti_convex_solve(c, ip->step.rd, ip->g, ip->step.dx, ip->step.dy);
    for (i = 0; i < c->m; i++)
        ip->step.ds[i] = c->equation[i] ? 0 : (ip->step.rc[i] - ip->s[i] * ip->step.dy[i]) / ip->y[i];
}

/* largest step length, at most 1, that keeps slacks and multipliers positive */
static double cti_interior_reach(const cti_interior *ip, double keep)
{
    double reach = 1 / keep;
    int i;
    for (i = 0; i < ip->c.m; i++) {
        if (ip->c.equation[i])
            continue;
        if (ip->step.ds[i] < 0)
            reach = cti_fmin(reach, -ip->s[i] / ip->step.ds[i]);
        if (ip->step.dy[i] < 0)
            reach = cti_fmin(reach, -ip->y[i] / ip->step.dy[i]);
    }
    return cti_fmin(1, keep * reach);
}

/* Gondzio's correctors (1996) with the same factor: products that a longer step would leave far from the target are pulled towards it. They
   are kept while the step length grows. Returns the step length */
static double cti_interior_center(cti_interior *ip, double reach, double target)
{
    cti_convex *c = &ip->c;
    cti_interior_delta *step = &ip->step;
    cti_interior_kept *kept = &ip->kept;
    size_t n = sizeof(double) * (size_t)c->n, m = sizeof(double) * (size_t)c->m;
    double aim, next;
    int i, k;
    for (k = 0; k < cti_program_tuned.convex.correctors && reach < 0.95; k++) {
        aim = cti_fmin(1, 1.5 * reach + 0.1);
        memcpy(kept->kx, step->dx, n), memcpy(kept->ky, step->dy, m), memcpy(kept->ks, step->ds, m), memcpy(kept->kc, step->rc, m);
        for (i = 0; i < c->m; i++) {
            double v, move;
            if (c->equation[i])
                continue;
            v = (ip->s[i] + aim * step->ds[i]) * (ip->y[i] + aim * step->dy[i]);
            move = v < 0.1 * target ? 0.1 * target - v : (v > 10 * target ? 10 * target - v : 0);
            step->rc[i] += cti_fmax(move, -10 * target);
        }
        cti_interior_direction(ip);
        next = cti_interior_reach(ip, 0.995);
        if (next < reach + 0.1 * (aim - reach)) {
            memcpy(step->dx, kept->kx, n), memcpy(step->dy, kept->ky, m), memcpy(step->ds, kept->ks, m), memcpy(step->rc, kept->kc, m);
            break;
        }
        reach = next;
    }
    return reach;
}

/* raises products s_i y_i that have fallen far below the mean, since they limit the step length */
static void cti_interior_lift(cti_interior *ip)
{
    int i;
    cti_interior_measure(ip);
    for (i = 0; i < ip->c.m; i++)
        if (!ip->c.equation[i] && ip->s[i] * ip->y[i] < 0.1 * ip->mu) {
            double raise = sqrt(ip->mu / (ip->s[i] * ip->y[i]));
            ip->s[i] *= raise, ip->y[i] *= raise;
        }
}

/* predictor, corrector, step. 0: no memory, -1: no progress */
static int cti_interior_step(cti_interior *ip)
{
    cti_convex *c = &ip->c;
    double reach, ahead = 0, sigma, share;
    int i, tries;
    for (i = 0; i < c->m; i++) {
        ip->H[i] = c->kkt.delta[i] + (c->equation[i] ? 0 : ip->s[i] / ip->y[i]);
        ip->step.rc[i] = -ip->s[i] * ip->y[i];
    }
    if (!cti_convex_factor(c, ip->H))
        return 0;
    cti_interior_direction(ip);
    reach = cti_interior_reach(ip, 1);
    for (i = 0; i < c->m; i++)
        if (!c->equation[i])
            ahead += (ip->s[i] + reach * ip->step.ds[i]) * (ip->y[i] + reach * ip->step.dy[i]);
    ahead = ip->inequalities ? ahead / ip->inequalities : 0;
    sigma = ip->mu > 0 ? cti_fmax(0, ahead) / ip->mu : 0;
    sigma = sigma * sigma * sigma, share = reach * reach;
    for (tries = 0; tries < 2; tries++) {
        /* the second try is a pure centering step */
        for (i = 0; i < c->m; i++)
            ip->step.rc[i] = tries ? 0.8 * ip->mu - ip->s[i] * ip->y[i]
                                   : sigma * ip->mu - ip->s[i] * ip->y[i] - share * ip->step.ds[i] * ip->step.dy[i];
        cti_interior_direction(ip);
        reach = cti_interior_reach(ip, 0.995);
        if (reach > 0.05)
            break;
    }
    reach = cti_interior_center(ip, reach, sigma * ip->mu);
    cti_vec_add(c->n, reach, ip->step.dx, ip->x);
    for (i = 0; i < c->m; i++) {
        ip->y[i] += reach * ip->step.dy[i];
        if (!c->equation[i])
            ip->s[i] += reach * ip->step.ds[i], ip->y[i] = cti_fmax(ip->y[i], 1e-300), ip->s[i] = cti_fmax(ip->s[i], 1e-300);
    }
    ip->short_steps += reach < 0.3;
    if (reach < 0.1)
        cti_interior_lift(ip);
    return cti_finite64(reach) ? 1 : -1;
}

/* solves with the rows with y > s as equations and without the others, by proximal steps. 0: no memory */
static int cti_interior_polish(cti_interior *ip)
{
    cti_convex *c = &ip->c;
    double before = INFINITY, now;
    int i, it;
    for (i = 0; i < c->m; i++) {
        double inactive = c->kkt.dense ? 1e14 * c->kkt.W[cti_index(i, c->kkt.ld, i)] + 1 : 1e14;
        int active = c->equation[i] || ip->y[i] * (c->kkt.dense ? c->kkt.W[cti_index(i, c->kkt.ld, i)] : 1) > ip->s[i];
        ip->H[i] = active ? c->kkt.delta[i] : inactive;
        ip->kept.py[i] = active ? ip->y[i] : 0;
    }
    cti_vec_copy(c->n, ip->x, ip->kept.px);
    if (!cti_convex_factor(c, ip->H))
        return 0;
    for (it = 0; it < cti_program_tuned.convex.polish; it++) {
        cti_interior_residuals(ip, ip->kept.px, ip->kept.py, NULL);
        for (i = 0; i < c->m; i++)
            ip->step.rp[i] = ip->H[i] > c->kkt.delta[i] ? 0 : ip->step.rp[i];
        cti_convex_solve(c, ip->step.rd, ip->step.rp, ip->step.dx, ip->step.dy);
        cti_vec_add(c->n, 1, ip->step.dx, ip->kept.px);
        for (i = 0; i < c->m; i++) {
            ip->kept.py[i] = ip->H[i] > c->kkt.delta[i] ? 0 : ip->kept.py[i] + ip->step.dy[i];
            ip->g[i] = c->equation[i] ? ip->kept.py[i] : cti_fmax(0, ip->kept.py[i]);
        }
        now = cti_interior_offer(ip, ip->kept.px, ip->g);
        if (ip->own.best > 0.1 * ip->goal)
            cti_interior_offer_snapped(ip, ip->kept.px, ip->g);
        if (!(now < 0.5 * before) || ip->own.best <= 1e-14)
            break;
        before = now;
    }
    return 1;
}

/* ---- infeasibility ---- */

/* 1 if the multipliers prove that no feasible x exists; the proof is then in the answer's r. -1: no memory */
static int cti_interior_infeasible(cti_interior *ip)
{
    cti_convex *c = &ip->c;
    double value = 0, terms = 0, most = 0, off = 0;
    int i, k;
    if (c->dual || ip->p->kind != CTI_PROGRAM_QP)
        return 0;
    cti_vec_zero(c->n, c->kkt.t);
    for (i = 0; i < c->m; i++) {
        value += c->w[i] * ip->y[i], terms += fabs(c->w[i] * ip->y[i]);
        for (k = c->J.p[i]; k < c->J.p[i + 1]; k++)
            most = cti_fmax(most, fabs(c->J.x[k] * ip->y[i])), c->kkt.t[c->J.i[k]] += c->J.x[k] * ip->y[i];
    }
    for (i = 0; i < c->n; i++)
        off = cti_fmax(off, fabs(c->kkt.t[i]));
    if (!(value < -1e-6 * terms) || !(off < 1e-3 * most))
        return 0;
    return cti_convex_certify(c, ip->y, ip->a->x, ip->a->r);
}

/* how far row i of S d is from 0 (sign 0) or below it (sign 1), relative to its terms */
static double cti_interior_off(const cti_sparse *S, int i, const double *d, int sign)
{
    double sum = 0, terms = 0;
    int k;
    for (k = S->p[i]; k < S->p[i + 1]; k++)
        sum += S->x[k] * d[S->i[k]], terms += fabs(S->x[k] * d[S->i[k]]);
    sum = sign ? cti_fmax(-sum, 0) : fabs(sum);
    return sum > 0 ? sum / terms : sum;
}

/* 1 if x is on a ray d along which the objective falls without bound: A d = 0, J d >= 0, b'd > 0, while no multipliers satisfy the dynamics. d
   has the entries of x that have grown: the others' share of A x stays bounded. Each row is measured by its own terms: a large solution, where A is
   small, is no ray */
static int cti_interior_unbounded(cti_interior *ip)
{
    cti_convex *c = &ip->c;
    double *d = c->kkt.t, size = 0, off = 0, gain = 0, terms = 0, left = 0, most = 0;
    int i;
    cti_interior_residuals(ip, ip->x, ip->y, ip->s);
    for (i = 0; i < c->n; i++)
        size = cti_fmax(size, fabs(ip->x[i]));
    for (i = 0; i < c->n; i++) {
        d[i] = fabs(ip->x[i]) > cti_program_tuned.convex.grown * size ? ip->x[i] : 0;
        left = cti_fmax(left, fabs(ip->step.rd[i])), most = cti_fmax(most, fabs(c->b[i]));
        gain += c->b[i] * d[i], terms += fabs(c->b[i] * d[i]);
    }
    for (i = 0; i < c->n; i++)
        off = cti_fmax(off, cti_interior_off(&c->A, i, d, 0));
    for (i = 0; i < c->m; i++)
        off = cti_fmax(off, cti_interior_off(&c->J, i, d, !c->equation[i]));
    return off < 1e-8 && gain > 1e-6 * terms && left > 1e-6 * most;
}

/* for an LCP, the unbounded direction of its quadratic program proves that no solution exists: W'y <= 0, w'y < 0 */
static cti_outcome cti_interior_end_unbounded(cti_interior *ip)
{
    cti_convex_answer(&ip->c, ip->x, ip->y, ip->own.x, ip->own.r);
    if (ip->p->kind == CTI_PROGRAM_LCP && cti_program_certify(ip->p, ip->own.r, ip->own.work)) {
        cti_vec_copy(ip->p->n, ip->own.x, ip->a->x);
        cti_vec_copy(ip->p->m, ip->own.r, ip->a->r);
        return cti_answer_end(ip->a, CTI_OUTCOME_INFEASIBLE, "no r >= 0 has W r + w >= 0");
    }
    return cti_answer_end(ip->a, CTI_OUTCOME_FAILED, "the objective is not bounded from below");
}

/* ---- driver ---- */

static cti_outcome cti_interior_iterate(cti_interior *ip)
{
    int k, got, since = 0, stalled = 0;
    double before = INFINITY;
    ip->start.raise = 1;
    if (!cti_interior_start(ip))
        return CTI_OUTCOME_MEMORY;
    for (k = 0; cti_effort_goes_on(ip->e, k, cti_program_tuned.convex.iterations, ip->a->x, ip->a->r); k++) {
        ip->a->iterations = k + 1;
        cti_interior_measure(ip);
        ip->start.mu = k ? cti_fmax(ip->mu, ip->start.mu) : ip->mu;
        if (cti_interior_unbounded(ip))
            return cti_interior_end_unbounded(ip);
        cti_interior_offer(ip, ip->x, ip->y);
        if ((ip->close < 1e-4 || ip->mu < 1e-10 * ip->start.mu) && (++since % 3 == 1 || stalled || ip->own.best <= 0.1 * ip->goal) &&
            !cti_interior_polish(ip))
            return CTI_OUTCOME_MEMORY;
        if (ip->own.best <= 0.1 * ip->goal)
            return CTI_OUTCOME_SOLVED;
        got = cti_interior_infeasible(ip);
        if (got > 0)
            ip->a->why = "the rows contradict each other";
        if (got)
            return got > 0 ? CTI_OUTCOME_INFEASIBLE : CTI_OUTCOME_MEMORY;
        stalled = ip->own.best < before ? 0 : stalled + 1;
        before = ip->own.best;
        if (ip->own.best <= ip->goal && stalled >= 4)
            return CTI_OUTCOME_SOLVED;
        cti_interior_residuals(ip, ip->x, ip->y, ip->s);
        got = cti_interior_step(ip);
        if (got > 0 && ip->short_steps >= cti_program_tuned.convex.brief && ip->start.raise < cti_program_tuned.convex.raise_most) {
            /* the multipliers reach values far above the start's in many short steps only: the solve starts anew from larger ones */
            ip->start.raise *= cti_program_tuned.convex.raise, since = 0;
            got = cti_interior_start(ip);
        }
        if (got == 0)
            return CTI_OUTCOME_MEMORY;
        if (got < 0) {
            ip->a->why = "the numbers of a step are not finite";
            return ip->own.best <= ip->goal ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_FAILED;
        }
    }
    ip->a->why = "the bound on iterations or time was reached";
    return ip->own.best <= ip->goal ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_BUDGET;
}

CTI_FN cti_outcome cti_interior_solve(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_interior ip;
    cti_outcome outcome;
    int i;
    if (cti_program_has_friction(p))
        return cti_cones_solve(p, e, a);
    memset(&ip, 0, sizeof ip);
    ip.p = p, ip.e = e, ip.a = a, ip.goal = e->tolerance;
    a->why = cti_convex_open(&ip.c, p, 1, e->arena);
    if (a->why) {
        outcome = *a->why ? CTI_OUTCOME_NOT_APPLICABLE : CTI_OUTCOME_MEMORY;
    } else if (!cti_interior_alloc(&ip)) {
        outcome = CTI_OUTCOME_MEMORY;
    } else {
        for (i = 0; i < ip.c.m; i++)
            ip.inequalities += !ip.c.equation[i];
        outcome = cti_interior_iterate(&ip);
    }
    if (outcome == CTI_OUTCOME_SOLVED || !a->why)
        a->why = "";
    return outcome;
}
