/* geometric_memory.c -- forces of the acceleration corrections, which the next substep's solve starts from.
   Method: collisions come in the order of their candidates, which changes little, so that the old list is followed beside the new one;
   where the two part, a hash table of the old keys is made. A collision that changes its features is a new one. */
#include "geometric.h"

/* [1] share of the forces that the next substep starts from. At 1 forces that contradict each other never fade; at 0 34 layers keep .89 of
   their thickness instead of .97 */
#define CTI_GEOMETRIC_KEEP CTI_R(0.95)
#define CTI_GEOMETRIC_HOLD                                                                                                                 \
    CTI_R(0.8)                /* [1] the same of elastics. At 1 elastics that pull at one body against contacts gain energy without bound */
#define CTI_GEOMETRIC_AHEAD 4 /* entries of the old list that are looked at before the table */

/* a key from the features of a pair, or from the joint */
static uint64_t cti_geometric_key(const cti_state *s, const cti_geometric_hit *t)
{
    const cti_pair *p = &t->pair;
    uint64_t key = (uint64_t)p->kind * 0x9e3779b97f4a7c15u;
    int k;
    for (k = 0; k < p->n; k++) {
        key = (key ^ (uint32_t)p->v[k]) * 0xff51afd7ed558ccdu;
        key ^= key >> 32;
    }
    if (p->kind == CT_PAIR_PLANE)
        key = (key ^ (uint32_t)p->plane) * 0xc4ceb9fe1a85ec53u;
    if (t->elastic)
        key = (s->bodies.joints[t->elastic - 1].key ^ (uint32_t)t->part) * 0xc4ceb9fe1a85ec53u;
    return key ^ (key >> 29);
}

/* the table of all old keys. 0: out of memory */
static int cti_geometric_table(cti_state *s, cti_geometric_memory *m)
{
    int n = CTI_LEN(m->keys), i, size = 64;
    while (size < 2 * n)
        size *= 2;
    if (!CTI_RESIZE(s->mem, m->table, size))
        return 0;
    memset(m->table, 0, sizeof *m->table * (size_t)size);
    for (i = 0; i < n; i++) {
        uint64_t at = m->keys[i];
        while (m->table[at & (uint64_t)(size - 1)])
            at++;
        m->table[at & (uint64_t)(size - 1)] = i + 1;
    }
    m->tabled = 1;
    return 1;
}

/* the old entry of a key, or -1; *next: where the old list is followed. -2: out of memory */
static int cti_geometric_look(cti_state *s, cti_geometric_memory *m, uint64_t key, int *next)
{
    int n = CTI_LEN(m->keys), k;
    uint64_t at;
    for (k = *next; k < n && k < *next + CTI_GEOMETRIC_AHEAD; k++)
        if (m->keys[k] == key) {
            *next = k + 1;
            return k;
        }
    if (!m->tabled && !cti_geometric_table(s, m))
        return -2;
    for (at = key; (k = m->table[at & (uint64_t)(CTI_LEN(m->table) - 1)]) != 0; at++)
        if (m->keys[k - 1] == key) {
            *next = k;
            return k - 1;
        }
    return -1;
}

CTI_FN int cti_geometric_recall(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_memory *m = &g->memory;
    int c, n = CTI_LEN(g->hits), next = 0, plain = cti_geometric_printed(s);
    if (!CTI_RESIZE(s->mem, m->first, n) || !CTI_RESIZE(s->mem, m->base, 3 * n) || !CTI_RESIZE(s->mem, m->pull, 3 * n) ||
        !CTI_RESIZE(s->mem, m->now, n))
        return 0;
    for (c = 0; c < n; c++) {
        int k;
        m->now[c] = cti_geometric_key(s, &g->hits[c]);
        k = CTI_LEN(m->keys) && !(plain && !g->hits[c].elastic) ? cti_geometric_look(s, m, m->now[c], &next) : -1;
        if (k == -2)
            return 0;
        m->first[c] = k >= 0 ? cti_v3_dot(cti_v3_at(m->force, k), g->hits[c].normal) : -1;
        cti_v3_put(m->base, c, cti_v3_zero()), cti_v3_put(m->pull, c, cti_v3_zero());
        if (g->hits[c].elastic) {
            if (k >= 0)
                cti_v3_put(m->pull, c, cti_v3_mul(g->hits[c].normal, CTI_GEOMETRIC_HOLD * m->first[c]));
            m->first[c] = 0;
        } else if (m->first[c] > 0)
            cti_v3_put(m->base, c, cti_v3_mul(cti_v3_at(m->force, k), CTI_GEOMETRIC_KEEP));
        else if (k >= 0)
            m->first[c] = 0;
    }
    return 1;
}

CTI_FN int cti_geometric_remember(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_geometric_memory *m = &g->memory;
    int n = CTI_LEN(g->hits);
    m->tabled = 0;
    if (!CTI_RESIZE(s->mem, m->keys, n) || !CTI_RESIZE(s->mem, m->force, 3 * n))
        return 0;
    if (n) {
        memcpy(m->keys, m->now, sizeof *m->keys * (size_t)n);
        memcpy(m->force, g->q.forces.force, sizeof(ct_real) * 3 * (size_t)n);
    }
    return 1;
}

CTI_FN void cti_geometric_forget(cti_state *s)
{
    cti_geometric_memory *m = &cti_geometric_own(s)->memory;
    CTI_CLEAR(m->keys), CTI_CLEAR(m->force);
    m->tabled = 0;
}

CTI_FN void cti_geometric_memory_free(cti_state *s)
{
    cti_geometric_memory *m = &cti_geometric_own(s)->memory;
    CTI_FREE(s->mem, m->keys), CTI_FREE(s->mem, m->now), CTI_FREE(s->mem, m->table), CTI_FREE(s->mem, m->force);
    CTI_FREE(s->mem, m->first), CTI_FREE(s->mem, m->base), CTI_FREE(s->mem, m->pull);
}

#undef CTI_GEOMETRIC_KEEP
#undef CTI_GEOMETRIC_HOLD
#undef CTI_GEOMETRIC_AHEAD
