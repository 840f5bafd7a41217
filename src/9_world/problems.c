/* problems.c -- contact problems without a world: their memory, their solves.
   Method: the solver works on its own scratch. The judge then measures its result, and only the judge's numbers are reported. */
#include "problems.h"
#include "../4_programs/certificate.h"
#include "../4_programs/solvers.h"
#include "world.h"

CTI_FN ct_problem *cti_problem_new(void)
{
    cti_mem mem;
    ct_problem *q;
    cti_mem_init(&mem, NULL);
    q = (ct_problem *)cti_mem_resize(&mem, NULL, 0, sizeof *q);
    if (!q)
        return NULL;
    memset(q, 0, sizeof *q);
    q->mem = mem;
    return q;
}

CONTACT_API_DEF void ct_problem_free(ct_problem *problem)
{
    cti_mem mem;
    if (!problem)
        return;
    cti_program_free(&problem->mem, &problem->program);
    mem = problem->mem;
    cti_mem_resize(&mem, problem, sizeof *problem, 0);
}

CONTACT_API_DEF ct_code ct_problem_info_get(const ct_problem *problem, ct_problem_info *out_info)
{
    const cti_program *p;
    if (!problem || !out_info)
        return CT_ERR_ARGUMENT;
    p = &problem->program;
    memset(out_info, 0, sizeof *out_info);
    out_info->kind = (ct_problem_kind)p->kind;
    out_info->n = p->n, out_info->m = p->m, out_info->contacts = cti_program_contacts(p), out_info->spins = p->spins;
    out_info->x_ref = p->known.x, out_info->r_ref = p->known.r;
    out_info->has_objective = p->known.has_objective, out_info->objective_ref = p->known.objective;
    out_info->expect = p->known.expect;
    return CT_OK;
}

CONTACT_API_DEF const char *ct_outcome_text(ct_outcome outcome)
{
    static const char *const text[] = {"solved", "infeasible", "ray", "budget", "failed", "not_applicable"};
    return (int)outcome >= 0 && outcome < CT_OUTCOME_COUNT_ ? text[outcome] : "?";
}

CONTACT_API_DEF int ct_problem_solver_built(ct_solver solver)
{
    return (solver == CT_SOLVER_AUTO && (CTI_SOLVERS_ANY)) || cti_solvers_find(solver) != NULL;
}

CONTACT_API_DEF void ct_solution_free(ct_solution *solution)
{
    cti_mem mem;
    if (!solution)
        return;
    cti_mem_init(&mem, NULL);
    CTI_FREE(&mem, solution->x);
    CTI_FREE(&mem, solution->r);
    memset(solution, 0, sizeof *solution);
}

static int cti_problems_desc_ok(const ct_solver_desc *d)
{
    return d->cookie == CTI_COOKIE && d->tolerance > 0 && cti_finite(d->tolerance) && d->budget >= 0 && d->seconds >= 0 && d->order >= 0 &&
           d->order <= 2 && d->relaxation > 0 && d->relaxation < 2 && (int)d->solver >= 0 && d->solver < CT_SOLVER_COUNT_ &&
           (int)d->cone >= 0 && d->cone <= CT_CONE_CONE;
}

/* ---- one solve ---- */

/* cti_problems_run -- a solve by one solver, or by several in sequence: one clock, one start, the best result so far. */
typedef struct cti_problems_run {
    const cti_program *p;
    const ct_solver_desc *d;
    cti_mem mem;
    cti_arena arena;
    cti_arena_point mark;
    uint64_t started;
    uint64_t hidden;      /* [us] time spent in the tracer so far */
    cti_effort *e;        /* of the present attempt */
    int stopped;          /* 1: the watcher ended the solve */
    double *x0, *r0;      /* [n], [m] start */
    double *x, *r, *work; /* [n], [m] of the attempt; [2 m + 2 n] */
    double *proof;        /* [m] */
} cti_problems_run;

