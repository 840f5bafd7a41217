/* test_snapshot.c -- snapshots of worlds: a world goes on from one with the same bits, wherever it is restored; data that do not belong to it are
   refused by name and leave it as it was. Worlds are random, of every stepper, and things happen between their steps. */
#define _POSIX_C_SOURCE 200809L
#include "world_util.h"

/* ---- random worlds ---- */

typedef struct scene {
    uint64_t seed;
    ct_stepper stepper;
    ct_world *w;
    books *b;
    ct_body_id bodies[16], late;
    int n, soft;          /* number of bodies; one that pins hold, or -1 */
    double dt, top;
} scene;

static double between(uint64_t *s, double lo, double hi) { return lo + (hi - lo) * lcg(s); }
static int below(uint64_t *s, int n) { return (int)(lcg(s) * n); }

static void options(scene *q, uint64_t *s, ct_world_desc *d)
{
    *d = ct_world_desc_default_for(q->stepper);
    d->thickness = (ct_real)2e-3;
    if (q->b)
        d->allocator.resize = books_resize, d->allocator.user = q->b;
    d->broad_phase = below(s, 4) == 0 ? CT_BROAD_HASH : CT_BROAD_TREE;
    if (q->stepper == CT_STEPPER_CMR) {
        d->integrator = (ct_integrator)below(s, 3), d->ccd_limits_step = below(s, 3) == 0;
        d->solver.cluster = (ct_cluster_mode)below(s, 2);
        d->solver.solver = below(s, 4) == 0 ? CT_SOLVER_AUTO : CT_SOLVER_ICA;
        d->solver.termination = below(s, 6) == 0 ? CT_TERMINATION_PAPER : d->solver.termination;
    }
    if (q->stepper == CT_STEPPER_BARRIER)
        d->barrier.static_hold = below(s, 2), d->integrator = (ct_integrator)below(s, 3), d->barrier.friction_iterations = below(s, 2);
    if (q->stepper == CT_STEPPER_PENALTY)
        d->penalty.form = (ct_penalty_form)below(s, 2), d->penalty.depth = (ct_penalty_depth)below(s, 2), d->penalty.max_substeps = 16;
    if (q->stepper == CT_STEPPER_GEOMETRIC)
        d->geometric.scheme = (ct_geometric_scheme)below(s, 2), d->geometric.regions = below(s, 2),
        d->integrator = below(s, 2) ? CT_INTEGRATOR_MIDPOINT : CT_INTEGRATOR_EULER;
    if (q->stepper == CT_STEPPER_LAYERS)
        d->restitution = below(s, 2) ? (ct_real)0.5 : 0, d->layers.max_updates = 400000;
    if (q->stepper == CT_STEPPER_EXPLICIT)
        d->rk.refine = below(s, 2) ? CT_REFINE_SURFACE : CT_REFINE_NONE, d->rk.extrapolate = below(s, 2), d->rk.max_steps = 60;
    if (q->stepper == CT_STEPPER_DCD)
        d->dcd.decouple = (ct_decouple)below(s, CT_DECOUPLE_COUNT_), d->dcd.friction = (ct_dcd_friction)below(s, CT_DCD_FRICTION_COUNT_);
}

/* joins a body where the stepper has such ones */
static int joined(scene *q, ct_code code, ct_body_id id)
{
    if (code == CT_ERR_UNSUPPORTED)
        return 0;
    if (code != CT_OK)
        print_message("%s\n", ct_world_error(q->w)->text);
    assert_int_equal(code, CT_OK);
    q->bodies[q->n++] = id;
    return 1;
}

/* a box 3 mm above what is there, on its way down */
static void add_box(scene *q, uint64_t *s, int rigid)
{
    double size = between(s, 0.06, 0.1), angle = between(s, -0.4, 0.4), x = between(s, -0.02, 0.02), z = between(s, -0.02, 0.02);
    double half = size / 2 * (cos(angle) + fabs(sin(angle))), y = q->top + 0.003 + half;
    int cells = 1 + below(s, 2);
    ct_mesh m = mesh_box(size, size, size, cells, cells, cells, !rigid);
    ct_body_id id = {0, 0};
    ct_code code;
    mesh_place(&m, angle, x, y, z);
    q->top = y + half;
    if (rigid) {
        ct_rigid_desc d = ct_rigid_desc_default();
        d.name = "crate", d.mesh = &m, d.density = 500, d.velocity[1] = (ct_real)-0.5;
        code = ct_body_add_rigid(q->w, &d, &id);
    } else {
        ct_soft_desc d = ct_soft_desc_default();
        d.name = "jelly", d.mesh = &m, d.material.young = (ct_real)3e4, d.material.poisson = (ct_real)0.4, d.material.density = 1000;
        d.velocity[1] = (ct_real)-0.4;
        if (q->stepper == CT_STEPPER_EXPLICIT)
            d.material.model = CT_MODEL_HONG_NEOHOOKEAN;
        code = ct_body_add_soft(q->w, &d, &id);
    }
    if (joined(q, code, id) && !rigid && q->soft < 0)
        q->soft = q->n - 1;
    ct_mesh_free(&m);
}

