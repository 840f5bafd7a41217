/* integrate.c -- Newmark (beta 1/4, gamma 1/2) and BDF2 as A u = b in the average velocity of the step.
   Method: contacts and CCD look at the straight motion x1 = x0 + dt u, so u is the unknown of every scheme; the velocity at the end of the
   step, which the next one starts from, follows from it. F(x, v) = f(x) + M g - C v, C = alpha M + beta K; f is linearized at x0: one Newton
   iteration, as for Euler (Otaduy 2009, eq. 2 - 3, which names Newmark and BDF2).
     Newmark     u = (v0 + v1) / 2,  M (v1 - v0) = dt/2 (F0 + F1): with h = dt/2
                 (M + h C + h^2 K) u = M v0 + h (f + M g),  v1 = u + (u - v0)
     BDF2        w = dt / dt_prev, a = (1 + 2 w) / (1 + w), c = w^2 / (1 + w), s = w / (1 + w), from the quadratics through three positions
                 and through three velocities: v1 = a u - s u', M (a v1 - (1 + w) v0 + c v') = dt F1, u' and v' of the step before: h = dt/a
                 (M + h C + h^2 K) u = M (((1 + w) v0 - c v') / a^2 + s/a u') + h/a (f + M g) + s h/a C u',  v1 = u + s (u - u')
   A free fall is exact in both. BDF2 starts with a step of Newmark. differs: not with one of Euler, whose end velocity is u.
   Contacts: let w = u - u_free be what contacts (and joints) did to a block. The end velocity's e = s (u - r) would mirror a blow, and a body
   that u stops would leave: so e loses p w, with p in [0, s] such that nothing of e is left along the contact's normal n. What hits stays
   (p = s); a body that rests or slides has no e along n (p = 0), so that a lasting contact's force and friction are those of the scheme; a
   node that contacts do not touch has w = 0, and one far from them w = O(dt^3): the order stays. n is the direction of the block's own
   normal impulses, else of its body's, else that of w. (Kane, Repetto, Ortiz, Marsden 1999: contact is implicit, whatever the rest
   is.) BDF2 would also feel the speed before the blow a step later: the part of the jump in v along n is taken over into its history, as if
   the block had always had it.
   differs: rigid bodies have no stiffness and keep their own step. */
#include "integrate.h"

CTI_FN int cti_integrate_reserve(cti_state *s)
{
    cti_history *q = &s->history;
    int i, k, n3 = 3 * s->n, two = s->desc.integrator == CT_INTEGRATOR_BDF2 ? n3 : 0;
    if (s->desc.integrator == CT_INTEGRATOR_EULER)
        return 1;
    if (!CTI_RESIZE(s->mem, q->v_end, n3) || !CTI_RESIZE(s->mem, q->v0, two) || !CTI_RESIZE(s->mem, q->u0, two) ||
        !CTI_RESIZE(s->mem, q->model_of, s->n) || !CTI_RESIZE(s->mem, q->block, s->n_models) || !CTI_RESIZE(s->mem, q->reset, s->n_models))
        return 0;
    for (i = 0; i < s->n; i++)
        q->model_of[i] = -1;
    /* a body's blocks are all from its smallest node number to its largest */
    for (k = 0; k < s->n_models; k++) {
        const cti_model *m = s->models[k];
        const int32_t *list = m->tets.n ? m->tets.node : m->membrane.node;
        int32_t lo = INT32_MAX, hi = -1;
        for (i = 0; i < CTI_LEN(list); i++) {
            lo = list[i] < lo ? list[i] : lo;
            hi = list[i] > hi ? list[i] : hi;
        }
        q->block[k] = hi < 0 ? 0 : lo;
        q->reset[k] = 0;
        for (i = lo; i <= hi; i++)
            q->model_of[i] = k;
    }
    return 1;
}

