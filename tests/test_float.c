/* test_float.c -- the guarantees of each precision, tested at the size of its rounding error; built in float (build/tests32) and in double.
   Collision batches against exact predicates where an ulp decides, planes against sums without rounding, thickness against extent on both
   sides of the bound, the world's origin, and positions as the exact start of the next step. */
#include "../src/1_math/dd.h"
#include "../src/4_geom/ccd.h"
#include "../src/4_geom/intersect.h"
#include "../src/9_world/world.h"
#include "world_util.h"

#define N 4096 /* queries of a round */

typedef struct queries {
    ct_real x0[12 * N], x1[12 * N], toi[N], distance[N];
    int32_t quads[4 * N];
    int n, touch[N]; /* touch: 1 they certainly meet, 0 they certainly do not */
} queries;

static uint64_t seed = 7;
static double rnd(void) { return 2 * lcg(&seed) - 1; }
/* a number whose size is anything from 2^-low to 1, and sometimes 0 */
static double mixed(int low) { return lcg(&seed) < 0.1 ? 0 : ldexp(rnd(), -(int)(lcg(&seed) * low)); }
/* x moved by up to `most` ulp */
static ct_real nudged(double x, int most)
{
    ct_real r = (ct_real)x;
    int k, n = (int)floor(rnd() * (most + 0.999));
    for (k = 0; k < (n < 0 ? -n : n); k++)
        r += (n < 0 ? -1 : 1) * cti_abs(r) * CTI_EPS * CTI_R(0.75);
    return r;
}
static void order(queries *q)
{
    int k;
    for (k = 0; k < 4; k++)
        q->quads[4 * q->n + k] = 4 * q->n + k;
    q->n++;
}

/* A resting triangle, nearly degenerate in half of the queries, and a vertex that moves through or past it, within a few ulp of its plane, its
   edges and its corners. The segment of its path against the triangle decides exactly */
static void make_vertex(queries *q, double scale, double far)
{
    ct_real *x0 = q->x0 + 12 * q->n, *x1 = q->x1 + 12 * q->n, w[3];
    double p[3][3], o[3];
    double up = lcg(&seed) / scale, down = lcg(&seed) / scale;
    int i, k, flat = lcg(&seed) < 0.3, straight = lcg(&seed) < 0.4;
    for (k = 0; k < 3; k++)
        o[k] = lcg(&seed) < 0.5 ? far * rnd() : 0;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            p[i][k] = o[k] + scale * (i == 2 && flat ? p[1][k] / scale + mixed(30) * 1e-3 : mixed(30));
    w[0] = (ct_real)(lcg(&seed) < 0.3 ? 0 : lcg(&seed)), w[1] = (ct_real)(lcg(&seed) < 0.3 ? 0 : (1 - (double)w[0]) * lcg(&seed)),
    w[2] = 1 - w[0] - w[1];
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            x0[3 + 3 * i + k] = x1[3 + 3 * i + k] = (ct_real)p[i][k];
    for (k = 0; k < 3; k++) {
        double at = 0, m;
        for (i = 0; i < 3; i++)
            at += (double)w[i] * (double)x0[3 + 3 * i + k];
        x0[k] = nudged(at + scale * mixed(50), 2);
        x1[k] = lcg(&seed) < 0.5 ? nudged(at + scale * mixed(50), 2) : nudged(2 * at - (double)x0[k], 2);
        /* along the normal: above an edge all the way */
        m = (p[1][(k + 1) % 3] - p[0][(k + 1) % 3]) * (p[2][(k + 2) % 3] - p[0][(k + 2) % 3]) -
            (p[1][(k + 2) % 3] - p[0][(k + 2) % 3]) * (p[2][(k + 1) % 3] - p[0][(k + 1) % 3]);
        if (straight)
            x0[k] = nudged(at + m * up, 1), x1[k] = nudged(at - m * down, 1);
    }
    q->touch[q->n] = cti_intersect_edge_triangle(x0, x1, x0 + 3, x0 + 6, x0 + 9) != 0;
    order(q);
}

