/* test_barrier.c -- worlds that CT_STEPPER_BARRIER steps: free motion and its energy, impacts at every speed, rest, friction on a slope, mass ratios,
   scripts, affine bodies, statuses and refusals. */
#include "world_util.h"

#define FLOAT (CONTACT_REAL == 32)

static ct_world *barrier_world(double dhat, double friction, books *b)
{
    ct_world_desc d = world_desc(dhat, friction, b);
    d.stepper = CT_STEPPER_BARRIER;
    return world_make(&d);
}

static ct_body_id add_rigid_box(ct_world *w, const char *name, double size, double density, double x, double y, double z)
{
    ct_mesh m = mesh_box(size, size, size, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.name = name, d.mesh = &m, d.density = (ct_real)density;
    d.position[0] = (ct_real)x, d.position[1] = (ct_real)y, d.position[2] = (ct_real)z;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* ---- free motion ---- */

/* implicit Euler exactly: v_n = n g h, and x falls by g h^2 n (n + 1) / 2, from the first step on */
static void falls_as_implicit_euler_says(void **state)
{
    const double h = 0.01, g = 9.81;
    int kind, n;
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        ct_world *w = barrier_world(1e-3, 0, NULL);
        ct_body_id id = kind ? add_rigid_box(w, "box", 0.1, 1000, 0, 1, 0) : add_soft_box(w, "box", 0.1, 1, 1e5, 0, 1, 0);
        double x0[3], x[3], v[3];
        read_middle(w, id, 0, x0);
        for (n = 1; n <= 20; n++) {
            ct_step_report r = step_once(w, h);
            assert_int_equal(r.status, CT_STATUS_OK);
            assert_true(r.residual <= (ct_real)1e-3);
            read_middle(w, id, 0, x);
            read_middle(w, id, 1, v);
            assert_true(fabs(x[1] - x0[1] + g * h * h * n * (n + 1) / 2) < (FLOAT ? 2e-5 : 1e-11));
            assert_true(fabs(v[1] + g * h * n) < (FLOAT ? 2e-3 : 1e-9));
            /* energy balance: implicit Euler loses m |v1 - v0|^2 / 2 in a step */
            assert_true(fabs(r.energy_gained + 0.5 * 1 * g * h * g * h) < (FLOAT ? 1e-3 : 1e-8));
        }
        ct_world_destroy(w);
    }
}

/* BDF2: bodies that are added far away change nothing of a body that swings; a body added later swings as one from the first step on, at
   second order in the step */
static void bodies_begin_by_themselves(void **state)
{
    static const int32_t pinned[] = {0, 1, 2, 3};
    double *x[2], at[2][3], last[3], off = 0;
    int k, i, n = 0;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_body_id id;
        ct_world *w;
        d.stepper = CT_STEPPER_BARRIER, d.integrator = CT_INTEGRATOR_BDF2;
        w = world_make(&d);
        id = add_soft_box(w, "swings", 0.1, 2, 1e4, 0, 0, 0);
        assert_int_equal(ct_body_pin(w, id, pinned, 4, CT_AXIS_ALL, NULL, -1), CT_OK);
        for (i = 0; i < 20; i++) {
            if (k && i >= 5 && i < 10)
                add_soft_box(w, "far", 0.1, 1, 1e4, 5 + i, 0, 0);
            step_once(w, 0.01);
        }
        x[k] = read_vectors(w, id, 0, &n);
        ct_world_destroy(w);
    }
    for (i = 0; i < 3 * n; i++)
        off = fmax(off, fabs(x[0][i] - x[1][i]));
    assert_true(off == 0);
    free(x[0]), free(x[1]);
    for (k = 0; k < 6; k++) { /* steps of 4, 2, 1 ms: alone, and later than another body */
        int later = k % 2, steps = 16 << k / 2;
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_body_id id;
        ct_world *w;
        d.stepper = CT_STEPPER_BARRIER, d.integrator = CT_INTEGRATOR_BDF2, d.barrier.newton_tolerance = (ct_real)(FLOAT ? 1e-3 : 1e-8);
        w = world_make(&d);
        add_soft_box(w, "far", 0.1, 1, 1e4, 5, 0, 0);
        if (later)
            step_once(w, 0.064 / steps);
        id = add_soft_box(w, "swings", 0.1, 2, 1e4, 0, 0, 0);
        assert_int_equal(ct_body_pin(w, id, pinned, 4, CT_AXIS_ALL, NULL, -1), CT_OK);
        for (i = 0; i < steps; i++)
            step_once(w, 0.064 / steps);
        read_middle(w, id, 0, at[later]);
        if (later)
            last[k / 2] = fabs(at[0][1] - at[1][1]);
        ct_world_destroy(w);
    }
    assert_true(FLOAT || (last[0] > 3 * last[1] && last[1] > 3 * last[2] && last[2] < 1e-6));
}

