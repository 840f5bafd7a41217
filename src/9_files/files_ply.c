/* files_ply.c -- PLY, ASCII and binary of both byte orders: vertices (x, y, z), faces (vertex_indices or vertex_index: polygons), edges
   (vertex1, vertex2). Method: the header becomes a list of elements with typed properties. Then every element is read value by value;
   unused values are skipped by their type. In ASCII an element is a line. A file without faces and edges is a set of points. Based on:
   Turk, The PLY polygon file format, 1994. */
#include "files.h"

#if CONTACT_WITH_FILES

/* Use of a property. */
enum { CTI_PLY_SKIP = -1, CTI_PLY_CORNERS = 3, CTI_PLY_END_1, CTI_PLY_END_2 };

typedef struct cti_ply_property {
    cti_scan_scalar count_type, type; /* count_type: type of a list's count; CTI_SCALAR_NONE: not a list */
    int role;                         /* 0, 1, 2: x, y, z of a vertex; CTI_PLY_* */
} cti_ply_property;

typedef struct cti_ply_element {
    char kind; /* 'v' vertex, 'f' face, 'e' edge, '-' other */
    int64_t count, line;
    int first, n; /* range of its properties */
} cti_ply_element;

typedef struct cti_ply {
    cti_scan scan;
    char format; /* 'a' ASCII, 'b' binary, 0: unknown so far */
    cti_ply_element *elements;
    cti_ply_property *properties;
    int64_t n_vertices;
} cti_ply;

/* ---- header ---- */

static void cti_ply_format(cti_ply *p)
{
    cti_scan *s = &p->scan;
    if (p->format)
        cti_scan_fail(s, CT_ERR_FORMAT, "a second format", NULL);
    cti_scan_need(s, "a format");
    p->format = cti_scan_is(s, "ascii") ? 'a' : 'b', s->big = cti_scan_is(s, "binary_big_endian");
    if (p->format == 'b' && !s->big && !cti_scan_is(s, "binary_little_endian"))
        cti_scan_fail(s, CT_ERR_FORMAT, "expected ascii, binary_little_endian or binary_big_endian", NULL);
    if (!cti_scan_token(s) || !cti_scan_is(s, "1.0"))
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "expected version 1.0", NULL);
}

/* "element NAME COUNT" */
static void cti_ply_element_line(cti_ply *p)
{
    cti_scan *s = &p->scan;
    cti_ply_element e;
    int strips;
    memset(&e, 0, sizeof e);
    cti_scan_need(s, "the name of an element");
    e.kind = cti_scan_is(s, "vertex") ? 'v' : (cti_scan_is(s, "face") ? 'f' : (cti_scan_is(s, "edge") ? 'e' : '-'));
    strips = cti_scan_is(s, "tristrips");
    e.count = e.kind == 'v' ? cti_scan_count(s, "the number of vertices") : cti_scan_integer(s, "the number of elements");
    if (e.count < 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "a negative number of elements", NULL);
    if (e.count > 0 && strips)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "element tristrips is not read: save the triangles as faces", NULL);
    if (e.kind == 'v') {
        if (p->n_vertices >= 0)
            cti_scan_fail(s, CT_ERR_FORMAT, "a second element vertex", NULL);
        p->n_vertices = e.count;
    }
    e.line = s->line, e.first = CTI_LEN(p->properties);
    CTI_SCAN_KEEP(s, p->elements, e);
}

/* The role of a property, whose name was read last, in an element of this kind. */
static int cti_ply_role(const cti_scan *s, char kind, int list)
{
    const char *t = s->token;
    if (kind == 'v' && !list && s->length == 1 && t[0] >= 'x' && t[0] <= 'z')
        return t[0] - 'x';
    if (kind == 'f' && list && (cti_scan_is(s, "vertex_indices") || cti_scan_is(s, "vertex_index")))
        return CTI_PLY_CORNERS;
    if (kind == 'e' && !list && (cti_scan_is(s, "vertex1") || cti_scan_is(s, "vertex2")))
        return t[6] == '1' ? CTI_PLY_END_1 : CTI_PLY_END_2;
    return CTI_PLY_SKIP;
}

