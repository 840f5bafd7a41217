/* tasks.h -- loops over ranges: serial, by the caller's task system, or by the world's pool (pool.h). The result of a loop may not depend
   on the number of workers or on how the loop is cut. A body therefore writes only what belongs to its own range, and sums are taken
   afterwards in a fixed order. Exception: the runs of ica_parts.c, which fix their order themselves. */
#pragma once

#include "fpenv.h"
#include "pool.h"

/* cti_tasks_workers -- number of workers, at least 1; worker numbers that a body sees are below it. tasks may be NULL. */
CTI_FN int cti_tasks_workers(const ct_tasks *tasks);

/* cti_tasks_least -- least work [us] for which workers pay; shorter loops should stay on the calling thread. It is small while the pool's
   threads are awake, and larger when they sleep or when the tasks are the user's, of which nothing is known. */
CTI_FN double cti_tasks_least(const ct_tasks *tasks);

/* cti_tasks_run -- calls fn(begin, end, worker, context) for ranges that cover [0, count), and waits for all. With fewer than 2 min_range
   items everything runs here as worker 0. Every range is computed in the usual floating-point mode, on any thread. */
CTI_FN void cti_tasks_run(const ct_tasks *tasks, ct_task_fn *fn, int count, int min_range, void *context);

/* cti_tasks_run_work -- the same for items that take about `us` microseconds each; a loop too short for workers runs here. */
CTI_FN void cti_tasks_run_work(const ct_tasks *tasks, ct_task_fn *fn, int count, double us, void *context);
