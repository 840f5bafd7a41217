/* test_bridge.c -- conversion of a world's contact problem to a stand-alone one and back. Both judges agree on a problem with every feature
   of rows; every solver finds ICA's solution; a failure leaves everything unchanged; worlds that step with different solvers reach the same
   rest. */
#include "../src/3_solve/central.h"
#include "../src/4_programs/bordered.h"
#include "../src/4_programs/bridge.h"
#include "../src/4_programs/friction.h"
#include "../src/3_solve/ica.h"
#include "../src/3_solve/augmented.h"
#include "../src/4_programs/stagger.h"
#include "../src/9_world/world.h"
#include "world_util.h"

enum { CHAIN = 8, N = 2 * CHAIN + 4, ROWS = 24, FLOAT = CONTACT_REAL == 32 };

static const ct_solver solvers[] = {CT_SOLVER_NEWTON,   CT_SOLVER_ADMM,  CT_SOLVER_PGS,       CT_SOLVER_CA,
                                    CT_SOLVER_INTERIOR, CT_SOLVER_MPRGP, CT_SOLVER_ACTIVE_SET};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

typedef struct bench {
    cti_mem mem;
    cti_arena arena;
    cti_bsr A;
    ct_real b[3 * N], v[3 * N], work[6 * N], projectors[18];
    int32_t filter[N];
    cti_row rows[ROWS];
    cti_problem p;
    int n_rows;
    uint64_t seed;
} bench;

static ct_real number(bench *t) { return (ct_real)(2 * lcg(&t->seed) - 1); }

/* two chains of springs, the second above the first, and two rigid bodies (blocks 2 CHAIN: linear, + 1: angular) */
static void bench_matrix(bench *t)
{
    int32_t pairs[4 * CHAIN];
    int i, a, c, n = 0;
    for (i = 0; i + 1 < 2 * CHAIN; i++)
        if (i != CHAIN - 1)
            pairs[2 * n] = i, pairs[2 * n + 1] = i + 1, n++;
    assert_true(cti_bsr_pattern(&t->mem, &t->A, N, pairs, n));
    for (i = 0; i < N; i++)
        for (a = 0; a < 3; a++)
            t->A.val[9 * t->A.diag[i] + 4 * a] = i < 2 * CHAIN ? 1 : (i % 2 == 0 ? 3 : CTI_R(0.2) + CTI_R(0.1) * (ct_real)a);
    for (i = 0; i < n; i++) {
        int s[4], p = pairs[2 * i], q = pairs[2 * i + 1];
        ct_real d[3];
        for (a = 0; a < 3; a++)
            d[a] = number(t);
        s[0] = t->A.diag[p], s[1] = t->A.diag[q], s[2] = cti_bsr_slot(&t->A, p, q), s[3] = cti_bsr_slot(&t->A, q, p);
        for (c = 0; c < 4; c++)
            for (a = 0; a < 9; a++)
                t->A.val[9 * s[c] + a] += (c < 2 ? 1 : -1) * (4 * d[a / 3] * d[a % 3] + (a % 4 == 0 ? 1 : 0));
    }
    for (i = 0; i < N; i++)
        t->b[3 * i + 1] = i < 2 * CHAIN ? CTI_R(-0.1) : (i % 2 == 0 ? CTI_R(-0.3) : CTI_R(0.01)), t->b[3 * i] = CTI_R(0.02) * number(t);
}

/* block 2 slides on a plane, block CHAIN + 3 is held: A <- S A S + I - S, b <- S b */
static void bench_pins(bench *t)
{
    int i, k, a;
    for (i = 0; i < N; i++)
        t->filter[i] = i == 2 ? 0 : (i == CHAIN + 3 ? 1 : -1);
    t->projectors[4] = t->projectors[8] = 1;
    for (i = 0; i < N; i++)
        for (k = t->A.row[i]; k < t->A.row[i + 1]; k++)
            for (a = 0; a < 9; a++) {
                int j = t->A.col[k];
                int left = t->filter[i] < 0 || t->projectors[9 * t->filter[i] + 4 * (a / 3)] > 0;
                int right = t->filter[j] < 0 || t->projectors[9 * t->filter[j] + 4 * (a % 3)] > 0;
                if (!left || !right)
                    t->A.val[9 * k + a] = i == j && a % 4 == 0 ? 1 : 0;
            }
    for (i = 0; i < 3 * N; i++)
        if (t->filter[i / 3] >= 0 && !(t->projectors[9 * t->filter[i / 3] + 4 * (i % 3)] > 0))
            t->b[i] = 0;
}

static cti_row *bench_row(bench *t, int a, int b, ct_real mu)
{
    cti_row *row = &t->rows[t->n_rows++];
    cti_v3 n = cti_v3_unit(cti_v3_make(CTI_R(0.2) * number(t), 1, CTI_R(0.2) * number(t)), cti_v3_make(0, 1, 0)), t1, t2;
    assert_true(t->n_rows <= ROWS);
    row->n_a = 1, row->n = b >= 0 ? 2 : 1;
    row->term[0].block = a, row->term[0].weight = 1;
    row->term[1].block = b, row->term[1].weight = -1;
    cti_v3_tangents(n, &t1, &t2);
    cti_v3_put(row->frame, 0, n), cti_v3_put(row->frame, 1, t1), cti_v3_put(row->frame, 2, t2);
    row->mu = mu;
    row->compliance[0] = CTI_R(1e-4), row->compliance[1] = row->compliance[2] = CTI_R(1e-2);
    row->w[0] = CTI_R(0.02) * number(t), row->w[1] = CTI_R(0.02) * number(t);
    return row;
}

static void bench_rows(bench *t)
{
    cti_row *row;
    int i;
    for (i = 0; i < CHAIN; i++) /* the lower chain rests on the ground; two of three rows are plain, the others recover from penetration at
                                   different speeds and compliances */
        if (row = bench_row(t, i, -1, CTI_R(0.4)), i % 3 == 1)
            row->recover = i == 1 ? CTI_R(0.02) : CTI_R(0.2), row->softness = i == 1 ? 1 : CTI_R(0.4);
    t->rows[3].mu = 0;
    t->rows[5].compliance[0] = t->rows[5].softness = CTI_R(0.3), t->rows[5].recover = CTI_R(0.1); /* as rows that separate intersecting surfaces */
    t->rows[6].compliance[0] = t->rows[6].compliance[1] = t->rows[6].compliance[2] = 0;
    for (i = 1; i < CHAIN; i += 2) /* the upper chain rests on the lower one */
        bench_row(t, CHAIN + i, i, CTI_R(0.6));
    for (i = 0; i < 2; i++) { /* rigid bodies on the ground and on a node, with an arm */
        row = bench_row(t, 2 * CHAIN + 2 * i, i ? 4 : -1, CTI_R(0.3));
        row->term[row->n].block = 2 * CHAIN + 2 * i + 1;
        row->term[row->n].arm[0] = CTI_R(0.3), row->term[row->n].arm[1] = CTI_R(-0.2), row->n++;
    }
    row = bench_row(t, 2 * CHAIN, 2 * CHAIN + 2, 0); /* joints: all axes, two axes as a hinge has, without compliance */
    row->equations = 7, row->compliance[0] = row->compliance[1] = row->compliance[2] = CTI_R(1e-3);
    row = bench_row(t, 2 * CHAIN + 1, 2 * CHAIN + 3, 0);
    row->equations = 6;
    row = bench_row(t, 0, CHAIN, 0);
    row->equations = 1, row->compliance[0] = 0;
}