/* An affine body keeps its angular momentum and stays a rotation. In float a step's turn is known to an ulp of A over h, 6e-5 rad/s of 2 here */
static void spins(void **state)
{
    ct_world *w;
    ct_mesh m = mesh_box(0.3, 0.1, 0.2, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_world_desc wd = world_desc(1e-3, 0, NULL);
    ct_body_id id = {0, 0};
    double *x, before = 0, after = 0;
    int n, i;
    (void)state;
    wd.stepper = CT_STEPPER_BARRIER, wd.gravity[1] = 0;
    w = world_make(&wd);
    d.name = "brick", d.mesh = &m, d.angular_velocity[1] = 2;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    before = step_once(w, 1e-3).energy_kinetic;
    for (i = 0; i < 199; i++)
        after = step_once(w, 1e-3).energy_kinetic;
    assert_true(fabs(after / before - 1) < (FLOAT ? 1e-3 : 1e-6));
    x = read_vectors(w, id, 0, &n);
    for (i = 0; i < n; i++) {
        double r = sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]);
        assert_true(fabs(r - sqrt(0.15 * 0.15 + 0.05 * 0.05 + 0.1 * 0.1)) < 1e-5);
    }
    /* 0.2 s at 2 rad/s about y: a corner at (0.15, 0.1) in x, z */
    {
        double c = cos(0.4), s = sin(0.4), best = 1;
        for (i = 0; i < n; i++)
            best = fmin(best, hypot(x[3 * i] - (0.15 * c + 0.1 * s), x[3 * i + 2] - (-0.15 * s + 0.1 * c)));
        assert_true(best < 2e-4);
    }
    free(x);
    ct_world_destroy(w);
}

/* ---- contact ---- */

static void nothing_gets_through(void **state)
{
    static const double speeds[] = {10, 100, 1000};
    int k, i, kind;
    (void)state;
    for (kind = 0; kind < 3; kind++)
        for (k = 0; k < 3; k++) {
            ct_world *w = barrier_world(1e-3, 0, NULL);
            ct_mesh m = mesh_grid(1, 1, 2, 2), ball = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, kind == 0);
            ct_static_desc floor = ct_static_desc_default();
            ct_body_id id = {0, 0}, sheet;
            double x[3];
            if (kind == 2)
                add_plane(w, 0, 1, 0, 0);
            else {
                floor.mesh = &m, floor.name = "sheet";
                assert_int_equal(ct_body_add_static(w, &floor, &sheet), CT_OK);
            }
            mesh_place(&ball, 0.3, 0.05, 0.3, 0.02);
            if (kind == 0)
                id = add_soft_mesh(w, "ball", &ball, 1e6, 0, -speeds[k], 0);
            else {
                ct_rigid_desc d = ct_rigid_desc_default();
                d.name = "ball", d.mesh = &ball, d.velocity[1] = (ct_real)-speeds[k];
                assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
            }
            for (i = 0; i < 6; i++) {
                ct_step_report r = step_once(w, 0.01);
                assert_true(r.status == CT_STATUS_OK || r.status == CT_STATUS_BUDGET);
                assert_int_equal(count_intersections(w), 0);
            }
            read_middle(w, id, 0, x);
            assert_true(x[1] > 0);
            ct_mesh_free(&m);
            ct_mesh_free(&ball);
            ct_world_destroy(w);
        }
}

/* Two boxes of 0.1 m on one line move 0.33 m in a step, towards each other: the minimum of the potential is behind. They meet, in one
   step or in its parts; a form that is not divided may say that it failed. Where nothing is in the way, a step of that length is one */
static void fast_bodies_do_not_pass(void **state)
{
    int k;
    (void)state;
    for (k = 0; k < 5; k++) {
        ct_world_desc d = world_desc(1e-3, 0.3, NULL);
        ct_body_id a, b;
        ct_world *w;
        ct_step_report r;
        double xa[3], xb[3];
        ct_real v[3] = {20, 0, 0};
        d.stepper = CT_STEPPER_BARRIER, d.barrier.form = k < 4 ? (ct_barrier_form)k : CT_FORM_POTENTIAL;
        memset(d.gravity, 0, sizeof d.gravity);
        w = world_make(&d);
        a = add_rigid_box(w, "a", 0.1, 1000, -0.15, 0, 0), b = add_rigid_box(w, "b", 0.1, 1000, 0.15, 0.003, k < 4 ? 0.004 : 0.15);
        assert_int_equal(ct_body_set_motion(w, a, v, NULL), CT_OK);
        v[0] = -20;
        assert_int_equal(ct_body_set_motion(w, b, v, NULL), CT_OK);
        r = step_once(w, 1. / 60);
        read_middle(w, a, 0, xa), read_middle(w, b, 0, xb);
        assert_int_equal(count_intersections(w), 0);
        if (k == 0)
            assert_true(xa[0] < xb[0] && r.contacts > 0);
        else if (k < 4)
            assert_true(xa[0] < xb[0] || r.status == CT_STATUS_NOT_CONVERGED);
        else
            assert_true(xa[0] > xb[0] + 0.3 && r.status == CT_STATUS_OK && r.substeps == 1);
        ct_world_destroy(w);
    }
}

