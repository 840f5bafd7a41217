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
    int grid;         /* 1: UNSTRUCTURED_GRID, 0: POLYDATA */
    int64_t n_points; /* -1: not read yet */
    int32_t *nodes;   /* node numbers of the section's cells, one cell after the other */
    int32_t *ends;    /* [cells] end of each in nodes */
    int have_cells, have_types;
} cti_vtk;

/* ---- values ---- */

/* Reads the next field of this line as a type. */
static cti_scan_scalar cti_vtk_type(cti_scan *s)
{
    cti_scan_scalar type = cti_scan_token(s) ? cti_scan_type(s) : CTI_SCALAR_NONE;
    if (type == CTI_SCALAR_NONE)
        cti_scan_fail(s, CT_ERR_FORMAT, "expected a data type such as float, double, int", NULL);
    return type;
}

/* Moves from the end of a section's line to its values; checks that the file is long enough for them. */
static void cti_vtk_values(cti_scan *s, int64_t count, cti_scan_scalar type, const char *what)
{
    cti_scan_line(s);
    cti_scan_left(s, count, cti_scan_width(s, type), what);
}

/* ---- points and cells ---- */

static void cti_vtk_points(cti_vtk *v)
{
    cti_scan *s = &v->scan;
    int64_t count, i;
    cti_scan_scalar type;
    if (v->n_points >= 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "a second section POINTS", NULL);
    count = cti_scan_count(s, "the number of points"), type = cti_vtk_type(s);
    cti_vtk_values(s, 3 * count, type, "the coordinates of POINTS");
    for (i = 0; i < 3 * count && cti_scan_ok(s); i++) {
        ct_real x = cti_scan_value_real(s, type, "a coordinate of a point");
        CTI_SCAN_PUSH(s, s->mesh->positions, x);
    }
    v->n_points = count;
}

static void cti_vtk_nodes(cti_vtk *v, cti_scan_scalar type, int64_t count)
{
    cti_scan *s = &v->scan;
    for (; count > 0 && cti_scan_ok(s); count--) {
        int64_t x = cti_scan_value_integer(s, type, "a point number of a cell");
        if (x < 0 || x >= v->n_points)
            cti_scan_wrong(s, x, "a point number is not in 0 .. number of points - 1", NULL);
        CTI_SCAN_KEEP(s, v->nodes, (int32_t)x);
    }
}

/* Reads the old layout: `size` values, each cell as its node count and its nodes. */
static void cti_vtk_cells_old(cti_vtk *v, int64_t count, int64_t size)
{
    cti_scan *s = &v->scan;
    int64_t n, used = 0;
    cti_scan_left(s, size, s->start ? 4 : 1, "the points of the cells");
    for (; count > 0 && cti_scan_ok(s); count--, used += n + 1) {
        n = cti_scan_value_integer(s, CTI_SCALAR_I32, "the number of points of a cell");
        if (n < 0 || n > size - used - 1)
            cti_scan_fail(s, CT_ERR_FORMAT, "the points of a cell are more than the section counts", NULL);
        cti_vtk_nodes(v, CTI_SCALAR_I32, n);
        CTI_SCAN_KEEP(s, v->ends, CTI_LEN(v->nodes));
    }
    if (used != size)
        cti_scan_fail(s, CT_ERR_FORMAT, "the cells do not add up to the size of their section", NULL);
}

/* Reads the new layout: `count` offsets from 0 to `size`, then `size` nodes. */
static void cti_vtk_cells_new(cti_vtk *v, int64_t count, int64_t size)
{
    cti_scan *s = &v->scan;
    int64_t i, x, last = 0;
    cti_scan_scalar type = cti_vtk_type(s);
    cti_vtk_values(s, count, type, "OFFSETS");
    for (i = 0; i < count && cti_scan_ok(s); i++, last = x) {
        x = cti_scan_value_integer(s, type, "an offset");
        if (i == 0 ? x != 0 : (x < last || x > size))
            cti_scan_fail(s, CT_ERR_FORMAT, "offsets must rise from 0 to the size of the connectivity", NULL);
        if (i > 0)
            CTI_SCAN_KEEP(s, v->ends, (int32_t)x);
    }
    if (last != size)
        cti_scan_fail(s, CT_ERR_FORMAT, "the last offset is not the size of the connectivity", NULL);
    if (!cti_scan_word(s) || !cti_scan_like(s, "connectivity"))
        cti_scan_fail(s, CT_ERR_FORMAT, "expected CONNECTIVITY", NULL);
    type = cti_vtk_type(s);
    cti_vtk_values(s, size, type, "CONNECTIVITY");
    cti_vtk_nodes(v, type, size);
}

/* Reads "CELLS count size" and similar sections into nodes and ends. */
static void cti_vtk_cells(cti_vtk *v)
{
    cti_scan *s = &v->scan;
    const char *at;
    int64_t count, size, line;
    CTI_CLEAR(v->nodes);
    CTI_CLEAR(v->ends);
    if (v->n_points < 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "expected POINTS before cells", NULL);
    count = cti_scan_count(s, "the number of cells"), size = cti_scan_count(s, "the size of the list of cells");
    cti_scan_line(s);
    at = s->at, line = s->line;
    if (cti_scan_word(s) && cti_scan_like(s, "offsets")) {
        cti_vtk_cells_new(v, count, size);
        return;
    }
    s->at = at, s->line = line;
    cti_vtk_cells_old(v, count, size);
}