static void bench_make(bench *t, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->seed = seed;
    cti_mem_init(&t->mem, NULL), cti_arena_init(&t->arena, &t->mem);
    bench_matrix(t), bench_pins(t), bench_rows(t);
    t->p.A = &t->A, t->p.b = t->b, t->p.dt = CTI_R(0.01), t->p.velocity_scale = CTI_R(0.1), t->p.approach_limit = 1;
    t->p.rows = t->rows, t->p.n_rows = t->n_rows;
    t->p.filter = t->filter, t->p.projectors = t->projectors;
}

static void bench_free(bench *t)
{
    cti_bsr_free(&t->mem, &t->A);
    cti_arena_free(&t->arena);
    assert_int_equal(t->mem.bytes_live, 0);
}

static ct_real bench_judge(bench *t, cti_residuals *res)
{
    cti_residual_eval(&t->p, CT_CONE_CONE, t->v, t->work, res);
    return res->natural_map;
}

static void bench_ica(bench *t)
{
    ct_solver_desc d = ct_solver_desc_default();
    cti_residuals res;
    cti_solve_info info;
    d.tolerance = FLOAT ? CTI_R(1e-5) : CTI_R(1e-9), d.max_sweeps = 200000, d.max_iterations = 100000;
    cti_ica_solve(&t->p, &d, &t->arena, t->v, &info);
    assert_int_equal(info.status, CTI_SOLVE_OK);
    assert_true(bench_judge(t, &res) < (FLOAT ? 1e-4 : 1e-7));
}

/* ---- conversion to a stand-alone problem and back ---- */

static void both_judges_agree(void **state)
{
    uint64_t seed;
    (void)state;
    for (seed = 1; seed < 6; seed++) {
        bench t;
        cti_bridge q;
        cti_judgement j;
        cti_residuals res;
        ct_real v[3 * N], r[3 * ROWS];
        double *x, *y, *work;
        int i, k, twos = 0;
        bench_make(&t, seed);
        bench_ica(&t);
        memset(&q, 0, sizeof q);
        assert_true(cti_bridge_open(&t.mem, &t.arena, &t.p, NULL, &q));
        assert_null(cti_program_check(&q.program));
        assert_true(cti_program_prepare(&t.mem, &q.program));
        for (i = 0; i < t.n_rows; i++)
            twos += q.mode[i] == CTI_BRIDGE_TWO;
        assert_int_equal(q.contacts, CHAIN + CHAIN / 2 + 2 + twos);
        assert_true(twos >= 2);
        x = CTI_ARENA_NEW(&t.arena, double, q.program.n), y = CTI_ARENA_NEW(&t.arena, double, q.program.m);
        work = CTI_ARENA_NEW(&t.arena, double, 2 * (q.program.n + q.program.m));
        assert_true(x && y && work);
        cti_bridge_start(&q, t.v, x, y);
        cti_program_judge(&q.program, x, y, work, &j);
        if (!(j.residual < 1e-5))
            print_message("seed %d: residual %g dynamics %g natural %g\n", (int)seed, j.residual, j.dynamics, j.natural);
        assert_true(j.residual < 1e-5);
        /* a wrong start has a residual, so that the zero above is no accident */
        x[1] -= 0.05;
        cti_program_judge(&q.program, x, y, work, &j);
        assert_true(j.natural > 1e-3);
        x[1] += 0.05;
        /* the conversion back gives the same numbers */
        memcpy(v, t.v, sizeof v);
        for (i = 0; i < t.n_rows; i++)
            for (k = 0; k < 3; k++)
                r[3 * i + k] = t.rows[i].r[k], t.rows[i].r[k] = 7;
        memset(t.v, 0, sizeof t.v);
        assert_true(cti_bridge_finish(&q, &t.arena, x, y, t.v));
        for (i = 0; i < 3 * N; i++)
            assert_true(cti_abs(v[i] - t.v[i]) < 1e-12);
        for (i = 0; i < 3 * t.n_rows; i++)
            if (!(t.rows[i / 3].equations && t.rows[i / 3].compliance[0] == 0)) /* a joint without compliance gets 1e-9 of its own there, for which
                                                                                   ICA's v has too few digits */
                assert_true(cti_abs(r[i] - t.rows[i / 3].r[i % 3]) < (FLOAT ? 1e-2 : 1e-5)); /* ICA's tolerance / compliance */
        bench_judge(&t, &res);
        cti_bridge_close(&t.mem, &q);
        bench_free(&t);
    }
}

static void every_solver_finds_the_solution(void **state)
{
    int s, i;
    uint64_t seed;
    (void)state;
    for (seed = 1; seed < PLAIN_OR(4, 2); seed++) {
        bench t, u;
        bench_make(&t, seed);
        bench_ica(&t);
        for (s = 0; s < SOLVERS; s++) {
            ct_solver_desc d = ct_solver_desc_default();
            cti_residuals res;
            cti_solve_info info;
            ct_real natural, tolerance = FLOAT ? CTI_R(1e-5) : CTI_R(1e-6);
            bench_make(&u, seed);
            d.tolerance = tolerance, d.max_iterations = 10000, d.max_sweeps = 10000;
            cti_bridge_solve(&u.p, &d, solvers[s], CTI_R(0.15), &u.mem, &u.arena, u.v, &info);
            natural = bench_judge(&u, &res);
            if (info.status != CTI_SOLVE_OK)
                print_message("seed %d %s: status %d natural %g dynamics %g after %d\n", (int)seed, ct_solver_text(solvers[s]), info.status,
                              (double)natural, (double)res.dynamics, info.iterations);
            assert_int_equal(info.status, CTI_SOLVE_OK);
            assert_true(natural <= tolerance && cti_abs(natural - info.change) <= (FLOAT ? CTI_R(1e-6) : CTI_R(1e-9)));
            for (i = 0; i < 3 * N; i++)
                assert_true(cti_abs(u.v[i] - t.v[i]) < 3 * tolerance);
            /* constrained blocks keep their constraints */
            assert_true(u.v[6] == 0 && u.v[3 * (CHAIN + 3)] == 0 && u.v[3 * (CHAIN + 3) + 1] == 0);
            bench_free(&u);
        }
        bench_free(&t);
    }
}

