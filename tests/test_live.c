/* test_live.c -- what a program sets between steps: places, targets, forces, gravity, properties. Against closed forms, and against worlds that were
   built so. */
#include "failing.h"
#include "../src/9_world/world.h"
#include "world_util.h"

#define DT (1.0 / 60)
#define TABLE ((ct_real)0.05)                           /* [m] height of the table's middle */
#define HIGH ((ct_real)1.2)
#define ROUND (sizeof(ct_real) == 4 ? 2e-6 : 1e-12)     /* [m] rounding of places */
#define LAW (sizeof(ct_real) == 4 ? 2e-4 : 1e-9)        /* of laws that hold exactly */

static ct_world *world_of(double gravity, double friction)
{
    ct_world_desc d = world_desc(1e-3, friction, NULL);
    d.gravity[1] = (ct_real)-gravity;
    return world_make(&d);
}

static ct_body_id box_at(ct_world *w, double size, double density, double x, double y)
{
    ct_mesh m = mesh_box(size, size, size, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = &m, d.name = "box", d.density = (ct_real)density;
    d.position[0] = (ct_real)x, d.position[1] = (ct_real)y;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static void pose_of(ct_world *w, ct_body_id id, double *p)
{
    ct_real x[3];
    int k;
    assert_int_equal(ct_body_get_pose(w, id, x, NULL), CT_OK);
    for (k = 0; k < 3; k++)
        p[k] = (double)x[k];
}

static ct_body_id table_add(ct_world *w, ct_mesh *m)
{
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_body_id id = {0, 0};
    *m = mesh_box(2, 0.1, 2, 2, 1, 2, 0);
    d.mesh = m, d.name = "table", d.position[1] = TABLE;
    assert_int_equal(ct_body_add_kinematic(w, &d, &id), CT_OK);
    return id;
}

/* A box that fell, bounced about and is put somewhere else goes on as one that is added there with its velocities */
static void a_teleported_box_is_a_new_one(void **state)
{
    const ct_real at[3] = {2, HIGH, 0}, turned[4] = {HIGH, 0, 0, 1};
    ct_world *w[2];
    ct_body_id box[2];
    ct_real v[3], spin[3], q[4];
    double p[2][3];
    int i, k;
    (void)state;
    w[0] = world_of(9.81, 0.4);
    add_plane(w[0], 0, 1, 0, 0);
    box[0] = box_at(w[0], 0.2, 500, 0, 0.101);
    for (i = 0; i < 30; i++)
        step_once(w[0], DT);
    assert_int_equal(ct_body_set_pose(w[0], box[0], at, turned), CT_OK);
    assert_int_equal(ct_body_get_motion(w[0], box[0], v, spin), CT_OK);
    assert_int_equal(ct_body_get_pose(w[0], box[0], NULL, q), CT_OK);
    w[1] = world_of(9.81, 0.4);
    add_plane(w[1], 0, 1, 0, 0);
    box[1] = box_at(w[1], 0.2, 500, 0, 3);
    assert_int_equal(ct_body_set_pose(w[1], box[1], at, turned), CT_OK);
    assert_int_equal(ct_body_set_motion(w[1], box[1], v, spin), CT_OK);
    for (i = 0; i < 90; i++)
        for (k = 0; k < 2; k++) {
            ct_step_report r = step_once(w[k], DT);
            assert_true(r.status <= CT_STATUS_SUBSTEPPED);
            pose_of(w[k], box[k], p[k]);
        }
    for (k = 0; k < 3; k++)
        assert_true(fabs(p[0][k] - p[1][k]) < 1e-9);
    assert_true(p[0][1] < 0.2); /* it has fallen and lies */
    ct_world_destroy(w[0]), ct_world_destroy(w[1]);
}

/* A falling box that is put elsewhere in every frame falls as fast as one that is left alone: its momentum is g t */
static void teleports_keep_momentum(void **state)
{
    ct_world *w = world_of(10, 0);
    ct_body_id box = box_at(w, 0.2, 500, 0, 0), floats = box_at(w, 0.2, 500, 3, 0);
    ct_real p[3], at[3] = {0, 0, 0};
    double m = (double)ct_body_get_mass(w, box), x[3];
    int i;
    (void)state;
    assert_int_equal(ct_body_set_gravity_scale(w, floats, 0), CT_OK);
    for (i = 0; i < 60; i++) {
        at[0] = (ct_real)(0.01 * i);
        assert_int_equal(ct_body_set_pose(w, box, at, NULL), CT_OK);
        if (i == 30)
            at[0] = 3, assert_int_equal(ct_body_set_pose(w, floats, at, NULL), CT_OK);
        step_once(w, DT);
    }
    assert_int_equal(ct_body_get_momentum(w, box, p, NULL), CT_OK);
    print_message("momentum %.9f, expected %.9f\n", (double)p[1], -10 * m);
    assert_true(fabs((double)p[1] + 10 * m) < LAW * 10 * m);
    pose_of(w, floats, x);
    assert_true(fabs(x[1]) < LAW);
    ct_world_destroy(w);
}

/* put into another one it is found and freed; so is a sheet whose nodes are put through it */
static void teleports_into_others_are_found(void **state)
{
    ct_world *w = world_of(0, 0.4);
    ct_body_id a = box_at(w, 0.2, 500, 0, 0), b = box_at(w, 0.2, 500, 2, 0);
    ct_real at[3] = {(ct_real)0.15, (ct_real)0.01, 0};
    ct_step_report r;
    int i, left = 1;
    (void)state;
    r = step_once(w, DT);
    assert_int_equal(r.tangled, 0);
    assert_int_equal(ct_body_set_pose(w, b, at, NULL), CT_OK);
    r = step_once(w, DT);
    assert_true(r.tangled > 0);
    for (i = 0; i < 200 && left; i++)
        left = step_once(w, DT).tangled;
    assert_int_equal(left, 0);
    assert_true(ct_body_get_mass(w, a) > 3.9 && ct_body_get_mass(w, a) < 4.1);
    ct_world_destroy(w);
}

/* A jelly that fell is rebuilt in a new world from its mesh, its nodes' positions and their velocities: it goes on as the first one, and comes to rest
   at the height of its rest shape, not of the shape in which it was saved */
static void a_saved_jelly_goes_on(void **state)
{
    ct_world *w[2];
    ct_body_id jelly[2];
    ct_real x[3 * 64], v[3 * 64];
    double far = 0;
    int i, k, n;
    (void)state;
    for (k = 0; k < 2; k++) {
        w[k] = world_of(9.81, 0.4);
        add_plane(w[k], 0, 1, 0, 0);
        jelly[k] = add_soft_box(w[k], "jelly", 0.2, 3, 3e4, 0, 0.2, 0);
    }
    n = ct_body_node_count(w[0], jelly[0]);
    assert_int_equal(n, 64);
    for (i = 0; i < 10; i++)
        step_once(w[0], DT); /* in the air, deformed a little by its landing: velocities of Euler's rule are the state */
    assert_int_equal(ct_body_get_nodes(w[0], jelly[0], x, v, n), CT_OK);
    assert_int_equal(ct_body_set_positions(w[1], jelly[1], x, n), CT_OK);
    assert_int_equal(ct_body_set_velocities(w[1], jelly[1], v, n), CT_OK);
    for (i = 0; i < 120; i++)
        for (k = 0; k < 2; k++)
            step_once(w[k], DT);
    assert_int_equal(ct_body_get_nodes(w[0], jelly[0], x, NULL, n), CT_OK);
    assert_int_equal(ct_body_get_nodes(w[1], jelly[1], v, NULL, n), CT_OK);
    for (i = 0; i < 3 * n; i++)
        far = fmax(far, fabs((double)(x[i] - v[i])));
    print_message("after two seconds %.2e m apart\n", far);
    assert_true(far < 2e-3);
    ct_world_destroy(w[0]), ct_world_destroy(w[1]);
}

/* A turntable moved to a new pose in every frame is there at the end of each; what lies on it goes round with it by friction alone, and a ball joint
   takes another body along */
static void poses_are_reached_and_drag(void **state)
{
    ct_world *w = world_of(9.81, 0.5);
    ct_mesh m;
    ct_body_id table = table_add(w, &m), box = box_at(w, 0.2, 500, 0.4, 0.202), hung = box_at(w, 0.2, 500, 0.9, -0.2);
    ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
    ct_step_report r;
    double x[3 * 64], p[3], angle = 0, far = 0, joint = 0;
    int i, k, n;
    (void)state;
    j.a.body = hung, j.b.body = table, j.point[0] = (ct_real)0.9, j.collide = 0;
    assert_int_equal(ct_joint_add(w, &j, NULL), CT_OK);
    for (i = 0; i < 180; i++) {
        ct_real at[3] = {0, TABLE, 0}, q[4] = {0, 0, 0, 0};
        angle += fmin(1.0, i / 60.0) * DT; /* up to 1 rad/s */
        at[0] = (ct_real)(0.1 * angle);
        q[0] = (ct_real)cos(angle / 2), q[2] = (ct_real)sin(angle / 2);
        assert_int_equal(ct_body_move_pose(w, table, at, q, DT), CT_OK);
        r = step_once(w, DT);
        joint = fmax(joint, (double)r.joint_error);
        {
            ct_real at_now[3], q_now[4];
            double along = 0;
            assert_int_equal(ct_body_get_pose(w, table, at_now, q_now), CT_OK);
            for (k = 0; k < 4; k++)
                along += (double)(q[k] * q_now[k]);
            for (k = 0; k < 3; k++)
                assert_true(fabs((double)(at[k] - at_now[k])) < ROUND);
            assert_true(fabs(fabs(along) - 1) < ROUND);
        }
        assert_int_equal(ct_body_get_positions(w, table, x, CT_SCALAR_DOUBLE, 24, &n), CT_OK);
        for (k = 0; k < n; k++) {
            double X = (double)m.positions[3 * k], Z = (double)m.positions[3 * k + 2];
            far = fmax(far, fabs(x[3 * k] - (X * cos(angle) + Z * sin(angle) + (double)at[0])));
            far = fmax(far, fabs(x[3 * k + 2] - (Z * cos(angle) - X * sin(angle))));
        }
    }
    pose_of(w, box, p);
    print_message("vertices within %.1e m, joint within %.1e m; the box is at %.4f %.4f %.4f\n", far, joint, p[0], p[1], p[2]);
    assert_true(far < ROUND);
    assert_true(joint < 1e-4);
    assert_true(fabs(hypot(p[0] - 0.1 * angle, p[2]) - 0.4) < 4e-3); /* on its circle */
    assert_true(fabs(remainder(atan2(-p[2], p[0] - 0.1 * angle) - angle, 6.283185307179586)) < 2e-2);
    assert_true(fabs(p[1] - 0.2) < 0.01);
    ct_mesh_free(&m), ct_world_destroy(w);
}

/* skinned vertices in one call: pinned nodes of a sheet, and all of a kinematic mesh */
static void vertices_reach_their_targets(void **state)
{
    ct_real pose[3];
    ct_world *w = world_of(9.81, 0.5);
    ct_mesh m, grid = mesh_grid(0.5, 0.5, 4, 4);
    ct_body_id table = table_add(w, &m), sheet;
    ct_real target[3 * 64], row[15];
    int32_t nodes[5];
    double x[3 * 64];
    int i, k, n;
    (void)state;
    mesh_place(&grid, 0, 0, 1, 0);
    sheet = add_cloth_mesh(w, "sheet", &grid, CT_MODEL_SPRINGS, 0.2);
    for (i = 0; i < 60; i++) {
        double t = (i + 1) * DT;
        for (k = 0; k < 5; k++) {
            nodes[k] = k;
            row[3 * k] = grid.positions[3 * k] + (ct_real)(0.1 * sin(3 * t)), row[3 * k + 1] = grid.positions[3 * k + 1] + (ct_real)(0.05 * t);
            row[3 * k + 2] = grid.positions[3 * k + 2];
        }
        for (k = 0; k < m.n_positions; k++) {
            target[3 * k] = m.positions[3 * k] * (ct_real)(1 + 0.1 * t), target[3 * k + 2] = m.positions[3 * k + 2];
            target[3 * k + 1] = m.positions[3 * k + 1] - (ct_real)(0.2 * t);
        }
        assert_int_equal(ct_body_move_vertices(w, sheet, nodes, row, 5, DT), CT_OK);
        assert_int_equal(ct_body_move_vertices(w, table, NULL, target, m.n_positions, DT), CT_OK);
        step_once(w, DT);
        assert_int_equal(ct_body_get_positions(w, sheet, x, CT_SCALAR_DOUBLE, 24, &n), CT_OK);
        for (k = 0; k < 15; k++)
            assert_true(fabs(x[k] - (double)row[k]) < ROUND);
        assert_int_equal(ct_body_get_positions(w, table, x, CT_SCALAR_DOUBLE, 24, &n), CT_OK);
        for (k = 0; k < 3 * n; k++)
            assert_true(fabs(x[k] - (double)target[k]) < ROUND);
    }
    assert_int_equal(ct_body_unpin(w, sheet, nodes, 5, CT_AXIS_ALL), CT_OK);
    for (i = 0; i < 30; i++)
        step_once(w, DT);
    assert_int_equal(ct_body_get_positions(w, sheet, x, CT_SCALAR_DOUBLE, 24, &n), CT_OK);
    assert_true(x[1] < (double)row[1] - 0.2); /* it fell */
    assert_int_equal(ct_body_get_pose(w, table, pose, NULL), CT_ERR_ARGUMENT); /* its vertices have been moved */
    ct_mesh_free(&m), ct_mesh_free(&grid), ct_world_destroy(w);
}

/* Newton's second law for boxes, jellies and single vertices; torque; friction holds against less than mu m g, and slides above it */
static void forces_accelerate(void **state)
{
    const ct_real F[3] = {3, 1, -2}, T[3] = {0, (ct_real)0.25, 0}, lift[3] = {0, (ct_real)9.81, 0};
    ct_real v[3], spin[3], nodes[3 * 64], push[3] = {0, 0, 0};
    ct_world *w = world_of(0, 0.5);
    ct_body_id box = box_at(w, 0.2, 500, 0, 0), jelly = add_soft_box(w, "jelly", 0.2, 3, 3e4, 2, 0, 0);
    ct_step_report r;
    double m = (double)ct_body_get_mass(w, box), mj = (double)ct_body_get_mass(w, jelly), I = m * 0.04 / 6, p[3], energy = 0, work = 0;
    int i, k, vertex;
    (void)state;
    for (i = 0; i < 60; i++) {
        assert_int_equal(ct_body_add_force(w, box, F, NULL), CT_OK);
        assert_int_equal(ct_body_add_torque(w, box, T), CT_OK);
        assert_int_equal(ct_body_add_force(w, jelly, F, NULL), CT_OK);
        r = step_once(w, DT);
        work += r.work_forces;
        assert_true(r.status == CT_STATUS_OK && fabs(r.energy_gained) < LAW);
    }
    energy = r.energy_kinetic;
    assert_int_equal(ct_body_get_momentum(w, box, v, NULL), CT_OK);
    assert_int_equal(ct_body_get_motion(w, box, NULL, spin), CT_OK);
    for (k = 0; k < 3; k++)
        assert_true(fabs((double)v[k] - (double)F[k]) < LAW * m);
    assert_true(fabs((double)spin[1] - 0.25 / I) < LAW * 0.25 / I);
    assert_int_equal(ct_body_get_nodes(w, jelly, NULL, nodes, 64), CT_OK);
    for (i = 0; i < 64; i++)
        for (k = 0; k < 3; k++) /* the middle of the last step */
            assert_true(fabs((double)nodes[3 * i + k] - (double)F[k] * (1 - DT / 2) / mj) < LAW);
    {
        double moved = (9 + 1 + 4) / (2 * m) + (9 + 1 + 4) / (2 * mj) + 0.25 * 0.25 / (2 * I); /* F t = 1 s times F, T t */
        print_message("work %.9f J, kinetic energy %.9f J of %.9f J\n", work, energy, moved);
        assert_true(fabs(work - energy) < LAW * energy && fabs(energy - moved) < LAW * moved);
    }
    /* at rest again; a force on one vertex moves the centre of mass by F t / m, whatever the body does */
    for (vertex = 0; vertex < 64; vertex += 21) {
        double before = r.center_of_mass[0], speed;
        r = step_once(w, DT);
        speed = (r.center_of_mass[0] - before) / DT;
        assert_int_equal(ct_body_add_vertex_force(w, jelly, vertex, F), CT_OK);
        before = r.center_of_mass[0];
        step_once(w, DT);
        r = step_once(w, DT);
        before = r.center_of_mass[0];
        r = step_once(w, DT);
        assert_true(fabs((r.center_of_mass[0] - before) / DT - speed - (double)F[0] * DT / (m + mj)) < LAW);
    }
    ct_world_destroy(w);

    w = world_of(9.81, 0.5);
    add_plane(w, 0, 1, 0, 0);
    box = box_at(w, 0.2, 500, 0, 0.101);
    m = (double)ct_body_get_mass(w, box);
    for (i = 0; i < 30; i++)
        step_once(w, DT);
    pose_of(w, box, p);
    for (k = 0; k < 2; k++) {
        double from = p[0], mu = 0.5, share = k == 0 ? 0.9 : 1.5;
        push[0] = (ct_real)(share * mu * m * 9.81);
        for (i = 0; i < 60; i++) {
            assert_int_equal(ct_body_add_force(w, box, push, NULL), CT_OK);
            step_once(w, DT);
        }
        pose_of(w, box, p);
        assert_int_equal(ct_body_get_motion(w, box, v, NULL), CT_OK);
        print_message("%.1f of friction: %.2e m, %.4f m/s\n", share, p[0] - from, (double)v[0]);
        assert_true(k == 0 ? fabs(p[0] - from) < 1e-5 : fabs((double)v[0] - 0.5 * mu * 9.81 * (1 - DT / 2)) < 0.005 * 0.5 * mu * 9.81);
    }
    /* its weight upwards: it floats */
    for (k = 0; k < 3; k++)
        push[k] = lift[k] * (ct_real)m, v[k] = 0;
    {
        const ct_real high[3] = {0, 2, 0}, level[4] = {1, 0, 0, 0};
        assert_int_equal(ct_body_set_pose(w, box, high, level), CT_OK);
    }
    assert_int_equal(ct_body_set_motion(w, box, v, v), CT_OK);
    for (i = 0; i < 120; i++) {
        assert_int_equal(ct_body_add_force(w, box, push, NULL), CT_OK);
        step_once(w, DT);
    }
    pose_of(w, box, p);
    assert_true(fabs(p[1] - 2) < 1e-4);
    ct_world_destroy(w);
}

/* impulses: momentum of boxes and vertices; one beside the centre also turns */
static void impulses_change_momentum(void **state)
{
    const ct_real J[3] = {1, 0, 0}, point[3] = {0, (ct_real)0.1, 0};
    ct_real v[3], spin[3], nodes[3 * 64];
    ct_world *w = world_of(0, 0.5);
    ct_body_id box = box_at(w, 0.2, 500, 0, 0), jelly = add_soft_box(w, "jelly", 0.2, 3, 3e4, 2, 0, 0);
    double m = (double)ct_body_get_mass(w, box), I = m * 0.04 / 6, sum = 0;
    int i;
    (void)state;
    assert_int_equal(ct_body_add_impulse(w, box, J, point), CT_OK);
    assert_int_equal(ct_body_get_motion(w, box, v, spin), CT_OK);
    assert_true(fabs((double)v[0] - 1 / m) < 1e-6 && fabs((double)spin[2] + 0.1 / I) < 1e-5 / I);
    assert_int_equal(ct_body_add_vertex_impulse(w, jelly, 7, J), CT_OK);
    for (i = 0; i < 20; i++)
        step_once(w, DT);
    assert_int_equal(ct_body_get_nodes(w, jelly, NULL, nodes, 64), CT_OK);
    for (i = 0; i < 64; i++)
        sum += (double)nodes[3 * i] * (double)w->state.bodies.mass[w->bodies[1].block0 + i];
    print_message("momentum %.9f\n", sum);
    assert_true(fabs(sum - 1) < 1e-5);
    ct_world_destroy(w);
}

/* under every stepper: a jelly of gravity scale 0 stays where it is, and one with its weight as a force upwards, too; scale 2 falls as in a world of
   twice the gravity */
static void forces_balance_gravity(void **state)
{
    int stepper, i, k;
    (void)state;
    for (stepper = 0; stepper < CT_STEPPER_COUNT_; stepper++) {
        const int refuses = stepper == CT_STEPPER_EXPLICIT || stepper == CT_STEPPER_LAYERS;
        ct_world_desc d = ct_world_desc_default_for((ct_stepper)stepper);
        ct_world *w[2];
        ct_body_id jelly[3], twice;
        ct_real up[3] = {0, 0, 0};
        double y[4] = {0, 0, 0, 0}, start = 0;
        d.thickness = (ct_real)1e-3;
        d.gravity[1] = -10;
        w[0] = world_make(&d);
        for (k = 0; k < 3; k++)
            jelly[k] = add_soft_box(w[0], "jelly", 0.2, 1, 3e4, 3 * k, 0, 0);
        d.gravity[1] = -20;
        w[1] = world_make(&d);
        twice = add_soft_box(w[1], "jelly", 0.2, 1, 3e4, 0, 0, 0);
        assert_int_equal(ct_body_set_gravity_scale(w[0], jelly[0], 0), refuses ? CT_ERR_UNSUPPORTED : CT_OK);
        assert_int_equal(ct_body_set_gravity_scale(w[0], jelly[2], 2), refuses ? CT_ERR_UNSUPPORTED : CT_OK);
        if (refuses) {
            assert_int_equal(ct_body_add_force(w[0], jelly[1], up, NULL), CT_ERR_UNSUPPORTED);
            assert_int_equal(ct_body_add_impulse(w[0], jelly[1], up, NULL), CT_OK);
            ct_world_destroy(w[0]), ct_world_destroy(w[1]);
            continue;
        }
        up[1] = 10 * ct_body_get_mass(w[0], jelly[1]);
        for (i = 0; i < 50; i++) {
            assert_int_equal(ct_body_add_force(w[0], jelly[1], up, NULL), CT_OK);
            step_once(w[0], 0.005), step_once(w[1], 0.005);
        }
        for (k = 0; k < 4; k++) {
            ct_real x[24];
            assert_int_equal(ct_body_get_nodes(w[k == 3], k == 3 ? twice : jelly[k], x, NULL, 8), CT_OK);
            for (i = 0; i < 8; i++)
                y[k] += (double)x[3 * i + 1] / 8;
        }
        print_message("%s: floats within %.1e and %.1e m; falls %.6f and %.6f m\n", ct_stepper_text((ct_stepper)stepper), fabs(y[0] - start),
                      fabs(y[1] - start), -y[2], -y[3]);
        assert_true(fabs(y[0] - start) < 1e-5 && fabs(y[1] - start) < 1e-5);
        assert_true(fabs(y[2] - y[3]) < 1e-4 * fabs(y[3]));
        ct_world_destroy(w[0]), ct_world_destroy(w[1]);
    }
}

/* free fall under one gravity, then another one: the parabolas of Galilei, to rounding; a body of gravity scale 0 stays, one of -1 rises as much */
static void gravity_changes(void **state)
{
    const ct_real g2[3] = {1, 2, 0};
    ct_world *w = world_of(10, 0.5);
    ct_body_id ball = box_at(w, 0.2, 500, 0, 0), floats = box_at(w, 0.2, 500, 3, 0), rises = box_at(w, 0.2, 500, 6, 0);
    double p[3], T1 = 30 * DT, T2 = 45 * DT;
    int i;
    (void)state;
    assert_int_equal(ct_body_set_gravity_scale(w, floats, 0), CT_OK);
    assert_int_equal(ct_body_set_gravity_scale(w, rises, -1), CT_OK);
    for (i = 0; i < 30; i++)
        step_once(w, DT);
    pose_of(w, floats, p);
    assert_true(fabs(p[1]) < LAW);
    pose_of(w, rises, p);
    assert_true(fabs(p[1] - 10 * T1 * T1 / 2) < LAW);
    pose_of(w, ball, p);
    assert_true(fabs(p[1] + 10 * T1 * T1 / 2) < LAW);
    assert_int_equal(ct_world_set_gravity(w, g2), CT_OK);
    for (i = 0; i < 45; i++)
        step_once(w, DT);
    pose_of(w, ball, p);
    print_message("y %.9f, expected %.9f; x %.9f, expected %.9f\n", p[1], -5 * T1 * T1 - 10 * T1 * T2 + T2 * T2, p[0], T2 * T2 / 2);
    assert_true(fabs(p[1] - (-5 * T1 * T1 - 10 * T1 * T2 + T2 * T2)) < LAW && fabs(p[0] - T2 * T2 / 2) < LAW);
    ct_world_destroy(w);
}

/* A balloon of rubber with young E, poisson nu and wall t: p r = 2 s, s = E t e / (1 - nu) per length, so that its radius grows by e = p r (1 - nu) /
   (2 E t) to first order. Its centre stays, and without pressure it is as before */
static void balloons_have_their_radius(void **state)
{
    const double r = 0.1, E = 1e6, nu = 0.3, t = 1e-3, e = 0.01, p = 2 * E * t * e / (r * (1 - nu));
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_world *w = world_of(0, 0);
    ct_mesh m;
    ct_body_id ball, open;
    ct_mesh grid = mesh_grid(0.2, 0.2, 2, 2);
    double x[3 * 642], mean[3], got[2];
    int i, k, n, phase;
    (void)state;
    assert_int_equal(ct_mesh_sphere((ct_real)r, 3, &m, NULL), CT_OK);
    d.mesh = &m, d.name = "balloon", d.material = ct_material_default(CT_MODEL_MEMBRANE);
    d.material.young = (ct_real)E, d.material.poisson = (ct_real)nu, d.material.shell_thickness = (ct_real)t, d.material.areal_density = 1;
    assert_int_equal(ct_body_add_cloth(w, &d, &ball), CT_OK);
    open = add_cloth_mesh(w, "open", &grid, CT_MODEL_SPRINGS, 0.2);
    assert_int_equal(ct_body_set_pressure(w, open, 1), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_pressure(w, ball, (ct_real)NAN), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_remove(w, open), CT_OK);
    for (phase = 0; phase < 2; phase++) {
        assert_int_equal(ct_body_set_pressure(w, ball, phase ? 0 : (ct_real)p), CT_OK);
        for (i = 0; i < 200; i++)
            step_once(w, DT);
        assert_int_equal(ct_body_get_positions(w, ball, x, CT_SCALAR_DOUBLE, 24, &n), CT_OK);
        assert_int_equal(n, 642);
        for (got[phase] = mean[0] = mean[1] = mean[2] = 0, i = 0; i < n; i++) {
            got[phase] += sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]) / n / r - 1.0 / n;
            for (k = 0; k < 3; k++)
                mean[k] += x[3 * i + k] / n;
        }
        assert_true(fabs(mean[0]) + fabs(mean[1]) + fabs(mean[2]) < 1e-5);
    }
    print_message("strain %.5f, by p r = 2 s %.5f; without pressure %.1e\n", got[0], e, got[1]);
    assert_true(fabs(got[0] - e) < 0.05 * e); /* (1 + e)^3 makes 3 e of it */
    assert_true(fabs(got[1]) < 1e-4);
    ct_mesh_free(&m), ct_mesh_free(&grid), ct_world_destroy(w);
}

