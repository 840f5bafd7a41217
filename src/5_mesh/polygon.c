/* polygon.c -- polygons as triangles. Method: the polygon is projected along the axis that is nearest to its normal (Newell's sum), which
   rounds nothing. A fan from the first corner whose triangles all turn as the polygon does is kept: convex polygons keep it. Else ears are
   clipped, the best shaped first: an ear is a convex corner whose triangle no other part of the boundary enters. Corners in one place
   (holes that are joined to the outline by an edge) and on one line are allowed. A corner that blocks an ear is noted, and the search goes
   on behind it when it is clipped, since a corner that has not blocked an ear never will: n^2 tests in all. All signs are exact. based on:
   Meisters 1975, Polygons have ears; Sutherland, Sproull, Schumacker 1974 (Newell's normal). */
#include "polygon.h"
#include "../1_math/exact.h"
#include <math.h>

#define CTI_POLYGON_SPIKE                                                                                                                  \
    1e30 /* quality of a corner whose edges lie on each other: it goes first, since around it the inside is on no side */
enum { CTI_POLYGON_MOST = 1 << 14 }; /* [corners] that are clipped: 3 n^2 tests are a few seconds */

typedef struct cti_polygon {
    const ct_real *x;
    const int32_t *fan;
    int n, u, v;          /* corners; the axes of the projection */
    double *p;            /* [2 n] projected corners */
    int32_t *next, *prev; /* [n] the ring of corners that are left; next -1: clipped */
    int32_t *blocker;     /* [n] the corner that blocks the ear, or the one where the search begins */
    double *quality;      /* [n] > 0: an ear, or a spike; 0: flat; -1: neither */
} cti_polygon;

static const ct_real *cti_polygon_at(const cti_polygon *g, int corner)
{
    int32_t vertex = corner < 2 ? g->fan[corner] : g->fan[3 * (size_t)(corner - 2) + 2];
    return g->x + 3 * (size_t)vertex;
}

/* twice the area of the triangle of three corners as a vector */
static void cti_polygon_cross(const cti_polygon *g, int a, int b, int c, double out[3])
{
    const ct_real *p = cti_polygon_at(g, a), *q = cti_polygon_at(g, b), *r = cti_polygon_at(g, c);
    int k;
    for (k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] =
            ((double)q[i] - (double)p[i]) * ((double)r[j] - (double)p[j]) - ((double)q[j] - (double)p[j]) * ((double)r[i] - (double)p[i]);
    }
}

/* sum of sizes, which does not overflow as squares would */
static double cti_polygon_size(const double a[3]) { return fabs(a[0]) + fabs(a[1]) + fabs(a[2]); }

/* Chooses the projection. 0: the polygon has no area beyond the rounding of its coordinates, and its fan is as good as any. */
static int cti_polygon_project(cti_polygon *g)
{
    double normal[3] = {0, 0, 0}, area = 0, most = 0, extent = 0, c[3];
    int i, k;
    for (i = 1; i < g->n; i++) {
        for (k = 0; k < 3; k++) {
            most = cti_fmax(most, fabs((double)cti_polygon_at(g, i)[k]));
            extent = cti_fmax(extent, fabs((double)cti_polygon_at(g, i)[k] - (double)cti_polygon_at(g, 0)[k]));
        }
        cti_polygon_cross(g, 0, i, (i + 1) % g->n, c);
        area += cti_polygon_size(c);
        for (k = 0; k < 3; k++)
            normal[k] += c[k];
    }
    for (i = 0, k = 1; k < 3; k++)
        i = fabs(normal[k]) > fabs(normal[i]) ? k : i;
    g->u = (i + (normal[i] < 0 ? 2 : 1)) % 3, g->v = (i + (normal[i] < 0 ? 1 : 2)) % 3;
    return area > 4 * g->n * (double)CTI_EPS * (most + extent) * extent;
}

static int cti_polygon_turn(const cti_polygon *g, int a, int b, int c)
{
    return cti_exact_orient2d(g->p + 2 * a, g->p + 2 * b, g->p + 2 * c);
}

/* Fills in the projected corners. 1 if all triangles of the fan turn as the polygon does. */
static int cti_polygon_is_fan(cti_polygon *g)
{
    int i, fan = 1;
    for (i = 0; i < g->n; i++) {
        g->p[2 * i] = (double)cti_polygon_at(g, i)[g->u], g->p[2 * i + 1] = (double)cti_polygon_at(g, i)[g->v];
        fan = fan && (i < 2 || cti_polygon_turn(g, 0, i - 1, i) > 0);
    }
    return fan;
}

/* 1 if the boundary enters the triangle abc at corner r: r is inside of it or on the diagonal ca, or an edge at r leads from its border to
 * its inside */
