/* cmd_ccd.c -- contact ccd [--kind vf|ee] [--backward] FILE... [--json]: continuous collision queries from text files, compared with exact
   answers.
   A line of FILE has 24 numbers (four points at t = 0, then at t = 1; hexadecimal or decimal) and a label, 1: they touch. A file of the
   same name that ends in .ref has a line per query, `label64 toi64 label32 toi32 source`, with the exact first times; the float build
   rounds the input to float and uses label32 and toi32. Timings are wall time of the monotonic clock. The mean is the fastest of five batch
   calls over a file, divided by its queries. Median and largest are of single calls, the fastest of three each, less the time of an empty
   measurement.
   --backward runs the motions from their end to their start and asks for the last time, which is 1 minus the first time.
   Exit: 0; 1 bad input; 3 false negatives or late times. */
#include "../src/public/api.h"
#include "cli.h"
#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CCD_CLOSE 1e-6

typedef struct ccd_set {
    int n, kind, has_times; /* kind 0 vf, 1 ee */
    int backward;
    ct_real *x0, *x1, *toi; /* [12 n], [12 n], [n] */
    int32_t *quads;
    int *label;
    double *exact;  /* first time, -1 none */
    double *single; /* [n] ns */
} ccd_set;

typedef struct ccd_score {
    int queries, positives, timed, missed, false_hits, late, close;
    double worst, batch_ns, median_ns, max_ns;
} ccd_score;

static double ccd_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void ccd_free(ccd_set *s)
{
    free(s->x0), free(s->x1), free(s->toi), free(s->quads), free(s->label), free(s->exact), free(s->single);
    memset(s, 0, sizeof *s);
}

/* ccd_line -- one line without its end, any length; 0 at the end of the file */
static int ccd_line(FILE *f, char **buffer, size_t *size)
{
    size_t n = 0;
    int c = 0;
    while ((c = getc(f)) != EOF && c != '\n') {
        if (n + 2 > *size) {
            *size = *size ? 2 * *size : 1024;
            *buffer = (char *)cli_grow(*buffer, *size, 1);
        }
        (*buffer)[n++] = (char)c;
    }
    if (!*buffer)
        *size = 64, *buffer = (char *)cli_grow(*buffer, *size, 1);
    (*buffer)[n] = '\0';
    return n > 0 || c != EOF;
}

static int ccd_blank(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return *text == '\0' || *text == '#';
}

/* ccd_number -- the next number of a line that is finite in this build's precision; 0 when there is none */
static int ccd_number(char **at, double *out)
{
    char *end;
    double v = strtod(*at, &end);
    if (end == *at || (*end && !isspace((unsigned char)*end)) || !(v - v == 0) || !((ct_real)v - (ct_real)v == 0))
        return 0;
    *at = end, *out = v;
    return 1;
}

static int ccd_integer(char **at, int *out)
{
    double v;
    if (!ccd_number(at, &v) || (v != 0 && v != 1))
        return 0;
    *out = v != 0;
    return 1;
}

static void ccd_reserve(ccd_set *s, int room)
{
    size_t n = (size_t)room;
    s->x0 = (ct_real *)cli_grow(s->x0, 12 * n, sizeof(ct_real)), s->x1 = (ct_real *)cli_grow(s->x1, 12 * n, sizeof(ct_real));
    s->toi = (ct_real *)cli_grow(s->toi, n, sizeof(ct_real)), s->quads = (int32_t *)cli_grow(s->quads, 4 * n, sizeof(int32_t));
    s->label = (int *)cli_grow(s->label, n, sizeof(int)), s->exact = (double *)cli_grow(s->exact, n, sizeof(double));
    s->single = (double *)cli_grow(s->single, n, sizeof(double));
}

