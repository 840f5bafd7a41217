/* files_ply.c -- PLY, ASCII and binary of both byte orders: vertices (x, y, z), faces (vertex_indices or vertex_index: polygons), edges
   (vertex1, vertex2). Method: the header becomes a list of elements with typed properties. Then every element is read value by value;
   unused values are skipped by their type. In ASCII an element is a line. A file without faces and edges is a set of points. Based on:
   Turk, The PLY polygon file format, 1994. */
#include "files.h"

#if CONTACT_WITH_FILES

/* Use of a property. */
enum { CTI_PLY_SKIP = -1, CTI_PLY_CORNERS = 3, CTI_PLY_END_1, CTI_PLY_END_2 };

typedef struct cti_ply_property {
    cti_ply_scalar count_type, type; /* count_type: type of a list's count; CTI_PLY_SCALAR_NONE: not a list */
    int role;                    /* 0, 1, 2: x, y, z of a vertex; CTI_PLY_* */
} cti_ply_property;

typedef struct cti_ply_element {
    char kind; /* 'v' vertex, 'f' face, 'e' edge, '-' other */
    int64_t count, line;
    int first, n; /* range of its properties */
} cti_ply_element;

typedef struct cti_ply {
    cti_scan scan;
    ct_mesh *mesh;
    char format; /* 'a' ASCII, 'b' binary, 0: unknown so far */
    cti_ply_element *elements;
    cti_ply_property *properties;
    int32_t *polygon;
    int64_t n_vertices;
} cti_ply;

/* ---- header ---- */

static cti_ply_scalar cti_ply_type(const char *t, int n)
{
    static const struct {
        const char *name;
        cti_ply_scalar type;
    } types[] = {{"char", CTI_PLY_SCALAR_I8},   {"uchar", CTI_PLY_SCALAR_U8},   {"short", CTI_PLY_SCALAR_I16},   {"ushort", CTI_PLY_SCALAR_U16},
                 {"int", CTI_PLY_SCALAR_I32},   {"uint", CTI_PLY_SCALAR_U32},   {"float", CTI_PLY_SCALAR_F32},   {"double", CTI_PLY_SCALAR_F64},
                 {"int8", CTI_PLY_SCALAR_I8},   {"uint8", CTI_PLY_SCALAR_U8},   {"int16", CTI_PLY_SCALAR_I16},   {"uint16", CTI_PLY_SCALAR_U16},
                 {"int32", CTI_PLY_SCALAR_I32}, {"uint32", CTI_PLY_SCALAR_U32}, {"float32", CTI_PLY_SCALAR_F32}, {"float64", CTI_PLY_SCALAR_F64},
                 {"int64", CTI_PLY_SCALAR_I64}, {"uint64", CTI_PLY_SCALAR_U64}};
    size_t i;
    for (i = 0; i < sizeof types / sizeof *types; i++)
        if (cti_scan_is(t, n, types[i].name))
            return types[i].type;
    return CTI_PLY_SCALAR_NONE;
}

static int cti_ply_format(cti_ply *p)
{
    const char *t;
    int n;
    if (p->format)
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "a second format", NULL);
    if (!cti_scan_token(&p->scan, &t, &n))
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the line ends, expected a format", NULL);
    if (cti_scan_is(t, n, "ascii"))
        p->format = 'a';
    else if (cti_scan_is(t, n, "binary_little_endian"))
        p->format = 'b';
    else if (cti_scan_is(t, n, "binary_big_endian"))
        p->format = 'b', p->scan.big = 1;
    else
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "expected ascii, binary_little_endian or binary_big_endian", NULL);
    if (!cti_scan_token(&p->scan, &t, &n) || !cti_scan_is(t, n, "1.0"))
        return cti_scan_fail(&p->scan, CT_ERR_UNSUPPORTED, "expected version 1.0", NULL);
    return 1;
}

