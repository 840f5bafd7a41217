/* cmd_sweep.c -- contact sweep: one scene run for all combinations of some values, and a table of the results. Method: a case is a number,
   from which its values follow; its result is a file that is renamed when it is complete. So cases run in any order, by any number of
   processes on any number of machines that share the folder, and what is there already is not run again. A case is contact run in a process
   of its own. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "json_in.h"
#include "output.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* one thing that varies: count tuples of one value for each key */
typedef struct sweep_axis {
    char **keys;
    char **values; /* [count][n_keys] as JSON */
    int n_keys;
    long count;
} sweep_axis;

typedef struct sweep {
    const char *file, *out, *program;
    char *scene; /* path relative to the working directory */
    char *run;   /* see sweep_run_text */
    char **options;
    int n_options, steps; /* -1: the scene's duration */
    sweep_axis *axes;
    int n_axes;
    long n_cases, only; /* -1: all of this rank */
    int list, slurm, merge;
    long rank, ranks;
} sweep;

enum { SWEEP_MOST = 1000000 };

/* ---- the file ---- */

static void sweep_push(char ***list, int *n, const char *text)
{
    *list = (char **)cli_grow(*list, (size_t)*n + 1, sizeof **list);
    (*list)[(*n)++] = cli_copy(text);
}

/* the values of an axis of one key from `from` to `to`, both included */
static void sweep_range(json_in *in, const cJSON *e, const char *path, sweep_axis *a, int *n_values)
{
    double from = json_in_number(in, e, path, "from", 0, -HUGE_VAL, HUGE_VAL, 0),
           to = json_in_number(in, e, path, "to", 0, -HUGE_VAL, HUGE_VAL, 0);
    int count = json_in_int(in, e, path, "count", 0, 1, SWEEP_MOST), i;
    char text[40];
    if (count == 0 || a->n_keys != 1 || !cJSON_GetObjectItemCaseSensitive(e, "from") || !cJSON_GetObjectItemCaseSensitive(e, "to"))
        json_in_error(in, path, "expected \"values\", or one \"key\" with \"from\", \"to\" and \"count\"");
    for (i = 0; i < count && !in->failed; i++) {
        snprintf(text, sizeof text, "%.15g", count > 1 ? from + (to - from) * i / (count - 1) : from);
        sweep_push(&a->values, n_values, text);
    }
    a->count = count;
}

static void sweep_read_axis(json_in *in, const cJSON *e, const char *path, sweep_axis *a)
{
    const cJSON *keys, *values, *v, *w;
    const char *key;
    char *text;
    int n_values = 0, i;
    if (!json_in_keys(in, e, path, "key keys values from to count"))
        return;
    key = json_in_string(in, e, path, "key");
    keys = json_in_array(in, e, path, "keys");
    values = json_in_array(in, e, path, "values");
    if (key)
        sweep_push(&a->keys, &a->n_keys, key);
    cJSON_ArrayForEach(v, keys) sweep_push(&a->keys, &a->n_keys, cJSON_IsString(v) ? v->valuestring : "");
    if ((key != NULL) == (keys != NULL) || a->n_keys == 0)
        json_in_error(in, path, "expected \"key\", such as \"friction\", or \"keys\", an array of some");
    if (!values) {
        sweep_range(in, e, path, a, &n_values);
        return;
    }
    a->count = cJSON_GetArraySize(values);
    cJSON_ArrayForEach(v, values)
    {
        if (keys && (!cJSON_IsArray(v) || cJSON_GetArraySize(v) != a->n_keys))
            json_in_error(in, path, "expected \"values\" with %d values each, one for each of the keys", a->n_keys);
        for (i = 0, w = keys ? v->child : v; w && i < a->n_keys && !in->failed; i++, w = w->next) {
            text = cJSON_PrintUnformatted(w);
            sweep_push(&a->values, &n_values, text ? text : "null");
            free(text);
        }
    }
    if (a->count == 0)
        json_in_error(in, path, "expected at least one value");
}

