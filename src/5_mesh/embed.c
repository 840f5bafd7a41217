/* embed.c -- which tet holds a point. Method: tets are entered into the cells of a grid that their boxes meet, about one tet a cell; a
   point tests the tets of its cell. If none contains the point, the nearest tet is searched ring by ring around its cell. Rings bound the
   distance from below: a point outside the grid is first projected onto the grid's box, which brings it nearer to everything inside. All in
   double. based on: barycentric weights as ratios of volumes, w = X^-1 (p - x0). */
#include "embed.h"
#include "../0_base/sort.h"
#include "../1_math/elem.h"
#include "../4_geom/dist.h"

#define CTI_EMBED_HELD (-1e-6) /* a tet contains a point if all its weights are at least this */
#define CTI_EMBED_WIDEN 1e-5   /* [tet's size] its box in the grid is widened by this, which is more than a contained point can be
                                  outside */
enum { CTI_EMBED_AXIS = 256 }; /* most cells along an axis */

typedef struct cti_embed_grid {
    const ct_real *x;
    const int32_t *tets;
    int n_tets, n[3];
    double lo[3], d[3]; /* lowest corner, sides of a cell */
    int32_t *first;     /* [cells + 1] */
    int32_t *list;      /* [first[cells]] tets, ascending in each cell */
    int32_t *seen;      /* [n_tets] the last point whose distance to this tet was computed */
} cti_embed_grid;

static int cti_embed_cell_of(const cti_embed_grid *g, double p, int axis)
{
    double i = (p - g->lo[axis]) / g->d[axis];
    return i > 0 ? (i < (double)g->n[axis] ? (int)i : g->n[axis] - 1) : 0;
}

static size_t cti_embed_index(const cti_embed_grid *g, int x, int y, int z)
{
    return ((size_t)z * (size_t)g->n[1] + (size_t)y) * (size_t)g->n[0] + (size_t)x;
}

/* Range of the cells that a tet's widened box meets. */
static void cti_embed_range(const cti_embed_grid *g, int t, int from[3], int to[3])
{
    const int32_t *v = g->tets + 4 * (size_t)t;
    double lo[3], hi[3], size = 0;
    int k, j;
    for (k = 0; k < 3; k++) {
        lo[k] = hi[k] = (double)g->x[3 * (size_t)v[0] + (size_t)k];
        for (j = 1; j < 4; j++) {
            double p = (double)g->x[3 * (size_t)v[j] + (size_t)k];
            lo[k] = p < lo[k] ? p : lo[k], hi[k] = p > hi[k] ? p : hi[k];
        }
        size = hi[k] - lo[k] > size ? hi[k] - lo[k] : size;
    }
    for (k = 0; k < 3; k++) {
        from[k] = cti_embed_cell_of(g, lo[k] - CTI_EMBED_WIDEN * size, k);
        to[k] = cti_embed_cell_of(g, hi[k] + CTI_EMBED_WIDEN * size, k);
    }
}

/* The nodes' bounding box, divided into cubes: about as many cells as tets. */
static void cti_embed_divide(cti_embed_grid *g)
{
    double hi[3] = {0, 0, 0}, longest = 0, volume = 1, side;
    int i, k, j;
    for (i = 0; i < g->n_tets; i++)
        for (j = 0; j < 4; j++)
            for (k = 0; k < 3; k++) {
                double p = (double)g->x[3 * (size_t)g->tets[4 * (size_t)i + (size_t)j] + (size_t)k];
                g->lo[k] = i + j == 0 || p < g->lo[k] ? p : g->lo[k], hi[k] = i + j == 0 || p > hi[k] ? p : hi[k];
            }
    for (k = 0; k < 3; k++)
        longest = hi[k] - g->lo[k] > longest ? hi[k] - g->lo[k] : longest;
    longest = longest > 0 ? longest : 1;
    for (k = 0; k < 3; k++) {
        double width = hi[k] - g->lo[k];
        g->d[k] = width > 1e-3 * longest ? width : 1e-3 * longest;
        volume *= g->d[k];
    }
    side = (double)cti_cbrt((ct_real)(volume / longest / longest / longest / (double)cti_max_int(g->n_tets, 1))) * longest;
    for (k = 0; k < 3; k++) {
        double cells = g->d[k] / side;
        g->n[k] = cells < 1 ? 1 : (cells < (double)CTI_EMBED_AXIS ? (int)cells : CTI_EMBED_AXIS);
        g->d[k] /= (double)g->n[k];
    }
}

