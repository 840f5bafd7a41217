/* test_geometric.c -- the geometric stepper: conservation and energy of corrections over random states, each turn of conjugate gradients, the
   equations by finite differences, continuity of sliding, disparate masses, a small pile at rest, scripts, statuses and refusals. */
#include "geometric_util.h"

/* all targets zero relative speed: each turn lowers the kinetic energy; momenta are kept by normal corrections */
static void every_turn_lowers_the_energy(void **state)
{
    uint64_t seed = 7;
    int trial;
    (void)state;
    for (trial = 0; trial < 10000; trial++) {
        static fixture f;
        ct_real Y[3 * ROWS], X[3 * ROWS], dv[3 * MOST], v[3 * MOST];
        double last, P, L, size;
        int c, i, turns;
        fixture_random(&f, &seed, 10);
        for (c = 0; c < f.system.m; c++) {
            f.mode[c] = (uint8_t)(trial % 2 ? CTI_RESPONSE_NORMAL : CTI_RESPONSE_ALL);
            cti_v3_put(Y, c, cti_v3_mul(cti_response_value(&f.system, f.v, c), -1));
        }
        last = kinetic(&f, f.v);
        for (turns = 1; turns <= 8; turns++) {
            double now;
            cti_response_cg(&f.system, Y, turns, 0, X);
            cti_response_spread(&f.system, X, dv);
            for (i = 0; i < 3 * f.system.n; i++)
                v[i] = f.v[i] + dv[i];
            now = kinetic(&f, v);
            assert_true(now <= last * (1 + TINY));
            last = now;
        }
        momenta(&f, X, f.v, v, &P, &L, &size);
        assert_true(P <= (FLOAT ? 1e-5 : 1e-13) * size);
        if (trial % 2)
            assert_true(L <= (FLOAT ? 1e-4 : 1e-12) * size);
    }
}

/* partial targets and friction, both schemes: the safeguard keeps the energy from rising, and is needed */
static void no_correction_raises_the_energy(void **state)
{
    ct_geometric_desc d = ct_world_desc_default().geometric;
    uint64_t seed = 11;
    int trial, single = 0;
    (void)state;
    for (trial = 0; trial < 10000; trial++) {
        static fixture f;
        cti_response_goal goal;
        double before, P, L, size;
        ct_real v[3 * MOST];
        int c;
        fixture_random(&f, &seed, 10);
        if (trial % 5 == 0)
            f.system.m = 1, single++;
        for (c = 0; c < f.system.m; c++) {
            ct_real q = cti_v3_dot(cti_v3_at(f.normal, c), cti_response_value(&f.system, f.v, c));
            f.target[c] = q < 0 ? q * (ct_real)lcg(&seed) : 0; /* attenuation */
        }
        memset(&goal, 0, sizeof goal);
        goal.offset = f.offset, goal.target = f.target, goal.mu = trial % 3 ? f.mu : NULL, goal.order = f.order, goal.slack = f.slack;
        goal.is_speed = 1;
        d.active_set = trial % 2 ? 4 : 0;
        memcpy(v, f.v, sizeof v);
        before = kinetic(&f, v);
        cti_response_correct(&f.system, &d, &goal, v, f.X, f.stick);
        assert_true(kinetic(&f, v) <= before * (1 + TINY));
        momenta(&f, f.X, f.v, v, &P, &L, &size);
        assert_true(P <= (FLOAT ? 1e-5 : 1e-12) * (size + 1));
        if (f.system.m == 1 && f.target[0] < 0)
            assert_true(fabs((double)(cti_v3_dot(cti_v3_at(f.normal, 0), cti_response_value(&f.system, v, 0)) - f.target[0])) < (FLOAT ? 1e-4 : 1e-10));
    }
    assert_true(single > 1000);
}

/* where the rounds of a solve are used up, a collision that pulls is left out with a solve after it: none pushes beyond its target */
static void no_push_is_beyond_its_target(void **state)
{
    ct_geometric_desc d = ct_world_desc_default().geometric;
    uint64_t seed = 13;
    double most = 0;
    int trial;
    (void)state;
    d.active_set = 1, d.cg_turns = 200;
    for (trial = 0; trial < 4000; trial++) {
        static fixture f;
        cti_response_goal goal;
        int c;
        fixture_random(&f, &seed, 3);
        if (f.system.n < 2 * f.system.m) /* collisions may contradict each other */
            continue;
        for (c = 0; c < f.system.m; c++)
            f.target[c] = 0;
        memset(&goal, 0, sizeof goal);
        goal.offset = f.offset, goal.target = f.target, goal.slack = f.slack;
        cti_response_correct(&f.system, &d, &goal, f.v, f.X, f.stick);
        for (c = 0; c < f.system.m; c++) {
            cti_v3 n = cti_v3_at(f.normal, c);
            if (cti_v3_dot(n, cti_v3_at(f.X, c)) > 0)
                most = fmax(most, (double)cti_v3_dot(n, cti_response_value(&f.system, f.v, c)));
        }
    }
    assert_true(most < 1e-2);
}

/* without the safeguard the energy can rise: its share is below one for changes that are too large */
static void safeguard_scales(void **state)
{
    static fixture f;
    uint64_t seed = 3;
    ct_real dv[3 * MOST];
    int i, k;
    (void)state;
    fixture_random(&f, &seed, 10);
    for (k = 0; k < 3; k++) {
        static const double share[3] = {0.5, 0.8, 0}, factor[3] = {-4, -2.5, 1};
        for (i = 0; i < 3 * f.system.n; i++)
            dv[i] = (ct_real)factor[k] * f.v[i];
        assert_true(fabs((double)cti_response_safe_share(&f.system, f.v, dv) - share[k]) < 1e-5);
    }
}

