/* ica_parts.c -- contacts visited by several workers at the same time, with the bits of a sequential sweep.
   Method: where A couples no clusters, the visit of a contact reads and writes data of its own clusters alone. Consecutive contacts between
   the same clusters form a run. Runs are sorted by level, which is one more than the highest level of the earlier runs that share a
   cluster. Each worker gets a part of them, where possible with clusters that its earlier runs had. It takes its runs in order; when they
   are finished or cannot begin yet, it takes runs of other parts. A counter of each cluster tells how many of its runs are done, and a run
   begins when all earlier runs of its clusters are. So any two runs that share a cluster keep their order, and a run waits only for those.
   The schedule may therefore depend on the number of workers, while the result depends on the problem alone. The first run that is not done
   can always begin, or has begun. A worker may therefore leave after a long wait, and a single worker finishes all runs.
   differs: no colouring, which would change the order of the contacts and so the convergence of the sweeps; no barriers between levels, at
   which all workers would wait for the slowest run.
   Loops over rows and clusters that need no order are here, too.
   Based on: level scheduling of triangular solves (Saltz 1990), with counters in place of barriers. */
#include "ica_state.h"
#include "../0_base/atomic.h"

#define CTI_ICA_HEAD ((int)(64 / sizeof(uint32_t))) /* words from one head to the next: each has a cache line of its own */

/* 1 when two contacts connect the same clusters, in the same order */
static int cti_ica_alike(const cti_ica *s, const cti_ica_contact *a, const cti_ica_contact *b)
{
    int k, same = a->n_legs == b->n_legs;
    for (k = 0; same && k < a->n_legs; k++)
        same = s->tiles.legs[a->leg0 + k].cluster == s->tiles.legs[b->leg0 + k].cluster;
    return same;
}

static int cti_ica_find_runs(cti_ica *s)
{
    int i, n = s->p->n_rows;
    s->runs.at = CTI_ARENA_NEW(s->arena, int32_t, n + 1), s->runs.change = CTI_ARENA_NEW(s->arena, ct_real, n);
    if (!s->runs.at || !s->runs.change)
        return 0;
    for (i = 0; i < n; i++)
        if (i == 0 || !cti_ica_alike(s, &s->contacts[i - 1], &s->contacts[i]))
            s->runs.at[s->runs.n++] = i;
    s->runs.at[s->runs.n] = n;
    return 1;
}

/* estimated time of a run [us] */
static double cti_ica_run_us(const cti_ica *s, int run)
{
    const cti_ica_contact *q = &s->contacts[s->runs.at[run]];
    double us = cti_solve_tuned.costs.visit;
    int k;
    for (k = 0; k < q->n_legs; k++)
        us += cti_solve_tuned.costs.column * s->tiles.legs[q->leg0 + k].ld;
    return us * (s->runs.at[run + 1] - s->runs.at[run]);
}

/* ---- parts ---- */

/* the k-th cluster of a run: no two legs of a contact are in the same one */
static int cti_ica_run_cluster(const cti_ica *s, int run, int k) { return s->tiles.legs[s->contacts[s->runs.at[run]].leg0 + k].cluster; }

static int cti_ica_run_legs(const cti_ica *s, int run) { return s->contacts[s->runs.at[run]].n_legs; }

/* for each run its clusters, and how many earlier runs each of them must have completed */
static int cti_ica_find_needs(cti_ica *s)
{
    int i, k, n = 0;
    for (i = 0; i < s->runs.n; i++)
        n += cti_ica_run_legs(s, i);
    s->runs.need_at = CTI_ARENA_NEW(s->arena, int32_t, s->runs.n + 1), s->runs.needs = CTI_ARENA_NEW(s->arena, cti_ica_need, n);
    s->runs.done = CTI_ARENA_ZERO(s->arena, uint32_t, s->n_clusters);
    if (!s->runs.need_at || !s->runs.needs || !s->runs.done)
        return 0;
    for (i = n = 0; i < s->runs.n; i++) {
        s->runs.need_at[i] = n;
        for (k = 0; k < cti_ica_run_legs(s, i); k++, n++) {
            s->runs.needs[n].cluster = cti_ica_run_cluster(s, i, k);
            s->runs.needs[n].count = s->runs.done[s->runs.needs[n].cluster]++;
        }
    }
    s->runs.need_at[i] = n;
    return 1;
}

