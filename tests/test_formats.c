/* test_formats.c -- PLY, STL, TetGen and legacy VTK readers, and the writers: every layout of a format gives the same mesh, refusals name
   the line or the byte, files that are cut off at any byte, changed at random or read with failing memory end in a code and leak nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "../src/9_files/files.h"

typedef ct_code test_reader(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);

/* ---- files that a test writes byte by byte ---- */

typedef struct test_bytes {
    char data[16384];
    size_t n;
    int big;
} test_bytes;

static void put_text(test_bytes *b, const char *text)
{
    memcpy(b->data + b->n, text, strlen(text));
    b->n += strlen(text);
}

static void put_bits(test_bytes *b, uint64_t u, int size)
{
    int i;
    for (i = 0; i < size; i++)
        b->data[b->n++] = (char)(u >> (8 * (b->big ? size - 1 - i : i)));
}

static void put_float(test_bytes *b, double x)
{
    float f = (float)x;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    put_bits(b, u, 4);
}

static void put_double(test_bytes *b, double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    put_bits(b, u, 8);
}

static void put_ints(test_bytes *b, int size, int n, const int *values)
{
    int i;
    for (i = 0; i < n; i++)
        put_bits(b, (uint64_t)(int64_t)values[i], size);
}

/* ---- reading ---- */

static cti_mem test_mem;

/* from a block of exactly n bytes, so that the sanitizer sees a read past the end */
static ct_code read_bytes(test_reader *reader, const char *bytes, size_t n, ct_mesh *m, ct_error_info *e)
{
    char *copy = (char *)malloc(n ? n : 1);
    ct_code code;
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    memset(m, 0, sizeof *m);
    code = reader(&test_mem, copy, n, m, e);
    m->n_positions = CTI_LEN(m->positions) / 3, m->n_triangles = CTI_LEN(m->triangles) / 3, m->n_tets = CTI_LEN(m->tets) / 4;
    m->n_segments = CTI_LEN(m->segments) / 2;
    free(copy);
    return code;
}

static void release(ct_mesh *m)
{
    CTI_FREE(&test_mem, m->positions);
    CTI_FREE(&test_mem, m->triangles);
    CTI_FREE(&test_mem, m->tets);
    CTI_FREE(&test_mem, m->segments);
    assert_int_equal(test_mem.bytes_live, 0);
}

/* All indices of an accepted mesh are in range: a damaged file may be read, but never past its arrays */
static void check_range(const ct_mesh *m)
{
    int i;
    for (i = 0; i < 3 * m->n_triangles; i++)
        assert_true(m->triangles[i] >= 0 && m->triangles[i] < m->n_positions);
    for (i = 0; i < 4 * m->n_tets; i++)
        assert_true(m->tets[i] >= 0 && m->tets[i] < m->n_positions);
    for (i = 0; i < 2 * m->n_segments; i++)
        assert_true(m->segments[i] >= 0 && m->segments[i] < m->n_positions);
    for (i = 0; i < 3 * m->n_positions; i++)
        assert_true(cti_finite(m->positions[i]));
}

/* cut off at every byte, changed at random, and with the k-th allocation failing */
static int memory_left;
static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    CTI_UNUSED(user);
    CTI_UNUSED(old_size);
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return memory_left-- > 0 ? realloc(block, new_size) : NULL;
}

static uint32_t test_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void check_damage(test_reader *reader, const char *bytes, size_t n)
{
    ct_mesh m;
    ct_error_info e;
    ct_code code;
    ct_allocator a;
    uint32_t state = 12345;
    size_t i;
    int k;
    char *copy = (char *)malloc(n);
    assert_non_null(copy);
    for (i = 0; i < n; i++) {
        memset(&e, 0, sizeof e);
        code = read_bytes(reader, bytes, i, &m, &e);
        if (code == CT_OK)
            check_range(&m);
        else
            assert_true(e.code == code && e.text && e.text[0]);
        release(&m);
    }
    for (k = 0; k < 3000; k++) {
        int changes = 1 + (int)(test_random(&state) % 4);
        memcpy(copy, bytes, n);
        while (changes--)
            copy[test_random(&state) % n] =
                (char)(test_random(&state) % 3 ? "0123456789-. \n"[test_random(&state) % 14] : (char)test_random(&state));
        code = read_bytes(reader, copy, n, &m, NULL);
        if (code == CT_OK)
            check_range(&m);
        release(&m);
        assert_true(test_mem.bytes_peak < 1000000);
    }
    free(copy);
    memset(&a, 0, sizeof a);
    a.resize = failing_resize;
    for (k = 0;; k++) {
        cti_mem_init(&test_mem, &a);
        memory_left = k;
        memset(&e, 0, sizeof e);
        code = read_bytes(reader, bytes, n, &m, &e);
        release(&m);
        if (code == CT_OK)
            break;
        assert_true(code == CT_ERR_MEMORY && e.code == code);
        assert_true(k < 100);
    }
    cti_mem_init(&test_mem, NULL);
}

static void refused(test_reader *reader, const char *bytes, size_t n, ct_code code, int64_t place, const char *begin, const char *word)
{
    ct_mesh m;
    ct_error_info e;
    char prefix[64];
    ct_code got;
    memset(&e, 0, sizeof e);
    got = read_bytes(reader, bytes, n, &m, &e);
    release(&m);
    snprintf(prefix, sizeof prefix, "%s %lld: ", begin, (long long)place);
    if (got != code || e.code != code || e.element != place || strncmp(e.text, prefix, strlen(prefix)) != 0 || !strstr(e.text, word))
        fail_msg("%.400s\nexpected code %d, %s.. %s; got code %d, element %lld: %s", bytes, (int)code, prefix, word, (int)got,
                 (long long)e.element, e.text ? e.text : "");
}

static void refused_line(test_reader *reader, const char *text, ct_code code, int64_t line, const char *word)
{
    refused(reader, text, strlen(text), code, line, "line", word);
}

/* ---- PLY ---- */

/* Vertices 0..4 with a colour between, an unknown element in front, a triangle and a quad, an edge; every number that is used is exact in
 * float. */
static const double ply_x[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.25}, {0, 1, -0.5}, {-1, 0.5, -1}};

