/* test_parts.c -- when a step fails in one place, only the part there is cut into substeps. Resting bodies elsewhere keep their result to
   the bit; bodies that the cut part meets are cut with it. Momentum and impulses are those of the whole step, and a step that runs out of
   memory leaves the world unchanged. */
#include "../src/9_world/world.h"
#include "forms_util.h"

static ct_body_id add_rigid(ct_world *w, const double *size, double x, double y, double z, const double *v, const double *omega)
{
    ct_mesh m = mesh_box(size[0], size[1], size[2], 1, 1, 1, 0);
    ct_body_id id;
    forms_shift(&m, x, y, z);
    id = forms_add_rigid(w, &m, 500, v, omega);
    ct_mesh_free(&m);
    return id;
}

static ct_body_id add_soft(ct_world *w, double size, int n, double young, double x, double y, double z, double vx, double vy, double vz)
{
    ct_mesh m = mesh_box(size, size, size, n, n, n, 1);
    ct_body_id id;
    mesh_place(&m, 0.1, x, y, z);
    id = add_soft_mesh(w, "soft", &m, young, vx, vy, vz);
    ct_mesh_free(&m);
    return id;
}

/* ---- bodies at rest beside a crash ---- */

enum { RESTING = 4 };
static const double crate[3] = {0.2, 0.2, 0.2}, plank[3] = {0.5, 0.04, 0.1};

/* a rigid crate, a soft one on it, a soft block, and a plank that hangs on a joint over it */
static void add_resting(ct_world *w, ct_body_id *out)
{
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id joint;
    out[0] = add_rigid(w, crate, 0, 0.101, 0, NULL, NULL);
    out[1] = add_soft_box(w, "upper", 0.15, 2, 2e5, 0, 0.277, 0);
    out[2] = add_soft_box(w, "block", 0.2, 2, 1e5, 0.5, 0.101, 0);
    out[3] = j.a.body = add_rigid(w, plank, 0.5, 0.5, 0, NULL, NULL);
    j.point[0] = (ct_real)0.3, j.point[1] = (ct_real)0.5;
    assert_int_equal(ct_joint_add(w, &j, &joint), CT_OK);
}

/* 20 m away: a bar that tumbles onto the floor, and soft blocks that are shot at each other */
static void add_crash(ct_world *w, double x)
{
    const double bar[3] = {0.6, 0.05, 0.05}, fall[3] = {0, -3, 0}, turn[3] = {10, 90, 40};
    add_rigid(w, bar, x, 0.5, 0, fall, turn);
    add_soft(w, 0.1, 2, 3e4, x + 2, 0.4, 0, 25, 0, 0);
    add_soft(w, 0.1, 2, 3e4, x + 2.5, 0.42, 0, -25, 0, 0);
}

static void same_body(const ct_world *a, ct_body_id ia, const ct_world *b, ct_body_id ib, int body, int step)
{
    int k, n, m;
    for (k = 0; k < 2; k++) {
        double *x = read_vectors(a, ia, k, &n), *y = read_vectors(b, ib, k, &m);
        assert_int_equal(n, m);
        if (memcmp(x, y, sizeof(double) * 3 * (size_t)n))
            print_message("body %d differs in step %d by %g\n", body, step, fabs(x[0] - y[0]));
        assert_memory_equal(x, y, sizeof(double) * 3 * (size_t)n);
        free(x), free(y);
    }
}

/* before, behind: crashes before and after the group in the world's order */
static int run_beside(int integrator, int before, int behind)
{
    ct_world *alone = forms_world((ct_integrator)integrator, FORMS_G, 0.5), *w = forms_world((ct_integrator)integrator, FORMS_G, 0.5);
    ct_body_id a[RESTING], b[RESTING];
    int i, k, cut = 0;
    add_plane(alone, 0, 1, 0, 0);
    add_resting(alone, a);
    add_plane(w, 0, 1, 0, 0);
    if (before)
        add_crash(w, -20);
    add_resting(w, b);
    if (behind)
        add_crash(w, 20);
    for (i = 0; i < 60; i++) {
        ct_step_report ra = step_once(alone, 0.01), rb = step_once(w, 0.01);
        assert_int_equal(ra.substeps, 1);
        cut += rb.substeps > 1;
        for (k = 0; k < RESTING; k++)
            same_body(alone, a[k], w, b[k], k, i);
        assert_int_equal(count_intersections(w), 0);
    }
    ct_world_destroy(alone), ct_world_destroy(w);
    return cut;
}

