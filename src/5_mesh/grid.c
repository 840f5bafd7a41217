/* grid.c -- a spatial hash of moving boxes. Method: see grid.h. Cells are numbered from the lowest corner of all boxes by a monotone map.
   So boxes that overlap share a cell, rounding included. Based on: Teschner et al. 2003, sec. 4 and 5. */
#include "grid.h"
#include "../0_base/sort.h"

/* most cells that an item of the table may cover; cells along an axis (positions beyond are in the last one); fewest and most buckets */
enum { CTI_GRID_CELLS = 216, CTI_GRID_AXIS = 1 << 20, CTI_GRID_LEAST = 64, CTI_GRID_MOST = 1 << 22 };
#define CTI_GRID_SIDE 1.5 /* [mean size of boxes] side of a cell */

static void cti_grid_free_items(cti_mem *mem, cti_grid_items *s)
{
    CTI_FREE_SPAN(mem, s->id, s->large);
}

CTI_FN void cti_grid_free(cti_mem *mem, cti_grid *g)
{
    cti_grid_free_items(mem, &g->a);
    cti_grid_free_items(mem, &g->b);
    CTI_FREE(mem, g->mark);
    memset(g, 0, sizeof *g);
}

CTI_FN void cti_grid_box(cti_boxes boxes, const int32_t *v, int n, int swept, float box[12])
{
    int end, i, k;
    for (end = 0; end < 2; end++) {
        int at = end && !swept ? 8 : 0;
        cti_f8 all = cti_f8_load(cti_boxes_of(boxes, v[0]) + at);
        float t[8];
        for (i = 1; i < n; i++)
            all = cti_f8_min(all, cti_f8_load(cti_boxes_of(boxes, v[i]) + at));
        cti_f8_store(t, all);
        for (k = 0; k < 3; k++)
            box[6 * end + k] = t[k], box[6 * end + 3 + k] = -t[4 + k];
    }
}

/* ---- cells ---- */

/* Lower bound of a box along an axis over both ends; the end is taken minus the shift. Subtracting the same shift from all boxes changes no
   comparison. */
static float cti_grid_lo(const cti_grid *g, const float *box, int k)
{
    float end = box[6 + k] - g->shift[k];
    return end < box[k] ? end : box[k];
}
static float cti_grid_hi(const cti_grid *g, const float *box, int k)
{
    float end = box[9 + k] - g->shift[k];
    return end > box[3 + k] ? end : box[3 + k];
}

/* Computes the mean motion of the dynamic items. */
static void cti_grid_drift(cti_grid *g, int self)
{
    double sum[3] = {0, 0, 0};
    int i, k, kind, n = 0;
    for (kind = 0; kind < 2 - self; kind++) {
        const cti_grid_items *s = kind ? &g->b : &g->a;
        for (i = 0; i < s->n; i++) {
            const float *box = s->boxes + 12 * (size_t)i;
            if (!(s->flags[i] & CTI_GRID_DYNAMIC))
                continue;
            for (k = 0; k < 3; k++)
                sum[k] += (double)box[6 + k] - (double)box[k];
            n++;
        }
    }
    for (k = 0; k < 3; k++)
        g->shift[k] = g->moving && n > 0 ? (float)(sum[k] / n) : 0;
}

/* Mean of the items' sizes, without those above `most`. */
static double cti_grid_mean(const cti_grid *g, const cti_grid_items *s, double most)
{
    double sum = 0;
    int i, k, n = 0;
    for (i = 0; i < s->n; i++) {
        const float *box = s->boxes + 12 * (size_t)i;
        double size = 0;
        for (k = 0; k < 3; k++) {
            double d = (double)cti_grid_hi(g, box, k) - (double)cti_grid_lo(g, box, k);
            size = d > size ? d : size;
        }
        if (size <= most)
            sum += size, n++;
    }
    return n > 0 ? sum / n : 0;
}

