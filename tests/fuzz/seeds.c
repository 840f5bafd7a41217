/* seeds.c -- inputs that the fuzzers start from: seeds DIR writes DIR/obj/..., DIR/msh/... and so on. What the library writes is written by
   it, the other formats by hand. */
#define _POSIX_C_SOURCE 200809L
#include "../../src/public/api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder;

static void path_of(char *out, size_t size, const char *kind, const char *name)
{
    snprintf(out, size, "%s/%s", folder, kind);
    mkdir(out, 0777);
    snprintf(out, size, "%s/%s/%s", folder, kind, name);
}

static void put(const char *kind, const char *name, const void *data, size_t n)
{
    char path[512];
    FILE *f;
    path_of(path, sizeof path, kind, name);
    f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n) {
        perror(path);
        exit(1);
    }
    fclose(f);
}
static void text(const char *kind, const char *name, const char *t) { put(kind, name, t, strlen(t)); }

static void meshes(void)
{
    static const char *const kinds[3] = {"obj", "msh", "vtk"};
    const ct_real size[3] = {1, 1, 1}, sheet[2] = {1, 1};
    const int cells[3] = {1, 1, 1};
    int32_t segments[2] = {0, 1};
    ct_mesh m[4];
    char path[512], name[32];
    int i, k;
    memset(m, 0, sizeof m);
    ct_mesh_box(size, cells, 1, &m[0], NULL), ct_mesh_box(size, cells, 0, &m[1], NULL), ct_mesh_grid(sheet, cells, &m[2], NULL);
    m[3].positions = m[0].positions, m[3].n_positions = 2, m[3].segments = segments, m[3].n_segments = 1;
    for (k = 0; k < 3; k++)
        for (i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "written_%d.%s", i, kinds[k]);
            path_of(path, sizeof path, kinds[k], name);
            if (ct_mesh_write(path, &m[i], NULL) != CT_OK)
                exit(1);
        }
    for (i = 0; i < 3; i++)
        ct_mesh_free(&m[i]);
}

/* little-endian floats and such, one after the other */
typedef struct bytes {
    unsigned char b[2048];
    size_t n;
} bytes;
static void add(bytes *b, const void *p, size_t n, int turned)
{
    size_t i;
    for (i = 0; i < n; i++)
        b->b[b->n + i] = ((const unsigned char *)p)[turned ? n - 1 - i : i];
    b->n += n;
}
static void add_text(bytes *b, const char *t) { add(b, t, strlen(t), 0); }

static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int32_t face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

