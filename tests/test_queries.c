/* test_queries.c -- queries of worlds with every kind of body, deformed by steps, against brute force over positions and triangles. The brute force
   uses other formulas: first touches by bisection of the distance, which is convex along a way, containment by solid angles, boxes by clipping. */
#include "world_util.h"
#include "failing.h"
#include <float.h>
#include <pthread.h>

#ifndef QUERIES
#define QUERIES PLAIN_OR(300, 60) /* of each kind; -DQUERIES=100000 once */
#endif
#define TOL (sizeof(ct_real) == 4 ? 1e-4 : 1e-9)

typedef long double num;

/* ---- points ---- */
static num dot(const num *a, const num *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void sub(const num *a, const num *b, num *out) { out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2]; }
static void cross(const num *a, const num *b, num *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

static num to_segment(const num *p, const num *a, const num *b)
{
    num u[3], v[3], t;
    int k;
    sub(b, a, u), sub(p, a, v);
    t = dot(u, u) > 0 ? dot(v, u) / dot(u, u) : 0;
    t = t < 0 ? 0 : (t > 1 ? 1 : t);
    for (k = 0; k < 3; k++)
        v[k] -= t * u[k];
    return sqrtl(dot(v, v));
}

static num to_triangle(const num *p, num x[3][3])
{
    num u[3], v[3], n[3], w[3], q[3], a, b, d, e;
    sub(x[1], x[0], u), sub(x[2], x[0], v), sub(p, x[0], w);
    cross(u, v, n);
    cross(w, v, q), a = dot(q, n);
    cross(u, w, q), b = dot(q, n);
    if (a >= 0 && b >= 0 && a + b <= dot(n, n) && dot(n, n) > 0)
        return fabsl(dot(w, n)) / sqrtl(dot(n, n));
    d = to_segment(p, x[0], x[1]), e = to_segment(p, x[1], x[2]);
    d = e < d ? e : d, e = to_segment(p, x[2], x[0]);
    return e < d ? e : d;
}

/* ---- the features of a world ---- */
enum { MOST_BODIES = 40 };
typedef struct thing {
    ct_hit_kind kind;
    int body, feature, n;
    num x[3][3], r, middle[3], round; /* a ball around it */
} thing;
typedef struct zoo {
    ct_world *w;
    ct_body_id ids[MOST_BODIES];
    int solid[MOST_BODIES], plane[MOST_BODIES], first[MOST_BODIES + 1];
    double half[MOST_BODIES], normal[MOST_BODIES][3], offset[MOST_BODIES];
    int n_bodies, n;
    thing *things;
    double origin[3];
} zoo;

static void list_thing(zoo *z, ct_hit_kind kind, int body, int feature, const double *x, const int32_t *v, int n)
{
    thing t;
    int i, k;
    memset(&t, 0, sizeof t);
    t.kind = kind, t.body = body, t.feature = feature, t.n = n, t.r = n < 3 ? (num)z->half[body] : 0;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            t.x[i][k] = (num)x[3 * v[i] + k] - (num)z->origin[k], t.middle[k] += t.x[i][k] / n;
    for (i = 0; i < n; i++) {
        num d[3];
        sub(t.x[i], t.middle, d);
        if (sqrtl(dot(d, d)) + t.r > t.round)
            t.round = sqrtl(dot(d, d)) + t.r;
    }
    if (z->n % 256 == 0)
        z->things = (thing *)realloc(z->things, sizeof *z->things * (size_t)(z->n + 256));
    z->things[z->n++] = t;
}

/* lists all features at the present positions */
static void list_zoo(zoo *z)
{
    int b, i;
    z->n = 0;
    for (b = 0; b < z->n_bodies; b++) {
        int n, nt, ns;
        const int32_t *tri, *seg;
        double *x = read_vectors(z->w, z->ids[b], 0, &n);
        z->first[b] = z->n;
        assert_int_equal(ct_body_get_triangles(z->w, z->ids[b], &tri, &nt), CT_OK);
        assert_int_equal(ct_body_get_segments(z->w, z->ids[b], &seg, &ns), CT_OK);
        for (i = 0; i < nt; i++)
            list_thing(z, CT_HIT_TRIANGLE, b, i, x, tri + 3 * i, 3);
        for (i = 0; i < ns; i++)
            list_thing(z, CT_HIT_SEGMENT, b, i, x, seg + 2 * i, 2);
        for (i = 0; nt + ns == 0 && i < n; i++) {
            int32_t v = i;
            list_thing(z, CT_HIT_POINT, b, i, x, &v, 1);
        }
        free(x);
    }
    z->first[b] = z->n;
}

static num distance_of(const thing *t, const num *p)
{
    num d[3];
    if (t->n == 3)
        return to_triangle(p, (num(*)[3])t->x);
    if (t->n == 2)
        return to_segment(p, t->x[0], t->x[1]);
    sub(p, t->x[0], d);
    return sqrtl(dot(d, d));
}

static num along(const thing *t, const num *a, const num *d, num s)
{
    num p[3];
    int k;
    for (k = 0; k < 3; k++)
        p[k] = a[k] + s * d[k];
    return distance_of(t, p);
}

/* the first s in [0, 1] at which the distance is r, 2: never; *least: the smallest distance on the way */
static num first_touch(const thing *t, const num *a, const num *d, num r, num *least)
{
    num lo = 0, hi = 1, s, q[3];
    int i;
    sub(t->middle, a, q);
    s = dot(d, d) > 0 ? dot(q, d) / dot(d, d) : 0;
    s = s < 0 ? 0 : (s > 1 ? 1 : s);
    for (i = 0; i < 3; i++)
        q[i] -= s * d[i];
    *least = sqrtl(dot(q, q)) - t->round;
    if (*least > r + 1e-6L * (1 + r))
        return 2;
    for (i = 0; i < 130 && hi - lo > 1e-19L; i++) {
        num u = lo + (hi - lo) * 0.4L, v = lo + (hi - lo) * 0.6L;
        if (along(t, a, d, u) <= along(t, a, d, v))
            hi = v;
        else
            lo = u;
    }
    hi = along(t, a, d, 0) <= along(t, a, d, lo) ? 0 : (along(t, a, d, 1) < along(t, a, d, lo) ? 1 : lo);
    *least = along(t, a, d, hi);
    if (*least > r)
        return 2;
    if (along(t, a, d, 0) <= r)
        return 0;
    for (lo = 0, i = 0; i < 70; i++) {
        s = (lo + hi) / 2;
        if (along(t, a, d, s) <= r)
            hi = s;
        else
            lo = s;
    }
    return hi;
}

/* where a ray meets a triangle, 2: nowhere. margin: the share of its size by which the triangle is larger */
static num ray_meets(const thing *t, const num *a, const num *d, num margin)
{
    num e[3], f[3], q[3], s[3], r[3], det, u, v, w;
    sub(t->x[1], t->x[0], e), sub(t->x[2], t->x[0], f), sub(a, t->x[0], s);
    cross(d, f, q), cross(s, e, r);
    det = dot(e, q);
    if (det == 0)
        return 2;
    u = dot(s, q) / det, v = dot(d, r) / det, w = dot(f, r) / det;
    return u >= -margin && v >= -margin && u + v <= 1 + margin && w >= -margin && w <= 1 + margin ? w : 2;
}

/* the winding number of a body's triangles around p, from solid angles (Van Oosterom, Strackee 1983) */
static int contains(const zoo *z, int body, const num *p)
{
    num sum = 0;
    int i, k;
    for (i = z->first[body]; z->solid[body] && i < z->first[body + 1]; i++) {
        num x[3][3], c[3], l[3];
        if (z->things[i].n != 3)
            continue;
        for (k = 0; k < 3; k++)
            sub(z->things[i].x[k], p, x[k]), l[k] = sqrtl(dot(x[k], x[k]));
        cross(x[1], x[2], c);
        sum += 2 * atan2l(dot(x[0], c), l[0] * l[1] * l[2] + dot(x[0], x[1]) * l[2] + dot(x[1], x[2]) * l[0] + dot(x[2], x[0]) * l[1]);
    }
    return fabsl(sum) > 6.283L;
}

/* ---- a world of everything ---- */
static void take(zoo *z, ct_body_id id, int solid, double half)
{
    assert_true(z->n_bodies < MOST_BODIES && id.index1 > 0);
    z->solid[z->n_bodies] = solid, z->half[z->n_bodies] = half;
    z->ids[z->n_bodies++] = id;
}

static ct_mesh ball(double radius, int levels, double x, double y, double z)
{
    ct_mesh m;
    memset(&m, 0, sizeof m);
    assert_int_equal(ct_mesh_sphere((ct_real)radius, levels, &m, NULL), CT_OK);
    mesh_place(&m, 0, x, y, z);
    return m;
}

static void put(ct_real *x, double a, double b, double c) { x[0] = (ct_real)a, x[1] = (ct_real)b, x[2] = (ct_real)c; }

/* positions alone, in segments or not */
static ct_mesh line(int n, int joined, double scale, double x, double y, double z)
{
    static ct_real p[90];
    static int32_t s[60];
    ct_mesh m;
    int i;
    memset(&m, 0, sizeof m);
    m.positions = p, m.segments = s, m.n_positions = n, m.n_segments = joined ? n - 1 : 0;
    for (i = 0; i < n; i++) {
        put(p + 3 * i, x + scale * 0.11 * i, y + scale * 0.03 * (i % 3), z + scale * 0.05 * (i % 2));
        s[2 * i] = i, s[2 * i + 1] = i + 1;
    }
    return m;
}

static void add_shells(zoo *z, double s)
{
    ct_static_desc still = ct_static_desc_default();
    ct_kinematic_desc moving = ct_kinematic_desc_default();
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_body_id id;
    ct_mesh m = ball(0.3 * s, 2, -1 * s, 0.4 * s, -1 * s), bare;
    still.mesh = &m;
    assert_int_equal(ct_body_add_static(z->w, &still, &id), CT_OK);
    take(z, id, 1, 0);
    ct_mesh_free(&m);
    m = mesh_box(0.5 * s, 0.2 * s, 0.4 * s, 2, 1, 2, 0);
    moving.mesh = &m;
    put(moving.position, s, 0.5 * s, 0), put(moving.motion.center, s, 0, 0);
    put(moving.motion.angular, 0, 2, 0), put(moving.motion.linear, 0, 0, 0.3 * s);
    assert_int_equal(ct_body_add_kinematic(z->w, &moving, &id), CT_OK);
    take(z, id, 1, 0);
    rigid.mesh = &m;
    put(rigid.position, -0.2 * s, 1.2 * s, 0), put(rigid.angular_velocity, 3, 0, 1);
    assert_int_equal(ct_body_add_rigid(z->w, &rigid, &id), CT_OK);
    take(z, id, 1, 0);
    ct_mesh_free(&m);
    /* triangles and segments in one body, and a line of single points */
    m = mesh_grid(0.4 * s, 0.4 * s, 2, 2);
    bare = line(5, 1, s, 0, 0, 0);
    m.segments = bare.segments, m.n_segments = 4;
    still.mesh = &m, still.thickness = (ct_real)(0.04 * s);
    put(still.position, 1.2 * s, 0.2 * s, -0.9 * s);
    assert_int_equal(ct_body_add_static(z->w, &still, &id), CT_OK);
    take(z, id, 0, 0.02 * s);
    m.segments = NULL, m.n_segments = 0;
    ct_mesh_free(&m);
    bare = line(6, 0, s, -1.3 * s, 1.1 * s, 0.8 * s);
    still.mesh = &bare, still.thickness = (ct_real)(0.06 * s);
    put(still.position, 0, 0, 0);
    assert_int_equal(ct_body_add_static(z->w, &still, &id), CT_OK);
    take(z, id, 0, 0.03 * s);
}

static void add_deformable(zoo *z, double s)
{
    ct_soft_desc soft = ct_soft_desc_default();
    ct_rod_desc rod = ct_rod_desc_default();
    ct_points_desc sand = ct_points_desc_default();
    ct_body_id id;
    ct_mesh m, tets;
    int32_t corner[] = {0, 15};
    memset(&tets, 0, sizeof tets);
    take(z, add_soft_box(z->w, "box", 0.5 * s, 3, 2e4, 0.1 * s, 0.4 * s, 0.9 * s), 1, 0);
    m = ball(0.3 * s, 2, 0, 0, 0);
    assert_int_equal(ct_mesh_tetrahedralize(&m, (ct_real)(0.2 * s), &tets, NULL), CT_OK);
    soft.mesh = &tets, soft.surface = &m, soft.material.young = 2e4;
    put(soft.position, -0.9 * s, 0.5 * s, 0.4 * s);
    assert_int_equal(ct_body_add_soft(z->w, &soft, &id), CT_OK);
    take(z, id, 1, 0);
    ct_mesh_free(&m), ct_mesh_free(&tets);
    m = mesh_grid(1.4 * s, 1.4 * s, 15, 15);
    mesh_place(&m, 0.2, 0, 1.9 * s, 0);
    id = add_cloth_mesh(z->w, "cloth", &m, CT_MODEL_MEMBRANE, 0.3);
    take(z, id, 0, 0);
    assert_int_equal(ct_body_pin(z->w, id, corner, 2, CT_AXIS_ALL, NULL, -1), CT_OK);
    ct_mesh_free(&m);
    m = line(14, 1, s, -0.8 * s, 1.4 * s, -0.6 * s);
    rod.mesh = &m, rod.radius = (ct_real)(0.02 * s);
    assert_int_equal(ct_body_add_rod(z->w, &rod, &id), CT_OK);
    take(z, id, 0, 0.02 * s);
    m = line(20, 0, s, -1 * s, 0.9 * s, 1.3 * s);
    sand.mesh = &m, sand.radius = (ct_real)(0.025 * s);
    assert_int_equal(ct_body_add_points(z->w, &sand, &id), CT_OK);
    take(z, id, 0, 0.025 * s);
}

/* s: the size of everything */
static void open_zoo(zoo *z, double s, const double *origin, int steps)
{
    ct_world_desc d = world_desc(4e-3 * s, 0.4, NULL);
    ct_body_id id;
    int i;
    memset(z, 0, sizeof *z);
    for (i = 0; origin && i < 3; i++)
        d.origin[i] = z->origin[i] = origin[i];
    d.gravity[1] = (ct_real)(-9.81 * s);
    z->w = world_make(&d);
    add_shells(z, s);
    add_deformable(z, s);
    id = add_plane(z->w, 0.1, 1, 0, -0.3 * s);
    z->plane[z->n_bodies] = 1;
    z->normal[z->n_bodies][0] = 0.1 / sqrt(1.01), z->normal[z->n_bodies][1] = 1 / sqrt(1.01), z->offset[z->n_bodies] = -0.3 * s / sqrt(1.01);
    take(z, id, 0, 0);
    for (i = 0; i < steps; i++)
        step_once(z->w, 0.02);
    assert_int_equal(ct_world_update_queries(z->w), CT_OK);
    list_zoo(z);
}

static void close_zoo(zoo *z)
{
    free(z->things);
    ct_world_destroy(z->w);
}

static int body_of(const zoo *z, ct_body_id id)
{
    int b;
    for (b = 0; b < z->n_bodies && (z->ids[b].index1 != id.index1 || z->ids[b].generation != id.generation); b++)
        ;
    assert_true(b < z->n_bodies);
    return b;
}

static const thing *thing_of(const zoo *z, const ct_hit *h)
{
    int b = body_of(z, h->body), i = z->first[b];
    while (i < z->first[b + 1] && (z->things[i].kind != h->kind || z->things[i].feature != h->feature))
        i++;
    assert_true(i < z->first[b + 1]);
    return &z->things[i];
}

static num plane_gap(const zoo *z, int b, const num *p)
{
    const double *n = z->normal[b];
    return n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - z->offset[b];
}

/* a point in the zoo */
static void random_point(uint64_t *seed, double s, ct_real *out)
{
    out[0] = (ct_real)(s * (3.6 * lcg(seed) - 1.8)), out[1] = (ct_real)(s * (2.8 * lcg(seed) - 0.5)), out[2] = (ct_real)(s * (3.6 * lcg(seed) - 1.8));
}

/* point, weights, vertices and normal agree with the feature */
static void check_hit(const zoo *z, const ct_hit *h, const num *c, double s)
{
    num p[3], q[3], length = 0, gap;
    int i, k;
    for (k = 0; k < 3; k++)
        p[k] = (num)h->point[k], length += (num)h->normal[k] * (num)h->normal[k];
    assert_true(fabsl(length - 1) < 10 * TOL);
    if (h->kind == CT_HIT_PLANE) {
        assert_true(fabsl(plane_gap(z, body_of(z, h->body), p)) < TOL * s);
        assert_true(h->feature == -1 && h->vertices[0] == -1);
        return;
    }
    memset(q, 0, sizeof q);
    for (i = 0; i < 3; i++) {
        const thing *t = thing_of(z, h);
        assert_true((h->vertices[i] >= 0) == (i < t->n) && (i < t->n || h->weights[i] == 0) && h->weights[i] >= 0);
        for (k = 0; i < t->n && k < 3; k++)
            q[k] += (num)h->weights[i] * t->x[i][k];
    }
    sub(p, q, q);
    gap = sqrtl(dot(q, q));
    assert_true(fabsl(gap - thing_of(z, h)->r) < TOL * s || distance_of(thing_of(z, h), c) < thing_of(z, h)->r); /* c: the point of the query there */
}

static void check_cast(const zoo *z, const ct_real *from, const ct_real *way, double radius, double s)
{
    num a[3], d[3], c[3], best = 2, sure = 2, t = 2;
    int i, k;
    ct_hit h;
    for (k = 0; k < 3; k++)
        a[k] = (num)from[k], d[k] = (num)way[k];
    if (radius > 0)
        assert_int_equal(ct_world_cast_sphere(z->w, from, (ct_real)radius, way, NULL, &h, NULL), CT_OK);
    else
        assert_int_equal(ct_world_cast_ray(z->w, from, way, NULL, &h, NULL), CT_OK);
    /* best: the first touch, where a graze counts; sure: where it does not */
    for (i = 0; i < z->n; i++) {
        const thing *f = &z->things[i];
        num at, least = -1;
        if (f->n == 3 && radius == 0) {
            at = ray_meets(f, a, d, 1e-9L);
            best = at < best ? at : best;
            at = ray_meets(f, a, d, -1e-9L);
        } else {
            at = first_touch(f, a, d, (num)(ct_real)radius + f->r + TOL * TOL, &least);
            best = at < best ? at : best;
            at = least < (num)(ct_real)radius + f->r - 1e-5L * s ? at : 2;
        }
        sure = at < sure ? at : sure;
    }
    for (i = 0; i < z->n_bodies; i++)
        if (z->plane[i]) {
            num g0 = plane_gap(z, i, a), g1, at;
            for (k = 0; k < 3; k++)
                c[k] = a[k] + d[k];
            g1 = plane_gap(z, i, c);
            if (g0 < 0)
                g0 = -g0, g1 = -g1;
            at = g0 <= radius ? 0 : (g1 <= radius ? (g0 - radius) / (g0 - g1) : 2);
            best = at < best ? at : best, sure = at < sure ? at : sure;
        }
    if (h.body.index1 == 0) {
        assert_true(sure == 2 && h.kind == CT_HIT_NONE);
        return;
    }
    t = (num)h.fraction;
    for (k = 0; k < 3; k++)
        c[k] = a[k] + t * d[k];
    assert_true(t >= best - (TOL + sqrt(TOL) * (radius > 0 || h.kind != CT_HIT_TRIANGLE) * (sure > best)) && t <= sure + 10 * TOL);
    assert_true(fabsl((num)h.distance - t * sqrtl(dot(d, d))) < 10 * TOL * s);
    check_hit(z, &h, c, s);
    if (h.kind == CT_HIT_PLANE)
        return;
    /* the feature itself is touched then */
    t = distance_of(thing_of(z, &h), c) - (num)(ct_real)radius - thing_of(z, &h)->r;
    assert_true(h.fraction == 0 ? t < TOL * s : fabsl(t) < 10 * TOL * s);
}

static void casts_equal_brute_force(void **state)
{
    static const double scales[] = {1, 1e-4, 1e5};
    uint64_t seed = 5;
    zoo z;
    int i, j;
    (void)state;
    for (j = 0; j < (sizeof(ct_real) == 4 ? 1 : 3); j++) {
        double s = scales[j];
        open_zoo(&z, s, NULL, 12);
        for (i = 0; i < QUERIES / (j == 0 ? 1 : 4); i++) {
            ct_real a[3], b[3], d[3];
            int k;
            random_point(&seed, s, a), random_point(&seed, s, b);
            for (k = 0; k < 3; k++)
                d[k] = b[k] - a[k];
            check_cast(&z, a, d, 0, s);
            check_cast(&z, a, d, s * 0.1 * lcg(&seed), s);
        }
        close_zoo(&z);
    }
}

static void nearest_points_equal_brute_force(void **state)
{
    uint64_t seed = 6;
    zoo z;
    int i, j, k;
    (void)state;
    open_zoo(&z, 1, NULL, 12);
    for (i = 0; i < QUERIES; i++) {
        ct_real p[3];
        num c[3], best = 1e9L;
        double most = i % 2 ? INFINITY : 0.3;
        ct_hit h;
        random_point(&seed, 1, p);
        for (k = 0; k < 3; k++)
            c[k] = (num)p[k];
        assert_int_equal(ct_world_closest_point(z.w, p, (ct_real)most, NULL, &h, NULL), CT_OK);
        for (j = 0; j < z.n; j++) {
            num d = distance_of(&z.things[j], c) - z.things[j].r;
            d = d < 0 ? 0 : d;
            best = d < best ? d : best;
        }
        for (j = 0; j < z.n_bodies; j++)
            if (z.plane[j] && fabsl(plane_gap(&z, j, c)) < best)
                best = fabsl(plane_gap(&z, j, c));
        if (h.body.index1 == 0) {
            assert_true(best >= most - TOL);
            continue;
        }
        assert_true(fabsl((num)h.distance - best) < TOL && h.fraction == 0 && h.distance <= (ct_real)(most + TOL));
        check_hit(&z, &h, c, 1);
        if (h.kind != CT_HIT_PLANE) {
            num d = distance_of(thing_of(&z, &h), c) - thing_of(&z, &h)->r;
            assert_true(fabsl((d < 0 ? 0 : d) - best) < TOL);
        }
    }
    close_zoo(&z);
}

/* ---- overlaps ---- */

/* 1 where a triangle has a part in a box that is `margin` larger */
static int in_box(const thing *t, const num *lo, const num *hi, num margin)
{
    num p[12][3], q[12][3];
    int n = 3, m, i, k, side;
    memcpy(p, t->x, sizeof t->x);
    for (k = 0; k < 3 && n; k++)
        for (side = 0; side < 2; side++) {
            for (i = m = 0; i < n; i++) {
                const num *a = p[i], *b = p[(i + 1) % n];
                num f = side ? hi[k] + margin - a[k] : a[k] - lo[k] + margin, g = side ? hi[k] + margin - b[k] : b[k] - lo[k] + margin;
                if (f >= 0)
                    memcpy(q[m++], a, sizeof q[0]);
                if ((f < 0) != (g < 0)) {
                    int j;
                    for (j = 0; j < 3; j++)
                        q[m][j] = a[j] + (b[j] - a[j]) * f / (f - g);
                    m++;
                }
            }
            n = m;
            memcpy(p, q, sizeof p);
        }
    return n > 0;
}

typedef struct shape {
    num lo[3], hi[3];        /* a box */
    const zoo *mesh;         /* or a mesh, as the triangles of a body */
    const thing *triangle;
} shape;

static num shape_distance(const shape *s, const num *p)
{
    num sum = 0;
    int k;
    if (s->triangle)
        return distance_of(s->triangle, p);
    for (k = 0; k < 3; k++) {
        num d = p[k] < s->lo[k] ? s->lo[k] - p[k] : (p[k] > s->hi[k] ? p[k] - s->hi[k] : 0);
        sum += d * d;
    }
    return sqrtl(sum);
}

/* the distance of a segment or point from a convex shape: it is convex along the segment */
static num shape_gap(const shape *s, const thing *t)
{
    num lo = 0, hi = 1, p[2][3];
    int i, j, k;
    if (t->n == 1)
        return shape_distance(s, t->x[0]);
    for (i = 0; i < 130; i++) {
        num at[2];
        at[0] = lo + (hi - lo) * 0.4L, at[1] = lo + (hi - lo) * 0.6L;
        for (j = 0; j < 2; j++)
            for (k = 0; k < 3; k++)
                p[j][k] = t->x[0][k] + at[j] * (t->x[1][k] - t->x[0][k]);
        if (shape_distance(s, p[0]) <= shape_distance(s, p[1]))
            hi = at[1];
        else
            lo = at[0];
    }
    return shape_distance(s, p[0]);
}

static int crosses(const thing *a, const thing *b, num margin)
{
    num d[3];
    int k;
    for (k = 0; k < 3; k++) {
        sub(a->x[(k + 1) % 3], a->x[k], d);
        if (ray_meets(b, a->x[k], d, margin) < 2)
            return 1;
        sub(b->x[(k + 1) % 3], b->x[k], d);
        if (ray_meets(a, b->x[k], d, margin) < 2)
            return 1;
    }
    return 0;
}

/* 1 where a body meets the shape that is `margin` larger; also where one contains the other */
static int body_meets(const zoo *z, int b, const shape *s, num margin)
{
    int i, j;
    for (i = z->first[b]; i < z->first[b + 1]; i++) {
        const thing *t = &z->things[i];
        if (!s->mesh && (t->n == 3 ? in_box(t, s->lo, s->hi, margin) : shape_gap(s, t) <= t->r + margin))
            return 1;
        for (j = 0; s->mesh && j < s->mesh->n; j++) {
            shape one = *s;
            num apart[3];
            one.triangle = &s->mesh->things[j];
            sub(t->middle, one.triangle->middle, apart);
            if (sqrtl(dot(apart, apart)) > t->round + one.triangle->round + 1e-3L)
                continue;
            if (t->n == 3 ? crosses(t, one.triangle, margin) : shape_gap(&one, t) <= t->r + margin)
                return 1;
        }
        if (s->mesh && contains(s->mesh, 0, t->x[0]))
            return 1;
    }
    for (j = 0; z->plane[b] && j < (s->mesh ? s->mesh->n : 8); j++) {
        num c[3];
        for (i = 0; i < 3; i++)
            c[i] = s->mesh ? s->mesh->things[j].x[0][i] : (j >> i & 1 ? s->hi[i] : s->lo[i]);
        for (i = 0; s->mesh && i < 3; i++)
            if (plane_gap(z, b, s->mesh->things[j].x[i]) <= margin)
                return 1;
        if (plane_gap(z, b, c) <= margin)
            return 1;
    }
    return contains(z, b, s->mesh ? s->mesh->things[0].x[0] : s->lo);
}

static void check_overlap(const zoo *z, const shape *s, const ct_hit *hits, int n)
{
    int b, i;
    for (i = 1; i < n; i++)
        assert_true(hits[i - 1].body.index1 < hits[i].body.index1);
    for (b = 0; b < z->n_bodies; b++) {
        int found = 0;
        for (i = 0; i < n; i++)
            found |= body_of(z, hits[i].body) == b;
        if (found)
            assert_true(body_meets(z, b, s, 1e-7L));
        else
            assert_false(body_meets(z, b, s, -1e-7L));
    }
}

static void boxes_and_meshes_equal_brute_force(void **state)
{
    uint64_t seed = 7;
    zoo z, mesh;
    int i, j, k, n;
    (void)state;
    open_zoo(&z, 1, NULL, 12);
    for (i = 0; i < QUERIES / 4 + 1; i++) {
        ct_hit hits[MOST_BODIES];
        ct_real lo[3], hi[3];
        ct_mesh m;
        double *x;
        shape s;
        memset(&s, 0, sizeof s);
        random_point(&seed, 1, lo);
        for (k = 0; k < 3; k++) {
            hi[k] = lo[k] + (ct_real)(i % 8 == 0 ? 1.5 * lcg(&seed) : 0.3 * lcg(&seed) * lcg(&seed));
            s.lo[k] = (num)lo[k], s.hi[k] = (num)hi[k];
        }
        assert_int_equal(ct_world_overlap_box(z.w, lo, hi, NULL, hits, MOST_BODIES, &n, NULL), CT_OK);
        check_overlap(&z, &s, hits, n);
        /* a ball, whose triangles are listed as those of a body */
        memset(&mesh, 0, sizeof mesh);
        m = ball(0.02 + (i % 8 == 0) * lcg(&seed), 1, 0, 0, 0);
        mesh_place(&m, lcg(&seed), (double)lo[0], (double)lo[1], (double)lo[2]);
        x = (double *)malloc(sizeof(double) * 3 * (size_t)m.n_positions);
        for (j = 0; j < 3 * m.n_positions; j++)
            x[j] = (double)m.positions[j];
        for (j = 0; j < m.n_triangles; j++)
            list_thing(&mesh, CT_HIT_TRIANGLE, 0, j, x, m.triangles + 3 * j, 3);
        mesh.first[1] = mesh.n, mesh.solid[0] = 1, mesh.n_bodies = 1;
        s.mesh = &mesh;
        assert_int_equal(ct_world_overlap_mesh(z.w, &m, NULL, hits, MOST_BODIES, &n, NULL), CT_OK);
        check_overlap(&z, &s, hits, n);
        free(x), free(mesh.things);
        ct_mesh_free(&m);
    }
    close_zoo(&z);
}

static void spheres_and_points_equal_brute_force(void **state)
{
    uint64_t seed = 8;
    zoo z;
    int i, j, k, n, b;
    (void)state;
    open_zoo(&z, 1, NULL, 12);
    for (i = 0; i < QUERIES; i++) {
        ct_hit hits[MOST_BODIES];
        ct_real p[3], r = (ct_real)(i % 3 == 0 ? 0 : (i % 3 == 1 ? 0.2 : 1) * lcg(&seed));
        num c[3];
        random_point(&seed, 1, p);
        for (k = 0; k < 3; k++)
            c[k] = (num)p[k];
        if (r > 0)
            assert_int_equal(ct_world_overlap_sphere(z.w, p, r, NULL, hits, MOST_BODIES, &n, NULL), CT_OK);
        else
            assert_int_equal(ct_world_inside(z.w, p, NULL, hits, MOST_BODIES, &n, NULL), CT_OK);
        for (b = 0; b < z.n_bodies; b++) {
            num best = 1e9L;
            int found = 0, in = contains(&z, b, c);
            for (j = z.first[b]; j < z.first[b + 1]; j++) {
                num d = distance_of(&z.things[j], c) - z.things[j].r;
                best = d < best ? d : best;
            }
            if (z.plane[b])
                best = plane_gap(&z, b, c);
            for (j = 0; j < n; j++)
                if (body_of(&z, hits[j].body) == b) {
                    found++;
                    if (hits[j].kind == CT_HIT_INSIDE)
                        assert_true(in && hits[j].feature == -1);
                    else
                        assert_true(fabsl((num)hits[j].distance - (best > 0 ? best : 0)) < TOL);
                }
            assert_true(found <= 1);
            if (found)
                assert_true(in || best <= (num)r + TOL);
            else
                assert_true(!in && best >= (num)r - TOL);
        }
        for (j = 1; j < n; j++)
            assert_true(hits[j - 1].distance <= hits[j].distance);
    }
    close_zoo(&z);
}

/* all hits of a ray, in order, and only the first ones where there is no room */
static void all_hits_are_in_order(void **state)
{
    uint64_t seed = 9;
    zoo z;
    int i, j, k, n, m;
    (void)state;
    open_zoo(&z, 1, NULL, 12);
    for (i = 0; i < QUERIES; i++) {
        ct_hit hits[200], few[3], one;
        ct_real a[3], d[3];
        num from[3], way[3];
        int sure = 0, most = 0;
        random_point(&seed, 1, a), random_point(&seed, 1, d);
        for (k = 0; k < 3; k++)
            d[k] -= a[k], from[k] = (num)a[k], way[k] = (num)d[k];
        assert_int_equal(ct_world_cast_ray_all(z.w, a, d, NULL, hits, 200, &n, NULL), CT_OK);
        assert_int_equal(ct_world_cast_ray_all(z.w, a, d, NULL, few, 3, &m, NULL), CT_OK);
        assert_true(n <= 200 && m == n && memcmp(few, hits, sizeof few[0] * (size_t)(n < 3 ? n : 3)) == 0);
        assert_int_equal(ct_world_cast_ray_all(z.w, a, d, NULL, NULL, 0, &m, NULL), CT_OK);
        assert_int_equal(m, n);
        assert_int_equal(ct_world_cast_ray(z.w, a, d, NULL, &one, NULL), CT_OK);
        assert_true(n ? memcmp(&one, hits, sizeof one) == 0 : one.body.index1 == 0);
        for (j = 1; j < n; j++)
            assert_true(hits[j - 1].fraction <= hits[j].fraction);
        for (j = 0; j < z.n; j++)
            if (z.things[j].n == 3)
                sure += ray_meets(&z.things[j], from, way, -1e-9L) < 2, most += ray_meets(&z.things[j], from, way, 1e-9L) < 2;
        for (j = m = 0; j < n; j++)
            m += hits[j].kind == CT_HIT_TRIANGLE;
        assert_true(m >= sure && m <= most);
    }
    close_zoo(&z);
}

/* the last hit of a body on a way */
static ct_hit last_of(const zoo *z, int body, const ct_real *from, const ct_real *way)
{
    ct_hit hits[64], last;
    int n;
    memset(&last, 0, sizeof last);
    assert_int_equal(ct_world_cast_ray_all(z->w, from, way, NULL, hits, 64, &n, NULL), CT_OK);
    for (n = n < 64 ? n : 64; n > 0 && last.kind == CT_HIT_NONE; n--)
        if (body_of(z, hits[n - 1].body) == body)
            last = hits[n - 1];
    return last;
}

/* from inside of closed surfaces, through their vertices and through points on their edges: no ray gets out unseen */
static void rays_do_not_pass_between_triangles(void **state)
{
    uint64_t seed = 10;
    zoo z;
    int b, i, k, tried = 0;
    (void)state;
    open_zoo(&z, 1, NULL, 12);
    for (b = 0; b < z.n_bodies; b++) {
        num c[3] = {0, 0, 0};
        ct_real a[3], d[3];
        int n = z.first[b + 1] - z.first[b];
        for (i = z.first[b]; z.solid[b] && i < z.first[b + 1]; i++)
            for (k = 0; k < 3; k++)
                c[k] += z.things[i].middle[k] / n;
        if (!z.solid[b] || !contains(&z, b, c))
            continue;
        for (i = 0; i < 8 * QUERIES; i++) {
            const thing *t = &z.things[z.first[b] + i % n];
            num s = i / n % 3 == 0 ? 0 : lcg(&seed);
            ct_hit h;
            for (k = 0; k < 3; k++) {
                a[k] = (ct_real)c[k];
                d[k] = (ct_real)(2 * (t->x[0][k] + s * (t->x[1][k] - t->x[0][k]) - (num)a[k]));
            }
            h = last_of(&z, b, a, d);
            assert_true(h.kind == CT_HIT_TRIANGLE && fabs((double)h.fraction - 0.5) < 1e-3);
            /* it leaves, and so is along the outward normal */
            assert_true(h.normal[0] * d[0] + h.normal[1] * d[1] + h.normal[2] * d[2] > -1e-3);
            tried++;
        }
    }
    assert_true(tried >= 32 * QUERIES);
    close_zoo(&z);
}

/* ---- laws by numbers ---- */

static ct_world *box_world(ct_body_id *box, ct_body_id *sheet)
{
    ct_world_desc d = world_desc(1e-2, 0.4, NULL);
    ct_world *w = world_make(&d);
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_mesh m = mesh_box(2, 2, 2, 1, 1, 1, 0);
    r.mesh = &m;
    assert_int_equal(ct_body_add_rigid(w, &r, box), CT_OK);
    ct_mesh_free(&m);
    m = mesh_grid(2, 2, 2, 2);
    mesh_place(&m, 0, 0, 3, 0);
    *sheet = add_cloth_mesh(w, "sheet", &m, CT_MODEL_MEMBRANE, 0.3);
    ct_mesh_free(&m);
    assert_int_equal(ct_world_update_queries(w), CT_OK);
    return w;
}

static int same(ct_body_id a, ct_body_id b) { return a.index1 == b.index1 && a.generation == b.generation; }
static int is(ct_real a, double b) { return fabs((double)a - b) < TOL; }

static void sides_and_ends_are_as_documented(void **state)
{
    ct_body_id box, sheet, plane;
    ct_world *w = box_world(&box, &sheet);
    ct_real a[3], d[3], r = (ct_real)0.25;
    ct_hit h;
    (void)state;
    /* from outside: the face at x 1, outward normal */
    put(a, 5, 0.3, 0.2), put(d, -8, 0, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, box) && h.kind == CT_HIT_TRIANGLE && is(h.fraction, 0.5) && is(h.distance, 4));
    assert_true(is(h.normal[0], 1) && is(h.point[0], 1) && is(h.point[1], 0.3) && is(h.point[2], 0.2));
    /* from inside it meets the same face from behind */
    put(a, 0, 0.3, 0.2), put(d, 4, 0, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, box) && is(h.fraction, 0.25) && is(h.normal[0], 1));
    /* a sphere stops by its radius earlier, its normal towards its centre, on both sides */
    assert_int_equal(ct_world_cast_sphere(w, a, r, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, box) && is(h.fraction, 0.75 / 4) && is(h.normal[0], -1) && is(h.point[0], 1));
    /* a face, an edge, a corner: from (3, y, z) along -x */
    put(a, 3, 1.15, 0.2), put(d, -4, 0, 0);
    assert_int_equal(ct_world_cast_sphere(w, a, r, d, NULL, &h, NULL), CT_OK);
    assert_true(is(h.fraction, (2 - 0.2) / 4) && is(h.point[1], 1) && is(h.normal[0], 0.8) && is(h.normal[1], 0.6));
    put(a, 3, 1.12, 1.16);
    assert_int_equal(ct_world_cast_sphere(w, a, r, d, NULL, &h, NULL), CT_OK);
    assert_true(is(h.fraction, (2 - 0.15) / 4) && is(h.point[1], 1) && is(h.point[2], 1));
    put(a, 3, 1.26, 0.2);
    assert_int_equal(ct_world_cast_sphere(w, a, r, d, NULL, &h, NULL), CT_OK);
    assert_true(h.body.index1 == 0);
    /* one that touches where it begins; no way */
    put(a, 1.2, 0, 0), put(d, 0, 0, 0);
    assert_int_equal(ct_world_cast_sphere(w, a, r, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, box) && h.fraction == 0 && is(h.normal[0], 1));
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(h.body.index1 == 0);
    /* cloth from both sides: against the ray */
    put(a, 0.3, 4, 0.2), put(d, 0, -2, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, sheet) && is(h.fraction, 0.5) && is(h.normal[1], 1));
    put(a, 0.3, 2, 0.2), put(d, 0, 2, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, sheet) && is(h.fraction, 0.5) && is(h.normal[1], -1));
    /* in its plane a ray passes it by; through its edge it does not */
    put(a, 3, 3, 0.2), put(d, -6, 0, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(h.body.index1 == 0);
    put(a, 1, 4, 0.2), put(d, 0, -2, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, sheet));
    /* a way of 1e30 m, and one of 1e-30 */
    put(a, 5, 0.3, 0.2), put(d, -1e30, 0, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, box) && fabs((double)h.fraction - 4e-30) < 4e-30 * TOL && is(h.distance, 4));
    put(d, -1e-30, 0, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(h.body.index1 == 0);
    /* planes: from both sides, the normal into free space */
    plane = add_plane(w, 0, 2, 0, -8);
    assert_int_equal(ct_world_update_queries(w), CT_OK);
    put(a, 9, 0, 0), put(d, 0, -8, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, plane) && h.kind == CT_HIT_PLANE && is(h.fraction, 0.5) && is(h.normal[1], 1) && is(h.point[1], -4));
    put(a, 9, -8, 0), put(d, 0, 8, 0);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
    assert_true(same(h.body, plane) && is(h.fraction, 0.5) && is(h.normal[1], 1));
    assert_int_equal(ct_world_cast_sphere(w, a, r, d, NULL, &h, NULL), CT_OK);
    assert_true(is(h.fraction, 3.75 / 8) && is(h.normal[1], -1));
    ct_world_destroy(w);
}

