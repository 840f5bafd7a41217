/* geometric_recovery.c -- what recovery may give in a substep.
   Method: collisions that lack a part of their thickness move it apart. So all stiff bodies of a set may be lifted by the largest lack of its
   collisions, at the speed of that. In cloth a correction of a node stretches elements, too: it may have what all of it has at the largest speed of
   recovery. What corrections and contacts give beyond is taken from what contacts have taken, or is a gain, which the judge refuses. */
#include "geometric.h"
#include "../0_base/sets.h"
#include "../8_step/energy.h"
#include "../8_step/judge.h"

/* the judge learns whom collision c touches. Returns a body; -1: it has given nothing, or has no body */
static int cti_geometric_meet(cti_state *s, int c)
{
    const cti_geometric *g = cti_geometric_own(s);
    const cti_geometric_solve *q = &g->solve;
    cti_v3 u = cti_geometric_relative(q, s->v, c, g->collisions[c].script_velocity);
    int b = -1, k;
    if (!(cti_v3_norm2(cti_v3_at(q->forces.J, c)) + cti_v3_norm2(cti_v3_at(q->forces.speed, c)) + cti_v3_norm2(cti_v3_at(q->forces.end, c)) +
              cti_v3_norm2(cti_v3_at(q->forces.position, c)) >
          0))
        return -1;
    for (k = q->start[c]; k < q->start[c + 1]; k++)
        b = cti_judge_touch(s, b, q->blocks[q->particle[k]], (double)cti_v3_norm2(u));
    return b;
}

CTI_FN void cti_geometric_touch(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    ct_real fall = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)), thick = 0;
    double kick = 0;
    int c, i, b;
    for (b = 0; b < s->bodies.n_models; b++)
        g->recovery_way[b] = 0;
    for (i = 0; i < s->surface.n_bodies; i++)
        thick = cti_max(thick, s->surface.bodies[i].thickness);
    for (c = 0; c < g->solve.response.m; c++) {
        ct_real t = g->collisions[c].thickness, lack = s->desc.geometric.acceleration_distance * t - g->collisions[c].distance;
        b = cti_geometric_meet(s, c);
        if (b >= 0 && !g->collisions[c].elastic)
            g->recovery_way[b] = cti_max(g->recovery_way[b], cti_min(lack, cti_geometric_recovery(s, t, h)));
    }
    for (b = s->bodies.n_models - 1; b >= 0; b--) { /* a root is the smallest number of its set */
        int root = cti_sets_root(s->judge.of, b);
        g->recovery_way[root] = cti_max(g->recovery_way[root], g->recovery_way[b]);
    }
    for (i = 0; i < s->n; i++) {
        ct_real way = (b = cti_energy_body(s, i)) >= 0 ? g->recovery_way[cti_sets_root(s->judge.of, b)] : 0;
        if (way > 0 && !g->implicit.is_stiff[s->factors.component_of[i]])
            way = cti_min(thick, cti_geometric_recovery(s, thick, h));
        g->run.recovery_lift += (double)(s->bodies.mass[i] * way * fall), kick += (double)(s->bodies.mass[i] * way * way / (2 * h * h));
    }
    g->run.recovery_kinetic = cti_fmax(g->run.recovery_kinetic, kick);
}
