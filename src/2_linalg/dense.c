/* dense.c -- dense Cholesky, inverse and LU.
   Method: A = U' U by rows of four with the tiles of kernel.h, left-looking, so that the original diagonal is at hand when a pivot is
   judged. The inverse is W' W with W = U'^-1 built column strip by column strip in the lower triangle; nothing but the matrix itself is
   used. based on: Golub and Van Loan, Matrix Computations, 3.4 (LU), 4.2 (Cholesky); LAPACK's potri for the order of the three stages. */
#include "dense.h"

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_DENSE_EPS 1.1920929e-7f
#include "dense.inl"
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_DENSE_EPS

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_DENSE_EPS 2.2204460492503131e-16
#include "dense.inl"
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_DENSE_EPS

CTI_FN int cti_dense64_lu(double *A, int n, int ld, int *pivot)
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

CTI_FN void cti_dense64_lu_solve(const double *A, int n, int ld, const int *pivot, double *x)
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