/* thickness between steps: a box that lies settles at the new distance */
static void thickness_changes(void **state)
{
    ct_world *w = world_of(9.81, 0.5);
    ct_body_id box;
    double p[3];
    int i;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    box = box_at(w, 0.2, 500, 0, 0.101);
    for (i = 0; i < 60; i++)
        step_once(w, DT);
    assert_int_equal(ct_body_set_thickness(w, box, (ct_real)0.009), CT_OK);
    assert_true(fabs((double)ct_body_get_thickness(w, box) - 0.009) < 1e-7);
    for (i = 0; i < 200; i++)
        step_once(w, DT);
    pose_of(w, box, p);
    print_message("rests at %.6f\n", p[1]);
    assert_true(fabs(p[1] - 0.1 - (0.009 + 0.001) / 2) < 5e-4);
    ct_world_destroy(w);
}

static void names_and_data(void **state)
{
    ct_world *w = world_of(0, 0.5);
    ct_body_id box = box_at(w, 0.2, 500, 0, 0), jelly = add_soft_box(w, "jelly", 0.2, 1, 3e4, 2, 0, 0), list[4], none = {0, 0};
    int data = 5;
    (void)state;
    assert_int_equal(ct_world_get_bodies(w, NULL, 0), 2);
    assert_int_equal(ct_world_get_bodies(w, list, 1), 2);
    assert_int_equal(ct_world_get_bodies(w, list, 4), 2);
    assert_true(list[0].index1 == box.index1 && list[1].index1 == jelly.index1 && list[1].generation == jelly.generation);
    assert_true(ct_world_find_body(w, "jelly").index1 == jelly.index1 && ct_world_find_body(w, "no").index1 == 0);
    assert_true(ct_world_find_body(w, NULL).index1 == 0 && ct_world_get_bodies(NULL, NULL, 0) == 0);
    assert_int_equal(ct_body_set_user_data(w, box, &data), CT_OK);
    assert_ptr_equal(ct_body_get_user_data(w, box), &data);
    assert_null(ct_body_get_user_data(w, jelly));
    assert_null(ct_body_get_user_data(w, none));
    assert_int_equal(ct_body_remove(w, box), CT_OK);
    assert_null(ct_body_get_user_data(w, box));
    assert_int_equal(ct_world_get_bodies(w, list, 4), 1);
    ct_world_destroy(w);
}

