/* ask.c -- queries of a world. Method: the tree over the bodies, then those of each body that may be met, then its features one by one. Answers are
   kept in order in the caller's array. A query for the first answer narrows the search by what it has found. Containment is exact: it is the winding
   number of the triangles that a ray along z meets. */
#include "queries.h"
#include "../1_math/d3.h"
#include "../4_geom/cast.h"
#include "../4_geom/dist.h"
#include "../5_mesh/mesh.h"

#if CONTACT_REAL == 32
#define CTI_ASK_MOST 1e37 /* squares of differences are finite, or compared as infinity */
#else
#define CTI_ASK_MOST CTI_EXACT_MOST
#endif

typedef enum cti_ask_kind { CTI_ASK_CAST, CTI_ASK_CLOSEST, CTI_ASK_SPHERE, CTI_ASK_MESH } cti_ask_kind;

typedef struct cti_ask {
    const ct_world *w;
    cti_ask_kind kind;
    double a[3], d[3], r;     /* point, translation (MESH: upper corner of the box around it), radius */
    double length;            /* of the translation */
    const ct_mesh *mesh;
    int closed;               /* 1: the mesh has an inside */
    int first;                /* 1: only the first answer is wanted */
    const ct_query_filter *filter;
    ct_hit *out;
    int capacity, n;
    cti_walk bodies, items;   /* the search among bodies, and in one of their trees */
    int slot;                 /* the body that is looked at, and the set of its features */
    const cti_queries_body *body;
    const cti_queries_set *set;
    int found;                /* SPHERE, MESH: item of that body; -1: none */
    const cti_queries_set *found_in;
    const int32_t *triangle;  /* MESH: of the mesh */
    ct_mesh box;              /* a box as a mesh */
    ct_real corners[24];
} cti_ask;

/* ---- features ---- */

static cti_v3 cti_ask_unit(const double v[3], cti_v3 fallback)
{
    return cti_v3_unit(cti_v3_make((ct_real)v[0], (ct_real)v[1], (ct_real)v[2]), fallback);
}

/* vertices of an item in double */
static void cti_ask_points(const cti_ask *q, int item, double x[3][3])
{
    int i, k;
    for (i = 0; i < q->set->width; i++)
        for (k = 0; k < 3; k++)
            x[i][k] = (double)q->body->x[3 * (size_t)q->set->elements[q->set->width * item + i] + (size_t)k];
}

/* the point of an item that is nearest to c: its weights, and *to, where it is from c. Returns the distance. Differences to c are taken in double */
static double cti_ask_near(const cti_ask *q, int item, const double c[3], ct_real w[3], double to[3])
{
    const ct_real origin[3] = {0, 0, 0};
    ct_real x[9];
    double p[3][3];
    int i, k, feature;
    cti_ask_points(q, item, p);
    for (i = 0; i < q->set->width; i++)
        for (k = 0; k < 3; k++)
            p[i][k] -= c[k], x[3 * i + k] = (ct_real)p[i][k];
    w[0] = 1, w[1] = w[2] = 0;
    if (q->set->width == 3)
        cti_dist_pt(origin, x, x + 3, x + 6, w, &feature);
    else if (q->set->width == 2)
        cti_dist_pe(origin, x, x + 3, &w[1], &feature), w[0] = 1 - w[1];
    memset(to, 0, 3 * sizeof *to);
    for (i = 0; i < q->set->width; i++)
        cti_d3_add(to, p[i], (double)w[i]);
    return sqrt(cti_d3_dot(to, to));
}

/* ---- answers ---- */

static int cti_ask_accepts(const cti_ask *q, int slot)
{
    const ct_query_filter *f = q->filter;
    const ct_filter *b = &q->w->bodies[slot].filter;
    return !f || ((b->category & f->mask) && (f->category & b->mask) && (!f->accept || f->accept(cti_world_id(q->w, slot), f->user)));
}

static void cti_ask_nothing(ct_hit *h)
{
    memset(h, 0, sizeof *h);
    h->feature = h->vertices[0] = h->vertices[1] = h->vertices[2] = -1;
}

