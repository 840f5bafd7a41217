/* test_impulses.c -- impulses of contacts, joints and pins are those of the whole step. Those of resting bodies sum to m g T for every
   integrator, also if the step is cut. A step that is undone does not change them. The times in a report sum to its total. */
#include "world_util.h"

#define G 9.81
#define DT 0.01
static const char *const names[3] = {"euler", "newmark", "bdf2"};

/* relative error allowed for m g T: the solver's tolerance, and in float rounding */
#define CLOSE (sizeof(ct_real) == 4 ? 2e-3 : 1e-4)

static double sum3(const double *v) { return fabs(v[0]) + fabs(v[1]) + fabs(v[2]); }

static ct_world *make(ct_integrator integrator, int events, books *b)
{
    ct_world_desc d = world_desc(1e-3, 0.5, b);
    d.integrator = integrator;
    d.ccd_limits_step = events;
    return world_make(&d);
}

static ct_body_id add_rigid_at(ct_world *w, const ct_mesh *m, double density, const double *v, const double *omega)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    int k;
    d.mesh = m;
    d.density = (ct_real)density;
    for (k = 0; k < 3; k++) {
        d.velocity[k] = (ct_real)(v ? v[k] : 0);
        d.angular_velocity[k] = (ct_real)(omega ? omega[k] : 0);
    }
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    return id;
}

/* a box with its centre at (x, y, z) */
static ct_body_id add_rigid(ct_world *w, double sx, double sy, double sz, double x, double y, double z, const double *v, const double *omega)
{
    ct_mesh m = mesh_box(sx, sy, sz, 1, 1, 1, 0);
    ct_body_id id;
    mesh_place(&m, 0, x, y, z);
    id = add_rigid_at(w, &m, 1000, v, omega);
    ct_mesh_free(&m);
    return id;
}

/* a body far from all others that spins so fast that the world is cut into substeps */
static void add_spinner(ct_world *w)
{
    double omega[3] = {60, 100, 0};
    add_rigid(w, 0.1, 0.12, 0.14, 30, 100, 0, NULL, omega);
}

#define DRAG 20 /* [1/s] mass damping of the block */

/* a soft block of 8 kg that soon creeps to rest */
static ct_body_id add_block(ct_world *w, double x, double y)
{
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, x, y, 0);
    d.mesh = &m;
    d.material.young = (ct_real)1e6, d.material.poisson = (ct_real)0.3, d.material.density = 1000;
    d.material.damping_mass = DRAG, d.material.damping_stiffness = (ct_real)0.01;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* adds the impulses of contacts on a body over the last step; returns the number of contacts */
static int contact_sum(const ct_world *w, ct_body_id body, double out[3])
{
    const ct_contact *c;
    int n, i, k, count = 0;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++) {
        int a = c[i].body_a.index1 == body.index1, b = c[i].body_b.index1 == body.index1;
        for (k = 0; k < 3 && a != b; k++)
            out[k] += (a - b) * ((double)c[i].impulse_normal * (double)c[i].normal[k] +
                                 (double)c[i].impulse_tangent[0] * (double)c[i].tangent[0][k] +
                                 (double)c[i].impulse_tangent[1] * (double)c[i].tangent[1][k]);
        count += a != b;
    }
    return count;
}

static void pin_sum(const ct_world *w, ct_body_id body, double out[3])
{
    int i, k;
    for (i = 0; i < ct_body_node_count(w, body); i++) {
        ct_real p[3];
        assert_int_equal(ct_body_get_pin_impulse(w, body, i, p), CT_OK);
        for (k = 0; k < 3; k++)
            out[k] += (double)p[k];
    }
}

/* relative error of a sum against m g T upwards */
static double miss(const double *sum, double mass)
{
    double d[3];
    d[0] = sum[0], d[1] = sum[1] - mass * G * DT, d[2] = sum[2];
    return sum3(d) / (mass * G * DT);
}

/* ---- contacts ---- */