/* distribution (eq. 6-8): n'sum S dQ = the correction; held particles and particles on a line; no singularity where all are held */
static void distribution_and_constraints(void **state)
{
    uint64_t seed = 5;
    int trial;
    (void)state;
    for (trial = 0; trial < 500; trial++) {
        static fixture f;
        ct_real X[3 * ROWS], dv[3 * MOST], projector[18];
        int32_t filter[MOST];
        cti_v3 n, got, axis = cti_v3_unit(cti_v3_make(1, 2, -1), cti_v3_zero());
        int i, a, b;
        fixture_random(&f, &seed, 10);
        f.system.m = 1;
        for (i = 0; i < f.system.n; i++)
            filter[i] = -1;
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++) {
                ct_real x[3];
                x[0] = axis.x, x[1] = axis.y, x[2] = axis.z;
                projector[3 * a + b] = x[a] * x[b];
                projector[9 + 3 * a + b] = (a == b) - x[a] * x[b];
            }
        f.system.filter = filter, f.system.projectors = projector;
        filter[f.particle[1]] = trial % 2;         /* on a line, in a plane */
        if (trial % 3 == 0)
            f.inv[f.particle[2]] = 0;              /* held */
        n = cti_v3_at(f.normal, 0);
        cti_v3_put(X, 0, cti_v3_mul(n, cti_response_normal_mass(&f.system, 0) / 2));
        cti_response_spread(&f.system, X, dv);
        got = cti_response_value(&f.system, dv, 0);
        assert_true(fabs((double)cti_v3_dot(got, n) - 0.5) < (FLOAT ? 1e-3 : 1e-6));
        if (trial % 3 == 0)
            assert_true(dv[3 * f.particle[2]] == 0 && dv[3 * f.particle[2] + 2] == 0);
        got = cti_v3_at(dv, f.particle[1]);
        if (trial % 2)
            assert_true(fabs((double)cti_v3_dot(got, axis)) < 1e-5);
        else
            assert_true((double)cti_v3_norm(cti_v3_cross(got, axis)) < 1e-5);
        for (i = 0; i < 4; i++)
            f.inv[f.particle[i]] = 0;
        assert_true(cti_finite(cti_response_normal_mass(&f.system, 0)) && cti_response_normal_mass(&f.system, 0) > 0);
    }
}

/* eq. 17 to 19 and 24 by finite differences; two midpoint steps with eq. 19 end at the distance, at rest */
static void targets_and_derivatives(void **state)
{
    const double h = 0.01, p0 = 4e-3, p = 1e-3, u = -0.3, e = 1e-4;
    double d, v, a;
    (void)state;
    d = ((double)cti_geometric_acceleration_target((ct_real)p0, (ct_real)(p + e), (ct_real)u, (ct_real)h) -
         (double)cti_geometric_acceleration_target((ct_real)p0, (ct_real)(p - e), (ct_real)u, (ct_real)h)) / (2 * e);
    assert_true(fabs(d * h * h + 1) < (FLOAT ? 1e-3 : 1e-9));
    d = ((double)cti_geometric_acceleration_target((ct_real)p0, (ct_real)p, (ct_real)(u + e), (ct_real)h) -
         (double)cti_geometric_acceleration_target((ct_real)p0, (ct_real)p, (ct_real)(u - e), (ct_real)h)) / (2 * e);
    assert_true(fabs(d * h + 1.5) < (FLOAT ? 5e-2 : 1e-9));
    /* one step with the speed of eq. 18 */
    v = (double)cti_geometric_speed_target((ct_real)p0, (ct_real)p, (ct_real)h);
    assert_true(fabs(p + h * v - p0) < 1e-8);
    /* two steps with the acceleration of eq. 19: P += h P' + h^2 P''/2 */
    d = p, v = u;
    {
        int k;
        for (k = 0; k < 2; k++) {
            a = (double)cti_geometric_acceleration_target((ct_real)p0, (ct_real)d, (ct_real)v, (ct_real)h);
            d += h * v + h * h * a / 2, v += h * a;
        }
    }
    assert_true(fabs(d - p0) < (FLOAT ? 1e-7 : 1e-12) && fabs(v) < (FLOAT ? 1e-4 : 1e-10));
}

/* eq. 22, 23 and 25: the force S_j M_c delta of a collision, its derivative, and 2.5 of both in the matrix */
static void forces_by_finite_differences(void **state)
{
    static fixture f;
    uint64_t seed = 21;
    const double h = 0.01, e = 1e-5;
    ct_real m, v[3 * MOST];
    int i, j;
    (void)state;
    fixture_random(&f, &seed, 10);
    f.system.m = 1;
    m = cti_response_normal_mass(&f.system, 0);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) {
            double force[2], want, d;
            int side;
            cti_v3 n = cti_v3_at(f.normal, 0);
            for (side = 0; side < 2; side++) {
                ct_real u;
                memcpy(v, f.v, sizeof v);
                cti_v3_addto(v, f.particle[i], cti_v3_mul(n, (ct_real)(side ? e : -e)));
                u = cti_v3_dot(n, cti_response_value(&f.system, v, 0));
                force[side] = (double)(f.S[j] * m * cti_geometric_acceleration_target((ct_real)4e-3, (ct_real)1e-3, u, (ct_real)h));
            }
            d = (force[1] - force[0]) / (2 * e);
            want = -1.5 / h * (double)(f.S[j] * m * f.S[i]);
            assert_true(FLOAT || fabs(d - want) < 1e-6 * fabs(want) + 1e-6);
        }
}

/* ---- worlds ---- */

/* implicit Euler: v_n = n g h, and x falls by g h^2 n (n + 1) / 2 */
static void falls_as_implicit_euler_says(void **state)
{
    const double h = 0.01, g = 9.81;
    ct_world *w = geometric_world(1e-3, 0, NULL);
    ct_body_id id = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 1, 0);
    double x0[3], x[3];
    int n;
    (void)state;
    read_middle(w, id, 0, x0);
    for (n = 1; n <= 20; n++) {
        ct_step_report r = step_once(w, h);
        assert_int_equal(r.status, CT_STATUS_OK);
        read_middle(w, id, 0, x);
        assert_true(fabs(x[1] - x0[1] + g * h * h * n * (n + 1) / 2) < (FLOAT ? 2e-5 : 1e-5));
        assert_true(fabs(r.energy_gained + 0.5 * 1 * g * h * g * h) < (FLOAT ? 1e-3 : 1e-4));
    }
    ct_world_destroy(w);
}

