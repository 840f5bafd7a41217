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
    ct_mesh *mesh;
    int64_t first; /* 0 or 1 */
    int n_nodes;
} cti_tetgen;

/* A count in the first line; it may be missing, then `fallback` is used. */
static int cti_tetgen_optional(cti_tetgen *g, int64_t *out, int64_t fallback, const char *what)
{
    const char *t, *at = g->scan.at;
    int n;
    *out = fallback;
    if (!cti_scan_token(&g->scan, &t, &n))
        return 1;
    g->scan.at = at;
    return cti_scan_integer(&g->scan, out, what);
}

/* Checks an element's number: numbers in a list count up from the first. */
static int cti_tetgen_number(cti_tetgen *g, int64_t i, const char *what)
{
    int64_t number;
    cti_scan_line(&g->scan);
    if (!cti_scan_seek(&g->scan, what) || !cti_scan_integer(&g->scan, &number, what))
        return 0;
    return number == g->first + i || cti_scan_wrong(&g->scan, number, "numbers must count up by one: %s", what);
}

/* ---- .node: number, dimension, attributes, markers; then number, x, y, z ---- */

static int cti_tetgen_first(cti_tetgen *g)
{
    const char *at = g->scan.at;
    int64_t line = g->scan.line;
    cti_scan_line(&g->scan);
    if (!cti_scan_seek(&g->scan, "a node (.node)") || !cti_scan_integer(&g->scan, &g->first, "the number of a node (.node)"))
        return 0;
    if (g->first != 0 && g->first != 1)
        return cti_scan_fail(&g->scan, CT_ERR_FORMAT, "the first node has neither number 0 nor 1 (.node)", NULL);
    g->scan.at = at, g->scan.line = line;
    return 1;
}

static int cti_tetgen_nodes(cti_tetgen *g)
{
    int64_t count, dimension, i;
    if (!cti_scan_seek(&g->scan, "the number of nodes (.node)") || !cti_scan_integer(&g->scan, &count, "the number of nodes (.node)") ||
        !cti_tetgen_optional(g, &dimension, 3, "the dimension (.node)"))
        return 0;
    if (dimension != 3)
        return cti_scan_fail(&g->scan, CT_ERR_UNSUPPORTED, "the dimension is not 3 (.node)", NULL);
    if (count < 1)
        return cti_scan_fail(&g->scan, CT_ERR_FORMAT, "expected at least one node (.node)", NULL);
    if (count > INT32_MAX / 12)
        return cti_scan_fail(&g->scan, CT_ERR_UNSUPPORTED, "too many nodes (.node)", NULL);
    if (!cti_tetgen_first(g))
        return 0;
    for (i = 0; i < count; i++) {
        if (!cti_tetgen_number(g, i, "a node (.node)") ||
            !cti_scan_point(&g->scan, &g->mesh->positions, "three coordinates of a node (.node)"))
            return 0;
    }
    g->n_nodes = (int)count;
    return 1;
}

/* ---- .ele: number, nodes a tet, attributes; .face: number, markers; then number and nodes ---- */

static int cti_tetgen_elements(cti_tetgen *g, int corners, int32_t **list)
{
    const char *what = corners == 4 ? "a tet (.ele)" : "a triangle (.face)",
               *node = corners == 4 ? "four nodes of a tet (.ele)" : "three nodes of a triangle (.face)";
    int64_t count, per = 4, i, v;
    int k;
    if (!cti_scan_seek(&g->scan, "the number of elements (.ele, .face)") ||
        !cti_scan_integer(&g->scan, &count, "the number of elements (.ele, .face)"))
        return 0;
    if (corners == 4 && !cti_tetgen_optional(g, &per, 4, "the nodes of a tet, 4 or 10 (.ele)"))
        return 0;
    if (per != 4 && per != 10)
        return cti_scan_fail(&g->scan, CT_ERR_UNSUPPORTED, "a tet has neither 4 nor 10 nodes (.ele)", NULL);
    if (count < 0)
        return cti_scan_fail(&g->scan, CT_ERR_FORMAT, "a negative number: %s", what);
    if (count > INT32_MAX / 12)
        return cti_scan_fail(&g->scan, CT_ERR_UNSUPPORTED, "too many elements: %s", what);
    for (i = 0; i < count; i++) {
        if (!cti_tetgen_number(g, i, what))
            return 0;
        for (k = 0; k < corners; k++) {
            if (!cti_scan_integer(&g->scan, &v, node))
                return 0;
            if (v < g->first || v >= g->first + g->n_nodes)
                return cti_scan_wrong(&g->scan, v, "no node has this number: %s", node);
            if (!CTI_PUSH(g->scan.mem, *list, (int32_t)(v - g->first)))
                return cti_scan_memory(&g->scan);
        }
    }
    return 1;
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
    int i, ok = 1;
    memset(&g, 0, sizeof g);
    g.scan.mem = mem, g.scan.error = error, g.scan.comments = 1;
    g.mesh = mesh;
    for (i = 0; ok && i < 3; i++) {
        if (!bytes[i])
            continue;
        g.scan.at = bytes[i], g.scan.end = bytes[i] + n[i], g.scan.line = 1;
        ok = i == 0 ? cti_tetgen_nodes(&g) : cti_tetgen_elements(&g, i == 1 ? 4 : 3, i == 1 ? &mesh->tets : &mesh->triangles);
    }
    if (ok && CTI_LEN(mesh->tets) == 0 && CTI_LEN(mesh->triangles) == 0)
        cti_scan_fail(&g.scan, CT_ERR_FORMAT, "neither a tet (.ele) nor a triangle (.face)", NULL);
    if (cti_mesh_finish(&g.scan, mesh))
        cti_tetgen_orient(mesh);
    return g.scan.code;
}

CTI_FN ct_code cti_load_tetgen(cti_mem *mem, const char *path, ct_mesh *mesh, ct_error_info *error)
{
    static const char *const ends[3] = {".node", ".ele", ".face"};
    char *bytes[3] = {NULL, NULL, NULL}, *name = NULL;
    size_t n[3] = {0, 0, 0}, base = strlen(path);
    ct_code code = CT_OK;
    int i;
    while (base > 0 && path[base - 1] != '.')
        base--;
    base--;
    if (!CTI_RESIZE(mem, name, base + 6))
        code = cti_file_error(error, CT_ERR_MEMORY, 0, 0, "out of memory for a mesh", NULL);
    for (i = 0; i < 3 && code == CT_OK; i++) {
        int given = cti_file_has_extension(path, ends[i]);
        memcpy(name, path, base);
        memcpy(name + base, ends[i], strlen(ends[i]) + 1);
        code = cti_file_load(mem, given ? path : name, &bytes[i], given ? error : NULL);
        if (code == CT_OK)
            n[i] = stbds_header(bytes[i])->length;
        else if (code == CT_ERR_FILE && !given && i > 0)
            code = CT_OK;
        else if (!given)
            cti_file_error(error, code, 0, 0, code == CT_ERR_FILE ? "cannot open the .node file beside it" : "out of memory for the file",
                           NULL);
    }
    if (code == CT_OK && !bytes[1] && !bytes[2])
        code = cti_file_error(error, CT_ERR_FILE, 0, 0, "cannot open the .ele file beside it", NULL);
    if (code == CT_OK) {
        const char *texts[3];
        for (i = 0; i < 3; i++)
            texts[i] = bytes[i];
        code = cti_read_tetgen(mem, texts, n, mesh, error);
    }
    for (i = 0; i < 3; i++)
        CTI_FREE(mem, bytes[i]);
    CTI_FREE(mem, name);
    return code;
}

#endif