static void make_ply(test_bytes *b, char format)
{
    static const int tri[3] = {0, 1, 2}, quad[4] = {0, 2, 3, 4};
    char line[200];
    int i, big = format == 'B';
    memset(b, 0, sizeof *b);
    b->big = big;
    put_text(b, "ply\r\nformat ");
    put_text(b, format == 'a' ? "ascii 1.0\n" : (big ? "binary_big_endian 1.0\n" : "binary_little_endian 1.0\n"));
    put_text(
        b,
        "comment element vertex 3\nobj_info anything\nelement camera 2\nproperty double f\nproperty list uchar short ids\nproperty int8 z\n"
        "element vertex 5\nproperty float x\nproperty double y\nproperty uchar red\nproperty int z4\nproperty float32 z\n"
        "element face 2\nproperty uchar flags\nproperty list uint8 int vertex_indices\nproperty list int float uv\n"
        "element edge 1\nproperty ushort vertex1\nproperty int vertex2\nend_header\n");
    if (format == 'a') {
        put_text(b, "1.5 2 7 8 -1\n\n2.5 0 4\n");
        for (i = 0; i < 5; i++) {
            snprintf(line, sizeof line, "%.9g %.9g 255 -3 %.9g \n", ply_x[i][0], ply_x[i][1], ply_x[i][2]);
            put_text(b, line);
        }
        put_text(b, "0 3 0 1 2 0\n0 4 0 2 3 4 2 nan 0.5\n3 4\n");
        return;
    }
    put_double(b, 1.5), put_bits(b, 2, 1), put_bits(b, 7, 2), put_bits(b, 8, 2), put_bits(b, 255, 1);
    put_double(b, 2.5), put_bits(b, 0, 1), put_bits(b, 4, 1);
    for (i = 0; i < 5; i++)
        put_float(b, ply_x[i][0]), put_double(b, ply_x[i][1]), put_bits(b, 255, 1), put_bits(b, 77, 4), put_float(b, ply_x[i][2]);
    put_bits(b, 0, 1), put_bits(b, 3, 1), put_ints(b, 4, 3, tri), put_bits(b, 0, 4);
    put_bits(b, 0, 1), put_bits(b, 4, 1), put_ints(b, 4, 4, quad), put_bits(b, 2, 4), put_float(b, 1), put_float(b, 2);
    put_bits(b, 3, 2), put_bits(b, 4, 4);
}

static void test_ply(void **state)
{
    static const int32_t want[9] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
    static const char formats[] = "abB";
    static test_bytes b;
    ct_mesh m;
    ct_error_info e;
    int f, i;
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    for (f = 0; f < 3; f++) {
        make_ply(&b, formats[f]);
        if (read_bytes(cti_read_ply, b.data, b.n, &m, &e) != CT_OK)
            fail_msg("format %c: %s", formats[f], e.text);
        assert_int_equal(m.n_positions, 5);
        for (i = 0; i < 15; i++)
            assert_true(m.positions[i] == (ct_real)ply_x[i / 3][i % 3]);
        assert_int_equal(m.n_triangles, 3);
        assert_memory_equal(m.triangles, want, sizeof want);
        assert_int_equal(m.n_segments, 1);
        assert_true(m.segments[0] == 3 && m.segments[1] == 4);
        release(&m);
        check_damage(cti_read_ply, b.data, b.n);
    }
    /* points alone */
    {
        static const char text[] =
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3";
        assert_int_equal(read_bytes(cti_read_ply, text, strlen(text), &m, &e), CT_OK);
        assert_int_equal(m.n_positions, 1);
        assert_int_equal(m.n_triangles, 0);
        release(&m);
    }
}

#define PLY_XYZ "property float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_index\n"

static void test_ply_refused(void **state)
{
    static test_bytes b;
    size_t body;
    CTI_UNUSED(state);
    refused_line(cti_read_ply, "", CT_ERR_FORMAT, 1, "ply");
    refused_line(cti_read_ply, "plyx\n", CT_ERR_FORMAT, 1, "ply");
    refused_line(cti_read_ply, "ply\nformat text 1.0\n", CT_ERR_FORMAT, 2, "ascii");
    refused_line(cti_read_ply, "ply\nformat ascii 2.0\n", CT_ERR_UNSUPPORTED, 2, "1.0");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nvertex 3\n", CT_ERR_FORMAT, 3, "element");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex -3\n", CT_ERR_FORMAT, 3, "negative");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nelement tristrips 1\n", CT_ERR_UNSUPPORTED, 5,
                 "tristrips");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex x\n", CT_ERR_FORMAT, 3, "'x'");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 9999999999\n", CT_ERR_UNSUPPORTED, 3, "too many");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nproperty float x\n", CT_ERR_FORMAT, 3, "before any element");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\n", CT_ERR_FORMAT, 4, "type");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\nproperty\n", CT_ERR_FORMAT, 4, "type");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\nproperty list\n", CT_ERR_FORMAT, 4, "length");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\nproperty list int\n", CT_ERR_FORMAT, 4, "type");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int a\n", CT_ERR_FORMAT, 4, "length");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float x\n", CT_ERR_FORMAT, 5, "twice");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 2\n",
                 CT_ERR_FORMAT, 3, "x, y, z");
    refused_line(cti_read_ply,
                 "ply\nformat ascii 1.0\nelement vertex 1\n" PLY_XYZ "element face 1\nproperty list uchar float vertex_index\n",
                 CT_ERR_FORMAT, 8, "integer");
    refused_line(cti_read_ply, "ply\nelement vertex 1\n" PLY_XYZ "end_header\n1 2 3\n", CT_ERR_FORMAT, 6, "format");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 2\n" PLY_XYZ "end_header\n1 2 3\n1 2\n", CT_ERR_FORMAT, 9,
                 "coordinate");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 2\n" PLY_XYZ "end_header\n1 2 3\n", CT_ERR_FORMAT, 9, "file ends");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\n" PLY_XYZ "end_header\n1 nan 3\n", CT_ERR_FORMAT, 8, "'nan'");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\n" PLY_XYZ "end_header\n1 2 3 4\n", CT_ERR_FORMAT, 8,
                 "more values");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 3\n" PLY_XYZ PLY_FACE "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
                 CT_ERR_FORMAT, 13, "0 .. number of vertices - 1");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 3\n" PLY_XYZ PLY_FACE "end_header\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n",
                 CT_ERR_FORMAT, 13, "fewer than three");
    refused_line(cti_read_ply,
                 "ply\nformat ascii 1.0\nelement vertex 3\n" PLY_XYZ PLY_FACE "end_header\n0 0 0\n1 0 0\n0 1 0\n900000000000 0 1\n",
                 CT_ERR_FORMAT, 13, "face");
    refused_line(cti_read_ply, "ply\nformat ascii 1.0\nelement vertex 3\n" PLY_XYZ PLY_FACE "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n",
                 CT_ERR_FORMAT, 13, "vertex number");
    /* binary: the error names the byte */
    memset(&b, 0, sizeof b);
    put_text(&b, "ply\nformat binary_little_endian 1.0\nelement vertex 3\n" PLY_XYZ PLY_FACE "end_header\n");
    body = b.n;
    refused(cti_read_ply, b.data, b.n, CT_ERR_FORMAT, (int64_t)body, "byte", "too early");
    put_float(&b, 0), put_bits(&b, 0x7fc00000u, 4);
    b.n = body + 40; /* zeros */
    refused(cti_read_ply, b.data, b.n, CT_ERR_FORMAT, (int64_t)body + 4, "byte", "finite");
    memset(b.data + body, 0, 40);
    b.data[body + 36] = 3;
    b.n = body + 37;
    put_bits(&b, 0, 4), put_bits(&b, 1, 4), put_bits(&b, 3, 4);
    refused(cti_read_ply, b.data, b.n, CT_ERR_FORMAT, (int64_t)body + 49, "byte", "vertex number");
    /* counts larger than the file allow no allocation */
    memset(&b, 0, sizeof b);
    put_text(&b, "ply\nformat binary_big_endian 1.0\nelement vertex 170000000\n" PLY_XYZ "end_header\n");
    cti_mem_init(&test_mem, NULL);
    refused(cti_read_ply, b.data, b.n, CT_ERR_FORMAT, (int64_t)b.n, "byte", "too early");
    assert_true(test_mem.bytes_peak < 10000);
}

