/* dist_batch.c -- vertex-triangle and edge-edge distances, eight pairs at a time.
   Method: the formulas of dist.c without branches: foot of the perpendicular and all boundary features are computed, the better one is
   selected. Operations and their order are those of dist.c, so both give the same bits.
   based on: as dist.c. */
#include "../1_math/lanes.h"
#include "../1_math/simd_turn.h"
#include "dist.h"

#define CTI_DISTB_FLAT CTI_R(1e-4) /* as in dist.c */

/* cti_distb_segment -- w = p - e0, d = e1 - e0: squared distance and parameter */
CTI_LANES_FN cti_r8 cti_distb_segment(const cti_r8 *w, const cti_r8 *d, cti_r8 *t)
{
    cti_r8 one = cti_set8(1), zero = cti_set8(0), l2 = cti_dot8(d, d), s = cti_dot8(w, d), r[3], full;
    int k;
    s = cti_select8(cti_lt8(zero, s), cti_select8(cti_lt8(s, l2), cti_div8(s, l2), one), zero);
    full = cti_lt8(s, one);
    for (k = 0; k < 3; k++)
        r[k] = cti_select8(full, cti_nmad8(w[k], d[k], s), cti_sub8(w[k], d[k]));
    *t = s;
    return cti_dot8(r, r);
}

/* cti_distb_face -- eight vertex-triangle pairs; feature as numbers */
CTI_INLINE cti_r8 cti_distb_face(cti_r8 x[4][3], cti_r8 w[3], cti_r8 *feature)
{
    cti_r8 one = cti_set8(1), zero = cti_set8(0), u[3], v[3], r[3], n[3], c[3], e[3], n2, w1, w2, d2, t, less, in, sum;
    cti_r8 best = cti_set8(CTI_REAL_MAX);
    int i, j, k;
    /* the three edges */
    w[0] = w[1] = w[2] = *feature = zero;
    for (i = 0; i < 3; i++) {
        j = i == 2 ? 0 : i + 1;
        cti_sub3_8(x[0], x[1 + i], c), cti_sub3_8(x[1 + j], x[1 + i], e);
        d2 = cti_distb_segment(c, e, &t);
        less = cti_lt8(d2, best);
        best = cti_select8(less, d2, best);
        for (k = 0; k < 3; k++)
            w[k] = cti_select8(less, k == i ? cti_sub8(one, t) : (k == j ? t : zero), w[k]);
        t = cti_select8(cti_lt8(zero, t), cti_select8(cti_lt8(t, one), cti_set8((ct_real)(3 + i)), cti_set8((ct_real)j)),
                        cti_set8((ct_real)i));
        *feature = cti_select8(less, t, *feature);
    }
    /* the foot on the plane */
    cti_sub3_8(x[2], x[1], u), cti_sub3_8(x[3], x[1], v), cti_sub3_8(x[0], x[1], r);
    cti_cross8(u, v, n);
    n2 = cti_dot8(n, n);
    cti_cross8(r, v, c), w1 = cti_dot8(c, n);
    cti_cross8(u, r, c), w2 = cti_dot8(c, n);
    sum = cti_add8(w1, w2);
    in = CTI_R8(and)(CTI_R8(and)(cti_lt8(zero, w1), cti_lt8(zero, w2)), cti_lt8(sum, n2));
    if (!cti_bits8(in))
        return best;
    w1 = cti_div8(w1, n2), w2 = cti_div8(w2, n2);
    for (k = 0; k < 3; k++)
        r[k] = cti_nmad8(cti_nmad8(r[k], u[k], w1), v[k], w2);
    d2 = cti_dot8(r, r);
    /* a flat triangle's foot must be better than its edges */
    less = cti_lt8(n2, cti_mul8(cti_mul8(cti_set8(CTI_DISTB_FLAT), cti_dot8(u, u)), cti_dot8(v, v)));
    in = CTI_R8(and)(in, cti_select8(less, cti_lt8(d2, best), in));
    w[0] = cti_select8(in, cti_max8(cti_sub8(cti_sub8(one, w1), w2), zero), w[0]);
    w[1] = cti_select8(in, w1, w[1]), w[2] = cti_select8(in, w2, w[2]);
    *feature = cti_select8(in, cti_set8(6), *feature);
    return cti_select8(in, d2, best);
}

/* cti_distb_better -- lanes where d2 < best take over d2, s and t */
CTI_INLINE void cti_distb_better(cti_r8 d2, cti_r8 s, cti_r8 t, cti_r8 *best, cti_r8 st[2])
{
    cti_r8 less = cti_lt8(d2, *best);
    *best = cti_select8(less, d2, *best);
    st[0] = cti_select8(less, s, st[0]), st[1] = cti_select8(less, t, st[1]);
}

