/* tet.c -- linear tetrahedra: F = sum (x_a - x_0) b_a', P = d psi / d F, force -V P b_a, stiffness V B' (d2 psi / d F2) B.
   Damping: the second Piola-Kirchhoff stress beta (lambda tr(E') 1 + 2 mu E') by the rate E' of Green's strain (a Kelvin-Voigt solid).
   Method: the Hessian is computed in the principal space of F = U S V': a 3x3 stretch block A and, for each pair of axes, the eigenvalues
   of its twist and flip modes. The projection clamps A's eigenvalues and these to zero. Blocks of node 0 are minus the sums of the others,
   so that rows sum to zero up to rounding. Energy densities:
     neohookean         mu/2 (|F|^2 - 3) - mu L + lambda/2 L^2, L = log J, below J0 = 0.2 its Taylor polynomial of order 2
     corotational       mu |F - R|^2 + lambda/2 (tr S - 3)^2
     stvk               mu |E|^2 + lambda/2 (tr E)^2, E = (F'F - 1) / 2: softens when compressed, by one axis its stress turns at
                        s = 1 / sqrt 3 and is zero again at 0; inverted tets, which it does not bring back, are counted as extended
     stable_neohookean  m/2 (|F|^2 - 3) + l/2 (J - alpha)^2 - m/2 log(|F|^2 + 1): no logarithm of J, finite at any F
     hong_neohookean    mu/2 (J^(-2/3) |F|^2 - 3) + kappa/2 (J - 1)^2, kappa = lambda + 2 mu / 3, J^(-2/3) continued as log J is
   Based on: Bonet and Wood, ch. 6 (compressible and nearly incompressible neo-Hookean, the material of Hong et al. 2006); Teran et al.
   2005 and Smith et al. 2019 (principal space); Mueller and Gross 2004 (corotated K); Smith et al. 2018 (stable). */
#include "tet.h"
#include "../0_base/fpenv.h"
#include "../1_math/eig3.h"
#include "../1_math/elem.h"
#include "../1_math/vec.h"

#define CTI_TET_J0 CTI_R(0.2)

/* working data of eight tets, from positions to force and stiffness */
typedef struct cti_tet_lanes {
    cti_r8 b[9], volume; /* rest: rows b_1, b_2, b_3 */
    cti_r8 f[9], p[9];   /* F, first Piola-Kirchhoff stress */
    cti_r8 psi;          /* energy density */
    cti_r8 u[9], s[3], v[9];
    cti_r8 a[6], twist[3], flip[3]; /* Hessian in principal space: a xx yy zz yz xz xy; twist[k], flip[k] belong to the two axes other than
                                       k */
    int extended;                   /* bit mask of lanes whose log J was continued, or which StVK finds inverted */
} cti_tet_lanes;

/* ---- rest state ---- */

/* b_a = row a of [X1 - X0, X2 - X0, X3 - X0]^-1; returns the volume, 0 where the tet is flat to rounding */
static double cti_tet_rest(const ct_real *X, const int32_t *q, ct_real *b)
{
    cti_v3 o = cti_v3_at(X, q[0]), e1 = cti_v3_sub(cti_v3_at(X, q[1]), o), e2 = cti_v3_sub(cti_v3_at(X, q[2]), o),
           e3 = cti_v3_sub(cti_v3_at(X, q[3]), o), c1 = cti_v3_cross(e2, e3), c2 = cti_v3_cross(e3, e1), c3 = cti_v3_cross(e1, e2);
    ct_real det = cti_v3_dot(e3, c3), size = cti_v3_norm(e1) * cti_v3_norm(e2) * cti_v3_norm(e3), inverse = det == 0 ? CTI_R(0) : 1 / det;
    cti_v3_put(b, 0, cti_v3_mul(c1, inverse));
    cti_v3_put(b, 1, cti_v3_mul(c2, inverse));
    cti_v3_put(b, 2, cti_v3_mul(c3, inverse));
    if (det > 0 && !(det > 64 * CTI_EPS * size))
        return 0;
    return (double)det / 6;
}

CTI_FN void cti_tet_batch_material(cti_tet_batch *t, const ct_material *m)
{
    t->model = m->model, t->density = m->density, t->damping_stiffness = m->damping_stiffness;
    cti_material_lame(m, &t->mu, &t->lambda);
}

CTI_FN int cti_tet_batch_init(cti_mem *mem, cti_tet_batch *t, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad_tet,
                              double *out_value)
{
    int e, i, batches = (rest->n + 7) / 8;
    t->n = rest->n, t->hessian = CTI_HESSIAN_STEP;
    cti_tet_batch_material(t, m);
    if (!cti_element_nodes(mem, &t->node, rest->elements, rest->n, 4, rest->node_offset) ||
        !CTI_RESIZE(mem, t->rest, (size_t)batches * CTI_TET_REST * 8))
        return 0;
    for (e = 0; e < 8 * batches; e++) {
        int source = cti_min_int(e, rest->n - 1);
        ct_real b[CTI_TET_REST];
        double volume = cti_tet_rest(rest->X, rest->elements + 4 * source, b);
        if (!(volume > 0) || !cti_finite64(volume)) {
            *out_bad_tet = source, *out_value = volume;
            return -1;
        }
        b[9] = (ct_real)volume;
        for (i = 0; i < CTI_TET_REST; i++)
            t->rest[(e / 8 * CTI_TET_REST + i) * 8 + e % 8] = b[i];
    }
    return 1;
}

