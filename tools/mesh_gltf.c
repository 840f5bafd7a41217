/* mesh_gltf.c -- the meshes of a glTF 2.0 file (.gltf, .glb), where the nodes of its scene put them: triangles, lines and points. Skins,
   morph targets and animations are left out: what is read is the shape at rest. A corner that the file stores once for each face stays so;
   "weld" of a scene merges them. based on: glTF 2.0 specification (Khronos Group, 2021), sections 3.5 (scenes), 3.6 (buffers and
   accessors), 3.7 (meshes), 4 (GLB). */
#include "mesh_in.h"
#include "cli.h"
#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gltf {
    mesh_in *m;
    cJSON *root;
    const unsigned char *chunk; /* the binary chunk of a .glb */
    size_t chunk_n;
    unsigned char **buffers; /* [n_buffers] that are not the chunk, once they are loaded */
    size_t *sizes;
    int n_buffers;
    unsigned char *seen; /* [n_nodes] 1: its meshes have been read */
    int n_nodes;
} gltf;

/* a span of numbers: the element i begins at `at` + i stride */
typedef struct gltf_span {
    const unsigned char *at;
    size_t stride;
    int64_t count;
    int kind; /* componentType */
} gltf_span;

static int gltf_fail(gltf *g, ct_code code, const char *what, int number, const char *text)
{
    return mesh_in_fail(g->m, code, NULL, number, "%s[%d]: %s", what, number, text);
}

/* element `index` of the array `key` at the top; NULL after an error that names who asks for it */
static const cJSON *gltf_at(gltf *g, const char *key, double index)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(g->root, key);
    int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (!(index >= 0 && index < n && index == floor(index))) {
        mesh_in_fail(g->m, CT_ERR_FORMAT, NULL, -1, "%s[%.9g] is asked for, but the file has %d of them", key, index, n);
        return NULL;
    }
    return cJSON_GetArrayItem(list, (int)index);
}

/* a whole number of the object, or `otherwise` */
static double gltf_number(const cJSON *o, const char *key, double otherwise)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) ? v->valuedouble : otherwise;
}

static const char *gltf_text(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(v) ? v->valuestring : "";
}

/* ---- buffers ---- */

/* data:...;base64,... or the name of a file beside this one */
static void gltf_load(gltf *g, int number, const char *uri)
{
    const char *comma = strstr(uri, ";base64,"), *slash = strrchr(g->m->path, '/');
    size_t used = 0, n = comma ? strlen(comma + 8) : 0;
    char path[1200];
    if (!strncmp(uri, "data:", 5)) {
        long got = -1;
        if (comma) {
            g->buffers[number] = (unsigned char *)cli_alloc(n / 4 * 3 + 4, 1);
            got = mesh_in_base64(comma + 8, n, g->buffers[number], n / 4 * 3 + 4, &used);
        }
        g->sizes[number] = got < 0 ? 0 : (size_t)got;
        if (got < 0)
            gltf_fail(g, CT_ERR_FORMAT, "buffers", number, "its data URI is no base64");
        return;
    }
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - g->m->path) : 0, g->m->path, uri);
    g->buffers[number] = mesh_in_load(path, &g->sizes[number]);
    if (!g->buffers[number])
        mesh_in_fail(g->m, CT_ERR_FILE, NULL, number, "buffers[%d]: the file '%.200s' beside it cannot be opened", number, uri);
}

static const unsigned char *gltf_buffer(gltf *g, double index, size_t *out_n)
{
    const cJSON *b = gltf_at(g, "buffers", index);
    const char *uri = gltf_text(b, "uri");
    int number = b ? (int)index : 0;
    if (!b)
        return NULL;
    if (!*uri) {
        if (number || !g->chunk)
            gltf_fail(g, CT_ERR_FORMAT, "buffers", number, "it has no uri, and the file no binary chunk for it");
        *out_n = g->chunk_n;
        return number ? NULL : g->chunk;
    }
    if (!g->buffers[number])
        gltf_load(g, number, uri);
    *out_n = g->sizes[number];
    return g->m->code == CT_OK ? g->buffers[number] : NULL;
}

