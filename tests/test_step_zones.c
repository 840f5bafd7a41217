/* test_step_zones.c -- impact zones, stage by stage: impulses keep both momenta and leave no approach, a static side takes any impulse,
   rigid zones rotate as their angular momentum says, freezing stops only what collides. zones.c is compiled here for its stages. */
#include "../src/8_cmr/zones.c"
#include "step_util.h"

/* distance between flat triangles at which zones stop them: half the thickness, or nine tenths of the present distance */
static double kept(double d) { return fmin(STEP_H / 2, 0.9 * d); }

static void resolve(cti_state *s, cti_zones_result *out)
{
    cti_attempt a;
    memset(&a, 0, sizeof a);
    cti_cmr_move(s, CTI_R(STEP_DT));
    assert_true(cti_zones_resolve(s, CTI_R(STEP_DT), &a, out));
}

/* Two triangles of masses 1:3 over each other meet head on. The speeds after it follow from momentum and from the distance that is kept. A
   third one far away keeps its motion to the bit */
static void impulses_keep_momenta(void **state)
{
    static const double gaps[] = {0.05, 0.02, 0.004};
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = step_world(0);
        double p[2][3], l[2][3], m[2], relative, mean;
        cti_zones_result z;
        cti_state *s;
        step_flat(w, 0, 0, 0.3), step_flat(w, 0, gaps[k], 0.9), step_flat(w, 5, 0, 0.3);
        s = step_ready(w, STEP_DT);
        step_speed(s, 0, 3, 0, 7, 0), step_speed(s, 3, 3, 0, -5, 0), step_speed(s, 6, 3, 1, 2, 3);
        m[0] = step_mass(s, 0, 3), m[1] = step_mass(s, 3, 3);
        STEP_NEAR(m[1], 3 * m[0], 1e-12);
        step_momenta(s, s->end.v, p[0], l[0]);
        resolve(s, &z);
        assert_true(z.clear && z.frozen == 0);
        assert_int_equal(z.zones, 3); /* each corner is over a corner: a zone consists of nodes */
        STEP_NEAR(z.momentum_lost, 0, 0);
        step_momenta(s, s->end.v, p[1], l[1]);
        for (i = 0; i < 3; i++) {
            STEP_NEAR(p[1][i], p[0][i], 1e-12);
            STEP_NEAR(l[1][i], l[0][i], 1e-12);
        }
        relative = -(gaps[k] - kept(gaps[k])) / STEP_DT;
        mean = (m[0] * 7 - m[1] * 5) / (m[0] + m[1]);
        for (i = 0; i < 3; i++) {
            /* stage 1 ends where a velocity changes by less than 1e-4 thicknesses a step */
            STEP_NEAR(s->end.v[3 * i + 1], mean - m[1] / (m[0] + m[1]) * relative, 1e-3);
            STEP_NEAR(s->end.v[9 + 3 * i + 1], mean + m[0] / (m[0] + m[1]) * relative, 1e-3);
            assert_true(s->end.v[18 + 3 * i] == 1 && s->end.v[19 + 3 * i] == 2 && s->end.v[20 + 3 * i] == 3);
        }
        /* the zones join two components, without the third */
        assert_int_equal(cti_sets_root(s->parts.zoned, s->factors.component_of[3]),
                         cti_sets_root(s->parts.zoned, s->factors.component_of[0]));
        assert_true(cti_sets_root(s->parts.zoned, s->factors.component_of[6]) != cti_sets_root(s->parts.zoned, s->factors.component_of[0]));
        ct_world_destroy(w);
    }
}

/* An inclined impact: no corner ends nearer than the distance that is kept, and momentum is conserved, though the impulses act at different
   corners */
