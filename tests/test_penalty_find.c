/* test_penalty_find.c -- contact generation, compared with what stands: coarse-to-fine sweeps with the batches of ccd.h, warped contacts with
   refinement and with steps cut at impacts, distances in a reference state with distances as they are. */
#include "world_util.h"
#include "ccd_sweep.h"
#include <time.h>

#define FLOAT (CONTACT_REAL == 32)

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* random pairs within 1 m whose points move by 0 to 2 m: the sweep finds those that the direct test finds, at its times */
static void sweeps_find_what_the_direct_test_finds(void **state)
{
    enum { PAIRS = 20000 };
    uint64_t seed = 11;
    int kind, i, k, depth, hits = 0;
    ct_real *x = (ct_real *)malloc(sizeof *x * 24 * PAIRS), *toi = (ct_real *)malloc(sizeof *toi * PAIRS);
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        double t0, direct;
        for (i = 0; i < PAIRS; i++) {
            double step = 2 * lcg(&seed) * lcg(&seed);
            for (k = 0; k < 12; k++) {
                x[24 * i + k] = (ct_real)(lcg(&seed) + (k == 0 ? 0.5 : 0));
                x[24 * i + 12 + k] = x[24 * i + k] + (ct_real)(step * (lcg(&seed) - 0.5));
            }
        }
        t0 = now();
        for (hits = i = 0; i < PAIRS; i++)
            hits += cti_ccd_meet(kind, x + 24 * i, x + 24 * i + 12, 0, &toi[i]);
        direct = now() - t0;
        for (depth = 0; depth <= 6; depth += 2) {
            cti_sweep_work work = {0, 0};
            int found = 0, missed = 0;
            double worst = 0;
            t0 = now();
            for (i = 0; i < PAIRS; i++) {
                ct_real t;
                int hit = cti_sweep(kind, x + 24 * i, x + 24 * i + 12, 0, depth, &t, &work);
                found += hit;
                missed += !hit && toi[i] <= 1;
                if (hit && toi[i] <= 1)
                    worst = fmax(worst, fabs((double)t - (double)toi[i]));
            }
            if (getenv("SHOW"))
                print_message("%s, depth %d: %d of %d meet, %d boxes and %d fine tests, %.1f ms; direct %.1f ms; times differ by %.1e\n",
                              kind == CTI_CCD_VF ? "VF" : "EE", depth, found, PAIRS, work.boxes, work.fine, 1e3 * (now() - t0), 1e3 * direct, worst);
            assert_int_equal(missed, 0);
            assert_true(found - hits < PAIRS / 1000 && worst < (FLOAT ? 1e-2 : 1e-6));
            assert_true(work.boxes >= PAIRS && (depth == 0 || work.fine < work.boxes));
        }
    }
    assert_true(hits > 500);
    free(x), free(toi);
}

/* a rigid ball at 100 m/s meets a sheet within a step: where it is a tenth of a second later, and what that took */
static void warp_beside_refinement_and_cut_steps(void **state)
{
    static const char *const what[4] = {"cmr, refined", "cmr, cut at impacts", "penalty, warped", "penalty, not warped"};
    int i, c;
    (void)state;
    for (c = 0; c < 4; c++) {
        ct_world_desc d = world_desc(4e-3, 0, NULL);
        ct_mesh sheet = mesh_grid(1, 1, 2, 2), ball;
        ct_static_desc sd = ct_static_desc_default();
        ct_rigid_desc rd = ct_rigid_desc_default();
        ct_world *w;
        ct_body_id id;
        double x[3], v[3];
        int substeps = 0, solves = 0, events = 0;
        memset(&ball, 0, sizeof ball);
        assert_int_equal(ct_mesh_sphere((ct_real)0.05, 1, &ball, NULL), CT_OK);
        d.stepper = c < 2 ? CT_STEPPER_CMR : CT_STEPPER_PENALTY;
        d.ccd_limits_step = c == 1;
        d.penalty.warp = c == 2, d.penalty.stiffness = 1e8;
        w = world_make(&d);
        sd.mesh = &sheet, sd.name = "sheet";
        assert_int_equal(ct_body_add_static(w, &sd, NULL), CT_OK);
        rd.mesh = &ball, rd.name = "ball", rd.velocity[1] = -100;
        rd.position[0] = (ct_real)0.1, rd.position[1] = (ct_real)0.3, rd.position[2] = (ct_real)0.13;
        assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
        for (i = 0; i < 10; i++) {
            ct_step_report r = step_once(w, 0.01);
            substeps += r.substeps, events += r.events, solves += r.cmr_rounds;
        }
        read_middle(w, id, 0, x), read_middle(w, id, 1, v);
        if (getenv("SHOW"))
            print_message("%s: height %.4f m, %.3f m/s; %d substeps, %d cuts, %d solves\n", what[c], x[1], v[1], substeps, events, solves);
        if (c < 3)
            assert_true(x[1] > 0.045 && x[1] < 0.3 && count_intersections(w) == 0);
        else
            assert_true(x[1] < -1);
        ct_mesh_free(&sheet), ct_mesh_free(&ball);
        ct_world_destroy(w);
    }
}

