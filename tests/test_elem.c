/* test_elem.c -- elementary functions: against long double results of the machine's libm where that is wider than double, against tabulated
   values, at special arguments, and the lanes against the single functions bit by bit. */
#include "model_check.h"
#include <float.h>
#include <math.h>

/* |got - expected| in units in the last place of a double */
static double ulps(double got, long double expected)
{
    int e;
    long double d = (long double)got - expected;
    frexp((double)expected, &e);
    if (e < -1020)
        e = -1020;
    return (double)((d < 0 ? -d : d) / ldexpl(1, e - 53));
}
static double uniform(void)
{
    model_seed = model_seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(model_seed >> 11) / 4503599627370496.0 - 1.0;
}

static void test_accuracy(void **state)
{
    double worst[7] = {0, 0, 0, 0, 0, 0, 0}, limit[7] = {1, 1, 1, 1, 1.5, 2, 1};
    int i;
    (void)state;
    if (LDBL_MANT_DIG < 64) {
        print_message("long double is no wider than double here: nothing to compare with\n");
        skip();
    }
    for (i = 0; i < 200000; i++) {
        double x = exp(uniform() * (i & 1 ? 700 : 3)), t = uniform() * (i & 1 ? 700 : 2), a = uniform() * (i % 3 ? 10 : 1e5), c = uniform();
        double y = uniform() * (i & 1 ? 1 : 1e-6), z = uniform();
        double e[7];
        int k;
        e[0] = ulps(cti_log64(x), logl((long double)x));
        e[1] = ulps(cti_exp64(t), expl((long double)t));
        e[2] = ulps(cti_sin64(a), sinl((long double)a));
        e[3] = ulps(cti_cos64(a), cosl((long double)a));
        e[4] = ulps(cti_acos64(c), acosl((long double)c));
        e[5] = ulps(cti_atan2_64(y, z), atan2l((long double)y, (long double)z));
        e[6] = ulps(cti_cbrt64(x), cbrtl((long double)x));
        for (k = 0; k < 7; k++)
            worst[k] = worst[k] > e[k] ? worst[k] : e[k];
    }
    for (i = 0; i < 7; i++) {
        if (!(worst[i] < limit[i]))
            print_message("function %d: %.3f ulp\n", i, worst[i]);
        assert_true(worst[i] < limit[i]);
    }
}

/* decimal values computed with 60 digits */
static void test_table(void **state)
{
    (void)state;
    assert_true(ulps(cti_log64(10), 2.302585092994045684L) < 1);
    assert_true(ulps(cti_log64(0.2), -1.609437912434100375L) < 1);
    assert_true(ulps(cti_exp64(1), 2.718281828459045235L) < 1);
    assert_true(ulps(cti_sin64(1), 0.8414709848078965067L) < 1);
    assert_true(ulps(cti_cos64(1), 0.5403023058681397174L) < 1);
    assert_true(ulps(cti_sin64(3.141592653589793), 1.2246467991473531772e-16L) < 1);
    assert_true(ulps(cti_acos64(-1), 3.141592653589793238L) < 1);
    assert_true(ulps(cti_atan2_64(1, -1), 2.356194490192344929L) < 1);
    assert_true(ulps(cti_cbrt64(2), 1.259921049894873165L) < 1);
    assert_true(cti_cbrt64(27) == 3 && cti_cbrt64(-8) == -2 && cti_cbrt64(1e-300) > 0);
    assert_true(cti_exp64(0) == 1 && cti_log64(1) == 0 && cti_sin64(0) == 0 && cti_cos64(0) == 1 && cti_acos64(1) == 0);
}

static int is_nan(double x) { return !(x == x); }
static void test_special(void **state)
{
    double inf = cti_exp64(1000), tiny = 4.9406564584124654e-324, s, c;
    int i;
    (void)state;
    assert_true(inf > DBL_MAX && cti_exp64(-1000) == 0 && is_nan(cti_exp64(inf - inf)));
    assert_true(cti_log64(0) == -inf && is_nan(cti_log64(-1)) && cti_log64(inf) == inf && is_nan(cti_log64(inf - inf)));
    assert_true(ulps(cti_log64(tiny), -744.4400719213812622L) < 1);
    assert_true(cti_exp64(709.7) < inf && cti_exp64(-745) == tiny);
    assert_true(is_nan(cti_acos64(1.0000001)) && is_nan(cti_acos64(inf - inf)));
    assert_true(ulps(cti_sin64(1e22), -0.85220084976718880177L) < 1 && ulps(cti_cos64(1e22), 0.52321478539513894549L) < 1);
    assert_true(ulps(cti_sin64(-1e22), 0.85220084976718880177L) < 1 && ulps(cti_cos64(-1e22), 0.52321478539513894549L) < 1);
    /* the double that is nearest to a multiple of pi/2 */
    assert_true(ulps(cti_cos64(6381956970095103.0 * ldexp(1, 797)), -4.68716592425462761112e-19L) < 1);
    for (i = 0; i < 4000; i++) { /* on both sides of the border between the two argument reductions, and over all exponents */
        double x = i < 2000 ? 1e8 * (1 + 1e-3 * uniform()) : ldexp(uniform(), 27 + i % 996);
        cti_sincos64(x, &s, &c);
        assert_true(ulps(s, sinl((long double)x)) < 1 && ulps(c, cosl((long double)x)) < 1);
    }
    cti_sincos64(inf, &s, &c);
    assert_true(is_nan(s) && is_nan(c));
    assert_true(cti_atan2_64(0, 0) == 0 && cti_atan2_64(0, -1) > 3.14 && cti_atan2_64(-1e-300, -1) < -3.14);
    assert_true(cti_cbrt64(0) == 0 && cti_cbrt64(inf) == inf);
}

static void test_lanes(void **state)
{
    int i, k;
    double worst_log = 0, worst_atan = 0;
    (void)state;
    for (i = 0; i < 20000; i++) {
        double x[8], y[8], z[8], r[8];
        float xf[8], yf[8], rf[8];
        for (k = 0; k < 8; k++) {
            x[k] = cti_exp64(uniform() * 10), y[k] = uniform(), z[k] = uniform() * (k & 1 ? 1e-3 : 1);
            xf[k] = (float)x[k], yf[k] = (float)z[k];
        }
        cti_d8_store(r, cti_d8_log(cti_d8_load(x)));
        for (k = 0; k < 8; k++)
            assert_true(r[k] == cti_log64(x[k]));
        cti_d8_store(r, cti_d8_atan2(cti_d8_load(y), cti_d8_load(z)));
        for (k = 0; k < 8; k++)
            assert_true(r[k] == cti_atan2_64(y[k], z[k]));
        cti_f8_store(rf, cti_f8_log(cti_f8_load(xf)));
        for (k = 0; k < 8; k++)
            worst_log = fmax(worst_log, ulps((double)rf[k], (long double)cti_log64((double)xf[k])) / 536870912.0);
        cti_f8_store(rf, cti_f8_atan2(cti_f8_load(yf), cti_f8_load(xf)));
        for (k = 0; k < 8; k++)
            worst_atan = fmax(worst_atan, ulps((double)rf[k], (long double)cti_atan2_64((double)yf[k], (double)xf[k])) / 536870912.0);
    }
    assert_true(worst_log < 1.0);
    assert_true(worst_atan < 2.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_accuracy), cmocka_unit_test(test_table), cmocka_unit_test(test_special),
                                       cmocka_unit_test(test_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
