/* stagger.c -- normal and friction problems, solved alternately.
   Method: with known friction the normal impulses solve a quadratic program, u_n >= 0. With these known friction solves another one,
   maximal dissipation within bounds mu r_n. Both are solved on W = J A^-1 J' until the natural map of Coulomb's law is small; each starts
   from its last solution. The tangents of a contact are rotated to r_t - u_t. The bound of the first is mu r_n. The second has a compliance
   |u_t| / (mu r_n), the curvature of the circle there, so that a fixed point obeys the round cone.
   differs: the round cone; the map from friction to friction is accelerated (Walker and Ni 2011) and damped; and the programs are proximal, with W +
   sigma about the last impulses. So they are definite where contacts are redundant, and their fixed point does not depend on sigma.
   Based on: Kaufman, Sueda, James and Pai 2008, Staggered projections for frictional contact in multibody systems. */
#include "stagger.h"
#include "active_set.h"
#include "friction.h"
#include "interior.h"
#include "mixing.h"
#include "mprgp.h"

/* rows of the tangent program */
typedef struct cti_stagger_cones {
    int32_t *at;         /* [m] row: 3 i + 1 first, 3 i + 2 second tangent; -1 none */
    double *load, *c, *s;/* [nc] friction bound, which follows mu r_n with damping; direction of the first tangent */
    double *eta;         /* [nc] compliance of the second tangent */
} cti_stagger_cones;

/* data that the two programs' solvers keep from round to round: of normals, of tangents */
typedef struct cti_stagger_warm {
    cti_face_factor face[2]; /* active set: the factor between its free rows */
    double *power[2];        /* [m] MPRGP: the last vectors of its power methods, */
    int power_rows[2];       /* and their numbers of rows */
} cti_stagger_warm;

typedef struct cti_stagger_work {
    double *z, *y, *x; /* [m] */
    double *u, *slack;  /* [m] of pivots */
    uint8_t *state;     /* [m] */
} cti_stagger_work;

/* accuracy to which the two programs are solved */
typedef struct cti_stagger_accuracy {
    int failures;
    int world;             /* 1: a LOCAL program of a world, which needs no more than the world's tolerance */
    double inexact;        /* residual of the last round, to which the programs' tolerances are relative; 0: they are solved to a share of
                              the tolerance */
} cti_stagger_accuracy;

typedef struct cti_stagger {
    cti_friction f;
    cti_program_solver inner;
    ct_solver kind; /* its name */
    cti_effort *e;
    cti_program normal, tangent; /* LCPs; arrays of mem */
    cti_stagger_cones tangents;
    double *old; /* [m] r at the start of this round, 0 for normals */
    cti_mixing mixing; /* of a round's friction */
    cti_stagger_work work;
    cti_stagger_accuracy accuracy;
    cti_stagger_warm warm;
    const char *why;
} cti_stagger;

/* ---- programs ---- */

/* block (i, j) of W. k: the block's number where W is sparse */
static const double *cti_stagger_block(const cti_friction *f, int i, int j, int k, double *B)
{
    int a, b;
    if (!f->W)
        return f->block + 9 * (size_t)k;
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++)
            B[3 * a + b] = f->W[cti_index(3 * i + a, f->ld, 3 * j + b)];
    return B;
}

static int cti_stagger_room(cti_mem *mem, cti_program *q, int n, int entries)
{
    q->kind = CTI_PROGRAM_LCP, q->n = q->m = n, q->W.rows = q->W.cols = n;
    return CTI_RESIZE(mem, q->W.p, n + 1) && CTI_RESIZE(mem, q->W.i, entries) && CTI_RESIZE(mem, q->W.x, entries) &&
           CTI_RESIZE(mem, q->w, n) && CTI_RESIZE(mem, q->lo, n) && CTI_RESIZE(mem, q->hi, n);
}

/* fills the entries of the normal program, or counts them */
static int cti_stagger_normals(cti_stagger *s, int fill)
{
    const cti_friction *f = &s->f;
    cti_sparse *W = &s->normal.W;
    double B[9];
    int i, k, n = 0, first, end;
    for (i = 0; i < f->nc; i++) {
        first = f->W ? 0 : f->first[i], end = f->W ? f->nc : f->first[i + 1];
        if (fill)
            W->p[i] = n;
        for (k = first; k < end; k++) {
            int j = f->W ? k : f->column[k];
            double v = cti_stagger_block(f, i, j, k, B)[0];
            if (v == 0 && i != j)
                continue;
            if (fill)
                W->i[n] = j, W->x[n] = v + (i == j ? cti_program_tuned.stagger.sigma : 0);
            n++;
        }
    }
    if (fill)
        W->p[f->nc] = n;
    return n;
}

