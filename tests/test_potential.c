/* test_potential.c -- potentials of contacts: finite differences of every gradient and Hessian, the projection against eigenvalues,
   continuity where a formula gives way to another. */
#include "../src/1_math/eig3.h"
#include "../src/4_geom/dist.h"
#include "../src/7_contact/potential.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

static uint64_t seed = 7;
static double rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static const ct_barrier_kind kinds[] = {CT_BARRIER_LOG, CT_BARRIER_RATIONAL};

static void barriers_and_their_derivatives(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        double last = 1e300;
        for (i = 1; i < 400; i++) {
            double s = i / 401.0, h = 1e-4 * fmin(s, 1 - s), b, b1, b2, up, down, u1, u2, d1, d2;
            b = cti_barrier_value(kinds[k], s, &b1, &b2);
            up = cti_barrier_value(kinds[k], s + h, &u1, &u2);
            down = cti_barrier_value(kinds[k], s - h, &d1, &d2);
            assert_true(fabs((up - down) / (2 * h) - b1) <= 1e-6 * fabs(b1));
            assert_true(fabs((u1 - d1) / (2 * h) - b2) <= 1e-6 * fabs(b2));
            /* positive, falling, convex */
            assert_true(b > 0 && b < last && b1 < 0 && b2 > 0);
            last = b;
        }
        /* twice differentiable at dhat: value of third, slope of second, curvature of first order there */
        for (i = 1; i < 8; i++) {
            double e = pow(10, -i), b1, b2, b = cti_barrier_value(kinds[k], 1 - e, &b1, &b2);
            assert_true(b < 2 * e * e * e && -b1 < 8 * e * e && b2 < 20 * e);
        }
        assert_true(cti_barrier_value(kinds[k], 1, &last, &last) == 0 && last == 0);
    }
}

static void friction_and_the_mollifier(void **state)
{
    double e = 1e-3, r, s, r1, s1, f;
    int i;
    (void)state;
    for (i = 1; i < 300; i++) {
        double u = i * 1e-5, h = 1e-9;
        cti_friction_value(u, e, &r, &s);
        f = (cti_friction_value(u + h, e, &r1, &s1) - cti_friction_value(u - h, e, &r1, &s1)) / (2 * h);
        assert_true(fabs(f - r * u) < 1e-6);
        assert_true(r * u <= 1 + 1e-12 && s >= 0);
        if (i != 100) { /* the slope has a kink at e */
            double up, down;
            cti_friction_value(u + h, e, &up, &s1), up *= u + h;
            cti_friction_value(u - h, e, &down, &s1), down *= u - h;
            assert_true(fabs((up - down) / (2 * h) - s) < 1e-6 * 2 / e);
        }
    }
    /* f0, f1 and f1' are continuous at e */
    f = cti_friction_value(e * (1 - 1e-9), e, &r, &s);
    assert_true(fabs(f - cti_friction_value(e * (1 + 1e-9), e, &r1, &s1)) < 1e-11 && fabs(r * e - r1 * e) < 1e-8 && fabs(s - s1) < 1e-5);
    assert_true(cti_friction_value(0, e, &r, &s) > 0 && r == 2 / e && s == 2 / e);
    for (i = 1; i < 300; i++) {
        double c = i * 1e-5, h = 1e-9;
        if (i == 100)
            continue;
        cti_mollifier_value(c, e, &r, &s);
        f = cti_mollifier_value(c + h, e, &r1, &s1) - cti_mollifier_value(c - h, e, &r1, &s1);
        assert_true(fabs(f / (2 * h) - r) <= 1e-6 * 2 / e);
        cti_mollifier_value(c + h, e, &f, &s1);
        cti_mollifier_value(c - h, e, &r1, &s1);
        assert_true(fabs((f - r1) / (2 * h) - s) <= 1e-6 * 2 / (e * e));
    }
    /* the mollifier: 0 at 0, once differentiable at its width, where the second derivative jumps by 2 / e^2 */
    assert_true(cti_mollifier_value(0, e, &r, &s) == 0);
    f = cti_mollifier_value(e * (1 - 1e-7), e, &r, &s);
    assert_true(fabs(f - 1) < 1e-13 && fabs(r * e) < 1e-6 && s == -2 / (e * e));
    assert_true(cti_mollifier_value(e, e, &r, &s) == 1 && r == 0 && s == 0);
}

