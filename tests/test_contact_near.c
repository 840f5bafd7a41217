/* test_contact_near.c -- detection for known positions and motions (detect.c): which pairs are near or will be, the cones of edges, both
   kinds of features, parallel edges, which motions the candidate lists cover, times of impact, and which pairs marked as tangled are left
   out. */
#include "../src/7_contact/detect.h"
#include "step_util.h"

/* ---- near pairs ---- */

/* near pairs of the state for the motion to surface.x1; the caller's to clear */
static int near_pairs(cti_state *s, const cti_memory *memory)
{
    step_candidates(s);
    CTI_CLEAR(s->contact.hits);
    assert_true(cti_detect_near(s->mem, &s->detect, &s->surface, s->surface.x1, memory, &s->contact.hits));
    return CTI_LEN(s->contact.hits);
}

/* a flat triangle, one with a corner down `high` over it, and one far away; x1 lowers the corner to `then` */
static cti_state *corner_over_face(ct_world *w, double high, double then)
{
    double p[9] = {0, 0, 0, 0, 0.3, 0.1, 0.1, 0.3, 0};
    cti_state *s;
    p[1] = high, p[4] = p[7] = high + 0.3;
    step_flat(w, 0, 0, 0.3), step_triangle(w, p, 0.3), step_flat(w, 9, 0, 0.3);
    s = step_ready(w, STEP_DT);
    s->surface.x1[10] = (ct_real)then;
    return s;
}

/* near: within 1.25 thicknesses at the start, or within 4 there and within one at x1; on either side of a face */
static void pairs_are_near_or_will_be(void **state)
{
    static const struct {
        double high, then; /* [thicknesses] */
        int near;
    } t[] = {{1.24, 1.24, 1}, {1.24, 9, 1},    {1.26, 1.26, 0}, {1.26, 0.99, 1}, {1.26, 1.01, 0},
             {3.99, 0.99, 1}, {3.99, 1.01, 0}, {4.01, 0.99, 0}, {0.1, 0.1, 1},   {3.99, -5, 1}};
    size_t k;
    int side;
    (void)state;
    for (k = 0; k < sizeof t / sizeof *t; k++)
        for (side = 1; side >= -1; side -= 2) {
            ct_world *w = step_world(0);
            double p[9] = {0, 0, 0, 0, 0, 0.1, 0.1, 0, 0};
            cti_state *s;
            p[1] = side * t[k].high * STEP_H, p[4] = p[7] = p[1] + side * 0.3;
            step_flat(w, 0, 0, 0.3), step_triangle(w, p, 0.3), step_flat(w, 9, 0, 0.3);
            s = step_ready(w, STEP_DT);
            s->surface.x1[10] = (ct_real)(side * t[k].then * STEP_H);
            assert_int_equal(near_pairs(s, NULL), t[k].near);
            if (t[k].near) {
                assert_true(step_is_pair(&s->contact.hits[0].pair, CT_PAIR_VF, 3, 0));
                STEP_NEAR(s->contact.hits[0].normal.y, side, 1e-12); /* from the face to the corner */
                STEP_NEAR(s->contact.hits[0].pair.w[1] + s->contact.hits[0].pair.w[2] + s->contact.hits[0].pair.w[3], -1, 1e-12);
                assert_true(s->contact.hits[0].keep == 0 && !s->contact.hits[0].flat);
            }
            ct_world_destroy(w);
        }
}

