/* test_rod.c -- rods' bending and twist: finite differences, balance, definiteness, invariance; closed values of the measures; strands of nets and
   loops; out of memory at every allocation. */
#include "model_check.h"

typedef struct rod {
    cti_mem mem;
    cti_model model;
    cti_rod_law law;
    ct_material material;
    ct_real X[3 * MODEL_MAX];
    int32_t *segments, *joints;
    int n, ns;
} rod;

static cti_rod_law law_of(double b1, double b2, double c)
{
    cti_rod_law l;
    memset(&l, 0, sizeof l);
    l.bend[0] = (ct_real)b1, l.bend[1] = (ct_real)b2, l.torsion = (ct_real)c, l.line_density = CTI_R(0.5), l.curvature = 1;
    return l;
}

/* r->X [3 n] are set */
static void make(rod *r, const int32_t *segments, int ns, int n, double stretch, double beta)
{
    cti_rod_desc d;
    int64_t bad;
    double value;
    int total = n + ns;
    r->n = n, r->ns = ns, r->segments = r->joints = NULL;
    memset(&r->model, 0, sizeof r->model);
    cti_mem_init(&r->mem, NULL);
    r->material = ct_material_default(CT_MODEL_SPRINGS);
    r->material.damping_stiffness = (ct_real)beta;
    assert_int_equal(cti_rod_strands(&r->mem, r->X, n, segments, ns, &r->segments, &r->joints), 1);
    cti_rod_frames(&r->law, r->X, r->segments, ns, r->joints, CTI_LEN(r->joints) / 2, r->X + 3 * n);
    memset(&d, 0, sizeof d);
    d.material = &r->material, d.law = &r->law, d.stretch = (ct_real)stretch, d.X = r->X, d.n_nodes = n, d.n_segments = ns;
    d.n_joints = CTI_LEN(r->joints) / 2, d.has_frames = 1, d.segments = r->segments, d.joints = r->joints;
    assert_int_equal(cti_model_init_rod(&r->mem, &r->model, &d, 0, &bad, &value), 1);
    assert_int_equal(cti_model_slots(&r->mem, &r->model, model_dense_slot, &total), 1);
}

static void drop(rod *r)
{
    cti_model_free(&r->mem, &r->model);
    CTI_FREE(&r->mem, r->segments);
    CTI_FREE(&r->mem, r->joints);
    assert_int_equal(r->mem.bytes_live, 0);
}

/* two segments with an angle between them */
static void bent(rod *r, double angle)
{
    static const int32_t s[4] = {0, 1, 1, 2};
    ct_real X[9] = {0, 0, 0, 1, 0, 0, 1, 0, 0};
    X[6] += (ct_real)cos(angle), X[7] = (ct_real)sin(angle);
    memcpy(r->X, X, sizeof X);
    make(r, s, 2, 3, 30, 0);
}

static void test_differences(void **state)
{
    int i, k;
    (void)state;
    for (i = 0; i < 12; i++) {
        rod r;
        ct_real x[3 * MODEL_MAX], y[3 * MODEL_MAX], force, K, rough;
        r.law = law_of(2, 3, 1.5);
        r.law.curvature = (ct_real)(i % 2), r.law.twist = i % 3 ? CTI_R(0.2) : 0;
        bent(&r, 0.4);
        for (k = 0; k < 15; k++)
            x[k] = r.X[k] + (i < 6 ? CTI_R(0.05) : CTI_R(0.35)) * model_random();
        model_turn(x, 5, y);
        model_check_balance(&r.model, CTI_HESSIAN_STEP, y, 5);
        if (sizeof(ct_real) == 8) {
            model_differences(&r.model, y, 5, 1, &force, &rough);
            assert_true(force < CTI_R(1e-7));
        }
        /* at rest Gauss-Newton's part is all of it */
        if (sizeof(ct_real) == 8 && r.law.curvature == 1 && r.law.twist == 0) {
            model_turn(r.X, 5, y);
            model_differences(&r.model, y, 5, 1, &force, &K);
            assert_true(force < CTI_R(1e-7) && K < CTI_R(1e-6));
        }
        drop(&r);
    }
}

