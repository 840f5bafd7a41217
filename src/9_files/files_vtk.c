/* files_vtk.c -- legacy VTK, ASCII and BINARY (big endian): POLYDATA (polygons, lines, triangle strips) and UNSTRUCTURED_GRID (lines,
   polylines, triangles, strips, polygons, pixels, quads, tets).
   Method: section by section. A list of cells has one of two layouts, told apart by the word OFFSETS: "count, nodes, count, nodes", or
   OFFSETS and CONNECTIVITY (since 5.0). Both become one list of node numbers and one of ends. FIELD and METADATA are skipped; reading ends
   at POINT_DATA or CELL_DATA. Orientation is kept. Vertex cells are points, which need no list. Other cells are refused, since leaving them
   out would tear holes. Based on: VTK file formats, simple legacy formats; VTK legacy information format. */
#include "files.h"

#if CONTACT_WITH_FILES
#include <stdio.h>

/* Cell types of the format. */
enum {
    CTI_VTK_VERTEX = 1,
    CTI_VTK_VERTICES,
    CTI_VTK_LINE,
    CTI_VTK_LINES,
    CTI_VTK_TRIANGLE,
    CTI_VTK_STRIP,
    CTI_VTK_POLYGON,
    CTI_VTK_PIXEL,
    CTI_VTK_QUAD,
    CTI_VTK_TET
};

typedef struct cti_vtk {
    cti_scan scan;
    ct_mesh *mesh;
    int binary, grid; /* grid 1: UNSTRUCTURED_GRID, 0: POLYDATA */
    int64_t n_points; /* -1: not read yet */
    int32_t *nodes;   /* node numbers of the section's cells, one cell after the other */
    int32_t *ends;    /* [cells] end of each in nodes */
    int have_cells, have_types;
} cti_vtk;

/* ---- values ---- */

static cti_ply_scalar cti_vtk_type(const char *t, int n)
{
    static const struct {
        const char *name;
        cti_ply_scalar type;
    } types[] = {{"char", CTI_PLY_SCALAR_I8},          {"signed_char", CTI_PLY_SCALAR_I8},     {"unsigned_char", CTI_PLY_SCALAR_U8},
                 {"short", CTI_PLY_SCALAR_I16},        {"unsigned_short", CTI_PLY_SCALAR_U16}, {"int", CTI_PLY_SCALAR_I32},
                 {"unsigned_int", CTI_PLY_SCALAR_U32}, {"long", CTI_PLY_SCALAR_I64},           {"unsigned_long", CTI_PLY_SCALAR_U64},
                 {"vtktypeint64", CTI_PLY_SCALAR_I64}, {"vtktypeuint64", CTI_PLY_SCALAR_U64},  {"vtkidtype", CTI_PLY_SCALAR_I32},
                 {"vtktypeint32", CTI_PLY_SCALAR_I32}, {"long_long", CTI_PLY_SCALAR_I64},      {"unsigned_long_long", CTI_PLY_SCALAR_U64},
                 {"float", CTI_PLY_SCALAR_F32},        {"double", CTI_PLY_SCALAR_F64}};
    size_t i;
    for (i = 0; i < sizeof types / sizeof *types; i++)
        if (cti_scan_like(t, n, types[i].name))
            return types[i].type;
    return CTI_PLY_SCALAR_NONE;
}

/* Reads the next field of this line as a type. */
static int cti_vtk_type_field(cti_vtk *v, cti_ply_scalar *out)
{
    const char *t;
    int n;
    *out = CTI_PLY_SCALAR_NONE;
    if (cti_scan_token(&v->scan, &t, &n))
        *out = cti_vtk_type(t, n);
    return *out != CTI_PLY_SCALAR_NONE || cti_scan_fail(&v->scan, CT_ERR_FORMAT, "expected a data type such as float, double, int", NULL);
}

static int cti_vtk_integer(cti_vtk *v, cti_ply_scalar type, int64_t *out, const char *what)
{
    return v->binary ? cti_scan_raw_integer(&v->scan, type, out, what)
                     : cti_scan_seek(&v->scan, what) && cti_scan_integer(&v->scan, out, what);
}

