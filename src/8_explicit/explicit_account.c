/* explicit_account.c -- what a step reports: energies, with which its gain is compared, and the impulses of contacts.
   Method: 8_step/judge.h has the energies that take part in a step: those of bodies that touch, about their mean velocity, and of their approach. */
#include "explicit.h"
#include "../8_step/report.h"
#include "../8_step/energy.h"
#include "../8_step/impulses.h"
#include "../8_step/judge.h"

CTI_FN double cti_explicit_energy(cti_state *s, ct_step_report *r)
{
    ct_step_report unused;
    r = r ? r : &unused;
    s->energy.known = 0;
    cti_energy_state(s);
    cti_explicit_elastic(s, s->x, s->energy.now);
    cti_report_energies(s, r);
    return r->energy_kinetic + r->energy_elastic + r->energy_gravity;
}

CTI_FN void cti_explicit_account_touches(cti_state *s)
{
    const cti_explicit *g = cti_explicit_own(s);
    int i, k;
    for (i = 0; i < CTI_LEN(g->contacts); i++) {
        const cti_explicit_contact *c = &g->contacts[i];
        int first = -1;
        for (k = 0; k < c->n; k++)
            first = cti_judge_touch(s, first, c->entry[k].block, (double)c->rate * (double)c->rate);
    }
}

CTI_FN double cti_explicit_account_scale(const cti_state *s, const ct_step_report *r)
{
    double sum = fabs(r->energy_elastic) + fabs(r->work_pins) + fabs(r->work_script) + fabs(r->work_recovery) + fabs(r->loss_contact) +
                 fabs(r->loss_damping);
    int b;
    for (b = 0; b < s->bodies.n_models + CTI_LEN(s->bodies.rigids); b++)
        if (s->judge.of[b] == b)
            sum += s->judge.bodies[b].kinetic + 0.5 * s->judge.bodies[b].mass * s->judge.bodies[b].met2;
    return sum;
}

CTI_FN int cti_explicit_impulses(cti_state *s)
{
    const cti_explicit *g = cti_explicit_own(s);
    cti_impulses_index index;
    int i;
    for (i = 0; i < g->ode.pins; i++)
        s->step.impulses.pins[i] += g->ode.end[g->ode.state + 3 + i];
    if (!cti_impulses_open(s, CTI_LEN(g->contacts), &index))
        return 0;
    for (i = 0; i < CTI_LEN(g->contacts); i++) {
        const cti_explicit_contact *c = &g->contacts[i];
        cti_v3 impulse = cti_v3_at(g->ode.end + g->ode.state + 3 + g->ode.pins, i);
        cti_touch touch;
        if (!(cti_v3_dot(impulse, c->normal) > 0))
            continue;
        cti_impulses_of(&s->surface, &c->pair, c->normal, impulse, &touch);
        touch.thickness = cti_pair_thickness(&s->surface, &c->pair);
        cti_impulses_touch(&s->step.impulses, &index, &touch);
    }
    return 1;
}
