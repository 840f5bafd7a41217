/* tasks.h -- loops over ranges, serial or by the caller's task system. The result of a loop may not depend on the number of workers: a body
   writes only what belongs to its own range, sums are taken afterwards in a fixed order. */
#ifndef CTI_TASKS_H
#define CTI_TASKS_H

#include "platform.h"

/* cti_tasks_workers -- number of workers, at least 1; worker numbers that a body sees are below it. tasks may be NULL. */
CTI_FN int cti_tasks_workers(const ct_tasks *tasks);

/* cti_tasks_run -- fn(begin, end, worker, context) over [0, count), and waits. Ranges shorter than 2 min_range run here as worker 0. */
CTI_FN void cti_tasks_run(const ct_tasks *tasks, ct_task_fn *fn, int count, int min_range, void *context);

#endif /* CTI_TASKS_H */
