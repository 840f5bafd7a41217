/* bench_broad.c -- trees against the spatial hash: the same scenes and the same motions in turn, process CPU times, medians and their
   ratio. Scenes: 64 soft boxes packed a millimetre apart; a cloth of 50 x 50 vertices in four layers; 164 rings of 216 vertices (about what
   a letter has) in a heap; the rings falling fast (boxes of their own for both ends); the boxes on a floor of two triangles. What the two
   give is compared. */
#include "../src/1_math/elem.h"
#include "../src/5_mesh/mesh.h"
#include "../src/5_mesh/pairs.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_RUNS = 31, BENCH_BODIES = 200 };

static uint64_t seed = 3;
static ct_real rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (ct_real)((double)(seed >> 11) / 9007199254740992.0 * 2 - 1);
}
static double now_ms(void) { return (double)clock() * 1000.0 / CLOCKS_PER_SEC; }
static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *t)
{
    qsort(t, BENCH_RUNS, sizeof *t, compare);
    return t[BENCH_RUNS / 2];
}

typedef struct bench_scene {
    cti_soup soup;
    cti_soup_body bodies[BENCH_BODIES];
    ct_real *x;
    int32_t *edges, *faces;
} bench_scene;

/* adds a surface, tilted a little and moved to `at` */
static int bench_add(cti_mem *mem, bench_scene *s, const ct_mesh *m, const ct_real *at, ct_real tilt, int dynamic, ct_real inflate)
{
    cti_topology t;
    cti_soup_body *b = s->bodies + s->soup.n_bodies++;
    int i, ok;
    ct_real a = tilt * rnd(), c = tilt * rnd();
    memset(&t, 0, sizeof t);
    ok = cti_topology_build(mem, &t, m->n_positions, m->triangles, m->n_triangles, NULL, 0);
    memset(b, 0, sizeof *b);
    b->v0 = s->soup.nv, b->e0 = s->soup.ne, b->f0 = s->soup.nf;
    for (i = 0; ok && i < m->n_positions; i++) {
        cti_v3 p = cti_v3_at(m->positions, i);
        ok = CTI_PUSH(mem, s->x, p.x - a * p.y + at[0]) && CTI_PUSH(mem, s->x, p.y + a * p.x - c * p.z + at[1]) &&
             CTI_PUSH(mem, s->x, p.z + c * p.y + at[2]);
    }
    for (i = 0; ok && i < 2 * t.n_edges; i++)
        ok = CTI_PUSH(mem, s->edges, (int32_t)(t.edges[i] + b->v0));
    for (i = 0; ok && i < 3 * m->n_triangles; i++)
        ok = CTI_PUSH(mem, s->faces, (int32_t)(m->triangles[i] + b->v0));
    s->soup.nv = b->v1 = CTI_LEN(s->x) / 3, s->soup.ne = b->e1 = CTI_LEN(s->edges) / 2, s->soup.nf = b->f1 = CTI_LEN(s->faces) / 3;
    b->dynamic = b->self = dynamic, b->filter.category = b->filter.mask = 1, b->swept = 1, b->inflate = inflate;
    cti_topology_free(mem, &t);
    return ok;
}

/* one update and one query for a step from s->x to y */
static int bench_once(cti_mem *mem, cti_broad *broad, bench_scene *s, const ct_real *y, int32_t **vf, int32_t **ee, double *update,
                      double *pairs)
{
    double start = now_ms();
    int ok = cti_broad_update(mem, broad, &s->soup, s->x, y);
    *update = now_ms() - start;
    start = now_ms();
    ok = ok && cti_broad_pairs(mem, broad, &s->soup, vf, ee, NULL, NULL);
    *pairs = now_ms() - start;
    return ok;
}

