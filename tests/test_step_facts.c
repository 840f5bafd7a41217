/* test_step_facts.c -- bounds on a plausible motion (plausible.c), and the first impact as the end of a substep (events.c). Each case has
   three triangles; the decision is compared with the result by hand. */
#include "../src/8_step/plausible.h"
#include "step_util.h"

/* ---- plausible ---- */

/* A block may move ten times the world's size, and as far as speed and gravity allow in addition. The world is 6 m long, measured from its first
   node */
static void motion_has_a_bound(void **state)
{
    static const double gravity[] = {0, 9.81}, speed[] = {0, 3};
    int i, k;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world *w = step_world(gravity[k & 1]);
        double size = 6, limit;
        cti_state *s;
        step_flat(w, 0, 0, 0.3), step_flat(w, 0, 0.1, 0.3), step_flat(w, 5, 0, 0.3);
        s = step_ready(w, STEP_DT);
        s->v[10] = -(ct_real)speed[k / 2];
        /* at rest, and with that speed */
        assert_true(cti_plausible_motion(s, CTI_R(STEP_DT)));
        step_speed(s, 0, 9, 0, -speed[k / 2], 0);
        assert_true(cti_plausible_motion(s, CTI_R(STEP_DT)));
        limit = 10 * (size + STEP_DT * (speed[k / 2] + STEP_DT * gravity[k & 1])) / STEP_DT;
        for (i = 0; i < 27; i++) {
            const ct_real bad[] = {
                CTI_R(1e10), -CTI_R(1e10), (ct_real)NAN, (ct_real)INFINITY, (ct_real)(limit * 1.000001), (ct_real)(-limit * 1.000001)};
            int b;
            for (b = 0; b < 6; b++) {
                s->end.v[i] = bad[b];
                assert_false(cti_plausible_motion(s, CTI_R(STEP_DT)));
            }
            s->end.v[i] = (ct_real)(limit * 0.999999);
            assert_true(cti_plausible_motion(s, CTI_R(STEP_DT)));
            s->end.v[i] = 0;
        }
        ct_world_destroy(w);
    }
}

/* the rotation of a rigid body has no bound, but it has to be finite */
static void turns_are_numbers(void **state)
{
    ct_world *w = step_world(0);
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id;
    cti_state *s;
    (void)state;
    d.mesh = &m;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    step_flat(w, 3, 0, 0.3), step_flat(w, 5, 0, 0.3);
    s = step_ready(w, STEP_DT);
    s->end.v[3] = CTI_R(1e6);
    assert_true(s->bodies.rigid_of[1] == 0 && cti_plausible_motion(s, CTI_R(STEP_DT)));
    s->end.v[3] = (ct_real)NAN;
    assert_false(cti_plausible_motion(s, CTI_R(STEP_DT)));
    s->end.v[3] = 0, s->end.v[0] = CTI_R(1e6);
    assert_false(cti_plausible_motion(s, CTI_R(STEP_DT)));
    ct_world_destroy(w);
}

/* three triangles of different masses; energies [J] of their free motions, and of the changes by contacts */
static cti_state *plausible_state(ct_world *w, double recovery)
{
    cti_state *s;
    int c;
    step_flat(w, 0, 0, 0.3), step_flat(w, 0, 0.1, 0.6), step_flat(w, 5, 0, 0.9);
    s = step_ready(w, STEP_DT);
    s->desc.recovery_speed = (ct_real)recovery;
    assert_int_equal(CTI_LEN(s->factors.components), 3);
    for (c = 0; c < 3; c++)
        s->factors.components[c].solve.free_energy = 2 + c, s->factors.components[c].solve.contact_energy = 0;
    return s;
}

/* 4 (E + sum 3 m w^2), w the speed of separation: the bound on recovery, or a thickness in a step */
static double part(const cti_state *s, int component, double w) { return 4 * (2 + component + 3 * step_mass(s, 3 * component, 3) * w * w); }

static int is_plausible(cti_state *s)
{
    int plausible = -1;
    assert_true(cti_plausible_contacts(s, CTI_R(STEP_DT), &plausible));
    return plausible;
}

