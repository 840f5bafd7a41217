/* pgs.c -- projected Gauss-Seidel on u = W r + q.
   Method: a unit is a contact, or a row of a problem without friction; each is solved exactly with the others held fixed (coulomb.c for a
   contact). With a dense symmetric W, u is kept up to date through the columns whose r changes, so that open contacts cost nothing. With a
   sparse W, which may be unsymmetric, u is computed from rows. The change in a sweep decides when the judge is asked; the judge decides
   when to end.
   based on: lecture notes 4.1.2 and Otaduy et al. 2009, section 5.3 (projected Gauss-Seidel on the Schur complement); Jourdan, Alart, Jean
   1998. */
#include "pgs.h"
#include "coulomb.h"
#include "mixing.h"
#include "../2_linalg/lu.h"

/* ---- sequence ---- */

static int cti_pgs_stride(const cti_pgs *s) { return s->mu ? 3 : 1; }

/* 1 if units i and j have a common entry of W */
static int cti_pgs_coupled(const cti_pgs *s, int i, int j)
{
    int n = cti_pgs_stride(s), a, b;
    for (a = n * i; a < n * i + n; a++)
        for (b = n * j; b < n * j + n; b++)
            if (s->W[cti_index(a, s->ld, b)] != 0)
                return 1;
    return 0;
}

/* marks the colours of the coloured units that i is coupled with: mark[colour] = i + 1 */
static void cti_pgs_forbid(const cti_pgs *s, int i, const int32_t *colour, int32_t *mark)
{
    int n = cti_pgs_stride(s), j, a, k;
    if (s->W) {
        for (j = 0; j < s->units; j++)
            if (colour[j] >= 0 && mark[colour[j]] != i + 1 && cti_pgs_coupled(s, i, j))
                mark[colour[j]] = i + 1;
        return;
    }
    for (a = n * i; a < n * i + n; a++)
        for (k = s->S->p[a]; k < s->S->p[a + 1]; k++) {
            j = s->S->i[k] / n;
            if (colour[j] >= 0 && s->S->x[k] != 0)
                mark[colour[j]] = i + 1;
        }
}

/* units by colour: no two units of a colour are coupled through a row of the later one. Greedy, in the order of the rows. 0 when memory ran
   out */
static int cti_pgs_colours(cti_pgs *s, cti_arena *arena)
{
    int32_t *colour = CTI_ARENA_NEW(arena, int32_t, s->units), *mark = CTI_ARENA_ZERO(arena, int32_t, (size_t)s->units + 1);
    int i, c, n = 0, most = 0;
    if (!colour || !mark)
        return 0;
    for (i = 0; i < s->units; i++)
        colour[i] = -1;
    for (i = 0; i < s->units; i++) {
        cti_pgs_forbid(s, i, colour, mark);
        for (c = 0; mark[c] == i + 1; c++) {
        }
        colour[i] = c;
        most = cti_max_int(most, c);
    }
    for (c = 0; c <= most; c++)
        for (i = 0; i < s->units; i++)
            if (colour[i] == c)
                s->sequence[n++] = i;
    return 1;
}

/* ---- u ---- */

static void cti_pgs_refresh(cti_pgs *s, const double *r)
{
    int i;
    for (i = 0; i < s->m; i++)
        s->u[i] = s->q[i] + cti_lu_dot(s->W + (size_t)i * (size_t)s->ld, r, s->m);
}

/* the current u of row i */
static double cti_pgs_row(const cti_pgs *s, int i, const double *r)
{
    double sum;
    int k;
    if (s->W)
        return s->u[i];
    sum = s->q[i];
    for (k = s->S->p[i]; k < s->S->p[i + 1]; k++)
        sum += s->S->x[k] * r[s->S->i[k]];
    return sum;
}

/* 1 if the three rows of every contact have the same columns, which are whole contacts */
static int cti_pgs_is_blocked(const cti_sparse *S)
{
    int i, k, a, n;
    for (i = 0; i + 2 < S->rows; i += 3) {
        const int32_t *at = S->i + S->p[i];
        n = S->p[i + 1] - S->p[i];
        if (n % 3 || S->p[i + 2] - S->p[i + 1] != n || S->p[i + 3] - S->p[i + 2] != n)
            return 0;
        for (k = 0; k < n; k++)
            if (at[k] % 3 != k % 3 || (k % 3 && at[k] != at[k - 1] + 1))
                return 0;
        for (a = 1; a < 3; a++)
            if (n && memcmp(at, S->i + S->p[i + a], sizeof *at * (size_t)n) != 0)
                return 0;
    }
    return 1;
}