static void binaries(void)
{
    int turned, i, k;
    for (turned = 0; turned < 2; turned++) {
        bytes p, v;
        p.n = v.n = 0;
        add_text(&p, turned ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
        add_text(&p, "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int "
                     "vertex_indices\nend_header\n");
        for (i = 0; i < 12; i++)
            add(&p, &corner[i / 3][i % 3], 4, turned);
        for (i = 0; i < 4; i++) {
            unsigned char three = 3;
            add(&p, &three, 1, 0);
            for (k = 0; k < 3; k++)
                add(&p, &face[i][k], 4, turned);
        }
        put("ply", turned ? "big.ply" : "little.ply", p.b, p.n);
        if (!turned)
            continue;
        add_text(&v, "# vtk DataFile Version 3.0\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n");
        for (i = 0; i < 12; i++)
            add(&v, &corner[i / 3][i % 3], 4, 1);
        add_text(&v, "\nCELLS 1 5\n");
        for (i = 0; i < 5; i++) {
            int32_t c = i == 0 ? 4 : i - 1;
            add(&v, &c, 4, 1);
        }
        add_text(&v, "\nCELL_TYPES 1\n");
        i = 10;
        add(&v, &i, 4, 1);
        add_text(&v, "\n");
        put("vtk", "binary.vtk", v.b, v.n);
    }
    {
        bytes s;
        uint32_t n = 4;
        uint16_t none = 0;
        float zero = 0;
        s.n = 0;
        for (i = 0; i < 80; i++)
            s.b[s.n++] = ' ';
        add(&s, &n, 4, 0);
        for (i = 0; i < 4; i++) {
            for (k = 0; k < 3; k++)
                add(&s, &zero, 4, 0);
            for (k = 0; k < 9; k++)
                add(&s, &corner[face[i][k / 3]][k % 3], 4, 0);
            add(&s, &none, 2, 0);
        }
        put("stl", "binary.stl", s.b, s.n);
    }
}

static void texts(void)
{
    static const char tetgen[] = "4 3 1 1\n1 0 0 0 5 1\n2 1 0 0 5 1\n3 0 1 0 5 1\n4 0 0 1 5 1\n\0"
                                 "1 4 1\n1 1 2 3 4 7\n\0"
                                 "4 1\n1 1 2 3 1\n2 1 4 2 1\n3 2 4 3 1\n4 1 3 4 1\n";
    text("obj", "more.obj",
         "# x\no a\nv 0 0 0 1\nv 1 0 0\nv 0 1 0\nv 0 0 1e0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 3\nf -4 -3 -2 -1\nl 1 2 3\np 4 \\\n 1\nusemtl "
         "m\n");
    text("msh", "four.msh",
         "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 "
         "2 1 2\n3 1 4 1\n1 1 2 3 "
         "4\n2 1 2 1\n2 1 3 2\n$EndElements\n");
    text("msh", "two.msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n$Elements\n3\n1 4 2 0 1 1 2 3 "
         "9\n2 2 0 1 "
         "3 2\n3 1 2 0 0 1 2\n$EndElements\n");
    text("ply", "ascii.ply",
         "ply\nformat ascii 1.0\ncomment x\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\n"
         "element face 2\nproperty list uchar uint vertex_indices\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n"
         "0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n3 0 2 1\n4 0 1 3 2\n0 3\n");
    text("stl", "ascii.stl",
         "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n");
    text("vtk", "poly.vtk",
         "# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nPOLYGONS 2 9\n3 0 1 2\n4 0 1 2 "
         "3\nLINES 1 "
         "3\n2 0 1\nVERTICES 1 2\n1 3\nPOINT_DATA 4\nSCALARS a float 1\nLOOKUP_TABLE default\n1 2 3 4\n");
    put("tetgen", "all.tetgen", tetgen, sizeof tetgen - 1);
    text("tetgen", "node.tetgen", "2 3 0 0\n0 0 0 0\n1 1 0 0\n");
}

static void problems(void)
{
    static const int32_t a_p[] = {0, 2, 5, 7, 8}, a_i[] = {1, 0, 0, 1, 2, 1, 2, 3}, j_p[] = {0, 1, 2, 3, 5, 6, 7},
                         j_i[] = {0, 1, 2, 3, 0, 1, 2};
    static const double a_x[] = {-1, 4, -1, 4, -0.5, -0.5, 3, 2.5}, j_x[] = {1, 1, 1, 1, -0.3, 1, 1};
    static const double b[] = {-1, 0.4, -2, 1. / 3}, w[] = {0.1, 0.2, -0.3, -0.25, 1e-3, 0.7}, mu[] = {0.5, 0};
    static const int32_t w_p[] = {0, 3, 6, 9, 11, 13, 15}, w_i[] = {0, 1, 3, 0, 1, 2, 1, 2, 4, 0, 3, 2, 4, 1, 5};
    static const double w_x[] = {4, 1, 0.5, 1, 3, 0.25, 0.25, 2, -0.125, 0.5, 5, -0.125, 2, 0, 3};
    static const double lo[] = {-1, -1e300, 0, 0.25, -2, -3}, hi[] = {1, 1e300, 4, 0.25, 2, 0};
    static const uint8_t equation[] = {0, 0, 1, 0, 0, 0};
    static const char *const kinds[7] = {"cpb", "cpb", "cpb", "cpb", "lcp", "blcp", "cpb"};
    static const int32_t diagonal_p[] = {0, 1, 2, 3, 4},
                         diagonal_i[] = {0, 1, 2, 3}; /* found by fuzzing: a matrix with nothing beside its diagonal */
    int i;
    for (i = 0; i < 7; i++) {
        ct_problem_desc d = ct_problem_desc_default();
        ct_problem *p = NULL;
        char path[512], name[32];
        d.kind = i < 2 || i == 6 ? CT_PROBLEM_QP : (i == 2 ? CT_PROBLEM_GLOBAL : (i == 3 ? CT_PROBLEM_LOCAL : CT_PROBLEM_LCP));
        if (i < 3 || i == 6)
            d.A.rows = d.A.cols = 4, d.A.p = a_p, d.A.i = a_i, d.A.x = a_x, d.J.rows = 6, d.J.cols = 4, d.J.p = j_p, d.J.i = j_i,
            d.J.x = j_x, d.b = b;
        else
            d.W.rows = d.W.cols = 6, d.W.p = w_p, d.W.i = w_i, d.W.x = w_x;
        d.w = w, d.r_ref = w;
        if (i == 2 || i == 3)
            d.mu = mu;
        if (i == 1)
            d.equation = equation;
        if (i == 6)
            d.A.p = diagonal_p, d.A.i = diagonal_i, d.A.x = w_x;
        if (i == 5)
            d.lo = lo, d.hi = hi;
        snprintf(name, sizeof name, "written_%d.%s", i, kinds[i]);
        path_of(path, sizeof path, kinds[i], name);
        if (ct_problem_create(&d, &p, NULL) != CT_OK || ct_problem_write(p, path, NULL) != CT_OK)
            exit(1);
        ct_problem_free(p);
    }
}

/* scenes of what examples/scenes has not: rods, points, the barrier stepper, joints, scripts */
static void scenes(void)
{
    text("scene", "thin.json",
         "{\"dt\":0.01,\"stepper\":\"barrier\",\"thickness\":0.002,\"barrier\":{\"kind\":\"rational\",\"dhat\":0.001,\"friction_velocity\":1e-4,"
         "\"newton_tolerance\":1e-4,\"friction_iterations\":0,\"newton_iterations\":50,\"stiffness\":0},\"bodies\":["
         "{\"name\":\"rope\",\"type\":\"rod\",\"shape\":{\"line\":{\"from\":[0,1,0],\"to\":[1,1,0],\"count\":8}},\"material\":{\"radius\":0.01,"
         "\"young\":1e6,\"poisson\":0.3,\"density\":900,\"curvature\":0.5,\"twist\":90,\"direction\":[0,1,0],\"damping\":{\"mass\":0.1,"
         "\"stiffness\":0.01}},\"fix\":[{\"vertices\":[0,1],\"motion\":[{\"linear\":[0.1,0,0],\"duration\":1},{\"linear\":[0,0,0]}]}]},"
         "{\"name\":\"net\",\"type\":\"rod\",\"shape\":{\"net\":{\"size\":[1,1],\"cells\":[3,3]}},\"material\":{\"bend\":[0,0],"
         "\"torsion\":0,\"stretch\":2000,"
         "\"line_density\":0.01},\"transform\":[{\"translate\":[0,2,0]}]},"
         "{\"name\":\"sand\",\"type\":\"points\",\"shape\":{\"line\":{\"from\":[0,3,0],\"to\":[1,3,0],\"count\":5}},\"material\":{\"radius\":0.02,"
         "\"mass\":0.01,\"damping\":{\"mass\":1}},\"repeat\":{\"count\":[1,2,2],\"spacing\":[0.1,0.1,0.1]}},"
         "{\"name\":\"floor\",\"type\":\"static\",\"shape\":{\"plane\":{\"normal\":[0,1,0],\"offset\":0,\"size\":2}}}],"
         "\"stitches\":[{\"a\":[\"rope\",0],\"b\":[\"net\",1],\"stiffness\":10,\"rest_length\":0.1}]}");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    mkdir(folder, 0777);
    meshes(), binaries(), texts(), problems(), scenes();
    return 0;
}