/* ---- the matrix between contacts, W = J A^-1 J' ---- */

enum { BODIES = 3 };

/* exact factors of the two chains and of the rigid bodies; no joints */
typedef struct bodies {
    cti_symbolic symbolic[BODIES];
    cti_gather gather[BODIES];
    cti_factor64 factor[BODIES];
    cti_body_factor list[BODIES];
} bodies;

static void bodies_make(bench *t, bodies *b)
{
    static const int first[BODIES + 1] = {0, CHAIN, 2 * CHAIN, N};
    int32_t blocks[N];
    int i, k;
    memset(b, 0, sizeof *b);
    for (k = 0; k < BODIES; k++) {
        for (i = first[k]; i < first[k + 1]; i++)
            blocks[i - first[k]] = i;
        b->list[k].first = first[k], b->list[k].n = first[k + 1] - first[k], b->list[k].factor = &b->factor[k];
        assert_true(cti_symbolic_analyze(&t->mem, &b->symbolic[k], &t->A, blocks, b->list[k].n));
        assert_true(cti_gather_make(&t->mem, &b->gather[k], &b->symbolic[k], &t->A, blocks));
        assert_true(cti_factor64_compute(&t->mem, &b->factor[k], &b->symbolic[k], &b->gather[k], t->A.val));
    }
    t->p.bodies = b->list, t->p.n_bodies = BODIES;
    while (t->rows[t->p.n_rows - 1].equations)
        t->p.n_rows--;
}

static void bodies_free(bench *t, bodies *b)
{
    int k;
    for (k = 0; k < BODIES; k++)
        cti_factor64_free(&t->mem, &b->factor[k]), cti_gather_free(&t->mem, &b->gather[k]), cti_symbolic_free(&t->mem, &b->symbolic[k]);
}

/* W r + w is what the rows' velocities are at v = A^-1 (b + J'r) */
static void between_is_what_rows_see(void **state)
{
    uint64_t seed;
    (void)state;
    for (seed = 1; seed < 4; seed++) {
        bench t;
        bodies b;
        cti_bridge q;
        double r[6 * ROWS], x[6 * ROWS], u[6 * ROWS], far = 0;
        int i, k, blocks = 0;
        bench_make(&t, seed);
        bodies_make(&t, &b);
        memset(&q, 0, sizeof q), memset(x, 0, sizeof x);
        assert_true(cti_bridge_is_local(&t.p) && cti_bridge_open(&t.mem, &t.arena, &t.p, NULL, &q));
        assert_null(cti_program_check(&q.program));
        assert_int_equal(q.program.kind, CTI_PROGRAM_LOCAL);
        assert_true(cti_sparse_asymmetry(&q.program.W, 1) == 0);
        blocks = q.program.W.p[q.program.m] / 9;
        assert_true(blocks < q.contacts * q.contacts); /* rows without a common body have a zero block in W */
        for (i = 0; i < q.program.m; i++)
            r[i] = i % 3 == 0 ? 0.1 + 0.05 * (double)number(&t) : (q.program.mu[i / 3] > 0 ? 0.03 * (double)number(&t) : 0);
        assert_true(cti_bridge_finish(&q, &t.arena, x, r, t.v));
        cti_sparse_mul(&q.program.W, r, u);
        for (i = 0; i < t.p.n_rows; i++) {
            const cti_row *row = &t.rows[i];
            ct_real v[3];
            if (q.mode[i] == CTI_BRIDGE_SOFT)
                continue;
            cti_row_velocity(row, t.v, v);
            for (k = 0; k < 3; k++) {
                double c = k && !(row->mu > 0) ? 0 : (double)(row->compliance[k] * row->r[k]);
                far = fmax(far, fabs(u[3 * q.first[i] + k] + q.program.w[3 * q.first[i] + k] - (double)v[k] - c));
            }
        }
        assert_true(far < (FLOAT ? 1e-5 : 1e-10));
        cti_bridge_close(&t.mem, &q), bodies_free(&t, &b), bench_free(&t);
    }
}

/* every solver finds ICA's solution with that matrix, too, within its bound on iterations */
static void between_finds_the_solution(void **state)
{
    uint64_t seed;
    int s, i;
    (void)state;
    for (seed = 1; seed < 4; seed++) {
        bench t;
        bodies none;
        bench_make(&t, seed);
        bodies_make(&t, &none);
        t.p.bodies = NULL, t.p.n_bodies = 0;
        t.rows[3].mu = CTI_R(0.3); /* interior point takes W sparse where every contact has friction */
        bench_ica(&t);
        for (s = 0; s < SOLVERS; s++) {
            bench u;
            bodies b;
            ct_solver_desc d = ct_solver_desc_default();
            cti_residuals res;
            cti_solve_info info;
            int rough = solvers[s] != CT_SOLVER_NEWTON && solvers[s] != CT_SOLVER_ADMM && solvers[s] != CT_SOLVER_PGS &&
                        solvers[s] != CT_SOLVER_CA;
            bench_make(&u, seed);
            bodies_make(&u, &b);
            u.rows[3].mu = CTI_R(0.3);
            d.tolerance = rough ? CTI_R(1e-4) : (FLOAT ? CTI_R(1e-5) : CTI_R(1e-6));
            cti_bridge_solve(&u.p, &d, solvers[s], CTI_R(0.15), &u.mem, &u.arena, u.v, &info);
            if (info.status != CTI_SOLVE_OK)
                print_message("seed %d %s: status %d natural %g after %d\n", (int)seed, ct_solver_text(solvers[s]), info.status,
                              (double)info.change, info.iterations);
            assert_int_equal(info.status, CTI_SOLVE_OK);
            assert_true(bench_judge(&u, &res) <= d.tolerance);
            for (i = 0; i < 3 * N; i++)
                assert_true(cti_abs(u.v[i] - t.v[i]) < (rough ? 10 : 3) * d.tolerance);
            bodies_free(&u, &b), bench_free(&u);
        }
        bodies_free(&t, &none), bench_free(&t);
    }
}

