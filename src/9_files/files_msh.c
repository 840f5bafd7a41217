/* files_msh.c -- Gmsh MSH 2.2 and 4.1, ASCII and binary: nodes, and elements of types 1 (line), 2 (triangle), 3 (quadrangle), 4 (tet). Those of
   second order (8: line, 9: triangle, 11: tet) give their corners, and their middles are no vertices. Point elements (15) are points. Lines
   of a higher order are skipped; every other type is refused. Method: section by section, line by line. Node tags are arbitrary and are
   looked up by bisection in sorted order. Orientation is kept as it is. An element whose vertices repeat those of one before it in the same
   order is dropped: version 2.2 writes an element once for every physical group that has it. A binary file has its sections' names, and in
   version 2 their counts, in lines of text; what follows them are values without ends of lines. Based on: the Gmsh reference manual, file formats. */
#include "files.h"
#include "../0_base/sort.h"
#include "../5_mesh/mesh.h"

#if CONTACT_WITH_FILES

typedef struct cti_msh {
    cti_scan scan;
    int major;      /* 2 or 4 */
    cti_scan_scalar size; /* of tags and counts: in version 4 as wide as the file says, in version 2 32 bits */
    uint64_t *tags; /* [n] of the nodes: in file order, later sorted */
    int32_t *order; /* [n] node of each sorted tag; NULL: tags ascend in file order */
    uint8_t *middle; /* [n] 1: only elements of second order name the node, as a middle; NULL: there are none */
    int have_nodes, n_known;
} cti_msh;

enum { CTI_MSH_LINE = 2, CTI_MSH_FACE = 3, CTI_MSH_TET = 4, CTI_MSH_MOST = 10 };

/* Element types: number of nodes, of those that are corners, and kind; kind 0: passed over. */
typedef struct cti_msh_type {
    int type, nodes, corners, kind;
} cti_msh_type;
static const cti_msh_type cti_msh_types[] = {{1, 2, 2, CTI_MSH_LINE},  {2, 3, 3, CTI_MSH_FACE}, {3, 4, 4, CTI_MSH_FACE}, {4, 4, 4, CTI_MSH_TET},
                                             {8, 3, 2, CTI_MSH_LINE},  {9, 6, 3, CTI_MSH_FACE}, {11, 10, 4, CTI_MSH_TET}, {15, 1, 0, 0},
                                             {26, 4, 0, 0},            {27, 5, 0, 0},           {28, 6, 0, 0}};

/* The next line of text inside a section; its end before its contents are complete is an error. */
static void cti_msh_line(cti_scan *s, const char *what)
{
    if (!cti_scan_content(s))
        cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected %s", what);
    else if (*s->at == '$')
        cti_scan_fail(s, CT_ERR_FORMAT, "the section ends early, expected %s", what);
}

/* The same before values, which in a binary file follow one another without lines. */
static void cti_msh_content(cti_scan *s, const char *what)
{
    if (!s->start)
        cti_msh_line(s, what);
}

