/* test_sleep.c -- bodies that rest are left out of steps, and nothing that a user sees of the physics is lost by it. */
#include "../src/9_world/world.h"
#include "failing.h"
#include "world_util.h"

#define DT (1.0 / 60)

static ct_world *world_of(double sleep_time)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    d.sleep_time = sleep_time;
    return world_make(&d);
}

static ct_body_id box_at(ct_world *w, double x, double y, double z, double vx)
{
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = &m, d.name = "box", d.density = 500;
    d.position[0] = (ct_real)x, d.position[1] = (ct_real)y, d.position[2] = (ct_real)z, d.velocity[0] = (ct_real)vx;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static double place(ct_world *w, ct_body_id id, int axis)
{
    double x[3 * 64], sum = 0;
    int n, i;
    assert_int_equal(ct_body_get_positions(w, id, x, CT_SCALAR_DOUBLE, 24, &n), CT_OK);
    for (i = 0; i < n; i++)
        sum += x[3 * i + axis];
    return sum / n;
}

typedef struct scene {
    ct_world *w;
    ct_body_id low, high, jelly, far;
} scene;

/* two boxes on each other, a jelly, and a box far away */
static scene scene_make(double sleep_time)
{
    scene s;
    s.w = world_of(sleep_time);
    add_plane(s.w, 0, 1, 0, 0);
    s.low = box_at(s.w, 0, 0.101, 0, 0), s.high = box_at(s.w, 0, 0.302, 0, 0), s.far = box_at(s.w, 5, 0.101, 0, 0);
    s.jelly = add_soft_box(s.w, "jelly", 0.2, 3, 3e4, 2, 0.101, 0);
    return s;
}

static int all_sleep(const scene *s)
{
    return ct_body_is_asleep(s->w, s->low) && ct_body_is_asleep(s->w, s->high) && ct_body_is_asleep(s->w, s->jelly) && ct_body_is_asleep(s->w, s->far);
}

static int settle(scene *s)
{
    int i;
    for (i = 0; i < 400 && !all_sleep(s); i++)
        step_once(s->w, DT);
    return i;
}

/* All come to rest and sleep; time goes on, nothing moves, and the report's energies are those of the last step awake. A world without a sleep_time
   has the same places to a hundredth of a thickness */
static void what_rests_sleeps(void **state)
{
    scene s = scene_make(0.5), awake = scene_make(0);
    ct_step_report r, last;
    uint64_t hash;
    double time, y = 0;
    int i, steps;
    (void)state;
    memset(&last, 0, sizeof last);
    for (steps = 0; steps < 400 && !all_sleep(&s); steps++)
        last = step_once(s.w, DT);
    print_message("asleep after %d steps\n", steps);
    assert_true(steps > 25 && steps < 300);
    time = ct_world_time(s.w), y = place(s.w, s.jelly, 1);
    for (i = 0; i < 60; i++) {
        r = step_once(s.w, DT);
        assert_true(r.status == CT_STATUS_OK && r.rows == 0 && r.energy_gained == 0);
        assert_true(fabs(r.energy_gravity - last.energy_gravity) < 1e-9 && fabs(r.energy_elastic - last.energy_elastic) < 1e-9);
        assert_true(fabs(r.center_of_mass[1] - last.center_of_mass[1]) < 1e-9);
        assert_int_equal(r.refactorizations, 0);
    }
    hash = ct_world_hash(s.w);
    step_once(s.w, DT);
    assert_true(ct_world_hash(s.w) != hash); /* the time is in it */
    assert_true(fabs(ct_world_time(s.w) - time - 61 * DT) < 1e-6 && place(s.w, s.jelly, 1) == y);
    for (i = 0; i < steps + 61; i++)
        step_once(awake.w, DT);
    assert_true(!ct_body_is_asleep(awake.w, awake.low));
    assert_true(fabs(place(awake.w, awake.high, 1) - place(s.w, s.high, 1)) < 1e-5);
    assert_true(fabs(place(awake.w, awake.jelly, 1) - place(s.w, s.jelly, 1)) < 1e-5);
    ct_world_destroy(s.w), ct_world_destroy(awake.w);
}

/* largest distance between places of a world in which a box flies at a sleeping pair, and of one in which nothing sleeps */
static double impact_apart(double speed)
{
    scene s[2];
    ct_body_id ball[2];
    double worst = 0;
    int i, k, woke = -1, touched = -1;
    for (k = 0; k < 2; k++) {
        s[k] = scene_make(k ? 0.5 : 0);
        for (i = 0; i < 240; i++)
            step_once(s[k].w, DT);
        ball[k] = box_at(s[k].w, -1.5, 0.25, 0.03, speed);
    }
    assert_true(all_sleep(&s[1]));
    for (i = 0; i < 40; i++) {
        for (k = 0; k < 2; k++)
            step_once(s[k].w, DT);
        woke = woke < 0 && !ct_body_is_asleep(s[1].w, s[1].high) ? i : woke;
        touched = touched < 0 && place(s[0].w, s[0].high, 0) > 1e-3 ? i : touched;
        worst = fmax(worst, fabs(place(s[0].w, s[0].high, 0) - place(s[1].w, s[1].high, 0)));
        worst = fmax(worst, fabs(place(s[0].w, ball[0], 0) - place(s[1].w, ball[1], 0)));
    }
    print_message("woke in step %d, moved in step %d; places within %.3e m of those of the world that never slept\n", woke, touched, worst);
    assert_true(woke >= 0 && woke <= touched && touched < 40);
    assert_true(ct_body_is_asleep(s[1].w, s[1].far) && ct_body_is_asleep(s[1].w, s[1].jelly));
    assert_true(!ct_body_is_asleep(s[1].w, s[1].low));
    ct_world_destroy(s[0].w), ct_world_destroy(s[1].w);
    return worst;
}

/* A box that flies at a sleeping pair wakes it before it hits: the impact is that of a world in which nothing sleeps, in the mean of three speeds. What
   is far sleeps on */
static void impacts_are_those_of_awake_bodies(void **state)
{
    double apart = (impact_apart(3.8) + impact_apart(4) + impact_apart(4.2)) / 3;
    (void)state;
    assert_true(apart < (sizeof(ct_real) == 4 ? 1e-2 : 2e-3)); /* of tolerances of two solves with other starts, over 16 steps */
}

/* each of these wakes the pair, and not the box that is far away */
static void calls_wake(void **state)
{
    const ct_real push[3] = {0, 1, 0}, at[3] = {(ct_real)0.6, (ct_real)0.3, 0}, v[3] = {0, 0, (ct_real)0.1};
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_filter filter = ct_filter_default();
    scene s = scene_make(0.4);
    int what, i;
    (void)state;
    settle(&s);
    for (what = 0; what < 10; what++) {
        assert_true(all_sleep(&s));
        if (what == 0)
            assert_int_equal(ct_body_add_force(s.w, s.high, push, NULL), CT_OK);
        else if (what == 1)
            assert_int_equal(ct_body_set_motion(s.w, s.low, v, NULL), CT_OK);
        else if (what == 2)
            assert_int_equal(ct_body_set_thickness(s.w, s.high, (ct_real)0.0012), CT_OK);
        else if (what == 3)
            assert_int_equal(ct_body_wake(s.w, s.high), CT_OK);
        else if (what == 4)
            assert_int_equal(ct_body_set_filter(s.w, s.low, &filter), CT_OK);
        else if (what == 5)
            assert_int_equal(ct_body_add_impulse(s.w, s.low, push, NULL), CT_OK);
        else if (what == 8)
            assert_int_equal(ct_body_set_friction(s.w, s.low, (ct_real)0.2), CT_OK);
        else if (what == 9)
            assert_int_equal(ct_body_set_gravity_scale(s.w, s.high, (ct_real)0.9), CT_OK);
        else if (what == 6) {
            j.a.body = s.low, j.b.body = s.high, j.point[1] = (ct_real)0.2;
            j.collide = 1;
            assert_int_equal(ct_joint_add(s.w, &j, NULL), CT_OK);
        } else
            assert_int_equal(ct_body_set_pose(s.w, s.high, at, NULL), CT_OK);
        assert_true(!ct_body_is_asleep(s.w, what < 9 ? s.low : s.high) && (what > 7 || !ct_body_is_asleep(s.w, s.high)));
        assert_true(ct_body_is_asleep(s.w, s.far) && ct_body_is_asleep(s.w, s.jelly));
        for (i = 0; i < 400 && !all_sleep(&s); i++)
            step_once(s.w, DT);
    }
    ct_world_destroy(s.w);
}

/* what lay on a body that is removed falls; a kinematic body that comes wakes what it will push; gravity wakes all */
static void what_loses_its_hold_wakes(void **state)
{
    const ct_real up[3] = {0, 3, 0};
    scene s = scene_make(0.4);
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(0.1, 0.5, 0.5, 1, 1, 1, 0);
    double before;
    int i;
    (void)state;
    settle(&s);
    assert_int_equal(ct_body_remove(s.w, s.low), CT_OK);
    assert_true(!ct_body_is_asleep(s.w, s.high) && ct_body_is_asleep(s.w, s.far));
    for (i = 0; i < 60; i++)
        step_once(s.w, DT);
    assert_true(fabs(place(s.w, s.high, 1) - 0.101) < 2e-3);
    d.mesh = &m, d.position[0] = 4, d.position[1] = (ct_real)0.3, d.motion.linear[0] = 1;
    assert_int_equal(ct_body_add_kinematic(s.w, &d, NULL), CT_OK);
    before = place(s.w, s.far, 0);
    for (i = 0; i < 90; i++)
        step_once(s.w, DT);
    assert_true(place(s.w, s.far, 0) > before + 0.5 && ct_body_is_asleep(s.w, s.jelly));
    assert_int_equal(ct_world_set_gravity(s.w, up), CT_OK);
    assert_true(!ct_body_is_asleep(s.w, s.jelly));
    before = place(s.w, s.jelly, 1);
    for (i = 0; i < 30; i++)
        step_once(s.w, DT);
    assert_true(place(s.w, s.jelly, 1) > before + 0.3);
    ct_mesh_free(&m), ct_world_destroy(s.w);
}

/* A box on a joint sleeps where it hangs, and falls when what it hangs on is removed. A body that is added into a sleeping one is found. A repair moves no
   sleeping body. A box pushed at a sleeping one gives it its momentum in the step in which it arrives */
static void nothing_is_forgotten_asleep(void **state)
{
    const ct_real push[3] = {4e5, 0, 0};
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_static_desc d = ct_static_desc_default();
    ct_world_desc free = world_desc(1e-3, 0, NULL);
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0);
    ct_world *w = world_of(0.3);
    ct_body_id hook, hung, other, wedge;
    ct_real v[3], u[3];
    ct_step_report r;
    double y;
    int i, freed, left;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    d.mesh = &m, d.name = "hook", d.position[1] = 3;
    assert_int_equal(ct_body_add_static(w, &d, &hook), CT_OK);
    hung = box_at(w, 0, 1, 0, 0), other = box_at(w, 4, 0.101, 0, 0);
    j.a.body = hung, j.b.body = hook, j.point[1] = (ct_real)1.1;
    assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
    for (i = 0; i < 200 && !(ct_body_is_asleep(w, hung) && ct_body_is_asleep(w, other)); i++)
        step_once(w, DT);
    assert_true(ct_body_is_asleep(w, hung) && ct_body_is_asleep(w, other));
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    for (i = 0; i < 60; i++)
        step_once(w, DT);
    assert_true(fabs(place(w, other, 1) - 0.101) < 1e-3 && fabs(place(w, hung, 1) - 1) < 1e-3);
    assert_true(ct_body_is_asleep(w, hung) && ct_body_is_asleep(w, other));
    d.name = "wedge", d.position[0] = (ct_real)4.15, d.position[1] = (ct_real)0.2;
    assert_int_equal(ct_body_add_static(w, &d, &wedge), CT_OK);
    r = step_once(w, DT);
    assert_true(r.tangled > 0);
    assert_int_equal(ct_body_remove(w, wedge), CT_OK);
    assert_int_equal(ct_body_remove(w, hook), CT_OK);
    y = place(w, hung, 1);
    for (i = 0; i < 20; i++)
        step_once(w, DT);
    assert_true(place(w, hung, 1) < y - 0.3);
    ct_world_destroy(w);

    free.sleep_time = 0.3, free.gravity[1] = 0;
    w = world_make(&free);
    hung = box_at(w, 0, 0, 0, 0), other = box_at(w, 1, 0, 0, 0);
    for (i = 0; i < 60; i++)
        step_once(w, DT);
    assert_true(ct_body_is_asleep(w, hung) && ct_body_is_asleep(w, other));
    assert_int_equal(ct_body_add_force(w, hung, push, NULL), CT_OK);
    for (i = 0; i < 4; i++)
        step_once(w, DT);
    assert_int_equal(ct_body_get_motion(w, hung, v, NULL), CT_OK);
    assert_int_equal(ct_body_get_motion(w, other, u, NULL), CT_OK);
    print_message("speeds %.3f and %.3f m/s of %.3f\n", (double)v[0], (double)u[0], 4e5 * DT / (double)ct_body_get_mass(w, hung));
    assert_true((double)u[0] > 100);
    assert_true(fabs((double)(v[0] + u[0]) - 4e5 * DT / (double)ct_body_get_mass(w, hung)) < 1e-3 * (double)(v[0] + u[0]));
    ct_mesh_free(&m), ct_world_destroy(w);
}