/* all layers keep .9 of the thickness at rest; the kinetic energy is gone; nothing intersects; the contacts carry the weight */
static void a_pile_rests(void **state)
{
    ct_body_id ids[6];
    ct_world *w = pile(6, 5, 5, 0.8, CT_GEOMETRIC_GLOBAL, ids);
    ct_step_report r;
    double low[3], high[3];
    int i, n, k;
    (void)state;
    for (i = 0; i < 120; i++) {
        r = step_once(w, 0.01);
        assert_int_equal(r.tangled, 0);
    }
    assert_int_equal(count_intersections(w), 0);
    assert_true((double)r.thickness_kept >= 0.9);
    assert_int_equal(r.status, CT_STATUS_OK);
    assert_true(r.energy_kinetic < 1e-6);
    read_middle(w, ids[0], 0, low);
    read_middle(w, ids[5], 0, high);
    assert_true(high[1] - low[1] > 5 * 0.9 * 4e-3 && high[1] - low[1] < 5 * 1.1 * 4e-3);
    {
        const ct_contact *c = NULL;
        double up = 0;
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        for (k = 0; k < n; k++)
            if (c[k].kind == CT_PAIR_PLANE)
                up += (double)c[k].impulse_normal;
        assert_true(fabs(up / (6 * 0.2 * 0.04 * 9.81 * 0.01) - 1) < 0.05);
    }
    ct_world_destroy(w);
}

/* distances of a tenth: collisions prevent interference and keep next to no distance (sec. 2.1, 6) */
static void interference_is_prevented(void **state)
{
    ct_world_desc d = world_desc(4e-3, 0.5, NULL);
    ct_world *w;
    ct_step_report r;
    ct_body_id ids[3];
    double low[3], high[3];
    int i, k;
    (void)state;
    d.stepper = CT_STEPPER_GEOMETRIC;
    d.geometric.position_distance = 0, d.geometric.speed_distance = d.geometric.acceleration_distance = (ct_real)0.1;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 3; i++) {
        ct_mesh m = mesh_grid(0.2, 0.2, 4, 4);
        char name[8];
        snprintf(name, sizeof name, "s%d", i);
        for (k = 0; k < m.n_positions; k++)
            m.positions[3 * k] += (ct_real)(0.003 * i), m.positions[3 * k + 1] += (ct_real)(0.004 * (i + 1));
        ids[i] = add_cloth_mesh(w, name, &m, CT_MODEL_MEMBRANE, 0.2);
        ct_mesh_free(&m);
    }
    for (i = 0; i < 100; i++) {
        r = step_once(w, 0.01);
        assert_int_equal(r.tangled, 0);
    }
    read_middle(w, ids[0], 0, low);
    read_middle(w, ids[2], 0, high);
    if (getenv("SHOW"))
        print_message("two layers above the lowest: %.3f thicknesses; kept %.3f\n", (high[1] - low[1]) / 4e-3, (double)r.thickness_kept);
    assert_true(r.energy_kinetic < 1e-6);
    assert_true((double)r.thickness_kept > 0.05 && (high[1] - low[1]) / 4e-3 < 0.3);
    assert_int_equal(count_intersections(w), 0);
    ct_world_destroy(w);
}

/* fast sheets do not get through each other or through a floor with the fail-safe on */
static void nothing_gets_through(void **state)
{
    static const double speeds[] = {5, 50, 200};
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = geometric_world(4e-3, 0.3, NULL);
        ct_mesh m = mesh_grid(0.2, 0.2, 6, 6), f = mesh_grid(1, 1, 2, 2);
        ct_static_desc floor = ct_static_desc_default();
        ct_cloth_desc d = ct_cloth_desc_default();
        ct_body_id id;
        double x[3];
        floor.mesh = &f, floor.name = "floor";
        assert_int_equal(ct_body_add_static(w, &floor, &id), CT_OK);
        mesh_place(&m, 0.2, 0, 0.06, 0);
        d.mesh = &m, d.name = "sheet", d.material = ct_material_default(CT_MODEL_MEMBRANE), d.velocity[1] = (ct_real)-speeds[k];
        assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
        for (i = 0; i < 10; i++) {
            ct_step_report r = step_once(w, 0.01);
            assert_int_equal(count_intersections(w), 0);
            assert_int_equal(r.tangled, 0);
        }
        read_middle(w, id, 0, x);
        assert_true(x[1] > 0);
        ct_mesh_free(&m);
        ct_mesh_free(&f);
        ct_world_destroy(w);
    }
}

/* without it they may, and the report says so */
static void crossings_are_counted(void **state)
{
    ct_world_desc d = world_desc(4e-3, 0.3, NULL);
    ct_world *w;
    int i, said = 0, found = 0, k;
    ct_mesh m = mesh_grid(0.2, 0.2, 3, 3);
    (void)state;
    d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.fail_safe = 0;
    w = world_make(&d);
    for (k = 0; k < 2; k++) { /* two sheets that intersect from the start */
        ct_mesh n = mesh_grid(0.2, 0.2, 3, 3);
        mesh_place(&n, k ? 0.7 : 0, 0.01 * k, 0, 0.013 * k);
        add_cloth_mesh(w, k ? "b" : "a", &n, CT_MODEL_MEMBRANE, 0.2);
        ct_mesh_free(&n);
    }
    ct_mesh_free(&m);
    for (i = 0; i < 3; i++) {
        ct_step_report r = step_once(w, 0.01);
        int n = count_intersections(w);
        found += n > 0, said += r.tangled > 0;
        assert_int_equal(r.tangled > 0, n > 0);
        if (n)
            assert_true(r.status >= CT_STATUS_NOT_CONVERGED);
    }
    assert_true(found > 0 && said == found);
    ct_world_destroy(w);
}

