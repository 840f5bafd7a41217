/* eig3_one.c -- the SVD and the polar decomposition of one 3x3 matrix, and the positive semidefinite projection up to 12x12. Method: one
   matrix takes all eight lanes of eig3.c; the projection is cyclic Jacobi. Based on: as eig3.c. */
#include "eig3.h"

CTI_FN void cti_svd3(const ct_real *f, ct_real *u, ct_real *s, ct_real *v)
{
    cti_r8 f8[9], u8[9], s8[3], v8[9];
    cti_eig3_spread(f, f8, 9);
    cti_svd3_8(f8, u8, s8, v8);
    cti_eig3_first(u8, u, 9);
    cti_eig3_first(s8, s, 3);
    cti_eig3_first(v8, v, 9);
}
CTI_FN void cti_polar3(const ct_real *f, ct_real *r)
{
    cti_r8 u8[9], v8[9], r8[9];
    ct_real u[9], s[3], v[9];
    cti_svd3(f, u, s, v);
    cti_eig3_spread(u, u8, 9);
    cti_eig3_spread(v, v8, 9);
    cti_matmul_t8(u8, v8, r8);
    cti_eig3_first(r8, r, 9);
}

/* one Jacobi rotation of a [n n] and its vectors v [n n] in the plane (p, q) */
static void cti_psd_rotate(ct_real *a, ct_real *v, int n, int p, int q)
{
    ct_real g = a[p * n + q], d, t, c, s;
    int i;
    d = CTI_R(0.5) * (a[q * n + q] - a[p * n + p]);
    t = cti_abs(d) + cti_sqrt(d * d + g * g);
    t = t > 0 ? cti_clamp(g / t, -1, 1) : CTI_R(1);
    t = d < 0 ? -t : t;
    c = 1 / cti_sqrt(1 + t * t), s = t * c;
    for (i = 0; i < n; i++) {
        ct_real x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = c * x - s * y, a[i * n + q] = s * x + c * y;
        x = v[i * n + p], y = v[i * n + q];
        v[i * n + p] = c * x - s * y, v[i * n + q] = s * x + c * y;
    }
    for (i = 0; i < n; i++) {
        ct_real x = a[p * n + i], y = a[q * n + i];
        a[p * n + i] = c * x - s * y, a[q * n + i] = s * x + c * y;
    }
}

CTI_FN void cti_psd_project(ct_real *a, int n, ct_real least)
{
    ct_real work[144], v[144], off, all, sum;
    int sweep, i, j, k;
    CTI_ASSERT(n <= 12);
    for (i = 0; i < n * n; i++)
        work[i] = a[i], v[i] = i % (n + 1) == 0 ? CTI_R(1) : CTI_R(0);
    for (sweep = 0; sweep < 30; sweep++) {
        for (off = all = 0, i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                all += work[i * n + j] * work[i * n + j];
                off += i == j ? 0 : work[i * n + j] * work[i * n + j];
            }
        if (!(off > CTI_EPS * CTI_EPS * all))
            break;
        for (i = 0; i < n; i++)
            for (j = i + 1; j < n; j++)
                if (cti_abs(work[i * n + j]) > 0)
                    cti_psd_rotate(work, v, n, i, j);
    }
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++) {
            for (sum = 0, k = 0; k < n; k++)
                sum += v[i * n + k] * cti_max(work[k * n + k], least) * v[j * n + k];
            a[i * n + j] = a[j * n + i] = sum;
        }
}