/* Where all sleep, a body that is removed leaves what it touched in the next step, not when something wakes; so it does where it lay in a sensor */
static void what_is_removed_asleep_ends(void **state)
{
    scene s = scene_make(0.3);
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    ct_static_desc d = ct_static_desc_default();
    ct_body_id gate;
    ct_events e;
    int i;
    (void)state;
    d.mesh = &m, d.name = "gate", d.position[0] = 5;
    assert_int_equal(ct_body_add_static(s.w, &d, &gate), CT_OK);
    assert_int_equal(ct_body_set_sensor(s.w, gate, 1), CT_OK);
    step_once(s.w, DT);
    assert_int_equal(ct_world_events(s.w, &e), CT_OK);
    assert_int_equal(e.n_sensor_begin, 1);
    assert_true(settle(&s) < 400);
    assert_int_equal(ct_body_remove(s.w, s.far), CT_OK);
    for (i = 0; i < 3; i++) {
        step_once(s.w, DT);
        assert_true(ct_body_is_asleep(s.w, s.low) && ct_body_is_asleep(s.w, s.jelly));
        assert_int_equal(ct_world_events(s.w, &e), CT_OK);
        assert_int_equal(e.n_end, i == 0);
        assert_int_equal(e.n_sensor_end, i == 0);
        assert_int_equal(e.n_begin + e.n_stay + e.n_sensor_begin, 0);
        if (i == 0) {
            assert_true(e.end[0].body_b.index1 == s.far.index1 && e.end[0].body_b.generation == s.far.generation);
            assert_true(e.sensor_end[0].body_a.index1 == gate.index1 && e.sensor_end[0].body_b.index1 == s.far.index1);
        }
    }
    ct_mesh_free(&m), ct_world_destroy(s.w);
}

