/* test_world.c -- the world as its user sees it: misuse is refused and names the culprit; bodies are added and removed; pins and direction
   pins; memory failures anywhere; no allocation in a warmed-up step; same bits for the same input; tangled starts. */
#include "../src/9_world/problems.h"
#include "world_util.h"

static const double NOT_A_NUMBER = (double)NAN;

/* ---- misuse ---- */

static void refuses(ct_world_desc d, ct_code expected)
{
    ct_world *w = (ct_world *)(uintptr_t)16, *before = w;
    ct_error_info e;
    memset(&e, 0, sizeof e);
    assert_int_equal(ct_world_create(&d, &w, &e), expected);
    assert_ptr_equal(w, before);
    assert_int_equal(e.code, expected);
    assert_non_null(e.text);
    assert_true(strlen(e.text) > 5);
}

/* a description for a stepper is never refused, and its world takes a soft body and steps */
static void every_stepper_takes_its_defaults(void **state)
{
    int k;
    (void)state;
    for (k = 0; k < CT_STEPPER_COUNT_; k++) {
        ct_world_desc d = ct_world_desc_default_for((ct_stepper)k);
        ct_world *w = NULL;
        ct_step_report r;
        assert_int_equal(d.stepper, k);
        assert_int_equal(ct_world_create(&d, &w, NULL), CT_OK);
        add_plane(w, 0, 1, 0, 0);
        add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.06, 0);
        assert_int_equal(ct_world_step(w, (ct_real)0.01, &r), CT_OK);
        assert_int_equal(r.status, CT_STATUS_OK);
        ct_world_destroy(w);
    }
}

static void creation_is_checked(void **state)
{
    ct_world_desc d = ct_world_desc_default(), good = d;
    ct_world *w = NULL;
    (void)state;
    assert_int_equal(ct_world_create(&good, NULL, NULL), CT_ERR_ARGUMENT);
    assert_null(w);
    memset(&d, 0, sizeof d), refuses(d, CT_ERR_ARGUMENT);
    d = good, d.cookie ^= 1, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.gravity[2] = (ct_real)NOT_A_NUMBER, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.gravity[0] = (ct_real)HUGE_VAL, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.thickness = 0, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.thickness = (ct_real)NOT_A_NUMBER, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.thickness = (ct_real)HUGE_VAL, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.friction = (ct_real)-0.1, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.friction = (ct_real)NOT_A_NUMBER, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.restitution = (ct_real)0.5, d.stepper = CT_STEPPER_BARRIER, refuses(d, CT_ERR_UNSUPPORTED);
    d = good, d.restitution = (ct_real)1.1, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.restitution_threshold = (ct_real)-0.1, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.restitution_law = (ct_restitution_law)2, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.friction_combine = (ct_combine)5, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.restitution_combine = (ct_combine)-1, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.stepper = CT_STEPPER_COUNT_, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.stepper = (ct_stepper)99, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.solver.solver = CT_SOLVER_GEOMETRIC_CG, refuses(d, CT_ERR_UNSUPPORTED); /* another stepper's */
    d = good, d.solver.solver = CT_SOLVER_COUNT_, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.solver.cookie = 0, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.solver.tolerance = 0, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.solver.tolerance = (ct_real)NOT_A_NUMBER, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.solver.max_iterations = 0, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.solver.cone = (ct_cone)7, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.solver.cluster = (ct_cluster_mode)-1, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.cmr_rounds = 0, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.broad_phase = (ct_broad_phase)99, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.max_halvings = 9, refuses(d, CT_ERR_ARGUMENT);
    d = good, d.recovery_speed = (ct_real)NOT_A_NUMBER, refuses(d, CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_create(&good, &w, NULL), CT_OK);
    ct_world_destroy(w);
    ct_world_destroy(NULL);
}

static void defaults_are_as_documented(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    (void)state;
    assert_true(fabs((double)d.gravity[1] + 9.81) < 1e-6 && d.gravity[0] == 0 && d.gravity[2] == 0);
    assert_true(fabs((double)d.thickness - 1e-3) < 1e-9 && fabs((double)d.friction - 0.4) < 1e-6);
    assert_true(d.restitution == 0 && d.self_collision == 1);
    assert_int_equal(d.broad_phase, CT_BROAD_TREE);
    assert_int_equal(d.stepper, CT_STEPPER_CMR);
    assert_int_equal(d.solver.solver, CT_SOLVER_AUTO);
    assert_true(fabs((double)d.solver.tolerance - 1e-4) < 1e-9);
    assert_int_equal(d.solver.max_iterations, 500);
    assert_int_equal(d.solver.inner_iterations, 200);
    assert_int_equal(d.solver.max_sweeps, 200);
    assert_int_equal(d.solver.inner_repeats, 3);
    assert_int_equal(d.cmr_rounds, 5);
    assert_int_equal(d.max_halvings, 5);
    assert_true(d.recovery_speed == 1);
    assert_int_equal(d.row_mode, CT_ROW_ANTICIPATED);
    assert_int_equal(d.ccd_limits_step, 0);
}

static void bad_steps_are_refused(void **state)
{
    static const double bad[] = {0.0, -0.01, (double)NAN, (double)INFINITY};
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    uint64_t hash;
    size_t i;
    (void)state;
    add_soft_box(w, "a", 0.1, 1, 1e5, 0, 1, 0);
    step_once(w, 0.01);
    hash = ct_world_hash(w);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(ct_world_step(w, (ct_real)bad[i], NULL), CT_ERR_ARGUMENT);
        assert_int_equal(ct_world_error(w)->code, CT_ERR_ARGUMENT);
        assert_true(ct_world_hash(w) == hash);
    }
    assert_int_equal(ct_world_step(NULL, (ct_real)0.01, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
    assert_true(ct_world_hash(w) != hash);
    ct_world_destroy(w);
}

/* a world of one body that must not change, and the ways to add an invalid one */
typedef struct bed {
    ct_world *w;
    uint64_t hash;
} bed;

static bed bed_make(void)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    bed b;
    b.w = world_make(&d);
    add_soft_box(b.w, "first", 0.1, 1, 1e5, 0, 1, 0);
    step_once(b.w, 0.01);
    b.hash = ct_world_hash(b.w);
    return b;
}

static void unchanged(const bed *b, ct_body_id id, ct_code got, ct_code expected, int64_t element)
{
    const ct_error_info *e = ct_world_error(b->w);
    assert_int_equal(got, expected);
    assert_int_equal(e->code, expected);
    if (e->element != element)
        print_message("%s: element %ld, expected %ld\n", e->text, (long)e->element, (long)element);
    assert_int_equal(e->element, element);
    assert_true(strlen(e->text) > 5);
    assert_int_equal(id.index1, 77);
    assert_int_equal(ct_world_body_count(b->w), 1);
    assert_true(ct_world_hash(b->w) == b->hash);
}

static void bad_soft(const bed *b, const ct_soft_desc *d, ct_code expected, int64_t element)
{
    ct_body_id id = {77, 0};
    ct_code code = ct_body_add_soft(b->w, d, &id);
    unchanged(b, id, code, expected, element);
}

