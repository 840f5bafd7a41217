/* problems.c -- contact problems without a world: their memory, their solves.
   Method: the solver works on scratch of its own; the judge then says what its result is worth, and only that is reported. */
#include "problems.h"
#include "../3_solve/solvers.h"

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
    out_info->n = p->n, out_info->m = p->m, out_info->contacts = p->mu ? p->m / 3 : 0;
    out_info->x_ref = p->x_ref, out_info->r_ref = p->r_ref;
    out_info->has_objective = p->has_objective, out_info->objective_ref = p->objective_ref;
    out_info->expect = p->expect;
    return CT_OK;
}

CONTACT_API_DEF const char *ct_outcome_text(ct_outcome outcome)
{
    static const char *const text[] = {"solved", "infeasible", "ray", "budget", "failed", "not_applicable"};
    return (int)outcome >= 0 && outcome < CT_OUTCOME_COUNT_ ? text[outcome] : "?";
}

CONTACT_API_DEF int ct_problem_solver_built(ct_solver solver) { return solver == CT_SOLVER_AUTO || cti_solvers_find(solver) != NULL; }

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
    return d->tolerance > 0 && d->budget >= 0 && d->seconds >= 0 && d->order >= 0 && d->order <= 2 && d->relaxation > 0 &&
           d->relaxation < 2 && (int)d->solver >= 0 && d->solver < CT_SOLVER_COUNT_;
}

static int cti_problems_start(cti_mem *mem, const cti_program *p, int warm, ct_solution *s)
{
    int fit = s->n == p->n && s->m == p->m && s->x && s->r;
    if (!fit) {
        ct_solution_free(s);
        if (!CTI_RESIZE(mem, s->x, p->n) || !CTI_RESIZE(mem, s->r, p->m))
            return 0;
        s->n = p->n, s->m = p->m;
    }
    if (!warm || !fit) {
        memset(s->x, 0, sizeof *s->x * (size_t)p->n);
        memset(s->r, 0, sizeof *s->r * (size_t)p->m);
    }
    return 1;
}

static void cti_problems_measure(const cti_program *p, double *work, ct_solution *s)
{
    cti_judgement j;
    cti_program_judge(p, s->x, s->r, work, &j);
    s->residual = j.residual, s->dynamics = j.dynamics, s->primal = j.primal, s->dual = j.dual;
    s->gap = j.gap, s->natural = j.natural, s->unscaled = j.unscaled, s->objective = j.objective;
}

/* what stands in s, said by the judge; what a solver calls solved and is not has failed, what it gave up and is solved is solved */
static ct_outcome cti_problems_judge(const cti_program *p, double tolerance, cti_outcome said, double *work, ct_solution *s)
{
    cti_problems_measure(p, work, s);
    if (said == CTI_OUTCOME_INFEASIBLE || said == CTI_OUTCOME_RAY || said == CTI_OUTCOME_NOT_APPLICABLE)
        return (ct_outcome)said;
    if (s->residual <= tolerance)
        return CT_OUTCOME_SOLVED;
    if (said == CTI_OUTCOME_SOLVED)
        s->why = "the solver's own rule was met, the residual's was not";
    return said == CTI_OUTCOME_BUDGET ? CT_OUTCOME_BUDGET : CT_OUTCOME_FAILED;
}

enum { CTI_PROBLEMS_THIN = 50 }; /* iterations before those that are traced lie further apart than one */

typedef struct cti_problems_tracer {
    const cti_program *p;
    const ct_solver_desc *d;
    cti_effort *e;
    double before, *work; /* seconds of earlier attempts; [2 m + 2 n] */
    ct_solution *s;
} cti_problems_tracer;

