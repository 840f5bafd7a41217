/* cones.c -- contacts with Coulomb friction by an interior point method over second-order cones.
   Method: with z = (u_n + mu |u_t|, mu u_t) and y = (r_n, r_t / mu) Coulomb's law is z in L, y in L, z'y = 0 for L = {x_0 >= |x_1, x_2|}.
   For a fixed mu |u_t| this is the convex problem z = S y + q of Hong 2006, sec. 4, over cones in place of half-lines. It is solved by a
   primal-dual method with the scaling of Nesterov and Todd (1997), predictor and corrector; mu |u_t| is updated from the iterate at every
   step. S = J A^-1 J' or W, in units in which each contact has mean diagonal 1. The unsymmetric part of W is moved to q with the y of the
   previous step. If W is sparse, the linear system is that of friction_system.c with the scaling on its diagonal. Newton's method on the
   same system (friction_newton.c) then finishes from the point where the barrier method slows down. */
#include "cones.h"
#include "../1_math/soc.h"
#include "../2_linalg/dense.h"
#include "../2_linalg/lu.h"
#include "friction.h"

/* W where it is kept sparse (LOCAL), in the form of friction.h */
typedef struct cti_cones_sparse {
    cti_friction f;
    cti_friction_system system;
    cti_newton end;  /* Newton's steps on f from where the barrier slows down */
    double polished; /* residual from which they were tried last */
    double *A, *B;   /* [9 m / 3] the scaling over the squares of side, identities */
    double *side;    /* [m] 1, mu, mu: y = s / side for the s of f */
} cti_cones_sparse;

/* S where it is formed */
typedef struct cti_cones_dense {
    int ld;
    int newton; /* 1: the derivative of |z_t| is in the matrix */
    int skew;   /* 1: W has a part that is not symmetric */
    int *pivot;
    double *S, *F, *scratch; /* [m][ld]; of the LU */
} cti_cones_dense;

/* a step of y and z */
typedef struct cti_cones_delta {
    double *dy, *dz, *rp, *rc, *lambda; /* [m] */
    double *scaling;                    /* [4 m / 3] of Nesterov and Todd: eta, w */
    double *t;                          /* [m] scratch */
} cti_cones_delta;

typedef struct cti_cones {
    const cti_program *p;
    cti_effort *e;
    cti_answer *a;
    cti_dual dual; /* where S is formed */
    int m;
    int is_sparse; /* 1: `sparse` is used, else `dense` */
    cti_cones_sparse sparse;
    cti_cones_dense dense;
    double *unit;  /* [m] z = unit * u, r = unit * y */
    double *q;     /* [m] */
    double *y, *z; /* [m] */
    cti_cones_delta step;
    cti_candidate own;
    double last; /* residual */
    double mu, size;   /* barrier, size of q */
    double reach;      /* last step length */
    double ahead;      /* lower bound of the barrier, as a share of residual times size */
} cti_cones;

/* ---- the problem ---- */

static int cti_cones_alloc(cti_cones *c)
{
    cti_arena *arena = c->e->arena;
    cti_cones_delta *d = &c->step;
    double **const all[] = {&c->unit, &c->q, &c->y, &c->z, &d->dy, &d->dz, &d->rp, &d->rc, &d->lambda, &d->t};
    size_t m = (size_t)c->m;
    c->step.scaling = CTI_ARENA_ZERO(arena, double, 4 * (m / 3));
    return c->step.scaling && CTI_ARENA_VECTORS(arena, m, all) && cti_candidate_open(&c->own, c->p, c->a, arena);
}

/* 1 if W is better kept sparse */
static int cti_cones_is_sparse(const cti_program *p, const cti_effort *e)
{
    int i;
    if (p->kind != CTI_PROGRAM_LOCAL || !(e->mix || p->m > 3 * cti_program_tuned.cones.contacts))
        return 0;
    for (i = 0; i < p->m / 3; i++)
        if (!(p->mu[i] > 0))
            return 0;
    return 1;
}

