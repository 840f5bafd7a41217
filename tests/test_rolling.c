/* test_rolling.c -- torsional and rolling friction of rigid bodies: a top on one vertex and a wheel of 512 sides stop when their moments say so. */
#include "world_util.h"

/* a body of revolution about z: `n` points on circles of the given radii and places, closed by its two end points */
static ct_mesh revolved(int n, const double *radius, const double *z, int rings)
{
    ct_mesh m;
    int i, k, t = 0;
    memset(&m, 0, sizeof m);
    m.n_positions = n * rings + 2, m.n_triangles = 2 * n * rings;
    m.positions = malloc(sizeof(ct_real) * 3 * (size_t)m.n_positions), m.triangles = malloc(sizeof(int32_t) * 3 * (size_t)m.n_triangles);
    for (k = 0; k < rings; k++)
        for (i = 0; i < n; i++) {
            double angle = 2 * acos(-1.0) * i / n;
            ct_real *x = m.positions + 3 * (n * k + i);
            x[0] = (ct_real)(radius[k + 1] * cos(angle)), x[1] = (ct_real)(radius[k + 1] * sin(angle)), x[2] = (ct_real)z[k + 1];
        }
    for (k = 0; k < 2; k++)
        memset(m.positions + 3 * (n * rings + k), 0, 3 * sizeof(ct_real)), m.positions[3 * (n * rings + k) + 2] = (ct_real)z[k ? rings + 1 : 0];
    for (i = 0; i < n; i++) {
        int j = (i + 1) % n;
        int32_t *f = m.triangles + 3 * t;
        f[0] = n * rings, f[1] = j, f[2] = i;
        f[3] = n * rings + 1, f[4] = n * (rings - 1) + i, f[5] = n * (rings - 1) + j, t += 2;
        for (k = 0; k + 1 < rings; k++, t += 2) {
            f = m.triangles + 3 * t;
            f[0] = n * k + i, f[1] = n * k + j, f[2] = n * (k + 1) + j, f[3] = n * k + i, f[4] = n * (k + 1) + j, f[5] = n * (k + 1) + i;
        }
    }
    return m;
}

static ct_body_id add_rigid(ct_world *w, const ct_mesh *m, const double *x, const double *v, const double *turn, double angle)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    int k;
    d.mesh = m;
    d.rotation[0] = (ct_real)cos(angle / 2), d.rotation[1] = (ct_real)sin(angle / 2);
    for (k = 0; k < 3; k++)
        d.position[k] = (ct_real)x[k], d.velocity[k] = (ct_real)v[k], d.angular_velocity[k] = (ct_real)turn[k];
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    return id;
}

/* A top that stands on its vertex and spins about the vertical: the moment is c m g, so that w = w0 - c m g / I t, and it stops after more than
   200 steps, as the difference to a top without. On a turntable of speed w0 one at rest is spun up in the same time. I is read from its
   momentum. Its floor is a plane, or a kinematic slab */
