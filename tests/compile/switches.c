/* switches.c -- contact.h with CONTACT_WITH_<STEPPER or SOLVER> 0: what is left works, the rest is refused by name. ONLY_SOLVER is the one solver
   that is built, in a build of one stepper. */
#define CONTACT_IMPLEMENTATION
#include "../../contact.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* QP: [4 1; 1 3] x = (1, 2), x_2 >= 1: x = (0, 1). LCP: [4 1; 1 3] r - (1, -2): r = (1/4, 0). LOCAL: a contact that is pressed and does not slide:
   r = (1, 0, 0) */
static ct_problem *problem(ct_problem_kind kind)
{
    static const int32_t ap[] = {0, 2, 4}, ai[] = {0, 1, 0, 1}, jp[] = {0, 1}, ji[] = {1}, wp[] = {0, 1, 2, 3}, wi[] = {0, 1, 2};
    static const double ax[] = {4, 1, 1, 3}, b[] = {1, 2}, one[] = {1, 1, 1}, w[] = {-1, 0, 0}, w2[] = {-1, 2}, mu[] = {0.5};
    ct_problem_desc d = ct_problem_desc_default();
    ct_csr A, E;
    ct_problem *q = NULL;
    A.rows = A.cols = 2, A.p = ap, A.i = ai, A.x = ax;
    E.rows = E.cols = 3, E.p = wp, E.i = wi, E.x = one;
    d.kind = kind, d.w = w;
    if (kind == CT_PROBLEM_QP)
        d.A = A, d.b = b, d.J.rows = 1, d.J.cols = 2, d.J.p = jp, d.J.i = ji, d.J.x = one;
    else if (kind == CT_PROBLEM_LCP)
        d.W = A, d.w = w2;
    else
        d.W = E, d.mu = mu;
    return ct_problem_create(&d, &q, NULL) == CT_OK ? q : NULL;
}

static double wrong(ct_problem_kind kind, const ct_solution *s)
{
    return kind == CT_PROBLEM_QP    ? fabs(s->x[1] - 1)
           : kind == CT_PROBLEM_LCP ? fabs(s->r[0] - 0.25) + fabs(s->r[1])
                                    : fabs(s->r[0] - 1) + fabs(s->r[1]);
}

/* what the one solver and AUTO do with a problem: adds to *solved when it is a problem for them */
static int solvers(ct_problem_kind kind, int *solved)
{
    ct_problem *q = problem(kind);
    int k, bad = q == NULL, mine = 0, automatic = 0;
    for (k = 0; k < CT_SOLVER_COUNT_ && !bad; k++) {
        ct_solver_desc d = ct_solver_desc_default();
        int built = k == CT_SOLVER_AUTO || k == (int)(ONLY_SOLVER);
        ct_solution s;
        ct_code code;
        memset(&s, 0, sizeof s);
        d.solver = (ct_solver)k, d.tolerance = (ct_real)1e-6;
        code = ct_problem_solve(q, &d, &s);
        if (ct_problem_solver_built((ct_solver)k) != built || code != (built ? CT_OK : CT_ERR_UNSUPPORTED) ||
            (built && s.outcome != CT_OUTCOME_NOT_APPLICABLE &&
             (s.outcome != CT_OUTCOME_SOLVED || s.solver != (ONLY_SOLVER) || !(wrong(kind, &s) < 1e-4))))
            bad = printf("%s: built %d, code %d, outcome %d\n", ct_solver_text((ct_solver)k), built, (int)code, (int)s.outcome);
        if (built && k == CT_SOLVER_AUTO)
            automatic = s.outcome == CT_OUTCOME_SOLVED;
        else if (built)
            mine = s.outcome == CT_OUTCOME_SOLVED;
        ct_solution_free(&s);
    }
    if (!bad && automatic && !mine) /* AUTO knows for each kind which solvers it tries: it may try none of a small build */
        bad = printf("problem kind %d: the solver %d, auto %d\n", (int)kind, mine, automatic);
    *solved += mine;
    ct_problem_free(q);
    return bad;
}

