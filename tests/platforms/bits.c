/* bits.c -- one program of which every compiler, optimization, processor and SIMD path must print the same lines: hashes of what the floors
   compute (elementary functions, lanes, collision tests, factors, elements, solvers), and of worlds as they step. Built with contact.h inside,
   as users have it, by tests/test_platforms.py, which compares the lines with tests/platforms/golden.txt.
   usage: bits [STEPS]     length of the three long scenes, default 600; 0: none of them
   Nothing here calls libm but for sqrt: what the scenes are made of is rational. */
#define CTI_SPARE_INSTANCES /* templates in every type */
#define CONTACT_IMPLEMENTATION
#ifdef BITS_CONTACT_H
#include BITS_CONTACT_H
#else
#include "../../contact.h"
#endif
#include <stdio.h>
#include <stdlib.h>

/* the header guards itself only: what follows is this file's */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#define R(x) ((ct_real)(x))

static uint64_t hash;
static void hash_start(void) { hash = 14695981039346656037ull; }
static void hash_bytes(const void *p, size_t n)
{
    const unsigned char *c = (const unsigned char *)p;
    while (n--)
        hash = (hash ^ *c++) * 1099511628211ull;
}
/* what is no number has one hash: its sign and payload are the processor's */
static void hash_double(double x)
{
    uint64_t u = 0x7ff8000000000000ull;
    if (x == x)
        memcpy(&u, &x, sizeof u);
    hash_bytes(&u, sizeof u);
}
static void hash_float(float x) { hash_double((double)x); }
static void hash_reals(const ct_real *x, int n)
{
    for (; n > 0; n--)
        hash_double((double)*x++);
}
static void hash_doubles(const double *x, int n)
{
    for (; n > 0; n--)
        hash_double(*x++);
}
static void hash_floats(const float *x, int n)
{
    for (; n > 0; n--)
        hash_float(*x++);
}
static void say(const char *what)
{
    printf("%d %s %08lx%08lx\n", CONTACT_REAL, what, (unsigned long)(hash >> 32), (unsigned long)(hash & 0xfffffffful));
}
static void need(int ok, const char *what)
{
    if (!ok) {
        printf("%d %s failed\n", CONTACT_REAL, what);
        exit(1);
    }
}

static uint64_t seed = 1;
static double uniform(void) /* in [-1, 1) */
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1.0;
}
/* any finite number of ordinary size, of all exponents between 2^-40 and 2^40 */
static double wild(void)
{
    double x = uniform();
    int e;
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    for (e = (int)(seed >> 60); e > 0; e--)
        x *= seed >> 59 & 1 ? 32 : 1.0 / 32;
    return x;
}

/* ---- 1_math ---- */
static void elementary(void)
{
    double s, c, x[8], y[8], r[8];
    float xf[8], yf[8], rf[8];
    int i, k;
    hash_start();
    for (i = 0; i < 4000; i++) {
        double a = wild(), b = wild();
        hash_double(cti_log64(a * a));
        hash_double(cti_exp64(a > 700 || a < -700 ? uniform() : a));
        cti_sincos64(a, &s, &c);
        hash_double(s), hash_double(c);
        hash_double(cti_acos64(uniform()));
        hash_double(cti_atan2_64(a, b));
        hash_double(cti_cbrt64(a));
    }
    for (i = 0; i < 500; i++) {
        for (k = 0; k < 8; k++) {
            x[k] = wild(), y[k] = wild();
            xf[k] = (float)wild(), yf[k] = (float)wild();
        }
        cti_d8_store(r, cti_d8_atan2(cti_d8_load(x), cti_d8_load(y)));
        hash_doubles(r, 8);
        cti_f8_store(rf, cti_f8_atan2(cti_f8_load(xf), cti_f8_load(yf)));
        hash_floats(rf, 8);
        for (k = 0; k < 8; k++)
            x[k] = x[k] * x[k] + 1e-30, xf[k] = xf[k] * xf[k] + 1e-30f;
        cti_d8_store(r, cti_d8_log(cti_d8_load(x)));
        hash_doubles(r, 8);
        cti_f8_store(rf, cti_f8_log(cti_f8_load(xf)));
        hash_floats(rf, 8);
    }
    say("elementary");
}