CTI_FN void cti_tet_batch_fill(cti_tet_batch *t, const ct_real *fill)
{
    int e;
    for (e = 0; e < t->n; e++)
        t->rest[(e / 8 * CTI_TET_REST + 9) * 8 + e % 8] *= fill[e];
}

CTI_FN void cti_tet_batch_mass(const cti_tet_batch *t, ct_real *mass)
{
    int e, a;
    for (e = 0; e < t->n; e++)
        for (a = 0; a < 4; a++)
            mass[t->node[4 * e + a]] += t->density * t->rest[(e / 8 * CTI_TET_REST + 9) * 8 + e % 8] / 4;
}

/* ---- the models: P and psi from F (and its SVD where the model needs it), then the Hessian in principal space ---- */

/* c_i = s_j s_k, the derivative of J by s_i */
CTI_INLINE void cti_tet_cofactors(const cti_r8 *s, cti_r8 *c)
{
    c[0] = cti_mul8(s[1], s[2]), c[1] = cti_mul8(s[0], s[2]), c[2] = cti_mul8(s[0], s[1]);
}

/* Hessian of  m/2 |F|^2 + g(J):  A = m 1 + g'' c c' + g' s_k off the diagonal, twist m + g' s_k, flip m - g' s_k */
CTI_LANES_FN void cti_tet_volumetric(cti_tet_lanes *w, cti_r8 m, cti_r8 g1, cti_r8 g2)
{
    cti_r8 c[3], gs[3], gc[3];
    cti_tet_cofactors(w->s, c);
    cti_scale3_8(g1, w->s, gs);
    cti_scale3_8(g2, c, gc);
    w->a[0] = cti_mad8(m, gc[0], c[0]), w->a[1] = cti_mad8(m, gc[1], c[1]), w->a[2] = cti_mad8(m, gc[2], c[2]);
    w->a[3] = cti_mad8(gs[0], gc[1], c[2]), w->a[4] = cti_mad8(gs[1], gc[0], c[2]), w->a[5] = cti_mad8(gs[2], gc[0], c[1]);
    w->twist[0] = cti_add8(m, gs[0]), w->twist[1] = cti_add8(m, gs[1]), w->twist[2] = cti_add8(m, gs[2]);
    w->flip[0] = cti_sub8(m, gs[0]), w->flip[1] = cti_sub8(m, gs[1]), w->flip[2] = cti_sub8(m, gs[2]);
}
/* P = m F + g' cof F */
CTI_LANES_FN void cti_tet_volumetric_stress(cti_tet_lanes *w, cti_r8 m, cti_r8 g1, const cti_r8 *cof)
{
    int i;
    for (i = 0; i < 9; i++)
        w->p[i] = cti_mad8(cti_mul8(m, w->f[i]), g1, cof[i]);
}
CTI_LANES_FN cti_r8 cti_tet_norm2(const cti_r8 *f)
{
    return cti_add8(cti_dot8(f, f), cti_add8(cti_dot8(f + 3, f + 3), cti_dot8(f + 6, f + 6)));
}

static void cti_tet_neohookean(const cti_tet_batch *t, cti_tet_lanes *w, int want_hessian)
{
    const cti_r8 mu = cti_set8(t->mu), la = cti_set8(t->lambda), j0 = cti_set8(CTI_TET_J0), half = cti_set8(CTI_R(0.5));
    cti_r8 cof[9], j, jc, d, l, l1, l2, h, g1, g2;
    /* L, L', L'' at J; d = J - J0 where the logarithm is continued, else 0 */
    j = cti_cofactor8(w->f, cof);
    w->extended = cti_bits8(cti_lt8(j, j0));
    jc = cti_max8(j, j0), d = cti_sub8(j, jc);
    l1 = cti_div8(cti_set8(1), jc), l2 = cti_neg8(cti_mul8(l1, l1));
    l = cti_mad8(CTI_R8(log)(jc), d, cti_mad8(l1, half, cti_mul8(d, l2)));
    l1 = cti_mad8(l1, d, l2);
    /* g(J) = -mu L + lambda/2 L^2 */
    h = cti_nmad8(mu, la, l);
    g1 = cti_neg8(cti_mul8(h, l1));
    cti_tet_volumetric_stress(w, mu, g1, cof);
    w->psi = cti_sub8(cti_mul8(cti_mul8(half, mu), cti_sub8(cti_tet_norm2(w->f), cti_set8(3))),
                      cti_mul8(l, cti_nmad8(mu, cti_mul8(half, la), l)));
    if (!want_hessian)
        return;
    g2 = cti_nmad8(cti_mul8(la, cti_mul8(l1, l1)), h, l2);
    cti_svd3_8(w->f, w->u, w->s, w->v);
    cti_tet_volumetric(w, mu, g1, g2);
}

