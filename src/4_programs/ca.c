/* ca.c -- full constraint anticipation.
   Method: W = J A^-1 J' with unit diagonal by scaling; the linear complementarity problem u = W r + q >= 0, r >= 0, r'u = 0 by block
   principal pivoting (block_pivot.h): rows of a working set F have u = 0, the others r = 0. F is guessed by Gauss-Seidel sweeps. W_FF is
   factored in each round, which costs little compared with W. Multipliers are then corrected with u = J x + w
   of the true unknowns. Linearly dependent rows make W_FF singular. Then W gets a compliance eps, and proximal steps solve (W + eps) r' =
   ... + eps r; their limit does not depend on eps. If there is no solution, r' - r becomes a certificate of infeasibility. Contacts with
   friction: Gauss-Seidel on W (pgs.c). differs: the law of one contact with the round cone is solved exactly, while equations 13 and 14
   alternate between normal and friction multipliers.
   based on: Otaduy et al. 2009, section 5.1; Rockafellar 1976 (proximal steps). */
#include "ca.h"
#include "../2_linalg/dense.h"
#include "block_pivot.h"
#include "certificate.h"
#include "pgs.h"

typedef struct cti_ca {
    const cti_program *p;
    cti_effort *e;
    cti_answer *a;
    cti_dual d;
    int m, ld;
    double *scale;      /* [m] 1 / sqrt W_ii */
    double *c, *y, *u;  /* [m] scaled: u = (W + eps) y + c */
    double *M, *f;      /* [m][ld] W_FF and its factor, upper triangle; [m] */
    double *lo, *hi;    /* [m] bounds of y */
    uint8_t *in, *hint; /* [m] states of the rows: FREE in F, else LOWER; those at the end of the last problem, or guessed */
    int32_t *F;
    double eps;
    double *dr;         /* [m] step of r */
    cti_candidate own;
} cti_ca;

static double cti_ca_w(const cti_ca *s, int i, int j) { return s->d.W[cti_index(i, s->d.ld, j)]; }

/* scales W to a unit diagonal */
static void cti_ca_scale(cti_ca *s)
{
    int i, j;
    for (i = 0; i < s->m; i++)
        s->scale[i] = cti_ca_w(s, i, i) > 0 ? 1 / sqrt(cti_ca_w(s, i, i)) : 1;
    for (i = 0; i < s->m; i++)
        for (j = 0; j < s->m; j++)
            s->d.W[cti_index(i, s->d.ld, j)] *= s->scale[i] * s->scale[j];
}

static int cti_ca_allocate(cti_ca *s)
{
    cti_arena *arena = s->e->arena;
    double **const all[] = {&s->scale, &s->c, &s->y, &s->u, &s->f, &s->lo, &s->hi, &s->dr};
    size_t m = (size_t)s->m;
    s->ld = s->d.ld, s->M = CTI_ARENA_NEW(arena, double, m *(size_t)s->ld + 16), s->F = CTI_ARENA_NEW(arena, int32_t, m);
    s->in = CTI_ARENA_ZERO(arena, uint8_t, m), s->hint = CTI_ARENA_NEW(arena, uint8_t, m);
    return s->M && s->F && s->in && s->hint && CTI_ARENA_VECTORS(arena, m, all) && cti_candidate_open(&s->own, s->p, s->a, arena);
}

/* a first F: the rows with positive multipliers after a few sweeps; y: these multipliers. 0 when memory ran out */
static int cti_ca_guess(cti_ca *s)
{
    cti_pgs g;
    int i, k;
    memset(&g, 0, sizeof g);
    g.m = s->m, g.W = s->d.W, g.ld = s->d.ld, g.q = s->c, g.equation = s->p->equation, g.relaxation = 1;
    for (i = 0; i < s->m; i++)
        s->y[i] = s->e->warm ? s->a->r[i] / s->scale[i] : 0;
    if (!cti_pgs_open(&g, s->e->arena, s->y))
        return 0;
    for (k = 0; k < cti_program_tuned.pivot.guess && cti_pgs_sweep(&g, s->y) > 1e-12; k++) {
    }
    for (i = 0; i < s->m; i++)
        s->in[i] = s->hint[i] = s->y[i] > 0 || s->lo[i] < 0 ? CTI_FACE_FREE : CTI_FACE_LOWER;
    return 1;
}