#define LANES(V, T, hash_lanes)                                                                                                            \
    static void lanes_##V(void)                                                                                                            \
    {                                                                                                                                      \
        static const double odd[10] = {0.0, -0.0, 1.0, -1.0, 0.0, 1e-310, -1e-310, 2.5, -7.25, 1e30};                                      \
        T a[8], b[8], c[8], r[8], inf = (T)1e38 * (T)1e38;                                                                                 \
        V x, y, z, m, k;                                                                                                                   \
        int i, j, bits;                                                                                                                    \
        for (i = 0; i < 400; i++) {                                                                                                        \
            for (j = 0; j < 8; j++) {                                                                                                      \
                a[j] = (T)(i % 3 ? wild() : odd[(i + 3 * j) % 10]);                                                                        \
                b[j] = (T)(i % 5 ? wild() : odd[(i / 5 + 7 * j) % 10]);                                                                    \
                c[j] = (T)uniform();                                                                                                       \
            }                                                                                                                              \
            if (i % 7 == 0)                                                                                                                \
                a[i % 8] = inf, b[(i + 1) % 8] = inf - inf, a[(i + 2) % 8] = -inf, a[(i + 3) % 8] = inf - inf;                             \
            x = V##_load(a), y = V##_load(b), z = V##_load(c);                                                                             \
            V##_store(r, V##_add(x, y)), hash_lanes(r, 8);                                                                                 \
            V##_store(r, V##_sub(x, y)), hash_lanes(r, 8);                                                                                 \
            V##_store(r, V##_mul(x, y)), hash_lanes(r, 8);                                                                                 \
            V##_store(r, V##_div(x, y)), hash_lanes(r, 8);                                                                                 \
            V##_store(r, V##_min(x, y)), hash_lanes(r, 8);                                                                                 \
            V##_store(r, V##_max(x, y)), hash_lanes(r, 8);                                                                                 \
            V##_store(r, V##_abs(x)), hash_lanes(r, 8);                                                                                    \
            V##_store(r, V##_sqrt(x)), hash_lanes(r, 8);                                                                                   \
            V##_store(r, V##_mad(z, x, y)), hash_lanes(r, 8);                                                                              \
            V##_store(r, V##_nmad(z, x, y)), hash_lanes(r, 8);                                                                             \
            m = V##_and(V##_lt(x, y), V##_le(z, V##_set((T)0.5)));                                                                         \
            V##_store(r, V##_select(m, x, y)), hash_lanes(r, 8);                                                                           \
            bits = V##_bits(m) | V##_bits(V##_lt(x, y)) << 8 | V##_bits(V##_le(x, y)) << 16 | V##_bits(V##_or(m, V##_lt(y, x))) << 24;     \
            hash_bytes(&bits, sizeof bits);                                                                                                \
            r[0] = V##_sum(z), hash_lanes(r, 1);                                                                                           \
            for (j = 0; j < 8; j++)                                                                                                        \
                a[j] = (T)(0.001 + wild() * wild()), a[j] = a[j] > 0 ? a[j] : 1 - a[j];                                                    \
            V##_store(r, V##_split(V##_load(a), &k)), hash_lanes(r, 8);                                                                    \
            V##_store(r, k), hash_lanes(r, 8);                                                                                             \
        }                                                                                                                                  \
    }
LANES(cti_d8, double, hash_doubles)
LANES(cti_f8, float, hash_floats)
static void lanes(void)
{
    float a[16], r[8];
    double d[8];
    int i, j;
    hash_start();
    lanes_cti_d8(), lanes_cti_f8();
    for (i = 0; i < 100; i++) {
        for (j = 0; j < 16; j++)
            a[j] = (float)wild();
        for (j = 0; j < 8; j++)
            d[j] = wild();
        cti_f8_store(r, cti_f8_spread0(cti_f8_load44(a + 3, a + 9))), hash_floats(r, 8);
        cti_f8_store(r, cti_f8_spread1(cti_f8_load(a + 1))), hash_floats(r, 8);
        cti_f8_store(r, cti_f8_spread2(cti_f8_load(a + 5))), hash_floats(r, 8);
        cti_f8_store4(r, cti_f8_fold(cti_f8_load(a + 2))), hash_floats(r, 4);
        cti_f8_store(r, cti_f8_narrow(cti_d8_load(d))), hash_floats(r, 8);
        cti_d8_store(d, cti_d8_widen(cti_f8_load(a + 4))), hash_doubles(d, 8);
    }
    say("lanes");
}