static void cti_tet_stable(const cti_tet_batch *t, cti_tet_lanes *w, int want_hessian)
{
    /* differs: m and l from Lame's constants so that small strains agree with linear elasticity (Smith et al. 2018, 3.4) */
    const ct_real m0 = t->mu * 4 / 3, l0 = t->lambda + t->mu * 5 / 6;
    const cti_r8 one = cti_set8(1), mu = cti_set8(m0), la = cti_set8(l0), half = cti_set8(CTI_R(0.5));
    cti_r8 cof[9], j, ic, q, m, g1, e;
    int i;
    j = cti_sub8(cti_cofactor8(w->f, cof), cti_set8(1 + m0 / l0 - m0 / (4 * l0)));
    ic = cti_tet_norm2(w->f), q = cti_div8(one, cti_add8(ic, one));
    /* P = m (1 - 1/(I + 1)) F + l (J - alpha) cof F */
    m = cti_nmad8(mu, mu, q), g1 = cti_mul8(la, j);
    cti_tet_volumetric_stress(w, m, g1, cof);
    e = cti_mul8(mu, cti_sub8(cti_sub8(ic, cti_set8(3)), CTI_R8(log)(cti_add8(ic, one))));
    /* minus its value at rest */
    w->psi = cti_mul8(half, cti_sub8(cti_mad8(e, g1, j), cti_set8(m0 * (CTI_R(0.5625) * m0 / l0 - CTI_R(1.3862943611198906)))));
    if (!want_hessian)
        return;
    cti_svd3_8(w->f, w->u, w->s, w->v);
    cti_tet_volumetric(w, m, g1, la);
    /* + 2 m / (I + 1)^2 s s' */
    q = cti_mul8(cti_scale8(2 * m0, q), q);
    for (i = 0; i < 3; i++) {
        w->a[i] = cti_mad8(w->a[i], q, cti_mul8(w->s[i], w->s[i]));
        w->a[3 + i] = cti_mad8(w->a[3 + i], q, cti_mul8(w->s[i == 0 ? 1 : 0], w->s[i == 2 ? 1 : 2]));
    }
}

/* x^(1/3) lane by lane; only the nearly incompressible model uses it */
static cti_r8 cti_tet_cbrt(cti_r8 x)
{
    ct_real t[8];
    int l;
    cti_store8(t, x);
    for (l = 0; l < 8; l++)
        t[l] = cti_cbrt(t[l]);
    return cti_load8(t);
}

static void cti_tet_hong(const cti_tet_batch *t, cti_tet_lanes *w, int want_hessian)
{
    const cti_r8 one = cti_set8(1), half = cti_set8(CTI_R(0.5)), mu = cti_set8(t->mu), kappa = cti_set8(t->lambda + t->mu * 2 / 3);
    cti_r8 cof[9], c[3], j, jc, d, h, h1, h2, ic, e, g1;
    int i;
    j = cti_cofactor8(w->f, cof), ic = cti_tet_norm2(w->f);
    w->extended = cti_bits8(cti_lt8(j, cti_set8(CTI_TET_J0)));
    /* h = J^(-2/3), h', h'' at J0 where it is continued; then at J */
    jc = cti_max8(j, cti_set8(CTI_TET_J0)), d = cti_sub8(j, jc);
    h1 = cti_div8(one, cti_tet_cbrt(jc)), h = cti_mul8(h1, h1), e = cti_div8(one, jc);
    h1 = cti_scale8(CTI_R(-2.0) / 3, cti_mul8(h, e)), h2 = cti_scale8(CTI_R(-5.0) / 3, cti_mul8(h1, e));
    h = cti_mad8(h, d, cti_mad8(h1, half, cti_mul8(d, h2))), h1 = cti_mad8(h1, d, h2);
    /* P = mu h F + (mu/2 |F|^2 h' + kappa (J - 1)) cof F */
    e = cti_sub8(j, one), g1 = cti_mad8(cti_mul8(kappa, e), cti_mul8(half, mu), cti_mul8(ic, h1));
    cti_tet_volumetric_stress(w, cti_mul8(mu, h), g1, cof);
    w->psi = cti_mul8(half, cti_mad8(cti_mul8(mu, cti_sub8(cti_mul8(h, ic), cti_set8(3))), cti_mul8(kappa, e), e));
    if (!want_hessian)
        return;
    cti_svd3_8(w->f, w->u, w->s, w->v);
    cti_tet_volumetric(w, cti_mul8(mu, h), g1, cti_mad8(kappa, cti_mul8(half, mu), cti_mul8(ic, h2)));
    /* + mu h' (s c' + c s') */
    cti_tet_cofactors(w->s, c);
    h1 = cti_mul8(mu, h1);
    for (i = 0; i < 3; i++) {
        int a = i == 0 ? 1 : 0, b = i == 2 ? 1 : 2;
        w->a[i] = cti_mad8(w->a[i], cti_add8(h1, h1), cti_mul8(w->s[i], c[i]));
        w->a[3 + i] = cti_mad8(w->a[3 + i], h1, cti_mad8(cti_mul8(w->s[a], c[b]), c[a], w->s[b]));
    }
}

