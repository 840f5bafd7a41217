/* tetrahedralize.c -- a coarse lattice of tets around a closed surface, for embedding it.
   Method: the bounding box is divided into cells. A cell is kept when a triangle overlaps it (separating axes) or its centre is inside. Two
   neighbours share the nodes of their common face when a triangle overlaps that face or its centre is inside. So parts of the surface in
   neighbouring cells stay separate unless they are connected through the face. "Inside" comes from winding numbers at the points of the
   half lattice, counted along lines in x, one triangle after the other. Signs are exact and ties follow one rule, so that no line passes
   between two triangles. A cell gives five tets, mirrored from cell to cell. Cells and faces are shrunk by CTI_LATTICE_EPS of their sides:
   a triangle in a lattice plane then does not keep the empty cell beside it. differs: cells that touch only at an edge or a corner have
   separate nodes there (a plain lattice has one node). Separate parts of the surface within one cell are not distinguished; the cell is not
   duplicated.
   based on: Mueller, Gross, Interactive virtual materials, 2004 (embedding in a lattice of cells); Akenine-Moeller, Fast 3D triangle-box
   overlap testing, 2001 (the thirteen axes); Shewchuk's predicates (exact.h). */
#include "tetrahedralize.h"
#include "weld.h"
#include "../0_base/log.h"
#include "../0_base/sets.h"
#include "../1_math/exact.h"
#include "../1_math/vec.h"

#define CTI_LATTICE_EPS 1e-7 /* [side of a cell] */
#define CTI_LATTICE_PAD 1e-3 /* [side of a cell] margin around the bounding box */
#define CTI_LATTICE_MOST 4e6 /* cells */

/* cti_lattice -- zeroed, then filled. The half lattice has points at half the cell size: corners of cells at even numbers, centres at odd
   ones. */
typedef struct cti_lattice {
    int n[3];               /* cells */
    double origin[3], d[3]; /* lowest corner, sides of a cell */
    uint8_t *touched;       /* [cells] bit 0: the cell, bits 1..3: its lower faces along x, y, z */
    int16_t *winding;       /* [(2 n0 + 1) (2 n1 + 1) (2 n2 + 1)] winding numbers, at points with at least two odd coordinates */
    int32_t *kept;          /* [cells] number of the cell among the kept ones, -1: not kept */
    int32_t *corner;        /* [8 kept] union-find over the cells' corners; then the nodes */
} cti_lattice;

static void cti_lattice_free(cti_mem *mem, cti_lattice *l)
{
    CTI_FREE_SPAN(mem, l->touched, l->corner);
}

static size_t cti_lattice_cell(const cti_lattice *l, int x, int y, int z)
{
    return ((size_t)z * (size_t)l->n[1] + (size_t)y) * (size_t)l->n[0] + (size_t)x;
}

static size_t cti_lattice_half(const cti_lattice *l, int x, int y, int z)
{
    return ((size_t)z * (size_t)(2 * l->n[1] + 1) + (size_t)y) * (size_t)(2 * l->n[0] + 1) + (size_t)x;
}

static double cti_lattice_at(const cti_lattice *l, int axis, int half) { return l->origin[axis] + 0.5 * l->d[axis] * (double)half; }

/* ---- triangles against boxes ---- */

/* 1 if the triangle's projection on axis a is beyond the box's half width */
static int cti_lattice_apart(const double a[3], const double h[3], const double v[9])
{
    double r = 0, lo = 0, hi = 0;
    int i, k;
    for (k = 0; k < 3; k++)
        r += h[k] * (a[k] < 0 ? -a[k] : a[k]);
    for (i = 0; i < 3; i++) {
        double p = a[0] * v[3 * i] + a[1] * v[3 * i + 1] + a[2] * v[3 * i + 2];
        lo = i == 0 || p < lo ? p : lo, hi = i == 0 || p > hi ? p : hi;
    }
    return lo > r || hi < -r;
}

