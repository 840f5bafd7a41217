/* bridge_solve.c -- stand-alone solvers on the world's contact problem.
   Method: rows that are open at the start stay out of the program. A row that recovers its gap enters by the law that carried its last
   impulse. Rows that the solution then violates enter with their complete law, and the solve continues from there. The program's judge
   measures the natural map relative to |r| over all contacts; the world's judge measures velocities relative to velocity_scale at the worst
   row. So a solve starts with a share of the world's tolerance, and continues from its result with a smaller one until the world's judge
   accepts. The best iterate is the result. Based on: no paper. */
#include "bridge.h"
#include "solvers.h"

/* the program's solver. W of a LOCAL program is the complete response J A^-1 J', with which the splitting of constraint anticipation has no
   error: CA is Gauss-Seidel on it */
static cti_program_solver cti_bridge_find(ct_solver solver) { return cti_solvers_find(solver == CT_SOLVER_CA ? CT_SOLVER_PGS : solver); }

CTI_FN int cti_bridge_solver(ct_solver solver)
{
    switch (solver) {
#define CTI_BRIDGE_CASE(name, number, word, built, worlds) CTI_IF(built, case name: return worlds && cti_bridge_find(name) != NULL;)
        CT_SOLVER_LIST_OPTIONAL(CTI_BRIDGE_CASE)
    default:
        return 0;
    }
}

CTI_FN int cti_bridge_cone(ct_solver solver, ct_cone cone) { return !cti_bridge_solver(solver) || cone == CT_CONE_CONE; }

/* most iterations of an attempt on m rows, where the caller sets no budget: as many as a few seconds allow, and no more than the method is
   likely to need */
static int cti_bridge_bound(ct_solver solver, const ct_solver_desc *desc, const cti_program *q)
{
    int local = q->kind == CTI_PROGRAM_LOCAL, m = q->m;
    double work = cti_program_tuned.bridge.work, square = work / ((double)m * (double)m + 1);
    double cube = 50 * work / ((double)m * (double)m * (double)m + 1);
    if (desc->budget > 0)
        return desc->budget;
    switch (solver) {
    case CT_SOLVER_PGS:
    case CT_SOLVER_CA:
        return (int)cti_fmin(cti_fmin(cti_fmax(square, 50), 20.0 * desc->max_sweeps), 1e9);
    case CT_SOLVER_ADMM:
        return (int)cti_fmin(cti_fmin(cti_fmax(square, 50), 10.0 * desc->max_iterations), 1e9);
    case CT_SOLVER_MPRGP:
    case CT_SOLVER_ACTIVE_SET:
    case CT_SOLVER_INTERIOR:
        if (local)
            return solver == CT_SOLVER_INTERIOR ? cti_program_tuned.bridge.barrier
                                                : cti_max_int(cti_program_tuned.bridge.rounds, cti_min_int(60, 36000 / (m + 1)));
        return (int)cti_fmin(cti_fmax(cube, 20), cti_program_tuned.bridge.stagger);
    default:
        return local ? cti_program_tuned.bridge.newton : (int)cti_fmin(cti_fmax(cube, 20), cti_program_tuned.bridge.newton);
    }
}

/* [contacts] the largest problem that a solver is given; a larger one would take minutes or gigabytes */
static int cti_bridge_most(ct_solver solver, const cti_program *q)
{
    if (q->kind == CTI_PROGRAM_LOCAL)
        return cti_program_tuned.bridge.sparse;
    return solver == CT_SOLVER_INTERIOR ? cti_program_tuned.bridge.cones : cti_program_tuned.bridge.contacts;
}

static double cti_bridge_first(const cti_problem *p, ct_solver solver)
{
    if (cti_bridge_is_local(p))
        return cti_program_tuned.bridge.local;
    return solver == CT_SOLVER_NEWTON ? cti_program_tuned.bridge.quick : cti_program_tuned.bridge.first;
}

static void cti_bridge_effort(const cti_problem *p, const ct_solver_desc *desc, ct_solver solver, cti_arena *arena, cti_effort *e)
{
    memset(e, 0, sizeof *e);
    e->tolerance = cti_fmax(cti_bridge_first(p, solver) * (double)desc->tolerance, cti_program_tuned.bridge.tight);
    e->seconds = desc->seconds, e->warm = 1;
    e->order = desc->order, e->relaxation = desc->relaxation, e->seed = desc->seed, e->mix = 1, e->clock.now_us = desc->now_us,
    e->clock.user = desc->now_user;
    e->arena = arena;
    e->clock.started = desc->now_us ? desc->now_us(desc->now_user) : 0;
}