/* an item of the present set */
static void cti_ask_feature(const cti_ask *q, int item, ct_hit *h)
{
    int k;
    cti_ask_nothing(h);
    for (k = 0; k < q->set->width; k++)
        h->vertices[k] = q->set->elements[q->set->width * item + k];
    h->kind = q->set->kind;
    h->feature = q->set->width == 1 ? h->vertices[0] : item;
}

/* 1 where one answer comes before another */
static int cti_ask_before(const ct_hit *a, const ct_hit *b)
{
    if (a->fraction != b->fraction || a->distance != b->distance)
        return a->fraction < b->fraction || (!(b->fraction < a->fraction) && a->distance < b->distance);
    if (a->body.index1 != b->body.index1 || a->kind != b->kind)
        return a->body.index1 < b->body.index1 || (a->body.index1 == b->body.index1 && a->kind < b->kind);
    return a->feature < b->feature;
}

/* keeps an answer about body `slot` in its place, where there is room for it */
static void cti_ask_keep(cti_ask *q, int slot, ct_hit *h)
{
    int i = q->n < q->capacity ? q->n : q->capacity;
    q->n++;
    h->body = cti_world_id(q->w, slot);
    for (; i > 0 && cti_ask_before(h, &q->out[i - 1]); i--)
        if (i < q->capacity)
            q->out[i] = q->out[i - 1];
    if (i < q->capacity)
        q->out[i] = *h;
}

/* completes an answer at the share t of the way of a cast, or nearest to the query's point: `to` leads from there to the surface, or to the axis of
   what is r thick. normal: the surface's; the answer's leads to the centre of a sphere, or away from the axis */
static void cti_ask_put(cti_ask *q, int slot, ct_hit *h, double t, const double to[3], const double normal[3], double r)
{
    double back[3] = {-to[0], -to[1], -to[2]}, gap = sqrt(cti_d3_dot(to, to)), out = cti_fmin(r, gap);
    cti_v3 n = cti_ask_unit(normal, cti_v3_make(0, 1, 0));
    int k, is_cast = q->kind == CTI_ASK_CAST;
    if (r > 0 || (is_cast && q->r > 0))
        n = cti_ask_unit(back, n);
    cti_v3_put(h->normal, 0, n);
    for (k = 0; k < 3; k++)
        h->point[k] = (ct_real)(q->a[k] + t * q->d[k] + to[k] + (double)h->normal[k] * out);
    h->fraction = (ct_real)t;
    h->distance = (ct_real)(is_cast ? t * q->length : cti_fmax(gap - r, 0));
    cti_ask_keep(q, slot, h);
}

/* an answer about an item */
static void cti_ask_answer(cti_ask *q, int item, double t)
{
    double c[3] = {q->a[0], q->a[1], q->a[2]}, x[3][3], u[3], v[3], to[3], normal[3] = {-q->d[0], -q->d[1], -q->d[2]};
    ct_hit h;
    int k;
    cti_ask_feature(q, item, &h);
    cti_d3_add(c, q->d, t);
    cti_ask_near(q, item, c, h.weights, to);
    if (q->set->width == 3) {
        cti_ask_points(q, item, x);
        for (k = 0; k < 3; k++)
            u[k] = x[1][k] - x[0][k], v[k] = x[2][k] - x[0][k];
        cti_d3_cross(u, v, normal);
        /* open surfaces: the side that the query comes from */
        if (!q->body->closed && cti_d3_dot(normal, q->kind == CTI_ASK_CAST ? q->d : to) > 0)
            normal[0] = -normal[0], normal[1] = -normal[1], normal[2] = -normal[2];
    }
    cti_ask_put(q, q->slot, &h, t, to, normal, q->set->r);
}

/* ---- casts, distances ---- */

