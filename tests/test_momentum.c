/* test_momentum.c -- gravity, pins and gains of energy for all integrators: what supports bear over steps of changing lengths, what a pin
   gives to a body that it accelerates, and that a common velocity of everything changes no decision. */
#include "world_util.h"

static const char *const names[3] = {"euler", "newmark", "bdf2"};

typedef struct bar {
    ct_world *w;
    ct_body_id id;
    int32_t pins[64];
    int n_pins;
    double mass;
} bar;

/* a bar along x, of which the end at negative x is to be pinned */
static bar bar_make(ct_integrator k, double gravity, double young, double damping)
{
    bar q;
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_mesh m = mesh_box(0.6, 0.1, 0.1, 6, 1, 1, 1);
    ct_soft_desc s = ct_soft_desc_default();
    int i;
    memset(&q, 0, sizeof q);
    d.integrator = k, d.gravity[1] = (ct_real)-gravity;
    q.w = world_make(&d), q.mass = 6;
    s.mesh = &m, s.material.young = (ct_real)young, s.material.density = 1000, s.material.damping_stiffness = (ct_real)damping;
    assert_int_equal(ct_body_add_soft(q.w, &s, &q.id), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        if (m.positions[3 * i] < -0.29)
            q.pins[q.n_pins++] = i;
    ct_mesh_free(&m);
    return q;
}

static double bar_impulse(const bar *q, int axis)
{
    double sum = 0;
    int i;
    for (i = 0; i < q->n_pins; i++) {
        ct_real r[3];
        assert_int_equal(ct_body_get_pin_impulse(q->w, q->id, q->pins[i], r), CT_OK);
        sum += (double)r[axis];
    }
    return sum;
}

/* Steps of 10 ms and of .3 ms by turns. A velocity of the middle of steps lacks half of the last one: what a change of length adds was taken
   with the share by which the body fell in another step, so that pins bore 87 % of the weight */
static void supports_bear_the_weight_in_steps_of_other_lengths(void **state)
{
    bar q = bar_make(CT_INTEGRATOR_EULER, 9.81, 1e6, 0.01);
    double sum = 0, t = 0;
    int i;
    (void)state;
    assert_int_equal(ct_body_pin(q.w, q.id, q.pins, q.n_pins, CT_AXIS_ALL, NULL, -1), CT_OK);
    for (i = 0; i < 600; i++) {
        double dt = i % 2 ? 3e-4 : 1e-2;
        ct_step_report r = step_once(q.w, dt);
        assert_int_equal(r.status, CT_STATUS_OK);
        if (i >= 200)
            sum += bar_impulse(&q, 1), t += dt;
    }
    print_message("pins bear %.5f of the weight\n", sum / (q.mass * 9.81 * t));
    assert_true(fabs(sum / (q.mass * 9.81 * t) - 1) < 2e-3);
    ct_world_destroy(q.w);
}

/* A sheet of springs that swings from an edge: in many steps it would gain energy, and is stepped by Euler's rule. Half of gravity's change was
   held back for the middle of the step, and a share given back by which the sheet fell: next to none in one that hangs. */
static void bodies_that_yield_to_euler_get_all_of_gravity(void **state)
{
    int k, i, v;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_mesh m = mesh_grid(0.3, 0.6, 3, 6);
        ct_cloth_desc s = ct_cloth_desc_default();
        ct_body_id id;
        ct_world *w;
        int32_t pins[8];
        int n = 0, iterated = 0;
        double pinned = 0, mass = 0.2 * 0.3 * 0.6, before = 0, after = 0, dt = 1.0 / 30, steps = 300;
        d.integrator = (ct_integrator)k, d.self_collision = 0;
        w = world_make(&d);
        s.mesh = &m, s.material = ct_material_default(CT_MODEL_SPRINGS);
        s.material.areal_density = (ct_real)0.2, s.material.stretch = s.material.shear = 5, s.material.bend = 0;
        s.material.damping_mass = s.material.damping_stiffness = 0, s.material.strain_limit = (ct_real)0.05;
        assert_int_equal(ct_body_add_cloth(w, &s, &id), CT_OK);
        for (v = 0; v < m.n_positions; v++)
            if (m.positions[3 * v + 2] > 0.29)
                pins[n++] = v;
        assert_int_equal(ct_body_pin(w, id, pins, n, CT_AXIS_ALL, NULL, -1), CT_OK);
        for (i = 0; i < steps; i++) {
            ct_step_report r = step_once(w, dt);
            double middle[3];
            iterated += r.newton_iterations > 1;
            read_middle(w, id, 1, middle);
            before = i == 0 ? middle[1] : before, after = middle[1];
            for (v = 0; v < n && i > 0; v++) {
                ct_real q[3];
                assert_int_equal(ct_body_get_pin_impulse(w, id, pins[v], q), CT_OK);
                pinned += (double)q[1];
            }
        }
        pinned -= mass * (after - before); /* of a mean over vertices, which is small here */
        print_message("%s: pins bear %.4f of the weight, %d steps iterate\n", names[k], pinned / (mass * 9.81 * dt * (steps - 1)), iterated);
        assert_true(fabs(pinned / (mass * 9.81 * dt * (steps - 1)) - 1) < 0.02);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* A bar whose end is accelerated at 5 m/s^2: pins give m a and the work of the kinetic energy. Newmark's and BDF2's equations are those of an
   end velocity that a scripted axis does not have; pins had 32.5 N and more for 30 N */
static void pins_give_what_they_accelerate(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        bar q = bar_make((ct_integrator)k, 0, 1e7, 0.002);
        ct_motion_segment path[101];
        double sum = 0, work = 0, force = 0;
        memset(path, 0, sizeof path);
        for (i = 0; i < 100; i++)
            path[i].motion.linear[0] = (ct_real)(0.05 * (i + 0.5)), path[i].duration = (ct_real)0.01;
        path[100].motion.linear[0] = 5, path[100].duration = -1;
        assert_int_equal(ct_body_pin_path(q.w, q.id, q.pins, q.n_pins, CT_AXIS_ALL, path, 101, -1), CT_OK);
        for (i = 0; i < 150; i++) {
            ct_step_report r = step_once(q.w, 0.01);
            assert_int_equal(r.status, CT_STATUS_OK);
            sum += bar_impulse(&q, 0), work += (double)r.work_pins;
            force += i >= 40 && i < 90 ? bar_impulse(&q, 0) / 0.01 / 50 : 0;
        }
        print_message("%s: %.3f N of 30, %.3f N s of 30, work %.2f J of 75\n", names[k], force, sum, work);
        assert_true(fabs(force - 30) < 0.3 && fabs(sum - 30) < 0.3 && fabs(work - 75) < 1.5);
        ct_world_destroy(q.w);
    }
}

/* energy without that of the common velocity, at most over 200 steps, of a free bar that spins and vibrates */
static double inner_energy(ct_integrator k, double speed)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_mesh m = mesh_box(0.5, 0.2, 0.2, 4, 2, 2, 1);
    ct_soft_desc s = ct_soft_desc_default();
    ct_body_id id;
    ct_world *w;
    double most = 0, last = 0, *v;
    ct_real *set;
    int i, j, n;
    d.integrator = k, d.gravity[1] = 0;
    w = world_make(&d);
    s.mesh = &m, s.material.young = (ct_real)1e7, s.material.damping_stiffness = s.material.damping_mass = 0;
    s.velocity[0] = (ct_real)speed, s.angular_velocity[0] = 6, s.angular_velocity[1] = 20;
    assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
    v = read_vectors(w, id, 1, &n);
    set = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)n);
    for (i = 0; i < n; i++)
        for (j = 0; j < 3; j++)
            set[3 * i + j] = (ct_real)(v[3 * i + j] + ((i * 7 + j * 3) % 5 - 2.0));
    assert_int_equal(ct_body_set_velocities(w, id, set, n), CT_OK);
    free(v), free(set);
    for (i = 0; i < 200; i++) {
        ct_step_report r = step_once(w, 0.01);
        double c = ((double)r.center_of_mass[0] - last) / 0.01, mass = 0.02 * (double)s.material.density;
        double e = (double)(r.energy_kinetic + r.energy_elastic) - mass / 2 * c * c;
        last = (double)r.center_of_mass[0];
        most = i > 0 && e > most ? e : most;
    }
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return most;
}