/* ---- 4_geom ---- */
enum { QUERIES = 512 };
static void ccd(void)
{
    static ct_real x0[12 * QUERIES], x1[12 * QUERIES], toi[QUERIES];
    static int32_t quads[4 * QUERIES];
    int i, k, kind;
    ct_real last, before;
    /* points of a coarse lattice, so that many queries touch, miss by nothing, or are degenerate; a part of them at full precision */
    for (i = 0; i < 12 * QUERIES; i++) {
        int fine = i / 12 % 3 == 0;
        x0[i] = R(fine ? uniform() : floor(4 * uniform()) / 4), x1[i] = R(fine ? uniform() : floor(4 * uniform()) / 4);
        if (i / 12 % 5 == 1)
            x1[i] = R((double)x0[i] + 0.25 * uniform());
    }
    for (i = 0; i < 4 * QUERIES; i++)
        quads[i] = i;
    for (kind = 0; kind < 2; kind++) {
        hash_start();
        for (k = 0; k < 3; k++) {
            ct_real distance = R(k == 0 ? 0 : (k == 1 ? 1e-3 : 0.05));
            ct_code code = kind ? ct_ccd_edge_edge_batch(x0, x1, quads, QUERIES, distance, toi)
                                : ct_ccd_vertex_face_batch(x0, x1, quads, QUERIES, distance, toi);
            need(code == CT_OK, "ccd");
            hash_reals(toi, QUERIES);
            for (i = 0; i < QUERIES; i += 4) {
                code = kind ? ct_ccd_edge_edge_backward(x0 + 12 * i, x1 + 12 * i, distance, &last, &before)
                            : ct_ccd_vertex_face_backward(x0 + 12 * i, x1 + 12 * i, distance, &last, &before);
                need(code == CT_OK, "ccd backward");
                hash_reals(&last, 1), hash_reals(&before, 1);
            }
        }
        say(kind ? "ccd_edge_edge" : "ccd_vertex_face");
    }
}

