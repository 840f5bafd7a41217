/* dist.c -- squared distances and closest points: vertex-vertex, vertex-edge, vertex-triangle, edge-edge.
   Method: the foot of the perpendicular is taken where it lies inside both features and the normal is well determined; otherwise the
   minimum over the boundary features, which is exact because the squared distance is convex in the parameters. Near-degenerate interiors
   are compared with the boundary, so that a badly rounded foot never replaces a better boundary point. The distance is always evaluated at
   the returned parameters. So it is the distance of two points of the features and never less than the true one by more than rounding.
   based on: Ericson, Real-Time Collision Detection, ch. 5.1; barycentric weights from cross products rather than from Gram matrices,
   which lose half of the digits where edges are nearly parallel. */
#include "dist.h"
#include "../0_base/fpenv.h"

/* where |u x v|^2 is below this share of |u|^2 |v|^2, the foot is compared with the boundary */
#define CTI_DIST_FLAT CTI_R(1e-4)

CTI_FN ct_real cti_dist_pp(const ct_real *p, const ct_real *q) { return cti_v3_norm2(cti_v3_sub(cti_v3_at(p, 0), cti_v3_at(q, 0))); }

/* cti_dist_segment -- w = p - e0, d = e1 - e0: the parameter and the squared distance */
static ct_real cti_dist_segment(cti_v3 w, cti_v3 d, ct_real *t)
{
    ct_real l2 = cti_v3_norm2(d), s = cti_v3_dot(w, d);
    s = s > 0 ? (s < l2 ? s / l2 : 1) : 0;
    *t = s;
    return cti_v3_norm2(s < 1 ? cti_v3_mad(w, d, -s) : cti_v3_sub(w, d));
}

CTI_FN ct_real cti_dist_pe(const ct_real *p, const ct_real *e0, const ct_real *e1, ct_real *t, int *feature)
{
    cti_v3 a = cti_v3_at(e0, 0);
    ct_real d2 = cti_dist_segment(cti_v3_sub(cti_v3_at(p, 0), a), cti_v3_sub(cti_v3_at(e1, 0), a), t);
    *feature = *t > 0 ? (*t < 1 ? 2 : 1) : 0;
    return d2;
}

/* cti_dist_pt_border -- the nearest of the three edges */
static ct_real cti_dist_pt_border(cti_v3 p, const cti_v3 *x, ct_real w[3], int *feature)
{
    ct_real best = 0, t;
    int i;
    for (i = 0; i < 3; i++) {
        int j = i == 2 ? 0 : i + 1;
        ct_real d2 = cti_dist_segment(cti_v3_sub(p, x[i]), cti_v3_sub(x[j], x[i]), &t);
        if (i == 0 || d2 < best) {
            best = d2;
            w[0] = w[1] = w[2] = 0;
            w[i] = 1 - t, w[j] = t;
            *feature = t > 0 ? (t < 1 ? 3 + i : j) : i;
        }
    }
    return best;
}

CTI_FN ct_real cti_dist_pt(const ct_real *p, const ct_real *t0, const ct_real *t1, const ct_real *t2, ct_real w[3], int *feature)
{
    cti_v3 x[3], q = cti_v3_at(p, 0), u, v, r, n;
    ct_real n2, w1, w2, d2, border, wb[3];
    int fb;
    x[0] = cti_v3_at(t0, 0), x[1] = cti_v3_at(t1, 0), x[2] = cti_v3_at(t2, 0);
    /* weights w1 = (r x v).n / n^2, w2 = (u x r).n / n^2 of the foot on the plane */
    u = cti_v3_sub(x[1], x[0]), v = cti_v3_sub(x[2], x[0]), r = cti_v3_sub(q, x[0]);
    n = cti_v3_cross(u, v);
    n2 = cti_v3_norm2(n);
    w1 = cti_v3_dot(cti_v3_cross(r, v), n), w2 = cti_v3_dot(cti_v3_cross(u, r), n);
    if (!(w1 > 0 && w2 > 0 && w1 + w2 < n2))
        return cti_dist_pt_border(q, x, w, feature);
    w1 /= n2, w2 /= n2;
    d2 = cti_v3_norm2(cti_v3_mad(cti_v3_mad(r, u, -w1), v, -w2));
    if (n2 < CTI_DIST_FLAT * cti_v3_norm2(u) * cti_v3_norm2(v)) {
        border = cti_dist_pt_border(q, x, wb, &fb);
        if (border <= d2) {
            w[0] = wb[0], w[1] = wb[1], w[2] = wb[2], *feature = fb;
            return border;
        }
    }
    w[0] = cti_max(1 - w1 - w2, 0), w[1] = w1, w[2] = w2, *feature = 6;
    return d2;
}

