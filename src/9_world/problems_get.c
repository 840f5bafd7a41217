/* problems_get.c -- what contact problems consist of: the arrays of one, and the last one of a world: global frictional contact, A v = b + J'r,
   u = J v + w; or the problem that the stepper states (CT_STEPPER_DCD: a quadratic program, min 1/2 v'A v - b'v, J v + w >= 0).
   Method: a world's problem is converted to a program (program.h) with the same solution. A row with compliance adds an unknown; a row that
   is recovering its gap becomes two contacts (bridge.h). */
#include "../4_programs/bridge.h"
#include "problems.h"
#include "world.h"

#if CONTACT_WITH_PROBLEMS

/* the contacts' problem with each row's whole law, compliance and recovery included (bridge.h), and its solution v. 0 when memory ran out */
static int cti_get_contacts(cti_mem *mem, cti_arena *arena, const cti_problem *p, const ct_real *v, cti_program *out)
{
    cti_arena_point mark = cti_arena_mark(arena);
    cti_bridge q;
    int ok;
    memset(&q, 0, sizeof q);
    ok = cti_bridge_open(mem, arena, p, NULL, &q);
    *out = q.program; /* also of one that failed on the way: the caller frees it */
    ok = ok && CTI_RESIZE(mem, out->known.x, out->n) && CTI_RESIZE(mem, out->known.r, out->m);
    if (ok)
        cti_bridge_start(&q, v, out->known.x, out->known.r);
    cti_arena_rewind(arena, mark);
    return ok;
}

/* the last problem of contacts; where a program cannot say it a code, which the world has recorded */
static ct_code cti_get_rows(ct_world *w, cti_mem *mem, cti_program *out)
{
    cti_problem p;
    int i;
    cti_islands_problem(&w->state, &p);
    for (i = 0; i < p.n_rows; i++)
        if (w->state.contact.origins[i].repair)
            return cti_world_refuse(w, CT_ERR_UNSUPPORTED, i, 0, "the problem repairs tangled pairs, which a ct_problem has not (element: row)");
        else if (p.rows[i].equations || w->state.contact.origins[i].tether)
            return cti_world_refuse(w, CT_ERR_UNSUPPORTED, i, 0,
                                  "the problem has joints, limits of a skin or friction of spin, which a ct_problem has not (element: row)");
    /* end.v is what the solve left: integrators and rigid bodies make other velocities of it */
    return cti_get_contacts(mem, &w->arena, &p, w->state.end.v, out) ? CT_OK : CT_ERR_MEMORY;
}

CTI_FN ct_code cti_problem_of_world(ct_world *w, cti_mem *mem, cti_program *out)
{
    const cti_stepper *stepper;
    ct_code code = cti_steppers_admit(w, CTI_FEATURE_PROBLEM, NULL);
    memset(out, 0, sizeof *out);
    if (code != CT_OK)
        return code;
    if (!w->ready || !w->state.contact.is_solved)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "no contact problem was solved in the last step; FIX: step until bodies touch");
    stepper = cti_steppers_of(w);
    if (stepper->problem)
        code = stepper->problem(&w->state, mem, out) ? CT_OK : CT_ERR_MEMORY;
    else
        code = cti_get_rows(w, mem, out);
    w->mem.failed = 0;
    if (code != CT_OK)
        cti_program_free(mem, out);
    return code == CT_ERR_MEMORY ? cti_world_refuse(w, code, -1, 0, "out of memory while taking a problem out of the world") : code;
}

static ct_code cti_get_world(ct_world *w, ct_problem **out_problem)
{
    ct_problem *q;
    ct_code code;
    if (!w || !out_problem || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    q = cti_problem_new();
    if (!q)
        return cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory");
    code = cti_problem_of_world(w, &q->mem, &q->program);
    if (code == CT_OK && !cti_program_prepare(&q->mem, &q->program))
        code = cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory");
    if (code == CT_OK)
        *out_problem = q;
    else
        ct_problem_free(q);
    return code;
}

CONTACT_API_DEF ct_code ct_world_get_problem(const ct_world *world, ct_problem **out_problem)
{
    CTI_FPENV_RETURN(cti_get_world((ct_world *)world, out_problem))
}

#else

CONTACT_API_DEF ct_code ct_world_get_problem(const ct_world *w, ct_problem **out_problem)
{
    CTI_UNUSED(out_problem);
    if (!w)
        return CT_ERR_ARGUMENT;
    return cti_world_refuse((ct_world *)w, CT_ERR_UNSUPPORTED, -1, 0, "built without problems; FIX: set CONTACT_WITH_PROBLEMS to 1");
}

#endif

static ct_csr cti_get_matrix(const cti_sparse *a)
{
    ct_csr m;
    m.rows = a->rows, m.cols = a->cols;
    m.p = a->rows ? a->p : NULL, m.i = a->rows ? a->i : NULL, m.x = a->rows ? a->x : NULL;
    return m;
}

CONTACT_API_DEF ct_code ct_problem_get(const ct_problem *problem, ct_problem_desc *out_desc)
{
    const cti_program *p;
    if (!problem || !out_desc)
        return CT_ERR_ARGUMENT;
    p = &problem->program;
    *out_desc = ct_problem_desc_default();
    out_desc->kind = (ct_problem_kind)p->kind;
    out_desc->A = cti_get_matrix(&p->A), out_desc->J = cti_get_matrix(&p->J), out_desc->W = cti_get_matrix(&p->W);
    out_desc->b = p->b, out_desc->w = p->w, out_desc->mu = p->mu;
    out_desc->spins = p->spins, out_desc->spin_of = p->spin_of, out_desc->spin_mu = p->spin_mu;
    out_desc->lo = p->lo, out_desc->hi = p->hi, out_desc->equation = p->equation;
    out_desc->x_ref = p->known.x, out_desc->r_ref = p->known.r;
    return CT_OK;
}