/* ccd_read_queries -- the queries of a file and their labels */
static int ccd_read_queries(const char *path, ccd_set *s)
{
    FILE *f = fopen(path, "rb");
    char *line = NULL, *at;
    size_t size = 0;
    int number = 0, room = 0, k, code = CLI_DONE;
    if (!f)
        return cli_no_file(path, "queries, .csv");
    while (code == CLI_DONE && ccd_line(f, &line, &size)) {
        number++;
        if (ccd_blank(line))
            continue;
        if (s->n == room) {
            room = room ? 2 * room : 256;
            ccd_reserve(s, room);
        }
        at = line;
        for (k = 0; k < 24; k++) {
            double v;
            if (!ccd_number(&at, &v)) {
                code = cli_fail("%s:%d: expected 24 finite numbers and a label 0 or 1, number %d is none", path, number, k + 1);
                break;
            }
            (k < 12 ? s->x0 : s->x1)[12 * (size_t)s->n + (size_t)(k % 12)] = (ct_real)v;
        }
        if (code == CLI_DONE && (!ccd_integer(&at, &s->label[s->n]) || !ccd_blank(at)))
            code = cli_fail("%s:%d: expected a label 0 or 1 and nothing else after 24 numbers", path, number);
        s->exact[s->n] = -1;
        for (k = 0; k < 4; k++)
            s->quads[4 * s->n + k] = 4 * s->n + k;
        s->n++;
    }
    if (code == CLI_DONE && s->n == 0)
        code = cli_fail("%s: expected a line of 24 numbers and a label, found none", path);
    free(line);
    fclose(f);
    return code;
}

/* ccd_read_times -- FILE.ref beside FILE, if it is there */
static int ccd_read_times(const char *path, ccd_set *s)
{
    size_t length = strlen(path), size = 0;
    char *name = (char *)cli_alloc(length + 5, 1), *line = NULL, *at, *dot;
    int number = 0, i = 0, label[2] = {0, 0}, code = CLI_DONE;
    double time[2] = {-1, -1};
    FILE *f;
    memcpy(name, path, length);
    dot = strrchr(name, '.');
    if (!dot || strchr(dot, '/'))
        dot = name + length;
    memcpy(dot, ".ref", 5);
    f = fopen(name, "rb");
    while (f && code == CLI_DONE && ccd_line(f, &line, &size)) {
        number++;
        if (ccd_blank(line))
            continue;
        at = line;
        if (!ccd_integer(&at, &label[0]) || !ccd_number(&at, &time[0]) || !ccd_integer(&at, &label[1]) || !ccd_number(&at, &time[1]))
            code = cli_fail("%s:%d: expected: label64 toi64 label32 toi32 source", name, number);
        else if (i >= s->n)
            code = cli_fail("%s:%d: expected %d lines, one per query of %s", name, number, s->n, path);
        else if (label[0] != s->label[i] && sizeof(ct_real) == 8)
            code = cli_fail("%s:%d: label %d, but %d in %s", name, number, label[0], s->label[i], path);
        if (code == CLI_DONE) {
            int k = sizeof(ct_real) == 4;
            s->label[i] = label[k], s->exact[i] = label[k] ? time[k] : -1;
            i++;
        }
    }
    if (f && code == CLI_DONE && i < s->n)
        code = cli_fail("%s: expected %d lines, one per query of %s, found %d", name, s->n, path, i);
    s->has_times = f != NULL;
    if (f)
        fclose(f);
    free(line), free(name);
    return code;
}

static int ccd_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* ccd_single -- the first time of query i; backward, of the last time of the reversed motion */
static ct_real ccd_single(const ccd_set *s, int i)
{
    const ct_real *x0 = s->x0 + 12 * (size_t)i, *x1 = s->x1 + 12 * (size_t)i;
    ct_real toi = 2, last = -1, before;
    if (!s->backward) {
        (s->kind ? ct_ccd_edge_edge : ct_ccd_vertex_face)(x0, x1, 0, &toi);
        return toi;
    }
    (s->kind ? ct_ccd_edge_edge_backward : ct_ccd_vertex_face_backward)(x1, x0, 0, &last, &before);
    return last < 0 ? 2 : 1 - last;
}

/* ccd_all -- all queries at once; there is no batch backward */
static void ccd_all(ccd_set *s)
{
    int i;
    if (!s->backward)
        (s->kind ? ct_ccd_edge_edge_batch : ct_ccd_vertex_face_batch)(s->x0, s->x1, s->quads, s->n, 0, s->toi);
    for (i = 0; s->backward && i < s->n; i++)
        s->toi[i] = ccd_single(s, i);
}

