/* form_root.c -- root finding: the equations of motion in positions q and velocities u as F(u, q) = 0, by Newton's method.
   Primal, with E_c the contacts' potential, f_d damping (and friction, of u), f_e elastic forces:
     F1 = M (u - u_t) - h (f_ext + f_d(u) + f_e(q) - grad_q E_c(q, u)),   F2 = q - q_t - h u
     | M + h B + h H_u   h (K + H_q) | | du |      | F1 |      B = -df_d/du, K = -df_e/dq, H_q = d2E_c/dq2, H_u = d2E_c/dqdu
     | -h                1           | | dq |  = - | F2 |
   The second row gives du = (dq + F2) / h; in the first it leaves, with S = M + h B + h H_u + h^2 (K + H_q),
     S dq = -(h F1 + (M + h B + h H_u) F2),   h F1 = g(q; u) - (M + h B) F2,
   where g is the gradient of the incremental potential at q, in which friction is taken at u. So S dq = -(g + h H_u F2): where F2 = 0 the step
   is that of the minimization, and the forms differ in what makes them converge, a line search on |F| in place of one on the potential.
   A Newton step that turns a rigid body stretches it first, so |F| rises before it falls: up to forms.rises steps go on without a fall. After
   so many the best iterate is restored, |F| has to fall in each of the next forms.strict, and then twice as many go on, since |F| has minima
   that are no roots (the watchdog of Chamberlain, Powell, Lemarechal, Pedersen 1982).
   The unknown z = p + c u stands for u (cti_barrier_rule), which makes other integrators of it by other p, c and weights.
   |F|^2 = sum of (h F1)^2 / m and m F2^2 over free unknowns, and form_dual.c's part. S that is not positive definite is assembled once more with
   projected element Hessians: the direct solver is for definite matrices. differs: damping's B is that of the start of the step.
   based on: lecture notes 4.3.1. */
#include "form.h"

/* cti_root -- beside cti_form_run */
typedef struct cti_root_best { /* the iterate of least |F| */
    ct_real *y, *z, *x;
    double size; /* |F|^2 */
} cti_root_best;

typedef struct cti_root {
    ct_real *z, *z_old;        /* [3 n] p + c u */
    ct_real *F2, *F2_old;      /* [3 n] q - z */
    ct_real *g, *work, *rates; /* [3 n] gradient with friction at z; scratch; (M + h B) F2 */
    ct_real *x_slide, *shift;  /* [3 nv] the surface at z; at q less at z */
    double *mass;              /* [n] of the blocks */
    double size;               /* |F|^2 */
    cti_root_best best;
    int freed, most, strict; /* iterations since then, the most of them; iterations in which |F| had to fall */
    int dual;
    cti_form_row *rows, *tried; /* dual: at the iterate, at the end of a try */
} cti_root;

static int cti_root_open(cti_state *s, cti_root *w)
{
    cti_barrier *b = cti_barrier_own(s);
    int n3 = 3 * b->n + 1, i, k;
    w->z = CTI_ARENA_NEW(s->arena, ct_real, n3), w->z_old = CTI_ARENA_NEW(s->arena, ct_real, n3),
    w->F2 = CTI_ARENA_NEW(s->arena, ct_real, n3);
    w->F2_old = CTI_ARENA_NEW(s->arena, ct_real, n3);
    w->g = CTI_ARENA_NEW(s->arena, ct_real, n3), w->work = CTI_ARENA_NEW(s->arena, ct_real, n3),
    w->rates = CTI_ARENA_NEW(s->arena, ct_real, n3);
    w->x_slide = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->surface.nv + 1),
    w->shift = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->surface.nv + 1);
    w->best.y = CTI_ARENA_NEW(s->arena, ct_real, n3), w->best.z = CTI_ARENA_NEW(s->arena, ct_real, n3);
    w->best.x = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->surface.nv + 1);
    w->mass = CTI_ARENA_NEW(s->arena, double, b->n + 1);
    if (!w->z || !w->z_old || !w->F2 || !w->F2_old || !w->g || !w->work || !w->rates || !w->x_slide || !w->shift || !w->mass ||
        !w->best.y || !w->best.z || !w->best.x)
        return 0;
    /* u = u_t */
    for (i = 0; i < 3 * b->n; i++)
        w->z[i] = b->rule.p[i] + cti_barrier_rule_c(b, i / 3) * b->rule.rate[i];
    for (i = 0; i < s->n; i++)
        if (b->layout.block_of[i] >= 0)
            w->mass[b->layout.block_of[i]] = (double)s->bodies.mass[i];
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        for (k = 0; k < 4; k++)
            w->mass[b->layout.affines[i].block + k] = (double)(k ? b->layout.affines[i].J[4 * (k - 1)] : b->layout.affines[i].mass);
    return 1;
}

