/* geometric_implicit.c -- the implicit integration, with collisions in its matrix.
   Method: (M - dF/dP' h - dF/dP h^2) dv = F h + dF/dP P' h^2 (eq. 20, 21), by conjugate gradients on w = M^1/2 dv, with equations and
   unknowns weighted by the square roots of inverse masses, so that disparate masses do not slow it down (sec. 4.2). The mechanical part is
   the matrix that the elements assemble; collisions are products over their particles (26). The force of a collision is that of the
   acceleration correction (22), and its derivatives (23, 24) give 1 and 1.5 times S M_c S, 2.5 in all (25), along n n', and in all
   directions where friction holds. differs: of complementary collisions, which share particles, each has its share of M_c, by its force; the
   paper adds them all up, and many collisions at a place make it stiffer than one that bears the same load. differs: the correction pushes,
   and its friction has a bound; so has its force at the end of the step. Terms are derivatives of this law there, by Newton's method. The
   paper's are those at the start: a collision at the bound has all of the tangential terms or none, and its motion jumps between both.
   based on: Volino, Magnenat-Thalmann 2000, sec. 4.2. */
#include "geometric.h"
#include "../8_step/balance.h"
#include "../8_step/factors.h"
#include "../8_step/motion.h"

/* sets system.A = M (1 + h alpha) + h^2 K + h D and system.force, without gravity, at system.q for a stage of h */
static void cti_geometric_assemble(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_bsr *A = &s->system.A;
    int i, k;
    memset(A->val, 0, sizeof(ct_real) * 9 * (size_t)A->row[s->n]);
    memset(s->system.force, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->bodies.n_models; i++) {
        cti_model_ahead(s->bodies.models[i], h, 1, s->v);
        cti_model_assemble(s->bodies.models[i], s->system.q, h, s->system.force, A->val, &r->extended_elements, NULL);
    }
    for (i = 0; i < s->n; i++)
        for (k = 0; k < 3; k++)
            A->val[9 * (size_t)A->diag[i] + 4 * (size_t)k] += s->bodies.mass[i] * (1 + h * s->bodies.alpha[i]);
}

/* sets system.q to where the rotation of free bodies brings them; others stay */
static void cti_geometric_predict(cti_state *s, ct_real h)
{
    const cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    int c, i;
    cti_geometric_own(s)->implicit.rotates = 0;
    cti_motion_predict(s, h);
    for (i = 0; i < q->response.n; i++)
        s->system.turns[s->factors.component_of[q->blocks[i]]].turns = 0;
    for (i = 0; i < s->n; i++)
        if (s->scripts.filter[i] >= 0)
            s->system.turns[s->factors.component_of[i]].turns = 0;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_geometric_own(s)->implicit.rotates |= s->system.turns[c].turns;
        for (i = s->factors.components[c].begin; i < s->factors.components[c].end && !s->system.turns[c].turns; i++)
            cti_v3_put(s->system.q, s->factors.blocks[i], cti_v3_at(s->x, s->factors.blocks[i]));
    }
}

/* sets rotation_change and rotation_end of a body that turns by R. It keeps its spin, and its other motion turns along: velocities v at the start
   become w x (q - c) + R (v - w0 x (x - c)) about the centre, w0 and w being its angular velocities with the inertia before and after. The step knows
   v, and straight ways u = (q - x) / h. rotation_change is what it lacks of the second term, rotation_end w x (q - c) - u */
static void cti_geometric_rotation(cti_state *s, ct_real h, const cti_component *p, const cti_turn *t)
{
    cti_geometric_implicit *g = &cti_geometric_own(s)->implicit;
    cti_motion from, to;
    cti_v3 w0, w;
    int k;
    cti_motion_measure(s, p, s->x, s->v, &from), cti_motion_measure(s, p, s->system.q, s->v, &to);
    to.spin = from.spin;
    if (!cti_motion_rate(&from, &w0) || !cti_motion_rate(&to, &w))
        return;
    for (k = p->begin; k < p->end; k++) {
        int b = s->factors.blocks[k];
        cti_v3 r = cti_v3_sub(cti_v3_at(s->x, b), from.center), rq = cti_v3_sub(cti_v3_at(s->system.q, b), from.center);
        cti_v3 v = cti_v3_sub(cti_v3_at(s->v, b), from.speed), u = cti_v3_mul(cti_v3_sub(rq, r), 1 / h);
        cti_v3_put(g->rotation_change, b, cti_v3_sub(cti_m3_mul_v(t->R, cti_v3_sub(v, cti_v3_cross(w0, r))), cti_v3_sub(v, u)));
        cti_v3_put(g->rotation_end, b, cti_v3_sub(cti_v3_cross(w, rq), u));
    }
}