/* ccd_measure -- answers and time of the batch, times of single queries; a single answer that is later, or missing, replaces the batch's */
static double ccd_measure(ccd_set *s)
{
    double best = 0, empty = 1e9, a, b;
    int i, pass;
    ct_real toi;
    for (pass = 0; pass < 5; pass++) {
        a = ccd_now();
        ccd_all(s);
        b = ccd_now() - a;
        best = pass == 0 || b < best ? b : best;
    }
    for (i = 0; i < 1000; i++) {
        a = ccd_now();
        b = ccd_now() - a;
        empty = b < empty ? b : empty;
    }
    for (i = 0; i < s->n; i++) {
        s->single[i] = 0, toi = 2;
        for (pass = 0; pass < 3; pass++) {
            a = ccd_now();
            toi = ccd_single(s, i);
            b = ccd_now() - a - empty;
            b = b > 0 ? b : 0;
            s->single[i] = pass == 0 || b < s->single[i] ? b : s->single[i];
        }
        s->toi[i] = toi > s->toi[i] ? toi : s->toi[i];
    }
    return best;
}

static ccd_score ccd_judge(ccd_set *s)
{
    ccd_score r;
    double slack = s->backward && sizeof(ct_real) == 4 ? 6e-8 : 0; /* a float near 1 */
    int i;
    memset(&r, 0, sizeof r);
    r.queries = s->n;
    r.batch_ns = ccd_measure(s);
    for (i = 0; i < s->n; i++) {
        int hit = s->toi[i] <= 1;
        double early = s->exact[i] - (double)s->toi[i];
        r.positives += s->label[i];
        r.missed += s->label[i] && !hit, r.false_hits += hit && !s->label[i];
        if (s->exact[i] < 0 || !hit)
            continue;
        r.timed++;
        r.late += early < -slack, r.close += fabs(early) <= CCD_CLOSE;
        r.worst = fabs(early) > r.worst ? fabs(early) : r.worst;
    }
    qsort(s->single, (size_t)s->n, sizeof *s->single, ccd_compare);
    r.median_ns = s->single[s->n / 2], r.max_ns = s->single[s->n - 1];
    return r;
}

static void ccd_print(const char *name, const ccd_score *r)
{
    printf("%s: %d queries, %d false negatives, %d false positives, %d late times, mean %.0f, median %.0f, max %.0f ns\n", name, r->queries,
           r->missed, r->false_hits, r->late, r->batch_ns / r->queries, r->median_ns, r->max_ns);
}

static cJSON *ccd_json(const char *file, const ccd_score *r)
{
    cJSON *o = cJSON_CreateObject();
    if (file)
        cJSON_AddStringToObject(o, "file", file);
    cJSON_AddNumberToObject(o, "queries", r->queries);
    cJSON_AddNumberToObject(o, "positives", r->positives);
    cJSON_AddNumberToObject(o, "false_negatives", r->missed);
    cJSON_AddNumberToObject(o, "false_positives", r->false_hits);
    cJSON_AddNumberToObject(o, "late_times", r->late);
    cJSON_AddNumberToObject(o, "timed", r->timed);
    cJSON_AddNumberToObject(o, "within_1e-6", r->close);
    cJSON_AddNumberToObject(o, "largest_time_error", r->worst);
    cJSON_AddNumberToObject(o, "mean_ns", r->batch_ns / r->queries);
    cJSON_AddNumberToObject(o, "median_ns", r->median_ns);
    cJSON_AddNumberToObject(o, "max_ns", r->max_ns);
    return o;
}

/* ccd_kind -- 0 vf, 1 ee, from the option or the name of the file's folder; -1 unknown */
static int ccd_kind(const char *path, const char *option)
{
    const char *end = strrchr(path, '/'), *start = end;
    if (option)
        return strcmp(option, "vf") == 0 ? 0 : 1;
    if (!end)
        return -1;
    while (start > path && start[-1] != '/')
        start--;
    if (end - start != 2)
        return -1;
    return strncmp(start, "vf", 2) == 0 ? 0 : (strncmp(start, "ee", 2) == 0 ? 1 : -1);
}

