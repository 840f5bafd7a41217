/* test_rigid.c -- rigid bodies: mass properties, free rotation, and bodies that rest, slide, roll and hit in whole worlds. */
#include "world_util.h"
#include "../src/6_model/rigid.h"

#define IS_DOUBLE (sizeof(ct_real) == 8)

/* ---- helpers ---- */

static ct_body_id add_rigid_mesh(ct_world *w, const ct_mesh *m, double density, double friction, const double *v, const double *omega)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    ct_code code;
    int k;
    d.mesh = m;
    d.density = (ct_real)density;
    d.friction = (ct_real)friction;
    for (k = 0; k < 3; k++) {
        d.velocity[k] = (ct_real)(v ? v[k] : 0);
        d.angular_velocity[k] = (ct_real)(omega ? omega[k] : 0);
    }
    code = ct_body_add_rigid(w, &d, &id);
    if (code != CT_OK)
        print_message("ct_body_add_rigid: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

static ct_body_id add_rigid_box(ct_world *w, double sx, double sy, double sz, double x, double y, double z, double density)
{
    ct_mesh m = mesh_box(sx, sy, sz, 1, 1, 1, 0);
    ct_body_id id;
    mesh_place(&m, 0, x, y, z);
    id = add_rigid_mesh(w, &m, density, -1, NULL, NULL);
    ct_mesh_free(&m);
    return id;
}

static ct_mesh mesh_sphere(double radius, int levels)
{
    ct_mesh m;
    memset(&m, 0, sizeof m);
    assert_int_equal(ct_mesh_sphere((ct_real)radius, levels, &m, NULL), CT_OK);
    return m;
}

/* x <- R x + t, R a rotation by a random quaternion-like vector q (normalized here) */
static void mesh_turn(ct_mesh *m, const double q[4], const double t[3], double out_R[9])
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n, R[9];
    int i, k;
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
    for (i = 0; i < m->n_positions; i++) {
        ct_real *p = m->positions + 3 * i;
        double o[3];
        for (k = 0; k < 3; k++)
            o[k] = R[3 * k] * (double)p[0] + R[3 * k + 1] * (double)p[1] + R[3 * k + 2] * (double)p[2] + t[k];
        for (k = 0; k < 3; k++)
            p[k] = (ct_real)o[k];
    }
    if (out_R)
        memcpy(out_R, R, sizeof R);
}

static void motion(const ct_world *w, ct_body_id id, double v[3], double omega[3])
{
    ct_real a[3], b[3];
    int k;
    assert_int_equal(ct_body_get_motion(w, id, a, b), CT_OK);
    for (k = 0; k < 3; k++)
        v[k] = (double)a[k], omega[k] = (double)b[k];
}

static void place(const ct_world *w, ct_body_id id, double x[3], double q[4])
{
    ct_real a[3], b[4];
    int k;
    assert_int_equal(ct_body_get_pose(w, id, a, b), CT_OK);
    for (k = 0; k < 3; k++)
        x[k] = (double)a[k];
    for (k = 0; q && k < 4; k++)
        q[k] = (double)b[k];
}

static double norm3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* ---- mass ---- */

/* a rotated box far from the origin against m/12 (b^2 + c^2), R I R' */
static void boxes_have_their_mass(void **state)
{
    uint64_t seed = 3;
    int i, k, l, n;
    (void)state;
    for (i = 0; i < 50; i++) {
        double s[3], q[4], t[3], R[9], mass, c[3], I[9], D[3], m;
        ct_mesh b;
        for (k = 0; k < 3; k++)
            s[k] = 0.05 + lcg(&seed), t[k] = (i % 2 ? 20 : 1) * (2 * lcg(&seed) - 1);
        for (k = 0; k < 4; k++)
            q[k] = 2 * lcg(&seed) - 1;
        b = mesh_box(s[0], s[1], s[2], 1 + i % 3, 2, 1, 0);
        mesh_turn(&b, q, t, R);
        m = 700 * s[0] * s[1] * s[2];
        assert_true(cti_rigid_mass(b.positions, b.triangles, b.n_triangles, 700, &mass, c, I) > 0);
        ct_mesh_free(&b);
        assert_true(fabs(mass - m) < (IS_DOUBLE ? 1e-12 : 1e-3) * m);
        for (k = 0; k < 3; k++) {
            assert_true(fabs(c[k] - t[k]) < (IS_DOUBLE ? 1e-12 : 1e-4));
            D[k] = m / 12 * (s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]);
        }
        for (k = 0; k < 3; k++)
            for (l = 0; l < 3; l++) {
                double want = 0;
                for (n = 0; n < 3; n++)
                    want += R[3 * k + n] * D[n] * R[3 * l + n];
                assert_true(fabs(I[3 * k + l] - want) < (IS_DOUBLE ? 1e-11 : 1e-3) * (D[0] + D[1] + D[2]));
            }
    }
}

/* Spheres of finer and finer triangles: volume and inertia converge with order 2 in the edge length. A shell turned inside out within a larger one
   makes a hollow body; two bodies apart add by Steiner's theorem */
