/* trace_solvers.c -- one solve of a QP with all that the figures ask for: decoupled rows or all of them, with or without rows, any
   preconditioner, ICA with and without acceleration. Not part of `make bench`.

   trace_solvers FILE.cpb [--solver mprgp|ica|ica_plain|NAME] [--decouple none|random|deepest] [--rows 0|1] [--path 0|1|2]
                 [--precondition auto|none|jacobi|blocks] [--tol T] [--iterations N] [--seconds S] [--seed N] [--trace OUT.csv]
                 [--printed 0|1]  (mprgp: algorithm 3 as printed)

   Prints one JSON object. The trace has iteration, seconds (process CPU, without tracing), residual (the judge's), objective, and the
   Euclidean norm of A x - b - J'r, which is Li's |phi + beta| where r is what the gradient has along active rows. */
#include "../src/4_programs/ica_program.h"
#include "../src/4_programs/mprgp.h"
#include "../src/4_programs/solvers.h"
#include "../src/9_world/problems.h"
#include "../src/public/api.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now_us(void *user)
{
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

typedef struct options {
    const char *file, *solver, *trace;
    cti_mprgp_decoupling decouple;
    cti_mprgp_precondition precondition;
    int rows, path, iterations, printed;
    double tolerance, seconds;
    uint64_t seed;
} options;

typedef struct tracer {
    const cti_program *p;
    cti_effort *e;
    double *work, *g;
    FILE *f;
    double first_seconds, last_seconds; /* of the first and the last line, for the cost of an iteration */
    int first, last, lines;
} tracer;

static double gradient_norm(const cti_program *p, const double *x, const double *r, double *g)
{
    double s = 0;
    int i, k;
    cti_sparse_mul(&p->A, x, g);
    for (i = 0; i < p->n; i++)
        g[i] -= p->b[i];
    for (i = 0; i < p->m; i++)
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++)
            g[p->J.i[k]] -= p->J.x[k] * r[i];
    for (i = 0; i < p->n; i++)
        s += g[i] * g[i];
    return sqrt(s);
}

static void trace_line(tracer *t, int iteration, double seconds, const double *x, const double *r)
{
    cti_judgement j;
    if (t->lines++ == 0)
        t->first = iteration, t->first_seconds = seconds;
    t->last = iteration, t->last_seconds = seconds;
    if (!t->f)
        return;
    cti_program_judge(t->p, x, r, t->work, &j);
    fprintf(t->f, "%d,%.6f,%.9g,%.17g,%.9g\n", iteration, seconds, j.residual, j.objective, gradient_norm(t->p, x, r, t->g));
}

static int watch(void *user, int iteration, const double *x, const double *r)
{
    tracer *t = (tracer *)user;
    t->e->watcher.from = iteration + 1 + iteration / 100;
    trace_line(t, iteration, (double)(t->e->clock.turn - t->e->clock.started) * 1e-6, x, r);
    return 1;
}

/* the rows that decoupling keeps, in place; of a problem of contacts the normal rows, a QP then */
static int reduce(cti_mem *mem, cti_arena *arena, cti_program *p, const options *o)
{
    int i, k, at = 0, m = 0, stride = p->mu ? 3 : 1;
    uint8_t *keep;
    double *depth;
    for (i = 0; i < p->m; i += stride) {
        int first = p->J.p[i], end = p->J.p[i + 1];
        p->w[m] = p->w[i];
        if (p->equation)
            p->equation[m] = p->equation[i];
        for (k = first; k < end; k++)
            p->J.i[at] = p->J.i[k], p->J.x[at++] = p->J.x[k];
        p->J.p[++m] = at;
    }
    p->kind = CTI_PROGRAM_QP, p->m = p->J.rows = m;
    CTI_FREE(mem, p->mu), CTI_FREE(mem, p->known.r);
    if (o->decouple == CTI_DECOUPLE_NONE || !o->rows)
        return 1;
    keep = CTI_ARENA_ZERO(arena, uint8_t, m), depth = CTI_ARENA_NEW(arena, double, m);
    if (!keep || !depth)
        return 0;
    for (i = 0; i < m; i++) { /* at x = 0 */
        double size = 0;
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++)
            size += p->J.x[k] * p->J.x[k];
        depth[i] = size > 0 ? p->w[i] / sqrt(size) : INFINITY;
    }
    if (cti_mprgp_decouple(arena, &p->J, depth, o->decouple, 3, o->seed, keep) < 0)
        return 0;
    for (i = 0, m = 0, at = 0; i < p->m; i++) {
        int first = p->J.p[i], end = p->J.p[i + 1];
        if (!keep[i])
            continue;
        p->w[m] = p->w[i];
        for (k = first; k < end; k++)
            p->J.i[at] = p->J.i[k], p->J.x[at++] = p->J.x[k];
        p->J.p[++m] = at;
    }
    p->m = p->J.rows = m;
    return 1;
}

