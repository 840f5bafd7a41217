/* test_forms.c -- the integrators of CT_STEPPER_BARRIER and the forms of its step: orders of convergence, free fall, energy, agreement of
 * forms. */
#include "world_util.h"
#include "../src/9_world/problems.h"

static const char *const names[4] = {"euler", "newmark", "bdf2", "midpoint"};

static double away(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static const char *const forms[5] = {"potential", "root", "dual", "position", "velocity"};

static ct_world *make_world(ct_integrator k, ct_barrier_form form, double g, double friction)
{
    ct_world_desc d = world_desc(1e-3, friction, NULL);
    d.stepper = CT_STEPPER_BARRIER;
    d.integrator = k, d.gravity[1] = (ct_real)-g;
    d.barrier.newton_tolerance = (ct_real)1e-9, d.barrier.form = form;
    return world_make(&d);
}

/* cti_end -- positions of a body, what it took */
typedef struct outcome {
    double *x;
    int n, iterations, bad;
    double kinetic, elastic, gravity;
} outcome;

static void outcome_take(outcome *o, ct_world *w, ct_body_id b, int steps, double dt)
{
    int i;
    memset(o, 0, sizeof *o);
    for (i = 0; i < steps; i++) {
        ct_step_report r = step_once(w, dt);
        o->iterations += r.newton_iterations;
        o->bad += r.status != CT_STATUS_OK;
        o->kinetic = r.energy_kinetic, o->elastic = r.energy_elastic, o->gravity = r.energy_gravity;
    }
    o->x = read_vectors(w, b, 0, &o->n);
}

static double outcome_away(const outcome *a, const outcome *b)
{
    double big = 0;
    int i;
    assert_int_equal(a->n, b->n);
    for (i = 0; i < a->n; i++)
        big = fmax(big, away(a->x + 3 * i, b->x + 3 * i));
    return big;
}

/* ---- without contact ---- */

/* a block of stable neo-Hookean material, held at one end, falls and swings by half of its length; its slowest and fastest vibrations are
   near each other, so that steps of 10 ms resolve all of them. The state after 0.4 s in n steps */
static void beam(ct_integrator k, ct_barrier_form form, int n, int odd, double damping, double tip[3], outcome *out)
{
    ct_world *w = make_world(k, form, 9.81, 0);
    ct_mesh m = mesh_box(0.5, 0.25, 0.25, 2, 1, 1, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id b;
    double dt = 0.4 / n;
    int i, at = 0;
    d.mesh = &m, d.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN);
    d.material.young = (ct_real)2e4, d.material.poisson = (ct_real)0.3;
    d.material.damping_mass = (ct_real)damping, d.material.damping_stiffness = (ct_real)(damping * 0.01);
    assert_int_equal(ct_body_add_soft(w, &d, &b), CT_OK);
    for (i = 0; i < m.n_positions; i++) {
        int32_t pin = i;
        if ((double)m.positions[3 * i] < -0.249)
            assert_int_equal(ct_body_pin(w, b, &pin, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        if (m.positions[3 * i] > m.positions[3 * at])
            at = i;
    }
    for (i = 0; odd && i < n; i++)
        step_once(w, i % 2 ? 4 * dt / 3 : 2 * dt / 3);
    outcome_take(out, w, b, odd ? 0 : n, dt);
    memcpy(tip, out->x + 3 * at, 3 * sizeof *tip);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

static void orders_of_convergence(void **state)
{
    int k, form, odd, i;
    (void)state;
    for (form = 0; form < PLAIN_OR(5, 1); form++)
        for (odd = 0; odd < (form ? 1 : 2); odd++)
            for (k = 0; k < 4; k++) {
                double p[4][3], e[3];
                for (i = 0; i < 4; i++) {
                    outcome o;
                    beam((ct_integrator)k, (ct_barrier_form)form, 40 << i, odd, 0, p[i], &o);
                    assert_int_equal(o.bad, 0);
                    free(o.x);
                }
                for (i = 0; i < 3; i++)
                    e[i] = away(p[i], p[i + 1]);
                print_message("%s, %s%s: tip at %.6f; differences %.3g %.3g %.3g; orders %.2f %.2f\n", forms[form], names[k],
                              odd ? ", uneven steps" : "", p[3][1], e[0], e[1], e[2], log(e[0] / e[1]) / log(2), log(e[1] / e[2]) / log(2));
                assert_true(log(e[1] / e[2]) / log(2) > (k ? 1.8 : 0.9) && log(e[0] / e[2]) / log(4) < (k ? 2.3 : 1.1));
            }
}

static void forms_agree_without_contact(void **state)
{
    int k, form;
    (void)state;
    for (k = 0; k < 4; k++) {
        outcome o[5];
        double tip[3];
        for (form = 0; form < 5; form++) {
            beam((ct_integrator)k, (ct_barrier_form)form, 40, 0, 1, tip, &o[form]);
            print_message("%-9s %-9s difference %.2g, %d iterations, kinetic %.9f elastic %.9f gravity %.9f, %d not ok\n", names[k],
                          forms[form], outcome_away(&o[0], &o[form]), o[form].iterations, o[form].kinetic, o[form].elastic, o[form].gravity,
                          o[form].bad);
            assert_true(outcome_away(&o[0], &o[form]) < 1e-8);
            assert_int_equal(o[form].bad, 0);
        }
        for (form = 0; form < 5; form++)
            free(o[form].x);
    }
}

/* ---- with contact ---- */

/* a soft box falls on another one that lies on a plane; a rigid one, too */
static void fall(ct_integrator k, ct_barrier_form form, double friction, int rigid, int steps, outcome *out)
{
    ct_world *w = make_world(k, form, 9.81, friction);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id b, crate;
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "box", 0.2, 2, 1e5, 0, 0.102, 0);
    mesh_place(&m, 0.3, 0.03, 0.3, 0.02);
    b = add_soft_mesh(w, "top", &m, 1e5, 0.5, -1, 0);
    ct_mesh_free(&m);
    m = mesh_box(0.05, 0.05, 0.05, 1, 1, 1, 0);
    d.name = "crate", d.mesh = &m, d.density = 500, d.velocity[1] = -1, d.angular_velocity[0] = 2;
    d.position[0] = (ct_real)-0.06, d.position[1] = (ct_real)0.26;
    if (rigid)
        assert_int_equal(ct_body_add_rigid(w, &d, &crate), CT_OK);
    ct_mesh_free(&m);
    outcome_take(out, w, b, steps, 0.01);
    assert_int_equal(count_intersections(w), 0);
    ct_world_destroy(w);
}

/* The first three forms have the same barriers and the same solution. Each of the others keeps dhat; each step of all of them converges.
   Root finding has no potential that has to fall: with rigid bodies and friction at once it does not end in 200 iterations in 6 of 160
   steps, so this case is Euler's alone, all of whose steps converge */
static void forms_agree_in_contact(void **state)
{
    int k, form, kind;
    (void)state;
    for (kind = 0; kind < 3; kind++)
        for (k = 0; k < (kind == 2 ? 1 : 4); k++) {
            outcome o[5];
            double friction = kind == 2 ? 0.3 : (kind ? 0.4 : 0);
            for (form = 0; form < 5; form++) {
                double off;
                fall((ct_integrator)k, (ct_barrier_form)form, friction, kind != 1, 20, &o[form]);
                off = outcome_away(&o[0], &o[form]);
                print_message("%-9s %-9s%s mu %.1f: difference %.2g m, %d iterations, energy %.6f J\n", names[k], forms[form],
                              kind == 1 ? "" : " with a crate", friction, off, o[form].iterations,
                              o[form].kinetic + o[form].elastic + o[form].gravity);
                assert_int_equal(o[form].bad, 0);
                assert_true(form > 2 || off < 1e-8);
                assert_true(form < 3 || (off > 1e-4 && off < 0.05));
            }
            for (form = 0; form < 5; form++)
                free(o[form].x);
        }
}

/* a soft box falls flat on a plane: its gaps are linear in its positions */
static void flat(ct_barrier_form form, double dhat, outcome *out)
{
    ct_world *w;
    ct_world_desc d = world_desc(dhat, 0, NULL);
    ct_body_id b;
    d.stepper = CT_STEPPER_BARRIER, d.barrier.newton_tolerance = (ct_real)1e-10, d.barrier.form = form;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    b = add_soft_box(w, "box", 0.2, 2, 1e5, 0, 0.12, 0);
    outcome_take(out, w, b, 30, 0.01);
    ct_world_destroy(w);
}

static void constraints_on_a_plane(void **state)
{
    double last = 1;
    int i;
    (void)state;
    for (i = 0; i < PLAIN_OR(4, 2); i++) {
        double dhat = 4e-3 / (1 << (2 * i)), off;
        outcome position, velocity, potential;
        flat(CT_FORM_POSITION, dhat, &position), flat(CT_FORM_VELOCITY, dhat, &velocity), flat(CT_FORM_POTENTIAL, dhat, &potential);
        off = outcome_away(&position, &potential);
        print_message("dhat %.2g: positions to velocities %.2g, to the potential %.3g\n", dhat, outcome_away(&position, &velocity), off);
        assert_true(outcome_away(&position, &velocity) < 1e-8);
        assert_true(off < last / 2);
        last = off;
        assert_int_equal(position.bad + velocity.bad + potential.bad, 0);
        free(position.x), free(velocity.x), free(potential.x);
    }
}

/* ---- friction ---- */

/* rigid box at rest on a slope of tan 0.5, friction 1: its contacts carry the weight, and with the static hold it stays where it is */
static void slope_is_held(void **state)
{
    const double angle = atan(0.5), c = cos(angle), s = sin(angle), weight = 0.1 * 0.1 * 0.1 * 1000 * 9.81;
    int form, hold, i, k, n;
    (void)state;
    for (form = CT_FORM_POTENTIAL; form < CT_FORM_COUNT_; form += PLAIN_OR(1, 2))
        for (hold = PLAIN_OR(0, 1); hold < 2; hold++) {
            ct_world_desc d = world_desc(1e-3, 1, NULL);
            ct_rigid_desc rd = ct_rigid_desc_default();
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
            ct_body_id b;
            const ct_contact *q;
            ct_world *w;
            double x[3], x0[3], f[3] = {0, 0, 0}, drift;
            d.stepper = CT_STEPPER_BARRIER, d.barrier.form = (ct_barrier_form)form, d.barrier.static_hold = hold;
            d.barrier.newton_tolerance = (ct_real)1e-9, d.barrier.friction_iterations = 4;
            w = world_make(&d);
            add_plane(w, -s, c, 0, 0);
            mesh_place(&m, angle, -s * 0.05051, c * 0.05051, 0);
            rd.mesh = &m, rd.density = 1000;
            assert_int_equal(ct_body_add_rigid(w, &rd, &b), CT_OK);
            ct_mesh_free(&m);
            for (i = 0; i < 100; i++)
                step_once(w, 0.01);
            read_middle(w, b, 0, x0);
            for (i = 0; i < 20; i++)
                step_once(w, 0.01);
            read_middle(w, b, 0, x);
            assert_int_equal(ct_world_contacts(w, &q, &n), CT_OK);
            for (i = 0; i < n; i++)
                for (k = 0; k < 3; k++)
                    f[k] += 100 * (double)(q[i].impulse_normal * q[i].normal[k] + q[i].impulse_tangent[0] * q[i].tangent[0][k] +
                                           q[i].impulse_tangent[1] * q[i].tangent[1][k]);
            drift = away(x, x0);
            print_message("%s, hold %d: drift %.3g m in 0.2 s, force of %d contacts %.6g %.6g %.6g\n", forms[form], hold, drift, n, f[0], f[1], f[2]);
            assert_true(fabs(f[0]) < 0.01 * weight && fabs(f[1] - weight) < 0.01 * weight && fabs(f[2]) < 0.01 * weight);
            assert_true(hold ? drift < 1e-9 : drift < 0.2 * 1e-3);
            ct_world_destroy(w);
        }
}

/* A soft box that rests on another one, all of whose nodes are pinned: the pins carry both, in each form */
static void pins_carry_what_rests_on_them(void **state)
{
    const double h = 0.01;
    int form, i, k, n;
    (void)state;
    for (form = 0; form < 5; form += PLAIN_OR(1, 4)) {
        ct_world *w = make_world(CT_INTEGRATOR_EULER, (ct_barrier_form)form, 9.81, 0.3);
        ct_body_id table = add_soft_box(w, "table", 0.1, 1, 1e5, 0, 0, 0);
        ct_mesh m = mesh_box(0.08, 0.08, 0.08, 1, 1, 1, 1);
        ct_soft_desc d = ct_soft_desc_default();
        double weight = 9.81 * 1000 * (0.1 * 0.1 * 0.1 + 0.08 * 0.08 * 0.08), *x, sum[3] = {0, 0, 0};
        mesh_place(&m, 0, 0.003, 0.0905, 0.002);
        d.name = "load", d.mesh = &m, d.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN);
        d.material.young = (ct_real)1e5, d.material.density = 1000, d.material.damping_mass = 20;
        assert_int_equal(ct_body_add_soft(w, &d, NULL), CT_OK);
        ct_mesh_free(&m);
        x = read_vectors(w, table, 0, &n);
        free(x);
        for (i = 0; i < n; i++) {
            int32_t v = i;
            assert_int_equal(ct_body_pin(w, table, &v, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        }
        for (i = 0; i < 150; i++)
            step_once(w, h);
        for (i = 0; i < n; i++) {
            ct_real p[3];
            assert_int_equal(ct_body_get_pin_impulse(w, table, i, p), CT_OK);
            for (k = 0; k < 3; k++)
                sum[k] += (double)p[k] / h;
        }
        print_message("%-9s pins carry %.6f %.6f %.6f N, weight %.6f N\n", forms[form], sum[0], sum[1], sum[2], weight);
        assert_true(fabs(sum[1] - weight) < 1e-3 * weight && fabs(sum[0]) < 1e-3 * weight && fabs(sum[2]) < 1e-3 * weight);
        ct_world_destroy(w);
    }
}

/* one step of a soft box that lands on a slope; most: newton_iterations */
static ct_step_report lands_on_slope(ct_barrier_form form, int most)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    ct_step_report r;
    d.stepper = CT_STEPPER_BARRIER, d.barrier.form = form;
    d.barrier.newton_tolerance = (ct_real)1e-6, d.barrier.friction_iterations = 0, d.barrier.newton_iterations = most;
    w = world_make(&d);
    add_plane(w, -sin(0.3), cos(0.3), 0, 0);
    mesh_place(&m, 0.3, -sin(0.3) * 0.052, cos(0.3) * 0.052, 0);
    add_soft_mesh(w, "box", &m, 1e5, 0, -1, 0);
    ct_mesh_free(&m);
    r = step_once(w, 0.01);
    ct_world_destroy(w);
    return r;
}

/* friction_iterations 0: a step whose iterations run out before friction has converged says so, also where they run out with a pass of it */
static void friction_that_has_not_converged_is_named(void **state)
{
    int form, most;
    (void)state;
    for (form = 0; form < 5; form++) {
        ct_step_report r = lands_on_slope((ct_barrier_form)form, 1000);
        print_message("%-9s %d iterations\n", forms[form], r.newton_iterations);
        assert_true(r.status == CT_STATUS_OK && r.newton_iterations > 5 && r.newton_iterations < 300);
        for (most = 1; most < r.newton_iterations; most += PLAIN_OR(1, 5))
            assert_int_equal(lands_on_slope((ct_barrier_form)form, most).status, CT_STATUS_BUDGET);
        assert_int_equal(lands_on_slope((ct_barrier_form)form, most).status, CT_STATUS_OK);
    }
}

/* ---- velocities: the problem of constraint manifold refinement ---- */

enum { ON_PLANE, ON_FLOOR, ON_BOX, ON_COUNT };

/* of a step in which a soft box comes down; without gravity, half of whose first kick CMR has at the end of the step before */
static ct_problem *first_problem(ct_stepper stepper, int lands)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_problem *p = NULL;
    ct_error_info e;
    ct_world *w;
    ct_mesh m = mesh_grid(1, 1, 1, 1);
    ct_static_desc floor = ct_static_desc_default();
    ct_body_id id;
    d.stepper = stepper, d.gravity[1] = 0, d.newton_iterations = 1, d.cmr_rounds = 1;
    d.solver.solver = stepper == CT_STEPPER_CMR ? CT_SOLVER_ACTIVE_SET : d.solver.solver, d.solver.tolerance = (ct_real)1e-12;
    d.barrier.form = CT_FORM_VELOCITY, d.barrier.newton_iterations = 1;
    w = world_make(&d);
    floor.mesh = &m, floor.name = "floor";
    if (lands == ON_FLOOR)
        assert_int_equal(ct_body_add_static(w, &floor, &id), CT_OK);
    else if (lands == ON_PLANE)
        add_plane(w, 0, 1, 0, 0);
    else
        add_soft_box(w, "below", 0.3, 2, 1e5, 0, -0.15, 0);
    ct_mesh_free(&m);
    m = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1);
    mesh_place(&m, lands == ON_BOX ? 0.2 : 0, 0.03, lands == ON_BOX ? 0.122 : 0.105, 0.02);
    /* on what moves along the normal: CMR has a contact's weights where it closes */
    add_soft_mesh(w, "box", &m, 1e5, lands == ON_BOX ? 0 : 0.3, -1, 0);
    ct_mesh_free(&m);
    step_once(w, 0.01);
    assert_int_equal(ct_world_dump_problem(w, "build/test_forms.cpb"), CT_OK);
    assert_int_equal(ct_problem_read("build/test_forms.cpb", &p, &e), CT_OK);
    remove("build/test_forms.cpb");
    ct_world_destroy(w);
    return p;
}

/* largest |a_ij - b_ij| over the first n rows and columns */
static double matrix_away(const cti_sparse *a, const cti_sparse *b, int n)
{
    double big = 0;
    int i, k;
    for (i = 0; i < n; i++) {
        for (k = a->p[i]; k < a->p[i + 1]; k++)
            if (a->i[k] < n)
                big = fmax(big, fabs(a->x[k] - cti_sparse_at(b, i, a->i[k])));
        for (k = b->p[i]; k < b->p[i + 1]; k++)
            if (b->i[k] < n)
                big = fmax(big, fabs(b->x[k] - cti_sparse_at(a, i, b->i[k])));
    }
    return big;
}

/* the row of b with this row of a in the first n columns and the same w, or -1 */
static int row_find(const cti_program *a, int row, const cti_program *b, int step, int n)
{
    int j, k;
    for (j = 0; j < b->m; j += step) {
        double big = fabs(a->w[row] - b->w[j]);
        for (k = a->J.p[row]; k < a->J.p[row + 1]; k++)
            if (a->J.i[k] < n)
                big = fmax(big, fabs(a->J.x[k] - cti_sparse_at(&b->J, j, a->J.i[k])));
        for (k = b->J.p[j]; k < b->J.p[j + 1]; k++)
            if (b->J.i[k] < n)
                big = fmax(big, fabs(b->J.x[k] - cti_sparse_at(&a->J, row, b->J.i[k])));
        if (big < 1e-9)
            return j;
    }
    return -1;
}

/* The same A and b. CMR has a contact's rows n, t1, t2, fewer of them (duplicates of one contact and slanted rows between edges are left
   out), and a small compliance, an unknown a row: every normal row of it is one of ours. On a plane and a floor all of ours follow from
   them, so that the solutions are the same but for the compliance */
static void velocities_are_cmr(void **state)
{
    int lands;
    (void)state;
    for (lands = 0; lands < ON_COUNT; lands++) {
        ct_problem *a = first_problem(CT_STEPPER_CMR, lands), *b = first_problem(CT_STEPPER_BARRIER, lands);
        const cti_program *p = &a->program, *q = &b->program;
        double off = 0, most = 0, x = 0, least = 0;
        int i, k, n = q->n, found = 0, extra = p->n - n;
        assert_int_equal(p->kind, CTI_PROGRAM_GLOBAL);
        assert_int_equal(q->kind, CTI_PROGRAM_QP);
        assert_true(extra == 0 || extra * 3 == p->m);
        for (i = 0; i < n; i++) {
            off = fmax(off, fabs(p->b[i] - q->b[i]));
            most = fmax(most, cti_sparse_at(&q->A, i, i));
            x = fmax(x, fabs(p->known.x[i] - q->known.x[i]));
        }
        for (i = 0; i < p->m; i += 3)
            found += row_find(p, i, q, 1, n) >= 0;
        for (i = 0; i < q->m; i++) {
            double u = q->w[i];
            for (k = q->J.p[i]; k < q->J.p[i + 1]; k++)
                u += q->J.x[k] * p->known.x[q->J.i[k]];
            least = fmin(least, u);
        }
        assert_true(matrix_away(&p->A, &q->A, n) < 1e-12 * most && off < 1e-12 * most);
        assert_int_equal(found, p->m / 3);
        assert_true(lands == ON_BOX || (x < 2e-5 && least > -2e-5));
        print_message(
            "%d: A differs by %.2g of %.3g, b by %.2g; %d rows of CMR, %d of them among %d; v differs by %.2g m/s, least u %.2g m/s\n",
            lands, matrix_away(&p->A, &q->A, n), most, off, p->m / 3, found, q->m, x, least);
        ct_problem_free(a);
        ct_problem_free(b);
    }
}

/* ---- each integrator in a world ---- */

static ct_body_id add_crate(ct_world *w, double y, double vy, double spin)
{
    ct_mesh m = mesh_box(0.3, 0.1, 0.2, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.name = "crate", d.mesh = &m, d.position[1] = (ct_real)y, d.velocity[1] = (ct_real)vy;
    d.angular_velocity[0] = (ct_real)(spin / 3), d.angular_velocity[1] = (ct_real)spin;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* x = y0 + v0 t - g t^2 / 2 and v at steps that change, for soft and rigid bodies; no energy is gained or lost. So it is again after the
   velocity was set */
static void free_fall_is_exact(void **state)
{
    int k, i, kind;
    (void)state;
    for (k = 1; k < 4; k++)
        for (kind = 0; kind < 2; kind++) {
            ct_world *w = make_world((ct_integrator)k, CT_FORM_POTENTIAL, 9.81, 0);
            ct_body_id b = kind ? add_crate(w, 1, 2, 0) : add_soft_box(w, "box", 0.1, 1, 1e5, 0, 1, 0);
            uint64_t seed = 5;
            double t = 0, p[3], v[3], v0 = kind ? 2 : 0, y0 = 1;
            for (i = 0; i < 30; i++) {
                double dt = 0.002 + 0.02 * lcg(&seed);
                ct_step_report r = step_once(w, dt);
                t += dt;
                read_middle(w, b, 0, p), read_middle(w, b, 1, v);
                assert_true(fabs(p[1] - (y0 + v0 * t - 9.81 / 2 * t * t)) < 1e-9);
                assert_true(fabs(v[1] - (v0 - 9.81 * t)) < 1e-8);
                assert_true(fabs(r.energy_gained) < 1e-7);
                if (i == 14 && !kind) {
                    int n, j;
                    double *x = read_vectors(w, b, 1, &n);
                    ct_real *set = (ct_real *)malloc(sizeof *set * 3 * (size_t)n);
                    assert_non_null(set);
                    for (j = 0; j < 3 * n; j++)
                        set[j] = (ct_real)(j % 3 == 1 ? 3 : 0);
                    assert_int_equal(ct_body_set_velocities(w, b, set, n), CT_OK);
                    free(set), free(x);
                    y0 = p[1], v0 = 3, t = 0;
                }
            }
            ct_world_destroy(w);
        }
}

/* a free rigid body keeps the energy of its turn; BDF2 brakes it at second order in dt */
static void spins(void **state)
{
    int k, i, j;
    (void)state;
    for (k = 0; k < 4; k++) {
        double off[2];
        for (i = 0; i < 2; i++) {
            ct_world *w = make_world((ct_integrator)k, CT_FORM_POTENTIAL, 0, 0);
            double first = 0, e = 0, dt = 0.01 / (1 << i);
            add_crate(w, 0, 0, 3);
            for (j = 0; j < 50 << i; j++) {
                e = step_once(w, dt).energy_kinetic;
                first = j == 0 ? e : first;
            }
            off[i] = fabs(e / first - 1);
            ct_world_destroy(w);
        }
        print_message("%s: a spin's energy is off by %.3g with 10 ms, %.3g with 5 ms\n", names[k], off[0], off[1]);
        assert_true(off[0] < 1e-3 && (k != 2 || off[1] < off[0] / 3));
    }
}

/* 20 rad/s in steps of 10 ms, 300 of them, .2 rad each: energy stays within 95 and 101 % but for BDF2, which loses; no step of BDF2 gains any */
static void fast_spins_keep_their_energy(void **state)
{
    int k, j;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world *w = make_world((ct_integrator)k, CT_FORM_POTENTIAL, 0, 0);
        double e = 1e30, first = 0, most = -1e30, low = 1e30, high = 0;
        add_crate(w, 0, 0, 20);
        for (j = 0; j < 300; j++) {
            double now = step_once(w, 0.01).energy_kinetic;
            first = j == 0 ? now : first;
            most = fmax(most, now - e), low = fmin(low, now / first), high = fmax(high, now / first);
            e = now;
        }
        print_message("%s: most energy gained in a step %.2g J, %.4g to %.4g of the first step's\n", names[k], most, low, high);
        assert_true(k == 2 ? most < 1e-12 : low > 0.95 && high < 1.01);
        ct_world_destroy(w);
    }
}

/* Stiff soft bodies that turn by 0.2 rad a step drive Newmark and midpoint: steps that gain are divided, and none keeps a gain. Euler and BDF2 lose
   energy, whole steps of it */
static void growth_is_not_kept(void **state)
{
    int k, j;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world *w = make_world((ct_integrator)k, CT_FORM_POTENTIAL, 0, 0);
        ct_mesh m = mesh_box(0.3, 0.1, 0.2, 2, 1, 1, 1);
        ct_soft_desc d = ct_soft_desc_default();
        ct_body_id id;
        double first = 0, e = 0, most = 0;
        int divided = 0;
        d.mesh = &m, d.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN), d.material.young = (ct_real)1e7;
        d.material.damping_stiffness = 0, d.angular_velocity[0] = 7, d.angular_velocity[1] = 21;
        assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
        for (j = 0; j < PLAIN_OR(120, 40); j++) {
            ct_step_report r = step_once(w, 0.01);
            e = r.energy_kinetic + r.energy_elastic, first = j ? first : e, most = fmax(most, e);
            divided += r.status == CT_STATUS_SUBSTEPPED;
            assert_true(r.status != CT_STATUS_NOT_CONVERGED);
        }
        print_message("%s: %d steps divided, energy %.3g of %.3g J, at most %.3g J\n", names[k], divided, e, first, most);
        assert_true(most < 1.01 * first && (divided > 0) == (k == CT_INTEGRATOR_NEWMARK || k == CT_INTEGRATOR_MIDPOINT));
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* points that bounce off a plane, whose barrier is convex in their height: Newmark and midpoint give them no energy in any step */
static void convex_contacts_give_no_energy(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world *w = make_world((ct_integrator)k, CT_FORM_POTENTIAL, 9.81, 0);
        ct_points_desc d = ct_points_desc_default();
        ct_mesh m;
        ct_body_id b;
        double most = -1, top = 0, p[3], least = 1;
        ct_real x[9] = {0, (ct_real)0.1, 0, (ct_real)0.2, (ct_real)0.15, 0, 0, (ct_real)0.23, (ct_real)0.2};
        ct_real masses[3] = {(ct_real)0.1, (ct_real)0.1, (ct_real)0.1};
        memset(&m, 0, sizeof m);
        m.positions = x, m.n_positions = 3;
        d.mesh = &m, d.masses = masses, d.thickness = (ct_real)2e-3;
        add_plane(w, 0, 1, 0, 0);
        assert_int_equal(ct_body_add_points(w, &d, &b), CT_OK);
        for (i = 0; i < 200; i++) {
            ct_step_report r = step_once(w, 0.01);
            most = fmax(most, r.energy_gained);
            read_middle(w, b, 0, p);
            top = i > 40 ? fmax(top, p[1]) : top;
            least = fmin(least, r.min_distance);
        }
        print_message("%s: most energy gained in a step %.3g J of 0.47; their mean comes back to %.3f of 0.16 m\n", names[k], most, top);
        assert_true(k == CT_INTEGRATOR_BDF2 || most < 1e-9);
        assert_true(least > 0);
        ct_world_destroy(w);
    }
}

/* A rigid bar that swings from a ball joint: energy is only lost, BDF2's at second order in dt, the others' at first, since the stiffness that turns
   the bar acts at the end of the step. The bar stays at its joint */
static void a_pendulum_loses_energy(void **state)
{
    int k, i, j;
    (void)state;
    for (k = 0; k < 4; k++) {
        double lost[2] = {0, 0};
        for (i = 0; i < 2; i++) {
            ct_world *w = make_world((ct_integrator)k, CT_FORM_POTENTIAL, 9.81, 0);
            ct_mesh m = mesh_box(0.4, 0.1, 0.1, 1, 1, 1, 0);
            ct_rigid_desc d = ct_rigid_desc_default();
            ct_joint_desc joint = ct_joint_desc_default(CT_JOINT_BALL);
            ct_joint_id id;
            ct_body_id bar;
            double first = 0, e = 0, p[3];
            d.mesh = &m, d.position[0] = (ct_real)0.2;
            assert_int_equal(ct_body_add_rigid(w, &d, &bar), CT_OK);
            joint.a.body = bar;
            assert_int_equal(ct_joint_add(w, &joint, &id), CT_OK);
            for (j = 0; j < 50 << i; j++) {
                ct_step_report r = step_once(w, 0.01 / (1 << i));
                assert_int_equal(r.status, CT_STATUS_OK);
                e = r.energy_kinetic + r.energy_gravity;
                first = j ? first : e;
            }
            lost[i] = first - e;
            read_middle(w, bar, 0, p);
            assert_true(fabs(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.2) < 1e-3);
            ct_mesh_free(&m);
            ct_world_destroy(w);
        }
        print_message("%s: a pendulum loses %.3g J with 10 ms, %.3g J with 5 ms\n", names[k], lost[0], lost[1]);
        assert_true(lost[1] > 0 && lost[0] > (k == CT_INTEGRATOR_BDF2 ? 3.5 : 1.6) * lost[1]);
    }
}

/* ---- each form in a world ---- */

/* what linearization does not see, continuous detection does: no form lets a fast box through a sheet */
static void nothing_gets_through(void **state)
{
    int form, i;
    (void)state;
    for (form = 0; form < 5; form++) {
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_mesh m = mesh_grid(1, 1, 2, 2), ball = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
        ct_static_desc sheet = ct_static_desc_default();
        ct_body_id id;
        ct_world *w;
        double x[3];
        d.stepper = CT_STEPPER_BARRIER, d.barrier.form = (ct_barrier_form)form;
        w = world_make(&d);
        sheet.mesh = &m;
        assert_int_equal(ct_body_add_static(w, &sheet, &id), CT_OK);
        mesh_place(&ball, 0.3, 0.05, 0.3, 0.02);
        id = add_soft_mesh(w, "ball", &ball, 1e6, 0, -100, 0);
        for (i = 0; i < 6; i++) {
            step_once(w, 0.01);
            assert_int_equal(count_intersections(w), 0);
        }
        read_middle(w, id, 0, x);
        assert_true(x[1] > 0);
        ct_mesh_free(&m);
        ct_mesh_free(&ball);
        ct_world_destroy(w);
    }
}

/* pins that a script moves go along in all forms, and hold */
static void pins_move(void **state)
{
    double tips[5][3];
    int form, i;
    (void)state;
    for (form = 0; form < 5; form++) {
        ct_world *w = make_world(CT_INTEGRATOR_EULER, (ct_barrier_form)form, 9.81, 0);
        ct_motion motion;
        ct_body_id b = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.3, 0);
        int32_t pins[2] = {0, 1};
        double *x, *before = read_vectors(w, b, 0, NULL);
        memset(&motion, 0, sizeof motion);
        motion.linear[0] = (ct_real)0.5;
        add_plane(w, 0, 1, 0, 0);
        assert_int_equal(ct_body_pin(w, b, pins, 2, CT_AXIS_ALL, &motion, -1), CT_OK);
        for (i = 0; i < 20; i++)
            assert_int_equal(step_once(w, 0.01).status, CT_STATUS_OK);
        x = read_vectors(w, b, 0, NULL);
        assert_true(fabs(x[0] - before[0] - 0.1) < 1e-9 && fabs(x[1] - before[1]) < 1e-12);
        memcpy(tips[form], x + 21, sizeof tips[form]);
        assert_true(away(tips[0], tips[form]) < 1e-8);
        free(x), free(before);
        ct_world_destroy(w);
    }
}

