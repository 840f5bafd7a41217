/* files_obj.c -- Wavefront OBJ: v, f, l, p; everything else is skipped. Method: one pass; a polygon becomes triangles (cti_mesh_fan), a
   polyline its segments. Points (p) need no list: a position that no triangle and no segment uses is a point. Vertex numbers may refer to
   vertices that come later in the file. So the range is checked at the end, and the line of the largest number is remembered. Based on:
   Wavefront, Advanced Visualizer appendix B1, object files. */
#include "files.h"

#if CONTACT_WITH_FILES

typedef struct cti_obj {
    cti_scan scan;
    int64_t largest, largest_line; /* largest positive vertex number so far, and its line */
    int n_elements;
} cti_obj;

/* The last field, v, v/vt, v//vn or v/vt/vn: its vertex, counted from 0. */
static int32_t cti_obj_index(cti_obj *o)
{
    cti_scan *s = &o->scan;
    const char *t = s->token;
    int64_t x = 0, count = CTI_LEN(s->mesh->positions) / 3;
    int i = 0, digits = 0, negative = 0;
    if (t[0] == '-' || t[0] == '+')
        negative = t[i++] == '-';
    for (; i < s->length && t[i] >= '0' && t[i] <= '9' && digits < 12; i++, digits++)
        x = x * 10 + (t[i] - '0');
    /* after the vertex: nothing, or a slash and texture and normal numbers */
    if (i < s->length && t[i] != '/')
        digits = 0;
    for (; i < s->length; i++)
        if (t[i] != '/' && t[i] != '-' && t[i] != '+' && (t[i] < '0' || t[i] > '9'))
            digits = 0;
    if (digits == 0)
        return cti_scan_fail(s, CT_ERR_FORMAT, "a vertex number is not an integer", NULL);
    if (x == 0)
        return cti_scan_fail(s, CT_ERR_FORMAT, "vertex number 0: numbers start at 1", NULL);
    if (negative && x > count)
        return cti_scan_fail(s, CT_ERR_FORMAT, "a negative vertex number reaches before the first vertex", NULL);
    if (!negative && x > o->largest)
        o->largest = x, o->largest_line = s->line;
    x = negative ? count - x : x - 1;
    return x < INT32_MAX / 12 ? (int32_t)x : cti_scan_fail(s, CT_ERR_FORMAT, "a vertex number is out of range", NULL);
}

/* f, l, p: reads their vertices and adds triangles or segments. */
static void cti_obj_element(cti_obj *o, char kind)
{
    cti_scan *s = &o->scan;
    int count;
    CTI_CLEAR(s->corners);
    while (cti_scan_token(s)) {
        int32_t v = cti_obj_index(o);
        CTI_SCAN_KEEP(s, s->corners, v);
    }
    count = CTI_LEN(s->corners);
    if (count < (kind == 'f' ? 3 : (kind == 'l' ? 2 : 1)))
        cti_scan_fail(s, CT_ERR_FORMAT, "the line ends, expected %s",
                      kind == 'f' ? "at least three vertices of f" : (kind == 'l' ? "at least two vertices of l" : "a vertex of p"));
    o->n_elements++;
    if (kind == 'f')
        cti_mesh_fan(s, s->corners, count);
    else if (kind == 'l')
        cti_mesh_chain(s, s->corners, count);
}

CTI_FN ct_code cti_read_obj(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_obj o;
    cti_scan *s = &o.scan;
    memset(&o, 0, sizeof o);
    cti_scan_open(s, mem, bytes, n, mesh, error);
    s->comments = 1;
    do {
        char kind = cti_scan_token(s) && s->length == 1 ? s->token[0] : 0;
        if (kind == 'v')
            cti_scan_point(s, "three coordinates of v");
        if (CTI_LEN(mesh->positions) > 3 * (INT32_MAX / 12))
            cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many vertices", NULL);
        if (kind == 'f' || kind == 'l' || kind == 'p')
            cti_obj_element(&o, kind);
    } while (cti_scan_line(s));
    if (CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends without any vertex (v)", NULL);
    if (cti_scan_ok(s) && o.largest > CTI_LEN(mesh->positions) / 3) {
        s->line = o.largest_line;
        cti_scan_wrong(s, o.largest, "a vertex number is larger than the number of vertices in the file", NULL);
    }
    if (o.n_elements == 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends without any face, line or point (f, l, p)", NULL);
    cti_mesh_finish(s);
    return cti_scan_close(s);
}

#endif