/* orders the runs by level: one above the highest level of the earlier runs that share a cluster. 0: out of memory */
static int cti_ica_sort_runs(const cti_ica *s, int32_t *order)
{
    int32_t *top = CTI_ARENA_ZERO(s->arena, int32_t, s->n_clusters), *level = CTI_ARENA_NEW(s->arena, int32_t, s->runs.n);
    int32_t *at = CTI_ARENA_ZERO(s->arena, int32_t, s->runs.n + 2);
    int i, k;
    if (!top || !level || !at)
        return 0;
    for (i = 0; i < s->runs.n; i++) {
        level[i] = 0;
        for (k = s->runs.need_at[i]; k < s->runs.need_at[i + 1]; k++)
            level[i] = cti_max_int(level[i], top[s->runs.needs[k].cluster]);
        for (k = s->runs.need_at[i]; k < s->runs.need_at[i + 1]; k++)
            top[s->runs.needs[k].cluster] = level[i] + 1;
        at[level[i] + 2]++;
    }
    for (i = 0; i < s->runs.n; i++)
        at[i + 2] += at[i + 1];
    for (i = 0; i < s->runs.n; i++)
        order[at[level[i] + 1]++] = i;
    return 1;
}

/* the part that gets a run: the one that had one of the run's clusters last. If its load exceeds the least by more than `much` [us], the
   part with the least */
static int cti_ica_choose(const cti_ica *s, int run, const int32_t *part_of, const double *load, double much)
{
    int i, k, least = 0;
    for (i = 1; i < s->runs.n_parts; i++)
        if (load[i] < load[least])
            least = i;
    for (k = s->runs.need_at[run]; k < s->runs.need_at[run + 1]; k++) {
        int p = part_of[s->runs.needs[k].cluster] - 1;
        if (p >= 0 && load[p] <= load[least] + much)
            return p;
    }
    return least;
}

/* distributes the runs over `parts` parts. us [n_runs]: their estimated times. 0: out of memory */
static int cti_ica_cut(cti_ica *s, int parts, const double *us)
{
    double *load = CTI_ARENA_NEW(s->arena, double, parts), much = 2 * s->runs.sweep_us / s->runs.n;
    int32_t *order = CTI_ARENA_NEW(s->arena, int32_t, s->runs.n), *part = CTI_ARENA_NEW(s->arena, int32_t, s->runs.n);
    int32_t *part_of = CTI_ARENA_ZERO(s->arena, int32_t, s->n_clusters); /* 1 + part; 0: none yet */
    int i, k;
    s->runs.part_at = CTI_ARENA_ZERO(s->arena, int32_t, parts + 2), s->runs.part_runs = CTI_ARENA_NEW(s->arena, int32_t, s->runs.n);
    s->runs.heads = CTI_ARENA_ZERO(s->arena, uint32_t, CTI_ICA_HEAD * parts);
    if (!load || !order || !part || !part_of || !s->runs.part_at || !s->runs.part_runs || !s->runs.heads || !cti_ica_find_needs(s) ||
        !cti_ica_sort_runs(s, order))
        return 0;
    s->runs.n_parts = parts;
    for (i = 0; i < parts; i++)
        load[i] = 0;
    for (i = 0; i < s->runs.n; i++) {
        int r = order[i], p = part[r] = cti_ica_choose(s, r, part_of, load, much);
        load[p] += us[r];
        for (k = s->runs.need_at[r]; k < s->runs.need_at[r + 1]; k++)
            part_of[s->runs.needs[k].cluster] = p + 1;
        s->runs.part_at[p + 2]++;
    }
    for (i = 0; i < parts; i++)
        s->runs.part_at[i + 2] += s->runs.part_at[i + 1];
    for (i = 0; i < s->runs.n; i++)
        s->runs.part_runs[s->runs.part_at[part[order[i]] + 1]++] = order[i];
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
    us = CTI_ARENA_NEW(s->arena, double, s->runs.n);
    for (i = 0; us && i < s->runs.n; i++)
        s->runs.sweep_us += us[i] = cti_ica_run_us(s, i);
    if (!us || !CTI_ATOMICS || workers == 1 || s->runs.n < 2 || s->runs.sweep_us < cti_solve_tuned.costs.sweep)
        return us != NULL;
    return cti_ica_cut(s, cti_min_int(workers, s->runs.n), us);
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
    uint32_t *head = s->runs.heads + CTI_ICA_HEAD * part, h = cti_atomic_load(head);
    int k, run;
    if ((int)h >= s->runs.part_at[part + 1])
        return -1;
    run = s->runs.part_runs[h];
    for (k = s->runs.need_at[run]; k < s->runs.need_at[run + 1]; k++)
        if (cti_atomic_load(&s->runs.done[s->runs.needs[k].cluster]) != s->runs.needs[k].count)
            return cti_atomic_load(head) != h;
    if (!cti_atomic_swap(head, h, h + 1))
        return 1;
    q->fn(s, run);
    for (k = s->runs.need_at[run]; k < s->runs.need_at[run + 1]; k++)
        cti_atomic_store(&s->runs.done[s->runs.needs[k].cluster], s->runs.needs[k].count + 1);
    return 1;
}