static void contacts_have_a_reach(void **state)
{
    static const double recovery[] = {0, 0.5};
    int k;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = step_world(9.81);
        double ease = k ? 0.5 : STEP_H / STEP_DT, reach;
        cti_state *s = plausible_state(w, recovery[k]);
        cti_component *q = s->factors.components;
        reach = part(s, 1, ease);
        q[1].solve.contact_energy = reach * (1 - 1e-9);
        assert_int_equal(is_plausible(s), 1);
        /* an island may use what is its own, and none of what others leave */
        q[1].solve.contact_energy = reach * (1 + 1e-9);
        assert_int_equal(is_plausible(s), 0);
        q[1].solve.contact_energy = NAN;
        assert_int_equal(is_plausible(s), 0);
        /* an excluded component does not move */
        q[1].substep.part = CTI_PART_EXCLUDED;
        assert_int_equal(is_plausible(s), 1);
        ct_world_destroy(w);
    }
}

static void check_implausible(cti_state *s, int a, int b, int c)
{
    const int want[3] = {a, b, c};
    int n, i, count = 0;
    memset(s->scripts.held, 0, (size_t)s->n);
    assert_true(cti_plausible_find(s, CTI_R(STEP_DT), &n));
    for (i = 0; i < s->n; i++) {
        int implausible = want[i / 3] && !s->scripts.fixed[i];
        assert_int_equal(s->scripts.held[i], implausible ? CTI_HELD_IMPLAUSIBLE : 0);
        count += implausible;
    }
    assert_int_equal(n, count);
}

/* Implausible motion is found by island: components that rows connect share their bound, and all of them are marked */
static void implausible_islands_are_marked(void **state)
{
    ct_world *w = step_world(9.81);
    cti_state *s = plausible_state(w, 0);
    cti_component *q = s->factors.components;
    cti_contact_row origin;
    cti_row row;
    double own = part(s, 0, STEP_H / STEP_DT), both = own + part(s, 1, STEP_H / STEP_DT);
    (void)state;
    check_implausible(s, 0, 0, 0);
    q[0].solve.contact_energy = (own + both) / 2;
    check_implausible(s, 1, 0, 0);
    memset(&row, 0, sizeof row), memset(&origin, 0, sizeof origin);
    row.n_a = 1, row.n = 2, row.term[0].block = 2, row.term[1].block = 3;
    row.term[0].weight = 1, row.term[1].weight = -1;
    assert_true(CTI_PUSH(s->mem, s->contact.rows, row) && CTI_PUSH(s->mem, s->contact.origins, origin));
    check_implausible(s, 0, 0, 0);
    q[0].solve.contact_energy = 1.001 * both;
    check_implausible(s, 1, 1, 0);
    q[0].solve.contact_energy = 0;
    s->end.v[3 * 4 + 1] = CTI_R(1e10);
    check_implausible(s, 1, 1, 0);
    s->scripts.fixed[3] = 1; /* scripted motion is never implausible */
    check_implausible(s, 1, 1, 0);
    s->scripts.fixed[3] = 0, s->end.v[3 * 4 + 1] = 0, s->end.v[3 * 8] = (ct_real)NAN;
    check_implausible(s, 0, 0, 1);
    q[2].substep.part = CTI_PART_EXCLUDED;
    check_implausible(s, 0, 0, 0);
    /* a repair row adds 4 recover^2 / softness to its island's bound */
    s->end.v[3 * 8] = 0, q[2].substep.part = 0;
    q[0].solve.contact_energy = 1.001 * both;
    s->contact.origins[0].repair = 1, s->contact.rows[0].recover = CTI_R(0.5), s->contact.rows[0].softness = (ct_real)(0.25 / (0.002 * both));
    check_implausible(s, 0, 0, 0);
    ct_world_destroy(w);
}

/* ---- events ---- */

typedef struct flight {
    ct_world *w;
    cti_state *s;
    cti_row_context c;
} flight;

/* a flat triangle at rest; two others, each with one corner down, over it, `high` above it, that fall by v [m/s] */
static flight flight_make(double high_a, double v_a, double high_b, double v_b)
{
    double p[9] = {0, 0, 0, 0, 0.3, 0.1, 0.1, 0.3, 0};
    flight t;
    memset(&t, 0, sizeof t);
    t.w = step_world(0);
    step_flat(t.w, 0, 0, 0.3);
    p[1] = high_a, p[4] = p[7] = high_a + 0.3;
    step_triangle(t.w, p, 0.3);
    p[0] -= 0.2, p[3] -= 0.2, p[6] -= 0.2;
    p[1] = high_b, p[4] = p[7] = high_b + 0.3;
    step_triangle(t.w, p, 0.3);
    t.s = step_ready(t.w, STEP_DT);
    step_speed(t.s, 3, 3, 0, -v_a, 0), step_speed(t.s, 6, 3, 0, -v_b, 0);
    cti_cmr_move(t.s, CTI_R(STEP_DT));
    step_candidates(t.s);
    cti_move_context(t.s, CTI_R(STEP_DT), NULL, &t.c);
    t.s->step.event_least = CTI_R(STEP_DT / 32);
    return t;
}

