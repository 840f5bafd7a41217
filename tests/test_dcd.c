/* test_dcd.c -- the discrete stepper: rest, impact, friction, thin parts, detection and decoupling against brute force, options. */
#include "world_util.h"
#include "../src/8_dcd/dcd_detect.c" /* its answer for one point; the library asks for many at once */
#include "../src/4_geom/dist.h"
#include "../src/9_world/world.h"
#include <math.h>

static ct_world_desc dcd_desc(double thickness, double friction)
{
    ct_world_desc d = world_desc(thickness, friction, NULL);
    d.stepper = CT_STEPPER_DCD;
    return d;
}

static void no_gravity(ct_world_desc *d) { d->gravity[0] = d->gravity[1] = d->gravity[2] = 0; }

static double lowest(const ct_world *w, ct_body_id id, int axis)
{
    int n, i;
    double *x = read_vectors(w, id, 0, &n), least = 1e30;
    for (i = 0; i < n; i++)
        least = fmin(least, x[3 * i + axis]);
    free(x);
    return least;
}

/* ---- physics ---- */

static void a_cube_rests_on_a_plane(void **state)
{
    ct_world_desc d = dcd_desc(2e-3, 0.4);
    ct_world *w = world_make(&d);
    ct_body_id id = add_soft_box(w, "cube", 0.2, 3, 1e5, 0, 0.15, 0);
    ct_step_report r;
    double middle[3], deepest = 0;
    int i;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 150; i++) {
        r = step_once(w, 0.01);
        deepest = fmax(deepest, (double)r.penetration);
        assert_true(r.status <= CT_STATUS_SUBSTEPPED);
    }
    read_middle(w, id, 0, middle);
    print_message("rest: lowest %.5f, deepest %.2g, contacts %d\n", lowest(w, id, 1), deepest, r.contacts);
    assert_true(deepest < 1e-4);
    assert_true(fabs(lowest(w, id, 1) - 2e-3) < 2e-4); /* the thickness is kept */
    assert_true(middle[1] > 0.09 && middle[1] < 0.103);
    assert_int_equal(r.contacts, 16);
    ct_world_destroy(w);
}

static void two_cubes_collide_and_separate(void **state)
{
    ct_world_desc d = dcd_desc(1e-3, 0.2);
    ct_world *w;
    ct_body_id a, b;
    ct_step_report r;
    double va[3], vb[3], p0, p1, deepest = 0;
    int i, touched = 0, n;
    double *v;
    (void)state;
    no_gravity(&d);
    w = world_make(&d);
    a = add_soft_box(w, "left", 0.2, 3, 1e5, 0, 0, 0);
    b = add_soft_box(w, "right", 0.2, 3, 1e5, 0.25, 0.013, 0.017);
    v = read_vectors(w, a, 1, &n);
    {
        ct_real *u = (ct_real *)calloc((size_t)(3 * n), sizeof *u);
        for (i = 0; i < n; i++)
            u[3 * i] = 2;
        assert_int_equal(ct_body_set_velocities(w, a, u, n), CT_OK);
        free(u);
    }
    free(v);
    read_middle(w, a, 1, va), read_middle(w, b, 1, vb);
    p0 = va[0] + vb[0];
    for (i = 0; i < 80; i++) {
        r = step_once(w, 0.005);
        touched += r.contacts > 0;
        deepest = fmax(deepest, (double)r.penetration);
    }
    read_middle(w, a, 0, va), read_middle(w, b, 0, vb);
    print_message("impact: in contact for %d steps, deepest %.2g\n", touched, deepest);
    assert_true(touched > 2);
    assert_int_equal(r.contacts, 0);
    assert_true(vb[0] - va[0] > 0.2); /* apart again */
    assert_true(deepest < 0.02);      /* two steps' motion */
    /* the mean of the nodes is not the centre of mass, which the report has */
    p1 = (double)r.center_of_mass[0];
    assert_true(fabs(p1 - (0.125 + 80 * 0.005 * p0 / 2)) < 2e-3);
    ct_world_destroy(w);
}

/* a cube on a slope of `angle` rad: distance that it slides in a second, after the first tenth */
static double slide(double angle, double mu, ct_dcd_friction friction)
{
    ct_world_desc d = dcd_desc(1e-3, mu);
    ct_world *w;
    ct_body_id id;
    double at[3], from = 0, c = cos(angle), s = sin(angle);
    int i;
    d.gravity[0] = (ct_real)(9.81 * s), d.gravity[1] = (ct_real)(-9.81 * c);
    d.dcd.friction = friction;
    w = world_make(&d);
    id = add_soft_box(w, "block", 0.1, 2, 2e5, 0, 0.0512, 0);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 110; i++) {
        if (i == 10)
            read_middle(w, id, 0, at), from = at[0];
        step_once(w, 0.01);
    }
    read_middle(w, id, 0, at);
    ct_world_destroy(w);
    return at[0] - from;
}