CTI_FN void cti_geometric_linearize(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric_implicit *g = &cti_geometric_own(s)->implicit;
    ct_real *u = g->rotation, *Au = g->A_rotation;
    int c, i;
    cti_geometric_predict(s, h);
    cti_geometric_assemble(s, h, r);
    memset(g->rotation_change, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    memset(g->rotation_end, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!g->rotates)
        return;
    for (c = 0; c < CTI_LEN(s->factors.components) && cti_geometric_theta(s) == 1; c++)
        if (s->system.turns[c].turns)
            cti_geometric_rotation(s, h, &s->factors.components[c], &s->system.turns[c]);
    for (i = 0; i < 3 * s->n; i++)
        u[i] = (s->system.q[i] - s->x[i]) / h;
    cti_bsr_mul(&s->system.A, u, Au);
    for (i = 0; i < 3 * s->n; i++) /* forces at x, by the law that is linearized at q */
        s->system.force[i] += (Au[i] - s->bodies.mass[i / 3] * (1 + h * s->bodies.alpha[i / 3]) * u[i]) / h;
}

/* returns the part of a collision's relative motion u that its law resists: `stiff` times that along the normal and what friction resists of the
   rest, and `share` times what interaction_damping takes of the sliding */
static cti_v3 cti_geometric_law_part(const cti_geometric_solve *q, int c, cti_v3 u, ct_real stiff, ct_real share)
{
    cti_v3 n = cti_v3_at(q->normal, c), t = cti_v3_at(q->forces.slide_direction, c);
    ct_real hold = stiff * q->forces.tangent_share[c], slip = hold + (1 - q->forces.tangent_share[c]) * share * q->forces.damping_share[c];
    return cti_v3_mad(cti_v3_mad(cti_v3_mul(u, slip), n, (stiff - slip) * cti_v3_dot(n, u)), t, -hold * cti_v3_dot(t, u));
}

/* adds S x of a collision to a vector of blocks */
static void cti_geometric_scatter(const cti_geometric_solve *q, int c, cti_v3 x, ct_real *out)
{
    int k;
    for (k = q->start[c]; k < q->start[c + 1]; k++)
        cti_v3_addto(out, q->blocks[q->particle[k]], cti_v3_mul(x, q->S[k]));
}

/* returns the factor of M_c in eq. 25: 1 + 1.5, of the derivatives by positions (24), which move by theta h times theta dv, and by speeds */
static ct_real cti_geometric_term_factor(const cti_state *s)
{
    ct_real share = cti_geometric_theta(s);
    return share * (share + CTI_R(1.5));
}

CTI_FN void cti_geometric_add_terms(const cti_state *s, const ct_real *x, ct_real *y)
{
    const cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    ct_real stiff = cti_geometric_term_factor(s), share = cti_geometric_theta(s);
    ct_real *from = q->response.work, *to = q->response.work + 4 * (size_t)q->response.n;
    int c, i, j, k;
    if (q->response.m == 0)
        return;
    /* four numbers a particle, so that a particle is one vector */
    for (i = 0; i < q->response.n; i++)
        for (j = 0; j < 4; j++) {
            from[4 * (size_t)i + (size_t)j] = j < 3 ? x[3 * q->blocks[i] + j] : 0;
            to[4 * (size_t)i + (size_t)j] = 0;
        }
    for (c = 0; c < q->response.m; c++) {
        const ct_real *n = q->normal + 3 * (size_t)c, *t = q->forces.slide_direction + 3 * (size_t)c;
        ct_real u[4] = {0, 0, 0, 0}, un, ut, mass = q->forces.mass[c], hold = stiff * q->forces.tangent_share[c];
        ct_real slip = hold + (1 - q->forces.tangent_share[c]) * share * q->forces.damping_share[c];
        if (!(mass > 0))
            continue;
        for (k = q->start[c]; k < q->start[c + 1]; k++)
            for (j = 0; j < 4; j++)
                u[j] += q->S[k] * from[4 * (size_t)q->particle[k] + (size_t)j];
        un = (stiff - slip) * (n[0] * u[0] + n[1] * u[1] + n[2] * u[2]), ut = hold * (t[0] * u[0] + t[1] * u[1] + t[2] * u[2]);
        for (j = 0; j < 4; j++) /* the fourth is of the next vector, and is not read */
            u[j] = mass * (un * n[j] - ut * t[j] + slip * u[j]);
        for (k = q->start[c]; k < q->start[c + 1]; k++)
            for (j = 0; j < 4; j++)
                to[4 * (size_t)q->particle[k] + (size_t)j] += q->S[k] * u[j];
    }
    for (i = 0; i < q->response.n; i++)
        cti_v3_addto(y, q->blocks[i], cti_v3_at(to + 4 * (size_t)i, 0));
}

/* sets out = M^-1/2 S x */
static void cti_geometric_scale_by_mass(const cti_state *s, const ct_real *x, ct_real *out)
{
    int i;
    for (i = 0; i < s->n; i++)
        cti_v3_put(out, i, cti_v3_mul(cti_state_free(s, i, cti_v3_at(x, i)), cti_sqrt(s->bodies.inv_mass[i])));
}

/* a cti_operator_fn: the weighted matrix. A constrained direction has the equation w = 0 */
static void cti_geometric_apply(void *ctx, const ct_real *w, ct_real *y)
{
    cti_state *s = (cti_state *)ctx;
    ct_real *x = cti_geometric_own(s)->implicit.scratch + 3 * (size_t)s->n, *Ax = x + 3 * (size_t)s->n;
    int i;
    cti_geometric_scale_by_mass(s, w, x);
    cti_bsr_mul(&s->system.A, x, Ax);
    cti_geometric_add_terms(s, x, Ax);
    cti_geometric_scale_by_mass(s, Ax, y);
    for (i = 0; i < s->n; i++)
        if (s->scripts.filter[i] >= 0) {
            cti_v3 v = cti_v3_at(w, i);
            cti_v3_addto(y, i, cti_v3_sub(v, cti_state_free(s, i, v)));
        }
}

/* adds a spring much stiffer than the block to diagonal blocks of A where scripts hold something, so that factors know what is held. saved
   [9 blocks] keeps the blocks; with restore 1 they become these again */
static void cti_geometric_hold_scripted(cti_state *s, ct_real *saved, int restore)
{
    int i, k;
    for (i = 0; i < s->n && s->scripts.n_constrained; i++) {
        ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[i], stiff = cti_geometric_tuned.implicit.hold * (D[0] + D[4] + D[8]);
        const ct_real *P = s->scripts.projectors + 9 * (size_t)s->scripts.filter[i];
        if (s->scripts.filter[i] < 0)
            continue;
        memcpy(restore ? D : saved + 9 * (size_t)i, restore ? saved + 9 * (size_t)i : D, sizeof(ct_real) * 9);
        for (k = 0; k < 9 && !restore; k++)
            D[k] += stiff * ((k % 4 == 0) - P[k]);
    }
}

/* makes factors of A for a step of h, where new ones are asked for or the length has changed. 0: out of memory */
static int cti_geometric_renew_factors(cti_state *s, ct_real h)
{
    cti_factors *f = &s->factors;
    ct_real *saved = cti_geometric_own(s)->implicit.scratch;
    int c, ok = 1;
    cti_factors_age(f);
    f->mass = s->bodies.mass;
    cti_geometric_hold_scripted(s, saved, 0);
    for (c = 0; c < CTI_LEN(f->components) && ok; c++) {
        cti_component *q = &f->components[c];
        const cti_factor_stamp *t = &q->cache.stamp;
        ok = !(t->age < 0 || t->renewal_asked || t->dt != h) || cti_factors_renew(f, q, &s->system.A, h);
    }
    cti_geometric_hold_scripted(s, saved, 1);
    return ok;
}

/* a cti_operator_fn: the inverse of the weighted mechanical matrix, as far as the factors know it */
static void cti_geometric_precondition(void *ctx, const ct_real *r, ct_real *z)
{
    cti_state *s = (cti_state *)ctx;
    cti_factors *f = &s->factors;
    ct_real *x = cti_geometric_own(s)->implicit.scratch + 3 * (size_t)s->n;
    int i, c;
    for (i = 0; i < s->n; i++)
        cti_v3_put(x, i, cti_v3_mul(cti_state_free(s, i, cti_v3_at(r, i)), cti_sqrt(s->bodies.mass[i])));
    for (c = 0; c < CTI_LEN(f->components); c++)
        cti_factors_apply(f, &f->components[c], &f->components[c].cache.single, f->blocks + f->components[c].begin, x, x, 0);
    for (i = 0; i < s->n; i++) {
        cti_v3 v = cti_v3_at(r, i), held = cti_v3_sub(v, cti_state_free(s, i, v));
        cti_v3_put(z, i, cti_v3_mad(held, cti_state_free(s, i, cti_v3_at(x, i)), cti_sqrt(s->bodies.mass[i])));
    }
}

/* sets shares of M_c of the collisions that push, by their forces, and what they ask for in h; alone: of elastics only. Where friction is at its
   bound, a collision asks for more than it has, by M_c times the sliding acceleration that is left. As printed, such friction is constant */
static void cti_geometric_collision_masses(cti_state *s, ct_real h, int alone)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    ct_real damping = s->desc.geometric.interaction_damping, share = cti_geometric_theta(s), *push = q->forces.bound;
    int c, printed = s->desc.geometric.active_set == 0;
    if (q->response.m == 0)
        return;
    for (c = 0; c < q->response.m; c++)
        push[c] = alone ? 0 : cti_max(cti_v3_dot(cti_v3_at(q->normal, c), cti_v3_at(q->forces.force, c)), 0);
    cti_response_shares(&q->response, push, q->forces.share);
    for (c = 0; c < q->response.m; c++)
        push[c] = push[c] > 0;
    cti_response_shares(&q->response, push, q->forces.damping_share);
    for (c = 0; c < q->response.m; c++) {
        const cti_geometric_collision *t = &g->collisions[c];
        cti_v3 X = cti_v3_mul(cti_v3_at(q->forces.force, c), h), n = t->normal, left, u;
        q->forces.damping_share[c] = t->elastic ? 0 : damping * (1 - q->forces.damping_share[c]); /* one that shares no particle slides freely */
        q->forces.share[c] = push[c] > 0 ? q->forces.share[c] * cti_response_normal_mass(&q->response, c) : 0;
        q->forces.mass[c] = t->elastic ? t->mass / cti_geometric_term_factor(s) : q->forces.share[c];
        q->forces.tangent_share[c] = printed && push[c] > 0 && q->stick[c], q->forces.bound[c] = 0;
        cti_v3_put(q->forces.slide_direction, c, cti_v3_zero());
        if (!(q->forces.share[c] > 0))
            continue;
        u = cti_v3_mul(cti_v3_add(cti_geometric_relative(q, g->v, c, cti_v3_zero()), t->script_velocity), share * share);
        left = cti_v3_add(cti_response_value(&q->response, q->Q, c), cti_v3_at(q->goal.offset, c));
        left = cti_v3_mad(left, n, -cti_v3_dot(n, left));
        cti_v3_put(q->forces.asked, c, cti_v3_mad(X, cti_v3_mad(u, left, t->mu > 0 && !printed ? h : 0), -q->forces.share[c]));
        X = cti_v3_mad(X, n, -cti_v3_dot(n, X));
        if (printed && !q->stick[c]) {
            q->forces.bound[c] = cti_v3_norm(X);
            cti_v3_put(q->forces.slide_direction, c, cti_v3_unit(X, cti_v3_zero()));
        }
    }
}