/* "element NAME COUNT" */
static int cti_ply_element_line(cti_ply *p)
{
    cti_ply_element e;
    const char *t;
    int n;
    memset(&e, 0, sizeof e);
    if (!cti_scan_token(&p->scan, &t, &n))
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the line ends, expected the name of an element", NULL);
    e.kind = cti_scan_is(t, n, "vertex") ? 'v' : (cti_scan_is(t, n, "face") ? 'f' : (cti_scan_is(t, n, "edge") ? 'e' : '-'));
    if (!cti_scan_integer(&p->scan, &e.count, "the number of elements"))
        return 0;
    if (e.count < 0)
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "a negative number of elements", NULL);
    if (e.count > 0 && cti_scan_is(t, n, "tristrips"))
        return cti_scan_fail(&p->scan, CT_ERR_UNSUPPORTED, "element tristrips is not read: save the triangles as faces", NULL);
    if (e.kind == 'v') {
        if (p->n_vertices >= 0)
            return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "a second element vertex", NULL);
        if (e.count > INT32_MAX / 12)
            return cti_scan_fail(&p->scan, CT_ERR_UNSUPPORTED, "too many vertices", NULL);
        p->n_vertices = e.count;
    }
    e.line = p->scan.line, e.first = CTI_LEN(p->properties);
    return CTI_PUSH(p->scan.mem, p->elements, e) ? 1 : cti_scan_memory(&p->scan);
}

/* The role of a property named t in an element of this kind. */
static int cti_ply_role(char kind, int list, const char *t, int n)
{
    if (kind == 'v' && !list && n == 1 && t[0] >= 'x' && t[0] <= 'z')
        return t[0] - 'x';
    if (kind == 'f' && list && (cti_scan_is(t, n, "vertex_indices") || cti_scan_is(t, n, "vertex_index")))
        return CTI_PLY_CORNERS;
    if (kind == 'e' && !list && (cti_scan_is(t, n, "vertex1") || cti_scan_is(t, n, "vertex2")))
        return t[6] == '1' ? CTI_PLY_END_1 : CTI_PLY_END_2;
    return CTI_PLY_SKIP;
}

/* "property TYPE NAME" or "property list TYPE TYPE NAME" */
static int cti_ply_property_line(cti_ply *p)
{
    cti_ply_property q;
    cti_ply_element *e;
    const char *t = "";
    int n = 0, list = 0, i;
    memset(&q, 0, sizeof q);
    if (CTI_LEN(p->elements) == 0)
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "a property before any element", NULL);
    e = p->elements + CTI_LEN(p->elements) - 1;
    if (cti_scan_token(&p->scan, &t, &n) && cti_scan_is(t, n, "list")) {
        list = 1;
        q.count_type = cti_scan_token(&p->scan, &t, &n) ? cti_ply_type(t, n) : CTI_PLY_SCALAR_NONE;
        if (q.count_type == CTI_PLY_SCALAR_NONE || q.count_type >= CTI_PLY_SCALAR_F32)
            return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "expected an integer type for the length of a list", NULL);
        n = 0;
        cti_scan_token(&p->scan, &t, &n);
    }
    q.type = n > 0 ? cti_ply_type(t, n) : CTI_PLY_SCALAR_NONE;
    if (q.type == CTI_PLY_SCALAR_NONE)
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "expected a type: char, uchar, short, ushort, int, uint, float, double", NULL);
    if (!cti_scan_token(&p->scan, &t, &n))
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the line ends, expected the name of a property", NULL);
    q.role = cti_ply_role(e->kind, list, t, n);
    if (q.role >= CTI_PLY_CORNERS && q.type >= CTI_PLY_SCALAR_F32)
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "expected an integer type for vertex numbers", NULL);
    for (i = e->first; q.role != CTI_PLY_SKIP && i < e->first + e->n; i++)
        if (p->properties[i].role == q.role)
            return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "an element has the same property twice", NULL);
    e->n++;
    return CTI_PUSH(p->scan.mem, p->properties, q) ? 1 : cti_scan_memory(&p->scan);
}

