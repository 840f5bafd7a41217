/* test_geometric_rules.c -- the geometric stepper: terms of the matrix by finite differences, kinetic energy with remembered forces, the implicit
   midpoint rule and its remaining state, the solver of the stepper's own, interacting collisions without friction. */
#include "geometric_util.h"

/* a system with mobilities as compliance, so that solves are those of steps */
static void fixture_soften(fixture *f, ct_real *compliance, double soft)
{
    int c;
    for (c = 0; c < f->system.m; c++)
        compliance[c] = 1 / cti_response_normal_mass(&f->system, c);
    f->system.compliance = compliance, f->system.compliance_factor = (ct_real)soft;
}

/* solves that start from remembered forces, whose effect the speeds already have: each turn lowers the kinetic energy below that start, whatever
   the forces were */
static void remembered_forces_lower_the_energy(void **state)
{
    ct_geometric_desc d = ct_world_desc_default().geometric;
    uint64_t seed = 17;
    int trial, rose = 0;
    (void)state;
    d.active_set = 0;
    for (trial = 0; trial < 4000; trial++) {
        static fixture f;
        ct_real base[3 * ROWS], first[ROWS], compliance[ROWS], Q[3 * MOST], start[3 * MOST];
        double last, raw;
        cti_response_goal goal;
        int c, i;
        fixture_random(&f, &seed, 10);
        fixture_soften(&f, compliance, 1e-2);
        memset(&goal, 0, sizeof goal);
        for (c = 0; c < f.system.m; c++) {
            double force = span(&seed, 0.01, 0.3) / (double)compliance[c];
            cti_v3_put(base, c, cti_v3_mul(cti_v3_at(f.normal, c), (ct_real)force));
            first[c] = (ct_real)force;
            f.target[c] = 0;
        }
        raw = kinetic(&f, f.v);
        cti_response_spread(&f.system, base, start);
        for (i = 0; i < 3 * f.system.n; i++)
            start[i] += f.v[i];
        last = kinetic(&f, start);
        goal.offset = f.offset, goal.target = f.target, goal.warm_start = base, goal.start_force = first;
        for (d.cg_turns = 1; d.cg_turns <= 8; d.cg_turns++) {
            double now;
            memcpy(Q, start, sizeof Q);
            cti_response_correct(&f.system, &d, &goal, Q, f.X, f.stick);
            now = kinetic(&f, Q);
            assert_true(now <= last * (1 + TINY));
            rose += d.cg_turns == 1 && now > raw;
        }
    }
    /* remembered forces that are wrong can add energy to the state without them: speeds never start from any (geometric_correct.c) */
    if (getenv("SHOW"))
        print_message("above the state without forces: %d of 4000\n", rose);
}

/* turns are in single precision; the solution is not */
static void normal_solves_are_precise(void **state)
{
    uint64_t seed = 23;
    double worst = 0;
    int trial, most = 0;
    (void)state;
    for (trial = 0; trial < 500; trial++) {
        static fixture f;
        ct_real compliance[ROWS], y[ROWS], x[ROWS], hx[ROWS];
        double size = 0, error = 0;
        int c;
        fixture_random(&f, &seed, 10);
        fixture_soften(&f, compliance, 1e-2);
        for (c = 0; c < f.system.m; c++)
            y[c] = (ct_real)span(&seed, -1, 1), x[c] = 0;
        c = cti_response_normal_cg(&f.system, y, 1000, 0, x, f.work + 4 * MOST);
        most = c > most ? c : most;
        cti_response_normal_product(&f.system, x, hx);
        for (c = 0; c < f.system.m; c++)
            size = fmax(size, fabs((double)y[c])), error = fmax(error, fabs((double)(hx[c] - y[c])));
        worst = fmax(worst, error / size);
    }
    if (getenv("SHOW"))
        print_message("normal solves: at most %d turns, residual %.1e\n", most, worst);
    assert_true(worst < (FLOAT ? 1e-3 : 1e-10));
}

/* ---- terms of the matrix ---- */

/* h times the forces of the collisions at velocities v + e T and positions x + h e T, by eq. 19 and 22. At its bound friction has the direction that it
   is asked for, and this force changes as one that holds does */
