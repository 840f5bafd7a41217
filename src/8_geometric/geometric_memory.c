/* geometric_memory.c -- forces of the acceleration corrections, which the next substep's solve starts from.
   Method: a hash table of the old keys. A collision that changes its features is a new one. What is recalled is the
   mean force over the last time that is as long as the coming substep. Of a shorter substep before it only the impulse counts, so that the
   large force of a short recovery does not act for the whole of a long substep; the mean before it has the load. */
#include "geometric.h"
#include "../0_base/keys.h"

/* returns a key from the features of a pair, or from the joint: it does not change when other bodies are added or removed */
static uint64_t cti_geometric_key(const cti_state *s, const cti_geometric_collision *t)
{
    if (t->elastic)
        return (s->bodies.joints[t->elastic - 1].key ^ (uint32_t)t->axis) * 0xc4ceb9fe1a85ec53u;
    return cti_pair_key(&s->surface, &t->pair);
}

/* makes the table of all old keys. 0: out of memory */
static int cti_geometric_table(cti_state *s, cti_geometric_memory *m)
{
    int n = CTI_LEN(m->keys), i, size = cti_keys_size(n);
    if (!CTI_ZEROS(s->mem, m->table, size))
        return 0;
    for (i = 0; i < n; i++) {
        int32_t *at = cti_keys_at(m->table, size, m->keys, sizeof *m->keys, m->keys[i]);
        *at = *at ? *at : i + 1;
    }
    return 1;
}

CTI_FN int cti_geometric_recall(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_memory *m = &g->memory;
    ct_real share = h > m->h ? m->h / h : 1; /* of the substep before in the last h */
    int c, n = CTI_LEN(g->collisions), printed = cti_geometric_printed(s);
    if (!CTI_RESIZE(s->mem, m->normal_force, n) || !CTI_RESIZE(s->mem, m->warm_start, 3 * n) ||
        !CTI_RESIZE(s->mem, m->mean, 3 * n) || !CTI_RESIZE(s->mem, m->keys_now, n) || !cti_geometric_table(s, m))
        return 0;
    for (c = 0; c < n; c++) {
        cti_v3 mean = cti_v3_zero();
        int k;
        m->keys_now[c] = cti_geometric_key(s, &g->collisions[c]);
        k = -1;
        if (CTI_LEN(m->keys) && !printed && !g->collisions[c].elastic)
            k = *cti_keys_at(m->table, CTI_LEN(m->table), m->keys, sizeof *m->keys, m->keys_now[c]) - 1;
        if (k >= 0)
            mean = cti_v3_mad(cti_v3_mul(cti_v3_at(m->force, k), share), cti_v3_at(m->mean_before, k), 1 - share);
        m->normal_force[c] = k >= 0 ? cti_v3_dot(mean, g->collisions[c].normal) : -1;
        cti_v3_put(m->warm_start, c, cti_v3_zero()), cti_v3_put(m->mean, c, mean);
        if (m->normal_force[c] > 0)
            cti_v3_put(m->warm_start, c, cti_v3_mul(mean, cti_geometric_tuned.implicit.keep));
        else if (k >= 0)
            m->normal_force[c] = 0;
    }
    return 1;
}

CTI_FN int cti_geometric_remember(cti_state *s, ct_real h)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_memory *m = &g->memory;
    int n = CTI_LEN(g->collisions);
    m->h = h;
    if (!CTI_RESIZE(s->mem, m->keys, n) || !CTI_RESIZE(s->mem, m->force, 3 * n) || !CTI_RESIZE(s->mem, m->mean_before, 3 * n))
        return 0;
    if (n) {
        memcpy(m->keys, m->keys_now, sizeof *m->keys * (size_t)n);
        memcpy(m->force, g->solve.forces.force, sizeof(ct_real) * 3 * (size_t)n);
        memcpy(m->mean_before, m->mean, sizeof(ct_real) * 3 * (size_t)n);
    }
    return 1;
}

CTI_FN int cti_geometric_memory_save(cti_state *s)
{
    cti_geometric_memory *m = &cti_geometric_own(s)->memory;
    int n = CTI_LEN(m->keys);
    if (!CTI_RESIZE(s->mem, m->start_keys, n) || !CTI_RESIZE(s->mem, m->start_force, 3 * n) || !CTI_RESIZE(s->mem, m->start_mean_before, 3 * n))
        return 0;
    if (n) {
        memcpy(m->start_keys, m->keys, sizeof *m->keys * (size_t)n);
        memcpy(m->start_force, m->force, sizeof(ct_real) * 3 * (size_t)n);
        memcpy(m->start_mean_before, m->mean_before, sizeof(ct_real) * 3 * (size_t)n);
    }
    m->start_h = m->h;
    return 1;
}

CTI_FN void cti_geometric_memory_restore(cti_state *s)
{
    cti_geometric_memory *m = &cti_geometric_own(s)->memory;
    uint64_t *keys = m->keys;
    ct_real *force = m->force, *before = m->mean_before;
    m->keys = m->start_keys, m->force = m->start_force, m->mean_before = m->start_mean_before, m->h = m->start_h;
    m->start_keys = keys, m->start_force = force, m->start_mean_before = before;
}
