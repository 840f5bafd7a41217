/* test_rod_world.c -- rods in worlds against closed forms: bending, twist, hanging chains, vibration. */
#include "rod_util.h"

#define CT_STIFF ((ct_real)3e4)       /* [N] E A: stretches by less than 1e-3 */
#define CT_TORSION ((ct_real)0.02)   /* [N m^2] */
#define CT_DENSITY ((ct_real)0.5)    /* [kg/m] */
#define CT_LEFTWARD ((ct_real)-0.1)  /* [m/s] */

/* end of a cantilever of length 1 whose weight is q, q L^3 / B = load. It is clamped in the middle of its first segment: curvature begins there */
static double cantilever(double load, int n, double *out_x)
{
    ct_world_desc wd = world_desc(1e-3, 0.4, NULL);
    double l = 1 / (n - 0.5), x[3 * 64];
    ct_mesh m = line(n, -l / 2, 0, 0, 1, 0, 0);
    ct_rod_desc d = rod_desc(1e-3, 1e6);
    int32_t list[3];
    ct_world *w;
    ct_body_id b;
    wd.gravity[1] = -10;
    w = world_make(&wd);
    d.line_density = 1, d.stretch = CT_STIFF, d.damping_mass = 3;
    d.bend[0] = d.bend[1] = (ct_real)(10 / load), d.torsion = d.bend[0];
    b = add_rod(w, &d, &m);
    list[0] = 0, list[1] = 1, list[2] = n + 1;
    pin(w, b, list, 3, NULL);
    run(w, 0.02, 500, NULL);
    get(w, b, x);
    *out_x = x[3 * n];
    line_free(&m);
    ct_world_destroy(w);
    return x[3 * n + 1];
}

/* references: B th'' = q (L - s) cos th with th(0) = th'(L) = 0, by Runge-Kutta and bisection; for small loads y = -load / 8 */
static void test_cantilever(void **state)
{
    static const double load[3] = {0.1, 1, 8}, y[3] = {-0.0124984, -0.1234714, -0.6406307}, x[3] = {0.9999107, 0.9912464, 0.7244247};
    double e[2];
    int i, k;
    (void)state;
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 2; k++) {
            double at, end = cantilever(load[i], 10 << k, &at);
            e[k] = fabs(end / y[i] - 1);
            print_message("cantilever load %g, %d segments: y %.5f (%.5f), x %.5f (%.5f), error %.2e\n", load[i], 10 << k, end, y[i], at, x[i], e[k]);
            assert_true(fabs(at - x[i]) < 0.01);
        }
        /* second order in the segment */
        assert_true(e[1] < 0.004 && e[1] < 0.3 * e[0]);
    }
}

/* A rod between two clamps, one of which a script rotates by 2 rad. The pins' torque at either end is G J times the twist per length, between the
   middles of the clamped segments, and the twist is uniform */
static void test_torsion(void **state)
{
    enum { N = 20 };
    ct_world_desc wd = world_desc(1e-3, 0.4, NULL);
    ct_mesh m = line(N, 0, 0, 0, 1, 0, 0);
    ct_rod_desc d = rod_desc(0.01, 1e7);
    int32_t left[3] = {0, 1, N + 1}, right[3] = {N - 1, N, 2 * N};
    ct_motion_segment turn;
    ct_world *w;
    ct_body_id b;
    double want = 0.02 * 2 / (1 - 1.0 / N);
    int end, k;
    (void)state;
    memset(wd.gravity, 0, sizeof wd.gravity);
    w = world_make(&wd);
    d.torsion = CT_TORSION;
    b = add_rod(w, &d, &m);
    assert_int_equal(ct_body_node_count(w, b), 2 * N + 1);
    assert_int_equal(ct_body_vertex_count(w, b), N + 1);
    pin(w, b, left, 3, NULL);
    memset(&turn, 0, sizeof turn);
    turn.motion.angular[0] = 1, turn.duration = 2;
    assert_int_equal(ct_body_pin_path(w, b, right, 3, CT_AXIS_ALL, &turn, 1, -1), CT_OK);
    run(w, 0.01, 300, NULL);
    for (end = 0; end < 2; end++) {
        const int32_t *list = end ? right : left;
        double torque = 0, x[3 * (N + 1)];
        get(w, b, x);
        for (k = 0; k < 3; k++) {
            ct_real p[3];
            double turned = end ? 2 : 0, r[3] = {0, 0, 0};
            assert_int_equal(ct_body_get_pin_impulse(w, b, list[k], p), CT_OK);
            /* the frame's node is a segment's length away from the axis, at its start direction rotated; nodes are on the axis */
            if (k == 2) {
                double y0 = 0, z0 = 1.0 / N; /* cti_v3_tangents of x */
                r[1] = cos(turned) * y0 - sin(turned) * z0, r[2] = sin(turned) * y0 + cos(turned) * z0;
                torque = fabs(r[1] * p[2] - r[2] * p[1]) / 0.01;
                assert_true(fabs(r[1] * p[1] + r[2] * p[2]) / 0.01 < 1e-3 * want);
            }
        }
        print_message("torsion: torque %.6f N m, %.6f\n", torque, want);
        assert_true(fabs(torque / want - 1) < 1e-3);
        for (k = 0; k <= N; k++)
            assert_true(fabs(x[3 * k + 1]) + fabs(x[3 * k + 2]) < 1e-4);
    }
    line_free(&m);
    ct_world_destroy(w);
}

