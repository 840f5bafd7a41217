/* test_substep_change.c -- a change of the step length moves no resting body, and all energies of a report belong to the same time, the end
   of the step. */
#include "forms_util.h"

/* ---- bodies at rest ---- */

typedef struct hung {
    ct_world *w;
    ct_mesh mesh;
    ct_body_id body;
    int tip;
    double low, high; /* of the tip since the last hung_forget [m] */
} hung;

/* a soft block of 16 kg, .4 m high, that hangs by its upper face and has come to rest: its sag is 13 mm */
static hung hung_make(int integrator)
{
    hung h;
    ct_world_desc wd = forms_desc((ct_integrator)integrator, FORMS_G, 0.4);
    ct_soft_desc d;
    int i;
    h.tip = 0;
    wd.self_collision = 0;
    h.w = world_make(&wd);
    h.mesh = mesh_box(0.2, 0.4, 0.2, 2, 4, 2, 1);
    d = forms_soft(&h.mesh, CT_MODEL_COROTATIONAL, 5e4, 0.4, 1000);
    d.material.damping_mass = 30;
    h.body = forms_add_soft(h.w, &d);
    for (i = 0; i < h.mesh.n_positions; i++) {
        if ((double)h.mesh.positions[3 * i + 1] > 0.2 - 1e-6)
            forms_hold(h.w, h.body, i, CT_AXIS_ALL);
        if ((double)h.mesh.positions[3 * i + 1] < -0.2 + 1e-6)
            h.tip = i;
    }
    forms_run(h.w, 0.01, 400);
    return h;
}

static void hung_forget(hung *h) { h->low = 1e9, h->high = -1e9; }

static void hung_look(hung *h)
{
    double *x = read_vectors(h->w, h->body, 0, NULL);
    h->low = fmin(h->low, x[3 * h->tip + 1]);
    h->high = fmax(h->high, x[3 * h->tip + 1]);
    free(x);
}

static void hung_free(hung *h)
{
    ct_world_destroy(h->w);
    ct_mesh_free(&h->mesh);
}

/* a disc that spins at 300 rad/s, 3 m away, is stepped in substeps: a body that hangs at rest does not move */
static void a_spinner_moves_nothing_else(void **state)
{
    int it, i, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++) {
        hung h = hung_make(it);
        ct_mesh disc = mesh_box(0.2, 0.02, 0.2, 1, 1, 1, 0);
        const double omega[3] = {0, 300, 0};
        ct_body_id id;
        forms_shift(&disc, 3, 0, 0);
        hung_forget(&h);
        hung_look(&h);
        misses += forms_off(-0.2 - h.low, 0.013, 0.003, "%s: sag of the block that hangs", forms_integrator[it]);
        id = forms_add_rigid(h.w, &disc, 1000, NULL, omega);
        for (i = 0; i < 40; i++) {
            step_once(h.w, 0.01);
            hung_look(&h);
        }
        misses += forms_off(h.high - h.low, 0, 1e-6, "%s, spinner of 300 rad/s: way of the tip", forms_integrator[it]);
        assert_int_equal(ct_body_remove(h.w, id), CT_OK);
        ct_mesh_free(&disc);
        hung_free(&h);
    }
    assert_int_equal(misses, 0);
}

/* steps of 10, 1, 10, 1 ms; of 10 ms with every tenth of 1 ms; of random lengths */
static double step_of(int pattern, int step, uint64_t *seed)
{
    if (pattern == 0)
        return step % 2 ? 0.001 : 0.01;
    if (pattern == 1)
        return step % 10 == 9 ? 0.001 : 0.01;
    return 0.001 + 0.009 * lcg(seed);
}

