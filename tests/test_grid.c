/* test_grid.c -- the spatial hash against brute force over boxes of all sizes, far away and at both ends of a motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../src/5_mesh/grid.h"
#include "../src/5_mesh/pairsort.h"

static uint32_t test_seed = 11;
static uint32_t test_next(void)
{
    test_seed = test_seed * 1664525u + 1013904223u;
    return test_seed >> 8;
}
static int test_random(int n) { return (int)(test_next() % (uint32_t)n); }
static float test_unit(void) { return (float)(test_next() % 65536u) / 65536; }

/* boxes of kind 0: similar sizes; 1: sizes over four decades; 2: clusters far apart; 3: a lattice, touching; 4: all the same; 5: without bounds */
static void test_items(cti_mem *mem, cti_grid_items *s, int kind, int moving)
{
    int i, k;
    s->n = 1 + test_random(kind == 1 ? 150 : 400);
    assert_true(CTI_RESIZE(mem, s->id, s->n) && CTI_RESIZE(mem, s->body, s->n) && CTI_RESIZE(mem, s->flags, s->n) &&
                CTI_RESIZE(mem, s->boxes, 12 * s->n));
    for (i = 0; i < s->n; i++) {
        float *box = s->boxes + 12 * i, size = 0.1f;
        float far[3] = {0, 0, 0};
        s->id[i] = i, s->body[i] = test_random(6);
        s->flags[i] = (uint8_t)(s->body[i] % 3 ? CTI_GRID_DYNAMIC | (s->body[i] % 2 ? CTI_GRID_SELF : 0) : 0);
        for (k = test_random(4); kind == 1 && k > 0; k--)
            size *= 10;
        for (k = 0; kind == 2 && k < 3; k++)
            far[k] = (float)(test_random(3) - 1) * 1e7f;
        for (k = 0; k < 3; k++) {
            float at = kind == 3 ? (float)test_random(5) : (kind == 4 ? 1 : far[k] + test_unit()), to;
            float d = kind == 3 || kind == 4 ? 1 : size * test_unit();
            if (kind == 5 && test_random(10) == 0)
                at = test_random(2) ? -1e38f : 1e38f, d = test_random(2) ? 0 : 1e37f;
            to = at + (moving ? test_unit() - 0.5f : 0);
            box[k] = at - d, box[3 + k] = at, box[6 + k] = to - d, box[9 + k] = to;
        }
    }
}

static int test_overlap(const float *a, const float *b)
{
    int k;
    for (k = 0; k < 3; k++)
        if ((a[k] > b[3 + k] && a[6 + k] > b[9 + k]) || (b[k] > a[3 + k] && b[6 + k] > a[9 + k]))
            return 0;
    return 1;
}

static void test_against_brute_force(void **state)
{
    cti_grid g;
    cti_mem mem;
    int32_t *got = NULL, *scratch = NULL;
    int round, i, j, n, large = 0, total = 0;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    memset(&g, 0, sizeof g);
    for (round = 0; round < 120; round++) {
        int self = round % 2, moving = round / 2 % 2, kind = round / 4 % 6, m;
        test_items(&mem, &g.a, kind, moving);
        test_items(&mem, &g.b, round % 16 == 0 ? 0 : kind, moving);
        assert_true(cti_grid_pairs(&mem, &g, self, moving, &got));
        m = CTI_LEN(got) / 2;
        for (i = 0; self && i < m; i++)
            if (got[2 * i] > got[2 * i + 1])
                j = got[2 * i], got[2 * i] = got[2 * i + 1], got[2 * i + 1] = j;
        assert_true(cti_pairsort(&mem, got, m, 1000, 1000, &scratch));
        for (i = n = 0; i < g.a.n; i++)
            for (j = self ? i + 1 : 0; j < (self ? g.a.n : g.b.n); j++) {
                const cti_grid_items *b = self ? &g.a : &g.b;
                if (!test_overlap(g.a.boxes + 12 * i, b->boxes + 12 * j) || !((g.a.flags[i] | b->flags[j]) & CTI_GRID_DYNAMIC) ||
                    (g.a.body[i] == b->body[j] && !(g.a.flags[i] & CTI_GRID_SELF)))
                    continue;
                assert_true(n < m);
                assert_int_equal(got[2 * n], i);
                assert_int_equal(got[2 * n + 1], j);
                n++;
            }
        assert_int_equal(n, m);
        total += n, large += CTI_LEN(g.a.large);
    }
    assert_true(total > 10000 && large > 100);
    /* nothing in it */
    g.a.n = 0;
    assert_true(cti_grid_pairs(&mem, &g, 1, 0, &got) && CTI_LEN(got) == 0);
    assert_true(cti_grid_pairs(&mem, &g, 0, 0, &got) && CTI_LEN(got) == 0);
    CTI_FREE(&mem, got);
    CTI_FREE(&mem, scratch);
    cti_grid_free(&mem, &g);
    assert_int_equal(mem.bytes_live, 0);
}

/* boxes of one size in a box of space: few tests, not one for every pair */
static void test_sparse(void **state)
{
    cti_grid g;
    cti_mem mem;
    int32_t *got = NULL;
    int i, k, most = 0;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    memset(&g, 0, sizeof g);
    g.a.n = 8000;
    assert_true(CTI_RESIZE(&mem, g.a.id, g.a.n) && CTI_RESIZE(&mem, g.a.body, g.a.n) && CTI_RESIZE(&mem, g.a.flags, g.a.n) &&
                CTI_RESIZE(&mem, g.a.boxes, 12 * g.a.n));
    for (i = 0; i < g.a.n; i++) {
        g.a.body[i] = i, g.a.flags[i] = CTI_GRID_DYNAMIC;
        for (k = 0; k < 3; k++) {
            float at = 20 * test_unit();
            g.a.boxes[12 * i + k] = g.a.boxes[12 * i + 6 + k] = at;
            g.a.boxes[12 * i + 3 + k] = g.a.boxes[12 * i + 9 + k] = at + (i == 0 ? 20 : 0.5f + 0.5f * test_unit());
        }
    }
    assert_true(cti_grid_pairs(&mem, &g, 1, 0, &got));
    /* the large box in no bucket, and no bucket with many boxes */
    assert_int_equal(CTI_LEN(g.a.large), 1);
    for (i = 0; i < g.table; i++)
        most = cti_max_int(most, g.a.start[i + 1] - g.a.start[i]);
    assert_true(most < 100);
    assert_true(g.a.start[g.table] < 10 * g.a.n);
    CTI_FREE(&mem, got);
    cti_grid_free(&mem, &g);
    assert_int_equal(mem.bytes_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_brute_force), cmocka_unit_test(test_sparse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