static void local_friction_holds(void **state)
{
    double local = slide(0.3, 0.5, CT_DCD_FRICTION_LOCAL), free_fall = slide(0.3, 0.5, CT_DCD_FRICTION_NONE);
    double without = 9.81 * sin(0.3) * (0.5 + 0.1);
    (void)state;
    print_message("slope: local friction held within %.2g m, without friction slid %.3f m (%.3f)\n", local, free_fall, without);
    assert_true(fabs(local) < 5e-3);
    assert_true(fabs(free_fall - without) < 0.03 * without);
}

/* ---- scales and frames ---- */

/* impulse of contacts on a body in the last step */
static void impulse_on(ct_world *w, ct_body_id id, double out[3])
{
    const ct_contact *c;
    int i, k, n;
    out[0] = out[1] = out[2] = 0;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++) {
        int side = (c[i].body_a.index1 == id.index1) - (c[i].body_b.index1 == id.index1);
        for (k = 0; k < 3; k++)
            out[k] += side * (double)(c[i].impulse_normal * c[i].normal[k] + c[i].impulse_tangent[0] * c[i].tangent[0][k] +
                                      c[i].impulse_tangent[1] * c[i].tangent[1][k]);
    }
}

static ct_world_desc slope_desc(double thickness, double angle)
{
    ct_world_desc d = dcd_desc(thickness, 0.4);
    d.gravity[0] = (ct_real)(9.81 * sin(angle)), d.gravity[1] = (ct_real)(-9.81 * cos(angle));
    return d;
}

static ct_body_id add_cube(ct_world *w, double size, double x, double y, double vy, double young)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_mesh m = mesh_box(size, size, size, 2, 2, 2, 1);
    ct_body_id id;
    d.mesh = &m, d.position[0] = (ct_real)x, d.position[1] = (ct_real)y, d.velocity[1] = (ct_real)vy;
    d.material.young = (ct_real)young, d.material.density = 1000, d.material.damping_stiffness = (ct_real)1e-3;
    d.thickness = (ct_real)(1e-3 * size);
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* A cube of 1 cm sticks to a slope. A resting one of 10 m, or a fast one, stands or flies elsewhere */
static void other_bodies_do_not_matter(void **state)
{
    static const double size[3] = {0, 10, 1}, speed[3] = {0, 0, 100};
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world_desc d = slope_desc(1e-5, 0.2);
        ct_world *w = world_make(&d);
        double J[3], at[3], weight = 1e3 * 1e-6 * 9.81 * 0.01;
        ct_body_id id;
        add_plane(w, 0, 1, 0, 0);
        id = add_cube(w, 0.01, 0, 0.00502, 0, 1e5);
        if (size[k] > 0)
            add_cube(w, size[k], 2 * size[k], (speed[k] > 0 ? 5 : 0.501) * size[k], speed[k], 1e7);
        for (i = 0; i < 100; i++)
            assert_int_equal(step_once(w, 0.01).status, CT_STATUS_OK);
        impulse_on(w, id, J);
        read_middle(w, id, 0, at);
        print_message("beside %g m at %g m/s: impulse %.4f %.4f weights, at %.3g m\n", size[k], speed[k], J[0] / weight, J[1] / weight, at[0]);
        assert_true(fabs(J[0] / weight + sin(0.2)) < 1e-3 && fabs(J[1] / weight - cos(0.2)) < 1e-3);
        assert_true(fabs(at[0]) < 3e-3 * 9.81 * 0.01); /* creep of a second */
        ct_world_destroy(w);
    }
}

