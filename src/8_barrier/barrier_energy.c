/* barrier_energy.c -- the incremental potential of a step, its gradient and its Hessian, in units of h^2 J:
     E(y) = 1/2 |y - y^|_M^2 + force / at V(y0 + at (y - y0)) + contact (sum of stiff |A'A - 1|^2 + sum of barriers)
          + c alpha / 2 |y - r|_M^2 + c / 2 (y - r)' D(y0) (y - r) + contact sum of mu lambda f0(|u|)
   with the numbers of the integrator's rule (barrier_rule.c). Implicit Euler: at 1, c = h, force = contact = h^2, r = y0,
   y^ = y0 + h u + h^2 M^-1 f. D is that of the start of the step, and so are the contacts' lambda and directions in the last sum, which
   are lagged: neither has a potential otherwise. The Hessian is projected element by element; damping's is that of the present positions, which is
   near enough for Newton's method. Joints add their part (barrier_joints.c).
   based on: lecture notes 4.3; Li et al. 2020, eq. 4 and 19; Lan et al. 2022, eq. 6. */
#include "barrier.h"
#include "../0_base/tasks.h"
#include "../8_step/policy.h"
#include "../1_math/eig3.h"

/* ---- affine bodies ---- */

/* gram S = A'A - 1 of columns c [9] */
static void cti_affine_gram(const ct_real *c, ct_real *S)
{
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            S[3 * i + j] = cti_v3_dot(cti_v3_at(c, i), cti_v3_at(c, j)) - (i == j ? 1 : 0);
}

static double cti_affine_energy(const cti_affine *a, const ct_real *y)
{
    ct_real S[9];
    double sum = 0;
    int k;
    cti_affine_gram(y + 3 * (size_t)(a->block + 1), S);
    for (k = 0; k < 9; k++)
        sum += (double)S[k] * (double)S[k];
    return (double)a->stiff * sum;
}

/* gradient 4 stiff A S; Hessian of columns i, j: 4 stiff (c_j c_i' + delta_ij AA' + S_ij 1), the last part without its negative eigenvalues */
static void cti_affine_derive(cti_barrier *b, const cti_affine *a)
{
    const ct_real *c = b->y + 3 * (size_t)(a->block + 1);
    ct_real S[9], P[9], AA[9], k4 = 4 * a->stiff * b->rule.contact, m[9];
    int i, j, k, l;
    cti_affine_gram(c, S);
    memcpy(P, S, sizeof P);
    if (!b->matrix.exact)
        cti_psd_project(P, 3, 0);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            AA[3 * i + j] = c[i] * c[j] + c[3 + i] * c[3 + j] + c[6 + i] * c[6 + j];
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++)
            cti_v3_addto(b->g, a->block + 1 + i, cti_v3_mul(cti_v3_at(c, j), k4 * S[3 * i + j]));
        for (j = 0; j < 3; j++) {
            for (k = 0; k < 3; k++)
                for (l = 0; l < 3; l++)
                    m[3 * k + l] = c[3 * j + k] * c[3 * i + l] + (i == j ? AA[3 * k + l] : 0) + (k == l ? P[3 * i + j] : 0);
            cti_barrier_add(b, a->block + 1 + i, a->block + 1 + j, m, k4);
        }
    }
}

CTI_FN int cti_barrier_is_proper(const cti_state *s, const ct_real *y)
{
    const cti_barrier *b = cti_barrier_own(s);
    int k;
    for (k = 0; k < CTI_LEN(s->bodies.rigids); k++)
        if (!(cti_m3_det(y + 3 * (size_t)(b->layout.affines[k].block + 1)) > cti_barrier_tuned.affine.flat))
            return 0;
    return 1;
}

/* out = M z for z [3 n] */
static void cti_barrier_mass(const cti_state *s, const ct_real *z, ct_real *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    int i, j, k;
    for (i = 0; i < s->n; i++)
        if (b->layout.block_of[i] >= 0)
            cti_v3_put(out, b->layout.block_of[i], cti_v3_mul(cti_v3_at(z, b->layout.block_of[i]), s->bodies.mass[i]));
    for (k = 0; k < CTI_LEN(s->bodies.rigids); k++) {
        const cti_affine *a = &b->layout.affines[k];
        cti_v3_put(out, a->block, cti_v3_mul(cti_v3_at(z, a->block), a->mass));
        for (i = 0; i < 3; i++) {
            cti_v3 sum = cti_v3_zero();
            for (j = 0; j < 3; j++)
                sum = cti_v3_mad(sum, cti_v3_at(z, a->block + 1 + j), a->J[3 * i + j]);
            cti_v3_put(out, a->block + 1 + i, sum);
        }
    }
}

