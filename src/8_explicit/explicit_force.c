/* explicit_force.c -- forces, energy and the bound of the step.
   Method: hong_neohookean splits into shape and volume, mu/2 (J^(-2/3) tr C - 3) of the right Cauchy-Green tensor C = F'F and
   kappa/2 (J - 1)^2. Constant-strain tetrahedra lock as nu nears 1/2, since each keeps its own volume. The remedy is a mean dilatation around
   nodes (Bonet, Burton 1998): J_a = v_a / V_a with v_a a quarter of the volumes of the tetrahedra around node a. The energy of the volume is
   sum V_a kappa/2 (J_a - 1)^2, its force the mean of the four nodes' pressures times the gradient of a tetrahedron's volume.
   Damping: a shear stress 2 eta dev d by the rate of deformation d, eta = damping_stiffness mu, and a bulk stress b rho c l tr d with
   b = bulk_viscosity, the speed c of pressure waves and the shortest height l. Both are 0 in rigid motion. differs: Rayleigh's damping of the
   volume's stiffness would shorten steps by beta omega / 2, about tenfold; it is left out.
   Bound of the step: the fastest pressure wave crosses an element's height in 1 / omega, omega^2 <= 4 c^2 sum |grad N_a|^2 for one tetrahedron with
   lumped mass. That is four times too short with nodal pressures; the largest omega and the largest rate of damping of the assembled body come
   from a power iteration with differences of forces at the start, and the bound above stays their upper limit.
   Other materials have the forces and damping of 6_model.
   based on: Hong et al. 2006, sec. 2; Bonet, Burton 1998, A simple average nodal pressure tetrahedral element; Bonet, Wood, ch. 5 and 6. */
#include "explicit.h"
#include "../1_math/elem.h"

#define CTI_EXPLICIT_J0 CTI_R(0.2)     /* [1] J^(-2/3) is continued by its Taylor polynomial of order 2 below, as in 6_model */
#define CTI_EXPLICIT_STABLE CTI_R(2.7) /* [1] omega h within which the classical rule of fourth order is stable: 2.78 on either axis */
#define CTI_EXPLICIT_DIFFERENCE CTI_R(1e-3) /* [edges] displacement of differences of forces: small strain, far above rounding in float; not tuned */
#define CTI_EXPLICIT_TURNS 40          /* [1] of the power method, less than four steps' evaluations; not tuned */
#define CTI_EXPLICIT_MARGIN CTI_R(1.1) /* [1] on its result, which comes from below; not tuned */
#define CTI_EXPLICIT_ROOTS 8           /* [1] Newton's iterations of J^(-1/3): 1e-15 for J from 0.2 to 8 */

enum { CTI_EXPLICIT_KEPT = 10 }; /* numbers that a tetrahedron keeps between the two passes: F, J */

/* eight tetrahedra: rows b_1, b_2, b_3 of the rest state, F, its cofactors, J */
typedef struct cti_explicit_lanes {
    cti_r8 b[9], volume, f[9], cof[9], j;
} cti_explicit_lanes;

static int cti_explicit_is_nodal(const cti_state *s, const cti_tet_batch *t)
{
    return t->model == CT_MODEL_HONG_NEOHOOKEAN && !s->desc.rk.element_pressure;
}

/* out = sum over nodes 1 to 3 of (x_a - x_0) b_a' */
static void cti_explicit_gradient(const cti_tet_batch *t, int k, const ct_real *x, const cti_r8 *b, cti_r8 *out)
{
    cti_r8 q[12];
    int i, j, a;
    cti_element_gather(x, t->node + 32 * (size_t)k, 4, q);
    for (a = 1; a < 4; a++)
        for (i = 0; i < 3; i++)
            q[3 * a + i] = cti_sub8(q[3 * a + i], q[i]);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            out[3 * i + j] = cti_sum3_8(q[3 + i], b[j], q[6 + i], b[3 + j], q[9 + i], b[6 + j]);
}

