/* files_obj.c -- Wavefront OBJ: v, f, l, p; everything else is skipped. Method: one pass; a polygon becomes triangles (cti_mesh_fan), a
   polyline its segments. Points (p) need no list: a position that no triangle and no segment uses is a point. Vertex numbers may refer to
   vertices that come later in the file. So the range is checked at the end, and the line of the largest number is remembered. Based on:
   Wavefront, Advanced Visualizer appendix B1, object files. */
#include "files.h"

#if CONTACT_WITH_FILES

typedef struct cti_obj {
    cti_scan scan;
    ct_mesh *mesh;
    int32_t *polygon;
    int64_t largest, largest_line; /* largest positive vertex number so far, and its line */
    int n_elements;
} cti_obj;

static int cti_obj_vertex(cti_obj *o)
{
    if (!cti_scan_point(&o->scan, &o->mesh->positions, "three coordinates of v"))
        return 0;
    if (CTI_LEN(o->mesh->positions) > 3 * (INT32_MAX / 12))
        return cti_scan_fail(&o->scan, CT_ERR_UNSUPPORTED, "too many vertices", NULL);
    return 1;
}

/* A field v, v/vt, v//vn or v/vt/vn: gives the vertex, counted from 0. */
static int cti_obj_index(cti_obj *o, const char *t, int n, int32_t *out)
{
    int64_t x = 0, count = CTI_LEN(o->mesh->positions) / 3;
    int i = 0, digits = 0, negative = 0;
    if (t[0] == '-' || t[0] == '+')
        negative = t[i++] == '-';
    for (; i < n && t[i] >= '0' && t[i] <= '9' && digits < 12; i++, digits++)
        x = x * 10 + (t[i] - '0');
    /* after the vertex: nothing, or a slash and texture and normal numbers */
    if (i < n && t[i] != '/')
        digits = 0;
    for (; i < n; i++)
        if (t[i] != '/' && t[i] != '-' && t[i] != '+' && (t[i] < '0' || t[i] > '9'))
            digits = 0;
    if (digits == 0)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "a vertex number is not an integer", NULL);
    if (x == 0)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "vertex number 0: numbers start at 1", NULL);
    if (negative && x > count)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "a negative vertex number reaches before the first vertex", NULL);
    if (!negative && x > o->largest)
        o->largest = x, o->largest_line = o->scan.line;
    x = negative ? count - x : x - 1;
    if (x >= INT32_MAX / 12)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "a vertex number is out of range", NULL);
    *out = (int32_t)x;
    return 1;
}

/* f, l, p: reads their vertices into o->polygon and adds triangles or segments. */
static int cti_obj_element(cti_obj *o, char kind)
{
    cti_mem *mem = o->scan.mem;
    const char *t;
    int n, count, least = kind == 'f' ? 3 : (kind == 'l' ? 2 : 1);
    int32_t v = 0;
    CTI_CLEAR(o->polygon);
    while (cti_scan_token(&o->scan, &t, &n)) {
        if (!cti_obj_index(o, t, n, &v))
            return 0;
        if (!CTI_PUSH(mem, o->polygon, v))
            return cti_scan_memory(&o->scan);
    }
    count = CTI_LEN(o->polygon);
    if (count < least)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "the line ends, expected %s",
                             kind == 'f' ? "at least three vertices of f" : (kind == 'l' ? "at least two vertices of l" : "a vertex of p"));
    o->n_elements++;
    if (kind == 'p')
        return 1;
    return kind == 'f' ? cti_mesh_fan(&o->scan, o->mesh, o->polygon, count) : cti_mesh_chain(&o->scan, o->mesh, o->polygon, count);
}

/* The lines of the file. */
static int cti_obj_lines(cti_obj *o)
{
    const char *t;
    int n;
    do {
        if (!cti_scan_token(&o->scan, &t, &n))
            continue;
        if (n != 1)
            continue;
        if (t[0] == 'v' && !cti_obj_vertex(o))
            return 0;
        if ((t[0] == 'f' || t[0] == 'l' || t[0] == 'p') && !cti_obj_element(o, t[0]))
            return 0;
    } while (cti_scan_line(&o->scan));
    return 1;
}

CTI_FN ct_code cti_read_obj(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_obj o;
    memset(&o, 0, sizeof o);
    /* skips a byte order mark */
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        bytes += 3, n -= 3;
    o.scan.at = bytes, o.scan.end = bytes + n, o.scan.line = 1, o.scan.comments = 1, o.scan.mem = mem, o.scan.error = error;
    o.mesh = mesh;
    cti_obj_lines(&o);
    CTI_FREE(mem, o.polygon);
    if (o.scan.code == CT_OK && CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(&o.scan, CT_ERR_FORMAT, "the file ends without any vertex (v)", NULL);
    if (o.scan.code == CT_OK && o.largest > CTI_LEN(mesh->positions) / 3) {
        o.scan.line = o.largest_line;
        cti_scan_fail(&o.scan, CT_ERR_FORMAT, "a vertex number is larger than the number of vertices in the file", NULL);
        if (error)
            error->value = (double)o.largest;
    }
    if (o.scan.code == CT_OK && o.n_elements == 0)
        cti_scan_fail(&o.scan, CT_ERR_FORMAT, "the file ends without any face, line or point (f, l, p)", NULL);
    cti_mesh_finish(&o.scan, mesh);
    return o.scan.code;
}

#endif