/* mass damping of a block of y [1/s] */
static void cti_barrier_alpha(const cti_state *s, ct_real *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    int i, k;
    for (i = 0; i < s->n; i++)
        for (k = 0; b->layout.block_of[i] >= 0 && k < (s->bodies.rigid_of[i] < 0 ? 1 : 4); k++)
            out[b->layout.block_of[i] + k] = s->bodies.alpha[i];
}

/* ---- energy ---- */

/* inertia and mass damping: 1/2 z'M z + c alpha / 2 d'M d */
static double cti_barrier_inertia(cti_state *s, const ct_real *y, ct_real *work, double *size)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real *z = work, *Mz = work + 3 * (size_t)b->n, *alpha = work + 6 * (size_t)b->n;
    double e = 0, damped = 0;
    int i, any = 0;
    for (i = 0; i < 3 * b->n; i++)
        z[i] = y[i] - b->y_hat[i];
    cti_barrier_mass(s, z, Mz);
    for (i = 0; i < 3 * b->n; i++)
        e += (double)z[i] * (double)Mz[i] / 2;
    for (i = 0; i < s->n; i++)
        any |= s->bodies.alpha[i] > 0;
    if (any) {
        cti_barrier_alpha(s, alpha);
        for (i = 0; i < 3 * b->n; i++)
            z[i] = y[i] - b->rule.r[i];
        cti_barrier_mass(s, z, Mz);
        for (i = 0; i < 3 * b->n; i++)
            damped += (double)(alpha[i / 3] * z[i]) * (double)Mz[i] / 2;
    }
    *size += cti_barrier_part(e + (double)b->rule.c * damped);
    return e + (double)b->rule.c * damped;
}

/* c / 2 d' D(y0) d of the models, d = y - r; leaves D d in b->layout.damping where it is wanted, and returns 0 where nothing is damped */
static int cti_barrier_damping(cti_state *s, const ct_real *y, ct_real *d, ct_real *Dd)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k, any = 0;
    for (i = 0; i < s->bodies.n_models; i++)
        any |= s->bodies.models[i]->tets.damping_stiffness > 0 || s->bodies.models[i]->membrane.damping_stiffness > 0 ||
               s->bodies.models[i]->bend.damping_stiffness > 0 || s->bodies.models[i]->springs.damping_stiffness > 0 ||
               s->bodies.models[i]->bounds.damping_stiffness > 0;
    if (!any)
        return 0;
    for (i = 0; i < s->n; i++)
        for (k = 0; k < 3; k++) {
            Dd[3 * i + k] = 0;
            d[3 * i + k] = s->bodies.rigid_of[i] < 0 ? y[3 * b->layout.block_of[i] + k] - b->rule.r[3 * b->layout.block_of[i] + k] : 0;
        }
    for (i = 0; i < s->bodies.n_models; i++)
        cti_model_damping(s->bodies.models[i], s->x, d, Dd);
    return 1;
}

/* x_state: where the bodies' forces act, y0 + at (y - y0) */
static void cti_barrier_middle(cti_state *s, const ct_real *y)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    for (i = 0; i < s->n; i++)
        if (b->layout.block_of[i] >= 0) {
            cti_v3 end = cti_v3_at(y, b->layout.block_of[i]), start = cti_v3_at(b->y0, b->layout.block_of[i]);
            cti_v3_put(b->layout.x_state, i, b->rule.at < 1 ? cti_v3_mad(start, cti_v3_sub(end, start), b->rule.at) : end);
        }
}

/* cti_barrier_models -- a loop over the models at x_state */
typedef struct cti_barrier_models {
    cti_state *s;
    double *energy; /* [n_models] */
    int *extended;  /* [n_models] */
} cti_barrier_models;