static void cti_ask_item(void *ctx, int item)
{
    cti_ask *q = (cti_ask *)ctx;
    const cti_queries_set *s = q->set;
    double x[3][3], to[3], t;
    ct_real w[3];
    if (q->kind == CTI_ASK_CAST) {
        double r = q->r + s->r;
        cti_ask_points(q, item, x);
        if (s->width == 3)
            t = cti_cast_triangle(q->a, q->d, r, x, r > 0 ? cti_ask_near(q, item, q->a, w, to) : 0);
        else
            t = s->width == 2 ? cti_cast_segment(q->a, q->d, r, x[0], x[1]) : cti_cast_sphere(q->a, q->d, r, x[0]);
        if (t <= q->items.most)
            cti_ask_answer(q, item, t);
    } else {
        t = cti_fmax(cti_ask_near(q, item, q->a, w, to) - s->r, 0);
        if (t > q->items.most)
            return;
        if (q->kind == CTI_ASK_CLOSEST)
            cti_ask_answer(q, item, 0);
        else if (t < q->items.most || q->found < 0 || (q->found_in == s && item < q->found))
            q->found = item, q->found_in = s;
    }
    if (q->first || q->kind == CTI_ASK_SPHERE)
        q->items.most = cti_fmin(t, q->items.most);
}

/* ---- containment ---- */

typedef struct cti_ask_winding {
    const cti_queries_body *body;
    double p[3];
    int sum, on;
} cti_ask_winding;

static void cti_ask_wind(void *ctx, int item)
{
    cti_ask_winding *q = (cti_ask_winding *)ctx;
    const int32_t *t = q->body->sets[0].elements + 3 * (size_t)item;
    const ct_real *x = q->body->x;
    int add = cti_intersect_winding(x + 3 * (size_t)t[0], x + 3 * (size_t)t[1], x + 3 * (size_t)t[2], q->p);
    q->on |= add == 2;
    q->sum += add == 2 ? 0 : add;
}

/* 1 for a point that a solid body contains, or has on its surface */
static int cti_ask_contains(const cti_queries_body *b, const double p[3])
{
    cti_ask_winding q;
    cti_walk walk;
    float lo[3], hi[3];
    int k;
    if (!b->solid)
        return 0;
    cti_walk_root(&b->forest, &b->sets[0].tree, lo, hi);
    q.body = b, q.sum = q.on = 0;
    walk.kind = CTI_WALK_BOX, walk.r = walk.most = 0, walk.visit = cti_ask_wind, walk.ctx = &q;
    for (k = 0; k < 3; k++)
        q.p[k] = walk.a[k] = walk.b[k] = p[k];
    walk.b[2] = cti_fmax(p[2], (double)hi[2]);
    cti_walk_run(&walk, &b->forest, &b->sets[0].tree);
    return q.on || q.sum != 0;
}

/* ---- meshes ---- */

/* 1 where a segment from p to e, which is r thick, touches a triangle */
static int cti_ask_touches(const ct_real *p, const ct_real *e, const ct_real *const t[3], double r)
{
    ct_real w[3], d2;
    int k, feature;
    if (cti_intersect_edge_triangle(p, e, t[0], t[1], t[2]))
        return 1;
    d2 = cti_min(cti_dist_pt(p, t[0], t[1], t[2], w, &feature), cti_dist_pt(e, t[0], t[1], t[2], w, &feature));
    for (k = 0; k < 3; k++)
        d2 = cti_min(d2, cti_dist_ee(p, e, t[k], t[(k + 1) % 3], w, &feature));
    return (double)d2 <= r * r;
}

static void cti_ask_find(cti_ask *q, int item)
{
    q->found = item;
    q->items.most = -1;
}

/* an item against the triangle of the mesh */
static void cti_ask_cross(void *ctx, int item)
{
    cti_ask *q = (cti_ask *)ctx;
    const ct_real *x[3], *t[3];
    int k, last = q->set->width - 1, meets = 0;
    for (k = 0; k < 3; k++) {
        x[k] = q->body->x + 3 * (size_t)q->set->elements[q->set->width * item + cti_min_int(k, last)];
        t[k] = q->mesh->positions + 3 * (size_t)q->triangle[k];
    }
    for (k = 0; last == 2 && !meets && k < 3; k++)
        meets = cti_intersect_edge_triangle(x[k], x[(k + 1) % 3], t[0], t[1], t[2]) ||
                cti_intersect_edge_triangle(t[k], t[(k + 1) % 3], x[0], x[1], x[2]);
    if (last < 2 ? cti_ask_touches(x[0], x[last], t, q->set->r) : meets)
        cti_ask_find(q, item);
}