static void bad_soft_bodies_are_refused(void **state)
{
    bed b = bed_make();
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1), broken;
    ct_soft_desc good = ct_soft_desc_default(), d;
    ct_real keep;
    int32_t t;
    (void)state;
    good.mesh = &m;
    d = good, d.cookie = 0, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.mesh = NULL, bad_soft(&b, &d, CT_ERR_MESH, -1);
    memset(&broken, 0, sizeof broken);
    d = good, d.mesh = &broken, bad_soft(&b, &d, CT_ERR_MESH, -1);
    broken = m, broken.n_tets = 0;
    d = good, d.mesh = &broken, bad_soft(&b, &d, CT_ERR_MESH, -1);
    /* a vertex that is not finite is named */
    keep = m.positions[3 * 5 + 1];
    m.positions[3 * 5 + 1] = (ct_real)NOT_A_NUMBER, bad_soft(&b, &good, CT_ERR_MESH, 5);
    m.positions[3 * 5 + 1] = keep;
    /* an index out of range names the tet */
    t = m.tets[4 * 7 + 2];
    m.tets[4 * 7 + 2] = m.n_positions, bad_soft(&b, &good, CT_ERR_MESH, 7);
    assert_true(ct_world_error(b.w)->value == m.n_positions);
    m.tets[4 * 7 + 2] = -1, bad_soft(&b, &good, CT_ERR_MESH, 7);
    m.tets[4 * 7 + 2] = t;
    /* an inverted tet, a flat tet */
    t = m.tets[4 * 9];
    m.tets[4 * 9] = m.tets[4 * 9 + 1], m.tets[4 * 9 + 1] = t;
    bad_soft(&b, &good, CT_ERR_MESH, 9);
    assert_true(ct_world_error(b.w)->value < 0);
    m.tets[4 * 9 + 1] = m.tets[4 * 9];
    bad_soft(&b, &good, CT_ERR_MESH, 9);
    assert_true(ct_world_error(b.w)->value == 0);
    m.tets[4 * 9 + 1] = m.tets[4 * 9], m.tets[4 * 9] = t;
    /* materials and scalars */
    d = good, d.material.young = 0, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.material.young = (ct_real)NOT_A_NUMBER, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.material.poisson = (ct_real)0.5, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.material.density = -1, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.material.damping_stiffness = -1, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.material.model = CT_MODEL_MEMBRANE, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.velocity[1] = (ct_real)NOT_A_NUMBER, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.angular_velocity[1] = (ct_real)HUGE_VAL, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.thickness = (ct_real)NOT_A_NUMBER, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.friction = (ct_real)NOT_A_NUMBER, bad_soft(&b, &d, CT_ERR_ARGUMENT, -1);
    ct_mesh_free(&m);
    ct_world_destroy(b.w);
}

static void bad_cloth(const bed *b, const ct_cloth_desc *d, ct_code expected, int64_t element)
{
    ct_body_id id = {77, 0};
    ct_code code = ct_body_add_cloth(b->w, d, &id);
    unchanged(b, id, code, expected, element);
}

static void bad_static(const bed *b, const ct_static_desc *d, ct_code expected, int64_t element)
{
    ct_body_id id = {77, 0};
    ct_code code = ct_body_add_static(b->w, d, &id);
    unchanged(b, id, code, expected, element);
}

