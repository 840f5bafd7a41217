/* symbolic.c -- from a cluster's pattern to the plan of its factorization.
   Method: where it is cheap, several fill-reducing orders are tried, and the one with the least modelled time is kept. Wide supernodes are
   cut into chains of panels that fit the second-level cache. For every pair (descendant, target) the rows that the descendant updates are
   found once, as pieces of its strips, so that the numeric phase searches nothing. Based on: Ng and Peyton 1993 (blocked left-looking
   Cholesky); Chen, Davis, Hager, Rajamanickam 2008 (CHOLMOD). */
#include "symbolic.h"
#include "../0_base/sort.h"
#include "etree.h"

/* local number of block b, or -1 */
static int cti_symbolic_local(const int32_t *blocks, int n, int b)
{
    int even = b - blocks[0]; /* a body's blocks are usually consecutive numbers */
    return even >= 0 && even < n && blocks[even] == b ? even : cti_sort_find(blocks, 1, 0, n, b);
}

static uint64_t cti_symbolic_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

CTI_FN uint64_t cti_symbolic_hash(const cti_bsr *A, const int32_t *blocks, int n_blocks)
{
    uint64_t h = cti_symbolic_mix(1, (uint64_t)n_blocks);
    int i, k, j;
    for (i = 0; i < n_blocks; i++) {
        h = cti_symbolic_mix(h, ~(uint64_t)i);
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++)
            if ((j = cti_symbolic_local(blocks, n_blocks, A->col[k])) >= 0 && j != i)
                h = cti_symbolic_mix(h, (uint64_t)j);
    }
    return h;
}

CTI_FN int cti_symbolic_same(const cti_symbolic *sym, const cti_bsr *A, const int32_t *blocks, int n_blocks)
{
    int i, k, j, e = 0;
    if (sym->n != n_blocks)
        return 0;
    for (i = 0; i < n_blocks; i++) {
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++) {
            j = cti_symbolic_local(blocks, n_blocks, A->col[k]);
            if (j < 0 || j == i)
                continue;
            if (e >= sym->ptr[i + 1] || sym->adj[e] != j)
                return 0;
            e++;
        }
        if (e != sym->ptr[i + 1])
            return 0;
    }
    return 1;
}

/* the local pattern */
static int cti_symbolic_pattern(cti_mem *mem, cti_symbolic *s, const cti_bsr *A, const int32_t *blocks, int n)
{
    int i, k, j;
    s->n = n;
    CTI_CLEAR(s->adj);
    if (!CTI_RESIZE(mem, s->ptr, n + 1))
        return 0;
    for (i = 0; i < n; i++) {
        s->ptr[i] = CTI_LEN(s->adj);
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++)
            if ((j = cti_symbolic_local(blocks, n, A->col[k])) >= 0 && j != i && !CTI_PUSH(mem, s->adj, j))
                return 0;
    }
    s->ptr[n] = CTI_LEN(s->adj);
    return 1;
}

#define CTI_SYMBOLIC_ONCE_SMALL 1200 /* [blocks] up to this size minimum degree alone costs least, ordering and one factorization
                                        together */
#define CTI_SYMBOLIC_ONCE_LEAF 100   /* [blocks] leaves of nested dissection there: 400 makes the factor 3 % larger, 64 nothing smaller */

/* finds an order and its supernodes: the best of several orders, or with `once` one that is found quickly */
static int cti_symbolic_order(cti_mem *mem, cti_symbolic *s, int once, const cti_order_places *at)
{
    static const int leaves[] = {0x7fffffff, 64, 32, 12};
    int *perm = NULL, *first = NULL, *t, i, ok = 0, n = s->n;
    double cost, best = -1;
    cti_graph g;
    memset(&g, 0, sizeof g);
    g.n = n, g.ptr = s->ptr, g.adj = s->adj;
    if (!CTI_RESIZE(mem, perm, n) || !CTI_RESIZE(mem, s->perm, n) || !CTI_RESIZE(mem, s->inv, n))
        goto done;
    if (once) {
        ok = cti_order_dissect(mem, &g, n <= CTI_SYMBOLIC_ONCE_SMALL ? n : CTI_SYMBOLIC_ONCE_LEAF, at, s->perm) &&
             cti_etree_supernodes(mem, &g, s->perm, &s->first, &cost);
        for (i = 0; ok && i < n; i++)
            s->inv[s->perm[i]] = i;
        goto done;
    }
    for (i = 0; i < 4; i++) {
        /* minimum degree alone, and small leaves, are tried for small parts only */
        if ((i == 0 && n > 3000) || (i == 1 && n <= leaves[1]) || (i > 1 && (n > 600 || n <= leaves[i])))
            continue;
        if (!cti_order_dissect(mem, &g, leaves[i], NULL, perm) || !cti_etree_supernodes(mem, &g, perm, &first, &cost))
            goto done;
        if (best >= 0 && cost >= best)
            continue;
        best = cost;
        t = perm, perm = s->perm, s->perm = t;
        t = first, first = s->first, s->first = t;
    }
    for (i = 0; i < n; i++)
        s->inv[s->perm[i]] = i;
    ok = 1;
done:
    CTI_FREE(mem, perm);
    CTI_FREE(mem, first);
    return ok;
}

