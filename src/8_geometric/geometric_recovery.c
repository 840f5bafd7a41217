/* geometric_recovery.c -- what recovery may give in a step.
   Method: collisions that lack a part of their thickness move it apart. So a body of a set is lifted, by the lacks of all of the set at most, and
   gets what it has risen. The lightest body of each collision is moved at the speed of that, and may keep its kinetic energy; in cloth, where a
   correction of a node stretches elements, that of a whole thickness. Parts of a divided step have the same speeds. More would throw heavy bodies up,
   whose lack returns when they fall. What they give beyond is taken from what contacts have taken, or is a gain, which the judge refuses. */
#include "geometric.h"
#include "../0_base/sets.h"
#include "../8_step/energy.h"
#include "../8_step/judge.h"

/* the judge learns whom collision c touches. *light: the lightest component. Returns a body; -1: it has given nothing, or has no body */
static int cti_geometric_meet(cti_state *s, int c, int *light)
{
    const cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_solve *q = &g->solve;
    cti_v3 u = cti_geometric_relative(q, s->v, c, g->collisions[c].script_velocity);
    int b = -1, k, part;
    if (!(cti_v3_norm2(cti_v3_at(q->forces.J, c)) + cti_v3_norm2(cti_v3_at(q->forces.speed, c)) + cti_v3_norm2(cti_v3_at(q->forces.end, c)) +
              cti_v3_norm2(cti_v3_at(q->forces.position, c)) >
          0))
        return -1;
    for (k = q->start[c]; k < q->start[c + 1]; k++) {
        b = cti_judge_touch(s, b, q->blocks[q->particle[k]], (double)cti_v3_norm2(u)), part = s->factors.component_of[q->blocks[q->particle[k]]];
        *light = k == q->start[c] || g->implicit.body_mass[part] < g->implicit.body_mass[*light] ? part : *light;
    }
    return b;
}

CTI_FN void cti_geometric_touch(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real *way = g->implicit.error;
    double kick = 0;
    int c, i, b, n = CTI_LEN(s->factors.components);
    for (i = 0; i < n; i++)
        way[i] = 0;
    for (c = 0; c < g->solve.response.m; c++) {
        ct_real t = g->collisions[c].thickness, lack = s->desc.geometric.acceleration_distance * t - g->collisions[c].distance;
        b = cti_geometric_meet(s, c, &i);
        if (b < 0 || g->collisions[c].elastic || !(lack > 0))
            continue;
        g->recovery_way[b] = cti_max(g->recovery_way[b], cti_min(lack, cti_geometric_recovery(s, t, s->step.dt)));
        lack = cti_min(g->implicit.is_stiff[i] ? lack : t, t * h / s->step.dt);
        way[i] = cti_max(way[i], s->desc.recovery_speed > 0 ? cti_min(lack, h * s->desc.recovery_speed) : lack);
    }
    for (i = 0; i < s->n; i++) {
        double v = (double)(way[s->factors.component_of[i]] / h);
        kick += (double)s->bodies.mass[i] * v * v / 2;
    }
    g->run.recovery_kinetic = cti_fmax(g->run.recovery_kinetic, kick);
}

CTI_FN double cti_geometric_recovers(const cti_state *s)
{
    const cti_geometric *g = cti_geometric_own(s);
    int b, i, n = s->bodies.n_models;
    ct_real *lift = g->recovery_way, *all = lift + n, fall = cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    double sum = g->run.recovery_kinetic;
    memset(all, 0, sizeof *all * (size_t)n);
    for (b = 0; b < n; b++)
        all[cti_sets_root(s->judge.of, b)] += g->recovery_way[b];
    memset(lift, 0, sizeof *lift * (size_t)n);
    for (i = 0; i < s->n; i++)
        if ((b = cti_energy_body(s, i)) >= 0)
            lift[b] += s->bodies.mass[i] * fall * all[cti_sets_root(s->judge.of, b)];
    for (b = 0; b < n; b++)
        sum += cti_fmax(0, cti_fmin((double)lift[b], s->energy.now[b].gravity - s->judge.bodies[b].before.gravity));
    return sum;
}