static void bad_cloth_and_static_bodies_are_refused(void **state)
{
    bed b = bed_make();
    ct_mesh m = mesh_grid(1, 1, 3, 3), broken;
    ct_cloth_desc good = ct_cloth_desc_default(), d;
    ct_static_desc sgood = ct_static_desc_default(), s;
    int32_t t;
    (void)state;
    good.mesh = &m;
    d = good, d.cookie = 0, bad_cloth(&b, &d, CT_ERR_ARGUMENT, -1);
    memset(&broken, 0, sizeof broken);
    d = good, d.mesh = &broken, bad_cloth(&b, &d, CT_ERR_MESH, -1);
    broken = m, broken.n_triangles = 0;
    d = good, d.mesh = &broken, bad_cloth(&b, &d, CT_ERR_MESH, -1);
    /* a triangle with two equal corners has no area and is named */
    t = m.triangles[3 * 4], m.triangles[3 * 4] = m.triangles[3 * 4 + 1];
    bad_cloth(&b, &good, CT_ERR_MESH, 4);
    m.triangles[3 * 4] = m.n_positions + 3, bad_cloth(&b, &good, CT_ERR_MESH, 4);
    m.triangles[3 * 4] = t;
    d = good, d.material.areal_density = 0, bad_cloth(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.material.shell_thickness = 0, bad_cloth(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.material.bending = -1, bad_cloth(&b, &d, CT_ERR_ARGUMENT, -1);
    d = good, d.material.model = CT_MODEL_NEOHOOKEAN, bad_cloth(&b, &d, CT_ERR_ARGUMENT, -1);
    s = sgood, s.cookie = 0, bad_static(&b, &s, CT_ERR_ARGUMENT, -1);
    s = sgood, s.plane_normal[1] = 0, bad_static(&b, &s, CT_ERR_ARGUMENT, -1);
    s = sgood, s.plane_normal[0] = (ct_real)NOT_A_NUMBER, bad_static(&b, &s, CT_ERR_ARGUMENT, -1);
    s = sgood, s.plane_offset = (ct_real)NOT_A_NUMBER, bad_static(&b, &s, CT_ERR_ARGUMENT, -1);
    s = sgood, s.mesh = &broken, broken.n_positions = 0, bad_static(&b, &s, CT_ERR_MESH, -1);
    t = m.triangles[0], m.triangles[0] = -5;
    s = sgood, s.mesh = &m, bad_static(&b, &s, CT_ERR_MESH, 0);
    m.triangles[0] = t;
    ct_mesh_free(&m);
    ct_world_destroy(b.w);
}

static void stale_ids_and_bad_places_are_refused(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_body_id null = {0, 0}, a = add_soft_box(w, "a", 0.1, 1, 1e5, 0, 1, 0), plane = add_plane(w, 0, 1, 0, 0), b, ids[4];
    ct_real v[3 * 8], S[9] = {1, 0, 0, 0, 2, 0, 0, 0, 1};
    int32_t list[3] = {0, 3, 8};
    const int32_t *tri = NULL;
    double out[3];
    int i, n = -7;
    (void)state;
    memset(v, 0, sizeof v);
    assert_int_equal(ct_body_pin(w, a, list, 3, CT_AXIS_ALL, NULL, -1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_error(w)->element, 2);
    assert_true(ct_world_error(w)->value == 8);
    assert_int_equal(ct_body_pin(w, a, list, 2, 8, NULL, -1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_pin(w, plane, list, 1, CT_AXIS_ALL, NULL, -1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_constrain(w, a, 8, S), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_constrain(w, a, 0, S), CT_ERR_ARGUMENT); /* not a projector */
    v[4] = (ct_real)NOT_A_NUMBER;
    assert_int_equal(ct_body_set_velocities(w, a, v, 8), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_error(w)->element, 1);
    v[4] = 0;
    assert_int_equal(ct_body_set_velocities(w, a, v, 7), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_positions(w, a, out, CT_SCALAR_DOUBLE, 8, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_vertex_count(w, plane), 0);
    assert_string_equal(ct_body_name(w, a), "a");
    assert_int_equal(ct_body_remove(w, a), CT_OK);
    b = add_soft_box(w, "b", 0.1, 1, 1e5, 0, 1, 0);
    assert_false(b.index1 == a.index1 && b.generation == a.generation);
    ids[0] = null, ids[1] = a, ids[2] = b, ids[2].index1 = 1000;
    ids[3] = b, ids[3].index1 = 0xffffffffu;
    for (i = 0; i < 4; i++) {
        uint64_t hash = ct_world_hash(w);
        assert_int_equal(ct_body_remove(w, ids[i]), CT_ERR_STALE_ID);
        assert_int_equal(ct_world_error(w)->code, CT_ERR_STALE_ID);
        assert_int_equal(ct_body_pin(w, ids[i], list, 1, CT_AXIS_ALL, NULL, -1), CT_ERR_STALE_ID);
        assert_int_equal(ct_body_constrain(w, ids[i], 0, S), CT_ERR_STALE_ID);
        assert_int_equal(ct_body_get_positions(w, ids[i], out, CT_SCALAR_DOUBLE, 24, &n), CT_ERR_STALE_ID);
        assert_int_equal(ct_body_get_velocities(w, ids[i], out, CT_SCALAR_DOUBLE, 24, &n), CT_ERR_STALE_ID);
        assert_int_equal(ct_body_set_velocities(w, ids[i], v, 8), CT_ERR_STALE_ID);
        assert_int_equal(ct_body_get_triangles(w, ids[i], &tri, &n), CT_ERR_STALE_ID);
        assert_int_equal(n, -7);
        assert_null(tri);
        assert_int_equal(ct_body_vertex_count(w, ids[i]), 0);
        assert_string_equal(ct_body_name(w, ids[i]), "");
        assert_true(ct_world_hash(w) == hash);
    }
    ct_world_destroy(w);
}

/* ---- bodies come and go ---- */

static void same_bits(const ct_world *w1, ct_body_id b1, const ct_world *w2, ct_body_id b2)
{
    int n1, n2, i;
    double *x1 = read_vectors(w1, b1, 0, &n1), *x2 = read_vectors(w2, b2, 0, &n2);
    double worst = 0;
    assert_int_equal(n1, n2);
    for (i = 0; i < 3 * n1; i++)
        worst = fmax(worst, fabs(x1[i] - x2[i]));
    if (worst > 0)
        print_message("largest difference %g\n", worst);
    assert_memory_equal(x1, x2, sizeof(double) * 3 * (size_t)n1);
    free(x1);
    free(x2);
}

static void removed_bodies_leave_no_trace(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d), *alone = world_make(&d);
    ct_body_id a, b, c, p, only;
    int i;
    (void)state;
    /* w: a and b; a is removed, added and removed again. alone: b only. b moves freely, and has the same bits */
    a = add_soft_box(w, "a", 0.2, 2, 1e5, 3, 0.5, 0);
    b = add_soft_box(w, "b", 0.1, 2, 1e5, 0, 5, 0);
    p = add_plane(w, 0, 1, 0, 0);
    only = add_soft_box(alone, "b", 0.1, 2, 1e5, 0, 5, 0);
    assert_int_equal(ct_world_body_count(w), 3);
    assert_int_equal(ct_body_remove(w, a), CT_OK);
    assert_int_equal(ct_world_body_count(w), 2);
    for (i = 0; i < 5; i++)
        step_once(w, 0.01), step_once(alone, 0.01);
    same_bits(w, b, alone, only);
    c = add_soft_box(w, "c", 0.3, 1, 1e5, 3, 0.5, 0);
    assert_int_equal(ct_body_vertex_count(w, c), 8);
    assert_int_equal(ct_body_vertex_count(w, b), 27);
    same_bits(w, b, alone, only);
    for (i = 0; i < 30; i++)
        step_once(w, 0.01);
    {
        double mc[3], mb[3];
        read_middle(w, c, 0, mc);
        read_middle(w, b, 0, mb);
        assert_true(mc[1] < 0.5 && mc[1] > 0.1 && fabs(mc[0] - 3) < 1e-6); /* it fell to the plane and rests on it */
        assert_true(mb[1] < 5 - 0.5 * 9.81 * 0.35 * 0.35 * 0.99);
    }
    assert_int_equal(ct_body_remove(w, c), CT_OK);
    assert_int_equal(ct_body_remove(w, p), CT_OK);
    assert_int_equal(ct_body_remove(w, b), CT_OK);
    assert_int_equal(ct_world_body_count(w), 0);
    step_once(w, 0.01); /* an empty world steps too */
    assert_int_equal(count_intersections(w), 0);
    ct_world_destroy(w);
    ct_world_destroy(alone);
}

/* a body that rests by friction is not affected when an unrelated one takes a free slot before it */
static void memory_survives_new_bodies(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w;
    ct_body_id a, b;
    double before[3], after[3], speed[3];
    int i;
    (void)state;
    d.gravity[0] = (ct_real)(9.81 * 0.3), d.gravity[1] = (ct_real)-9.81;
    w = world_make(&d);
    a = add_soft_box(w, "a", 0.1, 1, 1e5, 9, 3, 0);
    b = add_soft_box(w, "b", 0.1, 3, 1e5, 0, 0.051, 0);
    add_plane(w, 0, 1, 0, 0);
    assert_int_equal(ct_body_remove(w, a), CT_OK);
    for (i = 0; i < 60; i++)
        step_once(w, 0.01);
    read_middle(w, b, 0, before);
    a = add_soft_box(w, "a", 0.1, 1, 1e5, 9, 3, 0);
    for (i = 0; i < 20; i++)
        step_once(w, 0.01);
    read_middle(w, b, 0, after);
    read_middle(w, b, 1, speed);
    if (fabs(after[0] - before[0]) > 1e-6)
        print_message("a resting body moved by %g, %g when another came\n", after[0] - before[0], after[1] - before[1]);
    assert_true(fabs(after[0] - before[0]) < 1e-6 && fabs(after[1] - before[1]) < 1e-6);
    assert_true(fabs(speed[0]) < 1e-4);
    ct_world_destroy(w);
}

/* ---- pins ---- */

static void pins_follow_their_script(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.4, 0.1, 0.1, 4, 1, 1, 1);
    ct_body_id b = add_soft_mesh(w, "bar", &m, 1e5, 0, 0, 0);
    ct_motion turn;
    int32_t left[4], right[4], one[1];
    int i, k, nl = 0, nr = 0, n;
    double *x0 = read_vectors(w, b, 0, &n), *x, dt = 0.01;
    (void)state;
    for (i = 0; i < n; i++) {
        if (x0[3 * i] < -0.199 && nl < 4)
            left[nl++] = i;
        if (x0[3 * i] > 0.199 && nr < 4)
            right[nr++] = i;
    }
    assert_true(nl == 4 && nr == 4);
    memset(&turn, 0, sizeof turn);
    turn.linear[1] = (ct_real)0.25;
    turn.angular[0] = 2;
    turn.center[1] = (ct_real)0.02;
    assert_int_equal(ct_body_pin(w, b, left, 4, CT_AXIS_ALL, &turn, 0.5), CT_OK);
    assert_int_equal(ct_body_pin(w, b, right, 3, CT_AXIS_ALL, NULL, -1), CT_OK);
    one[0] = right[3];
    assert_int_equal(ct_body_pin(w, b, one, 1, CT_AXIS_Y, NULL, -1), CT_OK);
    for (k = 1; k <= 50; k++) {
        double t = k * dt, c = cos(2 * t), s = sin(2 * t);
        step_once(w, dt);
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < 4; i++) {
            const double *p = x0 + 3 * left[i], *q = x + 3 * left[i];
            double y = p[1] - 0.02, z = p[2];
            assert_true(fabs(q[0] - p[0]) < 1e-12);
            assert_true(fabs(q[1] - (0.02 + c * y - s * z + 0.25 * t)) < 1e-12);
            assert_true(fabs(q[2] - (s * y + c * z)) < 1e-12);
        }
        for (i = 0; i < 3; i++)
            assert_true(fabs(x[3 * right[i]] - x0[3 * right[i]]) < 1e-12 && fabs(x[3 * right[i] + 2] - x0[3 * right[i] + 2]) < 1e-12);
        assert_true(fabs(x[3 * right[3] + 1] - x0[3 * right[3] + 1]) < 1e-12);
        free(x);
    }
    x = read_vectors(w, b, 0, NULL);
    assert_true(fabs(x[3 * right[3]] - x0[3 * right[3]]) + fabs(x[3 * right[3] + 2] - x0[3 * right[3] + 2]) > 1e-9); /* x and z of it are free */
    free(x0);
    x0 = x;
    for (k = 0; k < 20; k++)
        step_once(w, dt);
    x = read_vectors(w, b, 0, NULL);
    for (i = 0; i < 4; i++)
        assert_true(fabs(x[3 * left[i] + 1] - x0[3 * left[i] + 1]) > 1e-3); /* let go at t = 0.5 */
    for (i = 0; i < 3; i++)
        assert_true(fabs(x[3 * right[i] + 1] - x0[3 * right[i] + 1]) < 1e-12);
    free(x);
    free(x0);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* Four beads of a tet on parallel wires along X: they fall with (g . X) X, and never leave the wires [Volino 2000, 2.2: inverse mass X X'/m] */
static void beads_slide_on_wires(void **state)
{
    static const int32_t tet[4] = {0, 1, 2, 3};
    static const double at[12] = {0, 1, 0, 0.1, 1, 0, 0, 1, -0.1, 0, 1.1, 0};
    double X[3] = {0.6, -0.48, 0.64}, gX = 9.81 * 0.48, dt = 0.01;
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m;
    ct_real p[12], S[9];
    ct_body_id b;
    int i, k, j;
    (void)state;
    memset(&m, 0, sizeof m);
    for (i = 0; i < 12; i++)
        p[i] = (ct_real)at[i];
    for (i = 0; i < 9; i++)
        S[i] = (ct_real)(X[i / 3] * X[i % 3]);
    m.positions = p, m.n_positions = 4, m.tets = (int32_t *)(uintptr_t)tet, m.n_tets = 1;
    b = add_soft_mesh(w, "beads", &m, 1e5, 0, 0, 0);
    for (i = 0; i < 4; i++)
        assert_int_equal(ct_body_constrain(w, b, i, S), CT_OK);
    for (k = 1; k <= 100; k++) {
        double t = k * dt, s = 0.5 * gX * t * t, *x, *v;
        step_once(w, dt);
        x = read_vectors(w, b, 0, NULL), v = read_vectors(w, b, 1, NULL);
        for (i = 0; i < 4; i++) {
            double off = 0, along = 0;
            for (j = 0; j < 3; j++)
                along += X[j] * (x[3 * i + j] - at[3 * i + j]);
            for (j = 0; j < 3; j++)
                off = fmax(off, fabs(x[3 * i + j] - at[3 * i + j] - along * X[j]));
            assert_true(off < 1e-12);
            if (fabs(along - s) > 1e-10)
                print_message("step %d: fell %.15g along the wire, %.15g expected\n", k, along, s);
            assert_true(fabs(along - s) <= 1e-10);
            /* the velocity is that of the middle of the step */
            for (j = 0; j < 3; j++)
                assert_true(fabs(v[3 * i + j] - X[j] * gX * (t - dt / 2)) < 1e-9);
        }
        free(x), free(v);
    }
    ct_world_destroy(w);
}

/* one vertex of a swinging bar on a wire, another in a plane */
static void constrained_vertices_stay(void **state)
{
    double X[3] = {0.8, 0.6, 0}, N[3] = {0.6, 0, 0.8};
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_body_id b = add_soft_box(w, "box", 0.3, 2, 1e4, 0, 0, 0);
    ct_real S[9], T[9];
    double *x0 = read_vectors(w, b, 0, NULL), moved = 0;
    int i, k;
    (void)state;
    for (i = 0; i < 9; i++) {
        S[i] = (ct_real)(X[i / 3] * X[i % 3]);
        T[i] = (ct_real)((i % 4 == 0 ? 1 : 0) - N[i / 3] * N[i % 3]);
    }
    assert_int_equal(ct_body_constrain(w, b, 0, S), CT_OK);
    assert_int_equal(ct_body_constrain(w, b, 26, T), CT_OK);
    for (k = 0; k < 100; k++) {
        double *x, dx[3], along = 0, out = 0;
        step_once(w, 0.01);
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < 3; i++)
            dx[i] = x[i] - x0[i], along += dx[i] * X[i];
        for (i = 0; i < 3; i++)
            assert_true(fabs(dx[i] - along * X[i]) < 1e-12);
        for (i = 0; i < 3; i++)
            out += N[i] * (x[78 + i] - x0[78 + i]);
        assert_true(fabs(out) < 1e-12);
        moved = fmax(moved, fabs(along));
        free(x);
    }
    assert_true(moved > 0.1);
    free(x0);
    ct_world_destroy(w);
}

/* a world without bodies, and one in which nothing can move */
static void nothing_moves(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_soft_desc soft = ct_soft_desc_default();
    ct_cloth_desc cloth = ct_cloth_desc_default();
    ct_step_report r;
    (void)state;
    r = step_once(w, 0.01);
    assert_int_equal(r.status, CT_STATUS_OK);
    assert_int_equal(count_intersections(w), 0);
    add_plane(w, 0, 1, 0, 0);
    r = step_once(w, 0.01);
    assert_int_equal(r.substeps, 1);
    assert_int_equal(count_intersections(w), 0);
    assert_true(fabs(ct_world_time(w) - 0.02) < 1e-15);
    assert_int_equal(ct_world_dump_problem(w, "never.cpb"), CT_ERR_ARGUMENT);
    /* no meshes */
    assert_int_equal(ct_body_add_soft(w, &soft, NULL), CT_ERR_MESH);
    assert_int_equal(ct_body_add_cloth(w, &cloth, NULL), CT_ERR_MESH);
    assert_int_equal(ct_world_body_count(w), 1);
    ct_world_destroy(w);
}

/* A vertex on the plane x + y = const whose x is scripted moves along (1, -1, 0) with it and freely along z. A direction that was rounded to float
   holds just as well */
static void directions_meet_pins(void **state)
{
    double h = sqrt(0.5), dt = 0.01;
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w;
    ct_body_id b;
    ct_motion push;
    ct_real S[9];
    int32_t one[1] = {3};
    int i, k;
    (void)state;
    d.gravity[1] = 0, d.gravity[2] = (ct_real)-9.81;
    w = world_make(&d);
    b = add_soft_box(w, "box", 0.3, 2, 1e4, 0, 0, 0);
    for (i = 0; i < 9; i++)
        S[i] = (ct_real)(float)(i == 8 || i == 0 || i == 4 ? (i == 8 ? 1 : 1 - h * h) : (i == 1 || i == 3 ? -h * h : 0));
    S[0] += (ct_real)1e-6;
    memset(&push, 0, sizeof push);
    push.linear[0] = (ct_real)0.2;
    assert_int_equal(ct_body_constrain(w, b, 3, S), CT_OK);
    assert_int_equal(ct_body_pin(w, b, one, 1, CT_AXIS_X, &push, -1), CT_OK);
    {
        double *x0 = read_vectors(w, b, 0, NULL);
        for (k = 1; k <= 40; k++) {
            double *x;
            step_once(w, dt);
            x = read_vectors(w, b, 0, NULL);
            assert_true(fabs(x[9] - x0[9] - 0.2 * k * dt) < 1e-6 * k * dt);
            assert_true(fabs(x[10] - x0[10] + 0.2 * k * dt) < 1e-5 * k * dt);
            if (k == 40)
                assert_true(x[11] - x0[11] < -0.01);
            free(x);
        }
        free(x0);
    }
    ct_world_destroy(w);
}

/* ---- memory that runs out ---- */

typedef struct sweep {
    books b;
    ct_world *w;
    ct_body_id soft, cloth, mesh, plane, crate;
    ct_mesh box, sheet, roof, cube;
    int64_t failures; /* calls that returned CT_ERR_MEMORY */
} sweep;

enum { SWEEP_OPS = 18 };

static ct_code sweep_add_soft(sweep *s)
{
    ct_soft_desc d = ct_soft_desc_default();
    d.mesh = &s->box, d.material.young = (ct_real)1e5;
    return ct_body_add_soft(s->w, &d, &s->soft);
}

static ct_code sweep_add_cloth(sweep *s)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    d.mesh = &s->sheet;
    return ct_body_add_cloth(s->w, &d, &s->cloth);
}

static ct_code sweep_add_static(sweep *s, int plane)
{
    ct_static_desc d = ct_static_desc_default();
    d.mesh = plane ? NULL : &s->roof;
    return ct_body_add_static(s->w, &d, plane ? &s->plane : &s->mesh);
}

static ct_code sweep_add_crate(sweep *s)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    d.mesh = &s->cube;
    return ct_body_add_rigid(s->w, &d, &s->crate);
}

/* the crate is attached to the world, the cloth to the crate */
static ct_code sweep_join(sweep *s, int stitch)
{
    ct_joint_desc d = ct_joint_desc_default(stitch ? CT_JOINT_STITCH : CT_JOINT_HINGE);
    ct_joint_id id;
    d.a.body = s->crate;
    d.point[0] = d.point[1] = (ct_real)0.3;
    if (stitch)
        d.point[0] = d.point[1] = 0, d.b.body = s->cloth, d.a.vertices[0] = 0, d.b.vertices[0] = 8, d.compliance = (ct_real)1e-2;
    return ct_joint_add(s->w, &d, &id);
}

static ct_code sweep_op(sweep *s, int op)
{
    static const int32_t corner[2] = {0, 2};
    static const ct_real along_x[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0};
    const ct_contact *contacts;
    ct_pair *pairs;
    int n;
    switch (op) {
    case 0: return sweep_add_soft(s);
    case 1: return sweep_add_cloth(s);
    case 2: return sweep_add_static(s, 0);
    case 3: return sweep_add_static(s, 1);
    case 4: return ct_body_pin(s->w, s->cloth, corner, 2, CT_AXIS_ALL, NULL, -1);
    case 5: return ct_body_constrain(s->w, s->cloth, 6, along_x);
    case 6: return ct_world_step(s->w, (ct_real)0.01, NULL);
    case 7: return ct_world_step(s->w, (ct_real)0.01, NULL);
    case 8: return ct_world_validate(s->w, &pairs, &n);
    case 9: return ct_world_contacts(s->w, &contacts, &n);
    case 10: return ct_world_step(s->w, (ct_real)0.005, NULL);
    case 11: return ct_body_remove(s->w, s->mesh);
    case 12: return sweep_add_static(s, 0);
    case 13: return sweep_add_crate(s);
    case 14: return sweep_join(s, 0);
    case 15: return sweep_join(s, 1);
    case 16: return ct_world_step(s->w, (ct_real)0.01, NULL);
    default: return ct_world_step(s->w, (ct_real)0.01, NULL);
    }
}

/* One run over all operations in which allocation k fails (and with `on` all later ones until a call has reported it). Returns 1 if k was reached.
   A failed operation leaves the world unchanged and works at once when it is tried again. */
static int sweep_run(sweep *s, int64_t k, int on, int64_t *out_calls, double *end)
{
    ct_world_desc d = world_desc(2e-3, 0.5, &s->b);
    int op, n;
    ct_code code;
    memset(&s->b, 0, sizeof s->b);
    s->b.fail_at = k, s->b.fail_on = on;
    s->w = NULL;
    code = ct_world_create(&d, &s->w, NULL);
    if (code != CT_OK) {
        assert_int_equal(code, CT_ERR_MEMORY);
        assert_null(s->w);
        assert_int_equal(s->b.blocks, 0);
        s->failures++;
        s->b.fail_at = 0;
        assert_int_equal(ct_world_create(&d, &s->w, NULL), CT_OK);
    }
    for (op = 0; op < SWEEP_OPS; op++) {
        uint64_t hash = ct_world_hash(s->w);
        int bodies = ct_world_body_count(s->w);
        code = sweep_op(s, op);
        if (code == CT_OK)
            continue;
        if (code != CT_ERR_MEMORY || ct_world_hash(s->w) != hash || ct_world_body_count(s->w) != bodies)
            print_message("operation %d with allocation %ld refused: code %d (%s), hash %s\n", op, (long)k, (int)code, ct_world_error(s->w)->text,
                          ct_world_hash(s->w) == hash ? "kept" : "changed");
        assert_int_equal(code, CT_ERR_MEMORY);
        assert_int_equal(ct_world_error(s->w)->code, CT_ERR_MEMORY);
        assert_true(s->b.refused > 0);
        assert_true(ct_world_hash(s->w) == hash);
        assert_int_equal(ct_world_body_count(s->w), bodies);
        s->failures++;
        s->b.fail_at = 0;
        code = sweep_op(s, op);
        if (code != CT_OK)
            print_message("operation %d tried again after allocation %ld: %s\n", op, (long)k, ct_world_error(s->w)->text);
        assert_int_equal(code, CT_OK);
    }
    for (op = n = 0; op < 3; op++) {
        read_middle(s->w, s->soft, 0, end);
        read_middle(s->w, s->cloth, 0, end + 3);
    }
    *out_calls = s->b.calls;
    ct_world_destroy(s->w);
    assert_int_equal(s->b.blocks, 0);
    assert_int_equal(s->b.live, 0);
    assert_int_equal(s->b.wrong, 0);
    return s->b.refused > 0;
}

/* a heap that comes to rest: box, cloth and crate on a plane, under one of the integrators; nodes: box and cloth are split into nodes */
static ct_world *heap_world(books *b, ct_integrator integrator, int nodes)
{
    ct_world_desc d = world_desc(2e-3, 0.5, b);
    ct_mesh sheet = mesh_grid(0.3, 0.3, 6, 6), cube = mesh_box(0.08, 0.08, 0.08, 2, 2, 2, 0);
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_body_id id;
    ct_world *w;
    d.integrator = integrator;
    if (nodes)
        d.solver.cluster = CT_CLUSTER_NODE;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "box", 0.1, 2, 1e5, 0, 0.06, 0);
    mesh_place(&sheet, 0, 0.01, 0.13, 0.01);
    add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.2);
    mesh_place(&cube, 0.1, 0.02, 0.2, 0);
    r.mesh = &cube, r.density = 300;
    assert_int_equal(ct_body_add_rigid(w, &r, &id), CT_OK);
    ct_mesh_free(&sheet), ct_mesh_free(&cube);
    return w;
}

