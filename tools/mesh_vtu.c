/* mesh_vtu.c -- VTK's XML unstructured grids (.vtu): points, and cells that are lines, triangles, strips, polygons, pixels, quads or tets.
   Arrays may be text, base64, or appended raw or in base64, plain or compressed by zlib, of either order of bytes; there may be several
   pieces. Method: the tags are read one after the other; of arrays only Points, connectivity, offsets and types are decoded. Vertex cells
   are points, which need no list. Other cells are refused, since leaving them out would tear holes. based on: VTK XML file formats,
   version 1.0 (docs.vtk.org). Inflation is that of stb_image. */
#include "mesh_in.h"
#include "cli.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_SIMD
#include <stb/stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

enum { VTU_POINTS, VTU_CONNECTIVITY, VTU_OFFSETS, VTU_TYPES, VTU_LISTS };
static const char *const vtu_names[VTU_LISTS] = {"Points", "connectivity", "offsets", "types"};

typedef struct vtu_list {
    double *real;   /* Points */
    int64_t *whole; /* the others */
    size_t n;
    int known;
} vtu_list;

typedef struct vtu {
    mesh_in *m;
    const char *at, *end;     /* in the file */
    char tag[512];            /* the tag that was read last, without < and > */
    int big, header, is_zlib; /* order of bytes; 4 or 8 bytes of a length; arrays are compressed */
    const char *appended;     /* first byte of the appended data; NULL: none */
    int appended_is_raw;
    char section[32];          /* Points, Cells or another element around the arrays */
    int64_t n_points, n_cells; /* of the piece */
    vtu_list lists[VTU_LISTS];
} vtu;

static int vtu_fail(vtu *v, ct_code code, const char *format, const char *what)
{
    return mesh_in_fail(v->m, code, "byte", (int64_t)(v->at - (const char *)v->m->data), format, what);
}

/* the next tag; 0 at the end of the file, or where the appended data begin */
static int vtu_next(vtu *v)
{
    const char *close;
    size_t n;
    for (;;) {
        while (v->at < v->end && *v->at != '<')
            v->at++;
        if (v->at == v->end)
            return 0;
        if (v->end - v->at > 4 && !memcmp(v->at, "<!--", 4)) {
            for (v->at += 4; v->end - v->at > 3 && memcmp(v->at, "-->", 3); v->at++)
                ;
            continue;
        }
        close = (const char *)memchr(v->at, '>', (size_t)(v->end - v->at));
        n = close ? (size_t)(close - v->at - 1) : 0;
        if (!close || n >= sizeof v->tag)
            return vtu_fail(v, CT_ERR_FORMAT, "%s", "a tag that does not end");
        memcpy(v->tag, v->at + 1, n);
        v->tag[n] = 0;
        v->at = close + 1;
        return 1;
    }
}

static int vtu_is(const vtu *v, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(v->tag, name, n) && !isalnum((unsigned char)v->tag[n]);
}

/* the value of an attribute of the tag into out; "" where it has none */
static const char *vtu_attribute(const vtu *v, const char *name, char *out, size_t size)
{
    const char *p = v->tag;
    size_t n = strlen(name), k;
    out[0] = 0;
    while ((p = strstr(p, name)) != NULL) {
        const char *q = p + n;
        char quote;
        int begins = p > v->tag && isspace((unsigned char)p[-1]);
        p = q;
        q += strspn(q, " \t\r\n");
        if (!begins || *q != '=')
            continue;
        q += 1 + strspn(q + 1, " \t\r\n");
        quote = *q;
        if (quote != '"' && quote != '\'')
            continue;
        for (k = 0, q++; *q && *q != quote && k + 1 < size; k++)
            out[k] = *q++;
        out[k] = 0;
        return out;
    }
    return out;
}

/* ---- arrays ---- */

