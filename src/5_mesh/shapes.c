/* shapes.c -- meshes from numbers: box, sheet, sphere; and release of meshes. Method: lattices are numbered x fastest. A box of tets cuts
   every cell into five, mirrored from cell to cell so that faces match; its surface takes the same diagonals. A sphere is a subdivided
   icosahedron. Only +, -, *, / and square roots, so that all machines give the same bits. */
#include "../0_base/array.h"
#include "../0_base/log.h"
#include "../1_math/vec.h"
#include "mesh.h"

CONTACT_API_DEF void ct_free(void *stb_ds_array)
{
    cti_mem mem;
    cti_mem_init(&mem, NULL);
    cti_array_free(&mem, stb_ds_array, 1);
}

CONTACT_API_DEF void ct_mesh_free(ct_mesh *mesh)
{
    if (!mesh)
        return;
    ct_free(mesh->positions);
    ct_free(mesh->tets);
    ct_free(mesh->triangles);
    ct_free(mesh->segments);
    memset(mesh, 0, sizeof *mesh);
}

/* Sets the mesh's counts from the lengths of its arrays. */
static ct_code cti_shape_finish(ct_mesh *mesh, int ok, ct_mesh *out, ct_error_info *error)
{
    if (!ok) {
        ct_mesh_free(mesh);
        return cti_error_set(error, CT_ERR_MEMORY, -1, 0, "out of memory for a mesh");
    }
    mesh->n_positions = CTI_LEN(mesh->positions) / 3, mesh->n_tets = CTI_LEN(mesh->tets) / 4;
    mesh->n_triangles = CTI_LEN(mesh->triangles) / 3, mesh->n_segments = CTI_LEN(mesh->segments) / 2;
    *out = *mesh;
    return CT_OK;
}

/* Checks that sizes are > 0 and finite, cells >= 1, and all counts fit into an int. */
static ct_code cti_shape_check(const ct_real *size, const int *cells, int n, int out_ok, ct_error_info *error)
{
    double product = 1;
    int i;
    if (!size || !cells || !out_ok)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, 0, "size, cells and out_mesh may not be NULL");
    for (i = 0; i < n; i++) {
        if (!cti_finite(size[i]) || !(size[i] > 0))
            return cti_error_set(error, CT_ERR_ARGUMENT, i, (double)size[i], "size has to be finite and > 0 (element: axis)");
        if (cells[i] < 1)
            return cti_error_set(error, CT_ERR_ARGUMENT, i, (double)cells[i], "cells have to be >= 1 (element: axis)");
        product *= (double)cells[i] + 1;
    }
    if (product > 100e6)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, product, "cells: more than 100 million vertices");
    return CT_OK;
}

static int cti_shape_push3(cti_mem *mem, int32_t **a, int32_t x, int32_t y, int32_t z)
{
    return CTI_PUSH(mem, *a, x) && CTI_PUSH(mem, *a, y) && CTI_PUSH(mem, *a, z);
}

static int cti_shape_vertex(cti_mem *mem, ct_mesh *m, cti_v3 p)
{
    return CTI_PUSH(mem, m->positions, p.x) && CTI_PUSH(mem, m->positions, p.y) && CTI_PUSH(mem, m->positions, p.z);
}

/* Coordinate i of n cells over [-size / 2, size / 2]: symmetric about 0, exact at both ends. */
static ct_real cti_shape_at(ct_real size, int i, int n) { return size * ((ct_real)(2 * (int64_t)i - n) / (ct_real)(2 * (int64_t)n)); }

/* ---- box ---- */

/* A box lattice. In a surface lattice only boundary points have numbers: whole slices at both ends of z, rings in between. */
typedef struct cti_shape_lattice {
    int n[3]; /* cells */
    int solid;
} cti_shape_lattice;

