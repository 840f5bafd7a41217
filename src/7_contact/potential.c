/* potential.c -- potentials of pairs of features.
   Method: with r = sum c_i x_i between the closest points, D = |r|^2, and y the free parameters of the closest feature (none, t, or two),
   the derivatives of r by y span a tangent frame t_j, orthogonal to r; e_j are the derivatives of c along it. Then
       Hessian of E(D) = N cc' (x) nn' + a sum_j [(c (x) t_j)(e_j (x) n)' + transpose] + a d sum_j (e_j (x) n)(e_j (x) n)'
                         + 2 E' cc' (x) (the rest of 1 - nn' - sum t_j t_j'),    n = r / d, N = 2 E' + 4 E'' D, a = -2 E' d >= 0.
   The last term is negative and orthogonal to the others. The rest lives in the span of q_m (x) n, with q_m orthonormal in the span of c and the
   e_j, and q_1 (x) t_j: at most five dimensions, so that the projection to positive semidefinite is that of a matrix of five rows or
   fewer, and of one number where there are no free parameters. Mollified edges, which are few, take the whole matrix of twelve rows.
   based on: Li et al. 2020, Incremental potential contact, sec. 4 and 5, supplement; the reduced form is ours. */
#include "potential.h"
#include "../1_math/eig3.h"
#include "../1_math/elem.h"
#include "../4_geom/dist.h"

#define CTI_MOLLIFIER_PART CTI_R(1e-3) /* [1] squared sine between edges below which their potential fades out: IPC's value */

CTI_FN double cti_barrier_value(ct_barrier_kind kind, double s, double *out_first, double *out_second)
{
    double l, q = s - 1, i;
    *out_first = *out_second = 0;
    if (!(s < 1))
        return 0;
    i = 1 / s;
    if (kind == CT_BARRIER_RATIONAL) {
        *out_first = q * q * (-3 + q * i) * i;
        *out_second = -2 * q * (3 + i * q * (-3 + q * i)) * i;
        return -q * q * q * i;
    }
    l = cti_log64(s);
    *out_first = -q * (2 * l + q * i);
    *out_second = -2 * l - q * i * (4 - q * i);
    return -q * q * l;
}

CTI_FN double cti_mollifier_value(double c, double e, double *out_first, double *out_second)
{
    double q = c / e;
    *out_first = *out_second = 0;
    if (!(q < 1))
        return 1;
    *out_first = 2 * (1 - q) / e;
    *out_second = -2 / (e * e);
    return q * (2 - q);
}

CTI_FN ct_real cti_mollifier_width(const ct_real x[12])
{
    return CTI_MOLLIFIER_PART * cti_v3_norm2(cti_v3_sub(cti_v3_at(x, 1), cti_v3_at(x, 0))) *
           cti_v3_norm2(cti_v3_sub(cti_v3_at(x, 3), cti_v3_at(x, 2)));
}

CTI_FN double cti_friction_value(double u, double e, double *out_rate, double *out_slope)
{
    double q = u / e;
    if (q >= 1) {
        *out_rate = 1 / u;
        *out_slope = 0;
        return u;
    }
    *out_rate = (2 - q) / e;
    *out_slope = 2 * (1 - q) / e;
    return e * (q * q * (1 - q / 3) + 1.0 / 3);
}

/* ---- the closest feature ---- */

/* cti_closest -- r = sum c_i x_i and its derivatives by the free parameters */
typedef struct cti_closest {
    int n, k;           /* points; free parameters */
    ct_real c[4], e[2][4];
    cti_v3 r;
} cti_closest;

static void cti_closest_face(const ct_real *x, cti_closest *q)
{
    ct_real w[3];
    int f, i, j;
    cti_dist_pt(x, x + 3, x + 6, x + 9, w, &f);
    q->c[0] = 1, q->c[1] = -w[0], q->c[2] = -w[1], q->c[3] = -w[2];
    q->k = f == 6 ? 2 : f >= 3;
    if (f == 6) {
        q->e[0][1] = q->e[1][1] = 1;
        q->e[0][2] = q->e[1][3] = -1;
    } else if (f >= 3) {
        i = f - 3;
        j = i == 2 ? 0 : i + 1;
        q->e[0][1 + i] = 1;
        q->e[0][1 + j] = -1;
    }
}

