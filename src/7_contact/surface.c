/* surface.c -- the surface layer: attachments, feature pairs, their distances and thickness. Method: every pair, whatever its kind, is a
   signed combination of at most four surface vertices. Based on: Otaduy 2009, sec. 3.2; lecture notes 4.3. */
#include "surface.h"
#include "../0_base/sort.h"
#include "../4_geom/ccd.h"
#include "../4_geom/dist.h"
#include "../1_math/exact.h"

/* [1] how far below 0 the weight of a face's vertex may be, where a vertex meets the face's plane beyond its edge in a valley. It bounds forces
   there. Half and double were not compared */
#define CTI_SURFACE_BEYOND CTI_R(0.5)

#define CTI_PLANE_LEAST 1e-30 /* [m] stands for a gap that is not zero, but rounds to zero */

CTI_FN void cti_surface_free(cti_mem *mem, cti_surface *s)
{
    cti_broad_free(mem, &s->broad);
    CTI_FREE_SPAN(mem, s->attach, s->apart);
    CTI_FREE(mem, s->runs);
    memset(s, 0, sizeof *s);
}

CTI_FN void cti_surface_filter(cti_surface *s)
{
    int p, b;
    for (p = 0; p < s->n_planes; p++)
        for (b = 0; b < s->n_bodies; b++)
            s->meets[(size_t)p * (size_t)s->n_bodies + (size_t)b] = s->bodies[b].dynamic && !s->ranges[b].sensor &&
                                                                    !s->ranges[s->planes[p].body].sensor &&
                                                                    cti_broad_accepts(&s->soup, s->planes[p].body, b);
    s->soup.version++;
    CTI_CLEAR(s->x_last); /* whether bodies that have met are apart is not known */
}

CTI_FN int cti_surface_neighbours(cti_mem *mem, cti_surface *s)
{
    int i, k;
    if (!CTI_ZEROS(mem, s->vertex_start, s->nv + 2) || !CTI_RESIZE(mem, s->vertex_next, 2 * s->ne))
        return 0;
    for (i = 0; i < 2 * s->ne; i++)
        s->vertex_start[s->edges[i] + 2]++;
    cti_sort_starts(s->vertex_start, (size_t)s->nv + 1);
    /* entry v + 1 runs from the start of v to its end, which is the start of v + 1 */
    for (i = 0; i < s->ne; i++)
        for (k = 0; k < 2; k++)
            s->vertex_next[s->vertex_start[s->edges[2 * i + k] + 1]++] = s->edges[2 * i + 1 - k];
    return 1;
}

CTI_FN cti_v3 cti_attach_point(const cti_attach *a, const ct_real *q, const ct_real *frames)
{
    cti_v3 p = cti_v3_at(q, a->block[0]), r = cti_v3_zero();
    int k;
    if (a->frame >= 0)
        return cti_v3_add(p, cti_m3_mul_v(frames + 9 * (size_t)a->frame, cti_v3_at(a->weight, 0)));
    /* weights sum to one: sums relative to the first block lose no digits far from the origin */
    for (k = 1; k < a->n; k++)
        r = cti_v3_mad(r, cti_v3_sub(cti_v3_at(q, a->block[k]), p), a->weight[k]);
    return a->n > 1 ? cti_v3_add(p, r) : p;
}

typedef struct cti_surface_places {
    const cti_surface *s;
    const ct_real *q, *frames;
    ct_real *out;
} cti_surface_places;

static void cti_surface_place_range(int begin, int end, int worker, void *context)
{
    const cti_surface_places *p = (const cti_surface_places *)context;
    const cti_surface *s = p->s;
    int lo = 0, hi = CTI_LEN(s->runs) / 3, i, last;
    CTI_UNUSED(worker);
    while (hi - lo > 1) { /* binary search for the run that contains `begin` */
        int mid = (lo + hi) / 2;
        if (s->runs[3 * mid + 2] > begin)
            hi = mid;
        else
            lo = mid;
    }
    for (; begin < end; begin += last - i, lo++) {
        const int32_t *run = s->runs + 3 * (size_t)lo;
        int at, own = run[2] - run[0];
        i = run[0] + begin - run[2], last = cti_min_int(run[1], i + end - begin);
        for (at = i; at < last; at++)
            cti_v3_put(p->out, at, s->attach[at + own].n ? cti_attach_point(&s->attach[at + own], p->q, p->frames) : cti_v3_at(s->script, at + own));
    }
}

