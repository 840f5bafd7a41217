/* files_msh.c -- Gmsh MSH 2.2 and 4.1, ASCII: nodes, and elements of types 1 (line), 2 (triangle), 3 (quadrangle), 4 (tet). Those of
   second order (8: line, 9: triangle, 11: tet) give their corners, and their middles are no vertices. Point elements (15) are points. Lines
   of a higher order are skipped; every other type is refused. Method: section by section, line by line. Node tags are arbitrary and are
   looked up by bisection in sorted order. Orientation is kept as it is. An element whose vertices repeat those of one before it in the same
   order is dropped: version 2.2 writes an element once for every physical group that has it. Based on: the Gmsh reference manual, file
   formats. */
#include "files.h"
#include "../0_base/sort.h"
#include "../5_mesh/mesh.h"

#if CONTACT_WITH_FILES

typedef struct cti_msh {
    cti_scan scan;
    ct_mesh *mesh;
    int major;      /* 2 or 4 */
    uint64_t *tags; /* [n] of the nodes: in file order, later sorted */
    int32_t *order; /* [n] node of each sorted tag; NULL: tags ascend in file order */
    uint8_t *middle; /* [n] 1: only elements of second order name the node, as a middle; NULL: there are none */
    int have_nodes, have_elements, n_known;
} cti_msh;

enum { CTI_MSH_LINE = 2, CTI_MSH_FACE = 3, CTI_MSH_TET = 4, CTI_MSH_MOST = 10 };

/* Element types that are read: number of nodes, of those that are corners, and kind; kind 0: skipped. */
typedef struct cti_msh_type {
    int type, nodes, corners, kind;
} cti_msh_type;
static const cti_msh_type cti_msh_types[] = {{1, 2, 2, CTI_MSH_LINE},  {2, 3, 3, CTI_MSH_FACE}, {3, 4, 4, CTI_MSH_FACE}, {4, 4, 4, CTI_MSH_TET},
                                             {8, 3, 2, CTI_MSH_LINE},  {9, 6, 3, CTI_MSH_FACE}, {11, 10, 4, CTI_MSH_TET}, {15, 0, 0, 0},
                                             {26, 0, 0, 0},            {27, 0, 0, 0},           {28, 0, 0, 0}};

/* The next line inside a section; its end before its contents are complete is an error. */
static int cti_msh_content(cti_msh *m, const char *what)
{
    if (!cti_scan_content(&m->scan))
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the file ends, expected %s", what);
    if (*m->scan.at == '$')
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the section ends early, expected %s", what);
    return 1;
}

static int cti_msh_integer(cti_msh *m, int64_t least, int64_t *out, const char *what)
{
    if (!cti_scan_integer(&m->scan, out, what))
        return 0;
    if (*out < least)
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "number out of range: %s", what);
    return 1;
}

/* The end of a section: "$End<name>". */
static int cti_msh_end(cti_msh *m, const char *word)
{
    const char *t;
    int n;
    if (!cti_scan_content(&m->scan))
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the file ends, expected %s", word);
    if (!cti_scan_token(&m->scan, &t, &n) || !cti_scan_is(t, n, word))
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "expected %s", word);
    return 1;
}

static int cti_msh_format(cti_msh *m)
{
    const char *t;
    int64_t binary;
    int n;
    if (!cti_msh_content(m, "a format version") || !cti_scan_token(&m->scan, &t, &n))
        return 0;
    if (cti_scan_is(t, n, "2") || cti_scan_is(t, n, "2.0") || cti_scan_is(t, n, "2.1") || cti_scan_is(t, n, "2.2"))
        m->major = 2;
    else if (cti_scan_is(t, n, "4.1"))
        m->major = 4;
    else
        return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "MSH version is neither 2.x nor 4.1", NULL);
    if (!cti_msh_integer(m, 0, &binary, "file type 0 (ASCII)"))
        return 0;
    if (binary != 0)
        return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "binary MSH is not read; save it as ASCII", NULL);
    return cti_msh_end(m, "$EndMeshFormat");
}

/* ---- nodes ---- */

static int cti_msh_tag(cti_msh *m)
{
    int64_t tag;
    if (!cti_msh_integer(m, 0, &tag, "a node tag"))
        return 0;
    if (CTI_LEN(m->tags) >= INT32_MAX / 12)
        return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "too many nodes", NULL);
    return CTI_PUSH(m->scan.mem, m->tags, (uint64_t)tag) ? 1 : cti_scan_memory(&m->scan);
}

