/* layers_clock.c -- the clocks of elements: bounds on their frequencies at rest, and groups of elements with the same clock.
   Method: with stiffness K_e <= diag(kappa) and node masses m shared out among the elements of a kind in proportion to kappa, the largest
   frequency of the assembled kind is at most that of an element with its share (Irons 1971; Fried 1972): w^2 = max over its nodes of
   sum kappa / m. Tets and triangles with a membrane have masses of their own, and w^2 = kappa / m of theirs. An element has an
   event every layers.clock 2 / w seconds or more often. Elements with the same clock are one group, evaluated in lanes of eight; their impulses
   depend on positions at that tick alone, so that their order does not matter. based on: Lew et al. 2003. */
#include "layers.h"
#include "../0_base/sort.h"
#include "../1_math/eig3.h"

/* cti_layers_batch -- refers to the elements of one kind of a model. */
typedef struct cti_layers_batch {
    int n, nn, per; /* count elements, and the nodes and numbers at rest of each */
    double beta;    /* is the coefficient of stiffness damping [s] */
    int32_t *node, **nodes;
    ct_real *rest, **rests;
    int *count;     /* nodes, rests, count: point to the model's own */
} cti_layers_batch;

#define CTI_LAYERS_BATCH(is, field, on, most, numbers, damping)                                                                            \
    if (kind == (is))                                                                                                                      \
    b.n = (on) ? m->field.n : 0, b.nn = (most), b.per = (numbers), b.beta = (double)(damping), b.node = m->field.node, b.rest = m->field.rest, \
    b.nodes = &m->field.node, b.rests = &m->field.rest, b.count = &m->field.n
static cti_layers_batch cti_layers_batch_of(cti_model *m, int kind)
{
    cti_layers_batch b;
    memset(&b, 0, sizeof b);
    CTI_LAYERS_BATCH(CTI_LAYERS_TET, tets, 1, 4, CTI_TET_REST, m->tets.damping_stiffness);
    /* mass-spring cloth has a membrane for its areas only */
    CTI_LAYERS_BATCH(CTI_LAYERS_MEMBRANE, membrane, m->membrane.stiff > 0, 3, CTI_MEMBRANE_REST, m->membrane.damping_stiffness);
    CTI_LAYERS_BATCH(CTI_LAYERS_BEND, bend, 1, 4, CTI_BEND_REST, m->bend.damping_stiffness);
    CTI_LAYERS_BATCH(CTI_LAYERS_PLATE, plates, 1, 6, CTI_PLATE_REST, 0);
    CTI_LAYERS_BATCH(CTI_LAYERS_SPRING, springs, 1, 2, CTI_SPRING_REST, m->springs.damping_stiffness);
    /* the damping of plates */
    CTI_LAYERS_BATCH(CTI_LAYERS_PLATE_DAMPING, bounds, m->bounds.damping_stiffness > 0, 4, CTI_BEND_REST, m->bounds.damping_stiffness);
    return b;
}
#undef CTI_LAYERS_BATCH

/* ---- frequencies ---- */

/* returns number k of element e at rest */
static double cti_layers_rest(const cti_layers_batch *b, int e, int k) { return (double)b->rest[(e / 8 * b->per + k) * 8 + e % 8]; }

/* returns w^2 of a tet: (lambda tr S + 2 mu s) V over a quarter of its mass, S = sum b_a b_a', s its largest eigenvalue */
static double cti_layers_tet(const cti_model *m, const cti_layers_batch *b, int e)
{
    double g[4][3], S[6] = {0, 0, 0, 0, 0, 0};
    ct_real A[6], w[3], V[9];
    int a, k;
    for (k = 0; k < 3; k++) {
        for (a = 0; a < 3; a++)
            g[a][k] = cti_layers_rest(b, e, 3 * a + k);
        g[3][k] = -(g[0][k] + g[1][k] + g[2][k]);
    }
    for (a = 0; a < 4; a++) {
        for (k = 0; k < 3; k++)
            S[k] += g[a][k] * g[a][k];
        S[3] += g[a][1] * g[a][2], S[4] += g[a][0] * g[a][2], S[5] += g[a][0] * g[a][1];
    }
    for (k = 0; k < 6; k++)
        A[k] = (ct_real)S[k];
    cti_eig3(A, w, V);
    return 4 * ((double)m->tets.lambda * (S[0] + S[1] + S[2]) + 2 * (double)m->tets.mu * (double)w[0]) / (double)m->tets.density;
}

