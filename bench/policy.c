/* policy.c -- the command line of tools/ with tuned numbers set by name, for tools/bench_policy.py.
   build: make build/bench_policy      all numbers are variables there (CTI_POLICY_MUTABLE)
   usage: bench_policy NAME=VALUE ... run SCENE.json ...     NAME is "group.name"
          bench_policy --list           a line a number: name, type, value, unit, reason, between tabs */
#include "../src/3_solve/solve_policy.h"
#include "../src/4_programs/program_policy.h"
#include "../src/8_barrier/barrier_policy.h"
#include "../src/8_dcd/dcd_policy.h"
#include "../src/8_penalty/penalty_policy.h"
#include "../src/8_step/policy_numbers.h"
#include "../src/8_layers/layers_policy.h"
#include "../src/8_geometric/geometric_policy.h"
#include "../src/8_explicit/explicit_policy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int contact_main(int argc, char **argv);


typedef void visitor(void *ctx, const cti_tuned *number);
static void for_each(visitor *visit, void *ctx)
{
    CTI_SOLVE_GROUPS(CTI_TUNED_GROUP_VISIT)
    CTI_PROGRAM_GROUPS(CTI_TUNED_GROUP_VISIT)
    CTI_STEP_GROUPS(CTI_TUNED_GROUP_VISIT)
    CTI_BARRIER_GROUPS(CTI_TUNED_GROUP_VISIT)
    CTI_DCD_GROUPS(CTI_TUNED_GROUP_VISIT)
    CTI_PENALTY_GROUPS(CTI_TUNED_GROUP_VISIT)
    CTI_LAYERS_GROUPS(CTI_TUNED_GROUP_VISIT)
    CTI_GEOMETRIC_GROUPS(CTI_TUNED_GROUP_VISIT)
    CTI_EXPLICIT_GROUPS(CTI_TUNED_GROUP_VISIT)
}

static double value_of(const cti_tuned *t)
{
    if (!strcmp(t->type, "int"))
        return *(const int *)t->at;
    return !strcmp(t->type, "double") ? *(const double *)t->at : (double)*(const ct_real *)t->at;
}

static void print(void *ctx, const cti_tuned *t)
{
    (void)ctx;
    printf("%s.%s\t%s\t%.9g\t%s\t%s\n", t->group, t->name, t->type, value_of(t), t->unit, t->reason);
}

/* a number that is set by its name */
typedef struct setting {
    const char *name; /* "group.name", without an end */
    size_t n;
    double value;
    int found;
} setting;

static void try_to_set(void *ctx, const cti_tuned *t)
{
    setting *s = (setting *)ctx;
    size_t n = strlen(t->group);
    if (n + 1 + strlen(t->name) != s->n || strncmp(s->name, t->group, n) != 0 || s->name[n] != '.' ||
        strncmp(s->name + n + 1, t->name, s->n - n - 1) != 0)
        return;
    s->found = 1;
    if (!strcmp(t->type, "int"))
        *(int *)t->at = (int)s->value;
    else if (!strcmp(t->type, "double"))
        *(double *)t->at = s->value;
    else
        *(ct_real *)t->at = (ct_real)s->value;
}

/* NAME=VALUE; 0 where there is no such number */
static int set(const char *text)
{
    setting s;
    s.name = text, s.n = strcspn(text, "="), s.found = 0;
    s.value = strtod(text + s.n + 1, NULL);
    for_each(try_to_set, &s);
    if (!s.found)
        fprintf(stderr, "bench_policy: no number '%.*s'; --list has them\n", (int)s.n, text);
    return s.found;
}

int main(int argc, char **argv)
{
    int i;
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for_each(print, NULL);
        return 0;
    }
    for (i = 1; i < argc && strchr(argv[i], '=') && argv[i][0] != '-'; i++)
        if (!set(argv[i]))
            return 1;
    argv[i - 1] = argv[0];
    return contact_main(argc - i + 1, argv + i - 1);
}