static void cti_barrier_model_energies(int begin, int end, int worker, void *context)
{
    const cti_barrier_models *q = (const cti_barrier_models *)context;
    const cti_barrier *b = cti_barrier_own(q->s);
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        cti_model_ahead(q->s->bodies.models[begin], b->h, b->rule.share, NULL);
        q->energy[begin] = cti_model_energy(q->s->bodies.models[begin], b->layout.x_state);
    }
}

static void cti_barrier_project(cti_model *m, int project)
{
    m->tets.hessian = m->membrane.hessian = m->springs.hessian = project ? CTI_HESSIAN_PROJECTED : CTI_HESSIAN_EXACT;
}

static void cti_barrier_model_assemblies(int begin, int end, int worker, void *context)
{
    const cti_barrier_models *q = (const cti_barrier_models *)context;
    const cti_barrier *b = cti_barrier_own(q->s);
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        cti_model *m = q->s->bodies.models[begin];
        q->extended[begin] = 0;
        cti_model_ahead(m, b->h, b->rule.share, NULL);
        cti_barrier_project(m, !b->matrix.exact);
        cti_model_assemble(m, b->layout.x_state, b->rule.c, q->s->system.force, q->s->system.A.val, &q->extended[begin], NULL);
    }
}

static double cti_barrier_elastic_energy(cti_state *s, const ct_real *y, double *energies, double *size)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_models q;
    ct_real *d = b->layout.damping, *Dd = d + 3 * (size_t)s->n;
    double e = 0, damped = 0, c = (double)b->rule.c, weight = (double)(b->rule.force / b->rule.at), stiff;
    int i, k;
    b->contact.stiff = 0;
    cti_barrier_middle(s, y);
    q.s = s, q.energy = energies, q.extended = NULL;
    cti_tasks_run_work(&s->desc.tasks, cti_barrier_model_energies, s->bodies.n_models, cti_step_tuned.costs.energy, &q);
    for (i = 0; i < s->bodies.n_models; i++)
        e += weight * q.energy[i];
    for (k = 0; k < CTI_LEN(s->bodies.rigids); k++)
        b->contact.stiff += stiff = cti_affine_energy(&b->layout.affines[k], y), e += (double)b->rule.contact * stiff;
    if (cti_barrier_damping(s, y, d, Dd))
        for (i = 0; i < 3 * s->n; i++)
            damped += (double)d[i] * (double)Dd[i];
    *size += cti_barrier_part(fabs(e) + c * fabs(damped));
    for (i = 0; i < 3 * s->n; i++) /* forces of the last assembly */
        *size += cti_barrier_part(weight * fabs((double)(s->system.force[i] * b->layout.x_state[i])));
    return e + c / 2 * damped;
}

CTI_FN void cti_barrier_rates(cti_state *s, const ct_real *z, ct_real *work, ct_real *out)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real *d = b->layout.damping, *Dd = d + 3 * (size_t)s->n, c = b->rule.c;
    int i, k;
    cti_barrier_alpha(s, work);
    cti_barrier_mass(s, z, out);
    for (i = 0; i < 3 * b->n; i++)
        out[i] *= 1 + c * work[i / 3];
    for (i = 0; i < 3 * b->n; i++)
        work[i] = b->rule.r[i] + z[i];
    if (cti_barrier_damping(s, work, d, Dd))
        for (i = 0; i < s->n; i++)
            for (k = 0; s->bodies.rigid_of[i] < 0 && k < 3; k++)
                out[3 * b->layout.block_of[i] + k] += c * Dd[3 * i + k];
}

CTI_FN double cti_barrier_loss(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    ct_real *z = CTI_ARENA_NEW(s->arena, ct_real, 7 * b->n + 8), *d = b->layout.damping, *Dd = d + 3 * (size_t)s->n;
    double sum = 0;
    int i, k;
    if (!z)
        return 0;
    for (i = 0; i < 3 * b->n; i++)
        z[i] = b->y[i] - b->rule.r[i];
    cti_barrier_mass(s, z, z + 3 * (size_t)b->n);
    cti_barrier_alpha(s, z + 6 * (size_t)b->n);
    for (i = 0; i < 3 * b->n; i++)
        sum += (double)(z[6 * b->n + i / 3] * z[3 * b->n + i]) * (double)(b->y[i] - b->y0[i]);
    if (cti_barrier_damping(s, b->y, d, Dd))
        for (i = 0; i < s->n; i++)
            for (k = 0; s->bodies.rigid_of[i] < 0 && k < 3; k++)
                sum += (double)Dd[3 * i + k] * (double)(b->y[3 * b->layout.block_of[i] + k] - b->y0[3 * b->layout.block_of[i] + k]);
    cti_arena_rewind(s->arena, mark);
    return sum / (double)b->rule.span;
}

