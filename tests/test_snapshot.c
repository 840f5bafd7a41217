/* test_snapshot.c -- snapshots of worlds: a world goes on from one with the same bits, wherever it is restored; data that do not belong to it are
   refused by name and leave it as it was. Worlds are random, of every stepper, and things happen between their steps. */
#define _POSIX_C_SOURCE 200809L
#include "../src/0_base/archive.h"
#include "world_util.h"
#include <unistd.h>

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
    if (q->stepper == CT_STEPPER_CMR)
        d->restitution = below(s, 2) ? (ct_real)0.7 : 0, d->restitution_law = (ct_restitution_law)below(s, 2),
        d->restitution_threshold = (ct_real)0.05;
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

/* two more bodies in a world that has none yet, so that all others get other slots, blocks and ids */
static void add_others(scene *q)
{
    uint64_t s = 5;
    add_plane(q->w, 0, 1, 0, -9);
    q->top = 3;
    add_box(q, &s, 0);
    q->n = 0, q->top = 0, q->soft = -1;
}

static void make_beside(scene *q, uint64_t seed, books *b, int others)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15ull + 12345;
    ct_world_desc d;
    memset(q, 0, sizeof *q);
    lcg(&s), lcg(&s);
    q->seed = seed, q->stepper = (ct_stepper)(seed % CT_STEPPER_COUNT_), q->b = b, q->soft = -1;
    q->dt = q->stepper == CT_STEPPER_EXPLICIT ? 2e-4 : between(&s, 0.004, 0.012);
    options(q, &s, &d);
    q->w = world_make(&d);
    if (others)
        add_others(q);
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

static void make(scene *q, uint64_t seed, books *b) { make_beside(q, seed, b, 0); }

/* what happens before step i: pins come and go, a body gets other friction, one is added and taken away */
static void happen(scene *q, int i)
{
    static const int32_t nodes[2] = {0, 1};
    uint64_t s = q->seed * 77 + (uint64_t)i * 1013 + 5;
    ct_motion lift;
    lcg(&s), lcg(&s);
    memset(&lift, 0, sizeof lift);
    lift.linear[1] = (ct_real)0.2;
    if (i == 2 && q->soft >= 0 && q->stepper != CT_STEPPER_EXPLICIT)
        ct_body_pin(q->w, q->bodies[q->soft], nodes, 2, CT_AXIS_ALL, &lift, below(&s, 2) ? -1 : 0.1);
    if (i == 7 && q->soft >= 0)
        ct_body_unpin(q->w, q->bodies[q->soft], nodes, 1, CT_AXIS_ALL);
    if (i == 5 && q->n > 1)
        ct_body_set_friction(q->w, q->bodies[1], (ct_real)0.1), ct_body_set_spin_friction(q->w, q->bodies[1], (ct_real)0.01, (ct_real)0.005);
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
            fail();
        }
    }
}

/* a world without snapshots; one that is saved before step `at` and goes on; the same taken back; another one, restored */
static void goes_on(uint64_t seed, int at, int to)
{
    scene a, b, was;
    track t;
    bytes first, second, third;
    books book;
    memset(&book, 0, sizeof book);
    make(&a, seed, NULL);
    run(&a, 0, to, &t, 0, "alone");
    ct_world_destroy(a.w);
    make(&a, seed, NULL);
    run(&a, 0, at, &t, 1, "again");
    first = save(a.w), second = save(a.w), was = a;
    assert_true(first.n == second.n && memcmp(first.data, second.data, first.n) == 0);
    run(&a, at, to, &t, 1, "saved");
    make_beside(&b, seed, &book, seed & 1); /* also with bodies in other slots, between others */
    if (at > 9) { /* bodies that were added and removed meanwhile */
        int i;
        for (i = 9; i < at; i++)
            if (i == 9 || i == 13)
                happen(&b, i);
    }
    restore(b.w, first);
    memcpy(b.bodies, a.bodies, sizeof b.bodies), b.late = a.late; /* ids are those of the snapshot */
    third = save(b.w);
    assert_true(first.n == third.n && memcmp(first.data, third.data, first.n) == 0);
    assert_true(contacts_of(b.w) == (at ? t.contacts[at - 1] : contacts_of(b.w)));
    run(&b, at, to, &t, 1, "restored into another world");
    free(third.data), free(second.data);
    second = save(a.w), third = save(b.w); /* all that is kept is the same, in memory that held garbage before, too */
    if (second.n != third.n || memcmp(second.data, third.data, second.n) != 0) {
        size_t k;
        for (k = 24; k < second.n && k < third.n && second.data[k] == third.data[k]; k++)
            ;
        print_message("seed %d, stepper %s: bytes %d and %d differ from %d on\n", (int)seed, ct_stepper_text(a.stepper), (int)second.n, (int)third.n, (int)k);
        fail();
    }
    free(third.data), free(second.data);
    if (seed % 3 != 0 || at > 13 || at <= 9 || to <= 13) { /* its bodies are all there: one that is not in it is destroyed */
        a = was;
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
    if (!count)
        goes_on(102, 0, 2); /* before its first step a world has no candidates, also where it has had some */
}

/* boxes so large that factors of earlier steps precondition solves, or two grids do */
static ct_world *large(ct_stepper stepper, int cells, int boxes)
{
    ct_world_desc d = ct_world_desc_default_for(stepper);
    ct_world *w;
    int i;
    d.thickness = (ct_real)0.005;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < boxes; i++)
        add_soft_box(w, "box", 1, cells, 1e5, 0, 0.506 + 1.01 * i, 0);
    return w;
}