/* returns the same of a triangle in plane stress */
static double cti_layers_membrane(const cti_model *m, const cti_layers_batch *b, int e)
{
    double g[3][2], xx = 0, yy = 0, xy = 0, nu = (double)m->membrane.poisson;
    int a, k;
    for (k = 0; k < 2; k++) {
        g[0][k] = cti_layers_rest(b, e, k), g[1][k] = cti_layers_rest(b, e, 2 + k);
        g[2][k] = -(g[0][k] + g[1][k]);
    }
    for (a = 0; a < 3; a++)
        xx += g[a][0] * g[a][0], yy += g[a][1] * g[a][1], xy += g[a][0] * g[a][1];
    return 3 * (double)m->membrane.stiff * (nu * (xx + yy) + (1 - nu) * ((xx + yy) / 2 + sqrt((xx - yy) * (xx - yy) / 4 + xy * xy))) /
           (double)m->membrane.areal_density;
}

/* bounds |grad theta|^2 of a hinge by 1 / h1^2 + 1 / h2^2 + (1 / h1 + 1 / h2)^2 with the heights over the edge */
static double cti_layers_hinge(const ct_real *X, const int32_t *node, double least)
{
    cti_v3 o = cti_v3_at(X, node[0]), e = cti_v3_sub(cti_v3_at(X, node[1]), o);
    double n1 = (double)cti_v3_norm2(cti_v3_cross(e, cti_v3_sub(cti_v3_at(X, node[2]), o)));
    double n2 = (double)cti_v3_norm2(cti_v3_cross(e, cti_v3_sub(cti_v3_at(X, node[3]), o))), l2 = (double)cti_v3_norm2(e), a, b;
    a = sqrt(l2 / cti_fmax(n1, least)), b = sqrt(l2 / cti_fmax(n2, least));
    return a * a + b * b + (a + b) * (a + b);
}

/* returns kappa of an element without a mass of its own */
static double cti_layers_kappa(const cti_model *m, const cti_layers_batch *b, int kind, int e, const ct_real *X)
{
    const int32_t *node = b->node + (size_t)b->nn * (size_t)e;
    double sum = 0, held = 0;
    int k;
    switch (kind) {
    case CTI_LAYERS_SPRING: /* with the strain limit at its stiffest (spring.c) */
        if (m->springs.limit > 0)
            held = cti_layers_rest(b, e, 2);
        return 2 * (cti_layers_rest(b, e, 0) + held);
    case CTI_LAYERS_PLATE: /* G <= 3 diag G */
        for (k = 0; k < 3; k++) {
            int32_t hinge[4];
            hinge[0] = node[(k + 1) % 3], hinge[1] = node[(k + 2) % 3], hinge[2] = node[k], hinge[3] = node[3 + k];
            sum += 3 * cti_layers_rest(b, e, k) * cti_layers_hinge(X, hinge, cti_layers_rest(b, e, 9 + k));
        }
        return sum;
    case CTI_LAYERS_PLATE_DAMPING:
        return cti_layers_rest(b, e, 3) * cti_layers_hinge(X, node, cti_layers_rest(b, e, 2));
    default:
        return cti_fmax(cti_layers_rest(b, e, 0), cti_layers_rest(b, e, 3)) * cti_layers_hinge(X, node, cti_layers_rest(b, e, 2));
    }
}

