/* test_explicit.c -- the explicit stepper: contact forces against enumeration, forces and derivatives of distances by finite differences, order
   of the Runge-Kutta rule, contacts that are held, what they store and release, squeezed contacts, statuses and refusals. */
#include "world_util.h"
#include "../src/9_world/world.h"

#define FLOAT (CONTACT_REAL == 32)
#define H (FLOAT ? 3e-3 : 1e-5) /* of finite differences */

static double span(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * lcg(seed); }

/* ---- contact forces ---- */

enum { MOST = 6, LD = 8 };

/* Gauss elimination of the rows and columns of a set; 0: singular */
static int solve_set(const double *K, const double *b, int n, int set, double *f)
{
    double A[MOST][MOST + 1];
    int at[MOST], m = 0, i, j, k;
    for (i = 0; i < n; i++) {
        f[i] = 0;
        if (set >> i & 1)
            at[m++] = i;
    }
    for (i = 0; i < m; i++) {
        for (j = 0; j < m; j++)
            A[i][j] = K[at[i] * n + at[j]];
        A[i][m] = -b[at[i]];
    }
    for (k = 0; k < m; k++) {
        int best = k;
        for (i = k; i < m; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        if (fabs(A[best][k]) < 1e-9)
            return 0;
        for (j = 0; j <= m; j++) {
            double t = A[k][j];
            A[k][j] = A[best][j], A[best][j] = t;
        }
        for (i = 0; i < m; i++) {
            double q = A[i][k] / A[k][k];
            for (j = k; i != k && j <= m; j++)
                A[i][j] -= q * A[k][j];
        }
    }
    for (i = 0; i < m; i++)
        f[at[i]] = A[i][m] / A[i][i];
    return 1;
}

/* accelerations K f + b of some solution, found by trying every active set; 0: there is none */
static int enumerate(const double *K, const double *b, int n, double *u)
{
    double f[MOST];
    int set, i, j, good;
    for (set = 0; set < 1 << n; set++) {
        if (!solve_set(K, b, n, set, f))
            continue;
        for (i = 0, good = 1; i < n; i++) {
            u[i] = b[i];
            for (j = 0; j < n; j++)
                u[i] += K[i * n + j] * f[j];
            good &= f[i] >= -1e-9 && u[i] >= -1e-9;
        }
        if (good)
            return 1;
    }
    return 0;
}

/* 1,000 problems J J' with more and with fewer rows than unknowns. Accelerations are unique, forces are not where rows depend on each other */
static void forces_against_enumeration(void **state)
{
    uint64_t seed = 26;
    int turn, i, j, k, squeezed = 0, dependent = 0;
    (void)state;
    for (turn = 0; turn < 1000; turn++) {
        double A[MOST * LD] = {0};
        double K[MOST * MOST], J[MOST][MOST], b[MOST], u[MOST], f[MOST], work[(2 * MOST + 9) * LD], natural = 0, y[MOST], gain = 0, top = 0;
        uint8_t active[MOST];
        int32_t lo[MOST] = {0}, hi[MOST];
        cti_explicit_system system = {A, lo, hi, 0, LD};
        int n = 1 + (int)(lcg(&seed) * MOST), columns = 1 + (int)(lcg(&seed) * MOST), there;
        cti_explicit_outcome outcome;
        dependent += columns < n;
        for (i = 0; i < n; i++) {
            b[i] = span(&seed, -1, 0.6), active[i] = lcg(&seed) < 0.5;
            for (k = 0; k < columns; k++) /* halves, so that dependent rows are common, and opposite ones */
                J[i][k] = floor(span(&seed, -2, 3)) / 2;
            J[i][(int)(lcg(&seed) * columns)] += 1.25;
            for (k = 0; i > 0 && turn % 3 == 0 && k < columns; k++) /* opposite sides of one node */
                J[i][k] = turn % 2 ? -J[i - 1][k] : J[i - 1][k];
        }
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                for (K[i * n + j] = 0, k = 0; k < columns; k++)
                    K[i * n + j] += J[i][k] * J[j][k];
        for (i = 0; i < n; i++)
            memcpy(A + i * LD, K + i * n, sizeof *A * (size_t)n);
        there = enumerate(K, b, n, u);
        system.n = n;
        for (i = 0; i < n; i++)
            hi[i] = n - 1;
        outcome = cti_explicit_program(&system, b, 1, active, f, work, &natural);
        if (!there) {
            squeezed++;
            assert_int_equal(outcome, CTI_EXPLICIT_SQUEEZED);
            for (i = 0; i < n; i++)
                top = fmax(top, f[i]);
            for (i = 0; i < n; i++) {
                assert_true(f[i] >= 0);
                for (y[i] = 0, j = 0; j < n; j++)
                    y[i] += K[i * n + j] * f[j] / top;
                gain += b[i] * f[i] / top;
                assert_true(fabs(y[i]) < 1e-4);
            }
            assert_true(gain < -1e-6);
            continue;
        }
        if (outcome != CTI_EXPLICIT_SOLVED)
            fail_msg("case %d: outcome %d, n %d, columns %d, natural %g", turn, (int)outcome, n, columns, natural);
        for (i = 0; i < n; i++) {
            double a = b[i];
            for (j = 0; j < n; j++)
                a += K[i * n + j] * f[j];
            assert_true(f[i] >= 0 && fabs(a - u[i]) < 1e-6 && fabs(f[i] * a) < 1e-6);
        }
    }
    if (!(squeezed > 50 && dependent > 200))
        fail_msg("%d squeezed, %d dependent", squeezed, dependent);
}

/* three contacts without accelerations need no forces, whatever the arrays held; accelerations that are not numbers are no solution */
static void forces_of_no_accelerations(void **state)
{
    const double rows[][3] = {{0, 0, 0}, {NAN, NAN, NAN}, {-1, NAN, 0}, {-1, INFINITY, 0}, {0, 0, -INFINITY}};
    double A[3 * LD] = {0}, f[3], work[(2 * 3 + 9) * LD], natural;
    int32_t lo[3] = {0}, hi[3] = {2, 2, 2};
    uint8_t active[3];
    cti_explicit_system system = {A, lo, hi, 3, LD};
    int i, k;
    (void)state;
    for (i = 0; i < 3; i++)
        A[i * LD + i] = 2;
    for (k = 0; k < 5; k++) {
        cti_explicit_outcome outcome;
        for (i = 0; i < 3; i++)
            f[i] = 7, active[i] = 1;
        outcome = cti_explicit_program(&system, rows[k], k % 2, active, f, work, &natural);
        if (outcome != (k ? CTI_EXPLICIT_FAILED : CTI_EXPLICIT_SOLVED))
            fail_msg("case %d: outcome %d", k, (int)outcome);
        for (i = 0; i < 3; i++)
            assert_true(f[i] == 0 && active[i] == 0);
    }
    A[0 * LD + 1] = A[1 * LD + 0] = NAN; /* nor is a matrix that is not one */
    for (i = 0; i < 3; i++)
        f[i] = 7;
    assert_int_equal(cti_explicit_program(&system, rows[1 + 2], 1, active, f, work, &natural), CTI_EXPLICIT_FAILED);
    assert_true(f[0] == 0 && f[1] == 0 && f[2] == 0);
    {
        const double pushes[3] = {-1, -1, -1};
        assert_int_equal(cti_explicit_program(&system, pushes, 1, active, f, work, &natural), CTI_EXPLICIT_FAILED);
        assert_true(f[0] == 0 && f[1] == 0 && f[2] == 0 && !(natural <= 1e-6));
    }
}

/* ---- worlds ---- */

static ct_world_desc desc_of(void)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    d.stepper = CT_STEPPER_EXPLICIT;
    d.self_collision = 0;
    return d;
}