/* ---- 2_linalg ---- */
enum { SIDE = 9, NODES = SIDE * SIDE };
static void factors(void)
{
    static int32_t pairs[4 * NODES], blocks[NODES];
    static double D[40 * 40], x[3 * NODES], X[3 * NODES * 16];
    static float E[40 * 40], y[3 * NODES];
    cti_mem mem;
    cti_bsr A;
    cti_symbolic sym;
    cti_gather g;
    cti_factor32 f32;
    cti_factor64 f64;
    double *work;
    float *work32;
    int i, j, k, n = 0;
    cti_mem_init(&mem, NULL);
    memset(&A, 0, sizeof A), memset(&sym, 0, sizeof sym), memset(&g, 0, sizeof g), memset(&f32, 0, sizeof f32), memset(&f64, 0, sizeof f64);
    for (i = 0; i < NODES; i++) {
        blocks[i] = i;
        if (i % SIDE + 1 < SIDE)
            pairs[2 * n] = i, pairs[2 * n + 1] = i + 1, n++;
        if (i + SIDE < NODES)
            pairs[2 * n] = i, pairs[2 * n + 1] = i + SIDE, n++;
    }
    need(cti_bsr_pattern(&mem, &A, NODES, pairs, n), "pattern");
    for (i = 0; i < NODES; i++)
        for (k = 0; k < 9; k++)
            A.val[9 * A.diag[i] + k] = R(k % 4 == 0 ? 3 + 0.1 * uniform() : 0.02 * (double)(k % 3 + k / 3));
    for (i = 0; i < n; i++) {
        int s = cti_bsr_slot(&A, pairs[2 * i], pairs[2 * i + 1]), t = cti_bsr_slot(&A, pairs[2 * i + 1], pairs[2 * i]);
        for (k = 0; k < 9; k++)
            A.val[9 * s + k] = A.val[9 * t + 3 * (k % 3) + k / 3] = R(0.3 * uniform() - (k % 4 == 0 ? 0.3 : 0));
    }
    need(cti_symbolic_analyze(&mem, &sym, &A, blocks, NODES) && cti_gather_make(&mem, &g, &sym, &A, blocks), "analysis");
    need(cti_factor64_compute(&mem, &f64, &sym, &g, A.val) && cti_factor32_compute(&mem, &f32, &sym, &g, A.val), "factor");
    work = (double *)malloc(sizeof(double) * (cti_factor64_work(&f64) + cti_factor64_many_work(&f64)));
    work32 = (float *)malloc(sizeof(float) * (cti_factor32_work(&f32) + cti_factor32_many_work(&f32)));
    need(work && work32, "memory");
    hash_start();
    for (i = 0; i < 3 * NODES; i++)
        x[i] = uniform(), y[i] = (float)uniform();
    cti_factor64_solve(&f64, x, work), hash_doubles(x, 3 * NODES);
    cti_factor32_solve(&f32, y, work32), hash_floats(y, 3 * NODES);
    for (i = 0; i < 3 * NODES * 16; i++)
        X[i] = uniform();
    cti_factor64_solve_many(&f64, X, 16, work), hash_doubles(X, 3 * NODES * 16);
    say("factor_sparse");
    hash_start();
    for (i = 0; i < 40; i++)
        for (j = 0; j <= i; j++) {
            D[40 * i + j] = D[40 * j + i] = i == j ? 30 + uniform() : uniform();
            E[40 * i + j] = E[40 * j + i] = (float)D[40 * i + j];
        }
    cti_dense64_invert_spd(D, 37, 40), hash_doubles(D, 37 * 40);
    cti_dense32_invert_spd(E, 37, 40), hash_floats(E, 37 * 40);
    say("factor_dense");
    free(work), free(work32);
    cti_factor32_free(&mem, &f32), cti_factor64_free(&mem, &f64);
    cti_gather_free(&mem, &g), cti_symbolic_free(&mem, &sym), cti_bsr_free(&mem, &A);
}

/* ---- 6_model ---- */
static int find(const void *ctx, int i, int j) { return cti_bsr_slot((const cti_bsr *)ctx, i, j); }
static void elements(void)
{
    static const ct_model kinds[7] = {CT_MODEL_COROTATIONAL,    CT_MODEL_STVK,     CT_MODEL_NEOHOOKEAN, CT_MODEL_STABLE_NEOHOOKEAN,
                                      CT_MODEL_HONG_NEOHOOKEAN, CT_MODEL_MEMBRANE, CT_MODEL_SPRINGS};
    ct_real size[3] = {1, 1, 1}, sheet[2] = {1, 1}, *x, *f;
    int cells[3] = {3, 3, 3}, i, k;
    cti_mem mem;
    hash_start();
    cti_mem_init(&mem, NULL);
    for (k = 0; k < 7; k++) {
        ct_material m = ct_material_default(kinds[k]);
        ct_mesh mesh;
        cti_model model;
        cti_rest_mesh rest;
        cti_bsr A;
        int32_t *pairs = NULL;
        int64_t bad;
        double value, energy = 0;
        memset(&mesh, 0, sizeof mesh), memset(&model, 0, sizeof model), memset(&A, 0, sizeof A);
        need((k < 5 ? ct_mesh_box(size, cells, 1, &mesh, NULL) : ct_mesh_grid(sheet, cells, &mesh, NULL)) == CT_OK, "mesh");
        rest = cti_rest_mesh_of(mesh.positions, mesh.n_positions, k < 5 ? mesh.tets : mesh.triangles, k < 5 ? mesh.n_tets : mesh.n_triangles, 0);
        need((k < 5 ? cti_model_init_soft(&mem, &model, &m, &rest, &bad, &value) : cti_model_init_cloth(&mem, &model, &m, &rest, &bad, &value)) == 1,
             "model");
        need(cti_model_pairs(&model, &mem, &pairs) && cti_bsr_pattern(&mem, &A, mesh.n_positions, pairs, (int)stbds_arrlen(pairs) / 2) &&
                 cti_model_slots(&mem, &model, find, &A) == 1, "slots");
        x = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)mesh.n_positions);
        f = (ct_real *)calloc(3 * (size_t)mesh.n_positions, sizeof(ct_real));
        need(x && f, "memory");
        for (i = 0; i < 3 * mesh.n_positions; i++)
            x[i] = mesh.positions[i] + R(0.1 * uniform());
        cti_model_assemble(&model, x, R(0.01), f, A.val, NULL, &energy);
        hash_reals(f, 3 * mesh.n_positions), hash_reals(A.val, 9 * A.row[A.n]), hash_double(energy);
        free(x), free(f);
        cti_array_free(&mem, pairs, sizeof *pairs);
        cti_bsr_free(&mem, &A), cti_model_free(&mem, &model), ct_mesh_free(&mesh);
    }
    say("elements");
}

