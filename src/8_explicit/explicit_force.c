/* explicit_force.c -- forces, energy and the bound of the step.
   Method: hong_neohookean splits into shape and volume, mu/2 (J^(-2/3) tr C - 3) of the right Cauchy-Green tensor C = F'F and
   kappa/2 (J - 1)^2. Constant-strain tetrahedra lock as nu nears 1/2, since each keeps its own volume. Here the dilatation is a mean around
   nodes (Bonet, Burton 1998): J_a = v_a / V_a with v_a a quarter of the volumes of the tetrahedra around node a. The energy of the volume is
   sum V_a kappa/2 (J_a - 1)^2, its force the mean of the four nodes' pressures times the gradient of a tetrahedron's volume (explicit_nodal.c).
   Damping: a shear stress 2 eta dev d by the rate of deformation d, eta = damping_stiffness mu, and a bulk stress b rho c l tr d with
   b = bulk_viscosity, the speed c of pressure waves and the shortest height l. Both are 0 in rigid motion. differs: Rayleigh's damping of the
   volume's stiffness would shorten steps by beta omega / 2, about tenfold; it is left out.
   Bound of the step: the fastest pressure wave crosses an element's height in 1 / omega, omega^2 <= 4 c^2 sum |grad N_a|^2 for one tetrahedron with
   lumped mass. That is up to four times too short with nodal pressures; the largest omega and the largest rate of damping of the assembled body
   come from a power iteration with differences of forces at the start, and the bound above stays their upper limit.
   Other materials have the forces and damping of 6_model.
   based on: Hong et al. 2006, sec. 2; Bonet, Wood, ch. 5 and 6. */
#include "explicit.h"

CTI_FN int cti_explicit_is_nodal(const cti_state *s, int model)
{
    return s->bodies.models[model]->tets.n && s->bodies.models[model]->tets.model == CT_MODEL_HONG_NEOHOOKEAN && !s->desc.rk.element_pressure;
}

CTI_FN int cti_explicit_is_plain(const cti_state *s)
{
    int i, plain = cti_explicit_own(s)->elements.n_batches > 0 && CTI_LEN(s->bodies.rigids) == 0 && s->scripts.n_constrained == 0;
    for (i = 0; i < s->bodies.n_models && plain; i++)
        plain = cti_explicit_is_nodal(s, i);
    for (i = 0; i < s->n && plain; i++)
        plain = !(s->bodies.alpha[i] > 0);
    return plain;
}

static ct_real cti_explicit_speed(const cti_tet_batch *t) { return cti_sqrt((t->lambda + 2 * t->mu) / t->density); }

/* adds torques -alpha I w of rigid bodies, with their frames of the last evaluation; returns their power [W] */
static double cti_explicit_spin_damping(const cti_state *s, const ct_real *v, ct_real *force)
{
    double power = 0;
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        const cti_rigid *b = &s->bodies.rigids[i];
        const ct_real *R = cti_explicit_own(s)->frames + 9 * (size_t)i;
        ct_real alpha = s->bodies.alpha[b->block];
        cti_v3 w = cti_v3_at(v, b->block + 1), L;
        if (!(alpha > 0))
            continue;
        L = cti_m3_mul_v(R, cti_m3_mul_v(b->inertia, cti_m3_mul_tv(R, w)));
        cti_v3_addto(force, b->block + 1, cti_v3_mul(L, -alpha));
        power -= (double)(alpha * cti_v3_dot(w, L));
    }
    return power;
}

