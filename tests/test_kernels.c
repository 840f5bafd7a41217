/* test_kernels.c -- the public kernels against formulas of this file: distances with their derivatives, the projection onto Coulomb's cone by
   Moreau's conditions, a tetrahedron's energy, force and stiffness by its strain and by differences; and the matrices of problems, which the
   solutions of worlds satisfy. */
#include "../src/public/api.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the headers above */
#include <cmocka.h>

#if CONTACT_REAL == 32
#define TOL 2e-5
#define STEP 1e-2
#else
#define TOL 1e-11
#define STEP 1e-6
#endif

static uint64_t seed = 7;
static double rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}
static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        print_error("%.17g is not %.17g, %g apart\n", a, b, fabs(a - b));
    assert_true(fabs(a - b) <= tolerance);
}

/* ---- distances ---- */

typedef ct_code distance(const ct_real *x, ct_real *d, ct_real *w);
static ct_code vf(const ct_real *x, ct_real *d, ct_real *w) { return ct_dist_vertex_face(x, d, w); }
static ct_code ee(const ct_real *x, ct_real *d, ct_real *w) { return ct_dist_edge_edge(x, d, w); }
static ct_code ve(const ct_real *x, ct_real *d, ct_real *w) { return ct_dist_vertex_edge(x, d, w); }

static void known(distance *f, int n, const double *numbers, double d, const double *w)
{
    ct_real x[12], out = -1, weight[4];
    int i;
    for (i = 0; i < 3 * n; i++)
        x[i] = (ct_real)numbers[i];
    assert_int_equal(f(x, &out, weight), CT_OK);
    near((double)out, d, TOL);
    for (i = 0; i < n; i++)
        near((double)weight[i], w[i], TOL);
}

static void test_distances_by_hand(void **state)
{
    /* above the inside of a triangle; beyond its corner (3, 4 and 5); skew edges; an end above the middle of an edge; past an edge's end */
    static const double inside[] = {0.25, 0.25, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0}, wi[] = {1, -0.5, -0.25, -0.25};
    static const double corner[] = {4, -4, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, wc[] = {1, 0, -1, 0};
    static const double skew[] = {-1, 0, 1, 1, 0, 1, 0, -2, 0, 0, 2, 0}, ws[] = {0.5, 0.5, -0.5, -0.5};
    static const double tee[] = {0, 0, 3, 0, 0, 1, -3, 0, 0, 1, 0, 0}, wt[] = {0, 1, -0.25, -0.75};
    static const double past[] = {5, 3, 0, -1, 0, 0, 1, 0, 0}, wp[] = {1, 0, -1};
    (void)state;
    known(vf, 4, inside, 2, wi);
    known(vf, 4, corner, 5, wc);
    known(ee, 4, skew, 1, ws);
    known(ee, 4, tee, 1, wt);
    known(ve, 3, past, 5, wp);
}

/* of the angle between edges x0 x1 and x2 x3 */
static double sine(const ct_real *x)
{
    double u[3], v[3], uu = 0, vv = 0, uv = 0;
    int k;
    for (k = 0; k < 3; k++) {
        u[k] = (double)x[3 + k] - (double)x[k], v[k] = (double)x[9 + k] - (double)x[6 + k];
        uu += u[k] * u[k], vv += v[k] * v[k], uv += u[k] * v[k];
    }
    return sqrt(fmax(0, 1 - uv * uv / (uu * vv)));
}

/* sum w_i x_i has the distance's length; no other points of the features are nearer; its derivative by x_i is w_i n */
static void any(distance *f, int n, int first)
{
    ct_real x[12], d, w[4], up, down;
    double r[3] = {0, 0, 0}, sum[2] = {0, 0};
    int i, k;
    for (i = 0; i < 3 * n; i++)
        x[i] = (ct_real)rnd();
    assert_int_equal(f(x, &d, w), CT_OK);
    for (i = 0; i < n; i++) {
        sum[i >= first] += (double)w[i];
        assert_true(i < first ? w[i] >= 0 : w[i] <= 0);
        for (k = 0; k < 3; k++)
            r[k] += (double)w[i] * (double)x[3 * i + k];
    }
    near(sum[0], 1, TOL), near(sum[1], -1, TOL);
    near(sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), (double)d, 10 * TOL);
    for (i = 0; i < 300; i++) { /* points of the features by chance */
        double y[3] = {0, 0, 0}, v[4], s[2] = {0, 0};
        for (k = 0; k < n; k++)
            v[k] = 1 + rnd(), s[k >= first] += v[k];
        for (k = 0; k < 3 * n; k++)
            y[k % 3] += (k / 3 < first ? 1 : -1) * v[k / 3] / s[k / 3 >= first] * (double)x[k];
        assert_true(sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) >= (double)d - 10 * TOL);
    }
    /* nearly parallel edges have many nearest points, between which the weights jump */
    if (d < (ct_real)0.1 || (first == 2 && sine(x) < 0.3))
        return;
    for (i = 0; i < 3 * n; i++) {
        ct_real keep = x[i], h = (ct_real)(CONTACT_REAL == 32 ? 1e-3 : 1e-6);
        x[i] = keep + h, f(x, &up, NULL);
        x[i] = keep - h, f(x, &down, NULL);
        x[i] = keep;
        near((double)(up - down) / (2 * (double)h), (double)w[i / 3] * r[i % 3] / (double)d, CONTACT_REAL == 32 ? 5e-2 : 1e-4);
    }
}