static void cti_closest_edges(const ct_real *x, cti_closest *q)
{
    ct_real st[2];
    int f;
    cti_dist_ee(x, x + 3, x + 6, x + 9, st, &f);
    q->c[0] = 1 - st[0], q->c[1] = st[0], q->c[2] = st[1] - 1, q->c[3] = -st[1];
    if (!(f & (CTI_DIST_A0 | CTI_DIST_A1))) {
        q->e[q->k][0] = -1;
        q->e[q->k++][1] = 1;
    }
    if (!(f & (CTI_DIST_B0 | CTI_DIST_B1))) {
        q->e[q->k][2] = 1;
        q->e[q->k++][3] = -1;
    }
}

static void cti_closest_find(ct_pair_kind kind, const ct_real *x, cti_closest *q)
{
    ct_real t;
    int f, i;
    memset(q, 0, sizeof *q);
    q->n = kind == CT_PAIR_VV ? 2 : kind == CT_PAIR_VE ? 3 : 4;
    if (kind == CT_PAIR_VF) {
        cti_closest_face(x, q);
    } else if (kind == CT_PAIR_EE) {
        cti_closest_edges(x, q);
    } else if (kind == CT_PAIR_VE) {
        cti_dist_pe(x, x + 3, x + 6, &t, &f);
        q->c[0] = 1, q->c[1] = t - 1, q->c[2] = -t;
        q->k = f == 2;
        q->e[0][1] = 1, q->e[0][2] = -1;
    } else {
        q->c[0] = 1, q->c[1] = -1;
    }
    /* coefficients sum to zero: relative to the first point no digits are lost far from the origin */
    q->r = cti_v3_zero();
    for (i = 1; i < q->n; i++)
        q->r = cti_v3_mad(q->r, cti_v3_sub(cti_v3_at(x, i), cti_v3_at(x, 0)), q->c[i]);
}

/* ---- the Hessian in few dimensions ---- */

/* cti_reduced -- H [size size] over the vectors q_m (x) n, m < 1 + k, then q_0 (x) t_j, j < k */
typedef struct cti_reduced {
    int k, size;
    ct_real q[3][4], H[25];
    cti_v3 n, t[2];
} cti_reduced;