/* The next value, in a binary file of this type. */
static int64_t cti_msh_value(cti_scan *s, cti_scan_scalar type, int64_t least, const char *what)
{
    int64_t x = cti_scan_value_integer(s, type, what);
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

/* A number in a line of text, in files of both kinds. */
static int64_t cti_msh_count(cti_scan *s, const char *what)
{
    int64_t x;
    cti_msh_line(s, what), x = cti_scan_integer(s, what);
    if (s->start)
        cti_scan_line(s);
    return x >= 0 ? x : cti_scan_fail(s, CT_ERR_FORMAT, "number out of range: %s", what);
}

/* The head of a section of version 4.1: a line of text, or values behind the line of its name. */
static void cti_msh_open(cti_scan *s, const char *what)
{
    if (s->start)
        cti_scan_line(s);
    cti_msh_content(s, what);
}

static void cti_msh_format(cti_msh *m, const char *bytes)
{
    cti_scan *s = &m->scan;
    int64_t binary, size, one;
    if (s->start)
        cti_scan_fail(s, CT_ERR_FORMAT, "a second $MeshFormat", NULL);
    cti_msh_line(s, "a format version"), cti_scan_need(s, "a format version");
    m->major = cti_scan_is(s, "4.1") ? 4 : 2;
    if (m->major == 2 && !cti_scan_is(s, "2") && !cti_scan_is(s, "2.0") && !cti_scan_is(s, "2.1") && !cti_scan_is(s, "2.2"))
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "MSH version is neither 2.x nor 4.1", NULL);
    binary = cti_scan_integer(s, "file type 0 (ASCII) or 1 (binary)");
    m->size = CTI_SCALAR_I32;
    if (binary == 1) {
        size = cti_scan_integer(s, "data size");
        if (size != 8 && !(m->major == 4 && size == 4))
            cti_scan_fail(s, CT_ERR_UNSUPPORTED, "data size is not 8: save it anew with Gmsh", NULL);
        if (m->major == 4)
            m->size = size == 8 ? CTI_SCALAR_U64 : CTI_SCALAR_U32;
        cti_scan_line(s), s->start = cti_scan_ok(s) ? bytes : NULL;
        s->big = s->end - s->at >= 4 && s->at[0] == 0;
        one = s->start ? cti_scan_value_integer(s, CTI_SCALAR_I32, "the number 1 that tells the order of bytes") : 1;
        if (one != 1)
            cti_scan_fail(s, CT_ERR_FORMAT, "a binary file does not have the number 1 behind its format", NULL);
    } else if (binary != 0)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "file type is neither 0 (ASCII) nor 1 (binary)", NULL);
    cti_msh_end(s, "$EndMeshFormat");
}

/* ---- nodes ---- */

static void cti_msh_tag(cti_msh *m)
{
    cti_scan *s = &m->scan;
    uint64_t tag = (uint64_t)cti_msh_value(s, m->size, 0, "a node tag");
    if (CTI_LEN(m->tags) >= INT32_MAX / 12)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many nodes", NULL);
    CTI_SCAN_KEEP(s, m->tags, tag);
}

static void cti_msh_point(cti_scan *s)
{
    int k;
    for (k = 0; k < 3; k++) {
        ct_real x = cti_scan_value_real(s, CTI_SCALAR_F64, "three coordinates of a node");
        CTI_SCAN_PUSH(s, s->mesh->positions, x);
    }
}

/* The head of a block, version 4.1: dimension and tag of an entity, and one number more. */
static int64_t cti_msh_block(cti_scan *s, const char *block, int64_t *dimension, int64_t least, const char *what)
{
    cti_msh_content(s, block);
    *dimension = cti_msh_value(s, CTI_SCALAR_I32, 0, "an entity's dimension");
    cti_scan_value_integer(s, CTI_SCALAR_I32, "an entity's tag");
    return cti_msh_value(s, CTI_SCALAR_I32, least, what);
}

/* One block of nodes, version 4.1: tags, then coordinates, with as many parameters as its entity has dimensions where it is parametric. */
static void cti_msh_node_block(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t dimension, parametric = cti_msh_block(s, "a block of nodes", &dimension, 0, "parametric 0 or 1");
    int64_t count = cti_msh_value(s, m->size, 0, "the number of nodes in a block"), i;
    for (i = 0; i < count && cti_scan_ok(s); i++)
        cti_msh_content(s, "a node tag"), cti_msh_tag(m);
    for (i = 0; i < count && cti_scan_ok(s); i++) {
        cti_msh_content(s, "coordinates of a node"), cti_msh_point(s);
        if (s->start && parametric)
            cti_scan_skip(s, CTI_SCALAR_F64, dimension, "parameters of a node");
    }
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
    if (m->major == 4) {
        cti_msh_open(s, "the number of nodes");
        blocks = cti_msh_value(s, m->size, 0, "the number of blocks of nodes"), count = cti_msh_value(s, m->size, 0, "the number of nodes");
        cti_msh_value(s, m->size, 0, "the least node tag"), cti_msh_value(s, m->size, 0, "the largest node tag");
    } else
        count = blocks = cti_msh_count(s, "the number of nodes");
    for (i = 0; i < blocks && cti_scan_ok(s); i++)
        if (m->major == 4)
            cti_msh_node_block(m);
        else
            cti_msh_content(s, "a node"), cti_msh_tag(m), cti_msh_point(s);
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
    int64_t tag = cti_msh_value(&m->scan, m->size, 0, "a node tag of an element");
    int at = cti_sort_find_u64(m->tags, CTI_LEN(m->tags), (uint64_t)tag);
    if (at < 0)
        return cti_scan_wrong(&m->scan, tag, "an element names a node tag that no node has", NULL);
    return (int32_t)(m->order ? m->order[at] : at);
}

