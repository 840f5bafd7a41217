/* test_limits.c -- limits, motors, drags and breaking of joints against closed forms. */
#include "forms_util.h"

#define SIDE 0.2 /* [m] of a cube of 8 kg */
#define MASS 8.0
#define INERTIA (MASS * SIDE * SIDE / 6) /* [kg m^2] about its centre */
#define NONE ((ct_real)INFINITY)

static ct_body_id cube_at(ct_world *w, double x, double y, double z)
{
    ct_mesh m = mesh_box(SIDE, SIDE, SIDE, 1, 1, 1, 0);
    ct_body_id id;
    double c[3] = {0, 0, 0};
    int i;
    for (i = 0; i < 3 * m.n_positions; i++)
        c[i % 3] += (double)m.positions[i] / m.n_positions;
    forms_shift(&m, x - c[0], y - c[1], z - c[2]);
    id = forms_add_rigid(w, &m, MASS / (SIDE * SIDE * SIDE), NULL, NULL);
    ct_mesh_free(&m);
    return id;
}

/* a joint of a with b, {0, 0}: the world, at a point with an axis */
static ct_joint_id join(ct_world *w, ct_joint_kind kind, ct_body_id a, ct_body_id b, double px, double py, double ax, double ay, double az)
{
    ct_joint_desc d = ct_joint_desc_default(kind);
    ct_joint_id id = {0, 0};
    d.a.body = a, d.b.body = b;
    d.point[0] = (ct_real)px, d.point[1] = (ct_real)py;
    d.axis[0] = (ct_real)ax, d.axis[1] = (ct_real)ay, d.axis[2] = (ct_real)az;
    assert_int_equal(ct_joint_add(w, &d, &id), CT_OK);
    return id;
}

static double value_of(const ct_world *w, ct_joint_id j)
{
    ct_real x = 0;
    assert_int_equal(ct_joint_get_angle(w, j, &x), CT_OK);
    return (double)x;
}

static const ct_body_id the_world = {0, 0};

/* ---- limits ---- */

/* a pendulum that is let go level stops at its limit, loses its speed there, and hangs on it: the limit gives m g l cos(angle). What the impact takes
   is in work_joints and energy_gained, both below 0 */
static void pendulum_stops_at_its_limit(void **state)
{
    const double l = 0.5, limit = -0.7, dt = 5e-3;
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_body_id b = cube_at(w, l, 0, 0);
    ct_joint_id j = join(w, CT_JOINT_HINGE, b, the_world, 0, 0, 0, 0, 1);
    double least = 0, fastest = 0, gained = 0, lost = 0, fell = sqrt(2 * MASS * FORMS_G * l * sin(0.7) / (INERTIA + MASS * l * l));
    ct_real force[3], torque[3], v[3], spin[3];
    int i, off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_limits(w, j, (ct_real)limit, (ct_real)2), CT_OK);
    for (i = 0; i < 400; i++) {
        ct_step_report r = step_once(w, dt);
        off += r.status > CT_STATUS_SUBSTEPPED;
        gained = fmax(gained, fmax(r.energy_gained, r.work_joints)), lost -= r.energy_gained + r.work_joints;
        assert_int_equal(ct_body_get_motion(w, b, v, spin), CT_OK);
        least = fmin(least, value_of(w, j)), fastest = fmin(fastest, (double)spin[2]);
    }
    assert_int_equal(ct_joint_get_force(w, j, force, torque), CT_OK);
    off += forms_off(-fastest, fell, 0.02 * fell, "speed at the limit");
    off += forms_off(gained, 0, 1e-3 * MASS * FORMS_G * l, "energy gained in a step");
    off += forms_off(lost, MASS * FORMS_G * l * sin(0.7), 1e-3 * MASS * FORMS_G * l, "energy that the impact takes");
    off += forms_off(least, limit, FORMS_TOL(1e-6, 1e-4), "least angle");
    off += forms_off(value_of(w, j), limit, FORMS_TOL(1e-6, 1e-4), "angle at rest");
    off += forms_off((double)torque[2], MASS * FORMS_G * l * cos(limit), 1e-3 * MASS * FORMS_G, "torque of the limit");
    off += forms_off((double)force[1], MASS * FORMS_G, 1e-3 * MASS * FORMS_G, "force of the hinge");
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* a cube on an inclined slider moves with g sin, stops at its limit, and is held there with m g sin along it and m g cos across */
static void slider_stops_at_its_limit(void **state)
{
    const double c = 0.8, s = 0.6, dt = 5e-3, way = -0.4;
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_body_id b = cube_at(w, 0, 0, 0);
    ct_joint_id j = join(w, CT_JOINT_SLIDER, b, the_world, 0, 0, c, s, 0);
    ct_real force[3], torque[3];
    int i, off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_limits(w, j, (ct_real)way, NONE), CT_OK);
    forms_run(w, dt, 50);
    off += forms_off(value_of(w, j), -FORMS_G * s * 0.25 * 0.25 / 2, FORMS_G * s * 0.25 * dt, "way after 1/4 s");
    for (i = 0; i < 150; i++)
        off += step_once(w, dt).status > CT_STATUS_SUBSTEPPED;
    off += forms_off(value_of(w, j), way, FORMS_TOL(1e-6, 1e-4), "way at rest");
    assert_int_equal(ct_joint_get_force(w, j, force, torque), CT_OK);
    off += forms_off((double)force[0], 0, 1e-3 * MASS * FORMS_G, "force along x") + forms_off((double)force[1], MASS * FORMS_G, 1e-3 * MASS * FORMS_G, "along y");
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* a motor without a bound does not drive its joint through its own limits: a hinge and a slider stop there, with the motor on, and come back from
   behind limits that are set later */
