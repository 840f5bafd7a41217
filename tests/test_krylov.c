/* test_krylov.c -- conjugate gradients on a block Laplacian: solution, finite termination, preconditioning, breakdown, dot products. */
#include "../src/2_linalg/dense.h"
#include "../src/2_linalg/krylov.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* cmocka needs the headers above */
#include <cmocka.h>

#define SIDE 6
#define N (SIDE * SIDE)
static uint64_t seed = 3;
static ct_real rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (ct_real)((double)(seed >> 11) / 9007199254740992.0 * 2 - 1);
}

/* springs on a grid with random directions: k (1 + n n') couplings, plus a mass; scale varies strongly with the row */
static void make_grid(cti_mem *mem, cti_bsr *A, int graded)
{
    int32_t pairs[4 * N];
    int i, j, k, m = 0, a, b;
    for (i = 0; i < SIDE; i++)
        for (j = 0; j < SIDE; j++) {
            if (i + 1 < SIDE)
                pairs[2 * m] = i * SIDE + j, pairs[2 * m + 1] = (i + 1) * SIDE + j, m++;
            if (j + 1 < SIDE)
                pairs[2 * m] = i * SIDE + j, pairs[2 * m + 1] = i * SIDE + j + 1, m++;
        }
    assert_int_equal(cti_bsr_pattern(mem, A, N, pairs, m), 1);
    for (i = 0; i < N; i++) {
        ct_real mass = graded ? (ct_real)(1 + 1000 * (i % 5)) : 1;
        for (a = 0; a < 3; a++)
            A->val[9 * A->diag[i] + 4 * a] += mass;
    }
    for (k = 0; k < m; k++) {
        ct_real d[3], s;
        i = pairs[2 * k], j = pairs[2 * k + 1];
        d[0] = rnd(), d[1] = rnd(), d[2] = rnd();
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++) {
                s = (a == b) + d[a] * d[b];
                A->val[9 * A->diag[i] + 3 * a + b] += s, A->val[9 * A->diag[j] + 3 * a + b] += s;
                A->val[9 * cti_bsr_slot(A, i, j) + 3 * a + b] -= s, A->val[9 * cti_bsr_slot(A, j, i) + 3 * a + b] -= s;
            }
    }
}

/* the grid's matrix with its Jacobi preconditioner */
static void open_grid(cti_mem *mem, cti_bsr *A, cti_jacobi *M)
{
    cti_mem_init(mem, NULL);
    memset(A, 0, sizeof *A), memset(M, 0, sizeof *M);
    make_grid(mem, A, 0);
    assert_int_equal(cti_jacobi_make(mem, M, A), 1);
}

static ct_real vec_dot(int n, const ct_real *a, const ct_real *b)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return (ct_real)sum;
}

static void test_pcg(void **state)
{
    cti_mem mem;
    cti_bsr A;
    cti_jacobi M;
    ct_real x[3 * N], y[3 * N], b[3 * N], work[12 * N], tol = CTI_EPS * 1000;
    int i, its[2], graded, kind;
    cti_operator op, jacobi;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&M, 0, sizeof M);
    for (graded = 0; graded < 2; graded++) {
        make_grid(&mem, &A, graded);
        op = cti_bsr_operator(&A);
        assert_int_equal(cti_jacobi_make(&mem, &M, &A), 1);
        jacobi = cti_jacobi_operator(&M);
        for (i = 0; i < 3 * N; i++)
            x[i] = rnd();
        cti_bsr_mul(&A, x, b);
        for (kind = 0; kind < 2; kind++) {
            memset(y, 0, sizeof y);
            assert_int_equal(cti_pcg(&op, kind ? &jacobi : NULL, b, y, tol, 3000, work, &its[kind]), 1);
            assert_true(its[kind] > 3);
            for (i = 0; i < 3 * N; i++)
                assert_true(cti_abs(x[i] - y[i]) < tol * 100);
            /* started at the solution: only rounding is left */
            assert_int_equal(cti_pcg(&op, kind ? &jacobi : NULL, b, y, tol * 200, 3000, work, &i), 1);
            assert_true(i <= 1);
        }
        if (graded)
            assert_true(2 * its[1] < its[0]);
        /* the iteration limit holds and is reported */
        memset(y, 0, sizeof y);
        assert_int_equal(cti_pcg(&op, &jacobi, b, y, tol, 2, work, &i), 0);
        assert_int_equal(i, 2);
    }
    /* from 0 to a share, in A's norm, of what was gained: 1e-3 takes more iterations than 1e-1 */
    for (kind = 0; kind < 2; kind++) {
        ct_real share = kind ? CTI_R(1e-3) : CTI_R(1e-1), e[3 * N], Ae[3 * N];
        memset(y, 0x7f, sizeof y);
        assert_int_equal(cti_pcg_run(&op, &jacobi, b, y, share, 3000, work, &its[kind]), CTI_PCG_CONVERGED);
        for (i = 0; i < 3 * N; i++)
            e[i] = x[i] - y[i];
        cti_bsr_mul(&A, e, Ae);
        assert_true(cti_sqrt(vec_dot(3 * N, e, Ae)) <= 2 * share * cti_sqrt(vec_dot(3 * N, x, b)));
    }
    assert_true(its[0] > 0 && its[1] > its[0]);
    assert_int_equal(cti_pcg_run(&op, &jacobi, b, y, CTI_R(1e-5), 2, work, &i), CTI_PCG_LIMIT);
    assert_int_equal(i, 2);
    /* zero right side, indefinite matrix */
    memset(y, 0, sizeof y), memset(b, 0, sizeof b);
    assert_int_equal(cti_pcg(&op, NULL, b, y, 0, 10, work, &i), 1);
    assert_int_equal(i, 0);
    for (i = 0; i < 9 * A.row[N]; i++)
        A.val[i] = -A.val[i];
    b[4] = 1;
    assert_int_equal(cti_pcg(&op, NULL, b, y, tol, 10, work, &i), 0);
    assert_int_equal(cti_pcg_run(&op, NULL, b, y, CTI_R(1e-3), 10, work, &i), CTI_PCG_INDEFINITE);
    CTI_FREE(&mem, M.inv);
    cti_bsr_free(&mem, &A);
    assert_int_equal(mem.bytes_live, 0);
}

