/* ccd_batch.c -- many continuous queries at once: eight lanes of cheap certified early no, then one search for each pair that is left.
   Method: pass 1 looks for a plane through the gap between the origin and all end points of the difference hull (the moving hulls are
   inside theirs): the axes, the normal at half time, and directions from Gilbert's iteration on the nearest point. Pass 2, for touch
   queries only: the signs of the Bernstein coefficients of the coplanarity cubic and of the inside quartics (ccd_touch.c, same bounds).
   Lanes that are too large or too small for the bounds (outside of CTI_BATCH_SMALL .. CTI_BATCH_BIG) or not finite are never freed here.
   Rounding of a plane: differences off by u B_k, inner product by 3u sum |n_k| B_k: 4u, doubled in CTI_BATCH_DOT. A plane n frees a lane
   when min n.h > distance |n| (1 + 1e-14) + bound. |x| < 1e60 and at least one |x| > 1e-60 keep every product in range: what underflows is
   below CTI_BATCH_TINY, what counts is far above it. based on: Gilbert 1966 (iteration); Wang et al. 2021 and Brochu et al. 2012 as in
   ccd_touch.c. */
#include "../1_math/simd.h"
#include "ccd.h"

#define CTI_BATCH_U 1.1102230246251565e-16
#define CTI_BATCH_DOT (8 * CTI_BATCH_U)
#define CTI_BATCH_EF (64 * CTI_BATCH_U)
#define CTI_BATCH_EG (224 * CTI_BATCH_U)
#define CTI_BATCH_EH (456 * CTI_BATCH_U)
#define CTI_BATCH_TINY 1e-290
#define CTI_BATCH_SMALL 1e-60
#define CTI_BATCH_BIG 1e60
#define CTI_BATCH_CHUNK 256
#define CTI_BATCH_GILBERT 4

/* eight queries: h hull of differences at both ends, c third vector of the cubic, big largest |coordinate| by axis */
typedef struct cti_batch8 {
    cti_d8 h[2][4][3], c[2][3], big[3], distance;
} cti_batch8;

CTI_INLINE cti_d8 cti_batch_dot(const cti_d8 *a, const cti_d8 *b)
{
    return cti_d8_add(cti_d8_add(cti_d8_mul(a[0], b[0]), cti_d8_mul(a[1], b[1])), cti_d8_mul(a[2], b[2]));
}
CTI_INLINE void cti_batch_cross(const cti_d8 *a, const cti_d8 *b, cti_d8 *r)
{
    r[0] = cti_d8_sub(cti_d8_mul(a[1], b[2]), cti_d8_mul(a[2], b[1]));
    r[1] = cti_d8_sub(cti_d8_mul(a[2], b[0]), cti_d8_mul(a[0], b[2]));
    r[2] = cti_d8_sub(cti_d8_mul(a[0], b[1]), cti_d8_mul(a[1], b[0]));
}

/* cti_batch_load -- differences of the queries list[0..7]; largest coordinates */
CTI_INLINE void cti_batch_load(cti_batch8 *q, int kind, const ct_real *const x[2], const int32_t *quads, const int *list,
                               const ct_real *min_distance)
{
    double buf[4][3][8];
    int e, i, j, k;
    for (e = 0; e < 2; e++) {
        for (i = 0; i < 8; i++) {
            const int32_t *quad = quads + 4 * (size_t)list[i];
            for (j = 0; j < 4; j++) {
                const ct_real *p = x[e] + 3 * (size_t)quad[j];
                buf[j][0][i] = (double)p[0], buf[j][1][i] = (double)p[1], buf[j][2][i] = (double)p[2];
            }
        }
        for (k = 0; k < 3; k++) {
            cti_d8 p0 = cti_d8_load(buf[0][k]), p1 = cti_d8_load(buf[1][k]), p2 = cti_d8_load(buf[2][k]), p3 = cti_d8_load(buf[3][k]);
            if (kind == CTI_CCD_VF) {
                q->h[e][0][k] = cti_d8_sub(p1, p0), q->h[e][1][k] = cti_d8_sub(p2, p0);
                q->h[e][2][k] = q->c[e][k] = cti_d8_sub(p3, p0);
            } else {
                q->h[e][0][k] = cti_d8_sub(p0, p2), q->h[e][1][k] = cti_d8_sub(p1, p2);
                q->h[e][2][k] = cti_d8_sub(p1, p3), q->h[e][3][k] = cti_d8_sub(p0, p3);
                q->c[e][k] = cti_d8_sub(p3, p2);
            }
        }
    }
    q->distance = cti_d8_set(0);
    if (min_distance) {
        for (i = 0; i < 8; i++)
            buf[0][0][i] = (double)min_distance[list[i]];
        q->distance = cti_d8_load(buf[0][0]);
    }
}

