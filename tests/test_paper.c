/* test_paper.c -- Otaduy et al. 2009 as printed: friction on a box or a pyramid aligned with the unconstrained tangential velocity (3.4);
   worlds and problems with the paper's own step, solver and termination (CT_TERMINATION_PAPER), without intersections. */
#include "../src/9_world/world.h"
#include "world_util.h"

enum { DIRECTIONS = 5 };
#define PI 3.14159265358979

/* a plate of 1 m, rigid or soft, that slides on a plane at 2 m/s, `angle` from x */
static ct_body_id add_plate(ct_world *w, int rigid, double angle)
{
    ct_mesh m = mesh_box(1, 0.05, 1, 2, 1, 2, !rigid);
    ct_body_id id;
    double vx = 2 * cos(angle), vz = 2 * sin(angle);
    add_plane(w, 0, 1, 0, 0);
    mesh_place(&m, 0, 0, 0.026, 0);
    if (rigid) {
        ct_rigid_desc d = ct_rigid_desc_default();
        d.mesh = &m, d.velocity[0] = (ct_real)vx, d.velocity[2] = (ct_real)vz;
        assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    } else
        id = add_soft_mesh(w, "plate", &m, 1e6, vx, 0, vz);
    ct_mesh_free(&m);
    return id;
}

/* results of a run */
typedef struct tally {
    int steps, status[5], substeps, rounds, intersections;
    long iterations, sweeps, quick;
} tally;

static void take(ct_world *w, double dt, tally *t)
{
    ct_step_report r = step_once(w, dt);
    t->steps++, t->status[r.status]++;
    t->substeps += r.substeps, t->iterations += r.solver_iterations, t->sweeps += r.solver_sweeps, t->quick += r.solver_quick;
    t->rounds = r.cmr_rounds > t->rounds ? r.cmr_rounds : t->rounds;
    assert_true(r.status != CT_STATUS_BUDGET || r.residual > 1e-4);
}

static void tell(const char *name, const tally *t)
{
    print_message(
        "%s: %d steps, ok %d, substepped %d, zones %d, budget %d, not converged %d; %d substeps, at most %d rounds, %ld outer iterations, "
        "%ld sweeps, %.1f %% of the inner loops under ten, %d intersections\n",
        name, t->steps, t->status[CT_STATUS_OK], t->status[CT_STATUS_SUBSTEPPED], t->status[CT_STATUS_ZONES], t->status[CT_STATUS_BUDGET],
        t->status[CT_STATUS_NOT_CONVERGED], t->substeps, t->rounds, t->iterations, t->sweeps,
        100.0 * (double)t->quick / (double)(t->iterations ? t->iterations : 1), t->intersections);
}

static ct_world_desc printed(double thickness, double friction)
{
    ct_world_desc d = world_desc(thickness, friction, NULL);
    d.solver.termination = CT_TERMINATION_PAPER;
    return d;
}

/* deceleration of a plate over mu g, and the degrees by which its path turns, over a tenth of a second */
static void slide(ct_world_desc *d, int rigid, double angle, double *brake, double *turn, tally *t)
{
    ct_world *w = world_make(d);
    ct_body_id plate = add_plate(w, rigid, angle);
    double before[3], after[3];
    int i;
    for (i = 0; i < 10; i++)
        take(w, 0.005, t);
    read_middle(w, plate, 1, before);
    for (i = 0; i < 20; i++)
        take(w, 0.005, t);
    read_middle(w, plate, 1, after);
    *brake = (hypot(before[0], before[2]) - hypot(after[0], after[2])) / (0.1 * 9.81 * (double)d->friction);
    *turn = (atan2(after[2], after[0]) - atan2(before[2], before[0])) * 180 / PI;
    t->intersections += count_intersections(w);
    ct_world_destroy(w);
}

/* five directions: the largest error of mu g, and the largest turn of the path */
static void slide_all(ct_world_desc *d, int rigid, double *worst, double *most, tally *t)
{
    double brake, turn;
    int i;
    *worst = *most = 0;
    for (i = 0; i < DIRECTIONS; i++) {
        slide(d, rigid, i * PI / 16, &brake, &turn, t);
        *worst = fabs(brake - 1) > *worst ? fabs(brake - 1) : *worst;
        *most = fabs(turn) > *most ? fabs(turn) : *most;
    }
}