/* With a tolerance that no solver reaches, the iterations end where docs/solvers_worlds.md says, summed over all passes and attempts */
static void iterations_are_bounded(void **state)
{
    static const struct {
        ct_solver solver;
        int most;
    } bound[] = {{CT_SOLVER_NEWTON, 80}, {CT_SOLVER_INTERIOR, 80}, {CT_SOLVER_MPRGP, 60}, {CT_SOLVER_ACTIVE_SET, 60}, {CT_SOLVER_PGS, 400}};
    int s;
    (void)state;
    for (s = 0; s < 5; s++) {
        bench t;
        bodies b;
        ct_solver_desc d = ct_solver_desc_default();
        cti_solve_info info;
        bench_make(&t, 2);
        bodies_make(&t, &b);
        d.tolerance = CTI_R(1e-300), d.max_sweeps = 20;
        cti_bridge_solve(&t.p, &d, bound[s].solver, CTI_R(0.15), &t.mem, &t.arena, t.v, &info);
        assert_true(info.status == CTI_SOLVE_BUDGET || info.status == CTI_SOLVE_OK);
        if (info.iterations > bound[s].most + 33)
            print_message("%s: %d iterations\n", ct_solver_text(bound[s].solver), info.iterations);
        assert_true(info.iterations > 0 && info.iterations <= bound[s].most + 33); /* eleven passes of three iterations each */
        d.budget = 2, d.tolerance = CTI_R(1e-12);
        cti_bridge_solve(&t.p, &d, bound[s].solver, CTI_R(1e30), &t.mem, &t.arena, t.v, &info);
        assert_true(info.iterations <= 2 + 2 * 14);
        bodies_free(&t, &b), bench_free(&t);
    }
}

/* A solve that starts from its solution ends at once. Rows that are inactive at the start become active when they are violated */
static void starts_are_used(void **state)
{
    bench t;
    ct_solver_desc d = ct_solver_desc_default();
    cti_residuals res;
    cti_solve_info info;
    int cold, i, k;
    (void)state;
    bench_make(&t, 2);
    cti_bridge_solve(&t.p, &d, CT_SOLVER_PGS, CTI_R(0.15), &t.mem, &t.arena, t.v, &info);
    cold = info.iterations;
    assert_int_equal(info.status, CTI_SOLVE_OK);
    cti_bridge_solve(&t.p, &d, CT_SOLVER_PGS, CTI_R(0.15), &t.mem, &t.arena, t.v, &info);
    assert_true(info.iterations < cold / 2);
    /* from a start that moves upwards every contact is open */
    for (i = 0; i < N; i++)
        t.v[3 * i + 1] = i == CHAIN + 3 ? 0 : 5;
    for (i = 0; i < t.n_rows; i++)
        for (k = 0; k < 3; k++)
            t.rows[i].r[k] = 0;
    cti_bridge_solve(&t.p, &d, CT_SOLVER_NEWTON, CTI_R(0.15), &t.mem, &t.arena, t.v, &info);
    assert_int_equal(info.status, CTI_SOLVE_OK);
    assert_true(bench_judge(&t, &res) <= d.tolerance);
    bench_free(&t);
}

/* a solver that ends far from a solution, or refuses the problem, changes nothing */
static void failures_change_nothing(void **state)
{
    bench t, u;
    ct_solver_desc d = ct_solver_desc_default();
    cti_solve_info info;
    (void)state;
    bench_make(&t, 3), bench_make(&u, 3);
    t.rows[0].r[0] = u.rows[0].r[0] = CTI_R(0.3), t.v[4] = u.v[4] = CTI_R(0.2);
    d.budget = 1;
    cti_bridge_solve(&t.p, &d, CT_SOLVER_PGS, CTI_R(1e-7), &t.mem, &t.arena, t.v, &info);
    assert_int_equal(info.status, CTI_SOLVE_FAILED);
    assert_memory_equal(t.v, u.v, sizeof t.v);
    assert_memory_equal(t.rows, u.rows, sizeof t.rows);
    /* the same solve with a larger bound on the residual: the result is taken */
    cti_bridge_solve(&t.p, &d, CT_SOLVER_PGS, CTI_R(100), &t.mem, &t.arena, t.v, &info);
    assert_int_equal(info.status, CTI_SOLVE_BUDGET);
    assert_true(memcmp(t.v, u.v, sizeof t.v) != 0);
    bench_free(&t), bench_free(&u);
}

/* a W of gigabytes is refused before it is allocated, and nothing changes */
static void too_many_pairs_are_refused(void **state)
{
    enum { MANY = 2100 };
    bench t;
    bodies b;
    cti_row *rows = (cti_row *)malloc(MANY * sizeof *rows);
    uint8_t used[ROWS];
    ct_solver_desc d = ct_solver_desc_default();
    cti_solve_info info;
    ct_real before[3 * N];
    int64_t calls;
    double want = 0;
    int i, k;
    (void)state;
    assert_non_null(rows);
    bench_make(&t, 2), bodies_make(&t, &b);
    memset(used, 1, sizeof used), used[1] = 0;
    for (k = 0; k < BODIES; k++) {
        int touch = 0, j;
        for (i = 0; i < t.p.n_rows; i++) {
            int here = 0;
            for (j = 0; j < t.rows[i].n; j++)
                here |= t.rows[i].term[j].block >= b.list[k].first && t.rows[i].term[j].block < b.list[k].first + b.list[k].n;
            touch += here && used[i];
        }
        want += (double)touch * touch;
    }
    assert_true(cti_delassus_bodies_pairs(&t.arena, &t.p, used) == want);
    for (i = 0; i < MANY; i++)
        rows[i] = t.rows[0];
    t.p.rows = rows, t.p.n_rows = MANY;
    for (i = 0; i < 3 * N; i++)
        before[i] = t.v[i] = CTI_R(0.01) * number(&t);
    calls = t.mem.bytes_live;
    cti_bridge_solve(&t.p, &d, CT_SOLVER_PGS, 1, &t.mem, &t.arena, t.v, &info);
    assert_int_equal(info.status, CTI_SOLVE_FAILED);
    assert_true(t.mem.bytes_peak < calls + 10000000);
    assert_memory_equal(t.v, before, sizeof before);
    free(rows);
    bodies_free(&t, &b), bench_free(&t);
}

typedef struct refusing {
    long left;
} refusing;

static void *refuse(void *user, void *block, size_t old_size, size_t new_size)
{
    refusing *r = (refusing *)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return r->left-- <= 0 ? NULL : realloc(block, new_size);
}

