/* dense_lu.h -- dense LU with partial pivoting, row by row: the reference that tests compare factors with. Based on: Golub and Van
   Loan, Matrix Computations, 3.4. */
#ifndef DENSE_LU_H
#define DENSE_LU_H

#include "../src/2_linalg/dense.h"

/* P A = L U in place, pivot [n]. 0 when A is singular or not finite */
CTI_INLINE int dense_lu(double *A, int n, int ld, int *pivot)
{
    int i, j, k, p;
    for (k = 0; k < n; k++) {
        double best = 0, t;
        /* pivot: the largest of the column */
        for (p = k, i = k; i < n; i++) {
            t = fabs(A[(size_t)i * (size_t)ld + (size_t)k]);
            if (t > best)
                best = t, p = i;
        }
        pivot[k] = p;
        if (!(best > 0) || !cti_finite64(best))
            return 0;
        if (p != k)
            for (j = 0; j < n; j++) {
                t = A[(size_t)k * (size_t)ld + (size_t)j];
                A[(size_t)k * (size_t)ld + (size_t)j] = A[(size_t)p * (size_t)ld + (size_t)j];
                A[(size_t)p * (size_t)ld + (size_t)j] = t;
            }
        for (i = k + 1; i < n; i++) {
            double *row = A + (size_t)i * (size_t)ld;
            const double *top = A + (size_t)k * (size_t)ld;
            t = row[k] /= top[k];
            for (j = k + 1; j < n; j++)
                row[j] -= t * top[j];
        }
    }
    return 1;
}

/* x = A^-1 x; x [n] */
CTI_INLINE void dense_lu_solve(const double *A, int n, int ld, const int *pivot, double *x)
{
    int i, j;
    for (i = 0; i < n; i++) {
        double t = x[pivot[i]];
        x[pivot[i]] = x[i];
        x[i] = t;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            x[i] -= A[(size_t)i * (size_t)ld + (size_t)j] * x[j];
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++)
            x[i] -= A[(size_t)i * (size_t)ld + (size_t)j] * x[j];
        x[i] /= A[(size_t)i * (size_t)ld + (size_t)i];
    }
}

#endif
