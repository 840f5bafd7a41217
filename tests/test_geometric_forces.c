/* test_geometric_forces.c -- the geometric stepper: the speed of recovery, remembered forces over steps of other lengths and beside bodies that are
   added, elastics as springs, what corrections may give. */
#include "geometric_util.h"

/* ---- recovery ---- */

/* largest speed at which two sheets that are too near leave each other */
static double recovers(double recovery_speed, double near, double dt)
{
    ct_world_desc d = world_desc(4e-3, 0.3, NULL);
    ct_world *w;
    ct_body_id ids[2];
    double last = near * 4e-3, most = 0;
    int i, k;
    d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = 0, d.recovery_speed = (ct_real)recovery_speed;
    w = world_make(&d);
    for (i = 0; i < 2; i++) {
        ct_mesh m = mesh_grid(0.1, 0.1, 3, 3);
        mesh_place(&m, 0, 0.001 * i, near * 4e-3 * i, 0.001 * i);
        ids[i] = add_cloth_mesh(w, i ? "above" : "below", &m, CT_MODEL_MEMBRANE, 0.2);
        ct_mesh_free(&m);
    }
    for (i = 0; i < 20; i++) {
        ct_step_report r = step_once(w, dt);
        double x[2][3];
        assert_true(r.status == CT_STATUS_OK || FLOAT);
        for (k = 0; k < 2; k++)
            read_middle(w, ids[k], 0, x[k]);
        most = fmax(most, (x[1][1] - x[0][1] - last) / dt), last = x[1][1] - x[0][1];
    }
    ct_world_destroy(w);
    return most;
}

/* corrections of positions and accelerations together separate features at recovery_speed, whatever the step is */
static void recovery_has_its_speed(void **state)
{
    double a = recovers(0.01, 0.6, 0.01), b = recovers(0.01, 0.3, 0.01), c = recovers(0.01, 0.3, 0.001), d = recovers(1, 0.6, 1e-5);
    (void)state;
    if (getenv("SHOW"))
        print_message("separation at .01 m/s: %.4f, %.4f, %.4f; at 1 m/s: %.4f m/s\n", a, b, c, d);
    assert_true(a > 0.003 && a < 0.011 && b > 0.003 && b < 0.011);
    assert_true(c > 0.003 && c < (FLOAT ? 0.012 : 0.011) && d < 1.1);
    assert_true(recovers(0, 0.6, 0.01) > 0.04); /* no cap */
}

/* ---- remembered forces ---- */

/* a cube of 1 kg at rest on a plane, or layers of cloth. Returns the body that is looked at */
static ct_world *at_rest(int layers, ct_body_id *id)
{
    ct_world_desc d = world_desc(4e-3, 0.5, NULL);
    ct_world *w;
    int i;
    d.stepper = CT_STEPPER_GEOMETRIC;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < layers; i++) {
        ct_mesh m = mesh_grid(0.2, 0.2, 4, 4);
        char name[16];
        mesh_place(&m, 0, 0.003 * ((i * 7) % 5), 0.0042 * (i + 1), 0);
        snprintf(name, sizeof name, "layer%d", i);
        *id = add_cloth_mesh(w, name, &m, CT_MODEL_MEMBRANE, 0.2);
        ct_mesh_free(&m);
    }
    if (!layers)
        *id = add_soft_box(w, "cube", 0.1, 2, 1e5, 0, 0.0541, 0);
    for (i = 0; i < 100; i++)
        step_once(w, 0.01);
    return w;
}

