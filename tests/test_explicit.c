/* test_explicit.c -- the explicit stepper: contact forces against enumeration, forces and derivatives of distances by finite differences, order
   of the Runge-Kutta rule, contacts that are held, what they store and release, squeezed contacts, statuses and refusals. */
#include "world_util.h"
#include "../src/8_explicit/explicit.h"
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

/* a dense matrix [n LD] as the rows of a system */
static void row_of(const void *context, int i, double *row)
{
    int j;
    for (j = 0; j < MOST; j++)
        row[j] = ((const double *)context)[i * LD + j];
}

/* 1,000 problems J J' for each method, with more and with fewer rows than unknowns. Accelerations are unique, forces are not where rows depend on each
   other */
static void forces_against_enumeration(void **state)
{
    uint64_t seed = 26;
    int turn, i, j, k, squeezed = 0, dependent = 0;
    (void)state;
    for (turn = 0; turn < 2000; turn++) { /* each method has every second one */
        double A[MOST * LD] = {0};
        double K[MOST * MOST], J[MOST][MOST], b[MOST], u[MOST], f[MOST], work[(2 * MOST + 11) * LD], natural = 0, y[MOST], gain = 0, top = 0;
        double diagonal[MOST];
        uint8_t active[MOST];
        int32_t lo[MOST] = {0}, hi[MOST];
        cti_explicit_system system = {row_of, A, diagonal, lo, hi, 0, 0};
        int n = 1 + (int)(lcg(&seed) * MOST), columns = 1 + (int)(lcg(&seed) * MOST), there;
        cti_explicit_outcome outcome;
        dependent += columns < n;
        for (i = 0; i < n; i++) {
            b[i] = span(&seed, -1, 0.6), active[i] = lcg(&seed) < 0.5;
            for (k = 0; k < columns; k++) /* halves, so that dependent rows are common, and opposite ones */
                J[i][k] = floor(span(&seed, -2, 3)) / 2;
            J[i][(int)(lcg(&seed) * columns)] += 1.25;
            for (k = 0; i > 0 && turn % 3 == 0 && k < columns; k++) /* opposite sides of one node */
                J[i][k] = turn / 2 % 2 ? -J[i - 1][k] : J[i - 1][k];
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
            hi[i] = n - 1, diagonal[i] = K[i * n + i];
        outcome = cti_explicit_program(&system, b, (ct_explicit_program)(turn % 2), active, f, work, &natural);
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

enum { MANY = 40 };
static void row_of_many(const void *context, int i, double *row)
{
    int j;
    for (j = 0; j < MANY; j++)
        row[j] = ((const double *)context)[i * MANY + j];
}

/* 200 problems of 40 contacts of 60 nodes, so that their forces are unique: both methods have the same, which satisfy the conditions, and the
   interior point method is there when it is asked for */
static void methods_agree(void **state)
{
    static double J[MANY][60], K[MANY * MANY];
    double b[MANY], f[2][MANY], diagonal[MANY], natural, *work = malloc(sizeof(double) * cti_explicit_work(MANY));
    uint64_t seed = 55;
    int turn, i, j, k, kind, pushed = 0;
    (void)state;
    for (turn = 0; turn < 200; turn++) {
        int32_t lo[MANY] = {0}, hi[MANY];
        uint8_t active[MANY];
        double scale = 0;
        for (i = 0; i < MANY; i++)
            for (b[i] = span(&seed, -1, 0.5), k = 0; k < 60; k++)
                J[i][k] = lcg(&seed) < 0.2 ? span(&seed, -1, 1) : 0;
        for (i = 0; i < MANY; i++)
            for (j = 0; j < MANY; j++)
                for (K[i * MANY + j] = i == j ? 0.01 : 0, k = 0; k < 60; k++)
                    K[i * MANY + j] += J[i][k] * J[j][k];
        for (kind = 0; kind < 2; kind++) {
            cti_explicit_system system = {row_of_many, K, diagonal, lo, hi, MANY, 0};
            for (i = 0; i < MANY; i++)
                hi[i] = MANY - 1, diagonal[i] = K[i * MANY + i], active[i] = lcg(&seed) < 0.5;
            assert_int_equal(cti_explicit_program(&system, b, (ct_explicit_program)kind, active, f[kind], work, &natural), CTI_EXPLICIT_SOLVED);
            assert_true(system.iterations >= (kind ? 5 : 1));
            for (i = 0; i < MANY; i++) { /* f >= 0, K f + b >= 0, their product 0 */
                double u = b[i];
                for (j = 0; j < MANY; j++)
                    u += K[i * MANY + j] * f[kind][j];
                assert_true(f[kind][i] >= 0 && u > -1e-8 && fabs(u * f[kind][i]) < 1e-8);
            }
        }
        for (i = 0; i < MANY; i++)
            scale = fmax(scale, f[0][i]), pushed += f[0][i] > 0;
        for (i = 0; i < MANY; i++)
            assert_true(fabs(f[0][i] - f[1][i]) < 1e-7 * scale);
    }
    assert_true(pushed > 2000);
    free(work);
}

/* three contacts without accelerations need no forces, whatever the arrays held; accelerations that are not numbers are no solution */
static void forces_of_no_accelerations(void **state)
{
    const double rows[][3] = {{0, 0, 0}, {NAN, NAN, NAN}, {-1, NAN, 0}, {-1, INFINITY, 0}, {0, 0, -INFINITY}};
    double A[3 * LD] = {0}, f[3], work[(2 * 3 + 11) * LD], natural, diagonal[3] = {2, 2, 2};
    int32_t lo[3] = {0}, hi[3] = {2, 2, 2};
    uint8_t active[3];
    cti_explicit_system system = {row_of, A, diagonal, lo, hi, 3, 0};
    int i, k;
    (void)state;
    for (i = 0; i < 3; i++)
        A[i * LD + i] = 2;
    for (k = 0; k < 5; k++) {
        cti_explicit_outcome outcome;
        for (i = 0; i < 3; i++)
            f[i] = 7, active[i] = 1;
        outcome = cti_explicit_program(&system, rows[k], (ct_explicit_program)(k % 2), active, f, work, &natural);
        if (outcome != (k ? CTI_EXPLICIT_FAILED : CTI_EXPLICIT_SOLVED))
            fail_msg("case %d: outcome %d", k, (int)outcome);
        for (i = 0; i < 3; i++)
            assert_true(f[i] == 0 && active[i] == 0);
    }
    A[0 * LD + 1] = A[1 * LD + 0] = NAN; /* nor is a matrix that is not one */
    for (i = 0; i < 3; i++)
        f[i] = 7;
    assert_int_equal(cti_explicit_program(&system, rows[1 + 2], CT_EXPLICIT_ACTIVE_SET, active, f, work, &natural), CTI_EXPLICIT_FAILED);
    assert_true(f[0] == 0 && f[1] == 0 && f[2] == 0);
    {
        const double pushes[3] = {-1, -1, -1};
        assert_int_equal(cti_explicit_program(&system, pushes, CT_EXPLICIT_ACTIVE_SET, active, f, work, &natural), CTI_EXPLICIT_FAILED);
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
                x[i] = at + (k ? h : -h), e[k] = cti_explicit_elastic(s, x, NULL);
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

static void measure_at(cti_state *s, const ct_real *y, double t, cti_explicit_contact *c)
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
        cti_explicit_contact c;
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
            assert_true(r.rk.accepted + r.rk.rejected < 50); /* they are no first touches, which cut steps */
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

/* Two bars across each other meet edge on edge at 1 m/s, turned by 45 degrees about their axes, with one, two and three cells across: at the
   defaults no edge sinks into the other bar, and all steps are ok */
static void edges_do_not_sink(void **state)
{
    int cells, i;
    (void)state;
    for (cells = 1; cells <= 3; cells++) {
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_mesh m = mesh_box(0.2, 0.02, 0.02, 8 * cells, cells, cells, 1);
        ct_soft_desc q = ct_soft_desc_default();
        ct_body_id id[2];
        double p[3];
        int k, contacts = 0;
        d.gravity[1] = 0;
        w = world_make(&d);
        q.mesh = &m, q.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
        q.material.young = (ct_real)1e5, q.material.poisson = (ct_real)0.45, q.material.damping_stiffness = (ct_real)1e-3;
        for (k = 0; k < 2; k++) {
            const double c = cos(0.125 * 3.14159265358979), s = sin(0.125 * 3.14159265358979), r = sqrt(0.5);
            q.rotation[0] = (ct_real)(k ? c * r : c), q.rotation[1] = (ct_real)(k ? s * r : s);
            q.rotation[2] = (ct_real)(k ? c * r : 0), q.rotation[3] = (ct_real)(k ? -s * r : 0);
            q.position[0] = (ct_real)(0.0037 * k), q.position[1] = (ct_real)(0.0293 * k), q.position[2] = (ct_real)(0.0021 * k);
            q.velocity[1] = (ct_real)-k;
            assert_int_equal(ct_body_add_soft(w, &q, &id[k]), CT_OK);
        }
        for (i = 0; i < 10; i++) {
            ct_step_report r = step_once(w, 0.01);
            contacts += r.contacts;
            if (r.tangled || r.status != CT_STATUS_OK || count_intersections(w))
                fail_msg("%d cells, step %d: %d pairs, %s", cells, i, count_intersections(w), ct_status_text(r.status));
        }
        read_middle(w, id[0], 1, p); /* half of the momentum, or more, has gone over */
        if (!(contacts > 0 && p[1] < -0.45))
            fail_msg("%d cells: %d contacts, %g m/s", cells, contacts, p[1]);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* a box falls flat on a plane, by each method and each rule. The nodes of its lower side lose their velocity, and the box only theirs: half m v^2 of
   their masses. Then both methods have the same motion, the interior point method with more work */
static void rules_and_methods(void **state)
{
    double y[4] = {0};
    int kind, i;
    (void)state;
    for (kind = 0; kind < 4; kind++) {
        ct_world_desc d = desc_of();
        ct_world *w;
        cti_state *s;
        ct_step_report r;
        ct_body_id id;
        double mass = 0, p[3];
        int work = 0;
        d.gravity[1] = 0;
        d.rk.program = kind % 2 ? CT_EXPLICIT_INTERIOR_POINT : CT_EXPLICIT_ACTIVE_SET, d.rk.rules = kind / 2 ? CT_EXPLICIT_NODE : CT_EXPLICIT_REGION;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        id = add_box(w, 0.1, 2, 1e5, 0.3, 0, 0, 0.05 + 6e-5, 0, -0.1);
        s = prepared(w);
        for (i = 0; i < s->n; i++)
            mass += (double)s->x[3 * i + 1] < 1e-3 ? (double)s->bodies.mass[i] : 0;
        r = step_once(w, 1e-3);
        if (!(fabs(r.loss_contact - 0.005 * mass) < 0.04 * 0.005 * mass)) /* inner nodes push the lower ones a little in that time */
            fail_msg("kind %d: %g J lost of %g", kind, r.loss_contact, 0.005 * mass);
        for (i = 0; i < 20; i++) {
            r = step_once(w, 0.002);
            work += r.solver_iterations;
            assert_true(r.status == CT_STATUS_OK || kind >= 2);
        }
        read_middle(w, id, 0, p);
        y[kind] = p[1];
        if (kind % 2 && !(fabs(y[kind] - y[kind - 1]) < 1e-6 * 0.1))
            fail_msg("kind %d: %.9g m and %.9g m", kind, y[kind - 1], y[kind]);
        assert_true(kind % 2 == 0 || work > 100);
        ct_world_destroy(w);
    }
}

/* Two boxes and four meet far above the speed of their elastic waves, 12 m/s: whatever that does to their elements, they never have more than 1.05
   times the energy that they had and that was stored by moves back, and time goes on */
static void explosions_are_not_kept(void **state)
{
    int kind, i, k;
    (void)state;
    for (kind = 0; kind < PLAIN_OR(3, 1); kind++) {
        ct_world_desc d = desc_of();
        ct_world *w;
        double had = 0, given = 0, dt = kind == 0 ? 1e-3 : 1e-2;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        for (k = 0; k < (kind == 2 ? 4 : 2); k++)
            add_box(w, 0.1, 2, 1e5, 0.3, 1e-3, 0.006 * k, 0.0501 + 0.11 * k, 0.004 * k, k == (kind == 2 ? 3 : 1) ? -50 : 0);
        for (i = 0; i < (kind == 0 ? PLAIN_OR(14, 4) : 3); i++) {
            ct_step_report r = step_once(w, dt);
            double now = r.energy_kinetic + r.energy_elastic + r.energy_gravity;
            if (i == 0)
                had = now - r.energy_gained - r.work_recovery + r.loss_contact + r.loss_damping;
            given += fmax(0, r.work_recovery);
            if (!(now <= 1.05 * (had + given)))
                fail_msg("kind %d, step %d: %g J of %g and %g, %s", kind, i, now, had, given, ct_status_text(r.status));
            assert_true(fabs(ct_world_time(w) - (i + 1) * dt) < 1e-6 * dt);
        }
        assert_true(fabs(had - 1250) < 20); /* the mass of a box is 1 kg */
        ct_world_destroy(w);
    }
}

/* a box whose lower edge flies into the slanting side of a static one, and is moved out along its normal, below y = 0 */
static ct_world *moved_below(ct_body_id *id)
{
    static const double at[3] = {-0.101, 0.1005, 0}, fast[3] = {100, 0, 0};
    const double tilt = 0.35;
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_mesh a = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 1), b = mesh_box(0.4, 0.06, 1, 1, 1, 1, 0);
    ct_static_desc wall = ct_static_desc_default();
    d.gravity[1] = 0, d.rk.edges = 0, d.rk.fixed_step = (ct_real)1e-4, d.recovery_speed = 0; /* they are moved out at once */
    w = world_make(&d);
    *id = add_soft(w, "a", &a, 1e5, 0.3, 0, at, fast);
    wall.rotation[0] = (ct_real)cos(tilt / 2), wall.rotation[3] = (ct_real)sin(tilt / 2);
    wall.mesh = &b;
    wall.position[0] = (ct_real)(0.2 * cos(tilt) - 0.02 * sin(tilt)), wall.position[1] = (ct_real)(0.2 * sin(tilt) + 0.02 * cos(tilt));
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
        d.gravity[1] = 0, d.rk.edges = 0, d.rk.refine = refine ? CT_REFINE_SURFACE : CT_REFINE_NONE;
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

/* a turned plate, as flat as the root of rounding: its elements at rest have an energy of rounding times their flatness, not times its square */
static void flat_elements_are_at_rest(void **state)
{
    ct_world_desc d = desc_of();
    double thin = 0.1 * sqrt(sizeof(ct_real) == 8 ? 2.2e-16 : 1.2e-7);
    ct_mesh m = mesh_box(0.1, thin, 0.1, 1, 1, 1, 1);
    ct_soft_desc q = ct_soft_desc_default();
    ct_step_report r;
    ct_world *w;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    q.mesh = &m, q.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
    q.material.young = (ct_real)1e5, q.material.poisson = (ct_real)0.3;
    q.rotation[0] = (ct_real)0.8, q.rotation[1] = (ct_real)0.6, q.rotation[2] = q.rotation[3] = 0;
    assert_int_equal(ct_body_add_soft(w, &q, NULL), CT_OK);
    r = step_once(w, 1e-9);
    assert_true(fabs(r.energy_elastic) < 1e-5 * 1e5 * 0.01 * thin);
    ct_mesh_free(&m);
    ct_world_destroy(w);
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

/* lowest and highest y of a body's nodes */
static double end_of(ct_world *w, ct_body_id id, int top)
{
    int n, i;
    double *x = read_vectors(w, id, 0, &n), y = x[1];
    for (i = 1; i < n; i++)
        y = top ? fmax(y, x[3 * i + 1]) : fmin(y, x[3 * i + 1]);
    free(x);
    return y;
}

/* Equal boxes meet in line: vertices and edges of one come down along the sides of the other, to which they are nearer than to its top */
static void boxes_meet_in_line(void **state)
{
    static const double speeds[3] = {0.3, 1, 3}, offsets[3] = {0, 1e-5, 0.003};
    int rigid, k, i;
    (void)state;
    for (rigid = 0; rigid < 2; rigid++)
        for (k = 0; k < 9; k++) {
            double speed = speeds[k % 3], off = offsets[k / 3], middle[2][3], at[2][3] = {{0, 0, 0}, {0, 0, 0}}, v[2][3] = {{0, 0, 0}, {0, 0, 0}};
            ct_world_desc d = desc_of();
            ct_world *w;
            ct_body_id id[2];
            d.gravity[1] = 0, d.rk.refine = CT_REFINE_SURFACE;
            w = world_make(&d);
            at[1][0] = at[1][2] = off, at[1][1] = 0.11, v[0][1] = speed, v[1][1] = -speed;
            for (i = 0; i < 2; i++)
                id[i] = rigid ? add_rigid_box(w, 0.1, 0.1, 0.1, 1000, at[i], v[i], 0)
                              : add_box(w, 0.1, 1, 2e4, 0.4, 0, at[i][0], at[i][1], at[i][2], v[i][1]);
            for (i = 0; i < 10; i++)
                step_once(w, 0.01);
            read_middle(w, id[0], 0, middle[0]), read_middle(w, id[1], 0, middle[1]);
            if (!(middle[1][1] - middle[0][1] > 0.09))
                fail_msg("rigid %d, %g m/s, offset %g: middles are %g apart", rigid, speed, off, middle[1][1] - middle[0][1]);
            ct_world_destroy(w);
        }
}

/* Equal cubes lie in line. Vertices on the border of a top slide inward by more than the legal penetration, some from outside: they stay contacts of
   the top, although they are behind the plane of the side, over which they are, too */
static void borders_are_slid_over(void **state)
{
    int damped, i;
    (void)state;
    for (damped = 0; damped < 2; damped++) {
        ct_world_desc d = desc_of();
        ct_world *w = world_make(&d);
        double deepest = 0;
        int held = 0;
        add_plane(w, 0, 1, 0, 0);
        for (i = 0; i < 2; i++)
            add_box(w, 0.05, 3, 1e5, 0.49, damped ? 1e-3 : 0, 0, 0.026 + 0.055 * i, 0, 0);
        for (i = 0; i < 8; i++) {
            ct_step_report r = step_once(w, 0.01);
            held += r.rk.held, deepest = fmax(deepest, (double)r.rk.penetration_held);
        }
        if (!(held > 0 && deepest < 1e-4 * 0.05 / 3))
            fail_msg("damped %d: %d held contacts, the deepest %g", damped, held, deepest);
        ct_world_destroy(w);
    }
}

/* a grid of 1 m, or with `closed` a box below it; `turned`: its triangles the other way round */
static ct_mesh ground_of(int closed, int turned)
{
    ct_mesh m = closed ? mesh_box(1, 0.1, 1, 2, 1, 2, 0) : mesh_grid(1, 1, 1, 1);
    int i;
    for (i = 0; closed && i < m.n_positions; i++)
        m.positions[3 * i + 1] -= (ct_real)0.05;
    for (i = 0; turned && i < m.n_triangles; i++) {
        int32_t a = m.triangles[3 * i];
        m.triangles[3 * i] = m.triangles[3 * i + 1], m.triangles[3 * i + 1] = a;
    }
    return m;
}

/* sheets hold bodies on both sides, and so do closed surfaces of which the triangles face inward: the same motion whichever way they face */
static void sheets_have_two_sides(void **state)
{
    int closed, rigid, turned, edges, i;
    (void)state;
    for (edges = 0; edges < 2; edges++)
        for (closed = 0; closed < 2; closed++)
            for (rigid = 0; rigid < 2; rigid++) {
                double y[2];
                for (turned = 0; turned < 2; turned++) {
                    static const double at[3] = {0.013, 0.06, 0.017}, v[3] = {0, -1, 0};
                    ct_world_desc d = desc_of();
                    ct_world *w;
                    ct_mesh m = ground_of(closed, turned);
                    ct_static_desc ground = ct_static_desc_default();
                    ct_body_id id;
                    d.rk.edges = edges;
                    w = world_make(&d);
                    ground.mesh = &m;
                    assert_int_equal(ct_body_add_static(w, &ground, NULL), CT_OK);
                    id = rigid ? add_rigid_box(w, 0.1, 0.1, 0.1, 1000, at, v, 0) : add_box(w, 0.1, 2, 1e5, 0.4, 0, at[0], at[1], at[2], -1);
                    for (i = 0; i < 12; i++) {
                        ct_step_report r = step_once(w, 0.01);
                        assert_true(r.energy_kinetic + r.energy_elastic < 1.1);
                        assert_true(end_of(w, id, 0) > -1e-4);
                    }
                    y[turned] = end_of(w, id, 0);
                    ct_mesh_free(&m);
                    ct_world_destroy(w);
                }
                assert_true(fabs(y[0] - y[1]) < (FLOAT ? 1e-3 : 1e-6));
            }
}

/* a box is thrown about in a room, of which the triangles face inward, and between two sheets */
static void rooms_keep_their_boxes(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        static const double at[3] = {0.01, 0.02, 0.03}, v[3] = {1, 2, 0.5};
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_mesh m = k ? mesh_grid(2, 2, 1, 1) : mesh_box(0.4, 0.4, 0.4, 1, 1, 1, 0);
        ct_static_desc wall = ct_static_desc_default();
        ct_body_id id;
        for (i = 0; !k && i < m.n_triangles; i++) {
            int32_t a = m.triangles[3 * i];
            m.triangles[3 * i] = m.triangles[3 * i + 1], m.triangles[3 * i + 1] = a;
        }
        w = world_make(&d);
        wall.mesh = &m, wall.position[1] = k ? (ct_real)0.2 : 0;
        assert_int_equal(ct_body_add_static(w, &wall, NULL), CT_OK);
        wall.position[1] = (ct_real)-0.2;
        if (k)
            assert_int_equal(ct_body_add_static(w, &wall, NULL), CT_OK);
        id = add_rigid_box(w, 0.1, 0.1, 0.1, 1000, at, v, 0.3);
        for (i = 0; i < 40; i++) {
            step_once(w, 0.01);
            assert_true(end_of(w, id, 0) > -0.2001 && end_of(w, id, 1) < 0.2001);
        }
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* the tip of a tetrahedron falls into a pit with the shape of a pyramid, beside its lowest vertex: it does not go through */
static void tips_stay_in_pits(void **state)
{
    static const double offsets[3] = {1e-6, 1e-4, 1e-3};
    static const int32_t faces[42] = {0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2,
                                      2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0, 4, 8, 5, 5, 8, 6, 6, 8, 7, 7, 8, 4};
    static const double corners[27] = {-1, -1, -1, 1, -1, -1, 1, -1, 1, -1, -1, 1, -1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1, 0, -0.6, 0};
    static const double tip[12] = {0, 0, 0, -0.03, 0.15, 0.02, 0.03, 0.15, 0.02, 0, 0.15, -0.03};
    int soft, k, i;
    (void)state;
    for (soft = 0; soft < 2; soft++)
        for (k = 0; k < 3; k++) {
            ct_world_desc d = desc_of();
            ct_world *w = world_make(&d);
            ct_real x[27], y[12];
            int32_t t[42], tet[4] = {0, 1, 2, 3};
            double at[3] = {0, 0, 0}, v[3] = {0, -2, 0};
            ct_mesh block, spike;
            ct_static_desc wall = ct_static_desc_default();
            ct_rigid_desc rd = ct_rigid_desc_default();
            ct_body_id id;
            memset(&block, 0, sizeof block), memset(&spike, 0, sizeof spike);
            for (i = 0; i < 27; i++)
                x[i] = (ct_real)(0.1 * corners[i]);
            for (i = 0; i < 12; i++)
                y[i] = (ct_real)tip[i];
            memcpy(t, faces, sizeof t);
            block.positions = x, block.n_positions = 9, block.triangles = t, block.n_triangles = 14;
            spike.positions = y, spike.n_positions = 4, spike.tets = tet, spike.n_tets = 1;
            wall.mesh = &block;
            assert_int_equal(ct_body_add_static(w, &wall, NULL), CT_OK);
            at[0] = at[2] = offsets[k];
            rd.mesh = &spike, rd.velocity[1] = -2, rd.position[0] = rd.position[2] = (ct_real)offsets[k];
            if (soft)
                id = add_soft(w, "spike", &spike, 1e6, 0.3, 0, at, v);
            else
                assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
            for (i = 0; i < 25; i++) {
                step_once(w, 0.005);
                if (!(end_of(w, id, 0) > -0.06 - 1e-4))
                    fail_msg("soft %d, offset %g, step %d: the tip is %g below the pit", soft, offsets[k], i, -0.06 - end_of(w, id, 0));
            }
            ct_world_destroy(w);
        }
}

/* a box of which a script holds every node in x falls on a slope: its nodes are moved back in the other directions only */
static void held_directions_stay(void **state)
{
    int kind, i, k, n;
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        static const ct_real along[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
        int32_t nodes[27];
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_body_id id;
        double *before, recovery = 0;
        d.gravity[1] = 0;
        w = world_make(&d);
        id = add_box(w, 0.1, 2, 1e5, 0.4, 0, 0, 0.16, 0, -1);
        add_plane(w, -0.6, 0.8, 0, 0);
        before = read_vectors(w, id, 0, &n);
        assert_int_equal(n, 27);
        for (i = 0; i < n; i++) {
            nodes[i] = i;
            if (kind)
                assert_int_equal(ct_body_constrain(w, id, i, along), CT_OK);
        }
        if (!kind)
            assert_int_equal(ct_body_pin(w, id, nodes, n, CT_AXIS_X, NULL, -1), CT_OK);
        for (k = 0; k < 12; k++) {
            double *x;
            recovery += step_once(w, 0.01).work_recovery;
            x = read_vectors(w, id, 0, NULL);
            for (i = 0; i < n; i++)
                if (!(fabs(x[3 * i] - before[3 * i]) < (FLOAT ? 1e-6 : 1e-12)))
                    fail_msg("kind %d, step %d: node %d is %g off", kind, k, i, x[3 * i] - before[3 * i]);
            free(x);
        }
        assert_true(recovery > 1e-5);
        free(before);
        ct_world_destroy(w);
    }
}

/* two boxes of 1 cm, one on the other, are the same beside a far body of whatever size: lengths of contacts are those of their own bodies */
static void far_bodies_change_nothing(void **state)
{
    static const double sizes[3] = {0, 10, FLOAT ? 20 : 1000};
    double y[3], top[3];
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world_desc d = desc_of();
        ct_world *w = world_make(&d);
        ct_body_id id;
        add_plane(w, 0, 1, 0, 0);
        add_box(w, 0.01, 1, 1e5, 0.4, 0, 0, 0.0051, 0, 0);
        id = add_box(w, 0.01, 1, 1e5, 0.4, 0, 0.0013, 0.0156, 0.0007, -0.3);
        if (sizes[k] > 0)
            add_box(w, sizes[k], 1, 1e5, 0.4, 0, 3 * sizes[k], sizes[k], 0, 0);
        for (i = 0; i < 10; i++)
            step_once(w, 0.005);
        y[k] = end_of(w, id, 0), top[k] = end_of(w, id, 1);
        if (!(fabs(y[k] - y[0]) < 1e-5 && fabs(top[k] - top[0]) < 1e-5))
            fail_msg("beside a body of %g m the box is between %g and %g, without it between %g and %g", sizes[k], y[k], top[k], y[0], top[0]);
        ct_world_destroy(w);
    }
}

/* damping_mass lets a rigid body come to rest: velocities fall as exp(-alpha t), and the loss is the energy that is gone */
static void rigid_bodies_are_damped(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world_desc d = desc_of();
        ct_rigid_desc q = ct_rigid_desc_default();
        ct_mesh m = mesh_box(0.3, 0.1, 0.05, 1, 1, 1, 0);
        ct_world *w;
        ct_body_id id;
        ct_real v[3], turn[3];
        double loss = 0, start = 0, end = 0;
        d.gravity[1] = 0;
        w = world_make(&d);
        q.mesh = &m, q.damping_mass = 2, q.velocity[1] = 1, q.angular_velocity[k] = 3;
        q.rotation[0] = (ct_real)0.8, q.rotation[k] = 0, q.rotation[k + 1] = (ct_real)0.6;
        assert_int_equal(ct_body_add_rigid(w, &q, &id), CT_OK);
        for (i = 0; i < 10; i++) {
            ct_step_report r = step_once(w, 0.05);
            loss += r.loss_damping;
            assert_int_equal(r.status, CT_STATUS_OK);
            if (i == 0)
                start = r.energy_kinetic + r.loss_damping;
            end = r.energy_kinetic;
        }
        assert_int_equal(ct_body_get_motion(w, id, v, turn), CT_OK);
        if (!(fabs((double)v[1] - exp(-1.0)) < 1e-3 && fabs((double)turn[k] - 3 * exp(-1.0)) < 3e-3 && fabs(start - end - loss) < 1e-3 * start))
            fail_msg("axis %d: v %g, w %g; loss %g of %g", k, (double)v[1], (double)turn[k], loss, start - end);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* a cube overlaps two walls of a corner by a third of its edges: it is moved out of both, and this motion is none of a Runge-Kutta step. Steps are
   not OK until it is out */
static void overlaps_in_corners_are_left(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_step_report r;
    int k;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    add_box(w, 0.1, 2, 1e5, 0.3, 0, 0.032, 0.2, 0.032, 0);
    add_still_box(w, 0.2, 0.4, 0.6, 1, 1, -0.1, 0.2, 0.31);
    add_still_box(w, 0.6, 0.4, 0.2, 1, 1, 0.31, 0.2, -0.1);
    r = step_once(w, 0.002);
    if (!(r.status == CT_STATUS_NOT_CONVERGED && r.rk.rejected == 0 && r.work_recovery > 0))
        fail_msg("status %d, %d rejected, recovery %g", (int)r.status, r.rk.rejected, r.work_recovery);
    for (k = 0; k < 30; k++)
        r = step_once(w, 0.002);
    if (!(r.status == CT_STATUS_OK && r.penetration == 0))
        fail_msg("status %d, %g deep", (int)r.status, (double)r.penetration);
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
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1), wire;
    ct_real ends[6] = {-1, 0, 0, 1, 0, 0};
    int32_t line[2] = {0, 1};
    ct_static_desc still = ct_static_desc_default();
    ct_kinematic_desc moves = ct_kinematic_desc_default();
    ct_body_id id;
    (void)state;
    memset(&wire, 0, sizeof wire);
    d.friction = (ct_real)0.1;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.text, "friction"));
    d.friction = 0, d.self_collision = 1;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.text, "self_collision"));
    d.self_collision = 0, d.rk.tolerance = 0;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "rk.tolerance"));
    d = desc_of(), d.rk.rules = CT_EXPLICIT_NODE, d.rk.refine = CT_REFINE_SURFACE;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_UNSUPPORTED);
    assert_true(strstr(e.text, "rk.rules") && strstr(e.text, "rk.refine"));
    d = desc_of(), d.rk.program = CT_EXPLICIT_PROGRAM_COUNT_;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "rk.program"));
    d = desc_of();
    w = world_make(&d);
    q.mesh = &m, q.friction = (ct_real)0.2;
    assert_int_equal(ct_body_add_soft(w, &q, NULL), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(w)->text, "friction"));
    q.friction = 0;
    assert_int_equal(ct_body_add_soft(w, &q, &id), CT_OK);
    assert_int_equal(ct_body_set_friction(w, id, (ct_real)0.5), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(w)->text, "friction"));
    assert_int_equal(ct_body_set_friction(w, id, 0), CT_OK);
    ct_mesh_free(&m);
    /* a wire has no faces that could hold a body */
    wire.positions = ends, wire.n_positions = 2, wire.segments = line, wire.n_segments = 1;
    still.mesh = &wire, still.name = "wire", moves.mesh = &wire;
    assert_int_equal(ct_body_add_static(w, &still, NULL), CT_ERR_UNSUPPORTED);
    assert_true(strstr(ct_world_error(w)->text, "wire") && strstr(ct_world_error(w)->text, "segments"));
    assert_int_equal(ct_body_add_kinematic(w, &moves, NULL), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(w)->text, "segments"));
    /* a line along an edge of a triangle, as mesh generators write it, is no wire */
    m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    {
        int32_t along[2];
        along[0] = m.triangles[0], along[1] = m.triangles[1];
        wire = m, wire.segments = along, wire.n_segments = 1;
        assert_int_equal(ct_body_add_static(w, &still, NULL), CT_OK);
    }
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
        bound = (double)cti_explicit_own(&w->state)->stable_step * (k ? 1.68 : 1);
        hash = ct_world_hash(w);
        assert_int_equal(ct_world_step(w, (ct_real)0.1, NULL), CT_ERR_UNSUPPORTED);
        text = strstr(ct_world_error(w)->text, "bound is ");
        assert_non_null(text);
        assert_true(strstr(ct_world_error(w)->text, "rk.fixed_step") && fabs(strtod(text + 9, NULL) - bound) < 1e-3 * bound);
        assert_true(ct_world_hash(w) == hash);
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

