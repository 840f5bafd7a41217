/* pairs.c -- candidate pairs over many bodies. Method: pairs.h; trees and boxes: pairs_trees.c; which bodies meet: pairs_bodies.c. Raw
   overlaps come from the trees, one body pair at a time, or from the hash all at once, and are then distributed to the body pairs. Pairs of
   one body that share a vertex are removed, then pairs whose slabs are apart. The rest of each body pair is sorted, in a bit matrix or by
   radix sort. */
#include "pairs.h"
#include "../0_base/sort.h"

#define CTI_BROAD_PAIR_US 3.0 /* [us] about the time of one body pair's overlaps; see cti_tasks_run_work */

/* Pairs are sorted in a bit matrix if they are more than CTI_BROAD_FEW and at least one for every CTI_BROAD_DENSE words of the matrix. */
enum { CTI_BROAD_FEW = 24, CTI_BROAD_DENSE = 8 };

/* ---- pairs ---- */

/* Do two elements share a vertex? wa and wb are constants where this is inlined. */
CTI_INLINE int cti_broad_shared(const int32_t *a, int wa, const int32_t *b, int wb)
{
    int j, k, shared = 0;
    for (j = 0; j < wa; j++)
        for (k = 0; k < wb; k++)
            shared |= a[j] == b[k];
    return shared;
}

/* Removes pairs that share a vertex. If wa is wb, both elements are of one kind, and the smaller number is put first. */
CTI_INLINE int cti_broad_filter_as(int side, int32_t *pairs, int n, const int32_t *ea, int wa, const int32_t *eb, int wb)
{
    int i, m = 0;
    CTI_UNUSED(side);
    for (i = 0; i < n; i++) {
        int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        int shared = cti_broad_shared(wa > 1 ? ea + (size_t)wa * (size_t)a : &a, wa, wb > 1 ? eb + (size_t)wb * (size_t)b : &b, wb);
        int turn = wa == wb && a > b;
        pairs[2 * m] = turn ? b : a, pairs[2 * m + 1] = turn ? a : b;
        m += !shared;
    }
    return m;
}

/* calls `as` with the widths of elements as constants */
#define CTI_BROAD_WIDTHS(as, side)                                                                                                         \
    (wa == 2 && wb == 2   ? as(side, pairs, n, ea, 2, eb, 2)                                                                               \
     : wa == 1 && wb == 3 ? as(side, pairs, n, ea, 1, eb, 3)                                                                               \
     : wa == 2            ? as(side, pairs, n, ea, 2, eb, 3)                                                                               \
     : wb == 2            ? as(side, pairs, n, ea, 1, eb, 2)                                                                               \
                          : as(side, pairs, n, ea, 1, eb, 1))

static int cti_broad_filter(int32_t *pairs, int n, const int32_t *ea, int wa, const int32_t *eb, int wb)
{
    return CTI_BROAD_WIDTHS(cti_broad_filter_as, 0);
}

/* Slabs of an element with w vertices at one end: the minimum over its vertices, both of lo and of -hi. */
CTI_INLINE void cti_broad_slabs_over(cti_boxes slabs, int end, const int32_t *v, int w, cti_f8 *lo, cti_f8 *minus_hi)
{
    const float *at = cti_boxes_of(slabs, v[0]) + end;
    int k;
    *lo = cti_f8_load(at), *minus_hi = cti_f8_load(at + 8);
    for (k = 1; k < w; k++) {
        at = cti_boxes_of(slabs, v[k]) + end;
        *lo = cti_f8_min(*lo, cti_f8_load(at));
        *minus_hi = cti_f8_min(*minus_hi, cti_f8_load(at + 8));
    }
}

/* Mask of the slabs in which a begins below the end of b: lo_a <= hi_b. The rounded sum has the exact sign. */
CTI_INLINE cti_f8 cti_broad_below(cti_f8 lo_a, cti_f8 minus_hi_b) { return cti_f8_le(cti_f8_add(lo_a, minus_hi_b), cti_f8_set(0)); }