/* F at (z, q), S and |F|^2; rows: of the dual form there. 0: out of memory */
static int cti_root_evaluate(cti_state *s, cti_form_run *q, cti_root *w, cti_form_row *rows)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k, at;
    cti_barrier_place(s, w->z, w->x_slide);
    b->surface.x_slide = w->x_slide;
    b->matrix.contacts = w->dual ? CTI_POTENTIAL_VALUE : b->matrix.exact ? CTI_POTENTIAL_EXACT : CTI_POTENTIAL_PROJECTED;
    if (!cti_barrier_assemble(s, NULL, q->report))
        return 0;
    if (w->dual)
        cti_form_dual_add(s, rows, b->matrix.exact);
    for (i = 0; i < 3 * b->n; i++) {
        w->F2[i] = b->y[i] - w->z[i];
        w->g[i] = b->g[i];
    }
    cti_barrier_rates(s, w->F2, w->work, w->rates);
    for (i = 0; i < 3 * b->n; i++)
        w->work[i] = w->g[i] - w->rates[i]; /* h F1 */
    w->size = w->dual ? cti_form_dual_size(s, rows, w->mass) : 0;
    for (i = 0; i < s->n; i++)
        for (k = 0; b->layout.block_of[i] >= 0 && k < (s->bodies.rigid_of[i] < 0 ? 1 : 4); k++) {
            at = b->layout.block_of[i] + k;
            if (!(w->mass[at] > 0))
                continue;
            w->size += (double)cti_v3_norm2(cti_barrier_free(s, at, cti_v3_at(w->work, at))) / w->mass[at];
            w->size += (double)cti_v3_norm2(cti_barrier_free(s, at, cti_v3_at(w->F2, at))) * w->mass[at];
        }
    return 1;
}

/* dq in b->dy. 1; 0: singular; -1: out of memory */
static int cti_root_direction(cti_state *s, cti_form_run *q, cti_root *w)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, definite = 0;
    for (;;) {
        for (i = 0; i < 3 * s->surface.nv; i++)
            w->shift[i] = s->surface.x0[i] - w->x_slide[i];
        cti_barrier_rub_shift(s, w->shift); /* h H_u F2 */
        cti_barrier_constrain(s);
        if (!cti_barrier_solve(s, &definite, q->report))
            return -1;
        if (definite || !b->matrix.exact)
            break;
        b->matrix.exact = 0;
        if (!cti_root_evaluate(s, q, w, w->rows))
            return -1;
    }
    return w->dual ? cti_form_dual_solve(s, w->rows) : 1;
}

/* the step t of dq and dz. 1: |F| falls, or it need not; 0; -1: out of memory */
static int cti_root_try(cti_state *s, cti_form_run *q, cti_root *w, ct_real t, int is_free)
{
    cti_barrier *b = cti_barrier_own(s);
    double before = w->size, least = 1 - cti_barrier_tuned.search.fall * (double)t;
    int clear = cti_form_try(s, t), i;
    if (clear <= 0)
        return clear;
    for (i = 0; i < 3 * b->n; i++)
        w->z[i] = w->z_old[i] + t * (b->dy[i] + w->F2[i]);
    /* F2 = (1 - t) F2, without its rounding */
    for (i = 0; !(t < 1) && i < 3 * b->n; i++)
        w->z[i] = b->y_try[i];
    cti_form_take(s);
    b->matrix.exact = 1;
    if (!cti_barrier_find(s, s->surface.x0) || (w->dual && !cti_form_dual_update(s, w->rows, t, &w->tried)))
        return -1;
    if (!cti_root_evaluate(s, q, w, w->tried))
        return -1;
    if (is_free || w->size <= before * least * least)
        return 1;
    w->size = before;
    memcpy(w->F2, w->F2_old, sizeof(ct_real) * 3 * (size_t)b->n);
    cti_form_back(s, q);
    return cti_barrier_find(s, s->surface.x0) ? 0 : -1;
}

static void cti_root_swap(cti_root *w)
{
    cti_form_row *swap = w->rows;
    w->rows = w->tried, w->tried = swap;
}

/* the dual form's multipliers are those of its potentials. 0: out of memory */
static int cti_root_reset(cti_state *s, cti_form_run *q, cti_root *w)
{
    cti_barrier_own(s)->matrix.exact = 1;
    return (!w->dual || cti_form_dual_update(s, NULL, 0, &w->rows)) && cti_root_evaluate(s, q, w, w->rows);
}

/* back to the best iterate. 0: out of memory */
static int cti_root_return(cti_state *s, cti_form_run *q, cti_root *w)
{
    cti_barrier *b = cti_barrier_own(s);
    size_t n = sizeof(ct_real) * 3 * (size_t)b->n, nv = sizeof(ct_real) * 3 * (size_t)s->surface.nv;
    memcpy(b->y, w->best.y, n), memcpy(w->z, w->best.z, n);
    if (nv)
        memcpy(s->surface.x1, w->best.x, nv);
    cti_surface_commit(&s->surface);
    if (!cti_barrier_cover(s, s->surface.x0) || !cti_barrier_find(s, s->surface.x0))
        return 0;
    cti_barrier_arrive(s);
    return cti_root_reset(s, q, w);
}

