/* test_barrier_joints.c -- joints and stitches in worlds that CT_STEPPER_BARRIER steps: against closed forms, against CT_STEPPER_CMR, momentum,
   statuses, memory. */
#include "world_util.h"

#define FLOAT (CONTACT_REAL == 32)
#define PI 3.14159265358979323846
#define G 9.81

static ct_world *joint_world(ct_stepper stepper, double gravity, double tolerance)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    d.stepper = stepper;
    d.gravity[1] = (ct_real)-gravity;
    d.barrier.newton_tolerance = (ct_real)tolerance;
    return world_make(&d);
}

static ct_body_id add_box(ct_world *w, const char *name, double sx, double sy, double sz, double x, double y, double z)
{
    ct_mesh m = mesh_box(sx, sy, sz, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.name = name, d.mesh = &m;
    d.position[0] = (ct_real)x, d.position[1] = (ct_real)y, d.position[2] = (ct_real)z;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static ct_joint_id join(ct_world *w, ct_joint_desc *d, ct_body_id a, ct_body_id b)
{
    ct_joint_id id = {0, 0};
    ct_code code;
    d->a.body = a, d->b.body = b;
    code = ct_joint_add(w, d, &id);
    if (code != CT_OK)
        print_message("ct_joint_add: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

static ct_joint_id join_at(ct_world *w, ct_joint_kind kind, ct_body_id a, ct_body_id b, double x, double y, double z)
{
    ct_joint_desc d = ct_joint_desc_default(kind);
    d.point[0] = (ct_real)x, d.point[1] = (ct_real)y, d.point[2] = (ct_real)z;
    return join(w, &d, a, b);
}

static const ct_body_id world_id = {0, 0};

/* ---- pendulum ---- */

/* time [s] of the second zero crossing after the start, at rest at the angle of 0.2, of a box 0.1 wide whose centre is 0.5 below a ball joint */
static double half_period(ct_stepper stepper, double h, double *worst, double *updates)
{
    const double L = 0.5, angle = 0.2;
    ct_world *w = joint_world(stepper, G, 1e-5);
    ct_body_id id = add_box(w, "bob", 0.1, 0.1, 0.1, L * sin(angle), -L * cos(angle), 0);
    double x[3], last = 1, t = 0, first = 0;
    int i, crossings = 0;
    join_at(w, CT_JOINT_BALL, id, world_id, 0, 0, 0);
    *worst = *updates = 0;
    for (i = 0; i < 2.2 / h && crossings < 2; i++) {
        ct_step_report r = step_once(w, h);
        assert_int_equal(r.status, CT_STATUS_OK);
        *worst = fmax(*worst, (double)r.joint_error);
        *updates += r.newton_iterations;
        t += h;
        read_middle(w, id, 0, x);
        if (x[0] * last < 0) {
            double at = t - h * fabs(x[0]) / (fabs(x[0]) + fabs(last));
            if (crossings++ == 0)
                first = at;
            else
                first = at - first;
        }
        last = x[0];
    }
    *updates /= i;
    ct_world_destroy(w);
    assert_int_equal(crossings, 2);
    return first;
}

static void a_pendulum_has_its_period(void **state)
{
    /* T / 2 = pi sqrt(I / (m g L)) (1 + a^2 / 16 + 11 a^4 / 3072) with the amplitude between the crossings; implicit Euler slows by (w h)^2 / 3 and damps */
    const double L = 0.5, I = L * L + 0.01 / 6, want = PI * sqrt(I / (G * L)) * (1 + 0.2 * 0.2 / 16);
    double worst, other, iterations;
    (void)state;
    print_message("want %g\n", want);
    other = half_period(CT_STEPPER_BARRIER, 2e-3, &worst, &iterations);
    print_message("barrier %g error %g its %g\n", other, worst, iterations);
    other = half_period(CT_STEPPER_BARRIER, 1e-2, &worst, &iterations);
    print_message("barrier %g error %g its %g\n", other, worst, iterations);
    other = half_period(CT_STEPPER_CMR, 2e-3, &worst, &iterations);
    print_message("cmr %g error %g\n", other, worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_its_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