static ct_body_id add_soft(ct_world *w, const char *name, const ct_mesh *m, double young, double poisson, double damping, const double *at,
                           const double *v)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    int k;
    d.name = name, d.mesh = m, d.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
    d.material.young = (ct_real)young, d.material.poisson = (ct_real)poisson, d.material.damping_stiffness = (ct_real)damping;
    for (k = 0; k < 3; k++)
        d.position[k] = (ct_real)at[k], d.velocity[k] = (ct_real)(v ? v[k] : 0);
    if (ct_body_add_soft(w, &d, &id) != CT_OK)
        fail_msg("%s", ct_world_error(w)->text);
    return id;
}

static ct_body_id add_box(ct_world *w, double size, int n, double young, double poisson, double damping, double x, double y, double z, double vy)
{
    ct_mesh m = mesh_box(size, size, size, n, n, n, 1);
    double at[3], v[3] = {0, 0, 0};
    ct_body_id id;
    at[0] = x, at[1] = y, at[2] = z, v[1] = vy;
    id = add_soft(w, "soft", &m, young, poisson, damping, at, v);
    ct_mesh_free(&m);
    return id;
}

/* volume over that at rest of a soft body whose mesh is a box of tetrahedra */
static double volume_of(const ct_world *w, ct_body_id id, const ct_mesh *m)
{
    double *x = read_vectors(w, id, 0, NULL), sum = 0;
    int e, i, k;
    for (e = 0; e < m->n_tets; e++) {
        double a[3][3];
        for (i = 0; i < 3; i++)
            for (k = 0; k < 3; k++)
                a[i][k] = x[3 * m->tets[4 * e + i + 1] + k] - x[3 * m->tets[4 * e] + k];
        sum += (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0])) / 6;
    }
    free(x);
    return sum;
}

/* the state of a prepared world; one tiny step prepares it */
static cti_state *prepared(ct_world *w)
{
    step_once(w, 1e-9);
    return &w->state;
}

/* ---- forces ---- */

static void forces_by_differences(void **state)
{
    int kind, i, k;
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        ct_world_desc d = desc_of();
        ct_world *w;
        cti_state *s;
        ct_real *x, *v, *f, *g;
        double slow;
        double power = 0, scale = 0;
        uint64_t seed = 3;
        d.rk.element_pressure = kind;
        w = world_make(&d);
        add_box(w, 0.1, 2, 1e5, 0.45, 1e-2, 0, 0, 0, 0);
        s = prepared(w);
        x = (ct_real *)malloc(sizeof *x * 12 * (size_t)s->n), v = x + 3 * s->n, f = v + 3 * s->n, g = f + 3 * s->n;
        for (i = 0; i < 3 * s->n; i++)
            x[i] = s->x[i] * (ct_real)1.2 + (ct_real)span(&seed, -0.005, 0.005), v[i] = (ct_real)span(&seed, -1, 1);
        power = cti_explicit_forces(s, x, v, g);
        memset(v, 0, sizeof *v * 3 * (size_t)s->n);
        slow = cti_explicit_forces(s, x, v, f);
        for (i = 0; i < 3 * s->n; i++)
            scale = fmax(scale, fabs((double)f[i]));
        assert_true(power < 0 && slow == 0);
        for (i = 0; i < 3 * s->n; i += 5) {
            ct_real at = x[i], h = (ct_real)(H * 0.1);
            double e[2];
            for (k = 0; k < 2; k++)
                x[i] = at + (k ? h : -h), e[k] = cti_explicit_elastic(s, x);
            x[i] = at;
            assert_true(fabs((double)f[i] + (e[1] - e[0]) / (2 * (double)h)) < (FLOAT ? 3e-2 : 1e-6) * scale);
        }
        /* a rigid motion is not damped */
        for (i = 0; i < s->n; i++)
            cti_v3_put(v, i, cti_v3_add(cti_v3_cross(cti_v3_make(1, 2, -3), cti_v3_at(x, i)), cti_v3_make(1, 0, 2)));
        power = cti_explicit_forces(s, x, v, g);
        assert_true(fabs(power) < (FLOAT ? 1e-3 : 1e-10) * scale);
        for (i = 0; i < 3 * s->n; i++)
            assert_true(fabs((double)(g[i] - f[i])) < (FLOAT ? 1e-3 : 1e-11) * scale);
        free(x);
        ct_world_destroy(w);
    }
}

/* ---- distances ---- */

/* a soft box, a rigid one and a rolled kinematic one near each other; y: random places and velocities */
static void random_motion(const cti_state *s, uint64_t *seed, ct_real *y, ct_real *a)
{
    int i;
    for (i = 0; i < 3 * s->n; i++) {
        y[i] = s->x[i] + (ct_real)span(seed, -0.01, 0.01), y[3 * s->n + i] = (ct_real)span(seed, -1, 1);
        a[i] = (ct_real)span(seed, -10, 10);
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        memcpy(y + 6 * s->n + 4 * i, s->bodies.rigids[i].q, 4 * sizeof *y);
        y[3 * (s->n + s->bodies.rigids[i].block + 1)] = 3; /* it rotates */
        memset(a + 3 * (s->bodies.rigids[i].block + 1), 0, 3 * sizeof *a);
    }
}

/* the state after t, with constant accelerations and angular velocities */
static void motion_at(const cti_state *s, const ct_real *y, const ct_real *a, double t, ct_real *out)
{
    int i, n3 = 3 * s->n;
    for (i = 0; i < n3; i++) {
        out[i] = y[i] + (ct_real)t * (y[n3 + i] + (ct_real)t / 2 * a[i]);
        out[n3 + i] = y[n3 + i] + (ct_real)t * a[i];
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        cti_rigid_turn(y + 2 * n3 + 4 * i, cti_v3_mul(cti_v3_at(y + n3, s->bodies.rigids[i].block + 1), (ct_real)t), out + 2 * n3 + 4 * i);
}

static void measure_at(cti_state *s, const ct_real *y, double t, cti_explicit_touch *c)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        cti_rigid_matrix(y + 6 * s->n + 4 * i, cti_explicit_own(s)->frames + 9 * i);
    assert_true(cti_explicit_measure(s, y, t, c));
}

/* d' and d'' of vertices and faces, and of edges, on bodies that rotate and slide, against differences of d; without the terms of n' they
   would be wrong */
