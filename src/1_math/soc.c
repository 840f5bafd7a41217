/* soc.c -- second-order cones. Based on: Nesterov and Todd 1997; Vandenberghe 2010, sec. 4 (the scaling). */
#include "soc.h"

CTI_FN double cti_soc_dot(int n, const double *x, const double *y)
{
    double sum = x[0] * y[0];
    int k;
    for (k = 1; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

CTI_FN double cti_soc_form(int n, const double *x, const double *y)
{
    double sum = x[0] * y[0];
    int k;
    for (k = 1; k < n; k++)
        sum -= x[k] * y[k];
    return sum;
}

CTI_FN double cti_soc_size(int n, const double *x) { return sqrt(cti_soc_dot(n - 1, x + 1, x + 1)); }

CTI_FN double cti_soc_det(int n, const double *x) { return (x[0] - cti_soc_size(n, x)) * (x[0] + cti_soc_size(n, x)); }

CTI_FN double cti_soc_reach(int n, const double *x, const double *d)
{
    double a = cti_soc_form(n, d, d), b = cti_soc_form(n, x, d), c = cti_fmax(0, cti_soc_det(n, x));
    /* x is in the cone, so that both roots are real: a negative number under the root is rounding of a double one */
    double root = sqrt(cti_fmax(0, b * b - a * c));
    return b > 0 ? (a < 0 ? (b + root) / -a : INFINITY) : (root > b ? c / (root - b) : INFINITY);
}

CTI_FN void cti_soc_product(int n, const double *a, const double *b, double *out)
{
    double first = cti_soc_dot(n, a, b);
    int k;
    for (k = 1; k < n; k++)
        out[k] = a[0] * b[k] + b[0] * a[k];
    out[0] = first;
}

CTI_FN void cti_soc_divide(int n, const double *l, const double *d, double *x)
{
    double first = cti_soc_form(n, l, d) / cti_soc_det(n, l);
    int k;
    for (k = 1; k < n; k++)
        x[k] = (d[k] - first * l[k]) / l[0];
    x[0] = first;
}

CTI_FN void cti_soc_scaling(int n, const double *y, const double *z, double *s)
{
    double dy = sqrt(cti_fmax(cti_soc_det(n, y), 1e-300)), dz = sqrt(cti_fmax(cti_soc_det(n, z), 1e-300)), sum = 1, half;
    int k;
    half = sqrt(0.5 * (1 + cti_soc_dot(n, y, z) / (dy * dz)));
    s[0] = sqrt(dz / dy);
    for (k = 1; k < n; k++)
        s[1 + k] = (z[k] / dz - y[k] / dy) / (2 * half), sum += s[1 + k] * s[1 + k];
    s[1] = sqrt(sum);
}

CTI_FN void cti_soc_scale(int n, const double *s, int inverse, const double *x, double *out)
{
    const double *w = s + 1;
    double side = inverse ? -1 : 1, size = inverse ? 1 / s[0] : s[0], dot = 0, along, first;
    int k;
    for (k = 1; k < n; k++)
        dot += side * w[k] * x[k];
    along = x[0] + dot / (1 + w[0]), first = w[0] * x[0] + dot;
    for (k = 1; k < n; k++)
        out[k] = size * (x[k] + along * (side * w[k]));
    out[0] = size * first;
}