static void contact_forces(const cti_state *s, double h, double e, const ct_real *T, double *out)
{
    const cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_solve *q = &g->solve;
    int c, k, j;
    for (c = 0; c < q->response.m; c++) {
        double u[3] = {0, 0, 0}, n[3], un = 0, f[3], normal, size = 0, mass = (double)q->forces.mass[c], bound = (double)q->forces.bound[c];
        int slides = mass > 0 && !q->stick[c];
        for (k = q->start[c]; k < q->start[c + 1]; k++)
            for (j = 0; j < 3; j++)
                u[j] += (double)(q->S[k] * T[3 * q->blocks[q->particle[k]] + j]) * e;
        for (j = 0; j < 3; j++)
            n[j] = (double)q->normal[3 * c + j], un += n[j] * u[j];
        normal = (double)cti_geometric_acceleration_target(0, (ct_real)(h * un), (ct_real)un, (ct_real)h);
        for (j = 0; j < 3; j++) {
            f[j] = -h * mass * (u[j] - un * n[j]) * (1 / h + 1.5 / h);
            f[j] += slides ? bound / (double)q->forces.tangent_share[c] * (double)q->forces.slide_direction[3 * c + j] : 0;
            size += f[j] * f[j];
        }
        for (j = 0; j < 3; j++)
            f[j] = f[j] * (slides ? bound / sqrt(size) : 1) + h * mass * n[j] * normal;
        for (k = q->start[c]; k < q->start[c + 1]; k++)
            for (j = 0; j < 3; j++)
                out[3 * q->blocks[q->particle[k]] + j] += (double)q->S[k] * f[j];
    }
}

/* their derivative by e at 0, by five points */
static void contact_slopes(const cti_state *s, double h, const ct_real *T, int n, double *out)
{
    static const double weight[4] = {1, -8, 8, -1};
    const double e = 3e-6;
    double *f = (double *)calloc((size_t)n, sizeof *f);
    int i, k;
    for (k = 0; k < 4; k++) {
        memset(f, 0, sizeof *f * (size_t)n);
        contact_forces(s, h, e * (k < 2 ? k - 2 : k - 1), T, f);
        for (i = 0; i < n; i++)
            out[i] += weight[k] / (12 * e) * f[i];
    }
    free(f);
}

