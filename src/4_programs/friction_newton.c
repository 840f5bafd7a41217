/* friction_newton.c -- semismooth Newton for frictional contact on the exact cone, between block Gauss-Seidel sweeps.
   Method: the function of Alart and Curnier, F_n = r_n - max(0, r_n - u_n), F_t = r_t - (r_t - u_t projected on the disc of radius
   mu max(0, r_n - u_n)), in the scaled form where all W_ii have trace 3. A step solves (A + B (W + sigma I)) d = -F for the contacts with
   r_n - u_n > 0; the others go to zero. The step is halved until the norm of F falls below the largest of the last norms; if that fails,
   sweeps take over. sigma is proportional to the residual, as in Levenberg's method, so that redundant contacts do not make the system
   singular. If the residual stops falling, other factors of proportionality are tried. based on: Alart and Curnier 1991; Acary, Bremond and
   Huber 2018 (comparison of solvers; line search on the same function); Grippo, Lampariello and Lucidi 1986 (nonmonotone search). */
#include "friction.h"

CTI_FN int cti_newton_open(cti_newton *s, cti_friction *f, cti_friction_system *system)
{
    cti_arena *arena = f->e->arena;
    double **const vectors[] = {&s->F, &s->d, &s->old}, **const blocks[] = {&s->A, &s->B};
    s->f = f, s->system = system, s->boost = 1;
    return CTI_ARENA_VECTORS(arena, f->m, vectors) && CTI_ARENA_VECTORS(arena, 3 * (size_t)f->m, blocks);
}

/* F [3] of one contact and, if A is not NULL, its derivatives with respect to r and u; B is 0 for a contact that does not push */
static void cti_newton_contact(double mu, const double *r, const double *u, double *F, double *A, double *B)
{
    double n = r[0] - u[0], t1 = r[1] - u[1], t2 = r[2] - u[2], t = sqrt(t1 * t1 + t2 * t2), g, e1, e2;
    if (A)
        memset(A, 0, 9 * sizeof *A), memset(B, 0, 9 * sizeof *B);
    if (!(n > 0)) {
        F[0] = r[0], F[1] = r[1], F[2] = r[2];
        if (A)
            A[0] = A[4] = A[8] = 1;
        return;
    }
    F[0] = u[0];
    if (A)
        B[0] = 1;
    if (t <= mu * n) {
        F[1] = u[1], F[2] = u[2];
        if (A)
            B[4] = B[8] = 1;
        return;
    }
    e1 = t1 / t, e2 = t2 / t, g = mu * n / t;
    F[1] = r[1] - g * t1, F[2] = r[2] - g * t2;
    if (A) {
        B[4] = g * (1 - e1 * e1), B[5] = B[7] = -g * e1 * e2, B[8] = g * (1 - e2 * e2);
        A[4] = 1 - B[4], A[5] = A[7] = -B[5], A[8] = 1 - B[8];
        A[3] = -mu * e1, A[6] = -mu * e2, B[3] = mu * e1, B[6] = mu * e2;
    }
}

/* norm of F at the iterate, whose u is up to date; also the derivatives if asked for */
static double cti_newton_map(cti_newton *s, int derivatives)
{
    cti_friction *f = s->f;
    double sum = 0;
    int i;
    for (i = 0; i < f->nc; i++) {
        size_t at = 9 * (size_t)i;
        cti_newton_contact(f->mu[i], f->r + 3 * i, f->u + 3 * i, s->F + 3 * i, derivatives ? s->A + at : NULL,
                           s->B + at);
    }
    for (i = 0; i < f->m; i++)
        sum += s->F[i] * s->F[i];
    return sqrt(sum);
}

/* d, the Newton step from F, A, B. 0 when the system is singular */
static int cti_newton_step(cti_newton *s, double sigma)
{
    int i;
    for (i = 0; i < s->f->m; i++)
        s->d[i] = -s->F[i];
    return cti_friction_system_factor(s->system, s->A, s->B, sigma) && cti_friction_system_solve(s->system, s->d);
}

