/* divide.c -- splits edges of a mesh of tetrahedra or triangles at their middles.
   Method: an element is bisected at its marked edges one after the other, the longest first; equal ones in the order of the list. Each bisection
   halves all pieces that contain the edge. The pieces of a face depend on the order of its own edges alone, so that both its tets divide it alike:
   the mesh stays conforming for every set of edges, and no edge beyond it is split. All edges of a tet make eight pieces of an eighth of its
   volume each; those of a face make four.
   based on: Rivara 1984, Algorithms for refining triangular grids (bisection at the longest edge). */
#include "divide.h"
#include "../0_base/sort.h"

enum { CTI_DIVIDE_PIECES = 8 };

static uint64_t cti_divide_key(int a, int b) { return (uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a); }

/* keys of the edges [2 n] at the begin of `keys`, sorted; number (may be NULL) moves along. 0: out of memory */
static int cti_divide_sort(cti_mem *mem, uint64_t *keys, int32_t *number, int n)
{
    uint64_t *keys_tmp = NULL;
    int32_t *tmp = NULL;
    int ok = CTI_RESIZE(mem, keys_tmp, n) && CTI_RESIZE(mem, tmp, n);
    if (ok)
        cti_sort_u64(keys, number, keys_tmp, number ? tmp : NULL, n);
    CTI_FREE(mem, keys_tmp), CTI_FREE(mem, tmp);
    return ok;
}

/* 1 if an edge is not among the sorted keys, and has an end that is not held */
static int cti_divide_is_new(int p, int q, const uint8_t *held, const uint64_t *keys, int n)
{
    return !(held && held[p] && held[q]) && cti_sort_find_u64(keys, n, cti_divide_key(p, q)) < 0;
}

CTI_FN int cti_divide_wants(const int32_t *tets, int n_tets, const uint8_t *marks, const uint8_t *held, const uint64_t *keys, int n)
{
    int i, a, b;
    for (i = 0; i < n_tets; i++) {
        if (marks && !marks[i])
            continue;
        for (a = 0; a < 4; a++)
            for (b = 0; b < a; b++)
                if (cti_divide_is_new(tets[4 * i + a], tets[4 * i + b], held, keys, n))
                    return 1;
    }
    return 0;
}

CTI_FN int cti_divide_edges(cti_mem *mem, const int32_t *tets, int n_tets, const uint8_t *marks, const uint8_t *held, int32_t **edges)
{
    uint64_t *have = NULL, *keys = NULL;
    int i, a, b, n = CTI_LEN(*edges) / 2, ok = CTI_RESIZE(mem, have, n);
    for (i = 0; ok && i < n; i++)
        have[i] = cti_divide_key((*edges)[2 * i], (*edges)[2 * i + 1]);
    ok = ok && cti_divide_sort(mem, have, NULL, n);
    for (i = 0; i < n_tets; i++)
        for (a = 0; a < 4 && (!marks || marks[i]); a++)
            for (b = 0; b < a && ok; b++) {
                int p = tets[4 * i + a], q = tets[4 * i + b];
                if (cti_divide_is_new(p, q, held, have, n))
                    ok = CTI_PUSH(mem, keys, cti_divide_key(p, q));
            }
    ok = ok && cti_divide_sort(mem, keys, NULL, CTI_LEN(keys));
    n = ok ? cti_sort_unique_u64(keys, NULL, CTI_LEN(keys)) : 0;
    for (i = 0; ok && i < n; i++)
        ok = CTI_PUSH(mem, *edges, (int32_t)(keys[i] >> 32)) && CTI_PUSH(mem, *edges, (int32_t)(keys[i] & 0xffffffffu));
    CTI_FREE(mem, have), CTI_FREE(mem, keys);
    return ok;
}

CTI_FN void cti_divide_close(cti_mem *mem, cti_divide *q) { CTI_FREE(mem, q->keys), CTI_FREE(mem, q->number), CTI_FREE(mem, q->rank); }

CTI_FN int cti_divide_open(cti_mem *mem, cti_divide *q, const ct_real *X, int first, const int32_t *edges, int n)
{
    int i, ok = CTI_RESIZE(mem, q->keys, n) && CTI_RESIZE(mem, q->number, n) && CTI_RESIZE(mem, q->rank, n);
    q->edges = edges, q->n = n, q->first = first;
    for (i = 0; ok && i < n; i++) {
        q->keys[i] = cti_sort_key(-(double)cti_v3_norm2(cti_v3_sub(cti_v3_at(X, edges[2 * i]), cti_v3_at(X, edges[2 * i + 1]))));
        q->number[i] = i;
    }
    ok = ok && cti_divide_sort(mem, q->keys, q->number, n);
    for (i = 0; ok && i < n; i++)
        q->rank[q->number[i]] = i;
    for (i = 0; ok && i < n; i++)
        q->keys[i] = cti_divide_key(edges[2 * i], edges[2 * i + 1]), q->number[i] = i;
    ok = ok && cti_divide_sort(mem, q->keys, q->number, n);
    if (!ok)
        cti_divide_close(mem, q);
    return ok;
}

/* the marked edges of an element, by rank. Returns their number */
static int cti_divide_marked(const cti_divide *q, int width, const int32_t *v, int32_t *edge)
{
    int n = 0, a, b, k;
    for (a = 0; a < width; a++)
        for (b = 0; b < a; b++) {
            int at = cti_sort_find_u64(q->keys, q->n, cti_divide_key(v[a], v[b]));
            if (at < 0)
                continue;
            for (k = n++; k > 0 && q->rank[edge[k - 1]] > q->rank[q->number[at]]; k--)
                edge[k] = edge[k - 1];
            edge[k] = q->number[at];
        }
    return n;
}

static int cti_divide_place(const int32_t *v, int width, int vertex)
{
    int k;
    for (k = 0; k < width; k++)
        if (v[k] == vertex)
            return k;
    return -1;
}

/* pieces [width count] of an element; returns the count */
static int cti_divide_one(const cti_divide *q, int width, const int32_t *v, int32_t *out)
{
    int32_t edge[6];
    int n = cti_divide_marked(q, width, v, edge), count = 1, i, k, before;
    memcpy(out, v, sizeof *v * (size_t)width);
    for (i = 0; i < n; i++)
        for (k = 0, before = count; k < before; k++) {
            int32_t *piece = out + width * k, *other = out + width * count;
            int a = cti_divide_place(piece, width, q->edges[2 * edge[i]]), b = cti_divide_place(piece, width, q->edges[2 * edge[i] + 1]);
            if (a < 0 || b < 0)
                continue;
            memcpy(other, piece, sizeof *v * (size_t)width);
            piece[b] = other[a] = q->first + edge[i];
            count++;
        }
    return count;
}

CTI_FN int cti_divide_all(cti_mem *mem, const cti_divide *q, int width, const int32_t *list, int n, int32_t **out, int32_t **parent)
{
    int32_t pieces[4 * CTI_DIVIDE_PIECES];
    int i, k, count, m = 0;
    for (i = 0; i < n; i++, m += count) {
        count = cti_divide_one(q, width, list + (size_t)width * (size_t)i, pieces);
        if (!CTI_RESERVE(mem, *out, width * (m + count)) || !CTI_RESERVE(mem, *parent, m + count))
            return 0;
        for (k = 0; k < width * count; k++)
            CTI_PUSH(mem, *out, pieces[k]);
        for (k = 0; k < count; k++)
            CTI_PUSH(mem, *parent, i);
    }
    return 1;
}
