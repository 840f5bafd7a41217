/* friction_admm.c -- alternating directions for frictional contact: one linear system, rarely factored again, and projections onto the
   cones. Method: Coulomb's law is min 1/2 r'W r + (q + s)'r on the cones with s_n = mu |u_t|; s is updated from the multiplier in every
   iteration. The iteration is one map of v = y + r (Douglas-Rachford): z = P_K(v), y = v - z, (W + rho I) r = rho (z - y) - q - s, v <- y +
   r, over-relaxed; then u^ = -rho y. Anderson's acceleration works on v. rho balances |r - z| and |u^ change|. At intervals, Newton steps
   from the best iterate try to finish. based on: Boyd et al. 2011, 3.1 and 3.4.1 - 3.4.3 (scaled form, rho, over-relaxation); Acary and
   Cadoux 2013 (s as a fixed point); Walker and Ni 2011 (Anderson). */
#include "friction.h"

enum { CTI_ADMM_OWN = 50000, CTI_ADMM_DEPTH = CTI_FRICTION_DEPTH, CTI_ADMM_SHALLOW = 3, CTI_ADMM_CHECK = 5, CTI_ADMM_BALANCE = 40 };

typedef struct cti_admm {
    cti_friction *f;
    cti_friction_system system;
    cti_newton newton;
    double *A, *B;                                   /* [9 nc] zeros, identities */
    double *v, *z, *y, *r, *g, *old_z;               /* [m] */
    double *last_v, *last_e, *safe;                  /* [m] */
    double *dv[CTI_ADMM_DEPTH], *de[CTI_ADMM_DEPTH]; /* [m] differences of g and of g - v */
    int count, head, started, depth;
    double last_size;
    double rho;
} cti_admm;

static int cti_admm_open(cti_admm *s, cti_friction *f)
{
    cti_arena *arena = f->e->arena;
    size_t m = (size_t)f->m, i;
    double **vectors[9];
    int k, ok;
    s->f = f, s->rho = 1, s->depth = CTI_ADMM_DEPTH;
    vectors[0] = &s->v, vectors[1] = &s->z, vectors[2] = &s->y, vectors[3] = &s->r, vectors[4] = &s->g, vectors[5] = &s->old_z;
    vectors[6] = &s->last_v, vectors[7] = &s->last_e, vectors[8] = &s->safe;
    s->A = CTI_ARENA_ZERO(arena, double, 3 * m), s->B = CTI_ARENA_ZERO(arena, double, 3 * m);
    ok = s->A && s->B;
    for (k = 0; k < 9; k++)
        ok = (*vectors[k] = CTI_ARENA_ZERO(arena, double, m)) != NULL && ok;
    for (k = 0; k < CTI_ADMM_DEPTH; k++) {
        s->dv[k] = CTI_ARENA_NEW(arena, double, m), s->de[k] = CTI_ARENA_NEW(arena, double, m);
        ok = s->dv[k] && s->de[k] && ok;
    }
    for (i = 0; ok && i < 3 * m; i += 9)
        s->B[i] = s->B[i + 4] = s->B[i + 8] = 1;
    return ok && cti_friction_system_open(&s->system, f) && cti_newton_open(&s->newton, f, &s->system);
}

/* computes z and y from v */
static void cti_admm_split(cti_admm *s)
{
    cti_friction *f = s->f;
    int i;
    memcpy(s->z, s->v, sizeof *s->v * (size_t)f->m);
    for (i = 0; i < f->nc; i++)
        cti_cone_project3(f->mu[i], s->z + 3 * (size_t)i);
    for (i = 0; i < f->m; i++)
        s->y[i] = s->v[i] - s->z[i];
}

/* g, the image of v under the map. 0 when it is not finite */
static int cti_admm_map(cti_admm *s)
{
    cti_friction *f = s->f;
    const double relax = 1.5;
    int i;
    cti_admm_split(s);
    for (i = 0; i < f->m; i++)
        s->r[i] = s->rho * (s->z[i] - s->y[i]) - f->q[i];
    for (i = 0; i < f->nc; i++) {
        const double *y = s->y + 3 * (size_t)i;
        s->r[3 * i] -= f->mu[i] * s->rho * sqrt(y[1] * y[1] + y[2] * y[2]);
    }
    if (!cti_friction_system_solve(&s->system, s->r))
        return 0;
    for (i = 0; i < f->m; i++)
        s->g[i] = s->v[i] + relax * (s->r[i] - s->z[i]);
    return 1;
}

