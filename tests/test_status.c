/* test_status.c -- the status of a step follows from the judge: ok, substepped and zones only if the report's residual is at most the
   tolerance. The scenes are those in which that once failed. */
#include "world_util.h"

typedef struct truth {
    int steps, reached, lies, hist[CT_STATUS_COUNT_];
    double worst, most, energy; /* largest residual of a step up to zones, and of all steps; largest kinetic and elastic energy */
} truth;

static ct_step_report look(ct_world *w, double dt, double tolerance, truth *t)
{
    ct_step_report r;
    assert_int_equal(ct_world_step(w, (ct_real)dt, &r), CT_OK);
    t->steps++, t->hist[r.status]++;
    t->most = fmax(t->most, (double)r.residual);
    t->energy = fmax(t->energy, r.energy_kinetic + r.energy_elastic);
    if (r.status <= CT_STATUS_ZONES) {
        t->reached += (double)r.residual <= tolerance;
        t->lies += !((double)r.residual <= tolerance);
        t->worst = fmax(t->worst, (double)r.residual);
    }
    return r;
}

static void tell(const char *name, const truth *t)
{
    print_message("  %-28s %d steps, %d reached, %d lie, worst %.2g (all %.2g), ok %d substepped %d zones %d budget %d not_converged %d\n", name,
                  t->steps, t->reached, t->lies, t->worst, t->most, t->hist[0], t->hist[1], t->hist[2], t->hist[3], t->hist[4]);
}

static void add_floor(ct_world *w)
{
    ct_static_desc d = ct_static_desc_default();
    ct_body_id b;
    d.plane_normal[1] = 1;
    assert_int_equal(ct_body_add_static(w, &d, &b), CT_OK);
}

static ct_body_id add_soft(ct_world *w, const ct_mesh *m, ct_model model, double young, double poisson, double density)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id b;
    d.mesh = m;
    d.material = ct_material_default(model);
    d.material.young = (ct_real)young, d.material.poisson = (ct_real)poisson, d.material.density = (ct_real)density;
    assert_int_equal(ct_body_add_soft(w, &d, &b), CT_OK);
    return b;
}

/* two tets, one of them flat to a nanometre */
static void slivers(void **state)
{
    static const double corners[] = {0, 0.1, 0, 0.2, 0.1, 0, 0, 0.1, 0.2, 0, 0.3, 0.07, 0, 0.1 - 1e-9, 0.07};
    ct_real x[15];
    static int32_t tets[] = {0, 2, 1, 3, 0, 1, 2, 4};
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = world_make(&d);
    ct_mesh m;
    truth t;
    int i;
    (void)state;
    memset(&t, 0, sizeof t), memset(&m, 0, sizeof m);
    for (i = 0; i < 15; i++)
        x[i] = (ct_real)corners[i];
    m.positions = x, m.n_positions = 5, m.tets = tets, m.n_tets = 2;
    add_floor(w);
    add_soft(w, &m, CT_MODEL_NEOHOOKEAN, 1e5, (double)ct_material_default(CT_MODEL_NEOHOOKEAN).poisson, 1000);
    for (i = 0; i < 150; i++)
        look(w, 0.01, 1e-4, &t);
    tell("sliver", &t);
    assert_int_equal(t.lies, 0);
    assert_true(t.reached >= 10); /* the flat tet may end below a fifth of its volume, which the status tells */
    ct_world_destroy(w);
}

/* a steel cube of 2 cm that falls on an edge */
static void steel(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.02, 0.02, 0.02, 3, 3, 3, 1);
    truth t;
    int i;
    (void)state;
    memset(&t, 0, sizeof t);
    mesh_place(&m, 0.349, 0, 0.22, 0);
    add_floor(w);
    add_soft(w, &m, CT_MODEL_COROTATIONAL, 2e11, 0.3, 7800);
    ct_mesh_free(&m);
    for (i = 0; i < 60; i++)
        look(w, 1.0 / 60, 1e-4, &t);
    tell("steel cube", &t);
    assert_int_equal(t.lies, 0);
    assert_true(t.reached >= 54);
    ct_world_destroy(w);
}

/* stacks of ten, soft and rigid in turn */
static void stacks(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    truth t;
    int i;
    (void)state;
    memset(&t, 0, sizeof t);
    add_floor(w);
    for (i = 0; i < 10; i++) {
        ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, i % 2 == 0);
        ct_rigid_desc r = ct_rigid_desc_default();
        ct_body_id b;
        mesh_place(&m, 0, 0.002 * i, 0.052 + 0.104 * i, 0);
        r.mesh = &m;
        if (i % 2 == 0)
            add_soft(w, &m, CT_MODEL_COROTATIONAL, 1e6, 0.3, 1000);
        else
            assert_int_equal(ct_body_add_rigid(w, &r, &b), CT_OK);
        ct_mesh_free(&m);
    }
    for (i = 0; i < 100; i++)
        look(w, 0.01, 1e-4, &t);
    tell("stack of ten", &t);
    assert_int_equal(t.lies, 0);
    assert_true(t.reached >= 65);
    ct_world_destroy(w);
}