/* the gap at rest is below dhat, and smaller for a smaller dhat */
static void rests_above_the_floor(void **state)
{
    double last = 1;
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        double dhat = 4e-3 / (1 << (2 * k)), gap = 0, *x;
        ct_world *w = barrier_world(dhat, 0.5, NULL);
        ct_body_id id = add_soft_box(w, "box", 0.1, 2, 1e5, 0, 0.05 + dhat, 0);
        ct_step_report r;
        int n;
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 80; i++)
            r = step_once(w, 0.02);
        assert_int_equal(r.status, CT_STATUS_OK);
        assert_true(r.contacts >= 4 && r.energy_kinetic < 1e-7);
        x = read_vectors(w, id, 0, &n);
        for (gap = 1, i = 0; i < n; i++)
            gap = fmin(gap, x[3 * i + 1]);
        assert_true(gap > 0 && gap < dhat && gap < last);
        assert_true(fabs(gap - (double)r.min_distance) < 1e-6);
        last = gap;
        /* the contacts' impulses are the weight times the step */
        {
            const ct_contact *c;
            double sum = 0;
            assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
            for (i = 0; i < n; i++)
                sum += (double)c[i].impulse_normal * (double)c[i].normal[1];
            assert_true(fabs(sum - 9.81 * 0.02) < 1e-3 * 9.81 * 0.02);
        }
        free(x);
        ct_world_destroy(w);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* A thickness is what a user sees between bodies: half of all loaded pairs of what rests under its weight are at least half of dhat apart. Scenes: a
   soft box, three on each other, four sheets */
static void pairs_rest_at_half_of_dhat(void **state)
{
    int scene, i, k;
    (void)state;
    for (scene = 0; scene < 3; scene++) {
        const double dhat = 2e-3;
        ct_world *w = barrier_world(dhat, 0.5, NULL);
        const ct_contact *c;
        double *gaps;
        int n, loaded = 0;
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < (scene == 0 ? 1 : scene == 1 ? 3 : 4); i++) {
            ct_mesh m = mesh_grid(0.2, 0.2, 8, 8);
            if (scene < 2)
                add_soft_box(w, "box", 0.1, 2, 1e5, 0, 0.052 + 0.102 * i, 0);
            mesh_place(&m, 0, 0, 2e-3 * (i + 1), 0);
            if (scene == 2)
                add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.2);
            ct_mesh_free(&m);
        }
        for (k = 0; k < PLAIN_OR(100, 40); k++)
            step_once(w, 0.01);
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        gaps = (double *)malloc(sizeof *gaps * (size_t)(n + 1));
        for (i = 0; i < n; i++)
            if (c[i].impulse_normal > 0)
                gaps[loaded++] = (double)c[i].gap;
        qsort(gaps, (size_t)loaded, sizeof *gaps, by_size);
        assert_true(loaded >= 4);
        print_message("  %d pairs, median %.3f dhat\n", loaded, gaps[loaded / 2] / dhat);
        assert_true(gaps[loaded / 2] >= 0.5 * dhat);
        free(gaps);
        ct_world_destroy(w);
    }
}

/* speed [m/s] of a box on a slope of tan 0.5, one second after it was pushed uphill at 0.5 m/s. It stops after 57 ms. *gain: change of the speed
   in the last half second */
static double slides(double mu, double *gain)
{
    ct_world_desc d = world_desc(1e-3, mu, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    double v[3], angle = atan(0.5);
    int i;
    d.stepper = CT_STEPPER_BARRIER;
    d.barrier.newton_tolerance = (ct_real)(FLOAT ? 3e-5 : 1e-6);
    d.barrier.friction_velocity = (ct_real)1e-4;
    w = world_make(&d);
    add_plane(w, -sin(angle), cos(angle), 0, 0);
    mesh_place(&m, angle, -sin(angle) * 0.0507, cos(angle) * 0.0507, 0);
    rd.name = "box", rd.mesh = &m;
    rd.velocity[0] = (ct_real)(0.5 * cos(angle)), rd.velocity[1] = (ct_real)(0.5 * sin(angle));
    assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
    ct_mesh_free(&m);
    for (i = 0; i < 100; i++) {
        step_once(w, 0.01);
        read_middle(w, id, 1, v);
        if (i == 49)
            *gain = hypot(v[0], v[1]);
    }
    ct_world_destroy(w);
    *gain = hypot(v[0], v[1]) - *gain;
    return hypot(v[0], v[1]);
}

static void holds_on_a_slope_up_to_the_angle_of_friction(void **state)
{
    /* With mu 0.49 the slope accelerates the box by 0.01 g cos = 0.088 m/s^2. With 0.5 it keeps the speed that the landing left, and with 0.505 it
       loses it */
    double gain, holds = slides(0.505, &gain), same, goes;
    (void)state;
    assert_true(holds <= 1.01e-4 && fabs(gain) < 1e-6);
    same = slides(0.5, &gain);
    assert_true(same < 0.02 && fabs(gain) < (FLOAT ? 1e-4 : 1e-6));
    goes = slides(0.49, &gain);
    assert_true(goes > 0.05 && fabs(gain - 0.5 * 0.01 * 9.81 * cos(atan(0.5))) < 1e-3);
}

/* Cloth is wrung by its ends: their nodes are where the rotation takes them, w h a step, and not only as near as an inexact solve comes. They had
   still some way to go after each Newton step, which raised the potential, until steps ended on their budget */
static void pins_are_where_their_scripts_are(void **state)
{
    const double rate = 3, h = 0.01;
    ct_world *w = barrier_world(1e-3, 0.3, NULL);
    ct_mesh m = mesh_grid(0.4, 0.2, 24, 12);
    ct_motion turn;
    int32_t ends[2][13];
    int i, k, n, count[2] = {0, 0};
    double *x0, *x, off = 0;
    ct_body_id id;
    (void)state;
    id = add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.2);
    ct_mesh_free(&m);
    x0 = read_vectors(w, id, 0, &n);
    for (i = 0; i < n; i++)
        if (fabs(x0[3 * i]) > 0.199)
            ends[x0[3 * i] > 0][count[x0[3 * i] > 0]++] = i;
    for (k = 0; k < 2; k++) {
        memset(&turn, 0, sizeof turn);
        turn.angular[0] = (ct_real)(k ? rate : -rate);
        assert_int_equal(count[k], 13);
        assert_int_equal(ct_body_pin(w, id, ends[k], 13, CT_AXIS_ALL, &turn, -1), CT_OK);
    }
    for (i = 1; i <= 20; i++) {
        assert_int_equal(step_once(w, h).status, CT_STATUS_OK);
        x = read_vectors(w, id, 0, &n);
        for (k = 0; k < 26; k++) {
            int v = ends[k / 13][k % 13];
            double angle = (k / 13 ? rate : -rate) * h * i;
            off = fmax(off, hypot(x[3 * v + 1] + sin(angle) * x0[3 * v + 2], x[3 * v + 2] - cos(angle) * x0[3 * v + 2]));
        }
        free(x);
    }
    print_message("  pins are off by %.2g m\n", off);
    assert_true(off < (FLOAT ? 1e-6 : 1e-14));
    free(x0);
    ct_world_destroy(w);
}