static double first_meeting(flight *t, cti_pair *pair)
{
    ct_real time = -1;
    memset(pair, 0, sizeof *pair);
    assert_true(cti_events_first(t->s, &t->c, &time, pair));
    return (double)time;
}

/* (y - h) / v, of the earlier of two */
static void meetings_have_their_time(void **state)
{
    static const double speed[][2] = {{4, 1}, {4, 5}, {1, 6}, {0, 4.5}};
    int k;
    (void)state;
    for (k = 0; k < 4; k++) {
        flight t = flight_make(0.03, speed[k][0], 0.04, speed[k][1]);
        double a = 0.02 / speed[k][0], b = 0.03 / speed[k][1];
        cti_pair pair;
        STEP_NEAR(first_meeting(&t, &pair), fmin(a, b), 1e-6 * STEP_DT);
        assert_true(step_is_pair(&pair, CT_PAIR_VF, a < b ? 3 : 6, 0));
        assert_int_equal(pair.n, 4);
        ct_world_destroy(t.w);
    }
}

static double only_meeting(double high, double v)
{
    flight t = flight_make(high, v, 5, 0);
    cti_pair pair;
    double time = first_meeting(&t, &pair);
    ct_world_destroy(t.w);
    return time;
}

/* which motions count as meetings */
static void meetings_are_new_deep_and_apart(void **state)
{
    double least = STEP_DT / 32;
    flight t;
    cti_pair pair;
    cti_memory memory;
    cti_memory_item item;
    (void)state;
    /* an approach to .8 of the thickness is no meeting, one to .7 is */
    STEP_NEAR(only_meeting(0.03, 2.2), 0, 0);
    STEP_NEAR(only_meeting(0.03, 2.3), 0.02 / 2.3, 1e-6 * STEP_DT);
    /* a pair that starts within 1.25 thicknesses has a row already */
    STEP_NEAR(only_meeting(0.0124, 2), 0, 0);
    STEP_NEAR(only_meeting(0.0126, 2), 0.0026 / 2, 1e-6 * STEP_DT);
    /* A meeting sooner than half of the shortest substep is moved to that time; one that leaves less than the shortest substep is ignored */
    STEP_NEAR(only_meeting(0.0126, 0.0026 / (0.4 * least)), 0.5 * least, 1e-9 * STEP_DT);
    STEP_NEAR(only_meeting(0.2, 0.19 / (STEP_DT - 1.1 * least)), STEP_DT - 1.1 * least, 1e-6 * STEP_DT);
    STEP_NEAR(only_meeting(0.2, 0.19 / (STEP_DT - 0.9 * least)), 0, 0);
    t = flight_make(0.03, 4, 5, 0);
    STEP_NEAR(first_meeting(&t, &pair), 0.005, 1e-6 * STEP_DT);
    /* a contact of the last step does not meet for the first time */
    memset(&memory, 0, sizeof memory), memset(&item, 0, sizeof item);
    item.key = cti_pair_key(&t.s->surface, &pair);
    assert_true(cti_memory_add(t.s->mem, &memory, &item));
    t.c.memory = &memory;
    STEP_NEAR(first_meeting(&t, &pair), 0, 0);
    cti_memory_free(t.s->mem, &memory);
    t.c.memory = NULL;
    /* nor does a pair whose components are not stepped */
    t.s->parts.inactive = 1, t.s->factors.components[1].substep.part = CTI_PART_EXCLUDED;
    STEP_NEAR(first_meeting(&t, &pair), 0, 0);
    t.s->factors.components[1].substep.part = 0;
    STEP_NEAR(first_meeting(&t, &pair), 0.005, 1e-6 * STEP_DT);
    /* off, and without room for two pieces */
    t.s->step.event_least = 0;
    STEP_NEAR(first_meeting(&t, &pair), 0, 0);
    t.s->step.event_least = CTI_R(0.51 * STEP_DT);
    STEP_NEAR(first_meeting(&t, &pair), 0, 0);
    ct_world_destroy(t.w);
}

