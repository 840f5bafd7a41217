/* test_ica_paper.c -- cti_ica_paper_solve against an independent implementation of section 5 of Otaduy et al. 2009 with dense matrices.
   Compared are eq. 10, 13 and 14 as printed, every outer iteration, the number of sweeps, and where the rule of 5.5 ends both loops. */
#include "../src/3_solve/ica_paper.h"
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <cmocka.h>

enum { NODES = 12, N3 = 3 * NODES, CONTACTS = 9, M3 = 3 * CONTACTS, ITERATIONS = 400 };

static uint64_t seed;
static double uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* the problem for the library, and the same as dense matrices */
typedef struct fixture {
    cti_mem mem;
    cti_arena arena;
    cti_bsr bsr;
    cti_row rows[CONTACTS];
    cti_problem p;
    double A[N3][N3], J[M3][N3], b[N3], w[M3], mu, star[N3], r0[M3], v0[N3]; /* J: n, t1, t2 of each contact; star: A star = b */
    double D[N3][N3];                                                        /* D^-1 */
    ct_real b_real[N3];
    ct_real seen[ITERATIONS][N3]; /* v of the library after each outer iteration */
    int iterations;
} fixture;

/* x of A x = b, by Gauss-Jordan */
static void gauss(double A[N3][N3], const double *b, double *x)
{
    double M[N3][N3 + 1];
    int i, j, k;
    for (i = 0; i < N3; i++) {
        memcpy(M[i], A[i], sizeof A[i]);
        M[i][N3] = b[i];
    }
    for (i = 0; i < N3; i++)
        for (j = 0; j < N3; j++) {
            double f = j == i ? 0 : M[j][i] / M[i][i];
            for (k = i; k <= N3; k++)
                M[j][k] -= f * M[i][k];
        }
    for (i = 0; i < N3; i++)
        x[i] = M[i][N3] / M[i][i];
}

/* a chain of nodes with springs in random directions, mass 1 */
static void make_matrix(fixture *f, double stiff)
{
    int32_t pairs[2 * NODES];
    int i, a, c;
    for (i = 0; i + 1 < NODES; i++)
        pairs[2 * i] = i, pairs[2 * i + 1] = i + 1;
    assert_true(cti_bsr_pattern(&f->mem, &f->bsr, NODES, pairs, NODES - 1));
    for (i = 0; i < N3; i++)
        f->A[i][i] = 1, f->b[i] = i % 3 == 1 ? -1 : 0.6 * (uniform() - 0.5);
    for (i = 0; i + 1 < NODES; i++) {
        double d[3];
        for (a = 0; a < 3; a++)
            d[a] = uniform() - 0.5;
        for (a = 0; a < 3; a++)
            for (c = 0; c < 3; c++) {
                double k = stiff * (d[a] * d[c] + (a == c ? 0.1 : 0));
                f->A[3 * i + a][3 * i + c] += k, f->A[3 * i + 3 + a][3 * i + 3 + c] += k;
                f->A[3 * i + a][3 * i + 3 + c] -= k, f->A[3 * i + 3 + a][3 * i + c] -= k;
            }
    }
    for (i = 0; i < NODES; i++)
        for (a = 0; a < NODES; a++)
            for (c = 0; c < 9 && abs(i - a) <= 1; c++)
                f->bsr.val[9 * (i == a ? f->bsr.diag[i] : cti_bsr_slot(&f->bsr, i, a)) + c] = (ct_real)f->A[3 * i + c / 3][3 * a + c % 3];
}

/* inverses of the 3x3 blocks on the diagonal */
static void make_diagonal(fixture *f)
{
    double block[N3][N3], e[N3], x[N3];
    int i, k;
    memset(block, 0, sizeof block);
    for (i = 0; i < N3; i++)
        for (k = 3 * (i / 3); k < 3 * (i / 3) + 3; k++)
            block[i][k] = f->A[i][k];
    for (k = 0; k < N3; k++) {
        memset(e, 0, sizeof e);
        e[k] = 1;
        gauss(block, e, x);
        for (i = 0; i < N3; i++)
            f->D[i][k] = x[i];
    }
}

