/* kernel.inl -- micro kernels for one number type; included by kernel.h. a[q] points at row q's first number; row q at k is a[q][k sa], the
   strip at k is b[k sb .. k sb + 7]. */

/* cti_k_tile1 -- c[q] = sum_k a_q(k) b(k), q = 0..3 */
CTI_TN(CTI_K, FN) void CTI_TN(cti_k, tile1)(int K, const CTI_T *const a[4], size_t sa, const CTI_T *b, size_t sb, CTI_TVEC c[4])
{
    const CTI_T *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    CTI_TVEC c0 = CTI_TV(set)(0), c1 = c0, c2 = c0, c3 = c0, v;
    size_t i = 0, j = 0;
    for (; K > 0; K--, i += sa, j += sb) {
        v = CTI_TV(load)(b + j);
        CTI_K_KEEP(v);
        c0 = CTI_TV(mad)(c0, CTI_TV(set)(a0[i]), v);
        c1 = CTI_TV(mad)(c1, CTI_TV(set)(a1[i]), v);
        c2 = CTI_TV(mad)(c2, CTI_TV(set)(a2[i]), v);
        c3 = CTI_TV(mad)(c3, CTI_TV(set)(a3[i]), v);
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* cti_k_tile2 -- the same for two strips: c[q] from b, c[4 + q] from e */
CTI_TN(CTI_K, FN) void CTI_TN(cti_k, tile2)(int K, const CTI_T *const a[4], size_t sa, const CTI_T *b, const CTI_T *e, size_t sb, CTI_TVEC c[8])
{
#if CTI_T_IS_FLOAT
    const CTI_T *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    cti_k_pair c0 = cti_k_pair_of(CTI_TV(set)(0), CTI_TV(set)(0)), c1 = c0, c2 = c0, c3 = c0;
    size_t i = 0, j = 0;
    for (; K > 0; K--, i += sa, j += sb) {
        cti_k_pair v = cti_k_pair_of(CTI_TV(load)(b + j), CTI_TV(load)(e + j));
        c0 = cti_k_pair_mad(c0, a0[i], v), c1 = cti_k_pair_mad(c1, a1[i], v);
        c2 = cti_k_pair_mad(c2, a2[i], v), c3 = cti_k_pair_mad(c3, a3[i], v);
    }
    cti_k_pair_part(c0, c, c + 4), cti_k_pair_part(c1, c + 1, c + 5);
    cti_k_pair_part(c2, c + 2, c + 6), cti_k_pair_part(c3, c + 3, c + 7);
#else
    CTI_TN(cti_k, tile1)(K, a, sa, b, sb, c);
    CTI_TN(cti_k, tile1)(K, a, sa, e, sb, c + 4);
#endif
}

/* Loads, stores and sums of four vectors at p, p + step, ...: unrolled by hand, so that they stay in registers. */
CTI_INLINE void CTI_TN(cti_k, load4)(const CTI_T *p, size_t step, CTI_TVEC v[4])
{
    v[0] = CTI_TV(load)(p), v[1] = CTI_TV(load)(p + step), v[2] = CTI_TV(load)(p + 2 * step), v[3] = CTI_TV(load)(p + 3 * step);
}
CTI_INLINE void CTI_TN(cti_k, store4)(CTI_T *p, size_t step, const CTI_TVEC v[4])
{
    CTI_TV(store)(p, v[0]), CTI_TV(store)(p + step, v[1]), CTI_TV(store)(p + 2 * step, v[2]), CTI_TV(store)(p + 3 * step, v[3]);
}
CTI_INLINE void CTI_TN(cti_k, add4)(CTI_T *p, size_t step, const CTI_TVEC v[4])
{
    CTI_TV(store)(p, CTI_TV(add)(CTI_TV(load)(p), v[0]));
    CTI_TV(store)(p + step, CTI_TV(add)(CTI_TV(load)(p + step), v[1]));
    CTI_TV(store)(p + 2 * step, CTI_TV(add)(CTI_TV(load)(p + 2 * step), v[2]));
    CTI_TV(store)(p + 3 * step, CTI_TV(add)(CTI_TV(load)(p + 3 * step), v[3]));
}
/* cti_k_sum4 -- v += w */
CTI_INLINE void CTI_TN(cti_k, sum4)(CTI_TVEC v[4], const CTI_TVEC w[4])
{
    v[0] = CTI_TV(add)(v[0], w[0]), v[1] = CTI_TV(add)(v[1], w[1]), v[2] = CTI_TV(add)(v[2], w[2]), v[3] = CTI_TV(add)(v[3], w[3]);
}
/* cti_k_sub1 -- p[0..7] -= v */
CTI_INLINE void CTI_TN(cti_k, sub1)(CTI_T *p, CTI_TVEC v) { CTI_TV(store)(p, CTI_TV(sub)(CTI_TV(load)(p), v)); }

/* cti_k_trsm4 -- four rows of a triangular solve with many right sides: x_q = (in_q - c_q - sum_{p<q} l_qp x_p) r_q, l_qp = l[q sq + p sp],
   in place in c; in_q at in + q step, or 0 where in is NULL */
CTI_TN(CTI_K, FN) void CTI_TN(cti_k, trsm4)(const CTI_T *l, size_t sq, size_t sp, const CTI_T *r, const CTI_T *in, size_t step, CTI_TVEC c[4])
{
    CTI_TVEC x0, x1, x2, x3, v[4];
    v[0] = v[1] = v[2] = v[3] = CTI_TV(set)(0);
    if (in)
        CTI_TN(cti_k, load4)(in, step, v);
    x0 = CTI_TV(mul)(CTI_TV(sub)(v[0], c[0]), CTI_TV(set)(r[0]));
    x1 = CTI_TV(nmad)(CTI_TV(sub)(v[1], c[1]), CTI_TV(set)(l[sq]), x0);
    x1 = CTI_TV(mul)(x1, CTI_TV(set)(r[1]));
    x2 = CTI_TV(nmad)(CTI_TV(sub)(v[2], c[2]), CTI_TV(set)(l[2 * sq]), x0);
    x2 = CTI_TV(mul)(CTI_TV(nmad)(x2, CTI_TV(set)(l[2 * sq + sp]), x1), CTI_TV(set)(r[2]));
    x3 = CTI_TV(nmad)(CTI_TV(sub)(v[3], c[3]), CTI_TV(set)(l[3 * sq]), x0);
    x3 = CTI_TV(nmad)(x3, CTI_TV(set)(l[3 * sq + sp]), x1);
    x3 = CTI_TV(mul)(CTI_TV(nmad)(x3, CTI_TV(set)(l[3 * sq + 2 * sp]), x2), CTI_TV(set)(r[3]));
    c[0] = x0, c[1] = x1, c[2] = x2, c[3] = x3;
}

/* cti_k_flush4 -- sets lanes of c[q] whose size is below least[q] to 0; a NaN stays. */
CTI_TN(CTI_K, FN) void CTI_TN(cti_k, flush4)(const CTI_T least[4], CTI_TVEC c[4])
{
    CTI_TVEC zero = CTI_TV(set)(0);
    int q;
    for (q = 0; q < 4; q++)
        c[q] = CTI_TV(select)(CTI_TV(lt)(CTI_TV(abs)(c[q]), CTI_TV(set)(least[q])), zero, c[q]);
}

/* cti_k_judge -- returns the pivot s if it is finite and above eps orig; else its replacement: |orig|, or 1 if that is zero or not
   finite */
CTI_INLINE CTI_T CTI_TN(cti_k, judge)(CTI_T s, CTI_T orig, CTI_T eps, int *boosted)
{
    if (CTI_LIKELY(s > eps * orig && s > (CTI_T)1e-36 && s < (CTI_T)1e36))
        return s;
    ++*boosted;
    s = orig < 0 ? -orig : orig;
    return s > (CTI_T)1e-30 && s < (CTI_T)1e30 ? s : 1;
}

CTI_INLINE CTI_T CTI_TN(cti_k, root)(CTI_T s)
{
#if CTI_T_IS_FLOAT
    return sqrtf(s);
#else
    return sqrt(s);
#endif
}

/* cti_k_chol4 -- l l' = d for a 4x4 block, l lower triangular with zeros above, r its inverse diagonal. orig[q] is the diagonal before any
   elimination (see judge). d and l [16] with stride 4, may be the same. The recurrence is that of l D l': its dependency chain has no
   square root. Returns the number of replaced pivots. */
CTI_LANES_FN int CTI_TN(cti_k, chol4)(const CTI_T *d, const CTI_T *orig, CTI_T eps, CTI_T *l, CTI_T *r)
{
    int boosted = 0;
    CTI_T u10 = d[4], u20 = d[8], u21 = d[9], u30 = d[12], u31 = d[13], u32 = d[14], s0, s1, s2, s3, i, t1, t2, t3;
    s0 = CTI_TN(cti_k, judge)(d[0], orig[0], eps, &boosted);
    i = 1 / s0, t1 = u10 * i, t2 = u20 * i, t3 = u30 * i;
    s1 = CTI_TN(cti_k, judge)(d[5] - t1 * u10, orig[1], eps, &boosted);
    u21 -= t2 * u10, u31 -= t3 * u10, s2 = d[10] - t2 * u20, u32 -= t3 * u20, s3 = d[15] - t3 * u30;
    i = 1 / s1, t2 = u21 * i, t3 = u31 * i;
    s2 = CTI_TN(cti_k, judge)(s2 - t2 * u21, orig[2], eps, &boosted);
    u32 -= t3 * u21, s3 -= t3 * u31;
    s3 = CTI_TN(cti_k, judge)(s3 - u32 / s2 * u32, orig[3], eps, &boosted);
    s0 = CTI_TN(cti_k, root)(s0), s1 = CTI_TN(cti_k, root)(s1), s2 = CTI_TN(cti_k, root)(s2), s3 = CTI_TN(cti_k, root)(s3);
    r[0] = 1 / s0, r[1] = 1 / s1, r[2] = 1 / s2, r[3] = 1 / s3;
    l[0] = s0, l[1] = 0, l[2] = 0, l[3] = 0;
    l[4] = u10 * r[0], l[5] = s1, l[6] = 0, l[7] = 0;
    l[8] = u20 * r[0], l[9] = u21 * r[1], l[10] = s2, l[11] = 0;
    l[12] = u30 * r[0], l[13] = u31 * r[1], l[14] = u32 * r[2], l[15] = s3;
    return boosted;
}