static double cti_problems_elapsed(const cti_problems_run *q)
{
    return q->d->now_us ? (double)(q->d->now_us(q->d->now_user) - q->hidden - q->started) * 1e-6 : 0;
}

/* [iterations] all of the first 50 are traced, later only each whose distance from the last one is 1/50 of its number */
enum { CTI_PROBLEMS_THIN = 50 };

static void cti_problems_numbers(const cti_judgement *j, ct_solution *s)
{
    s->residual = j->residual, s->dynamics = j->dynamics, s->primal = j->primal, s->dual = j->dual;
    s->gap = j->gap, s->natural = j->natural, s->unscaled = j->unscaled, s->objective = j->objective;
}

/* passes the judged present answer to the tracer; 0 when that ends the solve */
static int cti_problems_trace(cti_problems_run *q, int iteration)
{
    cti_judgement j;
    ct_solution s;
    memset(&s, 0, sizeof s);
    cti_program_judge(q->p, q->x, q->r, q->work, &j);
    s.x = q->x, s.r = q->r, s.n = q->p->n, s.m = q->p->m, s.iterations = iteration, s.why = "";
    s.seconds = (double)(q->e->clock.turn - q->e->clock.started) * 1e-6;
    cti_problems_numbers(&j, &s);
    if (!q->d->watch)
        q->e->watcher.from = iteration + 1 + iteration / CTI_PROBLEMS_THIN;
    return q->d->trace(q->d->trace_user, &s);
}

static int cti_problems_watch(void *user, int iteration, const double *x, const double *r)
{
    cti_problems_run *q = (cti_problems_run *)user;
    q->stopped = q->stopped || (q->d->watch && !q->d->watch(q->d->watch_user, iteration, x, r));
    q->stopped = q->stopped || (q->d->trace && !cti_problems_trace(q, iteration));
    return !q->stopped;
}

/* 1 when s holds n and m finite numbers */
static int cti_problems_start_ok(const cti_program *p, const ct_solution *s)
{
    int i, ok = s->n == p->n && s->m == p->m && (s->x || !p->n) && (s->r || !p->m);
    for (i = 0; ok && i < p->n; i++)
        ok = cti_finite64(s->x[i]);
    for (i = 0; ok && i < p->m; i++)
        ok = cti_finite64(s->r[i]);
    return ok;
}

/* allocates the start, the attempts and the answer. 0: out of memory, s is unchanged */
static int cti_problems_open(cti_problems_run *q, const ct_solution *s)
{
    const cti_program *p = q->p;
    q->x0 = CTI_ARENA_ZERO(&q->arena, double, p->n), q->r0 = CTI_ARENA_ZERO(&q->arena, double, p->m);
    q->x = CTI_ARENA_NEW(&q->arena, double, p->n), q->r = CTI_ARENA_NEW(&q->arena, double, p->m);
    q->work = cti_judge_work(&q->arena, p);
    q->proof = CTI_ARENA_NEW(&q->arena, double, p->m);
    if (!q->x0 || !q->r0 || !q->x || !q->r || !q->work || !q->proof)
        return 0;
    if (q->d->warm && p->n)
        cti_vec_copy(p->n, s->x, q->x0);
    if (q->d->warm && p->m)
        cti_vec_copy(p->m, s->r, q->r0);
    q->mark = cti_arena_mark(&q->arena);
    return 1;
}

#define CTI_PROBLEMS_FEASIBLE 1e-9 /* [1] of w, violation of a point that has no certificate: certificates violate theirs by up to 1e-8 */

static const char CTI_PROBLEMS_PROOF[] = "no point meets all rows: the multipliers are a certificate";

/* 1 for a point so good that no certificate is sought for long. Its violation is relative to the data's w, not to terms that cancel, as it
   is for QP */
static int cti_problems_feasible(const cti_program *p, const cti_judgement *j, double tolerance)
{
    return !cti_program_is_dynamic(p) && j->residual <= tolerance && j->primal <= CTI_PROBLEMS_FEASIBLE;
}

