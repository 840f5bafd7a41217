/* weld.c -- merges the vertices of a mesh. Method: kept vertices are in a grid of cells that are a little wider than the distance, so that
   those within it of a point are in its cell or in one of the 26 around it (for distance 0 in its own). Cells are hashed into lists. The
   result depends on the order of the vertices alone. */
#include "weld.h"
#include "../0_base/fpenv.h"
#include "../0_base/log.h"
#include "../1_math/exact.h"
#include "mesh.h"
#include <stdio.h>

#define CTI_WELD_WIDER 1.001    /* [distance] side of a cell: the rest is for the rounding of a point's cell */
#define CTI_WELD_FINEST 9.1e-13 /* [extent] least side of a cell, 2^-40: numbers of cells are then exact */

typedef struct cti_weld {
    const ct_real *x;
    double distance, low[3], side;
    int32_t *head, *next; /* [mask + 1], [n] lists of kept vertices */
    uint64_t mask;
} cti_weld;

/* The box around the points; returns its longest side. */
static double cti_weld_extent(const ct_real *x, int n, double low[3])
{
    double longest = 0;
    int i, k;
    for (k = 0; k < 3; k++) {
        double high = n > 0 ? (double)x[k] : 0;
        low[k] = high;
        for (i = 1; i < n; i++)
            low[k] = cti_fmin(low[k], (double)x[3 * (size_t)i + (size_t)k]), high = cti_fmax(high, (double)x[3 * (size_t)i + (size_t)k]);
        longest = cti_fmax(longest, high - low[k]);
    }
    return longest;
}