static void slanted_impacts_open(void **state)
{
    ct_world *w = step_world(0);
    static const double low[9] = {-0.3, 0, -0.3, -0.3, 0, 0.7, 0.7, 0, -0.3},
                        high[9] = {-0.1, 0.03, -0.1, -0.1, 0.06, 0.2, 0.2, 0.09, -0.1};
    double p[2][3], l[2][3];
    cti_zones_result z;
    cti_nearness near;
    cti_state *s;
    int i;
    (void)state;
    step_triangle(w, low, 0.3), step_triangle(w, high, 0.2), step_flat(w, 5, 0, 0.3);
    s = step_ready(w, STEP_DT);
    step_speed(s, 3, 3, 0, -20, 0);
    step_momenta(s, s->end.v, p[0], l[0]);
    resolve(s, &z);
    assert_true(z.clear && z.zones == 1 && z.frozen == 0 && z.momentum_lost == 0);
    step_momenta(s, s->end.v, p[1], l[1]);
    for (i = 0; i < 3; i++)
        STEP_NEAR(p[1][i], p[0][i], 1e-12);
    cti_surface_commit(&s->surface);
    memcpy(s->surface.x1, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    step_candidates(s);
    cti_detect_nearness(&s->detect, &s->surface, 1, &near);
    assert_true(near.distance > CTI_R(0.25 * STEP_H));
    ct_world_destroy(w);
}

/* a static triangle has no momentum to conserve: a body that falls on it stops at the distance that is kept */
static void static_sides_do_not_move(void **state)
{
    static const double under[9] = {-0.3, 0, -0.3, -0.3, 0, 0.7, 0.7, 0, -0.3};
    ct_world *w = step_world(0);
    cti_zones_result z;
    cti_state *s;
    int i;
    (void)state;
    step_static_triangle(w, under);
    step_flat(w, 0, 0.03, 0.3), step_flat(w, 5, 0, 0.3);
    s = step_ready(w, STEP_DT);
    assert_int_equal(s->n, 6);
    step_speed(s, 0, 3, 2, -50, 0);
    resolve(s, &z);
    assert_true(z.clear && z.zones == 1 && z.frozen == 0);
    for (i = 0; i < 3; i++) {
        STEP_NEAR(s->end.v[3 * i], 2, 1e-9); /* without friction; the normal is that of an impact, whose time is rounded */
        STEP_NEAR(s->end.v[3 * i + 1], -(0.03 - kept(0.03)) / STEP_DT, 1e-3);
        assert_true(s->end.v[9 + 3 * i] == 0 && s->end.v[10 + 3 * i] == 0);
    }
    for (i = 0; i < 9; i++)
        assert_true(s->surface.x1[i] == (ct_real)under[i]);
    ct_world_destroy(w);
}

/* a motion without collisions does not change, to the bit */
static void clear_motions_stay(void **state)
{
    ct_world *w = step_world(0);
    cti_zones_result z;
    cti_state *s;
    int i;
    (void)state;
    step_flat(w, 0, 0, 0.3), step_flat(w, 0, 0.05, 0.9), step_flat(w, 5, 0, 0.3);
    s = step_ready(w, STEP_DT);
    step_speed(s, 3, 3, 0, -4, 0);
    resolve(s, &z);
    assert_true(z.clear && z.zones == 0 && z.frozen == 0 && z.momentum_lost == 0);
    for (i = 3; i < 6; i++)
        assert_true(s->end.v[3 * i] == 0 && s->end.v[3 * i + 1] == -4 && s->end.v[3 * i + 2] == 0);
    ct_world_destroy(w);
}

/* ---- stages on their own ---- */

static void zones_open(cti_zones *z, cti_state *s)
{
    int i;
    memset(z, 0, sizeof *z);
    z->s = s, z->dt = CTI_R(STEP_DT);
    z->zone_sets = CTI_ARENA_NEW(s->arena, int32_t, s->n);
    z->frozen = CTI_ARENA_ZERO(s->arena, uint8_t, s->n);
    assert_true(z->zone_sets && z->frozen && cti_zones_join_joints(z));
    for (i = 0; i < s->n; i++)
        z->zone_sets[i] = cti_sets_root(z->rigid_sets, i);
}

static double apart(const ct_real *x, const ct_real *v, double dt, int i, int j)
{
    double sum = 0;
    int k;
    for (k = 0; k < 3; k++) {
        double d = (double)(x[3 * i + k] - x[3 * j + k]) + dt * (double)(v[3 * i + k] - v[3 * j + k]);
        sum += d * d;
    }
    return sqrt(sum);
}

/* angular momentum about the axis y through c, of nodes [0, n) */
static double spin_about(const cti_state *s, const ct_real *v, const double *c, int n)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += (double)s->bodies.mass[i] *
               (((double)s->x[3 * i + 2] - c[2]) * (double)v[3 * i] - ((double)s->x[3 * i] - c[0]) * (double)v[3 * i + 2]);
    return sum;
}

/* A rigid zone of two triangles in one plane, of which one moves past the other: the zone rotates about the normal. The angle is dt L / I, and
   straight motions to its end carry L sin(a) / a. The masses of the zone's parts are 1:3 */
