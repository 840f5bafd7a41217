/* test_closed_forms.c -- soft bodies against closed forms: energies of the materials, the patch test, a bar's period and orders of
   convergence, damping. test_closed_forms_joints.c has sheets, joints, rotation and scripts, test_closed_forms_contact.c has contact. */
#include "forms_util.h"

static const char *const model_names[5] = {"corotational", "StVK", "neo-Hookean", "stable neo-Hookean", "Hong's neo-Hookean"};

/* ---- materials ---- */

/* energy density [Pa] at principal stretches a, b, c: young Y, poisson nu */
static double energy_density(int model, double Y, double nu, double a, double b, double c)
{
    double mu = Y / 2 / (1 + nu), la = Y * nu / (1 + nu) / (1 - 2 * nu), J = a * b * c, I = a * a + b * b + c * c;
    if (model == CT_MODEL_COROTATIONAL)
        return mu * ((a - 1) * (a - 1) + (b - 1) * (b - 1) + (c - 1) * (c - 1)) + la / 2 * (a + b + c - 3) * (a + b + c - 3);
    if (model == CT_MODEL_STVK) {
        double e = (a * a - 1) / 2, f = (b * b - 1) / 2, g = (c * c - 1) / 2;
        return mu * (e * e + f * f + g * g) + la / 2 * (e + f + g) * (e + f + g);
    }
    if (model == CT_MODEL_NEOHOOKEAN)
        return mu / 2 * (I - 3) - mu * log(J) + la / 2 * log(J) * log(J);
    if (model == CT_MODEL_STABLE_NEOHOOKEAN) {
        double m = 4 * mu / 3, l = la + 5 * mu / 6, al = 1 + 0.75 * m / l;
        return m / 2 * (I - 3) + l / 2 * ((J - al) * (J - al) - (1 - al) * (1 - al)) - m / 2 * log((I + 1) / 4);
    }
    return mu / 2 * (pow(J, -2.0 / 3) * I - 3) + (la + 2 * mu / 3) / 2 * (J - 1) * (J - 1);
}

/* cubes that a script deforms: stretch 1.5, stretch 0.7, shear 0.5, all sides 0.8 */
static void energies_of_uniform_strains(void **state)
{
    static const double F[4][9] = {
        {1.5, 0, 0, 0, 1, 0, 0, 0, 1}, {0.7, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0.5, 0, 0, 1, 0, 0, 0, 1}, {0.8, 0, 0, 0, 0.8, 0, 0, 0, 0.8}};
    double stretch[4][3] = {{1.5, 1, 1}, {0.7, 1, 1}, {0, 0, 1}, {0.8, 0.8, 0.8}};
    int model, k, misses = 0;
    (void)state;
    /* singular values of a shear g: (sqrt(4 + g^2) +- g) / 2 */
    stretch[2][0] = (sqrt(4.25) + 0.5) / 2, stretch[2][1] = (sqrt(4.25) - 0.5) / 2;
    for (model = 0; model < 5; model++)
        for (k = 0; k < 4; k++) {
            ct_world_desc wd = forms_desc(CT_INTEGRATOR_EULER, 0, 0);
            ct_world *w;
            ct_mesh m = mesh_box(1, 1, 1, 2, 2, 2, 1);
            ct_soft_desc d = forms_soft(&m, (ct_model)model, 1e5, 0.3, 1000);
            double want = energy_density(model, 1e5, 0.3, stretch[k][0], stretch[k][1], stretch[k][2]), got;
            wd.self_collision = 0;
            w = world_make(&wd);
            forms_drive(w, forms_add_soft(w, &d), &m, F[k]);
            forms_run(w, 0.2, 7);
            got = step_once(w, 0.2).energy_elastic;
            misses +=
                forms_off(got / want, 1, FORMS_TOL(1e-12, 5e-6), "%s, strain %d: elastic energy / closed form", model_names[model], k);
            ct_world_destroy(w);
            ct_mesh_free(&m);
        }
    assert_int_equal(misses, 0);
}

#if CONTACT_REAL == 64 /* the strains below are smaller than what float resolves */

/* the lateral stretch of least energy of a bar that is stretched to `l`, by golden section search */
static double lateral_stretch(int model, double Y, double nu, double l)
{
    double lo = 0.2, hi = 3;
    int i;
    for (i = 0; i < 100; i++) {
        double a = lo + (hi - lo) * 0.3819660112501051, b = lo + (hi - lo) * 0.6180339887498949;
        if (energy_density(model, Y, nu, l, a, a) < energy_density(model, Y, nu, l, b, b))
            hi = b;
        else
            lo = a;
    }
    return (lo + hi) / 2;
}

