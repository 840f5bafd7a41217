/* test_filters.c -- who meets whom: the rule of filters over pairs of kinds and steppers, changes between steps, joints, the user's function, the
   collision of a body with itself, and the checks of a world, which heed all of them. */
#include "world_util.h"

enum { SOFT, RIGID, STATIC, KINEMATIC, PLANE, KINDS };

/* the rule of Box2D 3: a common group decides alone, above 0 for, below 0 against; else each category needs a bit in the other's mask */
static const struct {
    uint64_t category_a, mask_a, category_b, mask_b;
    int group_a, group_b, meets;
} rows[] = {{1, UINT64_MAX, 1, UINT64_MAX, 0, 0, 1}, {1, UINT64_MAX, 2, 2, 0, 0, 0}, {2, 4, 4, UINT64_MAX, 0, 0, 1},  {2, 4, 8, UINT64_MAX, 0, 0, 0},
            {2, 6, 4, 3, 0, 0, 1},                   {1, 0, 1, 0, 3, 3, 1},          {1, UINT64_MAX, 1, UINT64_MAX, -3, -3, 0},
            {1, UINT64_MAX, 1, UINT64_MAX, -3, 3, 1}, {1, 0, 1, 1, 3, 4, 0},          {1, UINT64_MAX, 1, UINT64_MAX, -1, -2, 1},
            {(uint64_t)1 << 63, (uint64_t)1 << 62, (uint64_t)1 << 62, (uint64_t)1 << 63, 0, 0, 1},
            {(uint64_t)1 << 63, (uint64_t)1 << 62, (uint64_t)1 << 62, (uint64_t)1 << 61, 0, 0, 0}};

/* [m] of a motion that nothing stops; in float that of CT_STEPPER_BARRIER is known to its newton_tolerance times .05 s */
static const double rounding = sizeof(ct_real) == sizeof(float) ? 5e-5 : 1e-6;

static ct_world_desc desc_of(int stepper, double gravity)
{
    ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
    d.friction = 0;
    d.gravity[1] = (ct_real)-gravity;
    return d;
}

static void filter(ct_world *w, ct_body_id body, uint64_t category, uint64_t mask, int group)
{
    ct_filter f = ct_filter_default(), got;
    f.category = category, f.mask = mask, f.group = group;
    assert_int_equal(ct_body_set_filter(w, body, &f), CT_OK);
    assert_int_equal(ct_body_get_filter(w, body, &got), CT_OK);
    assert_true(got.category == category && got.mask == mask && got.group == group);
}

static ct_body_id add_rigid(ct_world *w, const ct_mesh *m, double speed)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    ct_code code;
    d.name = "rigid", d.mesh = m, d.velocity[1] = (ct_real)speed;
    code = ct_body_add_rigid(w, &d, &id);
    assert_true(code == CT_OK || code == CT_ERR_UNSUPPORTED);
    return id;
}

/* a box of height .1 whose top is at y, with a speed upwards: one that moves is .1 wide, others .3; scripts and planes stand. Null where the stepper
   has no such body */