static int cti_vtk_real(cti_vtk *v, cti_ply_scalar type, ct_real *out, const char *what)
{
    return v->binary ? cti_scan_raw_real(&v->scan, type, out, what) : cti_scan_seek(&v->scan, what) && cti_scan_real(&v->scan, out, what);
}

/* Reads a count in a section's line; it must fit an int, since lists are indexed by int. */
static int cti_vtk_count(cti_vtk *v, int64_t *out, const char *what)
{
    if (!cti_scan_integer(&v->scan, out, what))
        return 0;
    if (*out < 0)
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "a negative number, expected %s", what);
    if (*out > INT32_MAX / 12)
        return cti_scan_fail(&v->scan, CT_ERR_UNSUPPORTED, "too many: %s", what);
    return 1;
}

/* Moves from the end of a section's line to its values; checks that the file is long enough for them (in ASCII at least one character
   each). */
static int cti_vtk_values(cti_vtk *v, int64_t count, cti_ply_scalar type, const char *what)
{
    cti_scan_line(&v->scan);
    return cti_scan_left(&v->scan, count, v->binary ? cti_ply_scalar_size(type) : 1, what);
}

/* ---- points and cells ---- */

static int cti_vtk_points(cti_vtk *v)
{
    int64_t count, i;
    cti_ply_scalar type;
    ct_real x;
    if (v->n_points >= 0)
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "a second section POINTS", NULL);
    if (!cti_vtk_count(v, &count, "the number of points") || !cti_vtk_type_field(v, &type) ||
        !cti_vtk_values(v, 3 * count, type, "the coordinates of POINTS"))
        return 0;
    for (i = 0; i < 3 * count; i++) {
        if (!cti_vtk_real(v, type, &x, "a coordinate of a point"))
            return 0;
        if (!CTI_PUSH(v->scan.mem, v->mesh->positions, x))
            return cti_scan_memory(&v->scan);
    }
    v->n_points = count;
    return 1;
}

static int cti_vtk_node(cti_vtk *v, cti_ply_scalar type)
{
    int64_t x;
    if (!cti_vtk_integer(v, type, &x, "a point number of a cell"))
        return 0;
    if (x < 0 || x >= v->n_points)
        return cti_scan_wrong(&v->scan, x, "a point number is not in 0 .. number of points - 1", NULL);
    return CTI_PUSH(v->scan.mem, v->nodes, (int32_t)x) ? 1 : cti_scan_memory(&v->scan);
}

/* Reads the old layout: `size` values, each cell as its node count and its nodes. */
static int cti_vtk_cells_old(cti_vtk *v, int64_t count, int64_t size)
{
    int64_t i, k, n, used = 0;
    for (i = 0; i < count; i++) {
        if (!cti_vtk_integer(v, CTI_PLY_SCALAR_I32, &n, "the number of points of a cell"))
            return 0;
        if (n < 0 || n > size - used - 1)
            return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the points of a cell are more than the section counts", NULL);
        used += n + 1;
        for (k = 0; k < n; k++)
            if (!cti_vtk_node(v, CTI_PLY_SCALAR_I32))
                return 0;
        if (!CTI_PUSH(v->scan.mem, v->ends, CTI_LEN(v->nodes)))
            return cti_scan_memory(&v->scan);
    }
    return used == size || cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the cells do not add up to the size of their section", NULL);
}

/* Reads the new layout: `count` offsets from 0 to `size`, then `size` nodes. */
static int cti_vtk_cells_new(cti_vtk *v, int64_t count, int64_t size)
{
    const char *t;
    int64_t i, x, last = 0;
    cti_ply_scalar type;
    int n;
    if (!cti_vtk_type_field(v, &type) || !cti_vtk_values(v, count, type, "OFFSETS"))
        return 0;
    for (i = 0; i < count; i++) {
        if (!cti_vtk_integer(v, type, &x, "an offset"))
            return 0;
        if (i == 0 ? x != 0 : (x < last || x > size))
            return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "offsets must rise from 0 to the size of the connectivity", NULL);
        last = x;
        if (i > 0 && !CTI_PUSH(v->scan.mem, v->ends, (int32_t)x))
            return cti_scan_memory(&v->scan);
    }
    if (last != size)
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the last offset is not the size of the connectivity", NULL);
    if (!cti_scan_seek(&v->scan, "CONNECTIVITY") || !cti_scan_token(&v->scan, &t, &n) || !cti_scan_like(t, n, "connectivity"))
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "expected CONNECTIVITY", NULL);
    if (!cti_vtk_type_field(v, &type) || !cti_vtk_values(v, size, type, "CONNECTIVITY"))
        return 0;
    for (i = 0; i < size; i++)
        if (!cti_vtk_node(v, type))
            return 0;
    return 1;
}

