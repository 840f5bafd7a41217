/* tasks.c -- runs one loop through the callbacks enqueue and finish. As in box2d v3, a NULL task means that enqueue has run the loop
   already. */
#include "tasks.h"

/* least work [us] for which a loop is given to workers; half of it is the least work of one range. 0 in tests that want every loop cut. */
#ifdef CTI_TASKS_EAGER
#define CTI_TASKS_LEAST 0.0
#define CTI_TASKS_LEAST_ASLEEP 0.0
#define CTI_TASKS_LEAST_USER 0.0
#else
#define CTI_TASKS_LEAST 4.0
#define CTI_TASKS_LEAST_ASLEEP 40.0 /* the threads sleep and must be woken first */
#define CTI_TASKS_LEAST_USER 40.0
#endif

CTI_FN int cti_tasks_workers(const ct_tasks *tasks)
{
    return tasks && tasks->enqueue && tasks->finish && tasks->worker_count > 1 ? tasks->worker_count : 1;
}

static int cti_tasks_has_pool(const ct_tasks *tasks) { return cti_tasks_workers(tasks) > 1 && tasks->enqueue == cti_pool_enqueue; }

CTI_FN double cti_tasks_least(const ct_tasks *tasks)
{
    if (!cti_tasks_has_pool(tasks))
        return CTI_TASKS_LEAST_USER;
    return cti_pool_sleeps((const cti_pool *)tasks->user) ? CTI_TASKS_LEAST_ASLEEP : CTI_TASKS_LEAST;
}

/* what the workers get as context: the loop's function, to be called in the usual floating-point mode */
typedef struct cti_tasks_call {
    ct_task_fn *fn;
    void *context;
} cti_tasks_call;

static void cti_tasks_range(int begin, int end, int worker, void *context)
{
    const cti_tasks_call *call = (const cti_tasks_call *)context;
    uint64_t mode = cti_fpenv_enter();
    call->fn(begin, end, worker, call->context);
    cti_fpenv_leave(mode);
}

CTI_FN void cti_tasks_run(const ct_tasks *tasks, ct_task_fn *fn, int count, int min_range, void *context)
{
    cti_tasks_call call;
    void *task;
    if (count <= 0)
        return;
    if (min_range < 1)
        min_range = 1;
    if (cti_tasks_workers(tasks) == 1 || count / 2 < min_range) {
        fn(0, count, 0, context);
        return;
    }
    call.fn = fn, call.context = context;
    task = tasks->enqueue(cti_tasks_range, count, min_range, &call, tasks->user);
    if (task)
        tasks->finish(task, tasks->user);
}

CTI_FN void cti_tasks_run_work(const ct_tasks *tasks, ct_task_fn *fn, int count, double us, void *context)
{
    double least = cti_tasks_least(tasks);
    if (us * (double)count < least)
        cti_tasks_run(NULL, fn, count, count, context);
    else /* the shortest range has half the least work that pays while the threads are awake */
        cti_tasks_run(tasks, fn, count, (int)((cti_tasks_has_pool(tasks) ? CTI_TASKS_LEAST : CTI_TASKS_LEAST_USER) / 2 / us), context);
}
