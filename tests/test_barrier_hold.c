/* test_barrier_hold.c -- contacts of CT_STEPPER_BARRIER at rest and in slip: what dhat does to a height at rest, the angle of friction, the
   static hold, an arch of stones, maximal dissipation. */
#include "world_util.h"

#define FLOAT (CONTACT_REAL == 32)
#define PI 3.14159265358979323846
#define G 9.81

static ct_world_desc barrier_desc(double dhat, double friction, int hold)
{
    ct_world_desc d = world_desc(dhat, friction, NULL);
    d.stepper = CT_STEPPER_BARRIER;
    d.barrier.static_hold = hold;
    return d;
}

/* ---- friction's angle ---- */

/* a rigid (soft 0) or soft box on a slope of tan 0.5 that begins at rest with this gap. drift: displacement [m] down the slope from the
   time `from` to `to`; speed: gain [m/s] in that time. Returns the speed at its end; *gap becomes the last distance */
static double rest_on_slope(const ct_world_desc *d, int soft, double *gap, double from, double to, double *drift, double *speed)
{
    const double angle = atan(0.5), c = cos(angle), s = sin(angle);
    ct_world *w = world_make(d);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, soft ? 2 : 1, soft ? 2 : 1, soft ? 2 : 1, soft);
    ct_body_id id = {0, 0};
    double x[3], x0[3], v[3], v0[3];
    ct_step_report r;
    int i;
    add_plane(w, -s, c, 0, 0);
    mesh_place(&m, angle, -s * (0.05 + *gap), c * (0.05 + *gap), 0);
    if (soft)
        id = add_soft_mesh(w, "box", &m, 1e6, 0, 0, 0);
    else {
        ct_rigid_desc rd = ct_rigid_desc_default();
        rd.name = "box", rd.mesh = &m;
        assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
    }
    ct_mesh_free(&m);
    for (i = 0; i < to / 0.01 - 0.5; i++) {
        if (i == (int)(from / 0.01 + 0.5))
            read_middle(w, id, 0, x0), read_middle(w, id, 1, v0);
        r = step_once(w, 0.01);
    }
    read_middle(w, id, 0, x);
    read_middle(w, id, 1, v);
    *gap = (double)r.min_distance;
    *drift = (x0[0] - x[0]) * c + (x0[1] - x[1]) * s;
    *speed = (v0[0] - v[0]) * c + (v0[1] - v[1]) * s;
    ct_world_destroy(w);
    return hypot(v[0], v[1]);
}

/* all with Newton's default tolerance, which is the friction velocity */
static void holds_up_to_the_angle_of_friction(void **state)
{
    const double slide = G * cos(atan(0.5)) * 0.01, reach = 1e-3;
    int soft, hold;
    double drift, gain, speed, gap, start;
    (void)state;
    for (soft = 0; soft < 2; soft++)
        for (hold = 0; hold < 2; hold++) {
            ct_world_desc d = barrier_desc(1e-3, 1, hold);
            gap = 0.51e-3;
            rest_on_slope(&d, soft, &gap, 0.5, 1, &drift, &gain);
            start = gap;
            /* below the angle: creep below the friction velocity, and none with the hold */
            d.friction = (ct_real)0.505;
            speed = rest_on_slope(&d, soft, &gap, 1, 2, &drift, &gain);
            assert_true(hold ? fabs(drift) < (FLOAT ? 1e-6 : 1e-12) : drift > 0.5 * reach && drift < reach);
            /* at the angle: the limit balances the weight, so no speed is gained, and what the box has got while it settled stays */
            d.friction = (ct_real)0.5;
            gap = start;
            speed = rest_on_slope(&d, soft, &gap, 1, 2, &drift, &gain);
            assert_true(speed <= 0.02 && gain < (FLOAT ? 1e-4 : 1e-6));
            /* beyond: g cos 0.01 t */
            d.friction = (ct_real)0.49;
            gap = start;
            speed = rest_on_slope(&d, soft, &gap, 1, 2, &drift, &gain);
            /* float: 2 % are 2e-4 of the weight, a fiftieth of what newton_tolerance lets a step miss */
            assert_true(fabs(gain - slide) < (FLOAT ? 0.02 : 0.01) * slide && fabs(drift - (speed - slide / 2)) < 0.01 * drift);
        }
}