static void cti_vtk_strip(cti_scan *s, const int32_t *nodes, int n)
{
    int i;
    for (i = 0; i + 2 < n; i++) {
        int32_t t[3];
        t[0] = nodes[i + (i & 1)], t[1] = nodes[i + 1 - (i & 1)], t[2] = nodes[i + 2];
        cti_mesh_fan(s, t, 3);
    }
}

/* Adds the cell of nodes [begin, end) to the mesh. */
static void cti_vtk_cell(cti_vtk *v, int64_t type, int begin, int end)
{
    static const int least[] = {0, 1, 0, 2, 2, 3, 3, 3, 4, 4, 4}, most[] = {0, 1, 0, 2, 0, 3, 0, 0, 4, 4, 4};
    const int32_t *nodes = end > begin ? v->nodes + begin : NULL; /* there may be no nodes at all */
    cti_scan *s = &v->scan;
    int known = type >= CTI_VTK_VERTEX && type <= CTI_VTK_TET, n = end - begin;
    int32_t quad[4];
    char text[80] = "";
    if (!known)
        snprintf(text, sizeof text, "cells of type %lld are not read (1 to 10 are)", (long long)type);
    else if (n < least[type] || (most[type] && n > most[type]))
        snprintf(text, sizeof text, "a cell of type %d has %d points", (int)type, n);
    if (text[0])
        cti_scan_fail(s, known ? CT_ERR_FORMAT : CT_ERR_UNSUPPORTED, "%s", text);
    if (!cti_scan_ok(s))
        return;
    switch (type) {
    case CTI_VTK_LINE:
    case CTI_VTK_LINES:
        cti_mesh_chain(s, nodes, n);
        break;
    case CTI_VTK_STRIP:
        cti_vtk_strip(s, nodes, n);
        break;
    case CTI_VTK_TRIANGLE:
    case CTI_VTK_POLYGON:
    case CTI_VTK_QUAD:
        cti_mesh_fan(s, nodes, n);
        break;
    case CTI_VTK_PIXEL:
        quad[0] = nodes[0], quad[1] = nodes[1], quad[2] = nodes[3], quad[3] = nodes[2];
        cti_mesh_fan(s, quad, 4);
        break;
    case CTI_VTK_TET:
        cti_mesh_tet(s, nodes);
        break;
    default:
        break;
    }
}

/* Reads a section of POLYDATA, whose cells all have one type. */
static void cti_vtk_poly(cti_vtk *v, int type)
{
    int i, begin = 0;
    cti_vtk_cells(v);
    for (i = 0; i < CTI_LEN(v->ends) && cti_scan_ok(&v->scan); begin = v->ends[i], i++)
        cti_vtk_cell(v, type, begin, v->ends[i]);
}

static void cti_vtk_types(cti_vtk *v)
{
    cti_scan *s = &v->scan;
    int64_t count;
    int i, begin = 0;
    if (!v->have_cells || v->have_types)
        cti_scan_fail(s, CT_ERR_FORMAT, v->have_types ? "a second section CELL_TYPES" : "expected CELLS before CELL_TYPES", NULL);
    v->have_types = 1;
    count = cti_scan_count(s, "the number of cell types");
    if (count != CTI_LEN(v->ends))
        cti_scan_fail(s, CT_ERR_FORMAT, "there are not as many cell types as cells", NULL);
    cti_vtk_values(s, count, CTI_SCALAR_I32, "CELL_TYPES");
    for (i = 0; i < (int)count && cti_scan_ok(s); begin = v->ends[i], i++)
        cti_vtk_cell(v, cti_scan_value_integer(s, CTI_SCALAR_I32, "a cell type"), begin, v->ends[i]);
}

/* ---- what is passed over ---- */

/* METADATA ends with an empty line. */
static void cti_vtk_metadata(cti_scan *s)
{
    while (cti_scan_line(s) && cti_scan_token(s)) {
    }
}

/* Skips "NAME components tuples type" and its values. */
static void cti_vtk_array(cti_scan *s)
{
    int64_t n = cti_scan_count(s, "the components of an array"), tuples = cti_scan_count(s, "the tuples of an array");
    cti_scan_scalar type = CTI_SCALAR_NONE;
    cti_scan_need(s, "the type of an array");
    if (tuples > 0 && n > INT32_MAX / tuples)
        cti_scan_fail(s, CT_ERR_FORMAT, "an array is larger than the file", NULL);
    n *= tuples;
    if (cti_scan_like(s, "string")) {
        if (s->start)
            cti_scan_fail(s, CT_ERR_UNSUPPORTED, "arrays of strings in binary files are not read", NULL);
        for (; n > 0 && cti_scan_line(s); n--) {
        }
        if (n > 0)
            cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected a string of an array", NULL);
        cti_scan_line(s);
        return;
    }
    if (cti_scan_like(s, "bit"))
        type = CTI_SCALAR_U8, n = s->start ? (n + 7) / 8 : n;
    else
        type = cti_scan_type(s);
    if (type == CTI_SCALAR_NONE)
        cti_scan_fail(s, CT_ERR_FORMAT, "expected a data type such as float, double, int", NULL);
    cti_vtk_values(s, n, type, "the values of an array");
    cti_scan_skip(s, type, n, "the values of an array");
}