static void a_top_stops(void **state)
{
    const double radius[] = {0, 0.05, 0}, z[] = {0, 0.03, 0.04}, dt = 2e-3, w0 = 60, c = 8e-3;
    double spins[3], inertia = 0, mass = 0, stop = 1;
    int with, k;
    (void)state;
    for (with = 0; with < 3; with++) { /* 2: on a turntable */
        const double x[] = {0, 0.001, 0}, none[] = {0, 0, 0}, turn[] = {0, with < 2 ? w0 : 0, 0};
        ct_mesh m = revolved(32, radius, z, 1), slab = mesh_box(0.3, 0.1, 0.3, 2, 1, 2, 0);
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_kinematic_desc table = ct_kinematic_desc_default();
        ct_real v[3], spin[3], l[3], read[2];
        ct_body_id top, floor;
        ct_world *w = world_make(&d);
        mesh_place(&slab, 0, 0.01, -0.05, 0.02);
        table.mesh = &slab, table.motion.angular[1] = (ct_real)w0;
        if (with < 2)
            floor = add_plane(w, 0, 1, 0, 0);
        else
            assert_int_equal(ct_body_add_kinematic(w, &table, &floor), CT_OK);
        top = add_rigid(w, &m, x, none, turn, -acos(-1.0) / 2);
        if (with)
            assert_int_equal(ct_body_set_spin_friction(w, floor, (ct_real)c, 0), CT_OK);
        assert_int_equal(ct_body_get_spin_friction(w, floor, &read[0], &read[1]), CT_OK);
        assert_true(read[0] == (ct_real)(with ? c : 0) && read[1] == 0);
        if (with == 1) {
            assert_int_equal(ct_body_get_momentum(w, top, NULL, l), CT_OK);
            mass = (double)ct_body_get_mass(w, top), inertia = (double)l[1] / w0, stop = w0 * inertia / (c * mass * 9.81);
        }
        for (k = 1; k * dt < 0.75; k++) {
            double part = fmax(0, 1 - k * dt / stop), want = with == 2 ? w0 * (1 - part) : w0 * part;
            step_once(w, dt);
            assert_int_equal(ct_body_get_motion(w, top, v, spin), CT_OK);
            if (with && !(fabs((double)spin[1] - want) < 0.01 * w0 + w0 * dt / stop))
                print_message("%d, %d: %g of %g\n", with, k, (double)spin[1], want);
            assert_true(!with || fabs((double)spin[1] - want) < 0.01 * w0 + w0 * dt / stop);
        }
        spins[with] = (double)spin[1];
        free(m.positions), free(m.triangles);
        ct_mesh_free(&slab);
        ct_world_destroy(w);
    }
    print_message("stops after %g steps; spins %g of %g without, %g with, %g on a turntable\n", stop / dt, spins[0], w0, spins[1], spins[2]);
    assert_true(stop / dt > 200 && fabs(spins[0] - w0) < 0.01 * w0 && fabs(spins[1]) < 1e-3 * w0 && fabs(spins[2] - w0) < 1e-3 * w0);
}

/* speed of a wheel of 512 sides that rolls on a plane, after each step; c: its coefficient of rolling friction. Returns m R^2 / (m R^2 + I) */
static double roll(ct_solver solver, double c, double v0, double dt, int steps, double *speed)
{
    const double radius[] = {0, 0.1, 0.1, 0}, z[] = {-0.05, -0.05, 0.05, 0.05}, x[] = {0, 0.101, 0}, v[] = {v0, 0, 0}, turn[] = {0, 0, -v0 / 0.1};
    ct_mesh m = revolved(512, radius, z, 2);
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_real u[3], l[3];
    double inertia, mass;
    ct_body_id wheel;
    ct_world *w;
    int k;
    d.solver.solver = solver, w = world_make(&d);
    add_plane(w, 0, 1, 0, 0), wheel = add_rigid(w, &m, x, v, turn, 0);
    assert_int_equal(ct_body_set_spin_friction(w, wheel, 0, (ct_real)c), CT_OK);
    assert_int_equal(ct_body_get_momentum(w, wheel, NULL, l), CT_OK);
    mass = (double)ct_body_get_mass(w, wheel), inertia = (double)l[2] / turn[2];
    for (k = 0; k < steps; k++) {
        step_once(w, dt);
        assert_int_equal(ct_body_get_motion(w, wheel, u, NULL), CT_OK);
        speed[k] = (double)u[0];
    }
    free(m.positions), free(m.triangles);
    ct_world_destroy(w);
    return mass * 0.01 / (mass * 0.01 + inertia);
}

/* A wheel rolls without slip and loses a = c g / R m R^2 / (m R^2 + I) more than one without: after each of more than 200 steps, and the
   time to stop, to 1 % and a step. Every solver of worlds takes it */
