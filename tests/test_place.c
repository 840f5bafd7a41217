/* test_place.c -- the smallest program, and placement of bodies: ids and descriptions that may be NULL, planes, position and rotation of
   each kind of body against a mesh transformed beforehand, and refusals. */
#include "world_util.h"

/* a rotation about a general axis, not of unit length, and a position that is not exact in any rounding */
static const ct_real turn[4] = {(ct_real)1.3, (ct_real)-0.4, (ct_real)0.7, (ct_real)0.2};
static const ct_real place[3] = {(ct_real)0.3, (ct_real)1.7, (ct_real)-0.9};

#define PUT(d) (memcpy((d).position, place, sizeof place), memcpy((d).rotation, turn, sizeof turn))

static void nothing_is_needed(void **state)
{
    ct_world *a = NULL, *b = NULL;
    ct_world_desc d = ct_world_desc_default();
    ct_mesh cube = mesh_box(1, 1, 1, 2, 2, 2, 1), crate = mesh_box(1, 1, 1, 1, 1, 1, 0), sheet = mesh_grid(1, 1, 2, 2);
    ct_soft_desc soft = ct_soft_desc_default();
    ct_cloth_desc cloth = ct_cloth_desc_default();
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_kinematic_desc kinematic = ct_kinematic_desc_default();
    ct_static_desc fixed = ct_static_desc_default();
    ct_joint_desc joint = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id joint_id;
    ct_body_id id;
    (void)state;
    soft.mesh = &cube, cloth.mesh = fixed.mesh = &sheet, rigid.mesh = kinematic.mesh = &crate;
    soft.position[1] = 1, cloth.position[1] = 4, rigid.position[1] = 6, kinematic.position[0] = 5, kinematic.position[1] = 1,
    fixed.position[0] = -5;
    fixed.position[1] = 1;
    assert_int_equal(ct_world_create(NULL, &a, NULL), CT_OK);
    assert_int_equal(ct_world_create(&d, &b, NULL), CT_OK);
    assert_int_equal(ct_body_add_plane(a, NULL, 0, NULL), CT_OK);
    assert_int_equal(ct_body_add_plane(b, NULL, 0, &id), CT_OK);
    assert_string_equal(ct_body_name(b, id), "plane");
    assert_int_equal(ct_body_add_soft(a, &soft, NULL), CT_OK);
    assert_int_equal(ct_body_add_soft(b, &soft, &id), CT_OK);
    assert_int_equal(ct_body_add_cloth(a, &cloth, NULL), CT_OK);
    assert_int_equal(ct_body_add_cloth(b, &cloth, &id), CT_OK);
    assert_int_equal(ct_body_add_rigid(a, &rigid, NULL), CT_OK);
    assert_int_equal(ct_body_add_rigid(b, &rigid, &id), CT_OK);
    assert_int_equal(ct_body_add_kinematic(a, &kinematic, NULL), CT_OK);
    assert_int_equal(ct_body_add_kinematic(b, &kinematic, &id), CT_OK);
    assert_int_equal(ct_body_add_static(a, &fixed, NULL), CT_OK);
    assert_int_equal(ct_body_add_static(b, &fixed, &id), CT_OK);
    assert_int_equal(ct_world_body_count(a), 6);
    assert_int_equal(id.index1, 6);
    /* a joint's id may be NULL, too: the crate is attached to the world */
    joint.a.body.index1 = 4, joint.a.body.generation = id.generation;
    joint.point[1] = 6;
    assert_int_equal(ct_joint_add(a, &joint, NULL), CT_OK);
    assert_int_equal(ct_joint_add(b, &joint, &joint_id), CT_OK);
    step_once(a, 0.01), step_once(b, 0.01);
    assert_true(ct_world_hash(a) == ct_world_hash(b));
    ct_world_destroy(a), ct_world_destroy(b);
    ct_mesh_free(&cube), ct_mesh_free(&crate), ct_mesh_free(&sheet);
}

/* all forms of the version agree */
static void versions_agree(void **state)
{
    const ct_library_info *info = ct_library_info_get();
    char text[40];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", info->version_major, info->version_minor, info->version_patch);
    assert_string_equal(text, CT_VERSION_STRING);
    assert_int_equal(10000 * info->version_major + 100 * info->version_minor + info->version_patch, CT_VERSION);
}