/* a step that ran out of memory, tried again, gives the bits that it would have given at once, and so do all later ones */
static void a_refused_step_leaves_no_trace(void **state)
{
    enum { STEPS = PLAIN_OR(25, 12), BY = PLAIN_OR(1, 5) };
    int i, k, fail;
    (void)state;
    for (i = 0; i < 4; i++) { /* Euler twice, the second time by nodes */
        uint64_t want[STEPS];
        int refused = 0, differ = 0;
        for (fail = 0; fail < 9; fail += fail ? BY : 1) {
            books b;
            ct_world *w;
            memset(&b, 0, sizeof b);
            w = heap_world(&b, (ct_integrator)(i % 3), i == 3);
            for (k = 0; k < STEPS; k++) {
                b.fail_at = fail ? b.calls + fail : 0, b.fail_on = 1;
                if (ct_world_step(w, (ct_real)0.01, NULL) != CT_OK) {
                    refused++;
                    b.fail_at = 0;
                    step_once(w, 0.01);
                }
                b.fail_at = 0;
                if (fail == 0)
                    want[k] = ct_world_hash(w);
                else
                    differ += ct_world_hash(w) != want[k];
            }
            ct_world_destroy(w);
            assert_int_equal(b.blocks, 0);
        }
        print_message("integrator %d%s: %d steps refused, %d end differently\n", i % 3, i == 3 ? ", nodes" : "", refused, differ);
        assert_true(refused > PLAIN_OR(30, 3));
        assert_int_equal(differ, 0);
    }
}

