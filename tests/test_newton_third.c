/* test_newton_third.c -- action equals reaction between deformable bodies, rigid bodies and joints with every integrator: static loads,
   impulses of contacts and joints, and the momentum of impacts. */
#include "forms_util.h"

/* ---- static loads ---- */

/* sums of normal impulses [N s]: on planes, and between bodies */
static void contact_sums(const ct_world *w, double *plane, double *between)
{
    const ct_contact *c = NULL;
    int n = 0, i;
    *plane = *between = 0;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++) {
        if (c[i].kind == CT_PAIR_PLANE)
            *plane += (double)c[i].impulse_normal;
        else
            *between += (double)c[i].impulse_normal;
    }
}

/* mean height of the vertices of `m` whose rest height is y */
static double mean_height(const ct_world *w, ct_body_id b, const ct_mesh *m, double y)
{
    double *x = read_vectors(w, b, 0, NULL), sum = 0;
    int i, n = 0;
    for (i = 0; i < m->n_positions; i++)
        if (fabs((double)m->positions[3 * i + 1] - y) < 1e-6) {
            sum += x[3 * i + 1];
            n++;
        }
    free(x);
    return sum / n;
}

/* a rigid cube of 8 kg on a soft column without lateral strain: compression (M + m / 2) g L / (E A), and the impulses of both contacts */
static void a_weight_compresses_a_soft_block(void **state)
{
    static const double dts[2] = {0.01, 0.0025};
    int it, e, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++)
        for (e = 0; e < 2; e++) {
            ct_world *w = forms_world((ct_integrator)it, FORMS_G, 0.5);
            ct_mesh m = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1), s = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0);
            ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 5e4, 0, 10);
            double want = (8 + 0.04) * FORMS_G * 0.2 / (5e4 * 0.04), got, plane, between;
            ct_body_id b;
            d.material.damping_mass = 2;
            d.material.damping_stiffness = (ct_real)0.02;
            add_plane(w, 0, 1, 0, 0);
            forms_shift(&m, 0, 0.101, 0);
            forms_shift(&s, 0, 0.302, 0);
            b = forms_add_soft(w, &d);
            forms_add_rigid(w, &s, 1000, NULL, NULL);
            forms_run(w, dts[e], (int)(1.5 / dts[e] + 0.5));
            got = 0.2 - (mean_height(w, b, &m, 0.201) - mean_height(w, b, &m, 0.001));
            contact_sums(w, &plane, &between);
            misses += forms_off(got / want, 1, 0.01, "%s, dt %g: compression under a rigid weight / theory", forms_integrator[it], dts[e]);
            misses +=
                forms_off(between / (8 * FORMS_G * dts[e]), 1, 0.01, "%s, dt %g: impulse of the weight", forms_integrator[it], dts[e]);
            misses +=
                forms_off(plane / (8.08 * FORMS_G * dts[e]), 1, 0.01, "%s, dt %g: impulse of the floor", forms_integrator[it], dts[e]);
            ct_world_destroy(w);
            ct_mesh_free(&m), ct_mesh_free(&s);
        }
    assert_int_equal(misses, 0);
}

/* a hinged rigid plank, a rigid cube on its left, a soft one of 1 kg on its right: theta'' = torque / inertia, over .2 s */
static void a_seesaw_weighs(void **state)
{
    static const double left[3] = {0.7, 1, 1.5};
    int it, f, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++)
        for (f = 0; f < 3; f++) {
            ct_world *w = forms_world((ct_integrator)it, FORMS_G, 0.8);
            ct_mesh plank = mesh_box(1, 0.04, 0.2, 4, 1, 1, 0), a = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0),
                    b = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
            ct_soft_desc d = forms_soft(&b, CT_MODEL_COROTATIONAL, 1e6, 0.3, 1000);
            ct_joint_desc j = ct_joint_desc_default(CT_JOINT_HINGE);
            ct_joint_id id;
            double M = left[f] + 1, t = 40 * 0.005, inertia = 4.0 / 12 * (1 + 0.0016) + M * (0.16 + 0.071 * 0.071 + 0.01 / 6);
            /* theta'' = a + c theta: the blocks' weight is above the hinge */
            double turn = (left[f] - 1) * 0.4 * FORMS_G / inertia, c = M * FORMS_G * 0.071 / inertia;
            double want = turn / c * (cosh(sqrt(c) * t) - 1) / (0.5 * t * t), got;
            ct_real x[3], q[4];
            forms_shift(&a, -0.4, 0.071, 0);
            forms_shift(&b, 0.4, 0.071, 0);
            j.a.body = forms_add_rigid(w, &plank, 500, NULL, NULL);
            forms_add_rigid(w, &a, 1000 * left[f], NULL, NULL);
            forms_add_soft(w, &d);
            j.axis[0] = 0, j.axis[1] = 0, j.axis[2] = 1;
            assert_int_equal(ct_joint_add(w, &j, &id), CT_OK);
            forms_run(w, 0.005, 40);
            assert_int_equal(ct_body_get_pose(w, j.a.body, x, q), CT_OK);
            got = 2 * asin((double)q[3]) / (0.5 * t * t);
            misses += forms_off(got, want, 0.02, "%s: see-saw with %g kg left, 1 kg right, mean angular acceleration", forms_integrator[it],
                                left[f]);
            ct_world_destroy(w);
            ct_mesh_free(&plank), ct_mesh_free(&a), ct_mesh_free(&b);
        }
    assert_int_equal(misses, 0);
}

