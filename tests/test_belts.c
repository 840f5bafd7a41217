/* test_belts.c -- surfaces that move along themselves: a box on a belt of speed u is dragged by mu g until it has u, after u / (mu g), and stays on it;
   the belt's work in that time is m u^2, of which friction takes half. */
#include "world_util.h"

enum { PLANE, STATIC, KINEMATIC, KINDS };

/* a belt whose surface is at y 0, on a body of a kind */
static ct_body_id add_belt(ct_world *w, int kind, const ct_real u[3])
{
    ct_mesh m = mesh_box(4, 0.1, 0.6, 8, 1, 2, 0);
    ct_static_desc s = ct_static_desc_default();
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, 1.013, -0.05, 0.007);
    s.mesh = kind == PLANE ? NULL : &m, k.mesh = &m;
    assert_int_equal(kind == KINEMATIC ? ct_body_add_kinematic(w, &k, &id) : ct_body_add_static(w, &s, &id), CT_OK);
    if (u)
        assert_int_equal(ct_body_set_surface_velocity(w, id, u), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* On a belt of speed u, from rest: v = mu g t until it is u, the belt's work is mu m g u t, and friction takes mu m g (u t - mu g t^2 / 2). The belt's
   velocity across its surface does nothing. CT_STEPPER_BARRIER is followed until just before the box has the belt's speed: its judge may hold a body
   for a step there, as on a kinematic floor that moves along itself (docs/events.md) */
static void a_box_is_dragged_along(void **state)
{
    const double mu = 0.3, u = 0.9, dt = 0.005, a = 0.3 * 9.81, until = u / a, m = 1;
    const ct_real along[3] = {(ct_real)0.9, (ct_real)0.5, 0};
    int stepper, kind, i;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_EXPLICIT; stepper++)
        for (kind = 0; kind < KINDS; kind++) {
            ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
            ct_world *w;
            ct_body_id box, belt;
            double work = 0, loss = 0, x[3], v[3], end = stepper == CT_STEPPER_BARRIER ? 0.95 * until : 3 * until;
            d.friction = (ct_real)mu;
            w = world_make(&d);
            belt = add_belt(w, kind, NULL);
            box = add_soft_box(w, "box", 0.1, 1, 1e6, 0, stepper == CT_STEPPER_PENALTY ? 0.0505 : 0.051, 0);
            for (i = 0; i < 60; i++) /* comes to rest */
                step_once(w, dt);
            assert_int_equal(ct_body_set_surface_velocity(w, belt, along), CT_OK);
            for (i = 1; i * dt < end; i++) {
                ct_step_report r = step_once(w, dt);
                double t = i * dt, slides = fmin(t, until);
                work += r.work_script, loss += r.loss_contact;
                if (i % 10 && (i + 1) * dt < end)
                    continue;
                read_middle(w, box, 0, x), read_middle(w, box, 1, v);
                if (!(fabs(v[0] - a * slides) < 2 * a * dt) || !(fabs(x[0] - a * slides * slides / 2 - u * (t - slides)) < 2 * dt * u) ||
                    !(fabs(work - m * a * u * slides) < 2 * m * a * u * dt) ||
                    !(fabs(loss - m * a * (u * slides - a * slides * slides / 2)) < 3 * m * a * u * dt))
                    print_message("%s on %d at %g s: %g m/s, %g m, work %g, loss %g\n", ct_stepper_text((ct_stepper)stepper), kind, t, v[0], x[0], work, loss);
                assert_true(fabs(v[0] - a * slides) < 2 * a * dt && fabs(v[2]) < 0.01 * u && x[1] > 0.048 && x[1] < 0.053);
                assert_true(fabs(x[0] - a * slides * slides / 2 - u * (t - slides)) < 2 * dt * u);
                assert_true(fabs(work - m * a * u * slides) < 2 * m * a * u * dt);
                assert_true(fabs(loss - m * a * (u * slides - a * slides * slides / 2)) < 3 * m * a * u * dt);
            }
            ct_world_destroy(w);
        }
}

/* a belt that stops brakes what it carries, by mu g; bodies that move, numbers that are not finite, and a stepper without friction are refused */
static void belts_stop_and_are_refused(void **state)
{
    const ct_real none[3] = {0, 0, 0}, bad[3] = {(ct_real)NAN, 0, 0};
    ct_real along[3] = {(ct_real)0.5, 0, 0};
    ct_world_desc d = ct_world_desc_default_for(CT_STEPPER_CMR);
    ct_world *w;
    ct_body_id belt, box, stale;
    double v[3];
    int i;
    (void)state;
    d.friction = (ct_real)0.3;
    w = world_make(&d);
    belt = add_belt(w, STATIC, along), box = add_soft_box(w, "box", 0.1, 1, 1e6, 0, 0.051, 0);
    for (i = 0; i < 60; i++)
        step_once(w, 0.01);
    assert_int_equal(ct_body_set_surface_velocity(w, belt, none), CT_OK);
    for (i = 0; i < 5; i++)
        step_once(w, 0.01);
    read_middle(w, box, 1, v);
    assert_true(fabs(v[0] - (0.5 - 0.3 * 9.81 * 0.05)) < 0.01);
    for (i = 0; i < 30; i++)
        step_once(w, 0.01);
    read_middle(w, box, 1, v);
    assert_true(fabs(v[0]) < 1e-6);
    stale = belt, stale.generation++;
    assert_int_equal(ct_body_set_surface_velocity(NULL, belt, along), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_surface_velocity(w, stale, along), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_set_surface_velocity(w, box, along), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_surface_velocity(w, belt, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_surface_velocity(w, belt, bad), CT_ERR_ARGUMENT);
    ct_world_destroy(w);
    d = ct_world_desc_default_for(CT_STEPPER_EXPLICIT);
    w = world_make(&d);
    belt = add_plane(w, 0, 1, 0, 0);
    assert_int_equal(ct_body_set_surface_velocity(w, belt, along), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(w)->text, "friction"));
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_box_is_dragged_along), cmocka_unit_test(belts_stop_and_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