static void resting_bodies_weigh_what_they_weigh(void **state)
{
    int integrator, spin, q;
    (void)state;
    for (integrator = 0; integrator < 3; integrator++)
        for (spin = 0; spin < 2; spin++) {
            ct_world *w = make((ct_integrator)integrator, 0, NULL);
            ct_body_id rigid, soft, low, top;
            double worst[2] = {0, 0};
            int most = 0;
            add_plane(w, 0, 1, 0, 0);
            rigid = add_rigid(w, 0.2, 0.2, 0.2, 0, 0.101, 0, NULL, NULL);
            soft = add_block(w, 1, 0.101);
            low = add_block(w, 2, 0.101);
            top = add_rigid(w, 0.2, 0.1, 0.2, 2, 0.252, 0, NULL, NULL);
            if (spin)
                add_spinner(w);
            for (q = 0; q < 160; q++) {
                ct_step_report r = step_once(w, DT);
                double s[4][3];
                memset(s, 0, sizeof s);
                contact_sum(w, rigid, s[0]), contact_sum(w, soft, s[1]), contact_sum(w, top, s[2]);
                contact_sum(w, low, s[3]);
                if (q < 150)
                    continue;
                most = r.substeps > most ? r.substeps : most;
                worst[0] = fmax(worst[0], miss(s[0], 8));
                worst[1] = fmax(worst[1], fmax(miss(s[1], 8), fmax(miss(s[2], 4), miss(s[3], 8))));
            }
            print_message("%s, %d substeps: contacts miss m g T by %.2g (rigid), %.2g (soft)\n", names[integrator], most, worst[0], worst[1]);
            assert_int_equal(most, 1); /* bodies that meet nothing cut no step */
            assert_true(worst[0] < CLOSE);
            assert_true(worst[1] < CLOSE);
            ct_world_destroy(w);
        }
}

/* Impacts elsewhere cut the step where they happen, in unequal parts, and bodies at rest do not move. Flat impacts at 16 m/s are more than float
   can cut cleanly */
static void resting_bodies_beside_impacts(void **state)
{
    int integrator, q, i, is_float = sizeof(ct_real) == 4;
    (void)state;
    for (integrator = 0; integrator < 3; integrator++) {
        ct_world *w = make((ct_integrator)integrator, 1, NULL);
        ct_body_id rigid, soft;
        double worst[2] = {0, 0}, all[3] = {0, 0, 0}, down[3] = {0, -3, 0};
        int cuts = 0;
        add_plane(w, 0, 1, 0, 0);
        rigid = add_rigid(w, 0.2, 0.2, 0.2, 0, 0.101, 0, NULL, NULL);
        soft = add_block(w, 1, 0.101);
        for (i = 0; i < 5; i++)
            add_rigid(w, 0.05, 0.05, 0.05, 3 + 0.2 * i, 13 + 0.137 * i, 0, down, NULL);
        for (q = 0; q < 160; q++) {
            ct_step_report r = step_once(w, DT);
            double s[2][3];
            memset(s, 0, sizeof s);
            contact_sum(w, rigid, s[0]), contact_sum(w, soft, s[1]);
            if (q < 120)
                continue;
            cuts += r.events;
            worst[0] = fmax(worst[0], miss(s[0], 8)), worst[1] = fmax(worst[1], miss(s[1], 8));
            for (i = 0; i < 3; i++)
                all[i] += s[0][i] / 40;
        }
        print_message("%s, %d cuts: contacts miss m g T by %.2g (rigid), %.2g (soft), over all by %.2g\n", names[integrator], cuts,
                      worst[0], worst[1], miss(all, 8));
        assert_true(cuts >= (is_float ? 1 : 3));
        assert_true(miss(all, 8) < CLOSE || is_float);
        assert_true((worst[0] < CLOSE && worst[1] < CLOSE) || is_float);
        ct_world_destroy(w);
    }
}

