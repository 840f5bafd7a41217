/* test_bvh.c -- box trees of every size against all pairs; order of pairs against a plain sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../src/5_mesh/bvh.h"
#include "../src/5_mesh/pairsort.h"

static uint32_t test_seed = 31;
static int test_random(int n)
{
    test_seed = test_seed * 1664525u + 1013904223u;
    return (int)((test_seed >> 8) % (uint32_t)n);
}

static int test_compare(const void *a, const void *b)
{
    const int32_t *p = (const int32_t *)a, *q = (const int32_t *)b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : (p[1] != q[1] ? (p[1] < q[1] ? -1 : 1) : 0);
}

static void test_order(void **state)
{
    static const int limits[] = {1, 2, 3, 100, 2048, 2049, 70000, INT32_MAX};
    cti_mem mem;
    int32_t *scratch = NULL;
    int round, i;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    for (round = 0; round < 300; round++) {
        int n = test_random(round % 2 ? 40 : 3000), a = limits[test_random(8)], b = limits[test_random(8)];
        int32_t *p = (int32_t *)malloc(2 * sizeof *p * (size_t)(n + 1)), *q = (int32_t *)malloc(2 * sizeof *q * (size_t)(n + 1));
        assert_true(p && q);
        for (i = 0; i < n; i++) {
            p[2 * i] = q[2 * i] = (int32_t)(((uint32_t)test_random(1 << 16) << 15 ^ (uint32_t)test_random(1 << 16)) % (uint32_t)a);
            p[2 * i + 1] = q[2 * i + 1] = (int32_t)(((uint32_t)test_random(1 << 16) << 15 ^ (uint32_t)test_random(1 << 16)) % (uint32_t)b);
        }
        assert_true(cti_pairsort(&mem, p, n, a, b, &scratch));
        qsort(q, (size_t)n, 2 * sizeof *q, test_compare);
        for (i = 0; i < 2 * n; i++)
            assert_int_equal(p[i], q[i]);
        free(p), free(q);
    }
    CTI_FREE(&mem, scratch);
    assert_int_equal(mem.bytes_live, 0);
}

/* A tree over n points with random boxes at the start and at the end. */
enum { TEST_MOST = 1300 };
typedef struct test_tree {
    cti_bvh tree;
    float boxes[16 * TEST_MOST], packed[8 * TEST_MOST + 40];
    int n, moving, still; /* still: the tree has no boxes at the end of the motion, the vertices' boxes have none either, and they do not begin at
                             0 */
} test_tree;

static cti_boxes test_boxes_of(test_tree *t)
{
    cti_boxes b;
    int i;
    b.at = t->still ? t->packed : t->boxes, b.base = t->still ? 40 : 0, b.stride = t->still ? 8 : 16;
    for (i = 0; i < t->n; i++)
        memcpy(t->packed + 40 + 8 * i, t->boxes + 16 * i, 8 * sizeof *t->packed);
    return b;
}

static void test_boxes(test_tree *t, float size)
{
    int i, k;
    for (i = 0; i < t->n; i++) {
        for (k = 0; k < 6; k++) {
            float lo = (float)test_random(1000) / 100, w = size * (float)test_random(100) / 100, *box = t->boxes + 16 * i + k / 3 * 8;
            box[k % 3] = lo;
            box[4 + k % 3] = -(lo + w);
            box[3] = box[7] = 0;
        }
        if (!t->moving)
            memcpy(t->boxes + 16 * i + 8, t->boxes + 16 * i, 8 * sizeof *t->boxes);
    }
}

static void test_build(cti_mem *mem, cti_forest *forest, test_tree *t, int n, int equal)
{
    cti_bvh_item *items = NULL;
    int i, k;
    t->n = n;
    assert_true(CTI_RESIZE(mem, items, n));
    for (i = 0; i < n; i++) {
        items[i].id = i;
        for (k = 0; k < 3; k++)
            items[i].at[k] = equal ? 1 : (ct_real)test_random(50);
    }
    assert_true(cti_bvh_build(mem, forest, &t->tree, items, n, t->still));
    CTI_FREE(mem, items);
    assert_int_equal(t->tree.n_items, n);
}

/* boxes that are apart: one above the other along an axis, at the start and at the end */
static int test_overlap(const float *a, const float *b)
{
    int k;
    for (k = 0; k < 3; k++)
        if ((a[k] > -b[4 + k] && a[8 + k] > -b[12 + k]) || (b[k] > -a[4 + k] && b[8 + k] > -a[12 + k]))
            return 0;
    return 1;
}

static void test_pairs(cti_mem *mem, const cti_forest *forest, const test_tree *a, const test_tree *b)
{
    int32_t *got = NULL, *scratch = NULL;
    int i, j, n = 0;
    assert_true(cti_bvh_pairs(mem, forest, &a->tree, &b->tree, &got));
    if (a == b)
        for (i = 0; i < CTI_LEN(got) / 2; i++)
            if (got[2 * i] > got[2 * i + 1]) {
                int32_t s = got[2 * i];
                got[2 * i] = got[2 * i + 1], got[2 * i + 1] = s;
            }
    assert_true(cti_pairsort(mem, got, CTI_LEN(got) / 2, TEST_MOST, TEST_MOST, &scratch));
    for (i = 0; i < a->n; i++)
        for (j = a == b ? i + 1 : 0; j < b->n; j++)
            if (test_overlap(a->boxes + 16 * i, b->boxes + 16 * j)) {
                assert_true(n < CTI_LEN(got) / 2);
                assert_int_equal(got[2 * n], i);
                assert_int_equal(got[2 * n + 1], j);
                n++;
            }
    assert_int_equal(CTI_LEN(got), 2 * n);
    CTI_FREE(mem, got);
    CTI_FREE(mem, scratch);
}

static void test_trees(void **state)
{
    static const int sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 100, 511, 512, 513, 1299};
    test_tree *a = (test_tree *)malloc(sizeof *a), *b = (test_tree *)malloc(sizeof *b);
    cti_forest forest;
    cti_mem mem;
    int i, j;
    CTI_UNUSED(state);
    assert_true(a && b);
    cti_mem_init(&mem, NULL);
    memset(&forest, 0, sizeof forest);
    for (i = 0; i < 14; i++)
        for (j = 0; j < 14; j += 1 + (i > 10)) {
            float size = j % 2 ? 1.0f : 0.2f;
            a->moving = (i + j) % 2, b->moving = j % 3 < 2;
            a->still = !a->moving && i % 3 > 0, b->still = !b->moving && i % 2;
            cti_forest_clear(&forest);
            test_build(&mem, &forest, a, sizes[i], j % 3 == 0);
            test_build(&mem, &forest, b, sizes[j], 0);
            test_boxes(a, size);
            test_boxes(b, size);
            cti_bvh_refit(&forest, &a->tree, test_boxes_of(a), a->moving, NULL, 1);
            cti_bvh_refit(&forest, &b->tree, test_boxes_of(b), b->moving, NULL, 1);
            /* the second refit leaves nothing of the first */
            test_boxes(a, size);
            cti_bvh_refit(&forest, &a->tree, test_boxes_of(a), a->moving, NULL, 1);
            test_pairs(&mem, &forest, a, b);
            test_pairs(&mem, &forest, a, a);
        }
    cti_forest_free(&mem, &forest);
    assert_int_equal(mem.bytes_live, 0);
    free(a), free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
