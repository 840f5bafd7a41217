/* test_meshes.c -- mesh files that other programs made (tests/data: Gmsh 4.8, meshio 5.3, VTK 9.1, assimp 5.2), read by the library and by
   the command line's own readers: the same mesh from all of them; files that end early, changed bytes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../src/9_files/files.h"
#include "../src/5_mesh/mesh.h"
#include "../tools/mesh_in.h"

void *cli_alloc(size_t count, size_t size) { return calloc(count ? count : 1, size ? size : 1); }
void *cli_grow(void *block, size_t count, size_t size) { return realloc(block, count * size + !count); }

#include "../tools/mesh_in.c"
#include "../tools/mesh_medit.c"
#include "../tools/mesh_vtu.c"
#include "../tools/mesh_gltf.c"

#define DATA "tests/data/"

/* a mesh from bytes; `name` gives the format. The text of an error goes to `text` [400] */
static ct_code read_bytes(const char *name, const unsigned char *bytes, size_t n, ct_mesh *out, char *text)
{
    mesh_in m;
    memset(&m, 0, sizeof m), memset(out, 0, sizeof *out);
    text[0] = 0;
    if (!mesh_in_format(name)) {
        cti_mem mem;
        ct_error_info e;
        memset(&e, 0, sizeof e);
        cti_mem_init(&mem, NULL);
        m.code = cti_read_msh(&mem, (const char *)bytes, n, out, &e);
        out->n_positions = CTI_LEN(out->positions) / 3, out->n_tets = CTI_LEN(out->tets) / 4,
        out->n_triangles = CTI_LEN(out->triangles) / 3;
        out->n_segments = CTI_LEN(out->segments) / 2;
        snprintf(text, 400, "%s", m.code != CT_OK && e.text ? e.text : "");
        return m.code;
    }
    m.path = name, m.data = bytes, m.n = n;
    mesh_in_parse(&m, mesh_in_format(name));
    *out = m.mesh;
    snprintf(text, 400, "%s", m.text);
    return m.code;
}

/* the file's bytes, with room for changes behind them and a byte 0 at the end */
static unsigned char *load(const char *name, size_t *n)
{
    char path[200];
    unsigned char *bytes;
    snprintf(path, sizeof path, DATA "%s", name);
    bytes = mesh_in_load(path, n);
    if (!bytes)
        fail_msg("%s cannot be read", path);
    return bytes;
}

static ct_mesh read_good(const char *name)
{
    char path[200];
    ct_error_info e;
    ct_mesh m;
    memset(&m, 0, sizeof m), memset(&e, 0, sizeof e);
    snprintf(path, sizeof path, DATA "%s", name);
    if (mesh_in_read(path, &m, &e) != CT_OK)
        fail_msg("%s: %s", path, e.text);
    return m;
}