/* a push beyond the limit drags the anchors along: the box slides as Coulomb's law says, and holds again */
static void an_anchor_is_dragged_along(void **state)
{
    const double h = 0.01;
    ct_world_desc d = barrier_desc(1e-3, 0.5, 1);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    ct_real v[3] = {(ct_real)0.3, 0, (ct_real)0.1}; /* 0.316 m/s */
    double x[3], x0[3], way;
    int i;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    rd.name = "box", rd.mesh = &m, rd.position[1] = (ct_real)0.05051;
    assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
    ct_mesh_free(&m);
    for (i = 0; i < 20; i++)
        step_once(w, h);
    read_middle(w, id, 0, x0);
    assert_int_equal(ct_body_set_motion(w, id, v, NULL), CT_OK);
    for (i = 0; i < 60; i++)
        step_once(w, h);
    read_middle(w, id, 0, x);
    /* v^2 / (2 mu g), less half of a step's way by implicit Euler, in the direction of v */
    way = hypot(x[0] - x0[0], x[2] - x0[2]);
    assert_true(fabs(way - 0.1 / (2 * 0.5 * G) + 0.316 * h / 2) < 2e-4);
    assert_true(fabs((x[2] - x0[2]) / (x[0] - x0[0]) - 1.0 / 3) < 2e-3);
    for (i = 0; i < 100; i++)
        step_once(w, h);
    read_middle(w, id, 0, x0);
    assert_true(hypot(x[0] - x0[0], x[2] - x0[2]) < (FLOAT ? 1e-7 : 1e-12));
    ct_world_destroy(w);
}

/* A box that is held on a slope stays where it is when the steps change their length: an anchor is a slip of friction_velocity h, and the force of
   a contact is a function of their ratio */
static void a_hold_does_not_creep_where_steps_change(void **state)
{
    static const double h[8] = {0.01, 0.005, 0.01, 0.0025, 0.01, 0.02, 0.004, 0.01};
    const double angle = atan(0.5), c = cos(angle), s = sin(angle);
    ct_world_desc d = barrier_desc(1e-3, 0.6, 1);
    ct_world *w;
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    double x[3], x0[3], most = 0;
    int i, k;
    (void)state;
    d.barrier.newton_tolerance = (ct_real)(FLOAT ? 1e-4 : 1e-9);
    w = world_make(&d);
    add_plane(w, -s, c, 0, 0);
    mesh_place(&m, angle, -s * 0.05051, c * 0.05051, 0);
    rd.name = "box", rd.mesh = &m;
    assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
    ct_mesh_free(&m);
    for (i = 0; i < 200; i++)
        step_once(w, 0.01);
    read_middle(w, id, 0, x0);
    for (i = 0; i < 80; i++) {
        step_once(w, h[i % 8]);
        read_middle(w, id, 0, x);
        for (k = 0; k < 3; k++)
            most = fmax(most, fabs(x[k] - x0[k]));
    }
    print_message("%g m\n", most);
    assert_true(most < (FLOAT ? 1e-6 : 1e-11));
    ct_world_destroy(w);
}

/* ---- dhat ---- */

static ct_body_id add_s1_box(ct_world *w)
{
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 3, 3, 3, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, 0, 0.05, 0);
    d.name = "box", d.mesh = &m;
    d.material = ct_material_default(CT_MODEL_NEOHOOKEAN);
    d.material.young = (ct_real)1e5, d.material.poisson = (ct_real)0.4, d.material.density = 1000, d.material.damping_mass = 30;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static double height_at_rest(ct_world *w, ct_body_id id)
{
    double x[3];
    ct_step_report r;
    int i;
    for (i = 0; i < 80; i++)
        r = step_once(w, 1.0 / 60);
    assert_true(r.energy_kinetic < 1e-7);
    read_middle(w, id, 0, x);
    ct_world_destroy(w);
    return x[1];
}

