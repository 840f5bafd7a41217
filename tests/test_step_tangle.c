/* test_step_tangle.c -- intersections at the start of a step (tangle.c), and their repair (repair.c): marks, directions and depths for
   known overlaps of triangles, boxes and planes. */
#include "../src/8_step/tangle.h"
#include "step_util.h"

/* ---- marks ---- */

static int crossing_pairs(const cti_state *s) { return CTI_LEN(s->contact.tangled_pairs) / 2; }

/* An upright triangle stands through a flat one: its two edges from the tip cross the face. All six corners are marked with the other body, none
   as inside. The third triangle is near and does not cross */
static void crossing_sheets_are_marked(void **state)
{
    static const double up[9] = {0, -0.1, 0, 0.05, 0.1, 0, -0.05, 0.1, 0};
    ct_world *w = step_world(0);
    cti_state *s;
    int i, k;
    (void)state;
    step_flat(w, 0, 0, 0.3);
    step_triangle(w, up, 0.3);
    step_flat(w, 0, 0.15, 0.3);
    s = step_ready(w, STEP_DT);
    assert_int_equal(crossing_pairs(s), 2);
    for (i = 0; i < 2; i++) {
        const int32_t *e = s->surface.edges + 2 * (size_t)s->contact.tangled_pairs[2 * i];
        assert_int_equal(s->contact.tangled_pairs[2 * i + 1], 0);
        assert_true(e[0] == 3 || e[1] == 3);
    }
    assert_int_equal(s->detect.n_tangled, 6);
    for (i = 0; i < 9; i++)
        for (k = 0; k < 3; k++)
            assert_int_equal(cti_detect_tangle(&s->detect, i, k), i < 6 && k == (i < 3));
    {
        const int32_t pair[4] = {3, 0, 1, 2}, other[4] = {6, 0, 1, 2};
        assert_true(cti_detect_is_tangled(&s->detect, &s->surface, pair, 1, 4));
        assert_false(cti_detect_is_tangled(&s->detect, &s->surface, other, 1, 4));
    }
    ct_world_destroy(w);
}

/* a point exactly on the plane is behind it; one that is a rounding above is not */
static void planes_mark_what_is_behind(void **state)
{
    static const double high[] = {-0.25, 0.25, 0.5};
    ct_world *w = step_world(0);
    cti_state *s;
    int i;
    (void)state;
    for (i = 0; i < 3; i++)
        step_flat(w, 3 * i, high[i], 0.3);
    add_plane(w, 0, 1, 0, 0.25);
    s = step_ready(w, STEP_DT);
    assert_int_equal(crossing_pairs(s), 0);
    assert_int_equal(s->detect.n_tangled, 6);
    for (i = 0; i < 9; i++)
        assert_int_equal(cti_detect_tangle(&s->detect, i, 3), i < 6 ? 2 : 0);
    for (i = 3; i < 6; i++)
        s->surface.x0[3 * i + 1] = (ct_real)nextafter(0.25, 1);
    assert_true(cti_tangle_find(s));
    assert_int_equal(s->detect.n_tangled, 3);
    for (i = 0; i < 9; i++)
        assert_int_equal(cti_detect_tangle(&s->detect, i, 3), i < 3 ? 2 : 0);
    /* repairs: straight out, by the depth of each vertex */
    assert_int_equal(CTI_LEN(s->contact.repairs), 3);
    for (i = 0; i < 3; i++) {
        assert_true(step_is_pair(&s->contact.repairs[i].pair, CT_PAIR_PLANE, i, 0));
        STEP_NEAR(s->contact.repairs[i].depth, 0.5, 1e-15);
        assert_true(s->contact.repairs[i].normal.x == 0 && s->contact.repairs[i].normal.y == 1 && s->contact.repairs[i].normal.z == 0);
    }
    ct_world_destroy(w);
}

static void add_cube(ct_world *w, double x, double y, double z)
{
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, x, y, z);
    d.mesh = &m;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
}

