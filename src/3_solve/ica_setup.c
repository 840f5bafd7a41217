/* ica_setup.c -- set-up of ICA: clusters, their tiles of D^-1, and the legs of the contacts.
   Method: the rows and columns of D^-1 at blocks that contacts touch (ports) are stored as float tiles. A contact has one leg in each of
   its clusters, which is D^-1 J' restricted to it. Based on: Otaduy 2009, sec. 5.2. */
#include "ica_kernel.h"
#include "ica_state.h"
#include "../2_linalg/dense.h"

static int cti_ica_make_clusters(cti_ica *s)
{
    const cti_problem *p = s->p;
    int n = p->A->n, c, k, nodes = p->split.n_clusters == 0;
    s->n_clusters = nodes ? n : p->split.n_clusters;
    s->clusters = CTI_ARENA_ZERO(s->arena, cti_ica_cluster, s->n_clusters);
    s->map.cluster_of = CTI_ARENA_NEW(s->arena, int32_t, n);
    s->map.port_of = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!s->clusters || !s->map.cluster_of || !s->map.port_of)
        return 0;
    for (k = 0; k < n; k++)
        s->map.cluster_of[k] = s->map.port_of[k] = -1;
    for (c = 0; c < s->n_clusters; c++) {
        cti_ica_cluster *q = &s->clusters[c];
        if (nodes) {
            int32_t *one = s->map.cluster_of + c; /* the identity list is the map itself */
            *one = c;
            q->blocks = one;
            q->n = 1;
        } else {
            q->hook = &p->split.clusters[c];
            q->blocks = q->hook->blocks;
            q->n = q->hook->n;
            for (k = 0; k < q->n; k++)
                s->map.cluster_of[q->blocks[k]] = c;
        }
        s->map.max_blocks = cti_max_int(s->map.max_blocks, q->n);
    }
    return 1;
}

/* finds whether A couples different clusters, since such a splitting needs more than one outer iteration */
static void cti_ica_find_coupling(cti_ica *s)
{
    const cti_bsr *A = s->p->A;
    int i, k;
    for (i = 0; i < A->n && !s->coupled; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            s->coupled |= s->map.cluster_of[A->col[k]] != s->map.cluster_of[i];
    for (i = 0; i < s->p->n_rows; i++)
        s->map.jointed |= s->p->rows[i].equations != 0;
}

/* ports: blocks that contacts touch, in the order of their first row */
static int cti_ica_make_ports(cti_ica *s)
{
    const cti_problem *p = s->p;
    int i, k, c;
    int32_t *at;
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++) {
            int b = p->rows[i].term[k].block;
            if (s->map.port_of[b] < 0)
                s->map.port_of[b] = s->clusters[s->map.cluster_of[b]].n_ports++;
        }
    for (c = 0; c < s->n_clusters; c++) {
        cti_ica_cluster *q = &s->clusters[c];
        if (q->n_ports == 0)
            continue;
        at = CTI_ARENA_NEW(s->arena, int32_t, q->n_ports);
        if (!at)
            return 0;
        q->ports = at;
        for (k = 0; k < q->n; k++)
            if (s->map.port_of[q->blocks[k]] >= 0)
                at[s->map.port_of[q->blocks[k]]] = k;
        q->du = s->tiles.n_du;
        q->ld = cti_ica_is_node(q) ? 4 : (3 * q->n_ports + 7) & ~7;
        s->tiles.n_du += (size_t)q->ld;
        /* blocks are read four numbers at a time: the fourth of the last one may not be another cluster's, which another worker may write */
        if (3 * q->n_ports == q->ld)
            s->tiles.n_du += 8;
    }
    s->du = CTI_ARENA_ZERO(s->arena, float, s->tiles.n_du + 8);
    return s->du != NULL;
}

