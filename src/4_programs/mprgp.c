/* mprgp.c -- algorithm 3: conjugate gradients in the face, expansion, proportioning.
   Method: conjugate steps continue beyond the border of the feasible set as long as the objective of the projected point falls; the
   expansion step then projects. Both inner loops of algorithm 3 keep the objective from rising. A chain is a sequence of conjugate steps.
   Objectives are computed as differences to the start of the chain, which avoids cancellation. Based on: Li et al. 2015, algorithms 1 to 3.
   differs: the fixed step is 1.9 / (1.05 |A|), as 2 / |A| gives no decrease, and is halved when a step of it raises the objective; |A| is
   an estimate. An inner loop that does not end in 31 repetitions returns to its start. The proportioning test holds for feasible points
   only; outside the set a chain ends when a step gains little compared with the chain. Before an expansion with the fixed step length, the
   projected conjugate step is tried with half its length and less. The stop rule is on the largest entry of |phi + beta|, relative to the
   terms that cancel in it; the caller's judge decides in the end. */
#include "mprgp.h"
#include <limits.h>

/* guesses of the face by pivoting */
typedef struct cti_mprgp_guesses {
    double *x, *g, *q, *work; /* [n] point and gradient before it; -b; scratch */
    double shift;      /* proximal */
    int at;
} cti_mprgp_guesses;

/* largest entries of b and of the gradient's terms */
typedef struct cti_mprgp_sizes {
    double b, g;
    double *own, *terms; /* [groups] the same of each group */
    int at;              /* the group that the last test found too large */
} cti_mprgp_sizes;

/* a chain of conjugate steps: objective at x, and at its projection, less that at the chain's start */
typedef struct cti_mprgp_course {
    double fall, fall_projected;
    int feasible, budget;
} cti_mprgp_course;

typedef struct cti_mprgp_state {
    cti_mprgp_task *q;
    int n, steps;
    double *x, *g, *y, *p, *Ap, *z, *phi, *sum, *d, *Ad;
    cti_mprgp_guesses guess;
    double step;           /* the fixed step length */
    double tolerance;
    cti_mprgp_sizes size;
    cti_mprgp_course chain;
    cti_mprgp_split split;
} cti_mprgp_state;

static void cti_mprgp_product(cti_mprgp_state *m, const double *x, double *y)
{
    m->q->multiply(m->q->multiply_ctx, x, y);
    m->q->count->products++;
}

/* largest |a_i|, or |a_i - b_i|, of a group; NaN if one is NaN */
static double cti_mprgp_most_of(const cti_mprgp_groups *q, int group, const double *a, const double *b)
{
    double most = 0;
    int k;
    for (k = q->start[group]; k < q->start[group + 1]; k++) {
        double t = fabs(b ? a[k] - b[k] : a[k]);
        most = t > most || t != t ? t : most;
    }
    return most;
}

static void cti_mprgp_gradient(cti_mprgp_state *m, const double *x, double *g)
{
    int i;
    cti_mprgp_product(m, x, g);
    m->size.g = cti_most(m->n, g);
    for (i = 0; m->q->groups && i < m->q->groups->n; i++)
        m->size.terms[i] = cti_mprgp_most_of(m->q->groups, i, g, NULL);
    cti_vec_add(m->n, -1, m->q->b, g);
}

/* counts one more step; 0 when the budget is used up */
static int cti_mprgp_goes_on(cti_mprgp_state *m)
{
    cti_answer *a = m->q->answer;
    if (m->q->limit > 0 && m->steps >= m->q->limit)
        return 0;
    if (cti_effort_goes_on(m->q->effort, a->iterations, 2000000, a->x, a->r)) {
        a->iterations++, m->steps++;
        return 1;
    }
    m->chain.budget = 1;
    return 0;
}

/* ---- the norm of A ---- */

