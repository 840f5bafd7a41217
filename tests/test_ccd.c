/* test_ccd.c -- continuous collision: exact touches built on dyadic grids (no miss, no late time), degenerate motion, extreme scales,
   minimum distances against sampling, batches against single queries, bad input, and the listed queries with exact answers. */
#include "plain.h"
#include "../src/1_math/dd.h"
#include "ccd_util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

static const int kinds[4] = {CT_PAIR_VF, CT_PAIR_EE, CT_PAIR_VE, CT_PAIR_VV};

static void test_touches(void **state)
{
    int i, kind;
    (void)state;
    for (kind = 0; kind < 4; kind++) {
        for (i = 0; i < (kind < 2 ? 30000 : 5000) / PLAIN_OR(1, 3); i++) {
            ct_real x0[12], x1[12], toi;
            double t = make_touch(kind, i % 3 == 0 ? 1 : (i % 3 == 1 ? 2 : 12), x0, x1);
            assert_int_equal(cti_ccd_meet(kinds[kind], x0, x1, 0, &toi), 1);
            assert_true(toi >= 0 && (double)toi <= t);
            /* and the features touch at that time */
            assert_true(gap_at(kind, x0, x1, (double)toi) < CTI_R(1e-5));
        }
    }
}

/* the same contacts far from the origin, and scaled by powers of two up to the limits of double */
static void test_scales(void **state)
{
    static const int power[] = {-1060, -1000, -500, -100, 20, 100, 500, 1000, 1015};
    int i, k, kind;
    (void)state;
    for (i = 0; i < 20000; i++) {
        ct_real x0[12], x1[12], toi, far[3];
        double s, t;
        kind = i % 4;
        t = make_touch(kind, 1 + i % 5, x0, x1);
        for (k = 0; k < 3; k++)
            far[k] = (ct_real)(sizeof(ct_real) == 8 ? whole(1000) * 1048576.0 : whole(500));
        for (k = 0; k < 3 * points[kind]; k++)
            x0[k] += far[k % 3], x1[k] += far[k % 3];
        assert_int_equal(cti_ccd_meet(kinds[kind], x0, x1, 0, &toi), 1);
        assert_true((double)toi <= t);
        if (sizeof(ct_real) == 4)
            continue;
        s = ldexp(1, power[i % 9]);
        for (k = 0; k < 3 * points[kind]; k++)
            x0[k] = (x0[k] - far[k % 3]) * (ct_real)s, x1[k] = (x1[k] - far[k % 3]) * (ct_real)s;
        assert_int_equal(cti_ccd_meet(kinds[kind], x0, x1, 0, &toi), 1);
        assert_true((double)toi <= t);
        /* a plane far away: no impact at any scale that keeps the offset */
        for (k = 0; k < points[kind]; k++)
            if (k < (kind == 1 ? 2 : 1))
                x0[3 * k] += (ct_real)(s * 100), x1[3 * k] += (ct_real)(s * 100);
        if (cti_finite(x0[0]) && cti_finite(x1[0])) {
            assert_int_equal(cti_ccd_meet(kinds[kind], x0, x1, 0, &toi), 0);
            assert_true(toi == CTI_CCD_NONE);
        }
    }
}

static void expect(int kind, const double *a, const double *b, double d, double low, double high)
{
    ct_real x0[12], x1[12], toi = -1;
    int i, hit;
    for (i = 0; i < 3 * points[kind]; i++)
        x0[i] = (ct_real)a[i], x1[i] = (ct_real)b[i];
    hit = cti_ccd_meet(kinds[kind], x0, x1, (ct_real)d, &toi);
    assert_int_equal(hit, low <= 1);
    assert_true((double)toi >= low && (double)toi <= high);
}