/* a query sees the positions of the last step, bodies that were added and removed since, and names a removed one never */
static void queries_follow_the_world(void **state)
{
    ct_body_id box, sheet, other, moving;
    ct_world *w = box_world(&box, &sheet);
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    ct_real a[3], d[3];
    ct_error_info e;
    ct_hit h;
    int freed, left, i;
    double middle[3];
    (void)state;
    put(a, 0.3, 9, 0.2), put(d, 0, -8, 0);
    for (i = 0; i < 4; i++) {
        step_once(w, 0.05);
        assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_ERR_ARGUMENT);
        assert_non_null(strstr(e.text, "ct_world_update_queries"));
        assert_int_equal(ct_world_update_queries(w), CT_OK);
        assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_OK);
        read_middle(w, sheet, 0, middle);
        assert_true(same(h.body, sheet) && fabs((double)h.point[1] - middle[1]) < 1e-3);
    }
    k.mesh = &m, k.motion.linear[0] = 2, k.position[1] = 7;
    assert_int_equal(ct_body_add_kinematic(w, &k, &moving), CT_OK);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_update_queries(w), CT_OK);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_OK);
    assert_true(same(h.body, moving) && is(h.point[1], 7.5));
    for (i = 0; i < 10; i++)
        step_once(w, 0.05);
    assert_int_equal(ct_world_update_queries(w), CT_OK);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_OK);
    assert_false(same(h.body, moving));
    put(a, 1.2, 9, 0.2);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_OK);
    assert_true(same(h.body, moving));
    assert_int_equal(ct_body_remove(w, moving), CT_OK);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_update_queries(w), CT_OK);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_OK);
    assert_true(h.body.index1 == 0);
    /* the slot is used again, by a body of other size */
    ct_mesh_free(&m);
    m = mesh_box(4, 1, 4, 3, 1, 2, 1);
    mesh_place(&m, 0, 0, 7, 0);
    other = add_soft_mesh(w, "other", &m, 1e5, 0, 0, 0);
    assert_int_equal(other.index1, moving.index1);
    assert_int_equal(ct_world_update_queries(w), CT_OK);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_OK);
    assert_true(same(h.body, other) && is(h.point[1], 7.5));
    assert_int_equal(ct_world_repair(w, &freed, &left), CT_OK);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