/* The bound of a body's gain was a share of its kinetic energy in the frame of the world: at 1000 m/s 151 J became 13,303 J in 200 steps, all
   `ok` or `substepped` */
static void a_common_velocity_allows_no_gain(void **state)
{
    double rest = inner_energy(CT_INTEGRATOR_NEWMARK, 0), fast = inner_energy(CT_INTEGRATOR_NEWMARK, 1000);
    (void)state;
    print_message("inner energy at most %.3f J at rest, %.3f J at 1000 m/s\n", rest, fast);
    assert_true(fabs(fast - rest) < 0.02 * rest);
}

/* the largest rise of a double pendulum's energy in 400 steps, over its energy; the thickness is that of bodies that meet nothing */
static double pendulum_rise(double thickness, int *parts)
{
    ct_world_desc d = world_desc(thickness, 0.4, NULL);
    ct_rigid_desc q = ct_rigid_desc_default();
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_mesh m = mesh_box(0.001, 0.016, 0.001, 1, 1, 1, 0);
    ct_body_id last = {0, 0}, id;
    ct_joint_id joint;
    double first = 0, rise = 0;
    ct_world *w = world_make(&d);
    int i;
    q.mesh = &m, q.rotation[0] = (ct_real)cos(0.6), q.rotation[3] = (ct_real)sin(0.6);
    for (i = 0; i < 2; i++) {
        q.position[0] = (ct_real)(0.02 * (0.5 + i) * sin(1.2)), q.position[1] = (ct_real)(-0.02 * (0.5 + i) * cos(1.2));
        assert_int_equal(ct_body_add_rigid(w, &q, &id), CT_OK);
        j.a.body = id, j.b.body = last, j.collide = 0;
        j.point[0] = (ct_real)(0.02 * i * sin(1.2)), j.point[1] = (ct_real)(-0.02 * i * cos(1.2));
        assert_int_equal(ct_joint_add(w, &j, &joint), CT_OK);
        last = id;
    }
    for (i = *parts = 0; i < 400; i++) {
        ct_step_report r = step_once(w, 0.01);
        double e = (double)(r.energy_kinetic + r.energy_gravity) + 1.6e-5 * 9.81 * 0.04;
        first = i == 0 ? e : first, rise = fmax(rise, e / first - 1), *parts += r.substeps;
        assert_true(r.status <= CT_STATUS_SUBSTEPPED);
    }
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return rise;
}

