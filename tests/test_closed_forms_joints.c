/* test_closed_forms_joints.c -- sheets, joints, rigid rotation and scripted motion against closed forms. */
#include "forms_util.h"

/* ---- sheets ---- */

/* a sheet in the plane y = 0, turned by `angle`: 0 alternating diagonals, 1 one diagonal, 2 equilateral triangles */
static ct_mesh sheet_of(int kind, double angle)
{
    const int n = 6;
    ct_mesh m = mesh_grid(1, 1, n, n);
    int i, j, t = 0;
    double c = cos(angle), s = sin(angle);
    for (j = 0; kind > 0 && j < n; j++)
        for (i = 0; i < n; i++) {
            int a = j * (n + 1) + i, b = a + 1, e = a + n + 1, f = e + 1;
            int32_t *T = m.triangles + 6 * t++;
            T[0] = a, T[1] = e, T[2] = f, T[3] = a, T[4] = f, T[5] = b;
            if (kind == 2 && j % 2 == 0)
                T[2] = b, T[3] = b, T[4] = e, T[5] = f;
        }
    for (j = 0; kind == 2 && j <= n; j++)
        for (i = 0; i <= n; i++) {
            ct_real *x = m.positions + 3 * (j * (n + 1) + i);
            x[0] = (ct_real)((i - n / 2 + 0.5 * (j % 2)) / n);
            x[2] = (ct_real)((j - n / 2) * 0.8660254037844386 / n);
        }
    for (i = 0; i < m.n_positions; i++) {
        ct_real *x = m.positions + 3 * i;
        double u = (double)x[0], v = (double)x[2];
        x[0] = (ct_real)(c * u + s * v), x[2] = (ct_real)(-s * u + c * v);
    }
    return m;
}

static double area_of(const ct_mesh *m)
{
    double sum = 0;
    int t;
    for (t = 0; t < m->n_triangles; t++) {
        const ct_real *a = m->positions + 3 * m->triangles[3 * t], *b = m->positions + 3 * m->triangles[3 * t + 1];
        const ct_real *c = m->positions + 3 * m->triangles[3 * t + 2];
        sum += 0.5 * fabs((double)(b[0] - a[0]) * (double)(c[2] - a[2]) - (double)(b[2] - a[2]) * (double)(c[0] - a[0]));
    }
    return sum;
}

/* E t [N/m] and nu of a membrane of .3 mm */
static ct_cloth_desc membrane_of(const ct_mesh *m, double Et, double nu)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    d.mesh = m;
    d.material = ct_material_default(CT_MODEL_MEMBRANE);
    d.material.young = (ct_real)(Et / 3e-4);
    d.material.shell_thickness = (ct_real)3e-4;
    d.material.poisson = (ct_real)nu;
    d.material.bending = 0;
    return d;
}

/* a membrane stretched and sheared by 1 %: E t / (1 - nu^2) and G t with Green's strain, in every direction of every mesh */
static void membranes_are_isotropic(void **state)
{
    const double e = 0.01, Et = 40, nu = 0.3, plane = Et / (1 - nu * nu), shear = Et / 2 / (1 + nu);
    int kind, k, misses = 0;
    (void)state;
    for (kind = 0; kind < 3; kind++)
        for (k = 0; k < 6; k++) {
            double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, want, got;
            ct_world_desc wd = forms_desc(CT_INTEGRATOR_EULER, 0, 0);
            ct_world *w;
            ct_mesh m = sheet_of(kind, (k % 5) * FORMS_PI / 8);
            ct_cloth_desc d = membrane_of(&m, Et, nu);
            /* energy / area: E' C E / 2 of Green's strain */
            if (k < 5) {
                F[0] += e;
                want = plane * (e + e * e / 2) * (e + e * e / 2) / 2;
            } else {
                F[2] = e;
                want = shear * e * e / 2 + plane * (e * e / 2) * (e * e / 2) / 2;
            }
            wd.self_collision = 0;
            wd.thickness = (ct_real)1e-5;
            w = world_make(&wd);
            forms_drive(w, forms_add_cloth(w, &d), &m, F);
            forms_run(w, 0.2, 7);
            got = step_once(w, 0.2).energy_elastic / area_of(&m);
            misses += forms_off(2 * got / e / e, 2 * want / e / e, FORMS_TOL(1e-5, 2e-3), "membrane, mesh %d, strain %d: stiffness [N/m]",
                                kind, k);
            ct_world_destroy(w);
            ct_mesh_free(&m);
        }
    assert_int_equal(misses, 0);
}