/* factors (W + eps)_FF; 0 when it is singular to working precision. *n: number of rows in F */
static int cti_ca_factor(cti_ca *s, int *n, int *ld)
{
    int i, j, k = 0;
    double least;
    for (i = 0; i < s->m; i++)
        if (s->in[i] == CTI_FACE_FREE)
            s->F[k++] = i;
    *n = k, *ld = cti_pad8(k) + ((cti_pad8(k) & 15) ? 0 : 8);
    *ld = cti_min_int(*ld, s->ld);
    for (i = 0; i < k; i++) {
        double *row = s->M + (size_t)i * (size_t)*ld;
        const double *w = s->d.W + (size_t)s->F[i] * (size_t)s->d.ld;
        for (j = i; j < k; j++)
            row[j] = w[s->F[j]];
        row[i] += s->eps;
    }
    if (cti_dense64_factor(s->M, k, *ld))
        return 0;
    /* the diagonal is stored inverted */
    least = 4e-16 * (double)(k + 8);
    for (i = 0; i < k; i++) {
        double inverse = s->M[(size_t)i * (size_t)(*ld + 1)];
        if (inverse * inverse * least > 1)
            return 0;
    }
    return 1;
}

/* y so that u_F = 0 and y = 0 elsewhere, u elsewhere */
static cti_outcome cti_ca_values(void *ctx, cti_block_pivot *p)
{
    cti_ca *s = (cti_ca *)ctx;
    int i, k, n, ld;
    if (!cti_ca_factor(s, &n, &ld))
        return CTI_OUTCOME_FAILED;
    for (k = 0; k < n; k++)
        s->f[k] = -s->c[s->F[k]];
    cti_dense64_solve(s->M, n, ld, s->f);
    cti_vec_zero(s->m, s->y);
    cti_vec_copy(s->m, s->c, s->u);
    for (k = 0; k < n; k++) {
        const double *w = s->d.W + (size_t)s->F[k] * (size_t)s->d.ld;
        double v = s->f[k];
        s->y[s->F[k]] = v;
        for (i = 0; i < s->m; i++)
            s->u[i] += w[i] * v;
    }
    p->tiny_z = cti_program_tuned.pivot.slope * cti_most(s->m, s->y), p->tiny_u = cti_program_tuned.pivot.slope * cti_most(s->m, s->c);
    return CTI_OUTCOME_SOLVED;
}

/* solves the linear complementarity problem of c and eps from the current F. FAILED: more compliance is needed, since W_FF is singular or pivoting
   does not terminate */
static cti_outcome cti_ca_pivot(cti_ca *s)
{
    cti_block_pivot p;
    memset(&p, 0, sizeof p);
    p.n = s->m, p.rounds = p.singles = s->eps < 1e-4 ? cti_program_tuned.pivot.patience : 20 * s->m + 200;
    p.lo = s->lo, p.hi = s->hi, p.state = s->in, p.z = s->y, p.u = s->u, p.solve = cti_ca_values, p.ctx = s, p.e = s->e, p.a = s->a;
    return cti_block_pivot_run(&p);
}

/* one proximal step from r, x: gives a candidate in r, x and the step in dr. Returns as cti_ca_pivot */
static cti_outcome cti_ca_step(cti_ca *s, int first)
{
    const cti_program *p = s->p;
    cti_outcome got;
    int i, k;
    /* c = u - W r - eps r with the true u */
    cti_program_u(p, s->own.x, s->own.r, s->u);
    for (i = 0; i < s->m; i++)
        s->c[i] = s->scale[i] * s->u[i] - s->eps * s->own.r[i] / s->scale[i];
    for (k = 0; k < s->m && !first; k++) {
        const double *w = s->d.W + (size_t)k * (size_t)s->d.ld;
        double v = s->own.r[k] / s->scale[k];
        if (v != 0)
            for (i = 0; i < s->m; i++)
                s->c[i] -= w[i] * v;
    }
    got = cti_ca_pivot(s);
    if (got != CTI_OUTCOME_SOLVED)
        return got;
    for (i = 0; i < s->m; i++) {
        double v = s->y[i] * s->scale[i];
        v = cti_fmax(v, s->lo[i]);
        s->dr[i] = v - s->own.r[i], s->own.r[i] = v;
    }
    if (first)
        cti_dual_x(&s->d, s->own.r, s->own.x);
    else
        cti_dual_move(&s->d, s->dr, s->own.x);
    return CTI_OUTCOME_SOLVED;
}

/* the next eps to try */
static double cti_ca_stiffen(double eps) { return eps == 0 ? 1e-12 : 100 * eps; }

static void cti_ca_restart(cti_ca *s)
{
    cti_vec_zero(s->m, s->own.r);
    cti_vec_copy(s->p->n, s->d.x0, s->own.x);
}

