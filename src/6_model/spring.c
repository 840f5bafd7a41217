/* spring.c -- springs between two nodes: energy k/2 (l - L)^2, force k (l - L) n on the first node, stiffness
   k (n n' + max(0, 1 - L/l) (1 - n n')), which is positive semidefinite; a compressed spring keeps n n' only.
   Strain limit: at the elongation e = limit L a spring has an additional stiffness K = CTI_SPRING_LIMIT m + CTI_SPRING_RATES k + 2 T L / w. The last
   term is for a sheet at rest, T its weight over the length of the edge that it hangs by: K w / 2 is the force at the elongation e. A ramp of
   width w below e leads to K, so that the energy is twice differentiable:
   g(u) = K u^2 / (2 w) for u = l - L - e + w in [0, w], K (u - w / 2) beyond.
   A single Newton step at x would not see a limit that the motion reaches only later. So this term is linearized at the point that the
   present velocity leads to, y = x + dt v: f(x_end) = f(y) + K_y dt v - K_y dt v_end.
   based on: Provot 1995 (stretch, shear and flexion springs, limited elongation), Bridson et al. 2003, Choi and Ko 2002 (what is
   dropped). differs: Provot moves the ends of an overlong spring after the step, without regard to other springs and contacts. Here the
   limit is part of the implicit system, and contacts are solved together with it. */
#include "spring.h"
#include "../1_math/vec.h"
#include "hinge.h"

/* w / e: how far before the limit a linearization sees it. In a sheet of 20 x 20 weak springs that is released at 10 ms a step, springs
   reach a strain of .053 for a limit of .05; with half of this value .08, with double .037. In equilibrium the sheet hangs at 3/5 of its
   limit. */
#define CTI_SPRING_RAMP CTI_R(0.3)
/* [1/s^2] stiffness of the limit for sheets in motion, over the mass of a spring's heavier end: 200 masses held over 10 ms. It is the same in
   steps of all lengths, or a change of the length would change the stored energy. The largest strain of a weak sheet with limit .1 that swings
   down in steps of 10 ms is .094 (held by an edge) and .103 (by two corners, test_limit). Half of this value gives .097 and .114, double .088 and
   .095 with a quarter more iterations */
#define CTI_SPRING_LIMIT CTI_R(2e6)
/* [1] the limit's stiffness also has this many times the spring's own rate, for loads other than the sheet's weight. With 40 kg on a sheet of .2 kg
   and limit .1 the largest strain at rest is .120 (test_limit); with half of this value .129, with double .108, with 0 .149 */
#define CTI_SPRING_RATES CTI_R(20)

/* ---- which springs ---- */

static int cti_spring_push(cti_mem *mem, int32_t **ends, ct_real **rates, int32_t a, int32_t b, ct_real rate)
{
    int32_t *e = *ends;
    ct_real *r = *rates;
    int ok = CTI_PUSH(mem, e, a) && CTI_PUSH(mem, e, b) && CTI_PUSH(mem, r, rate);
    *ends = e, *rates = r;
    return ok;
}

/* of the neighbours [n] of node v, the index of the one that continues the edge (from, v) best; -1 if none is within 30 degrees */
static int cti_spring_continue(const ct_real *X, int v, const int32_t *neighbour, int n, int from)
{
    cti_v3 o = cti_v3_at(X, v), in = cti_v3_unit(cti_v3_sub(o, cti_v3_at(X, neighbour[from])), cti_v3_zero());
    ct_real best = CTI_R(0.8660254);
    int i, found = -1;
    for (i = 0; i < n; i++) {
        ct_real c = i == from ? CTI_R(-1) : cti_v3_dot(in, cti_v3_unit(cti_v3_sub(cti_v3_at(X, neighbour[i]), o), cti_v3_zero()));
        if (c > best)
            best = c, found = i;
    }
    return found;
}

/* appends flexion springs; start [n_nodes + 1], neighbour [2 edges]: the nodes around each node, ascending by edge */
static int cti_spring_flexion(cti_mem *mem, const ct_material *m, const ct_real *X, int n_nodes, const int *start, const int32_t *neighbour,
                              int32_t **ends, ct_real **rates)
{
    int v, i, j;
    for (v = 0; v < n_nodes; v++) {
        const int32_t *around = neighbour + start[v];
        int n = start[v + 1] - start[v];
        for (i = 0; i < n; i++) {
            j = cti_spring_continue(X, v, around, n, i);
            if (j > i && cti_spring_continue(X, v, around, n, j) == i)
                if (!cti_spring_push(mem, ends, rates, around[i], around[j], m->bend))
                    return 0;
        }
    }
    return 1;
}