static void sweep_read_root(json_in *in, const cJSON *root, sweep *s)
{
    const cJSON *list, *e;
    const char *name, *slash = strrchr(s->file, '/');
    char path[32];
    if (!json_in_keys(in, root, "", "scene steps options vary"))
        return;
    name = json_in_string(in, root, "", "scene");
    if (!name)
        json_in_error(in, "scene", "expected the name of a scene");
    else {
        size_t n = *name == '/' || !slash ? 0 : (size_t)(slash + 1 - s->file);
        s->scene = (char *)cli_alloc(n + strlen(name) + 1, 1);
        memcpy(s->scene, s->file, n);
        strcpy(s->scene + n, name);
    }
    s->steps = json_in_int(in, root, "", "steps", -1, 0, 100000000);
    list = json_in_array(in, root, "", "options");
    cJSON_ArrayForEach(e, list)
    {
        if (!cJSON_IsString(e))
            json_in_error(in, "options", "expected an array of texts, options of contact run");
        else
            sweep_push(&s->options, &s->n_options, e->valuestring);
    }
    list = json_in_array(in, root, "", "vary");
    if (!list || !list->child)
        json_in_error(in, "vary",
                      "expected an array of what varies, such as [{\"key\": \"friction\", \"from\": 0, \"to\": 1, \"count\": 11}]");
    s->axes = (sweep_axis *)cli_alloc(list ? (size_t)cJSON_GetArraySize(list) : 0, sizeof *s->axes);
    s->n_cases = 1;
    cJSON_ArrayForEach(e, list)
    {
        snprintf(path, sizeof path, "vary[%d]", s->n_axes);
        sweep_read_axis(in, e, path, &s->axes[s->n_axes]);
        s->n_cases *= s->axes[s->n_axes++].count;
        if (s->n_cases > SWEEP_MOST)
            json_in_error(in, path, "expected at most %d cases", SWEEP_MOST);
        if (in->failed)
            return;
    }
}

static int sweep_read(sweep *s)
{
    json_in in;
    FILE *f = fopen(s->file, "rb");
    char *text = NULL;
    size_t n = 0, got = 1;
    cJSON *root;
    memset(&in, 0, sizeof in);
    in.file = s->file;
    while (f && got) {
        text = (char *)cli_grow(text, n + 65537, 1);
        got = fread(text + n, 1, 65536, f);
        n += got;
    }
    if (f)
        fclose(f);
    if (!text || n == 0) {
        free(text);
        cli_no_file(s->file, "a sweep, JSON");
        return 0;
    }
    text[n] = '\0';
    root = json_in_parse(&in, text);
    if (root)
        sweep_read_root(&in, root, s);
    cJSON_Delete(root);
    free(text);
    return !in.failed;
}

static void sweep_free(sweep *s)
{
    int i, k;
    for (i = 0; i < s->n_axes; i++) {
        for (k = 0; k < s->axes[i].n_keys; k++)
            free(s->axes[i].keys[k]);
        for (k = 0; k < s->axes[i].n_keys * s->axes[i].count && s->axes[i].values; k++)
            free(s->axes[i].values[k]);
        free(s->axes[i].keys), free(s->axes[i].values);
    }
    for (i = 0; i < s->n_options; i++)
        free(s->options[i]);
    free(s->axes), free(s->options), free(s->scene), free(s->run);
}

/* ---- a case ---- */

/* the number of the case's value on an axis; the last axis varies fastest */
static long sweep_at(const sweep *s, long number, int axis)
{
    int i;
    for (i = s->n_axes - 1; i > axis; i--)
        number /= s->axes[i].count;
    return number % s->axes[axis].count;
}

/* the case's values: "KEY=VALUE", one after the other with a line's end between, to free */
static char *sweep_values(const sweep *s, long number)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    int i, k;
    for (i = 0; i < s->n_axes; i++)
        for (k = 0; k < s->axes[i].n_keys; k++)
            fprintf(f, "%s=%s\n", s->axes[i].keys[k], s->axes[i].values[sweep_at(s, number, i) * s->axes[i].n_keys + k]);
    fclose(f);
    return text;
}

static void sweep_name(long number, char name[32]) { snprintf(name, 32, "case_%06ld.json", number); }

