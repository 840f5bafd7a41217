/* test_shell.c -- steps that the judge refuses (8_step/shell.c, judge.c): what each set of bodies may gain is its own, and bodies that are held are
   free again soon. */
#include "world_util.h"
#include "../src/8_step/report.h"
#include "../src/8_dcd/dcd.h"
#include "../src/8_step/judge.h"
#include "../src/9_world/world.h"

static ct_body_id cube(ct_world *w, const ct_mesh *m, double young, double vy)
{
    ct_soft_desc q = ct_soft_desc_default();
    ct_body_id id;
    q.mesh = m, q.material = ct_material_default(CT_MODEL_COROTATIONAL), q.material.young = (ct_real)young, q.velocity[1] = (ct_real)vy;
    assert_int_equal(ct_body_add_soft(w, &q, &id), CT_OK);
    return id;
}

/* Two cubes that touch nothing of each other: one ends a step with `gain` times its energy, the other one with `keep` of its own. 1: it is refused */
static int refuses(double gain, double keep)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    ct_step_report r;
    ct_world *w;
    cti_state *s;
    int i, k, refused;
    d.stepper = CT_STEPPER_PENALTY, d.gravity[1] = 0;
    w = world_make(&d);
    for (k = 0; k < 2; k++) {
        cube(w, &m, 1e5, 0);
        mesh_place(&m, 5, 0, 0, 0);
    }
    step_once(w, 0.01);
    s = &w->state;
    for (i = 0; i < s->n; i++) /* both shear, and keep their places */
        cti_v3_put(s->v, i, cti_v3_make(CTI_R(10) * s->x[3 * i + 1], 0, 0));
    s->energy.known = 0;
    memcpy(s->step.start.copy.v, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_judge_begin(s);
    cti_judge_open(s);
    for (i = 0; i < s->n; i++) {
        int b = s->history.model_of[i];
        cti_judge_touch(s, -1, i, 0);
        cti_v3_put(s->v, i, cti_v3_mul(cti_v3_at(s->v, i), (ct_real)sqrt(b ? keep : gain)));
    }
    s->energy.known = 0;
    cti_report_blank(s, &r);
    cti_report_energies(s, &r);
    cti_report_gain(s->judge.start, &r);
    cti_judge_refuses(s, CTI_R(0.01), 0, 0, &r);
    refused = s->judge.refused;
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return refused;
}

/* what a body far away loses is nothing that another one may gain */
static void gains_are_the_sets_own(void **state)
{
    (void)state;
    assert_true(refuses(1.1, 1));
    assert_true(refuses(1.1, 0.5));
    assert_true(!refuses(1, 0.5) && !refuses(1, 1));
}

/* two cubes: one at rest above a floor that the other falls onto, or both in the air; the other one has a speed [m/s] */
typedef struct scene {
    ct_stepper stepper;
    int in_air, cells;
    double young, size, dt, speed;
} scene;

/* number of bodies none of whose nodes has moved in the last step */
static int stand(const cti_state *s)
{
    int moved[2] = {0, 0}, i;
    for (i = 0; i < s->n; i++)
        moved[s->history.model_of[i]] |= memcmp(s->step.start.copy.x + 3 * i, s->x + 3 * i, sizeof *s->x * 3) != 0;
    return !moved[0] + !moved[1];
}