static void steps_of_other_lengths_move_nothing(void **state)
{
    int it, pattern, i, misses = 0;
    uint64_t seed = 5;
    (void)state;
    for (it = 0; it < 3; it++)
        for (pattern = 0; pattern < 3; pattern++) {
            hung h = hung_make(it);
            double kinetic = 0;
            hung_forget(&h);
            hung_look(&h);
            for (i = 0; i < 150; i++) {
                kinetic = fmax(kinetic, step_once(h.w, step_of(pattern, i, &seed)).energy_kinetic);
                hung_look(&h);
            }
            misses += forms_off(kinetic, 0, 1e-9, "%s, steps %d: kinetic energy at rest", forms_integrator[it], pattern);
            misses += forms_off(h.high - h.low, 0, 1e-6, "%s, steps %d: way of the tip", forms_integrator[it], pattern);
            hung_free(&h);
        }
    assert_int_equal(misses, 0);
}

/* a rigid cube of 1 kg at rest on a joint of 400 N/m, and one at rest on a plane */
static void rigid_bodies_rest_through_steps_of_other_lengths(void **state)
{
    int pattern, k, i, misses = 0;
    uint64_t seed = 7;
    (void)state;
    for (pattern = 0; pattern < 3; pattern++)
        for (k = 0; k < 2; k++) {
            ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0.4);
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
            ct_rigid_desc d = ct_rigid_desc_default();
            ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
            ct_joint_id id;
            double low = 1e9, high = -1e9;
            ct_real x[3];
            forms_shift(&m, 0, k ? 0.051 : 0, 0);
            d.mesh = &m;
            d.damping_mass = 20;
            assert_int_equal(ct_body_add_rigid(w, &d, &j.a.body), CT_OK);
            if (k)
                add_plane(w, 0, 1, 0, 0);
            else {
                j.compliance = (ct_real)0.0025;
                assert_int_equal(ct_joint_add(w, &j, &id), CT_OK);
            }
            forms_run(w, 0.01, 300);
            assert_int_equal(ct_body_get_pose(w, j.a.body, x, NULL), CT_OK);
            if (!k)
                misses += forms_off((double)x[1], -FORMS_G / 400, 1e-6, "sag on a spring joint");
            for (i = 0; i < 200; i++) {
                step_once(w, step_of(pattern, i, &seed));
                assert_int_equal(ct_body_get_pose(w, j.a.body, x, NULL), CT_OK);
                low = fmin(low, (double)x[1]), high = fmax(high, (double)x[1]);
            }
            misses += forms_off(high - low, 0, 1e-6, "steps %d: way of a rigid cube on a %s", pattern, k ? "plane" : "spring joint");
            ct_world_destroy(w);
            ct_mesh_free(&m);
        }
    assert_int_equal(misses, 0);
}

/* free fall stays exact with all patterns: x = x0 + v0 t - g t^2 / 2 */
static void falls_are_exact_through_steps_of_other_lengths(void **state)
{
    int it, pattern, soft, i, misses = 0;
    uint64_t seed = 9;
    (void)state;
    for (it = 0; it < 3; it++)
        for (pattern = 0; pattern < 3; pattern++)
            for (soft = 0; soft < 2; soft++) {
                ct_world *w = forms_world((ct_integrator)it, FORMS_G, 0.4);
                ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, soft);
                ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 1e5, 0.3, 1000);
                double v0[3] = {0, 2, 0}, t = 0, c[3];
                ct_body_id b;
                forms_copy3(d.velocity, v0);
                b = soft ? forms_add_soft(w, &d) : forms_add_rigid(w, &m, 1000, v0, NULL);
                for (i = 0; i < 100; i++) {
                    double dt = step_of(pattern, i, &seed);
                    step_once(w, dt);
                    t += dt;
                }
                read_middle(w, b, 0, c);
                misses += forms_off(c[1], 2 * t - FORMS_G * t * t / 2, 1e-9, "%s, steps %d: fall of a %s cube", forms_integrator[it],
                                    pattern, soft ? "soft" : "rigid");
                ct_world_destroy(w);
                ct_mesh_free(&m);
            }
    assert_int_equal(misses, 0);
}

/* ---- energies of one time ---- */