/* the same for the tangent program in the present directions: two rows a contact, none where there is no load */
static int cti_stagger_tangents(cti_stagger *s, int fill)
{
    const cti_friction *f = &s->f;
    cti_sparse *W = &s->tangent.W;
    double B[9];
    int i, k, a, b, row = 0, n = 0;
    for (i = 0; i < f->nc; i++)
        for (a = 0; a < 2; a++) {
            int first = f->W ? 0 : f->first[i], end = f->W ? f->nc : f->first[i + 1];
            double ca = a ? -s->tangents.s[i] : s->tangents.c[i], sa = a ? s->tangents.c[i] : s->tangents.s[i];
            if (s->tangents.at[3 * i + 1 + a] < 0)
                continue;
            if (fill)
                W->p[row] = n;
            for (k = first; k < end; k++) {
                int j = f->W ? k : f->column[k];
                const double *w = s->tangents.at[3 * j + 1] < 0 ? NULL : cti_stagger_block(f, i, j, k, B);
                for (b = 0; w && b < 2 && s->tangents.at[3 * j + 1 + b] >= 0; b++, n++) {
                    double cb = b ? -s->tangents.s[j] : s->tangents.c[j], sb = b ? s->tangents.c[j] : s->tangents.s[j];
                    if (!fill)
                        continue;
                    W->i[n] = s->tangents.at[3 * j + 1 + b];
                    W->x[n] = ca * (w[4] * cb + w[5] * sb) + sa * (w[7] * cb + w[8] * sb) +
                              (i == j && a == b ? cti_program_tuned.stagger.sigma + (a ? s->tangents.eta[i] : 0) : 0);
                }
            }
            row++;
        }
    if (fill)
        W->p[row] = n;
    return n;
}

/* 1 when the columns of each row are in ascending order */
static int cti_stagger_is_sorted(const cti_sparse *W)
{
    int i, k;
    for (i = 0; i < W->rows; i++)
        for (k = W->p[i] + 1; k < W->p[i + 1]; k++)
            if (W->i[k] < W->i[k - 1])
                return 0;
    return 1;
}

/* sorts the columns of each row; those of a sparse W may be unsorted */
static int cti_stagger_sort(cti_mem *mem, const cti_friction *f, cti_sparse *W)
{
    cti_sparse T;
    int ok;
    if (f->W || cti_stagger_is_sorted(W))
        return 1;
    ok = cti_sparse_transpose(mem, W, &T);
    cti_sparse_free(mem, W);
    ok = ok && cti_sparse_transpose(mem, &T, W);
    cti_sparse_free(mem, &T);
    return ok;
}

/* projects friction onto its disk */
static void cti_stagger_round(cti_stagger *s)
{
    int i;
    for (i = 0; i < s->f.nc; i++) {
        double *r = s->f.r + 3 * i;
        cti_cone_project64(CT_CONE_CONE, s->tangents.load[i], &r[1], &r[2]);
    }
}

/* the rest of it, once f is open. 0: out of memory */
static int cti_stagger_open(cti_stagger *s, cti_effort *e)
{
    cti_friction *f = &s->f;
    cti_arena *arena = e->arena;
    double **const of_contacts[] = {&s->tangents.load, &s->tangents.c, &s->tangents.s, &s->tangents.eta};
    double **const of_rows[] = {&s->work.z, &s->work.y, &s->work.x, &s->work.u, &s->work.slack, &s->old, &s->warm.power[0], &s->warm.power[1]};
    int i;
    s->tangents.at = CTI_ARENA_NEW(arena, int32_t, f->m), s->work.state = CTI_ARENA_NEW(arena, uint8_t, f->m);
    if (!s->tangents.at || !s->work.state || !CTI_ARENA_VECTORS(arena, f->nc, of_contacts) || !CTI_ARENA_VECTORS(arena, f->m, of_rows) ||
        !cti_mixing_open(&s->mixing, arena, f->m, CTI_MIXING_SWEEPS, NULL, 0))
        return 0;
    s->mixing.takes_all = 1;
    for (i = 0; i < f->nc; i++)
        s->tangents.c[i] = 1, s->tangents.load[i] = f->mu[i] * cti_fmax(0, f->r[3 * i]);
    if (!cti_stagger_room(&e->arena->own, &s->normal, f->nc, cti_stagger_normals(s, 0)))
        return 0;
    cti_stagger_normals(s, 1);
    for (i = 0; i < f->nc; i++)
        s->normal.hi[i] = INFINITY;
    return cti_stagger_sort(&e->arena->own, f, &s->normal.W);
}

