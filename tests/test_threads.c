/* test_threads.c -- the pool and ct_tasks: loops are complete, failed starts leave nothing behind, memory is allocated on the calling
   thread only. Every number of workers and every task system gives the same bits. Also built with -fsanitize=thread (make test-tsan). */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "world_util.h"
#include "../src/0_base/tasks.h"
#include "../src/3_solve/ica_state.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZED 1
#else
#define THREAD_SANITIZED 0
#endif
/* sanitizers find a race or a wrong address in a few steps, and are slow */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FEW 1
#else
#define FEW 0
#endif

/* ---- a pthread_create that fails on demand, in place of the system's ---- */
#if !THREAD_SANITIZED
static int fail_start, starts;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    create_fn *real;
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &found, sizeof real);
    if (++starts == fail_start)
        return EAGAIN;
    return real(thread, attr, start, arg);
}
#endif

/* ---- loops ---- */
typedef struct tally {
    int seen[5000];
    int workers, bad;
} tally;

static void tally_range(int begin, int end, int worker, void *context)
{
    tally *t = (tally *)context;
    if (worker < 0 || worker >= t->workers || begin >= end)
        t->bad = 1;
    for (; begin < end; begin++)
        t->seen[begin]++;
}

static void pool_runs_every_item_once(void **state)
{
    static const int counts[] = {1, 2, 3, 7, 63, 64, 65, 1000, 5000}, ranges[] = {1, 2, 10, 700};
    static tally t;
    int workers, c, r, i, failed, system;
    cti_mem mem;
    (void)state;
    cti_mem_init(&mem, NULL);
    for (workers = 1; workers <= 8; workers += workers < 4 ? 1 : 4) {
        cti_pool *pool = cti_pool_create(&mem, workers, &failed, &system);
        ct_tasks tasks;
        assert_non_null(pool);
        assert_int_equal(failed, 0);
        tasks.enqueue = cti_pool_enqueue, tasks.finish = cti_pool_finish, tasks.worker_count = workers, tasks.user = pool;
        assert_int_equal(cti_tasks_workers(&tasks), workers);
        for (c = 0; c < (int)(sizeof counts / sizeof *counts); c++)
            for (r = 0; r < (int)(sizeof ranges / sizeof *ranges); r++) {
                memset(&t, 0, sizeof t);
                t.workers = workers;
                cti_tasks_run(&tasks, tally_range, counts[c], ranges[r], &t);
                for (i = 0; i < 5000; i++)
                    assert_int_equal(t.seen[i], i < counts[c]);
                assert_false(t.bad);
            }
        cti_pool_destroy(&mem, pool);
    }
    assert_true(mem.bytes_live == 0);
}

/* many short loops, some after a pause in which the workers sleep: each sees what the caller wrote before it, and the caller sees what it wrote */
static void add_one(int begin, int end, int worker, void *context)
{
    int *x = (int *)context;
    (void)worker;
    for (; begin < end; begin++)
        x[begin]++;
}

/* ---- runs of contacts that share clusters ---- */

enum { RUN_CONTACTS = 600, RUN_CLUSTERS = 24, RUN_LEGS = 3 };

/* observations of the runs: calls of each, the last run of each cluster, and whether one began too early */
typedef struct run_record {
    int called[RUN_CONTACTS], last[RUN_CLUSTERS], bad;
} run_record;

static run_record run_seen;
static int run_naps;

static void note_run(cti_ica *s, int run)
{
    const cti_ica_contact *q = &s->contacts[s->runs.at[run]];
    int k, j;
    run_seen.called[run]++;
    if (run_naps && run % run_naps == 0)
        sched_yield();
    for (k = 0; k < q->n_legs; k++) {
        int *last = &run_seen.last[s->tiles.legs[q->leg0 + k].cluster];
        /* this one has to be the next run of the cluster after `*last` */
        for (j = *last + 1; j < run; j++) {
            const cti_ica_contact *o = &s->contacts[s->runs.at[j]];
            int i;
            for (i = 0; i < o->n_legs; i++)
                if (s->tiles.legs[o->leg0 + i].cluster == s->tiles.legs[q->leg0 + k].cluster)
                    run_seen.bad = 1;
        }
        if (*last >= run)
            run_seen.bad = 1;
        *last = run;
    }
}

/* ranges on the calling thread, the last one first, all by the same worker */
static void *enqueue_backwards_alone(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    (void)min_range, (void)user;
    while (count--)
        fn(count, count + 1, 1, context);
    return NULL;
}

