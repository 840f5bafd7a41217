/* friction_newton.c -- semismooth Newton for frictional contact on the exact cone, between block Gauss-Seidel sweeps.
   Method: the function of Alart and Curnier, F_n = r_n - max(0, r_n - u_n), F_t = r_t - (r_t - u_t projected on the disc of radius
   mu max(0, r_n - u_n)), in the scaled form where all W_ii have trace 3. A step solves (A + B (W + sigma I)) d = -F for the contacts that push,
   the others go to zero; it is halved until the norm of F falls below the largest of the last ones, and sweeps take over where that fails.
   sigma follows |F|, as in Levenberg's method, so that redundant contacts do not make the system singular at the end.
   based on: Alart and Curnier 1991; Acary, Bremond and Huber 2018 (comparison of solvers; line search on the same function); Grippo,
   Lampariello and Lucidi 1986 (nonmonotone search). */
#include "../2_linalg/block_lu.h"
#include "../2_linalg/lu.h"
#include "friction.h"

enum { CTI_NEWTON_OWN = 400, CTI_NEWTON_HISTORY = 6, CTI_NEWTON_HALVES = 8 };

typedef struct cti_newton {
    cti_friction *f;
    double *A, *B;    /* [9 nc] of F' = A + B W */
    double *F, *d, *old, *work; /* [m] */
    double *matrix, *rhs, *scratch;
    int *pivot;
    int32_t *active, *place; /* [nc] contacts that push; their place among them, or -1 */
    int n_active, ld;
    double history[CTI_NEWTON_HISTORY];
    int n_history;
    double sigma;
    int sparse;         /* the system of all contacts by blocks, instead of a dense one of those that push */
    cti_block_lu lu;
    double *block;      /* [9 first[nc]] its numbers */
} cti_newton;

/* blocks, or rows as a dense matrix has them, whatever is faster */
static int cti_newton_choose(cti_newton *s)
{
    cti_friction *f = s->f;
    double m = (double)f->m;
    if (!cti_block_lu_open(f->e->mem, &s->lu, f->nc, f->first, f->column))
        return 0;
    s->sparse = s->lu.flops < m * m * m / 6;
    s->block = CTI_ARENA_NEW(f->e->arena, double, 9 * (size_t)f->first[f->nc]);
    return s->block != NULL;
}

static int cti_newton_open(cti_newton *s, cti_friction *f)
{
    cti_arena *arena = f->e->arena;
    size_t m = (size_t)f->m;
    s->f = f;
    if (!f->W && !cti_newton_choose(s))
        return 0;
    s->ld = s->sparse ? 0 : cti_pad8(f->m) + 8;
    s->A = CTI_ARENA_NEW(arena, double, 3 * m), s->B = CTI_ARENA_NEW(arena, double, 3 * m);
    s->F = CTI_ARENA_NEW(arena, double, m), s->d = CTI_ARENA_NEW(arena, double, m);
    s->old = CTI_ARENA_NEW(arena, double, m), s->work = CTI_ARENA_NEW(arena, double, m);
    s->matrix = CTI_ARENA_NEW(arena, double, m * (size_t)s->ld), s->rhs = CTI_ARENA_NEW(arena, double, m);
    s->scratch = CTI_ARENA_NEW(arena, double, cti_lu_scratch(f->m)), s->pivot = CTI_ARENA_NEW(arena, int, m);
    s->active = CTI_ARENA_NEW(arena, int32_t, f->nc), s->place = CTI_ARENA_NEW(arena, int32_t, f->nc);
    return s->A && s->B && s->F && s->d && s->old && s->work && s->matrix && s->rhs && s->scratch && s->pivot && s->active && s->place;
}

/* F [3] of one contact and, where A is given, its derivatives by r and u. 1 when it pushes */
static int cti_newton_contact(double mu, const double *r, const double *u, double *F, double *A, double *B)
{
    double n = r[0] - u[0], t1 = r[1] - u[1], t2 = r[2] - u[2], t = sqrt(t1 * t1 + t2 * t2), g, e1, e2;
    int push = n > 0;
    if (A)
        memset(A, 0, 9 * sizeof *A), memset(B, 0, 9 * sizeof *B);
    if (!push) {
        F[0] = r[0], F[1] = r[1], F[2] = r[2];
        if (A)
            A[0] = A[4] = A[8] = 1;
        return 0;
    }
    F[0] = u[0];
    if (A)
        B[0] = 1;
    if (t <= mu * n) {
        F[1] = u[1], F[2] = u[2];
        if (A)
            B[4] = B[8] = 1;
        return 1;
    }
    e1 = t1 / t, e2 = t2 / t, g = mu * n / t;
    F[1] = r[1] - g * t1, F[2] = r[2] - g * t2;
    if (A) {
        B[4] = g * (1 - e1 * e1), B[5] = B[7] = -g * e1 * e2, B[8] = g * (1 - e2 * e2);
        A[4] = 1 - B[4], A[5] = A[7] = -B[5], A[8] = 1 - B[8];
        A[3] = -mu * e1, A[6] = -mu * e2, B[3] = mu * e1, B[6] = mu * e2;
    }
    return 1;
}

