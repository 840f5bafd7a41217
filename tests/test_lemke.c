/* test_lemke.c -- Lemke's method against all complementary bases, exponential and cycling examples, proofs of infeasibility, friction,
 * files. */
#include "../src/4_programs/lemke.h"
#include "../src/public/api.h"
#include "lcp_util.h"

static const double zero[8] = {0}, infinite[8] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};

/* y >= 0, M'y <= 0, q'y < 0 */
static void check_proof(const double *M, const double *q, int n, const double *y)
{
    double most = 0, product = 0;
    int i, j;
    for (i = 0; i < n; i++)
        most = fmax(most, y[i]), product += q[i] * y[i];
    assert_true(most > 0);
    assert_true(product < -1e-9 * most);
    for (j = 0; j < n; j++) {
        double s = 0;
        for (i = 0; i < n; i++)
            s += M[i * n + j] * y[i];
        assert_true(s <= 1e-9 * most);
        assert_true(y[j] >= 0);
    }
}

static void enumerated(void **state)
{
    int k, counts[3] = {0};
    (void)state;
    for (k = 0; k < 900; k++) {
        double M[64], q[8], z[8], y[8], other[8];
        int n = 1 + k % 7, kind = k % 6, i, exist, j;
        bench b;
        const cti_lcp p = cti_lcp_of(M, q, n);
        cti_lemke_result out;
        cti_program judged;
        cti_outcome said;
        lcp_seed = (uint64_t)k + 1;
        lcp_random(kind, n, M);
        for (i = 0; i < n; i++)
            q[i] = kind == 5 ? -1 : lcp_signed();
        if (k % 5 == 0 && n > 2) /* equal rows and zeros: degenerate */
            for (q[1] = q[0], q[2] = 0, i = 0; i < n; i++)
                M[n + i] = M[i];
        for (i = 0; k % 5 == 0 && n > 2 && i < n; i++)
            M[i * n + 1] = M[i * n];
        bench_open(&b);
        memset(&out, 0, sizeof out), memset(z, 0, sizeof z), memset(y, 0, sizeof y);
        lcp_program(&b.mem, &judged, CTI_PROGRAM_LCP, n, M, q);
        out.z = z, out.y = y, out.judged = &judged;
        said = cti_lemke_dense(&p, NULL, 60, &b.e, &b.a, &out);
        cti_program_free(&b.mem, &judged);
        exist = lcp_enumerate(M, q, zero, infinite, n, other);
        if (said == CTI_OUTCOME_SOLVED) {
            assert_true(lcp_breach(M, q, zero, infinite, n, z) < 1e-9);
            counts[0]++;
        } else if (said == CTI_OUTCOME_INFEASIBLE) {
            assert_int_equal(exist, 0);
            check_proof(M, q, n, y);
            counts[1]++;
        } else {
            assert_int_equal(said, CTI_OUTCOME_RAY);
            assert_int_equal(exist, 0);
            assert_int_equal(kind, 3);
            counts[2]++;
        }
        if (kind == 0) /* one solution */
            for (j = 0; j < n; j++)
                assert_true(k % 5 == 0 || fabs(z[j] - other[j]) < 1e-8 * (1 + fabs(other[j])));
        cti_arena_free(&b.arena);
    }
    print_message("%d solved, %d without points, %d rays\n", counts[0], counts[1], counts[2]);
    assert_true(counts[0] > 600 && counts[1] > 20 && counts[2] > 3);
}

static int run(const double *M, const double *q, int n, double *z)
{
    const cti_lcp p = cti_lcp_of(M, q, n);
    bench b;
    cti_lemke_result out;
    bench_open(&b);
    memset(&out, 0, sizeof out);
    out.z = z;
    assert_int_equal(cti_lemke_dense(&p, NULL, 0, &b.e, &b.a, &out), CTI_OUTCOME_SOLVED);
    cti_arena_free(&b.arena);
    return out.pivots;
}