/* a chain of length 1.2 between points 1 apart: y = a cosh(x / a), 2 a sinh(1 / (2 a)) = 1.2 */
static void test_catenary(void **state)
{
    enum { N = 40 };
    ct_world_desc wd = world_desc(1e-3, 0.4, NULL);
    ct_mesh m = line(N, 0, 0, 0, 1.2, 0, 0);
    ct_rod_desc d = rod_desc(1e-3, 1e6);
    int32_t left = 0, right = N;
    ct_motion_segment move;
    ct_world *w;
    ct_body_id b;
    double a = 1, x[3 * (N + 1)], sag, worst = 0;
    int i;
    (void)state;
    for (i = 0; i < 60; i++) /* Newton */
        a -= (2 * a * sinh(0.5 / a) - 1.2) / (2 * sinh(0.5 / a) - cosh(0.5 / a) / a);
    w = world_make(&wd);
    d.bend[0] = d.bend[1] = d.torsion = 0, d.damping_mass = 2, d.stretch = CT_STIFF, d.line_density = CT_DENSITY;
    b = add_rod(w, &d, &m);
    assert_int_equal(ct_body_node_count(w, b), N + 1); /* no frames */
    pin(w, b, &left, 1, NULL);
    memset(&move, 0, sizeof move);
    move.motion.linear[0] = CT_LEFTWARD, move.duration = 2;
    assert_int_equal(ct_body_pin_path(w, b, &right, 1, CT_AXIS_ALL, &move, 1, -1), CT_OK);
    run(w, 0.01, 1200, NULL);
    get(w, b, x);
    sag = a * (cosh(0.5 / a) - 1);
    for (i = 0; i <= N; i++) {
        double y = a * (cosh((x[3 * i] - 0.5) / a) - cosh(0.5 / a));
        worst = fabs(x[3 * i + 1] - y) > worst ? fabs(x[3 * i + 1] - y) : worst;
    }
    print_message("catenary: a %.5f, sag %.5f, farthest node off by %.2e\n", a, sag, worst);
    assert_true(worst < 2e-3 * sag + 2e-3);
    line_free(&m);
    ct_world_destroy(w);
}

/* first bending vibration of a free-free beam does not need clamps: w = 22.3733 sqrt(B / (m L^4)); Newmark keeps it */
static void test_frequency(void **state)
{
    enum { N = 24 };
    ct_world_desc wd = world_desc(1e-3, 0.4, NULL);
    ct_mesh m = line(N, 0, 0, 0, 1, 0, 0);
    ct_rod_desc d = rod_desc(1e-3, 1e6);
    ct_real v[3 * (2 * N + 1)];
    ct_world *w;
    ct_body_id b;
    double omega = 22.3733, dt = 2e-3, before = 0, first = -1, last = -1, x[3 * (N + 1)];
    int i, crossings = 0;
    (void)state;
    memset(wd.gravity, 0, sizeof wd.gravity);
    wd.integrator = CT_INTEGRATOR_NEWMARK;
    w = world_make(&wd);
    d.line_density = 1, d.bend[0] = d.bend[1] = d.torsion = 1, d.stretch = CT_STIFF, d.damping_stiffness = 0;
    b = add_rod(w, &d, &m);
    memset(v, 0, sizeof v);
    for (i = 0; i <= N; i++) { /* about its shape, without momentum: 1 - 3/2 (2 s)^2 off its mean */
        double s = (double)i / N - 0.5, k = 4.7300, shape = cosh(k * s) / cosh(k / 2) + cos(k * s) / cos(k / 2);
        v[3 * i + 1] = (ct_real)(0.05 * shape);
    }
    for (i = 0; i < N; i++)
        v[3 * (N + 1 + i) + 1] = (v[3 * i + 1] + v[3 * i + 4]) / 2;
    assert_int_equal(ct_body_set_velocities(w, b, v, 2 * N + 1), CT_OK);
    for (i = 0; i < 1500; i++) {
        double y;
        assert_int_equal(ct_world_step(w, (ct_real)dt, NULL), CT_OK);
        get(w, b, x);
        y = x[3 * (N / 2) + 1] - x[1];
        if (i > 0 && before < 0 && y >= 0) {
            last = dt * (i + y / (before - y)), first = first < 0 ? last : first;
            crossings++;
        }
        before = y;
    }
    print_message("frequency: %.4f rad/s, %.4f\n", 6.283185307 * (crossings - 1) / (last - first), omega);
    assert_true(crossings > 5);
    assert_true(fabs(6.283185307 * (crossings - 1) / (last - first) / omega - 1) < 0.01);
    line_free(&m);
    ct_world_destroy(w);
}