/* an item that does not cross the mesh: is it inside? */
static void cti_ask_within(void *ctx, int item)
{
    cti_ask *q = (cti_ask *)ctx;
    const ct_real *x = q->body->x + 3 * (size_t)q->set->elements[q->set->width * item];
    int k;
    for (k = 0; k < 3; k++)
        if ((double)x[k] < q->a[k] || (double)x[k] > q->d[k])
            return;
    if (cti_intersect_contains(q->mesh->triangles, q->mesh->n_triangles, q->mesh->positions, x))
        cti_ask_find(q, item);
}

/* the box of n vertices of a mesh */
static void cti_ask_bound(const ct_mesh *m, const int32_t *vertices, int n, double lower[3], double upper[3])
{
    int i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) {
            double x = (double)m->positions[3 * (size_t)vertices[i] + (size_t)k];
            lower[k] = i == 0 ? x : cti_fmin(x, lower[k]);
            upper[k] = i == 0 ? x : cti_fmax(x, upper[k]);
        }
}

/* searches the present set for items in that box */
static void cti_ask_search(cti_ask *q, const int32_t *vertices, int n, void (*visit)(void *ctx, int item))
{
    cti_ask_bound(q->mesh, vertices, n, q->items.a, q->items.b);
    q->items.kind = CTI_WALK_BOX, q->items.r = q->set->r, q->items.most = 0, q->items.visit = visit;
    cti_walk_run(&q->items, &q->body->forest, &q->set->tree);
}

/* the present body against the mesh: surfaces cross, the mesh holds a part of the body, or the body holds a part of the mesh */
static void cti_ask_mesh(cti_ask *q)
{
    const ct_mesh *m = q->mesh;
    int i, f, k, holds = 0;
    double p[3];
    ct_hit h;
    for (i = 0; q->found < 0 && i < q->body->n_sets; i++) {
        q->set = &q->body->sets[i];
        for (f = 0; q->found < 0 && f < m->n_triangles; f++) {
            q->triangle = m->triangles + 3 * (size_t)f;
            cti_ask_search(q, q->triangle, 3, cti_ask_cross);
        }
        if (q->found < 0 && q->closed)
            cti_ask_search(q, m->triangles, 3 * m->n_triangles, cti_ask_within);
    }
    for (f = 0; q->found < 0 && !holds && q->body->solid && f < m->n_triangles; f++) {
        for (k = 0; k < 3; k++)
            p[k] = (double)m->positions[3 * (size_t)m->triangles[3 * (size_t)f] + (size_t)k];
        holds = cti_ask_contains(q->body, p);
    }
    if (q->found >= 0)
        cti_ask_feature(q, q->found, &h);
    else
        cti_ask_nothing(&h), h.kind = CT_HIT_INSIDE;
    if (q->found >= 0 || holds)
        cti_ask_keep(q, q->slot, &h);
}

/* 1 where the triangles of a mesh run along every edge as often in one direction as in the other: then the sum of a hash of their edges, with the
   sign of the direction, is 0 */
static int cti_ask_is_closed(const ct_mesh *m)
{
    uint64_t sum = 0, h;
    int i;
    for (i = 0; i < 3 * m->n_triangles; i++) {
        uint32_t a = (uint32_t)m->triangles[i], b = (uint32_t)m->triangles[i % 3 == 2 ? i - 2 : i + 1];
        h = ((a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) + 1) * 0x9e3779b97f4a7c15ull;
        h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull, h ^= h >> 32;
        sum += a < b ? h : (a > b ? 0 - h : 0);
    }
    return sum == 0;
}

/* ---- bodies ---- */

static void cti_ask_body(void *ctx, int slot)
{
    cti_ask *q = (cti_ask *)ctx;
    int i, is_cast = q->kind == CTI_ASK_CAST;
    ct_hit h;
    if (!cti_ask_accepts(q, slot))
        return;
    q->slot = slot, q->body = &q->w->queries->bodies[slot], q->found = -1;
    if (q->kind == CTI_ASK_MESH) {
        cti_ask_mesh(q);
        return;
    }
    q->items = q->bodies;
    q->items.visit = cti_ask_item;
    for (i = 0; i < q->body->n_sets; i++) {
        q->set = &q->body->sets[i];
        q->items.r = q->set->r + (is_cast ? q->r : 0);
        cti_walk_run(&q->items, &q->body->forest, &q->set->tree);
    }
    if (q->first)
        q->bodies.most = q->items.most;
    if (q->kind != CTI_ASK_SPHERE)
        return;
    q->set = q->found_in;
    if (q->found >= 0)
        cti_ask_answer(q, q->found, 0);
    else if (cti_ask_contains(q->body, q->a)) {
        cti_ask_nothing(&h), h.kind = CT_HIT_INSIDE;
        cti_ask_keep(q, slot, &h);
    }
}