static void add_sheet(scene *q, uint64_t *s)
{
    ct_mesh m = mesh_grid(0.2, 0.2, 5, 5);
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_body_id id = {0, 0};
    mesh_place(&m, between(s, -0.2, 0.2), 0, q->top += 0.025, 0);
    q->top += 0.025;
    d.name = "sheet", d.mesh = &m, d.material = ct_material_default(below(s, 2) ? CT_MODEL_SPRINGS : CT_MODEL_MEMBRANE);
    d.material.areal_density = (ct_real)0.2;
    if (joined(q, ct_body_add_cloth(q->w, &d, &id), id) && q->soft < 0)
        q->soft = q->n - 1;
    ct_mesh_free(&m);
}

static void add_rod_and_points(scene *q)
{
    ct_real x[15];
    int32_t segments[8];
    ct_mesh m;
    ct_rod_desc d = ct_rod_desc_default();
    ct_points_desc p = ct_points_desc_default();
    ct_body_id id = {0, 0};
    int i;
    for (i = 0; i < 5; i++)
        x[3 * i] = (ct_real)(0.04 * (i - 2)), x[3 * i + 1] = (ct_real)(q->top + 0.003), x[3 * i + 2] = (ct_real)(0.003 * i * i);
    for (i = 0; i < 4; i++)
        segments[2 * i] = i, segments[2 * i + 1] = i + 1;
    memset(&m, 0, sizeof m);
    m.positions = x, m.n_positions = 5, m.segments = segments, m.n_segments = 4;
    d.name = "rod", d.mesh = &m;
    joined(q, ct_body_add_rod(q->w, &d, &id), id);
    for (i = 0; i < 5; i++)
        x[3 * i + 1] += (ct_real)0.005;
    m.segments = NULL, m.n_segments = 0;
    p.name = "points", p.mesh = &m;
    joined(q, ct_body_add_points(q->w, &p, &id), id);
    q->top += 0.02;
}

static void add_paddle(scene *q, uint64_t *s)
{
    ct_mesh m = mesh_box(0.1, 0.02, 0.1, 1, 1, 1, 0);
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, 0.18, 0.06, 0);
    d.name = "paddle", d.mesh = &m;
    d.motion.linear[0] = (ct_real)-between(s, 0.1, 0.4), d.motion.angular[1] = 1;
    joined(q, ct_body_add_kinematic(q->w, &d, &id), id);
    ct_mesh_free(&m);
}

/* two crates at a hinge, one of which a ball joint holds to the world */
static void add_joints(scene *q, uint64_t *s)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_HINGE);
    int first = q->n;
    double y = q->top;
    add_box(q, s, 1), add_box(q, s, 1);
    if (q->n < first + 2)
        return;
    d.a.body = q->bodies[first], d.b.body = q->bodies[first + 1], d.point[1] = (ct_real)((y + q->top) / 2);
    if (ct_joint_add(q->w, &d, NULL) != CT_OK)
        return;
    d = ct_joint_desc_default(CT_JOINT_BALL);
    d.a.body = q->bodies[first], d.point[0] = (ct_real)0.05, d.point[1] = (ct_real)(y + 0.1), d.compliance = below(s, 2) ? (ct_real)1e-6 : 0;
    assert_int_equal(ct_joint_add(q->w, &d, NULL), CT_OK);
}

