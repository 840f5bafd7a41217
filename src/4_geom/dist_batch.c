/* dist_batch.c -- vertex-triangle and edge-edge distances, eight pairs at a time.
   Method: the formulas of dist.c without branches, a register at a time: foot of the perpendicular and all boundary features are computed, the
   better one is selected. Operations and their order are those of dist.c, so both give the same bits.
   based on: as dist.c. */
#include "../1_math/lanes.h"
#include "../1_math/simd_turn.h"
#include "dist.h"

#define CTI_DISTB_FLAT CTI_R(1e-4) /* as in dist.c */

/* arithmetic on one register of pairs: where eight pairs take several, none of them is in memory */
CTI_INLINE cti_rw cti_mad_w(cti_rw c, cti_rw a, cti_rw b) { return CTI_RW(add)(c, CTI_RW(mul)(a, b)); }
CTI_INLINE cti_rw cti_nmad_w(cti_rw c, cti_rw a, cti_rw b) { return CTI_RW(sub)(c, CTI_RW(mul)(a, b)); }
CTI_INLINE void cti_sub3_w(const cti_rw *a, const cti_rw *b, cti_rw *r)
{
    r[0] = CTI_RW(sub)(a[0], b[0]), r[1] = CTI_RW(sub)(a[1], b[1]), r[2] = CTI_RW(sub)(a[2], b[2]);
}
/* cti_distb_segment -- w = p - e0, d = e1 - e0: squared distance and parameter */
CTI_LANES_FN cti_rw cti_distb_segment(const cti_rw *w, const cti_rw *d, cti_rw *t)
{
    cti_rw one = CTI_RW(set)(1), zero = CTI_RW(set)(0), l2 = CTI_RW(dot3)(d, d), s = CTI_RW(dot3)(w, d), r[3], full;
    int k;
    s = CTI_RW(select)(CTI_RW(lt)(zero, s), CTI_RW(select)(CTI_RW(lt)(s, l2), CTI_RW(div)(s, l2), one), zero);
    full = CTI_RW(lt)(s, one);
    for (k = 0; k < 3; k++)
        r[k] = CTI_RW(select)(full, cti_nmad_w(w[k], d[k], s), CTI_RW(sub)(w[k], d[k]));
    *t = s;
    return CTI_RW(dot3)(r, r);
}

/* cti_distb_face -- one register of vertex-triangle pairs; feature as numbers */
CTI_INLINE cti_rw cti_distb_face(cti_rw x[4][3], cti_rw w[3], cti_rw *feature)
{
    cti_rw one = CTI_RW(set)(1), zero = CTI_RW(set)(0), u[3], v[3], r[3], n[3], c[3], e[3], n2, w1, w2, d2, t, less, in, sum;
    cti_rw best = CTI_RW(set)(CTI_REAL_MAX);
    int i, j, k;
    /* the three edges */
    w[0] = w[1] = w[2] = *feature = zero;
    for (i = 0; i < 3; i++) {
        j = i == 2 ? 0 : i + 1;
        cti_sub3_w(x[0], x[1 + i], c), cti_sub3_w(x[1 + j], x[1 + i], e);
        d2 = cti_distb_segment(c, e, &t);
        less = CTI_RW(lt)(d2, best);
        best = CTI_RW(select)(less, d2, best);
        for (k = 0; k < 3; k++)
            w[k] = CTI_RW(select)(less, k == i ? CTI_RW(sub)(one, t) : (k == j ? t : zero), w[k]);
        t = CTI_RW(select)(CTI_RW(lt)(zero, t), CTI_RW(select)(CTI_RW(lt)(t, one), CTI_RW(set)((ct_real)(3 + i)), CTI_RW(set)((ct_real)j)),
                        CTI_RW(set)((ct_real)i));
        *feature = CTI_RW(select)(less, t, *feature);
    }
    /* the foot on the plane */
    cti_sub3_w(x[2], x[1], u), cti_sub3_w(x[3], x[1], v), cti_sub3_w(x[0], x[1], r);
    CTI_RW(cross3)(u, v, n);
    n2 = CTI_RW(dot3)(n, n);
    CTI_RW(cross3)(r, v, c), w1 = CTI_RW(dot3)(c, n);
    CTI_RW(cross3)(u, r, c), w2 = CTI_RW(dot3)(c, n);
    sum = CTI_RW(add)(w1, w2);
    in = CTI_RW(and)(CTI_RW(and)(CTI_RW(lt)(zero, w1), CTI_RW(lt)(zero, w2)), CTI_RW(lt)(sum, n2));
    if (!CTI_RW(bits)(in))
        return best;
    w1 = CTI_RW(div)(w1, n2), w2 = CTI_RW(div)(w2, n2);
    for (k = 0; k < 3; k++)
        r[k] = cti_nmad_w(cti_nmad_w(r[k], u[k], w1), v[k], w2);
    d2 = CTI_RW(dot3)(r, r);
    /* a flat triangle's foot must be better than its edges */
    less = CTI_RW(lt)(n2, CTI_RW(mul)(CTI_RW(mul)(CTI_RW(set)(CTI_DISTB_FLAT), CTI_RW(dot3)(u, u)), CTI_RW(dot3)(v, v)));
    in = CTI_RW(and)(in, CTI_RW(select)(less, CTI_RW(lt)(d2, best), in));
    w[0] = CTI_RW(select)(in, CTI_RW(max)(CTI_RW(sub)(CTI_RW(sub)(one, w1), w2), zero), w[0]);
    w[1] = CTI_RW(select)(in, w1, w[1]), w[2] = CTI_RW(select)(in, w2, w[2]);
    *feature = CTI_RW(select)(in, CTI_RW(set)(6), *feature);
    return CTI_RW(select)(in, d2, best);
}