/* what is run, without the values of the case: options, and a hash of the scene's text, so that results of an older scene are not taken. To
 * free */
static char *sweep_run_text(const sweep *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size), *in = fopen(s->scene, "rb");
    unsigned long hash = 2166136261u;
    int i, c;
    while (in && (c = fgetc(in)) != EOF)
        hash = ((hash ^ (unsigned long)c) * 16777619u) & 0xffffffffu;
    if (in)
        fclose(in);
    fprintf(f, "%08lx", hash);
    if (s->steps >= 0)
        fprintf(f, " --steps %d", s->steps);
    for (i = 0; i < s->n_options; i++)
        fprintf(f, " %s", s->options[i]);
    fclose(f);
    return text;
}

/* the result of a case, if it is there and of the same run; NULL: it is to be run */
static cJSON *sweep_result(const sweep *s, long number)
{
    char path[1100], name[32], *values = sweep_values(s, number), *text = NULL;
    const cJSON *v, *run;
    cJSON *root = NULL;
    size_t n = 0, got = 1;
    FILE *f;
    sweep_name(number, name);
    snprintf(path, sizeof path, "%s/%s", s->out, name);
    f = fopen(path, "rb");
    while (f && got) {
        text = (char *)cli_grow(text, n + 4097, 1);
        got = fread(text + n, 1, 4096, f);
        n += got;
        text[n] = '\0';
    }
    if (f)
        fclose(f);
    root = text ? cJSON_Parse(text) : NULL;
    v = cJSON_GetObjectItemCaseSensitive(root, "values");
    run = cJSON_GetObjectItemCaseSensitive(root, "run");
    if (root && (!cJSON_IsString(v) || strcmp(v->valuestring, values) || !cJSON_IsString(run) || strcmp(run->valuestring, s->run))) {
        cJSON_Delete(root);
        root = NULL;
    }
    free(text), free(values);
    return root;
}

/* what a process writes to the pipe, with a byte 0 behind it; to free */
static char *sweep_drain(int handle)
{
    char *text = NULL;
    size_t n = 0;
    ssize_t got = 1;
    while (got > 0 || (got < 0 && errno == EINTR)) {
        text = (char *)cli_grow(text, n + 4097, 1);
        got = read(handle, text + n, 4096);
        n += got > 0 ? (size_t)got : 0;
    }
    text[n] = '\0';
    close(handle);
    return text;
}

/* contact run in a process of its own, which ends with this one: its summary, to free, and its exit code */
static char *sweep_fork(const sweep *s, char *values, int *code)
{
    char **args = (char **)cli_alloc((size_t)s->n_options + strlen(values) + 10, sizeof *args), steps[24], *p, *summary;
    int n = 0, i, status = 0, ends[2];
    pid_t child;
    args[n++] = (char *)"run", args[n++] = s->scene, args[n++] = (char *)"--json", args[n++] = (char *)"--quiet";
    snprintf(steps, sizeof steps, "%d", s->steps);
    if (s->steps >= 0)
        args[n++] = (char *)"--steps", args[n++] = steps;
    for (i = 0; i < s->n_options; i++)
        args[n++] = s->options[i];
    for (p = values; *p; p += strlen(p) + 1) {
        p[strcspn(p, "\n")] = '\0';
        args[n++] = (char *)"--set", args[n++] = p;
    }
    fflush(stdout), fflush(stderr);
    *code = CLI_FAILED;
    child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        close(ends[0]);
        *code = dup2(ends[1], STDOUT_FILENO) >= 0 ? cmd_run(n, args) : CLI_FAILED;
        fflush(stdout);
        _exit(*code);
    }
    free(args);
    if (child < 0)
        return cli_copy("");
    close(ends[1]);
    summary = sweep_drain(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_FAILED;
    return summary;
}

static void sweep_write(FILE *f, const sweep *s, long number, int code, const char *summary)
{
    char *values = sweep_values(s, number);
    fprintf(f, "{\"case\":%ld,\"run\":", number);
    out_json_string(f, s->run);
    fputs(",\"values\":", f);
    out_json_string(f, values);
    fprintf(f, ",\"exit\":%d,\"summary\":%s}\n", code, summary);
    free(values);
}