/* 1 where the point itself refutes the certificate q->proof. An exact one, y, has y'u <= w'y < 0 at every point, so that the violations of
   u >= 0, weighted with y, have at least the sum |w'y|. In one that holds up to 1e-9, a point of size 1e9 may have less. Rounding of u counts as a
   violation, and a point with negative multipliers refutes no LCP's */
static int cti_problems_refutes(const cti_problems_run *q, const cti_judgement *j)
{
    const cti_program *p = q->p;
    int square = !cti_program_is_dynamic(p), i, k;
    const cti_sparse *S = square ? &p->W : &p->J;
    const double *y = q->proof, *z = square ? q->r : q->x;
    double *u = q->work, violation = 0, value = 0;
    cti_program_u(p, q->x, q->r, u);
    for (i = 0; i < p->m; i++) {
        double terms = 0, off = p->equation && p->equation[i] ? fabs(u[i]) : cti_fmax(0, -u[i]);
        if (y[i] == 0)
            continue;
        for (k = S->p[i]; k < S->p[i + 1]; k++)
            terms += fabs(S->x[k] * z[S->i[k]]);
        violation += fabs(y[i]) * (off + 1e-14 * terms), value += y[i] * p->w[i];
    }
    return violation < -value / 2 && !(square && j->dual > CTI_PROBLEMS_FEASIBLE);
}

/* 1 when the multipliers contain a certificate of infeasibility that the point does not refute; it is then in q->r. Diverging multipliers
   do so along one. Unless the point is good, the nearest vector with W'y = 0 is tried, too. j: of the point, or NULL where there is none */
static int cti_problems_prove(const cti_problems_run *q, const cti_judgement *j)
{
    const cti_program *p = q->p;
    size_t size = sizeof *q->r * (size_t)p->m;
    int sharp = !j || !cti_problems_feasible(p, j, (double)q->d->tolerance);
    if (p->m == 0)
        return 0;
    memcpy(q->proof, q->r, size);
    if (!(sharp ? cti_program_certify_sharp(p, q->proof, q->work) : cti_program_certify(p, q->proof, q->work)))
        return 0;
    if (j && cti_problems_refutes(q, j))
        return 0;
    memcpy(q->r, q->proof, size);
    return 1;
}

/* the outcome of an attempt, by the judge. A result that the solver calls solved and the judge does not is FAILED. A result that the solver
   gave up, and that the judge accepts, is SOLVED. INFEASIBLE needs a certificate that holds. One that is read off a point's multipliers
   must not be refuted by that point. It precedes every other outcome */
static ct_outcome cti_problems_judge(const cti_problems_run *q, cti_outcome said, const char **why, cti_judgement *j)
{
    cti_program_judge(q->p, q->x, q->r, q->work, j);
    if (said != CTI_OUTCOME_INFEASIBLE && said != CTI_OUTCOME_NOT_APPLICABLE && cti_problems_prove(q, j)) {
        *why = CTI_PROBLEMS_PROOF;
        return CT_OUTCOME_INFEASIBLE;
    }
    if (j->residual <= (double)q->d->tolerance && said != CTI_OUTCOME_INFEASIBLE && said != CTI_OUTCOME_NOT_APPLICABLE) {
        *why = "";
        return CT_OUTCOME_SOLVED;
    }
    if (said == CTI_OUTCOME_INFEASIBLE && !cti_program_certifies(q->p, q->r, q->work)) {
        *why = "the solver's proof of infeasibility does not hold";
        return CT_OUTCOME_FAILED;
    }
    if (said == CTI_OUTCOME_SOLVED) {
        *why = "the solver's own rule was met, the residual's was not";
        return CT_OUTCOME_FAILED;
    }
    return (ct_outcome)said;
}

/* 1 when an attempt with this outcome replaces the one in s: it is solved or proved infeasible, it is the first ray, or it has a smaller
   residual and s holds no ray */
