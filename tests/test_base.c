/* test_base.c -- src/0_base: allocation with failures injected, arrays, arena, log, sort, tasks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "../src/0_base/arena.h"
#include "../src/0_base/array.h"
#include "../src/0_base/log.h"
#include "../src/0_base/sort.h"
#include "../src/0_base/tasks.h"

/* an allocator whose n-th request fails, and which tracks what is allocated */
typedef struct failing {
    long fail_at, calls;
    size_t live;
    int wrong_sizes;
} failing;

static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = (failing *)user;
    size_t *raw = block ? (size_t *)block - 2 : NULL;
    if (raw && raw[0] != old_size)
        f->wrong_sizes++;
    if (new_size == 0) {
        if (raw)
            f->live -= raw[0];
        free(raw);
        return NULL;
    }
    if (++f->calls == f->fail_at)
        return NULL;
    raw = (size_t *)realloc(raw, new_size + 2 * sizeof *raw);
    if (!raw)
        return NULL;
    f->live += new_size - (block ? old_size : 0);
    raw[0] = new_size;
    return raw + 2;
}

static void failing_start(failing *f, cti_mem *mem, long fail_at)
{
    ct_allocator a;
    memset(f, 0, sizeof *f);
    f->fail_at = fail_at;
    a.resize = failing_resize;
    a.user = f;
    cti_mem_init(mem, &a);
}

static uint64_t lcg_state = 1;
static uint32_t lcg(void)
{
    lcg_state = lcg_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(lcg_state >> 33);
}

static void test_mem_books(void **state)
{
    failing f;
    cti_mem mem;
    void *p, *q;
    (void)state;
    failing_start(&f, &mem, 3);
    p = cti_mem_resize(&mem, NULL, 0, 100);
    assert_non_null(p);
    q = cti_mem_resize(&mem, p, 100, 50);
    assert_non_null(q);
    assert_int_equal(mem.bytes_live, 50);
    assert_int_equal(mem.bytes_peak, 100);
    assert_int_equal(mem.failed, 0);
    assert_null(cti_mem_resize(&mem, q, 50, 200)); /* the third request fails; the block stays */
    assert_int_equal(mem.failed, 1);
    assert_int_equal(mem.bytes_live, 50);
    assert_null(cti_mem_resize(&mem, q, 50, 0));
    assert_int_equal(mem.bytes_live, 0);
    assert_int_equal(f.live, 0);
    assert_int_equal(f.wrong_sizes, 0);
    assert_int_equal(mem.n_calls, 3);
    assert_null(cti_mem_resize(&mem, NULL, 0, (size_t)-1));
}

/* what is in a part of a memory goes at once, also a block that grew by another part's name; what is freed before is not freed twice */
static void parts_of_a_memory_are_released_at_once(void **state)
{
    cti_mem whole, a, b;
    int *x = NULL, *y = NULL, *z = NULL;
    void *block;
    (void)state;
    cti_mem_init(&whole, NULL);
    cti_mem_open(&a, &whole), cti_mem_open(&b, &whole);
    assert_true(CTI_PUSH(&a, x, 1) && CTI_RESIZE(&a, y, 100) && CTI_RESIZE(&b, z, 10));
    assert_true(CTI_RESIZE(&b, x, 1000) && x[0] == 1);
    CTI_FREE(&a, y);
    block = cti_mem_zero(&b, 64);
    assert_true(block && ((char *)block)[63] == 0);
    assert_null(cti_mem_resize(&b, NULL, 0, SIZE_MAX - 8));
    assert_true(b.failed && whole.failed && !a.failed);
    assert_null(cti_mem_resize(&b, block, 64, SIZE_MAX / 2 + 1)); /* the old block stays */
    cti_mem_release(&a); /* x began there */
    assert_true(whole.bytes_live > 0 && CTI_LEN(z) == 10);
    cti_mem_release(&b);
    assert_true(whole.bytes_live == 0);
    cti_mem_release(&b);
}

static void test_mem_mul(void **state)
{
    size_t r = 7;
    (void)state;
    assert_true(cti_mem_mul(0, (size_t)-1, &r) && r == 0);
    assert_true(cti_mem_mul((size_t)-1, 1, &r) && r == (size_t)-1);
    assert_false(cti_mem_mul((size_t)-1, 2, &r));
    assert_false(cti_mem_mul((size_t)1 << (sizeof(size_t) * 4), (size_t)1 << (sizeof(size_t) * 4), &r));
}

