/* contact_archive.c -- candidates and contact memory in an archive. */
#include "contact_archive.h"
#include "../0_base/keys.h"

CTI_FN void cti_archive_moderate_in(cti_archive *a, int length, size_t element, size_t at, int n)
{
    int i, k;
    for (i = 0; i < length && cti_archive_checks(a); i++)
        for (k = 0; k < n; k++) {
            ct_real x;
            memcpy(&x, a->data + a->at - element * (size_t)(length - i) + at + sizeof x * (size_t)k, sizeof x);
            cti_archive_require(a, cti_finite(x * x * x * x));
        }
}

CTI_FN void cti_archive_moderate(cti_archive *a, int n) { cti_archive_moderate_in(a, n, sizeof(ct_real), 0, 1); }

CTI_FN void cti_archive_finite_in(cti_archive *a, int length, size_t element, size_t at)
{
    int i;
    for (i = 0; i < length && cti_archive_checks(a); i++) {
        double x;
        memcpy(&x, a->data + a->at - element * (size_t)(length - i) + at, sizeof x);
        cti_archive_require(a, cti_finite64(x));
    }
}

CTI_FN void cti_memory_archive(cti_archive *a, cti_memory *m)
{
    int n = CTI_ARCHIVE_ANY(a, m->items), size = cti_keys_size(n), i;
    CTI_ARCHIVE_GAP(a, n, cti_memory_item, lift, sizeof(cti_memory_item));
    if (cti_archive_checks(a) && n > 0 && !CTI_RESERVE(a->mem, m->table, size))
        a->code = CT_ERR_MEMORY;
    if (!cti_archive_reads(a))
        return;
    CTI_CLEAR(m->table);
    if (n > 0)
        CTI_RESIZE(a->mem, m->table, size);
    for (i = 0; i < n; i++)
        *cti_keys_at(m->table, size, &m->items->key, sizeof *m->items, m->items[i].key) = i + 1;
}

CTI_FN int cti_pairs_archive(cti_archive *a, const cti_surface *s, ct_pair_kind kind, int32_t **pairs)
{
    int length = CTI_ARCHIVE_ANY(a, *pairs), edges = kind == CT_PAIR_EE || kind == CT_PAIR_EF;
    int end = kind == CT_PAIR_VF || kind == CT_PAIR_EF ? s->nf : kind == CT_PAIR_PLANE ? s->n_planes : kind == CT_PAIR_VV ? s->nv : s->ne;
    cti_archive_require(a, length % 2 == 0);
    cti_archive_bound(a, length / 2, 2 * sizeof **pairs, 0, 1, 0, edges ? s->ne : s->nv);
    cti_archive_bound(a, length / 2, 2 * sizeof **pairs, sizeof **pairs, 1, 0, end);
    return length / 2;
}

CTI_FN int cti_candidates_archive(cti_archive *a, const cti_surface *s, cti_candidates *l)
{
    int n = cti_pairs_archive(a, s, l->kind, &l->pairs);
    CTI_ARCHIVE_ARRAY(a, l->quads, 4 * n);
    cti_archive_bound(a, 4 * n, sizeof *l->quads, 0, 1, 0, s->nv);
    CTI_ARCHIVE_ARRAY(a, l->hat, n), CTI_ARCHIVE_ARRAY(a, l->d2, n), CTI_ARCHIVE_ARRAY(a, l->w, 3 * n), CTI_ARCHIVE_ARRAY(a, l->feature, n);
    cti_archive_bound(a, n, sizeof *l->feature, 0, 1, 0, 16);
    return n;
}

CTI_FN void cti_room_archive(cti_archive *a, const cti_surface *s, cti_room *room)
{
    int n, stale = room->version != s->soup.version;
    CTI_ARCHIVE_VALUE(a, stale);
    if (cti_archive_reads(a))
        room->version = s->soup.version - (stale != 0);
    cti_archive_moderate(a, CTI_ARCHIVE_UP_TO(a, room->from, 3 * s->n_moving));
    cti_archive_moderate(a, CTI_ARCHIVE_UP_TO(a, room->to, 3 * s->n_moving));
    n = CTI_ARCHIVE_UP_TO(a, room->bodies, s->n_bodies);
    CTI_ARCHIVE_GAP(a, n, cti_room_body, swept, sizeof(cti_room_body));
}