/* A box begins a little below dhat, or deep in the barrier, which then asks for a larger scale: what comes out of the contacts is what was in
   them, and all accounts add up. Stored at first, with m g / 8 as the scale, at s = (gap / dhat)^2: 4 dhat m g / 8 (1 - s)^2 ln(1 / s) */
static void a_scale_that_adapts_gives_no_energy(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        const double gap = k ? 1e-4 : 9e-4, s = gap * gap / 1e-6, first = 4e-3 * 9.81 / 8 * (1 - s) * (1 - s) * log(1 / s);
        ct_world *w = barrier_world(1e-3, 0, NULL);
        ct_body_id id = add_rigid_box(w, "box", 0.1, 1000, 0, 0.05 + gap, 0);
        double x[3], loss = 0, energy;
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 1000; i++) {
            ct_step_report r = step_once(w, 1e-4);
            loss += r.loss_contact;
            energy = r.energy_kinetic + r.energy_elastic + r.energy_gravity + r.energy_contact;
            read_middle(w, id, 0, x);
            assert_true(x[1] < 0.05 + gap + first / 9.81 + 1e-5);
            assert_true(energy + loss < 9.81 * (0.05 + gap) + first + (FLOAT ? 2e-3 : 1e-5) && r.loss_contact >= 0);
        }
        ct_world_destroy(w);
    }
}

/* A light box rests, or slides; what happens far away changes nothing: a heavy body is added there and lands, or a block is pinned to where no load
   would hold it */
static void what_is_far_away_throws_nobody(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = barrier_world(1e-3, k ? 0.1 : 0, NULL);
        ct_body_id id = add_rigid_box(w, "light", 0.1, 1000, 0, 0.0505, 0);
        double a[3], b[3], v[3];
        add_plane(w, 0, 1, 0, 0);
        if (k)
            assert_int_equal(ct_body_set_motion(w, id, (const ct_real[3]){3, 0, 0}, (const ct_real[3]){0, 0, 0}), CT_OK);
        for (i = 0; i < 60; i++)
            step_once(w, 5e-3);
        read_middle(w, id, 0, a);
        add_rigid_box(w, "heavy", 0.1, 1e6, 50, 0.0505, 0);
        for (i = 0; i < 60; i++) {
            step_once(w, k ? 5e-3 : 1e-3);
            read_middle(w, id, 0, b);
            assert_true(fabs(b[1] - a[1]) < 2e-4);
        }
        read_middle(w, id, 1, v);
        assert_true(fabs(v[0] - (k ? 3 - 0.6 * 0.981 : 0)) < 0.02);
        ct_world_destroy(w);
    }
    {
        ct_world *w = barrier_world(1e-3, 0, NULL);
        ct_body_id id = add_soft_box(w, "pinned", 0.1, 1, 1e5, 3, 0.05001, 0), box = add_rigid_box(w, "box", 0.1, 1000, 0, 0.0505, 0);
        int32_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        double x[3];
        assert_int_equal(ct_body_pin(w, id, all, 8, CT_AXIS_ALL, NULL, -1), CT_OK);
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 200; i++) {
            step_once(w, 1e-3);
            read_middle(w, box, 0, x);
            assert_true(x[1] < 0.051);
        }
        ct_world_destroy(w);
    }
}

/* a box lands and slides: all that it loses of its speed is mu times the impulse of the normal forces, with one solve of friction a step */
static void friction_is_mu_times_the_normal_impulse(void **state)
{
    const double mu = 0.2;
    int k, i, j;
    (void)state;
    for (k = 0; k < 3; k++) {
        double h = k == 0 ? 5e-3 : (k == 1 ? 2e-3 : 5e-4), v[3], normal = 0;
        ct_world *w = barrier_world(1e-3, mu, NULL);
        ct_body_id id = add_rigid_box(w, "box", 0.1, 1000, 0, 0.052, 0);
        add_plane(w, 0, 1, 0, 0);
        assert_int_equal(ct_body_set_motion(w, id, (const ct_real[3]){5, -1, 0}, (const ct_real[3]){0, 0, 0}), CT_OK);
        for (i = 0; i < 0.2 / h - 0.5; i++) {
            const ct_contact *c;
            int n;
            step_once(w, h);
            assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
            for (j = 0; j < n; j++)
                normal += (double)c[j].impulse_normal;
        }
        read_middle(w, id, 1, v);
        assert_true(fabs((5 - v[0]) / normal - mu) < 0.05 * mu);
        ct_world_destroy(w);
    }
}