static int cti_polygon_blocks(const cti_polygon *g, int a, int b, int c, int r)
{
    int ab, bc, ca, k;
    if ((ab = cti_polygon_turn(g, a, b, r)) < 0 || (bc = cti_polygon_turn(g, b, c, r)) < 0 || (ca = cti_polygon_turn(g, c, a, r)) < 0)
        return 0;
    if (ab && bc)
        return 1;
    for (k = 0; k < 2; k++) {
        int q = k ? g->next[r] : g->prev[r];
        if ((ab || cti_polygon_turn(g, a, b, q) > 0) && (bc || cti_polygon_turn(g, b, c, q) > 0) &&
            (ca || cti_polygon_turn(g, c, a, q) > 0))
            return 1;
    }
    return 0;
}

/* Finds whether corner b is an ear, from corner blocker[b] on. */
static void cti_polygon_ear(cti_polygon *g, int b)
{
    int a = g->prev[b], c = g->next[b], turn = cti_polygon_turn(g, a, b, c), r;
    double cross[3], edge[3], longest = 0;
    int side[3], i, k;
    g->quality[b] = turn == 0 ? 0 : -1;
    for (k = 0; turn == 0 && k < 2; k++)
        if ((g->p[2 * a + k] - g->p[2 * b + k]) * (g->p[2 * c + k] - g->p[2 * b + k]) > 0)
            g->quality[b] = CTI_POLYGON_SPIKE;
    if (turn <= 0)
        return;
    for (r = g->blocker[b]; r < g->n; r++)
        if (g->next[r] >= 0 && r != a && r != b && r != c && cti_polygon_blocks(g, a, b, c, r)) {
            g->blocker[b] = r;
            return;
        }
    /* quality: area over the square of the longest edge */
    side[0] = a, side[1] = b, side[2] = c;
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++)
            edge[k] = (double)cti_polygon_at(g, side[i])[k] - (double)cti_polygon_at(g, side[(i + 1) % 3])[k];
        longest = cti_fmax(longest, cti_polygon_size(edge));
    }
    cti_polygon_cross(g, a, b, c, cross);
    g->quality[b] = cti_polygon_size(cross) / (longest * longest);
}

/* Clips all ears; out [3 (n - 2)]. 0: a corner is left that cannot be clipped. */
static int cti_polygon_clip(cti_polygon *g, int32_t *out)
{
    int left, i, k;
    for (i = 0; i < g->n; i++)
        g->next[i] = (i + 1) % g->n, g->prev[i] = (i + g->n - 1) % g->n, g->blocker[i] = 0;
    for (i = 0; i < g->n; i++)
        cti_polygon_ear(g, i);
    for (left = g->n; left > 2; left--) {
        int best = -1, side[3];
        for (i = 0; i < g->n; i++)
            if (g->next[i] >= 0 && (best < 0 || g->quality[i] > g->quality[best]))
                best = i;
        if (g->quality[best] < 0)
            return 0;
        side[0] = g->prev[best], side[1] = best, side[2] = g->next[best];
        for (k = 0; k < 3; k++)
            *out++ = (int32_t)((cti_polygon_at(g, side[k]) - g->x) / 3);
        g->next[side[0]] = side[2], g->prev[side[2]] = side[0], g->next[best] = -1;
        g->blocker[side[0]] = g->blocker[side[2]] = 0;
        for (i = 0; i < g->n; i++)
            if (g->next[i] >= 0 && (i == side[0] || i == side[2] || (g->quality[i] < 0 && g->blocker[i] == best)))
                cti_polygon_ear(g, i);
    }
    return 1;
}

CTI_FN const char *cti_polygon_divide(cti_mem *mem, const ct_real *x, int32_t *fan, int n, int *memory)
{
    const char *why = NULL;
    int32_t *out = NULL;
    cti_polygon g;
    int i;
    memset(&g, 0, sizeof g);
    g.x = x, g.fan = fan, g.n = n + 2;
    for (i = 0; i < g.n; i++)
        if (cti_exact_beyond(cti_polygon_at(&g, i), 3, CTI_EXACT_MOST) >= 0)
            return "numbers out of range: a corner of the polygon is beyond 2e90";
    if (!cti_polygon_project(&g))
        return NULL;
    *memory = !CTI_RESIZE(mem, g.p, 2 * (size_t)g.n);
    if (!*memory && !cti_polygon_is_fan(&g)) {
        *memory = !(CTI_RESIZE(mem, out, 3 * (size_t)n) && CTI_RESIZE(mem, g.next, g.n) && CTI_RESIZE(mem, g.prev, g.n) &&
                    CTI_RESIZE(mem, g.blocker, g.n) && CTI_RESIZE(mem, g.quality, g.n));
        if (g.n > CTI_POLYGON_MOST)
            why = "a polygon that is not convex has more than 16,384 corners: divide it";
        else if (!*memory && !cti_polygon_clip(&g, out))
            why = "the polygon crosses itself, or is far from flat: divide it into triangles";
        else if (!*memory)
            memcpy(fan, out, 3 * (size_t)n * sizeof *fan);
    }
    why = *memory ? "out of memory" : why;
    CTI_FREE(mem, out);
    CTI_FREE(mem, g.p);
    CTI_FREE(mem, g.next);
    CTI_FREE(mem, g.prev);
    CTI_FREE(mem, g.blocker);
    CTI_FREE(mem, g.quality);
    return why;
}
