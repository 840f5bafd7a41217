/* test_tet.c -- tetrahedra: forces and stiffness of every model against finite differences over a table of shapes, rigid motion, momentum,
   definiteness of the projected stiffness, small strains against linear elasticity, the continued logarithm, whole and part batches. */
#include "model_check.h"

static const ct_real rest4[12] = {0, 0, 0, 1, CTI_R(0.1), 0, CTI_R(0.2), CTI_R(1.1), CTI_R(0.1), CTI_R(0.1), CTI_R(0.3), CTI_R(0.9)};
static const int32_t tet4[4] = {0, 1, 2, 3};
static const ct_model models[5] = {CT_MODEL_NEOHOOKEAN, CT_MODEL_COROTATIONAL, CT_MODEL_STVK, CT_MODEL_STABLE_NEOHOOKEAN,
                                   CT_MODEL_HONG_NEOHOOKEAN};

typedef struct shape {
    const char *name;
    ct_real f[9];
} shape;
static const shape shapes[] = {
    {"rest", {1, 0, 0, 0, 1, 0, 0, 0, 1}},
    {"stretched", {CTI_R(1.7), 0, 0, 0, CTI_R(0.9), 0, 0, 0, CTI_R(1.1)}},
    {"compressed", {CTI_R(0.7), 0, 0, 0, CTI_R(0.8), 0, 0, 0, CTI_R(0.75)}},
    {"squeezed", {1, 0, 0, 0, CTI_R(0.3), 0, 0, 0, 1}},
    {"sheared", {1, CTI_R(0.8), CTI_R(0.2), 0, 1, CTI_R(-0.5), 0, 0, 1}},
    {"nearly flat", {1, 0, 0, 0, CTI_R(0.05), 0, 0, 0, CTI_R(1.2)}},
    {"flat", {1, CTI_R(0.1), 0, 0, 0, 0, 0, CTI_R(0.2), CTI_R(1.2)}},
    {"inverted", {CTI_R(1.1), 0, CTI_R(0.2), 0, CTI_R(-0.6), 0, 0, CTI_R(0.1), CTI_R(0.9)}},
    {"crushed", {CTI_R(0.4), 0, 0, 0, CTI_R(0.5), 0, CTI_R(0.1), 0, CTI_R(0.45)}},
    {"mirrored", {1, 0, 0, 0, 1, 0, 0, 0, CTI_R(-1.3)}},
};
enum { N_SHAPES = (int)(sizeof shapes / sizeof *shapes) };

static ct_material material(ct_model model)
{
    ct_material m = ct_material_default(model);
    m.young = 1000, m.poisson = CTI_R(0.35), m.damping_stiffness = 0;
    return m;
}

/* a body of `n_tets` copies of the one tet over the same four nodes */
static void make(cti_mem *mem, cti_model *model, ct_model kind, int n_tets)
{
    ct_material m = material(kind);
    int32_t tets[4 * 20];
    const cti_rest_mesh rest = cti_rest_mesh_of(rest4, 4, tets, n_tets, 0);
    int64_t bad;
    double value;
    int i, n = 4;
    for (i = 0; i < 4 * n_tets; i++)
        tets[i] = tet4[i % 4];
    memset(model, 0, sizeof *model);
    cti_mem_init(mem, NULL);
    assert_int_equal(cti_model_init_soft(mem, model, &m, &rest, &bad, &value), 1);
    assert_int_equal(cti_model_slots(mem, model, model_dense_slot, &n), 1);
}
static void done(cti_mem *mem, cti_model *model)
{
    cti_model_free(mem, model);
    assert_int_equal(mem->bytes_live, 0);
}

static void place(const ct_real *f, ct_real *x)
{
    int i;
    for (i = 0; i < 4; i++)
        cti_v3_put(x, i, cti_m3_mul_v(f, cti_v3_at(rest4, i)));
}

/* R of F = R S is not unique where the two smaller singular values sum to zero: nothing to compare there */
static int has_rotation(ct_model kind, int s) { return kind != CT_MODEL_COROTATIONAL || (s != 6 && s != 9); }