/* Murty's lower triangular matrix: 2^n pivots, z = e_1 */
static void exponential(void **state)
{
    double M[256], q[16], z[16];
    int n, i, j;
    (void)state;
    for (n = 1; n <= 14; n++) {
        for (i = 0; i < n; i++)
            for (q[i] = -1, j = 0; j < n; j++)
                M[i * n + j] = j < i ? 2 : (i == j ? 1 : 0);
        memset(z, 0, sizeof z);
        assert_int_equal(run(M, q, n, z), 1 << n);
        assert_true(z[0] == 1);
        for (i = 1; i < n; i++)
            assert_true(z[i] == 0);
    }
}

/* Kostreva: plain principal pivoting cycles here */
static void cycles(void **state)
{
    static const double M[9] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, q[3] = {-1, -1, -1};
    double z[3], D[400], s[20], x[20];
    int i, j;
    (void)state;
    assert_int_equal(run(M, q, 3, z), 4);
    for (i = 0; i < 3; i++)
        assert_true(fabs(z[i] - 1.0 / 3) < 1e-15);
    /* twenty copies of one row, rank one: every ratio is a tie */
    for (i = 0; i < 20; i++)
        for (s[i] = -1, j = 0; j < 20; j++)
            D[20 * i + j] = 1;
    assert_true(run(D, s, 20, x) <= 4);
    for (s[0] = 0, i = 0; i < 20; i++)
        s[0] += x[i];
    assert_true(fabs(s[0] - 1) < 1e-14);
}

/* rows and columns in different units, over twelve orders of magnitude */
static void scaled(void **state)
{
    double M[64], q[8], z[8], y[8], d[8], x[8];
    int n = 8, i, j, k;
    (void)state;
    for (k = 0; k < 50; k++) {
        lcp_seed = (uint64_t)k + 77;
        lcp_random(k % 2, n, M);
        for (i = 0; i < n; i++)
            q[i] = lcp_signed(), d[i] = pow(10, 6 * lcp_signed());
        assert_int_equal(lcp_enumerate(M, q, zero, infinite, n, x), 1);
        for (i = 0; i < n; i++)
            for (y[i] = d[i] * q[i], j = 0; j < n; j++)
                M[n * i + j] *= d[i] * d[j];
        run(M, y, n, z);
        for (i = 0; i < n; i++)
            assert_true(fabs(z[i] * d[i] - x[i]) < 1e-9 * (1 + fabs(x[i])));
    }
}

/* min 1/2 |x|^2 - b'x with rows; the multipliers by hand */
static void quadratic(void **state)
{
    static const int32_t diagonal[2] = {0, 1}, ji[4] = {0, 0, 1, 2}, jj[4] = {0, 1, 0, 0};
    static const double ones[2] = {1, 1}, jx[4] = {1, 1, 1, -1};
    int k;
    (void)state;
    for (k = 0; k < 2; k++) {
        bench b;
        cti_program p;
        bench_open(&b);
        memset(&p, 0, sizeof p);
        p.kind = CTI_PROGRAM_QP, p.n = 2, p.m = 3;
        assert_true(cti_sparse_from_triplets(&b.mem, 2, 2, diagonal, diagonal, ones, 2, &p.A));
        assert_true(cti_sparse_from_triplets(&b.mem, 3, 2, ji, jj, jx, 4, &p.J));
        assert_true(CTI_RESIZE(&b.mem, p.b, 2) && CTI_RESIZE(&b.mem, p.w, 3) && CTI_RESIZE(&b.mem, p.equation, 3));
        p.b[0] = 3, p.b[1] = 1, p.equation[0] = 1;
        p.w[0] = -2, p.w[1] = 0, p.w[2] = k ? -1 : 0.5; /* x1 + x2 = 2, x1 >= 0, x1 <= 0.5; second: x1 <= -1 */
        if (k == 0) {
            assert_int_equal(cti_solver_lemke(&p, &b.e, &b.a), CTI_OUTCOME_SOLVED);
            assert_true(fabs(b.x[0] - 0.5) < 1e-12 && fabs(b.x[1] - 1.5) < 1e-12);
            assert_true(fabs(b.r[0] - 0.5) < 1e-12 && b.r[1] == 0 && fabs(b.r[2] - 3) < 1e-12);
        } else {
            assert_int_equal(cti_solver_lemke(&p, &b.e, &b.a), CTI_OUTCOME_INFEASIBLE);
            assert_true(b.r[1] >= 0 && b.r[2] >= 0);
            assert_true(fabs(b.r[0] + b.r[1] - b.r[2]) < 1e-9 && fabs(b.r[0]) < 1e-9); /* J'y = 0 */
            assert_true(p.w[0] * b.r[0] + p.w[2] * b.r[2] < -1e-3 * b.r[2]);
        }
        cti_program_free(&b.mem, &p);
        cti_arena_free(&b.arena);
    }
}