static int32_t cti_shape_number(const cti_shape_lattice *l, int x, int y, int z)
{
    int nx = l->n[0] + 1, ny = l->n[1] + 1, nz = l->n[2] + 1, ring = 2 * (nx + ny) - 4, in_slice;
    if (l->solid || z == 0)
        return (int32_t)((z * ny + y) * nx + x);
    if (z == nz - 1)
        return (int32_t)(nx * ny + (nz - 2) * ring + y * nx + x);
    /* a ring: its first row, then two points a row, then its last row */
    if (y == 0)
        in_slice = x;
    else if (y == ny - 1)
        in_slice = nx + 2 * (ny - 2) + x;
    else
        in_slice = nx + 2 * (y - 1) + (x > 0);
    return (int32_t)(nx * ny + (z - 1) * ring + in_slice);
}

static int cti_shape_on_boundary(const cti_shape_lattice *l, int x, int y, int z)
{
    return x == 0 || y == 0 || z == 0 || x == l->n[0] || y == l->n[1] || z == l->n[2];
}

CTI_FN void cti_mesh_cell_tets(int odd, int corners[20])
{
    static const int tets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    int t, k;
    /* an odd cell is the mirror image in x; its tets are reversed */
    for (t = 0; t < 5; t++)
        for (k = 0; k < 4; k++)
            corners[4 * t + k] = tets[t][odd && k >= 2 ? 5 - k : k] ^ odd;
}

static int cti_shape_cell(cti_mem *mem, ct_mesh *m, const cti_shape_lattice *l, int x, int y, int z)
{
    int corners[20], k;
    cti_mesh_cell_tets((x + y + z) & 1, corners);
    for (k = 0; k < 20; k++) {
        int c = corners[k];
        if (!CTI_PUSH(mem, m->tets, cti_shape_number(l, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))))
            return 0;
    }
    return 1;
}

/* Adds a quad of the side at `end` of axis `a`, oriented outward. Its diagonal is that of the tets in the cell behind it. */
static int cti_shape_side_quad(cti_mem *mem, ct_mesh *m, const cti_shape_lattice *l, int a, int end, int i, int j)
{
    int b = (a + 1) % 3, c = (a + 2) % 3, k, p[3], parity = 0, turn;
    int32_t q[4];
    for (k = 0; k < 4; k++) {
        /* counter-clockwise from the positive side of the axis */
        p[a] = end ? l->n[a] : 0;
        p[b] = i + (k == 1 || k == 2);
        p[c] = j + (k >= 2);
        if (k == 0)
            parity = (p[0] + p[1] + p[2]) & 1;
        q[k] = cti_shape_number(l, p[0], p[1], p[2]);
    }
    /* split from an odd corner to the next odd one (tets of even cells keep the edges 1 2, 1 4, 2 4, 1 7, 2 7, 4 7: odd parity) */
    turn = parity ? 0 : 1;
    if (end)
        return cti_shape_push3(mem, &m->triangles, q[turn], q[turn + 1], q[(turn + 2) % 4]) &&
               cti_shape_push3(mem, &m->triangles, q[turn], q[(turn + 2) % 4], q[(turn + 3) % 4]);
    return cti_shape_push3(mem, &m->triangles, q[turn], q[(turn + 2) % 4], q[turn + 1]) &&
           cti_shape_push3(mem, &m->triangles, q[turn], q[(turn + 3) % 4], q[(turn + 2) % 4]);
}

static int cti_shape_sides(cti_mem *mem, ct_mesh *m, const cti_shape_lattice *l)
{
    int a, end, i, j;
    for (a = 0; a < 3; a++)
        for (end = 0; end < 2; end++)
            for (j = 0; j < l->n[(a + 2) % 3]; j++)
                for (i = 0; i < l->n[(a + 1) % 3]; i++)
                    if (!cti_shape_side_quad(mem, m, l, a, end, i, j))
                        return 0;
    return 1;
}