/* One block of nodes, version 4.1: tags, then coordinates. */
static int cti_msh_node_block(cti_msh *m)
{
    int64_t skipped, count, i;
    if (!cti_msh_content(m, "a block of nodes") || !cti_msh_integer(m, 0, &skipped, "an entity's dimension") ||
        !cti_scan_integer(&m->scan, &skipped, "an entity's tag") || !cti_msh_integer(m, 0, &skipped, "parametric 0 or 1") ||
        !cti_msh_integer(m, 0, &count, "the number of nodes in a block"))
        return 0;
    for (i = 0; i < count; i++)
        if (!cti_msh_content(m, "a node tag") || !cti_msh_tag(m))
            return 0;
    for (i = 0; i < count; i++)
        if (!cti_msh_content(m, "coordinates of a node") || !cti_scan_point(&m->scan, &m->mesh->positions, "three coordinates of a node"))
            return 0;
    return 1;
}

/* Sorts the tags; a tag that occurs twice is an error. */
static int cti_msh_sort_tags(cti_msh *m)
{
    cti_mem *mem = m->scan.mem;
    int n = CTI_LEN(m->tags), i, rising = 1, ok = 1;
    for (i = 1; i < n; i++)
        rising &= m->tags[i - 1] < m->tags[i];
    if (!rising) {
        uint64_t *keys = NULL;
        int32_t *payload = NULL;
        ok = CTI_RESIZE(mem, m->order, n) && CTI_RESIZE(mem, keys, n) && CTI_RESIZE(mem, payload, n);
        for (i = 0; ok && i < n; i++)
            m->order[i] = (int32_t)i;
        if (ok)
            cti_sort_u64(m->tags, m->order, keys, payload, n);
        CTI_FREE(mem, keys);
        CTI_FREE(mem, payload);
        if (!ok)
            return cti_scan_memory(&m->scan);
        for (i = 1; i < n; i++)
            if (m->tags[i - 1] == m->tags[i])
                return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "two nodes have the same tag", NULL);
    }
    return 1;
}

static int cti_msh_nodes(cti_msh *m)
{
    int64_t blocks, count, i, unused;
    if (m->have_nodes)
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "a second section of nodes", NULL);
    m->have_nodes = 1;
    if (!cti_msh_content(m, "the number of nodes") || !cti_msh_integer(m, 0, &blocks, "the number of nodes"))
        return 0;
    count = blocks;
    if (m->major == 4 && (!cti_msh_integer(m, 0, &count, "the number of nodes") || !cti_msh_integer(m, 0, &unused, "the least node tag") ||
                          !cti_msh_integer(m, 0, &unused, "the largest node tag")))
        return 0;
    for (i = 0; i < blocks; i++) {
        if (m->major == 4 && !cti_msh_node_block(m))
            return 0;
        if (m->major == 2 && (!cti_msh_content(m, "a node") || !cti_msh_tag(m) ||
            !cti_scan_point(&m->scan, &m->mesh->positions, "three coordinates of a node")))
            return 0;
    }
    if (CTI_LEN(m->tags) != count)
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the blocks of nodes do not add up to their number", NULL);
    return cti_msh_end(m, "$EndNodes") && cti_msh_sort_tags(m);
}

/* ---- elements ---- */

static int cti_msh_find(const cti_msh *m, uint64_t tag)
{
    int at = cti_sort_find_u64(m->tags, CTI_LEN(m->tags), tag);
    return at >= 0 && m->order ? m->order[at] : at;
}

/* The next node of an element: its number in the mesh. */
static int cti_msh_node(cti_msh *m, int32_t *out)
{
    int64_t tag;
    int node;
    if (!cti_msh_integer(m, 0, &tag, "a node tag of an element"))
        return 0;
    node = cti_msh_find(m, (uint64_t)tag);
    if (node < 0)
        return cti_scan_wrong(&m->scan, tag, "an element names a node tag that no node has", NULL);
    *out = (int32_t)node;
    return 1;
}

/* Notes that nodes are middles of edges, unless they are corners of another element. */
static int cti_msh_middles(cti_msh *m, const int32_t *nodes, int n)
{
    int k, n_nodes = CTI_LEN(m->mesh->positions) / 3;
    if (n > 0 && !m->middle) {
        if (!CTI_ZEROS(m->scan.mem, m->middle, n_nodes))
            return cti_scan_memory(&m->scan);
    }
    for (k = 0; k < n; k++)
        m->middle[nodes[k]] = 1;
    return 1;
}

