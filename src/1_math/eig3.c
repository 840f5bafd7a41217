/* eig3.c -- symmetric 3x3 eigenproblem and signed SVD in eight lanes.
   Method: cyclic Jacobi on A; the SVD begins with the eigenvectors V of F'F. Squaring loses the angle between the two small columns of B =
   F V, so one one-sided rotation of these restores it. A QR step ends it: u = orthonormalized columns of B, s = u . B; the sign of det F
   ends in s2.
   Based on: Golub and Van Loan, Matrix Computations, 8.5; Hestenes 1958; McAdams et al. 2011 (sorting and signs); Teran et al. 2005 (why
   the signs are wanted). */
#include "eig3.h"

#if CONTACT_REAL == 32
#define CTI_EIG3_TINY CTI_R(1e-30f)
#else
#define CTI_EIG3_TINY CTI_R(1e-280)
#endif
enum { CTI_EIG3_SWEEPS = 8 };

/* columns p, q of v become c v_p - s v_q, s v_p + c v_q */
CTI_LANES_FN void cti_eig3_turn(cti_r8 *v, int p, int q, cti_r8 c, cti_r8 s)
{
    int i;
    for (i = 0; i < 3; i++) {
        cti_r8 a = v[3 * i + p], b = v[3 * i + q];
        v[3 * i + p] = cti_nmad8(cti_mul8(c, a), s, b);
        v[3 * i + q] = cti_mad8(cti_mul8(s, a), c, b);
    }
}

/* One rotation that makes apq zero. Lanes with |apq| <= eps/2 sqrt(app aqq) keep all their bits. Returns 1 if any lane was rotated. */
CTI_LANES_FN int cti_eig3_rotate(cti_r8 *app, cti_r8 *aqq, cti_r8 *apq, cti_r8 *arp, cti_r8 *arq, cti_r8 *v, int p, int q)
{
    const cti_r8 zero = cti_set8(0), one = cti_set8(1);
    cti_r8 g = *apq, g2 = cti_mul8(g, g), turn, d, t, c, s, r;
    turn = cti_lt8(cti_scale8(CTI_EPS * CTI_EPS / 4, cti_abs8(cti_mul8(*app, *aqq))), g2);
    if (!cti_bits8(turn))
        return 0;
    /* t = tan of the smaller angle, |t| <= 1 */
    d = cti_scale8(CTI_R(0.5), cti_sub8(*aqq, *app));
    t = cti_div8(g, cti_max8(cti_add8(cti_abs8(d), cti_sqrt8(cti_mad8(g2, d, d))), cti_set8(CTI_EIG3_TINY)));
    t = cti_max8(cti_min8(t, one), cti_set8(-1));
    t = cti_select8(cti_lt8(d, zero), cti_neg8(t), t);
    t = cti_select8(turn, t, zero);
    c = cti_div8(one, cti_sqrt8(cti_mad8(one, t, t))), s = cti_mul8(t, c);
    *app = cti_nmad8(*app, t, g), *aqq = cti_mad8(*aqq, t, g);
    *apq = cti_select8(turn, zero, g);
    r = *arp;
    *arp = cti_nmad8(cti_mul8(c, r), s, *arq), *arq = cti_mad8(cti_mul8(s, r), c, *arq);
    cti_eig3_turn(v, p, q, c, s);
    return 1;
}

/* in lanes where w[q] > w[p]: swaps them; columns (p, q) of v become (q, -p), which keeps det v */
CTI_LANES_FN void cti_eig3_order(cti_r8 *w, cti_r8 *v, int p, int q)
{
    cti_r8 swap = cti_lt8(w[p], w[q]), a = w[p];
    int i;
    w[p] = cti_select8(swap, w[q], a), w[q] = cti_select8(swap, a, w[q]);
    for (i = 0; i < 3; i++) {
        a = v[3 * i + p];
        v[3 * i + p] = cti_select8(swap, v[3 * i + q], a);
        v[3 * i + q] = cti_select8(swap, cti_neg8(a), v[3 * i + q]);
    }
}

