/* geometric_elastics.c -- elastics: joints and stitches, as constraints between two points that are pulled together and kept there.
   Method: a joint of points is three equations along the axes, a stitch with a rest length one along its line. Each wants the acceleration
   of eq. 19, at most at recovery_speed, so that points that are apart approach smoothly. Its force is that of the last substep, and what
   the implicit step leaves of the acceleration, times the mass of the lighter side, is added to it, within the step's matrix. differs: it
   is the mass of a whole side, not M_c: M_c of two vertices holds a body only after as many substeps as it has vertices. differs: positions
   and speeds of elastics are not corrected, so that they never jump. based on: Volino, Magnenat-Thalmann 2000, sec. 4.2 and 6. */
#include "geometric.h"
#include "../8_step/joints.h"

/* the point of a side at a time; x: of the blocks */
static cti_v3 cti_geometric_side(const cti_joint_side *q, const ct_real *x, double time)
{
    cti_v3 p = cti_v3_zero();
    ct_real triad[9];
    int k;
    if (q->n == 0)
        return cti_joints_scripted(q, time, triad);
    for (k = 0; k < q->n; k++)
        p = cti_v3_mad(p, cti_v3_at(x, q->block[k]), q->weight[k]);
    return p;
}

/* velocity of the sides that have no unknowns, a less b */
static cti_v3 cti_geometric_pull(const cti_state *s, const cti_joint *j, ct_real h)
{
    double until = cti_state_ahead(s, h);
    cti_v3 u = cti_v3_zero();
    int k;
    for (k = 0; k < 2; k++) {
        const cti_joint_side *q = k ? &j->b : &j->a;
        if (q->n == 0)
            u = cti_v3_mad(u, cti_v3_sub(cti_geometric_side(q, NULL, until), cti_geometric_side(q, NULL, s->step.time)), (k ? -1 : 1) / h);
    }
    return u;
}

/* mass of the lighter side of a joint that can move */
static ct_real cti_geometric_tie_mass(const cti_state *s, const cti_joint *j)
{
    ct_real least = CTI_REAL_MAX;
    int k;
    for (k = 0; k < 2; k++) {
        const cti_joint_side *q = k ? &j->b : &j->a;
        if (q->n > 0)
            least = cti_min(least, cti_geometric_own(s)->implicit.body_mass[s->factors.component_of[q->block[0]]]);
    }
    return least;
}

CTI_FN int cti_geometric_find_elastics(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    int i, part;
    for (i = 0; i < CTI_LEN(s->bodies.joints); i++) {
        const cti_joint *j = &s->bodies.joints[i];
        cti_v3 p = cti_v3_sub(cti_geometric_side(&j->a, s->x, s->step.time), cti_geometric_side(&j->b, s->x, s->step.time));
        for (part = 0; part < (j->rest > 0 ? 1 : 3); part++) {
            cti_geometric_hit t;
            memset(&t, 0, sizeof t);
            t.elastic = i + 1, t.part = part;
            t.thickness = s->desc.thickness;
            t.mass = 1 / (1 / cti_geometric_tie_mass(s, j) + j->compliance / (h * h));
            t.script = cti_geometric_pull(s, j, h);
            t.normal = j->rest > 0 ? cti_v3_unit(p, cti_v3_make(0, 1, 0)) : cti_v3_make(part == 0, part == 1, part == 2);
            t.distance = cti_v3_dot(t.normal, p) - j->rest;
            if (!CTI_PUSH(s->mem, g->hits, t))
                return 0;
        }
    }
    return 1;
}

CTI_FN int cti_geometric_elastic_weights(cti_state *s, const cti_geometric_hit *t)
{
    const cti_joint *j = &s->bodies.joints[t->elastic - 1];
    int k, side;
    for (side = 0; side < 2; side++) {
        const cti_joint_side *q = side ? &j->b : &j->a;
        for (k = 0; k < q->n; k++)
            if (!cti_geometric_weight(s, q->block[k], side ? -q->weight[k] : q->weight[k]))
                return 0;
    }
    return 1;
}

CTI_FN int cti_geometric_elastic_impulse(cti_state *s, const cti_geometric_hit *t, cti_v3 J)
{
    uint64_t key = s->bodies.joints[t->elastic - 1].key;
    const cti_memory_item *old = cti_memory_find(&s->step.impulses.joints, key);
    cti_memory_item item;
    memset(&item, 0, sizeof item);
    item.key = key;
    cti_v3_put(item.impulse, 0, old ? cti_v3_add(cti_v3_at(old->impulse, 0), J) : J);
    return cti_memory_add(s->mem, &s->step.impulses.joints, &item);
}