CTI_FN int cti_surface_find_still(cti_mem *mem, cti_surface *s)
{
    int b, i, k, n = 0;
    CTI_CLEAR(s->runs);
    s->has_still = 0;
    for (b = 0; b < s->n_bodies; b++) {
        int v0 = s->ranges[b].v0, v1 = s->ranges[b].v1, last = CTI_LEN(s->runs) - 3;
        s->bodies[b].shift = n - v0;
        s->ranges[b].still = !s->bodies[b].moves;
        if (v0 == v1)
            continue;
        if (s->bodies[b].moves) {
            if (last >= 0 && s->runs[last + 1] == v0)
                s->runs[last + 1] = v1;
            else if (!CTI_PUSH(mem, s->runs, v0) || !CTI_PUSH(mem, s->runs, v1) || !CTI_PUSH(mem, s->runs, n))
                return 0;
            n += v1 - v0;
            continue;
        }
        for (i = v0; i < v1; i++)
            for (k = 0; k < 3; k++) {
                ct_real x = s->x0[3 * i + k];
                s->x1[3 * i + k] = x;
                s->still_lo[k] = s->has_still ? cti_min(s->still_lo[k], x) : x;
                s->still_hi[k] = s->has_still ? cti_max(s->still_hi[k], x) : x;
                s->has_still |= k == 2;
            }
    }
    s->n_moving = n;
    return 1;
}

CTI_FN cti_box cti_surface_box(const cti_surface *s, const ct_real *x, int body)
{
    cti_box box = cti_box_empty();
    int v;
    for (v = s->ranges[body].v0; v < s->ranges[body].v1; v++)
        cti_box_add(&box, cti_v3_at(x, v));
    return box;
}

CTI_FN void cti_surface_commit(cti_surface *s)
{
    int k;
    for (k = 0; k < CTI_LEN(s->runs); k += 3) {
        size_t at = 3 * (size_t)s->runs[k];
        memcpy(s->x0 + at, s->x1 + at, sizeof(ct_real) * 3 * (size_t)(s->runs[k + 1] - s->runs[k]));
    }
}

CTI_FN void cti_surface_place(const cti_surface *s, const ct_real *q, const ct_real *frames, ct_real *out)
{
    cti_surface_places p;
    p.s = s, p.q = q, p.frames = frames, p.out = out;
    cti_tasks_run_work(s->soup.tasks, cti_surface_place_range, s->n_moving, 0.01, &p);
}

/* the exact sign of n.x - offset: products and sum as expansions */
static int cti_plane_side(const double n[3], const double x[3], double offset)
{
    double a[2], b[4], c[6], p[2], e[7];
    int k, na, nb;
    p[1] = cti_two_product(n[0], x[0], &p[0]);
    a[0] = p[0], a[1] = p[1];
    p[1] = cti_two_product(n[1], x[1], &p[0]);
    nb = cti_expansion_sum(2, a, 2, p, b);
    p[1] = cti_two_product(n[2], x[2], &p[0]);
    na = cti_expansion_sum(nb, b, 2, p, c);
    offset = -offset;
    k = cti_expansion_sum(na, c, 1, &offset, e);
    return cti_expansion_sign(k, e);
}

CTI_FN ct_real cti_plane_gap(const cti_plane *p, cti_v3 x)
{
    double n[3], y[3], size, offset = (double)p->offset, gap;
    int k, side;
    for (k = 0; k < 3; k++)
        n[k] = (double)p->normal[k];
    y[0] = (double)x.x, y[1] = (double)x.y, y[2] = (double)x.z;
    gap = n[0] * y[0] + n[1] * y[1] + n[2] * y[2] - offset;
    /* 3 products, 3 sums: off by less than 4 u size (1 + 4 u) */
    size = fabs(n[0] * y[0]) + fabs(n[1] * y[1]) + fabs(n[2] * y[2]) + fabs(offset);
    if (fabs(gap) > 5 * 1.1102230246251565e-16 * size || !cti_finite64(size)) /* exact sums need finite numbers */
        return (ct_real)gap;
    side = cti_plane_side(n, y, offset);
    gap = fabs(gap) > CTI_PLANE_LEAST ? fabs(gap) : CTI_PLANE_LEAST;
    return (ct_real)(side > 0 ? gap : (side < 0 ? -gap : 0));
}

CTI_FN ct_real cti_surface_pair_thickness(const cti_surface *s, int body_a, int body_b)
{
    return (s->bodies[body_a].thickness + s->bodies[body_b].thickness) / 2;
}