static void test_distances(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < 300; i++)
        any(vf, 4, 1), any(ee, 4, 2), any(ve, 3, 1);
}

static void test_distance_errors(void **state)
{
    ct_real x[12] = {0}, d = 7, w[4] = {7, 7, 7, 7};
    (void)state;
    assert_int_equal(ct_dist_vertex_face(NULL, &d, w), CT_ERR_ARGUMENT);
    assert_int_equal(ct_dist_edge_edge(x, NULL, w), CT_ERR_ARGUMENT);
    x[8] = (ct_real)NAN;
    assert_int_equal(ct_dist_vertex_edge(x, &d, w), CT_ERR_DOMAIN);
    x[8] = (ct_real)(sizeof(ct_real) == 8 ? 1e70 : 1e8);
    assert_int_equal(ct_dist_edge_edge(x, &d, w), CT_ERR_DOMAIN);
    assert_true(d == 7 && w[0] == 7 && w[3] == 7);
    x[8] = 0; /* all points in one place */
    assert_int_equal(ct_dist_vertex_face(x, &d, NULL), CT_OK);
    assert_true(d == 0);
}

/* ---- the cone ---- */

/* Moreau: r = p + z with p in K, z in the polar cone {z_n + mu |z_t| <= 0}, p'z = 0 */
static void test_cone(void **state)
{
    double r[3] = {0, 2, 0}, p[3], q[3];
    int i, k;
    (void)state;
    assert_int_equal(ct_cone_project(1, r, p), CT_OK);
    near(p[0], 1, 1e-15), near(p[1], 1, 1e-15), near(p[2], 0, 0);
    r[0] = -1, r[1] = 0.5;
    assert_int_equal(ct_cone_project(1, r, p), CT_OK);
    assert_true(p[0] == 0 && p[1] == 0 && p[2] == 0);
    for (i = 0; i < 2000; i++) {
        double mu = i % 5 ? 1 + rnd() : 0, z[3], dot = 0;
        for (k = 0; k < 3; k++)
            r[k] = 3 * rnd();
        assert_int_equal(ct_cone_project(mu, r, p), CT_OK);
        for (k = 0; k < 3; k++)
            z[k] = r[k] - p[k], dot += p[k] * z[k];
        assert_true(sqrt(p[1] * p[1] + p[2] * p[2]) <= mu * p[0] + 1e-14);
        assert_true(z[0] + mu * sqrt(z[1] * z[1] + z[2] * z[2]) <= 1e-14);
        near(dot, 0, 1e-14);
        assert_int_equal(ct_cone_project(mu, p, q), CT_OK); /* a projection, also in place */
        assert_int_equal(ct_cone_project(mu, r, r), CT_OK);
        for (k = 0; k < 3; k++)
            near(q[k], p[k], 1e-14), near(r[k], p[k], 0);
    }
    q[0] = 7;
    assert_int_equal(ct_cone_project(-0.1, p, q), CT_ERR_DOMAIN);
    assert_int_equal(ct_cone_project(NAN, p, q), CT_ERR_DOMAIN);
    p[2] = INFINITY;
    assert_int_equal(ct_cone_project(0.1, p, q), CT_ERR_DOMAIN);
    assert_int_equal(ct_cone_project(0.1, NULL, q), CT_ERR_ARGUMENT);
    assert_int_equal(ct_cone_project(0.1, p, NULL), CT_ERR_ARGUMENT);
    assert_true(q[0] == 7);
}

/* ---- the tetrahedron ---- */