static void make(scene *q, uint64_t seed, books *b)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15ull + 12345;
    ct_world_desc d;
    memset(q, 0, sizeof *q);
    lcg(&s), lcg(&s);
    q->seed = seed, q->stepper = (ct_stepper)(seed % CT_STEPPER_COUNT_), q->b = b, q->soft = -1;
    q->dt = q->stepper == CT_STEPPER_EXPLICIT ? 2e-4 : between(&s, 0.004, 0.012);
    options(q, &s, &d);
    q->w = world_make(&d);
    if (getenv("SNAPSHOT_DEBUG")) print_message("form %d depth %d friction %d hash %d\n", d.penalty.form, d.penalty.depth, d.penalty.friction, d.broad_phase);
    add_plane(q->w, 0, 1, 0, 0);
    add_box(q, &s, 0), add_box(q, &s, 0), add_box(q, &s, 1);
    if (below(&s, 2))
        add_sheet(q, &s);
    if (below(&s, 3) == 0)
        add_rod_and_points(q);
    if (below(&s, 2))
        add_paddle(q, &s);
    if (below(&s, 2))
        add_joints(q, &s);
}

/* what happens before step i: pins come and go, a body gets other friction, one is added and taken away */
static void happen(scene *q, int i)
{
    static const int32_t nodes[2] = {0, 1};
    uint64_t s = q->seed * 77 + (uint64_t)i * 1013 + 5;
    ct_motion lift;
    if (getenv("CALM") && i != 9 && i != 13 && !strchr(getenv("CALM"), (char)(48 + i))) return;
    lcg(&s), lcg(&s);
    memset(&lift, 0, sizeof lift);
    lift.linear[1] = (ct_real)0.2;
    if (i == 2 && q->soft >= 0 && q->stepper != CT_STEPPER_EXPLICIT)
        ct_body_pin(q->w, q->bodies[q->soft], nodes, 2, CT_AXIS_ALL, &lift, below(&s, 2) ? -1 : 0.1);
    if (i == 7 && q->soft >= 0)
        ct_body_unpin(q->w, q->bodies[q->soft], nodes, 1, CT_AXIS_ALL);
    if (i == 5 && q->n > 1)
        ct_body_set_friction(q->w, q->bodies[1], (ct_real)0.1);
    if (i == 9 && q->seed % 3 == 0) {
        add_box(q, &s, q->stepper == CT_STEPPER_CMR);
        q->late = q->bodies[q->n - 1];
    }
    if (i == 13 && q->late.index1)
        ct_body_remove(q->w, q->late);
}

/* step i; its report without times */
static ct_step_report advance(scene *q, int i)
{
    ct_step_report r;
    ct_code code;
    happen(q, i);
    memset(&r, 0, sizeof r);
    code = ct_world_step(q->w, (ct_real)q->dt, &r);
    if (code != CT_OK)
        print_message("seed %d, step %d: %s\n", (int)q->seed, i, ct_world_error(q->w)->text);
    assert_int_equal(code, CT_OK);
    r.ms_prepare = r.ms_assemble = r.ms_unconstrained = r.ms_detect = r.ms_solve = r.ms_finish = r.ms_total = 0;
    return r;
}

typedef struct bytes {
    unsigned char *data;
    size_t n;
} bytes;

static bytes save(const ct_world *w)
{
    bytes q;
    size_t n = 0;
    assert_int_equal(ct_world_snapshot_size(w, &q.n), CT_OK);
    q.data = (unsigned char *)malloc(q.n);
    assert_non_null(q.data);
    memset(q.data, 0x5a, q.n);
    assert_int_equal(ct_world_snapshot_save(w, q.data, q.n, &n), CT_OK);
    assert_true(n == q.n);
    return q;
}

