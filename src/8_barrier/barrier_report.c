/* barrier_report.c -- what a step did: the impulses of contacts and pins, the work of scripts, what contacts and damping took.
   Method: forces are the gradient's terms at the end of the step, so that each sum closes to Newton's tolerance.
   based on: Li et al. 2020, eq. 4 and 19. */
#include "barrier.h"
#include "../8_step/impulses.h"
#include "../8_step/policy.h"

/* 1 where a surface vertex is moved by a script alone */
static int cti_barrier_is_scripted(const cti_state *s, int v)
{
    const cti_surface_body *body = &s->surface.bodies[s->surface.body_of[v]];
    return body->moves && !body->dynamic;
}

CTI_FN int cti_barrier_touches_open(cti_state *s, int most, cti_barrier_reported *q)
{
    int n = CTI_LEN(cti_barrier_own(s)->contact.rubs);
    q->rubbed = CTI_ARENA_ZERO(s->arena, uint8_t, n + 1);
    q->r->contacts = 0;
    return q->rubbed && cti_impulses_open(s, most + n, &q->index);
}

CTI_FN void cti_barrier_touch(cti_state *s, cti_barrier_reported *q, const cti_barrier_term *p, const ct_real *c, cti_v3 normal, ct_real impulse,
                              ct_real thickness)
{
    cti_pair pair = cti_barrier_pair(p, c);
    cti_touch touch;
    int rub;
    cti_impulses_of(&s->surface, &pair, normal, cti_v3_zero(), &touch);
    touch.key = cti_barrier_key(s, p);
    touch.r[0] = impulse, touch.thickness = thickness;
    rub = cti_barrier_rubbed(s, q->next, &touch);
    if (rub >= 0)
        q->rubbed[rub] = 1;
    q->r->contacts++;
    cti_impulses_touch(&s->step.impulses, &q->index, &touch);
}

CTI_FN void cti_barrier_touches_close(cti_state *s, cti_barrier_reported *q)
{
    const cti_barrier *b = cti_barrier_own(s);
    int i, k;
    for (i = 0; i < CTI_LEN(b->contact.rubs); i++) {
        const cti_barrier_rub *rub = &b->contact.rubs[i];
        cti_touch touch;
        if (q->rubbed[i])
            continue;
        memset(&touch, 0, sizeof touch);
        touch.pair = rub->pair, touch.key = rub->key;
        cti_v3_put(touch.frame, 0, cti_v3_cross(cti_v3_at(rub->t[0], 0), cti_v3_at(rub->t[1], 0)));
        for (k = 0; k < 2; k++)
            cti_v3_put(touch.frame, 1 + k, cti_v3_at(rub->t[k], 0));
        cti_barrier_rubbed(s, q->next, &touch);
        q->r->contacts++;
        cti_impulses_touch(&s->step.impulses, &q->index, &touch);
    }
}

CTI_FN int cti_barrier_touches(cti_state *s, const cti_memory *next, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_reported report;
    cti_potential_terms t;
    int i;
    report.next = next, report.r = r;
    if (!cti_barrier_touches_open(s, CTI_LEN(b->contact.terms), &report))
        return 0;
    for (i = 0; i < CTI_LEN(b->contact.terms); i++) {
        const cti_barrier_term *p = &b->contact.terms[i];
        cti_pair pair;
        cti_v3 n;
        ct_real d = cti_sqrt(p->d2);
        if (!p->wall && (d < r->min_distance || s->step.limit.n == 0)) {
            r->min_distance = cti_min(d, r->min_distance);
            s->step.limit = p->pair;
        }
        if (!p->wall)
            r->thickness_kept = cti_min(r->thickness_kept, d / p->hat);
        if (!cti_barrier_eval(s, p, s->surface.x0, CTI_POTENTIAL_VALUE, &t) || !(t.force > 0))
            continue;
        pair = cti_barrier_pair(p, t.c);
        n = p->wall ? cti_v3_at(b->contact.walls[p->wall - 1].normal, 0)
                    : cti_v3_unit(cti_pair_offset(&s->surface, s->surface.x0, &pair), cti_v3_make(0, 1, 0));
        cti_barrier_touch(s, &report, p, t.c, n, t.force * b->h / b->rule.contact, 0);
    }
    cti_barrier_touches_close(s, &report);
    return 1;
}