static ct_body_id add_kind(ct_world *w, int kind, double y, double speed)
{
    double wide = speed < 0 || y > 0.05 ? 0.1 : 0.3;
    ct_mesh m = mesh_box(wide, 0.1, wide, wide > 0.1 ? 3 : 1, 1, wide > 0.1 ? 3 : 1, kind == SOFT);
    ct_static_desc s = ct_static_desc_default();
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, wide > 0.1 ? 0.013 : 0, y - 0.05, wide > 0.1 ? 0.007 : 0);
    s.name = k.name = "obstacle", s.mesh = k.mesh = &m;
    if (kind == SOFT)
        id = add_soft_mesh(w, "soft", &m, 1e5, 0, speed, 0);
    else if (kind == RIGID)
        id = add_rigid(w, &m, speed);
    else if (kind == PLANE)
        id = add_plane(w, 0, 1, 0, y);
    else
        assert_int_equal(kind == STATIC ? ct_body_add_static(w, &s, &id) : ct_body_add_kinematic(w, &k, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static double height(const ct_world *w, ct_body_id id)
{
    double middle[3];
    read_middle(w, id, 0, middle);
    return middle[1];
}

static int count_contacts(const ct_world *w)
{
    const ct_contact *c;
    int n;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    return n;
}

/* a box comes down on a body at 1 m/s and goes .05 m, 30 mm into it where they do not meet: without a contact, and at its speed to rounding. A world
   that does not let them meet has no intersection */
static void the_rule_holds_for_all_kinds(void **state)
{
    int stepper, mover, kind, row, i, n;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++)
        for (mover = SOFT; mover <= RIGID; mover++)
            for (kind = 0; kind < KINDS; kind++)
                for (row = 0; row < (int)(sizeof rows / sizeof *rows); row++) {
                    ct_world_desc d = desc_of(stepper, 0);
                    ct_world *w;
                    ct_body_id a, b;
                    double end;
                    int met = 0;
                    if ((stepper + mover + kind + row) % PLAIN_OR(3, 19)) /* every row with every stepper, and every kind with every stepper */
                        continue;
                    w = world_make(&d);
                    b = add_kind(w, kind, 0, 0);
                    a = add_kind(w, mover, 0.12, -1);
                    if (!a.index1 || !b.index1) {
                        ct_world_destroy(w);
                        continue;
                    }
                    filter(w, a, rows[row].category_a, rows[row].mask_a, rows[row].group_a);
                    filter(w, b, rows[row].category_b, rows[row].mask_b, rows[row].group_b);
                    for (i = 0; i < 10; i++)
                        step_once(w, 0.005), n = count_contacts(w), met |= n > 0;
                    end = height(w, a);
                    if (met != rows[row].meets || (!rows[row].meets && !(fabs(end - 0.02) < rounding)))
                        print_message("stepper %s, %d on %d, row %d: met %d, height %g\n", ct_stepper_text((ct_stepper)stepper), mover, kind, row, met, end);
                    assert_int_equal(met, rows[row].meets);
                    if (!rows[row].meets) {
                        assert_true(fabs(end - 0.02) < rounding);
                        assert_int_equal(count_intersections(w), 0);
                        filter(w, a, 1, UINT64_MAX, 5), filter(w, b, 1, UINT64_MAX, 5);
                        assert_true(count_intersections(w) > 0);
                    }
                    ct_world_destroy(w);
                }
}

/* bodies at rest on each other fall through from the step on after which they do not meet: by g t^2 / 2, or g t (t + dt) / 2 in Euler's rule; a body
   that falls on one which it has not met so far stops on it, although lists of candidates were found before */
static void a_change_holds_from_the_next_step_on(void **state)
{
    int stepper, kind, i;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++)
        for (kind = STATIC; kind <= PLANE; kind += PLANE - STATIC) {
            ct_world_desc d = desc_of(stepper, 9.81);
            ct_world *w = world_make(&d);
            ct_body_id b = add_kind(w, kind, 0, 0), a = add_kind(w, SOFT, 0.101, 0);
            double y0, fall;
            int met = 0;
            for (i = 0; i < 60; i++)
                step_once(w, 0.005), met += count_contacts(w) > 0;
            if (!(met > 10 && height(w, a) > 0.045))
                print_message("%s on %d: %d steps with contact, height %g\n", ct_stepper_text((ct_stepper)stepper), kind, met, height(w, a));
            assert_true(met > 10 && height(w, a) > 0.045);
            filter(w, a, 1, ~(uint64_t)1, 0);
            y0 = height(w, a);
            for (i = 0; i < 20; i++)
                step_once(w, 0.005), assert_int_equal(count_contacts(w), 0);
            fall = y0 - height(w, a);
            if (!(fall > 9.81 * 0.1 * 0.1 / 2 - 2e-3 && fall < 9.81 * 0.1 * 0.105 / 2 + 2e-3))
                print_message("%s on %d: falls by %g\n", ct_stepper_text((ct_stepper)stepper), kind, fall);
            assert_true(fall > 9.81 * 0.1 * 0.1 / 2 - 2e-3 && fall < 9.81 * 0.1 * 0.105 / 2 + 2e-3);
            ct_world_destroy(w);
            /* from not meeting to meeting, 2 mm above the other */
            w = world_make(&d);
            b = add_kind(w, kind, 0, 0), a = add_kind(w, SOFT, 0.1165, 0);
            filter(w, b, 1, 0, 0);
            for (i = 0; i < 10; i++)
                step_once(w, 0.005);
            assert_true(count_contacts(w) == 0 && height(w, a) > 0.05 && height(w, a) < 0.0565);
            filter(w, b, 1, UINT64_MAX, 0);
            for (i = 0; i < 60; i++)
                step_once(w, 0.005);
            if (!(height(w, a) > 0.045))
                print_message("%s on %d: ends at %g\n", ct_stepper_text((ct_stepper)stepper), kind, height(w, a));
            assert_true(height(w, a) > 0.045);
            ct_world_destroy(w);
        }
}

