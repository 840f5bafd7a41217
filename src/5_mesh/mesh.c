/* mesh.c -- boundary extraction and surface adjacency. Method: a hash of sorted vertex triples counts the tets at a face, and a hash
   of an element's sorted vertices finds elements that are listed twice. Edges are sorted,
   unique vertex pairs; an edge is found by bisection among the edges of its lower vertex. All orders follow from the input order, so that
   results do not depend on addresses.
   based on: the half-face and edge lists common to simplicial mesh codes; outward faces of the tet 0123: 021, 013, 123, 032. */
#include "mesh.h"
#include "../0_base/sort.h"
#include "../0_base/log.h"
#include "../1_math/exact.h"

static ct_code cti_mesh_check_list(const ct_mesh *m, const int32_t *list, int n, int per, const char *what, ct_error_info *error)
{
    int64_t i;
    for (i = 0; i < (int64_t)n * per; i++)
        if (list[i] < 0 || list[i] >= m->n_positions)
            return cti_error_set(error, CT_ERR_MESH, i / per, (double)list[i],
                                 "a vertex number is out of range: they count from 0 (element: %s, value: vertex)", what);
    return CT_OK;
}

CTI_FN ct_code cti_mesh_check(const ct_mesh *m, double most, ct_error_info *error)
{
    int64_t bad;
    ct_code code;
    if (!m || m->n_positions < 0 || m->n_tets < 0 || m->n_triangles < 0 || m->n_segments < 0 || (m->n_positions > 0 && !m->positions) ||
        (m->n_tets > 0 && !m->tets) || (m->n_triangles > 0 && !m->triangles) || (m->n_segments > 0 && !m->segments))
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, 0, "mesh is NULL, or has a count without an array");
    bad = cti_exact_beyond(m->positions, 3 * (int64_t)m->n_positions, most);
    if (bad >= 0)
        return cti_error_set(error, CT_ERR_MESH, bad / 3, (double)m->positions[bad],
                             "numbers out of range: a position is not finite, or beyond %.0e (element: vertex)", most);
    code = cti_mesh_check_list(m, m->tets, m->n_tets, 4, "tet", error);
    CTI_THEN(code, cti_mesh_check_list(m, m->triangles, m->n_triangles, 3, "triangle", error));
    return code == CT_OK ? cti_mesh_check_list(m, m->segments, m->n_segments, 2, "segment", error) : code;
}

static const int cti_mesh_tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

/* The vertices of half-face 4 t + k in rising order. */
static void cti_mesh_face_key(const int32_t *tets, int64_t half, int32_t key[3])
{
    const int32_t *t = tets + (half / 4) * 4;
    const int *f = cti_mesh_tet_face[half % 4];
    int32_t a = t[f[0]], b = t[f[1]], c = t[f[2]], s;
    if (a > b)
        s = a, a = b, b = s;
    if (b > c)
        s = b, b = c, c = s;
    if (a > b)
        s = a, a = b, b = s;
    key[0] = a, key[1] = b, key[2] = c;
}

static uint64_t cti_mesh_hash(const int32_t key[3])
{
    uint64_t h = (uint32_t)key[0];
    h = (h ^ (h >> 29)) * 0x9e3779b97f4a7c15ull + (uint32_t)key[1];
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9ull + (uint32_t)key[2];
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
    return h ^ (h >> 31);
}

/* first[h] = the first half-face with the same vertices as h, count[first[h]] = number of such half-faces. */
static void cti_mesh_count_faces(const int32_t *tets, int64_t n, int32_t *slots, uint64_t mask, int32_t *first, uint8_t *count)
{
    int64_t h;
    for (h = 0; h < n; h++) {
        int32_t key[3], other[3];
        uint64_t s;
        cti_mesh_face_key(tets, h, key);
        for (s = cti_mesh_hash(key) & mask; slots[s] >= 0; s = (s + 1) & mask) {
            cti_mesh_face_key(tets, slots[s], other);
            if (other[0] == key[0] && other[1] == key[1] && other[2] == key[2])
                break;
        }
        if (slots[s] < 0) {
            slots[s] = (int32_t)h;
            count[h] = 0;
        }
        first[h] = slots[s];
        if (count[slots[s]] < 255)
            count[slots[s]]++;
    }
}

CTI_FN int cti_mesh_boundary(cti_mem *mem, const int32_t *tets, int n_tets, int n_vertices, int32_t **out_triangles)
{
    int64_t n = 4 * (int64_t)n_tets, size = 16, h;
    int32_t *slots = NULL, *first = NULL;
    uint8_t *count = NULL;
    int ok = 0, k;
    CTI_UNUSED(n_vertices);
    CTI_CLEAR(*out_triangles);
    while (size < 2 * n)
        size *= 2;
    if (n > INT32_MAX || !CTI_RESERVE(mem, slots, size) || !CTI_RESERVE(mem, first, n) || !CTI_RESERVE(mem, count, n))
        goto done;
    memset(slots, 0xff, (size_t)size * sizeof *slots);
    cti_mesh_count_faces(tets, n, slots, (uint64_t)size - 1, first, count);
    /* boundary: faces that occur once */
    for (h = 0; h < n; h++) {
        const int32_t *t = tets + (h / 4) * 4;
        if (count[first[h]] != 1)
            continue;
        for (k = 0; k < 3; k++)
            if (!CTI_PUSH(mem, *out_triangles, t[cti_mesh_tet_face[h % 4][k]]))
                goto done;
    }
    ok = 1;
done:
    CTI_FREE(mem, slots);
    CTI_FREE(mem, first);
    CTI_FREE(mem, count);
    return ok;
}

