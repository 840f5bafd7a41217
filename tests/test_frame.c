/* test_frame.c -- the bound of a step: work is counted alike everywhere, a bound that is not reached changes no bit, one that is reached ends steps
   early, in which nothing intersects and no body stands still. */
#include "world_util.h"

enum { BODIES = 7, STEPS = 30 };
#define DT (1.0 / 60)

/* soft boxes that fall onto each other, and a sheet that falls onto them; they take several rounds and many sweeps when they meet */
static ct_world *pile(const ct_world_desc *d, ct_body_id *ids)
{
    ct_world *w = world_make(d);
    ct_mesh m = mesh_grid(0.9, 0.9, 12, 12);
    int i;
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < BODIES - 1; i++)
        ids[i] = add_soft_box(w, "box", 0.25, 2, 3e4, 0.27 * (i % 2) + 0.04 * (i / 2), 0.14 + 0.27 * (i / 2), 0.03 * (i % 3));
    mesh_place(&m, 0, 0.1, 0.9, 0);
    ids[i] = add_cloth_mesh(w, "sheet", &m, CT_MODEL_SPRINGS, 0.2);
    ct_mesh_free(&m);
    return w;
}

static ct_world_desc description(double work)
{
    ct_world_desc d = world_desc(2e-3, 0.4, NULL);
    d.frame_work = work;
    return d;
}

typedef struct run {
    double works[STEPS], worst, middle;
    int budget, stood;
    uint64_t hash;
} run;

static int ascending(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b; }

/* steps a pile. stood: bodies that were faster than 5 cm/s and did not move in two steps in a row */
static run go(const ct_world_desc *d)
{
    ct_body_id ids[BODIES];
    ct_world *w = pile(d, ids);
    double at[BODIES][3], speed[BODIES] = {0};
    int i, k, still[BODIES] = {0};
    run out;
    memset(&out, 0, sizeof out);
    for (i = 0; i < BODIES; i++)
        read_middle(w, ids[i], 0, at[i]);
    for (k = 0; k < STEPS; k++) {
        ct_step_report r = step_once(w, DT);
        out.works[k] = r.work, out.budget += r.status == CT_STATUS_BUDGET;
        assert_true(r.status < CT_STATUS_NOT_CONVERGED);
        assert_int_equal(count_intersections(w), 0);
        for (i = 0; i < BODIES; i++) {
            double now[3], way = 0;
            int j;
            read_middle(w, ids[i], 0, now);
            for (j = 0; j < 3; j++)
                way += fabs(now[j] - at[i][j]), at[i][j] = now[j];
            still[i] = way > 0 ? 0 : still[i] + 1;
            out.stood += still[i] > 1 && speed[i] > 0.05;
            speed[i] = way > 0 ? way / DT : speed[i];
        }
    }
    out.hash = ct_world_hash(w);
    ct_world_destroy(w);
    qsort(out.works, STEPS, sizeof out.works[0], ascending);
    out.worst = out.works[STEPS - 1], out.middle = out.works[STEPS / 2];
    return out;
}

static uint64_t stopped(void *user)
{
    (void)user;
    return 5;
}
static uint64_t beat(void *user) { return *(uint64_t *)user += 1000; }

/* a step of half of the worst one's work: what it cannot do without fits in, and so every step ends within a quarter more */
static void a_bound_cuts_peaks(void **state)
{
    ct_world_desc d = description(0);
    run open = go(&d), bound, other;
    uint64_t time = 0;
    static const int workers[] = {2, 7};
    int k;
    (void)state;
    d.frame_work = 2 * open.worst;
    other = go(&d);
    assert_true(other.hash == open.hash && other.worst == open.worst && other.budget == open.budget);
    d.frame_work = open.worst / 2;
    bound = go(&d);
    if (!(bound.worst <= 1.25 * d.frame_work) || bound.budget < 1 || bound.stood)
        print_message("worst %.0f, middle %.0f; bound %.0f: worst %.0f, %d budget, %d stood\n", open.worst, open.middle, d.frame_work, bound.worst,
                      bound.budget, bound.stood);
    assert_true(bound.worst <= 1.25 * d.frame_work && bound.budget >= 1 && bound.stood == 0);
    for (k = 0; k < 2; k++) { /* the same bits for any number of workers, with and without a clock */
        d.tasks.worker_count = workers[k], d.now_us = k ? beat : NULL, d.now_user = &time;
        other = go(&d);
        assert_true(other.hash == bound.hash && other.worst == bound.worst);
    }
    /* a clock whose ticks are longer than a step bounds it, too: a unit is a microsecond */
    d = description(0), d.frame_ms = open.worst / 2 / 1000, d.now_us = stopped;
    other = go(&d);
    assert_true(other.hash == bound.hash && other.budget == bound.budget);
}