CTI_FN void cti_pair_bound(cti_archive *a, const cti_surface *s, int length, size_t element, size_t at)
{
    int i, k;
    cti_archive_bound(a, length, element, at + offsetof(cti_pair, v), 5, 0, s->nv);
    for (i = 0; i < length && cti_archive_checks(a); i++) {
        cti_pair p;
        memcpy(&p, a->data + a->at - element * (size_t)(length - i) + at, sizeof p);
        cti_archive_require(a, p.kind >= 0 && p.kind <= CT_PAIR_PLANE && p.n_a >= 1 && p.n_a <= 3 && p.n >= p.n_a && p.n <= p.n_a + 3 && p.n <= 5);
        cti_archive_require(a, p.kind == CT_PAIR_PLANE ? p.plane >= 0 && p.plane < s->n_planes : p.n > p.n_a);
        for (k = 0; k < p.n && cti_archive_checks(a); k++)
            cti_archive_require(a, s->body_of[p.v[k]] == s->body_of[p.v[k < p.n_a ? 0 : p.n_a]]);
    }
    cti_archive_blank(a, length, element, at + offsetof(cti_pair, plane) + sizeof(int32_t),
                      offsetof(cti_pair, w) - offsetof(cti_pair, plane) - sizeof(int32_t));
}

/* the marks of vertices and bodies that intersect */
static void cti_detect_archive_tangles(cti_archive *a, const cti_surface *s, cti_detect *d)
{
    int n, i;
    CTI_ARCHIVE(a, d->n_tangled);
    n = CTI_ARCHIVE_ANY(a, d->tangles);
    for (i = 0; i < n && cti_archive_checks(a); i++) {
        uint64_t key;
        memcpy(&key, a->data + a->at - sizeof key * (size_t)(n - i), sizeof key);
        cti_archive_require(a, key >> 32 < (uint64_t)s->nv && (uint32_t)key >> 1 < (uint32_t)s->n_bodies);
    }
    if (cti_archive_checks(a) && !CTI_RESERVE(a->mem, d->tangled, s->nv))
        a->code = CT_ERR_MEMORY;
    if (!cti_archive_reads(a))
        return;
    CTI_ZEROS(a->mem, d->tangled, s->nv);
    for (i = 0; i < n; i++)
        d->tangled[d->tangles[i] >> 32] = 1;
}

CTI_FN void cti_detect_archive(cti_archive *a, const cti_surface *s, cti_detect *d)
{
    static const ct_pair_kind kinds[CTI_OWN_KINDS] = {CT_PAIR_VF, CT_PAIR_EE, CT_PAIR_VE, CT_PAIR_VV};
    int state[2], k, n = 3 * s->n_moving;
    cti_room_archive(a, s, &d->own.room);
    CTI_ARCHIVE_UP_TO(a, d->own.size, s->n_bodies);
    if (cti_archive_checks(a) && !CTI_RESERVE(a->mem, d->own.places, s->n_bodies))
        a->code = CT_ERR_MEMORY;
    if (cti_archive_reads(a))
        cti_own_here(a->mem, &d->own, s);
    for (k = 0; k < CTI_OWN_KINDS; k++) {
        cti_pairs_archive(a, s, kinds[k], &d->own.found[k]);
        cti_pairs_archive(a, s, kinds[k], &d->others[k]);
    }
    cti_detect_archive_tangles(a, s, d);
    if (cti_archive_checks(a))
        d->vf.kind = CT_PAIR_VF, d->ee.kind = CT_PAIR_EE;
    state[0] = d->valid, state[1] = d->valid && d->is_measured;
    CTI_ARCHIVE_VALUE(a, state);
    if (state[0]) {
        cti_room_archive(a, s, &d->room);
        cti_pairs_archive(a, s, CT_PAIR_VE, &d->ve), cti_pairs_archive(a, s, CT_PAIR_VV, &d->vv);
        cti_candidates_archive(a, s, &d->vf), cti_candidates_archive(a, s, &d->ee);
        CTI_ARCHIVE_ARRAY(a, d->measured, n);
    }
    if (cti_archive_reads(a))
        d->valid = state[0], d->is_measured = state[1];
}

CTI_FN void cti_surface_archive(cti_archive *a, cti_surface *s)
{
    int b;
    cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, s->x0, 3 * s->nv)), cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, s->x1, 3 * s->nv));
    cti_archive_moderate(a, CTI_ARCHIVE_UP_TO(a, s->x_last, 3 * s->nv)), cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, s->script, 3 * s->n_moving));
    for (b = 0; b < s->n_bodies; b++) {
        CTI_ARCHIVE(a, s->ranges[b].swept), CTI_ARCHIVE(a, s->ranges[b].inflate);
        cti_archive_moderate(a, 1);
    }
    if (cti_archive_reads(a))
        cti_broad_forget(&s->broad);
}
