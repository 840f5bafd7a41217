/* test_skinned.c -- limits of nodes against the targets of a skin: distances and backstops, against closed forms. */
#include "../src/9_world/world.h"
#include "world_util.h"

#define G 9.81
#define DT (1.0 / 60)
#define FLOAT_OR(a, b) (sizeof(ct_real) == 4 ? (a) : (b))
enum { CELLS = 6, NODES = (CELLS + 1) * (CELLS + 1) };

static ct_world *world_of(double gravity)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    d.gravity[1] = (ct_real)-gravity;
    return world_make(&d);
}

/* a sheet of side 1 in the plane y = 0 */
static ct_body_id sheet_add(ct_world *w, const char *name, double height)
{
    ct_mesh m = mesh_grid(1, 1, CELLS, CELLS);
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_body_id id;
    d.mesh = &m, d.name = name, d.material = ct_material_default(CT_MODEL_SPRINGS), d.position[1] = (ct_real)height;
    d.material.areal_density = (ct_real)0.2;
    assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* the same limit for every node */
static void limit_all(ct_world *w, ct_body_id id, double most, double behind, double radius)
{
    ct_skin_limit q[NODES];
    int i;
    for (i = 0; i < NODES; i++)
        q[i].vertex = i, q[i].max_distance = (ct_real)most, q[i].backstop_distance = (ct_real)behind, q[i].backstop_radius = (ct_real)radius;
    assert_int_equal(ct_body_set_skin(w, id, q, NODES), CT_OK);
}

static void nodes_of(ct_world *w, ct_body_id id, ct_real *x, ct_real *v) { assert_int_equal(ct_body_get_nodes(w, id, x, v, NODES), CT_OK); }

static double apart(const ct_real *a, const ct_real *b)
{
    double sum = 0;
    int k;
    for (k = 0; k < 3; k++)
        sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return sqrt(sum);
}

/* the impulses of limits on all nodes in the last step [N s]; kind 0: distances, 1: backstops */
static void impulses_of(ct_world *w, int kind, double *sum)
{
    const cti_state *s = &w->state;
    int i, k;
    sum[0] = sum[1] = sum[2] = 0;
    for (i = 0; i < CTI_LEN(s->scripts.tethers); i++) {
        const cti_memory_item *m = cti_memory_find(&s->contact.memory, s->scripts.tethers[i].key + (uint64_t)kind);
        for (k = 0; m && k < 3; k++)
            sum[k] += (double)m->impulse[k];
    }
}

/* steps until the time; the last report. *bad: statuses other than ok */
static ct_step_report run(ct_world *w, int steps, int *bad)
{
    ct_step_report r;
    int i;
    memset(&r, 0, sizeof r);
    for (*bad = i = 0; i < steps; i++) {
        assert_int_equal(ct_world_step(w, (ct_real)DT, &r), CT_OK);
        *bad += r.status != CT_STATUS_OK;
    }
    return r;
}

/* A sheet that hangs in its limits: each node ends on the sphere around its target, below it, and the limits bear the weight */
static void a_sheet_hangs_in_its_limits(void **state)
{
    const double d = 0.1;
    ct_world *w = world_of(G);
    ct_body_id id = sheet_add(w, "sheet", 0);
    ct_real x[2][3 * NODES], v[3 * NODES];
    double J[3], worst = 0, weight = (double)ct_body_get_mass(w, id) * G * DT;
    int i, bad;
    (void)state;
    nodes_of(w, id, x[0], NULL);
    limit_all(w, id, d, 0, 0);
    run(w, 120, &bad);
    nodes_of(w, id, x[1], v);
    for (i = 0; i < NODES; i++) {
        worst = fmax(worst, fabs(apart(x[0] + 3 * i, x[1] + 3 * i) - d));
        assert_true(x[1][3 * i + 1] < 0 && fabs((double)v[3 * i + 1]) < 1e-3);
    }
    impulses_of(w, 0, J);
    print_message("hanging sheet: off its spheres by %.1e of the distance, impulses %.6f of the weight's, %d steps not ok\n", worst / d, J[1] / weight, bad);
    assert_true(worst < FLOAT_OR(1e-3, 1e-5) * d && fabs(J[1] / weight - 1) < FLOAT_OR(1e-2, 1e-4) && bad == 0);
    ct_world_destroy(w);
}

/* Two corners have limits, all else hangs on them: they end on their spheres and bear half of the weight each, along their own radii */
static void two_corners_bear_a_sheet(void **state)
{
    const double d = 0.2;
    ct_world *w = world_of(G);
    ct_body_id id = sheet_add(w, "sheet", 0);
    ct_skin_limit q[2];
    ct_real x[2][3 * NODES];
    double J[3], weight = (double)ct_body_get_mass(w, id) * G * DT, off;
    int k, bad;
    (void)state;
    memset(q, 0, sizeof q);
    q[1].vertex = CELLS;
    q[0].max_distance = q[1].max_distance = (ct_real)d;
    nodes_of(w, id, x[0], NULL);
    assert_int_equal(ct_body_set_skin(w, id, q, 2), CT_OK);
    run(w, 1500, &bad);
    nodes_of(w, id, x[1], NULL);
    impulses_of(w, 0, J);
    for (off = 0, k = 0; k < 2; k++)
        off = fmax(off, fabs(apart(x[0] + 3 * q[k].vertex, x[1] + 3 * q[k].vertex) - d));
    print_message("two corners: off their spheres by %.1e of the distance, impulses (%.4f %.4f %.4f) of the weight's, %d steps not ok\n", off / d,
                  J[0] / weight, J[1] / weight, J[2] / weight, bad);
    assert_true(off < 1e-3 * d && fabs(J[1] / weight - 1) < 0.02 && fabs(J[0] / weight) < 0.02);
    assert_true(bad <= 15);
    ct_world_destroy(w);
}

/* Nodes lie on a half-space behind their targets, which bears the weight. On a slope they slide, for it has no friction: with g sin a along it, under
   m g cos a. A sphere of 1e3 m does the same to 1e-3 */
static void a_backstop_bears_what_presses_on_it(void **state)
{
    static const double radii[] = {INFINITY, 1e3};
    const double behind = 0.02, a = 0.5;
    int k, i, bad;
    (void)state;
    for (k = 0; k < 4; k++) {
        const double angle = k < 2 ? 0 : a, radius = radii[k % 2];
        ct_world *w = world_of(G);
        ct_body_id id = sheet_add(w, "sheet", 0);
        ct_real x[2][3 * NODES], v[3 * NODES], normals[3 * NODES];
        double J[3], impulse = (double)ct_body_get_mass(w, id) * G * cos(angle) * DT, gap = 0, slid = 0, t = 60 * DT;
        nodes_of(w, id, x[0], NULL);
        limit_all(w, id, INFINITY, behind, radius);
        for (i = 0; i < NODES; i++)
            normals[3 * i] = (ct_real)(3 * sin(angle)), normals[3 * i + 1] = (ct_real)(3 * cos(angle)), normals[3 * i + 2] = 0;
        assert_int_equal(ct_body_move_skin(w, id, x[0], normals, NODES, DT), CT_OK);
        run(w, 60, &bad);
        nodes_of(w, id, x[1], v);
        for (i = 0; i < NODES; i++) {
            double dx = (double)(x[1][3 * i] - x[0][3 * i]), dy = (double)(x[1][3 * i + 1] - x[0][3 * i + 1]);
            double along = dx * cos(angle) - dy * sin(angle), across = dx * sin(angle) + dy * cos(angle) + behind;
            across += isinf(radius) ? 0 : along * along / (2 * radius); /* the sphere falls away */
            gap = fmax(gap, fabs(across)), slid += along / NODES;
        }
        impulses_of(w, 1, J);
        print_message("backstop %g, slope %.1f: off its surface by %.1e m, impulse %.5f of m g cos a dt, slid %.4f m, %.4f by g sin a t^2 / 2; %d not ok\n",
                      radius, angle, gap, sqrt(J[0] * J[0] + J[1] * J[1]) / impulse, slid, G * sin(angle) * t * t / 2, bad);
        assert_true(gap < FLOAT_OR(1e-4, 1e-5) && fabs(sqrt(J[0] * J[0] + J[1] * J[1]) / impulse - 1) < 5e-3 && bad == 0);
        assert_true(fabs(slid - G * sin(angle) * t * t / 2) < 0.02 * t * t * G / 2 * (angle > 0) + 1e-3);
        ct_world_destroy(w);
    }
}

/* Targets that rise with 1 m/s carry the sheet at max_distance below them; what they work is m g v dt */
static void targets_carry_a_sheet(void **state)
{
    const double d = 0.05, speed = 1;
    ct_world *w = world_of(G);
    ct_body_id id = sheet_add(w, "sheet", 0);
    ct_real x[2][3 * NODES], v[3 * NODES], to[3 * NODES];
    double off = 0, slow = 0, work = 0, mass = (double)ct_body_get_mass(w, id);
    int i, k, bad = 0;
    (void)state;
    nodes_of(w, id, x[0], NULL);
    limit_all(w, id, d, 0, 0);
    for (k = 1; k <= 120; k++) {
        ct_step_report r;
        for (i = 0; i < 3 * NODES; i++)
            to[i] = (ct_real)((double)x[0][i] + (i % 3 == 1 ? speed * k * DT : 0));
        assert_int_equal(ct_body_move_skin(w, id, to, NULL, NODES, DT), CT_OK);
        assert_int_equal(ct_world_step(w, (ct_real)DT, &r), CT_OK);
        bad += r.status != CT_STATUS_OK;
        work = r.work_pins;
    }
    nodes_of(w, id, x[1], v);
    for (i = 0; i < NODES; i++)
        off = fmax(off, fabs(apart(to + 3 * i, x[1] + 3 * i) - d)), slow = fmax(slow, fabs((double)v[3 * i + 1] - speed));
    print_message("rising targets: off by %.1e of the distance, speed by %.1e, work %.5f of m g v dt, %d not ok\n", off / d, slow,
                  work / (mass * G * speed * DT), bad);
    assert_true(off < 1e-3 * d && slow < 1e-2 * speed && fabs(work / (mass * G * speed * DT) - 1) < 0.01 && bad == 0);
    ct_world_destroy(w);
}

/* A sheet that rests on a floor is lifted by targets that rise for 4 s, the last two with their distance taut: it does not fall asleep under them */
static void targets_on_their_way_keep_awake(void **state)
{
    const double d = 0.5;
    ct_world_desc wd = world_desc(1e-3, 0.3, NULL);
    ct_world *w;
    ct_body_id id;
    ct_real x[3 * NODES], to[3 * NODES];
    int i, k;
    (void)state;
    wd.sleep_time = 0.3;
    w = world_make(&wd), add_plane(w, 0, 1, 0, -0.002);
    id = sheet_add(w, "sheet", 0);
    nodes_of(w, id, to, NULL);
    limit_all(w, id, d, 0, 0);
    for (i = 0; i < NODES; i++)
        to[3 * i + 1] = (ct_real)(2 * d);
    assert_int_equal(ct_body_move_skin(w, id, to, NULL, NODES, 4), CT_OK);
    run(w, 270, &k);
    nodes_of(w, id, x, NULL);
    for (i = 0; i < NODES; i++)
        assert_true(fabs(apart(to + 3 * i, x + 3 * i) - d) < 1e-2 * d);
    run(w, 120, &k);
    assert_int_equal(ct_body_is_asleep(w, id), 1); /* it hangs still */
    ct_world_destroy(w);
}

/* With both limits a node is between the backstop and its distance: it lies on the one or hangs on the other, as the normals are. Inside it is free:
   the first step is a free fall */
static void both_limits_hold(void **state)
{
    int up, i, bad;
    (void)state;
    for (up = 0; up < 2; up++) {
        ct_world *w = world_of(G);
        ct_body_id id = sheet_add(w, "sheet", 0), other;
        ct_real x[3][3 * NODES], normals[3 * NODES];
        double want = up ? -0.02 : -0.1, off = 0;
        memset(normals, 0, sizeof normals);
        for (i = 0; i < NODES; i++)
            normals[3 * i + 1] = (ct_real)(up ? 1 : -1);
        nodes_of(w, id, x[0], NULL);
        limit_all(w, id, 0.1, 0.02, 0.5);
        assert_int_equal(ct_body_move_skin(w, id, x[0], normals, NODES, DT), CT_OK);
        other = sheet_add(w, "other", 3);
        run(w, 1, &bad);
        nodes_of(w, id, x[1], NULL);
        nodes_of(w, other, x[2], NULL);
        for (i = 0; i < NODES; i++) /* as the one without limits */
            assert_true(fabs((double)x[1][3 * i + 1] - ((double)x[2][3 * i + 1] - 3)) < FLOAT_OR(1e-6, 1e-12));
        assert_int_equal(ct_body_remove(w, other), CT_OK);
        run(w, 120, &bad);
        nodes_of(w, id, x[1], NULL);
        for (i = 0; i < NODES; i++)
            off = fmax(off, fabs((double)x[1][3 * i + 1] - want));
        print_message("both limits, normals %s: off by %.1e m, %d not ok\n", up ? "up" : "down", off, bad);
        assert_true(off < 1e-4 && bad == 0);
        assert_int_equal(ct_body_set_skin(w, id, NULL, 0), CT_OK); /* and is let go */
        run(w, 60, &bad);
        nodes_of(w, id, x[1], NULL);
        assert_true((double)x[1][1] < want - 3);
        ct_world_destroy(w);
    }
}

/* Targets that an animation leads through a pillar: contacts hold, nothing crosses, no node is thrown, and statuses say that limits do not hold. A
   teleport of the targets by 2 m is made up for at the recovery speed */
static void contacts_come_first(void **state)
{
    ct_world *w = world_of(G);
    ct_mesh m = mesh_box(0.3, 1, 0.3, 2, 4, 2, 0);
    ct_static_desc d = ct_static_desc_default();
    ct_body_id id = sheet_add(w, "cape", 0), pillar;
    ct_real x[3 * NODES], v[3 * NODES], to[3 * NODES];
    double fastest = 0;
    ct_pair *pairs;
    int i, k, n, told = 0, over = 0;
    (void)state;
    d.mesh = &m, d.name = "pillar", d.position[0] = (ct_real)1.2;
    assert_int_equal(ct_body_add_static(w, &d, &pillar), CT_OK);
    nodes_of(w, id, x, NULL);
    limit_all(w, id, 0.05, 0, 0);
    for (k = 1; k <= 150; k++) {
        ct_step_report r;
        for (i = 0; i < 3 * NODES; i++)
            to[i] = (ct_real)((double)x[i] + (i % 3 == 0 ? fmin(k, 90) * DT : 0));
        assert_int_equal(ct_body_move_skin(w, id, to, NULL, NODES, DT), CT_OK);
        assert_int_equal(ct_world_step(w, (ct_real)DT, &r), CT_OK);
        told += r.status >= CT_STATUS_BUDGET;
        assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
        assert_int_equal(n, 0);
        nodes_of(w, id, v, v);
        for (i = 0; i < NODES; i++)
            fastest = fmax(fastest, sqrt((double)(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2])));
    }
    nodes_of(w, id, v, NULL);
    for (i = 0; i < NODES; i++)
        over += apart(v + 3 * i, to + 3 * i) > 0.051;
    print_message("through a pillar: fastest node %.2f m/s, %d of 150 steps say that limits do not hold, %d nodes out at the end\n", fastest, told, over);
    assert_true(fastest < 8 && told > 0 && over > 0);
    ct_mesh_free(&m), ct_world_destroy(w);
}