/* Steps of a pendulum that turn too far are halved. Its bodies swing: joints turn what gravity gives them into other directions, and they counted as
   resting, so that the energy was .46 % too large at a turning point. With a small thickness the errors that joints may have counted as joints that
   are being closed, whose chains may gain: 10 % */
static void chains_in_steps_of_other_lengths_gain_nothing(void **state)
{
    static const double thickness[3] = {1e-3, 2e-5, 1e-6};
    int k, parts;
    (void)state;
    for (k = 0; k < 3; k++) {
        double rise = pendulum_rise(thickness[k], &parts);
        print_message("thickness %g: 400 steps in %d parts, the energy rises by %.2e of itself\n", thickness[k], parts, rise);
        assert_true(parts > 400 && rise < (sizeof(ct_real) == 4 ? 1e-3 : 1e-4));
    }
}

/* adds the angular momentum of a soft body about the origin */
static void add_momentum(const ct_world *w, ct_body_id soft, double *out)
{
    int n, i;
    double *x = read_vectors(w, soft, 0, &n), *v = read_vectors(w, soft, 1, &n);
    ct_real *m = malloc(sizeof(ct_real) * (size_t)n);
    assert_int_equal(ct_body_get_masses(w, soft, m, n), CT_OK);
    for (i = 0; i < 3 * n; i++) {
        int a = i - i % 3 + (i + 1) % 3, b = i - i % 3 + (i + 2) % 3;
        out[i % 3] += (double)m[i / 3] * (x[a] * v[b] - x[b] * v[a]);
    }
    free(x), free(v), free(m);
}