/* a grid's plane y = 0 becomes z = 0 */
static void stand_up(ct_mesh *m)
{
    int i;
    for (i = 0; i < m->n_positions; i++) {
        m->positions[3 * i + 1] = m->positions[3 * i + 2];
        m->positions[3 * i + 2] = 0;
    }
}

/* elongation of a strip of 1 m that hangs: E t (l^3 - l) / 2 = weight below [N/m], by Newton's method at 1,000 places */
static double elongation_of_a_strip(double Et, double weight)
{
    double sum = 0;
    int i, k;
    for (i = 0; i < 1000; i++) {
        double pull = weight * (i + 0.5) / 1000, l = 1;
        for (k = 0; k < 20; k++)
            l -= (Et * (l * l * l - l) / 2 - pull) / (Et * (3 * l * l - 1) / 2);
        sum += (l - 1) / 1000;
    }
    return sum;
}

/* strains are up to 5 % */
static void a_strip_hangs(void **state)
{
    double want = elongation_of_a_strip(40, 0.2 * FORMS_G);
    int it, i, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++) {
        ct_world_desc wd = forms_desc((ct_integrator)it, FORMS_G, 0);
        ct_world *w;
        ct_mesh m = mesh_grid(0.2, 1, 2, 20);
        ct_cloth_desc d = membrane_of(&m, 40, 0);
        double *x, low = 0;
        int n = 0;
        ct_body_id b;
        stand_up(&m);
        wd.self_collision = 0;
        w = world_make(&wd);
        d.material.areal_density = (ct_real)0.2;
        d.material.damping_mass = 20;
        b = forms_add_cloth(w, &d);
        for (i = 0; i < m.n_positions; i++)
            if ((double)m.positions[3 * i + 1] > 0.5 - 1e-6)
                forms_hold(w, b, i, CT_AXIS_ALL);
        forms_run(w, 0.02, 150);
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < m.n_positions; i++)
            if ((double)m.positions[3 * i + 1] < -0.5 + 1e-6) {
                low += x[3 * i + 1];
                n++;
            }
        misses += forms_off(-0.5 - low / n, want, 1e-3 * want, "%s: elongation of a strip that hangs [m]", forms_integrator[it]);
        free(x);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
    assert_int_equal(misses, 0);
}

/* ---- joints ---- */

/* y of the impulses [N s] of n joints */
static double impulses_up(const ct_world *w, const ct_joint_id *joint, int n)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++) {
        ct_real l[3];
        assert_int_equal(ct_joint_get_impulse(w, joint[i], l, NULL), CT_OK);
        sum += (double)l[1];
    }
    return sum;
}

