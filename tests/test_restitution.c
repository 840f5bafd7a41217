/* test_restitution.c -- impacts of CT_STEPPER_CMR: a drop from h rebounds to e^2 h; two bodies part with e times the speed at which they met; a bat
   gives (1 + e) times its speed; nothing gains energy. */
#include "world_util.h"

enum { BALL, BOX, BODIES };

static ct_body_id add_rigid(ct_world *w, const char *name, int kind, double size, const double *x, const double *v)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    ct_mesh m;
    int k;
    memset(&m, 0, sizeof m);
    if (kind == BALL)
        assert_int_equal(ct_mesh_sphere((ct_real)(size / 2), 1, &m, NULL), CT_OK);
    else
        m = mesh_box(size, size, size, 1, 1, 1, 0);
    d.name = name, d.mesh = &m;
    for (k = 0; k < 3; k++)
        d.position[k] = (ct_real)x[k], d.velocity[k] = (ct_real)(v ? v[k] : 0);
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static double height(const ct_world *w, ct_body_id id)
{
    ct_real x[3];
    assert_int_equal(ct_body_get_pose(w, id, x, NULL), CT_OK);
    return (double)x[1];
}

/* the rebound of a drop is e^2 h: of a ball on a vertex, of a box on four corners, by both laws */
static void a_drop_rebounds(void **state)
{
    const double es[] = {0.3, 0.5, 0.8, 1}, hs[] = {0.25, 1}, dt = 1e-3;
    int law, kind, i, k, h;
    (void)state;
    for (law = 0; law < 2; law++)
        for (kind = 0; kind < BODIES; kind++)
            for (i = 0; i < 4; i++)
                for (h = 0; h < 2; h++) {
                    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
                    double at[3] = {0, 0, 0}, top = -1, fall = sqrt(2 * hs[h] / 9.81), y, rests;
                    ct_world *w;
                    ct_body_id body;
                    d.restitution = (ct_real)es[i], d.restitution_law = (ct_restitution_law)law;
                    w = world_make(&d), add_plane(w, 0, 1, 0, 0);
                    rests = 0.051, at[1] = rests + hs[h];
                    body = add_rigid(w, "body", kind, 0.1, at, NULL);
                    if (kind == BALL) { /* a vertex may not be exactly below */
                        double *x = read_vectors(w, body, 0, &k);
                        for (rests = 1e9; k-- > 0;)
                            rests = fmin(rests, x[3 * k + 1]);
                        rests = height(w, body) - rests + 1e-3;
                        free(x);
                    }
                    for (k = 0; k * dt < fall * (1 + 1.5 * es[i]); k++) {
                        step_once(w, dt);
                        y = height(w, body) - rests;
                        top = k * dt > fall + 0.02 ? fmax(top, y) : top;
                    }
                    y = at[1] - rests;
                    if (!(fabs(top / (es[i] * es[i] * y) - 1) < 0.02))
                        print_message("law %d body %d e %g h %g: %g of %g\n", law, kind, es[i], y, top, es[i] * es[i] * y);
                    assert_true(fabs(top / (es[i] * es[i] * y) - 1) < 0.02);
                    ct_world_destroy(w);
                }
}

/* a loose point is deformable: e^2 h as well. What a jelly returns is what its
   own oscillation does not take; it gains nothing */