/* the height of a box that is 10 mm deep in an obstacle at 1 m/s, a second later, or refused 1: the step names both. late 1: it has come there
   without meeting the obstacle; 0: it begins there. *most: its largest speed upwards */
static double height_of_overlap(int stepper, int late, int *refused, double *most)
{
    ct_world_desc d = desc_of(stepper, 0);
    ct_world *w;
    ct_body_id a, b;
    double before[3], after[3];
    int i;
    d.recovery_speed = (ct_real)0.5;
    d.penalty.depth = CT_PENALTY_INSIDE; /* PROXIMITY sees surfaces that are near, not depths */
    w = world_make(&d);
    b = add_kind(w, STATIC, 0, 0), a = add_kind(w, SOFT, late ? 0.11 : 0.09, -1);
    if (late)
        filter(w, b, 1, 0, 0);
    for (i = 0; late && i < 4; i++)
        step_once(w, 0.005);
    assert_true(fabs(height(w, a) - 0.04) < rounding);
    filter(w, b, 1, UINT64_MAX, 0);
    assert_true(count_intersections(w) > 0);
    *refused = 0, *most = -1;
    for (i = 0; i < 200 && !*refused; i++) {
        read_middle(w, a, 0, before);
        *refused = ct_world_step(w, (ct_real)0.005, NULL) == CT_ERR_DOMAIN;
        read_middle(w, a, 0, after);
        *most = fmax(*most, (after[1] - before[1]) / 0.005);
    }
    if (*refused) { /* and goes on where the bodies do not meet again */
        assert_non_null(strstr(ct_world_error(w)->text, "obstacle"));
        assert_true(i == 1 && fabs(height(w, a) - 0.04) < rounding);
        filter(w, b, 1, 0, 0);
        step_once(w, 0.005);
        assert_true(fabs(height(w, a) - 0.035) < rounding);
    } else if (stepper != CT_STEPPER_GEOMETRIC) /* which does not free such overlaps */
        assert_int_equal(count_intersections(w), 0);
    after[1] = height(w, a);
    ct_world_destroy(w);
    return after[1];
}

/* bodies that meet for the first time inside each other are treated as bodies that begin so */
static void bodies_that_meet_inside_each_other(void **state)
{
    int stepper, refused[2];
    double y[2], most[2];
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++) {
        y[0] = height_of_overlap(stepper, 0, &refused[0], &most[0]), y[1] = height_of_overlap(stepper, 1, &refused[1], &most[1]);
        assert_int_equal(refused[0], refused[1]);
        assert_int_equal(refused[1], stepper == CT_STEPPER_BARRIER || stepper == CT_STEPPER_LAYERS);
        if (!(y[1] < y[0] + 1e-4) || !(most[1] < most[0] + 1e-3))
            print_message("%s: %g %g, %g %g m/s\n", ct_stepper_text((ct_stepper)stepper), y[0], y[1], most[0], most[1]);
        assert_true(y[1] < y[0] + 1e-4 && most[1] < most[0] + 1e-3);
    }
}

/* a joint that lets its bodies collide does not overrule their filters, nor a common group a joint that does not */
static void joints_and_filters_both_decide(void **state)
{
    int stepper, collide, group, i, met;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++)
        for (collide = 0; collide < 2; collide++)
            for (group = -1; group < 2; group++) {
                ct_world_desc d = desc_of(stepper, 0);
                ct_world *w = world_make(&d);
                ct_body_id b = add_kind(w, STATIC, 0, 0), a = add_kind(w, SOFT, 0.12, -1);
                ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
                j.a.body = a, j.a.vertices[0] = 0, j.collide = collide, j.compliance = 1, j.b.body = b, j.b.vertices[0] = 0;
                filter(w, a, 1, UINT64_MAX, group), filter(w, b, 1, UINT64_MAX, group);
                if (ct_joint_add(w, &j, NULL) == CT_OK) {
                    for (i = met = 0; i < 10; i++)
                        step_once(w, 0.005), met |= count_contacts(w) > 0;
                    assert_int_equal(met, collide && group >= 0);
                }
                ct_world_destroy(w);
            }
}

