/* cmr_rows.c -- rows of near pairs and of collisions.
   Method: a hit adds a row, with the normal at its time of impact (Otaduy 2009, sec. 4, steps 3 and 4.4). differs: if the motion violates a row that
   the pair already has, that row is solved again instead of adding another; flat edges wait for a round without other collisions. */
#include "cmr_rows.h"
#include "../8_step/policy.h"
#include "../0_base/keys.h"
#include "../0_base/sets.h"
#include "../7_contact/seams.h"

/* joins the components of a pair's vertices into one set; returns one of them, or -1: it has none */
static int cti_cmr_join_pair(const cti_state *s, int32_t *sets, const cti_pair *pair)
{
    int k, first = -1;
    for (k = 0; k < pair->n; k++) {
        const cti_attach *a = cti_surface_attach(&s->surface, pair->v[k]);
        int c = a->n > 0 ? s->factors.component_of[a->block[0]] : -1;
        if (c >= 0 && first >= 0)
            cti_sets_join(sets, c, first);
        first = c >= 0 ? c : first;
    }
    return first;
}

/* what an island has: collisions; some that are not of flat edges */
#define CTI_CMR_HIT 1
#define CTI_CMR_OTHER 2

/* Flat edges wait for a round without other collisions in their island, since the rows of their vertices usually clear them. An island
   without collisions is finished, however many rounds others take. 0: out of memory */
static int cti_cmr_defer_flat_edges(cti_state *s)
{
    cti_contacts *found = &s->contact;
    int i, k, n = 0, nc = CTI_LEN(s->factors.components);
    int32_t *sets = CTI_ARENA_NEW(s->arena, int32_t, nc);
    uint8_t *has = CTI_ARENA_ZERO(s->arena, uint8_t, nc);
    if (!sets || !has)
        return 0;
    cti_sets_init(sets, nc);
    for (i = 0; i < CTI_LEN(found->rows); i++)
        for (k = 1; k < found->rows[i].n; k++)
            cti_sets_join(sets, s->factors.component_of[found->rows[i].term[k].block], s->factors.component_of[found->rows[i].term[0].block]);
    for (i = 0; i < CTI_LEN(found->hits); i++)
        cti_cmr_join_pair(s, sets, &found->hits[i].pair);
    for (i = 0; i < CTI_LEN(found->hits); i++)
        has[cti_sets_root(sets, cti_cmr_join_pair(s, sets, &found->hits[i].pair))] |= found->hits[i].flat ? CTI_CMR_HIT : CTI_CMR_HIT | CTI_CMR_OTHER;
    for (i = 0; i < CTI_LEN(found->rows); i++)
        found->origins[i].is_unsolved &= has[cti_sets_root(sets, s->factors.component_of[found->rows[i].term[0].block])] != 0;
    for (i = 0; i < CTI_LEN(found->hits); i++)
        if (!found->hits[i].flat || !(has[cti_sets_root(sets, cti_cmr_join_pair(s, sets, &found->hits[i].pair))] & CTI_CMR_OTHER))
            found->hits[n++] = found->hits[i];
    stbds_header(found->hits)->length = (size_t)n;
    return 1;
}

/* cti_cmr_index -- a hash table of pairs: the number of a pair's rows, and its newest row. */
typedef struct cti_cmr_index {
    uint64_t *key;
    int32_t *count, *last;
    uint32_t mask;
} cti_cmr_index;

static uint32_t cti_cmr_index_find(const cti_cmr_index *x, uint64_t key)
{
    uint32_t i = (uint32_t)key & x->mask;
    while (x->count[i] && x->key[i] != key)
        i = (i + 1) & x->mask;
    return i;
}

static void cti_cmr_index_add(cti_cmr_index *x, uint64_t key, int row)
{
    uint32_t i = cti_cmr_index_find(x, key);
    x->key[i] = key;
    x->count[i]++;
    x->last[i] = row;
}

static int cti_cmr_index_make(const cti_state *s, cti_cmr_index *x)
{
    int i, n = CTI_LEN(s->contact.rows);
    uint32_t size = (uint32_t)cti_keys_size(n + CTI_LEN(s->contact.hits));
    x->mask = size - 1;
    x->key = CTI_ARENA_NEW(s->arena, uint64_t, size);
    x->count = CTI_ARENA_ZERO(s->arena, int32_t, size);
    x->last = CTI_ARENA_NEW(s->arena, int32_t, size);
    if (!x->key || !x->count || !x->last)
        return 0;
    for (i = 0; i < n; i++)
        if (!s->contact.origins[i].joint && !s->contact.origins[i].repair)
            cti_cmr_index_add(x, cti_pair_key(&s->surface, &s->contact.origins[i].pair), i);
    return 1;
}

/* 1 if the motion violates this row: the pair needs more sweeps, not another row. A plane's row is exact, so it never needs another */
static int cti_cmr_is_violated(const cti_state *s, int row, ct_real dt)
{
    ct_real u[3];
    if (s->contact.origins[row].pair.kind == CT_PAIR_PLANE)
        return 1;
    cti_row_velocity(&s->contact.rows[row], s->end.v, u);
    return u[0] + s->contact.rows[row].compliance[0] * s->contact.rows[row].r[0] < -cti_policy_row_tolerance(s->contact.origins[row].thickness, dt);
}

/* the normal law of a row at a motion [m/s]: 0 where a loaded contact fulfils it, below 0 where features approach too far */
static ct_real cti_cmr_normal_law(const cti_row *row, const ct_real *v)
{
    ct_real u[3], law;
    cti_row_velocity(row, v, u);
    law = u[0] + row->compliance[0] * row->r[0];
    return row->recover > 0 ? cti_min(law, u[0] + row->softness * row->r[0] - row->recover) : law;
}