/* every cone decelerates by mu g and turns no path, whatever the direction */
static void cones(void **state)
{
    static const ct_cone list[] = {CT_CONE_BOX, CT_CONE_PYRAMID, CT_CONE_CONE};
    static const char *const name[] = {"box", "pyramid", "cone"};
    int k, kind;
    (void)state;
    for (kind = 0; kind < 2; kind++)
        for (k = 0; k < 3; k++) {
            ct_world_desc d = world_desc(1e-3, 0.3, NULL);
            double worst, most;
            tally t;
            memset(&t, 0, sizeof t);
            d.solver.cone = list[k];
            slide_all(&d, kind == 0, &worst, &most, &t);
            print_message("%s, %s: braked with mu g within %.2g, turned by at most %.2g degrees\n",
                          kind == 0 ? "rigid plate" : "soft plate", name[k], worst, most);
            assert_true(worst < 0.01);
            assert_true(most < 0.1);
        }
}

/* the plate by the paper's step, on the box and on a pyramid */
static void plates(void **state)
{
    static const ct_cone list[] = {CT_CONE_BOX, CT_CONE_PYRAMID};
    static const char *const name[] = {"rigid plate, box", "rigid plate, pyramid", "soft plate, box", "soft plate, pyramid"};
    int k;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world_desc d = printed(1e-3, 0.3);
        double worst, most;
        tally t;
        memset(&t, 0, sizeof t);
        d.solver.cone = list[k % 2];
        slide_all(&d, k < 2, &worst, &most, &t);
        tell(name[k], &t);
        print_message("  braked with mu g within %.2g, turned by at most %.2g degrees\n", worst, most);
        assert_int_equal(t.intersections, 0);
        assert_true(worst < 0.01 && most < 0.1);
    }
}

/* an L of cells of `size`: a box of 2 x 3 x 1 without two of them */
static ct_mesh mesh_letter(double size)
{
    ct_mesh m = mesh_box(2 * size, 3 * size, size, 2, 3, 1, 1);
    int i, k, n = 0, keep = 0, *to = (int *)malloc(sizeof(int) * (size_t)m.n_positions);
    for (i = 0; i < m.n_positions; i++)
        to[i] = -1;
    for (i = 0; i < m.n_tets; i++) {
        double x = 0, y = 0;
        for (k = 0; k < 4; k++)
            x += (double)m.positions[3 * m.tets[4 * i + k]] / 4, y += (double)m.positions[3 * m.tets[4 * i + k] + 1] / 4;
        if (x > 0 && y > -size / 2)
            continue;
        for (k = 0; k < 4; k++)
            m.tets[4 * n + k] = m.tets[4 * i + k], to[m.tets[4 * n + k]] = 0;
        n++;
    }
    for (i = 0; i < m.n_positions; i++)
        if (to[i] == 0) {
            to[i] = keep;
            memmove(m.positions + 3 * keep++, m.positions + 3 * i, 3 * sizeof(ct_real));
        }
    for (i = 0; i < 4 * n; i++)
        m.tets[i] = to[m.tets[i]];
    m.n_tets = n, m.n_positions = keep, m.n_triangles = 0;
    free(to);
    return m;
}

/* nine letters in layers, as large and as soft as the show scene's, at its step of 30 ms */
static ct_world *make_letters(const ct_world_desc *d)
{
    ct_world *w = world_make(d);
    int i;
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 9; i++) {
        ct_mesh m = mesh_letter(0.06);
        mesh_place(&m, 0.4 * i, 0.05 * (i % 3) - 0.05, 0.13 + 0.2 * (i / 3), 0.08 * (i % 3));
        add_soft_mesh(w, "letter", &m, 1e5, 0, 0, 0);
        ct_mesh_free(&m);
    }
    return w;
}

static void letters(void **state)
{
    ct_world_desc d = printed(3e-3, 0.4);
    uint64_t hash = 0;
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) { /* and again with three workers: the same bits */
        ct_world *w;
        tally t;
        memset(&t, 0, sizeof t);
        d.tasks.worker_count = k ? 3 : 1;
        w = make_letters(&d);
        for (i = 0; i < 40; i++) {
            take(w, 0.03, &t);
            t.intersections += count_intersections(w);
        }
        if (k == 0)
            tell("letters", &t);
        assert_int_equal(t.intersections, 0);
        assert_true(t.status[CT_STATUS_NOT_CONVERGED] == 0 && t.status[CT_STATUS_BUDGET] > 0);
        assert_true(k == 0 || ct_world_hash(w) == hash);
        hash = ct_world_hash(w);
        ct_world_destroy(w);
    }
}

