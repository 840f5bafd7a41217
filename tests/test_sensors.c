/* test_sensors.c -- sensors make no contact, and events tell what overlaps them: those that an observer finds by comparing boxes, in every stepper,
   while bodies are added and removed and filters change. */
#include "failing.h"
#include "world_util.h"

enum { BODIES = 14, PAIRS = BODIES * BODIES };
enum { SOFT, RIGID, STATIC, KINEMATIC, KINDS };

/* [m] by which a body may be off its way */
static const double rounding = sizeof(ct_real) == sizeof(float) ? 1e-4 : 1e-6;

/* a box that keeps its axes: an observer's knowledge of a body */
typedef struct box {
    ct_body_id id;
    double lo[3], hi[3], v[3];
    int sensor, moves, category, plane;
} box;

static ct_code add_kind(ct_world *w, int kind, const ct_mesh *m, const double v[3], ct_body_id *out)
{
    ct_soft_desc a = ct_soft_desc_default();
    ct_rigid_desc b = ct_rigid_desc_default();
    ct_static_desc c = ct_static_desc_default();
    ct_kinematic_desc d = ct_kinematic_desc_default();
    int k;
    a.mesh = b.mesh = c.mesh = d.mesh = m;
    for (k = 0; k < 3; k++)
        a.velocity[k] = b.velocity[k] = d.motion.linear[k] = (ct_real)v[k];
    return kind == SOFT    ? ct_body_add_soft(w, &a, out)
           : kind == RIGID ? ct_body_add_rigid(w, &b, out)
                           : kind == STATIC ? ct_body_add_static(w, &c, out) : ct_body_add_kinematic(w, &d, out);
}

/* a random box; bodies meet sensors alone, of their category or of all */
static int add_box(ct_world *w, uint64_t *seed, int sensor, box *b)
{
    int kind = (int)(KINDS * lcg(seed)), k;
    double size[3], at[3], least = lcg(seed) < 0.3 ? 0.8 : 0.1;
    ct_filter f = ct_filter_default();
    ct_mesh m;
    memset(b, 0, sizeof *b);
    b->category = 1 + (int)(2 * lcg(seed)), b->sensor = sensor, b->moves = kind != STATIC;
    for (k = 0; k < 3; k++) {
        size[k] = least + 0.3 * lcg(seed), at[k] = lcg(seed) - 0.5, b->v[k] = b->moves ? 4 * lcg(seed) - 2 : 0;
        b->lo[k] = at[k] - size[k] / 2, b->hi[k] = at[k] + size[k] / 2;
    }
    m = mesh_box(size[0], size[1], size[2], 1, 1, 1, kind == SOFT);
    mesh_place(&m, 0, at[0], at[1], at[2]);
    if (add_kind(w, kind, &m, b->v, &b->id) != CT_OK) /* the stepper has no such body */
        b->moves = 1, assert_true(kind == RIGID), ct_mesh_free(&m);
    else
        ct_mesh_free(&m);
    if (!b->id.index1)
        return 0;
    f.category = sensor ? 4 : (uint64_t)b->category, f.mask = 4 | (sensor ? (uint64_t)b->category : 0); /* filters let sensors meet */
    assert_int_equal(ct_body_set_filter(w, b->id, &f), CT_OK);
    assert_int_equal(ct_body_set_sensor(w, b->id, sensor), CT_OK);
    assert_int_equal(ct_body_is_sensor(w, b->id), sensor);
    return 1;
}

/* 1 if sensor a sees b: by their boxes; *tie 1: they touch to rounding */
static int overlaps(const box *a, const box *b, int *tie)
{
    int k, all = 1;
    if (!a->sensor || b->sensor || a->category != b->category || !(a->moves || b->moves))
        return 0;
    for (k = 0; k < 3; k++) {
        double gap = fmax(a->lo[k] - b->hi[k], b->lo[k] - a->hi[k]);
        *tie |= fabs(gap) < rounding;
        all &= gap < 0;
    }
    return all;
}

