/* test_barrier_parts.c -- steps of CT_STEPPER_BARRIER that are taken back: what a divided step repeats, and sums over its parts; what a step that
   runs out of memory leaves; what a shift of the Hessian leaves. */
#include "world_util.h"
#include "../src/8_barrier/barrier.h"
#include "../src/9_world/world.h"
#include "../src/8_step/snapshot.h"

/* A soft box slides off the edge of a static one; a few of its steps are divided */
static ct_world *slip_world(double tolerance, books *b)
{
    ct_world_desc wd = world_desc(1e-3, 0, b);
    ct_world *w;
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_static_desc d = ct_static_desc_default();
    wd.stepper = CT_STEPPER_BARRIER, wd.barrier.newton_tolerance = (ct_real)tolerance;
    w = world_make(&wd);
    d.name = "block", d.mesh = &m;
    assert_int_equal(ct_body_add_static(w, &d, NULL), CT_OK);
    ct_mesh_free(&m);
    add_soft_box(w, "box", 0.1, 2, 3e4, 0.04, 0.12, 0.021);
    return w;
}

/* A press that goes down on a grain in step 1, stays without room in step 2, and goes up in step 3: it is late at the start of steps 2 and 3 */
static ct_world *press_world(void)
{
    static const double y[5] = {0, -0.06, -0.06, 0, 0};
    ct_world_desc wd = world_desc(1e-3, 0, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0), grain;
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_points_desc p = ct_points_desc_default();
    ct_real keys[5 * 3 * 8], at[3] = {0, (ct_real)0.6e-3, (ct_real)0.01};
    int i, j;
    assert_int_equal(m.n_positions, 8);
    wd.stepper = CT_STEPPER_BARRIER, wd.barrier.newton_iterations = 60;
    w = world_make(&wd);
    add_plane(w, 0, 1, 0, 0);
    memset(&grain, 0, sizeof grain);
    grain.positions = at, grain.n_positions = 1;
    p.name = "grain", p.mesh = &grain, p.thickness = (ct_real)1e-3;
    assert_int_equal(ct_body_add_points(w, &p, NULL), CT_OK);
    for (j = 0; j < 5; j++)
        for (i = 0; i < 24; i++)
            keys[24 * j + i] = m.positions[i] + (ct_real)(i % 3 == 1 ? y[j] : 0);
    k.name = "press", k.mesh = &m, k.position[1] = (ct_real)0.1;
    k.keyframes = keys, k.n_keyframes = 5, k.keyframe_interval = 0.01;
    assert_int_equal(ct_body_add_kinematic(w, &k, NULL), CT_OK);
    ct_mesh_free(&m);
    return w;
}

/* The start of a step comes back whole, with the places of scripts that wait: a step that is repeated begins where it began, not at the script */
static void a_late_script_is_where_it_was(void **state)
{
    ct_world *w = press_world();
    int i, late[4];
    (void)state;
    for (i = 0; i < 4; i++) {
        cti_state *s = &w->state;
        uint64_t hash;
        ct_real *x0;
        size_t size;
        ct_step_report r;
        if (i == 0) /* the step prepares the world */
            step_once(w, 1e-9);
        hash = ct_world_hash(w), size = sizeof(ct_real) * 3 * (size_t)s->surface.nv;
        x0 = (ct_real *)malloc(size);
        assert_non_null(x0);
        memcpy(x0, s->surface.x0, size);
        late[i] = cti_script_is_stopped(&s->scripts.movers[0].script);
        r = step_once(w, 0.01);
        assert_true(ct_world_hash(w) != hash && (r.status < CT_STATUS_BUDGET) == (i >= 2));
        cti_snapshot_restore(s, 1, &s->step.start);
        cti_barrier_own(s)->cover.known = 0;
        assert_int_equal(cti_script_is_stopped(&s->scripts.movers[0].script), late[i]);
        assert_true(ct_world_hash(w) == hash);
        assert_memory_equal(s->surface.x0, x0, size);
        free(x0);
        step_once(w, 0.01);
        assert_int_equal(count_intersections(w), 0);
    }
    assert_true(!late[0] && late[1] && late[2] && !late[3]);
    ct_world_destroy(w);
}

static void momentum(const cti_state *s, double *out)
{
    int i, k;
    for (k = 0; k < 3; k++)
        for (out[k] = 0, i = 0; i < s->n; i++)
            out[k] += (double)(s->bodies.mass[i] * s->v[3 * i + k]);
}

/* A contact of a divided step is there once, with the impulse of all parts: the sum is what the box's momentum changes by, but for gravity. The
   counts are those of all parts */