static void options_and_bodies_are_refused(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL), bad;
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_joint_desc joint = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id tie;
    ct_mesh m = mesh_grid(1, 1, 1, 1);
    ct_error_info e;
    ct_body_id id;
    ct_world *w;
    int form;
    (void)state;
    d.stepper = CT_STEPPER_BARRIER;
    bad = d, bad.barrier.form = CT_FORM_COUNT_;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "barrier.form"));
    bad = d, bad.stepper = CT_STEPPER_CMR, bad.integrator = CT_INTEGRATOR_MIDPOINT;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_UNSUPPORTED);
    bad.stepper = CT_STEPPER_DCD;
    assert_int_equal(ct_world_create(&bad, &w, &e), CT_ERR_UNSUPPORTED);
    k.mesh = &m, k.name = "mover";
    for (form = 0; form < 5; form++) {
        bad = d, bad.barrier.form = (ct_barrier_form)form;
        w = world_make(&bad);
        assert_int_equal(ct_body_add_kinematic(w, &k, &id), form ? CT_ERR_UNSUPPORTED : CT_OK);
        assert_true(!form || strstr(ct_world_error(w)->text, "mover"));
        joint.a.body = add_crate(w, 2, 0, 0);
        assert_int_equal(ct_joint_add(w, &joint, &tie), form ? CT_ERR_UNSUPPORTED : CT_OK);
        add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.3, 0);
        step_once(w, 0.01);
        assert_int_equal(ct_world_dump_problem(w, "build/test_forms.cpb"), form < 3 ? CT_ERR_UNSUPPORTED : CT_OK);
        ct_world_destroy(w);
    }
    remove("build/test_forms.cpb");
    ct_mesh_free(&m);
}