static void test_differences(void **state)
{
    int k, s;
    (void)state;
    if (sizeof(ct_real) < 8)
        skip();
    for (k = 0; k < 5; k++)
        for (s = 0; s < N_SHAPES; s++) {
            cti_mem mem;
            cti_model model;
            ct_real x[12], y[12], force, K;
            if (!has_rotation(models[k], s))
                continue;
            make(&mem, &model, models[k], 1);
            place(shapes[s].f, x);
            model_turn(x, 4, y);
            model_differences(&model, y, 4, 1, &force, &K);
            if (force > CTI_R(1e-7) || K > CTI_R(1e-6))
                print_message("model %d %s: force %.2e stiffness %.2e\n", (int)models[k], shapes[s].name, (double)force, (double)K);
            assert_true(force < CTI_R(1e-7));
            assert_true(K < CTI_R(1e-6));
            done(&mem, &model);
        }
}

static void test_balance_and_definiteness(void **state)
{
    int k, s, h;
    (void)state;
    for (k = 0; k < 5; k++)
        for (s = 0; s < N_SHAPES; s++) {
            cti_mem mem;
            cti_model model;
            ct_real x[12], y[12];
            make(&mem, &model, models[k], 1);
            place(shapes[s].f, x);
            model_turn(x, 4, y);
            for (h = CTI_HESSIAN_STEP; h <= CTI_HESSIAN_EXACT; h++) {
                model_check_balance(&model, h, y, 4);
                if (h != CTI_HESSIAN_EXACT)
                    model_check_definite(&model, h, y, 4);
            }
            done(&mem, &model);
        }
}

/* the projection does not change a Hessian that is semidefinite already, and changes one that is not */
static void test_projection_is_least(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state exact, projected;
    ct_real x[12], worst = 0;
    int i;
    (void)state;
    make(&mem, &model, CT_MODEL_NEOHOOKEAN, 1);
    place(shapes[1].f, x);
    x[0] -= CTI_R(0.3);
    model_eval(&model, CTI_HESSIAN_EXACT, x, 4, &exact);
    model_eval(&model, CTI_HESSIAN_PROJECTED, x, 4, &projected);
    for (i = 0; i < 144; i++)
        worst = cti_max(worst, cti_abs(exact.K[i] - projected.K[i]));
    assert_true(worst <= CTI_R(1e-12) * model_norm(exact.K, 144) || sizeof(ct_real) == 4);
    place(shapes[2].f, x);
    model_eval(&model, CTI_HESSIAN_EXACT, x, 4, &exact);
    model_eval(&model, CTI_HESSIAN_PROJECTED, x, 4, &projected);
    for (worst = 0, i = 0; i < 144; i++)
        worst = cti_max(worst, cti_abs(exact.K[i] - projected.K[i]));
    assert_true(worst > CTI_R(1e-3) * model_norm(exact.K, 144));
    done(&mem, &model);
}

/* the largest tr R'F of a rotation R: the largest eigenvalue of Horn's 4x4 matrix, by Jacobi rotations. Nothing of the library's */
static double best_trace(const double *F)
{
    double N[4][4];
    int i, j, k, sweep;
    N[0][0] = F[0] + F[4] + F[8], N[1][1] = F[0] - F[4] - F[8], N[2][2] = F[4] - F[0] - F[8], N[3][3] = F[8] - F[0] - F[4];
    N[0][1] = F[7] - F[5], N[0][2] = F[2] - F[6], N[0][3] = F[3] - F[1];
    N[1][2] = F[1] + F[3], N[1][3] = F[2] + F[6], N[2][3] = F[5] + F[7];
    for (i = 0; i < 4; i++)
        for (j = 0; j < i; j++)
            N[i][j] = N[j][i];
    for (sweep = 0; sweep < 40; sweep++)
        for (i = 0; i < 4; i++)
            for (j = i + 1; j < 4; j++) {
                double a = 0.5 * atan2(2 * N[i][j], N[j][j] - N[i][i]), c = cos(a), s = sin(a);
                for (k = 0; k < 4; k++) {
                    double x = N[i][k], y = N[j][k];
                    N[i][k] = c * x - s * y, N[j][k] = s * x + c * y;
                }
                for (k = 0; k < 4; k++) {
                    double x = N[k][i], y = N[k][j];
                    N[k][i] = c * x - s * y, N[k][j] = s * x + c * y;
                }
            }
    return fmax(fmax(N[0][0], N[1][1]), fmax(N[2][2], N[3][3]));
}