/* every allocation fails in turn */
static void out_of_memory(void **state)
{
    static const ct_solver some[] = {CT_SOLVER_NEWTON, CT_SOLVER_CA, CT_SOLVER_MPRGP, CT_SOLVER_INTERIOR};
    int s, k, seen;
    (void)state;
    for (s = 0; s < 4; s++) {
        bench t, u;
        ct_allocator own, saved;
        refusing r;
        ct_solver_desc d = ct_solver_desc_default();
        cti_solve_info info;
        bench_make(&t, 4), bench_make(&u, 4);
        saved = t.mem.user, own.resize = refuse, own.user = &r;
        for (k = seen = 0; k < 3000; k++) {
            int64_t live;
            cti_arena_free(&t.arena), cti_arena_init(&t.arena, &t.mem);
            live = t.mem.bytes_live;
            t.mem.user = own, r.left = k < 40 ? k : 40 + PLAIN_OR(7, 29) * (k - 40);
            cti_bridge_solve(&t.p, &d, some[s], CTI_R(0.15), &t.mem, &t.arena, t.v, &info);
            t.mem.user = saved, t.mem.failed = 0;
            cti_arena_free(&t.arena), cti_arena_init(&t.arena, &t.mem);
            assert_int_equal(t.mem.bytes_live, live);
            if (info.status != CTI_SOLVE_MEMORY)
                break;
            assert_memory_equal(t.v, u.v, sizeof t.v);
            assert_memory_equal(t.rows, u.rows, sizeof t.rows);
            seen++;
        }
        if (info.status != CTI_SOLVE_OK)
            print_message("%s: status %d natural %g after %d, %d requests\n", ct_solver_text(some[s]), info.status, (double)info.change,
                          info.iterations, seen);
        assert_int_equal(info.status, CTI_SOLVE_OK);
        assert_true(seen > 10);
        bench_free(&t), bench_free(&u);
    }
}

/* staggering of normals and friction against Newton's method, on the stand-alone problem */
static void staggered_projections(void **state)
{
    bench t;
    cti_bridge q;
    cti_effort e;
    cti_answer a, n;
    int i, s, slides = 0, sticks = 0;
    (void)state;
    bench_make(&t, 5);
    memset(&q, 0, sizeof q), memset(&e, 0, sizeof e), memset(&a, 0, sizeof a), memset(&n, 0, sizeof n);
    assert_true(cti_bridge_open(&t.mem, &t.arena, &t.p, NULL, &q) && cti_program_prepare(&t.mem, &q.program));
    e.tolerance = 1e-9, e.arena = &t.arena, e.relaxation = 1;
    a.x = CTI_ARENA_ZERO(&t.arena, double, q.program.n), a.r = CTI_ARENA_ZERO(&t.arena, double, q.program.m);
    n.x = CTI_ARENA_ZERO(&t.arena, double, q.program.n), n.r = CTI_ARENA_ZERO(&t.arena, double, q.program.m);
    assert_int_equal(cti_solver_newton(&q.program, &e, &n), CTI_OUTCOME_SOLVED);
    for (i = 0; i < q.contacts; i++) {
        double bound = q.program.mu[i] * n.r[3 * i], t2 = hypot(n.r[3 * i + 1], n.r[3 * i + 2]);
        slides += bound > 1e-3 && t2 > 0.999999 * bound, sticks += bound > 1e-3 && t2 < 0.99 * bound;
    }
    assert_true(slides > 0 && sticks > 0);
    for (s = 0; s < 3; s++) {
        static const cti_program_solver inner[] = {cti_solver_mprgp, cti_solver_active_set, cti_solver_interior};
        e.tolerance = 1e-6;
        memset(a.x, 0, sizeof *a.x * (size_t)q.program.n), memset(a.r, 0, sizeof *a.r * (size_t)q.program.m);
        assert_int_equal(cti_stagger_solve(&q.program, CT_SOLVER_COUNT_, inner[s], &e, &a), CTI_OUTCOME_SOLVED);
        assert_true(a.iterations > 1);
        for (i = 0; i < 3 * N; i++)
            assert_true(fabs(a.x[i] - n.x[i]) < 1e-5);
    }
    e.max_iterations = 1;
    memset(a.r, 0, sizeof *a.r * (size_t)q.program.m);
    assert_int_equal(cti_stagger_solve(&q.program, CT_SOLVER_COUNT_, cti_solver_mprgp, &e, &a), CTI_OUTCOME_BUDGET);
    cti_bridge_close(&t.mem, &q);
    bench_free(&t);
}

/* ---- worlds ---- */

#ifdef __SANITIZE_ADDRESS__
enum { STEPS = 12 };
#else
enum { STEPS = 40 };
#endif

/* a soft cube, another that leans on it, a rigid one on top, and a small sheet with one pinned corner */
static ct_world *pile(ct_solver solver, ct_friction friction, ct_body_id ids[3])
{
    ct_world_desc d = world_desc(0.004, 0.5, NULL);
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_world *w;
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    d.solver.solver = solver, d.solver.friction = friction;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    ids[0] = add_soft_box(w, "soft", 0.1, 1, 1e5, 0, 0.055, 0);
    ids[1] = add_soft_box(w, "second", 0.1, 1, 1e5, 0.03, 0.162, 0.01);
    mesh_place(&m, 0, 0, 0.27, 0);
    r.name = "rigid", r.mesh = &m, r.density = 500;
    assert_int_equal(ct_body_add_rigid(w, &r, &ids[2]), CT_OK);
    ct_mesh_free(&m);
    return w;
}

/* the solvers, and two other treatments of friction */
static void worlds_come_to_the_same_rest(void **state)
{
    double rest[3][3];
    int s, k, i;
    (void)state;
    for (s = -1; s < SOLVERS + 2; s++) {
        ct_body_id ids[3];
        ct_solver solver = s < 0 ? CT_SOLVER_ICA : (s < SOLVERS ? solvers[s] : CT_SOLVER_MPRGP);
        ct_friction friction = s < SOLVERS ? CT_FRICTION_STAGGERED : (s == SOLVERS ? CT_FRICTION_ANTICIPATED : CT_FRICTION_LOCAL);
        double slack = friction == CT_FRICTION_LOCAL ? 3 : 1; /* CT_FRICTION_LOCAL does not solve for friction: the body creeps */
        ct_world *w = pile(solver, friction, ids);
        int fallbacks = 0;
        for (k = 0; k < STEPS; k++) {
            ct_step_report r = step_once(w, 0.01);
            fallbacks += r.solver_fallbacks;
            assert_int_equal(count_intersections(w), 0);
        }
        assert_true(s >= 0 || fallbacks == 0);
        if (fallbacks)
            print_message("%s, friction %d: %d fallbacks\n", ct_solver_text(solver), friction, fallbacks);
        assert_true(fallbacks <= 5);
        for (i = 0; i < 3; i++) {
            double x[3];
            read_middle(w, ids[i], 0, x);
            if (s < 0)
                memcpy(rest[i], x, sizeof x);
            if (!(fabs(x[1] - rest[i][1]) < slack * 3e-4 && (friction == CT_FRICTION_LOCAL || fabs(x[0] - rest[i][0]) < 2e-3)))
                print_message("%s, friction %d: body %d at %g %g, not at %g %g\n", ct_solver_text(solver), friction, i, x[0], x[1],
                              rest[i][0], rest[i][1]);
            assert_true(fabs(x[1] - rest[i][1]) < slack * 3e-4 && (friction == CT_FRICTION_LOCAL || fabs(x[0] - rest[i][0]) < 2e-3));
        }
        ct_world_destroy(w);
    }
}