static void a_wheel_stops(void **state)
{
    const ct_solver solvers[] = {CT_SOLVER_ICA, CT_SOLVER_AUTO, CT_SOLVER_PGS, CT_SOLVER_NEWTON};
    const double dt = 2e-3, c = 4e-3, v0 = 0.15;
    double with[400], without[400], a;
    int k, stop, n;
    (void)state;
    roll(CT_SOLVER_ICA, 0, v0, dt, 400, without);
    for (n = 0; n < 4; n++) {
        a = c * 9.81 / 0.1 * roll(solvers[n], c, v0, dt, 400, with);
        for (k = stop = 0; k < 400; k++) {
            double lost = without[k] - with[k], want = fmin(a * (k + 1) * dt, without[k]);
            assert_true(fabs(lost - want) < 0.01 * v0 + a * dt);
            stop = with[k] > 1e-3 * v0 ? k + 1 : stop;
        }
        print_message("stops after %d steps, closed form %g\n", stop, v0 / a / dt);
        assert_true(stop > 200 && fabs(stop - v0 / a / dt) < 1 + 0.01 * v0 / a / dt && fabs(with[399]) < 1e-4 * v0);
    }
}

/* A wheel of 512 sides rolls freely, a third of a radian a step: nothing drives it, so that it gets no faster, and it keeps 98 % of its speed */
static void wheels_do_not_drive_themselves(void **state)
{
    const double v0 = 3;
    double speed[100];
    int k;
    (void)state;
    roll(CT_SOLVER_AUTO, 0, v0, 0.01, 100, speed);
    for (k = 1; k < 100; k++)
        assert_true(speed[k] < v0 * 1.0001);
    print_message("%g of %g m/s after a second\n", speed[99], v0);
    assert_true(speed[99] > 0.98 * v0);
}

/* boxes that fall on each other with friction of all kinds: the energy does not rise over a world, and friction
   of spin does not add steps whose status is not ok: below 1 in 1000. What a contact works along the path of a body that turns is that of this body: in
   equal parts with the one that it rests on, 1 step in 50 failed as if the other had gained it */
static void heaps_lose_energy(void **state)
{
    int world, k, i, statuses[2] = {0, 0}, steps = 0;
    (void)state;
    for (world = 0; world < 20; world++) {
        double left[2] = {0, 0};
        for (i = 0; i < 2; i++) {
            uint64_t seed = 31 + (uint64_t)world;
            ct_world_desc d = world_desc(1e-3, 0.5, NULL);
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
            double start = 0;
            ct_world *w;
            d.restitution = (ct_real)(world & 1 ? 0.5 : 0);
            w = world_make(&d), add_plane(w, 0, 1, 0, 0);
            for (k = 0; k < 4; k++) {
                const double x[] = {0.05 * lcg(&seed), 0.1 + 0.18 * k, 0.05 * lcg(&seed)}, v[] = {0.3, -1, 0};
                const double turn[] = {10 * (lcg(&seed) - 0.5), 10 * (lcg(&seed) - 0.5), 10 * (lcg(&seed) - 0.5)};
                ct_body_id id = add_rigid(w, &m, x, v, turn, lcg(&seed));
                assert_int_equal(ct_body_set_spin_friction(w, id, (ct_real)(i ? 0.03 * lcg(&seed) : 0), (ct_real)(i ? 0.01 * lcg(&seed) : 0)), CT_OK);
            }
            for (k = 0; k < 150; k++) {
                ct_step_report r = step_once(w, 2e-3);
                double now = r.energy_kinetic + r.energy_gravity;
                start = k ? start : now, statuses[i] += r.status > CT_STATUS_SUBSTEPPED, steps += i;
                assert_true(now - r.work_recovery < start * 1.001);
                left[i] = now;
            }
            assert_int_equal(count_intersections(w), 0);
            ct_mesh_free(&m);
            ct_world_destroy(w);
        }
        assert_true(left[0] > 0 && left[1] > 0);
    }
    print_message("%d statuses without, %d with friction of spin, in %d steps\n", statuses[0], statuses[1], steps);
    assert_true(statuses[0] <= steps / 1000 && statuses[1] <= steps / 1000);
}