/* ---- 3_solve: a problem with friction and one with bounds, by every solver ---- */
enum { CHAIN = 6, CONTACTS = 5 };
static void solve(const ct_problem *p, const char *kind)
{
    char what[64];
    int k;
    for (k = 1; k < CT_SOLVER_COUNT_; k++) {
        ct_solver_desc d = ct_solver_desc_default();
        ct_solution s;
        if (!ct_problem_solver_built((ct_solver)k))
            continue;
        memset(&s, 0, sizeof s);
        d.solver = (ct_solver)k, d.tolerance = R(1e-6), d.budget = 300;
        need(ct_problem_solve(p, &d, &s) == CT_OK, ct_solver_text((ct_solver)k));
        hash_start();
        hash_bytes(&s.iterations, sizeof s.iterations);
        if (s.x && s.r)
            hash_doubles(s.x, s.n), hash_doubles(s.r, s.m);
        sprintf(what, "%s_%s_%s", kind, ct_solver_text((ct_solver)k), ct_outcome_text(s.outcome));
        say(what);
        ct_solution_free(&s);
    }
}
static void solvers(void)
{
    enum { N = 3 * CHAIN, M = 3 * CONTACTS };
    static int32_t Ap[N + 1], Ai[N * N], Jp[M + 1], Ji[M * N], Wp[M + 1], Wi[M * M];
    static double Ax[N * N], Jx[M * N], Wx[M * M], b[N], w[M], mu[CONTACTS], C[M * M];
    ct_problem_desc d = ct_problem_desc_default();
    ct_problem *p = NULL;
    int i, j, k, n = 0;
    for (i = 0; i < N; i++) {
        Ap[i] = n;
        for (j = 0; j < N; j++)
            if (i / 3 - j / 3 <= 1 && j / 3 - i / 3 <= 1)
                Ai[n] = j, Ax[n++] = i == j ? 5 + (double)(i % 4) : (i % 3 == j % 3 ? -1.25 : 0.125);
        b[i] = i % 3 == 0 ? -1 : 0.4 * uniform();
    }
    Ap[N] = n, n = 0;
    for (i = 0; i < M; i++) {
        Jp[i] = n;
        for (j = 0; j < 3; j++) /* rows n, t1, t2 of an orthonormal frame with rational entries, on two neighbours */
            for (k = 0; k < 2; k++) {
                static const double frame[9] = {0.8, 0.6, 0, -0.6, 0.8, 0, 0, 0, 1};
                double turn = i / 3 % 2 ? frame[3 * (i % 3) + j] : (i % 3 == j ? 1 : 0);
                if (turn != 0)
                    Ji[n] = 3 * (i / 3 + k) + j, Jx[n++] = k ? -turn : turn;
            }
        w[i] = i % 3 ? 0 : -0.05 + 0.01 * uniform(), mu[i / 3] = 0.1 * (double)(i / 3 + 1);
    }
    Jp[M] = n;
    d.kind = CT_PROBLEM_GLOBAL;
    d.A.rows = d.A.cols = N, d.A.p = Ap, d.A.i = Ai, d.A.x = Ax;
    d.J.rows = M, d.J.cols = N, d.J.p = Jp, d.J.i = Ji, d.J.x = Jx;
    d.b = b, d.w = w, d.mu = mu;
    need(ct_problem_create(&d, &p, NULL) == CT_OK, "friction problem");
    solve(p, "friction");
    ct_problem_free(p), p = NULL;
    /* W = C C' + I / 4 */
    for (i = 0; i < M * M; i++)
        C[i] = uniform();
    for (i = 0; i < M; i++)
        for (Wp[i] = M * i, w[i] = uniform(), j = 0; j < M; j++) {
            double s = i == j ? 0.25 : 0;
            for (k = 0; k < M; k++)
                s += C[M * i + k] * C[M * j + k];
            Wi[M * i + j] = j, Wx[M * i + j] = s;
        }
    Wp[M] = M * M;
    d = ct_problem_desc_default();
    d.kind = CT_PROBLEM_LCP, d.w = w;
    d.W.rows = d.W.cols = M, d.W.p = Wp, d.W.i = Wi, d.W.x = Wx;
    need(ct_problem_create(&d, &p, NULL) == CT_OK, "bounds problem");
    solve(p, "bounds");
    ct_problem_free(p);
}