/* free axial vibration of a bar, NEWMARK, 13 steps a period: kinetic + elastic energy of every report is the start's */
static void energies_of_a_vibration_are_of_one_time(void **state)
{
    ct_world_desc wd = forms_desc(CT_INTEGRATOR_NEWMARK, 0, 0);
    ct_world *w;
    ct_mesh m = mesh_box(1, 0.1, 0.1, 10, 1, 1, 1);
    ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 1e4, 0, 1000);
    ct_real *v = (ct_real *)calloc((size_t)(3 * m.n_positions), sizeof *v);
    double *mass = forms_masses(&m, 1000), start = 0, most = 0, low = 1, high = 1;
    ct_body_id b;
    int i, misses = 0;
    (void)state;
    assert_non_null(v);
    wd.self_collision = 0;
    w = world_make(&wd);
    d.material.damping_stiffness = 0;
    b = forms_add_soft(w, &d);
    for (i = 0; i < m.n_positions; i++) {
        double x = (double)m.positions[3 * i] + 0.5, speed = 0.01 * sin(FORMS_PI / 2 * x);
        forms_hold(w, b, i, x < 1e-6 ? CT_AXIS_ALL : CT_AXIS_Y | CT_AXIS_Z);
        v[3 * i] = (ct_real)speed;
        start += 0.5 * mass[i] * speed * speed;
    }
    assert_int_equal(ct_body_set_velocities(w, b, v, m.n_positions), CT_OK);
    for (i = 0; i < 60; i++) {
        ct_step_report r = step_once(w, 0.1);
        double sum = (r.energy_kinetic + r.energy_elastic) / start;
        low = fmin(low, sum), high = fmax(high, sum);
        most = fmax(most, r.energy_elastic);
    }
    misses += forms_off(low, 1, 0.01, "smallest kinetic + elastic energy / the start's");
    misses += forms_off(high, 1, 0.01, "largest kinetic + elastic energy / the start's");
    misses += forms_off(most / start, 1, 0.05, "largest elastic energy / the start's energy");
    assert_int_equal(misses, 0);
    ct_world_destroy(w);
    ct_mesh_free(&m);
    free(v), free(mass);
}

/* free fall of 1 s: kinetic energy + gravity's of every report is the start's gravity, and gravity's is m g y */
static void energies_of_a_fall_are_of_one_time(void **state)
{
    static const double dts[2] = {0.01, 0.003};
    int soft, e, i, misses = 0;
    (void)state;
    for (soft = 0; soft < 2; soft++)
        for (e = 0; e < 2; e++) {
            ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0.4);
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, soft);
            ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 1e5, 0.3, 1000);
            double omega[3] = {0, 2, 0}, start = FORMS_G * 5 + 0.5 * (0.01 / 6) * 4;
            forms_shift(&m, 0, 5, 0);
            if (soft) {
                forms_add_soft(w, &d);
                start = FORMS_G * 5;
            } else
                forms_add_rigid(w, &m, 1000, NULL, omega);
            for (i = 0; i < (int)(1 / dts[e]); i++) {
                ct_step_report r = step_once(w, dts[e]);
                double t = (i + 1) * dts[e];
                misses += forms_off((r.energy_kinetic + r.energy_gravity) / start, 1, 1e-6,
                                    "%s cube, dt %g, step %d: kinetic + gravity / start's", soft ? "soft" : "rigid", dts[e], i + 1);
                misses += forms_off(r.energy_gravity, FORMS_G * (5 - FORMS_G * t * t / 2), 1e-6,
                                    "%s cube, dt %g, step %d: energy of gravity", soft ? "soft" : "rigid", dts[e], i + 1);
                if (misses)
                    break;
            }
            ct_world_destroy(w);
            ct_mesh_free(&m);
        }
    assert_int_equal(misses, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(a_spinner_moves_nothing_else) PLAIN_TEST(steps_of_other_lengths_move_nothing)
            cmocka_unit_test(rigid_bodies_rest_through_steps_of_other_lengths),
        cmocka_unit_test(falls_are_exact_through_steps_of_other_lengths),
        cmocka_unit_test(energies_of_a_vibration_are_of_one_time),
        cmocka_unit_test(energies_of_a_fall_are_of_one_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
