/* assemble.c -- linearized implicit Euler.
   Method: A = M (1 + dt alpha) + (dt^2 + dt beta) K, b = M v + dt f(x) + kick M g, one Newton iteration at (x, v) (Otaduy 2009, eq. 2-3).
   differs: gravity kicks by (dt + dt_prev) / 2, so that v lives in the middle of steps (Stoermer-Verlet) and a free fall is exact at every
   dt; dt_prev is 0 in a block's first step. Pins: S A S + (I - S), the inverse mass S / m of Volino & Magnenat-Thalmann 2000, sec. 2.2. */
#include "assemble.h"
#include "../1_math/elem.h"

/* position of a pin's script at its time t */
static cti_v3 cti_assemble_script(const cti_pin *p, ct_real t)
{
    cti_v3 w = cti_v3_at(p->motion.angular, 0), c = cti_v3_at(p->motion.center, 0), r = cti_v3_sub(cti_v3_at(p->start, 0), c), axis;
    ct_real rate = cti_v3_norm(w), co, si;
    if (rate > 0) {
        axis = cti_v3_mul(w, 1 / rate);
        co = cti_cos(rate * t), si = cti_sin(rate * t);
        r = cti_v3_add(cti_v3_mad(cti_v3_mul(r, co), cti_v3_cross(axis, r), si), cti_v3_mul(axis, cti_v3_dot(axis, r) * (1 - co)));
    } else
        r = cti_v3_at(p->start, 0), c = cti_v3_zero();
    return cti_v3_mad(cti_v3_add(r, c), cti_v3_at(p->motion.linear, 0), t);
}

/* S of block i restricted further by the axes or projector given: products of commuting diagonal pins; a direction comes alone */
static int cti_assemble_constrain(cti_state *s, int block, const ct_real *S)
{
    int k = s->filter[block], i;
    if (k < 0) {
        k = s->filter[block] = s->n_constrained++;
        if (!CTI_RESIZE(s->mem, s->projectors, 9 * s->n_constrained))
            return 0;
        memcpy(s->projectors + 9 * (size_t)k, S, 9 * sizeof(ct_real));
        return 1;
    }
    for (i = 0; i < 9; i++)
        s->projectors[9 * k + i] *= S[i];
    return 1;
}

CTI_FN int cti_assemble_pins(cti_state *s, ct_real dt)
{
    int i, k;
    memset(s->fixed, 0, (size_t)s->n);
    memset(s->v_fixed, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->n; i++)
        s->filter[i] = -1;
    s->n_constrained = 0;
    for (i = 0; i < CTI_LEN(s->directions); i++)
        if (!cti_assemble_constrain(s, s->directions[i].block, s->directions[i].projector))
            return 0;
    for (i = 0; i < CTI_LEN(s->pins); i++) {
        const cti_pin *p = &s->pins[i];
        cti_v3 target;
        ct_real t[3], S[9];
        if (p->until >= 0 && s->time >= p->until - 1e-9 * (double)dt)
            continue;
        target = cti_assemble_script(p, (ct_real)(s->time - p->t0) + dt);
        t[0] = target.x, t[1] = target.y, t[2] = target.z;
        memset(S, 0, sizeof S);
        for (k = 0; k < 3; k++) {
            S[4 * k] = 1;
            if (p->axes & (1 << k)) {
                S[4 * k] = 0;
                s->v_fixed[3 * p->block + k] = (t[k] - s->x[3 * p->block + k]) / dt;
            }
        }
        if (!cti_assemble_constrain(s, p->block, S))
            return 0;
    }
    for (i = 0; i < s->n; i++)
        if (s->filter[i] >= 0) {
            const ct_real *S = s->projectors + 9 * (size_t)s->filter[i];
            s->fixed[i] = (uint8_t)(S[0] == 0 && S[4] == 0 && S[8] == 0);
        }
    return 1;
}

/* rows and columns of constrained blocks: b -= A v_p, A <- S A S + (I - S) scale, b <- S b + scale v_p */
static void cti_assemble_filter(cti_state *s)
{
    cti_bsr *A = &s->A;
    int i, k, e;
    for (i = 0; i < s->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            if (s->filter[A->col[k]] >= 0) {
                cti_v3 d = cti_m3_mul_v(A->val + 9 * (size_t)k, cti_v3_at(s->v_fixed, A->col[k]));
                cti_v3_addto(s->b, i, cti_v3_mul(d, -1));
            }
    for (i = 0; i < s->n; i++) {
        const ct_real *Si = s->filter[i] >= 0 ? s->projectors + 9 * (size_t)s->filter[i] : NULL;
        ct_real *D = A->val + 9 * (size_t)A->diag[i], scale = (D[0] + D[4] + D[8]) / 3;
        for (k = A->row[i]; k < A->row[i + 1]; k++) {
            int j = A->col[k];
            ct_real *B = A->val + 9 * (size_t)k;
            if (Si) {
                cti_m3 m = cti_m3_mul(Si, B);
                memcpy(B, m.m, sizeof m.m);
            }
            if (s->filter[j] >= 0) {
                cti_m3 m = cti_m3_mul(B, s->projectors + 9 * (size_t)s->filter[j]);
                memcpy(B, m.m, sizeof m.m);
            }
        }
        if (!Si)
            continue;
        for (e = 0; e < 9; e++)
            D[e] += scale * ((e % 4 == 0 ? 1 : 0) - Si[e]);
        cti_v3_put(s->b, i, cti_v3_mad(cti_m3_mul_v(Si, cti_v3_at(s->b, i)), cti_v3_at(s->v_fixed, i), scale));
    }
}

CTI_FN void cti_assemble(cti_state *s, ct_real dt, int *out_extended)
{
    int i, k;
    *out_extended = 0;
    s->energy_elastic = 0;
    cti_bsr_zero(&s->A);
    memset(s->force, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->n_models; i++)
        cti_model_assemble(s->models[i], s->x, dt, s->force, s->A.val, out_extended, &s->energy_elastic);
    for (i = 0; i < s->n; i++) {
        ct_real *D = s->A.val + 9 * (size_t)s->A.diag[i], m = s->mass[i] * (1 + dt * s->alpha[i]), kick = (dt + s->dt_prev[i]) / 2;
        for (k = 0; k < 3; k++) {
            D[4 * k] += m;
            s->b[3 * i + k] = s->mass[i] * (s->v[3 * i + k] + kick * s->desc.gravity[k]) + dt * s->force[3 * i + k];
        }
    }
    if (s->n_constrained)
        cti_assemble_filter(s);
}