static int feature_of(ct_pair_kind kind, const ct_real *x)
{
    ct_real w[3];
    int f = 0;
    if (kind == CT_PAIR_VF)
        cti_dist_pt(x, x + 3, x + 6, x + 9, w, &f);
    else if (kind == CT_PAIR_EE)
        cti_dist_ee(x, x + 3, x + 6, x + 9, w, &f);
    else if (kind == CT_PAIR_VE)
        cti_dist_pe(x, x + 3, x + 6, w, &f);
    return f;
}

static int points_of(ct_pair_kind kind) { return kind == CT_PAIR_VV ? 2 : kind == CT_PAIR_VE ? 3 : 4; }

/* a pair at a random distance of 5 to 95 % of dhat; flat: nearly parallel edges */
static void draw(ct_pair_kind kind, int flat, const cti_potential *p, ct_real *x)
{
    int n = points_of(kind), n_a = kind == CT_PAIR_EE ? 2 : 1, i, tries;
    for (tries = 0;; tries++) {
        cti_potential_terms t;
        double want = (double)p->dhat * (0.5 + 0.45 * rnd()), have;
        for (i = 0; i < 3 * n; i++)
            x[i] = (ct_real)rnd();
        if (flat)
            for (i = 0; i < 3; i++)
                x[9 + i] = x[6 + i] + (x[3 + i] - x[i]) * (ct_real)(1 + 0.3 * rnd()) + (ct_real)(0.01 * rnd());
        /* side a is moved along the closest points' difference */
        {
            cti_potential wide = *p;
            cti_v3 r = cti_v3_zero();
            wide.dhat = 100;
            wide.width = 0;
            if (!cti_potential_eval(&wide, kind, x, CTI_POTENTIAL_VALUE, &t))
                continue;
            for (i = 0; i < n; i++)
                r = cti_v3_mad(r, cti_v3_at(x, i), t.c[i]);
            have = (double)cti_sqrt(t.d2);
            if (have < 1e-3)
                continue;
            for (i = 0; i < n_a; i++)
                cti_v3_addto(x, i, cti_v3_mul(r, (ct_real)((want - have) / have)));
        }
        if (cti_potential_eval(p, kind, x, CTI_POTENTIAL_VALUE, &t) && (double)t.d2 < 0.93 * (double)(p->dhat * p->dhat) &&
            (double)t.d2 > 1e-4 * (double)(p->dhat * p->dhat))
            return;
    }
}

#if CONTACT_REAL == 64
static void check_differences(ct_pair_kind kind, int flat, const cti_potential *p, int *compared)
{
    int n3 = 3 * points_of(kind), i, j, f;
    cti_potential_terms t, up, down;
    ct_real x[12], h = 1e-6 * p->dhat, g = 0, H = 0;
    draw(kind, flat, p, x);
    f = feature_of(kind, x);
    assert_true(cti_potential_eval(p, kind, x, CTI_POTENTIAL_EXACT, &t));
    for (i = 0; i < n3; i++)
        g = cti_max(g, cti_abs(t.gradient[i]));
    for (i = 0; i < n3 * n3; i++)
        H = cti_max(H, cti_abs(t.hessian[i]));
    for (i = 0; i < n3; i++) {
        ct_real y[12];
        int same;
        memcpy(y, x, sizeof y);
        y[i] = x[i] + h;
        same = feature_of(kind, y) == f;
        cti_potential_eval(p, kind, y, CTI_POTENTIAL_GRADIENT, &up);
        y[i] = x[i] - h;
        same &= feature_of(kind, y) == f;
        cti_potential_eval(p, kind, y, CTI_POTENTIAL_GRADIENT, &down);
        if (!same)
            continue;
        assert_true(fabs((up.value - down.value) / (2 * h) - t.gradient[i]) <= 1e-6 * g);
        for (j = 0; j < n3; j++)
            assert_true(fabs((up.gradient[j] - down.gradient[j]) / (2 * h) - t.hessian[n3 * i + j]) <= 1e-6 * H);
        ++*compared;
    }
}