/* A unit mass pushed by -1 into the ground and along (3, 4): it slides against the force at mu 0.5, sticks at mu 10 and is frictionless at 0 */
static void sliding(void **state)
{
    (void)state;
    lcp_slide(cti_solver_lemke);
}

static void bounded(void **state)
{
    double M[64], q[8], lo[8], hi[8], z[8], x[8];
    int k, i, n = 5;
    (void)state;
    for (k = 0; k < 200; k++) {
        const cti_lcp p = cti_lcp_boxed(M, q, lo, hi, n);
        bench b;
        lcp_seed = (uint64_t)k + 5;
        lcp_random(k % 3, n, M);
        for (i = 0; i < n; i++) {
            q[i] = 2 * lcp_signed(), lo[i] = -lcp_uniform(), hi[i] = lcp_uniform();
            if (k % 3 < 2 && i == k % 7)
                lo[i] = -INFINITY;
            if (k % 3 < 2 && i == k % 6)
                hi[i] = INFINITY;
            if (i == k % 9)
                lo[i] = hi[i] = 0.25;
        }
        bench_open(&b);
        assert_int_equal(cti_lemke_boxed(&p, 0, &b.e, &b.a, z), CTI_OUTCOME_SOLVED);
        assert_true(lcp_breach(M, q, lo, hi, n, z) < 1e-9);
        assert_true(lcp_enumerate(M, q, lo, hi, n, x) >= 1);
        for (i = 0; i < n && k % 3 < 2; i++)
            assert_true(fabs(x[i] - z[i]) < 1e-8 * (1 + fabs(x[i])));
        cti_arena_free(&b.arena);
    }
}

/* ---- files ---- */

/* files whose path depends on the last digits or on the covering vector, which after a ray is not the reference's */
static int same_path(const char *name) { return !strstr(name, "fathi_16") && !strstr(name, "bimatrix") && !strstr(name, "Pang"); }

static int reference_pivots(const char *path)
{
    char line[512];
    int pivots = -1;
    FILE *f = fopen(path, "r");
    while (f && pivots < 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "lemke solution %d", &pivots) != 1)
            pivots = -1;
    if (f)
        fclose(f);
    return pivots;
}