/* every call refuses what it cannot use, names it, and changes nothing */
static void bad_input_is_refused(void **state)
{
    const ct_real bad[4] = {NAN, 0, 0, 0}, good[4] = {0, 1, 0, 0}, zero[4] = {0, 0, 0, 0}, huge[3] = {0, 0, (ct_real)3e30};
    ct_real nodes[3 * 8];
    ct_world *w = world_of(9.81, 0.5);
    ct_body_id floor = add_plane(w, 0, 1, 0, -1), box = box_at(w, 0.2, 500, 0, 0), jelly = add_soft_box(w, "jelly", 0.2, 1, 3e4, 2, 0, 0), none = {0, 0};
    ct_mesh m;
    ct_body_id table = table_add(w, &m);
    uint64_t hash;
    int32_t far = 99;
    int i;
    (void)state;
    step_once(w, DT);
    hash = ct_world_hash(w);
    for (i = 0; i < 24; i++)
        nodes[i] = (ct_real)NAN;
    assert_int_equal(ct_body_set_pose(w, none, good, NULL), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_set_pose(w, jelly, good, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_pose(w, box, bad, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_pose(w, box, good, zero), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_pose(w, box, huge, NULL), CT_ERR_MESH);
    assert_int_equal(ct_body_set_positions(w, jelly, nodes, 8), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_positions(w, jelly, nodes, 7), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_positions(w, jelly, NULL, 8), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_positions(w, box, nodes, 8), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_nodes(w, jelly, NULL, NULL, 8), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_pose(w, box, good, NULL, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_pose(w, table, bad, NULL, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_pose(w, table, good, NULL, 0), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_pose(w, table, good, NULL, NAN), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_vertices(w, table, NULL, nodes, 3, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_vertices(w, jelly, &far, good, 1, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_vertices(w, jelly, NULL, nodes, 8, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_vertices(w, jelly, NULL, good, -1, DT), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_force(w, floor, good, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_force(w, box, bad, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_force(w, box, NULL, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_force(w, jelly, good, good), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_torque(w, jelly, good), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_vertex_force(w, jelly, 8, good), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_vertex_force(w, jelly, -1, good), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_add_vertex_impulse(w, jelly, 8, good), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_gravity_scale(w, box, (ct_real)NAN), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_thickness(w, box, 0), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_thickness(w, box, (ct_real)NAN), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_move_vertices(w, jelly, NULL, good, 1, sizeof(ct_real) == 4 ? 1e-44 : 1e-310), CT_ERR_ARGUMENT);
    {
        const ct_real vast[3] = {0, sizeof(ct_real) == 4 ? (ct_real)1e30 : (ct_real)1e160, 0};
        assert_int_equal(ct_body_add_impulse(w, box, vast, NULL), CT_ERR_ARGUMENT);
        assert_int_equal(ct_body_add_force(w, box, vast, NULL), CT_ERR_ARGUMENT);
    }
    assert_int_equal(ct_world_set_gravity(w, bad), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_set_gravity(w, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_set_gravity(NULL, good), CT_ERR_ARGUMENT);
    assert_true(ct_world_error(w)->text[0] != 0);
    assert_true(ct_world_hash(w) == hash);
    ct_mesh_free(&m), ct_world_destroy(w);
}

/* every allocation fails in turn: refused, and as before; done again it is done */
static void memory_may_run_out(void **state)
{
    int at, done = 0, refused = 0;
    (void)state;
    for (at = 1; !done; at++) {
        const ct_real high[3] = {0, 2, 0}, push[3] = {0, 5, 0};
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_world *w;
        ct_mesh m;
        ct_body_id table, box, jelly;
        ct_real nodes[3 * 8];
        ct_code code[6];
        uint64_t hash;
        int i;
        d.allocator.resize = failing;
        fail_at = 0;
        w = world_make(&d);
        table = table_add(w, &m), box = box_at(w, 0.2, 500, 0, 0.5), jelly = add_soft_box(w, "jelly", 0.2, 1, 3e4, 2, 0, 0);
        step_once(w, DT);
        assert_int_equal(ct_body_get_nodes(w, jelly, nodes, NULL, 8), CT_OK);
        hash = ct_world_hash(w);
        calls = 0, fail_at = at;
        code[0] = ct_body_move_pose(w, table, high, NULL, DT);
        code[1] = ct_body_move_vertices(w, jelly, NULL, nodes, 8, DT);
        code[2] = ct_body_add_force(w, box, push, NULL);
        assert_true(ct_world_hash(w) == hash);
        code[3] = ct_world_step(w, (ct_real)DT, NULL);
        if (code[3] == CT_ERR_MEMORY)
            assert_true(ct_world_hash(w) == hash);
        code[4] = ct_body_set_pose(w, box, high, NULL);
        code[5] = ct_body_set_positions(w, jelly, nodes, 8);
        done = calls < at;
        fail_at = 0;
        for (i = 0; i < 6; i++) {
            assert_true(code[i] == CT_OK || code[i] == CT_ERR_MEMORY);
            refused += code[i] != CT_OK;
        }
        step_once(w, DT);
        ct_mesh_free(&m), ct_world_destroy(w);
    }
    print_message("%d allocations, %d refusals\n", at - 1, refused);
    assert_true(refused > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_teleported_box_is_a_new_one),
        cmocka_unit_test(teleports_keep_momentum),
        cmocka_unit_test(teleports_into_others_are_found),
        cmocka_unit_test(a_saved_jelly_goes_on),
        cmocka_unit_test(poses_are_reached_and_drag),
        cmocka_unit_test(vertices_reach_their_targets),
        cmocka_unit_test(forces_accelerate),
        cmocka_unit_test(impulses_change_momentum),
        cmocka_unit_test(forces_balance_gravity),
        cmocka_unit_test(gravity_changes),
        cmocka_unit_test(balloons_have_their_radius),
        cmocka_unit_test(thickness_changes),
        cmocka_unit_test(names_and_data),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