/* steps of two lengths in turn: a force of a short step does not act for the whole of a long one */
static void other_lengths_of_steps(void **state)
{
    ct_body_id id;
    ct_world *w = at_rest(0, &id);
    double x0[3], x[3], moved = 0, kinetic = 0, speed = 0, least = 2;
    int i;
    (void)state;
    read_middle(w, id, 0, x0);
    for (i = 0; i < 60; i++) {
        ct_step_report r = step_once(w, i % 2 ? 0.01 : 0.001);
        read_middle(w, id, 0, x);
        moved = fmax(moved, fabs(x[1] - x0[1])), kinetic = fmax(kinetic, r.energy_kinetic);
    }
    step_once(w, 1e-5);
    for (i = 0; i < 4; i++) {
        step_once(w, 0.01);
        read_middle(w, id, 1, x);
        speed = fmax(speed, fabs(x[1]));
    }
    ct_world_destroy(w);
    w = at_rest(PLAIN_OR(8, 3), &id);
    for (i = 0; i < 60; i++)
        least = fmin(least, (double)step_once(w, i % 2 ? 0.01 : 0.001).thickness_kept);
    ct_world_destroy(w);
    if (getenv("SHOW"))
        print_message("steps of 10 and 1 ms: a cube moves by %.1e m, %.1e J; after one of 1e-5 s at %.2f m/s; layers keep %.2f\n", moved, kinetic,
                      speed, least);
    assert_true(moved < 1e-3 && kinetic < 2e-3);
    assert_true(speed < 0.25);
    assert_true(least > 0.6);
}

/* A body that is added far away changes nothing but roundings and what four solves may leave: 1e-3 thicknesses each. Layers of cloth go on moving
   by 2 mm/s, and after five steps a nudge of 1e-9 m/s, too, has moved a vertex by 1e-4 m. So they are looked at after one: without their forces
   they fall by 5e-4 m */
static void bodies_added_elsewhere(void **state)
{
    int k, i, j, n;
    (void)state;
    for (k = 0; k < 2; k++) {
        double *x[2], most = 0;
        for (j = 0; j < 2; j++) {
            ct_body_id id;
            ct_world *w = at_rest(k ? PLAIN_OR(8, 3) : 0, &id);
            if (j) {
                ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
                ct_static_desc d = ct_static_desc_default();
                d.mesh = &m, d.position[0] = 100;
                assert_int_equal(ct_body_add_static(w, &d, NULL), CT_OK);
                ct_mesh_free(&m);
            }
            for (i = 0; i < (k ? 1 : 5); i++)
                step_once(w, 0.01);
            x[j] = read_vectors(w, id, 0, &n);
            ct_world_destroy(w);
        }
        for (i = 0; i < 3 * n; i++)
            most = fmax(most, fabs(x[1][i] - x[0][i]));
        if (getenv("SHOW"))
            print_message("%s beside a new body: %.1e m\n", k ? "layers" : "a cube", most);
        assert_true(most < (k ? 16e-6 : 1e-6));
        free(x[0]), free(x[1]);
    }
}

/* ---- elastics ---- */

/* a box of `kilos` that hangs by its upper corners */
static ct_world *hanging(double kilos, double compliance, ct_integrator rule, ct_body_id *id)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_world *w;
    double *x;
    int i, n;
    d.stepper = CT_STEPPER_GEOMETRIC, d.integrator = rule;
    w = world_make(&d);
    *id = add_soft_box(w, "box", 0.1 * cbrt(kilos), 1, 1e6, 0, 0, 0);
    x = read_vectors(w, *id, 0, &n);
    j.a.body = *id, j.a.vertices[1] = j.a.vertices[2] = -1, j.a.weights[0] = 1, j.compliance = (ct_real)compliance;
    for (i = 0; i < n; i++)
        if (x[3 * i + 1] > 0) {
            j.a.vertices[0] = i;
            assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
        }
    free(x);
    return w;
}