CTI_FN void cti_integrate_free(cti_state *s)
{
    cti_history *q = &s->history;
    CTI_FREE(s->mem, q->v_end), CTI_FREE(s->mem, q->v0), CTI_FREE(s->mem, q->u0);
    CTI_FREE(s->mem, q->model_of), CTI_FREE(s->mem, q->block), CTI_FREE(s->mem, q->reset);
}

CTI_FN void cti_integrate_remove(cti_state *s, int b0, int n)
{
    cti_history *q = &s->history;
    int have = CTI_LEN(q->v0) / 3; /* blocks that joined later have no history yet */
    size_t tail = (size_t)(have - b0 - n);
    if (b0 + n > have)
        return;
    memmove(q->v0 + 3 * b0, q->v0 + 3 * (b0 + n), sizeof(ct_real) * 3 * tail);
    memmove(q->u0 + 3 * b0, q->u0 + 3 * (b0 + n), sizeof(ct_real) * 3 * tail);
    stbds_header(q->v0)->length = stbds_header(q->u0)->length = 3 * (size_t)(have - n);
}

CTI_FN int cti_integrate_is_plain(const cti_state *s, int block)
{
    return s->desc.integrator == CT_INTEGRATOR_EULER || s->history.model_of[block] < 0;
}

/* the coefficients of a block that is not plain; the same for all blocks of a body */
static void cti_integrate_scheme(const cti_state *s, int block, ct_real dt, cti_scheme *out)
{
    ct_real dt_prev = s->dt_prev[block], w, a, c;
    memset(out, 0, sizeof *out);
    if (s->desc.integrator == CT_INTEGRATOR_NEWMARK || !(dt_prev > 0)) {
        out->newmark = 1;
        out->h = out->f_ = dt / 2, out->v_ = out->s = 1;
        out->share = CTI_R(0.5);
        return;
    }
    w = dt / dt_prev, a = (1 + 2 * w) / (1 + w), c = w * w / (1 + w);
    out->s = w / (1 + w), out->h = dt / a;
    out->v_ = (1 + w) / (a * a), out->v0_ = -c / (a * a), out->u_ = out->s / a;
    out->f_ = out->h / a, out->c_ = out->s * out->h / a;
    out->share = 1;
}

CTI_FN ct_real cti_integrate_h(const cti_state *s, int block, ct_real dt)
{
    cti_scheme c;
    if (cti_integrate_is_plain(s, block))
        return dt;
    cti_integrate_scheme(s, block, dt, &c);
    return c.h;
}

CTI_FN ct_real cti_integrate_reaction_factor(const cti_state *s, int block, ct_real dt)
{
    cti_scheme c;
    if (cti_integrate_is_plain(s, block))
        return 1;
    cti_integrate_scheme(s, block, dt, &c);
    return dt / c.f_; /* a force that acts over dt is in b with f_ */
}

/* b of one block, and the mass in its A; Ku is K' u0 with K' = (h^2 + h beta) K, or NULL */
static void cti_integrate_block(cti_state *s, int i, const cti_scheme *c, ct_real beta, const ct_real *Ku)
{
    const cti_history *q = &s->history;
    ct_real *D = s->A.val + 9 * (size_t)s->A.diag[i], m = s->mass[i], damp = c->h * c->h + c->h * beta;
    int k;
    for (k = 3 * i; k < 3 * i + 3; k++) {
        ct_real v = c->v_ * s->v[k], fall = c->f_ * s->desc.gravity[k - 3 * i];
        if (!c->newmark)
            v += c->v0_ * q->v0[k] + c->u_ * q->u0[k];
        q->v_end[k] = v + fall; /* where the free motion starts */
        s->b[k] = m * (v + fall) + c->f_ * s->force[k];
        if (Ku)
            s->b[k] += c->c_ * (s->alpha[i] * m * q->u0[k] + (damp > 0 ? beta / damp * Ku[k] : 0));
        D[4 * (k - 3 * i)] += m * (1 + c->h * s->alpha[i]);
    }
}

