/* test_mprgp_files.c -- MPRGP on problem files: decoupled, coupled, ill-conditioned, without a solution, with friction; algorithm 3 as printed. */
#include "mprgp_util.h"
#include "../src/9_world/problems.h"
#include "../src/public/api.h"
#include <time.h>

static uint64_t now_us(void *user)
{
    (void)user;
    return (uint64_t)((double)clock() / CLOCKS_PER_SEC * 1e6);
}

static ct_problem *read_data(const char *name)
{
    const char *root = getenv("CONTACT_DATA");
    ct_problem *problem = NULL;
    char path[1024];
    snprintf(path, sizeof path, "%s/problems/%s", root ? root : "../shared/data", name);
    if (ct_problem_read(path, &problem, NULL) == CT_OK)
        return problem;
    print_message("missing: problems/%s in ../shared/data (or CONTACT_DATA)\n", name);
    return NULL;
}

/* files that are decoupled, coupled and ill-conditioned, infeasible; one with friction, which is staggered, and the same without */
static void files(void **state)
{
    static const char *const names[] = {"qp/vf_dec_3k.cpb", "qp/quasi_slab_3k.cpb", "qp/INFEASIBLE_3k.cpb", "fc/G_fem_vf_1k.cpb",
                                        "fc/G_fem_vf_1k.cpb"};
    static const ct_outcome outcomes[] = {CT_OUTCOME_SOLVED, CT_OUTCOME_SOLVED, CT_OUTCOME_INFEASIBLE, CT_OUTCOME_SOLVED,
                                          CT_OUTCOME_SOLVED};
    int i, k, found = 0;
    (void)state;
    for (i = 0; i < 5; i++) {
        ct_problem *problem = read_data(names[i]);
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        if (!problem)
            continue;
        found++;
        memset(&s, 0, sizeof s);
        d.solver = CT_SOLVER_MPRGP, d.tolerance = (ct_real)1e-9;
        for (k = 0; i == 4 && k < problem->program.m / 3; k++)
            problem->program.mu[k] = 0;
        assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
        if (s.outcome != outcomes[i])
            print_error("%s: %s, residual %g: %s\n", names[i], ct_outcome_text(s.outcome), s.residual, s.why);
        assert_int_equal(s.outcome, outcomes[i]);
        if (s.outcome == CT_OUTCOME_INFEASIBLE) {
            double *work = (double *)malloc(2 * sizeof *work * (size_t)s.n);
            assert_non_null(work);
            assert_true(cti_program_certify(&problem->program, s.r, work));
            free(work);
        }
        ct_solution_free(&s);
        ct_problem_free(problem);
    }
    if (!found)
        skip();
}

/* Algorithm 3 as printed on the contact problems, to 1e-4, 60 s each: all that have a reference are solved. With CONTACT_TEST_MANY these are all
   problems, with a line each for docs/solvers_mprgp.md, else those that take a few hundredths of a second */
static void printed_files(void **state)
{
    static const char *const names[] = {"INFEASIBLE_3k", "corner_3k",     "quasi_3k",  "redundant_3k", "sliver_3k",
                                        "slab_cpl_3k",   "vf_cpl_3k",     "vf_dec_3k", "infeas_3k",    "plane_10k",
                                        "stack_10k",     "quasi_slab_3k", "stiff_3k",  "stiff_10k",    "stack_36k"};
    int many = getenv("CONTACT_TEST_MANY") != NULL, found = 0, i;
    (void)state;
    for (i = 0; i < (many ? 15 : 8); i++) {
        char path[64];
        ct_problem *problem;
        cti_program *p;
        fixture f;
        cti_outcome said;
        clock_t start;
        snprintf(path, sizeof path, "qp/%s.cpb", names[i]);
        problem = read_data(path);
        if (!problem)
            continue;
        found++;
        p = &problem->program;
        begin(&f, CTI_PROGRAM_QP, 0, 0);
        f.o.printed = 1, f.e.tolerance = 1e-4, f.e.seconds = 60, f.e.clock.now_us = now_us, f.e.clock.started = now_us(NULL);
        f.a.x = (double *)calloc((size_t)p->n, sizeof(double)), f.a.r = (double *)calloc((size_t)p->m + 1, sizeof(double));
        start = clock();
        said = cti_mprgp_solve_with(p, &f.o, &f.e, &f.a, &f.c);
        if (many) {
            double *work = (double *)malloc(sizeof *work * (2 * (size_t)p->m + 2 * (size_t)p->n));
            cti_program_judge(p, f.a.x, f.a.r, work, &f.j);
            print_message("| %s | %d | %d | %s | %d | %d / %d / %d | %d | %.2g | %.1e |\n", names[i], p->n, p->m,
                          ct_outcome_text((ct_outcome)said), f.a.iterations, f.c.cg, f.c.expansions, f.c.proportionings, f.c.inner,
                          (double)(clock() - start) / CLOCKS_PER_SEC, f.j.residual);
            free(work);
        }
        assert_int_equal(said, i ? CTI_OUTCOME_SOLVED : CTI_OUTCOME_INFEASIBLE);
        assert_int_equal(f.c.dual, 0);
        free(f.a.x), free(f.a.r);
        ct_problem_free(problem);
        end(&f);
    }
    if (!found)
        skip();
}

/* solvers that take the option, and those without algorithm 3 of this paper */
static void printed_takes(void **state)
{
    static const char *const names[] = {"qp/vf_cpl_3k.cpb", "fc/G_fem_vf_1k.cpb"};
    int i, found = 0;
    (void)state;
    for (i = 0; i < 2; i++) {
        ct_problem *problem = read_data(names[i]);
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        if (!problem)
            continue;
        found++;
        memset(&s, 0, sizeof s);
        d.solver = CT_SOLVER_MPRGP, d.termination = CT_TERMINATION_PAPER, d.tolerance = (ct_real)1e-4;
        assert_int_equal(ct_problem_solve(problem, &d, &s), CT_OK);
        assert_int_equal(s.outcome, i ? CT_OUTCOME_NOT_APPLICABLE : CT_OUTCOME_SOLVED);
        assert_true(i || s.iterations > 0);
        ct_solution_free(&s);
        ct_problem_free(problem);
    }
    if (!found)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files), cmocka_unit_test(printed_files),
        cmocka_unit_test(printed_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
