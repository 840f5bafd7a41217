/* test_geometric_motion.c -- the geometric stepper against what mechanics says: sliding with and without friction, momentum and its reactions,
   bodies that have nothing to do with each other. */
#include "geometric_util.h"

/* a soft body without damping, all of whose nodes have a velocity along x */
static ct_body_id add_slider(ct_world *w, const ct_mesh *m, double young, double speed)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = m, d.material.young = (ct_real)young, d.material.density = 1000, d.material.damping_mass = d.material.damping_stiffness = 0;
    d.velocity[0] = (ct_real)speed;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    return id;
}

static void push(ct_world *w, ct_body_id id, double speed)
{
    int n = ct_body_node_count(w, id), i;
    ct_real *v = (ct_real *)calloc((size_t)n, 3 * sizeof(ct_real));
    assert_non_null(v);
    for (i = 0; i < n; i++)
        v[3 * i] = (ct_real)speed;
    assert_int_equal(ct_body_set_velocities(w, id, v, n), CT_OK);
    free(v);
}

static double speed_along(ct_world *w, ct_body_id id)
{
    double v[3];
    read_middle(w, id, 1, v);
    return v[0];
}

/* friction of both schemes is mu times the weight, and ends at once where it is switched off */
static void friction_is_the_law(void **state)
{
    int scheme, i;
    (void)state;
    for (scheme = CT_GEOMETRIC_GLOBAL; scheme <= CT_GEOMETRIC_SUCCESSIVE; scheme++) {
        ct_world_desc d = world_desc(2e-3, 0.4, NULL);
        ct_mesh m = mesh_box(0.1, 0.02, 0.1, 4, 1, 4, 1);
        ct_world *w;
        ct_body_id id;
        double before, after;
        d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.scheme = (ct_geometric_scheme)scheme;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, 0);
        mesh_place(&m, 0, 0, 0.012, 0);
        id = add_slider(w, &m, 1e6, 0);
        for (i = 0; i < 30; i++)
            step_once(w, 0.01);
        push(w, id, 1);
        before = speed_along(w, id);
        for (i = 0; i < 10; i++)
            step_once(w, 0.01);
        after = speed_along(w, id);
        if (getenv("SHOW"))
            print_message("scheme %d: %.4f of mu g\n", scheme, (before - after) / (0.4 * 9.81 * 0.1));
        assert_true(fabs((before - after) / (0.4 * 9.81 * 0.1) - 1) < 0.02);
        assert_int_equal(ct_body_set_friction(w, id, 0), CT_OK);
        for (i = 0; i < 10; i++)
            step_once(w, 0.01);
        assert_true(fabs(speed_along(w, id) - after) < 1e-3);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
