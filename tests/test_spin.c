/* test_spin.c -- free rotating soft bodies with every integrator and material: angular momentum and energy after 10 s, and no step gains
   energy. The step is linearized about the rotated body, so that implicit Euler does not damp the rotation. */
#include "forms_util.h"

static const char *const model_names[5] = {"corotational", "StVK", "neo-Hookean", "stable neo-Hookean", "Hong's neo-Hookean"};

typedef struct spin {
    ct_world *w;
    ct_mesh mesh;
    double *mass;
    ct_body_id body;
    double momentum; /* about y at the start [kg m^2/s] */
    double energy;   /* kinetic, at the start [J] */
} spin;

/* a block of 2 kg that rotates at `omega` about its short axis y */
static spin spin_make(int integrator, int model, double young, double damping, double omega)
{
    spin s;
    ct_world_desc wd = forms_desc((ct_integrator)integrator, 0, 0);
    ct_soft_desc d;
    double p[3] = {0, 0, 0}, l[3] = {0, 0, 0};
    wd.self_collision = 0;
    s.w = world_make(&wd);
    s.mesh = mesh_box(0.2, 0.1, 0.1, 4, 2, 2, 1);
    s.mass = forms_masses(&s.mesh, 1000);
    d = forms_soft(&s.mesh, (ct_model)model, young, 0.4, 1000);
    d.material.damping_stiffness = (ct_real)damping;
    d.angular_velocity[1] = (ct_real)omega;
    s.body = forms_add_soft(s.w, &d);
    forms_momentum(s.w, s.body, s.mass, p, l);
    s.momentum = l[1];
    s.energy = 0.5 * l[1] * omega;
    return s;
}

static void spin_free(spin *s)
{
    ct_world_destroy(s->w);
    ct_mesh_free(&s->mesh);
    free(s->mass);
}

/* 2,000 steps of 5 ms at half a revolution a second, without stiffness damping and with the default's: the first table of docs/limits.md, "What
   integrators keep" */
static void spins_keep_angular_momentum_and_energy(void **state)
{
    const double dt = 0.005, omega = 3.16;
    int it, model, damped, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++)
        for (model = 0; model < 5; model++)
            for (damped = 0; damped < 2; damped++) {
                spin s = spin_make(it, model, 1e5, damped ? 1e-3 : 0, omega);
                double p[3] = {0, 0, 0}, l[3] = {0, 0, 0}, energy;
                const char *with = damped ? ", damped" : "";
                ct_step_report r;
                forms_run(s.w, dt, 1999);
                r = step_once(s.w, (ct_real)dt);
                energy = (r.energy_kinetic + r.energy_elastic) / s.energy;
                forms_momentum(s.w, s.body, s.mass, p, l);
                print_message("%s, %s%s: %.5f of the angular momentum, %.5f of the energy is left\n", forms_integrator[it],
                              model_names[model], with, l[1] / s.momentum, energy);
                misses += forms_off(l[1] / s.momentum, 1, 2e-3, "%s, %s%s: angular momentum / the start's", forms_integrator[it],
                                    model_names[model], with);
                misses += forms_off(energy, 1, 2e-3, "%s, %s%s: energy / the start's", forms_integrator[it], model_names[model], with);
                misses += forms_off(forms_length(p), 0, 1e-10, "%s, %s: linear momentum", forms_integrator[it], model_names[model]);
                l[1] = 0;
                misses += forms_off(forms_length(l) / s.momentum, 0, 1e-3, "%s, %s: angular momentum about other axes",
                                    forms_integrator[it], model_names[model]);
                spin_free(&s);
            }
    assert_int_equal(misses, 0);
}

/* steps of 10 ms: kinetic and elastic energy of a report stay below the start's */
static void spins_gain_no_energy(void **state)
{
    int it, model, i, misses = 0;
    (void)state;
    for (it = 0; it < 3; it++)
        for (model = 0; model < 5; model += PLAIN_OR(1, 4)) {
            spin s = spin_make(it, model, 1e5, 1e-3, 3.16);
            for (i = 0; i < 600; i++) {
                ct_step_report r = step_once(s.w, 0.01);
                double e = (r.energy_kinetic + r.energy_elastic) / s.energy;
                if (!(e < 1.01)) {
                    print_message("%s, %s, dt .01: energy / the start's is %.4f after %d steps\n", forms_integrator[it], model_names[model],
                                  e, i + 1);
                    misses++;
                    break;
                }
            }
            spin_free(&s);
        }
    assert_int_equal(misses, 0);
}

/* Nodes of a block so weak that they move straight on. Its momentum rotates it by 1.2 rad in a step, and one linearization gains nothing. With the
   rotation of a body that rotates as a whole the step gained energy, and iterated */
static void nothing_turns_what_is_weak(void **state)
{
    int model, i, k, misses = 0;
    (void)state;
    for (model = 0; model < 5; model++) {
        spin s = spin_make(CT_INTEGRATOR_EULER, model, 1e-3, 0, 120);
        double p[3] = {0, 0, 0}, l[3] = {0, 0, 0};
        for (i = 0; i < 3; i++) {
            ct_step_report r = step_once(s.w, 0.01);
            assert_int_equal(r.status, CT_STATUS_OK);
            assert_int_equal(r.substeps, 1);
            assert_int_equal(r.newton_iterations, 1);
            misses += forms_off((r.energy_kinetic + r.energy_elastic) / s.energy, 1, 1e-3, "%s: energy / the start's", model_names[model]);
        }
        forms_momentum(s.w, s.body, s.mass, p, l);
        for (k = 0; k < 3; k++)
            misses += forms_off(l[k] / s.momentum, k == 1, 1e-6, "%s: angular momentum", model_names[model]);
        spin_free(&s);
    }
    assert_int_equal(misses, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(spins_keep_angular_momentum_and_energy) cmocka_unit_test(spins_gain_no_energy),
        cmocka_unit_test(nothing_turns_what_is_weak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