CTI_FN void cti_mprgp_power(int n, cti_mprgp_multiply multiply, void *ctx, double enough, double *v, double *w, cti_mprgp_counters *count)
{
    double before = 0, one = sqrt(cti_dot(n, v, v));
    int i, k;
    uint64_t seed = 88172645463325252ull;
    for (i = 0; i < n && !(one > 0 && cti_finite64(one)); i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        v[i] = 0.5 + (double)(seed >> 11) / 9007199254740992.0;
    }
    for (k = 0; k < cti_program_tuned.mprgp.power; k++) {
        one = sqrt(cti_dot(n, v, v));
        for (i = 0; i < n; i++)
            v[i] /= one > 0 ? one : 1;
        multiply(ctx, v, w);
        count->power++, count->products++;
        count->norm = sqrt(cti_dot(n, w, w));
        cti_vec_copy(n, w, v);
        if (!(count->norm > 0) || fabs(count->norm - before) <= enough * count->norm)
            break;
        before = count->norm;
    }
}

/* from the given start */
static void cti_mprgp_norm(cti_mprgp_state *m)
{
    double *power = m->q->power;
    if (power)
        cti_vec_copy(m->n, power, m->y);
    cti_mprgp_power(m->n, m->q->multiply, m->q->multiply_ctx, 1e-2, m->y, m->z, m->q->count);
    if (power)
        cti_vec_copy(m->n, m->y, power);
    m->step = m->q->count->norm > 0 ? 1.9 / (1.05 * m->q->count->norm) : 1;
}

/* ---- the state of the iteration ---- */

static void cti_mprgp_look(cti_mprgp_state *m) { cti_mprgp_set_split(m->q->set, m->g, m->step, m->phi, m->sum, &m->split); }

/* |phi + beta| of a group over its terms: b, A x, and the multipliers, which are the gradient's part that is not in phi + beta. Above the
   tolerance it may be returned larger than it is, unless `exact` */
static double cti_mprgp_share(const cti_mprgp_state *m, int group, int exact)
{
    const cti_mprgp_groups *q = m->q->groups;
    double most = q->n == 1 ? m->split.most : cti_mprgp_most_of(q, group, m->sum, NULL);
    double size = cti_fmax(m->size.own[group], m->size.terms[group]);
    if (exact || (most > m->tolerance * size && most <= m->tolerance * m->split.force))
        size = cti_fmax(size, q->n == 1 ? m->split.force : cti_mprgp_most_of(q, group, m->g, m->sum));
    return size > 0 ? most / size : (most == 0 ? 0 : INFINITY);
}

/* stores the residual of the last split */
static void cti_mprgp_measure(cti_mprgp_state *m)
{
    double size = cti_fmax(m->size.b, cti_fmax(m->size.g, m->split.force));
    int i;
    m->q->reached = size > 0 ? m->split.most / size : 0;
    for (i = 0; m->q->groups && i < m->q->groups->n; i++) {
        double share = cti_mprgp_share(m, i, 1);
        m->q->reached = i == 0 || share > m->q->reached || share != share ? share : m->q->reached;
    }
}

static int cti_mprgp_small(cti_mprgp_state *m)
{
    int k;
    if (!m->q->groups)
        return m->split.most <= m->tolerance * cti_fmax(m->size.b, cti_fmax(m->size.g, m->split.force));
    for (k = 0; k < m->q->groups->n; k++) {
        int group = (m->size.at + k) % m->q->groups->n;
        if (!(cti_mprgp_share(m, group, 0) <= m->tolerance)) {
            m->size.at = group;
            return 0;
        }
    }
    return 1;
}

/* makes x feasible and computes its gradient */
static void cti_mprgp_restart(cti_mprgp_state *m)
{
    m->q->set->noise = cti_fmax(m->q->set->noise, cti_program_tuned.mprgp.noise * cti_most(m->n, m->x));
    cti_mprgp_set_project(m->q->set, m->x);
    cti_mprgp_gradient(m, m->x, m->g);
    m->chain.feasible = 1;
    cti_mprgp_look(m);
}

/* objective at `to` minus that at `from`: half (to - from)'(g_from + g_to); *noise: its possible rounding error */
static double cti_mprgp_change(const cti_mprgp_state *m, const double *from, const double *g_from, const double *to, const double *g_to,
                               double *noise)
{
    double s = 0, most = 0, way = 0;
    int i;
    for (i = 0; i < m->n; i++) {
        double d = to[i] - from[i], term = d * (g_from[i] + g_to[i]) / 2;
        s += term, most += fabs(term), way += fabs(d);
    }
    *noise = 1e-13 * most + 1e-15 * way * cti_fmax(m->size.b, m->size.g);
    return s;
}

