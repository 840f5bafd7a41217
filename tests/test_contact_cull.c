/* test_contact_cull.c -- which near pairs get a row: one of several pairs that are the same contact (duplicates.c), the outline of a flat
   patch between rigid bodies (flat_patches.c), and crossings of flat edges that no vertex row covers (flats.c), with and without the
   predicted motion. */
#include "../src/7_contact/duplicates.h"
#include "../src/7_contact/flat_patches.h"
#include "../src/7_contact/flats.h"
#include "step_util.h"

/* appends the pair of these features, with its weights and normal at x0 */
static void push_pair(cti_state *s, ct_pair_kind kind, int a, int b)
{
    cti_hit hit;
    int feature;
    memset(&hit, 0, sizeof hit);
    cti_pair_make(&s->surface, kind, a, b, &hit.pair);
    cti_pair_closest(&s->surface, s->surface.x0, &hit.pair, &feature);
    hit.normal = cti_v3_unit(cti_pair_offset(&s->surface, s->surface.x0, &hit.pair), cti_v3_make(0, 1, 0));
    assert_true(CTI_PUSH(s->mem, s->contact.hits, hit));
}

/* edge between two vertices of the surface */
static int edge_of(const cti_surface *f, int a, int b)
{
    int e;
    for (e = 0; e < f->ne; e++)
        if ((f->edges[2 * e] == a && f->edges[2 * e + 1] == b) || (f->edges[2 * e] == b && f->edges[2 * e + 1] == a))
            return e;
    fail();
    return -1;
}

/* ---- duplicates ---- */

/* A square of two triangles, 0 1 2 and 1 0 3, whose diagonal is edge 0 1, along x from -1 to 1; and a triangle with a corner, vertex 4,
   over the diagonal at (x, high) */
static cti_state *corner_over_diagonal(ct_world *w, double high, double x)
{
    const double p[12] = {-1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1};
    double up[9] = {0, 0, 0, 0, 0.3, 0.1, 0.1, 0.3, 0};
    ct_real q[12];
    int32_t t[6] = {0, 2, 1, 1, 3, 0};
    ct_mesh m;
    int i;
    memset(&m, 0, sizeof m);
    for (i = 0; i < 12; i++)
        q[i] = (ct_real)p[i];
    m.positions = q, m.n_positions = 4, m.triangles = t, m.n_triangles = 2;
    add_cloth_mesh(w, "square", &m, CT_MODEL_SPRINGS, 0.3);
    for (i = 0; i < 9; i++)
        up[i] += i % 3 == 0 ? x : i % 3 == 1 ? high : 0;
    step_triangle(w, up, 0.3);
    step_flat(w, 9, 0, 0.3);
    return step_ready(w, STEP_DT);
}

static int duplicates(cti_state *s, const cti_memory *memory)
{
    assert_true(cti_duplicates_cull(s->arena, &s->surface, memory, s->contact.hits));
    return CTI_LEN(s->contact.hits);
}

/* a corner over the diagonal is near both faces, in the same point: one row */
static void a_corner_over_a_diagonal_is_one_contact(void **state)
{
    ct_world *w = step_world(0);
    cti_state *s = corner_over_diagonal(w, STEP_H, 0.2);
    cti_memory memory;
    cti_memory_item item;
    cti_hit both[2];
    (void)state;
    memset(&memory, 0, sizeof memory), memset(&item, 0, sizeof item);
    push_pair(s, CT_PAIR_VF, 4, 0), push_pair(s, CT_PAIR_VF, 4, 1);
    memcpy(both, s->contact.hits, sizeof both);
    assert_int_equal(duplicates(s, &memory), 1);
    assert_memory_equal(&s->contact.hits[0].pair, &both[0].pair, sizeof both[0].pair);
    assert_true(s->contact.hits[0].before == 0);
    /* the pair that stays takes over the load of the one that goes */
    CTI_CLEAR(s->contact.hits);
    push_pair(s, CT_PAIR_VF, 4, 0), push_pair(s, CT_PAIR_VF, 4, 1);
    item.key = cti_pair_key(&s->surface, &both[1].pair);
    item.normal[1] = 1;
    assert_true(cti_memory_add(s->mem, &memory, &item));
    assert_int_equal(duplicates(s, &memory), 1);
    assert_true(s->contact.hits[0].before == item.key);
    cti_memory_free(s->mem, &memory);
    ct_world_destroy(w);
}