static void add_heap_box(ct_world *w, int soft, double x, double y, double z)
{
    ct_mesh mesh = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_body_id id;
    mesh_place(&mesh, x, y, z, 0);
    r.mesh = &mesh;
    if (soft)
        add_soft_box(w, NULL, 0.1, 1, 1e5, x, y, z);
    else
        assert_int_equal(ct_body_add_rigid(w, &r, &id), CT_OK);
    ct_mesh_free(&mesh);
}

/* One sweep is too few for ICA. Newton steps on the augmented Lagrangian take over from it, for soft and rigid bodies, under AUTO, too */
static void newton_steps_take_over(void **state)
{
    int s, k;
    (void)state;
    for (s = 0; s < 4; s++) {
        ct_world_desc d = world_desc(0.004, 0.5, NULL);
        double worst = 0;
        int fallbacks = 0;
        ct_world *w;
        d.solver.solver = s < 2 ? CT_SOLVER_ICA : CT_SOLVER_AUTO, d.solver.max_sweeps = d.solver.max_iterations = d.solver.inner_iterations = 1;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        add_heap_box(w, s % 2, 0, 0.055, 0);
        add_heap_box(w, s % 2, 0.03, 0.162, 0.01);
        for (k = 0; k < 12; k++) {
            ct_step_report r = step_once(w, 0.01);
            fallbacks += r.solver_fallbacks, worst = fmax(worst, (double)r.residual);
        }
        ct_world_destroy(w);
        assert_true(worst <= 1e-3 && (fallbacks > 0) == (s > 1));
    }
}

/* A sheet between a soft box at rest and one that falls on it. AUTO ends islands by Newton steps: all are solved, nothing intersects, and
   what lies on the plane presses on it with its weight */
static void auto_ends_cloth_between_boxes(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w;
    ct_mesh grid = mesh_grid(0.2, 0.2, 10, 10);
    const double weight = (1 + 1 + 0.04 * 0.2) * 9.81;
    double pressed = 0;
    int k, i, n, good = 0, fallbacks = 0, newton = 0, warm = 0;
    (void)state;
    d.solver.solver = CT_SOLVER_AUTO;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    add_soft_box(w, "base", 0.1, 2, 1e6, 0, 0.052, 0);
    mesh_place(&grid, 0, 0, 0.106, 0);
    add_cloth_mesh(w, "sheet", &grid, CT_MODEL_MEMBRANE, 0.2);
    ct_mesh_free(&grid);
    add_soft_box(w, "top", 0.1, 2, 1e6, 0.01, 0.17, 0);
    for (k = 0; k < 120; k++) {
        int64_t calls = w->whole.n_calls;
        ct_step_report r = step_once(w, 0.01);
        const ct_contact *c;
        good += r.status == CT_STATUS_OK || r.status == CT_STATUS_SUBSTEPPED, fallbacks += r.solver_fallbacks;
        if (k >= 40 && r.solver_fallbacks)
            newton++, warm += w->whole.n_calls == calls;
        assert_int_equal(count_intersections(w), 0);
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        for (i = 0; k >= 100 && i < n; i++)
            pressed += c[i].kind == CT_PAIR_PLANE ? (double)c[i].impulse_normal / (20 * 0.01) : 0;
    }
    print_message("  %d of 120 steps solved, %d islands by Newton steps; the plane bears %.4f of %.4f N; %d of %d late ones did not allocate\n", good,
                  fallbacks, pressed, weight, warm, newton);
    assert_true(good >= (FLOAT ? 114 : 118) && fallbacks > 0 && fabs(pressed - weight) < 0.01 * weight);
    assert_true(newton > 0 && 8 * (newton - warm) <= 80); /* a step that needs more memory than any before asks for it: of the last 80 one in eight */
    ct_world_destroy(w);
}

/* y = (A + J'HJ)^-1 f by Gaussian elimination of the dense matrix, from the rows' definition */
static void dense_solve(bench *t, const double *H, const double *f, double *y)
{
    static double K[3 * N][3 * N + 1];
    const cti_bsr *A = t->p.A;
    int i, j, k, l, a, b, c;
    memset(K, 0, sizeof K);
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            for (a = 0; a < 9; a++)
                K[3 * i + a / 3][3 * A->col[k] + a % 3] = (double)A->val[9 * k + a];
    for (i = 0; i < t->n_rows; i++)
        for (k = 0; k < t->p.rows[i].n; k++)
            for (l = 0; l < t->p.rows[i].n; l++) {
                ct_real Gk[9], Gl[9];
                cti_row_map_t(&t->p, &t->p.rows[i], k, Gk), cti_row_map_t(&t->p, &t->p.rows[i], l, Gl);
                for (a = 0; a < 3; a++)
                    for (b = 0; b < 3; b++)
                        for (c = 0; c < 9; c++)
                            K[3 * t->p.rows[i].term[k].block + a][3 * t->p.rows[i].term[l].block + b] +=
                                (double)Gk[3 * a + c / 3] * H[9 * i + c] * (double)Gl[3 * b + c % 3];
            }
    for (i = 0; i < 3 * N; i++)
        K[i][3 * N] = f[i];
    for (k = 0; k < 3 * N; k++)
        for (i = k + 1; i < 3 * N; i++) { /* positive definite: no exchanges */
            double m = K[i][k] / K[k][k];
            for (j = k; j <= 3 * N; j++)
                K[i][j] -= m * K[k][j];
        }
    for (i = 3 * N - 1; i >= 0; i--) {
        for (y[i] = K[i][3 * N], j = i + 1; j < 3 * N; j++)
            y[i] -= K[i][j] * y[j];
        y[i] /= K[i][i];
    }
}