static cti_outcome solve(const options *o, const cti_program *p, cti_effort *e, cti_answer *a, cti_mprgp_counters *count)
{
    int k;
    if (!strcmp(o->solver, "mprgp")) {
        cti_mprgp_options m = cti_mprgp_options_default();
        m.precondition = o->precondition, m.path = o->path, m.printed = o->printed;
        return cti_mprgp_solve_with(p, &m, e, a, count);
    }
    e->plain = !strcmp(o->solver, "ica_plain");
    if (e->plain)
        return cti_solver_ica(p, e, a);
    for (k = 0; k < CT_SOLVER_COUNT_; k++)
        if (!strcmp(o->solver, ct_solver_text((ct_solver)k)) && cti_solvers_find((ct_solver)k))
            return cti_solvers_find((ct_solver)k)(p, e, a);
    a->why = "no such solver";
    return CTI_OUTCOME_NOT_APPLICABLE;
}

static int number_of(const char *text, const char *const *names, int n)
{
    int k;
    for (k = 0; k < n; k++)
        if (!strcmp(text, names[k]))
            return k;
    return -1;
}

static int parse(int argc, char **argv, options *o)
{
    static const char *const decouplings[] = {"none", "random", "deepest"}, *const kinds[] = {"auto", "none", "jacobi", "blocks"};
    int i, k;
    memset(o, 0, sizeof *o);
    o->solver = "mprgp", o->rows = 1, o->tolerance = 1e-4, o->seed = 3;
    for (i = 1; i < argc; i++) {
        const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (key[0] != '-') {
            o->file = key;
            continue;
        }
        if (!value)
            return 0;
        i++;
        if (!strcmp(key, "--solver"))
            o->solver = value;
        else if (!strcmp(key, "--trace"))
            o->trace = value;
        else if (!strcmp(key, "--rows"))
            o->rows = atoi(value);
        else if (!strcmp(key, "--path"))
            o->path = atoi(value);
        else if (!strcmp(key, "--printed"))
            o->printed = atoi(value);
        else if (!strcmp(key, "--iterations"))
            o->iterations = atoi(value);
        else if (!strcmp(key, "--tol"))
            o->tolerance = atof(value);
        else if (!strcmp(key, "--seconds"))
            o->seconds = atof(value);
        else if (!strcmp(key, "--seed"))
            o->seed = (uint64_t)atoll(value);
        else if (!strcmp(key, "--decouple") && (k = number_of(value, decouplings, 3)) >= 0)
            o->decouple = (cti_mprgp_decoupling)k;
        else if (!strcmp(key, "--precondition") && (k = number_of(value, kinds, 4)) >= 0)
            o->precondition = (cti_mprgp_precondition)k;
        else
            return 0;
    }
    return o->file != NULL && o->tolerance > 0;
}