/* returns the smallest height of an element at rest [m] */
static double cti_layers_height(const cti_layers_batch *b, int kind, int e, const ct_real *X)
{
    const int32_t *v = b->node + (size_t)b->nn * (size_t)e;
    cti_v3 x = cti_v3_at(X, v[0]), p = cti_v3_sub(cti_v3_at(X, v[1]), x), q, r;
    double area, longest;
    if (kind == CTI_LAYERS_SPRING)
        return (double)cti_v3_norm(p);
    q = cti_v3_sub(cti_v3_at(X, v[2]), x);
    area = (double)cti_v3_norm(cti_v3_cross(p, q));
    longest = sqrt((double)cti_max(cti_v3_norm2(cti_v3_sub(p, q)), cti_max(cti_v3_norm2(p), cti_v3_norm2(q))));
    if (kind != CTI_LAYERS_TET)
        return longest > 0 ? area / longest : 0;
    r = cti_v3_sub(cti_v3_at(X, v[3]), x);
    longest =
        cti_fmax(cti_fmax(area, (double)cti_v3_norm(cti_v3_cross(q, r))),
                 cti_fmax((double)cti_v3_norm(cti_v3_cross(p, r)), (double)cti_v3_norm(cti_v3_cross(cti_v3_sub(q, p), cti_v3_sub(r, p)))));
    return fabs((double)cti_v3_dot(cti_v3_cross(p, q), r)) / longest;
}

/* bounds the frequencies `out` and measures the heights of one kind of a model; sum [n blocks] is scratch, 0 between uses */
static void cti_layers_frequencies(const cti_state *s, cti_model *m, int kind, const ct_real *X, double *sum, double *out,
                                    double *size)
{
    cti_layers_batch b = cti_layers_batch_of(m, kind);
    int e, a;
    for (e = 0; e < b.n; e++)
        out[e] = kind == CTI_LAYERS_TET        ? cti_layers_tet(m, &b, e)
                 : kind == CTI_LAYERS_MEMBRANE ? cti_layers_membrane(m, &b, e)
                                               : cti_layers_kappa(m, &b, kind, e, X);
    if (kind != CTI_LAYERS_TET && kind != CTI_LAYERS_MEMBRANE) {
        for (e = 0; e < b.n; e++)
            for (a = 0; a < b.nn; a++)
                sum[b.node[b.nn * e + a]] += out[e] / (double)s->bodies.mass[b.node[b.nn * e + a]];
        for (e = 0; e < b.n; e++)
            for (out[e] = 0, a = 0; a < b.nn; a++)
                out[e] = cti_fmax(out[e], sum[b.node[b.nn * e + a]]);
        for (e = 0; e < b.n * b.nn; e++)
            sum[b.node[e]] = 0;
    }
    for (e = 0; e < b.n; e++) {
        out[e] = sqrt(cti_layers_tuned.clock.stiffen * out[e]);
        size[e] = cti_layers_height(&b, kind, e, X);
    }
}

/* sets on_surface; mark [n blocks] is scratch */
static void cti_layers_mark_surface(cti_state *s, uint8_t *mark)
{
    cti_layers_clocks *c = &cti_layers_own(s)->clocks;
    int m, k, e, i;
    if (!s->n)
        return;
    memset(mark, 0, (size_t)s->n);
    for (i = cti_surface_dynamic(&s->surface, 0); i < s->surface.nv; i = cti_surface_dynamic(&s->surface, i + 1)) {
        const cti_attach *a = cti_surface_attach(&s->surface, i);
        for (k = 0; k < a->n; k++)
            mark[a->block[k]] = 1;
    }
    for (m = 0; m < s->bodies.n_models; m++)
        for (k = 0; k < CTI_LAYERS_KINDS; k++) {
            cti_layers_batch b = cti_layers_batch_of(s->bodies.models[m], k);
            uint8_t *bare = c->on_surface + c->first[CTI_LAYERS_KINDS * m + k];
            for (e = 0; e < b.n * b.nn; e++)
                bare[e / b.nn] = (uint8_t)((e % b.nn ? bare[e / b.nn] : 0) | mark[b.node[e]]);
        }
}

