/* plate.c -- bending energy of a thin plate, B/2 |H|^2 per area, H [2x2] the curvature of each triangle (no coupling by Poisson's ratio).
   Method: H is that of the quadratic through the six nodes of a triangle and its neighbours. With s along an edge of length l and n across it,
   a node at (s1, h1) on this side and one at (s2, -h2) behind it, the angle at the edge is
     theta = (s1 (s1 - l) / h1 + s2 (s2 - l) / h2) / 2 H_ss + (s1 - s2) H_sn + (h1 + h2) / 2 H_nn,
   neighbours unfolded into the triangle's plane: a row of M for each edge, d = theta - theta0 = M H. At a boundary H is the smallest that the
   other edges allow, H = M' C^-1 d with C = M M'.
   |H|^2 alone is right for given shapes, but not if nodes are free. On a grid with alternating diagonals it has forces inside a sheet of
   constant curvature: every other node moves until a quarter of the stiffness is lost. D = sum of l n n' theta / (2 A) over the edges, the
   mean curvature of the folded triangles, has no such forces, since its sum over triangles depends on the boundary alone. As an energy it
   is up to twice too stiff. Over a quadratic sheet both have the same sum. So the energy is
     B A / 2 (|H|^2 + 2 t H : (D - H)) = 1/2 d' G d,
   with t in [0, 1] as large as positivity of the energy allows. G depends on the rest shape alone: a curved rest shape has no force, and
   rotations change nothing. Triangles whose angles are not coupled (those with one neighbour) add their stiffness to the hinges of bend.c
   instead. differs: the stiffness matrix has no couplings between the angles, since these would add entries to the pattern (a third of the
   time of the scene S2). It is that of hinges with s diag G, with the smallest s for which s diag G >= G; s is 1.8 on grids. A single
   Newton iteration then dissipates bending as damping_stiffness (s - 1) dt would; further iterations converge to the undamped result.
   based on: Grinspun et al. 2003 (angles as strains), Onate and Zarate 2000 (D, for rotation-free plate triangles). */
#include "plate.h"
#include "hinge.h"
#include "../1_math/eig3.h"
#include "../1_math/vec.h"
#include "../5_mesh/mesh.h"

/* Six nodes near a conic do not determine H, and G would grow without bound. So this share of C's diagonal is added to it. The energy's
   error is 1/1000 on regular meshes; half and double change it in proportion. */
#define CTI_PLATE_SOFT 1e-3
/* Couplings smaller than this share of the two angles' own stiffness are dropped, since most of them are rounding errors. The energy's
   error is of the same size. Half and double change nothing on the meshes of the tests. */
#define CTI_PLATE_COUPLED 1e-3
/* The share of |H|^2 that the energy keeps at least, for stability. A free strip of a grid with alternating diagonals is 1/20 too soft with
   it, with half of it 1/30, with double 1/12. Other meshes depend on it less: with randomly moved nodes a strip is a tenth too soft at
   every value. */
#define CTI_PLATE_FLOOR 0.2

/* ---- rest state ---- */

/* places the node c relative to the edge a - b: the edge's length l, position s along it, distance h from it */
static int cti_plate_place(cti_v3 a, cti_v3 b, cti_v3 c, double *l, double *s, double *h)
{
    cti_v3 e = cti_v3_sub(b, a), f = cti_v3_sub(c, a);
    *l = (double)cti_v3_norm(e);
    if (!(*l > 0))
        return 0;
    *s = (double)cti_v3_dot(e, f) / *l, *h = (double)cti_v3_norm(cti_v3_cross(e, f)) / *l;
    return *h > 0;
}