/* Balls of 320 faces fall into a bin and roll over one another, up to .4 rad in a step. What a contact works on a ball that turns is no gain of energy
   for which a step has to be divided: three substeps in the mean are enough. 95 of 100 steps end well, though one whose contacts are still not
   linearized well after its rounds is divided. Their energy grows by no more than a step says, and by more than a thousandth of m g times a size in at
   most one step of 200 */
static void balls_roll_in_whole_steps(void **state)
{
    const double walls[5][3] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    int k, substeps = 0, good = 0, rises = 0, steps = 0;
    uint64_t first;
    ct_mesh m;
    (void)state;
    assert_int_equal(ct_mesh_sphere((ct_real)0.05, 2, &m, NULL), CT_OK);
    for (first = 1; first <= PLAIN_OR(8, 1); first++) {
        ct_world_desc d = world_desc(1e-3, 0.3, NULL);
        ct_world *w = world_make(&d);
        uint64_t seed = first;
        double last = HUGE_VAL;
        for (k = 0; k < 5; k++)
            add_plane(w, walls[k][0], walls[k][1], walls[k][2], k ? -0.13 : 0);
        for (k = 0; k < 12; k++) {
            const double x[] = {-0.06 + 0.12 * (k % 2) + 0.01 * lcg(&seed), 0.07 + 0.13 * (k / 4), -0.06 + 0.12 * (k / 2 % 2) + 0.01 * lcg(&seed)};
            const double v[] = {lcg(&seed) - 0.5, 0, lcg(&seed) - 0.5}, none[] = {0, 0, 0};
            add_rigid(w, &m, x, v, none, 0);
        }
        for (k = 0; k < 90; k++, steps++) {
            ct_step_report r = step_once(w, 1.0 / 60);
            double now = r.energy_kinetic + r.energy_gravity - r.work_recovery;
            assert_true(now < last + fmax(r.energy_gained, 0) + 1e-6);
            rises += now > last + 1e-3 * 12 * 0.52 * 9.81 * 0.05;
            last = r.energy_kinetic + r.energy_gravity;
            substeps += r.substeps, good += r.status <= CT_STATUS_SUBSTEPPED;
        }
        assert_int_equal(count_intersections(w), 0);
        ct_world_destroy(w);
    }
    print_message("%d substeps, %d of %d steps end well, %d gain\n", substeps, good, steps, rises);
    assert_true(substeps <= 3 * steps && 100 * good >= 95 * steps && 200 * rises <= steps);
    ct_mesh_free(&m);
}

static void misuse_is_refused(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < CT_STEPPER_COUNT_ + 1; i++) {
        ct_world_desc d = ct_world_desc_default_for(i < CT_STEPPER_COUNT_ ? (ct_stepper)i : CT_STEPPER_CMR);
        ct_real t = 1, r = 1;
        ct_body_id plane, box;
        ct_world *w;
        int has = i == CT_STEPPER_CMR;
        if (i == CT_STEPPER_COUNT_)
            d.solver.termination = CT_TERMINATION_PAPER;
        if (i == CT_STEPPER_EXPLICIT)
            d.friction = 0;
        w = world_make(&d), plane = add_plane(w, 0, 1, 0, 0), box = add_soft_box(w, "jelly", 0.1, 1, 1e5, 0, 0.2, 0);
        assert_int_equal(ct_body_set_spin_friction(w, plane, (ct_real)0.1, 0), has ? CT_OK : CT_ERR_UNSUPPORTED);
        assert_int_equal(ct_body_set_spin_friction(w, box, 0, (ct_real)0.1), CT_ERR_UNSUPPORTED);
        assert_non_null(strstr(ct_world_error(w)->text, "deformable"));
        assert_int_equal(ct_body_set_spin_friction(w, box, 0, 0), CT_OK);
        assert_int_equal(ct_body_set_spin_friction(w, plane, (ct_real)-0.1, 0), CT_ERR_ARGUMENT);
        assert_int_equal(ct_body_set_spin_friction(w, plane, 0, (ct_real)NAN), CT_ERR_ARGUMENT);
        assert_int_equal(ct_body_get_spin_friction(w, plane, &t, NULL), CT_OK);
        assert_true(t == (has ? (ct_real)0.1 : 0));
        plane.generation++;
        assert_int_equal(ct_body_set_spin_friction(w, plane, 0, 0), CT_ERR_STALE_ID);
        assert_int_equal(ct_body_get_spin_friction(w, plane, &t, &r), CT_ERR_STALE_ID);
        assert_true(t == 0 && r == 0);
        ct_world_destroy(w);
    }
}

