/* test_joint.c -- joints and stitches: geometry, rows, and whole worlds of jointed bodies. */
#include "world_util.h"
#include "../src/1_math/elem.h"
#include "../src/6_model/joint.h"

#define IS_DOUBLE (sizeof(ct_real) == 8)

/* a rigid box of this size with its centre at (x, y, z) */
static ct_body_id add_rigid_box(ct_world *w, double sx, double sy, double sz, double x, double y, double z, double density, const double *omega)
{
    ct_mesh m = mesh_box(sx, sy, sz, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    int k;
    mesh_place(&m, 0, x, y, z);
    d.mesh = &m;
    d.density = (ct_real)density;
    for (k = 0; omega && k < 3; k++)
        d.angular_velocity[k] = (ct_real)omega[k];
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static ct_joint_desc joint_desc(ct_joint_kind kind, ct_body_id a, ct_body_id b, double x, double y, double z)
{
    ct_joint_desc d = ct_joint_desc_default(kind);
    d.a.body = a, d.b.body = b;
    d.point[0] = (ct_real)x, d.point[1] = (ct_real)y, d.point[2] = (ct_real)z;
    return d;
}

static ct_joint_id join(ct_world *w, const ct_joint_desc *d)
{
    ct_joint_id id = {0, 0};
    ct_code code = ct_joint_add(w, d, &id);
    if (code != CT_OK)
        print_message("ct_joint_add: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

static void pose(const ct_world *w, ct_body_id id, double x[3], double R[9])
{
    ct_real p[3], q[4], M[9];
    int k;
    assert_int_equal(ct_body_get_pose(w, id, p, q), CT_OK);
    M[0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), M[1] = 2 * (q[1] * q[2] - q[0] * q[3]), M[2] = 2 * (q[1] * q[3] + q[0] * q[2]);
    M[3] = 2 * (q[1] * q[2] + q[0] * q[3]), M[4] = 1 - 2 * (q[1] * q[1] + q[3] * q[3]), M[5] = 2 * (q[2] * q[3] - q[0] * q[1]);
    M[6] = 2 * (q[1] * q[3] - q[0] * q[2]), M[7] = 2 * (q[2] * q[3] + q[0] * q[1]), M[8] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    for (k = 0; k < 3; k++)
        x[k] = (double)p[k];
    for (k = 0; k < 9; k++)
        R[k] = (double)M[k];
}

/* a kinematic box of 0.1 that moves along x at 1 m/s for a second, by keyframes */
static ct_body_id add_framed_box(ct_world *w)
{
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_real keys[48];
    ct_body_id id = {0, 0};
    int i;
    for (i = 0; i < 48; i++)
        keys[i] = m.positions[i % 24] + (i >= 24 && i % 3 == 0 ? 1 : 0);
    d.mesh = &m, d.keyframes = keys, d.n_keyframes = 2, d.keyframe_interval = 1;
    assert_int_equal(ct_body_add_kinematic(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* position of the point that was at `start` when the body's centre was at c */
static void material_point(const ct_world *w, ct_body_id id, const double c[3], const double start[3], double out[3])
{
    double x[3], R[9];
    int i, j;
    pose(w, id, x, R);
    for (i = 0; i < 3; i++)
        for (out[i] = x[i], j = 0; j < 3; j++)
            out[i] += R[3 * i + j] * (start[j] - c[j]);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* ---- a chain that swings ---- */

enum { LINKS = 10 };
typedef struct chain {
    ct_world *w;
    ct_body_id link[LINKS], world;
    double c[LINKS][3], at[LINKS][3];
} chain;

static void chain_make(chain *s, double angle)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    int i;
    memset(s, 0, sizeof *s);
    s->w = world_make(&d);
    for (i = 0; i < LINKS; i++) {
        ct_joint_desc j;
        double cs = cos(angle), sn = sin(angle);
        ct_mesh m = mesh_box(0.2, 0.03, 0.02, 1, 1, 1, 0);
        ct_rigid_desc r = ct_rigid_desc_default();
        s->c[i][0] = cs * (0.1 + 0.2 * i), s->c[i][1] = sn * (0.1 + 0.2 * i);
        s->at[i][0] = cs * 0.2 * i, s->at[i][1] = sn * 0.2 * i;
        mesh_place(&m, angle, s->c[i][0], s->c[i][1], 0);
        r.mesh = &m;
        assert_int_equal(ct_body_add_rigid(s->w, &r, &s->link[i]), CT_OK);
        ct_mesh_free(&m);
        j = joint_desc(CT_JOINT_BALL, s->link[i], i ? s->link[i - 1] : s->world, s->at[i][0], s->at[i][1], 0);
        join(s->w, &j);
    }
}

static double chain_gap(const chain *s)
{
    double worst = 0;
    int i;
    for (i = 0; i < LINKS; i++) {
        double p[3], q[3] = {0, 0, 0};
        const double *at = s->at[i];
        material_point(s->w, s->link[i], s->c[i], at, p);
        if (i)
            material_point(s->w, s->link[i - 1], s->c[i - 1], at, q);
        worst = fmax(worst, distance(p, q));
    }
    return worst;
}

/* ten seconds at rather large steps: the points stay together, the energy does not drift */
static void a_chain_of_ten_swings(void **state)
{
    chain s;
    int i, n = IS_DOUBLE ? 1000 : 300;
    double gap = 0, e0 = 0, lo = 1e30, hi = -1e30, late = 0, early = 0, moved = 0;
    (void)state;
    chain_make(&s, -0.9);
    for (i = 0; i < n; i++) {
        double e;
        ct_step_report r = step_once(s.w, 0.01);
        assert_true(r.status <= CT_STATUS_SUBSTEPPED);
        gap = fmax(gap, chain_gap(&s));
        assert_true(fabs(chain_gap(&s) - (double)r.joint_error) < (IS_DOUBLE ? 1e-9 : 2e-6));
        e = r.energy_kinetic + r.energy_gravity;
        moved = fmax(moved, r.energy_kinetic);
        if (i == 0)
            e0 = e;
        lo = fmin(lo, e - e0), hi = fmax(hi, e - e0);
        if (i >= n / 2)
            late = fmax(late, fabs(e - e0));
        else
            early = fmax(early, fabs(e - e0));
    }
    /* the energy oscillates with the offset of v within the step, and does not drift */
    assert_true(moved > 2);
    assert_true(gap < (IS_DOUBLE ? 1e-6 : 2e-5));
    assert_true(hi - lo < 0.04 * moved);
    assert_true(late < 1.3 * early + (IS_DOUBLE ? 1e-9 : 0.02)); /* rounding alone: 6e-14 J of 2.5 */
    ct_world_destroy(s.w);
}

/* the same chain in free flight: without outer forces momentum and angular momentum stay */
static void a_free_chain_keeps_its_momentum(void **state)
{
    enum { N = 5 };
    static const double m0 = 1000 * 0.2 * 0.03 * 0.02;
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w;
    ct_body_id id[N], none = {0, 0};
    double P[2][3], L[2][3], size = 0;
    int i, k, t;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    for (i = 0; i < N; i++) {
        double omega[3] = {0.7, 3, -1};
        ct_joint_desc j;
        omega[1] += i, omega[0] *= i;
        id[i] = add_rigid_box(w, 0.2, 0.03, 0.02, 0.1 + 0.2 * i, 0, 0, 1000, omega);
        j = joint_desc(CT_JOINT_BALL, id[i], i ? id[i - 1] : none, 0.2 * i, 0, 0);
        if (i)
            join(w, &j);
    }
    for (t = 0; t < 201; t++) {
        double *p = P[t > 0], *l = L[t > 0];
        ct_real v0[3], w0[3];
        if (t)
            step_once(w, 0.005);
        for (k = 0; k < 3; k++)
            p[k] = l[k] = 0;
        for (i = 0; i < N; i++) {
            double x[3], R[9], I[3], b[3], v[3], o[3];
            pose(w, id[i], x, R);
            assert_int_equal(ct_body_get_motion(w, id[i], v0, w0), CT_OK);
            for (k = 0; k < 3; k++)
                v[k] = (double)v0[k], o[k] = (double)w0[k];
            I[0] = m0 / 12 * (0.03 * 0.03 + 0.02 * 0.02), I[1] = m0 / 12 * (0.2 * 0.2 + 0.02 * 0.02), I[2] = m0 / 12 * (0.2 * 0.2 + 0.03 * 0.03);
            for (k = 0; k < 3; k++)
                b[k] = I[k] * (R[k] * o[0] + R[3 + k] * o[1] + R[6 + k] * o[2]);
            for (k = 0; k < 3; k++) {
                p[k] += m0 * v[k];
                l[k] += m0 * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]);
                l[k] += R[3 * k] * b[0] + R[3 * k + 1] * b[1] + R[3 * k + 2] * b[2];
                size = fmax(size, fabs(l[k]));
            }
        }
    }
    for (k = 0; k < 3; k++) {
        assert_true(fabs(P[1][k] - P[0][k]) < (IS_DOUBLE ? 1e-12 : 1e-5));
        assert_true(fabs(L[1][k] - L[0][k]) < (IS_DOUBLE ? 2e-6 : 1e-4) * size);
    }
    ct_world_destroy(w);
}

/* a door on a tilted axis, a hinge between two tumbling boxes: the axes stay together, rotation about them is free */
static void hinges_keep_their_axis(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    double omega[3] = {1, 2, 0.5}, worst = 0, gap = 0, turned = 0, n[3] = {1, 2, 2};
    ct_body_id a = add_rigid_box(w, 0.3, 0.2, 0.1, 0.2, 0, 0, 500, omega), b = add_rigid_box(w, 0.2, 0.2, 0.2, 0.5, 0, 0, 900, NULL), none = {0, 0};
    ct_joint_desc j = joint_desc(CT_JOINT_HINGE, a, none, 0, 0, 0), k2 = joint_desc(CT_JOINT_HINGE, a, b, 0.35, 0.1, 0);
    int i, k;
    (void)state;
    j.axis[0] = 1, j.axis[1] = 2, j.axis[2] = 2;
    k2.axis[0] = 0, k2.axis[1] = 0, k2.axis[2] = 3;
    join(w, &j), join(w, &k2);
    for (i = 0; i < (IS_DOUBLE ? 1000 : 200); i++) {
        double xa[3], Ra[9], xb[3], Rb[9], e = 0, f = 0, c0[3] = {0.2, 0, 0}, c1[3] = {0.5, 0, 0};
        double at[3] = {0.35, 0.1, 0}, p[3], q[3], o[3] = {0, 0, 0};
        ct_step_report r = step_once(w, 0.005);
        assert_true(r.status <= CT_STATUS_SUBSTEPPED);
        pose(w, a, xa, Ra), pose(w, b, xb, Rb);
        for (k = 0; k < 3; k++) {
            e = fmax(e, fabs((Ra[3 * k] * n[0] + Ra[3 * k + 1] * n[1] + Ra[3 * k + 2] * n[2] - n[k]) / 3));
            f = fmax(f, fabs(Ra[3 * k + 2] - Rb[3 * k + 2]));
        }
        worst = fmax(worst, fmax(e, f));
        turned = fmax(turned, fabs(Ra[0] - Rb[0]));
        material_point(w, a, c0, at, p), material_point(w, b, c1, at, q);
        gap = fmax(gap, distance(p, q));
        material_point(w, a, c0, o, p);
        gap = fmax(gap, distance(p, o));
    }
    assert_true(worst < (IS_DOUBLE ? 1e-6 : 1e-4));
    assert_true(gap < (IS_DOUBLE ? 1e-6 : 1e-5));
    assert_true(turned > 0.3);
    ct_world_destroy(w);
}

/* a beam of three fixed boxes on the wall stays in place, and its impulse carries its weight and torque; a fixed pair flies as one body */
static void fixed_joints_make_one_body(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id id[3], none = {0, 0};
    ct_joint_id wall = {0, 0};
    ct_real p[3], l[3];
    double weight = 3 * 0.2 * 0.1 * 0.1 * 1000 * 9.81 * 0.01, x[3], R[9], R1[9], c[2][3], omega[3] = {3, -2, 4};
    int i, k;
    (void)state;
    for (i = 0; i < 3; i++) {
        ct_joint_desc j;
        id[i] = add_rigid_box(w, 0.2, 0.1, 0.1, 0.1 + 0.2 * i, 0, 0, 1000, NULL);
        j = joint_desc(CT_JOINT_FIXED, id[i], i ? id[i - 1] : none, 0.2 * i, 0, 0);
        if (i)
            join(w, &j);
        else
            wall = join(w, &j);
    }
    for (i = 0; i < 200; i++)
        assert_int_equal(step_once(w, 0.01).status, CT_STATUS_OK);
    for (i = 0; i < 3; i++) {
        pose(w, id[i], x, R);
        assert_true(fabs(x[0] - 0.1 - 0.2 * i) < 1e-6 && fabs(x[1]) < 1e-6 && fabs(x[2]) < 1e-6);
        assert_true(fabs(R[1]) < 2e-6 && fabs(R[2]) < 2e-6);
    }
    assert_int_equal(ct_joint_get_impulse(w, wall, p, l), CT_OK);
    assert_true(fabs((double)p[1] - weight) < 1e-3 * weight && fabs((double)p[0]) < 1e-3 * weight);
    assert_true(fabs((double)l[2] - 0.3 * weight) < 1e-3 * weight && fabs((double)l[0]) < 1e-3 * weight);
    ct_world_destroy(w);
    d.gravity[1] = 0;
    w = world_make(&d);
    id[0] = add_rigid_box(w, 0.2, 0.1, 0.1, 0.1, 0, 0, 1000, omega);
    id[1] = add_rigid_box(w, 0.1, 0.3, 0.1, 0.2, 0.2, 0, 500, NULL);
    {
        ct_joint_desc j = joint_desc(CT_JOINT_FIXED, id[1], id[0], 0.2, 0.05, 0);
        join(w, &j);
    }
    for (i = 0; i < 300; i++) {
        step_once(w, 0.01);
        pose(w, id[0], c[0], R), pose(w, id[1], c[1], R1);
        for (k = 0; k < 9; k++)
            assert_true(fabs(R[k] - R1[k]) < (IS_DOUBLE ? 1e-6 : 1e-4));
        assert_true(fabs(distance(c[0], c[1]) - sqrt(0.05)) < (IS_DOUBLE ? 1e-6 : 1e-5));
    }
    assert_true(fabs(R[0] - 1) > 0.01);
    ct_world_destroy(w);
}

/* a stitch is a spring: a crate that hangs from it hangs m g / k lower; a rigid one keeps its length */
static void stitches_stretch_as_springs(void **state)
{
    static const double stiffness[3] = {200, 5000, 0};
    int s, i;
    (void)state;
    for (s = 0; s < 3; s++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_world *w = world_make(&d);
        ct_body_id a = add_rigid_box(w, 0.1, 0.1, 0.1, 0, 0, 0, 1000, NULL), roof = {0, 0};
        ct_joint_desc j = joint_desc(CT_JOINT_STITCH, a, roof, 0, 0, 0);
        ct_mesh m = mesh_box(0.02, 0.02, 0.02, 1, 1, 1, 0);
        ct_static_desc sd = ct_static_desc_default();
        double x[3], R[9], top = 0, rest, want;
        /* vertex 7 of a box is its corner at (+, +, +) */
        mesh_place(&m, 0, 0.05 - 0.01, 0.05 + 0.2 + 0.01, 0.05 - 0.01);
        sd.mesh = &m;
        assert_int_equal(ct_body_add_static(w, &sd, &roof), CT_OK);
        ct_mesh_free(&m);
        {
            double *p = read_vectors(w, a, 0, NULL), *q = read_vectors(w, roof, 0, NULL);
            int va = -1, vb = -1;
            for (i = 0; i < 8; i++) {
                if (p[3 * i] > 0 && p[3 * i + 1] > 0 && p[3 * i + 2] > 0)
                    va = i;
                if (q[3 * i] > 0.04 && q[3 * i + 1] < 0.255 && q[3 * i + 2] > 0.04)
                    vb = i;
            }
            free(p), free(q);
            j.a.vertices[0] = va, j.b.body = roof, j.b.vertices[0] = vb;
        }
        rest = s == 2 ? 0.2 : 0.15;
        j.rest_length = (ct_real)rest;
        j.compliance = stiffness[s] > 0 ? (ct_real)(1 / stiffness[s]) : 0;
        join(w, &j);
        for (i = 0; i < 3000; i++) {
            ct_real v[3], o[3];
            int k;
            step_once(w, 0.01);
            /* damped towards rest */
            assert_int_equal(ct_body_get_motion(w, a, v, o), CT_OK);
            for (k = 0; k < 3; k++)
                v[k] *= (ct_real)0.96, o[k] *= (ct_real)0.96;
            assert_int_equal(ct_body_set_motion(w, a, v, o), CT_OK);
        }
        {
            double *p = read_vectors(w, a, 0, NULL), corner[3], up[3] = {0.05, 0.25, 0.05};
            for (i = 0; i < 3; i++)
                corner[i] = p[3 * j.a.vertices[0] + i];
            top = distance(corner, up);
            free(p);
        }
        want = rest + (stiffness[s] > 0 ? 9.81 / stiffness[s] : 0);
        pose(w, a, x, R);
        assert_true(fabs(top - want) < (s == 2 ? 1e-6 : 1e-4 * want));
        /* the centre of mass is below the attachment */
        assert_true(fabs(x[0] - 0.05) < 2e-3 && fabs(x[2] - 0.05) < 2e-3);
        ct_world_destroy(w);
    }
}

/* a cloth whose corner is attached to a falling crate: they fall and stay together, and exchange momentum */
static void cloth_hangs_on_a_crate(void **state)
{
    ct_world_desc d = world_desc(2e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_grid(0.5, 0.5, 8, 8);
    ct_body_id cloth, crate, other, none = {0, 0};
    ct_joint_desc j;
    double offset[3], v[3];
    int i, k;
    (void)state;
    mesh_place(&m, 0, 0.3, 0, 0);
    cloth = add_cloth_mesh(w, "sheet", &m, CT_MODEL_SPRINGS, 0.2);
    ct_mesh_free(&m);
    crate = add_rigid_box(w, 0.1, 0.1, 0.1, -0.02, 0, -0.25, 800, NULL);
    other = add_rigid_box(w, 0.1, 0.1, 0.1, 0.62, 0, 0.25, 800, NULL);
    j = joint_desc(CT_JOINT_BALL, cloth, crate, 0, 0, 0);
    j.a.vertices[0] = 0;
    join(w, &j);
    j.a.vertices[0] = 80, j.b.body = other;
    join(w, &j);
    j = joint_desc(CT_JOINT_BALL, other, none, 0.62, 0, 0.25);
    join(w, &j);
    for (i = 0; i < 150; i++) {
        double x[3], R[9], *p;
        ct_step_report r = step_once(w, 0.01);
        assert_true(r.status != CT_STATUS_NOT_CONVERGED);
        assert_int_equal(count_intersections(w), 0);
        p = read_vectors(w, cloth, 0, NULL);
        pose(w, crate, x, R);
        for (k = 0; k < 3; k++)
            v[k] = R[k] * (p[0] - x[0]) + R[3 + k] * (p[1] - x[1]) + R[6 + k] * (p[2] - x[2]);
        if (i == 0)
            memcpy(offset, v, sizeof v);
        for (k = 0; k < 3; k++)
            assert_true(fabs(v[k] - offset[k]) < (IS_DOUBLE ? 1e-6 : 1e-5));
        free(p);
        if (i == 149)
            assert_true(x[1] < -0.3);
    }
    ct_world_destroy(w);
}

/* stitched vertices of two cloths stay 1.1 thicknesses apart, without touching, also where a length below that was asked for: 0 froze the world */
static void sheets_stay_clear(double rest)
{
    ct_world_desc d = world_desc(2e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_grid(0.3, 0.3, 6, 6);
    ct_body_id a, b;
    ct_joint_desc j;
    int32_t corners[2] = {0, 6};
    double *p, *q;
    int i;
    a = add_cloth_mesh(w, "upper", &m, CT_MODEL_SPRINGS, 0.2);
    mesh_place(&m, 0, 0, -0.02, 0.01);
    b = add_cloth_mesh(w, "lower", &m, CT_MODEL_SPRINGS, 0.2);
    ct_mesh_free(&m);
    assert_int_equal(ct_body_pin(w, a, corners, 2, CT_AXIS_ALL, NULL, -1), CT_OK);
    j = joint_desc(CT_JOINT_STITCH, a, b, 0, 0, 0);
    j.rest_length = (ct_real)rest;
    for (i = 42; i < 49; i++) {
        j.a.vertices[0] = j.b.vertices[0] = i;
        join(w, &j);
    }
    for (i = 0; i < 100; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_true(r.status != CT_STATUS_NOT_CONVERGED);
        assert_int_equal(count_intersections(w), 0);
    }
    p = read_vectors(w, a, 0, NULL), q = read_vectors(w, b, 0, NULL);
    for (i = 42; i < 49; i++)
        assert_true(fabs(distance(p + 3 * i, q + 3 * i) - 2.2e-3) < 2e-5);
    free(p), free(q);
    ct_world_destroy(w);
}

/* corners of one sheet that stitches hold together meet where the sheet does not collide with itself, and stay 1.1 thicknesses apart where it does */
static void a_sheet_stitched_to_itself(int collides)
{
    ct_world_desc d = world_desc(2e-3, 0.4, NULL);
    ct_world *w;
    ct_mesh m = mesh_grid(0.3, 0.3, 6, 6);
    ct_joint_desc j;
    ct_body_id a;
    double *x;
    int i;
    d.self_collision = collides, d.gravity[1] = 0;
    w = world_make(&d);
    a = add_cloth_mesh(w, "sleeve", &m, CT_MODEL_SPRINGS, 0.2);
    ct_mesh_free(&m);
    j = joint_desc(CT_JOINT_STITCH, a, a, 0, 0, 0);
    j.rest_length = 0, j.a.vertices[0] = 0, j.b.vertices[0] = 6;
    join(w, &j);
    for (i = 0; i < 100; i++)
        assert_true(step_once(w, 0.01).status != CT_STATUS_NOT_CONVERGED);
    x = read_vectors(w, a, 0, NULL);
    assert_true(fabs(distance(x, x + 18) - (collides ? 2.2e-3 : 0)) < 2e-5);
    free(x);
    ct_world_destroy(w);
}

static void stitched_sheets_stay_clear(void **state)
{
    a_sheet_stitched_to_itself(0), a_sheet_stitched_to_itself(1);
    (void)state;
    sheets_stay_clear(-1), sheets_stay_clear(0), sheets_stay_clear(1e-3);
}

/* a point of a body of its own, with velocity v along x */
static ct_body_id add_point(ct_world *w, double x, double y, double mass, double v, double w_z, double damping)
{
    ct_points_desc d = ct_points_desc_default();
    ct_real at[3], m = (ct_real)mass;
    ct_mesh mesh;
    ct_body_id id = {0, 0};
    memset(&mesh, 0, sizeof mesh);
    at[0] = (ct_real)x, at[1] = (ct_real)y, at[2] = 0;
    mesh.positions = at, mesh.n_positions = 1;
    d.mesh = &mesh, d.masses = &m, d.radius = (ct_real)1e-4, d.damping_mass = (ct_real)damping;
    d.velocity[0] = (ct_real)(v - w_z * y), d.velocity[1] = (ct_real)(w_z * x);
    assert_int_equal(ct_body_add_points(w, &d, &id), CT_OK);
    return id;
}

static void stitch(ct_world *w, ct_body_id a, ct_body_id b, double rest)
{
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_STITCH);
    j.a.body = a, j.b.body = b;
    j.a.vertices[0] = j.b.vertices[0] = 0, j.a.weights[0] = j.b.weights[0] = 1;
    j.rest_length = (ct_real)rest, j.collide = 0;
    join(w, &j);
}

/* 1 kg hangs by a stitch of length L from a light point of mass m, which hangs from a pinned one. With tension T the light point vibrates across
   with w^2 = T / (L m), and has to come to rest at every w dt */
static void stitches_under_tension_come_to_rest(void **state)
{
    static const double mass[4] = {0.01, 0.01, 1e-3, 1e-3}, length[4] = {0.1, 0.02, 0.1, 0.01};
    int k, i;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world_desc d = world_desc(1e-4, 0, NULL);
        ct_world *w = world_make(&d);
        ct_body_id top = add_point(w, 0, 0, 1, 0, 0, 0), light = add_point(w, 0, -0.5, mass[k], 0.05, 0, 0.5);
        ct_body_id heavy = add_point(w, 0, -0.5 - length[k], 1, 0, 0, 0.5);
        const int32_t one = 0;
        int status = 0;
        double kinetic = 0;
        assert_int_equal(ct_body_pin(w, top, &one, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        stitch(w, top, light, 0.5), stitch(w, light, heavy, length[k]);
        for (i = 0; i < 2000; i++) {
            ct_step_report r = step_once(w, 0.01);
            status = (int)r.status > status ? (int)r.status : status;
            kinetic += i >= 1700 ? r.energy_kinetic / 300 : 0;
        }
        print_message("(w dt)^2 %.3g: kinetic energy %.2g J after 17 s, worst status %d\n", 1e-4 * 9.81 / (length[k] * mass[k]), kinetic, status);
        /* the heavy point at the solver's tolerance of g dt: in float 1e-4 m/s. There a rounding that a joint closes may look like a gain */
        assert_true(kinetic < (IS_DOUBLE ? 1e-9 : 5e-9));
        assert_true(status <= (int)(IS_DOUBLE ? CT_STATUS_OK : CT_STATUS_SUBSTEPPED));
        ct_world_destroy(w);
    }
}

/* Two points of 1 kg and a light one between them rotate freely about their centre at 10 rad/s, joined by stitches, of which one has w dt = 6 across.
   They keep linear and angular momentum, and gain no energy after the first step */
static void light_points_on_stitches_spin(void **state)
{
    static const double right[2] = {0.5, 0.05};
    int k, i, q;
    (void)state;
    for (k = 0; k < 2; k++) {
        const double at[3] = {-0.5, 0, right[k]}, mass[3] = {1, 0.01, 1}, center = (right[k] - 0.5) / 2.01;
        ct_world_desc d = world_desc(1e-4, 0, NULL);
        ct_world *w;
        ct_body_id b[3];
        double start[3] = {0, 0, 0}, end[3] = {0, 0, 0}, least = 1e9, most = 0;
        memset(d.gravity, 0, sizeof d.gravity);
        w = world_make(&d);
        for (i = 0; i < 3; i++)
            b[i] = add_point(w, at[i] - center, 0, mass[i], i == 1 ? 0.1 : 0, 10, 0);
        stitch(w, b[0], b[1], 0.5), stitch(w, b[1], b[2], right[k]);
        for (q = 0; q <= 500; q++) {
            double *sum = q == 0 ? start : end;
            memset(end, 0, sizeof end);
            for (i = 0; i < 3; i++) {
                double *x = read_vectors(w, b[i], 0, NULL), *v = read_vectors(w, b[i], 1, NULL);
                sum[0] += mass[i] * v[0], sum[1] += mass[i] * v[1], sum[2] += mass[i] * (x[0] * v[1] - x[1] * v[0]);
                free(x), free(v);
            }
            if (q < 500) {
                ct_step_report r = step_once(w, 0.02);
                /* in float a rounding of the tension's impulse, 1 N s, moves the light point by 1.2e-3 of a thousandth of 5 m/s */
                assert_true(IS_DOUBLE ? r.status == CT_STATUS_OK : r.residual < 1e-2);
                if (q > 0)
                    least = fmin(least, r.energy_kinetic), most = fmax(most, r.energy_kinetic);
            }
        }
        print_message("arms of .5 and %g m: angular momentum %.6f to %.6f, linear %.1e; kinetic energy %.4f to %.4f\n", right[k], start[2], end[2],
                      fabs(end[0] - start[0]) + fabs(end[1] - start[1]), least, most);
        assert_true(fabs(end[2] / start[2] - 1) < 1e-5);
        /* in float each of 500 steps rounds momenta of 5 N s by up to 3e-7 */
        assert_true(fabs(end[0] - start[0]) + fabs(end[1] - start[1]) < (IS_DOUBLE ? 1e-9 : 1.5e-4));
        assert_true(most < (IS_DOUBLE ? 1.001 : 1.02) * least);
        ct_world_destroy(w);
    }
}

/* a block on a hinge is carried along and rotated by a kinematic arm */
static void scripts_carry_what_they_hold(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    int mode;
    (void)state;
    for (mode = 0; mode < 2; mode++) {
        ct_world *w;
        ct_kinematic_desc kd = ct_kinematic_desc_default();
        ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
        ct_body_id arm = {0, 0}, block;
        ct_joint_desc j;
        double x[3], R[9];
        int i;
        d.row_mode = mode ? CT_ROW_VELOCITY : CT_ROW_ANTICIPATED;
        w = world_make(&d);
        kd.mesh = &m;
        kd.motion.linear[0] = 1;
        kd.motion.angular[1] = 2;
        assert_int_equal(ct_body_add_kinematic(w, &kd, &arm), CT_OK);
        ct_mesh_free(&m);
        step_once(w, 0.01);
        block = add_rigid_box(w, 0.1, 0.1, 0.1, 0.11, 0.12, 0, 1000, NULL);
        j = joint_desc(CT_JOINT_FIXED, block, arm, 0.01, 0.06, 0);
        join(w, &j);
        for (i = 0; i < 100; i++)
            assert_true(step_once(w, 0.01).status <= CT_STATUS_SUBSTEPPED);
        pose(w, block, x, R);
        /* the script has rotated by 2 rad and moved 1 m since then */
        assert_true(fabs(R[0] - cos(2.0)) < (mode ? 1e-2 : 2e-5) && fabs(R[2] - sin(2.0)) < (mode ? 1e-2 : 2e-5));
        assert_true(fabs(x[0] - 1.01 - 0.1 * cos(2.0)) < (mode ? 5e-3 : 2e-6) && fabs(x[2] + 0.1 * sin(2.0)) < (mode ? 5e-3 : 2e-6));
        assert_true(fabs(x[1] - 0.12) < (mode ? 2e-3 : 2e-6));
        ct_world_destroy(w);
    }
}

/* A stitch and a ball hold vertices of a body that moves by keyframes. They held where these were when the joint was added. A point or an axis has
   no keyframes to follow, and is refused. */
static void keyframes_carry_what_they_hold(void **state)
{
    static const ct_stepper steppers[] = {CT_STEPPER_CMR, CT_STEPPER_BARRIER, CT_STEPPER_GEOMETRIC};
    int turn, i, k;
    (void)state;
    for (turn = PLAIN_OR(0, 1); turn < 6; turn += PLAIN_OR(1, 3)) {
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_joint_desc j = ct_joint_desc_default(turn % 2 ? CT_JOINT_STITCH : CT_JOINT_BALL);
        /* the ball's bodies collide: in float barriers hold it open by up to 2.5 thicknesses for a step (docs/limits.md) */
        const double wide = turn / 2 == 2 || (!IS_DOUBLE && turn == 2) ? 5e-3 : 1e-3;
        double *held, *soft, gap, most = 0;
        ct_body_id box, frame;
        ct_step_report r;
        ct_world *w;
        d.stepper = steppers[turn / 2], d.gravity[1] = 0;
        w = world_make(&d);
        frame = add_framed_box(w);
        box = add_soft_box(w, "box", 0.1, 1, 1e5, 0.2, 0.2, 0.03);
        for (i = 0; i < 10; i++) /* the joint is added on the way */
            step_once(w, 0.01);
        held = read_vectors(w, frame, 0, NULL), soft = read_vectors(w, box, 0, NULL);
        gap = distance(held + 21, soft);
        free(held), free(soft);
        j.a.body = box, j.a.vertices[0] = 0, j.b.body = frame, j.b.vertices[0] = 7;
        j.rest_length = turn % 2 ? (ct_real)gap : 0;
        join(w, &j);
        for (i = 0; i < 50; i++) {
            r = step_once(w, 0.01);
            held = read_vectors(w, frame, 0, NULL), soft = read_vectors(w, box, 0, NULL);
            if (i >= 25) /* a ball first pulls its points together */
                most = fmax(most, fabs(distance(held + 21, soft) - (turn % 2 ? gap : 0)));
            for (k = 0; i == 49 && k < 3; k++)
                assert_true(fabs(held[3 * 7 + k] - (k == 0 ? 0.65 : 0.05)) < 1e-6);
            free(held), free(soft);
        }
        assert_true(most < wide); /* the geometric stepper's joints are elastics */
        assert_true((double)r.joint_error < wide);
        ct_world_destroy(w);
    }
    {
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_world *w = world_make(&d);
        ct_body_id frame = add_framed_box(w), crate = add_rigid_box(w, 0.1, 0.1, 0.1, 0, 0.3, 0, 1000, NULL);
        ct_joint_desc j = joint_desc(CT_JOINT_FIXED, crate, frame, 0, 0.15, 0);
        assert_int_equal(ct_joint_add(w, &j, NULL), CT_ERR_UNSUPPORTED);
        assert_non_null(strstr(ct_world_error(w)->text, "keyframes"));
        j = joint_desc(CT_JOINT_BALL, crate, frame, 0, 0.15, 0);
        assert_int_equal(ct_joint_add(w, &j, NULL), CT_ERR_UNSUPPORTED);
        ct_world_destroy(w);
    }
}

/* Two corners that a joint pulls together and a collision holds apart. The corners are points of the two surfaces, so that the joint misses
   by no less than the surfaces' distance. CCD keeps a quarter of the thickness h between features that start a substep at h/2 or more
   apart, and half of their distance where they start nearer: a step that lets more go has lost a collision */
static void pull_corners(ct_world *w)
{
    const double h = 1e-3;
    double before = (double)step_once(w, 0.01).joint_error;
    int i;
    for (i = 0; i < 40; i++) {
        ct_step_report r = step_once(w, 0.01);
        double apart = r.joint_error;
        assert_int_equal(count_intersections(w), 0);
        assert_true(apart > (double)r.min_distance - 1e-6 * h && apart < h);
        assert_true(apart > h / 4 && apart > before / 2);
        assert_int_equal(r.status, CT_STATUS_NOT_CONVERGED);
        before = apart;
    }
}

/* What cannot close costs what a step in contact may take: it is not divided, and takes no more sweeps than the 200 of one solve by default */
static void pull_faces(ct_joint_kind kind, double aside, double gravity)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w;
    ct_body_id a, b, none = {0, 0};
    ct_joint_desc j;
    int i, k;
    d.gravity[1] = (ct_real)-gravity;
    w = world_make(&d);
    a = add_rigid_box(w, 0.1, 0.1, 0.1, 0, 0, 0, 1000, NULL);
    b = add_rigid_box(w, 0.1, 0.1, 0.1, 0.3, aside, 0, 1000, NULL);
    j = joint_desc(CT_JOINT_FIXED, a, none, 0, 0, 0);
    join(w, &j);
    j = joint_desc(kind, b, a, 0, 0, 0);
    j.collide = 1;
    j.a.vertices[0] = j.b.vertices[0] = 1, j.a.vertices[1] = j.b.vertices[1] = 6; /* middles of the same side: .1 m apart where they touch */
    for (k = 0; k < 2; k++)
        j.a.weights[k] = j.b.weights[k] = (ct_real)0.5;
    join(w, &j);
    for (i = 0; i < 27; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_int_equal(count_intersections(w), 0);
        assert_true(r.substeps == 1 && r.solver_sweeps < 200);
        assert_true(i < 22 || fabs(r.energy_gained) < 0.02 * 0.5); /* 2 % of 1 kg at the recovery speed: nothing moves */
        assert_true(r.status == (i < 18 ? CT_STATUS_OK : CT_STATUS_NOT_CONVERGED) || (i >= 18 && i < 22));
        assert_true(i < 22 || (r.joint_error > 0.0999 && r.joint_error < 0.115));
    }
    ct_world_destroy(w);
}

/* Corners of a soft box and of another box, soft or rigid, that a joint pulls together and a collision holds apart. Nothing is frozen, a step takes
   at most 4,000 sweeps in the mean of all pairs, and the bodies, 1 kg each, have at most the energy of ten times the recovery speed of 1 m/s. In float impulses
   that cancel are rounded, which takes more sweeps (docs/limits.md) */
static void soft_corners_stay_apart(void **state)
{
    static const double young[2] = {1e5, 1e7};
    int k, i, sweeps = 0;
    (void)state;
    for (k = 0; k < 8; k++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_world *w;
        ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
        ct_body_id a, b;
        ct_joint_desc j;
        d.gravity[1] = (ct_real)(k & 4 ? -9.81 : 0);
        w = world_make(&d);
        if (k & 4)
            add_plane(w, 0, 1, 0, -0.0515);
        a = add_soft_mesh(w, "soft", &m, young[k & 1], 0, 0, 0);
        mesh_place(&m, 0, 0.15, 0, 0);
        if (k & 2) {
            ct_rigid_desc r = ct_rigid_desc_default();
            r.mesh = &m, r.density = 1000;
            assert_int_equal(ct_body_add_rigid(w, &r, &b), CT_OK);
        } else
            b = add_soft_mesh(w, "other", &m, young[k & 1], 0, 0, 0);
        ct_mesh_free(&m);
        j = joint_desc(CT_JOINT_BALL, b, a, 0, 0, 0);
        j.a.vertices[0] = j.b.vertices[0] = 0, j.collide = 1;
        join(w, &j);
        for (i = 0; i < 60; i++) {
            ct_step_report r = step_once(w, 0.01);
            assert_true(r.frozen == 0 && r.energy_kinetic + r.energy_elastic < 50);
            assert_int_equal(count_intersections(w), 0);
            assert_true(i < 16 || r.joint_error < 2e-3);
            sweeps += i < 20 ? 0 : r.solver_sweeps;
        }
        ct_world_destroy(w);
    }
    print_message("%d sweeps a step\n", sweeps / 320);
    assert_true(!IS_DOUBLE || sweeps < 320 * 4000);
}

/* points that are apart when they are joined approach at the recovery speed, and jointed bodies pass through each other unless told not to */
static void joints_pull_together(void **state)
{
    int collide;
    (void)state;
    for (collide = 0; collide < 2; collide++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_world *w;
        ct_body_id a, b, none = {0, 0};
        ct_joint_desc j;
        double x[3], R[9];
        int i;
        d.gravity[1] = 0;
        w = world_make(&d);
        a = add_rigid_box(w, 0.1, 0.1, 0.1, 0, 0, 0, 1000, NULL);
        b = add_rigid_box(w, 0.1, 0.1, 0.1, 0.3, 0, 0, 1000, NULL);
        j = joint_desc(CT_JOINT_FIXED, a, none, 0, 0, 0);
        join(w, &j);
        /* corner to the other body's corner: 0.3 m apart */
        j = joint_desc(CT_JOINT_BALL, b, a, 0, 0, 0);
        j.a.vertices[0] = j.b.vertices[0] = 3;
        j.collide = collide ? 1 : -1;
        join(w, &j);
        for (i = 0; i < 10; i++)
            assert_true(step_once(w, 0.01).status == CT_STATUS_OK);
        pose(w, b, x, R);
        if (!collide)
            assert_true(step_once(w, 0.01).joint_error > 0.15); /* 1 m/s at most */
        for (i = 0; i < (collide ? 20 : 60); i++)
            step_once(w, 0.01);
        if (collide)
            pull_corners(w);
        else
            assert_true(step_once(w, 0.01).joint_error < 1e-5);
        ct_world_destroy(w);
    }
    pull_faces(CT_JOINT_BALL, 0.01, 0), pull_faces(CT_JOINT_BALL, 0.01, 9.81);
    pull_faces(CT_JOINT_FIXED, 0.01, 0), pull_faces(CT_JOINT_HINGE, 0.01, 9.81);
}

/* Three balls ask that corners 10 cm apart on one box meet corners 17, 14 and 10 cm apart on another: no motion closes all. The box rests, each step
   is one, and says that its joints are apart. What hangs from it swings on */
static void joints_contradict_each_other(void **state)
{
    static const int mine[3] = {0, 3, 1}, others[3] = {0, 7, 2};
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id none = {0, 0}, a = add_rigid_box(w, 0.1, 0.1, 0.1, 0, 0, 0, 1000, NULL);
    ct_body_id b = add_rigid_box(w, 0.1, 0.1, 0.1, 0.3, 0.02, 0.01, 1000, NULL), c = add_rigid_box(w, 0.1, 0.1, 0.1, 0.6, 0.02, 0.01, 1000, NULL);
    ct_joint_desc j = joint_desc(CT_JOINT_FIXED, a, none, 0, 0, 0);
    double x[3], R[9], low = 1;
    int i;
    (void)state;
    join(w, &j);
    for (i = 0; i < 3; i++) {
        j = joint_desc(CT_JOINT_BALL, b, a, 0, 0, 0);
        j.a.vertices[0] = mine[i], j.b.vertices[0] = others[i];
        join(w, &j);
    }
    j = joint_desc(CT_JOINT_BALL, c, b, 0.45, 0.02, 0.01);
    join(w, &j);
    for (i = 0; i < 100; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_true(r.substeps == 1 && r.status == CT_STATUS_NOT_CONVERGED);
        pose(w, c, x, R);
        low = fmin(low, x[1]);
    }
    assert_true(low < -0.1 && low > 0.02 - 0.15 * 1.01); /* a pendulum of 15 cm */
    pose(w, b, x, R);
    assert_true(fabs(x[0] - 0.3) < 1e-3 && fabs(x[1] - 0.02) < 1e-3);
    ct_world_destroy(w);
}

/* two sheets in one plane, the lower one held at its corner by the upper one's; what a joint of this kind with its defaults leaves of the gap after
   a second, of 4 mm at its start. *worst: status */
static double corner_gap(ct_joint_kind kind, double compliance, int *worst)
{
    ct_world_desc wd = world_desc(2e-3, 0.4, NULL);
    ct_world *w = world_make(&wd);
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_joint_desc j = ct_joint_desc_default(kind);
    ct_mesh m = mesh_grid(0.4, 0.4, 4, 4);
    ct_body_id a, b;
    double *x, *y, gap = 1;
    int i, p = -1, q = -1;
    d.mesh = &m, d.material = ct_material_default(CT_MODEL_MEMBRANE);
    d.material.areal_density = (ct_real)0.3, d.material.young = (ct_real)1e6, d.material.bending = (ct_real)1e-5;
    d.rotation[0] = d.rotation[1] = 1;
    assert_int_equal(ct_body_add_cloth(w, &d, &a), CT_OK);
    d.position[0] = (ct_real)0.4, d.position[1] = (ct_real)-0.404;
    assert_int_equal(ct_body_add_cloth(w, &d, &b), CT_OK);
    x = read_vectors(w, a, 0, NULL), y = read_vectors(w, b, 0, NULL);
    for (i = 0; i < m.n_positions; i++) {
        int32_t at = i;
        if (x[3 * i + 1] > 0.199)
            assert_int_equal(ct_body_pin(w, a, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        p = x[3 * i + 1] < -0.199 && x[3 * i] > 0.199 ? i : p;
        q = y[3 * i + 1] > -0.205 && y[3 * i] < 0.201 ? i : q;
    }
    free(x), free(y);
    j.a.body = a, j.b.body = b, j.a.vertices[0] = p, j.b.vertices[0] = q, j.compliance = (ct_real)compliance;
    assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
    for (*worst = 0, i = 0; i < 100; i++) {
        int status = (int)step_once(w, 0.01).status;
        *worst = status > *worst ? status : *worst;
    }
    x = read_vectors(w, a, 0, NULL), y = read_vectors(w, b, 0, NULL);
    for (gap = 0, i = 0; i < 3; i++)
        gap += (x[3 * p + i] - y[3 * q + i]) * (x[3 * p + i] - y[3 * q + i]);
    free(x), free(y), ct_mesh_free(&m);
    ct_world_destroy(w);
    return sqrt(gap);
}

/* a ball joint of two sheets holds them in one place, a stitch at 1.1 thicknesses, a spring about a thickness apart */
static void sheets_are_held_together(void **state)
{
    int worst;
    double gap = corner_gap(CT_JOINT_BALL, 0, &worst);
    (void)state;
    print_message("two sheets: a ball joint's points %.1e m apart, worst status %d", gap, worst);
    assert_true(gap < 1e-6 && worst == CT_STATUS_OK);
    gap = corner_gap(CT_JOINT_STITCH, 0, &worst);
    print_message("; a stitch's %.5f m, %d", gap, worst);
    assert_true(fabs(gap - 2.2e-3) < 1e-5 && worst <= CT_STATUS_SUBSTEPPED);
    gap = corner_gap(CT_JOINT_BALL, 1e-3, &worst);
    print_message("; a spring's %.5f m, %d\n", gap, worst);
    assert_true(gap > 1.9e-3);
}

static void refused(ct_world *w, const ct_joint_desc *d, ct_code code)
{
    ct_joint_id id = {77, 77};
    uint64_t hash = ct_world_hash(w);
    assert_int_equal(ct_joint_add(w, d, &id), code);
    assert_int_equal(id.index1, 77);
    assert_int_equal(ct_world_error(w)->code, code);
    assert_true(strlen(ct_world_error(w)->text) > 5);
    assert_true(ct_world_hash(w) == hash);
}

/* three blocks shot at a pinned sheet, joined to a chain or not */
static void add_crash(ct_world *w, double speed, int joined)
{
    ct_mesh sheet = mesh_grid(0.6, 0.6, 10, 10);
    ct_body_id link[3], s = add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.2);
    int i;
    for (i = 0; i < sheet.n_positions; i++)
        if (fabs((double)sheet.positions[3 * i]) > 0.299) {
            int32_t at = i;
            assert_int_equal(ct_body_pin(w, s, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        }
    ct_mesh_free(&sheet);
    for (i = 0; i < 3; i++) {
        ct_rigid_desc r = ct_rigid_desc_default();
        ct_mesh m = mesh_box(0.1, 0.08, 0.1, 2, 2, 2, 0);
        mesh_place(&m, 0, 0, 0.15 + 0.1 * i, 0);
        r.mesh = &m, r.velocity[1] = (ct_real)-speed;
        assert_int_equal(ct_body_add_rigid(w, &r, &link[i]), CT_OK);
        ct_mesh_free(&m);
        if (i > 0 && joined) {
            ct_joint_desc j = joint_desc(CT_JOINT_BALL, link[i], link[i - 1], 0.03, 0.1 + 0.1 * i, 0.02);
            join(w, &j);
        }
    }
}

/* the fail-safe acts on a chain that is shot at a sheet: its joints hold all the same */
static void zones_keep_joints(void **state)
{
    int kind;
    (void)state;
    for (kind = PLAIN_OR(0, 1); kind < 2; kind++) {
        ct_world_desc d = world_desc(1e-3, 0.3, NULL);
        ct_world *w;
        double worst = 0;
        int i, zones = 0, frozen = 0;
        d.cmr_rounds = 1, d.max_halvings = 0;
        w = world_make(&d);
        add_crash(w, kind ? 20 : 40, 1);
        for (i = 0; i < 60; i++) {
            ct_step_report r = step_once(w, 0.005);
            zones += r.zones, frozen += r.frozen;
            worst = fmax(worst, (double)r.joint_error);
            assert_int_equal(count_intersections(w), 0);
        }
        print_message("%d: %d zones, %d blocks frozen, joints miss by %.3g m at most\n", kind, zones, frozen, worst);
        assert_true(zones > 0 && worst < 5e-4);
        ct_world_destroy(w);
    }
}

/* a chain that hangs far from an impact with zones moves as it does alone, bit by bit */
static void zones_leave_far_joints_alone(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w[2];
    ct_body_id link[2][4];
    int i, k, zones = 0;
    (void)state;
    d.cmr_rounds = 1, d.max_halvings = 0;
    for (k = 0; k < 2; k++) {
        w[k] = world_make(&d);
        for (i = 0; i < 4; i++) {
            ct_rigid_desc r = ct_rigid_desc_default();
            ct_mesh m = mesh_box(0.1, 0.08, 0.1, 1, 1, 1, 0);
            ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
            mesh_place(&m, 0, 5 + 0.15 * (i + 1), 5, 0);
            r.mesh = &m;
            assert_int_equal(ct_body_add_rigid(w[k], &r, &link[k][i]), CT_OK);
            ct_mesh_free(&m);
            j.a.body = link[k][i];
            if (i)
                j.b.body = link[k][i - 1];
            j.point[0] = (ct_real)(5 + 0.15 * i + 0.075), j.point[1] = 5;
            join(w[k], &j);
        }
    }
    add_crash(w[1], 40, 0);
    for (i = 0; i < 30; i++) {
        ct_step_report alone = step_once(w[0], 0.005), beside = step_once(w[1], 0.005);
        assert_int_equal(alone.zones, 0);
        zones += beside.zones;
        for (k = 0; k < 4; k++) {
            double a[3], b[3];
            read_middle(w[0], link[0][k], 0, a), read_middle(w[1], link[1][k], 0, b);
            assert_memory_equal(a, b, sizeof a);
        }
    }
    assert_true(zones > 0);
    ct_world_destroy(w[0]);
    ct_world_destroy(w[1]);
}

static void bad_joints_are_refused(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id a = add_rigid_box(w, 0.1, 0.1, 0.1, 0, 1, 0, 1000, NULL), soft = add_soft_box(w, "jelly", 0.1, 1, 1e5, 1, 1, 0), none = {0, 0};
    ct_body_id floor = add_plane(w, 0, 1, 0, 0), gone = add_rigid_box(w, 0.1, 0.1, 0.1, 3, 1, 0, 1000, NULL);
    ct_joint_desc good = joint_desc(CT_JOINT_BALL, a, none, 0, 1, 0), j;
    ct_joint_id id, id2;
    ct_real p[3];
    (void)state;
    assert_int_equal(ct_body_remove(w, gone), CT_OK);
    assert_int_equal(ct_joint_add(NULL, &good, &id), CT_ERR_ARGUMENT);
    j = good, j.cookie = 0, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.kind = (ct_joint_kind)9, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.a.body = gone, refused(w, &j, CT_ERR_STALE_ID);
    assert_int_equal(ct_world_error(w)->body.index1, gone.index1);
    j = good, j.b.body = gone, refused(w, &j, CT_ERR_STALE_ID);
    j = good, j.a.body = none, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.a.body = floor, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.b.body = a, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.point[1] = (ct_real)NAN, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.compliance = -1, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.collide = 2, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.a.vertices[0] = 8, refused(w, &j, CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_error(w)->element, 0);
    j = good, j.a.vertices[0] = 1, j.a.vertices[1] = 2, j.a.weights[0] = 1, j.a.weights[1] = 1, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.a.body = soft, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.kind = CT_JOINT_STITCH, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.kind = CT_JOINT_HINGE, j.axis[1] = 0, refused(w, &j, CT_ERR_ARGUMENT);
    j = good, j.kind = CT_JOINT_FIXED, j.b.body = soft, j.b.vertices[0] = 0, refused(w, &j, CT_ERR_UNSUPPORTED);
    id = join(w, &good);
    step_once(w, 0.01);
    assert_int_equal(ct_world_dump_problem(w, "/dev/null"), CT_ERR_UNSUPPORTED);
    assert_int_equal(ct_joint_get_impulse(w, id, p, NULL), CT_OK);
    assert_true(fabs((double)p[1] - 9.81 * 0.01 / 2) < 1e-4 || fabs((double)p[1] - 9.81 * 0.01) < 1e-4);
    assert_int_equal(ct_joint_remove(w, id), CT_OK);
    assert_int_equal(ct_joint_remove(w, id), CT_ERR_STALE_ID);
    id2 = join(w, &good);
    assert_int_equal(id2.index1, id.index1);
    assert_int_not_equal(id2.generation, id.generation);
    assert_int_equal(ct_joint_get_impulse(w, id, p, NULL), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_remove(w, a), CT_OK);
    assert_int_equal(ct_joint_remove(w, id2), CT_ERR_STALE_ID);
    step_once(w, 0.01);
    ct_world_destroy(w);
}

/* a joint follows its bodies when others come and go before them */
static void joints_survive_other_bodies(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id first = add_rigid_box(w, 0.1, 0.1, 0.1, -3, 0, 0, 1000, NULL), soft = add_soft_box(w, "x", 0.1, 1, 1e5, -5, 0, 0), none = {0, 0};
    ct_body_id a = add_rigid_box(w, 0.1, 0.1, 0.1, 0, 0, 0, 1000, NULL), jelly = add_soft_box(w, "y", 0.1, 1, 1e5, 0.3, 0, 0);
    ct_joint_desc j = joint_desc(CT_JOINT_BALL, a, none, 0, 0, 0), k = joint_desc(CT_JOINT_BALL, jelly, a, 0, 0, 0);
    double x[3], R[9];
    int i;
    (void)state;
    k.a.vertices[0] = 0;
    join(w, &j), join(w, &k);
    for (i = 0; i < 5; i++)
        step_once(w, 0.01);
    assert_int_equal(ct_body_remove(w, first), CT_OK);
    assert_int_equal(ct_body_remove(w, soft), CT_OK);
    for (i = 0; i < 20; i++)
        assert_true(step_once(w, 0.01).joint_error < (IS_DOUBLE ? 1e-6 : 1e-5));
    pose(w, a, x, R);
    assert_true(fabs(x[0]) < 1e-6 && fabs(x[1]) < 1e-6);
    ct_world_destroy(w);
}

/* the rotation between triads: every angle up to half a turn, every axis */
static void turns_are_rotation_vectors(void **state)
{
    uint64_t seed = 5;
    int i, k, l;
    (void)state;
    for (i = 0; i < 2000; i++) {
        double axis[3], n = 0, angle = 3.1 * lcg(&seed), b[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, a[9];
        ct_real fa[9], fb[9];
        cti_v3 e;
        for (k = 0; k < 3; k++)
            axis[k] = 2 * lcg(&seed) - 1, n += axis[k] * axis[k];
        if (i % 3 == 0)
            angle *= 1e-4;
        for (k = 0; k < 3; k++)
            axis[k] /= sqrt(n);
        for (k = 0; k < 3; k++) { /* rotate row k by Rodrigues */
            double dot = b[3 * k] * axis[0] + b[3 * k + 1] * axis[1] + b[3 * k + 2] * axis[2];
            for (l = 0; l < 3; l++) {
                double cross = axis[(l + 1) % 3] * b[3 * k + (l + 2) % 3] - axis[(l + 2) % 3] * b[3 * k + (l + 1) % 3];
                a[3 * k + l] = b[3 * k + l] * cos(angle) + cross * sin(angle) + axis[l] * dot * (1 - cos(angle));
            }
        }
        for (k = 0; k < 9; k++)
            fa[k] = (ct_real)a[k], fb[k] = (ct_real)b[k];
        e = cti_joint_turn(fa, fb, 0);
        assert_true(fabs((double)e.x - angle * axis[0]) + fabs((double)e.y - angle * axis[1]) + fabs((double)e.z - angle * axis[2]) <
                    (IS_DOUBLE ? 1e-8 : 2e-3));
        e = cti_joint_turn(fa, fb, 1);
        /* the hinge's: across the axis, and of the axes' angle */
        assert_true(fabs((double)e.x) < 1e-12 + (IS_DOUBLE ? 0 : 1e-6));
        assert_true(fabs(sqrt((double)(e.x * e.x + e.y * e.y + e.z * e.z)) - acos(fmin(1, fmax(-1, a[0])))) < (IS_DOUBLE ? 1e-7 : 2e-3));
    }
}

/* a node that no element has, and so without mass, cannot be held: a joint is refused by its number, on either side, and holds it once it has a mass */
static void a_loose_node_is_refused(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 1), more = m;
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL), other;
    ct_soft_desc s = ct_soft_desc_default();
    ct_real x[3 * 9], masses[9], before;
    double *now;
    int i;
    (void)state;
    assert_int_equal(m.n_positions, 8);
    memcpy(x, m.positions, sizeof *x * 24);
    x[24] = 1, x[25] = 0, x[26] = 0;
    more.positions = x, more.n_positions = 9;
    s.mesh = &more;
    assert_int_equal(ct_body_add_soft(w, &s, &j.a.body), CT_OK);
    j.a.vertices[0] = 8, j.a.weights[0] = 1;
    assert_int_equal(ct_joint_add(w, &j, NULL), CT_ERR_ARGUMENT);
    assert_true(ct_world_error(w)->element == 8 && strstr(ct_world_error(w)->text, "ct_body_set_masses"));
    other = j, other.b = j.a, other.a.vertices[0] = 0;
    assert_int_equal(ct_joint_add(w, &other, NULL), CT_ERR_ARGUMENT);
    for (i = 0; i < 10; i++)
        step_once(w, 0.01);
    assert_int_equal(ct_body_get_masses(w, j.a.body, masses, 9), CT_OK);
    assert_true(masses[8] == 0);
    masses[8] = 1;
    assert_int_equal(ct_body_set_masses(w, j.a.body, masses, 9), CT_OK);
    assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
    now = read_vectors(w, j.a.body, 0, &i);
    x[24] = (ct_real)now[24], x[25] = (ct_real)now[25], x[26] = (ct_real)now[26];
    free(now);
    for (i = 0; i < 10; i++)
        assert_true(step_once(w, 0.01).status <= CT_STATUS_SUBSTEPPED);
    now = read_vectors(w, j.a.body, 0, &i);
    for (i = 24; i < 27; i++)
        assert_true(fabs(now[i] - (double)x[i]) < 1e-3);
    assert_true(fabs(now[1] + 0.1 + 9.81 * 0.2 * 0.2 / 2) < 1e-3 || fabs(now[1] - 0.1 + 9.81 * 0.2 * 0.2 / 2) < 1e-3); /* the cube falls freely */
    free(now);
    /* another material has other masses of elements; the node's own, which the joint holds, is that of the caller */
    s.material.density *= 2;
    before = masses[0];
    assert_int_equal(ct_body_set_material(w, j.a.body, &s.material), CT_OK);
    assert_int_equal(ct_body_get_masses(w, j.a.body, masses, 9), CT_OK);
    assert_true(masses[8] == 1 && fabs((double)(masses[0] / (2 * before)) - 1) < 1e-6);
    for (i = 0; i < 10; i++)
        assert_true(step_once(w, 0.01).status <= CT_STATUS_SUBSTEPPED);
    now = read_vectors(w, j.a.body, 0, &i);
    for (i = 24; i < 27; i++)
        assert_true(fabs(now[i] - (double)x[i]) < 1e-3);
    free(now);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loose_node_is_refused),
        cmocka_unit_test(turns_are_rotation_vectors),
        PLAIN_TEST(a_chain_of_ten_swings)
        PLAIN_TEST(a_free_chain_keeps_its_momentum)
        cmocka_unit_test(hinges_keep_their_axis),
        cmocka_unit_test(fixed_joints_make_one_body),
        cmocka_unit_test(stitches_stretch_as_springs),
        cmocka_unit_test(stitches_under_tension_come_to_rest),
        cmocka_unit_test(light_points_on_stitches_spin),
        cmocka_unit_test(cloth_hangs_on_a_crate),
        PLAIN_TEST(stitched_sheets_stay_clear)
        cmocka_unit_test(scripts_carry_what_they_hold), cmocka_unit_test(keyframes_carry_what_they_hold),
        PLAIN_TEST(joints_pull_together)
        cmocka_unit_test(soft_corners_stay_apart),
        cmocka_unit_test(joints_contradict_each_other),
        cmocka_unit_test(sheets_are_held_together),
        cmocka_unit_test(zones_keep_joints), cmocka_unit_test(zones_leave_far_joints_alone), cmocka_unit_test(bad_joints_are_refused),
        cmocka_unit_test(joints_survive_other_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