static ct_world *empty_world(void)
{
    ct_world_desc d = world_desc(2e-3, 0.5, NULL);
    return world_make(&d);
}

/* Pins that are set anew at every step take no more memory than pins that stay, and both follow their own paths */
static void pins_do_not_pile_up(void **state)
{
    static const int32_t both[2] = {0, 1}, second = 1;
    ct_world *w = empty_world(), *twin = empty_world();
    ct_body_id first = add_soft_box(w, "first", 0.1, 1, 1e5, 1, 0, 0), b = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0, 0);
    ct_body_id other = add_soft_box(twin, "box", 0.1, 1, 1e5, 0, 0, 0);
    ct_motion_segment path[3];
    int64_t calls, bytes[2] = {0, 0};
    double *x, *y;
    int i, n;
    (void)state;
    memset(path, 0, sizeof path);
    for (i = 0; i < 2000; i++) {
        path[0].motion.linear[0] = (ct_real)(i % 7), path[0].duration = 0.01, path[1].motion.linear[1] = 1, path[1].duration = -1;
        assert_int_equal(ct_body_pin_path(w, b, both, 2, CT_AXIS_ALL, path, 2, i % 2 ? -1 : 1e-3 * i), CT_OK);
        assert_int_equal(ct_body_pin_path(w, first, both, 1, CT_AXIS_X, path, 1, -1), CT_OK);
        if (i == 20 || i == 1999)
            ct_world_allocations(w, &calls, &bytes[i > 20]);
    }
    assert_true(bytes[0] == bytes[1]);
    /* the axes of one of the nodes are replaced in part; the rest continues */
    path[0].motion.linear[0] = 0, path[0].motion.linear[2] = 2, path[0].duration = -1;
    assert_int_equal(ct_body_pin_path(w, b, &second, 1, CT_AXIS_Z, path, 1, -1), CT_OK);
    path[0].motion.linear[2] = 0, path[0].motion.linear[0] = (ct_real)(1999 % 7), path[0].duration = 0.01;
    assert_int_equal(ct_body_pin_path(twin, other, both, 2, CT_AXIS_ALL, path, 2, -1), CT_OK);
    path[0].motion.linear[0] = 0, path[0].motion.linear[2] = 2, path[0].duration = -1;
    assert_int_equal(ct_body_pin_path(twin, other, &second, 1, CT_AXIS_Z, path, 1, -1), CT_OK);
    assert_int_equal(ct_body_remove(w, first), CT_OK);
    for (i = 0; i < 10; i++)
        step_once(w, 0.01), step_once(twin, 0.01);
    x = read_vectors(w, b, 0, &n), y = read_vectors(twin, other, 0, &n);
    assert_memory_equal(x, y, sizeof(double) * 3 * (size_t)n);
    assert_true(x[5] > 0.1); /* and the second node moved along z, too */
    free(x), free(y);
    ct_world_destroy(w), ct_world_destroy(twin);
}