/* a soft cube of 1 kg hung by the four corners of its upper face: impulses of the joints m g dt, sag of springs m g / (4 k) */
static void joints_carry_the_weight(void **state)
{
    int it, k, i, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++)
        for (k = 0; k < 2; k++) {
            ct_world *w = forms_world((ct_integrator)it, FORMS_G, 0.5);
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
            ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 1e7, 0.3, 1000);
            ct_joint_id joint[4];
            double *x, sag, sum = 0;
            int n = 0, top = 0;
            ct_body_id b;
            d.material.damping_mass = 20;
            b = forms_add_soft(w, &d);
            for (i = 0; i < m.n_positions; i++)
                if (m.positions[3 * i + 1] > 0 && n < 4) {
                    joint[n++] = forms_tie(w, b, i, k ? 0.01 : 0);
                    top = i;
                }
            assert_int_equal(n, 4);
            forms_run(w, 0.01, 250);
            x = read_vectors(w, b, 0, NULL);
            sag = 0.05 - x[3 * top + 1];
            for (i = 0; i < n; i++) {
                ct_real l[3];
                assert_int_equal(ct_joint_get_impulse(w, joint[i], l, NULL), CT_OK);
                sum += (double)l[1];
            }
            misses += forms_off(sum / (FORMS_G * 0.01), 1, 1e-3, "%s: four joints' impulses / (m g dt)", forms_integrator[it]);
            misses += forms_off(sag, k ? FORMS_G / 400 : 0, k ? 1e-4 : 1e-6, "%s: sag on four %s", forms_integrator[it],
                                k ? "springs" : "joints");
            free(x);
            ct_world_destroy(w);
            ct_mesh_free(&m);
        }
    assert_int_equal(misses, 0);
}

/* a soft block falls and comes to rest: the floor's impulses sum to m g T, less half of gravity's change in the first step */
static void impulses_of_a_fall_sum_to_its_weight(void **state)
{
    int it, i, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++) {
        ct_world *w = forms_world((ct_integrator)it, FORMS_G, 0.4);
        ct_mesh m = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1);
        ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 1e5, 0.3, 1000);
        double sum = 0, plane, between;
        d.material.damping_stiffness = (ct_real)0.005;
        add_plane(w, 0, 1, 0, 0);
        forms_shift(&m, 0, 0.15, 0);
        forms_add_soft(w, &d);
        for (i = 0; i < 200; i++) {
            assert_int_equal(step_once(w, 0.01).substeps, 1);
            contact_sums(w, &plane, &between);
            sum += plane;
        }
        misses += forms_off(sum / (8 * FORMS_G * 2), 1, 0.005, "%s: impulses of the floor / (m g T)", forms_integrator[it]);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
    assert_int_equal(misses, 0);
}

/* A rigid block of 3 kg on a strip of cloth between two rails. The sag at rest does not depend on the integrator. Two straight halves of the strip
   with that sag carry the weight (E t b of 360 N, Green's strain), except for the part above the block and bending at its edges */
