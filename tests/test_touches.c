/* test_touches.c -- events of a world: pairs of bodies that begin, stay and end touching are those that an observer finds in the lists of contacts,
   in every stepper, while bodies come and go and filters change; hits have the speed of a fall. */
#include "failing.h"
#include "world_util.h"

enum { MOST = 400, BODIES = 12 };

typedef struct seen {
    ct_body_id a, b;
    double impulse, most;
} seen;

static int before(const seen *p, const seen *q) { return p->a.index1 != q->a.index1 ? p->a.index1 < q->a.index1 : p->b.index1 < q->b.index1; }

static int same(const seen *p, const seen *q)
{
    return p->a.index1 == q->a.index1 && p->b.index1 == q->b.index1 && p->a.generation == q->a.generation && p->b.generation == q->b.generation;
}

/* the pairs of bodies of the last step's contacts, the lower index first, sorted by insertion */
static int observe(const ct_world *w, seen *out)
{
    const ct_contact *c;
    int n, m = 0, i, k;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++) {
        seen q;
        q.a = c[i].body_a, q.b = c[i].body_b, q.impulse = q.most = (double)c[i].impulse_normal;
        if (q.a.index1 > q.b.index1)
            q.a = c[i].body_b, q.b = c[i].body_a;
        for (k = 0; k < m && !same(&out[k], &q); k++)
            ;
        if (k < m) {
            out[k].impulse += q.impulse, out[k].most = fmax(out[k].most, q.most);
            continue;
        }
        assert_true(m < MOST);
        for (k = m++; k > 0 && before(&q, &out[k - 1]); k--)
            out[k] = out[k - 1];
        out[k] = q;
    }
    return m;
}

static seen of_touch(const ct_touch *t)
{
    seen q;
    q.a = t->contact.body_a, q.b = t->contact.body_b, q.impulse = (double)t->impulse, q.most = (double)t->contact.impulse_normal;
    if (q.a.index1 > q.b.index1)
        q.a = t->contact.body_b, q.b = t->contact.body_a;
    return q;
}

/* 1 if the list has exactly the pairs of `now` that are, or are not, in `last` */
static void expect_touches(const ct_touch *list, int n, const seen *now, int n_now, const seen *last, int n_last, int were)
{
    int i, k, m = 0;
    for (i = 0; i < n_now; i++) {
        for (k = 0; k < n_last && !same(&now[i], &last[k]); k++)
            ;
        if ((k < n_last) == were) {
            seen q;
            assert_true(m < n);
            q = of_touch(&list[m++]);
            assert_true(same(&q, &now[i]));
            assert_true(fabs(q.impulse - now[i].impulse) <= 1e-5 * now[i].impulse && q.most == now[i].most);
        }
    }
    assert_int_equal(m, n);
}

/* compares the events of a step with what is seen of it and of the step before */
static ct_events expect_events(const ct_world *w, const seen *now, int n_now, const seen *last, int n_last)
{
    ct_events e;
    int i, k, m = 0;
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    expect_touches(e.begin, e.n_begin, now, n_now, last, n_last, 0);
    expect_touches(e.stay, e.n_stay, now, n_now, last, n_last, 1);
    for (i = 0; i < n_last; i++) {
        for (k = 0; k < n_now && !same(&last[i], &now[k]); k++)
            ;
        if (k < n_now)
            continue;
        assert_true(m < e.n_end);
        assert_true(e.end[m].body_a.index1 == last[i].a.index1 && e.end[m].body_a.generation == last[i].a.generation);
        assert_true(e.end[m].body_b.index1 == last[i].b.index1 && e.end[m].body_b.generation == last[i].b.generation);
        m++;
    }
    assert_int_equal(m, e.n_end);
    return e;
}

/* a body of a random kind that the stepper has, at a random place above the floor */
static ct_body_id add_random(ct_world *w, uint64_t *seed, int stepper)
{
    double size = 0.06 + 0.06 * lcg(seed), x = 0.4 * lcg(seed) - 0.2, y = 0.15 + 0.5 * lcg(seed), z = 0.4 * lcg(seed) - 0.2, speed = -3 * lcg(seed);
    int kind = (int)(3 * lcg(seed));
    ct_mesh m = kind == 2 && stepper != CT_STEPPER_DCD && stepper != CT_STEPPER_EXPLICIT ? mesh_grid(size, size, 2, 2)
                                                                                         : mesh_box(size, size, size, 1, 1, 1, kind != 1);
    ct_body_id id = {0, 0};
    ct_rigid_desc d = ct_rigid_desc_default();
    mesh_place(&m, lcg(seed), x, y, z);
    d.name = "rigid", d.mesh = &m, d.velocity[1] = (ct_real)speed;
    if (m.n_tets)
        id = add_soft_mesh(w, "soft", &m, 1e5, 0, speed, 0);
    else if (kind == 2 && stepper != CT_STEPPER_DCD && stepper != CT_STEPPER_EXPLICIT)
        id = add_cloth_mesh(w, "cloth", &m, CT_MODEL_MEMBRANE, 0.5);
    else
        ct_body_add_rigid(w, &d, &id); /* null where the stepper has none */
    ct_mesh_free(&m);
    return id;
}