static void cti_explicit_open(const cti_tet_batch *t, int k, const ct_real *x, cti_explicit_lanes *w)
{
    const ct_real *rest = t->rest + (size_t)k * 10 * 8;
    int i;
    for (i = 0; i < 9; i++)
        w->b[i] = cti_load8(rest + 8 * i);
    w->volume = cti_load8(rest + 72);
    cti_explicit_gradient(t, k, x, w->b, w->f);
    w->j = cti_cofactor8(w->f, w->cof);
}

/* h = J^(-2/3) and its derivative */
static cti_r8 cti_explicit_power(cti_r8 j, cti_r8 *slope)
{
    const cti_r8 three = cti_set8(3), third = cti_set8(CTI_R(1.0) / 3);
    cti_r8 c = cti_max8(j, cti_set8(CTI_EXPLICIT_J0)), d = cti_sub8(j, c), r, h, e, h1, h2;
    int i;
    r = cti_div8(three, cti_add8(c, cti_set8(2)));
    for (i = 0; i < CTI_EXPLICIT_ROOTS; i++)
        r = cti_mul8(cti_mul8(r, third), cti_nmad8(cti_set8(4), c, cti_mul8(r, cti_mul8(r, r))));
    h = cti_mul8(r, r), e = cti_div8(cti_set8(1), c);
    h1 = cti_scale8(CTI_R(-2.0) / 3, cti_mul8(h, e)), h2 = cti_scale8(CTI_R(-5.0) / 3, cti_mul8(h1, e));
    h = cti_mad8(h, d, cti_mad8(h1, cti_set8(CTI_R(0.5)), cti_mul8(d, h2)));
    *slope = cti_mad8(h1, d, h2);
    return h;
}

static cti_r8 cti_explicit_trace(const cti_r8 *f)
{
    return cti_add8(cti_dot8(f, f), cti_add8(cti_dot8(f + 3, f + 3), cti_dot8(f + 6, f + 6)));
}

/* eight tetrahedra from what the first pass has kept */
static void cti_explicit_reopen(const cti_tet_batch *t, int k, const ct_real *kept, cti_explicit_lanes *w)
{
    const ct_real *rest = t->rest + (size_t)k * 10 * 8, *own = kept + (size_t)k * CTI_EXPLICIT_KEPT * 8;
    int i;
    for (i = 0; i < 9; i++)
        w->b[i] = cti_load8(rest + 8 * i), w->f[i] = cti_load8(own + 8 * i);
    w->volume = cti_load8(rest + 72);
    w->j = cti_cofactor8(w->f, w->cof);
}

/* first pass: F and J, sums of quarter volumes by node, and the pressures */
static void cti_explicit_pressures(cti_state *s, const cti_tet_batch *t, const ct_real *x)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real kappa = t->lambda + t->mu * 2 / 3, *kept;
    int k, l, a, e, i;
    for (e = 0; e < 4 * t->n; e++)
        g->elements.volume[t->node[e]] = 0;
    for (k = 0; 8 * k < t->n; k++) {
        cti_explicit_lanes w;
        cti_explicit_open(t, k, x, &w);
        kept = g->elements.kept + (size_t)k * CTI_EXPLICIT_KEPT * 8;
        for (i = 0; i < 9; i++)
            cti_store8(kept + 8 * i, w.f[i]);
        cti_store8(kept + 72, cti_scale8(CTI_R(0.25), cti_mul8(w.volume, w.j)));
        for (l = 0; l < cti_element_count(t->n, k); l++)
            for (a = 0; a < 4; a++)
                g->elements.volume[t->node[32 * k + 4 * l + a]] += kept[72 + l];
    }
    for (e = 0; e < 4 * t->n; e++) {
        i = t->node[e];
        g->elements.pressure[i] = kappa * (g->elements.volume[i] / g->elements.volume0[i] - 1);
    }
}