static void pairs_by_finite_differences(void **state)
{
    static const ct_pair_kind pairs[] = {CT_PAIR_VF, CT_PAIR_EE, CT_PAIR_VE, CT_PAIR_VV};
    int k, i, q, compared;
    (void)state;
    for (q = 0; q < 2; q++)
        for (k = 0; k < 5; k++) {
            cti_potential p;
            p.kind = kinds[q], p.dhat = 0.1, p.k = 3;
            for (compared = i = 0; i < 300; i++) {
                p.width = k == 4 ? 1e-2 : 0;
                check_differences(pairs[k % 4 + (k == 4)], k == 4, &p, &compared);
            }
            assert_true(compared > 1000);
        }
}
#endif

static void projections_are_those_of_eigenvalues(void **state)
{
    static const ct_pair_kind pairs[] = {CT_PAIR_VF, CT_PAIR_EE, CT_PAIR_VE, CT_PAIR_VV};
    const double tolerance = CONTACT_REAL == 32 ? 2e-4 : 1e-11;
    int k, i, j;
    (void)state;
    for (k = 0; k < 4; k++)
        for (i = 0; i < 200; i++) {
            int n3 = 3 * points_of(pairs[k]);
            cti_potential p;
            cti_potential_terms exact, projected;
            ct_real x[12], size = 0;
            p.kind = kinds[i % 2], p.dhat = CTI_R(0.1), p.k = 2, p.width = 0;
            draw(pairs[k], 0, &p, x);
            cti_potential_eval(&p, pairs[k], x, CTI_POTENTIAL_EXACT, &exact);
            cti_potential_eval(&p, pairs[k], x, CTI_POTENTIAL_PROJECTED, &projected);
            for (j = 0; j < n3 * n3; j++)
                size = cti_max(size, cti_abs(exact.hessian[j]));
            cti_psd_project(exact.hessian, n3, 0);
            for (j = 0; j < n3 * n3; j++)
                assert_true(fabs((double)(exact.hessian[j] - projected.hessian[j])) <= tolerance * (double)size);
        }
}

/* value and gradient where the closest feature changes: a point moves across the boundary of a triangle */
static void features_change_smoothly(void **state)
{
    const double jump = CONTACT_REAL == 32 ? 1e-2 : 1e-6;
    cti_potential p;
    int i, k;
    (void)state;
    p.kind = CT_BARRIER_LOG;
    p.dhat = CTI_R(0.1);
    p.k = 1;
    p.width = 0;
    for (i = 0; i < 100; i++) {
        ct_real x[12] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, y[12];
        cti_potential_terms a, b;
        ct_real e = CONTACT_REAL == 32 ? CTI_R(1e-5) : CTI_R(1e-10), at = (ct_real)(0.5 + 0.4 * rnd());
        x[2] = (ct_real)(0.05 + 0.03 * rnd());
        memcpy(y, x, sizeof y);
        x[0] = at, x[1] = e;
        y[0] = at, y[1] = -e;
        if (i % 2) /* over a corner */
            x[0] = x[1] = e, y[0] = y[1] = -e;
        cti_potential_eval(&p, CT_PAIR_VF, x, CTI_POTENTIAL_GRADIENT, &a);
        cti_potential_eval(&p, CT_PAIR_VF, y, CTI_POTENTIAL_GRADIENT, &b);
        assert_true(feature_of(CT_PAIR_VF, x) != feature_of(CT_PAIR_VF, y));
        assert_true(fabs(a.value - b.value) <= jump * a.value);
        for (k = 0; k < 12; k++)
            assert_true(fabs((double)(a.gradient[k] - b.gradient[k])) <= jump * (double)a.force);
    }
}