static ct_world *world_of(int stepper, int workers, uint64_t seed)
{
    ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
    d.tasks.worker_count = workers;
    (void)seed;
    return world_make(&d);
}

/* random worlds in which bodies are added and removed and filters change; a count of begins, and a hash of all events */
static uint64_t random_world(int stepper, int workers, uint64_t seed, int steps, int *begun, int *ended)
{
    ct_world *w = world_of(stepper, workers, seed);
    static seen now[MOST], last[MOST];
    ct_body_id ids[BODIES];
    int n = 0, n_now, n_last = 0, i, k;
    uint64_t hash = 14695981039346656037ull;
    ids[n++] = add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 5; i++)
        if ((ids[n] = add_random(w, &seed, stepper)).index1)
            n++;
    for (i = 0; i < steps; i++) {
        ct_events e;
        double what = lcg(&seed);
        if (what < 0.04 && n < BODIES && (ids[n] = add_random(w, &seed, stepper)).index1)
            n++;
        else if (what > 0.95 && n > 2) {
            k = 1 + (int)((n - 1) * lcg(&seed));
            assert_int_equal(ct_body_remove(w, ids[k]), CT_OK);
            ids[k] = ids[--n];
        } else if (what > 0.9) {
            ct_filter f = ct_filter_default();
            f.group = what > 0.93 ? -1 : 0;
            assert_int_equal(ct_body_set_filter(w, ids[1 + (int)((n - 1) * lcg(&seed))], &f), CT_OK);
        }
        if (ct_world_step(w, (ct_real)0.008, NULL) == CT_ERR_DOMAIN) { /* what was added intersects: it is taken out again */
            e = expect_events(w, now, i ? n_now : 0, last, i ? n_last : 0); /* which leaves the events */
            while (n > 1)
                assert_int_equal(ct_body_remove(w, ids[--n]), CT_OK);
            while (n < 4 && (ids[n] = add_random(w, &seed, stepper)).index1)
                n++;
            break;
        }
        memcpy(last, now, sizeof last), n_last = i ? n_now : 0;
        n_now = observe(w, now);
        e = expect_events(w, now, n_now, last, n_last);
        *begun += e.n_begin, *ended += e.n_end;
        for (k = 0; k < e.n_begin + e.n_stay; k++) {
            const ct_touch *t = k < e.n_begin ? &e.begin[k] : &e.stay[k - e.n_begin];
            uint64_t bits = 0;
            memcpy(&bits, &t->impulse, sizeof t->impulse);
            hash = (hash ^ bits ^ t->contact.body_a.index1) * 1099511628211ull;
            memcpy(&bits, &t->speed, sizeof t->speed);
            hash = (hash ^ bits ^ (uint64_t)t->contact.body_b.index1 << 8 ^ (uint64_t)(k < e.n_begin) << 16) * 1099511628211ull;
        }
        for (k = 0; k < e.n_hit; k++) {
            assert_true(e.hit[k].speed > 1 && e.hit[k].impulse > 0);
            assert_true(k == 0 || e.hit[k].contact.body_a.index1 + e.hit[k].contact.body_b.index1 > 0);
        }
    }
    ct_world_destroy(w);
    return hash;
}

static void events_are_those_of_an_observer(void **state)
{
    int stepper, seed, begun, ended;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++) {
        for (seed = begun = ended = 0; seed < PLAIN_OR(6, 1); seed++)
            random_world(stepper, 0, 100u * (unsigned)seed + 7, PLAIN_OR(90, 40), &begun, &ended);
        assert_true(begun > PLAIN_OR(10, 0) && ended > PLAIN_OR(5, -1));
    }
}

/* the same events, to the bit, by 1, 2 and 7 workers */
static void workers_change_nothing(void **state)
{
    static const int workers[3] = {0, 2, 7};
    int stepper, k, begun = 0, ended = 0;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++) {
        uint64_t hash[3];
        for (k = 0; k < 3; k++)
            hash[k] = random_world(stepper, workers[k], 1234, PLAIN_OR(40, 10), &begun, &ended);
        assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    }
}