/* cti_batch_axes -- lanes that an axis frees; sets big; *sane: lanes in range and finite (a NaN reaches the sum, not the maximum) */
CTI_INLINE cti_d8 cti_batch_axes(cti_batch8 *q, int m, cti_d8 *sane)
{
    cti_d8 zero = cti_d8_set(0), r = cti_d8_lt(zero, zero), sum = q->distance, top = zero, low, high, x;
    cti_d8 edge = cti_d8_mul(q->distance, cti_d8_set(1 + 1e-15));
    int e, i, k;
    for (k = 0; k < 3; k++) {
        low = high = q->h[0][0][k];
        for (e = 0; e < 2; e++) {
            for (i = 0; i < m; i++) {
                x = q->h[e][i][k];
                low = cti_d8_min(x, low), high = cti_d8_max(x, high), sum = cti_d8_add(sum, cti_d8_abs(x));
            }
        }
        r = cti_d8_or(r, cti_d8_or(cti_d8_lt(edge, low), cti_d8_lt(high, cti_d8_sub(zero, edge))));
        x = cti_d8_max(cti_d8_abs(low), cti_d8_abs(high));
        if (m == 4)
            x = cti_d8_max(x, cti_d8_max(cti_d8_abs(q->c[0][k]), cti_d8_abs(q->c[1][k])));
        q->big[k] = x, top = cti_d8_max(top, x);
    }
    *sane = cti_d8_and(cti_d8_lt(sum, cti_d8_set(CTI_BATCH_BIG)), cti_d8_lt(cti_d8_set(CTI_BATCH_SMALL), top));
    *sane = cti_d8_and(*sane, cti_d8_le(zero, q->distance));
    return r;
}

/* cti_batch_edge -- how far along n the hull must lie: distance |n| and the rounding bound */
CTI_INLINE cti_d8 cti_batch_edge(const cti_batch8 *q, const cti_d8 *n)
{
    cti_d8 r = cti_d8_add(cti_d8_add(cti_d8_mul(cti_d8_abs(n[0]), q->big[0]), cti_d8_mul(cti_d8_abs(n[1]), q->big[1])),
                          cti_d8_mul(cti_d8_abs(n[2]), q->big[2]));
    r = cti_d8_add(cti_d8_mul(r, cti_d8_set(CTI_BATCH_DOT)), cti_d8_set(CTI_BATCH_TINY));
    return cti_d8_add(r, cti_d8_mul(cti_d8_mul(cti_d8_sqrt(cti_batch_dot(n, n)), cti_d8_set(1 + 1e-14)), q->distance));
}

/* cti_batch_normal -- lanes that the plane of the feature normal at half time frees */
CTI_INLINE cti_d8 cti_batch_normal(const cti_batch8 *q, int m)
{
    cti_d8 u[3], v[3], n[3], low, high, s, edge;
    int e, i, k;
    for (k = 0; k < 3; k++) {
        low = cti_d8_add(q->h[0][0][k], q->h[1][0][k]);
        u[k] = cti_d8_sub(cti_d8_add(q->h[0][1][k], q->h[1][1][k]), low);
        v[k] = cti_d8_sub(cti_d8_add(q->h[0][m - 1][k], q->h[1][m - 1][k]), low);
    }
    cti_batch_cross(u, v, n);
    low = high = cti_batch_dot(n, q->h[0][0]);
    for (e = 0; e < 2; e++) {
        for (i = 1 - e; i < m; i++) {
            s = cti_batch_dot(n, q->h[e][i]);
            low = cti_d8_min(s, low), high = cti_d8_max(s, high);
        }
    }
    edge = cti_batch_edge(q, n);
    return cti_d8_or(cti_d8_lt(edge, low), cti_d8_lt(high, cti_d8_sub(cti_d8_set(0), edge)));
}