static void finish_nothing(void *task, void *user) { (void)task, (void)user; }

/* random contacts between few or many clusters, some with none */
static void random_contacts(cti_ica_contact *contacts, cti_ica_leg *legs, int clusters, uint64_t *seed)
{
    int i, k, j, n = 0;
    for (i = 0; i < RUN_CONTACTS; i++) {
        int first = n, want = (int)(lcg(seed) * (RUN_LEGS + 1));
        memset(&contacts[i], 0, sizeof contacts[i]);
        contacts[i].leg0 = n;
        for (k = 0; k < want; k++) {
            int c = (int)(lcg(seed) * clusters);
            for (j = first; j < n && legs[j].cluster != c; j++) {
            }
            if (j == n)
                memset(&legs[n], 0, sizeof legs[n]), legs[n].cluster = c, legs[n++].ld = 400; /* long enough to be split into parts */
        }
        contacts[i].n_legs = n - first;
    }
}

static void runs_of_a_cluster_keep_their_order(void **state)
{
    static cti_ica_contact contacts[RUN_CONTACTS];
    static cti_ica_leg legs[RUN_CONTACTS * RUN_LEGS];
    static const int workers[] = {2, 3, 7, 16};
    uint64_t seed = 5;
    int c, w, round, i, failed, system, parts = 0;
    (void)state;
    for (w = 0; w < 5; w++) {
        cti_mem mem;
        cti_pool *pool = NULL;
        cti_problem p;
        ct_tasks tasks;
        cti_mem_init(&mem, NULL);
        memset(&tasks, 0, sizeof tasks), memset(&p, 0, sizeof p);
        tasks.worker_count = w < 4 ? workers[w] : 4;
        tasks.enqueue = enqueue_backwards_alone, tasks.finish = finish_nothing;
        if (w < 4) {
            pool = cti_pool_create(&mem, workers[w], &failed, &system);
            assert_non_null(pool);
            tasks.enqueue = cti_pool_enqueue, tasks.finish = cti_pool_finish, tasks.user = pool;
        }
        p.tasks = &tasks, p.n_rows = RUN_CONTACTS;
        for (c = 2; c <= RUN_CLUSTERS; c = 2 * c - 1) {
            cti_arena arena;
            cti_ica s;
            cti_arena_init(&arena, &mem);
            memset(&s, 0, sizeof s);
            random_contacts(contacts, legs, c, &seed);
            s.p = &p, s.arena = &arena, s.contacts = contacts, s.tiles.legs = legs, s.n_clusters = c;
            assert_true(cti_ica_make_parts(&s));
            parts += s.runs.n_parts > 1;
            for (round = 0; round < (FEW ? 3 : 8); round++) {
                memset(&run_seen, 0, sizeof run_seen);
                for (i = 0; i < c; i++)
                    run_seen.last[i] = -1;
                run_naps = round % 4 == 3 ? 5 : 0;
                cti_ica_each_run(&s, note_run, 1e4);
                assert_false(run_seen.bad);
                for (i = 0; i < s.runs.n; i++)
                    assert_int_equal(run_seen.called[i], 1);
            }
            cti_arena_free(&arena);
        }
        cti_pool_destroy(&mem, pool);
    }
    assert_int_equal(parts, 25);
}

static void short_loops_follow_each_other(void **state)
{
    enum { LOOPS = FEW ? 2000 : 20000, N = 64 };
    static int x[N];
    int k, i, failed, system;
    cti_mem mem;
    cti_pool *pool;
    ct_tasks tasks;
    (void)state;
    cti_mem_init(&mem, NULL);
    pool = cti_pool_create(&mem, 3, &failed, &system);
    assert_non_null(pool);
    tasks.enqueue = cti_pool_enqueue, tasks.finish = cti_pool_finish, tasks.worker_count = 3, tasks.user = pool;
    memset(x, 0, sizeof x);
    for (k = 0; k < LOOPS; k++) {
        struct timespec rest = {0, 2000000};
        if (k % (LOOPS / 20) == 0)
            nanosleep(&rest, NULL);
        cti_tasks_run(&tasks, add_one, N, 1, x);
        for (i = 0; i < N; i++)
            if (x[i]++ != 2 * k + 1)
                fail();
    }
    cti_pool_destroy(&mem, pool);
    assert_true(mem.bytes_live == 0);
}

