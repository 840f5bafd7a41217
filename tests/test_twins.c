/* test_twins.c -- near pairs that are the same contact get one row; those that are not get two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../src/7_contact/memory.h"
#include "../src/7_contact/rows.h"
#include "../src/7_contact/duplicates.h"

enum { TEST_MOST = 16 };
#define TEST_H CTI_R(0.01)

/* Body 0 is above, body 1 below; pairs are written down with their weights. */
typedef struct test_soup {
    cti_surface s;
    cti_surface_body bodies[2];
    cti_soup_body ranges[2];
    int32_t body_of[TEST_MOST];
    uint8_t is_point[TEST_MOST];
    ct_real x[3 * TEST_MOST];
    cti_mem mem;
    cti_arena arena;
    cti_memory memory;
    cti_hit *hits;
} test_soup;

static void test_vertex(test_soup *t, int body, ct_real x, ct_real y, ct_real z)
{
    int v = t->s.nv++;
    t->body_of[v] = body;
    cti_v3_put(t->x, v, cti_v3_make(x, y, z));
    t->ranges[body].v1 = t->s.nv;
}

static int test_begin(void **state)
{
    test_soup *t = (test_soup *)calloc(1, sizeof *t);
    int k;
    if (!t)
        return -1;
    cti_mem_init(&t->mem, NULL);
    cti_arena_init(&t->arena, &t->mem);
    t->s.bodies = t->bodies, t->s.ranges = t->ranges, t->s.n_bodies = 2;
    t->s.body_of = t->body_of, t->s.is_point = t->is_point, t->s.x0 = t->s.x1 = t->s.rest = t->x;
    for (k = 0; k < 2; k++)
        t->bodies[k].thickness = TEST_H, t->bodies[k].id = (uint64_t)k + 1;
    *state = t;
    return 0;
}

static int test_end(void **state)
{
    test_soup *t = (test_soup *)*state;
    CTI_FREE(&t->mem, t->hits);
    cti_memory_free(&t->mem, &t->memory);
    cti_arena_free(&t->arena);
    free(t);
    return 0;
}

/* a pair of n_a and 4 - n_a vertices; its direction is that of its offset */
static void test_pair(test_soup *t, int n_a, const int *v, const ct_real *w)
{
    cti_hit hit;
    int k;
    memset(&hit, 0, sizeof hit);
    hit.pair.kind = n_a == 1 ? CT_PAIR_VF : CT_PAIR_EE, hit.pair.n_a = n_a, hit.pair.n = 4;
    for (k = 0; k < 4; k++)
        hit.pair.v[k] = v[k], hit.pair.w[k] = w[k];
    hit.normal = cti_v3_unit(cti_pair_offset(&t->s, t->x, &hit.pair), cti_v3_make(0, 0, 0));
    assert_true(CTI_PUSH(&t->mem, t->hits, hit));
}

static void test_face(test_soup *t, int v, int a, int b, int c, ct_real wa, ct_real wb, ct_real wc)
{
    int q[4];
    ct_real w[4];
    q[0] = v, q[1] = a, q[2] = b, q[3] = c;
    w[0] = 1, w[1] = -wa, w[2] = -wb, w[3] = -wc;
    test_pair(t, 1, q, w);
}

static void test_edges(test_soup *t, int a, int b, int c, int d, ct_real at, ct_real on)
{
    int q[4];
    ct_real w[4];
    q[0] = a, q[1] = b, q[2] = c, q[3] = d;
    w[0] = 1 - at, w[1] = at, w[2] = on - 1, w[3] = -on;
    test_pair(t, 2, q, w);
}

static int test_cull(test_soup *t)
{
    assert_true(cti_duplicates_cull(&t->arena, &t->s, &t->memory, t->hits));
    return CTI_LEN(t->hits);
}

/* the last step had this pair, with the same or the opposite direction */
static void test_remember(test_soup *t, int hit, ct_real sign)
{
    cti_memory_item item;
    memset(&item, 0, sizeof item);
    item.key = cti_pair_key(&t->s, &t->hits[hit].pair);
    cti_v3_put(item.normal, 0, cti_v3_mul(t->hits[hit].normal, sign));
    assert_true(cti_memory_add(&t->mem, &t->memory, &item));
}