/* Slabs of the vertices of both bodies; offset of those at the end: 16, or 0 if they are those at the start. */
typedef struct cti_broad_sides {
    cti_boxes a, b;
    int end_a, end_b;
} cti_broad_sides;

/* Removes pairs that are apart in a slab, on the same side at both ends. */
CTI_INLINE int cti_broad_cull_as(cti_broad_sides s, int32_t *pairs, int n, const int32_t *ea, int wa, const int32_t *eb, int wb)
{
    cti_f8 lo_a = cti_f8_set(0), hi_a = lo_a, lo_b, hi_b, lo_c = lo_a, hi_c = lo_a, below, above;
    int32_t last = -1;
    int i, m = 0;
    for (i = 0; i < n; i++) {
        int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        const int32_t *va = wa > 1 ? ea + (size_t)wa * (size_t)a : &a, *vb = wb > 1 ? eb + (size_t)wb * (size_t)b : &b;
        if (a != last) {
            cti_broad_slabs_over(s.a, 0, va, wa, &lo_a, &hi_a);
            if (s.end_a + s.end_b)
                cti_broad_slabs_over(s.a, s.end_a, va, wa, &lo_c, &hi_c);
        }
        last = a;
        cti_broad_slabs_over(s.b, 0, vb, wb, &lo_b, &hi_b);
        below = cti_broad_below(lo_a, hi_b), above = cti_broad_below(lo_b, hi_a);
        if (s.end_a + s.end_b) {
            cti_broad_slabs_over(s.b, s.end_b, vb, wb, &lo_b, &hi_b);
            below = cti_f8_or(below, cti_broad_below(lo_c, hi_b)), above = cti_f8_or(above, cti_broad_below(lo_b, hi_c));
        }
        pairs[2 * m] = a, pairs[2 * m + 1] = b;
        m += cti_f8_bits(cti_f8_and(below, above)) == 255;
    }
    return m;
}

static int cti_broad_cull(const cti_broad_sides *s, int32_t *pairs, int n, const int32_t *ea, int wa, const int32_t *eb, int wb)
{
    return CTI_BROAD_WIDTHS(cti_broad_cull_as, *s);
}

/* the slabs of bodies p and q */
static cti_broad_sides cti_broad_sides_of(const cti_broad *broad, const cti_soup *soup, int p, int q)
{
    cti_broad_sides s;
    s.a = cti_broad_slabs(broad, soup, p), s.b = cti_broad_slabs(broad, soup, q);
    s.end_a = broad->last_swept[p] ? 0 : 16, s.end_b = broad->last_swept[q] ? 0 : 16;
    return s;
}

static void cti_broad_range(const cti_soup_body *b, int width, int *first, int *count)
{
    *first = width == 3 ? b->f0 : (width == 2 ? b->e0 : b->v0);
    *count = (width == 3 ? b->f1 : (width == 2 ? b->e1 : b->v1)) - *first;
}

/* Sorts n pairs of two bodies' elements through a bit matrix: row a - a0, column b - b0. This pays if the matrix is small relative to n. */
static void cti_broad_matrix(uint64_t *bits, int words, const int32_t *pairs, int n, int a0, int b0, int32_t *out)
{
    int i, row, k, low = INT32_MAX, high = -1;
    for (i = 0; i < n; i++) {
        int a = pairs[2 * i] - a0, b = pairs[2 * i + 1] - b0;
        bits[(size_t)a * (size_t)words + (size_t)(b >> 6)] |= (uint64_t)1 << (b & 63);
        low = a < low ? a : low, high = a > high ? a : high;
    }
    for (row = low; row <= high; row++)
        for (k = 0; k < words; k++) {
            uint64_t *w = bits + (size_t)row * (size_t)words + (size_t)k, m;
            for (m = *w; m; m &= m - 1) {
                out[0] = a0 + row, out[1] = b0 + 64 * k + cti_lowest_bit64(m);
                out += 2;
            }
            *w = 0;
        }
}

/* cti_broad_query -- elements of kind ka against elements of kind kb. */
typedef struct cti_broad_query {
    cti_broad *broad;
    const cti_soup *soup;
    int ka, kb;
} cti_broad_query;