/* a cloth of .16 m^2 that hangs from nine joints: their impulses carry .3 kg/m^2 g */
static void joints_carry_a_cloth(void **state)
{
    int model, i, misses = 0;
    (void)state;
    for (model = CT_MODEL_MEMBRANE; model <= CT_MODEL_SPRINGS; model++) {
        ct_world_desc wd = forms_desc(CT_INTEGRATOR_EULER, FORMS_G, 0);
        ct_world *w;
        ct_mesh m = mesh_grid(0.4, 0.4, 8, 8);
        ct_cloth_desc d = ct_cloth_desc_default();
        ct_joint_id joint[9];
        ct_body_id b;
        int n = 0;
        stand_up(&m);
        wd.self_collision = 0;
        w = world_make(&wd);
        d.mesh = &m;
        d.material = ct_material_default((ct_model)model);
        d.material.areal_density = (ct_real)0.3;
        d.material.damping_mass = 10;
        d.material.young = (ct_real)1e6;
        d.material.stretch = 500, d.material.shear = 125, d.material.bend = (ct_real)0.01;
        b = forms_add_cloth(w, &d);
        for (i = 0; i < m.n_positions; i++)
            if ((double)m.positions[3 * i + 1] > 0.2 - 1e-6) {
                assert_true(n < 9);
                joint[n++] = forms_tie(w, b, i, 0);
            }
        forms_run(w, 0.01, 200);
        misses += forms_off(impulses_up(w, joint, n) / 0.01, 0.3 * 0.16 * FORMS_G, 1e-5, "%s: force of nine joints",
                            model == CT_MODEL_MEMBRANE ? "membrane" : "springs");
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
    assert_int_equal(misses, 0);
}

/* a soft cube of 1 kg hung from another by four stitches of .2 m */
static void stitches_carry_a_cube(void **state)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1), low = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 1e6, 0.3, 1000);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_STITCH);
    ct_joint_id joint[4];
    int i, k, n = 0;
    (void)state;
    d.material.damping_mass = 10;
    j.a.body = forms_add_soft(w, &d);
    forms_shift(&low, 0, -0.3, 0);
    d.mesh = &low;
    j.b.body = forms_add_soft(w, &d);
    j.rest_length = (ct_real)0.2;
    j.a.vertices[1] = j.a.vertices[2] = j.b.vertices[1] = j.b.vertices[2] = -1;
    j.a.weights[0] = j.b.weights[0] = 1;
    for (i = 0; i < m.n_positions; i++) {
        const ct_real *X = m.positions + 3 * i;
        if ((double)X[1] > 0.049) {
            forms_hold(w, j.a.body, i, CT_AXIS_ALL);
            continue;
        }
        for (k = 0; k < low.n_positions; k++) {
            const ct_real *Y = low.positions + 3 * k;
            if ((double)Y[1] < -0.26 || fabs((double)(Y[0] - X[0])) + fabs((double)(Y[2] - X[2])) > 1e-6)
                continue;
            j.a.vertices[0] = i, j.b.vertices[0] = k;
            assert_true(n < 4);
            assert_int_equal(ct_joint_add(w, &j, &joint[n++]), CT_OK);
        }
    }
    assert_int_equal(n, 4);
    forms_run(w, 0.01, 300);
    assert_int_equal(forms_off(fabs(impulses_up(w, joint, n)) / 0.01, FORMS_G, FORMS_TOL(1e-4, 1e-3), "force of four stitches"), 0);
    ct_world_destroy(w);
    ct_mesh_free(&m), ct_mesh_free(&low);
}

/* A rigid bar of 4 kg, .4 m long, is held at one end: force m g, moment m g L / 2. With compliances c and c' its end sags by m g c and rotates by
   M c', where M is the moment of the rotated bar */
static void joints_hold_force_and_moment(void **state)
{
    static const char *const names[3] = {"fixed joint", "hinge along the bar", "compliant joint"};
    const double c = 1e-4, ca = 1e-3, weight = 4 * FORMS_G, dt = 0.01;
    int k, misses = 0;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
        ct_mesh m = mesh_box(0.4, 0.1, 0.1, 1, 1, 1, 0);
        ct_joint_desc j = ct_joint_desc_default(k == 1 ? CT_JOINT_HINGE : CT_JOINT_FIXED);
        ct_joint_id id;
        ct_real f[3], t[3], x[3], q[4];
        double turn;
        forms_shift(&m, 0.2, 0, 0);
        j.a.body = forms_add_rigid(w, &m, 1000, NULL, NULL);
        j.axis[0] = 1, j.axis[1] = 0, j.axis[2] = 0;
        if (k == 2)
            j.compliance = (ct_real)c, j.angular_compliance = (ct_real)ca;
        assert_int_equal(ct_joint_add(w, &j, &id), CT_OK);
        forms_run(w, dt, 400);
        assert_int_equal(ct_joint_get_impulse(w, id, f, t), CT_OK);
        assert_int_equal(ct_body_get_pose(w, j.a.body, x, q), CT_OK);
        turn = 2 * asin((double)q[3]);
        misses += forms_off((double)f[1] / dt, weight, 1e-3, "%s: force", names[k]);
        misses += forms_off((double)f[0] / dt, 0, 1e-3, "%s: force along the bar", names[k]);
        misses += forms_off(fabs((double)t[2]) / dt, weight * 0.2, 1e-3, "%s: moment", names[k]);
        misses += forms_off(turn, k == 2 ? -weight * 0.2 * ca * cos(turn) : 0, 2e-6, "%s: turn", names[k]);
        misses += forms_off((double)x[1] - 0.2 * sin(turn), k == 2 ? -weight * c : 0, 2e-6, "%s: sag of the held end", names[k]);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
    assert_int_equal(misses, 0);
}