/* planes: every corner within the distance, with the plane's normal */
static void planes_are_near(void **state)
{
    static const double high[] = {1.24, 1.26, 1.26, 3.99, 4.01}, then[] = {1.24, 1.26, 0.99, 0.99, 0.99};
    static const int want[] = {3, 0, 3, 3, 0};
    int k, i;
    (void)state;
    for (k = 0; k < 5; k++) {
        ct_world *w = step_world(0);
        cti_state *s;
        step_flat(w, 0, high[k] * STEP_H, 0.3), step_flat(w, 4, 3, 0.3), step_flat(w, 9, 3, 0.3);
        add_plane(w, 0, 1, 0, 0);
        s = step_ready(w, STEP_DT);
        for (i = 0; i < 3; i++)
            s->surface.x1[3 * i + 1] = (ct_real)(then[k] * STEP_H);
        assert_int_equal(near_pairs(s, NULL), want[k]);
        for (i = 0; i < want[k]; i++)
            assert_true(step_is_pair(&s->contact.hits[i].pair, CT_PAIR_PLANE, i, 0) && s->contact.hits[i].normal.y == 1);
        ct_world_destroy(w);
    }
}

/* the mean of both thicknesses counts */
static void thickness_is_the_mean(void **state)
{
    int k;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = step_world(0);
        cti_state *s = corner_over_face(w, k ? 2.51 * STEP_H : 2.49 * STEP_H, 9);
        s->surface.x1[10] = s->surface.x0[10];
        s->surface.bodies[0].thickness = 3 * CTI_R(STEP_H);
        assert_int_equal(near_pairs(s, NULL), !k);
        ct_world_destroy(w);
    }
}

/* ---- edges ---- */

/* Two upright sheets of one triangle each: an edge along x at the top of the lower one, an edge along z at the bottom of the upper one.
   They cross at weights 1/4 and 3/4 of them */
static cti_state *crossed_edges(ct_world *w, double high, double shift)
{
    double low[9] = {-0.25, 0, 0, 0.75, 0, 0, 0, -0.6, 0}, up[9] = {0, 0, -0.75, 0, 0, 0.25, 0, 0.6, 0};
    up[1] = up[4] = high, up[7] = high + 0.6;
    up[2] += shift, up[5] += shift, up[8] += shift;
    step_triangle(w, low, 0.3), step_triangle(w, up, 0.3), step_flat(w, 9, 0, 0.3);
    return step_ready(w, STEP_DT);
}

static void crossed_edges_are_near(void **state)
{
    static const double high[] = {1.24, 1.26, 1.24};
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = step_world(0);
        /* the third one ends before the lower edge */
        cti_state *s = crossed_edges(w, high[k] * STEP_H, k == 2 ? -0.251 : 0);
        int n = near_pairs(s, NULL);
        assert_int_equal(step_count(s->contact.hits, CT_PAIR_EE), k == 0);
        if (k == 0) {
            const cti_hit *hit = &s->contact.hits[0];
            double sign = hit->pair.v[0] < 3 ? -1 : 1;
            assert_int_equal(n, 1);
            STEP_NEAR(hit->normal.y, sign, 1e-12);
            STEP_NEAR(cti_abs(hit->pair.w[0]), hit->pair.v[0] < 3 ? 0.75 : 0.25, 1e-9);
            STEP_NEAR(cti_abs(hit->pair.w[2]), hit->pair.v[0] < 3 ? 0.25 : 0.75, 1e-9);
            STEP_NEAR(cti_v3_norm(cti_pair_offset(&s->surface, s->surface.x0, &hit->pair)), high[k] * STEP_H, 1e-12);
        }
        if (k == 2) /* corner 4 is a millimetre beside the lower edge: a vertex and a face, whose third corner does not count */
            assert_true(n == 1 && step_is_pair(&s->contact.hits[0].pair, CT_PAIR_VF, 4, 0) && s->contact.hits[0].pair.w[3] == 0);
        ct_world_destroy(w);
    }
}

/* Edges along each other that overlap by half of their length: no pair of edges has its closest points inside of both. The corners of each are
   near the other edge, one pair at each end of the overlap */
