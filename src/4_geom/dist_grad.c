/* dist_grad.c -- gradients and Hessians of squared distances.
   Method: with r(x, y) = sum_i c_i(y) x_i, c affine in the free parameters y of the closest feature (none, t, or two), D(x) = min_y |r|^2.
   The minimum makes dD/dx_i = 2 c_i r. For the Hessian y is eliminated,
       H = E_xx - E_xy E_yy^-1 E_yx,   E = |r|^2,  R_k = dr/dy_k = sum_i e_ki x_i,
       E_xx(i,j) = 2 c_i c_j I,  E_xy(i,k) = 2 (c_i R_k + e_ki r),  E_yy(k,l) = 2 R_k.R_l.
   Where the closest feature changes, D is once differentiable and the Hessian is that of the feature returned by dist.c.
   based on: implicit differentiation; no source code. */
#include "dist.h"

/* cti_dist_schur -- subtracts E_xy E_yy^-1 E_yx; g [k][3 n] holds the columns of E_xy / 2, R the vectors R_k */
static void cti_dist_schur(int m, int k, ct_real g[2][12], const cti_v3 *R, ct_real *hess)
{
    ct_real a = cti_v3_norm2(R[0]), b, c, det;
    int i, j;
    if (!(a > 0))
        return;
    if (k == 1) {
        for (i = 0; i < m; i++)
            for (j = 0; j < m; j++)
                hess[m * i + j] -= 2 * g[0][i] * g[0][j] / a;
        return;
    }
    b = cti_v3_dot(R[0], R[1]), c = cti_v3_norm2(R[1]);
    det = cti_v3_norm2(cti_v3_cross(R[0], R[1]));
    if (!(det > 0))
        return;
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++)
            hess[m * i + j] -= 2 * (c * g[0][i] * g[0][j] - b * (g[0][i] * g[1][j] + g[1][i] * g[0][j]) + a * g[1][i] * g[1][j]) / det;
}

/* value, gradient and Hessian of r = sum c_i x_i over n points, whose c has k free parameters with derivatives e [k][4] */
static ct_real cti_dist_derive(const ct_real *x, int n, const ct_real *c, int k, ct_real e[2][4], ct_real *grad, ct_real *hess)
{
    cti_v3 r = cti_v3_zero(), R[2];
    ct_real g[2][12];
    int i, j, l, m = 3 * n;
    R[0] = R[1] = r;
    for (i = 0; i < n; i++) {
        r = cti_v3_mad(r, cti_v3_at(x, i), c[i]);
        for (l = 0; l < k; l++)
            R[l] = cti_v3_mad(R[l], cti_v3_at(x, i), e[l][i]);
    }
    for (i = 0; i < n; i++)
        cti_v3_put(grad, i, cti_v3_mul(r, 2 * c[i]));
    if (!hess)
        return cti_v3_norm2(r);
    /* E_xx */
    for (i = 0; i < m * m; i++)
        hess[i] = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            for (l = 0; l < 3; l++)
                hess[m * (3 * i + l) + 3 * j + l] = 2 * c[i] * c[j];
    /* columns of E_xy / 2 */
    for (l = 0; l < k; l++)
        for (i = 0; i < n; i++)
            cti_v3_put(g[l], i, cti_v3_add(cti_v3_mul(R[l], c[i]), cti_v3_mul(r, e[l][i])));
    if (k > 0)
        cti_dist_schur(m, k, g, R, hess);
    return cti_v3_norm2(r);
}

CTI_FN ct_real cti_dist_ee_grad(const ct_real x[12], ct_real *grad, ct_real *hess)
{
    ct_real c[4], e[2][4], st[2];
    int f, k = 0;
    cti_dist_ee(x, x + 3, x + 6, x + 9, st, &f);
    memset(e, 0, sizeof e);
    c[0] = 1 - st[0], c[1] = st[0], c[2] = st[1] - 1, c[3] = -st[1];
    if (!(f & (CTI_DIST_A0 | CTI_DIST_A1)))
        e[k][0] = -1, e[k][1] = 1, k++;
    if (!(f & (CTI_DIST_B0 | CTI_DIST_B1)))
        e[k][2] = 1, e[k][3] = -1, k++;
    return cti_dist_derive(x, 4, c, k, e, grad, hess);
}