static void motors_stop_at_limits(void **state)
{
    const double dt = 0.01;
    int kind, off = 0;
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
        ct_joint_id j = join(w, kind ? CT_JOINT_SLIDER : CT_JOINT_HINGE, cube_at(w, 0, 0, 0), cube_at(w, 1, 0, 0), 0.5, 0, 1, 0, 0);
        int i;
        assert_int_equal(ct_joint_set_limits(w, j, (ct_real)(-0.2), (ct_real)(0.3)), CT_OK);
        assert_int_equal(ct_joint_set_motor(w, j, 3, NONE), CT_OK);
        for (i = 0; i < 60; i++) {
            ct_step_report r = step_once(w, dt);
            off += r.status > CT_STATUS_SUBSTEPPED || r.energy_gained > 1e-6;
            off += value_of(w, j) > 0.3 + FORMS_TOL(1e-5, 1e-4);
        }
        off += forms_off(value_of(w, j), 0.3, FORMS_TOL(1e-5, 1e-4), "at the limit");
        assert_int_equal(ct_joint_set_limits(w, j, (ct_real)(-0.2), (ct_real)(0.1)), CT_OK);
        forms_run(w, dt, 60);
        off += forms_off(value_of(w, j), 0.1, FORMS_TOL(1e-5, 1e-4), "back at a nearer limit");
        ct_world_destroy(w);
    }
    assert_int_equal(off, 0);
}

/* ---- motors ---- */

/* limits that are set beside the present value lock a joint there: the arm is lifted to them, and its weight is borne */
static void limits_restore_a_joint(void **state)
{
    const double l = 0.5, dts[] = {1.0 / 60, 2e-3}, to[] = {0.1, -0.2};
    int k, n, i, off = 0;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
        ct_joint_id j = join(w, CT_JOINT_HINGE, cube_at(w, l, 0, 0), the_world, 0, 0, 0, 0, 1);
        for (n = 0; n < 2; n++) {
            ct_real torque[3];
            assert_int_equal(ct_joint_set_limits(w, j, (ct_real)to[n], (ct_real)to[n]), CT_OK);
            for (i = 0; i * dts[k] < 1; i++) {
                ct_step_report r = step_once(w, dts[k]);
                off += r.status > CT_STATUS_SUBSTEPPED || r.energy_gained > FORMS_TOL(1e-6, 1e-3) * MASS * FORMS_G * l;
            }
            off += forms_off(value_of(w, j), to[n], FORMS_TOL(1e-6, 1e-4), "locked at");
            assert_int_equal(ct_joint_get_force(w, j, NULL, torque), CT_OK);
            off += forms_off((double)torque[2], MASS * FORMS_G * l * cos(to[n]), 1e-3 * MASS * FORMS_G, "torque of the lock");
        }
        ct_world_destroy(w);
    }
    assert_int_equal(off, 0);
}

