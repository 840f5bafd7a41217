/* test_files.c -- the OBJ and MSH readers: what they accept, what they refuse and where, numbers, and the shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "../src/5_mesh/mesh.h"
#include "../src/9_files/files.h"
#include "../src/1_math/vec.h"

static cti_mem test_mem;

static ct_code test_read(const char *kind, const char *text, ct_mesh *m, ct_error_info *e)
{
    ct_code code;
    cti_mem_init(&test_mem, NULL);
    memset(m, 0, sizeof *m);
    memset(e, 0, sizeof *e);
    code = kind[0] == 'o' ? cti_read_obj(&test_mem, text, strlen(text), m, e) : cti_read_msh(&test_mem, text, strlen(text), m, e);
    m->n_positions = CTI_LEN(m->positions) / 3, m->n_triangles = CTI_LEN(m->triangles) / 3, m->n_tets = CTI_LEN(m->tets) / 4;
    m->n_segments = CTI_LEN(m->segments) / 2;
    return code;
}

static void test_release(ct_mesh *m)
{
    CTI_FREE(&test_mem, m->positions);
    CTI_FREE(&test_mem, m->triangles);
    CTI_FREE(&test_mem, m->tets);
    CTI_FREE(&test_mem, m->segments);
    assert_int_equal(test_mem.bytes_live, 0);
}

/* the text is refused with this code at this line, and the error's text begins with `text` */
static void test_refused(const char *kind, const char *text, ct_code code, int64_t line)
{
    ct_mesh m;
    ct_error_info e;
    char begin[40];
    ct_code got = test_read(kind, text, &m, &e);
    test_release(&m);
    if (got != code || e.code != code || e.element != line)
        fail_msg("%s\ngot code %d line %lld: %s", text, (int)got, (long long)e.element, e.text ? e.text : "");
    snprintf(begin, sizeof begin, "line %lld: ", (long long)line);
    assert_int_equal(strncmp(e.text, begin, strlen(begin)), 0);
    /* and the same without a place for the error */
    cti_mem_init(&test_mem, NULL);
    memset(&m, 0, sizeof m);
    assert_int_equal(kind[0] == 'o' ? cti_read_obj(&test_mem, text, strlen(text), &m, NULL)
                                    : cti_read_msh(&test_mem, text, strlen(text), &m, NULL),
                     code);
    test_release(&m);
}

static void test_obj(void **state)
{
    static const int32_t want[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 1, 2, 4, 2, 3, 4, 0, 1, 2};
    ct_mesh m;
    ct_error_info e;
    int i;
    CTI_UNUSED(state);
    assert_int_equal(test_read("obj",
                               "\xef\xbb\xbf# a comment \\\r\n"
                               "mtllib x.mtl\r\no thing\r\n"
                               "v 1 2.5e-1 -3 1.0 0.5 0.5\r\n"
                               "v\t0 .5 +5.\n"
                               "  v 1e0 2 3 # here too\r"
                               "v 1 2 2\nv 1 1 -1\nvt 0 0\nvn 0 0 1\ns off\n\n"
                               "f 1 2/1 3//1 4/1/1 5\n"
                               "f -4 -3 \\\r\n -1\n"
                               "f 3 4 5\n"
                               "l 1 2 -1\np 3 4\n"
                               "f 1 2 3",
                               &m, &e),
                     CT_OK);
    assert_int_equal(m.n_positions, 5);
    assert_true(m.positions[1] == CTI_R(0.25) && m.positions[2] == -3 && m.positions[4] == CTI_R(0.5) && m.positions[5] == 5);
    assert_int_equal(m.n_triangles, 6);
    for (i = 0; i < 18; i++)
        assert_int_equal(m.triangles[i], want[i]);
    assert_int_equal(m.n_segments, 2);
    assert_true(m.segments[0] == 0 && m.segments[1] == 1 && m.segments[2] == 1 && m.segments[3] == 4);
    test_release(&m);
    /* a vertex that comes after its face */
    assert_int_equal(test_read("obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", &m, &e), CT_OK);
    assert_int_equal(m.n_triangles, 1);
    test_release(&m);
}

