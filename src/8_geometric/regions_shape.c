/* regions_shape.c -- polytopes and cones of normals, from the leaves up, for each motion.
   Method: the axes of a polytope are the normals of a regular dodecahedron's faces, (0, 1, phi), (0, -1, phi) and their cyclic permutations, made
   unit. A cone holds the normals of a face during a linear motion: n(t) is a quadratic polynomial, and so a combination, with weights that are
   positive, of n(0), n(1) and the mixed product between. A cone around two others has its axis between theirs; its angle is half of the angle between
   them, and the larger of theirs.
   based on: Klosowski, Held, Mitchell, Sowizral, Zikan 1998; Tang, Curtis, Yoon, Manocha, Interactive continuous collision detection between
   deformable models using connectivity-based culling, 2008 (normals of a moving triangle). */
#include "regions.h"
#include "../1_math/simd.h"
#include "../4_geom/bounds.h"

/* 1 and phi = (1 + sqrt 5) / 2, over sqrt(1 + phi^2) */
#define CTI_REGION_SHORT CTI_R(0.52573111211913360603)
#define CTI_REGION_LONG CTI_R(0.85065080835203993218)

CTI_FN void cti_region_project(cti_v3 p, ct_real out[6])
{
    const ct_real s = CTI_REGION_SHORT, l = CTI_REGION_LONG;
    out[0] = l * p.z + s * p.y, out[1] = l * p.z - s * p.y;
    out[2] = l * p.y + s * p.x, out[3] = l * p.y - s * p.x;
    out[4] = l * p.x + s * p.z, out[5] = l * p.x - s * p.z;
}

static cti_f8 cti_region_low(const float *dop) { return cti_f8_load(dop); }

/* the polytope of a motion; a projection has an error of at most 4 eps of the sum of coordinates */
static void cti_region_dop_of(float *dop, cti_v3 p0, cti_v3 p1, ct_real inflate)
{
    ct_real a[6], b[6];
    ct_real size = cti_max(cti_abs(p0.x) + cti_abs(p0.y) + cti_abs(p0.z), cti_abs(p1.x) + cti_abs(p1.y) + cti_abs(p1.z));
    ct_real wide = inflate + 4 * CTI_EPS * (size + inflate);
    int k;
    cti_region_project(p0, a);
    cti_region_project(p1, b);
    for (k = 0; k < 6; k++) {
        dop[k] = cti_round_float(cti_min(a[k], b[k]) - wide);
        dop[8 + k] = -cti_round_float(cti_max(a[k], b[k]) + wide);
    }
    dop[6] = dop[7] = dop[14] = dop[15] = 0;
}

CTI_FN void cti_regions_dops(cti_regions *r, const cti_surface *f, const ct_real *x0, const ct_real *x1)
{
    const cti_region_tree *t = &r->tree;
    int v, i, half;
    for (v = t->v0; v < t->v1; v++)
        cti_region_dop_of(r->vertex_dop + CTI_REGION_DOP * (size_t)(v - t->v0), cti_v3_at(x0, v), cti_v3_at(x1, v), r->rule.inflate);
    for (i = 2 * t->n_faces - 2; i >= 0; i--) {
        const cti_region *g = &t->nodes[i];
        const int32_t *w = f->faces + 3 * (size_t)t->leaf_face[g->first];
        float *to = r->dop + CTI_REGION_DOP * (size_t)i;
        for (half = 0; half < CTI_REGION_DOP; half += 8) {
            const float *at = r->vertex_dop + half;
            cti_f8 least;
            if (g->right)
                least = cti_f8_min(cti_region_low(to + half + CTI_REGION_DOP), cti_region_low(r->dop + CTI_REGION_DOP * (size_t)g->right + half));
            else
                least = cti_f8_min(cti_region_low(at + CTI_REGION_DOP * (size_t)(w[0] - t->v0)),
                                   cti_f8_min(cti_region_low(at + CTI_REGION_DOP * (size_t)(w[1] - t->v0)),
                                              cti_region_low(at + CTI_REGION_DOP * (size_t)(w[2] - t->v0))));
            cti_f8_store(to + half, least);
        }
    }
}

CTI_FN int cti_regions_inside(const cti_regions *r, const ct_real *x1)
{
    const cti_region_tree *t = &r->tree;
    int v, k;
    for (v = t->v0; v < t->v1; v++) {
        const float *dop = r->vertex_dop + CTI_REGION_DOP * (size_t)(v - t->v0);
        float at[CTI_REGION_DOP];
        cti_region_dop_of(at, cti_v3_at(x1, v), cti_v3_at(x1, v), r->rule.margin);
        for (k = 0; k < CTI_REGION_DOP; k++)
            if (at[k] < dop[k])
                return 0;
    }
    return 1;
}

/* ---- cones ---- */