/* the square 1 2 3 4 under vertex 0, with the diagonal 1 3 */
static void test_square(test_soup *t, ct_real size, ct_real x, ct_real z)
{
    test_vertex(t, 0, x, TEST_H, z);
    test_vertex(t, 1, 0, 0, 0), test_vertex(t, 1, size, 0, 0), test_vertex(t, 1, size, 0, size), test_vertex(t, 1, 0, 0, size);
}

/* on the diagonal both triangles have the same closest point: the pair with the nearer one stays, which has the point inside */
static void test_diagonal(void **state)
{
    test_soup *t = (test_soup *)*state;
    test_square(t, 1, CTI_R(0.5), CTI_R(0.49));
    test_face(t, 0, 1, 3, 4, CTI_R(0.505), CTI_R(0.495), 0);
    test_face(t, 0, 1, 2, 3, CTI_R(0.5), CTI_R(0.01), CTI_R(0.49));
    assert_int_equal(test_cull(t), 1);
    assert_int_equal(t->hits[0].pair.v[2], 2);
    assert_true(t->hits[0].before == 0);
}

/* the load that the contact had as the other pair is kept */
static void test_hand_over(void **state)
{
    test_soup *t = (test_soup *)*state;
    uint64_t key;
    test_square(t, 1, CTI_R(0.5), CTI_R(0.49));
    test_face(t, 0, 1, 3, 4, CTI_R(0.505), CTI_R(0.495), 0);
    test_face(t, 0, 1, 2, 3, CTI_R(0.5), CTI_R(0.01), CTI_R(0.49));
    test_remember(t, 0, 1);
    key = cti_pair_key(&t->s, &t->hits[0].pair);
    assert_int_equal(test_cull(t), 1);
    assert_int_equal(t->hits[0].pair.v[2], 2);
    assert_true(t->hits[0].before == key);
    /* a pair with a load of its own keeps that */
    test_face(t, 0, 1, 3, 4, CTI_R(0.505), CTI_R(0.495), 0);
    t->hits[0].before = 0;
    test_remember(t, 0, 1);
    assert_int_equal(test_cull(t), 1);
    assert_true(t->hits[0].before == 0);
}

/* of several pairs with load the nearest hands it over */
static void test_nearest_hands_over(void **state)
{
    test_soup *t = (test_soup *)*state;
    uint64_t key;
    int k;
    test_square(t, 1, CTI_R(0.5), CTI_R(0.49));
    test_vertex(t, 0, CTI_R(0.5), 1, CTI_R(0.49));
    test_edges(t, 0, 5, 1, 3, 0, CTI_R(0.49));
    test_face(t, 0, 1, 3, 4, CTI_R(0.505), CTI_R(0.495), 0);
    test_face(t, 0, 1, 2, 3, CTI_R(0.5), CTI_R(0.01), CTI_R(0.49));
    for (k = 0; k < 3; k++)
        t->hits[k].normal = cti_v3_make(0, 1, 0);
    test_remember(t, 0, 1), test_remember(t, 1, 1);
    key = cti_pair_key(&t->s, &t->hits[1].pair);
    assert_int_equal(test_cull(t), 1);
    assert_int_equal(t->hits[0].pair.v[2], 2);
    assert_true(t->hits[0].before == key);
}

/* the same where the other pair has the sides exchanged; a load whose direction has reversed is dropped */
static void test_swapped(void **state)
{
    test_soup *t = (test_soup *)*state;
    uint64_t key;
    int k;
    test_vertex(t, 0, 0, TEST_H, 0), test_vertex(t, 0, 1, TEST_H, 0), test_vertex(t, 0, 0, TEST_H, 1);
    test_vertex(t, 1, 0, 0, 0), test_vertex(t, 1, -1, 0, 0), test_vertex(t, 1, 0, 0, -1);
    for (k = 0; k < 2; k++) {
        CTI_CLEAR(t->hits);
        cti_memory_clear(&t->memory);
        test_face(t, 0, 3, 4, 5, 1, 0, 0);
        test_face(t, 3, 0, 1, 2, 1, 0, 0);
        assert_true(cti_v3_dot(t->hits[0].normal, t->hits[1].normal) < CTI_R(-0.99));
        test_remember(t, 1, k ? -1 : 1);
        key = cti_pair_key(&t->s, &t->hits[1].pair);
        assert_int_equal(test_cull(t), 1);
        assert_int_equal(t->hits[0].pair.v[0], 0);
        assert_true(t->hits[0].before == (k ? 0 : key));
    }
}

