/* nearest.c -- queries on one box tree.
   Method: depth first with a stack of boxes. For the nearest triangle the closest box of a block is opened first, and boxes farther than
   the best distance so far are skipped. Boxes are float: a triangle may be missed that is closer than the one found by no more than a float
   rounding error of the coordinates.
 */
#include "nearest.h"
#include "../4_geom/dist.h"

enum { CTI_NEAREST_STACK = 8 * CTI_BVH_LEVELS };

/* a box of the tree: entry i of `level`; its lanes are block i of the level below */
typedef struct cti_nearest_node {
    int level, i;
    float d2;
} cti_nearest_node;

CTI_FN int cti_nearest_build(cti_mem *mem, cti_forest *forest, cti_bvh *tree, const int32_t *elements, int width, const ct_real *x, int first,
                             int n)
{
    cti_bvh_item *items = NULL;
    int i, k, ok = CTI_RESIZE(mem, items, n);
    for (i = 0; ok && i < n; i++) {
        const int32_t *e = elements + (size_t)width * (size_t)(first + i);
        cti_v3 sum = cti_v3_zero();
        for (k = 0; k < width; k++)
            sum = cti_v3_add(sum, cti_v3_at(x, e[k]));
        items[i].id = first + i;
        cti_v3_put(items[i].at, 0, cti_v3_mul(sum, 1 / (ct_real)width));
    }
    ok = ok && cti_bvh_build(mem, forest, tree, items, n, 1);
    CTI_FREE(mem, items);
    return ok;
}

CTI_FN void cti_nearest_box(float *box, cti_v3 a, cti_v3 b)
{
    cti_v3 lo = cti_v3_min(a, b), hi = cti_v3_max(a, b);
    box[0] = cti_round_float(lo.x), box[1] = cti_round_float(lo.y), box[2] = cti_round_float(lo.z), box[3] = 0;
    box[4] = -cti_round_float(hi.x), box[5] = -cti_round_float(hi.y), box[6] = -cti_round_float(hi.z), box[7] = 0;
}

static const float *cti_nearest_block(const cti_forest *forest, const cti_bvh *t, const cti_nearest_node *n)
{
    return cti_bvh_block(forest, t, t->block0[n->level - 1] + n->i);
}

/* the item in a lane of a level 0 block, -1: the lane is empty */
static int cti_nearest_item(const cti_forest *forest, const cti_bvh *t, const cti_nearest_node *n, int lane)
{
    int at = 8 * n->i + lane;
    return at < t->n_items ? forest->items[t->item0 + at] : -1;
}

static int cti_nearest_top(const cti_bvh *t, cti_nearest_node *stack)
{
    stack[0].level = t->n_levels - 1, stack[0].i = 0, stack[0].d2 = 0;
    return t->n_levels > 0;
}

/* ---- the nearest triangle ---- */

/* squared distances of a point to the eight boxes of a block */
static void cti_nearest_lanes(const float *b, const float p[3], float d2[8])
{
    int l;
    for (l = 0; l < 8; l++) {
        float x = b[l] > p[0] ? b[l] - p[0] : (p[0] > b[24 + l] ? p[0] - b[24 + l] : 0);
        float y = b[8 + l] > p[1] ? b[8 + l] - p[1] : (p[1] > b[32 + l] ? p[1] - b[32 + l] : 0);
        float z = b[16 + l] > p[2] ? b[16 + l] - p[2] : (p[2] > b[40 + l] ? p[2] - b[40 + l] : 0);
        d2[l] = b[l] > b[24 + l] ? 1e38f : x * x + y * y + z * z;
    }
}

static void cti_nearest_try(const cti_nearest_set *faces, const ct_real p[3], int face, cti_nearest *best)
{
    const int32_t *f = faces->elements + 3 * (size_t)face;
    const ct_real *x = faces->x;
    ct_real w[3], d2;
    int feature;
    d2 = cti_dist_pt(p, x + 3 * (size_t)f[0], x + 3 * (size_t)f[1], x + 3 * (size_t)f[2], w, &feature);
    if (d2 < best->d2 || (d2 == best->d2 && best->face >= 0 && face < best->face)) {
        best->d2 = d2, best->face = face, best->feature = feature;
        memcpy(best->w, w, sizeof w);
    }
}