/* One element. For types that are passed over, the rest of a line stays unread. */
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
    m->n_known += t->kind || type == 15;
    if (!t->kind) {
        if (s->start)
            cti_scan_skip(s, m->size, t->nodes, "nodes of an element");
        return;
    }
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

/* Version 2, ASCII: number, type, number of tags, tags, nodes. Binary: type, number of elements that follow, number of tags of each; then
   those, each as its number, tags and nodes. Returns how many elements there were. */
static int64_t cti_msh_elements_2(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t type, n = 1, n_tags, i, k;
    cti_msh_content(s, "an element");
    if (!s->start)
        cti_msh_value(s, m->size, 0, "an element number");
    type = cti_msh_value(s, m->size, 1, "an element type");
    if (s->start)
        n = cti_msh_value(s, m->size, 1, "the number of elements that follow");
    n_tags = cti_msh_value(s, m->size, 0, "the number of tags of an element");
    for (i = 0; i < n && cti_scan_ok(s); i++) {
        if (s->start)
            cti_msh_value(s, m->size, 0, "an element number");
        for (k = 0; k < n_tags && cti_scan_ok(s); k++)
            cti_scan_value_integer(s, m->size, "a tag of an element");
        cti_msh_element(m, type);
    }
    return n;
}

/* Version 4.1: a block of elements of one type; number, nodes. Returns 1, the block. */
static int64_t cti_msh_element_block(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t dimension, type = cti_msh_block(s, "a block of elements", &dimension, 1, "an element type");
    int64_t count = cti_msh_value(s, m->size, 0, "the number of elements in a block");
    for (; count > 0 && cti_scan_ok(s); count--)
        cti_msh_content(s, "an element"), cti_msh_value(s, m->size, 0, "an element number"), cti_msh_element(m, type);
    return 1;
}

static void cti_msh_elements(cti_msh *m)
{
    cti_scan *s = &m->scan;
    int64_t left;
    int k;
    if (!m->have_nodes)
        cti_scan_fail(s, CT_ERR_FORMAT, "elements before any nodes", NULL);
    if (m->major == 4) {
        cti_msh_open(s, "the number of elements");
        left = cti_msh_value(s, m->size, 0, "the number of blocks of elements");
        for (k = 0; k < 3; k++)
            cti_msh_value(s, m->size, 0, "number of elements, least and largest element number");
    } else
        left = cti_msh_count(s, "the number of elements");
    while (left > 0 && cti_scan_ok(s))
        left -= m->major == 4 ? cti_msh_element_block(m) : cti_msh_elements_2(m);
    if (left < 0)
        cti_scan_fail(s, CT_ERR_FORMAT, "more elements than their number says", NULL);
    cti_msh_end(s, "$EndElements");
}

/* ---- sections ---- */

/* Skips the section whose name was read last. In a binary file the end of its name is looked for at every byte. */
static void cti_msh_skip(cti_scan *s)
{
    const char *name = s->token;
    int n = s->length;
    for (; s->start && s->end - s->at > n + 3; s->at++)
        if (memcmp(s->at, "$End", 4) == 0 && memcmp(s->at + 4, name + 1, (size_t)n - 1) == 0) {
            s->at += n + 3;
            return;
        }
    while (cti_scan_content(s))
        if (*s->at == '$' && cti_scan_token(s) && s->length == n + 3 && memcmp(s->token, "$End", 4) == 0 &&
            memcmp(s->token + 4, name + 1, (size_t)n - 1) == 0)
            return;
    cti_scan_fail(s, CT_ERR_FORMAT, "the file ends inside a section", NULL);
}

static void cti_msh_sections(cti_msh *m, const char *bytes)
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
            cti_msh_format(m, bytes);
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
    cti_msh_sections(&m, bytes);
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