/* a box exactly on a plane without gravity stays there, however short the steps are */
static void short_steps_push_nothing(void **state)
{
    int rigid, k;
    (void)state;
    for (rigid = 0; rigid < 2; rigid++) {
        static const double at[3] = {0, 0.05, 0}, still[3] = {0, 0, 0};
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_step_report r;
        double lost = 0, bound = FLOAT ? 1e-7 : 1e-9;
        d.gravity[1] = 0;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        if (rigid)
            add_rigid_box(w, 0.1, 0.1, 0.1, 1000, at, still, 0);
        else
            add_box(w, 0.1, 2, 1e5, 0.4, 0, 0, 0.05, 0, 0);
        for (k = 0; k < 15; k++) {
            r = step_once(w, k < 10 ? 1e-8 : 1e-2);
            lost += fabs(r.loss_contact);
            assert_int_equal(r.status, CT_STATUS_OK);
        }
        if (!(r.energy_kinetic < bound && lost < bound))
            fail_msg("rigid %d: %g J of motion, contacts took %g J", rigid, r.energy_kinetic, lost);
        ct_world_destroy(w);
    }
}

/* A box meets a plane slowly, in the middle of a step. It loses a third of its energy, and never has more than at the start */
static void impacts_gain_nothing(void **state)
{
    static const double gap[3] = {0.0004, 0.00152, 0.00209};
    int turn, k;
    (void)state;
    for (turn = 0; turn < 3; turn++) {
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_step_report r;
        double start = 0.5 * 0.1 * 0.1, stored = 0;
        d.gravity[1] = 0;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        add_box(w, 0.1, 2, 1e5, 0.4, 0, 0, 0.05 + gap[turn], 0, -0.1);
        for (k = 0; k < 5; k++) {
            r = step_once(w, 0.02);
            stored += r.work_recovery;
            assert_int_equal(r.status, CT_STATUS_OK);
            assert_true(r.energy_kinetic + r.energy_elastic < 1.01 * start);
        }
        if (!(r.energy_kinetic + r.energy_elastic < 0.7 * start && stored < 0.02 * start))
            fail_msg("gap %g: %g of the energy is left, moves back stored %g of it", gap[turn], (r.energy_kinetic + r.energy_elastic) / start,
                     stored / start);
        ct_world_destroy(w);
    }
}

