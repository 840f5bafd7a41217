/* fuzz_read.c -- libFuzzer harness of one reader; FUZZ_EXTENSION names it: obj, msh, ply, stl, vtk, tetgen (.node, .ele and .face behind
   one another, with a byte 0 between them), cpb, lcp, blcp, and of the command line's own readers mesh, meshb, vtu, gltf, glb. What a reader takes must be sound: numbers in range and finite, and where the
   format can be written, the file that is written reads as the same. */
#define _POSIX_C_SOURCE 200809L
#include "../../src/public/api.h"
#include "../../tools/mesh_in.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef FUZZ_EXTENSION
#define FUZZ_EXTENSION "obj"
#endif

static char base[64];

static void path_of(char *out, size_t size, const char *extension)
{
    if (!base[0])
        snprintf(base, sizeof base, "%s/contact_fuzz_%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    snprintf(out, size, "%s.%s", base, extension);
}

static void put(const char *path, const uint8_t *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || (n && fwrite(data, 1, n, f) != n))
        abort();
    fclose(f);
}

static int is_finite(double x) { return x - x == 0; }

static void check_list(const int32_t *list, int n, int per, int most)
{
    int i;
    if (n < 0 || (n > 0 && !list))
        abort();
    for (i = 0; i < per * n; i++)
        if (list[i] < 0 || list[i] >= most)
            abort();
}

static void check_mesh(const ct_mesh *m)
{
    int i;
    if (m->n_positions < 0 || (m->n_positions > 0 && !m->positions))
        abort();
    for (i = 0; i < 3 * m->n_positions; i++)
        if (!is_finite((double)m->positions[i]))
            abort();
    check_list(m->tets, m->n_tets, 4, m->n_positions);
    check_list(m->triangles, m->n_triangles, 3, m->n_positions);
    check_list(m->segments, m->n_segments, 2, m->n_positions);
}

/* to a file and back: the same. may_drop: elements that occur twice may be left out, as the reader of MSH does, and after that none */
static void mesh_again(const ct_mesh *m, const char *extension, int may_drop)
{
    char path[96];
    ct_mesh back;
    ct_error_info e;
    ct_code code;
    path_of(path, sizeof path, extension);
    if (m->n_positions == 0)
        return;
    if (ct_mesh_write(path, m, &e) != CT_OK)
        abort();
    memset(&back, 0, sizeof back);
    code = ct_mesh_read(path, &back, &e);
    if (code != CT_OK || back.n_positions != m->n_positions || back.n_tets > m->n_tets || back.n_triangles > m->n_triangles ||
        memcmp(back.positions, m->positions, sizeof(ct_real) * 3 * (size_t)m->n_positions) != 0)
        abort();
    if (back.n_tets < m->n_tets || back.n_triangles < m->n_triangles) {
        if (!may_drop)
            abort();
        mesh_again(&back, extension, 0);
    }
    ct_mesh_free(&back);
    remove(path);
}

/* what was read is used: numbers of every size reach the exact signs, and a weld keeps indices in range */
static void use_mesh(ct_mesh *m)
{
    ct_mesh lattice;
    ct_error_info e;
    int32_t *pairs = NULL;
    int n = 0;
    memset(&lattice, 0, sizeof lattice);
    if (ct_mesh_tetrahedralize(m, 0, &lattice, &e) == CT_OK)
        ct_mesh_free(&lattice);
    if (m->n_triangles < 2000 && ct_mesh_intersections(m, &pairs, &n, &e) == CT_OK)
        ct_free(pairs);
    if (ct_mesh_weld(m, (ct_real)0.125, &n, &e) == CT_OK)
        check_mesh(m);
}

static void read_mesh(const char *path)
{
    ct_mesh m;
    ct_error_info e;
    ct_code code;
    memset(&m, 0, sizeof m), memset(&e, 0, sizeof e);
    code = mesh_in_read(path, &m, &e);
    if (code == CT_OK) {
        check_mesh(&m);
        mesh_again(&m, "msh", 1), mesh_again(&m, "vtk", 0);
        use_mesh(&m);
        ct_mesh_free(&m);
    } else if (e.code != code || !e.text || !e.text[0] || m.positions || m.tets || m.triangles || m.segments)
        abort();
}

static void read_problem(const char *path)
{
    ct_problem *p = NULL, *back = NULL;
    ct_problem_info info, again;
    ct_error_info e;
    ct_code code;
    char out[96];
    memset(&e, 0, sizeof e);
    code = ct_problem_read(path, &p, &e);
    if (code != CT_OK) {
        if (e.code != code || !e.text || !e.text[0] || p)
            abort();
        return;
    }
    if (ct_problem_info_get(p, &info) != CT_OK || info.n < 0 || info.m < 0)
        abort();
    path_of(out, sizeof out, strcmp(FUZZ_EXTENSION, "cpb") == 0 ? "again.cpb" : "again." FUZZ_EXTENSION);
    code = ct_problem_write(p, out, &e);
    if (code == CT_OK && (ct_problem_read(out, &back, &e) != CT_OK || ct_problem_info_get(back, &again) != CT_OK || again.n != info.n ||
                          again.m != info.m || again.kind != info.kind))
        abort();
    if (code != CT_OK && code != CT_ERR_UNSUPPORTED)
        abort();
    ct_problem_free(p), ct_problem_free(back);
    remove(out);
}

/* the three files of TetGen */
static void read_tetgen(const uint8_t *data, size_t n)
{
    static const char *const parts[3] = {"node", "ele", "face"};
    char path[96];
    int k;
    for (k = 0; k < 3; k++) {
        const uint8_t *end = n ? (const uint8_t *)memchr(data, 0, n) : NULL;
        size_t here = end ? (size_t)(end - data) : n;
        path_of(path, sizeof path, parts[k]);
        if (here)
            put(path, data, here);
        else
            remove(path);
        data += here + (end != NULL), n -= here + (end != NULL);
    }
    path_of(path, sizeof path, "node");
    read_mesh(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[96];
    if (strcmp(FUZZ_EXTENSION, "tetgen") == 0) {
        read_tetgen(data, n);
        return 0;
    }
    path_of(path, sizeof path, FUZZ_EXTENSION);
    put(path, data, n);
    if (strcmp(FUZZ_EXTENSION, "cpb") == 0 || strcmp(FUZZ_EXTENSION, "lcp") == 0 || strcmp(FUZZ_EXTENSION, "blcp") == 0)
        read_problem(path);
    else
        read_mesh(path);
    return 0;
}
