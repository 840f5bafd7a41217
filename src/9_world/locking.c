/* locking.c -- measures by which factor a mesh of linear tets is too stiff in bending.
   Method: the two ends of the body are rotated against each other as rigid pieces about its second axis. The part between them takes its
   equilibrium (linear elasticity, conjugate gradients): once with linear tets, and once on the same mesh with quadratic tets, which
   represent a bend exactly. The factor is the ratio of the energies. Based on: Prathap, The Finite Element Method in Structural Mechanics,
   1993 (parasitic shear); Zienkiewicz, Taylor, The Finite Element Method 1, 2000 (the tet of ten nodes). */
#include "../0_base/fpenv.h"
#include "../0_base/log.h"
#include "../0_base/sort.h"
#include "../1_math/eig3.h"
#include "../1_math/exact.h"
#include "../2_linalg/krylov.h"
#include "../5_mesh/mesh.h"

#define CTI_LOCKING_CAP CTI_R(0.4) /* [length] from the middle: parts farther out rotate as rigid pieces. Between .3 and .45 the factor of a
                                      bar changes by 2 % */
#define CTI_LOCKING_TOLERANCE (sizeof(ct_real) == sizeof(float) ? CTI_R(1e-4) : CTI_R(1e-6)) /* [first residual]; the error of the energy is
                                                                                                its square */
#define CTI_LOCKING_TETS 20000000 /* [tets] 45 pairs of nodes each: the number of pairs fits an int */
#define CTI_LOCKING_MOST 20000     /* [iterations] a bar of 100,000 nodes takes some 600 */

typedef struct cti_locking {
    cti_mem mem;
    ct_real *x;    /* [3 n] */
    int32_t *tets; /* [nodes m] */
    int n, m;
    int nodes;     /* nodes per tet: 4, or 10 with those at the middles of its edges */
    cti_v3 middle, axis[3]; /* axes of the longest, second and smallest extent */
    ct_real half;           /* half of the length */
} cti_locking;

/* ---- nodes in the middle of edges ---- */

static const int cti_locking_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static uint64_t cti_locking_edge(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
}

/* q: p with quadratic tets of ten nodes. 0: out of memory */
static int cti_locking_quadratic(const cti_locking *p, cti_locking *q)
{
    uint64_t *edges = NULL, *scratch = NULL;
    int i, k, ne = 0, ok = CTI_RESIZE(&q->mem, edges, 6 * (size_t)p->m) && CTI_RESIZE(&q->mem, scratch, 6 * (size_t)p->m);
    for (i = 0; ok && i < p->m; i++)
        for (k = 0; k < 6; k++)
            edges[6 * i + k] = cti_locking_edge(p->tets[4 * i + cti_locking_ends[k][0]], p->tets[4 * i + cti_locking_ends[k][1]]);
    if (ok) {
        cti_sort_u64(edges, NULL, scratch, NULL, 6 * p->m);
        ne = cti_sort_unique_u64(edges, NULL, 6 * p->m);
    }
    q->n = p->n + ne, q->nodes = 10;
    ok = ok && CTI_RESIZE(&q->mem, q->x, 3 * (size_t)q->n) && CTI_RESIZE(&q->mem, q->tets, 10 * (size_t)q->m);
    if (ok)
        memcpy(q->x, p->x, sizeof *q->x * 3 * (size_t)p->n);
    for (i = 0; ok && i < ne; i++)
        cti_v3_put(q->x, p->n + i,
                   cti_v3_mul(cti_v3_add(cti_v3_at(p->x, (int)(edges[i] >> 32)), cti_v3_at(p->x, (int)(uint32_t)edges[i])), CTI_R(0.5)));
    for (i = 0; ok && i < p->m; i++) {
        memcpy(q->tets + 10 * i, p->tets + 4 * i, 4 * sizeof *q->tets);
        for (k = 0; k < 6; k++)
            q->tets[10 * i + 4 + k] =
                p->n + (int32_t)cti_sort_lower_u64(edges, ne,
                                        cti_locking_edge(p->tets[4 * i + cti_locking_ends[k][0]], p->tets[4 * i + cti_locking_ends[k][1]]));
    }
    CTI_FREE(&q->mem, edges);
    CTI_FREE(&q->mem, scratch);
    return ok;
}

/* ---- stiffness ---- */