/* without gravity the change of a bar's momentum in a step is the sum of its contacts' impulses, of contacts that end within the step, too */
static void contacts_exchange_all_momentum(void **state)
{
    double v[2][3] = {{3, 0, 0}, {-1, 0.3, 0.2}}, omega[3] = {0, 120, 20}, before[2][3], worst = 0, most = 0;
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_body_id bar[2];
    ct_world *w;
    ct_mesh m[2];
    int q, b, k, cut = 0;
    (void)state;
    memset(d.gravity, 0, sizeof d.gravity);
    w = world_make(&d);
    m[0] = mesh_box(0.1, 0.1, 0.6, 1, 1, 1, 0), m[1] = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    mesh_place(&m[0], 0, -0.2, 0, 0), mesh_place(&m[1], 0, 0.2, 0, 0.2);
    bar[0] = add_rigid_at(w, &m[0], 1000, v[0], NULL), bar[1] = add_rigid_at(w, &m[1], 2000, v[1], omega);
    for (b = 0; b < 2; b++)
        for (k = 0; k < 3; k++)
            before[b][k] = (b ? 2 : 6) * v[b][k];
    for (q = 0; q < 60; q++) {
        ct_step_report r = step_once(w, DT);
        for (b = 0; b < 2; b++) {
            double got[3] = {0, 0, 0};
            int touched = contact_sum(w, bar[b], got);
            ct_real now[3];
            assert_int_equal(ct_body_get_motion(w, bar[b], now, NULL), CT_OK);
            for (k = 0; k < 3; k++) {
                double p = (b ? 2 : 6) * (double)now[k];
                most = fmax(most, fabs(p - before[b][k]));
                worst = fmax(worst, r.status <= CT_STATUS_SUBSTEPPED ? fabs(p - before[b][k] - got[k]) : 0);
                before[b][k] = p;
            }
            cut += touched && r.substeps > 1;
        }
    }
    print_message("bars that hit: %d times in cut steps, impulses miss the momentum by %.2g of %.2g N s\n", cut, worst, most);
    assert_true(cut > 0 && most > 1);
    assert_true(worst < (sizeof(ct_real) == 4 ? 1e-4 : 1e-9) * most);
    ct_world_destroy(w);
    for (b = 0; b < 2; b++)
        ct_mesh_free(&m[b]);
}

/* Under CT_STEPPER_BARRIER friction is that of the last solve: its pair may have left by the end of the step, or have another normal. A box slides on
   a floor of many triangles, and what contacts report is its change of momentum */
static void friction_that_has_left_is_told(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_static_desc s = ct_static_desc_default();
    ct_mesh floor = mesh_grid(4, 4, 16, 16), m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    double v[3] = {2, 0, 0}, before[3] = {0, 0, 0}, worst = 0, most = 0;
    ct_body_id id;
    ct_world *w;
    int q, k;
    (void)state;
    d.stepper = CT_STEPPER_BARRIER, d.barrier.newton_tolerance = sizeof(ct_real) == 4 ? (ct_real)1e-4 : (ct_real)1e-7;
    w = world_make(&d);
    s.name = "floor", s.mesh = &floor;
    assert_int_equal(ct_body_add_static(w, &s, NULL), CT_OK);
    mesh_place(&m, 0, -0.7, 0.0506, 0.013);
    id = add_rigid_at(w, &m, 1000, v, NULL);
    for (q = 0; q < 60; q++) {
        double got[3] = {0, 0, 0};
        ct_real now[3];
        step_once(w, 0.005);
        contact_sum(w, id, got);
        got[1] -= 9.81 * 0.005;
        assert_int_equal(ct_body_get_motion(w, id, now, NULL), CT_OK);
        for (k = 0; k < 3; k++) {
            most = fmax(most, q > 0 ? fabs((double)now[k] - before[k]) : 0);
            worst = fmax(worst, q > 0 ? fabs((double)now[k] - before[k] - got[k]) : 0);
            before[k] = (double)now[k];
        }
    }
    print_message("a box that slides: impulses miss the momentum by %.2g of %.2g N s\n", worst, most);
    assert_true(worst < (sizeof(ct_real) == 4 ? 1e-3 : 1e-7));
    ct_world_destroy(w);
    ct_mesh_free(&m), ct_mesh_free(&floor);
}

/* ---- joints ---- */

static ct_joint_id hang(ct_world *w, ct_body_id body, int vertex, double x, double y, double z)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id id = {0, 0};
    d.a.body = body;
    if (vertex >= 0)
        d.a.vertices[0] = vertex, d.a.weights[0] = 1;
    d.point[0] = (ct_real)x, d.point[1] = (ct_real)y, d.point[2] = (ct_real)z;
    assert_int_equal(ct_joint_add(w, &d, &id), CT_OK);
    return id;
}