/* 40 steps: those that hold bodies, and the longest run of them */
static void run(const scene *q, int *held, int *longest)
{
    ct_world_desc d = world_desc(q->size / 50, 0.4, NULL);
    ct_mesh m = mesh_box(q->size, q->size, q->size, q->cells, q->cells, q->cells, 1);
    ct_world *w;
    double energy = 0;
    int i, row = 0;
    d.stepper = q->stepper;
    w = world_make(&d);
    if (!q->in_air)
        add_plane(w, 0, 1, 0, 0);
    mesh_place(&m, 0, 0, 0.53 * q->size, 0);
    cube(w, &m, q->young, 0);
    mesh_place(&m, 0, (q->in_air ? 0.3 : 0.02) * q->size, 1.06 * q->size, 0);
    cube(w, &m, q->young, -q->speed);
    for (*held = *longest = 0, i = 0; i < 40; i++) {
        ct_step_report r = step_once(w, q->dt);
        int stands = stand(&w->state);
        *held += stands > 0, row = stands ? row + 1 : 0;
        *longest = row > *longest ? row : *longest;
        assert_true(cti_finite64(r.energy_kinetic) && (!stands || r.status == CT_STATUS_NOT_CONVERGED));
        energy = fmax(energy, r.energy_kinetic + r.energy_elastic);
        assert_true(r.frozen == 0 || r.energy_gained < 0.02 * energy); /* what holding takes is lost, not gained */
    }
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* at most 5 % of a scene's steps hold a body, and bodies that were held move freely within 5 steps */
static void held_bodies_are_free_again(void **state)
{
    static const scene scenes[] = {{CT_STEPPER_GEOMETRIC, 1, 3, 1e5, 0.02, 0.04, 20}, {CT_STEPPER_GEOMETRIC, 1, 2, 1e7, 0.02, 0.04, 20},
                                   {CT_STEPPER_GEOMETRIC, 0, 2, 1e6, 0.02, 0.04, 20},
                                   {CT_STEPPER_PENALTY, 1, 2, 1e4, 0.02, 0.01, 20},   {CT_STEPPER_PENALTY, 1, 2, 1e7, 0.2, 0.04, 20},
                                   {CT_STEPPER_PENALTY, 0, 2, 1e7, 0.02, 0.01, 20},
                                   {CT_STEPPER_BARRIER, 1, 2, 1e4, 0.02, 0.01, 20},   {CT_STEPPER_BARRIER, 1, 2, 1e7, 0.02, 0.04, 20},
                                   {CT_STEPPER_BARRIER, 0, 2, 1e5, 0.02, 0.02, 20}};
    int k, held, longest, some = 0;
    (void)state;
    for (k = PLAIN_OR(0, 1); k < PLAIN_OR((int)(sizeof scenes / sizeof *scenes), 2); k++) {
        run(&scenes[k], &held, &longest);
        assert_true(held <= 2 && longest < 5);
        some += held;
    }
    assert_true(some > 0); /* or the test shows nothing */
}

/* A sheet of 12 kg falls on two of 12 g. In the steps that are divided recovery gave its speed in each of eight parts anew: the energy rose to 2.6
   times that of the start. It never exceeds that, heights above the floor counted */
static void recovery_moves_once(void **state)
{
    ct_world_desc d = world_desc(4e-3, 0.8, NULL);
    ct_mesh m = mesh_grid(0.2, 0.3, 4, 6);
    ct_world *w;
    double start = 0;
    int i;
    (void)state;
    d.stepper = CT_STEPPER_GEOMETRIC;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 3; i++) {
        ct_cloth_desc q = ct_cloth_desc_default();
        ct_body_id id;
        q.mesh = &m, q.material = ct_material_default(CT_MODEL_MEMBRANE), q.material.areal_density = i == 2 ? 200 : CTI_R(0.2);
        q.position[0] = (ct_real)(0.006 * i), q.position[1] = (ct_real)(0.01 * (i + 1)), q.position[2] = (ct_real)(i == 1 ? 0.009 : 0.0015 * i);
        assert_int_equal(ct_body_add_cloth(w, &q, &id), CT_OK);
    }
    for (i = 0; i < 30; i++) {
        ct_step_report r = step_once(w, 0.01);
        double now = r.energy_kinetic + r.energy_elastic + r.energy_gravity;
        start = i ? start : now;
        assert_true(now < 1.05 * start);
    }
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* Newton's method with one iteration a step ends far from a minimum, and gains under Newmark's rule. Such a step has used up its work: it is not
   divided, and loses its gain, so that the energy stays below the start's */
static void spent_steps_are_calmed(void **state)
{
    static const double speeds[] = {2, 20};
    int k, i, calmed = 0;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world_desc d = world_desc(4e-4, 0.4, NULL);
        ct_mesh m = mesh_box(0.02, 0.02, 0.02, 2, 2, 2, 1);
        ct_world *w;
        double start = 0, now;
        d.stepper = CT_STEPPER_BARRIER, d.integrator = CT_INTEGRATOR_NEWMARK, d.barrier.newton_iterations = 1;
        w = world_make(&d);
        if (k < 2)
            add_plane(w, 0, 1, 0, 0);
        mesh_place(&m, 0, 0, 0.0106, 0);
        cube(w, &m, 1e4, 0);
        mesh_place(&m, 0, k < 2 ? 4e-4 : 6e-3, 0.0212, 0);
        cube(w, &m, 1e4, -speeds[k % 2]);
        for (i = 0; i < 20; i++) {
            ct_step_report r = step_once(w, 0.01);
            now = r.energy_kinetic + r.energy_elastic + r.energy_gravity + r.energy_contact;
            start = i ? start : now;
            assert_true(r.substeps == 1 && (r.momentum_lost == 0 || w->state.judge.spent));
            assert_true(now < 1.05 * start);
            calmed += r.momentum_lost > 0;
        }
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
    assert_true(calmed > 0); /* or the test shows nothing */
}

/* the power method's starts, as a step begins and as its second try does */
typedef struct starts {
    const cti_state *s;
    double *first;
    int again, changed;
} starts;

/* a clock, which the second try asks for the time before it has changed anything */
static uint64_t look(void *user)
{
    starts *q = (starts *)user;
    if (q->s && !q->again && q->s->step.parts == 2) {
        q->again = 1;
        q->changed = memcmp(q->first, cti_dcd_of(q->s)->power_step, sizeof(double) * 3 * (size_t)q->s->n) != 0;
    }
    return 0;
}

/* A cube hits another one on a floor at 20 m/s. A step that the judge refuses and divides begins as the refused try did */
static void refused_tries_leave_nothing(void **state)
{
    ct_world_desc d = world_desc(4e-4, 0.4, NULL);
    ct_mesh m = mesh_box(0.02, 0.02, 0.02, 2, 2, 2, 1);
    starts q = {NULL, NULL, 0, 0};
    ct_world *w;
    int i, divided = 0;
    (void)state;
    d.stepper = CT_STEPPER_DCD, d.now_us = look, d.now_user = &q;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 2; i++) {
        mesh_place(&m, 0, 4e-4 * i, 0.0106, 0);
        cube(w, &m, 1e4, -20.0 * i);
    }
    for (i = 0; i < 20; i++) {
        size_t size = sizeof(double) * 3 * (size_t)w->state.n;
        if (i > 0) {
            q.first = (double *)malloc(size);
            assert_non_null(q.first);
            memcpy(q.first, cti_dcd_of(&w->state)->power, size);
            w->state.step.parts = 1, q.s = &w->state, q.again = 0;
        }
        step_once(w, 0.01);
        divided += q.again;
        assert_false(q.changed);
        free(q.first);
    }
    assert_true(divided > 0); /* or the test shows nothing */
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gains_are_the_sets_own), cmocka_unit_test(held_bodies_are_free_again), cmocka_unit_test(recovery_moves_once),
                                       cmocka_unit_test(spent_steps_are_calmed), cmocka_unit_test(refused_tries_leave_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