/* contacts of a node against the ground or against two others, so that neighbours share nodes */
static void make_contacts(fixture *f, double mu)
{
    int i, k, a;
    f->mu = mu;
    for (i = 0; i < CONTACTS; i++) {
        cti_row *r = &f->rows[i];
        cti_v3 t1, t2, n = cti_v3_unit(cti_v3_make((ct_real)(uniform() - 0.5), 1, (ct_real)(uniform() - 0.5)), cti_v3_zero());
        cti_v3_tangents(n, &t1, &t2);
        cti_v3_put(r->frame, 0, n), cti_v3_put(r->frame, 1, t1), cti_v3_put(r->frame, 2, t2);
        r->mu = (ct_real)mu, r->n_a = 1, r->n = i % 2 ? 3 : 1;
        r->term[0].block = i, r->term[0].weight = 1;
        for (k = 1; k < r->n; k++)
            r->term[k].block = (i + k) % NODES, r->term[k].weight = k == 1 ? CTI_R(-0.75) : CTI_R(-0.25);
        r->w[0] = (ct_real)(0.3 * uniform());
        for (a = 0; a < 3; a++) {
            f->w[3 * i + a] = (double)r->w[a];
            for (k = 0; k < 3 * r->n; k++)
                f->J[3 * i + a][3 * r->term[k / 3].block + k % 3] += (double)(r->term[k / 3].weight * r->frame[3 * a + k % 3]);
        }
    }
}

static int watch(void *user, int iteration, const ct_real *v)
{
    fixture *f = (fixture *)user;
    f->iterations = iteration;
    memcpy(f->seen[iteration - 1], v, sizeof f->seen[0]);
    return 1;
}

static void make(fixture *f, double stiff, double mu, double limit, int warm)
{
    int i;
    memset(f, 0, sizeof *f);
    cti_mem_init(&f->mem, NULL);
    cti_arena_init(&f->arena, &f->mem);
    make_matrix(f, stiff), make_diagonal(f), make_contacts(f, mu);
    gauss(f->A, f->b, f->star);
    for (i = 0; i < N3; i++)
        f->v0[i] = f->star[i] + (warm ? 0.1 * (uniform() - 0.5) : 0);
    for (i = 0; i < M3 && warm; i++) { /* of the last solve; constraints that were just added start at 0 */
        f->r0[i] = i % 9 < 3 ? 0 : (i % 3 ? 0.01 : 0.2) * uniform();
        f->rows[i / 3].r[i % 3] = (ct_real)f->r0[i];
    }
    for (i = 0; i < N3; i++)
        f->b_real[i] = (ct_real)f->b[i];
    f->p.A = &f->bsr, f->p.b = f->b_real, f->p.dt = f->p.velocity_scale = 1, f->p.approach_limit = (ct_real)limit;
    f->p.rows = f->rows, f->p.n_rows = CONTACTS, f->p.calls.watch = watch, f->p.calls.watch_user = f;
}

/* ---- section 5 with dense matrices ---- */

typedef struct dense {
    const fixture *f;
    double B[M3][M3], c[M3], r[M3], dv[N3]; /* B of eq. 10, 13, 14; c(i) of all of them: - J v* - w - J D^-1 (L + U) dv */
    double left[3], most;                   /* residuals after the last response; half the thickness over dt */
    double noise, push;                     /* rounding of velocities and of J' lambda, below which a change means nothing */
    int sweeps, quick;
} dense;

static void dense_make(dense *s, const fixture *f, double limit)
{
    double DJ[N3][M3];
    int i, j, k;
    memset(s, 0, sizeof *s), memset(DJ, 0, sizeof DJ);
    s->f = f, s->most = limit;
    memcpy(s->r, f->r0, sizeof s->r);
    for (i = 0; i < N3; i++) {
        s->dv[i] = f->v0[i] - f->star[i];
        for (j = 0; j < M3; j++)
            for (k = 0; k < N3; k++)
                DJ[i][j] += f->D[i][k] * f->J[j][k];
    }
    for (i = 0; i < M3; i++) {
        double star = f->w[i];
        for (k = 0; k < N3; k++)
            star += f->J[i][k] * f->star[k];
        s->noise += star * star;
        for (j = 0; j < M3; j++)
            for (k = 0; k < N3; k++)
                s->B[i][j] += f->J[i][k] * DJ[k][j];
    }
    s->noise = 64 * (double)CTI_EPS * sqrt(s->noise);
}