/* A box of S1 (64 such boxes of 0.1 m fall into a bin: E 1e5, nu 0.4) at rest on a plane. Without a gap, its lower nodes are in the plane:
   there they are kept by direction pins, without any contact. The difference falls with dhat, and is below it: the share of dhat depends on how the
   box has settled */
static void the_height_at_rest_converges_with_dhat(void **state)
{
    ct_world_desc d = barrier_desc(1e-3, 0, 0);
    ct_world *w = world_make(&d);
    ct_body_id id = add_s1_box(w);
    double limit, last = 1, *x;
    int i, n, k;
    (void)state;
    x = read_vectors(w, id, 0, &n);
    for (i = 0; i < n; i++)
        if (x[3 * i + 1] < 1e-6) {
            int32_t v = i;
            assert_int_equal(ct_body_pin(w, id, &v, 1, CT_AXIS_Y, NULL, -1), CT_OK);
        }
    free(x);
    limit = height_at_rest(w, id);
    for (k = 0; k < 4; k++) {
        double dhat = 8e-3 / (1 << (2 * k)), off;
        d = barrier_desc(dhat, 0, 0);
        w = world_make(&d);
        id = add_s1_box(w);
        add_plane(w, 0, 1, 0, -0.6 * dhat);
        off = height_at_rest(w, id) + 0.6 * dhat - limit;
        assert_true(off > 0 && off < dhat && off < last / 2);
        last = off;
    }
}

/* ---- an arch ---- */

/* stones of a half ring between the radii 0.3 and 0.4, 0.1 deep, with `gap` between them. sag: largest displacement of a stone [m] */
static double arch(int hold, double mu, double seconds, double *late)
{
    enum { STONES = 7 };
    const double gap = 0.55e-3, h = 0.01;
    ct_world_desc d = barrier_desc(1e-3, mu, hold);
    ct_world *w = world_make(&d);
    ct_body_id id[STONES];
    double start[STONES][3], middle[STONES][3], x[3], sag = 0;
    int i, k, j;
    add_plane(w, 0, 1, 0, 0);
    for (k = 0; k < STONES; k++) {
        ct_mesh m = mesh_box(1, 1, 0.1, 1, 1, 1, 0);
        ct_rigid_desc rd = ct_rigid_desc_default();
        for (i = 0; i < m.n_positions; i++) {
            /* x of the unit box: along the ring; y: across. A stone's sides are parallel to its joints, half a gap away */
            double angle = PI * (k + 0.5 + ((double)m.positions[3 * i] > 0 ? 0.5 : -0.5)) / STONES,
                   R = (double)m.positions[3 * i + 1] > 0 ? 0.4 : 0.3;
            double side = (double)m.positions[3 * i] > 0 ? -gap / 2 : gap / 2;
            m.positions[3 * i] = (ct_real)(R * cos(angle) - side * sin(angle));
            m.positions[3 * i + 1] = (ct_real)(R * sin(angle) + side * cos(angle) + gap / 2);
        }
        for (i = 0; i < m.n_triangles; i++) { /* the ring turns the other way than x: faces keep their sense by this swap */
            int32_t t = m.triangles[3 * i];
            m.triangles[3 * i] = m.triangles[3 * i + 1], m.triangles[3 * i + 1] = t;
        }
        rd.name = "stone", rd.mesh = &m, rd.density = 2000;
        assert_int_equal(ct_body_add_rigid(w, &rd, &id[k]), CT_OK);
        ct_mesh_free(&m);
        read_middle(w, id[k], 0, start[k]);
    }
    for (i = 0; i < seconds / h; i++) {
        if (i == (int)(seconds / h / 2))
            for (k = 0; k < STONES; k++)
                read_middle(w, id[k], 0, middle[k]);
        step_once(w, h);
        assert_int_equal(count_intersections(w), 0);
    }
    for (*late = 0, k = 0; k < STONES; k++) {
        double a = 0, b = 0;
        read_middle(w, id[k], 0, x);
        for (j = 0; j < 3; j++)
            a += (x[j] - start[k][j]) * (x[j] - start[k][j]), b += (x[j] - middle[k][j]) * (x[j] - middle[k][j]);
        sag = fmax(sag, sqrt(a)), *late = fmax(*late, sqrt(b));
    }
    ct_world_destroy(w);
    return sag;
}