/* a soft block between a floor and a plate that moves down to half of the block's height, and up again */
static void squeeze(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 4, 4, 4, 1), plate = mesh_box(0.2, 0.02, 0.2, 1, 1, 1, 0);
    ct_kinematic_desc p = ct_kinematic_desc_default();
    ct_motion_segment path[2];
    ct_body_id b;
    truth t;
    int i;
    (void)state;
    memset(&t, 0, sizeof t), memset(path, 0, sizeof path);
    add_floor(w);
    mesh_place(&m, 0, 0, 0.052, 0), mesh_place(&plate, 0, 0, 0.115, 0);
    add_soft(w, &m, CT_MODEL_NEOHOOKEAN, 1e5, 0.4, 1000);
    path[0].motion.linear[1] = (ct_real)-0.15, path[0].duration = 0.3, path[1].motion.linear[1] = (ct_real)0.15, path[1].duration = -1;
    p.mesh = &plate, p.segments = path, p.n_segments = 2;
    assert_int_equal(ct_body_add_kinematic(w, &p, &b), CT_OK);
    for (i = 0; i < 60; i++)
        look(w, 0.01, 1e-4, &t);
    tell("squeeze", &t);
    assert_int_equal(t.lies, 0);
    assert_true(t.reached >= 50);
    ct_mesh_free(&m), ct_mesh_free(&plate);
    ct_world_destroy(w);
}

/* the free motion of bodies without contacts is judged, too */
static void free_bodies(void **state)
{
    static const double young[] = {1e5, 1e9, 1e12}, size[] = {0.01, 0.2};
    int e, k, i;
    (void)state;
    for (e = 0; e < 3; e++)
        for (k = 0; k < 2; k++) {
            ct_world_desc d = world_desc(1e-3, 0.3, NULL);
            ct_world *w = world_make(&d);
            ct_mesh m = mesh_box(size[k], size[k], size[k], 3, 3, 3, 1);
            ct_soft_desc s = ct_soft_desc_default();
            ct_body_id b;
            truth t;
            memset(&t, 0, sizeof t);
            s.mesh = &m, s.material = ct_material_default(CT_MODEL_NEOHOOKEAN);
            s.material.young = (ct_real)young[e], s.angular_velocity[1] = 3;
            assert_int_equal(ct_body_add_soft(w, &s, &b), CT_OK);
            ct_mesh_free(&m);
            for (i = 0; i < 20; i++)
                look(w, 0.01, 1e-4, &t);
            if (k == 0)
                tell("free block", &t);
            assert_int_equal(t.lies, 0);
            assert_true(t.most > 0 && t.reached >= 18);
            ct_world_destroy(w);
        }
}

/* a rigid cube of 5 kg that hits an equal soft one of 1 kg at 2 m/s: contacts of one plane, nearly equal */
static void rigid_on_soft(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_world *w;
    ct_mesh a = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1), b = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_body_id id;
    truth t;
    int i;
    (void)state;
    memset(&t, 0, sizeof t);
    d.gravity[1] = 0, d.thickness = ct_world_desc_default().thickness;
    w = world_make(&d);
    mesh_place(&a, 0, -0.06, 0, 0), mesh_place(&b, 0, 0.06, 0, 0);
    {
        ct_soft_desc s = ct_soft_desc_default();
        s.mesh = &a, s.material = ct_material_default(CT_MODEL_COROTATIONAL), s.friction = 0;
        s.material.young = (ct_real)1e6, s.material.poisson = (ct_real)0.3, s.material.density = 1000;
        assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
    }
    r.mesh = &b, r.density = 5000, r.friction = 0, r.velocity[0] = -2;
    assert_int_equal(ct_body_add_rigid(w, &r, &id), CT_OK);
    for (i = 0; i < 10; i++)
        look(w, 0.005, 1e-4, &t);
    tell("rigid on soft", &t);
    print_message("  energy %.4g J of 10\n", t.energy);
    assert_int_equal(t.lies, 0);
    assert_true(t.reached >= 9 && t.energy < 10.1);
    ct_mesh_free(&a), ct_mesh_free(&b);
    ct_world_destroy(w);
}

/* every solver of worlds, and the paper's own end of a solve: the status follows from the judged residual */
static void solvers(void **state)
{
    static const ct_solver list[] = {CT_SOLVER_AUTO, CT_SOLVER_ICA, CT_SOLVER_CA, CT_SOLVER_PGS, CT_SOLVER_NEWTON, CT_SOLVER_MPRGP};
    int k, i;
    (void)state;
    for (k = 0; k < 7; k += PLAIN_OR(1, 2)) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_world *w;
        truth t;
        memset(&t, 0, sizeof t);
        if (k < 6)
            d.solver.solver = list[k];
        else
            d.solver.termination = CT_TERMINATION_PAPER;
        w = world_make(&d);
        add_floor(w);
        for (i = 0; i < 3; i++) {
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, i != 1);
            ct_rigid_desc r = ct_rigid_desc_default();
            ct_body_id b;
            mesh_place(&m, 0.09 * i, 0.01 * i, 0.07 + 0.13 * i, 0);
            r.mesh = &m;
            if (i != 1)
                add_soft(w, &m, CT_MODEL_COROTATIONAL, 1e5, 0.3, 1000);
            else
                assert_int_equal(ct_body_add_rigid(w, &r, &b), CT_OK);
            ct_mesh_free(&m);
        }
        for (i = 0; i < 60; i++)
            look(w, 0.01, 1e-4, &t);
        tell(k < 6 ? ct_solver_text(list[k]) : "ica, paper", &t);
        assert_int_equal(t.lies, 0);
        assert_true(k == 6 || t.reached >= 50);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {PLAIN_TEST(slivers) cmocka_unit_test(steel), PLAIN_TEST(stacks)
                                       cmocka_unit_test(squeeze),     cmocka_unit_test(free_bodies),   cmocka_unit_test(rigid_on_soft),
                                       cmocka_unit_test(solvers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