/* cti_distb_better -- lanes where d2 < best take over d2, s and t */
CTI_INLINE void cti_distb_better(cti_rw d2, cti_rw s, cti_rw t, cti_rw *best, cti_rw st[2])
{
    cti_rw less = CTI_RW(lt)(d2, *best);
    *best = CTI_RW(select)(less, d2, *best);
    st[0] = CTI_RW(select)(less, s, st[0]), st[1] = CTI_RW(select)(less, t, st[1]);
}

/* cti_distb_edges -- one register of edge-edge pairs */
CTI_INLINE cti_rw cti_distb_edges(cti_rw x[4][3], cti_rw st[2], cti_rw *feature)
{
    cti_rw one = CTI_RW(set)(1), zero = CTI_RW(set)(0), u[3], v[3], w[3], n[3], c[3], n2, s, t, d2, best, less, in, fa, fb;
    int k;
    cti_sub3_w(x[1], x[0], u), cti_sub3_w(x[3], x[2], v), cti_sub3_w(x[2], x[0], w);
    /* end points of a against b, then of b against a */
    for (k = 0; k < 3; k++)
        c[k] = CTI_RW(sub)(zero, w[k]);
    best = cti_distb_segment(c, v, &st[1]), st[0] = zero;
    cti_sub3_w(u, w, c);
    d2 = cti_distb_segment(c, v, &t), cti_distb_better(d2, one, t, &best, st);
    d2 = cti_distb_segment(w, u, &s), cti_distb_better(d2, s, zero, &best, st);
    for (k = 0; k < 3; k++)
        c[k] = CTI_RW(add)(w[k], v[k]);
    d2 = cti_distb_segment(c, u, &s), cti_distb_better(d2, s, one, &best, st);
    fa = CTI_RW(select)(CTI_RW(lt)(zero, st[0]), CTI_RW(select)(CTI_RW(lt)(st[0], one), zero, CTI_RW(set)(CTI_DIST_A1)), CTI_RW(set)(CTI_DIST_A0));
    fb = CTI_RW(select)(CTI_RW(lt)(zero, st[1]), CTI_RW(select)(CTI_RW(lt)(st[1], one), zero, CTI_RW(set)(CTI_DIST_B1)), CTI_RW(set)(CTI_DIST_B0));
    *feature = CTI_RW(add)(fa, fb);
    /* the common perpendicular */
    CTI_RW(cross3)(u, v, n);
    n2 = CTI_RW(dot3)(n, n);
    CTI_RW(cross3)(w, v, c), s = CTI_RW(dot3)(c, n);
    CTI_RW(cross3)(w, u, c), t = CTI_RW(dot3)(c, n);
    in = CTI_RW(and)(CTI_RW(and)(CTI_RW(lt)(zero, s), CTI_RW(lt)(s, n2)), CTI_RW(and)(CTI_RW(lt)(zero, t), CTI_RW(lt)(t, n2)));
    if (!CTI_RW(bits)(in))
        return best;
    s = CTI_RW(div)(s, n2), t = CTI_RW(div)(t, n2);
    for (k = 0; k < 3; k++)
        w[k] = cti_nmad_w(cti_mad_w(w[k], v[k], t), u[k], s);
    d2 = CTI_RW(dot3)(w, w);
    less = CTI_RW(lt)(n2, CTI_RW(mul)(CTI_RW(mul)(CTI_RW(set)(CTI_DISTB_FLAT), CTI_RW(dot3)(u, u)), CTI_RW(dot3)(v, v)));
    in = CTI_RW(and)(in, CTI_RW(select)(less, CTI_RW(lt)(d2, best), in));
    st[0] = CTI_RW(select)(in, s, st[0]), st[1] = CTI_RW(select)(in, t, st[1]), *feature = CTI_RW(select)(in, zero, *feature);
    return CTI_RW(select)(in, d2, best);
}

/* squared distances of n pairs, `per` numbers of each at w: barycentric, or the parameters of edges */
static void cti_distb_lists(int edges, const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *w, int32_t *feature)
{
    cti_r8 p[3];
    cti_rw q[4][3], place[3], f;
    ct_real points[4][3][8], buf[5][8];
    int32_t last[32];
    int i, j, k, m, m0, per = edges ? 2 : 3;
    for (i = 0; i < n; i += 8) {
        const int32_t *v = quads + 4 * (size_t)i;
        m = n - i < 8 ? n - i : 8;
        for (j = 0; m < 8 && j < 8; j++, v = last)
            memcpy(last + 4 * j, quads + 4 * (size_t)(i + (j < m ? j : m - 1)), 4 * sizeof *quads);
        for (j = 0; j < 4; j++) {
            cti_gather3(x, v + j, 4, p);
            for (k = 0; k < 3; k++)
                cti_store8(points[j][k], p[k]);
        }
        for (m0 = 0; m0 < m; m0 += CTI_RW_N) {
            for (j = 0; j < 4; j++)
                for (k = 0; k < 3; k++)
                    q[j][k] = CTI_RW(load)(points[j][k] + m0);
            CTI_RW(store)(buf[0] + m0, edges ? cti_distb_edges(q, place, &f) : cti_distb_face(q, place, &f));
            CTI_RW(store)(buf[1] + m0, f);
            for (k = 0; k < per; k++)
                CTI_RW(store)(buf[2 + k] + m0, place[k]);
        }
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