CTI_FN void cti_integrate_assemble(cti_state *s, ct_real dt, int *out_extended)
{
    const cti_history *q = &s->history;
    ct_real *Ku = NULL;
    int i, k;
    /* stiffness and forces, body by body: bodies may be at different places in their history */
    for (k = 0; k < s->n_models; k++) {
        cti_scheme c;
        cti_integrate_scheme(s, q->block[k], dt, &c);
        cti_model_ahead(s->models[k], dt, c.share, s->v);
        cti_model_assemble(s->models[k], s->x, c.h, s->force, s->A.val, out_extended, &s->energy_elastic);
    }
    if (s->desc.integrator == CT_INTEGRATOR_BDF2) {
        Ku = s->pcg_work;
        cti_bsr_mul(&s->A, q->u0, Ku);
    }
    for (i = 0; i < s->n; i++) {
        cti_scheme c;
        const cti_model *m;
        if (cti_integrate_is_plain(s, i)) {
            ct_real *D = s->A.val + 9 * (size_t)s->A.diag[i], mass = s->mass[i] * (1 + dt * s->alpha[i]), kick = (dt + s->dt_prev[i]) / 2;
            for (k = 0; k < 3; k++) {
                D[4 * k] += mass;
                s->b[3 * i + k] = s->mass[i] * (s->v[3 * i + k] + kick * s->desc.gravity[k]);
            }
            continue;
        }
        m = s->models[q->model_of[i]];
        cti_integrate_scheme(s, i, dt, &c);
        cti_integrate_block(s, i, &c, m->tets.n ? m->tets.damping_stiffness : m->membrane.damping_stiffness, c.newmark ? NULL : Ku);
    }
}

CTI_FN ct_real cti_integrate_gain(const cti_state *s, int block, int k, ct_real dt)
{
    if (cti_integrate_is_plain(s, block))
        return s->desc.gravity[k] * ((dt + s->dt_prev[block]) / 2);
    return s->history.v_end[3 * block + k] - s->v[3 * block + k];
}

CTI_FN void cti_integrate_watch(cti_state *s)
{
    if (s->desc.integrator != CT_INTEGRATOR_EULER && s->n)
        memcpy(s->history.v_end, s->v_new, sizeof(ct_real) * 3 * (size_t)s->n);
}

CTI_FN void cti_integrate_reset_block(cti_state *s, int block)
{
    cti_history *q = &s->history;
    if (s->desc.integrator != CT_INTEGRATOR_EULER && q->model_of[block] >= 0)
        q->reset[q->model_of[block]] = 1;
}

CTI_FN void cti_integrate_reset(cti_state *s, int all)
{
    cti_history *q = &s->history;
    int i;
    for (i = 0; s->desc.integrator != CT_INTEGRATOR_EULER && i < 3 * s->n; i++)
        if (q->model_of[i / 3] >= 0 && (all || !(q->v_end[i] == s->v_new[i])))
            q->reset[q->model_of[i / 3]] = 1;
}

