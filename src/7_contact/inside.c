/* inside.c -- on which side of a surface a vertex is. Method: that of the nearest feature, a face, an edge or a vertex, by its normal: of an edge the
   sum of its faces', of a vertex their sum weighted by angles, whose sign tells inside from outside.
   based on: Baerentzen, Aanaes 2005, Signed distance computation using the angle weighted pseudonormal. */
#include "inside.h"
#include "../1_math/elem.h"

CTI_FN void cti_inside_refit(const cti_surface *s, int body, const ct_real *x0, const ct_real *x1, float *boxes, cti_forest *forest, cti_bvh *tree)
{
    int v;
    for (v = s->ranges[body].v0; v < s->ranges[body].v1; v++)
        cti_nearest_box(boxes + 16 * (size_t)v, cti_v3_at(x0, v), cti_v3_at(x1, v));
    cti_bvh_refit(forest, tree, cti_nearest_boxes(boxes), 0, s->faces, 3);
}

CTI_FN void cti_inside_normals(const cti_surface *s, const ct_real *x, int body, ct_real *out)
{
    const cti_soup_body *r = &s->ranges[body];
    int i, k;
    for (i = r->v0; i < r->v1; i++)
        cti_v3_put(out, i, cti_v3_zero());
    for (i = r->f0; i < r->f1; i++) {
        const int32_t *t = s->faces + 3 * (size_t)i;
        cti_v3 n = cti_surface_normal(s, x, i, cti_v3_zero());
        for (k = 0; k < 3; k++) {
            cti_v3 p = cti_v3_at(x, t[k]), u = cti_v3_sub(cti_v3_at(x, t[(k + 1) % 3]), p), w = cti_v3_sub(cti_v3_at(x, t[(k + 2) % 3]), p);
            ct_real lengths = cti_sqrt(cti_v3_norm2(u) * cti_v3_norm2(w));
            if (lengths > 0)
                cti_v3_addto(out, t[k], cti_v3_mul(n, cti_acos(cti_clamp(cti_v3_dot(u, w) / lengths, CTI_R(-1.0), 1))));
        }
    }
}

/* normal of the feature of a face that is nearest to a point; *border 1: an edge with one face or none */
static cti_v3 cti_inside_feature(const cti_surface *s, const ct_real *x, const ct_real *normals, const cti_nearest *nearest, int *border)
{
    cti_v3 n = cti_surface_normal(s, x, nearest->face, cti_v3_make(0, 1, 0));
    size_t at = 3 * (size_t)nearest->face + (size_t)nearest->feature;
    int e, other;
    *border = 0;
    if (nearest->feature == 6)
        return n;
    if (nearest->feature < 3)
        return cti_v3_unit(cti_v3_at(normals, s->faces[at]), n);
    e = s->face_edges[at - 3];
    if (e < 0)
        return n;
    other = cti_surface_beside(s, nearest->face, e);
    *border = other < 0;
    return other < 0 ? n : cti_v3_unit(cti_v3_add(n, cti_surface_normal(s, x, other, n)), n);
}

CTI_FN void cti_inside_pair(const cti_surface *s, int v, const cti_nearest *nearest, cti_pair *out)
{
    cti_pair_make(s, CT_PAIR_VF, v, nearest->face, out);
    cti_pair_weigh(out, nearest->w);
}

CTI_FN int cti_inside_is_behind(const cti_surface *s, const ct_real *x, const ct_real *normals, const cti_nearest *nearest, cti_v3 p)
{
    const int32_t *t = s->faces + 3 * (size_t)nearest->face;
    int border, i;
    cti_v3 n = cti_inside_feature(s, x, normals, nearest, &border), at = cti_v3_zero();
    for (i = 0; i < 3; i++)
        at = cti_v3_mad(at, cti_v3_at(x, t[i]), nearest->w[i]);
    return !border && cti_v3_dot(n, cti_v3_sub(p, at)) < 0;
}

CTI_FN cti_v3 cti_inside_out(const cti_surface *s, const ct_real *x, const cti_pair *pair, const cti_nearest *nearest, int inside, ct_real least)
{
    ct_real d = cti_sqrt(nearest->d2);
    if (nearest->feature != 6 && d > least)
        return cti_v3_mul(cti_pair_offset(s, x, pair), (inside ? CTI_R(-1.0) : 1) / d);
    return cti_surface_normal(s, x, nearest->face, cti_v3_make(0, 1, 0));
}
