/* order.c -- fill-reducing orders.
   Method: nested dissection. A segment of perm holds a part's vertices; a cut sorts them into side 0, side 1 and separator, and the two
   sides are segments again. Small parts are ordered by exact minimum degree on an elimination graph of bit rows. The vertices around a part
   are all eliminated later: they count as columns but are never chosen. Based on: George 1973 (nested dissection); Tinney and Walker 1967
   (minimum degree); Ashcraft, Liu 1998 (constrained leaves). */
#include "order.h"

static int cti_order_bits(uint64_t x)
{
    x = x - ((x >> 1) & 0x5555555555555555ull);
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (int)((x * 0x0101010101010101ull) >> 56);
}

/* cti_order_work -- at[v]: local number of v in the current part, -1 outside */
typedef struct cti_order_work {
    cti_mem *mem;
    const cti_graph *g;
    const cti_order_places *places;
    int *at;
    int *list; /* scratch [n] */
    uint64_t *rows;
    int *todo; /* segments still to be cut: pairs lo, hi */
} cti_order_work;

/* bit rows of the part part[0..n); the vertices around it are numbered from n on. Returns the words per row, 0 when memory ran out */
static int cti_order_rows(cti_order_work *s, const int *part, int n, int *out_around)
{
    const cti_graph *g = s->g;
    int i, k, u, m = n, words;
    for (i = 0; i < n; i++)
        s->at[part[i]] = i;
    for (i = 0; i < n; i++)
        for (k = g->ptr[part[i]]; k < g->ptr[part[i] + 1]; k++) {
            u = g->adj[k];
            if (s->at[u] < 0) {
                s->list[m - n] = u;
                s->at[u] = m++;
            }
        }
    words = (m + 63) / 64;
    *out_around = m - n;
    if (!CTI_RESIZE(s->mem, s->rows, (size_t)words * (size_t)n))
        words = 0;
    else
        memset(s->rows, 0, (size_t)words * (size_t)n * sizeof *s->rows);
    for (i = 0; i < n && words; i++) {
        uint64_t *row = s->rows + (size_t)words * (size_t)i;
        row[i >> 6] |= (uint64_t)1 << (i & 63);
        for (k = g->ptr[part[i]]; k < g->ptr[part[i] + 1]; k++) {
            u = s->at[g->adj[k]];
            row[u >> 6] |= (uint64_t)1 << (u & 63);
        }
    }
    for (i = 0; i < n; i++)
        s->at[part[i]] = -1;
    for (i = 0; i < m - n; i++)
        s->at[s->list[i]] = -1;
    return words;
}

/* row |= r without the bit `gone`; returns the number of bits set in row */
static int cti_order_join(uint64_t *row, const uint64_t *r, int words, int gone)
{
    int k, n = 0;
    for (k = 0; k < words; k++) {
        row[k] |= r[k];
        if (k == gone >> 6)
            row[k] &= ~((uint64_t)1 << (gone & 63));
        n += cti_order_bits(row[k]);
    }
    return n;
}

/* exact minimum degree: sorts part into its elimination order. A row keeps the bit of its own vertex; bits of eliminated vertices are
   cleared. */
static int cti_order_degree(cti_order_work *s, int *part, int n)
{
    int i, k, j, step, around, words = cti_order_rows(s, part, n, &around);
    int *degree = s->list, *copy = s->list + n;
    if (!words)
        return 0;
    for (i = 0; i < n; i++) {
        copy[i] = part[i];
        for (degree[i] = 0, k = 0; k < words; k++)
            degree[i] += cti_order_bits(s->rows[(size_t)words * (size_t)i + (size_t)k]);
    }
    for (step = 0; step < n; step++) {
        int best = -1;
        const uint64_t *r;
        for (i = 0; i < n; i++)
            if (degree[i] >= 0 && (best < 0 || degree[i] < degree[best]))
                best = i;
        if (degree[best] == n - step + around) {
            /* the remaining graph is complete, all degrees stay equal: eliminate by number */
            for (i = 0; i < n; i++)
                if (degree[i] >= 0)
                    part[step++] = copy[i];
            return 1;
        }
        part[step] = copy[best];
        degree[best] = -1;
        /* the neighbours become a clique */
        r = s->rows + (size_t)words * (size_t)best;
        for (k = 0; k < words; k++) {
            uint64_t x = r[k];
            for (; x; x &= x - 1) {
                j = 64 * k + cti_order_bits((x & (~x + 1)) - 1);
                if (j < n && degree[j] >= 0)
                    degree[j] = cti_order_join(s->rows + (size_t)words * (size_t)j, r, words, best);
            }
        }
    }
    return 1;
}