/* An L of six corners from every first one, both ways round: four triangles of the area 3. Faces that repeat a corner lose it. */
static void test_obj_polygons(void **state)
{
    static const int x[6][2] = {{2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 0}, {2, 0}};
    static const int32_t want[6] = {0, 3, 2, 0, 2, 1};
    char text[400];
    ct_mesh m;
    ct_error_info e;
    int first, turned, i, n;
    CTI_UNUSED(state);
    for (first = 0; first < 6; first++)
        for (turned = 0; turned < 2; turned++) {
            double area = 0;
            for (i = n = 0; i < 6; i++)
                n += snprintf(text + n, sizeof text - (size_t)n, "v %d %d %d\n", x[i][0], x[i][1], x[i][0] + 2 * x[i][1]);
            n += snprintf(text + n, sizeof text - (size_t)n, "f");
            for (i = 0; i < 6; i++)
                n += snprintf(text + n, sizeof text - (size_t)n, " %d", 1 + (first + (turned ? 6 - i : i)) % 6);
            assert_int_equal(test_read("obj", text, &m, &e), CT_OK);
            assert_int_equal(m.n_triangles, 4);
            for (i = 0; i < 4; i++) {
                const ct_real *a = m.positions + 3 * m.triangles[3 * i], *b = m.positions + 3 * m.triangles[3 * i + 1],
                              *c = m.positions + 3 * m.triangles[3 * i + 2];
                double twice = (double)((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
                assert_true(turned ? twice < 0 : twice > 0);
                area += fabs(twice) / 2;
            }
            assert_true(area == 3);
            test_release(&m);
        }
    assert_int_equal(test_read("obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 4 3 3\nf 1 1 3 2\nf 1 1 2\nf 2 3 2 3\nf 4 4 4 4\n", &m, &e), CT_OK);
    assert_int_equal(m.n_triangles, 2);
    assert_memory_equal(m.triangles, want, sizeof want);
    test_release(&m);
    test_refused("obj", "v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 3 4\n", CT_ERR_FORMAT, 6);
    if (sizeof(ct_real) == 8)
        test_refused("obj", "f 1 2 3 4\nv 0 0 0\nv 1e200 0 0\nv 1 1 0\nv 0 1 0\n", CT_ERR_FORMAT, 1);
}

static void test_obj_refused(void **state)
{
    CTI_UNUSED(state);
    test_refused("obj", "", CT_ERR_FORMAT, 1);
    test_refused("obj", "# nothing\n\n", CT_ERR_FORMAT, 3);
    test_refused("obj", "v 0 0 0\nv 1 0 0\n", CT_ERR_FORMAT, 3);
    test_refused("obj", "v 0 0\n", CT_ERR_FORMAT, 1);
    test_refused("obj", "v 0 0 0\nv 0 x 0\n", CT_ERR_FORMAT, 2);
    test_refused("obj", "v 0 0 0\r\nv 0 nan 0\r\n", CT_ERR_FORMAT, 2);
    test_refused("obj", "v 0 0 0\rv 0 inf 0\r", CT_ERR_FORMAT, 2);
    test_refused("obj", "v 0 0 1e999\n", CT_ERR_FORMAT, 1);
    test_refused("obj", "v 0 0 1e\n", CT_ERR_FORMAT, 1);
    test_refused("obj", "v 0 0 0x10\n", CT_ERR_FORMAT, 1);
    test_refused("obj", "v 0 0 1.2.3\n", CT_ERR_FORMAT, 1);
    test_refused("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", CT_ERR_FORMAT, 4);
    test_refused("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n", CT_ERR_FORMAT, 5);
    test_refused("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", CT_ERR_FORMAT, 4);
    test_refused("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 0 2\n", CT_ERR_FORMAT, 4);
    test_refused("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3x\n", CT_ERR_FORMAT, 4);
    test_refused("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3/a\n", CT_ERR_FORMAT, 4);
    test_refused("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 1.5\n", CT_ERR_FORMAT, 4);
    test_refused("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", CT_ERR_FORMAT, 4);
    test_refused("obj", "v 0 0 0\nl 1\n", CT_ERR_FORMAT, 2);
    test_refused("obj", "v 0 0 0\np\n", CT_ERR_FORMAT, 2);
    test_refused("obj", "v 0 0 0\np 2\n", CT_ERR_FORMAT, 2);
}

static const char test_msh2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nfree 1 2 3\n$EndComments\n"
                                "$Nodes\n5\n10 0 0 0\n7 1 0 0\n900000000000 0 1 0\n3 0 0 1\n4 1 1 1\n$EndNodes\n"
                                "$Elements\n6\n1 15 2 0 1 10\n2 1 2 0 1 10 7\n3 2 2 0 1 10 7 3\n4 4 0 10 7 900000000000 3\n"
                                "5 26 2 0 1 1 2 3 4\n6 4 2 0 1 7 10 900000000000 4\n$EndElements\n";
static const char test_msh4[] =
    "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n$Entities\r\n1 0 0 0\r\n1 0 0 0 0\r\n$EndEntities\r\n"
    "$Nodes\r\n2 5 3 900000000000\r\n0 1 0 1\r\n10\r\n0 0 0\r\n3 -1 1 4\r\n7\r\n900000000000\r\n3\r\n4\r\n1 0 0 0.1 0.2 0.3\r\n"
    "0 1 0 0 0 0\r\n0 0 1\r\n1 1 1\r\n$EndNodes\r\n"
    "$Elements\r\n5 6 1 6\r\n0 1 15 1\r\n1 10\r\n1 1 1 1\r\n2 10 7\r\n2 1 2 1\r\n3 10 7 3\r\n3 1 4 2\r\n"
    "4 10 7 900000000000 3\r\n6 7 10 900000000000 4\r\n1 1 26 1\r\n5 1 2 3 4\r\n$EndElements";

static void test_msh(void **state)
{
    static const int32_t tets[] = {0, 1, 2, 3, 1, 0, 2, 4};
    int version, i;
    CTI_UNUSED(state);
    for (version = 2; version <= 4; version += 2) {
        ct_mesh m;
        ct_error_info e;
        ct_code code = test_read("msh", version == 2 ? test_msh2 : test_msh4, &m, &e);
        if (code != CT_OK)
            fail_msg("%s", e.text);
        assert_int_equal(m.n_positions, 5);
        assert_true(m.positions[12] == 1 && m.positions[8] == 0 && m.positions[7] == 1 && m.positions[11] == 1);
        assert_int_equal(m.n_tets, 2);
        for (i = 0; i < 8; i++)
            assert_int_equal(m.tets[i], tets[i]);
        assert_int_equal(m.n_triangles, 1);
        assert_true(m.triangles[0] == 0 && m.triangles[1] == 1 && m.triangles[2] == 3);
        assert_int_equal(m.n_segments, 1);
        assert_true(m.segments[0] == 0 && m.segments[1] == 1);
        test_release(&m);
    }
}

/* quadrangles are fanned, elements of second order give their corners without the middles, and repeated elements count once */
static void test_msh_types(void **state)
{
    static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n11\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n"
                               "7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n11 1 1 1\n$EndNodes\n$Elements\n9\n1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n"
                               "2 9 2 1 1 1 3 2 7 6 5\n3 3 2 1 1 1 2 11 4\n4 8 2 1 1 2 4 10\n5 11 2 2 1 1 2 3 4 5 6 7 8 9 10\n"
                               "6 3 2 2 1 1 2 11 4\n7 2 2 2 1 1 3 2\n8 2 2 3 1 1 2 3\n9 1 2 3 1 2 4\n$EndElements\n";
    static const int32_t triangles[] = {0, 2, 1, 0, 1, 4, 0, 4, 3, 0, 1, 2};
    ct_mesh m;
    ct_error_info e;
    int i;
    CTI_UNUSED(state);
    assert_int_equal(test_read("msh", text, &m, &e), CT_OK);
    assert_int_equal(m.n_positions, 5);
    assert_true(m.positions[12] == 1 && m.positions[13] == 1 && m.positions[14] == 1);
    assert_int_equal(m.n_tets, 1);
    for (i = 0; i < 4; i++)
        assert_int_equal(m.tets[i], i);
    assert_int_equal(m.n_triangles, 4); /* 1 2 3 is no copy of 1 3 2: it is turned over */
    for (i = 0; i < 12; i++)
        assert_int_equal(m.triangles[i], triangles[i]);
    assert_int_equal(m.n_segments, 1);
    assert_true(m.segments[0] == 1 && m.segments[1] == 3);
    test_release(&m);
}

static void test_msh_refused(void **state)
{
    ct_mesh m;
    ct_error_info e;
    size_t cut;
    int version;
    CTI_UNUSED(state);
#define TEST_HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define TEST_NODES "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
    test_refused("msh", "", CT_ERR_FORMAT, 1);
    test_refused("msh", "hello\n", CT_ERR_FORMAT, 1);
    test_refused("msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n", CT_ERR_UNSUPPORTED, 2);
    test_refused("msh", "$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", CT_ERR_UNSUPPORTED, 2);
    test_refused("msh", "$MeshFormat\n2.2 0 8\n$Nodes\n", CT_ERR_FORMAT, 3);
    test_refused("msh", TEST_HEAD, CT_ERR_FORMAT, 4);
    test_refused("msh", TEST_HEAD TEST_NODES, CT_ERR_FORMAT, 10);
    test_refused("msh", TEST_HEAD "$Nodes\n3\n1 0 0 0\n2 1 0\n3 0 1 0\n$EndNodes\n", CT_ERR_FORMAT, 7);
    test_refused("msh", TEST_HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 nan\n3 0 1 0\n$EndNodes\n", CT_ERR_FORMAT, 7);
    test_refused("msh", TEST_HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n", CT_ERR_FORMAT, 9);
    test_refused("msh", TEST_HEAD "$Nodes\n2\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n", CT_ERR_FORMAT, 8);
    test_refused("msh", TEST_HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 0\n1 0 1 0\n$EndNodes\n", CT_ERR_FORMAT, 9);
    test_refused("msh", TEST_HEAD "$Nodes\n-3\n", CT_ERR_FORMAT, 5);
    test_refused("msh", TEST_HEAD "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n", CT_ERR_FORMAT, 4);
    test_refused("msh", TEST_HEAD TEST_NODES TEST_NODES, CT_ERR_FORMAT, 10);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n1\n1 2 0 1 2 4\n$EndElements\n", CT_ERR_FORMAT, 12);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n1\n1 2 0 1 2\n$EndElements\n", CT_ERR_FORMAT, 12);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n1\n1 2 x 1 2 3\n$EndElements\n", CT_ERR_FORMAT, 12);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n2\n1 2 0 1 2 3\n$EndElements\n", CT_ERR_FORMAT, 13);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n1\n1 2 0 1 2 3\n", CT_ERR_FORMAT, 13);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n1\n1 26 0 1 2 3\n$EndElements\n", CT_ERR_FORMAT, 14);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n1\n1 11 0 1 2 3\n$EndElements\n", CT_ERR_FORMAT, 12);
    /* hexahedra, prisms, pyramids, second-order quadrangles, triangles of third order: a part of the body would be missing */
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n2\n1 2 0 1 2 3\n2 5 0 1 2 3 1 2 3 1 2\n$EndElements\n", CT_ERR_UNSUPPORTED, 13);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n1\n1 10 0 1 2 3 1 2 3 1 2 3\n$EndElements\n", CT_ERR_UNSUPPORTED, 12);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n1\n1 21 0 1 2 3 1 2 3 1 2 3 1\n$EndElements\n", CT_ERR_UNSUPPORTED, 12);
    test_refused("msh", TEST_HEAD TEST_NODES "$Elements\n9000000000000000\n", CT_ERR_FORMAT, 12);
    /* every truncation except one of the last line's end is an error, and nothing leaks */
    for (version = 2; version <= 4; version += 2) {
        const char *text = version == 2 ? test_msh2 : test_msh4;
        size_t n = strlen(text);
        for (cut = 0; cut < n; cut++) {
            ct_code code;
            cti_mem_init(&test_mem, NULL);
            memset(&m, 0, sizeof m);
            code = cti_read_msh(&test_mem, text, cut, &m, &e);
            if (cut < n - (version == 2))
                assert_int_not_equal(code, CT_OK);
            test_release(&m);
        }
    }
    test_refused("msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n1\n1 0 0 0 3 1 0 0\n$EndParametricNodes\n", CT_ERR_UNSUPPORTED, 4);
}

/* Numbers: exactly what strtod makes of them (C locale), and in a locale with a decimal comma too. */
static void test_numbers(void **state)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "1",
                                       "-1.5",
                                       "+2",
                                       ".5",
                                       "5.",
                                       "1e10",
                                       "1E-10",
                                       "0.1",
                                       "123456789012345678901234567890",
                                       "9007199254740993",
                                       "9007199254740992",
                                       "9007199254740993e-3",
                                       "2.2250738585072011e-308",
                                       "4.9e-324",
                                       "1e-400",
                                       "1.7976931348623157e308",
                                       "0.000000000000000000000000000000000000001",
                                       "3.4028234e38",
                                       "16777217",
                                       "1.00000005960464478",
                                       "0.30000000000000004",
                                       "100000000000000000000000e-23",
                                       "000000000000000000000000000001.5"};
    static const char *const bad[] = {"",    "-",   ".",    "e5", "1e",  "1e+",   "nan",   "inf",
                                      "1,5", "0x1", "1.5f", "1 ", "--1", "1.2.3", "1e400", "-1e400"};
    size_t i;
    int pass;
    uint32_t seed = 1;
    char text[64];
    CTI_UNUSED(state);
    for (pass = 0; pass < 2; pass++) {
        if (pass == 1 && !setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
            break;
        for (i = 0; i < sizeof good / sizeof *good + 20000; i++) {
            ct_real got, want;
            const char *t = text;
            if (i < sizeof good / sizeof *good) {
                t = good[i];
            } else {
                uint32_t a, b, c;
                a = seed = seed * 1664525u + 1013904223u, b = seed = seed * 1664525u + 1013904223u,
                c = seed = seed * 1664525u + 1013904223u;
                if (a >> 31)
                    snprintf(text, sizeof text, "%s%u.%0*ue%d", b >> 31 ? "-" : "", a >> 8, (int)(1 + c % 8), b >> 8, (int)(c >> 26) - 32);
                else
                    snprintf(text, sizeof text, "%u%s%u", a >> 12, ".", b >> (c >> 28));
            }
            setlocale(LC_NUMERIC, "C");
#if CONTACT_REAL == 32
            want = strtof(t, NULL);
#else
            want = strtod(t, NULL);
#endif
            if (pass == 1 && !setlocale(LC_NUMERIC, "de_DE.UTF-8"))
                setlocale(LC_NUMERIC, "fr_FR.UTF-8");
            if (!cti_finite(want))
                continue;
            if (!cti_scan_number(t, (int)strlen(t), &got) || memcmp(&got, &want, sizeof got) != 0)
                fail_msg("%s: %.17g, not %.17g", t, (double)want, (double)got);
        }
        setlocale(LC_NUMERIC, "C");
    }
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        ct_real got;
        if (cti_scan_number(bad[i], (int)strlen(bad[i]), &got))
            fail_msg("'%s' was read as %g", bad[i], (double)got);
    }
}