static void spheres_and_shells_converge(void **state)
{
    double last = 0, pi = 3.14159265358979323846, mass, c[3], I[9];
    int level, i, k;
    (void)state;
    for (level = 1; level < 6; level++) {
        ct_mesh m = mesh_sphere(0.5, level);
        double want = 4.0 / 3 * pi * 0.125 * 1000, error;
        cti_rigid_mass(m.positions, m.triangles, m.n_triangles, 1000, &mass, c, I);
        error = fabs(mass - want) / want + fabs(I[0] - 0.4 * want * 0.25) / (0.1 * want) + fabs(I[8] - 0.4 * want * 0.25) / (0.1 * want);
        assert_true(fabs(I[1]) + fabs(I[2]) + fabs(I[5]) < 1e-4 * want);
        if (level > 1)
            assert_true(error < 0.28 * last && error > 0.2 * last);
        last = error;
        ct_mesh_free(&m);
    }
    {
        ct_mesh a = mesh_box(1, 1, 1, 1, 1, 1, 0), b = mesh_box(0.4, 0.6, 0.2, 1, 1, 1, 0);
        ct_real pos[3 * 16];
        int32_t tri[3 * 24];
        double shift[2][3] = {{0, 0, 0}, {3, 1, -2}}, mb = 0.4 * 0.6 * 0.2 * 100, ma = 100;
        int hollow;
        for (hollow = 0; hollow < 2; hollow++) {
            double sign = hollow ? -1 : 1, m = ma + sign * mb, center[3], Ixx, *t = shift[!hollow];
            memcpy(pos, a.positions, sizeof(ct_real) * 24);
            memcpy(tri, a.triangles, sizeof(int32_t) * 36);
            for (i = 0; i < 24; i++)
                pos[24 + i] = (ct_real)((double)b.positions[i] + t[i % 3]);
            for (i = 0; i < 12; i++)
                for (k = 0; k < 3; k++)
                    tri[36 + 3 * i + k] = 8 + b.triangles[3 * i + (hollow ? 2 - k : k)];
            cti_rigid_mass(pos, tri, 24, 100, &mass, c, I);
            assert_true(fabs(mass - m) < 1e-4 * m);
            for (k = 0; k < 3; k++) {
                center[k] = sign * mb * t[k] / m;
                assert_true(fabs(c[k] - center[k]) < 1e-5);
            }
            Ixx = ma / 12 * 2 + ma * (center[1] * center[1] + center[2] * center[2]);
            Ixx += sign * (mb / 12 * (0.36 + 0.04) + mb * ((t[1] - center[1]) * (t[1] - center[1]) + (t[2] - center[2]) * (t[2] - center[2])));
            assert_true(fabs(I[0] - Ixx) < 1e-4 * Ixx);
        }
        ct_mesh_free(&a), ct_mesh_free(&b);
    }
}

/* a box off centre: its pose starts at its centre of mass, and its point speeds are v + w x r */
static void off_centre_bodies_turn_about_their_centre(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.2, 0.3, 0.4, 1, 1, 1, 0);
    double v[3] = {1, 2, 3}, o[3] = {0.5, -1, 2}, x[3], q[4], *p, *u;
    ct_body_id id;
    int i, k, n;
    (void)state;
    mesh_place(&m, 0.4, 5, 6, 7);
    id = add_rigid_mesh(w, &m, 300, -1, v, o);
    place(w, id, x, q);
    assert_true(fabs(x[0] - 5) < 1e-5 && fabs(x[1] - 6) < 1e-5 && fabs(x[2] - 7) < 1e-5 && q[0] == 1);
    p = read_vectors(w, id, 0, &n), u = read_vectors(w, id, 1, NULL);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            assert_true(fabs(u[3 * i + k] - v[k] - o[a] * (p[3 * i + b] - x[b]) + o[b] * (p[3 * i + a] - x[a])) < 1e-5);
            assert_true(fabs(p[3 * i + k] - (double)m.positions[3 * i + k]) < 1e-5);
        }
    free(p), free(u);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* ---- free rotation ---- */

