/* mesh_in.c -- what the command line's own readers of meshes share: errors, growing lists, polygons, bytes. */
#include "mesh_in.h"
#include "../src/0_base/stb_include.h"
#include "cli.h"
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int mesh_in_fail(mesh_in *m, ct_code code, const char *unit, int64_t place, const char *format, ...)
{
    va_list args;
    int n = 0;
    if (m->code != CT_OK)
        return 0;
    m->code = code;
    m->place = place;
    if (unit)
        n = snprintf(m->text, sizeof m->text, "%s %lld: ", unit, (long long)place);
    va_start(args, format);
    vsnprintf(m->text + n, sizeof m->text - (size_t)n, format, args);
    va_end(args);
    return 0;
}

unsigned char *mesh_in_load(const char *path, size_t *out_n)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = NULL;
    size_t n = 0, got = 1;
    int bad = !f;
    while (f && got) {
        bytes = (unsigned char *)cli_grow(bytes, n + 65537, 1);
        got = fread(bytes + n, 1, 65536, f);
        n += got;
    }
    bad = bad || ferror(f);
    if (f)
        fclose(f);
    if (bad) {
        free(bytes);
        return NULL;
    }
    bytes[n] = 0;
    *out_n = n;
    return bytes;
}

/* an array of the library with one more element of `size` bytes, which is not set; its length goes up */
static void *mesh_in_more(void *array, size_t size)
{
    stbds_array_header *h = array ? stbds_header(array) : NULL;
    size_t length = h ? h->length : 0, capacity = h ? h->capacity : 0;
    if (length == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        h = (stbds_array_header *)cli_grow(h, sizeof *h + capacity * size, 1);
        memset(h, 0, sizeof *h);
        h->capacity = capacity;
    }
    h->length = length + 1;
    return h + 1;
}

static int mesh_in_put(mesh_in *m, int32_t **list, int *count, const int64_t *corners, int n, const char *what)
{
    int k;
    if (*count >= INT_MAX / 12)
        return mesh_in_fail(m, CT_ERR_UNSUPPORTED, NULL, -1, "too many %s", what);
    for (k = 0; k < n && m->code == CT_OK; k++) {
        *list = (int32_t *)mesh_in_more(*list, sizeof **list);
        (*list)[n * *count + k] = (int32_t)corners[k];
    }
    *count += m->code == CT_OK;
    return m->code == CT_OK;
}

int mesh_in_point(mesh_in *m, const double x[3])
{
    int k;
    if (m->mesh.n_positions >= INT_MAX / 12)
        return mesh_in_fail(m, CT_ERR_UNSUPPORTED, NULL, -1, "too many vertices");
    for (k = 0; k < 3 && m->code == CT_OK; k++) {
        ct_real y = (ct_real)x[k];
        if (y - y != 0)
            return mesh_in_fail(m, CT_ERR_FORMAT, "vertex", m->mesh.n_positions, "a coordinate is not a finite number");
        m->mesh.positions = (ct_real *)mesh_in_more(m->mesh.positions, sizeof y);
        m->mesh.positions[3 * m->mesh.n_positions + k] = y;
    }
    m->mesh.n_positions += m->code == CT_OK;
    return m->code == CT_OK;
}

int mesh_in_tet(mesh_in *m, const int64_t corners[4]) { return mesh_in_put(m, &m->mesh.tets, &m->mesh.n_tets, corners, 4, "tets"); }

int mesh_in_segment(mesh_in *m, const int64_t corners[2])
{
    return mesh_in_put(m, &m->mesh.segments, &m->mesh.n_segments, corners, 2, "segments");
}

/* twice the area vector of the triangle of three vertices */
static void mesh_in_area(const ct_real *x, const int64_t *c, int i, int j, int k, double n[3])
{
    double a[3], b[3];
    int d;
    for (d = 0; d < 3; d++) {
        a[d] = (double)x[3 * c[j] + d] - (double)x[3 * c[i] + d];
        b[d] = (double)x[3 * c[k] + d] - (double)x[3 * c[i] + d];
    }
    n[0] = a[1] * b[2] - a[2] * b[1], n[1] = a[2] * b[0] - a[0] * b[2], n[2] = a[0] * b[1] - a[1] * b[0];
}

/* 1 if no triangle of the fan around corner `first` is turned against the whole polygon */
static int mesh_in_fan_fits(const ct_real *x, const int64_t *c, int n, int first)
{
    double sum[3] = {0, 0, 0}, part[3];
    int pass, i, k;
    for (pass = 0; pass < 2; pass++)
        for (i = 1; i + 1 < n; i++) {
            mesh_in_area(x, c, first, (first + i) % n, (first + i + 1) % n, part);
            for (k = 0; !pass && k < 3; k++)
                sum[k] += part[k];
            if (pass && part[0] * sum[0] + part[1] * sum[1] + part[2] * sum[2] < 0)
                return 0;
        }
    return 1;
}