/* evaluates the law of the collisions at dv: what they ask for there (eq. 19, 22), as far as it pushes, and friction within mu times that. With
   `terms` their terms become its derivatives; else impulses J follow from the terms. Returns the largest motion by which J is off [thickness] */
static ct_real cti_geometric_apply_law(cti_state *s, ct_real h, int terms)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    cti_geometric_forces *f = &q->forces;
    ct_real stiff = cti_geometric_term_factor(s), error = 0;
    int c;
    for (c = 0; c < q->response.m; c++) {
        cti_v3 n = cti_v3_at(q->normal, c), u = cti_geometric_relative(q, g->dv, c, cti_v3_zero()), t, J = cti_v3_at(f->J, c), law;
        ct_real push, size, bound, hold;
        if (!terms)
            cti_v3_put(f->J, c, J = cti_v3_mad(J, cti_geometric_law_part(q, c, u, stiff, cti_geometric_theta(s)), -f->mass[c]));
        if (!(f->share[c] > 0))
            continue;
        law = cti_v3_mad(cti_v3_at(f->asked, c), u, -f->share[c] * stiff), push = cti_v3_dot(n, law);
        t = cti_v3_mad(law, n, -push), size = cti_v3_norm(t), push = cti_max(push, 0);
        bound = g->collisions[c].mu * push, hold = size > bound ? bound / size : bound > 0;
        law = cti_v3_mad(cti_v3_mul(t, hold), n, push);
        error = cti_max(error, cti_v3_norm(cti_v3_sub(J, law)) * q->compliance[c] * h / g->collisions[c].thickness);
        if (!terms)
            continue;
        if (size > bound && cti_v3_dot(t, cti_v3_at(f->slide_direction, c)) < 0) /* sliding that turns round stops on the way */
            hold = 1, size = bound;
        f->mass[c] = push > 0 ? f->share[c] : 0, f->tangent_share[c] = hold, f->bound[c] = bound, q->stick[c] = hold == 1;
        cti_v3_put(f->slide_direction, c, size > bound ? cti_v3_mul(t, 1 / size) : cti_v3_zero());
    }
    return error;
}

