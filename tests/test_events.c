/* test_events.c -- ccd_limits_step: impacts at their time, the bound on the number of substeps, no intersections; no change of results if
   the option is off or has no substeps left. */
#include "world_util.h"

static ct_body_id add_rigid_box(ct_world *w, const char *name, double sx, double sy, double sz, double x, double y, double vx, double vy)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_mesh m = mesh_box(sx, sy, sz, 1, 1, 1, 0);
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, x, y, 0);
    d.name = name, d.mesh = &m;
    d.velocity[0] = (ct_real)vx, d.velocity[1] = (ct_real)vy;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

typedef struct slide {
    double time; /* [s] from its position to where friction stopped the plate */
    int events, substeps, intersections;
    ct_status status;
} slide;

/* a flat plate falls by `drop` until its contact law holds, and moves sideways; friction then stops it */
static slide drop_plate(int limits, double drop, double dt, int steps, int halvings, int on_box)
{
    ct_world_desc d = world_desc(1e-3, 1, NULL);
    const double speed = 0.05;
    double middle[3];
    slide out = {0, 0, 0, 0, CT_STATUS_OK};
    ct_world *w;
    ct_body_id plate;
    int i;
    d.ccd_limits_step = limits, d.max_halvings = halvings;
    w = world_make(&d);
    if (on_box) {
        ct_static_desc g = ct_static_desc_default();
        ct_mesh m = mesh_box(2, 1, 2, 2, 1, 2, 0);
        ct_body_id id;
        mesh_place(&m, 0, 0, -0.5, 0);
        g.mesh = &m;
        assert_int_equal(ct_body_add_static(w, &g, &id), CT_OK);
        ct_mesh_free(&m);
    } else
        add_plane(w, 0, 1, 0, 0);
    plate = add_rigid_box(w, "plate", 0.4, 0.04, 0.4, 0, 0.02 + 1e-3 + drop, speed, 0);
    for (i = 0; i < steps; i++) {
        ct_step_report r = step_once(w, dt);
        out.events += r.events;
        out.substeps = r.substeps > out.substeps ? r.substeps : out.substeps;
        out.status = r.status > out.status ? r.status : out.status;
        out.intersections += count_intersections(w);
        assert_true(r.substeps <= 1 << halvings);
    }
    read_middle(w, plate, 0, middle);
    out.time = middle[0] / speed;
    ct_world_destroy(w);
    return out;
}

/* the time of impact is sqrt(2 drop / g) */
static void test_drop(void **state)
{
    static const double drops[] = {0.02, 0.0173, 0.031, 0.0042, 0.05};
    const double dt = 0.01, least = dt / 32;
    int i, on_box, events = 0;
    double error[2] = {0, 0};
    (void)state;
    for (on_box = 0; on_box < 2; on_box++)
        for (i = 0; i < 5; i++) {
            double exact = sqrt(2 * drops[i] / 9.81);
            slide on = drop_plate(1, drops[i], dt, 20, 5, on_box), off = drop_plate(0, drops[i], dt, 20, 5, on_box);
            /* an approach to a quarter of the thickness is no impact yet */
            assert_true(fabs(on.time - exact) < 2 * least + 0.25e-3 / (9.81 * exact));
            assert_true((on.substeps > 1) == (on.events > 0) && on.status == CT_STATUS_OK);
            assert_true(off.events == 0 && off.substeps == 1);
            assert_true(on.intersections == 0 && off.intersections == 0);
            error[0] += fabs(off.time - exact), error[1] += fabs(on.time - exact);
            events += on.events > 0;
        }
    assert_true(events >= 6 && error[1] < 0.2 * error[0]);
}

/* the whole fall in one step: the straight motion meets too early, and the cuts converge to the time of impact */
static void test_long_step(void **state)
{
    static const double drops[] = {0.02, 0.0173, 0.031, 0.0042, 0.05};
    int i;
    (void)state;
    for (i = 0; i < 5; i++) {
        double exact = sqrt(2 * drops[i] / 9.81);
        slide on = drop_plate(1, drops[i], 0.12, 1, 8, 0), off = drop_plate(0, drops[i], 0.12, 1, 8, 0);
        assert_true(fabs(on.time - exact) < 4 * 0.12 / 256);
        assert_true(fabs(off.time - exact) > 0.02);
        assert_true(on.events >= 1 && on.intersections == 0);
    }
}