/* 3.1: c(i). (L + U) dv = D dv - A dv */
static void dense_right(dense *s)
{
    const fixture *f = s->f;
    double y[N3], z[N3];
    int i, k;
    for (i = 0; i < N3; i++)
        for (y[i] = 0, k = 0; k < N3; k++)
            y[i] -= i / 3 == k / 3 ? 0 : f->A[i][k] * s->dv[k];
    for (i = 0; i < N3; i++)
        for (z[i] = 0, k = 0; k < N3; k++)
            z[i] += f->D[i][k] * y[k];
    for (i = 0; i < M3; i++) {
        s->c[i] = -f->w[i];
        for (k = 0; k < N3; k++)
            s->c[i] -= f->J[i][k] * (f->star[k] + z[k]);
    }
}

/* violations of (13) and (14) where the contacts move with u: natural maps, as velocities; 1: every distance holds */
static int dense_conditions(const dense *s, const double *u, double *out)
{
    double sum[2] = {0, 0};
    int i, k, apart = 1;
    for (i = 0; i < M3; i += 3) {
        double b1 = s->B[i + 1][i + 1], b2 = s->B[i + 2][i + 2], off = s->B[i + 1][i + 2], top, d = fmin(u[i], s->r[i] * s->B[i][i]);
        top = (b1 + b2) / 2 + sqrt((b1 - b2) * (b1 - b2) / 4 + off * off);
        sum[0] += d * d;
        for (k = i + 1; k < i + 3 && s->f->mu > 0; k++) {
            double to = fmin(fmax(s->r[k] - u[k] / top, -s->f->mu * s->r[i]), s->f->mu * s->r[i]);
            sum[1] += (s->r[k] - to) * (s->r[k] - to) * top * top;
        }
        apart = apart && (s->most == 0 || u[i] > -s->most);
    }
    out[0] = sqrt(sum[0]), out[1] = sqrt(sum[1]);
    return apart;
}

static int stands(const dense *s, int n, const double *now, const double *last)
{
    int k, ok = 1;
    for (k = 0; k < n; k++)
        ok = ok && fabs(now[k] - last[k]) <= fmax(0.05 * s->left[k], k < 2 ? s->noise : s->push);
    return ok;
}

/* 3.2.1.1 - 3.2.1.6 of a contact, three times */
static void dense_visit(dense *s, int i)
{
    int k, a, j;
    for (k = 0; k < 3; k++)
        for (a = i; a < i + (s->f->mu > 0 ? 3 : 1); a++) {
            double rest = s->c[a], bound = s->f->mu * s->r[i];
            for (j = 0; j < M3; j++)
                rest -= j == a ? 0 : s->B[a][j] * s->r[j];
            s->r[a] = rest / s->B[a][a];
            s->r[a] = a == i ? fmax(0, s->r[a]) : fmin(fmax(s->r[a], -bound), bound);
        }
}

/* 3.2: sweeps until the rule ends them */
static void dense_inner(dense *s)
{
    double now[2], last[2] = {0, 0}, u[M3];
    int i, j, k, apart;
    for (k = 1; k <= 200; k++) {
        for (i = 0; i < M3; i += 3)
            dense_visit(s, i);
        for (i = 0; i < M3; i++)
            for (u[i] = -s->c[i], j = 0; j < M3; j++)
                u[i] += s->B[i][j] * s->r[j];
        apart = dense_conditions(s, u, now);
        if (k > 1 && apart && stands(s, 2, now, last))
            break;
        memcpy(last, now, sizeof last);
    }
    k = k > 200 ? 200 : k;
    s->sweeps += k, s->quick += k < 10;
}