/* A block is 1e8 times as stiff as the preconditioner has it, and has a force 1e4 times as large as the others: r' M^-1 r of the first residual is 1e8
   times that of the others together, and what they gain is as much as what the block gains. Both are solved */
static void test_poor_preconditioner(void **state)
{
    cti_mem mem;
    cti_bsr A;
    cti_jacobi M;
    cti_operator op, jacobi;
    ct_real b[6], x[6], work[24];
    int32_t pair[2] = {0, 1};
    int i, it;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&M, 0, sizeof M);
    assert_int_equal(cti_bsr_pattern(&mem, &A, 2, pair, 1), 1);
    memset(A.val, 0, 9 * (size_t)A.row[2] * sizeof *A.val);
    for (i = 0; i < 6; i++)
        A.val[9 * A.diag[i / 3] + 4 * (i % 3)] = 1, b[i] = i < 3 ? CTI_R(1e4) : 1;
    assert_int_equal(cti_jacobi_make(&mem, &M, &A), 1);
    for (i = 0; i < 3; i++)
        A.val[9 * A.diag[0] + 4 * i] = CTI_R(1e8);
    op = cti_bsr_operator(&A), jacobi = cti_jacobi_operator(&M);
    assert_int_equal(cti_pcg_run(&op, &jacobi, b, x, CTI_R(1e-2), 10, work, &it), CTI_PCG_CONVERGED);
    for (i = 0; i < 6; i++)
        assert_true(cti_abs(x[i] / (i < 3 ? CTI_R(1e-4) : 1) - 1) < CTI_R(1e-2));
    CTI_FREE(&mem, M.inv);
    cti_bsr_free(&mem, &A);
    assert_int_equal(mem.bytes_live, 0);
}

/* A x + J' (D (J x)) with one row of J: every third unknown of the grid less its neighbour */
typedef struct penalized {
    const cti_bsr *A;
    ct_real J[3 * N], D;
} penalized;

static void penalized_apply(void *ctx, const ct_real *x, ct_real *y)
{
    const penalized *p = (const penalized *)ctx;
    ct_real row = p->D * cti_krylov_dot(3 * N, p->J, x);
    int i;
    cti_bsr_mul(p->A, x, y);
    for (i = 0; i < 3 * N; i++)
        y[i] += row * p->J[i];
}

/* y = A x + D J (K'x) */
typedef struct lopsided {
    const penalized *p;
    ct_real K[3 * N];
} lopsided;
static void lopsided_apply(void *ctx, const ct_real *x, ct_real *y)
{
    const lopsided *q = (const lopsided *)ctx;
    ct_real row = q->p->D * cti_krylov_dot(3 * N, q->K, x);
    int i;
    cti_bsr_mul(q->p->A, x, y);
    for (i = 0; i < 3 * N; i++)
        y[i] += row * q->p->J[i];
}