/* builds the form of friction.h, in the units of the cones */
static cti_outcome cti_cones_open_sparse(cti_cones *c)
{
    cti_arena *arena = c->e->arena;
    int i;
    c->sparse.side = CTI_ARENA_NEW(arena, double, c->m);
    c->sparse.A = CTI_ARENA_ZERO(arena, double, 3 * (size_t)c->m), c->sparse.B = CTI_ARENA_ZERO(arena, double, 3 * (size_t)c->m);
    if (!c->sparse.side || !c->sparse.A || !c->sparse.B || cti_friction_open(&c->sparse.f, c->p, c->e, c->a) != CTI_OUTCOME_SOLVED ||
        !cti_friction_system_open(&c->sparse.system, &c->sparse.f) || !cti_newton_open(&c->sparse.end, &c->sparse.f, &c->sparse.system))
        return CTI_OUTCOME_MEMORY;
    c->sparse.polished = cti_program_tuned.cones.polish;
    for (i = 0; i < c->m; i++) {
        c->sparse.side[i] = i % 3 ? c->p->mu[i / 3] : 1;
        c->unit[i] = c->sparse.f.unit * c->sparse.f.root[i / 3] * c->sparse.side[i];
        c->q[i] = c->sparse.f.q[i] * c->sparse.side[i];
        c->size = cti_fmax(c->size, fabs(c->q[i]));
        c->sparse.B[9 * (i / 3) + 4 * (i % 3)] = 1;
    }
    return CTI_OUTCOME_SOLVED;
}

/* S, the symmetric part of W, and q */
static cti_outcome cti_cones_open_dense(cti_cones *c)
{
    cti_cones_dense *d = &c->dense;
    cti_outcome outcome = cti_dual_open(c->p, c->e, CTI_DUAL_PADDED, 3 * cti_program_tuned.cones.contacts, &c->dual, &c->a->why);
    double big = 0, off = 0;
    int i, j;
    if (outcome != CTI_OUTCOME_SOLVED)
        return outcome;
    d->S = c->dual.W, d->ld = c->dual.ld, c->q = c->dual.q;
    d->F = CTI_ARENA_ZERO(c->e->arena, double, (size_t)d->ld *(size_t)c->m);
    d->pivot = CTI_ARENA_ZERO(c->e->arena, int, c->m), d->scratch = CTI_ARENA_NEW(c->e->arena, double, cti_lu_scratch(c->m));
    if (!d->F || !d->pivot || !d->scratch)
        return CTI_OUTCOME_MEMORY;
    for (i = 0; i < c->m; i++)
        for (j = 0; j <= i; j++) {
            double *at = d->S + cti_index(i, d->ld, j), *other = d->S + cti_index(j, d->ld, i);
            big = cti_fmax(big, cti_fmax(fabs(*at), fabs(*other))), off = cti_fmax(off, fabs(*at - *other));
            *at = *other = 0.5 * *at + 0.5 * *other;
        }
    d->skew = off > 2e-15 * big;
    return CTI_OUTCOME_SOLVED;
}

/* chooses units in which a contact's mean diagonal is 1 and its cone is L */
static void cti_cones_units(cti_cones *c)
{
    int i, j;
    for (i = 0; i < c->m / 3; i++) {
        double unit = sqrt(c->p->scale[i]);
        c->unit[3 * i] = unit;
        c->unit[3 * i + 1] = c->unit[3 * i + 2] = unit * c->p->mu[i];
    }
    c->size = 0;
    for (i = 0; i < c->m; i++) {
        for (j = 0; j < c->m; j++)
            c->dense.S[cti_index(i, c->dense.ld, j)] *= c->unit[i] * c->unit[j];
        c->q[i] *= c->unit[i];
        c->size = cti_fmax(c->size, fabs(c->q[i]));
    }
}

/* starts at the centre of the cones */
static void cti_cones_start(cti_cones *c)
{
    int i;
    for (i = 0; i < c->m; i++)
        c->y[i] = c->z[i] = i % 3 ? 0 : (c->size > 0 ? c->size : 1);
    c->last = INFINITY, c->reach = 1;
}

/* ---- iteration ---- */

/* rp = z - S y - q - |z_t| e_n */
static void cti_cones_residual(cti_cones *c)
{
    const cti_sparse *W = &c->p->W;
    int i, j, k;
    c->mu = 0;
    for (i = 0; i < c->m; i++)
        c->own.r[i] = c->is_sparse ? c->sparse.side[i] * c->y[i] : c->unit[i] * c->y[i];
    if (c->is_sparse)
        cti_friction_mul(&c->sparse.f, c->own.r, c->step.t);
    for (i = 0; i < c->m; i++) {
        const double *row = c->is_sparse ? NULL : c->dense.S + (size_t)i * (size_t)c->dense.ld;
        double sum = c->q[i];
        if (c->is_sparse) {
            sum += c->sparse.side[i] * c->step.t[i];
        } else if (c->dense.skew) {
            double own = 0;
            for (k = W->p[i]; k < W->p[i + 1]; k++)
                own += W->x[k] * c->own.r[W->i[k]];
            sum += c->unit[i] * own;
        } else {
            for (j = 0; j < c->m; j++)
                sum += row[j] * c->y[j];
        }
        if (i % 3 == 0)
            sum += sqrt(c->z[i + 1] * c->z[i + 1] + c->z[i + 2] * c->z[i + 2]);
        c->step.rp[i] = c->z[i] - sum;
        c->mu += c->z[i] * c->y[i];
    }
    c->mu /= c->m / 3;
}