/* ---- expansion and proportioning ---- */

static void cti_mprgp_halve(cti_mprgp_state *m)
{
    if (m->q->count->halvings < 30)
        m->step /= 2, m->q->count->halvings++;
}

/* the inner loops of algorithm 3: x = P(x - step g) until the objective is not above that at y. On entry x is a trial point with gradient
   g. by_step: it came from the fixed step, which is too long if the objective rose */
static void cti_mprgp_descend(cti_mprgp_state *m, const double *y, const double *g_y, int by_step)
{
    double noise, change = cti_mprgp_change(m, y, g_y, m->x, m->g, &noise);
    int turn;
    if (by_step && change > noise)
        cti_mprgp_halve(m);
    for (turn = 0; change > noise && turn < 31; turn++) {
        double before = change;
        cti_vec_add(m->n, -m->step, m->g, m->x);
        cti_mprgp_set_project(m->q->set, m->x);
        cti_mprgp_gradient(m, m->x, m->g);
        m->q->count->inner++;
        change = cti_mprgp_change(m, y, g_y, m->x, m->g, &noise);
        if (change > before + noise)
            cti_mprgp_halve(m);
        if (turn >= 30 && change > noise) {
            cti_vec_copy(m->n, y, m->x), cti_vec_copy(m->n, g_y, m->g);
            cti_mprgp_set_project(m->q->set, m->x);
            break;
        }
    }
}

/* tries the conjugate step from a feasible x, shortened and projected; 1 when it lowers the objective */
static int cti_mprgp_shorten(cti_mprgp_state *m, double alpha)
{
    double noise, length = alpha / 2;
    int i, k;
    for (k = 0; k < 6; k++, length /= 2) {
        for (i = 0; i < m->n; i++)
            m->y[i] = m->x[i] - length * m->p[i];
        cti_mprgp_set_project(m->q->set, m->y);
        cti_mprgp_gradient(m, m->y, m->Ad);
        if (cti_mprgp_change(m, m->x, m->g, m->y, m->Ad, &noise) < -noise) {
            cti_vec_copy(m->n, m->y, m->x), cti_vec_copy(m->n, m->Ad, m->g);
            m->q->count->projected++;
            return 1;
        }
    }
    cti_mprgp_set_project(m->q->set, m->x);
    return 0;
}

/* step 3: y = P(x), x = P(y - step phi(y)) */
static void cti_mprgp_expand(cti_mprgp_state *m)
{
    m->q->count->expansions++;
    if (!m->chain.feasible)
        cti_mprgp_restart(m);
    cti_vec_copy(m->n, m->x, m->d), cti_vec_copy(m->n, m->g, m->Ad);
    cti_vec_add(m->n, -m->step, m->phi, m->x);
    cti_mprgp_set_project(m->q->set, m->x);
    cti_mprgp_gradient(m, m->x, m->g);
    cti_mprgp_descend(m, m->d, m->Ad, 1);
}

/* step 4: x = P(x - alpha_p beta), alpha_p = beta'g / beta'A beta. 0 when beta has no curvature and meets no bound */
static int cti_mprgp_proportion(cti_mprgp_state *m)
{
    double curvature, alpha;
    int i;
    m->q->count->proportionings++;
    for (i = 0; i < m->n; i++)
        m->p[i] = m->sum[i] - m->phi[i];
    cti_mprgp_product(m, m->p, m->Ap);
    curvature = cti_dot(m->n, m->p, m->Ap);
    if (curvature < -1e-10 * m->q->count->norm * m->split.beta2)
        return 0;
    alpha = curvature > 1e-15 * m->q->count->norm * m->split.beta2 ? m->split.beta2 / curvature : m->step;
    cti_vec_copy(m->n, m->x, m->d), cti_vec_copy(m->n, m->g, m->Ad);
    cti_vec_add(m->n, -alpha, m->p, m->x);
    cti_mprgp_set_project(m->q->set, m->x);
    cti_mprgp_gradient(m, m->x, m->g);
    cti_mprgp_descend(m, m->d, m->Ad, 0);
    return 1;
}

/* ---- conjugate steps ---- */

