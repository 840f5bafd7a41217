/* test_explicit.c -- the explicit stepper: contact forces against enumeration, forces and derivatives of distances by finite differences, order
   of the Runge-Kutta rule, contacts that are held, what they store and release, squeezed contacts, statuses and refusals. */
#include "world_util.h"
#include "../src/9_world/world.h"

#define FLOAT (CONTACT_REAL == 32)
#define H (FLOAT ? 3e-3 : 1e-5) /* of finite differences */

static double span(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * lcg(seed); }

/* ---- contact forces ---- */

enum { MOST = 6 };

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
        double K[MOST * MOST], J[MOST][MOST], b[MOST], u[MOST], f[MOST], work[2 * MOST * MOST + 9 * MOST], natural = 0, y[MOST], gain = 0, top = 0;
        uint8_t active[MOST];
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
        there = enumerate(K, b, n, u);
        outcome = cti_explicit_program(K, b, n, active, f, work, &natural);
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

/* ---- worlds ---- */

static ct_world_desc desc_of(void)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    d.stepper = CT_STEPPER_EXPLICIT;
    d.self_collision = 0;
    return d;
}

static ct_body_id add_soft(ct_world *w, const char *name, const ct_mesh *m, double young, double poisson, double damping, const double *at, const double *v)
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
    double h = FLOAT ? 2e-2 : 1e-4;
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
            c.bias += cti_v3_dot(c.entry[i].g, cti_v3_at(a, c.entry[i].block)), second -= 0;
        tested++;
        if (fabs(rate - (double)c.rate) > (FLOAT ? 5e-2 : 1e-3) * (1 + fabs(rate)) || fabs(second - (double)c.bias) > (FLOAT ? 5.0 : 2e-2) * (1 + fabs(second)))
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_against_enumeration),
        cmocka_unit_test(forces_by_differences),
        cmocka_unit_test(distances_by_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