/* A tip in a cube is inside of it. A body wholly inside that was not seen to enter belongs there; one that was seen to enter is marked */
static void solids_mark_what_is_inside(void **state)
{
    static const double tip[9] = {0.1, 0.4, 0.2, 0.15, 0.9, 0.2, 0.05, 0.9, 0.25}, within[9] = {0.1, 0, 0, 0.2, 0, 0.1, 0.1, 0.1, 0};
    ct_world *w = step_world(0);
    cti_state *s;
    int i, first;
    (void)state;
    add_cube(w, 0, 0, 0);
    step_triangle(w, tip, 0.3), step_triangle(w, within, 0.3);
    s = step_ready(w, STEP_DT);
    first = s->surface.ranges[1].v0;
    assert_true(s->surface.bodies[0].solid && !s->surface.bodies[1].solid);
    assert_int_equal(cti_detect_tangle(&s->detect, first, 0), 2);
    for (i = first + 1; i < first + 3; i++)
        assert_int_equal(cti_detect_tangle(&s->detect, i, 0), 1); /* ends of edges that cross */
    for (i = first + 3; i < first + 6; i++)
        assert_int_equal(cti_detect_tangle(&s->detect, i, 0), 0);
    /* the last step has seen one of its corners enter: now the whole body is marked as inside */
    assert_true(CTI_PUSH(s->mem, s->detect.tangles, (uint64_t)(uint32_t)(first + 3) << 32 | 1));
    s->detect.n_tangled++;
    assert_true(cti_tangle_find(s));
    for (i = first + 3; i < first + 6; i++)
        assert_int_equal(cti_detect_tangle(&s->detect, i, 0), 2);
    ct_world_destroy(w);
}

/* ---- ways out ---- */

/* A corner of one cube inside of another, and the direction in which a leaves b: offsets of b from a, and the shortest way. The overlap is 1 -
   offset along each axis */
static void cubes_leave_by_the_shortest_way(void **state)
{
    static const double off[][3] = {{0.3, 0.9, 0.2}, {0.85, 0.3, 0.1}, {-0.2, 0.1, 0.93}, {0.2, -0.88, -0.3}, {0.25, 0.9, 0.8}};
    static const int axis[] = {1, 0, 2, 1, 1};
    int k, i, e;
    (void)state;
    for (k = 0; k < 5; k++) {
        ct_world *w = step_world(0);
        double way[3] = {0, 0, 0}, depth = 1 - fabs(off[k][axis[k]]);
        cti_state *s;
        way[axis[k]] = off[k][axis[k]] > 0 ? -1 : 1; /* a goes away from b */
        add_cube(w, 0, 0, 0), add_cube(w, off[k][0], off[k][1], off[k][2]), add_cube(w, 5, 5, 5);
        s = step_ready(w, STEP_DT);
        assert_int_equal(CTI_LEN(s->contact.ways), 1);
        assert_true(s->contact.ways[0].a == s->surface.bodies[0].id && s->contact.ways[0].b == s->surface.bodies[1].id);
        STEP_NEAR(s->contact.ways[0].depth, depth, 1e-12);
        for (e = 0; e < 3; e++)
            STEP_NEAR((&s->contact.ways[0].normal.x)[e], way[e], 1e-12);
        assert_true(CTI_LEN(s->contact.repairs) > 0);
        for (i = 0; i < CTI_LEN(s->contact.repairs); i++) {
            const cti_repair *r = &s->contact.repairs[i];
            int side = s->surface.body_of[r->pair.v[0]];
            assert_true(side < 2 && !r->soft);
            for (e = 0; e < 3; e++)
                STEP_NEAR((&r->normal.x)[e], side == 0 ? way[e] : -way[e], 1e-12);
            /* crossings move the whole way; a vertex moves to where a ray leaves the other cube, which is as far here */
            STEP_NEAR(r->depth, depth, 1e-12);
        }
        ct_world_destroy(w);
    }
}

/* an old way is kept while it is at most one and a half times the shortest */
static void ways_are_kept_for_a_while(void **state)
{
    static const double overlap[] = {0.14, 0.16};
    int k;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = step_world(0);
        cti_state *s;
        add_cube(w, 0, 0, 0), add_cube(w, 1 - overlap[k], 0.9, 0.2), add_cube(w, 5, 5, 5);
        s = step_ready(w, STEP_DT);
        STEP_NEAR(s->contact.ways[0].normal.y, -1, 1e-12);
        STEP_NEAR(s->contact.ways[0].depth, 0.1, 1e-12);
        s->contact.ways[0].normal = cti_v3_make(-1, 0, 0);
        assert_true(cti_tangle_find(s));
        assert_int_equal(CTI_LEN(s->contact.ways), 1);
        STEP_NEAR(s->contact.ways[0].normal.x, k == 0 ? -1 : 0, 1e-12);
        STEP_NEAR(s->contact.ways[0].depth, k == 0 ? 0.14 : 0.1, 1e-12);
        ct_world_destroy(w);
    }
}