/* runs a case that has no result; an exit code of the sweep */
static int sweep_case(const sweep *s, long number)
{
    char name[32], *values, *summary;
    cJSON *done = sweep_result(s, number);
    out_file o;
    int code, ok;
    cJSON_Delete(done);
    if (done)
        return CLI_DONE;
    values = sweep_values(s, number);
    summary = sweep_fork(s, values, &code);
    free(values);
    if (code != CLI_BAD_INPUT && code != CLI_INTERRUPTED && *summary) {
        sweep_name(number, name);
        ok = out_open(&o, s->out, name);
        if (ok)
            sweep_write(o.f, s, number, code, summary);
        code = ok && out_close(&o) ? CLI_DONE : CLI_FAILED;
    } else if (code == CLI_BAD_INPUT)
        cli_fail("sweep: case %ld was not run; the cases behind it are not, either", number);
    else if (code != CLI_INTERRUPTED) {
        cli_fail("sweep: case %ld ended with exit code %d and no summary", number, code);
        code = CLI_FAILED;
    }
    free(summary);
    return code;
}

/* ---- the table ---- */

/* a text as a field of CSV */
static void sweep_field(FILE *f, const char *text, size_t n)
{
    size_t i;
    int quote = 0;
    for (i = 0; i < n; i++)
        quote |= strchr(",\"\n ", text[i]) != NULL;
    if (quote)
        fputc('"', f);
    for (i = 0; i < n; i++) {
        if (text[i] == '"')
            fputc('"', f);
        fputc(text[i], f);
    }
    if (quote)
        fputc('"', f);
}

/* members of the summary that differ from run to run, or that are the same for all cases */
static void sweep_strip(cJSON *summary)
{
    static const char *const words[] = {"name",          "scene",      "threads",     "simd",         "version",
                                        "median_cpu_ms", "max_cpu_ms", "cpu_seconds", "wall_seconds", "solve_seconds"};
    size_t i;
    for (i = 0; i < sizeof words / sizeof *words; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(summary, words[i]);
}

static void sweep_row(FILE *f, const sweep *s, long number, const cJSON *result, int is_first)
{
    cJSON *summary = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(result, "summary"), 1);
    char *line, *values = sweep_values(s, number), *p;
    int pass;
    sweep_strip(summary);
    line = cJSON_PrintUnformatted(summary);
    for (pass = is_first ? 0 : 1; pass < 2; pass++) { /* names, values */
        fputs(pass ? "" : "case", f);
        if (pass)
            fprintf(f, "%ld", number);
        for (p = values; *p; p += strcspn(p, "\n") + 1) {
            size_t n = strcspn(p, "="), end = strcspn(p, "\n");
            fputc(',', f);
            sweep_field(f, pass ? p + n + 1 : p, pass ? end - n - 1 : n);
        }
        if (pass)
            fprintf(f, ",%d,", (int)cJSON_GetObjectItemCaseSensitive(result, "exit")->valueint);
        else
            fputs(",exit,", f);
        out_csv_row(f, line, !pass);
    }
    free(line), free(values);
    cJSON_Delete(summary);
}

/* table.csv from the results; an exit code */
static int sweep_merge(const sweep *s)
{
    out_file o;
    long i, missing = 0, first = -1;
    if (!out_open(&o, s->out, "table.csv"))
        return CLI_FAILED;
    for (i = 0; i < s->n_cases; i++) {
        cJSON *result = sweep_result(s, i);
        const cJSON *summary = cJSON_GetObjectItemCaseSensitive(result, "summary");
        if (cJSON_IsObject(summary)) {
            sweep_row(o.f, s, i, result, first < 0);
            first = first < 0 ? i : first;
        } else
            missing++;
        cJSON_Delete(result);
    }
    if (!out_close(&o))
        return CLI_FAILED;
    printf("%s/table.csv: %ld of %ld cases\n", s->out, s->n_cases - missing, s->n_cases);
    if (missing)
        fprintf(stderr, "contact: sweep: %ld cases have no result; the same command again runs them\n", missing);
    return missing ? CLI_FAILED : CLI_DONE;
}