/* the current u [3] of contact i */
static void cti_pgs_rows(const cti_pgs *s, int i, const double *r, double *u)
{
    const cti_sparse *S = s->S;
    int k, n;
    if (s->W || !s->blocked) {
        for (k = 0; k < 3; k++)
            u[k] = cti_pgs_row(s, 3 * i + k, r);
        return;
    }
    n = S->p[3 * i + 1] - S->p[3 * i];
    {
        const double *x = S->x + S->p[3 * i], *y = x + n, *z = y + n;
        const int32_t *at = S->i + S->p[3 * i];
        double u0 = s->q[3 * i], u1 = s->q[3 * i + 1], u2 = s->q[3 * i + 2];
        for (k = 0; k < n; k += 3) {
            const double *v = r + at[k];
            u0 += x[k] * v[0] + x[k + 1] * v[1] + x[k + 2] * v[2];
            u1 += y[k] * v[0] + y[k + 1] * v[1] + y[k + 2] * v[2];
            u2 += z[k] * v[0] + z[k + 1] * v[1] + z[k + 2] * v[2];
        }
        u[0] = u0, u[1] = u1, u[2] = u2;
    }
}

/* u += W(:, i) dr, for a symmetric W */
static void cti_pgs_move(cti_pgs *s, int i, double dr)
{
    const double *w = s->W ? s->W + (size_t)i * (size_t)s->ld : NULL;
    cti_d8 v = cti_d8_set(dr);
    int k = 0;
    if (!w || dr == 0)
        return;
    for (; k + 8 <= s->m; k += 8)
        cti_d8_store(s->u + k, cti_d8_add(cti_d8_load(s->u + k), cti_d8_mul(v, cti_d8_load(w + k))));
    for (; k < s->m; k++)
        s->u[k] += w[k] * dr;
}

static double cti_pgs_entry(const cti_pgs *s, int i, int j)
{
    return s->W ? s->W[cti_index(i, s->ld, j)] : cti_sparse_at(s->S, i, j);
}

CTI_FN int cti_pgs_open(cti_pgs *s, cti_arena *arena, const double *r)
{
    int i, a, n = cti_pgs_stride(s);
    s->units = s->m / n, s->sweeps = 0;
    s->sequence = CTI_ARENA_NEW(arena, int32_t, s->units), s->block = CTI_ARENA_NEW(arena, double, (size_t)(n * n) * (size_t)s->units);
    s->u = CTI_ARENA_NEW(arena, double, s->m);
    if (!s->sequence || !s->block || !s->u)
        return 0;
    for (i = 0; i < s->units; i++) {
        s->sequence[i] = i;
        for (a = 0; a < n * n; a++)
            s->block[n * n * i + a] = cti_pgs_entry(s, n * i + a / n, n * i + a % n);
    }
    s->blocked = !s->W && n == 3 && cti_pgs_is_blocked(s->S);
    if (s->W)
        cti_pgs_refresh(s, r);
    return s->order != 2 || cti_pgs_colours(s, arena);
}

/* ---- sweeps ---- */

/* solves contact i; *moved += |dr|^2, *size += |r|^2 */
static void cti_pgs_contact(cti_pgs *s, int i, double *r, double *moved, double *size)
{
    const double *W = s->block + 9 * (size_t)i;
    double *ri = r + 3 * i, q[3], t[3], mu = s->mu[i];
    int k;
    cti_pgs_rows(s, i, r, q);
    for (k = 0; k < 3; k++) {
        q[k] -= W[3 * k] * ri[0] + W[3 * k + 1] * ri[1] + W[3 * k + 2] * ri[2];
        t[k] = ri[k];
    }
    cti_coulomb_solve(W, q, mu, t);
    if (s->relaxation != 1) {
        for (k = 0; k < 3; k++)
            t[k] = ri[k] + s->relaxation * (t[k] - ri[k]);
        cti_cone_project3(mu, t);
    }
    for (k = 0; k < 3; k++) {
        double dr = t[k] - ri[k];
        cti_pgs_move(s, 3 * i + k, dr);
        ri[k] = t[k];
        *moved += dr * dr, *size += t[k] * t[k];
    }
}

