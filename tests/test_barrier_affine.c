/* test_barrier_affine.c -- rigid bodies as affine ones: free rotation and a stack of CT_STEPPER_BARRIER against closed forms and
 * CT_STEPPER_CMR. */
#include "world_util.h"
#include "../src/8_step/report.h"
#include "../src/8_barrier/barrier.h"
#include "../src/9_world/world.h"

#define FLOAT (CONTACT_REAL == 32)
#define G 9.81

static ct_world *rigid_world(ct_stepper stepper, double gravity)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    d.stepper = stepper, d.gravity[1] = (ct_real)-gravity;
    d.barrier.newton_tolerance = (ct_real)(FLOAT ? 1e-3 : 1e-7);
    return world_make(&d);
}

static ct_body_id add_brick(ct_world *w, double sx, double sy, double sz, double y, const double *spin)
{
    ct_mesh m = mesh_box(sx, sy, sz, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    int k;
    d.name = "brick", d.mesh = &m, d.position[1] = (ct_real)y;
    for (k = 0; spin && k < 3; k++)
        d.angular_velocity[k] = (ct_real)spin[k];
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* on one axis a free body turns by w h a step, with every integrator but BDF2, whose error is of second order, and at every speed */
static void turns_on_one_axis(void **state)
{
    static const ct_integrator rules[] = {CT_INTEGRATOR_EULER, CT_INTEGRATOR_NEWMARK, CT_INTEGRATOR_MIDPOINT};
    static const double rates[] = {0.1, 4, 50};
    const double h = 5e-3;
    int i, k;
    (void)state;
    for (k = 0; k < 9; k++) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        double rate = rates[k % 3], spin[3] = {0, 0, 0};
        ct_world *w;
        ct_body_id id;
        ct_real p[3], q[4], v[3], u[3];
        d.stepper = CT_STEPPER_BARRIER, d.integrator = rules[k / 3], d.gravity[1] = 0;
        d.barrier.newton_tolerance = (ct_real)(FLOAT ? 1e-3 : 1e-7);
        w = world_make(&d);
        spin[1] = rate;
        id = add_brick(w, 0.3, 0.1, 0.2, 0, spin);
        for (i = 1; i <= 200; i++) {
            ct_step_report r = step_once(w, h);
            assert_int_equal(r.status, CT_STATUS_OK);
            assert_true(r.rigid_strain < (ct_real)(FLOAT ? 2e-5 : 1e-5));
            assert_int_equal(ct_body_get_pose(w, id, p, q), CT_OK);
            assert_int_equal(ct_body_get_motion(w, id, v, u), CT_OK);
            assert_true(fabs(sin(atan2((double)q[2], (double)q[0]) - 0.5 * rate * h * i)) <
                        (FLOAT ? 1e-2 : 1e-4)); /* float: a Newton tolerance of 1e-3 m/s at 0.1 m */
            assert_true(fabs((double)u[1] / rate - 1) < (FLOAT ? 1e-2 : 1e-5));
        }
        ct_world_destroy(w);
    }
}

/* angle between two orientations */
static double apart(const ct_real *a, const ct_real *b)
{
    double dot = 0;
    int k;
    for (k = 0; k < 4; k++)
        dot += (double)a[k] * (double)b[k];
    return 2 * acos(fmin(1, fabs(dot)));
}

/* a brick tumbles about all axes for half a second: orientation, angular momentum and energy */
static void tumble(ct_stepper stepper, double h, ct_real *q, double *L, double *energy, double *strain)
{
    const double spin[3] = {0.3, 1, 4}, I[3] = {0.05, 0.13, 0.1};
    ct_world *w = rigid_world(stepper, 0);
    ct_body_id id = add_brick(w, 0.3, 0.1, 0.2, 0, spin);
    ct_real p[3], v[3], u[3];
    double R[9], mass = 6;
    int i, k;
    *strain = 0;
    for (i = 0; i < 0.5 / h - 0.5; i++) {
        ct_step_report r = step_once(w, h);
        assert_int_equal(r.status, CT_STATUS_OK);
        *energy = r.energy_kinetic;
        *strain = fmax(*strain, (double)r.rigid_strain);
    }
    assert_int_equal(ct_body_get_pose(w, id, p, q), CT_OK);
    assert_int_equal(ct_body_get_motion(w, id, v, u), CT_OK);
    {
        double a = (double)q[0], b = (double)q[1], c = (double)q[2], d = (double)q[3];
        R[0] = 1 - 2 * (c * c + d * d), R[1] = 2 * (b * c - a * d), R[2] = 2 * (b * d + a * c);
        R[3] = 2 * (b * c + a * d), R[4] = 1 - 2 * (b * b + d * d), R[5] = 2 * (c * d - a * b);
        R[6] = 2 * (b * d - a * c), R[7] = 2 * (c * d + a * b), R[8] = 1 - 2 * (b * b + c * c);
    }
    L[0] = L[1] = L[2] = 0;
    for (k = 0; k < 3; k++) {
        /* I of m / 12 (b^2 + c^2) in the body's frame */
        double along = R[k] * (double)u[0] + R[3 + k] * (double)u[1] + R[6 + k] * (double)u[2];
        for (i = 0; i < 3; i++)
            L[i] += mass / 12 * I[k] * along * R[3 * i + k];
    }
    ct_world_destroy(w);
}

/* angular momentum m / 12 I w and its energy are those of the start, and the orientation is that of the rigid stepper in short steps */
static void tumbles_like_a_rigid_body(void **state)
{
    ct_real q0[4], q[4];
    double L[3], e, strain, angle[2], start = 0;
    const double spin[3] = {0.3, 1, 4}, I[3] = {0.05, 0.13, 0.1};
    int k, i;
    (void)state;
    for (i = 0; i < 3; i++)
        start += 0.5 * 6 / 12 * I[i] * spin[i] * spin[i];
    tumble(CT_STEPPER_CMR, 1e-3, q0, L, &e, &strain);
    for (k = 0; k < 2; k++) {
        tumble(CT_STEPPER_BARRIER, k ? 1e-3 : 4e-3, q, L, &e, &strain);
        angle[k] = apart(q, q0);
        for (i = 0; i < 3; i++)
            assert_true(fabs(L[i] - 6.0 / 12 * I[i] * spin[i]) < (FLOAT ? 2e-3 : 1e-6));
        assert_true(fabs(e / start - 1) < (FLOAT ? 1e-2 : 1e-3));
        assert_true(strain < 1e-6);
    }
    assert_true(angle[0] < (FLOAT ? 1e-2 : 1e-3) && angle[1] < (FLOAT ? 1e-2 : 1e-4));
}

/* three boxes: both steppers' stacks stand, with gaps below the thickness, and the impulses between them are the weights */
static void a_stack_stands(void **state)
{
    const double h = 0.01, weight = G;
    double y[2][3], load[2][3];
    int k, i, j, n;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = rigid_world(k ? CT_STEPPER_CMR : CT_STEPPER_BARRIER, G);
        ct_body_id id[3];
        const ct_contact *c;
        ct_step_report r;
        ct_real p[3], q[4];
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 3; i++)
            id[i] = add_brick(w, 0.1, 0.1, 0.1, 0.051 + 0.101 * i, NULL);
        for (i = 0; i < 200; i++)
            r = step_once(w, h);
        assert_int_equal(r.status, CT_STATUS_OK);
        assert_int_equal(count_intersections(w), 0);
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        memset(load[k], 0, sizeof load[k]);
        for (i = 0; i < n; i++)
            for (j = 0; j < 3; j++) /* what each body gets from below */
                if (c[i].body_a.index1 == id[j].index1 || c[i].body_b.index1 == id[j].index1) {
                    int is_a = c[i].body_a.index1 == id[j].index1;
                    double f = (is_a ? 1 : -1) * (double)(c[i].impulse_normal * c[i].normal[1]) / h;
                    load[k][j] += f > 0 ? f : 0;
                }
        for (j = 0; j < 3; j++) {
            assert_int_equal(ct_body_get_pose(w, id[j], p, q), CT_OK);
            y[k][j] = (double)p[1];
            assert_true(fabs(load[k][j] - (3 - j) * weight) < 1e-3 * weight && hypot((double)q[1], (double)q[3]) < 1e-5);
        }
        assert_true(r.rigid_strain < (ct_real)1e-5);
        ct_world_destroy(w);
    }
    /* a gap is the thickness there, and between 0 and the thickness here: smaller under more load */
    for (j = 0; j < 3; j++)
        assert_true(y[1][j] - y[0][j] > 0 && y[1][j] - y[0][j] < (j + 1) * 1e-3);
    assert_true(y[0][0] - 0.05 < y[0][1] - y[0][0] - 0.1 && y[0][1] - y[0][0] < y[0][2] - y[0][1]);
}