/* cuts supernodes wider than the limit into chains of panels of equal width */
static int cti_symbolic_cut(cti_mem *mem, cti_symbolic *s)
{
    int *cut = NULL, i, k, parts, m = CTI_LEN(s->first) - 1;
    for (i = 0; i < m; i++) {
        int w = s->first[i + 1] - s->first[i];
        parts = (w + CTI_SYMBOLIC_WIDTH - 1) / CTI_SYMBOLIC_WIDTH;
        for (k = 0; k < parts; k++)
            if (!CTI_PUSH(mem, cut, s->first[i] + (int)((int64_t)w * k / parts)))
                goto fail;
    }
    if (!CTI_PUSH(mem, cut, s->n))
        goto fail;
    CTI_FREE(mem, s->first);
    s->first = cut;
    s->n_super = CTI_LEN(cut) - 1;
    if (!CTI_RESIZE(mem, s->owner, s->n))
        return 0;
    for (i = 0; i < s->n_super; i++)
        for (k = s->first[i]; k < s->first[i + 1]; k++)
            s->owner[k] = i;
    return 1;
fail:
    CTI_FREE(mem, cut);
    return 0;
}

/* rows of every supernode: those of its columns in A and those of its children; also subtrees. child and sibling are lists by parent. */
static int cti_symbolic_rows(cti_mem *mem, cti_symbolic *s)
{
    int *w = NULL, *mark, *child, *sibling, i, j, k, c, r, ok = 0, m = s->n_super;
    if (!CTI_RESIZE(mem, w, (size_t)s->n + 2 * (size_t)m) || !CTI_RESIZE(mem, s->row_ptr, m + 1) || !CTI_RESIZE(mem, s->subtree, m))
        goto done;
    mark = w, child = w + s->n, sibling = child + m;
    for (i = 0; i < s->n; i++)
        mark[i] = -1;
    for (i = 0; i < m; i++)
        child[i] = -1;
    CTI_CLEAR(s->rows);
    for (i = 0; i < m; i++) {
        int end = s->first[i + 1], start = CTI_LEN(s->rows);
        s->row_ptr[i] = start;
        s->subtree[i] = s->first[i];
        for (j = s->first[i]; j < end; j++)
            for (k = s->ptr[s->perm[j]]; k < s->ptr[s->perm[j] + 1]; k++) {
                r = s->inv[s->adj[k]];
                if (r >= end && mark[r] != i) {
                    mark[r] = i;
                    if (!CTI_PUSH(mem, s->rows, r))
                        goto done;
                }
            }
        for (c = child[i]; c >= 0; c = sibling[c]) {
            s->subtree[i] = cti_min_int(s->subtree[i], s->subtree[c]);
            for (k = s->row_ptr[c]; k < s->row_ptr[c + 1]; k++) {
                r = s->rows[k];
                if (r >= end && mark[r] != i) {
                    mark[r] = i;
                    if (!CTI_PUSH(mem, s->rows, r))
                        goto done;
                }
            }
        }
        s->row_ptr[i + 1] = CTI_LEN(s->rows);
        if (s->row_ptr[i + 1] > start) {
            cti_sort_list(s->rows + start, s->row_ptr[i + 1] - start);
            r = s->owner[s->rows[start]];
            sibling[i] = child[r];
            child[r] = i;
        }
    }
    ok = 1;
done:
    CTI_FREE(mem, w);
    return ok;
}