static void deformable_bodies_rebound(void **state)
{
    const double h = 0.5, dt = 1e-3, e = 0.7;
    double tops[3] = {0, 0, 0};
    int kind, k;
    (void)state;
    for (kind = 0; kind < 3; kind++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_points_desc points = ct_points_desc_default();
        double fall = sqrt(2 * h / 9.81), x[3], energy = 1e30;
        ct_real at[3] = {0, 0, 0};
        ct_mesh m;
        ct_body_id body;
        ct_world *w;
        memset(&m, 0, sizeof m);
        d.restitution = (ct_real)(kind == 2 ? e : kind);
        w = world_make(&d), add_plane(w, 0, 1, 0, 0);
        at[1] = (ct_real)(h + 0.0055), m.positions = at, m.n_positions = 1, points.mesh = &m;
        if (kind == 2)
            assert_int_equal(ct_body_add_points(w, &points, &body), CT_OK);
        else
            body = add_soft_box(w, "jelly", 0.1, 2, 1e5, 0, h + 0.051, 0);
        for (k = 0; k * dt < 2.3 * fall; k++) {
            ct_step_report r = step_once(w, dt);
            double now = r.energy_kinetic + r.energy_elastic + r.energy_gravity;
            assert_true(now < energy + 1e-3 * r.energy_kinetic + (sizeof(ct_real) == 4 ? 1e-5 : 1e-9)); /* rounding of m g h, 5 J */
            energy = fmin(now, energy);
            read_middle(w, body, 0, x);
            tops[kind] = k * dt > fall + 0.03 ? fmax(tops[kind], x[1] - (kind == 2 ? 0.0055 : 0.051)) : 0;
        }
        ct_world_destroy(w);
    }
    print_message("jellies rebound to %g and %g of h, a point to %g\n", tops[0] / h, tops[1] / h, tops[2] / h);
    assert_true(fabs(tops[2] / (e * e * h) - 1) < 0.02);
    assert_true(tops[0] < h && tops[1] < h);
}

/* two boxes of masses 1 and 3 without gravity: momentum stays, and they part with e times their speed, e by the world's rule */
static void two_boxes_part(void **state)
{
    const double es[] = {0.4, 0.9}, sizes[] = {0.1, 0.1 * 1.4422495703074083}, dt = 1e-3, speed = 2;
    int law, combine, k;
    (void)state;
    for (law = 0; law < 2; law++)
        for (combine = 0; combine <= CT_COMBINE_MAX; combine++) {
            const double rule[] = {sqrt(es[0] * es[1]), (es[0] + es[1]) / 2, es[0], es[0] * es[1], es[1]};
            const double x[] = {0, 0, 0}, y[] = {0.23, 0, 0}, v[] = {speed, 0, 0};
            ct_world_desc d = world_desc(1e-3, 0, NULL);
            ct_real a[3], b[3];
            ct_body_id one, two;
            ct_world *w;
            d.gravity[1] = 0, d.restitution_law = (ct_restitution_law)law, d.restitution_combine = (ct_combine)combine;
            w = world_make(&d);
            one = add_rigid(w, "one", BOX, sizes[0], x, v), two = add_rigid(w, "three", BOX, sizes[1], y, NULL);
            assert_int_equal(ct_body_set_restitution(w, one, (ct_real)es[0]), CT_OK);
            assert_int_equal(ct_body_set_restitution(w, two, (ct_real)es[1]), CT_OK);
            assert_true(fabs((double)ct_body_get_restitution(w, two) - es[1]) < 1e-7);
            for (k = 0; k < 100; k++)
                step_once(w, dt);
            assert_int_equal(ct_body_get_motion(w, one, a, NULL), CT_OK);
            assert_int_equal(ct_body_get_motion(w, two, b, NULL), CT_OK);
            assert_true(fabs((double)(b[0] - a[0]) - rule[combine] * speed) < 2e-3 * speed);
            assert_true(fabs((double)(a[0] + 3 * b[0]) - speed) < 1e-4 * speed);
            ct_world_destroy(w);
        }
}

/* a bat of speed u hits a ball at rest, which leaves with (1 + e) u; the bat's work is the ball's energy and what the impact takes,
   m u^2 (1 + e); its impulse m u (1 + e) is that of the touch */