/* ---- STL ---- */

static const char stl_text[] =
    "solid two words\n facet normal nan nan nan\n  outer loop\n   vertex 0 0 0\n   vertex 1e0 0 0\n   vertex 0 1 0\n  endloop\n endfacet\n"
    " FACET NORMAL 0 0 1\n  OUTER LOOP\n   VERTEX 1 0 0\n   VERTEX 1 1 0\n   VERTEX -0.0 1 0\n  ENDLOOP\n ENDFACET\nendsolid two words\n"
    "solid\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 -0\n   vertex 0 0 1\n   vertex 0 1 0\n  endloop\n endfacet\nendsolid\n";

static void make_stl(test_bytes *b, const char *header)
{
    static const double x[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, -0.0, 1, 0, 0, 0, -0.0, 0, 0, 1, 0, 1, 0};
    int f, k;
    memset(b, 0, sizeof *b);
    put_text(b, header);
    b->n = 80;
    put_bits(b, 3, 4);
    for (f = 0; f < 3; f++) {
        put_bits(b, 0x7fc00000u, 4), put_bits(b, 0, 4), put_bits(b, 0, 4);
        for (k = 0; k < 9; k++)
            put_float(b, x[9 * f + k]);
        put_bits(b, 0xabcd, 2);
    }
}

static void test_stl(void **state)
{
    static const int32_t want[9] = {0, 1, 2, 1, 3, 2, 0, 4, 2};
    static const ct_real x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1};
    static const char *const headers[4] = {NULL, "made by hand", "solid thing", "solid\n facet normal"};
    static test_bytes b;
    ct_mesh m;
    ct_error_info e;
    int i, extra;
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    for (i = 0; i < 4; i++)
        for (extra = 0; extra < (i == 1 ? 2 : 1); extra++) {
            memset(&b, 0, sizeof b);
            if (headers[i])
                make_stl(&b, headers[i]);
            else
                put_text(&b, stl_text);
            b.n += (size_t)extra;
            if (read_bytes(cti_read_stl, b.data, b.n, &m, &e) != CT_OK)
                fail_msg("header %d: %s", i, e.text);
            assert_int_equal(m.n_positions, 5);
            assert_memory_equal(m.positions, x, sizeof x);
            assert_int_equal(m.n_triangles, 3);
            assert_memory_equal(m.triangles, want, sizeof want);
            release(&m);
            check_damage(cti_read_stl, b.data, b.n);
        }
}

/* Welding against brute force: coordinates from a small set, so that many are equal. */
static void test_stl_weld(void **state)
{
    static test_bytes b;
    ct_mesh m;
    ct_error_info e;
    uint32_t seed = 7;
    int i, k, j, n = 200;
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    memset(&b, 0, sizeof b);
    b.n = 80;
    put_bits(&b, (uint64_t)n, 4);
    for (i = 0; i < n; i++) {
        b.n += 12;
        for (k = 0; k < 9; k++)
            put_float(&b, 0.1 * ((int)(test_random(&seed) % 5) - 2));
        b.n += 2;
    }
    assert_int_equal(read_bytes(cti_read_stl, b.data, b.n, &m, &e), CT_OK);
    assert_true(m.n_triangles < n && m.n_positions <= 125 && m.n_positions > 100);
    for (i = 0; i < m.n_positions; i++)
        for (j = 0; j < i; j++)
            assert_true(memcmp(m.positions + 3 * i, m.positions + 3 * j, 3 * sizeof(ct_real)) != 0);
    /* facets with two corners in one place are left out, all others are there in their order */
    for (i = 0, j = 0; i < n; i++) {
        float x[9];
        memcpy(x, b.data + 84 + 50 * i + 12, sizeof x);
        if (memcmp(x, x + 3, 12) == 0 || memcmp(x + 3, x + 6, 12) == 0 || memcmp(x + 6, x, 12) == 0)
            continue;
        for (k = 0; k < 9; k++)
            assert_true(m.positions[3 * m.triangles[3 * j + k / 3] + k % 3] == (ct_real)x[k]);
        j++;
    }
    assert_int_equal(m.n_triangles, j);
    release(&m);
}

