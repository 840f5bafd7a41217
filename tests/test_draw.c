/* test_draw.c -- ct_world_draw: surfaces where ct_body_get_positions has them, impulses that carry the weight, joints, islands, boxes, nothing else. */
#include "world_util.h"
#include "failing.h"

typedef struct shown {
    int triangles, lines, points, n_colors, refused;
    uint32_t colors[64];
    double first[9], sum[3], last_point[3], radius; /* first triangle; how far lines go along the axes */
    uint32_t last_color;
    ct_world *w;
} shown;

static void see(shown *s, uint32_t color)
{
    int i;
    for (i = 0; i < s->n_colors && s->colors[i] != color; i++)
        ;
    if (i == s->n_colors && i < 64)
        s->colors[s->n_colors++] = color;
    s->last_color = color;
}

static void on_triangle(const ct_real a[3], const ct_real b[3], const ct_real c[3], uint32_t color, void *user)
{
    shown *s = (shown *)user;
    int k;
    for (k = 0; k < 3 && s->triangles == 0; k++)
        s->first[k] = (double)a[k], s->first[3 + k] = (double)b[k], s->first[6 + k] = (double)c[k];
    s->triangles++;
    see(s, color);
    if (s->w && ct_world_step(s->w, (ct_real)0.01, NULL) == CT_ERR_ARGUMENT)
        s->refused++;
}

static void on_line(const ct_real a[3], const ct_real b[3], uint32_t color, void *user)
{
    shown *s = (shown *)user;
    int k;
    for (k = 0; k < 3; k++)
        s->sum[k] += fabs((double)b[k] - (double)a[k]);
    s->lines++;
    see(s, color);
}

static void on_point(const ct_real p[3], ct_real radius, uint32_t color, void *user)
{
    shown *s = (shown *)user;
    int k;
    for (k = 0; k < 3; k++)
        s->last_point[k] = (double)p[k];
    s->radius = (double)radius;
    s->points++;
    see(s, color);
}

static ct_draw draw_with(shown *s)
{
    ct_draw d = ct_draw_default();
    memset(s, 0, sizeof *s);
    d.triangle = on_triangle, d.line = on_line, d.point = on_point, d.user = s;
    d.surfaces = d.contacts = d.joints = d.limit = 0;
    return d;
}

