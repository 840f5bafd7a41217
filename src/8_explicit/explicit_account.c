/* explicit_account.c -- the contacts' impulses of a step, and energies with which its gain is compared.
   Method: an error of a Runge-Kutta step is judged by the energies that take part in it. The kinetic energy of bodies that fly by, or of a common
   motion, takes no part: it depends on the frame. So bodies that touch in the step are a set, and the kinetic energy of a set is that
   relative to its center of mass. Motion of the center takes part as far as the set meets something, or is driven by pins: with the largest
   normal velocity at its contacts, and the difference from the velocities of its pins. */
#include "explicit.h"
#include "../0_base/sets.h"
#include "../8_step/energy.h"
#include "../8_step/impulses.h"

CTI_FN int cti_explicit_account_open(cti_state *s)
{
    cti_explicit_account *q = &cti_explicit_own(s)->account;
    int n = s->bodies.n_models + CTI_LEN(s->bodies.rigids);
    if (!CTI_RESIZE(&s->prepared, q->set, n) || !CTI_RESIZE(&s->prepared, q->met, n) || !CTI_RESIZE(&s->prepared, q->mean, 4 * n))
        return 0;
    cti_sets_init(q->set, n);
    if (n)
        memset(q->met, 0, sizeof *q->met * (size_t)n);
    return 1;
}

CTI_FN void cti_explicit_account_touches(cti_state *s)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_explicit_account *q = &g->account;
    int i, k;
    for (i = 0; i < CTI_LEN(g->touches); i++) {
        const cti_explicit_touch *c = &g->touches[i];
        double met = (double)c->rate * (double)c->rate;
        int first = -1;
        for (k = 0; k < c->n; k++) {
            int b = cti_energy_body(s, c->entry[k].block);
            if (b < 0)
                continue;
            if (first >= 0)
                cti_sets_join(q->set, first, b);
            first = b;
            q->met[b] = cti_fmax(q->met[b], met);
        }
    }
}

/* the body of a block that has a mass and a velocity; -1: none */
static int cti_explicit_account_body(const cti_state *s, int block)
{
    int r = s->bodies.rigid_of[block];
    return r >= 0 && s->bodies.rigids[r].block + 1 == block ? -1 : cti_energy_body(s, block);
}

/* mean velocities and masses of the sets, in the entries of their roots */
static void cti_explicit_account_means(cti_state *s)
{
    const cti_explicit_account *q = &cti_explicit_own(s)->account;
    int n = s->bodies.n_models + CTI_LEN(s->bodies.rigids), i, k;
    if (n)
        memset(q->mean, 0, 4 * sizeof *q->mean * (size_t)n);
    for (i = 0; i < s->n; i++) {
        int b = cti_explicit_account_body(s, i);
        double *mean = b < 0 ? NULL : q->mean + 4 * (size_t)cti_sets_root(q->set, b), mass = (double)s->bodies.mass[i];
        for (k = 0; k < 3 && mean; k++)
            mean[k] += mass * (double)s->v[3 * i + k];
        if (mean)
            mean[3] += mass;
    }
    for (i = 0; i < 4 * n; i++)
        if (i % 4 < 3 && q->mean[i - i % 4 + 3] > 0)
            q->mean[i] /= q->mean[i - i % 4 + 3];
}

CTI_FN double cti_explicit_account_kinetic(cti_state *s)
{
    const cti_explicit_account *q = &cti_explicit_own(s)->account;
    int n = s->bodies.n_models + CTI_LEN(s->bodies.rigids), i, k;
    double sum = 0;
    cti_explicit_account_means(s);
    for (i = 0; i < s->n; i++) {
        int b = cti_explicit_account_body(s, i), root = b < 0 ? -1 : cti_sets_root(q->set, b), slot = s->scripts.filter[i];
        const double *mean = q->mean + 4 * (size_t)cti_max_int(root, 0);
        if (b < 0)
            continue;
        for (k = 0; k < 3; k++) {
            double v = (double)s->v[3 * i + k] - mean[k];
            sum += 0.5 * (double)s->bodies.mass[i] * v * v;
        }
        if (slot >= 0) { /* the part of the mean velocity that a pin holds, against the pin's */
            cti_v3 V = cti_v3_make((ct_real)mean[0], (ct_real)mean[1], (ct_real)mean[2]);
            V = cti_v3_sub(V, cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)slot, V));
            q->met[b] = cti_fmax(q->met[b], (double)cti_v3_norm2(cti_v3_sub(V, cti_v3_at(s->scripts.v_fixed, i))));
        }
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        sum += cti_rigid_energy(&s->bodies.rigids[i]);
    for (i = 0; i < n; i++)
        q->met[cti_sets_root(q->set, i)] = cti_fmax(q->met[cti_sets_root(q->set, i)], q->met[i]);
    for (i = 0; i < n; i++)
        sum += 0.5 * q->mean[4 * i + 3] * q->met[i]; /* masses are those of roots */
    return sum;
}

CTI_FN int cti_explicit_impulses(cti_state *s)
{
    const cti_explicit *g = cti_explicit_own(s);
    cti_impulses_index index;
    int i;
    for (i = 0; i < g->flat.pins; i++)
        s->step.impulses.pins[i] += g->flat.end[g->flat.state + 3 + i];
    if (!cti_impulses_open(s, CTI_LEN(g->touches), &index))
        return 0;
    for (i = 0; i < CTI_LEN(g->touches); i++) {
        const cti_explicit_touch *c = &g->touches[i];
        cti_v3 impulse = cti_v3_at(g->flat.end + g->flat.state + 3 + g->flat.pins, i);
        cti_touch touch;
        if (!(cti_v3_dot(impulse, c->normal) > 0))
            continue;
        cti_impulses_of(&s->surface, &c->pair, c->normal, impulse, &touch);
        touch.thickness = cti_pair_thickness(&s->surface, &c->pair);
        cti_impulses_touch(&s->step.impulses, &index, &touch);
    }
    return 1;
}