static void a_bat_hits(void **state)
{
    const double e = 0.6, u = 3, dt = 1e-3, mass = 1;
    int law, k;
    (void)state;
    for (law = 0; law < 2; law++) {
        const double x[] = {0, 0, 0};
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_kinematic_desc bat = ct_kinematic_desc_default();
        ct_mesh m = mesh_box(0.1, 0.3, 0.3, 1, 1, 1, 0);
        ct_body_id ball, id;
        ct_real v[3];
        double work = 0, impulse = 0;
        ct_world *w;
        d.gravity[1] = 0, d.restitution = (ct_real)e, d.restitution_law = (ct_restitution_law)law;
        w = world_make(&d);
        mesh_place(&m, 0, -0.15, 0, 0);
        bat.mesh = &m, bat.motion.linear[0] = (ct_real)u;
        assert_int_equal(ct_body_add_kinematic(w, &bat, &id), CT_OK);
        ball = add_rigid(w, "ball", BOX, 0.1, x, NULL);
        for (k = 0; k < 60; k++) {
            const ct_contact *touches;
            int n, i;
            work += step_once(w, dt).work_script;
            assert_int_equal(ct_world_contacts(w, &touches, &n), CT_OK);
            for (i = 0; i < n; i++)
                impulse += (double)touches[i].impulse_normal;
        }
        assert_true(fabs(impulse - mass * u * (1 + e)) < 2e-3 * mass * u);
        assert_int_equal(ct_body_get_motion(w, ball, v, NULL), CT_OK);
        assert_true(fabs((double)v[0] - (1 + e) * u) < 2e-3 * u);
        if (!(fabs(work - mass * u * u * (1 + e)) < 5e-3 * mass * u * u))
            print_message("law %d: work %g of %g\n", law, work, mass * u * u * (1 + e));
        assert_true(fabs(work - mass * u * u * (1 + e)) < 5e-3 * mass * u * u);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* [N s] by how much a step's change of momentum differs from the impulses of weight, joint and contacts, which push along x; linear: momentum at its
   start, becomes that at its end */
static double impulses_lack(const ct_world *w, ct_body_id body, ct_joint_id joint, double weight, ct_real *linear)
{
    ct_real now[3], hold[3];
    const ct_contact *c;
    double lack[3];
    int i, n;
    assert_int_equal(ct_body_get_momentum(w, body, now, NULL), CT_OK);
    assert_int_equal(ct_joint_get_impulse(w, joint, hold, NULL), CT_OK);
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < 3; i++)
        lack[i] = (double)(now[i] - linear[i] - hold[i]), linear[i] = now[i];
    for (i = 0; i < n; i++)
        lack[0] -= (double)c[i].impulse_normal;
    lack[1] += weight;
    return sqrt(lack[0] * lack[0] + lack[1] * lack[1] + lack[2] * lack[2]);
}

/* A hinged box that falls from the horizontal against a wall at its lowest place swings back to e^2 of its height: by the hinge's moment of inertia
   the angular speed changes to -e times itself. The hinge's impulse is the rest of the change of momentum, also of a step in which it rebounds, and no
   such step gains energy by its account */
static void a_pendulum_rebounds(void **state)
{
    const double e = 0.8, dt = 1e-3, arm = 0.3;
    int law, k;
    (void)state;
    for (law = 0; law < 2; law++) {
        const double x[] = {0.3, 0, 0};
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_joint_desc hinge = ct_joint_desc_default(CT_JOINT_HINGE);
        double lowest = 0, top = -1, start = 1e9, most = -1e9, lack = 0, gained = 0;
        ct_real linear[3] = {0, 0, 0};
        ct_joint_id joint;
        ct_body_id body;
        ct_world *w;
        d.restitution = (ct_real)e, d.restitution_law = (ct_restitution_law)law;
        w = world_make(&d), add_plane(w, 1, 0, 0, -0.051);
        body = add_rigid(w, "bob", BOX, 0.1, x, NULL);
        hinge.a.body = body, hinge.axis[0] = hinge.axis[1] = 0, hinge.axis[2] = 1;
        assert_int_equal(ct_joint_add(w, &hinge, &joint), CT_OK);
        for (k = 0; k < 900; k++) {
            ct_step_report r = step_once(w, dt);
            double y = height(w, body), energy = r.energy_kinetic + r.energy_gravity;
            lowest = fmin(lowest, y), top = lowest < -0.99 * arm ? fmax(top, y) : top;
            start = k ? start : energy, most = fmax(most, energy);
            lack = fmax(lack, impulses_lack(w, body, joint, 9.81 * dt, linear)), gained = fmax(gained, r.energy_gained);
        }
        if (!(lack < 1e-2 && gained < 1e-3 * 9.81 * arm))
            print_message("law %d: impulses lack %g N s of %g, an account gains %g J of %g\n", law, lack,
                          sqrt(2 * 9.81 * arm) * (1 + e), gained, 9.81 * arm);
        assert_true(lack < 1e-2 && gained < 1e-3 * 9.81 * arm);
        if (!(fabs((top + arm) / (e * e * arm) - 1) < 0.02))
            print_message("law %d: back to %g of %g\n", law, top + arm, e * e * arm);
        assert_true(fabs((top + arm) / (e * e * arm) - 1) < 0.02 && most < start + 1e-3 * 9.81 * arm);
        ct_world_destroy(w);
    }
}

/* below the threshold there is no rebound; above it bodies bounce, and come to rest: the whole time of bounces is (1 + e) / (1 - e) sqrt(2 h / g) */
static void bounces_come_to_rest(void **state)
{
    const double e = 0.5, h = 0.2, dt = 1e-3, fall = sqrt(2 * 0.2 / 9.81), whole = (1 + e) / (1 - e) * fall;
    int k, slow;
    (void)state;
    for (slow = 0; slow < 2; slow++) {
        double at[3] = {0, 0.051, 0}, top = 0;
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_world *w;
        ct_body_id body;
        ct_real v[3];
        d.restitution = (ct_real)e, d.restitution_threshold = (ct_real)(slow ? 2.1 : 0.1); /* it meets at 1.98 m/s */
        at[1] += h;
        w = world_make(&d), add_plane(w, 0, 1, 0, 0), body = add_rigid(w, "box", BOX, 0.1, at, NULL);
        for (k = 0; k * dt < whole + 0.02; k++) {
            step_once(w, dt);
            top = k * dt > fall + 0.01 ? fmax(top, height(w, body) - 0.051) : top;
        }
        assert_true(slow ? top < 1e-5 : fabs(top / (e * e * h) - 1) < 0.02);
        assert_int_equal(ct_body_get_motion(w, body, v, NULL), CT_OK);
        assert_true(fabs((double)v[1]) < 1e-4 && fabs(height(w, body) - 0.051) < 1e-4);
        ct_world_destroy(w);
    }
}

/* a world of boxes and balls with any friction and restitution, that fall on each other, on a plane and on a fixed box, or collide without gravity */
static ct_world *random_world(uint64_t seed, ct_restitution_law law)
{
    ct_world_desc d = world_desc(1e-3, lcg(&seed) < 0.5 ? 0 : lcg(&seed), NULL);
    int i, n = 2 + (int)(lcg(&seed) * 4), weightless = lcg(&seed) < 0.3;
    ct_world *w;
    d.restitution = (ct_real)(lcg(&seed) < 0.3 ? 1 : lcg(&seed)), d.restitution_law = law, d.restitution_threshold = (ct_real)(lcg(&seed) * 0.5);
    if (weightless)
        d.gravity[1] = 0;
    w = world_make(&d), add_plane(w, 0, 1, 0, 0), add_plane(w, 1, 0, 0, -0.3), add_plane(w, -1, 0, 0, -0.3);
    for (i = 0; i < n; i++) {
        const double x[] = {0.1 * (lcg(&seed) - 0.5), 0.15 + 0.22 * i, 0.1 * (lcg(&seed) - 0.5)};
        const double v[] = {4 * (lcg(&seed) - 0.5), -4 * lcg(&seed), lcg(&seed) - 0.5};
        ct_body_id id = add_rigid(w, "body", (int)(lcg(&seed) * BODIES), 0.08 + 0.06 * lcg(&seed), x, v);
        const ct_real turn[3] = {(ct_real)(20 * (lcg(&seed) - 0.5)), (ct_real)(20 * (lcg(&seed) - 0.5)), (ct_real)(20 * (lcg(&seed) - 0.5))};
        assert_int_equal(ct_body_set_motion(w, id, NULL, turn), CT_OK);
    }
    return w;
}

static double mass_of(const ct_world *w)
{
    ct_body_id ids[16];
    int i, n = ct_world_get_bodies(w, ids, 16);
    double sum = 0;
    assert_true(n <= 16);
    for (i = 0; i < n; i++)
        sum += (double)ct_body_get_mass(w, ids[i]);
    return sum;
}

/* No impact leaves more energy than there was: rotating boxes with friction in 500 worlds, by both laws; over a world energy never rises above where it
   began. A body that takes off has half a step of gravity less in the kinetic energy that the report counts: m |v| |g| dt / 2 in a step that ends
   without contacts, at most |g| dt / 2 times the root of 2 m K. All else, as the error of the midpoint rule in a rotation, is below 1e-3 */
static void nothing_gains_energy(void **state)
{
    const double dt = 1e-3;
    int world, k, steps = 0, statuses = 0;
    double worst = 0, step = 0, left = 0;
    (void)state;
    for (world = 0; world < 500; world++) {
        ct_world *w = random_world(77 + (uint64_t)world, (ct_restitution_law)(world & 1));
        double before = 0, start = 0;
        for (k = 0; k < 150; k++) {
            ct_step_report r = step_once(w, dt);
            double now = r.energy_kinetic + r.energy_elastic + r.energy_gravity;
            double leaves = r.contacts ? 0 : 9.81 * dt / 2 * sqrt(2 * mass_of(w) * r.energy_kinetic);
            start = k ? start : now, before = k ? before : now;
            worst = fmax(worst, (now - start) / start), step = fmax(step, (now - before - r.work_recovery - leaves) / start);
            statuses += r.rows > 0 && r.status > CT_STATUS_SUBSTEPPED, steps++;
            before = now;
        }
        left += before / start / 500;
        assert_int_equal(count_intersections(w), 0);
        ct_world_destroy(w);
    }
    print_message("%d steps, %d statuses, largest gain of a step %g, of a world %g; %g is left\n", steps, statuses, step, worst, left);
    assert_true(worst < 1e-3 && step < 1e-3 && statuses < steps / 100);
}

static void others_refuse(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < CT_STEPPER_COUNT_; i++) {
        ct_world_desc d = ct_world_desc_default_for((ct_stepper)i);
        int has = i == CT_STEPPER_CMR || i == CT_STEPPER_PENALTY || i == CT_STEPPER_LAYERS;
        ct_error_info e;
        ct_world *w = NULL;
        ct_body_id plane;
        d.restitution = (ct_real)0.5;
        assert_int_equal(ct_world_create(&d, &w, &e), has ? CT_OK : CT_ERR_UNSUPPORTED);
        if (!has)
            continue;
        plane = add_plane(w, 0, 1, 0, 0);
        assert_int_equal(ct_body_set_restitution(w, plane, (ct_real)0.2), i == CT_STEPPER_CMR ? CT_OK : CT_ERR_UNSUPPORTED);
        assert_int_equal(ct_body_set_restitution(w, plane, (ct_real)1.5), CT_ERR_ARGUMENT);
        assert_int_equal(ct_body_set_restitution(w, plane, (ct_real)NAN), CT_ERR_ARGUMENT);
        plane.generation++;
        assert_int_equal(ct_body_set_restitution(w, plane, 0), CT_ERR_STALE_ID);
        assert_true(ct_body_get_restitution(w, plane) == 0);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_drop_rebounds), cmocka_unit_test(deformable_bodies_rebound),
                                       cmocka_unit_test(two_boxes_part), cmocka_unit_test(a_bat_hits), cmocka_unit_test(a_pendulum_rebounds),
                                       cmocka_unit_test(bounces_come_to_rest), cmocka_unit_test(nothing_gains_energy),
                                       cmocka_unit_test(others_refuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