/* D^-1 of a cluster without hooks: the dense inverse of A's sub-matrix */
static int cti_ica_invert(cti_ica *s, cti_ica_cluster *q, int32_t *local)
{
    const cti_bsr *A = s->p->A;
    int n3 = 3 * q->n, i, k, r, c;
    q->ld_inverse = (n3 + 7) & ~7;
    q->inverse = CTI_ARENA_ZERO(s->arena, float, (size_t)n3 * (size_t)q->ld_inverse);
    if (!q->inverse)
        return 0;
    for (i = 0; i < q->n; i++)
        local[q->blocks[i]] = i;
    for (i = 0; i < q->n; i++)
        for (k = A->row[q->blocks[i]]; k < A->row[q->blocks[i] + 1]; k++) {
            int j = local[A->col[k]];
            if (j < 0)
                continue;
            for (r = 0; r < 3; r++)
                for (c = 0; c < 3; c++)
                    q->inverse[(size_t)(3 * i + r) * (size_t)q->ld_inverse + (size_t)(3 * j + c)] =
                        (float)A->val[9 * (size_t)k + (size_t)(3 * r + c)];
        }
    for (i = 0; i < q->n; i++)
        local[q->blocks[i]] = -1;
    return cti_dense32_invert_spd(q->inverse, n3, q->ld_inverse) >= 0;
}

/* the tile of such a cluster: the rows and columns of its inverse at the ports */
static int cti_ica_restrict(cti_ica *s, cti_ica_cluster *q)
{
    int i, j, r, c;
    float *C = CTI_ARENA_ZERO(s->arena, float, (size_t)(3 * q->n_ports) * (size_t)q->ld);
    if (!C)
        return 0;
    for (i = 0; i < q->n_ports; i++)
        for (j = 0; j < q->n_ports; j++)
            for (r = 0; r < 3; r++)
                for (c = 0; c < 3; c++)
                    C[(size_t)(3 * i + r) * (size_t)q->ld + (size_t)(3 * j + c)] =
                        q->inverse[(size_t)(3 * q->ports[i] + r) * (size_t)q->ld_inverse + (size_t)(3 * q->ports[j] + c)];
    q->C = C;
    return 1;
}

/* the nodes: their sweeps, and their D^-1 as tiles. Without coupling, a node that no contact touches keeps the free motion that it came
   with, unless the start need not be one (`cold`) */
static int cti_ica_make_nodes(cti_ica *s)
{
    int32_t *blocks = CTI_ARENA_NEW(s->arena, int32_t, s->n_clusters);
    int c, n = 0;
    if (!blocks)
        return 0;
    for (c = 0; c < s->n_clusters; c++)
        s->map.grouped += !cti_ica_is_node(&s->clusters[c]);
    for (c = 0; c < s->n_clusters; c++)
        if (cti_ica_is_node(&s->clusters[c]) && (s->coupled || s->clusters[c].n_ports || s->map.cold))
            blocks[n++] = s->clusters[c].blocks[0];
    if (n == 0)
        return 1;
    if (!cti_nodes_init(&s->nodes, s->arena, s->p->A, blocks, n))
        return 0;
    for (c = 0, n = 0; n < s->nodes.n; c++)
        if (s->clusters[c].blocks[0] == blocks[n])
            s->clusters[c].C = s->nodes.inverse + 12 * (size_t)n++;
    return 1;
}

/* the tiles of clusters with hooks: a list of those to be filled, and scratch of each worker */
typedef struct cti_ica_fills {
    cti_ica *s;
    int32_t *list;
    float *work;
    size_t most;
} cti_ica_fills;

static void cti_ica_fill_range(int begin, int end, int worker, void *context)
{
    const cti_ica_fills *q = (const cti_ica_fills *)context;
    for (; begin < end; begin++) {
        cti_ica_cluster *c = &q->s->clusters[q->list[begin]];
        c->hook->fill(c->hook->ctx, c->ports, c->n_ports, c->C, q->work + q->most * (size_t)worker);
    }
}

