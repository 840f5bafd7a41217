/* mprgp_solve.c -- which programs MPRGP takes, and how. Method: programs with decoupled rows or bounds are solved for the unknowns, all
   others for the multipliers, whose constraints are bounds. A run on the unknowns that stalls continues on the multipliers. differs: Li et
   al. 2015 solve for the unknowns also with coupled rows, and solve equations 16, 18 and 20 with a dense J J' in every step. The
   multipliers (their equation 2) need A's factor once and no such systems. */
#include "certificate.h"
#include "mprgp.h"
#include "mprgp_printed.h"

CTI_FN cti_mprgp_options cti_mprgp_options_default(void)
{
    cti_mprgp_options o;
    memset(&o, 0, sizeof o);
    o.block = 3, o.dense_rows = 2400, o.projected = 1, o.gamma = 1;
    return o;
}

/* ---- the programs that MPRGP solves ---- */

/* 1 if W is symmetric without a negative diagonal entry */
static int cti_mprgp_symmetric(const cti_sparse *W)
{
    double most = 0, least = 0;
    int i;
    for (i = 0; i < W->rows; i++) {
        double d = cti_sparse_at(W, i, i);
        most = cti_fmax(most, fabs(d)), least = cti_fmin(least, d);
    }
    return cti_sparse_asymmetry(W, 1) <= 1e-12 && least >= -1e-12 * most;
}

static const char *cti_mprgp_refuses(const cti_program *p, int symmetric)
{
    if (cti_program_has_friction(p))
        return "MPRGP minimizes over decoupled linear constraints; friction couples a contact's rows";
    if (p->kind == CTI_PROGRAM_LCP && !symmetric && !cti_mprgp_symmetric(&p->W))
        return "MPRGP minimizes: W has to be symmetric and positive semidefinite";
    return NULL;
}

/* ---- the solve ---- */

/* finds a row of zeros that cannot be satisfied: its unit vector is a certificate. Returns its number or -1 */
static int cti_mprgp_void_row(const cti_program *p)
{
    int i, k;
    for (i = 0; i < p->m; i++) {
        int zero = 1;
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++)
            zero = zero && p->J.x[k] == 0;
        if (zero && (p->w[i] < 0 || (p->equation && p->equation[i] && p->w[i] != 0)))
            return i;
    }
    return -1;
}

/* *infeasible: r has a certificate */
static cti_mprgp_end cti_mprgp_quadratic(const cti_program *p, cti_mprgp_target *t, int *infeasible)
{
    cti_mprgp_end end = CTI_MPRGP_STALLED;
    int path = t->options->path, taken = 0, bad = cti_mprgp_void_row(p);
    *infeasible = 0;
    if (bad >= 0) {
        cti_vec_zero(t->judged->m, t->answer->r);
        t->answer->r[t->stride * bad] = p->w[bad] > 0 ? -1 : 1;
        *infeasible = 1;
        return CTI_MPRGP_UNBOUNDED;
    }
#if CONTACT_WITH_PRINTED
    if (t->options->printed)
        return cti_mprgp_printed(p, t, infeasible);
#endif
    if (path != 2) {
        end = cti_mprgp_primal(p, t, path == 1 || t->options->decoupling != CTI_DECOUPLE_NONE ? 0 : 4000, &taken);
        if (end == CTI_MPRGP_DONE || end == CTI_MPRGP_MEMORY || end == CTI_MPRGP_BUDGET)
            return end;
        if (end == CTI_MPRGP_UNBOUNDED && t->stride == 1)
            *infeasible = cti_program_certify(p, t->answer->r, t->work);
        if (*infeasible || path == 1 || t->options->decoupling != CTI_DECOUPLE_NONE)
            return end;
        if (end == CTI_MPRGP_UNBOUNDED)
            cti_vec_zero(t->judged->m, t->answer->r);
    }
    return cti_mprgp_dual(p, t, infeasible);
}

static cti_outcome cti_mprgp_outcome(cti_mprgp_end end, int infeasible, int taken, cti_answer *a)
{
    if (end == CTI_MPRGP_MEMORY)
        return CTI_OUTCOME_MEMORY;
    if (infeasible)
        return cti_answer_end(a, CTI_OUTCOME_INFEASIBLE, "no point meets all rows: the multipliers are a certificate");
    switch (end) {
    case CTI_MPRGP_DONE:
        return CTI_OUTCOME_SOLVED;
    case CTI_MPRGP_BUDGET:
        return cti_answer_end(a, CTI_OUTCOME_BUDGET, "the budget of iterations or time was reached");
    case CTI_MPRGP_INDEFINITE:
        return cti_answer_end(a, CTI_OUTCOME_NOT_APPLICABLE, "the matrix is not positive semidefinite: a direction of negative curvature was met");
    case CTI_MPRGP_UNBOUNDED:
        return cti_answer_end(a, CTI_OUTCOME_FAILED, "a direction without curvature and without end was met, but proves no infeasibility");
    default:
        return cti_answer_end(a, CTI_OUTCOME_FAILED, taken ? "the gradient does not become smaller" : "the rows are not decoupled");
    }
}

CTI_FN cti_outcome cti_mprgp_solve_with(const cti_program *p, const cti_mprgp_options *o, cti_effort *e, cti_answer *a,
                                        cti_mprgp_counters *count)
{
    cti_mprgp_target t;
    cti_program normals;
    const cti_program *solved = p;
    cti_arena_point mark = cti_arena_mark(e->arena);
    cti_mprgp_end end;
    int infeasible = 0, contacts = p->mu != NULL;
    memset(count, 0, sizeof *count), memset(&t, 0, sizeof t);
    a->iterations = 0;
    a->why = cti_mprgp_refuses(p, e->mix);
    if (!a->why && o->printed && !cti_program_is_dynamic(p))
        a->why = "algorithm 3 as printed is on the unknowns of a QP, which this kind of problem does not have";
    if (a->why)
        return CTI_OUTCOME_NOT_APPLICABLE;
    a->why = "";
    t.judged = p, t.stride = contacts ? 3 : 1, t.effort = e, t.answer = a, t.options = o, t.count = count;
    t.work = cti_judge_work(e->arena, p);
    if (!t.work)
        return CTI_OUTCOME_MEMORY;
    if (contacts) {
        if (!cti_program_normals(&e->arena->own, p, &normals))
            return CTI_OUTCOME_MEMORY;
        solved = &normals;
        if (!e->warm)
            cti_vec_zero(p->m, a->r);
    }
    if (contacts && solved->kind == CTI_PROGRAM_LCP && !cti_mprgp_symmetric(&solved->W))
        return cti_answer_end(a, CTI_OUTCOME_NOT_APPLICABLE, "MPRGP minimizes: W of the normals has to be symmetric");
    end = solved->kind == CTI_PROGRAM_QP ? cti_mprgp_quadratic(solved, &t, &infeasible) : cti_mprgp_boxed(solved, &t, &infeasible);
    if (solved->kind == CTI_PROGRAM_LCP)
        cti_program_u(p, a->x, a->r, a->x);
    cti_arena_rewind(e->arena, mark);
    return cti_mprgp_outcome(end, infeasible, 1, a);
}

CTI_FN cti_outcome cti_mprgp_solve(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_mprgp_options o = cti_mprgp_options_default();
    cti_mprgp_counters count;
    o.printed = e->paper;
    return cti_mprgp_solve_with(p, &o, e, a, &count);
}