/* 3.3: (D - L) dv(i) = U dv(i-1) + J'lambda + H'gamma; then |A dv - J'lambda - H'gamma| and the conditions at the new dv */
static int dense_refine(dense *s, double *now)
{
    const fixture *f = s->f;
    double push[N3], u[M3], sum = 0, size = 0;
    int b, i, k;
    for (k = 0; k < N3; k++)
        for (push[k] = 0, i = 0; i < M3; i++)
            push[k] += f->J[i][k] * s->r[i];
    for (k = 0; k < N3; k++)
        size += push[k] * push[k];
    s->push = s->push > 0 ? s->push : 64 * (double)CTI_EPS * sqrt(size);
    for (b = 0; b < NODES; b++) {
        double y[3];
        for (i = 0; i < 3; i++)
            for (y[i] = push[3 * b + i], k = 0; k < N3; k++)
                y[i] -= k / 3 == b ? 0 : f->A[3 * b + i][k] * s->dv[k];
        for (i = 0; i < 3; i++)
            for (s->dv[3 * b + i] = 0, k = 0; k < 3; k++)
                s->dv[3 * b + i] += f->D[3 * b + i][3 * b + k] * y[k];
    }
    for (i = 0; i < N3; i++) {
        double e = -push[i];
        for (k = 0; k < N3; k++)
            e += f->A[i][k] * s->dv[k];
        sum += e * e;
    }
    now[2] = sqrt(sum);
    for (i = 0; i < M3; i++)
        for (u[i] = f->w[i], k = 0; k < N3; k++)
            u[i] += f->J[i][k] * (f->star[k] + s->dv[k]);
    return dense_conditions(s, u, now);
}

/* one problem by both implementations: every v, the sweeps, the end */
static void compare(double stiff, double mu, double limit, int warm, int *ended, int *iterations, int *sweeps)
{
    static fixture f;
    static dense s;
    double now[3], last[3] = {0, 0, 0}, u[M3], worst = 0;
    ct_real star[N3], v[N3];
    ct_solver_desc d;
    cti_solve_info info;
    int i, k, apart, most = stiff < 100 ? 12 : ITERATIONS; /* soft chains converge down to rounding, where the number of sweeps is random */
    make(&f, stiff, mu, limit, warm), dense_make(&s, &f, limit);
    memset(&d, 0, sizeof d);
    d.cone = CT_CONE_BOX, d.max_iterations = most, d.inner_iterations = 200, d.max_sweeps = 1 << 30, d.tolerance = 1;
    for (i = 0; i < N3; i++)
        star[i] = (ct_real)f.star[i], v[i] = (ct_real)f.v0[i];
    cti_ica_paper_solve(&f.p, &d, &f.arena, star, v, &info);
    for (i = 0; i < M3; i++)
        for (u[i] = f.w[i], k = 0; k < N3; k++)
            u[i] += f.J[i][k] * f.v0[k];
    dense_conditions(&s, u, s.left);
    for (k = 1;; k++) {
        dense_right(&s), dense_inner(&s);
        apart = dense_refine(&s, now);
        for (i = 0; i < N3 && k <= f.iterations; i++)
            worst = fmax(worst, fabs((double)f.seen[k - 1][i] - f.star[i] - s.dv[i]));
        memcpy(last, s.left, sizeof last);
        if ((k > 1 && apart && stands(&s, 3, now, last)) || k == most)
            break;
        memcpy(s.left, now, sizeof now);
    }
    print_message("stiffness %g, mu %g, limit %g, %s: %d outer iterations (%d), %d sweeps (%d), %d quick (%d), apart by %.1g\n", stiff, mu,
                  limit, warm ? "warm" : "cold", info.iterations, k, info.sweeps, s.sweeps, info.quick, s.quick, worst);
    assert_int_equal(info.iterations, k);
    assert_int_equal(info.status, k < most ? CTI_SOLVE_OK : CTI_SOLVE_BUDGET);
    assert_int_equal(info.sweeps, s.sweeps);
    assert_int_equal(info.quick, s.quick);
    assert_true(worst < 1e-11);
    *ended += k < most, *iterations += k, *sweeps += s.sweeps;
    cti_bsr_free(&f.mem, &f.bsr), cti_arena_free(&f.arena);
}

static void dense_matrices_agree(void **state)
{
    int k, ended = 0, iterations = 0, sweeps = 0;
    (void)state;
    for (k = 0; k < 24; k++) {
        seed = 11 + (uint64_t)k;
        compare(k % 3 == 0 ? 4 : (k % 3 == 1 ? 300 : 3000), k % 4 == 0 ? 0 : 0.2 * (k % 4), k % 2 ? 0.02 : 0, k % 8 > 3, &ended,
                &iterations, &sweeps);
    }
    print_message("%d of 24 ended by the rule, %d outer iterations, %d sweeps\n", ended, iterations, sweeps);
    assert_true(ended >= 12 && iterations > 3 * 24 && sweeps > 2 * iterations); /* else all runs end at once, and agree */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dense_matrices_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