CTI_FN int cti_tetrahedralize_overlap(const double c[3], const double h[3], const double triangle[9])
{
    double v[9], e[3][3], a[3];
    int i, k;
    for (i = 0; i < 9; i++)
        v[i] = triangle[i] - c[i % 3];
    for (i = 0; i < 9; i++)
        e[i / 3][i % 3] = v[(i + 3) % 9] - v[i];
    /* axes: the box's normals */
    for (k = 0; k < 3; k++) {
        a[0] = a[1] = a[2] = 0, a[k] = 1;
        if (cti_lattice_apart(a, h, v))
            return 0;
    }
    /* axis: the triangle's normal */
    for (k = 0; k < 3; k++)
        a[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
    if (cti_lattice_apart(a, h, v))
        return 0;
    /* axes: cross products of the box's and the triangle's edges */
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++) {
            a[k] = 0, a[(k + 1) % 3] = -e[i][(k + 2) % 3], a[(k + 2) % 3] = e[i][(k + 1) % 3];
            if (cti_lattice_apart(a, h, v))
                return 0;
        }
    return 1;
}

/* Range of the cells along an axis that a triangle may touch. */
static void cti_lattice_range(const cti_lattice *l, const double t[9], int axis, int *first, int *last)
{
    double lo = cti_lattice_at(l, axis, 0), a = t[axis], b = t[axis];
    int i;
    for (i = 1; i < 3; i++)
        a = t[3 * i + axis] < a ? t[3 * i + axis] : a, b = t[3 * i + axis] > b ? t[3 * i + axis] : b;
    *first = cti_max_int((int)((a - lo) / l->d[axis]) - 1, 0);
    *last = cti_min_int((int)((b - lo) / l->d[axis]) + 1, l->n[axis] - 1);
}

/* Marks the cells, and the lower faces of cells, that a triangle overlaps. */
static void cti_lattice_touch(cti_lattice *l, const double t[9])
{
    int first[3], last[3], x, y, z, k, j;
    for (k = 0; k < 3; k++)
        cti_lattice_range(l, t, k, &first[k], &last[k]);
    for (z = first[2]; z <= last[2]; z++)
        for (y = first[1]; y <= last[1]; y++)
            for (x = first[0]; x <= last[0]; x++) {
                uint8_t *mark = l->touched + cti_lattice_cell(l, x, y, z);
                int at[3];
                at[0] = x, at[1] = y, at[2] = z;
                /* k 0: the cell; k 1..3: a face, as a thin box */
                for (k = 0; k <= 3; k++) {
                    double c[3], h[3];
                    if (*mark >> k & 1)
                        continue;
                    for (j = 0; j < 3; j++) {
                        c[j] = cti_lattice_at(l, j, 2 * at[j] + (j != k - 1));
                        h[j] = l->d[j] * (j == k - 1 ? CTI_LATTICE_EPS : 0.5 - CTI_LATTICE_EPS);
                    }
                    if (cti_tetrahedralize_overlap(c, h, t))
                        *mark = (uint8_t)(*mark | 1u << k);
                }
            }
}

/* ---- inside ---- */

/* Enters the change that a triangle makes to the winding number along x: at the first point behind it on each line. */
static void cti_lattice_wind(cti_lattice *l, const double t[9])
{
    int first[3], last[3], x, y, z, k;
    for (k = 0; k < 3; k++)
        cti_lattice_range(l, t, k, &first[k], &last[k]);
    for (z = 2 * first[2]; z <= 2 * last[2] + 2; z++)
        for (y = 2 * first[1] + !(z & 1); y <= 2 * last[1] + 2; y += 1 + !(z & 1)) {
            double p[3];
            int w;
            p[1] = cti_lattice_at(l, 1, y), p[2] = cti_lattice_at(l, 2, z);
            if ((w = cti_exact_winding(t, p + 1)) == 0)
                continue;
            /* w > 0: the normal points to +x, and the line leaves the surface here */
            for (x = 2 * first[0]; x <= 2 * l->n[0]; x++) {
                p[0] = cti_lattice_at(l, 0, x);
                if ((p[0] > t[0] && p[0] > t[3] && p[0] > t[6]) || w * cti_exact_orient3d(t, t + 3, t + 6, p) > 0)
                    break;
            }
            if (x <= 2 * l->n[0]) {
                int16_t *at = l->winding + cti_lattice_half(l, x, y, z);
                *at = (int16_t)(*at - w);
            }
        }
}

