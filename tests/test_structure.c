/* test_structure.c -- bodies and joints that come and go: what other bodies keep (factors, analyses), what the search for intersections finds,
   memory, and the results beside a world that has always been so. */
#include "failing.h"
#include "world_util.h"

#define DT 0.01

static ct_body_id sheet(ct_world *w, const char *name, double x, double y, int pinned)
{
    ct_mesh m = mesh_grid(0.5, 0.5, 12, 12);
    ct_body_id id;
    int32_t row[13];
    int i;
    mesh_place(&m, 0, x, y, 0);
    id = add_cloth_mesh(w, name, &m, CT_MODEL_SPRINGS, 0.2);
    for (i = 0; i < 13; i++)
        row[i] = i;
    if (pinned)
        assert_int_equal(ct_body_pin(w, id, row, 13, CT_AXIS_ALL, NULL, -1), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static ct_body_id crate(ct_world *w, double x, double y)
{
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = &m, d.name = "crate", d.density = 300;
    d.position[0] = (ct_real)x, d.position[1] = (ct_real)y;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static double height(ct_world *w, ct_body_id id)
{
    double x[3 * 169], sum = 0;
    int n, i;
    assert_int_equal(ct_body_get_positions(w, id, NULL, CT_SCALAR_DOUBLE, 24, &n), CT_OK);
    assert_true(n <= 169);
    assert_int_equal(ct_body_get_positions(w, id, x, CT_SCALAR_DOUBLE, 24, NULL), CT_OK);
    for (i = 0; i < n; i++)
        sum += x[3 * i + 1];
    return sum / n;
}

/* A hanging sheet, a jelly and boxes on the floor; in one of two worlds a crate comes and goes in every step. Nothing but the crate is analyzed or
   factored because of it, and the others move as in the world without it */
static void others_keep_their_factors(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w[2];
    ct_body_id hung[2], jelly[2], extra = {0, 0};
    ct_step_report r[2];
    int k, i, more = 0;
    (void)state;
    for (k = 0; k < 2; k++) {
        w[k] = world_make(&d);
        add_plane(w[k], 0, 1, 0, 0);
        hung[k] = sheet(w[k], "hung", 0, 2, 1);
        jelly[k] = add_soft_box(w[k], "jelly", 0.2, 3, 3e4, 3, 0.15, 0);
        crate(w[k], -3, 0.102), crate(w[k], -3, 0.304);
    }
    for (i = 0; i < 60; i++)
        for (k = 0; k < 2; k++)
            r[k] = step_once(w[k], DT);
    for (i = 0; i < 40; i++) {
        if (i % 2 == 0)
            extra = crate(w[1], 9, 3);
        else
            assert_int_equal(ct_body_remove(w[1], extra), CT_OK);
        for (k = 0; k < 2; k++)
            r[k] = step_once(w[k], DT);
        assert_int_equal(r[1].status, CT_STATUS_OK);
        more += r[1].refactorizations - r[0].refactorizations;
    }
    print_message("40 changes: %d factors more, sheet %.2e, jelly %.2e m apart\n", more, fabs(height(w[1], hung[1]) - height(w[0], hung[0])),
                  fabs(height(w[1], jelly[1]) - height(w[0], jelly[0])));
    assert_true(more <= 40); /* at most the crate's own two blocks, once a change */
    assert_true(fabs(height(w[1], hung[1]) - height(w[0], hung[0])) < 1e-6);
    assert_true(fabs(height(w[1], jelly[1]) - height(w[0], jelly[0])) < 1e-6);
    for (k = 0; k < 2; k++)
        ct_world_destroy(w[k]);
}

/* Bodies among which nothing intersects are not searched again; one that is added into another, or comes to meet it since their joint went, is found */
static void new_intersections_are_found(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_world *w;
    ct_body_id a, b;
    ct_joint_id joint;
    ct_step_report r;
    int i;
    (void)state;
    for (i = 0; i < 2; i++) {
        d.gravity[1] = 0;
        w = world_make(&d);
        a = crate(w, 0, 1);
        crate(w, 3, 1);
        if (i == 1) {
            b = crate(w, 0.15, 1.02); /* overlaps the first by a quarter; a joint keeps the two from colliding */
            j.a.body = a, j.b.body = b, j.collide = 0;
            j.point[0] = (ct_real)0.075, j.point[1] = 1;
            assert_int_equal(ct_joint_add(w, &j, &joint), CT_OK);
        }
        r = step_once(w, DT);
        assert_true(r.tangled == 0 && r.status == CT_STATUS_OK);
        if (i == 0)
            crate(w, 0.15, 1.02);
        else
            assert_int_equal(ct_joint_remove(w, joint), CT_OK);
        r = step_once(w, DT);
        assert_true(r.tangled > 0);
        ct_world_destroy(w);
    }
}

/* a hundred bodies that came and went leave no memory behind */
static void memory_does_not_grow(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    int64_t before = 0, after;
    int i;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    sheet(w, "hung", 0, 2, 1);
    for (i = 0; i < 100; i++) {
        ct_body_id one = i % 3 ? crate(w, 3, 3) : add_soft_box(w, "jelly", 0.2, 2, 3e4, 3, 3, 0);
        step_once(w, DT);
        assert_int_equal(ct_body_remove(w, one), CT_OK);
        step_once(w, DT);
        ct_world_allocations(w, NULL, &after);
        if (i == 9)
            before = after;
    }
    print_message("after 10: %ld bytes, after 100: %ld\n", (long)before, (long)after);
    assert_true(after <= before + before / 50);
    ct_world_destroy(w);
}

/* every allocation of a change fails in turn: the step is refused, and done again it gives what it gives otherwise */
static void changes_survive_failed_allocations(void **state)
{
    double want[2] = {0, 0};
    int at, tries = 0, failures = 0;
    (void)state;
    for (at = 0; at >= 0; at = at == 0 ? 1 : at + 1) {
        ct_world_desc d = world_desc(1e-3, 0.3, NULL);
        ct_world *w;
        ct_body_id hung, one;
        ct_code code;
        d.allocator.resize = failing;
        fail_at = 0;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        hung = sheet(w, "hung", 0, 2, 1), one = add_soft_box(w, "jelly", 0.2, 2, 3e4, 3, 0.11, 0);
        step_once(w, DT);
        add_soft_box(w, "other", 0.2, 2, 3e4, 3, 0.33, 0);
        calls = 0, fail_at = at;
        code = ct_world_step(w, (ct_real)DT, NULL);
        fail_at = 0;
        assert_true(code == CT_OK || code == CT_ERR_MEMORY);
        failures += code != CT_OK;
        if (code != CT_OK)
            step_once(w, DT);
        step_once(w, DT);
        if (at == 0)
            want[0] = height(w, hung), want[1] = height(w, one), tries = calls;
        assert_true(fabs(height(w, hung) - want[0]) < 1e-7 && fabs(height(w, one) - want[1]) < 1e-7);
        ct_world_destroy(w);
        if (at > 0 && code == CT_OK && calls < at)
            break;
    }
    print_message("%d allocations, %d refusals\n", tries, failures);
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_keep_their_factors),
        cmocka_unit_test(new_intersections_are_found),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(changes_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