static cti_broad_query cti_broad_query_of(cti_broad *broad, const cti_soup *soup, int ka, int kb)
{
    cti_broad_query q;
    q.broad = broad, q.soup = soup, q.ka = ka, q.kb = kb;
    return q;
}

/* Filters and sorts the n overlaps `raw` of bodies p (kind ka) and q (kind kb), and appends them. */
static int cti_broad_finish(cti_mem *mem, const cti_broad_query *query, cti_broad_lane *lane, int p, int q, int32_t *raw, int n, int32_t **out)
{
    const cti_broad *broad = query->broad;
    const cti_soup *soup = query->soup;
    int wa, wb, a0, na, b0, nb, from = CTI_LEN(*out), turned, ka = query->ka, kb = query->kb;
    const int32_t *ea = cti_broad_elements(soup, ka, &wa), *eb = cti_broad_elements(soup, kb, &wb);
    int64_t words, size;
    cti_broad_range(soup->bodies + p, wa, &a0, &na);
    cti_broad_range(soup->bodies + q, wb, &b0, &nb);
    turned = ka == kb && a0 > b0;
    if (p == q || turned)
        n = cti_broad_filter(raw, n, ea, wa, eb, wb);
    if (!broad->boxes_only) {
        cti_broad_sides sides = cti_broad_sides_of(broad, soup, turned ? q : p, turned ? p : q);
        n = cti_broad_cull(&sides, raw, n, ea, wa, eb, wb);
    }
    if (n == 0)
        return 1;
    if (turned)
        cti_broad_range(soup->bodies + q, wa, &a0, &na), cti_broad_range(soup->bodies + p, wb, &b0, &nb);
    if (!CTI_RESERVE(mem, *out, (int64_t)from + 2 * (int64_t)n))
        return 0;
    words = ((int64_t)nb + 63) / 64, size = words * na;
    if (n > CTI_BROAD_FEW && size <= CTI_BROAD_DENSE * (int64_t)n) {
        if (!CTI_RESIZE(mem, lane->bits, cti_max_int((int)size, CTI_LEN(lane->bits))))
            return 0;
        cti_broad_matrix(lane->bits, (int)words, raw, n, a0, b0, *out + from);
    } else {
        int sizes[4];
        sizes[1] = soup->nv, sizes[2] = soup->ne, sizes[3] = soup->nf;
        if (!cti_pairsort(mem, raw, n, sizes[wa], sizes[wb], &lane->scratch))
            return 0;
        memcpy(*out + from, raw, 2 * (size_t)n * sizeof **out);
    }
    stbds_header(*out)->length = (size_t)from + 2 * (size_t)n;
    return 1;
}

/* The overlaps that the trees find for bodies p (kind ka) and q (kind kb). */
static int cti_broad_group(cti_mem *mem, const cti_broad_query *query, cti_broad_lane *lane, int p, int q, int32_t **out)
{
    const cti_bvh *trees = query->broad->trees;
    CTI_CLEAR(lane->raw);
    if (!cti_bvh_pairs(mem, &query->broad->forest, trees + CTI_BROAD_TREES * p + query->ka, trees + CTI_BROAD_TREES * q + query->kb, &lane->raw))
        return 0;
    return cti_broad_finish(mem, query, lane, p, q, lane->raw, CTI_LEN(lane->raw) / 2, out);
}

/* Both groups of body pair i: (p, q) and, for two kinds and two bodies, (q, p). */
static int cti_broad_both(cti_mem *mem, const cti_broad_query *query, cti_broad_lane *lane, int i, int32_t **out)
{
    int p = query->broad->body_pairs[2 * i], q = query->broad->body_pairs[2 * i + 1];
    return cti_broad_group(mem, query, lane, p, q, out) && (p == q || query->ka == query->kb || cti_broad_group(mem, query, lane, q, p, out));
}

/* ---- pairs by several workers ---- */

/* workers do not allocate: a body pair that does not fit into the worker's lane is left to the calling thread */
static void *cti_broad_refuse(void *user, void *block, size_t old_size, size_t new_size)
{
    CTI_UNUSED(user), CTI_UNUSED(block), CTI_UNUSED(old_size), CTI_UNUSED(new_size);
    return NULL;
}