/* a box in flight, a slow slide, a swing on a joint and a pinned sheet do not sleep; a jelly that creeps down a slope neither */
static void what_moves_stays_awake(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.05, NULL);
    ct_world *w;
    ct_mesh grid = mesh_grid(0.4, 0.4, 3, 3);
    ct_body_id ball, slide, sheet;
    int32_t row[4] = {0, 1, 2, 3};
    int i;
    (void)state;
    d.sleep_time = 0.2;
    d.gravity[0] = (ct_real)0.5; /* a slope of 3 degrees, with friction for 2.8 */
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    ball = box_at(w, 0, 40, 0, 0), slide = box_at(w, 3, 0.101, 0, 0.05);
    mesh_place(&grid, 0, -3, 1, 0);
    sheet = add_cloth_mesh(w, "sheet", &grid, CT_MODEL_SPRINGS, 0.2);
    assert_int_equal(ct_body_pin(w, sheet, row, 4, CT_AXIS_ALL, NULL, -1), CT_OK);
    for (i = 0; i < 150; i++) {
        step_once(w, DT);
        assert_true(!ct_body_is_asleep(w, ball) && !ct_body_is_asleep(w, sheet));
    }
    assert_true(!ct_body_is_asleep(w, slide) && place(w, slide, 0) > 3.1);
    ct_mesh_free(&grid), ct_world_destroy(w);
}