/* a matrix that is not symmetric, A + D J K': its solution is that of the formula of Sherman and Morrison */
static void test_residuals(void **state)
{
    enum { MOST = 100 };
    static ct_real work[(2 * MOST + 2) * 3 * N];
    cti_mem mem;
    cti_bsr A;
    cti_jacobi M;
    cti_operator plain, op, jacobi;
    penalized p;
    lopsided q;
    ct_real b[3 * N], x[3 * N], y[3 * N], z[3 * N], tol = CTI_EPS * 100, share;
    int i, its;
    (void)state;
    open_grid(&mem, &A, &M);
    memset(x, 0, sizeof x), memset(y, 0, sizeof y), memset(z, 0, sizeof z);
    p.A = &A, p.D = 50, q.p = &p;
    for (i = 0; i < 3 * N; i++)
        b[i] = rnd(), p.J[i] = rnd() / (ct_real)N, q.K[i] = rnd() / (ct_real)N;
    plain = cti_bsr_operator(&A), jacobi = cti_jacobi_operator(&M);
    op.n = 3 * N, op.apply = lopsided_apply, op.ctx = &q;
    its = cti_residuals_run(&op, &jacobi, b, x, CTI_EPS * 100, MOST, work);
    assert_true(its > 3 && its < MOST);
    cti_pcg(&plain, &jacobi, b, y, tol, 3000, work, NULL), cti_pcg(&plain, &jacobi, p.J, z, tol, 3000, work, NULL);
    share = p.D * cti_krylov_dot(3 * N, q.K, y) / (1 + p.D * cti_krylov_dot(3 * N, q.K, z));
    for (i = 0; i < 3 * N; i++)
        assert_true(cti_abs(x[i] - (y[i] - share * z[i])) < tol * 1000);
    assert_int_equal(cti_residuals_run(&op, &jacobi, b, x, CTI_EPS * 1000, MOST, work), 0); /* it is solved */
    CTI_FREE(&mem, M.inv);
    cti_bsr_free(&mem, &A);
}

/* an operator without a matrix: its solution is that of the sum by the formula of Sherman and Morrison */
static void test_operator(void **state)
{
    cti_mem mem;
    cti_bsr A;
    cti_jacobi M;
    cti_operator plain, op, jacobi;
    penalized p;
    ct_real b[3 * N], x[3 * N], y[3 * N], z[3 * N], work[12 * N], tol = CTI_EPS * 100, share;
    int i, its;
    (void)state;
    open_grid(&mem, &A, &M);
    memset(x, 0, sizeof x), memset(y, 0, sizeof y), memset(z, 0, sizeof z);
    p.A = &A, p.D = 50;
    for (i = 0; i < 3 * N; i++)
        b[i] = rnd(), p.J[i] = (ct_real)(i % 3 == 0 ? 1 : (i % 3 == 1 ? -1 : 0)) / (ct_real)N;
    plain = cti_bsr_operator(&A), jacobi = cti_jacobi_operator(&M);
    op.n = 3 * N, op.apply = penalized_apply, op.ctx = &p;
    assert_int_equal(plain.n, op.n);
    assert_int_equal(cti_pcg(&op, &jacobi, b, x, tol, 3000, work, &its), 1);
    assert_int_equal(cti_pcg(&plain, &jacobi, b, y, tol, 3000, work, NULL), 1);
    assert_int_equal(cti_pcg(&plain, &jacobi, p.J, z, tol, 3000, work, NULL), 1);
    /* (A + J'DJ)^-1 b = y - z D J'y / (1 + D J'z) */
    share = p.D * cti_krylov_dot(3 * N, p.J, y) / (1 + p.D * cti_krylov_dot(3 * N, p.J, z));
    assert_true(its > 3 && cti_abs(share) > 0);
    for (i = 0; i < 3 * N; i++)
        assert_true(cti_abs(x[i] - (y[i] - share * z[i])) < tol * 1000);
    CTI_FREE(&mem, M.inv);
    cti_bsr_free(&mem, &A);
}

static void test_dot(void **state)
{
    ct_real a[37], b[37];
    int n, i;
    (void)state;
    for (i = 0; i < 37; i++)
        a[i] = rnd(), b[i] = rnd();
    for (n = 0; n < 37; n++) {
        double s = 0, lanes[8] = {0};
        ct_real d = cti_krylov_dot(n, a, b);
        for (i = 0; i < n; i++)
            s += (double)a[i] * (double)b[i];
        assert_true(fabs(s - (double)d) < 40 * (double)CTI_EPS);
        /* the documented order, bit for bit in double */
        for (i = 0; i < cti_pad8(n); i++)
            lanes[i & 7] += i < n ? (double)a[i] * (double)b[i] : 0.0;
        s = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        if (sizeof(ct_real) == 8)
            assert_true(s == (double)d);
    }
}

static void test_jacobi_singular(void **state)
{
    cti_mem mem;
    cti_bsr A;
    cti_jacobi M;
    ct_real r[6] = {1, 1, 1, 1, 1, 1}, z[6];
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&M, 0, sizeof M);
    assert_int_equal(cti_bsr_pattern(&mem, &A, 2, NULL, 0), 1);
    A.val[0] = 4;
    A.val[9] = A.val[13] = A.val[17] = 2;
    assert_int_equal(cti_jacobi_make(&mem, &M, &A), 1);
    cti_jacobi_apply(&M, r, z);
    assert_true(z[0] == CTI_R(0.25) && z[1] == 1 && z[2] == 1 && z[3] == CTI_R(0.5) && z[5] == CTI_R(0.5));
    CTI_FREE(&mem, M.inv);
    cti_bsr_free(&mem, &A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pcg), cmocka_unit_test(test_poor_preconditioner), cmocka_unit_test(test_operator),
                                       cmocka_unit_test(test_residuals), cmocka_unit_test(test_dot), cmocka_unit_test(test_jacobi_singular)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
