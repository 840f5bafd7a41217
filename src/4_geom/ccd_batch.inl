/* ccd_batch.inl -- the passes over lanes, for CTI_V = cti_dw and cti_f8 of CTI_BW numbers CTI_BT; CTI_BALL has a bit for each lane. CTI_VN(name)
   names the operations of simd.h, CTI_BN(name) the functions defined here. CTI_BS(x) is a constant of the lane's type and CTI_BU its unit roundoff.
   CTI_BTINY exceeds all errors from underflow, CTI_BNORM the error of a length from underflow. Both hold for coordinates whose size is in
   CTI_BSMALL .. CTI_BBIG. */

/* CTI_BW queries: h hull of differences at both ends, c third vector of the cubic, big largest |coordinate| by axis */
typedef struct CTI_BN(lanes) {
    CTI_V h[2][4][3], c[2][3], big[3], distance;
} CTI_BN(lanes);

/* CTI_BN(axes) -- returns the lanes that an axis frees and sets big. *sane: lanes in range and finite (a NaN shows in the sum, not in the
   maximum) */
CTI_INLINE CTI_V CTI_BN(axes)(CTI_BN(lanes) *q, int m, CTI_V *sane)
{
    CTI_V zero = CTI_VN(set)(0), r = CTI_VN(lt)(zero, zero), sum = q->distance, top = zero, low, high, x;
    CTI_V edge = CTI_VN(mul)(q->distance, CTI_VN(set)(CTI_BS(1 + 4 * CTI_BU)));
    int e, i, k;
    for (k = 0; k < 3; k++) {
        low = high = q->h[0][0][k];
        for (e = 0; e < 2; e++) {
            for (i = 0; i < m; i++) {
                x = q->h[e][i][k];
                low = CTI_VN(min)(x, low), high = CTI_VN(max)(x, high), sum = CTI_VN(add)(sum, x);
            }
        }
        r = CTI_VN(or)(r, CTI_VN(or)(CTI_VN(lt)(edge, low), CTI_VN(lt)(high, CTI_VN(sub)(zero, edge))));
        x = CTI_VN(max)(CTI_VN(abs)(low), CTI_VN(abs)(high));
        if (m == 4)
            x = CTI_VN(max)(x, CTI_VN(max)(CTI_VN(abs)(q->c[0][k]), CTI_VN(abs)(q->c[1][k])));
        q->big[k] = x, top = CTI_VN(max)(top, x);
    }
    *sane = CTI_VN(and)(CTI_VN(lt)(top, CTI_VN(set)(CTI_BS(CTI_BBIG))), CTI_VN(lt)(CTI_VN(set)(CTI_BS(CTI_BSMALL)), top));
    *sane = CTI_VN(and)(*sane, CTI_VN(and)(CTI_VN(le)(CTI_VN(sub)(sum, sum), zero), CTI_VN(le)(zero, q->distance)));
    return r;
}

/* CTI_BN(edge) -- the least n.h that frees a lane: distance times |n|, and the rounding bound */
CTI_INLINE CTI_V CTI_BN(edge)(const CTI_BN(lanes) *q, const CTI_V *n)
{
    CTI_V r = CTI_VN(add)(CTI_VN(add)(CTI_VN(mul)(CTI_VN(abs)(n[0]), q->big[0]), CTI_VN(mul)(CTI_VN(abs)(n[1]), q->big[1])),
                          CTI_VN(mul)(CTI_VN(abs)(n[2]), q->big[2])), length;
    r = CTI_VN(add)(CTI_VN(mul)(r, CTI_VN(set)(CTI_BS(CTI_BATCH_DOT * CTI_BU))), CTI_VN(set)(CTI_BS(CTI_BTINY)));
    length = CTI_VN(mul)(CTI_VN(sqrt)(CTI_VN(dot3)(n, n)), CTI_VN(set)(CTI_BS(1 + 16 * CTI_BU)));
    return CTI_VN(add)(r, CTI_VN(mul)(CTI_VN(add)(length, CTI_VN(set)(CTI_BS(CTI_BNORM))), q->distance));
}