static int by_ids(const void *x, const void *y)
{
    const ct_body_pair *p = (const ct_body_pair *)x, *q = (const ct_body_pair *)y;
    if (p->body_a.index1 != q->body_a.index1)
        return p->body_a.index1 < q->body_a.index1 ? -1 : 1;
    return p->body_b.index1 < q->body_b.index1 ? -1 : p->body_b.index1 > q->body_b.index1;
}

static int is_in(const ct_body_pair *p, const ct_body_pair *list, int n)
{
    while (n-- > 0)
        if (!memcmp(p, &list[n], sizeof *p))
            return 1;
    return 0;
}

/* 1 if the list has the pairs of a that are not in b, in their order */
static void expect(const ct_body_pair *list, int n, const ct_body_pair *a, int na, const ct_body_pair *b, int nb)
{
    int i, m = 0;
    for (i = 0; i < na; i++)
        if (!is_in(&a[i], b, nb)) {
            assert_true(m < n);
            assert_memory_equal(&list[m], &a[i], sizeof *a);
            m++;
        }
    assert_int_equal(m, n);
}

/* a random world: all events are those that the boxes tell, nothing is touched, and nothing deviates from its way. Returns a hash of the events */
static uint64_t random_world(int stepper, int workers, int hashed, uint64_t seed, int steps, int *seen)
{
    ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
    box b[BODIES];
    ct_body_pair now[PAIRS], last[PAIRS];
    ct_world *w;
    ct_events e;
    uint64_t hash = 14695981039346656037ull;
    int n = 0, i, k, j, n_now = 0, n_last, step, tie = 0;
    d.gravity[1] = 0, d.friction = 0, d.tasks.worker_count = workers, d.broad_phase = hashed ? CT_BROAD_HASH : CT_BROAD_TREE;
    w = world_make(&d);
    for (i = 0; i < 10; i++)
        n += add_box(w, &seed, i % 3 == 0, &b[n]);
    for (step = 0; step < steps && !tie; step++) {
        double what = lcg(&seed);
        if (what < 0.1 && n < BODIES)
            n += add_box(w, &seed, what < 0.04, &b[n]);
        else if (what > 0.9 && n > 3) {
            k = (int)(n * lcg(&seed));
            assert_int_equal(ct_body_remove(w, b[k].id), CT_OK);
            b[k] = b[--n];
        }
        step_once(w, 0.01);
        memcpy(last, now, sizeof last), n_last = n_now;
        for (i = 0; i < n; i++)
            for (k = 0; k < 3; k++)
                b[i].lo[k] += 0.01 * b[i].v[k], b[i].hi[k] += 0.01 * b[i].v[k];
        for (i = n_now = 0; i < n; i++)
            for (j = 0; j < n; j++)
                if (i != j && overlaps(&b[i], &b[j], &tie))
                    now[n_now].body_a = b[i].id, now[n_now++].body_b = b[j].id;
        qsort(now, (size_t)n_now, sizeof *now, by_ids);
        assert_int_equal(ct_world_events(w, &e), CT_OK);
        assert_true(e.n_begin + e.n_stay + e.n_hit + e.n_end == 0);
        if (tie)
            break;
        expect(e.sensor_begin, e.n_sensor_begin, now, n_now, last, n_last);
        expect(e.sensor_end, e.n_sensor_end, last, n_last, now, n_now);
        *seen += e.n_sensor_begin;
        for (i = 0; i < e.n_sensor_begin; i++)
            hash = (hash ^ e.sensor_begin[i].body_a.index1 ^ (uint64_t)e.sensor_begin[i].body_b.index1 << 16) * 1099511628211ull;
        for (i = 0; i < e.n_sensor_end; i++)
            hash = (hash ^ e.sensor_end[i].body_b.index1 ^ (uint64_t)e.sensor_end[i].body_a.index1 << 16) * 1099511628211ull;
    }
    for (i = 0; i < n && !tie; i++)
        if (b[i].moves) {
            double middle[3];
            read_middle(w, b[i].id, 0, middle);
            for (k = 0; k < 3; k++)
                assert_true(fabs(middle[k] - (b[i].lo[k] + b[i].hi[k]) / 2) < rounding);
        }
    assert_int_equal(count_intersections(w), 0);
    ct_world_destroy(w);
    return hash;
}