/* ---- worlds ---- */

/* Task systems of a user. BACKWARDS runs single items from the last to the first as workers in turn, when it is asked to finish; AT_ONCE runs all
   before it returns; THREADS runs ranges of any length on threads that it starts for them */
typedef enum system_kind { SYSTEM_NONE, SYSTEM_POOL, SYSTEM_BACKWARDS, SYSTEM_AT_ONCE, SYSTEM_THREADS } system_kind;
typedef struct user_system {
    system_kind kind;
    int workers, loops, open;
    ct_task_fn *fn;
    void *context;
    int count;
} user_system;

typedef struct user_thread {
    const user_system *t;
    int begin, end, worker;
} user_thread;

static void *user_thread_main(void *user)
{
    const user_thread *q = (const user_thread *)user;
    q->t->fn(q->begin, q->end, q->worker, q->t->context);
    return NULL;
}

static void run_threads(const user_system *t)
{
    enum { MOST = 4 };
    pthread_t thread[MOST];
    user_thread q[MOST];
    int k, n = t->count < MOST ? t->count : MOST;
    for (k = 0; k < n; k++) {
        q[k].t = t, q[k].worker = k;
        q[k].begin = k * t->count / n, q[k].end = (k + 1) * t->count / n;
        if (pthread_create(&thread[k], NULL, user_thread_main, &q[k]))
            abort();
    }
    for (k = 0; k < n; k++)
        pthread_join(thread[k], NULL);
}

static void *user_enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    user_system *t = (user_system *)user;
    (void)min_range;
    t->loops++;
    if (t->open++)
        abort();
    t->fn = fn, t->context = context, t->count = count;
    if (t->kind == SYSTEM_AT_ONCE) {
        fn(0, count, t->workers - 1, context);
        t->open--;
        return NULL;
    }
    return t;
}

static void user_finish(void *task, void *user)
{
    user_system *t = (user_system *)task;
    int i;
    if (task != user)
        abort();
    if (t->kind == SYSTEM_THREADS)
        run_threads(t);
    else
        for (i = t->count - 1; i >= 0; i--)
            t->fn(i, i + 1, i % t->workers, t->context);
    t->open--;
}

/* an allocator that tests which thread calls it */
typedef struct one_thread {
    pthread_t owner;
    int strangers;
} one_thread;

static void *one_thread_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    one_thread *t = (one_thread *)user;
    (void)old_size;
    if (!pthread_equal(t->owner, pthread_self()))
        t->strangers++;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

/* soft boxes in two leaning towers: large islands of bodies that are clusters */
static void scene_heap(ct_world *w)
{
    int i;
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 18; i++)
        add_soft_box(w, "box", 0.1, 3, 2e5, 0.03 * (i % 3) + 0.17 * (i % 2), 0.0512 + 0.1015 * (i / 2), 0.02 * (i % 5));
}

/* sheets on boxes, of which one is rigid, a fast one, and a surface in a lattice: nodes, springs, membranes, frames */
static void scene_mixed(ct_world *w)
{
    ct_mesh sheet = mesh_grid(0.5, 0.5, 16, 16), block = mesh_box(0.12, 0.12, 0.12, 2, 2, 2, 0), ball, lattice;
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_soft_desc s = ct_soft_desc_default();
    ct_body_id id;
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "lower", 0.2, 3, 1e5, 0, 0.1012, 0);
    mesh_place(&block, 0.1, 0.2, 0.08, 0.1);
    r.mesh = &block;
    assert_int_equal(ct_body_add_rigid(w, &r, &id), CT_OK);
    memset(&ball, 0, sizeof ball), memset(&lattice, 0, sizeof lattice);
    assert_int_equal(ct_mesh_sphere((ct_real)0.08, 2, &ball, NULL), CT_OK);
    mesh_place(&ball, 0, -0.2, 0.09, 0);
    assert_int_equal(ct_mesh_tetrahedralize(&ball, (ct_real)0.05, &lattice, NULL), CT_OK);
    s.mesh = &lattice, s.surface = &ball;
    s.material.young = 1e5;
    assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
    mesh_place(&sheet, 0, 0, 0.21, 0);
    add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.3);
    mesh_place(&sheet, 0.02, 0, 0.02, 0);
    add_cloth_mesh(w, "springs", &sheet, CT_MODEL_SPRINGS, 0.3);
    ct_mesh_free(&sheet);
    sheet = mesh_box(0.08, 0.08, 0.08, 2, 2, 2, 1);
    mesh_place(&sheet, 0.4, 0.02, 0.4, 0);
    add_soft_mesh(w, "fast", &sheet, 2e5, 0, -6, 0);
    ct_mesh_free(&sheet), ct_mesh_free(&block), ct_mesh_free(&ball), ct_mesh_free(&lattice);
}