/* reference: Euler's equations in the body frame by classical Runge-Kutta in double, quaternion by the same */
static void reference_rate(const double I[3], const double y[7], double dy[7])
{
    const double *q = y, *w = y + 4;
    dy[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    dy[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dy[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    dy[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    dy[4] = (I[1] - I[2]) * w[1] * w[2] / I[0];
    dy[5] = (I[2] - I[0]) * w[2] * w[0] / I[1];
    dy[6] = (I[0] - I[1]) * w[0] * w[1] / I[2];
}

static void reference_spin(const double I[3], const double w0[3], double t, double q[4])
{
    double y[7] = {1, 0, 0, 0, 0, 0, 0}, k[4][7], z[7], h;
    int n = 20000, i, j, s;
    static const double a[4] = {0, 0.5, 0.5, 1};
    memcpy(y + 4, w0, 3 * sizeof(double));
    h = t / n;
    for (i = 0; i < n; i++) {
        for (s = 0; s < 4; s++) {
            for (j = 0; j < 7; j++)
                z[j] = y[j] + (s ? a[s] * h * k[s - 1][j] : 0);
            reference_rate(I, z, k[s]);
        }
        for (j = 0; j < 7; j++)
            y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
    memcpy(q, y, 4 * sizeof(double));
}

/* a torque-free box of these sizes; angle between its orientation at t and q; largest relative energy error on the way */
static double spin_box(const double s[3], const double w0[3], double t, double dt, const double q[4], double *out_energy, double *out_momentum)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(s[0], s[1], s[2], 1, 1, 1, 0);
    double x[3], p[4] = {1, 0, 0, 0}, dot, e0 = 0, I[3], L[3], m0 = 1000 * s[0] * s[1] * s[2];
    ct_body_id id;
    int i, k, n = (int)(t / dt + 0.5);
    d.gravity[1] = 0;
    w = world_make(&d);
    id = add_rigid_mesh(w, &m, 1000, -1, NULL, w0);
    ct_mesh_free(&m);
    for (k = 0; k < 3; k++) {
        I[k] = m0 / 12 * (s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]);
        e0 += 0.5 * I[k] * w0[k] * w0[k];
    }
    *out_energy = *out_momentum = 0;
    for (i = 0; i < n; i++) {
        ct_step_report r = step_once(w, dt);
        double v[3], o[3], R[9], b[3];
        assert_int_equal(r.status, CT_STATUS_OK);
        *out_energy = fmax(*out_energy, fabs(r.energy_kinetic - e0) / e0);
        place(w, id, x, p), motion(w, id, v, o);
        R[0] = 1 - 2 * (p[2] * p[2] + p[3] * p[3]), R[1] = 2 * (p[1] * p[2] - p[0] * p[3]), R[2] = 2 * (p[1] * p[3] + p[0] * p[2]);
        R[3] = 2 * (p[1] * p[2] + p[0] * p[3]), R[4] = 1 - 2 * (p[1] * p[1] + p[3] * p[3]), R[5] = 2 * (p[2] * p[3] - p[0] * p[1]);
        R[6] = 2 * (p[1] * p[3] - p[0] * p[2]), R[7] = 2 * (p[2] * p[3] + p[0] * p[1]), R[8] = 1 - 2 * (p[1] * p[1] + p[2] * p[2]);
        for (k = 0; k < 3; k++)
            b[k] = I[k] * (R[k] * o[0] + R[3 + k] * o[1] + R[6 + k] * o[2]);
        for (k = 0; k < 3; k++) {
            L[k] = R[3 * k] * b[0] + R[3 * k + 1] * b[1] + R[3 * k + 2] * b[2];
            *out_momentum = fmax(*out_momentum, fabs(L[k] - I[k] * w0[k]) / (I[0] * norm3(w0)));
        }
    }
    ct_world_destroy(w);
    dot = fabs(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]);
    return 2 * acos(fmin(1, dot));
}

/* a symmetric top: analytic. In the body frame w precesses about the axis by (I3 - I1) / I1 w3; in space the axis goes around L at |L| / I1 */
static void a_symmetric_top_precesses(void **state)
{
    static const double s[3] = {0.2, 0.2, 0.05};
    double w0[3] = {1, 0, 6}, I1 = 0.04 + 0.0025, I3 = 0.08, L[3], l, t = 2, q[4], qa[4], qb[4], a, b, energy, momentum, e1, e2;
    (void)state;
    /* q(t) = exp(t L / I1) exp(t (1 - I3/I1) w3 z) */
    L[0] = I1 * w0[0], L[1] = 0, L[2] = I3 * w0[2];
    l = norm3(L);
    a = t * l / I1 / 2, b = t * (1 - I3 / I1) * w0[2] / 2;
    qa[0] = cos(a), qa[1] = sin(a) * L[0] / l, qa[2] = 0, qa[3] = sin(a) * L[2] / l;
    qb[0] = cos(b), qb[1] = qb[2] = 0, qb[3] = sin(b);
    q[0] = qa[0] * qb[0] - qa[3] * qb[3], q[1] = qa[1] * qb[0] + qa[2] * qb[3];
    q[2] = qa[2] * qb[0] - qa[1] * qb[3], q[3] = qa[0] * qb[3] + qa[3] * qb[0];
    e1 = spin_box(s, w0, t, 0.01, q, &energy, &momentum);
    assert_true(energy < (IS_DOUBLE ? 1e-12 : 1e-5) && momentum < (IS_DOUBLE ? 1e-12 : 1e-5)); /* this top keeps its energy, too */
    e2 = spin_box(s, w0, t, 0.005, q, &energy, &momentum);
    assert_true(e1 < 0.02);
    if (IS_DOUBLE)
        assert_true(e2 < 0.27 * e1 && e2 > 0.23 * e1);
}

/* three different moments of inertia, rotation about the middle axis: the body turns over. Order 2, L to rounding, energy bounded for a long time */
static void an_asymmetric_body_turns_over(void **state)
{
    static const double s[3] = {0.1, 0.2, 0.3};
    double I[3] = {0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04}, w0[3] = {0.1, 5, 0.2}, q[4], energy, momentum, e[3], drift;
    int k;
    (void)state;
    reference_spin(I, w0, 2, q);
    for (k = 0; k < 3; k++)
        e[k] = spin_box(s, w0, 2, 0.01 / (1 << k), q, &energy, &momentum);
    assert_true(e[0] < 0.05);
    if (IS_DOUBLE) {
        assert_true(e[1] < 0.27 * e[0] && e[1] > 0.23 * e[0] && e[2] < 0.27 * e[1] && e[2] > 0.23 * e[1]);
        assert_true(momentum < 1e-11);
    }
    spin_box(s, w0, 5, 0.01, q, &drift, &momentum);
    spin_box(s, w0, 50, 0.01, q, &energy, &momentum);
    assert_true(energy < 1.5 * drift + (IS_DOUBLE ? 0 : 1e-3) && energy < 0.01 && momentum < (IS_DOUBLE ? 1e-10 : 1e-3));
}

/* a needle whose moments of inertia differ by a factor of 1250: fast about its long axis, and tilted */
static void needles_spin(void **state)
{
    static const double s[3] = {0.02, 1, 0.02};
    double I[3] = {1 + 0.0004, 0.0008, 1 + 0.0004}, w0[3] = {0.3, 30, 0.1}, q[4], energy, momentum, e[2];
    int k;
    (void)state;
    reference_spin(I, w0, 1, q);
    for (k = 0; k < 2; k++)
        e[k] = spin_box(s, w0, 1, 0.002 / (1 << k), q, &energy, &momentum);
    assert_true(e[0] < 0.02 && energy < (IS_DOUBLE ? 1e-9 : 1e-3) && momentum < (IS_DOUBLE ? 1e-10 : 1e-4));
    if (IS_DOUBLE)
        assert_true(e[1] < 0.27 * e[0] && e[1] > 0.23 * e[0]);
}

/* ---- contact ---- */

/* largest sideways distance of bodies from where they began */
static double sideways(const ct_world *w, const ct_body_id *id, int n, double x0[][3])
{
    double worst = 0, x[3];
    int i;
    for (i = 0; i < n; i++) {
        place(w, id[i], x, NULL);
        worst = fmax(worst, hypot(x[0] - x0[i][0], x[2] - x0[i][2]));
    }
    return worst;
}

static void stack_rests(int cells, double step)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_body_id id[10];
    double x0[10][3], x[3], v[3], o[3], fast = 0;
    int i, t, budget = 0;
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 10; i++) {
        ct_mesh m = mesh_box(0.2, 0.2, 0.2, cells, cells, cells, 0);
        x0[i][0] = step * (i % 3), x0[i][1] = 0.1 + 0.001 + 0.202 * i, x0[i][2] = step * (i % 2);
        mesh_place(&m, 0, x0[i][0], x0[i][1], x0[i][2]);
        id[i] = add_rigid_mesh(w, &m, 500, -1, NULL, NULL);
        ct_mesh_free(&m);
    }
    for (t = 0; t < 350; t++) { /* the landing moves a crate by up to .36 mm, and it comes back by .05 mm in 50 steps */
        ct_step_report r = step_once(w, 0.01);
        budget += r.status != CT_STATUS_OK;
        if (t >= 200)
            for (i = 0; i < 10; i++) {
                motion(w, id[i], v, o);
                fast = fmax(fast, norm3(v));
            }
    }
    place(w, id[9], x, NULL);
    /* crates that are stopped by those above may come closer than their thickness: a quarter of it stays */
    assert_int_equal(count_intersections(w), 0);
    assert_true(budget <= 20 && sideways(w, id, 10, x0) < 1e-4 && fast < 1e-3);
    assert_true(fabs(x[1] - 0.1 - 0.201 * 9 - 0.001) < 2e-3);
    ct_world_destroy(w);
}