/* y'K y >= 0, and K w = 0 for rotations: damping does not act on rotation */
static void test_definite(void **state)
{
    static model_state s;
    int i, j, k;
    (void)state;
    for (i = 0; i < 20; i++) {
        rod r;
        ct_real x[15], w[15], out[15], sum = 0, scale;
        cti_v3 axis = cti_v3_make(model_random(), model_random(), model_random());
        r.law = law_of(2, 0.1, 1.5);
        bent(&r, 1.2);
        for (k = 0; k < 15; k++)
            x[k] = r.X[k] + CTI_R(0.3) * model_random();
        model_eval(&r.model, CTI_HESSIAN_STEP, x, 5, &s);
        scale = model_norm(s.K, 225);
        for (k = 0; k < 15; k++)
            w[k] = model_random();
        for (j = 0; j < 15; j++)
            for (k = 0; k < 15; k++)
                sum += w[j] * model_entry(&s, j, k) * w[k];
        assert_true(sum > -64 * CTI_EPS * scale);
        r.model.rods.damping_stiffness = 2;
        for (k = 0; k < 5; k++)
            cti_v3_put(w, k, cti_v3_cross(axis, cti_v3_at(x, k)));
        memset(out, 0, sizeof out);
        cti_rod_batch_damping(&r.model.rods, x, w, out);
        assert_true(model_norm(out, 15) < 4096 * CTI_EPS * scale);
        drop(&r);
    }
}

static void test_values(void **state)
{
    rod r;
    ct_real q[5], y[3 * MODEL_MAX];
    static model_state s;
    double bend = 2 * tan(0.2), c = cos(0.3), sn = sin(0.3);
    int k;
    (void)state;
    /* a rod that is bent by 0.4 about z; both frames are rotated by 0.3 about the rod, then the second one by another 0.7 */
    r.law = law_of(2, 3, 1.5);
    r.law.curvature = 0;
    bent(&r, 0.4);
    cti_rod_measures(r.X, r.model.rods.joint_node, q);
    assert_true(cti_abs(q[4]) < 8 * CTI_EPS);
    assert_true(fabs((double)q[0] * (double)q[0] + (double)q[1] * (double)q[1] - bend * bend) < 64 * (double)CTI_EPS);
    for (k = 0; k < 2; k++) {
        double a = 0.3 + 0.7 * k, at = 0.4 * k;
        cti_v3 t = cti_v3_make((ct_real)cos(at), (ct_real)sin(at), 0), n = cti_v3_make((ct_real)-sin(at), (ct_real)cos(at), 0);
        cti_v3 mid = cti_v3_mul(cti_v3_add(cti_v3_at(r.X, k), cti_v3_at(r.X, k + 1)), CTI_R(0.5));
        CTI_UNUSED(t);
        cti_v3_put(r.X, 3 + k, cti_v3_mad(cti_v3_mad(mid, n, (ct_real)cos(a)), cti_v3_make(0, 0, 1), (ct_real)sin(a)));
    }
    cti_rod_measures(r.X, r.model.rods.joint_node, q);
    assert_true(fabs((double)q[4] - 0.7) < 16 * (double)CTI_EPS);
    /* kb = bend z; c = z cos a - n sin a, so q1 = bend cos a, q2 = -bend sin a */
    assert_true(fabs((double)q[0] - bend * c) < 16 * (double)CTI_EPS && fabs((double)q[1] + bend * sn) < 16 * (double)CTI_EPS);
    model_eval(&r.model, CTI_HESSIAN_STEP, r.X, 5, &s);
    {
        double e = 0.5 * 1.5 * 0.49, a;
        for (k = 0; k < 2; k++)
            a = 0.3 + 0.7 * k, e += 0.25 * bend * bend * (2 * cos(a) * cos(a) + 3 * sin(a) * sin(a));
        assert_true(fabs(s.energy - e) < 1e3 * (double)CTI_EPS);
    }
    model_turn(r.X, 5, y);
    cti_rod_measures(y, r.model.rods.joint_node, q);
    assert_true(fabs((double)q[4] - 0.7) < 64 * (double)CTI_EPS);
    drop(&r);
}

/* the stiffness that holds a frame's node acts on nothing else: at rest, in any bent state of the nodes, no force acts along the held directions */
static void test_frames_rest(void **state)
{
    static model_state s;
    rod r;
    cti_v3 f, d;
    int k;
    (void)state;
    r.law = law_of(2, 3, 1.5);
    r.law.curvature = 0;
    bent(&r, 0.9);
    model_eval(&r.model, CTI_HESSIAN_STEP, r.X, 5, &s);
    assert_true(model_norm(s.force, 15) > 1);
    for (k = 0; k < 2; k++) {
        cti_v3 mid = cti_v3_mul(cti_v3_add(cti_v3_at(r.X, k), cti_v3_at(r.X, k + 1)), CTI_R(0.5));
        f = cti_v3_at(s.force, 3 + k), d = cti_v3_sub(cti_v3_at(r.X, 3 + k), mid);
        assert_true(cti_abs(cti_v3_dot(f, d)) < 64 * CTI_EPS);
        assert_true(cti_abs(cti_v3_dot(f, cti_v3_sub(cti_v3_at(r.X, k + 1), cti_v3_at(r.X, k)))) < 64 * CTI_EPS);
    }
    drop(&r);
}