/* adds impulses J of the elastics to the right side */
static void cti_geometric_elastic_impulses(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    int c;
    for (c = 0; c < q->response.m; c++) {
        const cti_geometric_collision *t = &g->collisions[c];
        cti_v3 n = cti_v3_at(q->normal, c), u = cti_v3_add(cti_geometric_relative(q, g->v, c, cti_v3_zero()), t->script_velocity);
        if (!t->elastic)
            continue;
        cti_v3_put(q->forces.J, c, cti_v3_mul(n, t->mass * (t->speed_target - cti_v3_dot(n, u))));
        cti_geometric_scatter(q, c, cti_v3_at(q->forces.J, c), g->implicit.y);
    }
}

/* sets the right side y = h (f + M g) + M v - A v + h X - M_c u of the collisions (eq. 21, 22), h being the time of the way; alone: of their
   remembered forces */
static void cti_geometric_right_side(cti_state *s, ct_real h, int alone)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    ct_real share = cti_geometric_theta(s);
    int i, k, c;
    cti_bsr_mul(&s->system.A, g->v, g->implicit.y);
    for (i = 0; i < s->n; i++)
        for (k = 0; k < 3; k++) {
            ct_real m = s->bodies.mass[i];
            g->implicit.y[3 * i + k] =
                h * (s->system.force[3 * i + k] + m * s->desc.gravity[k]) + m * g->v[3 * i + k] - g->implicit.y[3 * i + k];
        }
    for (c = 0; c < q->response.m; c++) {
        cti_v3 x = q->forces.share[c] > 0 ? cti_v3_zero() : cti_v3_mul(cti_v3_at(alone ? g->memory.warm_start : q->forces.force, c), h);
        if (g->collisions[c].elastic)
            continue;
        if (q->forces.mass[c] > 0)
            x = cti_v3_mad(cti_geometric_law_part(q, c, cti_v3_at(q->forces.asked, c), 1, 0), cti_v3_at(q->forces.slide_direction, c),
                           q->forces.bound[c]);
        if (q->forces.mass[c] * q->forces.damping_share[c] > 0)
            x = cti_v3_mad(x, cti_geometric_law_part(q, c, cti_v3_add(cti_geometric_relative(q, g->v, c, cti_v3_zero()),
                                                                      g->collisions[c].script_velocity), 0, share), -q->forces.mass[c]);
        cti_v3_put(q->forces.J, c, x);
        cti_geometric_scatter(q, c, x, g->implicit.y);
    }
    cti_geometric_elastic_impulses(s);
}