static void files(void **state)
{
    static const char *const names[] = {"bimatrix_11.lcp",
                                        "boxed_BoxesStack_fclibtest.blcp",
                                        "boxed_NESpheres_30_1.blcp",
                                        "boxed_spd_10.blcp",
                                        "boxed_spd_40.blcp",
                                        "degen_zero.lcp",
                                        "fathi_08.lcp",
                                        "fathi_16.lcp",
                                        "fathiexp_08.lcp",
                                        "fathiexp_16.lcp",
                                        "kostreva_cycle.lcp",
                                        "murty_08.lcp",
                                        "murty_16.lcp",
                                        "murtyexp_08.lcp",
                                        "murtyexp_16.lcp",
                                        "neg_two_sols.lcp",
                                        "painleve_none.lcp",
                                        "painleve_timestep.lcp",
                                        "pmat_nonsym_10.lcp",
                                        "pmat_nonsym_64.lcp",
                                        "psd_rank6_20.lcp",
                                        "rigid_box1_stick.lcp",
                                        "rigid_box3_frictionless.lcp",
                                        "rigid_box3_ratio1000.lcp",
                                        "rigid_box5_stack.lcp",
                                        "sico_CPS_2.lcp",
                                        "sico_CPS_4.lcp",
                                        "sico_CPS_5.lcp",
                                        "sico_Pang_isolated_sol_perturbed.lcp",
                                        "sico_enum_fails.lcp",
                                        "sico_exp_murty2.lcp",
                                        "sico_mmc.lcp",
                                        "sico_tobenna.lcp",
                                        "skew_game.lcp"};
    const char *folder = getenv("CONTACT_DATA");
    int k, s, missing = 0, bad = 0;
    (void)state;
    folder = folder ? folder : "../shared/data";
    for (k = 0; k < (int)(sizeof names / sizeof *names); k++)
        for (s = 0; s < 2; s++) {
            char path[1024];
            ct_problem *problem;
            ct_problem_info info;
            ct_solver_desc d = ct_solver_desc_default();
            ct_solution x;
            int pivots, good;
            snprintf(path, sizeof path, "%s/problems/lcp/%s", folder, names[k]);
            if (ct_problem_read(path, &problem, NULL) != CT_OK) {
                missing++;
                continue;
            }
            memset(&x, 0, sizeof x);
            ct_problem_info_get(problem, &info);
            d.solver = s ? CT_SOLVER_BOXED : CT_SOLVER_LEMKE, d.tolerance = (ct_real)1e-8;
            assert_int_equal(ct_problem_solve(problem, &d, &x), CT_OK);
            pivots = reference_pivots(path);
            good = x.outcome == (info.expect == 1 ? CT_OUTCOME_SOLVED : CT_OUTCOME_INFEASIBLE);
            good = good && (info.expect != 1 || x.residual < 1e-10);
            good = good && (s || pivots < 0 || !same_path(names[k]) || x.iterations == pivots);
            if (!good)
                print_message("%s by %s: %s, residual %.1g, %d pivots (reference %d)\n", names[k], s ? "boxed" : "lemke",
                              ct_outcome_text(x.outcome), x.residual, x.iterations, pivots);
            bad += !good;
            ct_solution_free(&x);
            ct_problem_free(problem);
        }
    if (missing)
        print_message("skipped: no %s/problems/lcp (CONTACT_DATA)\n", folder);
    assert_true(missing == 0 || missing == 2 * k);
    assert_int_equal(bad, 0);
    if (missing)
        skip();
}

/* ---- torsional friction ---- */

/* a problem of dense data: W [m][m], or with A [n] (a diagonal) and b the rows J [m][n] */
typedef struct dense_problem {
    int n, m;
    const double *W, *J, *A, *b, *w, *mu, *c;
    int spins;
    const int32_t *of;
} dense_problem;

/* all entries of a matrix, by rows; the arrays are freed with `free` */
static ct_csr csr_of(const double *x, int rows, int cols, int32_t *p, int32_t *i)
{
    ct_csr a;
    int k;
    for (k = 0; k <= rows; k++)
        p[k] = k * cols;
    for (k = 0; k < rows * cols; k++)
        i[k] = k % cols;
    a.rows = rows, a.cols = cols, a.p = p, a.i = i, a.x = x;
    return a;
}

static ct_code problem_of(const dense_problem *q, ct_problem **out)
{
    ct_problem_desc d = ct_problem_desc_default();
    int32_t p[2][64], i[2][1024];
    double A[1024];
    ct_error_info e;
    int k;
    d.kind = q->W ? CT_PROBLEM_LOCAL : CT_PROBLEM_GLOBAL;
    d.w = q->w, d.mu = q->mu, d.spins = q->spins, d.spin_of = q->of, d.spin_mu = q->c;
    if (q->W)
        d.W = csr_of(q->W, q->m, q->m, p[0], i[0]);
    else {
        for (k = 0; k < q->n * q->n; k++)
            A[k] = k / q->n == k % q->n ? q->A[k % q->n] : 0;
        d.A = csr_of(A, q->n, q->n, p[0], i[0]), d.J = csr_of(q->J, q->m, q->n, p[1], i[1]), d.b = q->b;
    }
    return ct_problem_create(&d, out, &e);
}