/* a resting edge, and one that moves without turning, by a vector that its ends hold exactly: it sweeps a parallelogram, two triangles */
static void make_edge(queries *q, double scale)
{
    ct_real *x0 = q->x0 + 12 * q->n, *x1 = q->x1 + 12 * q->n, s = (ct_real)lcg(&seed), t = (ct_real)lcg(&seed), d[3];
    double grid = scale / 4096;
    int i, k, exact = 1, level = lcg(&seed) < 0.5; /* both edges horizontal, the motion vertical: the parameters of the closest points stay the
                                                      same, often at an end */
    double end = level && lcg(&seed) < 0.8 ? 1 : 2;
    if (level)
        s = lcg(&seed) < 0.5 ? (ct_real)(lcg(&seed) < 0.5) : s;
    for (k = 0; k < 3; k++) {
        d[k] = level && k < 2 ? 0 : (ct_real)(grid * floor(4096 * mixed(8)));
        for (i = 0; i < 2; i++) {
            x0[3 * i + k] = level && k == 2 ? 0 : (ct_real)(grid * floor(4096 * mixed(8)));
            x1[3 * i + k] = x0[3 * i + k] + d[k];
            exact &= (double)x1[3 * i + k] == (double)x0[3 * i + k] + (double)d[k];
        }
        /* the resting edge meets a point of the swept area, up to some ulp */
        x0[6 + k] = level && k == 2 ? t * d[2] : (ct_real)(scale * mixed(20));
        {
            double on = (double)x0[k] + (double)s * ((double)x0[3 + k] - (double)x0[k]) + (double)t * (double)d[k];
            x0[9 + k] = nudged(end > 1 ? (on - 0.5 * (double)x0[6 + k]) * 2 : on, level ? 1 : 3);
        }
        x1[6 + k] = x0[6 + k], x1[9 + k] = x0[9 + k];
    }
    assert_true(exact);
    q->touch[q->n] = cti_intersect_edge_triangle(x0 + 6, x0 + 9, x0, x0 + 3, x1 + 3) || cti_intersect_edge_triangle(x0 + 6, x0 + 9, x0, x1 + 3, x1);
    order(q);
}

static void judge(queries *q, int edges, int distance, int *meet, int *freed)
{
    int i, hits;
    hits = (edges ? cti_ccd_ee_batch : cti_ccd_vf_batch)(q->x0, q->x1, q->quads, q->n, distance ? q->distance : NULL, q->toi);
    for (i = 0; i < q->n; i++) {
        hits -= q->toi[i] <= 1;
        /* no false negative */
        assert_true(!q->touch[i] || q->toi[i] <= 1);
        *meet += q->touch[i], *freed += q->toi[i] > 1;
    }
    assert_int_equal(hits, 0);
}

static void batches_miss_no_touch(void **state)
{
    static queries q;
    static const double scale[5] = {1, 1.0 / 1024, 1024, 1e-6, 1e4}; /* the last two leave the float lanes' range */
    int round, i, meet = 0, freed = 0;
    (void)state;
    for (round = 0; round < PLAIN_OR(12, 4); round++) {
        q.n = 0;
        for (i = 0; i < N; i++)
            if (round % 4 == 3)
                make_edge(&q, ldexp(1, round - 10));
            else
                make_vertex(&q, scale[round % 5], scale[round % 5] * (round % 3 ? 1 : 64));
        judge(&q, round % 4 == 3, 0, &meet, &freed);
    }
    /* both answers are common, so that the test can fail and the passes matter */
    assert_true(meet > PLAIN_OR(4, 1) * N && freed > PLAIN_OR(4, 1) * N);
}

