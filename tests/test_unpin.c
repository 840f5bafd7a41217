/* test_unpin.c -- pins are released: nodes keep the velocity of their script and move by forces from then on, under every stepper. */
#include "world_util.h"

static ct_world *world_of(ct_stepper stepper, double gravity)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    d.stepper = stepper, d.friction = 0, d.self_collision = 0;
    d.gravity[0] = d.gravity[2] = 0, d.gravity[1] = (ct_real)-gravity;
    return world_make(&d);
}

static double y_of(const double *x, int i) { return x[3 * i + 1]; }

/* a box that is pinned for ever, also by a second pin, falls from rest: by g t (t + dt) / 2 in implicit Euler's rule, by g t^2 / 2 in
 * others */
static void a_body_falls_when_released(void **state)
{
    int k, i, n;
    (void)state;
    for (k = 0; k < CT_STEPPER_COUNT_; k++) {
        ct_world *w = world_of((ct_stepper)k, 9.81);
        ct_body_id b = add_soft_box(w, "box", 0.1, 2, 1e5, 0, 1, 0);
        int32_t all[27];
        ct_motion rest;
        double *x0 = read_vectors(w, b, 0, &n), *x;
        memset(&rest, 0, sizeof rest);
        assert_int_equal(n, 27);
        for (i = 0; i < n; i++)
            all[i] = i;
        assert_int_equal(ct_body_pin(w, b, all, n, CT_AXIS_ALL, NULL, -1), CT_OK);
        assert_int_equal(ct_body_pin(w, b, all, 9, CT_AXIS_Y, &rest, 10), CT_OK);
        for (i = 0; i < 5; i++)
            step_once(w, 0.01);
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < n; i++)
            assert_true(fabs(y_of(x, i) - y_of(x0, i)) < 1e-12);
        free(x);
        assert_int_equal(ct_body_unpin(w, b, all, n, CT_AXIS_ALL), CT_OK);
        for (i = 0; i < 20; i++)
            step_once(w, 0.01);
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < n; i++) {
            double fall = y_of(x0, i) - y_of(x, i);
            assert_true(fall > 9.81 * 0.2 * 0.2 / 2 - 1e-3 && fall < 9.81 * 0.2 * 0.21 / 2 + 1e-3);
        }
        free(x), free(x0);
        ct_world_destroy(w);
    }
}

/* nodes that a script moves at 1 m/s along x and .5 m/s along y go on so where an axis is released in the middle of the motion, and stay on
   the script where it is not */
static void a_released_node_keeps_its_velocity(void **state)
{
    int k, i, n;
    (void)state;
    for (k = 0; k < CT_STEPPER_COUNT_; k++) {
        ct_world *w = world_of((ct_stepper)k, 0);
        ct_body_id b = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 1, 0);
        int32_t all[8];
        ct_motion go;
        double *x0 = read_vectors(w, b, 0, &n), *x;
        memset(&go, 0, sizeof go);
        go.linear[0] = 1, go.linear[1] = (ct_real)0.5;
        for (i = 0; i < n; i++)
            all[i] = i;
        assert_int_equal(ct_body_pin(w, b, all, n, CT_AXIS_ALL, &go, -1), CT_OK);
        for (i = 0; i < 10; i++)
            step_once(w, 0.01);
        assert_int_equal(ct_body_unpin(w, b, all, n, CT_AXIS_X), CT_OK);
        for (i = 0; i < 10; i++)
            step_once(w, 0.01);
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < n; i++)
            assert_true(fabs(x[3 * i] - x0[3 * i] - 0.2) < 1e-5 && fabs(y_of(x, i) - y_of(x0, i) - 0.1) < 1e-9);
        free(x), free(x0);
        ct_world_destroy(w);
    }
}