static ct_solution solution_of(const dense_problem *q, ct_solver solver)
{
    ct_solver_desc d = ct_solver_desc_default();
    ct_problem *problem = NULL;
    ct_solution x;
    memset(&x, 0, sizeof x);
    d.solver = solver, d.cone = CT_CONE_CONE, d.tolerance = (ct_real)1e-8;
    assert_int_equal(problem_of(q, &problem), CT_OK);
    assert_int_equal(ct_problem_solve(problem, &d, &x), CT_OK);
    ct_problem_free(problem);
    return x;
}

/* A body of mass 2 and moment of inertia .05 about the normal meets the ground at a point below its centre with .3 m/s down, .5 m/s along it and
   40 rad/s about it. Its normal impulse is m v, and both frictions stop their motion, or give mu m v and c m v */
static void a_top_meets_the_ground(void **state)
{
    static const ct_solver solvers[] = {CT_SOLVER_LEMKE, CT_SOLVER_BOXED, CT_SOLVER_AUTO};
    const double m = 2, I = 0.05, v = 0.3, vx = 0.5, spin = 40, mus[] = {0, 0.2, 3}, cs[] = {0, 0.5, 10};
    const double A[6] = {m, m, m, I, I, I}, b[6] = {m * vx, -m * v, 0, 0, I * spin, 0}, w[4] = {0, 0, 0, 0};
    const double J[24] = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0};
    const int32_t of = 0;
    int i, k, s;
    (void)state;
    for (s = 0; s < 3; s++)
        for (i = 0; i < 3; i++)
            for (k = 0; k < 3; k++) {
                dense_problem q = {6, 4, NULL, J, A, b, w, &mus[i], &cs[k], 1, &of};
                ct_solution x = solution_of(&q, solvers[s]);
                assert_int_equal(x.outcome, CT_OUTCOME_SOLVED);
                assert_true(fabs(x.r[0] - m * v) < 1e-9 && fabs(x.r[1] + fmin(m * vx, mus[i] * m * v)) < 1e-8);
                assert_true(fabs(x.r[3] + fmin(I * spin, cs[k] * m * v)) < 1e-8);
                assert_true(fabs(x.x[4] - fmax(0, spin - cs[k] * m * v / I)) < 1e-6);
                ct_solution_free(&x);
            }
}

