/* locking.c -- measures by which factor a mesh of linear tets is too stiff in bending.
   Method: the two ends of the body are rotated against each other as rigid pieces about its second axis. The part between them takes its
   equilibrium (linear elasticity, conjugate gradients on the elements, without a matrix): once with linear tets, and once on the same mesh with
   quadratic tets, which represent a bend exactly. The factor is the ratio of the energies. Based on: Prathap, The Finite Element Method in
   Structural Mechanics, 1993 (parasitic shear); Zienkiewicz, Taylor, The Finite Element Method 1, 2000 (the tet of ten nodes). */
#include "locking.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOCKING_CAP .4        /* [length] from the middle: parts farther out rotate as rigid pieces. Between .3 and .45 a bar's factor changes by 2 % */
#define LOCKING_TOLERANCE 1e-6 /* [first residual]; the error of the energy is its square */
#define LOCKING_MOST 20000     /* [iterations] a bar of 100,000 nodes takes some 600 */

typedef struct locking {
    double *x;     /* [3 n] positions */
    int *tets;     /* [nodes m] */
    int n, m;
    int nodes;     /* of a tet: 4, or 10 with those at the middles of its edges */
    double *shape; /* [13 m] gradients of the barycentric coordinates [4][3], and the volume */
    double lambda, mu;
    double middle[3], axis[3][3], half; /* axes of the longest, second and smallest extent; half of the length */
} locking;

static const int locking_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static double locking_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void locking_cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- the mesh ---- */

/* gradients and volumes; 0: an index without a position, or a tet without volume */
static int locking_measure(locking *p)
{
    int i, k, c;
    for (i = 0; i < p->m; i++) {
        const int *t = p->tets + (size_t)p->nodes * (size_t)i;
        double e[3][3], *g = p->shape + 13 * (size_t)i, six;
        for (k = 0; k < 4; k++)
            if (t[k] < 0 || t[k] >= p->n)
                return 0;
        for (k = 0; k < 9; k++)
            e[k / 3][k % 3] = p->x[3 * t[k / 3 + 1] + k % 3] - p->x[3 * t[0] + k % 3];
        for (k = 0; k < 3; k++)
            locking_cross(e[(k + 1) % 3], e[(k + 2) % 3], g + 3 * (k + 1));
        six = locking_dot(e[0], g + 3);
        if (!(six > 0) || !(six < HUGE_VAL))
            return 0;
        for (k = 3; k < 12; k++)
            g[k] /= six;
        for (c = 0; c < 3; c++)
            g[c] = -g[3 + c] - g[6 + c] - g[9 + c];
        g[12] = six / 6;
    }
    return 1;
}

static int locking_order(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(int)); }

static void locking_edge(const int *tet, int k, int edge[2])
{
    int a = tet[locking_ends[k][0]], b = tet[locking_ends[k][1]];
    edge[0] = a < b ? a : b, edge[1] = a < b ? b : a;
}

/* q: p with quadratic tets of ten nodes; its arrays are new. 0: out of memory */
static int locking_quadratic(const locking *p, locking *q)
{
    int (*edges)[2] = (int (*)[2])malloc(6 * (size_t)p->m * sizeof *edges), i, k, c, ne = 0;
    *q = *p;
    q->nodes = 10;
    q->x = (double *)malloc((3 * (size_t)p->n + 18 * (size_t)p->m) * sizeof *q->x);
    q->tets = (int *)malloc(10 * (size_t)p->m * sizeof *q->tets);
    if (!edges || !q->x || !q->tets) {
        free(edges);
        return 0;
    }
    for (i = 0; i < 6 * p->m; i++)
        locking_edge(p->tets + 4 * (i / 6), i % 6, edges[i]);
    qsort(edges, 6 * (size_t)p->m, sizeof *edges, locking_order);
    for (i = 0; i < 6 * p->m; i++)
        if (i == 0 || locking_order(edges[i], edges[ne - 1]) != 0)
            edges[ne][0] = edges[i][0], edges[ne][1] = edges[i][1], ne++;
    memcpy(q->x, p->x, 3 * (size_t)p->n * sizeof *q->x);
    for (i = 0; i < ne; i++)
        for (c = 0; c < 3; c++)
            q->x[3 * (p->n + i) + c] = (p->x[3 * edges[i][0] + c] + p->x[3 * edges[i][1] + c]) / 2;
    for (i = 0; i < p->m; i++) {
        memcpy(q->tets + 10 * i, p->tets + 4 * i, 4 * sizeof *q->tets);
        for (k = 0; k < 6; k++) {
            int edge[2];
            locking_edge(p->tets + 4 * i, k, edge);
            q->tets[10 * i + 4 + k] = p->n + (int)((int (*)[2])bsearch(edge, edges, (size_t)ne, sizeof *edges, locking_order) - edges);
        }
    }
    q->n = p->n + ne;
    free(edges);
    return 1;
}