/* Checks that vertices have x, y, z, faces their corners and edges their ends. */
static int cti_ply_complete(cti_ply *p)
{
    int i, k;
    if (!p->format)
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the header ends without a format", NULL);
    for (i = 0; i < CTI_LEN(p->elements); i++) {
        const cti_ply_element *e = p->elements + i;
        int seen = 0, want = e->kind == 'v' ? 7 : (e->kind == 'f' ? 8 : (e->kind == 'e' ? 48 : 0));
        for (k = e->first; k < e->first + e->n; k++)
            if (p->properties[k].role != CTI_PLY_SKIP)
                seen |= 1 << p->properties[k].role;
        if ((seen & want) == want)
            continue;
        p->scan.line = e->line;
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "expected %s",
                             e->kind == 'v'   ? "properties x, y, z of a vertex"
                             : e->kind == 'f' ? "a list vertex_indices of a face"
                                              : "properties vertex1, vertex2 of an edge");
    }
    return 1;
}

static int cti_ply_header(cti_ply *p)
{
    const char *t;
    int n, ok = 1;
    if (!cti_scan_token(&p->scan, &t, &n) || !cti_scan_is(t, n, "ply"))
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "expected ply in the first line", NULL);
    while (ok && cti_scan_content(&p->scan)) {
        cti_scan_token(&p->scan, &t, &n);
        if (cti_scan_is(t, n, "end_header"))
            return cti_ply_complete(p);
        if (cti_scan_is(t, n, "format"))
            ok = cti_ply_format(p);
        else if (cti_scan_is(t, n, "element"))
            ok = cti_ply_element_line(p);
        else if (cti_scan_is(t, n, "property"))
            ok = cti_ply_property_line(p);
        else if (!cti_scan_is(t, n, "comment") && !cti_scan_is(t, n, "obj_info"))
            ok = cti_scan_fail(&p->scan, CT_ERR_FORMAT, "expected format, element, property, comment or end_header", NULL);
    }
    return ok ? cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the file ends, expected end_header", NULL) : 0;
}

/* ---- elements ---- */

static int cti_ply_integer(cti_ply *p, cti_ply_scalar type, int64_t *out, const char *what)
{
    return p->format == 'a' ? cti_scan_integer(&p->scan, out, what) : cti_scan_raw_integer(&p->scan, type, out, what);
}

static int cti_ply_vertex_number(cti_ply *p, cti_ply_scalar type, int32_t *out)
{
    int64_t x;
    if (!cti_ply_integer(p, type, &x, "a vertex number"))
        return 0;
    if (x < 0 || x >= p->n_vertices)
        return cti_scan_wrong(&p->scan, x, "a vertex number is not in 0 .. number of vertices - 1", NULL);
    *out = (int32_t)x;
    return 1;
}

/* Skips `count` values. */
static int cti_ply_skip(cti_ply *p, cti_ply_scalar type, int64_t count)
{
    const char *t;
    int n;
    if (p->format == 'b') {
        if (!cti_scan_left(&p->scan, count, cti_ply_scalar_size(type), "a value"))
            return 0;
        p->scan.at += count * cti_ply_scalar_size(type);
        return 1;
    }
    for (; count > 0; count--)
        if (!cti_scan_token(&p->scan, &t, &n))
            return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the line ends, expected a value for every property", NULL);
    return 1;
}

static int cti_ply_list(cti_ply *p, const cti_ply_property *q)
{
    int64_t count, i;
    int32_t v = 0;
    if (!cti_ply_integer(p, q->count_type, &count, "the length of a list"))
        return 0;
    if (count < 0)
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the length of a list is negative", NULL);
    if (q->role != CTI_PLY_CORNERS)
        return cti_ply_skip(p, q->type, count);
    if (count < 3)
        return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "a face has fewer than three vertices", NULL);
    if (!cti_scan_left(&p->scan, count, p->format == 'b' ? cti_ply_scalar_size(q->type) : 1, "the vertices of a face"))
        return 0;
    for (i = 0; i < count; i++) {
        if (!cti_ply_vertex_number(p, q->type, &v))
            return 0;
        if (!CTI_PUSH(p->scan.mem, p->polygon, v))
            return cti_scan_memory(&p->scan);
    }
    return 1;
}

