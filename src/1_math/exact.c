/* exact.c -- expansion arithmetic and orientation signs. Method: exact.h.
   based on: Shewchuk 1997: fast expansion sum with zero elimination (fig. 13), scale expansion (fig. 13 of the paper's section 2.5), error
   bounds of the first filter of orient2d and orient3d (section 4).
   // differs: one exact stage in place of the adaptive ones between filter and end; short parts make it cheap on grids. */
#include "exact.h"

/* unit roundoff 2^-53 and the bounds (3 + 16 u) u, (7 + 56 u) u; below CTI_EXACT_TINY products may have lost bits to underflow */
#define CTI_EXACT_U 1.1102230246251565e-16
#define CTI_EXACT_BOUND2 ((3.0 + 16.0 * CTI_EXACT_U) * CTI_EXACT_U)
#define CTI_EXACT_BOUND3 ((7.0 + 56.0 * CTI_EXACT_U) * CTI_EXACT_U)
#define CTI_EXACT_TINY 1e-280

CTI_FN int64_t cti_exact_beyond(const ct_real *x, int64_t n, double most)
{
    int64_t i;
    for (i = 0; i < n; i++)
        if (!(fabs((double)x[i]) <= most))
            return i;
    return -1;
}

CTI_FN int cti_expansion_sum(int ne, const double *e, int nf, const double *f, double *h)
{
    int i = 0, j = 0, n = 0;
    double q = 0, r, t;
    /* merges the parts by size and adds them one by one; the rounding errors of the additions are the parts of the sum. The first part has
       none, so that there are ne + nf of them at most, NaN included. */
    while (i < ne || j < nf) {
        if (j >= nf || (i < ne && (e[i] < 0 ? -e[i] : e[i]) < (f[j] < 0 ? -f[j] : f[j])))
            t = e[i++];
        else
            t = f[j++];
        if (i + j == 1) {
            q = t;
            continue;
        }
        q = cti_two_sum(q, t, &r);
        if (r != 0)
            h[n++] = r;
    }
    if (q != 0 || n == 0)
        h[n++] = q;
    return n;
}

CTI_FN int cti_expansion_scale(int ne, const double *e, double b, double *h)
{
    int i, n = 0;
    double q, r, p, s, t;
    q = cti_two_product(e[0], b, &r);
    if (r != 0)
        h[n++] = r;
    for (i = 1; i < ne; i++) {
        p = cti_two_product(e[i], b, &s);
        t = cti_two_sum(q, s, &r);
        if (r != 0)
            h[n++] = r;
        q = cti_two_sum(p, t, &r);
        if (r != 0)
            h[n++] = r;
    }
    if (q != 0 || n == 0)
        h[n++] = q;
    return n;
}

CTI_FN int cti_expansion_product(int ne, const double *e, int nf, const double *f, double *h, double *scratch)
{
    double part[64];
    int n = 0, j, k;
    CTI_ASSERT(ne <= 32);
    for (j = 0; j < nf; j++) {
        int m = cti_expansion_scale(ne, e, f[j], part);
        if (j == 0) {
            for (k = 0; k < m; k++)
                h[k] = part[k];
            n = m;
            continue;
        }
        for (k = 0; k < n; k++)
            scratch[k] = h[k];
        n = cti_expansion_sum(n, scratch, m, part, h);
    }
    return n;
}

CTI_FN int cti_expansion_sign(int ne, const double *e)
{
    double top = ne > 0 ? e[ne - 1] : 0;
    return top > 0 ? 1 : (top < 0 ? -1 : 0);
}

/* cti_exact_two -- an expansion of one or two parts. */
typedef struct cti_exact_two {
    double part[2];
    int n;
} cti_exact_two;

/* a - b as an expansion. */
static cti_exact_two cti_exact_difference(double a, double b)
{
    cti_exact_two d;
    double e, s = cti_two_sum(a, -b, &e);
    d.n = e == 0 ? 1 : 2;
    d.part[0] = e == 0 ? s : e, d.part[1] = s;
    return d;
}