/* distance that a box, on another one on a slope that moves at V, creeps in .75 s; newton: iterations a step */
static double ride(double V, int newton, ct_decouple how, double *out_height)
{
    ct_world_desc d = slope_desc(2e-3, 0.2);
    ct_world *w;
    ct_mesh m = mesh_box(5, 0.5, 5, 5, 1, 5, 0), box = mesh_box(0.3, 0.2, 0.3, 2, 1, 2, 1);
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_soft_desc s = ct_soft_desc_default();
    ct_body_id lower, upper, platform;
    double from[3], to[3];
    int i;
    d.dcd.newton_iterations = newton, d.dcd.decouple = how;
    w = world_make(&d);
    s.mesh = &box, s.material.young = 1e6, s.material.damping_stiffness = (ct_real)5e-3, s.velocity[2] = (ct_real)V;
    s.position[1] = (ct_real)0.103;
    assert_int_equal(ct_body_add_soft(w, &s, &lower), CT_OK);
    s.position[1] = (ct_real)0.31, s.position[0] = (ct_real)0.03;
    assert_int_equal(ct_body_add_soft(w, &s, &upper), CT_OK);
    k.mesh = &m, k.position[1] = (ct_real)-0.25, k.motion.linear[2] = (ct_real)V;
    assert_int_equal(ct_body_add_kinematic(w, &k, &platform), CT_OK);
    for (i = 0; i < 150; i++) {
        if (i == 75)
            read_middle(w, upper, 0, from);
        assert_int_equal(step_once(w, 0.01).status, CT_STATUS_OK);
    }
    read_middle(w, upper, 0, to);
    *out_height = to[1];
    ct_world_destroy(w);
    ct_mesh_free(&m);
    ct_mesh_free(&box);
    return hypot(to[0] - from[0], to[2] - from[2] - 0.75 * V);
}

static void a_common_velocity_does_not_matter(void **state)
{
    static const ct_decouple how[3] = {CT_DECOUPLE_PIVOT, CT_DECOUPLE_PIVOT, CT_DECOUPLE_NONE};
    const double coarse = CONTACT_REAL == 32 ? 10 : 1; /* as the default tolerances of the solves */
    int k;
    (void)state;
    for (k = 0; k < PLAIN_OR(3, 1); k++) {
        double y, y1, rest = ride(0, k == 1 ? 3 : 1, how[k], &y), fast = ride(100, k == 1 ? 3 : 1, how[k], &y1);
        print_message("ride: crept %.2e m to %.6f, at 100 m/s %.2e m to %.6f\n", rest, y, fast, y1);
        /* with three Newton iterations contacts are found three times, and rounding decides which */
        assert_true(fmax(rest, fast) < coarse * (k == 1 ? 1e-4 : 5e-6) && fabs(y1 - y) < coarse * (k == 1 ? 3e-4 : 1e-6));
    }
}

/* a cube that begins a twentieth of its size inside a plane, in steps that are short for its size */
static void recovery_does_not_throw_small_bodies(void **state)
{
    ct_world_desc d = dcd_desc(2e-6, 0);
    ct_world *w = world_make(&d);
    ct_body_id id = add_cube(w, 1e-3, 0, 0.45e-3, 0, 1e3);
    double at[3], highest = 0;
    int i;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 2000; i++) {
        step_once(w, 3.16e-5);
        read_middle(w, id, 0, at);
        highest = fmax(highest, at[1]);
    }
    print_message("recovery: rose %.3f of its size above rest\n", highest / 1e-3 - 0.5);
    assert_true(highest / 1e-3 - 0.5 < 0.1);
    ct_world_destroy(w);
}

/* A budget that ends the solves with friction, which the residual contains; and one that ends the free motion of a body that was pulled at a
   node, from which the step's own solve goes on to the tolerance */
static void solves_that_end_early_are_reported(void **state)
{
    int k, i, seen[2] = {0, 0};
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = slope_desc(1e-3, 0.2);
        ct_world *w;
        d.solver.budget = k ? 12 : 30;
        w = world_make(&d);
        add_soft_box(w, "block", 0.1, 2, 2e5, 0, k ? 5 : 0.0512, 0);
        if (k == 0)
            add_soft_box(w, "upper", 0.1, 2, 2e5, 0.013, 0.1524, 0.007);
        add_plane(w, 0, 1, 0, 0);
        step_once(w, 0.01);
        w->state.x[0] += k ? CTI_R(0.02) : 0, w->state.energy.known = 0;
        for (i = 0; i < 20; i++) {
            ct_step_report r = step_once(w, 0.01);
            int reached = r.residual <= d.solver.tolerance;
            assert_true(r.status == CT_STATUS_OK || r.status == CT_STATUS_BUDGET);
            assert_true(k || reached == (r.status == CT_STATUS_OK));
            seen[k] += r.status == CT_STATUS_BUDGET && reached == k;
        }
        ct_world_destroy(w);
    }
    print_message("budgets: %d steps with friction, %d free ones\n", seen[0], seen[1]);
    assert_true(seen[0] > 0 && seen[1] > 0);
}