static void a_light_body_carries_a_heavy_one(void **state)
{
    ct_world *w = barrier_world(1e-3, 0.5, NULL);
    ct_body_id light, heavy;
    double a[3], b[3];
    int i;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    light = add_rigid_box(w, "light", 0.1, 1, 0, 0.051, 0);
    /* the scale of the barriers begins with the light body's weight: the first gap is too small for float under 1e5 times that weight */
    heavy = add_rigid_box(w, "heavy", 0.1, FLOAT ? 1e4 : 1e6, 0, 0.152, 0);
    for (i = 0; i < 60; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_int_equal(r.status, CT_STATUS_OK);
        assert_int_equal(count_intersections(w), 0);
    }
    read_middle(w, light, 0, a);
    read_middle(w, heavy, 0, b);
    assert_true(a[1] > 0.05 && a[1] < 0.051 && b[1] > a[1] + 0.1 && b[1] < 0.152);
    ct_world_destroy(w);
}

/* A soft box slides off the edge of another. Where a corner slips, the minimum of a whole step has more energy than the start: the step is
   divided until it has not, and its status reports that */
static void a_step_that_gains_is_divided(void **state)
{
    ct_world *w = barrier_world(1e-3, 0, NULL);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_static_desc d = ct_static_desc_default();
    const double dt = 0.02, mass = 1000 * 0.1 * 0.1 * 0.1, kick = 9.81 * dt;
    double gravity = 0;
    int i, divided = 0;
    (void)state;
    d.name = "block", d.mesh = &m;
    assert_int_equal(ct_body_add_static(w, &d, NULL), CT_OK);
    ct_mesh_free(&m);
    add_plane(w, 0, 1, 0, -0.3);
    add_soft_box(w, "box", 0.1, 2, 3e4, 0.04, 0.12, 0.021);
    for (i = 0; i < 100; i++) {
        ct_step_report r = step_once(w, dt);
        double may = 2e-4 * (r.energy_kinetic + r.energy_elastic + fabs(r.energy_gravity - gravity) + mass * kick * kick);
        assert_true(r.energy_gained <= may * (FLOAT ? 10 : 1.001));
        assert_true(r.status == (r.substeps > 1 ? CT_STATUS_SUBSTEPPED : CT_STATUS_OK));
        assert_true(r.substeps >= 1 && r.substeps <= 32 && (r.substeps & (r.substeps - 1)) == 0);
        assert_int_equal(count_intersections(w), 0);
        gravity = r.energy_gravity, divided += r.substeps > 1;
    }
    /* but for few steps, one part is enough */
    assert_true(divided > 0 && divided < 10);
    ct_world_destroy(w);
}

/* ---- scripts ---- */

/* a belt runs under a crate, which friction draws along: the belt works mu m g v, and the account closes but for what implicit Euler loses,
   m |v1 - v0|^2 / 2. Where the crate goes over an edge between the belt's triangles a step may gain */
static void a_belt_works_by_friction(void **state)
{
    ct_world *w = barrier_world(1e-3, 0.2, NULL);
    ct_mesh m = mesh_box(4, 0.02, 0.4, 1, 1, 1, 0);
    ct_kinematic_desc k = ct_kinematic_desc_default();
    const double load = 0.2 * 1 * 9.81;
    double work = 0;
    int i, gains = 0;
    (void)state;
    add_rigid_box(w, "crate", 0.1, 1000, 0, 0.0608, 0);
    k.name = "belt", k.mesh = &m, k.motion.linear[0] = 2;
    assert_int_equal(ct_body_add_kinematic(w, &k, NULL), CT_OK);
    ct_mesh_free(&m);
    for (i = 0; i < 60; i++) {
        ct_step_report r = step_once(w, 0.01);
        gains += r.status != CT_STATUS_OK;
        if (i >= 10 && i < 20 && !FLOAT)
            assert_true(fabs(r.energy_gained + 0.5 * load * load * 1e-4) < 2e-6);
        if (i >= 20)
            work += r.work_script;
    }
    assert_true(FLOAT || gains <= 2);
    assert_true(fabs(work / (load * 2 * 0.4) - 1) < 0.03);
    ct_world_destroy(w);
}

/* a press that comes down at 1 m/s upon a crate on a plane, in a world with three Newton steps a step */
static ct_world *press_on_crate(ct_world_desc *d, ct_body_id *press, ct_body_id *crate)
{
    ct_mesh m = mesh_box(0.3, 0.05, 0.3, 1, 1, 1, 0);
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_world *w;
    d->stepper = CT_STEPPER_BARRIER, d->barrier.newton_iterations = 3;
    w = world_make(d);
    add_plane(w, 0, 1, 0, 0);
    *crate = add_rigid_box(w, "crate", 0.1, 1000, 0, 0.0505, 0);
    k.name = "press", k.mesh = &m, k.motion.linear[1] = -1, k.position[1] = (ct_real)0.14;
    assert_int_equal(ct_body_add_kinematic(w, &k, press), CT_OK);
    ct_mesh_free(&m);
    return w;
}