static void cloth_carries_a_rigid_block(void **state)
{
    double sag[3], half, stretch, force;
    int it, i, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++) {
        ct_world_desc wd = forms_desc((ct_integrator)it, FORMS_G, 0.8);
        ct_mesh m = mesh_grid(1, 0.3, 14, 4), s = mesh_box(0.1, 0.1, 0.3, 2, 1, 3, 0);
        ct_cloth_desc d = ct_cloth_desc_default();
        ct_real x[3];
        ct_body_id b, r;
        ct_world *w;
        wd.self_collision = 0;
        w = world_make(&wd);
        d.mesh = &m;
        d.material = ct_material_default(CT_MODEL_MEMBRANE);
        d.material.young = (ct_real)4e6;
        d.material.poisson = 0;
        d.material.damping_stiffness = (ct_real)0.01;
        d.material.damping_mass = 40;
        b = forms_add_cloth(w, &d);
        for (i = 0; i < m.n_positions; i++)
            if (fabs((double)m.positions[3 * i]) > 0.5 - 1e-6)
                forms_hold(w, b, i, CT_AXIS_ALL);
        forms_shift(&s, 0, 0.0515, 0);
        r = forms_add_rigid(w, &s, 1000, NULL, NULL);
        forms_run(w, 0.01, 300);
        assert_int_equal(ct_body_get_pose(w, r, x, NULL), CT_OK);
        sag[it] = 0.051 - (double)x[1];
        misses += forms_off(sag[it] / sag[0], 1, 0.02, "%s: sag of the cloth / EULER's", forms_integrator[it]);
        ct_world_destroy(w);
        ct_mesh_free(&m), ct_mesh_free(&s);
    }
    half = sqrt(0.45 * 0.45 + sag[0] * sag[0]);
    stretch = half / 0.45;
    force = 2 * 360 * stretch * (stretch * stretch - 1) / 2 * sag[0] / half;
    misses += forms_off(force / (3 * FORMS_G), 1, 0.15, "EULER: force of the cloth / weight");
    assert_int_equal(misses, 0);
}

/* ---- impacts ---- */

/* a soft cube of 1 kg at 2 m/s hits another body with a face, without friction: momentum before and after, relative to 2 N s */
static const char *const pair_names[4] = {"1 kg of 2^3 cells on 1 kg of 3^3, shifted", "1 kg on 5 kg, same mesh", "1 kg on a rigid kg",
                                          "1 kg of 2^3 cells on 1 kg of 3^3"};

static int impact_of_two_cubes(int pair, int it, double dt)
{
    ct_world *w = forms_world((ct_integrator)it, 0, 0);
    int n = pair == 0 || pair == 3 ? 3 : 2, misses = 0, rigid = pair == 2;
    double density = pair == 1 ? 5000 : 1000, after[3] = {0, 0, 0}, first, share, *mass[2];
    ct_mesh a = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1), b = mesh_box(0.1, 0.1, 0.1, n, n, n, 1);
    ct_soft_desc da = forms_soft(&a, CT_MODEL_COROTATIONAL, 1e6, 0.3, 1000), db = forms_soft(&b, CT_MODEL_COROTATIONAL, 1e6, 0.3, density);
    ct_body_id ia, ib;
    forms_shift(&a, -0.06, 0, 0);
    forms_shift(&b, 0.06, 0, pair == 0 ? 0.03 : 0);
    mass[0] = forms_masses(&a, 1000);
    mass[1] = forms_masses(&b, density);
    da.velocity[0] = 2;
    ia = forms_add_soft(w, &da);
    ib = rigid ? forms_add_rigid(w, &b, density, NULL, NULL) : forms_add_soft(w, &db);
    forms_run(w, dt, (int)(0.06 / dt + 0.5));
    forms_momentum(w, ia, mass[0], after, NULL);
    first = after[0];
    if (rigid) {
        ct_real v[3];
        assert_int_equal(ct_body_get_motion(w, ib, v, NULL), CT_OK);
        after[0] += (double)v[0], after[1] += (double)v[1], after[2] += (double)v[2];
    } else
        forms_momentum(w, ib, mass[1], after, NULL);
    after[0] -= 2;
    misses += forms_off(forms_length(after) / 2, 0, 1e-9, "%s, dt %g, %s: momentum lost", forms_integrator[it], dt, pair_names[pair]);
    /* they have collided: the cube keeps less than after a plastic impact (within a tenth of it), more than after an elastic one */
    share = density / (1000 + density);
    misses += forms_off(first, 2 - 2.92 * share, 1.12 * share, "%s, dt %g, %s: momentum that the first cube keeps", forms_integrator[it],
                        dt, pair_names[pair]);
    free(mass[0]), free(mass[1]);
    ct_world_destroy(w);
    ct_mesh_free(&a), ct_mesh_free(&b);
    return misses;
}

static void impacts_keep_linear_momentum(void **state)
{
    static const double dts[3] = {0.01, 0.0025, 0.000625};
    int pair, it, e, misses = 0;
    (void)state;
    for (pair = 0; pair < 4; pair++)
        for (it = 0; it < 3; it++)
            for (e = 0; e < 3; e++)
                misses += impact_of_two_cubes(pair, it, dts[e]);
    assert_int_equal(misses, 0);
}