static void a_body_at_rest_does_not_meet_itself(void **state)
{
    ct_world_desc d = dcd_desc(0.05, 0.4); /* thicker than its cells */
    ct_world *w;
    ct_step_report r;
    (void)state;
    no_gravity(&d);
    w = world_make(&d);
    add_soft_box(w, "fine", 0.2, 6, 1e5, 0, 0, 0);
    r = step_once(w, 0.01);
    assert_int_equal(r.rows, 0);
    assert_int_equal(r.contacts, 0);
    assert_true(r.penetration == 0);
    ct_world_destroy(w);
}

/* a strip that pinned ends bend into a hook until a time [s], in 120 steps. Returns in how many it is in contact with itself; how many are not
   converged; the most energy at an end [J] */
static int meet(double until, int *bad, double *most)
{
    ct_world_desc d = dcd_desc(4e-3, 0);
    ct_world *w;
    ct_mesh m = mesh_box(1.0, 0.05, 0.1, 24, 1, 2, 1);
    ct_body_id id;
    ct_motion left, right;
    int32_t *a, *b;
    int i, na = 0, nb = 0, met = 0;
    no_gravity(&d);
    w = world_make(&d);
    id = add_soft_mesh(w, "strip", &m, 1e5, 0, 0, 0);
    a = (int32_t *)malloc(sizeof *a * (size_t)m.n_positions), b = (int32_t *)malloc(sizeof *b * (size_t)m.n_positions);
    for (i = 0; i < m.n_positions; i++) {
        if ((double)m.positions[3 * i] < -0.47)
            a[na++] = i;
        if ((double)m.positions[3 * i] > 0.47)
            b[nb++] = i;
    }
    memset(&left, 0, sizeof left), memset(&right, 0, sizeof right);
    left.angular[2] = (ct_real)-1.5, left.center[0] = (ct_real)-0.01, right.angular[2] = (ct_real)1.5, right.center[0] = (ct_real)0.01;
    assert_int_equal(ct_body_pin(w, id, a, na, CT_AXIS_ALL, &left, (ct_real)until), CT_OK);
    assert_int_equal(ct_body_pin(w, id, b, nb, CT_AXIS_ALL, &right, (ct_real)until), CT_OK);
    for (*bad = 0, *most = 0, i = 0; i < 120; i++) {
        ct_step_report r = step_once(w, 0.01);
        *bad += r.status == CT_STATUS_NOT_CONVERGED, *most = fmax(*most, (double)(r.energy_elastic + r.energy_kinetic));
        met += r.contacts > 0;
    }
    free(a), free(b);
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return met;
}

/* Pinned ends of a strip that go on through each other crush the elements between them, which answer with 1e9 J in a step. Such a step is refused: none
   ends with more than the script and the bending before it gave */
static void crushed_elements_gain_nothing(void **state)
{
    double most = 0;
    int bad = 0;
    (void)state;
    meet(1.05, &bad, &most);
    print_message("strip: %d steps are not converged, and at most %.2f J are in it\n", bad, most);
    assert_true(bad > 0 && most < 10);
}

/* a strip that pinned ends bend into a hook, until they touch: its two ends have to meet, and part when they are free */
static void a_strip_meets_itself(void **state)
{
    double most;
    int bad, met = meet(1.03, &bad, &most);
    (void)state;
    print_message("strip: in contact with itself in %d steps\n", met);
    assert_true(met > 5 && bad == 0 && most < 6);
}

/* ---- thin parts ---- */

/* a ball and a thin plate that is held at its ends: height of the ball at the end, and the most substeps */
static double shoot(int max_substeps, int *out_substeps)
{
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w;
    ct_mesh plate = mesh_box(0.6, 0.03, 0.6, 10, 1, 10, 1);
    ct_body_id p, ball;
    int32_t *rim;
    double at[3];
    int i, n = 0, k;
    no_gravity(&d);
    d.dcd.max_substeps = max_substeps;
    w = world_make(&d);
    p = add_soft_mesh(w, "plate", &plate, 1e7, 0, 0, 0);
    rim = (int32_t *)malloc(sizeof *rim * (size_t)plate.n_positions);
    for (i = 0; i < plate.n_positions; i++)
        if (fabs((double)plate.positions[3 * i]) > 0.28)
            rim[n++] = i;
    assert_int_equal(ct_body_pin(w, p, rim, n, CT_AXIS_ALL, NULL, -1), CT_OK);
    ball = add_soft_box(w, "ball", 0.1, 3, 3e5, 0.01, 0.2, 0.013);
    {
        ct_real *u = (ct_real *)calloc((size_t)(3 * ct_body_node_count(w, ball)), sizeof *u);
        for (i = 0; i < ct_body_node_count(w, ball); i++)
            u[3 * i + 1] = -20;
        assert_int_equal(ct_body_set_velocities(w, ball, u, ct_body_node_count(w, ball)), CT_OK);
        free(u);
    }
    for (k = *out_substeps = 0; k < 12; k++) {
        int s = step_once(w, 0.01).substeps;
        *out_substeps = s > *out_substeps ? s : *out_substeps;
    }
    read_middle(w, ball, 0, at);
    free(rim);
    ct_mesh_free(&plate);
    ct_world_destroy(w);
    return at[1];
}

