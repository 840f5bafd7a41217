/* paths.c -- what a SIMD path gains: collision queries, elements, a factor, block products, and the pile S1 step by step, each in process CPU
   time. Built with contact.h inside by tools/bench_paths.py, once for each path. Prints one line "name value unit" a measurement: the
   least of a few repetitions, which other work on the machine disturbs least; for the pile the mean step. */
#define CONTACT_IMPLEMENTATION
#ifdef PATHS_CONTACT_H
#include PATHS_CONTACT_H
#else
#include "../../contact.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define R(x) ((ct_real)(x))
enum { REPEATS = 7 };

static double seconds(void)
{
#ifdef __wasi__
    struct timespec t; /* it has no clock of a process */
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
    return (double)clock() / CLOCKS_PER_SEC;
#endif
}
static uint64_t seed = 1;
static double uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1.0;
}
static void need(int ok, const char *what)
{
    if (!ok) {
        printf("%s failed\n", what);
        exit(1);
    }
}
static double least(const double *t, int n)
{
    double m = t[0];
    int i;
    for (i = 1; i < n; i++)
        m = t[i] < m ? t[i] : m;
    return m;
}

/* features of the size 0.1 that move by as much past each other: most are found to stay apart, some meet */
static void ccd(int edges)
{
    enum { N = 20000 };
    ct_real *x = (ct_real *)malloc(sizeof(ct_real) * 24 * N), *toi = (ct_real *)malloc(sizeof(ct_real) * N);
    int32_t *quads = (int32_t *)malloc(sizeof(int32_t) * 4 * N);
    double t[REPEATS];
    int i, k, hits = 0;
    need(x && toi && quads, "memory");
    for (i = 0; i < N; i++) {
        double side = i % 8 == 0 ? 0 : 0.12;
        for (k = 0; k < 12; k++) {
            int apart = edges ? k / 3 >= 2 : k / 3 >= 1;
            x[12 * i + k] = R(0.1 * uniform() + (apart && k % 3 == 1 ? side : 0));
            x[12 * N + 12 * i + k] = x[12 * i + k] + R(0.03 * uniform());
        }
        for (k = 0; k < 4; k++)
            quads[4 * i + k] = 4 * i + k;
    }
    for (k = 0; k < REPEATS; k++) {
        double start = seconds();
        need((edges ? ct_ccd_edge_edge_batch : ct_ccd_vertex_face_batch)(x, x + 12 * N, quads, N, R(1e-3), toi) == CT_OK, "ccd");
        t[k] = seconds() - start;
    }
    for (i = 0; i < N; i++)
        hits += toi[i] <= 1;
    fprintf(stderr, "%d of %d meet\n", hits, N);
    printf("%s %.2f ns\n", edges ? "ccd_edge_edge" : "ccd_vertex_face", least(t, REPEATS) * 1e9 / N);
    free(x), free(toi), free(quads);
}