/* Touched cells and faces, and winding numbers of the half lattice. */
static void cti_lattice_scan(cti_lattice *l, const ct_mesh *m)
{
    int i, k, x, y, z;
    for (i = 0; i < m->n_triangles; i++) {
        double t[9];
        for (k = 0; k < 9; k++)
            t[k] = (double)m->positions[3 * (size_t)m->triangles[3 * (size_t)i + (size_t)(k / 3)] + (size_t)(k % 3)];
        cti_lattice_touch(l, t);
        cti_lattice_wind(l, t);
    }
    for (z = 0; z <= 2 * l->n[2]; z++)
        for (y = 0; y <= 2 * l->n[1]; y++) {
            int16_t *row = l->winding + cti_lattice_half(l, 0, y, z);
            for (x = 1; x <= 2 * l->n[0]; x++)
                row[x] = (int16_t)(row[x] + row[x - 1]);
        }
}

/* ---- nodes and tets ---- */

/* Joins a cell and its lower neighbour along an axis: their four common corners become the same nodes. */
static void cti_lattice_join(cti_lattice *l, size_t cell, size_t below, int axis)
{
    int c;
    for (c = 0; c < 8; c++)
        if (!(c >> axis & 1))
            cti_sets_join(l->corner, 8 * l->kept[cell] + c, 8 * l->kept[below] + (c | 1 << axis));
}

/* Finds the kept cells, and which of their corners are the same node. 0: out of memory. */
static int cti_lattice_connect(cti_mem *mem, cti_lattice *l)
{
    int x, y, z, k, n = 0;
    for (z = 0; z < l->n[2]; z++)
        for (y = 0; y < l->n[1]; y++)
            for (x = 0; x < l->n[0]; x++) {
                size_t cell = cti_lattice_cell(l, x, y, z);
                int keep = (l->touched[cell] & 1) || l->winding[cti_lattice_half(l, 2 * x + 1, 2 * y + 1, 2 * z + 1)] != 0;
                l->kept[cell] = keep ? n++ : -1;
            }
    if (!CTI_RESIZE(mem, l->corner, 8 * (size_t)n))
        return 0;
    for (k = 0; k < 8 * n; k++)
        l->corner[k] = k;
    for (z = 0; z < l->n[2]; z++)
        for (y = 0; y < l->n[1]; y++)
            for (x = 0; x < l->n[0]; x++)
                for (k = 0; k < 3; k++) {
                    size_t cell = cti_lattice_cell(l, x, y, z), below;
                    if (l->kept[cell] < 0 || (k == 0 ? x : (k == 1 ? y : z)) == 0)
                        continue;
                    below = cti_lattice_cell(l, x - (k == 0), y - (k == 1), z - (k == 2));
                    if (l->kept[below] >= 0 && ((l->touched[cell] >> (k + 1) & 1) ||
                                                l->winding[cti_lattice_half(l, 2 * x + (k != 0), 2 * y + (k != 1), 2 * z + (k != 2))] != 0))
                        cti_lattice_join(l, cell, below, k);
                }
    return 1;
}

/* Emits one kept cell: its new nodes and five tets. A root is the lowest corner of its set, so its node exists before other corners ask for
   it. */