/* gradients G of a tet's four barycentric coordinates; six times its volume */
static ct_real cti_locking_gradients(const ct_real *x, const int32_t *t, cti_v3 G[4])
{
    cti_v3 o = cti_v3_at(x, t[0]), a = cti_v3_sub(cti_v3_at(x, t[1]), o), b = cti_v3_sub(cti_v3_at(x, t[2]), o),
           c = cti_v3_sub(cti_v3_at(x, t[3]), o);
    ct_real six = cti_v3_dot(a, cti_v3_cross(b, c));
    G[1] = cti_v3_mul(cti_v3_cross(b, c), 1 / six), G[2] = cti_v3_mul(cti_v3_cross(c, a), 1 / six), G[3] = cti_v3_mul(cti_v3_cross(a, b), 1 / six);
    G[0] = cti_v3_mul(cti_v3_add(G[1], cti_v3_add(G[2], G[3])), -1);
    return six;
}

/* gradients g of the shape functions at barycentric coordinates l: N_i = l_i or l_i (2 l_i - 1), N_ij = 4 l_i l_j */
static void cti_locking_shapes(const cti_v3 G[4], const ct_real l[4], int nodes, cti_v3 *g)
{
    int i;
    for (i = 0; i < 4; i++)
        g[i] = nodes == 4 ? G[i] : cti_v3_mul(G[i], 4 * l[i] - 1);
    for (; i < nodes; i++) {
        const int *e = cti_locking_ends[i - 4];
        g[i] = cti_v3_add(cti_v3_mul(G[e[1]], 4 * l[e[0]]), cti_v3_mul(G[e[0]], 4 * l[e[1]]));
    }
}

/* A += w (lambda g_a g_b' + mu (g_b g_a' + g_a.g_b)) for the nodes a, b of a tet */
static void cti_locking_add(cti_bsr *A, const int32_t *t, int nodes, const cti_v3 *g, ct_real lambda, ct_real mu, ct_real w)
{
    int a, b, i, j;
    for (a = 0; a < nodes; a++)
        for (b = 0; b < nodes; b++) {
            ct_real *K = A->val + 9 * (size_t)cti_bsr_slot(A, t[a], t[b]), p[3], q[3], both = mu * cti_v3_dot(g[a], g[b]);
            cti_v3_put(p, 0, g[a]), cti_v3_put(q, 0, g[b]);
            for (i = 0; i < 3; i++)
                for (j = 0; j < 3; j++)
                    K[3 * i + j] += w * (lambda * p[i] * q[j] + mu * q[i] * p[j] + (i == j ? both : 0));
        }
}

/* assembles K for Young's modulus 1; the quadrature of four points is exact for quadratic tets. Returns -1, or a tet without volume */
static int cti_locking_stiffness(const cti_locking *p, ct_real poisson, cti_bsr *A)
{
    const ct_real mu = 1 / (2 * (1 + poisson)), lambda = poisson / ((1 + poisson) * (1 - 2 * poisson));
    int i, k, points = p->nodes == 4 ? 1 : 4;
    memset(A->val, 0, sizeof *A->val * 9 * (size_t)A->row[p->n]);
    for (i = 0; i < p->m; i++) {
        const int32_t *t = p->tets + (size_t)p->nodes * (size_t)i;
        cti_v3 G[4], g[10];
        ct_real six = cti_locking_gradients(p->x, t, G);
        if (!(six > 0))
            return i;
        for (k = 0; k < points; k++) {
            ct_real l[4] = {CTI_R(0.1381966011250105), CTI_R(0.1381966011250105), CTI_R(0.1381966011250105), CTI_R(0.1381966011250105)};
            l[k] = CTI_R(0.5854101966249685);
            cti_locking_shapes(G, l, p->nodes, g);
            cti_locking_add(A, t, p->nodes, g, lambda, mu, six / (6 * (ct_real)points));
        }
    }
    return -1;
}

/* ---- bending ---- */

