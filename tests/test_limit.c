/* test_limit.c -- strain limits of cloth springs in whole worlds: a weak sheet that hangs, is dropped, or falls over a box; the same
   without a limit; the additional work. */
#include "world_util.h"

typedef struct sheet {
    ct_world *w;
    ct_mesh m;
    ct_body_id b;
    double *rest;
} sheet;

/* a horizontal square metre of n x n cells at height y; springs of `rate` N/m; pinned: 0 no vertex, 1 an edge, 2 two corners,
   3 two opposite edges */
static sheet sheet_make(int n, double rate, double limit, int pinned, double y)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_cloth_desc c = ct_cloth_desc_default();
    sheet s;
    int i;
    s.w = world_make(&d);
    s.m = mesh_grid(1, 1, n, n);
    mesh_place(&s.m, 0, 0, y, 0);
    c.mesh = &s.m, c.material = ct_material_default(CT_MODEL_SPRINGS);
    c.material.stretch = (ct_real)rate, c.material.shear = (ct_real)(rate / 4), c.material.bend = (ct_real)(rate / 100);
    c.material.strain_limit = (ct_real)limit;
    assert_int_equal(ct_body_add_cloth(s.w, &c, &s.b), CT_OK);
    for (i = 0; i < s.m.n_positions; i++) {
        int32_t at = i;
        const ct_real *p = s.m.positions + 3 * i;
        int edge = (double)p[0] < -0.499 || (pinned == 3 && (double)p[0] > 0.499);
        if (pinned && edge && (pinned != 2 || fabs((double)p[2]) > 0.499))
            assert_int_equal(ct_body_pin(s.w, s.b, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    }
    s.rest = read_vectors(s.w, s.b, 0, NULL);
    return s;
}
static void sheet_free(sheet *s)
{
    ct_mesh_free(&s->m);
    ct_world_destroy(s->w);
    free(s->rest);
}

/* the largest relative elongation of an edge */
static double longest(const sheet *s)
{
    double *x = read_vectors(s->w, s->b, 0, NULL), worst = 0;
    int t, k, j;
    for (t = 0; t < s->m.n_triangles; t++)
        for (k = 0; k < 3; k++) {
            int a = s->m.triangles[3 * t + k], b = s->m.triangles[3 * t + (k + 1) % 3];
            double l = 0, L = 0;
            for (j = 0; j < 3; j++) {
                l += (x[3 * a + j] - x[3 * b + j]) * (x[3 * a + j] - x[3 * b + j]);
                L += (s->rest[3 * a + j] - s->rest[3 * b + j]) * (s->rest[3 * a + j] - s->rest[3 * b + j]);
            }
            worst = fmax(worst, sqrt(l / L) - 1);
        }
    free(x);
    return worst;
}

typedef struct outcome {
    double peak, last, ke, first_energy, most_energy;
    int linear, sweeps, substeps, refactored, status;
} outcome;

static outcome run(sheet *s, double dt, int steps)
{
    outcome o;
    int k;
    memset(&o, 0, sizeof o);
    for (k = 0; k < steps; k++) {
        ct_step_report r = step_once(s->w, dt);
        double e = r.energy_kinetic + r.energy_gravity;
        o.first_energy = k == 0 ? e : o.first_energy, o.most_energy = k == 0 ? e : fmax(o.most_energy, e);
        o.peak = fmax(o.peak, o.last = longest(s));
        o.linear += r.linear_iterations, o.sweeps += r.solver_sweeps, o.substeps += r.substeps, o.refactored += r.refactorizations;
        o.status = r.status > (ct_status)o.status ? (int)r.status : o.status;
        o.ke = r.energy_kinetic;
    }
    return o;
}

/* a sheet so weak that its own weight would stretch it by half: held by an edge or by two corners, it swings down and hangs */
static void a_weak_sheet_hangs_within_its_limit(void **state)
{
    static const struct { double dt, peak, last; int pinned; } cases[3] = {{0.002, 0.11, 0.1, 1}, {0.01, 0.11, 0.1, 1}, {0.01, 0.12, 0.11, 2}};
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        sheet s = sheet_make(20, 2, 0.1, cases[k].pinned, 2);
        int steps = (int)(2.5 / cases[k].dt);
        outcome o = run(&s, cases[k].dt, steps);
        print_message("pinned %d, dt %g: peak %.4f, after 2.5 s %.4f; %.2f iterations a step, %.2f substeps, kinetic %.3g J\n", cases[k].pinned,
                      cases[k].dt, o.peak, o.last, (double)o.linear / steps, (double)o.substeps / steps, o.ke);
        assert_true(o.peak < cases[k].peak && o.last < cases[k].last);
        assert_int_equal(o.status, CT_STATUS_OK);
        assert_true(o.linear <= 3 * steps);
        /* no energy is gained on the way */
        assert_true(o.most_energy < o.first_energy + 1e-3);
        sheet_free(&s);
    }
}

