/* regions_contour.c -- contours of regions and of their unions, and whether a projected contour keeps apart from itself.
   Method: a contour is a set of oriented edges, and two regions lose those that run in opposite directions. For the test the contour is projected
   along the axis of the cone of normals; a sweep along the longer side of its bounding box finds edges that come near. Two edges are apart during a
   linear motion if one direction, that between their closest points at the start, parts them at the start and at the end. The mean motion of the
   contour is taken off first. Each point below a surface whose normals are all within a right angle of the axis is covered as often as the contours
   run around it; contours that do not meet, of which one alone runs in the positive sense, run around none more than once.
   based on: Volino, Magnenat-Thalmann 1994, sec. 2. differs: contours keep a distance, they do not only not cross. */
#include "regions.h"
#include "../0_base/sort.h"
#include "../4_geom/bounds.h"
#include "../4_geom/dist.h"

CTI_FN int cti_region_union(cti_mem *mem, cti_regions *r, int a, int b)
{
    cti_region_tree *t = &r->tree;
    cti_region_work *w = &r->work;
    const int32_t *list = t->contour + t->nodes[a].contour, *other = t->contour + t->nodes[b].contour;
    int i, joints = 0, n = t->nodes[a].length, m = t->nodes[b].length, stamp = w->stamp += 3;
    CTI_CLEAR(w->edges);
    if (!CTI_RESERVE(mem, w->edges, n + m))
        return -1;
    for (i = 0; i < n; i++)
        if (t->manifold[list[i] / 2 - t->e0])
            w->edge_stamp[list[i] / 2 - t->e0] = stamp + list[i] % 2;
    for (i = 0; i < m; i++) {
        int32_t *mark = &w->edge_stamp[other[i] / 2 - t->e0];
        if (*mark == stamp + 1 - other[i] % 2)
            *mark = stamp + 2, joints++;
        else
            w->edges[stbds_header(w->edges)->length++] = other[i];
    }
    for (i = 0; i < n; i++)
        if (w->edge_stamp[list[i] / 2 - t->e0] != stamp + 2)
            w->edges[stbds_header(w->edges)->length++] = list[i];
    return joints;
}

/* sets the first and second vertex of an oriented edge, and returns them */
static const int32_t *cti_region_ends(const cti_surface *f, int32_t edge, int32_t out[2])
{
    out[0] = f->edges[2 * (size_t)(edge / 2) + (size_t)(edge % 2)];
    out[1] = f->edges[2 * (size_t)(edge / 2) + 1 - (size_t)(edge % 2)];
    return out;
}

/* links the contour's vertices to the edges that begin there. 0: the contour passes a vertex twice */
static int cti_region_chain(cti_regions *r, const cti_surface *f, const int32_t *edges, int n)
{
    cti_region_work *w = &r->work;
    int i, stamp = w->stamp += 2;
    for (i = 0; i < n; i++) {
        int32_t v[2], at = cti_region_ends(f, edges[i], v)[0] - r->tree.v0;
        if (w->vertex_stamp[at] == stamp)
            return 0;
        w->vertex_stamp[at] = stamp, w->vertex_next[at] = i;
    }
    return 1;
}

/* projects the ends of all edges at both ends of the motion, without its mean; boxes. Returns the axis to sweep along */
static int cti_region_project_contour(cti_regions *r, const cti_region_motion *m, const int32_t *edges, int n, cti_v3 along)
{
    cti_region_work *w = &r->work;
    cti_v3 t[2], mean = cti_v3_zero();
    ct_real lo[2] = {CTI_REAL_MAX, CTI_REAL_MAX}, hi[2] = {-CTI_REAL_MAX, -CTI_REAL_MAX}, half = r->rule.reach * (1 + 4 * CTI_EPS) / 2;
    int i, k, j;
    int32_t v[2];
    cti_v3_tangents(along, &t[0], &t[1]);
    for (i = 0; i < n; i++) {
        cti_region_ends(m->f, edges[i], v);
        mean = cti_v3_add(mean, cti_v3_sub(cti_v3_at(m->x1, v[0]), cti_v3_at(m->x0, v[0])));
    }
    mean = cti_v3_mul(mean, 1 / (ct_real)n);
    for (i = 0; i < n; i++) {
        ct_real *p = w->projected + 8 * (size_t)i;
        float *box = w->boxes + 4 * (size_t)i;
        cti_region_ends(m->f, edges[i], v);
        for (k = 0; k < 2; k++) {
            ct_real least = CTI_REAL_MAX, most = -CTI_REAL_MAX;
            for (j = 0; j < 2; j++) {
                p[2 * j + k] = cti_v3_dot(t[k], cti_v3_at(m->x0, v[j]));
                p[4 + 2 * j + k] = cti_v3_dot(t[k], cti_v3_sub(cti_v3_at(m->x1, v[j]), mean));
                least = cti_min(least, cti_min(p[2 * j + k], p[4 + 2 * j + k]));
                most = cti_max(most, cti_max(p[2 * j + k], p[4 + 2 * j + k]));
            }
            box[k] = cti_round_float(least - half), box[2 + k] = cti_round_float(most + half);
            lo[k] = cti_min(lo[k], least), hi[k] = cti_max(hi[k], most);
        }
    }
    return hi[1] - lo[1] > hi[0] - lo[0];
}