static void cti_cones_offer(cti_cones *c)
{
    int i;
    for (i = 0; i < c->m; i++)
        c->own.r[i] = c->unit[i] * c->y[i];
    if (c->is_sparse)
        cti_program_u(c->p, NULL, c->own.r, c->own.x);
    else
        cti_dual_x(&c->dual, c->own.r, c->own.x);
    c->last = cti_candidate_offer(&c->own);
}

/* 1 if the caller's start is a solution already */
static int cti_cones_offer_start(cti_cones *c)
{
    cti_vec_copy(c->m, c->a->r, c->own.r);
    cti_program_u(c->p, NULL, c->own.r, c->own.x);
    return cti_candidate_offer(&c->own) <= c->e->tolerance;
}

/* direction of z_t, 0 where there is none */
static void cti_cones_slip(const double *z, double *d)
{
    double t = sqrt(z[1] * z[1] + z[2] * z[2]);
    d[0] = t > 0 ? z[1] / t : 0, d[1] = t > 0 ? z[2] / t : 0;
}

/* dy = (S + E W^2)^-1 dy */
static void cti_cones_apply(cti_cones *c)
{
    int i;
    if (!c->is_sparse && c->dense.newton)
        cti_lu_solve(c->dense.F, c->m, c->dense.ld, c->dense.pivot, c->step.dy);
    else if (!c->is_sparse)
        cti_dense64_solve(c->dense.F, c->m, c->dense.ld, c->step.dy);
    else {
        for (i = 0; i < c->m; i++)
            c->step.dy[i] /= c->sparse.side[i];
        if (!cti_friction_system_solve(&c->sparse.system, c->step.dy))
            cti_vec_zero(c->m, c->step.dy);
        for (i = 0; i < c->m; i++)
            c->step.dy[i] /= c->sparse.side[i];
    }
}

/* dy, dz for lambda o (W dy + W^-1 dz) = rc, with the factor of S + E W^2 */
static void cti_cones_direction(cti_cones *c)
{
    int i, k;
    for (i = 0; i < c->m / 3; i++) {
        cti_soc_divide(3, c->step.lambda + 3 * i, c->step.rc + 3 * i, c->step.t + 3 * i);
        cti_soc_scale(3, c->step.scaling + 4 * i, 0, c->step.t + 3 * i, c->step.dy + 3 * i);
        if (c->dense.newton) {
            double d[2];
            cti_cones_slip(c->z + 3 * i, d);
            c->step.dy[3 * i] -= d[0] * c->step.dy[3 * i + 1] + d[1] * c->step.dy[3 * i + 2];
        }
        for (k = 3 * i; k < 3 * i + 3; k++)
            c->step.dy[k] += c->step.rp[k];
    }
    cti_cones_apply(c);
    for (i = 0; i < c->m / 3; i++) {
        /* dz = W (t - W dy) */
        double v[3];
        cti_soc_scale(3, c->step.scaling + 4 * i, 0, c->step.dy + 3 * i, v);
        for (k = 0; k < 3; k++)
            v[k] = c->step.t[3 * i + k] - v[k];
        cti_soc_scale(3, c->step.scaling + 4 * i, 0, v, c->step.dz + 3 * i);
    }
}

static double cti_cones_reach(const cti_cones *c, double keep)
{
    double reach = 1 / keep;
    int i;
    for (i = 0; i < c->m; i += 3)
        reach = cti_fmin(reach, cti_fmin(cti_soc_reach(3, c->y + i, c->step.dy + i), cti_soc_reach(3, c->z + i, c->step.dz + i)));
    return cti_fmin(1, keep * reach);
}

/* E W^2 of contact i with E = I - e_n z_t' / |z_t|, the derivative of z - |z_t| e_n, or W^2. G [9] */
static void cti_cones_diagonal(const cti_cones *c, int i, double *G)
{
    const double *s = c->step.scaling + 4 * i;
    double d[2];
    int a, b;
    cti_cones_slip(c->z + 3 * i, d);
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++)
            G[3 * a + b] = s[0] * s[0] * (2 * s[1 + a] * s[1 + b] + (a == b ? (a ? 1 : -1) : 0));
    for (a = 1; a < 3 && c->dense.newton; a++)
        for (b = 0; b < 3; b++)
            G[b] -= d[a - 1] * G[3 * a + b];
}