static void a_teleport_is_made_up_for(void **state)
{
    ct_world *w = world_of(0);
    ct_body_id id = sheet_add(w, "cape", 0);
    ct_real x[2][3 * NODES], to[3 * NODES], v[3 * NODES];
    double fastest = 0, off = 0;
    int i, k, bad = 0;
    (void)state;
    nodes_of(w, id, x[0], NULL);
    for (i = 0; i < 3 * NODES; i++)
        to[i] = (ct_real)((double)x[0][i] + (i % 3 == 0 ? 0.5 : 0));
    limit_all(w, id, 0.1, 0, 0);
    assert_int_equal(ct_body_move_skin(w, id, to, NULL, NODES, 1e-9), CT_OK);
    w->state.scripts.still = 0;
    for (i = 0; i < CTI_LEN(w->state.scripts.tethers); i++) /* they are there now */
        memcpy(w->state.scripts.tethers[i].from, w->state.scripts.tethers[i].to, sizeof w->state.scripts.tethers[i].to);
    for (k = 0; k < 60; k++) {
        ct_step_report r;
        assert_int_equal(ct_world_step(w, (ct_real)DT, &r), CT_OK);
        bad += r.status != CT_STATUS_OK;
        nodes_of(w, id, x[1], v);
        for (i = 0; i < NODES; i++)
            fastest = fmax(fastest, fabs((double)v[3 * i]));
    }
    for (i = 0; i < NODES; i++)
        off = fmax(off, apart(x[1] + 3 * i, to + 3 * i));
    print_message("teleport: fastest node %.3f m/s, at the end %.4f m from the targets, %d not ok\n", fastest, off, bad);
    assert_true(fastest < 1.1 && off < 0.1001 && bad == 0);
    ct_world_destroy(w);
}