/* a press closes on a rigid crate, further than there is room: it waits above the crate, also where its positions are read, and where the world
   is prepared again */
static void a_script_without_room_waits(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_world *w;
    ct_body_id press = {0, 0}, crate;
    double x[3], *lower, *upper;
    int i, n, v, late = 0;
    (void)state;
    w = press_on_crate(&d, &press, &crate);
    for (i = 0; i < 12; i++) {
        uint64_t hash = ct_world_hash(w);
        ct_step_report r = step_once(w, 0.01);
        assert_int_equal(count_intersections(w), 0);
        read_middle(w, press, 0, x);
        lower = read_vectors(w, crate, 0, &n);
        upper = read_vectors(w, press, 0, &n);
        for (v = 0; v < n * n; v++)
            assert_true(upper[3 * (v / n) + 1] > lower[3 * (v % n) + 1]);
        free(lower), free(upper);
        if (x[1] > 0.14 - 0.01 * (i + 1) + 1e-6) {
            late++;
            assert_true(r.status >= CT_STATUS_BUDGET);
        }
        assert_true(ct_world_hash(w) != hash);
        if (i == 6)
            add_rigid_box(w, "late", 0.05, 1000, 1, 0.0505, 0);
    }
    assert_true(late > 0);
    ct_world_destroy(w);
}

/* the same without any dynamic body: nothing is in the way of the late press any more */
static void a_late_script_goes_on_where_it_is_alone(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_world *w;
    ct_body_id press = {0, 0}, crate;
    double x[3];
    int i;
    (void)state;
    w = press_on_crate(&d, &press, &crate);
    for (i = 0; i < 12; i++)
        step_once(w, 0.01);
    read_middle(w, press, 0, x);
    assert_true(x[1] > 0.021);
    assert_int_equal(ct_body_remove(w, crate), CT_OK);
    step_once(w, 0.01);
    read_middle(w, press, 0, x);
    assert_true(fabs(x[1] - 0.01) < 1e-6);
    ct_world_destroy(w);
}

/* A press closes further than there is room, and opens again: what is near a floor of either kind comes off again. A box that begins nearer than any
   step may end does so in the first step: Newton steps that only double its distance are no convergence, however short they are */
static void a_press_opens_again(void **state)
{
    int mesh, soft, i;
    (void)state;
    for (mesh = 0; mesh < 2; mesh++)
        for (soft = 0; soft < 2; soft++) {
            ct_world *w = barrier_world(1e-3, 0, NULL);
            ct_mesh m = mesh_box(0.3, 0.02, 0.3, 1, 1, 1, 0), floor = mesh_grid(1, 1, 3, 3);
            ct_kinematic_desc k = ct_kinematic_desc_default();
            ct_static_desc s = ct_static_desc_default();
            ct_motion_segment go[3];
            ct_body_id press;
            double x[3], depth = soft ? 0.14 : 0.1;
            s.name = "floor", s.mesh = &floor;
            if (mesh)
                assert_int_equal(ct_body_add_static(w, &s, NULL), CT_OK);
            else
                add_plane(w, 0, 1, 0, 0);
            if (soft)
                add_soft_box(w, "box", 0.1, 2, 1e5, 0, 0.0506, 0);
            else
                add_rigid_box(w, "box", 0.1, 1000, 0, 0.0506, 0);
            memset(go, 0, sizeof go);
            go[0].motion.linear[1] = (ct_real)(-depth / 0.2), go[1].motion.linear[1] = (ct_real)(depth / 0.2);
            go[0].duration = go[1].duration = (ct_real)0.2, go[2].duration = -1;
            k.name = "press", k.mesh = &m, k.position[1] = (ct_real)0.15, k.segments = go, k.n_segments = 3;
            assert_int_equal(ct_body_add_kinematic(w, &k, &press), CT_OK);
            ct_mesh_free(&m), ct_mesh_free(&floor);
            for (i = 0; i < 90; i++)
                step_once(w, 5e-3);
            read_middle(w, press, 0, x);
            assert_true(fabs(x[1] - 0.15) < 1e-5);
            assert_int_equal(count_intersections(w), 0);
            ct_world_destroy(w);
        }
    for (soft = 0; soft < 2; soft++) {
        ct_world *w = barrier_world(1e-3, 0, NULL);
        double gap = FLOAT ? 5e-7 : 1e-11, x[3];
        ct_body_id id = soft ? add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.05 + gap, 0) : add_rigid_box(w, "box", 0.1, 1000, 0, 0.05 + gap, 0);
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 30; i++) {
            ct_step_report r = step_once(w, 5e-3);
            assert_int_equal(r.status, CT_STATUS_OK);
            assert_true(r.min_distance > (ct_real)1e-4);
        }
        read_middle(w, id, 0, x);
        assert_true(x[1] > 0.0499);
        ct_world_destroy(w);
    }
}

/* All nodes of a block are driven at a wall, far behind it, and then let go: it stands before the wall, and has no speed, no work and no energy but
   those of where it is. Once it is free, barriers push it to their range, with 1 % of the energy that it came with */