static ct_real cti_dot4(const ct_real *a, const ct_real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

/* tangent frame and e of it from R_j = sum e_ji x_i, by Gram and Schmidt; parameters that move nothing are left out */
static void cti_reduced_frame(const cti_closest *p, const ct_real *x, cti_reduced *m, ct_real e[2][4])
{
    int j, i, l;
    m->k = 0;
    for (j = 0; j < p->k; j++) {
        cti_v3 R = cti_v3_zero();
        ct_real f[4], size, along, norm;
        memcpy(f, p->e[j], sizeof f);
        for (i = 1; i < p->n; i++)
            R = cti_v3_mad(R, cti_v3_sub(cti_v3_at(x, i), cti_v3_at(x, 0)), f[i]);
        size = cti_v3_norm(R);
        for (l = 0; l < m->k; l++) {
            along = cti_v3_dot(R, m->t[l]);
            R = cti_v3_mad(R, m->t[l], -along);
            for (i = 0; i < 4; i++)
                f[i] -= along * e[l][i];
        }
        norm = cti_v3_norm(R);
        if (!(norm > 64 * CTI_EPS * size))
            continue;
        m->t[m->k] = cti_v3_mul(R, 1 / norm);
        for (i = 0; i < 4; i++)
            e[m->k][i] = f[i] / norm;
        m->k++;
    }
}

/* H of the method; E1, E2: derivatives of E by D */
static void cti_reduced_make(const cti_closest *p, const ct_real *x, double E1, double E2, cti_reduced *m)
{
    ct_real d = cti_v3_norm(p->r), e[2][4], G[2][3], c = cti_sqrt(cti_dot4(p->c, p->c)), a = (ct_real)(-2 * E1) * d, norm;
    int i, j, l, rows;
    m->n = cti_v3_mul(p->r, 1 / d);
    cti_reduced_frame(p, x, m, e);
    m->size = 1 + 2 * m->k;
    memset(m->H, 0, sizeof m->H);
    memset(G, 0, sizeof G);
    for (i = 0; i < 4; i++)
        m->q[0][i] = p->c[i] / c;
    /* G: e_j = sum_m G_jm q_m; a direction that is there already gets a zero row */
    for (j = 0; j < m->k; j++) {
        ct_real f[4], whole = cti_sqrt(cti_dot4(e[j], e[j]));
        memcpy(f, e[j], sizeof f);
        for (l = 0; l <= j; l++) {
            G[j][l] = cti_dot4(f, m->q[l]);
            for (i = 0; i < 4; i++)
                f[i] -= G[j][l] * m->q[l][i];
        }
        norm = cti_sqrt(cti_dot4(f, f));
        G[j][j + 1] = norm > 64 * CTI_EPS * whole ? norm : 0;
        for (i = 0; i < 4; i++)
            m->q[j + 1][i] = G[j][j + 1] > 0 ? f[i] / norm : 0;
    }
    rows = m->size;
    m->H[0] = (ct_real)(2 * E1 + 4 * E2 * (double)(d * d)) * c * c;
    for (j = 0; j < m->k; j++)
        for (i = 0; i <= m->k; i++) {
            for (l = 0; l <= m->k; l++)
                m->H[rows * i + l] += a * d * G[j][i] * G[j][l];
            m->H[rows * i + 1 + m->k + j] = m->H[rows * (1 + m->k + j) + i] = a * c * G[j][i];
        }
}

/* out [3 n][3 n] = Q H Q' */
static void cti_reduced_expand(const cti_reduced *m, int n, ct_real *out)
{
    ct_real Q[12][5], row[5];
    int i, j, k, l, n3 = 3 * n;
    for (i = 0; i < n; i++)
        for (l = 0; l < m->size; l++) {
            cti_v3 v = cti_v3_mul(l <= m->k ? m->n : m->t[l - 1 - m->k], l <= m->k ? m->q[l][i] : m->q[0][i]);
            Q[3 * i][l] = v.x, Q[3 * i + 1][l] = v.y, Q[3 * i + 2][l] = v.z;
        }
    for (i = 0; i < n3; i++) {
        for (l = 0; l < m->size; l++)
            for (row[l] = 0, k = 0; k < m->size; k++)
                row[l] += Q[i][k] * m->H[m->size * k + l];
        for (j = i; j < n3; j++) {
            ct_real sum = 0;
            for (l = 0; l < m->size; l++)
                sum += row[l] * Q[j][l];
            out[n3 * i + j] = out[n3 * j + i] = sum;
        }
    }
}

/* the negative part that the projection drops: 2 E1 cc' (x) (1 - nn' - sum t t') */
static void cti_reduced_rest(const cti_closest *p, const cti_reduced *m, double E1, ct_real *out)
{
    int i, j, a, b, l, n3 = 3 * p->n;
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++) {
            ct_real n[3], t[3], P = a == b;
            cti_v3_put(n, 0, m->n);
            P -= n[a] * n[b];
            for (l = 0; l < m->k; l++) {
                cti_v3_put(t, 0, m->t[l]);
                P -= t[a] * t[b];
            }
            for (i = 0; i < p->n; i++)
                for (j = 0; j < p->n; j++)
                    out[n3 * (3 * i + a) + 3 * j + b] += (ct_real)(2 * E1) * p->c[i] * p->c[j] * P;
        }
}

/* ---- nearly parallel edges ---- */