static int cti_problems_better(const ct_solution *s, ct_outcome outcome, double residual)
{
    if (outcome == CT_OUTCOME_SOLVED || outcome == CT_OUTCOME_INFEASIBLE)
        return 1;
    if (outcome == CT_OUTCOME_NOT_APPLICABLE || s->outcome == CT_OUTCOME_RAY)
        return 0;
    return outcome == CT_OUTCOME_RAY || s->outcome == CT_OUTCOME_NOT_APPLICABLE || residual < s->residual;
}

/* stores the attempt in s if it is the first or better */
static void cti_problems_keep(const cti_problems_run *q, ct_solver solver, ct_outcome outcome, const cti_answer *a, const cti_judgement *j, int first,
                              ct_solution *s)
{
    if (!first && !cti_problems_better(s, outcome, j->residual))
        return;
    s->solver = solver, s->iterations = a->iterations, s->why = a->why;
    s->outcome = outcome;
    cti_problems_numbers(j, s);
    cti_vec_copy(q->p->n, q->x, s->x);
    cti_vec_copy(q->p->m, q->r, s->r);
}

/* a problem without unknowns: r = 0, u = w, and a row with w < 0 is a certificate of infeasibility */
static cti_outcome cti_problems_empty(const cti_problems_run *q)
{
    const cti_program *p = q->p;
    int i;
    cti_vec_zero(p->m, q->r);
    for (i = 0; i < p->m; i++) {
        int equation = p->equation && p->equation[i];
        if (cti_program_is_friction(p, i) || (equation ? p->w[i] == 0 : p->w[i] >= 0))
            continue;
        q->r[i] = p->w[i] > 0 ? -1 : 1;
        return CTI_OUTCOME_INFEASIBLE;
    }
    return CTI_OUTCOME_SOLVED;
}

/* the limits and options of the run's solvers */
static void cti_problems_effort(cti_problems_run *q, cti_effort *e)
{
    const ct_solver_desc *d = q->d;
    memset(e, 0, sizeof *e);
    e->tolerance = (double)d->tolerance, e->max_iterations = d->budget, e->seconds = d->seconds, e->warm = d->warm;
    e->order = d->order, e->relaxation = (double)d->relaxation, e->plain = d->plain, e->seed = d->seed;
    e->paper = d->termination == CT_TERMINATION_PAPER;
    e->clock.now_us = d->now_us, e->clock.user = d->now_user;
    e->watcher.watch = d->watch || d->trace ? cti_problems_watch : NULL, e->watcher.user = q;
    e->arena = &q->arena, e->clock.started = q->started, e->clock.hidden = q->hidden;
}

/* one solver's attempt. 0: out of memory */
static int cti_problems_attempt(cti_problems_run *q, ct_solver solver, int first, ct_solution *s)
{
    cti_effort e;
    cti_answer a;
    cti_judgement j;
    cti_outcome said;
    cti_problems_effort(q, &e);
    q->e = &e;
    memset(&a, 0, sizeof a);
    a.x = q->x, a.r = q->r, a.why = "";
    cti_vec_copy(q->p->n, q->x0, q->x), cti_vec_copy(q->p->m, q->r0, q->r);
    said = q->p->n == 0 ? cti_problems_empty(q) : cti_solvers_find(solver)(q->p, &e, &a);
    q->hidden = e.clock.hidden;
    if (said != CTI_OUTCOME_MEMORY) {
        ct_outcome outcome = cti_problems_judge(q, said, &a.why, &j);
        cti_problems_keep(q, solver, outcome, &a, &j, first, s);
    }
    cti_arena_rewind(&q->arena, q->mark);
    return said != CTI_OUTCOME_MEMORY;
}

/* measures the certificate in s */
static void cti_problems_measure(const cti_problems_run *q, ct_solution *s)
{
    cti_certificate c;
    s->proof_rows = 0, s->proof_value = s->proof_off = 0;
    if (s->outcome != CT_OUTCOME_INFEASIBLE || !cti_program_certificate(q->p, s->r, q->work, &c))
        return;
    s->proof_rows = c.rows, s->proof_off = c.off, s->proof_value = c.terms > 0 ? c.value / c.terms : 0;
}

