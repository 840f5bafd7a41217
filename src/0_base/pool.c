/* pool.c -- a pool of threads that runs one loop at a time.
   Method: a loop is cut into blocks; a thread takes a block by lowering the count of blocks left. This count and the loop's number share
   one 64-bit word, so that a late worker cannot take a block of another loop by mistake. The caller takes blocks, too, and then waits for
   the blocks that others took. An idle worker watches the word for some ten microseconds, then sleeps until a loop wakes it. No wake-up is
   lost, because the count of sleepers and the word are accessed with sequential consistency (Dekker's algorithm). Based on: no paper. */
#include "pool.h"
#include "atomic.h"

#if CONTACT_THREADS

#if defined(_WIN32)
#include <windows.h> /* windows.h defines near, far, small, min and max as macros: the code below must not use these names */
#else
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#endif

#define CTI_POOL_SPIN 3000  /* reads of the ticket before an idle worker sleeps */
#define CTI_POOL_WAIT 1000  /* reads of `done` by the caller before it yields its processor */
#define CTI_POOL_BLOCKS 64  /* largest number of blocks of a loop */

/* ---- atomic words ---- */

#if defined(__GNUC__) || defined(__clang__)
static uint64_t cti_pool_load(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static void cti_pool_store(uint64_t *p, uint64_t x) { __atomic_store_n(p, x, __ATOMIC_SEQ_CST); }
static void cti_pool_add(uint64_t *p, uint64_t x) { __atomic_fetch_add(p, x, __ATOMIC_SEQ_CST); }
static int cti_pool_swap(uint64_t *p, uint64_t from, uint64_t to)
{
    return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
#elif defined(_MSC_VER)
static uint64_t cti_pool_load(const uint64_t *p) { return (uint64_t)InterlockedCompareExchange64((volatile LONG64 *)p, 0, 0); }
static void cti_pool_store(uint64_t *p, uint64_t x) { InterlockedExchange64((volatile LONG64 *)p, (LONG64)x); }
static void cti_pool_add(uint64_t *p, uint64_t x) { InterlockedExchangeAdd64((volatile LONG64 *)p, (LONG64)x); }
static int cti_pool_swap(uint64_t *p, uint64_t from, uint64_t to)
{
    return (uint64_t)InterlockedCompareExchange64((volatile LONG64 *)p, (LONG64)to, (LONG64)from) == from;
}
#else
#error "contact.h: CONTACT_THREADS 1 needs atomic words (gcc, clang or MSVC); leave it 0 and give your own ct_tasks"
#endif

typedef struct cti_pool_thread {
    cti_pool *pool;
    int worker;
#if defined(_WIN32)
    HANDLE handle;
#else
    pthread_t handle;
#endif
} cti_pool_thread;

/* ticket: number of the loop << 32 | blocks left. The fields that describe a loop change only when all blocks that were taken are done. */
struct cti_pool {
    uint64_t ticket;
    char apart0[64 - sizeof(uint64_t)]; /* padding: each of the words that many threads write has a cache line of its own */
    uint64_t done;                      /* blocks that are done */
    char apart1[64 - sizeof(uint64_t)];
    uint64_t sleeping, stop;
    ct_task_fn *fn;
    void *context;
    int count, block, n_blocks;
    int n_threads;
    cti_pool_thread *threads; /* [n_threads] */
#if defined(_WIN32)
    SRWLOCK lock;
    CONDITION_VARIABLE wake;
#else
    pthread_mutex_t lock;
    pthread_cond_t wake;
#endif
};

/* ---- the system's locks and threads ---- */

#if defined(_WIN32)
static int cti_pool_open(cti_pool *p)
{
    InitializeSRWLock(&p->lock), InitializeConditionVariable(&p->wake);
    return 0;
}
static void cti_pool_close(cti_pool *p) { CTI_UNUSED(p); }
static void cti_pool_lock(cti_pool *p) { AcquireSRWLockExclusive(&p->lock); }
static void cti_pool_unlock(cti_pool *p) { ReleaseSRWLockExclusive(&p->lock); }
static void cti_pool_sleep(cti_pool *p) { SleepConditionVariableSRW(&p->wake, &p->lock, INFINITE, 0); }
static void cti_pool_wake(cti_pool *p) { WakeAllConditionVariable(&p->wake); }
static void cti_pool_yield(void) { SwitchToThread(); }
#else
static int cti_pool_open(cti_pool *p)
{
    int code = pthread_mutex_init(&p->lock, NULL);
    if (code == 0 && (code = pthread_cond_init(&p->wake, NULL)) != 0)
        pthread_mutex_destroy(&p->lock);
    return code;
}
static void cti_pool_close(cti_pool *p) { pthread_cond_destroy(&p->wake), pthread_mutex_destroy(&p->lock); }
static void cti_pool_lock(cti_pool *p) { pthread_mutex_lock(&p->lock); }
static void cti_pool_unlock(cti_pool *p) { pthread_mutex_unlock(&p->lock); }
static void cti_pool_sleep(cti_pool *p) { pthread_cond_wait(&p->wake, &p->lock); }
static void cti_pool_wake(cti_pool *p) { pthread_cond_broadcast(&p->wake); }
static void cti_pool_yield(void) { sched_yield(); }
#endif

/* ---- a loop ---- */

/* takes one block and runs it; 0: no block was left */
static int cti_pool_work(cti_pool *p, int worker)
{
    uint64_t t = cti_pool_load(&p->ticket);
    int left = (int)(t & 0xffffffffu), begin;
    if (left == 0)
        return 0;
    if (!cti_pool_swap(&p->ticket, t, t - 1))
        return 1;
    begin = (p->n_blocks - left) * p->block;
    p->fn(begin, cti_min_int(begin + p->block, p->count), worker, p->context);
    cti_pool_add(&p->done, 1);
    return 1;
}

static int cti_pool_is_idle(const cti_pool *p) { return (cti_pool_load(&p->ticket) & 0xffffffffu) == 0 && !cti_pool_load(&p->stop); }

/* returns 1 when there is a block to take, 0 when the pool ends. A woken worker watches the ticket for a while again, since the next loop
   may be close. */
static int cti_pool_wait(cti_pool *p)
{
    for (;;) {
        int k;
        for (k = 0; k < CTI_POOL_SPIN; k++) {
            if (!cti_pool_is_idle(p))
                return !cti_pool_load(&p->stop);
            cti_atomic_pause();
        }
        cti_pool_lock(p);
        cti_pool_add(&p->sleeping, 1);
        if (cti_pool_is_idle(p))
            cti_pool_sleep(p);
        cti_pool_add(&p->sleeping, (uint64_t)-1);
        cti_pool_unlock(p);
    }
}

#if defined(_WIN32)
static DWORD WINAPI cti_pool_main(void *user)
#else
static void *cti_pool_main(void *user)
#endif
{
    cti_pool_thread *t = (cti_pool_thread *)user;
    while (cti_pool_wait(t->pool))
        while (cti_pool_work(t->pool, t->worker)) {
        }
    return 0;
}

static void cti_pool_call(cti_pool *p)
{
    if (!cti_pool_load(&p->sleeping))
        return;
    cti_pool_lock(p);
    cti_pool_wake(p);
    cti_pool_unlock(p);
}

CTI_FN int cti_pool_sleeps(const cti_pool *p) { return cti_pool_load(&p->sleeping) + 1 >= (uint64_t)p->n_threads; }

CTI_FN void *cti_pool_enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    cti_pool *p = (cti_pool *)user;
    uint64_t number = (cti_pool_load(&p->ticket) >> 32) + 1;
    p->block = cti_max_int(cti_max_int(1, min_range), (count - 1) / CTI_POOL_BLOCKS + 1);
    p->n_blocks = (count - 1) / p->block + 1;
    p->fn = fn, p->context = context, p->count = count;
    cti_pool_store(&p->done, 0);
    cti_pool_store(&p->ticket, number << 32 | (uint64_t)p->n_blocks);
    cti_pool_call(p);
    return p;
}

CTI_FN void cti_pool_finish(void *task, void *user)
{
    cti_pool *p = (cti_pool *)user;
    int k;
    CTI_UNUSED(task);
    while (cti_pool_work(p, 0)) {
    }
    for (k = 0; cti_pool_load(&p->done) != (uint64_t)p->n_blocks; k++)
        if (k < CTI_POOL_WAIT)
            cti_atomic_pause();
        else
            cti_pool_yield();
}

/* ---- beginning and end ---- */

/* returns 0, or the system's error code. Signals are left to the application: the thread starts with all signals blocked except those of
   its own faults. This needs POSIX headers, which a plain -std=c99 hides. */
static int cti_pool_start(cti_pool_thread *t)
{
#if defined(_WIN32)
    t->handle = CreateThread(NULL, 0, cti_pool_main, t, 0, NULL);
    return t->handle ? 0 : (int)GetLastError();
#elif defined(SIG_SETMASK)
    sigset_t all, mine;
    int code;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV), sigdelset(&all, SIGBUS), sigdelset(&all, SIGFPE), sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &mine);
    code = pthread_create(&t->handle, NULL, cti_pool_main, t);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    return code;
