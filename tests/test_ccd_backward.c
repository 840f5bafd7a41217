/* test_ccd_backward.c -- collision detection backwards in time: exact touches (the last time is never early), minimum distances against
   fine sampling (the time before the contact is apart, before the contact, and close to it), degenerate motion, bad input, and the listed
   queries reversed. */
#include "plain.h"
#include "ccd_util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

#define SAMPLES 2000
#define FLOAT (sizeof(ct_real) == 4)

typedef ct_code (*query)(const ct_real *, const ct_real *, ct_real, ct_real *, ct_real *);
static const query queries[4] = {ct_ccd_vertex_face_backward, ct_ccd_edge_edge_backward, ct_ccd_vertex_edge_backward, ct_ccd_vertex_vertex_backward};

static void test_touches(void **state)
{
    int i, kind, before_touch = 0, close = 0, single = 0;
    (void)state;
    for (kind = 0; kind < 4; kind++)
        for (i = 0; i < (kind < 2 ? 20000 : 5000) / PLAIN_OR(1, 3); i++) {
            ct_real x0[12], x1[12], last, before, alone;
            double t = make_touch(kind, i % 3 == 0 ? 1 : (i % 3 == 1 ? 2 : 12), x0, x1);
            assert_int_equal(queries[kind](x0, x1, 0, &last, &before), CT_OK);
            assert_int_equal(queries[kind](x0, x1, 0, &alone, NULL), CT_OK);
            assert_true(alone == last);
            assert_true((double)last >= t && last <= 1);
            assert_true(gap_at(kind, x0, x1, (double)last) < (FLOAT ? 1e-4 : 1e-5));
            assert_true(before == -1 || (before >= 0 && before < last));
            if ((double)last - t > 1e-6)
                continue; /* another contact follows */
            single++;
            before_touch += (double)before < t;
            close += before >= 0 && (double)before > t - 4e-6;
        }
    assert_true(single > 30000 / PLAIN_OR(1, 3));
    /* no returned time is later than the contact */
    assert_int_equal(before_touch, single);
    assert_true(close > 0.5 * single);
}

/* The last contact, by sampling and bisection: *begin is where it began (-1: the features are near from the start on), *end where it ends. 0: none */
static int sample_last(int kind, const ct_real *x0, const ct_real *x1, double d, double *begin, double *end)
{
    double in = -1, out, low, high;
    int k, i;
    for (k = SAMPLES; k >= 0 && gap_at(kind, x0, x1, (double)k / SAMPLES) > d; k--) {
    }
    if (k < 0)
        return 0;
    in = (double)k / SAMPLES, *end = in;
    for (; k >= 0 && gap_at(kind, x0, x1, (double)k / SAMPLES) <= d; k--)
        in = (double)k / SAMPLES;
    *begin = -1;
    if (k < 0)
        return 1;
    out = (double)k / SAMPLES;
    for (low = out, high = in, i = 0; i < 50; i++) {
        double mid = 0.5 * (low + high);
        if (gap_at(kind, x0, x1, mid) > d)
            low = mid;
        else
            high = mid;
    }
    *begin = low;
    return 1;
}