/* A sheet's tip in a cube, through its top or through its side, leaves through that face. The shared part is flat, so that a way of more than four
   thicknesses is long for it. Then the corner leaves by the nearest point of the cube, and crossings follow their contour */
static void tips_leave_by_the_nearer_face(void **state)
{
    static const double deep[] = {0.03, 0.035, 0.08, 0.09};
    int k, i;
    (void)state;
    for (k = 0; k < 4; k++) {
        double tip[9] = {0.1, 0, 0.2, 0.15, 0.9, 0.2, 0.05, 0.9, 0.25};
        ct_world *w = step_world(0);
        cti_state *s;
        int first, inside = 0, along = 0;
        tip[1] = 0.5 - deep[k];
        for (i = 0; i < 9 && (k & 1); i += 3) {
            double x = tip[i];
            tip[i] = tip[i + 1], tip[i + 1] = x;
        }
        add_cube(w, 0, 0, 0);
        step_triangle(w, tip, 0.3);
        add_cube(w, 5, 5, 5);
        s = step_ready(w, STEP_DT);
        first = s->surface.ranges[1].v0;
        STEP_NEAR(s->contact.ways[0].depth, deep[k], 1e-12);
        for (i = 0; i < CTI_LEN(s->contact.repairs); i++) {
            const cti_repair *r = &s->contact.repairs[i];
            double toward = s->surface.body_of[r->pair.v[0]] == 1 ? 1 : -1;
            if (r->soft)
                continue;
            STEP_NEAR(k & 1 ? r->normal.x : r->normal.y, toward, 1e-12);
            STEP_NEAR(r->depth, deep[k], 1e-12);
            inside += r->pair.kind == CT_PAIR_VF && r->pair.v[0] == first;
            along += r->pair.kind == CT_PAIR_EF;
        }
        assert_int_equal(inside, 1);
        assert_int_equal(along, deep[k] > 4 * STEP_H ? 0 : crossing_pairs(s));
        assert_int_equal(CTI_LEN(s->contact.repairs), 1 + crossing_pairs(s));
        ct_world_destroy(w);
    }
}

/* A corner of a sheet is through another sheet, from above or from below: the smaller part that the contour cuts off is pulled back along its
   edges, here along the mean of two at the same angle. The depth is not known: half of the edge's length is requested */
static void corners_are_pulled_back_through_sheets(void **state)
{
    int side, i;
    (void)state;
    for (side = -1; side < 2; side += 2) {
        const double up[9] = {0, -0.1 * side, 0, 0.05, 0.1 * side, 0, -0.05, 0.1 * side, 0};
        ct_world *w = step_world(0);
        cti_state *s;
        step_flat(w, 0, 0, 0.3), step_triangle(w, up, 0.3), step_flat(w, 7, 0, 0.3);
        s = step_ready(w, STEP_DT);
        assert_int_equal(CTI_LEN(s->contact.repairs), 2);
        for (i = 0; i < 2; i++) {
            const cti_repair *r = &s->contact.repairs[i];
            assert_true(r->soft && r->pair.kind == CT_PAIR_EF && s->surface.body_of[r->pair.v[0]] == 1);
            STEP_NEAR(r->normal.x, 0, 1e-12), STEP_NEAR(r->normal.y, side, 1e-12), STEP_NEAR(r->normal.z, 0, 1e-12);
            STEP_NEAR(r->depth, sqrt(0.05 * 0.05 + 0.2 * 0.2) / 2, 1e-12);
            /* the edges cross the sheet in their middle */
            STEP_NEAR(r->pair.w[0], 0.5, 1e-12), STEP_NEAR(r->pair.w[1], 0.5, 1e-12);
            STEP_NEAR(cti_v3_norm(cti_pair_offset(&s->surface, s->surface.x0, &r->pair)), 0, 1e-12);
        }
        ct_world_destroy(w);
    }
}

/* A tip is nearly through a plate from below, and a thin plate of the same body is just above it. Back is the shortest way. If the way of the last
   step went up through both, which is not much longer, the tip continues, and its corner moves to where it leaves the first plate */