CTI_FN void cti_nearest_face(const cti_nearest_set *faces, cti_v3 p, ct_real radius, cti_nearest_keep *keep, const void *ctx, cti_nearest *out)
{
    cti_nearest_node stack[CTI_NEAREST_STACK];
    int n = cti_nearest_top(faces->tree, stack), l, k;
    float at[3], d2[8];
    ct_real point[3];
    const ct_real most = CTI_R(1e18);
    cti_v3_put(point, 0, p);
    at[0] = cti_round_float(p.x), at[1] = cti_round_float(p.y), at[2] = cti_round_float(p.z);
    out->face = -1, out->feature = -1, out->d2 = radius < most ? radius * radius : most * most;
    while (n > 0) {
        cti_nearest_node q = stack[--n];
        const float *block;
        if ((ct_real)q.d2 * CTI_R(0.99999) > out->d2)
            continue;
        block = cti_nearest_block(faces->forest, faces->tree, &q);
        cti_nearest_lanes(block, at, d2);
        for (l = 0; l < 8; l++) {
            if ((ct_real)d2[l] * CTI_R(0.99999) > out->d2 || d2[l] >= 1e38f)
                continue;
            if (q.level == 1) {
                int item = cti_nearest_item(faces->forest, faces->tree, &q, l);
                if (item >= 0 && (!keep || keep(ctx, item)))
                    cti_nearest_try(faces, point, item, out);
                continue;
            }
            /* insertion sort: the closest box ends on top of the stack */
            for (k = n; k > 0 && stack[k - 1].level == q.level - 1 && stack[k - 1].i / 8 == q.i && stack[k - 1].d2 < d2[l]; k--)
                stack[k] = stack[k - 1];
            stack[k].level = q.level - 1, stack[k].i = 8 * q.i + l, stack[k].d2 = d2[l];
            n++;
        }
    }
}

/* ---- boxes ---- */

CTI_FN void cti_nearest_visit(const cti_forest *forest, const cti_bvh *tree, cti_v3 lo, cti_v3 hi, void (*visit)(void *ctx, int item),
                              void *ctx)
{
    cti_nearest_node stack[CTI_NEAREST_STACK];
    int n = cti_nearest_top(tree, stack), l;
    float box[48];
    memset(box, 0, sizeof box);
    box[0] = cti_round_float(lo.x), box[8] = cti_round_float(lo.y), box[16] = cti_round_float(lo.z);
    box[24] = cti_round_float(hi.x), box[32] = cti_round_float(hi.y), box[40] = cti_round_float(hi.z);
    while (n > 0) {
        cti_nearest_node q = stack[--n];
        unsigned hits = cti_bvh_hits(box, 0, cti_nearest_block(forest, tree, &q));
        for (l = 7; l >= 0; l--) {
            if (!(hits >> l & 1))
                continue;
            if (q.level == 1) {
                int item = cti_nearest_item(forest, tree, &q, l);
                if (item >= 0)
                    visit(ctx, item);
                continue;
            }
            stack[n].level = q.level - 1, stack[n].i = 8 * q.i + l, stack[n++].d2 = 0;
        }
    }
}

/* ---- tets ---- */

static ct_real cti_nearest_volume(cti_v3 a, cti_v3 b, cti_v3 c, cti_v3 d)
{
    return cti_v3_dot(cti_v3_cross(cti_v3_sub(b, a), cti_v3_sub(c, a)), cti_v3_sub(d, a));
}

/* 1 if p is in the closed tet a, b, c, d of either orientation; a flat tet contains nothing */
static int cti_nearest_in_tet(cti_v3 p, cti_v3 a, cti_v3 b, cti_v3 c, cti_v3 d)
{
    ct_real s = cti_nearest_volume(a, b, c, d) < 0 ? CTI_R(-1.0) : 1;
    return s * cti_nearest_volume(a, b, c, p) >= 0 && s * cti_nearest_volume(a, d, b, p) >= 0 && s * cti_nearest_volume(a, c, d, p) >= 0 &&
           s * cti_nearest_volume(b, d, c, p) >= 0 && cti_nearest_volume(a, b, c, d) != 0;
}

typedef struct cti_nearest_tets {
    const cti_nearest_set *set;
    cti_v3 p;
    cti_nearest_keep *keep;
    const void *ctx;
    int found;
} cti_nearest_tets;