static struct asked {
    int calls, same, busy, never;
    ct_world *w;
} asked;
static int even_meets_odd(ct_body_id a, ct_body_id b, void *user)
{
    struct asked *q = (struct asked *)user;
    q->calls++, q->same += a.index1 == b.index1;
    q->busy += ct_world_step(q->w, (ct_real)0.01, NULL) == CT_ERR_ARGUMENT && ct_body_remove(q->w, a) != CT_OK;
    return !q->never && (a.index1 + b.index1) % 2;
}

/* the user's function sees pairs that filters let meet, never a body with itself, and may not call the world; its answer holds for planes and checks */
static void the_function_of_the_user_decides(void **state)
{
    int stepper, i, k, met;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++)
        for (k = 0; k < 4; k++) {
            ct_world_desc d = desc_of(stepper, 0);
            ct_body_id a, b;
            memset(&asked, 0, sizeof asked);
            d.may_meet = even_meets_odd, d.may_meet_user = &asked;
            asked.w = world_make(&d);
            b = add_kind(asked.w, k / 2 ? PLANE : STATIC, 0, 0);
            if (k % 2)
                add_kind(asked.w, SOFT, 10, 0);
            a = add_kind(asked.w, SOFT, 0.12, -1);
            assert_true((a.index1 + b.index1) % 2 == (unsigned)(k % 2 == 0));
            for (i = met = 0; i < 10; i++)
                step_once(asked.w, 0.005), met |= count_contacts(asked.w) > 0;
            assert_int_equal(met, k % 2 == 0);
            assert_true(asked.calls > 0 && asked.same == 0 && asked.busy == asked.calls);
            if (k % 2)
                assert_int_equal(count_intersections(asked.w), 0);
            /* filters that keep the bodies apart are not asked about */
            filter(asked.w, a, 1, 0, 0);
            asked.never = 1, asked.calls = 0;
            count_intersections(asked.w);
            assert_true(asked.calls <= (k % 2 && k / 2)); /* the body far away, with the plane */
            ct_world_destroy(asked.w);
        }
}

/* two sheets of one cloth, the upper of which falls on the lower, which is pinned */
static ct_body_id add_sheets(ct_world *w)
{
    ct_mesh m = mesh_grid(0.1, 0.1, 2, 2), both;
    ct_body_id id;
    int32_t pins[9];
    int i;
    memset(&both, 0, sizeof both);
    both.n_positions = 18, both.n_triangles = 16;
    both.positions = (ct_real *)malloc(sizeof(ct_real) * 54), both.triangles = (int32_t *)malloc(sizeof(int32_t) * 48);
    memcpy(both.positions, m.positions, sizeof(ct_real) * 27), memcpy(both.positions + 27, m.positions, sizeof(ct_real) * 27);
    for (i = 0; i < 24; i++)
        both.triangles[i] = m.triangles[i], both.triangles[24 + i] = m.triangles[i] + 9;
    for (i = 0; i < 9; i++)
        both.positions[27 + 3 * i] += (ct_real)0.013, both.positions[28 + 3 * i] = (ct_real)0.01, pins[i] = i;
    id = add_cloth_mesh(w, "sheets", &both, CT_MODEL_MEMBRANE, 0.2);
    assert_int_equal(ct_body_pin(w, id, pins, 9, CT_AXIS_ALL, NULL, -1), CT_OK);
    free(both.positions), free(both.triangles), ct_mesh_free(&m);
    return id;
}

/* the upper sheet stays above the lower one where the body collides with itself, by its own setting or the world's, and falls through it where not:
   from the start, and after a change of mind in mid-air */