static void distances_by_differences(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w = world_make(&d);
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_body_id id;
    cti_state *s;
    ct_real *y, *a, *z;
    uint64_t seed = 5;
    int turn, k, i, matters = 0, tested = 0;
    double h = FLOAT ? 5e-3 : 1e-4;
    (void)state;
    add_box(w, 0.1, 1, 1e5, 0.4, 0, 0, 0, 0, 0);
    add_box(w, 0.1, 1, 1e5, 0.4, 0, 0, 0.3, 0, 0);
    rd.mesh = &m, rd.position[1] = (ct_real)0.15;
    assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
    s = prepared(w);
    y = (ct_real *)malloc(sizeof *y * 3 * (size_t)(9 * s->n + 64)), a = y + 9 * s->n + 64, z = a + 9 * s->n + 64;
    for (turn = 0; turn < 300; turn++) {
        cti_explicit_touch c;
        double e[3], rate, second;
        int edges = turn % 2, p = (int)(lcg(&seed) * (edges ? s->surface.ne : s->surface.nv)),
            q = (int)(lcg(&seed) * (edges ? s->surface.ne : s->surface.nf));
        memset(&c, 0, sizeof c);
        c.sign = 1;
        cti_pair_make(&s->surface, edges ? CT_PAIR_EE : CT_PAIR_VF, p, q, &c.pair);
        if (s->surface.body_of[c.pair.v[0]] == s->surface.body_of[c.pair.v[3]])
            continue;
        random_motion(s, &seed, y, a);
        for (k = -1; k < 2; k++) {
            motion_at(s, y, a, k * h, z);
            measure_at(s, z, 0, &c);
            e[k + 1] = (double)c.d;
        }
        measure_at(s, y, 0, &c);
        if (edges) { /* almost parallel edges have no normal */
            cti_v3 e1 = cti_v3_sub(cti_v3_at(s->surface.x0, c.pair.v[1]), cti_v3_at(s->surface.x0, c.pair.v[0]));
            cti_v3 e2 = cti_v3_sub(cti_v3_at(s->surface.x0, c.pair.v[3]), cti_v3_at(s->surface.x0, c.pair.v[2]));
            if (cti_v3_norm(cti_v3_cross(e1, e2)) < (ct_real)0.5 * cti_v3_norm(e1) * cti_v3_norm(e2))
                continue;
        }
        rate = (e[2] - e[0]) / (2 * h), second = (e[2] - 2 * e[1] + e[0]) / (h * h);
        for (i = 0; i < c.n; i++)
            c.bias += cti_v3_dot(c.entry[i].g, cti_v3_at(a, c.entry[i].block));
        tested++;
        if (fabs(rate - (double)c.rate) > (FLOAT ? 5e-2 : 1e-3) * (1 + fabs(rate)) ||
            fabs(second - (double)c.bias) > (FLOAT ? 0.5 : 2e-2) * (1 + fabs(second)))
            fail_msg("turn %d: d' %g, expected %g; d'' %g, expected %g", turn, (double)c.rate, rate, (double)c.bias, second);
        {
            double plain = 0; /* n . (a_a - a_b) alone */
            for (i = 0; i < c.n; i++)
                plain += (double)cti_v3_dot(c.entry[i].g, cti_v3_at(a, c.entry[i].block));
            matters += fabs(plain - second) > 0.2 * (1 + fabs(second));
        }
    }
    assert_true(tested > 60 && matters > tested / 2);
    ct_mesh_free(&m);
    free(y);
    ct_world_destroy(w);
}

/* ---- order ---- */

/* positions after 20 ms of a stretched box in free flight; with rotation */
static double *flight(double fixed, double tolerance, int extrapolate, int *n, ct_rk_report *rk)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_body_id id;
    ct_step_report r;
    double *x;
    ct_real *q;
    int i;
    d.rk.fixed_step = (ct_real)fixed, d.rk.tolerance = (ct_real)tolerance, d.rk.extrapolate = extrapolate;
    w = world_make(&d);
    id = add_box(w, 0.1, 1, 2e4, 0.4, 1e-3, 0, 0, 0, 0);
    x = read_vectors(w, id, 0, n);
    q = (ct_real *)malloc(sizeof *q * 3 * (size_t)*n);
    for (i = 0; i < *n; i++) { /* it turns, and is stretched by velocities */
        q[3 * i] = (ct_real)(4 * x[3 * i] - 8 * x[3 * i + 1]), q[3 * i + 1] = (ct_real)(8 * x[3 * i]), q[3 * i + 2] = (ct_real)(-3 * x[3 * i + 2]);
    }
    assert_int_equal(ct_body_set_velocities(w, id, q, *n), CT_OK);
    r = step_once(w, 0.02);
    if (rk)
        *rk = r.rk;
    free(x), free(q);
    x = read_vectors(w, id, 0, n);
    ct_world_destroy(w);
    return x;
}

static double apart(const double *x, const double *y, int n)
{
    double most = 0;
    int i;
    for (i = 0; i < 3 * n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* slope 4 against a fixed step, 5 with extrapolation; .8 to 1 against the tolerance */
static void order_of_steps(void **state)
{
    double error[2][2], slope, *best, *x;
    int n, k, e;
    ct_rk_report rk;
    (void)state;
    if (FLOAT)
        return;
    best = flight(2e-5, 1, 1, &n, NULL);
    for (e = 0; e < 2; e++) {
        for (k = 0; k < 2; k++) {
            x = flight((e ? 4e-4 : 2e-4) / (1 << k), 1, e, &n, NULL);
            error[e][k] = apart(x, best, n);
            free(x);
        }
        slope = log2(error[e][0] / error[e][1]);
        if (fabs(slope - (e ? 5 : 4)) > 0.4)
            fail_msg("extrapolate %d: errors %g, %g: slope %g", e, error[e][0], error[e][1], slope);
    }
    for (k = 0; k < 2; k++) {
        x = flight(0, k ? 1e-8 : 1e-6, 0, &n, &rk);
        error[0][k] = apart(x, best, n);
        free(x);
        assert_true(rk.accepted > 3 && rk.dt_history[0] > 0 && rk.dt_least <= rk.dt_most && rk.evaluations == 11 * (rk.accepted + rk.rejected));
    }
    slope = log10(error[0][0] / error[0][1]) / 2;
    if (!(slope > 0.7 && slope < 1.1))
        fail_msg("errors %g, %g: slope %g against the tolerance", error[0][0], error[0][1], slope);
    free(best);
}

/* ---- contacts ---- */

/* a soft box falls on another, which falls on a plane; returns the part of the energies' flow that the account misses */
static double pile(double tolerance)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_mesh m = mesh_box(0.04, 0.04, 0.04, 3, 3, 3, 1);
    double at[2][3] = {{0, 0.021, 0}, {0.003, 0.063, 0.002}}, v[3] = {0, -0.3, 0}, before[2], edge = 0.0145, gained = 0, moved = 0;
    ct_body_id id[2];
    int i, held = 0, k;
    d.rk.tolerance = (ct_real)tolerance;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (k = 0; k < 2; k++)
        id[k] = add_soft(w, k ? "upper" : "lower", &m, 1e5, 0.49, 1e-3, at[k], k ? v : NULL), before[k] = volume_of(w, id[k], &m);
    for (i = 0; i < 25; i++) {
        ct_step_report r = step_once(w, 0.01);
        if (r.status > CT_STATUS_BUDGET || r.rk.squeezed || r.rk.left)
            fail_msg("step %d: status %d, gained %g, squeezed %d, left %d", i, (int)r.status, r.energy_gained, r.rk.squeezed, r.rk.left);
        assert_true((double)r.rk.penetration_held < 1e-4 * edge && r.rk.held_deep == 0);
        held += r.rk.held;
        gained += fabs(r.energy_gained), moved += r.loss_contact + r.loss_damping;
        for (k = 0; k < 2; k++)
            assert_true(fabs(volume_of(w, id[k], &m) / before[k] - 1) < 1e-2);
    }
    assert_true(held > 500);
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return gained / moved;
}

/* held contacts keep the surface and the bodies their volume; the account closes as the tolerance says */
static void held_contacts(void **state)
{
    double coarse = pile(1e-4);
    (void)state;
    if (!(coarse < 0.02) || (!FLOAT && !(pile(1e-6) < coarse / 4)))
        fail_msg("%g of the energy is missing", coarse);
}

/* a box that comes to rest on a plane has its weight as impulse, and keeps the surface */
static void weight_at_rest(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w = world_make(&d);
    ct_body_id id;
    const ct_contact *c;
    double *x, lowest = 1, impulse = 0;
    int i, n;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    id = add_box(w, 0.05, 2, 5e4, 0.45, 1e-2, 0, 0.025, 0, 0);
    for (i = 0; i < 60; i++)
        step_once(w, 0.01);
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++)
        impulse += (double)c[i].impulse_normal;
    assert_true(fabs(impulse / (0.05 * 0.05 * 0.05 * 1000 * 9.81 * 0.01) - 1) < 0.02);
    x = read_vectors(w, id, 0, &n);
    for (i = 0; i < n; i++)
        lowest = fmin(lowest, x[3 * i + 1]);
    assert_true(fabs(lowest) < 1e-5);
    free(x);
    ct_world_destroy(w);
}