static void positions_are_relative_to_the_origin(void **state)
{
    static const double origin[3] = {1e6, -2e6, 3e6};
    uint64_t seed = 12;
    zoo here, there;
    int i, k;
    (void)state;
    open_zoo(&here, 1, NULL, 3);
    open_zoo(&there, 1, origin, 3);
    for (i = 0; i < 50; i++) {
        ct_real a[3], d[3];
        ct_hit p, q;
        random_point(&seed, 1, a), random_point(&seed, 1, d);
        for (k = 0; k < 3; k++)
            d[k] -= a[k];
        assert_int_equal(ct_world_cast_ray(here.w, a, d, NULL, &p, NULL), CT_OK);
        assert_int_equal(ct_world_cast_ray(there.w, a, d, NULL, &q, NULL), CT_OK);
        assert_memory_equal(&p, &q, sizeof p);
    }
    close_zoo(&here), close_zoo(&there);
}

/* ---- filters ---- */
static int refuses_one(ct_body_id body, void *user) { return !same(body, *(const ct_body_id *)user); }

static void filters_are_a_truth_table(void **state)
{
    ct_body_id box, sheet;
    ct_world *w = box_world(&box, &sheet);
    ct_real a[3], d[3];
    int bits;
    (void)state;
    put(a, 5, 0.3, 0.2), put(d, -8, 0, 0);
    for (bits = 0; bits < 64; bits++) {
        ct_query_filter q = ct_query_filter_default();
        ct_filter f = ct_filter_default();
        ct_hit h, many[4];
        int expected, n, k;
        f.category = 1u << (bits & 1), f.mask = (bits >> 1 & 1) ? 2 : 4, f.group = bits % 3 - 1;
        q.category = (bits >> 2 & 1) ? 2 : 4, q.mask = (uint64_t)(bits >> 3 & 3);
        q.accept = bits >> 5 ? refuses_one : NULL, q.user = &box;
        assert_int_equal(ct_body_set_filter(w, box, &f), CT_OK);
        expected = (f.category & q.mask) != 0 && (q.category & f.mask) != 0 && !(bits >> 5);
        assert_int_equal(ct_world_cast_ray(w, a, d, &q, &h, NULL), CT_OK);
        assert_int_equal(h.body.index1 > 0, expected);
        assert_int_equal(ct_world_closest_point(w, a, 5, &q, &h, NULL), CT_OK);
        assert_int_equal(same(h.body, box), expected);
        for (k = 0; k < 3; k++) {
            ct_real lo[3], hi[3], zero[3] = {0, 0, 0};
            put(lo, -0.5, -0.5, -0.5), put(hi, 0.5, 0.5, 0.5);
            if (k == 0)
                assert_int_equal(ct_world_overlap_box(w, lo, hi, &q, many, 4, &n, NULL), CT_OK);
            else if (k == 1)
                assert_int_equal(ct_world_overlap_sphere(w, zero, 1, &q, many, 4, &n, NULL), CT_OK);
            else
                assert_int_equal(ct_world_inside(w, zero, &q, many, 4, &n, NULL), CT_OK);
            assert_int_equal(n, expected);
        }
        assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, NULL), CT_OK);
        assert_true(same(h.body, box));
    }
    ct_world_destroy(w);
}