static void what_rests_keeps_its_bits(void **state)
{
    int it, cut;
    (void)state;
    for (it = PLAIN_OR(0, 2); it < 3; it++) {
        cut = run_beside(it, 0, 1);
        print_message("%s: %d steps of 60 cut behind the group", forms_integrator[it], cut);
        assert_true(cut > 10);
        cut = run_beside(it, 1, 0);
        print_message(", %d before it", cut);
        assert_true(cut > 10);
        cut = run_beside(it, 1, 1);
        print_message(", %d on both sides\n", cut);
        assert_true(cut > 10);
    }
}

/* ---- steps that also end at impacts ---- */

/* A bar that spins about its long axis at 90 rad/s, with a post in its bounding sphere that it never touches. Its steps are cut, since it rotates
   by more than half a radian beside a neighbour, and nothing meets in them */
static void add_spinner(ct_world *w, double x)
{
    const double bar[3] = {0.6, 0.05, 0.05}, turn[3] = {90, 0, 0}, post[3] = {0.05, 0.4, 0.05};
    add_rigid(w, bar, x, 0.5, 0, NULL, turn);
    add_rigid(w, post, x, 0.201, 0.1, NULL, NULL);
}

/* With ccd_limits_step the world is cut where features first meet, and components that fail are still cut alone: bodies at rest beside a spinner
   keep their bits */
static void impacts_leave_failures_to_their_part(void **state)
{
    int it, i, k, cut = 0;
    (void)state;
    for (it = 0; it < 3; it++) {
        ct_world_desc d = forms_desc((ct_integrator)it, FORMS_G, 0.5);
        ct_body_id a[RESTING], b[RESTING];
        ct_world *alone, *w;
        d.ccd_limits_step = 1;
        alone = world_make(&d), w = world_make(&d);
        add_plane(alone, 0, 1, 0, 0);
        add_resting(alone, a);
        add_plane(w, 0, 1, 0, 0);
        add_resting(w, b);
        add_spinner(w, 20);
        for (i = 0; i < 20; i++) {
            ct_step_report ra = step_once(alone, 0.01), rb = step_once(w, 0.01);
            assert_true(ra.events == 0 && rb.events == 0);
            assert_int_equal(ra.substeps, 1);
            cut += rb.substeps > 1;
            for (k = 0; k < RESTING; k++)
                same_body(alone, a[k], w, b[k], k, i);
            assert_int_equal(count_intersections(w), 0);
        }
        ct_world_destroy(alone), ct_world_destroy(w);
    }
    print_message("%d steps of 60 cut\n", cut);
    assert_true(cut > 30);
}

/* ---- two crashes ---- */

enum { CRASHING = 3 };

/* two bars that tumble onto the floor and into each other, and a soft block that falls onto one; way: the difference between two crashes */
static void add_other_crash(ct_world *w, double x, double way, ct_body_id *out)
{
    const double bar[3] = {0.6, 0.05, 0.05}, fall[3] = {0, -3 * way, 0}, turn[3] = {10, 90 * way, 40}, back[3] = {5, -60, 70 * way};
    out[0] = add_rigid(w, bar, x, 0.5, 0, fall, turn);
    out[1] = add_rigid(w, bar, x + 0.1, 0.75, 0.1, fall, back);
    out[2] = add_soft(w, 0.1, 2, 3e4, x, 1.2, 0, 0, -8 * way, 0);
}

/* Two crashes at different speeds in one world end each as if it were alone: the substeps of one, its fail-safe, and the energy removed there do
   not depend on the other. halvings 0: the fail-safe ends all of it */
