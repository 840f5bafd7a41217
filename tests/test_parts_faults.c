/* test_parts_faults.c -- solves that fail at a chosen place of a step. A motion that CCD has not tested is not committed; a part that is
   given up leaves interpolated bodies beside it alone; coupled sets that gain energy are detected and held. cmr.c is compiled here with the
   solve and the free motion replaced by ones that fail on request, and step.c for its decisions; the library has no hook for this. */
#include "../src/9_world/world.h"
#include "../src/8_cmr/cmr_free.h"
#include "../src/8_cmr/parts.h"
#include "../src/8_step/solve_islands.h"
#include "forms_util.h"

typedef enum fault { NONE, UNSEEN, MEANINGLESS } fault;
static fault wanted; /* the fault to inject */
static int failures; /* solves that have failed since `wanted` was set */

/* 1 where some component is interpolated while others are stepped */
static int is_split(const cti_state *s)
{
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        if (s->factors.components[c].substep.part > CTI_PART_EXCLUDED)
            return 1;
    return 0;
}

/* 1 where the last round was clear, and the solve at hand is for crossings of flat edges alone */
static int is_second_look(const cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->contact.hits); i++)
        if (!s->contact.hits[i].flat)
            return 0;
    return CTI_LEN(s->contact.hits) > 0;
}

/* UNSEEN: the solve after a clear round diverges, and ends with blocks that fall at 2 m/s */
static int solve_or_fail(cti_state *s, ct_real dt, ct_real scale, cti_islands_result *out)
{
    int i, second = is_second_look(s);
    if (!cti_islands_solve(s, dt, scale, out))
        return 0;
    if (wanted != UNSEEN || !second)
        return 1;
    failures++;
    out->diverged = 1;
    for (i = 0; i < s->n; i++)
        s->end.v[3 * i + 1] -= 2;
    return 1;
}

/* MEANINGLESS: the last body fails, and in a split active blocks without a script get huge velocities */
static int fly_or_fail(cti_state *s, ct_real dt, cti_attempt *out)
{
    int i;
    if (!cti_cmr_free_motion(s, dt, out))
        return 0;
    if (wanted != MEANINGLESS)
        return 1;
    if (!is_split(s)) {
        cti_state_fail(s, s->n - 1);
        return 1;
    }
    failures++;
    for (i = 0; i < s->n; i++)
        if (!cti_state_is_inactive(s, i) && !s->scripts.fixed[i])
            s->system.v_free[3 * i] = CTI_R(1e12);
    return 1;
}

#define cti_islands_solve solve_or_fail
#define cti_cmr_free_motion fly_or_fail
#include "../src/8_cmr/cmr.c"
#undef cti_islands_solve
#undef cti_cmr_free_motion
#include "../src/8_cmr/step.c"

static void inject(fault f)
{
    wanted = f;
    failures = 0;
}

/* ---- a motion that CCD has not seen ---- */

/* A cloth that slides over a ball: its first round is often clear, and is followed by a solve for crossings of flat edges. If that diverges, the
   motion of the clear round is lost, and that of the diverged solve would take the cloth through the ball */
static void unseen_motions_are_not_committed(void **state)
{
    ct_world_desc d = world_desc(2e-3, 0.3, NULL);
    ct_static_desc f = ct_static_desc_default();
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_world *w;
    ct_mesh m;
    ct_body_id b;
    int i;
    (void)state;
    d.max_halvings = 0;
    w = world_make(&d);
    assert_int_equal(ct_mesh_sphere((ct_real)0.2, 3, &m, NULL), CT_OK);
    f.mesh = &m;
    assert_int_equal(ct_body_add_static(w, &f, &b), CT_OK);
    ct_mesh_free(&m);
    m = mesh_grid(0.6, 0.6, 24, 24);
    forms_shift(&m, 0.013, 0.21, 0.007);
    c.mesh = &m;
    c.material = ct_material_default(CT_MODEL_SPRINGS);
    c.material.strain_limit = (ct_real)0.05;
    assert_int_equal(ct_body_add_cloth(w, &c, &b), CT_OK);
    ct_mesh_free(&m);
    inject(NONE);
    for (i = 0; i < 40; i++)
        step_once(w, 0.005);
    inject(UNSEEN);
    for (i = 0; i < 100 && failures <= 5; i++) {
        int before = failures;
        ct_step_report r = step_once(w, 0.005);
        assert_int_equal(count_intersections(w), 0);
        assert_true(failures == before || r.status == CT_STATUS_NOT_CONVERGED);
    }
    print_message("%d solves diverged after a clear round\n", failures);
    assert_true(failures > 5);
    inject(NONE);
    ct_world_destroy(w);
}

/* ---- a part whose attempts are given up ---- */

enum { RESTING = 2, SOFT_NODES = 27 };

