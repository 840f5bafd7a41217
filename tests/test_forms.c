/* test_forms.c -- the integrators of CT_STEPPER_BARRIER and the forms of its step: orders of convergence, free fall, energy, agreement of forms. */
#include "world_util.h"

static const char *const names[4] = {"euler", "newmark", "bdf2", "midpoint"};

static double away(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static const char *const forms[5] = {"potential", "root", "dual", "position", "velocity"};

static ct_world *make_world(ct_integrator k, ct_barrier_form form, double g, double friction)
{
    ct_world_desc d = world_desc(1e-3, friction, NULL);
    d.stepper = CT_STEPPER_BARRIER;
    d.integrator = k, d.gravity[1] = (ct_real)-g;
    d.barrier.newton_tolerance = (ct_real)1e-10, d.barrier.form = form;
    return world_make(&d);
}


/* cti_end -- positions of a body, what it took */
typedef struct outcome {
    double *x;
    int n, iterations, bad;
    double kinetic, elastic, gravity;
} outcome;

static void outcome_take(outcome *o, ct_world *w, ct_body_id b, int steps, double dt)
{
    int i;
    memset(o, 0, sizeof *o);
    for (i = 0; i < steps; i++) {
        ct_step_report r = step_once(w, dt);
        o->iterations += r.newton_iterations;
        o->bad += r.status != CT_STATUS_OK;
        o->kinetic = r.energy_kinetic, o->elastic = r.energy_elastic, o->gravity = r.energy_gravity;
    }
    o->x = read_vectors(w, b, 0, &o->n);
}

static double outcome_away(const outcome *a, const outcome *b)
{
    double big = 0;
    int i;
    assert_int_equal(a->n, b->n);
    for (i = 0; i < a->n; i++)
        big = fmax(big, away(a->x + 3 * i, b->x + 3 * i));
    return big;
}

/* ---- without contact ---- */

/* a metre of stable neo-Hookean material, held at one end, swings far; the state after `time` in n steps */
static void beam(ct_integrator k, ct_barrier_form form, int n, double time, int odd, double damping, double tip[3], outcome *out)
{
    ct_world *w = make_world(k, form, 9.81, 0);
    ct_mesh m = mesh_box(1, 0.1, 0.1, 5, 1, 1, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id b;
    double dt = time / n;
    int i, at = 0;
    d.mesh = &m, d.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN);
    d.material.young = (ct_real)1e6, d.material.poisson = (ct_real)0.3;
    d.material.damping_mass = (ct_real)damping, d.material.damping_stiffness = (ct_real)(damping * 0.01);
    assert_int_equal(ct_body_add_soft(w, &d, &b), CT_OK);
    for (i = 0; i < m.n_positions; i++) {
        int32_t pin = i;
        if ((double)m.positions[3 * i] < -0.499)
            assert_int_equal(ct_body_pin(w, b, &pin, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        if (m.positions[3 * i] > m.positions[3 * at])
            at = i;
    }
    for (i = 0; odd && i < n - 2; i++)
        step_once(w, i % 2 ? 4 * dt / 3 : 2 * dt / 3);
    outcome_take(out, w, b, odd ? 2 : n, dt);
    memcpy(tip, out->x + 3 * at, 3 * sizeof *tip);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

static void orders_of_convergence(void **state)
{
    int k, form, odd, i;
    (void)state;
    for (form = 0; form < 5; form++)
        for (odd = 0; odd < (form ? 1 : 2); odd++)
            for (k = 0; k < 4; k++) {
                double p[4][3], e[3];
                for (i = 0; i < 4; i++) {
                    outcome o;
                    beam((ct_integrator)k, (ct_barrier_form)form, 40 << i, 0.4, odd, 0, p[i], &o);
                    assert_int_equal(o.bad, 0);
                    free(o.x);
                }
                for (i = 0; i < 3; i++)
                    e[i] = away(p[i], p[i + 1]);
                print_message("%s, %s%s: tip at %.6f; differences %.3g %.3g %.3g; orders %.2f %.2f\n", forms[form], names[k], odd ? ", uneven steps" : "", p[3][1],
                              e[0], e[1], e[2], log(e[0] / e[1]) / log(2), log(e[1] / e[2]) / log(2));
                assert_true(log(e[1] / e[2]) / log(2) > (k ? 1.8 : 0.9) && log(e[0] / e[2]) / log(4) < (k ? 2.3 : 1.1));
            }
}

static void forms_agree_without_contact(void **state)
{
    int k, form;
    (void)state;
    for (k = 0; k < 4; k++) {
        outcome o[5];
        double tip[3];
        for (form = 0; form < 5; form++) {
            beam((ct_integrator)k, (ct_barrier_form)form, 40, 0.4, 0, 1, tip, &o[form]);
            print_message("%-9s %-9s difference %.2g, %d iterations, kinetic %.9f elastic %.9f gravity %.9f, %d not ok\n", names[k], forms[form],
                          outcome_away(&o[0], &o[form]), o[form].iterations, o[form].kinetic, o[form].elastic, o[form].gravity, o[form].bad);
            assert_true(outcome_away(&o[0], &o[form]) < 1e-8);
            assert_int_equal(o[form].bad, 0);
        }
        for (form = 0; form < 5; form++)
            free(o[form].x);
    }
}

/* ---- with contact ---- */

/* a soft box turns and falls on another one that lies on a plane */
static void fall(ct_integrator k, ct_barrier_form form, double friction, int steps, outcome *out)
{
    ct_world *w = make_world(k, form, 9.81, friction);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
    ct_body_id b;
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "box", 0.2, 2, 1e5, 0, 0.102, 0);
    mesh_place(&m, 0.3, 0.03, 0.3, 0.02);
    b = add_soft_mesh(w, "top", &m, 1e5, 0.5, -1, 0);
    ct_mesh_free(&m);
    outcome_take(out, w, b, steps, 0.01);
    assert_int_equal(count_intersections(w), 0);
    ct_world_destroy(w);
}

static void forms_agree_in_contact(void **state)
{
    int k, form, friction;
    (void)state;
    for (friction = 0; friction < 2; friction++)
        for (k = 0; k < 4; k++) {
            outcome o[5];
            for (form = 0; form < 5; form++) {
                fall((ct_integrator)k, (ct_barrier_form)form, friction * 0.4, 20, &o[form]);
                print_message("%-9s %-9s mu %.1f difference %.2g, %d iterations, kinetic %.9f elastic %.9f gravity %.9f, %d not ok\n", names[k], forms[form],
                              friction * 0.4, outcome_away(&o[0], &o[form]), o[form].iterations, o[form].kinetic, o[form].elastic, o[form].gravity, o[form].bad);
            }
            for (form = 0; form < 5; form++)
                free(o[form].x);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_convergence),
        cmocka_unit_test(forms_agree_without_contact),
        cmocka_unit_test(forms_agree_in_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
