/* form_position.c -- minimization over positions with constraints:
     q = argmin f(q) subject to phi(q) >= 0,   f = 1/2 (q - q^)'M (q - q^) + h^2 E_e(q) + h times damping's potential + friction's
   phi: distances less dhat. First order conditions: grad f - grad phi' gamma = 0, gamma >= 0, phi >= 0, gamma'phi = 0.
   Method: sequential quadratic programs. A step minimizes f's model with phi + J dq >= 0; it is cut where pairs would come too near, and halved until
   the exact penalty f + nu sum of max(0, -phi) falls, nu above the largest gamma. The distances' curvature stays out of the model: it has no
   definite sign, so where contacts turn under load the last iterations are linear, not quadratic.
   differs: the notes subtract h^2 times the damping force from f; its potential belongs there, whose gradient is that force.
   based on: lecture notes 4.3.1; Nocedal, Wright, Numerical Optimization, ch. 18. */
#include "form.h"

/* f + nu sum of max(0, -phi) at y and x, whose lists are covered; *out_violated the sum. *size below 0: out of memory */
static double cti_position_merit(cti_state *s, const ct_real *y, const ct_real *x, double nu, double *size, double *out_violated)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    *out_violated = 0;
    for (i = 0; i < CTI_LEN(b->contact.terms); i++)
        *out_violated += (double)(b->contact.terms[i].hat - cti_sqrt(b->contact.terms[i].d2));
    CTI_CLEAR(b->contact.terms);
    return cti_barrier_energy(s, y, x, size) + nu * *out_violated;
}

/* dy becomes the iterate, cut and halved. slope: of f. 1; 0: no part does; -1: out of memory */
static int cti_position_search(cti_state *s, cti_form_run *q, double slope)
{
    cti_barrier *b = cti_barrier_own(s);
    double size, other, before, after, violated, rest;
    ct_real t = cti_form_cap(s);
    int k, clear;
    if (t < 0 || !cti_barrier_find(s, s->surface.x0))
        return -1;
    before = cti_position_merit(s, b->y, s->surface.x0, q->nu, &size, &violated);
    if (size < 0)
        return -1;
    slope -= q->nu * violated;
    for (k = 0; k < cti_barrier_tuned.search.halvings; k++, t /= 2) {
        clear = cti_form_try(s, t);
        if (clear < 0 || (clear && !cti_barrier_find(s, s->surface.x1)))
            return -1;
        if (!clear)
            continue;
        after = cti_position_merit(s, b->y_try, s->surface.x1, q->nu, &other, &rest);
        if (other < 0)
            return -1;
        if (q->is_last || q->moves || cti_barrier_falls(after - before, (double)t * slope, size + other, cti_barrier_tuned.search.rounding)) {
            cti_form_take(s);
            cti_barrier_arrive(s);
            q->moves = q->moves && t < 1;
            return 1;
        }
    }
    return 0;
}

static cti_form_end cti_position_iterate(cti_state *s, cti_form_run *q, void *context)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    double *gap, slope;
    int found;
    CTI_UNUSED(context);
    if (!cti_form_free_step(s, q) || !cti_form_near(s, &gap))
        return CTI_FORM_MEMORY;
    found = cti_form_solve(s, cti_form_own(s)->rows, b->y, 1, gap);
    cti_arena_rewind(s->arena, mark);
    if (found <= 0)
        return found < 0 ? CTI_FORM_MEMORY : CTI_FORM_STUCK;
    if (!cti_form_measure(s, q, &slope))
        return CTI_FORM_STUCK;
    found = cti_position_search(s, q, slope);
    if (found < 0)
        return CTI_FORM_MEMORY;
    return !found ? CTI_FORM_STUCK : q->is_last ? CTI_FORM_CONVERGED : CTI_FORM_GOES_ON;
}

CTI_FN int cti_form_position(cti_state *s, cti_form_run *q) { return cti_form_solves(s, q, cti_position_iterate, NULL); }
