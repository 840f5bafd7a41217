/* penalty_law.c -- the force of a contact.
   Method: with the depth d and the speed u_n at which the points part, the normal force is f_n = max(0, k d - b u_n): the spring pushes, the
   damper opposes the motion, and their sum never pulls. With the notes' phi = d it is k phi + b phi', phi' = -u_n; the notes' "magnitude" is
   this multiplier of J', which has a sign before it is clamped. The implicit form takes d and u_n at the end of the substep, d = d0 - h u_n:
   an impulse h f = h k d0 - (h^2 k + h b) u_n. Friction: f_t = -(k_f s + b u_t) with the slip s = p - a; on |f_t| > mu f_n it has the size
   mu f_n, and the anchor moves until k_f |s| <= mu f_n.
   Restitution e: in the explicit form by the damper, b = 2 zeta sqrt(k m), for which a mass m on a spring that only pushes parts with e times its
   speed of approach. The implicit form dissipates what a stiff spring stores: there a contact that is hit faster than gravity gives in two substeps
   has the speed e |u_n| at the end of the substep.
   differs: mu f_n in friction is held while velocities are solved for, and then renewed; Xu et al. 2014 differentiate it, which makes the matrix
   unsymmetric. So the implicit form is a sequence of convex minimizations.
   based on: lecture notes 4.4.1; Xu, Zhao, Barbic 2014; Schwager, Poeschel 2007 (restitution of a damped spring that does not pull). */
#include "penalty.h"
#include "../1_math/elem.h"

/* ---- springs ---- */

/* returns the restitution of a damped mass on a spring that only pushes */
static double cti_penalty_restitution(double z)
{
    double w;
    if (z < 1 - 1e-9) {
        w = sqrt(1 - z * z);
        return cti_exp64(-z / w * (cti_acos64(-1.0) - cti_atan2_64(2 * z * w, 1 - 2 * z * z)));
    }
    if (z <= 1 + 1e-9)
        return cti_exp64(-2.0);
    w = sqrt(z * z - 1);
    return cti_exp64(-z / w * cti_log64((z + w) / (z - w)));
}

CTI_FN double cti_penalty_damping_ratio(double restitution)
{
    double lo = 0, hi = cti_penalty_tuned.spring.ratio_most;
    int i;
    if (restitution >= 1)
        return 0;
    if (restitution <= cti_penalty_restitution(hi))
        return hi;
    for (i = 0; i < 60; i++) {
        double mid = (lo + hi) / 2;
        if (cti_penalty_restitution(mid) > restitution)
            lo = mid;
        else
            hi = mid;
    }
    return (lo + hi) / 2;
}