/* the same for a plane */
static void cti_ask_plane(cti_ask *q, int slot)
{
    const cti_body *b = &q->w->bodies[slot];
    double n[3], c[3] = {q->a[0], q->a[1], q->a[2]}, to[3], offset = (double)b->plane_offset, gap, t = 0;
    int i, k, is_cast = q->kind == CTI_ASK_CAST;
    ct_hit h;
    if (!cti_ask_accepts(q, slot))
        return;
    for (k = 0; k < 3; k++)
        n[k] = (double)b->plane_normal[k];
    gap = cti_d3_dot(n, c) - offset;
    for (i = 0; q->mesh && i < 3 * q->mesh->n_triangles; i++) {
        for (k = 0; k < 3; k++)
            c[k] = (double)q->mesh->positions[3 * (size_t)q->mesh->triangles[i] + (size_t)k];
        gap = i == 0 ? cti_d3_dot(n, c) - offset : cti_fmin(gap, cti_d3_dot(n, c) - offset);
    }
    if (is_cast)
        t = cti_cast_plane(q->a, q->d, q->r, n, offset);
    if ((is_cast ? t : (q->kind == CTI_ASK_CLOSEST ? fabs(gap) : gap)) > q->bodies.most)
        return;
    cti_ask_nothing(&h);
    h.kind = CT_HIT_PLANE;
    if (q->mesh) {
        cti_ask_keep(q, slot, &h);
        return;
    }
    gap = q->kind == CTI_ASK_SPHERE ? cti_fmax(gap, 0) : gap + t * cti_d3_dot(n, q->d);
    for (k = 0; k < 3; k++)
        to[k] = -gap * n[k];
    cti_ask_put(q, slot, &h, t, to, n, 0);
    if (q->first)
        q->bodies.most = is_cast ? t : fabs(gap);
}

/* asks a query whose numbers are checked */
static void cti_ask_all(cti_ask *q)
{
    static const cti_walk_kind kinds[] = {CTI_WALK_RAY, CTI_WALK_POINT, CTI_WALK_POINT, CTI_WALK_BOX};
    const cti_queries *all = q->w->queries;
    int i;
    q->length = sqrt(cti_d3_dot(q->d, q->d));
    q->bodies.kind = kinds[q->kind];
    memcpy(q->bodies.a, q->a, sizeof q->a);
    memcpy(q->bodies.b, q->d, sizeof q->d);
    q->bodies.r = q->kind == CTI_ASK_CAST ? q->r : 0;
    q->bodies.most = q->kind == CTI_ASK_CAST ? 1 : (q->kind == CTI_ASK_MESH ? 0 : q->r);
    q->bodies.visit = cti_ask_body, q->bodies.ctx = q->items.ctx = q;
    cti_walk_run(&q->bodies, &all->forest, &all->tree);
    for (i = 0; i < CTI_LEN(all->planes); i++)
        cti_ask_plane(q, all->planes[i]);
}

/* ---- the public functions ---- */

/* a query, with room for answers at out [capacity] */
static void cti_ask_open(cti_ask *q, const ct_world *w, cti_ask_kind kind, const ct_query_filter *filter, ct_hit *out, int capacity)
{
    memset(q, 0, sizeof *q);
    q->w = w, q->kind = kind, q->filter = filter, q->out = out, q->capacity = capacity;
}

/* takes a vector of the caller's */
static ct_code cti_ask_take(const ct_real *x, const char *name, double *out, ct_error_info *error)
{
    int k;
    if (!x)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, 0, "%s is NULL", name);
    for (k = 0; k < 3; k++) {
        out[k] = (double)x[k];
        if (!(fabs(out[k]) <= CTI_ASK_MOST))
            return cti_error_set(error, CT_ERR_ARGUMENT, k, out[k], "%s[%d] is not finite, or beyond %.3g", name, k, CTI_ASK_MOST);
    }
    return CT_OK;
}