CTI_FN void cti_barrier_slide(const cti_state *s, const cti_barrier_rub *q, const ct_real *x, ct_real out[2])
{
    cti_v3 d = cti_v3_zero();
    int k;
    for (k = 0; k < q->pair.n; k++)
        d = cti_v3_mad(d, cti_barrier_went(s, x, q->pair.v[k]), q->pair.w[k]);
    for (k = 0; k < 2; k++)
        out[k] = cti_v3_dot(d, cti_v3_at(q->t[k], 0)) + q->anchor[k] + q->belt[k];
}

CTI_FN double cti_barrier_energy(cti_state *s, const ct_real *y, const ct_real *x, double *size)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    ct_real *work = CTI_ARENA_NEW(s->arena, ct_real, 7 * b->n + 8);
    double *energies = CTI_ARENA_NEW(s->arena, double, s->bodies.n_models + 1);
    double e, barriers, friction;
    *size = 0;
    if (!work || !energies) {
        *size = -1;
        return 0;
    }
    e = cti_barrier_inertia(s, y, work, size) + cti_barrier_elastic_energy(s, y, energies, size) + cti_barrier_joints_energy(s, y, size);
    if (!cti_barrier_contact_energy(s, x, &barriers, &friction, size)) {
        *size = -1;
        return 0;
    }
    b->contact.energy = barriers / (double)b->rule.contact;
    *size = cti_barrier_whole(*size + cti_barrier_part(barriers + friction));
    cti_arena_rewind(s->arena, mark);
    return e + barriers + friction;
}

/* ---- gradient and Hessian ---- */

CTI_FN void cti_barrier_rub_derive(const cti_barrier_rub *q, ct_real reach, const ct_real *u, ct_real *f, ct_real *H)
{
    ct_real size = cti_sqrt(u[0] * u[0] + u[1] * u[1]);
    double rate, slope;
    int j;
    cti_friction_value((double)size, (double)reach, &rate, &slope);
    f[0] = q->load * (ct_real)rate * u[0], f[1] = q->load * (ct_real)rate * u[1];
    for (j = 0; j < 4; j++)
        H[j] = q->load * ((j % 3 == 0 ? (ct_real)rate : 0) + (size > 0 ? (ct_real)(slope - rate) * u[j / 2] * u[j % 2] / (size * size) : 0));
}

CTI_FN void cti_barrier_rub_terms(const cti_state *s, cti_barrier_rub *q, const ct_real *x, cti_contact_rub *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real f[2], H[4];
    int k, l;
    cti_barrier_slide(s, q, b->surface.x_slide ? b->surface.x_slide : x, q->at);
    cti_barrier_rub_derive(q, s->desc.barrier.friction_velocity * b->h, q->at, f, H);
    cti_v3_put(out->f, 0, cti_v3_mad(cti_v3_mul(cti_v3_at(q->t[0], 0), f[0]), cti_v3_at(q->t[1], 0), f[1]));
    for (k = 0; k < 3; k++)
        for (l = 0; l < 3; l++)
            out->K[3 * k + l] = q->t[0][k] * (H[0] * q->t[0][l] + H[1] * q->t[1][l]) + q->t[1][k] * (H[2] * q->t[0][l] + H[3] * q->t[1][l]);
}