static void cti_broad_query_range(int begin, int end, int worker, void *context)
{
    const cti_broad_query *q = (const cti_broad_query *)context;
    cti_broad_lane *lane = &q->broad->lanes[worker];
    ct_allocator none;
    cti_mem mem;
    none.resize = cti_broad_refuse, none.user = NULL;
    cti_mem_init(&mem, &none);
    for (; begin < end; begin++) {
        int32_t *place = q->broad->place + 3 * (size_t)begin;
        place[1] = CTI_LEN(lane->out);
        place[0] = cti_broad_both(&mem, q, lane, begin, &lane->out) ? worker : -1;
        if (place[0] < 0 && lane->out)
            stbds_header(lane->out)->length = (size_t)place[1];
        place[2] = CTI_LEN(lane->out);
    }
}

/* Gives each worker's lane as much room as the calling thread's lane has, and its output room for the largest query so far. */
static int cti_broad_reserve_lanes(cti_mem *mem, cti_broad *broad, int workers, int n)
{
    int i, most = broad->most_out + broad->most_out / 4;
    if (!CTI_RESIZE(mem, broad->place, 3 * (size_t)n))
        return 0;
    if (CTI_LEN(broad->lanes) < workers && !CTI_RESIZE(mem, broad->lanes, workers))
        return 0;
    for (i = 0; i < workers; i++) {
        cti_broad_lane *lane = &broad->lanes[i];
        if (!CTI_RESERVE(mem, lane->raw, broad->own.raw ? (int)stbds_header(broad->own.raw)->capacity : 0) ||
            !CTI_RESERVE(mem, lane->scratch, broad->own.scratch ? (int)stbds_header(broad->own.scratch)->capacity : 0) ||
            !CTI_RESERVE(mem, lane->out, most) ||
            (CTI_LEN(lane->bits) < CTI_LEN(broad->own.bits) && !CTI_RESIZE(mem, lane->bits, CTI_LEN(broad->own.bits))))
            return 0;
        CTI_CLEAR(lane->out);
    }
    return 1;
}

/* All pairs (element of kind ka, element of kind kb) over the body pairs, in their order. The calling thread does the body pairs that did
   not fit into the workers' lanes. Its own lane grows with them, and the workers' lanes follow in the next query. */
static int cti_broad_kind(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int ka, int kb, int32_t **out)
{
    int i, n = CTI_LEN(broad->body_pairs) / 2, workers = cti_tasks_workers(soup->tasks), many;
    cti_broad_query q = cti_broad_query_of(broad, soup, ka, kb);
    CTI_CLEAR(*out);
    many = workers > 1 && broad->most_out > 0 && CTI_BROAD_PAIR_US * n > cti_tasks_least(soup->tasks);
    if (many && !cti_broad_reserve_lanes(mem, broad, workers, n))
        return 0;
    if (many)
        cti_tasks_run_work(soup->tasks, cti_broad_query_range, n, CTI_BROAD_PAIR_US, &q);
    for (i = 0; i < n; i++) {
        const int32_t *place = many ? broad->place + 3 * (size_t)i : NULL;
        int from = CTI_LEN(*out), count = place ? place[2] - place[1] : 0;
        if (!place || place[0] < 0) {
            if (!cti_broad_both(mem, &q, &broad->own, i, out))
                return 0;
        } else if (count > 0) {
            if (!CTI_RESERVE(mem, *out, (int64_t)from + count))
                return 0;
            memcpy(*out + from, broad->lanes[place[0]].out + place[1], sizeof **out * (size_t)count);
            stbds_header(*out)->length = (size_t)(from + count);
        }
    }
    broad->most_out = cti_max_int(broad->most_out, CTI_LEN(*out));
    return 1;
}

/* ---- pairs from the hash ---- */

