/* kernel.inl -- micro kernels for one number type; included by kernel.h. a[q] points at row q's first number; row q at k is a[q][k sa], the
   strip at k is b[k sb .. k sb + 7]. */

/* cti_k_tile1 -- c[q] = sum_k a_q(k) b(k), q = 0..3 */
CTI_INLINE void CTI_TN(cti_k, tile1)(int K, const CTI_T *const a[4], size_t sa, const CTI_T *b, size_t sb, CTI_TVEC c[4])
{
    const CTI_T *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    CTI_TVEC c0 = CTI_TV(set)(0), c1 = c0, c2 = c0, c3 = c0;
    int k;
    for (k = 0; k < K; k++) {
        CTI_TVEC v = CTI_TV(load)(b);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(CTI_TV(set)(*a0), v));
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(CTI_TV(set)(*a1), v));
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(CTI_TV(set)(*a2), v));
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(CTI_TV(set)(*a3), v));
        a0 += sa, a1 += sa, a2 += sa, a3 += sa, b += sb;
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* cti_k_tile2 -- the same for two strips: c[q] from b, c[4 + q] from e */
CTI_INLINE void CTI_TN(cti_k, tile2)(int K, const CTI_T *const a[4], size_t sa, const CTI_T *b, const CTI_T *e, size_t sb, CTI_TVEC c[8])
{
#if CTI_T_IS_FLOAT
    const CTI_T *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    CTI_TVEC c0 = CTI_TV(set)(0), c1 = c0, c2 = c0, c3 = c0, d0 = c0, d1 = c0, d2 = c0, d3 = c0;
    int k;
    for (k = 0; k < K; k++) {
        CTI_TVEC v = CTI_TV(load)(b), w = CTI_TV(load)(e), s;
        s = CTI_TV(set)(*a0);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(s, v)), d0 = CTI_TV(add)(d0, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(*a1);
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(s, v)), d1 = CTI_TV(add)(d1, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(*a2);
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(s, v)), d2 = CTI_TV(add)(d2, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(*a3);
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(s, v)), d3 = CTI_TV(add)(d3, CTI_TV(mul)(s, w));
        a0 += sa, a1 += sa, a2 += sa, a3 += sa, b += sb, e += sb;
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3, c[4] = d0, c[5] = d1, c[6] = d2, c[7] = d3;
#else
    CTI_TN(cti_k, tile1)(K, a, sa, b, sb, c);
    CTI_TN(cti_k, tile1)(K, a, sa, e, sb, c + 4);
#endif
}

/* cti_k_trsm4 -- four rows of a triangular solve with many right sides: x_q = (in_q - c_q - sum_{p<q} l_qp x_p) r_q, l_qp = l[q sq + p sp], in
   place in c */
CTI_INLINE void CTI_TN(cti_k, trsm4)(const CTI_T *l, size_t sq, size_t sp, const CTI_T *r, const CTI_TVEC in[4], CTI_TVEC c[4])
{
    CTI_TVEC x0, x1, x2, x3;
    x0 = CTI_TV(mul)(CTI_TV(sub)(in[0], c[0]), CTI_TV(set)(r[0]));
    x1 = CTI_TV(sub)(CTI_TV(sub)(in[1], c[1]), CTI_TV(mul)(CTI_TV(set)(l[sq]), x0));
    x1 = CTI_TV(mul)(x1, CTI_TV(set)(r[1]));
    x2 = CTI_TV(sub)(CTI_TV(sub)(in[2], c[2]), CTI_TV(mul)(CTI_TV(set)(l[2 * sq]), x0));
    x2 = CTI_TV(mul)(CTI_TV(sub)(x2, CTI_TV(mul)(CTI_TV(set)(l[2 * sq + sp]), x1)), CTI_TV(set)(r[2]));
    x3 = CTI_TV(sub)(CTI_TV(sub)(in[3], c[3]), CTI_TV(mul)(CTI_TV(set)(l[3 * sq]), x0));
    x3 = CTI_TV(sub)(x3, CTI_TV(mul)(CTI_TV(set)(l[3 * sq + sp]), x1));
    x3 = CTI_TV(mul)(CTI_TV(sub)(x3, CTI_TV(mul)(CTI_TV(set)(l[3 * sq + 2 * sp]), x2)), CTI_TV(set)(r[3]));
    c[0] = x0, c[1] = x1, c[2] = x2, c[3] = x3;
}

/* cti_k_chol4 -- factor of the leading m x m of a 4x4 block: l l' = d, l lower triangular, r its inverse diagonal; rows and columns from m on
   become those of 1. orig[q] is the diagonal before any elimination: a pivot that is not above eps orig is replaced by |orig| (or 1).
   d and l [16] with stride 4, may be the same. Returns the number of replaced pivots. */
CTI_INLINE int CTI_TN(cti_k, chol4)(int m, const CTI_T *d, const CTI_T *orig, CTI_T eps, CTI_T *l, CTI_T *r)
{
    int q, p, i, boosted = 0;
    for (q = 0; q < 4; q++) {
        for (p = 0; p <= q; p++) {
            CTI_T s = q < m ? d[4 * q + p] : (CTI_T)(q == p);
            if (q < m)
                for (i = 0; i < p; i++)
                    s -= l[4 * q + i] * l[4 * p + i];
            if (p < q) {
                l[4 * q + p] = s * r[p];
                continue;
            }
            if (q < m && !(s > eps * orig[q] && s < (CTI_T)3e38)) {
                s = orig[q] < 0 ? -orig[q] : orig[q];
                s = s > (CTI_T)1e-30 && s < (CTI_T)1e30 ? s : 1;
                boosted++;
            }
            s = CTI_T_IS_FLOAT ? (CTI_T)sqrtf((float)s) : (CTI_T)sqrt((double)s);
            l[5 * q] = s;
            r[q] = 1 / s;
        }
        for (p = q + 1; p < 4; p++)
            l[4 * q + p] = 0;
    }
    return boosted;
}
