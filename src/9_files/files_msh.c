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
    int major;      /* 2 or 4 */
    uint64_t *tags; /* [n] of the nodes: in file order, later sorted */
    int32_t *order; /* [n] node of each sorted tag; NULL: tags ascend in file order */
    uint8_t *middle; /* [n] 1: only elements of second order name the node, as a middle; NULL: there are none */
    int have_nodes, n_known;
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
static void cti_msh_content(cti_scan *s, const char *what)
{
    if (!cti_scan_content(s))
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected %s", what);
    else if (*s->at == '$')
        cti_scan_fail(s, CT_ERR_FORMAT, "the section ends early, expected %s", what);
}

static int64_t cti_msh_integer(cti_scan *s, int64_t least, const char *what)
{
    int64_t x = cti_scan_integer(s, what);
    return x >= least ? x : cti_scan_fail(s, CT_ERR_FORMAT, "number out of range: %s", what);
}

/* The end of a section: "$End<name>". */
static void cti_msh_end(cti_scan *s, const char *word)
{
    if (!cti_scan_content(s))
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected %s", word);
    else if (!cti_scan_token(s) || !cti_scan_is(s, word))
        cti_scan_fail(s, CT_ERR_FORMAT, "expected %s", word);
}

static void cti_msh_format(cti_msh *m)
{
    cti_scan *s = &m->scan;
    cti_msh_content(s, "a format version"), cti_scan_need(s, "a format version");
    m->major = cti_scan_is(s, "4.1") ? 4 : 2;
    if (m->major == 2 && !cti_scan_is(s, "2") && !cti_scan_is(s, "2.0") && !cti_scan_is(s, "2.1") && !cti_scan_is(s, "2.2"))
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "MSH version is neither 2.x nor 4.1", NULL);
    if (cti_msh_integer(s, 0, "file type 0 (ASCII)") != 0)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "binary MSH is not read; save it as ASCII", NULL);
    cti_msh_end(s, "$EndMeshFormat");
}

/* ---- nodes ---- */

static void cti_msh_tag(cti_msh *m)
{
    cti_scan *s = &m->scan;
    uint64_t tag = (uint64_t)cti_msh_integer(s, 0, "a node tag");
    if (CTI_LEN(m->tags) >= INT32_MAX / 12)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many nodes", NULL);
    CTI_SCAN_KEEP(s, m->tags, tag);
}

/* The head of a block, version 4.1: dimension and tag of an entity, and one number more. */
static int64_t cti_msh_block(cti_scan *s, const char *block, int64_t least, const char *what)
{
    cti_msh_content(s, block);
    cti_msh_integer(s, 0, "an entity's dimension"), cti_scan_integer(s, "an entity's tag");
    return cti_msh_integer(s, least, what);
}

/* One block of nodes, version 4.1: tags, then coordinates. */
static void cti_msh_node_block(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t count, i;
    cti_msh_block(s, "a block of nodes", 0, "parametric 0 or 1");
    count = cti_msh_integer(s, 0, "the number of nodes in a block");
    for (i = 0; i < count && cti_scan_ok(s); i++)
        cti_msh_content(s, "a node tag"), cti_msh_tag(m);
    for (i = 0; i < count && cti_scan_ok(s); i++)
        cti_msh_content(s, "coordinates of a node"), cti_scan_point(s, "three coordinates of a node");
}

/* Sorts the tags; a tag that occurs twice is an error. */
static void cti_msh_sort_tags(cti_msh *m)
{
    cti_scan *s = &m->scan;
    uint64_t *keys = NULL;
    int32_t *payload = NULL;
    int n = CTI_LEN(m->tags), i, rising = 1;
    for (i = 1; i < n; i++)
        rising &= m->tags[i - 1] < m->tags[i];
    if (rising)
        return;
    if (!CTI_RESIZE(&s->own, m->order, n) || !CTI_RESIZE(&s->own, keys, n) || !CTI_RESIZE(&s->own, payload, n)) {
        cti_scan_memory(s);
        return;
    }
    for (i = 0; i < n; i++)
        m->order[i] = (int32_t)i;
    cti_sort_u64(m->tags, m->order, keys, payload, n);
    for (i = 1; i < n; i++)
        if (m->tags[i - 1] == m->tags[i])
            cti_scan_fail(s, CT_ERR_FORMAT, "two nodes have the same tag", NULL);
}