/* a cross of four segments: two strands; a triangle: one closed strand; segments against each other's direction */
static void test_strands(void **state)
{
    static const ct_real cross[15] = {-1, 0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0};
    static const int32_t arms[8] = {1, 0, 2, 1, 3, 1, 4, 1}, loop[6] = {0, 1, 2, 1, 2, 0}, star[6] = {0, 1, 1, 2, 1, 4};
    static const ct_real spread[15] = {-1, 0, 0, 0, 0, 0, 1, CTI_R(0.2), 0, 0, -1, 0, 1, CTI_R(0.9), 0};
    int32_t *s = NULL, *j = NULL;
    cti_mem mem;
    int i;
    (void)state;
    cti_mem_init(&mem, NULL);
    assert_int_equal(cti_rod_strands(&mem, cross, 5, arms, 4, &s, &j), 1);
    assert_int_equal(CTI_LEN(j), 4);
    for (i = 0; i < 2; i++)
        assert_true(s[2 * j[2 * i] + 1] == 1 && s[2 * j[2 * i + 1]] == 1);
    assert_int_equal(cti_rod_strands(&mem, cross, 3, loop, 3, &s, &j), 1);
    assert_int_equal(CTI_LEN(j), 6);
    for (i = 0; i < 3; i++)
        assert_int_equal(s[2 * j[2 * i] + 1], s[2 * j[2 * i + 1]]);
    /* of two segments that continue, the straighter one belongs to the strand; the other is a strand of its own */
    assert_int_equal(cti_rod_strands(&mem, spread, 5, star, 3, &s, &j), 1);
    assert_int_equal(CTI_LEN(j), 2);
    assert_true(j[0] == 0 && j[1] == 1);
    CTI_FREE(&mem, s);
    CTI_FREE(&mem, j);
    assert_int_equal(mem.bytes_live, 0);
}

/* a closed rod that is not plane: the twist that remains in its frames is its rest state */
static void test_loop_rests(void **state)
{
    static const int32_t s[10] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0};
    static model_state m;
    rod r;
    int i;
    (void)state;
    for (i = 0; i < 5; i++)
        cti_v3_put(r.X, i, cti_v3_make((ct_real)cos(1.2566 * i), (ct_real)(0.4 * (i % 2)), (ct_real)sin(1.2566 * i)));
    r.law = law_of(2, 3, 1.5);
    make(&r, s, 5, 5, 10, 0);
    assert_int_equal(r.model.rods.n_joints, 5);
    model_eval(&r.model, CTI_HESSIAN_STEP, r.X, 10, &m);
    assert_true(model_norm(m.force, 30) < 1e3 * CTI_EPS && m.energy < 1e4 * (double)CTI_EPS * (double)CTI_EPS);
    drop(&r);
}

/* a direction is kept for all frames; mass is half a segment's at either end */
static void test_direction_mass(void **state)
{
    static const int32_t s[6] = {0, 1, 1, 2, 2, 3};
    ct_real mass[7] = {0, 0, 0, 0, 0, 0, 0}, sum = 0;
    rod r;
    int i;
    (void)state;
    for (i = 0; i < 4; i++)
        cti_v3_put(r.X, i, cti_v3_make((ct_real)i, 0, CTI_R(0.1) * (ct_real)(i * i)));
    r.law = law_of(2, 3, 1.5);
    r.law.direction[1] = 4;
    make(&r, s, 3, 4, 10, 0);
    for (i = 0; i < 3; i++) {
        cti_v3 mid = cti_v3_mul(cti_v3_add(cti_v3_at(r.X, i), cti_v3_at(r.X, i + 1)), CTI_R(0.5)), d = cti_v3_sub(cti_v3_at(r.X, 4 + i), mid);
        assert_true(d.y > CTI_R(0.99) && cti_abs(d.x) + cti_abs(d.z) < 8 * CTI_EPS);
    }
    cti_model_mass(&r.model, mass);
    for (i = 0; i < 7; i++)
        sum += mass[i];
    assert_true(cti_abs(sum - CTI_R(0.5) * (cti_sqrt(CTI_R(1.01)) + cti_sqrt(CTI_R(1.09)) + cti_sqrt(CTI_R(1.25)))) < CTI_R(1e-5));
    assert_true(mass[4] > 0 && mass[4] < CTI_R(1e-5));
    drop(&r);
}