/* a ball that falls from a height h hits the floor at sqrt(2 g h), of which the step that it hits in leaves out what gravity adds in it, at most g dt;
   it hits once, from above, and the impulses of the contact sum to its momentum; at a floor that comes up at 1 m/s it is 1 m/s faster */
static void a_ball_hits_at_the_speed_of_its_fall(void **state)
{
    static const double heights[] = {1, 1.1, 1.21, 1.33, 3};
    const double dt = 1.0 / 200;
    int stepper, h, up, i;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++)
        for (h = 0; h < PLAIN_OR(5, 1); h++)
            for (up = 0; up < 2; up++) {
                ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
                ct_world *w;
                ct_mesh ball, floor_;
                ct_kinematic_desc k = ct_kinematic_desc_default();
                double want = sqrt(2 * 9.81 * heights[h]) + up, got = 0, first = 0;
                /* under CT_STEPPER_CMR a fall is exact. Euler's rule of others falls g t (t + dt) / 2 until it has g t: g dt / 2 less than sqrt(2 g h) */
                double least = stepper == CT_STEPPER_CMR ? want - 9.81 * dt - 0.01 : 0;
                ct_events e;
                memset(&ball, 0, sizeof ball);
                d.friction = 0;
                w = world_make(&d);
                assert_int_equal(ct_mesh_sphere((ct_real)0.1, 1, &ball, NULL), CT_OK);
                mesh_place(&ball, 0, 0, 0.1 + heights[h] + 1e-3, 0);
                if (stepper == CT_STEPPER_CMR || stepper == CT_STEPPER_BARRIER) {
                    ct_rigid_desc r = ct_rigid_desc_default();
                    r.mesh = &ball;
                    assert_int_equal(ct_body_add_rigid(w, &r, NULL), CT_OK);
                } else {
                    ct_mesh lattice;
                    ct_soft_desc s = ct_soft_desc_default();
                    memset(&lattice, 0, sizeof lattice);
                    assert_int_equal(ct_mesh_tetrahedralize(&ball, (ct_real)0.1, &lattice, NULL), CT_OK);
                    s.mesh = &lattice, s.surface = stepper == CT_STEPPER_EXPLICIT ? NULL : &ball, s.material.young = (ct_real)1e6;
                    assert_int_equal(ct_body_add_soft(w, &s, NULL), CT_OK);
                    ct_mesh_free(&lattice);
                }
                floor_ = mesh_box(1, 0.1, 1, 2, 1, 2, 0);
                /* at the time of impact the floor is at 0 */
                mesh_place(&floor_, 0, 0, -0.05 - up * sqrt(2 * heights[h] / 9.81), 0);
                k.mesh = &floor_, k.motion.linear[1] = (ct_real)up;
                assert_int_equal(ct_body_add_kinematic(w, &k, NULL), CT_OK);
                for (i = 0; i < 600 && got == 0; i++) {
                    step_once(w, dt);
                    assert_int_equal(ct_world_events(w, &e), CT_OK);
                    assert_true(e.n_hit == 0 || e.n_begin == 1);
                    if (e.n_hit) {
                        got = (double)e.hit[0].speed, first = i * dt;
                        assert_true(fabs(fabs((double)e.hit[0].contact.normal[1]) - 1) < 1e-3 && e.hit[0].impulse > 0);
                    }
                }
                if (!(fabs(got / want - 1) < 0.02) || got > want + 0.01 || got < least)
                    print_message("%s from %g m: %g m/s instead of %g, at %g s\n", ct_stepper_text((ct_stepper)stepper), heights[h], got, want, first);
                assert_true(fabs(got / want - 1) < 0.02 && got < want + 0.01 && got > least);
                ct_world_destroy(w);
                ct_mesh_free(&ball), ct_mesh_free(&floor_);
            }
}