static void parallel_edges_meet_at_their_ends(void **state)
{
    static const double low[9] = {0, 0, 0, 1, 0, 0, 0.5, -0.6, 0}, up[9] = {0.5, 0.01, 0, 1.5, 0.01, 0, 1, 0.61, 0};
    ct_world *w = step_world(0);
    int i, n, seen[2] = {0, 0};
    cti_state *s;
    (void)state;
    step_triangle(w, low, 0.3), step_triangle(w, up, 0.3), step_flat(w, 9, 0, 0.3);
    s = step_ready(w, STEP_DT);
    n = near_pairs(s, NULL);
    assert_true(n >= 2);
    for (i = 0; i < n; i++) {
        const cti_hit *hit = &s->contact.hits[i];
        STEP_NEAR(cti_v3_norm(cti_pair_offset(&s->surface, s->surface.x0, &hit->pair)), 0.01, 1e-12);
        STEP_NEAR(cti_abs(hit->normal.y), 1, 1e-12);
        seen[0] |= step_is_pair(&hit->pair, CT_PAIR_VF, 3, 0), seen[1] |= step_is_pair(&hit->pair, CT_PAIR_VF, 1, 3);
    }
    assert_true(seen[0] && seen[1]);
    ct_world_destroy(w);
}

/* a roof of two faces over the edge along x, each falling by `angle` below the horizontal; body 0 of the world */
static cti_state *roof(ct_world *w, double angle)
{
    double c = cos(angle), d = sin(angle);
    ct_real x[12];
    int32_t t[6] = {0, 1, 2, 1, 0, 3};
    const double p[12] = {0, 0, 0, 1, 0, 0, 0.5, -d, -c, 0.5, -d, c};
    ct_mesh m;
    int i;
    memset(&m, 0, sizeof m);
    for (i = 0; i < 12; i++)
        x[i] = (ct_real)p[i];
    m.positions = x, m.n_positions = 4, m.triangles = t, m.n_triangles = 2;
    add_cloth_mesh(w, "roof", &m, CT_MODEL_SPRINGS, 0.3);
    step_flat(w, 9, 0, 0.3), step_flat(w, 12, 0, 0.3);
    return step_ready(w, STEP_DT);
}

static int ridge(const cti_surface *f)
{
    int e;
    for (e = 0; e < f->ne && !(f->edge_faces[2 * e] >= 0 && f->edge_faces[2 * e + 1] >= 0); e++)
        ;
    assert_true(e < f->ne);
    return e;
}

/* The cone of the ridge: directions within its angle to either side, and a fiftieth more. A face that the other feature shares does not count */
static void ridges_have_cones(void **state)
{
    static const double angles[] = {0.4, 1, 0.02};
    const int32_t none[2] = {-1, -1}, left[2] = {2, -1}, right[2] = {-1, 3};
    int k, side;
    (void)state;
    for (k = 0; k < 3; k++)
        for (side = -1; side < 2; side += 2) {
            ct_world *w = step_world(0);
            cti_state *s = roof(w, angles[k]);
            int e = ridge(&s->surface);
            double in = angles[k] + 0.01, out = angles[k] + 0.03;
            cti_v3 inside = cti_v3_make(0, (ct_real)cos(in), (ct_real)(side * sin(in)));
            cti_v3 outside = cti_v3_make(0, (ct_real)cos(out), (ct_real)(side * sin(out)));
            assert_true(cti_detect_edge_cone(&s->surface, e, inside, none));
            assert_false(cti_detect_edge_cone(&s->surface, e, outside, none));
            assert_int_equal(cti_detect_edge_cone(&s->surface, e, outside, left), side < 0);
            assert_int_equal(cti_detect_edge_cone(&s->surface, e, outside, right), side > 0);
            /* from below both faces are nearer, unless they are flat up to that fiftieth */
            assert_int_equal(cti_detect_edge_cone(&s->surface, e, cti_v3_make(0, -1, 0), none), angles[k] < 0.03);
            ct_world_destroy(w);
        }
}

/* flat: normals within acos(.995) = 0.1 rad of each other, twice the roof's angle; a boundary edge is not flat */
static void flat_edges_are_known(void **state)
{
    static const double angles[] = {0, 0.0499, 0.0501, 1};
    int k, e;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world *w = step_world(0);
        cti_state *s = roof(w, angles[k]);
        int inner = ridge(&s->surface);
        for (e = 0; e < s->surface.ne; e++)
            assert_int_equal(cti_detect_flat(&s->surface, e), e == inner && angles[k] < 0.05);
        ct_world_destroy(w);
    }
}