/* eq. 26a is minus the derivative of the forces, 26b T'HT; collisions that stick and that slide, at the end of a step, pinned blocks */
static void terms_by_finite_differences(void **state)
{
    const double h = 0.01;
    ct_body_id ids[3];
    ct_world *w = pile(3, 3, 3, 0.02, CT_GEOMETRIC_GLOBAL, ids);
    const cti_geometric *g;
    const cti_state *s;
    int32_t pinned = 0;
    double *f, worst = 0, most = 0, curve = 0, sum = 0;
    ct_real *T, *y;
    int i, c, n, turns, sticks = 0, slides = 0;
    uint64_t seed = 5;
    (void)state;
    assert_int_equal(ct_body_pin(w, ids[2], &pinned, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    for (turns = 0; turns < 25; turns++)
        step_once(w, h);
    s = &w->state, g = cti_geometric_own(s), n = 3 * s->n;
    f = (double *)calloc((size_t)n, sizeof *f), T = (ct_real *)calloc((size_t)(2 * n), sizeof *T), y = T + n;
    for (i = 0; i < n; i++)
        T[i] = (ct_real)span(&seed, -1, 1);
    for (c = 0; c < g->solve.response.m; c++)
        sticks += g->solve.forces.mass[c] > 0 && g->solve.stick[c], slides += g->solve.forces.mass[c] > 0 && !g->solve.stick[c];
    cti_geometric_add_terms(s, T, y);
    contact_slopes(s, h, T, n, f);
    for (i = 0; i < n; i++) {
        worst = fmax(worst, fabs(f[i] + (double)y[i])), most = fmax(most, fabs((double)y[i]));
        curve += (double)(T[i] * y[i]);
    }
    /* 26b: a sum over the collisions */
    for (c = 0; c < g->solve.response.m; c++) {
        cti_v3 u = cti_v3_zero(), nn = cti_v3_at(g->solve.normal, c), along = cti_v3_at(g->solve.forces.slide_direction, c);
        double un, ut;
        int k;
        for (k = g->solve.start[c]; k < g->solve.start[c + 1]; k++)
            u = cti_v3_mad(u, cti_v3_at(T, g->solve.blocks[g->solve.particle[k]]), g->solve.S[k]);
        un = (double)cti_v3_dot(nn, u), ut = (double)cti_v3_dot(along, u);
        sum += 2.5 * (double)g->solve.forces.mass[c] * (un * un + (double)g->solve.forces.tangent_share[c] * ((double)cti_v3_norm2(u) - un * un - ut * ut));
    }
    if (getenv("SHOW"))
        print_message("terms: %d stick, %d slide, worst %.1e of %.1e; T'HT %.6e, %.6e\n", sticks, slides, worst, most, curve, sum);
    assert_true(sticks > 20 && slides > 0 && most > 0);
    assert_true(worst < (FLOAT ? 1e-4 : 1e-10) * most && fabs(curve - sum) < (FLOAT ? 1e-4 : 1e-10) * sum);
    free(f), free(T);
    ct_world_destroy(w);
}

/* ---- the midpoint rule ---- */

static ct_world *rule_world(ct_integrator rule, int residual_state, double friction)
{
    ct_world_desc d = world_desc(4e-3, friction, NULL);
    d.stepper = CT_STEPPER_GEOMETRIC, d.integrator = rule, d.geometric.residual_state = residual_state;
    return world_make(&d);
}

/* free fall: x0 + v0 t - g t^2 / 2 at every step, and no energy is lost */
static void midpoint_falls_exactly(void **state)
{
    ct_world *w = rule_world(CT_INTEGRATOR_MIDPOINT, 1, 0);
    ct_body_id id = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 1, 0);
    double x0[3], x[3], t;
    int n;
    (void)state;
    read_middle(w, id, 0, x0);
    for (n = 1; n <= 20; n++) {
        ct_step_report r = step_once(w, 0.01);
        assert_int_equal(r.status, CT_STATUS_OK);
        read_middle(w, id, 0, x);
        t = 0.01 * n;
        assert_true(fabs(x[1] - x0[1] + 0.5 * 9.81 * t * t) < (FLOAT ? 2e-6 : 1e-6));
        assert_true(fabs(r.energy_gained) < (FLOAT ? 1e-4 : 1e-6));
    }
    ct_world_destroy(w);
}

/* a sheet that is held at two corners swings: energy that the rule has taken after 0.3 s */
static double swing(ct_integrator rule, double dt)
{
    ct_world *w = rule_world(rule, 1, 0);
    ct_mesh m = mesh_grid(0.2, 0.2, 2, 2);
    int32_t pins[2] = {0, 2};
    ct_step_report r;
    double lost = 0;
    int i;
    ct_body_id id = add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.2);
    assert_int_equal(ct_body_pin(w, id, pins, 2, CT_AXIS_ALL, NULL, -1), CT_OK);
    for (i = 0; i * dt < 0.3 - dt / 2; i++) {
        r = step_once(w, dt);
        lost -= (double)r.energy_gained;
    }
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return lost;
}

/* half the step, half of Euler's loss, and a quarter of the midpoint rule's, which is a fraction of it */
static void midpoint_keeps_energy(void **state)
{
    double euler[2], midpoint[2];
    int k;
    (void)state;
    for (k = 0; k < 2; k++)
        euler[k] = swing(CT_INTEGRATOR_EULER, k ? 0.0025 : 0.005), midpoint[k] = swing(CT_INTEGRATOR_MIDPOINT, k ? 0.0025 : 0.005);
    if (getenv("SHOW"))
        print_message("taken in a swing: Euler %.3e and %.3e J, midpoint %.3e and %.3e J\n", euler[0], euler[1], midpoint[0], midpoint[1]);
    assert_true(euler[0] / euler[1] > 1.6 && euler[0] / euler[1] < 2.5);
    assert_true(midpoint[1] < 0.2 * euler[1] && midpoint[1] > -0.05 * euler[1] && midpoint[0] / midpoint[1] > 3);
}

