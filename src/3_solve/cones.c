/* cones.c -- one second-order cone of an interior point method.
   Method: steps are made in Nesterov's and Todd's scaling, in which both vectors are the same, so that what H is made of is symmetric and positive
   semidefinite. Its formulas are those of one cone; z_0 is in no equation but that of the cone, and is eliminated.
   Based on: Nesterov and Todd 1997; Vandenberghe 2010, sec. 4 and 5 (second-order cones). */
#include "cones.h"

static double cti_cone_form(const double *x, const double *y) { return x[0] * y[0] - cti_d3_dot(x + 1, y + 1); }
static double cti_cone_size(const double *x) { return sqrt(cti_d3_dot(x + 1, x + 1)); }
static double cti_cone_det(const double *x) { return (x[0] - cti_cone_size(x)) * (x[0] + cti_cone_size(x)); }

static double cti_cone_way(const double *x, const double *d, double most)
{
    double A = cti_cone_form(d, d), B = cti_cone_form(x, d), C = cti_cone_det(x), root = B * B - A * C, a = most;
    root = root > 0 ? sqrt(root) : 0;
    if (A < 0 || (A > 0 && B < 0 && root > 0)) /* the smallest positive root of A a^2 + 2 B a + C */
        a = B <= 0 ? C / (root - B) : (-B - root) / A;
    a = d[0] < 0 ? cti_fmin(a, -x[0] / d[0]) : a;
    return cti_fmin(a, most);
}

CTI_FN double cti_cone_reach(const cti_cone *q, double most) { return cti_cone_way(q->x, q->dx, cti_cone_way(q->z, q->dz, most)); }

/* out = W x, with sign -1 W^-1 x */
static void cti_cone_scaled(const cti_cone *q, const double *x, double sign, double *out)
{
    double size = sign < 0 ? 1 / q->scale : q->scale, first = x[0], along = sign * cti_d3_dot(q->w + 1, x + 1);
    int k;
    for (k = 1; k < 4; k++)
        out[k] = size * (x[k] + sign * q->w[k] * (first + along / (q->w[0] + 1)));
    out[0] = size * (q->w[0] * first + along);
}

CTI_FN void cti_cone_scale(cti_cone *q)
{
    double a = sqrt(cti_cone_det(q->x)), b = sqrt(cti_cone_det(q->z)), twice = sqrt(2 + 2 * cti_cone_dot(q->x, q->z) / (a * b));
    int k;
    q->scale = sqrt(a / b);
    for (k = 1; k < 4; k++)
        q->w[k] = (q->x[k] / a - q->z[k] / b) / twice;
    q->w[0] = sqrt(1 + cti_d3_dot(q->w + 1, q->w + 1));
}

CTI_FN void cti_cone_bend(cti_cone *q)
{
    double l[4], a[4], b[4], y[4], first;
    int k;
    cti_cone_scaled(q, q->z, 1, l), cti_cone_scaled(q, q->dx, -1, a), cti_cone_scaled(q, q->dz, 1, b);
    for (k = 1; k < 4; k++)
        y[k] = a[0] * b[k] + b[0] * a[k];
    y[0] = cti_cone_dot(a, b), first = cti_cone_form(l, y) / cti_cone_det(l);
    for (k = 1; k < 4; k++)
        y[k] = (y[k] - first * l[k]) / l[0];
    y[0] = first;
    cti_cone_scaled(q, y, -1, q->bent);
}

CTI_FN void cti_cone_widen(cti_cone *q, double least)
{
    double half = least / (2 * q->x[0]), size = cti_cone_size(q->x), most;
    int k;
    q->z[0] = cti_fmax(q->z[0], half + sqrt(half * half + cti_d3_dot(q->z + 1, q->z + 1)));
    most = cti_fmax(q->x[0] - least / (2 * q->z[0]), q->x[0] / 2);
    for (k = 1; k < 4 && size > most; k++)
        q->x[k] *= most / size;
}

CTI_FN void cti_cone_linearize(cti_cone *q, double eta, double *e, double *edge, double *H)
{
    double k = 1 / (q->scale * q->scale), less = 2 * k / (k + q->c + 2 * k * cti_d3_dot(q->w + 1, q->w + 1)), f[3], det = cti_cone_det(q->x);
    int i, j;
    for (i = 0; i < 4; i++)
        q->aim[i] = (i ? -eta : eta) * q->x[i] / det - q->z[i] - q->bent[i];
    for (i = 0; i < 3; i++) {
        f[i] = q->miss[i] - q->aim[i + 1], edge[i] = 2 * k * q->w[0] * q->w[i + 1];
        for (j = 0; j < 3; j++)
            H[3 * i + j] = (q->mask >> i & q->mask >> j & 1) * ((i == j) - less * q->w[i + 1] * q->w[j + 1]) / (k + q->c);
    }
    cti_d3_mul(H, f, e), cti_d3_mul(H, edge, edge);
}

/* dz_0 = aim_0 - (W^-2 dx)_0 is made of what gamma and y lack, since where a contact slides (W^-2 dx)_0 is the difference of far larger numbers */
CTI_FN void cti_cone_step(cti_cone *q, double dg, const double *dgamma, const double *du)
{
    double k = 1 / (q->scale * q->scale), along = q->w[0] * dg * (k + q->c);
    int i;
    for (i = 0; i < 3; i++) {
        int in = q->mask >> i & 1;
        q->dx[i + 1] = in ? dgamma[i] : 0, q->dz[i + 1] = in ? du[i] + q->c * dgamma[i] + q->miss[i] : 0;
        along -= in ? q->w[i + 1] * (q->aim[i + 1] - q->miss[i] - du[i]) : 0;
    }
    along /= k * (1 + 2 * cti_d3_dot(q->w + 1, q->w + 1)) + q->c;
    q->dx[0] = dg, q->dz[0] = q->aim[0] - k * (2 * q->w[0] * along - dg);
}
