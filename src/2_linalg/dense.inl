/* dense.inl -- dense SPD routines for one number type; included by dense.c. */

/* rows i0 .. i0+3 at strip j: A(i, j) - sum_{k<i0} U(k, i) U(k, j), then the 4x4 solve with l, r */
static void CTI_TN(cti_dense, factor_row)(CTI_T *A, int n, size_t ld, int i0, int j, const CTI_T *l, const CTI_T *r)
{
    const CTI_T *a[4];
    CTI_TVEC c[8], in[4];
    int q, s, m = cti_min_int(4, n - i0), two = j + 8 < n;
    for (q = 0; q < 4; q++)
        a[q] = A + i0 + cti_min_int(q, m - 1);
    if (two)
        CTI_TN(cti_k, tile2)(i0, a, ld, A + j, A + j + 8, ld, c);
    else
        CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
    for (s = 0; s <= two; s++) {
        for (q = 0; q < 4; q++)
            in[q] = CTI_TV(load)(A + (size_t)(i0 + cti_min_int(q, m - 1)) * ld + j + 8 * s);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, in, c + 4 * s);
        for (q = 0; q < m; q++)
            CTI_TV(store)(A + (size_t)(i0 + q) * ld + j + 8 * s, c[4 * s + q]);
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
        for (q = 0; q < 4; q++)
            CTI_TV(store)(t + 8 * q, c[q]);
        for (q = 0; q < m; q++)
            for (p = 0; p <= q; p++)
                d[4 * q + p] = A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] - t[8 * p + (i0 - j) + q];
        for (q = 0; q < m; q++)
            orig[q] = A[(size_t)(i0 + q) * (ld + 1)];
        boosted += CTI_TN(cti_k, chol4)(m, d, orig, CTI_DENSE_EPS, d, r);
        /* the rows right of it; the diagonal is stored inverted */
        for (; j < n; j += 16)
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
    /* U x = y by rows, from the last one; lanes from the first multiple of eight on */
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

/* t = inverse of the m x m lower triangle U(j.., j..)', row-major 16 wide, zero above the diagonal and below row m */
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
    CTI_T t[256], l[16], r[4];
    int i0, q, p, s, m = cti_min_int(16, n - j);
    CTI_TN(cti_dense, inverse16)(A, ld, j, m, t);
    for (q = 0; q < m; q++)
        for (p = 0; p <= q; p++)
            A[(size_t)(j + q) * ld + (size_t)(j + p)] = t[16 * q + p];
    for (i0 = j + 16; i0 < n; i0 += 4) {
        const CTI_T *a[4], *b[4];
        CTI_TVEC c[8], e[8], in[4];
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
        CTI_TN(cti_k, tile2)(i0 - j - 16, b, ld, A + (size_t)(j + 16) * ld + j, A + (size_t)(j + 16) * ld + j + 8, ld, e);
        in[0] = in[1] = in[2] = in[3] = CTI_TV(set)(0);
        for (s = 0; s < 2; s++) {
            for (q = 0; q < 4; q++)
                c[4 * s + q] = CTI_TV(add)(c[4 * s + q], e[4 * s + q]);
            CTI_TN(cti_k, trsm4)(l, 4, 1, r, in, c + 4 * s);
            for (q = 0; q < m; q++)
                CTI_TV(store)(A + (size_t)(i0 + q) * ld + j + 8 * s, c[4 * s + q]);
        }
    }
}

/* rows i0 .. i0+3 of W' W into the lower triangle */
static void CTI_TN(cti_dense, product_row)(CTI_T *A, int n, size_t ld, int i0)
{
    CTI_T w[16], t[64];
    const CTI_T *a[4], *b[4];
    CTI_TVEC c[8], e[8];
    int q, k, j, s, p, m = cti_min_int(4, n - i0);
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
        const CTI_T *x = A + (size_t)i0 * ld + j, *y = x + (two ? 8 : 0);
        CTI_TN(cti_k, tile2)(m, b, 4, x, y, ld, c);
        CTI_TN(cti_k, tile2)(n - i0 - m, a, ld, x + (size_t)m * ld, y + (size_t)m * ld, ld, e);
        for (s = 0; s <= two; s++)
            for (q = 0; q < m; q++) {
                CTI_TVEC v = CTI_TV(add)(c[4 * s + q], e[4 * s + q]);
                if (j + 8 * s + 7 <= i0)
                    CTI_TV(store)(A + (size_t)(i0 + q) * ld + j + 8 * s, v);
                else
                    CTI_TV(store)(t + 16 * q + 8 * s, v);
            }
        /* strips that cross the diagonal: only the lower part is written */
        for (s = 0; s <= two; s++)
            if (j + 8 * s + 7 > i0)
                for (q = 0; q < m; q++)
                    for (p = 8 * s; p < 8 * s + 8 && j + p <= i0 + q; p++)
                        A[(size_t)(i0 + q) * ld + (size_t)(j + p)] = t[16 * q + p];
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