/* a large face: a small share of it is far away, and no duplicate */
static void test_large(void **state)
{
    test_soup *t = (test_soup *)*state;
    test_square(t, 10, 5, CTI_R(4.8));
    test_face(t, 0, 1, 3, 4, CTI_R(0.51), CTI_R(0.49), 0);
    test_face(t, 0, 1, 2, 3, CTI_R(0.5), CTI_R(0.02), CTI_R(0.48));
    t->x[1] = 1; /* high enough for the two directions to be nearly one */
    t->hits[0].normal = t->hits[1].normal = cti_v3_make(0, 1, 0);
    assert_int_equal(test_cull(t), 2);
}

/* vertex 0 at the distance `away` from both faces of a groove with this slope, which meet in the edge 1 2 of this length at x = 0; then moved
   aside */
static void test_two_faces(test_soup *t, ct_real rise, ct_real away, ct_real length, ct_real aside)
{
    ct_real n = cti_sqrt(1 + rise * rise), x = rise * away / n;
    test_vertex(t, 0, aside, away * n, 0);
    test_vertex(t, 1, 0, 0, -length / 2), test_vertex(t, 1, 0, 0, length / 2);
    test_vertex(t, 1, 1, rise, 0), test_vertex(t, 1, -1, rise, 0);
    x += aside / (n * n);
    test_face(t, 0, 1, 2, 3, (1 - x) / 2, (1 - x) / 2, x);
    x -= 2 * aside / (n * n);
    test_face(t, 0, 2, 1, 4, (1 - x) / 2, (1 - x) / 2, x);
}

/* Two faces that form a groove have a row each, however near they are, since neither implies the other; if one rises over the other by less than 17
   degrees, the nearer one alone */
static void test_groove(void **state)
{
    test_soup *t = (test_soup *)*state;
    int k, press;
    for (k = 0; k < 2; k++)
        for (press = 1; press <= 5; press += 2) {
            t->s.nv = 0;
            CTI_CLEAR(t->hits);
            test_two_faces(t, k ? (press == 3 ? CTI_R(0.1) : CTI_R(0.01)) : press == 3 ? CTI_R(0.2) : CTI_R(0.4), TEST_H / (ct_real)press, 1, 0);
            assert_true(cti_abs(cti_v3_norm(cti_pair_offset(&t->s, t->x, &t->hits[0].pair)) - TEST_H / (ct_real)press) < CTI_R(1e-6));
            assert_int_equal(test_cull(t), k ? 1 : 2);
        }
}

/* a pair farther along the edge changes nothing: the two sides of a groove stay two contacts */
static void test_groove_beside(void **state)
{
    test_soup *t = (test_soup *)*state;
    cti_hit beside;
    test_two_faces(t, CTI_R(0.414), TEST_H, TEST_H / 3, CTI_R(0.02) * TEST_H);
    beside = t->hits[0];
    beside.pair.w[1] -= CTI_R(0.3), beside.pair.w[2] += CTI_R(0.3);
    beside.normal = cti_v3_make(0, 1, 0);
    assert_true(CTI_PUSH(&t->mem, t->hits, beside));
    assert_int_equal(test_cull(t), 3);
}

/* a vertex remembers all pairs that are kept at it, not only the last one */
static void test_groove_again(void **state)
{
    test_soup *t = (test_soup *)*state;
    cti_hit again;
    test_two_faces(t, CTI_R(0.414), TEST_H, 10 * TEST_H, CTI_R(0.02) * TEST_H);
    again = t->hits[0];
    again.pair.w[1] -= CTI_R(0.03), again.pair.w[2] += CTI_R(0.03);
    assert_true(CTI_PUSH(&t->mem, t->hits, again));
    assert_int_equal(test_cull(t), 2);
}