/* a body of each kind but rigid, far from one another; placed 1: the world places them, 0: the meshes were transformed */
static ct_world *scene(int placed)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_mesh cube = mesh_box(1, 1, 1, 2, 2, 2, 1), skin = mesh_box(0.8, 0.8, 0.8, 3, 3, 3, 0), sheet = mesh_grid(1, 1, 3, 3),
            wall = mesh_grid(1, 1, 1, 1);
    ct_mesh late = mesh_grid(1, 1, 1, 1);
    ct_soft_desc soft = ct_soft_desc_default();
    ct_cloth_desc cloth = ct_cloth_desc_default();
    ct_kinematic_desc arm = ct_kinematic_desc_default();
    ct_static_desc fixed = ct_static_desc_default();
    ct_mesh *all[5];
    ct_real keys[24];
    int i;
    all[0] = &cube, all[1] = &skin, all[2] = &sheet, all[3] = &wall, all[4] = &late;
    for (i = 0; i < 12; i++)
        late.positions[i] += (ct_real)0.3;
    for (i = 0; i < 5 && !placed; i++)
        assert_int_equal(ct_mesh_transform(all[i], NULL, turn, place, NULL), CT_OK);
    memcpy(keys, wall.positions, 12 * sizeof(ct_real));
    memcpy(keys + 12, late.positions, 12 * sizeof(ct_real));
    soft.mesh = &cube, soft.surface = &skin, cloth.mesh = &sheet, arm.mesh = &wall, fixed.mesh = &wall;
    soft.angular_velocity[2] = 1, cloth.velocity[0] = 1;
    arm.keyframes = keys, arm.n_keyframes = 2, arm.keyframe_interval = 0.5, arm.motion.angular[1] = 1;
    if (placed)
        PUT(soft), PUT(cloth), PUT(arm), PUT(fixed);
    assert_int_equal(ct_body_add_soft(w, &soft, NULL), CT_OK);
    soft.surface = NULL;
    assert_int_equal(ct_body_add_soft(w, &soft, NULL), CT_OK);
    assert_int_equal(ct_body_add_cloth(w, &cloth, NULL), CT_OK);
    assert_int_equal(ct_body_add_kinematic(w, &arm, NULL), CT_OK);
    assert_int_equal(ct_body_add_static(w, &fixed, NULL), CT_OK);
    for (i = 0; i < 5; i++)
        ct_mesh_free(all[i]);
    return w;
}

/* the same bits as from meshes that were transformed, at the start and after steps; and the start is as the formula says */
static void placed_is_transformed(void **state)
{
    ct_world *a = scene(1), *b = scene(0);
    double norm = 0, q[4], half[3] = {-0.5, -0.5, -0.5}, cross[3], again[3], *x;
    ct_body_id id = {2, 1};
    int i, k, n;
    (void)state;
    for (i = 1; i <= 5; i++) {
        double *y;
        id.index1 = (uint32_t)i;
        x = read_vectors(a, id, 0, &n), y = read_vectors(b, id, 0, NULL);
        assert_true(n > 0);
        assert_memory_equal(x, y, sizeof(double) * 3 * (size_t)n);
        free(x), free(y);
    }
    /* the first corner of the cube: p + 2 w v x p + 2 v x (v x p) */
    for (k = 0; k < 4; k++)
        norm += (double)turn[k] * (double)turn[k];
    for (k = 0; k < 4; k++)
        q[k] = (double)turn[k] / sqrt(norm);
    for (k = 0; k < 3; k++)
        cross[k] = q[1 + (k + 1) % 3] * half[(k + 2) % 3] - q[1 + (k + 2) % 3] * half[(k + 1) % 3];
    for (k = 0; k < 3; k++)
        again[k] = q[1 + (k + 1) % 3] * cross[(k + 2) % 3] - q[1 + (k + 2) % 3] * cross[(k + 1) % 3];
    id.index1 = 2;
    x = read_vectors(a, id, 0, NULL);
    for (k = 0; k < 3; k++)
        assert_true(fabs(x[k] - (half[k] + 2 * q[0] * cross[k] + 2 * again[k] + (double)place[k])) <
                    1e-6 * (sizeof(ct_real) == 4 ? 1 : 1e-8));
    free(x);
    for (i = 0; i < 3; i++) {
        step_once(a, 0.01), step_once(b, 0.01);
        assert_true(ct_world_hash(a) == ct_world_hash(b));
    }
    ct_world_destroy(a), ct_world_destroy(b);
}