/* sets what the residuals of the components are measured by: the right side, but within 1 to 10 times the impulse of gravity, and above rounding. So
   neither a heavy nor a stiff nor a distant body hides what is left of another one. b: the right side in weighted equations. 0: not finite */
static int cti_geometric_scales(cti_state *s, ct_real h, const ct_real *b)
{
    cti_geometric_implicit *q = &cti_geometric_own(s)->implicit;
    ct_real kick = h * cti_v3_norm(cti_v3_at(s->desc.gravity, 0)), fastest = 0;
    int i, n = CTI_LEN(s->factors.components);
    q->tolerance = cti_min(cti_geometric_tuned.implicit.residual, s->desc.solver.tolerance);
    for (i = 0; i < n; i++)
        q->scale[i] = 0;
    for (i = 0; i < s->n; i++)
        q->scale[s->factors.component_of[i]] += cti_v3_norm2(cti_v3_at(b, i));
    for (i = 0; i < n; i++)
        if (q->body_mass[i] > 0) {
            ct_real root = cti_sqrt(q->body_mass[i]);
            q->scale[i] = cti_max(cti_sqrt(q->scale[i]), kick * root);
            fastest = cti_max(fastest, q->scale[i] / root);
            q->scale[i] = kick > 0 ? cti_min(q->scale[i], 10 * kick * root) : q->scale[i];
        }
    for (i = 0; i < n; i++)
        q->scale[i] = cti_max(q->scale[i], 16 * CTI_EPS / q->tolerance * fastest * cti_sqrt(q->body_mass[i]));
    return cti_finite(fastest);
}