/* -V P b_a' of the first `count` lanes is added to out */
static void cti_explicit_scatter(const cti_tet_batch *t, int k, const cti_explicit_lanes *w, const cti_r8 *p, ct_real *out)
{
    cti_r8 q[12];
    int i, a;
    for (i = 0; i < 3; i++) {
        for (a = 1; a < 4; a++)
            q[3 * a + i] = cti_neg8(cti_mul8(w->volume, cti_dot8(p + 3 * i, w->b + 3 * (a - 1))));
        q[i] = cti_neg8(cti_add8(q[3 + i], cti_add8(q[6 + i], q[9 + i])));
    }
    cti_element_scatter_force(out, t->node + 32 * (size_t)k, 4, cti_element_count(t->n, k), q);
}

/* P = 2 eta dev d cof F + bulk tr d cof F, d the symmetric part of F' F^-1 */
static void cti_explicit_viscous(const cti_explicit_lanes *w, const cti_r8 *rate, ct_real eta, ct_real bulk, cti_r8 *p)
{
    cti_r8 l[9], d[9], tr, inverse = cti_div8(cti_set8(1), cti_max8(w->j, cti_set8(CTI_EXPLICIT_J0)));
    int i, j;
    cti_matmul_t8(rate, w->cof, l);
    for (i = 0; i < 9; i++)
        l[i] = cti_mul8(l[i], inverse);
    tr = cti_add8(l[0], cti_add8(l[4], l[8]));
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            d[3 * i + j] = cti_scale8(eta, cti_add8(l[3 * i + j], l[3 * j + i]));
    tr = cti_scale8(bulk - eta * 2 / 3, tr);
    for (i = 0; i < 3; i++)
        d[4 * i] = cti_add8(d[4 * i], tr);
    cti_matmul8(d, w->cof, p);
}

static ct_real cti_explicit_speed(const cti_tet_batch *t) { return cti_sqrt((t->lambda + 2 * t->mu) / t->density); }

/* elastic and viscous forces are added to `force`; returns the viscous ones' power [W], <= 0 */
static double cti_explicit_nodal_forces(cti_state *s, int m, const ct_real *x, const ct_real *v, ct_real *force)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_tet_batch *t = &s->bodies.models[m]->tets;
    ct_real eta = t->damping_stiffness * t->mu;
    ct_real bulk = s->desc.rk.bulk_viscosity * t->density * cti_explicit_speed(t) * g->elements.length[m], mean[8];
    double power = 0;
    int k, l, i;
    cti_explicit_pressures(s, t, x);
    for (k = 0; 8 * k < t->n; k++) {
        cti_explicit_lanes w;
        cti_r8 p[9], h, slope, along;
        cti_explicit_reopen(t, k, g->elements.kept, &w);
        for (l = 0; l < 8; l++) {
            const int32_t *q = t->node + 32 * (size_t)k + 4 * l;
            mean[l] = (g->elements.pressure[q[0]] + g->elements.pressure[q[1]] + g->elements.pressure[q[2]] + g->elements.pressure[q[3]]) / 4;
        }
        /* P = mu h F + (mu/2 tr C h' + p) cof F */
        h = cti_scale8(t->mu, cti_explicit_power(w.j, &slope));
        along = cti_mad8(cti_load8(mean), cti_scale8(t->mu / 2, cti_explicit_trace(w.f)), slope);
        for (i = 0; i < 9; i++)
            p[i] = cti_mad8(cti_mul8(h, w.f[i]), along, w.cof[i]);
        if (eta > 0 || bulk > 0) {
            cti_r8 rate[9], q[9], work = cti_set8(0);
            cti_explicit_gradient(t, k, v, w.b, rate);
            cti_explicit_viscous(&w, rate, eta, bulk, q);
            for (i = 0; i < 9; i++)
                p[i] = cti_add8(p[i], q[i]), work = cti_mad8(work, q[i], rate[i]);
            power -= cti_element_sum(cti_mul8(work, w.volume), cti_element_count(t->n, k));
        }
        cti_explicit_scatter(t, k, &w, p, force);
    }
    return power;
}