static double volume(const ct_mesh *m)
{
    double sum = 0;
    int i, k, j;
    for (i = 0; i < m->n_tets; i++) {
        double e[3][3];
        for (k = 0; k < 3; k++)
            for (j = 0; j < 3; j++)
                e[k][j] = (double)m->positions[3 * m->tets[4 * i + k + 1] + j] - (double)m->positions[3 * m->tets[4 * i] + j];
        sum += (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
               6;
    }
    return sum;
}

/* volume that the triangles enclose, by Gauss */
static double enclosed(const ct_mesh *m)
{
    double sum = 0;
    int i;
    for (i = 0; i < m->n_triangles; i++) {
        const ct_real *a = m->positions + 3 * m->triangles[3 * i], *b = m->positions + 3 * m->triangles[3 * i + 1],
                      *c = m->positions + 3 * m->triangles[3 * i + 2];
        sum += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    }
    return sum;
}

static const char *const same_mesh[] = {"gmsh_22_binary.msh",  "gmsh_41_binary.msh", "gmsh_41_parametric.msh", "gmsh.mesh",
                                        "meshio.mesh",         "meshio.meshb",       "meshio_ascii.vtu",       "meshio_base64.vtu",
                                        "meshio_zlib.vtu",     "vtk_raw.vtu",        "vtk_raw_big.vtu",        "vtk_raw_zlib.vtu",
                                        "vtk_base64_zlib.vtu", "vtk_inline.vtu"};
enum { SAME = sizeof same_mesh / sizeof *same_mesh };

/* 1: the same cells, and positions within what the text of a file keeps */
static int is_same(const ct_mesh *a, const ct_mesh *b)
{
    int i;
    if (a->n_positions != b->n_positions || a->n_tets != b->n_tets || a->n_triangles != b->n_triangles || a->n_segments != b->n_segments)
        return 0;
    for (i = 0; i < 3 * a->n_positions; i++)
        if (!(fabs((double)(a->positions[i] - b->positions[i])) < (sizeof(ct_real) == 4 ? 1e-7 : 1e-11)))
            return 0;
    return memcmp(a->tets, b->tets, 16 * (size_t)a->n_tets) == 0 && memcmp(a->triangles, b->triangles, 12 * (size_t)a->n_triangles) == 0 &&
           memcmp(a->segments, b->segments, 8 * (size_t)a->n_segments) == 0;
}

static void real_files(void **state)
{
    ct_mesh first = read_good("gmsh_22.msh"), m;
    int i;
    (void)state;
    assert_int_equal(first.n_positions, 14);
    assert_true(first.n_tets == 24 && first.n_triangles == 24 && first.n_segments == 12);
    assert_true(fabs(volume(&first) - 1) < 1e-6);
    for (i = 0; i < SAME; i++) {
        m = read_good(same_mesh[i]);
        if (!is_same(&first, &m))
            fail_msg("%s: not the mesh of gmsh_22.msh (%d vertices, %d tets, %d triangles, %d segments)", same_mesh[i], m.n_positions,
                     m.n_tets, m.n_triangles, m.n_segments);
        ct_mesh_free(&m);
    }
    /* elements of second order give their corners */
    m = read_good("gmsh_order2_binary.msh");
    assert_true(is_same(&first, &m));
    ct_mesh_free(&m), ct_mesh_free(&first);
    for (i = 0; i < 2; i++) { /* a cube from (0, 0, 0) to (1, 1, 1), 12 triangles, its corners outward */
        m = read_good(i ? "assimp.gltf" : "assimp.glb");
        assert_true(m.n_triangles == 12 && m.n_positions == 8 && fabs(enclosed(&m) - 1) < 1e-6);
        ct_mesh_free(&m);
    }
}

/* a mesh that was read: its numbers in range; or an error with a text */
static void check_sound(const char *name, ct_code code, ct_mesh *m, const char *text)
{
    int i;
    if (code != CT_OK && !*text)
        fail_msg("%s: an error without a text", name);
    for (i = 0; i < 3 * m->n_positions && code == CT_OK; i++)
        assert_true(m->positions[i] - m->positions[i] == 0);
    for (i = 0; i < 4 * m->n_tets && code == CT_OK; i++)
        assert_true(m->tets[i] >= 0 && m->tets[i] < m->n_positions);
    for (i = 0; i < 3 * m->n_triangles && code == CT_OK; i++)
        assert_true(m->triangles[i] >= 0 && m->triangles[i] < m->n_positions);
    for (i = 0; i < 2 * m->n_segments && code == CT_OK; i++)
        assert_true(m->segments[i] >= 0 && m->segments[i] < m->n_positions);
}

/* every beginning of a file is refused with a text, or is the whole mesh: no list is cut without a word */
static void cut_files(void **state)
{
    char text[400];
    int i;
    (void)state;
    for (i = 0; i < SAME; i++) {
        ct_mesh whole, m;
        size_t n, cut, step;
        unsigned char *bytes = load(same_mesh[i], &n), *part;
        assert_int_equal(read_bytes(same_mesh[i], bytes, n, &whole, text), CT_OK);
        for (cut = 0, step = 1; cut < n; cut += step) {
            ct_code code;
            part = (unsigned char *)malloc(cut + 1); /* exactly: a byte read behind it is found */
            memcpy(part, bytes, cut), part[cut] = 0;
            code = read_bytes(same_mesh[i], part, cut, &m, text);
            check_sound(same_mesh[i], code, &m, text);
            if (code == CT_OK && !is_same(&whole, &m))
                fail_msg("%s, cut at byte %d of %d, is read as %d vertices, %d tets, %d triangles", same_mesh[i], (int)cut, (int)n,
                         m.n_positions, m.n_tets, m.n_triangles);
            ct_mesh_free(&m);
            free(part);
        }
        ct_mesh_free(&whole);
        free(bytes);
    }
}

/* bytes are changed at random: no crash, no mesh that is not sound, no error without a text */
static void changed_files(void **state)
{
    static const char *const more[] = {"assimp.glb", "assimp.gltf", "gmsh_order2_binary.msh", "gmsh_22.msh"};
    static const char *const words[] = {"-1", "99999999999", "1e999", "\"",  "<",
                                        ">",  "$End",        "{}",    "nan", "\xff\xff\xff\xff\xff\xff\xff\xff"};
    uint64_t seed = 7;
    int i, turn, k, read = 0, refused = 0;
    char text[400];
    (void)state;
    for (i = 0; i < SAME + 4; i++) {
        const char *name = i < SAME ? same_mesh[i] : more[i - SAME];
        size_t n;
        unsigned char *bytes = load(name, &n), *copy = (unsigned char *)malloc(n + 1);
        for (turn = 0; turn < 400; turn++) {
            ct_mesh m;
            ct_code code;
            memcpy(copy, bytes, n + 1);
            for (k = 0; k < 1 + turn % 4; k++) {
                size_t at, length;
                seed = seed * 6364136223846793005ull + 1442695040888963407ull;
                at = (size_t)(seed >> 33) % n;
                if (turn % 3) {
                    copy[at] = (unsigned char)(turn % 3 == 1 ? copy[at] ^ 1u << (seed >> 20) % 8 : (unsigned)(seed >> 24 & 255));
                    continue;
                }
                length = strlen(words[(seed >> 20) % 10]);
                if (at + length <= n)
                    memcpy(copy + at, words[(seed >> 20) % 10], length);
            }
            code = read_bytes(name, copy, n, &m, text);
            check_sound(name, code, &m, text);
            read += code == CT_OK, refused += code != CT_OK;
            ct_mesh_free(&m);
        }
        free(bytes), free(copy);
    }
    assert_true(read > 500 && refused > 1500);
}

static void refuse(const char *name, const char *bytes, ct_code code, const char *says)
{
    char text[400];
    ct_mesh m;
    ct_code got = read_bytes(name, (const unsigned char *)bytes, strlen(bytes), &m, text);
    ct_mesh_free(&m);
    if (got != code || !strstr(text, says))
        fail_msg("%s: got code %d: %s\nexpected code %d: %s\n%s", name, (int)got, text, (int)code, says, bytes);
}

#define MEDIT "MeshVersionFormatted 2\nDimension 3\nVertices\n3\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
#define VTU_HEAD                                                                                                                           \
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n"
#define VTU_PIECE                                                                                                                          \
    VTU_HEAD                                                                                                                               \
        "<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">" \
        "0 0 0 1 0 0 0 1 0</DataArray></Points>\n<Cells>"
#define VTU_ARRAY(name, values) "<DataArray type=\"Int64\" Name=\"" name "\" format=\"ascii\">" values "</DataArray>"
#define VTU_END "</Cells></Piece></UnstructuredGrid></VTKFile>\n"
#define GLTF "{\"asset\":{\"version\":\"2.0\"},"

/* each names the place and what is expected */
static void refused(void **state)
{
    (void)state;
    refuse("a.mesh", "hello", CT_ERR_FORMAT, "line 1: the file does not begin with MeshVersionFormatted");
    refuse("a.mesh", MEDIT "Triangles\n1\n1 2 4 0\nEnd\n", CT_ERR_FORMAT, "line 10: an element names a vertex that is not there");
    refuse("a.mesh", MEDIT "Triangles\n1\n1 2 x 0\nEnd\n", CT_ERR_FORMAT, "line 10: expected a vertex of an element, a whole number");
    refuse("a.mesh", MEDIT "Triangles\n2\n1 2 3 0\nEnd\n", CT_ERR_FORMAT, "line 11: expected a vertex of an element");
    refuse("a.mesh", MEDIT "Hexahedra\n1\n1 2 3 1 2 3 1 2 0\nEnd\n", CT_ERR_UNSUPPORTED, "mesh the volume with tetrahedra");
    refuse("a.mesh", MEDIT, CT_ERR_FORMAT, "the file ends without its last word, End");
    refuse("a.mesh", "MeshVersionFormatted 2 Dimension 4 End", CT_ERR_FORMAT, "expected the dimension 2 or 3");
    refuse("a.mesh", "MeshVersionFormatted 2 Dimension 3 Vertices 1 0 1e400 0 0 End", CT_ERR_FORMAT,
           "expected a coordinate of a vertex, a finite number");
    refuse("a.mesh", "MeshVersionFormatted 2 Dimension 3 End", CT_ERR_FORMAT, "the file has no vertex");
    refuse("a.meshb", "hello", CT_ERR_FORMAT, "expected the version");
    refuse("a.vtu", "hello", CT_ERR_FORMAT, "the file has no <VTKFile");
    refuse("a.vtu", "<html>", CT_ERR_FORMAT, "the file does not begin with <VTKFile");
    refuse("a.vtu", "<VTKFile type=\"PolyData\">", CT_ERR_UNSUPPORTED, "expected a VTKFile of type UnstructuredGrid, found 'PolyData'");
    refuse("a.vtu", VTU_PIECE VTU_END, CT_ERR_FORMAT, "a piece has no array offsets of the length that it names");
    refuse("a.vtu", VTU_PIECE VTU_ARRAY("connectivity", "0 1 3") VTU_ARRAY("offsets", "3") VTU_ARRAY("types", "5") VTU_END, CT_ERR_FORMAT,
           "cell 0: it names point 3 of 3");
    refuse("a.vtu", VTU_PIECE VTU_ARRAY("connectivity", "0 1 2") VTU_ARRAY("offsets", "4") VTU_ARRAY("types", "5") VTU_END, CT_ERR_FORMAT,
           "cell 0: offsets must rise up to the length of connectivity, 3");
    refuse("a.vtu", VTU_PIECE VTU_ARRAY("connectivity", "0 1 2") VTU_ARRAY("offsets", "3") VTU_ARRAY("types", "12") VTU_END,
           CT_ERR_UNSUPPORTED, "cell 0: type 12 is not read");
    refuse("a.vtu", VTU_PIECE VTU_ARRAY("connectivity", "0 1 2") VTU_ARRAY("offsets", "3") VTU_ARRAY("types", "10") VTU_END, CT_ERR_FORMAT,
           "cell 0: type 10 has 4 corners, found 3");
    refuse("a.vtu", VTU_PIECE "<DataArray type=\"Int64\" Name=\"types\" format=\"appended\" offset=\"7\"/>" VTU_END, CT_ERR_FORMAT,
           "the file has no data at its offset 7");
    refuse("a.vtu", VTU_PIECE "<DataArray type=\"Int64\" Name=\"types\" format=\"binary\">@@@@@@@@</DataArray>" VTU_END, CT_ERR_FORMAT,
           "no base64");
    refuse("a.gltf", "{\"asset\":{\n\"version\":2,,", CT_ERR_FORMAT, "line 2: not JSON here");
    refuse("a.gltf", "{\"asset\":{\"version\":\"1.0\"}}", CT_ERR_UNSUPPORTED, "asset.version: expected 2.0, found '1.0'");
    refuse("a.gltf", GLTF "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}", CT_ERR_UNSUPPORTED,
           "KHR_draco_mesh_compression is not read; export");
    refuse("a.gltf", GLTF "\"scenes\":[{\"nodes\":[1]}],\"nodes\":[{}]}", CT_ERR_FORMAT, "nodes[1] is asked for, but the file has 1");
    refuse("a.gltf", GLTF "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[0]}]}", CT_ERR_FORMAT,
           "nodes[0]: it is in the scene twice");
    refuse("a.gltf",
           GLTF "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
                "\"type\":\"VEC3\",\"count\":3}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,"
                "\"uri\":\"data:x;base64,AAAA\"}]}",
           CT_ERR_FORMAT, "accessors[0]: its count, offset or stride leave");
    refuse("a.gltf",
           GLTF "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
                "\"type\":\"VEC3\",\"count\":3}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,"
                "\"uri\":\"none.bin\"}]}",
           CT_ERR_FILE, "buffers[0]: the file 'none.bin' beside it cannot be opened");
    refuse("a.glb", "glTF", CT_ERR_FORMAT, "the file does not begin as binary glTF");
    refuse("a.msh", "$MeshFormat\n4.1 1 2\n", CT_ERR_UNSUPPORTED, "data size is not 8: save it anew with Gmsh");
    refuse("a.msh", "$MeshFormat\n2.2 1 8\n$EndMeshFormat\n", CT_ERR_FORMAT,
           "byte 24: a binary file does not have the number 1 behind its format");
}

/* a compressor that is not built in is named with the cure */
static void compressor(void **state)
{
    ct_mesh m;
    ct_error_info e;
    (void)state;
    memset(&e, 0, sizeof e);
    assert_int_equal(mesh_in_read(DATA "refused_lz4.vtu", &m, &e), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.text, "vtkLZ4DataCompressor is not read; save it with zlib"));
}