/* ---- cost: no bit, no memory, no lock ---- */

/* a hash of the answers to queries of every kind */
static uint64_t ask_everything(const ct_world *w, int n)
{
    uint64_t seed = 14, h = 1;
    ct_mesh m = mesh_box(0.3, 0.3, 0.3, 1, 1, 1, 0);
    ct_hit hits[8];
    int i, k, found;
    for (i = 0; i < n; i++) {
        ct_real a[3], b[3], c[3];
        memset(hits, 0, sizeof hits);
        random_point(&seed, 1, a), random_point(&seed, 1, b);
        for (k = 0; k < 3; k++)
            c[k] = b[k] - a[k], b[k] = a[k] + (ct_real)0.2;
        h += (uint64_t)ct_world_cast_ray(w, a, c, NULL, &hits[0], NULL);
        h += (uint64_t)ct_world_cast_sphere(w, a, (ct_real)0.05, c, NULL, &hits[1], NULL);
        h += (uint64_t)ct_world_closest_point(w, a, 1, NULL, &hits[2], NULL);
        h += (uint64_t)ct_world_overlap_box(w, a, b, NULL, &hits[3], 1, &found, NULL);
        h += (uint64_t)ct_world_overlap_sphere(w, a, (ct_real)0.2, NULL, &hits[4], 1, &found, NULL);
        h += (uint64_t)ct_world_overlap_mesh(w, &m, NULL, &hits[5], 1, &found, NULL);
        h += (uint64_t)ct_world_inside(w, a, NULL, &hits[6], 1, &found, NULL);
        h += (uint64_t)ct_world_cast_ray_all(w, a, c, NULL, &hits[7], 1, &found, NULL);
        for (k = 0; k < (int)sizeof hits; k++)
            h = (h ^ ((const unsigned char *)hits)[k]) * 0x100000001b3ull;
    }
    ct_mesh_free(&m);
    return h;
}