static void crashes_do_not_know_of_one_another(void **state)
{
    static const int halvings[3] = {5, 1, 0};
    int it, h, i, k, cut = 0, forced = 0;
    (void)state;
    for (it = PLAIN_OR(0, 2); it < 3; it++)
        for (h = 0; h < 3; h++) {
            ct_world_desc d = forms_desc((ct_integrator)it, FORMS_G, 0.5);
            ct_body_id a[CRASHING], b[CRASHING], c[CRASHING];
            ct_world *alone, *w;
            d.max_halvings = halvings[h];
            alone = world_make(&d), w = world_make(&d);
            add_plane(alone, 0, 1, 0, 0);
            add_other_crash(alone, 0, 1, a);
            add_plane(w, 0, 1, 0, 0);
            add_other_crash(w, -20, 0.7, c);
            add_other_crash(w, 0, 1, b);
            add_other_crash(w, 20, 1.3, c);
            for (i = 0; i < 40; i++) {
                ct_step_report ra = step_once(alone, 0.01);
                step_once(w, 0.01);
                cut += ra.substeps > 1, forced += ra.status > CT_STATUS_SUBSTEPPED;
                for (k = 0; k < CRASHING; k++)
                    same_body(alone, a[k], w, b[k], k, i);
                assert_int_equal(count_intersections(w), 0);
            }
            ct_world_destroy(alone), ct_world_destroy(w);
        }
    print_message("%d steps of the one cut, %d forced\n", cut, forced);
    assert_true(cut > PLAIN_OR(50, 16) && forced > PLAIN_OR(20, 6));
}

/* ---- conflicts ---- */

/* 1 if parts had a conflict in the last step */
static int had_conflict(const ct_world *w)
{
    const cti_parts *p = &w->state.parts;
    int c, met = 0;
    for (c = 0; p->coupled_known && c < CTI_LEN(w->state.factors.components); c++)
        met |= p->coupled[c] != c;
    return met;
}

/* A bar that flies at 1 m/s, spins at 70 rad/s and meets another one, a crate and a soft block. Its steps are cut, and bodies that it meets in
   substeps, but not in its motion over the whole step, are cut with it. Returns the crate */
static ct_body_id add_meeting(ct_world *w)
{
    const double bar[3] = {0.6, 0.05, 0.05}, turn[3] = {0, 0, 70}, to[3] = {1, 0, 0};
    add_rigid(w, bar, 0, 0, 0, to, turn);
    add_rigid(w, bar, 0, -0.42, 0, NULL, NULL);
    add_soft_box(w, "soft", 0.2, 2, 1e5, 0.8, -0.25, 0);
    return add_rigid(w, crate, 0.6, 0.3, 0, NULL, NULL);
}

static void what_is_met_is_cut(void **state)
{
    int it, i, joined = 0;
    (void)state;
    for (it = 0; it < 3; it++) {
        ct_world *w = forms_world((ct_integrator)it, 0, 0.2);
        ct_body_id crate_id = add_meeting(w);
        double before[3], after[3], moved = 0;
        read_middle(w, crate_id, 0, before);
        for (i = 0; i < 60; i++) {
            step_once(w, 0.01);
            assert_int_equal(count_intersections(w), 0);
            joined += had_conflict(w);
        }
        read_middle(w, crate_id, 0, after);
        for (i = 0; i < 3; i++)
            moved = fmax(moved, fabs(after[i] - before[i]));
        assert_true(moved > 1e-3);
        ct_world_destroy(w);
    }
    print_message("%d steps in which parts met\n", joined);
    assert_true(joined > 0);
}

/* ---- momentum ---- */

static void add_momentum(const ct_world *w, double out[3], double *size)
{
    const cti_state *s = &w->state;
    int i, k;
    out[0] = out[1] = out[2] = *size = 0;
    for (i = 0; i < s->n; i++)
        for (k = 0; k < 3; k++) {
            out[k] += (double)(s->bodies.mass[i] * s->v[3 * i + k]);
            *size += fabs((double)(s->bodies.mass[i] * s->v[3 * i + k]));
        }
}

