/* test_geometric_motion.c -- the geometric stepper against what mechanics says: sliding with and without friction, momentum and its reactions,
   bodies that have nothing to do with each other. */
#include "geometric_util.h"

/* a soft body without damping, all of whose nodes have a velocity along x */
static ct_body_id add_slider(ct_world *w, const ct_mesh *m, double young, double speed)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = m, d.material.young = (ct_real)young, d.material.density = 1000, d.material.damping_mass = d.material.damping_stiffness = 0;
    d.velocity[0] = (ct_real)speed;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    return id;
}

static void push(ct_world *w, ct_body_id id, double speed)
{
    int n = ct_body_node_count(w, id), i;
    ct_real *v = (ct_real *)calloc((size_t)n, 3 * sizeof(ct_real));
    assert_non_null(v);
    for (i = 0; i < n; i++)
        v[3 * i] = (ct_real)speed;
    assert_int_equal(ct_body_set_velocities(w, id, v, n), CT_OK);
    free(v);
}

static double speed_along(ct_world *w, ct_body_id id)
{
    double v[3];
    read_middle(w, id, 1, v);
    return v[0];
}

/* friction of both schemes is mu times the weight, and ends at once where it is switched off */
static void friction_is_the_law(void **state)
{
    int scheme, i;
    (void)state;
    for (scheme = CT_GEOMETRIC_GLOBAL; scheme <= CT_GEOMETRIC_SUCCESSIVE; scheme++) {
        ct_world_desc d = world_desc(2e-3, 0.4, NULL);
        ct_mesh m = mesh_box(0.1, 0.02, 0.1, 4, 1, 4, 1);
        ct_world *w;
        ct_body_id id;
        double before, after;
        d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.scheme = (ct_geometric_scheme)scheme;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        mesh_place(&m, 0, 0, 0.012, 0);
        id = add_slider(w, &m, 1e6, 0);
        for (i = 0; i < 30; i++)
            step_once(w, 0.01);
        push(w, id, 1);
        before = speed_along(w, id);
        for (i = 0; i < 10; i++)
            step_once(w, 0.01);
        after = speed_along(w, id);
        if (getenv("SHOW"))
            print_message("scheme %d: %.4f of mu g\n", scheme, (before - after) / (0.4 * 9.81 * 0.1));
        assert_true(fabs((before - after) / (0.4 * 9.81 * 0.1) - 1) < 0.02);
        assert_int_equal(ct_body_set_friction(w, id, 0), CT_OK);
        for (i = 0; i < 10; i++)
            step_once(w, 0.01);
        assert_true(fabs(speed_along(w, id) - after) < 1e-3);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* a flat mesh is as smooth as a plane: its edges and vertices ahead do not brake */
static void flat_meshes_do_not_brake(void **state)
{
    int cloth;
    (void)state;
    for (cloth = 0; cloth < 2; cloth++) {
        ct_world *w = geometric_world(2e-3, 0, NULL);
        ct_mesh floor = mesh_box(2, 0.1, 1, 20, 1, 10, 0), m = cloth ? mesh_grid(0.1, 0.1, 4, 4) : mesh_box(0.1, 0.02, 0.1, 4, 1, 4, 1);
        ct_static_desc d = ct_static_desc_default();
        ct_body_id id;
        int i;
        d.mesh = &floor, d.position[1] = (ct_real)-0.05;
        assert_int_equal(ct_body_add_static(w, &d, NULL), CT_OK);
        mesh_place(&m, 0, -0.5, cloth ? 0.002 : 0.012, 0.013);
        id = cloth ? add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.2) : add_slider(w, &m, 1e6, 0);
        for (i = 0; i < 20; i++)
            step_once(w, 0.01);
        push(w, id, 1);
        for (i = 0; i < 50; i++)
            step_once(w, 0.002);
        if (getenv("SHOW"))
            print_message("cloth %d: %.4f m/s\n", cloth, speed_along(w, id));
        assert_true(fabs(speed_along(w, id) - 1) < 0.01);
        ct_mesh_free(&floor), ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* features that are too far for a collision, and that forces bring together within a step, are one: above a plane, and above a mesh */
static void forces_bring_no_surprise(void **state)
{
    int above;
    (void)state;
    for (above = 0; above < 2; above++) {
        ct_world_desc d = world_desc(4e-3, 0.5, NULL);
        ct_mesh m = mesh_grid(0.1, 0.1, 4, 4), floor = mesh_box(0.4, 0.1, 0.4, 5, 1, 5, 0);
        ct_static_desc q = ct_static_desc_default();
        double least = 2;
        ct_world *w;
        int i;
        d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = -50;
        w = world_make(&d);
        q.mesh = &floor, q.position[1] = (ct_real)-0.05;
        if (above)
            assert_int_equal(ct_body_add_static(w, &q, NULL), CT_OK);
        else
            add_plane(w, 0, 1, 0, 0);
        mesh_place(&m, 1e-3, 1e-3, 1.4 * 4e-3, 1e-3);
        add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.2);
        for (i = 0; i < 20; i++)
            least = fmin(least, (double)step_once(w, 0.01).thickness_kept);
        if (getenv("SHOW"))
            print_message("mesh %d: %.3f of the thickness\n", above, least);
        assert_true(least > 0.49);
        ct_mesh_free(&m), ct_mesh_free(&floor);
        ct_world_destroy(w);
    }
}

static void momentum(const ct_world *w, double p[3], double *mass)
{
    const cti_state *s = &w->state;
    int i, k;
    p[0] = p[1] = p[2] = *mass = 0;
    for (i = 0; i < s->n; i++) {
        for (k = 0; k < 3; k++)
            p[k] += (double)s->bodies.mass[i] * (double)s->v[3 * i + k];
        *mass += (double)s->bodies.mass[i];
    }
}

/* change of momentum is what gravity, pins and contacts give. A box falls on a sheet of which every second node is pinned */
static void pins_bear_the_contacts(void **state)
{
    ct_world *w = geometric_world(4e-3, 0.6, NULL);
    ct_mesh g = mesh_grid(0.2, 0.2, 4, 4), m = mesh_box(0.05, 0.05, 0.05, 1, 1, 1, 1);
    ct_body_id sheet = add_cloth_mesh(w, "sheet", &g, CT_MODEL_MEMBRANE, 0.5);
    int32_t pinned[13];
    double worst = 0, before[3], after[3], mass;
    int i, k, j;
    (void)state;
    for (i = 0; i < 13; i++)
        pinned[i] = 2 * i;
    assert_int_equal(ct_body_pin(w, sheet, pinned, 13, CT_AXIS_ALL, NULL, -1), CT_OK);
    mesh_place(&m, 0, 0.01, 0.04, 0.012);
    add_slider(w, &m, 1e5, 0);
    for (i = 0; i < 40; i++) {
        momentum(w, before, &mass);
        step_once(w, 0.01);
        momentum(w, after, &mass);
        after[1] += mass * 9.81 * 0.01;
        for (k = 0; k < 13; k++) {
            ct_real J[3];
            assert_int_equal(ct_body_get_pin_impulse(w, sheet, pinned[k], J), CT_OK);
            for (j = 0; j < 3; j++)
                after[j] -= (double)J[j];
        }
        worst = fmax(worst, hypot(after[0] - before[0], hypot(after[1] - before[1], after[2] - before[2])));
    }
    if (getenv("SHOW"))
        print_message("pins: %.1e of %.1e N s missing\n", worst, mass * 9.81 * 0.01);
    assert_true(worst < 2e-3 * mass * 9.81 * 0.01);
    ct_mesh_free(&g), ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* kinetic energy about the mean velocity of a bar that spins by 20 rad/s after ten steps */
static double spun(double along, int beside)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_mesh m = mesh_box(0.1, 0.02, 0.02, 4, 1, 1, 1), block = mesh_box(1, 1, 1, 1, 1, 1, 1);
    ct_soft_desc q = ct_soft_desc_default();
    ct_body_id id;
    ct_world *w;
    double mean[3], *v, e = 0;
    int i, k, n;
    d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = 0;
    w = world_make(&d);
    q.mesh = &m, q.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN), q.material.young = (ct_real)1e7, q.material.density = 1000;
    q.material.damping_mass = q.material.damping_stiffness = 0, q.angular_velocity[2] = 20, q.velocity[2] = (ct_real)along;
    assert_int_equal(ct_body_add_soft(w, &q, &id), CT_OK);
    mesh_place(&block, 0, 100, 0, 0);
    if (beside)
        add_soft_mesh(w, "block", &block, 1e6, 100, 0, 0);
    for (i = 0; i < 10; i++)
        step_once(w, 0.01);
    read_middle(w, id, 1, mean);
    v = read_vectors(w, id, 1, &n);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            e += 0.02 / n * pow(v[3 * i + k] - mean[k], 2);
    free(v), ct_mesh_free(&m), ct_mesh_free(&block);
    ct_world_destroy(w);
    return e;
}

/* a body that turns freely strains nothing, so that its dampers take nothing: its energy stays, and so does the account's */
static void free_spins_are_not_damped(void **state)
{
    /* [rad/s], [s]: .2 to 2 rad a step */
    static const double rates[] = {160, 20, 100, 200}, lengths[] = {0.00125, 0.01, 0.01, 0.01};
    int i, k;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_mesh m = mesh_box(0.02, 0.02, 0.02, 3, 3, 3, 1);
        ct_soft_desc q = ct_soft_desc_default();
        double first = 0, damped = 0, kinetic = 0;
        ct_body_id id;
        ct_world *w;
        d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = 0;
        w = world_make(&d);
        q.mesh = &m, q.material = ct_material_default(CT_MODEL_COROTATIONAL), q.material.young = (ct_real)1e6;
        q.angular_velocity[2] = (ct_real)rates[k];
        assert_int_equal(ct_body_add_soft(w, &q, &id), CT_OK);
        for (i = 0; i < 25; i++) {
            ct_step_report r = step_once(w, lengths[k]);
            assert_int_equal(r.status, CT_STATUS_OK);
            kinetic = (double)r.energy_kinetic;
            if (i == 4) /* it has widened as its spin asks for */
                first = kinetic;
            damped += i > 4 ? (double)r.loss_damping : 0;
        }
        if (getenv("SHOW"))
            print_message("a spin of %.1f rad a step keeps %.5f of its energy; dampers took %.1e of it\n", rates[k] * lengths[k], kinetic / first,
                          damped / first);
        assert_true(fabs(damped) < 1e-4 * first);
        assert_true(fabs(kinetic / first - 1) < (FLOAT ? 1e-2 : 1e-3));
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* neither a common motion nor another body hides what a body gains */
static void gains_are_each_bodys(void **state)
{
    double alone = spun(0, 0), moving, beside;
    (void)state;
    moving = spun(50, 0);
    if (getenv("SHOW"))
        print_message("spin alone %.3e J; at 50 m/s %.3e J", alone, moving);
    /* in float the roundings of the common motion and of the block's energy are above the gains of a body as stiff as this */
    assert_true(FLOAT || fabs(moving / alone - 1) < 0.01);
    beside = spun(0, 1);
    if (getenv("SHOW"))
        print_message("; beside a block %.3e J\n", beside);
    assert_true(FLOAT || fabs(beside / alone - 1) < 0.01);
}

/* positions of a light bar after 20 steps, beside a far body of this density that vibrates */
static double *bar_beside(double density, int *n)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_mesh m = mesh_box(0.1, 0.02, 0.02, 6, 1, 1, 1), block = mesh_box(1, 1, 1, 2, 2, 2, 1);
    ct_soft_desc q = ct_soft_desc_default();
    ct_body_id id[2];
    ct_world *w;
    ct_real v[3 * 64];
    double *x;
    int b, i;
    d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = 0;
    w = world_make(&d);
    q.material = ct_material_default(CT_MODEL_COROTATIONAL), q.material.damping_mass = q.material.damping_stiffness = 0;
    for (b = 0; b < (density > 0 ? 2 : 1); b++) {
        q.mesh = b ? &block : &m, q.material.density = (ct_real)(b ? density : 100), q.material.young = (ct_real)(b ? 1e3 * density : 1e4);
        q.position[0] = b ? 100 : 0;
        assert_int_equal(ct_body_add_soft(w, &q, &id[b]), CT_OK);
        assert_true(ct_body_node_count(w, id[b]) <= 64);
        for (i = 0; i < 3 * 64; i++)
            v[i] = (ct_real)(0.25 * ((i * 7) % 5 - 2));
        assert_int_equal(ct_body_set_velocities(w, id[b], v, ct_body_node_count(w, id[b])), CT_OK);
    }
    for (i = 0; i < 20; i++)
        step_once(w, 0.01);
    x = read_vectors(w, id[0], 0, n);
    ct_mesh_free(&m), ct_mesh_free(&block);
    ct_world_destroy(w);
    return x;
}

/* a heavy body far away does not take the precision of a light one */
static void heavy_bodies_hide_nothing(void **state)
{
    int n, i;
    double *alone = bar_beside(0, &n), *beside = bar_beside(1e6, &n), worst = 0;
    (void)state;
    for (i = 0; i < 3 * n; i++)
        worst = fmax(worst, fabs(alone[i] - beside[i]));
    if (getenv("SHOW"))
        print_message("beside 1e6 kg: %.1e m\n", worst);
    assert_true(worst < 1e-3);
    free(alone), free(beside);
}

/* a status says whether solves have ended: by residuals, and by what the corrections lack */
static void statuses_are_true(void **state)
{
    int turns, i;
    (void)state;
    for (turns = 0; turns < PLAIN_OR(2, 1); turns++) {
        ct_world_desc d = world_desc(4e-3, 0.5, NULL);
        ct_world *w;
        int good = 0;
        double least = 2;
        d.stepper = CT_STEPPER_GEOMETRIC, d.solver.tolerance = (ct_real)(FLOAT ? 1e-3 : 1e-7);
        if (turns)
            d.geometric.cg_turns = 1, d.geometric.active_set = 1;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 10; i++) {
            ct_mesh m = mesh_grid(0.2, 0.2, 5, 5);
            mesh_place(&m, 0, 0.003 * (i * 7 % 5), 0.0045 * (i + 1), 0);
            add_cloth_mesh(w, NULL, &m, CT_MODEL_MEMBRANE, 0.2);
            ct_mesh_free(&m);
        }
        for (i = 0; i < 40; i++) {
            ct_step_report r = step_once(w, 0.01);
            good += r.status <= CT_STATUS_ZONES;
            assert_true(r.status > CT_STATUS_ZONES || r.residual <= d.solver.tolerance);
            if (i >= 20)
                least = fmin(least, (double)r.thickness_kept);
        }
        if (getenv("SHOW"))
            print_message("turns limited %d: %d of 40 good, %.3f of the thickness\n", turns, good, least);
        assert_true(turns ? good < 20 : good >= 38 && least > 0.8);
        ct_world_destroy(w);
    }
}