static ct_code cti_ask_check(const cti_ask *q, const int *out_n, ct_error_info *error)
{
    if (!q->w || q->w->busy)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, 0, q->w ? "the world is in a call: a callback may not ask it" : "world is NULL");
    if (!q->w->queries_ready)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, 0, "the world has changed: call ct_world_update_queries first");
    if (q->capacity < 0 || (!q->out && q->capacity > 0) || !out_n)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, q->capacity, "where the answer goes is NULL, or the capacity (value) is below 0");
    if (!(q->r >= 0) || (q->kind != CTI_ASK_CLOSEST && !(q->r <= CTI_ASK_MOST)))
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, q->r, "a radius or distance (value) is below 0, not a number, or beyond %.3g", CTI_ASK_MOST);
    return CT_OK;
}

/* makes a mesh of the box from a to d. Bits of a corner's number say at which end it is */
static ct_code cti_ask_box(cti_ask *q, ct_error_info *error)
{
    static const int32_t faces[] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    int i, k;
    for (k = 0; k < 3; k++)
        if (q->d[k] < q->a[k])
            return cti_error_set(error, CT_ERR_ARGUMENT, k, q->d[k], "upper[%d] is below lower[%d]", k, k);
    for (i = 0; i < 24; i++)
        q->corners[i] = (ct_real)(i / 3 >> i % 3 & 1 ? q->d[i % 3] : q->a[i % 3]);
    q->box.positions = q->corners, q->box.triangles = (int32_t *)faces;
    q->box.n_positions = 8, q->box.n_triangles = 12;
    q->mesh = &q->box, q->closed = 1;
    return CT_OK;
}

/* checks the caller's mesh, and computes the box around it */
static ct_code cti_ask_take_mesh(cti_ask *q, ct_error_info *error)
{
    const ct_mesh *m = q->mesh;
    ct_code code;
    if (!m)
        return cti_error_set(error, CT_ERR_ARGUMENT, -1, 0, "mesh is NULL");
    code = cti_mesh_check(m, CTI_ASK_MOST, error);
    if (code == CT_OK && m->n_triangles <= 0)
        code = cti_error_set(error, CT_ERR_MESH, -1, 0, "the mesh has no triangles");
    if (code != CT_OK)
        return code;
    cti_ask_bound(m, m->triangles, 3 * m->n_triangles, q->a, q->d);
    q->closed = cti_ask_is_closed(m);
    return CT_OK;
}

/* vectors a and d with their names; name NULL: there is none */
static ct_code cti_ask_now(cti_ask *q, const ct_real *a, const ct_real *d, const char *const names[2], int *out_n, ct_error_info *error)
{
    ct_code code = cti_ask_check(q, out_n, error);
    if (names[0])
        CTI_THEN(code, cti_ask_take(a, names[0], q->a, error));
    if (names[1])
        CTI_THEN(code, cti_ask_take(d, names[1], q->d, error));
    if (q->kind == CTI_ASK_MESH)
        CTI_THEN(code, names[0] ? cti_ask_box(q, error) : cti_ask_take_mesh(q, error));
    if (code != CT_OK)
        return code;
    cti_ask_all(q);
    if (q->first && q->n == 0)
        cti_ask_nothing(q->out);
    *out_n = q->n;
    return CT_OK;
}

static ct_code cti_ask_run(cti_ask *q, const ct_real *a, const ct_real *d, const char *const names[2], int *out_n, ct_error_info *error)
{
#if CONTACT_WITH_QUERIES
    CTI_FPENV_RETURN(cti_ask_now(q, a, d, names, out_n, error))
#else
    CTI_UNUSED(q), CTI_UNUSED(a), CTI_UNUSED(d), CTI_UNUSED(names), CTI_UNUSED(out_n);
    return CTI_ERROR_UNBUILT(error, "queries", CONTACT_WITH_QUERIES);
#endif
}

static const char *const cti_ask_way[2] = {"origin", "translation"};
static const char *const cti_ask_point[2] = {"point", NULL};
static const char *const cti_ask_center[2] = {"center", NULL};
static const char *const cti_ask_corners[2] = {"lower", "upper"};
static const char *const cti_ask_no_vector[2] = {NULL, NULL};