/* Computes the lowest corner, and the cell's side from the kind of item that is larger. */
static void cti_grid_measure(cti_grid *g, int self)
{
    double side = 0;
    int i, k, kind, pass;
    for (kind = 0; kind < 2 - self; kind++) {
        const cti_grid_items *s = kind ? &g->b : &g->a;
        double mean = cti_grid_mean(g, s, 1e300);
        for (pass = 0; pass < 4; pass++)
            mean = cti_grid_mean(g, s, 2 * mean);
        side = mean > side ? mean : side;
        for (i = 0; i < s->n; i++)
            for (k = 0; k < 3; k++) {
                float lo = cti_grid_lo(g, s->boxes + 12 * (size_t)i, k);
                if ((kind == 0 && i == 0) || lo < g->origin[k])
                    g->origin[k] = lo;
            }
    }
    side *= CTI_GRID_SIDE;
    g->inverse = side > 1e-30 && side < 1e30 ? (float)(1 / side) : 1.0f;
}

static int32_t cti_grid_cell(const cti_grid *g, float x, int k)
{
    float c = (x - g->origin[k]) * g->inverse;
    return c > 0 ? (c < (float)CTI_GRID_AXIS ? (int32_t)c : CTI_GRID_AXIS) : 0;
}

static int32_t cti_grid_hash(const cti_grid *g, int32_t x, int32_t y, int32_t z)
{
    uint32_t h = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    return (int32_t)(h & (uint32_t)(g->table - 1));
}

/* Computes lowest cells and flags large items; *entries is the number of entries of the others. */
static int cti_grid_place(cti_mem *mem, cti_grid *g, cti_grid_items *s, int64_t *entries)
{
    int i, k;
    CTI_CLEAR(s->large);
    if (!CTI_RESIZE(mem, s->low, 3 * (size_t)s->n))
        return 0;
    for (i = 0; i < s->n; i++) {
        const float *box = s->boxes + 12 * (size_t)i;
        int64_t cells = 1;
        for (k = 0; k < 3; k++) {
            int32_t lo = cti_grid_cell(g, cti_grid_lo(g, box, k), k), hi = cti_grid_cell(g, cti_grid_hi(g, box, k), k);
            s->low[3 * (size_t)i + (size_t)k] = lo;
            cells *= hi - lo + 1;
            cells = cells > CTI_GRID_CELLS ? CTI_GRID_CELLS + 1 : cells;
        }
        s->flags[i] = (uint8_t)(s->flags[i] & ~CTI_GRID_LARGE);
        if (cells <= CTI_GRID_CELLS) {
            *entries += cells;
            continue;
        }
        s->flags[i] |= CTI_GRID_LARGE;
        if (!CTI_PUSH(mem, s->large, i))
            return 0;
    }
    return 1;
}

/* ---- the table ---- */

/* Appends the buckets of item i, each once, to keys, which has room. */
static void cti_grid_keys(cti_grid *g, cti_grid_items *s, int i)
{
    const float *box = s->boxes + 12 * (size_t)i;
    const int32_t *lo = s->low + 3 * (size_t)i;
    int32_t hi[3], x, y, z, *out = s->keys + s->first[i];
    int k;
    for (k = 0; k < 3; k++)
        hi[k] = cti_grid_cell(g, cti_grid_hi(g, box, k), k);
    for (z = lo[2]; z <= hi[2]; z++)
        for (y = lo[1]; y <= hi[1]; y++)
            for (x = lo[0]; x <= hi[0]; x++) {
                int32_t h = cti_grid_hash(g, x, y, z);
                if (g->mark[h] == i)
                    continue;
                g->mark[h] = i;
                s->start[h + 1]++;
                *out++ = h;
            }
    s->first[i + 1] = (int32_t)(out - s->keys);
}

/* Builds the lists of all buckets in two passes: counts, then places. */
static int cti_grid_enter(cti_mem *mem, cti_grid *g, cti_grid_items *s, int64_t entries)
{
    size_t table = (size_t)g->table;
    int i, k;
    if (entries > INT32_MAX / 2 || !CTI_RESIZE(mem, s->first, (size_t)s->n + 1) || !CTI_ZEROS(mem, s->start, table + 1) ||
        !CTI_RESERVE(mem, s->keys, entries + 1) || !CTI_RESERVE(mem, s->list, entries + 1) || !CTI_RESIZE(mem, g->mark, table))
        return 0;
    memset(g->mark, 0xff, table * sizeof *g->mark);
    s->first[0] = 0;
    for (i = 0; i < s->n; i++) {
        s->first[i + 1] = s->first[i];
        if (!(s->flags[i] & CTI_GRID_LARGE))
            cti_grid_keys(g, s, i);
    }
    cti_sort_starts(s->start, (size_t)g->table);
    /* placing moves every bucket's offset from its end down to its start: hence items in descending order */
    for (i = s->n - 1; i >= 0; i--)
        for (k = s->first[i]; k < s->first[i + 1]; k++)
            s->list[--s->start[s->keys[k] + 1]] = i;
    /* start[h + 1] is now where bucket h begins */
    for (i = 0; i < g->table; i++)
        s->start[i] = s->start[i + 1];
    s->start[g->table] = s->first[s->n];
    return 1;
}