/* computes the axes from the spread of the nodes, and half of the length */
static void cti_locking_axes(cti_locking *p)
{
    ct_real c[6] = {0, 0, 0, 0, 0, 0}, w[3], v[9], lo = CTI_REAL_MAX, hi = -CTI_REAL_MAX;
    int i, k;
    p->middle = cti_v3_zero();
    for (i = 0; i < p->n; i++)
        p->middle = cti_v3_mad(p->middle, cti_v3_sub(cti_v3_at(p->x, i), p->middle), 1 / (ct_real)(i + 1));
    for (i = 0; i < p->n; i++) {
        cti_v3 d = cti_v3_sub(cti_v3_at(p->x, i), p->middle);
        c[0] += d.x * d.x, c[1] += d.y * d.y, c[2] += d.z * d.z, c[3] += d.y * d.z, c[4] += d.x * d.z, c[5] += d.x * d.y;
    }
    cti_eig3(c, w, v);
    for (k = 0; k < 3; k++)
        p->axis[k] = cti_v3_make(v[k], v[3 + k], v[6 + k]);
    for (i = 0; i < p->n; i++) {
        ct_real s = cti_v3_dot(cti_v3_sub(cti_v3_at(p->x, i), p->middle), p->axis[0]);
        lo = cti_min(lo, s), hi = cti_max(hi, s);
    }
    p->middle = cti_v3_mad(p->middle, p->axis[0], (lo + hi) / 2);
    p->half = (hi - lo) / 2;
}

/* displacement at X in a bend of curvature 1 / half; 1 if X is in a rigid end piece, whose displacement it then has */
static int cti_locking_field(const cti_locking *p, cti_v3 X, cti_v3 *u)
{
    cti_v3 d = cti_v3_sub(X, p->middle);
    ct_real s = cti_v3_dot(d, p->axis[0]), y = cti_v3_dot(d, p->axis[2]), cap = CTI_LOCKING_CAP * 2 * p->half, at = cti_clamp(s, -cap, cap);
    ct_real bend = (at * at / 2 + at * (s - at)) / p->half;
    *u = cti_v3_mad(cti_v3_mul(p->axis[0], -at * y / p->half), p->axis[2], bend);
    return cti_abs(s) >= cap;
}

/* arrays of one solve */
typedef struct cti_locking_solve {
    cti_bsr A;
    cti_jacobi jacobi;
    ct_real *u, *b, *du, *work;
    uint8_t *held;
} cti_locking_solve;

/* removes held nodes from the matrix */
static void cti_locking_hold(cti_bsr *A, const uint8_t *held)
{
    int i, k, a;
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            for (a = 0; (held[i] || held[A->col[k]]) && a < 9; a++)
                A->val[9 * (size_t)k + (size_t)a] = A->col[k] == i && a % 4 == 0;
}

/* u: the field, then corrected so that the free nodes are in equilibrium between the held ones, K du = -K u. 0: out of memory */
static int cti_locking_relax(cti_locking *p, cti_locking_solve *s)
{
    cti_operator A, M;
    double first;
    int i, k;
    for (i = 0; i < p->n; i++) {
        cti_v3 u;
        s->held[i] = (uint8_t)cti_locking_field(p, cti_v3_at(p->x, i), &u);
        cti_v3_put(s->u, i, u);
    }
    cti_bsr_mul(&s->A, s->u, s->b);
    for (i = 0; i < p->n; i++)
        for (k = 0; k < 3; k++)
            s->b[3 * i + k] = s->held[i] ? 0 : -s->b[3 * i + k];
    cti_locking_hold(&s->A, s->held);
    if (!cti_jacobi_make(&p->mem, &s->jacobi, &s->A))
        return 0;
    cti_jacobi_apply(&s->jacobi, s->b, s->du);
    first = sqrt((double)cti_krylov_dot(3 * p->n, s->b, s->du));
    memset(s->du, 0, sizeof *s->du * 3 * (size_t)p->n);
    A = cti_bsr_operator(&s->A), M = cti_jacobi_operator(&s->jacobi);
    cti_pcg(&A, &M, s->b, s->du, (ct_real)first * CTI_LOCKING_TOLERANCE, CTI_LOCKING_MOST, s->work, NULL);
    for (i = 0; i < 3 * p->n; i++)
        s->u[i] += s->du[i];
    return 1;
}