/* the numbers of an accessor of `width` components; 0 after an error */
static int gltf_accessor(gltf *g, double index, const char *type, int width, gltf_span *out)
{
    static const int kinds[][2] = {{5121, 1}, {5123, 2}, {5125, 4}, {5126, 4}};
    const cJSON *a = gltf_at(g, "accessors", index), *view;
    const unsigned char *bytes;
    size_t n = 0, size = 0, i;
    double at, begin, length, stride, count, kind;
    int number = a ? (int)index : 0;
    if (!a)
        return 0;
    kind = gltf_number(a, "componentType", 0);
    out->kind = kind > 0 && kind < 10000 ? (int)kind : 0;
    for (i = 0; i < 4; i++)
        if (kinds[i][0] == out->kind && (width == 3) == (out->kind == 5126))
            size = (size_t)(kinds[i][1] * width);
    if (size == 0 || strcmp(gltf_text(a, "type"), type))
        return gltf_fail(g, CT_ERR_UNSUPPORTED, "accessors", number,
                         width == 3 ? "expected positions as VEC3 of floats" : "expected indices as SCALAR of unsigned integers");
    if (cJSON_GetObjectItemCaseSensitive(a, "sparse") || !cJSON_GetObjectItemCaseSensitive(a, "bufferView"))
        return gltf_fail(g, CT_ERR_UNSUPPORTED, "accessors", number, "it is sparse or has no data, which is not read; export it without");
    view = gltf_at(g, "bufferViews", gltf_number(a, "bufferView", -1));
    bytes = view ? gltf_buffer(g, gltf_number(view, "buffer", -1), &n) : NULL;
    if (!bytes)
        return gltf_fail(g, CT_ERR_FORMAT, "accessors", number, "its buffer is not there");
    at = gltf_number(a, "byteOffset", 0), begin = gltf_number(view, "byteOffset", 0), length = gltf_number(view, "byteLength", 0);
    stride = gltf_number(view, "byteStride", (double)size), count = gltf_number(a, "count", 0);
    if (!(count >= 1 && count <= INT_MAX / 12 && count == floor(count) && at >= 0 && begin >= 0 && length >= 0 && stride >= (double)size &&
          stride < 65536 && begin + length <= (double)n && at + stride * (count - 1) + (double)size <= length))
        return gltf_fail(g, CT_ERR_FORMAT, "accessors", number, "its count, offset or stride leave its buffer view, or that its buffer");
    out->at = bytes + (size_t)begin + (size_t)at, out->stride = (size_t)stride, out->count = (int64_t)count;
    return 1;
}

/* ---- nodes ---- */

/* out = a b, of 4x4 matrices by columns */
static void gltf_multiply(const double *a, const double *b, double *out)
{
    int i, j, k;
    for (j = 0; j < 4; j++)
        for (i = 0; i < 4; i++)
            for (out[4 * j + i] = 0, k = 0; k < 4; k++)
                out[4 * j + i] += a[4 * k + i] * b[4 * j + k];
}

/* n numbers of a member; those of `out` stay where it has none */
static void gltf_numbers(const cJSON *o, const char *key, double *out, int n)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, key), *v;
    int i = 0;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != n)
        return;
    cJSON_ArrayForEach(v, list) out[i++] = cJSON_IsNumber(v) ? v->valuedouble : 0;
}

/* the matrix of a node: its own, or translation, rotation and scale */
static void gltf_matrix(const cJSON *node, double *out)
{
    double t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1}, size = 0;
    int j, k;
    gltf_numbers(node, "translation", t, 3), gltf_numbers(node, "rotation", q, 4), gltf_numbers(node, "scale", s, 3);
    for (k = 0; k < 4; k++)
        size += q[k] * q[k];
    for (j = 0; j < 3; j++) { /* column j of the rotation: 2 (q_j q + w e_j x q) + (w^2 - u^2) e_j, over |q|^2 */
        int a = (j + 1) % 3, b = (j + 2) % 3;
        double c[3];
        c[j] = size > 0 ? 1 - 2 * (q[a] * q[a] + q[b] * q[b]) / size : 1;
        c[a] = size > 0 ? 2 * (q[j] * q[a] + q[3] * q[b]) / size : 0;
        c[b] = size > 0 ? 2 * (q[j] * q[b] - q[3] * q[a]) / size : 0;
        for (k = 0; k < 3; k++)
            out[4 * j + k] = c[k] * s[j];
        out[4 * j + 3] = 0, out[12 + j] = t[j];
    }
    out[15] = 1;
    gltf_numbers(node, "matrix", out, 16);
}

static int gltf_is_mirror(const double *T)
{
    return T[0] * (T[5] * T[10] - T[6] * T[9]) - T[4] * (T[1] * T[10] - T[2] * T[9]) + T[8] * (T[1] * T[6] - T[2] * T[5]) < 0;
}

/* ---- meshes ---- */