CTI_FN void cti_eig3_8(const cti_r8 *a, cti_r8 *w, cti_r8 *v)
{
    const cti_r8 zero = cti_set8(0), one = cti_set8(1);
    cti_r8 xx = a[0], yy = a[1], zz = a[2], yz = a[3], xz = a[4], xy = a[5];
    int sweep, turned = 1;
    v[0] = v[4] = v[8] = one;
    v[1] = v[2] = v[3] = v[5] = v[6] = v[7] = zero;
    for (sweep = 0; sweep < CTI_EIG3_SWEEPS && turned; sweep++) {
        turned = cti_eig3_rotate(&xx, &yy, &xy, &xz, &yz, v, 0, 1);
        turned |= cti_eig3_rotate(&xx, &zz, &xz, &xy, &yz, v, 0, 2);
        turned |= cti_eig3_rotate(&yy, &zz, &yz, &xy, &xz, v, 1, 2);
    }
    w[0] = xx, w[1] = yy, w[2] = zz;
    cti_eig3_order(w, v, 0, 1);
    cti_eig3_order(w, v, 1, 2);
    cti_eig3_order(w, v, 0, 1);
}

/* u1 = b1 / |b1|, u2 = b2 made orthogonal to u1 (twice) and normalized, u3 = u1 x u2; a column of b that is zero gets a direction */
CTI_INLINE void cti_eig3_frame(const cti_r8 *b, cti_r8 *u, cti_r8 *s)
{
    const cti_r8 zero = cti_set8(0), one = cti_set8(1), tiny = cti_set8(CTI_EIG3_TINY);
    cti_r8 u1[3], u2[3], u3[3], n2, ok, d, e[3], c[3];
    int i, pass;
    n2 = cti_sum3_8(b[0], b[0], b[3], b[3], b[6], b[6]), ok = cti_lt8(tiny, n2);
    d = cti_div8(one, cti_sqrt8(cti_select8(ok, n2, one)));
    for (i = 0; i < 3; i++)
        u1[i] = cti_select8(ok, cti_mul8(b[3 * i], d), i == 0 ? one : zero), u2[i] = b[3 * i + 1];
    for (pass = 0; pass < 2; pass++) {
        d = cti_dot8(u1, u2);
        for (i = 0; i < 3; i++)
            u2[i] = cti_nmad8(u2[i], d, u1[i]);
    }
    /* where b2 vanishes: a unit vector orthogonal to u1, made from the axis with the smallest component of u1 */
    n2 = cti_dot8(u2, u2), ok = cti_lt8(tiny, n2);
    if (cti_bits8(ok) != 255) {
        d = cti_lt8(cti_abs8(u1[0]), cti_set8(CTI_R(0.7)));
        e[0] = cti_select8(d, one, zero), e[1] = cti_select8(d, zero, one), e[2] = zero;
        cti_cross8(u1, e, c);
        for (i = 0; i < 3; i++)
            u2[i] = cti_select8(ok, u2[i], c[i]);
        n2 = cti_dot8(u2, u2);
    }
    d = cti_div8(one, cti_sqrt8(n2));
    cti_scale3_8(d, u2, u2);
    cti_cross8(u1, u2, u3);
    for (i = 0; i < 3; i++)
        u[3 * i] = u1[i], u[3 * i + 1] = u2[i], u[3 * i + 2] = u3[i];
    s[0] = cti_sum3_8(u1[0], b[0], u1[1], b[3], u1[2], b[6]);
    s[1] = cti_sum3_8(u2[0], b[1], u2[1], b[4], u2[2], b[7]);
    s[2] = cti_sum3_8(u3[0], b[2], u3[1], b[5], u3[2], b[8]);
}