static void cti_tet_corotational(const cti_tet_batch *t, cti_tet_lanes *w, cti_r8 *r, int want_hessian)
{
    const cti_r8 mu2 = cti_set8(2 * t->mu), la = cti_set8(t->lambda), one = cti_set8(1), two = cti_set8(2), least = cti_set8(CTI_R(1e-6));
    cti_r8 e[3], tr, g;
    int i;
    /* F = R S: R = U V', P = 2 mu (F - R) + lambda (tr S - 3) R */
    cti_svd3_8(w->f, w->u, w->s, w->v);
    cti_matmul_t8(w->u, w->v, r);
    for (i = 0; i < 3; i++)
        e[i] = cti_sub8(w->s[i], one);
    tr = cti_add8(e[0], cti_add8(e[1], e[2]));
    g = cti_sub8(cti_mul8(la, tr), mu2);
    for (i = 0; i < 9; i++)
        w->p[i] = cti_mad8(cti_mul8(mu2, w->f[i]), g, r[i]);
    w->psi = cti_scale8(CTI_R(0.5), cti_mad8(cti_mul8(mu2, cti_dot8(e, e)), cti_mul8(la, tr), tr));
    if (!want_hessian)
        return;
    /* twist 2 mu + 2 (lambda tr - 2 mu) / (s_i + s_j), where the divisor is kept away from zero; flip 2 mu */
    for (i = 0; i < 3; i++) {
        cti_r8 d = cti_add8(w->s[i == 0 ? 1 : 0], w->s[i == 2 ? 1 : 2]);
        d = cti_select8(cti_lt8(d, cti_set8(0)), cti_min8(d, cti_neg8(least)), cti_max8(d, least));
        w->a[i] = cti_add8(mu2, la), w->a[3 + i] = la;
        w->twist[i] = cti_add8(mu2, cti_div8(cti_mul8(two, g), d)), w->flip[i] = mu2;
    }
}

static void cti_tet_stvk(const cti_tet_batch *t, cti_tet_lanes *w, int want_hessian)
{
    const cti_r8 one = cti_set8(1), half = cti_set8(CTI_R(0.5)), mu = cti_set8(t->mu), mu2 = cti_set8(2 * t->mu), la = cti_set8(t->lambda);
    cti_r8 e[9], s2[9], tr, k;
    const cti_r8 *f = w->f;
    int i;
    /* 2 E = F'F - 1, P = F (2 mu E + lambda tr E) */
    for (i = 0; i < 9; i++) {
        e[i] = cti_sum3_8(f[i / 3], f[i % 3], f[3 + i / 3], f[3 + i % 3], f[6 + i / 3], f[6 + i % 3]);
        e[i] = cti_mul8(half, i % 4 == 0 ? cti_sub8(e[i], one) : e[i]);
    }
    tr = cti_add8(e[0], cti_add8(e[4], e[8])), k = cti_mul8(la, tr);
    /* E is the same for a reflected F, so J tells whether the tet is inverted */
    w->extended = cti_bits8(cti_lt8(cti_cofactor8(f, s2), cti_set8(0)));
    for (i = 0; i < 9; i++)
        s2[i] = i % 4 == 0 ? cti_mad8(k, mu2, e[i]) : cti_mul8(mu2, e[i]);
    cti_matmul8(f, s2, w->p);
    w->psi = cti_mad8(cti_mul8(mu, cti_tet_norm2(e)), cti_mul8(half, k), tr);
    if (!want_hessian)
        return;
    cti_svd3_8(w->f, w->u, w->s, w->v);
    /* A_ii = mu (3 s_i^2 - 1) + lambda (tr + s_i^2), A_ij = lambda s_i s_j; twist, flip = mu (s_i^2 -+ s_i s_j + s_j^2 - 1) + lambda tr */
    for (i = 0; i < 3; i++) {
        cti_r8 x = w->s[i == 0 ? 1 : 0], y = w->s[i == 2 ? 1 : 2], xy = cti_mul8(x, y), q, ss = cti_mul8(w->s[i], w->s[i]);
        q = cti_mad8(k, mu, cti_sub8(cti_mad8(cti_mul8(x, x), y, y), one));
        w->a[i] = cti_mad8(cti_mad8(k, mu, cti_sub8(cti_scale8(3, ss), one)), la, ss), w->a[3 + i] = cti_mul8(la, xy);
        w->twist[i] = cti_nmad8(q, mu, xy), w->flip[i] = cti_mad8(q, mu, xy);
    }
}