/* distance of a point above the inside of a triangle, squared, times n.n: (n.(p - a))^2; and n.n. Double-double: exact to 1e-29 */
static void height(const ct_real *x, cti_dd *out_square, cti_dd *out_norm)
{
    cti_dd u[3], v[3], r[3], n[3], s;
    int k;
    for (k = 0; k < 3; k++) {
        u[k] = cti_dd_diff((double)x[6 + k], (double)x[3 + k]), v[k] = cti_dd_diff((double)x[9 + k], (double)x[3 + k]);
        r[k] = cti_dd_diff((double)x[k], (double)x[3 + k]);
    }
    for (k = 0; k < 3; k++)
        n[k] = cti_dd_sub(cti_dd_mul(u[(k + 1) % 3], v[(k + 2) % 3]), cti_dd_mul(u[(k + 2) % 3], v[(k + 1) % 3]));
    s = cti_dd_add(cti_dd_add(cti_dd_mul(n[0], r[0]), cti_dd_mul(n[1], r[1])), cti_dd_mul(n[2], r[2]));
    *out_square = cti_dd_mul(s, s);
    *out_norm = cti_dd_add(cti_dd_add(cti_dd_mul(n[0], n[0]), cti_dd_mul(n[1], n[1])), cti_dd_mul(n[2], n[2]));
}

/* resting pairs whose distance is the minimum distance up to a few ulp: lengths of normals and edges decide */
static void batches_keep_distances(void **state)
{
    static queries q;
    int round, i, k, meet = 0, freed = 0;
    (void)state;
    for (round = 0; round < PLAIN_OR(4, 2); round++) {
        q.n = 0;
        for (i = 0; i < N; i++) {
            ct_real *x0 = q.x0 + 12 * q.n, *x1 = q.x1 + 12 * q.n;
            double thin = ldexp(1, -(int)(lcg(&seed) * 8)), far = round & 1 ? 100 : 0, t;
            cti_dd square, norm, bound;
            /* a triangle around the vertex's foot, far from the origin or not; the vertex above it, anywhere in space */
            double a[3], b[3], n[3], l;
            for (k = 0; k < 3; k++)
                a[k] = i % 4 || k != i % 3 ? rnd() : 0, b[k] = i % 4 || k != i % 3 ? rnd() : 0; /* some across an axis */
            n[0] = a[1] * b[2] - a[2] * b[1], n[1] = a[2] * b[0] - a[0] * b[2], n[2] = a[0] * b[1] - a[1] * b[0];
            l = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            t = ldexp(0.5 + lcg(&seed), -(int)(lcg(&seed) * 10));
            for (k = 0; k < 3; k++) {
                x0[k] = (ct_real)(far + t * n[k] / l);
                x0[3 + k] = (ct_real)(far + a[k] + thin * b[k]), x0[6 + k] = (ct_real)(far - a[k] + thin * b[k]);
                x0[9 + k] = (ct_real)(far - 2 * thin * b[k]);
            }
            memcpy(x1, x0, sizeof(ct_real) * 12);
            height(x0, &square, &norm);
            t = sqrt(square.hi / norm.hi);
            q.distance[q.n] = i & 1 ? nudged(t, 3) : (ct_real)(t * (1 + (rnd() < 0 ? -1 : 1) * ldexp(1, -2 - (int)(lcg(&seed) * 30))));
            bound = cti_dd_mul(cti_dd_mul(cti_dd_diff((double)q.distance[q.n], 0), cti_dd_diff((double)q.distance[q.n], 0)), norm);
            /* certainly nearer than the minimum distance (the foot is inside the triangle; else the distance would exceed the height) */
            q.touch[q.n] = cti_dd_sub(bound, square).hi > 1e-26 * (bound.hi + square.hi) && l > 0.3 && t < 0.25 * thin;
            order(&q);
        }
        judge(&q, 0, 1, &meet, &freed);
    }
    assert_true(meet > PLAIN_OR(N / 4, N / 8) && freed > PLAIN_OR(N / 2, N / 4));
}