CTI_FN void cti_svd3_8(const cti_r8 *f, cti_r8 *u, cti_r8 *s, cti_r8 *v)
{
    cti_r8 a[6], w[3], b[9], pq, r0, r1;
    /* F'F = V diag(w) V' */
    a[0] = cti_sum3_8(f[0], f[0], f[3], f[3], f[6], f[6]), a[1] = cti_sum3_8(f[1], f[1], f[4], f[4], f[7], f[7]);
    a[2] = cti_sum3_8(f[2], f[2], f[5], f[5], f[8], f[8]), a[3] = cti_sum3_8(f[1], f[2], f[4], f[5], f[7], f[8]);
    a[4] = cti_sum3_8(f[0], f[2], f[3], f[5], f[6], f[8]), a[5] = cti_sum3_8(f[0], f[1], f[3], f[4], f[6], f[7]);
    cti_eig3_8(a, w, v);
    /* B = F V; rotates columns 2, 3 until they are orthogonal up to their own rounding, the longer one first */
    cti_matmul8(f, v, b);
    w[1] = cti_sum3_8(b[1], b[1], b[4], b[4], b[7], b[7]), w[2] = cti_sum3_8(b[2], b[2], b[5], b[5], b[8], b[8]);
    pq = cti_sum3_8(b[1], b[2], b[4], b[5], b[7], b[8]), r0 = r1 = cti_set8(0);
    cti_eig3_rotate(w + 1, w + 2, &pq, &r0, &r1, v, 1, 2);
    cti_eig3_order(w, v, 1, 2);
    cti_matmul8(f, v, b);
    cti_eig3_frame(b, u, s);
}

CTI_FN void cti_psd3_8(cti_r8 *a)
{
    const cti_r8 zero = cti_set8(0);
    cti_r8 m2, m3, bad, w[3], v[9], p[6];
    int i;
    /* leading minors: all positive where the matrix is positive definite */
    m2 = cti_nmad8(cti_mul8(a[0], a[1]), a[5], a[5]);
    m3 = cti_sub8(cti_mul8(a[4], a[5]), cti_mul8(a[0], a[3]));
    m3 = cti_add8(cti_mul8(m2, a[2]), cti_add8(cti_mul8(a[3], m3), cti_mul8(a[4], cti_nmad8(cti_mul8(a[3], a[5]), a[1], a[4]))));
    bad = CTI_R8(or)(CTI_R8(le)(a[0], zero), CTI_R8(or)(CTI_R8(le)(m2, zero), CTI_R8(le)(m3, zero)));
    if (!cti_bits8(bad))
        return;
    cti_eig3_8(a, w, v);
    for (i = 0; i < 3; i++)
        w[i] = cti_max8(w[i], zero);
    /* V max(w, 0) V' */
    for (i = 0; i < 3; i++) {
        const cti_r8 *x = v + 3 * i, *y = v + (i == 0 ? 3 : 0), *z = v + (i == 2 ? 3 : 6);
        p[i] = cti_sum3_8(cti_mul8(w[0], x[0]), x[0], cti_mul8(w[1], x[1]), x[1], cti_mul8(w[2], x[2]), x[2]);
        p[3 + i] = cti_sum3_8(cti_mul8(w[0], y[0]), z[0], cti_mul8(w[1], y[1]), z[1], cti_mul8(w[2], y[2]), z[2]);
    }
    for (i = 0; i < 6; i++)
        a[i] = cti_select8(bad, p[i], a[i]);
}

/* ---- one matrix: the same lanes with the matrix in each ---- */

CTI_FN void cti_eig3_spread(const ct_real *from, cti_r8 *to, int n)
{
    int i;
    for (i = 0; i < n; i++)
        to[i] = cti_set8(from[i]);
}
CTI_FN void cti_eig3_first(const cti_r8 *from, ct_real *to, int n)
{
    ct_real t[8];
    int i;
    for (i = 0; i < n; i++) {
        cti_store8(t, from[i]);
        to[i] = t[0];
    }
}

CTI_FN void cti_eig3(const ct_real *a, ct_real *w, ct_real *v)
{
    cti_r8 a8[6], w8[3], v8[9];
    cti_eig3_spread(a, a8, 6);
    cti_eig3_8(a8, w8, v8);
    cti_eig3_first(w8, w, 3);
    cti_eig3_first(v8, v, 9);
}

/* ---- projection of larger matrices ---- */