/* a stored copy of v and the multipliers */
typedef struct cti_bridge_point {
    ct_real *v, *r;
    ct_real natural;
} cti_bridge_point;

static int cti_bridge_point_open(cti_arena *arena, const cti_problem *p, cti_bridge_point *q)
{
    q->v = CTI_ARENA_NEW(arena, ct_real, 3 * p->A->n), q->r = CTI_ARENA_NEW(arena, ct_real, 3 * p->n_rows);
    return q->v && q->r;
}

static void cti_bridge_point_take(const cti_problem *p, const ct_real *v, ct_real natural, cti_bridge_point *q)
{
    int i;
    memcpy(q->v, v, sizeof *v * 3 * (size_t)p->A->n);
    for (i = 0; i < p->n_rows; i++)
        memcpy(q->r + 3 * i, p->rows[i].r, sizeof p->rows[i].r);
    q->natural = natural;
}

static void cti_bridge_point_put(const cti_problem *p, const cti_bridge_point *q, ct_real *v)
{
    int i;
    memcpy(v, q->v, sizeof *v * 3 * (size_t)p->A->n);
    for (i = 0; i < p->n_rows; i++)
        memcpy(p->rows[i].r, q->r + 3 * i, sizeof p->rows[i].r);
}

/* max(dynamics, natural) of v and the rows by the world's judge; huge where numbers are not finite */
static ct_real cti_bridge_judge(const cti_problem *p, const ct_real *v, ct_real *work)
{
    cti_residuals res;
    ct_real natural;
    int i, k, finite = 1;
    for (i = 0; i < 3 * p->A->n; i++)
        finite = finite && cti_finite(v[i]);
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            finite = finite && cti_finite(p->rows[i].r[k]);
    if (!finite)
        return CTI_REAL_MAX;
    cti_residual_eval(p, CT_CONE_CONE, v, work, &res);
    natural = res.natural_map;
    return cti_finite(natural) ? natural : CTI_REAL_MAX;
}

/* cti_bridge_run -- one solve. */
typedef struct cti_bridge_run {
    const cti_problem *p;
    cti_program_solver solve;
    const ct_solver_desc *desc;
    ct_solver solver;
    cti_effort e;
    ct_real tolerance, slight; /* tolerance of the judge; [m/s] violation from which on a row is added */
    uint8_t *mode;            /* [rows] */
    ct_real *v, *work;
    cti_bridge_point start, best;
    cti_solve_info *info;
    cti_mem *mem; /* of the programs */
    int attempts; /* attempts with the present set of rows */
} cti_bridge_run;

/* The mode of a row by the start. local: open rows are included, since they cost little there */
static cti_bridge_mode cti_bridge_guess(const cti_row *row, const ct_real *v, int local)
{
    cti_bridge_mode mode = cti_bridge_whole(row);
    ct_real u[3], share;
    if (mode == CTI_BRIDGE_EQUATION)
        return mode;
    cti_row_velocity(row, v, u);
    if (!local && !(row->r[0] > 0) && u[0] >= cti_max(0, row->recover))
        return CTI_BRIDGE_OUT;
    if (mode != CTI_BRIDGE_TWO || !(row->r[0] > 0))
        return mode;
    /* where both carry load, the recovery's part is recover / (softness - compliance) */
    share = row->recover / (row->softness - row->compliance[0]);
    if (row->r[0] > cti_program_tuned.bridge.sure * share)
        return CTI_BRIDGE_HARD;
    return row->r[0] * cti_program_tuned.bridge.sure < share ? CTI_BRIDGE_SOFT : mode;
}

