/* geometric_elastics.c -- elastics: joints and stitches, as springs that pull two points together and keep them there.
   Method: a joint of points is three equations along the axes, a stitch with a rest length one along its line. Each is a spring in the matrix
   of the implicit step. Its impulse is m (w - u - du), with the relative speeds u before the step and du by it. w is the speed that closes the
   distance within the step, at most recovery_speed. The force has no other bound than the mass m, and nothing of it is kept for the next
   step. m is a multiple of the heavier side's mass, shared by its elastics. A joint with compliance c is that spring: m = h^2 / c.
   differs: the paper adds a force of eq. 19. As elastics have no M_c of their own, it would hold a body only after as many substeps as it
   has vertices. differs: positions and speeds of elastics are not corrected, so that they never jump. based on: Volino,
   Magnenat-Thalmann 2000, sec. 4.2 and 6. */
#include "geometric.h"
#include "../8_step/impulses.h"
#include "../8_step/joints.h"

/* returns the point of a side at a time; x: of the blocks */
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

/* returns the velocity of a minus b: of all sides, or of those that have no unknowns (script_only) */
static cti_v3 cti_geometric_side_velocity(const cti_state *s, const cti_joint *j, ct_real h, int script_only)
{
    double until = cti_state_ahead(s, h);
    cti_v3 u = cti_v3_zero();
    int k;
    for (k = 0; k < 2; k++) {
        const cti_joint_side *q = k ? &j->b : &j->a;
        ct_real sign = k ? -1 : 1;
        if (q->n == 0)
            u = cti_v3_mad(u, cti_v3_sub(cti_geometric_side(q, NULL, until), cti_geometric_side(q, NULL, s->step.time)), sign / h);
        else if (!script_only)
            u = cti_v3_mad(u, cti_geometric_side(q, cti_geometric_own(s)->v, 0), sign);
    }
    return u;
}

/* returns 1 where scripts hold a side along n */
static int cti_geometric_is_held(const cti_state *s, const cti_joint_side *q, cti_v3 n)
{
    int k;
    for (k = 0; k < q->n; k++)
        if (s->scripts.filter[q->block[k]] < 0 || cti_v3_norm2(cti_state_free(s, q->block[k], n)) > CTI_R(0.5))
            return 0;
    return 1;
}

/* returns the larger joint_mass of the sides of a joint that can move along n [kg] */
static ct_real cti_geometric_joint_mass(const cti_state *s, const cti_joint *j, cti_v3 n)
{
    ct_real most = 0;
    int k;
    for (k = 0; k < 2; k++) {
        const cti_joint_side *q = k ? &j->b : &j->a;
        if (!cti_geometric_is_held(s, q, n))
            most = cti_max(most, cti_geometric_own(s)->implicit.joint_mass[s->factors.component_of[q->block[0]]]);
    }
    return most;
}

/* returns the relative velocity that a joint without compliance is to have on the way; p is what its points are to move by, u their velocity */
static cti_v3 cti_geometric_wanted_velocity(const cti_state *s, cti_v3 p, cti_v3 u, ct_real h)
{
    ct_real share = cti_geometric_theta(s), recovery = s->desc.recovery_speed, speed = cti_v3_norm(p) / h;
    cti_v3 to = cti_v3_unit(p, cti_v3_zero());
    if (recovery > 0)
        speed = cti_min(speed, recovery);
    /* the midpoint rule: there and at rest in two substeps, as by eq. 19 */
    return cti_v3_mad(cti_v3_mul(u, (1 - share) / 2), to, share * speed);
}

CTI_FN int cti_geometric_find_elastics(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real way = h * cti_geometric_theta(s);
    int i, part;
    for (i = 0; i < CTI_JOINTS(s); i++) {
        const cti_joint *j = &s->bodies.joints[i];
        cti_v3 p = cti_v3_sub(cti_geometric_side(&j->a, s->x, s->step.time), cti_geometric_side(&j->b, s->x, s->step.time)), line, u, w;
        line = cti_v3_unit(p, cti_v3_make(0, 1, 0));
        if (j->rest > 0)
            p = cti_v3_mul(line, cti_v3_dot(line, p) - j->rest);
        u = cti_geometric_side_velocity(s, j, h, 0);
        w = cti_geometric_wanted_velocity(s, cti_v3_mul(p, -1), u, h);
        for (part = 0; part < (j->rest > 0 ? 1 : 3); part++) {
            cti_geometric_collision t;
            memset(&t, 0, sizeof t);
            t.elastic = i + 1, t.axis = part;
            t.thickness = s->desc.thickness;
            t.script_velocity = cti_geometric_side_velocity(s, j, h, 1);
            t.normal = j->rest > 0 ? line : cti_v3_make(part == 0, part == 1, part == 2);
            t.distance = cti_v3_dot(t.normal, p);
            t.mass = cti_geometric_tuned.implicit.spring * cti_geometric_joint_mass(s, j, t.normal);
            t.speed_target = cti_v3_dot(t.normal, w);
            if (t.mass * j->compliance > way * way) /* it is softer than a joint without compliance */
                t.mass = way * way / j->compliance, t.speed_target = -t.distance / way;
            if (!CTI_PUSH(s->mem, g->collisions, t))
                return 0;
        }
    }
    return 1;
}

CTI_FN int cti_geometric_elastic_weights(cti_state *s, const cti_geometric_collision *t)
{
    const cti_joint *j = &s->bodies.joints[t->elastic - 1];
    int k, side;
    for (side = 0; side < 2; side++) {
        const cti_joint_side *q = side ? &j->b : &j->a;
        for (k = 0; k < q->n; k++)
            if (!cti_geometric_add_weight(s, q->block[k], side ? -q->weight[k] : q->weight[k]))
                return 0;
    }
    return 1;
}

CTI_FN int cti_geometric_elastic_impulse(cti_state *s, const cti_geometric_collision *t, cti_v3 J)
{
    return cti_impulses_joint(s, s->bodies.joints[t->elastic - 1].key, J);
}