/* Patch test: an irregular mesh of a cube is stretched or compressed along x, its sides are free to slide. Every node is where the uniform strain
   of least energy has it, and the energy is that strain's */
static int patch_test(int model, double l)
{
    const double Y = 1e5, nu = 0.3;
    ct_world_desc wd = forms_desc(CT_INTEGRATOR_EULER, 0, 0);
    ct_world *w;
    ct_mesh m = mesh_box(1, 1, 1, 3, 3, 3, 1);
    ct_soft_desc d;
    double side = lateral_stretch(model, Y, nu, l), worst = 0, energy, *x;
    uint64_t seed = 3;
    ct_body_id b;
    int i, k, misses = 0;
    for (i = 0; i < 3 * m.n_positions; i++)
        if (fabs(fabs((double)m.positions[i]) - 0.5) > 1e-6)
            m.positions[i] += (ct_real)(0.2 / 3 * (2 * lcg(&seed) - 1));
    wd.self_collision = 0;
    w = world_make(&wd);
    d = forms_soft(&m, (ct_model)model, Y, nu, 1000);
    d.material.damping_mass = 5;
    b = forms_add_soft(w, &d);
    for (i = 0; i < m.n_positions; i++) {
        const ct_real *X = m.positions + 3 * i;
        if (fabs(fabs((double)X[0]) - 0.5) < 1e-6) {
            ct_motion_segment g;
            int32_t v = i;
            memset(&g, 0, sizeof g);
            g.duration = 1;
            g.motion.linear[0] = (ct_real)((l - 1) * (double)X[0]);
            assert_int_equal(ct_body_pin_path(w, b, &v, 1, CT_AXIS_X, &g, 1, -1), CT_OK);
        }
        for (k = 1; k < 3; k++)
            if (fabs((double)X[k] + 0.5) < 1e-6)
                forms_hold(w, b, i, 1 << k);
    }
    forms_run(w, 0.05, 120);
    energy = step_once(w, 0.05).energy_elastic;
    x = read_vectors(w, b, 0, NULL);
    for (i = 0; i < m.n_positions; i++) {
        const ct_real *X = m.positions + 3 * i;
        worst = fmax(worst, fabs(x[3 * i] - l * (double)X[0]));
        worst = fmax(worst, fabs(x[3 * i + 1] + 0.5 - side * ((double)X[1] + 0.5)));
        worst = fmax(worst, fabs(x[3 * i + 2] + 0.5 - side * ((double)X[2] + 0.5)));
    }
    misses += forms_off(worst, 0, 1e-6, "%s, stretch %g: farthest node from the uniform strain", model_names[model], l);
    misses += forms_off(energy / energy_density(model, Y, nu, l, side, side), 1, fabs(l - 1) < 0.01 ? 1e-6 : 1e-10,
                        "%s, stretch %g: elastic energy / closed form", model_names[model], l);
    free(x);
    ct_world_destroy(w);
    ct_mesh_free(&m);
    return misses;
}

static void irregular_meshes_pass_the_patch_test(void **state)
{
    static const double stretch[5] = {1.0001, 1.2, 1.5, 0.8, 0.6};
    int model, k, misses = 0;
    (void)state;
    for (model = 0; model < 5; model++)
        for (k = 0; k < 5; k++)
            misses += patch_test(model, stretch[k]);
    assert_int_equal(misses, 0);
}

/* ---- a bar that vibrates along its axis: w = pi / 2 sqrt(E / rho) / L, 1 m, E 1e4 Pa, 1000 kg/m^3 ---- */
#define BAR_OMEGA (FORMS_PI / 2 * 3.16227766016837933)

typedef struct bar {
    int model, integrator, cells;
    double dt, duration, alpha, beta, speed; /* the tip's speed at the start [m/s] */
    double period, decay, tip;               /* out: [s], [1/s], displacement at the end [m] */
} bar;