static void joint_sum(const ct_world *w, ct_joint_id id, double out[3])
{
    ct_real p[3];
    int k;
    assert_int_equal(ct_joint_get_impulse(w, id, p, NULL), CT_OK);
    for (k = 0; k < 3; k++)
        out[k] += (double)p[k];
}

static void joints_carry_what_hangs(void **state)
{
    int integrator, spin, q, i;
    (void)state;
    for (integrator = 0; integrator < 3; integrator++)
        for (spin = 0; spin < 2; spin++) {
            ct_world *w = make((ct_integrator)integrator, 0, NULL);
            ct_body_id rigid = add_rigid(w, 0.2, 0.2, 0.2, 0, 1, 0, NULL, NULL), soft = add_block(w, 1, 1);
            ct_joint_id one = hang(w, rigid, -1, 0, 1.1, 0), four[4];
            double *x, worst[2] = {0, 0};
            int n, k = 0;
            x = read_vectors(w, soft, 0, &n);
            for (i = 0; i < n && k < 4; i++)
                if (x[3 * i + 1] > 1.099 && fabs(x[3 * i] - 1) > 0.09 && fabs(x[3 * i + 2]) > 0.09)
                    four[k++] = hang(w, soft, i, 0, 0, 0);
            assert_int_equal(k, 4);
            free(x);
            if (spin)
                add_spinner(w);
            for (q = 0; q < 160; q++) {
                double s[2][3];
                memset(s, 0, sizeof s);
                step_once(w, DT);
                joint_sum(w, one, s[0]);
                for (i = 0; i < 4; i++)
                    joint_sum(w, four[i], s[1]);
                if (q >= 150)
                    worst[0] = fmax(worst[0], miss(s[0], 8)), worst[1] = fmax(worst[1], miss(s[1], 8));
            }
            print_message("%s, spinner %d: joints miss m g T by %.2g (rigid), %.2g (soft)\n", names[integrator], spin, worst[0], worst[1]);
            assert_true(worst[0] < CLOSE && worst[1] < CLOSE);
            ct_world_destroy(w);
        }
}

/* ---- pins ---- */

/* pins the nodes of one height; returns how many */
static int pin_height(ct_world *w, ct_body_id body, double y, int axes)
{
    int n, i, k = 0;
    double *x = read_vectors(w, body, 0, &n);
    int32_t *list = (int32_t *)malloc(sizeof *list * (size_t)n);
    for (i = 0; i < n; i++)
        if (fabs(x[3 * i + 1] - y) < 1e-6)
            list[k++] = i;
    assert_int_equal(ct_body_pin(w, body, list, k, axes, NULL, -1), CT_OK);
    free(list), free(x);
    return k;
}

