/* mechanism_speed.c -- velocities of a mechanism at an instant, and energies.
   Method: v <- v - M^-1 J' (J M^-1 J' + C)^-1 (J v - rates), the nearest velocities in the metric of the masses that the joints allow. It keeps
   linear and angular momentum of a free mechanism, and so does a scaling of the motion relative to the common rigid one.
   Based on: Andersen 1983 (RATTLE, the second half); Hairer, Lubich, Wanner 2006, IV.4 (projection on invariants). */
#include "mechanism.h"
#include "joint.h"

CTI_FN void cti_mechanism_rate(cti_mechanism_body *b, int end, double *w)
{
    cti_mechanism_inertia(end ? b->R1 : b->R, b->inertia, b->D);
    if (!cti_d3_inverse(b->D, b->inverse))
        memset(b->inverse, 0, sizeof b->inverse);
    cti_d3_mul(b->inverse, end ? b->spin1 : b->spin, w);
}

CTI_FN double cti_mechanism_kinetic(cti_mechanism *m, int end)
{
    double sum = 0, w[3];
    int i;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_mechanism_body *b = &m->bodies[i];
        const double *v = end ? b->v1 : b->v;
        cti_mechanism_rate(b, end, w);
        sum += (b->mass * cti_d3_dot(v, v) + cti_d3_dot(w, end ? b->spin1 : b->spin)) / 2;
    }
    return sum;
}

/* right <- the rows' velocities that are prescribed; momenta are what the equations lack, since D^-1 of them are the velocities */
static void cti_mechanism_miss(cti_mechanism *m, int end, int rated)
{
    int i, k;
    for (i = 0; i < CTI_LEN(m->rows); i++) {
        for (k = 0; k < 3; k++)
            m->right[3 * i + k] = rated ? m->rows[i].rate[end][k] : 0;
        cti_mechanism_across(&m->rows[i], m->right + 3 * (size_t)i);
    }
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_mechanism_body *b = &m->bodies[i];
        memset(b->lack, 0, sizeof b->lack);
        b->slow = 0;
        cti_d3_add(b->lack, end ? b->v1 : b->v, -b->mass), cti_d3_add(b->lack + 3, end ? b->spin1 : b->spin, -1);
    }
}

CTI_FN void cti_mechanism_clean(cti_mechanism *m, int end, int rated)
{
    double v[3], w[3];
    int i;
    cti_mechanism_miss(m, end, rated);
    cti_mechanism_unknowns(m);
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        cti_mechanism_body *b = &m->bodies[i];
        memset(b->lack, 0, sizeof b->lack);
        cti_mechanism_change(m, i, m->x, v, w);
        cti_d3_add(end ? b->v1 : b->v, v, 1);
        cti_d3_mul(b->D, w, w);
        cti_d3_add(end ? b->spin1 : b->spin, w, 1);
    }
}

CTI_FN double cti_mechanism_project(cti_mechanism *m, int end)
{
    static const double straight[3] = {0, 0, 0};
    double before = cti_mechanism_kinetic(m, end);
    int i, side;
    for (i = 0; i < CTI_LEN(m->rows); i++) {
        cti_mechanism_row_at(m, &m->rows[i], 0, end);
        for (side = 0; side < 2; side++)
            cti_mechanism_slopes(&m->rows[i], side, m->rows[i].arm[side], straight);
    }
    for (i = 0; i < CTI_LEN(m->bodies); i++)
        m->bodies[i].slow = 0;
    if (cti_mechanism_factor(m, 1, 0))
        cti_mechanism_clean(m, end, 1);
    return before - cti_mechanism_kinetic(m, end);
}

CTI_FN void cti_mechanism_note(cti_mechanism *m)
{
    int i;
    for (i = 0; i < CTI_LEN(m->rows); i++)
        cti_d3_add(m->rows[i].noted, m->x + 3 * (size_t)i, 1);
}

/* the motion at the end that the bodies would have as one, about their centre of mass */
typedef struct cti_mechanism_common {
    double mass, center[3], speed[3], rate[3];
} cti_mechanism_common;