/* a compliance is a spring: it is c m g long, its work is that of the fall, and what has none is held */
static void compliant_elastics(void **state)
{
    static const double compliance[] = {4e-3, 4e-4, 0};
    int k, i, rule;
    (void)state;
    for (rule = 0; rule < 2; rule++)
        for (k = 0; k < 3; k++) {
            ct_body_id id;
            ct_world *w = hanging(1, compliance[k], rule ? CT_INTEGRATOR_MIDPOINT : CT_INTEGRATOR_EULER, &id);
            double x0[3], x[3], sum = 0, work = 0, expected = compliance[k] / 4 * 9.81;
            ct_step_report r;
            read_middle(w, id, 0, x0);
            for (i = 0; i < 200; i++) {
                r = step_once(w, 0.01);
                read_middle(w, id, 0, x);
                sum += i >= 100 ? (x0[1] - x[1]) / 100 : 0, work += r.work_joints;
                assert_true(r.status == CT_STATUS_OK);
            }
            if (getenv("SHOW"))
                print_message("rule %d, compliance %g: %.3e m, expected %.3e; work of joints %.3e J, error %.1e m\n", rule, compliance[k], sum,
                              expected, work, (double)r.joint_error);
            assert_true(fabs(sum - expected) < 0.03 * expected + 1.5e-4); /* the box itself is soft */
            assert_true((k < 2) == (r.joint_error == 0) && r.joint_error < (ct_real)1e-4);
            if (k == 0 && rule == 0)
                assert_true(work < -0.4 * 9.81 * expected && work > -1.05 * 9.81 * expected);
            ct_world_destroy(w);
        }
}

/* a box of 1 kg, stitched under a sheet of this areal density that is pinned in all nodes, or in its corners */
static double fallen(int size, int all, double density, ct_real *error)
{
    ct_world *w = geometric_world(1e-3, 0.3, NULL);
    ct_mesh m = mesh_grid(0.05 * size, 0.05 * size, size, size);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_STITCH);
    ct_body_id sheet, box;
    int32_t pins[25], np = 0, i, k, n, nb;
    double *x, *y, before[3], after[3];
    mesh_place(&m, 0, 0, 0.2, 0);
    sheet = add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, density);
    ct_mesh_free(&m);
    box = add_soft_box(w, "box", 0.1, 1, 1e6, 0, 0, 0);
    x = read_vectors(w, sheet, 0, &n), y = read_vectors(w, box, 0, &nb);
    for (i = 0; i < n; i++)
        if (all || (fabs(x[3 * i]) > 0.025 * size - 1e-6 && fabs(x[3 * i + 2]) > 0.025 * size - 1e-6))
            pins[np++] = i;
    assert_int_equal(ct_body_pin(w, sheet, pins, np, CT_AXIS_ALL, NULL, -1), CT_OK);
    j.a.body = box, j.b.body = sheet, j.rest_length = (ct_real)0.15;
    j.a.vertices[1] = j.b.vertices[1] = -1;
    for (i = 0; i < nb; i++)
        for (k = 0; k < n; k++)
            if (y[3 * i + 1] > 0 && fabs(y[3 * i] - x[3 * k]) + fabs(y[3 * i + 2] - x[3 * k + 2]) < 1e-3) {
                j.a.vertices[0] = i, j.b.vertices[0] = k;
                assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
            }
    read_middle(w, box, 0, before);
    for (i = 0; i < 100; i++)
        *error = step_once(w, 0.01).joint_error;
    read_middle(w, box, 0, after);
    free(x), free(y);
    ct_world_destroy(w);
    return before[1] - after[1];
}

static void elastics_of_unlike_masses(void **state)
{
    ct_real error[3];
    double pinned = fallen(2, 1, 0.1, &error[0]), corners = fallen(4, 0, 0.1, &error[1]), light = fallen(4, 0, 1e-4, &error[2]);
    (void)state;
    if (getenv("SHOW"))
        print_message("1 kg under a sheet falls %.1e m, errors %.1e m; under one with pinned corners %.3f, %.1e m, of 4 mg %.3f, %.1e m\n", pinned,
                      (double)error[0], corners, (double)error[1], light, (double)error[2]);
    assert_true(fabs(pinned) < 2e-4 && error[0] > 0 && error[0] < (ct_real)1e-4);
    /* the sheet stretches by as much, whatever its mass is */
    assert_true(corners < 0.1 && error[1] < (ct_real)1e-4);
    assert_true(fabs(light - corners) < 1e-3 && error[2] < (ct_real)1e-4);
}