/* gives their complete law to rows that v and the multipliers violate while they are out, or in by a part of their law. Returns how many */
static int cti_bridge_mend(cti_bridge_run *b, ct_real natural)
{
    /* a violation far below the natural map of the whole is not worth another pass */
    ct_real slight = cti_max(b->slight, CTI_R(0.25) * natural * b->p->velocity_scale);
    int i, n = 0;
    for (i = 0; i < b->p->n_rows; i++) {
        const cti_row *row = &b->p->rows[i];
        cti_bridge_mode whole = cti_bridge_whole(row);
        ct_real u[3], law;
        if (b->mode[i] == whole)
            continue;
        cti_row_velocity(row, b->v, u);
        law = u[0] + row->compliance[0] * row->r[0];
        if (row->recover > 0)
            law = cti_min(law, u[0] + row->softness * row->r[0] - row->recover);
        if (law < -slight)
            b->mode[i] = (uint8_t)whole, n++;
    }
    return n;
}

/* one solve of the present program. 1: continue, 0: the solve ends, -1: out of memory */
static int cti_bridge_attempt(cti_bridge_run *b, const cti_bridge *q, cti_answer *a, int *mended)
{
    cti_arena_point mark = cti_arena_mark(b->e.arena);
    cti_outcome said;
    ct_real natural;
    a->iterations = 0;
    said = b->solve(&q->program, &b->e, a);
    cti_arena_rewind(b->e.arena, mark);
    if (said == CTI_OUTCOME_MEMORY)
        return -1;
    b->info->iterations += a->iterations;
    b->e.warm = 2;
    if (said == CTI_OUTCOME_NOT_APPLICABLE || said == CTI_OUTCOME_INFEASIBLE)
        return 0;
    if (!cti_bridge_finish(q, b->e.arena, a->x, a->r, b->v))
        return -1;
    natural = cti_bridge_judge(b->p, b->v, b->work);
    if (natural < b->best.natural)
        cti_bridge_point_take(b->p, b->v, natural, &b->best);
    if (!(natural < CTI_REAL_MAX) || b->best.natural <= b->tolerance)
        return 0;
    *mended = cti_bridge_mend(b, natural);
    if (!*mended && (said != CTI_OUTCOME_SOLVED || b->e.tolerance <= cti_program_tuned.bridge.tight ||
                     ++b->attempts >= cti_program_tuned.bridge.attempts))
        return 0;
    b->e.tolerance = cti_fmax(b->e.tolerance * cti_fmax(*mended ? 0.1 : 1e-3, cti_fmin(0.1, 0.3 * (double)(b->tolerance / natural))),
                              cti_program_tuned.bridge.tight);
    return 1;
}

/* a program without contacts is a linear system. Returns as cti_bridge_attempt */
static int cti_bridge_linear(cti_bridge_run *b, const cti_bridge *q, cti_answer *a, int *mended)
{
    cti_scalar s;
    ct_real natural;
    int ok, local = q->program.kind == CTI_PROGRAM_LOCAL;
    memset(&s, 0, sizeof s);
    ok = local || (cti_scalar_open(&b->e.arena->own, &s, &q->program.A) && cti_scalar_factor(&b->e.arena->own, &s));
    if (ok && !local) {
        cti_vec_copy(q->program.n, q->program.b, a->x);
        cti_scalar_solve(&s, a->x, 1);
    }
    ok = ok && cti_bridge_finish(q, b->e.arena, a->x, a->r, b->v);
    if (ok) {
        natural = cti_bridge_judge(b->p, b->v, b->work);
        if (natural < b->best.natural)
            cti_bridge_point_take(b->p, b->v, natural, &b->best);
        *mended = natural > b->tolerance && natural < CTI_REAL_MAX && cti_bridge_mend(b, 0);
    }
    return ok ? *mended : -1;
}