/* corotational: mu |F - R|^2 + lambda/2 (tr S - 3)^2 with tr S = tr R'F, |F - R|^2 = |F|^2 - 2 tr S + 3, R the rotation nearest to F, also of
   inverted tets, whose S has a negative eigenvalue. The energy is unique also where R is not */
static void test_corotational_energy(void **state)
{
    int s, i;
    (void)state;
    for (s = 0; s < N_SHAPES; s++) {
        cti_mem mem;
        cti_model model;
        ct_material m = material(CT_MODEL_COROTATIONAL);
        ct_real x[12], y[12], mu, lambda;
        double F[9], size = 0, trace, want, volume, got, E = 1000, nu = 0.35;
        make(&mem, &model, CT_MODEL_COROTATIONAL, 1);
        place(shapes[s].f, x);
        model_turn(x, 4, y);
        for (i = 0; i < 9; i++)
            F[i] = (double)shapes[s].f[i], size += F[i] * F[i];
        volume = (double)cti_v3_dot(cti_v3_sub(cti_v3_at(rest4, 1), cti_v3_at(rest4, 0)),
                                    cti_v3_cross(cti_v3_sub(cti_v3_at(rest4, 2), cti_v3_at(rest4, 0)),
                                                 cti_v3_sub(cti_v3_at(rest4, 3), cti_v3_at(rest4, 0)))) /
                 6;
        mu = (ct_real)(E / (2 * (1 + nu))), lambda = (ct_real)(E * nu / ((1 + nu) * (1 - 2 * nu)));
        trace = best_trace(F);
        want = volume * ((double)mu * (size - 2 * trace + 3) + (double)lambda / 2 * (trace - 3) * (trace - 3));
        got = cti_model_energy(&model, y);
        print_message("%s: %.9g J, polar decomposition %.9g J\n", shapes[s].name, got, want);
        assert_true(m.young == 1000 && fabs(got - want) <= (sizeof(ct_real) == 4 ? 1e-4 : 1e-11) * (fabs(want) + (double)lambda));
        done(&mem, &model);
    }
}

static void test_rigid_motion(void **state)
{
    int k;
    (void)state;
    for (k = 0; k < 5; k++) {
        cti_mem mem;
        cti_model model;
        static model_state s;
        ct_real y[12];
        int i;
        make(&mem, &model, models[k], 1);
        for (i = 0; i < 20; i++) {
            model_turn(rest4, 4, y);
            model_eval(&model, CTI_HESSIAN_STEP, y, 4, &s);
            assert_true(model_norm(s.force, 12) < 200 * CTI_EPS * model_norm(s.K, 144));
            assert_true(s.energy > -1e3 * (double)CTI_EPS * 1000 && s.energy < 1e3 * (double)CTI_EPS * 1000);
        }
        done(&mem, &model);
    }
}

/* every model agrees with linear elasticity at small strain: energy V (mu |e|^2 + lambda/2 (tr e)^2) */
static void test_small_strain(void **state)
{
    ct_real f[9], x[12], eps = sizeof(ct_real) == 8 ? CTI_R(1e-5) : CTI_R(3e-3);
    int k, i, j;
    (void)state;
    for (k = 0; k < 5; k++) {
        cti_mem mem;
        cti_model model;
        double e[9], tr, sum = 0, expected, got, volume;
        make(&mem, &model, models[k], 1);
        volume = (double)model.tets.rest[72];
        for (i = 0; i < 9; i++)
            f[i] = eps * model_random() + (i % 4 == 0 ? CTI_R(1) : CTI_R(0));
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                e[3 * i + j] = 0.5 * ((double)f[3 * i + j] + (double)f[3 * j + i]) - (i == j), sum += e[3 * i + j] * e[3 * i + j];
        tr = e[0] + e[4] + e[8];
        expected = volume * ((double)model.tets.mu * sum + 0.5 * (double)model.tets.lambda * tr * tr);
        place(f, x);
        got = cti_model_energy(&model, x) - cti_model_energy(&model, rest4);
        assert_true(fabs(got - expected) < 0.02 * expected + 1e-13 * 1000);
        done(&mem, &model);
    }
}