/* p q - r s: h [16]; returns its number of parts. */
static int cti_exact_minor(const cti_exact_two *p, const cti_exact_two *q, const cti_exact_two *r, const cti_exact_two *s, double *h)
{
    double x[8], y[8], scratch[8];
    int nx = cti_expansion_product(p->n, p->part, q->n, q->part, x, scratch);
    int ny = cti_expansion_product(r->n, r->part, s->n, s->part, y, scratch), i;
    for (i = 0; i < ny; i++)
        y[i] = -y[i];
    return cti_expansion_sum(nx, x, ny, y, h);
}

static int cti_exact_orient2d_full(const double a[2], const double b[2], const double c[2])
{
    const cti_exact_two p = cti_exact_difference(b[0], a[0]), q = cti_exact_difference(c[1], a[1]);
    const cti_exact_two r = cti_exact_difference(b[1], a[1]), s = cti_exact_difference(c[0], a[0]);
    double h[16];
    return cti_expansion_sign(cti_exact_minor(&p, &q, &r, &s, h), h);
}

CTI_FN int cti_exact_orient2d(const double a[2], const double b[2], const double c[2])
{
    double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]), det = left - right;
    double bound = CTI_EXACT_BOUND2 * ((left < 0 ? -left : left) + (right < 0 ? -right : right)) + CTI_EXACT_TINY;
    if (det > bound)
        return 1;
    if (det < -bound)
        return -1;
    return cti_exact_orient2d_full(a, b, c);
}

CTI_FN int cti_exact_winding(const double t[9], const double p[2])
{
    int i, w = 0;
    for (i = 0; i < 3; i++) {
        const double *a = t + 3 * i + 1, *b = t + 3 * ((i + 1) % 3) + 1;
        if (a[1] <= p[1] && b[1] > p[1])
            w += cti_exact_orient2d(a, b, p) > 0;
        else if (a[1] > p[1] && b[1] <= p[1])
            w -= cti_exact_orient2d(a, b, p) < 0;
    }
    return w;
}

/* det [u; v; w] with u = a - d, v = b - d, w = c - d by the third column, exactly. */
static int cti_exact_orient3d_full(const double *a, const double *b, const double *c, const double *d)
{
    cti_exact_two u[3], v[3], w[3];
    double m[16], part[64], scratch[64], sum[192], total[192];
    int k, i, n = 1, np;
    for (k = 0; k < 3; k++)
        u[k] = cti_exact_difference(a[k], d[k]), v[k] = cti_exact_difference(b[k], d[k]), w[k] = cti_exact_difference(c[k], d[k]);
    total[0] = 0;
    for (k = 0; k < 3; k++) {
        const cti_exact_two *z = &u[2], *x = v, *y = w;
        if (k == 1)
            z = &v[2], x = w, y = u;
        else if (k == 2)
            z = &w[2], x = u, y = v;
        np = cti_exact_minor(&x[0], &y[1], &y[0], &x[1], m);
        np = cti_expansion_product(np, m, z->n, z->part, part, scratch);
        for (i = 0; i < n; i++)
            sum[i] = total[i];
        n = cti_expansion_sum(n, sum, np, part, total);
    }
    return -cti_expansion_sign(n, total);
}

CTI_FN int cti_exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double ux = a[0] - d[0], uy = a[1] - d[1], uz = a[2] - d[2];
    double vx = b[0] - d[0], vy = b[1] - d[1], vz = b[2] - d[2];
    double wx = c[0] - d[0], wy = c[1] - d[1], wz = c[2] - d[2];
    double vw = vx * wy, wv = wx * vy, wu = wx * uy, uw = ux * wy, uv = ux * vy, vu = vx * uy;
    double det = uz * (vw - wv) + vz * (wu - uw) + wz * (uv - vu);
    /* the error is bounded by the sum of the sizes of all products */
    double size = (fabs(vw) + fabs(wv)) * fabs(uz) + (fabs(wu) + fabs(uw)) * fabs(vz) + (fabs(uv) + fabs(vu)) * fabs(wz);
    double bound = CTI_EXACT_BOUND3 * size + CTI_EXACT_TINY;
    if (det > bound)
        return -1;
    if (det < -bound)
        return 1;
    return cti_exact_orient3d_full(a, b, c, d);
}
