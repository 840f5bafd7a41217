/* ica_parts.c -- contacts visited by several workers at the same time, with the bits of a sequential sweep.
   Method: where A couples no clusters, the visit of a contact reads and writes data of its own clusters alone. Consecutive contacts between
   the same clusters form a run. Runs are sorted by level, which is one more than the highest level of the earlier runs that share a
   cluster. Each worker gets a part of them, where possible with clusters that its earlier runs had. It takes its runs in order; when they
   are finished or cannot begin yet, it takes runs of other parts. A counter of each cluster tells how many of its runs are done, and a run
   begins when all earlier runs of its clusters are. So any two runs that share a cluster keep their order, and no run waits for any other.
   The schedule may therefore depend on the number of workers, while the result depends on the problem alone. The first run that is not done
   can always begin, or has begun. A worker may therefore leave after a long wait, and a single worker finishes all runs.
   differs: no colouring, which would change the order of the contacts and so the convergence of the sweeps; no barriers between levels, at
   which all workers would wait for the slowest run.
   Based on: level scheduling of triangular solves (Saltz 1990), with counters in place of barriers. */
#include "ica_state.h"
#include "../0_base/atomic.h"

#define CTI_ICA_VISIT_US 0.12    /* [us] estimated time of a visit of one contact */
#define CTI_ICA_COLUMN_US 0.0008 /* [us] estimated time of one row of a leg's three columns */
/* SWEEP_US [us]: a sweep estimated to be shorter stays on one thread. LOOKS: unsuccessful searches for a run after which a worker leaves.
   Tests (CTI_TASKS_EAGER) want several parts and workers that leave. */
#ifdef CTI_TASKS_EAGER
#define CTI_ICA_SWEEP_US 0.0
#define CTI_ICA_LOOKS 2
#else
#define CTI_ICA_SWEEP_US 8.0
#define CTI_ICA_LOOKS 2000
#endif
enum { CTI_ICA_HEAD = 16 }; /* words from one head to the next, so that each has a cache line of its own */

/* 1 when two contacts connect the same clusters, in the same order */
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

/* estimated time of a run [us] */
static double cti_ica_run_us(const cti_ica *s, int run)
{
    const cti_ica_contact *q = &s->contacts[s->run_at[run]];
    double us = CTI_ICA_VISIT_US;
    int k;
    for (k = 0; k < q->n_legs; k++)
        us += CTI_ICA_COLUMN_US * s->legs[q->leg0 + k].ld;
    return us * (s->run_at[run + 1] - s->run_at[run]);
}

/* ---- parts ---- */

/* the k-th cluster of a run: no two legs of a contact are in the same one */
static int cti_ica_run_cluster(const cti_ica *s, int run, int k) { return s->legs[s->contacts[s->run_at[run]].leg0 + k].cluster; }

static int cti_ica_run_legs(const cti_ica *s, int run) { return s->contacts[s->run_at[run]].n_legs; }

/* for each run its clusters, and how many earlier runs each of them must have completed */
static int cti_ica_find_needs(cti_ica *s)
{
    int i, k, n = 0;
    for (i = 0; i < s->n_runs; i++)
        n += cti_ica_run_legs(s, i);
    s->need_at = CTI_ARENA_NEW(s->arena, int32_t, s->n_runs + 1), s->needs = CTI_ARENA_NEW(s->arena, cti_ica_need, n);
    s->done = CTI_ARENA_ZERO(s->arena, uint32_t, s->n_clusters);
    if (!s->need_at || !s->needs || !s->done)
        return 0;
    for (i = n = 0; i < s->n_runs; i++) {
        s->need_at[i] = n;
        for (k = 0; k < cti_ica_run_legs(s, i); k++, n++) {
            s->needs[n].cluster = cti_ica_run_cluster(s, i, k);
            s->needs[n].count = s->done[s->needs[n].cluster]++;
        }
    }
    s->need_at[i] = n;
    return 1;
}

/* orders the runs by level: one above the highest level of the earlier runs that share a cluster. 0: out of memory */
static int cti_ica_sort_runs(const cti_ica *s, int32_t *order)
{
    int32_t *top = CTI_ARENA_ZERO(s->arena, int32_t, s->n_clusters), *level = CTI_ARENA_NEW(s->arena, int32_t, s->n_runs);
    int32_t *at = CTI_ARENA_ZERO(s->arena, int32_t, s->n_runs + 2);
    int i, k;
    if (!top || !level || !at)
        return 0;
    for (i = 0; i < s->n_runs; i++) {
        level[i] = 0;
        for (k = s->need_at[i]; k < s->need_at[i + 1]; k++)
            level[i] = cti_max_int(level[i], top[s->needs[k].cluster]);
        for (k = s->need_at[i]; k < s->need_at[i + 1]; k++)
            top[s->needs[k].cluster] = level[i] + 1;
        at[level[i] + 2]++;
    }
    for (i = 0; i < s->n_runs; i++)
        at[i + 2] += at[i + 1];
    for (i = 0; i < s->n_runs; i++)
        order[at[level[i] + 1]++] = i;
    return 1;
}

/* the part of a run: the one that had one of its clusters last, unless its load exceeds the least load by more than `much` [us] */
static int cti_ica_choose(const cti_ica *s, int run, const int32_t *part_of, const double *load, double much)
{
    int i, k, least = 0;
    for (i = 1; i < s->n_parts; i++)
        if (load[i] < load[least])
            least = i;
    for (k = s->need_at[run]; k < s->need_at[run + 1]; k++) {
        int p = part_of[s->needs[k].cluster] - 1;
        if (p >= 0 && load[p] <= load[least] + much)
            return p;
    }
    return least;
}