static void events_are_those_of_an_observer(void **state)
{
    int stepper, seed, seen;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++) {
        for (seed = seen = 0; seed < PLAIN_OR(40, 4); seed++)
            random_world(stepper, 0, seed % 2, 31u * (unsigned)seed + 5, PLAIN_OR(60, 30), &seen);
        assert_true(seen > PLAIN_OR(50, 3));
    }
}

static void workers_and_the_broad_phase_change_nothing(void **state)
{
    int seed, seen = 0;
    (void)state;
    for (seed = 0; seed < 3; seed++) {
        uint64_t hash = random_world(CT_STEPPER_CMR, 0, 0, 77u + (unsigned)seed, 40, &seen);
        assert_true(hash == random_world(CT_STEPPER_CMR, 2, 0, 77u + (unsigned)seed, 40, &seen));
        assert_true(hash == random_world(CT_STEPPER_CMR, 7, 0, 77u + (unsigned)seed, 40, &seen));
        assert_true(hash == random_world(CT_STEPPER_CMR, 0, 1, 77u + (unsigned)seed, 40, &seen));
    }
}

static ct_body_id add_thin(ct_world *w, int kind, double y)
{
    ct_mesh m = mesh_grid(0.1, 0.1, 2, 2);
    ct_points_desc p = ct_points_desc_default();
    ct_rod_desc r = ct_rod_desc_default();
    int32_t ends[2] = {0, 1};
    ct_body_id id;
    mesh_place(&m, 0, 0, y, 0);
    p.mesh = r.mesh = &m;
    if (kind == 0)
        id = add_cloth_mesh(w, "cloth", &m, CT_MODEL_MEMBRANE, 0.5);
    else if (kind == 1)
        assert_int_equal(ct_body_add_points(w, &p, &id), CT_OK);
    else {
        ct_mesh line = m;
        line.n_positions = 2, line.n_triangles = 0, line.triangles = NULL, line.segments = ends, line.n_segments = 1;
        r.mesh = &line;
        assert_int_equal(ct_body_add_rod(w, &r, &id), CT_OK);
    }
    ct_mesh_free(&m);
    return id;
}

/* cloth, points and a rod fall through a box and then below a plane, both sensors: each enters once, and leaves the box once; no part of them but
   crossing or inside */