/* the elements of a primitive of `mode` over n indices c */
static void gltf_elements(gltf *g, int mode, int64_t *c, int64_t n, int mirror)
{
    mesh_in *m = g->m;
    int64_t i;
    if (mode == 2 && n > 1) { /* the loop's last segment */
        const int64_t last[2] = {c[n - 1], c[0]};
        mesh_in_segment(m, last);
    }
    for (i = 0; (mode == 1 ? 2 * i + 1 : i + 1) < n && mode >= 1 && mode <= 3 && m->code == CT_OK; i++)
        mesh_in_segment(m, c + (mode == 1 ? 2 * i : i));
    for (i = 0; (mode == 4 ? 3 * i + 2 : i + 2) < n && mode >= 4 && mode <= 6 && m->code == CT_OK; i++) {
        int64_t k = mode == 4 ? 3 * i : i, odd = mode == 5 ? i % 2 : 0;
        int64_t t[3] = {c[mode == 6 ? 0 : k + odd], c[k + 1 - odd], c[k + 2]};
        if (mirror) {
            k = t[0];
            t[0] = t[1], t[1] = k;
        }
        mesh_in_polygon(m, t, 3);
    }
}

static void gltf_primitive(gltf *g, const cJSON *p, const double *T)
{
    const cJSON *attributes = cJSON_GetObjectItemCaseSensitive(p, "attributes");
    double mode = gltf_number(p, "mode", 4), indices = gltf_number(p, "indices", -1);
    int64_t first = g->m->mesh.n_positions, i, n, *c;
    gltf_span x, s;
    int k;
    if (!cJSON_GetObjectItemCaseSensitive(attributes, "POSITION")) {
        mesh_in_fail(g->m, CT_ERR_FORMAT, NULL, -1, "a primitive of a mesh has no attribute POSITION");
        return;
    }
    memset(&s, 0, sizeof s);
    if (!gltf_accessor(g, gltf_number(attributes, "POSITION", -1), "VEC3", 3, &x) ||
        (indices >= 0 && !gltf_accessor(g, indices, "SCALAR", 1, &s)))
        return;
    for (i = 0; i < x.count && g->m->code == CT_OK; i++) {
        double p3[3], y[3];
        for (k = 0; k < 3; k++)
            p3[k] = mesh_in_f32(mesh_in_bits(x.at + (size_t)i * x.stride + 4 * (size_t)k, 4, 0));
        for (k = 0; k < 3; k++)
            y[k] = T[k] * p3[0] + T[4 + k] * p3[1] + T[8 + k] * p3[2] + T[12 + k];
        mesh_in_point(g->m, y);
    }
    n = indices >= 0 ? s.count : x.count;
    c = (int64_t *)cli_alloc((size_t)n, sizeof *c);
    for (i = 0; i < n && g->m->code == CT_OK; i++) {
        int64_t v = indices < 0 ? i : (int64_t)mesh_in_bits(s.at + (size_t)i * s.stride, s.kind == 5121 ? 1 : s.kind == 5123 ? 2 : 4, 0);
        if (v >= x.count)
            gltf_fail(g, CT_ERR_FORMAT, "accessors", (int)indices, "an index is not below the number of positions");
        c[i] = first + v;
    }
    if (!(mode >= 0 && mode <= 6))
        mesh_in_fail(g->m, CT_ERR_FORMAT, NULL, -1, "a primitive of a mesh has the mode %g, expected 0 .. 6", mode);
    if (g->m->code == CT_OK)
        gltf_elements(g, (int)mode, c, n, gltf_is_mirror(T));
    free(c);
}

static void gltf_node(gltf *g, double index, const double *above)
{
    const cJSON *node = gltf_at(g, "nodes", index), *p, *mesh;
    double own[16], T[16];
    if (!node)
        return;
    if (g->seen[(int)index]) {
        gltf_fail(g, CT_ERR_FORMAT, "nodes", (int)index, "it is in the scene twice; nodes form a tree");
        return;
    }
    g->seen[(int)index] = 1;
    gltf_matrix(node, own);
    gltf_multiply(above, own, T);
    if (cJSON_GetObjectItemCaseSensitive(node, "mesh")) {
        mesh = gltf_at(g, "meshes", gltf_number(node, "mesh", -1));
        cJSON_ArrayForEach(p, cJSON_GetObjectItemCaseSensitive(mesh, "primitives")) gltf_primitive(g, p, T);
    }
    cJSON_ArrayForEach(p, cJSON_GetObjectItemCaseSensitive(node, "children")) if (g->m->code == CT_OK)
        gltf_node(g, cJSON_IsNumber(p) ? p->valuedouble : -1, T);
}