static int problems(void)
{
    int solved = 0;
    if (!CONTACT_WITH_PROBLEMS)
        return problem(CT_PROBLEM_QP) ? printf("a problem is not refused\n") : 0;
    if (solvers(CT_PROBLEM_QP, &solved) || solvers(CT_PROBLEM_LCP, &solved) || solvers(CT_PROBLEM_LOCAL, &solved))
        return 1;
    return solved ? 0 : printf("the solver takes none of the problems\n");
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

/* parts that are not built are refused by name */
static int parts(void)
{
    const ct_real size[3] = {(ct_real)0.1, (ct_real)0.1, (ct_real)0.1};
    const int cells[3] = {1, 1, 1};
    ct_world_desc d = ct_world_desc_default(), printed = ct_world_desc_default(), form = ct_world_desc_default();
    ct_rod_desc r = ct_rod_desc_default();
    ct_joint_desc hinge = ct_joint_desc_default(CT_JOINT_HINGE);
    ct_error_info e;
    ct_mesh m, lattice;
    ct_world *w = NULL, *none = NULL;
    ct_body_id rod;
    ct_hit hit;
    int bad = 0;
    if (ct_world_create(&d, &w, NULL) != CT_OK || ct_mesh_box(size, cells, 0, &m, NULL) != CT_OK)
        return printf("no world by default\n");
    printed.solver.termination = CT_TERMINATION_PAPER, r.mesh = &m;
    if (!CONTACT_WITH_RODS)
        bad |= ct_body_add_rod(w, &r, &rod) != CT_ERR_UNSUPPORTED || !strstr(ct_world_error(w)->text, "CONTACT_WITH_RODS");
    if (!CONTACT_WITH_JOINTS)
        bad |= ct_joint_add(w, &hinge, NULL) != CT_ERR_UNSUPPORTED || !strstr(ct_world_error(w)->text, "CONTACT_WITH_JOINTS");
    if (!CONTACT_WITH_QUERIES)
        bad |= ct_world_update_queries(w) != CT_ERR_UNSUPPORTED || !strstr(ct_world_error(w)->text, "CONTACT_WITH_QUERIES") ||
               ct_world_cast_ray(w, size, size, NULL, &hit, &e) != CT_ERR_UNSUPPORTED || !strstr(e.text, "CONTACT_WITH_QUERIES");
    else
        bad |= ct_world_update_queries(w) != CT_OK || ct_world_cast_ray(w, size, size, NULL, &hit, &e) != CT_OK || hit.body.index1;
    if (!CONTACT_WITH_MESHING)
        bad |= ct_mesh_tetrahedralize(&m, (ct_real)0.05, &lattice, &e) != CT_ERR_UNSUPPORTED || !strstr(e.text, "CONTACT_WITH_MESHING");
    form.barrier.form = CT_FORM_ROOT;
    if (!CONTACT_WITH_FORMS && form.stepper == CT_STEPPER_BARRIER)
        bad |= ct_world_create(&form, &none, &e) != CT_ERR_UNSUPPORTED || !strstr(e.text, "CONTACT_WITH_FORMS");
    if (!CONTACT_WITH_PRINTED)
        bad |= ct_world_create(&printed, &none, &e) != CT_ERR_UNSUPPORTED || !strstr(e.text, "CONTACT_WITH_PRINTED");
    ct_world_destroy(w), ct_mesh_free(&m);
    return bad ? printf("a part is not refused by name\n") : 0;
}

#define WORD(name, number, word, built) (built) ? #word:
#define SOLVER_WORD(name, number, word, built, other) strcat(words, (built) ? " " #word : "");
/* the list of the solvers that this build has: ICA belongs to every world */
static const char *solver_words(void)
{
    static char words[200] = "auto ica";
    CT_SOLVER_LIST_OPTIONAL(SOLVER_WORD)
    CT_SOLVER_LIST_OWN(SOLVER_WORD)
    return words;
}

int main(void)
{
    ct_world_desc d = ct_world_desc_default();
    const ct_library_info *info = ct_library_info_get();
    int bad = problems() || worlds() || parts(), k;
    if (strcmp(info->steppers, CT_STEPPER_LIST(WORD) "") || !info->with_files != !CONTACT_WITH_FILES || strcmp(info->solvers, solver_words()))
        return printf("[%s] [%s] are said to be built\n", info->steppers, info->solvers);
    d.solver.solver = CT_SOLVER_NEWTON;
    bad = bad || (!CONTACT_WITH_NEWTON && refused(&d, "newton"));
    d = ct_world_desc_default();
    for (k = 0; k < CT_STEPPER_COUNT_; k++) {
        d.stepper = (ct_stepper)k;
        bad = bad || (!ct_stepper_built(d.stepper) && refused(&d, ct_stepper_text(d.stepper)));
    }
    return bad;
}