/* computes start and neighbour from the edge list */
static int cti_spring_around(cti_mem *mem, const int32_t *edges, int n_nodes, int **start, int32_t **neighbour)
{
    int *s = NULL, i, n = CTI_LEN(edges) / 2;
    int32_t *b = NULL;
    int ok = CTI_RESIZE(mem, s, (size_t)n_nodes + 2) && CTI_RESIZE(mem, b, 2 * (size_t)n);
    *start = s, *neighbour = b;
    if (!ok)
        return 0;
    /* counts, shifted by two, so that filling turns them into starts */
    for (i = 0; i < 2 * n; i++)
        s[edges[i] + 2]++;
    for (i = 2; i < n_nodes + 2; i++)
        s[i] += s[i - 1];
    for (i = 0; i < n; i++) {
        b[s[edges[2 * i] + 1]++] = edges[2 * i + 1];
        b[s[edges[2 * i + 1] + 1]++] = edges[2 * i];
    }
    return 1;
}

CTI_FN int cti_spring_list(cti_mem *mem, const ct_material *m, const cti_rest_mesh *rest, int32_t **out_ends, ct_real **out_rates)
{
    const ct_real *X = rest->X;
    int32_t *edges = NULL, *hinges = NULL, *neighbour = NULL;
    int *start = NULL, i, ok;
    CTI_CLEAR(*out_ends);
    CTI_CLEAR(*out_rates);
    ok = cti_hinge_find(mem, rest->elements, rest->n, &edges, &hinges);
    for (i = 0; ok && m->stretch > 0 && i < CTI_LEN(edges) / 2; i++)
        ok = cti_spring_push(mem, out_ends, out_rates, edges[2 * i], edges[2 * i + 1], m->stretch);
    for (i = 0; ok && m->shear > 0 && i < CTI_LEN(hinges) / 4; i++)
        /* two triangles that coincide at rest have no distance between their tips to hold */
        if (cti_v3_norm2(cti_v3_sub(cti_v3_at(X, hinges[4 * i + 2]), cti_v3_at(X, hinges[4 * i + 3]))) > 0)
            ok = cti_spring_push(mem, out_ends, out_rates, hinges[4 * i + 2], hinges[4 * i + 3], m->shear);
    if (ok && m->bend > 0)
        ok = cti_spring_around(mem, edges, rest->n_nodes, &start, &neighbour) &&
             cti_spring_flexion(mem, m, X, rest->n_nodes, start, neighbour, out_ends, out_rates);
    CTI_FREE(mem, edges);
    CTI_FREE(mem, hinges);
    CTI_FREE(mem, neighbour);
    CTI_FREE(mem, start);
    return ok;
}

/* ---- the batch ---- */

CTI_FN int cti_spring_batch_init(cti_mem *mem, cti_spring_batch *t, const ct_material *m, const cti_rest_mesh *rest, const ct_real *rates,
                                 int64_t *out_bad, double *out_value)
{
    int e, batches = (rest->n + 7) / 8;
    t->n = rest->n, t->hessian = CTI_HESSIAN_STEP, t->damping_stiffness = m->damping_stiffness;
    t->limit = t->step = 0, t->share = 1, t->ahead = NULL;
    if (!cti_element_nodes(mem, &t->node, rest->elements, rest->n, 2, rest->node_offset) ||
        !CTI_RESIZE(mem, t->rest, (size_t)batches * CTI_SPRING_REST * 8))
        return 0;
    for (e = 0; e < 8 * batches; e++) {
        int source = cti_min_int(e, rest->n - 1);
        const int32_t *ends = rest->elements + 2 * source;
        ct_real *lane = t->rest + e / 8 * CTI_SPRING_REST * 8 + e % 8;
        lane[0] = rates[source], lane[16] = 0;
        lane[8] = cti_v3_norm(cti_v3_sub(cti_v3_at(rest->X, ends[0]), cti_v3_at(rest->X, ends[1])));
        if (!(lane[8] > 0) || !cti_finite(lane[8])) {
            *out_bad = source, *out_value = (double)lane[8];
            return -1;
        }
    }
    return 1;
}