/* cti_batch_gilbert -- v to the nearest point of the segment from v to the hull's lowest point along v; returns the lanes v frees */
CTI_INLINE cti_d8 cti_batch_gilbert(const cti_batch8 *q, cti_d8 *v, int m)
{
    cti_d8 low = cti_batch_dot(v, q->h[0][0]), w[3], s, less, r, one = cti_d8_set(1), zero = cti_d8_set(0);
    int e, i, k;
    for (k = 0; k < 3; k++)
        w[k] = q->h[0][0][k];
    for (e = 0; e < 2; e++) {
        for (i = 1 - e; i < m; i++) {
            s = cti_batch_dot(v, q->h[e][i]);
            less = cti_d8_lt(s, low);
            low = cti_d8_min(s, low);
            for (k = 0; k < 3; k++)
                w[k] = cti_d8_select(less, q->h[e][i][k], w[k]);
        }
    }
    r = cti_d8_lt(cti_batch_edge(q, v), low);
    /* v + s w, w = lowest - v, s = -v.w / w.w in [0, 1] */
    for (k = 0; k < 3; k++)
        w[k] = cti_d8_sub(w[k], v[k]);
    s = cti_d8_div(cti_d8_sub(zero, cti_batch_dot(v, w)), cti_d8_add(cti_batch_dot(w, w), cti_d8_set(CTI_BATCH_TINY)));
    s = cti_d8_min(cti_d8_max(s, zero), one);
    for (k = 0; k < 3; k++)
        v[k] = cti_d8_add(v[k], cti_d8_mul(s, w[k]));
    return r;
}

/* cti_batch_apart -- pass 1 for eight queries: a bit per lane that is free */
CTI_INLINE int cti_batch_apart(cti_batch8 *q, int m)
{
    cti_d8 sane, free8 = cti_batch_axes(q, m, &sane), v[3];
    int bits, good = cti_d8_bits(sane), i, k;
    bits = good & cti_d8_bits(free8);
    if (bits == 255)
        return bits;
    bits |= good & cti_d8_bits(cti_batch_normal(q, m));
    /* Gilbert from the middle of the hull */
    for (k = 0; k < 3; k++) {
        v[k] = cti_d8_set(0);
        for (i = 0; i < m; i++)
            v[k] = cti_d8_add(v[k], cti_d8_add(q->h[0][i][k], q->h[1][i][k]));
        v[k] = cti_d8_mul(v[k], cti_d8_set(m == 3 ? 1 / 6.0 : 1 / 8.0));
    }
    for (i = 0; i < CTI_BATCH_GILBERT && bits != good; i++)
        bits |= good & cti_d8_bits(cti_batch_gilbert(q, v, m));
    return bits;
}

/* cti_batch_sign -- lanes in which all of n coefficients are below -edge (or, both: above edge) */
CTI_INLINE cti_d8 cti_batch_sign(const cti_d8 *c, int n, cti_d8 edge, int both)
{
    cti_d8 low = c[0], high = c[0], r;
    int i;
    for (i = 1; i < n; i++)
        low = cti_d8_min(c[i], low), high = cti_d8_max(c[i], high);
    r = cti_d8_lt(high, cti_d8_sub(cti_d8_set(0), edge));
    return both ? cti_d8_or(r, cti_d8_lt(edge, low)) : r;
}

/* cti_batch_quadric -- Bernstein coefficients of a x b */
CTI_INLINE void cti_batch_quadric(const cti_d8 *a0, const cti_d8 *a1, const cti_d8 *b0, const cti_d8 *b1, cti_d8 r[3][3])
{
    cti_d8 x[3], y[3];
    int k;
    cti_batch_cross(a0, b0, r[0]), cti_batch_cross(a1, b1, r[2]);
    cti_batch_cross(a0, b1, x), cti_batch_cross(a1, b0, y);
    for (k = 0; k < 3; k++)
        r[1][k] = cti_d8_mul(cti_d8_set(0.5), cti_d8_add(x[k], y[k]));
}