/* a sheet falls on a floor: with the remaining state corrected it stays there, without it bounces; then it rests at the thickness in both rules */
static void remaining_state(void **state)
{
    double up[3];
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = rule_world(k ? CT_INTEGRATOR_MIDPOINT : CT_INTEGRATOR_EULER, k == 1, 0.3);
        ct_mesh m = mesh_grid(0.2, 0.2, 3, 3);
        ct_cloth_desc d = ct_cloth_desc_default();
        ct_body_id id;
        double v[3], J = 0;
        add_plane(w, 0, 1, 0, 0);
        mesh_place(&m, 0, 0, 4.5e-3, 0);
        d.mesh = &m, d.name = "sheet", d.material = ct_material_default(CT_MODEL_MEMBRANE), d.velocity[1] = (ct_real)-0.4;
        assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
        ct_mesh_free(&m);
        for (up[k] = 0, i = 0; i < 80; i++) {
            const ct_contact *c = NULL;
            int n, j;
            ct_step_report r = step_once(w, 0.01);
            assert_int_equal(r.tangled, 0);
            read_middle(w, id, 1, v);
            up[k] = fmax(up[k], v[1]);
            assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
            for (j = 0; j < n; j++)
                J += i >= 60 ? (double)c[j].impulse_normal / 20 : 0;
            if (i == 79 && k < 2) {
                assert_true((double)r.thickness_kept > 0.9 && r.energy_kinetic < 1e-6);
                assert_true(fabs(J / (0.2 * 0.04 * 9.81 * 0.01) - 1) < 0.05);
            }
        }
        ct_world_destroy(w);
    }
    if (getenv("SHOW"))
        print_message("fastest way up: Euler %.3f, midpoint %.3f, without its correction %.3f m/s\n", up[0], up[1], up[2]);
    assert_true(up[1] < 0.02 && up[2] > 1.5 * up[1]);
}

/* ---- CT_SOLVER_GEOMETRIC_CG ---- */

static void own_solver(void **state)
{
    ct_world_desc d = world_desc(4e-3, 0.5, NULL);
    ct_world *w = NULL;
    ct_error_info e;
    double least = 2;
    int i;
    (void)state;
    assert_int_equal(ct_solver_built(CT_SOLVER_GEOMETRIC_CG), 1);
    assert_int_equal(ct_problem_solver_built(CT_SOLVER_GEOMETRIC_CG), 0);
    assert_string_equal(ct_solver_text(CT_SOLVER_GEOMETRIC_CG), "geometric_cg");
    assert_non_null(strstr(ct_library_info_get()->solvers, "geometric_cg"));
    d.solver.solver = CT_SOLVER_GEOMETRIC_CG;
    for (i = 0; i < CT_STEPPER_COUNT_; i++)
        if (i != CT_STEPPER_GEOMETRIC) {
            d.stepper = (ct_stepper)i;
            assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
            assert_non_null(strstr(e.text, "geometric_cg"));
            assert_non_null(strstr(e.text, ct_stepper_text((ct_stepper)i)));
        }
    d.stepper = CT_STEPPER_GEOMETRIC;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 2; i++) {
        ct_mesh m = mesh_grid(0.2, 0.2, 3, 3);
        mesh_place(&m, 0, 0.01 * i, 0.006 * (i + 1), 0);
        add_cloth_mesh(w, i ? "upper" : "lower", &m, CT_MODEL_MEMBRANE, 0.2);
        ct_mesh_free(&m);
    }
    for (i = 0; i < 60; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_int_equal(r.tangled, 0);
        /* equations: a fixed number of turns a solve, unless rounding ends it, and no solve is repeated */
        assert_true(r.solver_iterations <= 3 * r.substeps * (4 + 3 * 3 * d.geometric.cg_turns));
        least = fmin(least, (double)r.thickness_kept);
        assert_true(r.status == CT_STATUS_OK && fabs((double)r.energy_gained) < 1e-3); /* the layers have .004 J of height to lose */
    }
    /* a collision that pulls had friction that was no number, and the layers kept .02 of the thickness in steps that were not converged */
    assert_int_equal(count_intersections(w), 0);
    if (getenv("SHOW"))
        print_message("equations keep %.3f of the thickness\n", least);
    assert_true(least > 0.9);
    ct_world_destroy(w);
}

/* ---- interacting collisions without friction ---- */

/* layers upon each other without friction, shifted against each other: mean kinetic energy of the second and of the last quarter of 160 steps */
static void layers_without_friction(double damping, double out[2])
{
    ct_world_desc d = world_desc(4e-3, 0, NULL);
    ct_world *w;
    int i, k;
    d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.interaction_damping = (ct_real)damping;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 12; i++) {
        ct_mesh m = mesh_grid(0.2, 0.2, 4, 4);
        char name[16];
        for (k = 0; k < m.n_positions; k++) {
            m.positions[3 * k + 1] += (ct_real)(0.0045 + 0.0045 * i);
            m.positions[3 * k] += (ct_real)(0.003 * ((i * 7) % 5));
            m.positions[3 * k + 2] += (ct_real)(0.003 * ((i * 3) % 5));
        }
        snprintf(name, sizeof name, "layer%d", i);
        add_cloth_mesh(w, name, &m, CT_MODEL_MEMBRANE, 0.2);
        ct_mesh_free(&m);
    }
    out[0] = out[1] = 0;
    for (i = 0; i < 160; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_int_equal(r.tangled, 0);
        if (i / 40 == 1 || i / 40 == 3)
            out[i / 40 == 3] += r.energy_kinetic / 40;
    }
    ct_world_destroy(w);
}