static void test_array(void **state)
{
    failing f;
    cti_mem mem;
    int32_t *a = NULL;
    int i;
    (void)state;
    failing_start(&f, &mem, -1);
    assert_int_equal(CTI_LEN(a), 0);
    for (i = 0; i < 1000; i++)
        assert_true(CTI_PUSH(&mem, a, i * 3));
    assert_int_equal(CTI_LEN(a), 1000);
    for (i = 0; i < 1000; i++)
        assert_int_equal(a[i], i * 3);
    assert_int_equal(stbds_header(a)->length, 1000); /* stb_ds's own header: the user's arrlen reads it */
    CTI_CLEAR(a);
    assert_true(CTI_RESIZE(&mem, a, 5));
    for (i = 0; i < 5; i++)
        assert_int_equal(a[i], 0); /* new elements are zero; old contents do not show */
    assert_true(f.calls < 12);     /* doubling */
    CTI_FREE(&mem, a);
    assert_null(a);
    assert_int_equal(f.live, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static void test_array_failures(void **state)
{
    long at;
    int done = 0;
    (void)state;
    for (at = 1; !done && at < 100; at++) {
        failing f;
        cti_mem mem;
        int64_t *a = NULL;
        int i, ok = 1;
        failing_start(&f, &mem, at);
        for (i = 0; i < 500 && ok; i++) {
            ok = CTI_PUSH(&mem, a, (int64_t)i);
            assert_int_equal(CTI_LEN(a), ok ? i + 1 : i); /* a failed allocation leaves the array unchanged */
        }
        for (i = 0; i < CTI_LEN(a); i++)
            assert_int_equal(a[i], i);
        assert_int_equal(mem.failed, !ok);
        if (!ok) { /* the next request works again */
            assert_true(CTI_PUSH(&mem, a, (int64_t)-1));
        }
        done = ok;
        CTI_FREE(&mem, a);
        assert_int_equal(f.live, 0);
        assert_int_equal(f.wrong_sizes, 0);
    }
    assert_true(done && at > 5);
    {
        cti_mem mem;
        double *a = NULL;
        cti_mem_init(&mem, NULL);
        a = (double *)cti_array_reserve(&mem, a, sizeof *a, (size_t)-1 / 4); /* overflow is a failure, not a small block */
        assert_null(a);
        assert_int_equal(mem.failed, 1);
    }
}

static void test_arena(void **state)
{
    failing f;
    cti_mem mem;
    cti_arena arena;
    long calls;
    int step, i;
    (void)state;
    failing_start(&f, &mem, -1);
    cti_arena_init(&arena, &mem);
    for (step = 0; step < 5; step++) {
        char *last = NULL;
        calls = f.calls;
        for (i = 0; i < 100; i++) {
            size_t n = 1 + (size_t)(i * 37) % 5000, k;
            char *p = CTI_ARENA_ZERO(&arena, char, n);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 64, 0);
            for (k = 0; k < n; k++)
                assert_int_equal(p[k], 0);
            memset(p, 0x5a, n);
            assert_true(!last || *last == 0x5a); /* blocks do not overlap */
            last = p;
        }
        assert_non_null(cti_arena_get(&arena, 0, 8));
        if (step >= 2)
            assert_int_equal(f.calls, calls); /* after the first use no memory is requested */
        cti_arena_reset(&arena);
    }
    assert_null(cti_arena_get(&arena, (size_t)-1, 2));
    cti_arena_free(&arena);
    assert_int_equal(f.live, 0);
    assert_int_equal(f.wrong_sizes, 0);
    failing_start(&f, &mem, 1);
    cti_arena_init(&arena, &mem);
    assert_null(CTI_ARENA_NEW(&arena, double, 10));
    assert_non_null(CTI_ARENA_NEW(&arena, double, 10));
    cti_arena_free(&arena);
    assert_int_equal(f.live, 0);
}

typedef struct log_seen {
    ct_log_level level;
    char text[600];
} log_seen;
static void log_keep(ct_log_level level, const char *text, void *user)
{
    log_seen *s = (log_seen *)user;
    s->level = level;
    strncpy(s->text, text, sizeof s->text - 1);
}

static void test_log(void **state)
{
    log_seen seen;
    cti_logger log;
    ct_error_info e;
    char big[800];
    (void)state;
    memset(&seen, 0, sizeof seen);
    log.fn = NULL, log.user = NULL;
    cti_logger_write(&log, CT_LOG_INFO, "%d", 1); /* elements that were dropped */
    cti_logger_write(NULL, CT_LOG_INFO, "x");
    log.fn = log_keep, log.user = &seen;
    cti_logger_write(&log, CT_LOG_WARNING, "body %s at %d", "jelly", 7);
    assert_int_equal(seen.level, CT_LOG_WARNING);
    assert_string_equal(seen.text, "body jelly at 7");
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = 0;
    cti_logger_write(&log, CT_LOG_INFO, "%s", big);
    assert_int_equal(strlen(seen.text), 511);
    assert_int_equal(cti_error_set(&e, CT_ERR_MESH, 12, 0.5, "tet %d is inverted", 12), CT_ERR_MESH);
    assert_string_equal(e.text, "tet 12 is inverted");
    assert_int_equal(e.element, 12);
    assert_int_equal(e.body.index1, 0);
    cti_error_set(&e, CT_ERR_MESH, 12, -0.5, "it is flat (element: tet, value: volume); turn it");
    assert_string_equal(e.text, "it is flat (tet 12, volume -0.5); turn it");
    cti_error_compose(&e, "a jelly"), cti_error_compose(&e, "a jelly"); /* once */
    assert_string_equal(e.text, "body 'a jelly': it is flat (tet 12, volume -0.5); turn it");
    cti_error_set(&e, CT_ERR_MESH, -1, 1e6, "no room (value: bytes)");
    assert_string_equal(e.text, "no room (bytes 1000000)");
    cti_error_set(&e, CT_ERR_MESH, -1, 0, "no room (element: tet)"), cti_error_compose(&e, "o"), cti_error_compose(&e, "");
    assert_string_equal(e.text, "body 'o': no room");
    cti_error_set(&e, CT_ERR_MEMORY, -1, 0, "%s", big);
    assert_int_equal(strlen(e.text), sizeof e.buffer - 1);
    assert_int_equal(cti_error_set(NULL, CT_ERR_FILE, -1, 0, "x"), CT_ERR_FILE);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : (x[1] > y[1]);
}

static void test_sort(void **state)
{
    static const uint64_t masks[] = {~(uint64_t)0, 0xff, 0x3, 0xff00ff00ull, 0, 0xffffffff00000000ull};
    static const int sizes[] = {0, 1, 2, 47, 48, 49, 1000, 4096};
    static uint64_t keys[4096], tmp[4096], want[4096][2];
    static uint32_t keys32[4096], tmp32[4096];
    static int32_t payload[4096], payload_tmp[4096], payload32[4096];
    size_t m, s;
    (void)state;
    for (m = 0; m < sizeof masks / sizeof *masks; m++)
        for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int n = sizes[s], i;
            for (i = 0; i < n; i++) {
                keys[i] = (((uint64_t)lcg() << 33) ^ lcg()) & masks[m];
                keys32[i] = (uint32_t)keys[i];
                want[i][0] = keys[i], want[i][1] = (uint64_t)i;
                payload[i] = payload32[i] = i;
            }
            cti_sort_u64(keys, payload, tmp, payload_tmp, n);
            qsort(want, (size_t)n, sizeof *want, compare_keys);
            for (i = 0; i < n; i++) {
                assert_true(keys[i] == want[i][0]);
                assert_int_equal(payload[i], want[i][1]); /* the sort is stable */
            }
            for (i = 0; i < n; i++)
                want[i][0] = keys32[i], want[i][1] = (uint64_t)i;
            cti_sort_u32(keys32, payload32, tmp32, payload_tmp, n);
            qsort(want, (size_t)n, sizeof *want, compare_keys);
            for (i = 0; i < n; i++) {
                assert_true(keys32[i] == want[i][0]);
                assert_int_equal(payload32[i], want[i][1]);
            }
            for (i = 0; i < n; i++)
                keys[i] = lcg() & masks[m];
            cti_sort_u64(keys, NULL, tmp, NULL, n);
            for (i = 1; i < n; i++)
                assert_true(keys[i - 1] <= keys[i]);
        }
}