static void a_body_meets_itself_as_it_is_told(void **state)
{
    static const struct { int world, first, then, meets; } cases[] = {{1, -1, -1, 1}, {0, -1, -1, 0}, {1, 0, 0, 0}, {0, 1, 1, 1}, {1, -1, 0, 0}, {0, 0, 1, 1}, {1, 0, -1, 1}};
    int stepper, c, i;
    double *x;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++)
        for (c = 0; stepper != CT_STEPPER_EXPLICIT && stepper != CT_STEPPER_DCD && c < PLAIN_OR(7, 2); c++) {
            ct_world_desc d = desc_of(stepper, 9.81);
            ct_world *w;
            ct_body_id id;
            d.self_collision = cases[c].world;
            w = world_make(&d);
            id = add_sheets(w);
            assert_int_equal(ct_body_set_self_collision(w, id, cases[c].first), CT_OK);
            for (i = 0; i < 5; i++)
                step_once(w, 0.005);
            assert_int_equal(ct_body_set_self_collision(w, id, cases[c].then), CT_OK);
            for (i = 0; i < 20; i++)
                step_once(w, 0.005);
            x = read_vectors(w, id, 0, NULL);
            for (i = 9; i < 18; i++) {
                if ((x[3 * i + 1] > 0) != cases[c].meets)
                    print_message("%s, case %d: vertex %d at %g\n", ct_stepper_text((ct_stepper)stepper), c, i, x[3 * i + 1]);
                assert_int_equal(x[3 * i + 1] > 0 ? 1 : 0, cases[c].meets);
            }
            free(x);
            ct_world_destroy(w);
        }
}

/* ct_world_repair moves nothing that does not meet, and ct_world_validate names no such pair; the others are freed */
static void checks_and_repairs_heed_filters(void **state)
{
    ct_world_desc d = desc_of(CT_STEPPER_CMR, 9.81);
    ct_world *w = world_make(&d);
    ct_body_id a = add_kind(w, SOFT, 0.05, 0), b = add_kind(w, RIGID, 0, 0), p = add_kind(w, PLANE, -0.02, 0);
    int freed, left, n;
    ct_pair *pairs;
    uint64_t hash;
    (void)state;
    filter(w, a, 1, UINT64_MAX, -1), filter(w, b, 1, UINT64_MAX, -1), filter(w, p, 1, UINT64_MAX, -1);
    hash = ct_world_hash(w);
    assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
    assert_int_equal(n, 0);
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    assert_true(freed == 0 && left == 0 && hash == ct_world_hash(w));
    filter(w, p, 1, UINT64_MAX, 0); /* the plane meets both: vertices of both are behind it */
    assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
    assert_int_equal(n, 16 + 16); /* the lower vertices of both */
    while (n-- > 0)
        assert_int_equal(pairs[n].kind, CT_PAIR_PLANE);
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    assert_true(freed == 32 && left == 0);
    filter(w, a, 1, UINT64_MAX, 0);
    assert_true(count_intersections(w) > 0);
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    assert_true(freed > 0 && left == 0 && count_intersections(w) == 0);
    ct_world_destroy(w);
}

/* bodies that are being separated are left alone when they may not meet any more: one that is brought to rest stays */
static void bodies_that_stop_meeting_go_on(void **state)
{
    ct_world_desc d = desc_of(CT_STEPPER_CMR, 0);
    ct_world *w = world_make(&d);
    ct_body_id a, b = add_kind(w, STATIC, 0, 0);
    ct_real rest[3 * 16 * 2];
    double y0;
    int i;
    (void)state;
    memset(rest, 0, sizeof rest);
    a = add_kind(w, SOFT, 0.051, 0); /* .05 deep, its lower half inside */
    for (i = 0; i < 3; i++)
        assert_true(step_once(w, 0.005).tangled > 0);
    filter(w, b, 1, 0, 0);
    assert_int_equal(ct_body_set_velocities(w, a, rest, ct_body_node_count(w, a)), CT_OK);
    for (i = 0, y0 = 0; i < 11; i++) {
        ct_step_report r = step_once(w, 0.005);
        assert_int_equal(r.tangled, 0);
        y0 = i == 0 ? r.center_of_mass[1] : y0;
        if (!(fabs(r.center_of_mass[1] - y0) < 1e-8))
            print_message("step %d: %g m\n", i, r.center_of_mass[1] - y0);
        assert_true(fabs(r.center_of_mass[1] - y0) < 1e-8);
    }
    ct_world_destroy(w);
}