static void test_by_name(void **state)
{
    ct_mesh m;
    ct_error_info e;
    CTI_UNUSED(state);
    assert_int_equal(ct_mesh_read(NULL, &m, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_read("a.obj", NULL, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_read("/nonexistent/a.obj", &m, &e), CT_ERR_FILE);
    assert_int_equal(e.code, CT_ERR_FILE);
    assert_int_equal(ct_mesh_read("a.off", &m, &e), CT_ERR_UNSUPPORTED);
    {
        char folder[] = "/tmp/contact_test_XXXXXX", name[64];
        FILE *f;
        assert_non_null(mkdtemp(folder));
        snprintf(name, sizeof name, "%s/mesh.OBJ", folder);
        f = fopen(name, "wb");
        assert_non_null(f);
        fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", f);
        fclose(f);
        assert_int_equal(ct_mesh_read(name, &m, &e), CT_OK);
        assert_int_equal(m.n_positions, 3);
        assert_int_equal(m.n_triangles, 1);
        ct_mesh_free(&m);
        assert_null(m.positions);
        ct_mesh_free(&m);
        ct_mesh_free(NULL);
        f = fopen(name, "wb");
        assert_non_null(f);
        fclose(f);
        assert_int_equal(ct_mesh_read(name, &m, &e), CT_ERR_FORMAT);
        remove(name);
        remove(folder);
    }
}

/* Real files: counts, positive tets, closed boundaries. */
static void test_scenes(void **state)
{
    static const struct {
        const char *name;
        int positions, tets, triangles;
    } files[] = {{"peers/S1_dt60/block.msh", 64, 135, 0},
                 {"peers/S3_N16/cube.msh", 4913, 20480, 0},
                 {"peers/S2/cloth.obj", 2500, 0, 4802},
                 {"peers/S2/sphere.obj", 2562, 0, 5120},
                 {"ipc/sqp_27_chain/collider0.obj", 200, 0, 400}};
    const char *folder = getenv("CONTACT_DATA");
    cti_mem mem;
    size_t i;
    int t, missing = 0;
    CTI_UNUSED(state);
    cti_mem_init(&mem, NULL);
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        char path[600];
        ct_mesh m;
        ct_error_info e;
        cti_topology topology;
        int32_t *boundary = NULL;
        ct_code code;
        snprintf(path, sizeof path, "%s/scenes/%s", folder ? folder : "../shared/data", files[i].name);
        code = ct_mesh_read(path, &m, &e);
        if (code == CT_ERR_FILE) {
            print_message("missing: scenes/%s in ../shared/data (or CONTACT_DATA)\n", files[i].name);
            missing = 1;
            continue;
        }
        if (code != CT_OK)
            fail_msg("%s: %s", path, e.text);
        assert_int_equal(m.n_positions, files[i].positions);
        assert_int_equal(m.n_tets, files[i].tets);
        assert_int_equal(m.n_triangles, files[i].triangles);
        for (t = 0; t < m.n_tets; t++) {
            cti_v3 a = cti_v3_at(m.positions, m.tets[4 * t]), b = cti_v3_sub(cti_v3_at(m.positions, m.tets[4 * t + 1]), a);
            cti_v3 c = cti_v3_sub(cti_v3_at(m.positions, m.tets[4 * t + 2]), a),
                   d = cti_v3_sub(cti_v3_at(m.positions, m.tets[4 * t + 3]), a);
            assert_true(cti_v3_dot(cti_v3_cross(b, c), d) > 0);
        }
        memset(&topology, 0, sizeof topology);
        if (m.n_tets > 0) {
            assert_true(cti_mesh_boundary(&mem, m.tets, m.n_tets, m.n_positions, &boundary));
            assert_true(cti_topology_build(&mem, &topology, m.n_positions, boundary, CTI_LEN(boundary) / 3, NULL, 0));
            assert_true(topology.closed);
        }
        CTI_FREE(&mem, boundary);
        cti_topology_free(&mem, &topology);
        ct_mesh_free(&m);
    }
    assert_int_equal(mem.bytes_live, 0);
    if (missing)
        skip();
}

/* ---- shapes ---- */

static double test_volume(const ct_mesh *m)
{
    double sum = 0;
    int t;
    for (t = 0; t < m->n_triangles; t++) {
        cti_v3 a = cti_v3_at(m->positions, m->triangles[3 * t]), b = cti_v3_at(m->positions, m->triangles[3 * t + 1]);
        sum += (double)cti_v3_dot(a, cti_v3_cross(b, cti_v3_at(m->positions, m->triangles[3 * t + 2]))) / 6;
    }
    return sum;
}

static int test_closed(const ct_mesh *m)
{
    cti_topology t;
    cti_mem mem;
    int closed, v;
    cti_mem_init(&mem, NULL);
    memset(&t, 0, sizeof t);
    assert_true(cti_topology_build(&mem, &t, m->n_positions, m->triangles, m->n_triangles, NULL, 0));
    closed = t.closed;
    for (v = 0; v < m->n_positions; v++)
        assert_int_equal(t.vertex_is_point[v], 0);
    cti_topology_free(&mem, &t);
    return closed;
}

/* A triangle's corners, sorted, as one key. */
static void test_triangle_key(const ct_real *x, const int32_t *t, ct_real key[9])
{
    int i, j, k, o[3] = {0, 1, 2};
    for (i = 0; i < 3; i++)
        for (j = 0; j < 2; j++)
            for (k = 0; k < 3; k++) {
                ct_real a = x[3 * t[o[j]] + k], b = x[3 * t[o[j + 1]] + k];
                if (a == b)
                    continue;
                if (a > b) {
                    int s = o[j];
                    o[j] = o[j + 1], o[j + 1] = s;
                }
                break;
            }
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            key[3 * i + k] = x[3 * t[o[i]] + k];
}

static void test_box(void **state)
{
    int shape;
    CTI_UNUSED(state);
    for (shape = 0; shape < 5; shape++) {
        static const int cells[5][3] = {{1, 1, 1}, {2, 3, 4}, {1, 5, 2}, {4, 1, 1}, {3, 3, 3}};
        static const ct_real size[3] = {1, 2, CTI_R(0.5)};
        const int *n = cells[shape];
        ct_mesh solid, surface;
        int32_t *boundary = NULL;
        cti_mem mem;
        int t, u, found, k;
        double volume = 0;
        cti_mem_init(&mem, NULL);
        assert_int_equal(ct_mesh_box(size, n, 1, &solid, NULL), CT_OK);
        assert_int_equal(ct_mesh_box(size, n, 0, &surface, NULL), CT_OK);
        assert_int_equal(solid.n_positions, (n[0] + 1) * (n[1] + 1) * (n[2] + 1));
        assert_int_equal(solid.n_tets, 5 * n[0] * n[1] * n[2]);
        assert_int_equal(solid.n_triangles, 0);
        for (t = 0; t < solid.n_tets; t++) {
            cti_v3 a = cti_v3_at(solid.positions, solid.tets[4 * t]), b = cti_v3_sub(cti_v3_at(solid.positions, solid.tets[4 * t + 1]), a);
            cti_v3 c = cti_v3_sub(cti_v3_at(solid.positions, solid.tets[4 * t + 2]), a);
            cti_v3 d = cti_v3_sub(cti_v3_at(solid.positions, solid.tets[4 * t + 3]), a);
            assert_true(cti_v3_dot(cti_v3_cross(b, c), d) > 0);
            volume += (double)cti_v3_dot(cti_v3_cross(b, c), d) / 6;
        }
        assert_true(volume > 1 - 1e-5 && volume < 1 + 1e-5);
        assert_true(test_closed(&surface));
        assert_true(test_volume(&surface) > 1 - 1e-5 && test_volume(&surface) < 1 + 1e-5);
        /* the surface is the boundary of the solid, diagonals included */
        assert_true(cti_mesh_boundary(&mem, solid.tets, solid.n_tets, solid.n_positions, &boundary));
        assert_int_equal(CTI_LEN(boundary), 3 * surface.n_triangles);
        assert_int_equal(surface.n_triangles, 4 * (n[0] * n[1] + n[1] * n[2] + n[0] * n[2]));
        for (t = 0; t < surface.n_triangles; t++) {
            ct_real p[9], q[9];
            test_triangle_key(surface.positions, surface.triangles + 3 * t, p);
            for (found = 0, u = 0; u < surface.n_triangles; u++) {
                int same = 1;
                test_triangle_key(solid.positions, boundary + 3 * u, q);
                for (k = 0; k < 9; k++)
                    same &= p[k] == q[k];
                found += same;
            }
            assert_int_equal(found, 1);
        }
        CTI_FREE(&mem, boundary);
        ct_mesh_free(&solid);
        ct_mesh_free(&surface);
    }
}

static void test_grid_and_sphere(void **state)
{
    static const ct_real size[2] = {1, 2}, bad_size[2] = {1, -1};
    static const int cells[2] = {3, 4}, bad_cells[3] = {3, 0, 1};
    static const ct_real size3[3] = {1, 1, 1};
    ct_mesh m;
    ct_error_info e;
    int t, level;
    CTI_UNUSED(state);
    assert_int_equal(ct_mesh_grid(size, cells, &m, NULL), CT_OK);
    assert_int_equal(m.n_positions, 20);
    assert_int_equal(m.n_triangles, 24);
    assert_false(test_closed(&m));
    assert_true(m.positions[0] == CTI_R(-0.5) && m.positions[2] == -1 && m.positions[57] == CTI_R(0.5) && m.positions[59] == 1);
    for (t = 0; t < m.n_triangles; t++) {
        cti_v3 a = cti_v3_at(m.positions, m.triangles[3 * t]), b = cti_v3_at(m.positions, m.triangles[3 * t + 1]);
        cti_v3 n = cti_v3_cross(cti_v3_sub(b, a), cti_v3_sub(cti_v3_at(m.positions, m.triangles[3 * t + 2]), a));
        assert_true(n.y > 0 && n.x == 0 && n.z == 0);
    }
    ct_mesh_free(&m);
    for (level = 0; level <= 4; level++) {
        int i, want = 20;
        for (i = 0; i < level; i++)
            want *= 4;
        assert_int_equal(ct_mesh_sphere(2, level, &m, NULL), CT_OK);
        assert_int_equal(m.n_triangles, want);
        assert_int_equal(m.n_positions, want / 2 + 2);
        assert_true(test_closed(&m));
        assert_true(test_volume(&m) > (level ? 27 : 20) && test_volume(&m) < 33.52);
        for (i = 0; i < m.n_positions; i++)
            assert_true(cti_abs(cti_v3_norm(cti_v3_at(m.positions, i)) - 2) < 8 * CTI_EPS);
        ct_mesh_free(&m);
    }
    assert_int_equal(ct_mesh_grid(bad_size, cells, &m, &e), CT_ERR_ARGUMENT);
    assert_int_equal(e.element, 1);
    assert_int_equal(ct_mesh_box(size3, bad_cells, 1, &m, &e), CT_ERR_ARGUMENT);
    assert_int_equal(e.element, 1);
    assert_int_equal(ct_mesh_sphere(1, 8, &m, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_sphere(0, 1, &m, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_mesh_sphere(1, 1, NULL, NULL), CT_ERR_ARGUMENT);
}

/* ---- replacing existing files ---- */

/* rename of a system that does not replace existing files, in place of the C library's */
static int picky, refusals;
int rename(const char *from, const char *to)
{
    FILE *f = picky ? fopen(to, "rb") : NULL;
    if (f) {
        fclose(f);
        refusals++;
        return -1;
    }
    return link(from, to) == 0 ? unlink(from) : -1;
}

static void test_overwrite(void **state)
{
    static const char *const names[] = {"test_over.obj", "test_over.msh", "test_over.vtk", "test_over.cpb", "test_over.lcp"};
    static const int32_t p[] = {0, 1}, i[] = {0};
    static const double x[] = {2}, one[] = {1};
    ct_real size[3] = {1, 1, 1};
    int cells[3] = {1, 1, 1}, k;
    ct_problem_desc d = ct_problem_desc_default();
    ct_problem *qp = NULL, *lcp = NULL;
    ct_mesh m;
    CTI_UNUSED(state);
    assert_int_equal(ct_mesh_box(size, cells, 1, &m, NULL), CT_OK);
    d.A.rows = d.A.cols = 1, d.A.p = p, d.A.i = i, d.A.x = x, d.J = d.A, d.b = d.w = one;
    assert_int_equal(ct_problem_create(&d, &qp, NULL), CT_OK);
    d = ct_problem_desc_default(), d.kind = CT_PROBLEM_LCP;
    d.W.rows = d.W.cols = 1, d.W.p = p, d.W.i = i, d.W.x = x, d.w = one;
    assert_int_equal(ct_problem_create(&d, &lcp, NULL), CT_OK);
    picky = 1;
    for (k = 0; k < 5; k++) {
        char temporary[40];
        FILE *f = fopen(names[k], "wb");
        int turn;
        assert_non_null(f);
        fputs("what stood there before", f);
        fclose(f);
        for (turn = 0; turn < 2; turn++) {
            ct_mesh back;
            ct_problem *q = NULL;
            ct_error_info e;
            refusals = 0;
            if ((k < 3 ? ct_mesh_write(names[k], &m, &e) : ct_problem_write(k == 3 ? qp : lcp, names[k], &e)) != CT_OK)
                fail_msg("%s: %s", names[k], e.text);
            assert_int_equal(refusals, 1);
            if (k < 3) {
                assert_int_equal(ct_mesh_read(names[k], &back, NULL), CT_OK);
                ct_mesh_free(&back);
            } else {
                assert_int_equal(ct_problem_read(names[k], &q, NULL), CT_OK);
                ct_problem_free(q);
            }
        }
        snprintf(temporary, sizeof temporary, "%s.tmp", names[k]);
        assert_null(fopen(temporary, "rb"));
        remove(names[k]);
    }
    /* a folder in that place is not removed */
    assert_int_equal(mkdir("test_over.obj", 0700), 0);
    assert_int_equal(ct_mesh_write("test_over.obj", &m, NULL), CT_ERR_FILE);
    assert_null(fopen("test_over.obj.tmp", "rb"));
    assert_int_equal(rmdir("test_over.obj"), 0);
    picky = 0;
    ct_problem_free(qp), ct_problem_free(lcp), ct_mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj), cmocka_unit_test(test_obj_polygons), cmocka_unit_test(test_obj_refused),
        cmocka_unit_test(test_msh_types), cmocka_unit_test(test_msh),       cmocka_unit_test(test_msh_refused),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_by_name),
        cmocka_unit_test(test_overwrite), cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_box),       cmocka_unit_test(test_grid_and_sphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