/* a plane: central differences */
static void planes(void **state)
{
    cti_potential p;
    cti_potential_terms t, up, down;
    cti_v3 n = cti_v3_make(0, CTI_R(0.6), CTI_R(0.8));
    ct_real h = CONTACT_REAL == 32 ? CTI_R(1e-4) : CTI_R(1e-7), off = CONTACT_REAL == 32 ? CTI_R(1e-2) : CTI_R(1e-6), N;
    int i, k;
    (void)state;
    p.dhat = CTI_R(0.1), p.k = 1, p.width = 0;
    for (k = 0; k < 2; k++)
        for (i = 2; i < 9; i++) {
            ct_real gap = CTI_R(0.01) * (ct_real)i;
            p.kind = kinds[k];
            assert_true(cti_potential_plane(&p, n, gap, CTI_POTENTIAL_EXACT, &t));
            assert_true(cti_potential_plane(&p, n, gap + h, CTI_POTENTIAL_GRADIENT, &up));
            assert_true(cti_potential_plane(&p, n, gap - h, CTI_POTENTIAL_GRADIENT, &down));
            assert_true(fabs((up.value - down.value) / (2 * (double)h) + (double)t.force) < (double)(off * t.force));
            assert_true(fabs((double)(t.gradient[1] + CTI_R(0.6) * t.force)) < 1e-5 * (double)t.force && t.gradient[0] == 0);
            /* the gradient's change along n is the Hessian's product with n */
            N = CTI_R(0.6) * t.hessian[4] + CTI_R(0.8) * t.hessian[5];
            assert_true(cti_abs((up.gradient[1] - down.gradient[1]) / (2 * h) - N) < off * cti_abs(N));
        }
    assert_false(cti_potential_plane(&p, n, CTI_R(0.1), CTI_POTENTIAL_VALUE, &t));
}

#if CONTACT_REAL == 64

/* moves side a of a pair along the closest points' difference until they are at `want` */
static void place_at(ct_pair_kind kind, ct_real *x, double want)
{
    cti_potential wide;
    cti_potential_terms t;
    int i, round, n = points_of(kind), n_a = kind == CT_PAIR_EE ? 2 : 1;
    wide.kind = CT_BARRIER_LOG, wide.dhat = 100, wide.k = 1, wide.width = 0;
    for (round = 0; round < 3; round++) {
        cti_v3 r = cti_v3_zero();
        ct_real have;
        cti_potential_eval(&wide, kind, x, CTI_POTENTIAL_VALUE, &t);
        have = cti_sqrt(t.d2);
        for (i = 0; i < n; i++)
            r = cti_v3_mad(r, cti_v3_at(x, i), t.c[i]);
        for (i = 0; i < n_a; i++)
            cti_v3_addto(x, i, cti_v3_mul(r, ((ct_real)want - have) / have));
    }
}

/* at dhat value, gradient and Hessian go to zero as the third, second and first power of what is left */
static void pairs_are_smooth_at_dhat(void **state)
{
    static const ct_pair_kind pairs[] = {CT_PAIR_VF, CT_PAIR_EE, CT_PAIR_VE, CT_PAIR_VV};
    int k, i, q, e;
    (void)state;
    for (q = 0; q < 2; q++)
        for (k = 0; k < 4; k++)
            for (i = 0; i < 20; i++) {
                cti_potential p;
                cti_potential_terms t;
                ct_real x[12];
                p.kind = kinds[q], p.dhat = CTI_R(0.1), p.k = 1, p.width = 0;
                draw(pairs[k], 0, &p, x);
                for (e = 2; e < 6; e++) {
                    double left = pow(10, -e), g = 0, H = 0;
                    int n3 = 3 * points_of(pairs[k]), j;
                    place_at(pairs[k], x, (double)p.dhat * (1 - left));
                    assert_true(cti_potential_eval(&p, pairs[k], x, CTI_POTENTIAL_EXACT, &t));
                    for (j = 0; j < n3; j++)
                        g = fmax(g, fabs((double)t.gradient[j]));
                    for (j = 0; j < n3 * n3; j++)
                        H = fmax(H, fabs((double)t.hessian[j]));
                    assert_true(t.value < 20 * left * left * left && g < 60 * left * left / 0.1 && H < 600 * left / 0.01);
                }
                place_at(pairs[k], x, (double)p.dhat * (1 + 1e-9));
                assert_false(cti_potential_eval(&p, pairs[k], x, CTI_POTENTIAL_EXACT, &t));
            }
}