/* the next v from v and its image; an accelerated point with a larger error is rejected */
static void cti_admm_advance(cti_admm *s)
{
    cti_friction *f = s->f;
    double c[CTI_ADMM_DEPTH], size = 0, *e = s->r; /* r is not needed any more */
    int i, k;
    size_t bytes = sizeof *e * (size_t)f->m;
    for (i = 0; i < f->m; i++)
        e[i] = s->g[i] - s->v[i], size += e[i] * e[i];
    if (s->started && size > 4 * s->last_size && s->count > 0) {
        memcpy(s->v, s->safe, bytes);
        s->started = s->count = s->head = 0;
        return;
    }
    if (s->started && s->depth) {
        for (i = 0; i < f->m; i++) {
            s->dv[s->head][i] = s->g[i] - s->safe[i];
            s->de[s->head][i] = e[i] - s->last_e[i];
        }
        s->head = (s->head + 1) % s->depth;
        s->count = cti_min_int(s->count + 1, s->depth);
    }
    memcpy(s->safe, s->g, bytes), memcpy(s->last_e, e, bytes);
    s->last_size = size, s->started = 1;
    memcpy(s->v, s->g, bytes);
    cti_friction_weights(s->de, s->count, f->m, e, c);
    for (k = 0; k < s->count; k++)
        for (i = 0; i < f->m && cti_finite64(c[k]); i++)
            s->v[i] -= c[k] * s->dv[k][i];
}

/* adapts rho to the sizes of r - z and of the change of z; v is changed so that z and u^ stay. 0 when the matrix is singular */
static int cti_admm_balance(cti_admm *s, double primal, double dual)
{
    double ratio = dual > 0 ? sqrt(primal / dual) : 1, rho;
    int i;
    if (ratio > 0.4 && ratio < 2.5)
        return 1;
    rho = cti_fmin(cti_fmax(s->rho * cti_fmin(cti_fmax(ratio, 0.1), 10), 1e-6), 1e4);
    if (rho == s->rho)
        return 1;
    cti_admm_split(s);
    for (i = 0; i < s->f->m; i++)
        s->v[i] = s->z[i] + s->y[i] * s->rho / rho;
    s->rho = rho, s->started = s->count = s->head = 0;
    return cti_friction_system_factor(&s->system, s->A, s->B, rho);
}

/* relative sizes of the two residuals */
static void cti_admm_sizes(const cti_admm *s, double *primal, double *dual)
{
    double p = 0, d = 0, r = 0, y = 0;
    int i;
    for (i = 0; i < s->f->m; i++) {
        double a = s->g[i] - s->v[i], b = s->z[i] - s->old_z[i];
        p += a * a, d += b * b, r += s->z[i] * s->z[i], y += s->y[i] * s->y[i];
    }
    *primal = sqrt(p / (r > 0 ? r : 1)), *dual = sqrt(d / (y > 0 ? y : 1));
}

/* changes the acceleration's depth: a run that stalls with one depth often converges with the next */
static void cti_admm_deepen(cti_admm *s)
{
    s->depth = s->depth == CTI_ADMM_DEPTH ? CTI_ADMM_SHALLOW : (s->depth ? 0 : CTI_ADMM_DEPTH);
    s->started = s->count = s->head = 0;
}

static void cti_admm_run(cti_admm *s, double enough, cti_answer *a)
{
    cti_friction *f = s->f;
    double primal, dual, mark = INFINITY, polished = INFINITY;
    int since = 0, wait = CTI_ADMM_BALANCE;
    size_t bytes = sizeof *f->r * (size_t)f->m;
    memcpy(s->v, f->r, bytes);
    if (!(f->best_judged > enough) || !cti_friction_system_factor(&s->system, s->A, s->B, s->rho))
        return;
    while (f->best_judged > enough && cti_friction_goes_on(f, CTI_ADMM_OWN, a)) {
        f->iterations++, since++;
        memcpy(s->old_z, s->z, bytes);
        if (!cti_admm_map(s))
            return;
        if (f->iterations % CTI_ADMM_CHECK == 0) {
            memcpy(f->r, s->z, bytes);
            cti_friction_residual(f);
        }
        cti_admm_sizes(s, &primal, &dual);
        cti_admm_advance(s);
        if (since >= wait) {
            if (f->best_residual > 0.5 * mark)
                cti_admm_deepen(s);
            if (f->best_residual < 0.9 * polished) {
                polished = f->best_residual;
                if (cti_newton_polish(&s->newton, enough, a))
                    return;
                cti_friction_system_factor(&s->system, s->A, s->B, s->rho);
            }
            mark = f->best_residual, since = 0, wait += wait / 4;
            if (!cti_admm_balance(s, primal, dual))
                return;
        }
    }
}

CTI_FN cti_outcome cti_solver_admm(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_friction f;
    cti_admm s;
    cti_outcome outcome = CTI_OUTCOME_MEMORY;
    double enough = 0.3 * e->tolerance;
    a->why = cti_friction_refuses(p);
    if (a->why)
        return CTI_OUTCOME_NOT_APPLICABLE;
    a->why = "";
    memset(&s, 0, sizeof s);
    if (cti_friction_open(&f, p, e, a) && cti_admm_open(&s, &f)) {
        cti_admm_run(&s, enough, a);
        outcome = cti_friction_outcome(&f, enough, a);
    }
    cti_friction_system_close(&s.system);
    cti_friction_close(&f);
    return outcome;
}