static void test_stl_refused(void **state)
{
    static test_bytes b;
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    refused_line(cti_read_stl, "solid x\n", CT_ERR_FORMAT, 2, "facet");
    refused_line(cti_read_stl, "solid x\nendsolid x\n", CT_ERR_FORMAT, 3, "no triangle");
    refused_line(cti_read_stl, "solid x\nfacet normal 0 0 1\nouter\nvertex 0 0 0\n", CT_ERR_FORMAT, 4, "loop");
    refused_line(cti_read_stl, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", CT_ERR_FORMAT, 4, "three coordinates");
    refused_line(cti_read_stl, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", CT_ERR_FORMAT, 4, "'inf'");
    refused_line(cti_read_stl, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\n",
                 CT_ERR_FORMAT, 7, "endloop");
    refused_line(cti_read_stl,
                 "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nvertex\n",
                 CT_ERR_FORMAT, 9, "facet or endsolid");
    refused(cti_read_stl, "facet", 5, CT_ERR_FORMAT, 5, "byte", "84 bytes");
    make_stl(&b, "solid but binary");
    b.n -= 1;
    refused(cti_read_stl, b.data, b.n, CT_ERR_FORMAT, 80, "byte", "3 triangles need 234 bytes, the file has 233");
    b.n += 1;
    memcpy(b.data + 80, "\xff\xff\xff\xff", 4);
    refused(cti_read_stl, b.data, b.n, CT_ERR_FORMAT, 80, "byte", "4294967295");
    make_stl(&b, "x");
    memcpy(b.data + 84 + 50 + 12 + 4, "\x00\x00\x80\x7f", 4);
    refused(cti_read_stl, b.data, b.n, CT_ERR_FORMAT, 84 + 50 + 16, "byte", "finite");
    memset(b.data + 80, 0, 4);
    b.n = 84;
    refused(cti_read_stl, b.data, b.n, CT_ERR_FORMAT, 84, "byte", "no triangle");
}

/* ---- TetGen ---- */

static ct_code read_tetgen(const char *node, const char *ele, const char *face, ct_mesh *m, ct_error_info *e)
{
    const char *texts[3];
    size_t n[3];
    ct_code code;
    int i;
    texts[0] = node, texts[1] = ele, texts[2] = face;
    for (i = 0; i < 3; i++)
        n[i] = texts[i] ? strlen(texts[i]) : 0;
    memset(m, 0, sizeof *m);
    memset(e, 0, sizeof *e);
    code = cti_read_tetgen(&test_mem, texts, n, m, e);
    m->n_positions = CTI_LEN(m->positions) / 3, m->n_triangles = CTI_LEN(m->triangles) / 3, m->n_tets = CTI_LEN(m->tets) / 4;
    return code;
}

static void refused_tetgen(const char *node, const char *ele, ct_code code, int64_t line, const char *word)
{
    ct_mesh m;
    ct_error_info e;
    ct_code got = read_tetgen(node, ele, NULL, &m, &e);
    release(&m);
    if (got != code || e.element != line || !strstr(e.text, word))
        fail_msg("%s%s\ngot code %d line %lld: %s", node, ele, (int)got, (long long)e.element, e.text ? e.text : "");
}

static const char node_0[] =
    "# made by hand\n5 3 2 1  # five\n0 0 0 0 9 9 1\n1 1 0 0 9 9 1\n\n2 0 1 0 9 9 0\n3 0 0 1 9 9 0 # last but one\n4 1 1 1 9 9 0\n";
static const char ele_0[] = "2 4 1\n0 0 1 2 3 7\n# between\n1 1 2 3 4 7\n";
static const char node_1[] = "5\r\n1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n4 0 0 1\r\n5 1 1 1";
static const char ele_1[] = "2\n1 1 2 3 4\n2 2 3 4 5\n";
static const char ele_10[] = "2 10 0\n1 1 2 3 4 1 1 1 1 1 1\n2 2 3 4 5 1 1 1 1 1 1\n";

static ct_code tetgen_part(int part, cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    const char *texts[3];
    size_t lengths[3];
    texts[0] = part == 0 ? bytes : node_0, texts[1] = part == 1 ? bytes : ele_0, texts[2] = NULL;
    lengths[0] = part == 0 ? n : sizeof node_0 - 1, lengths[1] = part == 1 ? n : sizeof ele_0 - 1, lengths[2] = 0;
    return cti_read_tetgen(mem, texts, lengths, mesh, error);
}
static ct_code tetgen_node(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    return tetgen_part(0, mem, bytes, n, mesh, error);
}
static ct_code tetgen_ele(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    return tetgen_part(1, mem, bytes, n, mesh, error);
}

static void test_tetgen(void **state)
{
    static const int32_t want[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    static const char *const files[3][2] = {{node_0, ele_0}, {node_1, ele_1}, {node_1, ele_10}};
    ct_mesh m;
    ct_error_info e;
    int i, k;
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    for (i = 0; i < 3; i++) {
        if (read_tetgen(files[i][0], files[i][1], NULL, &m, &e) != CT_OK)
            fail_msg("%d: %s", i, e.text);
        assert_int_equal(m.n_positions, 5);
        assert_int_equal(m.n_tets, 2);
        assert_memory_equal(m.tets, want, sizeof want);
        assert_true(m.positions[3] == 1 && m.positions[7] == 1 && m.positions[11] == 1 && m.positions[14] == 1);
        release(&m);
    }
    /* faces, with and without tets */
    for (i = 0; i < 2; i++) {
        assert_int_equal(read_tetgen(node_1, i ? ele_1 : NULL, "2 1\n1 1 2 3 5\n2 3 4 5 -1\n", &m, &e), CT_OK);
        assert_int_equal(m.n_triangles, 2);
        assert_true(m.triangles[0] == 0 && m.triangles[5] == 4);
        release(&m);
    }
    /* all negative: turned; one of two: kept */
    assert_int_equal(read_tetgen(node_1, "2\n1 2 1 3 4\n2 3 2 4 5\n", NULL, &m, &e), CT_OK);
    assert_memory_equal(m.tets, want, sizeof want);
    release(&m);
    assert_int_equal(read_tetgen(node_1, "2\n1 2 1 3 4\n2 2 3 4 5\n", NULL, &m, &e), CT_OK);
    for (k = 0; k < 4; k++)
        assert_int_equal(m.tets[k], k < 2 ? 1 - k : k);
    release(&m);
    /* faces of a tet: outward ones are kept, inward ones are turned; without the tet both are kept */
    for (i = 0; i < 4; i++) {
        ct_real volume = 0;
        assert_int_equal(read_tetgen(node_1, i & 2 ? NULL : "1\n1 1 2 3 4\n",
                                     i & 1 ? "4\n1 1 2 3\n2 1 4 2\n3 2 4 3\n4 1 3 4\n" : "4\n1 1 3 2\n2 1 2 4\n3 2 3 4\n4 1 4 3\n", &m, &e),
                         CT_OK);
        for (k = 0; k < 4; k++) {
            const ct_real *a = m.positions + 3 * m.triangles[3 * k], *b = m.positions + 3 * m.triangles[3 * k + 1],
                          *c = m.positions + 3 * m.triangles[3 * k + 2];
            volume += (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] + (a[0] * b[1] - a[1] * b[0]) * c[2];
        }
        assert_true(volume == (i == 3 ? -1 : 1));
        release(&m);
    }
    check_damage(tetgen_node, node_0, sizeof node_0 - 1);
    check_damage(tetgen_ele, ele_0, sizeof ele_0 - 1);
}

static void test_tetgen_refused(void **state)
{
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    refused_tetgen("", ele_1, CT_ERR_FORMAT, 1, ".node");
    refused_tetgen("x 3\n", ele_1, CT_ERR_FORMAT, 1, "'x'");
    refused_tetgen("3 2 0 0\n1 0 0\n", ele_1, CT_ERR_UNSUPPORTED, 1, "dimension");
    refused_tetgen("0 3 0 0\n", ele_1, CT_ERR_FORMAT, 1, "at least one node");
    refused_tetgen("9999999999 3 0 0\n1 0 0 0\n", ele_1, CT_ERR_UNSUPPORTED, 1, "too many");
    refused_tetgen("2 3 0 0\n1 0 0 0\n", ele_1, CT_ERR_FORMAT, 3, "file ends");
    refused_tetgen("2 3 0 0\n1 0 0 0\n3 0 0 0\n", ele_1, CT_ERR_FORMAT, 3, "count up");
    refused_tetgen("2 3 0 0\n5 0 0 0\n6 0 0 0\n", ele_1, CT_ERR_FORMAT, 2, "neither number 0 nor 1");
    refused_tetgen("2 3 0 0\n1 0 0\n2 0 0 0\n", ele_1, CT_ERR_FORMAT, 2, "three coordinates");
    refused_tetgen(node_1, "1 5 0\n1 1 2 3 4 5\n", CT_ERR_UNSUPPORTED, 1, "4 nor 10");
    refused_tetgen(node_1, "1 4 0\n1 1 2 3 6\n", CT_ERR_FORMAT, 2, "no node");
    refused_tetgen(node_1, "1 4 0\n1 0 2 3 4\n", CT_ERR_FORMAT, 2, "no node");
    refused_tetgen(node_1, "1 4 0\n0 1 2 3 4\n", CT_ERR_FORMAT, 2, "count up");
    refused_tetgen(node_1, "1 4 0\n1 1 2 3\n", CT_ERR_FORMAT, 2, "four nodes");
    refused_tetgen(node_1, "-1 4 0\n", CT_ERR_FORMAT, 1, "negative");
    refused_tetgen(node_1, "2 4 0\n1 1 2 3 4\n", CT_ERR_FORMAT, 3, "file ends");
    refused_tetgen(node_1, "0 4 0\n", CT_ERR_FORMAT, 1, "neither a tet");
}

/* ---- legacy VTK ---- */

static const double vtk_x[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.25}, {0, 1, -0.5}, {-1, 0.5, -1}, {7, 8, 9}};

static void put_vtk_int(test_bytes *b, int binary, int size, int x)
{
    char text[32];
    if (binary) {
        put_bits(b, (uint64_t)(int64_t)x, size);
    } else {
        snprintf(text, sizeof text, "%d%s", x, b->n % 3 ? " " : "\n");
        put_text(b, text);
    }
}

/* A list of cells given as count, nodes, ... in either layout. */
static void put_vtk_cells(test_bytes *b, const char *word, int binary, int layout, const int *cells, int n, int size)
{
    char text[100];
    int i, at = 0;
    if (layout == 1) {
        snprintf(text, sizeof text, "%s %d %d\n", word, n, size);
        put_text(b, text);
        for (i = 0; i < size; i++)
            put_vtk_int(b, binary, 4, cells[i]);
        put_text(b, "\n");
        return;
    }
    snprintf(text, sizeof text, "%s %d %d\nOFFSETS %s\n", word, n + 1, size - n, layout == 2 ? "vtktypeint64" : "int");
    put_text(b, text);
    put_vtk_int(b, binary, layout == 2 ? 8 : 4, 0);
    for (i = 0; i < n; i++) {
        at += cells[at] + 1;
        put_vtk_int(b, binary, layout == 2 ? 8 : 4, at - i - 1);
    }
    snprintf(text, sizeof text, "\nCONNECTIVITY %s\n", layout == 2 ? "vtktypeint64" : "int");
    put_text(b, text);
    for (at = 0; at < size; at += cells[at] + 1)
        for (i = 0; i < cells[at]; i++)
            put_vtk_int(b, binary, layout == 2 ? 8 : 4, cells[at + 1 + i]);
    put_text(b, "\n");
}

static void put_vtk_head(test_bytes *b, int binary, int grid, int doubles)
{
    char text[100];
    int i;
    memset(b, 0, sizeof *b);
    b->big = 1;
    put_text(b, "# vtk DataFile Version 5.1\nPOINTS and other words\n");
    put_text(b, binary ? "BINARY\n" : "ASCII\n");
    put_text(b, grid ? "DATASET UNSTRUCTURED_GRID\n" : "DATASET POLYDATA\n");
    put_text(b, "FIELD FieldData 2\nTIME 1 1 double\n");
    if (binary)
        put_double(b, 0.5);
    else
        put_text(b, "0.5");
    put_text(b, "\nMETADATA\nINFORMATION 1\nNAME X LOCATION Y\nDATA 1 2\n\nCELLS%20x 2 2 unsigned_char\n");
    put_text(b, binary ? "\n\n\n\n\n" : "1 2\n3 4\n");
    put_text(b, doubles ? "POINTS 6 double\n" : "POINTS 6 float\n");
    for (i = 0; i < 18; i++) {
        double x = vtk_x[i / 3][i % 3];
        if (binary && doubles)
            put_double(b, x);
        else if (binary)
            put_float(b, x);
        else {
            snprintf(text, sizeof text, "%.17g%s", x, i % 9 == 8 ? " \n" : " ");
            put_text(b, text);
        }
    }
    put_text(b, "\nMETADATA\nINFORMATION 0\n\n");
}

static void test_vtk(void **state)
{
    static const int poly[] = {3, 0, 1, 2, 4, 0, 2, 3, 4}, strip[] = {5, 0, 1, 3, 2, 4}, lines[] = {3, 3, 4, 5}, verts[] = {2, 0, 1};
    static const int cells[] = {3, 0, 1, 2, 4, 0, 2, 3, 4, 4, 0, 1, 3, 2, 4, 0, 1, 2, 4, 2, 3, 4, 5, 0, 1, 2, 3, 4, 3, 0, 1, 2, 1, 5};
    static const int types[] = {5, 9, 8, 10, 3, 7, 4, 1};
    static const int32_t want_poly[18] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 1, 3, 3, 1, 2, 3, 2, 4};
    static const int32_t want_grid[30] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3, 0, 3, 4};
    static const int32_t tet[4] = {0, 1, 2, 4};
    static test_bytes b;
    int binary, layout, grid, doubles, i;
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    for (i = 0; i < 24; i++) {
        ct_mesh m;
        ct_error_info e;
        int k;
        binary = i & 1, grid = i >> 1 & 1, doubles = i >> 2 & 1, layout = 1 + i / 8;
        put_vtk_head(&b, binary, grid, doubles);
        if (grid) {
            put_vtk_cells(&b, "CELLS", binary, layout, cells, 8, (int)(sizeof cells / sizeof *cells));
            put_text(&b, "CELL_TYPES 8\n");
            for (k = 0; k < 8; k++)
                put_vtk_int(&b, binary, 4, types[k]);
        } else {
            put_vtk_cells(&b, "VERTICES", binary, layout, verts, 1, 3);
            put_vtk_cells(&b, "POLYGONS", binary, layout, poly, 2, 9);
            put_vtk_cells(&b, "TRIANGLE_STRIPS", binary, layout, strip, 1, 6);
            put_vtk_cells(&b, "LINES", binary, layout, lines, 1, 4);
        }
        put_text(&b, "\nCELL_DATA 4\nSCALARS body int 1\nLOOKUP_TABLE default\n1 2");
        if (read_bytes(cti_read_vtk, b.data, b.n, &m, &e) != CT_OK)
            fail_msg("binary %d layout %d grid %d: %s", binary, layout, grid, e.text);
        assert_int_equal(m.n_positions, 6);
        for (k = 0; k < 18; k++)
            assert_true(m.positions[k] == (ct_real)vtk_x[k / 3][k % 3]);
        assert_int_equal(m.n_triangles, grid ? 8 : 6);
        assert_memory_equal(m.triangles, grid ? want_grid : want_poly, (grid ? 24 : 18) * sizeof(int32_t));
        assert_int_equal(m.n_tets, grid);
        if (grid)
            assert_memory_equal(m.tets, tet, sizeof tet);
        assert_int_equal(m.n_segments, grid ? 3 : 2);
        assert_true(m.segments[0] == 3 && m.segments[1] == 4);
        release(&m);
        if (doubles)
            check_damage(cti_read_vtk, b.data, b.n);
    }
}