/* two boxes collide in free space: momentum is kept, and they part by the energy that they stored */
static void they_part(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_body_id id[2];
    ct_mesh m = mesh_box(0.04, 0.04, 0.04, 2, 2, 2, 1);
    double at[2][3] = {{0, 0, 0}, {0.004, 0.0403, 0.003}}, v[2][3] = {{0, 0.4, 0}, {0, -0.4, 0}}, before = 0, after = 0, mid[3], stored = 0;
    int i, k, touched = 0;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    for (k = 0; k < 2; k++)
        id[k] = add_soft(w, "soft", &m, 3e4, 0.45, 0, at[k], v[k]);
    for (i = 0; i < 40; i++) {
        ct_step_report r = step_once(w, 0.002);
        touched += r.contacts > 0;
        stored = fmax(stored, r.energy_elastic);
        before = i == 0 ? r.energy_kinetic + r.energy_elastic : before;
        after = r.energy_kinetic + r.energy_elastic;
        for (k = 0, mid[1] = 0; k < 2; k++) {
            double p[3];
            read_middle(w, id[k], 1, p);
            mid[1] += p[1];
        }
        assert_true(fabs(mid[1]) < 0.05); /* of nodes that are not weighted; that of masses is below */
    }
    assert_true(touched > 2 && stored > 0.2 * before && after < before * 1.001);
    read_middle(w, id[0], 1, mid);
    assert_true(mid[1] < -0.05); /* it came from there */
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a rigid box between scripted plates that close: no force keeps both, and the report says so */
static void squeezed_contacts(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w = world_make(&d);
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_kinematic_desc kd = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(0.05, 0.05, 0.05, 1, 1, 1, 0), plate = mesh_box(0.2, 0.02, 0.2, 1, 1, 1, 0);
    ct_motion_segment move[2];
    ct_step_report r;
    ct_body_id id;
    int i, k, named = 0;
    (void)state;
    rd.mesh = &m, rd.position[1] = (ct_real)0.05;
    assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
    memset(move, 0, sizeof move);
    for (k = 0; k < 2; k++) {
        move[k].motion.linear[1] = (ct_real)(k ? -0.1 : 0.1), move[k].duration = 1;
        kd.mesh = &plate, kd.position[1] = (ct_real)(k ? 0.09 : 0.01), kd.segments = &move[k], kd.n_segments = 1;
        assert_int_equal(ct_body_add_kinematic(w, &kd, &id), CT_OK);
    }
    for (i = 0; i < 9; i++) {
        r = step_once(w, 0.01);
        if (r.rk.squeezed) {
            named++;
            assert_int_equal(r.status, CT_STATUS_NOT_CONVERGED);
            assert_true(r.limit.vertices_a[0] >= 0);
        } else
            assert_true(i < 6);
        assert_true(isfinite(r.energy_kinetic) && r.energy_kinetic < 1);
    }
    assert_true(named >= 2);
    ct_mesh_free(&m), ct_mesh_free(&plate);
    ct_world_destroy(w);
}

/* two bars across each other, whose edges meet and whose vertices do not: without `edges` they go through each other in steps that count it. With
   it a step that ends so is not converged, and they part */
static void intersections_are_counted(void **state)
{
    int edges, i;
    (void)state;
    for (edges = 0; edges < 2; edges++) {
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_mesh a = mesh_box(0.2, 0.02, 0.02, 1, 1, 1, 1), b = mesh_box(0.02, 0.02, 0.2, 1, 1, 1, 1);
        static const double at[2][3] = {{0, 0, 0}, {0, 0.025, 0}}, down[3] = {0, -0.5, 0}, still[3] = {0, 0, 0};
        int last = 0;
        d.gravity[1] = 0, d.rk.edges = edges;
        w = world_make(&d);
        add_soft(w, "a", &a, 1e5, 0.3, 0.01, at[0], still);
        add_soft(w, "b", &b, 1e5, 0.3, 0.01, at[1], down);
        for (i = 0; i < 5; i++) {
            ct_step_report r = step_once(w, 0.005);
            assert_int_equal(r.tangled, count_intersections(w));
            assert_true(!(edges && r.tangled) || r.status == CT_STATUS_NOT_CONVERGED);
            last = r.tangled;
        }
        assert_true(edges ? last == 0 : last > 0);
        ct_mesh_free(&a), ct_mesh_free(&b);
        ct_world_destroy(w);
    }
}

/* a box whose lower edge flies into a static one through its side, and is moved out below */
static ct_world *moved_below(ct_body_id *id)
{
    static const double at[3] = {-0.101, 0.1005, 0}, fast[3] = {100, 0, 0};
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_mesh a = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 1), b = mesh_box(0.4, 0.06, 1, 1, 1, 1, 0);
    ct_static_desc wall = ct_static_desc_default();
    d.gravity[1] = 0, d.rk.fixed_step = (ct_real)1e-4;
    w = world_make(&d);
    *id = add_soft(w, "a", &a, 1e5, 0.3, 0, at, fast);
    wall.mesh = &b, wall.position[0] = (ct_real)0.2, wall.position[1] = (ct_real)0.028; /* from 2 mm below the plane y = 0 on */
    assert_int_equal(ct_body_add_static(w, &wall, NULL), CT_OK);
    ct_mesh_free(&a), ct_mesh_free(&b);
    return w;
}