/* When AUTO has no solution, this tests whether the contacts' normal rows alone are infeasible, for which their solvers have proofs. The
   proof goes to q->r; 0: none */
static int cti_problems_prove_normals(cti_problems_run *q)
{
    cti_program normals;
    cti_effort e;
    cti_answer a;
    int i, k, found = 0;
    ct_solver solver;
    if (!q->p->mu || q->p->spins || !cti_program_normals(&q->arena.own, q->p, &normals))
        return 0;
    memset(&a, 0, sizeof a);
    a.x = CTI_ARENA_ZERO(&q->arena, double, normals.n), a.r = CTI_ARENA_ZERO(&q->arena, double, normals.m);
    for (k = 0; a.x && a.r && !found && (solver = cti_solvers_auto(&normals, k)) != CT_SOLVER_AUTO; k++) {
        cti_outcome said;
        cti_problems_effort(q, &e);
        e.watcher.watch = NULL, e.warm = 0;
        said = cti_solvers_find(solver)(&normals, &e, &a);
        if (said == CTI_OUTCOME_SOLVED)
            break;
        for (i = 0; i < q->p->m; i++)
            q->r[i] = i % 3 ? 0 : a.r[i / 3];
        found = said == CTI_OUTCOME_INFEASIBLE && cti_problems_prove(q, NULL);
    }
    cti_arena_rewind(&q->arena, q->mark);
    return found;
}

/* 1 where the solve is refused, with the start as its answer: friction in a cone that the judge does not know, so that no answer could be
   called solved, or the paper's termination for a solver without it */
static int cti_problems_refuses(const cti_problems_run *q, ct_solution *s)
{
    const cti_program *p = q->p;
    int i = 0, spins = p->spins && q->d->solver != CT_SOLVER_LEMKE && q->d->solver != CT_SOLVER_BOXED && q->d->solver != CT_SOLVER_AUTO;
    int other = q->d->termination == CT_TERMINATION_PAPER && q->d->solver != CT_SOLVER_ICA && q->d->solver != CT_SOLVER_MPRGP &&
                q->d->solver != CT_SOLVER_AUTO;
    while (q->d->cone != CT_CONE_CONE && i < cti_program_contacts(p) && !(p->mu[i] > 0))
        i++;
    if (!other && !spins && (q->d->cone == CT_CONE_CONE || i == cti_program_contacts(p)))
        return 0;
    s->solver = q->d->solver, s->outcome = CT_OUTCOME_NOT_APPLICABLE;
    s->why = q->d->cone == CT_CONE_BOX ? "CT_CONE_BOX is for worlds: a problem's friction is Coulomb's, CT_CONE_CONE"
                                       : "CT_CONE_PYRAMID is for worlds: a problem's friction is Coulomb's, CT_CONE_CONE";
    if (spins)
        s->why = "torsional friction is for CT_SOLVER_LEMKE, CT_SOLVER_BOXED and CT_SOLVER_AUTO";
    if (other)
        s->why = "termination PAPER is for CT_SOLVER_ICA and CT_SOLVER_MPRGP";
    cti_vec_copy(p->n, q->x0, s->x);
    cti_vec_copy(p->m, q->r0, s->r);
    return 1;
}

/* the k-th solver that AUTO tries; CT_SOLVER_AUTO after the last */
static ct_solver cti_problems_next(const cti_problems_run *q, int k)
{
    if (q->d->termination == CT_TERMINATION_PAPER && !q->p->spins)
        return k == 0 && cti_solvers_find(CT_SOLVER_ICA) ? CT_SOLVER_ICA : CT_SOLVER_AUTO;
    return cti_solvers_auto(q->p, k);
}

/* runs the chosen solver, or those of AUTO until one ends the solve, the time is over or the watcher ends it. 0: every attempt ran out of
   memory (the next solver of AUTO may need less) */