/* a corner of a box that is far from its place comes at recovery_speed, in any direction */
static void elastics_come_at_recovery_speed(void **state)
{
    int k, i, n;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = world_desc(1e-3, 0.3, NULL);
        ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
        ct_world *w;
        ct_body_id id;
        cti_joint *q;
        double *x, *y, most = 0;
        d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = 0;
        w = world_make(&d);
        id = add_soft_box(w, "box", 0.1, 1, 1e6, 0, 0, 0);
        j.a.body = id, j.a.vertices[0] = 0, j.a.vertices[1] = j.a.vertices[2] = -1, j.a.weights[0] = 1;
        assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
        step_once(w, 0.01);
        q = &w->state.bodies.joints[0];
        for (i = 0; i < 3; i++)
            q->b.arm[i] += (ct_real)(k ? 0.2 : (i ? 0 : 0.3));
        x = read_vectors(w, id, 0, &n);
        for (i = 0; i < 80; i++) {
            double way = 0;
            int c;
            step_once(w, 0.01);
            y = read_vectors(w, id, 0, &n);
            for (c = 0; c < 3; c++)
                way += pow(y[c] - x[c], 2);
            most = fmax(most, sqrt(way) / 0.01);
            free(x);
            x = y;
        }
        if (getenv("SHOW"))
            print_message("direction %d: %.3f m/s\n", k, most);
        assert_true(most > 0.8 && most < 1.05);
        free(x);
        ct_world_destroy(w);
    }
}

/* ---- what corrections may give ---- */

/* energies of a body */
static double energy_of(const ct_world *w, int body)
{
    const cti_energy *e = &w->state.energy.now[body];
    return e->kinetic + e->elastic + e->gravity;
}

/* energy that a stiff cube, which hits a plane, gains in a step at most, as a share of its energy at the start; beside a body of `heavy` kg that
   falls far away, if above 0 */
static double beyond(double heavy)
{
    ct_world *w = geometric_world(4e-3, 0.3, NULL);
    ct_soft_desc d = ct_soft_desc_default();
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 3, 3, 3, 1);
    double last = 0.5 * 9 + 9.81 * 0.1, most = 0;
    int i;
    add_plane(w, 0, 1, 0, 0);
    d.mesh = &m, d.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN), d.material.young = (ct_real)1e7, d.material.density = 1000;
    d.position[1] = (ct_real)0.1, d.velocity[1] = -3, d.rotation[0] = (ct_real)0.9, d.rotation[1] = (ct_real)0.2;
    d.rotation[2] = (ct_real)0.3, d.rotation[3] = (ct_real)0.1;
    assert_int_equal(ct_body_add_soft(w, &d, NULL), CT_OK);
    ct_mesh_free(&m);
    if (heavy > 0) {
        m = mesh_box(1, 1, 1, 1, 1, 1, 1);
        d.mesh = &m, d.material.density = (ct_real)heavy, d.material.young = (ct_real)1e6, d.position[0] = 50, d.position[1] = 20;
        assert_int_equal(ct_body_add_soft(w, &d, NULL), CT_OK);
        ct_mesh_free(&m);
    }
    for (i = 0; i < 60; i++) {
        step_once(w, 0.01);
        most = fmax(most, energy_of(w, 0) - last), last = energy_of(w, 0);
    }
    ct_world_destroy(w);
    return most / 5.5;
}

/* neither the mass nor the energy of another body allows anything */
static void corrections_are_judged_by_body(void **state)
{
    double alone = beyond(0), beside = beyond(1000);
    (void)state;
    if (getenv("SHOW"))
        print_message("gain in a step: %.1e of the energy, beside a heavy body %.1e\n", alone, beside);
    assert_true(alone < 0.01 && beside < 0.01);
}

/* a pile of `count` cubes with edges L that lie 1.5 thicknesses apart; the uppermost moves down at a speed */
typedef struct soft_pile {
    double young, L, dt, speed;
    int count;
    double rest; /* [m/s] root mean square speed after 100 steps; 0: it is not asked for */
} soft_pile;

/* The energy of soft bodies is at no time more than 1.05 of that of the start and of what the fall to where they rest gives; 90 % of the steps are good.
   With corrections by masses that was up to 2790 times as much here, and the first pile kept .5 m/s */