/* lists in rising, falling and random order; keys of numbers sort as the numbers do */
static void test_sort_list(void **state)
{
    static const double rising[] = {-1e300, -2, -1, -1e-300, 0, 5e-324, 1e-300, 1, 2, 1e300};
    int32_t list[200];
    uint64_t seed = 7;
    int n, kind, i, k;
    (void)state;
    for (n = 0; n < 200; n = 3 * n / 2 + 1)
        for (kind = 0; kind < 3; kind++) {
            for (i = 0; i < n; i++)
                list[i] = 3 * (kind == 1 ? n - i : i) - 50;
            for (i = n - 1; kind == 2 && i > 0; i--) {
                int32_t t = list[i];
                seed = seed * 6364136223846793005ull + 1442695040888963407ull;
                k = (int)((seed >> 33) % (uint64_t)(i + 1));
                list[i] = list[k], list[k] = t;
            }
            cti_sort_list(list, n);
            for (i = 0; i < n; i++)
                assert_int_equal(list[i], 3 * (kind == 1 ? i + 1 : i) - 50);
        }
    for (i = 0; i < 10; i++)
        for (k = 0; k < 10; k++)
            assert_int_equal(cti_sort_key(rising[i]) < cti_sort_key(rising[k]), i < k);
    assert_true(cti_sort_key(0.0) == cti_sort_key(-0.0));
}

