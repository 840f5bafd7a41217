/* barrier_rule.c -- implicit Euler, Newmark, BDF2 and the midpoint rule as incremental potentials: they differ in y^, in the weights of the forces'
   potentials, and in the velocity at the end. With h the step, V the bodies' potential, C the others (contacts, rigid bodies' stiffness), f external:
     EULER     y^ = y0 + h v0 + h^2 M^-1 f,                      E = 1/2 |y - y^|^2 + h^2 V(y) + h^2 C(y),                v1 = (y - y0) / h
     BDF2      y^ = p + k ((1 + w) v0 - c v') / a + k^2 M^-1 f,  E = 1/2 |y - y^|^2 + k^2 V(y) + k^2 C(y),                v1 = (y - p) / k,
               p = y0 + s k u', k = h / a, w = h / h', a = (1 + 2 w) / (1 + w), c = w^2 / (1 + w), s = w / (1 + w); v', u', h' of the step before:
               its velocity at the start, its average velocity, its length
     NEWMARK   y^ = y0 + h v0 + h^2 M^-1 (f / 2 - grad V(y0) / 4), E = 1/2 |y - y^|^2 + h^2 / 4 V(y) + h^2 / 2 C(y),      v1 = 2 (y - y0) / h - v0
     MIDPOINT  y^ = y0 + h v0 + h^2 / 2 M^-1 f,                  E = 1/2 |y - y^|^2 + h^2 V((y0 + y) / 2) + h^2 / 2 C(y), v1 = 2 (y - y0) / h - v0
   Damping acts at (y - r) / span: y - y0 over h, but BDF2's y - p over k. BDF2 starts with a step of Newmark. Where a step before is known of some
   blocks only, those without have it in BDF2's step, whose potentials have the weight k^2 for all:
     NEW       y^ = y0 + h v0 + (h^2 / 2 - k^2) M^-1 (f - grad V(y0)) + k^2 M^-1 f,   v1 = 2 (y - y0) / h - v0,   r = y0 + s k v0
   It is of second order like Newmark, whose k^2 is h^2 / 4. So bodies that are added change no others.
   Rigid bodies: A's columns in y^ are those that the free rotation, which keeps its angular momentum and its energy, makes of y0's, and the angular
   momentum at the end is L0 + h / C's weight sum M a x (a - a^). The stiffness has no moment, since its gradient is A times a symmetric matrix. So
   L changes by the moments of forces alone. BDF2 treats the columns as nodes.
   differs: in Newmark and midpoint C acts at the end of the step and for all of it. So the end, not the middle, is free of intersections; and a
   convex C gives no energy: v1 and v0 have the mean (y - y0) / h, so its work -grad C(y) (y - y0) is at most C(y0) - C(y).
   based on: lecture notes 4.3.2; Kane, Repetto, Ortiz, Marsden 1999 (contacts implicit, whatever the rest is); Hairer, Wanner, Solving ODEs II. */
#include "barrier.h"

/* Newmark and midpoint */
static void cti_barrier_rule_halves(cti_barrier *b, ct_real h, int newmark)
{
    int i;
    b->rule.c = h / 2, b->rule.at = newmark ? 1 : CTI_R(0.5), b->rule.force = newmark ? h * h / 4 : h * h / 2, b->rule.contact = h * h / 2;
    b->rule.span = h, b->rule.share = CTI_R(0.5);
    for (i = 0; i < 3 * b->n; i++) {
        b->rule.p[i] = b->y0[i] + h / 2 * b->rule.rate[i];
        b->rule.r[i] = b->y0[i];
        b->y_hat[i] = b->y0[i] + h * b->rule.rate[i];
    }
}

/* 1 where the step before is known of block i of the state */
static int cti_barrier_rule_knows(const cti_state *s, int i)
{
    const cti_rigid *r = s->bodies.rigid_of[i] >= 0 ? &s->bodies.rigids[s->bodies.rigid_of[i]] : NULL;
    return s->history.dt_prev[i] > 0 &&
           (!r || (cti_affine_is_known(r) && memcmp(r->affine_v, s->v + 3 * (size_t)r->block, sizeof r->affine_v) == 0));
}