/* A cart of 10 kg on four wheels of 64 sides and 2 kg, on hinges, rolls at half a metre a second: it keeps at least the speed of rigid polygons that
   meet the floor edge by edge, each of which takes a share M R^2 (1 - cos a) / (M R^2 + I) of it. With contacts that bear nothing .43 was left, of
   polygons .75 */
static void carts_roll_on(void **state)
{
    static const double dt[2] = {0.01, 1 / 60.0}, radius[] = {0, 0.1, 0.1, 0}, z[] = {-0.025, -0.025, 0.025, 0.025};
    static const double v[3] = {0.5, 0, 0}, turn[3] = {0, 0, -5};
    int c, k;
    (void)state;
    for (c = 0; c < 2; c++) {
        ct_world_desc d = world_desc(1e-3, 0.8, NULL);
        ct_mesh m = revolved(64, radius, z, 2), body = mesh_box(0.5, 0.06, 0.3, 1, 1, 1, 0);
        ct_rigid_desc r = ct_rigid_desc_default();
        ct_body_id cart, wheel = {0, 0};
        ct_joint_desc j = ct_joint_desc_default(CT_JOINT_HINGE);
        ct_real x[3], u[3], l[3];
        double M, I, left;
        ct_world *w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        r.mesh = &body, r.density = (ct_real)(10 / (0.5 * 0.06 * 0.3)), r.position[1] = (ct_real)0.161, r.velocity[0] = (ct_real)0.5;
        assert_int_equal(ct_body_add_rigid(w, &r, &cart), CT_OK);
        for (k = 0; k < 4; k++) {
            const double at[3] = {k & 1 ? 0.18 : -0.18, 0.101, k & 2 ? 0.2 : -0.2};
            wheel = add_rigid(w, &m, at, v, turn, 0);
            j.a.body = wheel, j.b.body = cart, j.collide = 0, j.axis[1] = 0, j.axis[2] = 1;
            j.point[0] = (ct_real)at[0], j.point[1] = (ct_real)at[1], j.point[2] = (ct_real)at[2];
            assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
        }
        assert_int_equal(ct_body_get_momentum(w, wheel, NULL, l), CT_OK);
        M = (double)ct_body_get_mass(w, wheel) + 2.5, I = (double)l[2] / turn[2];
        for (k = 0; k < (int)(2 / dt[c]); k++)
            step_once(w, dt[c]);
        assert_true(ct_body_get_pose(w, cart, x, NULL) == CT_OK && ct_body_get_motion(w, cart, u, NULL) == CT_OK);
        left = pow((I + M * 0.01 * cos(acos(-1.0) / 32)) / (I + M * 0.01), (double)x[0] / (0.2 * sin(acos(-1.0) / 64)));
        print_message("cart: %.3f of its speed after %.3f m, of polygons %.3f\n", (double)u[0] / 0.5, (double)x[0], left);
        assert_true((double)u[0] > left * 0.5 && (double)u[0] < 0.5);
        free(m.positions), free(m.triangles);
        ct_mesh_free(&body);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_top_stops), cmocka_unit_test(a_wheel_stops),
                                       cmocka_unit_test(wheels_do_not_drive_themselves), cmocka_unit_test(carts_roll_on),
                                       cmocka_unit_test(heaps_lose_energy),
                                       cmocka_unit_test(balls_roll_in_whole_steps), cmocka_unit_test(misuse_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