CTI_FN void cti_spring_batch_limit(cti_spring_batch *t, const ct_material *m, const ct_real *node_mass, ct_real tension)
{
    int e;
    t->limit = m->strain_limit;
    for (e = 0; e < (t->n + 7) / 8 * 8; e++) {
        ct_real *lane = t->rest + e / 8 * CTI_SPRING_REST * 8 + e % 8;
        ct_real mass = cti_max(node_mass[t->node[2 * e]], node_mass[t->node[2 * e + 1]]);
        /* at the limit the ramp's force is K w / 2, w = CTI_SPRING_RAMP limit L, and what a spring of length L carries is tension L */
        lane[16] = CTI_SPRING_RATES * lane[0] + CTI_SPRING_LIMIT * mass + tension / (CTI_SPRING_RAMP / 2 * m->strain_limit);
    }
}

/* blocks K, -K, K with K = along n n' + across (1 - n n') */
static void cti_spring_blocks(const cti_r8 *n, cti_r8 along, cti_r8 across, cti_r8 *k)
{
    cti_r8 d = cti_sub8(along, across), dn[3];
    int i, j;
    cti_scale3_8(d, n, dn);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            cti_r8 v = cti_mul8(dn[i], n[j]);
            if (i == j)
                v = cti_add8(v, across);
            k[3 * i + j] = v, k[9 + 3 * i + j] = cti_neg8(v), k[18 + 3 * i + j] = v;
        }
}

/* force [6], blocks [27], stiffness along the spring, and energy of the limit, for eight springs evaluated at y; 0: no spring is in its
   ramp */
static int cti_spring_beyond(const cti_spring_batch *t, int batch, const ct_real *x, cti_r8 *f, cti_r8 *k, cti_r8 *along, cti_r8 *energy)
{
    const cti_r8 zero = cti_set8(0), half = cti_set8(CTI_R(0.5)), step = cti_set8(t->step);
    const ct_real *rest = t->rest + batch * CTI_SPRING_REST * 8;
    cti_r8 node[6], ends[6], n[3], v[3], kv[3], rate, least, w, l, u, r, g, g1;
    int i, j;
    cti_element_gather(x, t->node + 16 * batch, 2, node);
    cti_sub3_8(node + 3, node, n);
    for (i = 0; i < 3; i++)
        v[i] = zero;
    if (t->ahead) {
        cti_element_gather(t->ahead, t->node + 16 * batch, 2, ends);
        cti_sub3_8(ends + 3, ends, v);
        for (i = 0; i < 3; i++)
            n[i] = cti_mad8(n[i], step, v[i]);
    }
    /* u: how far the length is beyond the start of the ramp; r: the part of u within the ramp, at most w */
    l = cti_sqrt8(cti_dot8(n, n));
    least = cti_scale8(t->limit, cti_load8(rest + 8)), w = cti_scale8(CTI_SPRING_RAMP, least);
    u = cti_max8(zero, cti_sub8(cti_sub8(l, cti_load8(rest + 8)), cti_sub8(least, w)));
    if (!cti_bits8(cti_lt8(zero, u)))
        return 0;
    cti_scale3_8(cti_div8(cti_set8(1), cti_max8(l, cti_set8(CTI_R(1e-30)))), n, n);
    rate = cti_load8(rest + 16);
    r = cti_min8(u, w), g1 = cti_div8(cti_mul8(rate, r), w);
    /* g = K (r^2 / (2 w) + u - r), energy K (r^3 / (6 w) + (u - r) (w + u - r) / 2) */
    u = cti_sub8(u, r);
    g = cti_mad8(cti_mul8(half, cti_mul8(g1, r)), rate, u);
    *energy = cti_mad8(cti_scale8(CTI_R(1.0) / 6, cti_mul8(g1, cti_mul8(r, r))), cti_mul8(half, rate), cti_mul8(u, cti_add8(w, u)));
    *along = g1;
    cti_spring_blocks(n, g1, cti_div8(g, cti_max8(l, cti_set8(CTI_R(1e-30)))), k);
    for (i = 0; i < 3; i++) {
        kv[i] = cti_mul8(k[3 * i], v[0]);
        for (j = 1; j < 3; j++)
            kv[i] = cti_mad8(kv[i], k[3 * i + j], v[j]);
        f[i] = cti_scale8(t->share, cti_sub8(cti_mul8(g, n[i]), cti_mul8(step, kv[i]))), f[3 + i] = cti_neg8(f[i]);
    }
    return 1;
}

