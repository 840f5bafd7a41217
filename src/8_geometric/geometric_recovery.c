/* geometric_recovery.c -- the work of corrections on each set of bodies, and what it may be.
   Method: bodies that collisions or elastics connect in a step are a set. Corrections may give a set as much as they do where they do what they are
   for: the motion that is there, and every block at the speed of recovery, lifted by its way. In stiff bodies they may give more, as elastic energy.
   The motion is that relative to the mean velocity of each body, and at the largest speed at which features meet, so that neither other bodies nor
   a common velocity allow anything. */
#include "geometric.h"
#include "../0_base/sets.h"
#include "../8_step/policy.h"

CTI_FN void cti_geometric_sets_open(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    const int32_t *of = s->factors.component_of;
    int c, i, n = CTI_LEN(s->factors.components);
    cti_sets_init(s->parts.zoned, n);
    for (c = 0; c < n; c++) {
        const cti_component *q = &s->factors.components[c];
        cti_geometric_set *t = &g->sets[c];
        int m = s->history.model_of[s->factors.blocks[q->begin]];
        cti_v3 mean = cti_v3_zero();
        memset(t, 0, sizeof *t);
        if (m >= 0)
            cti_sets_join(s->parts.zoned, c, of[s->history.block[m]]);
        t->mass = (double)g->implicit.body_mass[c];
        for (i = q->begin; i < q->end && t->mass > 0; i++) {
            int b = s->factors.blocks[i];
            mean = cti_v3_mad(mean, cti_v3_at(s->v, b), s->bodies.mass[b] / g->implicit.body_mass[c]);
        }
        for (i = q->begin; i < q->end; i++) {
            int b = s->factors.blocks[i];
            double mass = (double)s->bodies.mass[b];
            t->moving += mass / 2 * (double)cti_v3_norm2(cti_v3_sub(cti_v3_at(s->v, b), mean));
            t->rounded += mass * fabs((double)cti_v3_dot(cti_v3_at(s->x, b), cti_v3_at(s->desc.gravity, 0)));
        }
    }
    for (i = 0; i < s->bodies.n_models; i++)
        if (s->history.last[i] >= 0)
            g->sets[of[s->history.block[i]]].rounded += s->energy.moduli[i];
}

/* the work of an impulse J at a relative velocity u, where it is recovery */
static double cti_geometric_push(cti_v3 J, cti_v3 u)
{
    double work = (double)cti_v3_dot(J, u);
    return work > 0 ? work : 0;
}

CTI_FN void cti_geometric_sets_collide(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_net *q = &g->q;
    ct_real share = cti_geometric_share(s);
    int c, k;
    for (c = 0; c < q->net.m; c++) {
        cti_v3 J = cti_v3_at(q->forces.J, c), speed = cti_v3_at(q->forces.speed, c), first, second, way;
        cti_geometric_set *t = &g->sets[s->factors.component_of[q->blocks[q->particle[q->start[c]]]]];
        double met;
        if (!(cti_v3_norm2(J) + cti_v3_norm2(speed) + cti_v3_norm2(cti_v3_at(q->forces.place, c)) > 0))
            continue;
        first = second = way = g->hits[c].script;
        for (k = q->start[c]; k < q->start[c + 1]; k++) {
            int b = q->blocks[q->particle[k]];
            first = cti_v3_mad(first, cti_v3_at(s->v, b), q->S[k]), second = cti_v3_mad(second, cti_v3_at(g->v, b), q->S[k]);
            way = cti_v3_mad(way, cti_v3_mad(cti_v3_at(g->v, b), cti_v3_at(g->dv, b), share), q->S[k]);
            cti_sets_join(s->parts.zoned, (int32_t)(t - g->sets), s->factors.component_of[b]);
        }
        met = (double)cti_v3_norm2(first);
        t->met = cti_fmax(t->met, met);
        if (!g->hits[c].elastic)
            t->recovered += cti_geometric_push(speed, cti_v3_mul(cti_v3_add(first, second), CTI_R(0.5))) + cti_geometric_push(J, way);
    }
}

CTI_FN double cti_geometric_sets_lift(cti_state *s, ct_real h, const ct_real *from, const ct_real *to)
{
    cti_geometric *g = cti_geometric_own(s);
    double sum = 0, e;
    int i;
    for (i = 0; i < s->bodies.n_models; i++) {
        if (s->history.last[i] < 0)
            continue;
        cti_model_ahead(s->bodies.models[i], h, 1, NULL);
        e = cti_model_energy(s->bodies.models[i], to) - cti_model_energy(s->bodies.models[i], from);
        g->sets[s->factors.component_of[s->history.block[i]]].recovered += e, sum += e;
    }
    for (i = 0; i < s->n; i++) {
        e = -(double)s->bodies.mass[i] * (double)cti_v3_dot(cti_v3_sub(cti_v3_at(to, i), cti_v3_at(from, i)), cti_v3_at(s->desc.gravity, 0));
        g->sets[s->factors.component_of[i]].recovered += e, sum += e;
    }
    return sum;
}

CTI_FN void cti_geometric_sets_end(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    int c, i;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *q = &s->factors.components[c];
        double rise = 0;
        for (i = q->begin; i < q->end; i++) {
            int b = s->factors.blocks[i];
            rise += (double)s->bodies.mass[b] / 2 * ((double)cti_v3_norm2(cti_v3_at(s->end.v, b)) - (double)cti_v3_norm2(cti_v3_at(g->v, b)));
        }
        g->sets[c].recovered += cti_fmax(rise - g->sets[c].late, 0);
        g->sets[c].late = 0;
    }
}

CTI_FN int cti_geometric_sets_judge(cti_state *s, ct_real dt, double *out_may)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real w = s->desc.recovery_speed, fall = cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    int c, i, n = CTI_LEN(s->factors.components), fine = 1;
    if (!(w > 0))
        for (i = 0; i < s->surface.n_bodies; i++)
            w = cti_max(w, s->surface.bodies[i].thickness / dt);
    for (c = n - 1; c >= 0; c--) { /* a root is the smallest number of its set */
        cti_geometric_set *t = &g->sets[c], *root = &g->sets[cti_sets_root(s->parts.zoned, c)];
        if (t == root)
            continue;
        root->recovered += t->recovered, root->moving += t->moving, root->mass += t->mass, root->rounded += t->rounded;
        root->met = cti_fmax(root->met, t->met);
    }
    for (*out_may = 0, c = 0; c < n; c++) {
        const cti_geometric_set *t = &g->sets[c];
        double may = t->moving + t->mass * (t->met / 2 + (double)(w * w / 2 + fall * w * dt));
        if (cti_sets_root(s->parts.zoned, c) != c)
            continue;
        *out_may += cti_fmin(cti_fmax(t->recovered, 0), may);
        fine &= t->recovered <= may + cti_policy_body_gain(1, may, t->rounded);
    }
    return fine;
}
