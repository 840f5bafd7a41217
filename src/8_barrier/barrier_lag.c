/* barrier_lag.c -- friction whose loads and directions are those of the iterate.
   Method: friction has no potential: its load, its directions and its closest points change with the positions. So they are set anew before each
   Newton iteration, and the potential of an iteration has them as numbers. Its Hessian B lacks N, the derivative of friction's force by them, which
   is not symmetric. Newton's step of the whole is (B + N)^-1 (-g): the step that conjugate gradients found, corrected by conjugate residuals with
   the same preconditioner. N p is a difference of forces at two positions. In the line search half of friction's potential is with the loads and
   directions of the start of the Newton step, half with those of its end: what a step from a to b gains by that sum, the step back loses, so that no
   two iterates follow each other for ever, as points that roll over a rod did. With a number of friction_iterations loads and directions stay for
   a whole solve, as in IPC, and there is neither. based on: Li et al. 2020, sec. 5.4 (the lag); Eisenstat, Elman, Schultz 1983 (residuals). */
#include "barrier.h"

/* rubs: friction with `share` of the normal forces at surface positions x, of the pairs that are active. 0: out of memory */
static int cti_lag_at(cti_state *s, const ct_real *x, ct_real share)
{
    cti_barrier *b = cti_barrier_own(s);
    const cti_surface *f = &s->surface;
    cti_potential_terms t;
    int i;
    CTI_CLEAR(b->contact.rubs);
    for (i = 0; i < CTI_LEN(b->contact.terms); i++) {
        const cti_barrier_term *p = &b->contact.terms[i];
        cti_pair pair = p->pair;
        cti_v3 n;
        ct_real mu = cti_pair_friction(f, &pair);
        if (!(mu > 0) || !cti_barrier_eval(s, p, x, CTI_POTENTIAL_VALUE, &t) || !(t.force > 0))
            continue;
        memcpy(pair.w, t.c, sizeof t.c);
        n = pair.kind == CT_PAIR_PLANE ? cti_v3_at(f->planes[pair.plane].normal, 0) : cti_v3_unit(cti_pair_offset(f, x, &pair), cti_v3_make(0, 1, 0));
        if (p->wall)
            n = cti_v3_at(b->contact.walls[p->wall - 1].normal, 0);
        if (!cti_barrier_rub_add(s, p, t.c, n, mu * share * t.force))
            return 0;
    }
    return 1;
}

CTI_FN int cti_barrier_lag(cti_state *s)
{
    cti_barrier_scale *scale = &cti_barrier_own(s)->scale;
    /* the scale has changed since the last solve, the forces that it found have not */
    ct_real solved = (ct_real)(s->desc.barrier.stiffness > 0 ? 1 : scale->solved / scale->now);
    scale->solved = scale->now;
    return cti_lag_at(s, s->surface.x0, solved);
}

/* the rubs of surface.x1 and those of surface.x0 change places */
static void cti_lag_exchange(cti_barrier *b)
{
    cti_barrier_rub *rubs = b->contact.rubs;
    b->contact.rubs = b->contact.ahead, b->contact.ahead = rubs;
}

/* out [3 n] = friction's force on y, with slips at surface.x0 */
static void cti_lag_force(cti_state *s, ct_real *out)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real *g = b->g;
    int i;
    b->g = out;
    memset(out, 0, sizeof *out * 3 * (size_t)b->n);
    cti_barrier_rub_shift(s, NULL);
    b->g = g;
    for (i = 0; s->scripts.n_constrained && i < b->n; i++)
        cti_v3_put(out, i, cti_barrier_free(s, i, cti_v3_at(out, i)));
}

/* surface.x1 = the surface at y + t p. Returns the largest entry of its way from surface.x0 */
static ct_real cti_lag_place(cti_state *s, const ct_real *p, ct_real t)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real most = 0;
    int i;
    for (i = 0; i < 3 * b->n; i++)
        b->y_try[i] = b->y[i] + t * p[i];
    cti_barrier_place(s, b->y_try, s->surface.x1);
    for (i = 0; i < 3 * s->surface.nv; i++)
        most = cti_max(most, cti_abs(s->surface.x1[i] - s->surface.x0[i]));
    return most;
}