/* ---- pairs ---- */

/* Items from, ..., from + n - 1 of a list; a list that is NULL has all items. */
typedef struct cti_grid_span {
    const int32_t *list;
    int from, n;
} cti_grid_span;

static cti_grid_span cti_grid_span_of(const int32_t *list, int from, int n)
{
    cti_grid_span s;
    s.list = list, s.from = from, s.n = n;
    return s;
}

/* Tile i of a span. */
static cti_grid_span cti_grid_tile_of(const cti_grid_span *s, int i)
{
    return cti_grid_span_of(s->list, s->from + i, cti_min_int(CTI_GRID_TILE, s->n - i));
}

/* Items of the other side. */
static const cti_grid_items *cti_grid_other(const cti_grid *g) { return g->self ? &g->a : &g->b; }

/* Packs the boxes of a tile into blocks of eight lanes, as in the trees. */
static void cti_grid_pack(const cti_grid_items *s, const cti_grid_span *tile, int moving, float *blocks)
{
    int i, k;
    for (i = 0; i < tile->n; i++) {
        const float *box = s->boxes + 12 * (size_t)(tile->list ? tile->list[tile->from + i] : tile->from + i);
        float *block = blocks + (size_t)(i / 8) * CTI_BVH_BLOCK + i % 8;
        for (k = 0; k < (moving ? 12 : 6); k++)
            block[8 * k] = box[k];
    }
}

/* Can two items with overlapping boxes be a pair, and is it to be reported here? */
static int cti_grid_accept(const cti_grid *g, int32_t i, int32_t j)
{
    const cti_grid_items *a = &g->a, *b = cti_grid_other(g);
    const int32_t *p = a->low + 3 * (size_t)i, *q = b->low + 3 * (size_t)j;
    if (!((a->flags[i] | b->flags[j]) & CTI_GRID_DYNAMIC) || (a->body[i] == b->body[j] && !(a->flags[i] & CTI_GRID_SELF)))
        return 0;
    /* a large item meets all others; of two large items the one with the lower number reports the pair */
    if (g->bucket < 0)
        return !g->self || !(b->flags[j] & CTI_GRID_LARGE) || i < j;
    return cti_grid_hash(g, p[0] > q[0] ? p[0] : q[0], p[1] > q[1] ? p[1] : q[1], p[2] > q[2] ? p[2] : q[2]) == g->bucket;
}

/* One packed tile against another. */
static int cti_grid_tile(cti_mem *mem, const cti_grid *g, const cti_grid_span *a, const cti_grid_span *b, int32_t **out)
{
    int i, k, nb = b->n;
    for (i = 0; i < a->n; i++) {
        const float *query = g->blocks_a + (size_t)(i / 8) * CTI_BVH_BLOCK;
        int32_t item = a->list ? a->list[a->from + i] : a->from + i;
        /* within one list, only items behind this one */
        int skip = g->self && g->bucket >= 0 ? a->from + i + 1 - b->from : 0;
        size_t n = (size_t)CTI_LEN(*out);
        if (!CTI_RESERVE(mem, *out, (int64_t)n + 2 * CTI_GRID_TILE))
            return 0;
        for (k = skip > 0 ? skip / 8 : 0; 8 * k < nb; k++) {
            const float *block = g->blocks_b + (size_t)k * CTI_BVH_BLOCK;
            unsigned m = g->moving ? cti_bvh_hits_moving(query, query + CTI_BVH_HALF, i % 8, block, block + CTI_BVH_HALF)
                                   : cti_bvh_hits(query, i % 8, block);
            if (nb - 8 * k < 8)
                m &= (1u << (nb - 8 * k)) - 1u;
            if (skip > 8 * k)
                m &= ~((1u << (skip - 8 * k)) - 1u);
            for (; m; m &= m - 1) {
                int at = b->from + 8 * k + cti_lowest_bit(m);
                int32_t other = b->list ? b->list[at] : at;
                if (cti_grid_accept(g, item, other))
                    (*out)[n] = item, (*out)[n + 1] = other, n += 2;
            }
        }
        stbds_header(*out)->length = n;
    }
    return 1;
}