/* A spring pulls a box within a step farther than its speed tells, into one that sleeps: that one gives way in this step, as if it had never slept */
static void springs_reach_what_is_awake(void **state)
{
    ct_real p[2][3];
    int k, i, late = -1;
    double hit[2] = {0, 0};
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_joint_desc s = ct_joint_desc_default(CT_JOINT_STITCH);
        ct_world *w;
        ct_body_id ball, box;
        d.sleep_time = k ? 0.2 : 0, d.recovery_speed = 100;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        box = box_at(w, 0, 0.101, 0, 0), ball = box_at(w, -0.6, 0.101, 0, 0);
        for (i = 0; i < 60; i++)
            step_once(w, DT);
        assert_int_equal(ct_body_is_asleep(w, box), k);
        s.a.body = ball, s.b.body = box_at(w, 4, 0.101, 0, 0);
        s.a.vertices[0] = s.b.vertices[0] = 0, s.compliance = (ct_real)2e-4, s.rest_length = (ct_real)0.5;
        assert_int_equal(ct_joint_add(w, &s, NULL), CT_OK);
        for (i = 0; i < 12; i++) {
            step_once(w, DT);
            assert_int_equal(ct_body_get_pose(w, box, p[k], NULL), CT_OK);
            if (k == 0 && late < 0 && p[0][0] > 1e-3)
                late = i, hit[0] = (double)p[0][0];
            if (k == 1 && i == late)
                hit[1] = (double)p[1][0];
        }
        ct_world_destroy(w);
    }
    print_message("the box moved in step %d, to %.4f and %.4f m\n", late, hit[0], hit[1]);
    assert_true(hit[0] > 1e-3 && fabs(hit[0] - hit[1]) < 1e-3);
}