static double det3(const double *m)
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* F with F (X_a - X_0) = x_a - x_0, by Cramer's rule for each row; returns the volume at rest */
static double deformation(const ct_real *X, const ct_real *x, double *F)
{
    double E[9], M[9], det;
    int i, j, k;
    for (i = 0; i < 9; i++)
        E[i] = (double)X[3 + i] - (double)X[i % 3]; /* row a: X_a - X_0 */
    det = det3(E);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            memcpy(M, E, sizeof M);
            for (k = 0; k < 3; k++)
                M[3 * k + j] = (double)x[3 + 3 * k + i] - (double)x[i];
            F[3 * i + j] = det3(M) / det;
        }
    return det / 6;
}

/* V psi of St. Venant and Kirchhoff, mu |E|^2 + lambda/2 (tr E)^2, and of the neo-Hookean solid, mu/2 (|F|^2 - 3) - mu log J + lambda/2 log^2 J */
static double energy(const ct_material *m, const ct_real *X, const ct_real *x)
{
    double F[9], V = deformation(X, x, F), mu, la, e, sum = 0, trace = 0, norm = 0, J = log(det3(F));
    int i, j, k;
    mu = (double)m->young / (2 * (1 + (double)m->poisson));
    la = (double)m->young * (double)m->poisson / ((1 + (double)m->poisson) * (1 - 2 * (double)m->poisson));
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            for (e = i == j ? -0.5 : 0, k = 0; k < 3; k++)
                e += F[3 * k + i] * F[3 * k + j] / 2;
            sum += e * e, trace += i == j ? e : 0, norm += F[3 * i + j] * F[3 * i + j];
        }
    return m->model == CT_MODEL_STVK ? V * (mu * sum + la / 2 * trace * trace) : V * (mu / 2 * (norm - 3) - mu * J + la / 2 * J * J);
}

static void some_tet(ct_real *X, ct_real *x, double strain)
{
    static const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int i;
    for (i = 0; i < 12; i++) {
        X[i] = (ct_real)(corner[i] + 0.2 * rnd());
        x[i] = (ct_real)((double)X[i] + strain * rnd());
    }
}

static void test_tet(void **state)
{
    static const ct_model models[] = {CT_MODEL_STVK, CT_MODEL_NEOHOOKEAN, CT_MODEL_COROTATIONAL, CT_MODEL_STABLE_NEOHOOKEAN,
                                      CT_MODEL_HONG_NEOHOOKEAN};
    ct_real X[12], x[12], f[12], up[12], down[12], K[144];
    double e, eu, ed, big = CONTACT_REAL == 32 ? 2e-2 : 1e-6;
    int s, i, j, k;
    (void)state;
    for (s = 0; s < 100; s++) {
        ct_material m = ct_material_default(models[s % 5]);
        m.young = 1, m.poisson = (ct_real)0.3;
        some_tet(X, x, 0.1);
        assert_int_equal(ct_tet_eval(&m, X, x, &e, f, K), CT_OK);
        if (s % 5 < 2)
            near(e, energy(&m, X, x), CONTACT_REAL == 32 ? 1e-5 : 1e-14);
        for (k = 0; k < 3; k++) /* no force on the whole, no moment */
            near((double)(f[k] + f[3 + k] + f[6 + k] + f[9 + k]), 0, TOL);
        for (k = 0; k < 3; k++) {
            double moment = 0;
            int a = (k + 1) % 3, b = (k + 2) % 3;
            for (i = 0; i < 4; i++)
                moment += (double)x[3 * i + a] * (double)f[3 * i + b] - (double)x[3 * i + b] * (double)f[3 * i + a];
            near(moment, 0, TOL);
        }
        for (i = 0; i < 12; i++) {
            ct_real keep = x[i];
            x[i] = keep + (ct_real)STEP, assert_int_equal(ct_tet_eval(&m, X, x, &eu, up, NULL), CT_OK);
            x[i] = keep - (ct_real)STEP, assert_int_equal(ct_tet_eval(&m, X, x, &ed, down, NULL), CT_OK);
            x[i] = keep;
            near((eu - ed) / (2 * STEP), -(double)f[i], big);
            for (j = 0; j < 12; j++) {
                near((double)(down[j] - up[j]) / (2 * STEP), (double)K[12 * j + i], big);
                near((double)K[12 * j + i], (double)K[12 * i + j], TOL);
            }
        }
    }
}

