/* ica_levels.c -- which contacts may be visited at the same time.
   Method: where A couples no clusters, the visit of a contact reads and writes what belongs to its clusters alone. Contacts that follow one
   another between the same clusters are a run; a run's level is one above the highest of the earlier runs that it shares a cluster with.
   Level by level, the runs of a level at the same time, gives the bits of one after the other: for any two that share a cluster the order is
   kept. So the schedule is free to depend on the number of workers; it depends on the problem alone. differs: no colouring, which would
   change the order of the contacts, and with it how the sweeps converge. Based on: level scheduling of triangular solves (Saltz 1990). */
#include "ica_state.h"

#define CTI_ICA_VISIT_US 0.08    /* [us] of a visit */
#define CTI_ICA_COLUMN_US 0.0008 /* [us] of a row of a leg's three columns */
#define CTI_ICA_SWEEP_US 12.0    /* [us] of a sweep below which it is not worth levels */

/* 1 when two contacts are between the same clusters, in the same order */
static int cti_ica_alike(const cti_ica *s, const cti_ica_contact *a, const cti_ica_contact *b)
{
    int k, same = a->n_legs == b->n_legs;
    for (k = 0; same && k < a->n_legs; k++)
        same = s->legs[a->leg0 + k].cluster == s->legs[b->leg0 + k].cluster;
    return same;
}

static int cti_ica_find_runs(cti_ica *s)
{
    int i, n = s->p->n_rows;
    s->run_at = CTI_ARENA_NEW(s->arena, int32_t, n + 1), s->run_change = CTI_ARENA_NEW(s->arena, ct_real, n);
    if (!s->run_at || !s->run_change)
        return 0;
    for (i = 0; i < n; i++)
        if (i == 0 || !cti_ica_alike(s, &s->contacts[i - 1], &s->contacts[i]))
            s->run_at[s->n_runs++] = i;
    s->run_at[s->n_runs] = n;
    return 1;
}

/* [us] of a run */
static double cti_ica_run_us(const cti_ica *s, int run)
{
    const cti_ica_contact *q = &s->contacts[s->run_at[run]];
    double us = CTI_ICA_VISIT_US;
    int k;
    for (k = 0; k < q->n_legs; k++)
        us += CTI_ICA_COLUMN_US * s->legs[q->leg0 + k].ld;
    return us * (s->run_at[run + 1] - s->run_at[run]);
}

/* runs of a level, the longest first, so that the last ones to be taken are short. us [n_runs] */
static void cti_ica_sort_level(int32_t *runs, int n, const double *us)
{
    int i, j;
    for (i = 1; i < n; i++) {
        int32_t r = runs[i];
        for (j = i; j > 0 && us[runs[j - 1]] < us[r]; j--)
            runs[j] = runs[j - 1];
        runs[j] = r;
    }
}

CTI_FN int cti_ica_make_levels(cti_ica *s)
{
    int32_t *top, *level;
    double *us;
    int i, k, n, levels = 0;
    if (s->coupled)
        return 1;
    if (!cti_ica_find_runs(s))
        return 0;
    n = s->n_runs;
    top = CTI_ARENA_ZERO(s->arena, int32_t, s->n_clusters), level = CTI_ARENA_NEW(s->arena, int32_t, n);
    us = CTI_ARENA_NEW(s->arena, double, n);
    s->level_at = CTI_ARENA_ZERO(s->arena, int32_t, n + 2), s->level_runs = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!top || !level || !us || !s->level_at || !s->level_runs)
        return 0;
    for (i = 0; i < n; i++) {
        const cti_ica_contact *q = &s->contacts[s->run_at[i]];
        int32_t at = 0;
        for (k = 0; k < q->n_legs; k++)
            at = cti_max_int(at, top[s->legs[q->leg0 + k].cluster]);
        for (k = 0; k < q->n_legs; k++)
            top[s->legs[q->leg0 + k].cluster] = at + 1;
        level[i] = at, us[i] = cti_ica_run_us(s, i);
        s->sweep_us += us[i];
        s->level_at[at + 2]++;
        levels = cti_max_int(levels, at + 1);
    }
    if (cti_tasks_workers(s->p->tasks) == 1 || s->sweep_us < CTI_ICA_SWEEP_US)
        return 1;
    for (i = 0; i < levels; i++)
        s->level_at[i + 2] += s->level_at[i + 1];
    for (i = 0; i < n; i++)
        s->level_runs[s->level_at[level[i] + 1]++] = i;
    for (i = 0; i < levels; i++)
        cti_ica_sort_level(s->level_runs + s->level_at[i], s->level_at[i + 1] - s->level_at[i], us);
    s->n_levels = levels;
    return 1;
}

typedef struct cti_ica_level {
    cti_ica *s;
    cti_ica_run_fn *fn;
    const int32_t *runs;
} cti_ica_level;

static void cti_ica_run_level(int begin, int end, int worker, void *context)
{
    const cti_ica_level *q = (const cti_ica_level *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++)
        q->fn(q->s, q->runs[begin]);
}

CTI_FN void cti_ica_each_run(cti_ica *s, cti_ica_run_fn *fn, double us)
{
    cti_ica_level q;
    int i;
    for (i = 0; s->n_levels == 0 && i < s->n_runs; i++)
        fn(s, i);
    q.s = s, q.fn = fn;
    if (s->n_levels)
        cti_tasks_rouse(s->p->tasks, us);
    for (i = 0; i < s->n_levels; i++) {
        q.runs = s->level_runs + s->level_at[i];
        cti_tasks_run_work(s->p->tasks, cti_ica_run_level, s->level_at[i + 1] - s->level_at[i], us / s->n_runs, &q);
    }
}

#undef CTI_ICA_VISIT_US
#undef CTI_ICA_COLUMN_US
#undef CTI_ICA_SWEEP_US