static void soft_bodies_gain_nothing(void **state)
{
    static const soft_pile piles[] = {{1e6, 0.2, 0.01, 0, 2, 1e-3},  {1e6, 0.05, 0.01, 0, 1, 1e-3}, {1e5, 0.05, 0.01, 0, 2, 1e-3}, {1e6, 0.05, 0.01, 0, 2, 1e-3},
                                      {1e7, 0.05, 0.01, 0, 2, 0},    {1e7, 0.05, 0.01, 0, 4, 0},    {1e6, 0.02, 0.0025, 3, 2, 0},  {1e6, 0.05, 0.01, 20, 1, 1e-3},
                                      {1e4, 0.02, 0.04, 5, 1, 1e-3}, {1e7, 0.2, 0.04, 0, 1, 0},      {1e5, 0.05, 0.01, 0, 4, 1e-3}};
    int k, i, good;
    (void)state;
    for (k = 0; k < PLAIN_OR((int)(sizeof piles / sizeof *piles), 4); k++) {
        const soft_pile *q = &piles[k];
        double t = q->L / 50, m = 1000 * pow(q->L, 3), start = 0.5 * m * q->speed * q->speed, span = start, most = -1e9, v = 0;
        ct_world *w = geometric_world(t, 0.4, NULL);
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < q->count; i++) {
            double y = q->L * (i + 0.5) + 1.5 * t * (i + 1);
            ct_mesh box = mesh_box(q->L, q->L, q->L, 3, 3, 3, 1);
            char name[16];
            mesh_place(&box, 0, 0.02 * q->L * (i & 1), y, 0), snprintf(name, sizeof name, "%d", i);
            add_soft_mesh(w, name, &box, q->young, 0, i == q->count - 1 ? -q->speed : 0, 0);
            ct_mesh_free(&box);
            start += m * 9.81 * y, span += m * 9.81 * 1.5 * t * (i + 1);
        }
        for (good = 0, i = 0; i < 100; i++) {
            ct_step_report r = step_once(w, q->dt);
            most = fmax(most, r.energy_kinetic + r.energy_elastic + r.energy_gravity - start);
            good += r.status <= CT_STATUS_SUBSTEPPED, v = sqrt(2 * r.energy_kinetic / (m * q->count));
        }
        if (getenv("SHOW"))
            print_message("pile %d: %.3f of the energy, %d of 100 steps good, %.1e m/s at the end\n", k, 1 + most / span, good, v);
        assert_true(most < 0.05 * span && good >= 90 && (v < q->rest || !(q->rest > 0)));
        ct_world_destroy(w);
    }
}

/* Light sheets on a floor, below one of 1,000 times their mass: no more than 1.05 of the energy of the start, less that of where they rest, nine of ten
   steps are good, and the pile comes to rest. With a compliance of a hundredth of 1 over the light mass the heavy sheet sank through its
   thickness and was thrown up with twice the energy of its fall; so it was with the scheme that solves one collision after the other, and keeps no
   heavy sheet up, but gains nothing either */
