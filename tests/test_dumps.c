/* test_dumps.c -- problems of a world, dumped and read again by the C interface, through every solver: no crash (this test also runs with
   sanitizers), no solution that the judge refutes, and no refusal by the solvers that take contacts with friction. */
#include "world_util.h"
#include <time.h>

static const char *const file = "build/test_dumps.cpb";

static uint64_t now(void *user)
{
    (void)user;
    return (uint64_t)((double)clock() / CLOCKS_PER_SEC * 1e6);
}

static int takes_all(ct_solver s)
{
    return s == CT_SOLVER_AUTO || s == CT_SOLVER_ICA || s == CT_SOLVER_NEWTON || s == CT_SOLVER_PGS || s == CT_SOLVER_ADMM ||
           s == CT_SOLVER_INTERIOR;
}

/* largest difference of a velocity from the world's own solution, as a share of the largest velocity */
static double far_from_world(const ct_problem *problem, const ct_solution *s)
{
    ct_problem_info info;
    double most = 0, size = 0;
    int i;
    assert_int_equal(ct_problem_info_get(problem, &info), CT_OK);
    for (i = 0; i < s->n; i++) {
        most = fmax(most, fabs(s->x[i] - info.x_ref[i]));
        size = fmax(size, fabs(info.x_ref[i]));
    }
    return most / size;
}

/* solves the file with every solver, and compares Newton's solution with the world's; ICA's outcome */
static ct_outcome solve_all(int *compared)
{
    ct_problem *problem;
    ct_outcome ica = CT_OUTCOME_FAILED;
    int k;
    assert_int_equal(ct_problem_read(file, &problem, NULL), CT_OK);
    for (k = 0; k < CT_SOLVER_COUNT_; k++) {
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        memset(&s, 0, sizeof s);
        d.solver = (ct_solver)k, d.tolerance = 1e-8, d.seconds = PLAIN_OR(0.05, 0.15), d.now_us = now;
        if (ct_problem_solve(problem, &d, &s) == CT_OK) {
            if (s.outcome == CT_OUTCOME_NOT_APPLICABLE && takes_all(d.solver))
                print_message("%s: %s\n", ct_solver_text(d.solver), s.why);
            assert_false(s.outcome == CT_OUTCOME_NOT_APPLICABLE && takes_all(d.solver));
            assert_false(s.outcome == CT_OUTCOME_NOT_APPLICABLE && (!s.why || !*s.why));
            assert_true(s.outcome != CT_OUTCOME_SOLVED || s.residual <= d.tolerance);
            if (d.solver == CT_SOLVER_NEWTON && s.outcome == CT_OUTCOME_SOLVED) {
                assert_true(far_from_world(problem, &s) < 1e-3);
                ++*compared;
            }
            ica = d.solver == CT_SOLVER_ICA ? s.outcome : ica;
        }
        ct_solution_free(&s);
    }
    ct_problem_free(problem);
    return ica;
}

/* steps a world and solves its problems of every sixth step: ICA solves as many as 95 % */
static void follow(ct_world *w, int steps)
{
    int i, dumped = 0, solved = 0, compared = 0;
    for (i = 0; i < steps; i++) {
        ct_step_report r = step_once(w, 0.01);
        if (r.rows == 0 || i % PLAIN_OR(6, 12))
            continue;
        assert_int_equal(ct_world_dump_problem(w, file), CT_OK);
        dumped++, solved += solve_all(&compared) == CT_OUTCOME_SOLVED;
    }
    print_message("ica solved %d of %d\n", solved, dumped);
    assert_true(dumped >= PLAIN_OR(4, 2) && solved >= 0.95 * dumped && compared > 0);
    remove(file);
    ct_world_destroy(w);
}

/* soft on soft on a plane: rows that depend on each other up to rounding, for which the active set's multipliers overflowed */
static void soft_boxes(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "a", 1, 3, 1e5, 0, 0.51, 0);
    add_soft_box(w, "b", 1, 3, 1e5, 0.2, 1.53, 0.1);
    follow(w, 26);
}

/* a soft box under another and on a plane, with vertices in contact that pins move in one or two axes: such contacts have
   a part of a frame, and the pins' velocity slides them */
static void pinned_in_part(void **state)
{
    static const int axes[] = {CT_AXIS_X, CT_AXIS_Z, CT_AXIS_X | CT_AXIS_Z};
    int turn;
    (void)state;
    for (turn = PLAIN_OR(0, 2); turn < 3; turn++) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_world *w = world_make(&d);
        ct_motion motion;
        int32_t all[64];
        ct_body_id a;
        int i, n;
        memset(&motion, 0, sizeof motion);
        motion.linear[0] = (ct_real)0.2, motion.linear[2] = (ct_real)-0.1;
        add_plane(w, 0, 1, 0, 0);
        a = add_soft_box(w, "a", 1, 2, 1e5, 0, 0.51, 0);
        add_soft_box(w, "b", 1, 2, 1e5, 0.2, 1.53, 0.1);
        n = ct_body_vertex_count(w, a);
        assert_true(n <= 64);
        for (i = 0; i < n; i++)
            all[i] = i;
        assert_int_equal(ct_body_pin(w, a, all, turn ? n : n / 2, axes[turn], &motion, -1), CT_OK);
        follow(w, 26);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(soft_boxes), cmocka_unit_test(pinned_in_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
