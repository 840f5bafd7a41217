/* geometric_stiff.c -- corrections of bodies that resist being deformed by more than their masses.
   Method: a correction of a single node with its mass stores elastic energy in a body of volume elements, whose stiffness h^2 K is up to a million
   times its mass M. There the correction X of a collision is A^-1 S X, A = M + h^2 K + h D being the matrix of the implicit step: of all motions that
   correct as much, the one that takes the least kinetic and elastic energy. A product with the network's matrix is one solve with the body's
   factor. What needs one collision alone (M_c, shares of it, scales of a solve) has the inverse of the node's own block of A, besides that of the
   body's mass, with which it moves as a whole. Cloth keeps the masses of the paper: across a sheet both do the same. differs: the paper corrects
   with masses alone.
   Corrections of speeds before the integration do so here, too: the implicit step that follows carries their impulses on into the body. */
#include "geometric.h"
#include "../8_step/factors.h"

/* the part of v that no script holds */
static cti_v3 cti_geometric_loose(const cti_state *s, int i, cti_v3 v)
{
    return s->scripts.filter[i] >= 0 ? cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)s->scripts.filter[i], v) : v;
}

/* z <- A^-1 z on a component, in the directions that no script holds */
static void cti_geometric_yield(cti_state *s, const cti_component *q, ct_real *z)
{
    cti_factors *f = &s->factors;
    int i;
    for (i = q->begin; i < q->end; i++)
        cti_v3_put(z, f->blocks[i], cti_geometric_loose(s, f->blocks[i], cti_v3_at(z, f->blocks[i])));
    cti_factors_apply(f, q, &q->cache.single, f->blocks + q->begin, z, z, 0);
    for (i = q->begin; i < q->end; i++)
        cti_v3_put(z, f->blocks[i], cti_geometric_loose(s, f->blocks[i], cti_v3_at(z, f->blocks[i])));
}

/* as cti_net_stiff.solve; ctx: the state */
static double cti_geometric_solve_stiff(void *ctx, ct_real *f)
{
    cti_state *s = (cti_state *)ctx;
    const cti_geometric_net *q = &cti_geometric_own(s)->q;
    ct_real *z = cti_geometric_own(s)->implicit.solve;
    double work = 0;
    int i, k;
    for (k = 0; k < CTI_LEN(q->stiff.bodies); k++) {
        const cti_component *c = &s->factors.components[q->stiff.bodies[k]];
        for (i = c->begin; i < c->end; i++)
            cti_v3_put(z, s->factors.blocks[i], cti_v3_zero());
    }
    for (k = 0; k < CTI_LEN(q->stiff.list); k++)
        cti_v3_put(z, q->blocks[q->stiff.list[k]], cti_v3_at(f, k));
    for (k = 0; k < CTI_LEN(q->stiff.bodies); k++)
        cti_geometric_yield(s, &s->factors.components[q->stiff.bodies[k]], z);
    for (k = 0; k < CTI_LEN(q->stiff.list); k++) {
        cti_v3 u = cti_v3_at(z, q->blocks[q->stiff.list[k]]);
        work += (double)cti_v3_dot(cti_v3_at(f, k), u);
        cti_v3_put(f, k, u);
    }
    return work;
}

/* as cti_net_stiff.whole, of a component */
static ct_real cti_geometric_whole(const cti_state *s, int c)
{
    const cti_component *q = &s->factors.components[c];
    int i, held = 0;
    for (i = q->begin; i < q->end && !held; i++)
        held = s->scripts.filter[s->factors.blocks[i]] >= 0;
    return held ? 0 : 1 / cti_geometric_own(s)->implicit.body_mass[c];
}

/* the stiff particles, their bodies, and estimates of their blocks of A^-1. 0: out of memory */
static int cti_geometric_list_stiff(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_stiffs *t = &g->q.stiff;
    int i, k, n = CTI_LEN(g->q.blocks);
    CTI_CLEAR(t->list), CTI_CLEAR(t->bodies), CTI_CLEAR(t->whole);
    if (!CTI_RESIZE(s->mem, t->body, n) || !CTI_RESIZE(s->mem, t->inv, n))
        return 0;
    for (i = 0; i < n; i++) {
        int c = s->factors.component_of[g->q.blocks[i]];
        const ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[g->q.blocks[i]];
        t->body[i] = -1, t->inv[i] = g->q.inv[i];
        if (!g->implicit.is_stiff[c])
            continue;
        t->inv[i] = 3 / (D[0] + D[4] + D[8]);
        for (k = 0; k < CTI_LEN(t->bodies) && t->bodies[k] != c; k++) {
        }
        t->body[i] = k;
        if ((k == CTI_LEN(t->bodies) && (!CTI_PUSH(s->mem, t->bodies, c) || !CTI_PUSH(s->mem, t->whole, cti_geometric_whole(s, c)))) ||
            !CTI_PUSH(s->mem, t->list, i))
            return 0;
    }
    return 1;
}

CTI_FN void cti_geometric_by(cti_state *s, int matrix)
{
    cti_geometric_net *q = &cti_geometric_own(s)->q;
    cti_net_stiff *t = &q->net.stiff;
    matrix &= CTI_LEN(q->stiff.list) > 0 && s->desc.geometric.scheme != CT_GEOMETRIC_SUCCESSIVE;
    q->net.inv = matrix ? q->stiff.inv : q->inv, q->net.compliance = matrix ? q->stiff.compliance : q->compliance;
    t->n = matrix ? CTI_LEN(q->stiff.list) : 0, t->list = q->stiff.list, t->body = q->stiff.body, t->whole = q->stiff.whole;
    t->f = q->stiff.f, t->inv = q->inv;
    t->solve = cti_geometric_solve_stiff, t->ctx = s;
}

CTI_FN int cti_geometric_stiffen(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_net *q = &g->q;
    int c, k;
    if (!cti_geometric_list_stiff(s) || !CTI_RESIZE(s->mem, q->stiff.f, 3 * CTI_LEN(q->stiff.list)) ||
        !CTI_RESIZE(s->mem, q->stiff.compliance, q->net.m))
        return 0;
    cti_geometric_by(s, 1);
    for (c = 0; c < q->net.m; c++) {
        q->stiff.compliance[c] = cti_geometric_mobility(s, q->stiff.inv, q->start[c], q->start[c + 1], cti_v3_at(q->normal, c));
        for (k = q->start[c]; k < q->start[c + 1]; k++) {
            ct_real S = cti_net_together(&q->net, c, k);
            q->stiff.compliance[c] += S != 0 ? S * S * q->stiff.whole[q->stiff.body[q->particle[k]]] : 0;
        }
    }
    return 1;
}

CTI_FN void cti_geometric_carry(cti_state *s, const ct_real *X, ct_real share, ct_real *out)
{
    const cti_geometric_net *q = &cti_geometric_own(s)->q;
    int i, k, c;
    for (k = 0; k < CTI_LEN(q->stiff.bodies) && q->net.stiff.n; k++) {
        int body = q->stiff.bodies[k];
        const cti_component *t = &s->factors.components[body];
        for (i = t->begin; i < t->end; i++)
            cti_v3_put(out, s->factors.blocks[i], cti_v3_zero());
        for (c = 0; c < q->net.m; c++)
            for (i = q->start[c]; i < q->start[c + 1]; i++)
                if (s->factors.component_of[q->blocks[q->particle[i]]] == body)
                    cti_v3_addto(out, q->blocks[q->particle[i]], cti_v3_mul(cti_v3_at(X, c), share * q->S[i]));
        cti_geometric_yield(s, t, out);
    }
}