/* ---- the two projections ---- */

/* solves a program with bounds and a definite W by block pivoting from r, with a factor that is kept from round to round. 0: out of memory */
static int cti_stagger_box(cti_stagger *s, const cti_program *q, double *r)
{
    int i, tangent = q == &s->tangent;
    uint8_t *state = s->work.state;
    cti_sparse_pivot p;
    cti_outcome said;
    memset(&p, 0, sizeof p);
    s->warm.face[tangent].fresh &= !tangent; /* tangents turn */
    for (i = 0; i < q->m; i++)
        state[i] = r[i] <= q->lo[i] ? CTI_FACE_LOWER : (r[i] >= q->hi[i] ? CTI_FACE_UPPER : CTI_FACE_FREE);
    p.rule.rounds = p.rule.singles = cti_program_tuned.stagger.sets;
    p.rule.lo = q->lo, p.rule.hi = q->hi, p.rule.state = state, p.rule.z = r, p.rule.u = s->work.u;
    p.M = &q->W, p.q = q->w, p.slight = cti_fmax(1e-12, 1e-3 * s->accuracy.inexact), p.work = s->work.slack, p.mem = &s->e->arena->own;
    p.face = &s->warm.face[tangent];
    said = cti_sparse_pivot_run(&p);
    for (i = 0; i < q->m; i++)
        r[i] = cti_fmin(cti_fmax(r[i], q->lo[i]), q->hi[i]);
    return said != CTI_OUTCOME_MEMORY;
}

/* MPRGP without a factor of the free set as preconditioner, since the set changes from round to round */
static cti_outcome cti_stagger_light(cti_stagger *s, const cti_program *q, cti_effort *e, cti_answer *a)
{
    cti_mprgp_options o = cti_mprgp_options_default();
    cti_mprgp_counters count;
    int tangent = q == &s->tangent;
    o.precondition = CTI_PRECONDITION_NONE, o.power = s->warm.power[tangent];
    if (s->warm.power_rows[tangent] != q->m)
        cti_vec_zero(s->f.m, o.power);
    s->warm.power_rows[tangent] = q->m;
    return cti_mprgp_solve_with(q, &o, e, a, &count);
}

/* runs the inner solver on q; r [q->m] is the start and the result. 0: out of memory, or the solver refuses the program, with s->why */
static int cti_stagger_inner(cti_stagger *s, cti_program *q, double *r)
{
    cti_arena_point mark = cti_arena_mark(s->e->arena);
    cti_effort e = *s->e;
    cti_answer a;
    cti_outcome said;
    int i;
    if (s->accuracy.inexact > 0 && s->kind == CT_SOLVER_ACTIVE_SET)
        return cti_stagger_box(s, q, r);
    e.tolerance = cti_fmax(0.01 * e.tolerance, 1e-11), e.warm = 1, e.watcher.watch = NULL;
    e.max_iterations = e.max_iterations > 0 ? cti_program_tuned.stagger.full : 0;
    if (s->accuracy.inexact > 0)
        e.tolerance = cti_fmax(e.tolerance, cti_program_tuned.stagger.share * s->accuracy.inexact),
        e.max_iterations = cti_program_tuned.stagger.inner;
    memset(&a, 0, sizeof a);
    a.x = s->work.x, a.r = s->work.y, a.why = "";
    cti_vec_copy(q->m, r, s->work.y);
    said = s->accuracy.inexact > 0 && s->kind == CT_SOLVER_MPRGP ? cti_stagger_light(s, q, &e, &a) : s->inner(q, &e, &a);
    cti_arena_rewind(s->e->arena, mark);
    if (said == CTI_OUTCOME_MEMORY || said == CTI_OUTCOME_NOT_APPLICABLE) {
        s->why = said == CTI_OUTCOME_MEMORY ? NULL : a.why;
        return 0;
    }
    s->accuracy.failures += said != CTI_OUTCOME_SOLVED && !(s->accuracy.inexact > 0 && said == CTI_OUTCOME_BUDGET);
    for (i = 0; i < q->m; i++)
        if (!cti_finite64(s->work.y[i]))
            return 1;
    for (i = 0; i < q->m; i++)
        r[i] = cti_fmin(cti_fmax(s->work.y[i], q->lo[i]), q->hi[i]);
    return 1;
}