static cti_cone cti_cone_none(void)
{
    cti_cone c;
    c.axis = cti_v3_zero(), c.cosine = -1, c.sine = 0;
    return c;
}

CTI_FN cti_cone cti_cone_join(const cti_cone *a, const cti_cone *b)
{
    cti_cone c;
    cti_v3 sum = cti_v3_add(a->axis, b->axis);
    /* cosine and sine of half of the angle between the axes */
    ct_real half = cti_v3_norm(sum) / 2, turn = cti_v3_norm(cti_v3_sub(a->axis, b->axis)) / 2, dot = half * half - turn * turn;
    const cti_cone *wide = a->cosine < b->cosine ? a : b, *slim = wide == a ? b : a;
    if (!(wide->cosine > 0) || !(dot > 0))
        return cti_cone_none();
    /* the wider one holds the other: the angle between and the other's are at most its own */
    if (dot * slim->cosine - 2 * half * turn * slim->sine >= wide->cosine + 8 * CTI_EPS)
        return *wide;
    c.axis = cti_v3_mul(sum, 1 / (2 * half));
    c.cosine = half * wide->cosine - turn * wide->sine - 8 * CTI_EPS;
    c.sine = half * wide->sine + turn * wide->cosine + 8 * CTI_EPS;
    return c.cosine > 0 ? c : cti_cone_none();
}

/* the mixed product of edges at both ends of a motion; 0: a normal whose direction rounding hides */
static int cti_cone_normal(cti_v3 a, cti_v3 b, cti_v3 *out)
{
    cti_v3 n = cti_v3_cross(a, b);
    ct_real size = cti_v3_norm2(n), most = cti_v3_norm2(a) * cti_v3_norm2(b);
    if (!(size > CTI_R(1e6) * CTI_EPS * CTI_EPS * most))
        return 0;
    *out = cti_v3_mul(n, 1 / cti_sqrt(size));
    return 1;
}

/* the cone of a face during a motion; still: x1 is x0 */
static cti_cone cti_cone_of(const int32_t *v, const ct_real *x0, const ct_real *x1, int still)
{
    cti_v3 a = cti_v3_sub(cti_v3_at(x0, v[1]), cti_v3_at(x0, v[0])), b = cti_v3_sub(cti_v3_at(x0, v[2]), cti_v3_at(x0, v[0])), c, d, n[3], mixed;
    cti_cone cone = cti_cone_none();
    ct_real size;
    if (!cti_cone_normal(a, b, &n[0]))
        return cone;
    if (still) {
        cone.axis = n[0], cone.cosine = 1, cone.sine = 8 * CTI_EPS;
        return cone;
    }
    c = cti_v3_sub(cti_v3_at(x1, v[1]), cti_v3_at(x1, v[0])), d = cti_v3_sub(cti_v3_at(x1, v[2]), cti_v3_at(x1, v[0]));
    mixed = cti_v3_add(cti_v3_cross(a, d), cti_v3_cross(c, b));
    size = cti_v3_norm2(mixed);
    if (!cti_cone_normal(c, d, &n[1]) ||
        !(size > CTI_R(1e6) * CTI_EPS * CTI_EPS * (cti_v3_norm2(a) * cti_v3_norm2(d) + cti_v3_norm2(c) * cti_v3_norm2(b))))
        return cone;
    n[2] = cti_v3_mul(mixed, 1 / cti_sqrt(size));
    cone.axis = cti_v3_unit(cti_v3_add(n[0], n[1]), n[0]);
    cone.cosine = cti_min(cti_min(cti_v3_dot(cone.axis, n[0]), cti_v3_dot(cone.axis, n[1])), cti_v3_dot(cone.axis, n[2])) - 8 * CTI_EPS;
    cone.sine = cti_sqrt(cti_max(0, 1 - cone.cosine * cone.cosine)) + 8 * CTI_EPS;
    return cone;
}

CTI_FN void cti_regions_cones(cti_regions *r, const cti_surface *f, const ct_real *x0, const ct_real *x1)
{
    const cti_region_tree *t = &r->tree;
    int i, still = x0 == x1 || memcmp(x0 + 3 * (size_t)t->v0, x1 + 3 * (size_t)t->v0, sizeof *x0 * 3 * (size_t)(t->v1 - t->v0)) == 0;
    for (i = 2 * t->n_faces - 2; i >= 0; i--) {
        const cti_region *g = &t->nodes[i];
        cti_cone c = g->right ? cti_cone_join(&r->cones[i + 1], &r->cones[g->right])
                              : cti_cone_of(f->faces + 3 * (size_t)t->leaf_face[g->first], x0, x1, still);
        r->cones[i] = c.cosine >= r->rule.cosine && g->whole ? c : cti_cone_none();
    }
}

#undef CTI_REGION_SHORT
#undef CTI_REGION_LONG
