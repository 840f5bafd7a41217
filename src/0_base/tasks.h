/* tasks.h -- loops over ranges, serial or by the caller's task system or the world's pool (pool.h). The result of a loop may not depend on the
   number of workers or on how it is cut: a body writes only what belongs to its own range (but for the runs of
   ica_parts.c, which have an order of their own), sums are taken afterwards in a fixed order. */
#ifndef CTI_TASKS_H
#define CTI_TASKS_H

#include "fpenv.h"
#include "pool.h"

/* cti_tasks_workers -- number of workers, at least 1; worker numbers that a body sees are below it. tasks may be NULL. */
CTI_FN int cti_tasks_workers(const ct_tasks *tasks);

/* cti_tasks_least -- work [us] below which a loop is better left to the calling thread: little for the pool while its workers wait for it, more
   when they sleep, and for a task system, of which nothing is known. */
CTI_FN double cti_tasks_least(const ct_tasks *tasks);

/* cti_tasks_run -- fn(begin, end, worker, context) over [0, count), and waits. Ranges shorter than 2 min_range run here as worker 0. Every range
   is computed in the usual floating-point mode, whoever runs it. */
CTI_FN void cti_tasks_run(const ct_tasks *tasks, ct_task_fn *fn, int count, int min_range, void *context);

/* cti_tasks_run_work -- the same for items that take about `us` microseconds each: what is not worth a loop runs here. */
CTI_FN void cti_tasks_run_work(const ct_tasks *tasks, ct_task_fn *fn, int count, double us, void *context);

#endif /* CTI_TASKS_H */
