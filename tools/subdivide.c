/* subdivide.c -- constrained Loop subdivision for pictures.
   Method: every level splits a triangle into four. Two surfaces are computed: the linear one, whose points stay on the given triangles, and
   Loop's, with these points:
     new, on an inner edge a b with the opposite corners c, d    3/8 (a + b) + 1/8 (c + d)
     new, on a boundary edge a b                                 1/2 (a + b)
     an inner vertex v with the neighbours n_1 .. n_k            (1 - k beta) v + beta sum n_i,
                                                                 beta = (5/8 - (3/8 + 1/4 cos(2 pi / k))^2) / k
     a boundary vertex v with its neighbours a, b on the boundary    3/4 v + 1/8 (a + b)
   Edges of more than two faces count as boundary; a vertex whose number of boundary edges is neither 0 nor 2 stays. At the end the offset d
   from linear to smooth is shortened to d / sqrt(1 + d.d / r^2), which is shorter than r. Both surfaces are linear between their vertices,
   so this bound holds everywhere: two surfaces that are 2 r apart do not cross in the picture. The caller gives r; vertices of short edges,
   whose neighbourhood is closer at rest, get less.
   Based on: Loop, Smooth subdivision surfaces based on triangles, 1987. Otaduy 2009, section 6, has "one step of constrained Loop
   subdivision as a post-process" and no more about the constraint: this one is our own. */
#include "subdivide.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUBDIVIDE_EDGE_PART 0.0625

/* a corner's edge of a triangle, and after sorting the edge's number */
typedef struct subdivide_half {
    int32_t low, high, across; /* ends; the third corner */
    int at;                    /* 3 triangle + edge */
} subdivide_half;

typedef struct subdivide_mesh {
    int nv, nt;
    double *linear, *smooth, *room; /* [3 nv], [3 nv], [nv] bound on the displacement of a point */
    int32_t *triangles;
    uint8_t *edges;
} subdivide_mesh;