static int cti_ica_hook_tiles(cti_ica *s)
{
    cti_ica_fills q;
    int c, n = 0;
    q.s = s, q.most = 0;
    q.list = CTI_ARENA_NEW(s->arena, int32_t, s->n_clusters);
    for (c = 0; q.list && c < s->n_clusters; c++) {
        cti_ica_cluster *k = &s->clusters[c];
        size_t work = 0;
        if (!k->hook || !k->hook->solve || !k->n_ports)
            continue;
        if (!k->hook->compliance(k->hook->ctx, k->ports, k->n_ports, &k->C, &k->ld, &work))
            return 0;
        if (work > 0)
            q.list[n++] = c;
        q.most = work > q.most ? work : q.most;
    }
    q.most = (q.most + 15) & ~(size_t)15;
    q.work = CTI_ARENA_NEW(s->arena, float, q.most * (size_t)cti_tasks_workers(s->p->tasks));
    if (!q.list || !q.work)
        return 0;
    cti_tasks_run_work(s->p->tasks, cti_ica_fill_range, n, cti_solve_tuned.costs.tile, &q);
    return 1;
}

static int cti_ica_make_tiles(cti_ica *s)
{
    int c, n = s->p->A->n, k;
    int32_t *local = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!local || !cti_ica_make_nodes(s) || !cti_ica_hook_tiles(s))
        return 0;
    for (k = 0; k < n; k++)
        local[k] = -1;
    for (c = 0; c < s->n_clusters; c++) {
        cti_ica_cluster *q = &s->clusters[c];
        if ((q->hook && q->hook->solve) || cti_ica_is_node(q))
            continue;
        if (!cti_ica_invert(s, q, local) || (q->n_ports && !cti_ica_restrict(s, q)))
            return 0;
    }
    return 1;
}

static void cti_ica_make_term(cti_ica *s, const cti_row *row, int k, cti_ica_term *t)
{
    int b = row->term[k].block, i, j;
    ct_real G[9];
    cti_row_map(row, k, G);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            t->G[3 * j + i] = (float)G[3 * i + j];
    t->G[9] = 0;
    t->at = (int32_t)(s->clusters[s->map.cluster_of[b]].du + 3 * (size_t)s->map.port_of[b]);
}

/* the position of a row's terms, and its legs, one for each cluster */
static void cti_ica_make_legs(cti_ica *s, int i, int32_t *leg, int32_t *term, size_t *w)
{
    const cti_row *row = &s->p->rows[i];
    cti_ica_contact *q = &s->contacts[i];
    int k, j;
    q->leg0 = *leg, q->term0 = *term;
    *term += row->n;
    for (k = 0; k < row->n; k++) {
        cti_ica_leg *L;
        for (j = q->leg0; j < *leg && s->tiles.legs[j].cluster != s->map.cluster_of[row->term[k].block]; j++)
            ;
        if (j < *leg)
            continue;
        L = &s->tiles.legs[(*leg)++];
        L->cluster = s->map.cluster_of[row->term[k].block];
        L->ld = s->clusters[L->cluster].ld, L->du = s->clusters[L->cluster].du;
        L->w = *w;
        *w += 3 * (size_t)L->ld;
    }
    q->n_legs = *leg - q->leg0, q->n_terms = row->n;
}

/* W = C (S G)' of a leg, stored by columns; C is symmetric, so its columns are its rows. B += G W */
static void cti_ica_fill_leg(cti_ica *s, const cti_row *row, cti_ica_contact *q, const cti_ica_leg *L)
{
    const cti_ica_cluster *c = &s->clusters[L->cluster];
    int k, a, i, j;
    float *W = s->tiles.W + L->w;
    memset(W, 0, sizeof(float) * 3 * (size_t)c->ld);
    for (k = 0; k < row->n; k++) {
        ct_real Gt[9];
        float g[9];
        int b = row->term[k].block;
        if (s->map.cluster_of[b] != L->cluster)
            continue;
        cti_row_map_t(s->p, row, k, Gt);
        for (a = 0; a < 9; a++)
            g[a] = (float)Gt[a];
        cti_ica_columns(c->ld, c->C + (size_t)(3 * s->map.port_of[b]) * (size_t)c->ld, g, W);
    }
    for (k = 0; k < row->n; k++) {
        const cti_ica_term *t = &s->tiles.terms[q->term0 + k];
        if (s->map.cluster_of[row->term[k].block] != L->cluster)
            continue;
        for (i = 0; i < 3; i++)
            for (a = 0; a < 3; a++)
                for (j = 0; j < 3; j++)
                    q->local.B[3 * i + a] +=
                        (ct_real)t->G[3 * j + i] * (ct_real)W[(size_t)a * (size_t)c->ld + (size_t)t->at - L->du + (size_t)j];
    }
}