#define VTK_HEAD "# vtk DataFile Version 2.0\nt\nASCII\nDATASET "
#define VTK_3 "POINTS 3 float\n0 0 0 1 0 0 0 1 0\n"

static void test_vtk_refused(void **state)
{
    static test_bytes b;
    size_t body;
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    refused_line(cti_read_vtk, "", CT_ERR_FORMAT, 1, "# vtk");
    refused_line(cti_read_vtk, "# vtk DataFile Version 2.0\nt\nTEXT\n", CT_ERR_FORMAT, 3, "BINARY");
    refused_line(cti_read_vtk, "# vtk DataFile Version 2.0\nt\nASCII\nPOINTS 1 float\n", CT_ERR_FORMAT, 4, "DATASET");
    refused_line(cti_read_vtk, VTK_HEAD "STRUCTURED_GRID\n", CT_ERR_UNSUPPORTED, 4, "POLYDATA");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\nPOINTS 3 half\n", CT_ERR_FORMAT, 5, "data type");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\nPOINTS -3 float\n", CT_ERR_FORMAT, 5, "negative");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\nPOINTS 9999999999 float\n", CT_ERR_UNSUPPORTED, 5, "too many");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\nPOINTS 100000000 float\n0 0 0\n", CT_ERR_FORMAT, 6, "too early");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\nPOINTS 2 float\n0 0 0 0\n0\n", CT_ERR_FORMAT, 8, "file ends");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\nPOINTS 1 float\n0 inf 0\n", CT_ERR_FORMAT, 6, "'inf'");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\nPOLYGONS 1 4\n3 0 1 2\n", CT_ERR_FORMAT, 5, "POINTS before");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "POLYGONS 1 4\n3 0 1 3\n", CT_ERR_FORMAT, 8, "point number");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "POLYGONS 1 4\n4 0 1 2 0\n", CT_ERR_FORMAT, 8, "more than");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "POLYGONS 1 5\n3 0 1 2\n", CT_ERR_FORMAT, 8, "add up");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "POLYGONS 1 3\n2 0 1\n", CT_ERR_FORMAT, 8, "type 7 has 2 points");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "POLYGONS 2 2\n0 0\n", CT_ERR_FORMAT, 8, "type 7 has 0 points");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "POLYGONS 2 3\nOFFSETS int\n0 2\nCONNECTIVITY int\n0 1 2\n", CT_ERR_FORMAT, 9,
                 "last offset");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "POLYGONS 3 3\nOFFSETS int\n0 4 3\nCONNECTIVITY int\n0 1 2\n", CT_ERR_FORMAT, 9,
                 "rise");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "POLYGONS 2 3\nOFFSETS int\n0 3\nCELLS int\n0 1 2\n", CT_ERR_FORMAT, 10,
                 "CONNECTIVITY");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\n" VTK_3 "CELLS 1 4\n3 0 1 2\n", CT_ERR_FORMAT, 7, "POLYGONS");
    refused_line(cti_read_vtk, VTK_HEAD "POLYDATA\nFIELD x 1\na 999999 999999 float\n", CT_ERR_FORMAT, 6, "larger than the file");
    refused_line(cti_read_vtk, VTK_HEAD "UNSTRUCTURED_GRID\n" VTK_3 "CELLS 1 4\n3 0 1 2\n", CT_ERR_FORMAT, 9, "CELL_TYPES");
    refused_line(cti_read_vtk, VTK_HEAD "UNSTRUCTURED_GRID\n" VTK_3 "CELL_TYPES 1\n5\n", CT_ERR_FORMAT, 7, "CELLS before");
    refused_line(cti_read_vtk, VTK_HEAD "UNSTRUCTURED_GRID\n" VTK_3 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 2\n5 5\n", CT_ERR_FORMAT, 9, "as many");
    refused_line(cti_read_vtk, VTK_HEAD "UNSTRUCTURED_GRID\n" VTK_3 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n12\n", CT_ERR_UNSUPPORTED, 10,
                 "type 12");
    refused_line(cti_read_vtk, VTK_HEAD "UNSTRUCTURED_GRID\n" VTK_3 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", CT_ERR_FORMAT, 10,
                 "type 10 has 3 points");
    refused_line(cti_read_vtk, VTK_HEAD "UNSTRUCTURED_GRID\nPOINT_DATA 0\n", CT_ERR_FORMAT, 5, "without any point");
    /* binary */
    memset(&b, 0, sizeof b);
    b.big = 1;
    put_text(&b, "# vtk DataFile Version 2.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 1 float\n");
    body = b.n;
    put_float(&b, 0), put_float(&b, 1);
    refused(cti_read_vtk, b.data, b.n, CT_ERR_FORMAT, (int64_t)body, "byte", "too early");
    put_float(&b, 2);
    put_text(&b, "\nPOLYGONS 1 4\n");
    body = b.n;
    put_bits(&b, 3, 4), put_bits(&b, 0, 4), put_bits(&b, 0xffffffffu, 4), put_bits(&b, 0, 4);
    refused(cti_read_vtk, b.data, b.n, CT_ERR_FORMAT, (int64_t)body + 12, "byte", "point number");
}

