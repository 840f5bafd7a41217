/* cmd_solve.c -- contact solve FILE... [--solver S|all|auto] [--tol T] [--time-limit S] [--dump DIR] [--trace FILE] [--plain] [--json]:
   solves contact problems from files. It prints a line (with --json an object) for each file and solver: the judge's numbers, seconds of
   process CPU time, and the largest difference to the file's reference solution, relative to it.
   --dump writes x and r of each solve as text. --trace writes CSV: a line for each iteration (after fifty for some of them), with the
   judge's numbers for the present answer and the seconds of the solve so far; the last line of a solve is its end. --plain: ICA without
   acceleration.
   Exit: 0; 1 bad input; 2 if for some file no solver ended as solved, as infeasible with a proof (unless the file says that it has a
   solution), or on a ray (if the file says that it has none). */
#include "../src/public/api.h"
#include "cli.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct solve_options {
    const char *solver, *dump, *trace;
    double tolerance, seconds;
    int json, plain, paper;
} solve_options;

typedef struct solve_trace {
    FILE *f;
    const char *file, *solver;
} solve_trace;

static uint64_t solve_now(void *user)
{
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static const char *solve_kind(ct_problem_kind kind)
{
    static const char *const text[] = {"?", "local", "global", "qp", "lcp"};
    return text[(int)kind >= 1 && (int)kind <= 4 ? (int)kind : 0];
}

/* largest difference to the reference, relative to its largest entry; -1 without one */
static double solve_difference(const ct_problem_info *info, const ct_solution *s)
{
    const double *ref = info->x_ref && info->kind == CT_PROBLEM_QP ? info->x_ref : info->r_ref, *own = ref == info->x_ref ? s->x : s->r;
    int n = ref == info->x_ref ? info->n : info->m, i;
    double big = 0, off = 0;
    if (!ref || s->outcome != CT_OUTCOME_SOLVED)
        return -1;
    for (i = 0; i < n; i++) {
        big = fmax(big, fabs(ref[i]));
        off = fmax(off, fabs(ref[i] - own[i]));
    }
    return big > 0 ? off / big : off;
}

static const char *solve_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* x and r as text, written to a temporary file and renamed; 0 when the folder cannot be written */
static int solve_dump(const char *folder, const char *path, const char *solver, const ct_solution *s)
{
    size_t size = strlen(folder) + strlen(solve_name(path)) + strlen(solver) + 16;
    char *name = (char *)cli_alloc(size, 1), *temporary = (char *)cli_alloc(size + 4, 1);
    FILE *f;
    int i, ok;
    snprintf(name, size, "%s/%s.%s.txt", folder, solve_name(path), solver);
    snprintf(temporary, size + 4, "%s.tmp", name);
    remove(temporary); /* no file is written through a link with that name */
    f = fopen(temporary, "w");
    if (f) {
        fprintf(f, "x %d\n", s->n);
        for (i = 0; i < s->n; i++)
            fprintf(f, "%.17g\n", s->x[i]);
        fprintf(f, "r %d\n", s->m);
        for (i = 0; i < s->m; i++)
            fprintf(f, "%.17g\n", s->r[i]);
    }
    ok = f && !ferror(f);
    ok = f && fclose(f) == 0 && ok && rename(temporary, name) == 0;
    free(name), free(temporary);
    return ok;
}

static void solve_trace_number(FILE *f, double v)
{
    if (isfinite(v))
        fprintf(f, ",%.9g", v);
    else
        fputc(',', f);
}

static int solve_traced(void *user, const ct_solution *s)
{
    const solve_trace *t = (const solve_trace *)user;
    fprintf(t->f, "%s,%s,%d", t->file, t->solver, s->iterations);
    solve_trace_number(t->f, s->seconds), solve_trace_number(t->f, s->residual), solve_trace_number(t->f, s->dynamics);
    solve_trace_number(t->f, s->natural), solve_trace_number(t->f, s->gap), solve_trace_number(t->f, s->objective);
    fputc('\n', t->f);
    return 1;
}

/* the trace's temporary file, which solve_trace_close renames; NULL when it cannot be created */
static FILE *solve_trace_open(const char *path)
{
    size_t size = strlen(path) + 5;
    char *temporary = (char *)cli_alloc(size, 1);
    FILE *f;
    snprintf(temporary, size, "%s.tmp", path);
    remove(temporary); /* no file is written through a link with that name */
    f = fopen(temporary, "w");
    if (f)
        fputs("file,solver,iteration,seconds,residual,dynamics,natural,gap,objective\n", f);
    free(temporary);
    return f;
}

/* 0 when it was not written */
static int solve_trace_close(FILE *f, const char *path)
{
    size_t size = strlen(path) + 5;
    char *temporary = (char *)cli_alloc(size, 1);
    int ok = !ferror(f);
    snprintf(temporary, size, "%s.tmp", path);
    ok = fclose(f) == 0 && ok && rename(temporary, path) == 0;
    free(temporary);
    return ok;
}

static void solve_number(cJSON *o, const char *key, double v)
{
    if (isfinite(v))
        cJSON_AddNumberToObject(o, key, v);
    else
        cJSON_AddNullToObject(o, key);
}

/* the proof below the line of an infeasible problem: the rows of y, w'y, and the residual of J'y = 0 */
static void solve_print_proof(const ct_problem_info *info, const ct_solution *s)
{
    static const char *const kinds[] = {"", "-W'y in the dual of friction's cone", "J'y = 0", "J'y = 0", "W'y <= 0"};
    if (s->outcome == CT_OUTCOME_INFEASIBLE)
        printf("  certificate: y >= 0, %s, w'y < 0: %d of %d rows, w'y %.3g of its terms, the rest 0 to %.1e\n", kinds[info->kind],
               s->proof_rows, s->m, s->proof_value, s->proof_off);
}

static void solve_print(const solve_options *o, const char *path, const ct_problem_info *info, const ct_solution *s, const char *solver)
{
    double difference = solve_difference(info, s);
    if (o->json) {
        cJSON *j = cJSON_CreateObject();
        char *text;
        cJSON_AddStringToObject(j, "file", path);
        cJSON_AddStringToObject(j, "kind", solve_kind(info->kind));
        cJSON_AddStringToObject(j, "solver", solver);
        cJSON_AddStringToObject(j, "status", ct_outcome_text(s->outcome));
        if (info->kind == CT_PROBLEM_QP)
            solve_number(j, "objective", s->objective);
        else
            cJSON_AddNullToObject(j, "objective");
        solve_number(j, "residual", s->residual);
        solve_number(j, "gap", s->gap);
        cJSON_AddNumberToObject(j, "iterations", s->iterations);
        solve_number(j, "seconds", s->seconds);
        if (difference >= 0)
            solve_number(j, "reference_difference", difference);
        else
            cJSON_AddNullToObject(j, "reference_difference");
        if (s->outcome == CT_OUTCOME_INFEASIBLE) {
            cJSON *c = cJSON_AddObjectToObject(j, "certificate");
            cJSON_AddNumberToObject(c, "rows", s->proof_rows);
            solve_number(c, "value", s->proof_value);
            solve_number(c, "off", s->proof_off);
        }
        cJSON_AddStringToObject(j, "why", s->why ? s->why : "");
        text = cJSON_PrintUnformatted(j);
        puts(text ? text : "{}");
        free(text);
        cJSON_Delete(j);
    } else {
        char off[32] = "-";
        if (difference >= 0)
            snprintf(off, sizeof off, "%.1e", difference);
        printf("%-34s %-6s %-13s %-14s %7d %9.4f %9.1e %9.1e %8s  %s\n", solve_name(path), solve_kind(info->kind), solver,
               ct_outcome_text(s->outcome), s->iterations, s->seconds, s->residual, s->gap, off, s->why ? s->why : "");
        solve_print_proof(info, s);
    }
    fflush(stdout);
}

/* 1 when the file expects this outcome */
static int solve_is_good(const ct_problem_info *info, ct_outcome outcome)
{
    if (info->expect >= 2)
        return outcome == CT_OUTCOME_INFEASIBLE || outcome == CT_OUTCOME_RAY;
    return outcome == CT_OUTCOME_SOLVED || (outcome == CT_OUTCOME_INFEASIBLE && info->expect == 0);
}

/* One file by one solver, or by all. *good: some outcome is the expected one. Returns an exit code */
static int solve_file(const solve_options *o, const char *path, FILE *trace, int *good)
{
    solve_trace t;
    ct_problem *problem;
    ct_problem_info info;
    ct_error_info e;
    ct_code code = ct_problem_read(path, &problem, &e);
    char text[256];
    int k, all = !strcmp(o->solver, "all");
    if (code == CT_ERR_FILE)
        return cli_no_file(path, "a problem, .cpb, .lcp or .blcp");
    if (code != CT_OK)
        return cli_fail("%s: %s", path, cli_error_text(code, &e, text, sizeof text));
    ct_problem_info_get(problem, &info);
    for (k = 0; k < CT_SOLVER_COUNT_; k++) {
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        const char *name = ct_solver_text((ct_solver)k);
        if ((!all && strcmp(name, o->solver) != 0) || !ct_problem_solver_built((ct_solver)k))
            continue;
        memset(&s, 0, sizeof s);
        d.solver = (ct_solver)k, d.tolerance = (ct_real)o->tolerance, d.seconds = o->seconds, d.now_us = solve_now, d.plain = o->plain;
        if (o->paper)
            d.termination = CT_TERMINATION_PAPER;
        t.f = trace, t.file = solve_name(path), t.solver = name;
        if (trace)
            d.trace = solve_traced, d.trace_user = &t;
        code = ct_problem_solve(problem, &d, &s);
        if (code != CT_OK) {
            ct_problem_free(problem);
            return cli_fail("%s: %s: %s", path, name, ct_code_text(code));
        }
        *good |= solve_is_good(&info, s.outcome);
        if (trace)
            solve_traced(&t, &s);
        solve_print(o, path, &info, &s, name);
        if (o->dump && !solve_dump(o->dump, path, name, &s)) {
            ct_solution_free(&s);
            ct_problem_free(problem);
            return cli_fail("%s: cannot write to %s", path, o->dump);
        }
        ct_solution_free(&s);
    }
    ct_problem_free(problem);
    return CLI_DONE;
}

static int solve_known(const char *solver)
{
    int k;
    if (!strcmp(solver, "all"))
        return 1;
    for (k = 0; k < CT_SOLVER_COUNT_; k++)
        if (!strcmp(solver, ct_solver_text((ct_solver)k)))
            return ct_problem_solver_built((ct_solver)k) ? 1 : -1;
    return 0;
}

static int solve_double(const char *option, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return *end == 0 && *text && *out > 0 && isfinite(*out) ? CLI_DONE
                                                            : cli_fail("solve: %s: expected a number above 0, found \"%s\"", option, text);
}

/* one option at argv[*i]: 0 it is none, else 1; *rc an exit code when it is wrong */
static int solve_option(int argc, char **argv, int *i, solve_options *o, int *rc)
{
    const char *value = NULL;
    int got;
    if ((got = cli_option(argc, argv, i, "--solver", &value)) != 0)
        o->solver = value;
    else if ((got = cli_option(argc, argv, i, "--tol", &value)) != 0)
        *rc = got > 0 ? solve_double("--tol", value, &o->tolerance) : *rc;
    else if ((got = cli_option(argc, argv, i, "--time-limit", &value)) != 0)
        *rc = got > 0 ? solve_double("--time-limit", value, &o->seconds) : *rc;
    else if ((got = cli_option(argc, argv, i, "--dump", &value)) != 0)
        o->dump = value;
    else if ((got = cli_option(argc, argv, i, "--trace", &value)) != 0)
        o->trace = value;
    else if (!strcmp(argv[*i], "--json"))
        got = o->json = 1;
    else if (!strcmp(argv[*i], "--plain"))
        got = o->plain = 1;
    else if (!strcmp(argv[*i], "--paper"))
        got = o->paper = 1;
    else if (argv[*i][0] == '-' && argv[*i][1])
        *rc = cli_unknown_option("solve", argv[*i]);
    if (got < 0)
        *rc = cli_fail("solve: %s needs a value", argv[*i]);
    return got != 0;
}

/* a solver that there is not, or not for files */
static int solve_refuse(const char *solver, int is_known)
{
    char list[400] = "all auto", near[40];
    int i;
    for (i = 0; i < (int)CT_SOLVER_COUNT_; i++)
        if (ct_problem_solver_built((ct_solver)i) && strcmp(ct_solver_text((ct_solver)i), "auto"))
            snprintf(list + strlen(list), sizeof list - strlen(list), " %s", ct_solver_text((ct_solver)i));
    if (is_known)
        return cli_fail("solve: solver '%s' is not built for problems of files; expected one of: %s", solver, list);
    if (cli_closest(solver, list, near, sizeof near))
        return cli_fail("solve: unknown solver '%s'; is '%s' meant?", solver, near);
    return cli_fail("solve: unknown solver '%s'; expected one of: %s", solver, list);
}

int cmd_solve(int argc, char **argv)
{
    solve_options o = {"auto", NULL, NULL, 1e-8, 0, 0, 0, 0};
    const char *files[4096];
    FILE *trace = NULL;
    int i, n = 0, got, rc = CLI_DONE, failed = 0;
    for (i = 1; i < argc; i++) {
        got = solve_option(argc, argv, &i, &o, &rc);
        if (rc != CLI_DONE)
            return rc;
        if (!got && n == (int)(sizeof files / sizeof *files))
            return cli_fail("solve: more than %d files", n);
        if (!got)
            files[n++] = argv[i];
    }
    if (n == 0)
        return cli_fail("solve: no file given (.cpb, .lcp, .blcp)");
    got = solve_known(o.solver);
    if (got <= 0)
        return solve_refuse(o.solver, got < 0);
    if (o.dump && mkdir(o.dump, 0777) != 0 && errno != EEXIST)
        return cli_fail("solve: cannot make folder %s", o.dump);
    if (o.trace && (trace = solve_trace_open(o.trace)) == NULL)
        return cli_fail("solve: cannot write to %s", o.trace);
    if (!o.json)
        printf("%-34s %-6s %-13s %-14s %7s %9s %9s %9s %8s\n", "file", "kind", "solver", "status", "its", "seconds", "residual", "gap",
               "ref");
    for (i = 0; i < n && rc == CLI_DONE; i++) {
        int good = 0;
        rc = solve_file(&o, files[i], trace, &good);
        failed += !good;
    }
    if (trace && !solve_trace_close(trace, o.trace) && rc == CLI_DONE)
        rc = cli_fail("solve: cannot write to %s", o.trace);
    return rc != CLI_DONE ? rc : (failed ? CLI_FAILED : CLI_DONE);
}