/* d'A d for a d with few entries, which are in these rows */
static double cti_mprgp_energy(cti_mprgp_state *m, const int32_t *rows, int count)
{
    const cti_sparse *A = m->q->A, *J = &m->q->set->J;
    double e = 0;
    int r, i, k, at;
    if (!A && m->q->energy && count <= m->n / 8)
        return m->q->energy(m->q->multiply_ctx, m->d, rows, count);
    if (!A || count > m->n / 8) {
        cti_mprgp_product(m, m->d, m->Ad);
        return cti_dot(m->n, m->d, m->Ad);
    }
    for (r = 0; r < count; r++) {
        int first = J->p ? J->p[rows[r]] : 0, last = J->p ? J->p[rows[r] + 1] : 1;
        for (at = first; at < last; at++) {
            double s = 0, own = J->p ? J->x[at] * m->Ad[rows[r]] : m->d[rows[r]];
            i = J->p ? J->i[at] : rows[r];
            for (k = A->p[i]; k < A->p[i + 1]; k++)
                s += A->x[k] * m->d[A->i[k]];
            e += own * s;
        }
    }
    return e;
}

/* objective at P(y) minus that at y, for y outside the set: g_y'd + d'A d / 2 with d = P(y) - y. s of the set is that of y */
static double cti_mprgp_pull(cti_mprgp_state *m, double alpha, int32_t *rows)
{
    cti_mprgp_set *set = m->q->set;
    double work = 0;
    int i, k, count = 0;
    cti_vec_zero(m->n, m->d);
    for (i = 0; i < set->rows; i++) {
        double s = set->s[i], c = s < set->lo[i] ? set->lo[i] - s : (s > set->hi[i] ? set->hi[i] - s : 0);
        if (c == 0 || set->face[i] != CTI_FACE_FREE)
            continue;
        rows[count++] = i;
        m->Ad[i] = c; /* rows <= n */
        if (!set->J.p)
            m->d[i] = c;
        for (k = set->J.p ? set->J.p[i] : 0; set->J.p && k < set->J.p[i + 1]; k++)
            m->d[set->J.i[k]] += c * set->J.x[k];
    }
    for (i = 0; i < m->n; i++)
        if (m->d[i] != 0)
            work += m->d[i] * (m->g[i] - alpha * m->Ap[i]);
    return work + cti_mprgp_energy(m, rows, count) / 2;
}

/* largest step along -p within the set */
static double cti_mprgp_reach(const cti_mprgp_state *m)
{
    const cti_mprgp_set *set = m->q->set;
    double reach = INFINITY;
    int i, k;
    for (i = 0; i < set->rows; i++) {
        double v = 0;
        if (set->face[i] != CTI_FACE_FREE)
            continue;
        if (!set->J.p)
            v = m->p[i];
        for (k = set->J.p ? set->J.p[i] : 0; set->J.p && k < set->J.p[i + 1]; k++)
            v += set->J.x[k] * m->p[set->J.i[k]];
        if (v != 0)
            reach = cti_fmin(reach, cti_fmax(0, v > 0 ? (set->s[i] - set->lo[i]) / v : (set->s[i] - set->hi[i]) / v));
    }
    return reach;
}

static void cti_mprgp_precondition_phi(cti_mprgp_state *m)
{
    if (m->q->precondition)
        cti_mprgp_preconditioner_apply(m->q->precondition, m->phi, m->z);
    else
        cti_vec_copy(m->n, m->phi, m->z);
}

typedef enum cti_mprgp_chain { CTI_CHAIN_OUT, CTI_CHAIN_IN, CTI_CHAIN_FLAT, CTI_CHAIN_INDEFINITE } cti_mprgp_chain;

/* makes y = x - alpha p the new x, with the results of algorithm 2's loop test */
static void cti_mprgp_accept(cti_mprgp_state *m, double alpha, double gp, int inside, double projected)
{
    cti_vec_add(m->n, -alpha, m->Ap, m->g);
    cti_vec_copy(m->n, m->y, m->x);
    m->chain.fall -= alpha * gp / 2;
    m->chain.fall_projected = projected;
    m->chain.feasible = inside;
    m->q->count->cg++;
    cti_mprgp_look(m);
}

/* algorithm 2: conjugate steps in the face. OUT: the chain left the set, IN: it did not. *out_alpha: length of the step that was not taken,
   0: none */