/* ccd_file -- reads, runs and adds one file to the total; all single times go to *all */
static int ccd_file(const char *path, const char *kind, int backward, ccd_score *score, ccd_score *total, double **all)
{
    ccd_set s;
    int code;
    memset(&s, 0, sizeof s);
    s.kind = ccd_kind(path, kind), s.backward = backward;
    if (s.kind < 0)
        return cli_fail("%s: expected a folder named vf or ee, or --kind vf|ee", path);
    code = ccd_read_queries(path, &s);
    if (code == CLI_DONE)
        code = ccd_read_times(path, &s);
    if (code == CLI_DONE) {
        *score = ccd_judge(&s);
        *all = (double *)cli_grow(*all, (size_t)(total->queries + s.n), sizeof **all);
        memcpy(*all + total->queries, s.single, (size_t)s.n * sizeof *s.single);
        total->queries += score->queries, total->positives += score->positives, total->timed += score->timed;
        total->missed += score->missed, total->false_hits += score->false_hits, total->late += score->late, total->close += score->close;
        total->batch_ns += score->batch_ns;
        total->worst = score->worst > total->worst ? score->worst : total->worst;
        total->max_ns = score->max_ns > total->max_ns ? score->max_ns : total->max_ns;
    }
    ccd_free(&s);
    return code;
}

/* ccd_finish -- the total, as text or as the whole JSON document */
static void ccd_finish(ccd_score *total, double *all, cJSON *files)
{
    qsort(all, (size_t)total->queries, sizeof *all, ccd_compare);
    total->median_ns = all[total->queries / 2];
    if (files) {
        cJSON *o = cJSON_CreateObject();
        char *text;
        cJSON_AddItemToObject(o, "files", files);
        cJSON_AddItemToObject(o, "total", ccd_json(NULL, total));
        text = cJSON_Print(o);
        puts(text ? text : "{}");
        cJSON_free(text);
        cJSON_Delete(o);
        return;
    }
    ccd_print("total", total);
    if (total->timed > 0)
        printf("times: %.4f %% of %d within 1e-6 of the exact ones, largest error %.2g\n", 100.0 * total->close / total->timed,
               total->timed, total->worst);
    else
        printf("times: no .ref beside the files, none compared\n");
}

int cmd_ccd(int argc, char **argv)
{
    const char *kind = NULL;
    ccd_score score, total;
    double *all = NULL;
    cJSON *files = NULL;
    int i, json = 0, backward = 0, n = 0, code = CLI_DONE, found;
    memset(&total, 0, sizeof total);
    for (i = 1; i < argc; i++) {
        found = cli_option(argc, argv, &i, "--kind", &kind);
        if (found < 0)
            return CLI_BAD_INPUT;
        if (found)
            continue;
        if (strcmp(argv[i], "--json") == 0)
            json = 1;
        else if (strcmp(argv[i], "--backward") == 0)
            backward = 1;
        else if (argv[i][0] == '-' && argv[i][1])
            return cli_unknown_option("ccd", argv[i]);
        else
            argv[++n] = argv[i];
    }
    if (kind && strcmp(kind, "vf") != 0 && strcmp(kind, "ee") != 0)
        return cli_fail("ccd: --kind %s; expected vf or ee", kind);
    if (n == 0)
        return cli_fail("ccd: expected FILE...");
    if (json)
        files = cJSON_CreateArray();
    for (i = 1; i <= n && code == CLI_DONE; i++) {
        code = ccd_file(argv[i], kind, backward, &score, &total, &all);
        if (code == CLI_DONE && json)
            cJSON_AddItemToArray(files, ccd_json(argv[i], &score));
        else if (code == CLI_DONE)
            ccd_print(argv[i], &score);
    }
    if (code == CLI_DONE) {
        ccd_finish(&total, all, files);
        if (total.missed || total.late)
            code = CLI_BROKEN;
    } else {
        cJSON_Delete(files);
    }
    free(all);
    return code;
}

#undef CCD_CLOSE