/* a vertex in a groove has a half-space of each side: neither implies the other. In one plane, or in sides that rise by less than 17 degrees over
   each other, both are one */
static void sides_of_a_groove_stay(void **state)
{
    static const double rise[] = {0, 0.03, 0.1, 0.2, 0.4};
    static const cti_memory none;
    int k, i;
    (void)state;
    for (k = 0; k < 5; k++) {
        ct_world *w = step_world(0);
        cti_state *s = corner_over_diagonal(w, STEP_H, 0.2);
        for (i = 2; i < 4; i++)
            s->surface.x0[3 * i + 1] = (ct_real)rise[k];
        push_pair(s, CT_PAIR_VF, 4, 0), push_pair(s, CT_PAIR_VF, 4, 1);
        assert_int_equal(duplicates(s, &none), k > 2 ? 2 : 1);
        ct_world_destroy(w);
    }
}

/* Pairs with other points or other normals are contacts of their own: two corners over the square, and one corner in a groove. Normals are alike
   from a cosine of .7 on */
static void contacts_of_their_own_stay(void **state)
{
    static const double alike[] = {0.1, 0.69, 0.71};
    static const cti_memory none;
    ct_world *w = step_world(0);
    cti_state *s = corner_over_diagonal(w, STEP_H, 0.2);
    int k;
    (void)state;
    s->surface.x0[16] = CTI_R(STEP_H); /* vertex 5 comes down, at z = .1 */
    push_pair(s, CT_PAIR_VF, 4, 0), push_pair(s, CT_PAIR_VF, 5, 0);
    assert_int_equal(duplicates(s, &none), 2);
    ct_world_destroy(w);
    for (k = 0; k < 3; k++) {
        w = step_world(0);
        s = corner_over_diagonal(w, STEP_H, 0.2);
        /* the same points, and a normal at an angle with the given cosine */
        push_pair(s, CT_PAIR_VF, 4, 0), push_pair(s, CT_PAIR_VF, 4, 1);
        s->contact.hits[1].normal = cti_v3_make(0, (ct_real)alike[k], (ct_real)sqrt(1 - alike[k] * alike[k]));
        assert_int_equal(duplicates(s, &none), alike[k] < 0.7 ? 2 : 1);
        ct_world_destroy(w);
    }
}

/* Edges that lie along each other: a pair of edges between the two corners at the ends of their overlap needs no row. It keeps its row where one
   of the corners is missing, even if the edges are so short that the other corner is near */
static void ends_speak_for_what_is_between(void **state)
{
    static const double length[] = {1, 1, 0.012};
    static const cti_memory none;
    int k;
    (void)state;
    for (k = 0; k < 3; k++) {
        double low[9] = {0, 0, 0, 1, 0, 0, 0.5, -0.6, 0}, up[9] = {0, 0.01, 0, 1, 0.01, 0, 0.5, 0.61, 0};
        ct_world *w = step_world(0);
        cti_state *s;
        cti_hit *hit;
        low[3] = up[3] = length[k];
        step_triangle(w, low, 0.3), step_triangle(w, up, 0.3), step_flat(w, 9, 0, 0.3);
        s = step_ready(w, STEP_DT);
        push_pair(s, CT_PAIR_VF, 3, 0);
        if (k == 0)
            push_pair(s, CT_PAIR_VF, 4, 0);
        push_pair(s, CT_PAIR_EE, edge_of(&s->surface, 0, 1), edge_of(&s->surface, 3, 4));
        hit = &s->contact.hits[CTI_LEN(s->contact.hits) - 1];
        hit->pair.w[0] = hit->pair.w[1] = CTI_R(0.5), hit->pair.w[2] = hit->pair.w[3] = CTI_R(-0.5);
        hit->normal = cti_pair_body_a(&s->surface, &hit->pair) == 0 ? cti_v3_make(0, -1, 0) : cti_v3_make(0, 1, 0);
        assert_int_equal(duplicates(s, &none), 2);
        assert_int_equal(step_count(s->contact.hits, CT_PAIR_EE), k > 0);
        ct_world_destroy(w);
    }
}