static void heavy_sheets_gain_nothing(void **state)
{
    static const struct {
        int sheets, steps;
        double dt;
        ct_geometric_scheme scheme;
    } piles[] = {{3, 200, 0.0025, CT_GEOMETRIC_GLOBAL}, {3, 80, 0.01, CT_GEOMETRIC_GLOBAL}, {5, 200, 0.0025, CT_GEOMETRIC_GLOBAL},
                 {5, 160, 0.0025, CT_GEOMETRIC_SUCCESSIVE}};
    static const double aside[5][2] = {{0, 0}, {0.006, 0.009}, {0.012, 0.003}, {0.003, 0.012}, {0.009, 0.006}};
    int k, i, good;
    (void)state;
    for (k = 0; k < PLAIN_OR(4, 1); k++) {
        double start = 0, span = 0, most = -1e9, t = 4e-3, last = 0;
        ct_world_desc d = world_desc(t, 0.8, NULL);
        ct_world *w;
        d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.scheme = piles[k].scheme;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < piles[k].sheets; i++) {
            double density = i == piles[k].sheets - 1 ? 200 : 0.2, weight = 9.81 * density * 0.2 * 0.3, y = 0.01 * (i + 1);
            ct_mesh m = mesh_grid(0.2, 0.3, 4, 6);
            char name[16];
            mesh_place(&m, 0, aside[i][0], y, aside[i][1]), snprintf(name, sizeof name, "%d", i);
            add_cloth_mesh(w, name, &m, CT_MODEL_MEMBRANE, density);
            ct_mesh_free(&m);
            start += weight * y, span += weight * (y - t * (i + 1));
        }
        for (good = 0, i = 0; i < piles[k].steps; i++) {
            ct_step_report r = step_once(w, piles[k].dt);
            most = fmax(most, r.energy_kinetic + r.energy_elastic + r.energy_gravity - start);
            good += r.status <= CT_STATUS_SUBSTEPPED, last = r.energy_kinetic;
        }
        if (getenv("SHOW"))
            print_message("sheets %d: %.3f of the energy, %d of %d steps good, %.1e at the end\n", k, 1 + most / span, good, piles[k].steps, last / span);
        assert_true(most < 0.05 * span);
        assert_true(piles[k].scheme == CT_GEOMETRIC_SUCCESSIVE || (10 * good >= 9 * piles[k].steps && last < 0.01 * span));
        ct_world_destroy(w);
    }
}

/* A curtain that two motions of its hems twist by one and a half turns presses itself together all the time. A step that the judge divides may give
   by recovery what it may give in one piece: with a bound that fell with the square of the number of parts 2 of 400 steps were refused for good */
static void wrung_cloth_is_not_refused(void **state)
{
    ct_world_desc d = world_desc(2e-3, 0.3, NULL);
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_mesh m = mesh_grid(0.6, 1, 9, 15);
    ct_motion turn;
    ct_body_id id;
    ct_world *w;
    int32_t hems[2][10];
    int i, n[2] = {0, 0}, refused = 0;
    double least = 2;
    (void)state;
    d.stepper = CT_STEPPER_GEOMETRIC;
    w = world_make(&d);
    for (i = 0; i < m.n_positions; i++) { /* it hangs */
        ct_real z = m.positions[3 * i + 2];
        m.positions[3 * i + 1] = (ct_real)0.7 - z, m.positions[3 * i + 2] = 0;
        if (fabs((double)z) > 0.49)
            hems[z > 0][n[z > 0]++] = i;
    }
    c.mesh = &m, c.material = ct_material_default(CT_MODEL_SPRINGS);
    c.material.stretch = 400, c.material.shear = 100, c.material.bend = (ct_real)1e-3;
    c.material.areal_density = (ct_real)0.2, c.material.damping_stiffness = (ct_real)1e-3;
    assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
    memset(&turn, 0, sizeof turn);
    turn.angular[1] = (ct_real)(1.5 * 3.14159265358979), turn.linear[1] = (ct_real)0.03;
    assert_int_equal(ct_body_pin(w, id, hems[0], n[0], CT_AXIS_ALL, NULL, -1), CT_OK);
    assert_int_equal(ct_body_pin(w, id, hems[1], n[1], CT_AXIS_ALL, &turn, -1), CT_OK);
    for (i = 0; i < 400; i++) {
        ct_step_report r = step_once(w, 0.005);
        refused += r.status == CT_STATUS_NOT_CONVERGED, least = fmin(least, (double)r.thickness_kept);
    }
    if (getenv("SHOW"))
        print_message("wrung cloth: %d of 400 steps refused, %.2f of the thickness kept\n", refused, least);
    assert_true(refused == 0 && least > 0.1);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* [N s] the vertical momentum of a body of at most 32 nodes, and the impulse of its contacts in the last step */
static double momentum_up(const ct_world *w, ct_body_id id)
{
    ct_real v[96], mass[32];
    int i, n = ct_body_node_count(w, id);
    double sum = 0;
    assert_int_equal(ct_body_get_nodes(w, id, NULL, v, n), CT_OK);
    assert_int_equal(ct_body_get_masses(w, id, mass, n), CT_OK);
    for (i = 0; i < n; i++)
        sum += (double)(mass[i] * v[3 * i + 1]);
    return sum;
}
static double impulse_up(const ct_world *w, ct_body_id id)
{
    const ct_contact *c;
    int i, n;
    double sum = 0;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++)
        sum += ((c[i].body_a.index1 == id.index1) - (c[i].body_b.index1 == id.index1)) *
               (double)(c[i].impulse_normal * c[i].normal[1] + c[i].impulse_tangent[0] * c[i].tangent[0][1] + c[i].impulse_tangent[1] * c[i].tangent[1][1]);
    return sum;
}