/* the nodes of the scene; of a file without scenes, each mesh as it stands */
static void gltf_scene(gltf *g)
{
    static const double one[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const cJSON *scenes = cJSON_GetObjectItemCaseSensitive(g->root, "scenes"), *scene, *e, *p;
    if (cJSON_IsArray(scenes)) {
        scene = gltf_at(g, "scenes", gltf_number(g->root, "scene", 0));
        cJSON_ArrayForEach(e, cJSON_GetObjectItemCaseSensitive(scene, "nodes")) if (g->m->code == CT_OK)
            gltf_node(g, cJSON_IsNumber(e) ? e->valuedouble : -1, one);
        return;
    }
    cJSON_ArrayForEach(e, cJSON_GetObjectItemCaseSensitive(g->root, "meshes"))
        cJSON_ArrayForEach(p, cJSON_GetObjectItemCaseSensitive(e, "primitives")) if (g->m->code == CT_OK) gltf_primitive(g, p, one);
}

static void gltf_read(gltf *g)
{
    const cJSON *asset = cJSON_GetObjectItemCaseSensitive(g->root, "asset"), *e;
    int i;
    if (strncmp(gltf_text(asset, "version"), "2.", 2)) {
        mesh_in_fail(g->m, CT_ERR_UNSUPPORTED, NULL, -1, "asset.version: expected 2.0, found '%.20s'", gltf_text(asset, "version"));
        return;
    }
    cJSON_ArrayForEach(e, cJSON_GetObjectItemCaseSensitive(g->root, "extensionsRequired")) mesh_in_fail(
        g->m, CT_ERR_UNSUPPORTED, NULL, -1, "extensionsRequired: %.60s is not read; export the file without it (compression, quantization)",
        cJSON_IsString(e) ? e->valuestring : "?");
    g->n_buffers = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(g->root, "buffers"));
    g->n_nodes = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(g->root, "nodes"));
    g->buffers = (unsigned char **)cli_alloc((size_t)g->n_buffers, sizeof *g->buffers);
    g->sizes = (size_t *)cli_alloc((size_t)g->n_buffers, sizeof *g->sizes);
    g->seen = (unsigned char *)cli_alloc((size_t)g->n_nodes, 1);
    if (g->m->code == CT_OK)
        gltf_scene(g);
    for (i = 0; i < g->n_buffers; i++)
        free(g->buffers[i]);
    free(g->buffers), free(g->sizes), free(g->seen);
}

/* the chunks of a .glb: the text of its first, and where its second is; NULL after an error */
static char *gltf_chunks(gltf *g)
{
    const unsigned char *b = g->m->data;
    size_t n = g->m->n, json, chunk;
    char *text;
    if (n < 20 || mesh_in_bits(b, 4, 0) != 0x46546c67 || mesh_in_bits(b + 4, 4, 0) != 2 || mesh_in_bits(b + 16, 4, 0) != 0x4e4f534a) {
        mesh_in_fail(g->m, CT_ERR_FORMAT, "byte", 0, "the file does not begin as binary glTF of version 2 with a JSON chunk");
        return NULL;
    }
    json = (size_t)mesh_in_bits(b + 12, 4, 0);
    if (json > n - 20) {
        mesh_in_fail(g->m, CT_ERR_FORMAT, "byte", 12, "the JSON chunk is longer than the file");
        return NULL;
    }
    if (n - 20 - json >= 8) {
        chunk = (size_t)mesh_in_bits(b + 20 + json, 4, 0);
        if (chunk > n - 28 - json || mesh_in_bits(b + 24 + json, 4, 0) != 0x004e4942) {
            mesh_in_fail(g->m, CT_ERR_FORMAT, "byte", (int64_t)(20 + json), "the binary chunk is longer than the file, or of another kind");
            return NULL;
        }
        g->chunk = b + 28 + json, g->chunk_n = chunk;
    }
    text = (char *)cli_alloc(json + 1, 1);
    memcpy(text, b + 20, json);
    return text;
}

void mesh_in_gltf(mesh_in *m, int is_binary)
{
    gltf g;
    char *own = NULL;
    const char *text, *end = NULL, *p;
    int64_t line = 1;
    memset(&g, 0, sizeof g);
    g.m = m;
    if (is_binary)
        own = gltf_chunks(&g);
    text = is_binary ? own : (const char *)m->data;
    if (!text)
        return;
    g.root = cJSON_ParseWithOpts(text, &end, 1);
    for (p = text; !g.root && end && p < end && *p; p++)
        line += *p == '\n';
    if (!g.root)
        mesh_in_fail(m, CT_ERR_FORMAT, "line", line, "not JSON here");
    else
        gltf_read(&g);
    cJSON_Delete(g.root);
    free(own);
}