/* a box that overlaps a plane by a fifth of its height comes out at about the recovery speed; steps are not OK until it is out */
static void overlaps_come_out_slowly(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w = world_make(&d);
    ct_step_report r;
    double most = 0;
    int k;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    add_box(w, 0.1, 2, 1e5, 0.4, 0, 0, 0.03, 0, 0);
    for (k = 0; k < 10; k++) {
        r = step_once(w, 0.01);
        most = fmax(most, r.energy_kinetic + r.energy_elastic);
        assert_true(k > 0 || r.status == CT_STATUS_NOT_CONVERGED);
    }
    if (!(most < 2 && r.status == CT_STATUS_OK && r.penetration == 0))
        fail_msg("%g J, status %s, %g deep", most, ct_status_text(r.status), (double)r.penetration);
    ct_world_destroy(w);
}

/* A fast cube is in a thin wall at the start. The bound that keeps bodies on their sides of a thin one does not shorten steps while they overlap */
static void overlaps_shorten_no_steps(void **state)
{
    static const double at[3] = {0, 0.055, 0}, v[3] = {20, 0, 0};
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_step_report r;
    (void)state;
    d.gravity[1] = 0, d.rk.edges = 0;
    w = world_make(&d);
    add_soft(w, "cube", &m, 1e4, 0.3, 0, at, v);
    add_still_box(w, 4, 0.02, 4, 40, 40, 0, 0, 0);
    r = step_once(w, 0.002);
    if (!(r.rk.left > 0 && r.rk.dt_most > 5e-4 && r.rk.rejected == 0))
        fail_msg("%d deep contacts, %d rejected, steps of at most %g s", r.rk.left, r.rk.rejected, (double)r.rk.dt_most);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* momentum and angular momentum about z of rigid bodies of equal shape; out [4] */
static void momenta(const ct_world *w, double *out)
{
    const cti_state *s = &w->state;
    int i, k;
    memset(out, 0, 4 * sizeof *out);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        const cti_rigid *b = &s->bodies.rigids[i];
        const ct_real *x = s->x + 3 * (size_t)b->block, *v = s->v + 3 * (size_t)b->block;
        for (k = 0; k < 3; k++)
            out[k] += (double)b->mass * (double)v[k];
        out[3] += (double)b->mass * ((double)x[0] * (double)v[1] - (double)x[1] * (double)v[0]) + (double)b->spin[2];
    }
}