/* the limit of a slider stops the cube and a box on it of up to 1e5 times its mass, and bears them (docs/limits.md) */
static void a_limit_bears_heavy_loads(void **state)
{
    const double ratios[] = {1, 1e3, 1e5};
    int k, i, off = 0;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0.5);
        ct_joint_id j = join(w, CT_JOINT_SLIDER, cube_at(w, 0, 0, 0), the_world, 0, 0, 0, 1, 0);
        ct_mesh m = mesh_box(SIDE, SIDE, SIDE, 1, 1, 1, 0);
        double c[3] = {0, 0, 0};
        ct_body_id load;
        ct_real x[3];
        for (i = 0; i < 3 * m.n_positions; i++)
            c[i % 3] += (double)m.positions[i] / m.n_positions;
        forms_shift(&m, -c[0], SIDE + 2e-3 - c[1], -c[2]);
        load = forms_add_rigid(w, &m, ratios[k] * MASS / (SIDE * SIDE * SIDE), NULL, NULL);
        ct_mesh_free(&m);
        assert_int_equal(ct_joint_set_limits(w, j, (ct_real)-0.3, NONE), CT_OK);
        for (i = 0; i < 100; i++)
            off += step_once(w, 0.01).status > CT_STATUS_SUBSTEPPED;
        assert_int_equal(ct_body_get_pose(w, load, x, NULL), CT_OK);
        off += forms_off(value_of(w, j), -0.3, 1e-4, "limit under %g times its mass", ratios[k]);
        off += forms_off((double)x[1], SIDE + 1e-3 - 0.3, 1e-4, "load of %g times", ratios[k]);
        ct_world_destroy(w);
    }
    assert_int_equal(off, 0);
}

/* the target of a hinge's spring is an angle: targets that differ by whole turns are one, and the hinge comes to rest there */
static void targets_are_angles(void **state)
{
    const double targets[] = {1, 4, -4, 10, 100, -1000};
    int k, i, off = 0;
    (void)state;
    for (k = 0; k < 6; k++) {
        ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
        ct_joint_id j = join(w, CT_JOINT_HINGE, cube_at(w, 0, 0, 0), the_world, 0, 0, 0, 0, 1);
        assert_int_equal(ct_joint_set_motor(w, j, 0, NONE), CT_OK);
        assert_int_equal(ct_joint_set_spring(w, j, (ct_real)targets[k], 50, 5), CT_OK);
        for (i = 0; i < 300; i++)
            off += step_once(w, 0.01).status > CT_STATUS_SUBSTEPPED;
        off += forms_off(value_of(w, j), remainder(targets[k], 2 * FORMS_PI), FORMS_TOL(1e-6, 1e-4), "target %g", targets[k]);
        ct_world_destroy(w);
    }
    assert_int_equal(off, 0);
}

/* a motor turns a free wheel by torque / inertia until it has its speed; its work is I omega^2 / 2 */
static void motor_accelerates_a_wheel(void **state)
{
    const double dt = 5e-3, torque = 2, speed = 10;
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
    ct_body_id b = cube_at(w, 0, 0, 0);
    ct_joint_id j = join(w, CT_JOINT_HINGE, b, the_world, 0, 0, 0, 0, 1);
    ct_real v[3], spin[3];
    double work = 0, gained = 0;
    int i, off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_motor(w, j, (ct_real)speed, (ct_real)torque), CT_OK);
    for (i = 1; i <= 100; i++) {
        ct_step_report r = step_once(w, dt);
        work += r.work_joints, gained += r.energy_gained;
        assert_int_equal(ct_body_get_motion(w, b, v, spin), CT_OK);
        off += forms_off((double)spin[2], fmin(speed, torque / INERTIA * i * dt), speed * (speed * dt) * (speed * dt), "speed after step %d", i);
        off += r.status > CT_STATUS_SUBSTEPPED;
    }
    off += forms_off(work, INERTIA * speed * speed / 2, torque * speed * dt, "work of the motor");
    off += forms_off(gained, 0, torque * speed * dt, "energy gained");
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* a motor of speed 0 holds a level arm below its largest torque, and slips above it: then (T - m g l cos) = I alpha; also where another solver is
   chosen */
static void motor_holds_and_slips(void **state)
{
    const double l = 0.5, dt = 5e-3, load = MASS * FORMS_G * l;
    int solver, off = 0;
    (void)state;
    for (solver = 0; solver < 4; solver++) {
        const int k = solver & 1;
        ct_world_desc d = forms_desc(CT_INTEGRATOR_EULER, FORMS_G, 0);
        ct_world *w;
        ct_joint_id j;
        double torque = load * (k ? 0.9 : 1.1), alpha = 0.1 * load / (INERTIA + MASS * l * l);
        ct_real t[3];
        d.solver.solver = solver < 2 ? d.solver.solver : CT_SOLVER_PGS;
        w = world_make(&d);
        j = join(w, CT_JOINT_HINGE, cube_at(w, l, 0, 0), the_world, 0, 0, 0, 0, 1);
        assert_int_equal(ct_joint_set_motor(w, j, 0, (ct_real)torque), CT_OK);
        forms_run(w, dt, 40);
        assert_int_equal(ct_joint_get_force(w, j, NULL, t), CT_OK);
        if (k == 0)
            off += forms_off(value_of(w, j), 0, FORMS_TOL(1e-6, 1e-4), "held angle") + forms_off((double)t[2], load, 1e-3 * load, "holding torque");
        else
            off += forms_off(value_of(w, j), -alpha * 0.2 * 0.2 / 2, alpha * 0.2 * dt + 1e-4, "slipped angle") +
                   forms_off((double)t[2], torque, 1e-4 * torque, "slipping torque");
        ct_world_destroy(w);
    }
    assert_int_equal(off, 0);
}