/* a vertex slides over an edge of two triangles, flat and folded: the corrections change by no more than a few times the step */
static void sliding_is_continuous(void **state)
{
    double worst[4] = {0, 0, 0, 0};
    int fold;
    (void)state;
    for (fold = 0; fold < 4; fold++) {
        double last[3] = {0, 0, 0}, step = fold & 2 ? 5e-5 : 1e-4;
        int i, k;
        for (i = 0; i <= (fold & 2 ? 400 : 200); i++) {
            double z = -0.01 + step * i;
            ct_world *w = geometric_world(4e-3, 0, NULL);
            static const int32_t up[6] = {0, 2, 1, 0, 1, 3}, down[3] = {0, 1, 2};
            ct_real a[12] = {-1, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 1}, b[9];
            ct_mesh m, t;
            ct_cloth_desc c = ct_cloth_desc_default();
            ct_static_desc s = ct_static_desc_default();
            ct_body_id id;
            double *v;
            memset(&m, 0, sizeof m), memset(&t, 0, sizeof t);
            a[7] = a[10] = (ct_real)(fold & 1 ? -0.2 : 0);
            m.positions = a, m.n_positions = 4, m.triangles = (int32_t *)up, m.n_triangles = 2;
            /* the lowest vertex is above the strip around the edge */
            b[0] = (ct_real)0.1, b[1] = (ct_real)(3e-3 - (fold & 1 ? 0.2 * fabs(z) : 0)), b[2] = (ct_real)z;
            b[3] = (ct_real)0.1, b[4] = (ct_real)0.3, b[5] = (ct_real)(z + 0.2);
            b[6] = (ct_real)0.4, b[7] = (ct_real)0.3, b[8] = (ct_real)(z - 0.1);
            t.positions = b, t.n_positions = 3, t.triangles = (int32_t *)down, t.n_triangles = 1;
            s.mesh = &m, s.name = "fold";
            assert_int_equal(ct_body_add_static(w, &s, &id), CT_OK);
            c.mesh = &t, c.name = "tip", c.material = ct_material_default(CT_MODEL_MEMBRANE), c.velocity[1] = (ct_real)-0.2;
            assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
            step_once(w, 0.01);
            v = read_vectors(w, id, 1, NULL);
            for (k = 0; k < 3 && i > 0; k++)
                worst[fold] = fmax(worst[fold], fabs(v[k] - last[k]));
            for (k = 0; k < 3; k++)
                last[k] = v[k];
            free(v);
            ct_world_destroy(w);
        }
        if (getenv("SHOW"))
            print_message("fold %d: largest jump %.2e m/s for %.0e m\n", fold & 1, worst[fold], step);
        assert_true(worst[fold] < 0.02);
    }
    /* half the step, half the jump: a discontinuity would stay as it is */
    assert_true(worst[2] < (FLOAT ? 1e-3 : 1e-6) && worst[3] < 0.6 * worst[1]);
}

/* velocities after a step in which the lowest vertex of a triangle, at x = s, falls into a valley of two triangles of cloth; v [21]. Returns the
   largest share of the triangle's momentum by which friction is above its bound */
static double fall_into_valley(ct_stepper stepper, double s, double depth, double speed, double friction, double *v)
{
    static const int32_t up[6] = {0, 1, 3, 1, 0, 2}, one[3] = {0, 1, 2};
    ct_real a[12] = {0, 0, (ct_real)-0.05, 0, 0, (ct_real)0.05, (ct_real)-0.08, 0, 0, (ct_real)0.08, 0, 0}, b[9];
    ct_world_desc d = world_desc(4e-3, friction, NULL);
    ct_world *w;
    ct_body_id id[2];
    ct_mesh m;
    const ct_contact *contact;
    double over = 0;
    int i, n;
    d.stepper = stepper, d.gravity[1] = 0;
    w = world_make(&d);
    memset(&m, 0, sizeof m);
    a[7] = a[10] = (ct_real)depth;
    b[0] = (ct_real)s, b[1] = (ct_real)3.5e-3, b[2] = (ct_real)0.002;
    b[3] = (ct_real)(s - 0.01), b[4] = (ct_real)0.0285, b[5] = (ct_real)0.01;
    b[6] = (ct_real)(s + 0.012), b[7] = (ct_real)0.0285, b[8] = (ct_real)-0.011;
    for (i = 0; i < 2; i++) {
        ct_cloth_desc c = ct_cloth_desc_default();
        m.positions = i ? b : a, m.n_positions = i ? 3 : 4, m.triangles = (int32_t *)(i ? one : up), m.n_triangles = i ? 1 : 2;
        c.mesh = &m, c.material = ct_material_default(CT_MODEL_MEMBRANE);
        c.velocity[0] = (ct_real)(i ? 0.1 : 0), c.velocity[1] = (ct_real)(i ? -speed : 0);
        assert_int_equal(ct_body_add_cloth(w, &c, &id[i]), CT_OK);
    }
    step_once(w, 0.01);
    assert_int_equal(ct_world_contacts(w, &contact, &n), CT_OK);
    for (i = 0; i < n; i++)
        over = fmax(over, hypot((double)contact[i].impulse_tangent[0], (double)contact[i].impulse_tangent[1]) -
                              friction * (double)contact[i].impulse_normal);
    for (i = 0; i < 2; i++) {
        double *u = read_vectors(w, id[i], 1, NULL);
        memcpy(v + 12 * i, u, sizeof *u * (i ? 9 : 12));
        free(u);
    }
    ct_world_destroy(w);
    return over / (speed * 0.15 * 0.5 * 0.025 * 0.022);
}

/* Places 10 um apart are no more than .01 m/s apart after a step. In the stepper of Volino 2000 the other side of the valley came into the way from
   1.3 mm on, inside of the thickness; then friction held or did not, which gave .051 m/s. With rows a vertex had that of the nearer side alone:
   .132 m/s at the middle */