/* twice the energy, u'K u, in equilibrium between the ends; *out_bad: a tet without volume. 0: out of memory */
static int cti_locking_energy(cti_locking *p, cti_locking_solve *s, ct_real poisson, double *out, int *out_bad)
{
    cti_mem *mem = &p->mem;
    int32_t *pairs = NULL;
    size_t n3 = 3 * (size_t)p->n;
    int per = p->nodes * (p->nodes - 1) / 2, i, a, b, k = 0, ok = CTI_RESIZE(mem, pairs, 2 * (size_t)per * (size_t)p->m);
    for (i = 0; ok && i < p->m; i++)
        for (a = 0; a < p->nodes; a++)
            for (b = 0; b < a; b++, k += 2)
                pairs[k] = p->tets[p->nodes * i + a], pairs[k + 1] = p->tets[p->nodes * i + b];
    ok = ok && cti_bsr_pattern(mem, &s->A, p->n, pairs, k / 2) && CTI_RESIZE(mem, s->u, n3) && CTI_RESIZE(mem, s->b, n3) &&
         CTI_RESIZE(mem, s->du, n3) && CTI_RESIZE(mem, s->work, 4 * n3) && CTI_RESIZE(mem, s->held, p->n);
    CTI_FREE(mem, pairs);
    if (!ok)
        return 0;
    *out_bad = cti_locking_stiffness(p, poisson, &s->A);
    if (*out_bad >= 0)
        return 1;
    if (!cti_locking_relax(p, s))
        return 0;
    cti_locking_stiffness(p, poisson, &s->A);
    cti_bsr_mul(&s->A, s->u, s->b);
    *out = (double)cti_krylov_dot(3 * p->n, s->u, s->b);
    return 1;
}

static void cti_locking_free(cti_locking *p, cti_locking_solve *s)
{
    cti_mem *mem = &p->mem;
    cti_bsr_free(mem, &s->A), cti_jacobi_free(mem, &s->jacobi);
    CTI_FREE_SPAN(mem, s->u, s->held);
    memset(s, 0, sizeof *s);
}

static ct_code cti_locking_check(const ct_mesh *mesh, ct_real poisson, ct_error_info *e)
{
    if (!(poisson > -1) || !(poisson < CTI_R(0.5)))
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)poisson, "poisson has to be in (-1, 1/2)");
    if (mesh->n_positions < 4 || mesh->n_tets < 1 || !mesh->positions || !mesh->tets)
        return cti_error_set(e, CT_ERR_MESH, -1, mesh->n_tets, "a mesh with tets is needed");
    if (mesh->n_tets > CTI_LOCKING_TETS)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, mesh->n_tets, "more tets than %d", CTI_LOCKING_TETS);
    return cti_mesh_check(mesh, CTI_EXACT_MOST, e);
}

static ct_code cti_locking_measure(const ct_mesh *mesh, ct_real poisson, ct_real *out_factor, ct_error_info *out_error)
{
    cti_locking p, q;
    cti_locking_solve s;
    double e[2] = {0, 0};
    ct_code code;
    int ok, bad = -1;
    if (!mesh || !out_factor)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "mesh and out_factor may not be NULL");
    if ((code = cti_locking_check(mesh, poisson, out_error)) != CT_OK)
        return code;
    memset(&p, 0, sizeof p), memset(&s, 0, sizeof s);
    cti_mem_init(&p.mem, NULL);
    p.x = mesh->positions, p.tets = mesh->tets, p.n = mesh->n_positions, p.m = mesh->n_tets, p.nodes = 4;
    cti_locking_axes(&p);
    q = p, q.x = NULL, q.tets = NULL;
    ok = cti_locking_energy(&p, &s, poisson, &e[0], &bad);
    cti_locking_free(&p, &s);
    ok = ok && bad < 0 && cti_locking_quadratic(&p, &q) ? cti_locking_energy(&q, &s, poisson, &e[1], &bad) : ok && bad >= 0;
    cti_locking_free(&q, &s);
    CTI_FREE(&q.mem, q.x);
    CTI_FREE(&q.mem, q.tets);
    if (!ok)
        return cti_error_set(out_error, CT_ERR_MEMORY, -1, 0, "out of memory for a stiffness");
    if (bad >= 0)
        return cti_error_set(out_error, CT_ERR_MESH, bad, 0, "a tet is inverted or flat (element: tet)");
    *out_factor = e[1] > 0 && e[0] > e[1] ? (ct_real)(e[0] / e[1]) : 1;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_mesh_locking(const ct_mesh *mesh, ct_real poisson, ct_real *out_factor, ct_error_info *out_error)
{
    CTI_FPENV_RETURN(cti_locking_measure(mesh, poisson, out_factor, out_error))
}
