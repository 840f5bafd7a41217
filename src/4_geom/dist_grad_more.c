/* dist_grad_more.c -- gradients and Hessians of the squared distances of points from points, edges and triangles. Method, based on: as
   dist_grad.c. */
#include "dist.h"

CTI_FN ct_real cti_dist_pp_grad(const ct_real x[6], ct_real *grad, ct_real *hess)
{
    ct_real c[2], e[2][4];
    c[0] = 1, c[1] = -1;
    memset(e, 0, sizeof e);
    return cti_dist_derive(x, 2, c, 0, e, grad, hess);
}

CTI_FN ct_real cti_dist_pe_grad(const ct_real x[9], ct_real *grad, ct_real *hess)
{
    ct_real c[3], e[2][4], t;
    int f;
    cti_dist_pe(x, x + 3, x + 6, &t, &f);
    memset(e, 0, sizeof e);
    c[0] = 1, c[1] = t - 1, c[2] = -t;
    e[0][1] = 1, e[0][2] = -1;
    return cti_dist_derive(x, 3, c, f == 2, e, grad, hess);
}

CTI_FN ct_real cti_dist_pt_grad(const ct_real x[12], ct_real *grad, ct_real *hess)
{
    ct_real c[4], e[2][4], w[3];
    int f, i, j;
    cti_dist_pt(x, x + 3, x + 6, x + 9, w, &f);
    memset(e, 0, sizeof e);
    c[0] = 1, c[1] = -w[0], c[2] = -w[1], c[3] = -w[2];
    if (f == 6) {
        /* y = (w1, w2), w0 = 1 - w1 - w2 */
        e[0][1] = 1, e[0][2] = -1;
        e[1][1] = 1, e[1][3] = -1;
    } else if (f >= 3) {
        i = f - 3, j = i == 2 ? 0 : i + 1;
        e[0][1 + i] = 1, e[0][1 + j] = -1;
    }
    return cti_dist_derive(x, 4, c, f == 6 ? 2 : f >= 3, e, grad, hess);
}