CTI_FN double cti_explicit_forces(cti_state *s, const ct_real *x, const ct_real *v, ct_real *force)
{
    double power = 0;
    int m, i;
    if (cti_explicit_own(s)->elements.n_batches)
        power = cti_explicit_nodal_forces(s, x, v, force);
    else
        memset(force, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (m = 0; m < s->bodies.n_models; m++) {
        cti_model *model = s->bodies.models[m];
        if (cti_explicit_is_nodal(s, m))
            continue;
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
    return power + cti_explicit_spin_damping(s, v, force);
}

CTI_FN double cti_explicit_elastic(cti_state *s, const ct_real *x, cti_energy *out)
{
    double e = 0;
    int m;
    for (m = 0; m < s->bodies.n_models; m++) {
        double own = cti_explicit_is_nodal(s, m) ? 0 : cti_model_energy(s->bodies.models[m], x);
        e += own;
        if (out)
            out[m].elastic = own;
    }
    return cti_explicit_own(s)->elements.n_batches ? e + cti_explicit_nodal_energy(s, x, out) : e;
}

/* sets the height of the flattest element of a model; returns the largest omega of an element [1/s] */
static ct_real cti_explicit_element_bound(cti_state *s, int m)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_tet_batch *t = &s->bodies.models[m]->tets;
    ct_real sum = 0;
    int e, i;
    g->elements.height[m] = 0;
    for (e = 0; e < t->n; e++) {
        const ct_real *rest = t->rest + (size_t)(e / 8) * 80 + e % 8;
        ct_real all = 0, b0[3] = {0, 0, 0};
        for (i = 0; i < 9; i++)
            all += rest[8 * i] * rest[8 * i], b0[i % 3] += rest[8 * i];
        all += b0[0] * b0[0] + b0[1] * b0[1] + b0[2] * b0[2];
        sum = cti_max(sum, all);
    }
    if (!(sum > 0))
        return 0;
    g->elements.height[m] = 1 / cti_sqrt(sum);
    return 2 * cti_explicit_speed(t) * cti_sqrt(sum);
}

/* sets z to M^-1 times the change of forces by v, or by a displacement along it, from those at X in elements.force; returns its largest entry */
static ct_real cti_explicit_response(cti_state *s, const ct_real *X, int is_damping, const ct_real *v, ct_real *z)
{
    cti_explicit *g = cti_explicit_own(s);
    const ct_real *rest = g->elements.force;
    ct_real *x = s->system.work + 6 * (size_t)s->n, *zero = x + 3 * (size_t)s->n, step = cti_explicit_tuned.rate.difference * g->edge, most = 0;
    int i;
    for (i = 0; i < 3 * s->n && !is_damping; i++)
        x[i] = X[i] + step * v[i];
    cti_explicit_forces(s, is_damping ? X : x, is_damping ? v : zero, z);
    for (i = 0; i < 3 * s->n; i++) {
        ct_real mass = s->bodies.mass[i / 3];
        z[i] = mass > 0 ? (rest[i] - z[i]) / (mass * (is_damping ? CTI_R(1.0) : step)) : 0;
        most = cti_max(most, cti_abs(z[i]));
    }
    return most;
}

/* returns the largest eigenvalue of M^-1 K or M^-1 D at X, at rest, by the power method: a lower bound */
static ct_real cti_explicit_largest_eigenvalue(cti_state *s, const ct_real *X, int is_damping)
{
    ct_real *v = s->system.work + 3 * (size_t)s->n, *z = cti_explicit_own(s)->solve.scratch, *zero = s->system.work + 9 * (size_t)s->n, most = 0;
    uint32_t seed = 1;
    int turn, i;
    memset(zero, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_explicit_forces(s, X, zero, cti_explicit_own(s)->elements.force);
    for (i = 0; i < 3 * s->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        v[i] = (ct_real)((int)(seed >> 16) - 32768) / 32768;
    }
    for (turn = 0; turn < cti_explicit_tuned.rate.power; turn++) {
        most = cti_explicit_response(s, X, is_damping, v, z);
        for (i = 0; i < 3 * s->n && most > 0; i++)
            v[i] = z[i] / most;
    }
    memset(z, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    return most;
}

CTI_FN int cti_explicit_bodies_rest(cti_state *s, const cti_stepper_body *bodies)
{
    cti_explicit *g = cti_explicit_own(s);
    int m;
    ct_real omega = 0, assembled, damped, *X = CTI_ARENA_NEW(s->arena, ct_real, 3 * (size_t)s->n + 1);
    if (!X || !CTI_RESIZE(&s->prepared, g->elements.height, s->bodies.n_models))
        return 0;
    if (s->n)
        memcpy(X, s->x, sizeof *X * 3 * (size_t)s->n);
    for (m = 0; m < s->surface.n_bodies; m++)
        if (bodies[m].nodes)
            memcpy(X + 3 * (size_t)bodies[m].block0, bodies[m].nodes, sizeof *X * 3 * (size_t)bodies[m].n_blocks);
    if (CTI_LEN(s->bodies.rigids))
        memcpy(g->frames, s->bodies.frames, sizeof(ct_real) * 9 * (size_t)CTI_LEN(s->bodies.rigids));
    g->error_unit = g->edge;
    for (m = 0; m < s->bodies.n_models; m++)
        if (s->bodies.models[m]->tets.n) {
            omega = cti_max(omega, cti_explicit_element_bound(s, m));
            g->error_unit = cti_min(g->error_unit, cti_explicit_tuned.rate.flat * g->elements.height[m]);
        }
    if (!cti_explicit_nodal_rest(s))
        return 0;
    g->ode.rule = cti_explicit_choose(&s->desc.rk, 0, 0, &g->stable_step);
    if (omega > 0) {
        assembled = cti_explicit_tuned.rate.margin * cti_sqrt(cti_explicit_largest_eigenvalue(s, X, 0));
        damped = cti_explicit_tuned.rate.margin_damping * cti_explicit_largest_eigenvalue(s, X, 1);
        omega = assembled > 0 ? cti_min(omega, assembled) : omega;
        g->ode.rule = cti_explicit_choose(&s->desc.rk, omega, damped, &g->stable_step);
    }
    return 1;
}