/* a rigid box that slides on a plane: no failing allocation of its friction is taken for a contact without any */
static void memory_that_runs_out_is_not_smooth(void **state)
{
    int form;
    (void)state;
    for (form = 3; form < 5; form++) {
        double v[3], reference = 0;
        int64_t k;
        for (k = 0; k < 2000; k += k ? PLAIN_OR(1, 9) : 1) {
            ct_world_desc d;
            books b;
            ct_world *w;
            ct_step_report r;
            ct_rigid_desc rd = ct_rigid_desc_default();
            ct_body_id id;
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
            ct_code code;
            memset(&b, 0, sizeof b);
            d = world_desc(1e-3, 0.5, &b);
            d.stepper = CT_STEPPER_BARRIER, d.barrier.form = (ct_barrier_form)form;
            w = world_make(&d);
            add_plane(w, 0, 1, 0, 0);
            rd.name = "box", rd.mesh = &m, rd.position[1] = (ct_real)0.0512, rd.velocity[0] = 1, rd.velocity[1] = -2;
            assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
            ct_mesh_free(&m);
            b.fail_at = k ? b.calls + k : 0;
            code = ct_world_step(w, (ct_real)4e-3, &r);
            assert_true(code == CT_OK || (k && code == CT_ERR_MEMORY));
            read_middle(w, id, 1, v);
            ct_world_destroy(w);
            if (k == 0)
                reference = v[0];
            assert_true(code != CT_OK || v[0] == reference);
            if (k && code == CT_OK && b.calls < b.fail_at)
                break;
        }
        assert_true(reference < 0.9 && k > 100 && k < 2000);
    }
}