/* "property TYPE NAME" or "property list TYPE TYPE NAME" */
static void cti_ply_property_line(cti_ply *p)
{
    cti_scan *s = &p->scan;
    cti_ply_property q;
    cti_ply_element *e;
    int there, list, i;
    memset(&q, 0, sizeof q);
    if (!p->elements) {
        cti_scan_fail(s, CT_ERR_FORMAT, "a property before any element", NULL);
        return;
    }
    e = p->elements + CTI_LEN(p->elements) - 1;
    there = cti_scan_token(s), list = there && cti_scan_is(s, "list");
    if (list) {
        q.count_type = cti_scan_token(s) ? cti_scan_type(s) : CTI_SCALAR_NONE;
        if (q.count_type == CTI_SCALAR_NONE || q.count_type >= CTI_SCALAR_F32)
            cti_scan_fail(s, CT_ERR_FORMAT, "expected an integer type for the length of a list", NULL);
        there = cti_scan_token(s);
    }
    q.type = there ? cti_scan_type(s) : CTI_SCALAR_NONE;
    if (q.type == CTI_SCALAR_NONE)
        cti_scan_fail(s, CT_ERR_FORMAT, "expected a type: char, uchar, short, ushort, int, uint, float, double", NULL);
    if (!cti_scan_need(s, "the name of a property"))
        return;
    q.role = cti_ply_role(s, e->kind, list);
    if (q.role >= CTI_PLY_CORNERS && q.type >= CTI_SCALAR_F32)
        cti_scan_fail(s, CT_ERR_FORMAT, "expected an integer type for vertex numbers", NULL);
    for (i = e->first; q.role != CTI_PLY_SKIP && i < e->first + e->n; i++)
        if (p->properties[i].role == q.role)
            cti_scan_fail(s, CT_ERR_FORMAT, "an element has the same property twice", NULL);
    e->n++;
    CTI_SCAN_KEEP(s, p->properties, q);
}

/* Checks that vertices have x, y, z, faces their corners and edges their ends. */
static void cti_ply_complete(cti_ply *p)
{
    int i, k;
    if (!p->format)
        cti_scan_fail(&p->scan, CT_ERR_FORMAT, "the header ends without a format", NULL);
    for (i = 0; i < CTI_LEN(p->elements) && cti_scan_ok(&p->scan); i++) {
        const cti_ply_element *e = p->elements + i;
        int seen = 0, want = e->kind == 'v' ? 7 : (e->kind == 'f' ? 8 : (e->kind == 'e' ? 48 : 0));
        for (k = e->first; k < e->first + e->n; k++)
            if (p->properties[k].role != CTI_PLY_SKIP)
                seen |= 1 << p->properties[k].role;
        if ((seen & want) == want)
            continue;
        p->scan.line = e->line;
        cti_scan_fail(&p->scan, CT_ERR_FORMAT, "expected %s",
                      e->kind == 'v'   ? "properties x, y, z of a vertex"
                      : e->kind == 'f' ? "a list vertex_indices of a face"
                                       : "properties vertex1, vertex2 of an edge");
    }
}

static void cti_ply_header(cti_ply *p)
{
    cti_scan *s = &p->scan;
    if (!cti_scan_token(s) || !cti_scan_is(s, "ply"))
        cti_scan_fail(s, CT_ERR_FORMAT, "expected ply in the first line", NULL);
    while (cti_scan_content(s)) {
        cti_scan_token(s);
        if (cti_scan_is(s, "end_header")) {
            cti_ply_complete(p);
            return;
        }
        if (cti_scan_is(s, "format"))
            cti_ply_format(p);
        else if (cti_scan_is(s, "element"))
            cti_ply_element_line(p);
        else if (cti_scan_is(s, "property"))
            cti_ply_property_line(p);
        else if (!cti_scan_is(s, "comment") && !cti_scan_is(s, "obj_info"))
            cti_scan_fail(s, CT_ERR_FORMAT, "expected format, element, property, comment or end_header", NULL);
    }
    cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected end_header", NULL);
}

/* ---- elements ---- */