static ct_code cti_shape_box(const ct_real size[3], const int cells[3], int with_tets, ct_mesh *out_mesh, ct_error_info *out_error)
{
    ct_code code = cti_shape_check(size, cells, 3, out_mesh != NULL, out_error);
    cti_shape_lattice l;
    cti_mem mem;
    ct_mesh m;
    int x, y, z, ok = 1;
    if (code != CT_OK)
        return code;
    cti_mem_init(&mem, NULL);
    memset(&m, 0, sizeof m);
    l.n[0] = cells[0], l.n[1] = cells[1], l.n[2] = cells[2], l.solid = with_tets != 0;
    for (z = 0; ok && z <= cells[2]; z++)
        for (y = 0; ok && y <= cells[1]; y++)
            for (x = 0; ok && x <= cells[0]; x++)
                if (l.solid || cti_shape_on_boundary(&l, x, y, z))
                    ok = cti_shape_vertex(&mem, &m,
                                          cti_v3_make(cti_shape_at(size[0], x, cells[0]), cti_shape_at(size[1], y, cells[1]),
                                                      cti_shape_at(size[2], z, cells[2])));
    for (z = 0; ok && l.solid && z < cells[2]; z++)
        for (y = 0; ok && y < cells[1]; y++)
            for (x = 0; ok && x < cells[0]; x++)
                ok = cti_shape_cell(&mem, &m, &l, x, y, z);
    if (ok && !l.solid)
        ok = cti_shape_sides(&mem, &m, &l);
    return cti_shape_finish(&m, ok, out_mesh, out_error);
}

CONTACT_API_DEF ct_code ct_mesh_box(const ct_real size[3], const int cells[3], int with_tets, ct_mesh *out_mesh, ct_error_info *out_error)
{
    CTI_FPENV_RETURN(cti_shape_box(size, cells, with_tets, out_mesh, out_error))
}

/* ---- sheet ---- */

static ct_code cti_shape_grid(const ct_real size[2], const int cells[2], ct_mesh *out_mesh, ct_error_info *out_error)
{
    ct_code code = cti_shape_check(size, cells, 2, out_mesh != NULL, out_error);
    cti_mem mem;
    ct_mesh m;
    int x, z, ok = 1, nx;
    if (code != CT_OK)
        return code;
    cti_mem_init(&mem, NULL);
    memset(&m, 0, sizeof m);
    nx = cells[0] + 1;
    for (z = 0; ok && z <= cells[1]; z++)
        for (x = 0; ok && x <= cells[0]; x++)
            ok = cti_shape_vertex(&mem, &m, cti_v3_make(cti_shape_at(size[0], x, cells[0]), 0, cti_shape_at(size[1], z, cells[1])));
    /* p q   z runs down, x to the right; seen from +y the order p r q is counter-clockwise
       r s */
    for (z = 0; ok && z < cells[1]; z++)
        for (x = 0; ok && x < cells[0]; x++) {
            int32_t p = (int32_t)(z * nx + x), q = p + 1, r = p + (int32_t)nx, s = r + 1;
            if ((x + z) & 1)
                ok = cti_shape_push3(&mem, &m.triangles, p, r, s) && cti_shape_push3(&mem, &m.triangles, p, s, q);
            else
                ok = cti_shape_push3(&mem, &m.triangles, p, r, q) && cti_shape_push3(&mem, &m.triangles, q, r, s);
        }
    return cti_shape_finish(&m, ok, out_mesh, out_error);
}

CONTACT_API_DEF ct_code ct_mesh_grid(const ct_real size[2], const int cells[2], ct_mesh *out_mesh, ct_error_info *out_error)
{
    CTI_FPENV_RETURN(cti_shape_grid(size, cells, out_mesh, out_error))
}

/* ---- sphere ---- */