/* cti_batch_quartic -- lanes in which x.n (times `sign`) is negative for certain */
CTI_INLINE cti_d8 cti_batch_quartic(cti_d8 x[3][3], cti_d8 n[3][3], cti_d8 edge)
{
    cti_d8 g[5], half = cti_d8_set(0.5), b = cti_d8_mul(cti_d8_set(4), cti_batch_dot(x[1], n[1]));
    g[0] = cti_batch_dot(x[0], n[0]), g[4] = cti_batch_dot(x[2], n[2]);
    g[1] = cti_d8_mul(half, cti_d8_add(cti_batch_dot(x[0], n[1]), cti_batch_dot(x[1], n[0])));
    g[3] = cti_d8_mul(half, cti_d8_add(cti_batch_dot(x[1], n[2]), cti_batch_dot(x[2], n[1])));
    g[2] = cti_d8_div(cti_d8_add(cti_d8_add(cti_batch_dot(x[0], n[2]), b), cti_batch_dot(x[2], n[0])), cti_d8_set(6));
    return cti_batch_sign(g, 5, edge, 0);
}

/* cti_batch_signs -- pass 2 for eight touch queries: a bit per lane that is free */
CTI_INLINE int cti_batch_signs(const cti_batch8 *q, int m)
{
    const cti_d8 *a0 = q->h[0][0], *a1 = q->h[1][0], *b0 = q->h[0][1], *b1 = q->h[1][1];
    cti_d8 ab[3][3], bc[3][3], ca[3][3], n[3][3], f[4], edge, area, x, y, z, two = cti_d8_set(2), three = cti_d8_set(3), free8;
    int i, k;
    cti_batch_quadric(b0, b1, q->c[0], q->c[1], bc);
    f[0] = cti_batch_dot(a0, bc[0]), f[3] = cti_batch_dot(a1, bc[2]);
    f[1] = cti_d8_div(cti_d8_add(cti_batch_dot(a1, bc[0]), cti_d8_mul(two, cti_batch_dot(a0, bc[1]))), three);
    f[2] = cti_d8_div(cti_d8_add(cti_batch_dot(a0, bc[2]), cti_d8_mul(two, cti_batch_dot(a1, bc[1]))), three);
    x = cti_d8_mul(q->big[1], q->big[2]), y = cti_d8_mul(q->big[2], q->big[0]), z = cti_d8_mul(q->big[0], q->big[1]);
    edge = cti_d8_add(cti_d8_mul(cti_d8_set(CTI_BATCH_EF), cti_d8_mul(x, q->big[0])), cti_d8_set(CTI_BATCH_TINY));
    free8 = cti_batch_sign(f, 4, edge, 1);
    if (cti_d8_bits(free8) == 255)
        return 255;
    cti_batch_quadric(a0, a1, b0, b1, ab), cti_batch_quadric(q->c[0], q->c[1], a0, a1, ca);
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++) {
            n[i][k] = cti_d8_add(bc[i][k], ca[i][k]);
            if (m == 3)
                n[i][k] = cti_d8_add(n[i][k], ab[i][k]);
        }
    }
    area = cti_d8_add(cti_d8_add(cti_d8_mul(x, x), cti_d8_mul(y, y)), cti_d8_mul(z, z));
    edge = cti_d8_add(cti_d8_mul(cti_d8_set(CTI_BATCH_EG), area), cti_d8_set(CTI_BATCH_TINY));
    free8 = cti_d8_or(free8, cti_d8_or(cti_batch_quartic(bc, n, edge), cti_batch_quartic(ca, n, edge)));
    if (m == 3)
        return cti_d8_bits(cti_d8_or(free8, cti_batch_quartic(ab, n, edge)));
    /* edges: -ab.n and (n + ab).n */
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            ca[i][k] = cti_d8_sub(cti_d8_set(0), ab[i][k]), ab[i][k] = cti_d8_add(n[i][k], ab[i][k]);
    free8 = cti_d8_or(free8, cti_batch_quartic(ca, n, edge));
    edge = cti_d8_add(cti_d8_mul(cti_d8_set(CTI_BATCH_EH), area), cti_d8_set(CTI_BATCH_TINY));
    return cti_d8_bits(cti_d8_or(free8, cti_batch_quartic(ab, n, edge)));
}

