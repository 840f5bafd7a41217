/* d3.h -- vectors [3] and matrices [9], row-major, in double in every build. */
#pragma once

#include "real.h"
#include <string.h>

CTI_INLINE double cti_d3_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

CTI_INLINE void cti_d3_cross(const double *a, const double *b, double *out)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0], out[0] = x, out[1] = y;
}

/* y += s x */
CTI_INLINE void cti_d3_add(double *y, const double *x, double s)
{
    y[0] += s * x[0], y[1] += s * x[1], y[2] += s * x[2];
}

CTI_INLINE void cti_d3_mul(const double *A, const double *x, double *out)
{
    double a = cti_d3_dot(A, x), b = cti_d3_dot(A + 3, x);
    out[2] = cti_d3_dot(A + 6, x), out[0] = a, out[1] = b;
}

/* A' x */
CTI_INLINE void cti_d3_mul_t(const double *A, const double *x, double *out)
{
    double y[3];
    int k;
    for (k = 0; k < 3; k++)
        y[k] = A[k] * x[0] + A[3 + k] * x[1] + A[6 + k] * x[2];
    memcpy(out, y, sizeof y);
}

/* out = A B, or A B' */
CTI_CALL void cti_d3_product(const double *A, const double *B, int transposed, double *out)
{
    double C[9];
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            C[3 * i + j] = transposed ? cti_d3_dot(A + 3 * i, B + 3 * j) : A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    memcpy(out, C, sizeof C);
}

/* inverse of a symmetric matrix; 0: it is not positive definite, or by less than `least` of what its diagonal alone would give */
CTI_CALL int cti_d3_inverse_within(const double *A, double least, double *out)
{
    double a = A[4] * A[8] - A[5] * A[5], b = A[2] * A[5] - A[1] * A[8], c = A[1] * A[5] - A[2] * A[4];
    double det = A[0] * a + A[1] * b + A[2] * c;
    if (!(A[0] > 0) || !(A[0] * A[4] - A[1] * A[1] > least * A[0] * A[4]) || !(det > least * A[0] * A[4] * A[8]))
        return 0;
    out[0] = a / det, out[1] = out[3] = b / det, out[2] = out[6] = c / det;
    out[4] = (A[0] * A[8] - A[2] * A[2]) / det, out[5] = out[7] = (A[1] * A[2] - A[0] * A[5]) / det;
    out[8] = (A[0] * A[4] - A[1] * A[1]) / det;
    return 1;
}
CTI_INLINE int cti_d3_inverse(const double *A, double *out) { return cti_d3_inverse_within(A, 0, out); }

/* inverse of any matrix; not finite where it is singular */
CTI_CALL void cti_d3_invert(const double *A, double *out)
{
    double C[9], det;
    int i;
    for (i = 0; i < 3; i++) /* rows of cofactors */
        cti_d3_cross(A + 3 * ((i + 1) % 3), A + 3 * ((i + 2) % 3), C + 3 * i);
    det = cti_d3_dot(A, C);
    for (i = 0; i < 9; i++)
        out[i] = C[3 * (i % 3) + i / 3] / det;
}

/* cti_index -- the place of entry (i, j) of a matrix in rows of ld numbers. */
CTI_INLINE size_t cti_index(int i, int ld, int j) { return (size_t)i * (size_t)ld + (size_t)j; }

/* cti_vec_copy, cti_vec_zero, cti_vec_add -- to = from, x = 0, y += a x for vectors [n]; with n 0 they may be NULL. */
CTI_INLINE void cti_vec_copy(int n, const double *from, double *to)
{
    if (n > 0)
        memcpy(to, from, sizeof *to * (size_t)n);
}

CTI_INLINE void cti_vec_zero(int n, double *x)
{
    if (n > 0)
        memset(x, 0, sizeof *x * (size_t)n);
}

CTI_INLINE void cti_vec_add(int n, double a, const double *x, double *y)
{
    int i;
    for (i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* cti_dot -- the product of two vectors [n], summed in order. */
CTI_INLINE double cti_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