/* ---- worlds ---- */
static ct_mesh box(double x, double y, double z, int cells, int tets)
{
    ct_mesh m;
    ct_real size[3];
    int n[3];
    memset(&m, 0, sizeof m);
    size[0] = R(x), size[1] = R(y), size[2] = R(z), n[0] = n[1] = n[2] = cells;
    need(ct_mesh_box(size, n, tets, &m, NULL) == CT_OK, "box");
    return m;
}
static ct_mesh grid(double side, int cells)
{
    ct_mesh m;
    ct_real size[2];
    int n[2];
    memset(&m, 0, sizeof m);
    size[0] = size[1] = R(side), n[0] = n[1] = cells;
    need(ct_mesh_grid(size, n, &m, NULL) == CT_OK, "grid");
    return m;
}
/* turned about z and x by the angles of the triangle 3 4 5 (turned 0: not), then moved */
static void place(ct_mesh *m, int turned, double x, double y, double z)
{
    int i;
    for (i = 0; i < m->n_positions; i++) {
        ct_real *p = m->positions + 3 * i, a = p[0], b = p[1], c;
        if (turned) {
            p[0] = R(0.8) * a - R(0.6) * b, p[1] = R(0.6) * a + R(0.8) * b;
            b = p[1], c = p[2];
            p[1] = R(0.8) * b - R(0.6) * c, p[2] = R(0.6) * b + R(0.8) * c;
        }
        p[0] += R(x), p[1] += R(y), p[2] += R(z);
    }
}
static ct_world *world_new(ct_stepper stepper, ct_integrator integrator, ct_solver solver, double friction)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    d.stepper = stepper, d.integrator = integrator, d.solver.solver = solver, d.friction = R(friction), d.thickness = R(2e-3);
    need(ct_world_create(&d, &w, NULL) == CT_OK, "world");
    return w;
}
static void add_floor(ct_world *w, double x, double y)
{
    ct_static_desc d = ct_static_desc_default();
    ct_body_id id;
    d.plane_normal[0] = R(x), d.plane_normal[1] = R(y), d.plane_normal[2] = 0, d.plane_offset = 0;
    need(ct_body_add_static(w, &d, &id) == CT_OK, "floor");
}
static ct_body_id add_soft(ct_world *w, ct_mesh m, const ct_mesh *surface, ct_model model, double young)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id;
    d.mesh = &m, d.surface = surface, d.material = ct_material_default(model);
    d.material.young = R(young), d.material.damping_stiffness = R(0.002);
    need(ct_body_add_soft(w, &d, &id) == CT_OK, "soft body");
    ct_mesh_free(&m);
    return id;
}
static ct_body_id add_cloth(ct_world *w, ct_mesh m, ct_model model, double limit)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_body_id id;
    d.mesh = &m, d.material = ct_material_default(model), d.material.strain_limit = R(limit);
    need(ct_body_add_cloth(w, &d, &id) == CT_OK, "cloth");
    ct_mesh_free(&m);
    return id;
}
static ct_body_id add_rigid(ct_world *w, ct_mesh m, double spin)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id;
    d.mesh = &m, d.angular_velocity[0] = R(spin), d.angular_velocity[2] = R(0.5 * spin);
    need(ct_body_add_rigid(w, &d, &id) == CT_OK, "rigid body");
    ct_mesh_free(&m);
    return id;
}
static void add_paddle(ct_world *w, ct_mesh m, double x, double y, double speed, double spin)
{
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_body_id id;
    d.mesh = &m, d.motion.linear[0] = R(speed), d.motion.angular[1] = R(spin);
    d.motion.center[0] = R(x), d.motion.center[1] = R(y);
    need(ct_body_add_kinematic(w, &d, &id) == CT_OK, "paddle");
    ct_mesh_free(&m);
}