static void test_min_distance(void **state)
{
    int i, k, kind, hits = 0, clear = 0, from_start = 0, inside = 0, sharp = 0, timed = 0;
    double slack = FLOAT ? 1e-4 : 1e-9;
    (void)state;
    for (i = 0; i < 6000; i++) {
        ct_real x0[12], x1[12], last = 7, before = 7, d = (ct_real)ldexp(1 + rnd() * 0.5, -1 - i % 6);
        double begin, end;
        int hit;
        kind = i & 3;
        for (k = 0; k < 3 * points[kind]; k++)
            x0[k] = (ct_real)rnd(), x1[k] = i % 5 ? x0[k] + (ct_real)(rnd() * ((i >> 4) & 1 ? 2.0 : 0.2)) : (ct_real)rnd();
        assert_int_equal(queries[kind](x0, x1, d, &last, &before), CT_OK);
        hit = last >= 0;
        hits += hit, clear += !hit;
        if (!sample_last(kind, x0, x1, (double)d * (1 - slack), &begin, &end)) {
            assert_true(hit || (last == -1 && before == 1));
            continue;
        }
        assert_true(hit && last <= 1 && (double)last >= end);
        assert_true(before == -1 || (before >= 0 && before < last));
        if (begin < 0) {
            from_start++;
            assert_true(before == -1 || (double)before < end);
            continue;
        }
        assert_true((double)before < begin + slack);
        inside += last == 1;
        if (before >= 0)
            assert_true(gap_at(kind, x0, x1, (double)before) > (double)d * (1 - 1e-12) - (FLOAT ? 1e-6 : 0));
        /* a contact that sampling does not see may lie between a time without contact and this one */
        timed++;
        sharp += begin - (double)before < (FLOAT ? 1e-3 : 1e-6);
    }
    assert_true(hits > 500 && clear > 500 && from_start > 100 && inside > 100 && timed > 300);
    assert_true(sharp >= 0.99 * timed);
}

static void expect(int kind, const double *a, const double *b, double d, double last, double before)
{
    ct_real x0[12], x1[12], l = 7, s = 7;
    double slack = FLOAT ? 1e-5 : (d > 0 ? 1e-7 : 2e-6);
    int i;
    for (i = 0; i < 3 * points[kind]; i++)
        x0[i] = (ct_real)a[i], x1[i] = (ct_real)b[i];
    assert_int_equal(queries[kind](x0, x1, (ct_real)d, &l, &s), CT_OK);
    assert_true((double)l >= last && (double)l <= last + slack);
    assert_true((double)s <= before && (double)s >= before - slack);
}