static cti_mprgp_chain cti_mprgp_conjugate(cti_mprgp_state *m, int32_t *rows, double *out_alpha)
{
    cti_mprgp_task *q = m->q;
    double gp, pAp, alpha, projected;
    int i, inside, slow, length = 0;
    m->chain.fall = m->chain.fall_projected = 0;
    *out_alpha = 0;
    cti_mprgp_precondition_phi(m);
    cti_vec_copy(m->n, m->z, m->p);
    for (;;) {
        /* differs: phi'p for g'p, equal in the face; otherwise p's rounding errors out of the face would be multiplied with all of g */
        cti_mprgp_product(m, m->p, m->Ap);
        gp = cti_dot(m->n, m->phi, m->p), pAp = cti_dot(m->n, m->p, m->Ap);
        if (pAp <= 1e-15 * q->count->norm * cti_dot(m->n, m->p, m->p))
            return pAp < -1e-10 * q->count->norm * cti_dot(m->n, m->p, m->p) ? CTI_CHAIN_INDEFINITE : CTI_CHAIN_FLAT;
        alpha = gp / pAp;
        for (i = 0; i < m->n; i++)
            m->y[i] = m->x[i] - alpha * m->p[i];
        inside = cti_mprgp_set_values(q->set, m->y) == 0;
        projected = m->chain.fall - alpha * gp / 2 + (inside ? 0 : cti_mprgp_pull(m, alpha, rows));
        if (!(projected <= m->chain.fall_projected + 1e-13 * fabs(m->chain.fall_projected))) {
            *out_alpha = alpha;
            if (m->chain.feasible) /* s of x again */
                cti_mprgp_set_values(q->set, m->x);
            return CTI_CHAIN_OUT;
        }
        slow = !inside && m->chain.fall_projected - projected <= cti_program_tuned.mprgp.slow * fabs(projected);
        cti_mprgp_accept(m, alpha, gp, inside, projected);
        if (slow)
            return CTI_CHAIN_OUT;
        if (cti_mprgp_small(m) || (!inside && sqrt(m->split.phi2) <= 1e-12 * cti_fmax(m->size.b, m->size.g)))
            return inside ? CTI_CHAIN_IN : CTI_CHAIN_OUT;
        if (inside && m->split.beta2 > q->gamma * q->gamma * m->split.reduced)
            return CTI_CHAIN_IN;
        if (!cti_mprgp_goes_on(m))
            return inside ? CTI_CHAIN_IN : CTI_CHAIN_OUT;
        /* refactors the face if the present factor is not good enough */
        if (q->precondition && q->precondition->kind == CTI_PRECONDITION_FACE && ++length % 10 == 0) {
            int renewed = cti_mprgp_preconditioner_renew(&q->effort->arena->own, q->precondition);
            cti_mprgp_precondition_phi(m);
            if (renewed > 0) {
                cti_vec_copy(m->n, m->z, m->p);
                continue;
            }
        } else {
            cti_mprgp_precondition_phi(m);
        }
        alpha = cti_dot(m->n, m->z, m->Ap) / pAp;
        for (i = 0; i < m->n; i++)
            m->p[i] = m->z[i] - alpha * m->p[i];
        cti_mprgp_set_flatten(q->set, m->p);
    }
}

/* ---- algorithm 3 ---- */

static int cti_mprgp_reserve(cti_mprgp_state *m, int32_t **rows)
{
    cti_arena *arena = m->q->effort->arena;
    double **const all[] = {&m->g,   &m->y, &m->p,  &m->Ap,      &m->z,       &m->phi,     &m->sum,
                            &m->d, &m->Ad, &m->guess.x, &m->guess.g, &m->guess.q, &m->guess.work};
    double **const sizes[] = {&m->size.own, &m->size.terms};
    *rows = CTI_ARENA_NEW(arena, int32_t, m->q->set->rows);
    m->guess.at = 4;
    return *rows && CTI_ARENA_VECTORS(arena, cti_max_int(m->n, m->q->set->rows), all) &&
           (!m->q->groups || CTI_ARENA_VECTORS(arena, m->q->groups->n, sizes));
}