static void cti_nearest_tet_visit(void *ctx, int item)
{
    cti_nearest_tets *q = (cti_nearest_tets *)ctx;
    const int32_t *t = q->set->elements + 4 * (size_t)item;
    const ct_real *x = q->set->x;
    if ((q->found >= 0 && item > q->found) || (q->keep && !q->keep(q->ctx, item)))
        return;
    if (cti_nearest_in_tet(q->p, cti_v3_at(x, t[0]), cti_v3_at(x, t[1]), cti_v3_at(x, t[2]), cti_v3_at(x, t[3])))
        q->found = item;
}

CTI_FN int cti_nearest_tet(const cti_nearest_set *tets, cti_v3 p, cti_nearest_keep *keep, const void *ctx)
{
    cti_nearest_tets q;
    q.set = tets, q.p = p, q.keep = keep, q.ctx = ctx, q.found = -1;
    cti_nearest_visit(tets->forest, tets->tree, p, p, cti_nearest_tet_visit, &q);
    return q.found;
}

/* ---- rays ---- */

/* distance to a triangle that the ray meets from behind, or CTI_REAL_MAX (Moeller, Trumbore 1997) */
static ct_real cti_nearest_meet(cti_v3 p, cti_v3 d, cti_v3 a, cti_v3 b, cti_v3 c)
{
    cti_v3 e = cti_v3_sub(b, a), f = cti_v3_sub(c, a), q = cti_v3_cross(d, f), s = cti_v3_sub(p, a), r = cti_v3_cross(s, e);
    ct_real det = cti_v3_dot(e, q), u = cti_v3_dot(s, q), v = cti_v3_dot(d, r), t = cti_v3_dot(f, r);
    /* det = -d . (e x f): negative from behind */
    if (!(det < 0) || u > 0 || v > 0 || u + v < det || t > 0)
        return CTI_REAL_MAX;
    return t / det;
}

typedef struct cti_nearest_way {
    const cti_nearest_set *faces;
    cti_v3 p, d;
    ct_real best;
    cti_walk walk;
} cti_nearest_way;

static void cti_nearest_way_visit(void *ctx, int item)
{
    cti_nearest_way *q = (cti_nearest_way *)ctx;
    const int32_t *f = q->faces->elements + 3 * (size_t)item;
    const ct_real *x = q->faces->x;
    q->best = cti_min(q->best, cti_nearest_meet(q->p, q->d, cti_v3_at(x, f[0]), cti_v3_at(x, f[1]), cti_v3_at(x, f[2])));
    q->walk.most = cti_fmin(q->walk.most, (double)q->best);
}

CTI_FN ct_real cti_nearest_ray(const cti_nearest_set *faces, cti_v3 p, cti_v3 d)
{
    cti_nearest_way q;
    q.faces = faces, q.p = p, q.d = d, q.best = CTI_REAL_MAX;
    q.walk.kind = CTI_WALK_RAY, q.walk.r = 0, q.walk.most = 1e290, q.walk.visit = cti_nearest_way_visit, q.walk.ctx = &q;
    q.walk.a[0] = (double)p.x, q.walk.a[1] = (double)p.y, q.walk.a[2] = (double)p.z;
    q.walk.b[0] = (double)d.x, q.walk.b[1] = (double)d.y, q.walk.b[2] = (double)d.z;
    cti_walk_run(&q.walk, faces->forest, faces->tree);
    return q.best;
}

CTI_FN ct_real cti_nearest_behind(const cti_nearest_set *faces, int face, ct_real start)
{
    const int32_t *t = faces->elements + 3 * (size_t)face;
    cti_v3 a = cti_v3_at(faces->x, t[0]), b = cti_v3_at(faces->x, t[1]), c = cti_v3_at(faces->x, t[2]);
    cti_v3 middle = cti_v3_mul(cti_v3_add(a, cti_v3_add(b, c)), 1 / CTI_R(3.0));
    cti_v3 in = cti_v3_unit(cti_v3_cross(cti_v3_sub(c, a), cti_v3_sub(b, a)), cti_v3_zero());
    return cti_nearest_ray(faces, cti_v3_mad(middle, in, start), in);
}
