/* law.c -- one contact with all others held fixed: its normal multiplier and its friction pair, alternately.
   Method: with u = u0 + B (r - r0), B = J D^-1 J' of this contact, lambda makes u_n vanish or is 0; then the friction pair makes u_t vanish
   or lies on the cone. Based on: Otaduy 2009, eq. 13-14 and 5.5, steps 3.2.1.1 - 3.2.1.6.
   differs: besides the paper's box, a true pyramid and Coulomb's cone. Where `closes` is set, the last step scales lambda and gamma
   together, in a fixed proportion, until u_n vanishes. */
#include "law.h"
#include "solve_policy.h"

/* inverse of B + compliance on the axes that are equations, 0 elsewhere; it stays 0 where that block is singular */
static void cti_law_equations(cti_law *q)
{
    ct_real C[9], inv[9], top = 0;
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            C[3 * i + j] =
                (q->equations >> i & q->equations >> j & 1) ? q->B[3 * i + j] + (i == j ? q->compliance[i] : 0) : (i == j ? 1 : 0);
    for (i = 0; i < 3; i++)
        top = q->equations >> i & 1 ? cti_max(top, cti_abs(C[3 * i]) + cti_abs(C[3 * i + 1]) + cti_abs(C[3 * i + 2])) : top;
    q->inv_top = top > 0 ? 1 / top : 0;
    memset(q->inv_B, 0, sizeof q->inv_B);
    if (!cti_m3_inverse(C, inv))
        return;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            q->inv_B[3 * i + j] = (q->equations >> i & q->equations >> j & 1) ? inv[3 * i + j] : 0;
}

/* solves all equations of a joint at once; where their bound holds, by a projected step with the inverse of the largest local compliance, as slip */
static void cti_law_join(const cti_law *q, ct_real *r, ct_real *u)
{
    cti_v3 e = cti_v3_make(u[0] + q->compliance[0] * r[0], u[1] + q->compliance[1] * r[1], u[2] + q->compliance[2] * r[2]);
    cti_v3 d = cti_v3_mul(cti_m3_mul_v(q->inv_B, e), -1), c;
    ct_real next[3];
    int k;
    cti_v3_put(next, 0, cti_v3_add(cti_v3_at(r, 0), d));
    if (cti_row_bound(q->most, next)) {
        for (k = 0; k < 3; k++)
            next[k] = q->equations >> k & 1 ? r[k] - q->inv_top * (u[k] + q->compliance[k] * r[k]) : 0;
        cti_row_bound(q->most, next);
        d = cti_v3_sub(cti_v3_at(next, 0), cti_v3_at(r, 0));
    }
    c = cti_m3_mul_v(q->B, d);
    r[0] += d.x, r[1] += d.y, r[2] += d.z;
    u[0] += c.x, u[1] += c.y, u[2] += c.z;
}

/* the reciprocals that a visit needs. 0 where a block is singular, so that its multipliers do not change */
CTI_FN void cti_law_prepare(cti_law *q, const cti_row *row, ct_cone cone)
{
    const ct_real *B = q->B;
    ct_real b11 = B[4] + row->compliance[1], b22 = B[8] + row->compliance[2], det = b11 * b22 - B[5] * B[7], top;
    q->mu = row->mu, q->most = row->most, q->recover = row->recover, q->softness = row->softness;
    q->equations = row->equations;
    memcpy(q->compliance, row->compliance, sizeof q->compliance);
    if (q->equations) {
        cti_law_equations(q);
        return;
    }
    q->inv_n = B[0] > 0 ? 1 / (B[0] + q->compliance[0]) : 0;
    q->inv_soft = B[0] > 0 ? 1 / (B[0] + q->softness) : 0;
    top = (b11 + b22) / 2 + cti_sqrt((b11 - b22) * (b11 - b22) / 4 + B[5] * B[7]);
    q->inv_top = top > 0 ? 1 / top : 0;
    {
        ct_real C[9];
        memcpy(C, B, sizeof C);
        C[0] += q->compliance[0], C[4] += q->compliance[1], C[8] += q->compliance[2];
        q->recover_load = q->recover > 0 ? q->recover / q->softness : 0;
        q->whole = q->mu > 0 && B[0] > 0 && cti_m3_det(C) > cti_solve_tuned.law.regular * C[0] * C[4] * C[8] && cti_m3_inverse(C, q->inv_B);
    }
    memset(q->inv_t, 0, sizeof q->inv_t);
    if (cone == CT_CONE_BOX) {
        q->inv_t[0] = b11 > 0 ? 1 / b11 : 0;
        q->inv_t[3] = b22 > 0 ? 1 / b22 : 0;
    } else if (det > 0) {
        q->inv_t[0] = b22 / det, q->inv_t[3] = b11 / det;
        q->inv_t[1] = -B[5] / det, q->inv_t[2] = -B[7] / det;
    }
}