/* Items of one kind of all bodies that are in a body pair. *moving: 1 if any of them has other boxes at the end than at the start. */
static int cti_broad_items(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int kind, cti_grid_items *s, int *moving)
{
    int width, b, first, count, i, n = 0;
    const int32_t *elements = cti_broad_elements(soup, kind, &width);
    const uint8_t *only = kind == CTI_BROAD_POINTS ? soup->vertex_is_point : (kind == CTI_BROAD_LOOSE ? broad->edge_loose : NULL);
    s->n = 0;
    if (kind == CTI_BROAD_POINTS && !only)
        return 1;
    for (b = 0; b < broad->n_bodies; b++)
        if (broad->grid_used[b]) {
            cti_broad_range(soup->bodies + b, width, &first, &count);
            n += count;
        }
    if (!CTI_RESIZE(mem, s->id, n) || !CTI_RESIZE(mem, s->body, n) || !CTI_RESIZE(mem, s->flags, n) ||
        !CTI_RESIZE(mem, s->boxes, 12 * (size_t)n))
        return 0;
    for (b = 0; b < broad->n_bodies; b++) {
        const cti_soup_body *body = soup->bodies + b;
        if (!broad->grid_used[b])
            continue;
        cti_broad_range(body, width, &first, &count);
        for (i = first; i < first + count; i++) {
            int32_t v = i;
            if (only && !only[i])
                continue;
            s->id[s->n] = i, s->body[s->n] = b;
            s->flags[s->n] = (uint8_t)((body->dynamic || (broad->sensors && !body->still) ? CTI_GRID_DYNAMIC : 0) |
                                      (cti_broad_may_meet(soup, b, b) ? CTI_GRID_SELF : 0));
            cti_grid_box(cti_broad_boxes(broad, soup, b), elements ? elements + (size_t)width * (size_t)i : &v, width, broad->last_swept[b],
                         s->boxes + 12 * (size_t)s->n++);
        }
        *moving |= !broad->last_swept[b];
    }
    return 1;
}

/* Marks the bodies that are in pairs, and finds where the pairs of each body begin in body_pairs. */
static int cti_broad_index_bodies(cti_mem *mem, cti_broad *broad)
{
    int n = CTI_LEN(broad->body_pairs) / 2, i, b = 0;
    if (!CTI_RESIZE(mem, broad->grid_used, broad->n_bodies) ||
        !CTI_RESIZE(mem, broad->grid_first, (size_t)broad->n_bodies + 1 + 2 * (size_t)n + 1))
        return 0;
    if (broad->n_bodies > 0)
        memset(broad->grid_used, 0, (size_t)broad->n_bodies);
    for (i = 0; i < n; i++) {
        for (; b <= broad->body_pairs[2 * i]; b++)
            broad->grid_first[b] = i;
        broad->grid_used[broad->body_pairs[2 * i]] = broad->grid_used[broad->body_pairs[2 * i + 1]] = 1;
    }
    for (; b <= broad->n_bodies; b++)
        broad->grid_first[b] = n;
    return 1;
}

/* Number of body pair (p, q), p <= q; -1: there is none. */
static int cti_broad_find_bodies(const cti_broad *broad, int p, int q)
{
    return cti_sort_find(broad->body_pairs + 1, 2, broad->grid_first[p], broad->grid_first[p + 1], q);
}

/* Distributes the hash's pairs of item numbers to groups. A group is a body pair together with the side that has the first element. Pairs
   of elements are written to broad->own.raw, group after group; group g begins at first[g]. */
