/* walk.c -- one box tree against a ray, a point or a box.
   Method: depth first with a stack of boxes. Each box has a bound, below which nothing in it can lie: the parameter at which the ray enters, or the
   distance of the point. Boxes are opened in the order of their bounds, and left out above `most`. Bounds are computed in double for the eight boxes
   of a block at once. A box in float is off by at most half a unit in the last place of the largest number of the tree, by which it is widened, and
   by the rounding of the differences to a. */
#include "walk.h"

enum { CTI_WALK_STACK = 8 * CTI_BVH_LEVELS };
#define CTI_WALK_FLAT 1e-200 /* a ray along which a coordinate changes by less than that stands still there */
#define CTI_WALK_EVER 1e300  /* further than any number */

typedef struct cti_walk_node {
    int level, i; /* box i of `level`: block i of the level below */
    double bound;
} cti_walk_node;

CTI_FN void cti_walk_root(const cti_forest *forest, const cti_bvh *tree, float lo[3], float hi[3])
{
    const float *top = cti_bvh_block(forest, tree, tree->block0[tree->n_levels - 1]);
    int k;
    for (k = 0; k < 3; k++)
        lo[k] = top[8 * k], hi[k] = top[24 + 8 * k];
}

/* pad [3]: by how much boxes of the tree are widened along each axis. Numbers that were cut at 1e38 may be anywhere */
static void cti_walk_pads(const cti_walk *w, const cti_forest *forest, const cti_bvh *tree, double pad[3])
{
    float lo[3], hi[3];
    int k;
    cti_walk_root(forest, tree, lo, hi);
    for (k = 0; k < 3; k++) {
        double most = cti_fmax(fabs((double)lo[k]), fabs((double)hi[k]));
        pad[k] = most >= 1e38f ? CTI_WALK_EVER : w->r + 1.2e-7 * most + 1e-44 + 1e-15 * (fabs(w->a[k]) + fabs(w->b[k]) * (w->kind == CTI_WALK_BOX));
    }
}

/* bounds of a block's eight boxes; CTI_WALK_EVER and above: never */
static void cti_walk_ray(const cti_walk *w, const double pad[3], const float *block, double bound[8])
{
    cti_d8 in = cti_d8_set(0), out = cti_d8_set(w->most);
    int k;
    for (k = 0; k < 3; k++) {
        cti_d8 u = cti_d8_sub(cti_d8_widen(cti_f8_load(block + 8 * k)), cti_d8_set(w->a[k] + pad[k]));
        cti_d8 v = cti_d8_sub(cti_d8_widen(cti_f8_load(block + 24 + 8 * k)), cti_d8_set(w->a[k] - pad[k]));
        if (fabs(w->b[k]) > CTI_WALK_FLAT) {
            cti_d8 turn = cti_d8_set(1 / w->b[k]);
            u = cti_d8_mul(u, turn), v = cti_d8_mul(v, turn);
            in = cti_d8_max(in, cti_d8_min(u, v)), out = cti_d8_min(out, cti_d8_max(u, v));
        } else {
            cti_d8 beside = cti_d8_max(u, cti_d8_sub(cti_d8_set(0), v)); /* above 0 outside of the box */
            in = cti_d8_max(in, cti_d8_mul(beside, cti_d8_set(CTI_WALK_EVER)));
        }
    }
    cti_d8_store(bound, cti_d8_select(cti_d8_le(in, out), in, cti_d8_set(CTI_WALK_EVER)));
}

static void cti_walk_point(const cti_walk *w, const double pad[3], const float *block, double bound[8])
{
    cti_d8 sum = cti_d8_set(0);
    int k;
    for (k = 0; k < 3; k++) {
        cti_d8 below = cti_d8_sub(cti_d8_widen(cti_f8_load(block + 8 * k)), cti_d8_set(w->a[k] + pad[k]));
        cti_d8 above = cti_d8_sub(cti_d8_set(w->a[k] - pad[k]), cti_d8_widen(cti_f8_load(block + 24 + 8 * k)));
        cti_d8 away = cti_d8_max(cti_d8_max(below, above), cti_d8_set(0));
        sum = cti_d8_add(sum, cti_d8_mul(away, away));
    }
    cti_d8_store(bound, cti_d8_mul(cti_d8_sqrt(sum), cti_d8_set(1 - 1e-14)));
}

static void cti_walk_box(const cti_walk *w, const double pad[3], const float *block, double bound[8])
{
    cti_d8 away = cti_d8_set(0);
    int k;
    for (k = 0; k < 3; k++) {
        away = cti_d8_max(away, cti_d8_sub(cti_d8_widen(cti_f8_load(block + 8 * k)), cti_d8_set(w->b[k] + pad[k])));
        away = cti_d8_max(away, cti_d8_sub(cti_d8_set(w->a[k] - pad[k]), cti_d8_widen(cti_f8_load(block + 24 + 8 * k))));
    }
    cti_d8_store(bound, away);
}

CTI_FN void cti_walk_run(const cti_walk *w, const cti_forest *forest, const cti_bvh *tree)
{
    cti_walk_node stack[CTI_WALK_STACK];
    double pad[3], bound[8];
    int n = tree->n_levels > 0, l, k, m;
    if (n == 0)
        return;
    cti_walk_pads(w, forest, tree, pad);
    stack[0].level = tree->n_levels - 1, stack[0].i = 0, stack[0].bound = 0;
    while (n > 0) {
        cti_walk_node q = stack[--n];
        const float *block = cti_bvh_block(forest, tree, tree->block0[q.level - 1] + q.i);
        if (q.bound > w->most)
            continue;
        if (w->kind == CTI_WALK_RAY)
            cti_walk_ray(w, pad, block, bound);
        else if (w->kind == CTI_WALK_POINT)
            cti_walk_point(w, pad, block, bound);
        else
            cti_walk_box(w, pad, block, bound);
        m = cti_min_int(8, tree->entries[q.level - 1] - 8 * q.i);
        for (l = 0; l < m; l++) {
            if (bound[l] > w->most)
                continue;
            if (q.level == 1) {
                w->visit(w->ctx, forest->items[tree->item0 + 8 * q.i + l]);
                continue;
            }
            /* insertion sort: the nearest box ends on top of the stack */
            for (k = n; k > 0 && stack[k - 1].level == q.level - 1 && stack[k - 1].i / 8 == q.i && stack[k - 1].bound < bound[l]; k--)
                stack[k] = stack[k - 1];
            stack[k].level = q.level - 1, stack[k].i = 8 * q.i + l, stack[k].bound = bound[l];
            n++;
        }
    }
}