/* a rule of cti_pcg_by: the error of each component, sqrt(r'M^-1 r), is within the tolerance of its scale. The largest is kept */
static int cti_geometric_is_solved(void *ctx, const ct_real *r, const ct_real *z)
{
    cti_state *s = (cti_state *)ctx;
    cti_geometric_implicit *q = &cti_geometric_own(s)->implicit;
    int i, n = CTI_LEN(s->factors.components);
    q->residual = 0;
    for (i = 0; i < n; i++)
        q->error[i] = 0;
    for (i = 0; i < s->n; i++)
        q->error[s->factors.component_of[i]] += cti_v3_dot(cti_v3_at(r, i), cti_v3_at(z, i));
    for (i = 0; i < n; i++)
        if (q->scale[i] > 0)
            q->residual = cti_max(q->residual, cti_sqrt(cti_max(q->error[i], 0)) / q->scale[i]);
    return q->residual <= q->tolerance;
}

/* sets w to the change of velocities that turns free bodies as a whole, and takes it from the equations: y -= A w, dv -= w. Errors are then shares of
   what is left, and a body keeps its momentum. Aw has the terms of collisions, too: those that a repeated substep has found may touch such a body */
static void cti_geometric_take_rotation(cti_state *s, ct_real h, ct_real *w, ct_real *Aw)
{
    cti_geometric *g = cti_geometric_own(s);
    int i;
    for (i = 0; i < s->n; i++) {
        const cti_turn *t = &s->system.turns[s->factors.component_of[i]];
        cti_v3 u = cti_v3_mul(cti_v3_sub(cti_v3_at(s->system.q, i), cti_v3_at(s->x, i)), 1 / h);
        cti_v3_put(w, i, t->turns ? cti_v3_sub(cti_v3_add(u, t->speed), cti_v3_at(g->v, i)) : cti_v3_zero());
    }
    cti_bsr_mul(&s->system.A, w, Aw);
    cti_geometric_add_terms(s, w, Aw);
    for (i = 0; i < 3 * s->n; i++)
        g->implicit.y[i] += s->bodies.mass[i / 3] * g->implicit.rotation_change[i] - Aw[i], g->dv[i] -= w[i];
}

/* puts it back: dv += w, y += A w. The momentum of free bodies becomes that of y less the collisions' terms, whatever the solve has left. Aw becomes
   that difference */
static void cti_geometric_put_rotation(cti_state *s, ct_real h, const ct_real *w, ct_real *Aw)
{
    cti_geometric *g = cti_geometric_own(s);
    int c, i;
    for (i = 0; i < 3 * s->n; i++) {
        g->dv[i] += w[i], g->implicit.y[i] += Aw[i] - s->bodies.mass[i / 3] * g->implicit.rotation_change[i];
        Aw[i] = -g->implicit.y[i];
    }
    cti_geometric_add_terms(s, g->dv, Aw);
    for (i = 0; i < 3 * s->n; i++)
        Aw[i] = -Aw[i];
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        if (s->system.turns[c].turns)
            cti_balance_momentum(s, h, &s->factors.components[c], Aw, g->dv);
}