static void cti_vtk_field(cti_scan *s)
{
    int64_t count;
    cti_scan_token(s);
    count = cti_scan_count(s, "the number of arrays of FIELD");
    cti_scan_line(s);
    while (count > 0 && cti_scan_ok(s)) {
        if (!cti_scan_word(s))
            cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected an array of FIELD", NULL);
        if (cti_scan_is(s, "METADATA"))
            cti_vtk_metadata(s);
        else
            cti_vtk_array(s), count--;
    }
}

/* ---- the file ---- */

/* Reads the header's lines: version, title, ASCII or BINARY. */
static void cti_vtk_head(cti_scan *s, const char *bytes)
{
    static const char magic[] = "# vtk DataFile Version ";
    if (s->end - s->at < (int)sizeof magic || memcmp(s->at, magic, sizeof magic - 1) != 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "expected # vtk DataFile Version in the first line", NULL);
    cti_scan_line(s);
    cti_scan_line(s);
    if (!cti_scan_seek(s, "ASCII or BINARY") || !cti_scan_token(s))
        return;
    if (!cti_scan_like(s, "binary") && !cti_scan_like(s, "ascii"))
        cti_scan_fail(s, CT_ERR_FORMAT, "expected ASCII or BINARY", NULL);
    if (cti_scan_like(s, "binary") && cti_scan_ok(s))
        s->start = bytes;
    cti_scan_line(s);
}

/* Reads the section whose name was read last. 0: the geometry ends here. */
static int cti_vtk_section(cti_vtk *v)
{
    static const struct {
        const char *name;
        int type;
    } lists[] = {{"vertices", CTI_VTK_VERTICES}, {"lines", CTI_VTK_LINES}, {"polygons", CTI_VTK_POLYGON}, {"triangle_strips", CTI_VTK_STRIP}};
    cti_scan *s = &v->scan;
    int k = v->grid ? CTI_COUNT(lists) : 0;
    while (k < CTI_COUNT(lists) && !cti_scan_like(s, lists[k].name))
        k++;
    if (cti_scan_like(s, "point_data") || cti_scan_like(s, "cell_data"))
        return 0;
    if (cti_scan_like(s, "points"))
        cti_vtk_points(v);
    else if (cti_scan_like(s, "field"))
        cti_vtk_field(s);
    else if (cti_scan_like(s, "metadata"))
        cti_vtk_metadata(s);
    else if (v->grid && cti_scan_like(s, "cells") && !v->have_cells)
        v->have_cells = 1, cti_vtk_cells(v);
    else if (v->grid && cti_scan_like(s, "cell_types"))
        cti_vtk_types(v);
    else if (k < CTI_COUNT(lists))
        cti_vtk_poly(v, lists[k].type);
    else
        cti_scan_fail(s, CT_ERR_FORMAT, "expected %s, FIELD, METADATA, POINT_DATA or CELL_DATA",
                      v->grid ? "POINTS, CELLS, CELL_TYPES" : "POINTS, VERTICES, LINES, POLYGONS, TRIANGLE_STRIPS");
    return 1;
}

static void cti_vtk_sections(cti_vtk *v)
{
    cti_scan *s = &v->scan;
    int more = 1, dataset = 0;
    while (more && cti_scan_word(s)) {
        if (!dataset && cti_scan_like(s, "dataset")) {
            dataset = cti_scan_need(s, "a kind of dataset");
            v->grid = cti_scan_like(s, "unstructured_grid");
            if (!v->grid && !cti_scan_like(s, "polydata"))
                cti_scan_fail(s, CT_ERR_UNSUPPORTED, "the dataset is neither POLYDATA nor UNSTRUCTURED_GRID", NULL);
        } else if (!dataset && !cti_scan_like(s, "field")) {
            cti_scan_fail(s, CT_ERR_FORMAT, "expected DATASET", NULL);
        } else {
            more = cti_vtk_section(v);
        }
    }
    if (v->n_points <= 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends without any point (POINTS)", NULL);
    if (v->have_cells && !v->have_types)
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected CELL_TYPES", NULL);
}

CTI_FN ct_code cti_read_vtk(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_vtk v;
    memset(&v, 0, sizeof v);
    v.n_points = -1;
    cti_scan_open(&v.scan, mem, bytes, n, mesh, error);
    v.scan.big = v.scan.spans = 1;
    cti_vtk_head(&v.scan, bytes);
    cti_vtk_sections(&v);
    cti_mesh_finish(&v.scan);
    return cti_scan_close(&v.scan);
}

#endif
