/* switches.c -- contact.h with CONTACT_WITH_<STEPPER or SOLVER> 0: what is left works, the rest is refused by name. ONLY_SOLVER is the one solver
   that is built; where CONTACT_WITH_CMR is 0, DCD is the only stepper. */
#define CONTACT_IMPLEMENTATION
#include "../../contact.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* [4 1; 1 3] x = (1, 2), x_2 >= 1: x = (0, 1) */
static ct_problem *problem(void)
{
    static const int32_t ap[] = {0, 2, 4}, ai[] = {0, 1, 0, 1}, jp[] = {0, 1}, ji[] = {1};
    static const double ax[] = {4, 1, 1, 3}, b[] = {1, 2}, jx[] = {1}, w[] = {-1};
    ct_problem_desc d = ct_problem_desc_default();
    ct_problem *q = NULL;
    d.kind = CT_PROBLEM_QP;
    d.A.rows = d.A.cols = 2, d.A.p = ap, d.A.i = ai, d.A.x = ax, d.b = b;
    d.J.rows = 1, d.J.cols = 2, d.J.p = jp, d.J.i = ji, d.J.x = jx, d.w = w;
    return ct_problem_create(&d, &q, NULL) == CT_OK ? q : NULL;
}

static int problems(void)
{
    ct_problem *q = problem();
    int k, bad = q == NULL;
    for (k = 0; k < CT_SOLVER_COUNT_ && !bad; k++) {
        ct_solver_desc d = ct_solver_desc_default();
        int built = k == CT_SOLVER_AUTO || k == (int)(ONLY_SOLVER);
        ct_solution s;
        ct_code code;
        memset(&s, 0, sizeof s);
        d.solver = (ct_solver)k, d.tolerance = (ct_real)1e-6;
        code = ct_problem_solve(q, &d, &s);
        if (ct_problem_solver_built((ct_solver)k) != built || code != (built ? CT_OK : CT_ERR_UNSUPPORTED) ||
            (built && (s.outcome != CT_OUTCOME_SOLVED || s.solver != (ONLY_SOLVER) || !(fabs(s.x[1] - 1) < 1e-4))))
            bad = printf("%s: built %d, code %d, outcome %d\n", ct_solver_text((ct_solver)k), built, (int)code, (int)s.outcome);
        ct_solution_free(&s);
    }
    ct_problem_free(q);
    return bad;
}

static int refused(const ct_world_desc *d, const char *name)
{
    ct_world *w = NULL;
    ct_error_info e;
    if (ct_world_create(d, &w, &e) == CT_ERR_UNSUPPORTED && !w && strstr(e.text, name) && strstr(e.text, "not built"))
        return 0;
    printf("%s is not refused by name\n", name);
    ct_world_destroy(w);
    return 1;
}

/* a box of 0.1 m falls on a plane and lies there */
static int worlds(void)
{
    const ct_real size[3] = {(ct_real)0.1, (ct_real)0.1, (ct_real)0.1};
    const int cells[3] = {1, 1, 1};
    ct_world_desc d = ct_world_desc_default();
    ct_soft_desc s = ct_soft_desc_default();
    ct_static_desc f = ct_static_desc_default();
    ct_mesh m;
    ct_world *w = NULL;
    ct_body_id box, floor;
    double x[24];
    int i, bad;
    if (ct_world_create(&d, &w, NULL) != CT_OK || ct_mesh_box(size, cells, 1, &m, NULL) != CT_OK)
        return printf("no world by default\n");
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i + 1] += (ct_real)0.06;
    s.mesh = &m, f.plane_normal[1] = 1;
    bad = ct_body_add_static(w, &f, &floor) != CT_OK || ct_body_add_soft(w, &s, &box) != CT_OK;
    for (i = 0; i < 30 && !bad; i++)
        bad = ct_world_step(w, (ct_real)0.01, NULL) != CT_OK;
    bad = bad || ct_body_get_positions(w, box, x, CT_SCALAR_DOUBLE, 3 * sizeof *x, &i) != CT_OK || i != 8;
    for (i = 0; i < 8 && !bad; i++)
        bad = !(x[3 * i + 1] > -0.01 && x[3 * i + 1] < 0.11);
    if (bad)
        printf("the box does not lie on the plane\n");
    ct_world_destroy(w), ct_mesh_free(&m);
    return bad;
}

int main(void)
{
    ct_world_desc d = ct_world_desc_default();
    int bad = problems() || worlds();
    d.solver.solver = CT_SOLVER_NEWTON;
    bad = bad || (CONTACT_WITH_CMR && !CONTACT_WITH_NEWTON && refused(&d, "newton")); /* DCD has a refusal of its own */
    d = ct_world_desc_default(), d.stepper = CONTACT_WITH_CMR ? CT_STEPPER_DCD : CT_STEPPER_CMR;
    return bad || refused(&d, CONTACT_WITH_CMR ? "dcd" : "cmr");
}