/* cti_distb_edges -- eight edge-edge pairs */
CTI_INLINE cti_r8 cti_distb_edges(cti_r8 x[4][3], cti_r8 st[2], cti_r8 *feature)
{
    cti_r8 one = cti_set8(1), zero = cti_set8(0), u[3], v[3], w[3], n[3], c[3], n2, s, t, d2, best, less, in, fa, fb;
    int k;
    cti_sub3_8(x[1], x[0], u), cti_sub3_8(x[3], x[2], v), cti_sub3_8(x[2], x[0], w);
    /* end points of a against b, then of b against a */
    for (k = 0; k < 3; k++)
        c[k] = cti_sub8(zero, w[k]);
    best = cti_distb_segment(c, v, &st[1]), st[0] = zero;
    cti_sub3_8(u, w, c);
    d2 = cti_distb_segment(c, v, &t), cti_distb_better(d2, one, t, &best, st);
    d2 = cti_distb_segment(w, u, &s), cti_distb_better(d2, s, zero, &best, st);
    for (k = 0; k < 3; k++)
        c[k] = cti_add8(w[k], v[k]);
    d2 = cti_distb_segment(c, u, &s), cti_distb_better(d2, s, one, &best, st);
    fa = cti_select8(cti_lt8(zero, st[0]), cti_select8(cti_lt8(st[0], one), zero, cti_set8(CTI_DIST_A1)), cti_set8(CTI_DIST_A0));
    fb = cti_select8(cti_lt8(zero, st[1]), cti_select8(cti_lt8(st[1], one), zero, cti_set8(CTI_DIST_B1)), cti_set8(CTI_DIST_B0));
    *feature = cti_add8(fa, fb);
    /* the common perpendicular */
    cti_cross8(u, v, n);
    n2 = cti_dot8(n, n);
    cti_cross8(w, v, c), s = cti_dot8(c, n);
    cti_cross8(w, u, c), t = cti_dot8(c, n);
    in = CTI_R8(and)(CTI_R8(and)(cti_lt8(zero, s), cti_lt8(s, n2)), CTI_R8(and)(cti_lt8(zero, t), cti_lt8(t, n2)));
    if (!cti_bits8(in))
        return best;
    s = cti_div8(s, n2), t = cti_div8(t, n2);
    for (k = 0; k < 3; k++)
        w[k] = cti_nmad8(cti_mad8(w[k], v[k], t), u[k], s);
    d2 = cti_dot8(w, w);
    less = cti_lt8(n2, cti_mul8(cti_mul8(cti_set8(CTI_DISTB_FLAT), cti_dot8(u, u)), cti_dot8(v, v)));
    in = CTI_R8(and)(in, cti_select8(less, cti_lt8(d2, best), in));
    st[0] = cti_select8(in, s, st[0]), st[1] = cti_select8(in, t, st[1]), *feature = cti_select8(in, zero, *feature);
    return cti_select8(in, d2, best);
}

/* squared distances of n pairs, `per` numbers of each at w: barycentric, or the parameters of edges */
static void cti_distb_lists(int edges, const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *w, int32_t *feature)
{
    cti_r8 p[4][3], place[3], f;
    ct_real buf[5][8];
    int32_t last[32];
    int i, j, k, m, per = edges ? 2 : 3;
    for (i = 0; i < n; i += 8) {
        const int32_t *v = quads + 4 * (size_t)i;
        m = n - i < 8 ? n - i : 8;
        for (j = 0; m < 8 && j < 8; j++, v = last)
            memcpy(last + 4 * j, quads + 4 * (size_t)(i + (j < m ? j : m - 1)), 4 * sizeof *quads);
        for (j = 0; j < 4; j++)
            cti_gather3(x, v + j, 4, p[j]);
        cti_store8(buf[0], edges ? cti_distb_edges(p, place, &f) : cti_distb_face(p, place, &f));
        cti_store8(buf[1], f);
        for (k = 0; k < per; k++)
            cti_store8(buf[2 + k], place[k]);
        for (j = 0; j < m; j++) {
            d2[i + j] = buf[0][j], feature[i + j] = (int32_t)buf[1][j];
            for (k = 0; k < per; k++)
                w[per * (i + j) + k] = buf[2 + k][j];
        }
    }
}

CTI_FN void cti_dist_batch(ct_pair_kind kind, const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *w, int32_t *feature)
{
    const int32_t *q = quads;
    int i, found = 0;
    if (kind == CT_PAIR_VF || kind == CT_PAIR_EE)
        cti_distb_lists(kind == CT_PAIR_EE, x, quads, n, d2, w, feature);
    for (i = 0; (kind == CT_PAIR_VE || kind == CT_PAIR_VV) && i < n; i++, q += 4) {
        d2[i] = kind == CT_PAIR_VV ? cti_dist_pp(x + 3 * (size_t)q[0], x + 3 * (size_t)q[1])
                                   : cti_dist_pe(x + 3 * (size_t)q[0], x + 3 * (size_t)q[1], x + 3 * (size_t)q[2], &w[i], &found);
        feature[i] = found;
    }
}