/* staggered, and with every corner on a corner, where each face has twenty equal pairs */
static void stacks_of_ten_rest(void **state)
{
    (void)state;
    stack_rests(1, 0.003);
    if (PLAIN_OR(1, 0))
        stack_rests(2, 0);
}

/* a crate a thousand times heavier on a light one, and vice versa */
static void mass_ratios_rest(void **state)
{
    int order;
    (void)state;
    for (order = 0; order < 2; order++) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_world *w = world_make(&d);
        ct_body_id id[2];
        double x0[2][3] = {{0, 0.1015, 0}, {0.01, 0.303, 0.01}}, x1[2][3], x[3], v[3], o[3], fast = 0;
        int t, notok = 0;
        add_plane(w, 0, 1, 0, 0);
        id[0] = add_rigid_box(w, 0.2, 0.2, 0.2, x0[0][0], x0[0][1], x0[0][2], order ? 5000 : 5);
        id[1] = add_rigid_box(w, 0.2, 0.2, 0.2, x0[1][0], x0[1][1], x0[1][2], order ? 5 : 5000);
        for (t = 0; t < 300; t++) {
            ct_step_report r = step_once(w, 0.01);
            notok += r.status != CT_STATUS_OK;
            if (t == 99)
                place(w, id[0], x1[0], NULL), place(w, id[1], x1[1], NULL);
            if (t >= 100) {
                motion(w, id[0], v, o);
                fast = fmax(fast, norm3(v));
                motion(w, id[1], v, o);
                fast = fmax(fast, norm3(v));
            }
        }
        place(w, id[1], x, NULL);
        assert_true(fabs(x[1] - 0.302) < 5e-5 && sideways(w, id, 2, x0) < 2e-5 && fast < 2e-4 && notok < 50);
        assert_true(sideways(w, id, 2, x1) < (IS_DOUBLE ? 2e-6 : 2e-5));
        ct_world_destroy(w);
    }
}

