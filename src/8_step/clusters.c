/* clusters.c -- the clusters of an island's solve.
   Method: a component with few blocks in contact is one cluster. The solve anticipates its whole response through C, which is A^-1 between
   these blocks. A component with many blocks in contact is split into the paper's nodes, between whose sweeps it is corrected as a whole
   (coarse.c). Based on: Otaduy 2009, sec. 5.2 (the splitting), 5.6 (its convergence). */
#include "clusters.h"
#include "factors.h"
#include "policy.h"

/* returns whether the stored compliance covers all ports asked for; if not, it is to be computed for the union of old and new ports, with
   scratch *out_work */
static int cti_clusters_cover_ports(cti_component *c, const int32_t *ports, int n_ports, size_t *out_work)
{
    cti_compliance *m = &c->cache.compliance;
    int n = c->end - c->begin, i, missing = m->version != c->cache.stamp.version;
    *out_work = 0;
    if (missing) {
        CTI_CLEAR(m->ports);
        for (i = 0; i < n; i++)
            m->port_at[i] = -1;
    }
    for (i = 0; i < n_ports; i++)
        if (m->port_at[ports[i]] < 0) {
            missing = 1;
            if (!CTI_PUSH(c->lasting, m->ports, ports[i]))
                return 0;
            m->port_at[ports[i]] = CTI_LEN(m->ports) - 1;
            m->version = -1; /* C is not computed yet, whatever happens next */
        }
    if (!missing)
        return 1;
    m->version = -1;
    n_ports = CTI_LEN(m->ports);
    m->ld = (3 * n_ports + 7) & ~7;
    *out_work = c->cache.is_exact ? 2 * (cti_factor64_compliance_work(&c->cache.exact, n_ports) + (size_t)(3 * n_ports) * (size_t)m->ld)
                         : cti_factor32_compliance_work(&c->cache.single, n_ports);
    return CTI_RESERVE(c->lasting, m->C, 3 * n_ports * m->ld);
}

static int cti_clusters_compliance(void *ctx, const int32_t *ports, int n_ports, float **out_c, int *out_ld, size_t *out_work)
{
    cti_component *c = (cti_component *)ctx;
    const cti_compliance *m = &c->cache.compliance;
    int i, ld = (3 * n_ports + 7) & ~7, same;
    if (!cti_clusters_cover_ports(c, ports, n_ports, out_work))
        return 0;
    same = n_ports == CTI_LEN(m->ports);
    for (i = 0; same && i < n_ports; i++)
        same = m->port_at[ports[i]] == i;
    *out_ld = ld;
    if (same) {
        *out_c = m->C;
        return 1;
    }
    /* copies the ports in the order asked for */
    *out_c = CTI_ARENA_NEW(c->owner->arena, float, (size_t)(3 * n_ports) * (size_t)ld);
    *out_work = *out_work > 0 ? *out_work : 1;
    return *out_c != NULL;
}

/* computes C of all ports by a factor in double; work as in cti_clusters_cover_ports */
static void cti_clusters_fill_exact(cti_component *c, double *work)
{
    cti_compliance *m = &c->cache.compliance;
    size_t n = (size_t)(3 * CTI_LEN(m->ports)) * (size_t)m->ld, i;
    cti_factor64_compliance(&c->cache.exact, m->ports, CTI_LEN(m->ports), work, m->ld, work + n);
    for (i = 0; i < n; i++)
        m->C[i] = (float)work[i];
}

static void cti_clusters_fill(void *ctx, const int32_t *ports, int n_ports, float *C, float *work)
{
    cti_component *c = (cti_component *)ctx;
    cti_compliance *m = &c->cache.compliance;
    int i, j, r, ld = (3 * n_ports + 7) & ~7;
    if (m->version != c->cache.stamp.version) {
        if (c->cache.is_exact)
            cti_clusters_fill_exact(c, (double *)(void *)work);
        else
            cti_factor32_compliance(&c->cache.single, m->ports, CTI_LEN(m->ports), m->C, m->ld, work);
        m->version = c->cache.stamp.version;
    }
    if (C == m->C)
        return;
    memset(C, 0, sizeof(float) * (size_t)(3 * n_ports) * (size_t)ld);
    for (i = 0; i < n_ports; i++)
        for (r = 0; r < 3; r++) {
            const float *from = m->C + (size_t)(3 * m->port_at[ports[i]] + r) * (size_t)m->ld;
            float *to = C + (size_t)(3 * i + r) * (size_t)ld;
            for (j = 0; j < n_ports; j++)
                memcpy(to + 3 * j, from + 3 * m->port_at[ports[j]], 3 * sizeof(float));
        }
}