/* a free rod comes to rest in its natural shape: with curvature k and twist t it is a helix, whose ends are apart by
   sqrt((2 r sin(w L / 2))^2 + (t L / w)^2), w^2 = k^2 + t^2, r = k / w^2; without twist an arc. The mesh is a circle's arc of curvature 3, L = 1.
   share: of its curvature that is natural. Returns the relative error of that distance */
static double natural_shape(int n, double share, double twist, double *apart, double *want)
{
    ct_world_desc wd = world_desc(1e-4, 0, NULL);
    ct_mesh m = line(n, 0, 0, 0, 1, 0, 0);
    ct_rod_desc d = rod_desc(1e-3, 1e6);
    double k = 3 * share, w = sqrt(k * k + twist * twist), r = k / (w * w), x[3 * 64];
    ct_world *world;
    ct_body_id b;
    int i;
    for (i = 0; i <= n; i++)
        m.positions[3 * i] = (ct_real)(sin(3.0 * i / n) / 3), m.positions[3 * i + 1] = (ct_real)((1 - cos(3.0 * i / n)) / 3);
    memset(wd.gravity, 0, sizeof wd.gravity);
    wd.self_collision = 0;
    world = world_make(&wd);
    d.line_density = 1, d.bend[0] = d.bend[1] = d.torsion = 1, d.stretch = CT_STIFF, d.damping_mass = 6;
    d.curvature = (ct_real)share, d.twist = (ct_real)twist;
    b = add_rod(world, &d, &m);
    run(world, 0.02, 400, NULL);
    get(world, b, x);
    *apart = hypot(hypot(x[3 * n] - x[0], x[3 * n + 1] - x[1]), x[3 * n + 2] - x[2]);
    *want = sqrt(4 * r * r * sin(w / 2) * sin(w / 2) + twist * twist / (w * w));
    line_free(&m);
    ct_world_destroy(world);
    return fabs(*apart / *want - 1);
}

static void test_natural_shape(void **state)
{
    static const double share[4] = {1, 0.5, 1, 0.6}, twist[4] = {0, 0, 4, -2};
    int i, k;
    (void)state;
    for (i = 0; i < 4; i++) {
        double e[2], apart, want;
        for (k = 0; k < 2; k++) {
            e[k] = natural_shape(12 << k, share[i], twist[i], &apart, &want);
            print_message("natural curvature %g, twist %g, %d segments: ends %.5f m apart (%.5f), error %.2e\n", 3 * share[i],
                          twist[i], 12 << k, apart, want, e[k]);
        }
        assert_true(e[1] < 0.004 && (e[1] < 0.35 * e[0] || e[0] < 1e-3));
    }
}

/* a straight rod with a natural twist between two clamps: they carry G J times it */
static void test_natural_twist(void **state)
{
    enum { N = 20 };
    ct_world_desc wd = world_desc(1e-3, 0.4, NULL);
    ct_mesh m = line(N, 0, 0, 0, 1, 0, 0);
    ct_rod_desc d = rod_desc(0.01, 1e7);
    int32_t ends[6] = {0, 1, N + 1, N - 1, N, 2 * N};
    ct_world *w;
    ct_body_id b;
    ct_real p[3];
    int k;
    (void)state;
    memset(wd.gravity, 0, sizeof wd.gravity);
    w = world_make(&wd);
    d.torsion = CT_TORSION, d.twist = (ct_real)1.7;
    b = add_rod(w, &d, &m);
    pin(w, b, ends, 6, NULL);
    run(w, 0.01, 100, NULL);
    for (k = 0; k < 2; k++) {
        double torque;
        assert_int_equal(ct_body_get_pin_impulse(w, b, ends[3 * k + 2], p), CT_OK);
        torque = sqrt((double)p[1] * (double)p[1] + (double)p[2] * (double)p[2]) / 0.01 / N; /* frames are a segment's length away from the axis */
        print_message("natural twist: torque %.6f N m, %.6f\n", torque, 0.02 * 1.7);
        assert_true(fabs(torque / (0.02 * 1.7) - 1) < 1e-3);
    }
    line_free(&m);
    ct_world_destroy(w);
}