static void memory_may_run_out_anywhere(void **state)
{
    enum { BY = PLAIN_OR(1, 29) };
    sweep s;
    int64_t k, calls = 0, total = 0;
    double end[6], base[6];
    int on, i, quiet = 0;
    (void)state;
    memset(&s, 0, sizeof s);
    s.box = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    mesh_place(&s.box, 0, 0, 0.0515, 0);
    s.sheet = mesh_grid(0.2, 0.2, 2, 2);
    mesh_place(&s.sheet, 0, 0.01, 0.1045, 0.01);
    s.roof = mesh_grid(0.3, 0.3, 1, 1);
    mesh_place(&s.roof, 0, 0, 0.4, 0);
    s.cube = mesh_box(0.05, 0.05, 0.05, 1, 1, 1, 0);
    mesh_place(&s.cube, 0, 0.25, 0.3, 0);
    sweep_run(&s, 0, 0, &total, base);
    for (on = 0; on < 2; on++)
        for (k = 1 + on * (BY / 2); sweep_run(&s, k, on, &calls, end); k += BY)
            for (i = 0; i < 6; i++)
                assert_true(fabs(end[i] - base[i]) < 1e-6);
    assert_true(k > total); /* in the last run of the sweep no allocation failed */
    quiet = (int)(2 * total / BY - s.failures);
    print_message("%ld allocations, %ld refusals led to CT_ERR_MEMORY, %d did not need to\n", (long)total, (long)s.failures, quiet);
    assert_true(s.failures > total / BY); /* most failures have to be reported */
    ct_mesh_free(&s.box), ct_mesh_free(&s.sheet), ct_mesh_free(&s.roof), ct_mesh_free(&s.cube);
}

static void warm_steps(ct_broad_phase broad_phase)
{
    books b;
    ct_world_desc d = world_desc(1e-3, 0.5, &b);
    ct_world *w;
    int64_t calls, own, before;
    int i, contacts = 0;
    memset(&b, 0, sizeof b);
    d.broad_phase = broad_phase;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "lower", 0.2, 3, 1e5, 0, 0.1012, 0);
    add_soft_box(w, "upper", 0.1, 2, 1e5, 0.02, 0.2524, 0.01);
    for (i = 0; i < 60; i++)
        step_once(w, 0.01);
    calls = b.calls;
    ct_world_allocations(w, &before, NULL);
    for (i = 0; i < 50; i++)
        contacts += step_once(w, 0.01).contacts;
    ct_world_allocations(w, &own, NULL);
    assert_true(contacts > 50 * 20);
    assert_int_equal(own - before, 0);
    assert_int_equal(b.calls - calls, 0);
    ct_world_destroy(w);
    assert_int_equal(b.blocks, 0);
    assert_int_equal(b.wrong, 0);
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    warm_steps(CT_BROAD_TREE);
    warm_steps(CT_BROAD_HASH);
}