/* Counts, or enters, the tets of every cell. */
static void cti_embed_enter(cti_embed_grid *g, int write)
{
    int t, x, y, z, from[3], to[3];
    for (t = 0; t < g->n_tets; t++) {
        cti_embed_range(g, t, from, to);
        for (z = from[2]; z <= to[2]; z++)
            for (y = from[1]; y <= to[1]; y++)
                for (x = from[0]; x <= to[0]; x++) {
                    size_t c = cti_embed_index(g, x, y, z);
                    if (write)
                        g->list[g->first[c]++] = t;
                    else
                        g->first[c + 1]++;
                }
    }
}

static int cti_embed_build(cti_mem *mem, cti_embed_grid *g)
{
    size_t cells;
    cti_embed_divide(g);
    cells = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    if (!CTI_RESIZE(mem, g->first, cells + 1) || !CTI_RESIZE(mem, g->seen, (size_t)g->n_tets))
        return 0;
    cti_embed_enter(g, 0);
    cti_sort_starts(g->first, cells);
    if (!CTI_RESIZE(mem, g->list, (size_t)g->first[cells]))
        return 0;
    /* entering has moved every cell's offset to the next cell's: shift back */
    cti_embed_enter(g, 1);
    cti_sort_started(g->first, cells);
    if (g->n_tets > 0)
        memset(g->seen, 0xff, (size_t)g->n_tets * sizeof *g->seen);
    return 1;
}

static double cti_embed_det(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Weights of p in tet t; returns the smallest, or a huge negative number for a flat tet. */
static double cti_embed_weights(const cti_embed_grid *g, int t, const ct_real *p, double w[4])
{
    const int32_t *v = g->tets + 4 * (size_t)t;
    double e[3][3], q[3], det, least, size = 0;
    int k, j;
    for (k = 0; k < 3; k++) {
        double x0 = (double)g->x[3 * (size_t)v[0] + (size_t)k];
        q[k] = (double)p[k] - x0;
        for (j = 0; j < 3; j++) {
            e[j][k] = (double)g->x[3 * (size_t)v[j + 1] + (size_t)k] - x0;
            size += e[j][k] < 0 ? -e[j][k] : e[j][k];
        }
    }
    det = cti_embed_det(e[0], e[1], e[2]);
    if (!((det < 0 ? -det : det) > 1e-14 * size * size * size))
        return -1e300;
    w[1] = cti_embed_det(q, e[1], e[2]) / det, w[2] = cti_embed_det(e[0], q, e[2]) / det, w[3] = cti_embed_det(e[0], e[1], q) / det;
    w[0] = 1 - w[1] - w[2] - w[3];
    for (least = w[0], k = 1; k < 4; k++)
        least = w[k] < least ? w[k] : least;
    return least;
}

/* Squared distance from p to the surface of tet t; p is outside. */
static double cti_embed_distance(const cti_embed_grid *g, int t, const ct_real *p)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    double best = 1e300;
    int k, feature;
    for (k = 0; k < 4; k++) {
        const int32_t *v = g->tets + 4 * (size_t)t;
        ct_real w[3];
        double d = (double)cti_dist_pt(p, g->x + 3 * (size_t)v[face[k][0]], g->x + 3 * (size_t)v[face[k][1]],
                                       g->x + 3 * (size_t)v[face[k][2]], w, &feature);
        best = d < best ? d : best;
    }
    return best;
}

/* One cell of a ring: computes the distances of point i to its tets that have none yet. */
static void cti_embed_measure(cti_embed_grid *g, size_t cell, int i, const ct_real *p, int *tet, double *d2)
{
    int k;
    for (k = g->first[cell]; k < g->first[cell + 1]; k++) {
        double d, w[4];
        int t = g->list[k];
        if (g->seen[t] == i)
            continue;
        g->seen[t] = i;
        if (cti_embed_weights(g, t, p, w) < -1e299)
            continue;
        d = cti_embed_distance(g, t, p);
        if (*tet < 0 || d < *d2 || (d <= *d2 && t < *tet))
            *tet = t, *d2 = d;
    }
}