/* bytes of a value of the type, 0: no number; *is_real, *is_signed */
static int vtu_width(const char *type, int *is_real, int *is_signed)
{
    static const struct {
        const char *name;
        int width, is_real, is_signed;
    } types[] = {{"Int8", 1, 0, 1},   {"UInt8", 1, 0, 0}, {"Int16", 2, 0, 1},  {"UInt16", 2, 0, 0},  {"Int32", 4, 0, 1},
                 {"UInt32", 4, 0, 0}, {"Int64", 8, 0, 1}, {"UInt64", 8, 0, 0}, {"Float32", 4, 1, 0}, {"Float64", 8, 1, 0}};
    size_t i;
    for (i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].name)) {
            *is_real = types[i].is_real, *is_signed = types[i].is_signed;
            return types[i].width;
        }
    return 0;
}

static void vtu_push(vtu_list *l, double x, int64_t i)
{
    if (l->n % 1024 == 0) {
        l->real = (double *)cli_grow(l->real, l->n + 1024, sizeof *l->real);
        l->whole = (int64_t *)cli_grow(l->whole, l->n + 1024, sizeof *l->whole);
    }
    l->real[l->n] = x, l->whole[l->n++] = i;
}

static void vtu_values(vtu *v, vtu_list *l, const unsigned char *bytes, size_t n, const char *type)
{
    int is_real = 0, is_signed = 0, width = vtu_width(type, &is_real, &is_signed);
    size_t i;
    for (i = 0; i + (size_t)width <= n; i += (size_t)width) {
        uint64_t u = mesh_in_bits(bytes + i, width, v->big), sign = (uint64_t)1 << (8 * width - 1);
        int64_t x = is_signed ? (int64_t)((u ^ sign) - sign) : u >> 62 ? -1 : (int64_t)u;
        vtu_push(l, !is_real ? (double)x : width == 4 ? mesh_in_f32(u) : mesh_in_f64(u), is_real ? -1 : x);
    }
    if (n % (size_t)width)
        vtu_fail(v, CT_ERR_FORMAT, "the bytes of an array are no multiple of its values' size: %s", type);
}

static void vtu_ascii(vtu *v, vtu_list *l)
{
    while (v->at < v->end && *v->at != '<') {
        char *next;
        double x;
        if (isspace((unsigned char)*v->at)) {
            v->at++;
            continue;
        }
        x = strtod(v->at, &next);
        if (next == v->at) {
            vtu_fail(v, CT_ERR_FORMAT, "expected a number of an array%s", "");
            return;
        }
        v->at = next;
        vtu_push(l, x, x == (double)(int64_t)(x > -1e15 && x < 1e15 ? x : 0) ? (int64_t)x : -1);
    }
}

/* a source of bytes: raw, or base64, of which each part that was encoded by itself begins anew */
typedef struct vtu_source {
    const char *at, *end;
    int is_raw;
} vtu_source;

/* n bytes, to free; NULL after an error */
static unsigned char *vtu_take(vtu *v, vtu_source *s, size_t n, const char *what)
{
    size_t left = (size_t)(s->end - s->at), used = 0;
    unsigned char *out;
    if (n > (s->is_raw ? left : left / 4 * 3 + 3)) {
        vtu_fail(v, CT_ERR_FORMAT, "the data of an array end early: %s", what);
        return NULL;
    }
    out = (unsigned char *)cli_alloc(n + 1, 1);
    if (s->is_raw)
        memcpy(out, s->at, n), used = n;
    else if (mesh_in_base64(s->at, left, out, n, &used) != (long)n) {
        vtu_fail(v, CT_ERR_FORMAT, "the data of an array are no base64, or end early: %s", what);
        free(out);
        return NULL;
    }
    s->at += used;
    return out;
}

/* a length in front of an array's data, then the data. Base64 has both in one part, or each in one: then the first has padding */
static void vtu_plain(vtu *v, vtu_list *l, vtu_source *s, const char *type)
{
    vtu_source again = *s;
    unsigned char *head = vtu_take(v, &again, (size_t)v->header, "its length"), *all;
    size_t skip = (size_t)v->header;
    uint64_t n;
    int apart;
    if (!head)
        return;
    n = mesh_in_bits(head, v->header, v->big);
    free(head);
    apart = s->is_raw || memchr(s->at, '=', (size_t)(again.at - s->at)) != NULL;
    if (apart)
        *s = again, skip = 0;
    if (n > (uint64_t)(s->end - s->at)) {
        vtu_fail(v, CT_ERR_FORMAT, "the length of an array is more than the file has: %s", type);
        return;
    }
    all = vtu_take(v, s, skip + (size_t)n, type);
    if (all)
        vtu_values(v, l, all + skip, (size_t)n, type);
    free(all);
}

