/* bench_pairs.c -- process CPU times of the broad phase: 64 boxes of 3^3 cells packed a millimetre apart and tilted, and a cloth of 50 x 50
   vertices folded into four layers two millimetres apart. Medians of several runs. */
#include "../src/5_mesh/mesh.h"
#include "../src/5_mesh/pairs.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_RUNS = 51 };

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

typedef struct bench_scene {
    cti_soup soup;
    cti_soup_body bodies[64];
    ct_real *x;
    int32_t *edges, *faces;
} bench_scene;

/* adds a surface turned by R (a few of its rows sheared is enough) and moved to `at` */
static int bench_add(cti_mem *mem, bench_scene *s, const ct_mesh *m, const ct_real *at, ct_real tilt)
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
    b->dynamic = b->self = 1, b->filter.category = b->filter.mask = 1, b->inflate = CTI_R(0.0015);
    cti_topology_free(mem, &t);
    return ok;
}

static void bench_run(cti_mem *mem, bench_scene *s, const char *name)
{
    cti_broad broad;
    int32_t *vf = NULL, *ee = NULL;
    ct_real *y = (ct_real *)malloc(3 * (size_t)s->soup.nv * sizeof *y);
    double update[BENCH_RUNS], pairs[BENCH_RUNS], start, build;
    int i, k;
    if (!y)
        return;
    memset(&broad, 0, sizeof broad);
    s->soup.edges = s->edges, s->soup.faces = s->faces, s->soup.bodies = s->bodies;
    start = now_ms();
    cti_broad_build(mem, &broad, &s->soup, s->x);
    build = now_ms() - start;
    for (k = 0; k < BENCH_RUNS; k++) {
        for (i = 0; i < 3 * s->soup.nv; i++)
            y[i] = s->x[i] + CTI_R(0.0005) * rnd();
        start = now_ms();
        cti_broad_update(mem, &broad, &s->soup, s->x, y);
        update[k] = now_ms() - start;
        start = now_ms();
        cti_broad_pairs(mem, &broad, &s->soup, &vf, &ee, NULL, NULL);
        pairs[k] = now_ms() - start;
    }
    qsort(update, BENCH_RUNS, sizeof *update, compare);
    qsort(pairs, BENCH_RUNS, sizeof *pairs, compare);
    printf("%-14s %6d vertices  build %6.2f  update %6.3f  pairs %6.3f ms   VF %d  EE %d\n", name, s->soup.nv, build,
           update[BENCH_RUNS / 2], pairs[BENCH_RUNS / 2], CTI_LEN(vf) / 2, CTI_LEN(ee) / 2);
    CTI_FREE(mem, vf);
    CTI_FREE(mem, ee);
    cti_broad_free(mem, &broad);
    CTI_FREE(mem, s->x);
    CTI_FREE(mem, s->edges);
    CTI_FREE(mem, s->faces);
    free(y);
}

int main(void)
{
    static const ct_real size[3] = {CTI_R(0.1), CTI_R(0.1), CTI_R(0.1)}, sheet[2] = {1, 1};
    static const int cells[3] = {3, 3, 3}, sheet_cells[2] = {49, 49};
    static bench_scene s;
    int i, pass;
    cti_mem mem;
    ct_mesh m;
    ct_real at[3] = {0, 0, 0};
    cti_mem_init(&mem, NULL);
    for (pass = 0; pass < 2; pass++) {
        memset(&s, 0, sizeof s);
        if (ct_mesh_box(size, cells, 0, &m, NULL) != CT_OK)
            return 1;
        for (i = 0; i < 64; i++) {
            ct_real step = pass ? CTI_R(0.107) : CTI_R(0.101);
            at[0] = step * (ct_real)(i % 4), at[1] = step * (ct_real)(i / 4 % 4), at[2] = step * (ct_real)(i / 16);
            if (!bench_add(&mem, &s, &m, at, pass ? CTI_R(0.1) : 0))
                return 1;
        }
        ct_mesh_free(&m);
        bench_run(&mem, &s, pass ? "pile, tilted" : "pile, aligned");
    }
    memset(&s, 0, sizeof s);
    if (ct_mesh_grid(sheet, sheet_cells, &m, NULL) != CT_OK)
        return 1;
    for (i = 0; i < m.n_positions; i++) {
        ct_real *p = m.positions + 3 * i, u = p[0] + CTI_R(0.5);
        int layer = cti_min_int((int)(u * 4), 3);
        ct_real r = u - CTI_R(0.25) * (ct_real)layer;
        p[0] = layer % 2 ? CTI_R(0.25) - r : r;
        p[1] = CTI_R(0.002) * (ct_real)layer + CTI_R(0.004) * r;
    }
    at[0] = at[1] = at[2] = 0;
    if (!bench_add(&mem, &s, &m, at, 0))
        return 1;
    ct_mesh_free(&m);
    bench_run(&mem, &s, "cloth, folded");
    return mem.bytes_live != 0;
}