/* a cloth between two sheets: the same vertex, with opposite normals */
static void test_opposite(void **state)
{
    test_soup *t = (test_soup *)*state;
    test_square(t, 1, CTI_R(0.5), CTI_R(0.5));
    test_face(t, 0, 1, 3, 4, CTI_R(0.5), CTI_R(0.5), 0);
    test_face(t, 0, 1, 2, 3, CTI_R(0.5), 0, CTI_R(0.5));
    t->hits[1].normal = cti_v3_make(0, -1, 0);
    assert_int_equal(test_cull(t), 2);
}

/* Two edges along each other: the pairs at both ends represent the edges between them, and an edge that crosses at an end is that contact */
static void test_along(void **state)
{
    test_soup *t = (test_soup *)*state;
    test_vertex(t, 0, CTI_R(0.4), TEST_H, 0), test_vertex(t, 0, CTI_R(1.4), TEST_H, 0), test_vertex(t, 0, CTI_R(0.4), TEST_H, 1);
    test_vertex(t, 1, 0, 0, 0), test_vertex(t, 1, 1, 0, 0), test_vertex(t, 1, 0, 0, -1);
    test_edges(t, 0, 1, 3, 4, CTI_R(0.3), CTI_R(0.7));
    test_edges(t, 0, 2, 3, 4, CTI_R(0.001), CTI_R(0.4));
    test_face(t, 0, 3, 4, 5, CTI_R(0.6), CTI_R(0.4), 0);
    test_face(t, 4, 0, 1, 2, CTI_R(0.4), CTI_R(0.6), 0);
    assert_int_equal(test_cull(t), 2);
    assert_int_equal(t->hits[0].pair.kind + t->hits[1].pair.kind, CT_PAIR_VF + (t->hits[0].pair.n_a == 2 ? CT_PAIR_EE : CT_PAIR_VF));
    /* without the second end the pair of edges keeps its row */
    CTI_CLEAR(t->hits);
    test_edges(t, 0, 1, 3, 4, CTI_R(0.3), CTI_R(0.7));
    test_face(t, 0, 3, 4, 5, CTI_R(0.6), CTI_R(0.4), 0);
    assert_int_equal(test_cull(t), 2);
}

/* within a body: ends that may come nearer than the edges between them, since they are nearer at rest, do not represent these */
static void test_along_self(void **state)
{
    test_soup *t = (test_soup *)*state;
    ct_real rest[3 * TEST_MOST];
    int k;
    test_vertex(t, 1, CTI_R(0.4), TEST_H, 0), test_vertex(t, 1, CTI_R(1.4), TEST_H, 0), test_vertex(t, 1, CTI_R(0.4), TEST_H, 1);
    test_vertex(t, 1, 0, 0, 0), test_vertex(t, 1, 1, 0, 0), test_vertex(t, 1, 0, 0, -1);
    for (k = 0; k < 2; k++) {
        memcpy(rest, t->x, sizeof rest);
        if (k)
            rest[1] = rest[4] = CTI_R(0.02) * TEST_H, rest[2] = rest[5] = CTI_R(-0.5);
        else
            rest[1] = rest[4] = rest[7] = 1;
        t->s.rest = rest;
        CTI_CLEAR(t->hits);
        test_face(t, 0, 3, 4, 5, CTI_R(0.6), CTI_R(0.4), 0);
        test_face(t, 4, 0, 1, 2, CTI_R(0.4), CTI_R(0.6), 0);
        test_edges(t, 0, 1, 3, 4, CTI_R(0.3), CTI_R(0.7));
        assert_int_equal(test_cull(t), k ? 3 : 2);
    }
}