static void thin_bodies_fall_through_sensors(void **state)
{
    int kind, i;
    (void)state;
    for (kind = 0; kind < 3; kind++) {
        ct_world_desc d = ct_world_desc_default();
        ct_world *w = world_make(&d);
        ct_mesh m = mesh_box(0.3, 0.2, 0.3, 1, 1, 1, 0);
        const double rest[3] = {0, 0, 0};
        ct_body_id box_, plane, body;
        ct_events e;
        int in = -1, out = -1, below = -1;
        assert_int_equal(add_kind(w, STATIC, &m, rest, &box_), CT_OK);
        plane = add_plane(w, 0, 1, 0, -0.5);
        body = add_thin(w, kind, 0.3);
        assert_int_equal(ct_body_set_sensor(w, box_, 1), CT_OK);
        assert_int_equal(ct_body_set_sensor(w, plane, 1), CT_OK);
        for (i = 1; i <= 50; i++) {
            double y;
            step_once(w, 0.01);
            assert_int_equal(ct_world_events(w, &e), CT_OK);
            assert_true(e.n_sensor_begin + e.n_sensor_end <= 1 && e.n_begin == 0);
            if (e.n_sensor_begin && e.sensor_begin[0].body_a.index1 == box_.index1)
                assert_true(in < 0 && e.sensor_begin[0].body_b.index1 == body.index1), in = i;
            else if (e.n_sensor_begin)
                assert_true(below < 0 && e.sensor_begin[0].body_a.index1 == plane.index1), below = i;
            if (e.n_sensor_end)
                assert_true(out < 0 && e.sensor_end[0].body_a.index1 == box_.index1), out = i;
            y = 0.3 - 9.81 * 0.01 * i * 0.01 * i / 2; /* steps of a fall by CT_STEPPER_CMR are exact */
            if (fabs(fabs(y) - 0.1) > 1e-3 && fabs(y + 0.5) > 1e-3)
                assert_true((in >= 0 && out < 0) == (fabs(y) < 0.1) && (below >= 0) == (y < -0.5));
        }
        assert_true(in > 0 && out > in && below > out);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
}

/* a body that was a sensor is solid from the next step on, and one that becomes a sensor lets fall what rested on it */
static void a_sensor_becomes_solid_and_back(void **state)
{
    int stepper, i;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++) {
        ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
        ct_world *w = world_make(&d);
        ct_mesh m = mesh_box(0.3, 0.1, 0.3, 2, 1, 2, 0);
        const double rest[3] = {0, 0, 0};
        ct_body_id floor_, a;
        double middle[3];
        ct_events e;
        int touches = 0;
        mesh_place(&m, 0, 0.013, -0.05, 0.007);
        assert_int_equal(add_kind(w, STATIC, &m, rest, &floor_), CT_OK);
        a = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.06, 0);
        assert_int_equal(ct_body_set_sensor(w, floor_, 1), CT_OK);
        assert_int_equal(ct_body_set_sensor(w, floor_, 0), CT_OK);
        for (i = 0; i < 40; i++) {
            step_once(w, 0.01);
            assert_int_equal(ct_world_events(w, &e), CT_OK);
            assert_int_equal(e.n_sensor_begin, 0);
            touches += e.n_begin - e.n_end;
        }
        read_middle(w, a, 0, middle);
        assert_true(middle[1] > 0.04);
        assert_int_equal(ct_body_set_sensor(w, floor_, 1), CT_OK);
        step_once(w, 0.01);
        assert_int_equal(ct_world_events(w, &e), CT_OK);
        assert_true(e.n_begin == 0 && e.n_stay == 0 && e.n_end == touches);
        for (i = 0; i < 30; i++)
            step_once(w, 0.01);
        read_middle(w, a, 0, middle);
        assert_true(middle[1] < -0.2);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
}

/* a body that is a sensor falls through a plane and through a body, which both overlap it from then on, and touches nothing */
static void a_sensor_falls_through_all(void **state)
{
    int stepper, i;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++) {
        ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
        ct_world *w = world_make(&d);
        ct_mesh m = mesh_box(1, 5, 1, 1, 1, 1, 0);
        const double rest[3] = {0, -2.5, 0};
        ct_body_id plane = add_plane(w, 0, 1, 0, -0.1), block, a = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.1, 0);
        ct_events e;
        int begun = 0;
        mesh_place(&m, 0, 0, -2.5, 0);
        assert_int_equal(add_kind(w, STATIC, &m, rest, &block), CT_OK);
        assert_int_equal(ct_body_set_sensor(w, a, 1), CT_OK);
        for (i = 0; i < 40; i++) {
            double middle[3];
            step_once(w, 0.01);
            assert_int_equal(ct_world_events(w, &e), CT_OK);
            assert_true(e.n_begin == 0 && e.n_sensor_end == 0 && e.n_sensor_begin <= 1);
            if (e.n_sensor_begin)
                assert_true(e.sensor_begin[0].body_a.index1 == a.index1 && e.sensor_begin[0].body_b.index1 == (begun++ ? plane : block).index1);
            read_middle(w, a, 0, middle);
            assert_true(middle[1] < 0.1 - 9.81 * 0.01 * i * 0.01 * i / 2);
        }
        assert_int_equal(begun, 2);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
}