/* the vertices of an element in rising order, with 0 behind them */
static void cti_mesh_element_key(const int32_t *element, int per, int32_t key[4])
{
    int i, k;
    memset(key, 0, 4 * sizeof *key);
    for (i = 0; i < per; i++) {
        for (k = i; k > 0 && key[k - 1] > element[i]; k--)
            key[k] = key[k - 1];
        key[k] = element[i];
    }
}

CTI_FN int cti_mesh_firsts(cti_mem *mem, const int32_t *elements, int n, int per, int32_t **out_first)
{
    int32_t *slots = NULL, key[4], other[4];
    int64_t size = 16;
    int i, ok;
    while (size < 2 * (int64_t)n)
        size *= 2;
    ok = CTI_RESERVE(mem, slots, size) && CTI_RESIZE(mem, *out_first, n);
    if (ok)
        memset(slots, 0xff, (size_t)size * sizeof *slots);
    for (i = 0; ok && i < n; i++) {
        uint64_t s;
        cti_mesh_element_key(elements + (size_t)per * (size_t)i, per, key);
        s = cti_mesh_hash(key) * 0x9e3779b97f4a7c15ull + (uint32_t)key[3];
        for (s ^= s >> 31; slots[s & (uint64_t)(size - 1)] >= 0; s++) {
            cti_mesh_element_key(elements + (size_t)per * (size_t)slots[s & (uint64_t)(size - 1)], per, other);
            if (memcmp(key, other, sizeof key) == 0)
                break;
        }
        if (slots[s & (uint64_t)(size - 1)] < 0)
            slots[s & (uint64_t)(size - 1)] = (int32_t)i;
        (*out_first)[i] = slots[s & (uint64_t)(size - 1)];
    }
    CTI_FREE(mem, slots);
    return ok;
}

CTI_FN void cti_topology_free(cti_mem *mem, cti_topology *t)
{
    CTI_FREE_SPAN(mem, t->edges, t->vertex_is_point);
    memset(t, 0, sizeof *t);
}

CTI_FN int cti_topology_edge(const cti_topology *t, int a, int b)
{
    int low = cti_min_int(a, b), high = cti_max_int(a, b);
    return low < 0 || high >= t->n_vertices ? -1 : cti_sort_find(t->edges + 1, 2, t->first_edge[low], t->first_edge[low + 1], high);
}

/* All vertex pairs of faces and segments, low < high, into t->edges; sorted and made unique. */
static int cti_topology_collect(cti_mem *mem, cti_topology *t, const int32_t *triangles, const int32_t *segments, int ns)
{
    int32_t *scratch = NULL, *e;
    int64_t total = 3 * (int64_t)t->n_faces + ns;
    int i, k, n = 0, m = 0, ok;
    if (total > INT32_MAX / 2)
        return 0;
    if (!CTI_RESIZE(mem, t->edges, 2 * total))
        return 0;
    e = t->edges;
    for (i = 0; i < t->n_faces + ns; i++) {
        const int32_t *s = i < t->n_faces ? triangles + 3 * (size_t)i : segments + 2 * (size_t)(i - t->n_faces);
        int corners = i < t->n_faces ? 3 : 2;
        for (k = 0; k < (corners == 3 ? 3 : 1); k++) {
            int32_t a = s[k], b = s[(k + 1) % corners];
            if (a == b)
                continue;
            e[2 * (size_t)n] = a < b ? a : b, e[2 * (size_t)n + 1] = a < b ? b : a;
            n++;
        }
    }
    ok = cti_pairsort(mem, e, n, t->n_vertices, t->n_vertices, &scratch);
    CTI_FREE(mem, scratch);
    if (!ok)
        return 0;
    for (i = 0; i < n; i++) {
        if (m > 0 && e[2 * m - 2] == e[2 * i] && e[2 * m - 1] == e[2 * i + 1])
            continue;
        e[2 * m] = e[2 * i], e[2 * m + 1] = e[2 * i + 1];
        m++;
    }
    t->n_edges = m;
    return CTI_RESIZE(mem, t->edges, 2 * (size_t)m);
}

/* Offsets of the edges by their low vertex. */
static void cti_topology_offsets(cti_topology *t)
{
    int v, e = 0;
    for (v = 0; v <= t->n_vertices; v++) {
        while (e < t->n_edges && t->edges[2 * e] < v)
            e++;
        t->first_edge[v] = e;
    }
}