/* bodies of all kinds that collide without gravity */
static void swarms_keep_their_momentum(void **state)
{
    int it, seed, i, k, cut = 0, steps = 0, parted = 0;
    double worst = 0;
    (void)state;
    for (it = 0; it < 3; it++)
        for (seed = 0; seed < PLAIN_OR(8, 1); seed++) {
            ct_world *w = forms_world((ct_integrator)it, 0, 0.3);
            uint64_t random = 77u + (uint64_t)seed;
            double p[3], q[3], size;
            for (i = 0; i < 14; i++) {
                double x[3], v[3], turn[3], edge[3];
                for (k = 0; k < 3; k++) {
                    x[k] = 0.45 * ((k == 0 ? i % 4 : k == 1 ? i / 4 : (i * 7) % 3) - 1) + 0.1 * lcg(&random);
                    v[k] = -6 * x[k] + 3 * (lcg(&random) - 0.5), turn[k] = 90 * (lcg(&random) - 0.5), edge[k] = 0.06 + 0.15 * lcg(&random);
                }
                if (i % 2)
                    add_rigid(w, edge, x[0], x[1], x[2], v, turn);
                else
                    add_soft(w, 0.15, 2, 1e5, x[0], x[1], x[2], v[0], v[1], v[2]);
            }
            add_momentum(w, p, &size);
            for (i = 0; i < 40; i++) {
                ct_step_report r = step_once(w, 0.01);
                cut += r.substeps > 1, steps++;
                parted += w->state.parts.coupled_known;
                if (r.status > CT_STATUS_SUBSTEPPED)
                    break; /* zones may remove momentum, which the status tells */
                add_momentum(w, q, &size);
                for (k = 0; k < 3; k++)
                    worst = fmax(worst, fabs(q[k] - p[k]) / size);
                assert_int_equal(count_intersections(w), 0);
            }
            ct_world_destroy(w);
        }
    print_message("%d steps, %d cut, %d of them in parts, momentum off by %.2g\n", steps, cut, parted, worst);
    assert_true(cut > PLAIN_OR(100, 12) && parted > PLAIN_OR(50, 6));
    assert_true(worst < FORMS_TOL(1e-9, 1e-4));
}

/* ---- impulses ---- */

static void impulses_are_of_the_whole_step(void **state)
{
    int it, i, k;
    (void)state;
    for (it = PLAIN_OR(0, 2); it < 3; it++) {
        ct_world *w = forms_world((ct_integrator)it, FORMS_G, 0.5);
        ct_body_id id;
        double worst = 0;
        int cut = 0;
        add_plane(w, 0, 1, 0, 0);
        id = add_rigid(w, crate, 0, 0.101, 0, NULL, NULL);
        for (i = 0; i < 40; i++)
            step_once(w, 0.01);
        for (k = 0; k < 4; k++) {
            add_crash(w, 20 + 10 * k);
            for (i = 0; i < 15; i++) {
                const ct_contact *c;
                double sum = 0;
                int n, j;
                cut += step_once(w, 0.01).substeps > 1;
                assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
                for (j = 0; j < n; j++)
                    if (c[j].body_a.index1 == id.index1 || c[j].body_b.index1 == id.index1)
                        sum += (double)c[j].impulse_normal;
                worst = fmax(worst, fabs(sum / (4 * FORMS_G * 0.01) - 1));
            }
        }
        print_message("%s: %d of 60 steps cut, impulses under the crate miss m g T by %.2g\n", forms_integrator[it], cut, worst);
        assert_true(cut > 10);
        assert_true(worst < FORMS_TOL(1e-4, 1e-3));
        ct_world_destroy(w);
    }
}

/* ---- memory ---- */

/* meeting 1: the bar that meets others, without gravity; 0: bodies at rest beside a crash */
static ct_world *make_scene(int integrator, int meeting, int workers, books *b)
{
    ct_world_desc d = forms_desc((ct_integrator)integrator, meeting ? 0 : FORMS_G, meeting ? 0.2 : 0.5);
    ct_body_id rest[RESTING];
    ct_world *w;
    if (b)
        d.allocator.resize = books_resize, d.allocator.user = b;
    d.tasks.worker_count = workers;
    w = world_make(&d);
    if (meeting) {
        add_meeting(w);
        return w;
    }
    add_plane(w, 0, 1, 0, 0);
    add_resting(w, rest);
    add_crash(w, 20);
    return w;
}

/* bodies at rest beside a crash whose substeps also end at impacts */
static ct_world *make_impacts(int integrator, int workers, books *b)
{
    ct_world_desc d = forms_desc((ct_integrator)integrator, FORMS_G, 0.5);
    ct_body_id rest[RESTING];
    ct_world *w;
    if (b)
        d.allocator.resize = books_resize, d.allocator.user = b;
    d.tasks.worker_count = workers;
    d.ccd_limits_step = 1;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    add_resting(w, rest);
    add_crash(w, 20);
    return w;
}

