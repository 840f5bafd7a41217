/* test_tangled.c -- scripted motion (script.c), tangled starts and their repair (tangle.c, repair.c, untangle.c), and kinematic bodies that
   leave no room. Paths are compared with their composition by hand, velocities with differences; every step of a freed world is
   validated. */
#include "world_util.h"

#define DEG 0.017453292519943295769

static ct_body_id add_rigid_box(ct_world *w, const char *name, double sx, double sy, double sz, int n, double angle, double x, double y, double z)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_mesh m = mesh_box(sx, sy, sz, n, n, n, 0);
    ct_body_id id = {0, 0};
    mesh_place(&m, angle, x, y, z);
    d.name = name, d.mesh = &m;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static ct_body_id add_static_box(ct_world *w, double sx, double sy, double sz, int n, double x, double y, double z)
{
    ct_static_desc d = ct_static_desc_default();
    ct_mesh m = mesh_box(sx, sy, sz, n, n, n, 0);
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, x, y, z);
    d.mesh = &m;
    assert_int_equal(ct_body_add_static(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static ct_motion_segment segment(double lx, double ly, double lz, double az, double cx, double cy, double duration)
{
    ct_motion_segment g;
    memset(&g, 0, sizeof g);
    g.motion.linear[0] = (ct_real)lx, g.motion.linear[1] = (ct_real)ly, g.motion.linear[2] = (ct_real)lz;
    g.motion.angular[2] = (ct_real)az;
    g.motion.center[0] = (ct_real)cx, g.motion.center[1] = (ct_real)cy;
    g.duration = duration;
    return g;
}

static ct_body_id add_plate(ct_world *w, double sx, double sy, double sz, int n, double x, double y, double z,
                            const ct_motion_segment *path, int n_path)
{
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(sx, sy, sz, n, 1, n, 0);
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, x, y, z);
    d.name = "plate", d.mesh = &m, d.segments = path, d.n_segments = n_path;
    assert_int_equal(ct_body_add_kinematic(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* ---- scripts ---- */

/* a rotation by a about (cx, cy), and the same computed directly */
static void turn(double *x, double a, double cx, double cy)
{
    double px = x[0] - cx, py = x[1] - cy;
    x[0] = cx + cos(a) * px - sin(a) * py, x[1] = cy + sin(a) * px + cos(a) * py;
}

static void expect_path(double t, double *x)
{
    double t1 = fmin(t, 0.3), t2 = fmin(fmax(t - 0.3, 0), 0.25), t3 = fmin(fmax(t - 0.55, 0), 0.2);
    x[0] += 0.5 * t1, x[1] -= 0.25 * t1;
    turn(x, 3 * t2, 0.4, 0.1);
    x[0] += 1 * t2;
    turn(x, -2 * t3, -0.2, 0);
    x[2] += 0.7 * t3;
}

static void test_path(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    ct_motion_segment g[3];
    ct_mesh m = mesh_box(0.2, 0.1, 0.3, 1, 1, 1, 1);
    ct_body_id soft, plate;
    int32_t all[8];
    int i, k, s, n;
    (void)state;
    g[0] = segment(0.5, -0.25, 0, 0, 0, 0, 0.3);
    g[1] = segment(1, 0, 0, 3, 0.4, 0.1, 0.25);
    g[2] = segment(0, 0, 0.7, -2, -0.2, 0, 0.2);
    plate = add_plate(w, 0.2, 0.1, 0.3, 1, 0, 5, 0, g, 3);
    mesh_place(&m, 0, 0, 0, 0);
    soft = add_soft_mesh(w, "soft", &m, 1e5, 0, 0, 0);
    for (i = 0; i < 8; i++)
        all[i] = i;
    assert_int_equal(ct_body_pin_path(w, soft, all, m.n_positions, CT_AXIS_ALL, g, 3, -1), CT_OK);
    for (s = 1; s <= 50; s++) {
        double *x, *v, *y, *u, ahead[3], back[3], start[3];
        step_once(w, 0.02);
        x = read_vectors(w, soft, 0, &n), y = read_vectors(w, plate, 0, NULL), v = read_vectors(w, plate, 1, NULL);
        u = read_vectors(w, soft, 1, NULL);
        for (i = 0; i < n; i++)
            for (k = 0; k < 3; k++) {
                double t = 0.02 * s, e = 1e-6, want[3], own[3];
                int j;
                for (j = 0; j < 3; j++)
                    want[j] = (double)m.positions[3 * i + j];
                memcpy(own, want, sizeof own);
                own[1] += 5;
                memcpy(start, own, sizeof start);
                memcpy(ahead, start, sizeof ahead);
                memcpy(back, start, sizeof back);
                expect_path(t, want);
                expect_path(t, own);
                expect_path(t + e, ahead);
                expect_path(t, back);
                assert_true(fabs(x[3 * i + k] - want[k]) < 1e-9);
                assert_true(fabs(y[3 * i + k] - own[k]) < 1e-9);
                assert_true(fabs(v[3 * i + k] - (ahead[k] - back[k]) / e) < 1e-3);
                if (t > 0.76 + 0.02)
                    assert_true(fabs(u[3 * i + k]) < 1e-9);
            }
        free(x), free(y), free(v), free(u);
    }
    g[0].duration = -1;
    assert_int_equal(ct_body_pin_path(w, soft, all, 1, CT_AXIS_ALL, g, 3, -1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_error(w)->element, 0);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

static void test_keyframes(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    ct_kinematic_desc kd = ct_kinematic_desc_default();
    ct_mesh m = mesh_grid(1, 1, 2, 2);
    ct_motion_segment g = segment(0.1, 0, 0, 1.5, 0, 0, 0.5);
    ct_body_id id = {0, 0};
    uint64_t seed = 7;
    int n = m.n_positions, i, k, s;
    ct_real *keys = (ct_real *)malloc(sizeof(ct_real) * 9 * (size_t)n);
    (void)state;
    for (i = 0; i < 9 * n; i++)
        keys[i] = (ct_real)lcg(&seed);
    kd.mesh = &m, kd.keyframes = keys, kd.n_keyframes = 3, kd.segments = &g, kd.n_segments = 1;
    assert_int_equal(ct_body_add_kinematic(w, &kd, &id), CT_ERR_ARGUMENT); /* an empty interval */
    kd.keyframe_interval = 0.2;
    assert_int_equal(ct_body_add_kinematic(w, &kd, &id), CT_OK);
    add_soft_box(w, "far", 0.1, 1, 1e5, 0, 50, 0);
    for (s = 0; s < 40; s++) {
        double t = 0.02 * s, at = fmin(t / 0.2, 2), part, *x = read_vectors(w, id, 0, NULL), *v = read_vectors(w, id, 1, NULL);
        int key = at >= 2 ? 1 : (int)(at + 1e-9);
        part = at - key;
        for (i = 0; i < n; i++) {
            double p[3], q[3], e = 1e-7;
            for (k = 0; k < 3; k++) {
                double a = (double)keys[3 * (key * n + i) + k], b = (double)keys[3 * ((key + 1) * n + i) + k];
                p[k] = a + (b - a) * part;
                q[k] = t >= 0.4 - 1e-9 ? b : a + (b - a) * (part + e / 0.2);
            }
            turn(p, 1.5 * fmin(t, 0.5), 0, 0), turn(q, 1.5 * fmin(t + e, 0.5), 0, 0);
            p[0] += 0.1 * fmin(t, 0.5), q[0] += 0.1 * fmin(t + e, 0.5);
            for (k = 0; k < 3; k++) {
                assert_true(fabs(x[3 * i + k] - p[k]) < 1e-9);
                /* at the boundary of two pieces times are those of sums of steps: either side is right */
                if (s % 10 != 0 && s != 25)
                    assert_true(fabs(v[3 * i + k] - (q[k] - p[k]) / e) < 1e-4);
            }
        }
        free(x), free(v);
        step_once(w, 0.02);
    }
    free(keys);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a step that runs out of memory leaves the scripts unchanged */
static void test_keyframes_memory(void **state)
{
    books b;
    ct_world_desc d;
    ct_world *w;
    ct_motion_segment g[2];
    int64_t k;
    int s, refused = 0;
    (void)state;
    memset(&b, 0, sizeof b);
    d = world_desc(1e-3, 0.3, &b);
    w = world_make(&d);
    g[0] = segment(0, -0.4, 0, 0, 0, 0, 0.05), g[1] = segment(0, 0.4, 0, 1, 0, 0, -1);
    add_soft_box(w, "a", 0.1, 2, 1e5, 0, 0.06, 0);
    add_rigid_box(w, "b", 0.1, 0.1, 0.1, 1, 0.1, 0.07, 0.1, 0.01); /* overlaps */
    add_plane(w, 0, 1, 0, 0);
    add_plate(w, 0.2, 0.05, 0.2, 1, 0, 0.2, 0, g, 2);
    for (s = 0; s < 12; s++) {
        for (k = 1; k < 400; k++) {
            uint64_t before = ct_world_hash(w);
            ct_step_report r;
            ct_code code;
            b.fail_at = b.calls + k, b.fail_on = 1;
            code = ct_world_step(w, (ct_real)0.01, &r);
            b.fail_at = 0, b.fail_on = 0;
            if (code == CT_OK)
                break;
            assert_int_equal(code, CT_ERR_MEMORY);
            assert_true(ct_world_hash(w) == before);
            refused++;
        }
        assert_true(k < 400);
    }
    print_message("steps refused for memory: %d\n", refused);
    assert_true(refused > 5);
    ct_world_destroy(w);
    assert_int_equal(b.blocks, 0);
    assert_int_equal(b.wrong, 0);
}

/* ---- kinematic bodies ---- */

static void test_belt(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_motion_segment g = segment(0.3, 0, 0, 0, 0, 0, -1);
    ct_body_id soft, rigid;
    double a[3], b[3];
    int s;
    (void)state;
    add_plate(w, 4, 0.1, 1, 4, 0, -0.05, 0, &g, 1);
    soft = add_soft_box(w, "soft", 0.1, 2, 1e5, -0.5, 0.051, 0);
    rigid = add_rigid_box(w, "rigid", 0.1, 0.1, 0.1, 1, 0, 0.5, 0.051, 0);
    /* acceleration mu g up to the belt's speed: 0.3 / 4.9 s */
    for (s = 0; s < 5; s++)
        step_once(w, 0.01);
    read_middle(w, soft, 1, a), read_middle(w, rigid, 1, b);
    assert_true(a[0] > 0.1 && a[0] < 0.29 && b[0] > 0.1 && b[0] < 0.29);
    for (s = 0; s < 45; s++) {
        step_once(w, 0.01);
        assert_int_equal(count_intersections(w), 0);
    }
    read_middle(w, soft, 1, a), read_middle(w, rigid, 1, b);
    print_message("belt at 0.3 m/s carries: soft %.6f, rigid %.6f m/s\n", a[0], b[0]);
    assert_true(fabs(a[0] - 0.3) < 2e-3 && fabs(b[0] - 0.3) < 2e-3);
    ct_world_destroy(w);
}

static void test_push(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_motion_segment g = segment(1, 0, 0, 0, 0, 0, 0.5);
    int kind;
    (void)state;
    for (kind = 0; kind < 3; kind++) {
        ct_world *w;
        ct_body_id id;
        double x[3];
        int s;
        d.gravity[1] = 0;
        w = world_make(&d);
        add_plate(w, 0.1, 0.3, 0.3, 1, -0.2, 0, 0, &g, 1);
        if (kind == 0)
            id = add_soft_box(w, "soft", 0.1, 2, 1e5, 0, 0, 0);
        else if (kind == 1)
            id = add_rigid_box(w, "rigid", 0.1, 0.1, 0.1, 1, 0, 0, 0, 0);
        else {
            ct_mesh m = mesh_grid(0.2, 0.2, 6, 6);
            mesh_place(&m, 90 * DEG, 0, 0, 0);
            id = add_cloth_mesh(w, "cloth", &m, CT_MODEL_SPRINGS, 0.2);
            ct_mesh_free(&m);
        }
        for (s = 0; s < 60; s++) {
            step_once(w, 0.01);
            assert_int_equal(count_intersections(w), 0);
        }
        read_middle(w, id, 0, x);
        assert_true(x[0] > 0.29);
        ct_world_destroy(w);
    }
}

/* scripted bodies may pass through each other, and no other body is affected */
static void test_scripted_crossing(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_motion_segment g = segment(0.5, 0, 0, 1, 0, 0, -1);
    double x[2][3];
    int k, s;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = world_make(&d);
        ct_body_id id;
        add_plane(w, 0, 1, 0, 0);
        id = add_soft_box(w, "soft", 0.1, 2, 1e5, 0, 0.06, 0);
        if (k) {
            add_plate(w, 0.2, 0.2, 0.2, 1, 0.4, 1, 0, &g, 1);
            add_static_box(w, 0.3, 0.3, 0.3, 1, 0.5, 1, 0);
            add_plate(w, 0.2, 0.2, 0.2, 1, 0.5, 1.05, 0, NULL, 0);
        }
        for (s = 0; s < 30; s++) {
            ct_step_report r = step_once(w, 0.01);
            assert_int_equal(r.tangled, 0);
            assert_int_equal(count_intersections(w), 0);
            assert_int_equal(r.substeps, 1);
        }
        read_middle(w, id, 0, x[k]);
        ct_world_destroy(w);
    }
    for (s = 0; s < 3; s++)
        assert_true(x[0][s] == x[1][s]);
}

/* ---- tangled starts ---- */

/* all pairs are of two of the bodies; number of steps until they are apart, at most `most`; then `rest` steps without any pair */
static int free_world(ct_world *w, const char *what, double dt, int most, int rest)
{
    int start = count_intersections(w), s, at = -1, more = 0, after = 0;
    assert_true(start > 0);
    for (s = 1; s <= most + rest; s++) {
        ct_step_report r = step_once(w, dt);
        int n = count_intersections(w);
        assert_true(r.energy_kinetic == r.energy_kinetic && r.energy_kinetic < 1e3);
        if (s == 1)
            assert_true(r.tangled > 0 || r.limit.vertices_a[0] >= 0);
        if (n == 0 && at < 0)
            at = s;
        more += n > start;
        after += at >= 0 && n > 0;
    }
    print_message("%-34s %4d pairs, free after %.2f s\n", what, start, at * dt);
    assert_true(at > 0 && at <= most);
    assert_int_equal(after, 0);
    return more;
}

static void test_overlap_boxes(void **state)
{
    static const double off[4][3] = {{0.1, 0.01, 0.02}, {0.15, 0.12, 0.13}, {0.02, 0.01, 0.015}, {0, 0.15, 0}};
    int k, kind;
    (void)state;
    for (kind = 0; kind < 3; kind++)
        for (k = 0; k < 4; k++) {
            ct_world_desc d = world_desc(1e-3, 0.3, NULL);
            ct_world *w;
            char text[64];
            d.gravity[1] = 0;
            w = world_make(&d);
            if (kind == 1) {
                add_rigid_box(w, "a", 0.2, 0.2, 0.2, 1 + 2 * (k % 2), 0, 0, 0, 0);
                add_rigid_box(w, "b", 0.2, 0.2, 0.2, 1 + 2 * (k % 2), k == 3 ? 0 : 0.3, off[k][0], off[k][1], off[k][2]);
            } else {
                add_soft_box(w, "a", 0.2, 3, 1e5, 0, 0, 0);
                if (kind == 0)
                    add_soft_box(w, "b", 0.2, 3, 1e5, off[k][0], off[k][1], off[k][2]);
                else
                    add_static_box(w, 0.3, 0.3, 0.3, 2, off[k][0] + 0.05, off[k][1] + 0.05, off[k][2]);
            }
            sprintf(text, "%s %d", kind == 0 ? "two soft boxes" : (kind == 1 ? "two rigid boxes" : "a soft box in a static one"), k);
            free_world(w, text, 0.01, 100, 40);
            ct_world_destroy(w);
        }
}

/* edges cross faces, and no vertex is inside of the other body */
static void test_overlap_sticks(void **state)
{
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world_desc d = world_desc(1e-3, 0.3, NULL);
        ct_world *w;
        d.gravity[1] = 0;
        w = world_make(&d);
        add_rigid_box(w, "a", 0.6, 0.1, 0.1, 1 + k, 0, 0, 0, 0);
        add_rigid_box(w, "b", 0.1, 0.1, 0.6, 1 + k, 0, 0.01, 0.02 * k, 0);
        free_world(w, "two rigid sticks crossed", 0.01, 100, 30);
        ct_world_destroy(w);
    }
}

static void test_overlap_gravity(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    (void)state;
    add_soft_box(w, "a", 0.2, 3, 1e5, 0, 0.02, 0);
    add_plane(w, 0, 1, 0, 0);
    free_world(w, "a soft box sunk in a plane", 0.01, 100, 100);
    ct_world_destroy(w);
    w = world_make(&d);
    add_soft_box(w, "a", 0.2, 3, 1e5, 0, 0.02, 0);
    add_static_box(w, 1, 0.3, 1, 1, 0.15, -0.15, 0.02);
    free_world(w, "a soft box sunk in a floor", 0.01, 100, 100);
    ct_world_destroy(w);
    w = world_make(&d);
    add_rigid_box(w, "a", 0.2, 0.2, 0.2, 1, 0, 0, 0.099, 0);
    add_rigid_box(w, "b", 0.2, 0.2, 0.2, 1, 0, 0.03, 0.25, 0.03);
    add_plane(w, 0, 1, 0, 0);
    free_world(w, "rigid boxes in each other on a plane", 0.01, 100, 100);
    ct_world_destroy(w);
}

static void test_overlap_cloth(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w;
    ct_mesh m;
    int i;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    m = mesh_grid(0.6, 0.6, 12, 12);
    add_cloth_mesh(w, "sheet", &m, CT_MODEL_SPRINGS, 0.2);
    add_rigid_box(w, "box", 0.2, 0.2, 0.2, 2, 0, 0.01, 0.03, 0.02);
    free_world(w, "a sheet through a box", 0.01, 100, 50);
    ct_world_destroy(w);
    w = world_make(&d);
    add_cloth_mesh(w, "sheet", &m, CT_MODEL_SPRINGS, 0.2);
    ct_mesh_free(&m);
    m = mesh_grid(0.3, 0.3, 7, 7);
    for (i = 0; i < m.n_positions; i++) {
        ct_real *p = m.positions + 3 * i, t = p[1];
        p[1] = p[2], p[2] = -t;
    }
    mesh_place(&m, 0.1, 0.01, 0.05, 0.02);
    add_cloth_mesh(w, "other", &m, CT_MODEL_SPRINGS, 0.2);
    ct_mesh_free(&m);
    free_world(w, "a sheet through a sheet", 0.01, 100, 50);
    ct_world_destroy(w);
    /* a rolled strip whose end is inside of its beginning, with a wedge that makes it cross */
    w = world_make(&d);
    m = mesh_grid(1.4, 0.3, 40, 8);
    for (i = 0; i < m.n_positions; i++) {
        ct_real *p = m.positions + 3 * i;
        double s = (double)p[0] + 0.7, R = 0.2 + (s > 1.2 ? (s - 1.33) * 0.5 : (s < 0.15 ? 0.01 : 0));
        p[0] = (ct_real)(R * cos(s / 0.2)), p[1] = (ct_real)(R * sin(s / 0.2));
    }
    add_cloth_mesh(w, "strip", &m, CT_MODEL_SPRINGS, 0.2);
    ct_mesh_free(&m);
    free_world(w, "a strip through itself", 0.01, 100, 50);
    ct_world_destroy(w);
}

/* free bodies: linear and angular momentum about the origin stay zero */
static void test_momentum(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w;
    ct_body_id id[2];
    double P[3] = {0, 0, 0}, L = 0, speed = 0;
    int s, b, i, n;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    /* With one cell a box, five or six tets share the mass, and the middle of the vertices is not the centre of mass: masses are measured by
       pulling */
    id[0] = add_rigid_box(w, "a", 0.2, 0.2, 0.2, 2, 0, 0, 0, 0);
    id[1] = add_rigid_box(w, "b", 0.2, 0.2, 0.2, 2, 0.3, 0.1, 0.12, 0.13);
    for (s = 0; s < 40; s++)
        step_once(w, 0.01);
    for (b = 0; b < 2; b++) {
        double mass = 1000 * 0.008, I = mass * (0.04 + 0.04) / 12;
        ct_real x[3], q[4], v[3], o[3];
        assert_int_equal(ct_body_get_pose(w, id[b], x, q), CT_OK);
        assert_int_equal(ct_body_get_motion(w, id[b], v, o), CT_OK);
        for (i = 0; i < 3; i++)
            P[i] += mass * (double)v[i], speed = fmax(speed, fabs((double)v[i]));
        L += mass * (double)(x[0] * v[1] - x[1] * v[0]) + I * (double)o[2];
    }
    n = count_intersections(w);
    print_message("momentum after a repair: %.2g %.2g %.2g N s, angular %.2g N m s, at %.2g m/s\n", P[0], P[1], P[2], L, speed);
    assert_int_equal(n, 0);
    assert_true(speed > 0.01);
    for (i = 0; i < 3; i++)
        assert_true(fabs(P[i]) < 1e-9);
    assert_true(fabs(L) < 1e-3);
    ct_world_destroy(w);
}

/* The rest of an intersecting body, and bodies that do not intersect, are still protected from the same surface: the number of pairs never grows */
static void test_protected(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_grid(0.8, 0.8, 16, 16);
    ct_static_desc sd = ct_static_desc_default();
    ct_body_id floor, cube, sheet;
    int s, start, n = 0, i, cube_pairs = 0;
    ct_pair *pairs;
    (void)state;
    sd.mesh = &m;
    assert_int_equal(ct_body_add_static(w, &sd, &floor), CT_OK);
    ct_mesh_free(&m);
    /* one corner of the sheet is below the floor, the rest falls on it */
    m = mesh_grid(0.5, 0.5, 10, 10);
    for (i = 0; i < m.n_positions; i++) {
        double x = (double)m.positions[3 * i], z = (double)m.positions[3 * i + 2];
        m.positions[3 * i + 1] = (ct_real)(0.03 + (x + z < -0.35 ? (x + z + 0.35) * 0.6 : 0));
    }
    sheet = add_cloth_mesh(w, "sheet", &m, CT_MODEL_SPRINGS, 0.2);
    ct_mesh_free(&m);
    cube = add_soft_box(w, "cube", 0.1, 2, 1e5, 0.31, 0.08, 0.31);
    start = count_intersections(w);
    assert_true(start > 0);
    for (s = 0; s < 100; s++) {
        step_once(w, 0.01);
        assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
        assert_true(n <= start);
        for (i = 0; i < n; i++)
            cube_pairs += pairs[i].body_a.index1 == cube.index1 || pairs[i].body_b.index1 == cube.index1;
    }
    print_message("a corner through the floor: %d pairs at the start, %d at the end\n", start, n);
    assert_int_equal(n, 0);
    assert_int_equal(cube_pairs, 0);
    (void)sheet;
    ct_world_destroy(w);
}

/* ---- no room ---- */

static int pinch(int kind, const char *what)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w;
    ct_motion_segment g[3];
    int s, n = 0, worst = 0, closed = kind == 1 ? 40 : 65, freed = -1;
    double down = kind == 1 ? 0.3 : 0.55;
    if (kind != 1)
        d.gravity[1] = 0;
    if (kind == 0)
        d.max_halvings = 1; /* while the press closes every substep takes long */
    w = world_make(&d);
    g[0] = segment(0, -0.2, 0, 0, 0, 0, down), g[1] = segment(0, 0, 0, 0, 0, 0, 0.1), g[2] = segment(0, 0.2, 0, 0, 0, 0, down + 0.05);
    if (kind == 1) {
        ct_mesh m = mesh_grid(0.4, 0.4, 12, 12);
        add_cloth_mesh(w, "cloth", &m, CT_MODEL_SPRINGS, 0.2);
        ct_mesh_free(&m);
        add_static_box(w, 0.2, 0.1, 0.2, 1, 0, -0.052, 0);
        add_plate(w, 0.15, 0.05, 0.15, 1, 0.02, 0.076, 0.01, g, 3);
    } else {
        if (kind == 0)
            add_soft_box(w, "soft", 0.1, 2, 1e5, 0, 0, 0);
        else
            add_rigid_box(w, "rigid", 0.1, 0.1, 0.1, 1, 0, 0, 0, 0);
        add_plate(w, 0.3, 0.05, 0.3, 1, 0, -0.0765, 0, NULL, 0);
        add_plate(w, 0.3, 0.05, 0.3, 1, 0, 0.0765, 0, g, 3);
    }
    for (s = 1; s <= closed + 100; s++) {
        ct_step_report r = step_once(w, 0.01);
        assert_true(r.energy_kinetic == r.energy_kinetic && r.energy_kinetic < 1e4);
        n = count_intersections(w);
        assert_true(n == 0 || r.status == CT_STATUS_NOT_CONVERGED); /* no step is `ok` while pairs cross */
        worst = n > worst ? n : worst;
        if (n > 0)
            freed = -1;
        else if (freed < 0)
            freed = s;
    }
    print_message("%-26s %3d pairs at most, free %.2f s after it opens\n", what, worst, 0.01 * (freed - closed));
    assert_int_equal(n, 0);
    for (s = 0; s < 50; s++) {
        step_once(w, 0.01);
        assert_int_equal(count_intersections(w), 0);
    }
    ct_world_destroy(w);
    return worst;
}

static void test_pinch(void **state)
{
    int soft = pinch(0, "a soft block in a press"), cloth = pinch(1, "cloth under an arm"), rigid = pinch(2, "a rigid block in a press");
    (void)state;
    /* contacts keep their thickness, so that some runs may end without an intersection; not all */
    assert_true(soft + cloth + rigid > 0);
}

/* Two boxes between plates that close: solves that end far from a solution use up a step's sweeps once, not in each of its substeps (319 budgets
   without that), and bodies far from them fall on */
static void no_room(ct_integrator integrator)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_motion_segment up = segment(0, 1, 0, 0, 0, 0, -1), down = segment(0, -1, 0, 0, 0, 0, -1);
    ct_world *w;
    double worst = 0, most = 0, *x;
    ct_body_id rigid, soft;
    ct_real c[3], q[4];
    int k, n, frozen = 0;
    d.integrator = integrator;
    w = world_make(&d);
    add_soft_box(w, "a", 0.2, 3, 1e5, 0, 0.5, 0);
    add_soft_box(w, "b", 0.2, 3, 1e5, 0.05, 0.72, 0.02);
    add_plate(w, 1, 0.1, 1, 2, 0, 0.3, 0, &up, 1);
    add_plate(w, 1, 0.1, 1, 2, 0, 0.92, 0, &down, 1);
    rigid = add_rigid_box(w, "rigid", 0.2, 0.2, 0.2, 1, 0, 10, 20, 0);
    soft = add_soft_box(w, "soft", 0.2, 2, 1e5, 12, 20, 0);
    for (k = 0; k < 40; k++) {
        ct_step_report r = step_once(w, 0.01);
        most = fmax(most, r.contacts);
        worst = fmax(worst, (double)r.solver_sweeps * most / ((double)d.solver.max_sweeps * fmax(250, most)));
        frozen += r.frozen;
    }
    assert_int_equal(ct_body_get_pose(w, rigid, c, q), CT_OK);
    x = read_vectors(w, soft, 0, &n);
    print_message("no room: a step's sweeps were at most %.0f budgets of a solve; %d blocks rested; what falls is at %.4f and %.4f m\n", worst,
                  frozen, (double)c[1], x[1] + 0.1);
    assert_true(worst > 4 && worst < 200);
    assert_true(frozen > 0);
    assert_true(fabs((double)c[1] - 19.205) < 0.02);
    assert_true(fabs(x[1] + 0.1 - 19.205) < 0.02);
    free(x);
    ct_world_destroy(w);
}

static void test_no_room(void **state)
{
    (void)state;
    no_room(CT_INTEGRATOR_EULER);
    no_room(CT_INTEGRATOR_BDF2);
}

/* ---- ct_world_repair ---- */

static void test_repair(void **state)
{
    books b;
    ct_world_desc d;
    ct_world *w;
    ct_body_id a, c, far;
    ct_motion_segment g = segment(1, 0, 0, 0, 0, 0, -1);
    double *x0, *x1, *v0, *v1, *f0, *f1, moved = 0;
    int i, n, nf, freed = -1, left = -1, before;
    int64_t k;
    uint64_t far_bytes;
    (void)state;
    memset(&b, 0, sizeof b);
    d = world_desc(1e-3, 0.3, &b);
    w = world_make(&d);
    a = add_soft_box(w, "a", 0.2, 3, 1e5, 0, 0.5, 0);
    c = add_soft_box(w, "b", 0.2, 3, 1e5, 0.17, 0.51, 0.02);
    far = add_soft_box(w, "far", 0.2, 2, 1e5, 2, 0.5, 0);
    add_plate(w, 0.2, 0.2, 0.2, 1, 5, 5, 5, &g, 1);
    x0 = read_vectors(w, a, 0, &n), v0 = read_vectors(w, c, 1, NULL), f0 = read_vectors(w, far, 0, &nf);
    before = count_intersections(w);
    assert_true(before > 0);
    for (k = 1; k < 2000; k += PLAIN_OR(7, 29)) {
        ct_code code;
        b.fail_at = b.calls + k, b.fail_on = 1;
        code = ct_world_repair(w, &freed, &left);
        b.fail_at = 0, b.fail_on = 0;
        if (code == CT_OK)
            break;
        assert_int_equal(code, CT_ERR_MEMORY);
        x1 = read_vectors(w, a, 0, NULL);
        assert_int_equal(memcmp(x0, x1, sizeof(double) * 3 * (size_t)n), 0);
        free(x1);
    }
    assert_int_equal(freed, before);
    assert_int_equal(left, 0);
    assert_int_equal(count_intersections(w), 0);
    x1 = read_vectors(w, a, 0, NULL), v1 = read_vectors(w, c, 1, NULL), f1 = read_vectors(w, far, 0, NULL);
    far_bytes = (uint64_t)memcmp(f0, f1, sizeof(double) * 3 * (size_t)nf);
    assert_int_equal(far_bytes, 0);
    assert_int_equal(memcmp(v0, v1, sizeof(double) * 3 * (size_t)n), 0);
    assert_true(ct_world_time(w) == 0);
    for (i = 0; i < 3 * n; i++)
        moved = fmax(moved, fabs(x1[i] - x0[i]));
    print_message("repair: %d pairs freed, a vertex moved by %.3g m at most (0.03 m deep)\n", freed, moved);
    assert_true(moved > 0.005 && moved < 0.05);
    free(x0), free(x1), free(v0), free(v1), free(f0), free(f1);
    for (i = 0; i < 20; i++) {
        step_once(w, 0.01);
        assert_int_equal(count_intersections(w), 0);
    }
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    assert_int_equal(freed + left, 0);
    assert_int_equal(ct_world_repair(w, NULL, &left), CT_ERR_ARGUMENT);
    ct_world_destroy(w);
    assert_int_equal(b.blocks, 0);
}

/* a pair that can be separated, one that never can (a pinned box in a static one), histories and contact memory */
static ct_world *repair_world(books *b)
{
    ct_world_desc d = world_desc(1e-3, 0.3, b);
    ct_motion_segment g = segment(0, 0, 0, 0, 0, 0, -1);
    ct_body_id stuck;
    ct_world *w;
    int32_t node;
    int i;
    d.integrator = CT_INTEGRATOR_BDF2;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "rests", 0.1, 1, 1e5, 1, 0.0505, 0);
    add_soft_box(w, "a", 0.2, 2, 1e5, 0, 0.5, 0);
    add_soft_box(w, "b", 0.2, 2, 1e5, 0.17, 0.51, 0.02);
    stuck = add_soft_box(w, "stuck", 0.1, 1, 1e5, 5.03, 5.04, 5);
    add_plate(w, 0.1, 0.1, 0.1, 1, 5, 5, 5, &g, 1);
    for (node = 0; node < ct_body_node_count(w, stuck); node++)
        assert_int_equal(ct_body_pin(w, stuck, &node, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    for (i = 0; i < 3; i++)
        step_once(w, 1e-3);
    return w;
}

static uint64_t count_looks(void *user) { return ++*(uint64_t *)user; }

/* A box inside a wall can leave it on one side only, where another one stands that does not intersect: in the end that one moves, too */
static void test_repair_crowded(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    int freed, left;
    (void)state;
    add_static_box(w, 0.2, 0.1, 0.1, 2, 0, -0.102, 0);
    add_static_box(w, 0.2, 0.1, 0.1, 2, 0, 0.102, 0);
    add_static_box(w, 0.1, 0.1, 0.1, 1, -0.06, 0, 0);
    add_rigid_box(w, "sunk", 0.1, 0.1, 0.1, 1, 0, 0.02, 0, 0);
    add_rigid_box(w, "other", 0.1, 0.1, 0.1, 1, 0, 0.1215, 0, 0);
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    print_message("a box in a wall and one beside it: %d pairs freed, %d left\n", freed, left);
    assert_true(freed > 0);
    assert_int_equal(left, 0);
    ct_world_destroy(w);
}

/* a repair that can move nothing ends after a few steps, counted by the readings of the clock in a step */
static void test_repair_stuck(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_motion_segment g = segment(0, 0, 0, 0, 0, 0, -1);
    uint64_t looks = 0, step, repair;
    ct_body_id stuck;
    ct_world *w;
    int32_t node;
    int freed, left;
    (void)state;
    d.now_us = count_looks, d.now_user = &looks;
    w = world_make(&d);
    stuck = add_soft_box(w, "stuck", 0.1, 1, 1e5, 0.03, 0.04, 0);
    add_plate(w, 0.1, 0.1, 0.1, 1, 0, 0, 0, &g, 1);
    for (node = 0; node < ct_body_node_count(w, stuck); node++)
        assert_int_equal(ct_body_pin(w, stuck, &node, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    repair = looks, looks = 0;
    step_once(w, 1e-3);
    step = looks;
    print_message("a repair without room took as long as %.1f steps\n", (double)repair / (double)step);
    assert_int_equal(freed, 0);
    assert_true(left > 0 && step > 0);
    assert_true(repair < 10 * step);
    ct_world_destroy(w);
}

/* memory that runs out anywhere in a repair, its last test included, leaves the world unchanged */
static void test_repair_memory(void **state)
{
    enum { RUNS = PLAIN_OR(10, 4), LAST = PLAIN_OR(6, 2) };
    books b;
    int64_t start, total, k;
    uint64_t before, after;
    int freed = 0, left = 0, i, refused = 0, differ = 0;
    ct_world *w;
    (void)state;
    memset(&b, 0, sizeof b);
    w = repair_world(&b);
    before = ct_world_hash(w), start = b.calls;
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    assert_true(freed > 0 && left > 0);
    after = ct_world_hash(w), total = b.calls - start;
    assert_true(after != before);
    ct_world_destroy(w);
    for (i = 0; i < RUNS; i++) {
        k = i < LAST ? total - i : total * (RUNS - i) / (RUNS - LAST + 2);
        memset(&b, 0, sizeof b);
        w = repair_world(&b);
        assert_true(ct_world_hash(w) == before);
        b.fail_at = b.calls + k, b.fail_on = 1;
        if (ct_world_repair(w, &freed, &left) != CT_OK) {
            refused++;
            assert_true(ct_world_hash(w) == before);
            b.fail_at = 0;
            assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
        }
        differ += ct_world_hash(w) != after;
        ct_world_destroy(w);
        assert_int_equal(b.blocks, 0);
    }
    print_message("repair of %d allocations: %d runs refused, %d then end differently\n", (int)total, refused, differ);
    assert_true(refused > RUNS - PLAIN_OR(4, 2));
    assert_int_equal(differ, 0);
}

/* a small box inside of a larger one comes out of it, whatever bodies are added and removed meanwhile */
static void test_inside_outlasts_bodies(void **state)
{
    static const char *const names[3] = {"nothing changes", "a body comes", "a body goes"};
    int change;
    (void)state;
    for (change = 0; change < 3; change++) {
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_motion_segment path[2];
        ct_body_id first, small;
        ct_world *w;
        double p[3];
        int32_t node;
        int i;
        d.gravity[1] = 0;
        path[0] = segment(0, 5, 0, 0, 0, 0, 0.02), path[1] = segment(0, 0, 0, 0, 0, 0, -1);
        w = world_make(&d);
        first = add_soft_box(w, "first", 0.1, 1, 1e5, 3, 0, 0);
        add_plate(w, 0.4, 0.4, 0.4, 2, 0, 0, 0, path, 2);
        small = add_soft_box(w, "small", 0.05, 1, 1e6, 0.01, 0.21, 0.02);
        for (node = 0; node < ct_body_node_count(w, small); node++)
            assert_int_equal(ct_body_pin(w, small, &node, 1, CT_AXIS_ALL, NULL, 0.02), CT_OK);
        assert_true(count_intersections(w) > 0);
        for (i = 0; i < 2; i++)
            step_once(w, 0.01);
        assert_int_equal(count_intersections(w), 0);
        read_middle(w, small, 0, p);
        assert_true(fabs(p[1] - 0.21) < 1e-9); /* 65 mm below the top: wholly inside */
        if (change == 1)
            add_soft_box(w, "new", 0.1, 1, 1e5, -3, 0, 0);
        if (change == 2)
            assert_int_equal(ct_body_remove(w, first), CT_OK);
        for (i = 0; i < 100; i++)
            step_once(w, 0.01);
        read_middle(w, small, 0, p);
        print_message("%s: the small box's middle ends at %.3g %.3g %.3g m\n", names[change], p[0], p[1], p[2]);
        assert_true(p[1] > 0.3);
        assert_int_equal(count_intersections(w), 0);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),          cmocka_unit_test(test_keyframes),       cmocka_unit_test(test_keyframes_memory),
        cmocka_unit_test(test_belt),          cmocka_unit_test(test_push),            cmocka_unit_test(test_scripted_crossing),
        PLAIN_TEST(test_overlap_boxes) PLAIN_TEST(test_overlap_sticks)  PLAIN_TEST(test_overlap_gravity)
        PLAIN_TEST(test_overlap_cloth) cmocka_unit_test(test_momentum),        cmocka_unit_test(test_protected),
        PLAIN_TEST(test_pinch)         PLAIN_TEST(test_no_room)        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_repair_crowded), cmocka_unit_test(test_repair_stuck),  cmocka_unit_test(test_repair_memory),
        cmocka_unit_test(test_inside_outlasts_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