/* next to no work is allowed, or time: steps leave out what they can, and nothing intersects */
static void the_least_step(void **state)
{
    ct_world_desc d = description(1);
    uint64_t time = 0;
    run least = go(&d);
    (void)state;
    assert_true(least.budget > STEPS / 3 && least.stood == 0);
    d = description(0);
    d.frame_ms = 2, d.now_us = beat, d.now_user = &time; /* every look at the clock takes a millisecond */
    least = go(&d);
    assert_true(least.budget > STEPS / 3 && least.stood == 0);
}

/* a sheet that more of its nodes touch than are solved as one body, on a ball that turns: the bound ends solves by nodes in their first iteration.
   No impulse may change a velocity by more than what anything has here: the fall from the ball's top, and the ball's surface */
static void the_first_iteration(void **state)
{
    const double fall = 0.62, turn = 2, radius = 0.3, most = sqrt(2 * 9.81 * fall) + turn * radius;
    static const double works[] = {1, 800, 1500};
    int i, k;
    (void)state;
    for (i = 0; i < 3; i++) {
        ct_world_desc d = description(works[i]);
        ct_world *w = world_make(&d);
        ct_mesh m = mesh_grid(0.9, 0.9, 21, 21), ball;
        ct_kinematic_desc q = ct_kinematic_desc_default();
        ct_cloth_desc c = ct_cloth_desc_default();
        double worst = 0;
        assert_int_equal(ct_mesh_sphere((ct_real)radius, 2, &ball, NULL), CT_OK);
        q.mesh = &ball, q.motion.angular[1] = (ct_real)turn;
        assert_int_equal(ct_body_add_kinematic(w, &q, NULL), CT_OK);
        add_plane(w, 0, 1, 0, (ct_real)(-radius - 0.01));
        mesh_place(&m, 0, 0, radius + 0.01, 0);
        c.mesh = &m, c.material.areal_density = (ct_real)0.25;
        assert_int_equal(ct_body_add_cloth(w, &c, NULL), CT_OK);
        for (k = 0; k < 60; k++)
            worst = fmax(worst, (double)step_once(w, DT).residual * 9.81 * DT);
        if (!(worst < most))
            print_message("work %.0f: a residual of %.2g m/s\n", works[i], worst);
        assert_true(worst < most);
        assert_int_equal(count_intersections(w), 0);
        ct_mesh_free(&m), ct_mesh_free(&ball), ct_world_destroy(w);
    }
}

static void a_snapshot_goes_on(void **state)
{
    ct_world_desc d = description(3000);
    ct_body_id ids[BODIES];
    ct_world *w = pile(&d, ids);
    size_t size;
    void *data;
    uint64_t hash = 0;
    int i, k;
    (void)state;
    for (i = 0; i < 20; i++)
        step_once(w, DT);
    assert_int_equal(ct_world_snapshot_size(w, &size), CT_OK);
    data = malloc(size);
    assert_int_equal(ct_world_snapshot_save(w, data, size, &size), CT_OK);
    for (k = 0; k < 2; k++) {
        for (i = 0; i < 10; i++)
            step_once(w, DT);
        assert_true(k == 0 || ct_world_hash(w) == hash);
        hash = ct_world_hash(w);
        assert_int_equal(ct_world_snapshot_restore(w, data, size), CT_OK);
    }
    free(data);
    ct_world_destroy(w);
}

static void bounds_are_checked(void **state)
{
    ct_world_desc d = description(-1);
    ct_error_info e;
    ct_world *w = NULL;
    (void)state;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    d = description(0), d.frame_ms = 4;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "now_us"));
    d = description(100), d.stepper = CT_STEPPER_DCD;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_bound_cuts_peaks), cmocka_unit_test(the_least_step),
                                       cmocka_unit_test(the_first_iteration), cmocka_unit_test(a_snapshot_goes_on),
                                       cmocka_unit_test(bounds_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