/* ---- writers ---- */

static void make_mesh(ct_mesh *m)
{
    static ct_real x[18];
    static int32_t tets[8] = {0, 1, 2, 3, 1, 2, 3, 4}, triangles[6] = {0, 2, 1, 2, 3, 4}, segments[2] = {4, 0};
    uint32_t seed = 99;
    int i;
    for (i = 0; i < 18; i++)
        x[i] = ((ct_real)test_random(&seed) / (ct_real)(1 << 24) - CTI_R(0.5)) *
               (i % 4 == 0 ? CTI_R(1e-9) : (i % 4 == 1 ? CTI_R(1e17) : CTI_R(1.0) / 3));
    x[3] = 0, x[4] = -2, x[5] = CTI_R(1e30);
    memset(m, 0, sizeof *m);
    m->positions = x, m->tets = tets, m->triangles = triangles, m->segments = segments;
    m->n_positions = 6, m->n_tets = 2, m->n_triangles = 2, m->n_segments = 1;
}

static void same_lists(const ct_mesh *a, const ct_mesh *b, int with_tets)
{
    assert_int_equal(a->n_positions, b->n_positions);
    assert_memory_equal(a->positions, b->positions, (size_t)a->n_positions * 3 * sizeof(ct_real));
    assert_int_equal(a->n_triangles, b->n_triangles);
    assert_memory_equal(a->triangles, b->triangles, (size_t)a->n_triangles * 3 * sizeof(int32_t));
    assert_int_equal(a->n_segments, b->n_segments);
    assert_memory_equal(a->segments, b->segments, (size_t)a->n_segments * 2 * sizeof(int32_t));
    assert_int_equal(a->n_tets, with_tets ? b->n_tets : 0);
    if (with_tets)
        assert_memory_equal(a->tets, b->tets, (size_t)a->n_tets * 4 * sizeof(int32_t));
}