/* y^ += weight M^-1 f(y0), of all blocks or of those without a step before */
static void cti_barrier_rule_start(cti_state *s, ct_real h, ct_real weight, int all)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k, extended;
    memset(s->system.A.val, 0, sizeof(ct_real) * 9 * (size_t)s->system.A.row[s->n]);
    memset(s->system.force, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->bodies.n_models; i++) {
        cti_model_ahead(s->bodies.models[i], h, b->rule.share, NULL);
        cti_model_assemble(s->bodies.models[i], s->x, h, s->system.force, s->system.A.val, &extended, NULL);
    }
    for (i = 0; i < s->n; i++)
        for (k = 0; s->bodies.rigid_of[i] < 0 && (all || !cti_barrier_rule_knows(s, i)) && k < 3; k++)
            b->y_hat[3 * b->layout.block_of[i] + k] += weight * s->bodies.inv_mass[i] * s->system.force[3 * i + k];
}

/* length of the step before; 0: it is known of no block */
static ct_real cti_barrier_rule_last(const cti_state *s)
{
    int i;
    for (i = 0; i < s->n; i++)
        if (cti_barrier_rule_knows(s, i))
            return s->history.dt_prev[i];
    return 0;
}

/* the step before of a block of y: its velocity at the start and on average */
static void cti_barrier_rule_before(const cti_state *s, int i, int k, cti_v3 *v, cti_v3 *u)
{
    const cti_rigid *r = k ? &s->bodies.rigids[s->bodies.rigid_of[i]] : NULL;
    *v = r ? cti_v3_make(r->affine_v0[k - 1], r->affine_v0[2 + k], r->affine_v0[5 + k]) : cti_v3_at(s->history.v0, i);
    *u = r ? cti_v3_make(r->affine_u0[k - 1], r->affine_u0[2 + k], r->affine_u0[5 + k]) : cti_v3_at(s->history.u0, i);
}

/* block k of block i of the state, of which no step before is known, in BDF2's step, whose c is c; share: of y - y0 in p */
static void cti_barrier_rule_new(cti_state *s, int i, int k, ct_real h, ct_real share)
{
    cti_barrier *b = cti_barrier_own(s);
    int at = b->layout.block_of[i] + k;
    cti_v3 y0 = cti_v3_at(b->y0, at), rate = cti_v3_at(b->rule.rate, at), pull = cti_v3_zero();
    if (k == 0)
        pull = cti_v3_at(s->desc.gravity, 0);
    cti_v3_put(b->rule.p, at, cti_v3_mad(y0, rate, h / 2));
    cti_v3_put(b->rule.r, at, cti_v3_mad(y0, rate, share * b->rule.c));
    cti_v3_put(b->y_hat, at, cti_v3_mad(cti_v3_mad(y0, rate, h), pull, h * h / 2 - b->rule.c * b->rule.c));
}

static void cti_barrier_rule_bdf2(cti_state *s, ct_real h, ct_real before)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real w = h / before, a = (1 + 2 * w) / (1 + w), c = w * w / (1 + w), k2 = h / a;
    int i, k, at, anew = 0;
    b->rule.c = b->rule.span = k2, b->rule.at = b->rule.share = 1, b->rule.force = b->rule.contact = k2 * k2;
    for (i = 0; i < s->n; i++)
        for (k = 0; b->layout.block_of[i] >= 0 && k < (s->bodies.rigid_of[i] < 0 ? 1 : 4); k++) {
            cti_v3 v, u, p;
            at = b->layout.block_of[i] + k;
            b->rule.fresh[at] = !cti_barrier_rule_knows(s, i);
            if (b->rule.fresh[at]) {
                cti_barrier_rule_new(s, i, k, h, w / (1 + w));
                anew = 1;
                continue;
            }
            cti_barrier_rule_before(s, i, k, &v, &u);
            p = cti_v3_mad(cti_v3_at(b->y0, at), u, w / (1 + w) * k2);
            cti_v3_put(b->rule.p, at, p);
            cti_v3_put(b->rule.r, at, p);
            cti_v3_put(b->y_hat, at, cti_v3_mad(cti_v3_mad(p, cti_v3_at(b->rule.rate, at), (1 + w) / a * k2), v, -c / a * k2));
        }
    if (anew)
        cti_barrier_rule_start(s, h, h * h / 2 - k2 * k2, 0);
}