/* angular momentum about the origin, of a rigid body and of a soft one */
static void angular_momentum(const ct_world *w, ct_body_id rigid, ct_body_id soft, double *out)
{
    int k;
    ct_real c[3], q[4], p[3], l[3];
    assert_true(ct_body_get_pose(w, rigid, c, q) == CT_OK && ct_body_get_momentum(w, rigid, p, l) == CT_OK);
    for (k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = (double)l[k] + (double)c[a] * (double)p[b] - (double)c[b] * (double)p[a];
    }
    add_momentum(w, soft, out);
}

/* A rigid box and a soft one that a joint holds together turn in vacuum, 2 s: nothing acts on them, so their angular momentum stays, and their energy
   does not rise by more than what a step may gain. Impulses on the arm of the middle of a step alone lose .1 of it */
static void joints_with_rigid_bodies_keep_angular_momentum(void **state)
{
    static const ct_integrator rules[3] = {CT_INTEGRATOR_EULER, CT_INTEGRATOR_NEWMARK, CT_INTEGRATOR_BDF2};
    int rule, stitch, i, k;
    (void)state;
    for (rule = 0; rule < 3; rule++)
        for (stitch = 0; stitch < 2; stitch++) {
            ct_world_desc d = world_desc(1e-3, 0, NULL);
            ct_rigid_desc r = ct_rigid_desc_default();
            ct_soft_desc s = ct_soft_desc_default();
            ct_joint_desc j = ct_joint_desc_default(stitch ? CT_JOINT_STITCH : CT_JOINT_BALL);
            ct_mesh box = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0), jelly = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
            double start[3], end[3], lost = 0, size = 0, energy = HUGE_VAL, worst = 0;
            ct_body_id a, b;
            ct_world *w;
            d.gravity[1] = 0, d.integrator = rules[rule], w = world_make(&d);
            r.mesh = &box, s.mesh = &jelly, s.material.young = (ct_real)1e5, s.material.density = r.density = 1000;
            r.angular_velocity[2] = s.angular_velocity[2] = 5, r.angular_velocity[0] = s.angular_velocity[0] = 2;
            s.position[0] = (ct_real)0.2, s.velocity[1] = 1;
            assert_int_equal(ct_body_add_rigid(w, &r, &a), CT_OK);
            assert_int_equal(ct_body_add_soft(w, &s, &b), CT_OK);
            j.a.body = a, j.b.body = b, j.b.vertices[0] = 0, j.b.vertices[1] = -1;
            for (i = 0; stitch && i < box.n_positions; i++)
                if (box.positions[3 * i] > 0 && box.positions[3 * i + 1] * jelly.positions[1] > 0 && box.positions[3 * i + 2] * jelly.positions[2] > 0)
                    j.a.vertices[0] = i, j.a.vertices[1] = -1, j.rest_length = (ct_real)0.08;
            assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
            angular_momentum(w, a, b, start);
            for (i = 0; i < 200; i++) {
                ct_step_report report = step_once(w, 0.01);
                double now = report.energy_kinetic + report.energy_elastic;
                worst = fmax(worst, now - energy), energy = now;
            }
            angular_momentum(w, a, b, end);
            for (k = 0; k < 3; k++)
                lost += (end[k] - start[k]) * (end[k] - start[k]), size += start[k] * start[k];
            lost = sqrt(lost / size);
            print_message("%s, %s: %.1e of the angular momentum is lost, %.1e J gained in a step\n", names[rule], stitch ? "stitch" : "ball", lost, worst);
            assert_true(lost < 1e-6 && worst < 1e-3 * energy);
            ct_mesh_free(&box), ct_mesh_free(&jelly);
            ct_world_destroy(w);
        }
}