/* a cube of 1 kg on a joint of 400 N/m: period 2 pi sqrt(m / k), implicit Euler's decay w^2 dt / 2 */
static void a_spring_joint_swings(void **state)
{
    const double dt = 0.001, v[3] = {0, 1, 0};
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id id;
    double u[1500], period, decay;
    int i, misses = 0;
    (void)state;
    j.a.body = forms_add_rigid(w, &m, 1000, v, NULL);
    j.compliance = (ct_real)(1.0 / 400);
    assert_int_equal(ct_joint_add(w, &j, &id), CT_OK);
    for (i = 0; i < 1500; i++) {
        ct_real x[3];
        step_once(w, dt);
        assert_int_equal(ct_body_get_pose(w, j.a.body, x, NULL), CT_OK);
        u[i] = (double)x[1];
    }
    forms_vibration(u, 1500, dt, &period, &decay);
    misses += forms_off(period, 2 * FORMS_PI / 20, 1e-4, "period on a spring joint");
    misses += forms_off(decay, 400 * dt / 2, 2e-3, "decay on a spring joint");
    assert_int_equal(misses, 0);
    ct_world_destroy(w);
    ct_mesh_free(&m);
}

/* ---- rigid rotation ---- */

typedef struct top {
    double dt, tilt, length, spin, rate; /* [s], [rad], [m], [rad/s] about the axis, of the precession */
    double turned, low, high;            /* out, after 1 s: precession, least and largest tilt [rad] */
} top;

static void top_run(top *q)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_mesh m = mesh_box(0.2, 0.02, 0.2, 1, 1, 1, 0);
    double axis[3], omega[3], v[3], last = 0;
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id id;
    int i;
    forms_shift(&m, 0, q->length, 0);
    mesh_place(&m, q->tilt, 0, 0, 0);
    axis[0] = -sin(q->tilt), axis[1] = cos(q->tilt), axis[2] = 0;
    for (i = 0; i < 3; i++)
        omega[i] = (q->spin - q->rate * cos(q->tilt)) * axis[i] + (i == 1 ? q->rate : 0);
    for (i = 0; i < 3; i++)
        v[i] = q->length * (omega[(i + 1) % 3] * axis[(i + 2) % 3] - omega[(i + 2) % 3] * axis[(i + 1) % 3]);
    j.a.body = forms_add_rigid(w, &m, 1000, v, omega);
    assert_int_equal(ct_joint_add(w, &j, &id), CT_OK);
    q->turned = 0, q->low = 9, q->high = 0;
    for (i = 0; i < (int)(1 / q->dt + 0.5); i++) {
        ct_real x[3];
        double at, d;
        step_once(w, q->dt);
        assert_int_equal(ct_body_get_pose(w, j.a.body, x, NULL), CT_OK);
        at = atan2((double)x[2], -(double)x[0]);
        d = at - last;
        q->turned += d - 2 * FORMS_PI * floor(d / (2 * FORMS_PI) + 0.5);
        last = at;
        d = acos((double)x[1] / sqrt((double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])));
        q->low = fmin(q->low, d), q->high = fmax(q->high, d);
    }
    ct_world_destroy(w);
    ct_mesh_free(&m);
}

/* A plate of .8 kg on a massless shaft spins at w = 100 rad/s on a ball joint. It precesses at O and keeps its tilt, I3 w O - I1 O^2 cos(tilt) = m
   g l */
static void a_fast_top_precesses(void **state)
{
    static const double dts[2] = {0.01, 0.001};
    const double I3 = 0.8 / 12 * 0.08, I1 = 0.8 / 12 * 0.0404 + 0.8 * 0.15 * 0.15;
    double O = 0;
    int e, i, misses = 0;
    (void)state;
    for (i = 0; i < 50; i++)
        O = (0.8 * FORMS_G * 0.15 + I1 * O * O * cos(0.5)) / (I3 * 100);
    for (e = 0; e < 2; e++) {
        top q;
        q.dt = dts[e], q.tilt = 0.5, q.length = 0.15, q.spin = 100, q.rate = O;
        top_run(&q);
        misses += forms_off(q.turned, O, 2e-3, "dt %g: precession of a top in 1 s", q.dt);
        misses += forms_off(q.low, q.tilt, 0.004, "dt %g: least tilt", q.dt);
        misses += forms_off(q.high, q.tilt, 0.004, "dt %g: largest tilt", q.dt);
    }
    assert_int_equal(misses, 0);
}