static void a_fast_ball_and_a_thin_plate(void **state)
{
    int one, many;
    double without = shoot(1, &one), with = shoot(32, &many);
    (void)state;
    print_message("plate: ball at %.3f with one substep, at %.3f with at most %d\n", without, with, many);
    assert_int_equal(one, 1);
    assert_true(without < -0.2); /* it passed through */
    assert_true(many > 1 && many <= 33);
    assert_true(with > -0.1);
}

/* ---- detection ---- */

static double solid_angle(const double *p, const ct_real *x, const int32_t *t)
{
    double v[3][3], l[3], det, div;
    int i, k;
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++)
            v[i][k] = (double)x[3 * t[i] + k] - p[k];
        l[i] = sqrt(v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
    }
    det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) - v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
          v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    div = l[0] * l[1] * l[2];
    for (i = 0; i < 3; i++) {
        int j = (i + 1) % 3, o = (i + 2) % 3;
        div += (v[i][0] * v[j][0] + v[i][1] * v[j][1] + v[i][2] * v[j][2]) * l[o];
    }
    return 2 * atan2(det, div);
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* a deformed body and a closed static mesh: the trees' inside test agrees with the winding number */
static void inside_is_what_the_winding_number_says(void **state)
{
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(1, 1, 1, 4, 4, 4, 1), ball;
    ct_static_desc sd = ct_static_desc_default();
    ct_body_id id;
    uint64_t seed = 5;
    int i, k, t, body, inside[2] = {0, 0}, wrong = 0;
    cti_dcd_contact *touch = NULL;
    cti_state *s;
    cti_dcd_query look;
    cti_nearest nearest;
    (void)state;
    for (i = 0; i < m.n_positions; i++) { /* bent, so that the box is not convex */
        ct_real *p = m.positions + 3 * i;
        p[1] += p[0] * p[0];
    }
    memset(&ball, 0, sizeof ball);
    assert_int_equal(ct_mesh_sphere((ct_real)0.6, 2, &ball, NULL), CT_OK);
    add_soft_mesh(w, "bent", &m, 1e5, 0, 0, 0);
    for (i = 0; i < ball.n_positions; i++)
        ball.positions[3 * i] += 3, ball.positions[3 * i + 1] *= 2;
    sd.mesh = &ball;
    assert_int_equal(ct_body_add_static(w, &sd, &id), CT_OK);
    assert_int_equal(cti_world_prepare(w), CT_OK);
    s = &w->state;
    assert_true(cti_dcd_detect(s, s->x, s->surface.x0, 0, &touch));
    memset(&look, 0, sizeof look);
    look.s = s, look.q = s->x, look.x = s->surface.x0, look.v = -1;
    for (i = 0; i < 4000; i++) {
        double p[3], sum = 0;
        cti_v3 at;
        body = i % 2;
        for (k = 0; k < 3; k++)
            p[k] = (uniform(&seed) - 0.5) * 2.6;
        p[0] += 3 * body;
        at = cti_v3_make((ct_real)p[0], (ct_real)p[1], (ct_real)p[2]);
        for (t = s->surface.ranges[body].f0; t < s->surface.ranges[body].f1; t++)
            sum += solid_angle(p, s->surface.x0, s->surface.faces + 3 * t);
        look.b = body;
        k = cti_dcd_is_inside(&look, at, 0, &nearest);
        inside[body] += k;
        wrong += k != (fabs(sum) > 6.283);
    }
    print_message("inside: %d and %d of 2000 points\n", inside[0], inside[1]);
    assert_true(inside[0] > 50 && inside[1] > 50);
    assert_int_equal(wrong, 0);
    ct_mesh_free(&m), ct_mesh_free(&ball);
    ct_world_destroy(w);
}