/* a body that is removed ends what it touched, by its stale id, once; a new body in its place begins; a cloth that folds touches itself */
static void removed_bodies_end_their_touches(void **state)
{
    ct_world *w = world_of(CT_STEPPER_CMR, 0, 1);
    ct_body_id floor_ = add_plane(w, 0, 1, 0, 0), a = add_soft_box(w, "a", 0.1, 1, 1e5, 0, 0.051, 0), b;
    ct_events e;
    int i, begun = 0;
    (void)state;
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    assert_true(e.n_begin + e.n_stay + e.n_hit + e.n_end == 0);
    for (i = 0; i < 30; i++) {
        step_once(w, 0.01);
        assert_int_equal(ct_world_events(w, &e), CT_OK);
        begun += e.n_begin - e.n_end;
        assert_true(e.n_stay == 0 || e.stay[0].impulse > 0);
    }
    assert_true(begun == 1 && e.n_stay == 1);
    assert_true(fabs((double)e.stay[0].impulse - 9.81 * 0.01) < 1e-2 * 9.81 * 0.01); /* m g dt of a kilogram */
    assert_int_equal(ct_body_remove(w, a), CT_OK);
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    assert_int_equal(e.n_stay, 1); /* of the last step, still */
    b = add_soft_box(w, "b", 0.1, 1, 1e5, 0, 0.0505, 0);
    assert_true(b.index1 == a.index1 && b.generation != a.generation);
    step_once(w, 0.01);
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    assert_true(e.n_end == 1 && e.n_stay == 0 && e.n_begin == 1);
    assert_true(e.end[0].body_a.index1 == floor_.index1 && e.end[0].body_b.index1 == a.index1 && e.end[0].body_b.generation == a.generation);
    step_once(w, 0.01);
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    assert_true(e.n_end == 0 && e.n_stay == 1 && e.n_begin == 0);
    assert_int_equal(ct_body_remove(w, b), CT_OK);
    assert_int_equal(ct_body_remove(w, floor_), CT_OK);
    step_once(w, 0.01); /* an empty world */
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    assert_true(e.n_end == 1 && e.n_stay + e.n_begin + e.n_hit == 0 && e.end[0].body_b.index1 == b.index1);
    ct_world_destroy(w);
}

static void bad_arguments_are_refused(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    ct_error_info error;
    ct_events e;
    (void)state;
    assert_int_equal(ct_world_events(NULL, &e), CT_ERR_ARGUMENT);
    d.hit_speed = -1;
    assert_int_equal(ct_world_create(&d, &w, &error), CT_ERR_ARGUMENT);
    d.hit_speed = (ct_real)NAN;
    assert_int_equal(ct_world_create(&d, &w, &error), CT_ERR_ARGUMENT);
    d.hit_speed = (ct_real)INFINITY;
    w = world_make(&d);
    assert_int_equal(ct_world_events(w, NULL), CT_ERR_ARGUMENT);
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.06, 0);
    while (step_once(w, 0.01).contacts == 0)
        ;
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    assert_true(e.n_begin == 1 && e.n_hit == 0);
    ct_world_destroy(w);
}

/* twelve steps of two boxes that fall on a floor, the first of which is removed right after the first step with contacts; allocation `at` fails, 0:
   none. What fails is repeated. told [3 12]: numbers of begin, stay and end of each step. 1: something was refused */
static int starved(int stepper, int at, int *told)
{
    ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
    ct_world *w;
    ct_body_id a;
    ct_events e;
    ct_step_report r;
    int steps, i, used, removed = 0;
    fail_at = 0;
    d.allocator.resize = failing;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    a = add_soft_box(w, "a", 0.1, 1, 1e5, 0, 0.053, 0), add_soft_box(w, "b", 0.1, 1, 1e5, 0.2, 0.06, 0.01);
    calls = 0, fail_at = at;
    for (steps = 0; steps < 12; steps++) {
        uint64_t hash = ct_world_hash(w);
        for (i = 0; i < 3 && ct_world_step(w, (ct_real)0.01, &r) != CT_OK; i++)
            assert_true(ct_world_error(w)->code == CT_ERR_MEMORY && hash == ct_world_hash(w));
        if (r.contacts > 0 && !removed++)
            for (; i < 3 && ct_body_remove(w, a) != CT_OK; i++)
                assert_int_equal(ct_world_error(w)->code, CT_ERR_MEMORY);
        assert_true(i < 3);
        assert_int_equal(ct_world_events(w, &e), CT_OK);
        told[3 * steps] = e.n_begin, told[3 * steps + 1] = e.n_stay, told[3 * steps + 2] = e.n_end;
    }
    used = fail_at > 0 && calls >= fail_at;
    fail_at = 0;
    ct_world_destroy(w);
    return used;
}

/* every allocation fails in turn: a step that fails leaves the world as it was, and no event is lost or told twice */
static void events_survive_want_of_memory(void **state)
{
    int stepper, at, want[36], got[36];
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper += PLAIN_OR(1, 3)) {
        starved(stepper, 0, want);
        for (at = 1; starved(stepper, at, got); at += stepper == CT_STEPPER_CMR ? 1 : PLAIN_OR(5, 29))
            assert_memory_equal(want, got, sizeof want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_are_those_of_an_observer), cmocka_unit_test(workers_change_nothing),
                                       cmocka_unit_test(a_ball_hits_at_the_speed_of_its_fall), cmocka_unit_test(removed_bodies_end_their_touches),
                                       cmocka_unit_test(bad_arguments_are_refused),       cmocka_unit_test(events_survive_want_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