/* two positions on both sides of a switch: value and gradient agree; returns the jump of the Hessian, over its bound `most` */
static double jump(const cti_potential *p, ct_pair_kind kind, const ct_real *x, const ct_real *y, double most)
{
    cti_potential_terms a, b;
    int n3 = 3 * points_of(kind), i;
    double big = 0, g = 0;
    assert_true(cti_potential_eval(p, kind, x, CTI_POTENTIAL_EXACT, &a) && cti_potential_eval(p, kind, y, CTI_POTENTIAL_EXACT, &b));
    assert_true(fabs(a.value - b.value) <= 1e-6 * a.value);
    for (i = 0; i < n3; i++)
        g = fmax(g, fabs((double)a.gradient[i]));
    for (i = 0; i < n3; i++)
        assert_true(fabs((double)(a.gradient[i] - b.gradient[i])) <= 1e-6 * g);
    for (i = 0; i < n3 * n3; i++)
        big = fmax(big, fabs((double)(a.hessian[i] - b.hessian[i])));
    return big / most;
}

/* Where the closest feature changes, a direction in which the closest point may move is new, or gone. The Hessian's part of it is force /
   d, over the squares of the edge's length and of the sine of the angle to the direction that there is. Edges of 1 m: over an end of one, a
   vertex over the end of an edge, over the ends of both edges, a vertex over a side of a face */
