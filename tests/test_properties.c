/* test_properties.c -- what a program sets of bodies and of a world between steps, and reads: against closed forms, and against worlds that were built
   so. */
#include "failing.h"
#include "../src/9_world/world.h"
#include "world_util.h"

#define DT (1.0 / 60)
#define ROUND (sizeof(ct_real) == 4 ? 1e-5 : 1e-12)

static ct_world *world_of(double gravity)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    d.gravity[1] = (ct_real)-gravity;
    return world_make(&d);
}

static ct_body_id add_rigid(ct_world *w, const ct_mesh *m, double x)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = m, d.name = "ball", d.position[0] = (ct_real)x, d.rotation[1] = (ct_real)0.3;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    return id;
}

static ct_material material_of(double young, double density)
{
    ct_material m = ct_material_default(CT_MODEL_NEOHOOKEAN);
    m.young = (ct_real)young, m.poisson = (ct_real)0.3, m.density = (ct_real)density, m.damping_stiffness = (ct_real)1e-3;
    return m;
}

/* a beam that is held at one end */
static ct_body_id add_beam(ct_world *w, const ct_material *material)
{
    ct_mesh m = mesh_box(0.6, 0.1, 0.1, 12, 2, 2, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    int32_t i;
    d.mesh = &m, d.name = "beam", d.material = *material;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        if (m.positions[3 * i] < -0.29)
            assert_int_equal(ct_body_pin(w, id, &i, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static ct_body_id add_sheet(ct_world *w, const ct_material *material)
{
    ct_mesh m = mesh_grid(0.4, 0.4, 6, 6);
    ct_cloth_desc d = ct_cloth_desc_default();
    const int32_t corners[2] = {0, 6};
    ct_body_id id = {0, 0};
    d.mesh = &m, d.name = "sheet", d.material = *material;
    assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
    assert_int_equal(ct_body_pin(w, id, corners, 2, CT_AXIS_ALL, NULL, -1), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* every getter reads what its setter was given, and the value that a body begins with */
static void getters_read_what_was_set(void **state)
{
    const ct_real belt[3] = {1, 2, 3}, gravity[3] = {1, -2, 3};
    ct_contact_material c, read;
    ct_world *w = world_of(9.81);
    ct_body_id plane = add_plane(w, 0, 1, 0, -1), jelly = add_soft_box(w, "jelly", 0.2, 1, 3e4, 0, 0, 0), none = {0, 0};
    ct_real v[3];
    (void)state;
    assert_true(ct_body_get_gravity_scale(w, jelly) == 1 && ct_body_get_pressure(w, jelly) == 0 && ct_body_get_self_collision(w, jelly) == -1);
    assert_int_equal(ct_body_get_contact(w, jelly, &c), CT_OK);
    assert_true(c.stiffness == -1 && c.damping == -1 && c.friction_stiffness == -1);
    assert_int_equal(ct_body_get_surface_velocity(w, plane, v), CT_OK);
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);
    c.stiffness = 5, c.damping = 2, c.friction_stiffness = 7;
    assert_int_equal(ct_body_set_contact(w, jelly, &c), CT_OK);
    assert_int_equal(ct_body_get_contact(w, jelly, &read), CT_OK);
    assert_memory_equal(&c, &read, sizeof c);
    assert_int_equal(ct_body_set_surface_velocity(w, plane, belt), CT_OK);
    assert_int_equal(ct_body_get_surface_velocity(w, plane, v), CT_OK);
    assert_memory_equal(v, belt, sizeof v);
    assert_int_equal(ct_body_set_gravity_scale(w, jelly, -2), CT_OK);
    assert_int_equal(ct_body_set_pressure(w, jelly, 30), CT_OK);
    assert_int_equal(ct_body_set_self_collision(w, jelly, 1), CT_OK);
    assert_true(ct_body_get_gravity_scale(w, jelly) == -2 && ct_body_get_pressure(w, jelly) == 30 && ct_body_get_self_collision(w, jelly) == 1);
    assert_int_equal(ct_world_set_gravity(w, gravity), CT_OK);
    assert_int_equal(ct_world_get_gravity(w, v), CT_OK);
    assert_memory_equal(v, gravity, sizeof v);
    assert_true(ct_body_get_gravity_scale(w, none) == 0 && ct_body_get_pressure(w, none) == 0 && ct_body_get_self_collision(w, none) == 0);
    ct_world_destroy(w);
}

/* Normals of a sphere are its radii, of a sheet the axis y; the corners of a box, whose faces are two triangles each, have none of their faces' share less
   than another by more than the split of a face gives. All vertices in one call are those of each body, also between each other */
static void normals_are_those_of_the_surface(void **state)
{
    enum { MOST = 400 };
    double x[3 * MOST], n[3 * MOST], both[6 * MOST], worst = 0;
    float f[3 * MOST];
    ct_world *w = world_of(0);
    ct_body_id ball, sheet;
    ct_material cloth = ct_material_default(CT_MODEL_MEMBRANE);
    ct_mesh m;
    int i, k, count, all;
    (void)state;
    assert_int_equal(ct_mesh_sphere((ct_real)0.5, 2, &m, NULL), CT_OK);
    add_plane(w, 0, 1, 0, -4);
    ball = add_rigid(w, &m, 2), sheet = add_sheet(w, &cloth);
    ct_mesh_free(&m);
    assert_int_equal(ct_body_get_positions(w, ball, x, CT_SCALAR_DOUBLE, 24, &count), CT_OK);
    assert_int_equal(ct_body_get_normals(w, ball, n, CT_SCALAR_DOUBLE, 24, &k), CT_OK);
    assert_int_equal(k, count);
    for (i = 0; i < count; i++) {
        double c = 2 * (n[3 * i] * (x[3 * i] - 2) + n[3 * i + 1] * x[3 * i + 1] + n[3 * i + 2] * x[3 * i + 2]); /* over .5 m */
        worst = fmax(worst, acos(fmin(c, 1)));
        assert_true(fabs(n[3 * i] * n[3 * i] + n[3 * i + 1] * n[3 * i + 1] + n[3 * i + 2] * n[3 * i + 2] - 1) < ROUND);
    }
    print_message("normals of a sphere are off by at most %.3f rad\n", worst);
    assert_true(worst < 0.03); /* triangles span .3 rad */
    assert_int_equal(ct_body_get_normals(w, sheet, f, CT_SCALAR_FLOAT, 12, &k), CT_OK);
    for (i = 0; i < k; i++)
        assert_true(f[3 * i] == 0 && f[3 * i + 1] == 1 && f[3 * i + 2] == 0);
    assert_int_equal(ct_world_get_vertices(w, NULL, NULL, CT_SCALAR_DOUBLE, 48, 0, &all), CT_OK);
    assert_int_equal(all, count + k);
    assert_int_equal(ct_world_get_vertices(w, both, both + 3, CT_SCALAR_DOUBLE, 48, MOST, &all), CT_OK);
    for (i = 0; i < count; i++)
        assert_true(memcmp(both + 6 * i, x + 3 * i, 24) == 0 && memcmp(both + 6 * i + 3, n + 3 * i, 24) == 0);
    assert_true(both[6 * count + 4] == 1);
    assert_int_equal(ct_world_get_vertices(w, both, NULL, CT_SCALAR_DOUBLE, 48, all - 1, &k), CT_ERR_ARGUMENT);
    assert_true(ct_world_error(w)->value == all);
    ct_world_destroy(w);
}

static void place_of(const ct_world *w, ct_body_id id, double *out) { read_middle(w, id, 0, out); }

/* A material that is set before the first step gives the bits of a world that was built with it. One that is set after some steps, with the shape that
   the body began with, gives its motion to rounding */
static void a_material_is_that_of_a_body_built_so(void **state)
{
    int cloth, late, i, k;
    (void)state;
    for (cloth = 0; cloth < 2; cloth++)
        for (late = 0; late < 2; late++) {
            ct_material soft = cloth ? ct_material_default(CT_MODEL_MEMBRANE) : material_of(1e5, 1000), other = soft;
            ct_world *w[2];
            ct_body_id b[2];
            ct_real x[3 * 200], v[3 * 200];
            double p[2][3], worst = 0;
            int n;
            other.young *= 3, other.density *= (ct_real)0.5, other.areal_density *= 2, other.bending = 0, other.damping_mass = (ct_real)0.5;
            for (k = 0; k < 2; k++) {
                w[k] = world_of(9.81);
                b[k] = cloth ? add_sheet(w[k], k ? &soft : &other) : add_beam(w[k], k ? &soft : &other);
            }
            n = ct_body_node_count(w[1], b[1]);
            assert_int_equal(ct_body_get_nodes(w[1], b[1], x, v, n), CT_OK);
            for (i = 0; i < 7 * late; i++)
                step_once(w[1], DT);
            assert_int_equal(ct_body_set_material(w[1], b[1], &other), CT_OK);
            if (late)
                assert_true(ct_body_set_positions(w[1], b[1], x, n) == CT_OK && ct_body_set_velocities(w[1], b[1], v, n) == CT_OK);
            assert_true(fabs((double)(ct_body_get_mass(w[1], b[1]) - ct_body_get_mass(w[0], b[0]))) < 1e-6 * (double)ct_body_get_mass(w[0], b[0]));
            for (i = 0; i < 30; i++) {
                for (k = 0; k < 2; k++)
                    step_once(w[k], DT), place_of(w[k], b[k], p[k]);
                for (k = 0; k < 3; k++)
                    worst = fmax(worst, fabs(p[0][k] - p[1][k]));
            }
            print_message("%s, %s: off by %.2e m\n", cloth ? "sheet" : "beam", late ? "after 7 steps" : "at first", worst);
            assert_true(late ? worst < (sizeof(ct_real) == 4 ? 1e-4 : 1e-6) : ct_world_hash(w[0]) == ct_world_hash(w[1]));
            ct_world_destroy(w[0]), ct_world_destroy(w[1]);
        }
}

/* A body keeps its velocity, not its momentum, and its shape at rest: a free jelly that becomes heavier while it falls goes on falling as it does */
static void a_falling_body_changes_its_mass(void **state)
{
    ct_material m = material_of(1e5, 1000);
    ct_mesh box = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_world *w = world_of(10);
    ct_body_id id;
    double p[3], T = 20 * DT;
    int i;
    (void)state;
    d.mesh = &box, d.material = m;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    for (i = 0; i < 20; i++) {
        if (i == 10)
            m.density = 3000, m.young = (ct_real)1e4, assert_int_equal(ct_body_set_material(w, id, &m), CT_OK);
        step_once(w, DT);
    }
    place_of(w, id, p);
    assert_true(fabs(p[1] + 10 * T * T / 2) < (sizeof(ct_real) == 4 ? 1e-5 : 1e-9));
    assert_true(fabs((double)ct_body_get_mass(w, id) - 24) < 1e-4);
    ct_mesh_free(&box), ct_world_destroy(w);
}

/* Options that are set before the first step give the bits of a world that was made with them; what cannot change is refused by name */
static void options_are_those_of_a_world_made_so(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL), other = d, got;
    ct_world *w[2];
    ct_body_id b;
    uint64_t hash;
    int k, i;
    (void)state;
    other.solver.tolerance = (ct_real)1e-2, other.solver.max_sweeps = 7, other.cmr_rounds = 2, other.max_halvings = 1, other.newton_iterations = 2;
    other.recovery_speed = (ct_real)0.2, other.hit_speed = 3, other.sleep_time = 0.3, other.sleep_speed = (ct_real)0.02, other.gravity[0] = 1;
    for (k = 0; k < 2; k++) {
        w[k] = world_make(k ? &d : &other);
        add_plane(w[k], 0, 1, 0, 0);
        b = add_soft_box(w[k], "jelly", 0.2, 2, 3e4, 0, 0.11, 0), add_soft_box(w[k], "jelly", 0.2, 2, 3e4, 0.02, 0.33, 0);
    }
    assert_int_equal(ct_world_set_options(w[1], &other), CT_OK);
    assert_int_equal(ct_world_get_desc(w[1], &got), CT_OK);
    assert_true(got.solver.max_sweeps == 7 && got.hit_speed == 3 && got.sleep_time == 0.3 && got.gravity[0] == 1);
    for (i = 0; i < 20; i++)
        step_once(w[0], DT), step_once(w[1], DT);
    assert_true(ct_world_hash(w[0]) == ct_world_hash(w[1]));
    hash = ct_world_hash(w[1]);
    assert_int_equal(ct_world_set_options(w[1], &got), CT_OK); /* the same again changes nothing */
    got.friction = 2;
    assert_int_equal(ct_world_set_options(w[1], &got), CT_ERR_ARGUMENT);
    assert_non_null(strstr(ct_world_error(w[1])->text, "thickness"));
    got.friction = other.friction, got.stepper = CT_STEPPER_BARRIER;
    assert_true(ct_world_set_options(w[1], &got) != CT_OK);
    got.stepper = other.stepper, got.solver.tolerance = -1;
    assert_int_equal(ct_world_set_options(w[1], &got), CT_ERR_ARGUMENT);
    assert_true(ct_world_hash(w[1]) == hash);
    assert_int_equal(ct_world_get_desc(w[1], &got), CT_OK);
    got.solver.max_sweeps = 70, got.gravity[1] = sizeof(ct_real) == 4 ? (ct_real)1e30 : (ct_real)1e160; /* its fourth power is not finite */
    assert_int_equal(ct_world_set_options(w[1], &got), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_get_desc(w[1], &got), CT_OK);
    assert_true(got.solver.max_sweeps == 7 && ct_world_hash(w[1]) == hash);
    assert_int_equal(ct_world_set_options(w[1], NULL), CT_ERR_ARGUMENT);
    assert_true(ct_world_set_options(NULL, &other) != CT_OK && ct_world_get_desc(NULL, &got) != CT_OK && ct_world_get_desc(w[1], NULL) != CT_OK);
    (void)b;
    ct_world_destroy(w[0]), ct_world_destroy(w[1]);
}

static void joints_are_listed(void **state)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_BALL);
    ct_world *w = world_of(0);
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0);
    ct_body_id a = add_rigid(w, &m, 0), b = add_rigid(w, &m, 1), p, q;
    ct_joint_id j[2], list[3];
    (void)state;
    d.a.body = a, d.b.body = b;
    assert_int_equal(ct_joint_add(w, &d, &j[0]), CT_OK);
    memset(&d.b.body, 0, sizeof d.b.body);
    assert_int_equal(ct_joint_add(w, &d, &j[1]), CT_OK);
    assert_int_equal(ct_world_get_joints(w, NULL, 0), 2);
    assert_int_equal(ct_world_get_joints(w, list, 3), 2);
    assert_memory_equal(list, j, sizeof j);
    assert_int_equal(ct_joint_get_bodies(w, j[0], &p, &q), CT_OK);
    assert_true(p.index1 == a.index1 && q.index1 == b.index1);
    assert_int_equal(ct_joint_get_bodies(w, j[1], NULL, &q), CT_OK);
    assert_true(q.index1 == 0);
    assert_int_equal(ct_body_remove(w, b), CT_OK);
    assert_int_equal(ct_world_get_joints(w, list, 3), 1);
    assert_int_equal(ct_joint_get_bodies(w, j[0], &p, &q), CT_ERR_STALE_ID);
    assert_true(ct_world_get_joints(NULL, NULL, 0) == 0);
    ct_mesh_free(&m), ct_world_destroy(w);
}

static void bad_input_is_refused(void **state)
{
    ct_material bad = material_of(-1, 1000), good = material_of(1e5, 1000);
    ct_world *w = world_of(9.81);
    ct_body_id plane = add_plane(w, 0, 1, 0, -1), jelly = add_soft_box(w, "jelly", 0.2, 1, 3e4, 0, 0, 0), none = {0, 0};
    ct_contact_material c;
    uint64_t hash = ct_world_hash(w);
    ct_real v[3];
    double x[24];
    int n;
    (void)state;
    assert_int_equal(ct_body_set_material(w, jelly, &bad), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_material(w, jelly, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_material(w, plane, &good), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_material(w, none, &good), CT_ERR_STALE_ID);
    assert_true(ct_body_set_material(NULL, jelly, &good) == CT_ERR_ARGUMENT && ct_body_get_material(NULL, jelly, &good) == CT_ERR_ARGUMENT);
    assert_true(ct_body_get_material(w, jelly, NULL) == CT_ERR_ARGUMENT && ct_body_get_material(w, plane, &good) == CT_ERR_ARGUMENT);
    bad.young = 1000, bad.model = CT_MODEL_MEMBRANE;
    assert_int_equal(ct_body_set_material(w, jelly, &bad), CT_ERR_ARGUMENT);
    assert_true(ct_body_get_contact(w, none, &c) == CT_ERR_STALE_ID && ct_body_get_contact(w, jelly, NULL) == CT_ERR_ARGUMENT);
    assert_true(ct_body_get_surface_velocity(w, none, v) == CT_ERR_STALE_ID && ct_body_get_surface_velocity(w, plane, NULL) == CT_ERR_ARGUMENT);
    assert_true(ct_world_get_gravity(NULL, v) == CT_ERR_ARGUMENT && ct_world_get_gravity(w, NULL) == CT_ERR_ARGUMENT);
    assert_true(ct_body_get_normals(w, none, x, CT_SCALAR_DOUBLE, 24, &n) == CT_ERR_STALE_ID);
    assert_true(ct_body_get_normals(w, jelly, x, (ct_scalar_type)7, 24, &n) == CT_ERR_ARGUMENT);
    assert_true(ct_body_get_normals(w, jelly, x, CT_SCALAR_DOUBLE, 8, &n) == CT_ERR_ARGUMENT);
    assert_true(ct_body_get_normals(w, jelly, x, CT_SCALAR_DOUBLE, (size_t)-1, &n) == CT_ERR_ARGUMENT);
    assert_true(ct_body_get_normals(w, jelly, NULL, CT_SCALAR_DOUBLE, 24, &n) == CT_OK && n == 8);
    assert_true(ct_world_get_vertices(w, x, NULL, CT_SCALAR_DOUBLE, 24, 8, NULL) == CT_ERR_ARGUMENT);
    assert_true(ct_world_get_vertices(NULL, x, NULL, CT_SCALAR_DOUBLE, 24, 8, &n) == CT_ERR_ARGUMENT);
    assert_true(ct_world_get_vertices(w, x, NULL, CT_SCALAR_DOUBLE, 0, 8, &n) == CT_ERR_ARGUMENT);
    assert_true(ct_world_hash(w) == hash);
    ct_world_destroy(w);
}

/* every allocation fails in turn: refused, and as before; done again it is done */
static void memory_may_run_out(void **state)
{
    int at, done = 0, refused = 0;
    (void)state;
    for (at = 1; !done; at++) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_material cloth = ct_material_default(CT_MODEL_MEMBRANE), next = cloth;
        double x[3 * 60];
        ct_world *w;
        ct_body_id sheet;
        ct_code code[4];
        uint64_t hash;
        int i, n;
        d.allocator.resize = failing;
        fail_at = 0, next.bending = 1, next.young *= 2;
        w = world_make(&d), sheet = add_sheet(w, &cloth);
        step_once(w, DT);
        hash = ct_world_hash(w);
        calls = 0, fail_at = at;
        code[0] = ct_body_get_normals(w, sheet, x, CT_SCALAR_DOUBLE, 24, &n);
        code[1] = ct_body_set_material(w, sheet, &next);
        assert_true(ct_world_hash(w) == hash || code[1] == CT_OK);
        d.solver.max_sweeps = 9;
        code[2] = ct_world_set_options(w, &d);
        hash = ct_world_hash(w);
        code[3] = ct_world_step(w, (ct_real)DT, NULL);
        assert_true(code[3] == CT_OK || ct_world_hash(w) == hash);
        done = calls < at;
        fail_at = 0;
        for (i = 0; i < 4; i++) {
            assert_true(code[i] == CT_OK || code[i] == CT_ERR_MEMORY);
            refused += code[i] != CT_OK;
        }
        step_once(w, DT);
        ct_world_destroy(w);
    }
    print_message("%d allocations, %d refusals\n", at - 1, refused);
    assert_true(refused > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(getters_read_what_was_set),
        cmocka_unit_test(normals_are_those_of_the_surface),
        cmocka_unit_test(a_material_is_that_of_a_body_built_so),
        cmocka_unit_test(a_falling_body_changes_its_mass),
        cmocka_unit_test(options_are_those_of_a_world_made_so),
        cmocka_unit_test(joints_are_listed),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