static ct_mesh good(const char *name, const char *bytes)
{
    char text[400];
    ct_mesh m;
    if (read_bytes(name, (const unsigned char *)bytes, strlen(bytes), &m, text) != CT_OK)
        fail_msg("%s: %s\n%s", name, text, bytes);
    return m;
}

static double area(const ct_mesh *m, double n[3])
{
    double sum = 0, part[3];
    int i, k;
    n[0] = n[1] = n[2] = 0;
    for (i = 0; i < m->n_triangles; i++) {
        const int64_t c[3] = {m->triangles[3 * i], m->triangles[3 * i + 1], m->triangles[3 * i + 2]};
        mesh_in_area(m->positions, c, 0, 1, 2, part);
        sum += sqrt(part[0] * part[0] + part[1] * part[1] + part[2] * part[2]) / 2;
        for (k = 0; k < 3; k++)
            n[k] += part[k] / 2;
    }
    return sum;
}

/* polygons keep their area and their side: an arrowhead, a strip, a pixel; text with comments and lists that are passed over */
static void shapes(void **state)
{
    ct_mesh m = good(
        "a.mesh", "MeshVersionFormatted 1 # of 2001\nDimension 2\nVertices 4\n0 0 1\n2 -1 1\n0.5 0 1\n2 1 1\nRidges 1 1\nNormals 1 0 0 1\n"
                  "Quadrilaterals 1\n2 3 4 1 0\nEnd\n");
    double n[3];
    (void)state;
    assert_int_equal(m.n_triangles, 2);
    assert_true(fabs(area(&m, n) - 0.5) < 1e-6 && fabs(n[2] - 0.5) + fabs(n[0]) < 1e-6); /* as the corners turn */
    ct_mesh_free(&m);
    m = good("a.vtu", VTU_HEAD
             "<Piece NumberOfPoints='4' NumberOfCells='3'><Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>\n"
             "0 0 0  1 0 0  0 1 0  1 1 0</DataArray></Points><Cells>" VTU_ARRAY("types", "6 8 1") VTU_ARRAY("offsets", "4 8 9")
                 VTU_ARRAY("connectivity", "0 1 2 3 0 1 2 3 0") VTU_END);
    assert_true(m.n_triangles == 4 && fabs(area(&m, n) - 2) < 1e-6 && fabs(n[2] - 2) < 1e-6);
    ct_mesh_free(&m);
}