/* a rigid body is rotated in its mesh's axes: its pose is the description's, and it moves as the transformed mesh does, up to rounding */
static void rigid_starts_turned(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *a, *b;
    ct_mesh plain = mesh_box(1, 0.3, 0.5, 1, 1, 1, 0), moved = mesh_box(1, 0.3, 0.5, 1, 1, 1, 0);
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_body_id p, q;
    ct_real at[3], pose[4];
    double length = 0, *x, *y, close = sizeof(ct_real) == 4 ? 1e-5 : 1e-12;
    int i, k, n;
    (void)state;
    d.gravity[1] = 0;
    a = world_make(&d), b = world_make(&d);
    for (i = 0; i < plain.n_positions; i++) /* the centre of mass is not the mesh's origin */
        plain.positions[3 * i] += (ct_real)0.25, moved.positions[3 * i] += (ct_real)0.25;
    assert_int_equal(ct_mesh_transform(&moved, NULL, turn, place, NULL), CT_OK);
    r.velocity[0] = 1, r.angular_velocity[0] = 3, r.angular_velocity[1] = 2;
    r.mesh = &moved;
    assert_int_equal(ct_body_add_rigid(b, &r, &q), CT_OK);
    r.mesh = &plain, PUT(r);
    assert_int_equal(ct_body_add_rigid(a, &r, &p), CT_OK);
    for (k = 0; k < 4; k++)
        length += (double)turn[k] * (double)turn[k];
    assert_int_equal(ct_body_get_pose(a, p, at, pose), CT_OK);
    for (k = 0; k < 4; k++)
        assert_true(fabs((double)pose[k] - (double)turn[k] / sqrt(length)) < close);
    for (i = 0; i <= 20; i++) {
        x = read_vectors(a, p, 0, &n), y = read_vectors(b, q, 0, NULL);
        for (k = 0; k < 3 * n; k++)
            assert_true(fabs(x[k] - y[k]) < close * 10);
        free(x), free(y);
        step_once(a, 0.01), step_once(b, 0.01);
    }
    ct_world_destroy(a), ct_world_destroy(b);
    ct_mesh_free(&plain), ct_mesh_free(&moved);
}

/* vertices of a grid that lie behind a plane: ct_world_validate names them */
static int behind(const ct_real *normal, double offset, const ct_static_desc *desc, double height)
{
    ct_world *w = NULL;
    ct_mesh sheet = mesh_grid(1, 1, 1, 1);
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_pair *pairs;
    int n = -1;
    assert_int_equal(ct_world_create(NULL, &w, NULL), CT_OK);
    if (desc)
        assert_int_equal(ct_body_add_static(w, desc, NULL), CT_OK);
    else
        assert_int_equal(ct_body_add_plane(w, normal, (ct_real)offset, NULL), CT_OK);
    c.mesh = &sheet, c.position[1] = (ct_real)height;
    assert_int_equal(ct_body_add_cloth(w, &c, NULL), CT_OK);
    assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
    ct_world_destroy(w);
    ct_mesh_free(&sheet);
    return n;
}

static void planes_are_placed(void **state)
{
    static const ct_real down[3] = {0, -2, 0};
    ct_static_desc d = ct_static_desc_default();
    (void)state;
    assert_int_equal(behind(NULL, 1, NULL, 1.1), 0);
    assert_int_equal(behind(NULL, 1, NULL, 0.9), 4);
    /* dot((0, -2, 0), x) = -2: y = 1, free below */
    assert_int_equal(behind(down, -2, NULL, 1.1), 4);
    assert_int_equal(behind(down, -2, NULL, 0.9), 0);
    d.position[1] = 1;
    assert_int_equal(behind(NULL, 0, &d, 1.1), 0);
    assert_int_equal(behind(NULL, 0, &d, 0.9), 4);
    d.rotation[0] = 0, d.rotation[1] = 5; /* half a turn about x: y = 1 stays, free below */
    assert_int_equal(behind(NULL, 0, &d, 1.1), 4);
    assert_int_equal(behind(NULL, 0, &d, 0.9), 0);
    d.plane_offset = (ct_real)0.5; /* the plane y = 1/2 of the description's own frame: y = 1/2 in the world */
    assert_int_equal(behind(NULL, 0, &d, 0.6), 4);
    assert_int_equal(behind(NULL, 0, &d, 0.4), 0);
}