/* distances are known up to twice the thickness */
static void distances_are_measured(void **state)
{
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        const double gaps[3] = {1.3, 1.7, 1.9};
        ct_world_desc d = world_desc(4e-3, 0.5, NULL);
        ct_mesh m = mesh_grid(0.1, 0.1, 3, 3);
        ct_step_report r;
        ct_world *w;
        d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = 0;
        w = world_make(&d);
        add_cloth_mesh(w, "low", &m, CT_MODEL_MEMBRANE, 0.2);
        mesh_place(&m, 0, 1e-3, gaps[k] * 4e-3, 1e-3);
        add_cloth_mesh(w, "high", &m, CT_MODEL_MEMBRANE, 0.2);
        r = step_once(w, 0.01);
        assert_true(fabs((double)r.thickness_kept - gaps[k]) < 1e-3 && fabs((double)r.min_distance - 4e-3 * gaps[k]) < 4e-6);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_the_law),
        cmocka_unit_test(flat_meshes_do_not_brake),
        cmocka_unit_test(forces_bring_no_surprise),
        cmocka_unit_test(pins_bear_the_contacts),
        cmocka_unit_test(free_spins_are_not_damped),
        cmocka_unit_test(gains_are_each_bodys),
        cmocka_unit_test(heavy_bodies_hide_nothing),
        cmocka_unit_test(statuses_are_true),
        cmocka_unit_test(distances_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