static ct_body_id add_crate(ct_world *w, double x, double y)
{
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    ct_body_id id;
    r.mesh = &m, r.position[0] = (ct_real)x, r.position[1] = (ct_real)y;
    assert_int_equal(ct_body_add_rigid(w, &r, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static void a_world_is_drawn_as_it_is(void **state)
{
    ct_world_desc desc = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&desc);
    ct_body_id a = add_crate(w, 0, 0.5005), b, c;
    ct_joint_desc ball = ct_joint_desc_default(CT_JOINT_BALL);
    ct_points_desc sand = ct_points_desc_default();
    ct_real three[] = {5, 1, 0, 5, 2, 0, 5, 3, 0};
    ct_mesh dots;
    const int32_t *tri;
    double *x, weight = 4000 * 9.81;
    uint64_t hash;
    ct_draw d;
    shown s;
    int i, k, n;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    b = add_crate(w, 0, 1.5015), c = add_crate(w, 3, 0.5005);
    ball.a.body = b, ball.point[0] = 0, ball.point[1] = 4;
    for (i = 0; i < 100; i++)
        step_once(w, 0.01);
    hash = ct_world_hash(w);
    d = draw_with(&s), d.surfaces = 1;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_true(s.triangles == 3 * 12 + 2 && s.lines == 0 && s.points == 0 && s.n_colors == 2);
    x = read_vectors(w, a, 0, NULL);
    assert_int_equal(ct_body_get_triangles(w, a, &tri, &n), CT_OK);
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            assert_true(s.first[3 * i + k] == x[3 * tri[i] + k]);
    free(x);
    /* impulses of a step carry the crates: the floor three, and one the other */
    d = draw_with(&s), d.contacts = 1, d.impulse_scale = (ct_real)0.01;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_true(s.lines == s.points && s.lines >= 9);
    assert_true(fabs(s.sum[1] - 0.01 * 0.01 * weight) < 0.01 * 1e-4 * weight);
    /* two islands: the pile, and the crate beside it */
    d = draw_with(&s), d.surfaces = d.islands = 1;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_int_equal(s.n_colors, 3);
    d = draw_with(&s), d.boxes = 1;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_true(s.lines == 36 && s.triangles == 0);
    assert_true(ct_world_hash(w) == hash);
    /* a joint between them makes one */
    ball.a.body = a, ball.b.body = c, ball.point[0] = (ct_real)1.5, ball.point[1] = (ct_real)0.5;
    assert_int_equal(ct_joint_add(w, &ball, NULL), CT_OK);
    d = draw_with(&s), d.surfaces = d.islands = 1;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_int_equal(s.n_colors, 2);
    d = draw_with(&s), d.joints = 1;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_true(s.points == 2 && s.lines == 1 && fabs(s.last_point[0] - 1.5) < 1e-6 && fabs(s.last_point[1] - 0.5) < 1e-6);
    memset(&dots, 0, sizeof dots);
    dots.positions = three, dots.n_positions = 3, sand.mesh = &dots, sand.radius = (ct_real)0.2;
    assert_int_equal(ct_body_add_points(w, &sand, NULL), CT_OK);
    d = draw_with(&s), d.surfaces = 1, d.triangle = NULL;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_true(s.points == 3 && fabs(s.radius - 0.2) < 1e-7 && s.last_point[0] == 5);
    ct_world_destroy(w);
}

/* the pair is drawn where the report names one, and not after its body is gone */
static void the_limiting_pair_is_drawn(void **state)
{
    ct_world_desc desc = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&desc);
    ct_body_id a = add_crate(w, 0, 0.5), b = add_crate(w, 0.3, 1.1);
    ct_step_report r;
    ct_draw d;
    shown s;
    (void)state;
    r = step_once(w, 0.01);
    d = draw_with(&s), d.limit = 1;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_true(r.limit.vertices_a[0] >= 0 && s.points > 1 && s.last_color == 0xff0000);
    assert_int_equal(ct_body_remove(w, a), CT_OK);
    d = draw_with(&s), d.limit = 1;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_true(s.points == 0 && ct_body_vertex_count(w, b) == 8);
    ct_world_destroy(w);
}

static void misuse_is_refused(void **state)
{
    ct_world_desc desc = world_desc(1e-3, 0.5, NULL);
    ct_world *w;
    ct_draw d, none;
    shown s;
    int at;
    (void)state;
    desc.allocator.resize = failing;
    fail_at = 0;
    w = world_make(&desc);
    d = draw_with(&s), d.surfaces = 1;
    memset(&none, 0, sizeof none);
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_int_equal(s.triangles + s.lines + s.points, 0);
    add_crate(w, 0, 2), add_plane(w, 0, 1, 0, 0);
    assert_int_equal(ct_world_draw(NULL, &d), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_draw(w, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_draw(w, &none), CT_ERR_ARGUMENT);
    d.impulse_scale = NAN;
    assert_int_equal(ct_world_draw(w, &d), CT_ERR_ARGUMENT);
    /* a callback may not change the world */
    d = draw_with(&s), d.surfaces = 1, s.w = w;
    assert_int_equal(ct_world_draw(w, &d), CT_OK);
    assert_true(s.triangles == 14 && s.refused == 14);
    none = ct_draw_default();
    none.boxes = none.islands = 1;
    assert_int_equal(ct_world_draw(w, &none), CT_OK);
    add_crate(w, 3, 2);
    for (at = 1; at < 400; at++) {
        ct_code code;
        d = draw_with(&s), d.surfaces = d.islands = 1;
        calls = 0, fail_at = at;
        code = ct_world_draw(w, &d);
        fail_at = 0;
        if (code == CT_OK)
            break;
        assert_true(code == CT_ERR_MEMORY && s.triangles == 0);
    }
    assert_true(at > 3 && at < 400);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_drawn_as_it_is),
        cmocka_unit_test(the_limiting_pair_is_drawn),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