/* events and sensors need no memory once as many pairs have been there */
static void warm_steps_allocate_nothing(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.3, 0.3, 0.3, 1, 1, 1, 0);
    const double rest[3] = {0, 0, 0};
    ct_body_id gate;
    int64_t calls_before, calls_after;
    ct_events e;
    int i;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "a", 0.1, 1, 1e5, 0, 0.051, 0), add_soft_box(w, "b", 0.1, 1, 1e5, 0.01, 0.152, 0.01);
    assert_int_equal(add_kind(w, KINEMATIC, &m, rest, &gate), CT_OK);
    assert_int_equal(ct_body_set_sensor(w, gate, 1), CT_OK);
    for (i = 0; i < 80; i++) {
        step_once(w, 0.01);
        if (i == 60)
            ct_world_allocations(w, &calls_before, NULL);
        assert_int_equal(ct_world_events(w, &e), CT_OK);
        assert_int_equal(e.n_sensor_begin, i == 0 ? 3 : 0); /* the floor, too */
    }
    ct_world_allocations(w, &calls_after, NULL);
    assert_true(calls_before == calls_after && e.n_stay == 2);
    ct_world_destroy(w);
    ct_mesh_free(&m);
}

static void bad_arguments_are_refused(void **state)
{
    ct_world *w = world_make(NULL);
    ct_body_id a = add_soft_box(w, "a", 0.1, 1, 1e5, 0, 0, 0), stale = a;
    (void)state;
    stale.generation++;
    assert_int_equal(ct_body_set_sensor(NULL, a, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_sensor(w, stale, 1), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_is_sensor(NULL, a), 0);
    assert_int_equal(ct_body_is_sensor(w, stale), 0);
    assert_int_equal(ct_body_is_sensor(w, a), 0);
    ct_world_destroy(w);
}

/* every allocation fails in turn while a box falls through a sensor: it begins and ends once */
static void sensors_survive_want_of_memory(void **state)
{
    int at, used = 1;
    (void)state;
    for (at = 1; used; at += PLAIN_OR(2, 17)) {
        ct_world_desc d = ct_world_desc_default();
        ct_mesh m = mesh_box(0.3, 0.1, 0.3, 2, 1, 2, 0);
        const double rest[3] = {0, 0, 0};
        ct_world *w;
        ct_body_id id;
        ct_events e;
        int steps, i, begun = 0, ended = 0;
        fail_at = 0;
        d.allocator.resize = failing;
        w = world_make(&d);
        assert_int_equal(add_kind(w, STATIC, &m, rest, &id), CT_OK);
        add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.15, 0);
        assert_int_equal(ct_body_set_sensor(w, id, 1), CT_OK);
        calls = 0, fail_at = at;
        for (steps = 0; steps < 15; steps++) {
            for (i = 0; i < 3 && ct_world_step(w, (ct_real)0.02, NULL) != CT_OK; i++)
                assert_int_equal(ct_world_error(w)->code, CT_ERR_MEMORY);
            assert_true(i < 3);
            assert_int_equal(ct_world_events(w, &e), CT_OK);
            begun += e.n_sensor_begin, ended += e.n_sensor_end;
        }
        assert_true(begun == 1 && ended == 1);
        used = calls >= fail_at;
        fail_at = 0;
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_those_of_an_observer),  cmocka_unit_test(workers_and_the_broad_phase_change_nothing),
        cmocka_unit_test(thin_bodies_fall_through_sensors), cmocka_unit_test(a_sensor_becomes_solid_and_back),
        cmocka_unit_test(warm_steps_allocate_nothing), cmocka_unit_test(a_sensor_falls_through_all),       cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(sensors_survive_want_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