/* row [3] of M over (H_uu, H_vv, sqrt 2 H_uv) for edge k of triangle x [3], and its l n n'; `opposite` is the node behind it. 0: no such row */
static int cti_plate_row(const cti_v3 *x, int k, cti_v3 opposite, double *row, double *mean)
{
    cti_v3 a = x[(k + 1) % 3], b = x[(k + 2) % 3], u = cti_v3_sub(x[1], x[0]), w = cti_v3_cross(u, cti_v3_sub(x[2], x[0])), v, e;
    double l, s1, h1, s2, h2, ss, sn, nn, t[2], n[2], size;
    if (!cti_plate_place(a, b, x[k], &l, &s1, &h1) || !cti_plate_place(a, b, opposite, &l, &s2, &h2))
        return 0;
    ss = (s1 * (s1 - l) / h1 + s2 * (s2 - l) / h2) / 2, sn = s1 - s2, nn = (h1 + h2) / 2;
    /* the edge in the triangle's own axes, and the direction to the left of it */
    v = cti_v3_cross(w, u), e = cti_v3_sub(b, a);
    t[0] = (double)(cti_v3_dot(e, u) / cti_v3_norm(u)), t[1] = (double)(cti_v3_dot(e, v) / cti_v3_norm(v));
    size = (double)cti_sqrt((ct_real)(t[0] * t[0] + t[1] * t[1]));
    t[0] /= size, t[1] /= size;
    n[0] = -t[1], n[1] = t[0];
    row[0] = ss * t[0] * t[0] + sn * t[0] * n[0] + nn * n[0] * n[0];
    row[1] = ss * t[1] * t[1] + sn * t[1] * n[1] + nn * n[1] * n[1];
    row[2] = (2 * ss * t[0] * t[1] + sn * (t[0] * n[1] + t[1] * n[0]) + 2 * nn * n[0] * n[1]) / 1.4142135623730951;
    mean[0] = l * n[0] * n[0], mean[1] = l * n[1] * n[1], mean[2] = l * 1.4142135623730951 * n[0] * n[1];
    return 1;
}

/* c [6] = inverse of the symmetric C [6] = 00 11 22 12 02 01, by cofactors. 0: C is singular */
static int cti_plate_inverse(const double *C, double *c)
{
    double det;
    int k;
    c[0] = C[1] * C[2] - C[3] * C[3], c[1] = C[0] * C[2] - C[4] * C[4], c[2] = C[0] * C[1] - C[5] * C[5];
    c[3] = C[4] * C[5] - C[0] * C[3], c[4] = C[3] * C[5] - C[1] * C[4], c[5] = C[3] * C[4] - C[2] * C[5];
    det = C[0] * c[0] + C[5] * c[5] + C[4] * c[4];
    for (k = 0; k < 6; k++)
        c[k] = det > 0 ? c[k] / det : 0;
    return det > 0;
}

/* L of C = L L', row-major; C positive definite */
static void cti_plate_cholesky(const double *C, double *L)
{
    memset(L, 0, 9 * sizeof *L);
    L[0] = (double)cti_sqrt((ct_real)C[0]), L[3] = C[5] / L[0], L[6] = C[4] / L[0];
    L[4] = (double)cti_sqrt((ct_real)(C[1] - L[3] * L[3])), L[7] = (C[3] - L[6] * L[3]) / L[4];
    L[8] = (double)cti_sqrt((ct_real)(C[2] - L[6] * L[6] - L[7] * L[7]));
}

/* the largest t in [0, 1] for which the eigenvalues of 1 + t (Y + Y' - 2), Y = L^-1 E L, stay above CTI_PLATE_FLOOR */
static double cti_plate_share(const double *C, const double *E)
{
    double L[9], X[9], Y[9], least;
    ct_real A[6], w[3], V[9];
    int i, j, k;
    cti_plate_cholesky(C, L);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            X[3 * i + j] = E[3 * i + j];
            for (k = 0; k < i; k++)
                X[3 * i + j] -= L[3 * i + k] * X[3 * k + j];
            X[3 * i + j] /= L[4 * i];
        }
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            for (Y[3 * i + j] = 0, k = j; k < 3; k++)
                Y[3 * i + j] += X[3 * i + k] * L[3 * k + j];
    for (k = 0; k < 6; k++) {
        i = k < 3 ? k : (k - 2) % 3, j = k < 3 ? k : (k - 1) % 3;
        A[k] = (ct_real)(Y[3 * i + j] + Y[3 * j + i] - (k < 3 ? 2 : 0));
    }
    cti_eig3(A, w, V);
    least = (double)w[2];
    return -least > 1 - CTI_PLATE_FLOOR ? (1 - CTI_PLATE_FLOOR) / -least : 1;
}