/* ---- stiffness ---- */

/* gradients [nodes][3] of the shape functions at the quadrature point k of a tet: N_a = l_a or l_a (2 l_a - 1), N_ab = 4 l_a l_b. G: those of l */
static void locking_shapes(int nodes, const double *G, int k, double (*g)[3])
{
    const double near_to = .5854101966249685, off = .1381966011250105; /* four points are exact for quadratic tets */
    double H[4][3];
    int a, c;
    for (a = 0; a < 4; a++)
        for (c = 0; c < 3; c++)
            H[a][c] = 4 * (a == k ? near_to : off) * G[3 * a + c], g[a][c] = nodes == 4 ? G[3 * a + c] : H[a][c] - G[3 * a + c];
    for (a = 4; a < nodes; a++) {
        int i = locking_ends[a - 4][0], j = locking_ends[a - 4][1];
        for (c = 0; c < 3; c++)
            g[a][c] = 4 * ((i == k ? near_to : off) * G[3 * j + c] + (j == k ? near_to : off) * G[3 * i + c]);
    }
}

/* w (stress of the displacements u): lambda tr(D) + mu (D + D'), D = sum u_a g_a' */
static void locking_stress(const locking *p, const int *t, const double *u, double (*g)[3], double w, double S[3][3])
{
    double D[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, spread;
    int a, b, c;
    for (a = 0; a < p->nodes; a++)
        for (b = 0; b < 3; b++)
            for (c = 0; c < 3; c++)
                D[b][c] += u[3 * t[a] + b] * g[a][c];
    spread = p->lambda * (D[0][0] + D[1][1] + D[2][2]);
    for (b = 0; b < 3; b++)
        for (c = 0; c < 3; c++)
            S[b][c] = w * (p->mu * (D[b][c] + D[c][b]) + (b == c ? spread : 0));
}

/* f = K u for Young's modulus 1; u NULL: f = the diagonal of K */
static void locking_apply(const locking *p, const double *u, double *f)
{
    int i, k, a, b, points = p->nodes == 4 ? 1 : 4;
    memset(f, 0, 3 * (size_t)p->n * sizeof *f);
    for (i = 0; i < p->m; i++)
        for (k = 0; k < points; k++) {
            const int *t = p->tets + (size_t)p->nodes * (size_t)i;
            const double *G = p->shape + 13 * (size_t)i, w = G[12] / points;
            double g[10][3], S[3][3];
            locking_shapes(p->nodes, G, k, g);
            if (u)
                locking_stress(p, t, u, g, w, S);
            for (a = 0; a < p->nodes; a++)
                for (b = 0; b < 3; b++)
                    f[3 * t[a] + b] += u ? locking_dot(S[b], g[a])
                                         : w * ((p->lambda + p->mu) * g[a][b] * g[a][b] + p->mu * locking_dot(g[a], g[a]));
        }
}

/* ---- bending ---- */

/* the axes of the symmetric C, largest eigenvalue first, by Jacobi's rotations */
static void locking_axes_of(double C[3][3], double axis[3][3])
{
    int turn, k, i, j;
    memset(axis, 0, 9 * sizeof(double));
    axis[0][0] = axis[1][1] = axis[2][2] = 1;
    for (turn = 0; turn < 60; turn++) {
        int a = turn % 3 == 2, b = turn % 3 == 0 ? 1 : 2;
        double angle = atan2(2 * C[a][b], C[a][a] - C[b][b]) / 2, c = cos(angle), s = sin(angle);
        for (k = 0; k < 3; k++) {
            double p = C[a][k], q = C[b][k], v = axis[a][k], w = axis[b][k];
            C[a][k] = c * p + s * q, C[b][k] = c * q - s * p, axis[a][k] = c * v + s * w, axis[b][k] = c * w - s * v;
        }
        for (k = 0; k < 3; k++) {
            double p = C[k][a], q = C[k][b];
            C[k][a] = c * p + s * q, C[k][b] = c * q - s * p;
        }
    }
    for (i = 0; i < 3; i++)
        for (j = i + 1; j < 3; j++)
            for (k = 0; C[j][j] > C[i][i] && k < 4; k++) {
                double *p = k < 3 ? &axis[i][k] : &C[i][i], *q = k < 3 ? &axis[j][k] : &C[j][j], kept = *p;
                *p = *q, *q = kept;
            }
}

static void locking_place(locking *p)
{
    double C[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, lo = HUGE_VAL, hi = -HUGE_VAL;
    int i, a, b;
    for (i = 0; i < p->n; i++)
        for (a = 0; a < 3; a++)
            p->middle[a] += p->x[3 * i + a] / p->n;
    for (i = 0; i < p->n; i++)
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++)
                C[a][b] += (p->x[3 * i + a] - p->middle[a]) * (p->x[3 * i + b] - p->middle[b]);
    locking_axes_of(C, p->axis);
    for (i = 0; i < p->n; i++) {
        double s = locking_dot(p->x + 3 * i, p->axis[0]) - locking_dot(p->middle, p->axis[0]);
        lo = fmin(lo, s), hi = fmax(hi, s);
    }
    for (a = 0; a < 3; a++)
        p->middle[a] += p->axis[0][a] * (lo + hi) / 2;
    p->half = (hi - lo) / 2;
}

/* displacement at X in a bend of curvature 1 / half; 1 if X is in a rigid end piece, whose displacement it then has */
static int locking_field(const locking *p, const double *X, double *u)
{
    double d[3] = {X[0] - p->middle[0], X[1] - p->middle[1], X[2] - p->middle[2]}, cap = LOCKING_CAP * 2 * p->half;
    double s = locking_dot(d, p->axis[0]), y = locking_dot(d, p->axis[2]), at = fmin(fmax(s, -cap), cap);
    int c;
    for (c = 0; c < 3; c++)
        u[c] = p->axis[0][c] * -at * y / p->half + p->axis[2][c] * (at * at / 2 + at * (s - at)) / p->half;
    return fabs(s) >= cap;
}

/* u: the field, then moved so that the nodes between the held ones are in equilibrium, by conjugate gradients. work [15 n]. Returns u'K u, twice the
   energy */
static double locking_relax(const locking *p, double *u, double *work)
{
    int n3 = 3 * p->n, i, k;
    double *free_to = work, *r = work + n3, *z = r + n3, *d = z + n3, *Kd = d + n3, rz = 0, first, sum = 0;
    locking_apply(p, NULL, free_to);
    for (i = 0; i < n3; i++)
        free_to[i] = 1 / free_to[i];
    for (i = 0; i < p->n; i++)
        if (locking_field(p, p->x + 3 * i, u + 3 * i))
            free_to[3 * i] = free_to[3 * i + 1] = free_to[3 * i + 2] = 0;
    locking_apply(p, u, r);
    for (i = 0; i < n3; i++)
        r[i] = free_to[i] > 0 ? -r[i] : 0, d[i] = free_to[i] * r[i], rz += r[i] * d[i];
    first = rz;
    for (k = 0; k < LOCKING_MOST && rz > LOCKING_TOLERANCE * LOCKING_TOLERANCE * first; k++) {
        double dKd = 0, step, last = rz;
        locking_apply(p, d, Kd);
        for (i = 0; i < n3; i++)
            dKd += d[i] * Kd[i];
        step = rz / dKd;
        for (rz = 0, i = 0; i < n3; i++)
            u[i] += step * d[i], r[i] -= free_to[i] > 0 ? step * Kd[i] : 0, z[i] = free_to[i] * r[i], rz += r[i] * z[i];
        for (i = 0; i < n3; i++)
            d[i] = z[i] + rz / last * d[i];
    }
    locking_apply(p, u, r);
    for (i = 0; i < n3; i++)
        sum += u[i] * r[i];
    return sum;
}

int locking_factor(const ct_mesh *mesh, double poisson, double *out)
{
    locking p, q;
    double *u = NULL, *work = NULL, linear, quadratic;
    int i, ok;
    memset(&p, 0, sizeof p), memset(&q, 0, sizeof q);
    if (!mesh->positions || !mesh->tets || mesh->n_tets < 1 || mesh->n_positions < 4)
        return 0;
    p.n = mesh->n_positions, p.m = mesh->n_tets, p.nodes = 4;
    p.mu = 1 / (2 * (1 + poisson)), p.lambda = poisson / ((1 + poisson) * (1 - 2 * poisson));
    p.x = (double *)malloc(3 * (size_t)p.n * sizeof *p.x), p.tets = (int *)malloc(4 * (size_t)p.m * sizeof *p.tets);
    p.shape = (double *)malloc(13 * (size_t)p.m * sizeof *p.shape);
    ok = p.x && p.tets && p.shape;
    for (i = 0; ok && i < 3 * p.n; i++)
        p.x[i] = (double)mesh->positions[i];
    for (i = 0; ok && i < 4 * p.m; i++)
        p.tets[i] = mesh->tets[i];
    if (ok && (ok = locking_measure(&p)) != 0)
        locking_place(&p);
    if (ok && (ok = locking_quadratic(&p, &q)) != 0) {
        u = (double *)malloc(3 * (size_t)q.n * sizeof *u), work = (double *)malloc(15 * (size_t)q.n * sizeof *work);
        ok = u && work;
    }
    if (ok) {
        linear = locking_relax(&p, u, work), quadratic = locking_relax(&q, u, work);
        *out = quadratic > 0 && linear > quadratic ? linear / quadratic : 1;
    }
    free(p.x), free(p.tets), free(p.shape), free(q.x), free(q.tets), free(u), free(work);
    return ok;
}