static void without_a_limit_it_stretches(void **state)
{
    sheet s = sheet_make(20, 2, 0, 1, 2);
    outcome o = run(&s, 0.01, 200);
    (void)state;
    print_message("no limit: peak %.4f, after 2 s %.4f; %.2f linear iterations a step\n", o.peak, o.last, o.linear / 200.0);
    assert_true(o.peak > 0.8 && o.last > 0.4);
    sheet_free(&s);
}

/* springs below nine tenths of the limit are not affected by it: the same bits */
static void a_far_limit_changes_nothing(void **state)
{
    sheet a = sheet_make(8, 2000, 0, 1, 2), b = sheet_make(8, 2000, 0.5, 1, 2);
    double *x, *y;
    (void)state;
    run(&a, 0.01, 50), run(&b, 0.01, 50);
    x = read_vectors(a.w, a.b, 0, NULL), y = read_vectors(b.w, b.b, 0, NULL);
    assert_memory_equal(x, y, sizeof(double) * 3 * (size_t)a.m.n_positions);
    free(x), free(y);
    sheet_free(&a), sheet_free(&b);
}

/* a square of springs of `rate` N/m with damping, which hangs by its upper edge */
static sheet hanging(double size, int n, double rate, double limit)
{
    ct_world_desc d = world_desc(1e-3 * size / n, 0.4, NULL);
    ct_cloth_desc c = ct_cloth_desc_default();
    sheet s;
    int i;
    d.self_collision = 0;
    s.w = world_make(&d);
    s.m = mesh_grid(size, size, n, n);
    c.mesh = &s.m, c.material = ct_material_default(CT_MODEL_SPRINGS);
    c.material.areal_density = (ct_real)0.2, c.material.stretch = c.material.shear = (ct_real)rate, c.material.bend = 0;
    c.material.strain_limit = (ct_real)limit, c.material.damping_stiffness = (ct_real)0.01, c.material.damping_mass = 2;
    c.rotation[0] = c.rotation[1] = (ct_real)sqrt(0.5);
    assert_int_equal(ct_body_add_cloth(s.w, &c, &s.b), CT_OK);
    s.rest = read_vectors(s.w, s.b, 0, NULL);
    for (i = 0; i < s.m.n_positions; i++) {
        int32_t at = i;
        if (s.rest[3 * i + 1] > 0.4999 * size)
            assert_int_equal(ct_body_pin(s.w, s.b, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    }
    return s;
}

/* at rest a sheet keeps its limit, whatever its size, its mesh and the step */
static void sheets_at_rest_keep_the_limit(void **state)
{
    static const struct { double size, rate, limit, dt; int n; } cases[4] = {
        {1e-3, 1e-3, 0.05, 1e-3, 10}, {0.01, 0.01, 0.05, 0.01, 10}, {0.1, 0.1, 0.01, 0.01, 20}, {5, 20, 0.05, 0.1, 20}};
    int k;
    (void)state;
    for (k = 0; k < PLAIN_OR(4, 2); k++) {
        sheet s = hanging(cases[k].size, cases[k].n, cases[k].rate, cases[k].limit);
        outcome o = run(&s, cases[k].dt, k == 0 ? 600 : 300);
        print_message("%g m, %d cells, limit %g, dt %g: at rest %.4f\n", cases[k].size, cases[k].n, cases[k].limit, cases[k].dt, o.last);
        assert_true(o.last < cases[k].limit && o.last > 0.6 * cases[k].limit && o.status <= CT_STATUS_SUBSTEPPED);
        sheet_free(&s);
    }
}

/* A change of the step's length changes no stored energy. A sheet without gravity is stretched to its limit within .5 s and comes to rest; then a
   short step gains nothing, and nothing moves */
static void shorter_steps_add_no_energy(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_motion_segment pull;
    ct_step_report r, short_step;
    sheet s;
    int i;
    (void)state;
    d.gravity[1] = 0;
    s.w = world_make(&d);
    s.m = mesh_grid(0.5, 0.5, 5, 5);
    c.mesh = &s.m, c.material = ct_material_default(CT_MODEL_SPRINGS);
    c.material.stretch = c.material.shear = 2, c.material.strain_limit = (ct_real)0.05, c.material.damping_mass = 10;
    assert_int_equal(ct_body_add_cloth(s.w, &c, &s.b), CT_OK);
    memset(&pull, 0, sizeof pull);
    pull.motion.linear[0] = (ct_real)0.05, pull.duration = (ct_real)0.5;
    for (i = 0; i < s.m.n_positions; i++) {
        int32_t at = i;
        double x = (double)s.m.positions[3 * i];
        if (x < -0.249)
            assert_int_equal(ct_body_pin(s.w, s.b, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        if (x > 0.249)
            assert_int_equal(ct_body_pin_path(s.w, s.b, &at, 1, CT_AXIS_ALL, &pull, 1, -1), CT_OK);
    }
    for (i = 0; i < 100; i++)
        r = step_once(s.w, 0.1);
    short_step = step_once(s.w, 0.01);
    print_message("at rest at .1 s: elastic %.4e J, kinetic %.1e J; in a step of .01 s %.2e J are gained, elastic %.4e J, status %d\n",
                  (double)r.energy_elastic, (double)r.energy_kinetic, (double)short_step.energy_gained, (double)short_step.energy_elastic,
                  (int)short_step.status);
    assert_true(fabs((double)short_step.energy_gained) < 1e-6 * (double)r.energy_elastic);
    assert_true(fabs((double)short_step.energy_elastic / (double)r.energy_elastic - 1) < 1e-6);
    ct_mesh_free(&s.m);
    ct_world_destroy(s.w);
}

/* dropped over a box: contacts are solved with the limit, and no surfaces end crossed */
static void a_weak_sheet_falls_over_a_box(void **state)
{
    sheet s = sheet_make(16, 2, 0.1, 0, 0.62);
    ct_static_desc d = ct_static_desc_default();
    ct_mesh box = mesh_box(0.4, 0.4, 0.4, 1, 1, 1, 0);
    ct_body_id id;
    outcome o;
    int k;
    (void)state;
    mesh_place(&box, 0.3, 0, 0.3, 0);
    d.mesh = &box;
    assert_int_equal(ct_body_add_static(s.w, &d, &id), CT_OK);
    for (k = 0; k < 10; k++) {
        o = run(&s, 0.01, 10);
        assert_int_equal(count_intersections(s.w), 0);
        if (k % 3 == 1)
            print_message("over a box, %.1f s: peak %.4f, now %.4f, %d substeps, status %d\n", 0.1 * (k + 1), o.peak, o.last, o.substeps, o.status);
        /* the step of an impact does not know the velocity that it leaves: the next one removes the excess */
        assert_true(o.peak < 0.17 && (o.last < 0.12));
        assert_true(o.status < CT_STATUS_ZONES || o.status == CT_STATUS_BUDGET);
    }
    ct_mesh_free(&box);
    sheet_free(&s);
}

/* A load of 200 times the sheet's weight: limits that know the sheet alone do not carry it, those that grow with the springs' rates do */
static void a_hammock_keeps_its_limit(void **state)
{
    sheet s = sheet_make(10, 500, 0.1, 3, 0.5);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_mesh box = mesh_box(0.4, 0.1, 0.4, 1, 1, 1, 0);
    ct_body_id id;
    outcome o;
    (void)state;
    mesh_place(&box, 0, 0, 0.56, 0);
    d.mesh = &box, d.density = 40 / (ct_real)0.016;
    assert_int_equal(ct_body_add_rigid(s.w, &d, &id), CT_OK);
    o = run(&s, 0.01, 150);
    print_message("40 kg on a sheet of %.2f kg: at rest %.4f, most %.4f, status %d\n", 0.2, o.last, o.peak, o.status);
    assert_true(o.last < 0.14);
    assert_int_equal(count_intersections(s.w), 0);
    ct_mesh_free(&box);
    sheet_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(a_weak_sheet_hangs_within_its_limit)
        PLAIN_TEST(without_a_limit_it_stretches)
        cmocka_unit_test(sheets_at_rest_keep_the_limit),
        cmocka_unit_test(shorter_steps_add_no_energy),
        cmocka_unit_test(a_far_limit_changes_nothing),
        PLAIN_TEST(a_weak_sheet_falls_over_a_box)
        PLAIN_TEST(a_hammock_keeps_its_limit)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