/* ---- flat patches ---- */

/* a box of 4 x 1 x 4 cells, its bottom a thickness over a plane; hits: all 25 vertices of its bottom */
static cti_state *box_on_plane(ct_world *w, int soft)
{
    ct_mesh m = mesh_box(1, 0.25, 1, 4, 1, 4, soft);
    cti_state *s;
    int i;
    mesh_place(&m, 0, 0, 0.125 + STEP_H, 0);
    if (soft)
        add_soft_mesh(w, "box", &m, 1e5, 0, 0, 0);
    else {
        ct_rigid_desc d = ct_rigid_desc_default();
        ct_body_id id = {0, 0};
        d.mesh = &m;
        assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    }
    ct_mesh_free(&m);
    step_flat(w, 9, 3, 0.3);
    add_plane(w, 0, 1, 0, 0);
    s = step_ready(w, STEP_DT);
    for (i = 0; i < s->surface.ranges[0].v1; i++)
        if (s->surface.x0[3 * i + 1] < CTI_R(0.1)) {
            cti_hit hit;
            memset(&hit, 0, sizeof hit);
            cti_pair_make(&s->surface, CT_PAIR_PLANE, i, 0, &hit.pair);
            hit.pair.w[0] = 1, hit.normal = cti_v3_make(0, 1, 0);
            assert_true(CTI_PUSH(s->mem, s->contact.hits, hit));
        }
    assert_int_equal(CTI_LEN(s->contact.hits), 25);
    return s;
}

static int middle_of(const cti_state *s)
{
    int i;
    for (i = 0; i < 25; i++) {
        const ct_real *x = s->surface.x0 + 3 * (size_t)s->contact.hits[i].pair.v[0];
        if (cti_abs(x[0]) < CTI_R(1e-6) && cti_abs(x[2]) < CTI_R(1e-6))
            return s->contact.hits[i].pair.v[0];
    }
    fail();
    return -1;
}

/* The four corners of a flat rigid bottom represent it. A vertex that stands out by more than a hundredth of the thickness has its own row, a dent
   has none. A soft bottom keeps all rows */
static void flat_bottoms_keep_their_outline(void **state)
{
    static const double out[] = {0, 0.009, 0.011, -0.5};
    static const int want[] = {4, 4, 5, 4};
    static const cti_memory none;
    int k, i;
    (void)state;
    for (k = 0; k < 5; k++) {
        ct_world *w = step_world(0);
        cti_state *s = box_on_plane(w, k == 4);
        int middle = middle_of(s), bulges = 0;
        if (k < 4)
            s->surface.x0[3 * middle + 1] -= (ct_real)(out[k] * STEP_H);
        assert_true(cti_patches_flat(s->arena, &s->surface, &none, s->contact.hits));
        assert_int_equal(CTI_LEN(s->contact.hits), k < 4 ? want[k] : 25);
        for (i = 0; k < 4 && i < CTI_LEN(s->contact.hits); i++) {
            const ct_real *x = s->surface.x0 + 3 * (size_t)s->contact.hits[i].pair.v[0];
            bulges += s->contact.hits[i].pair.v[0] == middle;
            assert_true(s->contact.hits[i].pair.v[0] == middle || (cti_abs(x[0]) > CTI_R(0.499) && cti_abs(x[2]) > CTI_R(0.499)));
        }
        assert_int_equal(bulges, k == 2);
        ct_world_destroy(w);
    }
}

/* Pairs with other normals are a patch of their own: half of the bottom's rows have normals at an angle whose cosine is above or below .999 */
static void patches_have_one_normal(void **state)
{
    static const double cosine[] = {0.9995, 0.9985};
    static const cti_memory none;
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = step_world(0);
        cti_state *s = box_on_plane(w, 0);
        for (i = 0; i < 25; i++)
            if (s->surface.x0[3 * s->contact.hits[i].pair.v[0]] > CTI_R(0.1))
                s->contact.hits[i].normal = cti_v3_make(0, (ct_real)cosine[k], (ct_real)sqrt(1 - cosine[k] * cosine[k]));
        for (i = 0; i < 25; i++) /* gaps along the rotated normals are level again: only outlines are left */
            s->surface.x0[3 * s->contact.hits[i].pair.v[0] + 1] = CTI_R(STEP_H);
        assert_true(cti_patches_flat(s->arena, &s->surface, &none, s->contact.hits));
        assert_int_equal(CTI_LEN(s->contact.hits), k ? 8 : 4);
        ct_world_destroy(w);
    }
}