/* a corner over the ridge is in the cones of both faces' common edge: one pair represents it */
static void one_face_speaks_for_a_ridge(void **state)
{
    static const double tip[9] = {0.5, STEP_H, 0, 0.5, 0.3, 0.1, 0.6, 0.3, 0};
    ct_world *w = step_world(0);
    cti_state *s = roof(w, 0.3);
    int i;
    (void)state;
    for (i = 0; i < 9; i++)
        s->surface.x0[12 + i] = s->surface.x1[12 + i] = (ct_real)tip[i];
    assert_int_equal(near_pairs(s, NULL), 1);
    assert_true(s->contact.hits[0].pair.kind == CT_PAIR_VF && s->contact.hits[0].pair.v[0] == 4);
    STEP_NEAR(s->contact.hits[0].normal.y, 1, 1e-12);
    ct_world_destroy(w);
}

/* ---- lists ---- */

/* Lists stay valid while both ends of a motion stay in their boxes: twice the thickness around slow features, or a quarter of the motion d where
   that is more; around the end of one of more than eight thicknesses, half the thickness */
static void lists_last_while_covered(void **state)
{
    static const struct {
        double first, next; /* [thicknesses] that the corner moves */
        int changed;
    } t[] = {{0, 1.99, 0}, {0, 2.01, 1}, {0, -1.99, 0}, {0.5, 2.49, 0}, {0.5, 2.51, 1}, {7, 8.74, 0}, {7, 8.76, 1}, {7, -1.76, 1},
           {12, 12.49, 0}, {12, 12.51, 1}, {12, 11.49, 1}};
    size_t k;
    (void)state;
    for (k = 0; k < sizeof t / sizeof *t; k++) {
        ct_world *w = step_world(0);
        cti_state *s = corner_over_face(w, 0.2, 0.2 + t[k].first * STEP_H);
        int changed;
        step_candidates(s);
        s->surface.x1[10] = (ct_real)(0.2 + t[k].next * STEP_H);
        assert_true(cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed));
        assert_int_equal(changed, t[k].changed);
        ct_world_destroy(w);
    }
}

/* ---- collisions ---- */

/* A corner that falls reaches a quarter of the thickness, or half of its start distance, at a known share of its way. A corner that stops above
   that does not collide */
static void impacts_have_their_time(void **state)
{
    static const struct {
        double high, then, keep; /* [thicknesses] */
    } t[] = {{2, -3, 0.25}, {2, 0.24, 0.25}, {2, 0.26, -1}, {0.3, -0.7, 0.15}, {0.3, 0.16, -1}, {20, -20, 0.25}};
    size_t k;
    int plane, i;
    (void)state;
    for (k = 0; k < sizeof t / sizeof *t; k++)
        for (plane = 0; plane < 2; plane++) {
            ct_world *w = step_world(0);
            cti_state *s;
            double toi = (t[k].high - t[k].keep) / (t[k].high - t[k].then);
            if (plane)
                add_plane(w, 0, 1, 0, 0);
            s = corner_over_face(w, t[k].high * STEP_H, t[k].then * STEP_H);
            for (i = 0; plane && i < 3; i++) /* out of the way of the face */
                s->surface.x0[3 * i + 1] = s->surface.x1[3 * i + 1] = 5;
            step_candidates(s);
            CTI_CLEAR(s->contact.hits);
            assert_true(cti_detect_collisions(s->mem, &s->detect, &s->surface, s->surface.x1, &s->contact.hits));
            assert_int_equal(CTI_LEN(s->contact.hits) > 0, t[k].keep > 0);
            assert_true(t[k].keep < 0 || CTI_LEN(s->contact.hits) == 1);
            if (t[k].keep > 0) {
                assert_true(step_is_pair(&s->contact.hits[0].pair, plane ? CT_PAIR_PLANE : CT_PAIR_VF, 3, 0));
                STEP_NEAR(s->contact.hits[0].toi, toi, 1e-6);
                STEP_NEAR(s->contact.hits[0].normal.y, 1, 1e-9);
            }
            ct_world_destroy(w);
        }
}