/* along a slope of `angle` down: position of a block of size 0.2 after each second */
static double slope_run(double angle, double mu, double seconds, double dt, double *out_after_one, double *out_turn)
{
    ct_world_desc d = world_desc(1e-3, mu, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.2, 0.1, 0.2, 1, 1, 1, 0);
    double x[3], q[4], s;
    ct_body_id id;
    int t, n = (int)(seconds / dt + 0.5), bad = 0;
    d.gravity[0] = (ct_real)(9.81 * sin(angle)), d.gravity[1] = (ct_real)(-9.81 * cos(angle));
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    mesh_place(&m, 0, 0, 0.051, 0);
    id = add_rigid_mesh(w, &m, 1000, -1, NULL, NULL);
    ct_mesh_free(&m);
    *out_after_one = 0;
    for (t = 0; t < n; t++) {
        ct_step_report r = step_once(w, dt);
        bad += r.status > CT_STATUS_SUBSTEPPED;
        if (t + 1 == (int)(1 / dt + 0.5)) {
            place(w, id, x, q);
            *out_after_one = x[0];
        }
    }
    place(w, id, x, q);
    s = x[0];
    *out_turn = 1 - fabs(q[0]);
    if (bad)
        printf("slope: %d of %d steps not ok\n", bad, n);
    ct_world_destroy(w);
    return s;
}

static void slopes_hold_and_let_go(void **state)
{
    double angle = 0.4, one, end, turn, a;
    (void)state;
    end = slope_run(angle, 1.01 * tan(angle), 60, 0.01, &one, &turn);
    assert_true(fabs(end - one) < 0.2e-6);
    end = slope_run(angle, 0.8 * tan(angle), 1, 0.01, &one, &turn);
    a = 9.81 * (sin(angle) - 0.8 * tan(angle) * cos(angle));
    assert_true(fabs(end - a / 2) < 0.01 * a / 2);
}

/* a long belt at 1 m/s accelerates a block by mu g until it has the belt's speed, and then no more */
static void belts_drag_by_friction(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    ct_kinematic_desc kd = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(12, 0.1, 1, 12, 1, 1, 0);
    ct_body_id belt = {0, 0}, block;
    double v[3], o[3], worst = 0, x[3], late = 0;
    int t;
    (void)state;
    kd.mesh = &m;
    kd.motion.linear[0] = 1;
    assert_int_equal(ct_body_add_kinematic(w, &kd, &belt), CT_OK);
    ct_mesh_free(&m);
    block = add_rigid_box(w, 0.2, 0.1, 0.2, 0.013, 0.101, 0.017, 800);
    for (t = 1; t <= 100; t++) {
        double want = fmin(1, 0.3 * 9.81 * 0.01 * t);
        step_once(w, 0.01);
        motion(w, block, v, o);
        if (t > 2)
            worst = fmax(worst, fabs(v[0] - want));
        if (t > 50)
            late = fmax(late, fmax(fabs(v[0] - 1), fmax(fabs(v[1]), fabs(v[2]))));
    }
    place(w, block, x, NULL);
    assert_true(worst < 0.02 && late < 2e-4);
    ct_world_destroy(w);
}

/* a fast plate pushes a body that rests alone in the world */
static void plates_push(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w;
    ct_kinematic_desc kd = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(0.1, 1, 1, 1, 1, 1, 0);
    ct_body_id plate = {0, 0}, block;
    double v[3], o[3], x[3];
    int t;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    kd.mesh = &m;
    kd.motion.linear[0] = 8;
    assert_int_equal(ct_body_add_kinematic(w, &kd, &plate), CT_OK);
    ct_mesh_free(&m);
    block = add_rigid_box(w, 0.02, 0.02, 0.02, 0.2, 0, 0, 800);
    for (t = 0; t < 20; t++) {
        ct_step_report r = step_once(w, 0.01);
        assert_true(r.status != CT_STATUS_NOT_CONVERGED && r.zones == 0);
        assert_int_equal(count_intersections(w), 0);
    }
    motion(w, block, v, o);
    place(w, block, x, NULL);
    assert_true(v[0] > 7.99 && v[0] < 8.2 && fabs(v[1]) < 0.1 && x[0] > 1.65);
    ct_world_destroy(w);
}