/* ---- stiffness ---- */

/* block K = U M U', M_ii = A_ii x_i y_i + sum_j (p_k + d_i) x_j y_j, M_ij = A_ij x_i y_j + q_k x_j y_i; x, y gradients in principal axes */
CTI_INLINE void cti_tet_block(const cti_r8 *A, const cti_r8 *p, const cti_r8 *q, const cti_r8 *d, const cti_r8 *u, const cti_r8 *x,
                              const cti_r8 *y, cti_r8 *k)
{
    cti_r8 m[9], n[9], xx = cti_mul8(x[0], y[0]), yy = cti_mul8(x[1], y[1]), zz = cti_mul8(x[2], y[2]), yz, zy, xz, zx, xy, yx;
    yz = cti_mul8(x[1], y[2]), zy = cti_mul8(x[2], y[1]), xz = cti_mul8(x[0], y[2]), zx = cti_mul8(x[2], y[0]);
    xy = cti_mul8(x[0], y[1]), yx = cti_mul8(x[1], y[0]);
    m[0] = cti_sum3_8(A[0], xx, cti_add8(p[2], d[0]), yy, cti_add8(p[1], d[0]), zz);
    m[4] = cti_sum3_8(cti_add8(p[2], d[1]), xx, A[1], yy, cti_add8(p[0], d[1]), zz);
    m[8] = cti_sum3_8(cti_add8(p[1], d[2]), xx, cti_add8(p[0], d[2]), yy, A[2], zz);
    m[5] = cti_mad8(cti_mul8(A[3], yz), q[0], zy), m[7] = cti_mad8(cti_mul8(A[3], zy), q[0], yz);
    m[2] = cti_mad8(cti_mul8(A[4], xz), q[1], zx), m[6] = cti_mad8(cti_mul8(A[4], zx), q[1], xz);
    m[1] = cti_mad8(cti_mul8(A[5], xy), q[2], yx), m[3] = cti_mad8(cti_mul8(A[5], yx), q[2], xy);
    cti_matmul8(u, m, n);
    cti_matmul_t8(n, u, k);
}

/* Damping in principal space: V (lambda x y' + mu y x' + mu (b_a . b_b) F F') with x = F b_a, y = F b_b. This is the stress lambda tr(E') 1
   + 2 mu E' by the rate of Green's strain, E' = sym(F' dF/dt), which no rotation changes. F = U S V' turns it into sums of s_i s_j */
CTI_INLINE void cti_tet_viscous(const cti_tet_batch *t, cti_tet_lanes *w, cti_r8 scale, cti_r8 *q, cti_r8 *d)
{
    cti_r8 mu = cti_scale8(t->mu, cti_mul8(scale, w->volume)), la = cti_scale8(t->lambda, cti_mul8(scale, w->volume));
    int i;
    for (i = 0; i < 3; i++) {
        cti_r8 across = cti_mul8(w->s[i == 0 ? 1 : 0], w->s[i == 2 ? 1 : 2]), along = cti_mul8(w->s[i], w->s[i]);
        d[i] = cti_mul8(mu, along);
        w->a[i] = cti_add8(w->a[i], cti_mad8(cti_add8(d[i], d[i]), la, along));
        w->a[3 + i] = cti_mad8(w->a[3 + i], la, across), q[i] = cti_mad8(q[i], mu, across);
    }
}

/* the blocks (a, b), 1 <= a <= b: the Hessian in principal space times `scale`, plus damping times `viscous` */
static void cti_tet_principal_blocks(const cti_tet_batch *t, cti_tet_lanes *w, cti_r8 scale, cti_r8 viscous, cti_r8 *k)
{
    const cti_r8 zero = cti_set8(0), half = cti_set8(CTI_R(0.5));
    const int project = t->hessian != CTI_HESSIAN_EXACT;
    cti_r8 c[9], p[3], q[3], d[3];
    int i, j;
    if (project)
        cti_psd3_8(w->a);
    scale = cti_mul8(scale, w->volume);
    for (i = 0; i < 3; i++) {
        cti_r8 twist = project ? cti_max8(w->twist[i], zero) : w->twist[i], flip = project ? cti_max8(w->flip[i], zero) : w->flip[i];
        p[i] = cti_mul8(cti_mul8(half, scale), cti_add8(flip, twist)), q[i] = cti_mul8(cti_mul8(half, scale), cti_sub8(flip, twist));
        w->a[i] = cti_mul8(scale, w->a[i]), w->a[3 + i] = cti_mul8(scale, w->a[3 + i]);
        /* V' b_a */
        cti_matvec_t8(w->v, w->b + 3 * i, c + 3 * i);
        d[i] = zero;
    }
    if (t->damping_stiffness > 0)
        cti_tet_viscous(t, w, viscous, q, d);
    for (i = 0; i < 3; i++)
        for (j = i; j < 3; j++)
            cti_tet_block(w->a, p, q, d, w->u, c + 3 * i, c + 3 * j, k + 9 * CTI_UPPER(4, i + 1, j + 1));
}