static void rigid_zones_turn(void **state)
{
    ct_world *w = step_world(0);
    double p[2][3], l[2][3], c[3] = {0, 0, 0}, mass, inertia = 0, angle, lost = 0, own[2];
    uint8_t active[9] = {1}, anchored[9] = {0};
    ct_real before[27];
    cti_zones_result out;
    cti_zones z;
    cti_state *s;
    int i, j, k;
    (void)state;
    step_flat(w, 0, 0, 0.3), step_flat(w, 2, 0, 0.9), step_flat(w, 7, 0, 0.3);
    s = step_ready(w, STEP_DT);
    zones_open(&z, s);
    for (i = 1; i < 6; i++)
        cti_sets_join(z.zone_sets, i, 0);
    step_speed(s, 0, 3, 0, 0, 30), step_speed(s, 3, 3, 0, 0, -20), step_speed(s, 6, 3, 1, 2, 3);
    memcpy(before, s->end.v, sizeof before);
    mass = step_mass(s, 0, 6);
    step_momenta(s, s->end.v, p[0], l[0]);
    for (i = 0; i < 6; i++)
        for (k = 0; k < 3; k++)
            c[k] += (double)s->bodies.mass[i] * (double)s->x[3 * i + k] / mass;
    for (i = 0; i < 6; i++)
        inertia += (double)s->bodies.mass[i] * (pow((double)s->x[3 * i] - c[0], 2) + pow((double)s->x[3 * i + 2] - c[2], 2));
    memset(&out, 0, sizeof out);
    cti_zones_rigid(&z, active, anchored, &out);
    step_momenta(s, s->end.v, p[1], l[1]);
    for (k = 0; k < 3; k++)
        STEP_NEAR(p[1][k], p[0][k], 1e-12);
    /* about the zone's centre; the third triangle's own part is the same before and after */
    own[0] = spin_about(s, before, c, 6), own[1] = spin_about(s, s->end.v, c, 6);
    angle = fabs(own[0]) / inertia * STEP_DT;
    assert_true(angle > 0.1 && angle < 0.5);
    STEP_NEAR(own[1], own[0] * sin(angle) / angle, 1e-9);
    for (i = 0; i < 6; i++)
        for (j = 0; j < i; j++)
            STEP_NEAR(apart(s->x, s->end.v, STEP_DT, i, j), apart(s->x, s->end.v, 0, i, j), 1e-12);
    for (i = 0; i < 6; i++)
        lost += (double)s->bodies.mass[i] * (double)cti_v3_norm(cti_v3_sub(cti_v3_at(s->end.v, i), cti_v3_at(before, i)));
    STEP_NEAR(out.momentum_lost, lost, 1e-12);
    assert_memory_equal(s->end.v + 18, before + 18, 9 * sizeof(ct_real));
    /* ten times as fast: the rotation is limited to half a radian */
    for (i = 0; i < 18; i++)
        s->end.v[i] = 10 * before[i];
    cti_zones_rigid(&z, active, anchored, &out);
    STEP_NEAR(fabs(spin_about(s, s->end.v, c, 6)), inertia * sin(0.5) / STEP_DT, 1e-9);
    /* a zone that touches an immovable feature does not move */
    anchored[0] = 1;
    cti_zones_rigid(&z, active, anchored, &out);
    for (i = 0; i < 18; i++)
        assert_true(s->end.v[i] == 0);
    ct_world_destroy(w);
}

/* a zone of general shape that rotates slowly keeps its angular momentum about its centre, up to the angle of its rotation */
static void slow_zones_keep_their_angular_momentum(void **state)
{
    static const double tilted[9] = {0.4, 0.5, 0.1, 0.9, 0.2, 0.3, 0.2, 0.8, 0.7};
    ct_world *w = step_world(0);
    double p[2][3], l[2][3], mass, size;
    uint8_t active[9] = {1}, anchored[9] = {0};
    cti_zones_result out;
    cti_zones z;
    cti_state *s;
    int i, k;
    (void)state;
    step_flat(w, 0, 0, 0.3), step_triangle(w, tilted, 0.9), step_flat(w, 7, 0, 0.3);
    s = step_ready(w, STEP_DT);
    zones_open(&z, s);
    for (i = 1; i < 6; i++)
        cti_sets_join(z.zone_sets, i, 0);
    for (i = 0; i < 18; i++)
        s->end.v[i] = (ct_real)(1e-3 * (i % 5 - 2.3));
    mass = step_mass(s, 0, 6);
    step_momenta(s, s->end.v, p[0], l[0]);
    memset(&out, 0, sizeof out);
    cti_zones_rigid(&z, active, anchored, &out);
    step_momenta(s, s->end.v, p[1], l[1]);
    size = 1e-3 * mass;
    for (k = 0; k < 3; k++) {
        STEP_NEAR(p[1][k], p[0][k], 1e-15);
        STEP_NEAR(l[1][k], l[0][k], 1e-4 * size); /* angles of some 1e-5 */
    }
    assert_true(fabs(l[0][0]) > 0.01 * size && fabs(l[0][1]) > 0.01 * size && fabs(l[0][2]) > 0.01 * size);
    ct_world_destroy(w);
}