/* ---- masses of nodes ---- */

/* A sheet whose masses are tripled between steps moves as one that was added with the density tripled; a snapshot takes them back */
static void masses_are_those_of_another_density(void **state)
{
    const int32_t corners[2] = {0, CELLS};
    ct_world *w[2];
    ct_body_id id[2];
    ct_real x[2][3 * NODES], m[2][NODES];
    size_t size;
    void *data;
    int i, k, bad;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_mesh grid = mesh_grid(1, 1, CELLS, CELLS);
        ct_cloth_desc d = ct_cloth_desc_default();
        w[k] = world_of(G);
        d.mesh = &grid, d.name = "sheet", d.material = ct_material_default(CT_MODEL_SPRINGS), d.material.areal_density = (ct_real)(k ? 0.6 : 0.2);
        assert_int_equal(ct_body_add_cloth(w[k], &d, &id[k]), CT_OK);
        assert_int_equal(ct_body_pin(w[k], id[k], corners, 2, CT_AXIS_ALL, NULL, -1), CT_OK);
        ct_mesh_free(&grid);
        assert_int_equal(ct_body_get_masses(w[k], id[k], m[k], NODES), CT_OK);
    }
    assert_int_equal(ct_world_snapshot_size(w[0], &size), CT_OK);
    data = malloc(size);
    assert_int_equal(ct_world_snapshot_save(w[0], data, size, &size), CT_OK);
    run(w[0], 5, &bad);
    assert_int_equal(ct_body_set_masses(w[0], id[0], m[1], NODES), CT_OK);
    assert_true(fabs((double)ct_body_get_mass(w[0], id[0]) - (double)ct_body_get_mass(w[1], id[1])) < 1e-6);
    assert_int_equal(ct_world_snapshot_restore(w[0], data, size), CT_OK);
    assert_int_equal(ct_body_get_masses(w[0], id[0], x[0], NODES), CT_OK);
    assert_memory_equal(x[0], m[0], sizeof m[0]);
    assert_int_equal(ct_body_set_masses(w[0], id[0], m[1], NODES), CT_OK);
    for (k = 0; k < 2; k++) {
        run(w[k], 30, &bad);
        nodes_of(w[k], id[k], x[k], NULL);
    }
    for (i = 0; i < 3 * NODES; i++)
        assert_true(fabs((double)x[0][i] - (double)x[1][i]) < FLOAT_OR(1e-4, 1e-9));
    free(data);
    ct_world_destroy(w[0]), ct_world_destroy(w[1]);
}