/* kinetic energy of a tet that rotates about six axes: covariance of a tet, rho V / 20 sum of (x - c)(x - c)' */
static void inertia_of_a_tet(void **state)
{
    static const double X[12] = {0, 0, 0, 0.3, 0, 0, 0, 0.2, 0, 0.05, 0.03, 0.4};
    int32_t T[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    ct_real P[12];
    double c[3] = {0, 0, 0}, C[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, V = 0.3 * 0.2 * 0.4 / 6, trace;
    int i, a, b, axis, misses = 0;
    ct_mesh m;
    (void)state;
    memset(&m, 0, sizeof m);
    m.positions = P, m.triangles = T;
    m.n_positions = m.n_triangles = 4;
    for (i = 0; i < 12; i++) {
        P[i] = (ct_real)X[i];
        c[i % 3] += X[i] / 4;
    }
    for (i = 0; i < 4; i++)
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++)
                C[a][b] += 1000 * V / 20 * (X[3 * i + a] - c[a]) * (X[3 * i + b] - c[b]);
    trace = C[0][0] + C[1][1] + C[2][2];
    for (axis = 0; axis < 6; axis++) {
        ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
        double omega[3] = {0, 0, 0}, want = 0;
        omega[axis % 3] = 1;
        if (axis >= 3)
            omega[(axis + 1) % 3] = 1;
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++)
                want += 0.5 * omega[a] * omega[b] * ((a == b ? trace : 0) - C[a][b]);
        forms_add_rigid(w, &m, 1000, NULL, omega);
        misses +=
            forms_off(step_once(w, 1e-5).energy_kinetic / want, 1, FORMS_TOL(1e-10, 1e-5), "axis %d: kinetic energy / closed form", axis);
        ct_world_destroy(w);
    }
    assert_int_equal(misses, 0);
}

/* damping_mass 2 of a rigid body: both speeds fall to e^-2 in 1 s, in steps as 1 / (1 + 2 dt) */
static void rigid_bodies_slow_down(void **state)
{
    static const double dts[2] = {0.01, 0.001};
    int e, misses = 0;
    (void)state;
    for (e = 0; e < 2; e++) {
        ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
        ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
        ct_rigid_desc d = ct_rigid_desc_default();
        double want = pow(1 + 2 * dts[e], -1 / dts[e]);
        ct_real v[3], omega[3];
        ct_body_id b;
        d.mesh = &m;
        d.damping_mass = 2;
        d.velocity[0] = 1;
        d.angular_velocity[1] = 3;
        assert_int_equal(ct_body_add_rigid(w, &d, &b), CT_OK);
        forms_run(w, dts[e], (int)(1 / dts[e] + 0.5));
        assert_int_equal(ct_body_get_motion(w, b, v, omega), CT_OK);
        misses += forms_off((double)v[0], want, FORMS_TOL(1e-6, 2e-5), "dt %g: speed", dts[e]);
        misses += forms_off((double)omega[1] / 3, want, FORMS_TOL(1e-6, 2e-5), "dt %g: angular speed", dts[e]);
        misses += forms_off((double)v[0], exp(-2.0), 2.1 * dts[e] * exp(-2.0), "dt %g: speed against e^-2", dts[e]);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
    assert_int_equal(misses, 0);
}

/* ---- scripts ---- */

/* three keyframes .1 s apart, steps of .03 s: the motion is on straight lines between them, and ends after the last */
static void keyframes_are_met(void **state)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    int i, k, n = 3 * m.n_positions, misses = 0;
    ct_real *frames = (ct_real *)calloc((size_t)(3 * n), sizeof *frames);
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_body_id b;
    (void)state;
    assert_non_null(frames);
    for (k = 0; k < 3; k++)
        for (i = 0; i < n; i++)
            frames[n * k + i] = m.positions[i] + (ct_real)(i % 3 == 0 ? 0.1 * k * k : 0);
    d.mesh = &m;
    d.keyframes = frames;
    d.n_keyframes = 3;
    d.keyframe_interval = 0.1;
    assert_int_equal(ct_body_add_kinematic(w, &d, &b), CT_OK);
    for (i = 1; i <= 10; i++) {
        double t = 0.03 * i, *x, want = t < 0.1 ? t : (t < 0.2 ? 0.1 + 3 * (t - 0.1) : 0.4);
        step_once(w, 0.03);
        x = read_vectors(w, b, 0, NULL);
        misses += forms_off(x[0] - (double)m.positions[0], want, FORMS_TOL(1e-14, 1e-7), "keyframes: place at %g s", t);
        free(x);
    }
    assert_int_equal(misses, 0);
    ct_world_destroy(w);
    ct_mesh_free(&m);
    free(frames);
}

/* Position of X after a rotation by 2 rad/s about (.3, 0, 0) and y, with a rise of .5 m/s, for t1, and one by 3 rad/s about (0, .2, 0) and x, for
   t2 */