/* returns 1 where all contours but one run in the negative sense, that of the projected area at the start */
static int cti_region_one_outside(cti_regions *r, const cti_surface *f, const int32_t *edges, int n)
{
    cti_region_work *w = &r->work;
    int i, k, loops = 0, positive = 0, stamp = w->stamp;
    int32_t v[2];
    for (i = 0; i < n; i++) {
        ct_real area = 0;
        const ct_real *o = w->projected + 8 * (size_t)i;
        for (k = i; w->vertex_stamp[cti_region_ends(f, edges[k], v)[0] - r->tree.v0] == stamp; k = w->vertex_next[v[1] - r->tree.v0]) {
            const ct_real *p = w->projected + 8 * (size_t)k;
            w->vertex_stamp[v[0] - r->tree.v0] = stamp + 1;
            area += (p[0] - o[0]) * (p[3] - o[1]) - (p[1] - o[1]) * (p[2] - o[0]);
        }
        if (k != i || area != 0)
            loops++, positive += area > 0;
    }
    w->stamp++;
    return loops == 1 || positive == 1;
}

/* returns how far two edges keep apart along `dir` at one end of the motion */
static ct_real cti_region_gap(const ct_real *p, const ct_real *q, const ct_real dir[2])
{
    ct_real p0 = p[0] * dir[0] + p[1] * dir[1], p1 = p[2] * dir[0] + p[3] * dir[1];
    ct_real q0 = q[0] * dir[0] + q[1] * dir[1], q1 = q[2] * dir[0] + q[3] * dir[1];
    return cti_min(q0, q1) - cti_max(p0, p1);
}

/* returns 1 if two edges of a contour keep apart */
static int cti_region_edges_apart(const cti_regions *r, const cti_region_motion *m, const int32_t *edges, int i, int j)
{
    const ct_real *p = r->work.projected + 8 * (size_t)i, *q = r->work.projected + 8 * (size_t)j, *rest = m->f->rest;
    ct_real s[4][3], st[2], dir[2], d, gap;
    int32_t a[2], b[2];
    int k, feature;
    cti_region_ends(m->f, edges[i], a);
    cti_region_ends(m->f, edges[j], b);
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1])
        return 1;
    for (k = 0; k < 4; k++) {
        const ct_real *at = k < 2 ? p + 2 * k : q + 2 * (k - 2);
        s[k][0] = at[0], s[k][1] = at[1], s[k][2] = 0;
    }
    d = cti_sqrt(cti_dist_ee(s[0], s[1], s[2], s[3], st, &feature));
    if (!(d > 0))
        return 0;
    for (k = 0; k < 2; k++)
        dir[k] = (s[2][k] + st[1] * (s[3][k] - s[2][k]) - s[0][k] - st[0] * (s[1][k] - s[0][k])) / d;
    gap = cti_min(cti_region_gap(p, q, dir), cti_region_gap(p + 4, q + 4, dir));
    if (gap >= r->rule.reach)
        return 1;
    d = cti_sqrt(cti_dist_ee(rest + 3 * (size_t)a[0], rest + 3 * (size_t)a[1], rest + 3 * (size_t)b[0], rest + 3 * (size_t)b[1], st, &feature));
    return d > 0 && gap >= r->rule.ratio * d;
}

CTI_FN int cti_region_simple(cti_mem *mem, cti_regions *r, const cti_region_motion *m, const int32_t *edges, int n, cti_v3 along)
{
    cti_region_work *w = &r->work;
    int i, j, axis;
    r->counts.contours++;
    if (n == 0)
        return 0;
    if (!cti_region_chain(r, m->f, edges, n)) {
        r->counts.branched++;
        return 0;
    }
    if (!CTI_RESIZE(mem, w->projected, cti_max_int(8 * n, CTI_LEN(w->projected))) ||
        !CTI_RESIZE(mem, w->boxes, cti_max_int(4 * n, CTI_LEN(w->boxes))) ||
        !CTI_RESIZE(mem, w->keys, cti_max_int(2 * n, CTI_LEN(w->keys))) || !CTI_RESIZE(mem, w->order, cti_max_int(2 * n, CTI_LEN(w->order))))
        return -1;
    axis = cti_region_project_contour(r, m, edges, n, along);
    if (!cti_region_one_outside(r, m->f, edges, n))
        return 0;
    for (i = 0; i < n; i++) {
        uint32_t u;
        memcpy(&u, &w->boxes[4 * i + axis], sizeof u);
        w->keys[i] = u & 0x80000000u ? ~u : u | 0x80000000u, w->order[i] = i;
    }
    cti_sort_u32(w->keys, w->order, w->keys + n, w->order + n, n);
    for (i = 0; i < n; i++) {
        const float *a = w->boxes + 4 * (size_t)w->order[i];
        for (j = i + 1; j < n; j++) {
            const float *b = w->boxes + 4 * (size_t)w->order[j];
            if (b[axis] > a[2 + axis])
                break;
            if (b[1 - axis] <= a[3 - axis] && a[1 - axis] <= b[3 - axis] && !cti_region_edges_apart(r, m, edges, w->order[i], w->order[j]))
                return 0;
        }
    }
    return 1;
}