/* a rigid body that is strained is none, and a step that ends so says it: the body falls fast on the floor, or a press closes on it */
static void strained_bodies_are_not_converged(void **state)
{
    static const double speeds[] = {1, 10, 100};
    double most[3] = {0, 0, 0};
    int k, i, told = 0;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world *w = rigid_world(CT_STEPPER_BARRIER, G);
        ct_kinematic_desc d = ct_kinematic_desc_default();
        ct_mesh m = mesh_box(0.3, 0.05, 0.3, 1, 1, 1, 0);
        ct_body_id press, id = add_brick(w, 0.1, 0.1, 0.1, k < 3 ? 0.06 : 0.0505, NULL);
        add_plane(w, 0, 1, 0, 0);
        if (k < 3) {
            ct_real v[3] = {0, (ct_real)-speeds[k], 0};
            assert_int_equal(ct_body_set_motion(w, id, v, NULL), CT_OK);
        } else {
            d.name = "press", d.mesh = &m, d.motion.linear[1] = -1, d.position[1] = (ct_real)0.15;
            assert_int_equal(ct_body_add_kinematic(w, &d, &press), CT_OK);
        }
        ct_mesh_free(&m);
        for (i = 0; i < 12; i++) {
            ct_step_report r = step_once(w, 0.01);
            assert_true(r.rigid_strain <= (ct_real)0.02 || r.status == CT_STATUS_NOT_CONVERGED);
            if (k < 3)
                most[k] = fmax(most[k], (double)r.rigid_strain);
            else
                told += r.status == CT_STATUS_NOT_CONVERGED;
        }
        ct_world_destroy(w);
    }
    print_message("  strain by an impact at 1, 10, 100 m/s: %.2g %.2g %.2g\n", most[0], most[1], most[2]);
    assert_true(told > 0 && most[2] < 0.01);
}