static int cti_lattice_emit(cti_mem *mem, cti_lattice *l, int x, int y, int z, ct_mesh *out)
{
    int corners[20], c, k, ok = 1;
    int32_t *corner = l->corner, first = 8 * l->kept[cti_lattice_cell(l, x, y, z)], node[8];
    for (c = 0; ok && c < 8; c++) {
        int32_t root = first + c;
        while (corner[root] >= 0 && corner[root] != root)
            root = corner[root];
        if (corner[root] >= 0) {
            corner[root] = -1 - (int32_t)(CTI_LEN(out->positions) / 3);
            ok = CTI_PUSH(mem, out->positions, (ct_real)cti_lattice_at(l, 0, 2 * (x + (c & 1)))) &&
                 CTI_PUSH(mem, out->positions, (ct_real)cti_lattice_at(l, 1, 2 * (y + (c >> 1 & 1)))) &&
                 CTI_PUSH(mem, out->positions, (ct_real)cti_lattice_at(l, 2, 2 * (z + (c >> 2))));
        }
        node[c] = -1 - corner[root];
    }
    cti_mesh_cell_tets((x + y + z) & 1, corners);
    for (k = 0; ok && k < 20; k++)
        ok = CTI_PUSH(mem, out->tets, node[corners[k]]);
    return ok;
}

/* ---- the surface ---- */

/* Checks the mesh; computes the bounding box of the vertices that triangles use. */
static ct_code cti_lattice_check(const ct_mesh *m, double lo[3], double hi[3], ct_error_info *error)
{
    ct_code code = cti_mesh_check(m, CTI_EXACT_MOST, error);
    int i, k;
    if (code != CT_OK)
        return code;
    if (m->n_triangles == 0)
        return cti_error_set(error, CT_ERR_MESH, -1, 0, "the surface is empty: it has no triangles");
    for (i = 0; i < 3 * m->n_triangles; i++)
        for (k = 0; k < 3; k++) {
            double x = (double)m->positions[3 * (size_t)m->triangles[i] + (size_t)k];
            lo[k] = i == 0 || x < lo[k] ? x : lo[k], hi[k] = i == 0 || x > hi[k] ? x : hi[k];
        }
    return CT_OK;
}

/* Is the surface closed? If not, the error names an edge. */
static ct_code cti_lattice_closed(cti_mem *mem, const ct_mesh *m, ct_error_info *error)
{
    cti_topology t;
    ct_code code = CT_OK;
    char hint[140];
    int i;
    memset(&t, 0, sizeof t);
    if (!cti_topology_build(mem, &t, m->n_positions, m->triangles, m->n_triangles, NULL, 0))
        return cti_error_set(error, CT_ERR_MEMORY, -1, 0, "out of memory for a lattice");
    hint[0] = 0;
    if (!t.closed)
        cti_weld_hint(mem, m->positions, m->n_positions, CTI_WELD_NOISE, hint);
    for (i = 0; i < m->n_triangles && !t.closed && code == CT_OK; i++) {
        const int32_t *v = m->triangles + 3 * (size_t)i;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            code = cti_error_set(error, CT_ERR_MESH, i, 0, "triangle %d has a vertex twice (element: triangle)", i);
    }
    for (i = 0; i < t.n_edges && !t.closed && code == CT_OK; i++) {
        const char *why = t.edge_flags[i] & CTI_EDGE_BOUNDARY      ? "has one triangle"
                          : t.edge_flags[i] & CTI_EDGE_NONMANIFOLD ? "has more than two triangles"
                          : t.edge_flags[i] & CTI_EDGE_TWISTED     ? "has two triangles of opposite orientation"
                                                                   : NULL;
        if (why)
            code = cti_error_set(error, CT_ERR_MESH, t.edge_owner[i], 0, "the surface is not closed: edge %d %d %s%s (element: triangle)",
                                 (int)t.edges[2 * i], (int)t.edges[2 * i + 1], why, hint);
    }
    cti_topology_free(mem, &t);
    return code;
}

/* Cells per axis, their sides and the lowest corner. Along an axis on which the surface is thin, the lattice is at least half a cell
   wide. */
