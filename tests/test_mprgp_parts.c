/* test_mprgp_parts.c -- parts of MPRGP: gradients and projection against the equations, the choice of rows that share no vertex, the
   estimate of |A|. */
#include "mprgp_util.h"

/* the split of a gradient g at the feasible point y, against equations 13, 15 and 17 */
static void check_split(cti_mprgp_set *set, const double *U, const double *g, const double *y)
{
    cti_mprgp_split split;
    double phi[MOST], sum[MOST], x[MOST], dot = 0;
    int i, k, c, n = set->n;
    cti_mprgp_set_split(set, g, 0.1, phi, sum, &split);
    for (i = 0; i < ROWS; i++) {
        double a = 0, b = 0;
        for (k = 0; k < n; k++)
            a += U[i * n + k] * phi[k], b += U[i * n + k] * (sum[k] - phi[k]);
        if (set->face[i] != CTI_FACE_FREE)
            NEAR(a, 0, 1e-14); /* equation 15 */
        assert_true(set->face[i] == CTI_FACE_LOWER ? b <= 1e-14
                                              : (set->face[i] == CTI_FACE_UPPER ? b >= -1e-14 : fabs(b) <= 1e-14)); /* equation 17 */
    }
    for (k = 0; k < n; k++)
        dot += phi[k] * (sum[k] - phi[k]);
    NEAR(dot, 0, 1e-14); /* lemma 2 */
    /* equation 13: phi~'phi with the projection itself */
    for (k = 0; k < n; k++)
        x[k] = y[k] - 0.1 * phi[k];
    cti_mprgp_set_project(set, x);
    for (dot = 0, c = 0; c < n; c++)
        dot += (y[c] - x[c]) / 0.1 * phi[c];
    NEAR(split.reduced, dot, 1e-12);
}

/* Free rows so near to their bounds that the step cannot move them: what is left of phi~'phi is rounding, and not negative, as else a point
   without beta would be proportioned for ever */
static void no_reduced_gradient(void **state)
{
    enum { N = 7 };
    cti_mprgp_set set;
    cti_mprgp_split split;
    double lo[N], hi[N], s[N], t[N], g[N], phi[N], sum[N];
    uint8_t face[N] = {0};
    int i, k;
    (void)state;
    memset(&set, 0, sizeof set);
    set.n = set.rows = N, set.lo = lo, set.hi = hi, set.face = face, set.s = s, set.t = t;
    for (k = 0; k < 100; k++) {
        for (i = 0; i < N; i++)
            lo[i] = s[i] = 0, hi[i] = 1, g[i] = uniform();
        cti_mprgp_set_split(&set, g, 0.1, phi, sum, &split);
        assert_true(split.beta2 == 0 && split.reduced >= 0 && split.reduced < 1e-14);
    }
}

/* free gradient, chopped gradient and projection against equations 15 to 20: orthogonal, feasible, complementary */
static void gradients(void **state)
{
    cti_mprgp_set set;
    double U[ROWS * MOST], lo[ROWS], hi[ROWS], s[ROWS], t[ROWS], g[MOST], x[MOST], y[MOST];
    uint8_t face[ROWS] = {0};
    int i, k, n = 3 * VERTICES, active = 0;
    fixture f;
    (void)state;
    seed = 31;
    begin(&f, CTI_PROGRAM_QP, n, ROWS);
    memset(&set, 0, sizeof set), memset(U, 0, sizeof U);
    for (i = 0; i < ROWS; i++) {
        double one = 0;
        for (k = 0; k < 12; k++)
            U[i * n + 12 * i + k] = uniform() - 0.5, one += U[i * n + 12 * i + k] * U[i * n + 12 * i + k];
        for (k = 0; k < 12; k++)
            U[i * n + 12 * i + k] /= sqrt(one);
        lo[i] = uniform() - 0.5, hi[i] = i == 4 ? lo[i] : lo[i] + 0.2;
    }
    sparse(&f, &set.J, ROWS, n, U);
    set.n = n, set.rows = ROWS, set.lo = lo, set.hi = hi, set.face = face, set.s = s, set.t = t;
    for (i = 0; i < n; i++)
        x[i] = y[i] = uniform() - 0.5, g[i] = uniform() - 0.5;
    assert_true(cti_mprgp_set_values(&set, x) > 0);
    cti_mprgp_set_project(&set, y);
    NEAR(cti_mprgp_set_values(&set, y), 0, 0);
    for (i = 0; i < ROWS; i++)
        assert_true(s[i] >= lo[i] - 1e-14 && s[i] <= hi[i] + 1e-14);
    for (i = 0; i < ROWS; i++) { /* y - x = J'l, l on the faces only and with their sign */
        double l = 0, off = 0;
        for (k = 0; k < n; k++)
            l += U[i * n + k] * (y[k] - x[k]);
        for (k = 12 * i; k < 12 * i + 12; k++)
            off = fmax(off, fabs(y[k] - x[k] - l * U[i * n + k]));
        NEAR(off, 0, 1e-14);
        assert_true(face[i] == CTI_FACE_FREE ? fabs(l) < 1e-14
                                             : (face[i] == CTI_FACE_LOWER ? l > 0 : (face[i] == CTI_FACE_UPPER ? l < 0 : 1)));
        active += face[i] != CTI_FACE_FREE;
    }
    assert_true(active >= 2);
    check_split(&set, U, g, y);
    cti_sparse_free(&f.mem, &set.J);
    end(&f);
}

