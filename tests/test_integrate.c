/* test_integrate.c -- Euler, Newmark and BDF2 under CMR: free fall at changing steps, order of convergence of a swinging beam, energy of a small
   vibration, drops and rest on a floor, piles without intersections, histories that end (bodies that leave, velocities that are set). */
#include "world_util.h"

static const char *const names[3] = {"euler", "newmark", "bdf2"};

static ct_world *make_world(ct_integrator k, double g, books *b)
{
    ct_world_desc d = world_desc(1e-3, 0.3, b);
    d.integrator = k, d.gravity[1] = (ct_real)-g, d.solver.tolerance = (ct_real)1e-9;
    return world_make(&d);
}

static double away(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* ---- without contact ---- */

/* x(t) = x0 + v0 t + g t^2 / 2, whatever the steps are; the end velocities of Newmark and BDF2 are exact, too */
static void free_fall_is_exact(void **state)
{
    int i, k, j;
    (void)state;
    for (i = 0; i < 3; i++) {
        ct_world *w = make_world((ct_integrator)i, 9.81, NULL);
        ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
        ct_body_id b = add_soft_mesh(w, "box", &m, 1e5, 1, 2, 3);
        uint64_t seed = 5;
        double t = 0, p[3], v[3];
        for (k = 0; k < 40; k++) {
            double dt = 0.002 + 0.02 * lcg(&seed), want[3];
            step_once(w, dt);
            t += (double)(ct_real)dt;
            read_middle(w, b, 0, p), read_middle(w, b, 1, v);
            want[0] = t, want[1] = 2 * t - 0.5 * 9.81 * t * t, want[2] = 3 * t;
            for (j = 0; j < 3; j++)
                assert_true(fabs(p[j] - want[j]) < 1e-9);
            if (i > 0)
                assert_true(fabs(v[0] - 1) < 1e-9 && fabs(v[1] - 2 + 9.81 * t) < 1e-9 && fabs(v[2] - 3) < 1e-9);
        }
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

typedef struct beam {
    ct_world *w;
    ct_body_id b;
    ct_mesh m;
    int tip;
} beam;

/* a beam of a metre, held at one end */
static beam beam_make(ct_integrator k, double g, double young, double alpha, double beta)
{
    ct_soft_desc d = ct_soft_desc_default();
    beam q;
    int i;
    q.w = make_world(k, g, NULL);
    q.m = mesh_box(1, 0.1, 0.1, 8, 1, 1, 1);
    d.mesh = &q.m, d.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN);
    d.material.young = (ct_real)young, d.material.poisson = (ct_real)0.3;
    d.material.damping_mass = (ct_real)alpha, d.material.damping_stiffness = (ct_real)beta;
    assert_int_equal(ct_body_add_soft(q.w, &d, &q.b), CT_OK);
    for (q.tip = i = 0; i < q.m.n_positions; i++) {
        int32_t at = i;
        if ((double)q.m.positions[3 * i] < -0.499)
            assert_int_equal(ct_body_pin(q.w, q.b, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        if (q.m.positions[3 * i] > q.m.positions[3 * q.tip])
            q.tip = i;
    }
    return q;
}
static void beam_free(beam *q)
{
    ct_mesh_free(&q->m);
    ct_world_destroy(q->w);
}

/* position of the tip after 0.4 s in n steps; odd: steps alternate between 2/3 and 4/3 of the mean */
static void beam_tip(ct_integrator k, int n, int odd, double g, double alpha, double beta, double out[3])
{
    beam q = beam_make(k, g, 5e6, alpha, beta);
    double *x, dt = 0.4 / n;
    int i;
    for (i = 0; i < n; i++)
        step_once(q.w, odd ? (i % 2 ? 4 * dt / 3 : 2 * dt / 3) : dt);
    x = read_vectors(q.w, q.b, 0, NULL);
    memcpy(out, x + 3 * q.tip, 3 * sizeof *x);
    free(x);
    beam_free(&q);
}

static double beam_order(ct_integrator k, int odd, double g, double alpha, double beta, double *out_first, double *out_tip)
{
    double p[4][3], e[3];
    int i;
    for (i = 0; i < 4; i++)
        beam_tip(k, 40 << i, odd, g, alpha, beta, p[i]);
    for (i = 0; i < 3; i++)
        e[i] = away(p[i], p[i + 1]);
    *out_first = e[0], *out_tip = p[3][1];
    print_message("%s, g %g%s: tip at %.6f; differences %.3g %.3g %.3g; orders %.2f %.2f\n", names[k], g, odd ? ", uneven steps" : "", *out_tip, e[0],
                  e[1], e[2], log(e[0] / e[1]) / log(2), log(e[1] / e[2]) / log(2));
    return log(e[1] / e[2]) / log(2);
}

/* small strains, both kinds of damping: the order from one halving of dt to the next; all converge to the same position */
static void orders_of_convergence(void **state)
{
    int odd, i;
    (void)state;
    for (odd = 0; odd < 2; odd++) {
        double order[3], first[3], tip[3];
        for (i = 0; i < 3; i++)
            order[i] = beam_order((ct_integrator)i, odd, 0.1, 2, 0.01, &first[i], &tip[i]);
        assert_true(order[0] > 0.8 && order[0] < 1.1);
        assert_true(order[1] > 1.8 && order[2] > 1.8);
        assert_true(first[1] < first[0] / 10 && first[2] < first[0] / 4);
        assert_true(fabs(tip[1] - tip[2]) < 2e-7 && fabs(tip[0] - tip[1]) < (odd ? 4e-5 : 2e-5));
    }
}

/* large strains, where stiffness is projected and damping follows the strain: the order is lower, the error is a small part of Euler's */
static void large_swings_are_closer_than_eulers(void **state)
{
    double first[3], tip[3];
    int i;
    (void)state;
    for (i = 0; i < 3; i++)
        beam_order((ct_integrator)i, 0, 9.81, 0, 0, &first[i], &tip[i]);
    assert_true(first[1] < first[0] / 4 && first[2] < first[0] / 2);
    assert_true(fabs(tip[1] - tip[2]) < 1e-3 && fabs(tip[0] - tip[1]) < 1e-2);
}

/* all energies of a report are those of the end of its step */
static void energy_of_a_vibration(void **state)
{
    double lost[3], least[3], most[3];
    int i, k, j;
    (void)state;
    for (i = 0; i < 3; i++) {
        beam q = beam_make((ct_integrator)i, 0, 5e6, 0, 0);
        ct_real *v = (ct_real *)calloc(3 * (size_t)q.m.n_positions, sizeof *v);
        double first = 0, e = 0;
        assert_non_null(v);
        for (j = 0; j < q.m.n_positions; j++)
            v[3 * j + 1] = (ct_real)(1e-3 * pow((double)q.m.positions[3 * j] + 0.5, 2));
        assert_int_equal(ct_body_set_velocities(q.w, q.b, v, q.m.n_positions), CT_OK);
        least[i] = 1e30, most[i] = 0;
        for (k = 0; k <= 502; k++) {
            ct_step_report r = step_once(q.w, 0.01);
            e = r.energy_kinetic + r.energy_elastic;
            if (k == 2)
                first = e;
            if (k >= 2)
                least[i] = fmin(least[i], e), most[i] = fmax(most[i], e);
        }
        least[i] /= first, most[i] /= first, lost[i] = 1 - e / first;
        print_message("%s: after 500 steps of 10 ms %.4f of the energy is left (between %.4f and %.4f)\n", names[i], e / first, least[i], most[i]);
        free(v);
        beam_free(&q);
    }
    assert_true(least[1] > 0.98 && most[1] < 1.02);
    assert_true(lost[0] > 0.9);
    assert_true(lost[2] < 0.5 * lost[0] && most[2] < 1.01);
}

/* ---- contact ---- */

/* a soft box that drops on a floor: its middle never rises above its start, it gains no energy, and it comes to rest */
static void a_drop_never_rises(void **state)
{
    static const double youngs[3] = {2e4, 2e5, 1e7};
    int i, y, k;
    (void)state;
    for (i = 0; i < 3; i++)
        for (y = PLAIN_OR(0, i); y < PLAIN_OR(3, i + 1); y++) {
            ct_world *w = make_world((ct_integrator)i, 9.81, NULL);
            ct_body_id b;
            double start[3], p[3], v[3], top = -1, e0 = 0, e1 = 0, ke = 0, rebound = -1;
            int landed = 0;
            add_plane(w, 0, 1, 0, 0);
            b = add_soft_box(w, "box", 0.1, 3, youngs[y], 0, 0.36, 0);
            read_middle(w, b, 0, start);
            for (k = 0; k < 300; k++) {
                ct_step_report r = step_once(w, 0.01);
                double e = r.energy_kinetic + r.energy_gravity + r.energy_elastic;
                e0 = k == 0 ? e : e0, e1 = fmax(k == 0 ? e : e1, e), ke = r.energy_kinetic;
                read_middle(w, b, 0, p);
                landed |= r.contacts > 0;
                top = landed ? fmax(top, p[1]) : top;
                read_middle(w, b, 1, v);
                rebound = landed ? fmax(rebound, v[1]) : rebound;
                assert_int_equal(count_intersections(w), 0);
            }
            print_message("%s, %g Pa: starts at %.3f, then up to %.3f (at most %.2f m/s), energy %.3f to at most %.3f; at last %.4f, %.3g J\n",
                          names[i], youngs[y], start[1], top, rebound, e0, e1, p[1], ke);
            assert_true(landed && top < start[1] - 0.1);
            assert_true(e1 < e0 * 1.02 + 1e-3);
            assert_true(ke < 1e-3);
            ct_world_destroy(w);
        }
}

/* a stiff and a soft box that slide: friction decelerates them by mu g */
static void a_sliding_box_slows_down(void **state)
{
    static const double youngs[2] = {1e5, 5e6};
    int i, y, k;
    (void)state;
    for (i = 0; i < 3; i++)
        for (y = 0; y < 2; y++) {
            ct_world *w = make_world((ct_integrator)i, 9.81, NULL);
            ct_mesh m = mesh_box(0.2, 0.1, 0.2, 3, 2, 3, 1);
            ct_body_id b;
            double p[3], q[3], want;
            ct_real *v = (ct_real *)calloc(3 * (size_t)m.n_positions, sizeof *v);
            assert_non_null(v);
            mesh_place(&m, 0, 0, 0.0511, 0);
            add_plane(w, 0, 1, 0, 0);
            b = add_soft_mesh(w, "box", &m, youngs[y], 0, 0, 0);
            for (k = 0; k < 100; k++)
                step_once(w, 0.01);
            for (k = 0; k < m.n_positions; k++)
                v[3 * k] = 3;
            assert_int_equal(ct_body_set_velocities(w, b, v, m.n_positions), CT_OK);
            read_middle(w, b, 0, p);
            for (k = 0; k < 60; k++)
                step_once(w, 0.01);
            read_middle(w, b, 0, q);
            want = 3 * 0.6 - 0.5 * 0.3 * 9.81 * 0.36;
            print_message("%s, %g Pa: slid %.4f m in 0.6 s, a point %.4f m\n", names[i], youngs[y], q[0] - p[0], want);
            assert_true(fabs(q[0] - p[0] - want) < 0.008 * want); /* first order: bodies in contact are stepped by Euler's rule */
            assert_true(fabs(q[1] - p[1]) < 2e-3);
            free(v);
            ct_mesh_free(&m);
            ct_world_destroy(w);
        }
}

/* a box that lies on the floor stays there: no drift, no velocity */
static void a_resting_box_rests(void **state)
{
    int i, k;
    (void)state;
    for (i = 0; i < 3; i++) {
        ct_world *w = make_world((ct_integrator)i, 9.81, NULL);
        ct_body_id b;
        double p[3], q[3], v[3], ke = 0;
        add_plane(w, 0, 1, 0, 0);
        b = add_soft_box(w, "box", 0.2, 3, 1e5, 0, 0.101, 0);
        for (k = 0; k < 200; k++)
            step_once(w, 0.01);
        read_middle(w, b, 0, p);
        for (k = 0; k < 200; k++)
            ke = fmax(ke, step_once(w, 0.01).energy_kinetic);
        read_middle(w, b, 0, q), read_middle(w, b, 1, v);
        print_message("%s: moved by %.3g m in 2 s, velocity %.3g m/s, kinetic at most %.3g J\n", names[i], away(p, q), fabs(v[1]), ke);
        /* Newmark does not damp the highest vibrations of the landing: there v changes sign in every step, around u = 0 */
        assert_true(away(p, q) < 1e-6);
        assert_true(i == 1 ? fabs(v[1]) < 1e-3 && ke < 1e-4 : fabs(v[1]) < 1e-5 && ke < 1e-9);
        ct_world_destroy(w);
    }
}

/* boxes that fall on each other and a sheet over them, long steps that are halved */
static void a_pile_has_no_intersections(void **state)
{
    int i, k, j;
    (void)state;
    for (i = 0; i < 3; i++) {
        ct_world *w = make_world((ct_integrator)i, 9.81, NULL);
        ct_mesh sheet = mesh_grid(0.8, 0.8, 10, 10);
        double e0 = 0, e1 = 0, ke = 0;
        int substeps = 0, zones = 0, worst = 0;
        add_plane(w, 0, 1, 0, 0);
        for (j = 0; j < 3; j++)
            add_soft_box(w, "box", 0.2, 2, 1e5, 0.05 * (j % 2), 0.12 + 0.25 * j, 0.03 * (j % 3));
        mesh_place(&sheet, 0, 0, 1, 0);
        add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.2);
        for (k = 0; k < 80; k++) { /* all have landed after 50 */
            ct_step_report r = step_once(w, 0.015);
            double e = r.energy_kinetic + r.energy_gravity + r.energy_elastic;
            assert_int_equal(count_intersections(w), 0);
            e0 = k == 0 ? e : e0, e1 = fmax(k == 0 ? e : e1, e), ke = r.energy_kinetic;
            substeps += r.substeps, zones += r.zones, worst = (int)r.status > worst ? (int)r.status : worst;
        }
        print_message("%s: %d substeps, %d zones, worst status %s, energy %.3f, at most %.3f J, at last kinetic %.3g J\n", names[i], substeps, zones,
                      ct_status_text((ct_status)worst), e0, e1, ke);
        assert_true(e1 < e0 * 1.01);
        assert_true(worst < CT_STATUS_NOT_CONVERGED);
        ct_mesh_free(&sheet);
        ct_world_destroy(w);
    }
}

/* a cube that is shot at a held sheet, with one round and no halving: the fail-safe ends steps, and histories start again after it */
static void the_fail_safe_resets(void **state)
{
    int i, k, n;
    (void)state;
    for (i = 0; i < 3; i++) {
        ct_world_desc d = world_desc(1e-3, 0.3, NULL);
        ct_world *w;
        ct_mesh sheet = mesh_grid(0.6, 0.6, 10, 10);
        ct_mesh cube = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
        ct_body_id s;
        double e0 = 0, e1 = 0;
        int zones = 0;
        d.integrator = (ct_integrator)i, d.cmr_rounds = 1, d.max_halvings = 0;
        w = world_make(&d);
        mesh_place(&cube, 0.4, 0, 0.15, 0);
        s = add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.2);
        for (k = 0; k < sheet.n_positions; k++)
            if (fabs((double)sheet.positions[3 * k]) > 0.299) {
                int32_t at = k;
                assert_int_equal(ct_body_pin(w, s, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
            }
        add_soft_mesh(w, "cube", &cube, 1e5, 0, -40, 0);
        for (k = 0; k < 60; k++) {
            ct_step_report r = step_once(w, 0.005);
            double e = r.energy_kinetic + r.energy_elastic + r.energy_gravity;
            n = count_intersections(w);
            assert_int_equal(n, 0);
            zones += r.zones;
            e0 = k == 0 ? e : e0, e1 = fmax(k == 0 ? e : e1, e);
        }
        print_message("%s: %d zones, energy %.4g to at most %.4g J\n", names[i], zones, e0, e1);
        assert_true(zones > 0 && e1 < 1.01 * e0);
        ct_mesh_free(&sheet), ct_mesh_free(&cube);
        ct_world_destroy(w);
    }
}

/* ---- histories ---- */

/* a body that is removed takes its history along: the other moves as if it had been alone */
static void a_body_leaves(void **state)
{
    int i, k, both;
    (void)state;
    for (i = 0; i < 3; i++) {
        double p[2][3];
        for (both = 0; both < 2; both++) {
            ct_world *w = make_world((ct_integrator)i, 9.81, NULL);
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
            ct_soft_desc d = ct_soft_desc_default();
            ct_body_id a = {0, 0}, b, c;
            double *x;
            d.mesh = &m;
            if (both)
                a = add_soft_mesh(w, "leaves", &m, 1e4, 5, 0, 0);
            mesh_place(&m, 0, 0, 0, 3);
            d.angular_velocity[0] = 20;
            assert_int_equal(ct_body_add_soft(w, &d, &b), CT_OK);
            for (k = 0; k < 5; k++)
                step_once(w, 0.004 + 0.001 * k);
            if (both) {
                assert_int_equal(ct_body_remove(w, a), CT_OK);
                mesh_place(&m, 0, 0, 0, 3);
                c = add_soft_mesh(w, "comes", &m, 1e4, 0, 0, 0);
                (void)c;
            }
            for (k = 0; k < 10; k++)
                step_once(w, 0.005);
            x = read_vectors(w, b, 0, NULL);
            memcpy(p[both], x, sizeof p[both]);
            free(x);
            ct_mesh_free(&m);
            ct_world_destroy(w);
        }
        assert_true(away(p[0], p[1]) < 1e-9);
    }
}

/* velocities that the user sets are the ones that the body continues with */
static void set_velocities_are_taken(void **state)
{
    int i, k;
    (void)state;
    for (i = 0; i < 3; i++) {
        ct_world *w = make_world((ct_integrator)i, 0, NULL);
        ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
        ct_body_id b = add_soft_mesh(w, "box", &m, 1e5, 3, 0, 0);
        ct_real *v = (ct_real *)calloc(3 * (size_t)m.n_positions, sizeof *v);
        double p[3], q[3];
        assert_non_null(v);
        for (k = 0; k < m.n_positions; k++)
            v[3 * k + 2] = -2;
        for (k = 0; k < 3; k++)
            step_once(w, 0.01);
        read_middle(w, b, 0, p);
        assert_int_equal(ct_body_set_velocities(w, b, v, m.n_positions), CT_OK);
        for (k = 0; k < 10; k++)
            step_once(w, 0.01);
        read_middle(w, b, 0, q);
        assert_true(fabs(q[0] - p[0]) < 1e-9 && fabs(q[2] - p[2] + 0.2) < 1e-9);
        free(v);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* A step that runs out of memory leaves positions, velocities and history unchanged: tried again, it gives the same motion (a solve may start from
   elsewhere, so not the same bits) */
static void out_of_memory_changes_nothing(void **state)
{
    int i, k, fail;
    (void)state;
    for (i = 0; i < 3; i++) {
        double *want = NULL, worst = 0;
        int n = 0, refused = 0;
        for (fail = 0; fail < 12; fail++) {
            books bk;
            ct_world *w;
            ct_body_id b;
            double *x;
            memset(&bk, 0, sizeof bk);
            w = make_world((ct_integrator)i, 9.81, &bk);
            add_plane(w, 0, 1, 0, 0);
            b = add_soft_box(w, "box", 0.1, 2, 1e5, 0, 0.06, 0);
            for (k = 0; k < 12; k++) {
                ct_step_report r;
                bk.fail_at = fail ? bk.calls + fail : 0, bk.fail_on = 1;
                if (ct_world_step(w, (ct_real)0.01, &r) != CT_OK) {
                    refused++;
                    bk.fail_at = 0;
                    step_once(w, 0.01);
                }
                bk.fail_at = 0;
            }
            x = read_vectors(w, b, 0, &n);
            if (!fail)
                want = x;
            else {
                for (k = 0; k < 3 * n; k++)
                    worst = fmax(worst, fabs(x[k] - want[k]));
                free(x);
            }
            ct_world_destroy(w);
            assert_true(bk.live == 0 && bk.wrong == 0);
        }
        print_message("%s: %d steps refused, positions then differ by %.3g m\n", names[i], refused, worst);
        assert_true(refused > 10 && worst < 1e-7);
        free(want);
    }
}

/* two worlds with the same positions, velocities and time, of which one starts anew, move differently: their hashes differ */
static void the_hash_knows_the_history(void **state)
{
    int i, k;
    (void)state;
    for (i = 0; i < 3; i++) {
        books bk;
        ct_world *w[2];
        ct_body_id b[2];
        ct_rigid_desc d = ct_rigid_desc_default();
        ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
        double *v;
        ct_real *u;
        int n, k2;
        memset(&bk, 0, sizeof bk);
        d.mesh = &m;
        for (k = 0; k < 2; k++) {
            ct_body_id id;
            /* memory that was never written is never read: the two allocators fill it differently */
            w[k] = make_world((ct_integrator)i, 9.81, k ? &bk : NULL);
            add_soft_box(w[k], "first", 0.1, 1, 1e5, 1, 1, 0);
            assert_int_equal(ct_body_add_rigid(w[k], &d, &id), CT_OK);
            b[k] = add_soft_box(w[k], "box", 0.1, 2, 1e5, 2, 0.5, 0);
            for (k2 = 0; k2 < 3; k2++)
                step_once(w[k], 0.01);
            add_soft_box(w[k], "last", 0.1, 1, 1e5, 3, 1, 0);
        }
        assert_true(ct_world_hash(w[0]) == ct_world_hash(w[1]));
        v = read_vectors(w[0], b[0], 1, &n);
        u = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)n);
        assert_non_null(u);
        for (k = 0; k < 3 * n; k++)
            u[k] = (ct_real)v[k];
        assert_int_equal(ct_body_set_velocities(w[0], b[0], u, n), CT_OK);
        assert_int_equal(ct_world_hash(w[0]) == ct_world_hash(w[1]), i == CT_INTEGRATOR_EULER);
        free(u), free(v);
        ct_mesh_free(&m);
        ct_world_destroy(w[0]), ct_world_destroy(w[1]);
    }
}

static void descriptions(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    ct_error_info e;
    (void)state;
    assert_int_equal(d.integrator, CT_INTEGRATOR_EULER);
    d.integrator = CT_INTEGRATOR_COUNT_;
    assert_int_equal(ct_world_create(&d, &w, &e), CT_ERR_ARGUMENT);
    assert_string_equal(ct_integrator_text(CT_INTEGRATOR_EULER), "euler");
    assert_string_equal(ct_integrator_text(CT_INTEGRATOR_NEWMARK), "newmark");
    assert_string_equal(ct_integrator_text(CT_INTEGRATOR_BDF2), "bdf2");
    assert_string_equal(ct_integrator_text(CT_INTEGRATOR_COUNT_), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact),
        PLAIN_TEST(orders_of_convergence)
        PLAIN_TEST(large_swings_are_closer_than_eulers)
        cmocka_unit_test(energy_of_a_vibration),
        PLAIN_TEST(a_drop_never_rises)
        cmocka_unit_test(a_sliding_box_slows_down),
        cmocka_unit_test(a_resting_box_rests),
        PLAIN_TEST(a_pile_has_no_intersections)
        cmocka_unit_test(the_fail_safe_resets),
        cmocka_unit_test(a_body_leaves),
        cmocka_unit_test(set_velocities_are_taken),
        cmocka_unit_test(out_of_memory_changes_nothing),
        cmocka_unit_test(the_hash_knows_the_history), cmocka_unit_test(descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