/* Reads "CELLS count size" and similar sections into nodes and ends. */
static int cti_vtk_cells(cti_vtk *v)
{
    const char *t, *at;
    int64_t count, size, line;
    int n;
    CTI_CLEAR(v->nodes);
    CTI_CLEAR(v->ends);
    if (v->n_points < 0)
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "expected POINTS before cells", NULL);
    if (!cti_vtk_count(v, &count, "the number of cells") || !cti_vtk_count(v, &size, "the size of the list of cells"))
        return 0;
    cti_scan_line(&v->scan);
    at = v->scan.at, line = v->scan.line;
    if (cti_scan_word(&v->scan, &t, &n) && cti_scan_like(t, n, "offsets"))
        return cti_vtk_cells_new(v, count, size);
    v->scan.at = at, v->scan.line = line;
    return cti_scan_left(&v->scan, size, v->binary ? 4 : 1, "the points of the cells") && cti_vtk_cells_old(v, count, size);
}

static int cti_vtk_strip(cti_vtk *v, const int32_t *nodes, int n)
{
    int i;
    for (i = 0; i + 2 < n; i++) {
        int32_t t[3];
        t[0] = nodes[i + (i & 1)], t[1] = nodes[i + 1 - (i & 1)], t[2] = nodes[i + 2];
        if (!cti_mesh_fan(&v->scan, v->mesh, t, 3))
            return 0;
    }
    return 1;
}

/* Adds the cell of nodes [begin, end) to the mesh. */
static int cti_vtk_cell(cti_vtk *v, int64_t type, int begin, int end)
{
    static const int least[] = {0, 1, 0, 2, 2, 3, 3, 3, 4, 4, 4}, most[] = {0, 1, 0, 2, 0, 3, 0, 0, 4, 4, 4};
    const int32_t *nodes = end > begin ? v->nodes + begin : NULL; /* there may be no nodes at all */
    int32_t quad[4];
    int k, n = end - begin;
    char text[80];
    if (type < CTI_VTK_VERTEX || type > CTI_VTK_TET) {
        snprintf(text, sizeof text, "cells of type %lld are not read (1 to 10 are)", (long long)type);
        return cti_scan_fail(&v->scan, CT_ERR_UNSUPPORTED, "%s", text);
    }
    if (n < least[type] || (most[type] && n > most[type])) {
        snprintf(text, sizeof text, "a cell of type %d has %d points", (int)type, n);
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "%s", text);
    }
    switch (type) {
    case CTI_VTK_LINE:
    case CTI_VTK_LINES:
        return cti_mesh_chain(&v->scan, v->mesh, nodes, n);
    case CTI_VTK_STRIP:
        return cti_vtk_strip(v, nodes, n);
    case CTI_VTK_TRIANGLE:
    case CTI_VTK_POLYGON:
    case CTI_VTK_QUAD:
        return cti_mesh_fan(&v->scan, v->mesh, nodes, n);
    case CTI_VTK_PIXEL:
        quad[0] = nodes[0], quad[1] = nodes[1], quad[2] = nodes[3], quad[3] = nodes[2];
        return cti_mesh_fan(&v->scan, v->mesh, quad, 4);
    case CTI_VTK_TET:
        for (k = 0; k < 4; k++)
            if (!CTI_PUSH(v->scan.mem, v->mesh->tets, nodes[k]))
                return cti_scan_memory(&v->scan);
        return 1;
    default:
        return 1;
    }
}

/* Reads a section of POLYDATA, whose cells all have one type. */
static int cti_vtk_poly(cti_vtk *v, int type)
{
    int i, begin = 0;
    if (!cti_vtk_cells(v))
        return 0;
    for (i = 0; i < CTI_LEN(v->ends); begin = v->ends[i], i++)
        if (!cti_vtk_cell(v, type, begin, v->ends[i]))
            return 0;
    return 1;
}