static void test_known(void **state)
{
    static const double face[12] = {0.25, 1, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1}, down[12] = {0.25, -1, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const double miss[12] = {0.75, -1, 0.75, 0, 0, 0, 1, 0, 0, 0, 0, 1}, above[12] = {0.75, 1, 0.75, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const double ea[12] = {-1, 1, 0, 1, 1, 0, 0, 0, -1, 0, 0, 1}, eb[12] = {-1, -1, 0, 1, -1, 0, 0, 0, -1, 0, 0, 1};
    /* parallel edges that approach sideways, slide past each other, or lie on one line */
    static const double pa[12] = {0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0}, pb[12] = {0, -1, 0, 1, -1, 0, 0, 0, 0, 1, 0, 0};
    static const double sa[12] = {-3, 1e-6, 0, -2, 1e-6, 0, 0, 0, 0, 1, 0, 0}, sb[12] = {3, 1e-6, 0, 4, 1e-6, 0, 0, 0, 0, 1, 0, 0};
    static const double la[12] = {-3, 0, 0, -2, 0, 0, 0, 0, 0, 1, 0, 0}, lb[12] = {1, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0};
    /* a vertex slides through an edge into a triangle, all in one plane */
    static const double ca[12] = {-1, 0, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1}, cb[12] = {1, 0, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    /* nothing moves */
    static const double va[9] = {0, 2, 0, -1, 0, 0, 1, 0, 0}, vb[9] = {0, -2, 0, -1, 0, 0, 1, 0, 0};
    static const double wa[6] = {0, 0, 0, 4, 0, 0}, wb[6] = {4, 0, 0, 0, 0, 0};
    double z[12] = {0};
    (void)state;
    expect(0, face, down, 0, 0.5 - 1e-6, 0.5), expect(0, above, miss, 0, 2, 2);
    expect(0, face, down, 0.5, 0.25 - 1e-6, 0.25), expect(0, face, face, 0.5, 2, 2), expect(0, face, face, 1, 0, 0);
    expect(1, ea, eb, 0, 0.5 - 1e-6, 0.5), expect(1, ea, eb, 0.25, 0.375 - 1e-6, 0.375), expect(1, ea, ea, 0, 2, 2);
    expect(1, pa, pb, 0, 0.5 - 1e-6, 0.5), expect(1, sa, sb, 0, 2, 2), expect(1, la, lb, 0, 0.5 - 1e-6, 0.5);
    expect(1, sa, sb, 1e-5, 1.0 / 3 - 1e-4, 1.0 / 3);
    expect(0, ca, cb, 0, 0.5 - 1e-6, 0.5);
    expect(2, va, vb, 0, 0.5 - 1e-6, 0.5), expect(2, va, vb, 1, 0.25 - 1e-6, 0.25), expect(2, va, va, 0, 2, 2);
    expect(3, wa, wb, 0, 0.5 - 1e-6, 0.5), expect(3, wa, wb, 1, 0.375 - 1e-6, 0.375), expect(3, wa, wa, 1, 2, 2);
    /* everything in one point */
    expect(0, z, z, 0, 0, 0), expect(1, z, z, 0, 0, 0), expect(2, z, z, 0, 0, 0), expect(3, z, z, 0, 0, 0);
}

/* minimum distance: no impact is later than the first sample that is closer, or earlier than rounding explains */
static void test_min_distance(void **state)
{
    int i, k, kind, hits = 0, clear = 0;
    (void)state;
    for (i = 0; i < 4000; i++) {
        ct_real x0[12], x1[12], toi, d = (ct_real)ldexp(1 + rnd() * 0.5, -1 - i % 6);
        double slack = sizeof(ct_real) == 8 ? 1e-9 : 1e-4;
        int hit;
        kind = i & 3;
        for (k = 0; k < 3 * points[kind]; k++)
            x0[k] = (ct_real)rnd(), x1[k] = i % 5 ? x0[k] + (ct_real)(rnd() * ((i >> 4) & 1 ? 2.0 : 0.2)) : (ct_real)rnd();
        hit = cti_ccd_meet(kinds[kind], x0, x1, d, &toi);
        hits += hit, clear += !hit;
        assert_true(hit ? toi >= 0 && toi <= 1 : toi == CTI_CCD_NONE);
        for (k = 0; k <= 200; k++)
            if ((double)gap_at(kind, x0, x1, k / 200.0) < (double)d * (1 - slack) - slack * 1e-3)
                assert_true(hit && (double)toi <= k / 200.0);
        if (hit && toi > 0)
            assert_true((double)gap_at(kind, x0, x1, (double)toi) <= (double)d * (1 + 1e-6) + slack);
    }
    assert_true(hits > 500 && clear > 500);
}

static void test_batch(void **state)
{
    static ct_real x0[3 * 400], x1[3 * 400], d[1500], toi[1500], all[1500];
    static int32_t quads[4 * 1500];
    int i, j, k, round, kind, hits, hits2, finite, found = 0;
    (void)state;
    for (round = 0; round < 6; round++) {
        for (i = 0; i < 1200; i++)
            x0[i] = (ct_real)(round & 1 ? whole(4) : rnd()), x1[i] = x0[i] + (ct_real)(rnd() * 0.3);
        /* lanes that are out of range: huge, tiny, not finite */
        if (round > 3) {
            x1[0] = CTI_REAL_MAX, x0[1] = -CTI_REAL_MAX, x0[30] = CTI_REAL_MAX, x1[61] = x1[62] = (ct_real)1e-38f;
            x0[90] = (ct_real)NAN, x1[121] = (ct_real)INFINITY;
        }
        for (i = 0; i < 6000; i++)
            quads[i] = (int32_t)((rnd() + 1) * 199.9);
        for (i = 0; i < 1500; i++)
            d[i] = (ct_real)(round > 3 && i % 50 == 0 ? (i % 100 ? -0.25 : (double)NAN) : 0.05 * (rnd() + 1));
        for (kind = 0; kind < 2; kind++) {
            hits = (kind ? cti_ccd_ee_batch : cti_ccd_vf_batch)(x0, x1, quads, 1500, NULL, toi);
            hits2 = (kind ? cti_ccd_ee_batch : cti_ccd_vf_batch)(x0, x1, quads, 1500, d, all);
            for (i = 0; i < 1500; i++) {
                ct_real a[12], b[12], t;
                for (j = 0; j < 4; j++)
                    for (k = 0; k < 3; k++)
                        a[3 * j + k] = x0[3 * quads[4 * i + j] + k], b[3 * j + k] = x1[3 * quads[4 * i + j] + k];
                cti_ccd_meet(kinds[kind], a, b, 0, &t);
                /* beside huge numbers a batch may find a separating plane that a single query does not test */
                assert_true(t == toi[i] || (round > 3 && toi[i] == CTI_CCD_NONE));
                found += t <= 1, hits -= toi[i] <= 1;
                cti_ccd_meet(kinds[kind], a, b, d[i], &t);
                assert_true(t == all[i] || (round > 3 && all[i] == CTI_CCD_NONE));
                hits2 -= all[i] <= 1;
                assert_true(d[i] >= 0 || all[i] == 0);
                finite = 1;
                for (j = 0; j < 12; j++)
                    finite &= cti_finite(a[j]) && cti_finite(b[j]);
                assert_true(finite || (toi[i] == 0 && all[i] == 0));
            }
            assert_int_equal(hits, 0);
            assert_int_equal(hits2, 0);
        }
    }
    assert_true(found > 200);
}

static void test_bad_input(void **state)
{
    ct_real x0[12], x1[12], toi = 7, bad[3] = {(ct_real)NAN, (ct_real)INFINITY, (ct_real)-INFINITY}, four[2] = {7, 7};
    int32_t quads[8] = {0, 1, 2, 3, 3, 2, 1, 0};
    int i, k;
    (void)state;
    for (i = 0; i < 12; i++)
        x0[i] = (ct_real)(i * i % 7), x1[i] = (ct_real)(i % 5);
    assert_int_equal(ct_ccd_vertex_face(NULL, x1, 0, &toi), CT_ERR_ARGUMENT);
    assert_int_equal(ct_ccd_edge_edge(x0, x1, 0, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_ccd_vertex_edge(x0, x1, -1, &toi), CT_ERR_DOMAIN);
    assert_int_equal(ct_ccd_vertex_vertex(x0, x1, (ct_real)NAN, &toi), CT_ERR_DOMAIN);
    assert_int_equal(ct_ccd_vertex_face_batch(x0, x1, quads, -1, 0, four), CT_ERR_ARGUMENT);
    assert_int_equal(ct_ccd_edge_edge_batch(x0, x1, NULL, 1, 0, four), CT_ERR_ARGUMENT);
    for (i = 0; i < 12; i++) {
        for (k = 0; k < 3; k++) {
            ct_real keep = x1[i];
            x1[i] = bad[k];
            assert_int_equal(ct_ccd_vertex_face(x0, x1, 0, &toi), CT_ERR_DOMAIN);
            assert_int_equal(ct_ccd_edge_edge(x1, x0, 0, &toi), CT_ERR_DOMAIN);
            assert_int_equal(ct_ccd_edge_edge_batch(x0, x1, quads, 2, 0, four), CT_ERR_DOMAIN);
            x1[i] = keep;
        }
    }
    assert_true(toi == 7 && four[0] == 7 && four[1] == 7);
    quads[5] = -1;
    assert_int_equal(ct_ccd_vertex_face_batch(x0, x1, quads, 2, 0, four), CT_ERR_ARGUMENT);
    quads[5] = 2;
    assert_int_equal(ct_ccd_vertex_face_batch(x0, x1, quads, 2, CTI_R(0.001), four), CT_OK);
    assert_int_equal(ct_ccd_vertex_face(x0, x1, CTI_R(0.001), &toi), CT_OK);
    assert_true(four[0] == toi && four[0] != 7 && four[1] != 7);
    assert_int_equal(ct_ccd_vertex_edge(x0, x1, 0, &toi), CT_OK);
    assert_int_equal(ct_ccd_vertex_vertex(x0, x1, 0, &toi), CT_OK);
    assert_int_equal(ct_ccd_edge_edge(x0, x1, CTI_REAL_MAX, &toi), CT_OK);
    assert_true(toi == 0);
}

/* double-double: exact differences, and products of 53-bit numbers to 106 bits */
static void test_dd(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < 10000; i++) {
        double a = rnd(), b = ldexp(rnd(), whole(40)), s;
        int64_t m = (int64_t)(rnd() * 2147483648.0 * 4096), n = (int64_t)(rnd() * 1048576.0);
        cti_dd x, y, z;
        x = cti_dd_diff(a, b);
        /* hi is the rounded difference and lo its error: adding b back gives a */
        s = x.hi + b;
        assert_true(x.hi == a - b && cti_abs((ct_real)(x.lo + (s - a))) <= CTI_R(1e-3) * (ct_real)(fabs(a) + fabs(b)));
        y = cti_dd_sub(cti_dd_add(x, cti_dd_diff(b, 0)), cti_dd_diff(a, 0));
        assert_true(fabs(y.hi) <= 8 * CTI_DD_U * (fabs(a) + fabs(b)));
        /* (m + n/2^60)(m - n/2^60) = m^2 - n^2/2^120 */
        x = cti_dd_sum((double)m, ldexp((double)n, -60)), y = cti_dd_diff((double)m, ldexp((double)n, -60));
        z = cti_dd_sub(cti_dd_mul(x, y), cti_dd_mul(cti_dd_diff((double)m, 0), cti_dd_diff((double)m, 0)));
        assert_true(fabs(z.hi + ldexp((double)n * (double)n, -120)) <= 4 * CTI_DD_U * (double)m * (double)m);
    }
}

/* ---- the listed queries ---- */
typedef struct tally {
    int files, n, positives, missed, false_hits, late, close;
    double worst;
} tally;

static int read_file(const char *folder, const char *kind, const char *name, tally *t)
{
    char path[600], label[300];
    double v[25], exact[2];
    int i, hit, known[2], ee = kind[0] == 'e', k = sizeof(ct_real) == 4;
    FILE *f, *r;
    snprintf(path, sizeof path, "%s/ccd/%s/%s.txt", folder, kind, name), f = fopen(path, "r");
    snprintf(path, sizeof path, "%s/ccd/%s/%s.ref", folder, kind, name), r = fopen(path, "r");
    while (f && r) {
        ct_real x0[12], x1[12], toi;
        for (i = 0; i < 25 && fscanf(f, "%la", &v[i]) == 1;)
            i++;
        if (i < 25 || fscanf(r, "%d %la %d %la %299s", &known[0], &exact[0], &known[1], &exact[1], label) != 5)
            break;
        for (i = 0; i < 12; i++)
            x0[i] = (ct_real)v[i], x1[i] = (ct_real)v[12 + i];
        hit = cti_ccd_meet(kinds[ee], x0, x1, 0, &toi);
        t->n++, t->positives += known[k];
        t->missed += known[k] && !hit, t->false_hits += hit && !known[k];
        if (known[k] && hit) {
            t->late += (double)toi > exact[k], t->close += exact[k] - (double)toi <= 1e-6;
            t->worst = exact[k] - (double)toi > t->worst ? exact[k] - (double)toi : t->worst;
        }
    }
    i = f && r;
    t->files += i;
    if (f)
        fclose(f);
    if (r)
        fclose(r);
    return i;
}

static void test_listed(void **state)
{
    static const char *others[] = {"gt-armadillo-rollers",   "gt-cloth-ball",          "gt-cloth-funnel",     "gt-n-body-simulation",
                                   "gt-rod-twist",           "cand-armadillo-rollers", "cand-cloth-ball",     "cand-cloth-funnel",
                                   "cand-n-body-simulation", "cand-rod-twist",         "syn-end-s1",          "syn-end-s1024",
                                   "syn-end-s1048576",       "syn-touch-b20-s1",       "syn-touch-b20-s1024", "syn-touch-b50-s1",
                                   "syn-touch-b50-s1024"};
    static const char *sample[] = {"sq-erleben-cube-cliff-edges",
                                   "sq-erleben-cube-internal-edges",
                                   "sq-erleben-sliding-spike",
                                   "sq-erleben-sliding-wedge",
                                   "sq-erleben-spike-crack",
                                   "sq-erleben-spike-hole",
                                   "sq-erleben-spike-wedge",
                                   "sq-erleben-spikes",
                                   "sq-erleben-wedge-crack",
                                   "sq-erleben-wedges",
                                   "sq-unit-tests"};
    const char *folder = getenv("CONTACT_DATA");
    int kind;
    size_t i;
    (void)state;
    folder = folder ? folder : "../shared/data";
    for (kind = 0; kind < 2; kind++) {
        const char *name = kind ? "ee" : "vf";
        tally a, b;
        memset(&a, 0, sizeof a), memset(&b, 0, sizeof b);
        for (i = 0; i < sizeof sample / sizeof *sample; i++)
            read_file(folder, name, sample[i], &a);
        for (i = 0; i < sizeof others / sizeof *others; i++)
            read_file(folder, name, others[i], &b);
        if (a.files + b.files == 0) {
            print_message("skipped: no queries in %s/ccd (CONTACT_DATA)\n", folder);
            skip();
        }
        assert_int_equal(a.files + b.files, sizeof sample / sizeof *sample + sizeof others / sizeof *others);
        assert_true(a.n > 1500 && b.n > 10000 && a.positives > 50);
        assert_int_equal(a.missed + b.missed, 0);
        assert_int_equal(a.late + b.late, 0);
        assert_in_range(a.false_hits, 0, 5);
        assert_in_range(b.false_hits, 0, 5);
        assert_true(a.close + b.close >= 0.99 * (a.positives + b.positives));
        assert_true(a.worst <= 1e-6 && b.worst <= 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dd),           cmocka_unit_test(test_known), cmocka_unit_test(test_touches),
                                       cmocka_unit_test(test_scales),       cmocka_unit_test(test_batch), cmocka_unit_test(test_bad_input),
                                       cmocka_unit_test(test_min_distance), cmocka_unit_test(test_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