/* solves row i; *moved: largest W_ii |dr|, *size: largest |u| */
static void cti_pgs_scalar(cti_pgs *s, int i, double *r, double *moved, double *size)
{
    double d = s->block[i], u = cti_pgs_row(s, i, r), v = r[i], dr;
    double lo = s->lo ? s->lo[i] : 0, hi = s->hi ? s->hi[i] : INFINITY;
    int equation = s->equation && s->equation[i];
    if (d > 0)
        v -= s->relaxation * u / d;
    else if (u != 0 && !equation)
        v = u > 0 ? (cti_finite64(lo) ? lo : v) : (cti_finite64(hi) ? hi : v);
    if (!equation)
        v = v < lo ? lo : (v > hi ? hi : v);
    dr = v - r[i];
    cti_pgs_move(s, i, dr);
    r[i] = v;
    *moved = cti_fmax(*moved, fabs(dr) * (d > 0 ? d : 1)), *size = cti_fmax(*size, fabs(u));
    if (v != v)
        *moved = v;
}

CTI_FN double cti_pgs_sweep(cti_pgs *s, double *r)
{
    double moved = 0, size = 0, q = 0;
    int k, pass, i;
    if (s->W && ++s->sweeps % cti_program_tuned.pgs.refresh == 0)
        cti_pgs_refresh(s, r);
    for (pass = 0; pass < (s->order == 1 ? 2 : 1); pass++)
        for (k = 0; k < s->units; k++) {
            i = s->sequence[pass ? s->units - 1 - k : k];
            if (s->mu)
                cti_pgs_contact(s, i, r, &moved, &size);
            else
                cti_pgs_scalar(s, i, r, &moved, &size);
        }
    if (s->mu)
        return moved == 0 ? 0 : sqrt(moved / size);
    for (i = 0; i < s->m; i++)
        q = cti_fmax(q, fabs(s->q[i]));
    size = cti_fmax(size, q);
    return moved == 0 ? 0 : moved / size;
}

/* computes x and asks the judge */
static double cti_pgs_judge(const cti_program *p, cti_dual *d, cti_answer *a, double *work)
{
    cti_judgement j;
    cti_dual_x(d, a->r, a->x);
    cti_program_judge(p, a->x, a->r, work, &j);
    return j.residual;
}

/* bound on sweeps: about 2e10 multiplications */
static int cti_pgs_bound(const cti_pgs *s)
{
    double work = s->W ? (double)s->m * (double)s->m : (s->m ? (double)s->S->p[s->m] : 0);
    work = 2e10 / (work + 64.0 * s->units + 1);
    return work > 1e6 ? 1000000 : (work < 200 ? 200 : (int)work);
}

typedef struct cti_pgs_view {
    const cti_program *p;
    cti_dual *d;
    cti_answer *a;
} cti_pgs_view;

static void cti_pgs_show(void *ctx)
{
    cti_pgs_view *q = (cti_pgs_view *)ctx;
    cti_dual_x(q->d, q->a->r, q->a->x);
}

/* cti_pgs_trend -- detects divergence and cycles, which become visible only over many sweeps. With a positive semidefinite symmetric W neither
   occurs, since sweeps lower an objective. */
typedef struct cti_pgs_trend {
    int unsymmetric, doublings;
    double most;          /* largest |r_i| at the last test */
    double least, before; /* smallest change in this window, and in the last one */
} cti_pgs_trend;

/* after sweep k (from 1): NULL, or why the sweeps will not converge */
static const char *cti_pgs_trend_look(cti_pgs_trend *t, int k, double change, const double *r, int m)
{
    double most = 0;
    int i;
    t->least = cti_fmin(t->least, change);
    if (k % cti_program_tuned.pgs.look == 0) {
        for (i = 0; i < m; i++)
            most = cti_fmax(most, fabs(r[i]));
        t->doublings = t->most > 0 && most >= 2 * t->most ? t->doublings + 1 : 0;
        t->most = most;
    }
    if (t->doublings >= cti_program_tuned.pgs.doublings)
        return "the sweeps diverge: r doubles again and again";
    if (!t->unsymmetric || k < cti_program_tuned.pgs.window || (k & (k - 1)) != 0)
        return NULL;
    if (t->least > cti_program_tuned.pgs.progress * t->before)
        return "the sweeps go round in circles: W is not symmetric, and their changes do not become smaller";
    t->before = t->least, t->least = INFINITY;
    return NULL;
}