/* A box that sleeps on a block falls when the block becomes a sensor */
static void what_does_not_meet_does_not_hold(void **state)
{
    ct_mesh m = mesh_box(1, 0.2, 1, 1, 1, 1, 0);
    ct_world *w = world_of(0.2);
    ct_static_desc d = ct_static_desc_default();
    ct_body_id block, box;
    double y;
    int i;
    (void)state;
    d.mesh = &m;
    assert_int_equal(ct_body_add_static(w, &d, &block), CT_OK);
    box = box_at(w, 0, 0.201, 0, 0);
    for (i = 0; i < 200 && !ct_body_is_asleep(w, box); i++)
        step_once(w, DT);
    assert_true(ct_body_is_asleep(w, box));
    y = place(w, box, 1);
    assert_int_equal(ct_body_set_sensor(w, block, 1), CT_OK);
    for (i = 0; i < 6; i++)
        step_once(w, DT);
    assert_true(y - place(w, box, 1) > 0.9 * 9.81 * 0.1 * 0.1 / 2); /* g t^2 / 2 after .1 s, less a step */
    ct_mesh_free(&m), ct_world_destroy(w);
}

/* what is behind a plane is an intersection, and is named as one however slowly it comes back: it does not sleep */
static void what_is_behind_a_plane_stays_awake(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_pair *pairs = NULL;
    ct_world *w;
    ct_body_id box;
    int i, n = 0;
    (void)state;
    d.sleep_time = 0.2, d.gravity[1] = 0, d.recovery_speed = CTI_R(1e-3);
    w = world_make(&d);
    box = box_at(w, 0, -1, 0, 0), add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 40; i++)
        step_once(w, DT);
    assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
    assert_int_equal(n, 8);
    assert_int_equal(ct_body_is_asleep(w, box), 0);
    ct_world_destroy(w);
}