static int bench_run(cti_mem *mem, bench_scene *s, const char *name, ct_real fall)
{
    cti_broad broad[2];
    int32_t *vf[2] = {NULL, NULL}, *ee[2] = {NULL, NULL};
    ct_real *y = (ct_real *)malloc(3 * (size_t)s->soup.nv * sizeof *y);
    double update[2][BENCH_RUNS], pairs[2][BENCH_RUNS], u[2], p[2], build[2];
    int i, k, h, ok = y != NULL;
    memset(broad, 0, sizeof broad);
    s->soup.edges = s->edges, s->soup.faces = s->faces, s->soup.bodies = s->bodies;
    for (h = 0; ok && h < 2; h++) {
        double start = now_ms();
        broad[h].hashed = h;
        ok = cti_broad_build(mem, &broad[h], &s->soup, s->x);
        build[h] = now_ms() - start;
    }
    for (k = 0; ok && k < BENCH_RUNS; k++) {
        for (i = 0; i < 3 * s->soup.nv; i++)
            y[i] = s->x[i] + CTI_R(0.0005) * rnd() - (i % 3 == 1 ? fall : 0);
        for (h = 0; ok && h < 2; h++)
            ok = bench_once(mem, &broad[h], s, y, &vf[h], &ee[h], &update[h][k], &pairs[h][k]);
        if (ok && (CTI_LEN(vf[0]) != CTI_LEN(vf[1]) || CTI_LEN(ee[0]) != CTI_LEN(ee[1]) ||
                   memcmp(vf[0], vf[1], (size_t)CTI_LEN(vf[0]) * sizeof *vf[0]) != 0 ||
                   memcmp(ee[0], ee[1], (size_t)CTI_LEN(ee[0]) * sizeof *ee[0]) != 0)) {
            printf("%s: trees and hash differ\n", name);
            ok = 0;
        }
    }
    for (h = 0; ok && h < 2; h++)
        u[h] = median(update[h]), p[h] = median(pairs[h]);
    if (ok) {
        printf("%-15s %6d vertices  trees: build %6.2f update %6.3f pairs %7.3f   hash: build %6.2f update %6.3f pairs %7.3f ms", name,
               s->soup.nv, build[0], u[0], p[0], build[1], u[1], p[1]);
        printf("   hash / trees %5.2f   VF %d EE %d\n", (u[1] + p[1]) / (u[0] + p[0]), CTI_LEN(vf[0]) / 2, CTI_LEN(ee[0]) / 2);
    }
    for (h = 0; h < 2; h++) {
        CTI_FREE(mem, vf[h]);
        CTI_FREE(mem, ee[h]);
        cti_broad_free(mem, &broad[h]);
    }
    CTI_FREE(mem, s->x);
    CTI_FREE(mem, s->edges);
    CTI_FREE(mem, s->faces);
    free(y);
    return ok;
}

/* 4 x 4 x 4 boxes; floor 1: on two triangles */
static int bench_pile(cti_mem *mem, bench_scene *s, int with_floor)
{
    static const ct_real size[3] = {CTI_R(0.1), CTI_R(0.1), CTI_R(0.1)}, floor_size[2] = {20, 20};
    static const int cells[3] = {3, 3, 3}, one[2] = {1, 1};
    ct_real at[3];
    ct_mesh m;
    int i, ok;
    memset(s, 0, sizeof *s);
    if (ct_mesh_box(size, cells, 0, &m, NULL) != CT_OK)
        return 0;
    for (i = 0, ok = 1; ok && i < 64; i++) {
        at[0] = CTI_R(0.107) * (ct_real)(i % 4), at[1] = CTI_R(0.107) * (ct_real)(i / 4 % 4), at[2] = CTI_R(0.107) * (ct_real)(i / 16);
        ok = bench_add(mem, s, &m, at, CTI_R(0.1), 1, CTI_R(0.004));
    }
    ct_mesh_free(&m);
    if (!ok || !with_floor)
        return ok;
    if (ct_mesh_grid(floor_size, one, &m, NULL) != CT_OK)
        return 0;
    at[0] = at[2] = 0, at[1] = CTI_R(-0.062);
    ok = bench_add(mem, s, &m, at, 0, 0, CTI_R(0.004));
    ct_mesh_free(&m);
    return ok;
}