static double cti_newton_bound(const cti_newton *s)
{
    double most = 0;
    int k;
    for (k = 0; k < s->n_history; k++)
        most = cti_fmax(most, s->history[k]);
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

/* line search along d until F falls; 0, with the old iterate restored, if it does not */
static int cti_newton_search(cti_newton *s)
{
    cti_friction *f = s->f;
    double t = 1, bound = cti_newton_bound(s);
    int k, i;
    cti_vec_copy(f->m, f->r, s->old);
    for (k = 0; k < cti_program_tuned.friction.halves; k++, t /= 2) {
        for (i = 0; i < f->m; i++)
            f->r[i] = s->old[i] + t * s->d[i];
        cti_friction_residual(f);
        if (cti_newton_map(s, 0) <= (1 - 1e-4 * t) * bound)
            return 1;
    }
    cti_vec_copy(f->m, s->old, f->r);
    return 0;
}

static void cti_newton_sweeps(cti_newton *s, int count)
{
    int k;
    for (k = 0; k < count; k++)
        cti_friction_sweep(s->f, k & 1);
    s->n_history = 0;
    cti_friction_residual(s->f);
}

/* Takes the whole step although F does not fall along it, and then two sweeps. This leaves a kink of F at which many short steps make no progress */
static void cti_newton_leap(cti_newton *s)
{
    cti_friction *f = s->f;
    int i;
    for (i = 0; i < f->m && cti_finite64(s->d[i]); i++)
        f->r[i] += s->d[i];
    cti_newton_sweeps(s, 2);
}

/* one step from the iterate. 0 when F falls along no step */
static int cti_newton_advance(cti_newton *s)
{
    double norm = cti_newton_map(s, 1);
    s->f->run.iterations++;
    cti_newton_remember(s, norm);
    return cti_newton_step(s, s->boost * (cti_fmin(1e-2, 0.3 * s->f->share) + 1e-7)) && cti_newton_search(s);
}

CTI_FN int cti_newton_polish(cti_newton *s, double enough, cti_answer *a)
{
    cti_friction *f = s->f;
    int k, goes = 1, failures = 0, most = cti_program_tuned.friction.polish;
    cti_vec_copy(f->m, f->least.r, f->r);
    cti_friction_residual(f);
    s->n_history = 0;
    for (k = 0; k < most && goes && f->least.residual > enough && cti_friction_goes_on(f, cti_program_tuned.friction.newton * 100, a); k++) {
        goes = cti_newton_advance(s);
        if (goes || ++failures > cti_program_tuned.friction.leaps)
            continue;
        if (failures % 2)
            cti_newton_leap(s);
        else
            cti_newton_sweeps(s, 10);
        goes = 1;
    }
    return f->least.residual <= enough;
}

/* the whole iteration. It ends when the residual is below `enough`, the budget is used up, or no sigma reduces the residual */
static int cti_newton_run(cti_newton *s, double enough, cti_answer *a)
{
    cti_friction *f = s->f;
    double mark = INFINITY;
    static const double boosts[] = {1, 10, 0.1, 100};
    int failures = 0, since = 0, boost = 0;
    if (f->least.residual > enough)
        cti_newton_sweeps(s, 10);
    while (f->least.residual > enough && boost < 4 && cti_friction_goes_on(f, cti_program_tuned.friction.newton, a)) {
        since++;
        if (!cti_newton_advance(s)) {
            failures++;
            if (f->e->mix && failures % 2)
                cti_newton_leap(s);
            else
                cti_newton_sweeps(s, 10 * cti_min_int(failures, f->e->mix ? 2 : 10));
        }
        if (f->least.residual < 0.8 * mark)
            mark = f->least.residual, since = 0;
        if (since >= (f->e->mix ? cti_program_tuned.friction.quick : cti_program_tuned.friction.patience) && ++boost < 4) {
            s->boost = boosts[boost], since = failures = 0;
            cti_vec_copy(f->m, f->least.r, f->r);
            cti_newton_sweeps(s, 10);
        }
    }
    return 1;
}

CTI_FN cti_outcome cti_newton_solve(const cti_program *p, cti_effort *e, cti_answer *a, cti_newton_runner run)
{
    cti_friction f;
    cti_newton s;
    cti_friction_system system;
    cti_outcome outcome;
    double enough = 0.3 * e->tolerance;
    memset(&s, 0, sizeof s), memset(&system, 0, sizeof system);
    outcome = cti_friction_open(&f, p, e, a);
    if (outcome == CTI_OUTCOME_SOLVED)
        outcome = cti_friction_system_open(&system, &f) && cti_newton_open(&s, &f, &system) && run(&s, enough, a)
                      ? cti_friction_outcome(&f, enough, a)
                      : CTI_OUTCOME_MEMORY;
    cti_friction_close(&f);
    return outcome;
}

CTI_FN cti_outcome cti_solver_newton(const cti_program *p, cti_effort *e, cti_answer *a) { return cti_newton_solve(p, e, a, cti_newton_run); }