CTI_FN double cti_explicit_forces(cti_state *s, const ct_real *x, const ct_real *v, ct_real *force)
{
    double power = 0;
    int m, i;
    memset(force, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (m = 0; m < s->bodies.n_models; m++) {
        cti_model *model = s->bodies.models[m];
        if (cti_explicit_is_nodal(s, &model->tets)) {
            power += cti_explicit_nodal_forces(s, m, x, v, force);
            continue;
        }
        cti_model_assemble(model, x, 0, force, NULL, NULL, NULL);
        if (model->tets.damping_stiffness > 0) {
            ct_real *work = s->system.work;
            memset(work, 0, sizeof(ct_real) * 3 * (size_t)s->n);
            cti_model_damping(model, x, v, work);
            for (i = 0; i < 3 * s->n; i++)
                force[i] -= work[i], power -= (double)(work[i] * v[i]);
        }
    }
    for (i = 0; i < s->n; i++)
        if (s->bodies.alpha[i] > 0) {
            ct_real c = s->bodies.alpha[i] * s->bodies.mass[i];
            cti_v3_addto(force, i, cti_v3_mul(cti_v3_at(v, i), -c));
            power -= (double)(c * cti_v3_norm2(cti_v3_at(v, i)));
        }
    return power;
}

CTI_FN double cti_explicit_elastic(cti_state *s, const ct_real *x)
{
    const cti_explicit_elements *q = &cti_explicit_own(s)->elements;
    double e = 0;
    int m, k, i;
    for (m = 0; m < s->bodies.n_models; m++) {
        const cti_tet_batch *t = &s->bodies.models[m]->tets;
        if (!cti_explicit_is_nodal(s, t)) {
            e += cti_model_energy(s->bodies.models[m], x);
            continue;
        }
        cti_explicit_pressures(s, t, x);
        for (k = 0; 8 * k < t->n; k++) {
            cti_explicit_lanes w;
            cti_r8 slope, psi;
            cti_explicit_open(t, k, x, &w);
            psi = cti_mul8(cti_explicit_power(w.j, &slope), cti_explicit_trace(w.f));
            psi = cti_scale8(t->mu / 2, cti_sub8(psi, cti_set8(3)));
            e += cti_element_sum(cti_mul8(psi, w.volume), cti_element_count(t->n, k));
            /* the nodes' part, in equal shares to the elements: V_a p_a^2 / (2 kappa), each element a quarter of its own volume */
        }
        for (k = 0; k < t->n; k++)
            for (i = 0; i < 4; i++) {
                double p = (double)q->pressure[t->node[4 * k + i]], volume = (double)t->rest[(k / 8) * 80 + 72 + k % 8];
                e += volume / 4 * p * p / (2 * (double)(t->lambda + t->mu * 2 / 3));
            }
    }
    return e;
}

/* volumes around nodes, height of the flattest element; returns the largest omega of an element [1/s] */
static ct_real cti_explicit_rest_model(cti_state *s, int m)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_tet_batch *t = &s->bodies.models[m]->tets;
    ct_real sum = 0;
    int e, i, a;
    g->elements.length[m] = 0;
    for (e = 0; e < t->n; e++) {
        const ct_real *rest = t->rest + (size_t)(e / 8) * 80 + e % 8;
        ct_real all = 0, b0[3] = {0, 0, 0};
        for (i = 0; i < 9; i++)
            all += rest[8 * i] * rest[8 * i], b0[i % 3] += rest[8 * i];
        all += b0[0] * b0[0] + b0[1] * b0[1] + b0[2] * b0[2];
        sum = cti_max(sum, all);
        for (a = 0; a < 4; a++)
            g->elements.volume0[t->node[4 * e + a]] += rest[72] / 4;
    }
    if (!(sum > 0))
        return 0;
    g->elements.length[m] = 1 / cti_sqrt(sum);
    return 2 * cti_explicit_speed(t) * cti_sqrt(sum);
}