static void factors_of_earlier_steps_go_on(void **state)
{
    static const struct {
        ct_stepper stepper;
        int cells, boxes;
    } cases[] = {{CT_STEPPER_BARRIER, 6, 2}, {CT_STEPPER_CMR, PLAIN_OR(22, 8), 1}, {CT_STEPPER_GEOMETRIC, 5, 2}};
    size_t k;
    (void)state;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_world *a = large(cases[k].stepper, cases[k].cells, cases[k].boxes), *b = large(cases[k].stepper, cases[k].cells, cases[k].boxes);
        bytes q;
        int i;
        for (i = 0; i < 3; i++)
            step_once(a, 0.01);
        q = save(a);
        restore(b, q);
        for (i = 0; i < 3; i++) {
            step_once(a, 0.01), step_once(b, 0.01);
            assert_true(ct_world_hash(a) == ct_world_hash(b));
        }
        free(q.data);
        ct_world_destroy(a), ct_world_destroy(b);
    }
}

/* ---- another process ---- */

static const char *program;

/* the file name of a snapshot of this process */
static const char *file_name(void)
{
    static char name[64];
    snprintf(name, sizeof name, "/tmp/snapshot_%ld.bin", (long)getpid());
    return name;
}

/* what the other process does: the world of a seed, restored from a file, and 5 more steps */
static int child(const char *seed, const char *path)
{
    scene q;
    int i;
    make(&q, (uint64_t)atoi(seed), NULL);
    if (ct_world_snapshot_read(q.w, path) != CT_OK)
        return puts(ct_world_error(q.w)->text), 1;
    for (i = 4; i < 9; i++)
        advance(&q, i);
    printf("%llx\n", (unsigned long long)ct_world_hash(q.w));
    ct_world_destroy(q.w);
    return 0;
}

static void another_process_goes_on_with_the_same_bits(void **state)
{
    uint64_t seed;
    (void)state;
    for (seed = 700; seed < 707; seed++) {
        char line[400], expected[32];
        scene q;
        FILE *f;
        int i;
        make(&q, seed, NULL);
        for (i = 0; i < 4; i++)
            advance(&q, i);
        assert_int_equal(ct_world_snapshot_write(q.w, file_name()), CT_OK);
        for (i = 4; i < 9; i++)
            advance(&q, i);
        snprintf(expected, sizeof expected, "%llx\n", (unsigned long long)ct_world_hash(q.w));
        snprintf(line, sizeof line, "'%s' child %d %s", program, (int)seed, file_name());
        f = popen(line, "r");
        assert_non_null(f);
        assert_non_null(fgets(line, sizeof line, f));
        assert_int_equal(pclose(f), 0);
        assert_string_equal(line, expected);
        ct_world_destroy(q.w);
    }
    remove(file_name());
}

/* ---- what a program does between steps ---- */

enum { FRAMES = 150 };

/* a turntable with a box and a jelly on a joint, a sheet whose collar is moved, a pair that comes to rest and sleeps, a sensor, a belt */
typedef struct game {
    ct_world *w;
    ct_body_id table, box, swing, sheet, two, low, high, jelly, gate, belt;
} game;

