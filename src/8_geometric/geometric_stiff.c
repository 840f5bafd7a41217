/* geometric_stiff.c -- corrections of bodies that resist being deformed by more than their masses.
   Method: a correction of a single node with its mass stores elastic energy in a body of volume elements, whose stiffness h^2 K is up to a million
   times its mass M. There the correction X of a collision is A^-1 S X, A = M + h^2 K + h D being the matrix of the implicit step: of all motions that
   correct as much, the one that takes the least kinetic and elastic energy. A product with the system's matrix is one solve with the body's
   factor. What needs one collision alone (M_c, shares of it, scales of a solve) has the inverse of the node's own block of A, besides that of the
   body's mass, with which it moves as a whole. Cloth that is free keeps the masses of the paper in the solve: across a sheet both do the same. A
   sheet that a script holds somewhere is stretched by what hits it, and is stiff. Corrections X of a free sheet's positions are spread by A^-1, too:
   A^-1 S X stores at most a quarter of the kinetic energy of M^-1 S X in a substep. differs: the paper corrects with masses alone.
   Corrections of speeds before the integration do so here, too: the implicit step that follows carries their impulses on into the body. */
#include "geometric.h"
#include "../8_step/factors.h"

/* sets z <- A^-1 z on a component, in the directions that no script holds */
static void cti_geometric_solve_body(cti_state *s, const cti_component *q, ct_real *z)
{
    cti_factors *f = &s->factors;
    int i;
    for (i = q->begin; i < q->end; i++)
        cti_v3_put(z, f->blocks[i], cti_state_free(s, f->blocks[i], cti_v3_at(z, f->blocks[i])));
    cti_factors_apply(f, q, &q->cache.single, f->blocks + q->begin, z, z, 0);
    for (i = q->begin; i < q->end; i++)
        cti_v3_put(z, f->blocks[i], cti_state_free(s, f->blocks[i], cti_v3_at(z, f->blocks[i])));
}

/* is cti_response_stiff.solve; ctx: the state */
static double cti_geometric_solve_stiff(void *ctx, ct_real *f)
{
    cti_state *s = (cti_state *)ctx;
    const cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    ct_real *z = cti_geometric_own(s)->implicit.scratch;
    double work = 0;
    int i, k;
    for (k = 0; k < CTI_LEN(q->stiff.bodies); k++) {
        const cti_component *c = &s->factors.components[q->stiff.bodies[k]];
        for (i = c->begin; i < c->end; i++)
            cti_v3_put(z, s->factors.blocks[i], cti_v3_zero());
    }
    for (k = 0; k < CTI_LEN(q->stiff.particles); k++)
        cti_v3_put(z, q->blocks[q->stiff.particles[k]], cti_v3_at(f, k));
    for (k = 0; k < CTI_LEN(q->stiff.bodies); k++)
        cti_geometric_solve_body(s, &s->factors.components[q->stiff.bodies[k]], z);
    for (k = 0; k < CTI_LEN(q->stiff.particles); k++) {
        cti_v3 u = cti_v3_at(z, q->blocks[q->stiff.particles[k]]);
        work += (double)cti_v3_dot(cti_v3_at(f, k), u);
        cti_v3_put(f, k, u);
    }
    return work;
}

CTI_FN void cti_geometric_mark_stiff(cti_state *s)
{
    uint8_t *is_stiff = cti_geometric_own(s)->implicit.is_stiff;
    int i;
    for (i = 0; i < s->bodies.n_models; i++)
        if (s->history.last[i] >= 0)
            is_stiff[s->factors.component_of[s->history.block[i]]] = s->bodies.models[i]->tets.n > 0;
    for (i = 0; i < s->n && s->scripts.n_constrained > 0; i++)
        if (s->scripts.filter[i] >= 0)
            is_stiff[s->factors.component_of[i]] = 2;
}