static const cti_msh_type *cti_msh_find_type(int64_t type)
{
    size_t i;
    for (i = 0; i < sizeof cti_msh_types / sizeof *cti_msh_types; i++)
        if (cti_msh_types[i].type == type)
            return &cti_msh_types[i];
    return NULL;
}

/* One element. For types that are skipped, the rest of the line stays unread. */
static int cti_msh_element(cti_msh *m, int64_t type)
{
    const cti_msh_type *t = cti_msh_find_type(type);
    int32_t nodes[CTI_MSH_MOST], **list;
    int k;
    if (!t) {
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)type);
        return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "element type %s is not read: types 1, 2, 3, 4, 8, 9, 11 and 15 are", number);
    }
    m->n_known += t->nodes > 0 || type == 15;
    for (k = 0; k < t->nodes; k++)
        if (!cti_msh_node(m, &nodes[k]))
            return 0;
    if (t->nodes > 0 && !cti_msh_middles(m, nodes + t->corners, t->nodes - t->corners))
        return 0;
    if (t->kind == CTI_MSH_FACE)
        return cti_mesh_fan(&m->scan, m->mesh, nodes, t->corners);
    list = t->kind == CTI_MSH_TET ? &m->mesh->tets : &m->mesh->segments;
    if (CTI_LEN(*list) >= INT32_MAX - 4)
        return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "too many elements", NULL);
    for (k = 0; k < t->corners; k++)
        if (!CTI_PUSH(m->scan.mem, *list, nodes[k]))
            return cti_scan_memory(&m->scan);
    return 1;
}

/* Drops elements that repeat an earlier one, vertex by vertex. */
static int cti_msh_single(cti_msh *m, int32_t *list, int per)
{
    int32_t *first = NULL;
    int n = CTI_LEN(list) / per, i, kept = 0;
    size_t size = sizeof *list * (size_t)per;
    if (n == 0)
        return 1;
    if (!cti_mesh_firsts(m->scan.mem, list, n, per, &first)) {
        CTI_FREE(m->scan.mem, first);
        return cti_scan_memory(&m->scan);
    }
    /* the first of each kind is in the list up to `kept` at a number that only falls; it is noted in its own entry */
    for (i = 0; i < n; i++) {
        int32_t *to = list + (size_t)per * (size_t)kept;
        const int32_t *from = list + (size_t)per * (size_t)i;
        if (first[i] != i && memcmp(list + (size_t)per * (size_t)first[first[i]], from, size) == 0)
            continue;
        memmove(to, from, size);
        if (first[i] == i)
            first[i] = kept;
        kept++;
    }
    stbds_header(list)->length = (size_t)per * (size_t)kept;
    CTI_FREE(m->scan.mem, first);
    return 1;
}

/* Removes the nodes that are middles only, and renumbers the elements. */
static int cti_msh_drop_middles(cti_msh *m)
{
    ct_mesh *mesh = m->mesh;
    int32_t *lists[3], *number = NULL;
    int n = CTI_LEN(m->middle), i, k, kept = 0;
    if (!m->middle)
        return 1;
    if (!CTI_RESIZE(m->scan.mem, number, n))
        return cti_scan_memory(&m->scan);
    lists[0] = mesh->segments, lists[1] = mesh->triangles, lists[2] = mesh->tets;
    for (k = 0; k < 3; k++)
        for (i = 0; i < CTI_LEN(lists[k]); i++)
            m->middle[lists[k][i]] = 0;
    for (i = 0; i < n; i++) {
        number[i] = (int32_t)kept;
        memmove(mesh->positions + 3 * (size_t)kept, mesh->positions + 3 * (size_t)i, 3 * sizeof *mesh->positions);
        kept += !m->middle[i];
    }
    for (k = 0; k < 3; k++)
        for (i = 0; i < CTI_LEN(lists[k]); i++)
            lists[k][i] = number[lists[k][i]];
    stbds_header(mesh->positions)->length = 3 * (size_t)kept;
    CTI_FREE(m->scan.mem, number);
    return 1;
}

/* Version 2: number, type, number of tags, tags, nodes. */
static int cti_msh_element_2(cti_msh *m)
{
    int64_t type, n_tags, unused, i;
    if (!cti_msh_content(m, "an element") || !cti_msh_integer(m, 0, &unused, "an element number") ||
        !cti_msh_integer(m, 1, &type, "an element type") || !cti_msh_integer(m, 0, &n_tags, "the number of tags of an element"))
        return 0;
    for (i = 0; i < n_tags; i++)
        if (!cti_scan_integer(&m->scan, &unused, "a tag of an element"))
            return 0;
    return cti_msh_element(m, type);
}

