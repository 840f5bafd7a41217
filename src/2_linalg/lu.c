/* lu.c -- LU of large general matrices in double.
   Method: right-looking in panels of 32 columns. A panel is factored with row exchanges and its rows of U are computed; then the rest of
   the matrix is updated by the tile of kernel.h from packed strips. Based on: Golub and Van Loan, Matrix Computations, 3.4 (partial
   pivoting, block form). */
#include "lu.h"

enum { CTI_LU_PANEL = 32 };

CTI_FN size_t cti_lu_scratch(int n) { return (size_t)CTI_LU_PANEL * (size_t)(cti_pad8(n) + 8); }

CTI_FN void cti_lu_subtract(double *y, double t, const double *x, int n)
{
    cti_d8 s = cti_d8_set(t);
    int j;
    for (j = 0; j + 8 <= n; j += 8)
        cti_d8_store(y + j, cti_d8_sub(cti_d8_load(y + j), cti_d8_mul(s, cti_d8_load(x + j))));
    for (; j < n; j++)
        y[j] -= t * x[j];
}

CTI_FN void cti_lu_swap(double *a, double *b, int n)
{
    int j;
    for (j = 0; j < n; j++) {
        double t = a[j];
        a[j] = b[j], b[j] = t;
    }
}

/* columns k0 .. k1 - 1 from row k0 down, whole rows exchanged. 0 when a pivot is 0 or not finite */
static int cti_lu_panel(double *A, int n, int ld, int k0, int k1, int *pivot)
{
    int i, k, p;
    for (k = k0; k < k1; k++) {
        double best = 0, *top = A + (size_t)k * (size_t)ld, inverse;
        for (p = k, i = k; i < n; i++) {
            double t = fabs(A[(size_t)i * (size_t)ld + (size_t)k]);
            if (t > best || t != t)
                best = t, p = i;
        }
        pivot[k] = p;
        if (!(best > 0) || !cti_finite64(best))
            return 0;
        if (p != k)
            cti_lu_swap(top, A + (size_t)p * (size_t)ld, n);
        inverse = 1 / top[k];
        for (i = k + 1; i < n; i++) {
            double *row = A + (size_t)i * (size_t)ld;
            row[k] *= inverse;
            if (row[k] != 0)
                cti_lu_subtract(row + k + 1, row[k], top + k + 1, k1 - k - 1);
        }
    }
    return 1;
}

/* computes the panel's rows of U, right of it, and packs them into strips of eight columns */
static void cti_lu_rows(double *A, int n, int ld, int k0, int k1, double *strips)
{
    int i, k, j, c, K = k1 - k0;
    for (i = k0 + 1; i < k1; i++)
        for (k = k0; k < i; k++)
            cti_lu_subtract(A + (size_t)i * (size_t)ld + k1, A[(size_t)i * (size_t)ld + (size_t)k], A + (size_t)k * (size_t)ld + k1, n - k1);
    for (j = k1; j < n; j += 8, strips += 8 * (size_t)K)
        for (k = 0; k < K; k++)
            for (c = 0; c < 8; c++)
                strips[8 * k + c] = j + c < n ? A[(size_t)(k0 + k) * (size_t)ld + (size_t)(j + c)] : 0;
}

/* A -= L U for the rest of the matrix */
static void cti_lu_update(double *A, int n, int ld, int k0, int k1, const double *strips)
{
    int i, j, q, K = k1 - k0;
    for (i = k1; i < n; i += 4) {
        const double *a[4], *b = strips;
        int rows = cti_min_int(4, n - i);
        for (q = 0; q < 4; q++)
            a[q] = A + (size_t)(i + cti_min_int(q, rows - 1)) * (size_t)ld + k0;
        for (j = k1; j < n; j += 8, b += 8 * (size_t)K) {
            cti_d8 c[4];
            cti_k64_tile1(K, a, 1, b, 8, c);
            for (q = 0; q < rows; q++)
                cti_k64_sub1(A + (size_t)(i + q) * (size_t)ld + j, c[q]);
        }
    }
}

/* panels begin at multiples of eight columns, so that strips never pass the end of a row */
CTI_FN int cti_lu_factor(double *A, int n, int ld, int *pivot, double *scratch)
{
    int k0, k1;
    for (k0 = 0; k0 < n; k0 = k1) {
        k1 = cti_min_int(k0 + CTI_LU_PANEL, n);
        if (!cti_lu_panel(A, n, ld, k0, k1, pivot))
            return 0;
        if (k1 < n) {
            cti_lu_rows(A, n, ld, k0, k1, scratch);
            cti_lu_update(A, n, ld, k0, k1, scratch);
        }
    }
    return 1;
}

CTI_FN double cti_lu_dot(const double *a, const double *b, int n)
{
    cti_d8 s = cti_d8_set(0);
    double lane[8], sum;
    int j;
    for (j = 0; j + 8 <= n; j += 8)
        s = cti_d8_add(s, cti_d8_mul(cti_d8_load(a + j), cti_d8_load(b + j)));
    cti_d8_store(lane, s);
    sum = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    for (; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

CTI_FN void cti_lu_solve(const double *A, int n, int ld, const int *pivot, double *x)
{
    int i;
    for (i = 0; i < n; i++) {
        double t = x[pivot[i]];
        x[pivot[i]] = x[i];
        x[i] = t;
    }
    for (i = 1; i < n; i++)
        x[i] -= cti_lu_dot(A + (size_t)i * (size_t)ld, x, i);
    for (i = n - 1; i >= 0; i--) {
        const double *row = A + (size_t)i * (size_t)ld;
        x[i] = (x[i] - cti_lu_dot(row + i + 1, x + i + 1, n - i - 1)) / row[i];
    }
}