/* CTI_BN(normal) -- lanes freed by the plane with the features' normal at half time */
CTI_INLINE CTI_V CTI_BN(normal)(const CTI_BN(lanes) *q, int m)
{
    CTI_V u[3], v[3], n[3], low, high, s, edge;
    int e, i, k;
    for (k = 0; k < 3; k++) {
        low = CTI_VN(add)(q->h[0][0][k], q->h[1][0][k]);
        u[k] = CTI_VN(sub)(CTI_VN(add)(q->h[0][1][k], q->h[1][1][k]), low);
        v[k] = CTI_VN(sub)(CTI_VN(add)(q->h[0][m - 1][k], q->h[1][m - 1][k]), low);
    }
    CTI_VN(cross3)(u, v, n);
    low = high = CTI_VN(dot3)(n, q->h[0][0]);
    for (e = 0; e < 2; e++) {
        for (i = 1 - e; i < m; i++) {
            s = CTI_VN(dot3)(n, q->h[e][i]);
            low = CTI_VN(min)(s, low), high = CTI_VN(max)(s, high);
        }
    }
    edge = CTI_BN(edge)(q, n);
    return CTI_VN(or)(CTI_VN(lt)(edge, low), CTI_VN(lt)(high, CTI_VN(sub)(CTI_VN(set)(0), edge)));
}

/* CTI_BN(gilbert) -- moves v to the point nearest to the origin on the segment from v to the hull's lowest point along v; returns the lanes
   that the old v frees */
CTI_INLINE CTI_V CTI_BN(gilbert)(const CTI_BN(lanes) *q, CTI_V *v, int m)
{
    CTI_V low = CTI_VN(dot3)(v, q->h[0][0]), w[3], s, less, r, one = CTI_VN(set)(1), zero = CTI_VN(set)(0);
    int e, i, k;
    for (k = 0; k < 3; k++)
        w[k] = q->h[0][0][k];
    for (e = 0; e < 2; e++) {
        for (i = 1 - e; i < m; i++) {
            s = CTI_VN(dot3)(v, q->h[e][i]);
            less = CTI_VN(lt)(s, low);
            low = CTI_VN(min)(s, low);
            for (k = 0; k < 3; k++)
                w[k] = CTI_VN(select)(less, q->h[e][i][k], w[k]);
        }
    }
    r = CTI_VN(lt)(CTI_BN(edge)(q, v), low);
    /* v + s w, w = lowest - v, s = -v.w / w.w in [0, 1] */
    for (k = 0; k < 3; k++)
        w[k] = CTI_VN(sub)(w[k], v[k]);
    s = CTI_VN(div)(CTI_VN(sub)(zero, CTI_VN(dot3)(v, w)), CTI_VN(add)(CTI_VN(dot3)(w, w), CTI_VN(set)(CTI_BS(CTI_BTINY))));
    s = CTI_VN(min)(CTI_VN(max)(s, zero), one);
    for (k = 0; k < 3; k++)
        v[k] = CTI_VN(add)(v[k], CTI_VN(mul)(s, w[k]));
    return r;
}

/* CTI_BN(search) -- lanes freed by planes of Gilbert's iteration, which starts at the middle of the hull */
CTI_INLINE int CTI_BN(search)(const CTI_BN(lanes) *q, int m, int good)
{
    CTI_V v[3];
    int bits = 0, i, k;
    for (k = 0; k < 3; k++) {
        v[k] = CTI_VN(set)(0);
        for (i = 0; i < m; i++)
            v[k] = CTI_VN(add)(v[k], CTI_VN(add)(q->h[0][i][k], q->h[1][i][k]));
        v[k] = CTI_VN(mul)(v[k], CTI_VN(set)(CTI_BS(m == 3 ? 1 / 6.0 : 1 / 8.0)));
    }
    for (i = 0; i < CTI_BATCH_GILBERT && bits != good; i++)
        bits |= good & CTI_VN(bits)(CTI_BN(gilbert)(q, v, m));
    return bits;
}

/* CTI_BN(sign) -- lanes in which all n coefficients are below -edge (with `both`: or all above edge) */
CTI_INLINE CTI_V CTI_BN(sign)(const CTI_V *c, int n, CTI_V edge, int both)
{
    CTI_V low = c[0], high = c[0], r;
    int i;
    for (i = 1; i < n; i++)
        low = CTI_VN(min)(c[i], low), high = CTI_VN(max)(c[i], high);
    r = CTI_VN(lt)(high, CTI_VN(sub)(CTI_VN(set)(0), edge));
    return both ? CTI_VN(or)(r, CTI_VN(lt)(edge, low)) : r;
}

/* CTI_BN(quadric) -- Bernstein coefficients of a x b */
CTI_INLINE void CTI_BN(quadric)(const CTI_V *a0, const CTI_V *a1, const CTI_V *b0, const CTI_V *b1, CTI_V r[3][3])
{
    CTI_V x[3], y[3];
    int k;
    CTI_VN(cross3)(a0, b0, r[0]), CTI_VN(cross3)(a1, b1, r[2]);
    CTI_VN(cross3)(a0, b1, x), CTI_VN(cross3)(a1, b0, y);
    for (k = 0; k < 3; k++)
        r[1][k] = CTI_VN(mul)(CTI_VN(set)(CTI_BS(0.5)), CTI_VN(add)(x[k], y[k]));
}