/* offsets and sizes */
static int cti_symbolic_layout(cti_mem *mem, cti_symbolic *s)
{
    int i, j;
    if (!CTI_RESIZE(mem, s->panel, s->n_super + 1) || !CTI_RESIZE(mem, s->pivot, s->n_super + 1) || !CTI_RESIZE(mem, s->place, s->n))
        return 0;
    s->panel[0] = 0, s->pivot[0] = 0;
    s->scratch = 0;
    s->max_cols = s->max_rows = 0;
    s->nonzeros = s->flops = 0;
    for (i = 0; i < s->n_super; i++) {
        size_t size = (size_t)cti_sym_height(s, i) * (size_t)cti_sym_cols(s, i);
        double k = cti_sym_pivots(s, i), m = cti_sym_below(s, i);
        s->panel[i + 1] = s->panel[i] + size;
        s->pivot[i + 1] = s->pivot[i] + cti_sym_top(s, i);
        if (size > s->scratch)
            s->scratch = size;
        for (j = s->first[i]; j < s->first[i + 1]; j++)
            s->place[j] = s->pivot[i] + 3 * (j - s->first[i]);
        s->max_cols = cti_max_int(s->max_cols, cti_sym_cols(s, i));
        s->max_rows = cti_max_int(s->max_rows, cti_sym_height(s, i));
        s->nonzeros += k * (k + 1) / 2 + k * m;
        s->flops += k * k * k / 3 + k * k * m + k * m * m;
    }
    return 1;
}

/* rows i0 .. of source d as pieces of its strips; at[position] is the row in the target's panel */
static int cti_symbolic_pieces(cti_mem *mem, cti_symbolic *s, cti_sym_update *u, const int *at)
{
    const int *rows = s->rows + s->row_ptr[u->source];
    int i, strip, below = cti_sym_below(s, u->source), to;
    u->piece = CTI_LEN(s->piece);
    u->strip = CTI_LEN(s->strip_piece);
    for (strip = 3 * u->i0 / 8; 8 * strip < below; strip++) {
        cti_sym_piece *last = NULL;
        if (!CTI_PUSH(mem, s->strip_piece, CTI_LEN(s->piece)))
            return 0;
        for (i = cti_max_int(8 * strip, 3 * u->i0); i < 8 * strip + 8 && i < below; i++) {
            cti_sym_piece p;
            to = at[rows[i / 3]] + i % 3;
            if (last && last->target + last->length == to) {
                last->length++;
                continue;
            }
            p.target = to, p.lane = (short)(i - 8 * strip), p.length = 1;
            if (!CTI_PUSH(mem, s->piece, p))
                return 0;
            last = s->piece + CTI_LEN(s->piece) - 1;
        }
    }
    return CTI_PUSH(mem, s->strip_piece, CTI_LEN(s->piece));
}

/* lists updates by target, in the order of their sources */
static int cti_symbolic_updates(cti_mem *mem, cti_symbolic *s)
{
    int d, a, i, k, m = s->n_super, pass;
    if (!CTI_ZEROS(mem, s->update_ptr, m + 1))
        return 0;
    for (pass = 0; pass < 2; pass++) {
        for (d = 0; d < m; d++) {
            int n = s->row_ptr[d + 1] - s->row_ptr[d];
            const int *rows = n ? s->rows + s->row_ptr[d] : NULL; /* a diagonal matrix has no rows below */
            for (i = 0; i < n; i = k) {
                a = s->owner[rows[i]];
                for (k = i; k < n && s->owner[rows[k]] == a; k++) {
                }
                if (pass == 0)
                    s->update_ptr[a + 1]++;
                else {
                    cti_sym_update *u = &s->update[s->update_ptr[a]++];
                    u->source = d, u->i0 = i, u->i1 = k;
                }
            }
        }
        if (pass == 0) {
            cti_sort_starts(s->update_ptr, (size_t)m);
            if (!CTI_RESIZE(mem, s->update, s->update_ptr[m]))
                return 0;
        }
    }
    cti_sort_started(s->update_ptr, (size_t)m);
    return 1;
}