/* Crashes whose substeps end at impacts: some steps are cut as parts, the bound on substeps holds, no surfaces cross, and workers change no bit */
static void impacts_and_parts_keep_the_promises(void **state)
{
    int it, i, cut = 0, parted = 0, events = 0;
    (void)state;
    for (it = PLAIN_OR(0, 2); it < 3; it++) {
        ct_world *w = make_impacts(it, 1, NULL), *other = make_impacts(it, 3, NULL);
        for (i = 0; i < 60; i++) {
            ct_step_report r = step_once(w, 0.01);
            step_once(other, 0.01);
            assert_true(r.substeps <= 1 << w->state.desc.max_halvings && r.events < r.substeps);
            assert_int_equal(count_intersections(w), 0);
            assert_true(ct_world_hash(w) == ct_world_hash(other));
            cut += r.status != CT_STATUS_OK && r.substeps > 1, events += r.events;
            parted += w->state.parts.coupled_known;
        }
        ct_world_destroy(w), ct_world_destroy(other);
    }
    print_message("%d steps cut, %d in parts, %d impacts\n", cut, parted, events);
    assert_true(parted > PLAIN_OR(30, 10) && events > PLAIN_OR(10, 3));
}

/* Each allocation of each step fails in turn, alone and with all later ones. A step that reports it has changed nothing; one that does not need
   the memory ends as if it had it; afterwards the world continues with the same bits */
static void steps_without_memory_have_not_happened(void **state)
{
    int run, told = 0, quiet = 0, parted = 0, met = 0;
    (void)state;
    for (run = 0; run < 10; run += PLAIN_OR(1, 3)) {
        books b;
        int i, k, on = run & 1, meeting = run >> 1 & 1, integrator = run >> 2 & 1 ? CT_INTEGRATOR_BDF2 : CT_INTEGRATOR_EULER;
        ct_world *w, *other = run < 8 ? make_scene(integrator, meeting, 1, NULL) : make_impacts(integrator, 1, NULL);
        memset(&b, 0, sizeof b);
        w = run < 8 ? make_scene(integrator, meeting, 1, &b) : make_impacts(integrator, 1, &b);
        for (i = 0; i < (meeting ? 60 : 20); i++) {
            ct_step_report r;
            step_once(other, 0.01);
            for (k = 1;; k += PLAIN_OR(1, 7)) {
                uint64_t before = ct_world_hash(w);
                int64_t refused = b.refused;
                ct_code code;
                b.fail_at = b.calls + k, b.fail_on = on;
                code = ct_world_step(w, CTI_R(0.01), &r);
                b.fail_at = 0;
                if (code == CT_OK) {
                    quiet += b.refused > refused;
                    break;
                }
                assert_int_equal(code, CT_ERR_MEMORY);
                assert_true(b.refused > refused);
                assert_true(ct_world_hash(w) == before);
                told++;
            }
            parted += w->state.parts.coupled_known, met += had_conflict(w);
            assert_true(ct_world_hash(w) == ct_world_hash(other));
        }
        ct_world_destroy(w), ct_world_destroy(other);
        assert_int_equal(b.blocks, 0);
        assert_int_equal(b.wrong, 0);
    }
    print_message("%d refusals reported, %d did not need to be; %d steps in parts, in %d of them parts met\n", told, quiet, parted, met);
    assert_true(told > PLAIN_OR(100, 10) && parted > PLAIN_OR(20, 6) && met > 0);
}

/* ---- workers ---- */

static void workers_change_no_bit(void **state)
{
    static const int workers[3] = {1, 2, 7};
    int it, i, k, parted = 0;
    (void)state;
    for (it = PLAIN_OR(0, 2); it < 3; it++) {
        ct_world *w[3];
        for (k = 0; k < 3; k++)
            w[k] = make_scene(it, 0, workers[k], NULL);
        for (i = 0; i < 40; i++) {
            for (k = 0; k < 3; k++)
                step_once(w[k], 0.01);
            parted += w[0]->state.parts.coupled_known;
            assert_true(ct_world_hash(w[0]) == ct_world_hash(w[1]));
            assert_true(ct_world_hash(w[0]) == ct_world_hash(w[2]));
        }
        for (k = 0; k < 3; k++)
            ct_world_destroy(w[k]);
    }
    assert_true(parted > PLAIN_OR(30, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_rests_keeps_its_bits),
                                       cmocka_unit_test(impacts_leave_failures_to_their_part),
                                       cmocka_unit_test(crashes_do_not_know_of_one_another),
                                       cmocka_unit_test(what_is_met_is_cut),
                                       cmocka_unit_test(swarms_keep_their_momentum),
                                       cmocka_unit_test(impacts_and_parts_keep_the_promises),
                                       cmocka_unit_test(impulses_are_of_the_whole_step),
                                       cmocka_unit_test(steps_without_memory_have_not_happened),
                                       cmocka_unit_test(workers_change_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