static void test_tet_errors(void **state)
{
    ct_material m = ct_material_default(CT_MODEL_NEOHOOKEAN), cloth = ct_material_default(CT_MODEL_MEMBRANE);
    ct_real X[12], x[12], f[12] = {7}, K[144];
    double e = 7;
    int k;
    (void)state;
    some_tet(X, x, 0);
    assert_int_equal(ct_tet_eval(&m, X, X, &e, f, NULL), CT_OK);
    near(e, 0, 1e5 * TOL), near((double)f[5], 0, 1e5 * TOL); /* of a modulus of 1e5 Pa */
    e = 7, f[0] = 7;
    assert_int_equal(ct_tet_eval(NULL, X, x, &e, f, K), CT_ERR_ARGUMENT);
    assert_int_equal(ct_tet_eval(&m, NULL, x, &e, f, K), CT_ERR_ARGUMENT);
    assert_int_equal(ct_tet_eval(&m, X, NULL, &e, f, K), CT_ERR_ARGUMENT);
    assert_int_equal(ct_tet_eval(&cloth, X, x, &e, f, K), CT_ERR_ARGUMENT);
    x[4] = (ct_real)NAN;
    assert_int_equal(ct_tet_eval(&m, X, x, &e, f, K), CT_ERR_DOMAIN);
    x[4] = 0;
    for (k = 0; k < 3; k++) { /* two corners change places */
        ct_real keep = X[3 + k];
        X[3 + k] = X[6 + k], X[6 + k] = keep;
    }
    assert_int_equal(ct_tet_eval(&m, X, x, &e, f, K), CT_ERR_MESH);
    assert_true(e == 7 && f[0] == 7);
}

/* ---- matrices of problems ---- */

static void test_get_arrays(void **state)
{
    /* min 1/2 x'A x - b'x, J x + w >= 0; columns out of order and an entry twice: 1 + 2 */
    static const int32_t Ap[] = {0, 2, 4}, Ai[] = {1, 0, 0, 1}, Jp[] = {0, 3}, Ji[] = {1, 0, 0};
    static const double Ax[] = {-1, 4, -1, 3}, Jx[] = {5, 1, 2}, b[] = {1, 2}, w[] = {-6};
    ct_problem_desc d = ct_problem_desc_default(), got;
    ct_problem *p = NULL, *q = NULL;
    ct_error_info e;
    (void)state;
    d.A.rows = d.A.cols = d.J.cols = 2, d.J.rows = 1;
    d.A.p = Ap, d.A.i = Ai, d.A.x = Ax, d.J.p = Jp, d.J.i = Ji, d.J.x = Jx, d.b = b, d.w = w;
    assert_int_equal(ct_problem_create(&d, &p, &e), CT_OK);
    assert_int_equal(ct_problem_get(p, &got), CT_OK);
    assert_int_equal(got.kind, CT_PROBLEM_QP);
    assert_true(got.A.rows == 2 && got.A.p[2] == 4 && got.A.i[0] == 0 && got.A.x[0] == 4 && got.A.x[1] == -1 && got.A.x[3] == 3);
    assert_true(got.J.rows == 1 && got.J.cols == 2 && got.J.p[1] == 2 && got.J.i[0] == 0 && got.J.x[0] == 3 && got.J.x[1] == 5);
    assert_true(got.b[1] == 2 && got.w[0] == -6 && !got.mu && !got.W.p && !got.x_ref && !got.equation);
    assert_int_equal(ct_problem_create(&got, &q, &e), CT_OK); /* what get gives create takes */
    ct_problem_free(p), ct_problem_free(q);
    assert_int_equal(ct_problem_get(NULL, &got), CT_ERR_ARGUMENT);
}

/* a soft cube that rests on a plane */
static ct_world *resting(ct_stepper stepper, int steps)
{
    ct_world_desc wd = ct_world_desc_default_for(stepper);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {2, 2, 2}, i;
    ct_world *w = NULL;
    ct_mesh box;
    assert_int_equal(ct_world_create(&wd, &w, NULL), CT_OK);
    assert_int_equal(ct_mesh_box(size, cells, 1, &box, NULL), CT_OK);
    sd.mesh = &box, sd.position[1] = (ct_real)0.51;
    assert_int_equal(ct_body_add_plane(w, NULL, 0, NULL), CT_OK);
    assert_int_equal(ct_body_add_soft(w, &sd, NULL), CT_OK);
    ct_mesh_free(&box);
    for (i = 0; i < steps; i++)
        assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
    return w;
}