/* Finds the faces at every edge and the first face at every vertex. Bit 7 of an edge's flags: its first face runs along it from high to
   low. */
static void cti_topology_faces(cti_topology *t, const int32_t *triangles)
{
    int f, k;
    for (f = 0; f < t->n_faces; f++) {
        const int32_t *s = triangles + 3 * f;
        if (s[0] == s[1] || s[1] == s[2] || s[2] == s[0])
            t->n_degenerate++;
        for (k = 0; k < 3; k++) {
            int32_t a = s[k], b = s[(k + 1) % 3];
            int e = a == b ? -1 : cti_topology_edge(t, a, b), down = a > b ? 128 : 0;
            t->face_edges[3 * f + k] = e;
            if (t->vertex_owner[a] < 0)
                t->vertex_owner[a] = f;
            t->vertex_is_point[a] = 0;
            if (e < 0 || t->edge_faces[2 * e] == f || t->edge_faces[2 * e + 1] == f)
                continue;
            if (t->edge_faces[2 * e] < 0) {
                t->edge_faces[2 * e] = t->edge_owner[e] = f;
                t->edge_flags[e] = (uint8_t)(t->edge_flags[e] | down);
            } else if (t->edge_faces[2 * e + 1] < 0) {
                t->edge_faces[2 * e + 1] = f;
                if ((t->edge_flags[e] & 128) == down)
                    t->edge_flags[e] |= CTI_EDGE_TWISTED;
            } else {
                t->edge_flags[e] |= CTI_EDGE_NONMANIFOLD;
            }
        }
    }
}

/* Segment flags, loose and boundary edges, points, counts. */
static void cti_topology_classify(cti_topology *t, const int32_t *segments, int ns)
{
    int i, e;
    for (i = 0; i < ns; i++)
        if ((e = cti_topology_edge(t, segments[2 * i], segments[2 * i + 1])) >= 0)
            t->edge_flags[e] |= CTI_EDGE_SEGMENT;
    for (e = 0; e < t->n_edges; e++) {
        uint8_t flags = (uint8_t)(t->edge_flags[e] & 127);
        if (t->edge_faces[2 * e] < 0)
            flags |= CTI_EDGE_LOOSE;
        else if (t->edge_faces[2 * e + 1] < 0)
            flags |= CTI_EDGE_BOUNDARY;
        t->vertex_is_point[t->edges[2 * e]] = t->vertex_is_point[t->edges[2 * e + 1]] = 0;
        t->n_loose += (flags & CTI_EDGE_LOOSE) != 0;
        t->n_boundary += (flags & CTI_EDGE_BOUNDARY) != 0;
        t->n_nonmanifold += (flags & CTI_EDGE_NONMANIFOLD) != 0;
        t->n_twisted += (flags & CTI_EDGE_TWISTED) != 0;
        t->edge_flags[e] = flags;
    }
    t->closed = t->n_faces > 0 && t->n_boundary + t->n_nonmanifold + t->n_twisted + t->n_degenerate == 0;
}

CTI_FN int cti_topology_build(cti_mem *mem, cti_topology *t, int n_vertices, const int32_t *triangles, int n_triangles,
                              const int32_t *segments, int n_segments)
{
    size_t nv = (size_t)n_vertices, nf = (size_t)n_triangles, ne;
    t->n_vertices = n_vertices, t->n_faces = n_triangles, t->n_edges = 0;
    t->n_loose = t->n_boundary = t->n_nonmanifold = t->n_twisted = t->n_degenerate = t->closed = 0;
    if (!cti_topology_collect(mem, t, triangles, segments, n_segments))
        goto failed;
    ne = (size_t)t->n_edges;
    if (!CTI_RESIZE(mem, t->edge_faces, 2 * ne) || !CTI_RESIZE(mem, t->face_edges, 3 * nf) || !CTI_RESIZE(mem, t->edge_owner, ne) ||
        !CTI_RESIZE(mem, t->vertex_owner, nv) || !CTI_RESIZE(mem, t->first_edge, nv + 1) || !CTI_RESIZE(mem, t->edge_flags, ne) ||
        !CTI_RESIZE(mem, t->vertex_is_point, nv))
        goto failed;
    cti_topology_offsets(t);
    if (ne > 0) {
        memset(t->edge_faces, 0xff, 2 * ne * sizeof *t->edge_faces);
        memset(t->edge_owner, 0xff, ne * sizeof *t->edge_owner);
        memset(t->edge_flags, 0, ne);
    }
    if (nv > 0) {
        memset(t->vertex_owner, 0xff, nv * sizeof *t->vertex_owner);
        memset(t->vertex_is_point, 1, nv);
    }
    cti_topology_faces(t, triangles);
    cti_topology_classify(t, segments, n_segments);
    return 1;
failed:
    cti_topology_free(mem, t);
    return 0;
}
