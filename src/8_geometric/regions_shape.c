/* regions_shape.c -- polytopes and cones of normals, from the leaves up, for each motion.
   Method: the axes of a polytope are the normals of a regular dodecahedron's faces, (0, 1, phi), (0, -1, phi) and their cyclic permutations, made
   unit. A cone holds the normals of a face during a linear motion: n(t) is a quadratic polynomial, and so a combination, with weights that are
   positive, of n(0), n(1) and the mixed product between. A cone around two others is the least one: from the far side of one to that of the other.
   based on: Klosowski, Held, Mitchell, Sowizral, Zikan 1998; Tang, Curtis, Yoon, Manocha, Interactive continuous collision detection between
   deformable models using connectivity-based culling, 2008 (normals of a moving triangle). */
#include "regions.h"
#include "../1_math/lanes.h"
#include "../4_geom/bounds.h"

CTI_FN void cti_region_project(cti_v3 p, ct_real out[6])
{
    /* 1 and phi = (1 + sqrt 5) / 2, over sqrt(1 + phi^2) */
    const ct_real s = CTI_R(0.52573111211913360603), l = CTI_R(0.85065080835203993218);
    out[0] = l * p.z + s * p.y, out[1] = l * p.z - s * p.y;
    out[2] = l * p.y + s * p.x, out[3] = l * p.y - s * p.x;
    out[4] = l * p.x + s * p.z, out[5] = l * p.x - s * p.z;
}

CTI_FN void cti_region_enclose(float *out, const float *a, const float *b)
{
    cti_f8_store(out, cti_f8_min(cti_f8_load(a), cti_f8_load(b)));
    cti_f8_store(out + 8, cti_f8_min(cti_f8_load(a + 8), cti_f8_load(b + 8)));
}

/* makes the polytope of a motion; a projection has an error of at most 4 eps of the sum of coordinates */
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

CTI_FN void cti_regions_dops(cti_regions *r, const ct_real *x0, const ct_real *x1)
{
    const cti_region_tree *t = &r->tree;
    int v, i, k;
    for (v = t->v0; v < t->v1; v++)
        cti_region_dop_of(r->vertex_dop + CTI_REGION_DOP * (size_t)(v - t->v0), cti_v3_at(x0, v), cti_v3_at(x1, v), r->rule.inflate);
    for (i = CTI_LEN(t->nodes) - 1; i >= 0; i--) {
        const cti_region *g = &t->nodes[i];
        float *to = r->dop + CTI_REGION_DOP * (size_t)i;
        if (g->right)
            cti_region_enclose(to, to + CTI_REGION_DOP, r->dop + CTI_REGION_DOP * (size_t)g->right);
        else {
            const cti_region_leaf *l = &t->leaves[g->leaf];
            memcpy(to, r->vertex_dop + CTI_REGION_DOP * (size_t)(t->vertices[l->vertex] - t->v0), sizeof *to * CTI_REGION_DOP);
            for (k = 1; k < l->n_vertices; k++)
                cti_region_enclose(to, to, r->vertex_dop + CTI_REGION_DOP * (size_t)(t->vertices[l->vertex + k] - t->v0));
        }
    }
}