static void test_write(void **state)
{
    static const char *const names[3] = {"a.obj", "a.MSH", "a.vtk"};
    static const char *const locales[4] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF"};
    char folder[] = "/tmp/contact_test_XXXXXX", path[100], beside[110];
    ct_mesh m, back;
    ct_error_info e;
    int i, l;
    CTI_UNUSED(state);
    make_mesh(&m);
    assert_non_null(mkdtemp(folder));
    for (i = 0; i < 3; i++)
        for (l = 0; l < 4; l++) {
            snprintf(path, sizeof path, "%s/%s", folder, names[i]);
            snprintf(beside, sizeof beside, "%s.tmp", path);
            if (!setlocale(LC_NUMERIC, locales[l]))
                continue;
            /* the second file replaces the first */
            assert_int_equal(ct_mesh_write(path, &m, &e), CT_OK);
            assert_int_equal(ct_mesh_write(path, &m, NULL), CT_OK);
            setlocale(LC_NUMERIC, "C");
            assert_int_not_equal(access(beside, F_OK), 0);
            if (ct_mesh_read(path, &back, &e) != CT_OK)
                fail_msg("%s: %s", path, e.text);
            same_lists(&back, &m, i > 0);
            ct_mesh_free(&back);
            remove(path);
        }
    /* tets alone: their boundary in OBJ */
    m.n_triangles = m.n_segments = 0;
    snprintf(path, sizeof path, "%s/b.obj", folder);
    assert_int_equal(ct_mesh_write(path, &m, &e), CT_OK);
    assert_int_equal(ct_mesh_read(path, &back, &e), CT_OK);
    assert_int_equal(back.n_triangles, 6);
    ct_mesh_free(&back);
    remove(path);
    /* points alone */
    m.n_tets = 0;
    for (i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(ct_mesh_write(path, &m, &e), CT_OK);
        assert_int_equal(ct_mesh_read(path, &back, &e), CT_OK);
        same_lists(&back, &m, 1);
        ct_mesh_free(&back);
        remove(path);
    }
    assert_int_equal(rmdir(folder), 0); /* no other file was left there */
}