static void valleys_are_continuous(void **state)
{
    static const struct {
        double depth, speed, friction;
    } runs[] = {{0.015, 0.1, 0}, {0.005, 0.1, 0}, {0.03, 0.3, 0.3}, {0.02, 0.3, 0.3}, {0.005, 0.3, 0.3}, {0.015, 0.3, 0.8}, {0.03, 1, 0.3}, {0.03, 1, 0}};
    int k, i, j, stepper;
    (void)state;
    for (stepper = 0; stepper < 2; stepper++)
        for (k = 0; k < (int)(sizeof runs / sizeof *runs); k++) {
            double now[21], last[21], worst = 0, over = 0;
            if (stepper && runs[k].depth < 0.01) /* a fold of less than 17 degrees is one surface there */
                continue;
            for (i = 0; i <= PLAIN_OR(800, 30); i++) {
                over = fmax(over, fall_into_valley(stepper ? CT_STEPPER_CMR : CT_STEPPER_GEOMETRIC, -0.004 + 1e-5 * i + 1.3e-8, runs[k].depth, runs[k].speed,
                                                   runs[k].friction, now));
                for (j = 0; j < 21 && i > 0; j++)
                    worst = fmax(worst, fabs(now[j] - last[j]));
                memcpy(last, now, sizeof now);
            }
            if (getenv("SHOW"))
                print_message("stepper %d, valley %d: largest jump %.2e m/s for 1e-5 m, friction above its bound by %.1e\n", stepper, k, worst, over);
            assert_true(worst < 0.01 && over < 0.01);
        }
}

/* two points of two sheets, one within a face, are pulled together without a jump, and stay at the elastic's length; on the way no faster than
   recovery_speed; the joint's impulse carries the lower sheet */
static void elastics_pull_and_hold(void **state)
{
    ct_world *w = geometric_world(4e-3, 0.3, NULL);
    ct_mesh m = mesh_grid(0.2, 0.2, 4, 4);
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_STITCH);
    ct_joint_id joint;
    ct_body_id ids[2];
    double last = 0.1, fastest = 0, J = 0;
    int i, k, all = 25, corners[4] = {0, 4, 20, 24};
    int32_t pins[4];
    (void)state;
    for (i = 0; i < 4; i++)
        pins[i] = corners[i];
    for (i = 0; i < 2; i++) {
        mesh_place(&m, 0, 0, i ? -0.1 : 0, 0);
        ids[i] = add_cloth_mesh(w, i ? "below" : "above", &m, CT_MODEL_MEMBRANE, 0.2);
    }
    assert_int_equal(ct_body_pin(w, ids[0], pins, 4, CT_AXIS_ALL, NULL, -1), CT_OK);
    d.a.body = ids[0], d.b.body = ids[1];
    d.a.vertices[0] = d.b.vertices[0] = 12, d.a.vertices[1] = d.b.vertices[1] = 13, d.a.vertices[2] = -1, d.b.vertices[2] = -1;
    for (k = 0; k < 2; k++)
        d.a.weights[k] = d.b.weights[k] = (ct_real)(k ? 0.25 : 0.75);
    d.rest_length = (ct_real)0.01;
    assert_int_equal(ct_joint_add(w, &d, &joint), CT_OK);
    for (i = 0; i < 250; i++) {
        double *a, *b, p = 0;
        ct_step_report r = step_once(w, 0.01);
        assert_int_equal(r.tangled, 0);
        a = read_vectors(w, ids[0], 0, &all), b = read_vectors(w, ids[1], 0, &all);
        for (k = 0; k < 3; k++)
            p += pow(0.75 * (a[36 + k] - b[36 + k]) + 0.25 * (a[39 + k] - b[39 + k]), 2);
        p = sqrt(p);
        fastest = fmax(fastest, fabs(p - last) / 0.01);
        last = p;
        free(a), free(b);
        if (i >= 200) {
            ct_real j[3];
            assert_int_equal(ct_joint_get_impulse(w, joint, j, NULL), CT_OK);
            J += fabs((double)j[1]) / 50;
        }
    }
    if (getenv("SHOW"))
        print_message("elastic: %.5f m, fastest %.3f m/s, impulse over weight %.3f\n", last, fastest, J / (0.2 * 0.04 * 9.81 * 0.01));
    assert_true(fabs(last - 0.01) < 5e-4);
    assert_true(fastest < 1);
    assert_true(fabs(J / (0.2 * 0.04 * 9.81 * 0.01) - 1) < 0.1);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a sheet that rests on a slope slides when its friction is taken away */
/* a cube of 8 kg on a plane. height: of its lowest vertices; speed downwards. *top: the vertex in the middle of its top */
static ct_world *cube_world(ct_world_desc *d, double young, double height, double speed, ct_body_id *id, int *top)
{
    ct_world *w = world_make(d);
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1);
    ct_soft_desc q = ct_soft_desc_default();
    int i;
    for (i = 0; i < m.n_positions; i++) {
        ct_real *x = m.positions + 3 * i;
        if (x[1] > (ct_real)0.0999 && fabs((double)x[0]) + fabs((double)x[2]) < 1e-6)
            *top = i;
        x[1] += (ct_real)(0.1 + height);
    }
    q.mesh = &m, q.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN);
    q.material.young = (ct_real)young, q.material.poisson = (ct_real)0.3, q.material.density = 1000, q.velocity[1] = (ct_real)-speed;
    assert_int_equal(ct_body_add_soft(w, &q, id), CT_OK);
    add_plane(w, 0, 1, 0, 0);
    ct_mesh_free(&m);
    return w;
}