/* [2 n_components] number of ports, the blocks that rows touch, and number of rows */
static int32_t *cti_clusters_count_ports(const cti_factors *f, cti_arena *arena, const cti_island *island)
{
    int32_t *count = CTI_ARENA_ZERO(arena, int32_t, 2 * island->n_components), *of = CTI_ARENA_NEW(arena, int32_t, island->n);
    uint8_t *seen = CTI_ARENA_ZERO(arena, uint8_t, island->n);
    int i, k, c, last;
    if (!count || !seen || !of)
        return NULL;
    for (i = 0; i < island->p.n_rows; i++)
        for (k = 0; k < island->p.rows[i].n; k++)
            seen[island->p.rows[i].term[k].block] = 1;
    for (i = c = 0; c < island->n_components; c++) {
        const cti_component *q = &f->components[island->components[c]];
        for (; i < q->place + q->end - q->begin; i++)
            count[2 * c] += seen[i], of[i] = c;
    }
    /* terms of a row come component by component, or nearly so */
    for (i = 0; i < island->p.n_rows; i++)
        for (last = -1, k = 0; k < island->p.rows[i].n; k++)
            if (of[island->p.rows[i].term[k].block] != last)
                count[2 * (last = of[island->p.rows[i].term[k].block]) + 1]++;
    return count;
}

/* adds a component's patches, in local numbers, after the n existing clusters; -1: out of memory */
static int cti_clusters_cut(const cti_factors *f, cti_arena *arena, const cti_component *q, cti_cluster *out, int n)
{
    const int32_t *from = f->patches.blocks + f->patches.at[q->patch0];
    int32_t *list = CTI_ARENA_NEW(arena, int32_t, q->end - q->begin);
    int i;
    if (!list)
        return -1;
    for (i = 0; i < q->end - q->begin; i++)
        list[i] = q->place + f->rank[from[i]];
    for (i = q->patch0; i < q->patch1; i++, n++) {
        out[n].blocks = list + (f->patches.at[i] - f->patches.at[q->patch0]);
        out[n].n = f->patches.at[i + 1] - f->patches.at[i];
    }
    return n;
}

CTI_FN int cti_clusters_make(cti_factors *f, cti_arena *arena, ct_cluster_mode mode, cti_island *island)
{
    int32_t *count = cti_clusters_count_ports(f, arena, island);
    cti_cluster *out = CTI_ARENA_ZERO(arena, cti_cluster, island->n);
    int c, i, n = 0;
    if (!count || !out)
        return 0;
    for (c = 0; c < island->n_components; c++) {
        cti_component *q = &f->components[island->components[c]];
        int whole = !q->cache.is_grid && cti_policy_is_whole(mode, &q->solve, count[2 * c], count[2 * c + 1]);
        q->solve.node_ports = whole ? 0 : count[2 * c];
        if (whole) {
            out[n].blocks = island->own + q->place;
            out[n].n = q->end - q->begin;
            out[n].solve = cti_factors_solve;
            out[n].lagged = q->cache.stamp.age > 0;
            out[n].compliance = cti_clusters_compliance;
            out[n].fill = cti_clusters_fill;
            out[n++].ctx = q;
        } else if (mode == CT_CLUSTER_PATCH) {
            n = cti_clusters_cut(f, arena, q, out, n);
            if (n < 0)
                return 0;
        } else
            for (i = q->place; i < q->place + q->end - q->begin; i++) {
                out[n].blocks = island->own + i;
                out[n++].n = 1;
            }
    }
    island->p.split.clusters = out, island->p.split.n_clusters = n;
    return 1;
}

CTI_FN int cti_clusters_take_whole(cti_factors *f, const cti_row *rows, int n_rows)
{
    int i, k, attempts, changed = 0;
    for (i = 0; i < n_rows; i++)
        for (k = 0; k < rows[i].n; k++) {
            cti_component *q = &f->components[f->component_of[rows[i].term[k].block]];
            cti_solve_memory *m = &q->solve;
            attempts = q->cache.is_grid ? 0 : cti_policy_whole_attempts(m->node_ports);
            if (attempts == 0)
                continue;
            m->whole_attempts = attempts;
            m->node_ports = 0;
            changed = 1;
        }
    return changed;
}