/* Splits every triangle into four. The middle of an edge is moved out to the sphere and shared by both triangles. */
static int cti_shape_split(cti_mem *mem, ct_mesh *m, cti_topology *topology, ct_real radius)
{
    int nv = CTI_LEN(m->positions) / 3, nf = CTI_LEN(m->triangles) / 3, e, f, k;
    int32_t *fine = NULL;
    if (!cti_topology_build(mem, topology, nv, m->triangles, nf, NULL, 0))
        return 0;
    for (e = 0; e < topology->n_edges; e++) {
        cti_v3 p = cti_v3_add(cti_v3_at(m->positions, topology->edges[2 * e]), cti_v3_at(m->positions, topology->edges[2 * e + 1]));
        if (!cti_shape_vertex(mem, m, cti_v3_mul(cti_v3_unit(p, p), radius)))
            return 0;
    }
    for (f = 0; f < nf; f++) {
        int32_t v[3], w[3];
        int ok = 1;
        for (k = 0; k < 3; k++)
            v[k] = m->triangles[3 * f + k], w[k] = (int32_t)(nv + topology->face_edges[3 * f + k]);
        ok = cti_shape_push3(mem, &fine, v[0], w[0], w[2]) && cti_shape_push3(mem, &fine, v[1], w[1], w[0]) &&
             cti_shape_push3(mem, &fine, v[2], w[2], w[1]) && cti_shape_push3(mem, &fine, w[0], w[1], w[2]);
        if (!ok) {
            CTI_FREE(mem, fine);
            return 0;
        }
    }
    CTI_FREE(mem, m->triangles);
    m->triangles = fine;
    return 1;
}

static ct_code cti_shape_sphere(ct_real radius, int levels, ct_mesh *out_mesh, ct_error_info *out_error)
{
    /* the icosahedron: cyclic permutations of (+-1, +-g, 0), g the golden ratio */
    static const int faces[20][3] = {{0, 1, 8},  {0, 10, 1}, {0, 4, 5},  {0, 8, 4},   {0, 5, 10}, {1, 7, 6},  {1, 6, 8},
                                     {1, 10, 7}, {2, 9, 3},  {2, 3, 11}, {2, 5, 4},   {2, 4, 9},  {2, 11, 5}, {3, 6, 7},
                                     {3, 9, 6},  {3, 7, 11}, {4, 8, 9},  {5, 11, 10}, {6, 9, 8},  {7, 10, 11}};
    cti_topology topology;
    cti_mem mem;
    ct_mesh m;
    int i, ok = 1;
    if (!out_mesh)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "out_mesh may not be NULL");
    if (!cti_finite(radius) || !(radius > 0))
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, (double)radius, "radius has to be finite and > 0");
    if (levels < 0 || levels > 7)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, (double)levels, "levels have to be 0..7");
    cti_mem_init(&mem, NULL);
    memset(&m, 0, sizeof m);
    memset(&topology, 0, sizeof topology);
    for (i = 0; ok && i < 12; i++) {
        ct_real g = (1 + cti_sqrt(5)) / 2, a = i & 1 ? -1 : 1, b = i & 2 ? -g : g;
        cti_v3 p = i < 4 ? cti_v3_make(0, a, b) : (i < 8 ? cti_v3_make(a, b, 0) : cti_v3_make(b, 0, a));
        ok = cti_shape_vertex(&mem, &m, cti_v3_mul(cti_v3_unit(p, p), radius));
    }
    for (i = 0; ok && i < 20; i++)
        ok = cti_shape_push3(&mem, &m.triangles, faces[i][0], faces[i][1], faces[i][2]);
    for (i = 0; ok && i < levels; i++)
        ok = cti_shape_split(&mem, &m, &topology, radius);
    cti_topology_free(&mem, &topology);
    return cti_shape_finish(&m, ok, out_mesh, out_error);
}

CONTACT_API_DEF ct_code ct_mesh_sphere(ct_real radius, int levels, ct_mesh *out_mesh, ct_error_info *out_error)
{
    CTI_FPENV_RETURN(cti_shape_sphere(radius, levels, out_mesh, out_error))
}