static void late_pins_have_no_speed(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(1, 0.2, 1, 2, 2, 2, 0);
    ct_static_desc s = ct_static_desc_default();
    ct_body_id id;
    ct_motion move;
    int32_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    ct_real push[3];
    double x[3], v[3];
    int i, late = 0;
    (void)state;
    d.stepper = CT_STEPPER_BARRIER, d.gravity[1] = 0;
    w = world_make(&d);
    s.name = "wall", s.mesh = &m, s.position[1] = (ct_real)-0.1;
    assert_int_equal(ct_body_add_static(w, &s, NULL), CT_OK);
    ct_mesh_free(&m);
    id = add_soft_box(w, "block", 0.1, 1, 1e6, 0, 0.1, 0);
    memset(&move, 0, sizeof move);
    move.linear[1] = -1;
    assert_int_equal(ct_body_pin(w, id, all, 8, CT_AXIS_ALL, &move, (ct_real)0.2), CT_OK);
    for (i = 1; i <= 44; i++) {
        ct_step_report r = step_once(w, 5e-3);
        read_middle(w, id, 0, x);
        read_middle(w, id, 1, v);
        assert_true(x[1] > 0.0499 && x[1] < 0.1);
        /* up to step 11 it gets there, and stops; after step 40 it is let go */
        assert_true(i <= 11 || (fabs(v[1]) < (i > 40 ? 0.1 : 0.01) && r.energy_kinetic < (i > 40 ? 5e-3 : 1e-4)));
        assert_true(i <= 11 || i > 40 || fabs(r.work_pins) + fabs(r.energy_gained) < (FLOAT ? 1e-2 : 1e-3));
        assert_true(fabs(r.work_pins) < 1.01 && r.energy_gained < (FLOAT ? 1e-2 : 1e-3));
        late += r.status > CT_STATUS_OK;
        if (i < 40) {
            assert_int_equal(ct_body_get_pin_impulse(w, id, 0, push), CT_OK);
            assert_true(fabs((double)push[1]) < 1.1);
        }
    }
    assert_true(late > 20);
    ct_world_destroy(w);
}

/* a kinematic box that waits between a crate and a wall has no velocity; it had its script's */
static void late_scripts_have_no_speed(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_mesh wall = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0), small = mesh_box(0.08, 0.08, 0.08, 1, 1, 1, 0);
    ct_static_desc s = ct_static_desc_default();
    ct_rigid_desc c = ct_rigid_desc_default();
    ct_kinematic_desc k = ct_kinematic_desc_default();
    double before[3], now[3], v[3];
    ct_body_id box;
    ct_world *w;
    int i, waited = 0;
    (void)state;
    d.stepper = CT_STEPPER_BARRIER, d.gravity[1] = 0;
    w = world_make(&d);
    c.mesh = &small, c.position[0] = (ct_real)0.1;
    assert_int_equal(ct_body_add_rigid(w, &c, NULL), CT_OK);
    s.mesh = &wall, s.position[0] = (ct_real)0.2;
    assert_int_equal(ct_body_add_static(w, &s, NULL), CT_OK);
    k.mesh = &wall, k.motion.linear[0] = (ct_real)0.5;
    assert_int_equal(ct_body_add_kinematic(w, &k, &box), CT_OK);
    for (i = 0; i < 24; i++) {
        read_middle(w, box, 0, before);
        step_once(w, 0.01);
        read_middle(w, box, 0, now);
        read_middle(w, box, 1, v);
        if (now[0] < 0.005 * (i + 1) - 1e-6) {
            assert_true(v[0] == 0);
            waited++;
        } else
            assert_true(fabs(v[0] - 0.5) < 1e-6 && fabs(now[0] - before[0] - 0.005) < 1e-6);
    }
    assert_true(waited > 2);
    ct_world_destroy(w);
    ct_mesh_free(&wall), ct_mesh_free(&small);
}

/* A small stiff box whose mass is below an ulp (float) of its stiffness times h^2 falls while a script moves beside it: the projected Hessian has
   pivots that rounding makes negative, and is lifted. A step of a lifted Hessian is no end: the box falls as it should, or the status is `budget` */
static void a_stiff_box_falls_beside_a_script(void **state)
{
    const double h = 0.05, g = 9.81;
    ct_world *w = barrier_world(1e-5, 0, NULL);
    ct_body_id id = add_soft_box(w, "box", 1e-3, 2, 1e8, 0.3, 0.2, 0.1);
    ct_mesh m = mesh_box(1e-3, 1e-3, 1e-3, 1, 1, 1, 0);
    ct_kinematic_desc k = ct_kinematic_desc_default();
    double v[3];
    int i, late = 0;
    (void)state;
    k.name = "slider", k.mesh = &m, k.motion.linear[0] = (ct_real)0.1;
    assert_int_equal(ct_body_add_kinematic(w, &k, NULL), CT_OK);
    ct_mesh_free(&m);
    for (i = 1; i <= 5; i++) {
        ct_step_report r = step_once(w, h);
        read_middle(w, id, 1, v);
        assert_true(r.status == CT_STATUS_OK || r.status == CT_STATUS_BUDGET);
        assert_true(v[1] <= 0 && v[1] > -1.01 * g * h * i);
        late |= r.status == CT_STATUS_BUDGET;
        assert_true(late || fabs(v[1] + g * h * i) < 0.01);
    }
    ct_world_destroy(w);
}

/* ---- statuses and refusals ---- */