/* a ball starts at a speed without spin: sliding friction rotates it until it rolls at 5/7 of its speed, and no faster; each edge that it rolls over
   may take some of that */
static void balls_come_to_roll(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_sphere(0.1, 4);
    double v0[3] = {2, 0, 0}, v[3], o[3], x[3];
    ct_body_id id;
    int t;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    mesh_place(&m, 0, 0, 0.1012, 0);
    id = add_rigid_mesh(w, &m, 1000, -1, v0, NULL);
    ct_mesh_free(&m);
    for (t = 0; t < 100; t++) {
        step_once(w, 0.01);
        motion(w, id, v, o);
        place(w, id, x, NULL);
    }
    assert_true(v[0] < 2 * 5 / 7.0 + 1e-3 && v[0] > 2 * 5 / 7.0 - 0.04);
    assert_true(fabs(v[0] + o[2] * 0.1) < 0.05);
    ct_world_destroy(w);
}

/* spins faster than half a radian a step, of bodies that may meet others */
static void fast_spins_take_substeps(void **state)
{
    static const double s[3] = {0.1, 0.2, 0.3};
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(s[0], s[1], s[2], 1, 1, 1, 0);
    double o0[3] = {100, 150, -30}, v[3], o[3];
    ct_body_id id;
    int t;
    (void)state;
    mesh_place(&m, 0, 0, 0.18, 0);
    add_plane(w, 0, 1, 0, 0);
    id = add_rigid_mesh(w, &m, 1000, -1, NULL, o0);
    ct_mesh_free(&m);
    for (t = 0; t < 200; t++) {
        ct_step_report r = step_once(w, 0.01);
        if (t == 0)
            assert_true(r.substeps >= 3);
        assert_int_equal(count_intersections(w), 0);
        motion(w, id, v, o);
        assert_true(norm3(v) < 60 && norm3(o) < 400);
    }
    ct_world_destroy(w);
}

/* momentum and angular momentum of a world of one rigid and one deformable body without gravity */
typedef struct budget {
    double P[3], L[3], size_P, size_L;
} budget;

static void add_point(budget *b, double m, const double x[3], const double v[3])
{
    int k;
    for (k = 0; k < 3; k++) {
        double l = m * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]);
        b->P[k] += m * v[k], b->L[k] += l;
        b->size_P += fabs(m * v[k]), b->size_L += fabs(l);
    }
}

/* a box of sizes s with its principal axes along the world's when added */
static void add_turning(budget *b, const ct_world *w, ct_body_id id, const double s[3], double density)
{
    double x[3], p[4], v[3], o[3], R[9], c[3], m = density * s[0] * s[1] * s[2], l;
    int k;
    place(w, id, x, p), motion(w, id, v, o);
    add_point(b, m, x, v);
    R[0] = 1 - 2 * (p[2] * p[2] + p[3] * p[3]), R[1] = 2 * (p[1] * p[2] - p[0] * p[3]), R[2] = 2 * (p[1] * p[3] + p[0] * p[2]);
    R[3] = 2 * (p[1] * p[2] + p[0] * p[3]), R[4] = 1 - 2 * (p[1] * p[1] + p[3] * p[3]), R[5] = 2 * (p[2] * p[3] - p[0] * p[1]);
    R[6] = 2 * (p[1] * p[3] - p[0] * p[2]), R[7] = 2 * (p[2] * p[3] + p[0] * p[1]), R[8] = 1 - 2 * (p[1] * p[1] + p[2] * p[2]);
    for (k = 0; k < 3; k++)
        c[k] = m / 12 * (s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]) * (R[k] * o[0] + R[3 + k] * o[1] + R[6 + k] * o[2]);
    for (k = 0; k < 3; k++) {
        l = R[3 * k] * c[0] + R[3 * k + 1] * c[1] + R[3 * k + 2] * c[2];
        b->L[k] += l, b->size_L += fabs(l);
    }
}