/* R K0_ab R' = V (lambda x y' + mu y x' + mu (x . y) 1), x = R b_a, y = R b_b */
static void cti_tet_corotated_blocks(const cti_tet_batch *t, cti_tet_lanes *w, const cti_r8 *r, cti_r8 scale, cti_r8 *k)
{
    cti_r8 c[9], mu = cti_scale8(t->mu, cti_mul8(scale, w->volume)), la = cti_scale8(t->lambda, cti_mul8(scale, w->volume));
    int a, b, i;
    for (a = 0; a < 3; a++)
        cti_matvec8(r, w->b + 3 * a, c + 3 * a);
    for (a = 0; a < 3; a++)
        for (b = a; b < 3; b++) {
            const cti_r8 *x = c + 3 * a, *y = c + 3 * b;
            cti_r8 *m = k + 9 * CTI_UPPER(4, a + 1, b + 1), d = cti_mul8(mu, cti_dot8(x, y)), lx, my;
            for (i = 0; i < 3; i++) {
                lx = cti_mul8(la, x[i]), my = cti_mul8(mu, y[i]);
                m[3 * i] = cti_mad8(cti_mul8(lx, y[0]), my, x[0]);
                m[3 * i + 1] = cti_mad8(cti_mul8(lx, y[1]), my, x[1]);
                m[3 * i + 2] = cti_mad8(cti_mul8(lx, y[2]), my, x[2]);
                m[4 * i] = cti_add8(m[4 * i], d);
            }
        }
}

/* adds the damping of cti_tet_viscous, computed without the principal axes of F */
static void cti_tet_viscous_blocks(const cti_tet_batch *t, const cti_tet_lanes *w, cti_r8 scale, cti_r8 *k)
{
    cti_r8 c[9], ff[9], mu = cti_scale8(t->mu, cti_mul8(scale, w->volume)), la = cti_scale8(t->lambda, cti_mul8(scale, w->volume));
    int a, b, i, j;
    cti_matmul_t8(w->f, w->f, ff);
    for (a = 0; a < 3; a++)
        cti_matvec8(w->f, w->b + 3 * a, c + 3 * a);
    for (a = 0; a < 3; a++)
        for (b = a; b < 3; b++) {
            const cti_r8 *x = c + 3 * a, *y = c + 3 * b;
            cti_r8 *m = k + 9 * CTI_UPPER(4, a + 1, b + 1), d = cti_mul8(mu, cti_dot8(w->b + 3 * a, w->b + 3 * b));
            for (i = 0; i < 3; i++) {
                cti_r8 lx = cti_mul8(la, x[i]), my = cti_mul8(mu, y[i]);
                for (j = 0; j < 3; j++)
                    m[3 * i + j] = cti_mad8(cti_mad8(cti_mad8(m[3 * i + j], d, ff[3 * i + j]), lx, y[j]), my, x[j]);
            }
        }
}

/* the blocks with node 0: K_0b = -sum_a K_ab, K_00 = -sum_b K_0b */
static void cti_tet_close_blocks(cti_r8 *k)
{
    int b, i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            cti_r8 sum = cti_set8(0), *k0 = k + 3 * i + j;
            for (b = 1; b < 4; b++) {
                const cti_r8 *k1 = k + 9 * CTI_UPPER(4, 1, b) + 3 * i + j;
                const cti_r8 *k2 = b < 2 ? k + 9 * CTI_UPPER(4, 1, 2) + 3 * j + i : k + 9 * CTI_UPPER(4, 2, b) + 3 * i + j;
                const cti_r8 *k3 = b < 3 ? k + 9 * CTI_UPPER(4, b, 3) + 3 * j + i : k + 9 * CTI_UPPER(4, 3, 3) + 3 * i + j;
                cti_r8 column = cti_add8(*k1, cti_add8(*k2, *k3));
                k0[9 * b] = cti_neg8(column), sum = cti_add8(sum, column);
            }
            k0[0] = sum;
        }
}

/* ---- a batch ---- */

static void cti_tet_load(const cti_tet_batch *t, int batch, const ct_real *x, cti_tet_lanes *w)
{
    cti_r8 node[12], e[9];
    int i;
    cti_element_gather(x, t->node + 32 * batch, 4, node);
    for (i = 0; i < 9; i++)
        w->b[i] = cti_load8(t->rest + (batch * CTI_TET_REST + i) * 8);
    w->volume = cti_load8(t->rest + (batch * CTI_TET_REST + 9) * 8);
    w->extended = 0;
    /* F_ij = sum_a (x_a - x_0)_i b_a,j; e is stored by coordinate */
    for (i = 0; i < 3; i++)
        e[3 * i] = cti_sub8(node[3 + i], node[i]), e[3 * i + 1] = cti_sub8(node[6 + i], node[i]),
              e[3 * i + 2] = cti_sub8(node[9 + i], node[i]);
    cti_matmul8(e, w->b, w->f);
}