/* ---- the command ---- */

/* a word in single quotes for a shell */
static void sweep_quote(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, stdout);
    putchar('\'');
}

static void sweep_command(const sweep *s)
{
    sweep_quote(s->program);
    fputs(" sweep ", stdout);
    sweep_quote(s->file);
    fputs(" --out ", stdout);
    sweep_quote(s->out);
}

static int sweep_print(const sweep *s)
{
    long i;
    if (s->slurm) {
        printf("#!/bin/sh\n#SBATCH --job-name=sweep\n#SBATCH --array=0-%ld\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n"
               "# when all are done: contact sweep ... --merge, as below with --merge in the place of --case\n",
               s->n_cases - 1);
        sweep_command(s);
        printf(" --case \"$SLURM_ARRAY_TASK_ID\"\n");
        return CLI_DONE;
    }
    for (i = 0; i < s->n_cases; i++) {
        sweep_command(s);
        printf(" --case %ld\n", i);
    }
    return CLI_DONE;
}

/* rank and size as mpirun and srun tell their processes */
static void sweep_ranks(sweep *s)
{
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}};
    int i;
    s->ranks = 1;
    for (i = 0; i < 3; i++) {
        const char *rank = getenv(names[i][0]), *ranks = getenv(names[i][1]);
        if (rank && ranks && cli_integer(ranks, 1, 1000000, &s->ranks) && cli_integer(rank, 0, s->ranks - 1, &s->rank))
            return;
        s->rank = 0, s->ranks = 1;
    }
}

static int sweep_run(const sweep *s)
{
    long i;
    int code = CLI_DONE;
    if (!out_make_directory(s->out))
        return CLI_BAD_INPUT;
    if (s->only >= 0)
        return sweep_case(s, s->only);
    for (i = s->rank; i < s->n_cases && (code == CLI_DONE || code == CLI_FAILED); i += s->ranks) {
        int one = sweep_case(s, i);
        code = one != CLI_DONE ? one : code;
    }
    if ((code != CLI_DONE && code != CLI_FAILED) || s->ranks > 1)
        return code;
    return sweep_merge(s);
}

static int sweep_parse(sweep *s, int argc, char **argv)
{
    const char *v = NULL;
    int i, r;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list"))
            s->list = 1;
        else if (!strcmp(argv[i], "--slurm"))
            s->slurm = 1;
        else if (!strcmp(argv[i], "--merge"))
            s->merge = 1;
        else if ((r = cli_option(argc, argv, &i, "--out", &s->out)) != 0) {
            if (r < 0)
                return 0;
        } else if ((r = cli_option(argc, argv, &i, "--case", &v)) != 0) {
            if (r < 0 || !cli_integer(v, 0, SWEEP_MOST, &s->only))
                return r > 0 ? cli_fail("sweep: --case: expected a whole number from 0 on, found '%s'", v), 0 : 0;
        } else if (argv[i][0] == '-')
            return cli_unknown_option("sweep", argv[i]), 0;
        else if (s->file)
            return cli_fail("sweep: expected one sweep, found '%s' and '%s'", s->file, argv[i]), 0;
        else
            s->file = argv[i];
    }
    if (!s->file)
        return cli_fail("sweep: expected SWEEP.json"), 0;
    if (!s->out)
        return cli_fail("sweep: expected --out DIR, where results and table.csv are written"), 0;
    return 1;
}

int cmd_sweep(int argc, char **argv)
{
    sweep s;
    int code = CLI_BAD_INPUT;
    memset(&s, 0, sizeof s);
    s.only = -1;
    s.program = cli_program();
    sweep_ranks(&s);
    if (sweep_parse(&s, argc, argv) && sweep_read(&s)) {
        s.run = sweep_run_text(&s);
        if (s.only >= s.n_cases)
            code = cli_fail("sweep: --case %ld: expected a number below %ld", s.only, s.n_cases);
        else
            code = s.list || s.slurm ? sweep_print(&s) : s.merge ? sweep_merge(&s) : sweep_run(&s);
    }
    sweep_free(&s);
    return code;
}
