/* test_dcd_friction.c -- friction of the discrete stepper: what it must not change (momenta, the account of energies), what it holds, and how fast
   it lets go. */
#include "laws_util.h"

#define FLOAT (CONTACT_REAL == 32)

/* an empty world of CT_STEPPER_DCD */
static void open_world(scene *s, double friction, double gravity, double slope)
{
    ct_world_desc d = world_desc(LAW_H, friction, NULL);
    double c = 1 / sqrt(1 + slope * slope);
    memset(s, 0, sizeof *s);
    d.stepper = CT_STEPPER_DCD;
    s->gravity[0] = -gravity * slope * c, s->gravity[1] = -gravity * c;
    d.gravity[0] = (ct_real)s->gravity[0], d.gravity[1] = (ct_real)s->gravity[1];
    s->dt = LAW_DT, s->young = 1e5, s->damping = 1e-3;
    assert_int_equal(ct_world_create(&d, &s->w, &s->refusal), CT_OK);
}

/* momenta of all; e: their energies */
static void measure_all(scene *s, double *p, double *l, double *e)
{
    int i, k;
    memset(p, 0, 3 * sizeof *p), memset(l, 0, 3 * sizeof *l), *e = 0;
    for (i = 0; i < s->n; i++) {
        thing *t = &s->things[i];
        double own[9];
        assert_int_equal(ct_body_get_positions(s->w, t->id, t->x, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
        assert_int_equal(ct_body_get_velocities(s->w, t->id, t->v, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
        thing_measure(s, t, own, own + 3, own + 6);
        for (k = 0; k < 3; k++)
            p[k] += own[k], l[k] += own[3 + k];
        *e += own[6] + own[7] + own[8];
    }
}

static double account_error(const ct_step_report *q, double *last, int first)
{
    double now = q->energy_kinetic + q->energy_elastic + q->energy_gravity + q->energy_contact, was = *last;
    double in = q->work_script + q->work_pins + q->work_joints + q->work_recovery, out = q->loss_contact + q->loss_damping;
    *last = now;
    return first ? 0 : fabs(now - was - (in - out + q->energy_gained));
}

/* Two or three boxes of random sizes, stiffness, speed and spin meet without gravity: nothing changes their momenta, whatever friction does */
static void collisions_keep_their_momenta(void **state)
{
    static const double frictions[5] = {0, 0.1, 0.5, 1, 3};
    uint64_t seed = 7;
    int run, i, k, slow = 0, touched = 0, steps = 0;
    double worst[3] = {0, 0, 0};
    (void)state;
    for (run = 0; run < PLAIN_OR(50, 5); run++) {
        setup q;
        scene s;
        double p0[3], l0[3], e0, p[3], l[3], e, mass = 0, speed, last = 0;
        memset(&q, 0, sizeof q);
        open_world(&s, frictions[run % 5], 0, 0);
        for (i = 0; i < 2 + (run % 4 == 3); i++) {
            double edges[3], at[3], v[3], spin[3];
            for (k = 0; k < 3; k++)
                edges[k] = 0.1 + 0.1 * lcg(&seed), spin[k] = 6 * lcg(&seed) - 3, v[k] = 0.6 * lcg(&seed) - 0.3;
            at[0] = i == 2 ? 0 : (i ? 0.16 : -0.16), at[1] = (i == 2 ? 0.25 : 0) + 0.1 * lcg(&seed) - 0.05, at[2] = 0.1 * lcg(&seed) - 0.05;
            v[0] += i == 2 ? 0 : (i ? -1 : 1) * (0.5 + 2 * lcg(&seed)), v[1] -= i == 2 ? 2 : 0;
            s.young = 1e4 * pow(100, lcg(&seed));
            assert_int_equal(add_box(&s, &q, THING_SOFT, edges, 2 + (run + i) % 2, at, 6.28 * lcg(&seed), v, spin), CT_OK);
            mass += s.things[i].total;
        }
        measure_all(&s, p0, l0, &e0);
        speed = sqrt(2 * e0 / mass);
        for (i = 0; i < PLAIN_OR(40, 25); i++) {
            ct_step_report r = step_once(s.w, s.dt);
            slow += r.status > CT_STATUS_ZONES, steps++, touched += r.contacts > 0;
            assert_true(r.momentum_lost == 0);
            worst[2] = fmax(worst[2], account_error(&r, &last, i == 0) / e0);
            measure_all(&s, p, l, &e);
            for (k = 0; k < 3; k++) {
                worst[0] = fmax(worst[0], fabs(p[k] - p0[k]) / (mass * speed));
                worst[1] = fmax(worst[1], fabs(l[k] - l0[k]) / (mass * speed * 0.15));
            }
        }
        scene_close(&s);
    }
    print_message("collisions: momentum changed by %.2g, angular momentum by %.2g, account open by %.2g; %d of %d steps with contacts, %d late\n",
                  worst[0], worst[1], worst[2], touched, steps, slow);
    assert_true(touched > steps / 10 && slow <= steps / 50);
    assert_true(worst[0] <= (FLOAT ? 1e-5 : 1e-9));
    assert_true(worst[1] <= (FLOAT ? 1e-5 : 1e-6));
    assert_true(worst[2] <= (FLOAT ? 1e-6 : 1e-11));
}

/* impulse of the last step on a body, from others than `not` */
static void impulse_on(const scene *s, ct_body_id id, ct_body_id not, double out[3])
{
    const ct_contact *c;
    int i, k, n;
    out[0] = out[1] = out[2] = 0;
    assert_int_equal(ct_world_contacts(s->w, &c, &n), CT_OK);
    for (i = 0; i < n; i++) {
        int on = (c[i].body_a.index1 == id.index1) - (c[i].body_b.index1 == id.index1);
        if (c[i].body_a.index1 == not.index1 || c[i].body_b.index1 == not.index1)
            continue;
        for (k = 0; k < 3; k++)
            out[k] += on * (double)(c[i].impulse_normal * c[i].normal[k] + c[i].impulse_tangent[0] * c[i].tangent[0][k] +
                                    c[i].impulse_tangent[1] * c[i].tangent[1][k]);
    }
}

/* each box of a stack at rest carries those above it, and the floor all */
static void a_stack_weighs_what_it_weighs(void **state)
{
    static const double edges[3][3] = {{0.2, 0.2, 0.2}, {0.16, 0.16, 0.16}, {0.12, 0.12, 0.12}};
    setup q;
    scene s;
    double sum[3] = {0, 0, 0}, side = 0, J[3], weight, y = 0, above;
    int i, k;
    (void)state;
    memset(&q, 0, sizeof q);
    open_world(&s, 0.5, LAW_G, 0);
    add_plane(s.w, 0, 1, 0, 0);
    for (i = 0; i < 3; i++) {
        double at[3];
        at[0] = 0.01 * i, at[1] = y + edges[i][1] / 2 + LAW_H, at[2] = -0.005 * i, y += edges[i][1] + LAW_H;
        assert_int_equal(add_box(&s, &q, THING_SOFT, edges[i], 2, at, 0, ZERO, ZERO), CT_OK);
    }
    weight = s.things[0].total * LAW_G * s.dt;
    for (i = 0; i < PLAIN_OR(400, 60); i++) {
        step_once(s.w, s.dt);
        for (k = 0; i >= PLAIN_OR(300, 50) && k < 3; k++) {
            ct_body_id none = {0, 0};
            impulse_on(&s, s.things[k].id, k < 2 ? s.things[k + 1].id : none, J);
            sum[k] += J[1] / (PLAIN_OR(100, 10) * weight), side = fmax(side, hypot(J[0], J[2]) / weight);
        }
    }
    print_message("stack: carries %.6f, %.6f, %.6f weights, sideways %.2g\n", sum[0], sum[1], sum[2], side);
    for (k = 2, above = 0; k >= 0 && PLAIN_OR(1, 0); k--) {
        above += s.things[k].total / s.things[0].total;
        assert_true(fabs(sum[k] - above) < 1e-3);
    }
    assert_true(PLAIN_OR(side < 1e-2, 1));
    scene_close(&s);
}

/* A box on a slope of tan .5: speed [m/s] over the last third of the steps, and the acceleration's error as a share of g (sin - mu cos) */
static void slope_of(double mu, int steps, double *speed, double *error)
{
    static const double edges[3] = {0.2, 0.1, 0.2}, at[3] = {0, 0.05 + LAW_H, 0};
    setup q;
    scene s;
    double m[3][3], span = steps / 3 * LAW_DT, last = 0, open = 0;
    int i;
    memset(&q, 0, sizeof q);
    open_world(&s, mu, LAW_G, 0.5);
    add_plane(s.w, 0, 1, 0, 0);
    assert_int_equal(add_box(&s, &q, THING_SOFT, edges, 2, at, 0, ZERO, ZERO), CT_OK);
    for (i = 0; i < steps; i++) {
        ct_step_report r = step_once(s.w, s.dt);
        assert_true(r.status <= CT_STATUS_ZONES);
        open = fmax(open, account_error(&r, &last, i == 0));
        if ((i + 1) % (steps / 3) == 0 && (i + 1) / (steps / 3) <= 3)
            read_middle(s.w, s.things[0].id, 0, m[(i + 1) / (steps / 3) - 1]);
    }
    *speed = fabs(m[2][0] - m[1][0]) / span;
    *error = fabs(-(m[2][0] - 2 * m[1][0] + m[0][0]) / (span * span) / (LAW_G * (0.5 - mu) / sqrt(1.25)) - 1);
    assert_true(open <= (FLOAT ? 1e-6 : 1e-11));
    scene_close(&s);
}

static void a_slope_holds_or_lets_go(void **state)
{
    double speed, error, none;
    (void)state;
    slope_of(0.6, PLAIN_OR(300, 60), &speed, &none);
    slope_of(0.3, PLAIN_OR(120, 60), &none, &error);
    print_message("slope: holds at %.2g m/s, slides with an error of %.2g\n", speed, error);
    assert_true(PLAIN_OR(speed < 1e-6, speed < 1e-3));
    assert_true(PLAIN_OR(error < (FLOAT ? 1e-3 : 2e-4), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_keep_their_momenta),
        cmocka_unit_test(a_stack_weighs_what_it_weighs),
        cmocka_unit_test(a_slope_holds_or_lets_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
