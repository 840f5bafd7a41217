/* files_tetgen.c -- TetGen: nodes in .node, tets in .ele, triangles in .face. Method: the caller names one of the three; the others are
   looked for beside it. .node is required, and one of the others. All three count nodes from the first number in .node, 0 or 1. Attributes
   and boundary markers are skipped; of second-order tets (10 nodes) only the corners are used. If every tet is negative, the file has the
   other convention, and all tets are reversed; a mixture is kept as it is. Triangles beside tets are turned outwards in the same way
   (TetGen writes them inwards); without tets they are kept. Based on: Si, TetGen user's manual, file formats. */
#include "files.h"
#include "../1_math/vec.h"

#if CONTACT_WITH_FILES

typedef struct cti_tetgen {
    cti_scan scan;
    int64_t first; /* 0 or 1 */
    int n_nodes;
} cti_tetgen;

/* A count in the first line; it may be missing, then `fallback` is used. */
static int64_t cti_tetgen_optional(cti_scan *s, int64_t fallback, const char *what)
{
    if (!cti_scan_token(s))
        return fallback;
    s->at = s->token;
    return cti_scan_integer(s, what);
}

/* The count that a file begins with. */
static int64_t cti_tetgen_count(cti_scan *s, const char *what)
{
    cti_scan_seek(s, what);
    return cti_scan_count(s, what);
}

/* Checks an element's number: numbers in a list count up from the first. */
static void cti_tetgen_number(cti_tetgen *g, int64_t i, const char *what)
{
    int64_t number;
    cti_scan_line(&g->scan), cti_scan_seek(&g->scan, what);
    number = cti_scan_integer(&g->scan, what);
    if (number != g->first + i)
        cti_scan_wrong(&g->scan, number, "numbers must count up by one: %s", what);
}

/* ---- .node: number, dimension, attributes, markers; then number, x, y, z ---- */

static void cti_tetgen_nodes(cti_tetgen *g)
{
    cti_scan *s = &g->scan;
    int64_t count = cti_tetgen_count(s, "the number of nodes (.node)"), i, line;
    const char *at;
    if (cti_tetgen_optional(s, 3, "the dimension (.node)") != 3)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "the dimension is not 3 (.node)", NULL);
    if (count < 1)
        cti_scan_fail(s, CT_ERR_FORMAT, "expected at least one node (.node)", NULL);
    at = s->at, line = s->line;
    cti_scan_line(s), cti_scan_seek(s, "a node (.node)");
    g->first = cti_scan_integer(s, "the number of a node (.node)");
    if (g->first != 0 && g->first != 1)
        cti_scan_fail(s, CT_ERR_FORMAT, "the first node has neither number 0 nor 1 (.node)", NULL);
    if (cti_scan_ok(s))
        s->at = at, s->line = line;
    for (i = 0; i < count && cti_scan_ok(s); i++)
        cti_tetgen_number(g, i, "a node (.node)"), cti_scan_point(s, "three coordinates of a node (.node)");
    g->n_nodes = (int)count;
}

/* ---- .ele: number, nodes a tet, attributes; .face: number, markers; then number and nodes ---- */

static void cti_tetgen_elements(cti_tetgen *g, int corners)
{
    const char *what = corners == 4 ? "a tet (.ele)" : "a triangle (.face)",
               *node = corners == 4 ? "four nodes of a tet (.ele)" : "three nodes of a triangle (.face)";
    cti_scan *s = &g->scan;
    int64_t count = cti_tetgen_count(s, "the number of elements (.ele, .face)"), i;
    int64_t per = corners == 4 ? cti_tetgen_optional(s, 4, "the nodes of a tet, 4 or 10 (.ele)") : 4;
    int k;
    if (per != 4 && per != 10)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "a tet has neither 4 nor 10 nodes (.ele)", NULL);
    for (i = 0; i < count && cti_scan_ok(s); i++) {
        cti_tetgen_number(g, i, what);
        for (k = 0; k < corners && cti_scan_ok(s); k++) {
            int64_t v = cti_scan_integer(s, node);
            if (v < g->first || v >= g->first + g->n_nodes)
                cti_scan_wrong(s, v, "no node has this number: %s", node);
            else
                CTI_SCAN_PUSH(s, *(corners == 4 ? &s->mesh->tets : &s->mesh->triangles), (int32_t)(v - g->first));
        }
    }
}