static void restore(ct_world *w, bytes q)
{
    ct_code code = ct_world_snapshot_restore(w, q.data, q.n);
    if (code != CT_OK)
        print_message("%s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
}

/* ---- the same bits ---- */

enum { STEPS = 80 };
typedef struct track {
    uint64_t hash[STEPS];
    ct_step_report report[STEPS];
    uint64_t contacts[STEPS];
} track;

static uint64_t mix(uint64_t h, const void *data, size_t n)
{
    const unsigned char *p = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

static uint64_t contacts_of(const ct_world *w)
{
    const ct_contact *c;
    int n, i;
    uint64_t h = 1;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++) {
        h = mix(h, &c[i].body_a, sizeof c[i].body_a), h = mix(h, &c[i].body_b, sizeof c[i].body_b);
        h = mix(h, c[i].vertices_a, sizeof c[i].vertices_a), h = mix(h, c[i].vertices_b, sizeof c[i].vertices_b);
        h = mix(h, c[i].point, sizeof c[i].point), h = mix(h, &c[i].impulse_normal, sizeof(ct_real));
    }
    return mix(h, &n, sizeof n);
}

/* steps [from, to), recorded, or compared with what was */
static void run(scene *q, int from, int to, track *t, int compare, const char *what)
{
    int i;
    for (i = from; i < to; i++) {
        ct_step_report r = advance(q, i);
        uint64_t h = ct_world_hash(q->w), c = contacts_of(q->w);
        if (!compare)
            t->hash[i] = h, t->report[i] = r, t->contacts[i] = c;
        else if (h != t->hash[i] || c != t->contacts[i] || memcmp(&r, &t->report[i], sizeof r) != 0) {
            print_message("seed %d, stepper %s, %s: step %d has another %s\n", (int)q->seed, ct_stepper_text(q->stepper), what, i,
                          h != t->hash[i] ? "hash" : c != t->contacts[i] ? "list of contacts" : "report");
            if (getenv("SNAPSHOT_DEBUG")) {
                size_t z;
                const double *x = (const double *)(const void *)&r, *y = (const double *)(const void *)&t->report[i];
                const int *xi = (const int *)(const void *)&r, *yi = (const int *)(const void *)&t->report[i];
                for (z = 0; z < sizeof r / 4; z++)
                    if (xi[z] != yi[z])
                        print_message("byte %d: int %d %d double %.17g %.17g\n", (int)(4 * z), xi[z], yi[z], x[z / 2], y[z / 2]);
            }
            if (getenv("SNAPSHOT_DEBUG"))
                print_message("windows %d %d rollbacks %d %d updates %d %d script %g %g pins %g %g contacts %d %d\n", r.windows, t->report[i].windows,
                              r.rollbacks, t->report[i].rollbacks, (int)r.updates, (int)t->report[i].updates, r.work_script, t->report[i].work_script,
                              r.work_pins, t->report[i].work_pins, r.contacts, t->report[i].contacts);
            fail();
        }
    }
}

/* a world without snapshots; one that is saved before step `at` and goes on; the same taken back; another one, restored */
static void goes_on(uint64_t seed, int at, int to)
{
    scene a, b;
    track t;
    bytes first, second, third;
    books book;
    memset(&book, 0, sizeof book);
    make(&a, seed, NULL);
    run(&a, 0, to, &t, 0, "alone");
    ct_world_destroy(a.w);
    make(&a, seed, NULL);
    run(&a, 0, at, &t, 1, "again");
    first = save(a.w), second = save(a.w);
    assert_true(first.n == second.n && memcmp(first.data, second.data, first.n) == 0);
    run(&a, at, to, &t, 1, "saved");
    make(&b, seed, &book);
    if (at > 9) { /* bodies that were added and removed meanwhile */
        int i;
        for (i = 9; i < at; i++)
            if (i == 9 || i == 13)
                happen(&b, i);
    }
    restore(b.w, first);
    third = save(b.w);
    assert_true(first.n == third.n && memcmp(first.data, third.data, first.n) == 0);
    assert_true(contacts_of(b.w) == (at ? t.contacts[at - 1] : contacts_of(b.w)));
    run(&b, at, to, &t, 1, "restored into another world");
    free(third.data), free(second.data);
    if (seed % 3 != 0 || at > 13 || to <= 9) { /* the bodies are those of the snapshot */
        restore(a.w, first);
        second = save(a.w);
        assert_true(first.n == second.n && memcmp(first.data, second.data, first.n) == 0);
        run(&a, at, to, &t, 1, "taken back");
        free(second.data);
    }
    free(first.data);
    ct_world_destroy(a.w), ct_world_destroy(b.w);
    assert_true(book.wrong == 0 && book.live == 0);
}

static void worlds_go_on_with_the_same_bits(void **state)
{
    const char *count = getenv("SNAPSHOT_WORLDS"), *steps = getenv("SNAPSHOT_STEPS"), *first = getenv("SNAPSHOT_SEED");
    int n = count ? atoi(count) : PLAIN_OR(70, 21), more = steps ? atoi(steps) : 8, i, i0 = first ? atoi(first) : 0;
    (void)state;
    for (i = i0; i < i0 + n; i++) {
        int at = (i * 5) % 17;
        goes_on((uint64_t)i, at, at + more > STEPS ? STEPS : at + more);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_go_on_with_the_same_bits)};
    (void)argc, (void)argv;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