CTI_FN void cti_pair_make(const cti_surface *s, ct_pair_kind kind, int a, int b, cti_pair *out)
{
    const int32_t *f;
    memset(out, 0, sizeof *out);
    out->kind = (int32_t)kind;
    out->n_a = 1;
    out->v[0] = a;
    if (kind == CT_PAIR_VF) {
        f = s->faces + 3 * (size_t)b;
        out->n = 4, out->v[1] = f[0], out->v[2] = f[1], out->v[3] = f[2];
    } else if (kind == CT_PAIR_EE) {
        f = s->edges + 2 * (size_t)a;
        out->n_a = 2, out->n = 4, out->v[0] = f[0], out->v[1] = f[1];
        f = s->edges + 2 * (size_t)b;
        out->v[2] = f[0], out->v[3] = f[1];
    } else if (kind == CT_PAIR_VE) {
        f = s->edges + 2 * (size_t)b;
        out->n = 3, out->v[1] = f[0], out->v[2] = f[1];
    } else if (kind == CT_PAIR_VV) {
        out->n = 2, out->v[1] = b;
    } else {
        out->n = 1, out->plane = b;
    }
}

CTI_FN void cti_pair_weigh(cti_pair *pair, const ct_real *t)
{
    pair->w[0] = 1;
    if (pair->kind == CT_PAIR_VF)
        pair->w[1] = -t[0], pair->w[2] = -t[1], pair->w[3] = -t[2];
    else if (pair->kind == CT_PAIR_EE)
        pair->w[0] = 1 - t[0], pair->w[1] = t[0], pair->w[2] = t[1] - 1, pair->w[3] = -t[1];
    else if (pair->kind == CT_PAIR_VE)
        pair->w[1] = t[0] - 1, pair->w[2] = -t[0];
    else if (pair->kind == CT_PAIR_VV)
        pair->w[1] = -1;
}

CTI_FN ct_real cti_pair_closest(const cti_surface *s, const ct_real *x, cti_pair *pair, int *out_feature)
{
    const ct_real *p[4];
    ct_real t[3] = {0, 0, 0}, d2;
    int k, feature = 0;
    *out_feature = 0;
    for (k = 0; k < pair->n; k++)
        p[k] = x + 3 * (size_t)pair->v[k];
    if (pair->kind == CT_PAIR_PLANE) {
        pair->w[0] = 1;
        return cti_plane_gap(&s->planes[pair->plane], cti_v3_at(p[0], 0));
    }
    if (pair->kind == CT_PAIR_VF)
        d2 = cti_dist_pt(p[0], p[1], p[2], p[3], t, &feature);
    else if (pair->kind == CT_PAIR_EE)
        d2 = cti_dist_ee(p[0], p[1], p[2], p[3], t, &feature);
    else
        d2 = pair->kind == CT_PAIR_VE ? cti_dist_pe(p[0], p[1], p[2], t, &feature) : cti_dist_pp(p[0], p[1]);
    cti_pair_weigh(pair, t);
    *out_feature = feature;
    return cti_sqrt(d2);
}

CTI_FN cti_v3 cti_pair_offset(const cti_surface *s, const ct_real *x, const cti_pair *pair)
{
    cti_v3 r = cti_v3_zero(), o = cti_v3_at(x, pair->v[0]);
    int k;
    if (pair->kind == CT_PAIR_PLANE) {
        const cti_plane *pl = &s->planes[pair->plane];
        return cti_v3_mul(cti_v3_at(pl->normal, 0), cti_plane_gap(pl, o));
    }
    /* weights sum to zero: positions relative to the first vertex lose no digits far from the origin */
    for (k = 0; k < pair->n; k++)
        r = cti_v3_mad(r, cti_v3_sub(cti_v3_at(x, pair->v[k]), o), pair->w[k]);
    return r;
}

CTI_FN cti_v3 cti_pair_face(const ct_real *x, const cti_pair *p)
{
    cti_v3 a = cti_v3_at(x, p->v[1]);
    return cti_v3_unit(cti_v3_cross(cti_v3_sub(cti_v3_at(x, p->v[2]), a), cti_v3_sub(cti_v3_at(x, p->v[3]), a)), cti_v3_zero());
}