static void print(const options *o, const cti_program *p, int rows, cti_outcome outcome, const cti_answer *a,
                  const cti_mprgp_counters *count, double seconds, const cti_judgement *j, const tracer *t)
{
    int span = t->last > t->first ? t->last - t->first : 1;
    printf("{\"file\":\"%s\",\"solver\":\"%s\",\"unknowns\":%d,\"rows\":%d,\"of\":%d,\"status\":\"%s\",\"iterations\":%d,\"seconds\":%.6f,"
           "\"residual\":%.6g,\"objective\":%.17g,\"ms_iteration\":%.6g,\"setup\":%.6f,",
           o->file, o->solver, p->n, p->m, rows, outcome == CTI_OUTCOME_MEMORY ? "memory" : ct_outcome_text((ct_outcome)outcome),
           a->iterations, seconds, isfinite(j->residual) ? j->residual : 1e300, isfinite(j->objective) ? j->objective : 1e300,
           1e3 * (t->last_seconds - t->first_seconds) / span, t->first_seconds);
    printf("\"cg\":%d,\"expansions\":%d,\"proportionings\":%d,\"inner\":%d,\"power\":%d,\"products\":%d,\"dual\":%d,\"why\":\"%s\"}\n", count->cg, count->expansions,
           count->proportionings, count->inner, count->power, count->products, count->dual, a->why ? a->why : "");
}

static int run(const options *o, cti_program *p, cti_mem *mem, cti_arena *arena)
{
    cti_effort e;
    cti_answer a;
    cti_mprgp_counters count;
    cti_judgement j;
    cti_outcome outcome;
    tracer t;
    double seconds;
    int rows = p->mu ? p->m / 3 : p->m;
    memset(&e, 0, sizeof e), memset(&a, 0, sizeof a), memset(&count, 0, sizeof count), memset(&t, 0, sizeof t);
    if (!reduce(mem, arena, p, o))
        return 1;
    if (!o->rows)
        p->m = p->J.rows = 0;
    a.x = (double *)calloc((size_t)p->n + 1, sizeof(double)), a.r = (double *)calloc((size_t)p->m + 1, sizeof(double));
    t.work = (double *)calloc(2 * (size_t)p->n + 2 * (size_t)p->m + 1, sizeof(double)),
    t.g = (double *)calloc((size_t)p->n + 1, sizeof(double));
    if (o->trace && (t.f = fopen(o->trace, "w")) == NULL)
        return fprintf(stderr, "cannot write %s\n", o->trace), 1;
    if (t.f)
        fprintf(t.f, "iteration,seconds,residual,objective,gradient\n");
    t.p = p, t.e = &e;
    e.tolerance = o->tolerance, e.max_iterations = o->iterations, e.seconds = o->seconds, e.arena = arena, e.seed = o->seed;
    e.relaxation = 1, e.clock.now_us = now_us, e.watcher.watch = watch, e.watcher.user = &t;
    e.clock.started = now_us(NULL);
    outcome = solve(o, p, &e, &a, &count);
    seconds = (double)(cti_effort_now(&e) - e.clock.started) * 1e-6;
    trace_line(&t, a.iterations, seconds, a.x, a.r);
    cti_program_judge(p, a.x, a.r, t.work, &j);
    print(o, p, rows, outcome, &a, &count, seconds, &j, &t);
    if (t.f)
        fclose(t.f);
    free(a.x), free(a.r), free(t.work), free(t.g);
    return 0;
}

int main(int argc, char **argv)
{
    options o;
    ct_problem *problem;
    cti_arena arena;
    int rc;
    if (!parse(argc, argv, &o))
        return fprintf(stderr, "usage: trace_solvers FILE.cpb [options], see the head of bench/trace_solvers.c\n"), 1;
    if (ct_problem_read(o.file, &problem, NULL) != CT_OK || !problem->program.J.p)
        return fprintf(stderr, "cannot read %s, or it has no rows over unknowns\n", o.file), 1;
    cti_arena_init(&arena, &problem->mem);
    rc = run(&o, &problem->program, &problem->mem, &arena);
    cti_arena_free(&arena);
    ct_problem_free(problem);
    return rc;
}