static uint64_t cti_weld_hash(const cti_weld *w, const int64_t cell[3])
{
    uint64_t h = 0x9e3779b97f4a7c15ull;
    int k;
    for (k = 0; k < 3; k++) {
        h = (h ^ (uint64_t)cell[k]) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    return h & w->mask;
}

/* square of the distance of two points over w->distance^2; for distance 0: infinite where they are not the same */
static double cti_weld_square(const cti_weld *w, int i, int j)
{
    double sum = 0;
    int k;
    for (k = 0; k < 3; k++) {
        double d = (double)w->x[3 * (size_t)i + (size_t)k] - (double)w->x[3 * (size_t)j + (size_t)k];
        d = d == 0 ? 0 : d / w->distance;
        sum += d * d;
    }
    return sum;
}

/* The nearest kept vertex within the distance of vertex i, or -1; *own: the list of its cell. */
static int cti_weld_nearest(const cti_weld *w, int i, uint64_t *own)
{
    int64_t cell[3], near_cell[3];
    double best = 1, square;
    int j, k, found = -1;
    for (k = 0; k < 3; k++)
        cell[k] = (int64_t)(((double)w->x[3 * (size_t)i + (size_t)k] - w->low[k]) / w->side);
    *own = cti_weld_hash(w, cell);
    for (k = w->distance > 0 ? 0 : 13; k < (w->distance > 0 ? 27 : 14); k++) {
        near_cell[0] = cell[0] + k % 3 - 1, near_cell[1] = cell[1] + k / 3 % 3 - 1, near_cell[2] = cell[2] + k / 9 - 1;
        for (j = w->head[cti_weld_hash(w, near_cell)]; j >= 0; j = w->next[j]) {
            square = cti_weld_square(w, i, j);
            if (square < best || (square <= best && (found < 0 || j < found)))
                best = square, found = j;
        }
    }
    return found;
}

CTI_FN int cti_weld_map(cti_mem *mem, const ct_real *x, int n, double distance, int32_t *map)
{
    cti_weld w;
    uint64_t own;
    int i, found, kept = 0, ok;
    memset(&w, 0, sizeof w);
    w.x = x, w.distance = distance, w.mask = 15;
    while (w.mask < 2 * (uint64_t)n)
        w.mask = 2 * w.mask + 1;
    w.side = cti_fmax(CTI_WELD_WIDER * distance, CTI_WELD_FINEST * cti_weld_extent(x, n, w.low));
    w.side = w.side > 0 ? w.side : 1;
    ok = CTI_RESIZE(mem, w.head, w.mask + 1) && CTI_RESIZE(mem, w.next, n);
    if (ok)
        memset(w.head, 0xff, (size_t)(w.mask + 1) * sizeof *w.head);
    for (i = 0; ok && i < n; i++) {
        found = cti_weld_nearest(&w, i, &own);
        map[i] = found >= 0 ? map[found] : (int32_t)kept++;
        if (found < 0)
            w.next[i] = w.head[own], w.head[own] = i;
    }
    CTI_FREE(mem, w.head);
    CTI_FREE(mem, w.next);
    return ok ? kept : -1;
}

CTI_FN void cti_weld_hint(cti_mem *mem, const ct_real *x, int n, double share, char text[140])
{
    double low[3], distance = share * cti_weld_extent(x, n, low);
    int32_t *map = NULL;
    int kept = CTI_RESIZE(mem, map, n) ? cti_weld_map(mem, x, n, distance, map) : -1;
    CTI_FREE(mem, map);
    text[0] = 0;
    if (kept >= 0 && kept < n)
        snprintf(text, 140, "; %d of %d vertices lie within %.1g m of another: ct_mesh_weld or a body's \"weld\" joins them", n - kept, n,
                 distance);
}

CTI_FN int cti_weld_elements(int32_t *list, int n, int per, const int32_t *map)
{
    int i, a, b, kept = 0;
    for (i = 0; i < n; i++) {
        int32_t *to = list + (size_t)per * (size_t)kept;
        const int32_t *from = list + (size_t)per * (size_t)i;
        int twice = 0;
        for (a = 0; a < per; a++)
            to[a] = map ? map[from[a]] : from[a];
        for (a = 0; a < per; a++)
            for (b = 0; b < a; b++)
                twice |= to[a] == to[b];
        kept += !twice;
    }
    return kept;
}

static ct_code cti_weld_mesh(ct_mesh *m, ct_real distance, int *out_merged, ct_error_info *error)
{
    int32_t *map = NULL;
    cti_mem mem;
    ct_code code;
    int i, kept = -1;
    if ((code = cti_mesh_check(m, CTI_EXACT_MOST, error)) != CT_OK)
        return code;
    if (!cti_finite(distance) || distance < 0)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, (double)distance, "distance has to be finite and >= 0");
    cti_mem_init(&mem, NULL);
    if (CTI_RESIZE(&mem, map, m->n_positions))
        kept = cti_weld_map(&mem, m->positions, m->n_positions, (double)distance, map);
    if (kept >= 0) {
        /* a kept vertex is the first one that has its number */
        for (i = 0, kept = 0; i < m->n_positions; i++)
            if (map[i] == kept)
                memmove(m->positions + 3 * (size_t)kept++, m->positions + 3 * (size_t)i, 3 * sizeof *m->positions);
        m->n_tets = cti_weld_elements(m->tets, m->n_tets, 4, map);
        m->n_triangles = cti_weld_elements(m->triangles, m->n_triangles, 3, map);
        m->n_segments = cti_weld_elements(m->segments, m->n_segments, 2, map);
        if (out_merged)
            *out_merged = m->n_positions - kept;
        m->n_positions = kept;
    }
    CTI_FREE(&mem, map);
    return kept >= 0 ? CT_OK : cti_error_set(error, CT_ERR_MEMORY, -1, 0, "out of memory for welding");
}

CONTACT_API_DEF ct_code ct_mesh_weld(ct_mesh *mesh, ct_real distance, int *out_merged, ct_error_info *out_error)
{
#if CONTACT_WITH_MESHING
    CTI_FPENV_RETURN(cti_weld_mesh(mesh, distance, out_merged, out_error))
#else
    CTI_UNUSED(mesh), CTI_UNUSED(distance), CTI_UNUSED(out_merged);
    return CTI_ERROR_UNBUILT(out_error, "meshing", CONTACT_WITH_MESHING);
#endif
}