static ct_body_id game_box(game *g, const char *name, double x, double y)
{
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = &m, d.name = name, d.density = 500, d.position[0] = (ct_real)x, d.position[1] = (ct_real)y;
    assert_int_equal(ct_body_add_rigid(g->w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* one cloth of two sheets, the lower pinned at its rim: the upper falls on it, unless the body does not meet itself */
static void game_two_sheets(game *g)
{
    ct_mesh a = mesh_grid(0.4, 0.4, 4, 4), m = a;
    ct_real x[150];
    int32_t t[192], rim[16];
    int i, n = 0;
    for (i = 0; i < 150; i++)
        x[i] = a.positions[i % 75] + (ct_real)(i % 3 == 0 ? 8 : i % 3 == 1 ? (i < 75 ? 1 : 1.02) : 0);
    for (i = 0; i < 25; i++)
        if (i < 5 || i >= 20 || i % 5 == 0 || i % 5 == 4)
            rim[n++] = i;
    assert_true(a.n_positions == 25 && a.n_triangles == 32);
    for (i = 0; i < 192; i++)
        t[i] = a.triangles[i % 96] + (i < 96 ? 0 : 25);
    m.positions = x, m.n_positions = 50, m.triangles = t, m.n_triangles = 64;
    g->two = add_cloth_mesh(g->w, "two", &m, CT_MODEL_SPRINGS, 0.2);
    assert_int_equal(ct_body_pin(g->w, g->two, rim, n, CT_AXIS_ALL, NULL, -1), CT_OK);
    ct_mesh_free(&a);
}

static game game_make(void)
{
    ct_world_desc d = world_desc(2e-3, 0.4, NULL);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_static_desc s = ct_static_desc_default();
    ct_mesh m = mesh_box(1, 0.1, 1, 1, 1, 1, 0), grid = mesh_grid(0.4, 0.4, 4, 4);
    const ct_real v[3] = {(ct_real)0.5, 0, 0};
    game g;
    memset(&g, 0, sizeof g);
    d.sleep_time = 0.3;
    g.w = world_make(&d);
    add_plane(g.w, 0, 1, 0, 0);
    k.mesh = &m, k.name = "table", k.position[1] = (ct_real)0.5;
    assert_int_equal(ct_body_add_kinematic(g.w, &k, &g.table), CT_OK);
    g.box = game_box(&g, "box", 0, 0.66), g.swing = game_box(&g, "swing", 0.45, 0.3);
    j.a.body = g.swing, j.b.body = g.table, j.point[0] = (ct_real)0.45, j.point[1] = (ct_real)0.45, j.collide = 0;
    assert_int_equal(ct_joint_add(g.w, &j, NULL), CT_OK);
    mesh_place(&grid, 0, -2, 1, 0);
    g.sheet = add_cloth_mesh(g.w, "sheet", &grid, CT_MODEL_SPRINGS, 0.2);
    game_two_sheets(&g);
    g.low = game_box(&g, "low", 4, 0.102), g.high = game_box(&g, "high", 4, 0.304);
    g.jelly = add_soft_box(g.w, "jelly", 0.2, 2, 3e4, 2, 0.3, 0);
    s.mesh = &m, s.name = "gate", s.position[0] = 2, s.position[1] = (ct_real)0.1;
    assert_int_equal(ct_body_add_static(g.w, &s, &g.gate), CT_OK);
    assert_int_equal(ct_body_set_sensor(g.w, g.gate, 1), CT_OK);
    s.name = "belt", s.position[0] = -4, s.position[1] = (ct_real)0.05;
    assert_int_equal(ct_body_add_static(g.w, &s, &g.belt), CT_OK);
    assert_int_equal(ct_body_set_surface_velocity(g.w, g.belt, v), CT_OK);
    game_box(&g, "rider", -4.2, 0.21);
    ct_mesh_free(&m), ct_mesh_free(&grid);
    return g;
}

/* the calls of a frame, and the step. Returns a number of what happened */
static uint64_t game_frame(game *g, int f)
{
    const double dt = 1.0 / 60, angle = 0.02 * f;
    ct_real q[4] = {(ct_real)cos(angle / 2), 0, (ct_real)sin(angle / 2), 0}, at[3] = {0, (ct_real)0.5, 0}, push[3] = {1, 2, 0};
    ct_real collar[15], high[3] = {4, 1, 0}, g2[3] = {1, -8, 0};
    ct_filter filter = ct_filter_default();
    ct_events e;
    int i;
    if (f < 100)
        assert_int_equal(ct_body_move_pose(g->w, g->table, at, q, dt), CT_OK);
    for (i = 0; i < 5; i++)
        collar[3 * i] = (ct_real)(-2.2 + 0.1 * i + 0.02 * sin(0.1 * f)), collar[3 * i + 1] = 1, collar[3 * i + 2] = (ct_real)-0.2;
    if (f < 120)
        assert_int_equal(ct_body_move_vertices(g->w, g->sheet, NULL, collar, 5, dt), CT_OK);
    if (f % 3 == 0)
        assert_int_equal(ct_body_add_force(g->w, g->box, push, NULL), CT_OK);
    if (f == 20)
        assert_int_equal(ct_body_set_gravity_scale(g->w, g->jelly, (ct_real)0.5), CT_OK);
    if (f == 40)
        assert_int_equal(ct_world_set_gravity(g->w, g2), CT_OK);
    if (f == 60)
        filter.mask = 0, assert_int_equal(ct_body_set_filter(g->w, g->box, &filter), CT_OK);
    if (f == 70)
        assert_int_equal(ct_body_set_pose(g->w, g->high, high, NULL), CT_OK);
    if (f == 80 || f == 115)
        assert_int_equal(ct_body_set_self_collision(g->w, g->two, f == 115), CT_OK);
    if (f == 90)
        assert_int_equal(ct_body_set_thickness(g->w, g->low, (ct_real)4e-3), CT_OK);
    if (f == 110)
        assert_int_equal(ct_body_add_impulse(g->w, g->low, push, NULL), CT_OK);
    step_once(g->w, dt);
    assert_int_equal(ct_world_events(g->w, &e), CT_OK);
    return ct_world_hash(g->w) + (uint64_t)(e.n_begin + 100 * e.n_stay + 10000 * e.n_end + 1000000 * e.n_sensor_begin + 7000000 * e.n_sensor_end) +
           100000000u * (uint64_t)ct_body_is_asleep(g->w, g->low);
}

/* From a snapshot before any frame the calls of all later ones give the same bits and events again: in the same world, whatever it has done since, and
   in another one that has done something else */
static void calls_between_steps_are_taken_back(void **state)
{
    static const int at[] = {0, 1, 19, 30, 41, 61, 71, 81, 91, 105, 111, 125};
    enum { N = sizeof at / sizeof *at };
    uint64_t was[FRAMES];
    bytes q[N];
    game g = game_make(), other = game_make();
    int f, k = 0, slept = 0;
    (void)state;
    for (f = 0; f < FRAMES; f++) {
        if (k < N && at[k] == f)
            q[k++] = save(g.w);
        was[f] = game_frame(&g, f);
        slept += ct_body_is_asleep(g.w, g.low);
    }
    assert_true(slept > 5 && slept < FRAMES - 5);
    for (f = 0; f < 37; f++)
        game_frame(&other, f);
    for (k = N - 1; k >= 0; k--) {
        restore(g.w, q[k]);
        restore(other.w, q[k]);
        for (f = at[k]; f < FRAMES && f < at[k] + 40; f++) {
            uint64_t now = game_frame(&g, f), there = game_frame(&other, f);
            if (now != was[f] || there != was[f])
                print_message("from frame %d: frame %d differs (%d, %d)\n", at[k], f, now != was[f], there != was[f]);
            assert_true(now == was[f] && there == was[f]);
        }
        free(q[k].data);
    }
    ct_world_destroy(g.w), ct_world_destroy(other.w);
}

/* A jelly on a table that poses move, at a place and a rotation that round. Thickness and masses change in frame 12; what a stepper has prepared of
   them is of the snapshot again: in the same world, and in one that has made no step, where the table has no pose of an earlier call either */
static uint64_t table_frame(ct_world *w, int f)
{
    const ct_body_id table = ct_world_find_body(w, "table"), jelly = ct_world_find_body(w, "jelly");
    ct_real at[3] = {(ct_real)(0.31 + 0.004 * f), (ct_real)(0.123 + 0.003 * f), 0}, q[4] = {1, 0, (ct_real)(0.1 + 0.02 * f), (ct_real)0.03}, mass[64];
    ct_events e;
    int n = ct_body_node_count(w, jelly), i;
    assert_int_equal(ct_body_move_pose(w, table, at, q, 0.01), CT_OK);
    if (f == 12) {
        assert_true(n <= 64);
        assert_int_equal(ct_body_get_masses(w, jelly, mass, n), CT_OK);
        for (i = 0; i < n; i++)
            mass[i] *= (ct_real)(1.5 + 0.1 * i);
        assert_int_equal(ct_body_set_masses(w, jelly, mass, n), CT_OK);
        assert_int_equal(ct_body_set_thickness(w, jelly, (ct_real)4e-3), CT_OK);
    }
    step_once(w, 0.01);
    assert_int_equal(ct_world_events(w, &e), CT_OK);
    return ct_world_hash(w) + (uint64_t)(e.n_begin + 100 * e.n_stay + 10000 * e.n_end);
}

static ct_world *table_make(ct_stepper stepper)
{
    ct_world_desc d = ct_world_desc_default_for(stepper);
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(0.7, 0.1, 0.7, 1, 1, 1, 0);
    ct_world *w;
    d.thickness = (ct_real)2e-3;
    w = world_make(&d);
    k.mesh = &m, k.name = "table", k.position[0] = (ct_real)0.3, k.position[1] = (ct_real)0.117, k.rotation[2] = (ct_real)0.1;
    assert_int_equal(ct_body_add_kinematic(w, &k, NULL), CT_OK);
    add_soft_box(w, "jelly", 0.2, 2, 3e4, 0.3, 0.29, 0);
    ct_mesh_free(&m);
    return w;
}

static void what_is_prepared_is_of_the_snapshot(void **state)
{
    static const ct_stepper steppers[] = {CT_STEPPER_CMR, CT_STEPPER_BARRIER, CT_STEPPER_GEOMETRIC, CT_STEPPER_PENALTY};
    size_t k;
    (void)state;
    for (k = 0; k < sizeof steppers / sizeof *steppers; k++) {
        ct_world *w = table_make(steppers[k]), *twin = table_make(steppers[k]);
        uint64_t was[20];
        ct_events e;
        bytes q = {NULL, 0};
        int f;
        for (f = 0; f < 20; f++) {
            if (f == 8)
                q = save(w);
            was[f] = table_frame(w, f);
        }
        assert_int_equal(ct_world_events(w, &e), CT_OK);
        assert_true(e.n_begin + e.n_stay + e.n_end > 0);
        restore(w, q), restore(twin, q);
        assert_int_equal(ct_world_events(w, &e), CT_OK); /* no step is over */
        assert_int_equal(e.n_begin + e.n_stay + e.n_end, 0);
        for (f = 8; f < 20; f++) {
            assert_true(table_frame(w, f) == was[f]);
            assert_true(table_frame(twin, f) == was[f]);
        }
        free(q.data);
        ct_world_destroy(w), ct_world_destroy(twin);
    }
}

/* ---- what does not fit is refused by name, and changes nothing ---- */

static void refused(ct_world *w, bytes q, ct_code code, const char *text)
{
    uint64_t before = ct_world_hash(w);
    bytes is = save(w), was = is;
    ct_code got = ct_world_snapshot_restore(w, q.data, q.n);
    if (got != code || (text && !strstr(ct_world_error(w)->text, text)))
        print_message("%s, and not %d, %s\n", ct_world_error(w)->text, (int)code, text ? text : "");
    assert_int_equal(got, code);
    assert_true(!text || strstr(ct_world_error(w)->text, text) != NULL);
    assert_true(ct_world_hash(w) == before);
    is = save(w);
    assert_true(is.n == was.n && memcmp(is.data, was.data, is.n) == 0);
    free(is.data), free(was.data);
}

/* a stack of two bodies on a plane; variant: 0, or what is other */
static ct_world *stack(int variant)
{
    ct_world_desc d = world_desc(2e-3, 0.3, NULL);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_STITCH);
    ct_world *w;
    ct_body_id a, b;
    d.recovery_speed = variant == 1 ? 2 : d.recovery_speed;
    d.solver.max_sweeps = variant == 2 ? 100 : d.solver.max_sweeps;
    d.stepper = variant == 3 ? CT_STEPPER_PENALTY : d.stepper;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    a = add_soft_box(w, "lower", 0.1, 1, variant == 4 ? 2e4 : 1e4, 0, 0.053, 0);
    b = add_soft_box(w, "upper", variant == 5 ? 0.09 : 0.1, variant == 6 ? 2 : 1, 1e4, 0, 0.157, 0);
    if (variant == 7) {
        assert_int_equal(ct_body_remove(w, b), CT_OK);
        b = add_soft_box(w, "upper", 0.1, 1, 1e4, 0, 0.157, 0);
    }
    if (variant == 8)
        add_soft_box(w, "third", 0.1, 1, 1e4, 1, 1, 0);
    j.a.body = a, j.a.vertices[0] = 2, j.b.body = b, j.b.vertices[0] = variant == 9 ? 1 : 0, j.rest_length = (ct_real)0.02;
    if (variant != 10 && variant != 3)
        assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
    return w;
}

/* the checksum of data that were changed is made right again */
static void mend(bytes q)
{
    uint64_t sum = cti_archive_hash(0, q.data + 16, q.n - 16);
    memcpy(q.data + 8, &sum, sizeof sum);
}

static bytes copy(bytes q)
{
    bytes c = q;
    c.data = (unsigned char *)malloc(q.n);
    assert_non_null(c.data);
    memcpy(c.data, q.data, q.n);
    return c;
}

static void another_world_is_refused_by_name(void **state)
{
    static const struct {
        int variant;
        const char *text;
    } cases[] = {{1, "recovery_speed"}, {2, "solver.max_iterations"}, {3, "behind stepper"}, {4, "body lower"}, {5, "body upper"}, {6, "body upper"}};
    ct_world *w = stack(0), *other;
    bytes q;
    size_t k;
    int i;
    (void)state;
    for (i = 0; i < 5; i++)
        step_once(w, 0.01);
    q = save(w);
    other = stack(0);
    restore(other, q);
    ct_world_destroy(other);
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        other = stack(cases[k].variant);
        refused(other, q, CT_ERR_ARGUMENT, cases[k].text);
        for (i = 0; i < 2; i++)
            step_once(other, 0.01);
        refused(other, q, CT_ERR_ARGUMENT, cases[k].text);
        ct_world_destroy(other);
    }
    free(q.data);
    ct_world_destroy(w);
}

/* A body that was destroyed and made again takes the old one's id, one that the snapshot does not have is destroyed, and joints are those of the
   snapshot: after all of this steps give the same bits. Variants 7 to 10 of the stack; each also after steps of its own. */
static void bodies_and_joints_that_came_or_went_are_those_of_the_snapshot(void **state)
{
    int variant, stepped, i;
    (void)state;
    for (variant = 7; variant <= 10; variant++)
        for (stepped = 0; stepped < 2; stepped++) {
            ct_world *w = stack(0), *other = stack(variant);
            ct_body_id bodies[4], was[4];
            ct_joint_id joint[1];
            bytes q, p;
            for (i = 0; i < 5; i++)
                step_once(w, 0.01);
            q = save(w);
            for (i = 0; i < 7 * stepped; i++)
                step_once(other, 0.01);
            restore(other, q);
            p = save(other);
            assert_true(p.n == q.n && memcmp(p.data, q.data, q.n) == 0);
            assert_int_equal(ct_world_get_bodies(other, bodies, 4), 3);
            assert_int_equal(ct_world_get_bodies(w, was, 4), 3);
            assert_true(memcmp(bodies, was, 3 * sizeof *was) == 0);
            assert_int_equal(ct_world_get_joints(other, joint, 1), 1);
            for (i = 0; i < 5; i++) {
                step_once(w, 0.01), step_once(other, 0.01);
                assert_true(ct_world_hash(w) == ct_world_hash(other));
            }
            assert_int_equal(ct_body_remove(other, bodies[2]), CT_OK); /* without its mesh it cannot come back */
            refused(other, q, CT_ERR_ARGUMENT, "a body upper of which the world has no equal");
            free(q.data), free(p.data);
            ct_world_destroy(w), ct_world_destroy(other);
        }
}

/* a change of one number of the head */
static void refused_head(ct_world *w, bytes q, size_t at, ct_code code, const char *text)
{
    bytes c = copy(q);
    c.data[at] ^= 1;
    if (at >= 16)
        mend(c);
    refused(w, c, code, text);
    free(c.data);
}

static void damaged_data_and_other_builds_are_refused(void **state)
{
    ct_world *w = stack(0);
    bytes q, c;
    size_t i;
    (void)state;
    step_once(w, 0.01), step_once(w, 0.01);
    q = save(w);
    step_once(w, 0.01);
    refused_head(w, q, 0, CT_ERR_FORMAT, "no snapshot");
    refused_head(w, q, 8, CT_ERR_FORMAT, "damaged");
    refused_head(w, q, 16, CT_ERR_FORMAT, "damaged");
    refused_head(w, q, 24, CT_ERR_UNSUPPORTED, "order of bytes");
    refused_head(w, q, 28, CT_ERR_UNSUPPORTED, "version");
    refused_head(w, q, 32, CT_ERR_UNSUPPORTED, "version");
    refused_head(w, q, 36, CT_ERR_UNSUPPORTED, "CONTACT_REAL");
    refused_head(w, q, 40, CT_ERR_UNSUPPORTED, "processor");
    for (i = 0; i < q.n; i += 1 + q.n / 40) {
        bytes cut = q;
        cut.n = i;
        refused(w, cut, CT_ERR_FORMAT, NULL);
        c = copy(q);
        c.data[i] ^= (unsigned char)(1 << i % 8);
        assert_true(ct_world_snapshot_restore(w, c.data, c.n) == (i >= 24 && i < 28 ? CT_ERR_UNSUPPORTED : CT_ERR_FORMAT));
        free(c.data);
    }
    free(q.data);
    ct_world_destroy(w);
}

/* numbers of any size, with a checksum that is right: most are refused, and none leads out of the memory of the world */
static void forged_data_do_not_crash(void **state)
{
    uint64_t s = 42, seed;
    int n = PLAIN_OR(300, 150), k, taken = 0;
    (void)state;
    for (seed = 0; seed < CT_STEPPER_COUNT_; seed++) {
        scene a;
        bytes q;
        int i;
        make(&a, seed, NULL);
        for (i = 0; i < 6; i++)
            advance(&a, i);
        q = save(a.w);
        for (k = 0; k < n; k++) {
            bytes c = copy(q);
            int32_t values[8] = {-1, 0, 1, 0x7fffffff, -0x7fffffff, 1000, 0x7ff80000, 3};
            for (i = 1 + below(&s, 3); i > 0; i--) {
                size_t end = k & 1 && q.n > 4096 ? 4096 : q.n; /* half of them where bodies and joints are named */
                size_t at = 16 + 4 * (size_t)(lcg(&s) * (double)(end / 4 - 5));
                memcpy(c.data + at, &values[below(&s, 8)], 4);
            }
            mend(c);
            if (ct_world_snapshot_restore(a.w, c.data, c.n) == CT_OK && taken++ % 8 == 0)
                ct_world_step(a.w, (ct_real)a.dt, NULL); /* what comes of it is nonsense, in the world's own memory */
            free(c.data);
        }
        restore(a.w, q);
        advance(&a, 6);
        free(q.data);
        ct_world_destroy(a.w);
    }
    assert_true(taken > 0 && taken < n * CT_STEPPER_COUNT_);
    { /* a kinematic body with a path and a joint, pins, sleepers */
        game g = game_make();
        bytes q;
        int f, i, m;
        for (f = 0; f < 45; f++)
            game_frame(&g, f);
        q = save(g.w);
        for (m = 0; m < 8 * n; m++) {
            bytes c = copy(q);
            int32_t values[6] = {-1, 0, 1, 0x7fffffff, 1000, 3};
            for (i = 1 + below(&s, 3); i > 0; i--)
                memcpy(c.data + 16 + 4 * (size_t)(lcg(&s) * (double)(q.n / 4 - 5)), &values[below(&s, 6)], 4);
            mend(c);
            if (ct_world_snapshot_restore(g.w, c.data, c.n) == CT_OK && m % 4 == 0)
                ct_world_step(g.w, (ct_real)0.01, NULL);
            free(c.data);
        }
        restore(g.w, q);
        free(q.data);
        ct_world_destroy(g.w);
    }
}

/* ---- memory, files, misuse ---- */

static void a_failing_allocator_leaves_the_world(void **state)
{
    uint64_t seed;
    (void)state;
    for (seed = 0; seed < CT_STEPPER_COUNT_; seed++) {
        scene a, b;
        books book;
        bytes q;
        int64_t k, calls, live;
        ct_code code = CT_ERR_MEMORY;
        int i;
        make(&a, seed, NULL);
        for (i = 0; i < 6; i++)
            advance(&a, i);
        free(save(a.w).data); /* prepares what was added */
        ct_world_allocations(a.w, &calls, NULL);
        q = save(a.w);
        ct_world_allocations(a.w, &k, &live);
        assert_true(k == calls && (int64_t)q.n <= live);
        memset(&book, 0, sizeof book);
        make_beside(&b, seed, &book, seed & 1);
        for (k = 1; code != CT_OK; k += PLAIN_OR(1, 7)) {
            uint64_t before = ct_world_hash(b.w);
            book.fail_at = book.calls + k;
            code = ct_world_snapshot_restore(b.w, q.data, q.n);
            book.fail_at = 0;
            assert_true(code == CT_OK || (code == CT_ERR_MEMORY && ct_world_hash(b.w) == before));
        }
        memcpy(b.bodies, a.bodies, sizeof b.bodies);
        for (i = 6; i < 9; i++) {
            advance(&a, i), advance(&b, i);
            assert_true(ct_world_hash(a.w) == ct_world_hash(b.w));
        }
        free(q.data);
        ct_world_destroy(a.w), ct_world_destroy(b.w);
        assert_true(book.wrong == 0 && book.live == 0);
    }
}

static void files_hold_the_same_bytes(void **state)
{
    ct_world *w = stack(0);
    bytes q;
    FILE *f;
    unsigned char *read;
    (void)state;
    step_once(w, 0.01);
    q = save(w);
    assert_int_equal(ct_world_snapshot_write(w, file_name()), CT_OK);
    read = (unsigned char *)malloc(q.n + 1);
    f = fopen(file_name(), "rb");
    assert_true(f && fread(read, 1, q.n + 1, f) == q.n && memcmp(read, q.data, q.n) == 0);
    fclose(f);
    step_once(w, 0.01);
    assert_int_equal(ct_world_snapshot_read(w, file_name()), CT_OK);
    free(read);
    read = save(w).data;
    assert_memory_equal(read, q.data, q.n);
    remove(file_name());
    assert_int_equal(ct_world_snapshot_read(w, file_name()), CT_ERR_FILE);
    assert_int_equal(ct_world_snapshot_write(w, "/no/such/folder/file"), CT_ERR_FILE);
    free(read), free(q.data);
    ct_world_destroy(w);
}

static ct_world *called;
static int from_a_callback;
static uint64_t clock_that_calls(void *user)
{
    size_t n = 0;
    (void)user;
    from_a_callback += called && ct_world_snapshot_size(called, &n) == CT_ERR_ARGUMENT && ct_world_snapshot_restore(called, &n, 8) == CT_ERR_ARGUMENT;
    return 0;
}

/* A node that is held at rest stays in snapshots when the path of another one, which was pinned before it, is gone */
static void pins_without_paths_are_restored(void **state)
{
    ct_world *w = world_make(NULL);
    ct_body_id jelly = add_soft_box(w, "jelly", 0.2, 1, 3e4, 0, 0, 0);
    const int32_t first = 0, second = 1;
    ct_motion m;
    bytes q;
    (void)state;
    memset(&m, 0, sizeof m);
    m.linear[1] = 1;
    assert_int_equal(ct_body_pin(w, jelly, &first, 1, CT_AXIS_ALL, &m, -1), CT_OK);
    assert_int_equal(ct_body_pin(w, jelly, &second, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    step_once(w, 0.01);
    assert_int_equal(ct_body_unpin(w, jelly, &first, 1, CT_AXIS_ALL), CT_OK);
    q = save(w);
    restore(w, q);
    free(q.data);
    ct_world_destroy(w);
}

/* A jelly of CT_STEPPER_EXPLICIT that was put into another shape goes on in a world whose bodies were prepared at rest: its stable step is that of the rest */
static void explicit_steps_know_no_shape(void **state)
{
    ct_world_desc d = ct_world_desc_default_for(CT_STEPPER_EXPLICIT);
    ct_real x[3 * 27];
    ct_world *w[2];
    ct_body_id jelly[2];
    bytes q;
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++)
        w[k] = world_make(&d), jelly[k] = add_soft_box(w[k], "jelly", 0.2, 2, 3e4, 0, 0, 0);
    assert_int_equal(ct_body_get_nodes(w[0], jelly[0], x, NULL, 27), CT_OK);
    for (i = 0; i < 3 * 27; i++)
        x[i] *= i % 3 ? (ct_real)0.8 : (ct_real)1.3;
    step_once(w[0], 0.001);
    assert_int_equal(ct_body_set_positions(w[0], jelly[0], x, 27), CT_OK);
    step_once(w[0], 0.001);
    q = save(w[0]);
    restore(w[1], q);
    for (i = 0; i < 5; i++) {
        step_once(w[0], 0.001), step_once(w[1], 0.001);
        assert_true(ct_world_hash(w[0]) == ct_world_hash(w[1]));
    }
    free(q.data);
    ct_world_destroy(w[0]), ct_world_destroy(w[1]);
}

static void misuse_is_refused(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w;
    char room[64];
    size_t n = 0, k = 0;
    (void)state;
    d.now_us = clock_that_calls;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    assert_int_equal(ct_world_snapshot_size(NULL, &n), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_snapshot_size(w, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_snapshot_save(NULL, room, sizeof room, &n), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_snapshot_size(w, &n), CT_OK);
    assert_int_equal(ct_world_snapshot_save(w, room, sizeof room, &k), CT_ERR_ARGUMENT);
    assert_true(k == n && ct_world_error(w)->value == (double)n);
    assert_int_equal(ct_world_snapshot_save(w, NULL, n, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_snapshot_restore(NULL, room, sizeof room), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_snapshot_restore(w, NULL, sizeof room), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_snapshot_write(w, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_snapshot_read(w, NULL), CT_ERR_ARGUMENT);
    called = w;
    step_once(w, 0.01);
    called = NULL;
    assert_true(from_a_callback > 0);
    ct_world_destroy(w);
    d = ct_world_desc_default_for(CT_STEPPER_EXPLICIT);
    d.rk.refine = CT_REFINE_ELEMENTS;
    w = world_make(&d);
    assert_int_equal(ct_world_snapshot_size(w, &n), CT_ERR_UNSUPPORTED);
    assert_true(strstr(ct_world_error(w)->text, "CT_REFINE_ELEMENTS") != NULL);
    ct_world_destroy(w);
    d = ct_world_desc_default_for(CT_STEPPER_BARRIER);
    d.barrier.form = CT_FORM_ROOT;
    w = world_make(&d);
    assert_int_equal(ct_world_snapshot_restore(w, room, sizeof room), CT_ERR_UNSUPPORTED);
    assert_true(strstr(ct_world_error(w)->text, "barrier.form") != NULL);
    ct_world_destroy(w);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_go_on_with_the_same_bits),
                                       cmocka_unit_test(factors_of_earlier_steps_go_on),
                                       cmocka_unit_test(another_process_goes_on_with_the_same_bits),
                                       cmocka_unit_test(calls_between_steps_are_taken_back),
                                       cmocka_unit_test(what_is_prepared_is_of_the_snapshot),
                                       cmocka_unit_test(another_world_is_refused_by_name),
                                       cmocka_unit_test(bodies_and_joints_that_came_or_went_are_those_of_the_snapshot),
                                       cmocka_unit_test(damaged_data_and_other_builds_are_refused),
                                       cmocka_unit_test(forged_data_do_not_crash),
                                       cmocka_unit_test(a_failing_allocator_leaves_the_world),
                                       cmocka_unit_test(files_hold_the_same_bytes),
                                       cmocka_unit_test(pins_without_paths_are_restored),
                                       cmocka_unit_test(explicit_steps_know_no_shape),
                                       cmocka_unit_test(misuse_is_refused)};
    if (argc == 4 && strcmp(argv[1], "child") == 0)
        return child(argv[2], argv[3]);
    program = argv[0];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