/* what the factor makes of a random f, in shares of the largest entry of the solution */
static double factor_error(bench *t, const cti_linear *L, const double *H)
{
    double x[3 * N], y[3 * N], apart = 0, size = 0;
    int i;
    for (i = 0; i < 3 * N; i++)
        x[i] = (double)number(t);
    dense_solve(t, H, x, y);
    assert_true(L->factor(L->ctx, H));
    L->solve(L->ctx, x);
    for (i = 0; i < 3 * N; i++)
        apart = fmax(apart, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
    return size > 0 ? apart / size : 1;
}

/* The factor of A + J'HJ solves its system, with pins, arms and joints among the rows, also after some rows opened, closed or became much stiffer.
   One that is out of reach is priced alone */
static void merged_factor_solves(void **state)
{
    bench t;
    cti_jacobian J;
    cti_linear L, none;
    double *H;
    int i, k;
    (void)state;
    bench_make(&t, 5);
    H = CTI_ARENA_ZERO(&t.arena, double, 9 * t.n_rows);
    assert_true(H && cti_residual_prepare(&t.p, &t.arena) && cti_jacobian_make(&t.p, &t.arena, &J));
    assert_true(cti_merged_make(&J, 1e9, NULL, &t.arena, &L) && cti_merged_make(&J, 1, NULL, &t.arena, &none) && none.flops == L.flops && L.flops > 1);
    for (i = 0; i < t.n_rows; i++) /* every fifth row is open */
        for (k = 0; k < 3 && i % 5; k++)
            H[9 * i + 4 * k] = exp(6 * (double)number(&t));
    assert_true(factor_error(&t, &L, H) < 1e-9);
    H[9 * 1] *= 1e4;
    assert_true(factor_error(&t, &L, H) < 1e-7);
    H[9 * 5] = 1e3, memset(H + 9 * 6, 0, 9 * sizeof *H);
    assert_true(factor_error(&t, &L, H) < 1e-7);
    bench_free(&t);
}

/* Largest difference between a response to impulses g and the solve with J'g; and between J'r + b and A times the velocities of r; both relative. L
   has the factor of H */
static double response_error(bench *t, const cti_jacobian *J, const cti_linear *L, const double *H)
{
    int m3 = 3 * t->n_rows, n3 = 3 * t->p.A->n, i, k;
    double *g = CTI_ARENA_NEW(&t->arena, double, 4 * (size_t)m3), *dr = g + m3, *du = dr + m3, *u = du + m3, error = 0, most = 0, left = 0, size = 0;
    double *d = CTI_ARENA_ZERO(&t->arena, double, 3 * (size_t)n3), *Ad = d + n3, *f = Ad + n3;
    cti_iterate q;
    assert_true(g && d);
    memset(&q, 0, sizeof q);
    q.p = &t->p, q.J = J;
    for (i = 0; i < m3; i++)
        g[i] = (double)number(t);
    for (i = 0; i < t->n_rows; i++)
        cti_iterate_push(&q, i, g + 3 * i, d);
    cti_vec_copy(n3, d, f);
    L->solve(L->ctx, d);
    cti_iterate_gather(&q, d, u);
    L->respond(L->ctx, g, dr, du);
    for (i = 0; i < t->n_rows; i++)
        for (k = 0; k < 3; k++) {
            double left_of = g[3 * i + k] - cti_dot(3, H + 9 * i + 3 * k, u + 3 * i);
            error = fmax(error, fabs(du[3 * i + k] - u[3 * i + k])), most = fmax(most, fabs(u[3 * i + k]));
            left = fmax(left, fabs(dr[3 * i + k] - left_of)), size = fmax(size, fabs(left_of));
        }
    error = fmax(error / most, left / size);
    L->move(L->ctx, g, d);
    cti_iterate_multiply(&q, d, Ad);
    for (left = size = 0, i = 0; i < n3; i++)
        left = fmax(left, fabs(Ad[i] - f[i] - (double)t->p.b[i])), size = fmax(size, fabs(f[i]));
    return fmax(error, left / size);
}

/* the exact factor of all blocks as one body, and the solver for few rows that uses it */
typedef struct bordered {
    cti_factor64 factor;
    cti_symbolic symbolic;
    cti_gather gather;
    cti_body_factor body;
    cti_jacobian J;
    cti_linear L;
} bordered;

static void bordered_open(bordered *q, bench *t)
{
    int32_t all[N];
    int i;
    memset(q, 0, sizeof *q);
    for (i = 0; i < N; i++)
        all[i] = i;
    assert_true(cti_symbolic_analyze_once(&t->mem, &q->symbolic, t->p.A, all, N, NULL) && cti_gather_make(&t->mem, &q->gather, &q->symbolic, t->p.A, all));
    assert_true(cti_factor64_compute(&t->mem, &q->factor, &q->symbolic, &q->gather, t->p.A->val));
    q->body.first = 0, q->body.n = N, q->body.factor = &q->factor, t->p.bodies = &q->body, t->p.n_bodies = 1;
    assert_true(cti_residual_prepare(&t->p, &t->arena) && cti_jacobian_make(&t->p, &t->arena, &q->J) && cti_bordered_make(&q->J, &t->arena, &q->L));
}

static void bordered_close(bordered *q, bench *t)
{
    cti_factor64_free(&t->mem, &q->factor), cti_gather_free(&t->mem, &q->gather), cti_symbolic_free(&t->mem, &q->symbolic);
    bench_free(t);
}

/* The same by the exact factors of the bodies, with rows that are open, pinned, and up to 1e4 times as stiff as others */
static void bordered_factor_solves(void **state)
{
    bench t;
    bordered q;
    double *H;
    int i, k;
    (void)state;
    bench_make(&t, 5);
    bordered_open(&q, &t);
    H = CTI_ARENA_ZERO(&t.arena, double, 9 * t.n_rows);
    assert_non_null(H);
    for (i = 0; i < t.n_rows; i++)
        for (k = 0; k < 3 && i % 5; k++)
            H[9 * i + 4 * k] = exp(6 * (double)number(&t));
    assert_true(factor_error(&t, &q.L, H) < 1e-8);
    H[9 * 1] *= 1e4;
    assert_true(factor_error(&t, &q.L, H) < 1e-6);
    assert_true(response_error(&t, &q.J, &q.L, H) < 1e-6);
    bordered_close(&q, &t);
}

/* The interior point method ends in the same velocities and impulses whether it follows the rows alone, or all velocities by a merged factor */
static void rows_alone_end_where_all_do(void **state)
{
    uint64_t seed;
    (void)state;
    for (seed = 1; seed < 9; seed++) {
        bench t;
        bordered q;
        ct_solver_desc d = ct_solver_desc_default();
        cti_solve_info info[2];
        ct_real v[3 * N], r[3 * ROWS];
        int i, k;
        d.tolerance = FLOAT ? CTI_R(1e-4) : CTI_R(1e-6);
        bench_make(&t, seed);
        t.p.n_rows = t.n_rows -= 3; /* no joints */
        bordered_open(&q, &t);
        for (k = 0; k < 2; k++) {
            memcpy(v, t.v, sizeof v);
            for (i = 0; i < t.n_rows; i++)
                memcpy(r + 3 * i, t.rows[i].r, sizeof t.rows[i].r), memset(t.rows[i].r, 0, sizeof t.rows[i].r);
            memset(t.v, 0, sizeof t.v), memset(&info[k], 0, sizeof info[k]);
            assert_true(cti_central_solve(&q.J, &q.L, &d, &t.arena, t.v, &info[k]));
            assert_int_equal(info[k].status, CTI_SOLVE_OK);
            assert_true(bench_judge(&t, &info[k].res) <= 2 * d.tolerance);
            assert_true(cti_merged_make(&q.J, 1e9, NULL, &t.arena, &q.L));
        }
        for (i = 0; i < 3 * N; i++)
            assert_true(fabs((double)(v[i] - t.v[i])) < (FLOAT ? 1e-4 : 1e-7));
        for (i = 0; i < 3 * t.n_rows; i++)
            assert_true(fabs((double)(r[i] - t.rows[i / 3].r[i % 3])) < 2 * (double)(d.tolerance * t.p.velocity_scale) / 1e-4); /* a compliance */
        assert_true(abs(info[0].iterations - info[1].iterations) <= 2);
        bordered_close(&q, &t);
    }
}

/* one step of interior point does not reach a solution: ICA solves the islands, and the report counts that */
static void fallbacks_are_counted(void **state)
{
    ct_world_desc d = world_desc(0.004, 0.5, NULL);
    ct_step_report r;
    ct_world *w;
    ct_body_id id;
    double x[3];
    int k, fallbacks = 0;
    (void)state;
    d.solver.solver = CT_SOLVER_INTERIOR, d.solver.budget = 1;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    id = add_soft_box(w, "soft", 0.1, 1, 1e5, 0, 0.055, 0);
    for (k = 0; k < 20; k++) {
        r = step_once(w, 0.01);
        fallbacks += r.solver_fallbacks;
    }
    assert_true(fallbacks >= 10 && r.status <= CT_STATUS_SUBSTEPPED);
    /* the solver is not tried again with this matrix, but with the next one */
    assert_int_equal(w->state.factors.components[0].solve.solver_failed, 1);
    cti_factors_age(&w->state.factors);
    assert_int_equal(w->state.factors.components[0].solve.solver_failed, 0);
    read_middle(w, id, 0, x);
    assert_true(fabs(x[1] - 0.054) < 2e-3);
    ct_world_destroy(w);
}

typedef struct one_refusal {
    long at, count;
} one_refusal;

static void *refuse_one(void *user, void *block, size_t old_size, size_t new_size)
{
    one_refusal *r = (one_refusal *)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return ++r->count == r->at ? NULL : realloc(block, new_size);
}

/* If an allocation of the chosen solver fails, the step returns an error and changes nothing: no other solver replaces it without notice */
static void memory_for_a_solver_is_vital(void **state)
{
    int k, told = 0, ended = 0;
    (void)state;
    for (k = 1; k < 400 && !ended; k++) {
        ct_allocator own;
        one_refusal r;
        ct_world_desc d = world_desc(0.004, 0.5, NULL);
        ct_step_report report;
        ct_world *w;
        ct_code code;
        uint64_t before;
        int i;
        memset(&r, 0, sizeof r), memset(&report, 0, sizeof report);
        own.resize = refuse_one, own.user = &r;
        d.solver.solver = CT_SOLVER_NEWTON, d.allocator = own;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        add_soft_box(w, "soft", 0.1, 1, 1e5, 0, 0.055, 0);
        for (i = 0; i < 3; i++)
            step_once(w, 0.01);
        r.at = r.count + k;
        before = ct_world_hash(w);
        code = ct_world_step(w, CTI_R(0.01), &report);
        ended = r.count < r.at;
        if (!ended) {
            told++;
            assert_int_equal(code, CT_ERR_MEMORY);
            assert_true(ct_world_hash(w) == before);
        }
        r.at = 0;
        assert_int_equal(ct_world_step(w, CTI_R(0.01), &report), CT_OK);
        ct_world_destroy(w);
    }
    assert_true(ended && told > 3);
}

static void creation_names_the_solver(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    ct_error_info e;
    int k;
    (void)state;
    d.solver.solver = CT_SOLVER_GEOMETRIC_CG; /* another stepper's */
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.text, "geometric_cg"));
    for (k = 0; k < CT_SOLVER_COUNT_; k++)
        assert_int_equal(ct_solver_built((ct_solver)k), k != CT_SOLVER_LEMKE && k != CT_SOLVER_BOXED);
    /* solvers of stand-alone problems are refused by name */
    for (k = CT_SOLVER_LEMKE; k <= CT_SOLVER_BOXED; k++) {
        d.solver.solver = (ct_solver)k;
        assert_int_equal(ct_problem_solver_built((ct_solver)k), 1);
        assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
        assert_non_null(strstr(e.text, ct_solver_text((ct_solver)k)));
        assert_non_null(strstr(e.text, "CT_SOLVER_PGS"));
    }
    d.solver.solver = CT_SOLVER_NEWTON, d.solver.cone = CT_CONE_BOX;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.text, "newton"));
    d.solver.cone = CT_CONE_CONE, d.solver.relaxation = 2;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_null(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_judges_agree),
                                       cmocka_unit_test(every_solver_finds_the_solution),
                                       cmocka_unit_test(starts_are_used),
                                       cmocka_unit_test(failures_change_nothing),
                                       cmocka_unit_test(too_many_pairs_are_refused),
                                       cmocka_unit_test(out_of_memory),
                                       cmocka_unit_test(staggered_projections),
                                       PLAIN_TEST(worlds_come_to_the_same_rest)
                                       cmocka_unit_test(newton_steps_take_over),
                                       cmocka_unit_test(merged_factor_solves), cmocka_unit_test(bordered_factor_solves),
                                       cmocka_unit_test(rows_alone_end_where_all_do),
                                       cmocka_unit_test(auto_ends_cloth_between_boxes),
                                       cmocka_unit_test(fallbacks_are_counted),
                                       cmocka_unit_test(creation_names_the_solver), cmocka_unit_test(memory_for_a_solver_is_vital),
        cmocka_unit_test(between_is_what_rows_see), cmocka_unit_test(between_finds_the_solution), cmocka_unit_test(iterations_are_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