/* five soft boxes, one of each material, fall over each other; one more is an embedded sphere; a paddle turns in them */
static ct_world *pile(ct_stepper stepper, ct_solver solver)
{
    static const ct_model kinds[5] = {CT_MODEL_COROTATIONAL, CT_MODEL_STABLE_NEOHOOKEAN, CT_MODEL_NEOHOOKEAN, CT_MODEL_STVK,
                                      CT_MODEL_HONG_NEOHOOKEAN};
    ct_world *w = world_new(stepper, CT_INTEGRATOR_EULER, solver, 0.5);
    ct_mesh m, ball;
    int i;
    add_floor(w, 0, 1);
    for (i = 0; i < 5; i++) {
        m = box(0.2, 0.2, 0.2, 2, 1);
        place(&m, i % 2, 0.06 * (double)(i % 3), 0.2 + 0.3 * (double)i, 0.05 * (double)(i % 2));
        add_soft(w, m, NULL, kinds[i], 4e4);
    }
    if (stepper == CT_STEPPER_CMR) { /* what CT_STEPPER_DCD does not take */
        memset(&ball, 0, sizeof ball), memset(&m, 0, sizeof m);
        need(ct_mesh_sphere(R(0.12), 1, &ball, NULL) == CT_OK, "sphere");
        place(&ball, 0, -0.3, 0.3, 0);
        need(ct_mesh_tetrahedralize(&ball, R(0.12), &m, NULL) == CT_OK, "lattice");
        add_soft(w, m, &ball, CT_MODEL_COROTATIONAL, 3e4);
        ct_mesh_free(&ball);
        m = box(0.5, 0.06, 0.06, 1, 0);
        place(&m, 0, 0.3, 0.12, 0.4);
        add_paddle(w, m, 0.3, 0.12, 0, 0.8);
    }
    return w;
}
/* a limited sheet of springs that hangs by two corners on a turning sphere, a membrane that falls on both, and folds */
static ct_world *sheets(ct_integrator integrator)
{
    ct_world *w = world_new(CT_STEPPER_CMR, integrator, CT_SOLVER_ICA, 0.3);
    int32_t corners[2] = {0, 8};
    ct_mesh m;
    ct_body_id id;
    add_floor(w, 0, 1);
    memset(&m, 0, sizeof m);
    need(ct_mesh_sphere(R(0.25), 2, &m, NULL) == CT_OK, "sphere");
    place(&m, 0, 0, 0.3, 0);
    add_paddle(w, m, 0, 0.3, 0, 2);
    m = grid(0.8, 8), place(&m, 0, 0.05, 0.6, 0.02);
    id = add_cloth(w, m, CT_MODEL_SPRINGS, 0.1);
    need(ct_body_pin(w, id, corners, 2, CT_AXIS_ALL, NULL, 2.5) == CT_OK, "pins");
    m = grid(0.7, 8), place(&m, 1, -0.03, 0.95, 0.04);
    add_cloth(w, m, CT_MODEL_MEMBRANE, 0);
    return w;
}
/* a chain with every joint between rigid bodies over a slope, loose boxes, a soft box and a strip of cloth that is stitched to one */
static ct_world *chain(ct_integrator integrator, ct_solver solver)
{
    ct_world *w = world_new(CT_STEPPER_CMR, integrator, solver, 0.4);
    ct_body_id before, next, cloth;
    ct_joint_id joint;
    ct_joint_desc d;
    ct_mesh m;
    int i;
    add_floor(w, R(0.28), R(0.96));
    add_floor(w, -1, 0), add_floor(w, R(-0.28), R(0.96));
    memset(&before, 0, sizeof before);
    for (i = 0; i < 6; i++) {
        m = box(0.12, 0.12, 0.12, 1, 0), place(&m, 0, -0.9 + 0.16 * (double)i, 1.3, 0);
        next = add_rigid(w, m, 0);
        d = ct_joint_desc_default(i % 3 == 0 ? CT_JOINT_BALL : (i % 3 == 1 ? CT_JOINT_HINGE : CT_JOINT_FIXED));
        d.a.body = before, d.b.body = next;
        d.point[0] = R(-0.98 + 0.16 * (double)i), d.point[1] = R(1.3);
        d.axis[0] = 0, d.axis[1] = 0, d.axis[2] = 1;
        d.compliance = R(i == 3 ? 1e-5 : 0);
        need(ct_joint_add(w, &d, &joint) == CT_OK, "joint");
        before = next;
    }
    for (i = 0; i < 6; i++) {
        m = box(0.16, 0.1 + 0.02 * (double)i, 0.14, 1, 0);
        place(&m, i % 2, -0.6 + 0.02 * (double)i, 0.5 + 0.25 * (double)i, 0.03 * (double)(i % 3));
        add_rigid(w, m, i % 2 ? 3 : -2);
    }
    m = box(0.2, 0.2, 0.2, 2, 1), place(&m, 1, -0.7, 2.1, 0.02);
    add_soft(w, m, NULL, CT_MODEL_STABLE_NEOHOOKEAN, 5e4);
    m = grid(0.4, 4), place(&m, 0, 0.18, 1.3, 0);
    cloth = add_cloth(w, m, CT_MODEL_SPRINGS, 0.1);
    d = ct_joint_desc_default(CT_JOINT_STITCH);
    d.a.body = before, d.b.body = cloth;
    d.a.vertices[0] = 1, d.b.vertices[0] = 2;
    need(ct_joint_add(w, &d, &joint) == CT_OK, "stitch");
    return w;
}

