/* pool.h -- the built-in threads behind ct_tasks (CONTACT_THREADS 1). Workers spin for a moment after a loop, since the next one is near, then
   sleep. */
#ifndef CTI_POOL_H
#define CTI_POOL_H

#include "alloc.h"

typedef struct cti_pool cti_pool;

enum { CTI_POOL_MOST = 256 }; /* workers */

/* cti_pool_create -- starts workers - 1 threads, 1 <= workers <= CTI_POOL_MOST; the calling thread is worker 0. NULL: out of memory (*out_failed -1),
   or thread *out_failed >= 1 could not be started, *out_system being what the system said; then nothing is left behind. Always NULL without
   CONTACT_THREADS. */
CTI_FN cti_pool *cti_pool_create(cti_mem *mem, int workers, int *out_failed, int *out_system);
/* cti_pool_destroy -- ends the threads; NULL is allowed. No loop may be running. */
CTI_FN void cti_pool_destroy(cti_mem *mem, cti_pool *pool);
/* cti_pool_sleeps -- 1 where all threads sleep, so that a loop has to wake them. */
CTI_FN int cti_pool_sleeps(const cti_pool *pool);
/* cti_pool_enqueue, cti_pool_finish -- the functions of a ct_tasks whose user is the pool. One loop at a time, and one thread that calls. */
CTI_FN void *cti_pool_enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user);
CTI_FN void cti_pool_finish(void *task, void *user);

#endif /* CTI_POOL_H */