/* the step is not OK, and has the depth of the lowest node below y = 0 */
static void expect_depth(ct_world *w, ct_body_id id)
{
    double x[3 * 8], deepest = 0;
    ct_step_report r = step_once(w, 1e-4);
    int i;
    assert_int_equal(ct_body_get_positions(w, id, x, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
    for (i = 0; i < 8; i++)
        deepest = fmax(deepest, -x[3 * i + 1]);
    if (!(deepest > 1e-3 && (double)r.penetration > 0.999 * deepest && r.status == CT_STATUS_NOT_CONVERGED))
        fail_msg("%g deep, reported %g, status %s", deepest, (double)r.penetration, ct_status_text(r.status));
    ct_world_destroy(w);
}

/* nodes that are moved behind a plane with which the step has no contact */
static void moved_behind_a_plane(void **state)
{
    ct_body_id id;
    ct_world *w = moved_below(&id);
    (void)state;
    assert_int_equal(ct_body_add_plane(w, NULL, 0, NULL), CT_OK);
    expect_depth(w, id);
}

/* the same for a static body, and for a rigid one */
static void moved_into_a_body(void **state)
{
    ct_mesh m = mesh_box(0.4, 0.2, 1, 1, 1, 1, 0);
    ct_static_desc d = ct_static_desc_default();
    ct_rigid_desc q = ct_rigid_desc_default();
    ct_body_id id;
    ct_world *w = moved_below(&id);
    (void)state;
    d.mesh = &m, d.position[0] = (ct_real)0.05, d.position[1] = (ct_real)-0.1; /* its upper side is at y = 0 */
    assert_int_equal(ct_body_add_static(w, &d, NULL), CT_OK);
    expect_depth(w, id);
    w = moved_below(&id);
    q.mesh = &m, q.density = 1000, q.position[0] = (ct_real)0.05, q.position[1] = (ct_real)-0.1;
    assert_int_equal(ct_body_add_rigid(w, &q, NULL), CT_OK);
    expect_depth(w, id);
    ct_mesh_free(&m);
}

/* such bars of five cells, whose edges meet in their middles: with `refine` these are contact nodes, and keep the bars apart without contacts of
   edges */
static void middles_of_edges(void **state)
{
    int refine, i;
    (void)state;
    for (refine = 0; refine < 2; refine++) {
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_mesh a = mesh_box(0.2, 0.02, 0.02, 5, 1, 1, 1), b = mesh_box(0.02, 0.02, 0.2, 1, 1, 5, 1);
        static const double at[2][3] = {{0, 0, 0}, {0, 0.025, 0}}, down[3] = {0, -0.5, 0}, still[3] = {0, 0, 0};
        double p[2][3];
        ct_body_id id[2];
        int contacts = 0;
        d.gravity[1] = 0, d.rk.refine = refine ? CT_REFINE_SURFACE : CT_REFINE_NONE;
        w = world_make(&d);
        id[0] = add_soft(w, "a", &a, 1e5, 0.3, 0.01, at[0], still);
        id[1] = add_soft(w, "b", &b, 1e5, 0.3, 0.01, at[1], down);
        for (i = 0; i < 10; i++) {
            ct_step_report r = step_once(w, 0.005);
            const ct_contact *c;
            int n, k;
            contacts += r.contacts;
            assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
            for (k = 0; k < n; k++)
                assert_true((c[k].kind == CT_PAIR_EF || c[k].kind == CT_PAIR_EE) && c[k].vertices_a[1] >= 0 && c[k].vertices_b[1] >= 0 &&
                            c[k].impulse_normal > 0);
        }
        read_middle(w, id[0], 0, p[0]), read_middle(w, id[1], 0, p[1]);
        if (refine ? !(contacts > 0 && p[1][1] - p[0][1] > 0.012) : !(contacts == 0 && p[1][1] < p[0][1] + 0.005))
            fail_msg("refine %d: %d contacts, middles at %g and %g", refine, contacts, p[0][1], p[1][1]);
        ct_mesh_free(&a), ct_mesh_free(&b);
        ct_world_destroy(w);
    }
}

static ct_body_id add_rigid_box(ct_world *w, double sx, double sy, double sz, double density, const double *at, const double *v, double turn_z)
{
    ct_mesh m = mesh_box(sx, sy, sz, 1, 1, 1, 1);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    int k;
    d.mesh = &m, d.density = (ct_real)density;
    d.rotation[0] = (ct_real)cos(turn_z / 2), d.rotation[3] = (ct_real)sin(turn_z / 2);
    for (k = 0; k < 3; k++)
        d.position[k] = (ct_real)at[k], d.velocity[k] = (ct_real)v[k];
    if (ct_body_add_rigid(w, &d, &id) != CT_OK)
        fail_msg("%s", ct_world_error(w)->text);
    ct_mesh_free(&m);
    return id;
}

static void add_still_box(ct_world *w, double sx, double sy, double sz, int nx, int nz, double x, double y, double z)
{
    ct_mesh m = mesh_box(sx, sy, sz, nx, 1, nz, 0);
    ct_static_desc d = ct_static_desc_default();
    d.mesh = &m, d.position[0] = (ct_real)x, d.position[1] = (ct_real)y, d.position[2] = (ct_real)z;
    assert_int_equal(ct_body_add_static(w, &d, NULL), CT_OK);
    ct_mesh_free(&m);
}

/* A corner of a cube falls on a free plate, on a vertex or in a face of it: three vertices of a face share the two blocks of the plate. The
   collision is inelastic, so it costs energy, the more the heavier the plate is */
static void corners_on_rigid_faces(void **state)
{
    static const double densities[3] = {1, 100, 1000}, losses[3] = {0.001, 0.05, 0.08};
    int k, i, a;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world_desc d = desc_of();
        ct_mesh cube = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1), plate = mesh_box(0.4, 0.02, 0.4, 40, 1, 40, 1);
        ct_rigid_desc q = ct_rigid_desc_default();
        double at[3] = {0.0033, 0.0100001, 0.0066}, v[3] = {0, -1, 0}, h = sqrt(0.5), tilt = 0.615480;
        const ct_real *low = cube.positions;
        ct_step_report r;
        ct_world *w;
        for (i = 0; i < cube.n_positions; i++) {
            ct_real *p = cube.positions + 3 * i;
            double x = h * (p[0] - p[1]), y = h * (p[0] + p[1]), z = p[2];
            p[0] = (ct_real)x, p[1] = (ct_real)(cos(tilt) * y - sin(tilt) * z), p[2] = (ct_real)(sin(tilt) * y + cos(tilt) * z);
            low = p[1] < low[1] ? p : low;
        }
        for (a = 0; a < 3; a++)
            at[a] -= low[a];
        d.gravity[1] = 0;
        w = world_make(&d);
        add_soft(w, "cube", &cube, 1e5, 0.3, 0, at, v);
        q.mesh = &plate, q.density = (ct_real)densities[k];
        assert_int_equal(ct_body_add_rigid(w, &q, NULL), CT_OK);
        r = step_once(w, 1e-5);
        if (!(r.status == CT_STATUS_OK && r.contacts == 1 && r.loss_contact > losses[k] && r.energy_kinetic + r.energy_elastic < 0.5 - losses[k]))
            fail_msg("density %g: status %d, %d contacts, loss %g, energy %g", densities[k], (int)r.status, r.contacts, r.loss_contact,
                     r.energy_kinetic + r.energy_elastic);
        ct_mesh_free(&cube), ct_mesh_free(&plate);
        ct_world_destroy(w);
    }
}