static void cti_msh_nodes(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t blocks, count, i;
    if (m->have_nodes)
        cti_scan_fail(s, CT_ERR_FORMAT, "a second section of nodes", NULL);
    m->have_nodes = 1;
    cti_msh_content(s, "the number of nodes");
    count = blocks = cti_msh_integer(s, 0, "the number of nodes");
    if (m->major == 4) {
        count = cti_msh_integer(s, 0, "the number of nodes");
        cti_msh_integer(s, 0, "the least node tag"), cti_msh_integer(s, 0, "the largest node tag");
    }
    for (i = 0; i < blocks && cti_scan_ok(s); i++)
        if (m->major == 4)
            cti_msh_node_block(m);
        else
            cti_msh_content(s, "a node"), cti_msh_tag(m), cti_scan_point(s, "three coordinates of a node");
    if (CTI_LEN(m->tags) != count)
        cti_scan_fail(s, CT_ERR_FORMAT, "the blocks of nodes do not add up to their number", NULL);
    cti_msh_end(s, "$EndNodes");
    if (cti_scan_ok(s))
        cti_msh_sort_tags(m);
}

/* ---- elements ---- */

/* The next node of an element: its number in the mesh. */
static int32_t cti_msh_node(cti_msh *m)
{
    int64_t tag = cti_msh_integer(&m->scan, 0, "a node tag of an element");
    int at = cti_sort_find_u64(m->tags, CTI_LEN(m->tags), (uint64_t)tag);
    if (at < 0)
        return cti_scan_wrong(&m->scan, tag, "an element names a node tag that no node has", NULL);
    return (int32_t)(m->order ? m->order[at] : at);
}

/* One element. For types that are skipped, the rest of the line stays unread. */
static void cti_msh_element(cti_msh *m, int64_t type)
{
    cti_scan *s = &m->scan;
    const cti_msh_type *t = cti_msh_types, *end = cti_msh_types + CTI_COUNT(cti_msh_types);
    int32_t nodes[CTI_MSH_MOST];
    int k;
    while (t < end && t->type != type)
        t++;
    if (t == end) {
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)type);
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "element type %s is not read: types 1, 2, 3, 4, 8, 9, 11 and 15 are", number);
        return;
    }
    m->n_known += t->nodes > 0 || type == 15;
    for (k = 0; k < t->nodes; k++)
        nodes[k] = cti_msh_node(m);
    /* middles of edges, unless they are corners of another element */
    if (t->nodes > t->corners && !m->middle && !CTI_ZEROS(&s->own, m->middle, CTI_LEN(s->mesh->positions) / 3))
        cti_scan_memory(s);
    for (k = t->corners; k < t->nodes && cti_scan_ok(s); k++)
        m->middle[nodes[k]] = 1;
    if (t->kind == CTI_MSH_FACE)
        cti_mesh_fan(s, nodes, t->corners);
    else if (t->kind == CTI_MSH_TET)
        cti_mesh_tet(s, nodes);
    else
        cti_mesh_chain(s, nodes, t->corners);
}