CTI_FN int cti_cmr_linearize_rows(cti_state *s, const cti_row_context *c)
{
    int i, changed = 0;
    for (i = 0; CTI_LEN(s->bodies.rigids) && i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        cti_contact_row *o = &s->contact.origins[i];
        ct_real most = cti_policy_row_tolerance(o->thickness, c->dt);
        if (!o->is_nonlinear || cti_rows_linearize(c, &s->contact.rows[i], o) <= most)
            continue;
        /* a free contact that opens more slowly than before needs no other solve */
        o->is_changed = row->r[0] > 0 || cti_cmr_normal_law(row, s->end.v) < -most;
        o->is_unsolved |= o->is_changed || cti_state_is_paper(s);
        changed |= o->is_changed;
    }
    return changed;
}

CTI_FN ct_real cti_cmr_rows_error(const cti_state *s)
{
    ct_real most = 0;
    int i;
    for (i = 0; CTI_LEN(s->bodies.rigids) && i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        ct_real law;
        if (!s->contact.origins[i].is_changed || cti_state_is_inactive(s, row->term[0].block))
            continue;
        law = cti_cmr_normal_law(row, s->end.v);
        most = cti_max(most, row->r[0] > 0 ? cti_abs(law) : -law);
    }
    return most;
}

/* cti_cmr_build_task -- rows that are added after the existing ones. */
typedef struct cti_cmr_build_task {
    const cti_row_context *c;
    const cti_hit *hits;
    int32_t *existing; /* [n hits] number of rows that the pair has; -1: it gets no other one */
    cti_row *rows;
    cti_contact_row *origins;
} cti_cmr_build_task;

static void cti_cmr_build_range(int begin, int end, int worker, void *context)
{
    const cti_cmr_build_task *q = (const cti_cmr_build_task *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        const cti_hit *hit = &q->hits[begin];
        if (q->existing[begin] >= 0 && !cti_rows_build(q->c, &hit->pair, hit->normal, hit->before, cti_min_int(q->existing[begin], 2), hit->keep,
                                                    &q->rows[begin], &q->origins[begin]))
            q->existing[begin] = -1;
    }
}

/* counts the rows that the pair of each hit has. If the motion violates the newest of them, that is solved again, and the pair gets no other */
static void cti_cmr_count_rows(cti_state *s, const cti_cmr_index *x, ct_real dt, int32_t *existing)
{
    int i;
    for (i = 0; i < CTI_LEN(s->contact.hits); i++) {
        uint32_t at = cti_cmr_index_find(x, cti_pair_key(&s->surface, &s->contact.hits[i].pair));
        existing[i] = x->count[at];
        if (existing[i] > 0 && cti_cmr_is_violated(s, x->last[at], dt)) {
            s->contact.origins[x->last[at]].is_unsolved = 1;
            existing[i] = -1;
        }
    }
}

/* stores a row and its origin at the end, or at index `place` >= 0 of a row whose multipliers it takes over. There is room */
static void cti_cmr_put_row(cti_state *s, const cti_row *row, const cti_contact_row *origin, int place)
{
    cti_contacts *found = &s->contact;
    int at = place >= 0 ? place : CTI_LEN(found->rows);
    ct_real r[3];
    memcpy(r, place >= 0 ? found->rows[place].r : row->r, sizeof r);
    if (row != &found->rows[at])
        found->rows[at] = *row, found->origins[at] = *origin;
    memcpy(found->rows[at].r, r, sizeof r);
    found->origins[at].is_unsolved = 1;
    if (place < 0)
        stbds_header(found->rows)->length++, stbds_header(found->origins)->length++;
}

/* a pair that occurs twice (a face given twice) gets one row */
CTI_FN int cti_cmr_add_rows(cti_state *s, const cti_row_context *c)
{
    cti_contacts *found = &s->contact;
    cti_cmr_index x;
    cti_cmr_build_task q;
    int i, n = CTI_LEN(found->hits), n0 = CTI_LEN(found->rows);
    if (n == 0)
        return 1;
    q.c = c, q.hits = found->hits, q.existing = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!q.existing || !cti_cmr_index_make(s, &x) || !CTI_RESERVE(s->mem, found->rows, n0 + n) || !CTI_RESERVE(s->mem, found->origins, n0 + n))
        return 0;
    q.rows = found->rows + n0, q.origins = found->origins + n0;
    cti_cmr_count_rows(s, &x, c->dt, q.existing);
    cti_tasks_run_work(&s->desc.tasks, cti_cmr_build_range, n, cti_step_tuned.costs.row, &q);
    for (i = 0; i < n; i++) {
        uint64_t key = cti_pair_key(&s->surface, &found->hits[i].pair);
        uint32_t at = cti_cmr_index_find(&x, key);
        if (q.existing[i] != x.count[at])
            continue;
        cti_cmr_put_row(s, &q.rows[i], &q.origins[i], q.existing[i] < 3 ? -1 : x.last[at]);
        if (q.existing[i] < 3)
            cti_cmr_index_add(&x, key, CTI_LEN(found->rows) - 1);
    }
    return 1;
}

CTI_FN int cti_cmr_refine(cti_state *s, const cti_row_context *c, cti_attempt *out)
{
    out->limit = s->contact.hits[0].pair;
    if (!cti_cmr_defer_flat_edges(s) || (!cti_state_is_paper(s) && !cti_seams_pass(s->arena, NULL, &s->surface, c->memory, s->contact.hits, NULL)))
        return 0;
    return cti_cmr_add_rows(s, c);
}