/* One node is as heavy as all others together: two sheets' momenta and places are those of these masses */
static void heavy_nodes_have_their_momentum(void **state)
{
    ct_world *w = world_of(0);
    ct_body_id id = sheet_add(w, "sheet", 0);
    ct_real m[NODES], x[3 * NODES], v[3 * NODES];
    double sum = 0, p[3], before = 0, after = 0;
    uint64_t seed = 5;
    int i, bad;
    (void)state;
    assert_int_equal(ct_body_get_masses(w, id, m, NODES), CT_OK);
    for (i = 0; i < NODES; i++)
        sum += (double)m[i];
    m[0] = (ct_real)(sum - (double)m[0]), m[NODES - 1] = (ct_real)FLOAT_OR(1e-3, 1e-5);
    assert_int_equal(ct_body_set_masses(w, id, m, NODES), CT_OK);
    for (i = 0; i < 3 * NODES; i++)
        v[i] = (ct_real)(lcg(&seed) - 0.5);
    assert_int_equal(ct_body_set_velocities(w, id, v, NODES), CT_OK);
    nodes_of(w, id, x, NULL);
    for (p[0] = p[1] = p[2] = 0, i = 0; i < 3 * NODES; i++)
        p[i % 3] += (double)m[i / 3] * (double)v[i], before += (double)m[i / 3] * (double)x[i];
    run(w, 60, &bad);
    nodes_of(w, id, x, v);
    for (i = 0; i < 3 * NODES; i++) {
        p[i % 3] -= (double)m[i / 3] * (double)v[i], after += (double)m[i / 3] * (double)x[i];
        before += (double)m[i / 3] * (double)v[i] * 60 * DT;
    }
    print_message("momentum off by %.1e %.1e %.1e, first moment by %.1e, %d not ok\n", p[0], p[1], p[2], after - before, bad);
    assert_true(fabs(p[0]) + fabs(p[1]) + fabs(p[2]) < FLOAT_OR(1e-5, 1e-12) && fabs(after - before) < FLOAT_OR(1e-5, 1e-11) && bad == 0);
    m[3] = 0;
    assert_int_equal(ct_body_set_masses(w, id, m, NODES), CT_ERR_ARGUMENT);
    m[3] = (ct_real)NAN;
    assert_int_equal(ct_body_set_masses(w, id, m, NODES), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_masses(w, id, m, 3), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_masses(w, id, NULL, NODES), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_masses(w, id, NULL, NODES), CT_ERR_ARGUMENT);
    ct_world_destroy(w);
}