/* edges that cross, and a plane: the gap is linear in time */
static void edges_and_planes_meet(void **state)
{
    static const double low[9] = {-1, 0, 0, 1, 0, 0, 0, -1, 0}, high[9] = {0.1, 0.03, -1, 0.1, 0.03, 1, 0.1, 1, 0};
    cti_row_context c;
    ct_world *w;
    cti_state *s;
    cti_pair pair;
    ct_real time;
    int plane;
    (void)state;
    for (plane = 0; plane < 2; plane++) {
        w = step_world(0);
        step_triangle(w, low, 0.3), step_triangle(w, high, 0.3), step_flat(w, 9, 3, 0.3);
        if (plane)
            add_plane(w, 0, 1, 0, -1.02);
        s = step_ready(w, STEP_DT);
        step_speed(s, 3, 3, 0, -4, 0);
        if (plane) /* the lower triangle's corner reaches the plane first */
            step_speed(s, 0, 3, 0, -3, 0);
        cti_cmr_move(s, CTI_R(STEP_DT));
        step_candidates(s);
        cti_move_context(s, CTI_R(STEP_DT), NULL, &c);
        s->step.event_least = CTI_R(STEP_DT / 32);
        assert_true(cti_events_first(s, &c, &time, &pair));
        STEP_NEAR(time, plane ? 0.01 / 3 : 0.02 / 4, 1e-6 * STEP_DT);
        assert_true(plane ? step_is_pair(&pair, CT_PAIR_PLANE, 2, 0) : pair.kind == CT_PAIR_EE);
        ct_world_destroy(w);
    }
}

/* Near pairs at the start that meet later than the shortest substep get no row: a and b meet after .1 and .6 of the step. A pair that is near
   keeps its row */
static void later_meetings_are_deferred(void **state)
{
    static const double least[] = {0.05, 0.2, 0.4};
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        flight t = flight_make(0.02, 10, 0.016, 1);
        cti_hit hit;
        int feature, i, v, kept;
        for (v = 3; v < 9; v += 3) {
            memset(&hit, 0, sizeof hit);
            cti_pair_make(&t.s->surface, CT_PAIR_VF, v, 0, &hit.pair);
            cti_pair_closest(&t.s->surface, t.s->surface.x0, &hit.pair, &feature);
            assert_true(CTI_PUSH(t.s->mem, t.s->contact.hits, hit));
        }
        t.s->step.event_least = (ct_real)(least[k] * STEP_DT);
        cti_events_defer(t.s, &t.c);
        kept = CTI_LEN(t.s->contact.hits);
        assert_int_equal(kept, least[k] > 0.1 ? 1 : 0);
        for (i = 0; i < kept; i++)
            assert_int_equal(t.s->contact.hits[i].pair.v[0], 3);
        ct_world_destroy(t.w);
    }
    {
        flight t = flight_make(0.0124, 1, 5, 0); /* reaches the thickness after .24 of the step, but is near now */
        cti_hit hit;
        int feature;
        memset(&hit, 0, sizeof hit);
        cti_pair_make(&t.s->surface, CT_PAIR_VF, 3, 0, &hit.pair);
        cti_pair_closest(&t.s->surface, t.s->surface.x0, &hit.pair, &feature);
        assert_true(CTI_PUSH(t.s->mem, t.s->contact.hits, hit));
        cti_events_defer(t.s, &t.c);
        assert_int_equal(CTI_LEN(t.s->contact.hits), 1);
        ct_world_destroy(t.w);
    }
}

/* neither piece of a cut is shorter than the shortest substep */
static void cuts_leave_both_pieces(void **state)
{
    static cti_state s;
    (void)state;
    s.step.event_least = CTI_R(0.125);
    STEP_NEAR(cti_events_cut(&s, 1, CTI_R(0.5)), 0.5, 0);
    STEP_NEAR(cti_events_cut(&s, 1, CTI_R(0.0625)), 0.125, 0);
    STEP_NEAR(cti_events_cut(&s, 1, CTI_R(0.9375)), 0.875, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(motion_has_a_bound),       cmocka_unit_test(turns_are_numbers),
                                       cmocka_unit_test(contacts_have_a_reach),    cmocka_unit_test(implausible_islands_are_marked),
                                       cmocka_unit_test(meetings_have_their_time), cmocka_unit_test(meetings_are_new_deep_and_apart),
                                       cmocka_unit_test(edges_and_planes_meet),    cmocka_unit_test(later_meetings_are_deferred),
                                       cmocka_unit_test(cuts_leave_both_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