/* ---- flats ---- */

/* Two squares of two triangles each. Their diagonals, 0 1 along x and 4 5 along z, cross at their middles, or the upper one `shift` [m] beside its
   middle, `high` [thicknesses] apart. The squares' other corners bend away by less than the bound on flatness, so that nothing else is near */
static cti_state *crossed_diagonals(ct_world *w, double high, double shift)
{
    static const int32_t t[6] = {0, 2, 1, 1, 3, 0};
    int k, i;
    cti_state *s;
    for (k = 0; k < 2; k++) {
        double bend = k ? 0.04 : -0.04;
        const double p[12] = {-1, 0, 0, 1, 0, 0, 0, bend, 1, 0, bend, -1};
        ct_real q[12];
        int32_t list[6];
        ct_mesh m;
        memset(&m, 0, sizeof m), memcpy(list, t, sizeof list);
        for (i = 0; i < 12; i += 3) {
            q[i] = (ct_real)(k ? p[i + 2] : p[i]), q[i + 1] = (ct_real)(p[i + 1] + k * high * STEP_H),
            q[i + 2] = (ct_real)(k ? shift - p[i] : p[i + 2]);
        }
        m.positions = q, m.n_positions = 4, m.triangles = list, m.n_triangles = 2;
        add_cloth_mesh(w, "square", &m, CT_MODEL_SPRINGS, 0.3);
    }
    step_flat(w, 9, 0, 0.3);
    s = step_ready(w, STEP_DT);
    assert_true(cti_detect_flat(&s->surface, edge_of(&s->surface, 0, 1)) && cti_detect_flat(&s->surface, edge_of(&s->surface, 4, 5)));
    step_candidates(s);
    CTI_CLEAR(s->contact.hits);
    return s;
}

static int raise_flats(cti_state *s, const ct_real *ahead)
{
    assert_true(cti_flats_raise(s->mem, s->arena, &s->detect, &s->surface, ahead, NULL, &s->contact.hits));
    return CTI_LEN(s->contact.hits);
}

static void check_crossing(const cti_state *s)
{
    const cti_hit *hit = &s->contact.hits[0];
    int k;
    assert_true(hit->pair.kind == CT_PAIR_EE && hit->flat);
    for (k = 0; k < 4; k++)
        STEP_NEAR(cti_abs(hit->pair.w[k]), 0.5, 1e-9);
    STEP_NEAR(hit->normal.y, hit->pair.v[0] < 4 ? -1 : 1, 1e-9);
    STEP_NEAR(hit->keep, 0.91 * STEP_H, 1e-12);
}

/* without a predicted motion: a crossing below .92 of the thickness has a row, since no vertex represents it; it keeps .91 */
static void low_crossings_have_rows(void **state)
{
    static const double high[] = {0.6, 0.919, 0.921, 1.2};
    int k;
    (void)state;
    for (k = 0; k < 4; k++) {
        ct_world *w = step_world(0);
        cti_state *s = crossed_diagonals(w, high[k], 0);
        assert_int_equal(raise_flats(s, NULL), high[k] < 0.92);
        if (high[k] < 0.92)
            check_crossing(s);
        ct_world_destroy(w);
    }
}