/* CTI_BN(quartic) -- lanes in which x.n is negative for certain */
CTI_INLINE CTI_V CTI_BN(quartic)(CTI_V x[3][3], CTI_V n[3][3], CTI_V edge)
{
    CTI_V g[5], half = CTI_VN(set)(CTI_BS(0.5)), b = CTI_VN(mul)(CTI_VN(set)(4), CTI_VN(dot3)(x[1], n[1]));
    g[0] = CTI_VN(dot3)(x[0], n[0]), g[4] = CTI_VN(dot3)(x[2], n[2]);
    g[1] = CTI_VN(mul)(half, CTI_VN(add)(CTI_VN(dot3)(x[0], n[1]), CTI_VN(dot3)(x[1], n[0])));
    g[3] = CTI_VN(mul)(half, CTI_VN(add)(CTI_VN(dot3)(x[1], n[2]), CTI_VN(dot3)(x[2], n[1])));
    g[2] = CTI_VN(div)(CTI_VN(add)(CTI_VN(add)(CTI_VN(dot3)(x[0], n[2]), b), CTI_VN(dot3)(x[2], n[0])), CTI_VN(set)(6));
    return CTI_BN(sign)(g, 5, edge, 0);
}

/* CTI_BN(signs) -- pass 3, for queries at distance 0: one bit per lane that is free */
CTI_INLINE int CTI_BN(signs)(const CTI_BN(lanes) *q, int m)
{
    const CTI_V *a0 = q->h[0][0], *a1 = q->h[1][0], *b0 = q->h[0][1], *b1 = q->h[1][1];
    CTI_V ab[3][3], bc[3][3], ca[3][3], n[3][3], f[4], edge, area, x, y, z, two = CTI_VN(set)(2), three = CTI_VN(set)(3), apart;
    int i, k;
    CTI_BN(quadric)(b0, b1, q->c[0], q->c[1], bc);
    f[0] = CTI_VN(dot3)(a0, bc[0]), f[3] = CTI_VN(dot3)(a1, bc[2]);
    f[1] = CTI_VN(div)(CTI_VN(add)(CTI_VN(dot3)(a1, bc[0]), CTI_VN(mul)(two, CTI_VN(dot3)(a0, bc[1]))), three);
    f[2] = CTI_VN(div)(CTI_VN(add)(CTI_VN(dot3)(a0, bc[2]), CTI_VN(mul)(two, CTI_VN(dot3)(a1, bc[1]))), three);
    x = CTI_VN(mul)(q->big[1], q->big[2]), y = CTI_VN(mul)(q->big[2], q->big[0]), z = CTI_VN(mul)(q->big[0], q->big[1]);
    edge = CTI_VN(add)(CTI_VN(mul)(CTI_VN(set)(CTI_BS(CTI_BATCH_EF * CTI_BU)), CTI_VN(mul)(x, q->big[0])), CTI_VN(set)(CTI_BS(CTI_BTINY)));
    apart = CTI_BN(sign)(f, 4, edge, 1);
    if (CTI_VN(bits)(apart) == CTI_BALL)
        return CTI_BALL;
    CTI_BN(quadric)(a0, a1, b0, b1, ab), CTI_BN(quadric)(q->c[0], q->c[1], a0, a1, ca);
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++) {
            n[i][k] = CTI_VN(add)(bc[i][k], ca[i][k]);
            if (m == 3)
                n[i][k] = CTI_VN(add)(n[i][k], ab[i][k]);
        }
    }
    area = CTI_VN(add)(CTI_VN(add)(CTI_VN(mul)(x, x), CTI_VN(mul)(y, y)), CTI_VN(mul)(z, z));
    edge = CTI_VN(add)(CTI_VN(mul)(CTI_VN(set)(CTI_BS(CTI_BATCH_EG * CTI_BU)), area), CTI_VN(set)(CTI_BS(CTI_BTINY)));
    apart = CTI_VN(or)(apart, CTI_VN(or)(CTI_BN(quartic)(bc, n, edge), CTI_BN(quartic)(ca, n, edge)));
    if (m == 3)
        return CTI_VN(bits)(CTI_VN(or)(apart, CTI_BN(quartic)(ab, n, edge)));
    /* edges: -ab.n and (n + ab).n */
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            ca[i][k] = CTI_VN(sub)(CTI_VN(set)(0), ab[i][k]), ab[i][k] = CTI_VN(add)(n[i][k], ab[i][k]);
    apart = CTI_VN(or)(apart, CTI_BN(quartic)(ca, n, edge));
    edge = CTI_VN(add)(CTI_VN(mul)(CTI_VN(set)(CTI_BS(CTI_BATCH_EH * CTI_BU)), area), CTI_VN(set)(CTI_BS(CTI_BTINY)));
    return CTI_VN(bits)(CTI_VN(or)(apart, CTI_BN(quartic)(ab, n, edge)));
}