/* f_a = -V P b_a, f_0 = -(f_1 + f_2 + f_3) */
static void cti_tet_forces(const cti_tet_lanes *w, cti_r8 *f)
{
    int a, i;
    for (a = 1; a < 4; a++) {
        cti_matvec8(w->p, w->b + 3 * (a - 1), f + 3 * a);
        cti_scale3_8(cti_neg8(w->volume), f + 3 * a, f + 3 * a);
    }
    for (i = 0; i < 3; i++)
        f[i] = cti_neg8(cti_add8(f[3 + i], cti_add8(f[6 + i], f[9 + i])));
}

/* energy and stress of F by the batch's model; r [9]: the rotation of F, which the corotational model alone gives */
static void cti_tet_law(const cti_tet_batch *t, cti_tet_lanes *w, cti_r8 *r, int want_hessian)
{
    switch (t->model) {
    case CT_MODEL_COROTATIONAL:
        cti_tet_corotational(t, w, r, want_hessian);
        break;
    case CT_MODEL_STVK:
        cti_tet_stvk(t, w, want_hessian);
        break;
    case CT_MODEL_STABLE_NEOHOOKEAN:
        cti_tet_stable(t, w, want_hessian);
        break;
    case CT_MODEL_HONG_NEOHOOKEAN:
        cti_tet_hong(t, w, want_hessian);
        break;
    default:
        cti_tet_neohookean(t, w, want_hessian);
        break;
    }
}

CTI_FN void cti_tet_batch_assemble(const cti_tet_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, int *out_extended,
                                   double *out_energy)
{
    const cti_r8 scale = cti_set8(dt * dt), viscous = cti_set8(dt * t->damping_stiffness);
    int batch, l, corotated = t->model == CT_MODEL_COROTATIONAL && t->hessian == CTI_HESSIAN_STEP;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch);
        cti_tet_lanes w;
        cti_r8 r[9], f[12], k[90];
        cti_tet_load(t, batch, x, &w);
        cti_tet_law(t, &w, r, val && !corotated);
        if (out_energy)
            *out_energy += cti_element_sum(cti_mul8(w.volume, w.psi), count);
        if (out_extended)
            for (l = 0; l < count; l++)
                *out_extended += w.extended >> l & 1;
        if (force) {
            cti_tet_forces(&w, f);
            cti_element_scatter_force(force, t->node + 32 * batch, 4, count, f);
        }
        if (!val)
            continue;
        if (corotated)
            cti_tet_corotated_blocks(t, &w, r, scale, k);
        else
            cti_tet_principal_blocks(t, &w, scale, viscous, k);
        if (corotated && t->damping_stiffness > 0)
            cti_tet_viscous_blocks(t, &w, viscous, k);
        cti_tet_close_blocks(k);
        cti_element_scatter_blocks(val, t->slot + 128 * batch, 4, count, k);
    }
}

CTI_FN void cti_tet_batch_stress(const cti_tet_batch *t, const ct_real *x, ct_real *out)
{
    int batch, i;
    for (batch = 0; 8 * batch < t->n; batch++) {
        cti_tet_lanes w;
        cti_r8 r[9], sigma[9], j;
        cti_tet_load(t, batch, x, &w);
        cti_tet_law(t, &w, r, 0);
        j = cti_max8(cti_abs8(cti_cofactor8(w.f, r)), cti_set8(CTI_EPS));
        cti_matmul_t8(w.p, w.f, sigma);
        for (i = 0; i < 9; i++)
            sigma[i] = cti_div8(sigma[i], j);
        cti_element_put_stress(out, batch, cti_element_count(t->n, batch), sigma);
    }
}

/* F' G */
static void cti_tet_pulled(const cti_r8 *f, const cti_r8 *g, cti_r8 *e)
{
    int i;
    for (i = 0; i < 9; i++)
        e[i] = cti_sum3_8(f[i / 3], g[i % 3], f[3 + i / 3], g[3 + i % 3], f[6 + i / 3], g[6 + i % 3]);
}