/* contacts' friction, or with a shift its matrix c_i c_j K times that */
CTI_FN void cti_barrier_rub_shift(cti_state *s, const ct_real *shift)
{
    const cti_barrier *b = cti_barrier_own(s);
    int i, k;
    for (i = 0; i < CTI_LEN(b->contact.rubs); i++) {
        cti_barrier_rub *q = &b->contact.rubs[i];
        cti_contact_rub r;
        ct_real g[12];
        cti_v3 way = cti_v3_zero();
        cti_barrier_rub_terms(s, q, s->surface.x0, &r);
        for (k = 0; shift && k < q->pair.n; k++)
            way = cti_v3_mad(way, cti_v3_at(shift, q->pair.v[k]), q->pair.w[k]);
        way = shift ? cti_m3_mul_v(r.K, way) : cti_v3_at(r.f, 0);
        for (k = 0; k < q->pair.n; k++)
            cti_v3_put(g, k, cti_v3_mul(way, q->pair.w[k]));
        cti_barrier_scatter(s, q->pair.v, q->pair.n, g, NULL, 0, b->n);
    }
}

/* g = M z + c alpha M d - force f + c D d; B = A's c^2 K + c D, and M (1 + c alpha): force times at is c^2 */
static int cti_barrier_bodies(cti_state *s, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real *z = CTI_ARENA_NEW(s->arena, ct_real, 7 * b->n + 8), *Mz, *alpha, *d = b->layout.damping, *Dd = d + 3 * (size_t)s->n, c = b->rule.c;
    int i, k, extended = 0;
    cti_barrier_models q;
    q.s = s, q.energy = NULL, q.extended = CTI_ARENA_NEW(s->arena, int, s->bodies.n_models + 1);
    if (!z || !q.extended)
        return 0;
    Mz = z + 3 * (size_t)b->n, alpha = z + 6 * (size_t)b->n;
    cti_barrier_alpha(s, alpha);
    for (i = 0; i < 3 * b->n; i++)
        z[i] = b->y[i] - b->y_hat[i] + c * alpha[i / 3] * (b->y[i] - b->rule.r[i]);
    cti_barrier_mass(s, z, Mz);
    memcpy(b->g, Mz, sizeof(ct_real) * 3 * (size_t)b->n);
    memset(s->system.A.val, 0, sizeof(ct_real) * 9 * (size_t)s->system.A.row[s->n]);
    memset(s->system.force, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_barrier_middle(s, b->y);
    cti_tasks_run_work(&s->desc.tasks, cti_barrier_model_assemblies, s->bodies.n_models, cti_step_tuned.costs.model, &q);
    for (i = 0; i < s->bodies.n_models; i++)
        extended += q.extended[i];
    r->extended_elements = extended;
    if (!cti_barrier_damping(s, b->y, d, Dd))
        Dd = NULL;
    for (i = 0; i < s->n; i++) {
        if (s->bodies.rigid_of[i] >= 0)
            continue;
        for (k = 0; k < 3; k++)
            b->g[3 * b->layout.block_of[i] + k] += (Dd ? c * Dd[3 * i + k] : 0) - b->rule.force * s->system.force[3 * i + k];
        for (k = s->system.A.row[i]; k < s->system.A.row[i + 1]; k++)
            memcpy(b->hessian.B.val + 9 * (size_t)b->hessian.slot_of[k], s->system.A.val + 9 * (size_t)k, 9 * sizeof(ct_real));
        for (k = 0; k < 3; k++)
            b->hessian.B.val[9 * (ptrdiff_t)b->hessian.B.diag[b->layout.block_of[i]] + 4 * k] +=
                s->bodies.mass[i] * (1 + c * s->bodies.alpha[i] + (b->matrix.exact ? b->matrix.sigma : 0));
    }
    for (k = 0; k < CTI_LEN(s->bodies.rigids); k++) {
        const cti_affine *a = &b->layout.affines[k];
        cti_m3 one = cti_m3_diag(1 + c * s->bodies.alpha[s->bodies.rigids[k].block]);
        cti_barrier_add(b, a->block, a->block, one.m, a->mass);
        for (i = 0; i < 9; i++)
            cti_barrier_add(b, a->block + 1 + i / 3, a->block + 1 + i % 3, one.m, a->J[i]);
        cti_affine_derive(b, a);
    }
    return 1;
}

CTI_FN int cti_barrier_assemble(cti_state *s, const ct_real *shift, ct_step_report *r)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    int ok = cti_barrier_pattern(s) && cti_barrier_bodies(s, r);
    if (ok)
        cti_barrier_joints_assemble(s);
    ok = ok && cti_barrier_contacts(s, shift);
    cti_arena_rewind(s->arena, mark);
    return ok;
}
