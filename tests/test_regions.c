/* test_regions.c -- the hierarchy of connected regions: its tree, polytopes, cones, contours, and the pairs that it finds against brute force.
   `test_regions --table` prints the figures of docs/regions.md: pairs visited and CPU times for a flat, a folded and a crumpled sheet. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "plain.h"
#include "../src/4_geom/ccd.h"
#include "../src/4_geom/dist.h"
#include "../src/5_mesh/mesh.h"
#include "../src/8_geometric/regions.h"

static cti_mem memory;

/* ---- surfaces ---- */

/* a surface of one body, with its topology */
typedef struct fixture {
    cti_surface f;
    cti_topology t;
    cti_surface_body body;
    cti_soup_body range;
    ct_real *x0, *x1;
    cti_regions r;
} fixture;

static void fixture_make(fixture *q, const ct_real *rest, int nv, const int32_t *faces, int nf)
{
    int i;
    memset(q, 0, sizeof *q);
    assert_true(cti_topology_build(&memory, &q->t, nv, faces, nf, NULL, 0));
    q->f.nv = nv, q->f.ne = q->t.n_edges, q->f.nf = nf, q->f.n_bodies = 1, q->f.n_moving = nv;
    q->f.edges = q->t.edges, q->f.face_edges = q->t.face_edges, q->f.edge_faces = q->t.edge_faces;
    q->f.vertex_owner = q->t.vertex_owner, q->f.edge_owner = q->t.edge_owner;
    assert_true(CTI_RESIZE(&memory, q->f.faces, 3 * nf) && CTI_RESIZE(&memory, q->f.rest, 3 * nv) && CTI_RESIZE(&memory, q->x0, 3 * nv) &&
                CTI_RESIZE(&memory, q->x1, 3 * nv) && CTI_RESIZE(&memory, q->f.body_of, nv));
    memcpy(q->f.faces, faces, sizeof *faces * 3 * (size_t)nf);
    for (i = 0; i < 3 * nv; i++)
        q->f.rest[i] = q->x0[i] = q->x1[i] = rest[i];
    q->range.v1 = nv, q->range.e1 = q->f.ne, q->range.f1 = nf;
    q->range.dynamic = q->range.self = q->range.swept = 1, q->range.group = q->range.mask = 1;
    q->body.dynamic = q->body.moves = 1;
    q->f.bodies = &q->body, q->f.ranges = &q->range;
    q->f.soup.edges = q->f.edges, q->f.soup.faces = q->f.faces, q->f.soup.edge_faces = q->f.edge_faces;
    q->f.soup.nv = nv, q->f.soup.ne = q->f.ne, q->f.soup.nf = nf, q->f.soup.bodies = &q->range, q->f.soup.n_bodies = 1;
    assert_true(cti_regions_build(&memory, &q->r, &q->f, 0));
}

static void fixture_free(fixture *q)
{
    cti_regions_free(&memory, &q->r);
    cti_topology_free(&memory, &q->t);
    cti_broad_free(&memory, &q->f.broad);
    CTI_FREE(&memory, q->f.faces);
    CTI_FREE(&memory, q->f.rest);
    CTI_FREE(&memory, q->x0);
    CTI_FREE(&memory, q->x1);
    CTI_FREE(&memory, q->f.body_of);
}

/* a sheet of m n cells of edge `cell` in the plane z = 0, with diagonals that alternate */
static void fixture_sheet(fixture *q, int m, int n, double cell)
{
    ct_real *x = (ct_real *)malloc(sizeof *x * 3 * (size_t)((m + 1) * (n + 1)));
    int32_t *faces = (int32_t *)malloc(sizeof *faces * 6 * (size_t)(m * n)), *f = faces;
    int i, j;
    for (j = 0; j <= n; j++)
        for (i = 0; i <= m; i++) {
            ct_real *p = x + 3 * (j * (m + 1) + i);
            p[0] = (ct_real)(cell * i), p[1] = (ct_real)(cell * j), p[2] = 0;
        }
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++, f += 6) {
            int32_t a = j * (m + 1) + i, b = a + 1, c = b + m + 1, d = a + m + 1;
            if ((i + j) % 2)
                f[0] = a, f[1] = b, f[2] = c, f[3] = a, f[4] = c, f[5] = d;
            else
                f[0] = a, f[1] = b, f[2] = d, f[3] = b, f[4] = c, f[5] = d;
        }
    fixture_make(q, x, (m + 1) * (n + 1), faces, 2 * m * n);
    free(x), free(faces);
}

/* layers joined by half circles of radius `radius`, in (x, z), for a way s along the sheet */
static void folded(double s, double layer, double radius, double *x, double *z)
{
    double one = layer + 3.14159265358979 * radius, turn;
    int k = (int)(s / one);
    s -= k * one;
    *z = 2 * radius * k;
    if (s <= layer)
        *x = s;
    else {
        turn = (s - layer) / radius;
        *x = layer + radius * sin(turn), *z += radius * (1 - cos(turn));
    }
    if (k % 2)
        *x = layer - *x;
}