/* after a step: is it the best; if none was for too long, back to the best. 0: out of memory */
static int cti_root_watch(cti_state *s, cti_form_run *q, cti_root *w)
{
    cti_barrier *b = cti_barrier_own(s);
    size_t n = sizeof(ct_real) * 3 * (size_t)b->n, nv = sizeof(ct_real) * 3 * (size_t)s->surface.nv;
    if (w->size < w->best.size) {
        w->best.size = w->size, w->freed = w->freed < w->most ? 0 : w->freed;
        if (w->freed && ++w->strict == cti_barrier_tuned.forms.strict)
            w->freed = w->strict = 0, w->most *= 2;
        memcpy(w->best.y, b->y, n), memcpy(w->best.z, w->z, n);
        if (nv)
            memcpy(w->best.x, s->surface.x0, nv);
        return 1;
    }
    return ++w->freed != w->most || cti_root_return(s, q, w);
}

static cti_form_end cti_root_iterate(cti_state *s, cti_form_run *q, cti_root *w)
{
    cti_barrier *b = cti_barrier_own(s);
    int k, found = cti_root_direction(s, q, w), is_last;
    ct_real t, left;
    if (found <= 0)
        return found < 0 ? CTI_FORM_MEMORY : CTI_FORM_STUCK;
    q->report->newton_iterations++;
    q->iterations++;
    q->speed = cti_barrier_speed(s, b->dy), left = cti_barrier_speed(s, w->F2);
    if (!cti_finite(q->speed))
        return CTI_FORM_STUCK;
    is_last = !q->moves && cti_max(q->speed, left) <= s->desc.barrier.newton_tolerance;
    cti_form_save(s, q);
    memcpy(w->z_old, w->z, sizeof(ct_real) * 3 * (size_t)b->n);
    memcpy(w->F2_old, w->F2, sizeof(ct_real) * 3 * (size_t)b->n);
    t = cti_form_cap(s);
    for (found = 0, k = 0; found == 0 && t >= 0 && k < cti_barrier_tuned.search.halvings; k++) {
        found = cti_root_try(s, q, w, t, is_last || q->moves || w->freed < w->most);
        if (!found)
            t /= 2;
    }
    if (t < 0 || found < 0)
        return CTI_FORM_MEMORY;
    if (!found)
        return CTI_FORM_STUCK;
    cti_barrier_arrive(s);
    cti_root_swap(w);
    q->moves = q->moves && t < 1;
    if (!is_last && !cti_root_watch(s, q, w))
        return CTI_FORM_MEMORY;
    return is_last ? CTI_FORM_CONVERGED : CTI_FORM_GOES_ON;
}

/* Newton's method from the present iterate. 0: out of memory */
static int cti_root_run(cti_state *s, cti_form_run *q, cti_root *w)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_form_end end = CTI_FORM_GOES_ON;
    int reset = 0;
    b->matrix.exact = 1;
    if ((w->dual && !cti_form_dual_update(s, w->rows, 0, &w->tried)) || !cti_root_evaluate(s, q, w, w->dual ? w->tried : NULL))
        return 0;
    cti_root_swap(w);
    w->best.size = w->size + 1, w->freed = w->strict = 0, w->most = cti_barrier_tuned.forms.rises;
    if (!cti_root_watch(s, q, w))
        return 0;
    while (end == CTI_FORM_GOES_ON && q->iterations < s->desc.barrier.newton_iterations) {
        end = cti_root_iterate(s, q, w);
        if (end == CTI_FORM_STUCK && w->dual && !reset) { /* multipliers that are the potentials' forces: the primal step */
            reset = 1;
            if (!cti_root_reset(s, q, w))
                return 0;
            end = CTI_FORM_GOES_ON;
        } else
            reset = 0;
    }
    q->failed |= end == CTI_FORM_STUCK;
    q->open = end == CTI_FORM_GOES_ON;
    /* what the iterations have not found is taken where |F| was least */
    if ((end == CTI_FORM_GOES_ON || end == CTI_FORM_STUCK) && w->best.size < w->size && !q->moves && !cti_root_return(s, q, w))
        return 0;
    return end != CTI_FORM_MEMORY;
}

CTI_FN int cti_form_root(cti_state *s, cti_form_run *q)
{
    cti_barrier *b = cti_barrier_own(s);
    int lag, first, ok;
    cti_root w;
    memset(&w, 0, sizeof w);
    w.dual = s->desc.barrier.form == CT_FORM_DUAL;
    ok = cti_root_open(s, &w);
    for (lag = 0; ok && lag < cti_form_lags(s) && !q->failed; lag++) {
        ok = cti_barrier_lag(s);
        if (lag > 0 && CTI_LEN(b->contact.rubs) == 0)
            break;
        first = q->iterations;
        ok = ok && cti_root_run(s, q, &w);
        if (q->open || q->iterations <= first + 1)
            break;
    }
    b->surface.x_slide = NULL;
    b->matrix.contacts = CTI_POTENTIAL_PROJECTED;
    CTI_FREE(&s->prepared, w.rows);
    CTI_FREE(&s->prepared, w.tried);
    return ok;
}
