/* form_velocity.c -- minimization over velocities with linearized constraints:
     u = argmin 1/2 (u - u^)'M (u - u^) + E_e(q_t + h u)   subject to   phi(q_t) + h J u >= 0,   u^ = u_t + h M^-1 f_ext
   Newton's method with J of the start of the step; one iteration from q_t is M + h B + h^2 K = A in A u = b + J'r, J u + phi / h >= 0: the problem
   of constraint manifold refinement. What linearization lets through is stopped at the end, where collisions of the straight way are tested.
   differs: the notes have h E_e, but by the chain rule grad_u E_e(q_t + h u) = h grad_q E_e, and the weight of E_e is 1 beside |u - u^|^2 / 2.
   based on: lecture notes 4.3.1; Otaduy et al. 2009, sec. 4. */
#include "form.h"

/* cti_velocity_start -- the constraints, at the start of the step */
typedef struct cti_velocity_start {
    cti_sparse J;
    double *gap; /* [rows] phi; NULL: not known yet */
} cti_velocity_start;

/* sum of max(0, -(phi + J (y - y0))) */
static double cti_velocity_violation(const cti_state *s, const cti_velocity_start *w, const ct_real *y)
{
    const cti_barrier *b = cti_barrier_own(s);
    const cti_sparse *J = &w->J;
    double sum = 0;
    int i, k;
    for (i = 0; i < J->rows; i++) {
        double phi = w->gap[i];
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            phi += J->x[k] * (double)(y[J->i[k]] - b->y0[J->i[k]]);
        sum += phi < 0 ? -phi : 0;
    }
    return sum;
}

/* dy becomes the iterate, halved until f + nu (violation) falls. 1, or 0; -1: out of memory */
static int cti_velocity_search(cti_state *s, cti_form_run *q, const cti_velocity_start *w, double slope)
{
    cti_barrier *b = cti_barrier_own(s);
    double size, other, before, violated = cti_velocity_violation(s, w, b->y), after;
    ct_real t = 1;
    int i, k;
    cti_barrier_place(s, b->y, s->surface.x1);
    before = cti_barrier_energy(s, b->y, s->surface.x1, &size) + q->nu * violated;
    if (size < 0)
        return -1;
    slope -= q->nu * violated;
    for (k = 0; k < cti_barrier_tuned.search.halvings; k++, t /= 2) {
        for (i = 0; i < 3 * b->n; i++)
            b->y_try[i] = b->y[i] + t * b->dy[i];
        cti_barrier_place(s, b->y_try, s->surface.x1);
        after = cti_barrier_energy(s, b->y_try, s->surface.x1, &other) + q->nu * cti_velocity_violation(s, w, b->y_try);
        if (other < 0)
            return -1;
        if (q->is_last || q->moves || cti_barrier_falls(after - before, (double)t * slope, size + other, cti_barrier_tuned.search.rounding)) {
            memcpy(b->y, b->y_try, sizeof(ct_real) * 3 * (size_t)b->n);
            q->moves = 0;
            return 1;
        }
    }
    return 0;
}

/* rows at the start of the step, from the motion without contacts in dy. 0: out of memory */
static int cti_velocity_rows(cti_state *s, cti_velocity_start *w)
{
    return cti_form_near(s, &w->gap) && cti_form_jacobian(s, cti_form_own(s)->rows, CTI_LEN(cti_form_own(s)->rows), 0, &w->J);
}

static cti_form_end cti_velocity_iterate(cti_state *s, cti_form_run *q, void *context)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_velocity_start *w = (cti_velocity_start *)context;
    double slope;
    int found;
    cti_barrier_place(s, b->y, s->surface.x1);
    b->surface.x_slide = s->surface.x1;
    if (!cti_form_free_step(s, q) || (!w->gap && !cti_velocity_rows(s, w)))
        return CTI_FORM_MEMORY;
    found = cti_form_solve(s, cti_form_own(s)->rows, b->y0, b->h, w->gap);
    if (found <= 0)
        return found < 0 ? CTI_FORM_MEMORY : CTI_FORM_STUCK;
    if (!cti_form_measure(s, q, &slope))
        return CTI_FORM_STUCK;
    found = cti_velocity_search(s, q, w, slope);
    if (found <= 0)
        return found < 0 ? CTI_FORM_MEMORY : CTI_FORM_STUCK;
    return q->is_last ? CTI_FORM_CONVERGED : CTI_FORM_GOES_ON;
}

/* the surface goes to y, or as far as collisions allow. 0: out of memory */
static int cti_velocity_arrive(cti_state *s, cti_form_run *q)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real t;
    int i, k, clear = 0;
    for (i = 0; i < 3 * b->n; i++) {
        b->dy[i] = b->y[i] - b->y0[i];
        b->y[i] = b->y0[i];
    }
    t = cti_form_cap(s);
    if (t < 0)
        return 0;
    for (k = 0; k < cti_barrier_tuned.search.halvings && !clear; k++) {
        clear = cti_form_try(s, t);
        if (!clear)
            t /= 2;
    }
    if (clear < 0)
        return 0;
    q->failed |= !clear || t < 1;
    q->moves |= s->scripts.n_constrained > 0 && (!clear || t < 1);
    if (clear)
        cti_form_take(s);
    cti_barrier_arrive(s);
    return 1;
}

CTI_FN int cti_form_velocity(cti_state *s, cti_form_run *q)
{
    cti_velocity_start start;
    int ok;
    memset(&start, 0, sizeof start);
    ok = cti_form_solves(s, q, cti_velocity_iterate, &start);
    cti_barrier_own(s)->surface.x_slide = NULL;
    cti_sparse_free(&s->prepared, &start.J);
    return ok && cti_velocity_arrive(s, q);
}