/* z = M^-1 times the change of forces by v, or by a displacement along it; returns the largest entry of z */
static ct_real cti_explicit_response(cti_state *s, int is_damping, const ct_real *v, ct_real *z)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real *x = s->system.work + 6 * (size_t)s->n, *rest = g->force, step = CTI_EXPLICIT_DIFFERENCE * g->edge, most = 0;
    int i;
    memset(z, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_explicit_forces(s, s->x, z, rest);
    memcpy(x, s->x, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < 3 * s->n && !is_damping; i++)
        x[i] += step * v[i];
    if (is_damping) {
        memcpy(x, v, sizeof(ct_real) * 3 * (size_t)s->n);
        cti_explicit_forces(s, s->x, x, z);
    } else {
        ct_real *still = s->system.work + 9 * (size_t)s->n;
        memset(still, 0, sizeof(ct_real) * 3 * (size_t)s->n);
        cti_explicit_forces(s, x, still, z);
    }
    for (i = 0; i < 3 * s->n; i++) {
        ct_real mass = s->bodies.mass[i / 3];
        z[i] = mass > 0 ? (rest[i] - z[i]) / (mass * (is_damping ? CTI_R(1.0) : step)) : 0;
        most = cti_max(most, cti_abs(z[i]));
    }
    return most;
}

/* largest eigenvalue of M^-1 K or M^-1 D by the power method: a lower bound, times the margin */
static ct_real cti_explicit_largest(cti_state *s, int is_damping)
{
    ct_real *v = s->system.work + 3 * (size_t)s->n, *z = cti_explicit_own(s)->solve.spread, most = 0;
    uint32_t seed = 1;
    int turn, i;
    for (i = 0; i < 3 * s->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        v[i] = (ct_real)((int)(seed >> 16) - 32768) / 32768;
    }
    for (turn = 0; turn < CTI_EXPLICIT_TURNS; turn++) {
        most = cti_explicit_response(s, is_damping, v, z);
        for (i = 0; i < 3 * s->n && most > 0; i++)
            v[i] = z[i] / most;
    }
    memset(z, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    return CTI_EXPLICIT_MARGIN * most;
}

CTI_FN int cti_explicit_rest(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    int m, most = 0;
    ct_real omega = 0, assembled, damped;
    if (!CTI_RESIZE(s->mem, g->elements.volume0, s->n) || !CTI_RESIZE(s->mem, g->elements.volume, s->n) ||
        !CTI_RESIZE(s->mem, g->elements.pressure, s->n) || !CTI_RESIZE(s->mem, g->elements.length, s->bodies.n_models))
        return 0;
    for (m = 0; m < s->bodies.n_models; m++) {
        most = cti_max_int(most, s->bodies.models[m]->tets.n);
        omega = cti_max(omega, s->bodies.models[m]->tets.n ? cti_explicit_rest_model(s, m) : 0);
    }
    if (!CTI_RESIZE(s->mem, g->elements.kept, (size_t)(most + 7) / 8 * CTI_EXPLICIT_KEPT * 8))
        return 0;
    g->bound = CTI_REAL_MAX;
    if (omega > 0) {
        assembled = cti_sqrt(cti_explicit_largest(s, 0)), damped = cti_explicit_largest(s, 1);
        omega = assembled > 0 ? cti_min(omega, assembled) : omega;
        g->bound = CTI_EXPLICIT_STABLE / cti_max(omega, damped);
    }
    return 1;
}

#undef CTI_EXPLICIT_J0
#undef CTI_EXPLICIT_STABLE
#undef CTI_EXPLICIT_ROOTS
#undef CTI_EXPLICIT_DIFFERENCE
#undef CTI_EXPLICIT_TURNS
#undef CTI_EXPLICIT_MARGIN