/* a motor presses a cube on a slider against another one, which a limit holds: motor, contact and limit have the same force */
static void motor_presses(void **state)
{
    const double F = 50, dt = 5e-3;
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0.3);
    ct_joint_id j = join(w, CT_JOINT_SLIDER, cube_at(w, 0, 0, 0), the_world, 0, 0, 1, 0, 0);
    ct_joint_id h = join(w, CT_JOINT_SLIDER, cube_at(w, 0.3, 0, 0), the_world, 0.3, 0, 1, 0, 0);
    const ct_contact *c;
    ct_real f[2][3];
    double sum = 0;
    int i, n, off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_motor(w, j, 1, (ct_real)F), CT_OK);
    assert_int_equal(ct_joint_set_limits(w, h, -1, (ct_real)0.2), CT_OK);
    for (i = 0; i < 300; i++)
        off += step_once(w, dt).status > CT_STATUS_SUBSTEPPED;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++)
        sum += (double)c[i].impulse_normal / dt;
    assert_int_equal(ct_joint_get_force(w, j, f[0], NULL), CT_OK);
    assert_int_equal(ct_joint_get_force(w, h, f[1], NULL), CT_OK);
    off += forms_off((double)f[0][0], F, 1e-3 * F, "force of the motor") + forms_off(sum, F, 1e-3 * F, "force of the contact");
    off += forms_off((double)f[1][0], -F, 1e-3 * F, "force of the limit") + forms_off(value_of(w, h), 0.2, FORMS_TOL(1e-6, 1e-4), "limit");
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* a motor between two free cubes turns them against each other: no momentum comes of it */
static void motor_keeps_momentum(void **state)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
    ct_body_id a = cube_at(w, 0, 0, 0), b = cube_at(w, 0, 0, 0.3);
    ct_joint_id j = join(w, CT_JOINT_HINGE, a, b, 0, 0, 0, 0, 1);
    ct_real v[2][3], s[2][3];
    int off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_motor(w, j, 8, NONE), CT_OK);
    forms_run(w, 5e-3, 100);
    assert_int_equal(ct_body_get_motion(w, a, v[0], s[0]), CT_OK);
    assert_int_equal(ct_body_get_motion(w, b, v[1], s[1]), CT_OK);
    off += forms_off((double)(s[0][2] - s[1][2]), 8, 8 * 0.04 * 0.04, "relative speed");
    off += forms_off((double)(s[0][2] + s[1][2]), 0, FORMS_TOL(1e-8, 1e-4), "sum of spins");
    off += forms_off((double)(v[0][0] + v[1][0]), 0, FORMS_TOL(1e-8, 1e-4), "sum of velocities");
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* a spring at a hinge: implicit Euler, omega' = (I omega - dt k (angle - target)) / (I + dt c + dt^2 k) */
static void spring_turns_a_wheel(void **state)
{
    const double dt = 2e-3, k = 20, c = 0.05, target = 0.6;
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
    ct_joint_id j = join(w, CT_JOINT_HINGE, cube_at(w, 0, 0, 0), the_world, 0, 0, 0, 0, 1);
    double angle = 0, omega = 0;
    int i, off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_motor(w, j, 0, NONE), CT_OK);
    assert_int_equal(ct_joint_set_spring(w, j, (ct_real)target, (ct_real)k, (ct_real)c), CT_OK);
    for (i = 0; i < 500; i++) {
        omega = (INERTIA * omega - dt * k * (angle - target)) / (INERTIA + dt * c + dt * dt * k), angle += dt * omega;
        step_once(w, dt);
        off += forms_off(value_of(w, j), angle, target * 20 * dt * 20 * dt, "angle after step %d", i);
    }
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* ---- drags ---- */

static ct_joint_id drag(ct_world *w, ct_body_id b, int vertex, double stiffness, double damping, double most)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_DRAG);
    ct_joint_id id = {0, 0};
    d.a.body = b, d.a.vertices[0] = vertex;
    assert_int_equal(ct_joint_add(w, &d, &id), CT_OK);
    assert_int_equal(ct_joint_set_motor(w, id, 0, (ct_real)most), CT_OK);
    assert_int_equal(ct_joint_set_spring(w, id, 0, (ct_real)stiffness, (ct_real)damping), CT_OK);
    return id;
}