/* at rest every model has the stiffness of linear elasticity, V (lambda b_a b_b' + mu b_b b_a' + mu b_a . b_b 1), and no force */
static void test_rest_stiffness(void **state)
{
    int k, a, b, i, j, c;
    (void)state;
    for (k = 0; k < 5; k++) {
        cti_mem mem;
        cti_model model;
        static model_state s;
        ct_real g[12], mu, la, volume;
        make(&mem, &model, models[k], 1);
        mu = model.tets.mu, la = model.tets.lambda, volume = model.tets.rest[72];
        for (j = 0; j < 3; j++)
            for (g[j] = 0, a = 1; a < 4; a++)
                g[3 * a + j] = model.tets.rest[8 * (3 * (a - 1) + j)], g[j] -= g[3 * a + j];
        model_eval(&model, CTI_HESSIAN_EXACT, rest4, 4, &s);
        assert_true(model_norm(s.force, 12) <= 100 * CTI_EPS * model_norm(s.K, 144));
        for (a = 0; a < 4; a++)
            for (b = 0; b < 4; b++)
                for (i = 0; i < 3; i++)
                    for (j = 0; j < 3; j++) {
                        ct_real want = la * g[3 * a + i] * g[3 * b + j] + mu * g[3 * b + i] * g[3 * a + j];
                        for (c = 0; i == j && c < 3; c++)
                            want += mu * g[3 * a + c] * g[3 * b + c];
                        assert_true(cti_abs(model_entry(&s, 3 * a + i, 3 * b + j) - volume * want) <= 1000 * CTI_EPS * model_norm(s.K, 144));
                    }
        done(&mem, &model);
    }
}

/* one solve (1 + dt^2 K) d = r by conjugate gradients on the dense matrix */
static void solve_step(const model_state *s, ct_real m, const ct_real *r0, ct_real *d)
{
    ct_real r[12], p[12], q[12], rr = 0, next, pq, least;
    int i, j, k;
    for (i = 0; i < 12; i++)
        d[i] = 0, r[i] = p[i] = r0[i], rr += r0[i] * r0[i];
    least = CTI_EPS * CTI_EPS * rr + CTI_R(1e-30);
    for (k = 0; k < 100 && rr > least; k++) {
        for (pq = 0, i = 0; i < 12; i++) {
            for (q[i] = m * p[i], j = 0; j < 12; j++)
                q[i] += model_entry(s, i, j) * p[j];
            pq += p[i] * q[i];
        }
        for (next = 0, i = 0; i < 12; i++)
            d[i] += rr / pq * p[i], r[i] -= rr / pq * q[i], next += r[i] * r[i];
        for (i = 0; i < 12; i++)
            p[i] = r[i] + next / rr * p[i];
        rr = next;
    }
}

/* regularized Newton's method from mirrored, flat, pointlike and random states: stable neo-Hookean returns to rest, with J > 0 */
static void test_recovery(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state s;
    ct_real m;
    int k, i, it, h;
    (void)state;
    make(&mem, &model, CT_MODEL_STABLE_NEOHOOKEAN, 1);
    model_eval(&model, CTI_HESSIAN_PROJECTED, rest4, 4, &s);
    m = CTI_R(0.1) * model_norm(s.K, 144);
    for (k = 0; k < 12; k++) {
        ct_real x[12], d[12];
        double e = 1;
        for (i = 0; i < 12; i++)
            x[i] = k == 0 ? CTI_R(0.3) + CTI_R(1e-3) * model_random() : 2 * model_random();
        if (k == 1 || k == 2)
            place(shapes[k == 1 ? 9 : 6].f, x);
        for (it = 0; it < 600; it++) {
            model_eval(&model, CTI_HESSIAN_PROJECTED, x, 4, &s);
            assert_true(cti_finite64(s.energy) && cti_finite(model_norm(s.K, 144)));
            solve_step(&s, m, s.force, d);
            e = s.energy;
            /* the step is halved until the energy falls */
            for (i = 0; i < 12; i++)
                x[i] += d[i];
            for (h = 0; h < 40 && cti_model_energy(&model, x) > e; h++)
                for (i = 0; i < 12; i++)
                    d[i] /= 2, x[i] -= d[i];
        }
        if (!(e < 1e-4))
            print_message("start %d: energy %.3g J\n", k, e);
        assert_true(e < 1e-4);
        assert_true(cti_v3_dot(cti_v3_cross(cti_v3_sub(cti_v3_at(x, 1), cti_v3_at(x, 0)), cti_v3_sub(cti_v3_at(x, 2), cti_v3_at(x, 0))),
                               cti_v3_sub(cti_v3_at(x, 3), cti_v3_at(x, 0))) > 0);
    }
    done(&mem, &model);
}