CONTACT_API_DEF ct_query_filter ct_query_filter_default(void)
{
    ct_query_filter f;
    memset(&f, 0, sizeof f);
    f.category = 1, f.mask = UINT64_MAX;
    return f;
}

CONTACT_API_DEF ct_code ct_world_cast_ray(const ct_world *w, const ct_real origin[3], const ct_real translation[3], const ct_query_filter *filter,
                                          ct_hit *out_hit, ct_error_info *out_error)
{
    return ct_world_cast_sphere(w, origin, 0, translation, filter, out_hit, out_error);
}

CONTACT_API_DEF ct_code ct_world_cast_ray_all(const ct_world *w, const ct_real origin[3], const ct_real translation[3], const ct_query_filter *filter,
                                              ct_hit *out_hits, int capacity, int *out_n, ct_error_info *out_error)
{
    cti_ask q;
    cti_ask_open(&q, w, CTI_ASK_CAST, filter, out_hits, capacity);
    return cti_ask_run(&q, origin, translation, cti_ask_way, out_n, out_error);
}

CONTACT_API_DEF ct_code ct_world_cast_sphere(const ct_world *w, const ct_real origin[3], ct_real radius, const ct_real translation[3],
                                             const ct_query_filter *filter, ct_hit *out_hit, ct_error_info *out_error)
{
    cti_ask q;
    int n;
    cti_ask_open(&q, w, CTI_ASK_CAST, filter, out_hit, 1);
    q.r = (double)radius, q.first = 1;
    return cti_ask_run(&q, origin, translation, cti_ask_way, &n, out_error);
}

CONTACT_API_DEF ct_code ct_world_closest_point(const ct_world *w, const ct_real point[3], ct_real max_distance, const ct_query_filter *filter,
                                               ct_hit *out_hit, ct_error_info *out_error)
{
    cti_ask q;
    int n;
    cti_ask_open(&q, w, CTI_ASK_CLOSEST, filter, out_hit, 1);
    q.r = (double)max_distance, q.first = 1;
    return cti_ask_run(&q, point, NULL, cti_ask_point, &n, out_error);
}

CONTACT_API_DEF ct_code ct_world_overlap_box(const ct_world *w, const ct_real lower[3], const ct_real upper[3], const ct_query_filter *filter,
                                             ct_hit *out_hits, int capacity, int *out_n, ct_error_info *out_error)
{
    cti_ask q;
    cti_ask_open(&q, w, CTI_ASK_MESH, filter, out_hits, capacity);
    return cti_ask_run(&q, lower, upper, cti_ask_corners, out_n, out_error);
}

CONTACT_API_DEF ct_code ct_world_overlap_sphere(const ct_world *w, const ct_real center[3], ct_real radius, const ct_query_filter *filter,
                                                ct_hit *out_hits, int capacity, int *out_n, ct_error_info *out_error)
{
    cti_ask q;
    cti_ask_open(&q, w, CTI_ASK_SPHERE, filter, out_hits, capacity);
    q.r = (double)radius;
    return cti_ask_run(&q, center, NULL, cti_ask_center, out_n, out_error);
}

CONTACT_API_DEF ct_code ct_world_overlap_mesh(const ct_world *w, const ct_mesh *mesh, const ct_query_filter *filter, ct_hit *out_hits, int capacity,
                                              int *out_n, ct_error_info *out_error)
{
    cti_ask q;
    cti_ask_open(&q, w, CTI_ASK_MESH, filter, out_hits, capacity);
    q.mesh = mesh;
    return cti_ask_run(&q, NULL, NULL, cti_ask_no_vector, out_n, out_error);
}

CONTACT_API_DEF ct_code ct_world_inside(const ct_world *w, const ct_real point[3], const ct_query_filter *filter, ct_hit *out_hits, int capacity,
                                        int *out_n, ct_error_info *out_error)
{
    cti_ask q;
    cti_ask_open(&q, w, CTI_ASK_SPHERE, filter, out_hits, capacity);
    return cti_ask_run(&q, point, NULL, cti_ask_point, out_n, out_error);
}
