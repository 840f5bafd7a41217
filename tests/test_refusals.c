/* test_refusals.c -- calls that a world refuses: calls from callbacks, strides, joints with a vertex given twice. Also: data that outlive a
   removed body, a failed allocation in every solver, a sliver. */
#include "rod_util.h"

typedef struct back {
    ct_world *w;
    ct_body_id body;
    int calls, refused, on;
} back;

/* a clock that calls back into its world */
static uint64_t back_clock(void *user)
{
    back *b = (back *)user;
    const ct_contact *c;
    ct_real v[3] = {0, 0, 0};
    double x[24];
    ct_pair *p;
    int n;
    if (!b->on)
        return 0;
    b->on = 0; /* the calls below read the clock, too */
    b->calls += 6;
    b->refused += ct_world_step(b->w, (ct_real)0.01, NULL) == CT_ERR_ARGUMENT;
    b->refused += ct_body_remove(b->w, b->body) == CT_ERR_ARGUMENT;
    b->refused += ct_body_set_velocities(b->w, b->body, v, 1) == CT_ERR_ARGUMENT;
    b->refused += ct_world_contacts(b->w, &c, &n) == CT_ERR_ARGUMENT;
    b->refused += ct_world_validate(b->w, &p, &n) == CT_ERR_ARGUMENT;
    b->refused += ct_body_get_positions(b->w, b->body, x, CT_SCALAR_DOUBLE, 24, NULL) == CT_ERR_ARGUMENT;
    ct_world_destroy(b->w);
    b->on = 1;
    return 0;
}

static ct_body_id add_crate(ct_world *w, double x, double y, double spin)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_real size[3] = {(ct_real)0.2, (ct_real)0.2, (ct_real)0.2};
    int cells[3] = {1, 1, 1}, i;
    ct_body_id id = {0, 0};
    ct_mesh m;
    assert_int_equal(ct_mesh_box(size, cells, 0, &m, NULL), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i] += (ct_real)x, m.positions[3 * i + 1] += (ct_real)y;
    d.mesh = &m, d.angular_velocity[0] = (ct_real)spin;
    if (ct_body_add_rigid(w, &d, &id) != CT_OK)
        id.index1 = 0;
    ct_mesh_free(&m);
    return id;
}

static void add_floor(ct_world *w)
{
    ct_static_desc f = ct_static_desc_default();
    ct_body_id id;
    assert_int_equal(ct_body_add_static(w, &f, &id), CT_OK);
}

/* a body for which the log gets a warning */
static void add_sliver(ct_world *w)
{
    ct_real at[] = {5, 0, 0, (ct_real)5.2, 0, 0, 5, 0, (ct_real)0.2, 5, (ct_real)1e-6, 0};
    int32_t tet[] = {0, 2, 1, 3};
    ct_soft_desc s = ct_soft_desc_default();
    ct_body_id id;
    ct_mesh m;
    memset(&m, 0, sizeof m);
    m.positions = at, m.n_positions = 4, m.tets = tet, m.n_tets = 1;
    s.mesh = &m;
    assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
}

/* a log that calls back while a body is added */
static void back_log(ct_log_level level, const char *text, void *user)
{
    (void)level, (void)text;
    back_clock(user);
}

static void callbacks_may_not_call_back(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    back b;
    (void)state;
    memset(&b, 0, sizeof b);
    d.now_us = back_clock, d.now_user = &b;
    b.w = world_make(&d);
    add_floor(b.w);
    b.body = add_crate(b.w, 0, 0.1012, 0);
    b.on = 1;
    assert_int_equal(ct_world_step(b.w, (ct_real)0.01, NULL), CT_OK);
    b.on = 0;
    assert_true(b.calls > 0);
    assert_int_equal(b.refused, b.calls);
    assert_true(fabs(ct_world_time(b.w) - 0.01) < 1e-6);
    assert_int_equal(ct_body_vertex_count(b.w, b.body), 8);
    assert_int_equal(ct_world_step(b.w, (ct_real)0.01, NULL), CT_OK);
    ct_world_destroy(b.w);
    memset(&b, 0, sizeof b);
    d.now_us = NULL, d.log = back_log, d.log_user = &b;
    b.w = world_make(&d);
    b.body = add_crate(b.w, 0, 1, 0);
    b.on = 1;
    add_sliver(b.w);
    b.on = 0;
    assert_int_equal(b.calls, 6);
    assert_int_equal(b.refused, 6);
    assert_int_equal(ct_world_step(b.w, (ct_real)0.01, NULL), CT_OK);
    ct_world_destroy(b.w);
}