/* solves the normals with friction held fixed */
static int cti_stagger_solve_normals(cti_stagger *s)
{
    cti_friction *f = &s->f;
    int i;
    for (i = 0; i < f->m; i++)
        s->work.z[i] = i % 3 ? f->r[i] : 0;
    cti_friction_mul(f, s->work.z, s->work.y);
    for (i = 0; i < f->nc; i++)
        s->work.z[i] = f->r[3 * i], s->normal.w[i] = f->q[3 * i] + s->work.y[3 * i] - cti_program_tuned.stagger.sigma * s->work.z[i];
    if (!cti_stagger_inner(s, &s->normal, s->work.z))
        return 0;
    for (i = 0; i < f->nc; i++)
        f->r[3 * i] = s->work.z[i];
    return 1;
}

/* solves friction with the normals held fixed */
static int cti_stagger_solve_friction(cti_stagger *s)
{
    cti_friction *f = &s->f;
    cti_program *q = &s->tangent;
    int i, a, n = 0;
    for (i = 0; i < f->m; i++)
        s->tangents.at[i] = i % 3 == 0 || !(s->tangents.load[i / 3] > 0) ? -1 : n++;
    for (i = 0; i < f->m; i++)
        s->work.z[i] = i % 3 ? 0 : f->r[i];
    cti_friction_mul(f, s->work.z, s->work.y);
    if (n && (!cti_stagger_room(&s->e->arena->own, q, n, cti_stagger_tangents(s, 0)) ||
              (cti_stagger_tangents(s, 1), !cti_stagger_sort(&s->e->arena->own, f, &q->W))))
        return 0;
    for (i = 0; i < f->nc; i++)
        for (a = 0; a < 2; a++) {
            int row = s->tangents.at[3 * i + 1 + a];
            double c = a ? -s->tangents.s[i] : s->tangents.c[i], d = a ? s->tangents.c[i] : s->tangents.s[i];
            if (row < 0)
                continue;
            s->work.z[row] = c * f->r[3 * i + 1] + d * f->r[3 * i + 2];
            q->w[row] = c * (f->q[3 * i + 1] + s->work.y[3 * i + 1]) + d * (f->q[3 * i + 2] + s->work.y[3 * i + 2]) -
                        cti_program_tuned.stagger.sigma * s->work.z[row];
            q->hi[row] = s->tangents.load[i], q->lo[row] = -s->tangents.load[i];
        }
    if (n && !cti_stagger_inner(s, q, s->work.z))
        return 0;
    for (i = 0; i < f->nc; i++) {
        int row1 = s->tangents.at[3 * i + 1], row2 = s->tangents.at[3 * i + 2];
        double t1 = row1 < 0 ? 0 : s->work.z[row1], t2 = row2 < 0 ? 0 : s->work.z[row2];
        f->r[3 * i + 1] = s->tangents.c[i] * t1 - s->tangents.s[i] * t2, f->r[3 * i + 2] = s->tangents.s[i] * t1 + s->tangents.c[i] * t2;
    }
    return 1;
}

/* rotates the first tangents against the sliding, or along the force where there is no sliding, and sets eta = |u_t| / (mu r_n). For a
   sliding whose direction changes, friction opposes it when gamma_2 / gamma_1 = u_2 / u_1; near the first tangent that is u_2 + eta gamma_2
   = 0 */
static void cti_stagger_turn(cti_stagger *s)
{
    int i;
    for (i = 0; i < s->f.nc; i++) {
        const double *r = s->f.r + 3 * i, *u = s->f.u + 3 * i;
        double z1 = r[1] - u[1], z2 = r[2] - u[2], z = sqrt(z1 * z1 + z2 * z2);
        if (z > 0)
            s->tangents.c[i] = z1 / z, s->tangents.s[i] = z2 / z;
        s->tangents.eta[i] = s->tangents.load[i] > 0 ? cti_fmin(sqrt(u[1] * u[1] + u[2] * u[2]) / s->tangents.load[i], 1e6) : 0;
    }
}

