/* test_energy.c -- no step gains energy without reporting it. This runs a selection of the scenes of energy/cases.h; `make energy` runs all
   of them, and random worlds. Requirements for every run: no step with a status up to `zones` ends with more than 1 % above the start's
   energy; nine of ten steps have a status up to `zones`; no step of any status ends above twice the start's energy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "plain.h"
#include "energy/cases.h"

/* runs the cases and prints a row where one fails; 1: none does */
static int holds(energy_case c)
{
    energy_run u;
    char name[160];
    c.duration *= PLAIN_OR(1, 0.2);
    energy_play(&c, PLAIN_OR(3, 20), &u);
    energy_name(&c, name, sizeof name);
    if (!energy_verdict(&u))
        return 1;
    energy_row(name, &u);
    return 0;
}

static void test_stiff_cubes(void **state)
{
    static const double stuff[][6] = {
        /* model, young, poisson, density, size, step */
        {CT_MODEL_COROTATIONAL, 2e11, 0.3, 7800, 0.02, 1. / 60},     {CT_MODEL_COROTATIONAL, 2e11, 0.3, 7800, 0.02, 0.003},
        {CT_MODEL_COROTATIONAL, 2e11, 0.3, 7800, 0.2, 0.01},         {CT_MODEL_NEOHOOKEAN, 2e11, 0.3, 7800, 0.02, 1. / 60},
        {CT_MODEL_NEOHOOKEAN, 7e10, 0.33, 2700, 0.02, 1. / 60},      {CT_MODEL_COROTATIONAL, 7e10, 0.33, 2700, 0.01, 0.01},
        {CT_MODEL_COROTATIONAL, 1e9, 0.3, 1000, 0.02, 1. / 60},      {CT_MODEL_NEOHOOKEAN, 1e12, 0.3, 1000, 0.2, 0.01},
        {CT_MODEL_STABLE_NEOHOOKEAN, 1e11, 0.3, 1000, 0.2, 1. / 60}, {CT_MODEL_STVK, 1e10, 0.3, 1000, 0.02, 0.01},
        {CT_MODEL_HONG_NEOHOOKEAN, 1e11, 0.3, 1000, 0.02, 0.01},     {CT_MODEL_NEOHOOKEAN, 1e5, 0.49999999, 1000, 0.2, 0.01}};
    int k, n = (int)(sizeof stuff / sizeof *stuff), bad = 0;
    (void)state;
    for (k = 0; k < n; k++) {
        energy_case c =
            energy_drop((ct_model)(int)stuff[k][0], CT_INTEGRATOR_EULER, stuff[k][1], stuff[k][2], stuff[k][3], stuff[k][4], stuff[k][5]);
        c.duration = 1.5;
        bad += !holds(c);
    }
    assert_int_equal(bad, 0);
}

static void test_two_stiff_cubes(void **state)
{
    energy_case c = energy_drop(CT_MODEL_NEOHOOKEAN, CT_INTEGRATOR_EULER, 1e12, 0.4, 1000, 0.2, 0.01);
    (void)state;
    c.kind = ENERGY_TWO, c.duration = 1;
    assert_true(holds(c));
}

static void test_free_spin(void **state)
{
    int k, i, bad = 0;
    (void)state;
    for (k = 0; k <= CT_MODEL_SPRINGS; k++)
        for (i = 0; i <= CT_INTEGRATOR_BDF2; i++)
            bad += !holds(energy_spin((ct_model)k, (ct_integrator)i, 0.2, 0.01, k == 0 ? 7 : 2));
    assert_int_equal(bad, 0);
}

/* 5 kg of a rigid cube on a soft one: one step made .7 to 3.6 times the energy */
static void test_impacts(void **state)
{
    int offset, v, bad = 0;
    (void)state;
    for (offset = 0; offset < 3; offset++)
        for (v = 1; v <= 4; v++)
            bad += !holds(energy_blow(CT_MODEL_COROTATIONAL, 0, offset, v, 0.005));
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff_cubes),
        cmocka_unit_test(test_two_stiff_cubes),
        cmocka_unit_test(test_free_spin),
        cmocka_unit_test(test_impacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