/* CTI_BN(load) -- the differences of the queries list[0..CTI_BW - 1] */
CTI_INLINE void CTI_BN(load)(CTI_BN(lanes) *q, int kind, const ct_real *const x[2], const int32_t *quads, const int *list,
                             const ct_real *min_distance)
{
    CTI_V p[4][4];
    CTI_BT distance[CTI_BW];
    int e, i, k;
    for (e = 0; e < 2; e++) {
        for (i = 0; i < 4; i++)
            CTI_BN(points)(x[e], quads, list, i, p[i]);
        for (k = 0; k < 3; k++) {
            CTI_V a = p[0][k + 1], b = p[1][k + 1], c = p[2][k + 1], d = p[3][k + 1];
            if (kind == CTI_CCD_VF) {
                q->h[e][0][k] = CTI_VN(sub)(b, a), q->h[e][1][k] = CTI_VN(sub)(c, a);
                q->h[e][2][k] = q->c[e][k] = CTI_VN(sub)(d, a);
            } else {
                q->h[e][0][k] = CTI_VN(sub)(a, c), q->h[e][1][k] = CTI_VN(sub)(b, c);
                q->h[e][2][k] = CTI_VN(sub)(b, d), q->h[e][3][k] = CTI_VN(sub)(a, d);
                q->c[e][k] = CTI_VN(sub)(d, c);
            }
        }
    }
    q->distance = CTI_VN(set)(0);
    if (min_distance) {
        for (i = 0; i < CTI_BW; i++)
            distance[i] = min_distance[list[i]];
        q->distance = CTI_VN(load)(distance);
    }
}

/* CTI_BN(pass) -- one pass over `count` queries of the list, which is compacted in place; returns how many are left. *out_of_range becomes
   1 if some lanes are out of range or not finite */
static int CTI_BN(pass)(int pass, int kind, const ct_real *const x[2], const int32_t *quads, int *list, int count,
                            const ct_real *min_distance, int *out_of_range)
{
    CTI_BN(lanes) q;
    CTI_V sane, apart;
    int i, j, left = 0, m = kind == CTI_CCD_VF ? 3 : 4, lane[CTI_BW], bits, good;
    for (i = 0; i < count; i += CTI_BW) {
        for (j = 0; j < CTI_BW; j++)
            lane[j] = list[i + j < count ? i + j : count - 1];
        CTI_BN(load)(&q, kind, x, quads, lane, min_distance);
        apart = CTI_BN(axes)(&q, m, &sane);
        good = CTI_VN(bits)(sane);
        *out_of_range |= good != CTI_BALL;
        if (pass == 1) {
            bits = CTI_VN(bits)(apart);
            bits = good & (bits == CTI_BALL ? bits : bits | CTI_VN(bits)(CTI_BN(normal)(&q, m)));
        } else
            bits = pass == 2 ? CTI_BN(search)(&q, m, good) : good & CTI_BN(signs)(&q, m);
        for (j = 0; j < CTI_BW && i + j < count; j++)
            if (!(bits >> j & 1))
                list[left++] = lane[j];
    }
    return left;
}

static int CTI_BN(passes)(int kind, const ct_real *const x[2], const int32_t *quads, int *list, int count, const ct_real *min_distance,
                          int *out_of_range)
{
    count = CTI_BN(pass)(1, kind, x, quads, list, count, min_distance, out_of_range);
    count = CTI_BN(pass)(2, kind, x, quads, list, count, min_distance, out_of_range);
    return min_distance ? count : CTI_BN(pass)(3, kind, x, quads, list, count, min_distance, out_of_range);
}

#undef CTI_V
#undef CTI_VN
#undef CTI_BN
#undef CTI_BS
#undef CTI_BT
#undef CTI_BW
#undef CTI_BALL
#undef CTI_BU
#undef CTI_BTINY
#undef CTI_BNORM
#undef CTI_BSMALL
#undef CTI_BBIG
