/* friction_admm.c -- alternating directions for frictional contact: one linear system, rarely factored again, and projections onto the
   cones. Method: Coulomb's law is min 1/2 r'W r + (q + s)'r on the cones with s_n = mu |u_t|; s is updated from the multiplier in every
   iteration. The iteration is one map of v = y + r (Douglas-Rachford): z = P_K(v), y = v - z, (W + rho I) r = rho (z - y) - q - s, v <- y +
   r, over-relaxed; then u^ = -rho y. Anderson's acceleration works on v. rho balances |r - z| and |u^ change|. At intervals, Newton steps
   from the best iterate try to finish. based on: Boyd et al. 2011, 3.1 and 3.4.1 - 3.4.3 (scaled form, rho, over-relaxation); Acary and
   Cadoux 2013 (s as a fixed point); Walker and Ni 2011 (Anderson). */
#include "friction.h"
#include "mixing.h"

/* the iterates: velocities, impulses and their copies */
typedef struct cti_admm_point {
    double *v, *z, *y, *r, *g, *old_z; /* [m] */
} cti_admm_point;

typedef struct cti_admm {
    cti_friction *f;
    cti_newton *newton; /* its system serves both */
    double *A, *B; /* [9 nc] zeros, identities */
    cti_admm_point at;
    cti_mixing mixing; /* of the map of v to g */
    double rho;
} cti_admm;

static int cti_admm_open(cti_admm *s, cti_newton *newton)
{
    cti_friction *f = newton->f;
    cti_arena *arena = f->e->arena;
    double **const vectors[] = {&s->at.v, &s->at.z, &s->at.y, &s->at.r, &s->at.g, &s->at.old_z}, **const blocks[] = {&s->A, &s->B};
    size_t m = (size_t)f->m, i;
    int ok;
    s->f = f, s->newton = newton, s->rho = 1;
    ok = CTI_ARENA_VECTORS(arena, m, vectors) && CTI_ARENA_VECTORS(arena, 3 * m, blocks);
    ok = ok && cti_mixing_open(&s->mixing, arena, f->m, CTI_MIXING_DEPTH, NULL, 0);
    for (i = 0; ok && i < 3 * m; i += 9)
        s->B[i] = s->B[i + 4] = s->B[i + 8] = 1;
    return ok;
}

/* computes z and y from v */
static void cti_admm_split(cti_admm *s)
{
    cti_friction *f = s->f;
    int i;
    cti_vec_copy(f->m, s->at.v, s->at.z);
    for (i = 0; i < f->nc; i++)
        cti_cone_project3(f->mu[i], s->at.z + 3 * i);
    for (i = 0; i < f->m; i++)
        s->at.y[i] = s->at.v[i] - s->at.z[i];
}

/* g, the image of v under the map. 0 when it is not finite */
static int cti_admm_map(cti_admm *s)
{
    cti_friction *f = s->f;
    const double relax = 1.5;
    int i;
    cti_admm_split(s);
    for (i = 0; i < f->m; i++)
        s->at.r[i] = s->rho * (s->at.z[i] - s->at.y[i]) - f->q[i];
    for (i = 0; i < f->nc; i++) {
        const double *y = s->at.y + 3 * i;
        s->at.r[3 * i] -= f->mu[i] * s->rho * sqrt(y[1] * y[1] + y[2] * y[2]);
    }
    if (!cti_friction_system_solve(s->newton->system, s->at.r))
        return 0;
    for (i = 0; i < f->m; i++)
        s->at.g[i] = s->at.v[i] + relax * (s->at.r[i] - s->at.z[i]);
    return 1;
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
        s->at.v[i] = s->at.z[i] + s->at.y[i] * s->rho / rho;
    s->rho = rho;
    cti_mixing_restart(&s->mixing);
    return cti_friction_system_factor(s->newton->system, s->A, s->B, rho);
}

/* relative sizes of the two residuals */
static void cti_admm_sizes(const cti_admm *s, double *primal, double *dual)
{
    double p = 0, d = 0, r = 0, y = 0;
    int i;
    for (i = 0; i < s->f->m; i++) {
        double a = s->at.g[i] - s->at.v[i], b = s->at.z[i] - s->at.old_z[i];
        p += a * a, d += b * b, r += s->at.z[i] * s->at.z[i], y += s->at.y[i] * s->at.y[i];
    }
    *primal = sqrt(p / (r > 0 ? r : 1)), *dual = sqrt(d / (y > 0 ? y : 1));
}

static void cti_admm_run(cti_admm *s, double enough, cti_answer *a)
{
    cti_friction *f = s->f;
    double primal, dual, polished = INFINITY;
    int since = 0, wait = cti_program_tuned.friction.balance;
    size_t bytes = sizeof *f->r * (size_t)f->m;
    memcpy(s->at.v, f->r, bytes);
    if (!(f->least.residual > enough) || !cti_friction_system_factor(s->newton->system, s->A, s->B, s->rho))
        return;
    while (f->least.residual > enough && cti_friction_goes_on(f, cti_program_tuned.friction.admm, a)) {
        f->run.iterations++, since++;
        memcpy(s->at.old_z, s->at.z, bytes);
        if (!cti_admm_map(s))
            return;
        if (f->run.iterations % cti_program_tuned.friction.check == 0) {
            memcpy(f->r, s->at.z, bytes);
            cti_friction_residual(f);
        }
        cti_admm_sizes(s, &primal, &dual);
        cti_mixing_step(&s->mixing, s->at.v, s->at.g, NULL);
        memcpy(s->at.v, s->at.g, bytes);
        if (since >= wait) {
            if (f->least.residual < 0.9 * polished) {
                polished = f->least.residual;
                if (cti_newton_polish(s->newton, enough, a))
                    return;
                cti_friction_system_factor(s->newton->system, s->A, s->B, s->rho);
            }
            since = 0, wait += wait / 4;
            if (!cti_admm_balance(s, primal, dual))
                return;
        }
    }
}

static int cti_admm_solve(cti_newton *newton, double enough, cti_answer *a)
{
    cti_admm s;
    memset(&s, 0, sizeof s);
    if (!cti_admm_open(&s, newton))
        return 0;
    cti_admm_run(&s, enough, a);
    return 1;
}

CTI_FN cti_outcome cti_solver_admm(const cti_program *p, cti_effort *e, cti_answer *a) { return cti_newton_solve(p, e, a, cti_admm_solve); }
