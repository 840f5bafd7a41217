/* cc -O2 solvers.c -lm -o solvers     (beside contact.h and stb_ds.h) -- one pile, one frictional problem, each solver of the library */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* height of the upper of two crates after a second in a world, 0 where the solver is refused, -1 on an error */
static double height(ct_solver solver)
{
    ct_real size[3] = {0.4, 0.4, 0.4}, at[3] = {0, -1, 0};
    int cells[3] = {1, 1, 1};
    ct_mesh crate;
    ct_world *world;
    ct_world_desc desc = ct_world_desc_default();
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_body_id upper;
    desc.solver.solver = solver;
    if (ct_world_create(&desc, &world, NULL))
        return 0;
    if (ct_mesh_box(size, cells, 0, &crate, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return -1;
    rigid.mesh = &crate;
    for (int i = 0; i < 2; i++) {
        rigid.position[1] = 0.21 + 0.41 * i;
        if (ct_body_add_rigid(world, &rigid, &upper))
            return -1;
    }
    for (int i = 0; i < 100; i++)
        if (ct_world_step(world, 0.01, NULL))
            return -1;
    ct_body_get_pose(world, upper, at, NULL);
    ct_world_destroy(world);
    ct_mesh_free(&crate);
    return (double)at[1];
}

int main(void)
{
    /* a contact that is pushed down by 1 and along by 2 [m/s], unit mass, mu = 1/2: it slides, r = (1, -1/2, 0) */
    int32_t p[4] = {0, 1, 2, 3}, columns[3] = {0, 1, 2};
    double one[3] = {1, 1, 1}, w[3] = {-1, 2, 0}, mu[1] = {0.5};
    ct_csr W = {3, 3, p, columns, one};
    ct_problem_desc desc = ct_problem_desc_default();
    ct_problem *problem;
    int wrong = 0, solved = 0;

    desc.kind = CT_PROBLEM_LOCAL;
    desc.W = W, desc.w = w, desc.mu = mu;
    if (ct_problem_create(&desc, &problem, NULL))
        return 1;
    for (int i = 0; i < CT_SOLVER_COUNT_; i++) {
        ct_solver_desc solver = ct_solver_desc_default();
        ct_solution solution;
        double y = ct_solver_built((ct_solver)i) ? height((ct_solver)i) : 0;
        solver.solver = (ct_solver)i;
        memset(&solution, 0, sizeof solution);
        if (ct_problem_solve(problem, &solver, &solution))
            continue; /* not built */
        printf("%-12s in a world: %s %.4f m   alone: %s\n", ct_solver_text((ct_solver)i), y != 0 ? "rests at" : "refused", y,
               ct_outcome_text(solution.outcome));
        wrong += y != 0 && fabs(y - 0.602) > 1e-3;
        if (solution.outcome == CT_OUTCOME_SOLVED) {
            solved++;
            wrong += fabs(solution.r[0] - 1) + fabs(solution.r[1] + 0.5) + fabs(solution.r[2]) > 1e-2;
        }
        ct_solution_free(&solution);
    }
    ct_problem_free(problem);
    return wrong == 0 && solved > 3 ? 0 : 1;
}
