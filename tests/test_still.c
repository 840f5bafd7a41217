/* test_still.c -- bodies that never move cost a step nothing: they are not read if nothing is near them, not written, and not stored
   twice. */
#include "world_util.h"
#include "../src/9_world/world.h"

/* a terrain of 2 n^2 triangles, 20 m a side, or small */
static void add_terrain(ct_world *w, double side, double x, double y, int n)
{
    ct_static_desc d = ct_static_desc_default();
    ct_real size[2] = {(ct_real)side, (ct_real)side};
    int cells[2] = {n, n}, i;
    ct_body_id id;
    ct_mesh m;
    assert_int_equal(ct_mesh_grid(size, cells, &m, NULL), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i] += (ct_real)x, m.positions[3 * i + 1] += (ct_real)y;
    d.mesh = &m;
    assert_int_equal(ct_body_add_static(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
}

static ct_body_id add_crate(ct_world *w, double x, double y)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_real size[3] = {(ct_real)0.2, (ct_real)0.2, (ct_real)0.2};
    int cells[3] = {1, 1, 1}, i;
    ct_body_id id;
    ct_mesh m;
    assert_int_equal(ct_mesh_box(size, cells, 0, &m, NULL), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i] += (ct_real)x, m.positions[3 * i + 1] += (ct_real)y;
    d.mesh = &m;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* height of a crate that falls on a terrain, after 40 steps; poison: coordinates of the terrain are NaN, except where the crate falls */
static double fall(int poison)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    cti_surface *f = &w->state.surface;
    ct_real at[3], none = (ct_real)NAN;
    ct_body_id crate;
    int i, k;
    add_terrain(w, 20, 0, 0, 40);
    crate = add_crate(w, 0.03, 0.3);
    for (i = 0; i < 40; i++) {
        assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
        for (k = 0; poison && i == 0 && k < 3 * (f->nv - 8); k++) {
            if (fabs((double)f->rest[3 * (k / 3)]) > 2)
                f->x0[k] = f->x1[k] = none;
        }
    }
    assert_int_equal(f->n_moving, 8);
    assert_int_equal(CTI_LEN(f->attach), 8 + 1);
    assert_int_equal(CTI_LEN(f->script), 3 * 8);
    assert_int_equal(CTI_LEN(f->broad.vertex_boxes), 8 * (f->nv - 8) + 16 * 8);
    assert_int_equal(CTI_LEN(f->broad.vertex_slabs), 2 * CTI_LEN(f->broad.vertex_boxes));
    assert_int_equal(CTI_LEN(w->state.detect.room.from), 3 * 8);
    assert_int_equal(CTI_LEN(f->broad.last_x), 6 * 8);
    assert_int_equal(ct_body_get_pose(w, crate, at, NULL), CT_OK);
    ct_world_destroy(w);
    return (double)at[1];
}

static void terrain_is_not_touched(void **state)
{
    double y = fall(0);
    (void)state;
    assert_true(fabs(y - 0.101) < 1e-3);
    assert_true(fall(1) == y);
}

/* moving bodies between bodies at rest, in runs of one and of several, by one worker and by three */
static void runs_are_placed(void **state)
{
    int workers, i, k;
    (void)state;
    for (workers = 0; workers <= 3; workers += 3) {
        ct_world_desc d = world_desc(1e-3, 0.4, NULL);
        ct_body_id id[40];
        ct_world *w;
        d.tasks.worker_count = workers;
        w = world_make(&d);
        for (i = 0; i < 40; i++) {
            id[i] = add_crate(w, 2 * i, 10);
            for (k = 0; k < i % 3; k++)
                add_terrain(w, 1, 2 * i, -5 - k, 3);
        }
        for (i = 0; i < 20; i++)
            assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
        assert_int_equal(w->state.surface.n_moving, 8 * 40);
        for (i = 0; i < 40; i++) {
            double x[24];
            assert_int_equal(ct_body_get_positions(w, id[i], x, CT_SCALAR_DOUBLE, 24, NULL), CT_OK);
            for (k = 0; k < 8; k++) {
                assert_true(fabs(fabs(x[3 * k] - 2 * i) - 0.1) < 1e-9);
                assert_true(fabs(fabs(x[3 * k + 1] - (10 - 9.81 * 0.2 * 0.2 / 2)) - 0.1) < 1e-9);
            }
        }
        ct_world_destroy(w);
    }
}

/* a crate is added during a fall on a terrain whose trees are ordered already, or ordered again. *out: the terrain's order */
static uint64_t join(int again, int broad_phase, uint64_t *out)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w;
    uint64_t hash;
    int i, k;
    d.broad_phase = (ct_broad_phase)broad_phase;
    w = world_make(&d);
    add_crate(w, 3, 5);
    add_terrain(w, 10, 0, 0, 30);
    add_crate(w, 0.03, 0.15);
    for (i = 0; i < 30; i++) {
        assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
        if (i != 10)
            continue;
        if (again)
            CTI_FREE(&w->mem, w->bodies[1].order);
        add_crate(w, 1.07, 0.13);
    }
    for (*out = 0, k = 0; k < CTI_LEN(w->bodies[1].order); k++)
        *out = (*out ^ (uint32_t)w->bodies[1].order[k]) * 1099511628211ull;
    hash = ct_world_hash(w);
    ct_world_destroy(w);
    return hash;
}

static void trees_are_put_in_order_once(void **state)
{
    uint64_t kept, made, none, right = join(1, CT_BROAD_TREE, &made);
    (void)state;
    assert_true(join(0, CT_BROAD_TREE, &kept) == right);
    assert_true(kept == made && kept != 0);
    assert_true(join(0, CT_BROAD_HASH, &none) == right && none == 0);
}

/* Memory of a terrain: its mesh with edges and neighbours (200 bytes a vertex), the same in the world's numbers and its positions (217), boxes,
   slabs and trees for one end of a step (289) */
static void memory_is_for_one_end(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    ct_world *w = world_make(&d);
    double before, each;
    (void)state;
    add_crate(w, 0.03, 0.3);
    assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
    before = (double)w->whole.bytes_live;
    add_terrain(w, 20, 0, 0, 200);
    assert_int_equal(ct_world_step(w, (ct_real)0.01, NULL), CT_OK);
    each = ((double)w->whole.bytes_live - before) / (w->state.surface.nv - 8);
    if (!(each < 715))
        print_error("%.0f bytes a vertex\n", each);
    assert_true(each < 715);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(terrain_is_not_touched), cmocka_unit_test(runs_are_placed),
                                       cmocka_unit_test(trees_are_put_in_order_once), cmocka_unit_test(memory_is_for_one_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