/* cloth_drop with a fifth of its vertices: a sheet that falls on its edge */
static void cloth_drop(void **state)
{
    ct_world_desc d = printed(2e-3, 0.6);
    ct_world *w = world_make(&d);
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_mesh m = mesh_grid(1, 1, 22, 22);
    ct_body_id id;
    tally t;
    int i;
    (void)state;
    memset(&t, 0, sizeof t);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < m.n_positions; i++) { /* rotated by 82 degrees about x */
        ct_real *x = m.positions + 3 * i, z = x[2];
        x[1] = (ct_real)(0.52 - sin(82 * PI / 180) * (double)z), x[2] = (ct_real)(cos(82 * PI / 180) * (double)z);
    }
    c.mesh = &m, c.material = ct_material_default(CT_MODEL_SPRINGS), c.material.stretch = 200, c.material.shear = 50;
    c.material.bend = (ct_real)1e-3, c.material.areal_density = (ct_real)0.2, c.material.damping_stiffness = (ct_real)0.002;
    assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
    for (i = 0; i < 200; i++) {
        take(w, 0.004, &t);
        t.intersections += count_intersections(w);
    }
    tell("cloth_drop", &t);
    assert_int_equal(t.intersections, 0);
    assert_int_equal(t.status[CT_STATUS_NOT_CONVERGED], 0);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* A chain of blocks of 2 kg with springs of `stiff`, of which the first slides at an angle to the problem's tangents. The box is aligned with it,
   so that Coulomb's judge calls one block solved. A chain ends above the tolerance, with outcome BUDGET; other solvers have no such end */
static void problems(void **state)
{
    enum { CHAIN = 40 };
    static const int32_t pj[] = {0, 1, 2, 3}, ij[] = {1, 0, 2};
    static const double J[] = {1, 1, -1}, w[] = {0, 0, 0}, mu[] = {0.5}, stiff = 1000;
    int n;
    (void)state;
    for (n = 1; n <= CHAIN; n += CHAIN - 1) {
        int32_t pa[3 * CHAIN + 1] = {0}, ia[9 * CHAIN];
        double A[9 * CHAIN], b[3 * CHAIN] = {8, -2, 6};
        ct_problem_desc d = ct_problem_desc_default();
        ct_solver_desc s = ct_solver_desc_default();
        ct_problem *p;
        ct_solution answer;
        int i, k, at = 0;
        for (i = 0; i < 3 * n; i++) {
            for (k = i - 3; k <= i + 3; k += 3)
                if (k >= 0 && k < 3 * n)
                    ia[at] = k, A[at++] = k == i ? 2 + stiff * ((i >= 3) + (i < 3 * n - 3)) : -stiff;
            pa[i + 1] = at;
        }
        memset(&answer, 0, sizeof answer);
        d.kind = CT_PROBLEM_GLOBAL, d.A.rows = d.A.cols = 3 * n, d.A.p = pa, d.A.i = ia, d.A.x = A, d.J.rows = 3, d.J.cols = 3 * n;
        d.J.p = pj, d.J.i = ij, d.J.x = J, d.b = b, d.w = w, d.mu = mu;
        assert_int_equal(ct_problem_create(&d, &p, NULL), CT_OK);
        s.termination = CT_TERMINATION_PAPER, s.tolerance = sizeof(ct_real) == 4 ? (ct_real)1e-4 : (ct_real)1e-8;
        assert_int_equal(ct_problem_solve(p, &s, &answer), CT_OK);
        print_message("chain of %d: outcome %d (%s), %d iterations, residual %.2g\n", n, (int)answer.outcome, answer.why, answer.iterations,
                      answer.residual);
        assert_int_equal(answer.solver, CT_SOLVER_ICA);
        assert_int_equal(answer.outcome, n > 1 ? CT_OUTCOME_BUDGET : CT_OUTCOME_SOLVED);
        if (n == 1) /* mu r_n against (8, 6) / 10 */
            assert_true(fabs(answer.r[0] - 2) < 1e-3 && fabs(answer.x[0] - (8 - 0.8) / 2) < 1e-3 &&
                        fabs(answer.x[2] - (6 - 0.6) / 2) < 1e-3);
        s.solver = CT_SOLVER_PGS;
        if (ct_problem_solver_built(s.solver)) {
            assert_int_equal(ct_problem_solve(p, &s, &answer), CT_OK);
            assert_int_equal(answer.outcome, CT_OUTCOME_NOT_APPLICABLE);
        }
        ct_solution_free(&answer);
        ct_problem_free(p);
    }
}