/* a rigid box on a jelly, and on a cloth whose nodes all weigh a quarter of their squares' */
static void hits_on_soft_bodies_keep_momentum(void **state)
{
    static const double s[3] = {0.1, 0.2, 0.15};
    int kind;
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_world *w;
        ct_mesh m = mesh_box(s[0], s[1], s[2], 1, 1, 1, 0), g;
        double v[3] = {0.1, -1, 0}, o[3] = {0.5, 1, 1}, mass[64], drift[2] = {0, 0};
        budget b[2];
        ct_body_id a, c;
        int t, k, i, n, hits = 0;
        d.gravity[1] = 0;
        w = world_make(&d);
        a = add_rigid_mesh(w, &m, 700, -1, v, o);
        ct_mesh_free(&m);
        if (kind == 0) {
            g = mesh_box(0.3, 0.1, 0.3, 1, 1, 1, 1);
            mesh_place(&g, 0, 0.02, -0.17, 0.01);
            c = add_soft_mesh(w, "jelly", &g, 1e5, 0, 0, 0);
        } else {
            g = mesh_grid(0.4, 0.4, 6, 6);
            mesh_place(&g, 0, 0.02, -0.14, 0.01);
            c = add_cloth_mesh(w, "sheet", &g, CT_MODEL_SPRINGS, 0.5);
        }
        n = g.n_positions;
        assert_true(n <= 64);
        memset(mass, 0, sizeof mass);
        if (kind == 0) /* a quarter of each tet to its corners */
            for (i = 0; i < g.n_tets; i++) {
                const int32_t *e = g.tets + 4 * i;
                double A[3][3], vol;
                for (k = 0; k < 3; k++)
                    for (t = 0; t < 3; t++)
                        A[k][t] = (double)g.positions[3 * e[k + 1] + t] - (double)g.positions[3 * e[0] + t];
                vol = fabs(A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) - A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
                           A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0])) / 6;
                for (k = 0; k < 4; k++)
                    mass[e[k]] += 1000 * vol / 4;
            }
        else
            for (i = 0; i < g.n_triangles; i++)
                for (k = 0; k < 3; k++)
                    mass[g.triangles[3 * i + k]] += 0.5 * (0.4 / 6) * (0.4 / 6) / 2 / 3;
        ct_mesh_free(&g);
        memset(b, 0, sizeof b);
        for (t = 0; t <= 60; t++) {
            budget *q = &b[t > 0];
            double *x = read_vectors(w, c, 0, NULL), *u = read_vectors(w, c, 1, NULL);
            memset(q, 0, sizeof *q);
            add_turning(q, w, a, s, 700);
            for (i = 0; i < n; i++)
                add_point(q, mass[i], x + 3 * i, u + 3 * i);
            free(x), free(u);
            for (k = 0; k < 3; k++) {
                drift[0] = fmax(drift[0], fabs(q->P[k] - b[0].P[k]) / b[0].size_P);
                drift[1] = fmax(drift[1], fabs(q->L[k] - b[0].L[k]) / b[0].size_L);
            }
            if (t < 60) {
                ct_step_report r = step_once(w, 0.01);
                hits += r.contacts > 0;
                assert_true(r.zones == 0);
            }
        }
        assert_true(hits > 3 && drift[0] < (IS_DOUBLE ? 1e-9 : 1e-4) && drift[1] < 0.1);
        ct_world_destroy(w);
    }
}

/* Bodies of every shape, size and weight, thrown at each other and at the floor, with one round and no halving, so that zones end the step:
   numbers stay finite, nothing ever intersects */
static void extremes_never_intersect(void **state)
{
    static const double shapes[4][3] = {{1, 1, 1}, {1, 0.02, 1}, {0.02, 1, 0.02}, {0.3, 0.7, 0.4}}, scales[3] = {1e-3, 1, 100};
    uint64_t seed = 11;
    int run, i, t, k, zones = 0, worst = 0;
    (void)state;
    for (run = 0; run < 24; run += PLAIN_OR(1, 7)) {
        double size = scales[run % 3], dt = run % 3 == 0 ? 1e-3 : (run % 3 == 2 ? 0.02 : 0.01);
        ct_world_desc d = world_desc(size * 2e-3, 0.5, NULL);
        ct_world *w;
        ct_body_id id[8];
        if (run >= 6)
            d.cmr_rounds = 1, d.max_halvings = 0;
        if (run % 5 == 4)
            d.row_mode = CT_ROW_VELOCITY;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 8; i++) {
            const double *s = shapes[(i + run) % 4];
            double q[4], at[3], v[3], o[3], speed = sqrt(9.81 * size) * (run >= 12 ? 5 : 1);
            ct_mesh m = i == 7 ? mesh_sphere(0.4 * size, 2) : mesh_box(size * s[0], size * s[1], size * s[2], 1, 1, 1, 0);
            for (k = 0; k < 4; k++)
                q[k] = 2 * lcg(&seed) - 1;
            for (k = 0; k < 3; k++) {
                at[k] = size * 2 * ((i >> k) & 1);
                v[k] = speed * (2 * lcg(&seed) - 1) - (k == 1 ? speed : 0);
                o[k] = 3 * speed / size * (2 * lcg(&seed) - 1);
            }
            at[1] += 1.1 * size;
            mesh_turn(&m, q, at, NULL);
            id[i] = add_rigid_mesh(w, &m, run % 2 ? (i % 2 ? 1e5 : 0.1) : 1000, -1, v, o);
            ct_mesh_free(&m);
        }
        for (t = 0; t < 60; t++) {
            ct_step_report r = step_once(w, dt);
            double x[3], v[3], o[3];
            int n = count_intersections(w);
            if (n || r.tangled)
                print_message("run %d step %d: %d intersections\n", run, t, n);
            assert_int_equal(n, 0);
            assert_int_equal(r.tangled, 0);
            zones += r.zones, worst += r.status == CT_STATUS_NOT_CONVERGED;
            for (i = 0; i < 8; i++) {
                place(w, id[i], x, NULL), motion(w, id[i], v, o);
                assert_true(norm3(x) < 1e3 * size && norm3(v) < 1e3 * sqrt(9.81 * size) && norm3(o) * dt < 2000);
            }
        }
        ct_world_destroy(w);
    }
    print_message("zones %d, steps not converged %d of %d\n", zones, worst, 24 / PLAIN_OR(1, 6) * 60);
    assert_true(zones > 0);
}