static void hessians_jump_by_a_bounded_amount(void **state)
{
    cti_potential p;
    double worst[4] = {0, 0, 0, 0};
    int i, k, m;
    (void)state;
    p.kind = CT_BARRIER_LOG, p.dhat = CTI_R(0.1), p.k = 1, p.width = 0;
    for (i = 0; i < 400; i++) {
        double d = 0.05 + 0.03 * rnd(), e = 1e-10, angle = 0.85 + 0.65 * rnd(), c = cos(angle), n = sin(angle);
        cti_potential_terms t;
        for (k = 0; k < 4; k++) {
            /* side b: from 0 to 1 on the x axis; a face has its third corner at this angle. Side a, at the height d: an edge at this angle,
             * or a point */
            ct_real x[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, y[12];
            ct_pair_kind kind = k == 1 ? CT_PAIR_VE : k == 3 ? CT_PAIR_VF : CT_PAIR_EE;
            int n_a = k == 1 || k == 3 ? 1 : 2;
            if (k == 1 || k == 3) {
                memset(x, 0, sizeof x);
                x[6] = 1, x[9] = (ct_real)c, x[11] = (ct_real)n;
            } else {
                double from = k == 2 ? 0 : -0.5;
                for (m = 0; m < 2; m++)
                    x[3 * m] = (ct_real)((from + m) * c), x[3 * m + 2] = (ct_real)((from + m) * n);
            }
            for (m = 0; m < n_a; m++)
                x[3 * m + 1] = (ct_real)d;
            if (k == 3)
                x[0] = CTI_R(0.4);
            memcpy(y, x, sizeof y);
            for (m = 0; m < n_a; m++) {
                /* along b; over both ends also along a; off the face's side */
                x[3 * m] -= (ct_real)(k == 3 ? 0 : k == 2 ? e * (1 + c) : e), y[3 * m] += (ct_real)(k == 3 ? 0 : k == 2 ? e * (1 + c) : e);
                x[3 * m + 2] -= (ct_real)(k == 3 ? e : k == 2 ? e * n : 0), y[3 * m + 2] += (ct_real)(k == 3 ? e : k == 2 ? e * n : 0);
            }
            assert_true(feature_of(kind, x) != feature_of(kind, y));
            cti_potential_eval(&p, kind, x, CTI_POTENTIAL_VALUE, &t);
            worst[k] = fmax(worst[k], jump(&p, kind, x, y, (double)t.force / d / (k == 1 ? 1 : n * n)));
        }
    }
    for (k = 0; k < 4; k++) {
        assert_true(worst[k] > 0.5 && worst[k] <= 1 + 1e-6);
    }
}

/* at the mollifier's width: value and gradient agree, and the Hessian jumps by 2 / e^2 b gc gc' */
static void the_mollifier_ends_smoothly(void **state)
{
    cti_potential p;
    int i, j, k;
    (void)state;
    p.dhat = CTI_R(0.1), p.k = 1;
    for (i = 0; i < 100; i++) {
        ct_real x[12], gc[12];
        cti_potential_terms a, b;
        double c, g = 0, H = 0, value;
        cti_v3 u, v, gu, gv;
        p.kind = kinds[i % 2];
        p.width = 0;
        draw(CT_PAIR_EE, 1, &p, x);
        u = cti_v3_sub(cti_v3_at(x, 1), cti_v3_at(x, 0)), v = cti_v3_sub(cti_v3_at(x, 3), cti_v3_at(x, 2));
        c = (double)cti_v3_norm2(cti_v3_cross(u, v));
        gu = cti_v3_mul(cti_v3_sub(cti_v3_mul(u, cti_v3_norm2(v)), cti_v3_mul(v, cti_v3_dot(u, v))), 2);
        gv = cti_v3_mul(cti_v3_sub(cti_v3_mul(v, cti_v3_norm2(u)), cti_v3_mul(u, cti_v3_dot(u, v))), 2);
        cti_v3_put(gc, 0, cti_v3_mul(gu, -1)), cti_v3_put(gc, 1, gu), cti_v3_put(gc, 2, cti_v3_mul(gv, -1)), cti_v3_put(gc, 3, gv);
        p.width = (ct_real)(c * (1 + 1e-9));
        assert_true(cti_potential_eval(&p, CT_PAIR_EE, x, CTI_POTENTIAL_EXACT, &a));
        p.width = (ct_real)(c * (1 - 1e-9));
        assert_true(cti_potential_eval(&p, CT_PAIR_EE, x, CTI_POTENTIAL_EXACT, &b));
        value = b.value;
        assert_true(fabs(a.value - b.value) <= 1e-12 * value);
        for (j = 0; j < 12; j++)
            g = fmax(g, fabs((double)b.gradient[j]));
        for (j = 0; j < 144; j++)
            H = fmax(H, fabs((double)a.hessian[j]));
        for (j = 0; j < 12; j++)
            assert_true(fabs((double)(a.gradient[j] - b.gradient[j])) <= 1e-6 * g + 1e-8 * value / c * fabs((double)gc[j]));
        for (j = 0; j < 12; j++)
            for (k = 0; k < 12; k++)
                assert_true(fabs((double)(a.hessian[12 * j + k] - b.hessian[12 * j + k]) + 2 / (c * c) * value * (double)(gc[j] * gc[k])) <=
                            1e-5 * H);
    }
}

/* mollified edges' projection: no negative eigenvalue, and it is the exact one where that has none */
static void mollified_projections_are_those_of_eigenvalues(void **state)
{
    int i, j;
    (void)state;
    for (i = 0; i < 200; i++) {
        cti_potential p;
        cti_potential_terms exact, projected;
        ct_real x[12], size = 0;
        p.kind = kinds[i % 2], p.dhat = CTI_R(0.1), p.k = 2, p.width = CTI_R(1e-2);
        draw(CT_PAIR_EE, 1, &p, x);
        cti_potential_eval(&p, CT_PAIR_EE, x, CTI_POTENTIAL_EXACT, &exact);
        cti_potential_eval(&p, CT_PAIR_EE, x, CTI_POTENTIAL_PROJECTED, &projected);
        for (j = 0; j < 144; j++)
            size = cti_max(size, cti_abs(exact.hessian[j]));
        cti_psd_project(exact.hessian, 12, 0);
        for (j = 0; j < 144; j++)
            assert_true(fabs((double)(exact.hessian[j] - projected.hessian[j])) <= 1e-11 * (double)size);
    }
}
#endif

/* two rods that turn against each other at a distance d: the gradient [6] on the ends of one, of the mollified pair of edges (mollified 0: without
   its mollifier), and of each end with the other rod's edge (ends 0: without) */
static void rods(double angle, int mollified, int ends, double *g)
{
    static const int pick[4][3] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};
    ct_real x[12] = {CTI_R(-0.5), 0, 0, CTI_R(0.5), 0, 0}, y[9];
    cti_potential p;
    cti_potential_terms t;
    int k, i, j;
    for (k = 0; k < 2; k++) {
        double along = k ? 0.5 : -0.5;
        x[6 + 3 * k] = (ct_real)(0.2 + along * cos(angle)), x[7 + 3 * k] = (ct_real)(0.02 + 0.6 * along * sin(angle));
        x[8 + 3 * k] = (ct_real)(0.8 * along * sin(angle));
    }
    memset(g, 0, 6 * sizeof *g);
    p.kind = CT_BARRIER_LOG, p.dhat = CTI_R(0.05), p.k = 1, p.width = mollified ? cti_mollifier_width(x) : 0;
    if (cti_potential_eval(&p, CT_PAIR_EE, x, CTI_POTENTIAL_GRADIENT, &t))
        for (i = 0; i < 6; i++)
            g[i] += (double)t.gradient[6 + i];
    p.width = 0;
    for (k = 0; ends && k < 4; k++) {
        for (i = 0; i < 3; i++)
            memcpy(y + 3 * i, x + 3 * pick[k][i], 3 * sizeof *y);
        if (!cti_potential_eval(&p, CT_PAIR_VE, y, CTI_POTENTIAL_GRADIENT, &t))
            continue;
        for (i = 0; i < 3; i++)
            for (j = 0; pick[k][i] >= 2 && j < 3; j++)
                g[3 * (pick[k][i] - 2) + j] += (double)t.gradient[3 * i + j];
    }
}