/* a matrix that is not positive definite: Gauss-Seidel diverges (5.6) */
static void divergence(void **state)
{
    static const int32_t pa[] = {0, 2, 4, 6, 8, 10, 12}, ia[] = {0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5}, pj[] = {0, 1, 2, 3}, ij[] = {1, 0, 2};
    static const double A[] = {2, 3, 2, 3, 2, 3, 3, 2, 3, 2, 3, 2}, J[] = {1, 1, -1}, w[] = {0, 0, 0}, mu[] = {0.5},
                        b[] = {8, -2, 6, 0, 0, 0};
    ct_problem_desc d = ct_problem_desc_default();
    ct_solver_desc s = ct_solver_desc_default();
    ct_problem *p;
    ct_solution answer;
    (void)state;
    memset(&answer, 0, sizeof answer);
    d.kind = CT_PROBLEM_GLOBAL, d.A.rows = d.A.cols = 6, d.A.p = pa, d.A.i = ia, d.A.x = A, d.J.rows = 3, d.J.cols = 6;
    d.J.p = pj, d.J.i = ij, d.J.x = J, d.b = b, d.w = w, d.mu = mu;
    s.termination = CT_TERMINATION_PAPER;
    assert_int_equal(ct_problem_create(&d, &p, NULL), CT_OK);
    assert_int_equal(ct_problem_solve(p, &s, &answer), CT_OK);
    print_message("not positive: outcome %d (%s), %d iterations\n", (int)answer.outcome, answer.why, answer.iterations);
    assert_int_equal(answer.outcome, CT_OUTCOME_FAILED);
    assert_non_null(strstr(answer.why, "diverges"));
    ct_solution_free(&answer);
    ct_problem_free(p);
}

/* A sheet that its own motion compresses, on the ground. indefinite: its matrix keeps the negative stiffness of compressed springs across them.
   Substeps and status of the step in which it is short */
static ct_status press_sheet(int indefinite, int *substeps)
{
    const double dt = 0.01;
    ct_world_desc d = printed(1e-3, 0.3);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_grid(1, 1, 8, 8);
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_real v[3 * 81];
    ct_step_report r;
    ct_body_id id;
    int i;
    add_plane(w, 0, 1, 0, 0);
    mesh_place(&m, 0, 0, 0.0012, 0);
    c.mesh = &m, c.material = ct_material_default(CT_MODEL_SPRINGS), c.material.stretch = 20, c.material.shear = 5, c.material.bend = 0;
    c.material.areal_density = (ct_real)0.2;
    assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
    memset(v, 0, sizeof v);
    for (i = 0; i < 81; i++)
        v[3 * i] = (ct_real)(-0.3 * (double)m.positions[3 * i] / dt);
    assert_int_equal(ct_body_set_velocities(w, id, v, 81), CT_OK);
    r = step_once(w, dt);
    assert_int_equal(r.status, CT_STATUS_OK);
    if (indefinite)
        w->state.bodies.models[0]->membrane.hessian = w->state.bodies.models[0]->springs.hessian = CTI_HESSIAN_EXACT;
    r = step_once(w, dt);
    print_message("sheet, %s: %s, %d substeps, %d outer iterations\n", indefinite ? "indefinite" : "positive", ct_status_text(r.status),
                  r.substeps, r.solver_iterations);
    *substeps = r.substeps;
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return r.status;
}

/* a step in which Gauss-Seidel diverges is halved (5.6); with the positive definite matrix the same step is not */
static void halved_where_it_diverges(void **state)
{
    int substeps;
    (void)state;
    assert_int_equal(press_sheet(0, &substeps), CT_STATUS_OK);
    assert_int_equal(substeps, 1);
    assert_int_equal(press_sheet(1, &substeps), CT_STATUS_SUBSTEPPED);
    assert_int_equal(substeps, 2);
}

/* allocations that fail in a step: the step is undone, and then has the same bits */
static void memory(void **state)
{
    ct_world_desc d = printed(1e-3, 0.3);
    uint64_t hash = 0;
    int64_t k;
    books b;
    (void)state;
    for (k = 0; k < 60; k++) {
        ct_world *w;
        ct_code code;
        int i;
        memset(&b, 0, sizeof b);
        d.allocator.resize = books_resize, d.allocator.user = &b;
        w = world_make(&d);
        add_plate(w, 0, 0.3);
        b.fail_at = k ? b.calls + k : 0;
        code = ct_world_step(w, (ct_real)0.005, NULL);
        assert_true(code == CT_OK || code == CT_ERR_MEMORY);
        b.fail_at = 0;
        for (i = code == CT_OK; i < 3; i++)
            step_once(w, 0.005);
        assert_true(k == 0 || ct_world_hash(w) == hash);
        hash = ct_world_hash(w);
        ct_world_destroy(w);
        assert_int_equal(b.live, 0);
    }
}

static void refusals(void **state)
{
    ct_world_desc d = printed(1e-3, 0.3);
    ct_world *w;
    ct_error_info e;
    (void)state;
    d.solver.solver = CT_SOLVER_PGS;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    d.stepper = CT_STEPPER_DCD; /* whose paper is Li 2015 */
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cones),
                                       cmocka_unit_test(plates),
                                       cmocka_unit_test(letters),
                                       PLAIN_TEST(cloth_drop)
                                       cmocka_unit_test(problems),
                                       cmocka_unit_test(divergence),
                                       cmocka_unit_test(halved_where_it_diverges),
                                       cmocka_unit_test(memory),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