/* finds the contacts whose nodes no other contact touches. touched [n_clusters], zeros */
static void cti_ica_find_single(cti_ica *s, int32_t *touched)
{
    int i, k;
    for (i = 0; i < s->p->n_rows; i++)
        for (k = 0; k < s->contacts[i].n_legs; k++)
            touched[s->tiles.legs[s->contacts[i].leg0 + k].cluster]++;
    for (i = 0; i < s->p->n_rows; i++) {
        cti_ica_contact *q = &s->contacts[i];
        q->single = 1;
        for (k = 0; k < q->n_legs; k++) {
            int c = s->tiles.legs[q->leg0 + k].cluster;
            q->single &= touched[c] == 1 && cti_ica_is_node(&s->clusters[c]);
        }
    }
}

/* assigns each contact between nodes to the last of its nodes in a sweep */
static int cti_ica_make_own(cti_ica *s)
{
    int i, k, n = s->nodes.n, *last = CTI_ARENA_NEW(s->arena, int, s->p->n_rows);
    int32_t *rank = CTI_ARENA_NEW(s->arena, int32_t, s->p->A->n);
    s->map.at_node = CTI_ARENA_ZERO(s->arena, int32_t, n + 2), s->map.of_node = CTI_ARENA_NEW(s->arena, int32_t, s->p->n_rows);
    if (!last || !rank || !s->map.at_node || !s->map.of_node)
        return 0;
    for (i = 0; i < n; i++)
        rank[s->nodes.blocks[i]] = i;
    for (i = 0; i < s->p->n_rows; i++) {
        cti_ica_contact *q = &s->contacts[i];
        q->own = s->coupled && !s->p->split.plain && !s->p->split.predict;
        for (k = 0; k < q->n_legs; k++)
            q->own &= cti_ica_is_node(&s->clusters[s->tiles.legs[q->leg0 + k].cluster]);
        for (k = 0, last[i] = 0; q->own && k < s->p->rows[i].n; k++)
            last[i] = cti_max_int(last[i], rank[s->p->rows[i].term[k].block]);
        q->local.closes = q->own;
        s->map.at_node[last[i] + 2] += q->own, s->map.n_own += q->own;
    }
    for (i = 0; i < n; i++)
        s->map.at_node[i + 2] += s->map.at_node[i + 1];
    for (i = 0; i < s->p->n_rows; i++)
        if (s->contacts[i].own)
            s->map.of_node[s->map.at_node[last[i] + 1]++] = i;
    return 1;
}

/* terms of contacts, their columns and laws */
static void cti_ica_fill_contacts(int begin, int end, int worker, void *context)
{
    cti_ica *s = (cti_ica *)context;
    int k;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        const cti_row *row = &s->p->rows[begin];
        cti_ica_contact *q = &s->contacts[begin];
        for (k = 0; k < row->n; k++)
            cti_ica_make_term(s, row, k, &s->tiles.terms[q->term0 + k]);
        for (k = 0; k < q->n_legs; k++)
            cti_ica_fill_leg(s, row, q, &s->tiles.legs[q->leg0 + k]);
        cti_law_prepare(&q->local, row, s->desc->cone);
    }
}