static void queries_change_no_bit_and_allocate_nothing(void **state)
{
    zoo a, b;
    int i;
    (void)state;
    open_zoo(&a, 1, NULL, 0);
    open_zoo(&b, 1, NULL, 0);
    for (i = 0; i < 12; i++) {
        int64_t before, bytes, after, bytes2;
        ct_world_allocations(a.w, &before, &bytes);
        assert_int_equal(ct_world_update_queries(a.w), CT_OK);
        assert_int_equal(ct_world_update_queries(a.w), CT_OK);
        ask_everything(a.w, 20);
        ct_world_allocations(a.w, &after, &bytes2);
        assert_true(before == after && bytes == bytes2);
        step_once(a.w, 0.02), step_once(b.w, 0.02);
        assert_true(ct_world_hash(a.w) == ct_world_hash(b.w));
    }
    close_zoo(&a), close_zoo(&b);
}

typedef struct asker {
    const ct_world *w;
    uint64_t hash;
} asker;

static void *ask_on(void *p)
{
    asker *a = (asker *)p;
    a->hash = ask_everything(a->w, QUERIES / 2);
    return NULL;
}

static void threads_get_the_same_answers(void **state)
{
    pthread_t threads[4];
    asker askers[5];
    zoo z;
    int i;
    (void)state;
    open_zoo(&z, 1, NULL, 6);
    for (i = 0; i < 5; i++)
        askers[i].w = z.w, askers[i].hash = 0;
    for (i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_on, &askers[i]), 0);
    ask_on(&askers[4]);
    for (i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(askers[i].hash == askers[4].hash);
    }
    close_zoo(&z);
}