/* a soft block on a rigid crate */
static void add_resting(ct_world *w, ct_body_id *out)
{
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0);
    forms_shift(&m, 0, 0.101, 0);
    out[0] = forms_add_rigid(w, &m, 500, NULL, NULL);
    ct_mesh_free(&m);
    out[1] = add_soft_box(w, "upper", 0.15, 2, 2e5, 0, 0.277, 0);
}

static void same_body(const ct_world *a, ct_body_id ia, const ct_world *b, ct_body_id ib)
{
    int k, n, m;
    for (k = 0; k < 2; k++) {
        double *x = read_vectors(a, ia, k, &n), *y = read_vectors(b, ib, k, &m);
        assert_int_equal(n, m);
        assert_memory_equal(x, y, sizeof(double) * 3 * (size_t)n);
        free(x), free(y);
    }
}

/* A block's velocities are implausible in every substep of a split, and the block rests where it is. The group beside it is interpolated and does
   not rest: it keeps its bits and its integrator's history, and is not counted as resting */
static void what_is_given_up_rests_alone(void **state)
{
    enum { STEPS = PLAIN_OR(8, 5), INTEGRATORS = PLAIN_OR(3, 1) };
    int it, i, k, rested = 0;
    (void)state;
    for (it = 0; it < INTEGRATORS; it++) {
        ct_world *alone = forms_world((ct_integrator)it, FORMS_G, 0.5), *w = forms_world((ct_integrator)it, FORMS_G, 0.5);
        ct_body_id a[RESTING], b[RESTING];
        add_plane(alone, 0, 1, 0, 0);
        add_resting(alone, a);
        add_plane(w, 0, 1, 0, 0);
        add_resting(w, b);
        add_soft_box(w, "block", 0.1, 2, 1e3, 20, 1, 0);
        for (i = 0; i < STEPS; i++) {
            ct_step_report r;
            inject(NONE);
            assert_int_equal(step_once(alone, 0.01).substeps, 1);
            inject(MEANINGLESS);
            r = step_once(w, 0.01);
            assert_int_equal(count_intersections(w), 0);
            assert_true(failures > 0 && r.status == CT_STATUS_NOT_CONVERGED);
            assert_int_equal(r.frozen, SOFT_NODES * r.substeps);
            rested += r.frozen > 0;
            for (k = 0; k < RESTING; k++)
                same_body(alone, a[k], w, b[k]);
        }
        inject(NONE);
        ct_world_destroy(alone), ct_world_destroy(w);
    }
    print_message("a part rested in %d of %d steps\n", rested, STEPS * INTEGRATORS);
    assert_true(2 * rested > STEPS * INTEGRATORS);
}

/* ---- decisions about interpolated components ---- */

/* A rigid crate (component 0) and a soft block after a step. The crate is interpolated, at depth 1 */
static ct_world *make_decisions(void)
{
    ct_world *w = forms_world(CT_INTEGRATOR_BDF2, FORMS_G, 0.5);
    ct_body_id id[RESTING];
    cti_state *s = &w->state;
    add_plane(w, 0, 1, 0, 0);
    add_resting(w, id);
    inject(NONE);
    step_once(w, 0.01);
    assert_int_equal(CTI_LEN(s->factors.components), 2);
    s->factors.components[0].substep.part = CTI_PART_INTERPOLATED(1);
    s->parts.inactive = 1;
    memset(s->scripts.fixed, 0, (size_t)s->n);
    memset(s->scripts.held, 0, (size_t)s->n);
    return w;
}

/* Whatever `held` and `fixed` contain for interpolated blocks, they do not rest: after an attempt that was given up all active blocks rest, else
   the implausible ones */
static void what_is_interpolated_does_not_rest(void **state)
{
    int all, i;
    (void)state;
    for (all = 0; all < 2; all++) {
        ct_world *w = make_decisions();
        cti_state *s = &w->state;
        if (!all)
            memset(s->scripts.held, CTI_HELD_IMPLAUSIBLE, (size_t)s->n);
        s->factors.components[0].cache.stamp.renewal_asked = s->factors.components[1].cache.stamp.renewal_asked = 0;
        cti_step_mark_stopped(s, all);
        for (i = 0; i < s->n; i++)
            assert_int_equal(s->scripts.held[i], s->factors.component_of[i] == 0 ? 0 : CTI_HELD_RESTED);
        assert_int_equal(s->factors.components[0].cache.stamp.renewal_asked, 0);
        assert_int_equal(s->factors.components[1].cache.stamp.renewal_asked, 1);
        ct_world_destroy(w);
    }
}