/* time at which the vertex `tip` of a body that is released level passes below its pins; out_gain: largest rise of its energy above the start */
static double swing_down(ct_world *w, ct_body_id b, int tip, double x0, double dt, double *out_gain)
{
    static double x[3 * 256];
    double before = 1, t = 0;
    int i;
    *out_gain = 0;
    for (i = 0; i < 5 / dt && t == 0; i++) {
        ct_step_report r;
        double e;
        assert_int_equal(ct_world_step(w, (ct_real)dt, &r), CT_OK);
        assert_true(r.status < CT_STATUS_BUDGET);
        e = r.energy_kinetic + r.energy_elastic + r.energy_gravity;
        *out_gain = e > *out_gain ? e : *out_gain;
        assert_true(ct_body_node_count(w, b) <= 256);
        get(w, b, x);
        if (x[3 * tip] <= x0)
            t = (i + (before - x0) / (before - x[3 * tip])) * dt;
        before = x[3 * tip];
    }
    return t;
}

/* A stiff rod of 1 m, pinned at its end, and a stiff beam on two pins, which leave it an axis, are released level. Steps must not take away
   their rotation: a linear step that turns by t is strained by t^2 / 2. A thin rod is at the vertical after sqrt(2 L / (3 g)) K, where
   K = 1.8541 is the quarter period of a pendulum that swings by a right angle */
static void test_pinned_bodies_swing(void **state)
{
    static const double young[3] = {1e8, 1e9, 1e10};
    int k, soft;
    (void)state;
    for (soft = 0; soft < 2; soft++)
        for (k = 0; k < (sizeof(ct_real) == 4 ? 1 : 3); k++) {
            ct_world_desc wd = world_desc(1e-3, 0.4, NULL);
            double gain, t, dt = 1.0 / 60;
            int32_t ends[8];
            ct_world *w;
            ct_body_id b;
            int tip = 10, n = 0, i;
            wd.gravity[1] = (ct_real)-9.81;
            w = world_make(&wd);
            if (soft) {
                ct_mesh m = mesh_box(1, 0.05, 0.05, 10, 1, 1, 1);
                ct_soft_desc d = ct_soft_desc_default();
                d.mesh = &m, d.material.young = (ct_real)young[k], d.material.damping_stiffness = 0;
                assert_int_equal(ct_body_add_soft(w, &d, &b), CT_OK);
                for (i = 0; i < m.n_positions; i++) {
                    if ((double)m.positions[3 * i] < -0.49 && m.positions[3 * i + 1] < 0)
                        ends[n++] = i;
                    if ((double)m.positions[3 * i] > 0.49 && m.positions[3 * i + 1] < 0)
                        tip = i;
                }
                assert_int_equal(n, 2);
                ct_mesh_free(&m);
            } else {
                ct_mesh m = line(10, -0.5, 0, 0, 0.5, 0, 0);
                ct_rod_desc d = rod_desc(0.01, young[k]);
                d.damping_stiffness = 0;
                b = add_rod(w, &d, &m);
                ends[n++] = 0;
                line_free(&m);
            }
            pin(w, b, ends, n, NULL);
            t = swing_down(w, b, tip, -0.5, dt, &gain);
            print_message("%s, E %g: at the vertical after %.4f s (.4833); gained %.1e J\n", soft ? "beam" : "rod", young[k], t, gain);
            assert_true(fabs(t / 0.4833 - 1) < 0.05);
            assert_true(gain < 1e-3);
            ct_world_destroy(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cantilever), cmocka_unit_test(test_torsion), cmocka_unit_test(test_catenary),
                                       cmocka_unit_test(test_frequency),  cmocka_unit_test(test_natural_shape),
                                       cmocka_unit_test(test_natural_twist), cmocka_unit_test(test_pinned_bodies_swing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