/* ---- hostile arguments, memory ---- */
#define REFUSED(call)                                                                                                                      \
    do {                                                                                                                                   \
        memset(&e, 0, sizeof e);                                                                                                           \
        memset(&h, 7, sizeof h), n = 77;                                                                                                   \
        assert_int_equal(call, CT_ERR_ARGUMENT);                                                                                           \
        assert_true(e.code == CT_ERR_ARGUMENT && e.text && strlen(e.text) > 8 && n == 77 && h.feature == 0x07070707);                      \
    } while (0)

static void hostile_arguments_are_refused(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, -3e90};
    ct_body_id box, sheet;
    ct_world *w = box_world(&box, &sheet);
    ct_real a[3], d[3], x;
    ct_mesh m, open = mesh_grid(1, 1, 1, 1);
    ct_error_info e;
    ct_hit h;
    int i, k, n;
    (void)state;
    memset(&m, 0, sizeof m);
    put(a, 0, 0, 0), put(d, 1, 1, 1);
    for (i = 0; i < 5; i++)
        for (k = 0; k < 3; k++) {
            ct_real b[3], saved = a[k];
            put(b, 0, 0, 0);
            x = (ct_real)bad[i];
            b[k] = x;
            REFUSED(ct_world_cast_ray(w, b, d, NULL, &h, &e));
            assert_true(e.element == k);
            REFUSED(ct_world_cast_ray(w, a, b, NULL, &h, &e));
            REFUSED(ct_world_cast_ray_all(w, a, b, NULL, &h, 1, &n, &e));
            REFUSED(ct_world_cast_sphere(w, b, 1, d, NULL, &h, &e));
            REFUSED(ct_world_cast_sphere(w, a, x, d, NULL, &h, &e));
            REFUSED(ct_world_closest_point(w, b, 1, NULL, &h, &e));
            if (i != 1 && i != 3)
                REFUSED(ct_world_closest_point(w, a, x, NULL, &h, &e));
            REFUSED(ct_world_overlap_box(w, b, d, NULL, &h, 1, &n, &e));
            REFUSED(ct_world_overlap_box(w, a, b, NULL, &h, 1, &n, &e));
            REFUSED(ct_world_overlap_sphere(w, b, 1, NULL, &h, 1, &n, &e));
            REFUSED(ct_world_overlap_sphere(w, a, x, NULL, &h, 1, &n, &e));
            REFUSED(ct_world_inside(w, b, NULL, &h, 1, &n, &e));
            saved = open.positions[k], open.positions[k] = x;
            assert_int_equal(ct_world_overlap_mesh(w, &open, NULL, &h, 1, &n, &e), CT_ERR_MESH);
            open.positions[k] = saved;
        }
    REFUSED(ct_world_overlap_box(w, d, a, NULL, &h, 1, &n, &e));
    REFUSED(ct_world_cast_ray(NULL, a, d, NULL, &h, &e));
    REFUSED(ct_world_cast_ray(w, NULL, d, NULL, &h, &e));
    REFUSED(ct_world_cast_ray(w, a, NULL, NULL, &h, &e));
    REFUSED(ct_world_cast_ray(w, a, d, NULL, NULL, &e));
    REFUSED(ct_world_closest_point(w, NULL, 1, NULL, &h, &e));
    REFUSED(ct_world_overlap_mesh(w, NULL, NULL, &h, 1, &n, &e));
    REFUSED(ct_world_overlap_box(w, a, d, NULL, NULL, 1, &n, &e));
    REFUSED(ct_world_overlap_box(w, a, d, NULL, &h, -1, &n, &e));
    REFUSED(ct_world_overlap_box(w, a, d, NULL, &h, 1, NULL, &e));
    REFUSED(ct_world_inside(w, a, NULL, &h, -5, &n, &e));
    assert_int_equal(ct_world_inside(w, a, NULL, NULL, 0, &n, NULL), CT_OK);
    assert_int_equal(n, 1);
    assert_int_equal(ct_world_overlap_mesh(w, &m, NULL, &h, 1, &n, &e), CT_ERR_MESH);
    open.triangles[0] = 99;
    assert_int_equal(ct_world_overlap_mesh(w, &open, NULL, &h, 1, &n, &e), CT_ERR_MESH);
    assert_int_equal(ct_world_cast_ray(w, NULL, d, NULL, &h, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_update_queries(NULL), CT_ERR_ARGUMENT);
    ct_mesh_free(&open);
    ct_world_destroy(w);
    w = world_make(NULL); /* empty, and never asked */
    REFUSED(ct_world_cast_ray(w, a, d, NULL, &h, &e));
    assert_int_equal(ct_world_update_queries(w), CT_OK);
    assert_int_equal(ct_world_cast_ray(w, a, d, NULL, &h, &e), CT_OK);
    assert_true(h.body.index1 == 0 && h.kind == CT_HIT_NONE);
    assert_int_equal(ct_world_closest_point(w, a, INFINITY, NULL, &h, &e), CT_OK);
    assert_true(h.body.index1 == 0);
    ct_world_destroy(w);
}