/* the fail-safe's end of an active component does not touch the history of an interpolated one */
static void what_is_interpolated_is_not_forced(void **state)
{
    ct_world *w = make_decisions();
    cti_state *s = &w->state;
    (void)state;
    s->factors.components[0].substep.part = 0;
    s->factors.components[1].substep.part = CTI_PART_INTERPOLATED(1);
    cti_integrate_clear(s);
    cti_integrate_reset(s, 1);
    assert_int_equal(s->factors.components[0].substep.forced, 1);
    assert_int_equal(s->factors.components[1].substep.forced, 0);
    assert_int_equal(s->history.reset[0], 0);
    ct_world_destroy(w);
}

/* ---- energy by coupled sets ---- */

/* Three soft blocks without gravity; each is a component, and nothing connects them */
static ct_world *make_blocks(void)
{
    ct_world *w = forms_world(CT_INTEGRATOR_EULER, 0, 0.5);
    cti_state *s = &w->state;
    int i;
    for (i = 0; i < 3; i++)
        add_soft_box(w, "block", 0.1, 2, 1e5, i, 0, 0);
    inject(NONE);
    step_once(w, 0.01);
    assert_int_equal(CTI_LEN(s->factors.components), 3);
    assert_int_equal(CTI_LEN(s->contact.rows), 0);
    cti_sets_init(s->parts.zoned, 3);
    memset(s->energy.gains, 0, 3);
    return w;
}

/* a block moves at v [m/s] before the substep and at v_end after it; no work is done on it. Returns its gain of energy [J] */
static double set_speeds(cti_state *s, int m, ct_real v, ct_real v_end)
{
    double mass = 0;
    int i;
    for (i = s->history.block[m]; i <= s->history.last[m]; i++) {
        cti_v3_put(s->v, i, cti_v3_make(v, 0, 0));
        cti_v3_put(s->end.v, i, cti_v3_make(v_end, 0, 0));
        cti_v3_put(s->history.v_end, i, cti_v3_make(v_end, 0, 0));
        mass += (double)s->bodies.mass[i];
    }
    s->energy.end[m] = s->energy.now[m];
    s->energy.now[m].kinetic = mass / 2 * (double)(v * v);
    s->energy.end[m].kinetic = mass / 2 * (double)(v_end * v_end);
    s->energy.works[m] = 0;
    return s->energy.end[m].kinetic - s->energy.now[m].kinetic;
}

/* Block 0 gains energy and block 1 loses many times as much. Where nothing connects them, block 0's gain is removed; where a zone does, their sum
   counts */
static void gains_are_judged_by_set(void **state)
{
    int joined;
    (void)state;
    for (joined = 0; joined < 2; joined++) {
        ct_world *w = make_blocks();
        cti_state *s = &w->state;
        ct_real lost = 0, speed;
        double gain = set_speeds(s, 0, 1, 2), loss = -set_speeds(s, 1, 5, 1);
        set_speeds(s, 2, 3, 3);
        assert_true(gain > 0 && loss > 5 * gain);
        s->energy.gains[0] = 1;
        if (joined)
            cti_sets_join(s->parts.zoned, 0, 1);
        assert_int_equal(cti_energy_calm(s, CTI_R(0.01), &lost), 0);
        speed = s->history.v_end[3 * s->history.block[0]];
        assert_int_equal(s->energy.gains[0], 0);
        assert_true(joined ? speed == 2 && lost == 0 : cti_abs(speed - 1) < 1e-6 && lost > 0);
        assert_true(s->history.v_end[3 * s->history.block[1]] == 1);
        assert_true(s->history.v_end[3 * s->history.block[2]] == 3);
        ct_world_destroy(w);
    }
}

/* Block 0 gains more than can be removed, block 1 is in its set and touched, block 2 is touched elsewhere. The first tries hold block 0, the last
   one block 1, too, and none block 2 */
static void gains_are_held_by_set(void **state)
{
    int all, i;
    (void)state;
    for (all = 0; all < 2; all++) {
        ct_world *w = make_blocks();
        cti_state *s = &w->state;
        cti_sets_join(s->parts.zoned, 0, 1);
        for (i = 0; i < 3 * s->n; i++)
            s->end.v[i] = s->system.v_free[i] + 1;
        s->energy.gains[0] = 1;
        cti_step_hold_gaining(s, all);
        for (i = 0; i < s->n; i++) {
            int m = s->history.model_of[i];
            assert_int_equal(s->scripts.held[i], m == 0 || (m == 1 && all) ? CTI_HELD_IMPLAUSIBLE : 0);
        }
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unseen_motions_are_not_committed),
                                       cmocka_unit_test(what_is_given_up_rests_alone),
                                       cmocka_unit_test(what_is_interpolated_does_not_rest),
                                       cmocka_unit_test(what_is_interpolated_is_not_forced),
                                       cmocka_unit_test(gains_are_judged_by_set),
                                       cmocka_unit_test(gains_are_held_by_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