/* a sphere in coarse tetrahedra falls on a box: vertices and middles of its surface share the nodes of the tetrahedra */
static void embedded_surfaces_keep_their_energy(void **state)
{
    int refine, i;
    (void)state;
    for (refine = 0; refine < 2; refine++) {
        ct_world_desc d = desc_of();
        ct_mesh sphere, tets;
        ct_soft_desc q = ct_soft_desc_default();
        ct_error_info e;
        ct_world *w;
        d.rk.refine = refine ? CT_REFINE_SURFACE : CT_REFINE_NONE;
        w = world_make(&d);
        assert_int_equal(ct_mesh_sphere((ct_real)0.05, 2, &sphere, &e), CT_OK);
        assert_int_equal(ct_mesh_tetrahedralize(&sphere, (ct_real)0.03, &tets, &e), CT_OK);
        q.mesh = &tets, q.surface = &sphere, q.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
        q.material.young = (ct_real)1e5, q.material.poisson = (ct_real)0.3, q.position[1] = (ct_real)0.0505, q.velocity[1] = -1;
        assert_int_equal(ct_body_add_soft(w, &q, NULL), CT_OK);
        add_still_box(w, 0.4, 0.2, 0.4, 8, 8, 0, -0.1, 0);
        for (i = 0; i < 10; i++) {
            ct_step_report r = step_once(w, 0.002);
            if (!(r.status == CT_STATUS_OK && r.energy_kinetic + r.energy_elastic < 0.3))
                fail_msg("refine %d, step %d: status %d, energy %g", refine, i, (int)r.status, r.energy_kinetic + r.energy_elastic);
        }
        ct_mesh_free(&sphere), ct_mesh_free(&tets);
        ct_world_destroy(w);
    }
}

/* a coarse cube falls on a plate that is 40 times as thin as its elements: no node ends on the other side */
static void thin_bodies_have_two_sides(void **state)
{
    int speed, i, k;
    (void)state;
    for (speed = 1; speed <= 5; speed += 2) {
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_body_id cube;
        double v[3];
        d.gravity[1] = 0;
        w = world_make(&d);
        cube = add_box(w, 0.2, 2, 1e5, 0.3, 0, 0.013, 0.12, 0.007, -speed);
        add_still_box(w, 0.6, 0.005, 0.6, 6, 6, 0, 0, 0);
        for (i = 0; i < 20; i++) {
            ct_step_report r = step_once(w, 0.005);
            double *x;
            int n;
            assert_true(r.status == CT_STATUS_OK && r.tangled == 0);
            x = read_vectors(w, cube, 0, &n);
            for (k = 0; k < n; k++)
                assert_true(x[3 * k + 1] > 0.0025 - 1e-4);
            free(x);
        }
        read_middle(w, cube, 1, v);
        assert_true(v[1] > 0.2 * speed);
        ct_world_destroy(w);
    }
}

/* a cube overlaps two walls of a corner by a third of its edges: it is moved out of both, and this motion is none of a Runge-Kutta step */
static void overlaps_in_corners_are_left(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_step_report r;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    add_box(w, 0.1, 2, 1e5, 0.3, 0, 0.032, 0.2, 0.032, 0);
    add_still_box(w, 0.2, 0.4, 0.6, 1, 1, -0.1, 0.2, 0.31);
    add_still_box(w, 0.6, 0.4, 0.2, 1, 1, 0.31, 0.2, -0.1);
    r = step_once(w, 0.002);
    if (!(r.status == CT_STATUS_OK && r.rk.rejected == 0 && r.work_recovery > 0))
        fail_msg("status %d, %d rejected, recovery %g", (int)r.status, r.rk.rejected, r.work_recovery);
    ct_world_destroy(w);
}

/* two bars with sharp edges meet in the middles of these: the normal is that of both edges, so that they part straight, as with `edges` */
static void sharp_edges_meet_straight(void **state)
{
    const double h = sqrt(0.5);
    int i, j, k, contacts = 0;
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_body_id id[2];
    (void)state;
    d.gravity[1] = 0, d.rk.refine = CT_REFINE_SURFACE;
    w = world_make(&d);
    for (j = 0; j < 2; j++) {
        ct_mesh m = j ? mesh_box(0.02, 0.02, 0.2, 1, 1, 5, 1) : mesh_box(0.2, 0.02, 0.02, 5, 1, 1, 1);
        double at[3] = {0, 0, 0}, v[3] = {0, 0, 0};
        for (i = 0; i < m.n_positions; i++) {
            ct_real *p = m.positions + 3 * i, *q = p + (j ? 0 : 1), x = q[0], y = q[1];
            q[0] = (ct_real)(h * (x - y)), q[1] = (ct_real)(h * (x + y));
        }
        at[1] = j ? 0.029 : 0, at[0] = j ? 0.0005 : 0, v[1] = j ? -0.5 : 0;
        id[j] = add_soft(w, j ? "across" : "along", &m, 1e5, 0.3, 0.01, at, v);
        ct_mesh_free(&m);
    }
    for (k = 0; k < 12; k++) {
        ct_step_report r = step_once(w, 0.005);
        assert_true(r.status == CT_STATUS_OK && r.tangled == 0);
        contacts += r.contacts;
    }
    for (j = 0; j < 2; j++) {
        double v[3];
        read_middle(w, id[j], 1, v);
        if (!(contacts > 0 && fabs(v[0]) < 0.01 && fabs(v[2]) < 0.01 && v[1] < -0.1))
            fail_msg("%d contacts, bar %d: %g %g %g", contacts, j, v[0], v[1], v[2]);
    }
    ct_world_destroy(w);
}