static void pins_carry_what_hangs(void **state)
{
    int integrator, spin, q;
    (void)state;
    for (integrator = 0; integrator < 3; integrator++)
        for (spin = 0; spin < 2; spin++) {
            ct_world *w = make((ct_integrator)integrator, 0, NULL);
            ct_body_id hung = add_block(w, 0, 1), stood = add_block(w, 1, 1), sheet, none = {0, 0};
            ct_mesh m = mesh_grid(0.4, 0.4, 4, 4);
            ct_cloth_desc c = ct_cloth_desc_default();
            double worst = 0, cloth = 0;
            ct_real line[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1}, p[3];
            int corner[3] = {0, 4, 20};
            mesh_place(&m, 0, 2, 1, 0);
            c.mesh = &m;
            c.material.areal_density = (ct_real)0.5, c.material.damping_mass = 20;
            assert_int_equal(ct_body_add_cloth(w, &c, &sheet), CT_OK);
            pin_height(w, hung, 1.1, CT_AXIS_ALL);
            pin_height(w, stood, 0.9, CT_AXIS_Y); /* pins hold the vertical axis alone: the block stands on them */
            assert_int_equal(ct_body_pin(w, sheet, corner, 3, CT_AXIS_ALL, NULL, -1), CT_OK);
            assert_int_equal(ct_body_constrain(w, sheet, 24, line), CT_OK); /* a bead on a line along z */
            assert_int_equal(ct_body_get_pin_impulse(w, hung, 0, p), CT_OK);
            assert_true(p[0] == 0 && p[1] == 0 && p[2] == 0);
            if (spin)
                add_spinner(w);
            for (q = 0; q < 200; q++) {
                double s[3][3];
                memset(s, 0, sizeof s);
                step_once(w, DT);
                if (q < 190)
                    continue;
                pin_sum(w, hung, s[0]), pin_sum(w, stood, s[1]), pin_sum(w, sheet, s[2]);
                worst = fmax(worst, fmax(miss(s[0], 8), miss(s[1], 8)));
                cloth = fmax(cloth, fabs(s[2][1] / (0.08 * G * DT) - 1));
                assert_int_equal(ct_body_get_pin_impulse(w, sheet, 24, p), CT_OK);
                assert_true(fabs((double)p[2]) < 1e-12 && fabs((double)p[1]) > 1e-4); /* nothing along the line */
                assert_int_equal(ct_body_get_pin_impulse(w, stood, 13, p), CT_OK);
                assert_true(p[0] == 0 && p[2] == 0);
            }
            print_message("%s, spinner %d: pins miss m g T by %.2g, of a sheet %.2g\n", names[integrator], spin, worst, cloth);
            assert_true(worst < CLOSE && cloth < 10 * CLOSE);
            assert_int_equal(ct_body_get_pin_impulse(w, hung, 27, p), CT_ERR_ARGUMENT);
            assert_int_equal(ct_body_get_pin_impulse(w, hung, -1, p), CT_ERR_ARGUMENT);
            assert_int_equal(ct_body_get_pin_impulse(w, hung, 0, NULL), CT_ERR_ARGUMENT);
            assert_int_equal(ct_body_get_pin_impulse(w, none, 0, p), CT_ERR_STALE_ID);
            assert_int_equal(ct_body_get_pin_impulse(NULL, hung, 0, p), CT_ERR_ARGUMENT);
            /* the impulses of a body that is removed go with it, those of the others stay */
            memset(line, 0, sizeof line);
            assert_int_equal(ct_body_get_pin_impulse(w, sheet, 0, line), CT_OK);
            assert_int_equal(ct_body_remove(w, hung), CT_OK);
            assert_int_equal(ct_body_get_pin_impulse(w, sheet, 0, p), CT_OK);
            assert_true(p[1] != 0 && !memcmp(p, line, sizeof p));
            ct_mesh_free(&m);
            ct_world_destroy(w);
        }
}

/* bodies that lie on pinned nodes and hang from them load the pins, too, although the solver has no unknowns there */
static void pins_carry_what_others_load(void **state)
{
    int integrator, spin, q;
    (void)state;
    for (integrator = 0; integrator < 3; integrator++)
        for (spin = 0; spin < 2; spin++) {
            ct_world *w = make((ct_integrator)integrator, 0, NULL);
            ct_body_id shelf = add_block(w, 0, 1), load = add_rigid(w, 0.1, 0.1, 0.1, 0, 1.151, 0, NULL, NULL), hook;
            ct_joint_desc d = ct_joint_desc_default(CT_JOINT_BALL);
            ct_joint_id id;
            double worst = 0;
            hook = add_rigid(w, 0.1, 0.1, 0.1, 0, 0.8, 0, NULL, NULL);
            pin_height(w, shelf, 0.9, CT_AXIS_ALL), pin_height(w, shelf, 1, CT_AXIS_ALL), pin_height(w, shelf, 1.1, CT_AXIS_ALL);
            d.a.body = hook, d.b.body = shelf;
            for (q = 0; q < 27; q++) { /* the middle of the lower side */
                ct_real *v = (ct_real *)malloc(27 * 3 * sizeof(ct_real));
                assert_int_equal(ct_body_get_positions(w, shelf, v, sizeof(ct_real) == 4 ? CT_SCALAR_FLOAT : CT_SCALAR_DOUBLE,
                                                       3 * sizeof(ct_real), NULL),
                                 CT_OK);
                if (fabs((double)v[3 * q]) < 1e-4 && fabs((double)v[3 * q + 1] - 0.9) < 1e-4 && fabs((double)v[3 * q + 2]) < 1e-4)
                    d.b.vertices[0] = q, d.b.weights[0] = 1;
                free(v);
            }
            assert_int_equal(ct_joint_add(w, &d, &id), CT_OK);
            if (spin)
                add_spinner(w);
            for (q = 0; q < 60; q++) {
                double s[3] = {0, 0, 0};
                step_once(w, DT);
                pin_sum(w, shelf, s);
                worst = q >= 50 ? fmax(worst, miss(s, 8 + 1 + 1)) : 0;
            }
            (void)load;
            print_message("%s, spinner %d: pins under a load miss its weight by %.2g\n", names[integrator], spin, worst);
            assert_true(worst < CLOSE);
            ct_world_destroy(w);
        }
}