/* ---- calls ---- */

static void limits_are_read_and_refused(void **state)
{
    ct_world *w = world_of(G);
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_body_id id = sheet_add(w, "sheet", 0), box, none = {0, 0};
    ct_skin_limit q[3], got[3];
    ct_real x[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    int i, n, k;
    (void)state;
    memset(q, 0, sizeof q);
    for (i = 0; i < 3; i++)
        q[i].vertex = 5 - i, q[i].max_distance = (ct_real)(i ? 0.5 * i : INFINITY), q[i].backstop_distance = (ct_real)-0.25 * (ct_real)i;
    q[1].backstop_radius = (ct_real)INFINITY, q[2].backstop_radius = 2;
    assert_int_equal(ct_body_set_skin(w, id, q, 3), CT_OK);
    assert_int_equal(ct_body_get_skin(w, id, got, 3, &n), CT_OK);
    assert_int_equal(n, 3);
    for (i = 0; i < 3; i++)
        assert_true(got[i].vertex == q[i].vertex && got[i].max_distance == q[i].max_distance && got[i].backstop_distance == q[i].backstop_distance &&
                    got[i].backstop_radius == q[i].backstop_radius);
    rigid.mesh = &m, rigid.name = "box", rigid.position[1] = 5;
    assert_int_equal(ct_body_add_rigid(w, &rigid, &box), CT_OK);
    assert_int_equal(ct_body_set_skin(w, box, q, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_skin(w, box, got, 3, &n), CT_OK);
    assert_int_equal(n, 0);
    assert_int_equal(ct_body_set_skin(w, none, q, 1), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_set_skin(NULL, id, q, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_skin(w, id, NULL, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_skin(w, id, q, -1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_skin(w, id, NULL, 1, &n), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_skin(w, id, got, 1, NULL), CT_ERR_ARGUMENT);
    for (k = 0; k < 8; k++) {
        ct_skin_limit bad[2];
        memcpy(bad, q, sizeof bad);
        bad[1].vertex = k == 0 ? -1 : k == 1 ? NODES : k == 2 ? bad[0].vertex : bad[1].vertex;
        bad[1].max_distance = (ct_real)(k == 3 ? 0 : k == 4 ? NAN : k == 7 ? (sizeof(ct_real) == 4 ? 1e20 : 1e100) : 1);
        bad[1].backstop_radius = (ct_real)(k == 5 ? -1 : 1);
        bad[1].backstop_distance = (ct_real)(k == 6 ? INFINITY : 0);
        assert_int_equal(ct_body_set_skin(w, id, bad, 2), CT_ERR_ARGUMENT);
        assert_int_equal(ct_world_error(w)->element, 1);
    }
    assert_int_equal(ct_body_move_skin(w, id, x, NULL, 2, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_skin(w, id, NULL, NULL, 3, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_skin(w, id, x, NULL, 3, 0), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_skin(w, id, x, x, 3, DT), CT_ERR_ARGUMENT); /* the first normal is 0 */
    x[4] = (ct_real)NAN;
    assert_int_equal(ct_body_move_skin(w, id, x, NULL, 3, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_skin(w, id, got, 3, &n), CT_OK);
    assert_int_equal(n, 3);
    ct_mesh_free(&m), ct_world_destroy(w);
    for (k = 0; k < CT_STEPPER_COUNT_; k++) {
        ct_world_desc d;
        if (k == CT_STEPPER_CMR || !ct_stepper_built((ct_stepper)k))
            continue;
        d = ct_world_desc_default_for((ct_stepper)k);
        w = world_make(&d);
        m = mesh_box(1, 1, 1, 1, 1, 1, 1);
        id = add_soft_mesh(w, "soft", &m, 1e5, 0, 0, 0);
        assert_int_equal(ct_body_set_skin(w, id, q, 1), CT_ERR_UNSUPPORTED);
        assert_non_null(strstr(ct_world_error(w)->text, "'soft': CT_STEPPER_"));
        ct_mesh_free(&m), ct_world_destroy(w);
    }
}

/* Bodies come and go before the sheet; a snapshot has targets and limits; damaged ones are refused or harmless */
/* the masses that a density gives are in snapshots whatever they are, also such as ct_body_set_masses does not take: nodes of 1e10 kg */
static void heavy_bodies_have_snapshots(void **state)
{
    ct_world *w = world_of(G);
    ct_mesh m = mesh_box(100, 100, 100, 1, 1, 1, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id;
    ct_real x[2][3 * 8];
    size_t n = 0;
    void *data;
    int i;
    (void)state;
    d.mesh = &m, d.material.density = (ct_real)1e5;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    step_once(w, DT);
    assert_int_equal(ct_world_snapshot_size(w, &n), CT_OK);
    data = malloc(n);
    assert_int_equal(ct_world_snapshot_save(w, data, n, &n), CT_OK);
    for (i = 0; i < 2; i++) {
        step_once(w, DT);
        assert_int_equal(ct_body_get_nodes(w, id, x[i], NULL, 8), CT_OK);
        assert_int_equal(ct_world_snapshot_restore(w, data, n), CT_OK);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    free(data);
    ct_world_destroy(w);
}

static void snapshots_have_the_skin(void **state)
{
    ct_world *w = world_of(G);
    ct_body_id before = sheet_add(w, "before", 3), id = sheet_add(w, "sheet", 0);
    ct_real x[2][3 * NODES], to[3 * NODES];
    unsigned char *data, *spoiled;
    size_t size;
    uint64_t seed = 3;
    int i, k, bad;
    (void)state;
    nodes_of(w, id, to, NULL);
    limit_all(w, id, 0.05, 0.03, 0.5);
    assert_int_equal(ct_body_remove(w, before), CT_OK);
    for (i = 0; i < NODES; i++)
        to[3 * i] = (ct_real)((double)to[3 * i] + 0.1);
    assert_int_equal(ct_body_move_skin(w, id, to, NULL, NODES, 0.5), CT_OK);
    run(w, 15, &bad);
    assert_int_equal(ct_world_snapshot_size(w, &size), CT_OK);
    data = (unsigned char *)malloc(2 * size), spoiled = data + size;
    assert_int_equal(ct_world_snapshot_save(w, data, size, &size), CT_OK);
    for (k = 0; k < 2; k++) {
        run(w, 20, &bad);
        nodes_of(w, id, x[k], NULL);
        assert_int_equal(ct_body_set_skin(w, id, NULL, 0), CT_OK);
        run(w, 3, &bad);
        assert_int_equal(ct_world_snapshot_restore(w, data, size), CT_OK);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    for (k = 0; k < 300; k++) {
        memcpy(spoiled, data, size);
        spoiled[(size_t)(lcg(&seed) * (double)size)] ^= (unsigned char)(1 << (int)(lcg(&seed) * 8));
        if (ct_world_snapshot_restore(w, spoiled, size) == CT_OK)
            ct_world_step(w, (ct_real)DT, NULL);
    }
    assert_int_equal(ct_world_snapshot_restore(w, data, size), CT_OK);
    run(w, 20, &bad);
    nodes_of(w, id, x[1], NULL);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    free(data), ct_world_destroy(w);
}

/* A sheet falls flat onto a plane and rebounds with e = .5, while its middle is caught by a limit in the step of the impact, two thicknesses above.
   The limit holds through the rebound, and the energy never rises. */
static void a_rebound_leaves_limits(void **state)
{
    const double height = 0.25;
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_skin_limit q;
    ct_real x[3 * NODES], v[3 * NODES];
    double last = 1e9, fastest = 0;
    ct_world *w;
    ct_body_id id;
    int i, middle = NODES / 2;
    (void)state;
    d.restitution = (ct_real)0.5;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    id = sheet_add(w, "sheet", height);
    q.vertex = middle, q.max_distance = (ct_real)(height - 0.003), q.backstop_distance = 0, q.backstop_radius = 0;
    assert_int_equal(ct_body_set_skin(w, id, &q, 1), CT_OK);
    for (i = 0; i < 60; i++) {
        ct_step_report r = step_once(w, 0.005);
        double now = r.energy_kinetic + r.energy_elastic + r.energy_gravity;
        assert_true(i == 0 || now - r.work_recovery < last * (1 + 1e-3));
        last = now;
        nodes_of(w, id, x, v);
        assert_true(x[3 * middle + 1] > (ct_real)0.003 - (ct_real)1e-3);
        fastest = fmax(fastest, (double)v[1]); /* of a corner, which nothing but the plane stops */
    }
    assert_int_equal(count_intersections(w), 0);
    assert_true(fastest > 0.4 * sqrt(2 * G * height) && fastest < 0.52 * sqrt(2 * G * height));
    ct_world_destroy(w);
}

static void memory_may_run_out(void **state)
{
    books b;
    ct_world_desc d;
    ct_world *w;
    ct_body_id id;
    int64_t at;
    ct_real x[2][3 * NODES];
    ct_skin_limit q;
    (void)state;
    memset(&b, 0, sizeof b), memset(&q, 0, sizeof q);
    q.max_distance = 1;
    d = world_desc(1e-3, 0.3, &b);
    w = world_make(&d);
    id = sheet_add(w, "sheet", 0);
    for (at = 1;; at++) {
        b.fail_at = b.calls + at;
        if (ct_body_set_skin(w, id, &q, 1) == CT_OK)
            break;
        assert_int_equal(ct_world_error(w)->code, CT_ERR_MEMORY);
    }
    b.fail_at = 0;
    limit_all(w, id, 0.001, 0, 0);
    step_once(w, DT);
    nodes_of(w, id, x[0], NULL);
    for (at = 1;; at++) {
        b.fail_at = b.calls + at;
        if (ct_world_step(w, (ct_real)DT, NULL) == CT_OK)
            break;
        assert_int_equal(ct_world_error(w)->code, CT_ERR_MEMORY);
        nodes_of(w, id, x[1], NULL);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
    ct_world_destroy(w);
    assert_true(b.blocks == 0 && b.wrong == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_hangs_in_its_limits),         cmocka_unit_test(two_corners_bear_a_sheet),
        cmocka_unit_test(a_backstop_bears_what_presses_on_it), cmocka_unit_test(targets_carry_a_sheet),
        cmocka_unit_test(targets_on_their_way_keep_awake),
        cmocka_unit_test(both_limits_hold),                    cmocka_unit_test(contacts_come_first),
        cmocka_unit_test(a_teleport_is_made_up_for),           cmocka_unit_test(masses_are_those_of_another_density),
        cmocka_unit_test(heavy_nodes_have_their_momentum),     cmocka_unit_test(limits_are_read_and_refused),
        cmocka_unit_test(heavy_bodies_have_snapshots),
        cmocka_unit_test(snapshots_have_the_skin),             cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_rebound_leaves_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