#else
    return pthread_create(&t->handle, NULL, cti_pool_main, t);
#endif
}

static void cti_pool_join(cti_pool_thread *t)
{
#if defined(_WIN32)
    WaitForSingleObject(t->handle, INFINITE);
    CloseHandle(t->handle);
#else
    pthread_join(t->handle, NULL);
#endif
}

/* stops and joins the first n threads, which are running, and frees the pool */
static void cti_pool_end(cti_mem *mem, cti_pool *p, int n)
{
    int i;
    cti_pool_store(&p->stop, 1);
    cti_pool_call(p);
    for (i = 0; i < n; i++)
        cti_pool_join(&p->threads[i]);
    cti_pool_close(p);
    cti_mem_resize(mem, p->threads, sizeof *p->threads * (size_t)p->n_threads, 0);
    cti_mem_resize(mem, p, sizeof *p, 0);
}

CTI_FN cti_pool *cti_pool_create(cti_mem *mem, int workers, int *out_failed, int *out_system)
{
    cti_pool *p = (cti_pool *)cti_mem_resize(mem, NULL, 0, sizeof *p);
    cti_pool_thread *threads = (cti_pool_thread *)cti_mem_resize(mem, NULL, 0, sizeof *threads * (size_t)workers);
    int i;
    *out_failed = -1, *out_system = 0;
    if (p && threads) {
        memset(p, 0, sizeof *p);
        p->threads = threads, p->n_threads = workers;
        *out_failed = 1, *out_system = cti_pool_open(p);
    }
    if (!p || !threads || *out_system != 0) {
        cti_mem_resize(mem, threads, threads ? sizeof *threads * (size_t)workers : 0, 0);
        cti_mem_resize(mem, p, p ? sizeof *p : 0, 0);
        return NULL;
    }
    for (i = 0; i + 1 < workers; i++) {
        threads[i].pool = p, threads[i].worker = i + 1;
        *out_system = cti_pool_start(&threads[i]);
        if (*out_system != 0) {
            *out_failed = i + 1;
            cti_pool_end(mem, p, i);
            return NULL;
        }
    }
    *out_failed = 0;
    return p;
}

CTI_FN void cti_pool_destroy(cti_mem *mem, cti_pool *p)
{
    if (p)
        cti_pool_end(mem, p, cti_max_int(0, p->n_threads - 1));
}

#else

CTI_FN cti_pool *cti_pool_create(cti_mem *mem, int workers, int *out_failed, int *out_system)
{
    CTI_UNUSED(mem), CTI_UNUSED(workers);
    *out_failed = -1, *out_system = 0;
    return NULL;
}
CTI_FN void cti_pool_destroy(cti_mem *mem, cti_pool *pool) { CTI_UNUSED(mem), CTI_UNUSED(pool); }
CTI_FN int cti_pool_sleeps(const cti_pool *p)
{
    CTI_UNUSED(p);
    return 0;
}
CTI_FN void *cti_pool_enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    CTI_UNUSED(min_range), CTI_UNUSED(user);
    fn(0, count, 0, context);
    return NULL;
}
CTI_FN void cti_pool_finish(void *task, void *user) { CTI_UNUSED(task), CTI_UNUSED(user); }

#endif