/* Points with edges and with points, without a face: they are near at the same distances as others, and their impacts are where the distance is a
   quarter of the thickness. The lists are made by hand: corner 3 falls on the edge 0 1 and on the corner 0 */
static void thin_pairs_meet(void **state)
{
    static const double high[] = {1.24, 1.26, 2};
    int k, on_corner;
    (void)state;
    for (k = 0; k < 3; k++)
        for (on_corner = 0; on_corner < 2; on_corner++) {
            double p[9] = {-0.3, 0, on_corner ? -0.3 : 0.1, -0.3, 0.3, 0.2, 0, 0.3, 0};
            ct_world *w = step_world(0);
            cti_detect *d;
            cti_state *s;
            int e;
            p[1] = high[k] * STEP_H;
            step_flat(w, 0, 0, 0.3), step_triangle(w, p, 0.3), step_flat(w, 9, 0, 0.3);
            s = step_ready(w, STEP_DT), d = &s->detect;
            step_candidates(s);
            CTI_CLEAR(d->vf.pairs);
            CTI_CLEAR(d->ee.pairs);
            for (e = 0; s->surface.edges[2 * e] + s->surface.edges[2 * e + 1] != 1; e++)
                ;
            assert_true(on_corner ? CTI_PUSH(s->mem, d->vv, 3) && CTI_PUSH(s->mem, d->vv, 0)
                                  : CTI_PUSH(s->mem, d->ve, 3) && CTI_PUSH(s->mem, d->ve, e));
            CTI_CLEAR(s->contact.hits);
            assert_true(cti_detect_near(s->mem, d, &s->surface, s->surface.x1, NULL, &s->contact.hits));
            assert_int_equal(CTI_LEN(s->contact.hits), k == 0);
            assert_true(k > 0 || s->contact.hits[0].pair.kind == (on_corner ? CT_PAIR_VV : CT_PAIR_VE));
            s->surface.x1[10] = -CTI_R(STEP_H);
            CTI_CLEAR(s->contact.hits);
            assert_true(cti_detect_collisions(s->mem, d, &s->surface, s->surface.x1, &s->contact.hits));
            assert_int_equal(CTI_LEN(s->contact.hits), 1);
            STEP_NEAR(s->contact.hits[0].toi, (high[k] - 0.25) / (high[k] + 1), 1e-6);
            STEP_NEAR(s->contact.hits[0].normal.y, 1, 1e-9);
            if (!on_corner)
                STEP_NEAR(s->contact.hits[0].pair.w[1], s->surface.edges[2 * e] == 0 ? -0.6 : -0.4, 1e-9);
            s->surface.x1[10] = CTI_R(0.26 * STEP_H);
            CTI_CLEAR(s->contact.hits);
            assert_true(cti_detect_collisions(s->mem, d, &s->surface, s->surface.x1, &s->contact.hits));
            assert_int_equal(CTI_LEN(s->contact.hits), 0);
            ct_world_destroy(w);
        }
}

/* A test that looks only at what ends elsewhere than in the last one finds what a whole test finds: also what collides and stays as it was */
static void what_ends_as_before_is_not_tested_again(void **state)
{
    static const double end[] = {2, -1, -1, 2, -1};
    ct_world *w = step_world(0);
    cti_state *s = corner_over_face(w, 2 * STEP_H, -STEP_H);
    size_t k;
    (void)state;
    step_candidates(s);
    for (k = 0; k < sizeof end / sizeof *end; k++) {
        s->surface.x1[10] = (ct_real)(end[k] * STEP_H);
        s->detect.is_tested = k > 0;
        CTI_CLEAR(s->contact.hits);
        assert_true(cti_detect_collisions(s->mem, &s->detect, &s->surface, s->surface.x1, &s->contact.hits));
        assert_int_equal(CTI_LEN(s->contact.hits), end[k] < 0);
    }
    ct_world_destroy(w);
}