static int subdivide_compare(const void *x, const void *y)
{
    const subdivide_half *a = (const subdivide_half *)x, *b = (const subdivide_half *)y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* the half edges, equal edges side by side */
static subdivide_half *subdivide_halves(const subdivide_mesh *m)
{
    subdivide_half *h = (subdivide_half *)cli_alloc(3 * (size_t)m->nt, sizeof *h);
    int f, k;
    for (f = 0; f < m->nt; f++)
        for (k = 0; k < 3; k++) {
            int32_t a = m->triangles[3 * f + k], b = m->triangles[3 * f + (k + 1) % 3];
            subdivide_half *e = &h[3 * f + k];
            e->low = a < b ? a : b, e->high = a < b ? b : a, e->across = m->triangles[3 * f + (k + 2) % 3], e->at = 3 * f + k;
        }
    qsort(h, 3 * (size_t)m->nt, sizeof *h, subdivide_compare);
    return h;
}

/* out += w x */
static void subdivide_add(double *out, double w, const double *x)
{
    int k;
    for (k = 0; k < 3; k++)
        out[k] += w * x[k];
}

/* the vertices by their rules: sums over all neighbours and over those along boundary edges are there */
static void subdivide_vertices(const subdivide_mesh *m, const double *sum, const double *rim, const int *valence, const int *rims,
                               double *out)
{
    int v;
    for (v = 0; v < m->nv; v++) {
        double *x = out + 3 * (size_t)v, c;
        memset(x, 0, 3 * sizeof *x);
        if (rims[v] == 0 && valence[v] >= 3) {
            c = 0.375 + 0.25 * cos(6.283185307179586477 / valence[v]);
            c = (0.625 - c * c) / valence[v];
            subdivide_add(x, 1 - valence[v] * c, m->smooth + 3 * (size_t)v);
            subdivide_add(x, c, sum + 3 * (size_t)v);
        } else if (rims[v] == 2) {
            subdivide_add(x, 0.75, m->smooth + 3 * (size_t)v);
            subdivide_add(x, 0.125, rim + 3 * (size_t)v);
        } else {
            subdivide_add(x, 1, m->smooth + 3 * (size_t)v);
        }
    }
}

/* Loop's points of the next level: nv vertices, then the edges in the order of the halves; names [3 nt] gets each half edge's new vertex */
static int subdivide_points(const subdivide_mesh *m, const subdivide_half *h, subdivide_mesh *next, int32_t *names)
{
    double *sum = (double *)cli_alloc(3 * (size_t)m->nv, sizeof *sum), *rim = (double *)cli_alloc(3 * (size_t)m->nv, sizeof *rim);
    int *valence = (int *)cli_alloc((size_t)m->nv, sizeof *valence), *rims = (int *)cli_alloc((size_t)m->nv, sizeof *rims);
    int i, j, k, n = m->nv;
    for (i = 0; i < 3 * m->nt; i = j, n++) {
        int32_t a = h[i].low, b = h[i].high;
        const double *xa = m->smooth + 3 * (size_t)a, *xb = m->smooth + 3 * (size_t)b;
        double *x = next->smooth + 3 * (size_t)n, *y = next->linear + 3 * (size_t)n;
        int inner;
        for (j = i; j < 3 * m->nt && h[j].low == a && h[j].high == b; j++)
            names[h[j].at] = n;
        inner = j - i == 2 && a != b;
        memset(x, 0, 3 * sizeof *x);
        subdivide_add(x, inner ? 0.375 : 0.5, xa);
        subdivide_add(x, inner ? 0.375 : 0.5, xb);
        for (k = i; inner && k < j; k++)
            subdivide_add(x, 0.125, m->smooth + 3 * (size_t)h[k].across);
        for (k = 0; k < 3; k++)
            y[k] = 0.5 * (m->linear[3 * (size_t)a + (size_t)k] + m->linear[3 * (size_t)b + (size_t)k]);
        next->room[n] = fmin(m->room[a], m->room[b]);
        valence[a]++, valence[b]++;
        subdivide_add(sum + 3 * (size_t)a, 1, xb);
        subdivide_add(sum + 3 * (size_t)b, 1, xa);
        if (!inner) {
            rims[a]++, rims[b]++;
            subdivide_add(rim + 3 * (size_t)a, 1, xb);
            subdivide_add(rim + 3 * (size_t)b, 1, xa);
        }
    }
    memcpy(next->linear, m->linear, 3 * (size_t)m->nv * sizeof *m->linear);
    memcpy(next->room, m->room, (size_t)m->nv * sizeof *m->room);
    subdivide_vertices(m, sum, rim, valence, rims, next->smooth);
    free(sum), free(rim), free(valence), free(rims);
    return n;
}

/* the four children of each triangle: three at its corners, one in the middle */
static void subdivide_split(const subdivide_mesh *m, const int32_t *names, subdivide_mesh *next)
{
    int f, k;
    for (f = 0; f < m->nt; f++)
        for (k = 0; k < 3; k++) {
            int32_t *t = next->triangles + 12 * (size_t)f + 3 * (size_t)k;
            uint8_t old = m->edges[f];
            /* the corner stays corner k of its child; edge k begins and edge k - 1 ends there */
            t[k] = m->triangles[3 * f + k];
            t[(k + 1) % 3] = names[3 * f + k];
            t[(k + 2) % 3] = names[3 * f + (k + 2) % 3];
            next->triangles[12 * (size_t)f + 9 + (size_t)k] = names[3 * f + k];
            next->edges[4 * f + k] = (uint8_t)(old & (1 << k | 1 << (k + 2) % 3));
            next->edges[4 * f + 3] = 0;
        }
}

static void subdivide_reserve(subdivide_mesh *m, int nv, int nt)
{
    m->nv = nv, m->nt = nt;
    m->linear = (double *)cli_alloc(3 * (size_t)nv, sizeof *m->linear);
    m->smooth = (double *)cli_alloc(3 * (size_t)nv, sizeof *m->smooth);
    m->room = (double *)cli_alloc((size_t)nv, sizeof *m->room);
    m->triangles = (int32_t *)cli_alloc(3 * (size_t)nt, sizeof *m->triangles);
    m->edges = (uint8_t *)cli_alloc((size_t)nt, 1);
}

static void subdivide_release(subdivide_mesh *m) { free(m->linear), free(m->smooth), free(m->room), free(m->triangles), free(m->edges); }

static void subdivide_level(subdivide_mesh *m)
{
    subdivide_half *h = subdivide_halves(m);
    int32_t *names = (int32_t *)cli_alloc(3 * (size_t)m->nt, sizeof *names);
    subdivide_mesh next;
    subdivide_reserve(&next, m->nv + 3 * m->nt, 4 * m->nt);
    next.nv = subdivide_points(m, h, &next, names);
    subdivide_split(m, names, &next);
    free(h), free(names);
    subdivide_release(m);
    *m = next;
}

/* bound for the given vertices: reach, or a part of the shortest edge that meets there */
static void subdivide_rooms(subdivide_mesh *m, double reach)
{
    int f, k, j;
    for (k = 0; k < m->nv; k++)
        m->room[k] = reach;
    for (f = 0; f < m->nt; f++)
        for (k = 0; k < 3; k++) {
            int32_t a = m->triangles[3 * f + k], b = m->triangles[3 * f + (k + 1) % 3];
            double length = 0, d;
            for (j = 0; j < 3; j++) {
                d = m->linear[3 * (size_t)a + (size_t)j] - m->linear[3 * (size_t)b + (size_t)j];
                length += d * d;
            }
            length = SUBDIVIDE_EDGE_PART * sqrt(length);
            m->room[a] = fmin(m->room[a], length), m->room[b] = fmin(m->room[b], length);
        }
}

void subdivide(const double *positions, int n_vertices, const int32_t *triangles, int n_triangles, int levels, double reach,
               subdivision *out)
{
    subdivide_mesh m;
    int i, k;
    subdivide_reserve(&m, n_vertices, n_triangles);
    memcpy(m.linear, positions, 3 * (size_t)n_vertices * sizeof *m.linear);
    memcpy(m.smooth, positions, 3 * (size_t)n_vertices * sizeof *m.smooth);
    memcpy(m.triangles, triangles, 3 * (size_t)n_triangles * sizeof *m.triangles);
    memset(m.edges, 7, (size_t)n_triangles);
    subdivide_rooms(&m, reach);
    for (i = 0; i < levels; i++)
        subdivide_level(&m);
    /* the constraint: linear + d / sqrt(1 + d.d / r^2) */
    for (i = 0; i < m.nv; i++) {
        double *x = m.linear + 3 * (size_t)i, d[3], dd = 0, r = m.room[i];
        for (k = 0; k < 3; k++)
            d[k] = m.smooth[3 * (size_t)i + (size_t)k] - x[k], dd += d[k] * d[k];
        for (k = 0; k < 3; k++)
            x[k] += r > 0 ? d[k] * (r / sqrt(r * r + dd)) : 0;
    }
    out->n_vertices = m.nv, out->n_triangles = m.nt;
    out->positions = m.linear, out->smooth = m.smooth, out->triangles = m.triangles, out->edges = m.edges;
    free(m.room);
}

void subdivide_free(subdivision *s)
{
    free(s->positions), free(s->smooth), free(s->triangles), free(s->edges);
    memset(s, 0, sizeof *s);
}