static void product(const ct_csr *m, const double *x, double *y)
{
    int i, k;
    for (i = 0; i < m->rows; i++)
        for (k = m->p[i], y[i] = 0; k < m->p[i + 1]; k++)
            y[i] += m->x[k] * x[m->i[k]];
}

/* the world's solution in the world's problem: A x = b + J'r, u = J x + w, u_n >= 0, r_n >= 0, u_n r_n = 0, or the same by W */
static void test_world_problem(void **state)
{
    ct_world *w = resting(CT_STEPPER_CMR, 60);
    ct_step_report r[3];
    ct_problem_desc d;
    ct_problem *p = NULL, *q = NULL;
    ct_error_info e;
    double *u, *y, scale = 0, worst = 0, load = 0;
    int i, k, m;
    (void)state;
    for (i = 0; i < 3; i++)
        assert_true(ct_world_step(w, (ct_real)0.01, &r[i]) == CT_OK && r[i].status == CT_STATUS_OK);
    assert_int_equal(ct_world_get_problem(w, &p), CT_OK);
    assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK); /* the problem is its own */
    ct_world_destroy(w);
    assert_int_equal(ct_problem_get(p, &d), CT_OK);
    m = d.kind == CT_PROBLEM_GLOBAL ? d.J.rows : d.W.rows;
    assert_true(m >= 12 && m % 3 == 0 && d.mu && d.r_ref && d.x_ref);
    u = (double *)calloc((size_t)m, sizeof *u);
    if (d.kind == CT_PROBLEM_GLOBAL) {
        y = (double *)calloc((size_t)d.A.rows, sizeof *y);
        product(&d.A, d.x_ref, y);
        for (i = 0; i < d.A.rows; i++)
            scale = fmax(scale, fabs(d.b[i])), y[i] -= d.b[i];
        for (i = 0; i < m; i++)
            for (k = d.J.p[i]; k < d.J.p[i + 1]; k++)
                y[d.J.i[k]] -= d.J.x[k] * d.r_ref[i];
        for (i = 0; i < d.A.rows; i++)
            worst = fmax(worst, fabs(y[i]));
        assert_true(worst < 1e-3 * scale);
        product(&d.J, d.x_ref, u);
        free(y);
    } else
        product(&d.W, d.r_ref, u);
    for (i = 0; i < m; i += 3) {
        assert_true(u[i] + d.w[i] > -1e-3 && d.r_ref[i] >= 0);
        load += d.r_ref[i];
    }
    /* a cubic metre of 1000 kg: the floor's impulse is the weight's over a step and the change of momentum, by three heights of its centre */
    near(load, 1000 * (9.81 * 0.01 + ((double)r[2].center_of_mass[1] - 2 * (double)r[1].center_of_mass[1] + (double)r[0].center_of_mass[1]) / 0.01),
         CONTACT_REAL == 32 ? 10 : 0.05);
    assert_int_equal(ct_problem_create(&d, &q, &e), CT_OK);
    free(u), ct_problem_free(p), ct_problem_free(q);
}

static void test_world_problem_kinds(void **state)
{
    ct_world *w = resting(CT_STEPPER_CMR, 1);
    ct_problem *p = NULL;
    ct_problem_desc d;
    (void)state;
    assert_int_equal(ct_world_get_problem(w, &p), CT_ERR_ARGUMENT);
    assert_non_null(strstr(ct_world_error(w)->text, "no contact problem"));
    assert_int_equal(ct_world_get_problem(w, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_get_problem(NULL, &p), CT_ERR_ARGUMENT);
    ct_world_destroy(w);
    w = resting(CT_STEPPER_PENALTY, 30);
    assert_int_equal(ct_world_get_problem(w, &p), CT_ERR_UNSUPPORTED);
    assert_null(p);
    ct_world_destroy(w);
    w = resting(CT_STEPPER_DCD, 30);
    assert_int_equal(ct_world_get_problem(w, &p), CT_OK);
    assert_int_equal(ct_problem_get(p, &d), CT_OK);
    assert_true(d.kind == CT_PROBLEM_QP && d.A.rows == 81 && d.J.rows > 0);
    ct_problem_free(p), ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_distances_by_hand), cmocka_unit_test(test_distances),
                                       cmocka_unit_test(test_distance_errors),   cmocka_unit_test(test_cone),
                                       cmocka_unit_test(test_tet),               cmocka_unit_test(test_tet_errors),
                                       cmocka_unit_test(test_get_arrays),        cmocka_unit_test(test_world_problem),
                                       cmocka_unit_test(test_world_problem_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