/* A marked pair makes no row and no collision: a vertex inside of the other body, or crossings on both sides. A mark on one side alone does not
   exclude it */
static void tangled_pairs_are_left_out(void **state)
{
    static const struct {
        int vertex_on_0, inside, corner_on_1, left_out; /* marks of vertex 3 with body 0, and of corner 0 with body 1 */
    } t[] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 1, 1}, {1, 1, 0, 1}};
    size_t k;
    (void)state;
    for (k = 0; k < sizeof t / sizeof *t; k++) {
        ct_world *w = step_world(0);
        cti_state *s = corner_over_face(w, STEP_H, -STEP_H);
        cti_detect *d = &s->detect;
        step_candidates(s);
        memset(d->tangled, 0, (size_t)s->surface.nv);
        if (t[k].corner_on_1)
            assert_true(CTI_PUSH(s->mem, d->tangles, (uint64_t)0 << 32 | 1 << 1));
        if (t[k].vertex_on_0)
            assert_true(CTI_PUSH(s->mem, d->tangles, (uint64_t)3 << 32 | (uint64_t)t[k].inside));
        d->tangled[0] = (uint8_t)t[k].corner_on_1, d->tangled[3] = (uint8_t)t[k].vertex_on_0;
        d->n_tangled = t[k].corner_on_1 + t[k].vertex_on_0;
        assert_int_equal(cti_detect_tangle(d, 3, 0), t[k].vertex_on_0 + t[k].inside);
        assert_int_equal(cti_detect_tangle(d, 0, 1), t[k].corner_on_1);
        assert_int_equal(cti_detect_tangle(d, 3, 2), 0);
        CTI_CLEAR(s->contact.hits);
        assert_true(cti_detect_near(s->mem, d, &s->surface, s->surface.x1, NULL, &s->contact.hits));
        assert_int_equal(CTI_LEN(s->contact.hits), !t[k].left_out);
        CTI_CLEAR(s->contact.hits);
        assert_true(cti_detect_collisions(s->mem, d, &s->surface, s->surface.x1, &s->contact.hits));
        assert_int_equal(CTI_LEN(s->contact.hits), !t[k].left_out);
        ct_world_destroy(w);
    }
}

/* the nearest pair, its distance over its thickness, and the number of pairs nearer than half of it */
static void nearness_is_counted(void **state)
{
    static const double high[] = {3, 0.8, 0.49};
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = step_world(0);
        cti_state *s = corner_over_face(w, high[k] * STEP_H, high[k] * STEP_H);
        cti_nearness near;
        step_candidates(s);
        cti_detect_nearness(&s->detect, &s->surface, 1, &near);
        STEP_NEAR(near.distance, high[k] * STEP_H, 1e-12);
        STEP_NEAR(near.share, k ? high[k] : 2, 1e-12);
        assert_int_equal(near.too_near, k == 2);
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_near_or_will_be),
                                       cmocka_unit_test(planes_are_near),
                                       cmocka_unit_test(thickness_is_the_mean),
                                       cmocka_unit_test(crossed_edges_are_near),
                                       cmocka_unit_test(parallel_edges_meet_at_their_ends),
                                       cmocka_unit_test(ridges_have_cones),
                                       cmocka_unit_test(flat_edges_are_known),
                                       cmocka_unit_test(one_face_speaks_for_a_ridge),
                                       cmocka_unit_test(lists_last_while_covered),
                                       cmocka_unit_test(impacts_have_their_time),
                                       cmocka_unit_test(thin_pairs_meet),
                                       cmocka_unit_test(what_ends_as_before_is_not_tested_again), cmocka_unit_test(tangled_pairs_are_left_out),
                                       cmocka_unit_test(nearness_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