/* one worker: runs of its own part, or of other parts when its own are finished or have to wait */
static void cti_ica_work(int begin, int end, int worker, void *context)
{
    const cti_ica_loop_parts *q = (const cti_ica_loop_parts *)context;
    int parts = q->s->runs.n_parts, own = worker % parts, looks = 0;
    CTI_UNUSED(begin), CTI_UNUSED(end);
    while (looks < cti_solve_tuned.costs.looks) {
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
    if (s->runs.n_parts == 0 || us < cti_tasks_least(s->p->tasks)) {
        for (i = 0; i < s->runs.n; i++)
            fn(s, i);
        return;
    }
    q.s = s, q.fn = fn;
    memset(s->runs.done, 0, sizeof *s->runs.done * (size_t)s->n_clusters);
    for (i = 0; i < s->runs.n_parts; i++)
        s->runs.heads[CTI_ICA_HEAD * i] = (uint32_t)s->runs.part_at[i];
    cti_tasks_run(s->p->tasks, cti_ica_work, s->runs.n_parts, 1, &q);
    cti_ica_work(0, 1, 0, &q); /* runs that every worker has left, each assuming that another one was busy with them */
}

/* ---- the loops over rows and clusters that are not sweeps ---- */

CTI_FN void cti_ica_publish(const cti_ica *s)
{
    int i;
    for (i = 0; i < s->p->n_rows; i++)
        memcpy(s->p->rows[i].r, s->r + 3 * (size_t)i, 3 * sizeof(ct_real));
}

static void cti_ica_scatter_run(cti_ica *s, int run)
{
    int i;
    for (i = s->runs.at[run]; i < s->runs.at[run + 1]; i++)
        cti_row_scatter(s->p, &s->p->rows[i], s->p->rows[i].r, s->f);
}

CTI_FN void cti_ica_rhs(cti_ica *s)
{
    if (s->runs.n_parts == 0) {
        cti_problem_rhs(s->p, s->f);
        return;
    }
    memcpy(s->f, s->p->b, sizeof(ct_real) * 3 * (size_t)s->p->A->n);
    cti_ica_each_run(s, cti_ica_scatter_run, cti_solve_tuned.costs.scatter * s->p->n_rows);
}

static void cti_ica_refine_range(int begin, int end, int worker, void *context)
{
    cti_ica *s = (cti_ica *)context;
    for (; begin < end; begin++)
        s->scratch.change[begin] = cti_ica_is_left(s, &s->clusters[begin]) ? 0 : cti_ica_refine_cluster(s, &s->clusters[begin], worker);
}

CTI_FN ct_real cti_ica_refine_apart(cti_ica *s)
{
    ct_real big = 0;
    int c;
    cti_tasks_run_work(s->p->tasks, cti_ica_refine_range, s->n_clusters, cti_solve_tuned.costs.block * s->p->A->n / s->n_clusters, s);
    for (c = 0; c < s->n_clusters; c++)
        big = cti_max(big, s->scratch.change[c]);
    return big;
}