/* lists the blocks of A's lower triangle by owner: the first pass counts, the second fills */
static int cti_symbolic_entries(cti_mem *mem, cti_symbolic *s)
{
    int i, k, m = s->n_super, pass, r, c, o;
    if (!CTI_ZEROS(mem, s->entry_ptr, m + 1))
        return 0;
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < s->n; i++)
            for (k = s->ptr[i] - 1; k < s->ptr[i + 1]; k++) {
                /* the diagonal first, then the row */
                int j = k < s->ptr[i] ? i : s->adj[k];
                r = s->inv[i], c = s->inv[j], o = s->owner[c];
                if (r < c)
                    continue;
                if (pass == 0)
                    s->entry_ptr[o + 1]++;
                else {
                    cti_sym_entry *e = &s->entry[s->entry_ptr[o]++];
                    e->i = i, e->j = j, e->row = r, e->col = 3 * (c - s->first[o]);
                }
            }
        if (pass == 0) {
            cti_sort_starts(s->entry_ptr, (size_t)m);
            if (!CTI_RESIZE(mem, s->entry, s->entry_ptr[m]))
                return 0;
        }
    }
    cti_sort_started(s->entry_ptr, (size_t)m);
    return 1;
}

/* places in the target's panel, for the updates' rows and for the entries */
static int cti_symbolic_place(cti_mem *mem, cti_symbolic *s)
{
    int *at = NULL, a, k, ok = 0;
    if (!CTI_RESIZE(mem, at, s->n))
        return 0;
    CTI_CLEAR(s->piece);
    CTI_CLEAR(s->strip_piece);
    for (a = 0; a < s->n_super; a++) {
        for (k = s->first[a]; k < s->first[a + 1]; k++)
            at[k] = 3 * (k - s->first[a]);
        for (k = s->row_ptr[a]; k < s->row_ptr[a + 1]; k++)
            at[s->rows[k]] = cti_sym_top(s, a) + 3 * (k - s->row_ptr[a]);
        for (k = s->update_ptr[a]; k < s->update_ptr[a + 1]; k++)
            if (!cti_symbolic_pieces(mem, s, &s->update[k], at))
                goto done;
        for (k = s->entry_ptr[a]; k < s->entry_ptr[a + 1]; k++)
            s->entry[k].row = at[s->entry[k].row];
    }
    ok = 1;
done:
    CTI_FREE(mem, at);
    return ok;
}

static int cti_symbolic_make(cti_mem *mem, cti_symbolic *out, const cti_bsr *A, const int32_t *blocks, int n_blocks, int once,
                             const cti_order_places *at)
{
    if (cti_symbolic_pattern(mem, out, A, blocks, n_blocks) && cti_symbolic_order(mem, out, once, at) && cti_symbolic_cut(mem, out) &&
        cti_symbolic_rows(mem, out) && cti_symbolic_layout(mem, out) && cti_symbolic_updates(mem, out) && cti_symbolic_entries(mem, out) &&
        cti_symbolic_place(mem, out))
        return 1;
    cti_symbolic_free(mem, out);
    return 0;
}

CTI_FN int cti_symbolic_analyze(cti_mem *mem, cti_symbolic *out, const cti_bsr *A, const int32_t *blocks, int n_blocks)
{
    return cti_symbolic_make(mem, out, A, blocks, n_blocks, 0, NULL);
}

CTI_FN int cti_symbolic_analyze_once(cti_mem *mem, cti_symbolic *out, const cti_bsr *A, const int32_t *blocks, int n_blocks,
                                     const cti_order_places *at)
{
    return cti_symbolic_make(mem, out, A, blocks, n_blocks, 1, at);
}

CTI_FN void cti_symbolic_free(cti_mem *mem, cti_symbolic *s)
{
    CTI_FREE_SPAN(mem, s->ptr, s->entry);
    memset(s, 0, sizeof *s);
}

CTI_FN int cti_gather_make(cti_mem *mem, cti_gather *out, const cti_symbolic *sym, const cti_bsr *A, const int32_t *blocks)
{
    int k, m = sym->entry_ptr[sym->n_super];
    if (!CTI_RESIZE(mem, out->slot, m))
        return 0;
    for (k = 0; k < m; k++)
        out->slot[k] = cti_bsr_slot(A, blocks[sym->entry[k].i], blocks[sym->entry[k].j]);
    return 1;
}

CTI_FN void cti_gather_free(cti_mem *mem, cti_gather *gather) { CTI_FREE(mem, gather->slot); }
