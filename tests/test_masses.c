/* test_masses.c -- rigid bodies of very different sizes and many rigid bodies at rest: they stand still, weigh what they weigh, and each
   step is solved. */
#include "world_util.h"

#define MOST_BODIES 64

typedef struct pile {
    ct_world *w;
    ct_body_id floor, id[MOST_BODIES];
    double at[MOST_BODIES][3]; /* where they were put */
    double mass, size;         /* of all; of the largest */
    int n;
} pile;

static void pile_begin(pile *p, double thickness, double friction)
{
    ct_world_desc d = world_desc(thickness, friction, NULL);
    memset(p, 0, sizeof *p);
    p->w = world_make(&d);
    p->floor = add_plane(p->w, 0, 1, 0, 0);
}

static void pile_box(pile *p, double size, double density, double angle, double x, double y, double z)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_mesh m = mesh_box(size, size, size, 1, 1, 1, 0);
    int k;
    for (k = 0; k < m.n_positions; k++) { /* about y */
        ct_real *q = m.positions + 3 * k;
        double a = (double)q[0], b = (double)q[2];
        q[0] = (ct_real)(cos(angle) * a + sin(angle) * b), q[2] = (ct_real)(cos(angle) * b - sin(angle) * a);
    }
    mesh_place(&m, 0, x, y, z);
    d.mesh = &m, d.density = (ct_real)density;
    assert_int_equal(ct_body_add_rigid(p->w, &d, &p->id[p->n]), CT_OK);
    ct_mesh_free(&m);
    p->at[p->n][0] = x, p->at[p->n][1] = y, p->at[p->n++][2] = z;
    p->mass += density * size * size * size;
    p->size = fmax(p->size, size);
}

/* vertical impulse of the floor in the last step [N s] */
static double floor_impulse(const pile *p)
{
    const ct_contact *c;
    int n, i;
    double sum = 0;
    assert_int_equal(ct_world_contacts(p->w, &c, &n), CT_OK);
    for (i = 0; i < n; i++) {
        double up = (double)c[i].impulse_normal * (double)c[i].normal[1] + (double)c[i].impulse_tangent[0] * (double)c[i].tangent[0][1] +
                    (double)c[i].impulse_tangent[1] * (double)c[i].tangent[1][1];
        if (c[i].body_a.index1 == p->floor.index1 || c[i].body_b.index1 == p->floor.index1)
            sum += fabs(up);
    }
    return sum;
}

/* steps; after `settle` of them 95 % must be solved, the floor carries the weight, and at the end nothing moves. moves: largest distance
   from where the bodies were put [m] */
static void pile_rests(pile *p, double dt, int settle, int steps, double moves)
{
    /* a solve's tolerance is ten times larger in float, and energies go with its square */
    const double g = 9.81, still = CONTACT_REAL == 32 ? 1e-4 : 1e-6;
    double load = 0, gained = 0, kinetic = 0;
    int t, i, k, unsolved = 0, last = (int)(.5 / dt);
    for (t = 0; t < steps; t++) {
        ct_step_report r;
        assert_int_equal(ct_world_step(p->w, (ct_real)dt, &r), CT_OK);
        unsolved += t >= settle && r.status != CT_STATUS_OK;
        gained = fmax(gained, (double)r.energy_gained);
        kinetic = (double)r.energy_kinetic;
        if (t >= steps - last)
            load += floor_impulse(p);
    }
    print_message("%d bodies: unsolved %d of %d, gained %.1e, kinetic %.1e, of m g times size; load %.6f\n", p->n, unsolved, steps - settle,
                  gained / (p->mass * g * p->size), kinetic / (p->mass * g * p->size), load / (p->mass * g * dt * last));
    assert_true(unsolved <= (steps - settle) / 20);
    assert_true(gained < 1e-3 * p->mass * g * p->size);
    assert_true(kinetic < still * p->mass * g * p->size);
    assert_true(fabs(load / (p->mass * g * dt * last) - 1) < 1e-3);
    for (i = 0; i < p->n; i++) {
        ct_real x[3], q[4];
        assert_int_equal(ct_body_get_pose(p->w, p->id[i], x, q), CT_OK);
        for (k = 0; k < 3; k++)
            assert_true(fabs((double)x[k] - p->at[i][k]) < moves);
    }
    ct_world_destroy(p->w);
}