/* two bodies head on, far faster than their size per step: both have one speed after the step of the impact */
static void collide(int soft, int limits, double *out_relative, int *out_events)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_body_id a, b;
    ct_world *w;
    double va[3], vb[3];
    int i;
    d.gravity[1] = 0, d.ccd_limits_step = limits;
    w = world_make(&d);
    if (soft) {
        ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1), q = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
        mesh_place(&m, 0, -0.3, 0, 0), mesh_place(&q, 0, 0.3, 0.013, 0);
        a = add_soft_mesh(w, "a", &m, 1e7, 20, 0, 0), b = add_soft_mesh(w, "b", &q, 1e7, -20, 0, 0);
        ct_mesh_free(&m), ct_mesh_free(&q);
    } else {
        a = add_rigid_box(w, "a", 0.1, 0.1, 0.1, -0.3, 0, 60, 0);
        b = add_rigid_box(w, "b", 0.1, 0.1, 0.1, 0.3, 0, -20, 0);
    }
    *out_events = 0;
    for (i = 0; i < (soft ? 4 : 1); i++) {
        ct_step_report r = step_once(w, 0.01);
        *out_events += r.events;
        assert_true(r.substeps <= 32);
        assert_int_equal(count_intersections(w), 0);
    }
    read_middle(w, a, 1, va), read_middle(w, b, 1, vb);
    /* equal masses */
    assert_true(fabs(va[0] + vb[0] - (soft ? 0 : 40)) < 1e-2);
    *out_relative = fabs(va[0] - vb[0]);
    ct_world_destroy(w);
}

static void test_fast(void **state)
{
    double on, off;
    int events;
    (void)state;
    collide(0, 1, &on, &events);
    assert_true(events >= 1);
    assert_true(on < 1);
    collide(0, 0, &off, &events);
    assert_true(events == 0 && off > 20);
    collide(1, 1, &on, &events);
    assert_true(events >= 1);
}

/* impacts all the time: the number of substeps is bounded by 2^max_halvings */
static void pour(int halvings, int limits, uint64_t *out_hash, int *out_events)
{
    ct_world_desc d = world_desc(2e-3, 0.3, NULL);
    ct_mesh sheet = mesh_grid(0.4, 0.4, 8, 8);
    ct_world *w;
    int i;
    d.ccd_limits_step = limits, d.max_halvings = halvings;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    mesh_place(&sheet, 0.2, 0, 0.18, 0);
    add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.2);
    ct_mesh_free(&sheet);
    add_soft_box(w, "soft", 0.1, 2, 1e5, 0.02, 0.06, 0);
    add_rigid_box(w, "low", 0.1, 0.05, 0.1, -0.12, 0.06, 0.3, -1);
    add_rigid_box(w, "high", 0.08, 0.08, 0.08, 0.05, 0.31, 0, -3);
    *out_events = 0;
    for (i = 0; i < 40; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_true(r.substeps <= 1 << halvings);
        assert_true(r.events < r.substeps && (r.events == 0 || limits));
        assert_int_equal(count_intersections(w), 0);
        *out_events += r.events;
    }
    *out_hash = ct_world_hash(w);
    ct_world_destroy(w);
}

static void test_bound(void **state)
{
    uint64_t on, off, other;
    int events;
    (void)state;
    pour(2, 1, &on, &events);
    assert_true(events > 3);
    pour(2, 0, &off, &events);
    assert_true(on != off && events == 0);
    /* no room for a cut: the same bits as without events */
    pour(0, 1, &on, &events);
    pour(0, 0, &off, &events);
    assert_true(on == off);
    pour(4, 1, &on, &events);
    pour(4, 1, &other, &events);
    assert_true(on == other);
}

/* Every allocation of a step with an impact fails in turn: the world is unchanged, and continues as if nothing had happened */
static void test_memory(void **state)
{
    int64_t k, refused = 1, failed = 0;
    uint64_t expected = 0;
    (void)state;
    for (k = 0; k < 400 && refused; k++) {
        books b;
        ct_world_desc d;
        ct_world *w;
        ct_step_report r;
        ct_code code;
        uint64_t before;
        memset(&b, 0, sizeof b);
        d = world_desc(1e-3, 0.3, &b);
        d.ccd_limits_step = 1;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        add_rigid_box(w, "a", 0.1, 0.1, 0.1, 0, 0.06, 0, -2);
        add_rigid_box(w, "b", 0.1, 0.1, 0.1, 0.02, 0.18, 0, -6);
        before = ct_world_hash(w);
        b.fail_at = k ? b.calls + k : 0;
        code = ct_world_step(w, (ct_real)0.02, &r);
        refused = k == 0 || b.refused;
        b.fail_at = 0;
        if (k == 0)
            assert_true(code == CT_OK && r.events > 0);
        /* scratch memory that could not be made one piece is asked for again where it is needed */
        assert_true(code == CT_OK || (b.refused && code == CT_ERR_MEMORY));
        failed += code != CT_OK;
        if (code != CT_OK) {
            assert_true(ct_world_hash(w) == before);
            assert_int_equal(ct_world_step(w, (ct_real)0.02, NULL), CT_OK);
        }
        expected = k == 0 ? ct_world_hash(w) : expected;
        assert_true(ct_world_hash(w) == expected);
        ct_world_destroy(w);
        assert_true(b.blocks == 0 && b.wrong == 0);
    }
    assert_true(k > 3 && failed > k / 2 && !refused);
}

static void test_refused(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_error_info e;
    ct_world *w = NULL;
    (void)state;
    assert_int_equal(d.ccd_limits_step, 0);
    d.ccd_limits_step = 2;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "ccd_limits_step"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drop), cmocka_unit_test(test_long_step), cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_fast), PLAIN_TEST(test_bound) cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