/* c = |u x v|^2 of edges u = x1 - x0, v = x3 - x2, its gradient and its Hessian */
static ct_real cti_mollifier_derive(const ct_real *x, ct_real *g, ct_real *H)
{
    cti_v3 u = cti_v3_sub(cti_v3_at(x, 1), cti_v3_at(x, 0)), v = cti_v3_sub(cti_v3_at(x, 3), cti_v3_at(x, 2)), gu, gv;
    ct_real uu = cti_v3_norm2(u), vv = cti_v3_norm2(v), uv = cti_v3_dot(u, v), U[3], V[3];
    int i, j, a, b;
    cti_v3_put(U, 0, u), cti_v3_put(V, 0, v);
    /* c = uu vv - uv^2 */
    gu = cti_v3_mul(cti_v3_sub(cti_v3_mul(u, vv), cti_v3_mul(v, uv)), 2);
    gv = cti_v3_mul(cti_v3_sub(cti_v3_mul(v, uu), cti_v3_mul(u, uv)), 2);
    cti_v3_put(g, 0, cti_v3_mul(gu, -1)), cti_v3_put(g, 1, gu);
    cti_v3_put(g, 2, cti_v3_mul(gv, -1)), cti_v3_put(g, 3, gv);
    for (a = 0; H && a < 3; a++)
        for (b = 0; b < 3; b++) {
            ct_real id = a == b, block[4]; /* uu, uv, vu, vv */
            block[0] = 2 * (vv * id - V[a] * V[b]);
            block[1] = 2 * (2 * U[a] * V[b] - V[a] * U[b] - uv * id);
            block[2] = 2 * (2 * V[a] * U[b] - U[a] * V[b] - uv * id);
            block[3] = 2 * (uu * id - U[a] * U[b]);
            for (i = 0; i < 4; i++)
                for (j = 0; j < 4; j++)
                    H[12 * (3 * i + a) + 3 * j + b] = ((i ^ j) & 1 ? -1 : 1) * block[2 * (i / 2) + j / 2];
        }
    return cti_v3_norm2(cti_v3_cross(u, v));
}

/* value m b; gradient and Hessian by the product rule */
static void cti_mollified(const ct_real *x, const double *b, double m, double m1, double m2, int want, cti_potential_terms *out)
{
    ct_real gc[12], Hc[144], gd[12], Hd[144];
    int i, j, whole = want >= CTI_POTENTIAL_PROJECTED;
    out->value = m * b[0];
    if (want == CTI_POTENTIAL_VALUE)
        return;
    cti_mollifier_derive(x, gc, whole ? Hc : NULL);
    cti_dist_ee_grad(x, gd, whole ? Hd : NULL);
    for (i = 0; i < 12; i++)
        out->gradient[i] = (ct_real)(m * b[1]) * gd[i] + (ct_real)(m1 * b[0]) * gc[i];
    for (i = 0; whole && i < 12; i++)
        for (j = 0; j < 12; j++)
            out->hessian[12 * i + j] = (ct_real)(m * b[1]) * Hd[12 * i + j] + (ct_real)(m * b[2]) * gd[i] * gd[j] +
                                       (ct_real)(m1 * b[1]) * (gd[i] * gc[j] + gc[i] * gd[j]) + (ct_real)(m1 * b[0]) * Hc[12 * i + j] +
                                       (ct_real)(m2 * b[0]) * gc[i] * gc[j];
}

/* ---- projection, eight matrices at a time ---- */

/* cti_psd_queue -- matrices of one size that wait for others */
typedef struct cti_psd_queue {
    int n, count;
    ct_real *to[8];
    ct_real lanes[8 * 81];
} cti_psd_queue;

static void cti_psd_flush(cti_psd_queue *q)
{
    cti_r8 a[81];
    int i, k, m = q->n * q->n;
    if (q->count == 0)
        return;
    for (i = 0; i < m; i++)
        for (k = q->count; k < 8; k++)
            q->lanes[8 * i + k] = 0;
    for (i = 0; i < m; i++)
        a[i] = cti_load8(q->lanes + 8 * i);
    cti_psd_project_8(a, q->n);
    for (i = 0; i < m; i++)
        cti_store8(q->lanes + 8 * i, a[i]);
    for (k = 0; k < q->count; k++)
        for (i = 0; i < m; i++)
            q->to[k][i] = q->lanes[8 * i + k];
    q->count = 0;
}

static void cti_psd_push(cti_psd_queue *q, ct_real *a)
{
    int i, m = q->n * q->n;
    for (i = 0; i < m; i++)
        q->lanes[8 * i + q->count] = a[i];
    q->to[q->count++] = a;
    if (q->count == 8)
        cti_psd_flush(q);
}

/* rows of three orthonormal differences of four points: what is left of a matrix that a translation does not see */
static const ct_real cti_differences[3][4] = {{CTI_R(0.70710678118654752440), -CTI_R(0.70710678118654752440), 0, 0},
                                              {0, 0, CTI_R(0.70710678118654752440), -CTI_R(0.70710678118654752440)},
                                              {CTI_R(0.5), CTI_R(0.5), -CTI_R(0.5), -CTI_R(0.5)}};