/* memory that runs out in a step leaves the world as it was, and nothing leaks */
static void memory_may_run_out(void **state)
{
    int form;
    (void)state;
    for (form = 1; form < 5; form++) {
        ct_world_desc d;
        books b;
        ct_world *w;
        uint64_t hash;
        int64_t k;
        int failed = 0;
        memset(&b, 0, sizeof b);
        d = world_desc(1e-3, 0.5, &b);
        d.stepper = CT_STEPPER_BARRIER, d.barrier.form = (ct_barrier_form)form, d.integrator = CT_INTEGRATOR_BDF2;
        d.barrier.friction_iterations = 1;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.0511, 0);
        step_once(w, 0.01);
        add_crate(w, 0.1535, -0.2, 0);
        hash = ct_world_hash(w);
        for (k = 1; k < 4000; k += PLAIN_OR(1, 9)) {
            ct_step_report r;
            ct_code code;
            b.fail_at = b.calls + k;
            code = ct_world_step(w, (ct_real)0.01, &r);
            b.fail_at = 0;
            if (code == CT_OK)
                break;
            assert_int_equal(code, CT_ERR_MEMORY);
            assert_true(ct_world_hash(w) == hash);
            failed++;
        }
        print_message("%s: memory ran out in %d places\n", forms[form], failed);
        assert_true(failed > PLAIN_OR(10, 1) && k < 4000);
        step_once(w, 0.01);
        ct_world_destroy(w);
        assert_true(b.blocks == 0 && b.live == 0 && b.wrong == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_convergence),
        cmocka_unit_test(forms_agree_without_contact),
        PLAIN_TEST(forms_agree_in_contact)
        cmocka_unit_test(constraints_on_a_plane),
        cmocka_unit_test(slope_is_held),
        cmocka_unit_test(velocities_are_cmr),
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(spins),
        cmocka_unit_test(fast_spins_keep_their_energy),
        cmocka_unit_test(growth_is_not_kept),
        cmocka_unit_test(convex_contacts_give_no_energy),
        cmocka_unit_test(a_pendulum_loses_energy),
        cmocka_unit_test(nothing_gets_through),
        cmocka_unit_test(friction_that_has_not_converged_is_named),
        cmocka_unit_test(pins_move),
        cmocka_unit_test(pins_carry_what_rests_on_them),
        cmocka_unit_test(options_and_bodies_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_not_smooth),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