/* Parallel rods repel each other, and the gradient is continuous when they turn through that position. The ends' pairs are needed for the first, the
   mollifier for the second */
static void rods_repel_when_parallel(void **state)
{
    double g[6], before[6], force = 0, jump = 0, bare = 0;
    int i, k;
    (void)state;
    rods(0, 1, 0, g);
    assert_true(g[1] + g[4] == 0);
    rods(0, 1, 1, g);
    force = -(g[1] + g[4]);
    assert_true(force > 1);
    for (i = -400; i <= 400; i++) {
        rods(i * 1e-4, 1, 1, g);
        assert_true(-(g[1] + g[4]) > force / 2);
        for (k = 0; i > -400 && k < 6; k++)
            jump = fmax(jump, fabs(g[k] - before[k]));
        memcpy(before, g, sizeof g);
    }
    rods(-1e-5, 0, 0, before);
    rods(1e-5, 0, 0, g);
    for (k = 0; k < 6; k++)
        bare = fmax(bare, fabs(g[k] - before[k]));
    print_message("  force of parallel rods %.3g, largest jump of the gradient in .1 mrad %.2g, without the mollifier %.2g\n", force, jump,
                  bare);
    assert_true(jump < 0.05 * force && bare > 0.3 * force);
    /* and at the parallel position itself */
    rods(-1e-6, 1, 1, before);
    rods(1e-6, 1, 1, g);
    for (k = 0; k < 6; k++)
        assert_true(fabs(g[k] - before[k]) < 1e-3 * force);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_and_their_derivatives),
        cmocka_unit_test(friction_and_the_mollifier),
#if CONTACT_REAL == 64
        cmocka_unit_test(pairs_by_finite_differences),
        cmocka_unit_test(pairs_are_smooth_at_dhat),
        cmocka_unit_test(hessians_jump_by_a_bounded_amount),
        cmocka_unit_test(the_mollifier_ends_smoothly),
        cmocka_unit_test(mollified_projections_are_those_of_eigenvalues),
#endif
        cmocka_unit_test(projections_are_those_of_eigenvalues),
        cmocka_unit_test(features_change_smoothly),
        cmocka_unit_test(rods_repel_when_parallel),
        cmocka_unit_test(planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