static int find(const void *ctx, int i, int j) { return cti_bsr_slot((const cti_bsr *)ctx, i, j); }
/* force and stiffness of a box of tets or of a sheet, moved at random; with `solve` the factor of its matrix, and its block products */
static void elements(ct_model kind, const char *name, int solve)
{
    ct_real size[3] = {1, 1, 1}, *x, *f;
    int cells[3] = {10, 10, 10}, sheet[2] = {40, 40}, i, j, k, n, count, *blocks;
    ct_material m = ct_material_default(kind);
    double t[REPEATS], value;
    int64_t bad;
    int32_t *pairs = NULL;
    cti_mem mem;
    ct_mesh mesh;
    cti_rest_mesh rest;
    cti_model model;
    cti_bsr A;
    cti_mem_init(&mem, NULL);
    memset(&mesh, 0, sizeof mesh), memset(&model, 0, sizeof model), memset(&A, 0, sizeof A);
    if (kind < CT_MODEL_MEMBRANE) {
        need(ct_mesh_box(size, cells, 1, &mesh, NULL) == CT_OK, name);
        rest = cti_rest_mesh_of(mesh.positions, mesh.n_positions, mesh.tets, mesh.n_tets, 0);
        need(cti_model_init_soft(&mem, &model, &m, &rest, &bad, &value) == 1, name);
    } else {
        need(ct_mesh_grid(size, sheet, &mesh, NULL) == CT_OK, name);
        rest = cti_rest_mesh_of(mesh.positions, mesh.n_positions, mesh.triangles, mesh.n_triangles, 0);
        need(cti_model_init_cloth(&mem, &model, &m, &rest, &bad, &value) == 1, name);
    }
    n = mesh.n_positions, count = mesh.n_tets ? mesh.n_tets : mesh.n_triangles;
    need(cti_model_pairs(&model, &mem, &pairs) && cti_bsr_pattern(&mem, &A, n, pairs, (int)stbds_arrlen(pairs) / 2) &&
             cti_model_slots(&mem, &model, find, &A) == 1, name);
    x = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)n), f = (ct_real *)calloc(3 * (size_t)n, sizeof(ct_real));
    blocks = (int *)malloc(sizeof(int) * (size_t)n);
    need(x && f && blocks, "memory");
    for (i = 0; i < 3 * n; i++)
        x[i] = mesh.positions[i] + R(0.01 * uniform());
    for (i = 0; i < n; i++)
        blocks[i] = i;
    for (k = 0; k < REPEATS; k++) {
        double start = seconds();
        for (j = 0; j < 4; j++)
            cti_model_assemble(&model, x, R(0.01), f, A.val, NULL, NULL);
        t[k] = seconds() - start;
    }
    if (!solve)
        printf("%s %.2f ns\n", name, least(t, REPEATS) * 1e9 / 4 / count);
    else {
        cti_symbolic sym;
        cti_gather g;
        cti_factor32 f32;
        cti_factor64 f64;
        float *row = (float *)calloc(9 * (size_t)A.row[n] + 8, sizeof *row), *v = (float *)calloc(4 * (size_t)n, sizeof *v), sum[8];
        double total = 0;
        memset(&sym, 0, sizeof sym), memset(&g, 0, sizeof g), memset(&f32, 0, sizeof f32), memset(&f64, 0, sizeof f64);
        for (i = 0; i < n; i++)
            for (k = 0; k < 3; k++)
                A.val[9 * A.diag[i] + 4 * k] += R(1e6);
        need(row && v && cti_symbolic_analyze(&mem, &sym, &A, blocks, n) && cti_gather_make(&mem, &g, &sym, &A, blocks), "analysis");
        for (k = 0; k < REPEATS; k++) {
            double start = seconds();
            need(cti_factor64_compute(&mem, &f64, &sym, &g, A.val), "factor");
            t[k] = seconds() - start;
        }
        printf("factor_double %.4f ms\n", least(t, REPEATS) * 1e3);
        for (k = 0; k < REPEATS; k++) {
            double start = seconds();
            for (j = 0; j < 2; j++)
                need(cti_factor32_compute(&mem, &f32, &sym, &g, A.val), "factor");
            t[k] = seconds() - start;
        }
        printf("factor_float %.4f ms\n", least(t, REPEATS) * 1e3 / 2);
        for (i = 0; i < n; i++)
            cti_bsr_float_row(&A, i, row + 9 * (size_t)A.row[i]), v[4 * i] = v[4 * i + 1] = v[4 * i + 2] = (float)uniform();
        for (k = 0; k < REPEATS; k++) {
            double start = seconds();
            for (j = 0; j < 40; j++)
                for (i = 0; i < n; i++) {
                    cti_f8_store(sum, cti_bsr_float_dot(&A, row + 9 * (size_t)A.row[i], v, i));
                    total += (double)sum[0];
                }
            t[k] = seconds() - start;
        }
        fprintf(stderr, "%g\n", total);
        printf("block_product %.4f ns\n", least(t, REPEATS) * 1e9 / 40 / A.row[n]);
        free(row), free(v);
        cti_factor64_free(&mem, &f64);
        cti_gather_free(&mem, &g), cti_symbolic_free(&mem, &sym);
    }
    free(x), free(f), free(blocks);
    cti_array_free(&mem, pairs, sizeof *pairs);
    cti_bsr_free(&mem, &A), cti_model_free(&mem, &model), ct_mesh_free(&mesh);
}

/* 64 soft boxes of 4^3 vertices fall on each other, dt 1/60 s: the mean step, which is the same work on every path */
static void pile(int steps)
{
    ct_world_desc d = ct_world_desc_default();
    ct_static_desc ground = ct_static_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    ct_real size[3] = {R(0.2), R(0.2), R(0.2)};
    int cells[3] = {3, 3, 3}, i, k;
    ct_world *w = NULL;
    ct_body_id id;
    double start;
    ct_step_report r;
    need(ct_world_create(&d, &w, NULL) == CT_OK && ct_body_add_static(w, &ground, &id) == CT_OK, "world");
    for (i = 0; i < 64; i++) {
        ct_mesh m;
        memset(&m, 0, sizeof m);
        need(ct_mesh_box(size, cells, 1, &m, NULL) == CT_OK, "box");
        for (k = 0; k < m.n_positions; k++) {
            m.positions[3 * k] += R(0.22 * (double)(i % 4) + 0.01 * (double)(i / 16));
            m.positions[3 * k + 1] += R(0.11 + 0.21 * (double)(i / 16));
            m.positions[3 * k + 2] += R(0.22 * (double)(i / 4 % 4) - 0.015 * (double)(i / 16));
        }
        soft.mesh = &m, soft.material.young = R(1e5), soft.material.density = 1000;
        need(ct_body_add_soft(w, &soft, &id) == CT_OK, "soft body");
        ct_mesh_free(&m);
    }
    start = seconds();
    for (i = 0; i < steps; i++)
        need(ct_world_step(w, R(1.0 / 60), &r) == CT_OK, "step");
    printf("pile_step %.4f ms\n", (seconds() - start) * 1e3 / steps);
    fprintf(stderr, "%d contacts, hash %08lx\n", r.contacts, (unsigned long)(ct_world_hash(w) & 0xfffffffful));
    ct_world_destroy(w);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 40;
    fprintf(stderr, "%s, %d bits\n", ct_library_info_get()->simd, CONTACT_REAL);
    ccd(0), ccd(1);
    elements(CT_MODEL_COROTATIONAL, "tet_corotational", 0);
    elements(CT_MODEL_STABLE_NEOHOOKEAN, "tet_neohookean", 0);
    elements(CT_MODEL_MEMBRANE, "triangle_membrane", 0);
    elements(CT_MODEL_COROTATIONAL, "", 1);
    if (steps > 0)
        pile(steps);
    return 0;
}