static void test_sort_unique(void **state)
{
    uint64_t keys[6] = {1, 1, 2, 5, 5, 5};
    int32_t payload[6] = {10, 11, 12, 13, 14, 15};
    (void)state;
    assert_int_equal(cti_sort_unique_u64(keys, payload, 6), 3);
    assert_true(keys[0] == 1 && keys[1] == 2 && keys[2] == 5);
    assert_true(payload[0] == 10 && payload[1] == 12 && payload[2] == 13);
    assert_int_equal(cti_sort_unique_u64(keys, NULL, 0), 0);
}

/* a task system that runs blocks backwards, as workers 0..2 in turn, when it is asked to finish */
typedef struct fake_tasks {
    ct_task_fn *fn;
    void *context;
    int count, min_range, pending, at_once;
} fake_tasks;
static void *fake_enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    fake_tasks *t = (fake_tasks *)user;
    if (t->at_once) {
        fn(0, count, 0, context);
        return NULL;
    }
    t->fn = fn, t->count = count, t->min_range = min_range, t->context = context, t->pending++;
    return t;
}
static void fake_finish(void *task, void *user)
{
    fake_tasks *t = (fake_tasks *)task;
    int end = t->count, worker = 0;
    assert_ptr_equal(task, user);
    while (end > 0) {
        int begin = end - t->min_range < t->min_range ? 0 : end - t->min_range;
        t->fn(begin, end, worker++ % 3, t->context);
        end = begin;
    }
    t->pending--;
}
static void mark(int begin, int end, int worker, void *context)
{
    int *seen = (int *)context;
    assert_in_range(worker, 0, 2);
    for (; begin < end; begin++)
        seen[begin]++;
}

static void test_tasks(void **state)
{
    fake_tasks fake;
    ct_tasks tasks;
    int seen[1000], mode, i, n;
    (void)state;
    memset(&fake, 0, sizeof fake);
    memset(&tasks, 0, sizeof tasks);
    assert_int_equal(cti_tasks_workers(NULL), 1);
    assert_int_equal(cti_tasks_workers(&tasks), 1);
    for (mode = 0; mode < 4; mode++) {
        if (mode == 1)
            tasks.enqueue = fake_enqueue, tasks.finish = fake_finish, tasks.worker_count = 3, tasks.user = &fake;
        fake.at_once = mode == 2;
        for (n = 0; n <= 1000; n += 125) {
            memset(seen, 0, sizeof seen);
            cti_tasks_run(mode == 3 ? NULL : &tasks, mark, n, 10, seen);
            for (i = 0; i < 1000; i++)
                assert_int_equal(seen[i], i < n);
        }
        assert_int_equal(fake.pending, 0);
    }
    assert_int_equal(fake.min_range, 10);
    assert_int_equal(cti_tasks_workers(&tasks), 3);
}

static void test_finite(void **state)
{
    uint64_t nan_bits = 0x7ff8000000000001ull, inf_bits = 0xfff0000000000000ull;
    double nan_value, inf_value;
    (void)state;
    memcpy(&nan_value, &nan_bits, sizeof nan_value);
    memcpy(&inf_value, &inf_bits, sizeof inf_value);
    assert_false(cti_finite64(nan_value));
    assert_false(cti_finite64(inf_value));
    assert_true(cti_finite64(1e308) && cti_finite64(0) && cti_finite64(-5e-324));
    assert_false(cti_finite32((float)inf_value));
    assert_true(cti_finite32(3e38f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mem_books), cmocka_unit_test(parts_of_a_memory_are_released_at_once),      cmocka_unit_test(test_mem_mul),     cmocka_unit_test(test_array),
        cmocka_unit_test(test_array_failures), cmocka_unit_test(test_arena),       cmocka_unit_test(test_log),
        cmocka_unit_test(test_sort),           cmocka_unit_test(test_sort_list), cmocka_unit_test(test_sort_unique), cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