/* Drops elements that repeat an earlier one, vertex by vertex. */
static void cti_msh_single(cti_scan *s, int32_t *list, int per)
{
    int32_t *first = NULL;
    int n = CTI_LEN(list) / per, i, kept = 0;
    size_t size = sizeof *list * (size_t)per;
    if (n == 0)
        return;
    if (!cti_mesh_firsts(&s->own, list, n, per, &first)) {
        cti_scan_memory(s);
        return;
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
}

/* Removes the nodes that are middles only, and renumbers the elements. */
static void cti_msh_drop_middles(cti_msh *m)
{
    cti_scan *s = &m->scan;
    ct_mesh *mesh = s->mesh;
    int32_t *lists[3], *number = NULL;
    int n = CTI_LEN(m->middle), i, k, kept = 0;
    if (n && !CTI_RESIZE(&s->own, number, n))
        cti_scan_memory(s);
    if (!number)
        return;
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
}

/* Version 2: number, type, number of tags, tags, nodes. */
static void cti_msh_element_2(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t type, n_tags;
    cti_msh_content(s, "an element"), cti_msh_integer(s, 0, "an element number");
    type = cti_msh_integer(s, 1, "an element type");
    for (n_tags = cti_msh_integer(s, 0, "the number of tags of an element"); n_tags > 0 && cti_scan_ok(s); n_tags--)
        cti_scan_integer(s, "a tag of an element");
    cti_msh_element(m, type);
}

/* Version 4.1: a block of elements of one type; number, nodes. */
static void cti_msh_element_block(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t type = cti_msh_block(s, "a block of elements", 1, "an element type");
    int64_t count = cti_msh_integer(s, 0, "the number of elements in a block");
    for (; count > 0 && cti_scan_ok(s); count--)
        cti_msh_content(s, "an element"), cti_msh_integer(s, 0, "an element number"), cti_msh_element(m, type);
}

static void cti_msh_elements(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t blocks;
    int k;
    if (!m->have_nodes)
        cti_scan_fail(s, CT_ERR_FORMAT, "elements before any nodes", NULL);
    cti_msh_content(s, "the number of elements");
    blocks = cti_msh_integer(s, 0, "the number of elements");
    for (k = 0; m->major == 4 && k < 3; k++)
        cti_msh_integer(s, 0, "number of elements, least and largest element number");
    for (; blocks > 0 && cti_scan_ok(s); blocks--)
        if (m->major == 4)
            cti_msh_element_block(m);
        else
            cti_msh_element_2(m);
    cti_msh_end(s, "$EndElements");
}

/* ---- sections ---- */

/* Skips the section whose name was read last. */
static void cti_msh_skip(cti_scan *s)
{
    const char *name = s->token;
    int n = s->length;
    while (cti_scan_content(s))
        if (*s->at == '$' && cti_scan_token(s) && s->length == n + 3 && memcmp(s->token, "$End", 4) == 0 &&
            memcmp(s->token + 4, name + 1, (size_t)n - 1) == 0)
            return;
    cti_scan_fail(s, CT_ERR_FORMAT, "the file ends inside a section", NULL);
}

static void cti_msh_sections(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int more = s->at < s->end, first = 1;
    for (; more; more = cti_scan_content(s)) {
        if (!cti_scan_token(s))
            continue;
        if (first && !cti_scan_is(s, "$MeshFormat"))
            cti_scan_fail(s, CT_ERR_FORMAT, "the file does not begin with $MeshFormat", NULL);
        first = 0;
        if (s->token[0] != '$')
            cti_scan_fail(s, CT_ERR_FORMAT, "text outside of any section", NULL);
        else if (cti_scan_is(s, "$MeshFormat"))
            cti_msh_format(m);
        else if (cti_scan_is(s, "$Nodes"))
            cti_msh_nodes(m);
        else if (cti_scan_is(s, "$Elements"))
            cti_msh_elements(m);
        else if (cti_scan_is(s, "$ParametricNodes"))
            cti_scan_fail(s, CT_ERR_UNSUPPORTED, "section $ParametricNodes is not read: save with Mesh.SaveParametric 0", NULL);
        else
            cti_msh_skip(s);
    }
}

CTI_FN ct_code cti_read_msh(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_msh m;
    cti_scan *s = &m.scan;
    memset(&m, 0, sizeof m);
    cti_scan_open(s, mem, bytes, n, mesh, error);
    cti_msh_sections(&m);
    if (cti_mesh_finish(s)) {
        cti_msh_single(s, mesh->segments, 2), cti_msh_single(s, mesh->triangles, 3), cti_msh_single(s, mesh->tets, 4);
        cti_msh_drop_middles(&m);
    }
    if (CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends without any node", NULL);
    if (m.n_known == 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends without any line, triangle, quadrangle, tet or point", NULL);
    return cti_scan_close(s);
}

#endif