/* a triangle so flat that the square of its normal underflows */
static void flat_triangles_have_a_length(void **state)
{
    ct_real x[12] = {CTI_R(0.5), 0, CTI_R(0.5), 0, 0, 0, 1, 0, 0, 1, 0, 0}, toi, one = 1;
    int32_t quad[4] = {0, 1, 2, 3};
    int e;
    (void)state;
    for (e = 10; e < (CONTACT_REAL == 32 ? 149 : 1070); e++) {
        x[10] = (ct_real)ldexp(1, -e);
        assert_int_equal(cti_ccd_vf_batch(x, x, quad, 1, &one, &toi), 1);
        assert_true(toi == 0);
    }
}

/* the public batches read only points that are used */
static void batches_check_what_is_used(void **state)
{
    ct_real x[3 * 9], toi[3] = {7, 7, 7};
    int32_t quads[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3};
    int i;
    (void)state;
    for (i = 0; i < 27; i++)
        x[i] = (ct_real)(i * i % 11);
    assert_int_equal(ct_ccd_vertex_face_batch(x, x, quads, 3, 0, toi), CT_OK);
    x[26] = CTI_REAL_MAX * 2;
    toi[0] = 7;
    assert_int_equal(ct_ccd_edge_edge_batch(x, x, quads, 3, 0, toi), CT_ERR_DOMAIN);
    assert_true(toi[0] == 7);
    assert_int_equal(ct_ccd_vertex_face_batch(x, x, quads, 2, 0, toi), CT_OK);
    x[26] = 0, x[13] = x[13] * 0 / CTI_R(0.0);
    assert_int_equal(ct_ccd_vertex_face_batch(x, x, quads, 3, 0, toi), CT_ERR_DOMAIN);
    quads[4] = 3;
    assert_int_equal(ct_ccd_vertex_face_batch(x, x, quads, 3, 0, toi), CT_OK);
    quads[2] = -1;
    assert_int_equal(ct_ccd_vertex_face_batch(x, x, quads, 3, 0, toi), CT_ERR_ARGUMENT);
    assert_int_equal(ct_ccd_vertex_face_batch(x, x, quads, 0, 0, toi), CT_OK);
}

static void planes_have_exact_sides(void **state)
{
    int i, k, sides[3] = {0, 0, 0};
    (void)state;
    for (i = 0; i < 20000; i++) {
        cti_plane p;
        cti_v3 x = cti_v3_make((ct_real)rnd(), (ct_real)(64 * rnd()), (ct_real)mixed(20));
        int even = i % 3 == 0; /* few digits, so that half of the points are on the plane */
        ct_real gap;
        cti_dd sum;
        memset(&p, 0, sizeof p);
        for (k = 0; k < 3; k++)
            p.normal[k] = even ? (ct_real)(floor(8 * rnd()) / 8) : (ct_real)rnd();
        if (even)
            x = cti_v3_make((ct_real)floor((double)x.x * 8) / 8, (ct_real)floor((double)x.y), (ct_real)floor((double)x.z * 64) / 64);
        p.offset = nudged((double)p.normal[0] * (double)x.x + (double)p.normal[1] * (double)x.y + (double)p.normal[2] * (double)x.z, 1);
        sum = cti_dd_mul(cti_dd_diff((double)p.normal[0], 0), cti_dd_diff((double)x.x, 0));
        sum = cti_dd_add(sum, cti_dd_mul(cti_dd_diff((double)p.normal[1], 0), cti_dd_diff((double)x.y, 0)));
        sum = cti_dd_add(sum, cti_dd_mul(cti_dd_diff((double)p.normal[2], 0), cti_dd_diff((double)x.z, 0)));
        sum = cti_dd_sub(sum, cti_dd_diff((double)p.offset, 0));
        if (fabs(sum.hi) > 0 && fabs(sum.hi) < 1e-28 * 64)
            continue; /* too near for this reference */
        gap = cti_plane_gap(&p, x);
        assert_true((gap > 0) == (sum.hi > 0) && (gap < 0) == (sum.hi < 0));
        sides[(gap > 0) + 2 * (gap < 0)]++;
    }
    assert_true(sides[0] > 500 && sides[1] > 500 && sides[2] > 500);
}