static void test_write_refused(void **state)
{
    ct_mesh m;
    ct_error_info e;
    CTI_UNUSED(state);
    make_mesh(&m);
    assert_int_equal(ct_mesh_write(NULL, &m, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_write("/tmp/contact_x.obj", NULL, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_write("/tmp/contact_x.stl", &m, &e), CT_ERR_UNSUPPORTED);
    assert_int_equal(ct_mesh_write("/nonexistent/a.obj", &m, &e), CT_ERR_FILE);
    assert_int_equal(e.code, CT_ERR_FILE);
    m.triangles[4] = 6;
    assert_int_equal(ct_mesh_write("/tmp/contact_x.obj", &m, &e), CT_ERR_MESH);
    assert_true(e.element == 1 && e.value == 6 && strstr(e.text, "triangle"));
    m.triangles[4] = 3, m.tets[0] = -1;
    assert_int_equal(ct_mesh_write("/tmp/contact_x.obj", &m, &e), CT_ERR_MESH);
    assert_true(e.element == 0 && e.value == -1 && strstr(e.text, "tet"));
    m.tets[0] = 0, m.segments[1] = 100;
    assert_int_equal(ct_mesh_write("/tmp/contact_x.obj", &m, &e), CT_ERR_MESH);
    m.segments[1] = 0, m.positions[7] = CTI_R(0.0) / m.positions[3];
    assert_int_equal(ct_mesh_write("/tmp/contact_x.obj", &m, &e), CT_ERR_MESH);
    assert_true(e.element == 2 && strstr(e.text, "finite"));
    m.positions[7] = 0, m.n_positions = 0;
    assert_int_equal(ct_mesh_write("/tmp/contact_x.obj", &m, &e), CT_ERR_ARGUMENT);
    m.n_positions = 6, m.tets = NULL;
    assert_int_equal(ct_mesh_write("/tmp/contact_x.obj", &m, &e), CT_ERR_ARGUMENT);
    assert_int_not_equal(access("/tmp/contact_x.obj", F_OK), 0);
    assert_int_not_equal(access("/tmp/contact_x.obj.tmp", F_OK), 0);
}

/* ---- by name ---- */

static void write_text(const char *folder, const char *name, const char *bytes, size_t n)
{
    char path[100];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void test_names(void **state)
{
    static const char *const names[5] = {"t.node", "t.ele", "a.ply", "a.STL", "t.face"};
    static test_bytes b;
    char folder[] = "/tmp/contact_test_XXXXXX", path[100];
    ct_mesh m;
    ct_error_info e;
    int i;
    CTI_UNUSED(state);
    assert_non_null(mkdtemp(folder));
    write_text(folder, names[0], node_1, sizeof node_1 - 1);
    snprintf(path, sizeof path, "%s/%s", folder, names[0]);
    assert_int_equal(ct_mesh_read(path, &m, &e), CT_ERR_FILE);
    assert_non_null(strstr(e.text, ".ele"));
    write_text(folder, names[1], ele_1, sizeof ele_1 - 1);
    make_ply(&b, 'B');
    write_text(folder, names[2], b.data, b.n);
    make_stl(&b, "x");
    write_text(folder, names[3], b.data, b.n);
    for (i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (ct_mesh_read(path, &m, &e) != CT_OK)
            fail_msg("%s: %s", path, e.text);
        assert_int_equal(m.n_positions, 5);
        assert_int_equal(m.n_tets, i < 2 ? 2 : 0);
        ct_mesh_free(&m);
    }
    write_text(folder, names[4], "1 0\n1 1 2 3\n", 12);
    snprintf(path, sizeof path, "%s/%s", folder, names[1]);
    assert_int_equal(ct_mesh_read(path, &m, &e), CT_OK);
    assert_int_equal(m.n_triangles, 1);
    ct_mesh_free(&m);
    snprintf(path, sizeof path, "%s/%s", folder, names[0]);
    remove(path);
    snprintf(path, sizeof path, "%s/%s", folder, names[1]);
    assert_int_equal(ct_mesh_read(path, &m, &e), CT_ERR_FILE);
    assert_non_null(strstr(e.text, ".node"));
    for (i = 1; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* An arrow of four corners whose fan is wrong, in PLY, VTK and MSH: the two triangles that share its notch. A crossing one names its place. */
static void test_notches(void **state)
{
    static const char x[] = "0 0 0\n4 -2 0\n1 0 0\n4 2 0\n", bow[] = "0 0 0\n2 2 0\n2 0 0\n0 1 0\n";
    static const char *const head[3] = {"ply\nformat ascii 1.0\nelement vertex 4\n" PLY_XYZ PLY_FACE "end_header\n",
                                        "# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n",
                                        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n"};
    static const char *const tail[3] = {"4 1 2 3 0\n", "POLYGONS 1 5\n4 1 2 3 0\n", "$EndNodes\n$Elements\n1\n1 3 0 2 3 4 1\n$EndElements\n"};
    static const int place[3] = {14, 11, 13};
    static test_reader *const reader[3] = {cti_read_ply, cti_read_vtk, cti_read_msh};
    char text[500];
    int k, i;
    CTI_UNUSED(state);
    cti_mem_init(&test_mem, NULL);
    for (k = 0; k < 6; k++) {
        const char *p = k < 3 ? x : bow;
        ct_mesh m;
        ct_error_info e;
        size_t n = strlen(strcpy(text, head[k % 3]));
        for (i = 1; i <= 4; i++, p = strchr(p, '\n') + 1) {
            n += k % 3 == 2 ? (size_t)snprintf(text + n, sizeof text - n, "%d ", i) : 0;
            n += (size_t)snprintf(text + n, sizeof text - n, "%.*s\n", (int)strcspn(p, "\n"), p);
        }
        strcpy(text + n, tail[k % 3]);
        if (k >= 3) {
            refused_line(reader[k % 3], text, CT_ERR_FORMAT, place[k % 3], "crosses itself");
            continue;
        }
        assert_int_equal(read_bytes(reader[k], text, strlen(text), &m, &e), CT_OK);
        assert_int_equal(m.n_triangles, 2);
        for (i = 0; i < 2; i++) {
            const int32_t *t = m.triangles + 3 * i;
            assert_true((t[0] == 0 || t[1] == 0 || t[2] == 0) && (t[0] == 2 || t[1] == 2 || t[2] == 2));
        }
        release(&m);
        check_damage(reader[k], text, strlen(text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ply),
        cmocka_unit_test(test_ply_refused),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_stl_weld),
        cmocka_unit_test(test_stl_refused),
        cmocka_unit_test(test_tetgen),
        cmocka_unit_test(test_tetgen_refused),
        cmocka_unit_test(test_vtk),
        cmocka_unit_test(test_vtk_refused),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_write_refused),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_notches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