/* ---- natural curvature and natural twist: closed forms ---- */

/* elastic energy of an arc of 0.8 on a circle with radius 1, n segments, of whose curvature this share is natural: B (1 - share)^2 L / 2 */
static double arc_energy(int n, double share)
{
    static model_state s;
    int32_t list[2 * MODEL_MAX];
    const double angle = 0.8;
    double energy;
    rod r;
    int i;
    for (i = 0; i <= n; i++)
        cti_v3_put(r.X, i, cti_v3_make((ct_real)cos(angle * i / n), (ct_real)sin(angle * i / n), 0));
    for (i = 0; i < n; i++)
        list[2 * i] = i, list[2 * i + 1] = i + 1;
    r.law = law_of(2, 2, 1.5);
    r.law.curvature = (ct_real)share;
    make(&r, list, n, n + 1, 10, 0);
    model_eval(&r.model, CTI_HESSIAN_STEP, r.X, 2 * n + 1, &s);
    energy = s.energy;
    /* joints stand for a segment each: those of both ends have a half without one */
    energy *= (double)n / (n - 1);
    drop(&r);
    return energy;
}

static void test_natural_curvature(void **state)
{
    static const double shares[3] = {0, 0.25, 1};
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        double want = 0.5 * 2 * (1 - shares[k]) * (1 - shares[k]) * 0.8, e[2];
        e[0] = fabs(arc_energy(2, shares[k]) - want), e[1] = fabs(arc_energy(4, shares[k]) - want);
        if (want > 0) /* second order in the segment */
            assert_true(e[1] < 0.02 * want && e[1] < 0.3 * e[0]);
        else
            assert_true(e[0] + e[1] < 1e4 * (double)CTI_EPS * (double)CTI_EPS);
    }
}

/* a straight rod whose natural twist is t: C t^2 / 2 times the length between the middles of the outermost segments, while its frames are parallel,
   and a torque C t on the end frames; nothing, once every frame is turned by t times a segment against the one before it */
static void test_natural_twist(void **state)
{
    static const int32_t list[8] = {0, 1, 1, 2, 2, 3, 3, 4};
    static model_state s;
    const double twist = 1.3, C = 1.5, l = 0.5;
    rod r;
    int i, k;
    (void)state;
    for (i = 0; i < 5; i++)
        cti_v3_put(r.X, i, cti_v3_make((ct_real)(l * i), 0, 0));
    r.law = law_of(2, 3, C);
    r.law.twist = (ct_real)twist;
    make(&r, list, 4, 5, 10, 0);
    model_eval(&r.model, CTI_HESSIAN_STEP, r.X, 9, &s);
    assert_true(fabs(s.energy / (0.5 * C * twist * twist * 3 * l) - 1) < 1e3 * (double)CTI_EPS);
    for (k = 0; k < 4; k++) {
        cti_v3 lever = cti_v3_sub(cti_v3_at(r.X, 5 + k), cti_v3_mul(cti_v3_add(cti_v3_at(r.X, k), cti_v3_at(r.X, k + 1)), CTI_R(0.5)));
        cti_v3 torque = cti_v3_cross(lever, cti_v3_at(s.force, 5 + k));
        double want = k == 0 ? -C * twist : (k == 3 ? C * twist : 0);
        assert_true(fabs((double)torque.x - want) < 1e3 * (double)CTI_EPS);
    }
    for (k = 0; k < 4; k++) {
        cti_v3 mid = cti_v3_mul(cti_v3_add(cti_v3_at(r.X, k), cti_v3_at(r.X, k + 1)), CTI_R(0.5)), d = cti_v3_sub(cti_v3_at(r.X, 5 + k), mid);
        double a = twist * l * k;
        cti_v3_put(r.X, 5 + k, cti_v3_mad(cti_v3_mad(mid, d, (ct_real)cos(a)), cti_v3_cross(cti_v3_make(1, 0, 0), d), (ct_real)sin(a)));
    }
    model_eval(&r.model, CTI_HESSIAN_STEP, r.X, 9, &s);
    assert_true(s.energy < 1e4 * (double)CTI_EPS * (double)CTI_EPS && model_norm(s.force, 27) < 1e3 * CTI_EPS);
    drop(&r);
}

/* A fold beyond the angle at which 1 + cos is 2e-3 resists with the tangent of |kb| = 2 tan(angle / 2) at it, across the plane of the fold, whatever
   the frames are; the force is that energy's. Exactly folded, it opens */