/* A jelly of 36 times the mass of a sheet that is pinned at two sides hits it, which stretches to thrice its length. While the sheet's nodes were
   corrected by their masses, the corrections of a step gained more than it had, and from the impact on all was held, for good: 14 of these 20 steps.
   With the matrix, as in bodies of volume elements, the sheet stops the jelly and throws it back. No time has more energy than its start and its fall.
   The jelly turns, and repeated substeps find more collisions of it: while its rotation knew nothing of these, contacts reported .5 % of its first
   momentum more than they had changed it by */
static void pinned_sheets_catch(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_soft_desc q = ct_soft_desc_default();
    ct_mesh sheet = mesh_grid(0.5, 0.5, 13, 13), box = mesh_box(0.13, 0.13, 0.13, 2, 2, 2, 1);
    int32_t pins[28];
    double start = 0, least = 0, before, mass, missed = 0;
    int i, n = 0, held = 0;
    ct_body_id id;
    ct_world *w;
    (void)state;
    d.stepper = CT_STEPPER_GEOMETRIC;
    w = world_make(&d);
    c.mesh = &sheet, c.material.young = (ct_real)1.6e4, c.material.areal_density = (ct_real)0.11, c.material.bending = (ct_real)1e-5;
    assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
    for (i = 0; i < sheet.n_positions; i++)
        if (fabs((double)sheet.positions[3 * i]) > 0.249)
            pins[n++] = i;
    assert_int_equal(n, 28);
    assert_int_equal(ct_body_pin(w, id, pins, n, CT_AXIS_ALL, NULL, -1), CT_OK);
    q.mesh = &box, q.material.young = (ct_real)1.4e5, q.material.density = 455, q.position[1] = (ct_real)0.115, q.velocity[1] = (ct_real)-6.6;
    assert_int_equal(ct_body_add_soft(w, &q, &id), CT_OK);
    mass = (double)ct_body_get_mass(w, id), start = mass * (6.6 * 6.6 / 2 + 9.81 * 0.115);
    for (i = 0; i < 20; i++) {
        ct_step_report r;
        before = momentum_up(w, id), r = step_once(w, 0.016);
        missed = fmax(missed, fabs(momentum_up(w, id) - before + 9.81 * mass * 0.016 - impulse_up(w, id)) - r.momentum_lost);
        double now = r.energy_kinetic + r.energy_elastic + r.energy_gravity;
        held += r.frozen > 0;
        least = fmin(least, r.center_of_mass[1]);
        assert_true(now < 1.01 * start);
        assert_true(i < 19 || r.center_of_mass[1] > least + 0.02);
    }
    print_message("held in %d steps, lowest at %.3f m, contacts miss %.1e of the momentum\n", held, least, missed / (6.6 * mass));
    assert_true(held <= 1);                    /* 5 % */
    assert_true(missed < 2e-4 * 6.6 * mass);   /* the bound of test_laws */
    ct_mesh_free(&sheet), ct_mesh_free(&box), ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovery_has_its_speed),          cmocka_unit_test(other_lengths_of_steps),
        cmocka_unit_test(bodies_added_elsewhere),          cmocka_unit_test(compliant_elastics),
        cmocka_unit_test(elastics_of_unlike_masses),       cmocka_unit_test(elastics_come_at_recovery_speed),
        cmocka_unit_test(corrections_are_judged_by_body),   cmocka_unit_test(soft_bodies_gain_nothing),
        cmocka_unit_test(heavy_sheets_gain_nothing),        cmocka_unit_test(wrung_cloth_is_not_refused),
        cmocka_unit_test(pinned_sheets_catch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