/* Two soft cubes of 20 cm on a ball joint turn in vacuum as one body, 2 s. Each is linearized after its own rotation, so that elastic impulses of both
   have moments about the start: that lost .18 to .43 of the angular momentum, and half of the energy */
static void joints_of_soft_bodies_keep_angular_momentum(void **state)
{
    static const double rate[3] = {6, 12, 20}, dt[3] = {0.01, 1 / 60.0, 0.01};
    int t, i, k;
    (void)state;
    for (t = 0; t < 3; t++) {
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_soft_desc s = ct_soft_desc_default();
        ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
        ct_mesh jelly = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1);
        double start[3] = {0, 0, 0}, end[3] = {0, 0, 0}, lost = 0, size = 0, first = 0, energy = 0, worst = 0;
        ct_body_id a, b;
        ct_world *w;
        d.gravity[1] = 0, w = world_make(&d);
        s.mesh = &jelly, s.material.young = (ct_real)1e5, s.material.damping_stiffness = 0;
        s.angular_velocity[2] = (ct_real)rate[t], s.angular_velocity[1] = (ct_real)(0.2 * rate[t]);
        assert_int_equal(ct_body_add_soft(w, &s, &a), CT_OK);
        s.position[0] = (ct_real)0.22, s.velocity[1] = (ct_real)(0.22 * rate[t]), s.velocity[2] = (ct_real)(-0.044 * rate[t]);
        assert_int_equal(ct_body_add_soft(w, &s, &b), CT_OK);
        j.a.body = a, j.b.body = b, j.a.vertices[1] = j.b.vertices[1] = -1;
        for (i = 0; i < jelly.n_positions; i++)
            if (jelly.positions[3 * i + 1] == 0 && jelly.positions[3 * i + 2] == 0 && jelly.positions[3 * i] != 0)
                (jelly.positions[3 * i] > 0 ? &j.a : &j.b)->vertices[0] = i;
        assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
        for (i = 0; i < (int)(2 / dt[t]); i++) {
            ct_step_report report = step_once(w, dt[t]);
            double now = report.energy_kinetic + report.energy_elastic;
            if (i == 4) /* the joint has closed its 2 cm */
                add_momentum(w, a, start), add_momentum(w, b, start), first = now;
            worst = fmax(worst, i > 4 ? now - energy : 0), energy = now;
        }
        add_momentum(w, a, end), add_momentum(w, b, end);
        for (k = 0; k < 3; k++)
            lost += (end[k] - start[k]) * (end[k] - start[k]), size += start[k] * start[k];
        lost = sqrt(lost / size);
        print_message("%g rad/s: %.1e of the angular momentum is lost, %.3f of the energy; %.1e of it gained in a step\n", rate[t], lost,
                      1 - energy / first, worst / first);
        assert_true(lost < 1e-6 && fabs(1 - energy / first) < 0.05 && worst < 1e-3 * first);
        ct_mesh_free(&jelly);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports_bear_the_weight_in_steps_of_other_lengths),
        cmocka_unit_test(bodies_that_yield_to_euler_get_all_of_gravity),
        cmocka_unit_test(pins_give_what_they_accelerate),
        cmocka_unit_test(a_common_velocity_allows_no_gain),
        cmocka_unit_test(chains_in_steps_of_other_lengths_gain_nothing),
        cmocka_unit_test(joints_with_rigid_bodies_keep_angular_momentum),
        cmocka_unit_test(joints_of_soft_bodies_keep_angular_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
