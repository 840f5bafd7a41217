/* output_vtu.c -- frames as VTK's XML unstructured grids (.vtu) and the series of them (.pvd).
   Points are the vertices of every body, and behind those of a soft body with an embedded surface its nodes. Cells: tets of soft bodies,
   triangles, segments, and points of bodies that have neither. Arrays are collected first, so that the offsets in the head of the file are
   known. based on: VTK XML file formats, version 1.0, appended raw data (docs.vtk.org). */
#include "output_fields.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VTU_VERTEX = 1, VTU_LINE = 3, VTU_TRIANGLE = 5, VTU_TET = 10 };

typedef struct vtu_array {
    const char *name, *type; /* "Float64", ... */
    int components, bytes;   /* of a value: 8, 4 or 1; a Float has 8 or 4 */
    size_t n;                /* values */
    double *values;
} vtu_array;

enum {
    VTU_POINTS,
    VTU_CONNECTIVITY,
    VTU_OFFSETS,
    VTU_TYPES,
    VTU_POINT_BODY,
    VTU_VELOCITY,
    VTU_IMPULSE,
    VTU_CELL_BODY,
    VTU_PART,
    VTU_STRESS,
    VTU_ARRAYS
};

/* integers of a frame are below 2^53, which a double has exactly */
static const vtu_array vtu_arrays[VTU_ARRAYS] = {{"Points", "Float64", 3, 8, 0, NULL},
                                                 {"connectivity", "Int64", 1, 8, 0, NULL},
                                                 {"offsets", "Int64", 1, 8, 0, NULL},
                                                 {"types", "UInt8", 1, 1, 0, NULL},
                                                 {"body", "Int32", 1, 4, 0, NULL},
                                                 {"velocity", "Float32", 3, 4, 0, NULL},
                                                 {"contact_impulse", "Float32", 3, 4, 0, NULL},
                                                 {"body", "Int32", 1, 4, 0, NULL},
                                                 {"part", "UInt8", 1, 1, 0, NULL},
                                                 {"stress", "Float32", 6, 4, 0, NULL}};

void out_put(FILE *f, uint64_t x, int bytes)
{
    for (; bytes > 0; bytes--, x >>= 8)
        fputc((int)(x & 255), f);
}

void out_put_f32(FILE *f, double x)
{
    float y = (float)x;
    uint32_t u;
    memcpy(&u, &y, sizeof u);
    out_put(f, u, 4);
}

void out_put_f64(FILE *f, double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    out_put(f, u, 8);
}

/* room for n values more; where they begin */
static double *vtu_more(vtu_array *a, size_t n)
{
    a->values = (double *)cli_grow(a->values, a->n + n + 1, sizeof *a->values);
    memset(a->values + a->n, 0, n * sizeof *a->values);
    a->n += n;
    return a->values + a->n - n;
}

static void vtu_reals(double *out, const ct_real *in, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        out[i] = (double)in[i];
}

/* n cells of one kind with `per` corners each; stress [6 n], NULL: they have none */
static void vtu_cells(vtu_array *a, const int32_t *corners, int n, int per, int first, int body, int part, const ct_real *stress)
{
    double *c = vtu_more(&a[VTU_CONNECTIVITY], (size_t)n * (size_t)per), *o = vtu_more(&a[VTU_OFFSETS], (size_t)n);
    double *t = vtu_more(&a[VTU_TYPES], (size_t)n), *b = vtu_more(&a[VTU_CELL_BODY], (size_t)n), *p = vtu_more(&a[VTU_PART], (size_t)n);
    double *s = vtu_more(&a[VTU_STRESS], 6 * (size_t)n);
    int i, end = (int)a[VTU_CONNECTIVITY].n - n * per;
    for (i = 0; i < n * per; i++)
        c[i] = first + (corners ? (int)corners[i] : i);
    for (i = 0; i < n; i++) {
        o[i] = end + per * (i + 1);
        t[i] = per == 4 ? VTU_TET : per == 3 ? VTU_TRIANGLE : per == 2 ? VTU_LINE : VTU_VERTEX;
        b[i] = body, p[i] = part;
    }
    for (i = 0; i < 6 * n; i++)
        s[i] = stress ? (double)stress[i] : (double)NAN;
}

/* vertices of a body; planes have a square that the world does not know */
static void vtu_vertices(vtu_array *a, const sim *m, const sim_body *b, int number)
{
    size_t n = (size_t)b->n_vertices;
    double *v = vtu_more(&a[VTU_VELOCITY], 3 * n), *j = vtu_more(&a[VTU_IMPULSE], 3 * n), *of = vtu_more(&a[VTU_POINT_BODY], n);
    ct_real *impulse = (ct_real *)cli_alloc(3 * n + 1, sizeof *impulse);
    size_t i;
    if (n)
        memcpy(vtu_more(&a[VTU_POINTS], 3 * n), b->positions, 3 * n * sizeof(double));
    for (i = 0; i < n; i++)
        of[i] = number;
    if (n && !b->is_plane) {
        (void)ct_body_get_velocities(m->world, b->id, v, CT_SCALAR_DOUBLE, 3 * sizeof *v, NULL);
        if (ct_body_get_contact_impulses(m->world, b->id, impulse, b->n_vertices) == CT_OK)
            vtu_reals(j, impulse, 3 * n);
    }
    free(impulse);
}