static void refusals(void **state)
{
    ct_world_desc d = ct_world_desc_default_for(CT_STEPPER_BARRIER);
    ct_error_info e;
    ct_world *w = NULL;
    ct_body_id none = {0, 0};
    (void)state;
    d.sleep_time = 1;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.text, "sleep_time"));
    d = ct_world_desc_default();
    d.sleep_time = -1;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    d.sleep_time = 1, d.sleep_speed = 0;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_wake(NULL, none), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_is_asleep(NULL, none), 0);
}

/* allocations fail in turn while bodies sleep and are woken */
static void memory_may_run_out(void **state)
{
    int at, done = 0, refused = 0;
    (void)state;
    for (at = 1; !done; at += 3) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        const ct_real push[3] = {0, 5, 0};
        ct_world *w;
        ct_body_id box;
        ct_code code;
        int i;
        d.allocator.resize = failing, d.sleep_time = 0.1;
        fail_at = 0;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        box = box_at(w, 0, 0.101, 0, 0);
        step_once(w, DT);
        calls = 0, fail_at = at;
        for (i = 0; i < 30; i++) {
            code = ct_world_step(w, (ct_real)DT, NULL);
            assert_true(code == CT_OK || code == CT_ERR_MEMORY);
            refused += code != CT_OK;
            if (i == 20)
                ct_body_add_force(w, box, push, NULL);
        }
        done = calls < at;
        fail_at = 0;
        step_once(w, DT);
        assert_true(fabs(place(w, box, 1) - 0.101) < 0.02);
        ct_world_destroy(w);
    }
    print_message("%d allocations, %d refusals\n", at, refused);
}

/* the description for games: all rest and sleep, and a box rests where it would without it */
static void worlds_of_games_sleep(void **state)
{
    ct_world_desc d = ct_world_desc_default_game();
    scene s;
    (void)state;
    assert_true(d.sleep_time > 0 && d.solver.tolerance >= ct_world_desc_default().solver.tolerance && d.stepper == CT_STEPPER_CMR);
    s.w = world_make(&d);
    add_plane(s.w, 0, 1, 0, 0);
    s.low = s.far = box_at(s.w, 0, 0.11, 0, 0), s.high = box_at(s.w, 0, 0.32, 0, 0);
    s.jelly = add_soft_box(s.w, "jelly", 0.2, 3, 3e4, 2, 0.11, 0);
    assert_true(settle(&s) < 400);
    assert_true(fabs(place(s.w, s.low, 1) - 0.1) < 2e-3 && fabs(place(s.w, s.high, 1) - 0.3) < 4e-3); /* one and two thicknesses above */
    ct_world_destroy(s.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rests_sleeps),
        cmocka_unit_test(impacts_are_those_of_awake_bodies),
        cmocka_unit_test(calls_wake),
        cmocka_unit_test(what_loses_its_hold_wakes),
        cmocka_unit_test(nothing_is_forgotten_asleep), cmocka_unit_test(what_is_removed_asleep_ends),
        cmocka_unit_test(what_moves_stays_awake),
        cmocka_unit_test(springs_reach_what_is_awake),
        cmocka_unit_test(what_does_not_meet_does_not_hold),
        cmocka_unit_test(worlds_of_games_sleep),
        cmocka_unit_test(what_is_behind_a_plane_stays_awake),
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