/* sets block_frequency and neighbour_frequency */
static void cti_layers_neighbours(cti_state *s)
{
    cti_layers_clocks *c = &cti_layers_own(s)->clocks;
    int m, k, e, pass;
    for (pass = 0; pass < 2; pass++)
        for (m = 0; m < s->bodies.n_models; m++)
            for (k = 0; k < CTI_LAYERS_KINDS; k++) {
                cti_layers_batch b = cti_layers_batch_of(s->bodies.models[m], k);
                double *w = c->frequency + c->first[CTI_LAYERS_KINDS * m + k], *around = c->neighbour_frequency + c->first[CTI_LAYERS_KINDS * m + k];
                for (e = 0; e < b.n * b.nn; e++) {
                    double *at = &c->block_frequency[b.node[e]], *one = &around[e / b.nn];
                    if (pass == 0)
                        *at = cti_fmax(*at, w[e / b.nn]);
                    else
                        *one = e % b.nn ? cti_fmax(*one, *at) : *at;
                }
            }
}

CTI_FN int cti_layers_clocks_measure(cti_state *s, const ct_real *X)
{
    cti_layers_clocks *c = &cti_layers_own(s)->clocks;
    double *sum = NULL;
    uint8_t *mark = NULL;
    int m, k, i, n = 0,
                 ok = CTI_RESIZE(&s->prepared, c->first, CTI_LAYERS_KINDS * s->bodies.n_models + 1) && CTI_RESIZE(&s->prepared, sum, s->n) &&
                      CTI_RESIZE(&s->prepared, mark, s->n);
    for (m = 0; ok && m < s->bodies.n_models; m++)
        for (k = 0; k < CTI_LAYERS_KINDS; k++) {
            c->first[CTI_LAYERS_KINDS * m + k] = n;
            n += cti_layers_batch_of(s->bodies.models[m], k).n;
        }
    ok = ok && CTI_RESIZE(&s->prepared, c->frequency, n) && CTI_RESIZE(&s->prepared, c->height, n) &&
         CTI_RESIZE(&s->prepared, c->neighbour_frequency, n) && CTI_RESIZE(&s->prepared, c->on_surface, n) &&
         CTI_RESIZE(&s->prepared, c->block_frequency, s->n);
    for (i = 0; ok && i < s->n; i++)
        sum[i] = 0, c->block_frequency[i] = 0;
    for (m = 0; ok && m < s->bodies.n_models; m++)
        for (k = 0; k < CTI_LAYERS_KINDS; k++)
            cti_layers_frequencies(s, s->bodies.models[m], k, X, sum, c->frequency + c->first[CTI_LAYERS_KINDS * m + k],
                                    c->height + c->first[CTI_LAYERS_KINDS * m + k]);
    if (ok) {
        cti_layers_neighbours(s);
        cti_layers_mark_surface(s, mark);
    }
    CTI_FREE(&s->prepared, mark);
    CTI_FREE(&s->prepared, sum);
    return ok;
}

/* ---- groups ---- */

/* makes a copy of a model without elements, and without the slots by which they are summed */
static void cti_layers_part(const cti_model *m, cti_model *out)
{
    int k;
    *out = *m;
    for (k = 0; k < CTI_LAYERS_KINDS; k++) {
        cti_layers_batch b = cti_layers_batch_of(out, k);
        *b.nodes = NULL, *b.rests = NULL, *b.count = 0;
    }
    out->tets.slot = out->membrane.slot = out->bend.slot = out->springs.slot = out->bounds.slot = NULL;
    memset(&out->rods, 0, sizeof out->rods);
    memset(&out->pattern, 0, sizeof out->pattern);
    out->lumps = NULL;
}

