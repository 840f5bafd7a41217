/* form_program.c -- one quadratic program of the constrained forms.
   The objective at y has the gradient g and the positive definite B, contacts have the distances d less dhat as phi. In x = (y + dy - base) / scale
     min 1/2 x'B x - b'x,   b = (B (y - base) - g) / scale,     J x + phi(base) / scale >= 0
   Positions: base = y, scale = 1, x = dy. Velocities: base = y0, scale = h, x = u: with A for B that is A u = b + J'r, J u + phi / h >= 0,
   r impulses. */
#include "form.h"
#include "../4_programs/solvers.h"

CTI_FN int cti_form_free_step(cti_state *s, cti_form_run *q)
{
    cti_barrier *b = cti_barrier_own(s);
    int definite = 0;
    for (b->matrix.exact = 1;; b->matrix.exact = 0) {
        if (!cti_barrier_assemble(s, NULL, q->report))
            return 0;
        cti_barrier_constrain(s);
        if (!cti_barrier_solve(s, &definite, q->report))
            return 0;
        if (definite || !b->matrix.exact)
            return 1;
    }
}

static int cti_form_program(cti_state *s, const cti_form_row *rows, const ct_real *base, ct_real scale, const double *gap)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_program *p = &cti_form_own(s)->program;
    const cti_bsr *B = &b->hessian.B;
    cti_arena_point mark = cti_arena_mark(s->arena);
    int n = 3 * b->n, m = CTI_LEN(rows), i;
    double *way = CTI_ARENA_NEW(s->arena, double, n + 1);
    cti_program_free(&s->prepared, p);
    memset(p, 0, sizeof *p);
    p->kind = CTI_PROGRAM_QP, p->n = n, p->m = m;
    if (!way || !cti_sparse_reserve(&s->prepared, &p->A, n, n, 9 * B->row[B->n]) || !cti_form_jacobian(s, rows, m, 1, &p->J) ||
        !CTI_RESIZE(&s->prepared, p->b, n) || !CTI_RESIZE(&s->prepared, p->w, m) || !CTI_RESIZE(&s->prepared, p->known.x, n) ||
        !CTI_RESIZE(&s->prepared, p->known.r, m))
        return 0;
    for (i = 0; i < n; i++)
        way[i] = (double)(b->y[i] - base[i]);
    cti_sparse_unblock(B, &p->A);
    cti_sparse_mul(&p->A, way, p->b);
    for (i = 0; i < n; i++) {
        p->b[i] = (p->b[i] - (double)b->g[i]) / (double)scale;
        p->known.x[i] = (way[i] + (double)b->dy[i]) / (double)scale;
    }
    for (i = 0; i < m; i++)
        p->w[i] = gap[i] / (double)scale;
    cti_arena_rewind(s->arena, mark);
    return cti_program_prepare(&s->prepared, p);
}

/* 1: x and r solve it; 0; -1: out of memory */
static int cti_form_attempt(cti_state *s, ct_solver kind)
{
    cti_program *p = &cti_form_own(s)->program;
    cti_program_solver solve = cti_solvers_find(kind);
    cti_arena_point mark = cti_arena_mark(s->arena);
    cti_effort e;
    cti_answer a;
    cti_outcome outcome;
    if (!solve)
        return 0;
    memset(&e, 0, sizeof e);
    memset(&a, 0, sizeof a);
    e.tolerance = cti_barrier_tuned.forms.tolerance, e.max_iterations = s->desc.solver.budget, e.relaxation = 1, e.seed = s->desc.solver.seed;
    e.arena = s->arena;
    a.x = p->known.x, a.r = p->known.r;
    outcome = solve(p, &e, &a);
    cti_arena_rewind(s->arena, mark);
    return outcome == CTI_OUTCOME_MEMORY ? -1 : outcome == CTI_OUTCOME_SOLVED;
}