/* number of blocks, size of all but the last, size of the last (0: as the others), compressed sizes; then the blocks, all of them one part
 */
static void vtu_zlib(vtu *v, vtu_list *l, vtu_source *s, const char *type)
{
    size_t h = (size_t)v->header, total = 0, left, i;
    vtu_source again = *s;
    unsigned char *head = vtu_take(v, &again, 3 * h, "its blocks"), *sizes = NULL, *packed = NULL, *out = NULL;
    uint64_t n = head ? mesh_in_bits(head, v->header, v->big) : 0, block = head ? mesh_in_bits(head + h, v->header, v->big) : 0;
    uint64_t last = head ? mesh_in_bits(head + 2 * h, v->header, v->big) : 0;
    free(head);
    if (n == 0)
        return;
    left = (size_t)(s->end - s->at);
    if (n > left || block > INT_MAX / 2 || last > block || block > 2000 * (uint64_t)left)
        vtu_fail(v, CT_ERR_FORMAT, "the blocks of a compressed array are more than the file has: %s", type);
    else
        sizes = vtu_take(v, s, (3 + (size_t)n) * h, "the sizes of its blocks");
    for (i = 0; sizes && i < n; i++) {
        uint64_t size = mesh_in_bits(sizes + (3 + i) * h, v->header, v->big);
        total += size > left ? left + 1 : (size_t)size;
    }
    packed = sizes ? vtu_take(v, s, total, "its blocks") : NULL;
    out = packed ? (unsigned char *)cli_alloc((size_t)block + 1, 1) : NULL;
    for (i = 0, total = 0; out && i < n && v->m->code == CT_OK; i++) {
        size_t size = (size_t)mesh_in_bits(sizes + (3 + i) * h, v->header, v->big), want = (size_t)(i + 1 == n && last ? last : block);
        int got = size > INT_MAX ? -1 : stbi_zlib_decode_buffer((char *)out, (int)want, (const char *)packed + total, (int)size);
        if (got < 0 || (size_t)got != want)
            vtu_fail(v, CT_ERR_FORMAT, "a block of a compressed array does not inflate to its size: %s", type);
        else
            vtu_values(v, l, out, want, type);
        total += size;
    }
    free(sizes), free(packed), free(out);
}

/* the array of the tag that was read last */
static void vtu_array(vtu *v, vtu_list *l, const char *name)
{
    char type[16], format[16], offset[32];
    vtu_source s;
    int unused;
    vtu_attribute(v, "type", type, sizeof type);
    vtu_attribute(v, "format", format, sizeof format);
    vtu_attribute(v, "offset", offset, sizeof offset);
    if (l->known) {
        vtu_fail(v, CT_ERR_FORMAT, "a second array %s in a piece", name);
        return;
    }
    l->known = 1, l->n = 0;
    if (!vtu_width(type, &unused, &unused)) {
        vtu_fail(v, CT_ERR_FORMAT, "an array of numbers is of type Int8 .. UInt64, Float32 or Float64, found '%s'", type);
        return;
    }
    s.at = v->at, s.end = (const char *)memchr(v->at, '<', (size_t)(v->end - v->at));
    s.is_raw = 0;
    if (!strcmp(format, "appended")) {
        uint64_t at = strtoull(offset, NULL, 10);
        s.is_raw = v->appended_is_raw, s.end = (const char *)v->m->data + v->m->n;
        if (!v->appended || at > (uint64_t)(s.end - v->appended)) {
            vtu_fail(v, CT_ERR_FORMAT, "an array is appended, but the file has no data at its offset %s", offset);
            return;
        }
        s.at = v->appended + at;
    } else if (!strcmp(format, "ascii") || !*format) {
        vtu_ascii(v, l);
        return;
    } else if (strcmp(format, "binary") || !s.end) {
        vtu_fail(v, CT_ERR_FORMAT, "an array has the format ascii, binary or appended, found '%s'", format);
        return;
    }
    while (!s.is_raw && s.at < s.end && isspace((unsigned char)*s.at))
        s.at++;
    if (v->is_zlib)
        vtu_zlib(v, l, &s, type);
    else
        vtu_plain(v, l, &s, type);
}