static void path_at(const ct_real *X, double t1, double t2, double p[3])
{
    double c = cos(2 * t1), s = sin(2 * t1), y, z;
    p[0] = 0.3 + c * ((double)X[0] - 0.3) + s * (double)X[2];
    y = (double)X[1] + 0.5 * t1 - 0.2;
    z = -s * ((double)X[0] - 0.3) + c * (double)X[2];
    c = cos(3 * t2), s = sin(3 * t2);
    p[1] = 0.2 + c * y - s * z;
    p[2] = s * y + c * z;
}

/* a path of two pieces that end between steps: nodes follow the script, and stand after its end */
static void pins_follow_their_path(void **state)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 1e5, 0.3, 1000);
    ct_motion_segment g[2];
    int32_t all[8];
    double worst = 0, *v;
    int i, k, misses = 0;
    ct_body_id b;
    (void)state;
    memset(g, 0, sizeof g);
    g[0].motion.angular[1] = 2, g[0].motion.center[0] = (ct_real)0.3, g[0].motion.linear[1] = (ct_real)0.5, g[0].duration = 0.55;
    g[1].motion.angular[0] = 3, g[1].motion.center[1] = (ct_real)0.2, g[1].duration = 0.3;
    assert_int_equal(m.n_positions, 8);
    for (i = 0; i < 8; i++)
        all[i] = i;
    b = forms_add_soft(w, &d);
    assert_int_equal(ct_body_pin_path(w, b, all, 8, CT_AXIS_ALL, g, 2, -1), CT_OK);
    for (k = 1; k <= 50; k++) {
        double t = 0.02 * k, p[3], *x;
        step_once(w, 0.02);
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < 8; i++) {
            path_at(m.positions + 3 * i, fmin(t, 0.55), fmin(fmax(t - 0.55, 0), 0.3), p);
            worst = fmax(worst, fabs(x[3 * i] - p[0]) + fabs(x[3 * i + 1] - p[1]) + fabs(x[3 * i + 2] - p[2]));
        }
        free(x);
    }
    v = read_vectors(w, b, 1, NULL);
    misses += forms_off(worst, 0, FORMS_TOL(1e-14, 1e-6), "pin path: farthest place");
    misses += forms_off(fabs(v[0]) + fabs(v[1]) + fabs(v[2]), 0, FORMS_TOL(1e-14, 1e-5), "pin path: speed after its end");
    assert_int_equal(misses, 0);
    free(v);
    ct_world_destroy(w);
    ct_mesh_free(&m);
}

/* all nodes of a cube slide along a line at .6 rad without friction: g sin t^2 / 2 along it, no motion across */
static void a_bead_slides_on_a_line(void **state)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, FORMS_G, 0);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    ct_soft_desc d = forms_soft(&m, CT_MODEL_COROTATIONAL, 1e5, 0.3, 1000);
    const double c = cos(0.6), s = sin(0.6);
    ct_real S[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    double x[3];
    int i, misses = 0;
    ct_body_id b = forms_add_soft(w, &d);
    (void)state;
    S[0] = (ct_real)(c * c), S[1] = S[3] = (ct_real)(c * s), S[4] = (ct_real)(s * s);
    for (i = 0; i < m.n_positions; i++)
        assert_int_equal(ct_body_constrain(w, b, i, S), CT_OK);
    forms_run(w, 0.01, 100);
    read_middle(w, b, 0, x);
    misses += forms_off(x[0] * c + x[1] * s, -0.5 * FORMS_G * s, FORMS_TOL(5e-6, 1e-4), "bead: way along the line");
    misses += forms_off(-x[0] * s + x[1] * c, 0, FORMS_TOL(1e-13, 1e-5), "bead: way across the line");
    assert_int_equal(misses, 0);
    ct_world_destroy(w);
    ct_mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(membranes_are_isotropic) PLAIN_TEST(a_strip_hangs) PLAIN_TEST(joints_carry_a_cloth)
            cmocka_unit_test(stitches_carry_a_cube),
        cmocka_unit_test(joints_hold_force_and_moment),
        cmocka_unit_test(a_spring_joint_swings),
        cmocka_unit_test(a_fast_top_precesses),
        cmocka_unit_test(inertia_of_a_tet),
        cmocka_unit_test(rigid_bodies_slow_down),
        cmocka_unit_test(keyframes_are_met),
        cmocka_unit_test(pins_follow_their_path),
        cmocka_unit_test(a_bead_slides_on_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