/* G = C^-1, which is |H|^2, += t (P + P' - 2 G), P = C^-1 M N with D = N d; rows of M and of N' by edge */
static void cti_plate_balance(const double *M, const double *N, const double *C, double *G)
{
    static const int at[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    double E[9], P[9], t;
    int i, j, k;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            for (E[3 * i + j] = 0, k = 0; k < 3; k++)
                E[3 * i + j] += M[3 * i + k] * N[3 * j + k];
    t = cti_plate_share(C, E);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            for (P[3 * i + j] = 0, k = 0; k < 3; k++)
                P[3 * i + j] += G[at[3 * i + k]] * E[3 * k + j];
    for (k = 0; k < 6; k++) {
        i = k < 3 ? k : (k - 2) % 3, j = k < 3 ? k : (k - 1) % 3;
        G[k] += t * (P[3 * i + j] + P[3 * j + i] - 2 * G[k]);
    }
}

/* G [6] = 00 11 22 12 02 01 of one triangle; opposite [3]: the nodes behind its edges, or a node of its own where there is none */
static void cti_plate_stiffness(const cti_v3 *x, const cti_v3 *opposite, const int *has, double bending, double *G)
{
    double M[9], N[9], C[6], area = (double)cti_v3_norm(cti_v3_cross(cti_v3_sub(x[1], x[0]), cti_v3_sub(x[2], x[0]))) / 2;
    int k, i, j, ok, is[3];
    memset(M, 0, sizeof M);
    memset(N, 0, sizeof N);
    for (k = 0; k < 3; k++)
        is[k] = has[k] && cti_plate_row(x, k, opposite[k], M + 3 * k, N + 3 * k);
    for (k = 0; k < 9; k++)
        N[k] /= 2 * area;
    for (k = 0; k < 6; k++) {
        i = k < 3 ? k : (k - 2) % 3, j = k < 3 ? k : (k - 1) % 3;
        C[k] = M[3 * i] * M[3 * j] + M[3 * i + 1] * M[3 * j + 1] + M[3 * i + 2] * M[3 * j + 2];
        C[k] = k < 3 ? (is[k] ? C[k] * (1 + CTI_PLATE_SOFT) : 1) : (is[i] && is[j] ? C[k] : 0);
    }
    ok = cti_plate_inverse(C, G);
    if (ok && is[0] && is[1] && is[2])
        cti_plate_balance(M, N, C, G);
    for (k = 0; k < 6; k++) {
        i = k < 3 ? k : (k - 2) % 3, j = k < 3 ? k : (k - 1) % 3;
        G[k] = ok && is[i] && is[j] ? bending * area * G[k] : 0;
    }
}

/* 1 where the angles at a triangle's edges are coupled */
static int cti_plate_is_coupled(const double *G)
{
    const double least = CTI_PLATE_COUPLED * CTI_PLATE_COUPLED;
    return G[3] * G[3] > least * G[1] * G[2] || G[4] * G[4] > least * G[0] * G[2] || G[5] * G[5] > least * G[0] * G[1];
}

/* collects the coupled triangles, and the stiffness of edges from the others */
typedef struct cti_plate_maker {
    const cti_rest_mesh *rest;
    cti_topology topology;
    int32_t *node; /* [6 plates] */
    double *G;     /* [6 plates] */
    double *edge;  /* [3 edges] for each edge: k of its hinge, k of its bound, and k of the bound's damping */
} cti_plate_maker;

/* the node behind edge k of triangle f, if exactly two triangles meet there; -1: a boundary, or an edge of more triangles */
static int cti_plate_behind(const cti_plate_maker *q, int f, int k)
{
    const int32_t *t = q->rest->elements + 3 * (size_t)f, *o;
    int e = q->topology.face_edges[3 * (size_t)f + (size_t)((k + 1) % 3)], other, i;
    if (e < 0 || (q->topology.edge_flags[e] & (CTI_EDGE_BOUNDARY | CTI_EDGE_NONMANIFOLD)))
        return -1;
    other = q->topology.edge_faces[2 * (size_t)e] == f ? q->topology.edge_faces[2 * (size_t)e + 1] : q->topology.edge_faces[2 * (size_t)e];
    o = q->rest->elements + 3 * (size_t)other;
    for (i = 0; i < 3; i++)
        if (o[i] != t[(k + 1) % 3] && o[i] != t[(k + 2) % 3])
            return o[i] == t[k] ? -1 : o[i];
    return -1;
}

/* largest eigenvalue s of G relative to its diagonal: s diag G >= G */
static double cti_plate_bound(const double *G)
{
    ct_real A[6], w[3], V[9];
    int k;
    for (k = 0; k < 6; k++) {
        double size = G[k < 3 ? k : (k - 2) % 3] * G[k < 3 ? k : (k - 1) % 3];
        A[k] = k < 3 ? CTI_R(1) : (size > 0 ? (ct_real)G[k] / cti_sqrt((ct_real)size) : 0);
    }
    cti_eig3(A, w, V);
    return (double)w[0];
}

/* adds one triangle to the plates if it is coupled, else its stiffness to its edges. 0: out of memory */
static int cti_plate_take(cti_mem *mem, cti_plate_maker *q, int f, double bending)
{
    const int32_t *t = q->rest->elements + 3 * (size_t)f;
    int32_t behind[3];
    cti_v3 x[3], opposite[3];
    double G[6], bound;
    int k, has[3], coupled, ok = 1;
    for (k = 0; k < 3; k++) {
        int b = cti_plate_behind(q, f, k);
        has[k] = b >= 0, behind[k] = b >= 0 ? b : t[k];
        x[k] = cti_v3_at(q->rest->X, t[k]), opposite[k] = cti_v3_at(q->rest->X, behind[k]);
    }
    cti_plate_stiffness(x, opposite, has, bending, G);
    coupled = cti_plate_is_coupled(G), bound = cti_plate_bound(G);
    for (k = 0; k < 3; k++) {
        int e = q->topology.face_edges[3 * (size_t)f + (size_t)((k + 1) % 3)];
        if (!has[k])
            continue;
        q->edge[3 * (size_t)e] += coupled ? 0 : G[k];
        q->edge[3 * (size_t)e + 1] += coupled ? bound * G[k] : 0;
        q->edge[3 * (size_t)e + 2] += coupled ? G[k] : 0;
    }
    if (!coupled)
        return 1;
    for (k = 0; ok && k < 3; k++)
        ok = CTI_PUSH(mem, q->node, t[k]);
    for (k = 0; ok && k < 3; k++)
        ok = CTI_PUSH(mem, q->node, behind[k]);
    for (k = 0; ok && k < 6; k++)
        ok = CTI_PUSH(mem, q->G, G[k]);
    return ok;
}

/* fills the batch of coupled triangles */
static int cti_plate_fill(cti_mem *mem, cti_plate_batch *t, const cti_plate_maker *q)
{
    int e, k, i, n = CTI_LEN(q->node) / 6;
    t->n = n;
    if (!cti_element_nodes(mem, &t->node, q->node, n, 6, q->rest->node_offset) ||
        !CTI_RESIZE(mem, t->rest, (size_t)((n + 7) / 8) * CTI_PLATE_REST * 8))
        return 0;
    for (e = 0; e < (n + 7) / 8 * 8; e++) {
        int source = cti_min_int(e, n - 1);
        const int32_t *p = q->node + 6 * (size_t)source;
        ct_real *rest = t->rest + e / 8 * CTI_PLATE_REST * 8 + e % 8, x[12];
        for (k = 0; k < 6; k++)
            rest[8 * k] = (ct_real)q->G[6 * (size_t)source + (size_t)k];
        for (k = 0; k < 3; k++) {
            for (i = 0; i < 4; i++)
                cti_v3_put(x, i, cti_v3_at(q->rest->X, p[i < 2 ? (k + 1 + i) % 3 : (i == 2 ? k : 3 + k)]));
            rest[8 * (6 + k)] = cti_bend_angle(x);
            rest[8 * (9 + k)] = cti_bend_least(x);
        }
    }
    return 1;
}

/* part 0: hinges of edges with a k of their own, and of those with more than two triangles. part 1: the bounds */
static int cti_plate_hinges(cti_mem *mem, cti_bend_batch *t, const cti_plate_maker *q, const ct_material *m, int part)
{
    int32_t *hinges = NULL;
    ct_real *stiff = NULL;
    int i, k, n = 0, ok = cti_hinge_find(mem, q->rest->elements, q->rest->n, NULL, &hinges) &&
                          CTI_RESIZE(mem, stiff, CTI_LEN(hinges) / 2);
    for (i = 0; ok && i < CTI_LEN(hinges) / 4; i++) {
        const int32_t *h = hinges + 4 * (size_t)i;
        int e = cti_topology_edge(&q->topology, h[0], h[1]);
        int many = e >= 0 && (q->topology.edge_flags[e] & CTI_EDGE_NONMANIFOLD);
        if (e < 0 || (many ? part : !(q->edge[3 * (size_t)e + (size_t)part] > 0)))
            continue;
        for (k = 0; k < 4; k++)
            hinges[4 * n + k] = h[k];
        stiff[2 * n] = many ? CTI_R(-1) : (ct_real)q->edge[3 * (size_t)e + (size_t)part];
        stiff[2 * n + 1] = many ? CTI_R(-1) : (ct_real)q->edge[3 * (size_t)e + 2 * (size_t)part];
        n++;
    }
    ok = ok && cti_bend_batch_init(mem, t, m, q->rest->X, hinges, n, q->rest->node_offset, stiff);
    CTI_FREE(mem, hinges);
    CTI_FREE(mem, stiff);
    return ok;
}

CTI_FN int cti_plate_init(cti_mem *mem, cti_plate_batch *plates, cti_bend_batch *bounds, cti_bend_batch *hinges, const ct_material *m,
                          const cti_rest_mesh *rest)
{
    cti_plate_maker q;
    int f, ok;
    memset(&q, 0, sizeof q);
    q.rest = rest;
    ok = cti_topology_build(mem, &q.topology, rest->n_nodes, rest->elements, rest->n, NULL, 0) &&
         CTI_RESIZE(mem, q.edge, 3 * (size_t)q.topology.n_edges);
    for (f = 0; ok && f < 3 * q.topology.n_edges; f++)
        q.edge[f] = 0;
    for (f = 0; ok && f < rest->n; f++)
        ok = cti_plate_take(mem, &q, f, (double)m->bending);
    ok = ok && cti_plate_fill(mem, plates, &q) && cti_plate_hinges(mem, bounds, &q, m, 1) && cti_plate_hinges(mem, hinges, &q, m, 0);
    cti_topology_free(mem, &q.topology);
    CTI_FREE(mem, q.node);
    CTI_FREE(mem, q.G);
    CTI_FREE(mem, q.edge);
    return ok;
}

/* ---- a batch ---- */

typedef struct cti_plate_lanes {
    cti_r8 G[9], d[3]; /* G as a full, symmetric matrix */
    cti_r8 g[54];      /* grad theta_e, [3][18] */
} cti_plate_lanes;

static void cti_plate_load(const cti_plate_batch *t, int batch, const ct_real *x, cti_plate_lanes *w)
{
    static const int place[6] = {0, 4, 8, 5, 2, 1};
    const ct_real *rest = t->rest + (size_t)batch * CTI_PLATE_REST * 8;
    cti_r8 node[18], hinge[12], g[12];
    int e, i, k, own[4];
    cti_element_gather(x, t->node + 48 * (size_t)batch, 6, node);
    for (k = 0; k < 6; k++)
        w->G[place[k]] = w->G[3 * (place[k] % 3) + place[k] / 3] = cti_load8(rest + 8 * k);
    for (i = 0; i < 54; i++)
        w->g[i] = cti_set8(0);
    for (e = 0; e < 3; e++) {
        own[0] = (e + 1) % 3, own[1] = (e + 2) % 3, own[2] = e, own[3] = 3 + e;
        for (i = 0; i < 12; i++)
            hinge[i] = node[3 * own[i / 3] + i % 3];
        w->d[e] = cti_bend_lanes(hinge, cti_load8(rest + 8 * (6 + e)), cti_load8(rest + 8 * (9 + e)), g);
        for (i = 0; i < 12; i++)
            w->g[18 * e + 3 * own[i / 3] + i % 3] = g[i];
    }
}

CTI_FN void cti_plate_batch_assemble(const cti_plate_batch *t, const ct_real *x, ct_real *force, double *out_energy)
{
    const cti_r8 half = cti_set8(CTI_R(0.5));
    int batch, i;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch);
        cti_plate_lanes w;
        cti_r8 m[3], f[18];
        cti_plate_load(t, batch, x, &w);
        cti_matvec8(w.G, w.d, m);
        if (out_energy)
            *out_energy += cti_element_sum(cti_mul8(half, cti_dot8(w.d, m)), count);
        if (!force)
            continue;
        for (i = 0; i < 18; i++)
            f[i] = cti_neg8(cti_sum3_8(m[0], w.g[i], m[1], w.g[18 + i], m[2], w.g[36 + i]));
        cti_element_scatter_force(force, t->node + 48 * (size_t)batch, 6, count, f);
    }
}