CTI_FN int cti_form_solve(cti_state *s, cti_form_row *rows, const ct_real *base, ct_real scale, const double *gap)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_program *p = &cti_form_own(s)->program;
    int i, k, ok;
    if (!cti_form_program(s, rows, base, scale, gap))
        return -1;
    s->contact.is_solved = 1;
    if (CTI_LEN(rows) == 0)
        return 1;
    ok = cti_form_attempt(s, CT_SOLVER_ACTIVE_SET);
    for (k = 0; ok == 0 && cti_solvers_auto(p, k) != CT_SOLVER_AUTO; k++)
        ok = cti_form_attempt(s, cti_solvers_auto(p, k));
    if (ok != 1)
        return ok;
    for (i = 0; i < 3 * b->n; i++)
        b->dy[i] = (ct_real)(p->known.x[i] * (double)scale - (double)(b->y[i] - base[i]));
    for (i = 0; i < CTI_LEN(rows); i++)
        rows[i].lambda = p->known.r[i] * (double)scale;
    return 1;
}

CTI_FN int cti_form_near(cti_state *s, double **gap)
{
    cti_form_row **rows = &cti_form_own(s)->rows;
    ct_real way = 0;
    int i;
    if (cti_form_cap(s) < 0)
        return 0;
    for (i = 0; i < 3 * s->surface.nv; i++)
        way = cti_max(way, cti_abs(s->surface.x1[i] - s->surface.x0[i]));
    if (!cti_form_find(s, cti_barrier_tuned.forms.reach * way, rows))
        return 0;
    *gap = CTI_ARENA_NEW(s->arena, double, CTI_LEN(*rows) + 1);
    for (i = 0; *gap && i < CTI_LEN(*rows); i++)
        (*gap)[i] = (double)((*rows)[i].d - (*rows)[i].t.hat);
    return *gap != NULL;
}

CTI_FN int cti_form_measure(cti_state *s, cti_form_run *q, double *slope)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    for (i = 0; i < CTI_LEN(cti_form_own(s)->rows); i++)
        q->nu = cti_fmax(q->nu, cti_barrier_tuned.forms.penalty * cti_form_own(s)->rows[i].lambda);
    for (*slope = 0, i = 0; i < 3 * b->n; i++)
        *slope += (double)b->g[i] * (double)b->dy[i];
    q->report->newton_iterations++;
    q->iterations++;
    q->speed = cti_barrier_speed(s, b->dy);
    q->is_last = !q->moves && q->speed <= s->desc.barrier.newton_tolerance;
    return cti_finite(q->speed);
}

CTI_FN int cti_form_lags(const cti_state *s)
{
    return s->desc.barrier.friction_iterations ? s->desc.barrier.friction_iterations : s->desc.barrier.newton_iterations;
}

CTI_FN int cti_form_solves(cti_state *s, cti_form_run *q, cti_form_end (*iterate)(cti_state *s, cti_form_run *q, void *context), void *context)
{
    cti_barrier *b = cti_barrier_own(s);
    int lag;
    CTI_CLEAR(b->contact.rubs);
    CTI_CLEAR(cti_form_own(s)->rows);
    /* the first solve is without friction: it finds the normal forces */
    for (lag = 0; lag <= cti_form_lags(s); lag++) {
        cti_form_end end = CTI_FORM_GOES_ON;
        int first = q->iterations;
        if (lag > 0 && !cti_form_lag(s))
            return 0;
        if (lag > 0 && CTI_LEN(b->contact.rubs) == 0)
            return 1;
        q->nu = 0;
        while (end == CTI_FORM_GOES_ON && q->iterations < s->desc.barrier.newton_iterations)
            end = iterate(s, q, context);
        if (end == CTI_FORM_MEMORY)
            return 0;
        q->failed |= end == CTI_FORM_STUCK;
        q->open = end == CTI_FORM_GOES_ON;
        if (q->failed || q->open || (lag > 0 && q->iterations == first + 1))
            return 1;
    }
    return 1;
}