CTI_FN cti_v3 cti_pair_normal(const cti_surface *s, const ct_real *x, const cti_pair *p, cti_v3 none)
{
    cti_v3 off = cti_v3_unit(cti_pair_offset(s, x, p), none), n;
    if (p->kind != CT_PAIR_VF || !cti_pair_is_inside(p))
        return off;
    n = cti_pair_face(x, p);
    return cti_v3_unit(cti_v3_mul(n, cti_v3_dot(n, off)), off);
}

CTI_FN cti_v3 cti_pair_with_belts(const cti_surface *s, const cti_pair *pair, cti_v3 n, ct_real h, cti_v3 u)
{
    cti_v3 belt;
    if (!s->has_belts)
        return u;
    belt = cti_v3_sub(cti_v3_at(s->bodies[cti_pair_body_a(s, pair)].belt, 0), cti_v3_at(s->bodies[cti_pair_body_b(s, pair)].belt, 0));
    return cti_v3_mad(u, cti_v3_mad(belt, n, -cti_v3_dot(belt, n)), h);
}

CTI_FN cti_v3 cti_pair_way(const cti_surface *s, const cti_pair *pair)
{
    if (pair->kind == CT_PAIR_PLANE)
        return cti_v3_sub(cti_v3_at(s->x1, pair->v[0]), cti_v3_at(s->x0, pair->v[0]));
    return cti_v3_sub(cti_pair_offset(s, s->x1, pair), cti_pair_offset(s, s->x0, pair));
}

CTI_FN cti_v3 cti_pair_point(const ct_real *x, const cti_pair *pair, int side)
{
    int k, first = side ? pair->n_a : 0, end = side ? pair->n : pair->n_a;
    cti_v3 o = cti_v3_at(x, pair->v[first]), r = o;
    for (k = first + 1; k < end; k++)
        r = cti_v3_mad(r, cti_v3_sub(cti_v3_at(x, pair->v[k]), o), cti_abs(pair->w[k]));
    return r;
}

static uint64_t cti_surface_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdull;
    return h ^ (h >> 29);
}

CTI_FN uint64_t cti_pair_key(const cti_surface *s, const cti_pair *pair)
{
    /* a strong mix of kind, bodies and the vertices within them: 64 bits, deterministic */
    uint64_t h = 0x9e3779b97f4a7c15ull ^ ((uint64_t)(uint32_t)pair->kind << 40);
    int k;
    h = cti_surface_mix(h, s->bodies[cti_pair_body_a(s, pair)].id);
    h = cti_surface_mix(h, s->bodies[cti_pair_body_b(s, pair)].id);
    for (k = 0; k < pair->n; k++)
        h = cti_surface_mix(h, (uint64_t)(uint32_t)(pair->v[k] - s->ranges[s->body_of[pair->v[k]]].v0) + 1);
    h *= 0xc4ceb9fe1a85ec53ull;
    return h ^ (h >> 32);
}

CTI_FN int cti_pair_body_a(const cti_surface *s, const cti_pair *pair) { return s->body_of[pair->v[0]]; }

CTI_FN int cti_pair_body_b(const cti_surface *s, const cti_pair *pair)
{
    return pair->kind == CT_PAIR_PLANE ? s->planes[pair->plane].body : s->body_of[pair->v[pair->n_a]];
}

CTI_FN ct_real cti_combine(ct_combine rule, ct_real a, ct_real b)
{
    switch (rule) {
    case CT_COMBINE_AVERAGE: return (a + b) / 2;
    case CT_COMBINE_MIN: return cti_min(a, b);
    case CT_COMBINE_MULTIPLY: return a * b;
    case CT_COMBINE_MAX: return cti_max(a, b);
    default: return cti_sqrt(a * b);
    }
}

CTI_FN ct_real cti_pair_friction(const cti_surface *s, const cti_pair *pair)
{
    return cti_combine(s->friction_combine, s->bodies[cti_pair_body_a(s, pair)].friction, s->bodies[cti_pair_body_b(s, pair)].friction);
}

CTI_FN ct_real cti_pair_restitution(const cti_surface *s, const cti_pair *pair)
{
    return cti_combine(s->restitution_combine, s->bodies[cti_pair_body_a(s, pair)].restitution, s->bodies[cti_pair_body_b(s, pair)].restitution);
}