/* pairs of planes, rods and points are not culled; the order stays */
static void test_others(void **state)
{
    test_soup *t = (test_soup *)*state;
    int k;
    test_square(t, 1, CTI_R(0.5), CTI_R(0.49));
    test_face(t, 0, 1, 2, 3, CTI_R(0.5), CTI_R(0.01), CTI_R(0.49));
    test_face(t, 0, 1, 3, 4, CTI_R(0.505), CTI_R(0.495), 0);
    test_face(t, 0, 1, 3, 4, CTI_R(0.505), CTI_R(0.495), 0);
    t->hits[1].pair.kind = CT_PAIR_PLANE, t->hits[1].pair.n = 1;
    t->hits[2].pair.kind = CT_PAIR_VV, t->hits[2].pair.n = 2;
    assert_int_equal(test_cull(t), 3);
    for (k = 0; k < 3; k++)
        assert_int_equal(t->hits[k].pair.kind, k == 0 ? CT_PAIR_VF : (k == 1 ? CT_PAIR_PLANE : CT_PAIR_VV));
    CTI_CLEAR(t->hits);
    assert_int_equal(test_cull(t), 0);
}

/* a row starts with the load that it had as another pair, also if that had its sides exchanged; a pair whose direction has reversed does not */
static void test_recall(void **state)
{
    static const ct_real up[3] = {0, 1, 0}, push[3] = {CTI_R(0.1), 2, 0}, slip[3] = {CTI_R(1e-4), 0, 0};
    test_soup *t = (test_soup *)*state;
    cti_attach attach[2]; /* of vertex 0, and of immovable ones */
    ct_real zero[3] = {0, 0, 0}, inv_mass = 1, val[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint8_t fixed = 0;
    int row_at[2] = {0, 1}, none = 0, way;
    cti_memory_item item;
    cti_row_context c;
    cti_bsr A;
    test_square(t, 1, CTI_R(0.5), CTI_R(0.49));
    test_face(t, 0, 1, 2, 3, CTI_R(0.5), CTI_R(0.01), CTI_R(0.49));
    memset(attach, 0, sizeof attach), memset(&c, 0, sizeof c), memset(&item, 0, sizeof item);
    attach[0].frame = attach[1].frame = -1;
    attach[0].n = 1, attach[0].weight[0] = 1;
    t->s.attach = attach, t->s.n_moving = 1, t->bodies[0].moves = 1;
    t->bodies[0].friction = t->bodies[1].friction = 1;
    A.n = 1, A.row = row_at, A.col = A.diag = &none, A.val = val;
    c.surface = &t->s, c.fixed = &fixed, c.v_fixed = c.v = zero, c.inv_mass = &inv_mass, c.A = &A, c.memory = &t->memory;
    c.dt = CTI_R(0.01), c.cut = 1;
    item.key = 77, item.dt = c.dt;
    memcpy(item.normal, up, sizeof up), memcpy(item.impulse, push, sizeof push), memcpy(item.slip, slip, sizeof slip);
    assert_true(cti_memory_add(&t->mem, &t->memory, &item));
    item.key = cti_pair_key(&t->s, &t->hits[0].pair);
    assert_true(cti_memory_add(&t->mem, &t->memory, &item));
    for (way = -1; way <= 1; way += 2) {
        cti_v3 n = cti_v3_make(0, (ct_real)way, 0), r;
        cti_row row;
        cti_contact_row origin;
        assert_true(cti_rows_build(&c, &t->hits[0].pair, n, 77, 0, 0, &row, &origin));
        r = cti_m3_mul_v(row.frame, cti_v3_mul(cti_v3_at(push, 0), (ct_real)way));
        assert_true(cti_v3_norm(cti_v3_sub(r, cti_v3_at(row.r, 0))) < CTI_R(1e-6));
        assert_true(cti_v3_norm(cti_v3_sub(cti_v3_at(origin.slip, 0), cti_v3_mul(cti_v3_at(slip, 0), (ct_real)way))) < CTI_R(1e-9));
        assert_true(cti_rows_build(&c, &t->hits[0].pair, n, 0, 0, 0, &row, &origin));
        assert_true(way > 0 ? row.r[0] > 1 : row.r[0] == 0);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, test_begin, test_end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_diagonal), TEST(test_hand_over), TEST(test_nearest_hands_over), TEST(test_swapped), TEST(test_large),
                                       TEST(test_groove), TEST(test_groove_beside), TEST(test_groove_again), TEST(test_opposite),
                                       TEST(test_along), TEST(test_along_self), TEST(test_others), TEST(test_recall)};
    return cmocka_run_group_tests_name("twins", tests, NULL, NULL);
}