/* the nearest triangle against all of them */
static void the_nearest_triangle_is_the_nearest(void **state)
{
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w = world_make(&d);
    cti_dcd_contact *touch = NULL;
    cti_nearest_set faces;
    cti_state *s;
    uint64_t seed = 9;
    int i, f;
    (void)state;
    add_soft_box(w, "cube", 1, 5, 1e5, 0, 0, 0);
    assert_int_equal(cti_world_prepare(w), CT_OK);
    s = &w->state;
    for (i = 0; i < 3 * s->n; i++)
        s->x[i] += (ct_real)(0.05 * uniform(&seed));
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x0);
    assert_true(cti_dcd_detect(s, s->x, s->surface.x0, 0, &touch));
    faces = cti_nearest_set_of(&cti_dcd_of(s)->forest, &cti_dcd_of(s)->bodies[0].faces, s->surface.faces, s->surface.x0);
    for (i = 0; i < 300; i++) {
        ct_real p[3], best = 1e9, weights[3];
        cti_nearest near;
        int feature;
        p[0] = (ct_real)(2 * uniform(&seed) - 1), p[1] = (ct_real)(2 * uniform(&seed) - 1), p[2] = (ct_real)(2 * uniform(&seed) - 1);
        for (f = 0; f < s->surface.nf; f++) {
            const int32_t *t = s->surface.faces + 3 * f;
            best = cti_min(best,
                           cti_dist_pt(p, s->surface.x0 + 3 * t[0], s->surface.x0 + 3 * t[1], s->surface.x0 + 3 * t[2], weights, &feature));
        }
        cti_nearest_face(&faces, cti_v3_at(p, 0), CTI_REAL_MAX, NULL, NULL, &near);
        assert_true(near.d2 <= best * CTI_R(1.0001) && near.d2 >= best * CTI_R(0.9999));
        cti_nearest_face(&faces, cti_v3_at(p, 0), cti_sqrt(best) / 2, NULL, NULL, &near);
        assert_int_equal(near.face, -1);
    }
    CTI_FREE(s->mem, touch);
    ct_world_destroy(w);
}

/* ---- decoupling ---- */

/* two overlapping cubes after a step with this choice: rows, those dropped */
static ct_step_report overlap(ct_decouple how, uint64_t seed, double *out_dot, double *out_deepest, uint64_t *out_hash)
{
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w;
    ct_step_report r;
    cti_state *s;
    int i, j, a, b;
    no_gravity(&d);
    d.dcd.decouple = how;
    d.solver.seed = seed;
    w = world_make(&d);
    add_soft_box(w, "lower", 0.3, 4, 1e5, 0, 0, 0);
    add_soft_box(w, "upper", 0.3, 4, 1e5, 0.031, 0.26, 0.017);
    r = step_once(w, 0.01);
    s = &w->state;
    *out_dot = 0, *out_deepest = 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        *out_deepest = fmax(*out_deepest, -(double)s->contact.origins[i].gap0);
        for (j = 0; j < i; j++)
            for (a = 0; a < s->contact.rows[i].n; a++)
                for (b = 0; b < s->contact.rows[j].n; b++)
                    if (s->contact.rows[i].term[a].block == s->contact.rows[j].term[b].block)
                        *out_dot = fmax(*out_dot, fabs((double)(s->contact.rows[i].term[a].weight * s->contact.rows[j].term[b].weight)));
    }
    *out_hash = ct_world_hash(w);
    ct_world_destroy(w);
    return r;
}

static void decoupling_keeps_one_row_a_vertex(void **state)
{
    double dot, deepest[3];
    uint64_t hash[4];
    ct_step_report deep = overlap(CT_DECOUPLE_DEEPEST, 1, &dot, &deepest[0], &hash[0]), random, none;
    (void)state;
    assert_true(dot == 0);
    assert_true(deep.rows > 3 && deep.dropped > 0);
    random = overlap(CT_DECOUPLE_RANDOM, 1, &dot, &deepest[1], &hash[1]);
    assert_true(dot == 0);
    overlap(CT_DECOUPLE_RANDOM, 77, &dot, &deepest[1], &hash[2]);
    assert_true(hash[1] != hash[2]); /* the seed changes the choice */
    none = overlap(CT_DECOUPLE_NONE, 1, &dot, &deepest[2], &hash[3]);
    assert_true(dot > 0);
    assert_int_equal(none.dropped, 0);
    assert_int_equal(none.rows, deep.rows + deep.dropped);
    assert_int_equal(none.rows, random.rows + random.dropped);
    assert_true(none.status == CT_STATUS_OK);
    {
        double other, depth;
        uint64_t bits;
        ct_step_report pivot = overlap(CT_DECOUPLE_PIVOT, 1, &other, &depth, &bits);
        assert_int_equal(none.rows, pivot.rows + pivot.dropped);
        assert_true(pivot.rows > 3 * deep.rows / 2 && other > 0);
        print_message("overlap: %d rows with pivots\n", pivot.rows);
    }
    /* the deepest of all is kept */
    assert_true(fabs(deepest[0] - deepest[2]) < 1e-9);
    print_message("overlap: %d rows, %d dropped; at random %d rows\n", deep.rows, deep.dropped, random.rows);
}

