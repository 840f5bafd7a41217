/* policy.c -- the command line of tools/ with tuned numbers set by name, for tools/bench_policy.py.
   build: make build/bench_policy      all numbers are variables there (CTI_POLICY_MUTABLE)
   usage: bench_policy NAME=VALUE ... run SCENE.json ...     NAME is "group.name"
          bench_policy --list           a line a number: name, type, value, unit, reason, between tabs */
#include "../src/0_base/tuned.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const cti_tuned cti_solve_table[], cti_step_table[];
int contact_main(int argc, char **argv);

static const cti_tuned *const tables[] = {cti_solve_table, cti_step_table};
enum { TABLES = sizeof tables / sizeof *tables };

static double value_of(const cti_tuned *t)
{
    if (!strcmp(t->type, "int"))
        return *(const int *)t->at;
    return !strcmp(t->type, "double") ? *(const double *)t->at : (double)*(const ct_real *)t->at;
}

static void list(void)
{
    const cti_tuned *t;
    int i;
    for (i = 0; i < TABLES; i++)
        for (t = tables[i]; t->name; t++)
            printf("%s\t%s\t%.9g\t%s\t%s\n", t->name, t->type, value_of(t), t->unit, t->reason);
}

/* NAME=VALUE; 0 where there is no such number */
static int set(const char *text)
{
    size_t n = strcspn(text, "=");
    double v = strtod(text + n + 1, NULL);
    const cti_tuned *t;
    int i;
    for (i = 0; i < TABLES; i++)
        for (t = tables[i]; t->name; t++) {
            if (strlen(t->name) != n || strncmp(t->name, text, n) != 0)
                continue;
            if (!strcmp(t->type, "int"))
                *(int *)t->at = (int)v;
            else if (!strcmp(t->type, "double"))
                *(double *)t->at = v;
            else
                *(ct_real *)t->at = (ct_real)v;
            return 1;
        }
    fprintf(stderr, "bench_policy: no number '%.*s'; --list has them\n", (int)n, text);
    return 0;
}

int main(int argc, char **argv)
{
    int i;
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list();
        return 0;
    }
    for (i = 1; i < argc && strchr(argv[i], '=') && argv[i][0] != '-'; i++)
        if (!set(argv[i]))
            return 1;
    argv[i - 1] = argv[0];
    return contact_main(argc - i + 1, argv + i - 1);
}