static int cti_ica_make_contacts(cti_ica *s)
{
    const cti_problem *p = s->p;
    int i, total = 0;
    int32_t leg = 0, term = 0, *touched = CTI_ARENA_ZERO(s->arena, int32_t, s->n_clusters);
    size_t w = 0;
    for (i = 0; i < p->n_rows; i++)
        total += p->rows[i].n;
    s->contacts = CTI_ARENA_ZERO(s->arena, cti_ica_contact, p->n_rows);
    s->tiles.legs = CTI_ARENA_NEW(s->arena, cti_ica_leg, total);
    s->tiles.terms = CTI_ARENA_NEW(s->arena, cti_ica_term, total);
    if (!s->contacts || !s->tiles.legs || !s->tiles.terms || !touched)
        return 0;
    for (i = 0; i < p->n_rows; i++)
        cti_ica_make_legs(s, i, &leg, &term, &w);
    cti_ica_find_single(s, touched);
    s->tiles.W = CTI_ARENA_NEW(s->arena, float, w + 8);
    if (!s->tiles.W)
        return 0;
    cti_tasks_run_work(p->tasks, cti_ica_fill_contacts, p->n_rows, cti_solve_tuned.costs.legs, s);
    return cti_ica_make_own(s) && cti_ica_make_parts(s);
}

/* z = (v, r) and its metric: the diagonal of A for velocities, the local compliance for multipliers */
static int cti_ica_make_state(cti_ica *s, const ct_real *v)
{
    const cti_bsr *A = s->p->A;
    int n3 = 3 * A->n, m3 = 3 * s->p->n_rows, i, k;
    s->mix.z = CTI_ARENA_NEW(s->arena, ct_real, n3 + m3);
    s->mix.z_old = CTI_ARENA_NEW(s->arena, ct_real, n3 + m3);
    s->mix.z_best = CTI_ARENA_NEW(s->arena, ct_real, n3 + m3);
    s->mix.weight = CTI_ARENA_NEW(s->arena, ct_real, n3 + m3);
    s->mix.r_old = CTI_ARENA_NEW(s->arena, ct_real, m3);
    if (!s->mix.z || !s->mix.z_old || !s->mix.z_best || !s->mix.weight || !s->mix.r_old)
        return 0;
    s->v = s->mix.z, s->r = s->mix.z + n3;
    memcpy(s->v, v, sizeof(ct_real) * (size_t)n3);
    for (i = 0; i < n3; i++)
        s->mix.weight[i] = cti_sqrt(cti_max(0, A->val[9 * (size_t)A->diag[i / 3] + 4 * (size_t)(i % 3)]));
    for (i = 0; i < s->p->n_rows; i++)
        for (k = 0; k < 3; k++) {
            s->r[3 * i + k] = s->p->rows[i].r[k];
            s->mix.weight[n3 + 3 * i + k] = cti_sqrt(s->contacts[i].local.B[4 * k]);
        }
    if (!cti_anderson_init(&s->mix.inner, s->arena, m3, s->mix.weight + n3, (int)s->tiles.n_du, cti_solve_tuned.anderson.depth))
        return 0;
    if (s->coupled && !cti_anderson_init(&s->mix.outer, s->arena, n3 + m3, s->mix.weight, 0, cti_solve_tuned.anderson.outer))
        return 0;
    s->mix.inner.tasks = s->mix.outer.tasks = s->p->tasks;
    return 1;
}

CTI_FN int cti_ica_setup(cti_ica *s, const ct_real *v)
{
    if (!cti_ica_make_clusters(s) || !cti_ica_make_ports(s))
        return 0;
    cti_ica_find_coupling(s);
    if (!cti_ica_make_tiles(s) || !cti_ica_make_contacts(s))
        return 0;
    s->f = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->p->A->n);
    s->scratch.x = CTI_ARENA_NEW(s->arena, ct_real, 6 * (size_t)s->map.max_blocks * (size_t)cti_tasks_workers(s->p->tasks));
    s->scratch.change = CTI_ARENA_NEW(s->arena, ct_real, s->n_clusters);
    if (s->p->split.predict && s->coupled && !(s->scratch.predicted = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->p->A->n)))
        return 0;
    return s->f && s->scratch.x && s->scratch.change && cti_ica_make_state(s, v);
}