static int cti_problems_attempts(cti_problems_run *q, ct_solution *s)
{
    int k, done = 0;
    s->outcome = CT_OUTCOME_NOT_APPLICABLE, s->why = "no solver is built for this problem";
    for (k = 0;; k++) {
        ct_solver solver = q->d->solver != CT_SOLVER_AUTO ? q->d->solver : cti_problems_next(q, k);
        if (solver == CT_SOLVER_AUTO) {
            if (done && cti_problems_prove_normals(q)) {
                cti_vec_copy(q->p->m, q->r, s->r);
                s->outcome = CT_OUTCOME_INFEASIBLE, s->why = CTI_PROBLEMS_PROOF;
            }
            return done || k == 0;
        }
        done += cti_problems_attempt(q, solver, done == 0, s);
        if (q->d->solver != CT_SOLVER_AUTO || q->stopped ||
            (done && (s->outcome == CT_OUTCOME_SOLVED || s->outcome == CT_OUTCOME_INFEASIBLE)))
            return done;
        if (q->d->seconds > 0 && cti_problems_elapsed(q) > q->d->seconds)
            return done;
    }
}

/* moves x and r into the caller's arrays if these have the size, and replaces them otherwise */
static void cti_problems_hand_over(ct_solution *s, ct_solution *out)
{
    int keeps_x = out->n == s->n && (s->n == 0 || (out->x && s->x)), keeps_r = out->m == s->m && (s->m == 0 || (out->r && s->r));
    if (keeps_x && keeps_r) {
        double *x = out->x, *r = out->r;
        cti_vec_copy(s->n, s->x, x), cti_vec_copy(s->m, s->r, r);
        *out = *s, out->x = x, out->r = r;
        s->n = s->m = 0;
        ct_solution_free(s);
        return;
    }
    ct_solution_free(out);
    *out = *s;
}

static ct_code cti_problems_solve(const ct_problem *problem, const ct_solver_desc *desc, ct_solution *solution)
{
    cti_problems_run q;
    ct_solution s;
    const cti_program *p;
    int ok;
    if (!problem || !desc || !solution || !cti_problems_desc_ok(desc))
        return CT_ERR_ARGUMENT;
    if (!ct_problem_solver_built(desc->solver) || (!CONTACT_WITH_PRINTED && desc->termination == CT_TERMINATION_PAPER))
        return CT_ERR_UNSUPPORTED;
    p = &problem->program;
    if (desc->warm && !cti_problems_start_ok(p, solution))
        return CT_ERR_ARGUMENT;
    memset(&q, 0, sizeof q), memset(&s, 0, sizeof s);
    q.p = p, q.d = desc, q.started = desc->now_us ? desc->now_us(desc->now_user) : 0;
    cti_mem_init(&q.mem, NULL);
    cti_arena_init(&q.arena, &q.mem);
    s.n = p->n, s.m = p->m;
    ok = CTI_RESIZE(&q.mem, s.x, p->n) && CTI_RESIZE(&q.mem, s.r, p->m) && cti_problems_open(&q, solution) &&
         (cti_problems_refuses(&q, &s) || cti_problems_attempts(&q, &s));
    if (ok)
        cti_problems_measure(&q, &s);
    cti_arena_free(&q.arena);
    if (!ok) {
        ct_solution_free(&s);
        return CT_ERR_MEMORY;
    }
    s.seconds = cti_problems_elapsed(&q);
    cti_problems_hand_over(&s, solution);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_problem_solve(const ct_problem *problem, const ct_solver_desc *desc, ct_solution *solution)
{
#if CTI_SOLVERS_ANY && CONTACT_WITH_PROBLEMS
    CTI_FPENV_RETURN(cti_problems_solve(problem, desc, solution))
#else
    return problem && desc && solution ? CT_ERR_UNSUPPORTED : CT_ERR_ARGUMENT;
#endif
}
