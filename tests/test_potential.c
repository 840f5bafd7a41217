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
            assert_true(fabs((up - down) / (2 * h) - s) < 1e-3 * (s + 1));
        }
    }
    /* f0, f1 and f1' are continuous at e */
    f = cti_friction_value(e * (1 - 1e-9), e, &r, &s);
    assert_true(fabs(f - cti_friction_value(e * (1 + 1e-9), e, &r1, &s1)) < 1e-11 && fabs(r * e - r1 * e) < 1e-8 && fabs(s - s1) < 1e-5);
    assert_true(cti_friction_value(0, e, &r, &s) > 0 && r == 2 / e && s == 2 / e);
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

static void planes(void **state)
{
    cti_potential p;
    cti_potential_terms t, up;
    cti_v3 n = cti_v3_make(0, CTI_R(0.6), CTI_R(0.8));
    ct_real h = CONTACT_REAL == 32 ? CTI_R(1e-5) : CTI_R(1e-8);
    (void)state;
    p.kind = CT_BARRIER_LOG;
    p.dhat = CTI_R(0.1);
    p.k = 1;
    p.width = 0;
    assert_true(cti_potential_plane(&p, n, CTI_R(0.04), CTI_POTENTIAL_EXACT, &t));
    assert_true(cti_potential_plane(&p, n, CTI_R(0.04) + h, CTI_POTENTIAL_GRADIENT, &up));
    assert_true(fabs((up.value - t.value) / (double)h + (double)t.force) < 1e-2 * (double)t.force);
    assert_true(fabs((double)(t.gradient[1] + CTI_R(0.6) * t.force)) < 1e-5 * (double)t.force);
    /* the gradient's change along n is the Hessian's product with n */
    {
        double want = (double)(CTI_R(0.6) * t.hessian[4] + CTI_R(0.8) * t.hessian[5]);
        assert_true(fabs((double)((up.gradient[1] - t.gradient[1]) / h) - want) < 1e-2 * want);
    }
    assert_false(cti_potential_plane(&p, n, CTI_R(0.1), CTI_POTENTIAL_VALUE, &t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_and_their_derivatives),
        cmocka_unit_test(friction_and_the_mollifier),
#if CONTACT_REAL == 64
        cmocka_unit_test(pairs_by_finite_differences),
#endif
        cmocka_unit_test(projections_are_those_of_eigenvalues),
        cmocka_unit_test(features_change_smoothly),
        cmocka_unit_test(planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