/* ---- options, bits, refusals ---- */

/* a cube that falls from rest, stretched by its pins: more iterations come closer to the nonlinear step */
static void newton_iterations_lower_the_potential(void **state)
{
    double e[2];
    int k;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = dcd_desc(1e-3, 0);
        ct_world *w;
        ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
        ct_soft_desc sd = ct_soft_desc_default();
        ct_body_id id;
        cti_state *s;
        int i;
        no_gravity(&d);
        d.dcd.newton_iterations = k ? 8 : 1;
        w = world_make(&d);
        sd.mesh = &m, sd.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN), sd.material.young = (ct_real)1e5;
        sd.angular_velocity[1] = 40;
        assert_int_equal(ct_body_add_soft(w, &sd, &id), CT_OK);
        step_once(w, 0.02);
        s = &w->state;
        /* potential of the step about its start, from the present state */
        for (i = 0, e[k] = 0; i < s->bodies.n_models; i++)
            e[k] += cti_model_energy(s->bodies.models[i], s->x);
        for (i = 0; i < s->n; i++) {
            cti_v3 spin = cti_v3_sub(cti_v3_at(s->v, i), cti_v3_at(s->step.start.copy.v, i));
            e[k] += 0.5 * (double)(s->bodies.mass[i] * cti_v3_norm2(spin));
        }
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
    print_message("incremental potential: %.6g with one iteration, %.6g with eight\n", e[0], e[1]);
    assert_true(e[1] < e[0] * 0.999);
}

/* Two boxes, one falls on the other and off it: their heights after two seconds, the last report, and the constraints that all steps dropped.
   printed: Li 2015's algorithm 3 */
static ct_step_report stack_of_two(int printed, ct_decouple decouple, double *lower, double *upper, int *iterations)
{
    ct_world_desc d = dcd_desc(2e-3, 0);
    ct_world *w;
    ct_body_id a, b;
    ct_step_report r;
    double middle[3];
    int i, dropped = 0;
    d.solver.termination = printed ? CT_TERMINATION_PAPER : CT_TERMINATION_RESIDUAL, d.dcd.decouple = decouple;
    d.dcd.recovery = 1;
    w = world_make(&d);
    a = add_soft_box(w, "a", 0.2, 3, 5e4, 0, 0.102, 0);
    b = add_soft_box(w, "b", 0.2, 3, 5e4, 0.03, 0.304, 0.02);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0, *iterations = 0; i < 200; i++) {
        r = step_once(w, 0.01);
        *iterations += r.solver_iterations, dropped += r.dropped;
        assert_true(!printed || r.status <= CT_STATUS_SUBSTEPPED);
    }
    read_middle(w, a, 0, middle), *lower = middle[1];
    read_middle(w, b, 0, middle), *upper = middle[1];
    r.dropped = dropped;
    ct_world_destroy(w);
    return r;
}

/* Algorithm 3 as printed keeps bodies apart as ours does, with all rows in another number of iterations. It drops rows at random where ours
   changes unknowns (PIVOT) */
static void as_printed(void **state)
{
    double lower, upper, own_lower, own_upper;
    int iterations, own;
    ct_step_report r = stack_of_two(0, CT_DECOUPLE_NONE, &own_lower, &own_upper, &own);
    (void)state;
    assert_true(r.status == CT_STATUS_OK);
    r = stack_of_two(1, CT_DECOUPLE_NONE, &lower, &upper, &iterations);
    print_message("as printed: %.5f and %.5f in %d iterations; ours %.5f and %.5f in %d\n", lower, upper, iterations, own_lower, own_upper, own);
    assert_true(r.status == CT_STATUS_OK && r.dropped == 0 && iterations != own);
    assert_true(fabs(lower - own_lower) < 1e-3 && fabs(upper - own_upper) < 1e-3);
    r = stack_of_two(1, CT_DECOUPLE_PIVOT, &lower, &upper, &iterations);
    assert_true(r.status == CT_STATUS_OK && r.dropped > 0);
}