/* ---- cells ---- */

/* one cell of n corners c; 0 after an error */
static int vtu_cell(vtu *v, int64_t type, int64_t *c, int n, int64_t number)
{
    static const int corners[11] = {0, 1, 0, 2, 0, 3, 0, 0, 4, 4, 4};
    int64_t t;
    int i, ok = 1;
    if (type < 1 || type > 10)
        return mesh_in_fail(v->m, CT_ERR_UNSUPPORTED, "cell", number,
                            "type %lld is not read: lines, triangles, strips, polygons, quads and tets are (of second order and hexahedra: "
                            "convert the mesh)",
                            (long long)type);
    if (corners[type] && corners[type] != n)
        return mesh_in_fail(v->m, CT_ERR_FORMAT, "cell", number, "type %lld has %d corners, found %d", (long long)type, corners[type], n);
    if (type == 10)
        return mesh_in_tet(v->m, c);
    if (type == 8)
        t = c[2], c[2] = c[3], c[3] = t;
    if (type == 5 || type == 7 || type == 8 || type == 9)
        return mesh_in_polygon(v->m, c, n);
    for (i = 0; (type == 3 || type == 4) && i + 1 < n && ok; i++)
        ok = mesh_in_segment(v->m, c + i);
    for (i = 0; type == 6 && i + 2 < n && ok; i++) {
        const int64_t s[3] = {c[i + i % 2], c[i + 1 - i % 2], c[i + 2]};
        ok = mesh_in_polygon(v->m, s, 3);
    }
    return ok;
}

static void vtu_cells(vtu *v, int64_t first)
{
    const vtu_list *c = &v->lists[VTU_CONNECTIVITY], *o = &v->lists[VTU_OFFSETS], *t = &v->lists[VTU_TYPES];
    int64_t i, k, from = 0;
    for (i = 0; i < v->n_cells; from = o->whole[i++]) {
        int64_t n = o->whole[i] - from;
        int64_t *corners;
        int ok = 1;
        if (o->whole[i] < from || o->whole[i] > (int64_t)c->n || n > INT_MAX / 4) {
            mesh_in_fail(v->m, CT_ERR_FORMAT, "cell", i, "offsets must rise up to the length of connectivity, %llu",
                         (unsigned long long)c->n);
            return;
        }
        corners = (int64_t *)cli_alloc((size_t)n + 1, sizeof *corners);
        for (k = 0; k < n && ok; k++) {
            int64_t p = c->whole[from + k];
            corners[k] = first + p;
            if (p < 0 || p >= v->n_points)
                ok = mesh_in_fail(v->m, CT_ERR_FORMAT, "cell", i, "it names point %lld of %lld", (long long)p, (long long)v->n_points);
        }
        ok = ok && vtu_cell(v, t->whole[i], corners, (int)n, i);
        free(corners);
        if (!ok)
            return;
    }
}

/* ends a piece: its points and cells become those of the mesh */
static void vtu_piece(vtu *v)
{
    static const char *const missing = "a piece has no array %s of the length that it names";
    vtu_list *l = v->lists;
    int64_t first = v->m->mesh.n_positions, i;
    int k;
    if (v->n_points < 0 || v->n_points > INT_MAX / 12 || v->n_cells < 0 || v->n_cells > INT_MAX / 12)
        vtu_fail(v, CT_ERR_FORMAT, "expected NumberOfPoints and NumberOfCells in a %s", "Piece, of at most 178 millions");
    if (v->n_points && l[VTU_POINTS].n != 3 * (size_t)v->n_points)
        vtu_fail(v, CT_ERR_FORMAT, missing, "Points");
    for (k = VTU_OFFSETS; k <= VTU_TYPES && v->n_cells; k++)
        if (l[k].n != (size_t)v->n_cells)
            vtu_fail(v, CT_ERR_FORMAT, missing, vtu_names[k]);
    for (i = 0; i < v->n_points && v->m->code == CT_OK; i++)
        mesh_in_point(v->m, l[VTU_POINTS].real + 3 * i);
    if (v->m->code == CT_OK)
        vtu_cells(v, first);
    for (k = 0; k < VTU_LISTS; k++)
        l[k].known = 0, l[k].n = 0;
}