static int cti_vtk_types(cti_vtk *v)
{
    int64_t count, type;
    int i, begin = 0;
    if (!v->have_cells || v->have_types)
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, v->have_types ? "a second section CELL_TYPES" : "expected CELLS before CELL_TYPES",
                             NULL);
    v->have_types = 1;
    if (!cti_vtk_count(v, &count, "the number of cell types"))
        return 0;
    if (count != CTI_LEN(v->ends))
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "there are not as many cell types as cells", NULL);
    if (!cti_vtk_values(v, count, CTI_PLY_SCALAR_I32, "CELL_TYPES"))
        return 0;
    for (i = 0; i < (int)count; begin = v->ends[i], i++)
        if (!cti_vtk_integer(v, CTI_PLY_SCALAR_I32, &type, "a cell type") || !cti_vtk_cell(v, type, begin, v->ends[i]))
            return 0;
    return 1;
}

/* ---- what is passed over ---- */

/* METADATA ends with an empty line. */
static void cti_vtk_metadata(cti_vtk *v)
{
    const char *t;
    int n;
    while (cti_scan_line(&v->scan) && cti_scan_token(&v->scan, &t, &n)) {
    }
}

/* Skips "NAME components tuples type" and its values. */
static int cti_vtk_array(cti_vtk *v)
{
    const char *t;
    int64_t components, tuples, i;
    int n;
    cti_ply_scalar type = CTI_PLY_SCALAR_NONE;
    if (!cti_vtk_count(v, &components, "the components of an array") || !cti_vtk_count(v, &tuples, "the tuples of an array"))
        return 0;
    if (!cti_scan_token(&v->scan, &t, &n))
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the line ends, expected the type of an array", NULL);
    if (tuples > 0 && components > INT32_MAX / tuples)
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "an array is larger than the file", NULL);
    components *= tuples;
    if (cti_scan_like(t, n, "bit") && v->binary) {
        type = CTI_PLY_SCALAR_U8, components = (components + 7) / 8;
    } else if (cti_scan_like(t, n, "string")) {
        if (v->binary)
            return cti_scan_fail(&v->scan, CT_ERR_UNSUPPORTED, "arrays of strings in binary files are not read", NULL);
        for (i = 0; i < components; i++)
            if (!cti_scan_line(&v->scan))
                return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the file ends, expected a string of an array", NULL);
        cti_scan_line(&v->scan);
        return 1;
    } else if (!cti_scan_like(t, n, "bit")) {
        type = cti_vtk_type(t, n);
        if (type == CTI_PLY_SCALAR_NONE)
            return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "expected a data type such as float, double, int", NULL);
    }
    if (!cti_vtk_values(v, components, type, "the values of an array"))
        return 0;
    if (v->binary)
        v->scan.at += components * cti_ply_scalar_size(type);
    for (i = 0; !v->binary && i < components; i++)
        if (!cti_scan_word(&v->scan, &t, &n))
            return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the file ends, expected the values of an array", NULL);
    return 1;
}

static int cti_vtk_field(cti_vtk *v)
{
    const char *t;
    int64_t count, i;
    int n;
    cti_scan_token(&v->scan, &t, &n);
    if (!cti_vtk_count(v, &count, "the number of arrays of FIELD"))
        return 0;
    cti_scan_line(&v->scan);
    for (i = 0; i < count; i++) {
        if (!cti_scan_word(&v->scan, &t, &n))
            return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the file ends, expected an array of FIELD", NULL);
        if (cti_scan_is(t, n, "METADATA")) {
            cti_vtk_metadata(v);
            i--;
        } else if (!cti_vtk_array(v)) {
            return 0;
        }
    }
    return 1;
}

/* ---- the file ---- */

static int cti_vtk_dataset(cti_vtk *v)
{
    const char *t;
    int n;
    if (!cti_scan_token(&v->scan, &t, &n))
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the line ends, expected a kind of dataset", NULL);
    v->grid = cti_scan_like(t, n, "unstructured_grid");
    if (!v->grid && !cti_scan_like(t, n, "polydata"))
        return cti_scan_fail(&v->scan, CT_ERR_UNSUPPORTED, "the dataset is neither POLYDATA nor UNSTRUCTURED_GRID", NULL);
    return 1;
}