/* the sizes of b */
static void cti_mprgp_measure_b(cti_mprgp_state *m)
{
    const cti_mprgp_groups *q = m->q->groups;
    int i;
    m->size.b = cti_most(m->n, m->q->b);
    for (i = 0; q && i < q->n; i++)
        m->size.own[i] = cti_fmax(q->least[i], cti_mprgp_most_of(q, i, m->q->b, NULL));
}

/* a direction without curvature: moves to the border of the set; 0 if there is none */
static int cti_mprgp_flat(cti_mprgp_state *m)
{
    double reach;
    if (!m->chain.feasible) {
        cti_mprgp_restart(m);
        return 1;
    }
    cti_mprgp_set_values(m->q->set, m->x);
    reach = cti_mprgp_reach(m);
    if (!(reach < 1e290))
        return 0;
    cti_vec_add(m->n, -reach, m->p, m->x);
    m->q->count->expansions++;
    cti_mprgp_restart(m);
    return 1;
}

/* 1 if x is an acceptable result. If x meets the tolerance but the judge rejects it, the tolerance is reduced */
static int cti_mprgp_finished(cti_mprgp_state *m)
{
    cti_mprgp_restart(m);
    if (!cti_mprgp_small(m))
        return 0;
    if (!m->q->calls.done || m->q->calls.done(m->q->calls.ctx, m->x, m->g))
        return 1;
    m->tolerance /= 10;
    return 0;
}

/* Block pivoting from x, with a small multiple of the squared distance to the guess's start added to the objective if faces are singular: such a
   result is a proximal step. 1: x, g and the faces are a minimum */
static int cti_mprgp_pivot(cti_mprgp_state *m)
{
    cti_mprgp_task *q = m->q;
    cti_sparse_pivot s;
    int i, before = q->answer->iterations, said;
    memset(&s, 0, sizeof s);
    for (i = 0; i < m->n; i++)
        m->guess.q[i] = -q->b[i];
    s.rule.rounds = INT_MAX, s.rule.singles = cti_program_tuned.mprgp.singles, s.rule.lo = q->set->lo, s.rule.hi = q->set->hi;
    s.rule.state = q->set->face, s.rule.z = m->x, s.rule.u = m->g, s.rule.e = q->effort, s.rule.a = q->answer;
    s.M = q->A, s.q = m->guess.q, s.prox = m->guess.shift, s.near_to = m->guess.x, s.slight = cti_program_tuned.pivot.slope, s.work = m->guess.work;
    s.mem = &q->effort->arena->own, s.face = &q->precondition->face;
    said = cti_sparse_pivot_run(&s) == CTI_OUTCOME_SOLVED;
    q->count->pivots += q->answer->iterations - before, q->count->products += 3 * (q->answer->iterations - before);
    return said;
}

/* guesses the face by pivoting, from the feasible x; 1 when that lowered the objective. Tried more rarely after each failure */
static int cti_mprgp_guess(cti_mprgp_state *m)
{
    cti_mprgp_set *set = m->q->set;
    double noise;
    int turn;
    if (!m->q->precondition || m->q->precondition->kind != CTI_PRECONDITION_FACE || m->q->count->expansions < m->guess.at)
        return 0;
    cti_vec_copy(m->n, m->x, m->guess.x), cti_vec_copy(m->n, m->g, m->guess.g);
    for (turn = 0; turn < 3; turn++) {
        if (cti_mprgp_pivot(m)) {
            cti_mprgp_set_project(set, m->x);
            cti_mprgp_gradient(m, m->x, m->g);
            m->guess.at = m->guess.shift > 0 ? 0 : 2 * m->q->count->expansions + 6;
            m->guess.shift /= 4;
            if (cti_mprgp_change(m, m->guess.x, m->guess.g, m->x, m->g, &noise) <= noise)
                return 1;
        }
        m->guess.at = 2 * m->q->count->expansions + 6;
        m->guess.shift = cti_fmin(cti_fmax(cti_program_tuned.mprgp.proximal, 30 * m->guess.shift), 1e-1);
        cti_vec_copy(m->n, m->guess.x, m->x), cti_vec_copy(m->n, m->guess.g, m->g);
        cti_mprgp_set_project(set, m->x);
    }
    cti_mprgp_look(m);
    return 0;
}