/* what is pinned besides stays bit by bit: vertices that no pin holds, other bodies, other nodes of the body */
static void the_rest_stays_pinned(void **state)
{
    ct_world *w = world_of(CT_STEPPER_CMR, 9.81);
    ct_body_id a = add_soft_box(w, "a", 0.1, 1, 1e5, 0, 1, 0), b = add_soft_box(w, "b", 0.1, 1, 1e5, 0, 2, 0);
    int32_t list[8] = {0, 1, 2, 3, 4, 5, 6, 7}, one = 3;
    double *x0, *x, *y0, *y;
    int i;
    (void)state;
    assert_int_equal(ct_body_pin(w, a, list, 8, CT_AXIS_ALL, NULL, -1), CT_OK);
    assert_int_equal(ct_body_pin(w, b, list, 4, CT_AXIS_ALL, NULL, -1), CT_OK);
    x0 = read_vectors(w, a, 0, NULL), y0 = read_vectors(w, b, 0, NULL);
    assert_int_equal(ct_body_unpin(w, b, list + 4, 4, CT_AXIS_ALL), CT_OK); /* none of them is pinned */
    assert_int_equal(ct_body_unpin(w, b, NULL, 0, CT_AXIS_ALL), CT_OK);
    assert_int_equal(ct_body_unpin(w, a, &one, 1, CT_AXIS_X | CT_AXIS_Y), CT_OK);
    for (i = 0; i < 10; i++)
        step_once(w, 0.01);
    x = read_vectors(w, a, 0, NULL), y = read_vectors(w, b, 0, NULL);
    for (i = 0; i < 24; i++)
        assert_true(i / 3 == one ? i % 3 == 2 ? x[i] == x0[i] : x[i] != x0[i] : x[i] == x0[i]);
    for (i = 0; i < 12; i++)
        assert_true(y[i] == y0[i]);
    free(x), free(x0), free(y), free(y0);
    ct_world_destroy(w);
}

static void bad_releases_are_named(void **state)
{
    books memory;
    ct_world_desc d;
    ct_world *w;
    ct_body_id a, plane;
    int32_t list[3] = {0, 3, 8};
    (void)state;
    memset(&memory, 0, sizeof memory);
    d = world_desc(1e-3, 0.5, &memory);
    w = world_make(&d);
    a = add_soft_box(w, "a", 0.1, 1, 1e5, 0, 1, 0), plane = add_plane(w, 0, 1, 0, 0);
    assert_int_equal(ct_body_pin(w, a, list, 2, CT_AXIS_ALL, NULL, -1), CT_OK);
    assert_int_equal(ct_body_unpin(w, a, list, 3, CT_AXIS_ALL), CT_ERR_ARGUMENT);
    assert_true(ct_world_error(w)->element == 2 && ct_world_error(w)->value == 8);
    assert_int_equal(ct_body_unpin(w, a, list, -1, CT_AXIS_ALL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_unpin(w, a, NULL, 1, CT_AXIS_ALL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_unpin(w, a, list, 2, 8), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_unpin(w, a, list, 2, 0), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_unpin(w, plane, list, 1, CT_AXIS_ALL), CT_ERR_ARGUMENT);
    /* axes 0 were taken without a word; the text names the cure */
    assert_int_equal(ct_body_pin(w, a, list, 2, 0, NULL, -1), CT_ERR_ARGUMENT);
    assert_non_null(strstr(ct_world_error(w)->text, "ct_body_unpin"));
    memory.fail_at = memory.calls + 1;
    assert_int_equal(ct_body_unpin(w, a, list, 2, CT_AXIS_ALL), CT_ERR_MEMORY);
    memory.fail_at = 0;
    step_once(w, 0.01);
    {
        ct_real impulse[3];
        assert_int_equal(ct_body_get_pin_impulse(w, a, 0, impulse), CT_OK);
        assert_true(impulse[1] > 0); /* still held */
    }
    assert_int_equal(ct_body_remove(w, a), CT_OK);
    assert_int_equal(ct_body_unpin(w, a, list, 2, CT_AXIS_ALL), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_unpin(NULL, a, list, 2, CT_AXIS_ALL), CT_ERR_ARGUMENT);
    ct_world_destroy(w);
    assert_true(memory.blocks == 0 && memory.wrong == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_body_falls_when_released), cmocka_unit_test(a_released_node_keeps_its_velocity),
                                       cmocka_unit_test(the_rest_stays_pinned), cmocka_unit_test(bad_releases_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