/* The nearest tet of point i, by rings around its cell. -1: all tets are flat. */
static int cti_embed_nearest(cti_embed_grid *g, int i, const ct_real *p)
{
    int at[3], k, r, x, y, z, tet = -1, most = 0;
    double d2 = 1e300, side = 1e300;
    for (k = 0; k < 3; k++) {
        at[k] = cti_embed_cell_of(g, (double)p[k], k);
        side = g->d[k] < side ? g->d[k] : side;
        most = cti_max_int(most, cti_max_int(at[k], g->n[k] - 1 - at[k]));
    }
    for (r = 0; r <= most; r++) {
        /* everything in ring r is at least r - 1 cells away */
        if (tet >= 0 && r > 1 && (r - 1) * side * ((r - 1) * side) > d2 * (1 + 1e-5))
            break;
        for (z = cti_max_int(at[2] - r, 0); z <= cti_min_int(at[2] + r, g->n[2] - 1); z++)
            for (y = cti_max_int(at[1] - r, 0); y <= cti_min_int(at[1] + r, g->n[1] - 1); y++) {
                int shell = z == at[2] - r || z == at[2] + r || y == at[1] - r || y == at[1] + r;
                for (x = at[0] - r; x <= at[0] + r; x += shell || r == 0 ? 1 : 2 * r)
                    if (x >= 0 && x < g->n[0])
                        cti_embed_measure(g, cti_embed_index(g, x, y, z), i, p, &tet, &d2);
            }
    }
    return tet;
}

/* Of the tets in the cell of p that contain p, the one whose smallest weight is largest; -1: there is none. */
static int cti_embed_holder(const cti_embed_grid *g, const ct_real *p, double w[4])
{
    int k, j, tet = -1;
    double best = CTI_EMBED_HELD, other[4];
    size_t cell = cti_embed_index(g, cti_embed_cell_of(g, (double)p[0], 0), cti_embed_cell_of(g, (double)p[1], 1),
                                  cti_embed_cell_of(g, (double)p[2], 2));
    for (k = g->first[cell]; k < g->first[cell + 1]; k++) {
        double least = cti_embed_weights(g, g->list[k], p, other);
        if (!(least > best || (tet < 0 && least >= best)))
            continue;
        tet = g->list[k], best = least;
        for (j = 0; j < 4; j++)
            w[j] = other[j];
    }
    return tet;
}

CTI_FN int cti_embed(cti_mem *mem, const ct_mesh *mesh, const ct_real *points, int n, int32_t *out_tet, ct_real *out_weights,
                     uint8_t *out_outside, int *out_n_outside)
{
    cti_embed_grid g;
    int i, k, ok, outside = 0;
    memset(&g, 0, sizeof g);
    g.x = mesh->positions, g.tets = mesh->tets, g.n_tets = mesh->n_tets;
    ok = cti_embed_build(mem, &g);
    for (i = 0; ok && i < n; i++) {
        const ct_real *p = points + 3 * (size_t)i;
        double w[4] = {0, 0, 0, 0};
        int t = cti_embed_holder(&g, p, w), out = t < 0;
        if (out && (t = cti_embed_nearest(&g, i, p)) >= 0)
            cti_embed_weights(&g, t, p, w);
        out_tet[i] = t;
        for (k = 1; k < 4; k++)
            out_weights[4 * (size_t)i + (size_t)k] = (ct_real)w[k];
        /* the first weight is 1 minus the other three, as rounded to ct_real */
        out_weights[4 * (size_t)i] = t < 0 ? 0 : (ct_real)(1 - ((double)(ct_real)w[1] + (double)(ct_real)w[2] + (double)(ct_real)w[3]));
        outside += out;
        if (out_outside)
            out_outside[i] = (uint8_t)out;
    }
    if (ok && out_n_outside)
        *out_n_outside = outside;
    CTI_FREE(mem, g.first);
    CTI_FREE(mem, g.list);
    CTI_FREE(mem, g.seen);
    return ok;
}