/* two balls that graze: the move back takes little of their angular momentum */
static void grazing_balls_keep_angular_momentum(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_mesh m;
    double before[4], after[4];
    int i;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    assert_int_equal(ct_mesh_sphere((ct_real)0.5, 2, &m, NULL), CT_OK);
    for (i = 0; i < 2; i++) {
        ct_rigid_desc q = ct_rigid_desc_default();
        q.mesh = &m;
        if (i)
            q.position[0] = (ct_real)-0.52, q.position[1] = (ct_real)0.9, q.velocity[0] = 6, q.velocity[1] = -1;
        assert_int_equal(ct_body_add_rigid(w, &q, NULL), CT_OK);
    }
    ct_mesh_free(&m);
    step_once(w, 1e-9);
    momenta(w, before);
    for (i = 0; i < 6; i++)
        step_once(w, 0.02);
    momenta(w, after);
    if (!(fabs(after[3] - before[3]) < 1e-3 * fabs(before[3])))
        fail_msg("angular momentum %g, then %g", before[3], after[3]);
    ct_world_destroy(w);
}

/* a step of a squeezed box that blows up is not OK, whatever a body far away does, and in any frame */
static void gains_in_any_frame(void **state)
{
    int turn, i;
    (void)state;
    for (turn = 0; turn < 3; turn++) {
        static const double far[3] = {100, 0, 0}, fast[3] = {10, 0, 0};
        ct_world_desc d = desc_of();
        ct_world *w;
        ct_body_id id;
        ct_step_report r;
        ct_real v[3 * 27];
        double *x, bound;
        int n;
        d.gravity[1] = 0;
        w = world_make(&d);
        id = add_box(w, 0.1, 2, 1e5, 0.4, 1e-3, 0, 0, 0, 0);
        if (turn == 1)
            add_rigid_box(w, 1, 1, 1, 1000, far, fast, 0);
        step_once(w, 1e-9);
        bound = (double)cti_explicit_own(&w->state)->stable_step;
        w->state.desc.rk.fixed_step = (ct_real)(0.99 * bound);
        x = read_vectors(w, id, 0, &n);
        for (i = 0; i < 3 * n; i++)
            v[i] = (ct_real)((i % 3 == 1 ? -250 * x[i] : 0) + (turn == 2 && i % 3 == 2 ? 300 : 0));
        free(x);
        assert_int_equal(ct_body_set_velocities(w, id, v, n), CT_OK);
        r = step_once(w, 9.9 * bound);
        if (!(r.energy_gained > 1 && r.status == CT_STATUS_NOT_CONVERGED))
            fail_msg("turn %d: gain of %g J, status %s", turn, r.energy_gained, ct_status_text(r.status));
        ct_world_destroy(w);
    }
}