/* Version 4.1: a block of elements of one type; number, nodes. */
static int cti_msh_element_block(cti_msh *m)
{
    int64_t unused, type, count, i;
    if (!cti_msh_content(m, "a block of elements") || !cti_msh_integer(m, 0, &unused, "an entity's dimension") ||
        !cti_scan_integer(&m->scan, &unused, "an entity's tag") || !cti_msh_integer(m, 1, &type, "an element type") ||
        !cti_msh_integer(m, 0, &count, "the number of elements in a block"))
        return 0;
    for (i = 0; i < count; i++)
        if (!cti_msh_content(m, "an element") || !cti_msh_integer(m, 0, &unused, "an element number") || !cti_msh_element(m, type))
            return 0;
    return 1;
}

static int cti_msh_elements(cti_msh *m)
{
    int64_t blocks, i, unused;
    int k;
    if (!m->have_nodes)
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "elements before any nodes", NULL);
    m->have_elements = 1;
    if (!cti_msh_content(m, "the number of elements") || !cti_msh_integer(m, 0, &blocks, "the number of elements"))
        return 0;
    for (k = 0; m->major == 4 && k < 3; k++)
        if (!cti_msh_integer(m, 0, &unused, "number of elements, least and largest element number"))
            return 0;
    for (i = 0; i < blocks; i++)
        if (!(m->major == 4 ? cti_msh_element_block(m) : cti_msh_element_2(m)))
            return 0;
    return cti_msh_end(m, "$EndElements");
}

/* ---- sections ---- */

/* Skips a section whose name is t. */
static int cti_msh_skip(cti_msh *m, const char *t, int n)
{
    const char *u;
    int k;
    while (cti_scan_content(&m->scan)) {
        if (*m->scan.at != '$' || !cti_scan_token(&m->scan, &u, &k))
            continue;
        if (k == n + 3 && memcmp(u, "$End", 4) == 0 && memcmp(u + 4, t + 1, (size_t)n - 1) == 0)
            return 1;
    }
    return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the file ends inside a section", NULL);
}

static int cti_msh_sections(cti_msh *m)
{
    const char *t;
    int n, more = m->scan.at < m->scan.end, first = 1;
    for (; more; more = cti_scan_content(&m->scan)) {
        int ok;
        if (!cti_scan_token(&m->scan, &t, &n))
            continue;
        if (first && !cti_scan_is(t, n, "$MeshFormat"))
            return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the file does not begin with $MeshFormat", NULL);
        first = 0;
        if (t[0] != '$')
            return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "text outside of any section", NULL);
        if (cti_scan_is(t, n, "$MeshFormat"))
            ok = cti_msh_format(m);
        else if (cti_scan_is(t, n, "$Nodes"))
            ok = cti_msh_nodes(m);
        else if (cti_scan_is(t, n, "$Elements"))
            ok = cti_msh_elements(m);
        else if (cti_scan_is(t, n, "$ParametricNodes"))
            ok = cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "section $ParametricNodes is not read: save with Mesh.SaveParametric 0", NULL);
        else
            ok = cti_msh_skip(m, t, n);
        if (!ok)
            return 0;
    }
    return 1;
}

CTI_FN ct_code cti_read_msh(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_msh m;
    memset(&m, 0, sizeof m);
    /* skips a byte order mark */
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        bytes += 3, n -= 3;
    m.scan.at = bytes, m.scan.end = bytes + n, m.scan.line = 1, m.scan.mem = mem, m.scan.error = error;
    m.mesh = mesh;
    cti_msh_sections(&m);
    if (cti_mesh_finish(&m.scan, mesh) && cti_msh_single(&m, mesh->segments, 2) && cti_msh_single(&m, mesh->triangles, 3) &&
        cti_msh_single(&m, mesh->tets, 4))
        cti_msh_drop_middles(&m);
    if (m.scan.code == CT_OK && CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(&m.scan, CT_ERR_FORMAT, "the file ends without any node", NULL);
    if (m.scan.code == CT_OK && m.n_known == 0)
        cti_scan_fail(&m.scan, CT_ERR_FORMAT, "the file ends without any line, triangle, quadrangle, tet or point", NULL);
    CTI_FREE(mem, m.tags);
    CTI_FREE(mem, m.order);
    CTI_FREE(mem, m.middle);
    return m.scan.code;
}

#endif