/* solves eq. 20 and 21 for dv, theta times the change of velocities, from what is in dv. h: the time of the way, theta times the substep. 0: it did
   not converge */
static int cti_geometric_solve_linear(cti_state *s, ct_real h, int *turns, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real *b = g->implicit.scratch, *work = g->implicit.scratch + 9 * (size_t)s->n, *w = g->implicit.rotation, *Aw = g->implicit.A_rotation;
    cti_operator A, M;
    cti_pcg_rule rule;
    int i, finite;
    if (g->implicit.rotates)
        cti_geometric_take_rotation(s, h, w, Aw);
    cti_geometric_scale_by_mass(s, g->implicit.y, b);
    finite = cti_geometric_scales(s, h, b);
    A.n = M.n = 3 * s->n, A.apply = cti_geometric_apply, A.ctx = M.ctx = s;
    M.apply = cti_geometric_precondition;
    memset(&rule, 0, sizeof rule);
    rule.is_done = cti_geometric_is_solved, rule.ctx = s;
    for (i = 0; i < 3 * s->n; i++)
        g->dv[i] *= cti_sqrt(s->bodies.mass[i / 3]);
    g->implicit.residual = 0;
    cti_pcg_by(&A, &M, b, g->dv, &rule, cti_geometric_tuned.implicit.turns, work, turns);
    r->linear_iterations += *turns;
    r->residual = cti_max(r->residual, finite ? g->implicit.residual : CTI_REAL_MAX);
    cti_geometric_scale_by_mass(s, g->dv, g->dv);
    if (g->implicit.rotates)
        cti_geometric_put_rotation(s, h, w, Aw);
    return finite && g->implicit.residual <= g->implicit.tolerance;
}

CTI_FN int cti_geometric_free_motion(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    int i, turns, c, done;
    h *= cti_geometric_theta(s);
    if (!cti_geometric_renew_factors(s, h))
        return 0;
    cti_geometric_collision_masses(s, h, 1); /* the matrix is the mechanical one, and that of elastics */
    for (i = 0; i < 3 * s->n; i++)
        g->dv[i] = h * g->implicit.free_acceleration[i];
    cti_geometric_right_side(s, h, 1);
    done = cti_geometric_solve_linear(s, h, &turns, r);
    if (turns > cti_geometric_tuned.implicit.renew)
        g->implicit.renewals = cti_geometric_tuned.implicit.renewals;
    for (c = 0; g->implicit.renewals > 0 && c < CTI_LEN(s->factors.components); c++)
        cti_factors_ask(&s->factors.components[c]);
    g->implicit.renewals -= g->implicit.renewals > 0;
    if (!done && r->status < CT_STATUS_BUDGET)
        r->status = CT_STATUS_BUDGET;
    for (i = 0; i < 3 * s->n; i++)
        g->implicit.free_acceleration[i] = g->dv[i] / h;
    return 1;
}

CTI_FN int cti_geometric_integrate(cti_state *s, ct_real h, ct_step_report *r)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real share = cti_geometric_theta(s), error, residual = r->residual;
    int i, round, done, turns;
    cti_geometric_collision_masses(s, share * h, 0);
    memset(g->dv, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    if (s->desc.geometric.active_set > 0)
        cti_geometric_apply_law(s, share * h, 1);
    for (i = 0; i < 3 * s->n; i++)
        g->dv[i] = share * h * g->implicit.free_acceleration[i];
    for (round = 0;; round++) {
        r->residual = residual;
        cti_geometric_right_side(s, share * h, 0);
        done = cti_geometric_solve_linear(s, share * h, &turns, r);
        error = cti_geometric_apply_law(s, share * h, 0);
        if (s->desc.geometric.active_set == 0 || round == cti_geometric_tuned.implicit.rounds || error <= cti_geometric_tuned.implicit.law)
            break;
        cti_geometric_apply_law(s, share * h, 1);
    }
    for (i = 0; i < 3 * g->solve.response.m; i++)
        g->solve.forces.J[i] /= share;
    for (i = 0; i < 3 * s->n; i++)
        g->dv[i] /= share;
    return done;
}
