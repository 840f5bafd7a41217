/* fill.c -- how much of each tet lies inside of a closed surface. Method: parallel lines along x on a square grid, about 70 through a tet of
   average size. The surface cuts a line into pieces inside (winding number above 0) and outside; a tet cuts one piece out of a line. A
   tet's fraction is the length of its pieces inside over the length of all its pieces. A tet that no line meets uses the line next to its
   centre. Finally all fractions are scaled so that the total volume is exact. */
#include "fill.h"
#include "../0_base/sort.h"
#include "../1_math/elem.h"
#include "../1_math/exact.h"

/* Least fraction of a tet. Where the surface cuts only a sliver off a tet, its nodes would have almost no mass and stiffness. With 1/10 the
   ratio of stiffness between neighbours stays within that of graded meshes. A ball of radius 2.5 cells has 3 % of its mass from this floor,
   with 1/20 half of it, with 1/5 twice; the total is exact at any value. */
#define CTI_FILL_LEAST 0.1
#define CTI_FILL_LINES 12.0 /* [lines per edge of a cube that six average tets fill] fractions are accurate to about 1/100; half: 1/40,
                               double: 1/300 */
enum { CTI_FILL_AXIS = 500 }; /* [lines] most along an axis: 4 MB at two crossings a line */

/* a crossing of the surface and a line: its place, and the change of the winding number there along x */
typedef struct cti_fill_cross {
    double x;
    int turn;
} cti_fill_cross;

typedef struct cti_fill_lines {
    double lo[2], d;       /* line (j, k) is at y = lo[0] + (j + 1/2) d, z likewise */
    int n[2];
    int32_t *first;        /* [lines + 1] */
    cti_fill_cross *cross; /* [first[lines]], ascending by x in each line */
} cti_fill_lines;

/* a tet as four half spaces b + g . p >= 0, with its bounding box in the plane across the lines */
typedef struct cti_fill_tet {
    double b[4], g[4][3], lo[2], hi[2], centre[3];
} cti_fill_tet;

static double cti_fill_min(double a, double b) { return a < b ? a : b; }
static double cti_fill_max(double a, double b) { return a > b ? a : b; }
static double cti_fill_at(const cti_fill_lines *q, int axis, int i) { return q->lo[axis] + (i + 0.5) * q->d; }

static int cti_fill_index(const cti_fill_lines *q, int axis, double p)
{
    double i = (p - q->lo[axis]) / q->d - 0.5;
    return i > 0 ? (i < q->n[axis] - 1 ? (int)i : q->n[axis] - 1) : 0;
}

static void cti_fill_corners(const ct_real *x, const int32_t *v, int n, double *out)
{
    int i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            out[3 * i + k] = (double)x[3 * (size_t)v[i] + (size_t)k];
}

/* the barycentric coordinates as linear functions of the point; returns the volume */
static double cti_fill_open(const ct_real *x, const int32_t *v, cti_fill_tet *t)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double p[12], volume = 0;
    int i, k;
    cti_fill_corners(x, v, 4, p);
    for (k = 0; k < 2; k++) {
        t->lo[k] = cti_fill_min(cti_fill_min(p[k + 1], p[k + 4]), cti_fill_min(p[k + 7], p[k + 10]));
        t->hi[k] = cti_fill_max(cti_fill_max(p[k + 1], p[k + 4]), cti_fill_max(p[k + 7], p[k + 10]));
    }
    for (k = 0; k < 3; k++)
        t->centre[k] = (p[k] + p[3 + k] + p[6 + k] + p[9 + k]) / 4;
    for (i = 0; i < 4; i++) {
        const double *a = p + 3 * face[i][0], *b = p + 3 * face[i][1], *c = p + 3 * face[i][2];
        double e[3], f[3], size;
        for (k = 0; k < 3; k++)
            e[k] = b[k] - a[k], f[k] = c[k] - a[k];
        for (k = 0; k < 3; k++)
            t->g[i][k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
        t->b[i] = -(t->g[i][0] * a[0] + t->g[i][1] * a[1] + t->g[i][2] * a[2]);
        size = t->b[i] + t->g[i][0] * p[3 * i] + t->g[i][1] * p[3 * i + 1] + t->g[i][2] * p[3 * i + 2];
        volume = size < 0 ? -size / 6 : size / 6;
        for (k = 0; size < 0 && k < 3; k++)
            t->g[i][k] = -t->g[i][k];
        t->b[i] = size < 0 ? -t->b[i] : t->b[i];
    }
    return volume;
}