/* an elastic pulls the cube down: its force has no part in the solve of the contacts, which keep their distance, whichever side comes first */
static void elastics_beside_contacts(void **state)
{
    int swap, i, top = -1;
    (void)state;
    for (swap = 0; swap < 2; swap++) {
        ct_world_desc d = world_desc(2e-3, 0.3, NULL);
        ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
        ct_joint_side *side = swap ? &j.b : &j.a, *still = swap ? &j.a : &j.b;
        ct_body_id id;
        ct_joint_id joint;
        cti_joint *q;
        ct_world *w;
        double recovery = 0;
        d.stepper = CT_STEPPER_GEOMETRIC;
        w = cube_world(&d, 1e5, 2e-3, 0, &id, &top);
        side->body = id, side->vertices[0] = top, side->vertices[1] = side->vertices[2] = -1, side->weights[0] = 1;
        memset(still, 0, sizeof *still);
        still->vertices[0] = still->vertices[1] = still->vertices[2] = -1;
        assert_int_equal(ct_joint_add(w, &j, &joint), CT_OK);
        step_once(w, 0.005);
        q = &w->state.bodies.joints[0];
        (swap ? &q->a : &q->b)->arm[1] -= (ct_real)0.01;
        for (i = 0; i < 400; i++) {
            ct_step_report r = step_once(w, 0.005);
            recovery += r.work_recovery;
            assert_true(r.status <= CT_STATUS_SUBSTEPPED && (i < 200 || r.thickness_kept > (ct_real)0.9));
        }
        if (!(recovery < 2))
            fail_msg("swapped %d: recovery %g J", swap, recovery);
        ct_world_destroy(w);
    }
}

/* both schemes start from the last forces: at rest little is corrected, and contacts carry the weight */
static void cubes_rest(void **state)
{
    int scheme, i, k, n, top;
    (void)state;
    for (scheme = 0; scheme < 2; scheme++) {
        ct_world_desc d = world_desc(2e-3, 0.3, NULL);
        ct_body_id id;
        ct_world *w;
        const ct_contact *c;
        double recovery = 0, force = 0;
        d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.scheme = scheme ? CT_GEOMETRIC_SUCCESSIVE : CT_GEOMETRIC_GLOBAL;
        w = cube_world(&d, 1e5, 2e-3, 0, &id, &top);
        for (i = 0; i < 200; i++) {
            ct_step_report r = step_once(w, 0.01);
            recovery += i > 100 ? r.work_recovery : 0;
            assert_true(i <= 100 || r.thickness_kept > (ct_real)0.87);
            assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
            for (k = 0; k < n && i >= 150; k++)
                force += (double)(c[k].impulse_normal * c[k].normal[1]) / (50 * 0.01);
        }
        if (!(fabs(recovery) < 1e-2 && fabs(force / (8 * 9.81) - 1) < 0.01))
            fail_msg("scheme %d: recovery %g J, force over weight %g", scheme, recovery, force / (8 * 9.81));
        ct_world_destroy(w);
    }
}

/* impulses that are reported change the momentum, those of the last corrections of speeds included */
static void impulses_of_impacts(void **state)
{
    int rule, i, j, k, n, top;
    (void)state;
    for (rule = 0; rule < 2; rule++) {
        ct_world_desc d = world_desc(2e-3, 0, NULL);
        ct_body_id id;
        ct_world *w;
        double last = -8, sum = 0;
        d.stepper = CT_STEPPER_GEOMETRIC, d.gravity[1] = 0, d.integrator = rule ? CT_INTEGRATOR_MIDPOINT : CT_INTEGRATOR_EULER;
        w = cube_world(&d, 1e6, 0.01, 1, &id, &top);
        for (i = 0; i < 40; i++) {
            const ct_contact *c;
            double now = 0, J = 0;
            step_once(w, 0.01);
            assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
            for (k = 0; k < n; k++)
                J += (double)(c[k].impulse_normal * c[k].normal[1]);
            for (j = 0; j < w->state.n; j++)
                now += (double)(w->state.bodies.mass[j] * w->state.v[3 * j + 1]);
            if (fabs(now - last - J) > 0.01)
                fail_msg("rule %d, step %d: impulses %g, momentum %g", rule, i, J, now - last);
            last = now, sum += J;
        }
        assert_true(sum > 7.9 && sum < 16.1); /* 8 kg at 1 m/s stop, or turn round */
        ct_world_destroy(w);
    }
}

/* a cube of 1e9 Pa that is laid half a thickness above where it rests gains no energy, whatever recovery does */
static void recovery_is_bounded(void **state)
{
    ct_world_desc d = world_desc(2e-3, 0.3, NULL);
    ct_body_id id;
    ct_world *w;
    double start = 0, fall = 8 * 9.81 * 0.5e-3;
    int i, top;
    (void)state;
    d.stepper = CT_STEPPER_GEOMETRIC;
    w = cube_world(&d, 1e9, 2.5e-3, 0, &id, &top);
    for (i = 0; i < w->state.n; i++)
        start += 9.81 * (double)(w->state.bodies.mass[i] * w->state.x[3 * i + 1]);
    for (i = 0; i < 50; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_true(r.energy_kinetic + r.energy_elastic + r.energy_gravity < start + 0.05 * fall + (FLOAT ? 1 : 0)); /* roundings of a modulus of 1e7 J */
        assert_true(r.status <= CT_STATUS_SUBSTEPPED);
    }
    ct_world_destroy(w);
}