/* Reads the four header lines: version, title, ASCII or BINARY, dataset. */
static int cti_vtk_head(cti_vtk *v)
{
    static const char magic[] = "# vtk DataFile Version ";
    const char *t;
    int n;
    if (v->scan.end - v->scan.at < (int)sizeof magic || memcmp(v->scan.at, magic, sizeof magic - 1) != 0)
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "expected # vtk DataFile Version in the first line", NULL);
    cti_scan_line(&v->scan);
    cti_scan_line(&v->scan);
    if (!cti_scan_seek(&v->scan, "ASCII or BINARY") || !cti_scan_token(&v->scan, &t, &n))
        return 0;
    v->binary = cti_scan_like(t, n, "binary");
    if (!v->binary && !cti_scan_like(t, n, "ascii"))
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "expected ASCII or BINARY", NULL);
    return 1;
}

/* Reads one section named t. 1: done, 0: failed, -1: the geometry ends here. */
static int cti_vtk_section(cti_vtk *v, const char *t, int n)
{
    if (cti_scan_like(t, n, "point_data") || cti_scan_like(t, n, "cell_data"))
        return -1;
    if (cti_scan_like(t, n, "points"))
        return cti_vtk_points(v);
    if (cti_scan_like(t, n, "field"))
        return cti_vtk_field(v);
    if (cti_scan_like(t, n, "metadata")) {
        cti_vtk_metadata(v);
        return 1;
    }
    if (v->grid && cti_scan_like(t, n, "cells") && !v->have_cells) {
        v->have_cells = 1;
        return cti_vtk_cells(v);
    }
    if (v->grid && cti_scan_like(t, n, "cell_types"))
        return cti_vtk_types(v);
    if (!v->grid && cti_scan_like(t, n, "vertices"))
        return cti_vtk_poly(v, CTI_VTK_VERTICES);
    if (!v->grid && cti_scan_like(t, n, "lines"))
        return cti_vtk_poly(v, CTI_VTK_LINES);
    if (!v->grid && cti_scan_like(t, n, "polygons"))
        return cti_vtk_poly(v, CTI_VTK_POLYGON);
    if (!v->grid && cti_scan_like(t, n, "triangle_strips"))
        return cti_vtk_poly(v, CTI_VTK_STRIP);
    return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "expected %s, FIELD, METADATA, POINT_DATA or CELL_DATA",
                         v->grid ? "POINTS, CELLS, CELL_TYPES" : "POINTS, VERTICES, LINES, POLYGONS, TRIANGLE_STRIPS");
}

static int cti_vtk_sections(cti_vtk *v)
{
    const char *t;
    int n, ok = 1, dataset = 0;
    cti_scan_line(&v->scan);
    while (ok == 1 && cti_scan_word(&v->scan, &t, &n)) {
        if (!dataset && cti_scan_like(t, n, "dataset"))
            ok = dataset = cti_vtk_dataset(v);
        else if (!dataset && !cti_scan_like(t, n, "field"))
            ok = cti_scan_fail(&v->scan, CT_ERR_FORMAT, "expected DATASET", NULL);
        else
            ok = cti_vtk_section(v, t, n);
    }
    if (ok == 0)
        return 0;
    if (v->n_points <= 0)
        return cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the file ends without any point (POINTS)", NULL);
    return !v->have_cells || v->have_types || cti_scan_fail(&v->scan, CT_ERR_FORMAT, "the file ends, expected CELL_TYPES", NULL);
}

CTI_FN ct_code cti_read_vtk(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_vtk v;
    memset(&v, 0, sizeof v);
    v.scan.at = bytes, v.scan.end = bytes + n, v.scan.line = 1, v.scan.mem = mem, v.scan.error = error, v.scan.big = 1;
    v.mesh = mesh, v.n_points = -1;
    if (cti_vtk_head(&v)) {
        v.scan.start = v.binary ? bytes : NULL;
        cti_vtk_sections(&v);
    }
    cti_mesh_finish(&v.scan, mesh);
    CTI_FREE(mem, v.nodes);
    CTI_FREE(mem, v.ends);
    return v.scan.code;
}

#endif
