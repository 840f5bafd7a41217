/* form.c -- a step of the chosen form, and the last quadratic program for who wants to see it. based on: lecture notes 4.3.1. */
#include "form.h"

static int cti_form_step(cti_state *s, ct_real *speed, int *moves, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_form_run q;
    int ok;
    memset(&q, 0, sizeof q);
    if (!b->form)
        b->form = cti_mem_zero(&s->prepared, sizeof(cti_form_kept));
    q.report = r;
    q.moves = s->scripts.n_constrained > 0;
    q.y_old = CTI_ARENA_NEW(s->arena, ct_real, 3 * b->n + 1);
    q.x_old = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->surface.nv + 1);
    if (!b->form || !q.y_old || !q.x_old)
        return 0;
    if (s->desc.barrier.form == CT_FORM_POSITION)
        ok = cti_form_position(s, &q);
    else if (s->desc.barrier.form == CT_FORM_VELOCITY)
        ok = cti_form_velocity(s, &q);
    else
        ok = cti_form_root(s, &q);
    *speed = q.speed;
    *moves = q.moves;
    if (q.failed)
        r->status = CT_STATUS_NOT_CONVERGED;
    else if (q.open)
        r->status = CT_STATUS_BUDGET;
    return ok;
}

#if CONTACT_WITH_FILES
static int cti_form_copy(cti_mem *mem, const double *from, int n, double **out)
{
    if (!CTI_RESIZE(mem, *out, n))
        return 0;
    if (n)
        memcpy(*out, from, sizeof *from * (size_t)n);
    return 1;
}

static int cti_form_problem(cti_state *s, cti_mem *mem, cti_program *out)
{
    const cti_program *p = &cti_form_own(s)->program;
    out->kind = CTI_PROGRAM_QP, out->n = p->n, out->m = p->m;
    return cti_sparse_copy(mem, &p->A, &out->A) && cti_sparse_copy(mem, &p->J, &out->J) &&
           cti_form_copy(mem, p->b, p->n, &out->b) && cti_form_copy(mem, p->w, p->m, &out->w) &&
           cti_form_copy(mem, p->known.x, p->n, &out->known.x) && cti_form_copy(mem, p->known.r, p->m, &out->known.r);
}
#define CTI_FORM_PROBLEM cti_form_problem
#else
#define CTI_FORM_PROBLEM NULL
#endif

CTI_CONSTANT_FN const cti_barrier_forms *cti_forms(void)
{
    static const cti_barrier_forms forms = {cti_form_step, cti_form_touches, cti_form_push, CTI_FORM_PROBLEM};
    return &forms;
}