static int bench_cloth(cti_mem *mem, bench_scene *s)
{
    static const ct_real sheet[2] = {1, 1}, at[3] = {0, 0, 0};
    static const int cells[2] = {49, 49};
    ct_mesh m;
    int i, ok;
    memset(s, 0, sizeof *s);
    if (ct_mesh_grid(sheet, cells, &m, NULL) != CT_OK)
        return 0;
    for (i = 0; i < m.n_positions; i++) {
        ct_real *p = m.positions + 3 * i, u = p[0] + CTI_R(0.5);
        int layer = cti_min_int((int)(u * 4), 3);
        ct_real r = u - CTI_R(0.25) * (ct_real)layer;
        p[0] = layer % 2 ? CTI_R(0.25) - r : r;
        p[1] = CTI_R(0.002) * (ct_real)layer + CTI_R(0.004) * r;
    }
    ok = bench_add(mem, s, &m, at, 0, 1, CTI_R(0.0015));
    ct_mesh_free(&m);
    return ok;
}

/* a ring of square section: 18 x 12 vertices, 0.2 across */
static int bench_ring(cti_mem *mem, ct_mesh *m)
{
    enum { AROUND = 18, SIDE = 3, SECTION = 4 * SIDE };
    int i, j, ok = 1;
    memset(m, 0, sizeof *m);
    for (i = 0; ok && i < AROUND; i++)
        for (j = 0; ok && j < SECTION; j++) {
            double w = 2 * 3.14159265358979 * i / AROUND, t = (double)(j % SIDE) / SIDE;
            double a = j / SIDE == 0 ? t : (j / SIDE == 1 ? 1 : (j / SIDE == 2 ? 1 - t : 0));
            double b = j / SIDE == 0 ? 0 : (j / SIDE == 1 ? t : (j / SIDE == 2 ? 1 : 1 - t)), r = 0.06 + 0.04 * a;
            ok = CTI_PUSH(mem, m->positions, (ct_real)(r * cti_cos64(w))) && CTI_PUSH(mem, m->positions, (ct_real)(r * cti_sin64(w))) &&
                 CTI_PUSH(mem, m->positions, (ct_real)(0.04 * (b - 0.5)));
        }
    for (i = 0; ok && i < AROUND; i++)
        for (j = 0; ok && j < SECTION; j++) {
            int p = i * SECTION + j, q = (i + 1) % AROUND * SECTION + j, r = i * SECTION + (j + 1) % SECTION;
            int t = (i + 1) % AROUND * SECTION + (j + 1) % SECTION;
            ok = CTI_PUSH(mem, m->triangles, p) && CTI_PUSH(mem, m->triangles, q) && CTI_PUSH(mem, m->triangles, t) &&
                 CTI_PUSH(mem, m->triangles, p) && CTI_PUSH(mem, m->triangles, t) && CTI_PUSH(mem, m->triangles, r);
        }
    m->n_positions = CTI_LEN(m->positions) / 3, m->n_triangles = CTI_LEN(m->triangles) / 3;
    return ok;
}

static int bench_letters(cti_mem *mem, bench_scene *s, int swept)
{
    ct_mesh m;
    int i, ok;
    memset(s, 0, sizeof *s);
    ok = bench_ring(mem, &m);
    for (i = 0; ok && i < 164; i++) {
        ct_real at[3];
        at[0] = CTI_R(0.19) * (ct_real)(i % 5), at[1] = CTI_R(0.19) * (ct_real)(i / 5 % 5), at[2] = CTI_R(0.046) * (ct_real)(i / 25);
        ok = bench_add(mem, s, &m, at, CTI_R(0.3), 1, CTI_R(0.004));
        s->bodies[i].swept = swept;
    }
    CTI_FREE(mem, m.positions);
    CTI_FREE(mem, m.triangles);
    return ok;
}

int main(void)
{
    static bench_scene s;
    cti_mem mem;
    int ok;
    cti_mem_init(&mem, NULL);
    ok = bench_pile(&mem, &s, 0) && bench_run(&mem, &s, "pile", 0) && bench_pile(&mem, &s, 1) &&
         bench_run(&mem, &s, "pile on a floor", 0) && bench_cloth(&mem, &s) && bench_run(&mem, &s, "cloth, folded", 0) &&
         bench_letters(&mem, &s, 1) && bench_run(&mem, &s, "letters", 0) && bench_letters(&mem, &s, 0) &&
         bench_run(&mem, &s, "letters, fast", CTI_R(0.08));
    return !ok || mem.bytes_live != 0;
}