/* one step of algorithm 3 that begins at a feasible x */
static cti_mprgp_end cti_mprgp_step(cti_mprgp_state *m, int32_t *rows)
{
    double alpha;
    cti_mprgp_chain chain;
    if (m->split.beta2 > m->q->gamma * m->q->gamma * m->split.reduced)
        return cti_mprgp_proportion(m) ? CTI_MPRGP_DONE : CTI_MPRGP_INDEFINITE;
    if (m->q->precondition && m->q->precondition->kind == CTI_PRECONDITION_FACE && m->q->precondition->face.factors == 0 &&
        cti_mprgp_preconditioner_renew(&m->q->effort->arena->own, m->q->precondition) < 0)
        return CTI_MPRGP_MEMORY;
    chain = cti_mprgp_conjugate(m, rows, &alpha);
    if (chain == CTI_CHAIN_INDEFINITE)
        return CTI_MPRGP_INDEFINITE;
    if (chain == CTI_CHAIN_FLAT)
        return cti_mprgp_flat(m) ? CTI_MPRGP_DONE : CTI_MPRGP_UNBOUNDED;
    if (chain == CTI_CHAIN_OUT && m->chain.feasible && cti_mprgp_guess(m))
        return CTI_MPRGP_DONE;
    if (chain == CTI_CHAIN_OUT && !(m->chain.feasible && m->q->projected && alpha > 0 && cti_mprgp_shorten(m, alpha)))
        cti_mprgp_expand(m);
    else if (chain == CTI_CHAIN_OUT)
        m->q->count->expansions++;
    return CTI_MPRGP_DONE;
}

static cti_mprgp_end cti_mprgp_outline(cti_mprgp_state *m, int32_t *rows)
{
    const cti_mprgp_calls *calls = &m->q->calls;
    cti_mprgp_end end = CTI_MPRGP_DONE;
    int turn;
    cti_mprgp_measure_b(m);
    cti_mprgp_norm(m);
    cti_mprgp_restart(m);
    for (turn = 0; end == CTI_MPRGP_DONE; turn++) {
        cti_mprgp_look(m);
        if (cti_mprgp_small(m) && cti_mprgp_finished(m))
            return CTI_MPRGP_DONE;
        if (m->tolerance < 1e-16 || m->split.most != m->split.most)
            return CTI_MPRGP_STALLED;
        if (!cti_mprgp_goes_on(m))
            return m->chain.budget ? CTI_MPRGP_BUDGET : CTI_MPRGP_STALLED;
        if (calls->infeasible && turn % 64 == 63 && calls->infeasible(calls->infeasible_ctx, m->x))
            return CTI_MPRGP_UNBOUNDED;
        end = cti_mprgp_step(m, rows);
        if (end == CTI_MPRGP_DONE && !m->chain.feasible)
            cti_mprgp_restart(m);
        m->chain.feasible = 1;
    }
    if (end == CTI_MPRGP_UNBOUNDED && calls->infeasible) { /* the direction -p */
        for (turn = 0; turn < m->n; turn++)
            m->y[turn] = -m->p[turn];
        calls->infeasible(calls->infeasible_ctx, m->y);
    }
    return end;
}

typedef struct cti_mprgp_view {
    cti_mprgp_task *q;
    const double *x;
} cti_mprgp_view;

static void cti_mprgp_show(void *ctx)
{
    cti_mprgp_view *v = (cti_mprgp_view *)ctx;
    v->q->calls.show(v->q->calls.ctx, v->x);
}

CTI_FN cti_mprgp_end cti_mprgp_run(cti_mprgp_task *q, double *x)
{
    cti_effort *e = q->effort;
    cti_mprgp_view view;
    cti_mprgp_state m;
    int32_t *rows;
    cti_mprgp_end end;
    memset(&m, 0, sizeof m);
    m.q = q, m.n = q->n, m.x = x, m.tolerance = q->tolerance;
    if (!cti_mprgp_reserve(&m, &rows))
        return CTI_MPRGP_MEMORY;
    view.q = q, view.x = x;
    if (q->calls.show)
        e->watcher.show = cti_mprgp_show, e->watcher.show_ctx = &view;
    end = cti_mprgp_outline(&m, rows);
    cti_mprgp_measure(&m);
    e->watcher.show = NULL;
    return end;
}
