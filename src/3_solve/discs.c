/* discs.c -- friction on a disc or an interval as a second-order cone of the interior point method.
   Method: steps are made in Nesterov's and Todd's scaling, in which both vectors are the same, so that what H is made of is symmetric and positive
   semidefinite. Its formulas are those of one cone; z_0 is in no equation but that of the cone, and is eliminated.
   Based on: Nesterov and Todd 1997; Vandenberghe 2010, sec. 4 and 5 (second-order cones). */
#include "discs.h"

CTI_FN double cti_disc_reach(const cti_disc *q, double most)
{
    return cti_fmin(most, cti_fmin(cti_soc_reach(4, q->x, q->dx), cti_soc_reach(4, q->z, q->dz)));
}

CTI_FN void cti_disc_bend(cti_disc *q)
{
    double l[4], a[4], b[4], y[4];
    cti_soc_scale(4, q->scaling, 0, q->z, l), cti_soc_scale(4, q->scaling, 1, q->dx, a), cti_soc_scale(4, q->scaling, 0, q->dz, b);
    cti_soc_product(4, a, b, y), cti_soc_divide(4, l, y, y);
    cti_soc_scale(4, q->scaling, 1, y, q->bent);
}

CTI_FN void cti_disc_widen(cti_disc *q, double least)
{
    double half = least / (2 * q->x[0]), size = cti_soc_size(4, q->x), most;
    int k;
    q->z[0] = cti_fmax(q->z[0], half + sqrt(half * half + cti_d3_dot(q->z + 1, q->z + 1)));
    most = cti_fmax(q->x[0] - least / (2 * q->z[0]), q->x[0] / 2);
    for (k = 1; k < 4 && size > most; k++)
        q->x[k] *= most / size;
}

CTI_FN void cti_disc_linearize(cti_disc *q, double eta, double *e, double *edge, double *H)
{
    const double *w = q->scaling + 1;
    double k = 1 / (q->scaling[0] * q->scaling[0]), less = 2 * k / (k + q->c + 2 * k * cti_d3_dot(w + 1, w + 1)), f[3], det = cti_soc_det(4, q->x);
    int i, j;
    for (i = 0; i < 4; i++)
        q->aim[i] = (i ? -eta : eta) * q->x[i] / det - q->z[i] - q->bent[i];
    for (i = 0; i < 3; i++) {
        f[i] = q->miss[i] - q->aim[i + 1], edge[i] = less * w[0] * w[i + 1];
        for (j = 0; j < 3; j++)
            H[3 * i + j] = (q->mask >> i & q->mask >> j & 1) * ((i == j) - less * (w[i + 1] * w[j + 1])) / (k + q->c);
    }
    cti_d3_mul(H, f, e);
}

/* dz_0 = aim_0 - (W^-2 dx)_0 is made of what gamma and y lack, since where a contact slides (W^-2 dx)_0 is the difference of far larger numbers */
CTI_FN void cti_disc_step(cti_disc *q, double dg, const double *dgamma, const double *du)
{
    const double *w = q->scaling + 1;
    double k = 1 / (q->scaling[0] * q->scaling[0]), along = w[0] * dg * (k + q->c);
    int i;
    for (i = 0; i < 3; i++) {
        int in = q->mask >> i & 1;
        q->dx[i + 1] = in ? dgamma[i] : 0, q->dz[i + 1] = in ? du[i] + q->c * dgamma[i] + q->miss[i] : 0;
        along -= in ? w[i + 1] * (q->aim[i + 1] - q->miss[i] - du[i]) : 0;
    }
    along /= k * (1 + 2 * cti_d3_dot(w + 1, w + 1)) + q->c;
    q->dx[0] = dg, q->dz[0] = q->aim[0] - k * (2 * w[0] * along - dg);
}