static void allocations_are_counted(void **state)
{
    books b;
    ct_world_desc d = world_desc(1e-3, 0.5, &b);
    ct_world *w;
    int64_t calls, bytes;
    (void)state;
    memset(&b, 0, sizeof b);
    w = world_make(&d);
    add_soft_box(w, "a", 0.2, 2, 1e5, 0, 1, 0);
    step_once(w, 0.01);
    ct_world_allocations(w, &calls, &bytes);
    assert_int_equal(bytes, b.live);
    assert_true(calls == b.calls || calls == b.calls - 1); /* the world itself may be allocated before the allocator counts */
    ct_world_destroy(w);
}

/* ---- same bits ---- */

static ct_world *small_scene(void)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_mesh sheet = mesh_grid(0.5, 0.5, 6, 6);
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "a", 0.1, 2, 1e5, 0, 0.07, 0);
    add_soft_box(w, "b", 0.1, 2, 1e5, 0.03, 0.19, 0.02);
    mesh_place(&sheet, 0, 0, 0.27, 0);
    add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.2);
    ct_mesh_free(&sheet);
    return w;
}

static void same_input_same_bits(void **state)
{
    ct_world *a = small_scene(), *b = small_scene(), *c;
    uint64_t hash[40];
    int i, contacts = 0;
    (void)state;
    for (i = 0; i < 40; i++) {
        contacts += step_once(a, 0.01).contacts;
        hash[i] = ct_world_hash(a);
    }
    assert_true(contacts > 100);
    ct_world_destroy(a);
    /* two worlds in turn, one of which is queried in between */
    c = small_scene();
    for (i = 0; i < 40; i++) {
        const ct_contact *list;
        int n;
        step_once(b, 0.01);
        step_once(c, 0.01);
        assert_int_equal(ct_world_contacts(c, &list, &n), CT_OK);
        assert_int_equal(count_intersections(c), 0);
        assert_true(ct_world_hash(b) == hash[i]);
        assert_true(ct_world_hash(c) == hash[i]);
    }
    ct_world_destroy(b);
    ct_world_destroy(c);
}

/* Soft bodies, one of them fast, a cloth and a static mesh: the same bits by trees and by the hash, also after a body was removed */
static void broad_phases_give_the_same_run(void **state)
{
    ct_world *w[2];
    ct_body_id fast[2];
    int i, k, contacts = 0, candidates = 0;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_mesh sheet = mesh_grid(0.5, 0.5, 12, 12), block = mesh_box(0.3, 0.1, 0.3, 3, 1, 3, 0);
        ct_static_desc s = ct_static_desc_default();
        ct_body_id id;
        d.broad_phase = k ? CT_BROAD_HASH : CT_BROAD_TREE;
        w[k] = world_make(&d);
        add_plane(w[k], 0, 1, 0, 0);
        mesh_place(&block, 0, 0, 0.05, 0);
        s.mesh = &block;
        assert_int_equal(ct_body_add_static(w[k], &s, &id), CT_OK);
        add_soft_box(w[k], "lower", 0.2, 3, 1e5, 0, 0.2025, 0);
        add_soft_box(w[k], "upper", 0.1, 2, 1e5, 0.04, 0.354, 0.02);
        mesh_place(&sheet, 0.05, 0, 0.42, 0);
        add_cloth_mesh(w[k], "sheet", &sheet, CT_MODEL_MEMBRANE, 0.3);
        ct_mesh_free(&sheet);
        sheet = mesh_box(0.08, 0.08, 0.08, 2, 2, 2, 1);
        mesh_place(&sheet, 0.4, -0.5, 0.25, 0);
        fast[k] = add_soft_mesh(w[k], "fast", &sheet, 2e5, 8, 0, 0);
        ct_mesh_free(&sheet), ct_mesh_free(&block);
    }
    for (i = 0; i < 30; i++) {
        ct_step_report r[2];
        for (k = 0; k < 2; k++) {
            if (i == 22)
                assert_int_equal(ct_body_remove(w[k], fast[k]), CT_OK);
            r[k] = step_once(w[k], 0.01);
            assert_int_equal(count_intersections(w[k]), 0);
        }
        assert_true(ct_world_hash(w[0]) == ct_world_hash(w[1]));
        assert_int_equal(r[0].candidates, r[1].candidates);
        contacts += r[0].contacts, candidates += r[0].candidates;
    }
    assert_true(contacts > 300 && candidates > 1000);
    ct_world_destroy(w[0]);
    ct_world_destroy(w[1]);
}

/* a block shot at a sheet whose triangles all exist twice: a collision that CCD finds twice gets one row, as on a sheet without duplicates */
static void faces_given_twice_count_once(void **state)
{
    int k, rows[2] = {0, 0};
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_world *w = world_make(&d);
        ct_mesh sheet = mesh_grid(0.5, 0.5, 3, 3), twice, block = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
        ct_static_desc s = ct_static_desc_default();
        ct_body_id id;
        int32_t faces[2 * 3 * 18];
        assert_int_equal(sheet.n_triangles, 18);
        memcpy(faces, sheet.triangles, sizeof faces / 2), memcpy(faces + 54, sheet.triangles, sizeof faces / 2);
        twice = sheet;
        twice.triangles = faces, twice.n_triangles = 18 * (k + 1);
        s.mesh = &twice;
        assert_int_equal(ct_body_add_static(w, &s, &id), CT_OK);
        mesh_place(&block, 0.3, 0.01, 0.14, 0.02);
        add_soft_mesh(w, "block", &block, 1e6, 0, -10, 0);
        rows[k] = step_once(w, 0.01).rows;
        assert_int_equal(count_intersections(w), 0);
        ct_mesh_free(&sheet), ct_mesh_free(&block);
        ct_world_destroy(w);
    }
    assert_true(rows[0] > 0);
    assert_int_equal(rows[0], rows[1]);
}

/* ---- starts that intersect ---- */

static void tangled_starts_go_on(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id a = add_soft_box(w, "a", 0.1, 2, 1e5, 0, 0.06, 0), b = add_soft_box(w, "b", 0.1, 2, 1e5, 0.06, 0.09, 0.013);
    ct_pair *pairs = NULL;
    int n = 0, i, k;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
    assert_true(n > 0);
    for (i = 0; i < n; i++) {
        ct_body_id p = pairs[i].body_a, q = pairs[i].body_b;
        assert_int_equal(pairs[i].kind, CT_PAIR_EF);
        assert_true((p.index1 == a.index1 && q.index1 == b.index1) || (p.index1 == b.index1 && q.index1 == a.index1));
        for (k = 0; k < 2; k++)
            assert_true(pairs[i].vertices_a[k] >= 0 && pairs[i].vertices_a[k] < 27);
        for (k = 0; k < 3; k++)
            assert_true(pairs[i].vertices_b[k] >= 0 && pairs[i].vertices_b[k] < 27);
        assert_int_equal(pairs[i].vertices_a[2], -1);
    }
    for (i = 0; i < 100; i++) {
        ct_step_report r = step_once(w, 0.01);
        double *x;
        assert_true(i > 0 || r.tangled > 0);
        for (k = 0; k < 2; k++) {
            int nv, j;
            x = read_vectors(w, k ? a : b, 0, &nv);
            for (j = 0; j < 3 * nv; j++)
                assert_true(isfinite(x[j]) && fabs(x[j]) < 2);
            for (j = 0; j < nv; j++)
                assert_true(x[3 * j + 1] > 0);
            free(x);
        }
    }
    ct_world_destroy(w);
}