/* [sweeps] of Jacobi rotations at most: a cap, since the loop ends where all lanes are diagonal to rounding; [rows] of a lane's matrix */
enum { CTI_PSD_SWEEPS = 12, CTI_PSD_MOST = 9 };

/* one rotation of a [n n], of which the upper triangle counts, and of v's rows, which become eigenvectors. Lanes whose entry is negligible keep all
   their bits. Returns 1 if any lane was rotated */
CTI_INLINE int cti_psd_turn_8(cti_r8 *a, cti_r8 *v, int n, int p, int q, cti_r8 least)
{
    const cti_r8 zero = cti_set8(0), one = cti_set8(1);
    cti_r8 g = a[n * p + q], g2 = cti_mul8(g, g), app = a[(n + 1) * p], aqq = a[(n + 1) * q], turn, d, t, c, s;
    int i;
    turn = cti_lt8(least, g2);
    if (!cti_bits8(turn))
        return 0;
    d = cti_scale8(CTI_R(0.5), cti_sub8(aqq, app));
    t = cti_div8(g, cti_max8(cti_add8(cti_abs8(d), cti_sqrt8(cti_mad8(g2, d, d))), cti_set8(CTI_EIG3_TINY)));
    t = cti_max8(cti_min8(t, one), cti_set8(-1));
    t = cti_select8(cti_lt8(d, zero), cti_neg8(t), t);
    t = cti_select8(turn, t, zero);
    c = cti_div8(one, cti_sqrt8(cti_mad8(one, t, t))), s = cti_mul8(t, c);
    a[(n + 1) * p] = cti_nmad8(app, t, g), a[(n + 1) * q] = cti_mad8(aqq, t, g);
    a[n * p + q] = cti_select8(turn, zero, g);
    for (i = 0; i < n; i++) {
        cti_r8 x = v[n * p + i], y = v[n * q + i], *ip = i < p ? &a[n * i + p] : &a[n * p + i], *iq = i < q ? &a[n * i + q] : &a[n * q + i];
        v[n * p + i] = cti_nmad8(cti_mul8(c, x), s, y), v[n * q + i] = cti_mad8(cti_mul8(s, x), c, y);
        if (i == p || i == q)
            continue;
        x = *ip, y = *iq;
        *ip = cti_nmad8(cti_mul8(c, x), s, y), *iq = cti_mad8(cti_mul8(s, x), c, y);
    }
    return 1;
}

CTI_INLINE int cti_psd_sweep_8(cti_r8 *a, cti_r8 *v, int n, cti_r8 least)
{
    int i, j, turned = 0;
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            turned |= cti_psd_turn_8(a, v, n, i, j, least);
    return turned;
}

CTI_INLINE void cti_psd_sized_8(cti_r8 *a, int n)
{
    cti_r8 v[CTI_PSD_MOST * CTI_PSD_MOST], w[CTI_PSD_MOST], all = cti_set8(0), zero = cti_set8(0), sum;
    int i, j, k, sweep, turned = 1;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            v[n * i + j] = cti_set8(i == j);
            all = cti_mad8(all, a[n * i + j], a[n * i + j]);
        }
    all = cti_scale8(CTI_EPS * CTI_EPS, all);
    for (sweep = 0; sweep < CTI_PSD_SWEEPS && turned; sweep++)
        turned = cti_psd_sweep_8(a, v, n, all);
    for (k = 0; k < n; k++)
        w[k] = cti_max8(a[(n + 1) * k], zero);
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++) {
            for (sum = zero, k = 0; k < n; k++)
                sum = cti_mad8(sum, cti_mul8(v[n * k + i], w[k]), v[n * k + j]);
            a[n * i + j] = a[n * j + i] = sum;
        }
}

CTI_FN void cti_psd_project_8(cti_r8 *a, int n)
{
    CTI_ASSERT(n == 3 || n == 5 || n == 9);
    if (n == 3)
        cti_psd_sized_8(a, 3);
    else if (n == 5)
        cti_psd_sized_8(a, 5);
    else
        cti_psd_sized_8(a, 9);
}