/* a crate of 1 m on four feet of the same density, of a part of its size: mass ratios of 1e3 to 1e6 */
static void crate(int part, double dt)
{
    double foot = 1.0 / part;
    pile p;
    int i;
    pile_begin(&p, 1e-3, .5);
    for (i = 0; i < 4; i++)
        pile_box(&p, foot, 500, 0, i & 1 ? .4 : -.4, foot / 2 + 1e-3, i & 2 ? .4 : -.4);
    pile_box(&p, 1, 500, 0, 0, .5 + foot + 2.2e-3, 0);
    pile_rests(&p, dt, 30, 120, 1.5e-3);
}

static void crates_stand_on_small_feet(void **state)
{
    (void)state;
    crate(10, .01), crate(100, 1. / 60);
    if (PLAIN_OR(1, 0))
        crate(20, 1. / 60), crate(33, .01), crate(50, .01), crate(50, 1. / 60), crate(100, .01);
}

/* two boxes of one size, turned and moved against each other, the upper one by `ratio` heavier */
static void heavy_on_light(double ratio, double dt, double thickness, double friction)
{
    pile p;
    pile_begin(&p, thickness, friction);
    pile_box(&p, .1, 1000 / ratio, .15, .005, .05 + 1.2 * thickness, 0);
    pile_box(&p, .1, 1000, -.05, 0, .15 + 2.4 * thickness, .005);
    pile_rests(&p, dt, (int)(.5 / dt), (int)(2 / dt), 1e-4 + .6 * thickness);
}

static void heavy_boxes_rest_on_light_ones(void **state)
{
    double ratio;
    (void)state;
    for (ratio = 1e2; ratio < (CONTACT_REAL == 32 ? 2e5 : 2e6); ratio *= 10)
        heavy_on_light(ratio, .01, 1e-3, .4), heavy_on_light(ratio, 1. / 60, 1e-3, .3), heavy_on_light(ratio, .01, 1e-4, .5);
}

/* n boxes, each turned and moved by random amounts that leave them stable by far */
static void stack_begin(pile *p, int n, uint64_t seed)
{
    int i;
    pile_begin(p, 1e-3, .4);
    for (i = 0; i < n; i++) {
        double x = .004 * lcg(&seed) - .002, z = .004 * lcg(&seed) - .002, turn = .17 * lcg(&seed) - .085;
        pile_box(p, .1, 800, turn, x, .0515 + .1012 * i, z);
    }
}

static void stack(int n, uint64_t seed)
{
    pile p;
    stack_begin(&p, n, seed);
    pile_rests(&p, 1. / 60, 60, 300, .015);
}

static void stacks_stand(void **state)
{
    (void)state;
    stack(10, 1), stack(20, 2), stack(30, 3);
}

/* a stack of 30 boxes, once at rest, stays so in every step: errors of solves do not add up to a sway */
static void stacks_do_not_sway(void **state)
{
    uint64_t seed;
    (void)state;
    for (seed = 4; seed < 6; seed++) {
        double kinetic = 0;
        pile p;
        int t;
        stack_begin(&p, 30, seed);
        for (t = 0; t < 14 * 60; t++) {
            ct_step_report r;
            assert_int_equal(ct_world_step(p.w, (ct_real)(1. / 60), &r), CT_OK);
            kinetic = t < 5 * 60 ? 0 : fmax(kinetic, (double)r.energy_kinetic);
        }
        print_message("30 bodies: largest kinetic energy in seconds 5 to 14: %.1e of m g times size\n", kinetic / (p.mass * 9.81 * p.size));
        assert_true(kinetic < (CONTACT_REAL == 32 ? 1e-4 : 1e-6) * p.mass * 9.81 * p.size);
        ct_world_destroy(p.w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crates_stand_on_small_feet), PLAIN_TEST(heavy_boxes_rest_on_light_ones)
                                       PLAIN_TEST(stacks_stand) PLAIN_TEST(stacks_do_not_sway)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