/* Six times the volume of the tet (o, a, b, c). */
static ct_real cti_tetgen_volume(const ct_mesh *mesh, int32_t o, const int32_t *abc)
{
    cti_v3 e[3];
    int k;
    for (k = 0; k < 3; k++)
        e[k] = cti_v3_sub(cti_v3_at(mesh->positions, abc[k]), cti_v3_at(mesh->positions, o));
    return cti_v3_dot(cti_v3_cross(e[0], e[1]), e[2]);
}

/* Reverses elements of k corners by exchanging two corners of each. */
static void cti_tetgen_turn(int32_t *list, int n, int k)
{
    int i;
    for (i = 0; i < n; i++) {
        int32_t first = list[k * i];
        list[k * i] = list[k * i + 1], list[k * i + 1] = first;
    }
}

/* If no tet is positive, all tets are reversed. If the triangles around the tets enclose a negative volume, they face inwards and are
   reversed. */
static void cti_tetgen_orient(ct_mesh *mesh)
{
    int i, n = CTI_LEN(mesh->tets) / 4, nt = CTI_LEN(mesh->triangles) / 3, positive = 0, negative = 0;
    ct_real sum = 0;
    for (i = 0; i < n; i++) {
        ct_real volume = cti_tetgen_volume(mesh, mesh->tets[4 * i], mesh->tets + 4 * i + 1);
        positive += volume > 0, negative += volume < 0;
    }
    if (negative && !positive)
        cti_tetgen_turn(mesh->tets, n, 4);
    for (i = 0; n > 0 && i < nt; i++)
        sum += cti_tetgen_volume(mesh, mesh->triangles[0], mesh->triangles + 3 * i);
    if (sum < 0)
        cti_tetgen_turn(mesh->triangles, nt, 3);
}

CTI_FN ct_code cti_read_tetgen(cti_mem *mem, const char *const bytes[3], const size_t n[3], ct_mesh *mesh, ct_error_info *error)
{
    cti_tetgen g;
    cti_scan *s = &g.scan;
    int i;
    memset(&g, 0, sizeof g);
    cti_scan_open(s, mem, "", 0, mesh, error);
    s->comments = 1;
    for (i = 0; i < 3 && cti_scan_ok(s); i++) {
        if (!bytes[i])
            continue;
        s->at = bytes[i], s->end = bytes[i] + n[i], s->line = 1;
        if (i == 0)
            cti_tetgen_nodes(&g);
        else
            cti_tetgen_elements(&g, i == 1 ? 4 : 3);
    }
    if (CTI_LEN(mesh->tets) == 0 && CTI_LEN(mesh->triangles) == 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "neither a tet (.ele) nor a triangle (.face)", NULL);
    if (cti_mesh_finish(s))
        cti_tetgen_orient(mesh);
    return cti_scan_close(s);
}

CTI_FN ct_code cti_load_tetgen(cti_mem *mem, const char *path, ct_mesh *mesh, ct_error_info *error)
{
    static const char *const ends[3] = {".node", ".ele", ".face"};
    const char *texts[3] = {NULL, NULL, NULL};
    char *bytes[3] = {NULL, NULL, NULL}, *name = NULL;
    size_t n[3] = {0, 0, 0}, base = strlen(path);
    cti_mem own;
    ct_code code = CT_OK;
    int i;
    cti_mem_open(&own, mem);
    while (base > 0 && path[base - 1] != '.')
        base--;
    base--;
    if (!CTI_RESIZE(&own, name, base + 6))
        code = cti_error_set(error, CT_ERR_MEMORY, -1, 0, "out of memory for a mesh");
    for (i = 0; i < 3 && code == CT_OK; i++) {
        int given = cti_file_has_extension(path, ends[i]);
        memcpy(name, path, base);
        memcpy(name + base, ends[i], strlen(ends[i]) + 1);
        code = cti_file_load(&own, given ? path : name, &bytes[i], given ? error : NULL);
        if (code == CT_OK)
            texts[i] = bytes[i], n[i] = stbds_header(bytes[i])->length;
        else if (code == CT_ERR_FILE && !given && i > 0)
            code = CT_OK;
        else if (!given)
            cti_error_set(error, code, -1, 0, code == CT_ERR_FILE ? "cannot open the .node file beside it" : "out of memory for the file");
    }
    if (code == CT_OK && !texts[1] && !texts[2])
        code = cti_error_set(error, CT_ERR_FILE, -1, 0, "cannot open the .ele file beside it");
    CTI_THEN(code, cti_read_tetgen(mem, texts, n, mesh, error));
    cti_mem_release(&own);
    return code;
}

#endif