/* N [3 n]: sums of the blocks' normal impulses; total [4 models]: those of bodies, and the sum of their sizes */
static void cti_integrate_normals(const cti_state *s, ct_real *N, ct_real *total)
{
    int i, k;
    memset(N, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    memset(total, 0, sizeof(ct_real) * 4 * (size_t)s->n_models);
    for (i = 0; i < CTI_LEN(s->rows); i++)
        for (k = 0; k < s->rows[i].n; k++) {
            const cti_term *t = &s->rows[i].term[k];
            const ct_real *r = s->rows[i].r, *frame = s->rows[i].frame;
            /* of a joint all of its impulse: its frame has no normal */
            cti_v3 q = s->rows[i].equations ? cti_m3_mul_tv(frame, cti_v3_at(r, 0)) : cti_v3_mul(cti_v3_at(frame, 0), r[0]);
            int m = s->history.model_of[t->block];
            q = cti_v3_mul(q, t->weight);
            cti_v3_addto(N, t->block, q);
            if (m < 0)
                continue;
            total[4 * m] += q.x, total[4 * m + 1] += q.y, total[4 * m + 2] += q.z;
            total[4 * m + 3] += cti_v3_norm(q);
        }
}

/* the direction in which contacts hold a block that they moved by w, |w| > 0; w . n > 0 */
static cti_v3 cti_integrate_normal(const cti_state *s, int i, cti_v3 w, const ct_real *N, const ct_real *total)
{
    const ct_real *body = total + 4 * (size_t)s->history.model_of[i];
    cti_v3 n = cti_v3_at(N, i);
    if (!(cti_v3_norm2(n) > 0) && cti_v3_norm(cti_v3_make(body[0], body[1], body[2])) > CTI_R(0.5) * body[3])
        n = cti_v3_make(body[0], body[1], body[2]);
    n = cti_v3_unit(n, w);
    return cti_v3_dot(n, w) > CTI_R(0.1) * cti_v3_norm(w) ? n : cti_v3_unit(w, w);
}

/* the end velocity of one block, and BDF2's history */
static void cti_integrate_close(cti_state *s, int i, const cti_scheme *c, const ct_real *N, const ct_real *total)
{
    cti_history *q = &s->history;
    cti_v3 u = cti_v3_at(s->v_new, i), v = cti_v3_at(s->v, i), r = c->newmark ? v : cti_v3_at(q->u0, i), e, w, n, jump = cti_v3_zero();
    ct_real held = 0;
    w = cti_v3_sub(u, cti_v3_at(s->v_free, i));
    e = cti_v3_mul(cti_v3_sub(u, r), c->s);
    n = cti_v3_zero();
    if (cti_v3_norm2(w) > 0) {
        n = cti_integrate_normal(s, i, w, N, total);
        held = cti_v3_dot(w, n);
    }
    if (held > 0)
        e = cti_v3_mad(e, w, -cti_clamp(cti_v3_dot(e, n) / held, 0, c->s));
    /* scripted axes have the script's velocity */
    if (s->n_constrained && s->filter[i] >= 0)
        e = cti_m3_mul_v(s->projectors + 9 * (size_t)s->filter[i], e);
    e = cti_v3_add(u, e);
    if (held > 0)
        jump = cti_v3_mul(w, cti_clamp(cti_v3_dot(cti_v3_sub(e, v), n) / held, 0, 1));
    cti_v3_put(q->v_end, i, e);
    if (s->desc.integrator == CT_INTEGRATOR_BDF2) {
        cti_v3_put(q->v0, i, cti_v3_add(v, jump));
        cti_v3_put(q->u0, i, u);
    }
}

CTI_FN const ct_real *cti_integrate_end(cti_state *s, ct_real dt)
{
    ct_real *N = s->pcg_work, *total = N + 3 * (size_t)s->n; /* there is room for 12 n */
    int i;
    if (s->desc.integrator == CT_INTEGRATOR_EULER)
        return s->v_new;
    cti_integrate_normals(s, N, total);
    for (i = 0; i < s->n; i++) {
        cti_scheme c;
        if (s->history.model_of[i] < 0 || s->history.reset[s->history.model_of[i]]) {
            cti_v3_put(s->history.v_end, i, cti_v3_at(s->v_new, i));
            continue;
        }
        cti_integrate_scheme(s, i, dt, &c);
        cti_integrate_close(s, i, &c, N, total);
    }
    return s->history.v_end;
}

CTI_FN void cti_integrate_forget(cti_state *s)
{
    cti_history *q = &s->history;
    int i;
    if (s->desc.integrator == CT_INTEGRATOR_EULER)
        return;
    for (i = 0; i < s->n; i++)
        if (q->model_of[i] >= 0 && q->reset[q->model_of[i]])
            s->dt_prev[i] = 0;
    for (i = 0; i < s->n_models; i++)
        q->reset[i] = 0;
}

CTI_FN void cti_integrate_clear(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->history.reset); i++)
        s->history.reset[i] = 0;
}