int mesh_in_polygon(mesh_in *m, const int64_t *corners, int n)
{
    int first = 0, i;
    while (first < n && !mesh_in_fan_fits(m->mesh.positions, corners, n, first))
        first++;
    if (n > 2 && first == n)
        return mesh_in_fail(
            m, CT_ERR_FORMAT, "triangle", m->mesh.n_triangles,
            "a polygon of %d corners cannot be divided from one of its corners; cut it into triangles in the program that made it", n);
    for (i = 1; i + 1 < n; i++) {
        const int64_t t[3] = {corners[first], corners[(first + i) % n], corners[(first + i + 1) % n]};
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
            continue;
        if (!mesh_in_put(m, &m->mesh.triangles, &m->mesh.n_triangles, t, 3, "triangles"))
            return 0;
    }
    return 1;
}

static int mesh_in_digit(int c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

long mesh_in_base64(const char *text, size_t n, unsigned char *out, size_t most, size_t *out_used)
{
    size_t i, count = 0;
    uint32_t bits = 0;
    int have = 0, padding = 0;
    for (i = 0; i < n && count < most; i++) {
        int d;
        if (isspace((unsigned char)text[i]))
            continue;
        if (text[i] == '=') {
            for (padding = 1; i + 1 < n && text[i + 1] == '='; i++)
                ;
            i++;
            break;
        }
        d = mesh_in_digit(text[i]);
        if (d < 0)
            return -1;
        bits = bits << 6 | (uint32_t)d;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[count++] = (unsigned char)(bits >> have & 255);
        }
    }
    /* the padding of the last bytes belongs to them */
    while (!padding && i < n && (text[i] == '=' || isspace((unsigned char)text[i])))
        i++;
    *out_used = i;
    return (long)count;
}

uint64_t mesh_in_bits(const unsigned char *at, int size, int big)
{
    uint64_t u = 0;
    int i;
    for (i = 0; i < size; i++)
        u |= (uint64_t)at[i] << (8 * (big ? size - 1 - i : i));
    return u;
}

double mesh_in_f32(uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float x;
    memcpy(&x, &u, sizeof x);
    return (double)x;
}

double mesh_in_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int mesh_in_ends(const char *path, const char *extension)
{
    size_t n = strlen(path), k = strlen(extension), i;
    if (n < k)
        return 0;
    for (i = 0; i < k; i++)
        if (tolower((unsigned char)path[n - k + i]) != extension[i])
            return 0;
    return 1;
}

/* 0: the library's formats */
static int mesh_in_format(const char *path)
{
    static const char *const extensions[] = {".mesh", ".meshb", ".vtu", ".gltf", ".glb"};
    int i;
    for (i = 0; i < 5; i++)
        if (mesh_in_ends(path, extensions[i]))
            return i + 1;
    return 0;
}

static void mesh_in_parse(mesh_in *m, int format)
{
    if (format < 3)
        mesh_in_medit(m, format == 2);
    else if (format == 3)
        mesh_in_vtu(m);
    else
        mesh_in_gltf(m, format == 5);
    if (m->mesh.n_positions == 0)
        mesh_in_fail(m, CT_ERR_FORMAT, NULL, -1, "the file has no vertex");
}

ct_code mesh_in_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error)
{
    static mesh_in m; /* its text is valid until the next file is read */
    int format = mesh_in_format(path);
    unsigned char *bytes = NULL;
    ct_code code;
    if (!format) {
        code = ct_mesh_read(path, out_mesh, out_error);
        if (code == CT_ERR_UNSUPPORTED && strstr(out_error->text, "file name must end in"))
            out_error->text = "file name must end in .obj, .msh, .ply, .stl, .vtk, .vtu, .mesh, .meshb, .gltf, .glb, .node or .ele (mesh "
                              "formats that are read)";
        return code;
    }
    memset(&m, 0, sizeof m);
    m.path = path;
    bytes = mesh_in_load(path, &m.n);
    m.data = bytes;
    if (bytes)
        mesh_in_parse(&m, format);
    else
        mesh_in_fail(&m, CT_ERR_FILE, NULL, -1, "cannot open the file");
    free(bytes);
    m.data = NULL;
    if (m.code == CT_OK) {
        *out_mesh = m.mesh;
        return CT_OK;
    }
    ct_mesh_free(&m.mesh);
    memset(out_error, 0, sizeof *out_error);
    out_error->code = m.code, out_error->text = m.text, out_error->element = m.place;
    return m.code;
}