/* their kinetic energy grows, and interaction_damping keeps it from growing */
static void interacting_collisions(void **state)
{
    double free[2], damped[2];
    (void)state;
    layers_without_friction(0, free);
    layers_without_friction(1, damped);
    if (getenv("SHOW"))
        print_message("layers without friction: %.1e, then %.1e J; damped: %.1e, then %.1e J\n", free[0], free[1], damped[0], damped[1]);
    if (FLOAT) /* rounding is as large as what grows */
        return;
    assert_true(free[1] > 2 * free[0]);
    assert_true(damped[1] < 0.25 * free[1] && damped[1] < 2 * damped[0]);
}

/* ---- forces that are linearized ---- */

/* kinetic energy that the bodies of a world start with */
static double kinetic_at_start(const ct_world *w)
{
    const cti_state *s = &w->state;
    double e = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        e += 0.5 * (double)s->bodies.mass[i / 3] * (double)s->v[i] * (double)s->v[i];
    return e;
}

/* bodies that spin in free space, stiff for the step: one linearization of their forces stretches them by their rotation */
static void spinning_bodies_gain_nothing(void **state)
{
    static const ct_model models[] = {CT_MODEL_STVK, CT_MODEL_NEOHOOKEAN, CT_MODEL_COROTATIONAL, CT_MODEL_MEMBRANE};
    int k, i;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_world *w;
        ct_body_id id;
        double energy, last = 0, moved = 0;
        d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = 0;
        w = world_make(&d);
        if (models[k] == CT_MODEL_MEMBRANE) {
            ct_cloth_desc c = ct_cloth_desc_default();
            ct_mesh m = mesh_grid(0.1, 0.1, 4, 4);
            c.mesh = &m, c.name = "sheet", c.material = ct_material_default(models[k]), c.angular_velocity[0] = 5;
            c.material.young = (ct_real)1e6, c.velocity[2] = 1;
            assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
            ct_mesh_free(&m);
        } else {
            ct_soft_desc c = ct_soft_desc_default();
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
            c.mesh = &m, c.name = "box", c.material = ct_material_default(models[k]), c.angular_velocity[0] = 5;
            c.material.young = (ct_real)1e7, c.velocity[2] = 1;
            assert_int_equal(ct_body_add_soft(w, &c, &id), CT_OK);
            ct_mesh_free(&m);
        }
        energy = kinetic_at_start(w);
        for (i = 0; i < 10; i++) {
            ct_step_report r = step_once(w, 0.01);
            double now = r.energy_kinetic + r.energy_elastic;
            assert_int_equal(r.status, CT_STATUS_OK);
            assert_true(now <= energy * (1 + 2e-4) + (FLOAT ? 0.02 : 0));
            moved = i ? fmax(moved, fabs(r.center_of_mass[2] - last - 0.01)) : 0, last = r.center_of_mass[2];
            energy = now;
        }
        if (getenv("SHOW"))
            print_message("model %d: %.3g J at the end, centre off by %.1e m\n", (int)models[k], energy, moved);
        assert_true(moved < (FLOAT ? 2e-5 : 1e-8));
        ct_world_destroy(w);
    }
}

/* a script turns an end of a bar and leaves it free along the bar: it crushes the end, until pairs touch of which the script holds all along the
   normal, but for rounding */