static void test_fold(void **state)
{
    static const double degrees[7] = {176, 176.5, 177, 178, 179, 179.9, 179.99};
    static model_state s;
    const double knee = 3.14159265358979324 - 2 * asin(sqrt(1e-3)), pi = 3.14159265358979324;
    int i, k;
    (void)state;
    for (i = 0; i < 14; i++) {
        double angle = degrees[i / 2] * pi / 180, m = angle < knee ? 2 * tan(angle / 2) : 2 * tan(knee / 2) + 1e3 * (angle - knee);
        ct_real x[15], force, K;
        rod r;
        r.law = law_of(2, i % 2 ? 3 : 2, 1.5);
        r.law.curvature = 0;
        bent(&r, angle);
        model_eval(&r.model, CTI_HESSIAN_STEP, r.X, 5, &s);
        if (i % 2 == 0)
            assert_true(fabs(s.energy / (m * m) - 1) < 1e5 * (double)CTI_EPS);
        /* frames and points away from rest: by less than what takes the fold through its knee */
        for (k = 0; k < 15; k++)
            r.X[k] += CTI_R(0.1) * (k < 9 ? (ct_real)(pi - angle) * CTI_R(0.1) : 1) * model_random();
        model_turn(r.X, 5, x);
        model_check_balance(&r.model, CTI_HESSIAN_STEP, x, 5);
        if (sizeof(ct_real) == 8) {
            model_differences(&r.model, x, 5, (ct_real)(pi - angle), &force, &K);
            print_message("  fold of %g degrees: energy %.4f of m^2, force off by %.1e\n", degrees[i / 2], s.energy / (m * m), (double)force);
            assert_true(force < CTI_R(1e-5));
        }
        drop(&r);
    }
    {
        static const int32_t list[4] = {0, 1, 1, 2};
        static const ct_real X[9] = {0, 0, 0, 1, 0, 0, 0, 0, 0};
        const double m = 2 * tan(knee / 2) + 1e3 * (pi - knee);
        rod r;
        r.law = law_of(2, 2, 1.5);
        r.law.curvature = 0;
        memcpy(r.X, X, sizeof X);
        make(&r, list, 2, 3, 30, 0);
        model_eval(&r.model, CTI_HESSIAN_STEP, r.X, 5, &s);
        assert_true(fabs(s.energy / (m * m) - 1) < 1e5 * (double)CTI_EPS);
        /* B |kb| d|kb| / da across */
        assert_true(fabs((double)cti_v3_norm(cti_v3_at(s.force, 2)) / (2 * m * 1e3) - 1) < 1e5 * (double)CTI_EPS);
        drop(&r);
    }
}

/* directors that a direction gives are twisted against each other, here by almost half a turn. With the natural twist that is beyond half a turn,
   and the rest twist is that angle within it */
static void test_rest_twist_wraps(void **state)
{
    static const int32_t list[4] = {0, 1, 1, 2};
    static const ct_real X[9] = {0, 0, 0, CTI_R(0.1), 0, 1, 0, CTI_R(0.02), 2};
    const double turn = 6.283185307179586;
    double rest[3], l = 0.5 * (sqrt(1.01) + sqrt(1.0104));
    rod r;
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        memcpy(r.X, X, sizeof X);
        r.law = law_of(2, 3, 1.5);
        r.law.twist = (ct_real)(k - 1), r.law.direction[2] = 1;
        make(&r, list, 2, 3, 10, 0);
        rest[k] = (double)r.model.rods.rest[7];
        drop(&r);
    }
    print_message("  rest twist without natural twist %.4f, with 1 rad/m %.4f, with -1 rad/m %.4f\n", rest[1], rest[2], rest[0]);
    assert_true(fabs(rest[1]) > 2.5 && fabs(rest[1]) < 3.1);
    for (k = 0; k < 3; k += 2) {
        double sum = rest[1] + l * (k - 1);
        assert_true(fabs(rest[k] - (fabs(sum) > turn / 2 ? sum - (sum > 0 ? turn : -turn) : sum)) < 1e-5);
        assert_true(fabs(rest[k]) < turn / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences), cmocka_unit_test(test_definite), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_frames_rest), cmocka_unit_test(test_strands),  cmocka_unit_test(test_loop_rests),
                                       cmocka_unit_test(test_direction_mass), cmocka_unit_test(test_natural_curvature),
                                       cmocka_unit_test(test_natural_twist), cmocka_unit_test(test_fold),
                                       cmocka_unit_test(test_rest_twist_wraps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