/* a cube that is dragged at its centre is a damped oscillator, stepped by implicit Euler, and hangs m g / k below its target */
static void drag_is_an_oscillator(void **state)
{
    const double dt = 2e-3, k = 400, c = 12;
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_body_id b = cube_at(w, 0, 0, 0);
    ct_joint_id j = drag(w, b, -1, k, c, INFINITY);
    const ct_real target[3] = {(ct_real)0.5, (ct_real)0.2, 0};
    double x[2] = {0, 0}, v[2] = {0, 0}, goal[2] = {0.5, 0.2};
    ct_real p[3], force[3];
    int i, a, off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_target(w, j, target), CT_OK);
    for (i = 0; i < 3000; i++) {
        for (a = 0; a < 2; a++) {
            v[a] = (MASS * v[a] - dt * k * (x[a] - goal[a]) - (a ? dt * MASS * FORMS_G : 0)) / (MASS + dt * c + dt * dt * k);
            x[a] += dt * v[a];
        }
        off += step_once(w, dt).status > CT_STATUS_SUBSTEPPED;
        assert_int_equal(ct_body_get_pose(w, b, p, NULL), CT_OK);
        off += forms_off((double)p[0], x[0], 2e-3, "x after step %d", i) + forms_off((double)p[1], x[1], 2e-3, "y after step %d", i);
        if (off > 3)
            break;
    }
    assert_int_equal(ct_joint_get_force(w, j, force, NULL), CT_OK);
    off += forms_off((double)p[1], 0.2 - MASS * FORMS_G / k, 1e-3, "height at rest");
    off += forms_off((double)force[1], MASS * FORMS_G, 2e-2 * MASS * FORMS_G, "force at rest");
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* a drag pulls with its largest force at most: a = F / m - g; and turns a body that it holds at a corner towards its target */
static void drag_has_a_largest_force(void **state)
{
    const double dt = 2e-3, F = 100;
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_body_id b = cube_at(w, 0, 0, 0);
    ct_joint_id j = drag(w, b, -1, 1e6, 10, F);
    const ct_real target[3] = {0, 5, 0};
    ct_real p[3], force[3];
    double a = F / MASS - FORMS_G;
    int off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_target(w, j, target), CT_OK);
    forms_run(w, dt, 200);
    assert_int_equal(ct_body_get_pose(w, b, p, NULL), CT_OK);
    assert_int_equal(ct_joint_get_force(w, j, force, NULL), CT_OK);
    off += forms_off((double)p[1], a * 0.4 * 0.4 / 2, F / MASS * 0.4 * dt, "height");
    off += forms_off((double)force[1], F, 1e-3 * F, "force");
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* soft bodies and cloth are dragged at vertices: at rest m g / k below the target */
static void drag_holds_what_is_soft(void **state)
{
    int kind, off = 0, i;
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
        ct_mesh m = mesh_grid(0.4, 0.4, 4, 4);
        ct_body_id b = kind ? add_cloth_mesh(w, "cloth", &m, CT_MODEL_MEMBRANE, 0.3) : add_soft_box(w, "box", 0.2, 2, 1e5, 0, 0, 0);
        double mass = (double)ct_body_get_mass(w, b), k = 50 * mass, *x = read_vectors(w, b, 0, NULL), y = x[1];
        ct_joint_id j = drag(w, b, 0, k, 10 * mass, INFINITY);
        ct_real force[3];
        free(x);
        for (i = 0; i < 800; i++)
            off += step_once(w, 1e-2).status > CT_STATUS_SUBSTEPPED;
        assert_int_equal(ct_joint_get_force(w, j, force, NULL), CT_OK);
        x = read_vectors(w, b, 0, NULL);
        off += forms_off(x[1], y - mass * FORMS_G / k, 0.01, "height of body %d", kind);
        off += forms_off((double)force[1], mass * FORMS_G, 0.02 * mass * FORMS_G, "force on body %d", kind);
        free(x);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
    assert_int_equal(off, 0);
}

/* ---- breaking ---- */