static void nearly_held_pairs_get_bounded_forces(void **state)
{
    ct_world_desc d = world_desc(2e-3, 0.4, NULL);
    ct_soft_desc c = ct_soft_desc_default();
    ct_mesh m = mesh_box(0.4, 0.1, 0.1, 8, 2, 2, 1);
    ct_motion turn;
    ct_world *w;
    ct_body_id id;
    int32_t end[9];
    int i, n = 0, contacts = 0;
    (void)state;
    memset(&turn, 0, sizeof turn);
    turn.angular[0] = (ct_real)-9.38, turn.angular[1] = (ct_real)-36.57, turn.angular[2] = (ct_real)-21.58, turn.center[0] = (ct_real)0.2;
    d.stepper = CT_STEPPER_GEOMETRIC;
    w = world_make(&d);
    c.mesh = &m, c.name = "bar", c.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN), c.material.young = (ct_real)2.77e4;
    c.material.poisson = (ct_real)0.4;
    assert_int_equal(ct_body_add_soft(w, &c, &id), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        if (m.positions[3 * i] > (ct_real)0.19)
            end[n++] = i;
    assert_int_equal(n, 9);
    assert_int_equal(ct_body_pin(w, id, end, n, CT_AXIS_Y | CT_AXIS_Z, &turn, -1), CT_OK);
    for (i = 0; i < 10; i++) {
        ct_step_report r = step_once(w, 0.01);
        contacts += r.contacts;
        if (getenv("SHOW"))
            print_message("%d: %.2e J kinetic, %.2e elastic, pins %.2e, %d contacts, status %d\n", i, r.energy_kinetic, r.energy_elastic, r.work_pins,
                          r.contacts, (int)r.status);
        assert_true(r.energy_kinetic + r.energy_elastic < 1e5);
    }
    assert_true(contacts > 50);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a box of which all vertices move on lines of a direction X, above a plane */
static ct_step_report beads(ct_geometric_scheme scheme, const double X[3], const double normal[3], double height, int steps)
{
    ct_world_desc d = world_desc(2e-3, 0, NULL);
    ct_soft_desc c = ct_soft_desc_default();
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    ct_real S[9], n[3];
    ct_world *w;
    ct_body_id id;
    ct_step_report r;
    int i, k;
    d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.scheme = scheme;
    w = world_make(&d);
    c.mesh = &m, c.name = "beads", c.position[1] = (ct_real)height;
    for (k = 0; k < 3; k++)
        n[k] = (ct_real)normal[k];
    assert_int_equal(ct_body_add_plane(w, n, 0, NULL), CT_OK);
    assert_int_equal(ct_body_add_soft(w, &c, &id), CT_OK);
    for (i = 0; i < 9; i++)
        S[i] = (ct_real)(X[i / 3] * X[i % 3]);
    for (i = 0; i < m.n_positions; i++)
        assert_int_equal(ct_body_constrain(w, id, i, S), CT_OK);
    memset(&r, 0, sizeof r);
    for (i = 0; i < steps; i++) {
        r = step_once(w, 0.01);
        assert_true(r.status <= CT_STATUS_SUBSTEPPED);
    }
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return r;
}

/* on slanted lines a box rests on the plane by both schemes; lines along a slanted plane, of which rounding alone leads to it, have no contact */
static void slanted_lines_lead_to_contacts(void **state)
{
    static const double slanted[3] = {0.8660254037844386, 0.5, 0}, up[3] = {0, 1, 0};
    ct_geometric_scheme scheme;
    int k;
    (void)state;
    for (scheme = CT_GEOMETRIC_GLOBAL; scheme <= CT_GEOMETRIC_SUCCESSIVE; scheme = (ct_geometric_scheme)(scheme + 1)) {
        ct_step_report r = beads(scheme, slanted, up, 0.06, 60);
        if (getenv("SHOW"))
            print_message("scheme %d: %d contacts, %.3f of the thickness, %.2e J\n", (int)scheme, r.contacts, r.thickness_kept, r.energy_kinetic);
        assert_true(r.contacts >= 4 && r.thickness_kept > (scheme == CT_GEOMETRIC_GLOBAL ? 0.95 : 0.79) && r.energy_kinetic < 1e-6);
        for (k = 1; k < 13; k++) { /* 1.2 mm above the plane */
            double s = sin(0.1 * k), c = cos(0.1 * k), along[3] = {c, s, 0}, across[3] = {-s, c, 0};
            r = beads(scheme, along, across, (0.05 * (s + c) + 0.0012) / c, 3);
            assert_int_equal(r.contacts, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remembered_forces_lower_the_energy),
        cmocka_unit_test(normal_solves_are_precise),
        cmocka_unit_test(terms_by_finite_differences),
        cmocka_unit_test(midpoint_falls_exactly),
        cmocka_unit_test(midpoint_keeps_energy),
        cmocka_unit_test(remaining_state),
        cmocka_unit_test(own_solver),
        PLAIN_TEST(interacting_collisions)
        cmocka_unit_test(spinning_bodies_gain_nothing),
        cmocka_unit_test(nearly_held_pairs_get_bounded_forces),
        cmocka_unit_test(slanted_lines_lead_to_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