/* cti_batch_pass -- one pass over `count` queries of the list, compacted in place; returns how many are left */
CTI_INLINE int cti_batch_pass(int pass, int kind, const ct_real *const x[2], const int32_t *quads, int *list, int count,
                              const ct_real *min_distance)
{
    cti_batch8 q;
    cti_d8 sane;
    int i, j, left = 0, m = kind == CTI_CCD_VF ? 3 : 4, lane[8], bits;
    for (i = 0; i < count; i += 8) {
        for (j = 0; j < 8; j++)
            lane[j] = list[i + j < count ? i + j : count - 1];
        cti_batch_load(&q, kind, x, quads, lane, min_distance);
        if (pass == 1) {
            bits = cti_batch_apart(&q, m);
        } else {
            cti_batch_axes(&q, m, &sane);
            bits = cti_d8_bits(sane) & cti_batch_signs(&q, m);
        }
        for (j = 0; j < 8 && i + j < count; j++)
            if (!(bits >> j & 1))
                list[left++] = lane[j];
    }
    return left;
}

static int cti_batch_pass_vf(int pass, const ct_real *const x[2], const int32_t *quads, int *list, int count, const ct_real *min_distance)
{
    return pass == 1 ? cti_batch_pass(1, CTI_CCD_VF, x, quads, list, count, min_distance)
                     : cti_batch_pass(2, CTI_CCD_VF, x, quads, list, count, min_distance);
}
static int cti_batch_pass_ee(int pass, const ct_real *const x[2], const int32_t *quads, int *list, int count, const ct_real *min_distance)
{
    return pass == 1 ? cti_batch_pass(1, CTI_CCD_EE, x, quads, list, count, min_distance)
                     : cti_batch_pass(2, CTI_CCD_EE, x, quads, list, count, min_distance);
}

static int cti_batch_run(int kind, const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance,
                         ct_real *toi)
{
    int (*pass)(int, const ct_real *const[2], const int32_t *, int *, int, const ct_real *) =
        kind == CTI_CCD_VF ? cti_batch_pass_vf : cti_batch_pass_ee;
    const ct_real *x[2];
    int list[CTI_BATCH_CHUNK], first, i, j, k, count, hits = 0;
    x[0] = x0, x[1] = x1;
    for (first = 0; first < n; first += CTI_BATCH_CHUNK) {
        count = n - first < CTI_BATCH_CHUNK ? n - first : CTI_BATCH_CHUNK;
        for (i = 0; i < count; i++)
            list[i] = first + i, toi[first + i] = CTI_R(CTI_CCD_NONE);
        count = pass(1, x, quads, list, count, min_distance);
        if (!min_distance)
            count = pass(2, x, quads, list, count, min_distance);
        /* the search for what is left */
        for (i = 0; i < count; i++) {
            const int32_t *quad = quads + 4 * (size_t)list[i];
            ct_real a[12], b[12], d = min_distance ? min_distance[list[i]] : 0;
            for (j = 0; j < 4; j++)
                for (k = 0; k < 3; k++)
                    a[3 * j + k] = x0[3 * (size_t)quad[j] + (size_t)k], b[3 * j + k] = x1[3 * (size_t)quad[j] + (size_t)k];
            hits += kind == CTI_CCD_VF ? cti_ccd_vf(a, b, d, &toi[list[i]]) : cti_ccd_ee(a, b, d, &toi[list[i]]);
        }
    }
    return hits;
}

CTI_FN int cti_ccd_vf_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    return cti_batch_run(CTI_CCD_VF, x0, x1, quads, n, min_distance, toi);
}
CTI_FN int cti_ccd_ee_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    return cti_batch_run(CTI_CCD_EE, x0, x1, quads, n, min_distance, toi);
}

#undef CTI_BATCH_U
#undef CTI_BATCH_DOT
#undef CTI_BATCH_EF
#undef CTI_BATCH_EG
#undef CTI_BATCH_EH
#undef CTI_BATCH_TINY
#undef CTI_BATCH_SMALL
#undef CTI_BATCH_BIG
#undef CTI_BATCH_CHUNK
#undef CTI_BATCH_GILBERT