/* a sheet that is too near a plane is lifted whichever vertex is pinned, though the pin's collision is not in the network */
static void pins_do_not_stop_corrections(void **state)
{
    static const int pins[3] = {0, 12, 24};
    int k, i, n;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = geometric_world(1e-2, 0.3, NULL);
        ct_mesh m = mesh_grid(0.2, 0.2, 4, 4);
        int32_t pin = pins[k];
        ct_body_id id;
        double *x;
        add_plane(w, 0, 1, 0, 0);
        mesh_place(&m, 0, 0, 0.003, 0);
        id = add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.2);
        assert_int_equal(ct_body_pin(w, id, &pin, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        for (i = 0; i < 3; i++)
            assert_int_equal(step_once(w, 0.005).status, CT_STATUS_OK);
        x = read_vectors(w, id, 0, &n);
        for (i = 0; i < n; i++)
            assert_true(i == pin ? fabs(x[3 * i + 1] - 0.003) < 1e-6 : x[3 * i + 1] > 0.0045);
        free(x);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* thin sheets beside a thick one, which touches none of them, are kept apart as without it. In float the least distance of starts whose gravity
   differs by 1e-6 is .52 to .96 of the thickness, in double .92 to .95; position_distance is .5, and in float the fail-safe may act at the impact */
static void thin_beside_thick(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(1, 0.1, 1, 1, 1, 1, 0), sheet = mesh_grid(0.3, 0.3, 6, 6);
    ct_static_desc floor = ct_static_desc_default();
    ct_cloth_desc q = ct_cloth_desc_default();
    ct_body_id id[4];
    int i, k, v, n;
    (void)state;
    d.stepper = CT_STEPPER_GEOMETRIC, d.self_collision = 0;
    w = world_make(&d);
    floor.mesh = &m, floor.position[1] = (ct_real)-0.05;
    q.mesh = &sheet, q.material = ct_material_default(CT_MODEL_MEMBRANE), q.material.young = (ct_real)1e5;
    for (k = 0; k < 5; k++) { /* the last one is thick, on a thick floor */
        double T = k < 4 ? 1e-3 : 0.1;
        if (k == 0 || k == 4) {
            floor.thickness = (ct_real)T, floor.position[0] = k ? 3 : 0;
            assert_int_equal(ct_body_add_static(w, &floor, NULL), CT_OK);
        }
        q.thickness = (ct_real)T, q.position[0] = k < 4 ? 0 : 3, q.position[1] = (ct_real)(k < 4 ? 1.1e-3 * (k + 1) : 1.05 * T);
        assert_int_equal(ct_body_add_cloth(w, &q, k < 4 ? &id[k] : NULL), CT_OK);
    }
    for (i = 0; i < PLAIN_OR(100, 55); i++) {
        assert_true(step_once(w, 0.01).status <= (FLOAT ? CT_STATUS_ZONES : CT_STATUS_SUBSTEPPED));
        for (k = 0; k < 4 && i >= 50; k++) {
            double *x = read_vectors(w, id[k], 0, &n), *y = k ? read_vectors(w, id[k - 1], 0, &n) : NULL;
            for (v = 0; v < n; v++)
                assert_true(x[3 * v + 1] - (y ? y[3 * v + 1] : 0) > (FLOAT ? 0.5e-3 : 0.85e-3));
            free(x), free(y);
        }
    }
    ct_mesh_free(&m), ct_mesh_free(&sheet);
    ct_world_destroy(w);
}

static void friction_ends(void **state)
{
    ct_world *w = geometric_world(4e-3, 0.8, NULL);
    ct_mesh m = mesh_grid(0.2, 0.2, 3, 3);
    ct_body_id id;
    double x0[3], x1[3], x2[3];
    int i;
    (void)state;
    add_plane(w, 0.3, 1, 0, 0);
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i + 1] = (ct_real)(-0.3 * m.positions[3 * i] + 5e-3);
    id = add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.2);
    for (i = 0; i < 40; i++)
        step_once(w, 0.01);
    read_middle(w, id, 0, x0);
    for (i = 0; i < 40; i++)
        step_once(w, 0.01);
    read_middle(w, id, 0, x1);
    assert_true(fabs(x1[0] - x0[0]) < 1e-3);
    assert_int_equal(ct_body_set_friction(w, id, (ct_real)-1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_friction(w, id, 0), CT_OK);
    for (i = 0; i < 40; i++)
        step_once(w, 0.01);
    read_middle(w, id, 0, x2);
    /* g sin cos of the slope's angle over 0.4 s */
    assert_true(fabs((x2[0] - x1[0]) / (0.5 * 9.81 * 0.3 / 1.09 * 0.16) - 1) < 0.1);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

static void refusals(void **state)
{
    ct_world *none = NULL;
    ct_world_desc wd = world_desc(1e-3, 0, NULL);
    ct_error_info e;
    (void)state;
    wd.stepper = CT_STEPPER_GEOMETRIC, wd.geometric.cg_turns = 0;
    assert_int_equal(ct_world_create(&wd, &none, &e), CT_ERR_ARGUMENT);
    wd.geometric.cg_turns = 24, wd.geometric.speed_distance = 2;
    assert_int_equal(ct_world_create(&wd, &none, &e), CT_ERR_ARGUMENT);
}

/* A body is added far away, and memory runs out while the world is prepared for a query: contacts keep their forces, the hash is the same after the
   query, and so is the future. */
static void added_bodies_leave_forces(void **state)
{
    uint64_t future[2] = {0, 0};
    int64_t k;
    int i, failed = 0;
    (void)state;
    for (k = 0; k < 400; k += k ? PLAIN_OR(1, 7) : 1) {
        books b;
        ct_world_desc d;
        ct_world *w;
        ct_pair *pairs;
        uint64_t hash;
        ct_code code;
        int n;
        memset(&b, 0, sizeof b);
        d = world_desc(2e-3, 0.3, &b);
        d.stepper = CT_STEPPER_GEOMETRIC;
        w = world_make(&d);
        add_plane(w, 0.1, 1, 0, 0);
        add_soft_box(w, "box", 0.1, 1, 1e5, 0, 0.053, 0);
        for (i = 0; i < 8; i++)
            step_once(w, 0.01);
        add_soft_box(w, "far", 0.1, 1, 1e5, 3, 2, 0);
        hash = ct_world_hash(w);
        b.fail_at = k > 0 ? b.calls + k : 0;
        code = ct_world_validate(w, &pairs, &n);
        b.fail_at = 0;
        failed += code == CT_ERR_MEMORY;
        assert_true(ct_world_hash(w) == hash);
        for (i = 0; i < 3; i++)
            step_once(w, 0.01);
        future[k > 0] = ct_world_hash(w);
        assert_true(k == 0 || future[0] == future[1]);
        ct_world_destroy(w);
        assert_true(b.blocks == 0 && b.wrong == 0);
        if (k > 0 && code == CT_OK && b.refused == 0)
            break;
    }
    assert_true(failed > PLAIN_OR(10, 1) && k < 400);
}

/* Memory runs out within a step that finds new contacts: the next steps are those of a world in which it did not [m]. Contacts forgot their
   forces. */
static void failed_steps_leave_the_future(void **state)
{
    double future[81], most = 0;
    int64_t k;
    int i, n, at, failed = 0;
    (void)state;
    for (at = 7; at < 12; at++)
        for (k = 0; k < 60; k++) {
            books b;
            ct_world_desc d;
            ct_world *w;
            ct_code code;
            ct_body_id low;
            double *x;
            memset(&b, 0, sizeof b);
            d = world_desc(1e-3, 0.4, &b);
            d.stepper = CT_STEPPER_GEOMETRIC;
            w = world_make(&d);
            add_plane(w, 0, 1, 0, 0);
            low = add_soft_box(w, "low", 0.1, 2, 1e5, 0, 0.0515, 0);
            add_soft_box(w, "high", 0.1, 2, 1e5, 0.03, 0.2, 0);
            for (i = 0; i < at; i++)
                step_once(w, 0.01);
            b.fail_at = k > 0 ? b.calls + k : 0;
            code = ct_world_step(w, (ct_real)0.01, NULL);
            b.fail_at = 0;
            failed += code == CT_ERR_MEMORY;
            for (i = code == CT_OK; i < 3; i++)
                step_once(w, 0.01);
            x = read_vectors(w, low, 0, &n);
            for (i = 0; i < 3 * n; i++) {
                most = k > 0 ? fmax(most, fabs(x[i] - future[i])) : most;
                future[i] = k > 0 ? future[i] : x[i];
            }
            free(x);
            ct_world_destroy(w);
            assert_true(b.blocks == 0 && b.wrong == 0);
            if (k > 0 && b.refused == 0)
                break;
        }
    /* 5e-5: a factor that the failed step replaced stays, and corrections of soft bodies go through factors. Forces that were forgotten gave 7e-3 */
    assert_true(failed > 10 && most < 2e-4);
}

/* a product with M^-1/2 A M^-1/2, or with A */
typedef struct weighted {
    const cti_bsr *A;
    const ct_real *mass; /* NULL: with A */
    ct_real *x;
} weighted;

static void weighted_apply(void *ctx, const ct_real *w, ct_real *y)
{
    weighted *q = (weighted *)ctx;
    int i;
    for (i = 0; i < 3 * q->A->n; i++)
        q->x[i] = w[i] / (q->mass ? cti_sqrt(q->mass[i / 3]) : 1);
    cti_bsr_mul(q->A, q->x, y);
    for (i = 0; i < 3 * q->A->n; i++)
        y[i] /= q->mass ? cti_sqrt(q->mass[i / 3]) : 1;
}

/* sheets with masses of 1, 1e3, 1e6 on a floor: they rest apart, and weighted equations take a fraction of the turns of plain ones (sec. 4.2) */
static void disparate_masses(void **state)
{
    ct_world *w = geometric_world(4e-3, 0.3, NULL);
    ct_step_report r;
    int turns[2], k, i, n;
    double left[2];
    ct_real *b, *x;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 3; i++) {
        ct_mesh m = mesh_grid(0.2, 0.2, 4, 4);
        char name[8];
        snprintf(name, sizeof name, "s%d", i);
        mesh_place(&m, 0, 0.3 * i, 5e-3, 0);
        add_cloth_mesh(w, name, &m, CT_MODEL_MEMBRANE, 0.2 * pow(1000, i));
        ct_mesh_free(&m);
    }
    for (i = 0; i < 60; i++)
        r = step_once(w, 0.01);
    assert_int_equal(r.tangled, 0);
    assert_true((double)r.thickness_kept > 0.9);
    n = 3 * w->state.n;
    b = (ct_real *)calloc((size_t)(8 * n), sizeof *b), x = b + n;
    for (k = 0; k < 2; k++) {
        weighted q;
        cti_operator A;
        q.A = &w->state.system.A, q.mass = k ? w->state.bodies.mass : NULL, q.x = x + n;
        A.n = n, A.apply = weighted_apply, A.ctx = &q;
        for (i = 0; i < n; i++)
            b[i] = w->state.bodies.mass[i / 3] * (ct_real)((i * 7919) % 101 - 50) / (k ? cti_sqrt(w->state.bodies.mass[i / 3]) : 1), x[i] = 0;
        cti_pcg(&A, NULL, b, x, 0, 100, x + 2 * n, &turns[k]);
        /* what is left of the equations, in the norm of the kinetic energy that it makes */
        weighted_apply(&q, x, x + 2 * n);
        for (left[k] = 0, i = 0; i < n; i++) {
            double d = (double)(b[i] - x[2 * n + i]);
            left[k] += d * d / (k ? 1 : (double)w->state.bodies.mass[i / 3]);
        }
    }
    if (getenv("SHOW"))
        print_message("left after %d turns: plain %.1e, after %d weighted %.1e\n", turns[0], sqrt(left[0]), turns[1], sqrt(left[1]));
    assert_true(sqrt(left[1]) < 0.01 * sqrt(left[0]));
    free(b);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_turn_lowers_the_energy),
        cmocka_unit_test(no_correction_raises_the_energy),
        cmocka_unit_test(no_push_is_beyond_its_target),
        cmocka_unit_test(safeguard_scales),
        cmocka_unit_test(distribution_and_constraints),
        cmocka_unit_test(targets_and_derivatives),
        cmocka_unit_test(forces_by_finite_differences),
        cmocka_unit_test(falls_as_implicit_euler_says),
        PLAIN_TEST(a_pile_rests)
        cmocka_unit_test(interference_is_prevented),
        cmocka_unit_test(nothing_gets_through),
        cmocka_unit_test(crossings_are_counted),
        PLAIN_TEST(sliding_is_continuous)
        cmocka_unit_test(valleys_are_continuous),
        cmocka_unit_test(elastics_pull_and_hold),
        cmocka_unit_test(elastics_beside_contacts),
        cmocka_unit_test(cubes_rest),
        cmocka_unit_test(impulses_of_impacts),
        cmocka_unit_test(recovery_is_bounded),
        cmocka_unit_test(pins_do_not_stop_corrections),
        cmocka_unit_test(thin_beside_thick),
        cmocka_unit_test(friction_ends),
        cmocka_unit_test(refusals),
        cmocka_unit_test(added_bodies_leave_forces), cmocka_unit_test(failed_steps_leave_the_future),
        cmocka_unit_test(disparate_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
