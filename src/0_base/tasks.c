/* tasks.c -- one loop through the caller's enqueue and finish (box2d v3's shape: a NULL task means that enqueue ran it at once). */
#include "tasks.h"

CTI_FN int cti_tasks_workers(const ct_tasks *tasks)
{
    return tasks && tasks->enqueue && tasks->finish && tasks->worker_count > 1 ? tasks->worker_count : 1;
}

CTI_FN void cti_tasks_run(const ct_tasks *tasks, ct_task_fn *fn, int count, int min_range, void *context)
{
    void *task;
    if (count <= 0)
        return;
    if (min_range < 1)
        min_range = 1;
    if (cti_tasks_workers(tasks) == 1 || count / 2 < min_range) {
        fn(0, count, 0, context);
        return;
    }
    task = tasks->enqueue(fn, count, min_range, context, tasks->user);
    if (task)
        tasks->finish(task, tasks->user);
}