/* every allocation of an update fails in turn: nothing can be asked, and the next update works */
static void a_failed_update_can_be_repeated(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_real a[3], way[3];
    int at, failed = 0;
    (void)state;
    put(a, 0, 5, 0), put(way, 0, -9, 0);
    d.allocator.resize = failing;
    for (at = 1; at < 200; at++) {
        ct_world *w;
        ct_hit h;
        ct_code code;
        fail_at = 0;
        w = world_make(&d);
        add_soft_box(w, "box", 1, 1, 1e5, 0, 0, 0), add_soft_box(w, "box", 1, 2, 1e5, 0, 2, 0), add_plane(w, 0, 1, 0, -5);
        calls = 0, fail_at = at;
        code = ct_world_update_queries(w);
        fail_at = 0;
        if (code == CT_ERR_MEMORY) {
            failed++;
            assert_int_equal(ct_world_cast_ray(w, a, way, NULL, &h, NULL), CT_ERR_ARGUMENT);
            assert_int_equal(ct_world_update_queries(w), CT_OK);
        }
        assert_int_equal(ct_world_cast_ray(w, a, way, NULL, &h, NULL), CT_OK);
        assert_true(is(h.point[1], 2.5));
        step_once(w, 0.01);
        ct_world_destroy(w);
        if (code == CT_OK)
            break;
    }
    assert_true(failed > 8 && at < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_equal_brute_force),
        cmocka_unit_test(nearest_points_equal_brute_force),
        cmocka_unit_test(boxes_and_meshes_equal_brute_force),
        cmocka_unit_test(spheres_and_points_equal_brute_force),
        cmocka_unit_test(all_hits_are_in_order),
        cmocka_unit_test(rays_do_not_pass_between_triangles),
        cmocka_unit_test(sides_and_ends_are_as_documented),
        cmocka_unit_test(queries_follow_the_world),
        cmocka_unit_test(positions_are_relative_to_the_origin),
        cmocka_unit_test(filters_are_a_truth_table),
        cmocka_unit_test(queries_change_no_bit_and_allocate_nothing),
        cmocka_unit_test(threads_get_the_same_answers),
        cmocka_unit_test(hostile_arguments_are_refused),
        cmocka_unit_test(a_failed_update_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