/* a press closes on a box until a hundredth of its height is left, and opens again: the box is neither inside-out nor flat */
static void a_pressed_body_comes_back(void **state)
{
    ct_world *w = rigid_world(CT_STEPPER_BARRIER, G);
    ct_mesh m = mesh_box(0.3, 0.02, 0.3, 1, 1, 1, 0), floor = mesh_grid(1, 1, 3, 3);
    ct_static_desc s = ct_static_desc_default();
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_motion_segment way[3];
    ct_body_id press, id = add_brick(w, 0.1, 0.1, 0.1, 0.0506, NULL);
    ct_step_report r;
    double most = 0, *x, *x0;
    int i, n, v;
    (void)state;
    s.name = "floor", s.mesh = &floor;
    assert_int_equal(ct_body_add_static(w, &s, NULL), CT_OK);
    memset(way, 0, sizeof way);
    way[0].motion.linear[1] = (ct_real)-0.695, way[0].duration = (ct_real)0.2;
    way[1].motion.linear[1] = (ct_real)0.695, way[1].duration = (ct_real)0.2;
    way[2].duration = -1;
    d.name = "press", d.mesh = &m, d.position[1] = (ct_real)0.15, d.segments = way, d.n_segments = 3;
    assert_int_equal(ct_body_add_kinematic(w, &d, &press), CT_OK);
    ct_mesh_free(&m), ct_mesh_free(&floor);
    x0 = read_vectors(w, id, 0, &n);
    for (i = 0; i < 120; i++) {
        r = step_once(w, 0.005);
        most = fmax(most, (double)r.rigid_strain);
    }
    /* in float the press finds no way to the flat box: it waits above the whole one */
    assert_true(FLOAT || (most > 0.9 && r.status == CT_STATUS_OK && r.rigid_strain < (ct_real)1e-4));
    /* its corners are where they were */
    x = read_vectors(w, id, 0, &n);
    for (v = 0; v < 3 * n; v++)
        assert_true(fabs(x[v] - x0[v]) < 5e-3);
    free(x), free(x0);
    ct_world_destroy(w);
}

/* a brick that is held stands still for a substep, whatever its motion and its weight are, and is at rest after it */
static void a_held_body_stands_still(void **state)
{
    const double spin[3] = {0.3, 1, 4};
    ct_world *w = rigid_world(CT_STEPPER_BARRIER, 9.81);
    ct_body_id id = add_brick(w, 0.3, 0.1, 0.2, 0, spin);
    ct_real p[2][3], q[2][4], v[3], u[3], need = 1;
    cti_state *s = &w->state;
    ct_step_report r;
    int i;
    (void)state;
    step_once(w, 0.01);
    assert_int_equal(ct_body_get_pose(w, id, p[0], q[0]), CT_OK);
    assert_int_equal(ct_body_get_motion(w, id, v, u), CT_OK);
    assert_true(v[1] < 0 && u[2] > 3);
    cti_report_blank(s, &r), cti_step_open(s, CTI_R(0.01));
    for (i = 0; i < 2; i++)
        s->scripts.held[s->bodies.rigids[0].block + i] = CTI_HELD_IMPLAUSIBLE;
    assert_int_equal(cti_barrier_substep(s, CTI_R(0.01), 0, &need, &r), 1);
    assert_int_equal(ct_body_get_pose(w, id, p[1], q[1]), CT_OK);
    assert_int_equal(ct_body_get_motion(w, id, v, u), CT_OK);
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    for (i = 0; i < 3; i++)
        assert_true(v[i] == 0 && u[i] == 0);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_on_one_axis),
        cmocka_unit_test(tumbles_like_a_rigid_body),
        cmocka_unit_test(a_stack_stands),
        cmocka_unit_test(strained_bodies_are_not_converged),
        cmocka_unit_test(a_pressed_body_comes_back),
        cmocka_unit_test(a_held_body_stands_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
