/* exact.c -- an intersection test that shares no code with the library. Method: orientation as a sum of products of coordinates; in long
   double where its bound decides the sign, else as an exact expansion (a sum of doubles that do not overlap), built from error-free sums
   and products [Dekker 1971; Shewchuk 1997, grow-expansion]. Coordinates between 1e-50 and 1e50 are assumed, so that no product under- or
   overflows. */
#include "soak.h"
#include <math.h>

typedef struct expansion {
    double part[256];
    int n;
} expansion;

static void two_sum(double a, double b, double *hi, double *lo)
{
    double s = a + b, bb = s - a;
    *lo = (a - (s - bb)) + (b - bb);
    *hi = s;
}

/* e <- e + b; the parts grow in magnitude */
static void grow(expansion *e, double b)
{
    int i, n = 0;
    for (i = 0; i < e->n; i++) {
        double lo;
        two_sum(b, e->part[i], &b, &lo);
        if (lo != 0)
            e->part[n++] = lo;
    }
    if (b != 0)
        e->part[n++] = b;
    e->n = n;
}

static void two_product(double a, double b, double *hi, double *lo)
{
    *hi = a * b;
    *lo = fma(a, b, -*hi);
}

/* e <- e + sign a b c */
static void grow_product(expansion *e, double sign, double a, double b, double c)
{
    double h, l, h2, l2;
    two_product(sign * a, b, &h, &l);
    two_product(h, c, &h2, &l2);
    grow(e, l2), grow(e, h2);
    two_product(l, c, &h2, &l2);
    grow(e, l2), grow(e, h2);
}

static int expansion_sign(const expansion *e) { return e->n == 0 ? 0 : (e->part[e->n - 1] > 0 ? 1 : -1); }

/* the sign of det [p; q; r], rows with a minus, exactly: added to e */
static void grow_det3(expansion *e, double sign, const double *p, const double *q, const double *r)
{
    grow_product(e, sign, p[0], q[1], r[2]), grow_product(e, -sign, p[0], q[2], r[1]);
    grow_product(e, sign, p[1], q[2], r[0]), grow_product(e, -sign, p[1], q[0], r[2]);
    grow_product(e, sign, p[2], q[0], r[1]), grow_product(e, -sign, p[2], q[1], r[0]);
}

/* sign of dot(cross(b - a, c - a), d - a) */
static int orient3(const double *a, const double *b, const double *c, const double *d)
{
    long double u[3], v[3], w[3], det, size = 0;
    expansion e;
    int k;
    for (k = 0; k < 3; k++) {
        u[k] = (long double)b[k] - a[k], v[k] = (long double)c[k] - a[k], w[k] = (long double)d[k] - a[k];
    }
    det = (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
    for (k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        size += (fabsl(u[i] * v[j]) + fabsl(u[j] * v[i])) * fabsl(w[k]);
    }
    /* also right where long double is double */
    if (fabsl(det) > 64 * (sizeof(long double) > sizeof(double) ? 1.1e-19L : 2.3e-16L) * size)
        return det > 0 ? 1 : -1;
    e.n = 0;
    /* det(b - a, c - a, d - a) = det(b, c, d) - det(a, c, d) + det(a, b, d) - det(a, b, c) */
    grow_det3(&e, 1, b, c, d), grow_det3(&e, -1, a, c, d), grow_det3(&e, 1, a, b, d), grow_det3(&e, -1, a, b, c);
    return expansion_sign(&e);
}

/* sign of the area of a b c seen along the axis that is not i, j */
static int orient2(const double *a, const double *b, const double *c, int i, int j)
{
    expansion e;
    e.n = 0;
    grow_product(&e, 1, a[i], b[j], 1), grow_product(&e, -1, a[j], b[i], 1);
    grow_product(&e, 1, b[i], c[j], 1), grow_product(&e, -1, b[j], c[i], 1);
    grow_product(&e, 1, c[i], a[j], 1), grow_product(&e, -1, c[j], a[i], 1);
    return expansion_sign(&e);
}

/* ranges of a coordinate overlap */
static int ranges_meet(double a, double b, double c, double d) { return fmax(a, b) >= fmin(c, d) && fmax(c, d) >= fmin(a, b); }

/* two closed segments in a plane */
static int segments_meet_2(const double *p, const double *q, const double *a, const double *b, int i, int j)
{
    int s = orient2(p, q, a, i, j), t = orient2(p, q, b, i, j), u = orient2(a, b, p, i, j), v = orient2(a, b, q, i, j);
    return ranges_meet(p[i], q[i], a[i], b[i]) && ranges_meet(p[j], q[j], a[j], b[j]) && s * t <= 0 && u * v <= 0;
}

/* two closed segments in space */
static int segments_meet(const double *p, const double *q, const double *a, const double *b)
{
    int k;
    if (orient3(p, q, a, b) != 0)
        return 0;
    /* one of the projections in which the four are not on one line says all */
    for (k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (orient2(p, q, a, i, j) || orient2(p, q, b, i, j) || orient2(a, b, p, i, j) || orient2(a, b, q, i, j))
            return segments_meet_2(p, q, a, b, i, j) && ranges_meet(p[k], q[k], a[k], b[k]);
    }
    return ranges_meet(p[0], q[0], a[0], b[0]) && ranges_meet(p[1], q[1], a[1], b[1]) && ranges_meet(p[2], q[2], a[2], b[2]);
}

static int point_in_triangle_2(const double *p, const double *a, const double *b, const double *c, int i, int j)
{
    int s = orient2(a, b, p, i, j), t = orient2(b, c, p, i, j), u = orient2(c, a, p, i, j);
    return (s >= 0 && t >= 0 && u >= 0) || (s <= 0 && t <= 0 && u <= 0);
}

int soak_edge_meets_triangle(const double *p, const double *q, const double *a, const double *b, const double *c)
{
    int k, op, oq, s, t, u, axis = -1;
    for (k = 0; k < 3; k++)
        if (fmax(p[k], q[k]) < fmin(a[k], fmin(b[k], c[k])) || fmin(p[k], q[k]) > fmax(a[k], fmax(b[k], c[k])))
            return 0;
    for (k = 0; k < 3 && axis < 0; k++)
        if (orient2(a, b, c, (k + 1) % 3, (k + 2) % 3))
            axis = k;
    if (axis < 0) /* without an area it is its sides */
        return segments_meet(p, q, a, b) || segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
    op = orient3(a, b, c, p), oq = orient3(a, b, c, q);
    if (op * oq > 0)
        return 0;
    if (op == 0 && oq == 0) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        return point_in_triangle_2(p, a, b, c, i, j) || segments_meet_2(p, q, a, b, i, j) || segments_meet_2(p, q, b, c, i, j) ||
               segments_meet_2(p, q, c, a, i, j);
    }
    s = orient3(p, q, a, b), t = orient3(p, q, b, c), u = orient3(p, q, c, a);
    return (s >= 0 && t >= 0 && u >= 0) || (s <= 0 && t <= 0 && u <= 0);
}