/* Reads one element's values into x, the polygon or the edge, and adds it to the mesh. */
static int cti_ply_element_read(cti_ply *p, const cti_ply_element *e)
{
    ct_real x[3] = {0, 0, 0};
    int32_t ends[2] = {0, 0};
    int k, ok;
    CTI_CLEAR(p->polygon);
    for (k = e->first; k < e->first + e->n; k++) {
        const cti_ply_property *q = p->properties + k;
        if (q->count_type != CTI_PLY_SCALAR_NONE)
            ok = cti_ply_list(p, q);
        else if (q->role == CTI_PLY_SKIP)
            ok = cti_ply_skip(p, q->type, 1);
        else if (q->role >= CTI_PLY_END_1)
            ok = cti_ply_vertex_number(p, q->type, &ends[q->role - CTI_PLY_END_1]);
        else if (p->format == 'a')
            ok = cti_scan_real(&p->scan, &x[q->role], "a coordinate of a vertex");
        else
            ok = cti_scan_raw_real(&p->scan, q->type, &x[q->role], "a coordinate of a vertex");
        if (!ok)
            return 0;
    }
    for (k = 0; e->kind == 'v' && k < 3; k++)
        if (!CTI_PUSH(p->scan.mem, p->mesh->positions, x[k]))
            return cti_scan_memory(&p->scan);
    if (e->kind == 'f')
        return cti_mesh_fan(&p->scan, p->mesh, p->polygon, CTI_LEN(p->polygon));
    return e->kind != 'e' || cti_mesh_chain(&p->scan, p->mesh, ends, 2);
}

static int cti_ply_body(cti_ply *p)
{
    const char *t;
    int n, i, k;
    int64_t j;
    for (i = 0; i < CTI_LEN(p->elements); i++) {
        const cti_ply_element *e = p->elements + i;
        int64_t least = 0; /* smallest size of one of them in bytes */
        for (k = e->first; k < e->first + e->n; k++)
            least += cti_ply_scalar_size(p->properties[k].count_type != CTI_PLY_SCALAR_NONE ? p->properties[k].count_type : p->properties[k].type);
        if (p->format == 'b' && !cti_scan_left(&p->scan, e->count, least, "the elements that the header counts"))
            return 0;
        for (j = 0; e->n > 0 && j < e->count; j++) {
            if (p->format == 'a' && !cti_scan_content(&p->scan))
                return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the file ends, expected the elements that the header counts", NULL);
            if (!cti_ply_element_read(p, e))
                return 0;
            if (p->format == 'a' && cti_scan_token(&p->scan, &t, &n))
                return cti_scan_fail(&p->scan, CT_ERR_FORMAT, "more values than the element has properties", NULL);
        }
    }
    return 1;
}

CTI_FN ct_code cti_read_ply(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_ply p;
    memset(&p, 0, sizeof p);
    p.scan.at = bytes, p.scan.end = bytes + n, p.scan.line = 1, p.scan.mem = mem, p.scan.error = error;
    p.mesh = mesh, p.n_vertices = -1;
    if (cti_ply_header(&p)) {
        if (p.format == 'b') {
            cti_scan_line(&p.scan);
            p.scan.start = bytes;
        }
        cti_ply_body(&p);
    }
    if (p.scan.code == CT_OK && CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(&p.scan, CT_ERR_FORMAT, "the file ends without any vertex", NULL);
    cti_mesh_finish(&p.scan, mesh);
    CTI_FREE(mem, p.elements);
    CTI_FREE(mem, p.properties);
    CTI_FREE(mem, p.polygon);
    return p.scan.code;
}

#endif