/* counts (write 0) or stores the crossings of one triangle with all lines */
static void cti_fill_enter(cti_fill_lines *q, const double t[9], int write)
{
    double e[3], f[3], n[3], p[2];
    int from[2], to[2], i, j, k, w;
    for (k = 0; k < 2; k++) {
        from[k] = cti_fill_index(q, k, cti_fill_min(t[k + 1], cti_fill_min(t[k + 4], t[k + 7])));
        to[k] = cti_min_int(q->n[k] - 1, cti_fill_index(q, k, cti_fill_max(t[k + 1], cti_fill_max(t[k + 4], t[k + 7]))) + 1);
    }
    for (k = 0; k < 3; k++)
        e[k] = t[3 + k] - t[k], f[k] = t[6 + k] - t[k];
    for (k = 0; k < 3; k++)
        n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    for (j = from[1]; j <= to[1]; j++)
        for (i = from[0]; i <= to[0]; i++) {
            int32_t *at = q->first + (size_t)j * (size_t)q->n[0] + (size_t)i;
            p[0] = cti_fill_at(q, 0, i), p[1] = cti_fill_at(q, 1, j);
            w = cti_exact_winding(t, p);
            if (w == 0)
                continue;
            if (write) {
                /* w > 0: the normal points to +x, so the line leaves the surface here */
                double x = n[0] != 0 ? t[0] - (n[1] * (p[0] - t[1]) + n[2] * (p[1] - t[2])) / n[0] : t[0];
                int m = (*at)++;
                q->cross[m].x = x, q->cross[m].turn = -w;
            } else
                at[1]++;
        }
}

/* all crossings of all lines, sorted. 0: out of memory */
static int cti_fill_cut(cti_mem *mem, cti_fill_lines *q, const ct_real *surface, const int32_t *triangles, int n_triangles)
{
    size_t lines = (size_t)q->n[0] * (size_t)q->n[1], c;
    double t[9];
    int i, k;
    if (!CTI_ZEROS(mem, q->first, lines + 2))
        return 0;
    for (i = 0; i < n_triangles; i++) {
        cti_fill_corners(surface, triangles + 3 * (size_t)i, 3, t);
        cti_fill_enter(q, t, 0);
    }
    cti_sort_starts(q->first, lines);
    if (!CTI_RESIZE(mem, q->cross, (size_t)q->first[lines] + 1))
        return 0;
    for (i = 0; i < n_triangles; i++) {
        cti_fill_corners(surface, triangles + 3 * (size_t)i, 3, t);
        cti_fill_enter(q, t, 1);
    }
    /* storing has moved every line's offset to the next line's: shift back */
    cti_sort_started(q->first, lines);
    for (c = 0; c < lines; c++)
        for (i = q->first[c] + 1; i < q->first[c + 1]; i++) {
            cti_fill_cross it = q->cross[i];
            for (k = i; k > q->first[c] && q->cross[k - 1].x > it.x; k--)
                q->cross[k] = q->cross[k - 1];
            q->cross[k] = it;
        }
    return 1;
}

/* length of the part of a line between x0 and x1 that is inside the surface */
static double cti_fill_inside(const cti_fill_lines *q, size_t line, double x0, double x1)
{
    double sum = 0, from = x0;
    int i, winding = 0;
    for (i = q->first[line]; i < q->first[line + 1] && q->cross[i].x < x1; i++) {
        double at = cti_fill_max(q->cross[i].x, x0);
        sum += winding > 0 ? at - from : 0;
        from = at, winding += q->cross[i].turn;
    }
    return winding > 0 ? sum + x1 - from : sum;
}