/* S + W^2, or S + E W^2 */
static void cti_cones_matrix(cti_cones *c)
{
    int i, k, a, b;
    double G[9];
    for (i = 0; i < c->m; i++)
        memcpy(c->dense.F + (size_t)i * (size_t)c->dense.ld, c->dense.S + (size_t)i * (size_t)c->dense.ld,
               sizeof *c->dense.F * (size_t)c->m);
    for (i = 0; c->dense.newton && c->dense.skew && i < c->m; i++) {
        double *row = c->dense.F + (size_t)i * (size_t)c->dense.ld;
        cti_vec_zero(c->m, row);
        for (k = c->p->W.p[i]; k < c->p->W.p[i + 1]; k++)
            row[c->p->W.i[k]] = c->unit[i] * c->unit[c->p->W.i[k]] * c->p->W.x[k];
    }
    for (i = 0; i < c->m / 3; i++) {
        cti_cones_diagonal(c, i, G);
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++)
                c->dense.F[cti_index(3 * i + a, c->dense.ld, 3 * i + b)] += G[3 * a + b];
    }
}

/* the same matrix in the units of f. 0 when it is singular or memory ran out */
static int cti_cones_factor_sparse(cti_cones *c)
{
    int i, a;
    double G[9];
    for (i = 0; i < c->m / 3; i++) {
        cti_cones_diagonal(c, i, G);
        for (a = 0; a < 9; a++)
            c->sparse.A[9 * (size_t)i + (size_t)a] = G[a] / (c->sparse.side[3 * i + a / 3] * c->sparse.side[3 * i + a % 3]);
    }
    return cti_friction_system_factor(&c->sparse.system, c->sparse.A, c->sparse.B, 0);
}

/* factors the matrix. 0 when that fails */
static int cti_cones_factor(cti_cones *c)
{
    int i;
    for (i = 0; i < c->m / 3; i++)
        cti_soc_scaling(3, c->y + 3 * i, c->z + 3 * i, c->step.scaling + 4 * i),
            cti_soc_scale(3, c->step.scaling + 4 * i, 0, c->y + 3 * i, c->step.lambda + 3 * i);
    c->dense.newton = c->last < cti_program_tuned.cones.newton && (c->is_sparse || c->m <= cti_program_tuned.cones.lu) &&
                      c->reach > cti_program_tuned.cones.brief;
    if (c->is_sparse) {
        if (cti_cones_factor_sparse(c))
            return 1;
        c->dense.newton = 0;
        return cti_cones_factor_sparse(c);
    }
    cti_cones_matrix(c);
    if (c->dense.newton && cti_lu_factor(c->dense.F, c->m, c->dense.ld, c->dense.pivot, c->dense.scratch))
        return 1;
    if (c->dense.newton) {
        c->dense.newton = 0;
        cti_cones_matrix(c);
    }
    cti_dense64_factor(c->dense.F, c->m, c->dense.ld);
    return 1;
}

static double cti_cones_step(cti_cones *c)
{
    double reach, ahead = 0, sigma, left = 0;
    int i, k;
    if (!cti_cones_factor(c))
        return 0;
    for (i = 0; i < c->m; i += 3) {
        cti_soc_product(3, c->step.lambda + i, c->step.lambda + i, c->step.rc + i);
        for (k = i; k < i + 3; k++)
            c->step.rc[k] = -c->step.rc[k];
    }
    cti_cones_direction(c);
    reach = cti_cones_reach(c, 1);
    for (i = 0; i < c->m; i++)
        ahead += (c->z[i] + reach * c->step.dz[i]) * (c->y[i] + reach * c->step.dy[i]);
    sigma = cti_fmax(0, ahead / (c->m / 3)) / c->mu;
    for (i = 0; i < c->m; i++)
        left = cti_fmax(left, fabs(c->step.rp[i]));
    /* the barrier does not run ahead of the residual */
    sigma = cti_fmin(1, cti_fmax(cti_fmax(sigma * sigma * sigma, 1e-3), c->ahead * left * c->size / c->mu));
    for (i = 0; i < c->m; i += 3) {
        double v[3], w[3], second[3];
        cti_soc_scale(3, c->step.scaling + 4 * (i / 3), 0, c->step.dy + i, v);
        cti_soc_scale(3, c->step.scaling + 4 * (i / 3), 1, c->step.dz + i, w);
        cti_soc_product(3, v, w, second);
        for (k = 0; k < 3; k++)
            c->step.rc[i + k] -= reach * reach * second[k];
        c->step.rc[i] += sigma * c->mu;
    }
    cti_cones_direction(c);
    reach = cti_cones_reach(c, 0.98);
    for (i = 0; i < c->m; i++)
        c->y[i] += reach * c->step.dy[i], c->z[i] += reach * c->step.dz[i];
    c->reach = reach;
    return reach;
}