CTI_FN ct_real cti_pair_thickness(const cti_surface *s, const cti_pair *pair)
{
    int a = cti_pair_body_a(s, pair), b = cti_pair_body_b(s, pair), feature;
    ct_real h = cti_surface_pair_thickness(s, a, b);
    if (a == b && pair->kind != CT_PAIR_PLANE && pair->kind != CT_PAIR_EF && !s->is_point[pair->v[0]]) {
        cti_pair q = *pair;
        h = cti_min(h, cti_pair_closest(s, s->rest, &q, &feature) / 2);
    }
    return h;
}

CTI_FN ct_real cti_vertices_approach(const int32_t *q, int n_a, int n, const ct_real *x0, const ct_real *x1)
{
    cti_v3 way[4];
    ct_real big = 0;
    int i, j;
    for (i = 0; i < n; i++)
        way[i] = x0 ? cti_v3_sub(cti_v3_at(x1, q[i]), cti_v3_at(x0, q[i])) : cti_v3_at(x1, q[i]);
    for (i = 0; i < n_a; i++)
        for (j = n_a; j < n; j++)
            big = cti_max(big, cti_v3_norm2(cti_v3_sub(way[j], way[i])));
    return cti_sqrt(big);
}

CTI_FN ct_real cti_vertices_toi(int kind, const int32_t *q, int n, ct_real least, const ct_real *x0, const ct_real *x1)
{
    ct_real p0[12], p1[12], toi;
    int k;
    for (k = 0; k < n; k++) {
        cti_v3_put(p0, k, cti_v3_at(x0, q[k]));
        cti_v3_put(p1, k, cti_v3_at(x1, q[k]));
    }
    cti_ccd_meet(kind, p0, p1, least, &toi);
    return toi;
}

CTI_FN cti_v3 cti_surface_across(const cti_surface *f, int face, int edge, int32_t *tip, ct_real *foot)
{
    const int32_t *e = f->edges + 2 * (size_t)edge, *v = f->faces + 3 * (size_t)face;
    cti_v3 a = cti_v3_at(f->x0, e[0]), along = cti_v3_sub(cti_v3_at(f->x0, e[1]), a), in;
    int k;
    for (k = 0; k < 2 && (v[k] == e[0] || v[k] == e[1]); k++) {
    }
    *tip = v[k], in = cti_v3_sub(cti_v3_at(f->x0, v[k]), a);
    *foot = cti_v3_dot(in, along) / cti_max(cti_v3_norm2(along), CTI_R(1e-30));
    return cti_v3_mad(in, along, -*foot);
}

CTI_FN int cti_surface_beside(const cti_surface *f, int face, int edge)
{
    return f->edge_faces[2 * edge] == face ? f->edge_faces[2 * edge + 1] : f->edge_faces[2 * edge];
}

CTI_FN int cti_pair_valley(const cti_surface *f, int face, int feature, ct_real shallow, cti_pair *p, ct_real *distance)
{
    int e = p->kind == CT_PAIR_VF && feature >= 3 && feature < 6 ? f->face_edges[3 * face + feature - 3] : -1, k;
    int other = e < 0 ? -1 : cti_surface_beside(f, face, e);
    cti_v3 up, in, off, ground, wall;
    ct_real foot, over, t;
    int32_t tip;
    if (other < 0)
        return 0;
    up = cti_surface_across(f, other, e, &tip, &foot), in = cti_surface_across(f, face, e, &tip, &foot);
    off = cti_pair_offset(f, f->x0, p);
    over = cti_v3_dot(off, up), t = cti_v3_dot(off, in) / cti_v3_norm2(in);
    wall = cti_surface_normal(f, f->x0, face, cti_v3_zero()), ground = cti_surface_normal(f, f->x0, other, cti_v3_zero());
    wall = cti_v3_mul(wall, cti_v3_dot(off, wall)), ground = cti_v3_mul(ground, cti_v3_dot(off, ground));
    /* The vertex is above the other face, and each face rises on the vertex's side of the other. The angle is that of the faces: for a vertex in the
       plane of both halves of a square, directions from their planes to it are rounding */
    if (!(over > 0) || !(t > -CTI_SURFACE_BEYOND) || !(cti_v3_dot(wall, up) > 0) ||
        !(cti_v3_dot(ground, in) > shallow * cti_v3_norm(ground) * cti_v3_norm(in)))
        return 0;
    off = cti_v3_mad(off, in, -t);
    for (k = 1; k < 4; k++)
        p->w[k] += t * (p->v[k] == tip ? -1 : p->v[k] == f->edges[2 * e] ? 1 - foot : foot);
    *distance = cti_v3_norm(off);
    return 1;
}