static void bad_places_are_named(void **state)
{
    static const double wrong[2] = {NAN, INFINITY};
    ct_world *w = NULL;
    ct_mesh cube = mesh_box(1, 1, 1, 1, 1, 1, 1), crate = mesh_box(1, 1, 1, 1, 1, 1, 0);
    ct_real zero[3] = {0, 0, 0};
    int i, k;
    (void)state;
    assert_int_equal(ct_world_create(NULL, &w, NULL), CT_OK);
    for (i = 0; i < 4; i++)
        for (k = 0; k < 5; k++) {
            ct_soft_desc s = ct_soft_desc_default();
            ct_cloth_desc c = ct_cloth_desc_default();
            ct_rigid_desc r = ct_rigid_desc_default();
            ct_kinematic_desc m = ct_kinematic_desc_default();
            ct_static_desc f = ct_static_desc_default();
            ct_real *position[5], *rotation[5];
            ct_code code;
            s.mesh = &cube, r.mesh = c.mesh = m.mesh = f.mesh = &crate;
            s.name = c.name = r.name = m.name = f.name = "culprit";
            position[0] = s.position, position[1] = c.position, position[2] = r.position, position[3] = m.position,
            position[4] = f.position;
            rotation[0] = s.rotation, rotation[1] = c.rotation, rotation[2] = r.rotation, rotation[3] = m.rotation,
            rotation[4] = f.rotation;
            if (i < 2)
                position[k][2] = (ct_real)wrong[i];
            else if (i == 2)
                rotation[k][3] = (ct_real)NAN;
            else
                rotation[k][0] = 0;
            code = k == 0   ? ct_body_add_soft(w, &s, NULL)
                   : k == 1 ? ct_body_add_cloth(w, &c, NULL)
                   : k == 2 ? ct_body_add_rigid(w, &r, NULL)
                   : k == 3 ? ct_body_add_kinematic(w, &m, NULL)
                            : ct_body_add_static(w, &f, NULL);
            assert_int_equal(code, CT_ERR_ARGUMENT);
            assert_non_null(strstr(ct_world_error(w)->text, "culprit"));
            assert_non_null(strstr(ct_world_error(w)->text, i < 2 ? "position" : i == 2 ? "finite" : "zero quaternion"));
            /* too far for the thickness: the error is that of a mesh at this position */
            position[k][2] = (ct_real)1e30;
            rotation[k][0] = 1, rotation[k][3] = 0;
            code = k == 0   ? ct_body_add_soft(w, &s, NULL)
                   : k == 1 ? ct_body_add_cloth(w, &c, NULL)
                   : k == 2 ? ct_body_add_rigid(w, &r, NULL)
                   : k == 3 ? ct_body_add_kinematic(w, &m, NULL)
                            : ct_body_add_static(w, &f, NULL);
            assert_int_equal(code, CT_ERR_MESH);
            assert_int_equal(ct_world_error(w)->element, 0);
        }
    assert_int_equal(ct_body_add_plane(w, zero, 0, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_plane(w, NULL, (ct_real)INFINITY, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_plane(NULL, NULL, 0, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_body_count(w), 0);
    ct_world_destroy(w);
    ct_mesh_free(&cube), ct_mesh_free(&crate);
}

/* a body is placed while allocations fail */
static void no_memory_to_place(void **state)
{
    ct_mesh cube = mesh_box(1, 1, 1, 1, 1, 1, 1), skin = mesh_box(0.5, 0.5, 0.5, 1, 1, 1, 0);
    ct_soft_desc s = ct_soft_desc_default();
    int k, refused = 0;
    (void)state;
    s.mesh = &cube, s.surface = &skin;
    PUT(s);
    for (k = 1; k < 200; k++) {
        books b = {0, 0, 0, 0, 0, 0, 0};
        ct_world_desc d = world_desc(1e-3, 0.4, &b);
        ct_world *w = world_make(&d);
        ct_code code;
        b.fail_at = b.calls + k;
        code = ct_body_add_soft(w, &s, NULL);
        refused += code == CT_ERR_MEMORY;
        assert_true(code == CT_ERR_MEMORY || (code == CT_OK && !b.refused));
        ct_world_destroy(w);
        assert_int_equal(b.blocks, 0);
        assert_int_equal(b.wrong, 0);
        if (code == CT_OK)
            break;
    }
    assert_true(refused > 5 && k < 200);
    ct_mesh_free(&cube), ct_mesh_free(&skin);
}

static double least_volume(const ct_mesh *m)
{
    double least = 1e300;
    int t, k;
    for (t = 0; t < m->n_tets; t++) {
        double e[3][3], v;
        for (k = 0; k < 9; k++)
            e[k / 3][k % 3] =
                (double)m->positions[3 * m->tets[4 * t + 1 + k / 3] + k % 3] - (double)m->positions[3 * m->tets[4 * t] + k % 3];
        v = (e[0][1] * e[1][2] - e[0][2] * e[1][1]) * e[2][0] + (e[0][2] * e[1][0] - e[0][0] * e[1][2]) * e[2][1] +
            (e[0][0] * e[1][1] - e[0][1] * e[1][0]) * e[2][2];
        least = v < least ? v : least;
    }
    return least;
}

static void meshes_are_transformed(void **state)
{
    ct_mesh m = mesh_box(1, 1, 1, 2, 2, 2, 1), shell = mesh_box(1, 1, 1, 1, 1, 1, 0), flat;
    ct_real scale[3] = {2, -3, (ct_real)0.5}, none[3] = {1, 0, 1}, quarter[4] = {1, 0, 0, 1}, zero[4] = {0, 0, 0, 0},
            big[3] = {(ct_real)1e38, 1, 1};
    ct_real *before;
    ct_world *w = NULL;
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_error_info e;
    size_t bytes = sizeof(ct_real) * 3 * (size_t)m.n_positions;
    (void)state;
    before = (ct_real *)malloc(bytes);
    memcpy(before, m.positions, bytes);
    assert_int_equal(ct_mesh_transform(&m, NULL, NULL, NULL, NULL), CT_OK);
    assert_memory_equal(before, m.positions, bytes);
    /* refused: nothing has moved */
    assert_int_equal(ct_mesh_transform(NULL, NULL, NULL, NULL, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_transform(&m, none, quarter, NULL, &e), CT_ERR_ARGUMENT);
    assert_int_equal(e.element, 1);
    assert_non_null(strstr(e.text, "scale"));
    assert_int_equal(ct_mesh_transform(&m, scale, zero, NULL, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "zero quaternion"));
    zero[2] = (ct_real)NAN;
    assert_int_equal(ct_mesh_transform(&m, scale, zero, NULL, &e), CT_ERR_ARGUMENT);
    m.positions[3 * 4] = (ct_real)INFINITY;
    assert_int_equal(ct_mesh_transform(&m, scale, quarter, place, &e), CT_ERR_MESH);
    assert_int_equal(e.element, 4);
    m.positions[3 * 4] = before[3 * 4];
    assert_memory_equal(before, m.positions, bytes);
    memset(&flat, 0, sizeof flat);
    flat.n_positions = 3;
    assert_int_equal(ct_mesh_transform(&flat, NULL, NULL, place, &e), CT_ERR_ARGUMENT);
    flat.positions = big, flat.n_positions = 1;
    big[0] = sizeof(ct_real) == 4 ? (ct_real)3e38 : (ct_real)1.5e308;
    assert_int_equal(ct_mesh_transform(&flat, scale, NULL, NULL, &e), CT_ERR_MESH);
    assert_int_equal(e.element, 0);
    /* Mirrored, and rotated by 90 degrees about z: (x, y, z) -> (3 y, 2 x, z / 2). Tets stay positive, and the shell's outside stays outside */
    assert_int_equal(ct_mesh_transform(&m, scale, quarter, NULL, NULL), CT_OK);
    assert_true(fabs((double)m.positions[0] - 3 * (double)before[1]) < 1e-6 && fabs((double)m.positions[1] - 2 * (double)before[0]) < 1e-6);
    assert_true(fabs((double)m.positions[2] - (double)before[2] / 2) < 1e-6);
    assert_true(least_volume(&m) > 0);
    assert_int_equal(ct_mesh_transform(&shell, scale, quarter, place, NULL), CT_OK);
    r.mesh = &shell;
    assert_int_equal(ct_world_create(NULL, &w, NULL), CT_OK);
    assert_int_equal(ct_body_add_rigid(w, &r, NULL), CT_OK); /* inside out it is refused */
    ct_world_destroy(w);
    free(before);
    ct_mesh_free(&m), ct_mesh_free(&shell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_needed),      cmocka_unit_test(placed_is_transformed), cmocka_unit_test(rigid_starts_turned),
        cmocka_unit_test(planes_are_placed),      cmocka_unit_test(bad_places_are_named),  cmocka_unit_test(no_memory_to_place),
        cmocka_unit_test(meshes_are_transformed), cmocka_unit_test(versions_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