/* D A D' of a matrix of n x n blocks, D m x n: the rows of differences, or their transpose */
CTI_INLINE void cti_differences_turn(const ct_real *A, int n, int m, ct_real *out)
{
    ct_real half[12][12];
    int i, j, a, b, k;
    for (i = 0; i < m; i++)
        for (a = 0; a < 3; a++)
            for (j = 0; j < 3 * n; j++)
                for (half[3 * i + a][j] = 0, k = 0; k < n; k++)
                    half[3 * i + a][j] += (m < n ? cti_differences[i][k] : cti_differences[k][i]) * A[3 * n * (3 * k + a) + j];
    for (i = 0; i < 3 * m; i++)
        for (j = 0; j < m; j++)
            for (b = 0; b < 3; b++) {
                ct_real sum = 0;
                for (k = 0; k < n; k++)
                    sum += half[i][3 * k + b] * (m < n ? cti_differences[j][k] : cti_differences[k][j]);
                out[3 * m * i + 3 * j + b] = sum;
            }
}

/* H [12 12] in the coordinates of differences: out [9 9]; and the way back */
static void cti_differences_of(const ct_real *H, ct_real *out) { cti_differences_turn(H, 4, 3, out); }
static void cti_differences_expand(const ct_real *a9, ct_real *H) { cti_differences_turn(a9, 3, 4, H); }

/* ---- pairs ---- */

/* b [3]: k b and its derivatives by D = d^2. 0: beyond dhat */
static int cti_potential_of(const cti_potential *p, ct_real d2, double *b)
{
    double hat2 = (double)p->dhat * (double)p->dhat, s = (double)d2 / hat2;
    if (!(s < 1))
        return 0;
    b[0] = (double)p->k * cti_barrier_value(p->kind, s, &b[1], &b[2]);
    b[1] *= (double)p->k / hat2;
    b[2] *= (double)p->k / (hat2 * hat2);
    return 1;
}

/* How a pair's Hessian is made */
typedef enum cti_form { CTI_FORM_NONE, CTI_FORM_REDUCED, CTI_FORM_WHOLE } cti_form;

/* cti_made -- a pair's closest feature, its reduced Hessian, and the barrier's derivative by D */
typedef struct cti_made {
    cti_closest q;
    cti_reduced m;
    cti_form form;
    double slope;
} cti_made;

/* the value, and what `want` asks for but the projection: REDUCED leaves m, WHOLE out->hessian to be projected */
static int cti_potential_begin(const cti_potential *p, ct_pair_kind kind, const ct_real *x, int want, cti_potential_terms *out, cti_made *made)
{
    cti_closest *q = &made->q;
    double b[3], mol, m1, m2;
    int i;
    made->form = CTI_FORM_NONE;
    cti_closest_find(kind, x, q);
    out->d2 = cti_v3_norm2(q->r);
    if (!cti_potential_of(p, out->d2, b))
        return 0;
    made->slope = b[1];
    memcpy(out->c, q->c, sizeof out->c);
    out->value = b[0];
    out->force = (ct_real)(-2 * b[1]) * cti_sqrt(out->d2);
    if (kind == CT_PAIR_EE && p->width > 0) {
        cti_v3 u = cti_v3_sub(cti_v3_at(x, 1), cti_v3_at(x, 0)), v = cti_v3_sub(cti_v3_at(x, 3), cti_v3_at(x, 2));
        ct_real c = cti_v3_norm2(cti_v3_cross(u, v));
        if (c < p->width) {
            mol = cti_mollifier_value((double)c, (double)p->width, &m1, &m2);
            out->force *= (ct_real)mol;
            cti_mollified(x, b, mol, m1, m2, want, out);
            made->form = want >= CTI_POTENTIAL_PROJECTED ? CTI_FORM_WHOLE : CTI_FORM_NONE;
            return 1;
        }
    }
    if (want == CTI_POTENTIAL_VALUE)
        return 1;
    for (i = 0; i < q->n; i++)
        cti_v3_put(out->gradient, i, cti_v3_mul(q->r, (ct_real)(2 * b[1]) * q->c[i]));
    if (want == CTI_POTENTIAL_GRADIENT)
        return 1;
    cti_reduced_make(q, x, b[1], b[2], &made->m);
    made->form = CTI_FORM_REDUCED;
    return 1;
}