static double share(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Four contacts with six such rows whose W couples all of them: the law at each row, by both solvers, in every problem without Coulomb's friction,
   which is one LCP, and in nine of ten with it. In other units of the angle it is the same problem, with the same residual */
static void torsional_friction_obeys_its_law(void **state)
{
    enum { CONTACTS = 4, SPINS = 6, M = 3 * CONTACTS + SPINS, N = 24 };
    uint64_t seed = 11;
    int t, i, j, k, s, held = 0, slid = 0, lost[2] = {0, 0};
    (void)state;
    for (t = 0; t < 40; t++) {
        double G[M * N], W[M * M], w[M], mu[CONTACTS], c[SPINS], residual[2] = {0, 0};
        int32_t of[SPINS];
        dense_problem q = {M, M, W, NULL, NULL, NULL, w, mu, c, SPINS, of};
        for (i = 0; i < M * N; i++)
            G[i] = share(&seed) - 0.5;
        for (i = 0; i < M; i++)
            w[i] = 2 * share(&seed) - (i % 3 ? 1 : 1.5);
        for (i = 0; i < CONTACTS; i++)
            mu[i] = t & 1 ? share(&seed) : 0;
        for (i = 0; i < SPINS; i++)
            of[i] = (int32_t)(share(&seed) * CONTACTS), c[i] = share(&seed);
        for (k = 0; k < 2; k++) {
            for (i = 0; k && i < SPINS; i++) { /* degrees, as it were */
                for (j = 0; j < N; j++)
                    G[(3 * CONTACTS + i) * N + j] *= 50;
                w[3 * CONTACTS + i] *= 50, c[i] /= 50;
            }
            for (i = 0; i < M * M; i++)
                for (W[i] = i / M == i % M ? 1e-3 * (k && i / M >= 3 * CONTACTS ? 2500 : 1) : 0, j = 0; j < N; j++)
                    W[i] += G[i / M * N + j] * G[i % M * N + j];
            for (s = 0; s < 2; s++) {
                ct_solution x = solution_of(&q, s ? CT_SOLVER_BOXED : CT_SOLVER_LEMKE);
                assert_true(k == 0 || fabs(x.residual - residual[s]) < 1e-8 + 0.5 * residual[s]);
                residual[s] = x.residual, lost[s] += x.outcome != CT_OUTCOME_SOLVED;
                assert_true(x.outcome == CT_OUTCOME_SOLVED || t & 1);
                for (i = 0; i < SPINS && x.outcome == CT_OUTCOME_SOLVED; i++) {
                    double u = w[3 * CONTACTS + i], r = x.r[3 * CONTACTS + i], most = c[i] * x.r[3 * of[i]], unit = k ? 50 : 1;
                    for (j = 0; j < M; j++)
                        u += W[(3 * CONTACTS + i) * M + j] * x.r[j];
                    assert_true(fabs(r) <= most + 1e-6 / unit);
                    assert_true(fabs(u) < 1e-6 * unit || fabs(r + (u > 0 ? most : -most)) < 1e-6 / unit);
                    held += fabs(u) < 1e-6 * unit && most > 0, slid += fabs(u) > 1e-6 * unit && most > 0;
                }
                ct_solution_free(&x);
            }
        }
    }
    print_message("%d rows held, %d turned; of 80 problems %d are not solved by turned cones, %d by turned boxes\n", held, slid, lost[0], lost[1]);
    assert_true(held > 50 && slid > 50 && lost[0] <= 8 && lost[1] <= 8);
}

static void others_refuse_torsional_friction(void **state)
{
    const double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, w[4] = {-1, 0, 0, 1}, mu = 0.5;
    double c[5] = {0.5, 0.5, 0.5, 0.5, 0.5};
    int32_t of[5] = {0, 0, 0, 0, 0};
    dense_problem q = {4, 4, W, NULL, NULL, NULL, w, &mu, c, 1, of};
    ct_problem *problem = NULL;
    ct_problem_info info;
    ct_error_info e;
    int s;
    (void)state;
    for (s = CT_SOLVER_AUTO; s < CT_SOLVER_COUNT_; s++) {
        int takes = s == CT_SOLVER_AUTO || s == CT_SOLVER_LEMKE || s == CT_SOLVER_BOXED;
        ct_solution x;
        if (!ct_problem_solver_built((ct_solver)s))
            continue;
        x = solution_of(&q, (ct_solver)s);
        assert_int_equal(x.outcome, takes ? CT_OUTCOME_SOLVED : CT_OUTCOME_NOT_APPLICABLE);
        assert_true(takes || strstr(x.why, "torsional"));
        ct_solution_free(&x);
    }
    assert_int_equal(problem_of(&q, &problem), CT_OK);
    assert_int_equal(ct_problem_info_get(problem, &info), CT_OK);
    assert_true(info.m == 4 && info.contacts == 1 && info.spins == 1);
    assert_int_equal(ct_problem_write(problem, "build/none.cpb", &e), CT_ERR_UNSUPPORTED);
    ct_problem_free(problem);
    of[0] = 1;
    assert_int_equal(problem_of(&q, &problem), CT_ERR_DOMAIN);
    of[0] = 0, c[0] = -1;
    assert_int_equal(problem_of(&q, &problem), CT_ERR_DOMAIN);
    c[0] = 1, q.spins = 2;
    assert_int_equal(problem_of(&q, &problem), CT_ERR_DOMAIN);
    q.spins = 5;
    assert_int_equal(problem_of(&q, &problem), CT_ERR_DOMAIN);
    q.spins = 1, q.c = NULL;
    assert_int_equal(problem_of(&q, &problem), CT_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enumerated), cmocka_unit_test(exponential), cmocka_unit_test(cycles),  cmocka_unit_test(scaled),
        cmocka_unit_test(quadratic),  cmocka_unit_test(sliding),     cmocka_unit_test(bounded), cmocka_unit_test(files),
        cmocka_unit_test(a_top_meets_the_ground), cmocka_unit_test(torsional_friction_obeys_its_law),
        cmocka_unit_test(others_refuse_torsional_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