/* a ball joint under a growing weight breaks in the step in which it is above its threshold, tells that, and lets the cube fall */
static void joint_breaks_at_its_threshold(void **state)
{
    const double dt = 5e-3, strength = 150, rate = 100;
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_body_id b = cube_at(w, 0, 0, 0);
    ct_joint_id j = join(w, CT_JOINT_BALL, b, the_world, 0, 0, 0, 1, 0);
    ct_joint_state s;
    ct_events e;
    ct_real v[3], p[3];
    double before, high;
    int i, off = 0;
    (void)state;
    assert_int_equal(ct_joint_set_break(w, j, (ct_real)strength, NONE), CT_OK);
    for (i = 0; i < 400; i++) {
        ct_real f[3] = {0, (ct_real)(-rate * i * dt), 0};
        assert_int_equal(ct_body_add_force(w, b, f, NULL), CT_OK);
        step_once(w, dt);
        assert_int_equal(ct_world_events(w, &e), CT_OK);
        if (e.n_joint_break)
            break;
    }
    off += forms_off(MASS * FORMS_G + rate * i * dt, strength, rate * dt, "weight at which it breaks");
    assert_int_equal(e.n_joint_break, 1);
    assert_true(e.joint_break[0].joint.index1 == j.index1 && e.joint_break[0].joint.generation == j.generation);
    assert_true(e.joint_break[0].body_a.index1 == b.index1 && e.joint_break[0].body_b.index1 == 0);
    off += forms_off((double)e.joint_break[0].impulse[1] / dt, strength, rate * dt, "force at which it breaks");
    assert_int_equal(ct_joint_get_state(w, j, &s), CT_OK);
    assert_int_equal(s.broken, 1);
    assert_int_equal(ct_body_get_motion(w, b, v, NULL), CT_OK);
    assert_int_equal(ct_body_get_pose(w, b, p, NULL), CT_OK);
    before = (double)v[1], high = (double)p[1];
    forms_run(w, dt, 100);
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    assert_int_equal(e.n_joint_break, 0);
    assert_int_equal(ct_body_get_motion(w, b, v, NULL), CT_OK);
    assert_int_equal(ct_body_get_pose(w, b, p, NULL), CT_OK);
    off += forms_off((double)v[1], before - FORMS_G * 0.5, FORMS_G * dt, "speed after 1/2 s of fall");
    off += forms_off((double)p[1], high - FORMS_G * 0.125, FORMS_G * 0.5 * dt, "fall in 1/2 s");
    assert_int_equal(ct_joint_remove(w, j), CT_OK);
    assert_int_equal(off, 0);
    ct_world_destroy(w);
}

/* two cloths on stitches: those at the four corners break in the order of their ids, and only where more than their strength pulls */
static void stitches_break_in_order(void **state)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
    ct_mesh m = mesh_grid(0.4, 0.4, 2, 2);
    ct_body_id a = add_cloth_mesh(w, "a", &m, CT_MODEL_MEMBRANE, 0.3), b;
    const int32_t corners[4] = {0, 2, 6, 8};
    ct_joint_id j[4];
    ct_events e;
    int i, broken = 0, steps = 0;
    (void)state;
    mesh_place(&m, 0, 0, -0.05, 0);
    b = add_cloth_mesh(w, "b", &m, CT_MODEL_MEMBRANE, 0.3);
    for (i = 0; i < 4; i++) {
        ct_joint_desc d = ct_joint_desc_default(CT_JOINT_STITCH);
        d.a.body = a, d.b.body = b, d.a.vertices[0] = d.b.vertices[0] = corners[i];
        d.rest_length = (ct_real)0.05;
        assert_int_equal(ct_joint_add(w, &d, &j[i]), CT_OK);
        assert_int_equal(ct_joint_set_break(w, j[i], i == 1 ? NONE : 3, NONE), CT_OK);
        forms_hold(w, a, corners[i], CT_AXIS_ALL);
    }
    while (steps++ < 200 && broken < 3) {
        for (i = 0; i < 4; i++) {
            const ct_real pull[3] = {0, (ct_real)(-0.05 * steps), 0};
            assert_int_equal(ct_body_add_vertex_force(w, b, corners[i], pull), CT_OK);
        }
        step_once(w, 5e-3);
        assert_int_equal(ct_world_events(w, &e), CT_OK);
        for (i = 0; i < e.n_joint_break; i++) {
            assert_true(i == 0 || e.joint_break[i - 1].joint.index1 < e.joint_break[i].joint.index1);
            assert_int_not_equal(e.joint_break[i].joint.index1, j[1].index1);
            assert_true(e.joint_break[i].body_a.index1 == a.index1 && e.joint_break[i].body_b.index1 == b.index1);
        }
        broken += e.n_joint_break;
    }
    assert_int_equal(broken, 3);
    assert_true(steps > 40 && steps < 90); /* 3 N after 60 steps */
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* in the step in which a joint breaks every allocation fails once: the step is refused, nothing has broken, and the next one is as without */
static void break_without_memory(void **state)
{
    books b;
    int64_t k, calls = 1;
    uint64_t want = 0;
    (void)state;
    for (k = 0; k <= calls; k++) {
        ct_world_desc d;
        ct_world *w;
        ct_joint_id j;
        ct_joint_state s;
        ct_code code;
        memset(&b, 0, sizeof b);
        d = world_desc(1e-3, 0, &b);
        w = world_make(&d);
        j = join(w, CT_JOINT_BALL, cube_at(w, 0, 0, 0), the_world, 0, 0, 0, 1, 0);
        forms_run(w, 5e-3, 2);
        assert_int_equal(ct_joint_set_break(w, j, 50, NONE), CT_OK);
        calls = k ? calls : b.calls;
        b.fail_at = k ? b.calls + k : 0;
        code = ct_world_step(w, (ct_real)5e-3, NULL);
        assert_int_equal(ct_joint_get_state(w, j, &s), CT_OK);
        assert_int_equal(s.broken, code == CT_OK);
        if (b.refused)
            assert_int_equal(code, CT_ERR_MEMORY);
        b.fail_at = 0;
        if (code != CT_OK)
            step_once(w, 5e-3);
        forms_run(w, 5e-3, 3);
        want = k ? want : ct_world_hash(w);
        assert_true(ct_world_hash(w) == want);
        calls = k ? calls : b.calls - calls;
        ct_world_destroy(w);
        assert_int_equal(b.live, 0);
        if (k && !b.refused)
            break;
    }
    assert_true(k > 1);
}