/* St. Venant-Kirchhoff compressed along one axis resists most at 1 / sqrt 3 of its length; only an inverted tet is counted as extended */
static void test_stvk_softens(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state s;
    ct_real f[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[12], best = 0, at = 0;
    int i;
    (void)state;
    make(&mem, &model, CT_MODEL_STVK, 11);
    for (i = 100; i >= -100; i--) {
        f[8] = (ct_real)i / 100, place(f, x);
        model_eval(&model, CTI_HESSIAN_STEP, x, 4, &s);
        assert_true(i == 0 || s.extended == (i > 0 ? 0 : 11));
        if (i > 0 && model_norm(s.force + 9, 3) > best)
            best = model_norm(s.force + 9, 3), at = f[8];
    }
    assert_true(cti_abs(at - CTI_R(0.577)) < CTI_R(0.02));
    done(&mem, &model);
}

/* below J = 0.2 the energy continues with two continuous derivatives and stays finite through inversion */
static void test_continued_logarithm(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state a, b;
    ct_real f[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[12];
    int i;
    (void)state;
    make(&mem, &model, CT_MODEL_NEOHOOKEAN, 1);
    f[8] = CTI_R(0.2) * (1 + 4 * CTI_EPS), place(f, x);
    model_eval(&model, CTI_HESSIAN_EXACT, x, 4, &a);
    assert_int_equal(a.extended, 0);
    f[8] = CTI_R(0.2) * (1 - CTI_R(1e-9) - 4 * CTI_EPS), place(f, x);
    model_eval(&model, CTI_HESSIAN_EXACT, x, 4, &b);
    assert_int_equal(b.extended, 1);
    for (i = 0; i < 144; i++)
        assert_true(cti_abs(a.K[i] - b.K[i]) <= CTI_R(1e-4) * model_norm(a.K, 144));
    for (f[8] = CTI_R(0.2); f[8] > -100; f[8] -= CTI_R(0.5)) {
        place(f, x);
        model_eval(&model, CTI_HESSIAN_PROJECTED, x, 4, &b);
        assert_true(cti_finite64(b.energy) && cti_finite(model_norm(b.K, 144)) && cti_finite(model_norm(b.force, 12)));
    }
    done(&mem, &model);
}

/* tets that a motion compresses below J = 0.2, without padding; a tet that was below before is not counted */
static void test_crushed(void **state)
{
    cti_mem mem;
    cti_model model;
    ct_real f[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, rest[12], mild[12], flat[12], inside_out[12];
    (void)state;
    place(f, rest);
    f[8] = CTI_R(0.3), place(f, mild);
    f[8] = CTI_R(0.1), place(f, flat);
    f[8] = -1, place(f, inside_out);
    make(&mem, &model, CT_MODEL_NEOHOOKEAN, 11);
    assert_int_equal(cti_tet_batch_crushed(&model.tets, rest, mild), 0);
    assert_int_equal(cti_tet_batch_crushed(&model.tets, rest, flat), 11);
    assert_int_equal(cti_tet_batch_crushed(&model.tets, mild, inside_out), 11);
    assert_int_equal(cti_tet_batch_crushed(&model.tets, flat, inside_out), 0);
    assert_int_equal(cti_tet_batch_crushed(&model.tets, inside_out, rest), 0);
    done(&mem, &model);
    make(&mem, &model, CT_MODEL_COROTATIONAL, 11);
    assert_int_equal(cti_tet_batch_crushed(&model.tets, rest, inside_out), 0);
    done(&mem, &model);
}

/* 1, 3, 8, 11 and 16 copies of a tet give so many times the force, energy and stiffness: padding lanes add nothing */
static void test_padding(void **state)
{
    static const int counts[5] = {1, 3, 8, 11, 16};
    ct_real x[12];
    int c, i, k;
    (void)state;
    for (k = 0; k < 5; k++)
        for (c = 0; c < 5; c++) {
            cti_mem mem;
            cti_model model;
            static model_state one, many;
            ct_real mass[4] = {0, 0, 0, 0};
            place(shapes[7].f, x);
            make(&mem, &model, models[k], 1);
            model_eval(&model, CTI_HESSIAN_STEP, x, 4, &one);
            done(&mem, &model);
            make(&mem, &model, models[k], counts[c]);
            model_eval(&model, CTI_HESSIAN_STEP, x, 4, &many);
            assert_true(fabs(many.energy - counts[c] * one.energy) <= 1e-5 * fabs(many.energy));
            assert_int_equal(many.extended, counts[c] * one.extended);
            for (i = 0; i < 12; i++)
                assert_true(cti_abs(many.force[i] - (ct_real)counts[c] * one.force[i]) <= 32 * CTI_EPS * model_norm(many.force, 12));
            for (i = 0; i < 144; i++)
                assert_true(cti_abs(many.K[i] - (ct_real)counts[c] * one.K[i]) <= 32 * CTI_EPS * model_norm(many.K, 144));
            cti_model_mass(&model, mass);
            assert_true(cti_abs(mass[0] + mass[1] + mass[2] + mass[3] - 1000 * (ct_real)counts[c] * model.tets.rest[72]) <=
                        CTI_R(1e-5) * mass[0]);
            done(&mem, &model);
        }
}

/* dt scales K; damping adds dt D, which is beta K at rest and nothing for rotations */
static void test_scale(void **state)
{
    cti_mem mem;
    cti_model model;
    static model_state a;
    static ct_real val[144];
    ct_real x[12], v[12], d[12], spin[3] = {1, -2, CTI_R(0.5)};
    int k, i, j, rest;
    (void)state;
    for (k = 0; k <= (int)CT_MODEL_HONG_NEOHOOKEAN; k++)
        for (rest = 0; rest < 2; rest++) {
            make(&mem, &model, (ct_model)k, 1);
            place(shapes[rest ? 0 : 4].f, x);
            model_eval(&model, CTI_HESSIAN_STEP, x, 4, &a);
            model.tets.damping_stiffness = CTI_R(0.5);
            memset(val, 0, sizeof val);
            cti_model_assemble(&model, x, CTI_R(0.25), NULL, val, NULL, NULL);
            for (j = 0; j < 12; j++) {
                memset(v, 0, sizeof v), memset(d, 0, sizeof d);
                v[j] = 1;
                cti_model_damping(&model, x, v, d);
                for (i = 0; i < 12; i++) {
                    int at = 9 * (4 * (i / 3) + j / 3) + 3 * (i % 3) + j % 3;
                    ct_real left = val[at] - CTI_R(0.0625) * a.K[at] - CTI_R(0.25) * d[i];
                    assert_true(cti_abs(left) <= 16 * CTI_EPS * model_norm(a.K, 144));
                    assert_true(!rest || cti_abs(d[i] - CTI_R(0.5) * a.K[at]) <= 4000 * CTI_EPS * model_norm(a.K, 144));
                }
            }
            for (i = 0; i < 4; i++)
                cti_v3_put(v, i, cti_v3_cross(cti_v3_at(spin, 0), cti_v3_at(x, i)));
            memset(d, 0, sizeof d);
            cti_model_damping(&model, x, v, d);
            assert_true(model_norm(d, 12) <= 16 * CTI_EPS * model_norm(a.K, 144) * model_norm(v, 12));
            done(&mem, &model);
        }
}

/* patch test: eight tets around a free node under any homogeneous deformation: no force on that node, the same stress in all */
static void test_patch(void **state)
{
    static const ct_real X[21] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, CTI_R(0.1), CTI_R(-0.15), CTI_R(0.2)};
    int32_t tets[32];
    int i, k, s, n = 7;
    (void)state;
    for (i = 0; i < 8; i++) {
        int a = i & 1, b = 2 + (i >> 1 & 1), c = 4 + (i >> 2 & 1), odd = (i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1);
        tets[4 * i] = 6, tets[4 * i + 1] = odd ? b : a, tets[4 * i + 2] = odd ? a : b, tets[4 * i + 3] = c;
    }
    for (k = 0; k < 5; k++)
        for (s = 0; s < N_SHAPES; s++) {
            cti_mem mem;
            cti_model model;
            ct_material m = material(models[k]);
            static model_state st;
            const cti_rest_mesh rest = cti_rest_mesh_of(X, 7, tets, 8, 0);
            ct_real x[21];
            int64_t bad;
            double value;
            memset(&model, 0, sizeof model);
            cti_mem_init(&mem, NULL);
            assert_int_equal(cti_model_init_soft(&mem, &model, &m, &rest, &bad, &value), 1);
            assert_int_equal(cti_model_slots(&mem, &model, model_dense_slot, &n), 1);
            for (i = 0; i < 7; i++)
                cti_v3_put(x, i, cti_m3_mul_v(shapes[s].f, cti_v3_at(X, i)));
            model_eval(&model, CTI_HESSIAN_STEP, x, 7, &st);
            if (has_rotation(models[k], s))
                assert_true(model_norm(st.force + 18, 3) <= 500 * CTI_EPS * (model_norm(st.force, 18) + model_norm(st.K, 441)));
            done(&mem, &model);
        }
}

static void test_bad_tets(void **state)
{
    ct_material m = material(CT_MODEL_NEOHOOKEAN);
    int32_t tets[12] = {0, 1, 2, 3, 0, 2, 1, 3, 0, 1, 2, 3};
    ct_real flat[12];
    const cti_rest_mesh turned = cti_rest_mesh_of(rest4, 4, tets, 3, 0), flattened = cti_rest_mesh_of(flat, 4, tets, 1, 0);
    cti_mem mem;
    cti_model model;
    int64_t bad = -1;
    double value = 0;
    (void)state;
    cti_mem_init(&mem, NULL);
    memset(&model, 0, sizeof model);
    assert_int_equal(cti_model_init_soft(&mem, &model, &m, &turned, &bad, &value), -1);
    assert_int_equal(bad, 1);
    assert_true(value < 0);
    cti_model_free(&mem, &model);
    place(shapes[6].f, flat);
    assert_int_equal(cti_model_init_soft(&mem, &model, &m, &flattened, &bad, &value), -1);
    assert_int_equal(bad, 0);
    cti_model_free(&mem, &model);
    assert_int_equal(mem.bytes_live, 0);
}

static void test_materials(void **state)
{
    const char *text;
    int k;
    ct_material m;
    (void)state;
    for (k = 0; k <= (int)CT_MODEL_SPRINGS; k++) {
        int cloth = k >= (int)CT_MODEL_MEMBRANE;
        m = ct_material_default((ct_model)k);
        assert_true(cti_material_check(&m, cloth, &text));
        assert_string_equal(text, "");
        assert_false(cti_material_check(&m, !cloth, &text));
        m.damping_mass = -1;
        assert_false(cti_material_check(&m, cloth, &text));
        assert_non_null(strstr(text, "damping_mass"));
    }
    m = material(CT_MODEL_STVK), m.poisson = CTI_R(0.5);
    assert_false(cti_material_check(&m, 0, &text));
    m = material(CT_MODEL_STVK), m.young = CTI_REAL_MAX * 10;
    assert_false(cti_material_check(&m, 0, &text));
    m.young = m.young - m.young;
    assert_false(cti_material_check(&m, 0, &text));
    m = ct_material_default(CT_MODEL_MEMBRANE), m.shell_thickness = 0;
    assert_false(cti_material_check(&m, 1, &text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_balance_and_definiteness),
        cmocka_unit_test(test_projection_is_least),
        cmocka_unit_test(test_corotational_energy), cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_small_strain),
        cmocka_unit_test(test_rest_stiffness),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_stvk_softens),
        cmocka_unit_test(test_continued_logarithm),
        cmocka_unit_test(test_crushed),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_bad_tets),
        cmocka_unit_test(test_materials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