static void impulses_of_parts_are_summed(void **state)
{
    const double h = 0.02;
    ct_world *w = slip_world(1e-9, NULL);
    int i, j, k, n, divided = 0;
    double mass = 0;
    (void)state;
    step_once(w, 1e-9);
    for (i = 0; i < w->state.n; i++)
        mass += (double)w->state.bodies.mass[i];
    for (i = 0; i < 40; i++) {
        const cti_touch *t;
        const ct_contact *c;
        double P0[3], P1[3], J[3] = {0, -9.81 * h * mass, 0};
        ct_step_report r;
        momentum(&w->state, P0);
        r = step_once(w, h);
        momentum(&w->state, P1);
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        t = w->state.history.impulses.touches;
        assert_int_equal(CTI_LEN(t), n);
        for (j = 0; j < n; j++) {
            for (k = 0; k < j; k++)
                assert_true(t[k].key != t[j].key);
            for (k = 0; k < 3; k++)
                J[k] += (double)(c[j].impulse_normal * c[j].normal[k] + c[j].impulse_tangent[0] * c[j].tangent[0][k] +
                                 c[j].impulse_tangent[1] * c[j].tangent[1][k]) *
                        (c[j].body_a.index1 == 1 ? -1 : 1);
        }
        divided += r.substeps > 1;
        assert_true(r.newton_iterations >= r.substeps && r.contacts <= n);
        for (k = 0; k < 3; k++)
            assert_true(fabs(P1[k] - P0[k] - J[k]) < 1e-7);
    }
    assert_true(divided > 0);
    ct_world_destroy(w);
}

/* what a step begins with beside the state */
typedef struct kept {
    uint64_t hash;
    double scale, solved;
    ct_real sigma;
} kept;

static kept keep(const ct_world *w)
{
    kept k;
    k.hash = ct_world_hash(w), k.sigma = cti_barrier_own(&w->state)->matrix.sigma;
    k.scale = cti_barrier_own(&w->state)->scale.now, k.solved = cti_barrier_own(&w->state)->scale.solved;
    return k;
}

/* lists of a step that grow in it, also in its later parts, once more */
static void forget_sizes(cti_state *s)
{
    CTI_FREE(s->mem, s->step.impulses.touches);
    CTI_FREE(s->mem, cti_barrier_own(s)->contact.terms);
    cti_memory_free(s->mem, &s->contact.memory_step[0]);
    cti_snapshot_free(s->mem, &s->step.start);
}

/* Memory that runs out in a step, also in its second and later parts, leaves the world as it was: also the contacts' scale of force and the shift
   of the Hessian, so that the next step is the same as where memory did not run out */
static void memory_that_runs_out_leaves_no_trace(void **state)
{
    books none, b;
    ct_world *w[2];
    int i, failed = 0, divided = 0;
    (void)state;
    memset(&none, 0, sizeof none);
    memset(&b, 0, sizeof b);
    w[0] = slip_world(1e-3, &none), w[1] = slip_world(1e-3, &b);
    for (i = 0; i < 40; i++) {
        ct_step_report r, own;
        int64_t k = 1;
        int j;
        for (j = 0; i > 0 && j < 2; j++) { /* numbers that a step changes: they are above what it needs */
            cti_barrier *q = cti_barrier_own(&w[j]->state);
            q->scale.now = q->scale.solved = 64 * q->contact.least, q->matrix.sigma = (ct_real)0.5;
        }
        r = step_once(w[0], 0.02);
        if (r.substeps > 1) {
            divided++;
            for (;; k++) {
                kept before = keep(w[1]), after;
                ct_code code;
                forget_sizes(&w[1]->state);
                b.fail_at = b.calls + k;
                code = ct_world_step(w[1], (ct_real)0.02, &own);
                b.fail_at = 0;
                if (code == CT_OK)
                    break;
                after = keep(w[1]);
                assert_int_equal(code, CT_ERR_MEMORY);
                assert_true(after.hash == before.hash && after.scale == before.scale && after.solved == before.solved && after.sigma == before.sigma);
                failed++;
            }
        } else
            step_once(w[1], 0.02);
        assert_true(ct_world_hash(w[0]) == ct_world_hash(w[1]));
    }
    print_message("%d failures in %d divided steps\n", failed, divided);
    assert_true(divided > 0 && failed > 10);
    ct_world_destroy(w[0]), ct_world_destroy(w[1]);
    assert_true(b.blocks == 0 && b.live == 0 && b.wrong == 0);
}

/* Under a shift sigma M of the Hessian a free body moves by 1 / (1 + sigma) of what it should. That is below the tolerance here, but the
   step does not end with it: the whole kick g h arrives, with a factor of the Hessian (n 2) and with conjugate gradients (n 8) */
static void a_shifted_hessian_is_no_end(void **state)
{
    const double h = 0.01, g = 0.5;
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world_desc d = world_desc(1e-3, 0, NULL);
        ct_world *w;
        ct_body_id id;
        double v[3];
        d.stepper = CT_STEPPER_BARRIER, d.gravity[1] = (ct_real)-g;
        w = world_make(&d);
        id = add_soft_box(w, "box", 0.1, k ? 8 : 2, 1e5, 0, 1, 0);
        step_once(w, 1e-9);
        for (i = 1; i <= 3; i++) {
            ct_step_report r;
            cti_barrier_own(&w->state)->matrix.sigma = 10;
            r = step_once(w, h);
            read_middle(w, id, 1, v);
            assert_int_equal(r.status, CT_STATUS_OK);
            assert_true(fabs(v[1] + g * h * i) < 0.02 * g * h);
        }
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_script_is_where_it_was),
        cmocka_unit_test(impulses_of_parts_are_summed),
        cmocka_unit_test(memory_that_runs_out_leaves_no_trace),
        cmocka_unit_test(a_shifted_hessian_is_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