/* a spinner on a ball joint: the step is cut for it, into halves or quarters */
static void add_held_spinner(ct_world *w)
{
    double omega[3] = {60, 100, 0};
    hang(w, add_rigid(w, 0.1, 0.12, 0.14, 30, 100, 0, NULL, omega), -1, 30, 100, 0);
}

/* contacts, joints and pins in one world whose steps are cut by a spinner on a joint, by impacts elsewhere, or by both */
static void all_carry_in_cut_steps(void **state)
{
    int run, q, i, is_float = sizeof(ct_real) == 4;
    (void)state;
    for (run = 0; run < 9; run += PLAIN_OR(1, 4)) {
        int spin = run / 3 != 1, events = run / 3 != 0, most = 0, cuts = 0;
        ct_world *w = make((ct_integrator)(run % 3), events, NULL);
        ct_body_id body[6];
        ct_joint_id joint;
        double worst[6], down[3] = {0, -3, 0};
        memset(worst, 0, sizeof worst);
        add_plane(w, 0, 1, 0, 0);
        body[0] = add_rigid(w, 0.2, 0.2, 0.2, 0, 0.101, 0, NULL, NULL);
        body[1] = add_block(w, 1, 0.101);
        body[2] = add_block(w, 2, 0.101);
        body[3] = add_rigid(w, 0.2, 0.1, 0.2, 2, 0.252, 0, NULL, NULL);
        body[4] = add_rigid(w, 0.2, 0.2, 0.2, -1, 1, 0, NULL, NULL);
        body[5] = add_block(w, -2, 1);
        joint = hang(w, body[4], -1, -1, 1.1, 0);
        pin_height(w, body[5], 1.1, CT_AXIS_ALL);
        if (spin)
            add_held_spinner(w);
        for (i = 0; events && i < 5; i++)
            add_rigid(w, 0.05, 0.05, 0.05, 4 + 0.2 * i, 13 + 0.137 * i, 0, down, NULL);
        for (q = 0; q < 160; q++) {
            ct_step_report r = step_once(w, DT);
            double s[6][3];
            memset(s, 0, sizeof s);
            for (i = 0; i < 4; i++)
                contact_sum(w, body[i], s[i]);
            joint_sum(w, joint, s[4]), pin_sum(w, body[5], s[5]);
            if (q < 120)
                continue;
            most = r.substeps > most ? r.substeps : most, cuts += r.events;
            for (i = 0; i < 6; i++)
                worst[i] = fmax(worst[i], miss(s[i], i == 3 ? 4 : 8));
        }
        print_message("%s, %d substeps, %d cuts: rigid %.2g, soft %.2g, under a load %.2g, %.2g, joint %.2g, pins %.2g\n", names[run % 3], most,
                      cuts, worst[0], worst[1], worst[2], worst[3], worst[4], worst[5]);
        assert_true(most > 1 && (cuts > 0 || !events));
        for (i = 0; i < 6; i++)
            assert_true(worst[i] < CLOSE || is_float);
        ct_world_destroy(w);
    }
}

/* ---- memory ---- */

/* results of a world about its last step */
typedef struct answers {
    uint64_t hash;
    double time, contacts[3], joint[3], pins[3];
    int n;
} answers;

static answers ask(const ct_world *w, ct_body_id box, ct_body_id hung, ct_joint_id joint)
{
    answers a;
    memset(&a, 0, sizeof a);
    a.hash = ct_world_hash(w), a.time = ct_world_time(w);
    a.n = contact_sum(w, box, a.contacts);
    joint_sum(w, joint, a.joint);
    pin_sum(w, hung, a.pins);
    return a;
}