/* a tet's fraction */
static double cti_fill_of(const cti_fill_lines *q, const cti_fill_tet *t)
{
    double all = 0, inside = 0, tiny = 1e-6 * q->d;
    int i, j, k;
    for (j = cti_fill_index(q, 1, t->lo[1]); j < q->n[1] && cti_fill_at(q, 1, j) <= t->hi[1]; j++)
        for (i = cti_fill_index(q, 0, t->lo[0]); i < q->n[0] && cti_fill_at(q, 0, i) <= t->hi[0]; i++) {
            double x0 = -1e300, x1 = 1e300;
            for (k = 0; k < 4; k++) {
                double c = t->b[k] + t->g[k][1] * cti_fill_at(q, 0, i) + t->g[k][2] * cti_fill_at(q, 1, j), g = t->g[k][0];
                if (g > 0)
                    x0 = cti_fill_max(x0, -c / g);
                else if (g < 0)
                    x1 = cti_fill_min(x1, -c / g);
                else if (c < 0)
                    x1 = -1e300;
            }
            if (x1 > x0 && x0 > -1e299 && x1 < 1e299) {
                all += x1 - x0;
                inside += cti_fill_inside(q, (size_t)j * (size_t)q->n[0] + (size_t)i, x0, x1);
            }
        }
    if (all > 0)
        return inside / all;
    i = cti_fill_index(q, 0, t->centre[1] + q->d / 2), j = cti_fill_index(q, 1, t->centre[2] + q->d / 2);
    return cti_fill_inside(q, (size_t)j * (size_t)q->n[0] + (size_t)i, t->centre[0] - tiny, t->centre[0] + tiny) / (2 * tiny);
}

/* the lines over the tets' bounding box; `size` is the edge of a cube that six average tets fill */
static void cti_fill_grid(cti_fill_lines *q, const ct_real *x, const int32_t *tets, int n_tets, double size)
{
    double hi[2] = {0, 0}, p, width;
    int i, k;
    for (i = 0; i < 4 * n_tets; i++)
        for (k = 0; k < 2; k++) {
            p = (double)x[3 * (size_t)tets[i] + (size_t)k + 1];
            q->lo[k] = i == 0 ? p : cti_fill_min(q->lo[k], p), hi[k] = i == 0 ? p : cti_fill_max(hi[k], p);
        }
    width = cti_fill_max(hi[0] - q->lo[0], hi[1] - q->lo[1]);
    q->d = cti_fill_max(size / (double)CTI_FILL_LINES, width / (double)CTI_FILL_AXIS);
    for (k = 0; k < 2; k++)
        q->n[k] = cti_max_int(1, cti_min_int((int)((hi[k] - q->lo[k]) / q->d) + 1, CTI_FILL_AXIS + 1));
}

/* six times the volume that a surface encloses */
static double cti_fill_volume(const ct_real *surface, const int32_t *triangles, int n_triangles)
{
    double sum = 0, t[9], o[3];
    int i, k;
    cti_fill_corners(surface, triangles, 1, o);
    for (i = 0; i < n_triangles; i++) {
        cti_fill_corners(surface, triangles + 3 * (size_t)i, 3, t);
        for (k = 0; k < 9; k++)
            t[k] -= o[k % 3];
        sum += t[0] * (t[4] * t[8] - t[5] * t[7]) + t[1] * (t[5] * t[6] - t[3] * t[8]) + t[2] * (t[3] * t[7] - t[4] * t[6]);
    }
    return sum / 6;
}

CTI_FN int cti_fill(cti_mem *mem, const ct_real *x, const int32_t *tets, int n_tets, const ct_real *surface, const int32_t *triangles,
                    int n_triangles, ct_real *out_fill)
{
    cti_fill_lines q;
    cti_fill_tet t;
    double total = 0, filled = 0, held = 0, volume = cti_fill_volume(surface, triangles, n_triangles);
    int i, ok;
    memset(&q, 0, sizeof q);
    for (i = 0; i < n_tets; i++) {
        total += cti_fill_open(x, tets + 4 * (size_t)i, &t);
        out_fill[i] = 1;
    }
    if (!(volume > 0) || !(total > 0))
        return 1;
    cti_fill_grid(&q, x, tets, n_tets, (double)cti_cbrt((ct_real)(6 * total / n_tets)));
    ok = cti_fill_cut(mem, &q, surface, triangles, n_triangles);
    for (i = 0; ok && i < n_tets; i++) {
        double own = cti_fill_open(x, tets + 4 * (size_t)i, &t), part = cti_fill_of(&q, &t);
        held += own * part;
        part = cti_fill_max(part, CTI_FILL_LEAST);
        out_fill[i] = (ct_real)part, filled += own * part;
    }
    for (i = 0; ok && i < n_tets; i++)
        out_fill[i] = held > 0 ? (ct_real)((double)out_fill[i] * (volume / filled)) : CTI_R(1);
    CTI_FREE(mem, q.first);
    CTI_FREE(mem, q.cross);
    return ok;
}