/* A rigid cube in a zone: alone it keeps its velocity and its spin. With a node in the zone both rotate together, L = I_cube w + r x p over the
   sum of their inertias, about the axis y, from which both centres' distances are known */
static void rigid_bodies_turn_with_their_zone(void **state)
{
    ct_world *w = step_world(0);
    uint8_t active[8] = {1}, anchored[8] = {0};
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    double cube, node, reduced, inertia, distance, x0;
    cti_zones_result out;
    ct_body_id id;
    cti_zones z;
    cti_state *s;
    (void)state;
    d.mesh = &m, d.density = 2;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    step_flat(w, 1.3, 0, 6), step_flat(w, 7, 0, 0.3); /* a corner at (1, 0, -.3) */
    s = step_ready(w, STEP_DT);
    assert_int_equal(s->n, 8);
    zones_open(&z, s);
    cti_sets_join(z.zone_sets, 0, 1);
    step_speed(s, 0, 1, 1, 2, 3), step_speed(s, 1, 1, 0, 4, 0);
    memset(&out, 0, sizeof out);
    cti_zones_rigid(&z, active, anchored, &out);
    STEP_NEAR(out.momentum_lost, 0, 1e-12);
    STEP_NEAR(s->end.v[0], 1, 1e-12), STEP_NEAR(s->end.v[2], 3, 1e-12), STEP_NEAR(s->end.v[4], 4, 1e-12);
    /* with the node, which is at rest */
    cti_sets_join(z.zone_sets, 0, 2);
    step_speed(s, 0, 1, 0, 0, 0), step_speed(s, 1, 1, 0, 4, 0), step_speed(s, 2, 6, 0, 0, 0);
    cube = (double)s->bodies.mass[0], node = (double)s->bodies.mass[2];
    STEP_NEAR(cube, 2, 1e-12);
    x0 = (double)s->x[6], distance = x0 * x0 + (double)(s->x[8] * s->x[8]);
    reduced = cube * node / (cube + node);
    inertia = cube / 6 + reduced * distance;
    cti_zones_rigid(&z, active, anchored, &out);
    STEP_NEAR(s->end.v[4], cube / 6 * 4 / inertia, 1e-9);
    STEP_NEAR(s->end.v[3], 0, 1e-12), STEP_NEAR(s->end.v[5], 0, 1e-12);
    STEP_NEAR(cube * (double)s->end.v[0] + node * (double)s->end.v[6], 0, 1e-12);
    STEP_NEAR(cube * (double)s->end.v[2] + node * (double)s->end.v[8], 0, 1e-12);
    ct_world_destroy(w);
}

static void hit_make(cti_state *s, int vertex, int face)
{
    cti_hit hit;
    int feature;
    memset(&hit, 0, sizeof hit);
    cti_pair_make(&s->surface, face >= 0 ? CT_PAIR_VF : CT_PAIR_PLANE, vertex, face >= 0 ? face : 0, &hit.pair);
    cti_pair_closest(&s->surface, s->surface.x0, &hit.pair, &feature);
    hit.normal = cti_v3_make(0, 1, 0);
    assert_true(CTI_PUSH(s->mem, s->contact.hits, hit));
}