/* of the barrier stepper: soft boxes, a rigid one, a sheet and grains, all of which touch something from the first steps on */
static void scene_barrier(ct_world *w)
{
    ct_real x[24];
    ct_mesh sheet = mesh_grid(0.3, 0.3, 8, 8), block = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0), grains;
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_points_desc p = ct_points_desc_default();
    int i;
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 4; i++)
        add_soft_box(w, "box", 0.1, 2, 2e5, 0.11 * (i % 2), 0.0506, 0.11 * (i / 2));
    r.mesh = &block, r.position[0] = r.position[2] = (ct_real)0.055, r.position[1] = (ct_real)0.152;
    assert_int_equal(ct_body_add_rigid(w, &r, NULL), CT_OK);
    mesh_place(&sheet, 0, 0.055, 0.203, 0.055);
    add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.3);
    for (i = 0; i < 8; i++)
        x[3 * i] = (ct_real)(0.02 * (i % 3)), x[3 * i + 1] = (ct_real)0.21, x[3 * i + 2] = (ct_real)(0.02 * (i / 3));
    memset(&grains, 0, sizeof grains);
    grains.positions = x, grains.n_positions = 8;
    p.mesh = &grains, p.radius = (ct_real)6e-3;
    assert_int_equal(ct_body_add_points(w, &p, NULL), CT_OK);
    ct_mesh_free(&sheet), ct_mesh_free(&block);
}

enum { STEPS = FEW ? 5 : 10, SHORT = FEW ? 5 : 5, SCENE_BARRIER = 3, SCENES = 4 };

/* hashes of every step of one scene under one system */
static void run_world(int scene, system_kind kind, int workers, int steps, uint64_t *hash, int *out_loops)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    user_system t;
    one_thread owner;
    ct_world *w;
    int k;
    memset(&t, 0, sizeof t), memset(&owner, 0, sizeof owner);
    owner.owner = pthread_self();
    d.allocator.resize = one_thread_resize, d.allocator.user = &owner;
    d.stepper = scene == SCENE_BARRIER ? CT_STEPPER_BARRIER : CT_STEPPER_CMR;
    d.broad_phase = scene == 2 ? CT_BROAD_HASH : CT_BROAD_TREE;
    t.kind = kind, t.workers = workers;
    d.tasks.worker_count = workers;
    if (kind > SYSTEM_POOL)
        d.tasks.enqueue = user_enqueue, d.tasks.finish = user_finish, d.tasks.user = &t;
    w = world_make(&d);
    if (scene == 0)
        scene_heap(w);
    else if (scene == SCENE_BARRIER)
        scene_barrier(w);
    else
        scene_mixed(w);
    for (k = 0; k < steps; k++) {
        ct_step_report r = step_once(w, 0.01);
        hash[k] = ct_world_hash(w);
        assert_true(k < steps - 1 || r.contacts > 15); /* 20: crossings of flat edges have no rows of their own */
    }
    assert_int_equal(count_intersections(w), 0);
    ct_world_destroy(w);
    assert_int_equal(owner.strangers, 0);
    assert_int_equal(t.open, 0);
    *out_loops = t.loops;
}