static void test_known(void **state)
{
    /* a vertex moves through a face, to the same distance at the end; one ends near the face; one starts near it and leaves */
    static const double above[12] = {0.25, 1, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1}, below[12] = {0.25, -1, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const double on[12] = {0.25, 0, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const double ea[12] = {-1, 1, 0, 1, 1, 0, 0, 0, -1, 0, 0, 1}, eb[12] = {-1, -1, 0, 1, -1, 0, 0, 0, -1, 0, 0, 1};
    static const double ca[12] = {-1, 0, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1}, cb[12] = {0.5, 0, 0.25, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const double wa[6] = {0, 0, 0, 4, 0, 0}, wb[6] = {4, 0, 0, 0, 0, 0}, wc[6] = {3.5, 0, 0, 4, 0, 0};
    double z[12] = {0};
    (void)state;
    expect(0, above, below, 0, 0.5, 0.5), expect(0, above, below, 0.5, 0.75, 0.25);
    expect(0, above, on, 0.5, 1, 0.5), expect(0, above, on, 0, 1, 1), expect(0, on, above, 0.5, 0.5, -1);
    expect(0, above, above, 0.5, -1, 1), expect(0, on, on, 0.5, 1, -1), expect(0, above, above, 1, 1, -1);
    expect(1, ea, eb, 0, 0.5, 0.5), expect(1, ea, eb, 0.25, 0.625, 0.375), expect(1, ea, ea, 0, -1, 1);
    /* in the plane of a face, into it: touching from the edge on, until the end */
    expect(0, ca, cb, 0, 1, 2.0 / 3), expect(0, ca, cb, 0.25, 1, 0.5);
    expect(3, wa, wb, 0, 0.5, 0.5), expect(3, wa, wb, 1, 0.625, 0.375), expect(3, wa, wc, 1, 1, 6.0 / 7);
    expect(0, z, z, 0, 1, -1), expect(1, z, z, 0, 1, -1), expect(2, z, z, 0, 1, -1), expect(3, z, z, 0, 1, -1);
}

static void test_bad_input(void **state)
{
    ct_real x0[12] = {0, 1, 0, 5, 3, 1}, x1[12] = {2, 1, 4}, last = 7, before = 7;
    int kind;
    (void)state;
    for (kind = 0; kind < 4; kind++) {
        assert_int_equal(queries[kind](NULL, x1, 0, &last, &before), CT_ERR_ARGUMENT);
        assert_int_equal(queries[kind](x0, NULL, 0, &last, &before), CT_ERR_ARGUMENT);
        assert_int_equal(queries[kind](x0, x1, 0, NULL, &before), CT_ERR_ARGUMENT);
        assert_int_equal(queries[kind](x0, x1, -1, &last, &before), CT_ERR_DOMAIN);
        x1[4] = (ct_real)NAN;
        assert_int_equal(queries[kind](x0, x1, 0, &last, &before), CT_ERR_DOMAIN);
        x1[4] = 0;
        assert_true(last == 7 && before == 7);
        assert_int_equal(queries[kind](x0, x1, CTI_REAL_MAX, &last, &before), CT_OK);
        assert_true(last == 1 && before == -1);
        last = before = 7;
    }
}

/* ---- the listed queries: reversed, the last time is 1 less the exact first one; unchanged, no contact is missed ---- */
static int read_file(const char *folder, const char *kind, const char *name, int *positives)
{
    char path[600], label[300];
    double v[25], exact[2];
    int i, known[2], ee = kind[0] == 'e', k = FLOAT, n = 0;
    FILE *f, *r;
    snprintf(path, sizeof path, "%s/ccd/%s/%s.txt", folder, kind, name), f = fopen(path, "r");
    snprintf(path, sizeof path, "%s/ccd/%s/%s.ref", folder, kind, name), r = fopen(path, "r");
    while (f && r) {
        ct_real x0[12], x1[12], last, before;
        for (i = 0; i < 25 && fscanf(f, "%la", &v[i]) == 1;)
            i++;
        if (i < 25 || fscanf(r, "%d %la %d %la %299s", &known[0], &exact[0], &known[1], &exact[1], label) != 5)
            break;
        for (i = 0; i < 12; i++)
            x0[i] = (ct_real)v[i], x1[i] = (ct_real)v[12 + i];
        n++, *positives += known[k];
        assert_int_equal(queries[ee](x1, x0, 0, &last, &before), CT_OK);
        assert_true(!known[k] || 1 - (double)last <= exact[k] + (FLOAT ? 6e-8 : 0)); /* float times are rounded */
        assert_true(before < last || (last == -1 && before == 1));
        if (before >= 0)
            assert_true(gap_at(ee, x1, x0, (double)before) > 0 || FLOAT);
        assert_int_equal(queries[ee](x0, x1, 0, &last, &before), CT_OK);
        assert_true(!known[k] || (double)last >= exact[k]);
    }
    if (f)
        fclose(f);
    if (r)
        fclose(r);
    return n;
}

static void test_listed(void **state)
{
    static const char *const names[] = {"cand-cloth-ball", "gt-cloth-ball", "gt-rod-twist", "syn-end-s1", "syn-touch-b20-s1", "syn-touch-b50-s1024",
                                        "sq-erleben-sliding-spike", "sq-erleben-spike-hole", "sq-erleben-spikes", "sq-unit-tests"};
    const char *folder = getenv("CONTACT_DATA");
    int n = 0, positives = 0;
    size_t i;
    (void)state;
    folder = folder ? folder : "../shared/data";
    for (i = 0; i < 2 * sizeof names / sizeof *names; i++)
        n += read_file(folder, i & 1 ? "ee" : "vf", names[i / 2], &positives);
    if (n == 0) {
        print_message("skipped: no queries in %s/ccd (CONTACT_DATA)\n", folder);
        skip();
    }
    assert_true(n > 1000 && positives > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_touches), cmocka_unit_test(test_min_distance),
                                       cmocka_unit_test(test_bad_input), cmocka_unit_test(test_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