CTI_FN void cti_spring_batch_assemble(const cti_spring_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                      double *out_energy)
{
    /* damped is the elongation of the spring; the stress across it rotates with it and is not damped */
    const cti_r8 scale = cti_set8(dt * dt), viscous = cti_set8(dt * t->damping_stiffness), half = cti_set8(CTI_R(0.5));
    const cti_r8 one = cti_set8(1), zero = cti_set8(0);
    int batch, i;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch), beyond = 0;
        cti_r8 node[6], n[3], f[6], k[27], f1[6], k1[27], e1, a1, rest, length, inverse, d, across;
        cti_r8 rate = cti_load8(t->rest + batch * CTI_SPRING_REST * 8);
        rest = cti_load8(t->rest + (batch * CTI_SPRING_REST + 1) * 8);
        cti_element_gather(x, t->node + 16 * batch, 2, node);
        /* n points from the first node to the second; it is zero where they coincide */
        cti_sub3_8(node + 3, node, n);
        length = cti_sqrt8(cti_dot8(n, n));
        inverse = cti_div8(one, cti_max8(length, cti_set8(CTI_R(1e-30))));
        cti_scale3_8(inverse, n, n);
        d = cti_sub8(length, rest);
        if (t->limit > 0 && t->step > 0)
            beyond = cti_spring_beyond(t, batch, x, f1, k1, &a1, &e1);
        if (out_energy) {
            *out_energy += cti_element_sum(cti_mul8(cti_mul8(half, rate), cti_mul8(d, d)), count);
            *out_energy += beyond ? cti_element_sum(e1, count) : 0;
        }
        if (force) {
            for (i = 0; i < 3; i++)
                f[i] = cti_mul8(cti_mul8(rate, d), n[i]), f[3 + i] = cti_neg8(f[i]);
            for (i = 0; beyond && i < 6; i++)
                f[i] = cti_add8(f[i], f1[i]);
            cti_element_scatter_force(force, t->node + 16 * batch, 2, count, f);
        }
        if (!val)
            continue;
        across = cti_mul8(d, inverse);
        if (t->hessian != CTI_HESSIAN_EXACT)
            across = cti_max8(across, zero);
        e1 = cti_mul8(rate, viscous), rate = cti_mul8(rate, scale);
        cti_spring_blocks(n, cti_add8(rate, beyond ? cti_mad8(e1, viscous, a1) : e1), cti_mul8(rate, across), k);
        for (i = 0; beyond && i < 27; i++)
            k[i] = cti_mad8(k[i], scale, k1[i]);
        cti_element_scatter_blocks(val, t->slot + 32 * batch, 2, count, k);
    }
}

CTI_FN void cti_spring_batch_damping(const cti_spring_batch *t, const ct_real *x, const ct_real *v, ct_real slow, ct_real *out)
{
    const cti_r8 beta = cti_set8(t->damping_stiffness / (1 + slow));
    int batch, i;
    for (batch = 0; t->damping_stiffness > 0 && 8 * batch < t->n; batch++) {
        cti_r8 node[6], rate[6], n[3], dv[3], f[6], f1[6], k1[27], a1, e1, pull, stiff = cti_load8(t->rest + batch * CTI_SPRING_REST * 8);
        cti_element_gather(x, t->node + 16 * batch, 2, node);
        cti_element_gather(v, t->node + 16 * batch, 2, rate);
        cti_sub3_8(node + 3, node, n);
        cti_sub3_8(rate + 3, rate, dv);
        /* beta k n n' dv; 0 where the ends coincide */
        pull = cti_div8(cti_dot8(n, dv), cti_max8(cti_dot8(n, n), cti_set8(CTI_R(1e-30))));
        if (t->limit > 0 && t->step > 0 && cti_spring_beyond(t, batch, x, f1, k1, &a1, &e1))
            stiff = cti_add8(stiff, a1);
        pull = cti_mul8(cti_mul8(beta, stiff), pull);
        for (i = 0; i < 3; i++)
            f[3 + i] = cti_mul8(pull, n[i]), f[i] = cti_neg8(f[3 + i]);
        cti_element_scatter_force(out, t->node + 16 * batch, 2, cti_element_count(t->n, batch), f);
    }
}