/* Every allocation that fails in a step is reported, whatever solver made it, and leaves the world and its impulses unchanged */
static void memory_that_runs_out_is_told(void **state)
{
    static const ct_solver solvers[] = {CT_SOLVER_PGS, CT_SOLVER_MPRGP, CT_SOLVER_NEWTON};
    int i, q;
    (void)state;
    for (i = 0; i < (int)(sizeof solvers / sizeof *solvers); i++) {
        answers want[2];
        int fail, refused = 0, swallowed = 0;
        for (fail = 0; fail < PLAIN_OR(400, 40); fail++) {
            books bk;
            ct_world_desc d;
            ct_world *w;
            ct_body_id box, hung;
            ct_joint_id joint;
            answers a;
            ct_code code;
            memset(&bk, 0, sizeof bk);
            d = world_desc(1e-3, 0.5, &bk);
            d.solver.solver = solvers[i];
            w = world_make(&d);
            add_plane(w, 0, 1, 0, 0);
            box = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.051, 0);
            hung = add_soft_box(w, "hung", 0.1, 1, 1e5, 1, 1, 0);
            pin_height(w, hung, 1.05, CT_AXIS_ALL);
            joint = hang(w, add_rigid(w, 0.1, 0.1, 0.1, 2, 1, 0, NULL, NULL), -1, 2, 1.05, 0);
            for (q = 0; q < 2; q++)
                step_once(w, DT);
            want[0] = ask(w, box, hung, joint);
            bk.fail_at = fail ? bk.calls + fail : 0;
            code = ct_world_step(w, (ct_real)DT, NULL);
            bk.fail_at = 0;
            a = ask(w, box, hung, joint);
            if (fail == 0)
                want[1] = a;
            if (bk.refused == 0)
                fail = fail ? 1000 : 0; /* the step makes no further allocation */
            else if (code == CT_OK)
                swallowed++;
            else {
                refused++;
                assert_int_equal(code, CT_ERR_MEMORY);
                assert_true(!memcmp(&a, &want[0], sizeof a));
                assert_int_equal(ct_world_step(w, (ct_real)DT, NULL), CT_OK);
                a = ask(w, box, hung, joint);
                assert_true(a.n == want[1].n && a.time == want[1].time);
                for (q = 0; q < 3; q++)
                    assert_true(fabs(a.contacts[q] - want[1].contacts[q]) + fabs(a.pins[q] - want[1].pins[q]) < 1e-5);
            }
            ct_world_destroy(w);
            assert_true(bk.live == 0 && bk.wrong == 0);
        }
        print_message("%s: %d failed allocations told, %d swallowed\n", ct_solver_text(solvers[i]), refused, swallowed);
        assert_true(refused > 5 && swallowed == 0);
    }
}

/* after a first step, a step adds up its impulses without an allocation */
static void warm_steps_allocate_nothing(void **state)
{
    ct_world *w = make(CT_INTEGRATOR_EULER, 0, NULL);
    ct_body_id hung;
    int64_t before, after;
    int q;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    add_block(w, 0, 0.101);
    hung = add_block(w, 1, 1);
    pin_height(w, hung, 1.1, CT_AXIS_ALL);
    hang(w, add_rigid(w, 0.1, 0.1, 0.1, 2, 1, 0, NULL, NULL), -1, 2, 1.05, 0);
    add_spinner(w);
    for (q = 0; q < 40; q++)
        step_once(w, DT);
    ct_world_allocations(w, &before, NULL);
    for (q = 0; q < 20; q++)
        step_once(w, DT);
    ct_world_allocations(w, &after, NULL);
    assert_true(before == after);
    ct_world_destroy(w);
}

/* ---- times ---- */

static uint64_t tick(void *user) { return *(uint64_t *)user += 1000; }