/* ---- snapshots ---- */

static double *poses_of(const ct_world *w, const ct_body_id *b, int n)
{
    double *x = (double *)calloc((size_t)(8 * n), sizeof *x);
    int i, k;
    for (i = 0; i < n; i++) {
        ct_real p[3], q[4];
        assert_int_equal(ct_body_get_pose(w, b[i], p, q), CT_OK);
        for (k = 0; k < 3; k++)
            x[8 * i + k] = (double)p[k], x[8 * i + 3 + k] = (double)q[k];
    }
    return x;
}

/* a snapshot has limits, motors, targets and strengths, and who is broken: what follows is the same to the bit, before and after the break */
static void snapshots_have_drives(void **state)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0.5);
    ct_body_id b[4];
    ct_joint_id hinge, slider, ball, pull;
    ct_joint_state s;
    const ct_real target[3] = {(ct_real)0.3, 2, 0};
    unsigned char *data;
    size_t bytes, had;
    double *one, *two;
    int i, when, breaks;
    (void)state;
    for (i = 0; i < 4; i++)
        b[i] = cube_at(w, i, 1, 0);
    add_plane(w, 0, 1, 0, 0);
    hinge = join(w, CT_JOINT_HINGE, b[0], the_world, -0.5, 1, 0, 0, 1);
    slider = join(w, CT_JOINT_SLIDER, b[1], the_world, 1, 1, 0, 1, 0);
    ball = join(w, CT_JOINT_BALL, b[2], the_world, 2.5, 1, 0, 0, 1);
    pull = drag(w, b[3], -1, 300, 5, 200);
    assert_int_equal(ct_joint_set_limits(w, hinge, (ct_real)-0.4, (ct_real)0.4), CT_OK);
    assert_int_equal(ct_joint_set_motor(w, slider, (ct_real)0.2, 60), CT_OK);
    assert_int_equal(ct_joint_set_break(w, ball, 100, NONE), CT_OK);
    assert_int_equal(ct_joint_set_target(w, pull, target), CT_OK);
    for (when = 0; when < 3; when++) {
        forms_run(w, 5e-3, when == 1 ? 10 : 60);
        assert_int_equal(ct_world_snapshot_size(w, &bytes), CT_OK);
        data = (unsigned char *)malloc(bytes);
        assert_int_equal(ct_world_snapshot_save(w, data, bytes, &had), CT_OK);
        assert_int_equal(ct_joint_get_state(w, ball, &s), CT_OK);
        breaks = s.broken;
        forms_run(w, 5e-3, 60);
        one = poses_of(w, b, 4);
        assert_int_equal(ct_joint_set_limits(w, hinge, -1, 1), CT_OK);
        assert_int_equal(ct_joint_set_motor(w, slider, 1, 500), CT_OK);
        assert_int_equal(ct_joint_set_break(w, ball, 1, 1), CT_OK);
        forms_run(w, 5e-3, 3);
        assert_int_equal(ct_world_snapshot_restore(w, data, bytes), CT_OK);
        assert_int_equal(ct_joint_get_state(w, ball, &s), CT_OK);
        assert_int_equal(s.broken, breaks);
        forms_run(w, 5e-3, 60);
        two = poses_of(w, b, 4);
        assert_memory_equal(one, two, 32 * sizeof *one);
        free(one), free(two), free(data);
    }
    assert_int_equal(ct_joint_get_state(w, hinge, &s), CT_OK);
    assert_true(s.lower == (ct_real)-0.4 && s.upper == (ct_real)0.4);
    ct_world_destroy(w);
}