/* prepares acceleration of the sweeps as a map of r, in units in which all contacts have equal weight. weight [m]. 0 when memory ran out */
static int cti_pgs_mix(const cti_pgs *s, cti_arena *arena, cti_mixing *mixing, double *weight)
{
    int i, n = cti_pgs_stride(s);
    for (i = 0; i < s->m; i++)
        weight[i] = sqrt(cti_fmax(0, n == 3 ? s->block[9 * (i / 3)] + s->block[9 * (i / 3) + 4] + s->block[9 * (i / 3) + 8] : s->block[i]));
    return cti_mixing_open(mixing, arena, s->m, CTI_MIXING_SWEEPS, weight, s->W != NULL);
}

static cti_outcome cti_pgs_relax(cti_pgs *s, const cti_program *p, cti_dual *d, cti_effort *e, cti_answer *a)
{
    double *work = cti_judge_work(e->arena, p), ask = e->tolerance, change, residual;
    double *before = e->mix ? CTI_ARENA_NEW(e->arena, double, 2 * (size_t)p->m) : NULL;
    int k, own = cti_pgs_bound(s);
    cti_pgs_trend trend;
    cti_mixing mixing;
    if (!work || (e->mix && (!before || !cti_pgs_mix(s, e->arena, &mixing, before + p->m))))
        return CTI_OUTCOME_MEMORY;
    memset(&trend, 0, sizeof trend);
    trend.unsymmetric = !s->W && !e->mix && cti_sparse_asymmetry(s->S, 1) > 1e-6, trend.least = trend.before = INFINITY;
    for (k = 0; cti_effort_goes_on(e, k, own, a->x, a->r); k++) {
        if (before)
            cti_vec_copy(p->m, a->r, before);
        change = cti_pgs_sweep(s, a->r);
        a->iterations = k + 1;
        a->why = change != change || change > 1e100 ? "the sweeps diverge" : cti_pgs_trend_look(&trend, k + 1, change, a->r, p->m);
        if (a->why) {
            if (!(change <= 1e100) || trend.doublings) /* diverged numbers do not become an answer */
                cti_vec_zero(p->m, a->r);
            cti_pgs_judge(p, d, a, work);
            return CTI_OUTCOME_FAILED;
        }
        if (change > ask) {
            if (before)
                cti_mixing_step(&mixing, before, a->r, s->W ? s->u : NULL);
            continue;
        }
        residual = cti_pgs_judge(p, d, a, work);
        a->why = "";
        if (residual <= e->tolerance)
            return CTI_OUTCOME_SOLVED;
        if (change == 0 || ask < 1e-17)
            return cti_answer_end(a, CTI_OUTCOME_FAILED, "the sweeps stand still short of the tolerance");
        ask *= cti_fmax(0.02, cti_fmin(0.7, 0.7 * e->tolerance / residual));
        if (s->W)
            cti_pgs_refresh(s, a->r);
    }
    a->why = "the budget ended before the sweeps converged";
    return cti_pgs_judge(p, d, a, work) <= e->tolerance ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_BUDGET;
}

CTI_FN cti_outcome cti_pgs_run(cti_pgs *s, const cti_program *p, cti_dual *d, cti_effort *e, cti_answer *a)
{
    cti_pgs_view view;
    cti_outcome outcome;
    view.p = p, view.d = d, view.a = a;
    e->watcher.show = cti_pgs_show, e->watcher.show_ctx = &view;
    outcome = cti_pgs_relax(s, p, d, e, a);
    e->watcher.show = NULL;
    return outcome;
}

CTI_FN cti_outcome cti_solver_pgs(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_pgs s;
    cti_dual d;
    cti_outcome outcome;
    int dynamic = cti_program_is_dynamic(p),
        full = !dynamic && e->mix && p->mu && p->m <= cti_program_tuned.pgs.dense && 3.0 * p->W.p[p->m] >= (double)p->m * (double)p->m;
    memset(&s, 0, sizeof s), memset(&d, 0, sizeof d);
    outcome = cti_dual_open(p, e, full ? CTI_DUAL_PADDED : CTI_DUAL_THIN, cti_program_tuned.judge.dense, &d, &a->why);
    s.W = d.W, s.ld = d.ld, s.S = d.S, s.q = d.q;
    s.m = p->m, s.mu = p->mu, s.lo = p->lo, s.hi = p->hi, s.equation = p->equation;
    s.relaxation = e->relaxation > 0 ? e->relaxation : 1, s.order = e->order;
    if (outcome == CTI_OUTCOME_SOLVED)
        outcome = cti_pgs_open(&s, e->arena, a->r) ? cti_pgs_run(&s, p, &d, e, a) : CTI_OUTCOME_MEMORY;
    return outcome;
}