static int cti_broad_deal(cti_mem *mem, cti_broad *broad, int ka, int kb, int32_t *first)
{
    const cti_grid_items *a = &broad->grid.a, *b = ka == kb ? a : &broad->grid.b;
    int32_t *pairs = broad->grid_pairs;
    int n = CTI_LEN(pairs) / 2, groups = CTI_LEN(broad->body_pairs), i;
    memset(first, 0, ((size_t)groups + 1) * sizeof *first);
    if (!CTI_RESIZE(mem, broad->grid_group, n) || !CTI_RESIZE(mem, broad->own.raw, 2 * (size_t)n))
        return 0;
    for (i = 0; i < n; i++) {
        int p = a->body[pairs[2 * i]], q = b->body[pairs[2 * i + 1]], turn = ka == kb && p > q, g;
        int32_t x = a->id[pairs[2 * i]], y = b->id[pairs[2 * i + 1]];
        pairs[2 * i] = turn ? y : x, pairs[2 * i + 1] = turn ? x : y;
        g = cti_broad_find_bodies(broad, cti_min_int(p, q), cti_max_int(p, q));
        broad->grid_group[i] = g < 0 ? -1 : 2 * g + (ka != kb && p > q);
        if (g >= 0)
            first[broad->grid_group[i] + 1]++;
    }
    cti_sort_starts(first, (size_t)groups);
    /* placing has moved every group's offset to the next group's: shift back */
    for (i = 0; i < n; i++)
        if (broad->grid_group[i] >= 0) {
            int32_t at = first[broad->grid_group[i]]++;
            broad->own.raw[2 * at] = pairs[2 * i], broad->own.raw[2 * at + 1] = pairs[2 * i + 1];
        }
    memmove(first + 1, first, (size_t)groups * sizeof *first);
    first[0] = 0;
    return 1;
}

/* The same as cti_broad_kind, by the hash. */
static int cti_broad_hash_kind(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int ka, int kb, int32_t **out)
{
    const cti_broad_query query = cti_broad_query_of(broad, soup, ka, kb);
    int g, groups = CTI_LEN(broad->body_pairs), moving = 0;
    int32_t *first;
    CTI_CLEAR(*out);
    if (!cti_broad_index_bodies(mem, broad) || !cti_broad_items(mem, broad, soup, ka, &broad->grid.a, &moving) ||
        (ka != kb && !cti_broad_items(mem, broad, soup, kb, &broad->grid.b, &moving)) ||
        !cti_grid_pairs(mem, &broad->grid, ka == kb, moving, &broad->grid_pairs))
        return 0;
    first = broad->grid_first + broad->n_bodies + 1;
    if (!cti_broad_deal(mem, broad, ka, kb, first))
        return 0;
    for (g = 0; g < groups; g++) {
        int p = broad->body_pairs[2 * (g / 2)], q = broad->body_pairs[2 * (g / 2) + 1], n = first[g + 1] - first[g];
        if (n > 0 && !cti_broad_finish(mem, &query, &broad->own, g % 2 ? q : p, g % 2 ? p : q, broad->own.raw + 2 * (size_t)first[g], n, out))
            return 0;
    }
    return 1;
}

/* Pairs of one kind, by the trees or by the hash. */
static int cti_broad_any_kind(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int ka, int kb, int32_t **out)
{
    return broad->hashed ? cti_broad_hash_kind(mem, broad, soup, ka, kb, out) : cti_broad_kind(mem, broad, soup, ka, kb, out);
}

CTI_FN int cti_broad_pairs(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **vf, int32_t **ee, int32_t **ve, int32_t **vv)
{
    if (vf && !cti_broad_any_kind(mem, broad, soup, CTI_BROAD_VERTICES, CTI_BROAD_FACES, vf))
        return 0;
    if (ee && !cti_broad_any_kind(mem, broad, soup, CTI_BROAD_EDGES, CTI_BROAD_EDGES, ee))
        return 0;
    if (ve && !cti_broad_any_kind(mem, broad, soup, CTI_BROAD_POINTS, CTI_BROAD_LOOSE, ve))
        return 0;
    return !vv || cti_broad_any_kind(mem, broad, soup, CTI_BROAD_POINTS, CTI_BROAD_POINTS, vv);
}

CTI_FN int cti_broad_loose(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **out)
{
    int e, any = 0;
    for (e = 0; !any && e < soup->ne; e++)
        any = broad->edge_loose[e];
    CTI_CLEAR(*out);
    return !any || cti_broad_any_kind(mem, broad, soup, CTI_BROAD_VERTICES, CTI_BROAD_LOOSE, out);
}

CTI_FN int cti_broad_edge_faces(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **ef)
{
    return cti_broad_any_kind(mem, broad, soup, CTI_BROAD_EDGES, CTI_BROAD_FACES, ef);
}