/* a soft cube hits a soft bar near its end: both momenta */
static void off_centre_impacts_keep_momenta(void **state)
{
    static const double dts[3] = {0.01, 0.0025, 0.000625};
    int it, e, k, phase, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++)
        for (e = 0; e < 3; e++) {
            ct_world *w = forms_world((ct_integrator)it, 0, 0.5);
            ct_mesh a = mesh_box(0.1, 0.1, 0.6, 1, 1, 6, 1), b = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
            ct_soft_desc da = forms_soft(&a, CT_MODEL_COROTATIONAL, 1e6, 0.3, 1000),
                         db = forms_soft(&b, CT_MODEL_COROTATIONAL, 1e6, 0.3, 2000);
            double p[2][3] = {{0, 0, 0}, {0, 0, 0}}, l[2][3] = {{0, 0, 0}, {0, 0, 0}}, dp[3], dl[3], *ma, *mb;
            ct_body_id ia, ib;
            forms_shift(&a, -0.2, 0, 0);
            forms_shift(&b, 0.2, 0, 0.25);
            ma = forms_masses(&a, 1000), mb = forms_masses(&b, 2000);
            da.velocity[0] = 3;
            db.velocity[0] = -1, db.velocity[1] = (ct_real)0.3, db.velocity[2] = (ct_real)0.2;
            ia = forms_add_soft(w, &da), ib = forms_add_soft(w, &db);
            for (phase = 0; phase < 2; phase++) {
                if (phase)
                    forms_run(w, dts[e], (int)(0.15 / dts[e] + 0.5));
                forms_momentum(w, ia, ma, p[phase], l[phase]);
                forms_momentum(w, ib, mb, p[phase], l[phase]);
            }
            for (k = 0; k < 3; k++)
                dp[k] = p[1][k] - p[0][k], dl[k] = l[1][k] - l[0][k];
            misses += forms_off(forms_length(dp) / forms_length(p[0]), 0, 1e-9, "%s, dt %g, off-centre: momentum lost",
                                forms_integrator[it], dts[e]);
            misses += forms_off(forms_length(dl) / forms_length(l[0]), 0, 0.01, "%s, dt %g, off-centre: angular momentum lost",
                                forms_integrator[it], dts[e]);
            free(ma), free(mb);
            ct_world_destroy(w);
            ct_mesh_free(&a), ct_mesh_free(&b);
        }
    assert_int_equal(misses, 0);
}

/* a soft cube and a rigid one, joined at a vertex, fly and rotate about each other */
static void joined_bodies_keep_linear_momentum(void **state)
{
    int it, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++) {
        ct_world *w = forms_world((ct_integrator)it, 0, 0);
        ct_mesh a = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1), b = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
        ct_soft_desc d = forms_soft(&a, CT_MODEL_COROTATIONAL, 1e6, 0.3, 1000);
        ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
        ct_joint_id id;
        double p[3] = {0, 0, 0}, *mass = forms_masses(&a, 1000);
        ct_real v[3];
        ct_body_id r;
        forms_shift(&b, 0.12, 0.12, 0.12);
        d.velocity[1] = 1;
        j.a.body = forms_add_soft(w, &d);
        r = forms_add_rigid(w, &b, 3000, NULL, NULL);
        j.b.body = r;
        j.a.vertices[0] = a.n_positions - 1, j.a.vertices[1] = -1, j.a.vertices[2] = -1;
        j.a.weights[0] = 1;
        j.collide = 0;
        assert_int_equal(ct_joint_add(w, &j, &id), CT_OK);
        forms_run(w, 0.005, 100);
        forms_momentum(w, j.a.body, mass, p, NULL);
        assert_int_equal(ct_body_get_motion(w, r, v, NULL), CT_OK);
        assert_true(fabs((double)v[1]) > 0.05);
        p[0] += 3 * (double)v[0], p[1] += 3 * (double)v[1] - 1, p[2] += 3 * (double)v[2];
        misses += forms_off(forms_length(p), 0, 1e-9, "%s, soft and rigid joined: momentum lost", forms_integrator[it]);
        free(mass);
        ct_world_destroy(w);
        ct_mesh_free(&a), ct_mesh_free(&b);
    }
    assert_int_equal(misses, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(a_weight_compresses_a_soft_block) cmocka_unit_test(a_seesaw_weighs),
        cmocka_unit_test(joints_carry_the_weight),
        PLAIN_TEST(impulses_of_a_fall_sum_to_its_weight) PLAIN_TEST(cloth_carries_a_rigid_block) PLAIN_TEST(impacts_keep_linear_momentum)
            PLAIN_TEST(off_centre_impacts_keep_momenta) cmocka_unit_test(joined_bodies_keep_linear_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