static void strides_are_memory(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id a = add_crate(w, 0, 1, 0);
    double x[24];
    (void)state;
    assert_int_equal(ct_body_get_positions(w, a, x, CT_SCALAR_DOUBLE, (size_t)-8, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_velocities(w, a, x, CT_SCALAR_DOUBLE, (size_t)-32, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_positions(w, a, x, CT_SCALAR_DOUBLE, 24, NULL), CT_OK);
    ct_world_destroy(w);
}

static void contacts_outlive_others(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    const ct_contact *c;
    ct_body_id far, near, other;
    ct_pair *p;
    int i, n, before, bad = 0;
    (void)state;
    add_floor(w);
    near = add_crate(w, 0, 0.1012, 0), other = add_crate(w, 1, 0.1012, 0), far = add_crate(w, 5, 5, 0);
    for (i = 0; i < 10; i++)
        assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
    assert_int_equal(ct_world_contacts(w, &c, &before), CT_OK);
    assert_true(before >= 8);
    assert_int_equal(ct_body_remove(w, far), CT_OK);
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    assert_int_equal(n, before);
    assert_int_equal(ct_body_remove(w, other), CT_OK);
    assert_int_equal(ct_world_validate(w, &p, &n), CT_OK);
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    assert_true(n >= 4 && n < before);
    for (i = 0; i < n; i++)
        bad += c[i].body_a.index1 == other.index1 || c[i].body_b.index1 == other.index1 ||
               (c[i].body_a.index1 != near.index1 && c[i].body_b.index1 != near.index1);
    assert_int_equal(bad, 0);
    ct_world_destroy(w);
}

static void joints_have_one_place(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id id;
    (void)state;
    j.a.body = add_crate(w, 0, 1, 0), j.a.vertices[0] = 2, j.point[1] = 1;
    assert_int_equal(ct_joint_add(w, &j, &id), CT_ERR_ARGUMENT);
    assert_non_null(strstr(ct_world_error(w)->text, "point"));
    j.point[1] = 0;
    assert_int_equal(ct_joint_add(w, &j, &id), CT_OK);
    ct_world_destroy(w);
}

/* three steps of a soft box on the floor by a solver; the code of the first that failed */
static ct_code solver_run(books *b, ct_solver solver, uint64_t *hash)
{
    ct_world_desc d = world_desc(1e-3, 0.4, b);
    ct_soft_desc s = ct_soft_desc_default();
    ct_static_desc f = ct_static_desc_default();
    ct_real size[3] = {(ct_real)0.2, (ct_real)0.2, (ct_real)0.2};
    int cells[3] = {1, 1, 1}, i;
    ct_code code = CT_OK;
    ct_world *w = NULL;
    ct_body_id id;
    ct_mesh m;
    d.solver.solver = solver;
    assert_int_equal(ct_mesh_box(size, cells, 1, &m, NULL), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i + 1] += (ct_real)0.101;
    s.mesh = &m;
    code = ct_world_create(&d, &w, NULL);
    if (code == CT_OK)
        code = ct_body_add_static(w, &f, &id);
    if (code == CT_OK)
        code = ct_body_add_soft(w, &s, &id);
    for (i = 0; code == CT_OK && i < 3; i++)
        code = ct_world_step(w, (ct_real)0.01, NULL);
    *hash = code == CT_OK ? ct_world_hash(w) : 0;
    ct_world_destroy(w);
    ct_mesh_free(&m);
    return code;
}

/* CT_OK with the bits of a run in which nothing failed, or an error; no third outcome */
static void failed_allocations_are_told(void **state)
{
    static const ct_solver solvers[] = {CT_SOLVER_PGS, CT_SOLVER_MPRGP, CT_SOLVER_INTERIOR, CT_SOLVER_NEWTON, CT_SOLVER_ADMM, CT_SOLVER_CA};
    int i;
    (void)state;
    for (i = 0; i < (int)(sizeof solvers / sizeof *solvers); i++) {
        books clean = {0, 0, 0, 0, 0, 0, 0};
        uint64_t right, hash;
        int64_t k, told = 0, other = 0;
        if (!ct_solver_built(solvers[i]))
            continue;
        assert_int_equal(solver_run(&clean, solvers[i], &right), CT_OK);
        for (k = 1; k <= clean.calls; k++) {
            books b = {0, 0, 0, 0, 0, 0, 0};
            ct_code code;
            b.fail_at = k;
            code = solver_run(&b, solvers[i], &hash);
            told += code != CT_OK;
            other += code == CT_OK && hash != right;
            assert_int_equal(b.live, 0);
        }
        print_message("%s: %lld allocations, %lld failures told, %lld with other bits\n", ct_solver_text(solvers[i]), (long long)clean.calls,
                      (long long)told, (long long)other);
        assert_int_equal(other, 0);
    }
}

static ct_body_id add_soft(ct_world *w, double x, double y)
{
    ct_real size[3] = {(ct_real)0.2, (ct_real)0.2, (ct_real)0.2};
    int cells[3] = {2, 2, 2}, i;
    ct_soft_desc s = ct_soft_desc_default();
    ct_body_id id;
    ct_mesh m;
    assert_int_equal(ct_mesh_box(size, cells, 1, &m, NULL), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i] += (ct_real)x, m.positions[3 * i + 1] += (ct_real)y;
    s.mesh = &m;
    assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* 40 steps of a crate on a soft box; in the middle bodies come and go at once, or stay */
static uint64_t visited(int visitors, int stay)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_body_id id[20];
    double x[3 * 27];
    uint64_t hash = 0;
    ct_body_id soft;
    size_t b;
    int i, k;
    add_floor(w);
    soft = add_soft(w, 0, 0.101);
    add_crate(w, 0, 0.31, 0);
    for (i = 0; i < 40; i++) {
        assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
        for (k = 0; i == 20 && k < visitors; k++)
            id[k] = k % 2 ? add_crate(w, 30 + k, 50, 0) : add_soft(w, 30 + k, 50);
        for (k = visitors - 1; i == 20 && !stay && k >= 0; k--)
            assert_int_equal(ct_body_remove(w, id[k]), CT_OK);
    }
    assert_int_equal(ct_body_vertex_count(w, soft), 27);
    assert_int_equal(ct_body_get_positions(w, soft, x, CT_SCALAR_DOUBLE, 24, NULL), CT_OK);
    for (b = 0; b < sizeof x; b++)
        hash = (hash ^ ((const unsigned char *)x)[b]) * 1099511628211ull;
    ct_world_destroy(w);
    return hash;
}

static void visitors_change_no_bit(void **state)
{
    uint64_t alone = visited(0, 0);
    (void)state;
    assert_true(visited(1, 0) == alone);
    assert_true(visited(20, 0) == alone); /* slots are reused */
    visited(20, 1);
}

/* materials at the limits of the number format: no number of the report is infinite or NaN */
static void reports_are_finite(void **state)
{
    int k;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_cloth_desc c = ct_cloth_desc_default();
        ct_real size[2] = {1, 1}, most = sizeof(ct_real) == 4 ? (ct_real)3e38 : (ct_real)1.7e308;
        int cells[2] = {4, 4};
        ct_world *w = world_make(&d);
        ct_step_report r;
        ct_body_id id;
        ct_mesh m;
        assert_int_equal(ct_mesh_grid(size, cells, &m, NULL), CT_OK);
        c.mesh = &m, c.material = ct_material_default(CT_MODEL_MEMBRANE);
        *(k == 0   ? &c.material.young
          : k == 1 ? &c.material.shell_thickness
          : k == 2 ? &c.material.bending
                   : &c.velocity[0]) = k == 3 ? (ct_real)1e30 : most;
        assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
        assert_int_equal(ct_world_step(w, (ct_real)0.01, &r), CT_OK);
        assert_true(isfinite(r.energy_kinetic) && isfinite(r.energy_elastic) && isfinite(r.energy_gravity) && isfinite(r.energy_gained));
        assert_true(isfinite(r.work_script) && isfinite(r.work_pins) && isfinite(r.work_joints) && isfinite(r.work_recovery));
        assert_true(isfinite(r.loss_contact) && isfinite(r.loss_damping) && isfinite((double)r.residual) && isfinite((double)r.momentum_lost));
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

static void count_slivers(ct_log_level level, const char *text, void *user)
{
    *(int *)user += level == CT_LOG_WARNING && strstr(text, "sliver") != NULL;
}

static void slivers_are_named(void **state)
{
    static const double heights[] = {0.1, 1e-2, 1e-9};
    int i;
    (void)state;
    for (i = 0; i < 3; i++) {
        ct_real at[] = {0, 0, 0, (ct_real)0.2, 0, 0, 0, 0, (ct_real)0.2, 0, (ct_real)heights[i], 0};
        int32_t tet[] = {0, 2, 1, 3};
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_soft_desc s = ct_soft_desc_default();
        ct_body_id id;
        ct_mesh m;
        ct_world *w;
        int told = 0;
        d.log = count_slivers, d.log_user = &told;
        w = world_make(&d);
        memset(&m, 0, sizeof m);
        m.positions = at, m.n_positions = 4, m.tets = tet, m.n_tets = 1;
        s.mesh = &m;
        assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
        assert_int_equal(told, heights[i] < 1e-4);
        ct_world_destroy(w);
    }
}

static void count_coarse(ct_log_level level, const char *text, void *user)
{
    int *told = user;
    told[0] += level == CT_LOG_WARNING && strstr(text, "embedded surface") != NULL;
    told[1] += level == CT_LOG_WARNING && strstr(text, "above half of the surface's edges") != NULL;
}

/* a surface of edges of h and h sqrt 2 in tets of .1 m (longest edge .1 sqrt 3), and a thickness: told where h sqrt 2 > .1 sqrt 3, and where the
   thickness is above half of the surface's mean edge, which is between h and h sqrt 2 */
static void surfaces_that_do_not_fit_are_named(void **state)
{
    static const struct {
        int n, coarse, thick;
        double thickness;
    } c[] = {{1, 1, 0, 1e-3}, {1, 1, 0, 0.099}, {2, 0, 0, 0.049}, {2, 0, 1, 0.072}, {4, 0, 0, 0.0245}, {4, 0, 1, 0.036}};
    int i;
    (void)state;
    for (i = 0; i < (int)(sizeof c / sizeof *c); i++) {
        ct_real size[3] = {(ct_real)0.2, (ct_real)0.2, (ct_real)0.2};
        int cells[3] = {2, 2, 2}, fine[3] = {c[i].n, c[i].n, c[i].n};
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_soft_desc s = ct_soft_desc_default();
        ct_mesh m, skin;
        ct_world *w;
        int told[2] = {0, 0};
        d.log = count_coarse, d.log_user = told, d.self_collision = 0;
        w = world_make(&d);
        assert_int_equal(ct_mesh_box(size, cells, 1, &m, NULL), CT_OK);
        assert_int_equal(ct_mesh_box(size, fine, 0, &skin, NULL), CT_OK);
        s.mesh = &m, s.surface = &skin, s.thickness = (ct_real)c[i].thickness;
        assert_int_equal(ct_body_add_soft(w, &s, NULL), CT_OK);
        assert_int_equal(told[0], c[i].coarse);
        assert_int_equal(told[1], c[i].thick);
        ct_mesh_free(&m), ct_mesh_free(&skin);
        ct_world_destroy(w);
    }
}

/* adding a rod of 4 segments of .25, .25, .25 and .5 m along x with this twist and direction; its error's element and value */
static ct_code twisted(double twist, double dx, double dy, int64_t *element, double *value)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_rod_desc r = rod_desc(5e-3, 1e6);
    ct_mesh m = line(4, 0, 0, 0, 1, 0, 0);
    ct_body_id id;
    ct_code code;
    m.positions[12] = (ct_real)1.25;
    r.mesh = &m, r.twist = (ct_real)twist, r.direction[0] = (ct_real)dx, r.direction[1] = (ct_real)dy;
    code = ct_body_add_rod(w, &r, &id);
    *element = -2, *value = 0;
    if (code != CT_OK) {
        *element = ct_world_error(w)->element, *value = ct_world_error(w)->value;
        print_message("  twist %g, direction %g %g: %s\n", twist, dx, dy, ct_world_error(w)->text);
        assert_non_null(strstr(ct_world_error(w)->text, dx > 0 ? "direction" : "twist"));
    }
    line_free(&m);
    ct_world_destroy(w);
    return code;
}

/* Natural twist of half a turn a segment and more is not known from whole turns; a direction along a segment has no part across it. Both are
   refused, with the segment's number. The last joint is one of .375 m */
static void frames_of_rods_have_a_sense(void **state)
{
    const double pi = 3.14159265358979324;
    int64_t element;
    double value;
    (void)state;
    assert_int_equal(twisted(0.99 * pi / 0.375, 0, 0, &element, &value), CT_OK);
    assert_int_equal(twisted(-0.99 * pi / 0.375, 0, 1, &element, &value), CT_OK);
    assert_int_equal(twisted(1.01 * pi / 0.375, 0, 0, &element, &value), CT_ERR_ARGUMENT);
    assert_int_equal(element, 2);
    assert_true(fabs(value - 1.01 * pi) < 1e-5);
    assert_int_equal(twisted(-1.01 * pi / 0.25, 0, 1, &element, &value), CT_ERR_ARGUMENT);
    assert_int_equal(element, 0);
    assert_int_equal(twisted(0, 2, 0, &element, &value), CT_ERR_ARGUMENT);
    assert_int_equal(element, 0);
    assert_int_equal(twisted(0, 2, 5e-4, &element, &value), CT_ERR_ARGUMENT);
    assert_int_equal(twisted(0, 2, 0.1, &element, &value), CT_OK);
}

/* the code of adding a mesh as soft, cloth or rigid body, by kind */
static ct_code add_kind(ct_world *w, char kind, const ct_mesh *m)
{
    ct_soft_desc s = ct_soft_desc_default();
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_rigid_desc r = ct_rigid_desc_default();
    s.mesh = c.mesh = r.mesh = m;
    s.name = c.name = r.name = "jelly";
    if (kind == 's')
        return ct_body_add_soft(w, &s, NULL);
    return kind == 'c' ? ct_body_add_cloth(w, &c, NULL) : ct_body_add_rigid(w, &r, NULL);
}

/* Tets and triangles that are listed twice, with their vertices in another order, are refused by name and number: they had twice the mass, and a
   soft body with them had no surface and fell through floors. */
static void repeated_elements_are_named(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = world_make(&d);
    const char *kind;
    (void)state;
    for (kind = "src"; *kind; kind++) {
        int per = *kind == 'c' ? 3 : 4, n, k;
        ct_mesh m = *kind == 'c' ? mesh_grid(1, 1, 3, 3) : mesh_box(1, 1, 1, 2, 2, 2, 1), twice = m;
        int32_t *from = *kind == 'c' ? m.triangles : m.tets, *list;
        n = *kind == 'c' ? m.n_triangles : m.n_tets;
        list = (int32_t *)malloc(sizeof *list * (size_t)(per * (n + 1)));
        assert_non_null(list);
        memcpy(list, from, sizeof *list * (size_t)(per * n));
        for (k = 0; k < per; k++)
            list[per * n + k] = from[per * 7 + (k + 2) % per];
        twice.tets = *kind == 'c' ? NULL : list, twice.triangles = *kind == 'c' ? list : NULL;
        twice.n_tets = *kind == 'c' ? 0 : n + 1, twice.n_triangles = *kind == 'c' ? n + 1 : 0;
        assert_int_equal(add_kind(w, *kind, &twice), CT_ERR_MESH);
        assert_int_equal(ct_world_error(w)->element, n);
        assert_true(ct_world_error(w)->value == 7);
        assert_non_null(strstr(ct_world_error(w)->text, "jelly"));
        assert_int_equal(add_kind(w, *kind, &m), CT_OK);
        free(list);
        ct_mesh_free(&m);
    }
    assert_int_equal(ct_world_body_count(w), 3);
    ct_world_destroy(w);
}

/* a scalar type out of range, a thickness whose powers overflow, a coordinate that makes every tet flat: each is refused by its name */
static void numbers_out_of_range_are_named(void **state)
{
    double big = sizeof(ct_real) == 8 ? 1e80 : 1e10, far = sizeof(ct_real) == 8 ? 1e300 : 1e38, x[24], untouched[24];
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = world_make(&d), *none = NULL;
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 1);
    ct_soft_desc s = ct_soft_desc_default();
    ct_rod_desc rod = ct_rod_desc_default();
    ct_real kept = m.positions[5];
    ct_body_id id = add_crate(w, 0, 3, 0);
    ct_mesh l = line(2, 0, 0, 0, 1, 0, 0);
    ct_error_info e;
    (void)state;
    memset(x, 0x5a, sizeof x), memcpy(untouched, x, sizeof x);
    assert_int_equal(ct_body_get_positions(w, id, x, (ct_scalar_type)7, 24, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_velocities(w, id, x, (ct_scalar_type)-1, 24, NULL), CT_ERR_ARGUMENT);
    assert_memory_equal(x, untouched, sizeof x);
    s.mesh = &m, s.name = "jelly", s.thickness = (ct_real)big;
    assert_int_equal(ct_body_add_soft(w, &s, NULL), CT_ERR_ARGUMENT);
    assert_true(strstr(ct_world_error(w)->text, "thickness") && strstr(ct_world_error(w)->text, "jelly"));
    rod = rod_desc(1e-2, 1e6);
    rod.mesh = &l, rod.thickness = (ct_real)big;
    assert_int_equal(ct_body_add_rod(w, &rod, NULL), CT_ERR_ARGUMENT);
    d.thickness = (ct_real)big;
    assert_int_equal(ct_world_create(&d, &none, &e), CT_ERR_ARGUMENT);
    s.thickness = -1, m.positions[5] = (ct_real)far;
    assert_int_equal(ct_body_add_soft(w, &s, NULL), CT_ERR_MESH);
    assert_true(ct_world_error(w)->element == 1 && strstr(ct_world_error(w)->text, "coordinate"));
    m.positions[5] = kept;
    assert_int_equal(ct_body_add_soft(w, &s, NULL), CT_OK);
    ct_mesh_free(&m), line_free(&l);
    ct_world_destroy(w);
}

/* contacts of the world as its user reads them */
static int listed(const ct_world *w, ct_contact *out, int most)
{
    const ct_contact *c;
    int n;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    assert_true(n <= most);
    memcpy(out, c, sizeof *c * (size_t)n);
    return n;
}

/* The list of contacts is that of the last step also after a step that is refused, or for which memory runs out, before and after bodies have
   changed. Such a step emptied it. */
static void failed_steps_leave_contacts(void **state)
{
    static ct_contact before[256], after[256];
    int stepper, turn, i;
    (void)state;
    for (stepper = 0; stepper < 2; stepper++)
        for (turn = 1; turn < 4; turn++) { /* 1: memory; 2, 3: with stepper barrier a start that intersects; 1, 3: a body was added before */
            ct_world_desc d;
            books b;
            ct_world *w;
            int n;
            int64_t k;
            memset(&b, 0, sizeof b);
            d = world_desc(1e-3, 0.3, &b);
            d.stepper = stepper ? CT_STEPPER_BARRIER : CT_STEPPER_CMR;
            if (turn >= 2 && !stepper)
                continue;
            w = world_make(&d);
            add_plane(w, 0, 1, 0, 0);
            add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.0512, 0);
            for (i = 0; i < 12; i++)
                step_once(w, 0.01);
            if (turn & 1)
                add_soft_box(w, "far", 0.1, 1, 1e5, 3, 2, 0);
            n = turn & 1 ? listed(w, before, 256) : 4; /* where the list is not asked for before, it has the four lower corners */
            if (turn >= 2)
                add_soft_box(w, "overlap", 0.1, 1, 1e5, 0.03, 0.07, 0.02);
            for (k = 1; k < (turn < 2 ? 40 : 2); k++) {
                b.fail_at = turn < 2 ? b.calls + k : 0;
                if (ct_world_step(w, (ct_real)0.01, NULL) == CT_OK)
                    break;
                b.fail_at = 0;
                assert_int_equal(listed(w, after, 256), n);
                assert_true(n >= 4 && (turn == 2 || memcmp(before, after, sizeof *before * (size_t)n) == 0));
                assert_true(after[0].impulse_normal > 0);
            }
            b.fail_at = 0;
            assert_true(k > 1);
            ct_world_destroy(w);
            assert_true(b.blocks == 0 && b.wrong == 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_may_not_call_back), cmocka_unit_test(strides_are_memory),
        cmocka_unit_test(contacts_outlive_others),
        cmocka_unit_test(joints_have_one_place),       cmocka_unit_test(failed_allocations_are_told),
        cmocka_unit_test(slivers_are_named), cmocka_unit_test(surfaces_that_do_not_fit_are_named),           cmocka_unit_test(visitors_change_no_bit),
        cmocka_unit_test(reports_are_finite),          cmocka_unit_test(frames_of_rods_have_a_sense),
        cmocka_unit_test(repeated_elements_are_named), cmocka_unit_test(numbers_out_of_range_are_named),
        cmocka_unit_test(failed_steps_leave_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