/* a rigid body that turns by a radian in a step beside a body and a plane which it does not meet needs no shorter steps */
static void a_fast_turn_beside_what_is_not_met(void **state)
{
    int meets;
    (void)state;
    for (meets = 0; meets < 2; meets++) {
        ct_world_desc d = desc_of(CT_STEPPER_CMR, 0);
        ct_world *w = world_make(&d);
        ct_body_id a = add_kind(w, RIGID, 0.16, 0), b = add_kind(w, STATIC, 0.05, 0), c = add_plane(w, 1, 0, 0, -0.06);
        ct_real spin[3] = {0, 100, 0};
        ct_step_report r;
        assert_int_equal(ct_body_set_motion(w, a, NULL, spin), CT_OK);
        filter(w, b, 1, meets ? UINT64_MAX : 0, 0), filter(w, c, 1, meets ? UINT64_MAX : 0, 0);
        r = step_once(w, 0.01);
        assert_true((r.substeps == 1 && r.status == CT_STATUS_OK) == !meets);
        ct_world_destroy(w);
    }
}

/* A cloth of two triangles that cross each other is tangled as soon as it is to meet itself, and not before */
static void a_body_that_begins_to_meet_itself_is_searched(void **state)
{
    ct_real at[] = {0, 0, 0, 1, 0, 0, 0, 0, 1, (ct_real)0.3, (ct_real)-0.5, (ct_real)0.2, (ct_real)0.3, (ct_real)0.5, (ct_real)0.2, (ct_real)0.3, (ct_real)0.5, (ct_real)0.4};
    int32_t triangles[] = {0, 1, 2, 3, 4, 5};
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_world_desc d = ct_world_desc_default();
    ct_step_report r;
    ct_body_id id;
    ct_world *w;
    ct_mesh m;
    (void)state;
    memset(&m, 0, sizeof m);
    m.positions = at, m.n_positions = 6, m.triangles = triangles, m.n_triangles = 2;
    d.gravity[1] = 0, c.mesh = &m;
    assert_int_equal(ct_world_create(&d, &w, NULL), CT_OK);
    assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
    assert_int_equal(ct_body_set_self_collision(w, id, 0), CT_OK);
    assert_int_equal(ct_world_step(w, (ct_real)0.01, &r), CT_OK);
    assert_int_equal(r.tangled, 0);
    assert_int_equal(ct_body_set_self_collision(w, id, 1), CT_OK);
    assert_int_equal(ct_world_step(w, (ct_real)1e-4, &r), CT_OK);
    assert_true(r.tangled > 0);
    ct_world_destroy(w);
}

static void bad_arguments_are_refused(void **state)
{
    ct_world_desc d = desc_of(CT_STEPPER_EXPLICIT, 0);
    ct_world *w = world_make(&d);
    ct_body_id a = add_kind(w, SOFT, 0, 0), b = add_kind(w, RIGID, 1, 0), none = {0, 0}, stale = a;
    ct_filter f = ct_filter_default();
    (void)state;
    stale.generation += 7;
    assert_int_equal(ct_body_set_filter(NULL, a, &f), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_filter(NULL, a, &f), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_filter(w, none, &f), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_get_filter(w, stale, &f), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_set_filter(w, a, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_filter(w, a, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_self_collision(NULL, a, 0), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_self_collision(w, stale, 0), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_set_self_collision(w, a, 2), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_self_collision(w, a, -2), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_self_collision(w, b, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_self_collision(w, a, 1), CT_ERR_UNSUPPORTED);
    assert_int_equal(ct_body_set_self_collision(w, a, 0), CT_OK);
    step_once(w, 0.005);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_holds_for_all_kinds),     cmocka_unit_test(a_change_holds_from_the_next_step_on),
        cmocka_unit_test(bodies_that_meet_inside_each_other), cmocka_unit_test(joints_and_filters_both_decide),
        cmocka_unit_test(the_function_of_the_user_decides), cmocka_unit_test(a_body_meets_itself_as_it_is_told),
        cmocka_unit_test(bodies_that_stop_meeting_go_on),   cmocka_unit_test(a_fast_turn_beside_what_is_not_met),
        cmocka_unit_test(checks_and_repairs_heed_filters),  cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_body_that_begins_to_meet_itself_is_searched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