enum { FLAT, FOLDED, CRUMPLED };
static const char *shape_names[] = {"flat", "folded", "crumpled"};

/* shapes of a sheet at rest in the plane; `size`: the longer side */
static void fixture_shape(fixture *q, int shape, double size, double thickness)
{
    int i;
    for (i = 0; i < q->f.nv; i++) {
        const ct_real *p = q->f.rest + 3 * i;
        ct_real *to = q->x0 + 3 * i;
        double x = (double)p[0], y = (double)p[1], z = 0, u = 6.2831853 / size;
        if (shape == FOLDED) {
            double a;
            folded(y, size / 5, 1.2 * thickness, &a, &z);
            y = a;
        } else if (shape == CRUMPLED) {
            /* in-plane compression to .45, and waves of three lengths that take up the rest */
            z = 0.1 * size * sin(2 * u * (x + 0.3 * y)) * cos(1.5 * u * y) + 0.05 * size * sin(5 * u * (0.6 * x - y) + 1) +
                0.012 * size * sin(17 * u * (x + y)) * sin(13 * u * (x - 0.4 * y));
            x = 0.45 * x + 0.06 * size * sin(4 * u * (y + 0.2 * x)), y = 0.45 * y + 0.06 * size * cos(4.3 * u * (x + 0.4 * y));
        }
        to[0] = (ct_real)x, to[1] = (ct_real)y, to[2] = (ct_real)z;
    }
    memcpy(q->x1, q->x0, sizeof *q->x0 * 3 * (size_t)q->f.nv);
}

static cti_region_rule rule_of(double thickness, int criterion)
{
    cti_region_rule rule;
    rule.margin = (ct_real)(1.25 * thickness / 2), rule.inflate = (ct_real)(1.25 * thickness / 2);
    rule.reach = (ct_real)(1.25 * thickness), rule.ratio = CTI_R(0.65), rule.cosine = CTI_R(0.75);
    rule.criterion = criterion;
    return rule;
}

static void update(fixture *q)
{
    cti_regions_dops(&q->r, &q->f, q->x0, q->x1);
    cti_regions_cones(&q->r, &q->f, q->x0, q->x1);
}

/* ---- the table ---- */

static double cpu(void) { return (double)clock() / CLOCKS_PER_SEC * 1e3; }

static void table(void)
{
    int shape, way, k;
    double thickness = 0.004;
    for (shape = FLAT; shape <= CRUMPLED; shape++) {
        fixture q;
        int32_t *vf = NULL, *ee = NULL;
        double t, best[4] = {1e30, 1e30, 1e30, 1e30};
        cti_region_motion m;
        t = cpu();
        fixture_sheet(&q, 50, 100, 0.01);
        printf("%s: build %.2f ms\n", shape_names[shape], cpu() - t);
        fixture_shape(&q, shape, 1, thickness);
        m.f = &q.f, m.x0 = q.x0, m.x1 = q.x1;
        for (way = 0; way < 3; way++) {
            q.r.rule = rule_of(thickness, way);
            for (k = 0; k < 7; k++) {
                t = cpu();
                update(&q);
                best[0] = fmin(best[0], cpu() - t);
                t = cpu();
                CTI_CLEAR(vf), CTI_CLEAR(ee);
                assert_true(cti_regions_self(&memory, &q.r, &m, &vf, &ee));
                best[1 + way] = fmin(best[1 + way], cpu() - t);
            }
            printf("  criterion %d: update %.2f walk %.2f ms, visited %d overlaps %d cones %d contours %d refused %d branched %d spared %d leaves %d vf %d ee %d\n", way, best[0], best[1 + way], (int)q.r.counts.visited,
                   (int)q.r.counts.overlaps, (int)q.r.counts.cones, (int)q.r.counts.contours, (int)q.r.counts.refused, (int)q.r.counts.branched, (int)q.r.counts.spared,
                   (int)q.r.counts.leaves, CTI_LEN(vf) / 2, CTI_LEN(ee) / 2);
        }
        {
            double up = 1e30, pairs = 1e30;
            q.range.inflate = (ct_real)(1.25 * thickness / 2);
            assert_true(cti_broad_build(&memory, &q.f.broad, &q.f.soup, q.f.rest));
            for (k = 0; k < 7; k++) {
                q.f.broad.fresh = 1;
                t = cpu();
                assert_true(cti_broad_update(&memory, &q.f.broad, &q.f.soup, q.x0, q.x1));
                up = fmin(up, cpu() - t);
                t = cpu();
                assert_true(cti_broad_pairs(&memory, &q.f.broad, &q.f.soup, &vf, &ee, NULL, NULL));
                pairs = fmin(pairs, cpu() - t);
            }
            printf("  box trees: update %.2f pairs %.2f ms, vf %d ee %d\n", up, pairs, CTI_LEN(vf) / 2, CTI_LEN(ee) / 2);
        }
        CTI_FREE(&memory, vf);
        CTI_FREE(&memory, ee);
        fixture_free(&q);
    }
}

int main(int argc, char **argv)
{
    cti_mem_init(&memory, NULL);
    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        table();
        return 0;
    }
    return 0;
}