/* a long bar lies across a wall, off its middle: edges that cross the wall's border do not stand for the middles between them */
static void bars_lie_on_walls(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_mesh m = mesh_box(0.5, 0.1, 0.1, 5, 1, 1, 1);
    static const double at[3] = {0.012, 0.05, 0};
    ct_body_id id;
    double *x, low = 1;
    int i, n;
    (void)state;
    d.rk.refine = CT_REFINE_SURFACE;
    w = world_make(&d);
    id = add_soft(w, "bar", &m, 1e6, 0.3, 1e-3, at, NULL);
    add_still_box(w, 0.04, 0.1, 1, 1, 1, 0, -0.05, 0);
    for (i = 0; i < 150; i++)
        step_once(w, 5e-3);
    x = read_vectors(w, id, 0, &n);
    for (i = 0; i < n; i++)
        low = fmin(low, x[3 * i + 1]);
    if (!(low > -0.01))
        fail_msg("the bar has tipped: its lowest node is at %g", low);
    free(x);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* two cubes touch faces of a plate that have only one vertex in common, which is pinned: their contacts are two regions, each with a matrix of its
   own */
static void pinned_vertices_couple_no_regions(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_mesh m = mesh_box(0.2, 0.02, 0.2, 2, 1, 2, 1);
    static const double at[3] = {0, -0.01, 0};
    ct_body_id plate;
    int32_t middle = -1;
    int i, k, contacts = 0, regions = 0;
    (void)state;
    for (i = 0; i < m.n_positions; i++)
        if (fabs((double)m.positions[3 * i]) + fabs((double)m.positions[3 * i + 2]) < 1e-6 && m.positions[3 * i + 1] > 0)
            middle = i;
    d.gravity[1] = 0;
    w = world_make(&d);
    plate = add_soft(w, "plate", &m, 1e5, 0.3, 1e-3, at, NULL);
    assert_int_equal(ct_body_pin(w, plate, &middle, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    for (k = 0; k < 2; k++)
        add_box(w, 0.01, 1, 1e5, 0.3, 1e-3, k ? -0.06 : 0.06, 0.0051, k ? -0.03 : 0.03, -0.1);
    for (i = 0; i < 5; i++) {
        ct_step_report r = step_once(w, 1e-3);
        assert_int_equal(r.status, CT_STATUS_OK);
        contacts += r.contacts, regions = regions > r.rk.regions ? regions : r.rk.regions;
    }
    assert_true(contacts > 0 && regions == 2);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a rigid plate rests on a plane: what rounding leaves of its weight is no gain of energy */
static void plates_rest(void **state)
{
    ct_world_desc d = desc_of();
    ct_mesh m = mesh_box(0.2, 0.02, 0.2, 4, 1, 4, 0);
    ct_rigid_desc q = ct_rigid_desc_default();
    ct_world *w;
    int k;
    (void)state;
    w = world_make(&d);
    q.mesh = &m, q.density = 1000, q.position[1] = (ct_real)0.0101;
    assert_int_equal(ct_body_add_rigid(w, &q, NULL), CT_OK);
    add_plane(w, 0, 1, 0, 0);
    for (k = 0; k < 20; k++)
        assert_int_equal(step_once(w, 0.005).status, CT_STATUS_OK);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a bar turns by .8 rad in a Runge-Kutta step: its tip's arc meets a box that the straight way misses */
static void arcs_meet(void **state)
{
    ct_world_desc d = desc_of();
    ct_mesh m = mesh_box(2, 0.05, 0.05, 40, 1, 1, 0);
    ct_rigid_desc q = ct_rigid_desc_default();
    ct_world *w;
    int k, contacts = 0;
    (void)state;
    d.gravity[1] = 0, d.rk.tolerance = (ct_real)1e-3;
    w = world_make(&d);
    q.mesh = &m, q.density = 1000, q.rotation[0] = (ct_real)cos(-1.4), q.rotation[3] = (ct_real)sin(-1.4), q.angular_velocity[2] = 80;
    assert_int_equal(ct_body_add_rigid(w, &q, NULL), CT_OK);
    add_still_box(w, 0.04, 0.04, 0.04, 1, 1, 0.5 * (cos(0.4) + 1) + 0.012, 0, 0);
    for (k = 0; k < 7; k++)
        contacts += step_once(w, 0.01).contacts;
    assert_true(contacts > 0);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* an edge of a long bar comes down on a cube between its vertices; the ends of the edge are far from the cube, its middle is not */
static void middles_of_long_edges(void **state)
{
    static const double at[3] = {0.0125, 0.09, 0.0125}, down[3] = {0, -0.5, 0};
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_body_id bar;
    int i, k, n, middles = 0;
    (void)state;
    d.gravity[1] = 0, d.rk.refine = CT_REFINE_SURFACE;
    w = world_make(&d);
    add_box(w, 0.1, 4, 1e5, 0.3, 0.01, 0, 0, 0, 0);
    bar = add_rigid_box(w, 0.05, 0.05, 2, 100, at, down, 0.785398);
    for (i = 0; i < 10; i++) {
        const ct_contact *c;
        step_once(w, 0.002);
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        for (k = 0; k < n; k++)
            middles += c[k].kind == CT_PAIR_EE || (c[k].kind == CT_PAIR_EF && c[k].body_a.index1 == bar.index1);
    }
    assert_true(middles > 0);
    ct_world_destroy(w);
}

/* in a Runge-Kutta step as long as the wave speed allows, a box at 400 m/s would cross a cube; steps are shorter, so that they meet */
static void fast_bodies_meet(void **state)
{
    static const double at[3] = {0, 0, 0.3}, fast[3] = {0, 0, -400};
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_body_id cube;
    double v[3];
    int i, contacts = 0;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    cube = add_box(w, 0.04, 4, 1e5, 0.3, 0.01, 0, 0, 0, 0);
    add_rigid_box(w, 0.02, 0.02, 0.02, 1000, at, fast, 0);
    for (i = 0; i < 4; i++)
        contacts += step_once(w, 5e-4).contacts;
    read_middle(w, cube, 1, v);
    if (!(contacts > 0 && v[2] < -1))
        fail_msg("%d contacts, the cube moves at %g m/s", contacts, v[2]);
    ct_world_destroy(w);
}

/* two workers that take turns on one thread, halves in the wrong order */
static void *backwards(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    (void)min_range;
    fn(count / 2, count, 1, context);
    fn(0, count / 2, 0, context);
    ++*(int *)user;
    return NULL;
}
static void all_done(void *task, void *user)
{
    (void)task, (void)user;
}

/* the same bits, however loops over elements and contacts are cut */
static void same_bits_by_workers(void **state)
{
    uint64_t hash[2];
    int k, i, cut = 0;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_mesh m = mesh_box(0.1, 0.08, 0.1, 10, 8, 10, 1);
        static const double at[2][3] = {{0, 0.04, 0}, {0.003, 0.1201, 0.002}}, down[3] = {0, -0.5, 0};
        if (k)
            d.tasks.enqueue = backwards, d.tasks.finish = all_done, d.tasks.worker_count = 2, d.tasks.user = &cut;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 2; i++)
            add_soft(w, "soft", &m, 1e5, 0.49, 1e-3, at[i], i ? down : NULL);
        for (i = 0; i < 3; i++)
            assert_true(step_once(w, 0.0005).rk.accepted > 0);
        hash[k] = ct_world_hash(w);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
    assert_true(cut > 20 && hash[0] == hash[1]);
}

static void refusals(void **state)
{
    ct_step_report report;
    const char *text;
    uint64_t hash;
    int i, k;
    ct_world_desc d = desc_of();
    ct_world *w = NULL;
    ct_error_info e;
    ct_soft_desc q = ct_soft_desc_default();
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    (void)state;
    d.friction = (ct_real)0.1;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.text, "friction"));
    d.friction = 0, d.self_collision = 1;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.text, "self_collision"));
    d.self_collision = 0, d.rk.tolerance = 0;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "rk.tolerance"));
    d = desc_of();
    w = world_make(&d);
    q.mesh = &m, q.friction = (ct_real)0.2;
    assert_int_equal(ct_body_add_soft(w, &q, NULL), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(w)->text, "friction"));
    ct_mesh_free(&m);
    ct_world_destroy(w);
    /* a step that may not take enough Runge-Kutta steps ends, and says so */
    d.rk.max_steps = 3;
    w = world_make(&d);
    add_box(w, 0.1, 1, 1e5, 0.4, 0, 0, 0, 0, 0);
    assert_int_equal(step_once(w, 0.1).status, CT_STATUS_BUDGET);
    ct_world_destroy(w);
    /* steps of a fixed length above the bound would blow up: they are refused, and the text has the bound. Below it they go on */
    for (k = 0; k < 2; k++) {
        double bound;
        d.rk.max_steps = 100000, d.rk.fixed_step = (ct_real)0.02, d.rk.extrapolate = k;
        w = world_make(&d);
        add_box(w, 0.1, 1, 1e5, 0.4, 1e-3, 0, 0.06, 0, 0);
        add_plane(w, 0, 1, 0, 0);
        assert_int_equal(cti_world_prepare(w), CT_OK);
        bound = (double)cti_explicit_own(&w->state)->bound * (k ? 1.68 : 1);
        hash = ct_world_hash(w);
        assert_int_equal(ct_world_step(w, (ct_real)0.1, NULL), CT_ERR_UNSUPPORTED);
        text = strstr(ct_world_error(w)->text, "bound is ");
        assert_non_null(text);
        assert_true(strstr(ct_world_error(w)->text, "rk.fixed_step") && fabs(strtod(text + 9, NULL) - bound) < 1e-3 * bound && ct_world_hash(w) == hash);
        step_once(w, 0.9 * bound); /* the step itself is shorter */
        ct_world_destroy(w);
        d.rk.fixed_step = (ct_real)(0.99 * bound);
        w = world_make(&d);
        add_box(w, 0.1, 1, 1e5, 0.4, 1e-3, 0, 0.06, 0, 0);
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 3; i++)
            report = step_once(w, 0.1);
        assert_true(report.energy_kinetic + report.energy_elastic < 0.6); /* it has fallen by 6 cm from rest */
        ct_world_destroy(w);
    }
}