/* ---- worlds ---- */

static ct_code add_at(ct_world *w, double x, double thickness, ct_body_id *out)
{
    ct_mesh m = mesh_box(0.25, 0.25, 0.25, 1, 1, 1, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_code code;
    int i;
    for (i = 0; i < m.n_positions; i++) /* largest coordinate: x */
        m.positions[3 * i] += (ct_real)(x - 0.125);
    d.name = "crate", d.mesh = &m, d.thickness = (ct_real)thickness;
    code = ct_body_add_soft(w, &d, out);
    ct_mesh_free(&m);
    return code;
}

/* thickness against coordinates, on both sides of the bound */
static void far_bodies_are_refused(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_body_id id = {0, 0};
    double most = CONTACT_REAL == 32 ? 128 : 65536, h = most * 64 * (double)CTI_EPS;
    const ct_error_info *e = ct_world_error(w);
    (void)state;
    assert_int_equal(add_at(w, most, h, &id), CT_OK);
    assert_int_equal(add_at(w, most + 0.25, h, &id), CT_ERR_MESH);
    assert_non_null(strstr(e->text, "crate"));
    assert_non_null(strstr(e->text, "origin"));
    assert_true(e->value == most + 0.25 && e->element >= 0 && e->element < 8);
    assert_int_equal(ct_world_body_count(w), 1);
    assert_int_equal(add_at(w, most + 0.25, 2 * h, &id), CT_OK);
    assert_int_equal(step_once(w, 0.01).coarse, 0);
    ct_world_destroy(w);
}

/* Three blocks pressed together against a plane just inside of the bound, where they also move by physics, without the fail-safe; and in flight,
   at 60 times the bound, where an ulp is the thickness. Neither intersects */
static void far_stacks_do_not_intersect(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    double most = (double)d.thickness / (64 * (double)CTI_EPS), at = most - 2;
    int beyond, i, k, hits = 0;
    (void)state;
    d.gravity[1] = 0;
    for (beyond = 0; beyond < 2; beyond++) {
        int zones = 0, coarse = 0;
        ct_world *w;
        d.gravity[0] = beyond ? 0 : -50;
        w = world_make(&d);
        for (i = 0; i < 3; i++) {
            ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
            mesh_place(&m, 0, at + 0.11 * i, 0, 0);
            add_soft_mesh(w, "block", &m, 1e5, beyond ? 100 * most - 2 * i : 0, 0, 0);
            ct_mesh_free(&m);
        }
        if (!beyond)
            add_plane(w, 1, 0, 0, at - 0.06);
        for (k = 0; k < PLAIN_OR(60, 20); k++) {
            ct_step_report r = step_once(w, 0.01);
            assert_int_equal(count_intersections(w), 0);
            zones += r.zones, coarse = r.coarse, hits += r.contacts > 0;
        }
        assert_int_equal(coarse, beyond ? 3 : 0);
        assert_true(beyond || zones == 0);
        assert_true(hits > 5);
        ct_world_destroy(w);
    }
}

/* an origin changes doubles, and nothing else */
static void origins_are_added_to_doubles(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w[2];
    ct_body_id id[2], plane;
    int i, k;
    (void)state;
    for (i = 0; i < 2; i++) {
        if (i)
            d.origin[0] = 4.5e5, d.origin[1] = -120.5, d.origin[2] = 5.5e6;
        w[i] = world_make(&d);
        plane = add_plane(w[i], 0, 1, 0, 0);
        id[i] = add_soft_box(w[i], "box", 0.25, 1, 1e4, 0.1, 0.15, 0);
    }
    for (k = 0; k < 30; k++)
        for (i = 0; i < 2; i++)
            step_once(w[i], 0.01);
    assert_true(ct_world_hash(w[0]) == ct_world_hash(w[1]));
    {
        int n;
        double *here = read_vectors(w[0], id[0], 0, &n), *there = read_vectors(w[1], id[1], 0, NULL), *v = read_vectors(w[1], id[1], 1, NULL);
        float near[3 * 8];
        assert_int_equal(n, 8);
        assert_int_equal(ct_body_get_positions(w[1], id[1], near, CT_SCALAR_FLOAT, 3 * sizeof(float), NULL), CT_OK);
        for (i = 0; i < 3 * n; i++) {
            assert_true(there[i] == here[i] + d.origin[i % 3]);
            assert_true(near[i] == (float)here[i]);
            assert_true(fabs(v[i]) < 100);
        }
        free(here), free(there), free(v);
    }
    assert_int_equal(ct_body_get_positions(w[1], plane, NULL, CT_SCALAR_DOUBLE, 0, &i), CT_OK);
    ct_world_destroy(w[0]), ct_world_destroy(w[1]);
    d.origin[1] = HUGE_VAL;
    assert_int_equal(ct_world_create(&d, &w[0], NULL), CT_ERR_ARGUMENT);
}

/* Rounded positions are state: the end of a step is what getters read, what a world that is prepared anew starts from, and the start of the next
   step. A soft body with an embedded surface, a rigid one, cloth, a script late in time; steps are halved and cut at impacts */
static void ends_are_the_next_starts(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w;
    ct_body_id id[4], tiny;
    ct_mesh m, skin;
    ct_soft_desc soft = ct_soft_desc_default();
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_kinematic_desc script = ct_kinematic_desc_default();
    ct_motion_segment path[2];
    ct_real *x;
    int step, i, k, b, n, cut = 0;
    (void)state;
    d.ccd_limits_step = 1;
    w = world_make(&d);
    w->state.step.time = 4567.8;
    m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 1), skin = mesh_box(0.19, 0.19, 0.19, 2, 2, 2, 0);
    mesh_place(&m, 0.3, 0, 0.5, 0), mesh_place(&skin, 0.3, 0, 0.5, 0);
    soft.mesh = &m, soft.surface = &skin, soft.material.young = 1e5, soft.velocity[1] = -2;
    assert_int_equal(ct_body_add_soft(w, &soft, &id[0]), CT_OK);
    ct_mesh_free(&m), ct_mesh_free(&skin);
    m = mesh_box(0.2, 0.2, 0.2, 1, 1, 1, 0);
    mesh_place(&m, 0.7, 0.02, 0.9, 0.01);
    rigid.mesh = &m, rigid.density = 700, rigid.angular_velocity[2] = 3, rigid.angular_velocity[0] = 1;
    assert_int_equal(ct_body_add_rigid(w, &rigid, &id[1]), CT_OK);
    ct_mesh_free(&m);
    m = mesh_grid(0.5, 0.5, 4, 4);
    mesh_place(&m, 0, 0, 0.3, 0);
    id[2] = add_cloth_mesh(w, "cloth", &m, CT_MODEL_MEMBRANE, 0.3);
    ct_mesh_free(&m);
    m = mesh_box(1, 0.1, 1, 2, 1, 2, 0);
    mesh_place(&m, 0, 0, 0.05, 0);
    memset(path, 0, sizeof path);
    path[0].motion.linear[0] = CTI_R(0.3), path[0].motion.angular[1] = CTI_R(1.7), path[0].duration = 0.25;
    path[1].motion.linear[1] = CTI_R(0.2), path[1].motion.angular[1] = CTI_R(-0.9), path[1].duration = -1;
    script.mesh = &m, script.segments = path, script.n_segments = 2;
    assert_int_equal(ct_body_add_kinematic(w, &script, &id[3]), CT_OK);
    w->bodies[3].script.t0 = w->state.step.time - 0.1; /* inside of a step */
    ct_mesh_free(&m);
    for (step = 0; step < PLAIN_OR(50, 20); step++) {
        ct_step_report r = step_once(w, 1.0 / 60);
        cti_surface *f = &w->state.surface;
        cut += r.substeps > 1;
        assert_int_equal(count_intersections(w), 0);
        n = 3 * f->nv;
        x = (ct_real *)malloc(sizeof(ct_real) * (size_t)n);
        memcpy(x, f->x0, sizeof(ct_real) * (size_t)n);
        for (b = 0; b < 4; b++) {
            int nv, at = 3 * f->ranges[b].v0;
            double *p = read_vectors(w, id[b], 0, &nv);
            const cti_body *body = &w->bodies[b];
            for (i = 0; i < nv; i++)
                for (k = 0; k < 3 && body->node_surface[i] >= 0; k++)
                    assert_true(p[3 * i + k] == (double)x[at + 3 * body->node_surface[i] + k]);
            free(p);
        }
        /* a body comes and goes: pairs are found anew */
        if (step % 5 == 4) {
            tiny = add_soft_box(w, "tiny", 0.1, 1, 1e5, 5, 5, 5);
            assert_int_equal(ct_body_remove(w, tiny), CT_OK);
            assert_int_equal(cti_world_prepare(w), CT_OK);
            assert_int_equal(3 * w->state.surface.nv, n);
            assert_memory_equal(w->state.surface.x0, x, sizeof(ct_real) * (size_t)n);
        }
        free(x);
    }
    assert_true(cut > PLAIN_OR(5, 0));
    ct_world_destroy(w);
}