static void every_task_system_gives_the_same_bits(void **state)
{
    /* the third scene is the second with another broad phase: some systems, few steps; so it is with the barrier stepper's */
    static const struct {
        system_kind kind;
        int workers, steps, scenes;
    } runs[] = {{SYSTEM_NONE, 1, STEPS, 3},
#if !defined(__SANITIZE_ADDRESS__)
                {SYSTEM_POOL, 2, SHORT, 3},
#endif
                {SYSTEM_POOL, FEW ? 4 : 7, STEPS, 3},
#if !FEW
                {SYSTEM_POOL, 32, SHORT, 2}, {SYSTEM_BACKWARDS, 3, SHORT, 2}, {SYSTEM_AT_ONCE, 2, SHORT, 2}, {SYSTEM_THREADS, 4, SHORT, 2},
#endif
    };
    int scene, k, i, loops;
    (void)state;
    for (scene = 0; scene < SCENES; scene++) {
        uint64_t want[STEPS], hash[STEPS];
        for (k = 0; k < (int)(sizeof runs / sizeof *runs); k++) {
            int steps = scene < 2 || runs[k].steps < SHORT ? runs[k].steps : SHORT;
            if (scene >= runs[k].scenes && !(scene == SCENE_BARRIER && runs[k].scenes == 3))
                continue;
            run_world(scene, runs[k].kind, runs[k].workers, steps, k ? hash : want, &loops);
            if (runs[k].kind > SYSTEM_POOL)
                assert_true(loops > 4 * steps);
            for (i = 0; k && i < steps; i++) {
                if (hash[i] != want[i])
                    print_message("scene %d, system %d, %d workers: step %d differs\n", scene, (int)runs[k].kind, runs[k].workers, i);
                assert_true(hash[i] == want[i]);
            }
        }
    }
}

/* ---- creation ---- */

static void wrong_tasks_are_refused(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    ct_error_info e;
    (void)state;
    d.tasks.worker_count = -1;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "worker_count"));
    d.tasks.worker_count = 257;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_true(e.value == 257);
    d.tasks.worker_count = 2, d.tasks.enqueue = user_enqueue;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "finish"));
    assert_null(w);
}

/* memory runs out at any allocation while a world with threads is created */
static void a_refused_creation_leaves_nothing(void **state)
{
    int k, made = 0;
    (void)state;
    for (k = 1; !made; k++) {
        books b;
        ct_world_desc d;
        ct_world *w = NULL;
        ct_error_info e;
        memset(&b, 0, sizeof b);
        d = world_desc(1e-3, 0.4, &b);
        d.tasks.worker_count = 4;
        b.fail_at = k;
        made = ct_world_create(&d, &w, &e) == CT_OK;
        assert_int_equal(made, b.refused == 0);
        if (!made)
            assert_int_equal(e.code, CT_ERR_MEMORY);
        ct_world_destroy(w);
        assert_true(b.live == 0 && b.blocks == 0 && b.wrong == 0);
    }
    assert_true(k > 3);
}

#if !THREAD_SANITIZED
static void a_thread_that_does_not_start_is_an_error(void **state)
{
    int k;
    (void)state;
    for (k = 1; k <= 4; k++) {
        books b;
        ct_world_desc d;
        ct_world *w = NULL;
        ct_error_info e;
        ct_code code;
        memset(&b, 0, sizeof b);
        d = world_desc(1e-3, 0.4, &b);
        d.tasks.worker_count = 4;
        starts = 0, fail_start = k;
        code = ct_world_create(&d, &w, &e);
        fail_start = 0;
        assert_int_equal(code, k < 4 ? CT_ERR_MEMORY : CT_OK);
        assert_int_equal(starts, k < 4 ? k : 3);
        if (k < 4) {
            assert_null(w);
            assert_int_equal(e.element, k);
            assert_true(e.value == EAGAIN);
            assert_non_null(strstr(e.text, "thread"));
        }
        ct_world_destroy(w);
        assert_true(b.live == 0 && b.blocks == 0 && b.wrong == 0);
    }
}
#endif

static volatile sig_atomic_t handled;
static void handle(int number) { (void)number, handled++; }

/* the process gets a signal that the calling thread blocks: no thread of the world runs the handler */
static void workers_take_no_signals(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    struct timespec moment = {0, 20000000};
    struct sigaction action, former;
    sigset_t one, mine;
    ct_world *w;
    (void)state;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGUSR1, &action, &former);
    d.tasks.worker_count = 4;
    w = world_make(&d);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, &mine);
    handled = 0;
    kill(getpid(), SIGUSR1);
    nanosleep(&moment, NULL);
    assert_int_equal(handled, 0);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    assert_int_equal(handled, 1);
    ct_world_destroy(w);
    sigaction(SIGUSR1, &former, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_runs_every_item_once),
        cmocka_unit_test(short_loops_follow_each_other),
        cmocka_unit_test(runs_of_a_cluster_keep_their_order),
        cmocka_unit_test(wrong_tasks_are_refused),
        cmocka_unit_test(a_refused_creation_leaves_nothing),
#if !THREAD_SANITIZED
        cmocka_unit_test(a_thread_that_does_not_start_is_an_error),
#endif
        cmocka_unit_test(workers_take_no_signals),
        cmocka_unit_test(every_task_system_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
