/* forms_util.h -- helpers for the tests against closed forms: worlds and bodies in one line each, masses and momenta of meshes, joints that
   hold a vertex, and a comparison that prints both numbers. */
#ifndef TEST_FORMS_UTIL_H
#define TEST_FORMS_UTIL_H

#include "world_util.h"

#define FORMS_G 9.81
#define FORMS_PI 3.14159265358979323846

static const char *const forms_integrator[3] = {"EULER", "NEWMARK", "BDF2"};

/* a tolerance in double and one in float, in which the same tests run (make test, TESTS32) */
#define FORMS_TOL(in_double, in_float) (sizeof(ct_real) == 8 ? (in_double) : (in_float))

/* 1, and a line about it, where `got` is further than `tolerance` from `want`; a number that is not finite is */
static inline int forms_off(double got, double want, double tolerance, const char *format, ...)
{
    char text[200];
    va_list list;
    if (fabs(got - want) <= tolerance)
        return 0;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_message("%s: %.9g, expected %.9g within %.2g\n", text, got, want, tolerance);
    return 1;
}

/* ---- worlds ---- */

/* gravity along -y [m/s^2] */
static inline ct_world_desc forms_desc(ct_integrator integrator, double gravity, double friction)
{
    ct_world_desc d = world_desc(1e-3, friction, NULL);
    d.integrator = integrator;
    d.gravity[1] = (ct_real)-gravity;
    return d;
}

static inline ct_world *forms_world(ct_integrator integrator, double gravity, double friction)
{
    ct_world_desc d = forms_desc(integrator, gravity, friction);
    return world_make(&d);
}

static inline void forms_run(ct_world *w, double dt, int steps)
{
    int i;
    for (i = 0; i < steps; i++)
        step_once(w, dt);
}

/* ---- bodies; v, omega: [3] or NULL ---- */
static inline void forms_copy3(ct_real out[3], const double *v)
{
    int k;
    for (k = 0; k < 3; k++)
        out[k] = v ? (ct_real)v[k] : 0;
}

static inline ct_soft_desc forms_soft(const ct_mesh *m, ct_model model, double young, double poisson, double density)
{
    ct_soft_desc d = ct_soft_desc_default();
    d.mesh = m;
    d.material = ct_material_default(model);
    d.material.young = (ct_real)young;
    d.material.poisson = (ct_real)poisson;
    d.material.density = (ct_real)density;
    return d;
}