/* Newton's steps from the best point stored in f. 1 when they converge */
static int cti_cones_polish(cti_cones *c)
{
    int spent = c->a->iterations, got = cti_newton_polish(&c->sparse.end, 0.3 * c->e->tolerance, c->a);
    if (got) {
        cti_friction_answer(&c->sparse.f, c->a);
        c->own.best = c->sparse.f.least.residual;
    }
    c->a->iterations = spent + c->sparse.f.run.iterations;
    c->sparse.f.run.iterations = 0;
    return got;
}

/* sparse: tries to finish by Newton's method without a barrier, again and again as the residual falls. 1 when it converges */
static int cti_cones_end(cti_cones *c)
{
    int i;
    if (!c->is_sparse || !(c->last < c->sparse.polished))
        return 0;
    c->sparse.polished = 0.2 * c->last;
    for (i = 0; i < c->m; i++)
        c->sparse.f.r[i] = c->sparse.side[i] * c->y[i];
    c->sparse.f.least.residual = INFINITY;
    cti_friction_residual(&c->sparse.f);
    return cti_cones_polish(c);
}

/* one run from the start with a given `ahead`: 1 solved, 0 stalled, -1 bound reached */
static int cti_cones_try(cti_cones *c)
{
    double before = INFINITY, low = INFINITY;
    int stalled = 0;
    cti_cones_start(c);
    for (;;) {
        if (!cti_effort_goes_on(c->e, c->a->iterations, cti_program_tuned.cones.iterations, c->a->x, c->a->r))
            return -1;
        c->a->iterations++;
        cti_cones_offer(c);
        if (c->own.best <= 0.5 * c->e->tolerance || cti_cones_end(c))
            return 1;
        low = cti_fmin(low, c->last);
        stalled = low < 0.9 * before ? 0 : stalled + 1;
        before = stalled ? before : low;
        if (stalled >= (c->is_sparse ? cti_program_tuned.cones.quick : cti_program_tuned.cones.stalled))
            return 0;
        cti_cones_residual(c);
        if (!(cti_cones_step(c) > 1e-12))
            return 0;
    }
}

/* differs: if the barrier falls faster than the residual of |u_t|, the method stops at a point from which no step is possible. The rate at
   which this happens depends on the problem, hence several tries */
static cti_outcome cti_cones_iterate(cti_cones *c)
{
    static const double ahead[] = {1e-2, 1e-1, 1e-3};
    int k, got = 0;
    if (c->is_sparse && c->e->warm && (cti_cones_offer_start(c) || (c->e->warm == 2 && cti_cones_polish(c))))
        return CTI_OUTCOME_SOLVED;
    cti_cones_offer(c); /* y = 0: no contact has a force */
    for (k = 0; k < 3 && got == 0; k++) {
        c->ahead = ahead[k];
        got = cti_cones_try(c);
        if (c->own.best <= c->e->tolerance)
            return CTI_OUTCOME_SOLVED;
    }
    c->a->why = got < 0 ? "the bound on iterations or time was reached" : "the iteration stalled";
    return got < 0 ? CTI_OUTCOME_BUDGET : CTI_OUTCOME_FAILED;
}

CTI_FN cti_outcome cti_cones_solve(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_cones c;
    cti_outcome outcome = CTI_OUTCOME_MEMORY;
    memset(&c, 0, sizeof c);
    c.p = p, c.e = e, c.a = a, c.m = p->m;
    a->why = "";
    c.is_sparse = cti_cones_is_sparse(p, e);
    if (cti_cones_alloc(&c))
        outcome = c.is_sparse ? cti_cones_open_sparse(&c) : cti_cones_open_dense(&c);
    e->watcher.show = NULL; /* the watcher sees the cones' points, and the form ends with this call */
    if (outcome == CTI_OUTCOME_SOLVED) {
        if (!c.is_sparse)
            cti_cones_units(&c);
        outcome = cti_cones_iterate(&c);
        outcome = c.sparse.f.run.memory ? CTI_OUTCOME_MEMORY : outcome;
    }
    if (outcome == CTI_OUTCOME_SOLVED)
        a->why = "";
    return outcome;
}