static int32_t cti_ply_vertex_number(cti_ply *p, cti_scan_scalar type)
{
    int64_t x = cti_scan_value_integer(&p->scan, type, "a vertex number");
    if (x < 0 || x >= p->n_vertices)
        return cti_scan_wrong(&p->scan, x, "a vertex number is not in 0 .. number of vertices - 1", NULL);
    return (int32_t)x;
}

static void cti_ply_list(cti_ply *p, const cti_ply_property *q)
{
    cti_scan *s = &p->scan;
    int64_t count = cti_scan_value_integer(s, q->count_type, "the length of a list"), i;
    if (count < 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "the length of a list is negative", NULL);
    if (q->role != CTI_PLY_CORNERS) {
        cti_scan_skip(s, q->type, count, "a value for every property");
        return;
    }
    if (count < 3)
        cti_scan_fail(s, CT_ERR_FORMAT, "a face has fewer than three vertices", NULL);
    cti_scan_left(s, count, cti_scan_width(s, q->type), "the vertices of a face");
    for (i = 0; i < count && cti_scan_ok(s); i++) {
        int32_t v = cti_ply_vertex_number(p, q->type);
        CTI_SCAN_KEEP(s, s->corners, v);
    }
}

/* Reads one element's values into x, the polygon or the edge, and adds it to the mesh. */
static void cti_ply_element_read(cti_ply *p, const cti_ply_element *e)
{
    cti_scan *s = &p->scan;
    ct_real x[3] = {0, 0, 0};
    int32_t ends[2] = {0, 0};
    int k;
    CTI_CLEAR(s->corners);
    for (k = e->first; k < e->first + e->n; k++) {
        const cti_ply_property *q = p->properties + k;
        if (q->count_type != CTI_SCALAR_NONE)
            cti_ply_list(p, q);
        else if (q->role == CTI_PLY_SKIP)
            cti_scan_skip(s, q->type, 1, "a value for every property");
        else if (q->role >= CTI_PLY_END_1)
            ends[q->role - CTI_PLY_END_1] = cti_ply_vertex_number(p, q->type);
        else
            x[q->role] = cti_scan_value_real(s, q->type, "a coordinate of a vertex");
    }
    for (k = 0; e->kind == 'v' && k < 3 && cti_scan_ok(s); k++)
        CTI_SCAN_PUSH(s, s->mesh->positions, x[k]);
    if (e->kind == 'f')
        cti_mesh_fan(s, s->corners, CTI_LEN(s->corners));
    else if (e->kind == 'e')
        cti_mesh_chain(s, ends, 2);
}

static void cti_ply_body(cti_ply *p)
{
    cti_scan *s = &p->scan;
    int i, k;
    int64_t j;
    for (i = 0; i < CTI_LEN(p->elements); i++) {
        const cti_ply_element *e = p->elements + i;
        int64_t least = 0; /* smallest size of one of them in bytes */
        for (k = e->first; s->start && k < e->first + e->n; k++)
            least += cti_scan_width(s, p->properties[k].count_type != CTI_SCALAR_NONE ? p->properties[k].count_type : p->properties[k].type);
        cti_scan_left(s, e->count, least, "the elements that the header counts");
        for (j = 0; e->n > 0 && j < e->count && cti_scan_ok(s); j++) {
            if (!s->start && !cti_scan_content(s))
                cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected the elements that the header counts", NULL);
            cti_ply_element_read(p, e);
            if (!s->start && cti_scan_token(s))
                cti_scan_fail(s, CT_ERR_FORMAT, "more values than the element has properties", NULL);
        }
    }
}

CTI_FN ct_code cti_read_ply(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_ply p;
    memset(&p, 0, sizeof p);
    p.n_vertices = -1;
    cti_scan_open(&p.scan, mem, bytes, n, mesh, error);
    cti_ply_header(&p);
    if (p.format == 'b' && cti_scan_ok(&p.scan)) {
        cti_scan_line(&p.scan);
        p.scan.start = bytes;
    }
    cti_ply_body(&p);
    if (CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(&p.scan, CT_ERR_FORMAT, "the file ends without any vertex", NULL);
    cti_mesh_finish(&p.scan);
    return cti_scan_close(&p.scan);
}

#endif