/* solid angles [van Oosterom, Strackee 1983] */
double soak_winding(const double *x, const int32_t *triangles, int n, const double *p)
{
    double sum = 0;
    int f, k, i;
    for (f = 0; f < n; f++) {
        double v[3][3], l[3], det, den;
        for (k = 0; k < 3; k++) {
            for (i = 0; i < 3; i++)
                v[k][i] = x[3 * triangles[3 * f + k] + i] - p[i];
            l[k] = sqrt(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]);
        }
        det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) + v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
              v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        den = l[0] * l[1] * l[2];
        for (k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            den += (v[a][0] * v[b][0] + v[a][1] * v[b][1] + v[a][2] * v[b][2]) * l[k];
        }
        sum += 2 * atan2(det, den);
    }
    return sum / (4 * 3.14159265358979323846);
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double to_segment2(const double *p, const double *a, const double *b)
{
    double d[3], e[3], t, r;
    int k;
    for (k = 0; k < 3; k++)
        d[k] = b[k] - a[k], e[k] = p[k] - a[k];
    r = dot(d, d);
    t = r > 0 ? fmin(1, fmax(0, dot(d, e) / r)) : 0;
    for (k = 0; k < 3; k++)
        e[k] -= t * d[k];
    return dot(e, e);
}

double soak_edges_distance(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3], N[3], nn, g, s, r;
    double best = fmin(fmin(to_segment2(a, c, d), to_segment2(b, c, d)), fmin(to_segment2(c, a, b), to_segment2(d, a, b)));
    int k;
    for (k = 0; k < 3; k++)
        u[k] = b[k] - a[k], v[k] = d[k] - c[k], w[k] = c[k] - a[k];
    N[0] = u[1] * v[2] - u[2] * v[1], N[1] = u[2] * v[0] - u[0] * v[2], N[2] = u[0] * v[1] - u[1] * v[0];
    nn = dot(N, N), g = dot(u, v);
    if (!(nn > 0))
        return sqrt(best);
    s = (dot(v, v) * dot(u, w) - g * dot(v, w)) / nn, r = (g * dot(u, w) - dot(u, u) * dot(v, w)) / nn;
    if (s >= 0 && s <= 1 && r >= 0 && r <= 1)
        best = fmin(best, dot(N, w) * dot(N, w) / nn);
    return sqrt(best);
}

double soak_distance(const double *x, const int32_t *triangles, int n, const double *p)
{
    double best = INFINITY;
    int f, k;
    for (f = 0; f < n; f++) {
        const double *t[3];
        double u[3], v[3], w[3], N[3], nn, s, r, g;
        for (k = 0; k < 3; k++)
            t[k] = x + 3 * triangles[3 * f + k];
        for (k = 0; k < 3; k++) {
            u[k] = t[1][k] - t[0][k], v[k] = t[2][k] - t[0][k], w[k] = p[k] - t[0][k];
            best = fmin(best, to_segment2(p, t[k], t[(k + 1) % 3]));
        }
        N[0] = u[1] * v[2] - u[2] * v[1], N[1] = u[2] * v[0] - u[0] * v[2], N[2] = u[0] * v[1] - u[1] * v[0];
        nn = dot(N, N);
        if (!(nn > 1e-20 * dot(u, u) * dot(v, v))) /* its edges are the triangle, to rounding */
            continue;
        g = dot(u, v);
        s = (dot(v, v) * dot(u, w) - g * dot(v, w)) / nn, r = (dot(u, u) * dot(v, w) - g * dot(u, w)) / nn;
        if (s >= 0 && r >= 0 && s + r <= 1)
            best = fmin(best, dot(N, w) * dot(N, w) / nn);
    }
    return sqrt(best);
}