/* The items of a bucket against each other, tile by tile. */
static int cti_grid_meet(cti_mem *mem, cti_grid *g, int bucket, cti_grid_span a, cti_grid_span b, int32_t **out)
{
    int i, j;
    g->bucket = bucket;
    for (i = 0; i < a.n; i += CTI_GRID_TILE) {
        const cti_grid_span rows = cti_grid_tile_of(&a, i);
        cti_grid_pack(&g->a, &rows, g->moving, g->blocks_a);
        for (j = g->self && bucket >= 0 ? i : 0; j < b.n; j += CTI_GRID_TILE) {
            const cti_grid_span columns = cti_grid_tile_of(&b, j);
            cti_grid_pack(cti_grid_other(g), &columns, g->moving, g->blocks_b);
            if (!cti_grid_tile(mem, g, &rows, &columns, out))
                return 0;
        }
    }
    return 1;
}

/* Large items of a against all, and the others of a against large items of b. */
static int cti_grid_meet_large(cti_mem *mem, cti_grid *g, int32_t **out)
{
    const cti_grid_span all = cti_grid_span_of(NULL, 0, g->a.n), others = cti_grid_span_of(NULL, 0, cti_grid_other(g)->n);
    int n, m, i;
    if (!cti_grid_meet(mem, g, -1, cti_grid_span_of(g->a.large, 0, CTI_LEN(g->a.large)), others, out))
        return 0;
    if (g->self || CTI_LEN(g->b.large) == 0)
        return 1;
    n = m = CTI_LEN(*out);
    if (!cti_grid_meet(mem, g, -1, all, cti_grid_span_of(g->b.large, 0, CTI_LEN(g->b.large)), out))
        return 0;
    /* both are large: found before */
    for (i = n; i < CTI_LEN(*out); i += 2) {
        (*out)[m] = (*out)[i], (*out)[m + 1] = (*out)[i + 1];
        m += g->a.flags[(*out)[i]] & CTI_GRID_LARGE ? 0 : 2;
    }
    if (*out)
        stbds_header(*out)->length = (size_t)m;
    return 1;
}

CTI_FN int cti_grid_pairs(cti_mem *mem, cti_grid *g, int self, int moving, int32_t **out)
{
    const cti_grid_items *b = self ? &g->a : &g->b;
    int64_t entries_a = 0, entries_b = 0;
    int h;
    CTI_CLEAR(*out);
    if (g->a.n == 0 || b->n == 0)
        return 1;
    g->self = self, g->moving = moving;
    cti_grid_drift(g, self);
    cti_grid_measure(g, self);
    if (!cti_grid_place(mem, g, &g->a, &entries_a) || (!self && !cti_grid_place(mem, g, &g->b, &entries_b)))
        return 0;
    for (g->table = CTI_GRID_LEAST; g->table < CTI_GRID_MOST && g->table < (self ? entries_a : entries_b);)
        g->table *= 2;
    if (!cti_grid_enter(mem, g, &g->a, entries_a) || (!self && !cti_grid_enter(mem, g, &g->b, entries_b)))
        return 0;
    for (h = 0; h < g->table; h++) {
        int na = g->a.start[h + 1] - g->a.start[h], nb = b->start[h + 1] - b->start[h];
        if (na > 0 && nb > self &&
            !cti_grid_meet(mem, g, h, cti_grid_span_of(g->a.list, g->a.start[h], na), cti_grid_span_of(b->list, b->start[h], nb), out))
            return 0;
    }
    return cti_grid_meet_large(mem, g, out);
}