/* zones with a hit, and those that cannot move: with a plane, a static or a held node on the other side */
static void zones_know_what_is_immovable(void **state)
{
    static const double under[9] = {9.7, 0, -0.3, 9.7, 0, 0.7, 10.7, 0, -0.3};
    ct_world *w = step_world(0);
    uint8_t active[9], anchored[9];
    cti_zones z;
    cti_state *s;
    int32_t corner = 0;
    ct_body_id held;
    (void)state;
    step_flat(w, 0, 0, 0.3);
    held = step_flat(w, 0, 0.1, 0.3);
    step_flat(w, 10, 0.1, 0.3);
    step_static_triangle(w, under);
    add_plane(w, 0, 1, 0, -1);
    s = step_ready(w, STEP_DT);
    zones_open(&z, s);
    CTI_CLEAR(s->contact.hits);
    hit_make(s, 3, 0);
    cti_sets_join(z.zone_sets, 0, 1), cti_sets_join(z.zone_sets, 0, 2), cti_sets_join(z.zone_sets, 0, 3);
    cti_zones_mark(&z, active, anchored);
    assert_true(active[0] && !anchored[0] && !active[6]);
    CTI_CLEAR(s->contact.hits);
    hit_make(s, 6, 3); /* on the static triangle */
    cti_zones_mark(&z, active, anchored);
    assert_true(active[6] && anchored[6] && !active[0]);
    CTI_CLEAR(s->contact.hits);
    hit_make(s, 0, -1);
    cti_zones_mark(&z, active, anchored);
    assert_true(active[0] && anchored[0] && !active[6]);
    assert_int_equal(ct_body_pin(w, held, &corner, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    s = step_ready(w, STEP_DT);
    assert_true(s->scripts.fixed[3]);
    zones_open(&z, s);
    cti_sets_join(z.zone_sets, 0, 1), cti_sets_join(z.zone_sets, 0, 2);
    CTI_CLEAR(s->contact.hits);
    hit_make(s, 3, 0);
    cti_zones_mark(&z, active, anchored);
    assert_true(active[0] && anchored[0]);
    ct_world_destroy(w);
}

/* Freezing: the corner and the face that collide stop, no other block does, scripted blocks are not counted, and the second call freezes nothing
   more */
static void freezing_stops_what_collides(void **state)
{
    ct_world *w = step_world(0);
    cti_zones_result out;
    cti_zones z;
    cti_state *s;
    int i;
    (void)state;
    step_flat(w, 0, 0, 0.3), step_flat(w, 0, 0.1, 0.3), step_flat(w, 5, 0, 0.3);
    s = step_ready(w, STEP_DT);
    zones_open(&z, s);
    step_speed(s, 0, 9, 0, 3, 4);
    s->scripts.fixed[2] = 1;
    CTI_CLEAR(s->contact.hits);
    hit_make(s, 3, 0);
    memset(&out, 0, sizeof out);
    assert_int_equal(cti_zones_freeze(&z, &out), 3);
    assert_int_equal(out.frozen, 3);
    STEP_NEAR(out.momentum_lost, 5 * (double)(s->bodies.mass[0] + s->bodies.mass[1] + s->bodies.mass[3]), 1e-12);
    for (i = 0; i < 9; i++)
        assert_true((s->end.v[3 * i + 1] == 0) == (i < 2 || i == 3));
    assert_int_equal(cti_zones_freeze(&z, &out), 0);
    assert_int_equal(out.frozen, 3);
    ct_world_destroy(w);
}

/* Blocks of a rigid joint are in one zone and freeze together, except for scripted ones; a compliant joint connects no zones */
static void joints_join_zones(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        int soft = k == 1, held = k == 2;
        ct_world *w = step_world(0);
        ct_joint_desc d = ct_joint_desc_default(CT_JOINT_BALL);
        ct_joint_id id;
        cti_zones_result out;
        cti_zones z;
        cti_state *s;
        d.a.body = step_flat(w, 0, 0, 0.3);
        step_flat(w, 0, 0.1, 0.3);
        d.b.body = step_flat(w, 5, 0, 0.3);
        d.a.vertices[0] = 1, d.b.vertices[0] = 2;
        d.a.vertices[1] = d.a.vertices[2] = d.b.vertices[1] = d.b.vertices[2] = -1;
        d.a.weights[0] = d.b.weights[0] = 1;
        d.compliance = soft ? CTI_R(1e-3) : 0;
        assert_int_equal(ct_joint_add(w, &d, &id), CT_OK);
        s = step_ready(w, STEP_DT);
        zones_open(&z, s);
        for (i = 0; i < 9; i++)
            assert_int_equal(cti_sets_root(z.rigid_sets, i), i == 8 && !soft ? 1 : i);
        step_speed(s, 0, 9, 0, 3, 0);
        s->scripts.fixed[8] = (uint8_t)held;
        CTI_CLEAR(s->contact.hits);
        hit_make(s, 3, 0);
        memset(&out, 0, sizeof out);
        assert_int_equal(cti_zones_freeze(&z, &out), k ? 4 : 5);
        assert_true((s->end.v[25] == 0) == (k == 0));
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(impulses_keep_momenta),
                                       cmocka_unit_test(slanted_impacts_open),
                                       cmocka_unit_test(static_sides_do_not_move),
                                       cmocka_unit_test(clear_motions_stay),
                                       cmocka_unit_test(rigid_zones_turn),
                                       cmocka_unit_test(slow_zones_keep_their_angular_momentum),
                                       cmocka_unit_test(rigid_bodies_turn_with_their_zone),
                                       cmocka_unit_test(zones_know_what_is_immovable),
                                       cmocka_unit_test(freezing_stops_what_collides),
                                       cmocka_unit_test(joints_join_zones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