/* cti_lag_system -- B + N: a cti_operator's context */
typedef struct cti_lag_system {
    cti_state *s;
    ct_real *force, *ahead; /* [3 n] friction at surface.x0 with the loads and directions of there; scratch */
    ct_real hat;            /* [m] the smallest */
    int failed;             /* 1: out of memory */
} cti_lag_system;

/* y = (B + N) x */
static void cti_lag_apply(void *ctx, const ct_real *x, ct_real *y)
{
    cti_lag_system *q = (cti_lag_system *)ctx;
    cti_barrier *b = cti_barrier_own(q->s);
    ct_real way = cti_lag_place(q->s, x, 1), t = cti_barrier_tuned.rule.difference * q->hat / way;
    int i;
    cti_bsr_mul(&b->hessian.B, x, y);
    if (!(way > 0) || !cti_finite(t))
        return;
    cti_lag_place(q->s, x, t);
    cti_lag_exchange(b);
    q->failed |= !cti_lag_at(q->s, q->s->surface.x1, 1);
    cti_lag_force(q->s, q->ahead);
    cti_lag_exchange(b);
    for (i = 0; i < 3 * b->n; i++)
        y[i] += (q->ahead[i] - q->force[i]) / t;
}

CTI_FN int cti_barrier_lead(cti_state *s, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    size_t n = 3 * (size_t)b->n;
    ct_real *x = CTI_ARENA_NEW(s->arena, ct_real, (2 * (size_t)cti_barrier_tuned.rule.directions + 6) * n), *rhs = x + n;
    cti_operator A, M = cti_barrier_preconditioner(b);
    cti_lag_system q;
    size_t i;
    if (!x)
        return 0;
    q.s = s, q.failed = 0, q.force = rhs + n, q.ahead = q.force + n, q.hat = CTI_REAL_MAX;
    for (i = 0; i < (size_t)s->surface.n_bodies; i++)
        q.hat = cti_min(q.hat, b->layout.hat[i]);
    cti_lag_force(s, q.force);
    for (i = 0; i < n; i++)
        x[i] = b->dy[i], rhs[i] = -b->g[i];
    A.n = (int)n, A.apply = cti_lag_apply, A.ctx = &q;
    r->cg_steps += cti_residuals_run(&A, &M, rhs, x, cti_barrier_tuned.rule.left, cti_barrier_tuned.rule.directions, q.ahead + n);
    if (cti_krylov_dot((int)n, b->g, x) < 0) /* else the potential of the iteration tells nothing of the way */
        memcpy(b->dy, x, sizeof *x * n);
    cti_arena_rewind(s->arena, mark);
    return !q.failed;
}

/* what friction's potential changes from surface.x0 to x1 by the rubs */
static double cti_lag_way(const cti_state *s)
{
    const cti_barrier *b = cti_barrier_own(s);
    double reach = (double)(s->desc.barrier.friction_velocity * b->h), rate, slope, sum = 0;
    int i, k;
    for (i = 0; i < CTI_LEN(b->contact.rubs); i++)
        for (k = 0; k < 2; k++) {
            ct_real u[2];
            double value;
            cti_barrier_slide(s, &b->contact.rubs[i], k ? s->surface.x1 : s->surface.x0, u);
            value = cti_friction_value((double)cti_sqrt(u[0] * u[0] + u[1] * u[1]), reach, &rate, &slope);
            sum += (double)b->contact.rubs[i].load * (k ? value : -value);
        }
    return sum;
}

CTI_FN int cti_barrier_lead_energy(cti_state *s, double *out)
{
    cti_barrier *b = cti_barrier_own(s);
    double was = cti_lag_way(s);
    int ok;
    cti_lag_exchange(b);
    ok = cti_lag_at(s, s->surface.x1, 1);
    *out = (cti_lag_way(s) - was) / 2;
    cti_lag_exchange(b);
    return ok;
}
