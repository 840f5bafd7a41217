/* cc -O2 problem.c -lm -o problem     (beside contact.h and stb_ds.h) -- a quadratic program from arrays, without a world */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    /* two masses of 2 and 1 kg on one line are pulled towards -1 and -4 and may not go below 0:  min 1/2 x'A x - b'x,  x >= 0 and x1 - x0
       >= 1 */
    int32_t Ap[3] = {0, 1, 2}, Ai[2] = {0, 1}, Jp[3] = {0, 1, 3}, Ji[3] = {0, 0, 1};
    double Ax[2] = {2, 1}, b[2] = {-2, -4}, Jx[3] = {1, -1, 1}, w[2] = {0, -1};
    ct_csr A = {2, 2, Ap, Ai, Ax}, J = {2, 2, Jp, Ji, Jx};
    ct_problem_desc desc = ct_problem_desc_default();
    ct_solver_desc solver = ct_solver_desc_default();
    ct_problem *problem, *again;
    ct_solution solution;
    ct_error_info error;
    double off;

    desc.kind = CT_PROBLEM_QP;
    desc.A = A, desc.J = J, desc.b = b, desc.w = w;
    if (ct_problem_create(&desc, &problem, &error)) {
        printf("%s\n", error.text);
        return 1;
    }
    /* the file gives back the same numbers, bit for bit */
    if (ct_problem_write(problem, "problem.cpb", &error) || ct_problem_read("problem.cpb", &again, &error)) {
        printf("%s\n", error.text);
        return 1;
    }
    remove("problem.cpb");
    solver.solver = CT_SOLVER_AUTO;
    solver.tolerance = 1e-9;
    memset(&solution, 0, sizeof solution);
    if (ct_problem_solve(again, &solver, &solution))
        return 1;
    printf("%s by %s, residual %.1e\n", ct_outcome_text(solution.outcome), ct_solver_text(solution.solver), solution.residual);
    if (solution.outcome != CT_OUTCOME_SOLVED)
        return 1;
    /* by hand: x = (0, 1); the second row holds mass 1 with 5 N s, the first one mass 0 with 2 + 5 */
    printf("x = %.6f %.6f   multipliers %.6f %.6f\n", solution.x[0], solution.x[1], solution.r[0], solution.r[1]);
    off = fabs(solution.x[0]) + fabs(solution.x[1] - 1) + fabs(solution.r[0] - 7) + fabs(solution.r[1] - 5);
    ct_solution_free(&solution);
    ct_problem_free(problem);
    ct_problem_free(again);
    return off < 1e-6 ? 0 : 1;
}