CTI_FN void cti_tet_batch_damping(const cti_tet_batch *t, const ct_real *x, const ct_real *v, ct_real slow, ct_real *out)
{
    const cti_r8 mu = cti_set8(-t->damping_stiffness * t->mu), la = cti_set8(-t->damping_stiffness * t->lambda);
    int batch, i;
    for (batch = 0; t->damping_stiffness > 0 && 8 * batch < t->n; batch++) {
        cti_tet_lanes w, rate;
        cti_r8 f[12], e[9], s[9], tr;
        cti_tet_load(t, batch, x, &w);
        cti_tet_load(t, batch, v, &rate);
        if (slow > 0) { /* the largest sum of a row of F' F bounds the largest square of F */
            cti_tet_pulled(w.f, w.f, e);
            for (i = 0; i < 9; i += 3)
                s[i] = cti_add8(cti_abs8(e[i]), cti_add8(cti_abs8(e[i + 1]), cti_abs8(e[i + 2])));
            s[0] = cti_max8(s[0], cti_max8(s[3], s[6]));
            w.volume = cti_div8(w.volume, cti_mad8(cti_set8(1), cti_set8(slow), s[0]));
        }
        /* F' dF/dt, whose symmetric part is the rate of E; P = -beta F (lambda tr E' + 2 mu E') */
        cti_tet_pulled(w.f, rate.f, e);
        tr = cti_mul8(la, cti_add8(e[0], cti_add8(e[4], e[8])));
        for (i = 0; i < 9; i++) {
            s[i] = cti_mul8(mu, cti_add8(e[i], e[3 * (i % 3) + i / 3]));
            s[i] = i % 4 == 0 ? cti_add8(s[i], tr) : s[i];
        }
        cti_matmul8(w.f, s, w.p);
        cti_tet_forces(&w, f);
        cti_element_scatter_force(out, t->node + 32 * batch, 4, cti_element_count(t->n, batch), f);
    }
}

CTI_FN int cti_tet_batch_crushed(const cti_tet_batch *t, const ct_real *x0, const ct_real *x1)
{
    const cti_r8 j0 = cti_set8(CTI_TET_J0);
    int batch, l, n = 0;
    if (t->model != CT_MODEL_NEOHOOKEAN && t->model != CT_MODEL_HONG_NEOHOOKEAN)
        return 0;
    for (batch = 0; 8 * batch < t->n; batch++) {
        cti_tet_lanes w;
        cti_r8 cof[9];
        cti_r8 start, end;
        int crushed;
        cti_tet_load(t, batch, x1, &w);
        end = cti_cofactor8(w.f, cof);
        crushed = cti_bits8(cti_lt8(end, j0));
        if (!crushed)
            continue;
        cti_tet_load(t, batch, x0, &w);
        start = cti_cofactor8(w.f, cof);
        crushed &= ~cti_bits8(cti_lt8(start, j0)) & cti_bits8(cti_lt8(cti_add8(end, end), start));
        for (l = 0; l < cti_element_count(t->n, batch); l++)
            n += crushed >> l & 1;
    }
    return n;
}

/* ---- public ---- */

/* one tet as a batch of eight equal ones, of which the first is scattered: block (a, b) is number 4 a + b */
static int cti_tet_single(const ct_material *m, const ct_real rest[12], ct_real b[CTI_TET_REST * 8], int32_t node[32], int32_t slot[16],
                          cti_tet_batch *t)
{
    static const int32_t corners[4] = {0, 1, 2, 3};
    ct_real one[CTI_TET_REST];
    double volume = cti_tet_rest(rest, corners, one);
    int i;
    if (!(volume > 0) || !cti_finite64(volume))
        return 0;
    one[9] = (ct_real)volume;
    for (i = 0; i < CTI_TET_REST * 8; i++)
        b[i] = one[i / 8];
    for (i = 0; i < 32; i++)
        node[i] = i % 4, slot[i % 16] = i % 16;
    memset(t, 0, sizeof *t);
    t->n = 1, t->hessian = CTI_HESSIAN_EXACT, t->node = node, t->slot = slot, t->rest = b;
    cti_tet_batch_material(t, m);
    t->damping_stiffness = 0;
    return 1;
}

static ct_code cti_tet_public(const ct_material *m, const ct_real *rest, const ct_real *x, double *energy, ct_real *force, ct_real *stiffness)
{
    ct_real b[CTI_TET_REST * 8], f[12] = {0}, k[144] = {0};
    int32_t node[32], slot[16];
    cti_tet_batch t;
    const char *text;
    double sum = 0;
    int i;
    if (!m || !rest || !x || !cti_material_check(m, 0, &text))
        return CT_ERR_ARGUMENT;
    for (i = 0; i < 12; i++)
        if (!cti_finite(rest[i]) || !cti_finite(x[i]))
            return CT_ERR_DOMAIN;
    if (!cti_tet_single(m, rest, b, node, slot, &t))
        return CT_ERR_MESH;
    cti_tet_batch_assemble(&t, x, 1, f, stiffness ? k : NULL, NULL, &sum);
    if (energy)
        *energy = sum;
    if (force)
        memcpy(force, f, sizeof f);
    for (i = 0; stiffness && i < 144; i++) /* entry (i / 12, i % 12) of 3x3 blocks */
        stiffness[i] = k[9 * (i / 36 * 4 + i % 12 / 3) + i / 12 % 3 * 3 + i % 3];
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_tet_eval(const ct_material *material, const ct_real rest[12], const ct_real x[12], double *out_energy,
                                    ct_real out_force[12], ct_real out_stiffness[144])
{
    CTI_FPENV_RETURN(cti_tet_public(material, rest, x, out_energy, out_force, out_stiffness))
}