/* solves the whole 3x3 block: sticking, with a positive normal multiplier inside the cone, in one step. 0 when that is not the solution */
static int cti_law_stick(const cti_law *q, ct_cone cone, ct_real *r, ct_real *u)
{
    const ct_real *I = q->inv_B;
    ct_real e0 = u[0] + q->compliance[0] * r[0], e1 = u[1] + q->compliance[1] * r[1], e2 = u[2] + q->compliance[2] * r[2];
    ct_real a = r[0] - (I[0] * e0 + I[1] * e1 + I[2] * e2), b = r[1] - (I[3] * e0 + I[4] * e1 + I[5] * e2), bound = q->mu * a;
    ct_real c = r[2] - (I[6] * e0 + I[7] * e1 + I[8] * e2);
    /* at u_n = 0 the recovery law requires at least recover / softness */
    if (!(a > q->recover_load))
        return 0;
    if (cone == CT_CONE_CONE ? b * b + c * c > bound * bound
                             : (cone == CT_CONE_BOX ? cti_max(cti_abs(b), cti_abs(c)) > bound : cti_abs(b) + cti_abs(c) > bound))
        return 0;
    u[0] = -q->compliance[0] * a, u[1] = -q->compliance[1] * b, u[2] = -q->compliance[2] * c;
    r[0] = a, r[1] = b, r[2] = c;
    return 1;
}

/* two independent projections, one after the other (5.5) */
static void cti_law_friction_box(const cti_law *q, ct_real bound, ct_real *r, ct_real *u)
{
    int k;
    for (k = 1; k < 3; k++) {
        ct_real d = cti_clamp(r[k] - (u[k] + q->compliance[k] * r[k]) * q->inv_t[k == 1 ? 0 : 3], -bound, bound) - r[k];
        r[k] += d;
        u[0] += q->B[k] * d, u[1] += q->B[3 + k] * d, u[2] += q->B[6 + k] * d;
    }
}

/* the friction pair at a known normal multiplier: both tangential velocities vanish at once if the cone allows it (stick). Otherwise it is
   a projected step with the inverse of the largest local compliance, whose repetition converges to maximal dissipation (slip). u is kept
   consistent */
static void cti_law_friction(ct_cone cone, const cti_law *q, ct_real *r, ct_real *u)
{
    const ct_real *B = q->B;
    ct_real bound = q->mu * r[0], u1 = u[1] + q->compliance[1] * r[1], u2 = u[2] + q->compliance[2] * r[2], d1, d2;
    int k;
    d1 = r[1] - (q->inv_t[0] * u1 + q->inv_t[1] * u2), d2 = r[2] - (q->inv_t[2] * u1 + q->inv_t[3] * u2);
    if (cone == CT_CONE_CONE ? d1 * d1 + d2 * d2 > bound * bound : cti_abs(d1) + cti_abs(d2) > bound) {
        d1 = r[1] - u1 * q->inv_top, d2 = r[2] - u2 * q->inv_top;
        cti_cone_project(cone, bound, &d1, &d2);
    }
    d1 -= r[1], d2 -= r[2];
    r[1] += d1, r[2] += d2;
    for (k = 0; k < 3; k++)
        u[k] += B[3 * k + 1] * d1 + B[3 * k + 2] * d2;
}

/* the normal law along the ray of the present multipliers, with gamma in proportion to lambda. A sliding contact stays on its cone, and u_n
   vanishes exactly, however strongly friction and normal velocity are coupled. A ray along which a larger lambda hardly changes u_n is not
   followed */
static void cti_law_ray(const cti_law *q, ct_real *r, ct_real *u)
{
    const ct_real *B = q->B;
    ct_real inverse = r[0] > 0 ? 1 / r[0] : 0, g1 = r[1] * inverse, g2 = r[2] * inverse, slope = B[0] + B[1] * g1 + B[2] * g2,
            start = u[0] - slope * r[0], l, d;
    int k;
    if (!(r[0] > 0) || !(slope > cti_solve_tuned.law.flat * B[0]) || g1 * g1 + g2 * g2 < cti_solve_tuned.law.slides * q->mu * q->mu)
        return;
    l = -start / (slope + q->compliance[0]);
    if (q->recover > 0)
        l = cti_max(l, (q->recover - start) / (slope + q->softness));
    d = cti_max(0, l) - r[0];
    r[0] += d, r[1] += d * g1, r[2] += d * g2;
    if (r[0] == 0)
        r[1] = r[2] = 0;
    for (k = 0; k < 3; k++)
        u[k] += d * (B[3 * k] + B[3 * k + 1] * g1 + B[3 * k + 2] * g2);
}

/* lambda and gamma of one contact, alternately, `repeats` times (3.2.1.1 - 3.2.1.6). u is the contact's velocity, r its multipliers */
CTI_FN void cti_law_solve(const cti_law *q, ct_cone cone, int repeats, ct_real *r, ct_real *u)
{
    const ct_real *B = q->B;
    int k;
    if (q->equations) {
        cti_law_join(q, r, u);
        return;
    }
    if (r[0] == 0 && r[1] == 0 && r[2] == 0 && u[0] >= 0 && !(q->recover > u[0]))
        return;
    if (q->whole && cti_law_stick(q, cone, r, u))
        return;
    for (k = 0; k < repeats; k++) {
        ct_real l = r[0] - (u[0] + q->compliance[0] * r[0]) * q->inv_n, d;
        if (q->recover > 0)
            l = cti_max(l, r[0] - (u[0] + q->softness * r[0] - q->recover) * q->inv_soft);
        d = cti_max(0, l) - r[0];
        r[0] += d;
        u[0] += B[0] * d, u[1] += B[3] * d, u[2] += B[6] * d;
        if (!(q->mu > 0) || (r[0] == 0 && r[1] == 0 && r[2] == 0))
            return;
        if (cone == CT_CONE_BOX)
            cti_law_friction_box(q, q->mu * r[0], r, u);
        else
            cti_law_friction(cone, q, r, u);
        if (q->closes)
            cti_law_ray(q, r, u);
    }
}