/* scripts follow double time: after a day float time has a resolution of 8 ms */
static void scripts_run_for_days(void **state)
{
    ct_motion_segment turn;
    double t;
    int i;
    (void)state;
    memset(&turn, 0, sizeof turn);
    turn.duration = -1, turn.motion.angular[2] = 3;
    for (i = 0; i < 50; i++) {
        cti_v3 p;
        t = 86400 + 0.001 * i;
        p = cti_script_follow(&turn, 1, cti_v3_make(1, 0, 0), t, NULL);
        assert_true(fabs((double)p.x - cos(3 * t)) < (CONTACT_REAL == 32 ? 1e-7 : 1e-9));
        assert_true(fabs((double)p.y - sin(3 * t)) < (CONTACT_REAL == 32 ? 1e-7 : 1e-9));
    }
}

/* The default tolerance can be reached in each precision: a stack falls and comes to rest, and at most one step of an impact ends above it */
static void the_default_is_within_reach(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = world_make(&d);
    int i, above = 0;
    (void)state;
    assert_true(d.solver.tolerance == (sizeof(ct_real) == 8 ? CTI_R(1e-4) : CTI_R(1e-3)));
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 4; i++)
        add_soft_box(w, "box", 0.1, 3, 1e5, 0.002 * i, 0.052 + 0.103 * i, 0);
    for (i = 0; i < 120; i++) {
        ct_step_report r = step_once(w, 0.01);
        above += !(r.residual <= d.solver.tolerance);
    }
    if (above > 1)
        print_error("%d of 120 steps ended above %g\n", above, (double)d.solver.tolerance);
    assert_true(above <= 1);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_miss_no_touch),        cmocka_unit_test(batches_keep_distances),
        cmocka_unit_test(flat_triangles_have_a_length), cmocka_unit_test(batches_check_what_is_used),
        cmocka_unit_test(planes_have_exact_sides),      cmocka_unit_test(far_bodies_are_refused),
        cmocka_unit_test(far_stacks_do_not_intersect),  cmocka_unit_test(origins_are_added_to_doubles),
        cmocka_unit_test(ends_are_the_next_starts),     cmocka_unit_test(scripts_run_for_days),
        cmocka_unit_test(the_default_is_within_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