static void rays_end_at_the_first_face(void **state)
{
    static const double tip[9] = {0.1, 0.027, 0.2, 0.15, -0.9, 0.2, 0.05, -0.9, 0.25};
    ct_mesh m = mesh_box(3, 0.03, 3, 1, 1, 1, 0), thin = mesh_box(3, 0.0015, 3, 1, 1, 1, 0), both = m;
    ct_world *w = step_world(0);
    ct_real x[48];
    int32_t faces[72];
    cti_state *s;
    int i, first, found = 0;
    (void)state;
    assert_true(m.n_positions == 8 && m.n_triangles == 12);
    mesh_place(&m, 0, 0, 0.015, 0), mesh_place(&thin, 0, 0, 0.03375, 0); /* 0 to .03, and .033 to .0345 */
    memcpy(x, m.positions, 24 * sizeof *x), memcpy(x + 24, thin.positions, 24 * sizeof *x);
    for (i = 0; i < 72; i++)
        faces[i] = i < 36 ? m.triangles[i] : thin.triangles[i - 36] + 8;
    both.positions = x, both.triangles = faces, both.n_positions = 16, both.n_triangles = 24;
    step_static(w, &both);
    ct_mesh_free(&m), ct_mesh_free(&thin);
    step_triangle(w, tip, 0.3);
    s = step_ready(w, STEP_DT);
    first = s->surface.ranges[1].v0;
    STEP_NEAR(s->contact.ways[0].depth, 0.027, 1e-12);
    s->contact.ways[0].normal = cti_v3_make(0, -1, 0); /* of the plates */
    assert_true(cti_tangle_find(s));
    STEP_NEAR(s->contact.ways[0].depth, 0.0345, 1e-12);
    for (i = 0; i < CTI_LEN(s->contact.repairs); i++)
        if (s->contact.repairs[i].pair.kind == CT_PAIR_VF && s->contact.repairs[i].pair.v[0] == first) {
            STEP_NEAR(s->contact.repairs[i].normal.y, 1, 1e-12);
            STEP_NEAR(s->contact.repairs[i].depth, 0.003, 1e-12);
            found++;
        }
    assert_int_equal(found, 1);
    ct_world_destroy(w);
}

/* ---- rows ---- */

/* the speed that a row requires: way out and four thicknesses, in a tenth of a second or two steps, up to the bound; no friction, softness alone */
static void rows_ask_for_the_way_out(void **state)
{
    static const double dt[] = {0.01, 0.08}, cap[] = {0, 0.3};
    int k, i;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world *w = step_world(9.81);
        double step = dt[k & 1], speed = (0.25 + 4 * STEP_H) / fmax(0.1, 2 * step);
        cti_row_context c;
        cti_state *s;
        step_flat(w, 0, -0.25, 0.3), step_flat(w, 3, 0.5, 0.3), step_flat(w, 6, 0.5, 0.3);
        add_plane(w, 0, 1, 0, 0);
        s = step_ready(w, step);
        s->desc.recovery_speed = (ct_real)cap[k / 2];
        cti_move_context(s, (ct_real)step, NULL, &c);
        assert_true(cti_repair_rows(s, &c));
        assert_int_equal(CTI_LEN(s->contact.rows), 3);
        for (i = 0; i < 3; i++) {
            const cti_row *row = &s->contact.rows[i];
            STEP_NEAR(row->recover, k / 2 ? fmin(speed, 0.3) : speed, 1e-12);
            assert_true(row->softness > 0 && row->compliance[0] == row->softness && row->mu == 0);
            assert_true(s->contact.origins[i].repair && row->n == 1 && row->term[0].block == i);
            STEP_NEAR(row->w[0], 0, 1e-12);
        }
        /* no intersections: no rows */
        CTI_CLEAR(s->contact.rows);
        CTI_CLEAR(s->contact.origins);
        s->detect.n_tangled = 0;
        assert_true(cti_repair_rows(s, &c));
        assert_int_equal(CTI_LEN(s->contact.rows), 0);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossing_sheets_are_marked), cmocka_unit_test(planes_mark_what_is_behind),
        cmocka_unit_test(solids_mark_what_is_inside), cmocka_unit_test(cubes_leave_by_the_shortest_way),
        cmocka_unit_test(ways_are_kept_for_a_while),  cmocka_unit_test(tips_leave_by_the_nearer_face),
        cmocka_unit_test(rays_end_at_the_first_face), cmocka_unit_test(corners_are_pulled_back_through_sheets),
        cmocka_unit_test(rows_ask_for_the_way_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