/* matrices are inverted by the range of their entries, not of their determinants; a rigid grain is a valid body in float, too */
static void grains_have_an_inertia(void **state)
{
    static const double sizes[4] = {1e-30, 1e-12, 1e12, 1e30};
    double far = IS_DOUBLE ? 4 : 1; /* in double to 1e-120 and 1e120 */
    ct_world_desc d = world_desc(IS_DOUBLE ? 1e-9 : 1e-7, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_mesh box = mesh_box(2e-4, 1e-4, 1e-4, 1, 1, 1, 0);
    ct_body_id id;
    ct_real v[3], omega[3];
    int i, k;
    (void)state;
    for (i = 0; i < 4; i++) {
        ct_real s = (ct_real)pow(sizes[i], far), m[9] = {0}, inverse[9] = {0}, zero[9] = {0};
        m[0] = 2 * s, m[4] = 3 * s, m[8] = 5 * s, m[1] = m[3] = s;
        assert_int_equal(cti_m3_inverse(m, inverse), 1);
        assert_true(fabs((double)(inverse[0] * s) - 0.6) < 1e-6 && fabs((double)(inverse[1] * s) + 0.2) < 1e-6);
        assert_true(fabs((double)(inverse[8] * s) - 0.2) < 1e-6);
        assert_int_equal(cti_m3_inverse(zero, inverse), 0);
    }
    r.mesh = &box, r.angular_velocity[0] = 3;
    assert_int_equal(ct_body_add_rigid(w, &r, &id), CT_OK);
    for (i = 0; i < 10; i++)
        step_once(w, 1e-3);
    assert_int_equal(ct_body_get_motion(w, id, v, omega), CT_OK);
    for (k = 0; k < 3; k++)
        assert_true(fabs((double)omega[k] - (k ? 0 : 3)) < 1e-4);
    ct_mesh_free(&box);
    ct_world_destroy(w);
}

/* The arm of a contact is that of half the rotation, or of all of it, about any axis and by any angle. With the former the rotation times the arm is the
   way of its end but for angle^2 / 24 of it, by (sin half) / half: the impulse works along the path */
static void arms_turn(void **state)
{
    const double angles[] = {0, 1e-6, 9.99e-4, 1.001e-3, 0.3, 1, 3, 6.2};
    const double rounded = IS_DOUBLE ? 1e-14 : 1e-6;
    const ct_real q[4] = {1, 0, 0, 0};
    const cti_v3 axis = cti_v3_make(CTI_R(0.48), CTI_R(0.6), CTI_R(0.64)), arm = cti_v3_make(CTI_R(0.3), CTI_R(-0.2), CTI_R(0.5));
    int i, k;
    (void)state;
    for (i = 0; i < (int)(sizeof angles / sizeof *angles); i++) {
        cti_v3 turn = cti_v3_mul(axis, (ct_real)angles[i]), at[2], way, by;
        ct_real turned[4], R[9];
        for (k = 0; k < 2; k++) {
            cti_rigid_turn(q, cti_v3_mul(turn, k ? CTI_R(1) : CTI_R(0.5)), turned), cti_rigid_matrix(turned, R);
            at[k] = cti_m3_mul_v(R, arm);
            /* below 1e-3 the sine is a series of which the next term is 1e-3 cubed / 6 */
            assert_true((double)cti_v3_norm(cti_v3_sub(cti_rigid_arm(turn, arm, k ? CTI_R(1) : CTI_R(0)), at[k])) < rounded + (angles[i] < 1e-3 ? 2e-10 : 0));
        }
        way = cti_v3_sub(at[1], arm), by = cti_v3_cross(turn, at[0]);
        assert_true((double)cti_v3_norm(cti_v3_sub(way, by)) <= angles[i] * angles[i] / 24 * (double)cti_v3_norm(by) + rounded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_turn),
        cmocka_unit_test(boxes_have_their_mass),
        cmocka_unit_test(grains_have_an_inertia),
        cmocka_unit_test(spheres_and_shells_converge),
        cmocka_unit_test(off_centre_bodies_turn_about_their_centre),
        cmocka_unit_test(a_symmetric_top_precesses),
        cmocka_unit_test(an_asymmetric_body_turns_over),
        cmocka_unit_test(needles_spin),
        cmocka_unit_test(plates_push),
        cmocka_unit_test(stacks_of_ten_rest),
        cmocka_unit_test(mass_ratios_rest),
        cmocka_unit_test(slopes_hold_and_let_go),
        cmocka_unit_test(belts_drag_by_friction),
        cmocka_unit_test(balls_come_to_roll),
        cmocka_unit_test(fast_spins_take_substeps),
        cmocka_unit_test(hits_on_soft_bodies_keep_momentum),
        cmocka_unit_test(extremes_never_intersect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