static void cti_mechanism_join(cti_mechanism *m, cti_mechanism_common *c)
{
    double spin[3] = {0, 0, 0}, I[9], inverse[9], r[3], v[3], M[3];
    int i, k;
    memset(c, 0, sizeof *c), memset(I, 0, sizeof I);
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        const cti_mechanism_body *b = &m->bodies[i];
        c->mass += b->mass;
        cti_d3_add(c->center, b->x1, b->mass), cti_d3_add(c->speed, b->v1, b->mass);
    }
    for (k = 0; k < 3; k++)
        c->center[k] /= c->mass, c->speed[k] /= c->mass;
    for (i = 0; i < CTI_LEN(m->bodies); i++) {
        const cti_mechanism_body *b = &m->bodies[i];
        memcpy(r, b->x1, sizeof r), memcpy(v, b->v1, sizeof v);
        cti_d3_add(r, c->center, -1), cti_d3_add(v, c->speed, -1);
        cti_d3_cross(r, v, M);
        cti_d3_add(spin, M, b->mass), cti_d3_add(spin, b->spin1, 1);
        for (k = 0; k < 9; k++)
            I[k] += b->D[k] + b->mass * ((k % 4 == 0 ? cti_d3_dot(r, r) : 0) - r[k / 3] * r[k % 3]);
    }
    if (cti_d3_inverse(I, inverse))
        cti_d3_mul(inverse, spin, c->rate);
}

CTI_FN double cti_mechanism_scale(cti_mechanism *m, double change)
{
    cti_mechanism_common c;
    double apart = 0, factor, v[3], w[3], r[3], all = cti_mechanism_kinetic(m, 1);
    int i, pass, held = 0;
    for (i = 0; i < CTI_LEN(m->rows); i++)
        held |= m->rows[i].body[0] < 0 || m->rows[i].body[1] < 0;
    cti_mechanism_join(m, &c);
    if (held)
        memset(c.speed, 0, sizeof c.speed), memset(c.rate, 0, sizeof c.rate);
    for (factor = 0, pass = 0; pass < 2; pass++) {
        for (i = 0; i < CTI_LEN(m->bodies); i++) {
            cti_mechanism_body *b = &m->bodies[i];
            cti_mechanism_rate(b, 1, w);
            memcpy(r, b->x1, sizeof r), memcpy(v, b->v1, sizeof v);
            cti_d3_add(r, c.center, -1);
            cti_d3_cross(c.rate, r, r);
            cti_d3_add(v, r, -1), cti_d3_add(v, c.speed, -1), cti_d3_add(w, c.rate, -1);
            cti_d3_mul(b->D, w, r);
            apart += pass ? 0 : (b->mass * cti_d3_dot(v, v) + cti_d3_dot(w, r)) / 2;
            cti_d3_add(b->v1, v, factor), cti_d3_add(b->spin1, r, factor);
        }
        /* bodies that move as one have rounding for a relative motion, which does not grow to give energy: it is doubled at most */
        factor = apart > 0 ? cti_fmin(1, sqrt(cti_fmax(0, 1 + change / apart)) - 1) : 0;
    }
    return cti_mechanism_kinetic(m, 1) - all;
}

CTI_FN double cti_mechanism_work(const cti_mechanism *m, double dt)
{
    double sum = 0, d[3];
    int i, side;
    for (i = 0; i < CTI_LEN(m->rows); i++) {
        cti_mechanism_row q = m->rows[i];
        memcpy(d, q.f, sizeof d);
        cti_mechanism_row_at(m, &q, 0, 0);
        cti_d3_add(q.error, m->rows[i].error, -1);
        sum -= q.is_soft ? 2 * cti_d3_dot(d, q.error) : 0;
        for (side = 0; side < 2; side++) {
            if (q.body[side] >= 0)
                continue;
            memcpy(q.error, q.point[side][1], sizeof q.error);
            cti_d3_add(q.error, q.point[side][0], -1);
            if (q.part)
                cti_joint_apart(q.triad[side][1], q.triad[side][0], 0, q.error);
            sum += (side ? 2 : -2) * (q.part ? q.lever : 1) * cti_d3_dot(d, q.error);
        }
    }
    return sum / dt;
}