/* with one: from .9 on only crossings of cloth that it brings below .9; below .9 all are treated as without it */
static void crossings_ahead_have_rows(void **state)
{
    static const struct {
        double high, then;
        int row;
    } t[] = {{0.901, 0.901, 0}, {0.901, 0.899, 1}, {1.3, 0.899, 1}, {1.3, 0.901, 0},
             {0.919, 0.919, 0}, {0.899, 0.899, 1}, {0.899, 3, 1},   {1.6, 0.5, 0}};
    size_t k;
    int i, fallen;
    (void)state;
    for (k = 0; k < sizeof t / sizeof *t; k++)
        for (fallen = 0; fallen < 2; fallen++) {
            ct_world *w = step_world(0);
            cti_state *s = crossed_diagonals(w, t[k].high, 0);
            ct_real ahead[33];
            memcpy(ahead, s->surface.x0, sizeof ahead);
            for (i = 4; i < 8; i++)
                ahead[3 * i + 1] += (ct_real)((t[k].then - t[k].high) * STEP_H);
            if (fallen) { /* after the first solve: the same with the motion to x1, for pairs that do not start below */
                memcpy(s->surface.x1, ahead, sizeof ahead);
                assert_true(cti_flats_fallen(s->mem, &s->detect, &s->surface, &s->contact.hits));
            } else
                raise_flats(s, ahead);
            assert_int_equal(CTI_LEN(s->contact.hits), t[k].row && !(fallen && t[k].high < 0.9));
            if (CTI_LEN(s->contact.hits))
                check_crossing(s);
            ct_world_destroy(w);
        }
}

/* Rows at the ends of an edge open it by what the crossing lacks: end i, of weight w_i, gives w_i / sum w_j^2 of that. The nearer end is enough,
   the farther one is not. Where a row would have to keep more than 1.5 thicknesses, the crossing has its own row */
static void ends_open_crossings(void **state)
{
    static const struct {
        int nearer, farther; /* which ends have rows */
        double end, own;     /* [thicknesses] of these rows; 1: the crossing has its own row */
    } t[] = {{1, 1, 0.8, 0}, {1, 0, 0.8, 0}, {0, 1, 0.8, 1}, {1, 1, 1.35, 1}, {1, 1, 1.6, 1}};
    static const double weight[] = {0.6, 0.4};
    size_t k;
    int j, n;
    (void)state;
    for (k = 0; k < sizeof t / sizeof *t; k++) {
        ct_world *w = step_world(0);
        cti_state *s = crossed_diagonals(w, 0.7, -0.2);
        double sum = 0.36 * t[k].nearer + 0.16 * t[k].farther;
        for (j = 0; j < 2; j++) {
            cti_hit hit;
            int at;
            if (!(j ? t[k].farther : t[k].nearer))
                continue;
            /* the end of the upper edge against a corner of the lower square, at the given depth below it */
            memset(&hit, 0, sizeof hit);
            cti_pair_make(&s->surface, CT_PAIR_VF, 4 + j, j, &hit.pair);
            for (at = 1; hit.pair.v[at] != 2 + j; at++)
                ;
            hit.pair.w[0] = 1, hit.pair.w[at] = -1;
            hit.normal = cti_v3_make(0, 1, 0);
            s->surface.x0[3 * (2 + j) + 1] = s->surface.x0[3 * (4 + j) + 1] - (ct_real)(t[k].end * STEP_H);
            assert_true(CTI_PUSH(s->mem, s->contact.hits, hit));
        }
        raise_flats(s, NULL);
        assert_int_equal(step_count(s->contact.hits, CT_PAIR_EE), t[k].own);
        for (n = j = 0; j < 2; j++) {
            double keep = t[k].end + (0.92 - 0.7) * weight[j] / sum;
            if (!(j ? t[k].farther : t[k].nearer))
                continue;
            if (t[k].end > 1.5 || !t[k].nearer) /* a row without load, or one that is not enough alone, keeps its distance */
                STEP_NEAR(s->contact.hits[n].keep, 0, 0);
            else
                STEP_NEAR(s->contact.hits[n].keep, fmin(1.5, fmax(1, keep)) * STEP_H, 1e-9);
            n++;
        }
        ct_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_corner_over_a_diagonal_is_one_contact),
                                       cmocka_unit_test(sides_of_a_groove_stay),
                                       cmocka_unit_test(contacts_of_their_own_stay),
                                       cmocka_unit_test(ends_speak_for_what_is_between),
                                       cmocka_unit_test(flat_bottoms_keep_their_outline),
                                       cmocka_unit_test(patches_have_one_normal),
                                       cmocka_unit_test(low_crossings_have_rows),
                                       cmocka_unit_test(crossings_ahead_have_rows),
                                       cmocka_unit_test(ends_open_crossings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