static void a_cap_ends_a_step_without_intersections(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w;
    int i, budget = 0;
    (void)state;
    d.stepper = CT_STEPPER_BARRIER, d.barrier.newton_iterations = 1;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "a", 0.1, 2, 1e5, 0, 0.06, 0);
    add_soft_box(w, "b", 0.1, 2, 1e5, 0.02, 0.17, 0.01);
    for (i = 0; i < 40; i++) {
        ct_step_report r = step_once(w, 0.02);
        assert_int_equal(count_intersections(w), 0);
        budget += r.status == CT_STATUS_BUDGET;
        assert_true(r.status == CT_STATUS_BUDGET || r.residual <= (ct_real)1e-3);
    }
    assert_true(budget > 0);
    ct_world_destroy(w);
}

static void starts_that_intersect_are_refused_by_name(void **state)
{
    ct_world *w = barrier_world(1e-3, 0, NULL);
    ct_step_report r;
    (void)state;
    add_soft_box(w, "lower", 0.1, 1, 1e5, 0, 0.05, 0);
    add_soft_box(w, "upper", 0.1, 1, 1e5, 0.03, 0.13, 0.02);
    assert_int_equal(ct_world_step(w, (ct_real)0.01, &r), CT_ERR_DOMAIN);
    assert_non_null(strstr(ct_world_error(w)->text, "lower"));
    assert_non_null(strstr(ct_world_error(w)->text, "upper"));
    ct_world_destroy(w);
}

/* features without a distance intersect, too, where no edge goes through a face: two points in one place, two rods that cross */
static void starts_that_coincide_are_refused_by_name(void **state)
{
    static const double apart[2] = {0, 1e-4};
    int32_t segments[4] = {0, 1, 2, 3};
    int kind, k;
    (void)state;
    for (kind = 0; kind < 2; kind++)
        for (k = 0; k < 2; k++) {
            ct_real x[12] = {-1, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 1};
            ct_world *w = barrier_world(1e-3, 0, NULL);
            ct_points_desc p = ct_points_desc_default();
            ct_rod_desc d = ct_rod_desc_default();
            ct_step_report r;
            ct_mesh m;
            memset(&m, 0, sizeof m);
            m.positions = x, m.n_positions = kind ? 4 : 2;
            if (kind) {
                m.segments = segments, m.n_segments = 2, d.mesh = &m, d.name = "rods";
                x[7] = x[10] = (ct_real)apart[k];
                assert_int_equal(ct_body_add_rod(w, &d, NULL), CT_OK);
            } else {
                x[0] = x[3] = 0, x[4] = (ct_real)apart[k];
                p.mesh = &m, p.name = "grains";
                assert_int_equal(ct_body_add_points(w, &p, NULL), CT_OK);
            }
            if (apart[k] > 0)
                step_once(w, 1e-3);
            else {
                assert_int_equal(ct_world_step(w, (ct_real)1e-3, &r), CT_ERR_DOMAIN);
                assert_non_null(strstr(ct_world_error(w)->text, kind ? "rods" : "grains"));
            }
            ct_world_destroy(w);
        }
}

static void options_are_refused(void **state)
{
    ct_world_desc d = ct_world_desc_default(), bad;
    ct_world *w;
    ct_error_info e;
    (void)state;
    d.stepper = CT_STEPPER_BARRIER;
    bad = d, bad.barrier.dhat = -1;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_ARGUMENT);
    bad = d, bad.barrier.newton_tolerance = 0;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_ARGUMENT);
    bad = d, bad.barrier.friction_velocity = 0;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_ARGUMENT);
    bad = d, bad.barrier.newton_iterations = 0;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_ARGUMENT);
    bad = d, bad.barrier.kind = CT_BARRIER_COUNT_;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_ARGUMENT);
    bad = d, bad.barrier.static_hold = 2;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_as_implicit_euler_says),
        cmocka_unit_test(bodies_begin_by_themselves),
        cmocka_unit_test(spins),
        cmocka_unit_test(nothing_gets_through),
        cmocka_unit_test(fast_bodies_do_not_pass),
        cmocka_unit_test(rests_above_the_floor),
        cmocka_unit_test(pairs_rest_at_half_of_dhat),
        cmocka_unit_test(holds_on_a_slope_up_to_the_angle_of_friction),
        cmocka_unit_test(pins_are_where_their_scripts_are),
        cmocka_unit_test(a_scale_that_adapts_gives_no_energy),
        cmocka_unit_test(what_is_far_away_throws_nobody),
        cmocka_unit_test(friction_is_mu_times_the_normal_impulse),
        cmocka_unit_test(a_light_body_carries_a_heavy_one),
        cmocka_unit_test(a_step_that_gains_is_divided),
        cmocka_unit_test(a_belt_works_by_friction),
        cmocka_unit_test(a_script_without_room_waits),
        cmocka_unit_test(a_late_script_goes_on_where_it_is_alone),
        cmocka_unit_test(a_press_opens_again),
        cmocka_unit_test(late_pins_have_no_speed),
        cmocka_unit_test(late_scripts_have_no_speed),
        cmocka_unit_test(a_stiff_box_falls_beside_a_script),
        cmocka_unit_test(a_cap_ends_a_step_without_intersections),
        cmocka_unit_test(starts_that_intersect_are_refused_by_name),
        cmocka_unit_test(starts_that_coincide_are_refused_by_name),
        cmocka_unit_test(options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
