/* dense.inl -- dense SPD routines for one number type; included by dense.c. */

/* rows i0 .. i0+3 from strip j on: A(i, j) - sum_{k<i0} U(k, i) U(k, j), then the solve with the 4x4 diagonal block l, r */
static void CTI_TN(cti_dense, factor_row)(CTI_T *A, int n, size_t ld, int i0, int j, const CTI_T *l, const CTI_T *r)
{
    const CTI_T *a[4];
    CTI_TVEC c[8];
    int q, m = cti_min_int(4, n - i0);
    CTI_T *to = A + (size_t)i0 * ld + j;
    for (q = 0; q < 4; q++)
        a[q] = A + i0 + cti_min_int(q, m - 1);
    if (m < 4) {
        /* the last rows, where the size is not a multiple of four: one strip at a time, through a copy */
        CTI_T t[32];
        for (; j < n; j += 8, to += 8) {
            for (q = 0; q < 4; q++)
                CTI_TV(store)(t + 8 * q, CTI_TV(load)(to + (size_t)cti_min_int(q, m - 1) * ld));
            CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
            CTI_TN(cti_k, trsm4)(l, 4, 1, r, t, 8, c);
            CTI_TN(cti_k, store4)(t, 8, c);
            for (q = 0; q < m; q++)
                CTI_TV(store)(to + (size_t)q * ld, CTI_TV(load)(t + 8 * q));
        }
        return;
    }
    for (; j + 8 < n; j += 16, to += 16) {
        CTI_TN(cti_k, tile2)(i0, a, ld, A + j, A + j + 8, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to, ld, c);
        CTI_TN(cti_k, store4)(to, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to + 8, ld, c + 4);
        CTI_TN(cti_k, store4)(to + 8, ld, c + 4);
    }
    if (j < n) {
        CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to, ld, c);
        CTI_TN(cti_k, store4)(to, ld, c);
    }
}

CTI_FN int CTI_TN(cti_dense, factor)(CTI_T *A, int n, int ldi)
{
    size_t ld = (size_t)ldi;
    int i0, q, p, j, m, boosted = 0;
    for (i0 = 0; i0 < n; i0 += 4) {
        CTI_T d[16], r[4], orig[4], t[32];
        const CTI_T *a[4];
        CTI_TVEC c[4];
        m = cti_min_int(4, n - i0);
        /* 4x4 diagonal block: d = A(i, i) - sum_k U(k, i)' U(k, i), then its factor */
        for (q = 0; q < 4; q++)
            a[q] = A + i0 + cti_min_int(q, m - 1);
        j = i0 & ~7;
        CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
        CTI_TN(cti_k, store4)(t, 8, c);
        for (q = 0; q < 4; q++)
            for (p = 0; p <= q; p++)
                d[4 * q + p] = q < m ? A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] - t[8 * p + (i0 - j) + q] : (CTI_T)(p == q);
        for (q = 0; q < 4; q++)
            orig[q] = q < m ? A[(size_t)(i0 + q) * (ld + 1)] : 1;
        boosted += CTI_TN(cti_k, chol4)(d, orig, CTI_DENSE_EPS, d, r);
        /* the rows right of it; the diagonal is stored inverted */
        CTI_TN(cti_dense, factor_row)(A, n, ld, i0, j, d, r);
        for (q = 0; q < m; q++) {
            for (p = 0; p < q; p++)
                A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] = d[4 * q + p];
            A[(size_t)(i0 + q) * (ld + 1)] = r[q];
        }
    }
    return boosted;
}

CTI_FN void CTI_TN(cti_dense, solve)(const CTI_T *A, int n, int ldi, CTI_T *x)
{
    size_t ld = (size_t)ldi;
    int i, j;
    /* U' y = x by rows */
    for (i = 0; i < n; i++) {
        const CTI_T *u = A + (size_t)i * ld;
        CTI_T s = x[i] * u[i];
        x[i] = s;
        for (j = i + 1; j < n; j++)
            x[j] -= s * u[j];
    }
    /* U x = y by rows, from the last one; whole lanes begin at the first multiple of eight */
    for (i = n - 1; i >= 0; i--) {
        const CTI_T *u = A + (size_t)i * ld;
        CTI_T s = 0;
        CTI_TVEC v = CTI_TV(set)(0);
        for (j = i + 1; j < n && (j & 7); j++)
            s += u[j] * x[j];
        for (; j + 8 <= n; j += 8)
            v = CTI_TV(add)(v, CTI_TV(mul)(CTI_TV(load)(u + j), CTI_TV(load)(x + j)));
        for (; j < n; j++)
            s += u[j] * x[j];
        x[i] = (x[i] - (s + CTI_TV(sum)(v))) * u[i];
    }
}

/* t = inverse of the m x m lower triangle U(j.., j..)', row-major, 16 wide; zero above the diagonal and below row m */
static void CTI_TN(cti_dense, inverse16)(const CTI_T *A, size_t ld, int j, int m, CTI_T *t)
{
    int i, k, p;
    memset(t, 0, 256 * sizeof *t);
    for (i = 0; i < m; i++) {
        const CTI_T *u = A + (size_t)j * ld + (size_t)(j + i);
        CTI_T r = u[(size_t)i * ld];
        for (p = 0; p < i; p++) {
            CTI_T s = 0;
            for (k = p; k < i; k++)
                s += u[(size_t)k * ld] * t[16 * k + p];
            t[16 * i + p] = -s * r;
        }
        t[17 * i] = r;
    }
}