/* copies the elements take [n] of a batch */
static int cti_layers_copy(cti_mem *mem, const cti_layers_batch *b, const int32_t *take, int n, int32_t **node, ct_real **rest)
{
    int e, a, lanes = (n + 7) / 8 * 8;
    if (!CTI_RESIZE(mem, *node, b->nn * lanes) || !CTI_RESIZE(mem, *rest, (size_t)b->per * (size_t)lanes))
        return 0;
    for (e = 0; e < lanes; e++) {
        int source = take[cti_min_int(e, n - 1)];
        for (a = 0; a < b->nn; a++)
            (*node)[b->nn * e + a] = b->node[b->nn * source + a];
        for (a = 0; a < b->per; a++)
            (*rest)[(e / 8 * b->per + a) * 8 + e % 8] = (ct_real)cti_layers_rest(b, source, a);
    }
    return 1;
}

/* bounds the rate of the damping of the elements of a part, over their stretch as cti_model.slow has it; fastest: their largest frequency.
   Of hinges, D = beta k grad theta grad theta', it is the largest sum of beta k / m at a node; sum [3 n blocks] is scratch */
static double cti_layers_damping_rate(const cti_state *s, cti_model *m, int kind, double fastest, ct_real *sum)
{
    cti_layers_batch b = cti_layers_batch_of(m, kind);
    double most = 0;
    int i;
    if (kind != CTI_LAYERS_BEND && kind != CTI_LAYERS_PLATE_DAMPING)
        return b.beta * fastest * fastest / cti_layers_tuned.clock.stiffen;
    for (i = 0; i < 4 * b.n; i++)
        sum[3 * b.node[i]] = 0;
    for (i = 0; i < 4 * b.n; i++) {
        sum[3 * b.node[i]] += (ct_real)(b.beta * cti_layers_rest(&b, i / 4, 3)) / s->bodies.mass[b.node[i]];
        most = cti_fmax(most, (double)sum[3 * b.node[i]]);
    }
    return most;
}

/* adds a group of the elements take [n], all of one level; mark [blocks] is 0 between uses. 0: out of memory */
static int cti_layers_group_add(cti_state *s, int model, int kind, const int32_t *take, int n, int level, uint8_t *mark)
{
    cti_layers_clocks *c = &cti_layers_own(s)->clocks;
    cti_layers_batch b = cti_layers_batch_of(s->bodies.models[model], kind), part;
    const double *w = c->frequency + c->first[CTI_LAYERS_KINDS * model + kind], *l = c->height + c->first[CTI_LAYERS_KINDS * model + kind];
    cti_layers_group *g;
    int e, a, k = CTI_LEN(c->groups);
    double fastest = 0, size = 0;
    if (!CTI_RESIZE(&s->prepared, c->groups, k + 1))
        return 0;
    g = &c->groups[k];
    g->n = n, g->level = g->base_level = level, g->blocks = NULL;
    cti_layers_part(s->bodies.models[model], &g->part);
    cti_model_ahead(&g->part, 1, 1, NULL); /* strain limits act */
    part = cti_layers_batch_of(&g->part, kind);
    if (!cti_layers_copy(&s->prepared, &b, take, n, part.nodes, part.rests))
        return 0;
    *part.count = n;
    for (e = 0; e < n; e++) {
        fastest = cti_fmax(fastest, w[take[e]]);
        size = e == 0 ? l[take[e]] : cti_fmin(size, l[take[e]]);
        for (a = 0; a < b.nn; a++)
            mark[(*part.nodes)[b.nn * e + a]] = 1;
    }
    g->height = size;
    g->damping_rate = cti_layers_damping_rate(s, &g->part, kind, fastest, cti_layers_own(s)->nodes.force);
    for (e = 0, a = 0; e < s->n; e++)
        a += mark[e];
    if (!CTI_RESIZE(&s->prepared, g->blocks, a))
        return 0;
    for (e = 0, a = 0; e < s->n; e++)
        if (mark[e])
            g->blocks[a++] = e, mark[e] = 0;
    return 1;
}

