/* pool.h -- the built-in threads behind ct_tasks (CONTACT_THREADS 1). After a loop a worker spins for a moment, since the next loop usually
   follows soon, and then sleeps. */
#pragma once

#include "alloc.h"

typedef struct cti_pool cti_pool;

enum { CTI_POOL_MOST = 256 }; /* largest number of workers */

/* cti_pool_create -- starts workers - 1 threads, 1 <= workers <= CTI_POOL_MOST; the calling thread is worker 0. On failure it returns NULL
   and leaves nothing behind: *out_failed is -1 when memory ran out, else the number (>= 1) of the thread that could not be started, and
   *out_system the system's error code. Always NULL without CONTACT_THREADS. */
CTI_FN cti_pool *cti_pool_create(cti_mem *mem, int workers, int *out_failed, int *out_system);
/* cti_pool_destroy -- ends the threads; NULL is allowed. No loop may be running. */
CTI_FN void cti_pool_destroy(cti_mem *mem, cti_pool *pool);
/* cti_pool_sleeps -- 1 if all threads sleep, so that a loop has to wake them first. */
CTI_FN int cti_pool_sleeps(const cti_pool *pool);
/* cti_pool_enqueue, cti_pool_finish -- the callbacks of a ct_tasks whose `user` is the pool. Only one loop may run at a time, and only one
   thread may call them. */
CTI_FN void *cti_pool_enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user);
CTI_FN void cti_pool_finish(void *task, void *user);