/* columns j .. j+15 of W = U'^-1 into the lower triangle; the diagonal holds 1 / u_ii */
static void CTI_TN(cti_dense, inverse_columns)(CTI_T *A, int n, size_t ld, int j)
{
    CTI_T t[256], l[16], r[4], x[64];
    int i0, q, p, m = cti_min_int(16, n - j);
    CTI_TN(cti_dense, inverse16)(A, ld, j, m, t);
    for (q = 0; q < m; q++)
        for (p = 0; p <= q; p++)
            A[(size_t)(j + q) * ld + (size_t)(j + p)] = t[16 * q + p];
    for (i0 = j + 16; i0 < n; i0 += 4) {
        const CTI_T *a[4], *b[4], *w = A + (size_t)(j + 16) * ld + j;
        CTI_T *to = A + (size_t)i0 * ld + j;
        CTI_TVEC c[8], e[8];
        m = cti_min_int(4, n - i0);
        for (q = 0; q < 4; q++) {
            a[q] = A + (size_t)j * ld + (size_t)(i0 + cti_min_int(q, m - 1));
            b[q] = a[q] + 16 * ld;
            r[q] = q < m ? A[(size_t)(i0 + q) * (ld + 1)] : 1;
            for (p = 0; p < q; p++)
                l[4 * q + p] = q < m ? A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] : 0;
        }
        /* sum_k U(k, i) W(k, j): the triangle from t, the rest from A */
        CTI_TN(cti_k, tile2)(16, a, ld, t, t + 8, 16, c);
        CTI_TN(cti_k, tile2)(i0 - j - 16, b, ld, w, w + 8, ld, e);
        CTI_TN(cti_k, sum4)(c, e);
        CTI_TN(cti_k, sum4)(c + 4, e + 4);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, NULL, 0, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, NULL, 0, c + 4);
        if (m == 4) {
            CTI_TN(cti_k, store4)(to, ld, c);
            CTI_TN(cti_k, store4)(to + 8, ld, c + 4);
            continue;
        }
        CTI_TN(cti_k, store4)(x, 16, c);
        CTI_TN(cti_k, store4)(x + 8, 16, c + 4);
        for (q = 0; q < m; q++)
            memcpy(to + (size_t)q * ld, x + 16 * q, 16 * sizeof *x);
    }
}

/* rows i0 .. i0+3 of W' W into the lower triangle */
static void CTI_TN(cti_dense, product_row)(CTI_T *A, int n, size_t ld, int i0)
{
    CTI_T w[16], t[64];
    const CTI_T *a[4], *b[4];
    CTI_TVEC c[8], e[8];
    int q, k, j, m = cti_min_int(4, n - i0);
    /* the 4x4 triangle of W on the diagonal, w[4 k + q] = W(i0 + k, i0 + q) */
    for (k = 0; k < 4; k++)
        for (q = 0; q < 4; q++)
            w[4 * k + q] = k < m && q <= k ? A[(size_t)(i0 + k) * ld + (size_t)(i0 + q)] : 0;
    for (q = 0; q < 4; q++) {
        a[q] = A + (size_t)(i0 + m) * ld + (size_t)(i0 + cti_min_int(q, m - 1));
        b[q] = w + q;
    }
    for (j = 0; j < i0 + m; j += 16) {
        int two = j + 8 < i0 + m;
        CTI_T *x = A + (size_t)i0 * ld + j, *y = x + (two ? 8 : 0);
        CTI_TN(cti_k, tile2)(m, b, 4, x, y, ld, c);
        CTI_TN(cti_k, tile2)(n - i0 - m, a, ld, x + (size_t)m * ld, y + (size_t)m * ld, ld, e);
        CTI_TN(cti_k, sum4)(c, e);
        CTI_TN(cti_k, sum4)(c + 4, e + 4);
        if (m == 4 && j + 15 <= i0) {
            CTI_TN(cti_k, store4)(x, ld, c);
            CTI_TN(cti_k, store4)(y, ld, c + 4);
            continue;
        }
        /* strips that may cross the diagonal: only their lower part is written */
        CTI_TN(cti_k, store4)(t, 16, c);
        CTI_TN(cti_k, store4)(t + 8, 16, c + 4);
        for (q = 0; q < m; q++)
            memcpy(x + (size_t)q * ld, t + 16 * q, (size_t)cti_min_int(16, i0 + q + 1 - j) * sizeof *t);
    }
}

CTI_FN int CTI_TN(cti_dense, invert_spd)(CTI_T *A, int n, int ldi)
{
    size_t ld = (size_t)ldi;
    int i, j, i0, j0, boosted = CTI_TN(cti_dense, factor)(A, n, ldi);
    for (j = 0; j < n; j += 16)
        CTI_TN(cti_dense, inverse_columns)(A, n, ld, j);
    for (i = 0; i < n; i += 4)
        CTI_TN(cti_dense, product_row)(A, n, ld, i);
    /* the upper triangle is the lower one's mirror image, in tiles of 8x8 */
    for (i0 = 0; i0 < n; i0 += 8)
        for (j0 = 0; j0 <= i0; j0 += 8)
            for (i = i0; i < i0 + 8 && i < n; i++)
                for (j = j0; j < j0 + 8 && j < i; j++)
                    A[(size_t)j * ld + (size_t)i] = A[(size_t)i * ld + (size_t)j];
    return boosted;
}