/* its stones settle into their barriers; with the hold nothing moves after that, without it they creep; with little friction it falls */
static void an_arch_stands(void **state)
{
    double late, sag = arch(0, 0.6, 1, &late);
    (void)state;
    assert_true(sag < 3e-3 && late > 1e-4 && late < 1e-3);
    sag = arch(1, 0.6, 1, &late);
    assert_true(sag < 3e-3 && late < (FLOAT ? 1e-5 : 1e-9));
    sag = arch(1, 0.1, 1, &late);
    assert_true(sag > 0.1);
}

/* ---- maximal dissipation ---- */

/* 12 sectors of a disc of 0.1 m and 0.02 m height; vertices 0, 2, 4, ... are below */
static ct_mesh disc_mesh(void)
{
    enum { N = 12 };
    ct_mesh m;
    int i;
    memset(&m, 0, sizeof m);
    m.n_positions = 2 * N + 2, m.n_triangles = 4 * N;
    m.positions = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)m.n_positions);
    m.triangles = (int32_t *)malloc(sizeof(int32_t) * 3 * (size_t)m.n_triangles);
    assert_non_null(m.positions), assert_non_null(m.triangles);
    for (i = 0; i < 2 * N + 2; i++) {
        double angle = PI * (i / 2) / (N / 2), R = i < 2 * N ? 0.1 : 0;
        m.positions[3 * i] = (ct_real)(R * cos(angle)), m.positions[3 * i + 1] = (ct_real)(i % 2 ? 0.01 : -0.01);
        m.positions[3 * i + 2] = (ct_real)(R * sin(angle));
    }
    for (i = 0; i < N; i++) {
        int32_t a = 2 * i, b = 2 * ((i + 1) % N), *T = m.triangles + 12 * i;
        T[0] = a, T[1] = b, T[2] = 2 * N;
        T[3] = b + 1, T[4] = a + 1, T[5] = 2 * N + 1;
        T[6] = a, T[7] = a + 1, T[8] = b;
        T[9] = b, T[10] = a + 1, T[11] = b + 1;
    }
    return m;
}

/* the feet of a step that slip: least share of the most power mu N |u| that friction takes; largest part of it across the slip, over
   friction_velocity / |u|. Returns the most that friction could have taken [J] */
static double judge_feet(const ct_world *w, const double *x0, const double *x1, double h, double mu, double *share, double *across,
                         int *slips)
{
    const ct_contact *c;
    double most = 0;
    int k, j, n;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (k = 0; k < n; k++) {
        double f[3], u[3], speed, limit = mu * (double)c[k].impulse_normal;
        for (j = 0; j < 3; j++) {
            u[j] = (x1[3 * c[k].vertices_a[0] + j] - x0[3 * c[k].vertices_a[0] + j]) / h;
            f[j] = (double)(c[k].impulse_tangent[0] * c[k].tangent[0][j] + c[k].impulse_tangent[1] * c[k].tangent[1][j]);
        }
        speed = hypot(u[0], u[2]);
        most += limit * speed;
        if (speed < 5e-3)
            continue;
        ++*slips;
        *share = fmin(*share, -(f[0] * u[0] + f[2] * u[2]) / (limit * speed));
        *across = fmax(*across, fabs(f[0] * u[2] - f[2] * u[0]) / (limit * speed) * speed / 1e-3);
        assert_int_equal(c[k].sticking, 0);
    }
    return most;
}