static inline ct_body_id forms_add_soft(ct_world *w, const ct_soft_desc *d)
{
    ct_body_id id = {0, 0};
    ct_code code = ct_body_add_soft(w, d, &id);
    if (code != CT_OK)
        print_message("ct_body_add_soft: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

static inline ct_body_id forms_add_cloth(ct_world *w, const ct_cloth_desc *d)
{
    ct_body_id id = {0, 0};
    ct_code code = ct_body_add_cloth(w, d, &id);
    if (code != CT_OK)
        print_message("ct_body_add_cloth: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

static inline ct_body_id forms_add_rigid(ct_world *w, const ct_mesh *m, double density, const double *v, const double *omega)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    ct_code code;
    d.mesh = m;
    d.density = (ct_real)density;
    forms_copy3(d.velocity, v);
    forms_copy3(d.angular_velocity, omega);
    code = ct_body_add_rigid(w, &d, &id);
    if (code != CT_OK)
        print_message("ct_body_add_rigid: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

static inline void forms_shift(ct_mesh *m, double x, double y, double z)
{
    int i;
    for (i = 0; i < m->n_positions; i++) {
        m->positions[3 * i] += (ct_real)x;
        m->positions[3 * i + 1] += (ct_real)y;
        m->positions[3 * i + 2] += (ct_real)z;
    }
}

/* the vertex does not move along `axes` */
static inline void forms_hold(ct_world *w, ct_body_id b, int vertex, int axes)
{
    int32_t v = vertex;
    assert_int_equal(ct_body_pin(w, b, &v, 1, axes, NULL, -1), CT_OK);
}

/* a ball joint that holds one vertex to the world */
static inline ct_joint_id forms_tie(ct_world *w, ct_body_id b, int vertex, double compliance)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id id = {0, 0};
    d.a.body = b;
    d.a.vertices[0] = vertex, d.a.vertices[1] = -1, d.a.vertices[2] = -1;
    d.a.weights[0] = 1;
    d.compliance = (ct_real)compliance;
    assert_int_equal(ct_joint_add(w, &d, &id), CT_OK);
    return id;
}

/* the vertices move to F x within one second along straight lines, and stay there; F: [9], rows */
static inline void forms_drive(ct_world *w, ct_body_id b, const ct_mesh *m, const double F[9])
{
    int i, r, c;
    for (i = 0; i < m->n_positions; i++) {
        ct_motion_segment g;
        int32_t v = i;
        memset(&g, 0, sizeof g);
        g.duration = 1;
        for (r = 0; r < 3; r++) {
            double x = -(double)m->positions[3 * i + r];
            for (c = 0; c < 3; c++)
                x += F[3 * r + c] * (double)m->positions[3 * i + c];
            g.motion.linear[r] = (ct_real)x;
        }
        assert_int_equal(ct_body_pin_path(w, b, &v, 1, CT_AXIS_ALL, &g, 1, -1), CT_OK);
    }
}

/* ---- sums ---- */

/* a quarter of each tet to its vertices [kg]; the caller's to free */
static inline double *forms_masses(const ct_mesh *mesh, double density)
{
    double *mass = (double *)calloc((size_t)mesh->n_positions, sizeof *mass);
    int t, k, i;
    assert_non_null(mass);
    for (t = 0; t < mesh->n_tets; t++) {
        const int32_t *v = mesh->tets + 4 * t;
        double e[3][3], volume;
        for (k = 0; k < 3; k++)
            for (i = 0; i < 3; i++)
                e[k][i] = (double)mesh->positions[3 * v[k + 1] + i] - (double)mesh->positions[3 * v[0] + i];
        volume = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                  e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                 6;
        for (k = 0; k < 4; k++)
            mass[v[k]] += density * fabs(volume) / 4;
    }
    return mass;
}

/* adds the body's momentum to p, its angular momentum about the origin to l (may be NULL) */
static inline void forms_momentum(const ct_world *w, ct_body_id b, const double *mass, double p[3], double *l)
{
    int n, i, k;
    double *x = read_vectors(w, b, 0, &n), *v = read_vectors(w, b, 1, NULL);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) {
            int a = (k + 1) % 3, c = (k + 2) % 3;
            p[k] += mass[i] * v[3 * i + k];
            if (l)
                l[k] += mass[i] * (x[3 * i + a] * v[3 * i + c] - x[3 * i + c] * v[3 * i + a]);
        }
    free(x), free(v);
}

/* of displacements u[n], dt apart: the period from the first zero to the last [s], the decay from the extremes between them [1/s] */
static inline void forms_vibration(const double *u, int n, double dt, double *period, double *decay)
{
    double zero[100], peak[100], most = 0;
    int i, zeros = 0;
    *period = *decay = 0;
    for (i = 1; i < n; i++) {
        most = fmax(most, fabs(u[i]));
        if (u[i - 1] * u[i] < 0 && zeros < 100) {
            zero[zeros] = (i + u[i - 1] / (u[i - 1] - u[i])) * dt;
            peak[zeros] = most;
            zeros++;
            most = 0;
        }
    }
    if (zeros > 2) {
        *period = 2 * (zero[zeros - 1] - zero[0]) / (zeros - 1);
        *decay = -log(peak[zeros - 1] / peak[1]) / (zero[zeros - 1] - zero[1]);
    }
}

static inline double forms_length(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

#endif /* TEST_FORMS_UTIL_H */