/* ---- refusals ---- */

/* what is no limit, motor, target or strength is refused, and changes nothing */
static void bad_drives_are_refused(void **state)
{
    const ct_real bad = (ct_real)NAN, huge = sizeof(ct_real) == 8 ? (ct_real)1e100 : (ct_real)1e30, place[3] = {0, 1, 0}, no_place[3] = {bad, 0, 0};
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0), *other;
    ct_body_id b = cube_at(w, 0, 0, 0), c = cube_at(w, 1, 0, 0);
    ct_joint_id hinge = join(w, CT_JOINT_HINGE, b, the_world, 0, 0, 0, 0, 1), ball = join(w, CT_JOINT_BALL, c, the_world, 1, 0, 0, 0, 1), none = {0, 0};
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_DRAG);
    ct_world_desc wd = forms_desc(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_joint_state s;
    (void)state;
    assert_int_equal(ct_joint_set_limits(w, hinge, 1, -1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_limits(w, hinge, bad, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_limits(w, hinge, -4, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_limits(w, hinge, -NONE, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_limits(w, hinge, NONE, NONE), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_limits(w, ball, -1, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_limits(w, none, -1, 1), CT_ERR_STALE_ID);
    assert_int_equal(ct_joint_set_limits(NULL, hinge, -1, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_motor(w, hinge, bad, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_motor(w, hinge, 1, -1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_motor(w, hinge, huge, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_motor(w, ball, 1, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_spring(w, hinge, 0, -1, 0), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_spring(w, hinge, 0, NONE, 0), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_spring(w, hinge, bad, 1, 0), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_target(w, hinge, place), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_break(w, hinge, 0, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_break(w, hinge, 1, bad), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_get_state(w, hinge, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_get_angle(w, hinge, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_get_force(w, none, NULL, NULL), CT_ERR_STALE_ID);
    assert_int_equal(ct_joint_get_state(w, hinge, &s), CT_OK);
    assert_true(s.lower == -NONE && s.upper == NONE && s.max_effort == 0 && s.break_force == NONE && !s.broken);
    d.a.body = b, d.b.body = c;
    assert_int_equal(ct_joint_add(w, &d, NULL), CT_ERR_ARGUMENT);
    d.b.body = the_world;
    assert_int_equal(ct_joint_add(w, &d, &none), CT_OK);
    assert_int_equal(ct_joint_set_target(w, none, no_place), CT_ERR_ARGUMENT);
    assert_int_equal(ct_joint_set_target(w, none, NULL), CT_ERR_ARGUMENT);
    ct_world_destroy(w);
    /* other steppers refuse by name */
    wd.stepper = CT_STEPPER_BARRIER;
    other = world_make(&wd);
    b = cube_at(other, 0, 0, 0);
    hinge = join(other, CT_JOINT_HINGE, b, the_world, 0, 0, 0, 0, 1);
    assert_int_equal(ct_joint_set_limits(other, hinge, -1, 1), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(other)->text, "CT_STEPPER_BARRIER"));
    assert_int_equal(ct_joint_set_motor(other, hinge, 1, 1), CT_ERR_UNSUPPORTED);
    d.a.body = b;
    assert_int_equal(ct_joint_add(other, &d, NULL), CT_ERR_UNSUPPORTED);
    ct_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_stops_at_its_limit),
        cmocka_unit_test(slider_stops_at_its_limit), cmocka_unit_test(motors_stop_at_limits), cmocka_unit_test(targets_are_angles),
        cmocka_unit_test(a_limit_bears_heavy_loads), cmocka_unit_test(limits_restore_a_joint),
        cmocka_unit_test(motor_accelerates_a_wheel),
        cmocka_unit_test(motor_holds_and_slips),
        cmocka_unit_test(motor_presses),
        cmocka_unit_test(motor_keeps_momentum),
        cmocka_unit_test(spring_turns_a_wheel),
        cmocka_unit_test(drag_is_an_oscillator),
        cmocka_unit_test(drag_has_a_largest_force),
        cmocka_unit_test(drag_holds_what_is_soft),
        cmocka_unit_test(joint_breaks_at_its_threshold),
        cmocka_unit_test(stitches_break_in_order),
        cmocka_unit_test(break_without_memory),
        cmocka_unit_test(snapshots_have_drives),
        cmocka_unit_test(bad_drives_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