/* ---- the file ---- */

static void vtu_head(vtu *v)
{
    char value[64];
    v->big = !strcmp(vtu_attribute(v, "byte_order", value, sizeof value), "BigEndian");
    v->header = !strcmp(vtu_attribute(v, "header_type", value, sizeof value), "UInt64") ? 8 : 4;
    vtu_attribute(v, "compressor", value, sizeof value);
    v->is_zlib = !strcmp(value, "vtkZLibDataCompressor");
    if (*value && !v->is_zlib)
        vtu_fail(v, CT_ERR_UNSUPPORTED, "compressor %s is not read; save it with zlib (vtkZLibDataCompressor) or uncompressed", value);
    if (strcmp(vtu_attribute(v, "type", value, sizeof value), "UnstructuredGrid"))
        vtu_fail(v, CT_ERR_UNSUPPORTED, "expected a VTKFile of type UnstructuredGrid, found '%s'", value);
}

/* finds the appended data, which are behind everything else, and which may contain any bytes */
static void vtu_find_appended(vtu *v)
{
    static const char word[] = "<AppendedData";
    const char *p = v->at;
    for (; v->end - p > (long)sizeof word && memcmp(p, word, sizeof word - 1); p++)
        ;
    if (v->end - p <= (long)sizeof word)
        return;
    v->end = p;
    for (; *p && *p != '>'; p++)
        if (!strncmp(p, "raw", 3))
            v->appended_is_raw = 1;
    for (; *p && *p != '_'; p++)
        ;
    v->appended = *p ? p + 1 : NULL;
}

static void vtu_tag(vtu *v)
{
    char value[64];
    int k;
    if (vtu_is(v, "VTKFile"))
        vtu_head(v);
    else if (vtu_is(v, "Piece")) {
        v->n_points = strtoll(vtu_attribute(v, "NumberOfPoints", value, sizeof value), NULL, 10);
        v->n_cells = strtoll(vtu_attribute(v, "NumberOfCells", value, sizeof value), NULL, 10);
        if (v->tag[strlen(v->tag) - 1] == '/')
            vtu_piece(v);
    } else if (vtu_is(v, "/Piece"))
        vtu_piece(v);
    else if (vtu_is(v, "Points") || vtu_is(v, "Cells") || vtu_is(v, "PointData") || vtu_is(v, "CellData") || vtu_is(v, "FieldData"))
        snprintf(v->section, sizeof v->section, "%.10s", v->tag);
    else if (vtu_is(v, "DataArray")) {
        vtu_attribute(v, "Name", value, sizeof value);
        if (!strncmp(v->section, "Points", 6))
            vtu_array(v, &v->lists[VTU_POINTS], "Points");
        for (k = VTU_CONNECTIVITY; k < VTU_LISTS && !strncmp(v->section, "Cells", 5); k++)
            if (!strcmp(value, vtu_names[k]))
                vtu_array(v, &v->lists[k], vtu_names[k]);
    }
}

void mesh_in_vtu(mesh_in *m)
{
    vtu v;
    int k, any = 0;
    memset(&v, 0, sizeof v);
    v.m = m, v.at = (const char *)m->data, v.end = v.at + m->n, v.header = 4;
    vtu_find_appended(&v);
    while (m->code == CT_OK && vtu_next(&v)) {
        any |= vtu_is(&v, "VTKFile");
        if (!any && v.tag[0] != '?')
            vtu_fail(&v, CT_ERR_FORMAT, "the file does not begin with <%s", "VTKFile");
        vtu_tag(&v);
    }
    if (!any)
        vtu_fail(&v, CT_ERR_FORMAT, "the file has no <%s", "VTKFile");
    for (k = 0; k < VTU_LISTS; k++)
        free(v.lists[k].real), free(v.lists[k].whole);
}