/* the next round's friction from this round's start (old) and result (r), by Anderson acceleration, damped by `share` */
static void cti_stagger_next(cti_stagger *s, double share)
{
    cti_friction *f = &s->f;
    double *g = s->work.y;
    int i;
    for (i = 0; i < f->m; i++)
        g[i] = i % 3 ? f->r[i] : s->old[i];
    s->mixing.share = share;
    cti_mixing_step(&s->mixing, s->old, g, NULL);
    for (i = 0; i < f->m; i++)
        if (i % 3)
            f->r[i] = g[i];
}

/* rounds until the residual is below `enough`. 0: out of memory, or the inner solver refuses */
static int cti_stagger_run(cti_stagger *s, double enough, cti_answer *a)
{
    cti_friction *f = &s->f;
    double residual = f->least.residual, share = 1, mark = INFINITY, last = INFINITY;
    int i, since = 0, patience = s->accuracy.world ? cti_program_tuned.stagger.quick : cti_program_tuned.stagger.patience;
    while (f->least.residual > enough && s->accuracy.failures < cti_program_tuned.stagger.failures && since < patience &&
           cti_friction_goes_on(f, cti_program_tuned.stagger.rounds, a)) {
        f->run.iterations++;
        s->accuracy.inexact = s->accuracy.world ? cti_fmin(f->share, 1) : 0;
        cti_vec_copy(f->m, f->r, s->old);
        if (!cti_stagger_solve_normals(s))
            return 0;
        for (i = 0; i < f->nc; i++)
            s->old[3 * i] = 0, s->tangents.load[i] += share * (f->mu[i] * f->r[3 * i] - s->tangents.load[i]);
        cti_friction_residual(f);
        cti_stagger_turn(s);
        if (!cti_stagger_solve_friction(s))
            return 0;
        residual = cti_friction_residual(f);
        cti_stagger_round(s);
        /* much worse than the best: the differences belong to another map */
        if (residual > 30 * f->least.residual)
            cti_mixing_restart(&s->mixing);
        since++;
        if (f->least.residual < 0.9 * mark)
            mark = f->least.residual, since = 0;
        share = residual < 0.98 * last ? cti_fmin(1, 1.15 * share) : cti_fmax(0.2, 0.75 * share);
        last = residual;
        cti_stagger_next(s, share);
    }
    return 1;
}

CTI_FN cti_outcome cti_stagger_solve(const cti_program *p, ct_solver kind, cti_program_solver inner, cti_effort *e, cti_answer *a)
{
    cti_stagger s;
    cti_outcome outcome;
    double enough = 0.3 * e->tolerance;
    a->iterations = 0;
    memset(&s, 0, sizeof s);
    s.inner = inner, s.kind = kind, s.e = e, s.accuracy.world = e->mix && p->kind == CTI_PROGRAM_LOCAL;
    outcome = cti_friction_open(&s.f, p, e, a);
    if (outcome == CTI_OUTCOME_SOLVED) {
        int ran = cti_stagger_open(&s, e) && cti_stagger_run(&s, enough, a);
        outcome = CTI_OUTCOME_MEMORY;
        if (ran || s.why) {
            cti_friction_answer(&s.f, a);
            outcome = !ran ? CTI_OUTCOME_NOT_APPLICABLE : (s.f.least.residual <= enough ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_BUDGET);
            a->why = ran ? "normals and friction in turn do not settle, or iterations or time ran out" : s.why;
        }
    }
    cti_friction_close(&s.f);
    return outcome;
}

/* ---- by name ---- */

CTI_FN cti_outcome cti_solver_mprgp(const cti_program *p, cti_effort *e, cti_answer *a)
{
    return cti_program_has_friction(p) && !e->paper ? cti_stagger_solve(p, CT_SOLVER_MPRGP, cti_mprgp_solve, e, a) : cti_mprgp_solve(p, e, a);
}

CTI_FN cti_outcome cti_solver_active_set(const cti_program *p, cti_effort *e, cti_answer *a)
{
    return cti_program_has_friction(p) ? cti_stagger_solve(p, CT_SOLVER_ACTIVE_SET, cti_active_set_solve, e, a) : cti_active_set_solve(p, e, a);
}

CTI_FN cti_outcome cti_solver_interior(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_outcome said = cti_interior_solve(p, e, a);
    if (said != CTI_OUTCOME_NOT_APPLICABLE || !cti_program_has_friction(p))
        return said;
    return cti_stagger_solve(p, CT_SOLVER_INTERIOR, cti_interior_solve, e, a);
}