/* lists the stiff particles, their bodies, and estimates of their blocks of A^-1. 0: out of memory */
static int cti_geometric_list_stiff(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_stiff_bodies *t = &g->solve.stiff;
    int i, k, n = CTI_LEN(g->solve.blocks);
    CTI_CLEAR(t->particles), CTI_CLEAR(t->bodies), CTI_CLEAR(t->body_inverse_mass);
    if (!CTI_RESIZE(s->mem, t->body_of, n) || !CTI_RESIZE(s->mem, t->inv, n))
        return 0;
    for (i = 0; i < n; i++) {
        int c = s->factors.component_of[g->solve.blocks[i]];
        const ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[g->solve.blocks[i]];
        t->body_of[i] = -1, t->inv[i] = g->solve.inv[i];
        if (!g->implicit.is_stiff[c])
            continue;
        t->inv[i] = 3 / (D[0] + D[4] + D[8]);
        for (k = 0; k < CTI_LEN(t->bodies) && t->bodies[k] != c; k++) {
        }
        t->body_of[i] = k;
        if ((k == CTI_LEN(t->bodies) && (!CTI_PUSH(s->mem, t->bodies, c) || /* what a script holds does not move as a whole */
                                         !CTI_PUSH(s->mem, t->body_inverse_mass, g->implicit.is_stiff[c] == 2 ? 0 : 1 / g->implicit.body_mass[c]))) ||
            !CTI_PUSH(s->mem, t->particles, i))
            return 0;
    }
    return 1;
}

CTI_FN void cti_geometric_use_matrix(cti_state *s, int matrix)
{
    cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    cti_response_stiff *t = &q->response.stiff;
    matrix &= CTI_LEN(q->stiff.particles) > 0 && s->desc.geometric.scheme != CT_GEOMETRIC_SUCCESSIVE;
    q->response.inv = matrix ? q->stiff.inv : q->inv, q->response.compliance = matrix ? q->stiff.compliance : q->compliance;
    t->n = matrix ? CTI_LEN(q->stiff.particles) : 0, t->particles = q->stiff.particles, t->body_of = q->stiff.body_of;
    t->body_inverse_mass = q->stiff.body_inverse_mass, t->f = q->stiff.f, t->inv = q->inv;
    t->solve = cti_geometric_solve_stiff, t->ctx = s;
}

CTI_FN int cti_geometric_find_stiff(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_solve *q = &g->solve;
    int c, k;
    if (!cti_geometric_list_stiff(s) || !CTI_RESIZE(s->mem, q->stiff.f, 3 * CTI_LEN(q->stiff.particles)) ||
        !CTI_RESIZE(s->mem, q->stiff.compliance, q->response.m))
        return 0;
    cti_geometric_use_matrix(s, 1);
    for (c = 0; c < q->response.m; c++) {
        q->stiff.compliance[c] = cti_geometric_mobility(s, q->stiff.inv, q->start[c], q->start[c + 1], cti_v3_at(q->normal, c));
        for (k = q->start[c]; k < q->start[c + 1]; k++) {
            ct_real S = cti_response_body_weight(&q->response, c, k);
            q->stiff.compliance[c] += S != 0 ? S * S * q->stiff.body_inverse_mass[q->stiff.body_of[q->particle[k]]] : 0;
        }
    }
    return 1;
}

CTI_FN void cti_geometric_spread(cti_state *s, const ct_real *X, ct_real share, int cloth, ct_real *out)
{
    const cti_geometric_solve *q = &cti_geometric_own(s)->solve;
    int i, c;
    for (c = 0; c < q->response.m; c++)
        for (i = q->start[c]; i < q->start[c + 1]; i++)
            cti_v3_addto(out, q->blocks[q->particle[i]], cti_v3_mul(cti_v3_at(X, c), share * q->S[i]));
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *t = &s->factors.components[c];
        int b, matrix = (cloth || cti_geometric_own(s)->implicit.is_stiff[c]) && s->desc.geometric.scheme != CT_GEOMETRIC_SUCCESSIVE;
        if (matrix)
            cti_geometric_solve_body(s, t, out);
        for (i = t->begin; i < t->end && !matrix; i++)
            b = s->factors.blocks[i], cti_v3_put(out, b, cti_v3_mul(cti_state_free(s, b, cti_v3_at(out, b)), s->bodies.inv_mass[b]));
    }
}