/* norm of F at the iterate; u is up to date. With derivatives and the list of those that push where asked for */
static double cti_newton_map(cti_newton *s, int derivatives)
{
    cti_friction *f = s->f;
    double sum = 0;
    int i, push;
    if (derivatives)
        s->n_active = 0;
    for (i = 0; i < f->nc; i++) {
        double *F = s->F + 3 * (size_t)i;
        size_t at = 9 * (size_t)i;
        push = cti_newton_contact(f->mu[i], f->r + 3 * (size_t)i, f->u + 3 * (size_t)i, F, derivatives ? s->A + at : NULL, s->B + at);
        sum += F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
        if (derivatives)
            s->place[i] = push ? s->n_active : -1;
        if (derivatives && push)
            s->active[s->n_active++] = i;
    }
    return sqrt(sum);
}

/* out [3 rows of ld] at column 3 j: B times a 3x3 block */
static void cti_newton_put(const double *B, const double *w, size_t stride, double *out, size_t ld)
{
    int a, b;
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++)
            out[(size_t)a * ld + (size_t)b] =
                B[3 * a] * w[b] + B[3 * a + 1] * w[stride + (size_t)b] + B[3 * a + 2] * w[2 * stride + (size_t)b];
}

/* block row of contact i among those that push, and its right side; work: W times the steps of the others */
static void cti_newton_row(cti_newton *s, int i)
{
    const cti_friction *f = s->f;
    const double *A = s->A + 9 * (size_t)i, *B = s->B + 9 * (size_t)i, *v = s->work + 3 * (size_t)i;
    size_t ld = (size_t)s->ld, at = (size_t)s->place[i];
    double *out = s->matrix + 3 * at * ld;
    int k, a, b, j;
    memset(out, 0, 3 * ld * sizeof *out);
    if (f->W) {
        for (k = 0; k < s->n_active; k++) {
            j = s->active[k];
            cti_newton_put(B, f->W + 3 * (size_t)i * (size_t)f->ld + 3 * (size_t)j, (size_t)f->ld, out + 3 * (size_t)k, ld);
        }
    } else {
        for (k = f->first[i]; k < f->first[i + 1]; k++)
            if (s->place[f->column[k]] >= 0)
                cti_newton_put(B, f->block + 9 * (size_t)k, 3, out + 3 * (size_t)s->place[f->column[k]], ld);
    }
    for (a = 0; a < 3; a++) {
        for (b = 0; b < 3; b++)
            out[(size_t)a * ld + 3 * at + (size_t)b] += A[3 * a + b] + s->sigma * B[3 * a + b];
        s->rhs[3 * at + (size_t)a] = -s->F[3 * i + a] - (B[3 * a] * v[0] + B[3 * a + 1] * v[1] + B[3 * a + 2] * v[2]);
    }
}

/* y = F' x = A x + B (W + sigma I) x; work holds W x */
static void cti_newton_derivative(cti_newton *s, const double *x, double *y)
{
    cti_friction *f = s->f;
    int i, a;
    cti_friction_mul(f, x, s->work);
    for (i = 0; i < f->m; i++) {
        const double *A = s->A + 3 * (size_t)i, *B = s->B + 3 * (size_t)i;
        for (y[i] = 0, a = 0; a < 3; a++)
            y[i] += A[a] * x[i - i % 3 + a] + B[a] * (s->work[i - i % 3 + a] + s->sigma * x[i - i % 3 + a]);
    }
}

/* d by the blocks of all contacts, refined once */
static int cti_newton_step_sparse(cti_newton *s)
{
    cti_friction *f = s->f;
    int i, k, a;
    for (i = 0; i < f->nc; i++)
        for (k = f->first[i]; k < f->first[i + 1]; k++) {
            double *out = s->block + 9 * (size_t)k;
            const double *A = s->A + 9 * (size_t)i, *B = s->B + 9 * (size_t)i;
            cti_newton_put(B, f->block + 9 * (size_t)k, 3, out, 3);
            for (a = 0; a < 9 && f->column[k] == i; a++)
                out[a] += A[a] + s->sigma * B[a];
        }
    if (!cti_block_lu_factor(&s->lu, s->block))
        return 0;
    for (i = 0; i < f->m; i++)
        s->d[i] = -s->F[i];
    cti_block_lu_solve(&s->lu, s->d);
    cti_newton_derivative(s, s->d, s->rhs);
    for (i = 0; i < f->m; i++)
        s->rhs[i] = -s->F[i] - s->rhs[i];
    cti_block_lu_solve(&s->lu, s->rhs);
    for (i = 0; i < f->m; i++) {
        s->d[i] += s->rhs[i];
        if (!cti_finite64(s->d[i]))
            return 0;
    }
    return 1;
}