CTI_FN int cti_regions_inside(const cti_regions *r, const ct_real *x)
{
    const cti_region_tree *t = &r->tree;
    int v;
    for (v = t->v0; v < t->v1; v++) {
        const float *dop = r->vertex_dop + CTI_REGION_DOP * (size_t)(v - t->v0);
        float at[CTI_REGION_DOP];
        cti_f8 out;
        cti_region_dop_of(at, cti_v3_at(x, v), cti_v3_at(x, v), r->rule.margin);
        out = cti_f8_or(cti_f8_lt(cti_f8_load(at), cti_f8_load(dop)), cti_f8_lt(cti_f8_load(at + 8), cti_f8_load(dop + 8)));
        if (cti_f8_bits(out))
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
    const cti_cone *wide = a->cosine < b->cosine ? a : b, *slim = wide == a ? b : a;
    /* the angle between the axes */
    cti_v3 across = cti_v3_mad(slim->axis, wide->axis, -cti_v3_dot(wide->axis, slim->axis));
    ct_real dot = cti_v3_dot(wide->axis, slim->axis), sine = cti_v3_norm(across), far_cosine, far_sine, turn, half, slack;
    cti_cone c;
    if (!(wide->cosine > 0))
        return cti_cone_none();
    /* the far side of the slim one is that angle and its own away from the axis of the wide one */
    far_cosine = dot * slim->cosine - sine * slim->sine, far_sine = sine * slim->cosine + dot * slim->sine;
    if (far_sine >= 0 && far_cosine >= wide->cosine + 8 * CTI_EPS)
        return *wide;
    /* the axis turns by half of what the far side is beyond the wide one */
    turn = far_cosine * wide->cosine + far_sine * wide->sine;
    half = cti_sqrt(cti_max(0, 1 + turn) / 2), turn = cti_sqrt(cti_max(0, 1 - turn) / 2);
    slack = 4 * cti_sqrt(CTI_EPS);
    c.axis = cti_v3_mad(cti_v3_mul(wide->axis, half), across, turn / cti_max(sine, CTI_EPS));
    c.sine = half * wide->sine + turn * wide->cosine;
    c.cosine = half * wide->cosine - turn * wide->sine - slack * (c.sine + slack);
    c.sine += slack;
    return far_sine > 0 && c.cosine > 0 ? c : cti_cone_none();
}

/* sets two sides of each face of a leaf; the last face is repeated */
static void cti_cone_corners(const cti_region_tree *t, const cti_region *g, const cti_surface *f, const ct_real *x, cti_r8 side[2][3])
{
    ct_real buf[3][3][8];
    cti_r8 corner[3][3];
    int i, c, k;
    for (i = 0; i < 8; i++) {
        const int32_t *v = f->faces + 3 * (size_t)t->face[g->first + cti_min_int(i, g->n - 1)];
        for (c = 0; c < 3; c++)
            for (k = 0; k < 3; k++)
                buf[c][k][i] = x[3 * (size_t)v[c] + (size_t)k];
    }
    for (c = 0; c < 3; c++)
        for (k = 0; k < 3; k++)
            corner[c][k] = cti_load8(buf[c][k]);
    for (c = 0; c < 2; c++)
        cti_sub3_8(corner[c + 1], corner[0], side[c]);
}

/* sets n = (a x d + c x b), made unit. 0: rounding hides the direction of one */
static int cti_cone_normals(const cti_r8 a[3], const cti_r8 b[3], const cti_r8 c[3], const cti_r8 d[3], cti_r8 n[3])
{
    const ct_real least = CTI_R(1e6) * CTI_EPS * CTI_EPS;
    cti_r8 p[3], q[3], size, most;
    int k;
    cti_cross8(a, d, p), cti_cross8(c, b, q);
    for (k = 0; k < 3; k++)
        n[k] = cti_add8(p[k], q[k]);
    size = cti_dot8(n, n);
    most = cti_add8(cti_mul8(cti_dot8(a, a), cti_dot8(d, d)), cti_mul8(cti_dot8(c, c), cti_dot8(b, b)));
    if (cti_bits8(cti_lt8(cti_mul8(most, cti_set8(least)), size)) != 255)
        return 0;
    size = cti_div8(cti_set8(1), cti_sqrt8(size));
    for (k = 0; k < 3; k++)
        n[k] = cti_mul8(n[k], size);
    return 1;
}

static cti_v3 cti_cone_sum(const cti_r8 n[3])
{
    return cti_v3_make(CTI_R8(sum)(n[0]), CTI_R8(sum)(n[1]), CTI_R8(sum)(n[2]));
}

/* returns the least cosine of an angle between normals [ends] and an axis; *last: that normal */
static ct_real cti_cone_least_cosine(cti_r8 n[3][3], int ends, cti_v3 axis, cti_v3 *last)
{
    cti_r8 a[3];
    ct_real at[8], least = 2;
    int i, k, lane = 0, end = 0;
    a[0] = cti_set8(axis.x), a[1] = cti_set8(axis.y), a[2] = cti_set8(axis.z);
    for (k = 0; k < ends; k++) {
        cti_store8(at, cti_dot8(a, n[k]));
        for (i = 0; i < 8; i++)
            if (at[i] < least)
                least = at[i], lane = i, end = k;
    }
    cti_store8(at, n[end][0]), last->x = at[lane];
    cti_store8(at, n[end][1]), last->y = at[lane];
    cti_store8(at, n[end][2]), last->z = at[lane];
    return least;
}

/* returns the cone of a leaf during a motion; still: x1 is x0. Its axis is the mean normal; or, of a wide cone, the middle of the normal that is
   farthest from that and of the one farthest from this */
static cti_cone cti_cone_of(const cti_region_tree *t, const cti_region *g, const cti_region_motion *m, int still)
{
    cti_r8 a[2][3], b[2][3], n[3][3];
    cti_cone cone = cti_cone_none();
    cti_v3 axis, one, other;
    ct_real cosine;
    int ends = still ? 1 : 3;
    cti_cone_corners(t, g, m->f, m->x0, a);
    if (!cti_cone_normals(a[0], a[1], a[0], a[1], n[0]))
        return cone;
    axis = cti_cone_sum(n[0]);
    if (!still) {
        cti_cone_corners(t, g, m->f, m->x1, b);
        if (!cti_cone_normals(b[0], b[1], b[0], b[1], n[1]) || !cti_cone_normals(a[0], a[1], b[0], b[1], n[2]))
            return cone;
        axis = cti_v3_add(axis, cti_cone_sum(n[1]));
    }
    cone.axis = cti_v3_unit(axis, cti_v3_make(1, 0, 0));
    cone.cosine = cti_cone_least_cosine(n, ends, cone.axis, &one);
    if (cone.cosine < cti_geometric_tuned.find.narrow) {
        cti_cone_least_cosine(n, ends, one, &other);
        axis = cti_v3_unit(cti_v3_add(one, other), one);
        cosine = cti_cone_least_cosine(n, ends, axis, &other);
        if (cosine > cone.cosine)
            cone.axis = axis, cone.cosine = cosine;
    }
    cone.cosine -= 8 * CTI_EPS;
    cone.sine = cti_sqrt(cti_max(0, 1 - cone.cosine * cone.cosine)) + 8 * CTI_EPS;
    return cone;
}

CTI_FN void cti_regions_cones(cti_regions *r, const cti_region_motion *m)
{
    const cti_region_tree *t = &r->tree;
    size_t first = 3 * (size_t)t->v0;
    int i, still = m->x0 == m->x1 || memcmp(m->x0 + first, m->x1 + first, sizeof *m->x0 * 3 * (size_t)(t->v1 - t->v0)) == 0;
    for (i = CTI_LEN(t->nodes) - 1; i >= 0; i--) {
        const cti_region *g = &t->nodes[i];
        cti_cone c = g->right ? cti_cone_join(&r->cones[i + 1], &r->cones[g->right]) : cti_cone_of(t, g, m, still);
        r->cones[i] = c.cosine >= r->rule.cosine && g->is_region ? c : cti_cone_none();
    }
}