/* nodes [3 n] of six soft boxes that fall on each other at an angle, after n steps of 10 ms with a tolerance; 0: the default's */
static double *fall_in_a_heap(int n, double tolerance, int iterations, int *count)
{
    ct_world_desc d = world_desc(2e-3, 0.5, NULL);
    ct_body_id id[6];
    double *all = NULL;
    ct_world *w;
    int i, k, m;
    d.stepper = CT_STEPPER_BARRIER;
    if (tolerance > 0)
        d.barrier.newton_tolerance = (ct_real)tolerance, d.barrier.newton_iterations = 2000;
    d.barrier.friction_iterations = iterations;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 6; i++)
        id[i] = add_soft_box(w, "box", 0.05, 1, 1e5, 0.013 * (i % 3), 0.03 + 0.06 * i, 0.011 * (i % 2));
    for (k = 0; k < n; k++)
        assert_int_equal(step_once(w, 0.01).status, CT_STATUS_OK);
    for (i = 0; i < 6; i++) {
        double *x = read_vectors(w, id[i], 0, &m);
        all = (double *)realloc(all, sizeof *all * 3 * (size_t)(m * (i + 1)));
        memcpy(all + 3 * m * i, x, sizeof *x * 3 * (size_t)m);
        free(x);
    }
    *count = 18 * m;
    ct_world_destroy(w);
    return all;
}

/* What is ok is within a millimetre of what the same law gives when it is solved as far as numbers go. With the loads of the step before it is not */
static void ok_covers_friction(void **state)
{
    double off[2] = {0, 0};
    int i, k, n;
    double *truth = fall_in_a_heap(30, FLOAT ? 1e-4 : 1e-8, 0, &n);
    (void)state;
    for (k = 0; k < 2; k++) {
        double *x = fall_in_a_heap(30, 0, k, &n);
        for (i = 0; i < n; i++)
            off[k] = fmax(off[k], fabs(x[i] - truth[i]));
        free(x);
    }
    free(truth);
    print_message("  off by %g m, by %g m with the loads of the last step\n", off[0], off[1]);
    assert_true(off[0] < 1e-3 && off[1] > off[0]);
}

/* A disc slides and turns on a plane. At each of its feet that slips above the friction velocity, friction opposes the slip with mu times
   the normal force: no force of the cone takes more power. The sum is what the report says that contacts took. With the hold the direction
   follows within a displacement of friction_velocity h: its error is at most 2 friction_velocity / |u| */
static void friction_takes_the_most_power(void **state)
{
    int hold;
    (void)state;
    for (hold = 0; hold < 2; hold++) {
        const double mu = 0.3, h = 5e-3;
        ct_world_desc d = barrier_desc(1e-3, mu, hold);
        ct_world *w;
        ct_mesh m = disc_mesh();
        ct_rigid_desc rd = ct_rigid_desc_default();
        ct_body_id id = {0, 0};
        double *x0, *x1, share = 1, across = 0, took = 0, may = 0;
        int i, slips = 0;
        d.barrier.newton_tolerance = (ct_real)(FLOAT ? 1e-4 : 1e-7);
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        rd.name = "disc", rd.mesh = &m, rd.position[1] = (ct_real)(0.01 + 0.51e-3);
        assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
        free(m.positions), free(m.triangles);
        for (i = 0; i < 40; i++)
            step_once(w, h);
        {
            ct_real v[3] = {(ct_real)0.4, 0, 0}, u[3] = {0, 6, 0};
            assert_int_equal(ct_body_set_motion(w, id, v, u), CT_OK);
        }
        for (i = 0; i < 20; i++) {
            double most;
            ct_step_report r;
            x0 = read_vectors(w, id, 0, NULL);
            r = step_once(w, h);
            x1 = read_vectors(w, id, 0, NULL);
            most = judge_feet(w, x0, x1, h, mu, &share, &across, &slips);
            took += r.loss_contact, may += most;
            free(x0), free(x1);
        }
        assert_true(slips > 200 && share > 1 - (FLOAT ? 1e-3 : 1e-5) && across < (hold ? 2 : FLOAT ? 0.1 : 1e-9));
        assert_true(fabs(took - may) < (FLOAT ? 1e-2 : 1e-4) * may);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_up_to_the_angle_of_friction),      cmocka_unit_test(an_anchor_is_dragged_along),
        cmocka_unit_test(a_hold_does_not_creep_where_steps_change),
        cmocka_unit_test(the_height_at_rest_converges_with_dhat), PLAIN_TEST(an_arch_stands)
        cmocka_unit_test(ok_covers_friction),
        cmocka_unit_test(friction_takes_the_most_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