/* a vertex below a plane is named too */
static void sunken_starts_are_named(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id a = add_soft_box(w, "a", 0.1, 1, 1e5, 0, 0.04, 0), p = add_plane(w, 0, 1, 0, 0);
    ct_pair *pairs = NULL;
    int n = 0, i;
    (void)state;
    assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
    assert_int_equal(n, 4);
    for (i = 0; i < n; i++) {
        assert_int_equal(pairs[i].kind, CT_PAIR_PLANE);
        assert_int_equal(pairs[i].body_a.index1, a.index1);
        assert_int_equal(pairs[i].body_b.index1, p.index1);
        assert_true(fabs((double)pairs[i].distance + 0.01) < 1e-12);
    }
    for (i = 0; i < 50; i++)
        step_once(w, 0.01);
    assert_true(isfinite((double)step_once(w, 0.01).center_of_mass[1]));
    ct_world_destroy(w);
}

static void contacts_are_listed(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id a = add_soft_box(w, "a", 0.1, 2, 1e5, 0, 0.052, 0), p = add_plane(w, 0, 1, 0, 0);
    const ct_contact *c = NULL;
    int n = -1, i;
    (void)state;
    assert_int_equal(ct_world_contacts(w, NULL, &n), CT_ERR_ARGUMENT);
    for (i = 0; i < 60; i++)
        step_once(w, 0.01);
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    assert_int_equal(n, 9);
    for (i = 0; i < n; i++) {
        assert_int_equal(c[i].kind, CT_PAIR_PLANE);
        assert_int_equal(c[i].body_a.index1, a.index1);
        assert_int_equal(c[i].body_b.index1, p.index1);
        assert_true(c[i].impulse_normal > 0 && fabs((double)c[i].normal[1] - 1) < 1e-12);
        assert_true(fabs((double)c[i].gap) < 1e-5);
        assert_true(c[i].weights_a[0] == 1 && c[i].vertices_a[1] == -1);
        assert_true(hypot((double)c[i].impulse_tangent[0], (double)c[i].impulse_tangent[1]) <= 0.4 * (double)c[i].impulse_normal * (1 + 1e-9));
    }
    ct_world_destroy(w);
}

/* the dumped problem is the step's: its matrix, and the multipliers and velocities that solve it; written twice over itself */
static void problems_are_dumped(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_problem *q = NULL;
    cti_judgement j;
    double *work, most = 0;
    int i, turn;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "box", 0.1, 2, 1e5, 0, 0.0512, 0);
    add_soft_box(w, "upper", 0.1, 1, 1e5, 0.01, 0.1526, 0);
    for (i = 0; i < 20; i++)
        step_once(w, 0.01);
    for (turn = 0; turn < 2; turn++)
        assert_int_equal(ct_world_dump_problem(w, "test_world.cpb"), CT_OK);
    assert_int_equal(ct_problem_read("test_world.cpb", &q, NULL), CT_OK);
    assert_true(q->program.n > 3 * (27 + 8)); /* rows' compliances are unknowns, too */
    assert_true(q->program.m >= 3 * (9 + 4) && q->program.known.x && q->program.known.r);
    work = (double *)calloc(3 * (size_t)(q->program.n + q->program.m), sizeof *work);
    assert_non_null(work);
    cti_program_judge(&q->program, q->program.known.x, q->program.known.r, work, &j);
    for (i = 0; i < q->program.m; i++)
        most = fmax(most, q->program.known.r[i]);
    print_message("dumped: dynamics %g, natural map %g, largest multiplier %g N s\n", j.dynamics, j.natural, most);
    assert_true(most > 1e-4 && j.dynamics < 2e-4 && j.natural < 2e-4);
    free(work);
    ct_problem_free(q);
    ct_world_destroy(w);
    remove("test_world.cpb");
}

/* an embedded surface: vertices are the surface's, pins and velocities act through nodes, and both move together */
static void embedded_bodies_count_nodes(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_mesh ball, tets;
    ct_soft_desc s = ct_soft_desc_default();
    ct_body_id id;
    ct_real *v, x0[3], x1[3];
    ct_world *w;
    int i, n, nodes;
    (void)state;
    memset(&ball, 0, sizeof ball);
    memset(&tets, 0, sizeof tets);
    assert_int_equal(ct_mesh_sphere((ct_real)0.2, 1, &ball, NULL), CT_OK);
    assert_int_equal(ct_mesh_tetrahedralize(&ball, (ct_real)0.15, &tets, NULL), CT_OK);
    memset(d.gravity, 0, sizeof d.gravity);
    w = world_make(&d);
    s.mesh = &tets, s.surface = &ball;
    assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
    n = ct_body_vertex_count(w, id), nodes = ct_body_node_count(w, id);
    assert_int_equal(n, ball.n_positions);
    assert_int_equal(nodes, tets.n_positions);
    assert_int_not_equal(n, nodes);
    v = (ct_real *)calloc(3 * (size_t)nodes, sizeof *v);
    for (i = 0; i < nodes; i++)
        v[3 * i] = 1;
    assert_int_equal(ct_body_set_velocities(w, id, v, n), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_velocities(w, id, v, nodes), CT_OK);
    memcpy(x0, ball.positions, sizeof x0);
    assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
    {
        ct_real *x = (ct_real *)calloc(3 * (size_t)n, sizeof *x);
        assert_int_equal(ct_body_get_positions(w, id, x, sizeof(ct_real) == 4 ? CT_SCALAR_FLOAT : CT_SCALAR_DOUBLE, 3 * sizeof *x, NULL), CT_OK);
        memcpy(x1, x, sizeof x1);
        free(x);
    }
    assert_true(fabs((double)(x1[0] - x0[0]) - 0.01) < 1e-6 && fabs((double)(x1[1] - x0[1])) < 1e-6);
    free(v);
    ct_world_destroy(w);
    ct_mesh_free(&ball);
    ct_mesh_free(&tets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stepper_takes_its_defaults),
        cmocka_unit_test(creation_is_checked),
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(bad_steps_are_refused),
        cmocka_unit_test(bad_soft_bodies_are_refused),
        cmocka_unit_test(bad_cloth_and_static_bodies_are_refused),
        cmocka_unit_test(stale_ids_and_bad_places_are_refused),
        cmocka_unit_test(removed_bodies_leave_no_trace),
        cmocka_unit_test(memory_survives_new_bodies),
        cmocka_unit_test(pins_follow_their_script),
        cmocka_unit_test(beads_slide_on_wires),
        cmocka_unit_test(constrained_vertices_stay),
        cmocka_unit_test(nothing_moves),
        cmocka_unit_test(directions_meet_pins),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_refused_step_leaves_no_trace),
        cmocka_unit_test(pins_do_not_pile_up),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(allocations_are_counted),
        cmocka_unit_test(same_input_same_bits),
        cmocka_unit_test(broad_phases_give_the_same_run),
        cmocka_unit_test(faces_given_twice_count_once),
        cmocka_unit_test(tangled_starts_go_on),
        cmocka_unit_test(sunken_starts_are_named),
        cmocka_unit_test(contacts_are_listed),
        cmocka_unit_test(problems_are_dumped),
        cmocka_unit_test(embedded_bodies_count_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