/* A of rigid body k in y^: where its free rotation takes A at y0 */
static void cti_barrier_rule_turn(const cti_state *s, int k, ct_real h)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_rigid r = s->bodies.rigids[k];
    ct_real from[9], to[9];
    int j, at = b->layout.affines[k].block;
    cti_rigid_free(&r, h);
    cti_rigid_go(&r, cti_v3_at(r.w_mid, 0), h);
    cti_rigid_matrix(r.q, from), cti_rigid_matrix(r.q_new, to);
    for (j = 1; j < 4; j++)
        cti_v3_put(b->y_hat, at + j, cti_m3_mul_v(to, cti_m3_mul_tv(from, cti_v3_at(b->y0, at + j))));
}

static void cti_barrier_rule_euler(cti_barrier *b, ct_real h)
{
    int i;
    b->rule.c = b->rule.span = h, b->rule.at = b->rule.share = 1, b->rule.force = b->rule.contact = h * h;
    for (i = 0; i < 3 * b->n; i++) {
        b->rule.p[i] = b->rule.r[i] = b->y0[i];
        b->y_hat[i] = b->y0[i] + h * b->rule.rate[i];
    }
}

CTI_FN void cti_barrier_rule_make(cti_state *s, ct_real h)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_integrator kind = s->desc.integrator;
    ct_real before = kind == CT_INTEGRATOR_BDF2 ? cti_barrier_rule_last(s) : 0;
    int i, k;
    if (kind == CT_INTEGRATOR_BDF2 && !(before > 0))
        kind = CT_INTEGRATOR_NEWMARK;
    memset(b->rule.fresh, 0, (size_t)b->n);
    if (kind == CT_INTEGRATOR_EULER)
        cti_barrier_rule_euler(b, h);
    else if (kind == CT_INTEGRATOR_BDF2)
        cti_barrier_rule_bdf2(s, h, before);
    else
        cti_barrier_rule_halves(b, h, kind == CT_INTEGRATOR_NEWMARK);
    if (kind == CT_INTEGRATOR_NEWMARK)
        cti_barrier_rule_start(s, h, h * h / 4, 1);
    for (i = 0; s->desc.integrator != CT_INTEGRATOR_BDF2 && i < CTI_LEN(s->bodies.rigids); i++)
        cti_barrier_rule_turn(s, i, h);
    /* gravity acts on nodes and on centres of mass, not on the columns of A; rule.contact is its weight, too */
    for (i = 0; i < s->n; i++)
        for (k = 0; b->layout.block_of[i] >= 0 && k < 3; k++)
            b->y_hat[3 * b->layout.block_of[i] + k] += b->rule.contact * s->desc.gravity[k];
}

CTI_FN cti_v3 cti_barrier_rule_end(const cti_barrier *b, int block)
{
    cti_v3 d = cti_v3_sub(cti_v3_at(b->y, block), cti_v3_at(b->rule.p, block));
    ct_real c = cti_barrier_rule_c(b, block);
    return cti_v3_make(d.x / c, d.y / c, d.z / c);
}

CTI_FN void cti_barrier_rule_keep(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k, j;
    for (i = 0; s->desc.integrator == CT_INTEGRATOR_BDF2 && i < s->n; i++)
        for (k = 0; b->layout.block_of[i] >= 0 && k < (s->bodies.rigid_of[i] < 0 ? 1 : 4); k++) {
            int at = b->layout.block_of[i] + k;
            ct_real u[3];
            cti_v3_put(u, 0, cti_v3_mul(cti_v3_sub(cti_v3_at(b->y, at), cti_v3_at(b->y0, at)), 1 / b->h));
            for (j = 0; k && j < 3; j++) {
                cti_rigid *r = &s->bodies.rigids[s->bodies.rigid_of[i]];
                r->affine_v0[3 * j + k - 1] = b->rule.rate[3 * at + j], r->affine_u0[3 * j + k - 1] = u[j];
            }
            if (k == 0) {
                cti_v3_put(s->history.v0, i, cti_v3_at(b->rule.rate, at));
                cti_v3_put(s->history.u0, i, cti_v3_at(u, 0));
            }
        }
}