static int cti_problems_watch(void *user, int iteration, const double *x, const double *r)
{
    cti_problems_tracer *t = (cti_problems_tracer *)user;
    if (t->d->watch && !t->d->watch(t->d->watch_user, iteration, x, r))
        return 0;
    t->s->iterations = iteration;
    if (!t->d->watch)
        t->e->watch_from = iteration + 1 + iteration / CTI_PROBLEMS_THIN;
    /* hidden does not hold this turn yet: the clock was read when it began */
    t->s->seconds = t->before + (double)(t->e->turn - t->e->started) * 1e-6;
    cti_problems_measure(t->p, t->work, t->s);
    return t->d->trace(t->d->trace_user, t->s);
}

/* one solver's attempt. 0: out of memory */
static int cti_problems_attempt(cti_mem *mem, const cti_program *p, const ct_solver_desc *d, ct_solver solver, ct_solution *s)
{
    cti_arena arena;
    cti_effort e;
    cti_answer a;
    cti_outcome said;
    cti_problems_tracer tracer;
    double *work;
    cti_program_solver solve = cti_solvers_find(solver);
    cti_arena_init(&arena, mem);
    memset(&e, 0, sizeof e), memset(&a, 0, sizeof a);
    e.tolerance = (double)d->tolerance, e.max_iterations = d->budget, e.seconds = d->seconds, e.warm = d->warm, e.cone = d->cone;
    e.order = d->order, e.relaxation = d->relaxation, e.plain = d->plain, e.seed = d->seed, e.now_us = d->now_us, e.now_user = d->now_user;
    e.watch = d->watch, e.watch_user = d->watch_user, e.mem = mem, e.arena = &arena;
    e.started = cti_effort_now(&e);
    tracer.p = p, tracer.d = d, tracer.e = &e, tracer.before = s->seconds, tracer.s = s;
    if (d->trace)
        e.watch = cti_problems_watch, e.watch_user = &tracer;
    a.x = s->x, a.r = s->r, a.why = "";
    tracer.work = work = CTI_ARENA_NEW(&arena, double, 2 * (size_t)p->m + 2 * (size_t)p->n);
    said = work ? solve(p, &e, &a) : CTI_OUTCOME_MEMORY;
    if (said != CTI_OUTCOME_MEMORY) {
        s->seconds = tracer.before + (double)(cti_effort_now(&e) - e.started) * 1e-6;
        s->solver = solver, s->iterations = a.iterations, s->why = a.why;
        s->outcome = cti_problems_judge(p, (double)d->tolerance, said, work, s);
        if (s->outcome == CT_OUTCOME_SOLVED)
            s->why = "";
    }
    cti_arena_free(&arena);
    return said != CTI_OUTCOME_MEMORY;
}

CONTACT_API_DEF ct_code ct_problem_solve(const ct_problem *problem, const ct_solver_desc *desc, ct_solution *solution)
{
    cti_mem mem;
    ct_solver solver;
    ct_solver_desc d;
    int k;
    if (!problem || !desc || !solution || !cti_problems_desc_ok(desc))
        return CT_ERR_ARGUMENT;
    if (!ct_problem_solver_built(desc->solver))
        return CT_ERR_UNSUPPORTED;
    cti_mem_init(&mem, NULL);
    if (!cti_problems_start(&mem, &problem->program, desc->warm, solution))
        return CT_ERR_MEMORY;
    d = *desc;
    solution->seconds = 0, solution->outcome = CT_OUTCOME_NOT_APPLICABLE, solution->why = "no solver is built for this problem";
    for (k = 0;; k++) {
        solver = desc->solver != CT_SOLVER_AUTO ? desc->solver : cti_solvers_auto(&problem->program, k);
        if (solver == CT_SOLVER_AUTO || (k && desc->solver != CT_SOLVER_AUTO))
            return CT_OK;
        if (!cti_problems_attempt(&mem, &problem->program, &d, solver, solution))
            return CT_ERR_MEMORY;
        if (solution->outcome == CT_OUTCOME_SOLVED || solution->outcome == CT_OUTCOME_INFEASIBLE)
            return CT_OK;
    }
}