/* distributes the runs over `parts` parts. us [n_runs]: their estimated times. 0: out of memory */
static int cti_ica_cut(cti_ica *s, int parts, const double *us)
{
    double *load = CTI_ARENA_NEW(s->arena, double, parts), much = 2 * s->sweep_us / s->n_runs;
    int32_t *order = CTI_ARENA_NEW(s->arena, int32_t, s->n_runs), *part = CTI_ARENA_NEW(s->arena, int32_t, s->n_runs);
    int32_t *part_of = CTI_ARENA_ZERO(s->arena, int32_t, s->n_clusters); /* 1 + part; 0: none yet */
    int i, k;
    s->part_at = CTI_ARENA_ZERO(s->arena, int32_t, parts + 2), s->part_runs = CTI_ARENA_NEW(s->arena, int32_t, s->n_runs);
    s->heads = CTI_ARENA_ZERO(s->arena, uint32_t, CTI_ICA_HEAD * parts);
    if (!load || !order || !part || !part_of || !s->part_at || !s->part_runs || !s->heads || !cti_ica_find_needs(s) ||
        !cti_ica_sort_runs(s, order))
        return 0;
    s->n_parts = parts;
    for (i = 0; i < parts; i++)
        load[i] = 0;
    for (i = 0; i < s->n_runs; i++) {
        int r = order[i], p = part[r] = cti_ica_choose(s, r, part_of, load, much);
        load[p] += us[r];
        for (k = s->need_at[r]; k < s->need_at[r + 1]; k++)
            part_of[s->needs[k].cluster] = p + 1;
        s->part_at[p + 2]++;
    }
    for (i = 0; i < parts; i++)
        s->part_at[i + 2] += s->part_at[i + 1];
    for (i = 0; i < s->n_runs; i++)
        s->part_runs[s->part_at[part[order[i]] + 1]++] = order[i];
    return 1;
}

CTI_FN int cti_ica_make_parts(cti_ica *s)
{
    double *us;
    int i, workers = cti_tasks_workers(s->p->tasks);
    if (s->coupled)
        return 1;
    if (!cti_ica_find_runs(s))
        return 0;
    us = CTI_ARENA_NEW(s->arena, double, s->n_runs);
    for (i = 0; us && i < s->n_runs; i++)
        s->sweep_us += us[i] = cti_ica_run_us(s, i);
    if (!us || !CTI_ATOMICS || workers == 1 || s->n_runs < 2 || s->sweep_us < CTI_ICA_SWEEP_US)
        return us != NULL;
    return cti_ica_cut(s, cti_min_int(workers, s->n_runs), us);
}

/* ---- a loop over all runs ---- */

typedef struct cti_ica_loop_parts {
    cti_ica *s;
    cti_ica_run_fn *fn;
} cti_ica_loop_parts;

/* takes and runs the next run of a part, if it may begin. 1: look again; 0: it has to wait; -1: there is none */
static int cti_ica_take(const cti_ica_loop_parts *q, int part)
{
    cti_ica *s = q->s;
    uint32_t *head = s->heads + CTI_ICA_HEAD * part, h = cti_atomic_load(head);
    int k, run;
    if ((int)h >= s->part_at[part + 1])
        return -1;
    run = s->part_runs[h];
    for (k = s->need_at[run]; k < s->need_at[run + 1]; k++)
        if (cti_atomic_load(&s->done[s->needs[k].cluster]) != s->needs[k].count)
            return cti_atomic_load(head) != h;
    if (!cti_atomic_swap(head, h, h + 1))
        return 1;
    q->fn(s, run);
    for (k = s->need_at[run]; k < s->need_at[run + 1]; k++)
        cti_atomic_store(&s->done[s->needs[k].cluster], s->needs[k].count + 1);
    return 1;
}

/* one worker: runs of its own part, or of other parts when its own are finished or have to wait */
static void cti_ica_work(int begin, int end, int worker, void *context)
{
    const cti_ica_loop_parts *q = (const cti_ica_loop_parts *)context;
    int parts = q->s->n_parts, own = worker % parts, looks = 0;
    CTI_UNUSED(begin), CTI_UNUSED(end);
    while (looks < CTI_ICA_LOOKS) {
        int k, left = 0, found = 0;
        for (k = 0; k < parts && !found; k++) {
            int next = cti_ica_take(q, (own + k) % parts);
            left |= next >= 0, found = next > 0;
        }
        if (!left)
            return;
        looks = found ? 0 : looks + 1;
        if (!found)
            cti_atomic_pause();
    }
}

CTI_FN void cti_ica_each_run(cti_ica *s, cti_ica_run_fn *fn, double us)
{
    cti_ica_loop_parts q;
    int i;
    if (s->n_parts == 0 || us < cti_tasks_least(s->p->tasks)) {
        for (i = 0; i < s->n_runs; i++)
            fn(s, i);
        return;
    }
    q.s = s, q.fn = fn;
    memset(s->done, 0, sizeof *s->done * (size_t)s->n_clusters);
    for (i = 0; i < s->n_parts; i++)
        s->heads[CTI_ICA_HEAD * i] = (uint32_t)s->part_at[i];
    cti_tasks_run(s->p->tasks, cti_ica_work, s->n_parts, 1, &q);
    cti_ica_work(0, 1, 0, &q); /* runs that every worker has left, each assuming that another one was busy with them */
}

#undef CTI_ICA_VISIT_US
#undef CTI_ICA_COLUMN_US
#undef CTI_ICA_SWEEP_US
#undef CTI_ICA_LOOKS