/* (0,0,0) (1,0,0) (0,1,0) as floats in base64, under a node that mirrors, inside one that turns x to y and moves by 5 z: the triangle keeps
   its outside, so that corners change places */
static void gltf_nodes_place(void **state)
{
    ct_mesh m =
        good("a.gltf",
             GLTF "\"scenes\":[{\"nodes\":[1]}],\"nodes\":[{\"mesh\":0,\"scale\":[1,1,-2]},{\"children\":[0],\"rotation\":[0,0,0.70710678,"
                  "0.70710678],"
                  "\"translation\":[0,0,5]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}},{\"attributes\":{\"POSITION\":"
                  "0},\"mode\":2}]}],"
                  "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],\"bufferViews\":[{\"buffer\":0,"
                  "\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
                  "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}");
    static const double want[9] = {0, 0, 5, 0, 1, 5, -1, 0, 5};
    int i;
    (void)state;
    assert_true(m.n_positions == 6 && m.n_triangles == 1 && m.n_segments == 3);
    for (i = 0; i < 9; i++)
        assert_true(fabs((double)m.positions[i] - want[i]) < 1e-6);
    assert_true(m.triangles[0] == 1 && m.triangles[1] == 0 && m.triangles[2] == 2);
    ct_mesh_free(&m);
}