/* a cube that rotates falls on its corner: the contacts' impulses are those that change its momentum, though their normals turn */
static void impulses_change_momentum(void **state)
{
    static const double at[3] = {0.01, 0.075, 0.003}, still[3] = {0, 0, 0};
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_body_id id;
    double before[4], after[4], worst = 0, most = 0;
    int i, j, k, n;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    add_still_box(w, 0.06, 0.1, 0.04, 1, 1, 0, -0.05, 0);
    id = add_rigid_box(w, 0.1, 0.1, 0.1, 1000, at, still, 0.6);
    {
        ct_real v[3] = {0, (ct_real)-0.5, 0}, turn[3] = {1, (ct_real)0.4, 6};
        assert_int_equal(ct_body_set_motion(w, id, v, turn), CT_OK);
    }
    step_once(w, 1e-9);
    momenta(w, before);
    for (k = 0; k < 40; k++) {
        const ct_contact *c;
        double sum[3] = {0, 0, 0};
        step_once(w, 0.005);
        momenta(w, after);
        ct_world_contacts(w, &c, &n);
        for (i = 0; i < n; i++)
            for (j = 0; j < 3; j++)
                sum[j] += (c[i].body_a.index1 == id.index1 ? 1 : -1) * (double)(c[i].normal[j] * c[i].impulse_normal +
                          c[i].tangent[0][j] * c[i].impulse_tangent[0] + c[i].tangent[1][j] * c[i].impulse_tangent[1]);
        for (j = 0; j < 3; j++)
            worst = fmax(worst, fabs(after[j] - before[j] - sum[j])), most = fmax(most, fabs(sum[j])), before[j] = after[j];
    }
    if (!(most > 0.1 && worst < (FLOAT ? 1e-5 : 1e-12) * most))
        fail_msg("impulses up to %g are off by %g", most, worst);
    ct_world_destroy(w);
}