CTI_FN int cti_potential_eval(const cti_potential *p, ct_pair_kind kind, const ct_real *x, int want, cti_potential_terms *out)
{
    cti_made made;
    if (want == CTI_POTENTIAL_PROJECTED) {
        ct_real points[12];
        uint8_t found;
        memset(points, 0, sizeof points);
        memcpy(points, x, sizeof(ct_real) * (kind == CT_PAIR_VV ? 6 : kind == CT_PAIR_VE ? 9 : 12));
        cti_potential_eval_many(p, &kind, points, 1, out, &found);
        return found;
    }
    if (!cti_potential_begin(p, kind, x, want, out, &made))
        return 0;
    if (made.form == CTI_FORM_REDUCED) {
        cti_reduced_expand(&made.m, made.q.n, out->hessian);
        cti_reduced_rest(&made.q, &made.m, made.slope, out->hessian);
    }
    return 1;
}

CTI_FN void cti_potential_eval_many(const cti_potential *p, const ct_pair_kind *kind, const ct_real *x, int n, cti_potential_terms *out,
                                    uint8_t *found)
{
    cti_psd_queue queue[3];
    cti_made made[CTI_POTENTIAL_MANY];
    ct_real whole[81 * 8];
    int i, k, wholes = 0, at[8];
    queue[0].n = 3, queue[1].n = 5, queue[2].n = 9;
    queue[0].count = queue[1].count = queue[2].count = 0;
    for (i = 0; i < n; i++) {
        found[i] = (uint8_t)cti_potential_begin(&p[i], kind[i], x + 12 * (size_t)i, CTI_POTENTIAL_PROJECTED, &out[i], &made[i]);
        if (made[i].form == CTI_FORM_REDUCED) {
            if (made[i].m.k == 0)
                made[i].m.H[0] = cti_max(made[i].m.H[0], 0);
            else
                cti_psd_push(&queue[made[i].m.k - 1], made[i].m.H);
        } else if (made[i].form == CTI_FORM_WHOLE) {
            cti_differences_of(out[i].hessian, whole + 81 * (size_t)wholes);
            cti_psd_push(&queue[2], whole + 81 * (size_t)wholes);
            at[wholes++] = i;
        }
        for (k = 0; wholes == 8 && k < 8; k++)
            cti_differences_expand(whole + 81 * (size_t)k, out[at[k]].hessian);
        wholes &= 7;
    }
    for (k = 0; k < 3; k++)
        cti_psd_flush(&queue[k]);
    for (k = 0; k < wholes; k++)
        cti_differences_expand(whole + 81 * (size_t)k, out[at[k]].hessian);
    for (i = 0; i < n; i++)
        if (made[i].form == CTI_FORM_REDUCED)
            cti_reduced_expand(&made[i].m, kind[i] == CT_PAIR_VV ? 2 : kind[i] == CT_PAIR_VE ? 3 : 4, out[i].hessian);
}

CTI_FN int cti_potential_plane(const cti_potential *p, cti_v3 normal, ct_real gap, int want, cti_potential_terms *out)
{
    ct_real n[3], N;
    double b[3];
    int i, j;
    out->d2 = gap * gap;
    if (!cti_potential_of(p, out->d2, b))
        return 0;
    out->c[0] = 1, out->c[1] = out->c[2] = out->c[3] = 0;
    out->value = b[0];
    out->force = (ct_real)(-2 * b[1]) * gap;
    cti_v3_put(n, 0, normal);
    cti_v3_put(out->gradient, 0, cti_v3_mul(normal, -out->force));
    if (want < CTI_POTENTIAL_PROJECTED)
        return 1;
    N = (ct_real)(2 * b[1] + 4 * b[2] * (double)out->d2);
    if (want == CTI_POTENTIAL_PROJECTED)
        N = cti_max(N, 0);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            out->hessian[3 * i + j] = N * n[i] * n[j];
    return 1;
}