/* every allocation of a step fails once: the world stays as it was */
static void memory_runs_out(void **state)
{
    books b;
    ct_world_desc d;
    ct_world *w;
    ct_step_report r;
    int64_t k;
    int done = 0;
    (void)state;
    for (k = 1; !done && k < 400; k++) {
        uint64_t hash;
        memset(&b, 0, sizeof b);
        d = world_desc(1e-3, 0, &b);
        d.stepper = CT_STEPPER_EXPLICIT, d.self_collision = 0;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        add_box(w, 0.05, 1, 1e5, 0.4, 1e-3, 0, 0.0249, 0, -1);
        step_once(w, 1e-6);
        hash = ct_world_hash(w);
        b.fail_at = b.calls + k;
        if (ct_world_step(w, (ct_real)2e-3, &r) == CT_OK)
            done = b.refused == 0;
        else
            assert_true(ct_world_hash(w) == hash);
        b.fail_at = 0;
        assert_int_equal(ct_world_step(w, (ct_real)2e-3, &r), CT_OK);
        ct_world_destroy(w);
        assert_true(b.live == 0 && b.blocks == 0 && b.wrong == 0);
    }
    assert_true(done);
}

/* damping_mass brakes the rotation of a rigid body as it brakes its flight, also about an axis that is not a principal one; the loss is reported */
static void rotation_is_damped(void **state)
{
    int turn, i;
    (void)state;
    for (turn = 0; turn < 2; turn++) {
        ct_world_desc d = desc_of();
        ct_mesh m = mesh_box(0.1, 0.2, 0.3, 1, 1, 1, 0);
        ct_rigid_desc c = ct_rigid_desc_default();
        double start = 0, loss = 0, share = exp(-0.5);
        ct_real v[3], w1[3];
        ct_step_report r;
        ct_body_id id;
        ct_world *w;
        d.gravity[1] = 0;
        w = world_make(&d);
        c.mesh = &m, c.damping_mass = 1, c.velocity[0] = 1, c.angular_velocity[1] = 2;
        c.angular_velocity[0] = turn ? 3 : 0;
        assert_int_equal(ct_body_add_rigid(w, &c, &id), CT_OK);
        start = 3 + 0.5 * 6 * (0.1 * 0.1 + 0.3 * 0.3) / 12 * 4 + (turn ? 0.5 * 6 * (0.2 * 0.2 + 0.3 * 0.3) / 12 * 9 : 0);
        for (i = 0; i < 10; i++)
            r = step_once(w, 0.05), loss += r.loss_damping;
        assert_int_equal(ct_body_get_motion(w, id, v, w1), CT_OK);
        assert_true(fabs((double)v[0] - share) < 1e-4 && (turn || fabs((double)w1[1] - 2 * share) < 1e-4));
        assert_true(fabs(r.energy_kinetic - start * share * share) < 1e-4 * start);
        assert_true(fabs(loss - start * (1 - share * share)) < 1e-3 * start);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
}

/* friction above 0 is refused for bodies that are there, too */
static void friction_is_not_set(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w = world_make(&d);
    ct_body_id id = add_plane(w, 0, 1, 0, 0);
    (void)state;
    assert_int_equal(ct_body_set_friction(w, id, (ct_real)0.3), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(w)->text, "friction"));
    assert_int_equal(ct_body_set_friction(w, id, 0), CT_OK);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_against_enumeration),
        cmocka_unit_test(forces_of_no_accelerations),
        cmocka_unit_test(forces_by_differences),
        cmocka_unit_test(distances_by_differences),
        cmocka_unit_test(order_of_steps),             cmocka_unit_test(held_contacts),         cmocka_unit_test(weight_at_rest),
        cmocka_unit_test(they_part),                  cmocka_unit_test(squeezed_contacts),     cmocka_unit_test(refusals),
        cmocka_unit_test(memory_runs_out),            cmocka_unit_test(intersections_are_counted),
        cmocka_unit_test(moved_behind_a_plane),       cmocka_unit_test(moved_into_a_body),     cmocka_unit_test(middles_of_edges),
        cmocka_unit_test(same_bits_by_workers),       cmocka_unit_test(middles_of_long_edges), cmocka_unit_test(fast_bodies_meet),
        cmocka_unit_test(corners_on_rigid_faces),     cmocka_unit_test(embedded_surfaces_keep_their_energy),
        cmocka_unit_test(thin_bodies_have_two_sides), cmocka_unit_test(overlaps_in_corners_are_left),
        cmocka_unit_test(pinned_vertices_couple_no_regions),
        cmocka_unit_test(bars_lie_on_walls),
        cmocka_unit_test(sharp_edges_meet_straight),
        cmocka_unit_test(plates_rest),
        cmocka_unit_test(arcs_meet),
        cmocka_unit_test(rotation_is_damped),
        cmocka_unit_test(friction_is_not_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