/* The first Runge-Kutta step after a collision blows up, and is left out: its contacts are those of its start. Their impulses are along the normals
   of the faces, and the points are where the bodies meet */
static void contacts_of_steps_left_out(void **state)
{
    static const double at[3] = {0.013, 0.1, 0.007}, v[3] = {0, -1e4, 0};
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_step_report r;
    const ct_contact *c;
    int i, n;
    (void)state;
    d.gravity[1] = 0, d.rk.fixed_step = (ct_real)1e-3;
    w = world_make(&d);
    add_box(w, 0.1, 2, 1e5, 0.3, 0, 0, 0, 0, 0);
    add_soft(w, "fast", &m, 1e5, 0.3, 0, at, v);
    r = step_once(w, 0.002);
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    assert_true(r.status == CT_STATUS_NOT_CONVERGED && r.rk.accepted == 0 && n > 0);
    for (i = 0; i < n; i++) {
        double off = fabs((double)c[i].impulse_tangent[0]) + fabs((double)c[i].impulse_tangent[1]), gap = (double)(c[i].gap + d.thickness);
        if (!(fabs((double)c[i].normal[1]) > 0.99999 && fabs((double)c[i].point[1] - 0.05) < 1e-5 && fabs(gap) < 1e-5 &&
              off < 1e-4 * (double)c[i].impulse_normal))
            fail_msg("contact %d of %d: height %g, normal %g, gap %g, impulse %g, %g beside", i, n, (double)c[i].point[1], (double)c[i].normal[1],
                     gap, (double)c[i].impulse_normal, off);
    }
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a plate presses a box down to a tenth of its height: all elements are beyond J = 0.2, and are counted */
static void crushed_elements_are_counted(void **state)
{
    ct_world_desc d = desc_of();
    ct_world *w;
    ct_mesh m = mesh_box(0.4, 0.02, 0.4, 1, 1, 1, 0);
    ct_kinematic_desc q = ct_kinematic_desc_default();
    ct_step_report r;
    int k;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    add_box(w, 0.1, 2, 1e5, 0.3, 1e-3, 0, 0.0505, 0, 0);
    q.mesh = &m, q.position[1] = (ct_real)0.112, q.motion.linear[1] = -1;
    assert_int_equal(ct_body_add_kinematic(w, &q, NULL), CT_OK);
    for (k = 0; k < 46; k++)
        r = step_once(w, 0.002);
    assert_int_equal(r.extended_elements, 40);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* Four vertices of a box touch a plane once; and a second of steps of 1e-5 s, a tenth of it here, has as many as it should */
static void counts_of_steps(void **state)
{
    static const double at[3] = {0, 0.06, 0}, still[3] = {0, 0, 0};
    ct_world_desc d = desc_of();
    ct_world *w = world_make(&d);
    int k, first = 0;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    add_rigid_box(w, 0.1, 0.1, 0.1, 1000, at, still, 0);
    for (k = 0; k < 60; k++) {
        ct_step_report r = step_once(w, 0.002);
        first += r.rk.first;
        assert_true(r.rk.held <= r.rows * r.rk.accepted);
    }
    assert_int_equal(first, 4);
    ct_world_destroy(w);
    d.rk.fixed_step = (ct_real)1e-5;
    w = world_make(&d);
    add_rigid_box(w, 0.1, 0.1, 0.1, 1000, at, still, 0);
    k = step_once(w, 0.1).rk.accepted;
    if (abs(k - 10000) > 1)
        fail_msg("%d steps", k);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_against_enumeration),
        cmocka_unit_test(methods_agree), cmocka_unit_test(forces_of_no_accelerations),
        cmocka_unit_test(forces_by_differences),
        cmocka_unit_test(distances_by_differences),
        cmocka_unit_test(order_of_steps), cmocka_unit_test(held_contacts),         
        cmocka_unit_test(they_part), cmocka_unit_test(squeezed_contacts), cmocka_unit_test(refusals),
                    cmocka_unit_test(intersections_are_counted), cmocka_unit_test(edges_do_not_sink), cmocka_unit_test(rules_and_methods), cmocka_unit_test(explosions_are_not_kept),
        cmocka_unit_test(moved_behind_a_plane), cmocka_unit_test(moved_into_a_body), cmocka_unit_test(middles_of_edges),
               cmocka_unit_test(middles_of_long_edges), cmocka_unit_test(fast_bodies_meet),
        cmocka_unit_test(corners_on_rigid_faces), cmocka_unit_test(embedded_surfaces_keep_their_energy),
        cmocka_unit_test(flat_elements_are_at_rest), cmocka_unit_test(thin_bodies_have_two_sides), cmocka_unit_test(overlaps_in_corners_are_left),
        cmocka_unit_test(pinned_vertices_couple_no_regions),
        cmocka_unit_test(bars_lie_on_walls),
        cmocka_unit_test(sharp_edges_meet_straight),
        cmocka_unit_test(plates_rest),
        cmocka_unit_test(arcs_meet),
        cmocka_unit_test(short_steps_push_nothing),
        cmocka_unit_test(impacts_gain_nothing),
        cmocka_unit_test(overlaps_come_out_slowly), cmocka_unit_test(overlaps_shorten_no_steps),
        cmocka_unit_test(grazing_balls_keep_angular_momentum),
        cmocka_unit_test(gains_in_any_frame),
        cmocka_unit_test(impulses_change_momentum),
        cmocka_unit_test(contacts_of_steps_left_out),
        cmocka_unit_test(crushed_elements_are_counted),
        cmocka_unit_test(counts_of_steps),
        cmocka_unit_test(boxes_meet_in_line), cmocka_unit_test(borders_are_slid_over),
        cmocka_unit_test(sheets_have_two_sides),
        cmocka_unit_test(rooms_keep_their_boxes),
        cmocka_unit_test(tips_stay_in_pits),
        cmocka_unit_test(held_directions_stay),
        cmocka_unit_test(rigid_bodies_are_damped),
        cmocka_unit_test(far_bodies_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