/* loss by friction in the step, and the work of scripts on it */
static void cti_barrier_friction_works(cti_state *s, ct_step_report *r)
{
    const cti_barrier *b = cti_barrier_own(s);
    double h2 = (double)b->rule.contact, reach = (double)(s->desc.barrier.friction_velocity * b->h), rate, slope;
    int i, k, j;
    for (i = 0; i < CTI_LEN(b->contact.rubs); i++) {
        const cti_barrier_rub *q = &b->contact.rubs[i];
        ct_real u[2];
        double size;
        cti_barrier_slide(s, q, s->surface.x0, u);
        size = (double)cti_sqrt(u[0] * u[0] + u[1] * u[1]);
        cti_friction_value(size, reach, &rate, &slope);
        /* the force times the displacement of this step */
        r->loss_contact += (double)q->load / h2 * rate * (double)(u[0] * (u[0] - q->anchor[0]) + u[1] * (u[1] - q->anchor[1]));
        r->work_script += (double)q->load / h2 * rate * (double)(u[0] * q->belt[0] + u[1] * q->belt[1]);
        for (k = 0; CTI_LEN(s->scripts.movers) > 0 && k < q->pair.n; k++)
            for (j = 0; cti_barrier_is_scripted(s, q->pair.v[k]) && j < 2; j++)
                r->work_script += (double)q->load / h2 * rate *
                                  (double)(q->pair.w[k] * u[j] * cti_v3_dot(cti_v3_at(q->t[j], 0), cti_barrier_went(s, s->surface.x0, q->pair.v[k])));
    }
}

/* Work of scripts and losses in the step, from the gradient at its end. A barrier's force at the end works on the way of the whole step: what that
   is more than what the barrier stores is a loss, by the implicit rule. 0: out of memory */
CTI_FN int cti_barrier_works(cti_state *s, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    double h2 = (double)b->rule.contact;
    cti_potential_terms t;
    int i, k;
    b->contact.worked = 0;
    cti_barrier_friction_works(s, r);
    r->loss_damping += cti_barrier_loss(s);
    for (i = 0; i < CTI_LEN(b->contact.terms); i++)
        if (cti_barrier_eval(s, &b->contact.terms[i], s->surface.x0, CTI_POTENTIAL_GRADIENT, &t))
            for (k = 0; k < b->contact.terms[i].pair.n; k++) {
                int v = b->contact.terms[i].pair.v[k];
                double work = (double)cti_v3_dot(cti_v3_at(t.gradient, k), cti_barrier_went(s, s->surface.x0, v)) / h2;
                b->contact.worked += work;
                r->work_script += cti_barrier_is_scripted(s, v) ? work : 0;
            }
    if (s->scripts.n_constrained == 0)
        return 1;
    if (!cti_barrier_assemble(s, NULL, r))
        return 0;
    if (cti_barrier_constraints(s))
        cti_barrier_constraints(s)->push(s);
    for (i = 0; i < s->n; i++)
        if (s->scripts.filter[i] >= 0 && !s->scripts.held[i] && b->layout.block_of[i] >= 0) {
            int at = b->layout.block_of[i];
            cti_v3 d = cti_v3_sub(cti_v3_at(b->y, at), cti_v3_at(b->y0, at)), R = cti_v3_at(b->g, at);
            /* what the block is free to do balances but for Newton's tolerance */
            R = cti_v3_sub(R, cti_state_free(s, i, R));
            r->work_pins += (double)cti_v3_dot(R, d) / h2;
            cti_v3_addto(s->step.impulses.pins, i, cti_v3_mul(R, b->h / b->rule.contact));
        }
    return 1;
}

/* The second order rules lose nothing on average, but gain and lose in turns: they may gain a share of what a step exchanges. A velocity is
   the difference of two positions over h */
CTI_FN double cti_barrier_swing(const cti_state *s, const ct_step_report *r)
{
    const cti_barrier *b = cti_barrier_own(s);
    double rounded = b->joints.rounded, kinetic = 0, swing = cti_fmax(0, b->contact.eased);
    int i;
    for (i = 0; i < s->n; i++)
        rounded += (double)(s->bodies.mass[i] * cti_v3_norm(cti_v3_at(s->v, i)) * cti_v3_norm(cti_v3_at(s->x, i)) / b->h);
    for (i = 0; i < s->bodies.n_models + CTI_LEN(s->bodies.rigids); i++)
        kinetic += s->judge.bodies[i].before.kinetic;
    if (s->desc.integrator != CT_INTEGRATOR_EULER)
        swing += cti_barrier_tuned.rule.swing *
                 (fabs(r->energy_kinetic - kinetic) + fabs(r->energy_elastic + r->energy_gravity + kinetic - s->judge.start));
    return swing + cti_policy_rounded(rounded);
}