static int row_overlap(const fixture *f, const uint8_t *keep, int block)
{
    int owner[MOST], i, k, bad = 0;
    memset(owner, 255, sizeof owner);
    for (i = 0; i < f->p.m; i++)
        for (k = f->p.J.p[i]; keep[i] && k < f->p.J.p[i + 1]; k++) {
            int *o = &owner[f->p.J.i[k] / block];
            bad += *o >= 0 && *o != i;
            *o = i;
        }
    return bad;
}

static void decoupling(void **state)
{
    double A[MOST * MOST], J[24 * MOST], w[24], b[MOST], depth[24], u;
    uint8_t keep[24], other[24];
    int i, k, c, n = 36, m = 24, kept, how;
    fixture f;
    (void)state;
    seed = 41;
    random_spd(n, 10, A);
    memset(J, 0, sizeof J);
    for (i = 0; i < n; i++)
        b[i] = uniform() - 0.5;
    for (i = 0; i < m; i++) {
        for (k = 0; k < 4; k++) /* four vertices of twelve */
            for (c = 0; c < 3; c++)
                J[i * n + 3 * ((i + 3 * k + (int)(3 * uniform())) % 12) + c] = uniform() - 0.5;
        w[i] = depth[i] = uniform() - 0.7;
    }
    make_qp(&f, n, m, A, b, J, w);
    for (how = CTI_DECOUPLE_RANDOM; how <= CTI_DECOUPLE_DEEPEST; how++) {
        kept = cti_mprgp_decouple(&f.arena, &f.p.J, depth, (cti_mprgp_decoupling)how, 3, 9, keep);
        assert_true(kept >= 1 && kept <= 3 && row_overlap(&f, keep, 3) == 0);
    }
    for (i = 0, k = 0; i < m; i++) /* the deepest row of all stays */
        k = depth[i] < depth[k] ? i : k;
    assert_true(keep[k]);
    for (i = 0, how = 0; i < 20 && !how; i++) { /* another seed, another choice */
        cti_mprgp_decouple(&f.arena, &f.p.J, depth, CTI_DECOUPLE_RANDOM, 3, 9, keep);
        cti_mprgp_decouple(&f.arena, &f.p.J, depth, CTI_DECOUPLE_RANDOM, 3, (uint64_t)(10 + i), other);
        how = memcmp(keep, other, sizeof keep) != 0;
    }
    assert_true(how);
    /* the rows that are kept hold as equations, and no other force acts */
    f.o.decoupling = CTI_DECOUPLE_DEEPEST;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    cti_mprgp_decouple(&f.arena, &f.p.J, depth, CTI_DECOUPLE_DEEPEST, 3, 5, keep);
    for (i = 0; i < m; i++) {
        for (u = w[i], k = 0; k < n; k++)
            u += J[i * n + k] * f.x[k];
        assert_true(keep[i] ? u > -1e-9 && fabs(u * f.r[i]) < 1e-8 : f.r[i] == 0);
    }
    assert_true(f.j.dynamics < 1e-8);
    end(&f);
}

/* the estimate of |A|, from a warm start: fewer iterations, the same number; the step is below 2 / |A| */
static void power_method(void **state)
{
    double A[MOST * MOST], b[MOST], J[MOST * MOST], w[MOST], start[MOST];
    int i, n = 40, cold;
    double norm;
    fixture f;
    (void)state;
    seed = 61;
    random_spd(n, 10, A);
    memset(J, 0, sizeof J), memset(start, 0, sizeof start);
    for (i = 0; i < n; i++)
        b[i] = uniform() - 0.5, w[i] = 0.01, J[i * n + i] = 1;
    make_qp(&f, n, n, A, b, J, w);
    f.o.power = start;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    cold = f.c.power, norm = f.c.norm;
    assert_int_equal(run(&f), CTI_OUTCOME_SOLVED);
    assert_true(f.c.power <= 2 && f.c.power < cold && cold <= 40);
    assert_true(f.c.norm >= norm * 0.999 && f.c.norm < norm * 1.1);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients),
        cmocka_unit_test(no_reduced_gradient),
        cmocka_unit_test(decoupling),
        cmocka_unit_test(power_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