static void expect_refused(const ct_world_desc *d, ct_code code)
{
    ct_world *w = NULL;
    ct_error_info e;
    assert_int_equal(ct_world_create(d, &w, &e), code);
    assert_null(w);
}

static void bad_options_are_refused(void **state)
{
    ct_world_desc d, good = dcd_desc(1e-3, 0);
    (void)state;
    d = good, d.dcd.newton_iterations = 0, expect_refused(&d, CT_ERR_ARGUMENT);
    d = good, d.dcd.decouple = CT_DECOUPLE_COUNT_, expect_refused(&d, CT_ERR_ARGUMENT);
    d = good, d.dcd.friction = CT_DCD_FRICTION_COUNT_, expect_refused(&d, CT_ERR_ARGUMENT);
    d = good, d.dcd.max_substeps = 0, expect_refused(&d, CT_ERR_ARGUMENT);
    d = good, d.dcd.substep_fraction = 0, expect_refused(&d, CT_ERR_ARGUMENT);
    d = good, d.dcd.recovery = 0, expect_refused(&d, CT_ERR_ARGUMENT);
    d = good, d.dcd.recovery = (ct_real)1.5, expect_refused(&d, CT_ERR_ARGUMENT);
    d = good, d.dcd.depth = -1, expect_refused(&d, CT_ERR_ARGUMENT);
    d = good, d.solver.solver = CT_SOLVER_LEMKE, expect_refused(&d, CT_ERR_UNSUPPORTED);
}

/* a body lies on a closed static box, and on an open sheet of triangles */
static void static_meshes_hold_bodies(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = dcd_desc(2e-3, 0.3);
        ct_world *w = world_make(&d);
        ct_mesh m = k ? mesh_grid(1, 1, 7, 7) : mesh_box(1, 0.2, 1, 6, 2, 6, 0);
        ct_static_desc sd = ct_static_desc_default();
        ct_body_id id, block;
        double deepest = 0;
        mesh_place(&m, 0, 0, k ? 0 : -0.1, 0);
        if (k) /* the side with the normal is up */
            for (i = 0; i < m.n_triangles; i++) {
                int32_t *t = m.triangles + 3 * i, swap = t[1];
                const ct_real *p = m.positions + 3 * t[0], *q = m.positions + 3 * t[1], *r = m.positions + 3 * t[2];
                if ((q[2] - p[2]) * (r[0] - p[0]) - (q[0] - p[0]) * (r[2] - p[2]) < 0)
                    t[1] = t[2], t[2] = swap;
            }
        sd.mesh = &m;
        assert_int_equal(ct_body_add_static(w, &sd, &id), CT_OK);
        block = add_soft_box(w, "block", 0.2, 3, 1e5, 0.03, 0.14, 0.02);
        for (i = 0; i < 120; i++)
            deepest = fmax(deepest, (double)step_once(w, 0.01).penetration);
        print_message("static %s: lowest %.4f, deepest %.2g\n", k ? "open" : "closed", lowest(w, block, 1), deepest);
        assert_true(deepest < 4e-3);
        assert_true(fabs(lowest(w, block, 1) - 2e-3) < 1.5e-3);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_rests_on_a_plane),
        cmocka_unit_test(two_cubes_collide_and_separate),
        cmocka_unit_test(local_friction_holds),
        cmocka_unit_test(other_bodies_do_not_matter),
        cmocka_unit_test(a_common_velocity_does_not_matter),
        cmocka_unit_test(recovery_does_not_throw_small_bodies),
        cmocka_unit_test(solves_that_end_early_are_reported),
        cmocka_unit_test(a_body_at_rest_does_not_meet_itself),
        cmocka_unit_test(crushed_elements_gain_nothing),
        cmocka_unit_test(a_strip_meets_itself),
        cmocka_unit_test(a_fast_ball_and_a_thin_plate),
        cmocka_unit_test(inside_is_what_the_winding_number_says),
        cmocka_unit_test(the_nearest_triangle_is_the_nearest),
        cmocka_unit_test(decoupling_keeps_one_row_a_vertex),
        cmocka_unit_test(newton_iterations_lower_the_potential),
        PLAIN_TEST(as_printed)
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(static_meshes_hold_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