/* the graph induced by part[0..n), unit weights */
static int cti_order_induced(cti_order_work *s, const int *part, int n, cti_graph *out)
{
    const cti_graph *g = s->g;
    int i, k, m = 0;
    for (i = 0; i < n; i++) {
        s->at[part[i]] = i;
        m += g->ptr[part[i] + 1] - g->ptr[part[i]];
    }
    if (cti_graph_alloc(s->mem, out, n, m))
        for (i = 0, m = 0; i < n; i++) {
            out->ptr[i] = m;
            out->w[i] = 1;
            for (k = g->ptr[part[i]]; k < g->ptr[part[i] + 1]; k++)
                if (s->at[g->adj[k]] >= 0) {
                    out->adj[m] = s->at[g->adj[k]];
                    out->ew[m++] = 1;
                }
            out->ptr[i + 1] = m;
        }
    for (i = 0; i < n; i++)
        s->at[part[i]] = -1;
    return out->mem != NULL || n == 0;
}

/* cuts part[0..n) into side 0, side 1, separator; their sizes in count. A side may come out empty. */
static int cti_order_split(cti_order_work *s, int *part, int n, int count[3])
{
    cti_graph sub;
    int i, k, *label = s->list, at[3], ok;
    memset(&sub, 0, sizeof sub);
    count[0] = count[1] = count[2] = 0;
    ok = cti_order_induced(s, part, n, &sub) && (s->places ? cti_order_cut_places(s->mem, &sub, s->places, part, label)
                                                           : cti_order_cut(s->mem, &sub, (uint32_t)n, label));
    cti_graph_free(s->mem, &sub);
    if (!ok)
        return 0;
    for (i = 0; i < n; i++)
        count[label[i]]++;
    at[0] = 0, at[1] = count[0], at[2] = count[0] + count[1];
    /* stable partition; the second half of the scratch is the buffer */
    for (i = 0; i < n; i++)
        s->list[n + at[label[i]]++] = part[i];
    for (k = 0; k < n; k++)
        part[k] = s->list[n + k];
    return 1;
}

CTI_FN int cti_order_dissect(cti_mem *mem, const cti_graph *g, int leaf, const cti_order_places *at, int *perm)
{
    cti_order_work s;
    int i, n = g->n, ok = 0, lo, hi, count[3];
    memset(&s, 0, sizeof s);
    s.mem = mem, s.g = g, s.places = at;
    if (!CTI_RESIZE(mem, s.at, n) || !CTI_RESIZE(mem, s.list, 2 * (size_t)n))
        goto done;
    for (i = 0; i < n; i++) {
        perm[i] = i;
        s.at[i] = -1;
    }
    if (!CTI_PUSH(mem, s.todo, 0) || !CTI_PUSH(mem, s.todo, n))
        goto done;
    while (CTI_LEN(s.todo) > 0) {
        hi = s.todo[CTI_LEN(s.todo) - 1], lo = s.todo[CTI_LEN(s.todo) - 2];
        stbds_header(s.todo)->length -= 2;
        if (hi - lo > leaf && hi - lo > 2) {
            if (!cti_order_split(&s, perm + lo, hi - lo, count))
                goto done;
            if (count[0] > 0 && count[1] > 0) {
                if (!CTI_PUSH(mem, s.todo, lo) || !CTI_PUSH(mem, s.todo, lo + count[0]) || !CTI_PUSH(mem, s.todo, lo + count[0]) ||
                    !CTI_PUSH(mem, s.todo, lo + count[0] + count[1]))
                    goto done;
                continue;
            }
        }
        if (hi > lo && !cti_order_degree(&s, perm + lo, hi - lo))
            goto done;
    }
    ok = 1;
done:
    CTI_FREE(mem, s.at);
    CTI_FREE(mem, s.list);
    CTI_FREE(mem, s.rows);
    CTI_FREE(mem, s.todo);
    return ok;
}