/* all attempts on the program with the present modes. Returns as cti_bridge_attempt */
static int cti_bridge_pass(cti_bridge_run *b)
{
    cti_bridge q;
    cti_answer a;
    int got = -1, mended = 0, bound, before;
    double pairs = cti_bridge_is_local(b->p) ? cti_delassus_bodies_pairs(b->e.arena, b->p, b->mode) : 0;
    if (!(pairs <= cti_program_tuned.bridge.pairs))
        return 0;
    memset(&q, 0, sizeof q), memset(&a, 0, sizeof a);
    if (pairs >= 0 && cti_bridge_open(b->mem, b->e.arena, b->p, b->mode, &q)) {
        a.x = CTI_ARENA_ZERO(b->e.arena, double, q.program.n), a.r = CTI_ARENA_ZERO(b->e.arena, double, q.program.m), a.why = "";
        got = q.contacts <= cti_bridge_most(b->solver, &q.program) ? 1 : 0;
        if (got && (!a.x || !a.r || !cti_program_prepare(b->mem, &q.program)))
            got = -1;
        bound = cti_bridge_bound(b->solver, b->desc, &q.program);
        if (got > 0)
            cti_bridge_start(&q, b->v, a.x, a.r);
        while (got > 0 && !mended) {
            /* passes and attempts on a LOCAL program share one budget; the last one always gets some iterations */
            b->e.max_iterations = bound;
            if (q.program.kind == CTI_PROGRAM_LOCAL)
                b->e.max_iterations = cti_max_int(bound - b->info->iterations, cti_min_int(bound, 3));
            before = b->info->iterations;
            got = q.contacts ? cti_bridge_attempt(b, &q, &a, &mended) : cti_bridge_linear(b, &q, &a, &mended);
            if (b->solver == CT_SOLVER_INTERIOR)
                b->info->spent += (ct_real)(b->info->iterations - before) / (ct_real)cti_program_tuned.bridge.interior;
        }
    }
    cti_bridge_close(b->mem, &q);
    return got;
}

static int cti_bridge_in_time(const cti_effort *e)
{
    return !(e->seconds > 0 && e->clock.now_us && (double)(cti_effort_now(e) - e->clock.started) * 1e-6 > e->seconds);
}

/* passes over growing sets of rows. 0: out of memory */
static int cti_bridge_go(cti_bridge_run *b)
{
    int k, i, got = 1, local = cti_bridge_is_local(b->p);
    for (i = 0; i < b->p->n_rows; i++)
        b->mode[i] = (uint8_t)cti_bridge_guess(&b->p->rows[i], b->v, local);
    /* forming factors and matrices cannot be interrupted: no pass begins after the time limit */
    for (k = 0; got > 0 && k <= cti_program_tuned.bridge.passes && (k == 0 || cti_bridge_in_time(&b->e)); k++) {
        cti_arena_point mark = cti_arena_mark(b->e.arena);
        for (i = 0; k == cti_program_tuned.bridge.passes && i < b->p->n_rows; i++)
            b->mode[i] = (uint8_t)cti_bridge_whole(&b->p->rows[i]);
        b->attempts = 0;
        got = cti_bridge_pass(b);
        cti_arena_rewind(b->e.arena, mark);
    }
    return got >= 0;
}

CTI_FN void cti_bridge_solve(const cti_problem *p, const ct_solver_desc *desc, ct_solver solver, ct_real loose, cti_mem *mem,
                             cti_arena *arena, ct_real *v, cti_solve_info *info)
{
    cti_arena_point mark = cti_arena_mark(arena);
    cti_bridge_run b;
    int ok;
    memset(info, 0, sizeof *info), memset(&b, 0, sizeof b);
    b.p = p, b.v = v, b.info = info, b.tolerance = desc->tolerance, b.slight = CTI_R(0.5) * desc->tolerance * p->velocity_scale;
    b.best.natural = CTI_REAL_MAX;
    b.solve = cti_bridge_find(solver), b.desc = desc, b.solver = solver, b.mem = mem;
    b.work = CTI_ARENA_NEW(arena, ct_real, 6 * (size_t)p->A->n), b.mode = CTI_ARENA_NEW(arena, uint8_t, p->n_rows);
    cti_bridge_effort(p, desc, solver, arena, &b.e);
    ok = b.work && b.mode && cti_bridge_point_open(arena, p, &b.start) && cti_bridge_point_open(arena, p, &b.best);
    if (ok) {
        cti_bridge_point_take(p, v, 0, &b.start);
        ok = cti_bridge_go(&b);
        cti_bridge_point_put(p, ok && b.best.natural <= loose ? &b.best : &b.start, v);
    }
    info->status = b.best.natural <= desc->tolerance ? CTI_SOLVE_OK : (b.best.natural <= loose ? CTI_SOLVE_BUDGET : CTI_SOLVE_FAILED);
    info->status = ok ? info->status : CTI_SOLVE_MEMORY;
    info->change = b.best.natural < CTI_REAL_MAX ? b.best.natural : 0;
    cti_arena_rewind(arena, mark);
}