/* returns the longest time between two events of an element [s]; elements are numbered over all models */
static double cti_layers_element_period(const cti_state *s, int e)
{
    const cti_layers *y = cti_layers_own(s);
    double h = cti_fmin(2 * (double)s->desc.layers.clock / y->clocks.frequency[e],
                        cti_layers_tuned.clock.phase_nodes / y->clocks.neighbour_frequency[e]);
    return y->clocks.on_surface[e] ? cti_fmin(h, cti_layers_tuned.clock.phase_layers * (double)s->desc.layers.clock / (y->frequency * 10)) : h;
}

/* adds the groups of one kind of a model; take [elements] is scratch */
static int cti_layers_group_kind(cti_state *s, int model, int kind, double dt, int32_t *take, uint8_t *mark)
{
    int first = cti_layers_own(s)->clocks.first[CTI_LAYERS_KINDS * model + kind];
    int n = cti_layers_batch_of(s->bodies.models[model], kind).n, e, level, m, done = 0;
    for (level = 0; level <= CTI_LAYERS_LEVELS && done < n; level++) {
        for (e = 0, m = 0; e < n; e++)
            if (cti_layers_level(dt, cti_layers_element_period(s, first + e)) == level)
                take[m++] = e;
        if (m > 0 && !cti_layers_group_add(s, model, kind, take, m, level, mark))
            return 0;
        done += m;
    }
    return 1;
}

static void cti_layers_groups_free(cti_mem *mem, cti_layers_clocks *c)
{
    int i;
    for (i = 0; i < CTI_LEN(c->groups); i++) {
        cti_model_free(mem, &c->groups[i].part);
        CTI_FREE(mem, c->groups[i].blocks);
    }
    CTI_CLEAR(c->groups);
}

/* returns the level of gravity and mass damping */
static int cti_layers_body_force_level(const cti_state *s, double dt)
{
    double g = (double)cti_v3_norm(cti_v3_at(s->desc.gravity, 0)), alpha = 0, h = dt;
    int i;
    for (i = 0; i < s->n; i++)
        alpha = cti_fmax(alpha, (double)s->bodies.alpha[i]);
    if (g > 0)
        h = cti_fmin(h, sqrt(8 * cti_layers_tuned.clock.fall * (double)s->desc.thickness / g));
    if (alpha > 0)
        h = cti_fmin(h, cti_layers_tuned.clock.decay / alpha);
    return cti_layers_level(dt, h);
}

/* sets block_start and block_force, and reserves the forces. 0: out of memory */
static int cti_layers_clocks_index(cti_state *s)
{
    cti_layers_clocks *c = &cti_layers_own(s)->clocks;
    int g, i, n = 0;
    for (g = 0; g < CTI_LEN(c->groups); g++) {
        c->groups[g].first_force = n;
        n += CTI_LEN(c->groups[g].blocks);
    }
    if (!CTI_RESIZE(&s->prepared, c->block_start, s->n + 1) || !CTI_RESIZE(&s->prepared, c->block_force, 2 * n) ||
        !CTI_RESIZE(&s->prepared, c->force, 3 * n) || !CTI_RESIZE(&s->prepared, c->force_saved, 3 * n) ||
        !CTI_RESIZE(&s->prepared, c->lag, CTI_LEN(c->groups)))
        return 0;
    for (i = 0; i <= s->n; i++)
        c->block_start[i] = 0;
    for (g = 0; g < CTI_LEN(c->groups); g++)
        for (i = 0; i < CTI_LEN(c->groups[g].blocks); i++)
            c->block_start[c->groups[g].blocks[i] + 1]++;
    cti_sort_starts(c->block_start, (size_t)s->n);
    for (g = CTI_LEN(c->groups) - 1; g >= 0; g--) /* fills each block's entries from the last one on */
        for (i = 0; i < CTI_LEN(c->groups[g].blocks); i++) {
            int32_t *e = c->block_force + 2 * (size_t)(--c->block_start[c->groups[g].blocks[i] + 1]);
            e[0] = g, e[1] = c->groups[g].first_force + i;
        }
    for (i = 0; i < s->n; i++) /* each start has moved to that of the block before */
        c->block_start[i] = c->block_start[i + 1];
    c->block_start[s->n] = n;
    return 1;
}