static void bar_run(bar *q)
{
    ct_world_desc wd = forms_desc((ct_integrator)q->integrator, 0, 0);
    ct_world *w;
    ct_mesh m = mesh_box(1, 0.1, 0.1, q->cells, 1, 1, 1);
    ct_soft_desc d = forms_soft(&m, (ct_model)q->model, 1e4, 0, 1000);
    ct_real *v = (ct_real *)calloc((size_t)(3 * m.n_positions), sizeof *v);
    int i, n = (int)(q->duration / q->dt + 0.5), tip = 0;
    double *u = (double *)calloc((size_t)n, sizeof *u);
    ct_body_id b;
    assert_true(v != NULL && u != NULL);
    wd.self_collision = 0;
    w = world_make(&wd);
    d.material.damping_mass = (ct_real)q->alpha;
    d.material.damping_stiffness = (ct_real)q->beta;
    b = forms_add_soft(w, &d);
    for (i = 0; i < m.n_positions; i++) {
        double x = (double)m.positions[3 * i] + 0.5;
        forms_hold(w, b, i, x < 1e-6 ? CT_AXIS_ALL : CT_AXIS_Y | CT_AXIS_Z);
        v[3 * i] = (ct_real)(q->speed * sin(FORMS_PI / 2 * x));
        if (x > 1 - 1e-6)
            tip = i;
    }
    assert_int_equal(ct_body_set_velocities(w, b, v, m.n_positions), CT_OK);
    for (i = 0; i < n; i++) {
        double *x;
        step_once(w, q->dt);
        x = read_vectors(w, b, 0, NULL);
        u[i] = x[3 * tip] - (double)m.positions[3 * tip];
        free(x);
    }
    q->tip = u[n - 1];
    forms_vibration(u, n, q->dt, &q->period, &q->decay);
    ct_world_destroy(w);
    ct_mesh_free(&m);
    free(v), free(u);
}

/* the period's error falls with the square of the cell size */
static void periods_converge(void **state)
{
    double error[3];
    int k, misses = 0;
    (void)state;
    for (k = 0; k < 3; k++) {
        bar q;
        memset(&q, 0, sizeof q);
        q.integrator = CT_INTEGRATOR_NEWMARK;
        q.cells = 5 << k, q.dt = 0.004, q.duration = 4, q.speed = 0.001;
        bar_run(&q);
        error[k] = q.period * BAR_OMEGA / (2 * FORMS_PI) - 1;
    }
    misses += forms_off(error[0], 0.0045, 0.0005, "error of the period with 5 cells");
    misses += forms_off(error[2], 0, 4.5e-4, "error of the period with 20 cells");
    misses += forms_off(log(error[0] / error[1]) / log(2.0), 1.8, 0.25, "order in the cells' size, 5 to 10");
    misses += forms_off(log(error[1] / error[2]) / log(2.0), 1.8, 0.25, "order in the cells' size, 10 to 20");
    assert_int_equal(misses, 0);
}

/* orders of convergence in dt, from the tip's displacement at one time, for steps that are halved */
static void integrators_have_their_order(void **state)
{
    static const double order[3] = {1, 2, 2}, bound[3] = {0.06, 0.1, 0.1};
    int it, k, model, misses = 0;
    (void)state;
    for (model = 0; model < 3; model += 2)
        for (it = 0; it < 3; it++) {
            double u[3];
            for (k = 0; k < 3; k++) {
                bar q;
                memset(&q, 0, sizeof q);
                q.model = model, q.integrator = it, q.cells = 10, q.dt = 0.01 / (1 << k), q.duration = 0.8;
                q.alpha = 0.5, q.beta = 0.02, q.speed = 0.01;
                bar_run(&q);
                u[k] = q.tip;
            }
            misses += forms_off(log(fabs((u[0] - u[1]) / (u[1] - u[2]))) / log(2.0), order[it], bound[it], "%s, %s: order in dt",
                                forms_integrator[it], model_names[model]);
        }
    assert_int_equal(misses, 0);
}

/* Rayleigh damping: rates alpha / 2 and beta w^2 / 2, w of the mesh without damping */
static void vibrations_decay(void **state)
{
    int model, misses = 0;
    (void)state;
    for (model = 0; model < 5; model++) {
        bar q;
        double w;
        memset(&q, 0, sizeof q);
        q.model = model, q.integrator = CT_INTEGRATOR_NEWMARK, q.cells = 5, q.dt = 0.004, q.duration = 5, q.speed = 0.001;
        q.alpha = 0.8;
        bar_run(&q);
        misses += forms_off(q.decay, 0.4, 0.0008, "%s: decay by damping of the mass", model_names[model]);
        q.alpha = 0, q.beta = 0.03;
        bar_run(&q);
        w = 2 * FORMS_PI / q.period;
        misses +=
            forms_off(q.decay, 0.015 * (w * w + q.decay * q.decay), 0.0008, "%s: decay by damping of the stiffness", model_names[model]);
        misses += forms_off(q.decay, 0.015 * BAR_OMEGA * BAR_OMEGA, 0.005, "%s: the same by the bar's frequency", model_names[model]);
    }
    assert_int_equal(misses, 0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_of_uniform_strains),
#if CONTACT_REAL == 64
        PLAIN_TEST(irregular_meshes_pass_the_patch_test) PLAIN_TEST(periods_converge) PLAIN_TEST(integrators_have_their_order)
            PLAIN_TEST(vibrations_decay)
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