static ct_code cti_lattice_size(cti_lattice *l, const double lo[3], const double hi[3], double cell, ct_error_info *error)
{
    double longest = 0, count = 1, n[3];
    int k;
    for (k = 0; k < 3; k++)
        longest = hi[k] - lo[k] > longest ? hi[k] - lo[k] : longest;
    if (!(longest > 0) || !cti_finite64(longest))
        return cti_error_set(error, CT_ERR_MESH, -1, longest, "the surface has no extent");
    cell = cell > 0 ? cell : longest / 6;
    for (k = 0; k < 3; k++) {
        n[k] = (hi[k] - lo[k]) / cell + 0.5;
        n[k] = n[k] < 1 ? 1 : n[k];
        count *= n[k];
    }
    if (!(count <= CTI_LATTICE_MOST))
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, count, "cell is too small: more than %g cells in the bounding box",
                             CTI_LATTICE_MOST);
    for (k = 0; k < 3; k++) {
        double width = hi[k] - lo[k] + 2 * CTI_LATTICE_PAD * cell;
        /* for a cell larger than the surface, half of the surface's longest extent */
        double least = 0.5 * (cell < longest ? cell : longest);
        width = width < least ? least : width;
        l->n[k] = (int)n[k];
        l->d[k] = width / (double)l->n[k];
        l->origin[k] = 0.5 * (lo[k] + hi[k]) - 0.5 * width;
    }
    return CT_OK;
}

static int cti_lattice_build(cti_mem *mem, cti_lattice *l, const ct_mesh *surface, ct_mesh *out)
{
    size_t cells = (size_t)l->n[0] * (size_t)l->n[1] * (size_t)l->n[2];
    int x, y, z;
    if (!CTI_RESIZE(mem, l->touched, cells) || !CTI_RESIZE(mem, l->kept, cells) ||
        !CTI_RESIZE(mem, l->winding, cti_lattice_half(l, 2 * l->n[0], 2 * l->n[1], 2 * l->n[2]) + 1))
        return 0;
    cti_lattice_scan(l, surface);
    if (!cti_lattice_connect(mem, l))
        return 0;
    for (z = 0; z < l->n[2]; z++)
        for (y = 0; y < l->n[1]; y++)
            for (x = 0; x < l->n[0]; x++)
                if (l->kept[cti_lattice_cell(l, x, y, z)] >= 0 && !cti_lattice_emit(mem, l, x, y, z, out))
                    return 0;
    return 1;
}

static ct_code cti_lattice_tetrahedralize(const ct_mesh *surface, ct_real cell, ct_mesh *out_mesh, ct_error_info *out_error)
{
    double lo[3] = {0, 0, 0}, hi[3] = {0, 0, 0};
    cti_lattice l;
    cti_mem mem;
    ct_mesh m;
    ct_code code;
    int ok;
    if (!surface || !out_mesh)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "surface and out_mesh may not be NULL");
    if (!cti_finite(cell) || cell < 0)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, (double)cell, "cell has to be finite and >= 0");
    cti_mem_init(&mem, NULL);
    memset(&l, 0, sizeof l);
    memset(&m, 0, sizeof m);
    if ((code = cti_lattice_check(surface, lo, hi, out_error)) != CT_OK || (code = cti_lattice_closed(&mem, surface, out_error)) != CT_OK ||
        (code = cti_lattice_size(&l, lo, hi, (double)cell, out_error)) != CT_OK)
        return code;
    ok = cti_lattice_build(&mem, &l, surface, &m);
    cti_lattice_free(&mem, &l);
    if (!ok) {
        ct_mesh_free(&m);
        return cti_error_set(out_error, CT_ERR_MEMORY, -1, 0, "out of memory for a lattice");
    }
    m.n_positions = CTI_LEN(m.positions) / 3, m.n_tets = CTI_LEN(m.tets) / 4;
    *out_mesh = m;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_mesh_tetrahedralize(const ct_mesh *surface, ct_real cell, ct_mesh *out_mesh, ct_error_info *out_error)
{
#if CONTACT_WITH_MESHING
    CTI_FPENV_RETURN(cti_lattice_tetrahedralize(surface, cell, out_mesh, out_error))
#else
    CTI_UNUSED(surface), CTI_UNUSED(cell), CTI_UNUSED(out_mesh);
    return CTI_ERROR_UNBUILT(out_error, "meshing", CONTACT_WITH_MESHING);
#endif
}