/* proximal steps until the residual is small, and then as long as it still decreases */
static cti_outcome cti_ca_steps(cti_ca *s)
{
    double goal = cti_fmin(s->e->tolerance, 1e-10), last = INFINITY, residual;
    int i, k, idle = 0, first = 1, failures = 0;
    cti_outcome got = CTI_OUTCOME_FAILED;
    cti_ca_restart(s);
    for (k = 0; k < cti_program_tuned.pivot.steps; k++) {
        got = cti_ca_step(s, first);
        if (got == CTI_OUTCOME_BUDGET || (got == CTI_OUTCOME_FAILED && s->eps > 1e-3))
            break;
        if (got == CTI_OUTCOME_FAILED) {
            s->eps = cti_ca_stiffen(s->eps), failures++;
            for (i = 0; i < s->m; i++)
                s->in[i] = s->hint[i];
            continue;
        }
        memcpy(s->hint, s->in, (size_t)s->m);
        first = 0;
        residual = cti_candidate_offer(&s->own);
        if (residual <= goal)
            return CTI_OUTCOME_SOLVED;
        if (residual > 1e-3 && cti_program_certify(s->p, s->dr, s->own.work)) {
            cti_vec_copy(s->m, s->dr, s->a->r);
            return cti_answer_end(s->a, CTI_OUTCOME_INFEASIBLE, "no x obeys all rows: a certificate is in r");
        }
        if (s->own.j.dynamics > 0.5 * residual)
            cti_dual_x(&s->d, s->own.r, s->own.x);
        /* a compliance that slows the proximal steps is reduced as far as the pivots allow */
        if (residual > 0.1 * last && s->eps > 1e-11 && failures < 8)
            s->eps *= 0.01;
        idle = residual > 0.5 * last ? idle + 1 : 0;
        if (idle >= 2 && s->own.best <= s->e->tolerance)
            return CTI_OUTCOME_SOLVED;
        last = cti_fmin(last, residual);
        if (idle >= 3 && residual > 1e-3 && s->eps < 1e-11) {
            /* W_FF is singular */
            s->eps = cti_ca_stiffen(s->eps), idle = 0, first = 1, last = INFINITY;
            cti_ca_restart(s);
        }
    }
    if (s->own.best <= s->e->tolerance)
        return CTI_OUTCOME_SOLVED;
    if (!(s->own.best < INFINITY))
        cti_vec_copy(s->p->n, s->d.x0, s->a->x);
    s->a->why = got == CTI_OUTCOME_BUDGET ? "the budget ended before the pivots" : "the proximal steps stand still short of the tolerance";
    return got == CTI_OUTCOME_BUDGET ? CTI_OUTCOME_BUDGET : CTI_OUTCOME_FAILED;
}

static cti_outcome cti_ca_qp(cti_ca *s)
{
    int i;
    if (!cti_ca_allocate(s))
        return CTI_OUTCOME_MEMORY;
    s->a->iterations = 0;
    cti_ca_scale(s);
    for (i = 0; i < s->m; i++) {
        s->c[i] = s->scale[i] * s->d.q[i];
        s->lo[i] = s->p->equation && s->p->equation[i] ? -INFINITY : 0, s->hi[i] = INFINITY;
    }
    return cti_ca_guess(s) ? cti_ca_steps(s) : CTI_OUTCOME_MEMORY;
}

static cti_outcome cti_ca_contacts(cti_ca *s)
{
    cti_pgs g;
    memset(&g, 0, sizeof g);
    g.m = s->m, g.W = s->d.W, g.ld = s->d.ld, g.S = s->d.S, g.q = s->d.q, g.mu = s->p->mu, g.order = s->e->order;
    g.relaxation = s->e->relaxation > 0 ? s->e->relaxation : 1;
    return cti_pgs_open(&g, s->e->arena, s->a->r) ? cti_pgs_run(&g, s->p, &s->d, s->e, s->a) : CTI_OUTCOME_MEMORY;
}

CTI_FN cti_outcome cti_solver_ca(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_ca s;
    cti_outcome outcome;
    if (!cti_program_is_dynamic(p))
        return cti_answer_end(a, CTI_OUTCOME_NOT_APPLICABLE, "there are no dynamics to anticipate");
    memset(&s, 0, sizeof s);
    s.p = p, s.e = e, s.a = a, s.m = p->m;
    outcome = cti_dual_open(p, e, p->kind == CTI_PROGRAM_QP ? CTI_DUAL_PADDED : CTI_DUAL_THIN, cti_program_tuned.judge.dense, &s.d, &a->why);
    if (outcome == CTI_OUTCOME_SOLVED)
        outcome = p->kind == CTI_PROGRAM_QP ? cti_ca_qp(&s) : cti_ca_contacts(&s);
    return outcome;
}