/* d by a dense system of the contacts that push */
static int cti_newton_step_dense(cti_newton *s)
{
    cti_friction *f = s->f;
    int i, k, a, others = 0, n = 3 * s->n_active;
    for (i = 0; i < f->m; i++) {
        s->d[i] = s->place[i / 3] < 0 ? -f->r[i] : 0;
        others |= s->d[i] != 0;
    }
    if (others)
        cti_friction_mul(f, s->d, s->work);
    else
        memset(s->work, 0, sizeof *s->work * (size_t)f->m);
    for (k = 0; k < s->n_active; k++)
        cti_newton_row(s, s->active[k]);
    if (!cti_lu_factor(s->matrix, n, s->ld, s->pivot, s->scratch))
        return 0;
    cti_lu_solve(s->matrix, n, s->ld, s->pivot, s->rhs);
    for (k = 0; k < s->n_active; k++)
        for (a = 0; a < 3; a++) {
            s->d[3 * s->active[k] + a] = s->rhs[3 * k + a];
            if (!cti_finite64(s->rhs[3 * k + a]))
                return 0;
        }
    return 1;
}

/* d, the Newton step from F, A, B. 0 when its system is singular */
static int cti_newton_step(cti_newton *s)
{
    if (s->sparse)
        return cti_newton_step_sparse(s);
    return cti_newton_step_dense(s);
}

static double cti_newton_bound(const cti_newton *s)
{
    double most = 0;
    int k;
    for (k = 0; k < s->n_history; k++)
        most = fmax(most, s->history[k]);
    return most;
}

static void cti_newton_remember(cti_newton *s, double norm)
{
    int k;
    if (s->n_history < CTI_NEWTON_HISTORY)
        s->n_history++;
    for (k = s->n_history - 1; k > 0; k--)
        s->history[k] = s->history[k - 1];
    s->history[0] = norm;
}

/* along d until F falls; 0 and the old iterate when it does not */
static int cti_newton_search(cti_newton *s, double *out_residual, double *out_norm)
{
    cti_friction *f = s->f;
    double t = 1, bound = cti_newton_bound(s);
    int k, i;
    memcpy(s->old, f->r, sizeof *f->r * (size_t)f->m);
    for (k = 0; k < CTI_NEWTON_HALVES; k++, t /= 2) {
        for (i = 0; i < f->m; i++)
            f->r[i] = s->old[i] + t * s->d[i];
        *out_residual = cti_friction_residual(f);
        *out_norm = cti_newton_map(s, 0);
        if (*out_norm <= (1 - 1e-4 * t) * bound)
            return 1;
    }
    memcpy(f->r, s->old, sizeof *f->r * (size_t)f->m);
    return 0;
}

static double cti_newton_sweeps(cti_newton *s, int count)
{
    int k;
    for (k = 0; k < count; k++)
        cti_friction_sweep(s->f, 0, NULL, k & 1);
    s->n_history = 0;
    return cti_friction_residual(s->f);
}

/* the whole iteration; returns when the residual is below `enough`, or the budget is used up */
static void cti_newton_run(cti_newton *s, double enough, cti_answer *a)
{
    cti_friction *f = s->f;
    double residual = f->best_residual, norm;
    int failures = 0;
    if (residual > enough)
        residual = cti_newton_sweeps(s, 10);
    while (residual > enough && cti_friction_goes_on(f, CTI_NEWTON_OWN, a)) {
        f->iterations++;
        norm = cti_newton_map(s, 1);
        cti_newton_remember(s, norm);
        s->sigma = fmin(1e-2, 0.3 * residual) + 1e-7;
#ifdef TRACE
        printf("%d res %g norm %g active %d fail %d\n", f->iterations, residual, norm, s->n_active, failures);
#endif
        if (cti_newton_step(s) && cti_newton_search(s, &residual, &norm))
            continue;
        failures++;
        residual = cti_newton_sweeps(s, 10 * cti_min_int(failures, 10));
    }
}

CTI_FN cti_outcome cti_newton_solve(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_friction f;
    cti_newton s;
    cti_outcome outcome = CTI_OUTCOME_MEMORY;
    double enough = 0.3 * e->tolerance;
    a->why = "the semismooth Newton method takes local and global frictional contact only";
    if (p->kind != CTI_PROGRAM_LOCAL && p->kind != CTI_PROGRAM_GLOBAL)
        return CTI_OUTCOME_NOT_APPLICABLE;
    memset(&s, 0, sizeof s);
    if (cti_friction_open(&f, p, e, a) && cti_newton_open(&s, &f)) {
        cti_newton_run(&s, enough, a);
        cti_friction_answer(&f, a);
        outcome = f.best_residual <= enough ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_BUDGET;
        a->why = "iterations or time ran out";
    }
    cti_block_lu_close(e->mem, &s.lu);
    cti_friction_close(&f);
    return outcome;
}
