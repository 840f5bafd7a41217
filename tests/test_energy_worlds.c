/* test_energy_worlds.c -- random worlds in which a step gained energy, each for a reason of its own. All of them: make energy. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "energy/worlds.h"
#include "soak/between.c"
#include "soak/exact.c"
#include "soak/run.c"
#include "soak/world.c"

/* largest share that a step up to `zones` of a seed's world gains */
static double gains(uint64_t seed)
{
    soak_options o;
    soak_run *u;
    energy_run e;
    memset(&o, 0, sizeof o), memset(&e, 0, sizeof e);
    o.seed = seed, o.calm = 1, o.once = 1;
    u = energy_new_world(seed, &o);
    assert_true(energy_make_world(u));
    energy_play_world(u, 0, &e);
    assert_true(e.steps > 0);
    energy_free_world(u);
    return e.good;
}

/* a rigid body that turns .47 rad in a substep while something soft presses it: its contact's row is linear in the turn, and worked on it */
static void turning_rigid_bodies(void **state)
{
    (void)state;
    assert_true(gains(732) <= ENERGY_GAIN);
}

/* bodies that the last resort held in the first step, and that fall afterwards: their speed is that of its end, half of gravity's kick is due */
static void bodies_that_were_held(void **state)
{
    (void)state;
    assert_true(gains(442) <= ENERGY_GAIN);
    assert_true(gains(483) <= ENERGY_GAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turning_rigid_bodies),
        cmocka_unit_test(bodies_that_were_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