/* returns the harmonic mean of two bodies' values: springs in series, each of twice the value */
static ct_real cti_penalty_mean(ct_real a, ct_real b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

static ct_real cti_penalty_value(ct_real own, ct_real world) { return own >= 0 ? own : world; }

/* returns the stiffness by which a contact of two bodies carries the lighter one alone at a depth of spring.depth */
static ct_real cti_penalty_stiffness(const cti_state *s, int a, int b)
{
    const ct_real *mass = cti_penalty_of(s)->mass;
    ct_real m = mass[a] > 0 && mass[b] > 0 ? cti_min(mass[a], mass[b]) : cti_max(mass[a], mass[b]);
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    return m * (g > 0 ? g : cti_penalty_tuned.spring.weightless) / (cti_penalty_tuned.spring.depth * cti_surface_pair_thickness(&s->surface, a, b));
}

CTI_FN void cti_penalty_springs(const cti_state *s, const cti_row_context *c, const cti_pair *pair, const cti_row *row, cti_penalty_contact *out)
{
    const ct_penalty_desc *d = &s->desc.penalty;
    int a = cti_pair_body_a(&s->surface, pair), b = cti_pair_body_b(&s->surface, pair), i;
    const ct_contact_material *p = &s->surface.bodies[a].contact, *q = &s->surface.bodies[b].contact;
    ct_real k = d->stiffness > 0 ? d->stiffness : cti_penalty_stiffness(s, a, b), damping, kf, soft = 0;
    cti_v3 n = cti_v3_at(row->frame, 0);
    for (i = 0; i < row->n; i++) {
        const cti_term *t = &row->term[i];
        cti_v3 answer = cti_rows_answer(c, t, n);
        soft += t->weight != 0 ? t->weight * cti_v3_dot(answer, n) : cti_v3_dot(answer, cti_v3_cross(cti_v3_at(t->arm, 0), n));
    }
    out->mass = soft > 0 ? 1 / soft : 0;
    out->k = cti_penalty_mean(cti_penalty_value(p->stiffness, k), cti_penalty_value(q->stiffness, k));
    damping = d->damping;
    if (damping < 0) {
        ct_real ratio = d->form == CT_PENALTY_IMPLICIT ? 1 : (ct_real)cti_penalty_damping_ratio((double)s->desc.restitution);
        damping = 2 * ratio * cti_sqrt(out->k * out->mass);
    }
    out->b = cti_penalty_mean(cti_penalty_value(p->damping, damping), cti_penalty_value(q->damping, damping));
    kf = d->friction_stiffness > 0 ? d->friction_stiffness : out->k;
    out->kf = cti_penalty_mean(cti_penalty_value(p->friction_stiffness, kf), cti_penalty_value(q->friction_stiffness, kf));
}

/* ---- the law ---- */

/* sets friction at u, with its c and D. Sliding: r_t = -s g, s = friction_bound / |g|, D = s tangent_slope (I - g g' / |g|^2) is its derivative */
static void cti_penalty_friction(cti_penalty_contact *q, const ct_real *u, ct_real *r)
{
    const cti_penalty_law *law = &q->law;
    ct_real g[2], size, share;
    int i, k;
    r[1] = r[2] = 0;
    if (!(law->friction_bound > 0))
        return;
    for (k = 0; k < 2; k++)
        g[k] = law->tangent_at_rest[k] + law->tangent_slope * u[1 + k];
    size = cti_sqrt(g[0] * g[0] + g[1] * g[1]);
    q->sticks = !(size > law->friction_bound);
    share = q->sticks ? 1 : law->friction_bound / size;
    for (i = 0; i < 2; i++) {
        r[1 + i] = -share * g[i];
        for (k = 0; k < 2; k++)
            q->D[4 + 3 * i + k] = share * law->tangent_slope * ((i == k ? 1 : 0) - (q->sticks ? 0 : g[i] * g[k] / (size * size)));
    }
    for (i = 0; i < 2; i++)
        q->c[1 + i] = r[1 + i] + q->D[4 + 3 * i] * u[1] + q->D[5 + 3 * i] * u[2];
}

/* sets the law of friction, bounded by `most` */
static void cti_penalty_friction_springs(const ct_penalty_desc *d, const cti_penalty_contact *q, ct_real h, ct_real most, int at_start,
                                         cti_penalty_law *law)
{
    int k;
    law->friction_bound = d->friction == CT_PENALTY_FRICTIONLESS ? 0 : most;
    law->tangent_slope = law->tangent_at_rest[0] = law->tangent_at_rest[1] = 0;
    if (!(law->friction_bound > 0))
        return;
    if (d->friction == CT_PENALTY_VELOCITY) { /* viscous below friction_velocity; a force of the start does not turn the motion round */
        law->tangent_slope = most / d->friction_velocity;
        if (at_start)
            law->tangent_slope = cti_min(law->tangent_slope, q->tangential_mass);
        return;
    }
    law->tangent_slope = at_start ? h * q->b : h * h * q->kf + h * q->b;
    for (k = 0; k < 2; k++)
        law->tangent_at_rest[k] = (at_start ? h + q->half_longer : h) * q->kf * q->slip[k];
}

CTI_FN void cti_penalty_impulse(const ct_penalty_desc *d, cti_penalty_contact *q, ct_real mu, ct_real h, const ct_real *u, int at_start, ct_real *r)
{
    cti_penalty_law *law = &q->law;
    memset(q->c, 0, sizeof q->c), memset(q->D, 0, sizeof q->D);
    q->sticks = 0;
    law->normal_at_rest = (at_start ? h + q->half_longer : h) * q->k * q->depth;
    if (q->rebound_speed >= 0 && !at_start)
        law->normal_slope = cti_penalty_tuned.spring.rebound * q->mass, law->normal_at_rest = law->normal_slope * q->rebound_speed;
    else if (at_start)
        law->normal_slope = h * q->b;
    else /* the damper acts from the first touch on */
        law->normal_slope = h * h * q->k + (q->depth >= 0 ? h * q->b : 0);
    r[0] = at_start && !(q->depth > 0) ? 0 : cti_max(0, law->normal_at_rest - law->normal_slope * u[0]);
    if (r[0] > 0)
        q->c[0] = law->normal_at_rest, q->D[0] = law->normal_slope;
    cti_penalty_friction_springs(d, q, h, at_start ? mu * r[0] : q->friction_bound, at_start, law);
    cti_penalty_friction(q, u, r);
}

CTI_FN double cti_penalty_slope(const cti_penalty_law *law, const ct_real *u, const ct_real *along)
{
    double n = (double)(law->normal_at_rest - law->normal_slope * u[0]), sum = n > 0 ? -n * (double)along[0] : 0, g[2], size, share;
    if (!(law->friction_bound > 0))
        return sum;
    g[0] = (double)(law->tangent_at_rest[0] + law->tangent_slope * u[1]), g[1] = (double)(law->tangent_at_rest[1] + law->tangent_slope * u[2]);
    size = sqrt(g[0] * g[0] + g[1] * g[1]);
    share = size > (double)law->friction_bound ? (double)law->friction_bound / size : 1;
    return sum + share * (g[0] * (double)along[1] + g[1] * (double)along[2]);
}

CTI_FN double cti_penalty_energy(const cti_penalty_contact *q, ct_real depth, const ct_real *slip)
{
    double d = depth > 0 ? (double)depth : 0;
    return 0.5 * (double)q->k * d * d + 0.5 * (double)q->kf * ((double)slip[0] * (double)slip[0] + (double)slip[1] * (double)slip[1]);
}

CTI_FN void cti_penalty_advance_springs(const ct_penalty_desc *d, const cti_penalty_contact *q, ct_real mu, ct_real h, const ct_real *u,
                                        const ct_real *r, ct_real *slip, ct_real *depth)
{
    ct_real most = mu * r[0] / (h + q->half_longer), size;
    *depth = q->depth - h * u[0];
    slip[0] = slip[1] = 0;
    if (d->friction != CT_PENALTY_ANCHOR || !(r[0] > 0))
        return;
    slip[0] = q->slip[0] + h * u[1], slip[1] = q->slip[1] + h * u[2];
    size = q->kf * cti_sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
    if (size > most)
        slip[0] *= most / size, slip[1] *= most / size;
}