/* signed distance to the box that a bar is at rest, at its place at rest */
static double reference_distance(const double *p)
{
    const double half[3] = {0.2, 0.02, 0.02};
    double out = 0, in = -1;
    int k;
    for (k = 0; k < 3; k++) {
        double d = fabs(p[k]) - half[k];
        out += d > 0 ? d * d : 0;
        in = fmax(in, d);
    }
    return in < 0 ? in : sqrt(out);
}

/* A bar that hangs by one end bends away from its place at rest, and a ball falls through there. A distance field of the bar's reference state says
   that the ball is inside of the bar; nothing touches, and contacts of surfaces as they are see that */
static void distances_in_a_reference_state_fail(void **state)
{
    int c, i;
    (void)state;
    for (c = 0; c < 2; c++) {
        ct_world_desc d = world_desc(2e-3, 0.3, NULL);
        ct_mesh bar = mesh_box(0.4, 0.04, 0.04, 10, 1, 1, 1), ball;
        ct_rigid_desc rd = ct_rigid_desc_default();
        ct_world *w;
        ct_body_id id;
        int32_t held[8];
        int n = 0, touches = 0;
        double deepest = 1, x[3];
        d.stepper = c ? CT_STEPPER_PENALTY : CT_STEPPER_CMR;
        w = world_make(&d);
        for (i = 0; i < bar.n_positions && n < 8; i++)
            if ((double)bar.positions[3 * i] < -0.199)
                held[n++] = i;
        id = add_soft_mesh(w, "bar", &bar, 2e4, 0, 0, 0);
        assert_int_equal(ct_body_pin(w, id, held, n, CT_AXIS_ALL, NULL, -1), CT_OK);
        for (i = 0; i < 100; i++)
            step_once(w, 0.01);
        memset(&ball, 0, sizeof ball);
        assert_int_equal(ct_mesh_sphere((ct_real)0.01, 1, &ball, NULL), CT_OK);
        rd.mesh = &ball, rd.name = "ball", rd.position[0] = (ct_real)0.18, rd.position[1] = (ct_real)0.1;
        assert_int_equal(ct_body_add_rigid(w, &rd, &id), CT_OK);
        for (i = 0; i < 18; i++) {
            ct_step_report r = step_once(w, 0.01);
            touches += r.contacts;
            assert_int_equal(count_intersections(w), 0);
            read_middle(w, id, 0, x);
            deepest = fmin(deepest, reference_distance(x));
        }
        if (getenv("SHOW"))
            print_message("%s: the reference state says %.4f m inside; %d contacts\n", c ? "penalty" : "cmr", -deepest, touches);
        assert_true(deepest < -0.01 && touches == 0);
        ct_mesh_free(&bar), ct_mesh_free(&ball);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_find_what_the_direct_test_finds),
        cmocka_unit_test(warp_beside_refinement_and_cut_steps),
        cmocka_unit_test(distances_in_a_reference_state_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