/* hashes of all steps so far, said at a few of them, so that the first that differs is near */
static void run(ct_world *w, const char *name, int steps)
{
    static const int at[] = {10, 30, 60, 150, 300, 600};
    char what[64];
    int i, k, contacts = 0, worst = 0;
    hash_start();
    for (i = 1; i <= steps; i++) {
        ct_step_report r;
        uint64_t h;
        need(ct_world_step(w, R(0.01), &r) == CT_OK, name);
        h = ct_world_hash(w);
        hash_bytes(&h, sizeof h);
        hash_double((double)r.residual), hash_double(r.energy_kinetic), hash_double(r.energy_elastic), hash_double((double)r.min_distance);
        contacts = r.contacts > contacts ? r.contacts : contacts, worst = (int)r.status > worst ? (int)r.status : worst;
        for (k = 0; k < (int)(sizeof at / sizeof *at); k++)
            if (i == at[k] || (i == steps && steps < at[0] && k == 0)) {
                sprintf(what, "%s_%d", name, i);
                say(what);
                fflush(stdout);
            }
    }
    fprintf(stderr, "%s: %d steps, at most %d contacts, worst status %s\n", name, steps, contacts, ct_status_text((ct_status)worst));
    ct_world_destroy(w);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 600;
    fprintf(stderr, "simd %s, real %d\n", ct_library_info_get()->simd, CONTACT_REAL);
    elementary(), lanes(), ccd(), factors(), elements(), solvers();
    run(pile(CT_STEPPER_DCD, CT_SOLVER_MPRGP), "dcd", 30);
    run(pile(CT_STEPPER_CMR, CT_SOLVER_NEWTON), "newton", 30);
    run(sheets(CT_INTEGRATOR_NEWMARK), "newmark", 30);
    run(chain(CT_INTEGRATOR_BDF2, CT_SOLVER_AUTO), "bdf2", 30);
    if (steps > 0) {
        run(pile(CT_STEPPER_CMR, CT_SOLVER_ICA), "pile", steps);
        run(sheets(CT_INTEGRATOR_EULER), "sheets", steps);
        run(chain(CT_INTEGRATOR_EULER, CT_SOLVER_ICA), "chain", steps);
    }
    return 0;
}