/* cti_dist_ee_border -- the nearest of the four end points to the other edge; u, v edges, w = b0 - a0 */
static ct_real cti_dist_ee_border(cti_v3 u, cti_v3 v, cti_v3 w, ct_real st[2], int *feature)
{
    ct_real t, d2, best;
    /* a0 and a1 against edge b */
    best = cti_dist_segment(cti_v3_sub(cti_v3_zero(), w), v, &t);
    st[0] = 0, st[1] = t;
    d2 = cti_dist_segment(cti_v3_sub(u, w), v, &t);
    if (d2 < best)
        best = d2, st[0] = 1, st[1] = t;
    /* b0 and b1 against edge a */
    d2 = cti_dist_segment(w, u, &t);
    if (d2 < best)
        best = d2, st[0] = t, st[1] = 0;
    d2 = cti_dist_segment(cti_v3_add(w, v), u, &t);
    if (d2 < best)
        best = d2, st[0] = t, st[1] = 1;
    *feature = (st[0] > 0 ? (st[0] < 1 ? 0 : CTI_DIST_A1) : CTI_DIST_A0) | (st[1] > 0 ? (st[1] < 1 ? 0 : CTI_DIST_B1) : CTI_DIST_B0);
    return best;
}

CTI_FN ct_real cti_dist_ee(const ct_real *a0, const ct_real *a1, const ct_real *b0, const ct_real *b1, ct_real st[2], int *feature)
{
    cti_v3 a = cti_v3_at(a0, 0), b = cti_v3_at(b0, 0), u, v, w, n;
    ct_real n2, s, t, d2, border, sb[2];
    int fb;
    /* s = (w x v).n / n^2, t = (w x u).n / n^2 of the common perpendicular */
    u = cti_v3_sub(cti_v3_at(a1, 0), a), v = cti_v3_sub(cti_v3_at(b1, 0), b), w = cti_v3_sub(b, a);
    n = cti_v3_cross(u, v);
    n2 = cti_v3_norm2(n);
    s = cti_v3_dot(cti_v3_cross(w, v), n), t = cti_v3_dot(cti_v3_cross(w, u), n);
    if (!(s > 0 && t > 0 && s < n2 && t < n2))
        return cti_dist_ee_border(u, v, w, st, feature);
    s /= n2, t /= n2;
    d2 = cti_v3_norm2(cti_v3_mad(cti_v3_mad(w, v, t), u, -s));
    if (n2 < CTI_DIST_FLAT * cti_v3_norm2(u) * cti_v3_norm2(v)) {
        border = cti_dist_ee_border(u, v, w, sb, &fb);
        if (border <= d2) {
            st[0] = sb[0], st[1] = sb[1], *feature = fb;
            return border;
        }
    }
    st[0] = s, st[1] = t, *feature = 0;
    return d2;
}

/* ---- public ---- */

/* n points; out_weights [n] */
static ct_code cti_dist_public(ct_pair_kind kind, int n, const ct_real *x, ct_real *out_distance, ct_real *out_weights)
{
    const ct_real most = sizeof(ct_real) == 8 ? CTI_R(1e69) : CTI_R(1e7); /* of which the fourth power is a number */
    ct_real w[4] = {1, 0, 0, 0}, t[3], d2;
    uint64_t mode;
    int i, feature;
    if (!x || !out_distance)
        return CT_ERR_ARGUMENT;
    for (i = 0; i < 3 * n; i++)
        if (!(cti_abs(x[i]) <= most))
            return CT_ERR_DOMAIN;
    mode = cti_fpenv_enter();
    if (kind == CT_PAIR_EE) {
        d2 = cti_dist_ee(x, x + 3, x + 6, x + 9, t, &feature);
        w[0] = 1 - t[0], w[1] = t[0], w[2] = t[1] - 1, w[3] = -t[1];
    } else if (kind == CT_PAIR_VF) {
        d2 = cti_dist_pt(x, x + 3, x + 6, x + 9, t, &feature);
        w[1] = -t[0], w[2] = -t[1], w[3] = -t[2];
    } else {
        d2 = cti_dist_pe(x, x + 3, x + 6, t, &feature);
        w[1] = t[0] - 1, w[2] = -t[0];
    }
    *out_distance = cti_sqrt(d2);
    if (out_weights)
        memcpy(out_weights, w, sizeof *w * (size_t)n);
    cti_fpenv_leave(mode);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_dist_vertex_face(const ct_real x[12], ct_real *out_distance, ct_real out_weights[4])
{
    return cti_dist_public(CT_PAIR_VF, 4, x, out_distance, out_weights);
}
CONTACT_API_DEF ct_code ct_dist_edge_edge(const ct_real x[12], ct_real *out_distance, ct_real out_weights[4])
{
    return cti_dist_public(CT_PAIR_EE, 4, x, out_distance, out_weights);
}
CONTACT_API_DEF ct_code ct_dist_vertex_edge(const ct_real x[9], ct_real *out_distance, ct_real out_weights[3])
{
    return cti_dist_public(CT_PAIR_VE, 3, x, out_distance, out_weights);
}