CTI_FN void cti_layers_clocks_forces(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_clocks *c = &y->clocks;
    int g, i, extended = 0;
    for (g = 0; g < CTI_LEN(c->groups); g++) {
        const cti_layers_group *q = &c->groups[g];
        cti_model_assemble(&q->part, y->nodes.x_rounded, 0, y->nodes.force, NULL, &extended, NULL);
        for (i = 0; i < CTI_LEN(q->blocks); i++) {
            cti_v3_put(c->force, q->first_force + i, cti_v3_at(y->nodes.force, q->blocks[i]));
            cti_v3_put(y->nodes.force, q->blocks[i], cti_v3_zero());
        }
    }
}

/* returns the largest frequency of an element at a node that moves a surface [rad/s]; 0: there is none */
static double cti_layers_fastest(const cti_layers_clocks *c)
{
    double w = 0;
    int e;
    for (e = 0; e < CTI_LEN(c->neighbour_frequency); e++)
        if (c->on_surface[e])
            w = cti_fmax(w, c->neighbour_frequency[e]);
    return w;
}

CTI_FN int cti_layers_clocks_set(cti_state *s, double dt)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_clocks *c = &y->clocks;
    int32_t *take = NULL;
    uint8_t *mark = NULL;
    double fastest;
    int m, k, l, ok, most = s->desc.layers.max_layers;
    if (c->dt == dt)
        return 1;
    c->dt = 0;
    cti_layers_groups_free(&s->prepared, c);
    ok = CTI_RESIZE(&s->prepared, take, CTI_LEN(c->frequency) + 1) && CTI_RESIZE(&s->prepared, mark, s->n + 1) &&
         CTI_RESIZE(&s->prepared, c->level_of, most + 1);
    for (m = 0; ok && m <= s->n; m++)
        mark[m] = 0;
    for (m = 0; ok && m < s->bodies.n_models; m++)
        for (k = 0; ok && k < CTI_LAYERS_KINDS; k++)
            ok = cti_layers_group_kind(s, m, k, dt, take, mark);
    CTI_FREE(&s->prepared, take);
    CTI_FREE(&s->prepared, mark);
    if (!ok || !cti_layers_clocks_index(s))
        return 0;
    for (k = 0; k <= CTI_LAYERS_LEVELS; k++)
        y->set[k].first = y->set[k].last = 0;
    fastest = cti_layers_fastest(c);
    for (l = 1; l <= most; l++) {
        double h = cti_layers_period(y->frequency, l, (double)s->desc.layers.layer_clock);
        k = c->level_of[l] = cti_layers_level(dt, fastest > 0 ? cti_fmin(h, cti_layers_tuned.clock.phase_nodes / fastest) : h);
        y->set[k].first = y->set[k].first ? y->set[k].first : l;
        y->set[k].last = l;
    }
    /* gravity has as many events as elements: its impulse while a node bounces works along the speed at that moment, not along the mean speed. With
       16 times fewer events the energy of a jelly that bounces has three times the error */
    c->body_force_level = cti_layers_body_force_level(s, dt);
    for (k = 0; k < CTI_LEN(c->groups); k++)
        c->body_force_level = cti_max_int(c->body_force_level, c->groups[k].base_level);
    c->dt = dt;
    return 1;
}

CTI_FN void cti_layers_clocks_speed(cti_state *s, double speed)
{
    cti_layers_clocks *c = &cti_layers_own(s)->clocks;
    int i;
    for (i = 0; i < CTI_LEN(c->groups); i++) {
        cti_layers_group *g = &c->groups[i];
        g->level = g->base_level;
        if (speed > 0)
            g->level = cti_max_int(g->level, cti_layers_level(c->dt, cti_layers_tuned.clock.courant * g->height / speed));
    }
}