/* the least binary MSH of version 2 in both orders of bytes */
static void put(unsigned char *b, size_t *n, uint64_t x, int size, int big)
{
    int i;
    for (i = 0; i < size; i++)
        b[(*n)++] = (unsigned char)(x >> 8 * (big ? size - 1 - i : i));
}

static void orders_of_bytes(void **state)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int big, i, k;
    (void)state;
    for (big = 0; big < 2; big++) {
        unsigned char b[600];
        size_t n = 0;
        char text[400];
        ct_mesh m;
        n = (size_t)sprintf((char *)b, "$MeshFormat\n2.2 1 8\n");
        put(b, &n, 1, 4, big);
        n += (size_t)sprintf((char *)b + n, "\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"$End\"\n$EndPhysicalNames\n$Nodes\n4\n");
        for (i = 0; i < 4; i++)
            for (put(b, &n, (uint64_t)i + 7, 4, big), k = 0; k < 3; k++) {
                uint64_t u;
                memcpy(&u, &x[3 * i + k], 8), put(b, &n, u, 8, big);
            }
        n += (size_t)sprintf((char *)b + n, "\n$EndNodes\n$Elements\n1\n");
        for (i = 0; i < 10; i++) /* type, how many follow, tags; number, two tags, nodes */
            put(b, &n, (uint64_t)(const int[]){4, 1, 2, 1, 1, 1, 7, 8, 9, 10}[i], 4, big);
        n += (size_t)sprintf((char *)b + n, "\n$EndElements\n");
        if (read_bytes("a.msh", b, n, &m, text) != CT_OK)
            fail_msg("%s", text);
        assert_true(m.n_tets == 1 && m.n_positions == 4 && fabs(volume(&m) - 1.0 / 6) < 1e-7);
        ct_mesh_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files), cmocka_unit_test(cut_files), cmocka_unit_test(changed_files),    cmocka_unit_test(refused),
        cmocka_unit_test(compressor), cmocka_unit_test(shapes),    cmocka_unit_test(gltf_nodes_place), cmocka_unit_test(orders_of_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