/* nodes of a soft body with an embedded surface, behind its vertices */
static void vtu_nodes(vtu_array *a, const sim *m, const sim_body *b, int number)
{
    size_t n = (size_t)ct_body_node_count(m->world, b->id), i;
    ct_real *x = (ct_real *)cli_alloc(6 * n + 1, sizeof *x), *v = x + 3 * n;
    double *of = vtu_more(&a[VTU_POINT_BODY], n);
    (void)ct_body_get_nodes(m->world, b->id, x, v, (int)n);
    vtu_reals(vtu_more(&a[VTU_POINTS], 3 * n), x, 3 * n);
    vtu_reals(vtu_more(&a[VTU_VELOCITY], 3 * n), v, 3 * n);
    vtu_more(&a[VTU_IMPULSE], 3 * n);
    for (i = 0; i < n; i++)
        of[i] = number;
    free(x);
}

static void vtu_body(vtu_array *a, const sim *m, int number)
{
    const sim_body *b = &m->bodies[number];
    int first = (int)a[VTU_POINT_BODY].n, n = b->is_plane ? 0 : ct_body_element_count(m->world, b->id), per = b->type == SCENE_SOFT ? 4 : 3;
    int32_t *elements = (int32_t *)cli_alloc((size_t)n * (size_t)per + 1, sizeof *elements);
    ct_real *stress = (ct_real *)cli_alloc(6 * (size_t)n + 1, sizeof *stress);
    int has_elements = n > 0 && ct_body_get_elements(m->world, b->id, elements, n) == CT_OK;
    int has_stress = has_elements && ct_body_get_stress(m->world, b->id, stress, n) == CT_OK;
    vtu_vertices(a, m, b, number);
    if (has_elements && b->is_embedded) {
        int nodes = (int)a[VTU_POINT_BODY].n;
        vtu_nodes(a, m, b, number);
        vtu_cells(a, elements, n, per, nodes, number, 1, has_stress ? stress : NULL);
        has_elements = 0;
    } else if (has_elements)
        vtu_cells(a, elements, n, per, first, number, per == 4, has_stress ? stress : NULL);
    if (!has_elements)
        vtu_cells(a, b->triangles, b->n_triangles, 3, first, number, 0, NULL);
    vtu_cells(a, b->segments, b->n_segments, 2, first, number, 0, NULL);
    if (b->type == SCENE_POINTS)
        vtu_cells(a, NULL, b->n_vertices, 1, first, number, 0, NULL);
    free(elements);
    free(stress);
}

/* the elements DataArray from `from` on, up to `to`; offset: bytes of appended data before them */
static void vtu_heads(FILE *f, const vtu_array *a, int from, int to, uint64_t *offset)
{
    int i;
    for (i = from; i < to; i++) {
        fprintf(f, "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
                a[i].type, a[i].name, a[i].components, (unsigned long long)*offset);
        *offset += 8 + (uint64_t)a[i].n * (uint64_t)a[i].bytes;
    }
}

static void vtu_write(FILE *f, const vtu_array *a, double time)
{
    uint64_t offset = 16;
    size_t k;
    int i;
    fputs(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <UnstructuredGrid>\n    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"appended\" offset=\"0\"/>\n    </FieldData>\n",
        f);
    fprintf(f, "    <Piece NumberOfPoints=\"%lu\" NumberOfCells=\"%lu\">\n      <Points>\n", (unsigned long)a[VTU_POINT_BODY].n,
            (unsigned long)a[VTU_TYPES].n);
    vtu_heads(f, a, VTU_POINTS, VTU_CONNECTIVITY, &offset);
    fputs("      </Points>\n      <Cells>\n", f);
    vtu_heads(f, a, VTU_CONNECTIVITY, VTU_POINT_BODY, &offset);
    fputs("      </Cells>\n      <PointData>\n", f);
    vtu_heads(f, a, VTU_POINT_BODY, VTU_CELL_BODY, &offset);
    fputs("      </PointData>\n      <CellData>\n", f);
    vtu_heads(f, a, VTU_CELL_BODY, VTU_ARRAYS, &offset);
    fputs("      </CellData>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_", f);
    out_put(f, 8, 8);
    out_put_f64(f, time);
    for (i = 0; i < VTU_ARRAYS; i++) {
        out_put(f, (uint64_t)a[i].n * (uint64_t)a[i].bytes, 8);
        for (k = 0; k < a[i].n; k++)
            if (a[i].type[0] != 'F')
                out_put(f, (uint64_t)(int64_t)a[i].values[k], a[i].bytes);
            else if (a[i].bytes == 8)
                out_put_f64(f, a[i].values[k]);
            else
                out_put_f32(f, a[i].values[k]);
    }
    fputs("\n  </AppendedData>\n</VTKFile>\n", f);
}

void out_vtu(FILE *f, const sim *m, double time)
{
    vtu_array a[VTU_ARRAYS];
    int i;
    memcpy(a, vtu_arrays, sizeof a);
    for (i = 0; i < VTU_ARRAYS; i++)
        vtu_more(&a[i], 0);
    for (i = 0; i < m->n_bodies; i++)
        vtu_body(a, m, i);
    vtu_write(f, a, time);
    for (i = 0; i < VTU_ARRAYS; i++)
        free(a[i].values);
}

void out_pvd(FILE *f, const int *numbers, const double *times, int n)
{
    int i;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n", f);
    for (i = 0; i < n; i++)
        fprintf(f, "    <DataSet timestep=\"%.12g\" group=\"\" part=\"0\" file=\"frame_%05d.vtu\"/>\n", times[i], numbers[i]);
    fputs("  </Collection>\n</VTKFile>\n", f);
}
