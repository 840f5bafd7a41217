/* nearest.h -- queries on one box tree: the triangle nearest to a point, a tet that contains it, the first triangle on a ray, the items
   that a box may meet. Trees are those of bvh.h, refitted without motion to the positions passed in. */
#pragma once

#include "walk.h"

/* cti_nearest_keep -- a filter: 1 if the item takes part in the query. */
typedef int cti_nearest_keep(const void *ctx, int item);

/* cti_nearest_set -- the elements of one box tree, and where they are. */
typedef struct cti_nearest_set {
    const cti_forest *forest;
    const cti_bvh *tree;
    const int32_t *elements; /* faces [3 n] or tets [4 n] */
    const ct_real *x;        /* [3 points] */
} cti_nearest_set;
CTI_INLINE cti_nearest_set cti_nearest_set_of(const cti_forest *forest, const cti_bvh *tree, const int32_t *elements, const ct_real *x)
{
    cti_nearest_set s;
    s.forest = forest, s.tree = tree, s.elements = elements, s.x = x;
    return s;
}

/* cti_nearest -- the closest point of a triangle. */
typedef struct cti_nearest {
    int face;    /* -1: none within the radius */
    int feature; /* as cti_dist_pt: 0..2 vertex, 3 edge 01, 4 edge 12, 5 edge 20, 6 interior */
    ct_real d2, w[3];
} cti_nearest;

/* cti_nearest_build -- appends a tree over n elements from number `first` on, of `width` vertices each, ordered by their centres at x. The tree has
   to be refitted. 0: out of memory. */
CTI_FN int cti_nearest_build(cti_mem *mem, cti_forest *forest, cti_bvh *tree, const int32_t *elements, int width, const ct_real *x, int first,
                             int n);
/* cti_nearest_box -- writes a vertex's box [16] for cti_bvh_refit, from its positions a at the start and b at the end (equal if it does not
   move). */
CTI_FN void cti_nearest_box(float *box, cti_v3 a, cti_v3 b);
/* cti_nearest_boxes -- wraps such boxes [16 nv] for cti_bvh_refit. */
CTI_INLINE cti_boxes cti_nearest_boxes(const float *boxes)
{
    cti_boxes b;
    b.at = boxes, b.base = 0, b.stride = 16;
    return b;
}
/* cti_nearest_face -- the triangle closest to p within `radius` (CTI_REAL_MAX: any) among those that `keep` accepts (NULL: all). Of equal
   distances the lower number wins. */
CTI_FN void cti_nearest_face(const cti_nearest_set *faces, cti_v3 p, ct_real radius, cti_nearest_keep *keep, const void *ctx, cti_nearest *out);
/* cti_nearest_tet -- the lowest number of a tet that contains p (boundary included), or -1. Inverted tets count like others. */
CTI_FN int cti_nearest_tet(const cti_nearest_set *tets, cti_v3 p, cti_nearest_keep *keep, const void *ctx);
/* cti_nearest_ray -- distance from p along the unit vector d to the first triangle hit from behind (d . normal > 0); CTI_REAL_MAX if none
   is. */
CTI_FN ct_real cti_nearest_ray(const cti_nearest_set *faces, cti_v3 p, cti_v3 d);
/* cti_nearest_behind -- thickness behind a face: from its middle, `start` behind it, against its normal to the first triangle that is hit from
   behind; CTI_REAL_MAX if none is. */
CTI_FN ct_real cti_nearest_behind(const cti_nearest_set *faces, int face, ct_real start);
/* cti_nearest_visit -- calls visit(ctx, item) for every item whose box overlaps the closed box lo, hi. */
CTI_FN void cti_nearest_visit(const cti_forest *forest, const cti_bvh *tree, cti_v3 lo, cti_v3 hi, void (*visit)(void *ctx, int item),
                              void *ctx);