/* the clock advances by a millisecond at each reading: the sum of the parts is the whole, preparation included */
static void times_add_up(void **state)
{
    uint64_t now = 0;
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w;
    int q;
    (void)state;
    d.now_us = tick, d.now_user = &now;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    add_block(w, 0, 0.1005);
    for (q = 0; q < 6; q++) {
        uint64_t start = now;
        ct_step_report r = step_once(w, DT);
        double sum = r.ms_prepare + r.ms_assemble + r.ms_unconstrained + r.ms_detect + r.ms_solve + r.ms_finish;
        assert_true(r.ms_prepare > 0 && r.ms_finish > 0 && r.ms_detect > 0);
        assert_true(fabs(sum - r.ms_total) < 1e-9 && fabs(r.ms_total - 1e-3 * (double)(now - start)) < 1.5);
    }
    ct_world_destroy(w);
}

/* ---- numbers ---- */

/* very fast spins stay finite, of bodies and in scripts; those whose squares overflow are refused by name */
static void wild_spins_are_finite(void **state)
{
    static const double spins[] = {1e8, 1e12, 1e20, 1e60};
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_kinematic_desc kd = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    int i, q, k;
    (void)state;
    rd.mesh = kd.mesh = &m;
    for (i = 0; i < 4; i++) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_world *w = world_make(&d);
        ct_body_id body[2];
        ct_code want = sizeof(ct_real) == 4 && spins[i] > 4e9 ? CT_ERR_ARGUMENT : CT_OK;
        rd.angular_velocity[0] = kd.motion.angular[0] = spins[i] > 3e38 && sizeof(ct_real) == 4 ? (ct_real)1e38 : (ct_real)spins[i];
        assert_int_equal(ct_body_add_rigid(w, &rd, &body[0]), want);
        mesh_place(&m, 0, 5, 0, 0);
        assert_int_equal(ct_body_add_kinematic(w, &kd, &body[1]), want);
        mesh_place(&m, 0, -5, 0, 0);
        for (q = 0; q < 3 && want == CT_OK; q++) {
            ct_step_report r = step_once(w, DT);
            assert_true(isfinite(r.energy_kinetic) && isfinite(r.energy_gravity) && isfinite((double)r.residual));
            for (k = 0; k < 2; k++) {
                int n, j;
                double *x = read_vectors(w, body[k], 0, &n);
                for (j = 0; j < 3 * n; j++)
                    assert_true(isfinite(x[j]) && fabs(x[j]) < 10);
                free(x);
            }
        }
        ct_world_destroy(w);
    }
    {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_world *w = world_make(&d);
        ct_real wild[3] = {0, 0, 0};
        ct_body_id id;
        wild[1] = sizeof(ct_real) == 4 ? (ct_real)1e10 : (ct_real)1e100;
        memcpy(rd.angular_velocity, wild, sizeof wild);
        assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_ERR_ARGUMENT);
        assert_non_null(strstr(ct_world_error(w)->text, "angular_velocity"));
        memset(rd.angular_velocity, 0, sizeof wild);
        memcpy(rd.velocity, wild, sizeof wild);
        assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_ERR_ARGUMENT);
        memset(rd.velocity, 0, sizeof wild);
        assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
        assert_int_equal(ct_body_set_motion(w, id, NULL, wild), CT_ERR_ARGUMENT);
        assert_non_null(strstr(ct_world_error(w)->text, "angular_velocity"));
        assert_int_equal(ct_body_set_motion(w, id, wild, NULL), CT_ERR_ARGUMENT);
        memcpy(kd.motion.angular, wild, sizeof wild);
        assert_int_equal(ct_body_add_kinematic(w, &kd, &id), CT_ERR_ARGUMENT);
        assert_non_null(strstr(ct_world_error(w)->text, "angular"));
        ct_world_destroy(w);
    }
    ct_mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resting_bodies_weigh_what_they_weigh),
        cmocka_unit_test(resting_bodies_beside_impacts),
        cmocka_unit_test(contacts_exchange_all_momentum),
        cmocka_unit_test(friction_that_has_left_is_told),
        cmocka_unit_test(joints_carry_what_hangs),
        cmocka_unit_test(pins_carry_what_hangs),
        cmocka_unit_test(pins_carry_what_others_load),
        cmocka_unit_test(all_carry_in_cut_steps),
        cmocka_unit_test(memory_that_runs_out_is_told),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(times_add_up),
        cmocka_unit_test(wild_spins_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
